"""The rule-based players of Deer Hunt."""

from gupai_env.core.episode import NOBODY
from gupai_env.core.heuristic import Feature, indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, RED, count, size
from gupai_env.games.deer_hunt.rules import PARTNER, SEATS

STRONGEST = KINDS - 1
LEFT, RIGHT = 3, 1  # the places of the opponents; the one at the right plays next

FEATURES = (
    Feature("ours", "red pips in the trick with the tile, times about how likely your side takes it", "pips", 0, 32),
    Feature("theirs", "the same, times about how likely the other side does", "pips", 0, 32),
    Feature("red", "red pips of the tile", "pips", 0, 8),
    Feature("rank", "kinds that are weaker than the tile", "kinds", 0, STRONGEST),
    Feature("lead_rank", "kinds that are weaker than the tile, if it is led", "kinds", 0, STRONGEST),
    Feature("lead_red", "red pips of the tile, if it is led", "pips", 0, 8),
    yes_or_no("takes", "the tile takes the trick from the other side, as it is"),
    yes_or_no("over_partner", "the tile takes the trick from your partner"),
    Feature("sure_red", "red pips of the tile, if your partner takes the trick for sure", "pips", 0, 8),
    Feature("lost_red", "red pips of the tile, if the other side takes the trick for sure", "pips", 0, 8),
    yes_or_no("top", "no unseen tile is stronger, and the tile takes the trick as it is"),
    yes_or_no("top_lead", "the tile is led, and no unseen tile is stronger"),
    yes_or_no("pair", "the other tile of the kind is in your hand too"),
    Feature("last_rank", "kinds that are weaker than the tile, if it takes the trick as its last", "kinds", 0, 20),
    yes_or_no("escapes", "the trick ends, and counts for nobody"),
    Feature("trick_red", "red pips in the trick, those of your tile among them", "pips", 0, 32),
    Feature("stronger", "unseen tiles that are stronger than the tile that then takes the trick", "tiles", 0, 31),
    yes_or_no("holds", "your side takes the trick as it is"),
    yes_or_no("leads", "the tile is led"),
    yes_or_no("ends", "the tile is the last one of the trick"),
    yes_or_no("partner", "your partner takes the trick without the tile"),
    Feature("table_red", "red pips in the trick before the tile", "pips", 0, 24),
    Feature(
        "thrown",
        "red pips of the tile, if the other side holds the trick then and your partner cannot take it",
        "pips",
        0,
        8,
    ),
)
AT = indices(FEATURES)
HEURISTICS: dict[str, dict[str, float]] = {
    # What brings most red pips now, as far as one can say; of equals the weakest tile.
    "greedy": {"ours": 1, "theirs": -1, "rank": -1 / 32},
    # Takes tricks with deer from the other side, and what its partner may lose, by the weakest tile that does; puts
    # deer on sure tricks of its partner, none on sure ones of theirs; leads weak tiles, keeps those that nothing beats.
    "hunter": {
        "ours": 1 / 2,
        "theirs": -1 / 2,
        "rank": -1 / 4,
        "lead_rank": -1 / 4,
        "lead_red": 1 / 2,
        "takes": 3,
        "over_partner": 5,
        "sure_red": 1,
        "lost_red": -1,
        "top": -5,
        "last_rank": -1 / 4,
    },
}


@rule
def write_chances(view, tiles, out):
    """Write by a number of stronger tiles how likely hands of so many `tiles` hold none, if all lie as they come."""
    probability, unseen = 1.0, size(view.unseen)
    for dealt in range(unseen):
        out[dealt] = probability
        probability *= max(unseen - dealt - tiles, 0) / (unseen - dealt)
    out[unseen] = probability


@rule
def lying_trick(view):
    """Return the red pips of the tiles in the trick so far, and whether all of them have some."""
    red, all_red = 0, True
    if view.lying:
        for place in range(1, SEATS):
            other = view.trick[place]
            if other != NOBODY:
                red += RED[other]
                all_red &= RED[other] > 0
    return red, all_red


@rule
def taker_of(view, action):
    """Return what takes the trick with the tile, and who."""
    if view.lying and view.trick[view.taking] >= action:
        return int(view.trick[view.taking]), int(view.taking)
    return int(action), 0


@rule
def prepare(view, weights, spare):
    """Fill `spare` with about how likely your side takes a trick by a tile of its own, by the unseen tiles above it.

    Whoever still plays and holds a stronger tile is taken to play it; what the partner does afterwards is left out.
    Returns how likely your partner is to take the trick from the tile of the other side, and the `lying_trick`.
    """
    partner = 0.0
    if view.lying == 1:  # the partner plays last
        write_chances(view, int(view.sizes[PARTNER]), spare)
        partner = 1 - spare[view.above[view.trick[view.taking]]]
    tiles = int(view.sizes[RIGHT]) if view.lying < SEATS - 1 else 0
    write_chances(view, tiles + int(view.sizes[LEFT]) if view.lying == 0 else tiles, spare)
    red, all_red = lying_trick(view)
    return partner, red, all_red


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of a tile."""
    partner, red, all_red = common
    kind, taker = taker_of(view, action)
    ours = spare[view.above[kind]] if taker % PARTNER == 0 else partner
    red, all_red = red + int(RED[action]), all_red & (RED[action] > 0)
    total = weights[AT.red] * RED[action] + weights[AT.rank] * action + weights[AT.trick_red] * red
    total += weights[AT.stronger] * view.above[kind]
    if taker % PARTNER == 0:
        total += weights[AT.holds]
    if view.lying == 0:
        total += weights[AT.leads]
    elif view.taking == PARTNER:
        total += weights[AT.partner]
    if view.lying == SEATS - 1:
        total += weights[AT.ends]
    total += weights[AT.table_red] * (red - RED[action])
    if taker % PARTNER != 0 and (view.lying > 1 or view.above[kind] == 0):
        total += weights[AT.thrown] * RED[action]
    if view.escape and all_red and view.lying == SEATS - 1:
        total += weights[AT.escapes]
    else:
        total += weights[AT.ours] * red * ours + weights[AT.theirs] * red * (1 - ours)
    if view.lying == 0:
        total += weights[AT.lead_rank] * action + weights[AT.lead_red] * RED[action]
    elif taker == 0:
        total += weights[AT.over_partner] if view.taking == PARTNER else weights[AT.takes]
        if view.lying == SEATS - 1:
            total += weights[AT.last_rank] * action
    elif taker == PARTNER and ours == 1:
        total += weights[AT.sure_red] * RED[action]
    elif ours == 0:
        total += weights[AT.lost_red] * RED[action]
    if taker == 0 and view.above[action] == 0:
        total += weights[AT.top]
        if view.lying == 0:
            total += weights[AT.top_lead]
    if count(view.hand, action) == 2:
        total += weights[AT.pair]
    return total


score = prepared(prepare, score_with)
