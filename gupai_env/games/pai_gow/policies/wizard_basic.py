"""The Wizard of Odds' basic strategy: the first rule that applies.

Source: https://wizardofodds.com/games/pai-gow-tiles/strategy/jb/wizard-basic-strategy/. A gong counts 10 points, a wong
11 and a pair 12.
"""

from gupai_env.games.pai_gow.groups import GONG
from gupai_env.games.pai_gow.policies.hand import Hand, Split, are, best_high, best_low

NEVER_SPLIT = "10|11"


def split(hand: Hand) -> Split:
    """Return how the strategy splits a hand."""
    if hand.obvious:
        return hand.obvious
    if hand.pair:
        return keep_or_split(hand, hand.pair)
    strong = hand.strong
    if len(strong) == 1:
        return best_high(hand.splits)
    return play_strong(hand, strong) if strong else play_points(hand)


def keep_or_split(hand: Hand, together: Split) -> Split:
    """Split a pair for more points, or for as many if these are few."""
    apart = best_high(hand.without_pair)
    if hand.has_pair(NEVER_SPLIT) or apart.total < together.total:
        return together
    return apart if apart.total > together.total or apart.total < 15 else together


def play_strong(hand: Hand, strong: list[Split]) -> Split:
    """Play one of two or three high nines, gongs and wongs by the points of the hand."""
    points, high = max(split.total for split in hand.splits), best_high(strong)
    nines = [split for split in strong if split.high.is_high_nine]
    is_high_gong = high.high.kind == GONG and are(high.high.tiles, "12|2 H8")
    if points <= 11 or (points <= 13 and not is_high_gong):
        return high
    if points == 12:
        return best_low(hand.splits)
    if nines:
        return best_low(nines)
    if points == 13:
        return high
    gongs = [split for split in strong if are(split.high.tiles, "12|2 L8") and are(split.low.tiles, "5 *")]
    return gongs[0] if gongs else best_low(hand.splits)


def play_points(hand: Hand) -> Split:
    """Balance few points, or many if the low group gets five; else play the best high group."""
    most = max(split.total for split in hand.splits)
    splits = [split for split in hand.splits if split.total == most]
    low = best_low(splits)
    balanced = most <= 6 or (10 <= most <= 15 and low.low.points >= 5)
    return low if balanced else best_high(splits)
