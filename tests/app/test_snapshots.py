"""What people read is what it was: the words of every game, pages of each kind, and what commands print.

The texts are in `tests/snapshots`; `pins` says how to write them again.
"""

import contextlib
import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

from commands import gupai

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule
from gupai_app.server.app import create_app
from gupai_env.games import GAMES
from gupai_env.games.guide import guide_of
from pins import markup, same_texts, words
from sessions import decisions
from variants import variants
from web_room import furnish

DEALS = 8  # of which a game's words are taken
SHOWN, REVIEWED = "jie-long", "tien-gow"  # whose pages, and whose review in words, stand for those of all games
PAGES = [  # of each kind one, but the first, which another day changes
    "/claims", "/claim/jl-attack-2", "/claim/tg-pairs-early?readings.0.margin=1", "/recorded/jl-lockout-2",
    "/recorded/jl-attack-2/deal/1", "/tournaments", "/tournaments/jie-long", "/tournament/kept",
    "/tournament/kept/chips.svg", "/tournament/mixed", "/tournament/mixed/report.html", "/runs", "/run/one", "/run/two",
    "/run/one/strength.svg", "/run/two/evaluations.csv", "/picture/jie-long/dark.svg", "/verdict/none", "/review",
    "/claim/jl-payment/file?readings.0.suit=3", "/compare?run=one&run=two", "/compare/curves.csv?run=one&run=two",
    "/compare/strength-seconds.svg?run=one&run=two&against=tuned",
]  # fmt: skip
READ = [  # of others the words alone
    *(f"/recorded/{claim}" for claim in ("jl-attack-2", "dl-wild", "dn-deck", "tu-big-variance", "pg-house-edge")),
    "/claim/dn-deck", "/claim/jl-next-3", "/tournaments/deer-hunt",
    *(f"{page}?lang=zh-Hant" for page in ("/claims", "/claim/jl-only-2", "/recorded/jl-attack-2", "/runs",
      "/run/two", "/tournaments", "/tournament/mixed", "/tournaments/tien-gow")), "/runs?lang=zh-Hans",
]  # fmt: skip
PRINTED = (
    "rules jie-long", "watch jie-long greedy tuned --seed 3", "play jie-long --against greedy --seed 4 --seat 1",
    "tournament jie-long random greedy tuned --deals 4 --seed 2",
    "tournament tien-gow random greedy --deals 4 --seed 2 -o players=2",
    "gate jie-long greedy random --seed 3",
    "watch jie-long greedy --seed 3 --record games", "replay games", "replay games --check",
    "replay games --html page.html", "export-dataset games --out data.npz",
    "tournament jie-long random greedy --deals 2 --out kept", "verify kept",
    "claim list", "claim show tg-banker", "claim features", "claim run tg-banker --deals 60 --no-masters",
    "facts ding-niu random greedy --deals 40", "facts jie-long greedy tuned --about seats --deals 20",
    "facts ding-niu greedy --about mixing",
    "facts tien-gow greedy --hand [6:6][6:6][6:4][5:5][4:1][3:3][3:2][2:1] --deals 200",
    "exploitability tiu-u greedy",
    "perft tiu-u --depth 3", "perft tiu-u --depth 3 --json", "perft tiu-u --every-deal",
    "best-response tiu-u greedy --method tuning --generations 2 --candidate-deals 20 --deals 40",
)  # fmt: skip
CHANGES = re.compile(r'name="token" value="\w+"|[\d.]+ seconds?')  # with every page and every run


def client(folder: Path) -> TestClient:
    return TestClient(
        create_app(runs=folder / "runs", tournaments=folder / "tournaments"), base_url="http://127.0.0.1:8420"
    )


def steady(text: str) -> str:
    """Return a text without what changes with every page and every run."""
    return CHANGES.sub("", text)


def words_of(name: str) -> dict[str, list[str]]:
    """Return the lines of each part: the goal of every variant, then deals between seats that play at random.

    Every second deal is the first of a match.
    """
    found: dict[str, list[str]] = {part: [] for part in ("goal", "task", "lessons", "moves", "reasons", "payments")}
    for variant in variants(game := GAMES[name]):
        guide, hints = guide_of(game, variant), game.hints(game, variant)
        found["goal"] += [guide.kind, guide.goal, hints.reminder(), hints.answers, *map(str, guide.terms.items())]
    for seed in range(DEALS):
        for session in decisions(name, seed, **({"deals": 2} if seed % 2 else {})):
            guide, hints = guide_of(session.game, session.variant), session.game.hints(session.game, session.variant)
            if session.terminated:
                break
            mask, view = session.mask(), session.view(session.seat)
            found["task"].append(guide.task(view, mask))
            found["lessons"] += guide.lessons_at(view, mask)
            if seed < 2:  # a line for each of many moves
                found["moves"] += [_move(hints, view, int(action)) for action in mask.nonzero()[0]]
        views, chips = session.as_paid(session.payoffs[0]).views(), session.payoffs[0]
        found["reasons"] += guide.reasons(views, [f"seat {seat}" for seat in range(len(views))], chips)
        found["payments"] += map(str, guide.payments(views, chips))
    return found


