"""A table as a page shows it: what the person may see, frame by frame since their last move, and their moves.

`document` is all of it as plain data, in words of the person's language; `gupai_app/page/page.js` draws it.
"""

import functools
import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from gupai_app.play.address import MOST_ACTIONS, PERSON, Address, complete, number_in, play_on
from gupai_app.play.coach import Mistake, mistake
from gupai_app.play.frames import End, Frame, frames_of
from gupai_app.play.moves import (
    STEPS,
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
from gupai_app.play.session import Session
from gupai_app.play.unseen import EXPLAINED, JUDGED, judged, unseen_tiles
from gupai_app.server.players import Players, adviser
from gupai_app.words.languages import spoken
from gupai_app.words.sentences import choice_in, compass, names_at, option_in, title_in
from gupai_env.core.deal import fields_of
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Pile, Scene
from gupai_env.core.tiles import tile_name
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import chips, title
from gupai_env.messages import word

# A group of a split by the number of its tiles: where each has another number, and where some have the same one.
GROUPS = {1: "single", 2: "pair", 3: "triple"}
COUNTS = {1: "one tile", 2: "two tiles", 3: "three tiles"}
MOST_TOGETHER = 8  # actions that one click plays
MOST_RECENT = 512  # games from which a move continues
# What is written on a table that does not depend on the game; "{0}" is filled in by the page.
LABELS = {
    "table": "The table",
    "happened": "What happened since your last move",
    "others_play": "The others play.",
    "skip": "Skip to the end",
    "on": "Continue with the next deal",
    "over": "The game is over",
    "last_deal": "The last deal: {0}",
    "others_pay": "What the others pay each other",
    "again": "Play again",
    "review": "Review this game",
    "duplicate": "What would {0} have won?",
    "save": "Save it to a file",
    "try": "Try again from here",
    "next_puzzle": "Next puzzle",
    "coach": "The coach",
    "coach_waits": "The coach speaks after the next move.",
    "coach_on": "Play with a coach",
    "coach_off": "Play without a coach",
    "hint": "Hint",
    "next_hint": "Next hint",
    "best_move": "Show the best move",
    "values_follow": "The chips of every move, found by a search, follow here by themselves.",
    "undo": "Take back",
    "unseen": "What may they hold?",
    "unseen_about": "The probability that a hand holds at least one tile of a kind that you do not see.",
    "unseen_none": "The other hands hold no tile that you do not see.",
    "sort": "Sort",
    "sort_how": "Sort your hand by pips, or as the game ranks its tiles",
    "tile": "tile",
    "nobody": "nobody",
    "close": "Close",
    "moves": "Your moves",
    "more": "More",
    "choose": "Choose tiles of your hand.",
    "wrong": "These tiles cannot be played together.",
    "spare": "You can discard this.",
    "play": "Play them",
    "discard": "Discard face down",
    "split": "Play this split",
    "split_how": "Drag tiles into the groups, or choose a tile and then a group.",
    "splits": "List all {0} splits",
    "idle": "This tile cannot be played now.",
    "score": "Score",
    "how": "How to play {0}",
    "rules": "All rules, with pictures",
    "options": "Options of this table",
    "begin": "New game",
    "keep": "The address of this page is the whole game: keep it to continue from here. Type the number of a move and "
    "enter, or walk with the arrow keys.",
    "look_away": "You are {0}; other people at this screen should look away.",
    "colon": ": ",
}


class Played(NamedTuple):
    """A game at its beginning and now, of which only copies are played on; lessons: those that each person has had."""

    begun: Session
    session: Session
    lessons: dict[int, frozenset[str]]


class Recent(OrderedDict[Address, Played]):
    """Games at the addresses that were shown last, so that a move continues from the one before."""

    _lock = threading.Lock()

    def put(self, address: Address, played: Played) -> None:
        """Keep a game; of more than MOST_RECENT, the one that was shown longest ago is forgotten."""
        with self._lock:
            self.pop(address, None)
            self[address] = played
            if len(self) > MOST_RECENT:
                self.popitem(last=False)


PLAYED = Recent()


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
        self.hints = address.game.hints(address.game, address.variant)
        self.guide = guide_of(address.game, address.variant)
        self._practice = address.practice
        self._begun, session, taught = PLAYED.get(address) or self._begin(address)
        self.session, self._taught = session.copy(), taught.copy()
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
        self.total = [float(paid) + before for paid, before in zip(won, address.score or [0.0] * len(won), strict=True)]

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
        if self._practice and session.seat in self._people and not session.terminated:
            self._taught[session.seat] = self._taught.get(session.seat, frozenset()).union(self._lessons())
        play_on(session, [action])

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
        """The names of the groups into which the hand is to be split, [] if no split is asked for."""
        sizes = [len(group) for group in self.entries[0].move.groups] if self.entries else []
        names = GROUPS if len(set(sizes)) == len(sizes) else COUNTS
        return [names[size] for size in sizes]

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

    def advice(self, *, plain: bool = False, rough: bool = False, seen: bool = False) -> Advice:
        """Return the hints for the decision.

        Args:
            plain: Without a search, while it is compiled.
            rough: By a quick search.
            seen: Whether the person has seen those without a search.
        """
        game, variant, turn = self.address.game, self.address.variant, self.session.decision_batch()
        if plain:
            return advise_plainly(game, variant, turn, self.entries)
        before = self.advice(plain=True).entry if seen else None
        return advise(adviser(game, variant, rough=rough), game, variant, turn, self.entries, before)

    def notes(self, advice: Advice) -> list[tuple[str, bool]]:
        """Return the value of each move in words, and whether it is a best one; or the move that a player would choose.

        Args:
            advice: The hints, with the values of a search or without.
        """
        if not advice.values:
            return [("", entry is advice.entry) for entry in self.entries]
        texts = value_texts(advice.values)
        return [(text, value.loss <= 0) for text, value in zip(texts, advice.values, strict=True)]

    def moves(self, notes: Sequence[tuple[str, bool]] = ()) -> list[dict[str, Any]]:
        """Return the moves in the order of the list, each as data.

        number: from 1. heading: of its part of the list. words: in the list. name: where it stands alone. question:
        distinguishes its choices, "" if there is one. choices: of each the action, its words, and where its tile goes
        on the table. tiles: the distinct ones that it is made with, such as "64", [] for a split of all tiles. groups:
        all its tiles by group, where these make something. makes: what each makes. plain: whether a click on its tile
        may play it at once. discards: whether its tiles are thrown away. value: chips with their interval. best:
        whether no move has a higher value, or a player would choose it.

        Args:
            notes: Value and best of each.
        """
        lays, moves = self._laid(), []
        for heading, numbered in headed(self.hints, self.entries).items():
            for number, (move, actions) in numbered:
                label = self.hints.label(self._view, actions)
                question, choices = "", [(label, actions[0])]
                if len(actions) > 1:
                    question, answers = self.hints.choice(self._view, actions)
                    choices = list(answers.items())
                makes = self.hints.makes(self._view, actions[0])
                value, best = notes[number - 1] if notes else ("", False)
                goes = f"fish-{digits(move.takes[:1])}" if move.takes else move.to
                moves.append(
                    {
                        "number": number,
                        "heading": word(heading),
                        "words": word(label),
                        "name": word(label if move.verb == PLAY else move.name),
                        "question": word(question),
                        "choices": [
                            {"action": action, "words": word(words), "goes": goes, "ghost": lays.get(action)}
                            for words, action in choices
                        ],
                        "tiles": [] if move.groups else [digits([kind]) for kind in sorted(set(move.tiles))],
                        "groups": [digits(group) for group in move.groups or (move.tiles,)] if makes else [],
                        "makes": [word(made) for made in makes],
                        "plain": len(actions) == len(move.named) == 1 and not move.discards,
                        "discards": move.discards,
                        "value": word(value),
                        "best": best,
                    }
                )
        return moves

    def thrown(self) -> dict[str, int]:
        """Return the actions that discard tiles, by tile: of all tiles where some are discarded together."""
        thrown = {entry.move.tiles[0]: entry.actions[0] for entry in self.entries if entry.move.discards}
        if thrown and self.discards > 1:
            thrown = discard_actions(self.address.game)
        return {digits([kind]): action for kind, action in thrown.items()}

    def _laid(self) -> dict[int, dict[str, str]]:
        """Return how a tile lies after each action that lays it at an end of a line, and at which end."""
        if not any(pile.form == "line" for pile in self.frames[-1].scene.centre):
            return {}
        laid = {}
        for action in map(int, np.flatnonzero(self.session.mask())):
            if self.hints.game.moves[action].leaves:
                then = self.session.copy()
                after = then.as_paid(then.play(action))
                scene = self.address.game.scene(self.address.variant, [fields_of(after.view(self.seat))], self.names)
                line = next(pile for pile in scene.centre if pile.form == "line")
                for index in line.marked[:1]:
                    high, low = line.tiles[index]
                    laid[action] = {"tile": f"{high}{low}", "end": "right" if index else "left"}
        return laid

    def place(self) -> str:
        """Return where the person sits."""
        return word(compass(self.address.variant.players, self.address.seat)[self.seat])

    def seats(self) -> list[dict[str, str]]:
        """Return who sits at each seat, "" for a person, and what they have won so far: names and chips."""
        who = ["" if player == PERSON else player for player in self.address.seating]
        return [
            {"name": word(name), "player": word(player), "won": word(chips(won))}
            for name, player, won in zip(self.names, who, self.total, strict=True)
        ]


# --- as plain data --------------------------------------------------------------------------------


def document(query: Mapping[str, str], players: Players, waits: Callable[[str], str]) -> dict[str, Any]:
    """Return all that a page shows of a table, as JSON holds it, in words of the language that is spoken.

    Args:
        query: The words of an address, and what the person wants besides: `play`, the actions that they play, "60.71"
            where two tiles are discarded together; `at`, their seat where several share the screen; `hint`, how many
            hints; `rough`, whether these may be those of a quick search, for those of a longer one follow; `plain`,
            whether they have seen hints without a search; `unseen`, whether to count who may hold what.
        players: Who may be named.
        waits: What a part of the page, "hint" or "coach", waits for in a sentence, "" if it is ready.

    Returns:
        The table, under the names in which `page.js` reads it. Of one that another person is to look at next there is
        only how to pass the screen on.

    Raises:
        ValueError: In one line, for what no table can be and moves that are not legal.
    """
    address = Address.read(complete(query), players)
    viewer = number_in(query, "at", 0, 99) if "at" in query else None
    seating = WebGame(address, actions_in(query), viewer)
    table, place = heading(seating), seating.place()
    if not seating.covered:
        return table | state(seating) | _help(seating, query, waits)
    return table | {  # until the next person takes the seat
        "pass": {
            "heading": word("Pass the screen to {0}").format(place),
            "sentence": word("It is the turn of {0}. Nobody else should look at the screen now.").format(
                table["place"]
            ),
            "button": word("I am {0}: show my tiles").format(place),
        }
    }


def heading(seating: WebGame) -> dict[str, Any]:
    """Return what a table is and who sits at it."""
    there = seating.address
    return {
        "address": there.query,
        "at": seating.seat if len(there.people) > 1 else None,
        "language": spoken(),
        "game": there.game.id,
        "seed": str(there.seed),  # which may have more digits than numbers of JavaScript hold
        "title": title_in(title(there.game, there.variant)),
        "seats": seating.seats(),
        "place": seating.place(),
        "labels": {name: word(label) for name, label in LABELS.items()},
    }


def state(seating: WebGame) -> dict[str, Any]:
    """Return what is on the table and how it came there, without the moves."""
    there, guide = seating.address, seating.guide
    spots = {entry.move.to for entry in seating.entries if entry.move.to}
    apart = _apart(seating)
    episode = word(", game {0}").format(there.episode + 1) if there.episode else ""
    return {
        "frames": [
            {
                "scene": scene_data(frame.scene, spots, apart),
                "words": word(frame.words),
                "end": _end(frame.end) if frame.end else None,
            }
            for frame in seating.frames
        ],
        "over": seating.terminated,
        "practice": there.practice,
        "coach": there.coach,
        "first": not there.episode and len(there.moves) < there.variant.players,
        "undo": seating.undo.query if seating.undo else None,
        "begin": there.form,
        "again": there.after((), episode=there.episode + 1, score=tuple(seating.total)).query,
        "other_coach": there.after(there.moves, coach=not there.coach).query,
        "record": seating.session.record(there.seating).line if seating.terminated else "",
        "composed": seating.hints.composed,
        "zones": [choice_in("zone", zone) for zone in seating.zones],
        "discards": seating.discards,
        "thrown": seating.thrown(),
        "most": seating.hints.most_shown,
        "task": "" if seating.terminated else word("You: {0}.").format(word(seating.task)),
        "lessons": [word(lesson) for lesson in seating.lessons],
        "goal": word(guide.goal),
        "terms": [[word(term), word(meaning)] for term, meaning in guide.terms.items()],
        "options": [
            {
                "name": option_in(option.name),
                "choice": choice_in(option.name, getattr(there.variant, option.name)),
                "help": word(option.metadata["help"]),
            }
            for option in fields(there.variant)
        ],
        "deal": word("Seed {0}").format(there.seed) + episode + word("."),
    }


def _apart(seating: WebGame) -> bool:
    """Return whether every move is made with the tile that lies apart, such as the top one of a stock."""
    piles = [pile for pile in seating.frames[-1].scene.centre if _is_apart(pile)]
    used = {kind for entry in seating.entries for kind in entry.move.tiles}
    return bool(piles) and len(used) == 1 and digits(used) in _tiles(piles[0])


def _is_apart(pile: Pile) -> bool:
    """Return whether a pile of the centre is a tile that is to be taken."""
    return len(pile.tiles) == len(pile.marked) == 1 and not pile.capacity


def scene_data(scene: Scene, spots: set[str], apart: bool) -> dict[str, Any]:
    """Return a table as data.

    Args:
        spots: How the names of the piles begin to which tiles go.
        apart: Whether no tile of the hand may be played.
    """
    names = [place.name for place in scene.places]
    return {
        "title": title_in(scene.title),
        "notes": [word(note) for note in scene.notes],
        "last_move": word(scene.last_move),
        "centre": [
            _pile(pile, spots, own=_is_apart(pile)) | {"seat": names.index(pile.label) if pile.label in names else None}
            for pile in scene.centre
        ],
        "places": [
            {
                "name": word(place.name),
                "note": word(place.note),
                "to_act": place.to_act,
                "piles": [
                    _pile(pile, spots if seat == 0 else set(), own=seat == number == 0 and not apart)
                    for number, pile in enumerate(place.piles)
                ],
            }
            for seat, place in enumerate(scene.places)
        ],
    }


def _pile(pile: Pile, spots: set[str], *, own: bool) -> dict[str, Any]:
    """Return a pile as data; own: whether its tiles are those of the person's moves."""
    return {
        "label": word(pile.label),
        "form": pile.form,
        "tiles": _tiles(pile),
        "hidden": pile.hidden,
        "marked": list(pile.marked),
        "capacity": pile.capacity,
        "lead": pile.lead,
        "ends": [pile.open_left, pile.open_right],
        "spot": next((spot for spot in sorted(spots) if pile.label.startswith(spot)), ""),
        "own": own,
    }


def _tiles(pile: Pile) -> list[str]:
    return [f"{first}{second}" for first, second in pile.tiles]


def _end(end: End) -> dict[str, Any]:
    """Return how a deal ended as data."""
    return {
        "winner": word(end.winner),
        "reasons": [word(reason) for reason in end.reasons],
        "yours": [word(paid) for paid in end.yours],
        "others": [word(paid) for paid in end.others],
        "paid": [[word(name), word(won)] for name, won in end.paid],
    }


def _help(seating: WebGame, query: Mapping[str, str], waits: Callable[[str], str]) -> dict[str, Any]:
    """Return the moves, with the hints that the person has asked for, what the coach says, and who may hold what."""
    there = seating.address
    number = number_in(query, "hint", 0, STEPS + 1) if there.practice and seating.entries else 0
    hint, marked, notes = None, [], []
    if number:
        waiting = waits("hint")
        rough, seen = "rough" in query and not waiting, "plain" in query
        advice = seating.advice(plain=bool(waiting), rough=rough, seen=seen)
        hint = {"number": number, "most": STEPS + 1, "how_found": "", "next": 0, "last": False} | {
            "waits": word(waiting),
            "rough": rough,
        }
        sentences = advice.steps[:number]
        if number <= len(advice.steps):
            hint["next"], hint["last"] = number + 1, number == len(advice.steps)
        else:
            sentences = [*sentences, *([advice.verdict] if advice.verdict else [])]
            hint["how_found"] = word("{0}.").format(word(advice.how_found))
            notes = seating.notes(advice)
        hint["sentences"] = [word("{0}.").format(word(sentence)) for sentence in sentences]
        marked = [digits([kind]) for kind in advice.tiles]
    awaited = waits("coach") if there.coach else ""
    lost = seating.mistake if there.coach and not awaited else None
    coached = [lost.cost, lost.why, lost.reply] if lost else []
    return {
        "moves": seating.moves(notes),
        "marked": marked,
        "hint": hint,
        "mistake": [word("{0}.").format(word(sentence)) for sentence in coached if sentence],
        "coach_waits": word(awaited),
        "unseen": _unseen(seating) if there.practice and "unseen" in query and seating.entries else None,
    }


def _unseen(seating: WebGame) -> dict[str, Any]:
    """Return who may hold the tiles that the person does not see, in hundredths, the last column nobody.

    With what is counted comes what a learned belief judges of each seat, if one ships, and which moves said so.
    """
    game, variant = seating.address.game, seating.address.variant
    tiles = unseen_tiles(game, variant, seating._view)
    held, moves = judged(game, variant, seating._view, seating.names)
    return {
        "heads": [word(seating.names[seat]) for seat in tiles[0].by_seat] if tiles else [],
        "rows": [
            [tile_name(tile.kind), [round(100 * share) for share in [*tile.by_seat.values(), tile.nobody]]]
            for tile in tiles
        ],
        "judged": [[round(100 * share) for share in held[tile.kind]] for tile in tiles] if held else [],
        "telling": [word("{0}.").format(word(move)) for move in moves],
        "explained": [word(EXPLAINED), *([word(JUDGED)] if held else [])],
    }


def actions_in(query: Mapping[str, str]) -> list[int]:
    """Return the actions that the person plays. Raises: ValueError."""
    texts = query["play"].split(".", MOST_TOGETHER) if "play" in query else []
    return [number_in({"play": text}, "play", 0, MOST_ACTIONS - 1) for text in texts]
