"""Folders of runs and tournaments as a server of pages shows them, and what its pages say."""

import json
import re
import shutil
import time
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

from gupai_agents.shipped import best_file
from gupai_env.games import get_game

HOME = "http://127.0.0.1"  # where a server under test is
OURS = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"}  # headers of a request from a page of ours
RUN = "one"  # a run with two looks, a report and a player


def furnish(folder: Path) -> Path:
    """Make the folders `runs`, in which one run is whole and one broken, and `tournaments`; return their folder."""
    run = folder / "runs" / RUN
    run.mkdir(parents=True)
    game = get_game("jie-long")
    shutil.copy(best_file(game, game.variant.make(forced_play=True)), run / "agent.safetensors")
    looks = [
        {"targets": at, "decisions": 0, "updates": 0, "seconds": 10.0 * at}
        | {"tuned": {"mean": at - 1.5, "low": at - 2.0, "high": at - 1.0, "n": 9}}
        for at in (1, 2)
    ]
    (run / "metrics.jsonl").write_text("".join(json.dumps(look) + "\n" for look in looks))
    (run / "config.yaml").write_text("game: jie-long\n")
    won = {"mean": 1.5, "low": 1.25, "high": 1.75, "n": 9}
    results = [{"player": "trained", "against": "tu&ned", "chips_per_deal": won}]
    (run / "results.json").write_text(json.dumps({"results": results}))
    (run / "report.html").write_text("")
    (folder / "runs" / "broken").mkdir()
    (folder / "runs" / "broken" / "metrics.jsonl").write_text("{")
    (folder / "tournaments").mkdir()
    return folder


def done(pages, path):
    """A page when the work it tells of has ended."""
    for _ in range(900):
        text = pages.get(path).text
        if 'value="stop"' not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("it goes on and on")


def document(pages, query):
    """A table as data."""
    answer = pages.get(f"/document?{query}")
    assert answer.status_code == 200, said(answer)
    return answer.json()


def table(pages, **query):
    """A table, and the query at which it came to stand."""
    shown = document(pages, urlencode({"seed": 5, "seat": 0, "with": "greedy", **query}))
    return shown, shown["address"]


def said(answer):
    """What an answer says that refuses something."""
    if answer.headers.get("content-type") == "application/json":
        return answer.json().get("problem", answer.text[:400])
    found = re.search(r'class="wrong">(.*?)</p>', answer.text)
    return unescape(found[1]) if found else answer.text[:400]


def actions(shown):
    """The actions that a table offers, in the order of its list."""
    return [choice["action"] for move in shown["moves"] for choice in move["choices"]]


def played(pages, **query):
    """The addresses of a game in which the person always takes the first move."""
    shown, at = table(pages, **query)
    found = [at]
    while choices := actions(shown):
        shown = document(pages, f"{at}&play={choices[0]}")
        at = shown["address"]
        found.append(at)
    assert shown["over"]
    return found


def record(pages, at):
    """The game at an address, which is over, as a file holds it."""
    return document(pages, at)["record"]
