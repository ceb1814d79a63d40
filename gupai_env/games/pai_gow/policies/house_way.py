"""The house way of Casino Canberra, for the dealer who sets the house's tiles: the first rule that applies.

Source: https://wizardofodds.com/games/pai-gow-tiles/house-way/casino-canberra/ (also at sonofdave.com).
"""

from collections.abc import Callable, Sequence

from gupai_env.games.pai_gow.groups import GONG, WONG
from gupai_env.games.pai_gow.policies.hand import NINE, Hand, Split, are, best_high, best_low, with_same_points

# A pair is split if the low and the high group get this many points, or more; the others never are. The high nine for
# which sevens are split has [6:6] or [1:1].
SPLIT_TO_MAKE = (("12|2", 6, 8, "G"), ("9", 9, 9, "G"), ("8", 7, 9, "G"), ("8", 8, 8, "G"), ("7", 7, 9, "2"))
STRONG = (NINE, GONG, WONG)  # the order in which they are played
HIGH_THREE = (3, "H6")  # the lowest low group that is good
GOOD_HIGH = 7  # points of a high group
ALTHOUGH_A_PAIR = "12 9 / 12 11"  # a wong and three points
EXCEPTIONS = (
    "H8 11 / H10 7",
    "G 6 / 5 12|2",
    "4 5 / G *",
    "H8 9 / L8 L10",
    "L6 G / H6 7",
    "12|2 8 / 9 L4",
    "H6 11 / L6 5",
    "H8 9 / L8 L4",
)


def split(hand: Hand) -> Split:
    """Return how the house splits a hand."""
    if hand.pair:
        return hand.find(ALTHOUGH_A_PAIR) or keep_or_split(hand, hand.pair)
    return hand.first(*EXCEPTIONS) or (play_strong(hand) if hand.strong else play_points(hand))


def keep_or_split(hand: Hand, together: Split) -> Split:
    """Split a pair for enough points, unless keeping it is as good in both groups."""
    apart = best_low(hand.without_pair)
    for names, low, high, tile in SPLIT_TO_MAKE:
        if hand.has_pair(names) and apart.low.points >= low and apart.high.at_least(high, tile):
            return together if together.beats(apart) else apart
    return together


def play_strong(hand: Hand, order: Sequence[int] = STRONG, good: tuple[int, str] = HIGH_THREE) -> Split:
    """Play a high nine rather than a gong, a gong rather than a wong, unless the low group gets too low."""
    chosen = min(hand.strong, key=lambda split: (order.index(split.high.kind), -split.low.value))
    return chosen if chosen.low.at_least(*good) else best_high(hand.splits)


def play_points(hand: Hand, good: tuple[int, str] = HIGH_THREE, good_high: int = GOOD_HIGH) -> Split:
    """Play the best low group if it is good, else a good high group, of the splits with the most points."""
    most = max(split.total for split in hand.splits)
    splits = [split for split in hand.splits if split.total == most]
    low, high = best_low(splits), best_high(splits)
    chosen = high if not low.low.at_least(*good) and high.high.points >= good_high else low
    same = with_same_points(splits, chosen)
    return best_low(same) if chosen.high.points <= 7 else best_high(same)


# Readings that come nearer to the figures published for it.
HIGH_TILE = (3, "2")  # three points with [6:6] or [1:1]


def reading(good: tuple[int, str] = HIGH_THREE, *also: tuple[str, str]) -> Callable[[Hand], Split]:
    """Return the house way with another bound of low groups, and with pairs that are split with other tiles as well."""

    def play(hand: Hand) -> Split:
        if hand.pair:
            together, apart = split(hand), best_low(hand.without_pair)
            splits = any(hand.has_pair(names) and are(hand.pair.low.tiles, others) for names, others in also)
            return apart if splits and not hand.pair.beats(apart) else together
        if hand.strong or hand.first(*EXCEPTIONS):
            return split(hand)
        return play_points(hand, good)

    return play


AS_FOXWOODS = "also splits sevens as Foxwoods"  # wins, loses and pushes as published
READINGS = {
    "as written": reading(),
    "a good three has a 12 or 2": reading(HIGH_TILE),
    AS_FOXWOODS: reading(HIGH_TILE, ("7", "2|10|11|12 2|10|11|12")),
    "instead splits G as Foxwoods": reading(HIGH_TILE, ("G", "6 4|5|6")),
}
