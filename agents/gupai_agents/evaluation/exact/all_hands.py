"""Exact worth of policies where each of two seats decides once and sees its own hand alone, on the whole deck.

Such a game is a matrix game of hands: what matters of a deal is which hand each seat has and how it is split, and how
often two hands are dealt together is counted. `HandTree` answers what `GameTree` answers, for every agent, without a
sample: agents are asked for each of their hands, in both roles and both seats. A game offers it by a module `hands` in
its package (see `Game.hands`), of which these functions are asked:

    hands_of(deck, size): the different hands of a deck, and how often each is dealt.
    alike(rules): the kinds of tiles that are worth the same, by which `solve_hands` looks at fewer hands.
    groups_by_split(table, hands): the values of the two groups of every split. Of two groups in the same place the
        higher value wins; equal ones are a copy, or the banker's if the value is 0.
    chips_between(rules): what player and banker win by what came of both groups.
"""

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import comb
from typing import Any, ClassVar, Unpack

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, distinct, probabilities
from gupai_agents.play.decisions import resume_lanes
from gupai_agents.play.workers import cores
from gupai_agents.registry import agents_of
from gupai_env.core.byte_rows import write_row
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.kernels import LONG
from gupai_env.core.memory import scratch
from gupai_env.core.tiles import KINDS, tile_set
from gupai_env.core.variant import RANDOM_LEADER, Variant
from gupai_env.games import get_game
from gupai_env.games.claims import BANKER, PLAYER, Chances
from gupai_env.messages.checks import whole_number
from gupai_env.options import Options

SEATS = 2
LOWER, EQUAL, HIGHER = range(3)  # a group than that of the other seat
MOST_ROUNDS = 1_000_000_000


def _respond(hands, groups, copies, policy, outcomes, chips, span, out):
    """Add up for each split of some hands what it wins against a policy, over all hands dealt to the other seat.

    Args:
        hands: The sorted hands of either seat, int8 [H, size].
        groups: The values of the two groups of each split, int8 [H, splits, 2].
        policy: How the other seat splits each hand, divided by the orders of its tiles, float64 [H, splits].
        copies: Tiles of each kind.
        outcomes: How a value compares with another, LOWER, EQUAL or HIGHER, int8 [values, values].
        chips: The chips for the comparison of the high groups and that of the low groups, float64 [3, 3].
        span: The first hand of these sums, and the one after the last.
        out: Filled with the sums, float64 [H, splits], weighted by the policy and by the orders in which the other hand
            can be drawn.
    """
    remaining = scratch(KINDS, LONG)
    for own in range(span[0], span[1]):
        write_row(remaining, copies)
        for place in range(hands.shape[1]):
            remaining[hands[own, place]] -= 1
        for other in range(len(hands)):
            orders, used, last = 1, 0, -1  # in how many ways the tiles of the other hand are drawn one by one
            for place in range(hands.shape[1]):
                kind = hands[other, place]
                used = used + 1 if kind == last else 0
                last = kind
                orders *= remaining[kind] - used
            if orders == 0:
                continue
            for theirs in range(policy.shape[1]):
                weight = orders * policy[other, theirs]
                if weight == 0:
                    continue
                high, low = groups[other, theirs, 0], groups[other, theirs, 1]
                for split in range(groups.shape[1]):
                    one, two = outcomes[groups[own, split, 0], high], outcomes[groups[own, split, 1], low]
                    out[own, split] += weight * chips[one, two]


respond: Callable[..., Any] = compiled(_respond)


