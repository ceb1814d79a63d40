"""The address of a table: a whole game as the words of a query, and what of it is allowed."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import urlencode

from gupai_agents import agent_names
from gupai_agents.agent import Agent
from gupai_app.play.seats import PERSON
from gupai_app.play.session import Session, drawn_seed
from gupai_app.server.players import NAMED, Players, level_names
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS, draw
from gupai_env.core.streams import PERSON_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.messages import say
from gupai_env.messages.checks import read_whole, refused

MOST_QUERY = 48_000  # bytes of an address
MOST_DEALS = 25  # of a match, whose address must not grow too long
MOST_MOVES = 6000  # more than such a match takes
MOST_ACTIONS = 100_000  # more than a game has
MOST_CHIPS = 10**9  # that a seat has won or lost before
ANY = "any"  # seat: one is drawn
OF_A_GAME = ("seed", "episode", "seat", "score", "moves")  # words of an address that another game does not have
COACH = "coach"  # the kind of practice with a coach


@dataclass(frozen=True)
class Address:
    """A table: the game and its rules, the deal, who sits where, and what has been played.

    seat: that of the person. others: the agents' names, for the other seats in their order; fewer are repeated. PERSON
    is one more person at the same screen. practice: whether moves may be taken back and hints be had. coach: whether a
    coach says what a mistake cost, in a practice game. moves: every
    action so far, in order of play. score: chips by seat from the games before this one, () for none. players: who may
    be named.
    """

    game: Game
    variant: Variant
    seed: int
    episode: int
    seat: int
    others: tuple[str, ...]
    practice: bool = True
    coach: bool = False
    moves: tuple[int, ...] = ()
    score: tuple[float, ...] = ()
    players: Players = field(default=NAMED, compare=False, repr=False)

    @classmethod
    def read(cls, query: Mapping[str, str], players: Players = NAMED) -> Self:
        """Return what a query asks for. Raises: ValueError, in one line, for what no table can be."""
        game, variant = rules_of(query)
        seat = number_in(query, "seat", 0, variant.players - 1)
        others = tuple(filter(None, query.get("with", "").split(";")))
        others = others or (*level_names(game), *reversed(agent_names(game, variant)))[:1]
        if len(others) >= variant.players:
            raise ValueError(
                say(
                    "{others} agents are too many, there is room for {room}",
                    others=len(others),
                    room=variant.players - 1,
                )
            )
        for name in others:
            if name != PERSON:
                players.check(name, game, variant)
        return cls(
            game,
            variant,
            number_in(query, "seed", 0, KEYS - 1),
            number_in(query, "episode", 0, 1 << 30),
            seat,
            others,
            query.get("practice", "1") != "0",
            query.get("practice") == COACH,
            moves_in(query.get("moves", "")),
            score_in(query.get("score", ""), variant.players),
            players,
        )

    @property
    def _words(self) -> dict[str, str]:
        return {
            **words_of_rules(self.game, self.variant),
            "seed": str(self.seed),
            "episode": str(self.episode or ""),
            "seat": str(self.seat),
            "with": ";".join(self.others),
            "practice": COACH if self.coach else "" if self.practice else "0",
            "score": ",".join(f"{chips:.10g}" for chips in self.score),
            "moves": ".".join(map(str, self.moves)),
        }

    @functools.cached_property
    def query(self) -> str:
        """The words that `read` reads."""
        return query_of(self._words)

    @property
    def form(self) -> str:
        """The address of a form that begins another table with these rules and players."""
        return query_of({**self._words, **dict.fromkeys(OF_A_GAME, ""), "begin": "1"})

    def after(self, moves: Sequence[int], **changes: object) -> "Address":
        """Return the table with other moves."""
        return replace(self, moves=tuple(moves), **changes)  # type: ignore[arg-type]

    @property
    def seating(self) -> list[str]:
        """Who sits at each seat."""
        seats = range(self.variant.players)
        others = (self.others[seat % len(self.others)] for seat in seats)
        return [PERSON if seat == self.seat else next(others) for seat in seats]

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people; several share a screen."""
        return tuple(seat for seat, name in enumerate(self.seating) if name == PERSON)

    def agents(self) -> list[Agent | None]:
        """Return the agents by seat, None where a person sits. Raises: ValueError."""
        return [None if name == PERSON else self.players.agent(name, self.game, self.variant) for name in self.seating]

    def session(self) -> Session:
        """Return the beginning of the game."""
        return Session(self.game, self.variant, self.seed, self.episode, people=self.people)


