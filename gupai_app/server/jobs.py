"""Work that takes longer than a response: one job at a time in its own thread, with progress and a way to stop."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from gupai_env.messages import one_line, say
from gupai_env.storage.files import describe

MOST_KEPT = 16  # jobs whose end is remembered


class Status(NamedTuple):
    """How far a job is.

    share: from 0 to 1. error: why it ended early, "" if it did not. result: its result, or what is known so far.
    """

    share: float = 0.0
    doing: str = "beginning"
    error: str = ""
    result: Any = None


class Notify(Protocol):
    """A callback for the progress of a job, called every few seconds; it raises when the person stops the job."""

    def __call__(self, share: float, doing: str, result: Any = None) -> None: ...


class _StoppedError(Exception):
    """The person has stopped the job."""


class Jobs:
    """The last few jobs since the server began; one runs at a time.

    running: the key of that one, "" if there is none. Keys are the addresses of pages.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._status: dict[str, Status] = {}
        self._stop = threading.Event()
        self.running, self._name = "", ""

    def status(self, key: str) -> Status | None:
        """Return how far a job is, None if it has not been started."""
        return self._status.get(key)

    def begin(self, key: str, name: str, work: Callable[[Notify], Any]) -> None:
        """Start a job; one with the same key that is running already is left alone.

        Args:
            name: Its name for people.
            work: Called with the callback for its progress; returns its result.

        Raises:
            ValueError: While another job runs.
        """
        with self._lock:
            if self.running == key:
                return
            self.require_free()
            self._stop.clear()
            self._status.pop(key, None)
            while len(self._status) >= MOST_KEPT:
                del self._status[next(iter(self._status))]
            self._status[key] = Status()
            self.running, self._name = key, name
        try:
            threading.Thread(target=self._do, args=(key, work), daemon=True).start()
        except BaseException:
            self._end(key, Status(error="It could not be begun."))
            raise

    def require_free(self) -> None:
        """Raise ValueError while a job runs."""
        if self.running:
            raise ValueError(say("{name} is under way; stop it or wait for its end", name=self._name))

    def stop(self, key: str) -> None:
        """Stop a job, if it is running; it ends at its next call of `notify`."""
        if self.running == key:
            self._stop.set()

    def _do(self, key: str, work: Callable[[Notify], Any]) -> None:
        def notify(share: float, doing: str, result: Any = None) -> None:
            if self._stop.is_set():
                raise _StoppedError
            self._status[key] = Status(share, doing, result=result)

        ended = Status(error="It failed.")
        try:
            ended = Status(1.0, "done", result=work(notify))
        except _StoppedError:
            ended = Status(error="It was stopped.", result=self._status[key].result)
        except BaseException as error:  # of any kind, also an agent's SystemExit: a page says what failed
            ended = Status(error=say("It failed: {problem}", problem=failure_message(error)))
        finally:
            self._end(key, ended)

    def _end(self, key: str, ended: Status) -> None:
        with self._lock:
            self._status[key] = ended
            self.running = self._name = ""


def failure_message(error: BaseException) -> str:
    """Return in one line what an error says; one that says nothing by its kind."""
    kind = type(error).__name__
    try:
        words = describe(error) if isinstance(error, OSError) else str(error)
    except Exception:  # an agent's error may fail itself
        words = ""
    if isinstance(error, (ValueError, OSError)):
        return one_line(words) or kind
    return f"{kind}: {' '.join(words.split())}" if words.strip() else kind
