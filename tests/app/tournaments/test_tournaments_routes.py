"""Pages of tournaments: they are played, watched, resumed and read there."""

import errno
import json
import os
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule, verify
from gupai_agents.evaluation.pages.chart import heat
from gupai_agents.evaluation.statistics import estimate
from gupai_app.tournaments.routes import Watched, index_of_game, progress
from web_room import OURS, done, said


def files_of(folder):
    names = ("games.csv", "games.jsonl.gz", "summary.json", "manifest.json")
    return {name: (folder / name).read_bytes() for name in names}


def test_watched_or_resumed_tournament_is_the_same(tmp_path, monkeypatch, pages, room):
    monkeypatch.setattr("gupai_agents.evaluation.tournaments.tournament.ENVS", 80)  # 20 deals a block
    names = ["random", "greedy", "variety"]
    plan, agents = schedule("jie-long", names, 50, seed=1), [make_agent(name, "jie-long") for name in names]
    play_into(tmp_path / "plain", plan, agents)
    evaluations = []
    watched = Watched.of(plan, lambda deals, found: evaluations.append(deals), step=8)
    play_into(tmp_path / "watched", watched, agents)
    assert files_of(tmp_path / "watched") == files_of(tmp_path / "plain")
    assert evaluations == sorted(evaluations) and set(evaluations) == {0, 8, 16, 20, 28, 36, 40, 48, 50}

    def few(deals):
        few.blocks = getattr(few, "blocks", 0) + 1
        if few.blocks == 8:  # in the second round
            raise KeyboardInterrupt

    stopped = room / "tournaments" / "stopped"
    with pytest.raises(KeyboardInterrupt):
        play_into(stopped, plan, agents, progress=few)
    assert "20 deals of every line-up are played" in pages.get("/tournament/stopped").text
    pages.post("/tournament/stopped", headers=OURS, data={"do": "go"})
    assert "Who wins from whom" in done(pages, "/tournament/stopped")
    assert files_of(stopped) == files_of(tmp_path / "plain")


def test_tournament_is_played_saved_and_its_games_reviewed(pages, room):
    form = {"game": "jie-long", "agent": ["greedy", "run:one"], "deals": "30", "seed": "2", "o.forced_play": "true"}
    answer = pages.post("/tournaments", headers=OURS, data=form)
    assert answer.status_code == 200, said(answer)
    name = answer.url.path.rpartition("/")[2]
    text = done(pages, f"/tournament/{name}")
    assert "Who wins from whom" in text and 'class="chart' in text
    found = verify(room / "tournaments" / name)
    assert f"{found.performances[0].chips.mean:+.2f}" in text
    answer = pages.get(f"/tournament/{name}/game?line_up=1&deal=29&rotation=3")
    assert answer.url.path == "/table" and answer.url.params["review"] == "1"
    assert json.loads(answer.url.params["sat"])[3].endswith("one")  # rotation 3 seats the one among equals there
    assert pages.get(f"/tournament/{name}/game?deal=30").status_code == 422
    assert name in pages.get("/tournaments").text
    for file in ("report.html", "games.csv", "summary.json"):
        answer = pages.get(f"/tournament/{name}/{file}")
        assert answer.content == (room / "tournaments" / name / file).read_bytes()
        assert "sandbox" in answer.headers["content-security-policy"]
    for hero, villain in ((0, 1), (1, 0)):
        css_class = heat(found.standings.against(hero, villain).mean, found.standings.adjusted()[hero, villain])
        assert f'<td class="{css_class}">{found.standings.against(hero, villain).mean:+.2f}' in text
    drawn = ElementTree.fromstring(pages.get(f"/tournament/{name}/chips.svg").text)
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    again = pages.post("/tournaments", headers=OURS, data=form)
    assert again.url.path != f"/tournament/{name}"
    done(pages, again.url.path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agent": "greedy"}, "choose 2 to 5"),
        ({"agent": ["greedy", "checkpoint:/etc/passwd"]}, "does not play here"),
        ({"agent": ["greedy", "run:..%2fone"]}, "does not play here"),
        ({"agent": ["greedy", "human"]}, "does not play here"),
        ({"deals": "1"}, "choose 2 to 20,000"),
        ({"deals": "20000", "o.players": "4", "table": "all", "agent": ["random", "greedy", "variety", "tuned",
          "search:playouts=20"]}, "too many"),
        ({"table": "x"}, "choose one of"),
        ({"game": "chess"}, "not a game"),
        ({"o.players": "9"}, "players"),
        ({"seed": str(1 << 63)}, "seed"),
    ],
)  # fmt: skip
def test_impossible_tournament_is_refused_in_a_sentence(changes, words, pages, room):
    before = sorted((room / "tournaments").glob("*"))
    form = {"game": "jie-long", "agent": ["greedy", "variety"], "deals": "30", **changes}
    answer = pages.post("/tournaments", headers=OURS, data=form)
    assert answer.status_code == 422 and words.lower() in said(answer).lower()
    assert sorted((room / "tournaments").glob("*")) == before


