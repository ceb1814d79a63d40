"""Pages of training runs: one by one and side by side."""

import csv
import json
import re
import shutil
from html import unescape
from xml.etree import ElementTree

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_app.tournaments import routes as tournaments
from gupai_app.training import routes as runs
from web_room import actions, document, said


def test_run_is_shown_and_played_against(pages):
    text = pages.get("/runs").text
    assert "+0.50 against tuned" in text and "metrics.jsonl, line" in text
    text = pages.get("/run/one").text
    assert "<td>trained</td><td>tu&amp;ned</td>" in text
    shown = document(pages, unescape(re.search(r'href="/table\?([^"]*)"', text)[1]))
    assert {"name": "East", "player": "run:one", "won": "+0 chips"} in shown["seats"]
    document(pages, f"{shown['address']}&play={actions(shown)[0]}")
    assert pages.get("/run/broken").status_code == 200


@pytest.mark.parametrize(("deals", "words"), [(2, "+1.00 (all 2 deals alike: no interval)"), (1, "(1 deal: no")])
def test_evaluation_of_identical_deals_shows_no_interval(deals, words, pages, room):
    folder = room / "runs" / "alike"
    shutil.copytree(room / "runs" / "one", folder)
    row = {"targets": 5, "decisions": 7, "updates": 1, "seconds": 3.0}
    row["tuned"] = {"mean": 1.0, "low": None, "high": None, "n": deals}
    (folder / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    answers = [pages.get(f"/run/alike{end}").text for end in ("", "/evaluations.csv")]
    shutil.rmtree(folder)
    assert words in answers[0] and answers[1].splitlines()[1].endswith("1.0,,"), answers[1]


def test_run_has_a_chart_of_its_strength_and_no_empty_one(pages):
    assert re.findall(r'<svg class="chart"[^>]*aria-label="([^"]*)"', pages.get("/run/one").text) == ["against tuned"]
    assert '<svg class="chart"' not in pages.get("/run/broken").text
    drawn = pages.get("/run/one/strength.svg")
    assert ElementTree.fromstring(drawn.text).get("aria-label") == "against tuned" and ".chart" in drawn.text
    assert pages.get("/run/broken/strength.svg").status_code == 404


@pytest.fixture
def second_run(room):
    """Another seed of the run that there is, which noted its losses."""
    folder = room / "runs" / "two"
    shutil.copytree(room / "runs" / "one", folder)
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    noted = [row | {"losses": {"policy_loss": 0.5 / row["targets"], "value_loss": 0.25}} for row in rows]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in noted))
    (folder / "config.yaml").write_text("game: jie-long\nseed: 2\n")
    yield folder
    shutil.rmtree(folder)


def test_runs_are_set_side_by_side(pages, second_run):
    assert 'name="run" value="two"' in pages.get("/runs").text
    text = pages.get("/compare?run=one&run=two").text
    assert "<td>tuned</td><td>2</td><td>+0.50 (all 2 runs alike: no interval)</td>" in text
    assert re.findall(r"<h2>(.*?)</h2>", text)[1:] == ["Strength over targets", "Strength over seconds"]
    rows = list(csv.DictReader(pages.get("/compare/curves.csv?run=one&run=two").text.splitlines()))
    assert {(row["against"], row["over"]) for row in rows} == {("tuned", "targets"), ("tuned", "seconds")}
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        assert pages.get(f"/compare/strength-seconds.{kind}?run=one&run=two").content.startswith(begin)
    assert "Losses" not in pages.get("/run/one").text and "policy loss" in pages.get("/run/two").text
    assert pages.get("/run/two/losses.svg").status_code == 200


def test_page_names_the_runs_that_count(pages, room, second_run):
    """`two` is unfinished without its report, and without evaluations there is nothing to compare."""
    copied = room / "runs" / "copied"
    shutil.copytree(room / "runs" / "one", copied)
    (second_run / "report.html").unlink()
    text = pages.get("/compare?run=one&run=two&run=copied").text
    assert "two is left out: unfinished, 0 of 10,000,000 decisions." in text
    assert "copied is the same run as one, by its seed and digest: they count once." in text
    assert str(room) not in text and "<td>tuned</td><td>1</td>" in text
    text = pages.get("/compare?run=one&run=two&unfinished=yes").text
    assert "left out" not in text and "<td>jie-long, 0 of 10,000,000 decisions</td>" in text
    assert "unfinished=yes" in re.search('/compare/curves.csv[^"]*', text)[0]
    (second_run / "metrics.jsonl").unlink()
    text = pages.get("/compare?run=one&run=two").text
    assert "two is left out: nothing was evaluated there yet." in text
    shutil.rmtree(copied)


def test_resumed_run_is_shown_as_it_is_now(pages, second_run):
    shown = {"/run/two": "+7.25", "/compare?run=one&run=two": "+3.88"}  # the latter between 0.50 and 7.25
    assert not any(mean in pages.get(address).text for address, mean in shown.items())
    file = second_run / "metrics.jsonl"
    last = json.loads(file.read_text().splitlines()[-1])
    last |= {"seconds": last["seconds"] + 1, "targets": last["targets"] + 1}
    last["tuned"] |= {"mean": 7.25, "low": 7.0, "high": 7.5}
    with file.open("a") as more:
        more.write(json.dumps(last) + "\n")
    assert all(mean in pages.get(address).text for address, mean in shown.items())


def test_shortened_lists_say_how_much_is_missing(pages, room, second_run, monkeypatch):
    for name in ("cut-1", "cut-2"):
        (room / "tournaments" / name).mkdir(parents=True)
    for kind, module, limit in (("runs", runs, "MOST_RUNS"), ("tournaments", tournaments, "MOST_LISTED")):
        there = len(list((room / kind).iterdir()))
        for most, words in ((there, ""), (there - 1, "1 older ones are not shown."), (1, f"{there - 1} older ones")):
            monkeypatch.setattr(module, limit, most)
            text = pages.get(f"/{kind}").text
            assert ("older ones are not shown" in text) == bool(words) and words in text
    monkeypatch.setattr(runs, "MAX_EVALUATIONS", 1)
    text = pages.get("/run/two").text
    assert "The last 1 of 2 evaluations" in text and "<td>20</td>" in text and "<td>10</td>" not in text
    for name in ("cut-1", "cut-2"):
        (room / "tournaments" / name).rmdir()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/compare", 422, "choose 2 to 20 runs"),
        ("/compare?run=one", 422, "choose 2 to 20 runs"),
        ("/compare?run=one&run=one", 422, "the same run is named twice"),
        ("/compare?run=one&run=two&against=chess", 422, "the runs were compared with tuned"),
        ("/compare?run=one&run=nobody", 404, "There is no such page"),
        ("/compare?run=one&run=broken", 503, "config.yaml"),
        ("/compare/policy_loss-seconds.svg?run=one&run=two", 404, "There is no such page"),
    ],
)
def test_incomparable_runs_are_refused_on_a_page(path, status, words, pages, second_run):
    answer = pages.get(path)
    assert answer.status_code == status and words.lower() in said(answer).lower()


def test_run_evaluations_can_be_saved_as_a_table(pages):
    rows = list(csv.DictReader(pages.get("/run/one/evaluations.csv").text.splitlines()))
    assert [(float(row["seconds"]), float(row["tuned low"])) for row in rows] == [(10.0, -1.0), (20.0, 0.0)]
    assert pages.get("/run/one/metrics.jsonl").status_code == pages.get("/run/one/report.html").status_code == 200
