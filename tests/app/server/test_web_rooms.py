"""Claims that are changed, tournaments, runs, people at one screen and games that have an address."""

import csv
import errno
import json
import os
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule, verify
from gupai_agents.evaluation.claims import claim_of, masters, read_claim, try_claim
from gupai_agents.evaluation.claims.report import markdown, text
from gupai_agents.evaluation.html import heat
from gupai_agents.evaluation.records import game_of_line
from gupai_agents.evaluation.statistics import estimate
from gupai_app.claims import routes as claims
from gupai_app.claims.changes import changed
from gupai_app.claims.page import claim_page
from gupai_app.claims.terminal import SUFFIX, paths
from gupai_app.play.address import Address
from gupai_app.play.session import Session
from gupai_app.play.table import _PLAYED, WebGame
from gupai_app.review.analysis import luck
from gupai_app.review.routes import address_of, record_of
from gupai_app.server import jobs
from gupai_app.server.app import create_app
from gupai_app.server.players import NAMED
from gupai_app.tournaments import routes as tournaments
from gupai_app.tournaments.routes import Watched, progress
from gupai_app.training import routes as runs
from gupai_app.words.sentences import compass
from gupai_env.games import GAMES, get_game
from web_room import OURS, actions, done, played, said

every_game = pytest.mark.parametrize("game", GAMES)
HOME = "http://127.0.0.1"


# --- people at one screen -------------------------------------------------------------------------


@pytest.mark.parametrize("game", list(GAMES)[::3])  # test_scenes.py looks at the tables of all
def test_people_at_one_screen_see_only_their_own_tiles(game, pages):
    answer = pages.get(f"/table?{urlencode({'game': game, 'seed': 5, 'seat': 0, 'with': 'human'})}")
    covered, seats = 0, []
    for _ in range(300):
        text, at = answer.text, answer.url.query.decode()
        if "The game is over" in text:
            break
        if here := re.search(r'href="/table\?([^"]*)" id="here"', text):
            covered += 1
            assert "<svg" not in text and not actions(text)
            answer = pages.get(f"/table?{unescape(here[1])}")
            continue
        seat = compass(GAMES[game].variant().players).index(re.search(r"You are (\w+);", text)[1])
        seats.append(seat)
        scene = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))), viewer=seat).frames[-1].scene
        assert not [tile for place in scene.places[1:] for pile in place.piles[:1] for tile in pile.tiles]
        answer = pages.get(f"/table?{re.sub('&at=[0-9]', '', at)}&play={actions(text)[0]}")
        assert answer.status_code == 200, said(answer)
    players = GAMES[game].variant().players
    record = game_of_line(pages.get(f"/record?{answer.url.query.decode()}").content)
    assert record.agents == ("human",) * players
    assert covered == 1 + sum(one != other for one, other in pairwise(seats)) >= players


def test_single_person_is_not_asked_who_they_are(pages):
    assert 'id="here"' not in pages.get("/table?game=jie-long&seed=5&seat=0&with=greedy").text


def test_move_continues_from_its_page_also_on_a_new_server(monkeypatch):
    plays, play = [], Session.play
    monkeypatch.setattr(Session, "play", lambda self, action: plays.append(action) or play(self, action))
    seating = WebGame(Address.read({"game": "jie-long", "seed": "5", "seat": "0", "options": "deals=3"}))
    for _ in range(12):
        before = len(plays)
        seating = WebGame(seating.address, seating.entries[0].actions[:1])
        assert len(plays) - before <= seating.address.variant.players  # moves that are new
    seen, moves = seating.frames, len(seating.address.moves)
    for least, most in ((0, 0), (moves, moves)):  # at hand, and not
        del plays[:]
        again = WebGame(seating.address)
        assert least <= len(plays) <= most
        assert len(again.frames) > 1 and again.frames == seen
        assert len(plays) <= most + seating.address.variant.players
        _PLAYED.clear()


def test_pages_that_continue_from_one_page_are_independent():
    begin = WebGame(Address.read({"game": "jie-long", "seed": "5", "seat": "1"}))
    first, other = (entry.actions[0] for entry in begin.entries[:2])
    one, two = WebGame(begin.address, [first]), WebGame(begin.address, [other])
    _PLAYED.clear()
    for found, action in ((one, first), (two, other)):
        assert found.address == WebGame(begin.address, [action]).address
        assert found.frames == WebGame(found.address).frames
        assert found.undo == WebGame(found.address).undo == begin.address