@dataclass(frozen=True)
class Hands:
    """H hands of a deck, distinguished by tiles or only by their values.

    hands: int8 [H, size], sorted kinds. times: int64 [H], how often each is dealt. groups: int8 [H, splits, 2], values.
    masks: bool [H, splits], the splits that are legal. copies: int64 [KINDS], of each kind in the deck.
    """

    hands: np.ndarray
    times: np.ndarray
    groups: np.ndarray
    masks: np.ndarray
    copies: np.ndarray

    def worth(self, policy: np.ndarray, chips: np.ndarray, nothing: int) -> np.ndarray:
        """Return what each split wins against a policy of the other seat, over all deals, float64 [H, splits].

        `nothing`: what is said of two groups of value 0.

        The sum over all hands, each split as its seat's policy says, is what that wins per deal.

        Args:
            policy: The probability of each split, float64 [H, splits].
            chips: What a deal pays by the comparison of the high groups and that of the low groups, float64 [3, 3].
            nothing: What is said of two groups of value 0.
        """
        out, number = np.zeros(policy.shape), cores()
        bounds = np.linspace(0, len(self.hands), number + 1).astype(np.int64)
        once = policy / self.repeats[:, None]
        values = np.arange(int(self.groups.max()) + 1)
        outcomes = (np.sign(values[:, None] - values) + EQUAL).astype(np.int8)
        outcomes[0, 0] = nothing
        arguments = (self.hands, self.groups, self.copies, once, outcomes, chips)
        with ThreadPoolExecutor(number) as pool:
            spans = [bounds[start : start + 2] for start in range(number)]
            list(pool.map(lambda span: respond(*arguments, span, out), spans))
        size = self.hands.shape[1]
        return out * self.times[:, None] / (self.times.sum() * comb(int(self.copies.sum()) - size, size))

    @property
    def repeats(self) -> np.ndarray:
        """How many orders of the tiles of each hand look alike, int64 [H]: two for every pair of equal tiles."""
        counts, used = np.ones(len(self.hands), np.int64), np.ones(len(self.hands), np.int64)
        for place in range(1, self.hands.shape[1]):
            used = np.where(self.hands[:, place] == self.hands[:, place - 1], used + 1, 1)
            counts *= used
        return counts


