"""The protocol of a player: it sees views, never states, and answers a whole batch at once."""

from typing import NamedTuple, Protocol

import numpy as np


class Turns(NamedTuple):
    """Decisions to be made, one a row.

    views: record array [N] of the game's view, what the seat to act knows.
    masks: bool [N, num_actions], its legal actions; at least one a row.
    keys: int64 [N], the key of all chance the player may use in this decision (see `gupai_env.core.rng`).
    """

    views: np.recarray
    masks: np.ndarray
    keys: np.ndarray


class Agent(Protocol):
    """A player of one variant. Equal views, masks and keys must give equal actions, whatever the batch."""

    name: str

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        ...
