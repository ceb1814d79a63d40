"""Rule-based players of Small Mahjong. All declare every win and claim every tile that completes one."""

from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, count, first_kind, size
from gupai_env.games.small_mahjong.rules import JOIN, LAY_OUT, PASS, WIN
from gupai_env.games.small_mahjong.triplets import POINTS, TILES, best_split, completing_two

OUT = 100  # a tile that completes the hand, against one that completes a triplet
IN_TRIPLET = 50
WINNING = 10  # a point of a win, against one of a triplet
MARGIN = 4  # what a claim must add to the chance of a win, for it gives up the draw


@rule
def chance(view, hand, laid_out, waits):
    """Return what the unseen tiles that complete a hand are worth: each one, and the points of its win."""
    total = 0
    for kind in range(KINDS):
        if waits >> (3 * kind) & 1:
            total += count(view.unseen, kind) * (1 + best_split(hand + ONE[kind], laid_out))
    return total


@rule
def best_discard(view, mask, by_points):
    """Return the discard after which the hand is worth most, and of equals what helps least to triplets.

    A hand is worth the unseen tiles that complete it or, `by_points`, its `chance`.
    """
    best, best_score = -1, -1000
    for kind in range(KINDS):
        if mask[kind]:
            waits = view.waits_after[kind]
            if by_points:
                score = OUT * chance(view, view.hand - ONE[kind], view.meld_points[0], waits)
            else:
                score = OUT * size(view.unseen & (7 * waits))
            score -= size(view.unseen & (7 * view.partners[kind]))
            if view.triplets >> (3 * kind) & 1:
                score -= IN_TRIPLET
            if score > best_score:
                best, best_score = kind, score
    return best


@rule
def best_claim(view, mask):
    """Return the claim that wins most, or else the one of most points."""
    best, best_score = JOIN, 0
    for number in range(1, len(POINTS)):
        if mask[LAY_OUT + number]:
            rest = view.hand - (TILES[number] - ONE[view.offer])
            score = POINTS[number] + WINNING * best_split(rest, view.meld_points[0] + POINTS[number])
            if score > best_score:
                best, best_score = LAY_OUT + number, score
    return best


@rule
def greedy(view, mask):
    """Claim what completes a win or the first triplet; discard what helps least."""
    if mask[WIN]:
        return WIN
    if mask[PASS]:
        completes = view.waits >> (3 * view.offer) & 1 or view.triplets == 0
        return best_claim(view, mask) if completes else PASS
    return best_discard(view, mask, False)


@rule
def improving_claim(view, mask):
    """Return the claim after which, and a discard, the hand is worth most; PASS if that is not more."""
    best, best_score = PASS, chance(view, view.hand, view.meld_points[0], view.waits) + MARGIN
    for number in range(1, len(POINTS)):
        if mask[LAY_OUT + number]:
            rest = view.hand - (TILES[number] - ONE[view.offer])
            left = rest
            while left:
                kind = first_kind(left)
                left -= ONE[kind]
                two = rest - ONE[kind]
                laid_out = view.meld_points[0] + POINTS[number]
                score = chance(view, two, laid_out, completing_two(two))
                if score > best_score:
                    best, best_score = LAY_OUT + number, score
    return best


@rule
def counting(view, mask):
    """Claim and discard so that many unseen tiles complete the hand, to many points."""
    if mask[WIN]:
        return WIN
    if mask[PASS]:
        if view.waits >> (3 * view.offer) & 1:
            return best_claim(view, mask)
        if mask[JOIN]:
            return JOIN if view.triplets == 0 else PASS
        return improving_claim(view, mask)
    return best_discard(view, mask, True)


PLAYERS = ("greedy", "counting")


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS."""
    return greedy(view, mask) if player == 0 else counting(view, mask)