# --- addresses of games and luck ------------------------------------------------------------------


def test_shared_game_address_outlives_the_server(pages):
    line = pages.get(f"/record?{played(pages, game='ce-deng', options='deals=2')[-1]}").text
    answer = pages.post("/review", headers=OURS, data={"games": line})
    assert answer.url.path == "/review/game" and 'href="#12"' in answer.text
    other = TestClient(create_app(), base_url=HOME).get(str(answer.url))
    assert other.text == answer.text


def test_game_address_keeps_order_and_names():
    game = get_game("jie-long")
    session = Session(game, game.variant(), 3, order=[*reversed(game.deck(game.variant().as_rules()))])
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    record = session.record(["a;b&c=d", "checkpoint:runs/x", "Müller", ""])
    query = dict(re.findall(r"(\w+)=([^&]*)", address_of(record)))
    words = (
        TestClient(create_app(), base_url=HOME).build_request("GET", f"/review/game?{address_of(record)}").url.params
    )
    assert query.keys() == dict(words).keys() and record_of(dict(words), NAMED) == record


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sat": "[1]"}, "a list of 4 names"),
        ({"sat": "["}, "as JSON"),
        ({"sat": '["a","b","c",5]'}, "cannot name a player"),
        ({"moves": "1"}, "not legal"),
        ({"moves": ""}, "is not over"),
        ({"order": "1.2"}, "does not hold the 32 tiles"),
        ({"agent": "checkpoint:/etc/passwd"}, "does not play here"),
    ],
)
def test_invalid_game_address_is_refused_in_a_sentence(changes, words, pages):
    line = pages.get(f"/record?{played(pages, game='jie-long')[-1]}").content
    query = dict(pages.build_request("GET", f"/review/game?{address_of(game_of_line(line))}").url.params)
    answer = pages.get(f"/review/game?{urlencode({**query, **changes})}")
    assert answer.status_code == 422 and words in said(answer)


@every_game
def test_tile_values_do_not_depend_on_the_play(game):
    found = []
    for pick in (0, -1):
        session = Session(GAMES[game], GAMES[game].variant(), 4)
        while not session.terminated:
            session.play(int(np.flatnonzero(session.mask())[pick]))
        found.append(luck(session.record(["a"] * session.variant.players)))
        assert [each.won for each in found[-1]] == list(session.payoffs[0])
    assert [each.value for each in found[0]] == [each.value for each in found[1]]
    assert any(each.value.mean and each.value.has_interval for each in found[0])


def test_tile_values_of_a_match_add_up_over_its_deals(monkeypatch):
    def pays(envs, agents):
        envs.states.payoff[:, :4] = 3, 1, -1, -3

    monkeypatch.setattr("gupai_app.review.analysis.play_out", pays)
    session = Session(get_game("jie-long"), get_game("jie-long").variant(deals=3), 404)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    found = luck(session.record(["a"] * 4))
    assert [each.value.mean for each in found] == [9, 3, -3, -9]
    assert [each.won for each in found] == session.state.total[:4].tolist()


@pytest.mark.parametrize("name", ["a\u200bb", "a\nb", "\x1b[31m", "x" * 1001])
def test_name_refused_in_an_address_is_refused_in_a_file(name, pages):
    line = pages.get(f"/record?{played(pages, game='ding-niu')[-1]}").text
    record = json.loads(line)
    record["agents"][1] = name
    text = json.dumps(record, separators=(",", ":"))
    query = dict(pages.build_request("GET", f"/review/game?{address_of(game_of_line(line.encode()))}").url.params)
    query["sat"] = json.dumps(record["agents"])
    for answer in (
        pages.get(f"/review/game?{urlencode(query)}"),
        pages.post("/review", headers=OURS, data={"games": text}, follow_redirects=False),
    ):
        assert answer.status_code == 422 and re.search("cannot name a player|not a name that", said(answer))


# --- claims ---------------------------------------------------------------------------------------


