"""Writes `docs/claims.md`, the verdicts of all claims that come with gupai, and each as JSON in the package: minutes.

python tools/claims.py [FOLDER | --page]

With --page the page is written again from the verdicts that are kept. A folder keeps the verdicts as JSON, so that a
run that was stopped continues where it was.
"""

import argparse
import contextlib
import io
import json
import shutil
import tempfile
from pathlib import Path

from gupai_agents.cores import cores
from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.report import markdown
from gupai_agents.evaluation.claims.verdicts import corrected
from gupai_agents.workers import Processes
from gupai_app import claims

STRONG = ("jl-attack-2", "jl-discard-weight", "jl-duopoly")  # against strong players too: minutes each
PAGE = Path(__file__).parents[1] / "docs" / "claims.md"
HEAD = """\
# What players say, and what comes of it

*Written by `tools/claims.py`; [how claims are tested](claims-guide.md).*

Each claim is tested in one reading or more, against the players and in the variant named next to it; a verdict
holds for them. Chips are as the rules of each game pay them. ± is half of a 95% interval. q is the false discovery rate
of a verdict among all that are tested here (Benjamini and Hochberg); what is enumerated or only measured has none.

"""


def write_page() -> None:
    """Write the page from the verdicts that are kept."""
    kept = [json.loads((RECORDED / f"{path.stem}.json").read_text(encoding="utf-8")) for path in claims.paths()]
    PAGE.write_text(HEAD + markdown(corrected(kept)), encoding="utf-8")


def main(folder: str | None) -> None:
    """Test all claims, keep the verdicts and write the page."""
    found = {path.stem: read_claim(path) for path in claims.paths()}
    strong = [claim for name, claim in found.items() if name in STRONG]
    others = [claim for name, claim in found.items() if name not in STRONG]
    workers = Processes(cores())
    with tempfile.TemporaryDirectory() as empty:
        out = folder or empty
        with contextlib.redirect_stdout(io.StringIO()):
            claims.test(strong, 0, None, None, True, "json", out, workers, {})
            claims.test(others, 0, None, None, False, "json", out, workers, {})
        for claim in found.values():
            shutil.copy(Path(out) / f"{claim.id}.json", RECORDED)
    write_page()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="keeps the verdicts as JSON")
    parser.add_argument("--page", action="store_true", help="write the page again from the verdicts that are kept")
    asked = parser.parse_args()
    if asked.page:
        write_page()
    else:
        main(asked.folder)
