"""Writes the verdicts of all claims that come with gupai, as `docs/claims` and as JSON in the package: minutes.

python tools/claims.py [FOLDER | --page]

With --page the pages are written again from the verdicts that are kept. A folder keeps the verdicts as JSON, so that a
run that was stopped continues where it was.
"""

import argparse
import contextlib
import io
import shutil
import tempfile
from pathlib import Path

from writing import DOCS, content_of, recorded_claims, table, written

from gupai_agents.evaluation.claims import read_claim
from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.report import markdown
from gupai_agents.play.workers import Processes, cores
from gupai_app.claims import terminal as claims
from gupai_app.training.heuristics import figure, label
from gupai_env.games import GAMES

STRONG = ("jl-attack-2", "jl-discard-weight", "jl-duopoly")  # against strong players too: minutes each
WRITTEN = "*Written by `tools/claims.py`.*"
HEAD = """\
# What players say, and what comes of it

Each claim is [tested](claims-guide.md) in one reading or more, against the players and in the variant named next to
it; a verdict holds for them. Chips are as the rules of each game pay them. ± is half of a 95% interval. q is the false
discovery rate of a verdict among all that are tested here (Benjamini and Hochberg); what is enumerated or only measured
has none.

"""


def pages() -> dict[Path, str]:
    """Return a page of verdicts for each game, and one that leads to them, by their files."""
    verdicts, files, rows = recorded_claims(), {}, []
    for game in GAMES.values():
        own = [verdict for verdict in verdicts if verdict.game == game.id]
        if own:
            files[DOCS / "claims" / f"{game.id}.md"] = written(
                "claims-of-game.md",
                game=game,
                claims=markdown(own),
                ablation=content_of("features", game),
                exact=content_of("exact", game),
                label=label,
                figure=figure,
                meanings={feature.name: feature.meaning for feature in game.features},
                written=WRITTEN,
            )
            readings = sum(len(verdict.findings) for verdict in own)
            rows.append((f"[{game.title}](claims/{game.id}.md)", str(len(own)), str(readings)))
    tree = "```{toctree}\n:hidden:\n:glob:\n\nclaims/*\n```\n"
    files[DOCS / "claims.md"] = "\n".join([HEAD + tree, table(("game", "claims", "readings"), rows), "", WRITTEN, ""])
    return files


def write_pages() -> None:
    """Write the pages from the verdicts that are kept."""
    for file, text in pages().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def main(folder: str | None) -> None:
    """Test all claims, keep the verdicts and write the pages."""
    by_name = {path.stem: read_claim(path) for path in claims.paths()}
    strong = [claim for name, claim in by_name.items() if name in STRONG]
    others = [claim for name, claim in by_name.items() if name not in STRONG]
    workers = Processes(cores())
    with tempfile.TemporaryDirectory() as empty:
        out = folder or empty
        with contextlib.redirect_stdout(io.StringIO()):
            claims.test(strong, 0, None, None, True, "json", out, workers, {})
            claims.test(others, 0, None, None, False, "json", out, workers, {})
        for claim in by_name.values():
            shutil.copy(Path(out) / f"{claim.id}.json", RECORDED)
    write_pages()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="keeps the verdicts as JSON")
    parser.add_argument("--page", action="store_true", help="write the pages again from the verdicts that are kept")
    arguments = parser.parse_args()
    if arguments.page:
        write_pages()
    else:
        main(arguments.folder)
