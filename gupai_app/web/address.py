"""The address of a table: a whole game as the words of a query, and what of it is allowed."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Self
from urllib.parse import urlencode

from gupai_agents import agent_names, make_agent
from gupai_agents.agent import Agent
from gupai_app.moves import ADVISER
from gupai_app.session import Session
from gupai_env.core.game import Game
from gupai_env.core.illegal import describe_illegal
from gupai_env.core.numbers import told
from gupai_env.core.rng import as_key
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

MOST_DEALS = 25  # of a match, whose address must not grow too long
MOST_MOVES = 6000  # more than such a match takes
MOST_SEATS = 8
SEARCHES = ("search:playouts=20", ADVISER)  # players that may be named besides those with a name of their own
PERSON = "human"


@dataclass(frozen=True)
class Address:
    """A table: the game and its rules, the deal, who sits where, and what has been played.

    seat: that of the person. others: the agents' names, for the other seats in their order; fewer are repeated.
    practice: whether moves may be taken back and hints be had. moves: every action so far, in order of play.
    """

    game: Game
    variant: Variant
    seed: int
    episode: int
    seat: int
    others: tuple[str, ...]
    practice: bool = True
    moves: tuple[int, ...] = ()

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Return what a query tells. Raises: ValueError, in one line, for what no table can be."""
        game, variant = rules_of(query)
        seat = _number(query, "seat", 0, variant.players - 1)
        others = tuple(filter(None, query.get("with", "").split(";"))) or tuple(
            agent_names(game, variant)[-1:]
        )
        if len(others) >= variant.players:
            raise ValueError(f"{len(others)} agents are too many, there is room for {variant.players - 1}")
        for name in others:
            check_name(name, game, variant)
        return cls(
            game,
            variant,
            as_key(_number(query, "seed", 0, (1 << 63) - 1)),
            _number(query, "episode", 0, 1 << 30),
            seat,
            others,
            query.get("practice", "1") != "0",
            moves_in(query.get("moves", "")),
        )

    @property
    def query(self) -> str:
        """The words that `read` reads."""
        words = {
            "game": self.game.id,
            "options": ";".join(f"{name}={_text(value)}" for name, value in self.variant.changed().items()),
            "seed": str(self.seed),
            "episode": str(self.episode or ""),
            "seat": str(self.seat),
            "with": ";".join(self.others),
            "practice": "" if self.practice else "0",
            "moves": ".".join(map(str, self.moves)),
        }
        return urlencode({name: text for name, text in words.items() if text}, safe=";:=,")

    def after(self, moves: Sequence[int], **changes: object) -> "Address":
        """Return the table with other moves."""
        return replace(self, moves=tuple(moves), **changes)  # type: ignore[arg-type]

    @property
    def sitting(self) -> list[str]:
        """Who sits at each seat."""
        seats = range(self.variant.players)
        others = (self.others[at % len(self.others)] for at in seats)
        return [PERSON if seat == self.seat else next(others) for seat in seats]

    def agents(self) -> list[Agent | None]:
        """Return the agents by seat, None where the person sits. Raises: ValueError."""
        return [
            None if name == PERSON else agent_called(name, self.game, self.variant) for name in self.sitting
        ]

    def session(self) -> Session:
        """Return the beginning of the game."""
        return Session(self.game, self.variant, self.seed, self.episode)


def rules_of(query: Mapping[str, str]) -> tuple[Game, Variant]:
    """Return game and variant: `options` as one text, or each in a field of its own, "o.deals". Raises: ValueError."""
    game = get_game(query.get("game", ""))
    words = [word for word in query.get("options", "").split(";") if word]
    words += [f"{name[2:]}={value}" for name, value in query.items() if name.startswith("o.") and value]
    variant = game.variant.parse(words)
    if variant.deals > MOST_DEALS:
        raise ValueError(f"deals={variant.deals} are too many here; a match on a page has up to {MOST_DEALS}")
    return game, variant


def moves_in(text: str) -> tuple[int, ...]:
    """Return the actions that an address tells. Raises: ValueError."""
    words = text.split(".") if text else []
    if len(words) > MOST_MOVES:
        raise ValueError(f"{len(words):,} moves are too many; a game on a page has up to {MOST_MOVES:,}")
    if not all(word.isascii() and word.isdecimal() and len(word) < 6 for word in words):
        raise ValueError("moves are numbers of actions with dots between them, such as 12.40.7")
    return tuple(map(int, words))


def names_allowed(game: Game, variant: Variant | None = None) -> list[str]:
    """Return the players that a page may name: none that opens a file or runs code."""
    return [*agent_names(game, variant), *SEARCHES]


def check_name(name: str, game: Game, variant: Variant) -> None:
    """Raise ValueError for a player that is not among those allowed."""
    allowed = names_allowed(game, variant)
    if name not in allowed:
        raise ValueError(f"{told(name)} does not play here; who does: {', '.join(allowed)}")


@functools.lru_cache(maxsize=64)
def agent_called(name: str, game: Game, variant: Variant) -> Agent:
    """Return a player that a page may name. Raises: ValueError."""
    check_name(name, game, variant)
    try:
        return make_agent(name, game, **asdict(variant))
    except ImportError as error:
        raise ValueError(f"{name} needs a package that is not installed ({error})") from None


def play_on(session: Session, moves: Sequence[int]) -> None:
    """Play recorded actions. Raises: ValueError, in one line, for one that is not legal."""
    for number, action in enumerate(moves, len(session.actions) + 1):
        if session.over:
            raise ValueError(f"move {number} comes after the end of the game")
        check_legal(session, action, number)
        session.play(action)


def check_legal(session: Session, action: int, number: int) -> None:
    """Raise ValueError, in one line, for an action that is not legal now."""
    mask = session.mask()
    if not 0 <= action < len(mask) or not mask[action]:
        who = f"move {number}, seat {session.seat}"
        raise ValueError(describe_illegal(session.game, who, action, mask, session.view(session.seat)))


def _number(query: Mapping[str, str], name: str, low: int, high: int) -> int:
    text = query.get(name, "") or "0"
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and low <= int(text) <= high):
        raise ValueError(f"{name}={told(text)} is not allowed; it is a whole number from {low} to {high}")
    return int(text)


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
