"""The language of the command line. English needs no catalogue, so that its help comes at once."""

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

CATALOGUES = "gupai_app.words.languages"


def choose(words: Sequence[str]) -> None:
    """Speak the language of `--language` among the words of a command, or that of the locale, such as zh_TW.UTF-8."""
    locale = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    language = ""
    for word, following in pairwise([*words, ""]):
        name, sign, value = word.partition("=")
        if name == "--language":
            language = value if sign else following
    if language or locale.startswith("zh"):
        from gupai_app.words.languages import LANGUAGES, preferred, speak

        of_locale = preferred(locale.partition(".")[0].replace("_", "-"))
        speak(language if language in LANGUAGES else of_locale)


def worded(template: str, /, **arguments: Any) -> str:
    """Return a text, or a template with its arguments, in the language that was chosen."""
    if CATALOGUES not in sys.modules:
        return template.format(**arguments) if arguments else template
    from gupai_env.words.messages import say, word

    return word(say(template, **arguments))
