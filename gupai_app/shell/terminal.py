"""Where a person reads and types: texts and tables of the terminal's width, and answers."""

import shutil
import sys
from collections.abc import Callable, Sequence

from gupai_agents.failure import Leave
from gupai_app.shell.streams import printable
from gupai_app.words.sentences import translated
from gupai_env.core.scene import Scene
from gupai_env.core.text import wrap
from gupai_env.messages import word
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

    def pages(self, lines: Sequence[str]) -> str:
        """Show lines, a screen at a time while the person presses Enter; return what else they type, "" at the end."""
        size = self.height - 2  # one for the question, one to spare
        for start in range(0, len(lines), size):
            self.say("\n".join(lines[start : start + size]))
            is_last = start + size >= len(lines)
            answer = self.ask("Enter shows the table: " if is_last else "Enter shows more, q the table: ")
            if answer:
                return answer
        return ""

    def table(self, scene: Scene, *, near_last: bool = False) -> None:
        """Show a table; near_last: with the near seat at the end, where the person's moves follow."""
        drawn = draw_text(translated(scene), colour=self.colour, width=self.width, near_last=near_last)
        self._say(f"\n{printable(drawn, colours=self.colour)}\n")

    def paragraph(self, text: str) -> None:
        """Show a text in lines of the terminal's width."""
        self._say(printable("\n".join(wrap(word(text), self.width))))