@dataclass(frozen=True)
class HandTree:
    """All play of a variant of two seats in which hands alone matter.

    A policy of both seats is float64 [seats, roles, H, splits]: the probability of each split of each hand, for the
    seat as PLAYER and as BANKER. Values are means over who is banker, if that is drawn.
    """

    game: Game
    variant: Variant
    by_tiles: Hands
    batches: Sequence[DecisionBatch]  # of each seat: all hands as player, then as banker
    _known: dict[bytes, np.ndarray] = field(default_factory=dict, repr=False)  # the last answer of `_worth`

    players = SEATS
    sides: ClassVar[np.ndarray] = np.arange(SEATS)  # each seat for itself

    @property
    def rules(self) -> Any:
        """The options as numbers."""
        return self.variant.as_rules()

    @property
    def bankers(self) -> list[int]:
        """The seats that may be banker, each as likely as the other."""
        return [0, 1] if self.rules.leader == RANDOM_LEADER else [int(self.rules.leader)]

    @property
    def sets(self) -> int:
        """Number of information sets: a seat's hand and role."""
        return SEATS * len(self.bankers) * len(self.by_tiles.hands)

    @property
    def deals(self) -> int:
        """Number of different deals of two hands."""
        hands = self.by_tiles
        held = np.zeros((len(hands.hands), KINDS), np.int64)
        for kinds in hands.hands.T:
            held[np.arange(len(held)), kinds] += 1
        count = 0
        for row in held:
            count += int((held + row <= hands.copies).all(1).sum())
        return count * len(self.bankers)

    @property
    def nodes(self) -> int:
        """Number of positions, as of a `GameTree`, if all splits were legal: the deal, both decisions and all ends."""
        splits = self.by_tiles.masks.shape[1]
        return 1 + self.deals * (1 + splits + splits * splits)

    def policy(self, agents: Sequence[str | Agent]) -> np.ndarray:
        """Return the policy of one agent a seat; raises ValueError as `gupai_agents.agent.probabilities` does."""
        different, who = distinct(agents_of(self.game, self.variant, agents))
        if len(agents) != SEATS:
            raise ValueError(f"{len(agents)} players for {SEATS} seats; there must be one for each")
        rows = [
            probabilities(different[who[seat]], self.game, self.variant, self.batches[seat]) for seat in range(SEATS)
        ]
        return np.array(rows).reshape(SEATS, 2, *self.by_tiles.masks.shape)

    def uniform(self) -> np.ndarray:
        """Return the policy that splits every hand in all legal ways alike."""
        masks = self.by_tiles.masks
        return np.broadcast_to(masks / masks.sum(1, keepdims=True), (SEATS, 2, *masks.shape)).copy()

    def values(self, policy: np.ndarray) -> np.ndarray:
        """Return what each seat wins a deal if both keep to a policy, float64 [seats]."""
        return self._mean((self._worth(policy) * policy).sum((2, 3)))

    def best_responses(self, policy: np.ndarray) -> np.ndarray:
        """Return what each seat wins a deal by a best response to the other's policy, float64 [seats]."""
        return self._mean(np.where(self.by_tiles.masks, self._worth(policy), -np.inf).max(3).sum(2))

    def gains(self, policy: np.ndarray) -> np.ndarray:
        """Return what each seat wins a deal more by a best response, float64 [seats]."""
        return self.best_responses(policy) - self.values(policy)

    def exploitability(self, policy: np.ndarray) -> float:
        """Return the mean of both seats' gains, chips per deal."""
        return float(self.gains(policy).mean())

    def _mean(self, by_seat: np.ndarray) -> np.ndarray:
        """Return the means over who is banker of what is won by seat and role, float64 [seats, roles]."""
        chips = [[by_seat[seat, int(seat == banker)] for seat in range(SEATS)] for banker in self.bankers]
        return np.mean(chips, 0)

    def _worth(self, policy: np.ndarray) -> np.ndarray:
        """Return what each split wins in each role of each seat, float64 [seats, roles, H, splits]."""
        key = policy.tobytes()
        if key not in self._known:
            alike = (policy[0] == policy[1]).all()
            rows = [
                roles_worth(self.by_tiles, self.rules, self.game, policy[1 - seat]) for seat in range(1 if alike else 2)
            ]
            self._known.clear()
            self._known[key] = np.array(rows * 2 if alike else rows)
        return self._known[key]


def roles_worth(hands: Hands, rules: Any, game: Game, policy: np.ndarray) -> np.ndarray:
    """Return what each split wins as player and as banker, [roles, H, splits], against a policy by role.

    Args:
        hands: All hands, with their splits.
        rules: The options, as rules functions take them.
        game: The game.
        policy: Of both roles, float64 [roles, H, splits].
    """
    return np.array([role_worth(hands, rules, game, role, policy[1 - role]) for role in (PLAYER, BANKER)])


def role_worth(hands: Hands, rules: Any, game: Game, role: int, policy: np.ndarray) -> np.ndarray:
    """Return what each split wins in one role, float64 [H, splits], against a policy of the other role, the same.

    Args:
        hands, rules, game: As of `roles_worth`.
        role: PLAYER or BANKER.
        policy: Of the other role, float64 [H, splits].
    """
    assert game.hands
    chips = game.hands.chips_between(rules)[role]
    own = chips if role == PLAYER else chips[::-1, ::-1]  # seen from this role
    return hands.worth(policy, np.ascontiguousarray(own), LOWER if role == PLAYER else HIGHER)


def build_hand_tree(game: str | Game, /, **variant: Unpack[Options]) -> HandTree:
    """List all hands of a variant.

    Raises:
        ValueError: For a game that does not offer it, for more than two seats, a match of several deals, and where
            there is nothing to decide.
    """
    game = get_game(game)
    options = game.variant.make(**{"players": SEATS, **variant})
    if not offers_hands(game, options):
        raise ValueError(
            f"{game.id} ({options}): hands alone do not decide a policy; this needs two seats, one deal and one "
            "decision for each"
        )
    rules = options.as_rules()
    by_tiles = list_hands(game, rules)
    batches = [batch_of(game, options, by_tiles.hands, seat) for seat in range(SEATS)]
    by_tiles.masks[:] = batches[0].masks[: len(by_tiles.hands)]
    return HandTree(game, options, by_tiles, batches)


