"""What the strong do: in their own deals, where the claimed action and the one compared with it are both open."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, concatenated
from gupai_agents.evaluation.claims.effects import Cell, group_values
from gupai_agents.evaluation.claims.players import STRONG
from gupai_agents.evaluation.claims.results import Masters
from gupai_agents.evaluation.claims.schema import Dose, Named
from gupai_agents.evaluation.claims.setting import (
    MASTER_STREAMS,
    Choice,
    DealSource,
    Pair,
    Setting,
    means_by_deal,
    openings,
    preferences,
)
from gupai_agents.evaluation.statistics import Estimate, estimate, share
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.players.search import SearchAgent
from gupai_agents.registry import agent_names
from gupai_agents.shipped import BEST
from gupai_env.core.rng import derive
from gupai_env.core.streams import PREFER_STREAM
from gupai_env.messages import say

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


def masters(
    setting: Setting, claimed: Choice | Pair | None, cell: Cell, recorded: Sequence[Named]
) -> dict[Dose | None, tuple[Masters, ...]]:
    """Return what masters do in a cell by its doses, of which the last recorded feature is; nothing if none can be.

    Args:
        setting: What is played.
        claimed: What is compared, None for what masters cannot show.
        cell: The population, and its doses.
        recorded: Features whose values are noted, the last that of the doses.
    """
    setting.meter.begin("what the strong do")
    if claimed is None:
        return {}
    name = BEST if BEST in agent_names(setting.game, setting.variant) else STRONG[-1]
    master, search = (setting.player(spec) for spec in (name, SEARCH))
    assert isinstance(search, SearchAgent)
    source = setting.source(cell.sampler, MASTER_STREAMS + cell.stream)
    parts = list(_open_in(setting, recorded, source, master, claimed))
    if not parts:
        return dict.fromkeys(cell.doses, ())
    batch = concatenated([part.batch for part in parts])
    openings = Open(batch, *(np.concatenate(arrays) for arrays in zip(*(part[1:] for part in parts), strict=True)))
    by_dose = {}
    for dose in cell.doses:
        some = openings
        if dose != cell.dose and dose:
            some = openings.at(np.flatnonzero(dose.holds(openings.groups[:, -1])))
        by_dose[dose] = _ask_masters(name, master, search, some) if len(some.deals) else ()
    return by_dose


def _open_in(
    setting: Setting, recorded: Sequence[Named], source: DealSource, master: Agent, claimed: Choice | Pair
) -> Iterator[Open]:
    """Yield the decisions at which both actions are open, in deals of the master at all seats."""
    for steps in openings(source, master, claimed, 0, min(setting.deals or DEALS, DEALS)):
        for deals, states, batch, chosen, (one, other, wanted, allowed), taken in steps:
            if len(taken):
                worth = np.full(len(deals), np.nan)
                if isinstance(master, ObservationAgent):
                    scores, line = preferences(master, batch, chosen), np.arange(len(deals))
                    worth = scores[line, one].astype(np.float64) - scores[line, other]
                groups = group_values(setting, states, recorded)
                yield Open(batch, chosen, one, other, wanted, allowed, worth, deals, groups).at(taken)


def _ask_masters(name: str, master: Agent, search: SearchAgent, openings: Open) -> tuple[Masters, ...]:
    """Return what the master does in all of these decisions, and a search in one of each deal."""
    among = say("{player}, among {field}", player=name, field=name)
    worth = _by_deal(openings.worth, openings.deals) if isinstance(master, ObservationAgent) else None
    own = _of_master(among, openings, openings.chosen, worth, OWN if worth else "")
    drawn = np.array([derive(int(key), PREFER_STREAM) for key in openings.batch.rng_keys])
    order = np.lexsort((drawn, openings.deals))
    firsts = order[np.unique(openings.deals[order], return_index=True)[1]]
    few = openings.at(firsts[:SEARCHED])
    values, rows = search.values(few.batch, halving=False), np.arange(len(few.deals))
    worth = _by_deal(values.means[rows, few.one] - values.means[rows, few.other], few.deals)
    thought, who = (
        values.choice(search.plan.steady).astype(int),
        say("{player}, among {field}", player=SEARCH, field=name),
    )
    return own, _of_master(who, few, thought, worth, CHIPS)


def _of_master(who: str, openings: Open, actions: np.ndarray, worth: Estimate | None, unit: str) -> Masters:
    """Return how often actions are claimed ones, and how often others that these are compared with."""
    rows = np.arange(len(actions))
    _, places = np.unique(openings.deals, return_inverse=True)
    cases = np.bincount(places)
    one, other = (
        share(np.bincount(places, marks[rows, actions]), cases) for marks in (openings.wanted, openings.allowed)
    )
    return Masters(who, len(actions), one.samples, one, other, worth, unit)


def _by_deal(values: np.ndarray, deals: np.ndarray) -> Estimate:
    return estimate(means_by_deal(values, deals))
