"""What a player is shown of a verdict: the page says what the JSON says, and its deals are those that were tested."""

import copy
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from commands import run_claim
from gupai_agents.evaluation import read_games
from gupai_agents.evaluation.claims import claim_of, read_claim, try_claim
from gupai_agents.evaluation.claims.deals import play_again
from gupai_agents.evaluation.claims.effects import GAIN, LOSS, MEDIAN, Compared, examples
from gupai_agents.evaluation.claims.report import command_of
from gupai_agents.evaluation.claims.results import Example, Verdict
from gupai_agents.evaluation.claims.verdicts import pool
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.claims import page as claim_page
from gupai_app.claims.terminal import find
from gupai_env.storage.models import to_yaml
from readings import effect, finding

POLICY = {
    "name": "attack",
    "kind": "policy",
    "treated": "+attack_2=40",
    "baseline": "variety",
    "panel": ["random", "greedy", "variety"],  # deals against random are never shown, so later players' are
    "margin": 0.5,
    "plan": {"least": 200, "most": 200},
    "doses": {"feature": "carrying", "number": 2, "values": [3, "4-5"]},
    "subgroups": [{"feature": "place"}],
}
ACTION = {
    "name": "three",
    "kind": "action",
    "population": {},
    "action": [{"feature": "third"}],
    "comparator": "best_alternative",
    "panel": ["random", "greedy"],
    "margin": 0.5,
    "deals": 100,
}


def claim_with(*readings, game="jie-long", **head):
    content = {"id": "mine", "statement": "Attack.", "source": "me", "game": game, "readings": list(readings)}
    return claim_of(copy.deepcopy(content | head))


@pytest.fixture(scope="module")
def policy():
    """A claim of a policy and its verdict, as an object and as JSON."""
    claim = claim_with(POLICY)
    found = try_claim(claim, seed=3)
    return claim, found, json.loads(json.dumps(found.as_numbers()))


@pytest.fixture(scope="module")
def written(policy, tmp_path_factory):
    """The page of that claim, and the file of its games."""
    claim, verdict, _ = policy
    path = tmp_path_factory.mktemp("claim") / "attack.html"
    records = claim_page.write_claim(str(path), claim, verdict)
    return path.read_text(encoding="utf-8"), records


def chips_of(game, seat):
    return sum(paid[seat] for paid in game.payoffs)


def test_verdict_deals_are_largest_gain_largest_loss_and_median():
    first = Compared(np.array([4, 7, 9]), np.array([2.0, -3.0, 0.0]))
    second = Compared(np.array([0, 2]), np.array([2.0, 1.0]), None, 2)
    ignored = Compared(np.array([1]), np.array([99.0]))
    found = {each.what: each for each in examples(["a", "random", "b"], [[first], [ignored], [second]])}
    assert found[GAIN] == Example(GAIN, "a", 0, 4, 2.0)
    assert found[LOSS] == Example(LOSS, "a", 0, 7, -3.0)
    assert found[MEDIAN] == Example(MEDIAN, "b", 2, 2, 1.0)


def test_missing_gains_or_losses_are_not_shown():
    none = Compared(np.zeros(0, int), np.zeros(0))
    assert examples(["a"], [[none]]) == ()
    gained = Compared(np.array([1, 2]), np.array([3.0, 1.0]))
    assert [(each.what, each.gain) for each in examples(["a"], [[gained]])] == [(GAIN, 3), (MEDIAN, 1)]
    assert [each.what for each in examples(["random"], [[gained]])] == [GAIN, MEDIAN]


def test_replayed_deal_gains_what_the_verdict_says(policy):
    claim, found, _ = policy
    shown = found.findings[0].examples
    assert [each.what for each in shown] == [GAIN, LOSS, MEDIAN]
    for example in shown:
        pair = play_again(claim, claim.readings[0], 3, example)
        (seat,) = pair.seats
        assert chips_of(pair.treated, seat) - chips_of(pair.baseline, seat) == example.gain
        assert pair.treated.order == pair.baseline.order and pair.treated.seed == pair.baseline.seed
        assert pair.treated.agents[seat] == "variety+attack_2=40" and pair.baseline.agents[seat] == "variety"
        others = {name for at, name in enumerate(pair.treated.agents) if at != seat}
        assert others == {example.player}
        moves = [game.names for game in (pair.treated, pair.baseline)]
        assert moves[0] != moves[1]
        own = [name for name, mover in zip(pair.treated.names, pair.treated.movers, strict=True) if mover == seat]
        dose = {"3": (3, 3), "4-5": (4, 5)}[example.dose]
        assert dose[0] <= sum("2" in name for name in own) <= dose[1]


