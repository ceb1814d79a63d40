"""Compiling in the background from the start of the server, so that no page waits in silence."""

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import NamedTuple

from gupai_agents import agent_names, make_agent
from gupai_agents.agent import Agent, probabilities
from gupai_agents.play.decisions import play_out
from gupai_agents.play.workers import Processes
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import BEST, best_heuristic
from gupai_app.play.moves import ADVISER
from gupai_app.play.session import Session
from gupai_app.words.sentences import being_prepared
from gupai_env.core.compiling import at_once, is_ready
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.games.phrases import title
from gupai_env.messages import alias, say
from gupai_env.vector import VectorEnv

PARTS = "players", "hints", "matches and reviews"  # what is compiled of a game, in the order in which a person needs it
PLAYERS, HINTS, MATCHES = 1, 2, 3  # how many of them are needed for a table, for hints, and for reviews
PATIENCE = 0.2  # seconds that a page waits before it says what it waits for


class Work(NamedTuple):
    """What is being compiled; begun: by the monotonic clock, in seconds."""

    game: Game
    what: str
    begun: float

    def sentence(self, game: Game) -> str:
        """Return in a sentence that a game waits for this."""
        part = say("{part} of {game}", part=alias(self.what, context="part"), game=_titled(self.game))
        return being_prepared(_titled(game), part, time.monotonic() - self.begun)


def _titled(game: Game) -> str:
    return title(game, game.variant())


class Warmer:
    """Compiles games, or finds their machine code on disk, one part after another in a thread.

    What a page waits for is done first; else all games get their first part before any gets its second, so that a table
    of any of them is soon there. What fails here is left to the page that needs it.
    """

    def __init__(self, games: Iterable[Game]) -> None:
        self._parts = {game: parts(game) for game in games}
        self._done = dict.fromkeys(self._parts, 0)
        self._wanted: Game | None = None
        self._doing: Work | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._work, daemon=True).start()

    def await_parts(self, game: Game, number: int, *, patient: bool = True) -> str:
        """Wait a moment for the first parts of a game; return "" when they are ready, else what is being done.

        Args:
            patient: False: do not wait, the page has something to show meanwhile.
        """
        with self._changed:
            self._wanted = game  # its hints too come before those of others, while a person looks at its table
            if self._done.get(game, number) >= number:
                return ""
            if patient and self._changed.wait_for(lambda: self._done[game] >= number, PATIENCE):
                return ""
            return (self._doing or Work(game, PARTS[0], time.monotonic())).sentence(game)

    def _next(self) -> Game:
        """Return the game of which a part is done now."""
        remaining = [game for game, done in self._done.items() if done < MATCHES]
        return min(remaining, key=lambda game: (game is not self._wanted, self._done[game]))

    def _work(self) -> None:
        for _ in range(MATCHES * len(self._done)):
            with self._changed:
                game = self._next()
                number = self._done[game] + 1
                self._doing = Work(game, PARTS[number - 1], time.monotonic())
            with contextlib.suppress(Exception):
                next(self._parts[game])()
            with self._changed:
                self._doing = None
                self._done[game] = number
                self._changed.notify_all()


class Preparation:
    """The compiling of a game's hints in a process of its own, unless they are on disk, while a person thinks.

    waited_for: whether whoever asks for values waits until they are there, as a file of answers must. wait: waits until
    the hints are ready, where there is a message.
    """

    def __init__(self, game: Game, *, waited_for: bool = False) -> None:
        """Begin; it ends with this process, however that ends."""
        self._work, self.waited_for = Work(game, PARTS[HINTS - 1], time.monotonic()), waited_for
        self._thread = threading.Thread(target=prepare_elsewhere, args=(game,), daemon=True)
        self.wait = self._thread.join
        if not hints_on_disk(game):
            self._thread.start()

    @property
    def message(self) -> str:
        """What a person waits for, "" where the hints are ready."""
        return self._work.sentence(self._work.game) if self._thread.is_alive() else ""


def prepare_elsewhere(game: Game) -> None:
    """Compile the hints of a game in a process of its own; what fails there is left to the first hint."""
    with contextlib.suppress(Exception):
        for _ in Processes(1).as_done(prepare, {game: (game.id, HINTS)}):
            pass


def parts(game: Game) -> Iterator[Callable[[], object]]:
    """Yield what does each of the PARTS of a game once, so that it is compiled or found."""
    variant = game.variant()
    heuristic = heuristic_agent(f"{best_heuristic(game)}@1", game, variant)
    networks = [BEST] if BEST in agent_names(game, variant) else []
    yield lambda: _choose(game, variant, [heuristic, *(make_agent(name, game) for name in networks)])
    yield lambda: _advise(game, variant)
    yield lambda: _match(game, variant, heuristic)


def prepare(game: str, number: int) -> None:
    """Do a part of a game by its number from 1, in silence: a process of its own leaves machine code on disk."""
    with contextlib.redirect_stderr(None):  # of a process beside a table on the screen
        next(itertools.islice(parts(get_game(game)), number - 1, None))()


def hints_on_disk(game: Game) -> bool:
    """Return whether hints of a game need no compiling, only loading."""
    return is_ready(SearchAgent.__module__, game)


@at_once()
def _choose(game: Game, variant: Variant, agents: list) -> None:
    batch = Session(game, variant, 0).decision_batch()
    for agent in agents:
        agent.act(batch)
    probabilities(agents[0], game, variant, batch)


@at_once()
def _advise(game: Game, variant: Variant) -> None:
    adviser = make_agent(ADVISER, game, **asdict(variant))
    assert isinstance(adviser, SearchAgent)
    adviser.compare(Session(game, variant, 0).decision_batch())


@at_once()
def _match(game: Game, variant: Variant, heuristic: Agent) -> None:
    envs = VectorEnv(game, 2, renew=False, **asdict(variant))
    envs.step(envs.sample(0))
    play_out(envs, [heuristic])
