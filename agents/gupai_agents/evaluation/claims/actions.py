"""An action against a named other one, in the same positions."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.deals import Compared, examples
from gupai_agents.evaluation.claims.effects import (
    discovered,
    group_values,
    over_panel,
    pool_numbers,
    sentence_of,
    subgroups_of,
    those_counted,
)
from gupai_agents.evaluation.claims.players import UNSKILLED, player
from gupai_agents.evaluation.claims.results import Effect, Finding, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Action, Condition
from gupai_agents.evaluation.claims.tables import Choice, Setting, forks, gains
from gupai_agents.evaluation.statistics import Estimate, estimate, t_test

COMPARED = {
    "best_alternative": "the best other one",
    "uniform": "one drawn from the others",
    "pip_matched": "the best other one of about equal pips",
}


class Taken(NamedTuple):
    """Gains of an action over the other by deal in which it came up, [N]; by position, with its groups, its deal and
    its choice: the number of the move and both actions, int [M, 3].
    """

    by_deal: np.ndarray
    by_position: np.ndarray
    groups: np.ndarray
    of: np.ndarray
    choices: np.ndarray
    deals: int


def action(setting: Setting, reading: Action) -> Finding:
    """Fork positions of deals that each member of the panel plays with itself."""
    population, deals = reading.population, setting.deals or reading.deals
    sampler = Sampler(setting.game, setting.variant, population)
    choice = Choice(population.position, reading.action, reading.instead, reading.comparator)
    effects, groups, compared, rarest, total, positions = [], [], [], deals, 0.0, 0
    for number, member in enumerate(reading.panel):
        setting.meter.begin(f"{member} at all seats")
        found = taken_in(setting, sampler, member, number, choice, deals, reading.subgroups)
        compared.append(Compared(found.of, found.by_position, found.choices))
        counted = member != UNSKILLED
        shown = estimate(found.by_deal) if len(found.by_deal) else Estimate(0.0, float("inf"), 0)
        rare = len(found.by_deal) < verdicts.FEWEST
        rarest = min(rarest, len(found.by_deal)) if counted else rarest
        verdict = verdicts.judge(shown, reading.margin, reading.alternative).verdict
        effects.append(
            Effect(
                member,
                shown,
                verdicts.TOO_RARE if rare else verdict,
                t_test(found.by_deal) if len(found.by_deal) > 1 else 1.0,
                counted,
                extra={"positions": len(found.by_position)},
            )
        )
        if counted:
            total += float(found.by_position.sum())
            positions += len(found.by_position)
        groups += subgroups_of(reading.subgroups, found.by_position, found.groups, member)
    adjusted, judged, remark = over_panel(effects, reading.margin, reading.alternative)
    members = sum(each.counted for each in effects) or 1
    seats = 1 if sampler.conditional else setting.variant.players
    share = float(sampler.probability)
    pooled = verdicts.pool([each.estimate for each in those_counted(effects)])
    return finding(
        reading,
        verdicts.TOO_RARE if rarest < verdicts.FEWEST else judged.verdict,
        sentence_of(pooled.effect, reading.margin, f"the action, rather than {COMPARED[reading.comparator]},"),
        unit="chips",
        remark=remark,
        about={
            "action": ", ".join(map(str, reading.action)),
            "position": ", ".join(map(str, population.position)) or "any",
            "comparator": reading.comparator,
            "margin": reading.margin,
            "alternative": reading.alternative,
        },
        effects=tuple(adjusted),
        pooled=pool_numbers(pooled),
        subgroups=tuple(discovered(groups)),
        examples=examples(reading.panel, compared),
        frequency=positions / (deals * members * seats) * share,
        per_hundred=100 * total / (deals * members * seats) * share,
        deals_needed=judged.deals_needed,
        p=verdicts.p_of(pooled.effect),
    )


def taken_in(
    setting: Setting,
    sampler: Sampler,
    member: str,
    number: int,
    choice: Choice,
    deals: int,
    subgroups: Sequence[Condition] = (),
) -> Taken:
    table, agent = setting.table(sampler, number), player(member, setting.game, setting.variant)
    won, of, groups = [np.zeros(0)], [np.zeros(0, int)], [np.zeros((0, len(subgroups)), int)]
    choices = [np.zeros((0, 3), int)]
    for found in forks(table, agent, choice, 0, deals):
        setting.meter.reach((int(found.deals.max(initial=0)) + 1) / deals)
        if len(found.states):
            won.append(gains(table, agent, found))
            of.append(found.deals)
            choices.append(np.stack([found.states.moves, found.actions, found.others], 1).astype(int))
            groups.append(group_values(setting, found.states, subgroups))
    values, places = np.concatenate(won), np.concatenate(of)
    _, which = np.unique(places, return_inverse=True)
    by_deal = np.bincount(which, values) / np.bincount(which) if len(values) else values
    return Taken(by_deal, values, np.concatenate(groups), places, np.concatenate(choices), deals)
