"""What people see is what it was: pages and pictures of every game, pages of what is kept, and what commands print.

After a deliberate change, `python tests/test_pinned_pages.py` prints the new digests, and `python
tests/test_pinned_pages.py FOLDER` writes what is seen to files, to compare with those of before.
"""

import contextlib
import hashlib
import os
import re
import sys
import tempfile
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
    "jie-long": "438d 6fe0 a9df 293a c50a b2bb 1ff4 8a8f ed0e",
    "ce-deng": "c29e ac5f 5751 941c eeb0 154c 65fc 8afe 75b4",
    "ding-niu": "b5e6 91ad 9400 52dd 7f77 b8a1 a6aa 5799 b3c1 72a0",
    "da-ling": "e205 a3c7 c267 44e7 22ab 11d9 8f06 fde2",
    "tiu-u": "99b6 6599 8562 10f2 5f95 60d7 fdd4 d94b 12eb",
    "small-mahjong": "0766 3fff 4f1c 3f17 6340 15d5 684d",
    "tien-gow": "5108 4dcc b217 f05c 9142 e2e8 98ac 0ef5 971e",
    "deer-hunt": "9b42 eb3b f504 4212 58ff f48f b991 3429 f9d7",
    "shi-wu-hu": "52a6 f7df d6a3 4abd f76a fd80 d8d2 ad43 3f8f",
    "pai-gow": "49ae 468c 9018 cd58 d6da 4ea7 f517 a2b8",
    "room": "0a9d ddda 42d1 efde 7993 8769 0f7e b457 17e5 191e 696a 5f51 4cdd f7df 47d1 a072 3c8d 093a b17c 9835 7acd",
    "terminal": "222a c6ed 26a2 0228 b2fe ba6c 1d76 fa9f d249 24aa f217 87d8 3594 38b0 3d32 db0a",
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
    return " ".join(hashlib.sha256(text.encode()).hexdigest()[:4] for text in seen(what, folder).values())


@pytest.mark.parametrize("what", SEEN)
def test_what_people_see_is_what_it_was(what, tmp_path):
    assert digests(what, tmp_path) == PINNED[what]


if __name__ == "__main__":
    for each in SEEN:
        with tempfile.TemporaryDirectory() as made:
            if not sys.argv[1:]:
                print(f'    "{each}": "{digests(each, Path(made))}",', flush=True)
                continue
            for at, (where, text) in enumerate(seen(each, Path(made)).items()):
                file = Path(sys.argv[1], each, f"{at} {where.replace('/', ' ')[:80]}")
                os.makedirs(file.parent, exist_ok=True)
                file.write_text(text, "utf-8")
