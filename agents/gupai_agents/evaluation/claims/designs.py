"""How a claim is put to the test, a design for each kind of reading. `try_claim` is the door."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.actions import action, action_gains
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.doses import is_hand_dose, population_at
from gupai_agents.evaluation.claims.exacts import answer, questions_of
from gupai_agents.evaluation.claims.orderings import ordering
from gupai_agents.evaluation.claims.players import SAME, STRONG, given_in, labels_in, named
from gupai_agents.evaluation.claims.policies import detectable, enough, pairs_in, policy
from gupai_agents.evaluation.claims.rates import rate
from gupai_agents.evaluation.claims.results import Finding, Verdict, finding
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import (
    Action,
    Claim,
    Exact,
    Expectation,
    Ordering,
    Policy,
    Population,
    Rate,
    Reading,
    agent_in,
)
from gupai_agents.evaluation.claims.setting import PILOT, Meter, Progress, Setting, choice_of
from gupai_agents.registry import agent_names
from gupai_agents.shipped import BEST
from gupai_agents.workers import one_core
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.games import get_game
from gupai_env.words.messages import joined, say

# About how many times as long such a player takes.
MASTERS_TAKE = 16_000.0  # to ask them what they do, as long as so many deals of rule-based players
SLOW = {"search": 200, "best": 20, "checkpoint": 20, "sample": 20, "onnx": 20}


def try_claim(
    claim: Claim,
    *,
    seed: int = 0,
    deals: int | None = None,
    panel: Sequence[str | Agent] | None = None,
    strong: bool = False,
    masters: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Test all readings of a claim; the same claim and seed give the same verdict.

    Args:
        claim: As `read_claim` returns it.
        seed: Of all deals, 0..2**63 - 1.
        deals: Of each figure, instead of those the file asks for.
        panel: Players instead of the file's: agents, or texts as `make_agent` takes them, factories too.
        strong: Test policies and actions against STRONG players as well, where the variant has them.
        masters: Ask what strong players do where the claimed action and the one compared with it are both open.
        progress: Called with the share of the claim that is done, and what is being done.

    Raises:
        ValueError: For a player that cannot play the variant, and a bad seed.
    """
    game, readings, findings = get_game(claim.game), with_panel(claim, panel, strong), []
    meter = Meter([weight for reading in readings for weight in weights_of(game, reading, deals, masters)], progress)
    with one_core():
        for reading in readings:
            variant = variant_of(game, reading.variant)
            given = given_in(panel or (), game, variant)
            setting = Setting(game, variant, as_key(seed), deals, meter, masters, given)
            findings.append(DESIGNS[reading.kind](setting, reading))
    return Verdict(claim, seed, tuple(findings))


def with_panel(claim: Claim, panel: Sequence[str | Agent] | None, strong: bool = False) -> list[Reading]:
    """Return the readings of a claim, with other players than the file's if there are any, and with strong ones."""
    readings = []
    for reading in claim.readings:
        if not isinstance(reading, Exact) and reading.panel:
            members = [*(labels_in(panel) if panel else reading.panel), *_strong(claim, reading, strong)]
            reading = reading.model_copy(update={"panel": members})
        readings.append(reading)
    return readings


def _strong(claim: Claim, reading: Reading, wanted: bool) -> list[str]:
    """Return the players of STRONG that a reading can take; weights are added to no "same" that has none."""
    if not wanted or not isinstance(reading, Policy | Action):
        return []
    if isinstance(reading, Policy):
        if named(agent_in(reading.treated), SAME, agent_in(reading.baseline)).startswith(f"{SAME}+"):
            return []
    game = get_game(claim.game)
    missing = {BEST} - set(agent_names(game, variant_of(game, reading.variant)))
    return [spec for spec in STRONG if spec not in missing]


