"""What is enumerated, by name: each returns facts by name that a claim compares with what it expects."""

import functools
from collections import deque
from collections.abc import Callable, Iterator
from math import comb

import numpy as np

from gupai_env.core.tiles import BLACK, DECK, HIGHEST, PIPS, RED, WEIGHT
from gupai_env.deals import all_deals
from gupai_env.games.ding_niu.rules import DECK as DING_NIU_DECK
from gupai_env.games.tiu_u.rules import BIG_POINTS, SMALL_RED
from gupai_env.games.tiu_u.rules import DECK as TIU_U_DECK
from gupai_env.vector import Lanes

Facts = dict[str, float | str]


def tiles_per_number() -> Facts:
    """Tiles of the set that carry each number, which numbers have fewest and which come next."""
    return _per_number(DECK.tolist())


def non_doubles_per_number() -> Facts:
    """Tiles of the deck of Ding Niu, doubles aside, that carry each number."""
    return _per_number([kind for kind in DING_NIU_DECK.tolist() if PIPS[kind, 0] != PIPS[kind, 1]])


def _per_number(kinds: list[int]) -> Facts:
    counts = {n: sum(n in PIPS[kind] for kind in kinds) for n in range(1, HIGHEST + 1)}
    ranks = sorted(set(counts.values()))
    facts: Facts = {str(n): count for n, count in counts.items()}
    for name, rank in zip(("fewest", "next fewest"), ranks, strict=False):
        facts[name] = " ".join(str(n) for n, count in counts.items() if count == rank)
    return facts


def doubles_in_a_hand() -> Facts:
    """Chance that a hand of eight holds 6, 7 or 8 doubles, or as many and more; and that some of four hands does."""
    doubles, tiles, hand = sum(PIPS[kind, 0] == PIPS[kind, 1] for kind in DECK.tolist()), len(DECK), 8
    ways = {k: comb(doubles, k) * comb(tiles - doubles, hand - k) for k in range(hand + 1)}
    facts: Facts = {f"{k} doubles": ways[k] / comb(tiles, hand) for k in (6, 7, 8)}
    for k in (6, 7):
        facts[f"{k} or more"] = sum(ways[j] for j in range(k, hand + 1)) / comb(tiles, hand)
    # Two hands with six each have all twelve doubles but none; inclusion and exclusion, three cannot.
    pairs = sum(
        comb(doubles, a)
        * comb(tiles - doubles, hand - a)
        * comb(doubles - a, b)
        * comb(tiles - doubles - hand + a, hand - b)
        for a in range(6, hand + 1)
        for b in range(6, hand + 1)
        if a + b <= doubles
    ) / (comb(tiles, hand) * comb(tiles - hand, hand))
    facts["some hand of four with 6 or more"] = 4 * float(facts["6 or more"]) - comb(4, 2) * pairs
    return facts


@functools.cache
def blocking_layouts() -> dict[tuple[int, int], int]:
    """Return for every pair of open numbers that a classic suan zhang of Ding Niu may show, the fewest non-doubles."""
    kinds = sorted({kind for kind in DING_NIU_DECK.tolist() if PIPS[kind, 0] != PIPS[kind, 1]})
    copies = tuple(DING_NIU_DECK.tolist().count(kind) for kind in kinds)
    faces = [tuple(PIPS[kind].tolist()) for kind in kinds]
    doubles = {int(PIPS[kind, 0]) for kind in DING_NIU_DECK.tolist() if PIPS[kind, 0] == PIPS[kind, 1]}
    starts = [(copies, (n, n)) for n in doubles]  # a double that is led
    for at, (high, low) in enumerate(faces):
        starts.append((_less(copies, at), (min(high, low), max(high, low))))
    queue = deque((left, ends, sum(copies) - sum(left)) for left, ends in starts)
    seen, found = set(starts), dict[tuple[int, int], int]()
    while queue:  # breadth first by tiles laid, so the first layout of a kind has the fewest
        left, ends, laid = queue.popleft()
        for at, face in enumerate(faces):
            if not left[at]:
                continue
            for joins, leaves in (face, face[::-1]):
                for end, other in (ends, ends[::-1]):
                    if joins != end:
                        continue
                    after, now = _less(left, at), (min(leaves, other), max(leaves, other))
                    if (after, now) in seen:
                        continue
                    seen.add((after, now))
                    if any(rest and set(faces[k]) & set(now) for k, rest in enumerate(after)):
                        queue.append((after, now, laid + 1))
                    elif now not in found or found[now] > laid + 1:
                        found[now] = laid + 1
    return found


