"""Exact values of policies, for variants small enough to search all play (deck="tiny").

A `GameTree` is built once and holds the game in sequence form. A seat's *information set* is all that it has seen so
far, with perfect recall: its views one after another, whoever moved, and its own actions in between; the last view
alone may forget, for instance, the order of its own discards. A *sequence* is an information set with one of its
actions, or the empty one with which a seat begins. Each end of the game belongs to one sequence of every seat, that
of its last decision. A *policy* of all seats is float64 [sequences]: the probability of the action in its set.

The *gain* of a seat is what a best response, which knows the policy of the others, wins more than the seat's own
policy. The *exploitability* of two seats is the mean of their gains in chips per deal: half of NashConv, and the number
that OpenSpiel calls exploitability. Payoffs that sum to zero make it zero in an equilibrium and only there. Of two
teams it is the mean of what partners gain by responding in turn (`side_gains`), a lower bound.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, distinct, probabilities
from gupai_agents.evaluation.exact.all_hands import HandTree, build_hand_tree, offers_hands, solve_hands
from gupai_agents.play.decisions import resume_lanes
from gupai_agents.registry import agents_of
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.variant import TINY, Variant
from gupai_env.deals import all_deals
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import counted, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

MOST_NODES = 1_000_000
MOST_ROUNDS = 1_000_000_000
UNREGRETTED = 1e-12  # of allowed sequences, that their sets never choose among all
CLOSE = 1e-9  # chips that partners must gain to continue responding


@dataclass(frozen=True)
class GameTree:
    """All play of a variant in sequence form: I information sets, Q sequences, E ends.

    Sequences 0..seats - 1 are the empty ones; then come those of set 0 in the order of their actions, of set 1, and
    so on. A set has a higher number than the one where the same seat decided before.

    deals: int, distinct ones. nodes: int, positions in all: the deal, decisions and ends.
    probability: float64 [E], the probability of an end's deal. payoffs: float64 [E, seats], its chips.
    ends: int32 [E, seats], its sequences.
    seats: int8 [I], who decides. batch: the decisions of an agent there, I rows.
    first: int32 [I + 1], the set's first sequence, then Q. before: int32 [I], the seat's sequence that leads there.
    layers: int32 [layers + 1], sets layers[l]..layers[l + 1] - 1 depend on those of earlier layers alone.
    together: partners are one player, see `build_tree_of_sides`; what is said of seats here is said of players then.
    """

    game: Game
    variant: Variant
    deals: int
    nodes: int
    probability: np.ndarray
    payoffs: np.ndarray
    ends: np.ndarray
    seats: np.ndarray
    batch: DecisionBatch
    first: np.ndarray
    before: np.ndarray
    layers: np.ndarray
    together: bool = False

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.payoffs.shape[1]

    @property
    def sets(self) -> int:
        """Number of information sets."""
        return len(self.seats)

    @property
    def actions(self) -> np.ndarray:
        """The action of each sequence, int16 [Q]; -1 for the empty ones."""
        return np.concatenate([np.full(self.players, -1), np.nonzero(self.batch.masks)[1]]).astype(np.int16)

    # --- policies -----------------------------------------------------------------------------------

    def policy(self, agents: Sequence[str | Agent]) -> np.ndarray:
        """Return the policy of one agent per seat; raises ValueError as `gupai_agents.agent.probabilities` does."""
        if len(agents) != self.players:
            raise ValueError(f"{counted(len(agents), 'player')} for {self.players} seats; there must be one for each")
        policy_rows = np.zeros(self.batch.masks.shape)
        different, who = distinct(agents_of(self.game, self.variant, agents))
        for number, agent in enumerate(different):
            rows = np.isin(self.seats, np.flatnonzero(np.array(who) == number))
            policy_rows[rows] = probabilities(agent, self.game, self.variant, self.batch.at(rows))
        return np.concatenate([np.ones(self.players), policy_rows[self.batch.masks]])

    def uniform(self) -> np.ndarray:
        """Return the policy that plays all legal actions with equal probability."""
        return self.in_proportion(np.zeros(self.first[-1]))

    def in_proportion(self, weights: np.ndarray) -> np.ndarray:
        """Return the policy in proportion to weights, float64 [Q] and none negative; uniform where all are zero."""
        counts = np.diff(self.first)
        shares = weights[self.players :]
        totals = np.repeat(np.add.reduceat(shares, self.first[:-1] - self.players), counts)
        policy = np.divide(shares, totals, out=np.repeat(1 / counts, counts), where=totals > 0)
        return np.concatenate([np.ones(self.players), policy])

    def plan(self, policy: np.ndarray) -> np.ndarray:
        """Return the probability that the seat's own choices follow each sequence, float64 [Q]."""
        plan = policy.copy()
        for sets, sequences, _ in self.layers_of_sets():
            plan[sequences] *= np.repeat(plan[self.before[sets]], np.diff(self.first)[sets])
        return plan

    # --- their values -------------------------------------------------------------------------------

    def values(self, policy: np.ndarray) -> np.ndarray:
        """Return what each seat wins per deal if all keep to a policy, float64 [seats]."""
        return (self.probability * self.plan(policy)[self.ends].prod(1)) @ self.payoffs

    def best_responses(self, policy: np.ndarray) -> np.ndarray:
        """Return what each seat wins per deal by a best response to the others' policy, float64 [seats]."""
        weighted_payoffs = self.weighted_payoffs(policy)
        self.pass_back(weighted_payoffs)
        return weighted_payoffs[: self.players]

    def gains(self, policy: np.ndarray) -> np.ndarray:
        """Return how much more each seat wins per deal by a best response, float64 [seats]."""
        return self.best_responses(policy) - self.values(policy)

    @property
    def sides(self) -> np.ndarray:
        """The side for which each seat plays, int [seats]; partners that are one player are a side."""
        return np.arange(self.players) if self.together else self.game.sides(self.players)

    def side_gains(self, policy: np.ndarray) -> np.ndarray:
        """Return how much more each side wins per deal and seat if its seats respond, float64 [sides].

        A side of one seat plays a best response. Partners respond best in turn, each to all others and to what the
        other has come to play, until neither wins more by it, whoever begins: a lower bound on what they could win by
        a plan made together.
        """
        values = self.values(policy)
        gains = np.zeros(self.sides.max() + 1)
        for side in range(len(gains)):
            seats = np.flatnonzero(self.sides == side)
            gains[side] = max(self._respond(policy, np.roll(seats, steps)) for steps in range(len(seats)))
            gains[side] -= values[seats[0]]
        return gains

    def _respond(self, policy: np.ndarray, seats: np.ndarray) -> float:
        """Return what partners win that respond best in turn, in this order, as long as that wins more."""
        best = -np.inf
        while True:
            for seat in seats:
                value = self.best_responses(policy)[seat]
                if len(seats) > 1:
                    policy = self.responding(policy, seat)
            if value <= best + CLOSE or len(seats) == 1:
                return float(value)
            best = value

    def responding(self, policy: np.ndarray, seat: int) -> np.ndarray:
        """Return the policy in which one seat plays a best response; equally good actions have equal probability."""
        counts = np.diff(self.first)
        weighted_payoffs = self.weighted_payoffs(policy)
        value = self.pass_back(weighted_payoffs)
        best = (weighted_payoffs[self.players :] >= np.repeat(value, counts)).astype(np.float64)
        response = self.in_proportion(np.concatenate([np.ones(self.players), best]))
        owner = np.concatenate([np.arange(self.players), np.repeat(self.seats, counts)])
        return np.where(owner == seat, response, policy)

    def exploitability(self, policy: np.ndarray) -> float:
        """Return the mean of two sides' gains, chips per deal, see `side_gains`; raises ValueError for more sides."""
        if self.sides.max() != 1:
            raise ValueError(
                f"exploitability is defined for two seats, not for {self.players}; look at the gain of each"
            )
        return float(self.side_gains(policy).mean())

    def weighted_payoffs(self, policy: np.ndarray) -> np.ndarray:
        """Return the payoffs of the ends of each sequence, weighted by chance and the others' choices, float64 [Q]."""
        plans = self.plan(policy)[self.ends]
        weighted_payoffs = np.zeros(len(policy))
        for seat in range(self.players):
            likely = self.probability * np.delete(plans, seat, axis=1).prod(1)
            weighted_payoffs += np.bincount(self.ends[:, seat], likely * self.payoffs[:, seat], len(weighted_payoffs))
        return weighted_payoffs

    def pass_back(self, weighted_payoffs: np.ndarray, policy: np.ndarray | None = None) -> np.ndarray:
        """Add to the value of each sequence, in place, that of the sets it leads to; return the values of sets, float64
        [I].

        The value of a set is the mean of its sequences under `policy`, or without one that of the best of them.
        """
        value = np.zeros(self.sets)
        for sets, sequences, starts in reversed(list(self.layers_of_sets())):
            if policy is None:
                value[sets] = np.maximum.reduceat(weighted_payoffs[sequences], starts)
            else:
                value[sets] = np.add.reduceat(weighted_payoffs[sequences] * policy[sequences], starts)
            np.add.at(weighted_payoffs, self.before[sets], value[sets])
        return value

    def layers_of_sets(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Yield the sets of each layer, their sequences, and where among these each set begins."""
        for begin, end in zip(self.layers[:-1], self.layers[1:], strict=True):
            low, high = self.first[begin], self.first[end]
            yield slice(begin, end), slice(low, high), self.first[begin:end] - low


def solve(
    tree: GameTree | HandTree,
    rounds: int,
    progress: Callable[[int], None] | None = None,
    *,
    allowed: np.ndarray | None = None,
) -> np.ndarray:
    """Return the average policy after some rounds of CFR+, which for two seats approaches an equilibrium.

    Seats take turns, regrets stay above zero, round t counts t times (Tammelin, "Solving large imperfect information
    games using CFR+", 2014). Raises: ValueError for less than one round.

    Args:
        tree: Of all deals, or of all hands.
        rounds: How many, from 1.
        progress: Called with 1 after every round.
        allowed: Of a tree of all deals, the sequences that policies keep to, bool [Q], at least one in every set;
            default all.
    """
    rounds = whole_number("rounds", rounds, 1, MOST_ROUNDS)
    if isinstance(tree, HandTree):
        return solve_hands(tree, rounds, progress)
    counts = np.diff(tree.first)
    owner = np.concatenate([np.arange(tree.players), np.repeat(tree.seats, counts)])
    least = np.zeros(len(owner)) if allowed is None else np.where(allowed, UNREGRETTED, 0)
    regrets, total = least.copy(), np.zeros(len(owner))
    for number in range(1, rounds + 1):
        for seat in range(tree.players):
            policy = tree.in_proportion(regrets)
            weighted_payoffs = tree.weighted_payoffs(policy)
            value = tree.pass_back(weighted_payoffs, policy)
            regret = weighted_payoffs[tree.players :] - np.repeat(value, counts)
            mine = np.flatnonzero(owner == seat)[1:]  # without the empty sequence
            regrets[mine] = np.maximum(regrets[mine] + regret[mine - tree.players], least[mine])
            if allowed is not None:
                regrets *= allowed
        total += number * tree.plan(tree.in_proportion(regrets))
        if progress:
            progress(1)
    return tree.in_proportion(total)


def build_tree(game: str | Game, /, **variant: Unpack[Options]) -> GameTree | HandTree:
    """Search all play of a variant; where hands alone matter, list them instead (see `all_hands`).

    Raises:
        ValueError: For a match of several deals, and for more than MOST_NODES nodes or too many deals.
    """
    game = get_game(game)
    options = variant_from(game, variant, build_tree)
    if options.deck != TINY and offers_hands(game, options):
        return build_hand_tree(game, **variant)
    return _Search(game, variant).tree()


def build_tree_of_sides(game: str | Game, /, **variant: Unpack[Options]) -> GameTree:
    """Search all play of a variant, with partners as one player that sees all of their hands; `seats` are of sides.

    Raises:
        ValueError: As `build_tree`.
    """
    game = get_game(game)
    return _Search(game, variant, together=True).tree()


class _Positions(NamedTuple):
    """N positions of the same depth.

    probability: float64 [N], the probability of their deals. The rest by player, int [N, players]: sequences, the last
    one played; seen, the number of all that the player has seen; and by seat, view, the number of what it sees now.
    """

    probability: np.ndarray
    sequences: np.ndarray
    seen: np.ndarray
    view: np.ndarray

    def at(self, rows: np.ndarray) -> "_Positions":
        return _Positions(*(part[rows] for part in self))


class _Search:
    """The search of a tree, all positions of one depth at a time, as lanes.

    What a seat has seen is numbered by what it had seen before and what is new: its own action, as -1 - action, or the
    number of its view. A view that has not changed adds nothing, for a seat does not notice a decision that does not
    show. Partners that play together are one player, which sees what each of them does.
    """

    def __init__(self, game: Game, options: Options, together: bool = False) -> None:
        self.game, self.options, self.together = game, options, together
        self.variant = game.variant.make(**options)
        seats = self.variant.players
        self.player_of = game.sides(seats) if together else np.arange(seats)
        self.players = int(self.player_of.max()) + 1
        self.views: dict[bytes, int] = {}
        self.seen: dict[tuple[int, int], int] = {}
        self.sets: dict[int, int] = {}  # by what the seat to act has seen
        self.layers = [0]
        self.columns: dict[str, list[np.ndarray]] = {name: [] for name in ("seats", "views", "masks", "before")}
        self.ends: dict[str, list[np.ndarray]] = {name: [] for name in ("probability", "payoffs", "ends")}

    def tree(self) -> GameTree:
        """Search to the end."""
        states, probability = all_deals(self.game, **self.options)
        deals = len(states)
        nodes = 1 + deals
        players = np.tile(np.arange(self.players), (deals, 1))
        positions = _Positions(probability, players, -1 - players, np.full((deals, len(self.player_of)), -1))
        envs = resume_lanes(self.game, self.variant, states)
        self._expand(envs, positions, np.full(deals, NOBODY), np.zeros(deals, np.int64))
        while envs.num_envs:
            lanes = np.arange(envs.num_envs), self.player_of[envs.seats]
            sets = self._sets(envs, positions.seen[lanes], positions.sequences[lanes])
            row, actions = np.nonzero(envs.masks)
            nodes += len(row)
            if nodes > MOST_NODES:
                raise ValueError(
                    f"{self.game.id}, {self.variant}: the tree has more than "
                    f"{MOST_NODES:,} nodes; exact work needs fewer tiles or players"
                )
            movers, ways = envs.seats[row], envs.masks.cumsum(1)[row, actions]
            positions = positions.at(row)
            positions.sequences[np.arange(len(row)), self.player_of[movers]] = self._first()[sets[row]] + ways - 1
            envs = resume_lanes(self.game, self.variant, envs.states[row])
            payoffs, terminated = envs.step(actions)
            self.ends["probability"].append(positions.probability[terminated])
            own = np.unique(self.player_of, return_index=True)[1]  # partners win alike
            self.ends["payoffs"].append(payoffs[terminated][:, own].astype(np.float64))
            self.ends["ends"].append(positions.sequences[terminated].astype(np.int32))
            if terminated.all():
                break
            positions, envs = positions.at(~terminated), resume_lanes(self.game, self.variant, envs.states[~terminated])
            self._expand(envs, positions, movers[~terminated], actions[~terminated])
        columns = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        return GameTree(
            game=self.game,
            variant=self.variant,
            deals=deals,
            nodes=nodes,
            seats=columns["seats"],
            batch=DecisionBatch(
                columns["views"].view(np.recarray), columns["masks"], np.zeros(len(self.sets), np.int64)
            ),
            first=self._first(),
            before=columns["before"],
            layers=np.unique(self.layers),
            together=self.together,
            **{name: np.concatenate(parts) for name, parts in self.ends.items()},
        )

    def _expand(self, envs: VectorEnv, positions: _Positions, movers: np.ndarray, actions: np.ndarray) -> None:
        """Record what every seat sees after the movers' actions, int [N]."""
        for seat, player in enumerate(self.player_of.tolist()):
            views = np.zeros(envs.num_envs, self.game.view).view(np.recarray)
            envs.kernels.view_of(envs.rules, envs.states, seat, views)
            now = _numbers(self.views, views.view(f"V{views.itemsize}").tolist())
            for news, events in (
                (np.flatnonzero(movers == seat), -1 - actions),
                (np.flatnonzero(now != positions.view[:, seat]), now),
            ):
                keys = zip(positions.seen[news, player].tolist(), events[news].tolist(), strict=True)
                positions.seen[news, player] = _numbers(self.seen, keys)
            positions.view[:, seat] = now

    def _sets(self, envs: VectorEnv, seen: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Return the information sets of all lanes, int [N], and keep those that are new."""
        old = len(self.sets)
        sets = _numbers(self.sets, seen.tolist())
        numbers, rows = np.unique(sets, return_index=True)
        rows = rows[numbers >= old]
        self.columns["seats"].append(self.player_of[envs.seats[rows]].astype(np.int8))
        self.columns["views"].append(envs.views(rows)[0])
        self.columns["masks"].append(envs.masks[rows])
        self.columns["before"].append(before[rows])
        self.layers.append(len(self.sets))
        if (np.concatenate(self.columns["masks"])[sets] != envs.masks).any():
            raise ValueError(f"{self.game.id}: what a seat sees does not decide its legal actions")
        return sets

    def _first(self) -> np.ndarray:
        """Return the first sequence of every set met so far, and how many sequences there are, int [sets + 1]."""
        counts = [masks.sum(1) for masks in self.columns["masks"]]
        return self.players + np.concatenate([[0], np.cumsum(np.concatenate(counts))])


def _numbers(table: dict, keys: Iterable[Hashable]) -> np.ndarray:
    """Return the numbers of keys in a table, int64 [N]; a new key gets the next number."""
    return np.array([table.setdefault(key, len(table)) for key in keys], np.int64)
