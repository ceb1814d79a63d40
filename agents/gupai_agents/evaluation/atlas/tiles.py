"""What a tile is worth in the hand that is dealt, what else of a hand matters, and what a whole hand is worth."""

from collections.abc import Callable, Sequence

import numpy as np

from gupai_agents.agent import name_of
from gupai_agents.evaluation.atlas.report import CHIPS, WORDS, Table, verdicts
from gupai_agents.evaluation.atlas.study import TURNS, Study, dealt_by_turn, turns_of
from gupai_agents.evaluation.claims.sampling import hands_in
from gupai_agents.evaluation.matches.match import MOST_FIGURES
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play.decisions import chips_won, play_out
from gupai_env.core.game import Game
from gupai_env.core.position import rest_of
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.streams import ORDER_STREAM
from gupai_env.core.tiles import HIGHEST, KINDS, PIPS, WEIGHT, set_name, tile_name, tile_set, tiles_in
from gupai_env.deals import laying_out
from gupai_env.games.claims import carrying
from gupai_env.messages import say
from gupai_env.messages.checks import whole_number

LEAST_FITTED = 200  # deals of a fit
RIDGE = 1e-9  # added to the variance of what a hand holds, so that a fit exists


class Fit:
    """Chips by place in turn and by hand: a linear fit to the deals that the best player plays in all seats."""

    def __init__(self, study: Study) -> None:
        """Play the deals; raises ValueError for too few."""
        game, players = study.game, study.variant.players
        whole_number("deals", study.deals, LEAST_FITTED, MOST_FIGURES)
        self.deck: np.ndarray = np.bincount(game.deck(study.variant.as_rules()), minlength=KINDS)
        self.shares: np.ndarray = self.deck / self.deck.sum()
        chips, hands = zip(*(dealt_by_turn(envs, [study.best]) for _, envs in study.lanes()), strict=True)
        self.chips, self.hands = np.concatenate(chips), np.concatenate(hands)
        places = np.broadcast_to(np.eye(players), (study.deals, players, players))
        self.known: np.ndarray = np.concatenate([places, self.over_mean(self.hands)], 2)
        self.values: np.ndarray = weights_by_deal(self.known, self.chips)

    def over_mean(self, hands: np.ndarray) -> np.ndarray:
        """Return how many copies of each kind hands, [..., KINDS], hold more than as many mean tiles."""
        return hands - hands.sum(-1, keepdims=True) * self.shares

    def tiles(self) -> dict[int, Estimate]:
        """Return what a tile of each kind is worth more than the mean tile of the deck, the best kind first."""
        worth = self.values[:, -KINDS:]
        worth = worth - (worth @ self.shares)[:, None]
        tiles = {kind: estimate(worth[:, kind]) for kind in np.flatnonzero(self.deck).tolist()}
        return dict(sorted(tiles.items(), key=lambda entry: -entry[1].mean))

    def hand(self, place: int, counts: np.ndarray) -> Estimate:
        """Return what a hand, copies of each kind, wins in a place."""
        return estimate(self.values[:, place] + self.values[:, -KINDS:] @ self.over_mean(counts))

    def besides(self, counted: Callable[[np.ndarray], np.ndarray]) -> Estimate | None:
        """Return what one more of something in a hand is worth besides its tiles; None where all hands have as many.

        Args:
            counted: Returns how many there are in each hand, [N], of copies by kind, [N, KINDS].
        """
        column = counted(self.hands.reshape(-1, KINDS)).reshape(*self.hands.shape[:2], 1)
        if np.ptp(column) == 0:
            return None
        return estimate(weights_by_deal(np.concatenate([self.known, column], 2), self.chips)[:, -1])


def weights_by_deal(known: np.ndarray, chips: np.ndarray) -> np.ndarray:
    """Return the weights of a linear fit as the mean of values of deals, float64 [deals, columns].

    The value of a deal is the weight, and by how much the deal moves it (its influence): seats of one deal depend on
    each other, deals do not.

    Args:
        known: What is known of each seat, [deals, players, columns].
        chips: What it won, [deals, players].
    """
    rows = known.reshape(-1, known.shape[2]).astype(float)
    products = rows.T @ rows
    # Some columns follow from the others: a ridge picks one of the fits.
    products += RIDGE * len(rows) * np.eye(len(products))
    weights = np.linalg.solve(products, rows.T @ chips.reshape(-1))
    moved = np.linalg.solve(products, np.einsum("dpk,dp->kd", known, chips - known @ weights))
    return weights + len(chips) * moved.T


