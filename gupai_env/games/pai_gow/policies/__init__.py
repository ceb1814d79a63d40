"""Published ways of splitting a hand, as players by name."""

from collections.abc import Callable

import numpy as np

from gupai_env.games.pai_gow.policies import house_way, jb_player, new_zealand, wizard_basic
from gupai_env.games.pai_gow.policies.hand import Hand, Split, policy_of

WAYS: dict[str, Callable[[Hand], Split]] = {
    "house-way": house_way.split,
    "new-zealand": new_zealand.split,
    "wizard-basic": wizard_basic.split,
    "jb-player": jb_player.split,
}
POLICIES: dict[str, Callable[[np.record], int]] = {name: policy_of(way) for name, way in WAYS.items()}
