"""What people see is what it was: pages and pictures of every game, pages of what is kept, and what commands print.

After a deliberate change, `python tests/test_pinned_pages.py` prints the new digests, and `python
tests/test_pinned_pages.py FOLDER` writes what is seen to files, to compare with those of before.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient
from typer.testing import CliRunner

from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule
from gupai_app.cli import app
from gupai_app.web.app import create_app
from gupai_env.games import GAMES
from pins import digest_of
from sessions import decisions
from web_room import furnish

TABLES = 2  # of a deal, at the turn of the seat at the screen
COMMANDS = {
    "rules": "rules GAME",
    "watch": "watch GAME greedy tuned --seed 3",
    "play": "play GAME --against greedy --seed 4 --seat 1",
}
CLAIMS = "jl-attack-2", "jl-lockout-2", "dl-wild", "dn-deck", "tu-big-variance", "sm-draws", "pg-house-edge"
KEPT = [
    "/", "/claims", "/claim/jl-attack-2", "/claim/dn-deck", *(f"/recorded/{claim}" for claim in CLAIMS),
    "/recorded/jl-attack-2/deal/1", "/tournaments", "/tournaments/jie-long", "/tournament/kept",
    "/tournament/kept/chips.svg", "/tournament/kept/game?line_up=0&deal=0&rotation=0",
    "/runs", "/run/one", "/run/one/strength.svg", "/picture/dark.svg",
    "/claim/jl-next-3", "/claim/jl-only-2", "/claim/tg-pairs-early?readings.0.margin=1", "/verdict/none",
    "/claim/jl-payment/file?readings.0.suit=3", "/compare?run=one&run=two", "/compare/curves.csv?run=one&run=two",
    "/compare/strength-seconds.svg?run=one&run=two&against=tuned", "/run/two/evaluations.csv", "/review",
    "/tournaments/deer-hunt", "/tournament/mixed", "/tournament/mixed/chips.svg", "/tournament/mixed/report.html",
    *(f"{page}?lang={language}" for page in ("/", "/claims", "/claim/jl-only-2", "/recorded/jl-attack-2", "/runs",
      "/run/two", "/tournaments", "/tournament/mixed", "/tournaments/tien-gow") for language in ("zh-Hant", "zh-Hans")),
]  # fmt: skip
PRINTED = (
    "tournament jie-long random greedy tuned --deals 4 --seed 2",
    "tournament tien-gow random greedy --deals 4 --seed 2 -o players=2",
    "gate jie-long greedy random --seed 3",
    "watch jie-long greedy --seed 3 --record games", "replay games", "replay games --check",
    "replay games --html page.html", "export-dataset games --out data.npz",
    "tournament jie-long random greedy --deals 2 --out kept", "verify kept",
    "claim list", "claim show tg-banker", "claim features", "claim run tg-banker --deals 60 --no-masters",
    "exploitability tiu-u greedy",
    "best-response tiu-u greedy --method tuning --generations 2 --candidate-deals 20 --deals 40",
)  # fmt: skip
CHANGES = re.compile(r'name="token" value="\w+"|[\d.]+ seconds?')  # with every page and every run
SEEN = [*GAMES, "room", "terminal"]
PINNED = {
    "jie-long": """
        d4af ae72 f058 7150 72ca 7791 665a 8a8f ed0e
    """,
    "ce-deng": """
        205e ba53 9f4e 2068 62cc 74c6 434e 8afe 75b4
    """,
    "ding-niu": """
        cad9 139e 579c d8cf 7f77 28fe f266 f747 b3c1 72a0
    """,
    "da-ling": """
        e205 a3c7 5316 40d4 22ab 11d9 8f06 fde2
    """,
    "tiu-u": """
        99b6 6599 8562 b125 9a2b 60d7 fdd4 d94b 12eb
    """,
    "small-mahjong": """
        0766 c4c6 7768 3f17 a393 15d5 684d
    """,
    "tien-gow": """
        5108 4dcc b217 f05c 0126 3dfb 1b63 0ef5 971e
    """,
    "deer-hunt": """
        9b42 eb3b f504 2bd6 04b6 f7a2 10ad 3429 f9d7
    """,
    "shi-wu-hu": """
        52a6 f7df d6a3 01f1 8eb2 fd80 d8d2 ad43 3f8f
    """,
    "pai-gow": """
        49ae 468c 9018 416b 04b4 e088 f517 a2b8
    """,
    "room": """
        0a9d ddda f3b3 efde 7d8a 4e72 3a9c b457 2ad5 fc55 f191 5f51 834d 4639 d395 3043 3c8d d0f3 b17c 9835
        7acd 4db6 22f2 ed68 4513 c4cf 7efe d783 4935 328b 10d8 aff1 d3d6 a5f3 608a 8d39 f254 8020 e1ce 1294
        5826 56ba 8d2f 78a0 7e28 a6bb ba8b 57ba 2a5b 084f ac99 1dcb 0619 f26b
    """,
    "terminal": """
        1008 c6ed e5b9 0228 b2fe 353b 1d76 b459 4d49 24aa f217 87d8 d662 6d97 3d32 1d6e
    """,
}


def client(folder: Path) -> TestClient:
    return TestClient(
        create_app(runs=folder / "runs", tournaments=folder / "tournaments"), base_url="http://127.0.0.1:8420"
    )


def seen_of(name: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what is seen of a game, each with where: a deal of which every move is drawn at random, and its review."""
    *turns, last = [(each.seat, list(each.actions)) for each in decisions(name, 5)]
    own = [moves for seat, moves in turns if seat == 0]
    query = {"game": name, "seed": "5", "seat": "0", "with": "greedy"}
    moves = [*own[:: max(len(own) // TABLES, 1)], last[1]]
    tables = [{**query, "moves": ".".join(map(str, each))} for each in moves]
    pages = [f"/table?{urlencode(table)}" for table in tables]
    pages += [
        f"/review/game?{urlencode({**tables[-1], 'agent': 'greedy', 'table': '2'})}",
        f"/game/{name}",
        f"/rules/{name}",
    ]
    with client(folder) as asked:
        for page in pages:
            yield page, asked.get(page).text
    for what, command in COMMANDS.items():
        yield what, printed(command.replace("GAME", name), folder)


def printed(command: str, folder: Path) -> str:
    """What a command prints, and says as an error, to somebody who always chooses the first move."""
    with contextlib.chdir(folder):
        ran = CliRunner(env={"COLUMNS": "100"}).invoke(app, command.split(), input="1\n" * 200)
    return f"{ran.stdout}\n---\n{ran.stderr}"


def seen_of_room(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the pages of claims, tournaments and runs."""
    furnish(folder)
    names = ["random", "greedy", "tuned"]
    agents = [make_agent(name, "jie-long") for name in names]
    play_into(folder / "tournaments" / "kept", schedule("jie-long", names, 4, seed=1), agents)
    names = [*names, "variety"]
    agents = [make_agent(name, "jie-long", open_ends=2) for name in names]
    play_into(folder / "tournaments" / "mixed", schedule("jie-long", names, 6, table="all", open_ends=2), agents)
    shutil.copytree(folder / "runs" / "one", folder / "runs" / "two")
    won = {name: {"mean": at, "low": at - 1, "high": at + 1, "n": 30} for at, name in enumerate(names[1:3])}
    won["losses"] = {"policy_loss": 0.5, "value_loss": 0.25}
    looks = [{"targets": 9000 * at, "decisions": 0, "updates": at, "seconds": 7.5 * at, **won} for at in range(1, 4)]
    looks += [{**looks[-1], "decisions": 4000, "seconds": 40.0, "exploitability": {"best": 0.5, "drawn": 0.75}}]
    (folder / "runs" / "two" / "metrics.jsonl").write_text("".join(f"{json.dumps(look)}\n" for look in looks))
    with client(folder) as asked:
        for page in KEPT:
            yield page, asked.get(page).text


def seen(what: str, folder: Path) -> dict[str, str]:
    """Return what is seen of a game, of what is kept, or in a terminal, by where it is seen."""
    if what == "terminal":
        found: Iterable[tuple[str, str]] = ((command, printed(command, folder)) for command in PRINTED)
    else:
        found = seen_of_room(folder) if what == "room" else seen_of(what, folder)
    return {where: CHANGES.sub("", text) for where, text in found}


def digests(what: str, folder: Path) -> str:
    """Return the beginning of the digest of each."""
    return " ".join(digest_of(text)[:4] for text in seen(what, folder).values())


@pytest.mark.parametrize("what", SEEN)
def test_what_people_see_is_what_it_was(what, tmp_path):
    assert digests(what, tmp_path).split() == PINNED[what].split()


if __name__ == "__main__":
    for each in SEEN:
        with tempfile.TemporaryDirectory() as made:
            if not sys.argv[1:]:
                lines = textwrap.wrap(digests(each, Path(made)), 100)
                print(f'    "{each}": """', *(f"        {line}" for line in lines), '    """,', sep="\n", flush=True)
                continue
            for at, (where, text) in enumerate(seen(each, Path(made)).items()):
                file = Path(sys.argv[1], each, f"{at} {where.replace('/', ' ')[:80]}")
                os.makedirs(file.parent, exist_ok=True)
                file.write_text(text, "utf-8")
