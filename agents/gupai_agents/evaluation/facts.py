"""The facts of a game: who gains by leading, how long deals are, how they end, how much is luck, what the strong do.

Every player has all seats of the same deals, so what differs between seats is the game's and not the players'. Luck and
skill are measured between different players.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Unpack

import numpy as np

from gupai_agents.agent import Agent, ask, labels_of, name_of
from gupai_agents.evaluation.claims.features import METRICS
from gupai_agents.evaluation.claims.verdicts import GROUPS, estimate_statistic, explained_by, rated
from gupai_agents.evaluation.exact.tree import build_tree, solve
from gupai_agents.evaluation.matches.match import ENVS, MOST_FIGURES, Progress, chunks, duel, key_of
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.evaluation.statistics import NOTHING, Estimate, estimate, estimate_columns, ratio_of_means, share
from gupai_agents.play.decisions import Answers, chips_won, decisions, new_lanes, play_out, resume_lanes
from gupai_agents.players.heuristics import RandomAgent
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive, draw, in_json
from gupai_env.core.streams import FIELD_STREAM
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import TINY, Variant
from gupai_env.games import get_game, variant_from
from gupai_env.games.claims import Outcome, counts_of, vocabulary_of
from gupai_env.messages.checks import as_list, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

ROUNDS = 400  # of CFR+ on the tiny deck
CHUNK = 1 << 15  # lanes of `perft` that are played side by side
MOST_DEPTH = 1000  # actions, in ways of play
TURNS = (
    "the seat that leads",
    "the next one",
    "the third",
    "the fourth",
    "the fifth",
    "the sixth",
    "the seventh",
    "the eighth",
)
RIDGE = 1e-9  # added to the variance of what a hand holds, so that a fit exists


@dataclass(frozen=True)
class SelfPlay:
    """What comes of deals in which one player has all seats.

    Attributes:
        player: Its name.
        by_turn: Chips of the seat that leads, of the one whose turn is next, and so on.
        decisions: How many there are in a deal.
        forced: The share of decisions with one legal action.
        legal: Legal actions of a decision.
        ties: The share of deals in which some sides share the most chips.
        hand: The share of the variance of chips that the hand as dealt and the place in turn explain, by a fit that is
            linear in how often each kind is held, to one half of the deals, judged on the other half.
        endings: The share of deals by how they end, of games that say so.
        figures: What else the game counts in a deal, by the name that claims use.
    """

    player: str
    by_turn: tuple[Estimate, ...]
    decisions: Estimate
    forced: Estimate
    legal: Estimate
    ties: Estimate
    hand: Estimate
    endings: Mapping[str, Estimate]
    figures: Mapping[str, Estimate]


@dataclass(frozen=True)
class Choices:
    """How two players choose in the same decisions of one round, where there is more than one legal action.

    Attributes:
        round: From 1: each of a seat's decisions in turn, forced ones too.
        differ: The share of decisions in which they take different actions.
        types: By type of action, how often each of the two takes it where it and another type are legal.
    """

    round: int
    differ: Estimate
    types: Mapping[str, tuple[Estimate, Estimate]]


@dataclass(frozen=True)
class Luck:
    """How far chips depend on the deal and on who plays.

    Attributes:
        variance: Of a hero's chips in one game against the rival, in chips squared.
        within: The part of it within a deal, which the seat and the play make.
        gain: How many games of different deals one game of a deal that is played from all seats is worth.
        skill: The share of the variance of a seat's chips that is explained by who sits there, if every side of a deal
            draws one of the players.
    """

    variance: Estimate
    within: Estimate
    gain: Estimate
    skill: Estimate


@dataclass(frozen=True)
class TinyDeck:
    """The tiny deck, whose play is searched completely.

    Attributes:
        options: Of the variant: those that were given, as far as the tiny deck allows them.
        deals: Different ones.
        nodes, sets: Positions and information sets of the tree.
        by_turn: Chips per deal of the seat that leads and of the others in turn, where all keep to an equilibrium, as
            CFR+ has approached it.
        exploitability: What a seat that responds best to it still wins more, in chips per deal, mean of the two sides;
            so far the chips by turn may be from those of an equilibrium.
    """

    options: Mapping[str, Any]
    deals: int
    nodes: int
    sets: int
    by_turn: tuple[float, ...]
    exploitability: float


@dataclass(frozen=True)
class Facts:
    """The facts of a variant, measured in `deals` deals of a seed.

    Attributes:
        self_play: By player.
        rival: The name of the player with whom the last one is compared.
        choices: By round, how the last player's choices differ from the rival's, in deals between last players.
        luck: From duels of the last player with the rival, and from tables of all except `random`.
        tiny: Of these options.
    """

    game: Game
    variant: Variant
    deals: int
    seed: int
    self_play: tuple[SelfPlay, ...]
    rival: str
    choices: tuple[Choices, ...]
    luck: Luck
    tiny: TinyDeck

    def as_numbers(self) -> dict[str, Any]:
        """Return the facts as JSON holds them; figures with what they mean and their unit."""
        numbers: dict[str, Any] = _numbers(self)
        metrics = vocabulary_of(self.game).metrics
        for part in numbers["self_play"]:
            for name, figure in part["figures"].items():
                metric = metrics[name]
                part["figures"][name] = {"what": metric.what, "unit": metric.unit, "share": metric.is_share, **figure}
        game, variant = self.game, self.variant.changed()
        return {"game": game.id, "version": game.version, "variant": variant, **numbers, "seed": in_json(self.seed)}


def _numbers(value: Any) -> Any:
    """Return a value of facts as JSON holds it, without game and variant."""
    if isinstance(value, Estimate):
        return value.as_numbers()
    if is_dataclass(value):
        names = [member.name for member in fields(value) if member.name not in ("game", "variant")]
        return {name: _numbers(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: _numbers(member) for name, member in value.items()}
    return [_numbers(member) for member in value] if isinstance(value, tuple) else value


def facts_of(
    game: str | Game,
    players: Sequence[str | Agent],
    rival: str | Agent,
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **variant: Unpack[Options],
) -> Facts:
    """Measure the facts of a variant.

    Args:
        game: Its id, or the game itself.
        players: The weakest first; each plays all seats by itself.
        rival: A weaker player, with whom the last one is compared.
        deals: So many for every player, for the duels and for the tables of all players.
        seed: Of the deals.
        progress: Called with the number of deals just played; there are `steps_of(players, deals)`.

    Raises:
        ValueError: For a match of several deals, and as `play_duplicates`.
    """
    game, players = get_game(game), as_list("players", players, "agents")
    made, seed = variant_from(game, variant, facts_of), as_key(seed)
    if made.deals > 1:
        raise ValueError(f"deals={made.deals} is not allowed; facts are those of one deal, take deals=1")
    deals = whole_number("deals", deals, 2, MOST_FIGURES // made.players**2)
    *agents, weaker = agents_of(game, made, [*players, rival])
    labels, tell = labels_of(agents), progress or (lambda number: None)
    tiny = tiny_deck(game, made)
    parts: list[SelfPlay] = []
    choices: tuple[Choices, ...] = ()
    for label, agent in zip(labels, agents, strict=True):
        part, choices = _self_play(game, made, label, agent, weaker if agent is agents[-1] else None, deals, seed, tell)
        parts.append(part)
    chips = duel(game, agents[-1], weaker, deals, seed=seed, progress=progress, **variant).chips[:, :, 0]
    skilled = [agent for agent in agents if not isinstance(agent, RandomAgent)]
    luck = Luck(*_variances(chips), _skill(game, made, skilled, deals, seed, tell))
    return Facts(game, made, deals, seed, tuple(parts), name_of(weaker), choices, luck, tiny)


def steps_of(players: Sequence[Any], deals: int) -> int:
    """Return how many deals `facts_of` plays."""
    return (len(players) + 2) * deals


# --- one player in all seats ----------------------------------------------------------------------


class _Tally:
    """Counts of the decisions of some lanes.

    Attributes:
        counts: Decisions, forced ones, and legal actions of each deal, int64 [N, 3].
        choices: Of each deal and round, decisions with a choice, and those in which the other player differs, int64 [N,
            rounds, 2].
        types: Of each deal, round and type of action, decisions that allow it and another type, and how often each of
            the two players takes it, int64 [N, rounds, types, 3].
    """

    def __init__(self, envs: VectorEnv, other: Agent | None) -> None:
        self.envs, self.other = envs, other
        names, self.type_of = action_types_of(envs.game)
        rounds = envs.game.max_decisions // envs.variant.players + 1 if other else 0
        self.counts = np.zeros((envs.num_envs, 3), np.int64)
        self.choices = np.zeros((envs.num_envs, rounds, 2), np.int64)
        self.types = np.zeros((envs.num_envs, rounds, len(names), 3), np.int64)
        self.is_type = np.arange(len(names)) == self.type_of[:, None]

    def note(self, now: Answers) -> None:
        """Count the decisions of a step, which is not played yet."""
        legal = now.batch.masks.sum(1)
        self.counts[now.rows] += np.stack([np.ones_like(legal), legal == 1, legal], 1)
        if self.other is None or not (some := np.flatnonzero(legal > 1)).size:
            return
        rows, ours = now.rows[some], now.actions[some]
        theirs = ask(self.other, self.envs.game, self.envs.variant, now.batch.at(some))
        number = self.envs.states.moves[rows] // self.envs.variant.players
        self.choices[rows, number] += np.stack([np.ones_like(ours), ours != theirs], 1)
        there = now.batch.masks[some] @ self.is_type
        open_types = there & (there.sum(1) > 1)[:, None]
        if self.envs.game.simultaneous:  # splits are all of one type
            return
        taken = [open_types, open_types & self.is_type[ours], open_types & self.is_type[theirs]]
        self.types[rows, number] += np.stack(taken, 2)


def _self_play(
    game: Game,
    variant: Variant,
    label: str,
    agent: Agent,
    other: Agent | None,
    deals: int,
    seed: int,
    tell: Callable[[int], Any],
) -> tuple[SelfPlay, tuple[Choices, ...]]:
    """Play an agent in all seats; compare its choices with those of another one."""
    parts: list[tuple[np.ndarray, ...]] = []
    ends: list[np.ndarray] = []
    tallies = []
    for first, some in chunks(deals, ENVS):
        envs = new_lanes(game, variant, some)
        envs.reset(seeds=[key_of(seed, deal) for deal in range(first, first + some)])
        tally = _Tally(envs, other)
        parts.append(dealt_by_turn(envs, [agent], tally.note))
        tallies.append(tally)
        ends.append(envs.states.copy())
        tell(some)
    chips, hands = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    counts = np.concatenate([tally.counts for tally in tallies])
    states = np.concatenate(ends).view(np.recarray)
    seats = (np.arange(deals) % variant.players)[:, None]
    outcome = Outcome(variant, states, seats)
    facts = SelfPlay(
        label,
        tuple(estimate_columns(chips)),
        estimate(counts[:, 0].astype(float)),
        share(counts[:, 1], counts[:, 0]),
        ratio_of_means(counts[:, [2, 0]].astype(float)),
        share(_ties(game, variant, states)),
        _explained(hands, chips),
        {name: share(deals_so) for name, deals_so in vocabulary_of(game).endings(outcome).items()},
        _figures(game, outcome),
    )
    return facts, _choices(game, tallies) if other else ()


def dealt_by_turn(
    envs: VectorEnv, agents: Sequence[Agent], note: Callable[[Answers], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play deals that have just begun; return what each seat wins and holds, in order of turn.

    Args:
        envs: The deals.
        agents: The first of them plays.
        note: Called with every step before it is played.

    Returns:
        Chips, float64 [N, players], and the copies of each kind in the hands as dealt, int64 [N, players, KINDS].
    """
    turns = turns_of(envs.variant, envs.states)
    hands = counts_of(np.take_along_axis(envs.states.hands, turns, 1).reshape(-1)).reshape(*turns.shape, KINDS)
    for now in decisions(envs, agents, quick=note is None):
        if note:
            note(now)
    return np.take_along_axis(chips_won(envs), turns, 1), hands