def test_replayed_action_gains_what_the_verdict_says():
    claim = claim_with(ACTION, game="tiu-u")
    found = try_claim(claim, seed=3).findings[0]
    assert len(found.examples) == 3
    for example in found.examples:
        pair = play_again(claim, claim.readings[0], 3, example)
        (seat,), move = pair.seats, example.move
        assert chips_of(pair.treated, seat) - chips_of(pair.baseline, seat) == example.gain
        assert pair.treated.actions[:move] == pair.baseline.actions[:move]
        assert (pair.treated.actions[move], pair.baseline.actions[move]) == (example.action, example.instead)


def test_page_games_are_checked_records_in_order(policy, written):
    claim, found, _ = policy
    page, records = written
    games = list(read_games(records))
    assert len(games) == 6
    for at, example in enumerate(found.findings[0].examples):
        pair = play_again(claim, claim.readings[0], 3, example)
        assert games[2 * at : 2 * at + 2] == [pair.treated, pair.baseline]
    replays = re.findall(r"<code>gupai replay attack.jsonl --game (\d)</code>", page)
    assert replays == list("123456")


def test_chips_head_the_page_only_where_chips_are_counted():
    pooled = pool([Estimate.symmetric(1.25, 0.5, 100)])
    for unit, said in (("chips", [("+1.25 ±0.50", "chips per deal when it comes up")]), ("times per deal", [])):
        assert list(claim_page._headline(finding(pooled=pooled, unit=unit))) == said


class Texts(HTMLParser):
    """What a page says, and the elements it has."""

    def __init__(self, page):
        super().__init__()
        self.said, self.elements = "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.said += data


def test_page_equals_the_json_and_puts_the_verdict_first(policy, written):
    _, verdict, content = policy
    reading = content["readings"][0]
    said = Texts(written[0]).said
    for figure in (
        reading["headline"],
        reading["sentence"],
        *(f"{level['per_hundred']:+.1f}" for level in reading["doses"]),
        "in 17.7% of deals",
        "Opponents: random, greedy, variety.",
        "Rules: the defaults.",
        command_of(verdict),
        "gupai claim run mine --seed 3",
    ):
        assert figure in said, figure
    page = written[0]
    assert page.index("“Attack.”") < page.index('class="verdict') < page.index("<details>")
    for figures in (*(level["effects"] for level in reading["doses"]), reading["subgroups"]):
        for each in figures:
            assert f"<td>{each['label']}</td><td>{each['mean']:+.3f}</td>" in page[page.index("<details>") :]


def test_chart_has_an_interval_for_every_dose_and_opponent(policy, written):
    doses = policy[2]["readings"][0]["doses"]
    chart = re.search(r'<svg class="chart".*?</svg>', written[0], re.S)[0]
    titles = [unescape(each) for each in re.findall("<title>(.*?)</title>", chart)]
    assert [title.rpartition(":")[0] for title in titles] == [
        f"{level['label']}, against {each['label']}" for level in doses for each in level["effects"]
    ]
    spans = re.findall(r'class="interval" x1="\S+" x2="\S+" y1="(\S+)" y2="(\S+)"', chart)
    ticks = re.findall(r'y="(\S+)" text-anchor="end">([^<]+)<', chart)
    (y0, v0), (y1, v1) = (tuple(map(float, each)) for each in (ticks[0], ticks[-1]))
    for each, (low, high) in zip([each for level in doses for each in level["effects"]], spans, strict=True):
        back = [v0 + (float(y) + 4 - y0) * (v1 - v0) / (y1 - y0) for y in (low, high)]
        expected = [each["low"], each["high"]]
        assert back == pytest.approx(expected, abs=0.02 * abs(v1 - v0))


