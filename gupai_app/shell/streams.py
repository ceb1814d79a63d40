"""What the command line reads and writes: streams that may be closed or gone, harmless text, the language chosen.

It imports nothing heavy, so that it is ready first; English needs no catalogue, so that help comes at once.
"""

import errno
import io
import os
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TextIO

CATALOGUES = "gupai_app.words.languages"


def choose(words: Sequence[str]) -> None:
    """Speak the language of `--language` among the words of a command, or that of the locale, such as zh_TW.UTF-8."""
    locale = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    language = ""
    for word, following in pairwise([*words, ""]):
        name, sign, value = word.partition("=")
        if name == "--language":
            language = value if sign else following
    if language or locale.startswith("zh"):
        from gupai_app.words.languages import LANGUAGES, preferred, speak

        of_locale = preferred(locale.partition(".")[0].replace("_", "-"))
        speak(language if language in LANGUAGES else of_locale)


def worded(template: str, /, **arguments: Any) -> str:
    """Return a text, or a template with its arguments, in the language that was chosen."""
    if CATALOGUES not in sys.modules:
        return template.format(**arguments) if arguments else template
    from gupai_env.messages import say, word

    return word(say(template, **arguments))


COLOURS = re.compile(r"(\x1b\[[0-9;]*m)")
# What moves the cursor or turns the order of letters: control characters but newline and tab, lone surrogates, and the
# marks for the direction of text and for new lines.
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class OutputLostError(BaseException):
    """Standard output takes no more: no OSError, as of a file, and no failure of an agent that shows something."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = OSError(error.errno, error.strerror, "standard output")
        self.reader_left = error.errno == errno.EPIPE


class _Raw(io.RawIOBase):
    """The bytes of an output. The first that are lost raise OutputLostError, unless losses are not `reported`."""

    def __init__(self, raw: io.FileIO | None, *, reported: bool) -> None:
        self._raw, self._reports = raw, reported

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        if self._raw is None:
            raise io.UnsupportedOperation("a closed stream has no number")
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._raw is not None and self._raw.isatty()

    def write(self, data: "bytes | memoryview") -> int | None:  # type: ignore[override]
        try:
            if self._raw is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            return self._raw.write(data)
        except OSError as error:
            if self._reports:
                self._reports = False  # what is left in buffers is dropped
                raise OutputLostError(error) from None
            return len(data)


def _output(stream: TextIO | None, *, reported: bool) -> TextIO:
    if stream is not None and not isinstance(stream, io.TextIOWrapper):
        return stream  # of a notebook or a test
    try:
        raw = None if stream is None else io.FileIO(stream.fileno(), "w", closefd=False)
    except (OSError, ValueError):  # it has no file of its own
        return stream if stream is not None else sys.stdout
    return io.TextIOWrapper(
        io.BufferedWriter(_Raw(raw, reported=reported)),  # type: ignore[type-var]
        "utf-8" if stream is None else stream.encoding,
        "replace",  # a terminal without a character shows ? instead
        # also under PYTHONUNBUFFERED: the buffer below would lose its lines if the process were killed
        line_buffering=stream is not None and (stream.line_buffering or stream.write_through),
    )


def take() -> None:
    """Ensure that there are standard streams, whatever the process was started with."""
    while True:  # files that are opened later must not get their numbers
        number = os.open(os.devnull, os.O_RDWR)
        if number > 2:
            os.close(number)
            break
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    sys.stdout, sys.stderr = _output(sys.stdout, reported=True), _output(sys.stderr, reported=False)


def printable(text: str, *, colours: bool = False) -> str:
    """Return a text whose control characters are written out, such as \\x1b.

    Args:
        text: Anything, such as a name from a file.
        colours: Whether what switches colours stays.
    """
    if colours:
        parts = COLOURS.split(text)
        return "".join(part if index % 2 else printable(part) for index, part in enumerate(parts))
    return HARMFUL.sub(lambda match: ascii(match[0])[1:-1], text)


def say(text: str, *, error: bool = False, end: str = "\n", **arguments: Any) -> None:
    """Print a text that may hold anything, or a template with its arguments, in the language that was chosen.

    Args:
        error: Whether it goes to standard error, as what is not the answer of a command.
    """
    print(printable(worded(text, **arguments)), end=end, file=sys.stderr if error else sys.stdout)


def note(line: str) -> None:
    """Print a line about the work of a command on standard error."""
    say("gupai: {note}", error=True, note=worded(line))
