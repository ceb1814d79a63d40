"""An action against a named other one, in the same positions."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims.check import Place
from gupai_agents.evaluation.claims.effects import Cell, Compared, group_values
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.readings import Comparison, Panel
from gupai_agents.evaluation.claims.results import Example, Level
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import (
    MOST_DEALS,
    Alternative,
    Comparator,
    Condition,
    Dose,
    Doses,
    Named,
    Population,
)
from gupai_agents.evaluation.claims.setting import PILOT, Choice, Setting, forks, gains, means_by_deal
from gupai_agents.evaluation.statistics import NOTHING, Estimate, estimate
from gupai_env.messages import joined, say

COMPARED = {
    "best_alternative": "the best other one",
    "uniform": "one drawn from the others",
    "pip_matched": "the best other one of about equal pips",
}


class ActionGains(NamedTuple):
    """Gains of an action over the other by deal in which it came up, [N]; by position, with its groups, its deal and
    its choice: the number of the move and both actions, int [M, 3].
    """

    by_deal: np.ndarray
    gains: np.ndarray
    groups: np.ndarray
    deal_numbers: np.ndarray
    choices: np.ndarray
    deals: int

    @property
    def gain(self) -> Estimate:
        """The mean over deals in which it came up."""
        return estimate(self.by_deal) if len(self.by_deal) else NOTHING._replace(samples=self.deals)

    def at(self, dose: Dose) -> "ActionGains":
        """Return what was taken at positions of a dose, whose value is the last of the groups."""
        some = dose.holds(self.groups[:, -1])
        values, deal_numbers = self.gains[some], self.deal_numbers[some]
        by_deal = means_by_deal(values, deal_numbers)
        return ActionGains(by_deal, values, self.groups[some], deal_numbers, self.choices[some], self.deals)

    def compared(self, stream: int, dose: Dose | None) -> Compared:
        """Return the positions, for examples."""
        return Compared(self.deal_numbers, self.gains, self.choices, stream, dose)


class Action(Comparison):
    """The action against another one, in the same positions."""

    kind: Literal["action"]
    population: Population = Population()
    action: list[Condition] = Field(min_length=1, description="all that the action must have")
    instead: list[Condition] = Field([], description="all that the other one must have")
    comparator: Comparator
    panel: Panel
    alternative: Alternative = "greater"
    margin: float = Field(gt=0)
    deals: int = Field(8000, ge=2, le=MOST_DEALS)
    doses: Doses | None = Field(None, description="a feature of the hand or the position, at each of several values")
    subgroups: list[Condition] = Field([], description="of positions, by values of a feature; exploratory")
    several: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    sides: ClassVar[tuple[str, ...]] = ("with the action", "with the other one")

    @property
    def choice(self) -> Choice:
        """What is asked of a position."""
        return Choice(self.population.position, self.action, self.instead, self.comparator)

    def check(self, place: Place) -> None:
        super().check(place)
        place.comparator(self.comparator)
        place.population(self.population)
        place.actions("action", self.action)
        place.actions("instead", self.instead)
        self.check_groups(place)

    def planned_deals(self, setting: Setting, sampler: Sampler) -> dict[str, Any]:
        few = action_gains(setting, sampler, self.panel[0], 0, self.choice, PILOT)
        return super().planned_deals(setting, sampler) | {"comes_up_in_share_of_deals": len(few.by_deal) / PILOT}

    def tested(self) -> str:
        change = f"{', '.join(map(str, self.action))} instead of {COMPARED[self.comparator]}"
        return self.tested_in(change, self.population, self.doses)

    def claimed(self, setting: Setting) -> Choice:
        return self.choice

    def play(self, setting: Setting, sampler: Sampler, member: str, number: int) -> ActionGains:
        """Fork positions of deals that the member plays with itself.

        Args:
            setting: What is played, and how.
            sampler: The population of deals.
            member: The player at all seats.
            number: Of the stream of deals.
        """
        deals = setting.deals or self.deals
        return action_gains(setting, sampler, member, number, self.choice, deals, self.recorded)

    def words(self) -> dict[str, Any]:
        details = {
            "action": joined(", ", map(str, self.action)),
            "position": joined(", ", map(str, self.population.position)) or "any",
            **({"doses": self.doses.what} if self.doses else {}),
            "comparator": self.comparator,
            "margin": self.margin,
            "alternative": self.alternative,
        }
        who = say("the action, rather than {other}", other=say(COMPARED[self.comparator]))
        return {"who": who, "unit": "chips", "about": details}

    def ways(self, setting: Setting, example: Example) -> list[tuple[Agent, dict[int, int]]]:
        assert example.move is not None and example.action is not None and example.instead is not None
        everyone = setting.player(example.player)
        return [(everyone, {example.move: action}) for action in (example.action, example.instead)]

    def level(
        self, setting: Setting, cell: Cell, dose: Dose | None, played: Sequence[ActionGains], **more: Any
    ) -> Level:
        """Return what was found at a dose.

        Args:
            setting: What was played.
            cell: The population, and its doses.
            dose: The one in question, None for all positions.
            played: What was sampled, one for each player of the panel.
            more: Other fields of the level.
        """
        effects = [
            self.effect(member, sample.by_deal, sample.deals, positions=len(sample.gains))
            for member, sample in zip(self.panel, played, strict=True)
        ]
        counted = [sample for member, sample in zip(self.panel, played, strict=True) if member != UNSKILLED]
        seats = 1 if cell.sampler.conditional else setting.variant.players
        share = float(cell.sampler.probability) / ((len(counted) or 1) * played[0].deals * seats)
        positions = sum(len(sample.gains) for sample in counted)
        return self.level_of(
            effects,
            dose,
            played[0].deals,
            frequency=share * positions,
            per_hundred=100 * share * float(sum(sample.gains.sum() for sample in counted)) if positions else None,
            **more,
        )


def action_gains(
    setting: Setting,
    sampler: Sampler,
    member: str,
    number: int,
    choice: Choice,
    deals: int,
    subgroups: Sequence[Named] = (),
) -> ActionGains:
    """Return what an action gains in forked positions.

    Args:
        setting: What is played, and how.
        sampler: The population of deals.
        member: The player at all seats.
        number: Of the stream of deals.
        choice: The action, and what it is compared with.
        deals: How many are played.
        subgroups: Features whose values are noted at every position.
    """
    source, agent = setting.source(sampler, number), setting.player(member)
    won, deal_numbers, groups = [np.zeros(0)], [np.zeros(0, int)], [np.zeros((0, len(subgroups)), int)]
    choices = [np.zeros((0, 3), int)]
    for block in forks(source, agent, choice, 0, deals):
        setting.meter.reach((int(block.deals.max(initial=0)) + 1) / deals)
        if len(block.states):
            won.append(gains(source, agent, block))
            deal_numbers.append(block.deals)
            choices.append(np.stack([block.states.moves, block.actions, block.others], 1).astype(int))
            groups.append(group_values(setting, block.states, subgroups))
    values, places = np.concatenate(won), np.concatenate(deal_numbers)
    by_deal = means_by_deal(values, places)
    return ActionGains(by_deal, values, np.concatenate(groups), places, np.concatenate(choices), deals)
