"""How a claim is put to the test, a design for each kind of reading. `try_claim` is the door."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.actions import action, taken_in
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.exacts import answer, questions_of
from gupai_agents.evaluation.claims.orderings import ordering
from gupai_agents.evaluation.claims.players import SAME, STRONG, named
from gupai_agents.evaluation.claims.policies import detectable, dosed, enough, pairs_in, policy
from gupai_agents.evaluation.claims.rates import rate
from gupai_agents.evaluation.claims.results import Finding, Verdict, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import (
    Action,
    Changed,
    Claim,
    Exact,
    Expectation,
    Ordering,
    Policy,
    Population,
    Rate,
    Reading,
)
from gupai_agents.evaluation.claims.tables import PILOT, Choice, Meter, Progress, Setting
from gupai_agents.registry import agent_names
from gupai_agents.shipped import BEST
from gupai_env.core.rng import as_key
from gupai_env.games import get_game

# About how many times as long such a player takes.
SLOW = {"search": 200, "best": 20, "checkpoint": 20, "sample": 20}


def try_claim(
    claim: Claim,
    *,
    seed: int = 0,
    deals: int | None = None,
    panel: Sequence[str] | None = None,
    strong: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Test all readings of a claim; the same claim and seed give the same verdict.

    Args: deals: of each figure, instead of those the file asks for. panel: players instead of the file's.
        strong: test policies and actions against STRONG players as well, where the variant has them.
        progress: called with the share of the claim that is done, and what is being done.
    Raises: ValueError for a player that cannot play the variant, and a bad seed.
    """
    game, readings, findings = get_game(claim.game), with_panel(claim, panel, strong), []
    meter = Meter([weight for reading in readings for weight in weights_of(reading, deals)], progress)
    for reading in readings:
        setting = Setting(game, variant_of(game, reading.variant), as_key(seed), deals, meter)
        findings.append(_tested(setting, reading))
    return Verdict(claim, seed, tuple(findings))


def with_panel(claim: Claim, panel: Sequence[str] | None, strong: bool = False) -> list[Reading]:
    """Return the readings of a claim, with other players than the file's if there are any, and with strong ones."""
    readings = []
    for reading in claim.readings:
        if not isinstance(reading, Exact) and reading.panel:
            members = [*(panel or reading.panel), *_strong(claim, reading, strong)]
            reading = reading.model_copy(update={"panel": members})
        readings.append(reading)
    return readings


def _strong(claim: Claim, reading: Reading, wanted: bool) -> list[str]:
    """Return the players of STRONG that a reading can take; weights are added to no "same" that has none."""
    if not wanted or not isinstance(reading, Policy | Action):
        return []
    if isinstance(reading, Policy):
        treated, baseline = (
            spec.agent if isinstance(spec, Changed) else spec for spec in (reading.treated, reading.baseline)
        )
        if named(treated, SAME, baseline).startswith(f"{SAME}+"):
            return []
    game = get_game(claim.game)
    missing = {BEST} - set(agent_names(game, variant_of(game, reading.variant)))
    return [spec for spec in STRONG if spec not in missing]


def weights_of(reading: Reading, deals: int | None) -> list[float]:
    """Return about how long each figure of a reading takes, in the order in which they are worked out."""
    if isinstance(reading, Exact):
        return [1000.0]
    seating = [[spec] for spec in reading.panel] or getattr(reading, "fields", [])
    members = [max(SLOW.get(spec.partition(":")[0], 1) for spec in specs) for specs in seating]
    if isinstance(reading, Policy):
        each = 2 * (deals or reading.plan.deals or reading.plan.most)
        doses = [members[number] for number, _ in dosed(reading)] * len(reading.doses)
        return [float(each * slow) for slow in [*members, *doses]]
    each = deals or reading.deals
    if isinstance(reading, Ordering):
        return [float(each * slow) for slow in members for _ in reading.items]
    times = 2 if isinstance(reading, Rate) and reading.against is not None else 1
    return [float(times * each * slow) for slow in members]


def work(claim: Claim, deals: int | None = None, panel: Sequence[str] | None = None, strong: bool = False) -> float:
    """Return about how long a claim takes, compared with others: as much as so many deals of rule-based players."""
    return sum(sum(weights_of(reading, deals)) for reading in with_panel(claim, panel, strong)) or 1.0


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
    setting.meter.begin(f"enumerating {reading.enumerate}")
    facts = answer(setting.game, questions_of(setting.game)[reading.enumerate])
    wrong = []
    for expected in reading.expect:
        if expected.fact not in facts:
            raise ValueError(f"{reading.enumerate} knows no fact {expected.fact!r}; its facts are {', '.join(facts)}")
        if not _holds(facts[expected.fact], expected):
            wrong.append(f"{expected.fact} is {facts[expected.fact]}")
    verdict = verdicts.DISPROVED if wrong else verdicts.PROVED
    return finding(
        reading,
        verdict,
        "Enumerated: " + ("; ".join(wrong) if wrong else "all is as it is said") + ".",
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
    return f"{value + 0.0:g}" if isinstance(value, float) else str(value)


def planned(claim: Claim, seed: int = 0) -> list[dict[str, Any]]:
    """Return for every reading how often it is eligible and how many deals it would play, having played a few."""
    game, found = get_game(claim.game), []
    for reading in claim.readings:
        plan: dict[str, Any] = {"name": reading.name, "kind": reading.kind}
        if not isinstance(reading, Exact):
            setting = Setting(game, variant_of(game, reading.variant), as_key(seed), None, Meter(()))
            population = getattr(reading, "population", Population())
            sampler = Sampler(game, setting.variant, population)
            plan |= {
                "players": len(reading.panel or getattr(reading, "fields", ())),
                "share_of_hands": float(sampler.probability),
            }
            if isinstance(reading, Policy):
                pilot = pairs_in(setting, reading, sampler, reading.panel[0], 0, 0, PILOT)
                spread = float(np.std(pilot.gains))
                plan["deals"] = reading.plan.deals or enough(reading.plan, reading.margin, spread)
                plan["finds_with_that_power"] = detectable(reading.plan, spread, plan["deals"])
                plan["figures"] = len(reading.panel) * (1 + len(reading.doses))
            else:
                plan["deals"] = reading.deals
                plan["figures"] = plan["players"] * len(getattr(reading, "items", [None]))
            if isinstance(reading, Action):
                choice = Choice(population.position, reading.action, reading.instead, reading.comparator)
                few = taken_in(setting, sampler, reading.panel[0], 0, choice, PILOT)
                plan["comes_up_in_share_of_deals"] = len(few.by_deal) / PILOT
        found.append(plan)
    return found
