"""Our own engine: batches of lanes, one lane, and one PettingZoo game, of every game."""

from functools import partial

import gupai_env
from benchmarks.peers.agent_iter import COUNTED as AGENT_ITER_COUNTED
from benchmarks.peers.agent_iter import play_aec
from benchmarks.peers.protocol import AGENT_ITER, BATCH, ENVS, ONE_GAME, Play, Row, Watch, serve
from gupai_env.aec import GupaiEnv
from gupai_env.core import compiling
from gupai_env.games import GAMES
from gupai_env.vector import VectorEnv

compiling.PLAIN_SECONDS = 0  # what is compared is machine code
STEPS = 16  # in a call
COUNTED = (
    "sample (a random legal action per lane) and step of VectorEnv, with mask, observation, payoffs and the next deal. "
    f'"At once" is the same by play_random, {STEPS} steps per call inside the compiled loop, as in Pgx. '
    f"The mode agent_iter counts {AGENT_ITER_COUNTED}"
)


def make(game: str, num_envs: int) -> Play:
    """Return a function that plays STEPS steps of some lanes."""
    table = VectorEnv(game, num_envs, seed=1)
    calls = 0

    def play(watch: Watch | None) -> int:
        nonlocal calls
        for _ in range(STEPS):
            calls += 1
            if watch:
                watch.turn([observation.tobytes() for observation in table.observations])
            payoffs, terminated = table.step(table.sample(calls))
            if watch:
                watch.ended(terminated.sum(), (payoffs != 0).any(1).sum())
        return STEPS * num_envs

    return play


def make_at_once(game: str, num_envs: int) -> Play:
    """Return a function that plays STEPS steps of some lanes in one call; one step a call while they are watched."""
    table = VectorEnv(game, num_envs, seed=1)
    calls = 0

    def play(watch: Watch | None) -> int:
        nonlocal calls
        if not watch:
            calls += 1
            table.play_random(STEPS, calls)
        for _ in range(STEPS if watch else 0):
            calls += 1
            watch.turn([observation.tobytes() for observation in table.observations])
            payoffs, terminated = table.play_random(1, calls)
            watch.ended(terminated.sum(), (payoffs != 0).any(1).sum())
        return STEPS * num_envs

    return play


def make_aec(game: str) -> Play:
    """Return a function that plays one game through agent_iter."""
    return play_aec(GupaiEnv(game))


if __name__ == "__main__":
    rows = [
        row
        for game in GAMES
        for row in (
            Row(game, BATCH, partial(make, game, ENVS)),
            Row(f"{game}, at once", BATCH, partial(make_at_once, game, ENVS)),
            Row(game, ONE_GAME, partial(make, game, 1)),
            Row(game, AGENT_ITER, partial(make_aec, game)),
        )
    ]
    serve("gupai", gupai_env.__version__, COUNTED, rows)
