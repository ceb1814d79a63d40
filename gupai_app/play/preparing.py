"""The search of hints, which is compiled while a person thinks about their first moves."""

import contextlib
import sys
import threading
import time

from gupai_agents.workers import Processes
from gupai_app.server.warming import HINTS, hints_on_disk, prepare
from gupai_app.words.sentences import being_prepared
from gupai_env.core.game import Game
from gupai_env.games.phrases import title
from gupai_env.words.messages import alias, say


class Preparation:
    """The compiling of a game's hints in a process of its own, unless they are on disk.

    waited_for: whether whoever asks for values waits until they are there, as a file of answers must.
    """

    def __init__(self, game: Game, *, waited_for: bool = False) -> None:
        """Begin; it ends with this process, however that ends."""
        self._game, self._begun, self.waited_for = game, time.monotonic(), waited_for
        self._thread = threading.Thread(target=self._work, daemon=True)
        if not hints_on_disk(game):
            self._thread.start()

    def _work(self) -> None:
        with contextlib.suppress(Exception):  # what fails here is left to the first hint
            for _ in Processes(1).as_done(_prepare, {self._game: (self._game.id,)}):
                pass

    @property
    def message(self) -> str:
        """What a person waits for, "" where the hints are ready."""
        if not self._thread.is_alive():
            return ""
        name = title(self._game, self._game.variant())
        part = say("{part} of {game}", part=alias("hints", context="part"), game=name)
        return being_prepared(name, part, time.monotonic() - self._begun)

    def wait(self) -> None:
        """Wait until the hints are ready."""
        if self._thread.is_alive():
            self._thread.join()


def _prepare(game: str) -> None:
    """Compile the hints of a game in silence, for a table is on the screen."""
    sys.stderr = None
    prepare(game, HINTS)
