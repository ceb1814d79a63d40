"""A person at the terminal as an agent: the table, the moves in words, and tolerance of typing errors."""

import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields, replace
from string import ascii_lowercase

import numpy as np

from gupai_agents import make_agent
from gupai_agents.agent import Agent, DecisionBatch
from gupai_agents.card import READING, card_agent, closes, rule_in_words
from gupai_agents.evaluation.match import labels_of_line_up
from gupai_agents.evaluation.records import RecordWriter
from gupai_agents.failure import Leave
from gupai_agents.registry import NOT_NAMED, agent_names
from gupai_agents.search import SearchAgent
from gupai_agents.shipped import plainest_heuristic, shipped_card
from gupai_app.kept.store import Store
from gupai_app.play.moves import ADVISER, Entry, by_card, digits, entries_of, headed, scores
from gupai_app.play.pictures import rules_in_words
from gupai_app.play.session import Session
from gupai_app.shell.errors import Mistake
from gupai_app.shell.screen import Screen, put, table_of
from gupai_app.shell.streams import printable
from gupai_app.words.languages import ENGLISH, spoken
from gupai_app.words.sentences import names_at, payment, result, translated, winners
from gupai_env.core.game import Game
from gupai_env.core.move import PLAY
from gupai_env.core.tiles import kind_of, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import chips, latin, listed, title
from gupai_env.render import draw_text
from gupai_env.words.messages import joined, say, word
from gupai_env.words.scene import Scene, seat_names
from gupai_env.words.spelling import TILE, fill_rules, spelled
from gupai_env.words.text import columns, wrap

YES, NO = ("", "y", "yes"), ("n", "no", "q", "quit", "exit")
Record = RecordWriter | None  # where finished games are written

HELP, LEAVE, ALL, ADVICE = ("?", "h", "help"), ("q", "quit", "exit"), ("a", "all"), ("!", "hint")
WIDEST = 100  # columns
ASIDE = 4  # lines of a screen for the task, which may take two, the prompt and one to spare
FEWEST = 4  # moves that are always listed


class Quit(Leave):
    """A person has left the table; uncaught it ends the program quietly."""


class Terminal:
    """Where a person reads and types; a test gives functions of its own."""

    def __init__(
        self,
        ask: Callable[[str], str] = input,
        say: Callable[[str], object] = print,
        *,
        colour: bool | None = None,
        width: int | None = None,
    ) -> None:
        """colour: whether ones and fours are red; None: if standard output is a terminal. width: columns; None:
            those of the terminal, at most 100.

        Args:
            ask: Shows a prompt and returns a line, or raises EOFError.
            say: Shows some lines.
        """
        self._say, self._ask = say, ask
        self.colour = sys.stdout.isatty() if colour is None else colour
        size = shutil.get_terminal_size()
        self.width = width or max(min(size.columns, WIDEST), 40)
        self.height = size.lines

    def ask(self, prompt: str) -> str:
        """Return what the person answers, in small letters; raises Quit at ctrl-C or where no input is left."""
        try:
            return self._ask(word(prompt)).strip().lower()
        except (EOFError, KeyboardInterrupt, RuntimeError):  # the last where standard input is closed
            self.say("")  # after the prompt
            raise self.leave() from None

    def leave(self) -> Quit:
        """Say that the person leaves; return what is to be raised."""
        self.say("You have left the table.")
        return Quit(0)

    def say(self, text: str) -> None:
        """Show some lines, in which control characters are written out."""
        self._say(printable(word(text)))

    def table(self, scene: Scene, *, near_last: bool = False) -> None:
        """Show a table; near_last: with the near seat at the end, where the person's moves follow."""
        drawn = draw_text(translated(scene), colour=self.colour, width=self.width, near_last=near_last)
        self._say(f"\n{printable(drawn, colours=self.colour)}\n")

    def paragraph(self, text: str) -> None:
        """Show a text in lines of the terminal's width."""
        self._say(printable("\n".join(wrap(word(text), self.width))))


