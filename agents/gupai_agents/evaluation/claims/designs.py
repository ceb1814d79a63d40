"""How a claim is put to the test, reading by reading. `try_claim` is the door."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims.files import Claim
from gupai_agents.evaluation.claims.players import given_in
from gupai_agents.evaluation.claims.readings import Reading
from gupai_agents.evaluation.claims.results import Finding
from gupai_agents.evaluation.claims.setting import Meter, Progress, Setting
from gupai_agents.workers import one_core
from gupai_env import __version__
from gupai_env.core.rng import as_key, in_json
from gupai_env.words.messages import messages_in


@dataclass(frozen=True)
class Verdict:
    """A claim and what each of its readings has come to."""

    claim: Claim
    seed: int
    findings: tuple[Finding, ...]

    def as_numbers(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "id": self.claim.id,
            "statement": self.claim.statement,
            "source": self.claim.source,
            "game": self.claim.game,
            "seed": in_json(self.seed),
            "readings": [finding.as_numbers() for finding in self.findings],
            **({"untested": self.claim.untested} if self.claim.untested else {}),
        }

    def content(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return it for a file, with what made it.

        Args:
            request: The arguments of the command.
        """
        file = self.claim.model_dump(mode="json", exclude_defaults=True)
        made_by = {"format": "gupai-verdict-1", "gupai": __version__}
        numbers = self.as_numbers()
        return {**made_by, **numbers, "messages": messages_in(numbers), "asked": request, "file": file}


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
    return Verdict(claim, seed, tuple(findings))


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
