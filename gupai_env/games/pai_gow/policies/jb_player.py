"""JB's player way: the first rule that applies.

Source: https://wizardofodds.com/games/pai-gow-tiles/strategy/jb-player-way/.
"""

from gupai_env.games.pai_gow.policies.hand import Hand, Split, are, best_high, best_low

# A pair is split if the low and the high group get this many points, or more.
SPLIT_TO_MAKE = {"12|2": (6, 8), "5": (7, 7), "6|7": (7, 8), "8": (8, 8), "9": (9, 9)}
SPLIT_WITH = {"G": "6 4|5|6", "12|2|8": "9 11"}  # or with these other tiles
KEEP_WITH = {"12|2": "H8 9"}  # and never with these
EXCEPTIONS = (
    *("12 G / 2 5", "12 6 / 2 5", "12 G / 2 4", "12 6 / 2 4"),
    *("H8 11 / 10 L8", "H8 11 / H10 7", "H8 11 / H10 G", "H8 11 / H10 L6", "H8 11 / H10 5"),
    *("H10 9 / L10 L8", "H10 9 / L10 H6", "H10 L8 / L10 H6", "H10 7 / L10 H6"),
    *("6 G / 12|2 5", "L4 5 / H4 G", "H4 5 / L4 9"),
)


def split(hand: Hand) -> Split:
    """Return how the player splits a hand."""
    if hand.obvious:
        return hand.obvious
    if hand.pair:
        return keep_or_split(hand, hand.pair)
    return play_strong(hand) if hand.strong else hand.first(*EXCEPTIONS) or play_points(hand)


def keep_or_split(hand: Hand, together: Split) -> Split:
    """Split some pairs for points or with some tiles."""
    apart, others = best_low(hand.without_pair), together.low.tiles
    if any(hand.has_pair(names) and are(others, tiles) for names, tiles in KEEP_WITH.items()):
        return together
    if any(hand.has_pair(names) and are(others, tiles) for names, tiles in SPLIT_WITH.items()):
        return apart
    for names, (low, high) in SPLIT_TO_MAKE.items():
        if hand.has_pair(names) and apart.low.points >= low and apart.high.points >= high:
            return apart
    return together


def play_strong(hand: Hand) -> Split:
    """Play a high nine, gong or wong."""
    high, low = best_high(hand.splits), best_low(hand.splits)
    if (hand.has("12") and hand.has("2")) or high.low.points < 2:
        return high
    if (hand.has("8") and hand.has("9")) or (low.low.points in (6, 7) and hand.has("H10|H8")):
        return low
    return min(hand.strong, key=lambda split: (not are(split.high.tiles, "12|2 L8"), split.high.kind, -split.low.value))


def play_points(hand: Hand) -> Split:
    """Play the best low group if it is neither too low nor too high, or if the high group is low."""
    high, low = best_high(hand.splits), best_low(hand.splits)
    middling = low.low.at_least(4, "H8") and not low.low.at_least(8, "11")
    return low if middling or not high.high.at_least(6, "H6") else high
