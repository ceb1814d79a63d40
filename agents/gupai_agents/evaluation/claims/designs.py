"""How each kind of reading is put to the test. `try_claim` is the door; everything else returns a `Finding`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.deals import Compared, examples
from gupai_agents.evaluation.claims.exacts import ENUMERATIONS
from gupai_agents.evaluation.claims.features import POSITIONS, Positions
from gupai_agents.evaluation.claims.measures import MEASURES, Measure, ratio
from gupai_agents.evaluation.claims.players import SAME, UNSKILLED, player
from gupai_agents.evaluation.claims.results import Effect, Finding, Verdict
from gupai_agents.evaluation.claims.sampling import Sampler, stream_of
from gupai_agents.evaluation.claims.schema import (
    Action,
    Claim,
    Condition,
    Exact,
    Expectation,
    Item,
    Ordering,
    Plan,
    Policy,
    Population,
    Rate,
    Reading,
)
from gupai_agents.evaluation.claims.tables import Choice, Table, differ, forks, gains
from gupai_agents.evaluation.statistics import Estimate, estimate, gsprt, holm, samples_for, t_test
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

PILOT = 500  # deals whose spread, not their mean, says how many are needed
BLOCK = 1000  # deals between two looks of a plan that stops early
DOSE_STREAMS, ITEM_STREAMS = 100, 1000  # numbers of streams of deals; below them, those of the panel
FEWEST_IN_GROUP = 30
Progress = Callable[[str], Any]  # called with what is done next


class Setting(NamedTuple):
    """What all designs are given. deals: instead of those a reading asks for."""

    game: Game
    variant: Variant
    seed: int
    deals: int | None
    progress: Progress

    def stream(self, number: int) -> int:
        """Return the key of a stream of deals."""
        return stream_of(self.seed, number)

    def table(self, sampler: Sampler, number: int) -> Table:
        """Return a table that deals from a stream."""
        return Table(self.game, sampler.variant, sampler, self.stream(number))


def try_claim(
    claim: Claim,
    *,
    seed: int = 0,
    deals: int | None = None,
    panel: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Test all readings of a claim; the same claim and seed give the same verdict.

    Args: deals: of each figure, instead of those the file asks for. panel: players instead of the file's.
    Raises: ValueError for a player that cannot play the variant, and a bad seed.
    """
    game, findings = get_game(claim.game), []
    for reading in claim.readings:
        if panel and not isinstance(reading, Exact):
            reading = reading.model_copy(update={"panel": list(panel)})
        setting = Setting(
            game, variant_of(game, reading.variant), as_key(seed), deals, progress or (lambda _: None)
        )
        findings.append(_tested(setting, reading))
    return Verdict(claim, seed, tuple(findings))


def _tested(setting: Setting, reading: Reading) -> Finding:
    if isinstance(reading, Exact):
        return exact(setting, reading)
    if isinstance(reading, Rate):
        return rate(setting, reading)
    if isinstance(reading, Policy):
        return policy(setting, reading)
    if isinstance(reading, Action):
        return action(setting, reading)
    return ordering(setting, reading)


# --- exact ----------------------------------------------------------------------------------------


def exact(setting: Setting, reading: Exact) -> Finding:
    """Enumerate, and compare."""
    facts = ENUMERATIONS[reading.enumerate][1]()
    wrong = []
    for expected in reading.expect:
        if expected.fact not in facts:
            raise ValueError(
                f"{reading.enumerate} knows no fact {expected.fact!r}; its facts are {', '.join(facts)}"
            )
        if not _holds(facts[expected.fact], expected):
            wrong.append(f"{expected.fact} is {facts[expected.fact]}")
    verdict = verdicts.DISPROVED if wrong else verdicts.PROVED
    return Finding(
        reading.name,
        reading.kind,
        reading.variant,
        verdict,
        "Enumerated: " + ("; ".join(wrong) if wrong else "all is as it is said") + ".",
        note=reading.note,
        facts=dict(facts),
    )


def _holds(fact: float | str, expected: Expectation) -> bool:
    if expected.equals is not None:
        if isinstance(expected.equals, str) or isinstance(fact, str):
            return str(fact) == _plain(expected.equals)
        return abs(fact - expected.equals) < 1e-9
    if isinstance(fact, str):
        return False
    return fact <= expected.at_most if expected.at_most is not None else fact >= (expected.at_least or 0.0)


