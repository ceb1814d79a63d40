"""Many RNG keys of a stream at once.

They have a module of their own: when `rng` changes, all games are compiled again.
"""

import numpy as np

from gupai_env.core.rng import GOLDEN, MIX_1, MIX_2


def derive_each(key: int, first: int, end: int) -> np.ndarray:
    """Return `derive(key, counter)` for every counter from `first` to before `end`, int64 [end - first].

    Args:
        key: An RNG key.
        first: The first counter, from 0.
        end: The one after the last.
    """
    s30, s27, s31, s1 = map(np.uint64, (30, 27, 31, 1))
    z = np.uint64(key) + np.arange(first + 1, end + 1, dtype=np.uint64) * np.uint64(GOLDEN)  # words wrap by themselves
    z = (z ^ (z >> s30)) * np.uint64(MIX_1)
    z = (z ^ (z >> s27)) * np.uint64(MIX_2)
    return ((z ^ (z >> s31)) >> s1).astype(np.int64)
