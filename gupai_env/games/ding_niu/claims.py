"""What claims can name of Ding Niu."""

import functools
from collections import deque

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import PIPS
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    Endings,
    ExactQuestion,
    Facts,
    Metric,
    Outcome,
    counts_of,
    points,
    ratio,
    tiles_by_number,
)
from gupai_env.games.connecting.claims import METRICS, vocabulary
from gupai_env.games.ding_niu import GAME
from gupai_env.games.ding_niu.rules import CHIPS as CHIPS_BY_RANK
from gupai_env.games.ding_niu.rules import CLASSIC, DECK, SMOTHERED

NUMBERS = {
    "suan zhang of ones": 1,
    "suan zhang of two-three": 2,
    "suan zhang of fours": 4,
    "suan zhang of fives": 5,
    "suan zhang of sixes": 6,
}


def blocked(outcome: Outcome, number: int) -> np.ndarray:
    """Return where a suan zhang came within so many rounds."""
    states = outcome.states
    return (states.maker != NOBODY) & (states.turn <= number * outcome.variant.players)


def blocked_with(outcome: Outcome, number: int) -> np.ndarray:
    """Return where a classic suan zhang shows the number, two and three being one kind."""
    shows = [2, 3] if number in (2, 3) else [number, number]
    return (outcome.states.suan_zhang == CLASSIC) & (np.sort(outcome.states.ends, 1) == shows).all(1)


def only_doubles_left(outcome: Outcome) -> np.ndarray:
    """Return in which deals every tile but doubles is laid: none is in a hand or was discarded, bool [N]."""
    plain = PIPS[:, 0] != PIPS[:, 1]
    unlaid = np.stack([counts_of(tiles) for tiles in (outcome.states.hands + outcome.states.discards).T])
    return (unlaid[:, :, plain] == 0).all((0, 2))


def exhausted(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], suan zhangs of two-three when every tile but doubles was laid, and all of two-three."""
    made = blocked_with(outcome, 2)
    return np.stack([made & only_doubles_left(outcome), made], 1)


def _won_by_maker(outcome: Outcome, made: np.ndarray) -> np.ndarray:
    """Return, [N, 2], where a suan zhang was made, and its maker won chips, and where one was made."""
    won = outcome.chips[np.arange(len(made)), outcome.states.maker.clip(0)] > 0
    return np.stack([made & won, made], 1)


def endings(outcome: Outcome) -> Endings:
    """Return by which numbers deals were blocked, and which were not."""
    states = outcome.states
    kinds = {name: blocked_with(outcome, number) for name, number in NUMBERS.items()}
    kinds["fours or fives smothered"] = states.suan_zhang == SMOTHERED
    kinds["no suan zhang"] = states.maker == NOBODY
    return kinds | {"another suan zhang": ~np.any(list(kinds.values()), axis=0)}


def tie_rule_gain(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips that the order on ties gives the seat at a place of the deal's order, over tied seats sharing."""
    states, totals = outcome.states, points(outcome)
    if outcome.variant.settlement != "chips":  # type: ignore[attr-defined]
        return np.zeros(len(states))
    plain, ranks = states.maker == NOBODY, CHIPS_BY_RANK[0].astype(float)
    less = (totals[:, None, :] < totals[:, :, None]).sum(2)
    equal = (totals[:, None, :] == totals[:, :, None]).sum(2)
    sums = np.append(0, np.cumsum(ranks))
    shared = (sums[less + equal] - sums[less]) / equal
    seat = (states.leader + number - 1) % outcome.variant.players
    rows = np.arange(len(states))
    return np.where(plain, states.total[rows, seat] - shared[rows, seat], 0.0)


def non_doubles_per_number() -> Facts:
    """Return the tiles of the deck, without its doubles, that carry each number."""
    return tiles_by_number(kind for kind in DECK.tolist() if PIPS[kind, 0] != PIPS[kind, 1])