def _plain(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- policy ---------------------------------------------------------------------------------------


class Pairs(NamedTuple):
    """Gains of the trait, [N]; whether anything was played otherwise, bool [N]; and the groups of the deals."""

    gains: np.ndarray
    changed: np.ndarray
    groups: np.ndarray


def policy(setting: Setting, reading: Policy) -> Finding:
    """Play the same deals with the trait and without it, against every member of the panel."""
    measure, population = MEASURES[reading.metric], reading.population
    sampler = Sampler(setting.game, setting.variant, population)
    effects, doses, groups, compared = [], [], [], []
    for number, member in enumerate(reading.panel):
        setting.progress(f"against {member}")
        found, shown = _planned(setting, reading, sampler, member, number)
        compared.append(Compared(np.flatnonzero(found.changed), found.gains[found.changed]))
        effects.append(_effect(member, found, shown, reading.margin, reading.alternative))
        groups += _subgroups(reading.subgroups, found.gains, found.groups, member)
    for dose in reading.doses:
        exactly = population.hand[0].model_copy(update={"exactly": dose, "at_least": None, "at_most": None})
        narrowed = population.model_copy(update={"hand": [exactly, *population.hand[1:]]})
        at_dose = Sampler(setting.game, setting.variant, narrowed)
        for number, member in enumerate(reading.panel):
            setting.progress(f"with {dose}, against {member}")
            deals = setting.deals or effects[number].estimate.samples
            some = _pairs(setting, reading, at_dose, member, DOSE_STREAMS * (1 + dose) + number, 0, deals)
            doses.append(
                replace(
                    _effect(f"{exactly}, against {member}", some, None, reading.margin, reading.alternative),
                    extra={"dose": dose, "frequency": float(at_dose.probability)},
                )
            )
    adjusted, judged, remark = _over_panel(effects, reading.margin, reading.alternative)
    pooled = verdicts.pool([each.estimate for each in effects if each.counted])
    frequency = float(sampler.probability)
    per_hundred = 100 * frequency * pooled.effect.mean if measure.unit == "chips" else None
    return Finding(
        reading.name,
        reading.kind,
        reading.variant,
        judged.verdict,
        _sentence(
            pooled.effect, reading.margin, "the trait", "" if reading.metric == "chips" else measure.what
        ),
        unit=measure.unit,
        remark=remark,
        note=reading.note,
        about={
            "treated": _told(reading.treated),
            "baseline": _told(reading.baseline),
            "metric": reading.metric,
            "margin": reading.margin,
            "alternative": reading.alternative,
            "hand": ", ".join(map(str, population.hand)) or "any",
            "plan": reading.plan.mode,
        },
        effects=tuple(adjusted),
        pooled=_pool_numbers(pooled),
        doses=tuple(doses),
        subgroups=tuple(_discovered(groups)),
        frequency=frequency,
        exact=True,
        examples=examples(reading.panel, compared),
        per_hundred=per_hundred,
        deals_needed=judged.deals_needed,
    )


def _planned(
    setting: Setting, reading: Policy, sampler: Sampler, member: str, number: int
) -> tuple[Pairs, Estimate | None]:
    """Play as many deals as the plan says; return them and, for a plan that looks again and again, its interval."""
    plan = reading.plan
    fixed = setting.deals or plan.deals

    def more(first: int, deals: int) -> Pairs:
        return _pairs(setting, reading, sampler, member, number, first, deals)

    if plan.mode == "fixed":
        found = more(0, min(PILOT, fixed or PILOT))
        total = fixed or _enough(plan, reading.margin, float(np.std(found.gains)))
        return (_joined(found, more(PILOT, total - PILOT)) if total > PILOT else found), None
    found, sign = more(0, BLOCK), -1.0 if reading.alternative == "less" else 1.0
    while True:
        count = len(found.gains)
        if plan.mode == "sequential":
            ended = gsprt(sign * found.gains, reading.margin, plan.alpha, 1 - plan.power)
            if ended.verdict:
                return Pairs(*(each[: ended.samples] for each in found)), None
        else:
            shown = verdicts.always_valid(found.gains, plan.alpha)
            done = verdicts.judge(shown, reading.margin, reading.alternative).verdict
            if done != verdicts.INCONCLUSIVE:
                return found, shown
        if count >= (fixed or plan.most):
            return found, verdicts.always_valid(found.gains, plan.alpha) if plan.mode == "blocks" else None
        found = _joined(found, more(count, min(BLOCK, (fixed or plan.most) - count)))


def _enough(plan: Plan, margin: float, spread: float) -> int:
    if spread == 0:
        return plan.least
    return min(plan.most, max(plan.least, samples_for(margin, spread, plan.alpha, plan.power)))


def _joined(one: Pairs, other: Pairs) -> Pairs:
    return Pairs(*(np.concatenate(both) for both in zip(one, other, strict=True)))


def _pairs(
    setting: Setting, reading: Policy, sampler: Sampler, member: str, number: int, first: int, deals: int
) -> Pairs:
    game, variant, measure = setting.game, setting.variant, MEASURES[reading.metric]
    opponent = player(member, game, variant)
    baseline = player(reading.baseline, game, variant, member)
    base = reading.baseline if isinstance(reading.baseline, str) else reading.baseline.agent
    treated = player(reading.treated, game, variant, member, base)
    table = setting.table(sampler, number)
    won, changed, groups = [], [], []
    for block in table.blocks(first, deals):
        ends = [table.play_with(block, opponent, hero) for hero in (treated, baseline)]
        values = [table.measure(each, block.seats, measure, reading.number) for each in ends]
        won.append(values[0] - values[1])
        changed.append(differ(*ends))
        seen = block.states.copy().view(np.recarray)
        seen.to_act = block.seats[:, 0]
        groups.append(_group_values(setting, seen, reading.subgroups))
    return Pairs(np.concatenate(won), np.concatenate(changed), np.concatenate(groups))


def _group_values(setting: Setting, states: np.recarray, subgroups: Sequence[Condition]) -> np.ndarray:
    at = Positions(setting.game, setting.variant, states, np.zeros((len(states), 0), bool))
    values = [POSITIONS[each.feature][3](at, each.number) for each in subgroups]
    return np.array(values, int).reshape(len(subgroups), len(states)).T


def _effect(label: str, found: Pairs, shown: Estimate | None, margin: float, alternative: str) -> Effect:
    interval = shown or estimate(found.gains)
    return Effect(
        label,
        interval,
        verdicts.judge(interval, margin, alternative).verdict,
        t_test(found.gains),
        counted=label != UNSKILLED,
        changed=float(found.changed.mean()),
    )


def _subgroups(
    conditions: Sequence[Condition], values: np.ndarray, groups: np.ndarray, member: str
) -> list[Effect]:
    found = []
    for column, condition in enumerate(conditions):
        bounded = (
            condition.exactly is not None or condition.at_least is not None or condition.at_most is not None
        )
        for value in np.unique(groups[:, column]).tolist():
            if bounded and not condition.least <= value <= condition.most:
                continue
            some = values[groups[:, column] == value]
            if len(some) >= FEWEST_IN_GROUP:
                what = (
                    condition.feature
                    if condition.number is None
                    else f"{condition.feature} {condition.number}"
                )
                found.append(
                    Effect(f"{what}: {value}, {member}", estimate(some), p=t_test(some), counted=False)
                )
    return found


def _discovered(groups: list[Effect]) -> list[Effect]:
    rates = verdicts.false_discovery([each.p or 0.0 for each in groups])
    return [replace(each, p=rate) for each, rate in zip(groups, rates, strict=True)]


def _over_panel(
    effects: list[Effect], margin: float, alternative: str
) -> tuple[list[Effect], verdicts.Judged, str]:
    """Return the effects with p adjusted by Holm, and the verdict of those that count."""
    counted = [each for each in effects if each.counted] or effects
    p = holm([each.p if each.p is not None else 1.0 for each in counted])
    adjusted = {each.label: value for each, value in zip(counted, p, strict=True)}
    judged, remark = verdicts.judge_panel(
        [each.estimate for each in counted], [each.verdict for each in counted], p, margin, alternative
    )
    return [replace(each, p=adjusted.get(each.label, each.p)) for each in effects], judged, remark


def _pool_numbers(pooled: verdicts.Pooled) -> dict[str, float | None]:
    return {**pooled.effect.as_numbers(), "q": pooled.q, "p_q": pooled.p_q, "i2": pooled.i2}


def _told(spec: Any) -> str:
    """Return a player of a file as a report names it."""
    if isinstance(spec, str):
        return "the opponent itself" if spec == SAME else spec
    changes = spec.model_dump(exclude_none=True, exclude={"agent"})
    return ", ".join([_told(spec.agent), *(f"{key} {value}" for key, value in changes.items())])


def _sentence(found: Estimate, margin: float, who: str, what: str = "") -> str:
    """Return an effect in words: chips gained or lost or, of another metric, by how much `what` changes."""
    shown = f"(95% interval {found.low:+.2f} to {found.high:+.2f})"
    named = "" if abs(found.mean) >= margin else f", less than the {margin:g} worth naming"
    if what:
        return f"{who[0].upper()}{who[1:]} changes this by {found.mean:+.3f} {shown}{named}: {what}."
    change = "gains" if found.mean >= 0 else "loses"
    return f"{who[0].upper()}{who[1:]} {change} {abs(found.mean):.2f} chips {shown} when it comes up{named}."


# --- rate -----------------------------------------------------------------------------------------


def rate(setting: Setting, reading: Rate) -> Finding:
    """Measure deals of each player of the panel at all seats."""
    measure, deals = MEASURES[reading.metric], setting.deals or reading.deals
    sampler = Sampler(setting.game, setting.variant, reading.population)
    effects, found = [], []
    for number, member in enumerate(reading.panel):
        setting.progress(f"{member} at all seats")
        values, statistic = _rate_values(setting, reading, sampler, measure, member, number, deals)
        interval = estimate(values) if statistic is None else verdicts.of_statistic(values, statistic)
        low, high = verdicts.bounds(interval, values if statistic is None else None)
        judged = verdicts.judge_rate(interval, low, high, reading.threshold, reading.alternative)
        found.append(judged)
        effects.append(
            Effect(member, interval, judged.verdict, counted=member != UNSKILLED, low=low, high=high)
        )
    counted = [each for each in effects if each.counted] or effects
    verdict, remark = _agreed([each.verdict for each in counted])
    needed = [each.deals_needed for each in found if each.deals_needed]
    unit = measure.unit if reading.against is None else "times as much"
    shown = ", ".join(f"{each.label} {_figure(each.estimate, unit)}" for each in effects)
    threshold = f"; the claim says {_limit(reading, unit)}" if reading.threshold is not None else ""
    return Finding(
        reading.name,
        reading.kind,
        reading.variant,
        verdict,
        f"{measure.what[0].upper()}{measure.what[1:]}: {shown}{threshold}.",
        unit=unit,
        remark=remark,
        note=reading.note,
        about={
            "metric": reading.metric,
            "number": reading.number,
            "threshold": reading.threshold,
            "alternative": reading.alternative,
            "against": reading.against,
            "hand": ", ".join(map(str, reading.population.hand)) or "any",
        },
        effects=tuple(effects),
        frequency=float(sampler.probability) if sampler.conditional else None,
        exact=True,
        deals_needed=max(needed) if needed and verdict == verdicts.INCONCLUSIVE else None,
    )


def _rate_values(
    setting: Setting,
    reading: Rate,
    sampler: Sampler,
    measure: Measure,
    member: str,
    number: int,
    deals: int,
) -> tuple[np.ndarray, Callable[[np.ndarray], float] | None]:
    variants = [setting.variant]
    if reading.against is not None:
        variants.append(variant_of(setting.game, reading.against))
    columns = []
    for variant in variants:
        own = (
            Sampler(setting.game, variant, reading.population) if variant is not setting.variant else sampler
        )
        table, parts = setting.table(own, number), []
        everyone = player(member, setting.game, variant)
        hero = (
            everyone
            if reading.treated is None
            else player(reading.treated, setting.game, variant, member, member)
        )
        for block in table.blocks(0, deals):
            parts.append(
                table.measure(table.play_with(block, everyone, hero), block.seats, measure, reading.number)
            )
        columns.append(np.concatenate(parts))
    if reading.against is None:
        return columns[0], measure.statistic
    return np.stack(columns, 1), ratio


def _agreed(found: Sequence[str]) -> tuple[str, str]:
    """Return the verdict of several players: that of all, or inconclusive where they differ."""
    kinds = set(found)
    if len(kinds) == 1:
        return found[0], ""
    if {verdicts.SUPPORTED, verdicts.CONTRADICTED} <= kinds:
        return verdicts.INCONCLUSIVE, "it depends on who plays"
    return verdicts.INCONCLUSIVE, "not clear with every player"


def _figure(found: Estimate, unit: str) -> str:
    if unit.startswith("share"):
        return f"{100 * found.mean:.2f}% ±{100 * found.half_width:.2f}"
    return f"{found.mean:.3g} ±{found.half_width:.2g} {unit}"


def _limit(reading: Rate, unit: str) -> str:
    limit = reading.threshold or 0.0
    side = {"greater": "more than", "less": "less than", "different": "other than"}[reading.alternative]
    return f"{side} {100 * limit:g}%" if unit.startswith("share") else f"{side} {limit:g} {unit}"


# --- action ---------------------------------------------------------------------------------------


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
        setting.progress(f"{member} at all seats")
        found = _taken(setting, sampler, member, number, choice, deals, reading.subgroups)
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
        groups += _subgroups(reading.subgroups, found.by_position, found.groups, member)
    adjusted, judged, remark = _over_panel(effects, reading.margin, reading.alternative)
    members = sum(each.counted for each in effects) or 1
    seats = 1 if sampler.conditional else setting.variant.players
    share = float(sampler.probability)
    pooled = verdicts.pool(
        [each.estimate for each in effects if each.counted and each.estimate.samples > 1]
        or [effects[0].estimate]
    )
    return Finding(
        reading.name,
        reading.kind,
        reading.variant,
        verdicts.TOO_RARE if rarest < verdicts.FEWEST else judged.verdict,
        _sentence(
            pooled.effect,
            reading.margin,
            f"the action, rather than {_COMPARED[reading.comparator]},",
        ),
        unit="chips",
        remark=remark,
        note=reading.note,
        about={
            "action": ", ".join(map(str, reading.action)),
            "position": ", ".join(map(str, population.position)) or "any",
            "comparator": reading.comparator,
            "margin": reading.margin,
            "alternative": reading.alternative,
        },
        effects=tuple(adjusted),
        pooled=_pool_numbers(pooled),
        subgroups=tuple(_discovered(groups)),
        examples=examples(reading.panel, compared),
        frequency=positions / (deals * members * seats) * share,
        per_hundred=100 * total / (deals * members * seats) * share,
        deals_needed=judged.deals_needed,
    )


_COMPARED = {
    "baseline_choice": "what the player would do",
    "best_alternative": "the best other one",
    "uniform": "one drawn from the others",
    "pip_matched": "the best other one of about equal pips",
}


def _taken(
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
        if len(found.states):
            won.append(gains(table, agent, found))
            of.append(found.deals)
            choices.append(np.stack([found.states.moves, found.actions, found.others], 1).astype(int))
            groups.append(_group_values(setting, found.states, subgroups))
    values, places = np.concatenate(won), np.concatenate(of)
    _, which = np.unique(places, return_inverse=True)
    by_deal = np.bincount(which, values) / np.bincount(which) if len(values) else values
    return Taken(by_deal, values, np.concatenate(groups), places, np.concatenate(choices), deals)


# --- ordering -------------------------------------------------------------------------------------


def ordering(setting: Setting, reading: Ordering) -> Finding:
    """Measure every item with every member of the panel, and compare the first with all others."""
    deals = setting.deals or reading.deals
    effects: list[Effect] = []
    found, remarks = [], []
    for number, member in enumerate(reading.panel):
        values = {}
        for place, item in enumerate(reading.items):
            setting.progress(f"{item.label}, {member}")
            values[item.label] = _item(
                setting, reading, item, member, ITEM_STREAMS * (1 + place) + number, deals
            )
        compared = {label: each for label, each in values.items() if label not in reading.but}
        verdict, p, remark = _ranked(compared, reading.first)
        if member != UNSKILLED:
            found.append(verdict)
        remarks.append(f"{member}: {remark}")
        effects += [
            Effect(f"{label}, {member}", each, p=p.get(label), counted=member != UNSKILLED)
            for label, each in values.items()
        ]
    verdict, remark = _agreed(found or [verdicts.MEASURED])
    unit = "chips" if reading.comparator else MEASURES[reading.metric].unit
    return Finding(
        reading.name,
        reading.kind,
        reading.variant,
        verdict,
        "; ".join(remarks) + ".",
        unit=unit,
        remark=remark,
        note=reading.note,
        about={"first": reading.first, "left out": ", ".join(reading.but) or None, "metric": reading.metric},
        effects=tuple(effects),
    )


def _item(setting: Setting, reading: Ordering, item: Item, member: str, number: int, deals: int) -> Estimate:
    sampler = Sampler(setting.game, setting.variant, item.population)
    if reading.comparator:
        choice = Choice(item.population.position, item.action, [], reading.comparator)
        return estimate(_taken(setting, sampler, member, number, choice, deals).by_deal)
    measure, table = MEASURES[reading.metric], setting.table(sampler, number)
    everyone = player(member, setting.game, setting.variant)
    hero = (
        everyone
        if item.treated is None
        else player(item.treated, setting.game, setting.variant, member, member)
    )
    values = np.concatenate(
        [
            table.measure(table.play_with(block, everyone, hero), block.seats, measure, item.number)
            for block in table.blocks(0, deals)
        ]
    )
    return verdicts.of_statistic(values, measure.statistic) if measure.statistic else estimate(values)


def _ranked(values: dict[str, Estimate], first: str) -> tuple[str, dict[str, float], str]:
    """Return whether the first is first, p of its differences to the others (Holm), and what is the order."""
    from scipy.special import ndtr

    order = sorted(values, key=lambda label: -values[label].mean)
    shown = " > ".join(f"{label} {values[label].mean:.3g}" for label in order)
    if first == "any":
        pooled = verdicts.pool(list(values.values()))
        alike = pooled.p_q >= 0.05
        return (
            verdicts.INCONCLUSIVE if alike else verdicts.SUPPORTED,
            {},
            f"{shown} (all alike: p {pooled.p_q:.2g})",
        )
    others = [label for label in values if label != first]
    z = [
        (values[first].mean - values[label].mean)
        / max(np.hypot(values[first].half_width, values[label].half_width) / 1.96, 1e-12)
        for label in others
    ]
    p = dict(zip(others, holm([float(2 * ndtr(-abs(each))) for each in z]), strict=True))
    behind = [label for label, each in zip(others, z, strict=True) if each < 0 and p[label] < 0.05]
    if behind:
        return verdicts.CONTRADICTED, p, shown
    ahead = all(each > 0 and p[label] < 0.05 for label, each in zip(others, z, strict=True))
    return verdicts.SUPPORTED if ahead else verdicts.INCONCLUSIVE, p, shown


def planned(claim: Claim, seed: int = 0) -> list[dict[str, Any]]:
    """Return for every reading how often it is eligible and how many deals it would play, having played a few."""
    game, found = get_game(claim.game), []
    for reading in claim.readings:
        plan: dict[str, Any] = {"name": reading.name, "kind": reading.kind}
        if not isinstance(reading, Exact):
            setting = Setting(game, variant_of(game, reading.variant), as_key(seed), None, lambda _: None)
            population = getattr(reading, "population", Population())
            sampler = Sampler(game, setting.variant, population)
            plan |= {"players": len(reading.panel), "share_of_hands": float(sampler.probability)}
            if isinstance(reading, Policy):
                pilot = _pairs(setting, reading, sampler, reading.panel[0], 0, 0, PILOT)
                spread = float(np.std(pilot.gains))
                plan["deals"] = reading.plan.deals or _enough(reading.plan, reading.margin, spread)
                plan["finds_with_that_power"] = _detectable(reading.plan, spread, plan["deals"])
                plan["figures"] = len(reading.panel) * (1 + len(reading.doses))
            else:
                plan["deals"] = reading.deals
                plan["figures"] = len(reading.panel) * len(getattr(reading, "items", [None]))
            if isinstance(reading, Action):
                choice = Choice(population.position, reading.action, reading.instead, reading.comparator)
                few = _taken(setting, sampler, reading.panel[0], 0, choice, PILOT)
                plan["comes_up_in_share_of_deals"] = len(few.by_deal) / PILOT
        found.append(plan)
    return found


def _detectable(plan: Plan, spread: float, deals: int) -> float:
    """Return the smallest mean that so many deals find with the plan's power."""
    from scipy.special import ndtri

    return float((ndtri(1 - plan.alpha / 2) + ndtri(plan.power)) * spread / deals**0.5)
