"""Variants: the options of a rulebook page as a frozen dataclass, checked where they enter.

The compiled rules see a variant as its `rules`: a flat named tuple of numbers with the same field names.
"""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from gupai_env.messages import Message, alias, joined, say
from gupai_env.messages.checks import cut, nearest, not_allowed, read_whole, refused, short_repr

RANDOM_LEADER = -1
FULL, TINY = "full", "tiny"
MOST_DEALS = 1000
EXACT = 1 << 24  # chips; up to here float32 holds every whole number
UNITS = [1 / (1 << halvings) for halvings in range(8)]  # of which stakes may be multiples
LEAST_STAKE = 0.01  # chips
LARGE = 1 << 1000  # stands for larger numbers, which are not floats
T = TypeVar("T", bound="Variant")
TYPES: dict[type, str] = {  # in words, for options without a description of what is allowed
    bool: "true, false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    tuple: "numbers with commas between them",
}
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class UnknownOptionError(TypeError, ValueError):
    """An option that a game does not have; a TypeError as well, as for any unexpected keyword argument.

    `args` are the message and the name of the option.
    """

    def __str__(self) -> str:
        return str(self.args[0])


def option(
    default: Any,
    help: str,
    choices: tuple[Any, ...] = (),
    encode: Callable[[Any], Any] | None = None,
    allowed: str = "",
) -> Any:
    """Declare one option.

    Args:
        default: Its default, whose type it has.
        help: Its meaning.
        choices: What is allowed; without them the type and `__post_init__` of the variant decide.
        encode: What compiled rules see of a value; without it numbers as they are, truth values as 0 and 1, and words
            by their index in `choices`.
        allowed: What `__post_init__` allows, in words.
    """
    allowed = allowed or TYPES[type(default)]
    metadata = {"help": help, "choices": choices, "encode": encode, "allowed": allowed, "type": type(default)}
    return dataclasses.field(default=default, metadata=metadata)


def _encode(field: dataclasses.Field, value: Any) -> Any:
    if field.metadata["encode"]:
        return field.metadata["encode"](value)
    if isinstance(value, str):
        return field.metadata["choices"].index(value)
    return float(value) if isinstance(value, float) else int(value)


def in_words(options: Mapping[str, Any], without: str = "default options") -> str:
    """Return options as people read them, "players=2, forced_play=True"; `without` where there are none."""
    return ", ".join(f"{name}={value}" for name, value in options.items()) or say(without)


def option_in_words(option: str, value: object) -> Message:
    """Return an option and its value, "forced_play=True"."""
    return say("{option}={value}", option=option_named(option), value=value_named(option, value))


def option_named(option: str) -> Message:
    """Return the name of an option, which catalogues have with spaces."""
    return alias(option, option.replace("_", " "))


def value_named(option: str, value: object) -> Message:
    """Return a value of an option; catalogues may have another word for it than with other options."""
    words: object = typed(value) if isinstance(value, float) else value
    if isinstance(value, (tuple, list)):
        words = f"({', '.join(map(typed, value))})"
    return alias(words, typed(value), option)