def offers_hands(game: Game, variant: Variant) -> bool:
    """True if a policy of a variant depends on hands alone."""
    decided = not getattr(variant, "small", False)
    return bool(game.hands and decided and variant.players == SEATS and variant.deals == 1)


def at_two_seats(variant: Variant) -> Variant:
    """Return a variant for a table of a player and the banker, whose equilibrium is one at every table."""
    return replace(variant, players=SEATS)


def list_hands(game: Game, rules: Any) -> Hands:
    """Return all hands of a variant."""
    assert game.hands
    deck = np.asarray(game.deck(rules))
    hands, times = game.hands.hands_of(deck, game.hands.HAND)
    groups = game.hands.groups_by_split(game.hands.table_of(rules), hands)
    return Hands(hands, times, groups, np.ones(groups.shape[:2], bool), np.bincount(deck, minlength=KINDS))


def by_worth(hands: Hands, kinds: np.ndarray) -> tuple[Hands, np.ndarray]:
    """Return the hands that there are if tiles of some kinds, int8 [KINDS], are not distinguished.

    Also which of them each of `hands` is, int64 [H].
    """
    alike, some, class_index = np.unique(np.sort(kinds[hands.hands], 1), axis=0, return_index=True, return_inverse=True)
    class_index = class_index.reshape(-1)
    times = np.bincount(class_index, hands.times).astype(np.int64)
    copies = np.bincount(kinds, hands.copies, KINDS).astype(np.int64)
    return Hands(alike, times, hands.groups[some], hands.masks[some], copies), class_index


@functools.cache
def chances_against(game: Game, splits: Callable[[np.ndarray], np.ndarray]) -> Chances:
    """Return the chances against a seat that splits hands, int8 [H, size] to int [H], under the default options."""
    assert game.hands
    rules = game.variant.make(players=SEATS).as_rules()
    by_tiles = list_hands(game, rules)
    hands, class_index = by_worth(by_tiles, game.hands.alike(rules))
    tiles = by_tiles.hands[np.unique(class_index, return_index=True)[1]]
    policy = np.eye(hands.groups.shape[1])[splits(tiles)]
    wins, copies_win = np.zeros((2, 3, 3))
    wins[HIGHER, HIGHER] = 1
    copies_win[EQUAL:, EQUAL:] = 1

    def share(both_groups: np.ndarray, nothing: int) -> np.ndarray:
        return hands.worth(policy, np.ascontiguousarray(both_groups), nothing)

    won = np.array([share(wins, LOWER), share(copies_win, HIGHER)])
    lost = np.array([share(copies_win[::-1, ::-1], LOWER), share(wins[::-1, ::-1], HIGHER)])
    return Chances(tiles, hands.times, won, lost)


def batch_of(game: Game, variant: Variant, hands: np.ndarray, seat: int) -> DecisionBatch:
    """Return what a seat is asked with each hand, as player and then as banker; whatever it cannot see is left out.

    Args:
        game, variant: What is played, by two.
        hands: The tiles of each, int [H, tiles].
        seat: Who holds them.
    """
    states = game.new_states(2 * len(hands))
    rules = variant.as_rules()
    deck = tile_set(np.asarray(game.deck(rules)).tolist())
    sets = np.array([tile_set(hand) for hand in hands.tolist()] * 2)
    states.hands[:, seat], states.unused = sets, deck - sets
    states.tiles[:, seat] = np.concatenate([hands, hands])
    states.leader = np.repeat([1 - seat, seat], len(hands))
    states.to_act = seat
    envs = resume_lanes(game, variant, states)
    views, _ = envs.views()
    return DecisionBatch(views, envs.masks.copy(), np.zeros(len(states), np.int64))


