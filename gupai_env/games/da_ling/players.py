"""The rule-based players of Da Ling. Of splits with equal scores they choose the first."""

import numpy as np

from gupai_env.core.heuristic import Feature, indices, yes_or_no
from gupai_env.core.memory import scratch
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import NO_TILE, ONE, first_kind, size
from gupai_env.games.da_ling.rules import (
    GROUPS,
    HAND,
    NO_MATCH,
    SPLITS,
    VALUE,
    WILD,
    WILD_ADDS,
    WILD_COUNTS,
    colour_of,
    points_of,
    wilds_of,
)

UNSEEN = 30  # tiles, at most
ENOUGH = 13  # numbers of pips of the colour, from 0; no tile has the last one
TABLED = 10 * ENOUGH
NAMES = ("single", "pair", "triple")
MOST_PIPS = (11, 22, 32)  # of a colour on one, two and three tiles
# The effective number of groups from which a seat chooses, if they were drawn one by one from all that the unseen tiles
# form: fitted to the groups of players who match what they can.
TRIES = (2.5, 3.5, 17.5)

FEATURES = (
    Feature("stakes", "stakes of the groups that match", "chips", 0, 25),
    Feature("pips", "pips of the colour in the groups that match", "pips", 0, 60),
    Feature("stake_pips", "the stake of each group that matches, times its pips of the colour", "chips", 0, 900),
    yes_or_no("absolute", "all three groups match"),
    *(
        Feature(f"{name}_pips", f"pips of the colour in the {name}, if it matches", "pips", 0, most)
        for name, most in zip(NAMES, MOST_PIPS, strict=True)
    ),
    *(
        Feature(
            f"{name}_chance",
            f"about how likely no other {name} matches with as many pips, given the unseen tiles; "
            "0 if one's own does not match",
            "chance",
            0,
            1,
        )
        for name in NAMES
    ),
    Feature("stake_chance", "the stake of each group that matches, times this chance", "chips", 0, 25),
)
AT = indices(FEATURES)
LITTLE = 1 / 1024  # of a chip, so that pips only break ties
HEURISTICS = {
    "greedy": {"stakes": 1, "pips": LITTLE},  # the most stakes; among equals the most pips of the colour
    "colour": {"stakes": 1, "pips": LITTLE, "stake_pips": 1, "absolute": 1e9},  # all three, or else strong groups
}


@rule
def score(view, action, weights):
    """Return the weighted sum of the features of a split."""
    total, matches = 0.0, 0
    for group in range(GROUPS):
        pips = view.strength[SPLITS[action, group]]
        if pips != NO_MATCH:
            stake = view.stakes[group]
            total += weights[AT.single_pips + group] * pips
            probabilities = weights[AT.single_chance + group] + weights[AT.stake_chance] * stake
            if probabilities != 0:
                total += probabilities * probability(view, group, SPLITS[action, group], pips)
            total += weights[AT.stakes] * stake + weights[AT.pips] * pips + weights[AT.stake_pips] * stake * pips
            matches += 1
    return total + weights[AT.absolute] if matches == GROUPS else total


@rule
def probability(view, group, places, pips):
    """Return about how likely no other seat has as strong a group; `places` are its tiles in the hand, as bits."""
    tiles = 0
    for place in range(HAND):
        tiles += (places >> place & 1) & (view.tiles[place] != NO_TILE)
    return (1 - share_as_strong(view, tiles, pips)) ** (TRIES[group] * (view.players - 1))


@long_rule
def share_as_strong(view, tiles, pips):
    """Return the share, of all groups that so many unseen tiles form, of those that match with as many pips."""
    points, colour = scratch(UNSEEN, np.int64), scratch(UNSEEN, np.int64)  # of tiles that are not wild
    # For points modulo ten and pips of the colour, how many of these tiles have such points and as many pips.
    with_pips = scratch(TABLED, np.int64)
    with_pips[:] = 0
    plain, wilds, wild_pips = 0, 0, (0, 0)
    left = view.unseen
    while left:
        kind = first_kind(left)
        left -= ONE[kind]
        score_of_tile = VALUE[kind]
        if wilds_of(score_of_tile):
            wilds, wild_pips = wilds + 1, (colour_of(score_of_tile, view.red), wild_pips[0])
            continue
        points[plain] = points_of(score_of_tile) % 10
        colour[plain] = colour_of(score_of_tile, view.red)
        for enough in range(colour[plain] + 1):
            with_pips[points[plain] * ENOUGH + enough] += 1
        plain += 1

    target, plain_tiles = (int(view.target) + 30, (points, colour, with_pips))  # 30, so that nothing falls below zero
    strong = plain_groups(tiles, target, pips, plain, plain_tiles)
    for wild in range(wilds):
        rest = target - WILD_COUNTS
        for points_of_it in (0, WILD_ADDS):
            strong += plain_groups(tiles - 1, rest - points_of_it, pips - wild_pips[wild], plain, plain_tiles)
    if wilds == len(WILD):
        rest = target - len(WILD) * WILD_COUNTS
        for points_of_them in (0, WILD_ADDS, 2 * WILD_ADDS):
            strong += plain_groups(
                tiles - 2, rest - points_of_them, pips - wild_pips[0] - wild_pips[1], plain, plain_tiles
            )
    everything, unseen = 1.0, size(view.unseen)
    for chosen in range(tiles):
        everything *= (unseen - chosen) / (chosen + 1)
    return strong / everything if strong else 0.0


@long_rule
def plain_groups(tiles, target, pips, plain, plain_tiles):
    """Return how many groups of tiles that are not wild reach the target, modulo ten, with as many pips of the colour.

    tiles: of a group, -1 to 3; there is one of no tiles, and none of less. plain: how many tiles there are.
    """
    points, colour, with_pips = plain_tiles
    if tiles < 1:
        return tiles == 0 and target % 10 == 0 and pips <= 0
    if tiles == 1:
        return having(with_pips, target, pips)
    found = 0  # each group as often as it has tiles
    for one in range(plain):
        rest, lacks = target - points[one], pips - colour[one]
        if tiles == 2:
            found += having(with_pips, rest, lacks) - fits(points[one], colour[one], rest, lacks)
            continue
        for two in range(one):
            last, lacked = rest - points[two], lacks - colour[two]
            found += having(with_pips, last, lacked)
            found -= fits(points[one], colour[one], last, lacked)
            found -= fits(points[two], colour[two], last, lacked)
    return found // tiles


@rule
def having(with_pips, points, pips):
    """Return how many tiles that are not wild have such points, modulo ten, and as many pips of the colour."""
    return with_pips[points % 10 * ENOUGH + min(max(pips, 0), ENOUGH - 1)]


@rule
def fits(points_of_tile, pips_of_tile, points, pips):
    """True if a tile has such points, modulo ten, and as many pips of the colour."""
    return points_of_tile == points % 10 and pips_of_tile >= pips