class Form(HTMLParser):
    """The fields of a page's forms as a browser sends them."""

    def __init__(self, text):
        super().__init__()
        self.sent, self._select = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "input" and (found.get("type") != "checkbox" or "checked" in found):
            self.sent.append((found["name"], found.get("value") or ""))
        if tag == "select":
            self._select = found["name"]
        if tag == "option" and "selected" in found:
            self.sent.append((self._select, found["value"]))


@pytest.mark.parametrize("name", [path.name.removesuffix(SUFFIX) for path in paths()])
def test_unchanged_form_changes_nothing(name, pages):
    sent = [(key, text) for key, text in Form(pages.get(f"/claim/{name}").text).sent if key.startswith("readings.")]
    assert len(sent) > 5 or all(reading.kind == "exact" for reading in claims.known()[name].readings)
    answer = pages.post(
        f"/claim/{name}",
        headers={**OURS, "Content-Type": "application/x-www-form-urlencoded"},
        content=urlencode([*sent, ("do", "change")]),
    )
    assert answer.status_code == 200 and str(answer.url) == f"{HOME}/claim/{name}"


def test_changed_claim_is_a_testable_file(pages, tmp_path):
    answer = pages.get(
        "/claim/jl-attack-2/file?readings.0.suit=3&readings.0.margin=0.25&readings.0.doses.values=4,+6%2B"
        "&readings.0.variant.players=3&readings.0.panel=greedy&readings.0.panel=tuned&readings.1.skip=leave+it+out"
    )
    file = tmp_path / "x.yaml"
    file.write_bytes(answer.content)
    (reading,) = read_claim(file).readings
    assert (reading.doses.number, reading.doses.values, reading.treated) == (3, ["4", "6+"], "+attack_3=40")
    assert (reading.margin, reading.variant, reading.panel) == (0.25, {"players": 3}, ["greedy", "tuned"])
    assert "suit=3" in read_claim(file).source


def test_changed_claim_is_named_after_what_is_tested():
    own = claims.known()["jl-attack-2"]
    found = changed(own, {"readings.0.suit": "3", "readings.0.doses.values": "4, 6+"}).claim
    words = "+attack_3=40 instead of variety, with carrying 3: 4, 6+"
    assert found.statement == f"{words}."
    assert found.readings[0].name == f"1: {words}"
    assert found.readings[0].note == (
        "Changed from reading 1 of jl-attack-2: suit 3 (was 2); doses: carrying 3, values 4, 6+ (was 3, 4, 5+)."
    )
    assert found.readings[1:] == own.readings[1:]
    content = {"asked": {"seed": 0, "deals": 20, "panel": None}, **try_claim(found, deals=20).as_numbers()}
    for printed in (text(content), markdown([content]), claim_page(content)):
        assert words in printed
        assert own.statement not in printed and f"{own.readings[0].name}: " not in printed
    left_out = changed(own, {"readings.1.skip": "leave it out", "readings.0.doses.values": "4, 5"}).claim
    assert len(left_out.readings) == 1 and "carrying 2: 4, 5" in left_out.statement
    assert all(len(reading.name) <= 120 for reading in left_out.readings)


@pytest.mark.parametrize(
    ("claim", "key", "text", "words"),
    [
        ("jl-heavy-lead", "readings.0.margin", "1", "lays, heaviest instead of one drawn from the others, with lead"),
        (
            "jl-lockout-2",
            "readings.1.suit",
            "3",
            "lays, leaves 3 instead of the best other one of about equal pips, with unseen 3: 0-1, 2-3, 4+",
        ),
        ("jl-discard-weight", "readings.1.threshold", "0.2", "count_misleads"),
        ("jl-only-2", "readings.2.suit", "3", "locks_out_twice 3, with carrying 3 at least 4"),
    ],
)
def test_changed_reading_is_named_after_what_is_tested(claim, key, text, words):
    found = changed(claims.known()[claim], {key: text}).claim
    at = int(key.split(".")[1])
    assert found.readings[at].name == f"{at + 1}: {words}" and found.statement == f"{words}."


def test_ordering_items_are_changed_together():
    found = changed(claims.known()["jl-only-2"], {"readings.0.items.*.population.hand.0.at_least": "5"})
    assert {item.population.hand[0].at_least for item in found.claim.readings[0].items} == {5}


