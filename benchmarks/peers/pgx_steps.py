"""Pgx: batches of games, stepped inside one jitted loop on the processor."""

from functools import partial
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np
import pgx
from pgx.experimental import auto_reset

from benchmarks.peers.protocol import BATCH, ENVS, Play, Row, Watch, serve

GAMES = ("kuhn_poker", "leduc_holdem", "tic_tac_toe", "connect_four", "sparrow_mahjong")
STEPS = 16  # in a call
COUNTED = (
    "A vmapped auto_reset(step), with the legal action mask and observation in the state that it returns. Random legal "
    "actions are drawn inside the jitted loop, 16 steps per call. XLA runs one thread; compilation is not counted."
)


def make(game: str) -> Play:
    """Return a function that plays STEPS steps of LANES games; watched, it goes step by step."""
    env = pgx.make(game)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one_step(_, carry):
        state, key = carry
        key, choice, chance = jax.random.split(key, 3)
        action = jax.random.categorical(choice, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
        return step(state, action, jax.random.split(chance, ENVS)), key

    @jax.jit
    def advance(state, key, steps):
        return jax.lax.fori_loop(0, steps, one_step, (state, key))

    key = jax.random.PRNGKey(1)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, ENVS))

    def play(watch: Watch | None) -> int:
        nonlocal state, key
        if watch is None:
            state, key = jax.block_until_ready(advance(state, key, STEPS))
            return STEPS * ENVS
        for _ in range(STEPS):
            watch.turn([observation.tobytes() for observation in np.asarray(state.observation)])
            state, key = advance(state, key, 1)
            terminated = np.asarray(state.terminated)
            watch.ended(terminated.sum(), (terminated & (np.asarray(state.rewards) != 0).any(1)).sum())
        return STEPS * ENVS

    return play


if __name__ == "__main__":
    rows = [Row(game, BATCH, partial(make, game)) for game in GAMES]
    serve("Pgx", f"{version('pgx')}, jax {version('jax')}", COUNTED, rows)