def solve_hands(tree: HandTree, rounds: int, progress: Callable[[int], None] | None = None) -> np.ndarray:
    """Return the average policy after some rounds of CFR+, which approaches an equilibrium; see `exact.solve`.

    Tiles that are worth the same are not distinguished, which changes no equilibrium's value.

    Args:
        tree: Of all hands.
        rounds: How many.
        progress: Called with 1 after every round.

    Returns:
        The policy, float64 [seats, roles, H, splits].

    Raises:
        ValueError: For less than one round.
    """
    rounds = whole_number("rounds", rounds, 1, MOST_ROUNDS)
    assert tree.game.hands
    hands, class_index = by_worth(tree.by_tiles, tree.game.hands.alike(tree.rules))
    first = first_of_equal(hands.groups)
    regrets, total = np.zeros((2, 2, *first.shape))
    for number in range(1, rounds + 1):
        for role in (PLAYER, BANKER):
            worth = role_worth(hands, tree.rules, tree.game, role, in_proportion(regrets[1 - role], first))
            value = (worth * in_proportion(regrets[role], first)).sum(1, keepdims=True)
            regrets[role] = np.where(first, np.maximum(regrets[role] + worth - value, 0), 0)
        total += number * np.array([in_proportion(regret, first) for regret in regrets])
        if progress:
            progress(1)
    policy = np.array([in_proportion(weights, first) for weights in total])
    result = policy_by_tiles(tree.by_tiles, hands, class_index, policy)
    return np.broadcast_to(result, (SEATS, *result.shape)).copy()


class Equilibrium:
    """What every split of every hand wins on average against an equilibrium, which some rounds of CFR+ find.

    It is one with any number of players too: each settles with the banker alone, so the banker wins as much from each.
    """

    def __init__(self, tree: HandTree, rounds: int) -> None:
        hands = tree.by_tiles
        worth = roles_worth(hands, tree.rules, tree.game, solve_hands(tree, rounds)[0])
        # [roles, H, splits]
        self.won: np.ndarray = np.where(hands.masks, worth * hands.times.sum() / hands.times[:, None], np.nan)
        self.rows: dict[Any, int] = {hand.tobytes(): row for row, hand in enumerate(hands.hands)}

    def chips(self, batch: DecisionBatch) -> np.ndarray:
        """Return the chips of every split, float64 [N, splits]; NaN where it is not legal."""
        views = batch.views
        rows = [self.rows[tiles.tobytes()] for tiles in views.tiles]
        is_banker = views.banker == 0
        settled = np.where(is_banker, views.players - 1, 1)
        return settled[:, None] * self.won[np.where(is_banker, BANKER, PLAYER), rows]


def first_of_equal(groups: np.ndarray) -> np.ndarray:
    """Return which splits make no values that an earlier one makes, bool [H, splits]."""
    first = np.ones(groups.shape[:2], bool)
    for split in range(groups.shape[1]):
        for earlier in range(split):
            first[:, split] &= (groups[:, split] != groups[:, earlier]).any(1)
    return first


def in_proportion(weights: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the policy in proportion to weights, float64 [H, splits]; uniform where all are zero."""
    totals = weights.sum(1, keepdims=True)
    return np.divide(weights, totals, out=masks / masks.sum(1, keepdims=True), where=totals > 0)


def policy_by_tiles(by_tiles: Hands, hands: Hands, class_index: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """Return a policy of hands of worth, [roles, C, splits], as one of hands of tiles, [roles, H, splits].

    Args:
        by_tiles: The hands of tiles.
        hands: Those that differ in worth.
        class_index: For each hand of tiles the number of its hand of worth, int [H].
        policy: Of the hands of worth, float64 [roles, C, splits].
    """
    first = first_of_equal(by_tiles.groups) & by_tiles.masks
    # [H, splits, splits of its worth]
    same = (by_tiles.groups[:, :, None] == hands.groups[class_index][:, None]).all(3)
    return np.where(first, np.einsum("rhc,hsc->rhs", policy[:, class_index], same.astype(float)), 0)