def test_suit_is_renamed_in_numbers_and_weights_alone():
    content = claims.known()["jl-attack-2"].model_dump(mode="json", exclude_defaults=True)
    reading = {**content["readings"][1], "note": "attack_2=5 stays", "population": {"hand": [{"feature": "doubles"}]}}
    reading |= {"name": "leave_2=1", "treated": "+attack_2=40,attack_3=2", "baseline": "greedy+leave_2=3"}
    content["readings"] = [reading]
    found = changed(claim_of(content), {"readings.0.suit": "5"}).claim.readings[0]
    assert (found.treated, found.baseline) == ("+attack_5=40,attack_3=2", "greedy+leave_5=3")
    assert (found.doses.number, found.doses.values, found.panel) == (5, reading["doses"]["values"], reading["panel"])
    random = {**reading, "treated": {"agent": "greedy+leave_2=3", "discards": "random"}, "baseline": "same"}
    content["readings"] = [random]
    found = changed(claim_of(content), {"readings.0.suit": "5"}).claim.readings[0]
    assert (found.treated.agent, found.treated.discards) == ("greedy+leave_5=3", "random")


def test_claim_without_any_reading_is_refused():
    left = {f"readings.{at}.skip": "leave it out" for at in (0, 1)}
    with pytest.raises(ValueError, match=r"^every reading is left out; keep at least one$"):
        changed(claims.known()["jl-attack-2"], left)


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("readings.0.suit", "7", "choose one of 1, 2, 3, 4, 5, 6"),
        ("readings.0.margin", "x", "write a number"),
        ("readings.0.margin", "-1", "write a number above 0"),
        ("readings.0.doses.values", "3, 9", "no hand of 8 tiles"),
        ("readings.0.panel", "checkpoint:/etc/passwd", "does not play here"),
        ("readings.0.treated", "heuristic:/etc/x.yaml", "does not play here"),
        ("readings.0.treated", "search:playouts=9999", "does not play here"),
        ("readings.0.treated", "+attack_9=1", "is not a feature"),
        ("readings.0.variant.players", "9", "choose one of 2, 3, 4"),
        ("readings.0.variant.stake", "x", "stake=x is not allowed; write a number from 0.01"),
        ("readings.0.variant.deck", "tiny", "players=4 is not allowed with deck='tiny'; choose 2"),
        ("readings.0.doses.values", "3, x", "is not a dose"),
        ("readings.0.name", "x", "cannot be changed"),
        ("statement", "x", "cannot be changed"),
    ],
)
def test_bad_change_is_refused_by_its_key(key, text, words, pages):
    answer = pages.get(f"/claim/jl-attack-2?{urlencode({key: text})}")
    assert answer.status_code == 422 and words in said(answer) and key.partition(".hand")[0] in said(answer)


def test_changed_claim_is_tested_and_its_deals_shown(pages, monkeypatch):
    monkeypatch.setattr(masters, "SEARCH", "search:playouts=4")
    sent = {"readings.0.suit": "3", "readings.0.panel": "greedy", "readings.0.doses.values": "3, 4"}
    sent |= {"readings.1.skip": "leave it out", "deals": "40", "do": "begin"}
    answer = pages.post("/claim/jl-attack-2", headers=OURS, data=sent)
    assert answer.url.params["readings.0.suit"] == "3"
    text = done(pages, str(answer.url))
    verdict = pages.get(unescape(re.search(r'href="(/verdict/[^"]*)"', text)[1])).text
    assert "carrying 3: four" in unescape(verdict) and 'class="chart"' in verdict
    assert "largest gain" in verdict.lower()
    links = [unescape(each) for each in re.findall(r'href="(/verdict/[^"]*/deal/[^"]*)"', verdict)]
    assert len(links) == 3 and pages.get(links[0].replace("deal/1", "deal/4")).status_code == 404
    for link in links:
        text = pages.get(link).text
        assert text.count('class="stage broad"') == 2 and "They part at move" in text
        treated, other = (float(each) for each in re.findall(r"<h4>with.*?: ([+-][\d.]+) chip", text))
        assert f": {treated - other:+g} chips</h1>" in text
    assert "gupai claim run jl-attack-2-changed.yaml --deals 40" in verdict
    assert pages.get("/verdict/jl-attack-2").status_code == 404  # another claim


