"""Players that read requests and write their moves as lines of text: programs in any language, and language models.

A request is a line with a JSON object. To one of type "decision" the answer is a line with its `id` and the name or the
number of a move; others want none. `docs/writing-an-agent.md` lists their keys. Because answers name their request, a
line that nobody asked for is never taken for the next move.
"""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextvars import Context
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import DecisionBatch, note_origin
from gupai_agents.failure import AgentError
from gupai_agents.play.workers import pause
from gupai_env.core.game import Game
from gupai_env.core.scene import Scene, seat_names
from gupai_env.core.text import draw_text
from gupai_env.core.tiles import PIPS
from gupai_env.core.variant import Variant
from gupai_env.games.guide import guide_of
from gupai_env.messages import say, word
from gupai_env.messages.checks import read_whole, short_repr

LONGEST = 1000  # bytes of an answer that are read
SECONDS, LIMIT = 60.0, "seconds="  # that a program has for an answer, and what begins the word that changes it
MOST_SECONDS = 86_400.0
GRACE = 1.0  # seconds that a program has to end after its input


class TextAgent:
    """Asks for each choice in a line of JSON, which holds what the seat may know, and nothing else."""

    def __init__(
        self,
        name: str,
        game: Game,
        variant: Variant,
        ask: Callable[[str], str],
        translated: Callable[[Scene], Scene] | None = None,
    ) -> None:
        """Make the player.

        Args:
            name: What results and errors call it.
            ask: Takes a request and returns the line that answers it.
            translated: Returns a table with its words in the language of the context; None: they stay English.
        """
        self.name, self.game, self.variant = name, game, variant
        self.ask, self.translated = ask, translated
        self.guide, self.hints = guide_of(game, variant), game.hints(game, variant)
        self.decisions = 0  # that were asked for, of which the last gave its number as `id`

    def request(self, kind: str, scene: Scene | None = None, **content: Any) -> str:
        """Return a request as a line of JSON, in ASCII.

        Args:
            kind: Its type.
            scene: The table, if it shows one.
            content: What else it holds, by key.
        """
        content = {"type": kind, "game": self.game.id, "variant": vars(self.variant), **content}
        if scene is not None:
            scene = self.translated(scene) if self.translated else scene
            content |= {"table": draw_text(scene), "scene": scene}
        return f"{json.dumps(content, default=_plain)}\n"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return the moves that are chosen, one after another, int16 [N]; raises AgentError.

        Where there is one legal move, it is played and not asked for.
        """
        rows = zip(batch.views, batch.masks, strict=True)
        return np.array([self._choose(view, mask) for view, mask in rows], np.int16)

    def _choose(self, view: np.record, mask: np.ndarray) -> int:
        pause()
        actions = np.flatnonzero(mask).tolist()
        if len(actions) == 1:
            return int(actions[0])
        seat, moves = int(view.seat), self._moves(view, actions)
        self.decisions += 1
        request = self.request(
            "decision",
            self.game.scene(self.variant, [view], seat_names(self.variant.players, seat)),
            id=self.decisions,
            deal=int(view.deal) + 1,
            seat=seat,
            task=word(self.guide.task(view, mask)),
            moves=moves,
            view={name: _field(view[name]) for name in self.game.view.names or ()},
        )
        answer, names = self.ask(request).strip(), [move["name"] for move in moves]
        request_id, _, move = answer.partition(" ")
        parts = {"name": self.name, "seat": seat, "answer": short_repr(answer)}
        if request_id != str(self.decisions):
            template = "{name}, seat {seat}: {answer} answers another request; this answer begins with {id}"
            raise AgentError(say(template, **parts, id=self.decisions))
        number = names.index(move) + 1 if move in names else read_whole(move)
        if number is None or not 1 <= number <= len(names):
            template = "{name}, seat {seat}: {answer} is none of its moves, which are 1 to {most}, such as {move}"
            raise AgentError(say(template, **parts | {"answer": short_repr(move)}, most=len(names), move=names[0]))
        return int(actions[number - 1])

    def _moves(self, view: np.record, actions: Sequence[int]) -> list[dict[str, Any]]:
        """Return legal actions as data."""
        moves = {action: self.game.move(action, view) for action in actions}
        verbs = list(dict.fromkeys(move.verb for move in moves.values()))
        listed: list[dict[str, Any]] = []
        heading = ""
        for number, (action, move) in enumerate(moves.items(), 1):
            before, heading = heading, word(say(self.hints.heading(move.verb, verbs)))
            listed.append(
                {
                    "number": number,
                    "name": move.name,
                    **({"heading": heading} if heading != before else {}),
                    "text": word(say(self.hints.label(view, [action]))),
                    "tiles": PIPS[list(move.tiles)].tolist(),
                }
            )
        return listed


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python, and a record as its fields."""
    return value.item() if isinstance(value, np.generic) else vars(value)


