"""Writes `docs/claims.md`, the verdicts of all claims that come with gupai: some minutes.

python docs/claims.py [FOLDER]

A folder keeps the verdicts as JSON, so that a run that was stopped goes on where it was.
"""

import contextlib
import io
import sys
from pathlib import Path

from gupai_agents.evaluation.claims import read_claim
from gupai_app import claims

PAGE = Path(__file__).parent / "claims.md"
HEAD = """\
# What players say, and what comes of it

*Written by `docs/claims.py`; [how claims are tested](claims-guide.md).*

Each claim is tested in one reading or more, against the players and in the variant that stand beside it; a verdict
holds for them. Chips are as the rules of each game pay them. ± is half of a 95% interval.

"""


def main(folder: str | None) -> None:
    """Test all claims and write the page."""
    found = [read_claim(path) for path in claims.paths()]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        claims.test(found, 0, None, None, "markdown", folder)
    PAGE.write_text(HEAD + printed.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
