"""PufferLib's card and board games in C ("ocean"), from the compiled modules of its wheel.

2.0.2 is the last version with a wheel, and that lacks the Python files next to the compiled modules, so that
`import pufferlib.ocean` fails. The modules work if their C functions are found: they are named `step` and `reset`,
and the dynamic linker looks first in glibc, which has an old `step` of its own (regexp.h). A module imported
without more ado calls that one with pointers to something else: it hangs, or steps nothing at 30 million a
second. RTLD_DEEPBIND makes a module look at itself first.
"""

import os
import sys
import sysconfig
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.peers.protocol import BATCH, ENVS, Play, Row, Watch, serve

COUNTED = (
    "A step of the learner, with the answering move of the C code and the observation. There is no mask, so actions "
    "are drawn from the whole action space, and an illegal one does nothing (in connect4 it loses the game)."
)


class Game(NamedTuple):
    """How a compiled game is made."""

    name: str  # of its class
    observation: int  # size
    actions: int
    steps: int  # in a call: so many that four calls see episodes end
    numbers: dict[str, float]  # mostly the sizes of what is drawn


GAMES = {
    "tripletriad": Game(
        "CyTripleTriad",
        observation=114,
        actions=15,
        steps=16,
        numbers={"width": 990, "height": 1000, "card_width": 192, "card_height": 224},
    ),
    "connect4": Game(
        "CyConnect4",
        observation=6 * 7,
        actions=7,
        steps=8,
        numbers={"width": 672, "height": 576, "piece_width": 96, "piece_height": 96},
    ),
    "go": Game(
        "CyGo",
        observation=2 * 7 * 7 + 2,
        actions=7 * 7 + 1,
        steps=64,
        numbers={"width": 950, "height": 800, "board_width": 600, "board_height": 600, "grid_size": 7}
        | {"grid_square_size": 64, "moves_made": 0, "score": 0.0, "komi": 7.5, "last_capture_position": -1}
        | {"reward_move_pass": -0.5, "reward_move_invalid": -0.1, "reward_move_valid": 0.05}
        | {"reward_player_capture": 0.25, "reward_opponent_capture": -0.25},
    ),
}


def load(game: str):
    """Import the compiled module of a game from its file."""
    folder = Path(sysconfig.get_path("platlib"), "pufferlib", "ocean", game)
    (path,) = folder.glob(f"cy_{game}.*.so")
    spec = spec_from_file_location(f"cy_{game}", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make(game: str) -> Play:
    """Return a function that plays some steps of LANES games."""
    name, size, num_actions, steps, numbers = GAMES[game]
    observations = np.zeros((ENVS, size), np.float32)
    actions = np.zeros(ENVS, np.int32)
    rewards = np.zeros(ENVS, np.float32)
    terminated = np.zeros(ENVS, np.uint8)
    envs = getattr(load(game), name)(observations, actions, rewards, terminated, ENVS, **numbers)
    envs.reset()
    rng = np.random.default_rng(1)

    def play(watch: Watch | None) -> int:
        for _ in range(steps):
            actions[:] = rng.integers(0, num_actions, ENVS, np.int32)
            if watch:
                watch.turn([observation.tobytes() for observation in observations])
            envs.step()
            if watch:
                ended = terminated != 0 if game != "go" else restarted(observations, watch.last)
                watch.ended(ended.sum(), (ended & (rewards != 0)).sum())
        return steps * ENVS

    return play


def restarted(observations: np.ndarray, before: Sequence[bytes]) -> np.ndarray:
    """Return where a board has been cleared: Go never sets its flag of the end for longer than inside a step."""
    return ~observations.any(1) & np.array([any(row) for row in before])


if __name__ == "__main__":
    sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)
    rows = [Row(game, BATCH, partial(make, game)) for game in GAMES]
    serve("PufferLib", version("pufferlib"), COUNTED, rows)
