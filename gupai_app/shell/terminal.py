"""Where a person reads and types: texts and tables of the terminal's width, and answers."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from gupai_agents.failure import Leave
from gupai_app.shell.streams import printable
from gupai_app.words.sentences import translated
from gupai_env.core.scene import Scene
from gupai_env.core.text import wrap
from gupai_env.messages import say, word
from gupai_env.render import draw_text

WIDEST = 100  # columns


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
            those of the terminal, at most 100. left: lines of the screen that
            are empty since the last question.

        Args:
            ask: Shows a prompt and returns a line, or raises EOFError.
            say: Shows some lines.
        """
        self._print, self._ask = say, ask
        self.colour = sys.stdout.isatty() if colour is None else colour
        size = shutil.get_terminal_size()
        self.width = width or max(min(size.columns, WIDEST), 40)
        self.height, self.left = size.lines, size.lines
        self.pauses = ask is input and sys.stdin.isatty()  # whether a person reads what scrolls by
        self.ahead: list[str] = []  # answers to questions that are still to come

    def ask(self, prompt: str) -> str:
        """Return what the person answers, in small letters; raises Quit at ctrl-C or where no input is left.

        A person may type several answers at once, with ";" between.
        """
        self.left = self.height
        if self.ahead:
            self.say(f"{word(prompt)}{self.ahead[0]}")
            return self.ahead.pop(0)
        try:
            first, *self.ahead = [answer.strip() for answer in self._ask(word(prompt)).lower().split(";")]
        except (EOFError, KeyboardInterrupt, RuntimeError):  # the last where standard input is closed
            self.say("")  # after the prompt
            raise self.leave() from None
        return first

    def drop(self) -> None:
        """Forget the answers that were typed at once with one that cannot be, and say so."""
        if self.ahead:
            self.paragraph(say("Left out: {answers}.", answers="; ".join(self.ahead)))
            self.ahead.clear()

    def leave(self) -> Quit:
        """Say that the person leaves; return what is to be raised."""
        self.say("You have left the table.")
        return Quit(0)

    def say(self, text: str) -> None:
        """Show some lines, in which control characters are written out."""
        self._say(printable(word(text)))

    def _say(self, text: str) -> None:
        self.left -= text.count("\n") + 1
        self._print(text)

    def pages(self, lines: Sequence[str]) -> None:
        """Show lines, a screen at a time while the person presses Enter; what else they type is their next answer."""
        size = self.height - 2  # one for the question, one to spare
        for start in range(0, len(lines), size):
            self.say("\n".join(lines[start : start + size]))
            is_last = start + size >= len(lines)
            if answer := self.ask("Enter shows the table: " if is_last else "Enter shows more, q the table: "):
                self.ahead += [answer] * (is_last or answer != "q")
                return

    def introduce(self, lines: Sequence[str]) -> None:
        """Show what a person is to read before the table, which would push it off the screen."""
        if self.pauses:
            self.pages(lines)
        else:
            self.say("\n".join(lines))
            self.left = self.height

    def table(self, scene: Scene, *, near_last: bool = False, after: int = 0) -> None:
        """Show a table.

        Args:
            near_last: With the near seat at the end, where the person's moves follow.
            after: Lines that follow before the next question: if not all that is said since the last one is on one
                screen then, the table takes fewer lines.
        """
        draw = partial(draw_text, translated(scene), colour=self.colour, width=self.width)
        drawn = f"{draw(near_last=near_last)}\n"
        if after and drawn.count("\n") + 2 + after > self.left:
            drawn = draw(compact=True)
        self._say(f"\n{printable(drawn, colours=self.colour)}")

    def paragraph(self, text: str) -> None:
        """Show a text in lines of the terminal's width."""
        self._say(printable("\n".join(wrap(word(text), self.width))))


def paged(texts: Iterable[str]) -> None:
    """Print texts; in a terminal by the pager of the person, who may leave it before all of them are made."""
    program, *words = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    pager = shutil.which(program) if sys.stdin.isatty() and sys.stdout.isatty() else None
    if pager is None:
        for text in texts:
            print(text, end="")
        return
    look = {"LESS": "FRX", **os.environ}  # colours, and no pager where one screen is enough; as git has it
    process = subprocess.Popen([pager, *words], stdin=subprocess.PIPE, encoding="utf-8", env=look)
    assert process.stdin is not None
    with suppress(BrokenPipeError, KeyboardInterrupt), process.stdin as lines:  # ctrl-C is for the pager
        for text in texts:
            lines.write(text)
    while process.poll() is None:
        with suppress(KeyboardInterrupt):
            process.wait()