@functools.cache
def blocking_layouts() -> dict[tuple[int, int], int]:
    """Return for every pair of open numbers that a classic suan zhang may show the fewest non-doubles."""
    kinds = sorted({kind for kind in DECK.tolist() if PIPS[kind, 0] != PIPS[kind, 1]})
    copies = tuple(DECK.tolist().count(kind) for kind in kinds)
    faces = [tuple(PIPS[kind].tolist()) for kind in kinds]
    doubles = {int(PIPS[kind, 0]) for kind in DECK.tolist() if PIPS[kind, 0] == PIPS[kind, 1]}
    starts = [(copies, (n, n)) for n in doubles]  # a double that is led
    starts += [(_less(copies, index), (min(face), max(face))) for index, face in enumerate(faces)]
    queue = deque((counts, ends, sum(copies) - sum(counts)) for counts, ends in starts)
    seen, fewest = set(starts), dict[tuple[int, int], int]()
    while queue:  # breadth first by tiles laid, so the first layout of a kind has the fewest
        counts, ends, laid = queue.popleft()
        layouts = {
            (_less(counts, index), (min(leaves, other), max(leaves, other)))
            for index, face in enumerate(faces)
            for joins, leaves in (face, face[::-1])
            for end, other in (ends, ends[::-1])
            if counts[index] and joins == end
        }
        for after, now in layouts - seen:
            if any(rest and set(faces[k]) & set(now) for k, rest in enumerate(after)):
                queue.append((after, now, laid + 1))
            else:
                fewest.setdefault(now, laid + 1)
        seen |= layouts
    return fewest


def _less(counts: tuple[int, ...], index: int) -> tuple[int, ...]:
    return (*counts[:index], counts[index] - 1, *counts[index + 1 :])


def classic_blocks() -> Facts:
    """Return every kind of classic suan zhang, from a search of all layouts, and its fewest non-doubles."""
    layouts = blocking_layouts()
    facts: Facts = {"kinds": " ".join(f"{a}-{b}" for a, b in sorted(layouts))}
    facts |= {f"fewest {a}-{b}": count for (a, b), count in sorted(layouts.items())}
    fewest = min(layouts.values())
    facts["fewest"] = fewest
    facts["easiest"] = " ".join(f"{a}-{b}" for (a, b), count in sorted(layouts.items()) if count == fewest)
    return facts


CLAIMS = vocabulary(
    GAME.num_actions,
    metrics={
        **METRICS,
        "blocked": Metric("a suan zhang within so many rounds", SHARE, blocked, True),
        "blocked_with": Metric("a classic suan zhang with this number", SHARE, blocked_with, True),
        "smothered": Metric(
            "there is a smothered suan zhang", SHARE, lambda outcome, _: outcome.states.suan_zhang == SMOTHERED
        ),
        "smothered_by_winner": Metric(
            "smothered suan zhangs whose maker won chips",
            "share of them",
            lambda outcome, _: _won_by_maker(outcome, outcome.states.suan_zhang == SMOTHERED),
            statistic=ratio,
        ),
        "two_three_exhausted": Metric(
            "suan zhangs of two-three when every tile but doubles is laid", "share of them", exhausted, statistic=ratio
        ),
        "makers": Metric(
            "makers of suan zhangs who win chips",
            "share of them",
            lambda outcome, _: _won_by_maker(outcome, outcome.states.maker != NOBODY),
            statistic=ratio,
        ),
        "tie_rule_gain": Metric(
            "chips that the order on ties gives the seat of this place in the order of play", CHIPS, tie_rule_gain, True
        ),
    },
    endings=endings,
    questions={
        "non_doubles_per_number": ExactQuestion(
            "tiles of the deck, without its doubles, that carry each number", non_doubles_per_number
        ),
        "classic_blocks": ExactQuestion(
            "every kind of classic suan zhang, from a search of all layouts, and its fewest non-doubles", classic_blocks
        ),
    },
)