def turns_of(variant: Variant, states: np.recarray) -> np.ndarray:
    """Return the seats of some deals in order of turn, from the leader on, int64 [N, players]."""
    turns = states.leader[:, None] + states.direction[:, None].astype(np.int64) * np.arange(variant.players)
    return turns % variant.players


def _ties(game: Game, variant: Variant, states: np.recarray) -> np.ndarray:
    """Return in which deals some sides share the most chips, bool [N]."""
    sides = game.sides(variant.players)
    chips = np.stack([states.total[:, : variant.players][:, sides == side].sum(1) for side in np.unique(sides)], 1)
    return np.isclose(chips, chips.max(1, keepdims=True)).sum(1) > 1


def _explained(hands: np.ndarray, chips: np.ndarray) -> Estimate:
    """Return which share of the variance of chips, [N, players], hands, [N, players, KINDS], and the place explain."""
    deals, players = chips.shape
    if deals < GROUPS:  # a fit would explain the chance of so few
        return NOTHING._replace(samples=deals)
    place = np.broadcast_to(np.eye(players), (deals, players, players))
    known = np.concatenate([place, hands, chips[:, :, None]], 2).astype(float)
    groups = [rows.reshape(-1, rows.shape[2]) for rows in np.array_split(known, GROUPS)]
    products = np.array([rows.T @ rows for rows in groups])  # all that a linear fit asks for

    def explained(means: np.ndarray) -> float:
        known, seats = means.reshape(products.shape[1:]), slice(players)
        rows, total = known[seats, seats].sum(), known[seats, -1].sum()
        # Some kinds follow from the others, as those of the last tile: a ridge picks one of the fits.
        weights = np.linalg.solve(known[:-1, :-1] + RIDGE * rows * np.eye(len(known) - 1), known[:-1, -1])
        return float((weights @ known[:-1, -1] - total**2 / rows) / (known[-1, -1] - total**2 / rows))

    return explained_by(products.reshape(GROUPS, -1), explained).share()._replace(samples=deals)