def test_recorded_verdicts_are_listed_and_read(pages):
    text = pages.get("/claims").text
    assert len(re.findall(r'href="/recorded/', text)) == len(claims.known())
    assert "disproved" in pages.get("/recorded/jl-suit-counts").text
    assert all(len(pages.get(f"/recorded/{name}").content) < 100_000 for name in claims.known())
    assert pages.get("/recorded/jl-attack-2/deal/0").status_code == 404
    assert pages.get("/recorded/jl-attack-2/deal/x").status_code == 404
    assert pages.get("/recorded/..%2fx").status_code == 404


def test_claims_are_listed_without_recorded_verdicts(pages, monkeypatch):
    monkeypatch.setattr(claims, "_recorded", lambda name: None)
    text = pages.get("/claims").text
    assert "/claim/jl-attack-2" in text and "recorded" not in text
    assert pages.get("/recorded/jl-attack-2").status_code == 404


# --- tournaments ----------------------------------------------------------------------------------


def files_of(folder):
    names = ("games.csv", "games.jsonl.gz", "summary.json", "manifest.json")
    return {name: (folder / name).read_bytes() for name in names}


def test_watched_or_resumed_tournament_is_the_same(tmp_path, monkeypatch, pages, room):
    monkeypatch.setattr("gupai_agents.evaluation.tournament.ENVS", 80)  # 20 deals a block
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
    assert answer.url.path == "/review/game"
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


def test_damaged_tournament_folder_is_called_damaged(pages, room):
    folder = room / "tournaments" / "damaged"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text('{"game": 5}')
    assert "damaged" in pages.get("/tournaments").text and "damaged" in pages.get("/tournament/damaged").text
    assert pages.post("/tournament/damaged", headers=OURS, data={"do": "go"}).status_code == 422
    assert pages.get("/tournament/damaged/game").status_code == 422
    manifest = {"game": "jie-long", "variant": {}, "agents": ["random", "greedy"], "deals": 2, "table": "one"}
    total = {"hero": 0, "mean": 1.0, "low": 0.5, "high": 1.5, "n": 9}
    for changes, summary in (
        ({"agents": [1, 2]}, {}),
        ({}, [1]),
        ({}, {"agents": ["random"], "deals": 2, "totals": [total | {"hero": 99}]}),
    ):
        (folder / "manifest.json").write_text(json.dumps(manifest | changes))
        (folder / "summary.json").write_text(json.dumps(summary))
        for address in ("/tournaments", "/tournament/damaged"):
            answer = pages.get(address)
            assert answer.status_code == 200 and "damaged (" in answer.text, (changes, summary, address)
    shutil.rmtree(folder)


def test_oversized_file_is_not_read(pages, room, monkeypatch):
    metrics = (room / "runs" / "one" / "metrics.jsonl").stat().st_size
    folder = room / "tournaments" / "large"
    plan = schedule("jie-long", ["random", "greedy"], 20, seed=1)
    play_into(folder, plan, [make_agent(name, "jie-long") for name in ("random", "greedy")])
    largest = max((folder / name).stat().st_size for name in ("manifest.json", "summary.json"))
    for address, module, size in (
        ("/run/one", "gupai_app.training.routes", metrics),
        ("/tournament/large", "gupai_agents.evaluation.folder_models", largest),
    ):
        for most, refused in ((size, False), (size - 1, True)):
            monkeypatch.setattr(f"{module}.MOST_BYTES", most)
            assert ("damaged" in pages.get(address).text) == refused
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


def test_failed_start_of_work_leaves_nothing(monkeypatch):
    def full(self):
        raise RuntimeError("can't start new thread")

    work = jobs.Jobs()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", full)
        with pytest.raises(RuntimeError):
            work.begin("/x", "x", lambda notify: None)
    work.begin("/y", "y", lambda notify: 5)
    for _ in range(100):
        if not work.running:
            break
        time.sleep(0.02)
    assert work.status("/y").result == 5 and work.status("/x").error


# --- runs -----------------------------------------------------------------------------------------


