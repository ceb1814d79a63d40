"""What claims can enumerate of published ways of splitting: edges, and what each of their rules loses.

All losses are chips per 100 hands in question, as a player against the house way, with a commission of 5%.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from gupai_env.core.tiles import tile_name
from gupai_env.games.claims import BANKER, PLAYER, Chances, ExactQuestion, Facts
from gupai_env.games.pai_gow.groups import GONG, WONG
from gupai_env.games.pai_gow.policies import WAYS, house_way
from gupai_env.games.pai_gow.policies.hand import NINE, Hand, Split, kinds
from gupai_env.games.pai_gow.policies.house_way import AS_FOXWOODS, READINGS

COMMISSION = 0.05  # of what a seat wins
TABLE = 2 + 4  # of the default options
Way = Callable[[Hand], Split]


class Figures(NamedTuple):
    """Percent of deals that a seat wins, loses and pushes, and the house edge: percent of the stake that it loses."""

    win: float
    lose: float
    push: float
    edge: float


class Opponent:
    """The seat, with the chances of the splits of all hands against it."""

    def __init__(self, chances: Chances) -> None:
        self.hands = [Hand(TABLE, tiles) for tiles in chances.hands.tolist()]
        self.times, self.won, self.lost = chances.times, chances.won, chances.lost

    def splits(self, way: Way) -> np.ndarray:
        """Return how a way splits each hand, int [H]."""
        return np.array([way(hand).action for hand in self.hands])

    def best(self, role: int, commission: float = COMMISSION) -> np.ndarray:
        """Return a best response of a role, the split of each hand, int [H]."""
        return ((1 - commission) * self.won[role] - self.lost[role]).argmax(1)

    def figures(self, role: int, splits: np.ndarray) -> Figures:
        """Return what the splits of a role, int [H], come to."""
        rows = np.arange(len(splits))
        win, lose = (100 * float(shares[role, rows, splits].sum()) for shares in (self.won, self.lost))
        return Figures(win, lose, 100 - win - lose, lose - (1 - COMMISSION) * win)

    @cached_property
    def chips(self) -> np.ndarray:
        """What a player's splits win after commission, chips per 100 hands of that worth, float64 [H, splits]."""
        share = self.times / self.times.sum()
        return 100 * ((1 - COMMISSION) * self.won[PLAYER] - self.lost[PLAYER]) / share[:, None]

    def loss(self, way: Way, rows: Iterable[int]) -> float:
        """Return what a player loses who splits some hands by a way and not as well as possible, in chips per 100."""
        rows = list(rows)
        chosen = [self.chips[row, way(self.hands[row]).action] for row in rows]
        return float(np.average(self.chips[rows].max(1) - chosen, weights=self.times[rows]))


def splits_by(way: Way, table: int = TABLE) -> Callable[[np.ndarray], np.ndarray]:
    """Return how a way splits hands, sorted kinds, int8 [H, 4] to int [H]."""
    return lambda hands: np.array([way(Hand(table, tiles)).action for tiles in hands.tolist()])


PAIRS = ("12", "2", "9", "H8", "L8", "H7", "L7", "H6", "L6", "5", "H4", "L4", "H10", "L10", "11", "G")


class Case(NamedTuple):
    """A hand with one pair: its weight, the splits, what each wins in chips per 100 hands, and what the house does."""

    times: float
    together: Split
    apart: Split
    keeping: float
    splitting: float
    house: float


class PairFigures(NamedTuple):
    """When to split a pair, and chips lost per 100 hands with it by simpler rules.

    others: The other two tiles of the hands in which splitting is right, sorted kinds.
    share: The share of those hands.
    threshold: The least points of the low and of the high group from which splitting loses least; None for never.
    by_threshold, house, never, always: What is lost by the threshold, by the house way, by keeping, by splitting.
    """

    others: list[tuple[int, int]]
    share: float
    threshold: tuple[int, int] | None
    by_threshold: float
    house: float
    never: float
    always: float


