"""Who may hold the tiles that a seat does not see, counted in deals drawn from what it knows and from nothing else."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from gupai_env.core.deal import Fields, fields_of
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.tiles import KINDS, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.messages import say

DEALS = 400  # so that a probability is within 5% of what all possible deals would give
EXPLAINED = say(
    "Counted in {deals} deals that the rules and the play so far allow, each as likely as any other. How people and "
    "players like to play is not counted.",
    deals=DEALS,
)


class Unseen(NamedTuple):
    """A kind of tile that another seat may hold.

    by_seat: the probability that a seat holds one or more of them, by other seat, the next one first. nobody: that no
    other seat does.
    """

    kind: int
    by_seat: dict[int, float]
    nobody: float


def possible_deals(game: Game, variant: Variant, view: np.record, number: int) -> np.recarray:
    """Return states, record array [number], drawn uniformly from the deals that a view of a deal under way allows.

    They depend on the view alone; equal views give equal deals.

    Args:
        game, variant: What is played.
        view: What a seat knows.
        number: How many deals.
    """
    states, rules, known = game.new_states(number), variant.as_rules(), fields_of(view)
    key = int.from_bytes(blake2b(view.tobytes(), digest_size=8).digest()) >> 1
    for state, own_key in zip(states, derive_each(key, 0, number).tolist(), strict=True):
        game.determinize(rules, known, own_key, Fields(state))
    return states


def unseen_tiles(game: Game, variant: Variant, view: np.record) -> list[Unseen]:
    """Return the tiles that other seats may hold by a view of a deal under way, the highest first.

    A game whose states have no tile sets `hands` has none.

    Args:
        game, variant: What is played.
        view: What a seat knows.
    """
    if "hands" not in (game.state.names or ()):
        return []
    seats = [(int(view.seat) + place) % variant.players for place in range(1, variant.players)]
    deals = [
        [set(tiles_in(int(state.hands[seat]))) for seat in seats]
        for state in possible_deals(game, variant, view, DEALS)
    ]
    tiles = []
    for kind in reversed(range(KINDS)):
        held = [[kind in hand for hand in hands] for hands in deals]
        nobody = sum(not any(hands) for hands in held) / DEALS
        if nobody < 1:
            shares = {seat: sum(hands[place] for hands in held) / DEALS for place, seat in enumerate(seats)}
            tiles.append(Unseen(kind, shares, nobody))
    return tiles
