"""Writes `docs/claims.md`, the verdicts of all claims that come with gupai, and each as JSON in `docs/claims`: minutes.

python docs/claims.py [FOLDER]

A folder keeps the verdicts as JSON, so that a run that was stopped goes on where it was. What an optimiser does with
the traits is worked out by `gupai claim run --all --optimise --out docs/claims`.
"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.report import markdown
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.workers import Processes
from gupai_app import claims

STRONG = ("jl-attack-2", "jl-discard-weight", "jl-duopoly")  # against strong players too: minutes each
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
    found = {path.stem: read_claim(path) for path in claims.paths()}
    strong = [claim for name, claim in found.items() if name in STRONG]
    others = [claim for name, claim in found.items() if name not in STRONG]
    workers = Processes(os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as empty:
        out = folder or empty
        with contextlib.redirect_stdout(io.StringIO()):
            parts = claims.test(strong, 0, None, None, True, "json", out, workers)
            parts += claims.test(others, 0, None, None, False, "json", out, workers)
        KEPT.mkdir(exist_ok=True)
        for claim in found.values():
            shutil.copy(Path(out) / f"{claim.id}.json", KEPT)
    by_id = {content["id"]: content for content in parts}
    page = markdown(corrected([by_id[name] for name in found]))
    PAGE.write_text(HEAD + page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
