"""A person who plays at the terminal: the table, the moves in words, and tolerance of typing errors."""

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_lowercase

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.players.search import SearchAgent
from gupai_app.play.moves import (
    Advice,
    Entry,
    advise,
    advise_plainly,
    digits,
    discard_actions,
    entries_of,
    headed,
    in_words,
    value_texts,
)
from gupai_app.play.rules import TOPICS, key_lines
from gupai_app.play.unseen import EXPLAINED, JUDGED, judged, unseen_tiles
from gupai_app.server.warming import Preparation
from gupai_app.shell.terminal import Terminal
from gupai_env.core.game import Game
from gupai_env.core.move import AWAY, PLAY
from gupai_env.core.position import TILE, spelled
from gupai_env.core.scene import Scene, seat_names
from gupai_env.core.text import columns, wrap
from gupai_env.core.tiles import kind_of, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import listed
from gupai_env.messages import count, say, word

HELP, LEAVE, ALL, ADVICE = ("?", "h", "help"), ("q", "quit", "exit"), ("a", "all"), ("!", "hint")
UNDO, SORT, YES, OTHERS = ("u", "undo"), ("s", "sort"), ("y", "yes"), ("o", "others")
NOT_MOVED = "You have not moved yet."
ASIDE = 3  # lines below a table: the task, which may take two, and the question
FEWEST = 4  # moves that are always listed