def cases_of(name: str, opponent: Opponent) -> Iterator[Case]:
    """Yield the hands with a pair and no other one."""
    for hand, wins, times in zip(opponent.hands, opponent.chips, opponent.times, strict=True):
        together = hand.pair
        if together and together.high.tiles[0] in kinds(name) and not together.low.is_pair:
            apart = max(hand.without_pair, key=lambda split: wins[split.action])
            keeping, splitting, house = (wins[split.action] for split in (together, apart, house_way.split(hand)))
            yield Case(times, together, apart, keeping, splitting, house)


def pair_figures(name: str, opponent: Opponent) -> PairFigures:
    """Return the figures of a player's pair."""
    cases = list(cases_of(name, opponent))
    times = np.array([case.times for case in cases])
    best = np.array([max(case.keeping, case.splitting) for case in cases])

    def loss(wins: Sequence[float]) -> float:
        return float((times * (best - wins)).sum() / times.sum())

    def by_threshold(low: int, high: int) -> list[float]:
        return [case.splitting if splits_at(case, low, high) else case.keeping for case in cases]

    right = [case for case in cases if case.splitting > case.keeping]
    never = loss([case.keeping for case in cases])
    bounds = [(low, high) for high in range(12) for low in range(high + 1)]
    least, low, high = min((loss(by_threshold(low, high)), -low, -high) for low, high in bounds)
    return PairFigures(
        sorted({case.together.low.tiles for case in right}),
        sum(case.times for case in right) / times.sum(),
        (-low, -high) if never - least > 1e-9 else None,
        least,
        loss([case.house for case in cases]),
        never,
        loss([case.splitting for case in cases]),
    )


def splits_at(case: Case, low: int, high: int) -> bool:
    """True if a threshold splits the pair."""
    enough = case.apart.low.points >= low and case.apart.high.points >= high
    return enough and not case.together.beats(case.apart)


NEVER_SPLIT = ("H4", "L4", "5", "H6", "L6", "H10", "L10", "11", "G")  # by the house way
HOUSE_SPLITS = ("12", "2", "9", "H8", "L8", "H7", "L7")
STRONG = {NINE: "high nine", GONG: "gong", WONG: "wong"}
BOUNDS = {  # of low groups, by name
    f"{points}{name}": (points, tile) for points in range(1, 7) for tile, name in (("G", ""), ("H6", " [3:3]"))
}
HOUSE_BOUND = "3 [3:3]"
LISTED = 6  # the best ways in facts


def edges(house: Way, chances: Chances) -> Facts:
    """Return in percent of deals what a player of a house way wins, loses and pushes against it, and edges of ways."""
    opponent = Opponent(chances)

    def edge(way: Way) -> float:
        return opponent.figures(PLAYER, opponent.splits(way)).edge

    own = opponent.figures(PLAYER, opponent.splits(house))
    best, bank = (opponent.figures(role, opponent.best(role)).edge for role in (PLAYER, BANKER))
    facts = {"percent won": own.win, "percent lost": own.lose, "percent pushed": own.push}
    facts |= {"edge of the house way": own.edge, "edge of the optimum": best, "edge of the optimum as banker": bank}
    facts["edge of the last rules alone"] = edge(house_way.play_points)
    for name in ("wizard-basic", "jb-player"):
        facts[f"gap closed by {name}"] = 100 * (own.edge - edge(WAYS[name])) / (own.edge - best)
    return {name: round(figure, 2) for name, figure in facts.items()}


def of_pairs(fact: str, figure: Callable[[PairFigures], float | str], names: Iterable[str], chances: Chances) -> Facts:
    """Return a figure of each of some pairs, whose tiles complete the name of the fact."""
    opponent = Opponent(chances)
    return {fact.format(pair_tiles(name)): figure(pair_figures(name, opponent)) for name in names}


def pair_tiles(name: str) -> str:
    """Return the tiles of a pair."""
    tiles = sorted(kinds(name), reverse=True)
    return "".join(map(tile_name, tiles * (3 - len(tiles))))


def threshold(pair: PairFigures) -> str:
    """Return from how many points of the low and the high group a pair is split."""
    return "never" if pair.threshold is None else "/".join(map(str, pair.threshold))