def _figures(game: Game, outcome: Outcome) -> dict[str, Estimate]:
    """Return the metrics of a game that need neither a number nor what was drawn or done."""
    metrics = vocabulary_of(game).metrics
    plain = {name: metric for name, metric in metrics.items() if not (metric.number or metric.drawn or metric.acted)}
    return {name: rated(metric.of(outcome), metric).estimate for name, metric in plain.items()}


def _choices(game: Game, tallies: Sequence[_Tally]) -> tuple[Choices, ...]:
    names, _ = action_types_of(game)
    choices = np.concatenate([tally.choices for tally in tallies])
    types = np.concatenate([tally.types for tally in tallies])
    rounds = []
    for number in np.flatnonzero(choices[:, :, 0].any(0)).tolist():
        by_type = {
            name: (share(counts[:, 1], counts[:, 0]), share(counts[:, 2], counts[:, 0]))
            for name, counts in zip(names, types[:, number].swapaxes(0, 1), strict=True)
            if counts[:, 0].any()
        }
        rounds.append(Choices(number + 1, share(choices[:, number, 1], choices[:, number, 0]), by_type))
    return tuple(rounds)


# --- different players ----------------------------------------------------------------------------


def _variances(chips: np.ndarray) -> tuple[Estimate, Estimate, Estimate]:
    """Return the variance of a game, its part within deals and the gain of duplicates, of chips [deals, rotations]."""
    means = chips.mean(1)
    values = np.stack([means, means**2, (chips**2).mean(1)], 1)
    statistics: list[Callable[[np.ndarray], float]] = [
        lambda sums: sums[2] - sums[0] ** 2,
        lambda sums: sums[2] - sums[1],
        lambda sums: (sums[2] - sums[0] ** 2) / chips.shape[1] / (sums[1] - sums[0] ** 2),
    ]
    variance, within, gain = (estimate_statistic(values, part) for part in statistics)
    return variance, within, gain


