"""What the strong do: in their own deals, where the claimed action and the one compared with it are both open."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, concatenated
from gupai_agents.decisions import decisions
from gupai_agents.evaluation.claims.doses import Cell, doses_in, recorded_features
from gupai_agents.evaluation.claims.effects import group_values
from gupai_agents.evaluation.claims.players import SAME, STRONG, UNSKILLED
from gupai_agents.evaluation.claims.results import Masters
from gupai_agents.evaluation.claims.schema import Action, Dose, Policy, agent_in
from gupai_agents.evaluation.claims.setting import (
    MASTER_STREAMS,
    Choice,
    DealSource,
    Setting,
    choice_of,
    means_by_deal,
    pairs_of,
    preferences,
    sets_of,
)
from gupai_agents.evaluation.statistics import Estimate, estimate, share
from gupai_agents.heuristics import HeuristicAgent
from gupai_agents.network_agent import ObservationAgent
from gupai_agents.registry import agent_names
from gupai_agents.search import SearchAgent
from gupai_agents.shipped import BEST
from gupai_env.core.rng import derive
from gupai_env.core.streams import PREFER_STREAM
from gupai_env.games.claims import Positions
from gupai_env.words.messages import say

DEALS = 300  # among masters, of a dose
SEARCHED = 100  # decisions of a dose that a search thinks about, one a deal at most
SEARCH = "search:playouts=1000"
OWN, CHIPS = "its own scores", "chips"


class Open(NamedTuple):
    """Decisions at which both actions are open; all arrays have a row each, [M].

    batch: what the seats know. chosen: what the master plays. one, other: the claimed action and the other.
    wanted, allowed: all that are claimed, and all others it could be compared with, bool [M, num_actions].
    worth: by how much the master values the one above the other; NaN if it does not say. deals, groups: as of forks.
    """

    batch: DecisionBatch
    chosen: np.ndarray
    one: np.ndarray
    other: np.ndarray
    wanted: np.ndarray
    allowed: np.ndarray
    worth: np.ndarray
    deals: np.ndarray
    groups: np.ndarray

    def at(self, rows: np.ndarray) -> "Open":
        """Return some of them."""
        return Open(self.batch.at(rows), *(array[rows] for array in self[1:]))


class Pair(NamedTuple):
    """Two players of whom the first has a trait: where they part, its action is the claimed one."""

    treated: Agent
    baseline: Agent


def masters(setting: Setting, reading: Policy | Action, cell: Cell) -> dict[Dose | None, tuple[Masters, ...]]:
    """Return what masters do in a cell by its doses; nothing where they are not asked, or nobody can be."""
    if not setting.masters:
        return {}
    setting.meter.begin("what the strong do")
    claimed = _claimed(setting, reading)
    if claimed is None:
        return {}
    name = BEST if BEST in agent_names(setting.game, setting.variant) else STRONG[-1]
    master, search = (setting.player(spec) for spec in (name, SEARCH))
    assert isinstance(search, SearchAgent)
    source = setting.source(cell.sampler, MASTER_STREAMS + cell.stream)
    parts = list(_open_in(setting, reading, source, master, claimed))
    if not parts:
        return dict.fromkeys(doses_in(reading, cell), ())
    batch = concatenated([part.batch for part in parts])
    openings = Open(batch, *(np.concatenate(arrays) for arrays in zip(*(part[1:] for part in parts), strict=True)))
    by_dose = {}
    for dose in doses_in(reading, cell):
        some = openings
        if dose != cell.dose and dose:
            value = openings.groups[:, -1]
            some = openings.at(np.flatnonzero((value >= dose.least) & (value <= dose.most)))
        by_dose[dose] = _ask_masters(name, master, search, some) if len(some.deals) else ()
    return by_dose


def _claimed(setting: Setting, reading: Policy | Action) -> Choice | Pair | None:
    """Return what distinguishes the claimed action and the other; None for a trait of weights that no panel has."""
    if isinstance(reading, Action):
        return choice_of(reading)
    base, same = agent_in(reading.baseline), ""
    if any(spec.startswith((SAME, "+")) for spec in (agent_in(reading.treated), base)):
        rivals = [rival for rival in reading.panel if rival != UNSKILLED]
        heuristics = [rival for rival in rivals if _has_weights(setting, rival)]
        if not heuristics:
            return None
        same = heuristics[-1]
    return Pair(setting.player(reading.treated, same, base), setting.player(reading.baseline, same))


def _has_weights(setting: Setting, spec: str) -> bool:
    return isinstance(setting.player(spec), HeuristicAgent)


def _open_in(
    setting: Setting, reading: Policy | Action, source: DealSource, master: Agent, claimed: Choice | Pair
) -> Iterator[Open]:
    """Yield the decisions at which both actions are open, in deals of the master at all seats."""
    start, game, variant = 0, source.game, source.variant
    asked_for = recorded_features(setting, reading)
    for block in source.blocks(0, min(setting.deals or DEALS, DEALS)):
        envs = source.envs(len(block.states))
        for rows, batch, actions in decisions(envs, [master]):
            has_choice = batch.masks.sum(1) > 1
            if isinstance(claimed, Pair) or source.sampler.conditional:
                has_choice &= (envs.seats[rows, None] == block.seats[rows]).any(1)
            some = np.flatnonzero(has_choice)
            if not len(some):
                continue
            states = envs.states[rows[some]].view(np.recarray)
            positions, few, chosen = Positions(game, variant, states, batch.masks[some]), batch.at(some), actions[some]
            if isinstance(claimed, Pair):
                one, other = (ask(agent, game, variant, few).astype(int) for agent in claimed)
                action_range = np.arange(positions.masks.shape[1])
                wanted, allowed = one[:, None] == action_range, other[:, None] == action_range
            else:
                (one, other), (wanted, allowed) = (
                    pairs_of(positions, master, few, chosen, claimed),
                    sets_of(positions, claimed),
                )
            taken = np.flatnonzero((one >= 0) & (other >= 0) & (one != other))
            if len(taken):
                worth = np.full(len(few.rng_keys), np.nan)
                if isinstance(master, ObservationAgent):
                    scores, line = preferences(master, few, chosen), np.arange(len(few.rng_keys))
                    worth = scores[line, one].astype(np.float64) - scores[line, other]
                groups = group_values(setting, states, asked_for)
                openings = Open(few, chosen, one, other, wanted, allowed, worth, start + rows[some], groups)
                yield openings.at(taken)
        start += len(block.states)


def _ask_masters(name: str, master: Agent, search: SearchAgent, openings: Open) -> tuple[Masters, ...]:
    """Return what the master does in all of these decisions, and a search in one of each deal."""
    among = say("{player}, among {field}", player=name, field=name)
    worth = _by_deal(openings.worth, openings.deals) if isinstance(master, ObservationAgent) else None
    own = Masters(among, len(openings.deals), *_chosen(openings, openings.chosen), worth, OWN)
    drawn = np.array([derive(int(key), PREFER_STREAM) for key in openings.batch.rng_keys])
    order = np.lexsort((drawn, openings.deals))
    firsts = order[np.unique(openings.deals[order], return_index=True)[1]]
    few = openings.at(firsts[:SEARCHED])
    values, rows = search.values(few.batch, halving=False), np.arange(len(few.deals))
    worth = _by_deal(values.means[rows, few.one] - values.means[rows, few.other], few.deals)
    thought = _chosen(few, values.choice(search.plan.steady).astype(int))
    return own, Masters(
        say("{player}, among {field}", player=SEARCH, field=name), len(few.deals), *thought, worth, CHIPS
    )


def _chosen(openings: Open, actions: np.ndarray) -> tuple[Estimate, Estimate]:
    """Return how often actions are claimed ones, and how often others that these are compared with."""
    rows = np.arange(len(actions))
    _, places = np.unique(openings.deals, return_inverse=True)
    cases = np.bincount(places)
    one, other = (
        share(np.bincount(places, marks[rows, actions]), cases) for marks in (openings.wanted, openings.allowed)
    )
    return one, other


def _by_deal(values: np.ndarray, deals: np.ndarray) -> Estimate:
    return estimate(means_by_deal(values, deals))