def longest_chain(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of each hand, copies by kind [N, KINDS], can be laid to one line, int [N].

    Every set of a hand's tiles has the numbers, as bits, at which a line of just these tiles can end.
    """
    tiles = listed(hands)
    size = tiles.shape[1]
    high, low = (np.where(tiles >= 0, 1 << PIPS[tiles, end].astype(int), 0).astype(np.uint8) for end in (0, 1))
    ends = np.zeros((1 << size, len(hands)), np.uint8)
    longest = np.zeros(len(hands), int)
    for laid in range(1, 1 << size):
        for tile in range(size):
            if laid >> tile & 1:
                before = ends[laid ^ 1 << tile] if laid != 1 << tile else high[:, tile] | low[:, tile]
                ends[laid] |= np.where(before & high[:, tile], low[:, tile], 0).astype(np.uint8)
                ends[laid] |= np.where(before & low[:, tile], high[:, tile], 0).astype(np.uint8)
        longest = np.where(ends[laid] > 0, np.maximum(longest, laid.bit_count()), longest)
    return longest


def listed(counts: np.ndarray) -> np.ndarray:
    """Return the tiles of counts by kind, [N, KINDS], as sorted kinds, int [N, most], with -1 behind them."""
    tiles = np.full((len(counts), int(counts.sum(1).max(initial=0))), -1)
    held = np.arange(tiles.shape[1]) < counts.sum(1)[:, None]
    tiles[held] = np.repeat(np.tile(np.arange(KINDS), len(counts)), counts.reshape(-1))
    return tiles


def by_number(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of hands, copies by kind [N, KINDS], carry each number, int [N, HIGHEST]."""
    return hands @ np.array([carrying(number) for number in range(1, HIGHEST + 1)]).T


def alike_in_pips(hands: np.ndarray) -> np.ndarray:
    """Return how many tiles of hands, [N, KINDS], have as many pips as another one before them, int [N]."""
    by_pips = hands @ np.equal(WEIGHT[:, None], np.arange(WEIGHT.max() + 1))
    return np.maximum(by_pips - 1, 0).sum(1)


# What a sum over the tiles of a hand leaves out, counted in copies by kind, [N, KINDS].
BESIDES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "one more pair of equal tiles": lambda hands: (hands >= 2).sum(1),
    "one more tile with as many pips as another": alike_in_pips,
    "one more number that no tile carries": lambda hands: (by_number(hands) == 0).sum(1),
    "one more tile with the number that most tiles carry": lambda hands: by_number(hands).max(1),
}
# The same where tiles are laid to lines.
OF_LINES = {"one more tile in the longest line that the hand can lay": longest_chain}


def lays_lines(game: Game) -> bool:
    """Return whether tiles are laid to lines, with a number left open."""
    return any(move.leaves for move in game.moves)


def tables(study: Study) -> Sequence[Table]:
    """Return what each tile is worth in the hand that is dealt, and what else of a hand matters."""
    fit, player = Fit(study), name_of(study.best)
    counts = BESIDES | (OF_LINES if lays_lines(study.game) else {})
    besides = {name: worth for name, counted in counts.items() if (worth := fit.besides(counted)) is not None}
    return (
        Table(
            say("What a tile in the hand that is dealt is worth, with {player} in all seats", player=player),
            ("tile", "chips more than the mean tile"),
            (WORDS, CHIPS),
            [(tile_name(kind), worth) for kind, worth in fit.tiles().items()],
        ),
        Table(
            "What else of a hand matters, besides its tiles",
            ("in the hand", "chips", "verdict"),
            (WORDS, CHIPS, WORDS),
            list(zip(besides, besides.values(), verdicts([*besides.values()]), strict=True)),
        ),
    )


def hand_worth(study: Study, hand: Sequence[int]) -> Table:
    """Return what a hand, kinds, wins in each place in turn, by the fit and by playing it out.

    Raises:
        ValueError: For a hand of another size, for tiles that the deck does not have, and as `hands_in`.
    """
    first, size = hands_in(study.game, study.variant)
    if len(hand) != size:
        raise ValueError(f"a hand of {study.game.id} has {size} tiles, not {len(hand)}")
    fit, deck = Fit(study), study.game.deck(study.variant.as_rules()).tolist()
    rest = np.array(tiles_in(rest_of(tile_set(deck), hand)), np.int8)
    counts, rows = np.bincount(hand, minlength=KINDS), []
    for place in range(study.variant.players):
        chips = []
        for _, envs in study.lanes():
            seats = turns_of(study.variant, envs.states)[:, place]
            orders = np.empty((envs.num_envs, len(deck)), np.int8)
            for order, seat, key in zip(orders, seats.tolist(), envs.states.seed.tolist(), strict=True):
                others = rest.copy()
                shuffle(others, derive(key, ORDER_STREAM))
                begin = first + seat * size
                order[:] = np.concatenate([others[:begin], hand, others[begin:]])
            laying_out(study.game)(envs.rules, envs.states, orders)
            envs.refresh()
            play_out(envs, [study.best])
            chips.append(chips_won(envs)[np.arange(envs.num_envs), seats])
        rows.append((TURNS[place], fit.hand(place, counts), estimate(np.concatenate(chips))))
    return Table(
        say("What {hand} wins, with {player} in all seats", hand=set_name(tile_set(hand)), player=name_of(study.best)),
        ("turn", "by the worth of its tiles", "played out"),
        (WORDS, CHIPS, CHIPS),
        rows,
        "The worth of its tiles is a sum, which knows nothing of how they go together.",
    )
