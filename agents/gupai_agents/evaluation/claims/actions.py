"""An action against a named other one, in the same positions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.deals import Compared, examples
from gupai_agents.evaluation.claims.doses import Cell, cells_of, doses_in, in_words, recorded_features
from gupai_agents.evaluation.claims.effects import discovered, dose_finding, group_values, level_of, subgroups_of
from gupai_agents.evaluation.claims.masters import masters
from gupai_agents.evaluation.claims.players import UNSKILLED
from gupai_agents.evaluation.claims.results import Effect, Finding, Level, Masters
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Action, Dose, Named
from gupai_agents.evaluation.claims.setting import Choice, Setting, choice_of, forks, gains, means_by_deal
from gupai_agents.evaluation.statistics import NOTHING, Estimate, estimate, t_test
from gupai_env.words.messages import joined, say

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
    by_position: np.ndarray
    groups: np.ndarray
    deal_numbers: np.ndarray
    choices: np.ndarray
    deals: int

    @property
    def gain(self) -> Estimate:
        """The mean over deals in which it came up."""
        return estimate(self.by_deal) if len(self.by_deal) else NOTHING._replace(samples=self.deals)

    def at(self, dose: Dose | None) -> "ActionGains":
        """Return what was taken at positions of a dose, whose value is the last of the groups."""
        value = self.groups[:, -1]
        some = (value >= dose.least) & (value <= dose.most) if dose else np.ones(len(value), bool)
        values, deal_numbers = self.by_position[some], self.deal_numbers[some]
        by_deal = means_by_deal(values, deal_numbers)
        return ActionGains(by_deal, values, self.groups[some], deal_numbers, self.choices[some], self.deals)


def action(setting: Setting, reading: Action) -> Finding:
    """Fork positions of deals that each member of the panel plays with itself, at every dose."""
    deals = setting.deals or reading.deals
    choice = choice_of(reading)
    levels, groups = [], []
    compared: list[list[Compared]] = [[] for _ in reading.panel]
    for cell in cells_of(setting, reading):
        played = []
        for number, member in enumerate(reading.panel):
            setting.meter.begin(f"{f'with {in_words(cell.dose)}, ' if cell.dose else ''}{member} at all seats")
            stream = cell.stream + number
            sample = action_gains(
                setting, cell.sampler, member, stream, choice, deals, recorded_features(setting, reading)
            )
            compared[number].append(
                Compared(sample.deal_numbers, sample.by_position, sample.choices, stream, cell.dose)
            )
            groups += subgroups_of(reading.subgroups, sample.by_position, sample.groups, cell.named(member))
            played.append(sample)
        strong = masters(setting, reading, cell)
        for dose in doses_in(reading, cell):
            some = [sample if dose == cell.dose else sample.at(dose) for sample in played]
            levels.append(_level(setting, reading, cell, dose, some, strong.get(dose, ())))
    return dose_finding(
        reading,
        levels,
        say("the action, rather than {other}", other=say(COMPARED[reading.comparator])),
        unit="chips",
        about={
            "action": joined(", ", map(str, reading.action)),
            "position": joined(", ", map(str, reading.population.position)) or "any",
            **({"doses": reading.doses.what} if reading.doses else {}),
            "comparator": reading.comparator,
            "margin": reading.margin,
            "alternative": reading.alternative,
        },
        subgroups=tuple(discovered(groups)),
        examples=examples(reading.panel, compared),
    )


def _level(
    setting: Setting,
    reading: Action,
    cell: Cell,
    dose: Dose | None,
    played: Sequence[ActionGains],
    strong: tuple[Masters, ...],
) -> Level:
    effects = []
    for member, sample in zip(reading.panel, played, strict=True):
        gain = sample.gain
        verdict = (
            verdicts.unjudged([gain], sample.deals) or verdicts.judge(gain, reading.margin, reading.alternative).verdict
        )
        p = t_test(sample.by_deal) if gain.occurred else 1.0
        positions = len(sample.by_position)
        effects.append(Effect(member, gain, verdict, p, member != UNSKILLED, extra={"positions": positions}))
    counted = [sample for member, sample in zip(reading.panel, played, strict=True) if member != UNSKILLED]
    seats = 1 if cell.sampler.conditional else setting.variant.players
    share = float(cell.sampler.probability) / ((len(counted) or 1) * played[0].deals * seats)
    positions = sum(len(sample.by_position) for sample in counted)
    return level_of(
        effects,
        reading,
        dose,
        played[0].deals,
        frequency=share * positions,
        per_hundred=100 * share * float(sum(sample.by_position.sum() for sample in counted)) if positions else None,
        masters=strong,
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