def _move(hints, view: np.record, action: int) -> str:
    parts = hints.label(view, [action]), hints.value(view, [action]), *hints.makes(view, action), hints.discards(view)
    return " | ".join(map(str, parts))


def pages_of(name: str) -> list[str]:
    """Return pages of a game: two tables of a deal of which every move is drawn at random, its review, and others."""
    *turns, last = [(each.seat, list(each.actions)) for each in decisions(name, 5)]
    first = next((moves for seat, moves in turns if seat == 0), last[1])
    query = {"game": name, "seed": "5", "seat": "0", "with": "greedy"}
    tables = [{**query, "moves": ".".join(map(str, moves))} for moves in (first, last[1])]
    pages = [f"/document?{urlencode(table)}" for table in tables]
    review = f"/document?{urlencode({**tables[-1], 'review': '1', 'values': '1', 'agent': 'greedy'})}"
    return [*pages, review, f"/document?game={name}&begin=1", f"/document?game={name}&rules=1"]


def printed(command: str, folder: Path) -> str:
    """Return what a command prints, and says as an error, to somebody who always chooses the first move."""
    with contextlib.chdir(folder):
        ran = gupai(*command.split(), input="1\n" * 200, env={"COLUMNS": "100"})
    return steady(f"{ran.stdout}\n---\n{ran.stderr}")


@pytest.mark.parametrize("name", GAMES)
def test_game_words_keep_their_text(name, tmp_path):
    parts = {part: "\n".join(dict.fromkeys(lines)) for part, lines in words_of(name).items()}
    _, table, review, *others = pages_of(name)
    with client(tmp_path) as pages:
        for key, page in zip(("/document", "begin", "rules"), (table, *others), strict=True):
            shown = {**pages.get(page).json(), "labels": {}}
            lines = (f"{entry}: {json.dumps(part, ensure_ascii=False)}" for entry, part in shown.items())
            parts[key] = "\n".join(lines)
        if name == REVIEWED:
            parts["/document of a review"] = words(steady(pages.get(review).text))
    same_texts(f"{name}.txt", parts)


def test_pages_keep_their_text(tmp_path):
    furnish(tmp_path)
    names = ["random", "greedy", "tuned"]
    agents = [make_agent(name, "jie-long") for name in names]
    play_into(tmp_path / "tournaments" / "kept", schedule("jie-long", names, 4, seed=1), agents)
    names = [*names, "variety"]
    agents = [make_agent(name, "jie-long", open_ends=2) for name in names]
    play_into(tmp_path / "tournaments" / "mixed", schedule("jie-long", names, 6, table="all", open_ends=2), agents)
    shutil.copytree(tmp_path / "runs" / "one", tmp_path / "runs" / "two")
    won = {name: {"mean": at, "low": at - 1, "high": at + 1, "n": 30} for at, name in enumerate(names[1:3])}
    won["losses"] = {"policy_loss": 0.5, "value_loss": 0.25}
    rows = [{"targets": 9000 * at, "decisions": 0, "updates": at, "seconds": 7.5 * at, **won} for at in range(1, 4)]
    rows += [{**rows[-1], "decisions": 4000, "seconds": 40.0, "exploitability": {"best": 0.5, "drawn": 0.75}}]
    (tmp_path / "runs" / "two" / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    with client(tmp_path) as pages:
        same_texts("pages.txt", {page: markup(steady(pages.get(page).text)) for page in [*PAGES, *pages_of(SHOWN)]})
        same_texts("read.txt", {page: words(steady(pages.get(page).text)) for page in READ})


def test_commands_keep_their_output(tmp_path, monkeypatch):
    monkeypatch.setenv("GUPAI_HOME", str(tmp_path / "home"))  # where no other test has finished a game
    same_texts("terminal.txt", {command: printed(command, tmp_path) for command in PRINTED})
