"""Writes `docs/claims.md`, the verdicts of all claims that come with gupai, and each as JSON in `docs/claims`: minutes.

python docs/claims.py [FOLDER]

A folder keeps the verdicts as JSON, so that a run that was stopped goes on where it was. What an optimiser does with
the traits is worked out by `gupai claim --all --optimise --out docs/claims`.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

from gupai_agents.evaluation.claims import read_claim
from gupai_agents.workers import Processes
from gupai_app import claims

PAGE = Path(__file__).parent / "claims.md"
KEPT = Path(__file__).parent / "claims"
HEAD = """\
# What players say, and what comes of it

*Written by `docs/claims.py`; [how claims are tested](claims-guide.md).*

Each claim is tested in one reading or more, against the players and in the variant that stand beside it; a verdict
holds for them. Chips are as the rules of each game pay them. ± is half of a 95% interval. q is the false discovery rate
of a verdict among all that are tested here (Benjamini and Hochberg); what is enumerated or only measured has none.

"""


def main(folder: str | None) -> None:
    """Test all claims, write the page and keep the verdicts."""
    found = [read_claim(path) for path in claims.paths()]
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as empty:
        out = folder or empty
        with contextlib.redirect_stdout(printed):
            claims.test(found, 0, None, None, True, "markdown", out, Processes(os.cpu_count() or 1))
        KEPT.mkdir(exist_ok=True)
        for claim in found:
            shutil.copy(Path(out) / f"{claim.id}.json", KEPT)
    PAGE.write_text(HEAD + printed.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