def complete(query: Mapping[str, str]) -> dict[str, str]:
    """Return a query with a seed and a seat where none is named, as `gupai play` draws them. Raises: ValueError."""
    words = dict(query)
    if not words.get("seed", "").strip():
        words["seed"] = str(drawn_seed())
    if words.get("seat", ANY).strip() in (ANY, ""):
        _, variant = rules_of(words)
        words["seat"] = str(draw(number_in(words, "seed", 0, KEYS - 1), PERSON_STREAM, variant.players))
    return words


def query_of(words: Mapping[str, str]) -> str:
    """Return words as the query of an address; empty ones are left out."""
    return urlencode({name: text for name, text in words.items() if text}, safe=";:=,")


def words_of_rules(game: Game, variant: Variant) -> dict[str, str]:
    """Return game and variant as `rules_of` reads them."""
    return {"game": game.id, "options": _options(variant)}


@functools.lru_cache(maxsize=256)
def _options(variant: Variant) -> str:
    return ";".join(variant.typed())


def rules_of(query: Mapping[str, str]) -> tuple[Game, Variant]:
    """Return game and variant: `options` as one text, or each in a field of its own, "o.deals". Raises: ValueError."""
    game = get_game(query.get("game", ""))
    words = [word for word in query.get("options", "").split(";") if word]
    words += [f"{name[2:]}={value}" for name, value in query.items() if name.startswith("o.") and value]
    variant = game.variant.parse(words)
    fits_a_page(variant)
    return game, variant


def fits_a_page(variant: Variant) -> None:
    """Refuse a match that is too long for a page. Raises: ValueError."""
    if variant.deals > MOST_DEALS:
        raise ValueError(
            say(
                "deals={deals} are too many here; a match on a page has up to {most}",
                deals=variant.deals,
                most=MOST_DEALS,
            )
        )


def moves_in(text: str) -> tuple[int, ...]:
    """Return the actions that an address holds. Raises: ValueError."""
    words = text.split(".") if text else []
    if len(words) > MOST_MOVES:
        raise ValueError(
            say("{moves:,} moves are too many; a game on a page has up to {most:,}", moves=len(words), most=MOST_MOVES)
        )
    numbers = tuple(number for word in words if (number := read_whole(word)) is not None and 0 <= number < MOST_ACTIONS)
    if len(numbers) < len(words):
        raise ValueError(
            say("moves are numbers of actions with dots between them, such as {example}", example="12.40.7")
        )
    return numbers


def score_in(text: str, players: int) -> tuple[float, ...]:
    """Return the chips by seat that an address holds, () for none. Raises: ValueError."""
    if not text:
        return ()
    try:
        score = tuple(map(float, text.split(",", players)))
    except ValueError:
        score = ()
    # A number that is none, "nan", is within no bounds.
    if len(score) != players or not all(abs(chips) <= MOST_CHIPS for chips in score):
        raise refused(
            "score",
            text,
            say(
                "it is the chips of {players} seats, up to {most:,} each, with commas between",
                players=players,
                most=MOST_CHIPS,
            ),
        )
    return score


def play_on(session: Session, moves: Sequence[int]) -> None:
    """Play recorded actions. Raises: ValueError, in one line, for one that is not legal."""
    for number, action in enumerate(moves, len(session.actions) + 1):
        if session.terminated:
            raise ValueError(say("move {number} comes after the end of the game", number=number))
        mask = session.mask()
        if not 0 <= action < len(mask) or not mask[action]:
            raise session.illegal(say("move {number}, seat {seat}", number=number, seat=session.seat), action)
        session.play(action)


def number_in(query: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Return a number of a query, 0 where it is not there. Raises: ValueError naming what is allowed.

    Args:
        query: The query of an address.
        name: Its key.
        low, high: Bounds, which are allowed.
    """
    text = query.get(name, "").strip() or "0"
    number = read_whole(text)
    if number is None or not low <= number <= high:
        raise refused(name, text, say("it is a whole number from {low} to {high}", low=low, high=high))
    return number
