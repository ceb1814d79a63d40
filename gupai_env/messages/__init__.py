"""Sentences for people as data: a template with named arguments, which is worded where people read it.

A `Message` is a string, the English one, so files, logs and tests see English; `word` gives it in the language of the
context. The templates are the keys of gettext's catalogues.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from gettext import NullTranslations
from math import ceil
from typing import Any

TRANSLATIONS: ContextVar[NullTranslations] = ContextVar("translations", default=NullTranslations())  # noqa: B039
"""The catalogue of the language that is spoken in this context; English without one."""


@contextmanager
def in_english() -> Iterator[None]:
    """Word messages in English within: in files whose bytes are compared, whoever writes them."""
    token = TRANSLATIONS.set(NullTranslations())
    try:
        yield
    finally:
        TRANSLATIONS.reset(token)


class Message(str):
    """A text of one template.

    template: with its arguments as slots, `{tiles}`. arguments: of the slots; messages among them are worded, all
    other values stay as they are. many: the template for any number but one, "" if there is no other. context: in
    which a word means something special, as in gettext.
    """

    template: str
    arguments: dict[str, Any]
    many: str
    context: str

    def __str__(self) -> str:
        return self  # so that `str(error)` is the message that an error was raised with


def _made(english: str, template: str, arguments: dict[str, Any], many: str = "", context: str = "") -> Message:
    message = Message(english)
    message.template, message.arguments, message.many, message.context = template, arguments, many, context
    return message


def say(template: str, /, **arguments: Any) -> Message:
    """Return the message of a template and its arguments, as `str.format` takes them."""
    if isinstance(template, Message):
        return template
    return _made(template.format(**arguments) if arguments else template, template, arguments)


def count(one: str, many: str, number: float, /, **arguments: Any) -> Message:
    """Return the message of the template for one, or for any other number, which is the argument `number` too.

    Args:
        one: The template for 1.
        many: That for any other number.
        number: What is counted.
        arguments: Of the template's other slots.
    """
    arguments["number"] = number
    return _made((one if number == 1 else many).format(**arguments), one, arguments, many)


def alias(english: object, template: str = "", context: str = "") -> Message:
    """Return a text that reads otherwise in English than its key in catalogues, as identifiers do.

    Args:
        english: What it reads in English.
        template: Its key in catalogues, by default the same.
        context: In which the word means something special.
    """
    return _made(str(english), template or str(english), {}, context=context)


def capitalized(text: str) -> Message:
    """Return a text that begins with a capital letter in English; the rest stays as it is."""
    old = say(text)
    return _made(old[:1].upper() + old[1:], old.template, old.arguments, old.many, old.context)


def joined(joint: str, texts: Iterable[str]) -> str:
    """Return texts with what joins them, such as ", ", as one message; "" if there are none."""
    template = f"{{first}}{joint}{{second}}"
    messages = [say(text) for text in texts if text]
    return (
        functools.reduce(lambda first, second: say(template, first=first, second=second), messages) if messages else ""
    )


def escaped(text: str) -> str:
    """Return a name of somebody's as a part of a template, in which its braces are braces."""
    return text.replace("{", "{{").replace("}", "}}")


def one_line(text: str) -> str:
    """Return a text in one line; a message as it is, unless there is more than one line in it."""
    joined_up = " ".join(text.split())
    return text if text == joined_up else joined_up


def word(text: object) -> str:
    """Return a text in the language of the context, in English where its catalogue has no entry."""
    spoken, text = TRANSLATIONS.get(), str(text)
    if not isinstance(text, Message):
        return spoken.gettext(text) if text else ""
    if type(spoken) is NullTranslations:
        return text
    pattern = spoken.gettext(text.template) if text.template else ""
    if text.many:
        pattern = spoken.ngettext(text.template, text.many, ceil(text.arguments["number"]))  # 1.5 is no singular
    elif text.context and (special := spoken.pgettext(text.context, text.template)) != text.template:
        pattern = special
    if pattern == text.template and not text.arguments:
        return text
    return pattern.format(**_worded(text.arguments)) if text.arguments else pattern


def messages_in(content: Any, place: str = "") -> dict[str, dict[str, Any]]:
    """Return the messages among data, of which JSON keeps the English text alone, by where they are.

    Args:
        content: What goes to JSON.
        place: Of it: keys and indices, each after a "/"; those of a message's arguments follow its own.
    """
    if isinstance(content, Message):
        if content == content.template and not (content.arguments or content.context):
            return {}
        parts = {name: value for name, value in vars(content).items() if value or name == "arguments"}
        return {place: parts, **messages_in(content.arguments, place)}
    return {
        inner: message
        for key, member in _members(content)
        for inner, message in messages_in(member, f"{place}/{key}").items()
    }


def with_messages(content: Any, messages: Mapping[str, Mapping[str, Any]], place: str = "") -> Any:
    """Return data from JSON whose texts are the messages again that `messages_in` returned.

    Args:
        content: What JSON holds.
        messages: What `messages_in` returned of it, by places.
        place: Of `content` in the whole, "" for all of it.
    """
    if isinstance(content, dict | list):
        members = {key: with_messages(member, messages, f"{place}/{key}") for key, member in _members(content)}
        return members if isinstance(content, dict) else list(members.values())
    # Files of before 29 November 2026 have messages by their English text.
    parts = messages.get(place) or messages.get(str(content))
    if not isinstance(content, str) or isinstance(content, Message) or parts is None:
        return content
    arguments = {
        name: say(value) if isinstance(value, str) else value
        for name, value in with_messages(parts["arguments"], messages, place).items()
    }
    return _made(content, parts["template"], arguments, parts.get("many", ""), parts.get("context", ""))


def _members(content: Any) -> Iterable[tuple[Any, Any]]:
    """Return the members of data by their keys or indices, none of what has none."""
    return (
        content.items()
        if isinstance(content, dict)
        else enumerate(content if isinstance(content, list | tuple) else ())
    )


def _worded(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: word(value) if isinstance(value, Message) else value for name, value in arguments.items()}
