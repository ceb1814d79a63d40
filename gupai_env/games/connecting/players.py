"""What the rule-based players of the connecting games weigh. Of equal moves they play the first."""

from gupai_env.core.heuristic import Feature, indices, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, DOUBLES, HIGHEST, KINDS, ONE, PIPS, WEIGHT, kinds_in, size
from gupai_env.games.connecting.rules import DISCARD, SEATS
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
LEAVE, ATTACK, ATTACK_SHORT = AT.leave_1 - 1, AT.attack_1 - 1, AT.attack_short_1 - 1  # + the number left open

GREEDY: dict[str, float] = {"pips": 1, "discard": -200, "discard_pips": -1}
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": GREEDY,  # the heaviest tile; when nothing fits the lightest is discarded
    "variety": GREEDY | {"variety": 4},  # so that the hand keeps many different numbers, a number like four pips
}


@rule
def numbers_on(tiles):
    """Return how many different numbers a tile set carries."""
    kinds, numbers = kinds_in(tiles), 0
    for number in range(1, HIGHEST + 1):
        numbers += kinds & CARRYING[number] != 0
    return numbers


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
def score_of(view, action, weights, both_ends):
    """Return the weighted sum of the features of an action; features of weight 0 are not computed.

    Args:
        view: What the seat to act knows.
        action: A legal action.
        weights: Of a heuristic, float64 [features + 1].
        both_ends: Whether a layout has two open ends.
    """
    kind = action % KINDS
    rest = view.hand - ONE[kind]
    total = 0.0
    if weights[AT.variety] != 0:
        total += weights[AT.variety] * numbers_on(rest)
    if weights[AT.gives_up] != 0:
        total += weights[AT.gives_up] * (numbers_on(view.hand) - numbers_on(rest))
    if weights[AT.answers] != 0:
        total += weights[AT.answers] * size(view.unseen & 7 * sharing(rest))
    if weights[AT.own_next] != 0 or weights[AT.unseen_next] != 0:
        one, other = ends_left(view, action, both_ends)
        open_kinds = 7 * (CARRYING[one] | CARRYING[other])
        total += weights[AT.own_next] * size(rest & open_kinds) + weights[AT.unseen_next] * size(
            view.unseen & open_kinds
        )
    if action >= DISCARD:
        return total + weights[AT.discard] + weights[AT.discard_pips] * WEIGHT[kind]
    total += weights[AT.pips] * WEIGHT[kind]
    if DOUBLES & ONE[kind]:
        total += weights[AT.double]
        if weights[AT.double_early] != 0:
            total += weights[AT.double_early] * (1 - share_over(view))
    if weights[AT.late_pips] != 0:
        total += weights[AT.late_pips] * WEIGHT[kind] * share_over(view)
    end, other = ends_after(view, kind, action // KINDS, both_ends)
    if weights[AT.own_fit] != 0:
        total += weights[AT.own_fit] * size(rest & 7 * (CARRYING[end] | CARRYING[other]))
    if weights[AT.unseen_fit] != 0:
        total += weights[AT.unseen_fit] * size(view.unseen & 7 * (CARRYING[end] | CARRYING[other]))
    if weights[AT.next_void] != 0:
        total += weights[AT.next_void] * voids_next(view, end, other)
    total += opening_score(view, rest, end, weights)
    return total if other == end else total + opening_score(view, rest, other, weights)


@rule
def ends_after(view, kind, end, both_ends):
    """Return the numbers open once a tile is laid with its `end` (0 high, 1 low) open.

    Args:
        view: What the seat to act knows.
        kind: The tile.
        end: Which of its numbers stays open.
        both_ends: Whether a layout has two open ends.
    """
    leaves, joins = PIPS[kind, end], PIPS[kind, 1 - end]
    if not both_ends:
        return leaves, leaves
    if view.ends[0] == 0:
        return joins, leaves
    return (leaves, view.ends[1]) if view.ends[0] == joins else (view.ends[0], leaves)


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
    return ends_after(view, action % KINDS, action // KINDS, both_ends)


@rule
def opening_score(view, rest, number, weights):
    """Return the part of the score for leaving a number open.

    Args:
        view: What the seat to act knows.
        rest: The tiles that it keeps, a tile set.
        number: That is left open.
        weights: Of a heuristic, float64 [features + 1].
    """
    total = weights[LEAVE + number]
    if weights[ATTACK + number] != 0 or weights[ATTACK_SHORT + number] != 0:
        own = size(rest & 7 * CARRYING[number])
        if own:
            total += weights[ATTACK + number]
            if size(view.unseen & 7 * CARRYING[number]) <= own:
                total += weights[ATTACK_SHORT + number]
    return total
