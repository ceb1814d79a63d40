"""Claims about strategy: a file says what is claimed, and testing it gives a verdict with an interval."""

from gupai_agents.evaluation.claims.designs import planned, try_claim, work
from gupai_agents.evaluation.claims.files import claim_of, read_claim
from gupai_agents.evaluation.claims.optimiser import Optimised, Trait, optimise, traits
from gupai_agents.evaluation.claims.results import Effect, Finding, Verdict
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Claim, schema

__all__ = [
    "Claim",
    "Effect",
    "Finding",
    "Optimised",
    "Sampler",
    "Trait",
    "Verdict",
    "claim_of",
    "optimise",
    "planned",
    "read_claim",
    "schema",
    "traits",
    "try_claim",
    "work",
]
