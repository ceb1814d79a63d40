"""Readings of the house way of Casino Canberra that come nearer to the figures published for it."""

from collections.abc import Callable

from gupai_env.games.pai_gow.policies import house_way
from gupai_env.games.pai_gow.policies.hand import Hand, Split, are, best_low

HIGH_TILE = (3, "2")  # three points with [6:6] or [1:1]


def reading(good: tuple[int, str] = house_way.HIGH_THREE, *also: tuple[str, str]) -> Callable[[Hand], Split]:
    """Return the house way with another bound of low groups, and with pairs that are split with other tiles as well."""

    def split(hand: Hand) -> Split:
        if hand.pair:
            together, apart = house_way.split(hand), best_low(hand.without_pair)
            splits = any(hand.has_pair(names) and are(hand.pair.low.tiles, others) for names, others in also)
            return apart if splits and not hand.pair.beats(apart) else together
        if hand.strong or hand.first(*house_way.EXCEPTIONS):
            return house_way.split(hand)
        return house_way.play_points(hand, good)

    return split


AS_FOXWOODS = "also splits sevens as Foxwoods"  # wins, loses and pushes as published
READINGS = {
    "as written": reading(),
    "a good three has a 12 or 2": reading(HIGH_TILE),
    AS_FOXWOODS: reading(HIGH_TILE, ("7", "2|10|11|12 2|10|11|12")),
    "instead splits G as Foxwoods": reading(HIGH_TILE, ("G", "6 4|5|6")),
}
