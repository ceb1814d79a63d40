"""The rule-based players of Ding Niu: what those of the connecting games weigh, and the suan zhang."""

from gupai_env.core.bits import gather
from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, DOUBLES, KINDS, ONE, PIPS, WEIGHT, count, first_kind, kinds_in, size, weight
from gupai_env.games.connecting import players as connecting
from gupai_env.games.connecting.rules import DISCARD, ends_after
from gupai_env.games.ding_niu.knowledge import fewest_tiles, free_doubles, lead_of
from gupai_env.games.ding_niu.rules import CLASSIC, LOST, NONE, NOTHING_FITS, RUNNING_SET, THREAT, made_by

MOST_PIPS = 66  # on the six heaviest tiles of the deck
AVERAGE_PIPS = 7  # of a tile, nearly
RUNNING_TILES = 12  # that are not doubles

FEATURES = (
    *connecting.FEATURES,
    yes_or_no("block", "the tile makes a suan zhang"),
    Feature(
        "margin",
        "pips by which you count less after the move than seven for each tile in hand or discarded of the other seat "
        "that has the fewest; 0 if you count more",
        "pips",
        0,
        MOST_PIPS,
    ),
    yes_or_no("block_won", "the tile makes a suan zhang that looks won"),
    yes_or_no("block_lost", "the tile makes a suan zhang that looks lost"),
    yes_or_no("block_ones", "the tile makes a classic suan zhang of ones"),
    yes_or_no("block_two_three", "the tile makes a classic suan zhang of two-three"),
    yes_or_no("block_fours", "the tile makes a classic suan zhang of fours"),
    yes_or_no("block_fives", "the tile makes a classic suan zhang of fives"),
    yes_or_no("smothered_fours", "the tile makes a suan zhang by which fours are smothered"),
    yes_or_no("smothered_fives", "the tile makes a suan zhang by which fives are smothered"),
    Feature(
        "block_ahead",
        "the tile makes a suan zhang: pips by which the seat that has laid most then counts more than you, "
        "were all unseen tiles of the same weight",
        "pips",
        -MOST_PIPS,
        MOST_PIPS,
    ),
    Feature(
        "ahead",
        "pips by which the seat that has laid most counts more than you, if the deal ended after the move",
        "pips",
        -MOST_PIPS,
        MOST_PIPS,
    ),
    Feature("own_threat", "tiles kept that would make a suan zhang on the layout then", "tiles", 0, 5),
    Feature("threat", "unseen tiles that would make a suan zhang on the layout then", "tiles", 0, RUNNING_TILES),
    Feature("own_threat_ahead", "`own_threat` times `ahead`", "tiles times pips", -5 * MOST_PIPS, 5 * MOST_PIPS),
    Feature(
        "threat_ahead",
        "`threat` times `ahead`",
        "tiles times pips",
        -RUNNING_TILES * MOST_PIPS,
        RUNNING_TILES * MOST_PIPS,
    ),
)
AT = indices(FEATURES)
HEURISTICS: dict[str, dict[str, float]] = {
    "greedy": connecting.GREEDY | {"block_lost": -50},  # pips; more than any play is worth
    "blocker": connecting.GREEDY | {"variety": 2, "block_won": 100, "block_lost": -50},
}


@rule
def prepare(view, weights, spare):
    """Return what the scores of moves share in all connecting games, and how far ahead the viewer is, see `lead_of`."""
    return connecting.prepare_moves(view, weights, True, spare), lead_of(view, view.hand, 0), size(view.unseen)


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of an action."""
    shared, lead, unseen = common
    total = connecting.score_of(view, action, weights, True, shared, spare)
    # The tile that is laid does not count any more.
    now_ahead = (lead + int(WEIGHT[action % KINDS]) * unseen if action < DISCARD else lead) / max(unseen, 1)
    total += weights[AT.ahead] * now_ahead
    if weights[AT.margin] != 0:
        pips = weight(view.discards) + weight(counted(view, action))
        total += weights[AT.margin] * max(AVERAGE_PIPS * fewest_tiles(view) - pips, 0)
    made = view.makes[action] if action < DISCARD else NONE
    if made != NONE:
        total += weights[AT.block] + (weights[AT.block_lost] if view.losing[action] else weights[AT.block_won])
        return total + score_of_block(view, action, made, weights)
    if not view.can_block:
        return total
    own, others = weights[AT.own_threat], weights[AT.threat]
    own += weights[AT.own_threat_ahead] * now_ahead
    others += weights[AT.threat_ahead] * now_ahead
    return total + score_of_threats(view, action, own, others) if own != 0 or others != 0 else total


score = prepared(prepare, score_with)


@rule
def counted(view, action):
    """Return the tiles that the viewer would count besides its discards, were the deal over after a move."""
    return view.hand - ONE[action % KINDS] if action < DISCARD else view.hand


@rule
def ahead(view, hand, free):
    """Return the pips that the viewer counts less than the seat that has laid most."""
    return lead_of(view, hand, free) / max(size(view.unseen), 1)


@rule
def score_of_block(view, action, made, weights):
    """Return the part of the score for the kind of a suan zhang and the count after it."""
    kind, total = action % KINDS, 0.0
    end, other = ends_after(view.ends, kind, action // KINDS, True)
    if made == CLASSIC:
        if end == other:
            total += weights[AT.block_ones] if end == 1 else 0
            total += weights[AT.block_fours] if end == 4 else 0
            total += weights[AT.block_fives] if end == 5 else 0
        elif (end, other) in ((2, 3), (3, 2)):
            total += weights[AT.block_two_three]
    elif weights[AT.smothered_fours] != 0 or weights[AT.smothered_fives] != 0:
        lost = LOST[gather(kinds_in(view.left - ONE[kind]), RUNNING_SET), end, other] & view.smothered_numbers
        total += weights[AT.smothered_fours] * (lost >> 4 & 1) + weights[AT.smothered_fives] * (lost >> 5 & 1)
    if weights[AT.block_ahead] != 0:
        free = free_doubles(view, made, end, other)
        total += weights[AT.block_ahead] * ahead(view, counted(view, action) & ~free, free)
    return total


@rule
def score_of_threats(view, action, own, others):
    """Return the part of the score for own and unseen tiles that would make a suan zhang after a move."""
    remaining, end, other = view.left, view.ends[0], view.ends[1]
    if action < DISCARD:
        kind = action % KINDS
        remaining -= ONE[kind] & ~DOUBLES
        end, other = ends_after(view.ends, kind, action // KINDS, True)
    threat = THREAT[gather(kinds_in(remaining), RUNNING_SET), end, other]
    if threat & (NOTHING_FITS | view.smothered_numbers) == 0:
        return 0.0
    hand, total = view.hand - ONE[action % KINDS], 0.0
    kinds = kinds_in(hand | view.unseen) & ~DOUBLES & (CARRYING[end] | CARRYING[other])
    while kinds:
        kind = first_kind(kinds)
        kinds -= ONE[kind]
        if blocks(view, remaining, end, other, kind):
            total += own * count(hand, kind) + others * count(view.unseen, kind)
    return total


@rule
def blocks(view, remaining, end, other, kind):
    """True if a tile can be laid so that it makes a suan zhang; `left` is off the layout."""
    for opens in range(2):
        joins = PIPS[kind, 1 - opens]
        if joins in (end, other) and made_by(view, remaining, (end, other), kind, opens) != NONE:
            return True
    return False
