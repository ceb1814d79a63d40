"""What a person may change in a claim before it is tested: the fields of the claim's own model, by their keys.

A key is the place of a field in the claim's file, such as "readings.0.margin"; "*" stands for all items of an ordering
that say the same there. The changed claim is checked as any file of a claim is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, NamedTuple, get_args, get_origin

from gupai_agents.evaluation.claims import Claim, claim_of
from gupai_agents.evaluation.claims.files import MOST_ID
from gupai_agents.evaluation.claims.schema import Named
from gupai_agents.registry import agent_names
from gupai_env.core.game import Game
from gupai_env.messages import say
from gupai_env.messages.checks import key_context, short_repr
from gupai_env.storage.models import Written, set_key

SUITS = "123456"
MOST_NAME = 120  # characters of the name of a reading
CHANGED = "-changed"  # the end of the id of a changed claim
SKIP = "skip"  # the key of a reading that is left out: "readings.0.skip"
# What fields mean whose models do not say it.
HELP = {
    SKIP: "a claim can be understood in several ways; each is tested by itself",
    "alternative": "what is expected of the figure: greater, less or only different",
    "margin": "a smaller difference does not count",
    "at_least": "deals or decisions with less are left out",
    "at_most": "deals or decisions with more are left out",
    "exactly": "deals or decisions with more or less are left out",
}
FIXED = {"name", "kind", "note", "plan", "deals", "subgroups", "number", "feature", "label", "but", "fields", "metric"}
FIXED |= {"against", "comparator", "away", "variant", "items", "expect", "enumerate"}
NUMBERS = re.compile(r'("number": ?)([0-9]+)')  # in JSON: what a part is about, and who plays
PLAYERS = re.compile(r'"(?:treated|baseline|agent)": "[^"]*"')
WEIGHTS = r"[a-z0-9_]+=-?[0-9.]+(?:,[a-z0-9_]+=-?[0-9.]+)*"
# A player that opens no file and runs no code: "variety", "+attack_2=40", "same+pips=1", "heuristic:pips=1",
# "tuned@1.5".
PLAIN = re.compile(rf"(?:heuristic:{WEIGHTS}|[a-z][a-z0-9_-]*|(?:[a-z][a-z0-9_-]*)?\+{WEIGHTS})(?:@[0-9.]+)?")


class Field(NamedTuple):
    """Something that can be changed. value: as text, that of several with ";" between. many: whether several are."""

    key: str
    label: str
    value: str
    choices: tuple[str, ...] = ()
    many: bool = False
    help: str = ""


class Changed(NamedTuple):
    """A claim, what was changed in it by key, and all of its fields as they are now, a list for each reading."""

    claim: Claim
    changes: dict[str, str]
    fields: list[list[Field]]


def changed(claim: Claim, words: Mapping[str, str], names: Sequence[str] | None = None) -> Changed:
    """Return a claim with changes, each a text by its key; those that change nothing do not count.

    Args:
        names: Of the players that may be named, as on pages; without it a change may name any that a file may.

    Raises:
        ValueError: In one line that begins with the key, as for a claim's file.
    """
    own = [list(fields_of(claim, index, names)) for index in range(len(claim.readings))]
    known = {field.key: field for fields in own for field in fields}
    for key in words:
        if key not in known:
            raise ValueError(say("{key} cannot be changed in {claim}", key=short_repr(key), claim=claim.id))
    changes = {
        key: text for key, field in known.items() if (text := words.get(key, field.value).strip()) != field.value
    }
    if not changes:
        return Changed(claim, {}, own)
    content = claim.model_dump(mode="json", exclude_defaults=True)
    by_reading: dict[int, dict[str, str]] = {}
    for key, text in changes.items():
        set_key(content, key, _value(known[key], text, claim.about, names is None))
        by_reading.setdefault(int(key.split(".")[1]), {})[key] = text
    readings: list[dict[str, Any]] = []
    touched = []
    for index, reading in enumerate(content["readings"]):
        own_changes = by_reading.get(index, {})
        if reading.pop(SKIP, None):
            continue
        if own_changes:
            touched.append(len(readings))
            # A suit is renamed also in what else was changed.
            suit = reading.pop("suit", "")
            reading = _renamed(reading, known[f"readings.{index}.suit"].value, suit) if suit else reading
            sentences = "; ".join(_change_text(known[key], text, suit) for key, text in own_changes.items())
            reading["note"] = f"Changed from reading {index + 1} of {claim.id}: {sentences}."
        readings.append(reading)
    if not readings:
        raise ValueError("every reading is left out; keep at least one")
    content["readings"] = readings
    content["id"] = f"{claim.id[: MOST_ID - len(CHANGED)].rstrip('-')}{CHANGED}"
    content["source"] = f"{claim.id} ({claim.source}), changed: " + ", ".join(
        f"{key}={text}" for key, text in changes.items()
    )
    fields = [[field._replace(value=changes.get(field.key, field.value)) for field in fields] for fields in own]
    return Changed(titled(claim_of(content), touched), changes, fields)


def _change_text(field: Field, text: str, suit: str) -> str:
    """Return a change in words; suit: what the reading is about now, if that has changed too."""
    label = re.sub(r" [1-6],", f" {suit},", field.label) if suit else field.label
    return f"{label} {text} (was {field.value or 'none'})"


def titled(claim: Claim, touched: Sequence[int]) -> Claim:
    """Return a claim whose changed readings, by their numbers, are named by what is tested, and so is the claim."""
    readings, names = list(claim.readings), [reading.name for reading in claim.readings]
    for index in touched:
        title = f"{index + 1}: " * (len(readings) > 1) + readings[index].tested()
        names[index] = title if len(title) <= MOST_NAME else f"{title[: MOST_NAME - 3]}..."
        readings[index] = readings[index].model_copy(update={"name": names[index]})
    statement = "; ".join(reading.tested() for index, reading in enumerate(claim.readings) if index in touched)
    changes = {"readings": readings, "statement": f"{statement or 'Readings: ' + '; '.join(names)}."}
    return claim.model_copy(update=changes)


# --- the fields -----------------------------------------------------------------------------------


def fields_of(claim: Claim, index: int, names: Sequence[str] | None = None) -> Iterator[Field]:
    """Yield the fields of a reading by its number; names: of the players to choose from.

    Args:
        claim: The claim.
        index: The number of a reading, from 0.
        names: Players to choose from, None for all that have a name.
    """
    reading, key, game = claim.readings[index], f"readings.{index}", claim.about
    names = agent_names(game) if names is None else names
    if not reading.seating:
        return
    if len(claim.readings) > 1:
        yield Field(f"{key}.{SKIP}", "test this reading", "", ("", "leave it out"), help=HELP[SKIP])
    items, suits = getattr(reading, "items", ()), {number for _, number in NUMBERS.findall(reading.model_dump_json())}
    if len(suits) == 1 and not items:
        yield Field(
            f"{key}.suit",
            "suit",
            min(suits),
            tuple(SUITS),
            help="the pips that the claim is about; weights such as attack_2 change with it",
        )
    yield from _walk(reading, key, names)
    if items:
        parts = [list(_walk(item, f"{key}.items.*", names, numbered=False)) for item in items]
        settings = [{field.key: field.value for field in item} for item in parts]
        for field in parts[0]:  # what all items say alike is changed in all of them
            if all(item.get(field.key) == field.value for item in settings):
                yield field._replace(label=say("{field} (of all)", field=field.label))
    for option in fields(game.variant):
        if option.name == "deals":
            continue
        value = _text(reading.variant.get(option.name, option.default))
        choices = ("true", "false") if isinstance(option.default, bool) else option.metadata["choices"]
        name = option.name.replace("_", " ")
        yield Field(f"{key}.variant.{option.name}", name, value, tuple(map(str, choices)), help=option.metadata["help"])


def _walk(part: Written, key: str, names: Sequence[str], prefix: str = "", *, numbered: bool = True) -> Iterator[Field]:
    """Yield the fields of a part and of the parts in it.

    Args:
        part: Of a claim.
        key: Its own.
        names: The players to choose from.
        prefix: What this is a part of.
        numbered: Whether labels name the number of tiles that a part is about.
    """
    for name, info in type(part).model_fields.items():
        value, here = getattr(part, name), f"{key}.{name}"
        if name in FIXED or value is None or value == []:
            continue
        help, label = info.description or HELP.get(name, ""), say(name.replace("_", " "))
        if prefix:
            label = say("{part}, {field}", part=prefix, field=label)
        inner = {f"{here}.{number}": member for number, member in enumerate(value if isinstance(value, list) else ())}
        parts = {place: member for place, member in ({here: value} | inner).items() if isinstance(member, Written)}
        for place, member in parts.items():
            subject = ""
            if isinstance(member, Named):
                subject = say("{part}: {feature}", part=label, feature=member.what if numbered else say(member.feature))
            yield from _walk(member, place, names, subject, numbered=numbered)
        choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
        if name == "panel":
            players = tuple(dict.fromkeys([*value, *names]))
            yield Field(here, re.split("[,;]", help)[0], ";".join(value), players, True, help)
        elif not parts:
            text = ", ".join(map(str, value)) if isinstance(value, list) else _text(value)
            yield Field(here, label, text, tuple(map(str, choices)), help=help)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


# --- changing them --------------------------------------------------------------------------------


def _value(field: Field, text: str, game: Game, anybody: bool) -> Any:
    """Return what is in a claim's file for a text: the model reads numbers of it.

    Args:
        anybody: Whether any player may be named, and not only those to choose from and PLAIN ones.

    Raises:
        ValueError: Beginning with the key.
    """
    name, listed = field.key.rpartition(".")[2], text.split(";")
    if field.choices and not field.many and text not in field.choices:
        allowed = ", ".join(filter(None, field.choices))
        raise ValueError(f"{field.key}: {short_repr(text)} is not allowed; choose one of {allowed}")
    for player in listed if field.many or name in ("treated", "baseline") else ():
        if not (anybody or PLAIN.fullmatch(player) or player in field.choices):
            raise ValueError(
                f"{field.key}: {short_repr(player)} does not play here; write a player's name, such as variety, or "
                "weights: +pips=2 on top of the other side's, variety+pips=2, heuristic:pips=2"
            )
    if f".variant.{name}" in field.key:
        with key_context(field.key):
            value = getattr(game.variant.parse([f"{name}={text}"]), name)
        return list(value) if isinstance(value, tuple) else value
    return listed if field.many else text.replace(",", " ").split() if name == "values" else text


def _renamed(reading: Any, old: str, new: str) -> Any:
    """Return a reading about another number: of conditions and metrics, and in features such as attack_2."""
    text = NUMBERS.sub(lambda match: match[1] + (new if match[2] == old else match[2]), json.dumps(reading))
    return json.loads(PLAYERS.sub(lambda player: re.sub(rf"_{old}(?==)", f"_{new}", player[0]), text))
