"""Compiling in the background from the start of the server, so that no page waits in silence."""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator

from gupai_app.warm import Part, parts
from gupai_app.words import being_prepared
from gupai_env.core.game import Game
from gupai_env.core.phrases import title

PLAYERS, HINTS, MATCHES = 1, 2, 3  # how many parts of a game are needed for a table, for hints, and for reviews
PATIENCE = 1.5  # seconds that a page waits before it says what it waits for


class Warmer:
    """A thread that compiles games, or finds their machine code on disk, one part after another.

    What a page waits for is done first; else all games get their first part before any gets its second, so that a table
    of any of them is soon there. What fails here is left to the page that needs it.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self._left: dict[Game, Iterator[Part]] = {game: parts(game) for game in games}
        self._done = dict.fromkeys(self._left, 0)
        self._wanted: Game | None = None
        self._doing, self._begun = "", 0.0
        self._changed = threading.Condition()
        threading.Thread(target=self._work, daemon=True).start()

    def await_parts(self, game: Game, number: int) -> str:
        """Wait a moment for the first parts of a game; return "" when they are ready, else what is being done."""
        with self._changed:
            self._wanted = game  # its hints too come before those of others, while a person looks at its table
            if self._done.get(game, number) >= number:
                return ""
            if self._changed.wait_for(lambda: self._done[game] >= number, PATIENCE):
                return ""
            return being_prepared(title(game, game.variant()), self._doing, time.monotonic() - self._begun)

    def _work(self) -> None:
        while self._left:
            with self._changed:
                behind = min(self._left, key=self._done.__getitem__)
                game = self._wanted if self._wanted in self._left else behind
            part = None
            with contextlib.suppress(Exception):
                part = next(self._left[game], None)
            if part is None:
                del self._left[game]
            else:
                self._doing, self._begun = f"{part.what} of {title(game, game.variant())}", time.monotonic()
                with contextlib.suppress(Exception):
                    part.work()
            with self._changed:
                self._done[game] = MATCHES if part is None else self._done[game] + 1
                self._changed.notify_all()
