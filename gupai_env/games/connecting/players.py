"""What the rule-based players of the connecting games weigh. Of equal moves they play the first."""

import numpy as np

from gupai_env.core.bits import ones
from gupai_env.core.heuristic import Feature, indices, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, HIGHEST, KINDS, ONE, PIPS, WEIGHT, bit_each, kinds_in, size
from gupai_env.games.connecting.rules import DISCARD, SEATS, ends_after
from gupai_env.messages import say

FEATURES = (
    Feature("pips", "pips of the tile that is laid", "pips", 2, 12),
    yes_or_no("discard", "the tile is discarded"),
    Feature("discard_pips", "pips of the tile that is discarded", "pips", 2, 12),
    Feature("variety", "different numbers on the tiles that are kept", "numbers", 0, 6),
    yes_or_no("double", "a double is laid"),
    Feature("double_early", "a double is laid: the share of the deal still to come", "share", 0, 1),
    Feature("late_pips", "pips of the tile that is laid, times the share of the deal that is over", "pips", 0, 12),
    Feature("own_fit", "tiles kept that fit a number left open", "tiles", 0, 15),
    Feature("unseen_fit", "unseen tiles that fit a number left open", "tiles", 0, 15),
    Feature("next_void", "seats that come next, one after another, known to hold no tile that fits", "seats", 0, 3),
    Feature("gives_up", "numbers that no tile kept carries any more", "numbers", 0, 2),
    Feature("answers", "unseen tiles with a number that a kept tile has too", "tiles", 0, 32),
    Feature("own_next", "tiles kept that fit a number open after the move", "tiles", 0, 15),
    Feature("unseen_next", "unseen tiles that fit a number open after the move", "tiles", 0, 15),
    *(yes_or_no(f"leave_{n}", say("{number} is left open", number=n)) for n in range(1, HIGHEST + 1)),
    *(
        yes_or_no(f"attack_{n}", say("{number} is left open and a tile with it is kept", number=n))
        for n in range(1, HIGHEST + 1)
    ),
    *(
        yes_or_no(
            f"attack_short_{n}",
            say("{number} is left open, a tile with it is kept and no more are unseen than kept", number=n),
        )
        for n in range(1, HIGHEST + 1)
    ),
)
AT = indices(FEATURES)
CARRIED = 7 * CARRYING  # all tiles with a number
NUMBERS_ON = np.bitwise_or.reduce(1 << PIPS.astype(np.int64), 1)  # [KINDS], the numbers of a tile as bits
IS_DOUBLE = (PIPS[:, 0] == PIPS[:, 1]).astype(np.float64)  # [KINDS]
OPEN, OTHER_OPEN = (
    0,
    HIGHEST + 1,
)  # in what scores share, + a number: for leaving it open, with a tile that has it or not
LEAVE, ATTACK, ATTACK_SHORT = AT.leave_1 - 1, AT.attack_1 - 1, AT.attack_short_1 - 1  # + the number left open

GREEDY: dict[str, float] = {"pips": 1, "discard": -200, "discard_pips": -1}
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": GREEDY,  # the heaviest tile; when nothing fits the lightest is discarded
    "variety": GREEDY | {"variety": 4},  # so that the hand keeps many different numbers, a number like four pips
}


@rule
def sharing(tiles):
    """Return the kinds that share a number with a tile of a set."""
    kinds, shared = kinds_in(tiles), 0
    for number in range(1, HIGHEST + 1):
        if kinds & CARRYING[number]:
            shared |= CARRYING[number]
    return shared


@rule
def share_over(view):
    """Return how much of the deal is over, 0 to 1."""
    unplayed = 0
    for place in range(SEATS):
        unplayed += view.sizes[place]
    return view.turn / (view.turn + unplayed)


@rule
def voids_next(view, end, other):
    """Return how many seats, one after another from the next, are known to hold neither number.

    Args:
        view: What the seat to act knows.
        end, other: Two numbers, 1 to 6.
    """
    voids = 0
    for place in range(1, SEATS):
        if not (view.void[place, end] and view.void[place, other]):
            break
        voids += 1
    return voids


