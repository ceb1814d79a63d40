"""The house way of New Zealand's casinos: the first rule that applies.

Source: https://wizardofodds.com/games/pai-gow-tiles/house-way/new-zealand/. What that page says last, on the highest
tile when the low group has more than seven points, was cut off where it was read; here it goes into the high group.
"""

from gupai_env.games.pai_gow.policies.hand import Hand, Split, are, best_high, best_low, with_same_points

# Pairs that are split, with the other two tiles that they are split with; the others never are.
SPLIT_WITH = {
    "G": ("H6 L6", "6 5", "6 4"),
    "12|2": ("9 11", "9 4|5|6|7|8", "H8 L8", "8 4|5|6|7", "7 4|5|6|7", "H6 L6", "6 4|5"),
    "9": ("12 2", "12|2 10", "H10 L10"),
    "8": ("12 2", "12|2 10|11", "11 9|10", "H10 L10"),
    "7": ("12 2", "12|2 10|11", "11 10", "H10 L10"),
}
HARMONY = (3, "H4")  # three points with [3:1]


def split(hand: Hand) -> Split:
    """Return how the house splits a hand."""
    if hand.pair:
        return keep_or_split(hand, hand.pair)
    return play_strong(hand) if hand.strong else play_points(hand)


def keep_or_split(hand: Hand, together: Split) -> Split:
    """Keep two pairs; split one with some tiles."""
    for names, tiles in SPLIT_WITH.items():
        if hand.has_pair(names) and any(are(together.low.tiles, other) for other in tiles):
            return together if together.low.is_pair else best_low(hand.without_pair)
    return together


def play_strong(hand: Hand) -> Split:
    """Play a high nine, gong or wong in this order, unless the low group gets too low: then the other way round."""
    good = [split for split in hand.strong if split.low.at_least(*HARMONY)]
    if not good:
        return best_high(hand.strong)
    return min(good, key=lambda split: (split.high.kind, -split.low.value))


def play_points(hand: Hand) -> Split:
    """Play the most points in the low group if it is good, else a good high group."""
    low, high = best_low(hand.splits), best_high(hand.splits)
    chosen = high if not low.low.at_least(*HARMONY) and high.high.points >= 8 else low
    same = with_same_points(hand.splits, chosen)
    return best_low(same) if chosen.low.points <= 7 else best_high(same)
