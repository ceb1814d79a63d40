"""A table as a page shows it: what the person may see, frame by frame since their last move, and their moves."""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_app.play.address import PERSON, Address, check_legal
from gupai_app.play.coach import Mistake, mistake
from gupai_app.play.frames import Frame, frames_of
from gupai_app.play.gestures import Drawing, Laid, at_once, drawn, groups_of
from gupai_app.play.moves import (
    Advice,
    Entry,
    advise,
    advise_plainly,
    digits,
    discard_actions,
    entries_of,
    headed,
    value_texts,
)
from gupai_app.play.reasons import reason
from gupai_app.play.recent import PLAYED, Played
from gupai_app.play.unseen import Unseen, unseen_tiles
from gupai_app.server.players import adviser
from gupai_app.words.sentences import names_at, signed_chips
from gupai_env.core.deal import fields_of
from gupai_env.core.move import PLAY
from gupai_env.games.guide import guide_of
from gupai_env.messages import say, word

# A group of a split by the number of its tiles: where each has another number, and where some have the same one.
GROUPS = {1: "single", 2: "pair", 3: "triple"}
COUNTS = {1: "one tile", 2: "two tiles", 3: "three tiles"}


class Choice(NamedTuple):
    """A button: an action in words."""

    action: int
    words: str


class Line(NamedTuple):
    """A line of the list of moves.

    question: distinguishes its choices, "" if there is one. groups: its tiles by group, such as "64 3322", where these
    make something. makes: what they make, divided by "|". value: chips with their interval if asked for, or who
    would choose it. best: whether no move has a higher value.
    """

    number: int
    words: str
    question: str
    choices: list[Choice]
    groups: str = ""
    makes: str = ""
    value: str = ""
    best: bool = False


class Hint(NamedTuple):
    """The hints that a person has asked for.

    sentences: without full stops. tiles: kinds to be marked in the hand. how_found: how the values of the moves were
    found, "" while none are shown. lines: the moves under their headings. next: how many hints there are with the next
    one, 0 if there is none. last: whether that is the values.
    """

    sentences: list[str]
    tiles: tuple[int, ...]
    how_found: str
    lines: dict[str, list[Line]]
    next: int = 0
    last: bool = False