def test_run_is_shown_and_played_against(pages):
    text = pages.get("/runs").text
    assert "+0.50 against tuned" in text and "metrics.jsonl is damaged" in text
    text = pages.get("/run/one").text
    assert "<td>trained</td><td>tu&amp;ned</td>" in text
    table = pages.get(unescape(re.search(r'href="(/table[^"]*)"', text)[1]))
    assert table.status_code == 200 and "East: run:one" in table.text
    move = pages.get(f"/table?{table.url.query.decode()}&play={actions(table.text)[0]}")
    assert move.status_code == 200, said(move)
    assert pages.get("/run/broken").status_code == 200


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"targets": 5, "decisions": 7, "updates": 1, "seconds": 3.0}, ""),  # compared with nobody
        ({"targets": 5, "decisions": None, "updates": 1, "seconds": 3.0}, "metrics.jsonl is damaged"),
        ({"targets": "5", "decisions": 7, "updates": 1, "seconds": 3.0}, "metrics.jsonl is damaged"),
        (5, "metrics.jsonl is damaged"),
        (
            {"targets": 5, "decisions": 7, "updates": 1, "seconds": 3.0}
            | {"tuned": {"mean": 1.0, "low": 2.0, "high": None, "n": 1}},
            "metrics.jsonl is damaged",
        ),
    ],
)
def test_run_with_odd_evaluations_leaves_the_list_intact(row, words, pages, room):
    folder = room / "runs" / "odd"
    shutil.copytree(room / "runs" / "one", folder)
    (folder / "metrics.jsonl").write_text(json.dumps(row) + "\n")
    answers = [pages.get(address) for address in ("/runs", "/run/odd")]
    shutil.rmtree(folder)
    for answer in answers:
        assert answer.status_code == 200 and words in answer.text.lower(), said(answer)


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


def test_outside_games_have_pages_too(monkeypatch):
    asked = []
    monkeypatch.setattr("gupai_app.server.app.load_plugins", lambda: asked.append(True))
    create_app()
    assert asked


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


NOWHERE = """\
    /run/..%2fruns%2fone /run/%2e%2e%2fone /run/one/..%2fconfig.yaml /run/one/config.svg /run/one/config.yaml
    /run/one/agent.safetensors /run/broken/report.html /tournament/..%2fruns
    /tournament/nope /tournament/nope/game /tournaments/nope /verdict/nope"""


@pytest.mark.parametrize("path", NOWHERE.split())
def test_request_cannot_name_a_path(path, pages):
    answer = pages.get(path)
    assert answer.status_code == 404 and "no such page" in said(answer)


def test_missing_folders_are_explained_on_pages():
    bare = TestClient(create_app(), base_url=HOME)
    assert "There is no run" in bare.get("/runs").text
    assert "keeps no tournaments" in bare.get("/tournaments").text
    assert bare.post("/tournaments", headers=OURS, data={"game": "jie-long"}).status_code == 404


def test_pages_of_rooms_keep_their_own_policy(pages):
    for path in ("/claims", "/claim/jl-only-2", "/recorded/jl-suit-counts", "/runs", "/run/one", "/tournaments",
                 "/tournaments/jie-long", "/table?game=jie-long&seed=5&seat=0&with=human"):  # fmt: skip
        answer = pages.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, path
        assert not re.search(r'<script(?![^>]*src="/static/)(?![^>]*application/json)|<style|\sstyle=', answer.text)


def test_front_page_shows_a_table_and_describes_every_game(pages):
    text = pages.get("/").text
    kinds = re.findall(r'</h2>\s*<p class="quiet">([A-Z].*)\.</p>', text)
    goals = re.findall(r"</p>\s*<p>([A-Z].*\.)</p>\s*<p><a", text)
    assert len(kinds) == len(goals) == len(GAMES)
    assert text.index("Start here: Jie Long") < text.index('class="cards"')
    found = [pages.get(each) for each in re.findall(r'"(/picture/[^"]*)"', text)]
    assert len({each.text for each in found}) == 2  # for light and dark pages
    for each in found:
        assert "open end 2" in each.text and ElementTree.fromstring(each.text).tag.endswith("svg")
    assert {pages.get(each).status_code for each in ("/picture/pink.svg", "/static/none.css")} == {404}