class HumanPlayer:
    """A person who plays a variant.

    adviser: Values the moves when asked; None where there are no hints and no move is taken back. preparation: Of its
    search; None until a hint is asked for.
    """

    preparation: Preparation | None = None

    def __init__(
        self,
        game: Game,
        variant: Variant,
        terminal: Terminal | None = None,
        names: Sequence[str] | None = None,
        adviser: SearchAgent | None = None,
        leaving: str = "",
    ) -> None:
        """Seat a person.

        Args:
            names: How the seats are called, by seat; None: "You", and the others by their number.
            leaving: The question that confirms that they leave, "" for none.
        """
        self.game, self.variant, self.names = game, variant, names
        self.terminal = Terminal() if terminal is None else terminal
        self.hints, self.adviser, self._leaving = game.hints(game, variant), adviser, leaving
        self.guide = guide_of(game, variant)
        self._greeted = self._by_pips = False
        self._rest: list[int] = []  # actions of tiles that are discarded together, but the first
        self._picked: list[int] = []  # kinds of those that the person has named, while others are to be named

    def choose(self, turn: DecisionBatch, *, moved: bool = True) -> int | None:
        """Return the action that the person chooses, None if they take back their last one; raises Quit.

        moved: Whether there is one to take back.
        """
        if self._rest:
            return self._rest.pop(0)
        view = turn.views[0]
        entries = entries_of(self.hints, view, turn.masks[0])
        self._show(view, turn.masks[0], entries)
        self._picked = []
        advice, steps = None, 0  # of the hints that the person has had
        while True:
            text = self.terminal.ask("Your move: ")
            key, _, topic = text.replace("?", "? ", 1).partition(" ")
            if text in LEAVE:
                self._leave()
            elif text in (*UNDO, *ADVICE, *OTHERS) and self.adviser is None:
                self.terminal.say("There are no hints here, and no move is taken back.")
            elif text in UNDO and moved:
                return None
            elif text in UNDO:
                self.terminal.say(NOT_MOVED)  # without the table again, which would push this off a small screen
            elif key in HELP:
                self._help(topic.strip())
                self._show(view, turn.masks[0], entries)
            elif text in ADVICE and self.adviser is not None:
                advice, steps = self._advised(self.adviser, turn, entries, advice, steps)
                steps = self._hint(view, advice, steps)
            elif text in SORT:
                self._by_pips = not self._by_pips
                self._show(view, turn.masks[0], entries)
            elif text in OTHERS:
                self._unseen(view)
            elif text in ALL:
                self._list(view, entries, len(entries))
            elif isinstance(answer := self._discarded(text, view, entries) or self._read(text, entries), str):
                self.terminal.paragraph(answer)
                self.terminal.drop()
            elif isinstance(answer, list):
                self._rest = answer[1:]
                return answer[0]
            elif (action := self._settle(view, answer)) is not None:
                return action

    def _show(self, view: np.record, mask: np.ndarray, entries: Sequence[Entry]) -> None:
        """Show the table, the moves under their headings, and at first how the game is played."""
        names = seat_names(self.variant.players, int(view.seat)) if self.names is None else self.names
        if not self._greeted:
            self._greeted = True
            keys = "? lists all that you can type, q leaves the table."
            if self.adviser is not None:
                keys = "! gives a hint, u takes back your last move, ? lists all that you can type, q leaves the table."
            texts = dict.fromkeys((self.guide.goal, self.hints.reminder(), self.hints.answers, keys))
            self.terminal.introduce([line for text in texts for line in wrap(word(text), self.terminal.width)])
        scene = self.game.scene(self.variant, [view], names)
        if self._by_pips:
            scene = sorted_by_pips(scene)
        self.terminal.table(scene, near_last=True, after=ASIDE + FEWEST)
        self.terminal.paragraph(say("You: {task}.", task=say(self.guide.task(view, mask))))
        self._list(view, entries, self._list_length(view, entries))

    def _list_length(self, view: np.record, entries: Sequence[Entry]) -> int:
        """Return how many moves can be listed so that all since the last question stays on the screen, or FEWEST."""
        most = min(self.hints.most_shown, len(entries))
        while most > FEWEST and len(self._listed(view, entries, most)) >= self.terminal.left:
            most -= 1
        return most

    def _help(self, topic: str) -> None:
        """Show what the person can type, or a page on a topic."""
        game, variant, width = self.game, self.variant, self.terminal.width
        lines = next((lines for name, lines in TOPICS.items() if topic and name.startswith(topic)), None)
        keys = key_lines(game, variant, width, practises=self.adviser is not None)
        self.terminal.pages(lines(game, variant, width) if lines else keys)

    def _advised(
        self, adviser: SearchAgent, turn: DecisionBatch, entries: Sequence[Entry], advice: Advice | None, steps: int
    ) -> tuple[Advice, int]:
        """Return the hints for a decision, with values once these are ready, and how many the person has had of them.

        Args:
            advice: The hints so far, None before the first.
            steps: How many of them the person has had.
        """
        if advice is not None and advice.values:
            return advice, steps
        preparation = self.preparation = self.preparation or Preparation(self.game, waited_for=True)
        if preparation.message:
            plain = advice or advise_plainly(self.game, self.variant, turn, entries)
            if steps < len(plain.steps) or not preparation.waited_for:
                return plain, steps
            self.terminal.paragraph(preparation.message)
            preparation.wait()
        before = None if advice is None else advice.entry
        valued = advise(adviser, self.game, self.variant, turn, entries, before)
        contradicted = before is not None and valued.entry != before and steps < len(valued.steps)
        return valued, 0 if contradicted else steps

    def _hint(self, view: np.record, advice: Advice, steps: int) -> int:
        """Show one step of the hints, after so many others: at last what the best moves are worth, the best first.

        Returns how many steps the person has had now.
        """
        if steps < len(advice.steps):
            self.terminal.paragraph(say("{hint}. Another ! says more.", hint=advice.steps[steps]))
            return steps + 1
        if not advice.values:
            assert self.preparation is not None
            self.terminal.paragraph(say("{hint}.", hint=advice.verdict))
            self.terminal.paragraph(self.preparation.message)
            self.terminal.paragraph("You can play on meanwhile; another ! shows the chips of every move when it can.")
            return steps
        values, chips = advice.values, value_texts(advice.values)
        lines = [
            f"{index + 1:>3}  {word(say(in_words(self.game.move(values[index].action, view))))} {word(chips[index])}"
            for index in sorted(range(len(values)), key=lambda index: values[index].rank)
        ]
        if advice.verdict:
            self.terminal.paragraph(say("{hint}.", hint=advice.verdict))
        self.terminal.paragraph(say("{heading}:", heading=advice.how_found))
        rows = _columns(lines, self.terminal.width).split("\n")
        self.terminal.say("\n".join(rows[: self.terminal.height // 4]))  # so that the hand stays on the screen
        return steps

    def _unseen(self, view: np.record) -> None:
        """Show who may hold the tiles that the person does not see, and which moves say so if a belief was learned."""
        names = seat_names(self.variant.players, int(view.seat)) if self.names is None else self.names
        judgement, moves = judged(self.game, self.variant, view, names)
        for tile in unseen_tiles(self.game, self.variant, view):
            held = [f"{word(names[seat])} {share:.0%}" for seat, share in tile.by_seat.items()]
            for place, share in enumerate(judgement[tile.kind] if judgement else ()):
                held[place] += f", {share:.0%}"
            self.terminal.say(f"  {tile_name(tile.kind)}  {'   '.join(held)}")
        for text in (*(say("{hint}.", hint=move) for move in moves), EXPLAINED, *([JUDGED] if judgement else [])):
            self.terminal.paragraph(text)

    def _list(self, view: np.record, entries: Sequence[Entry], most: int) -> None:
        """Show the first moves under their headings, and how many there are besides."""
        self.terminal.say("\n".join(self._listed(view, entries, most)))

    def _listed(self, view: np.record, entries: Sequence[Entry], most: int) -> list[str]:
        """Return the lines that list the first moves."""
        lines: list[str] = []
        for heading, numbered in headed(self.hints, entries).items():
            labels = [(number, word(self.hints.label(view, entry.actions))) for number, entry in numbered]
            words = [f"{number:>3}  {label}" for number, label in labels if number <= most]
            if numbered[0][1].move.discards and (together := self._together(view)):
                lines.append(word(together))
            elif words:
                lines.append(word(say("{heading}:", heading=say(heading))))
                lines += _columns(words, self.terminal.width).split("\n")
        if len(entries) > most:
            one, many = "There is one more; type all to see it.", "There are {number} more; type all to see them."
            lines.append(word(count(one, many, len(entries) - most)))
        return lines

    def _read(self, text: str, entries: Sequence[Entry]) -> Entry | str:
        """Return the move that a text means, or a sentence that says why it means none."""
        typed = text.removeprefix("#").strip()
        is_number = typed.isdecimal()
        place = int(typed) if is_number else 0
        by_number = entries[place - 1] if 1 <= place <= len(entries) else None
        spell = spelled if "/" in text else str  # a split may be spelled in many ways; other tiles are found below
        by_name = next((entry for entry in entries if spell(entry.move.name) == spell(text)), None)
        if by_name:
            return by_name
        tiles = tuple(sorted(kind_of(int(a), int(b)) for a, b in TILE.findall(text)))
        words = "".join(letter if letter in ascii_lowercase else " " for letter in text).split()
        if is_number and (text.startswith("#") or not tiles):
            one = "There is no move {typed}; your only move is 1."
            many = "There is no move {typed}; your moves are 1 to {number}."
            return by_number or count(one, many, len(entries), typed=place)
        if not text:
            return self.hints.answers
        if set(TILE.sub("", text)) - set(ascii_lowercase + " ,"):
            return say("I do not understand {text!r}. {advice}", text=text, advice=say(self.hints.answers))
        by_tile = self._named(tiles, words, entries)
        if by_number and by_tile is not by_number and any(entry.move.named == tiles for entry in entries):
            tile = f"[{text[0]}:{text[1]}]"
            question = "Is {text} a move or a tile? Type #{number} for move {number}, or {tile} for the tile."
            return say(question, text=text, number=place, tile=tile)
        return by_number if by_number and isinstance(by_tile, str) else by_tile

    def _together(self, view: np.record) -> str:
        """Return in a sentence how tiles that are discarded together are typed, "" where it is one."""
        if (number := self.hints.discards(view)) < 2:
            return ""
        template = "Discard {number} tiles face down: type d and their digits, in any order, such as d{example}."
        return say(template, number=number, example=digits(self._hand(view)[-number:]))

    def _hand(self, view: np.record) -> list[int]:
        """Return the kinds that the person holds, in the order of the table."""
        scene = self.game.scene(self.variant, [view], seat_names(self.variant.players))
        return [kind_of(*tile) for tile in scene.places[0].piles[0].tiles]

    def _discarded(self, text: str, view: np.record, entries: Sequence[Entry]) -> list[int] | str:
        """Return the actions that discard the tiles which a text names in any order, if several must be.

        Returns:
            A sentence if these tiles cannot be discarded, or if others must be named; "" for a text that means
            something else.
        """
        if not (together := self._together(view)) or not any(entry.move.discards for entry in entries):
            return ""
        tiles, number = [kind_of(int(a), int(b)) for a, b in TILE.findall(text)], text.removeprefix("#")
        letters = "".join(filter(str.isalpha, text))
        to_play = not self._picked and any(entry.move.verb == PLAY for entry in entries)  # unless letters say more
        means = AWAY.startswith(letters) if letters else not to_play
        if not tiles and number.isdecimal() and 1 <= int(number) <= len(entries):
            means = entries[int(number) - 1].move.discards
        if not text or not means:
            return ""
        hand, number_of_tiles = self._hand(view), self.hints.discards(view)
        if 0 < len(tiles) < number_of_tiles:
            tiles = self._picked + tiles
        more = number_of_tiles - len(tiles)
        wrong = not tiles or more < 0 or any(tiles.count(kind) > hand.count(kind) for kind in tiles)
        self._picked = tiles if more > 0 and not wrong else []
        if wrong:
            return together
        if more:
            template = "{tiles} is chosen; type the digits of {more}, or d to choose again."
            others = count("one more tile", "{number} more tiles", more)
            return say(template, tiles="".join(map(tile_name, tiles)), more=others)
        thrown = discard_actions(self.game)
        return sorted(thrown[kind] for kind in tiles)

    def _named(self, tiles: tuple, words: list[str], entries: Sequence[Entry]) -> Entry | str:
        """Return the move with these tiles, its verb beginning like the words typed, or why there is none."""
        called = "".join(map(tile_name, tiles))
        matches = [entry for entry in entries if entry.move.named == tiles] if tiles else list(entries)
        if words:
            matches = [entry for entry in matches if _begins(entry.move.verb.split(), words)]
        elif any(entry.move.verb == PLAY for entry in entries):  # a tile alone is to be played
            others = [entry.move.verb for entry in matches if entry.move.verb != PLAY]
            matches = [entry for entry in matches if entry.move.verb == PLAY]
            if others and not matches:
                template = "{tile} cannot be played now; type {verb} {digits} to {meaning} it."
                return say(template, tile=called, verb=str(others[0]), digits=digits(tiles), meaning=say(others[0]))
        if len(matches) == 1:
            return matches[0]
        if not matches and not tiles:
            return say("I do not understand {text!r}. {advice}", text=" ".join(words), advice=say(self.hints.answers))
        if not matches:
            text = " ".join([*words, called])
            one = "{text} is not your only move, which is 1."
            many = "{text} is not among your moves, which are 1 to {number}."
            return count(one, many, len(entries), text=text)
        if tiles:
            return "More than one of your moves is like that; type the number of one."
        verbs = listed((entry.move.verb for entry in matches), "or")
        return say("Which tile? Type {verbs} 64 for [6:4], or the number of a move.", verbs=verbs)

    def _settle(self, view: np.record, entry: Entry) -> int | None:
        """Return the action of a move; ask where tiles can be turned two ways. None: rather another move."""
        if len(entry.actions) == 1:
            return entry.actions[0]
        question, answers = self.hints.choice(view, entry.actions)
        while True:
            text = self.terminal.ask(f"{word(question)} ")
            if text in answers:
                return answers[text]
            if text in LEAVE:
                self._leave()
                continue
            if not text:
                return None
            advice = "Answer {answers}, or nothing to choose another move."
            self.terminal.paragraph(say(advice, answers=listed(list(answers), "or")))

    def _leave(self) -> None:
        """Raise Quit, unless the person answers that they stay."""
        if not self._leaving or self.terminal.ask(self._leaving) in (*YES, *LEAVE):
            raise self.terminal.leave()


def sorted_by_pips(scene: Scene) -> Scene:
    """Return a table whose near hand is sorted by pips, the heaviest tile first."""
    near, (hand, *others) = scene.places[0], scene.places[0].piles
    order = sorted(range(len(hand.tiles)), key=lambda index: -sum(hand.tiles[index]))
    tiles, marked = tuple(hand.tiles[index] for index in order), tuple(map(order.index, hand.marked))
    hand = replace(hand, tiles=tiles, marked=marked)
    return replace(scene, places=(replace(near, piles=(hand, *others)), *scene.places[1:]))


def _begins(words: Sequence[str], typed: Sequence[str]) -> bool:
    """True if everything typed is the beginning of one of the words."""
    return all(any(word.startswith(part) for word in words) for part in typed)


def _columns(entries: Sequence[str], width: int) -> str:
    """Lay entries out in columns of equal width, row by row."""
    column = max(map(columns, entries)) + 2
    across = max(width // column, 1)
    rows = [entries[start : start + across] for start in range(0, len(entries), across)]
    return "\n".join("".join(entry + " " * (column - columns(entry)) for entry in row).rstrip() for row in rows)
