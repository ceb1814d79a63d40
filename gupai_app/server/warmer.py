"""Compiling in the background from the start of the server, so that no page waits in silence."""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gupai_agents.workers import Processes
from gupai_app.server.warm import Part, hints_on_disk, parts, prepare
from gupai_app.words.sentences import being_prepared
from gupai_env.core.game import Game
from gupai_env.games.phrases import title
from gupai_env.words.messages import alias, say

PLAYERS, HINTS, MATCHES = 1, 2, 3  # how many parts of a game are needed for a table, for hints, and for reviews
PATIENCE = 1.5  # seconds that a page waits before it says what it waits for


class Work(NamedTuple):
    """What is being compiled; begun: by the monotonic clock, in seconds."""

    game: Game
    what: str
    begun: float


class Warmer:
    """Compiles games, or finds their machine code on disk, one part after another in a thread.

    What a page waits for is done first; else all games get their first part before any gets its second, so that a table
    of any of them is soon there. A process compiles one loop at a time, so another process compiles hints meanwhile
    where they are not on disk; this one finds them there. What fails here is left to the page that needs it.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self._left: dict[Game, Iterator[Part]] = {game: parts(game) for game in games}
        self._done = dict.fromkeys(self._left, 0)
        self._wanted: Game | None = None
        self._here: Work | None = None
        self._there: Work | None = None  # hints, in the other process
        self._changed = threading.Condition()
        for work in (self._work, self._work_in_another_process):
            threading.Thread(target=work, daemon=True).start()

    def await_parts(self, game: Game, number: int, *, patient: bool = True) -> str:
        """Wait a moment for the first parts of a game; return "" when they are ready, else what is being done.

        Args: patient: False: do not wait, the page has something to show meanwhile.
        """
        with self._changed:
            self._wanted = game  # its hints too come before those of others, while a person looks at its table
            self._changed.notify_all()
            if self._done.get(game, number) >= number:
                return ""
            if patient and self._changed.wait_for(lambda: self._done[game] >= number, PATIENCE):
                return ""
            under_way = [work for work in (self._here, self._there) if work is not None]
            begins = Work(game, "players", time.monotonic())
            doing = next((work for work in under_way if work.game is game), (*under_way, begins)[0])
            of = title(doing.game, doing.game.variant())
            part = say("{part} of {game}", part=alias(doing.what, context="part"), game=of)
            return being_prepared(title(game, game.variant()), part, time.monotonic() - doing.begun)

    def _at_hints(self, game: Game, work: Work | None) -> bool:
        """Return whether the next part of a game are its hints, and somebody is at them."""
        return work is not None and work.game is game and self._done[game] + 1 == HINTS

    def _next(self) -> Game | None:
        """Return the game of which this process does a part now; None while the other process is at what is wanted."""
        ready = [game for game in self._left if not self._at_hints(game, self._there)]
        if self._wanted in self._left:
            return self._wanted if self._wanted in ready else None
        return min(ready, key=self._done.__getitem__, default=None)

    def _work(self) -> None:
        while self._left:
            with self._changed:
                self._changed.wait_for(self._next)
                game = self._next()
                assert game is not None
                part = None
                with contextlib.suppress(Exception):
                    part = next(self._left[game], None)
                if part is None:
                    del self._left[game]
                else:
                    self._here = Work(game, part.what, time.monotonic())
            if part is not None:
                with contextlib.suppress(Exception):
                    part.work()
            with self._changed:
                self._here = None
                self._done[game] = MATCHES if part is None else self._done[game] + 1
                self._changed.notify_all()

    def _work_in_another_process(self) -> None:
        left = list(self._done)
        while left:
            with self._changed:
                game = self._wanted if self._wanted in left else left[0]
                left.remove(game)
            kept = hints_on_disk(game)  # no page waits for the disk
            with self._changed:
                if kept or self._done[game] >= HINTS or self._at_hints(game, self._here):
                    continue
                self._there = Work(game, "hints", time.monotonic())
            with contextlib.suppress(Exception):
                prepare_elsewhere(game)
            with self._changed:
                self._there = None
                self._changed.notify_all()


def prepare_elsewhere(game: Game) -> None:
    """Compile the hints of a game in a process of its own; raises ValueError if it ends early."""
    for _ in Processes(1).as_done(prepare, {game: (game.id, HINTS)}):
        pass