@pytest.mark.parametrize(
    ("alternative", "effects", "groups", "said"),
    [
        ("greater", [("a", 2.0, 1.0)], [("b", -2.0, 1.0)], "It turns around with: b (-2.00 ±1.00)."),
        ("less", [("a", 2.0, 1.0)], [("b", -2.0, 1.0)], "It turns around with: a (+2.00 ±1.00)."),
        ("greater", [("a", -0.5, 1.0)], [], "No opponent is shown to turn it around."),
        ("greater", [("a", 2.0, 1.0)], [("b", -1.0, None)], "No opponent or group is shown to turn it around."),
        ("greater", [("a", 2.0, 1.0)], [("b", -2.0, 1.0, 0.2)], "No opponent or group is shown to turn it around."),
        ("greater", [("a", -2.0, 1.0, None)], [], "No opponent is shown to turn it around."),  # without p nothing is
        ("less", [("a", 2.0, 1.0, 0.05)], [], "No opponent is shown to turn it around."),
    ],
)
def test_failures_have_intervals_on_the_other_side(alternative, effects, groups, said):
    figures = {
        which: tuple(effect(*each[:3], p=each[3] if each[3:] else 0.01) for each in some)
        for which, some in (("effects", effects), ("subgroups", groups))
    }
    assert claim_page.failures(finding(about={"alternative": alternative}, **figures)) == said


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"


def test_hostile_words_of_a_claim_are_escaped(policy):
    claim, verdict, content = policy
    changed = copy.deepcopy(content)
    changed |= {"id": HOSTILE, "statement": HOSTILE, "source": HOSTILE}
    changed["asked"] |= {"panel": [HOSTILE]}
    reading = changed["readings"][0]
    reading |= {
        "name": HOSTILE,
        "headline": HOSTILE,
        "sentence": HOSTILE,
        "note": HOSTILE,
        "variant": {HOSTILE: HOSTILE},
    }
    for each in (*reading["doses"], *reading["subgroups"], *(e for d in reading["doses"] for e in d["effects"])):
        each["label"] = f"{HOSTILE}, against {HOSTILE}"
    (_, example, pair), *_ = claim_page.pairs_of_verdict(claim, verdict)
    pairs = [(0, replace(example, player=HOSTILE), pair)]
    page, tame = (
        Texts(claim_page.claim_page(each, pairs, HOSTILE)) for each in (Verdict.model_validate(changed), verdict)
    )
    assert sum(tag == "script" for tag, _ in page.elements) == 2 + 1  # two games, and what draws them
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in tame.elements}
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert f"“{HOSTILE}”" in page.said


def test_claim_without_deals_has_a_page_without_them(tmp_path):
    claim = read_claim(find("jl-suit-counts"))
    verdict = try_claim(claim)
    path = tmp_path / "count.html"
    assert claim_page.write_claim(str(path), claim, verdict) is None
    page = path.read_text(encoding="utf-8")
    assert verdict.findings[0].verdict in page and "Deals to look at" not in page
    assert list(tmp_path.iterdir()) == [path]


def test_command_writes_a_page_or_says_at_once_why_not(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(to_yaml(json.loads(claim_with(POLICY).model_dump_json(exclude_defaults=True))))
    html = tmp_path / "page.html"
    done = run_claim(path, "--deals", 60, "--html", html, "--json", "--no-masters")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["readings"][0]["headline"] in html.read_text(encoding="utf-8")
    assert (tmp_path / "page.jsonl").is_file()
    for words, said in (
        ((path, "--html", html), "exists already"),
        ((path, "--html", tmp_path / "page.jsonl"), "name the page FILE.html"),
        ((path, "--html", tmp_path / "none" / "page.html"), "there is no folder"),
        ((path, "--html", tmp_path / "new.html", "--dry-run"), "--dry-run and --html cannot be combined"),
        (("--all", "--html", tmp_path / "all.html"), "one claim"),
    ):
        refused = run_claim(*words)
        assert refused.exit_code == 2 and said in refused.stderr and refused.stderr.count("\n") == 1