def test_oversized_file_is_not_read(pages, room, monkeypatch):
    metrics = (room / "runs" / "one" / "metrics.jsonl").stat().st_size
    folder = room / "tournaments" / "large"
    plan = schedule("jie-long", ["random", "greedy"], 20, seed=1)
    play_into(folder, plan, [make_agent(name, "jie-long") for name in ("random", "greedy")])
    largest = max((folder / name).stat().st_size for name in ("manifest.json", "summary.json"))
    for address, module, size in (
        ("/run/one", "gupai_app.training.routes", metrics),
        ("/tournament/large", "gupai_agents.evaluation.tournaments.folder", largest),
    ):
        for most, refused in ((size, False), (size - 1, True)):
            monkeypatch.setattr(f"{module}.MOST_BYTES", most)
            assert ("it is larger than" in pages.get(address).text) == refused
    shutil.rmtree(folder)


def test_standings_under_way_count_the_played_deals(tmp_path):
    names = ["random", "greedy", "variety"]
    plan, agents = schedule("jie-long", names, 50, seed=1), [make_agent(name, "jie-long") for name in names]
    evaluations = []
    watched = Watched.of(plan, lambda deals, found: evaluations.append(progress(deals, found)), step=8)
    whole = play_into(tmp_path / "watched", watched, agents)
    for report_evaluation in evaluations:
        assert [each.name for each in report_evaluation.standings if each.chips] == (
            sorted(names, key=lambda name: -whole.chips_of(names.index(name))[: report_evaluation.deals].mean())
            if report_evaluation.deals > 1
            else []
        )
        for each in report_evaluation.standings if report_evaluation.deals > 1 else ():
            assert each.chips == pytest.approx(
                estimate(whole.chips_of(names.index(each.name))[: report_evaluation.deals])
            )
    for deals in (1, 2):  # two are enough for an interval
        assert all((each.chips is not None) == (deals > 1) for each in progress(deals, whole).standings)


def pipe(path):
    os.mkfifo(path)


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders")
@pytest.mark.parametrize("make", [pipe, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "games.jsonl.gz", "metrics.jsonl", "config.yaml"])
def test_irregular_file_is_not_read(name, make, pages, room):
    whole = room / "tournaments" / "regular"
    if not whole.exists():
        names = ["random", "greedy"]
        play_into(whole, schedule("jie-long", names, 2), [make_agent(name, "jie-long") for name in names])
    kind, copied = ("run", room / "runs" / "one") if (room / "runs" / "one" / name).exists() else ("tournament", whole)
    folder = copied.with_name("odd")
    shutil.copytree(copied, folder)
    (folder / name).unlink()
    make(folder / name)
    answers = [pages.get(f"/{kind}s"), pages.get(f"/{kind}/odd"), pages.get(f"/{kind}/odd/game")]
    shutil.rmtree(folder)
    assert [answer.status_code for answer in answers[:2]] == [200, 200]
    assert answers[2].status_code == (404 if kind == "run" else 422)
    assert name in answers[1].text.lower() or name in answers[2].text


def test_form_sent_twice_begins_one_tournament(pages, room, monkeypatch):
    begun, go_on = [], threading.Event()

    def slow(path, plan, agents, *, resume):
        begun.append(path)
        go_on.wait(60)
        return play_into(path, plan, agents, resume=resume)

    monkeypatch.setattr("gupai_app.tournaments.routes.play_into", slow)
    token = re.search(r'name="token" value="(\w+)"', pages.get("/tournaments/jie-long").text)[1]
    form = {"game": "jie-long", "agent": ["greedy", "random"], "deals": "4", "token": token}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: pages.post("/tournaments", headers=OURS, data=form), range(8)))
    assert {answer.status_code for answer in answers} == {200} and len({answer.url for answer in answers}) == 1
    other = pages.post("/tournaments", headers=OURS, data={**form, "deals": "5"})
    assert other.status_code == 422 and "is under way" in said(other)
    go_on.set()
    done(pages, answers[0].url.path)
    assert pages.post("/tournaments", headers=OURS, data=form).url == answers[0].url  # a late click
    assert len(begun) == 1


class FailsError(Exception):
    def __str__(self):
        raise RuntimeError("even this")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SystemExit(0), "It failed: SystemExit: 0"),
        (KeyboardInterrupt(), "It failed: KeyboardInterrupt"),
        (FailsError(), "It failed: FailsError"),
        (MemoryError(), "It failed: MemoryError"),
        (OSError(errno.ENOSPC, "No space left on device", "x/games.csv"), "x/games.csv: the disk is full"),
        (ValueError("x: another process is playing"), "It failed: x: another process is playing"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_ended_work_is_reported_and_other_work_can_begin(error, words, pages, room, monkeypatch):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("gupai_app.tournaments.routes.play_into", fails)
    form = {"game": "jie-long", "agent": ["greedy", "random"], "deals": "4"}
    for _ in range(2):
        answer = pages.post("/tournaments", headers=OURS, data=form)
        text = unescape(done(pages, answer.url.path))
        assert answer.status_code == 200 and words in text and 'value="stop"' not in text


@pytest.mark.parametrize(("game", "rotations"), [("jie-long", 4), ("deer-hunt", 2)])
def test_game_index_in_its_file_is_the_order_of_blocks(game, rotations):
    plan = schedule(game, ["a", "b", "c"], 2100, seed=1)
    places = []
    for line_up, first, some in plan.blocks():
        places += [(line_up, deal, rotation) for deal in range(first, first + some) for rotation in range(rotations)]
    assert len(places) == len(plan.line_ups) * 2100 * rotations
    for place in (0, 1, 5, 4095, 4096, 4097, len(places) // 2, len(places) - 1):
        assert index_of_game(plan, *places[place]) == place