class WebGame:
    """A game as the person whose turn it is sees it now.

    address: the table after the agents' moves. seat: of the person at the screen, who made the last move where the game
    is over. covered: whether that is another person than before, who has not confirmed yet that they are at the screen.
    undo: the table before that person's last move, None where it cannot be taken back.
    """

    def __init__(self, address: Address, actions: Sequence[int] = (), viewer: int | None = None) -> None:
        """Play the moves of an address, then what the person does and the actions of the agents that follow.

        Args:
            actions: Several where tiles are discarded together.
            viewer: The seat of who says that they are at the screen.

        Raises:
            ValueError: In one line, for moves that are not legal and agents that fail.
        """
        self._people, self._agents = address.people, address.agents()
        self._advised: dict[tuple[bool, bool], Advice] = {}
        self.hints = address.game.hints(address.game, address.variant)
        self.guide = guide_of(address.game, address.variant)
        self._practice = address.practice
        self._begun, self.session, self._taught = PLAYED.get(address) or self._begin(address)
        for action in actions:
            if self.session.terminated or self.session.seat not in self._people:
                raise ValueError("it is not your turn; go back to the table")
            self._play(action)
        while not self.session.terminated and self.session.seat not in self._people:
            agent = self._agents[self.session.seat]
            assert agent is not None
            self._play(self.session.answer(agent))
        self.address, self.terminated = address.after(self.session.actions), self.session.terminated
        PLAYED.put(self.address, Played(self._begun, self.session, self._taught))
        marks = self.session.marks
        last = max(marks, key=lambda seat: len(marks[seat].actions), default=None)
        self.seat = self.session.seat if not self.terminated else address.seat if last is None else last
        self.covered = len(self._people) > 1 and self.seat not in (last, viewer)
        self.undo = None
        if self.seat in marks and address.practice:
            self.undo = address.after(marks[self.seat].actions)
        self.names = names_at(address.variant.players, address.seat, None if self.covered else self.seat)
        won = self.session.state.total[: address.variant.players]
        self.total = [
            float(chips) + before for chips, before in zip(won, address.score or [0.0] * len(won), strict=True)
        ]

    def _begin(self, address: Address) -> Played:
        """Play the moves of an address from the beginning."""
        self.session, self._taught = address.session(), {}
        begun = self.session.copy()
        for move in address.moves:
            self._play(move)
        return Played(begun, self.session, self._taught)

    @functools.cached_property
    def _view(self) -> np.record:
        """What the person knows now."""
        return self.session.view(self.seat)

    @functools.cached_property
    def entries(self) -> list[Entry]:
        """What the person can do; a page that only leads to the next one does not ask."""
        return [] if self.terminated else entries_of(self.hints, self._view, self.session.mask())

    def _play(self, action: int) -> None:
        session = self.session
        if session.terminated:
            raise ValueError(say("move {number} comes after the end of the game", number=len(session.actions) + 1))
        check_legal(session, action, len(session.actions) + 1)
        if session.seat in self._people and self._practice:
            self._taught[session.seat] = self._taught.get(session.seat, frozenset()).union(self._lessons())
        session.play(action)

    @functools.cached_property
    def mistake(self) -> Mistake | None:
        """What the person's last move cost, None if it was none that a coach speaks of."""
        if (mark := self.session.marks.get(self.seat)) is None:
            return None
        since = len(mark.actions)
        turns = zip(self.session.actions[since:], self.session.movers[since:], strict=True)
        own = itertools.takewhile(lambda turn: turn[1] == self.seat, turns)
        return mistake(mark.copy(), [action for action, _ in own], self.names)

    def _lessons(self) -> list[str]:
        """Return the rules that matter to the seat to act now."""
        return list(self.guide.lessons_at(self.session.view(self.session.seat), self.session.mask()))

    @functools.cached_property
    def lessons(self) -> list[str]:
        """The rules that matter now for the first time; none in a serious game."""
        if self.terminated or not self._practice:
            return []
        known = self._taught.get(self.seat, ())
        return [lesson for lesson in self._lessons() if lesson not in known]

    @property
    def discards(self) -> int:
        """How many tiles the person discards together, if any."""
        return self.hints.discards(self._view)

    @functools.cached_property
    def zones(self) -> list[str]:
        """The names of the hand and of the groups into which it is to be split, [] if no split is asked for."""
        sizes = [len(group) for group in self.entries[0].move.groups] if self.entries else []
        if not sizes:
            return []
        names = GROUPS if len(set(sizes)) == len(sizes) else COUNTS
        return ["hand", *(names[size] for size in sizes)]

    @functools.cached_property
    def task(self) -> str:
        """What the person is to do now."""
        return self.guide.task(self._view, self.session.mask())

    @functools.cached_property
    def frames(self) -> list[Frame]:
        """What the person saw since their last move, the last one the table now."""
        mark = self.session.marks.get(self.seat, self._begun)
        moves = self.session.actions[len(mark.actions) :]
        return list(frames_of(mark.copy(), moves, self.seat, self.names, self.guide))

    def hint(self, number: int, *, plain: bool = False, seen: bool = False) -> Hint:
        """Return the first hints.

        Args:
            number: How many.
            plain: Without a search, while it is compiled.
            seen: Whether the person has seen those without a search.
        """
        if not number or not self.entries:
            return Hint([], (), "", self.lines())
        advice = self._advice(plain=plain, seen=seen)
        steps, tiles = advice.steps, advice.tiles
        if number <= len(steps):
            return Hint(steps[:number], tiles, "", self.lines(), number + 1, last=number == len(steps))
        lines = self.lines(advice.entry) if plain else self.valued_lines(advice)
        return Hint([*steps, *filter(None, [advice.verdict])], tiles, advice.how_found, lines)

    def _advice(self, *, plain: bool = False, seen: bool = False) -> Advice:
        if (key := (plain, seen)) not in self._advised:
            game, variant, turn = self.address.game, self.address.variant, self.session.decision_batch()
            if plain:
                self._advised[key] = advise_plainly(game, variant, turn, self.entries)
            else:
                before = self._advice(plain=True).entry if seen else None
                self._advised[key] = advise(adviser(game, variant), game, variant, turn, self.entries, before)
        return self._advised[key]

    def valued_lines(self, advice: Advice | None = None) -> dict[str, list[Line]]:
        """Return the moves under their headings with their values by a search."""
        values = (advice or self._advice()).values
        return self._lines([(text, value.loss <= 0) for text, value in zip(value_texts(values), values, strict=True)])

    def why_best(self, action: int) -> str:
        """Return what speaks for the best move rather than for another or, if it is that, for the next one."""
        best, second = sorted(self._advice().values, key=lambda value: value.rank)[:2]
        chosen = next(entry for entry in self.entries if action in entry.actions)
        rival = second.action if best.action in chosen.actions else action
        return reason(self.guide, self._view, best.action, rival)

    def lines(self, chosen: Entry | None = None) -> dict[str, list[Line]]:
        """Return the moves under their headings; the one that a player has chosen is marked."""
        return self._lines([("", entry is chosen) for entry in self.entries])

    def _lines(self, notes: Sequence[tuple[str, bool]]) -> dict[str, list[Line]]:
        """Return the moves with the value of each, and whether it is the best, under their headings."""
        return {
            heading: [self._line(number, entry, *notes[number - 1]) for number, entry in numbered]
            for heading, numbered in headed(self.hints, self.entries).items()
        }

    def unseen(self) -> list[Unseen]:
        """Return who may hold the tiles that the person does not see."""
        return unseen_tiles(self.address.game, self.address.variant, self._view)

    def _line(self, number: int, entry: Entry, value: str = "", best: bool = False, *, headed_by: bool = True) -> Line:
        """Return a move as it is shown, under its heading or alone; with a question where its tiles can be turned."""
        view, (move, actions) = self._view, entry
        label = self.hints.label(view, actions) if headed_by or move.verb == PLAY else move.name
        question, choices = "", [Choice(actions[0], label)]
        if len(actions) > 1:
            question, answers = self.hints.choice(view, actions)
            choices = [Choice(action, answer) for answer, action in answers.items()]
        makes = self.hints.makes(view, actions[0])
        groups = groups_of(move) if makes else ""
        together = "|".join(map(word, makes))
        return Line(number, label, question, choices, groups, together, value, best)

    def menus(self) -> dict[str, list[Line]]:
        """Return what can be done with a tile where that is more than one thing, by the tile's name such as "64"."""
        return {
            digits([kind]): [self._line(number, entry, headed_by=False) for number, entry in entries]
            for kind, entries in self.by_tile().items()
            if not at_once(entries, asks=not self._practice)
        }

    def seats(self) -> list[tuple[str, str, str]]:
        """Return who sits at each seat, "" for a person, and what they have won so far: names and chips."""
        who = ["" if player == PERSON else player for player in self.address.seating]
        return [
            (name, player, signed_chips(won)) for name, player, won in zip(self.names, who, self.total, strict=True)
        ]

    def by_tile(self) -> dict[int, list[tuple[int, Entry]]]:
        """Return the moves that are made with a tile, with their numbers: of a catch those of its bait alone."""
        by_kind: dict[int, list[tuple[int, Entry]]] = {}
        for number, entry in enumerate(self.entries, 1):
            if not entry.move.groups:  # a split is made of all tiles
                for kind in sorted(set(entry.move.tiles)):
                    by_kind.setdefault(kind, []).append((number, entry))
        return by_kind

    def drawing(self, marked: Sequence[int] = ()) -> Drawing:
        """Return the frames drawn, wide and narrow, with buttons on the tiles of the hand; marked: kinds among them."""
        by_tile = self.by_tile() if self.entries else None
        scenes, splits = [frame.scene for frame in self.frames], bool(self.zones)
        return drawn(scenes, by_tile, self._laid(), self._thrown(), marked, splits=splits, asks=not self._practice)

    def _thrown(self) -> dict[int, int]:
        """Return the actions that discard tiles, by tile: of all tiles where some are discarded together."""
        thrown = {entry.move.tiles[0]: entry.actions[0] for entry in self.entries if entry.move.discards}
        if thrown and self.discards > 1:
            return discard_actions(self.address.game)
        return thrown

    def _laid(self) -> dict[int, Laid]:
        """Return the table after each action that lays a tile at an end of a line, in games that have one."""
        if not any(pile.form == "line" for pile in self.frames[-1].scene.centre):
            return {}
        laid = {}
        for action in map(int, np.flatnonzero(self.session.mask())):
            if self.hints.game.moves[action].leaves:
                then = self.session.copy()
                after = then.as_paid(then.play(action))
                scene = self.address.game.scene(self.address.variant, [fields_of(after.view(self.seat))], self.names)
                laid[action] = Laid(scene, self.hints.label(self._view, [action]))
        return laid