def weights_of(game: Game, reading: Reading, deals: int | None, masters: bool = False) -> list[float]:
    """Return about how long each figure of a reading takes, in the order in which they are worked out."""
    if isinstance(reading, Exact):
        return [1000.0]
    seating = [[spec] for spec in reading.panel] or getattr(reading, "fields", [])
    members = [max(SLOW.get(spec.partition(":")[0], 1) for spec in specs) for specs in seating]
    cells = 1
    if isinstance(reading, Policy | Action) and reading.doses and is_hand_dose(reading, game):
        cells = len(reading.doses.values)
    master_weights = [MASTERS_TAKE] if masters and isinstance(reading, Policy | Action) else []
    if isinstance(reading, Policy):
        games = 2 * (deals or reading.plan.most)
        return [*(float(games * slow) for slow in members), *master_weights] * cells
    games = deals or reading.deals
    if isinstance(reading, Ordering):
        return [float(games * slow) for slow in members for _ in reading.items]
    times = 2 if isinstance(reading, Rate) and reading.against is not None else 1
    return [*(float(times * games * slow) for slow in members), *master_weights] * cells


def work(
    claim: Claim, deals: int | None = None, panel: Sequence[str | Agent] | None = None, strong: bool = False
) -> float:
    """Return about how long a claim takes, compared with others: as much as so many deals of rule-based players.

    Args:
        claim, deals, panel, strong: As of `try_claim`.
    """
    game = get_game(claim.game)
    return sum(sum(weights_of(game, reading, deals)) for reading in with_panel(claim, panel, strong)) or 1.0


# --- exact ----------------------------------------------------------------------------------------


def exact(setting: Setting, reading: Exact) -> Finding:
    """Enumerate, and compare."""
    setting.meter.begin(f"enumerating {reading.enumerate}")
    facts = answer(setting.game, questions_of(setting.game)[reading.enumerate])
    wrong = []
    for expected in reading.expect:
        if expected.fact not in facts:
            raise ValueError(f"{reading.enumerate} has no fact {expected.fact!r}; its facts are {', '.join(facts)}")
        if not _holds(facts[expected.fact], expected):
            wrong.append(say("{fact} is {value}", fact=say(expected.fact), value=facts[expected.fact]))
    verdict = verdicts.DISPROVED if wrong else verdicts.PROVED
    return finding(
        reading,
        verdict,
        say("Enumerated: {facts}.", facts=joined("; ", wrong or ["all is as it is said"])),
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
    game, plans = get_game(claim.game), []
    for reading in claim.readings:
        plan: dict[str, Any] = {"name": reading.name, "kind": reading.kind}
        if not isinstance(reading, Exact):
            setting = Setting(game, variant_of(game, reading.variant), as_key(seed), None, Meter(()))
            population = getattr(reading, "population", Population())
            if isinstance(reading, Policy | Action):
                population = population_at(reading, game, None)
            sampler = Sampler(game, setting.variant, population)
            plan |= {
                "players": len(reading.panel or getattr(reading, "fields", ())),
                "share_of_hands": float(sampler.probability),
            }
            if isinstance(reading, Policy):
                pilot = pairs_in(setting, reading, sampler, reading.panel[0], 0, 0, PILOT)
                spread = float(np.std(pilot.gains))
                plan["deals"] = enough(reading, spread)
                plan["finds_with_that_power"] = detectable(reading.plan, spread, plan["deals"])
                plan["figures"] = len(reading.panel) * (len(reading.doses.values) if reading.doses else 1)
            else:
                plan["deals"] = reading.deals
                plan["figures"] = plan["players"] * len(getattr(reading, "items", [None]))
            if isinstance(reading, Action):
                few = action_gains(setting, sampler, reading.panel[0], 0, choice_of(reading), PILOT)
                plan["comes_up_in_share_of_deals"] = len(few.by_deal) / PILOT
        plans.append(plan)
    return plans


DESIGNS: dict[str, Callable[[Setting, Any], Finding]] = {  # by kind of reading
    "exact": exact,
    "rate": rate,
    "policy": policy,
    "action": action,
    "ordering": ordering,
}
