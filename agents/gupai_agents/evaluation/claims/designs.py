"""How a claim is put to the test, reading by reading. `try_claim` is the door."""

from collections.abc import Sequence
from typing import Any

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims.files import Claim
from gupai_agents.evaluation.claims.players import given_in, labels_in
from gupai_agents.evaluation.claims.readings import Reading
from gupai_agents.evaluation.claims.results import Request, Verdict
from gupai_agents.evaluation.claims.setting import Meter, Progress, Setting
from gupai_agents.workers import one_core
from gupai_env import __version__
from gupai_env.core.rng import as_key
from gupai_env.words.messages import messages_in


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
    readings, findings = with_panel(claim, panel, strong), []
    meter = Meter([weight for reading in readings for weight in reading.weights(deals, masters)], progress)
    with one_core():
        for reading in readings:
            given = given_in(panel or (), *reading.played)
            findings.append(reading.test(Setting(*reading.played, as_key(seed), deals, meter, masters, given)))
    request = Request(seed=seed, deals=deals, panel=panel and labels_in(panel), strong=strong, masters=masters)
    verdict = Verdict(
        format="gupai-verdict-1",
        gupai=__version__,
        **{name: getattr(claim, name) for name in ("id", "statement", "source", "game", "untested")},
        seed=seed,
        findings=findings,
        messages={},
        asked=request,
        file=claim.model_dump(mode="json", exclude_defaults=True),
    )
    return verdict.model_copy(update={"messages": messages_in(verdict.as_numbers())})


def with_panel(claim: Claim, panel: Sequence[str | Agent] | None, strong: bool = False) -> list[Reading]:
    """Return the readings of a claim, with other players than the file's if there are any, and with strong ones."""
    return [reading.with_panel(panel, strong) for reading in claim.readings]


def work(
    claim: Claim, deals: int | None = None, panel: Sequence[str | Agent] | None = None, strong: bool = False
) -> float:
    """Return about how long a claim takes, compared with others: as much as so many deals of rule-based players.

    Args:
        claim, deals, panel, strong: As of `try_claim`.
    """
    return sum(sum(reading.weights(deals, False)) for reading in with_panel(claim, panel, strong)) or 1.0


def planned(claim: Claim, seed: int = 0) -> list[dict[str, Any]]:
    """Return for every reading how often it is eligible and how many deals it would play, having played a few."""
    plans = []
    for reading in claim.readings:
        setting = Setting(*reading.played, as_key(seed), None, Meter(()))
        plans.append({"name": reading.name, "kind": reading.kind, **reading.planned(setting)})
    return plans