def _skill(
    game: Game, variant: Variant, agents: Sequence[Agent], deals: int, seed: int, tell: Callable[[int], Any]
) -> Estimate:
    """Return how much of the variance of chips is explained by players that every side of a deal draws."""
    values, metric, sides = [], METRICS["skill_share"], game.sides(variant.players)
    for first, some in chunks(deals, ENVS):
        keys = [key_of(seed, deal) for deal in range(first, first + some)]
        drawn = [[draw(derive(key, FIELD_STREAM), int(side), len(agents)) for side in sides] for key in keys]
        envs, seating = new_lanes(game, variant, some), np.array(drawn)
        envs.reset(seeds=keys)
        play_out(envs, agents, seating)
        outcome = Outcome(variant, envs.states, np.zeros((some, 1), int), seating)
        values.append(metric.of(outcome))
        tell(some)
    return rated(np.concatenate(values), metric).estimate


# --- the tiny deck --------------------------------------------------------------------------------


def tiny_options(game: Game, variant: Variant) -> dict[str, Any]:
    """Return the options of the tiny deck, with those of a variant that it allows.

    Args:
        game: The game.
        variant: Its rules in the whole deck.
    """
    limits = variant.LIMITS[TINY]
    allowed = {name: value for name, value in variant.changed().items() if value in limits.get(name, (value,))}
    return {**game.variant.tiny_options(), **allowed, "deck": TINY}


