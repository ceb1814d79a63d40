"""The trait on and off: the same deals, seats and chance with a trait and without it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import Place
from gupai_agents.evaluation.claims.effects import Cell, Compared, group_values, player_text
from gupai_agents.evaluation.claims.features import metrics_of
from gupai_agents.evaluation.claims.players import SAME, UNSKILLED, named
from gupai_agents.evaluation.claims.readings import Comparison
from gupai_agents.evaluation.claims.results import Example, Level
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import (
    Alternative,
    Condition,
    Dose,
    Doses,
    Number,
    Plan,
    Player,
    Population,
    agent_in,
)
from gupai_agents.evaluation.claims.setting import PILOT, Pair, Setting, differ
from gupai_agents.evaluation.distributions import normal_quantile
from gupai_agents.evaluation.statistics import samples_for
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_env.messages import joined, say

ALPHA = 0.05  # two-sided, at which a plan finds the margin


class Pairs(NamedTuple):
    """Gains of the trait, [N]; whether anything was played otherwise, bool [N]; and the groups of the deals."""

    gains: np.ndarray
    changed: np.ndarray
    groups: np.ndarray
    population: int = 0  # deals from which those of a dose were taken

    @property
    def deals(self) -> int:
        """How many deals these are of."""
        return self.population or len(self.gains)

    def at(self, dose: Dose) -> "Pairs":
        """Return the deals of a dose of the position, whose value is the last of the groups."""
        some = dose.holds(self.groups[:, -1])
        return Pairs(self.gains[some], self.changed[some], self.groups[some], len(self.gains))

    def compared(self, stream: int, dose: Dose | None) -> Compared:
        """Return the deals that were played otherwise, for examples."""
        rows = np.flatnonzero(self.changed)
        return Compared(rows, self.gains[rows], None, stream, dose)


class Policy(Comparison):
    """The trait on and off."""

    kind: Literal["policy"]
    population: Population = Population()
    treated: Player = Field(description='who follows the claim; "+attack_2=40" adds weights to the baseline')
    baseline: Player = Field("same", description='who does not, in the same deals; "same": the opponent itself')
    panel: list[str] = Field(
        min_length=1, max_length=12, description="opponents, at all other seats: each is tested by itself"
    )
    metric: str = "chips"
    number: Number | None = None
    alternative: Alternative = "greater"
    margin: float = Field(gt=0, description="the smallest effect worth naming")
    plan: Plan = Plan()
    doses: Doses | None = Field(None, description="a feature of the hand or the position, at each of several values")
    subgroups: list[Condition] = Field([], description="of deals, by values of a feature; exploratory")
    sides: ClassVar[tuple[str, ...]] = ("with the trait", "without it")
    members: ClassVar[str] = "Opponents"
    seated: ClassVar[str] = "Against {player}"

    def games(self, deals: int | None) -> int:
        return 2 * (deals or self.plan.most)

    def strong(self) -> list[str]:
        """Return the players of STRONG; none where weights are added to a "same" that has none."""
        added = named(agent_in(self.treated), SAME, agent_in(self.baseline)).startswith(f"{SAME}+")
        return [] if added else super().strong()

    def check(self, place: Place) -> None:
        super().check(place)
        place.measured(self.population, self.metric, self.number)
        place.player("baseline", self.baseline, self.panel[0])
        place.player("treated", self.treated, self.panel[0], agent_in(self.baseline))
        self.check_groups(place)

    def planned_deals(self, setting: Setting, sampler: Sampler) -> dict[str, Any]:
        spread = float(np.std(pairs_in(setting, self, sampler, self.panel[0], 0, 0, PILOT).gains))
        deals, doses = enough(self, spread), len(self.doses.values) if self.doses else 1
        smallest = (normal_quantile(1 - ALPHA / 2) + normal_quantile(self.plan.power)) * spread / deals**0.5
        return {"deals": deals, "finds_with_that_power": smallest, "figures": len(self.panel) * doses}

    def tested(self) -> str:
        change = f"{player_text(self.treated)} instead of {player_text(self.baseline)}"
        return self.tested_in(change, self.population, self.doses)

    def heroes(self, setting: Setting, same: str) -> Pair:
        """Return the players at the seats in question, with the trait and without it; same: who "same" is."""
        base = setting.player(self.baseline, same)
        return Pair(setting.player(self.treated, same, agent_in(self.baseline)), base)

    def claimed(self, setting: Setting) -> Pair | None:
        same = ""
        if any(agent_in(spec).startswith((SAME, "+")) for spec in (self.treated, self.baseline)):
            rivals = [rival for rival in self.panel if rival != UNSKILLED]
            heuristics = [rival for rival in rivals if isinstance(setting.player(rival), HeuristicAgent)]
            if not heuristics:
                return None
            same = heuristics[-1]
        return self.heroes(setting, same)

    def play(self, setting: Setting, sampler: Sampler, member: str, number: int) -> Pairs:
        """Play as many deals as the plan says.

        Args:
            setting: What is played, and how.
            sampler: The population of deals.
            member: The opponent.
            number: Of the stream of deals.
        """
        most = setting.deals or self.plan.most
        pilot = pairs_in(setting, self, sampler, member, number, 0, min(PILOT, most), most)
        total = setting.deals or enough(self, float(np.std(pilot.gains)))
        if total <= PILOT:
            return pilot
        rest = pairs_in(setting, self, sampler, member, number, PILOT, total - PILOT, total)
        gains, changed, groups = map(np.concatenate, zip(pilot[:3], rest[:3], strict=True))
        return Pairs(gains, changed, groups)

    def level(self, setting: Setting, cell: Cell, dose: Dose | None, played: Sequence[Pairs], **more: Any) -> Level:
        """Return what was found at a dose.

        Args:
            setting: What was played.
            cell: The population, and its doses.
            dose: The one in question, None for all deals.
            played: What was sampled, one for each player of the panel.
            more: Other fields of the level.
        """
        deals, share = played[0].deals, float(cell.sampler.probability)
        effects = [
            self.effect(
                member, pairs.gains, pairs.deals, changed=float(pairs.changed.mean()) if len(pairs.changed) else None
            )
            for member, pairs in zip(self.panel, played, strict=True)
        ]
        if dose != cell.dose:  # how often a deal of the population has it was counted
            share *= float(np.mean([len(pairs.gains) for pairs in played])) / max(deals, 1)
        level = self.level_of(effects, dose, deals, frequency=share, **more)
        in_chips = metrics_of(setting.game)[self.metric].unit == "chips"
        if not in_chips or not level.pooled.effect.has_interval or level.verdict == verdicts.DEPENDS:
            return level
        return replace(level, per_hundred=100 * share * level.pooled.effect.mean)

    def words(self) -> dict[str, Any]:
        measure = metrics_of(self.played[0])[self.metric]
        details = {
            "treated": player_text(self.treated),
            "baseline": player_text(self.baseline),
            "metric": self.metric,
            "margin": self.margin,
            "alternative": self.alternative,
            "hand": joined(", ", map(str, self.population.hand)) or "any",
            **({"doses": self.doses.what} if self.doses else {}),
        }
        quantity = "" if self.metric == "chips" else measure.what
        return {"who": say("the trait"), "quantity": quantity, "unit": measure.unit, "about": details}

    def ways(self, setting: Setting, example: Example) -> list[tuple[Agent, dict[int, int]]]:
        return [(hero, {}) for hero in self.heroes(setting, example.player)]


def enough(reading: Policy, spread: float) -> int:
    """Return how many deals of this spread a plan asks for: of each dose, which shares the level with the others."""
    plan, among = reading.plan, len(reading.doses.values) if reading.doses else 1
    if spread == 0:
        return plan.least
    alpha = 1 - (1 - ALPHA) ** (1 / among)
    return min(plan.most, max(plan.least, samples_for(reading.margin, spread, alpha, plan.power)))


def pairs_in(
    setting: Setting,
    reading: Policy,
    sampler: Sampler,
    member: str,
    number: int,
    first: int,
    deals: int,
    total: int | None = None,
) -> Pairs:
    """Play some deals of a stream with the trait and without it; `total`: of the figure, to say how far it is.

    Args:
        setting: What is played, and how.
        reading: The trait, and what is measured.
        sampler: The population of deals.
        member: The opponent.
        number: Of the stream of deals.
        first: The number of the first deal.
        deals: How many are played.
        total: Deals of the whole figure, to say how far it is; None for `deals`.
    """
    measure = metrics_of(setting.game)[reading.metric]
    opponent, heroes = setting.player(member), reading.heroes(setting, member)
    source = setting.source(sampler, number)
    won, changed, groups = [], [], []
    for block in setting.blocks(source, first, deals, total):
        ends = [source.play_with(block, opponent, hero, measure.acted) for hero in heroes]
        values = [measure.of(end, reading.number) for end in ends]
        won.append(values[0] - values[1])
        changed.append(differ(*(end.states for end in ends)))
        seen = block.states.copy().view(np.recarray)
        seen.to_act = block.seats[:, 0]
        groups.append(group_values(setting, seen, reading.recorded))
    return Pairs(np.concatenate(won), np.concatenate(changed), np.concatenate(groups))