def _field(value: Any) -> Any:
    """Return a field of a view; numbers of 64 bits are text, because many languages round them."""
    return value.astype(str).tolist() if value.dtype == np.int64 else value.tolist()


class CommandAgent(TextAgent):
    """A program of this machine, "command:PROGRAM ARGS", which is asked in English, whatever language is spoken."""

    def __init__(self, spec: str, game: Game, variant: Variant) -> None:
        """Find the program, which starts when it is first asked.

        Args:
            spec: The command as a shell takes it, after "command:" and perhaps "seconds=300 ", the most that an answer
                may take.

        Raises:
            ValueError: For a command that cannot be read, and for a program that is not there.
        """
        words, seconds = _words_of(spec)
        if not words or shutil.which(words[0]) is None:
            program = words[0] if words else "after command:"
            raise ValueError(say("{spec}: there is no program {program}", spec=short_repr(spec), program=program))
        self.program = Program(spec, words, seconds)
        super().__init__(spec, game, variant, self.program.ask)
        self.program.opening = self.request("game", rules=game.rules_text)
        note_origin(self, spec, [path for path in map(Path, words) if path.is_file()])

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return the moves that the program chooses, int16 [N]; raises AgentError for any that it does not."""
        with self.program.lock:
            try:
                return Context().run(super().act, batch)
            except BaseException:
                self.program.end()  # what it wrote next would answer an earlier request
                self.decisions = 0  # of the program that is started next
                raise


def _words_of(spec: str) -> tuple[list[str], float]:
    """Return the words of a command, and the seconds that an answer may take. Raises: ValueError."""
    try:
        words = shlex.split(spec.partition(":")[2])
    except ValueError:
        raise ValueError(f"{short_repr(spec)}: a quotation mark is missing") from None
    if not words or not words[0].startswith(LIMIT):
        return words, SECONDS
    with contextlib.suppress(ValueError):
        seconds = float(words[0].removeprefix(LIMIT))
        if 0 < seconds <= MOST_SECONDS:
            return words[1:], seconds
    raise ValueError(f"{short_repr(spec)}: seconds must be a number above 0, at most {MOST_SECONDS:g}")


class Program:
    """A program that writes a line for each request that it reads. It ends with this object, or with this process.

    Attributes:
        opening: The line that it gets first.
        lock: Held by whoever asks, until all answers are there.
    """

    def __init__(self, name: str, words: Sequence[str], seconds: float, opening: str = "") -> None:
        """Take what is to be started.

        Args:
            name: What errors call it.
            words: The program and its arguments.
            seconds: The most that an answer may take.
            opening: The line that it gets first.
        """
        self.name, self.words, self.seconds, self.opening = name, words, seconds, opening
        self.lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._end: Callable[[], int | None] = lambda: None

    def __reduce__(self) -> tuple[Any, ...]:
        return Program, (self.name, self.words, self.seconds, self.opening)  # each process starts its own

    def ask(self, request: str) -> str:
        """Return the line that answers a request; raises AgentError if there is none in time."""
        begin, lines = time.monotonic(), request.encode()
        if self._process is None:
            lines = self.opening.encode() + lines
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(  # in a session of its own, because ctrl-C is for us alone
                self.words, bufsize=0, stdin=pipe, stdout=pipe, start_new_session=True
            )
            self._end = weakref.finalize(self, _end, self._process)
        reader: Any = self._process.stdout
        writer: Any = self._process.stdin
        overdue = threading.Timer(self.seconds, _kill, [self._process])
        overdue.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                while lines:
                    lines = lines[writer.write(lines) :]
            answer = reader.readline(LONGEST)  # also of a program that has not read all
        finally:
            overdue.cancel()
        if answer.endswith(b"\n") or len(answer) == LONGEST:
            return str(answer.decode(errors="replace"))
        late = time.monotonic() - begin >= self.seconds
        status = self.end()
        if late:
            raise AgentError(say("{name} gave no answer within {number:g} s", name=self.name, number=self.seconds))
        raise AgentError(say("{name} ended with status {status} without an answer", name=self.name, status=status))

    def end(self) -> int | None:
        """End the program; return its exit status, None if it had not begun."""
        self._process = None
        return self._end()


def _end(process: subprocess.Popen) -> int:
    """End a program, which may first notice that its input has ended; return its exit status."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        _kill(process)
    status = process.wait()
    process.stdout.close()
    return status


def _kill(process: subprocess.Popen) -> None:
    """Kill a program and all that it started."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