def others(pair: PairFigures) -> str:
    """Return the other two tiles with which splitting a pair is right."""
    return " ".join("".join(map(tile_name, reversed(tiles))) for tiles in reversed(pair.others)) or "-"


def ranked(best: str, ways: Mapping[str, Way], house: str, matches: Callable[[Hand], bool], chances: Chances) -> Facts:
    """Return the best of some ways as a fact of that name, and what it, others and the house's lose.

    Counted are hands without a pair that match.
    """
    opponent = Opponent(chances)
    rows = [row for row, hand in enumerate(opponent.hands) if not hand.pair and matches(hand)]
    losses = {name: round(opponent.loss(way, rows), 3) for name, way in ways.items()}
    names = sorted(losses, key=lambda name: losses[name])
    return {best: names[0], **{name: losses[name] for name in dict.fromkeys([*names[:LISTED], house])}}


def has_choice(hand: Hand) -> bool:
    """True if a hand can make two of a high nine, a gong and a wong."""
    return len({split.high.kind for split in hand.strong}) > 1


ORDERS = {
    ", ".join(STRONG[kind] for kind in order): partial(house_way.play_strong, order=order)
    for order in permutations(house_way.STRONG)
}
STRONG_BOUNDS = {name: partial(house_way.play_strong, good=bound) for name, bound in BOUNDS.items()}
POINT_BOUNDS = {
    f"{name}/{high}": partial(house_way.play_points, good=bound, good_high=high)
    for (name, bound), high in product(BOUNDS.items(), (6, 7, 8))
}
AGAINST: dict[str, tuple[str, Callable[[Chances], Facts]]] = {
    "house_edges": (
        "percent of deals that the house way wins, loses and pushes against itself; edges of ways against it",
        partial(edges, house_way.split),
    ),
    "pair_keeping": (
        "chips lost per 100 hands with a pair by never splitting it",
        partial(
            of_pairs, "chips lost per 100 hands by never splitting {}", lambda pair: round(pair.never, 3), NEVER_SPLIT
        ),
    ),
    "pair_partners": (
        "the other two tiles with which 5s and 6s are to be split",
        partial(of_pairs, "what to split {} with", others, ("5", "H6", "L6")),
    ),
    "pair_thresholds": (
        "points of the low and the high group from which to split 12s, 2s and 9s",
        partial(of_pairs, "threshold of {}", threshold, ("12", "2", "9")),
    ),
    "pair_house_way": (
        "chips lost per 100 hands with a pair by splitting it as the house does",
        partial(
            of_pairs,
            "chips lost per 100 hands by the house way with {}",
            lambda pair: round(pair.house, 3),
            HOUSE_SPLITS,
        ),
    ),
    "strong_orders": (
        "the best order of high nine, gong and wong; chips lost per 100 hands with two of them",
        partial(ranked, "best order", ORDERS, ", ".join(STRONG.values()), has_choice),
    ),
    "strong_bounds": (
        "the least low group for which to play a high nine before a gong and a wong; chips lost per 100 hands with two",
        partial(ranked, "best bound of the low group", STRONG_BOUNDS, HOUSE_BOUND, has_choice),
    ),
    "point_bounds": (
        "the least low group, and least points of a high one, that are good with neither pair nor high nine, gong and "
        "wong; chips lost per 100 such hands",
        partial(
            ranked,
            "best low and high bound",
            POINT_BOUNDS,
            f"{HOUSE_BOUND}/{house_way.GOOD_HIGH}",
            lambda hand: not hand.strong,
        ),
    ),
}
HOUSE = splits_by(house_way.split)
QUESTIONS = {name: ExactQuestion(meaning, facts, against=HOUSE) for name, (meaning, facts) in AGAINST.items()} | {
    "house_edges_as_published": ExactQuestion(
        "the same of the house way that comes nearest to the figures published for it",
        partial(edges, READINGS[AS_FOXWOODS]),
        against=splits_by(READINGS[AS_FOXWOODS]),
    )
}
