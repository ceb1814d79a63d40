"""Claims about strategy: a file says what is claimed, and testing it gives a verdict with an interval."""

from gupai_agents.evaluation.claims.files import Claim, claim_of, planned, read_claim, schema, try_claim, work
from gupai_agents.evaluation.claims.results import Effect, Finding, Verdict
from gupai_agents.evaluation.claims.sampling import Sampler

__all__ = [
    "Claim", "Effect", "Finding", "Sampler", "Verdict", "claim_of", "planned", "read_claim", "schema", "try_claim",
    "work",
]  # fmt: skip