class HumanAgent:
    """A person who plays a variant."""

    name = "human"

    def __init__(
        self,
        game: Game,
        variant: Variant,
        terminal: Terminal | None = None,
        names: Sequence[str] | None = None,
        adviser: SearchAgent | None = None,
    ) -> None:
        """adviser: values the moves when asked.

        Args:
            names: How the seats are called, by seat; None: "You", and the others by their number.
        """
        self.game, self.variant, self.names = game, variant, names
        self.terminal = Terminal() if terminal is None else terminal
        self.hints, self.adviser = game.hints(game, variant), adviser
        self.guide = guide_of(game, variant)
        self._greeted = False
        self._most = 0  # moves that were listed last

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return the actions that the person chooses, int16 [N]; raises Quit if they leave."""
        rows = range(len(batch.rng_keys))
        return np.array([self._choose(batch.at(slice(row, row + 1))) for row in rows], np.int16)

    def _choose(self, turn: DecisionBatch) -> int:
        view = turn.views[0]
        entries = entries_of(self.hints, view, turn.masks[0])
        self._show(view, turn.masks[0], entries)
        while True:
            text = self.terminal.ask("Your move: ")
            if text in LEAVE:
                raise self.terminal.leave()
            if text in HELP:
                self.terminal.say("")
                self.terminal.say(rules_text(self.game, self.terminal.width))
                self._greeted = False
                self._show(view, turn.masks[0], entries)
                continue
            if text in ADVICE and self.adviser is not None:
                self._advise(self.adviser, turn, entries)
                continue
            if text in ALL and len(entries) > self._most:
                self._list(view, entries, len(entries))
                continue
            answer = self._read(text, entries)
            if isinstance(answer, str):
                self.terminal.paragraph(answer)
                continue
            action = self._settle(view, answer)
            if action is not None:
                return action

    def _show(self, view: np.record, mask: np.ndarray, entries: Sequence[Entry]) -> None:
        """Show the table, the moves under their headings, and at first how the game is played."""
        names = seat_names(self.variant.players, int(view.seat)) if self.names is None else self.names
        if not self._greeted:
            self.terminal.paragraph(self.hints.reminder())
            self.terminal.paragraph(self.hints.answers())
            if self.adviser is not None:
                self.terminal.paragraph(say("{key} shows the value of each move.", key=ADVICE[0]))
            self._greeted = True
        scene = self.game.scene(self.variant, [view], names)
        self.terminal.table(scene, near_last=True)
        self.terminal.paragraph(say("You: {task}.", task=say(self.guide.task(view, mask))))
        self._most = self._list_length(scene, view, entries)
        self._list(view, entries, self._most)

    def _list_length(self, scene: Scene, view: np.record, entries: Sequence[Entry]) -> int:
        """Return how many moves can be listed so that the middle of the table and the hand stay on the screen."""
        near = replace(scene, title="", notes=(), last_move="", places=scene.places[:1])
        room = self.terminal.height - len(draw_text(near, width=self.terminal.width).split("\n")) - ASIDE
        most = min(self.hints.most_shown, len(entries))
        while most > FEWEST and len(self._listed(view, entries, most)) > room:
            most -= 1
        return most

    def _advise(self, adviser: SearchAgent, turn: DecisionBatch, entries: Sequence[Entry]) -> None:
        """Show what the moves are worth, the best first; of tiles turned two ways the better one counts."""
        values, how_found = scores(adviser, turn, entries)
        ranked = sorted(range(len(entries)), key=lambda index: -values[index].mean)[: self.hints.most_shown]
        lines = [
            f"{index + 1:>3}  {word(self.game.action_name(values[index].action, turn.views[0]))} "
            f"{values[index].mean:+z.1f} ±{values[index].half:.1f}"
            for index in ranked
        ]
        if reason := by_card(self.game, self.variant, turn, values[ranked[0]].action):
            self.terminal.paragraph(say("{sentence}.", sentence=reason))
        self.terminal.paragraph(say("{heading}:", heading=how_found))
        self.terminal.say(_columns(lines, self.terminal.width))

    def _list(self, view: np.record, entries: Sequence[Entry], most: int) -> None:
        """Show the first moves under their headings, and how many there are besides."""
        self.terminal.say("\n".join(self._listed(view, entries, most)))

    def _listed(self, view: np.record, entries: Sequence[Entry], most: int) -> list[str]:
        """Return the lines that list the first moves."""
        lines: list[str] = []
        for heading, numbered in headed(self.hints, entries).items():
            labels = [(number, word(self.hints.label(view, entry.actions))) for number, entry in numbered]
            words = [f"{number:>3}  {label}" for number, label in labels if number <= most]
            if words:
                lines.append(word(say("{heading}:", heading=say(heading))))
                lines += _columns(words, self.terminal.width).split("\n")
        if len(entries) > most:
            lines.append(word(say("There are {number} more; type all to see them.", number=len(entries) - most)))
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
            return by_number or say(
                "There is no move {number}; your moves are 1 to {most}.", number=place, most=len(entries)
            )
        if not text:
            return self.hints.answers()
        if set(TILE.sub("", text)) - set(ascii_lowercase + " ,"):
            return say("I do not understand {text!r}. {advice}", text=text, advice=say(self.hints.answers()))
        by_tile = self._named(tiles, words, entries)
        if by_number and by_tile is not by_number and any(entry.move.named == tiles for entry in entries):
            tile = f"[{text[0]}:{text[1]}]"
            question = "Is {text} a move or a tile? Type #{number} for move {number}, or {tile} for the tile."
            return say(question, text=text, number=place, tile=tile)
        return by_number if by_number and isinstance(by_tile, str) else by_tile

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
            return say("I do not understand {text!r}. {advice}", text=" ".join(words), advice=say(self.hints.answers()))
        if not matches:
            text = " ".join([*words, called])
            return say("{text} is not among your moves, which are 1 to {most}.", text=text, most=len(entries))
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
                raise self.terminal.leave()
            if not text:
                return None
            advice = "Answer {answers}, or nothing to choose another move."
            self.terminal.paragraph(say(advice, answers=listed(list(answers), "or")))


def _begins(words: Sequence[str], typed: Sequence[str]) -> bool:
    """True if everything typed is the beginning of one of the words."""
    return all(any(word.startswith(part) for word in words) for part in typed)


def _columns(entries: Sequence[str], width: int) -> str:
    """Lay entries out in columns of equal width, row by row."""
    column = max(map(columns, entries)) + 2
    across = max(width // column, 1)
    rows = [entries[start : start + across] for start in range(0, len(entries), across)]
    return "\n".join("".join(entry + " " * (column - columns(entry)) for entry in row).rstrip() for row in rows)


def play(
    game: Game,
    variant: Variant,
    agents: Sequence[Agent],
    you: int,
    seed: int,
    terminal: Terminal,
    record: Record = None,
    games: Store | None = None,
) -> None:
    """Play episodes of one stream against agents until the person stops; raises Quit if they leave.

    Args:
        agents: One per seat; the one at seat `you` is not asked.
        games: Where finished games are kept, besides `record`.
    """
    names = names_at(variant.players, you, you)
    adviser = make_agent(ADVISER, game, **asdict(variant))
    person = HumanAgent(game, variant, terminal, names, adviser)  # type: ignore[arg-type]
    sat = [person.name if seat == you else name for seat, name in enumerate(labels_of_line_up(agents))]
    others = [say("{name}: {agent}", name=names[seat], agent=name) for seat, name in enumerate(sat) if seat != you]
    begins = "{game}, seed {seed}. You have seat {seat}. {others}."
    terminal.paragraph(say(begins, game=title(game, variant), seed=seed, seat=you, others=joined(", ", others)))
    episode, won = 0, 0.0
    while True:
        session = Session(game, variant, seed, episode)
        won += _play_episode(session, agents, person, you, names)
        _keep(session, sat, record)
        if games is not None:
            if problem := games.keep(session.record(sat)):
                terminal.say(problem)
            elif episode == 0 and games.keeping:
                terminal.say(
                    "This game is kept on your machine: gupai games lists yours, gupai games keep off ends this."
                )
        episode += 1
        if episode > 1:
            terminal.say(say("Since you sat down: {chips}.", chips=chips(won)))
        if not _wants_more(terminal):
            return


def _play_episode(
    session: Session, agents: Sequence[Agent], person: HumanAgent, you: int, names: Sequence[str]
) -> float:
    """Play one episode, showing every move that the person can see; return the chips they won."""
    game, variant, terminal = session.game, session.variant, person.terminal
    seating = [person if seat == you else agent for seat, agent in enumerate(agents)]
    seen = b""
    while not session.terminated:
        view = session.view(you)
        if view.tobytes() != seen:  # something happened that the person may know of
            seen = view.tobytes()
            terminal.say(game.scene(variant, [view], names).last_move)
        payoffs = session.play(session.answer(seating[session.seat]))
        if payoffs:
            terminal.say("")
            terminal.say("The count, all tiles face up:")
            ended = session.as_paid(payoffs)
            terminal.table(ended.scene(names, first=you))
            terminal.paragraph(outcome(ended, names, you, payoffs))
            terminal.say(result(payoffs[you]))
    return float(session.state.total[you])


def outcome(ended: Session, names: Sequence[str], you: int, payoffs: Sequence[float]) -> str:
    """Return in sentences who won a deal and why, and what a seat paid and got for it."""
    views, guide = ended.views(), guide_of(ended.game, ended.variant)
    paid = [
        payment(transfer, names)
        for transfer in guide.payments(views, payoffs)
        if you in (transfer.payer, transfer.winner)
    ]
    others = [] if payoffs[you] == max(payoffs) else [winners(names, payoffs)]
    return joined(" ", [*others, *guide.reasons(views, names, payoffs), *paid])


def _wants_more(terminal: Terminal) -> bool:
    while True:
        answer = terminal.ask("Play again? [Y/n] ")
        if answer in (*YES, *NO):
            return answer in YES
        terminal.say("Answer y or n.")


def _keep(session: Session, agents: Sequence[str], record: Record) -> None:
    """Write a finished game."""
    if record is not None:
        record.write([session.record(agents)])


def rules_text(game: Game, width: int) -> str:
    """Return the rules of a game in the language that is spoken, in lines of at most `width` columns."""
    if spoken() == ENGLISH:
        return fill_rules(game.rules_text, width)
    rules = [_heading(game), *(joined(": ", rule) for rule in rules_in_words(game))]
    return "\n".join(line for rule in rules for line in wrap(word(rule), width))


def _heading(game: Game) -> str:
    if spoken() == ENGLISH:
        return game.rules_text.partition("\n")[0]
    return joined(": ", [latin(game.title), guide_of(game, game.variant()).goal()])


def games(listed: Iterable[Game]) -> None:
    """Print the games, a line each."""
    table = table_of("game", "", show_header=False)
    for game in listed:
        table.add_row(game.id, _heading(game))
    put(table, "For the rules of a game, its options and its agents: gupai rules GAME")


def rules(game: Game) -> None:
    """Print the rules of a game, its options and who plays it."""
    table = table_of("option", "default", "allowed", "meaning")
    table.columns[0].no_wrap = True
    for field in fields(game.variant):
        allowed = game.variant.allowed(field.name)
        table.add_row(field.name, str(field.default).lower(), say(allowed), say(field.metadata["help"]))
    features = table_of("feature", "unit", "range", "meaning")
    features.columns[0].no_wrap = True
    for feature in game.features:
        bounds = say("{bottom} to {top}", bottom=f"{feature.low:g}", top=f"{feature.high:g}")
        features.add_row(feature.name, say(feature.unit), bounds, say(feature.meaning))
    heuristics = table_of("player", "weights")
    heuristics.columns[0].no_wrap = True
    for name, weights in game.heuristics.items():
        heuristics.add_row(name, ", ".join(f"{feature}={weight:g}" for feature, weight in weights.items()))
    Terminal().say(rules_text(game, Screen().width))
    first, last = game.moves[0].name, game.moves[-1].name
    put(
        table,
        say("Set options with -o: gupai play {game} -o {option}", game=game.id, option=game.variant.example()),
        say("Actions: {number}, from {first} to {last}.", number=game.num_actions, first=first, last=last),
        say("Agents: {names}.", names=", ".join([*agent_names(game), *NOT_NAMED])),
    )
    if game.features:
        plainest = plainest_heuristic(game)
        put(
            "Rule-based agents weigh features of each action and play the best one:",
            heuristics,
            features,
            say(
                "To change weights: heuristic:FEATURE=WEIGHT,..., {player}+FEATURE=WEIGHT, or with a temperature, "
                "{player}@1.5",
                player=plainest,
            ),
        )


def card(game: Game) -> None:
    """Print the rules of a game's card, and what each of them adds."""
    written, player = shipped_card(game, game.variant()), card_agent(game, game.variant())
    if written is None or player is None:
        raise Mistake("{game} has no card", game=game.id)
    rules = table_of("", "rule", "adds")
    for number, (rule, adds) in enumerate(zip(player.rules, written["adds"], strict=True), 1):
        rules.add_row(str(number), rule_in_words(game, rule), adds)
    put(
        say("{game}: rules to follow in their order", game=title(game, game.variant())),
        READING,
        rules,
        closes(written),
        say("The player card follows them: gupai tournament {game} card greedy best", game=game.id),
    )
