"""Claims that are tested together: each verdict is one of many, so their p-values become false discovery rates."""

import copy
from collections.abc import Sequence
from typing import Any

from gupai_agents.evaluation.claims.verdicts import CONTRADICTED, SUPPORTED
from gupai_agents.evaluation.statistics import false_discovery

RATE = 0.05  # of the verdicts that stand, so many are chance on average


def corrected(contents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return verdicts, as JSON, with a `q` for every reading that has a `p`: Benjamini and Hochberg over all of them.

    `tests` says how many these are. Where a reading is supported or contradicted by itself but q is above RATE, it
    `stands` no longer: among so many tests it may be chance.
    """
    found = copy.deepcopy(list(contents))
    readings = [reading for content in found for reading in content["readings"] if "p" in reading]
    for reading, q in zip(readings, false_discovery([each["p"] for each in readings]), strict=True):
        decided = reading["verdict"] in (SUPPORTED, CONTRADICTED)
        reading |= {"q": q, "tests": len(readings), **({"stands": q <= RATE} if decided else {})}
    return found
