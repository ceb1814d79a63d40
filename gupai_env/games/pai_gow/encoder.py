"""The observation of Pai Gow: the tiles, and what the groups of every split are."""

from gupai_env.core.bits import as_index
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, NO_TILE, write_counts
from gupai_env.games.pai_gow.groups import CLASS_NAMES, MOST_VALUE, classify
from gupai_env.games.pai_gow.knowledge import WAYS
from gupai_env.games.pai_gow.rules import GROUP, HAND, SEATS, SPLITS, is_distinct
from gupai_env.games.splitting.rules import UNSPLIT

KNOWN = len(CLASS_NAMES)
LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("banker", (SEATS,), 1, "who is banker, one-hot from you on in order of turn"),
        Section("players", (SEATS - 1,), 1, "number of seats from 2, one-hot"),
        Section("ways", (WAYS,), 1, "the split makes other groups than those before it"),
        Section("high", (WAYS,), MOST_VALUE, "value of the high group of each split"),
        Section("low", (WAYS,), MOST_VALUE, "value of the low group of each split"),
        Section(
            "groups",
            (WAYS, GROUP, KNOWN),
            1,
            "what the group with the first tile, and the other group, of each split make, one-hot: points, gong, wong, "
            "a military pair, a civil one, the supreme pair",
        ),
        Section("split", (WAYS,), 1, "how you have split your hand, one-hot"),
        Section("first_deal", (1,), 1, "the first deal of a match"),
        Section("last_deal", (1,), 1, "the last deal of a match"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    write_counts(view.hands[0], out, AT.hand)
    write_counts(view.unseen, out, AT.unseen)
    out[AT.banker + int(view.banker)] = 1
    out[AT.players + int(view.players) - 2] = 1
    tiles, start = view.tiles, AT.groups
    whole = tiles[HAND - 1] != NO_TILE
    for action in range(WAYS):
        out[AT.ways + action] = is_distinct(tiles, action)
        out[AT.high + action] = view.values[action, 0]
        out[AT.low + action] = view.values[action, 1]
        beside, second, third = SPLITS[action, 0], SPLITS[action, 1], SPLITS[action, 2]
        if whole or action == 0:
            out[start + as_index(classify(view.table, tiles[0], tiles[beside]))] = 1
        if whole:
            out[start + KNOWN + as_index(classify(view.table, tiles[second], tiles[third]))] = 1
        start += GROUP * KNOWN
    if view.splits[0] != UNSPLIT:
        out[AT.split + int(view.splits[0])] = 1
    out[AT.first_deal] = view.deal == 0
    out[AT.last_deal] = view.deal >= view.deals - 1


ENCODER = Encoder("pai-gow", 0, LAYOUT)