def typed(value: object) -> str:
    """Return the value of an option as people type it and `Variant.parse` reads it."""
    if isinstance(value, (tuple, list)):
        return ",".join(map(typed, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value).lower()


def _choice(choices: Iterable[object]) -> str:
    """Return the advice where some values are allowed: "choose 2, 3 or 4"."""
    *most, last = map(str, choices)
    return say("choose {most} or {last}", most=", ".join(most), last=last) if most else say("choose {last}", last=last)


def _read(name: str, text: str, kind: type, instead: str) -> Any:
    """Return the value of `text` for an option of a type; instead: what to write instead of an invalid text."""
    try:
        if kind is bool:
            instead = say("write {allowed}", allowed=say("true or false"))
            return TRUTHS[text.lower()]
        if kind is str:  # it may also be a number, such as a leader
            number = read_whole(text)
            return text if number is None else number
        if kind is tuple:
            instead = say("write {allowed}", allowed=say(TYPES[tuple]))
            words = text.strip("()[] ").replace(",", " ").split()
            return tuple(float(word) if "." in word else int(word) for word in words)
        return kind(text)
    except (KeyError, ValueError):
        raise ValueError(not_allowed(name, cut(text), instead)) from None


@dataclasses.dataclass(frozen=True)
class Variant:
    """The options that every game has; a game's own dataclass adds its own.

    Raises:
        ValueError: Naming the option, what came and what is allowed.
    """

    players: int = option(4, "number of seats", (2, 3, 4))
    deals: int = option(
        1,
        "deals in a match; chips are paid at the end of every deal",
        allowed=say("{least} to {most}", least=1, most=MOST_DEALS),
    )
    leader: int | str = option(
        "random",
        'who leads the first deal: "random" or a seat',
        encode=lambda leader: RANDOM_LEADER if leader == "random" else leader,
        allowed="random or a seat, from 0",
    )
    deck: str = option(
        FULL,
        '"full": the tiles of the rulebook; "tiny": the few of the page, so that all play can be searched',
        (FULL, TINY),
    )

    # By deck, the options of which it allows less than their choices:
    LIMITS: ClassVar[dict[str, dict[str, tuple[Any, ...]]]] = {FULL: {}, TINY: {"players": (2,)}}
    Rules: ClassVar[type]  # set by `rules_type`
    # Options that go together, by the name that stands for them as `preset`:
    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {}

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, choices = getattr(self, field.name), field.metadata["choices"]
            allowed_type = field.metadata["type"]
            if isinstance(value, np.generic):
                value = value.item()
            if allowed_type is tuple and type(value) is list:  # as configuration files write it
                value = tuple(value)
            object.__setattr__(self, field.name, value)
            if choices and not any(type(value) is type(choice) and value == choice for choice in choices):
                raise refused(field.name, value, _choice(choices))
            if not choices and allowed_type is float and type(value) is int:
                object.__setattr__(self, field.name, float(min(value, LARGE)))
            elif not choices and field.name != "leader" and type(value) is not allowed_type:
                raise refused(field.name, value, self._instead(field.name))
        for name, allowed in self.LIMITS[self.deck].items():
            if getattr(self, name) not in allowed:
                raise ValueError(
                    say(
                        "{option}={value!r} is not allowed with {other}={deck!r}; {instead}",
                        option=option_named(name),
                        value=getattr(self, name),
                        other=option_named("deck"),
                        deck=self.deck,
                        instead=_choice(allowed),
                    )
                )
        if not 1 <= self.deals <= MOST_DEALS:
            raise refused("deals", self.deals, say("a match has {least} to {most} deals", least=1, most=MOST_DEALS))
        seats = range(self.players)
        if type(self.leader) is str and self.leader == "random":
            return
        if type(self.leader) is not int or self.leader not in seats:
            raise refused("leader", self.leader, say('choose "random" or a seat of {seats}', seats=list(seats)))

    @property
    def zero_sum(self) -> bool:
        """True if what some seats win the others lose, as everywhere but where the house takes its share."""
        return True

    def require_exact(self, stakes: Iterable[float], most: float, *names: str) -> None:
        """Refuse options by which chips of a match can grow too large for float32.

        Up to EXACT units are counted exactly: a unit is a chip if all stakes are whole, else the largest of a half, a
        quarter, ... that divides them. What none of UNITS divides is rounded to the nearest float32, off by less
        than the smallest of them.

        Args:
            stakes: Chips that are paid in whole multiples.
            most: The most chips that a seat can win or lose in a deal.
            names: Of the options that decide it.

        Raises:
            ValueError: Naming them.
        """
        stakes = list(stakes)
        unit = next((unit for unit in UNITS if all(stake % unit == 0 for stake in stakes)), UNITS[-1])
        if not most * self.deals <= EXACT * unit:
            raise ValueError(
                say(
                    "{options} is not allowed with deals={deals}: a seat could win or lose {chips:.4g} chips, and no "
                    "more than {most:,.0f} are counted exactly",
                    options=joined(", ", [option_in_words(name, short_repr(getattr(self, name))) for name in names]),
                    deals=self.deals,
                    chips=most * self.deals,
                    most=EXACT * unit,
                )
            )

    @classmethod
    @functools.cache
    def rules_type(cls) -> type:
        """Return the named tuple type of what rules functions read, which is made once for each class."""
        rules = NamedTuple("Rules", [(field.name, float) for field in dataclasses.fields(cls)])  # type: ignore[misc]
        # Where pickle, and compiled code in the disk cache, find it again.
        rules.__module__, rules.__qualname__ = cls.__module__, f"{cls.__qualname__}.Rules"
        cls.Rules = rules
        return rules

    def as_rules(self) -> Any:
        """Return the options as the numbers that the rules functions read."""
        return self.rules_type()(*(_encode(field, getattr(self, field.name)) for field in dataclasses.fields(self)))

    @classmethod
    def tiny_options(cls) -> dict[str, Any]:
        """Return the options of the tiny deck, with the least players that it allows."""
        return {"players": cls.LIMITS[TINY]["players"][0], "deck": TINY}

    @classmethod
    def make(cls: type[T], **options: Any) -> T:
        """Build a variant; an unknown option is an UnknownOptionError that names the nearest and all allowed ones.

        Where there are presets, the option `preset` stands for all options of one; others that are given go before it.
        """
        if cls.PRESETS and "preset" in options:
            preset = options.pop("preset")
            if not isinstance(preset, str) or preset not in cls.PRESETS:
                raise refused("preset", preset, _choice(cls.PRESETS))
            options = cls.PRESETS[preset] | options
        names = [field.name for field in dataclasses.fields(cls)]
        for name in options:
            if name not in names:
                hint = nearest(name, names)
                game = re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()  # its id, as in jie-long
                message = say(
                    "{option} is not an option of {game}; {hint}its options are {options}",
                    option=short_repr(name),
                    game=game,
                    hint=hint,
                    options=", ".join(names),
                )
                raise UnknownOptionError(message, name)
        return cls(**options)

    @classmethod
    def parse(cls: type[T], assignments: Iterable[str]) -> T:
        """Build a variant from words such as "forced_play=true"; each value is read as its option's type.

        Raises:
            ValueError: For a word without "=", or as `make` does.
        """
        types = {field.name: field.metadata["type"] for field in dataclasses.fields(cls)}
        options = {}
        for assignment in assignments:
            name, sign, text = assignment.partition("=") if isinstance(assignment, str) else ("", "", "")
            if not sign:
                raise ValueError(
                    say(
                        "{text} sets no option; write name=value, for instance {example}",
                        text=short_repr(assignment),
                        example=cls.example(),
                    )
                )
            if name in options:
                raise ValueError(f"{name} is given twice; give it once")
            instead = cls._instead(name) if name in types else ""
            options[name] = _read(name, text, types.get(name, str), instead)
        return cls.make(**options)

    @classmethod
    def example(cls) -> str:
        """Return words that `parse` reads: an option and a value that is allowed and not its default."""
        for field in dataclasses.fields(cls):
            choices = (False, True) if isinstance(field.default, bool) else field.metadata["choices"]
            for choice in choices:
                changes: dict[str, Any] = {field.name: choice}
                try:
                    variant = cls(**changes)
                except ValueError:
                    continue  # it needs another option too
                if variant.changed():
                    return f"{field.name}={str(choice).lower()}"
        return "deals=2"

    @classmethod
    def allowed(cls, name: str) -> str:
        """Return in words which values an option may have."""
        metadata = cls._field(name).metadata
        choices = {deck: limits.get(name, metadata["choices"]) for deck, limits in cls.LIMITS.items()}
        full = choices[str(cls._field("deck").default)]
        if not full:
            return str(metadata["allowed"])
        others = ((deck, values) for deck, values in choices.items() if values != full)
        text = say(", ".join(map(str, full)))
        for deck, values in others:
            less = ", ".join(map(str, values))
            text = say("{text}; with the {deck} deck {less}", text=text, deck=deck, less=less)
        return text

    @classmethod
    def _instead(cls, name: str) -> str:
        """Return the advice for a value that an option cannot have, such as "choose 2, 3 or 4"."""
        field = cls._field(name)
        choices = (True, False) if isinstance(field.default, bool) else field.metadata["choices"]
        return _choice(choices) if choices else say("write {allowed}", allowed=say(field.metadata["allowed"]))

    @classmethod
    def _field(cls, name: str) -> dataclasses.Field:
        return next(field for field in dataclasses.fields(cls) if field.name == name)

    def __str__(self) -> str:
        return in_words(self.changed())

    def typed(self) -> list[str]:
        """Return the options that differ from the game's defaults as `parse` reads them, such as "open_ends=2"."""
        return [f"{name}={typed(value)}" for name, value in self.changed().items()]

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from the game's defaults."""
        default = type(self)()
        return {k: v for k, v in dataclasses.asdict(self).items() if v != getattr(default, k)}
