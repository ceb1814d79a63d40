"""A rule-based player with a memory: `tuned`, which knows of a stacked line only what its observations show.

    pip install -c constraints.txt ".[train]"
    gupai tournament jie-long stacked_memory:remembers stacked_memory:forgets -o stacked=true -o forced_play=true
    gupai tournament ce-deng stacked_memory:remembers stacked_memory:forgets -o stacked=true

With `stacked=True` covered tiles count as unseen in an observation. `forgets` decides from the observation at hand;
`remembers` also from those of its earlier decisions in the deal: a tile that was seen stays seen, and a seat that could
not follow a number stays without it.
"""

import numpy as np

from gupai_agents import DecisionBatch, make_agent
from gupai_env import Game
from gupai_env.game import KINDS, ONE, Variant

OTHERS, NUMBERS = 3, 6  # the shape of the section `void`


class Watcher:
    """`tuned`, with what its views say of unseen tiles and missing numbers replaced by what observations show."""

    def __init__(self, game: Game, variant: Variant, remembers: bool) -> None:
        self.name, self.game, self.variant = "remembers" if remembers else "forgets", game, variant
        self.player, self.layout = make_agent("tuned", game, **vars(variant)), game.encoder.layout
        # Before the first decision: copies of each kind that may be unseen, and that no seat is known to lack a number.
        self.memory = np.array([127] * KINDS + [0] * OTHERS * NUMBERS, np.int8)
        self.remembers = remembers

    def act(self, batch: DecisionBatch, memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return actions, int16 [N], and what is known by then, int8 [N, KINDS + OTHERS * NUMBERS]."""
        sections = self.layout.split(batch.observations(self.game))
        unseen, void = sections["unseen"], sections["void"].reshape(len(memory), -1)
        if self.remembers:
            unseen, void = np.minimum(unseen, memory[:, :KINDS]), np.maximum(void, memory[:, KINDS:])
        batch.views.unseen = unseen.astype(np.int64) @ ONE
        batch.views.void[:, 1:, 1:] = void.reshape(-1, OTHERS, NUMBERS)
        return self.player.act(batch), np.concatenate([unseen, void], 1)


def remembers(game: Game, variant: Variant) -> Watcher:
    return Watcher(game, variant, remembers=True)


def forgets(game: Game, variant: Variant) -> Watcher:
    return Watcher(game, variant, remembers=False)