def _less(left: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*left[:at], left[at] - 1, *left[at + 1 :])


def classic_blocks() -> Facts:
    """Every kind of classic suan zhang of Ding Niu, from a search of all layouts, and its fewest non-doubles."""
    found = blocking_layouts()
    facts: Facts = {"kinds": " ".join(f"{a}-{b}" for a, b in sorted(found))}
    facts |= {f"fewest {a}-{b}": count for (a, b), count in sorted(found.items())}
    fewest = min(found.values())
    facts["fewest"] = fewest
    facts["easiest"] = " ".join(f"{a}-{b}" for (a, b), count in sorted(found.items()) if count == fewest)
    return facts


def house_income() -> Facts:
    """Least and most that the house takes in a deal of Da Ling with a fee of 1: all splits of all tiny deals.

    Payments between seats are written in pairs, so that what a deal adds up to does not depend on the deck's size.
    """
    variant = {"deck": "tiny", "players": 2, "casino_fee": 1, "leader": 0}
    deals = all_deals("da-ling", **variant).states
    incomes: set[float] = set()
    for after, masks in _after_each(deals, _masks(deals, variant), variant):
        for ends, _ in _after_each(after, masks, variant):
            incomes |= set((-ends.payoff.sum(1)).tolist())
    return {"least": min(incomes), "most": max(incomes), "deals": len(deals)}


def _masks(states: np.recarray, variant: dict) -> np.ndarray:
    lanes = Lanes("da-ling", len(states), observe=False, renew=False, **variant)
    lanes.states[:] = states
    lanes.refresh()
    masks: np.ndarray = lanes.masks.copy()
    return masks


def _after_each(
    states: np.recarray, masks: np.ndarray, variant: dict
) -> Iterator[tuple[np.recarray, np.ndarray]]:
    """Yield what the states come to in which each action is legal, and what is legal then."""
    for action in np.flatnonzero(masks.any(0)).tolist():
        rows = np.flatnonzero(masks[:, action])
        lanes = Lanes("da-ling", len(rows), observe=False, renew=False, **variant)
        lanes.states[:] = states[rows]
        lanes.refresh()
        lanes.step(np.full(len(rows), action, np.int64))
        yield lanes.states, lanes.masks


def fish_points() -> Facts:
    """Mean points that a big and a small fish of Tiu-U add, small ones by their red pips, and the ratio."""
    big, small = TIU_U_DECK[WEIGHT[TIU_U_DECK] >= 8], TIU_U_DECK[WEIGHT[TIU_U_DECK] < 8]
    of_big, of_small = float(BIG_POINTS[big].mean()), float(SMALL_RED[small].mean())
    return {
        "points of a big fish": of_big,
        "red pips of a small fish": of_small,
        "ratio": of_big / of_small,
        "big fish": len(big),
        "small fish": len(small),
    }


def pips_of_colour() -> Facts:
    """Red and black pips of the set."""
    return {"red": int(RED[DECK].sum()), "black": int(BLACK[DECK].sum())}


ENUMERATIONS: dict[str, tuple[str, Callable[[], Facts]]] = {
    "tiles_per_number": ("all", tiles_per_number),
    "doubles_in_a_hand": ("all", doubles_in_a_hand),
    "pips_of_colour": ("all", pips_of_colour),
    "non_doubles_per_number": ("ding-niu", non_doubles_per_number),
    "classic_blocks": ("ding-niu", classic_blocks),
    "house_income": ("da-ling", house_income),
    "fish_points": ("tiu-u", fish_points),
}
