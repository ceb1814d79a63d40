"""The games that were shown last, so that a move continues from the page before."""

import threading
from typing import NamedTuple

from gupai_app.play.address import Address
from gupai_app.play.session import Session


class Played(NamedTuple):
    """A game at its beginning and now; lessons: those that each person has had."""

    begun: Session
    session: Session
    lessons: dict[int, frozenset[str]]


class Recent:
    """Games at the addresses that were shown last, so that a move continues from the one before."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: dict[Address, Played] = {}

    def get(self, address: Address) -> Played | None:
        """Return a game that may be continued, None if it is not cached."""
        with self._lock:
            if (played := self._found.pop(address, None)) is None:
                return None
            self._found[address] = played  # the latest are last
        return Played(played.begun, played.session.copy(), dict(played.lessons))

    def put(self, address: Address, played: Played) -> None:
        """Cache a game, which must not be played on from now."""
        with self._lock:
            self._found[address] = played
            while len(self._found) > self._most:
                del self._found[next(iter(self._found))]

    def clear(self) -> None:
        """Forget all games."""
        with self._lock:
            self._found.clear()


PLAYED = Recent(512)
