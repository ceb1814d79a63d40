"""How deals go: who gains by leading, how long deals are, how they end, how much is luck, where the strong differ.

Every player has all seats of the same deals, so what differs between seats is the game's and not the players'. Luck and
skill are measured between different players.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, ask, name_of
from gupai_agents.evaluation.atlas.report import CHIPS, EXACT, NUMBER, SHARE, SHARES, WORDS, Cell, Table
from gupai_agents.evaluation.atlas.study import TURNS, Study, dealt_by_turn
from gupai_agents.evaluation.atlas.tiles import RIDGE
from gupai_agents.evaluation.claims.features import METRICS
from gupai_agents.evaluation.claims.verdicts import GROUPS, estimate_statistic, explained_by, rated
from gupai_agents.evaluation.exact.tree import build_tree, solve
from gupai_agents.evaluation.matches.match import key_of
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.evaluation.statistics import NOTHING, Estimate, estimate, estimate_columns, ratio_of_means, share
from gupai_agents.play.decisions import Answers, play_out
from gupai_env.core.rng import derive, draw
from gupai_env.core.streams import FIELD_STREAM
from gupai_env.core.variant import in_words
from gupai_env.games.claims import Outcome, vocabulary_of
from gupai_env.messages import say
from gupai_env.vector import VectorEnv

ROUNDS = 400  # of CFR+ on the tiny deck
CLOSE = 5e-5  # chips: an equilibrium is not told more exactly


class SelfPlay:
    """What comes of deals in which one player has all seats.

    Attributes:
        chips: By turn, float64 [deals, players].
        hands: As they were dealt, likewise, int64 [deals, players, KINDS].
        outcome: How the deals ended.
        counts: Decisions, forced ones, and legal actions of each deal, int64 [deals, 3].
        choices: Of each deal and round, decisions with a choice, and those in which another player would differ, int64
            [deals, rounds, 2]; no rounds where no other player is asked.
        types: Of each deal, round and type of action, decisions that allow it and another type, and how often each of
            the two players takes it, int64 [deals, rounds, types, 3].
    """

    def __init__(self, study: Study, agent: Agent, other: Agent | None = None) -> None:
        """Play an agent in all seats; compare its choices with those of another one, if one is given."""
        self.study, self.other = study, other
        names, self.type_of = action_types_of(study.game)
        rounds = study.game.max_decisions // study.variant.players + 1 if other else 0
        self.counts = np.zeros((study.deals, 3), np.int64)
        self.choices = np.zeros((study.deals, rounds, 2), np.int64)
        self.types = np.zeros((study.deals, rounds, len(names), 3), np.int64)
        parts, ends = [], []
        for deals, envs in study.lanes():
            parts.append(dealt_by_turn(envs, [agent], partial(self._note, envs, deals.start)))
            ends.append(envs.states.copy())
        self.chips, self.hands = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        seats = (np.arange(study.deals) % study.variant.players)[:, None]
        self.outcome = Outcome(study.variant, np.concatenate(ends).view(np.recarray), seats)

    def _note(self, envs: VectorEnv, first: int, now: Answers) -> None:
        """Count the decisions of a step, which is not played yet, in lanes of the deals from the first one on."""
        legal = now.batch.masks.sum(1)
        self.counts[first + now.rows] += np.stack([np.ones_like(legal), legal == 1, legal], 1)
        if self.other is None or not (some := np.flatnonzero(legal > 1)).size:
            return
        rows, ours, players = now.rows[some], now.actions[some], self.study.variant.players
        theirs = ask(self.other, self.study.game, self.study.variant, now.batch.at(some))
        where = first + rows, envs.states.moves[rows] // players
        self.choices[where] += np.stack([np.ones_like(ours), ours != theirs], 1)
        if self.study.game.simultaneous:  # splits are all of one type
            return
        is_type = np.arange(self.types.shape[2]) == self.type_of[:, None]
        there = now.batch.masks[some] @ is_type
        open_types = there & (there.sum(1) > 1)[:, None]
        self.types[where] += np.stack([open_types, open_types & is_type[ours], open_types & is_type[theirs]], 2)


def tables(study: Study) -> Sequence[Table]:
    """Return how deals go, if each player has all seats; and how the last one differs from a weaker one."""
    tiny, rival, names = tiny_deck(study), study.rival, study.names
    played = [SelfPlay(study, agent, rival if agent is study.best else None) for agent in study.agents]
    endings = [vocabulary_of(study.game).endings(part.outcome) for part in played]
    all_tables = [
        Table(
            "Chips per deal by turn, with one player in all seats",
            ("turn", *names),
            (WORDS, *[CHIPS] * len(names)),
            list(zip(TURNS, *(estimate_columns(part.chips) for part in played), strict=False)),
        ),
        Table(
            "A deal",
            ("player", "decisions", "with one legal action", "legal actions", "ties", "the hand explains"),
            (WORDS, NUMBER, SHARE, NUMBER, SHARE, SHARE),
            [
                (
                    name,
                    estimate(part.counts[:, 0].astype(float)),
                    share(part.counts[:, 1], part.counts[:, 0]),
                    ratio_of_means(part.counts[:, [2, 0]].astype(float)),
                    share(ties(study, part.outcome.states)),
                    explained(part.hands, part.chips),
                )
                for name, part in zip(names, played, strict=True)
            ],
            "Decisions of a deal, and legal actions of one; deals that end in a tie for the first place; and what the "
            "hand as dealt and the place in turn explain of the variance of chips.",
        ),
        Table(
            "How deals end",
            ("end", *names),
            (WORDS, *[SHARE] * len(names)),
            [(end, *(share(deals[end]) for deals in endings)) for end in endings[0]],
        ),
        _figures(study, played, "What happens in a deal", SHARE),
        _figures(study, played, "What is counted in a deal", NUMBER),
        _luck(study, rival),
        _choices(study, rival, played[-1]),
        tiny,
    ]
    return [table for table in all_tables if table.rows]


def ties(study: Study, states: np.recarray) -> np.ndarray:
    """Return in which deals some sides share the most chips, bool [N]."""
    players = study.variant.players
    sides = study.game.sides(players)
    chips = np.stack([states.total[:, :players][:, sides == side].sum(1) for side in np.unique(sides)], 1)
    return np.isclose(chips, chips.max(1, keepdims=True)).sum(1) > 1


def explained(hands: np.ndarray, chips: np.ndarray) -> Estimate:
    """Return which share of the variance of chips, [N, players], hands, [N, players, KINDS], and the place explain.

    By a fit that is linear in how often each kind is held, less what chance adds to it.
    """
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


def _figures(study: Study, played: Sequence[SelfPlay], title: str, unit: str) -> Table:
    """Return the metrics of a game that need neither a number nor what was drawn or done, of a unit."""
    rows: list[Sequence[Cell]] = []
    for metric in vocabulary_of(study.game).metrics.values():
        needs = metric.number or metric.drawn or metric.acted
        if not needs and metric.is_share == (unit == SHARE):
            counted = say("{what} ({unit})", what=say(metric.what), unit=say(metric.unit))
            label = metric.what if unit == SHARE else counted
            rows.append((label, *(rated(metric.of(part.outcome), metric).estimate for part in played)))
    return Table(title, ("figure", *study.names), (WORDS, *[unit] * len(played)), rows)


def _choices(study: Study, rival: Agent, played: SelfPlay) -> Table:
    """Return by round where the last player chooses otherwise than a rival would, and by type what each takes."""
    rows: list[Sequence[Cell]] = []
    kinds = np.flatnonzero(played.types[..., 0].any((0, 1)))
    for number in np.flatnonzero(played.choices[:, :, 0].any(0)).tolist():
        cases, differ = played.choices[:, number].T
        by_type = [played.types[:, number, kind].T for kind in kinds]
        pairs = [tuple(share(taken, open_) for taken in both) if open_.any() else () for open_, *both in by_type]
        rows.append((str(number + 1), share(differ, cases), *pairs))
    who = {"best": name_of(study.best), "rival": name_of(rival)}
    types = [say("{type}: {best}, {rival}", type=say(action_types_of(study.game)[0][kind]), **who) for kind in kinds]
    return Table(
        say("Choices of {best} where {rival} would decide, by round", **who),
        ("round", "they differ in", *types),
        (WORDS, SHARE, *[SHARES] * len(types)),
        rows,
    )


# --- different players ----------------------------------------------------------------------------


def _luck(study: Study, rival: Agent) -> Table:
    """Return how far chips depend on the deal and on who plays."""
    return Table(
        "Luck and skill",
        ("game", "variance", "within a deal", "a duplicate is worth", "the player explains"),
        (WORDS, NUMBER, NUMBER, NUMBER, SHARE),
        [
            (
                say("{best} against {rival}", best=name_of(study.best), rival=name_of(rival)),
                *variances(study.duel(rival)),
                skill(study),
            )
        ],
        "Variance of one game, in chips squared, and its part within a deal that is played from all seats; how many "
        "games of different deals such a duplicate is worth; and what is explained by who plays, where all sides draw "
        "a player.",
    )


def variances(chips: np.ndarray) -> tuple[Estimate, Estimate, Estimate]:
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


def skill(study: Study) -> Estimate:
    """Return how much of the variance of chips is explained by players that every side of a deal draws."""
    values, metric, sides = [], METRICS["skill_share"], study.game.sides(study.variant.players)
    for deals, envs in study.lanes():
        keys = [key_of(study.seed, deal) for deal in range(deals.start, deals.stop)]
        drawn = [[draw(derive(key, FIELD_STREAM), int(side), len(study.skilled)) for side in sides] for key in keys]
        seating = np.array(drawn)
        play_out(envs, study.skilled, seating)
        values.append(metric.of(Outcome(study.variant, envs.states, np.zeros((len(keys), 1), int), seating)))
    return rated(np.concatenate(values), metric).estimate


# --- the tiny deck --------------------------------------------------------------------------------


def tiny_deck(study: Study) -> Table:
    """Return the tree of the tiny deck, where seat 0 leads, and what it wins at an equilibrium.

    The chips of the leader are as far as CFR+ has come in ROUNDS from those of an equilibrium, at most the gains of
    both sides' best responses. Of the options of a variant it has those that the tiny deck allows, which more than two
    players are not.

    Raises:
        ValueError: As `build_tree`.
    """
    tree: Any = build_tree(study.game, **{**study.tiny_options, "leader": 0})
    policy = solve(tree, ROUNDS)
    gain = 2 * float(tree.exploitability(policy))
    value = Estimate.symmetric(float(tree.values(policy)[0]), max(gain, CLOSE), tree.deals)
    return Table(
        "The tiny deck, searched completely",
        ("options", "deals", "positions", "information sets", "the leader wins"),
        (WORDS, EXACT, EXACT, EXACT, CHIPS),
        [(in_words(study.tiny_options), tree.deals, tree.nodes, tree.sets, value)],
        "Different deals, and chips per deal at an equilibrium: so near to it as what both sides still gain by best "
        "responses, and two teams by partners who respond in turn.",
    )
