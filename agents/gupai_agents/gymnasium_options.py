"""Options of the Gymnasium environments, checked where they enter."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from gupai_agents.playouts import ANY_SEAT
from gupai_env.words.checks import is_one_of, is_whole, refused


def seat_number(seat: int | str, players: int) -> int:
    """Return the learner's seat as a number, ANY_SEAT for "random"."""
    if isinstance(seat, str) and seat == "random":
        return ANY_SEAT
    if is_whole(seat) and 0 <= int(seat) < players:
        return int(seat)
    raise refused("seat", seat, f'choose "random" or a seat of {list(range(players))}')


def mode_of(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Return how lanes continue after an episode; raises ValueError for anything except Gymnasium's modes."""
    for mode in AutoresetMode:
        if autoreset_mode is mode or is_one_of(autoreset_mode, [mode.value]):
            return mode
    choices = ", ".join(f'"{mode.value}"' for mode in AutoresetMode)
    raise refused("autoreset_mode", autoreset_mode, f"choose one of {choices}")


def require_no(options: dict[str, Any] | None) -> None:
    """Raise ValueError for options of a reset: there are none."""
    if options:
        raise refused("options", options, "there are no options")


def lanes_to_reset(options: dict[str, Any] | None, num_envs: int) -> np.ndarray | None:
    """Return the lanes that a reset deals, bool [B], None for all; raises ValueError for other options."""
    if not options:
        return None
    if set(options) != {"reset_mask"}:
        raise refused("options", options, 'the one option is "reset_mask"')
    lanes = np.asarray(options["reset_mask"])
    if lanes.dtype != np.bool_ or lanes.shape != (num_envs,) or not lanes.any():
        raise refused("reset_mask", options["reset_mask"], f"it must be bool [{num_envs}], true in one lane or more")
    return lanes
