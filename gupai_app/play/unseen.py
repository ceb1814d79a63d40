"""Who may hold the tiles that a seat does not see, counted in deals drawn from what it knows and from nothing else.

With the count comes what a belief that was learned from how players play makes of it, where one ships.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from gupai_agents.belief import hidden_fields, learned_belief
from gupai_env.core.deal import Fields, fields_of
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.tiles import KINDS, tile_name, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.messages import Message, say

DEALS = 400  # so that a probability is within 5% of what all possible deals would give
EXPLAINED = say(
    "Counted in {deals} deals that the rules and the play so far allow, each as likely as any other. How people and "
    "players like to play is not counted.",
    deals=DEALS,
)
JUDGED = (
    "The second number is the judgement of a network that has seen players of all kinds play: how likely such deals "
    "are after the moves of the others."
)
TELLING, MOST_TELLING = 0.15, 3  # a move says something that changes a probability by so much; moves that are named


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


def judged(
    game: Game, variant: Variant, view: np.record, names: Sequence[str]
) -> tuple[list[list[float]], list[Message]]:
    """Return what a learned belief makes of a view of a deal under way, two empty lists where none ships.

    Args:
        game, variant: What is played.
        view: What a seat knows.
        names: Of the seats.

    Returns:
        The probability that another hand holds one or more of a kind, [kind][place], the next seat first; and the moves
        of others after which one changed most, in words.
    """
    belief = learned_belief(game, variant)
    if belief is None:
        return [], []
    known = np.array([view], game.view).view(np.recarray)
    seats, actions, views = belief.course(known)
    held = np.array([belief.held(before) for before in views[:, None]])
    change, words = np.diff(held, axis=0), []
    for move, (seat, action) in enumerate(zip(seats, actions, strict=True)):
        change[move, :, list(game.moves[action].tiles)] = 0  # these are seen
        change[move] *= seat != view.seat
    most = np.abs(change).max((1, 2), initial=0)
    for move in most.argsort()[::-1][: min(np.count_nonzero(most >= TELLING), MOST_TELLING)]:
        place, kind = np.unravel_index(np.abs(change[move]).argmax(), change[move].shape)
        made = game.moves[actions[move]]
        lies_hidden = made.discards and len(hidden_fields(game)) > 1
        words.append(
            say(
                "After {move} of {mover}, {holder} holds {tile} with a probability of {after} instead of {before}",
                move=say("a discard") if lies_hidden else say(made.name),
                mover=names[int(seats[move])],
                holder=names[(int(view.seat) + place + 1) % variant.players],
                tile=tile_name(int(kind)),
                after=f"{held[move + 1, place, kind]:.0%}",
                before=f"{held[move, place, kind]:.0%}",
            )
        )
    return belief.held(known).T.tolist(), words