@rule
def prepare_moves(view, weights, both_ends, spare):
    """Fill `spare` with the parts of a score for leaving a number open, and return what the scores of moves share.

    Returns how many numbers are in hand, as bits those that one tile alone has, the unseen tiles with a bit for each,
    and the share of the deal that is over.
    """
    hand, unseen, held, alone = bit_each(view.hand), bit_each(view.unseen), 0, 0
    for number in range(1, HIGHEST + 1):
        own, others = ones(hand & CARRIED[number]), ones(unseen & CARRIED[number])
        held += int(own > 0)
        alone |= int(own == 1) << number
        spare[OPEN + number] = opening_score(number, own - 1, others, weights)
        if both_ends:
            spare[OTHER_OPEN + number] = opening_score(number, own, others, weights)
    return held, alone, unseen, share_over(view)


@rule
def score_of(view, action, weights, both_ends, common, spare):
    """Return the weighted sum of the features of an action; the dearer ones of weight 0 are not computed.

    Args:
        view: What the seat to act knows.
        action: A legal action.
        weights: Of a heuristic, float64 [features + 1].
        both_ends: Whether a layout has two open ends.
        common, spare: Of `prepare_moves`.
    """
    held, alone, unseen, over = common
    kind = action % KINDS
    rest, lost = view.hand - ONE[kind], ones(alone & NUMBERS_ON[kind])
    total = weights[AT.variety] * (held - lost) + weights[AT.gives_up] * lost
    if weights[AT.answers] != 0:
        total += weights[AT.answers] * size(view.unseen & 7 * sharing(rest))
    if weights[AT.own_next] != 0 or weights[AT.unseen_next] != 0:
        one, other = ends_left(view, action, both_ends)
        open_kinds = CARRIED[one] | CARRIED[other]
        total += weights[AT.own_next] * size(rest & open_kinds) + weights[AT.unseen_next] * size(
            view.unseen & open_kinds
        )
    if action >= DISCARD:
        return total + weights[AT.discard] + weights[AT.discard_pips] * WEIGHT[kind]
    total += weights[AT.pips] * WEIGHT[kind]
    total += weights[AT.double] * IS_DOUBLE[kind]
    total += weights[AT.double_early] * (1 - over) * IS_DOUBLE[kind]
    total += weights[AT.late_pips] * WEIGHT[kind] * over
    end, other = ends_after(view.ends, kind, action // KINDS, both_ends)
    open_tiles = CARRIED[end] | CARRIED[other]
    total += weights[AT.own_fit] * ones(bit_each(rest) & open_tiles)
    total += weights[AT.unseen_fit] * ones(unseen & open_tiles)
    if weights[AT.next_void] != 0:
        total += weights[AT.next_void] * voids_next(view, end, other)
    total += spare[end + (OPEN if NUMBERS_ON[kind] >> end & 1 else OTHER_OPEN)]
    if both_ends and other != end:
        total += spare[other + (OPEN if NUMBERS_ON[kind] >> other & 1 else OTHER_OPEN)]
    return total


@rule
def ends_left(view, action, both_ends):
    """Return the numbers open after a move, which a discard leaves as they are.

    Args:
        view: What the seat to act knows.
        action: A legal action.
        both_ends: Whether a layout has two open ends.
    """
    if action >= DISCARD:
        return view.ends[0], view.ends[1]
    return ends_after(view.ends, action % KINDS, action // KINDS, both_ends)


@rule
def opening_score(number, own, others, weights):
    """Return the part of the score for leaving a number open.

    Args:
        number: That is left open.
        own: Tiles kept that have it.
        others: Unseen tiles that have it.
        weights: Of a heuristic, float64 [features + 1].
    """
    attack, attack_short = weights[ATTACK + number], weights[ATTACK_SHORT + number]
    total = weights[LEAVE + number] + (attack if own > 0 else 0.0)  # no branch, which nobody could predict
    return total + (attack_short if (own > 0) & (others <= own) else 0.0)
