"""Stopping a run by signals, none of which is lost. It imports nothing heavy, so that it is ready first."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gupai_app.shell.streams import note

STOPPED = 128  # exit status after a signal, plus its number
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # ctrl-C, a shutdown, a closed terminal; Windows has no SIGHUP


class Stop:
    """Ctrl-C and requests to end, recorded so that none is lost: an exception may be swallowed where it is raised.

    While `gently` is true a first signal interrupts nothing; `asked` shows it where stopping is safe. At any other
    time, and when a signal is repeated, it is a KeyboardInterrupt at once. One that leaves the context is reported in
    a line and ends the process.
    """

    def __init__(self) -> None:
        self.signal = 0  # the last that came
        self.gently = False
        self.result = "stopped"  # what a stop would leave behind now
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stop":
        for number in (getattr(signal, name) for name in SIGNALS if hasattr(signal, name)):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if kind is KeyboardInterrupt:
            note(self.result)
            raise SystemExit(STOPPED + (self.signal or signal.SIGINT)) from None

    def _note(self, number: int, frame: FrameType | None) -> None:
        is_repeat, self.signal = self.signal != 0, number
        if is_repeat or not self.gently:
            raise KeyboardInterrupt(number)

    def requested(self) -> bool:
        """Return whether a signal has come."""
        return self.signal != 0

    def check(self, *_: object) -> None:
        """Raise KeyboardInterrupt if a signal has come."""
        if self.signal:
            raise KeyboardInterrupt(self.signal)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Defer a first signal to the end of the block: a library that is interrupted while loading may abort."""
        before, self.gently = self.gently, True
        try:
            yield
        finally:
            self.gently = before
        self.check()
