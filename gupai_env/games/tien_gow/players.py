"""The rule-based players of Tien Gow. Of actions that are worth the same they play the first."""

from gupai_env.core.bits import first_one, ones
from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, bit_each, first_kind, kinds_in
from gupai_env.games.tien_gow.combinations import (
    BEATEN_BY,
    COMBINATION_TILES,
    KIND_STRENGTH,
    PARTS,
    SETS,
    SIZE,
    STRENGTH,
    SUPREME,
    combinations_in,
)
from gupai_env.games.tien_gow.rules import DISCARD, HANDS, TILES
from gupai_env.games.tien_gow.settlement import OWED

FEATURES = (
    Feature("tiles", "tiles of the combination that is led", "tiles", 0, 4),
    yes_or_no("sure", "a combination is played that no unseen tiles beat"),
    Feature("sure_tiles", "tiles of the combination that is led, if no unseen tiles beat it", "tiles", 0, 4),
    Feature("threats", "combinations of unseen tiles that beat what is played", "combinations", 0, 11),
    Feature("strength", "strength of the tiles played face up, each 0 to 1 by its place in the suit", "tiles", 0, 4),
    Feature("late_strength", "the same, times the share of the hand that is gone", "tiles", 0, 4),
    yes_or_no("beat", "the combination on the table is beaten"),
    yes_or_no("takes", "a combination is played that nobody who is still to play can beat"),
    Feature("owed", "chips by which what one owes falls if it wins the trick", "chips", 0, 9),
    yes_or_no("first_trick", "a combination is played by a seat without a trick"),
    Feature("breaks", "sets of two tiles or more that playing face up breaks", "sets", 0, 20),
    yes_or_no("supreme", "the supreme pair is led"),
    Feature("supreme_early", "the same, times the share of the hand that is left", "share", 0, 1),
    Feature("set_late", "two tiles or more are led: the share of the hand that is gone", "share", 0, 1),
    Feature("controls", "combinations kept that no unseen tiles beat", "combinations", 0, 30),
    yes_or_no("closes", "what is kept is one combination that no unseen tiles beat"),
    yes_or_no("ends", "what is kept is one combination"),
    Feature("discard_strength", "strength of the tile that is discarded, 0 to 1", "tiles", 0, 1),
    Feature("discard_breaks", "sets of two tiles or more that the discard breaks", "sets", 0, 20),
    yes_or_no("discard_sure", "a tile is discarded that no unseen tile beats"),
    Feature(
        "discard_all", "strength of the tiles discarded together, if the weakest that may follow do", "tiles", 0, 4
    ),
)
AT = indices(FEATURES)
MOST_TILES = int(SIZE.max())  # of a combination
HEURISTICS: dict[str, dict[str, float]] = {
    # The most and the highest tiles to lead; the lowest that beat; else the lowest tile is discarded.
    "greedy": {"tiles": 10, "strength": 1, "beat": 20, "discard_strength": -1},
    # Keeps sets together and what nobody beats for the end; beats where it takes the trick or owes less for it.
    "keeper": {
        "tiles": 1,
        "strength": -2,
        "late_strength": 4,
        "sure_tiles": 1,
        "beat": 1,
        "takes": 1,
        "owed": 1,
        "first_trick": 2,
        "breaks": -0.5,
        "supreme": -4,
        "controls": 1,
        "closes": 6,
        "discard_strength": -2,
        "discard_breaks": -0.5,
        "discard_sure": -1,
    },
}


@rule
def prepare(view, weights, spare):
    """Return the combinations of the hand and of the unseen tiles, and the share of the hand that is gone."""
    return combinations_in(view.hand), combinations_in(view.unseen), share_gone(view)


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of an action."""
    held, unseen, gone = common
    rest = view.hand - TILES[action]
    combinations = combinations_in(rest)
    total = score_of_rest(view, rest, combinations, weights)
    if action >= DISCARD:
        return total + score_of_discard(view, action - DISCARD, rest, held & ~combinations, weights)
    total += weights[AT.strength] * STRENGTH[action] + weights[AT.late_strength] * STRENGTH[action] * gone
    sure = (view.beatable >> action) & 1 == 0
    if sure:
        total += weights[AT.sure]
    if sure or (view.tiles > 0 and view.turns == view.players - 1):
        total += weights[AT.takes]
    total += weights[AT.threats] * ones(unseen & BEATEN_BY[view.civil_supreme, action])
    total += weights[AT.breaks] * ones(held & ~combinations & SETS & ~PARTS[action])  # but for those that are played
    taken, size = int(view.taken[0]), int(SIZE[action])
    if taken == 0:
        total += weights[AT.first_trick]
    total += weights[AT.owed] * (OWED[view.tiny, taken] - OWED[view.tiny, taken + size])
    if view.tiles > 0:
        return total + weights[AT.beat]
    return total + score_of_lead(action, sure, gone, weights)


@rule
def share_gone(view):
    """Return the share of the viewer's hand that is gone, 0 to 1."""
    dealt = HANDS[view.tiny]
    return (dealt - view.sizes[0]) / dealt


@rule
def score_of_rest(view, rest, combinations, weights):
    """Return what weighs that is kept: tiles, and the combinations in them."""
    total = weights[AT.controls] * ones(combinations & ~view.beatable)
    while combinations and ones(bit_each(rest)) <= MOST_TILES:
        combination = first_one(combinations)
        combinations &= combinations - 1
        if COMBINATION_TILES[combination] == rest:
            total += weights[AT.ends]
            if (view.beatable >> combination) & 1 == 0:
                total += weights[AT.closes]
    return total


@rule
def score_of_discard(view, kind, rest, broken, weights):
    """Return what weighs that a tile is discarded; `broken` are combinations that the hand no longer holds then."""
    total = weights[AT.discard_strength] * KIND_STRENGTH[kind]
    total += weights[AT.discard_breaks] * ones(broken & SETS)
    if (view.beatable >> kind) & 1 == 0:
        total += weights[AT.discard_sure]
    if weights[AT.discard_all] != 0:
        total += weights[AT.discard_all] * strength_of_all(view, kind, rest)
    return total


@rule
def strength_of_all(view, kind, rest):
    """Return the strength of a tile that is discarded and of the weakest that may follow: none of a lower kind may."""
    total = KIND_STRENGTH[kind]
    for _ in range(1, view.to_discard if view.to_discard > 0 else view.tiles):
        weakest, kinds = -1, kinds_in(rest) & ~(ONE[kind] - 1)
        while kinds:
            other = first_kind(kinds)
            kinds -= ONE[other]
            if weakest < 0 or KIND_STRENGTH[other] < KIND_STRENGTH[weakest]:
                weakest = other
        total += KIND_STRENGTH[weakest]
        rest -= ONE[weakest]
    return total


@rule
def score_of_lead(action, sure, gone, weights):
    """Return what weighs that a combination is led."""
    total = weights[AT.tiles] * SIZE[action]
    if sure:
        total += weights[AT.sure_tiles] * SIZE[action]
    if SIZE[action] > 1:
        total += weights[AT.set_late] * gone
    if action == SUPREME:
        total += weights[AT.supreme] + weights[AT.supreme_early] * (1 - gone)
    return total


score = prepared(prepare, score_with)