def tiny_deck(game: Game, variant: Variant, rounds: int = ROUNDS) -> TinyDeck:
    """Return the tree of the tiny deck, where seat 0 leads, and an equilibrium of it after so many rounds of CFR+.

    Of the options of a variant it has those that the tiny deck allows, which more than two players are not.

    Args:
        game: The game.
        variant: Its rules in the whole deck.
        rounds: Of CFR+.

    Raises:
        ValueError: As `build_tree`.
    """
    options = tiny_options(game, variant)
    tree: Any = build_tree(game, **{**options, "leader": 0})
    policy = solve(tree, rounds)
    values = tuple(tree.values(policy).tolist())
    return TinyDeck(options, tree.deals, tree.nodes, tree.sets, values, float(tree.exploitability(policy)))


def perft(game: Game, variant: Variant, states: np.ndarray, depth: int = MOST_DEPTH) -> list[int]:
    """Count the ways of play (perft): sequences of legal actions from some positions on, without a next deal.

    Two programs of the same rules count the same.

    Args:
        game, variant: The rules, of a single deal.
        states: The positions, a record array [N], which stay as they are.
        depth: The most actions of a sequence, from 1.

    Returns:
        The sequences of 1, 2, ... actions, up to `depth` or up to the last action of the longest deal.

    Raises:
        ValueError: For a depth out of 1..MOST_DEPTH, and for a match of several deals.
    """
    counts = [0] * whole_number("depth", depth, 1, MOST_DEPTH)
    if variant.deals > 1:
        raise ValueError(f"deals={variant.deals} is not allowed; ways of play are counted in one deal, take deals=1")
    for first, some in chunks(len(states), CHUNK):
        _count(resume_lanes(game, variant, states[first : first + some]), counts, 0)
    return counts[: counts.index(0)] if 0 in counts else counts


def _count(envs: VectorEnv, counts: list[int], played: int) -> None:
    """Add the sequences that begin in some lanes, in which so many actions have been played."""
    lanes, actions = np.nonzero(envs.masks)
    counts[played] += len(lanes)
    if played + 1 == len(counts):
        return
    for first, some in chunks(len(lanes), CHUNK):
        after = resume_lanes(envs.game, envs.variant, envs.states[lanes[first : first + some]])
        after.step(actions[first : first + some])
        _count(after, counts, played + 1)
