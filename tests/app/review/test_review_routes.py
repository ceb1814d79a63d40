"""Pages that review a game, and the addresses that hold a whole one."""

import json
import re
from urllib.parse import parse_qsl, urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from commands import gupai
from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.play.address import Address
from gupai_app.play.moves import digits
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.review.analysis import judged
from gupai_app.review.document import address_of, record_of
from gupai_app.server.app import create_app
from gupai_app.server.players import NAMED
from gupai_env.games import get_game
from web_room import HOME, OURS, played, said, table
from web_room import record as record_at


def test_shared_game_address_outlives_the_server(pages):
    line = record_at(pages, played(pages, game="ce-deng", options="deals=2")[-1])
    answer = pages.post("/review", headers=OURS, data={"games": line})
    assert answer.url.path == "/table" and answer.url.params["review"] == "1"
    shown = pages.get(f"/document?{answer.url.query.decode()}").json()
    assert len(shown["frames"]) > 12 and shown["address"] == answer.url.query.decode()
    other = TestClient(create_app(), base_url=HOME)
    assert other.get(f"/document?{answer.url.query.decode()}").json() == shown
    old = str(answer.url).replace("/table?", "/review/game?").replace("&review=1", "")
    assert other.get(old).url == answer.url  # where reviews were


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
    line = record_at(pages, played(pages, game="jie-long")[-1]).encode()
    query = dict(pages.build_request("GET", f"/review/game?{address_of(game_of_line(line))}").url.params)
    query |= changes
    for path in ("/document", "/review/game") if "agent" not in changes else ("/document",):
        answer = pages.get(f"{path}?{urlencode({'values': '1', **query})}")
        assert answer.status_code == 422 and words in said(answer)


@pytest.mark.parametrize("name", ["a\u200bb", "a\nb", "\x1b[31m", "x" * 1001])
def test_name_refused_in_an_address_is_refused_in_a_file(name, pages):
    line = record_at(pages, played(pages, game="ding-niu")[-1])
    record = json.loads(line)
    record["agents"][1] = name
    text = json.dumps(record, separators=(",", ":"))
    query = dict(pages.build_request("GET", f"/table?{address_of(game_of_line(line.encode()))}").url.params)
    query["sat"] = json.dumps(record["agents"])
    for answer in (
        pages.get(f"/table?{urlencode(query)}"),
        pages.post("/review", headers=OURS, data={"games": text}, follow_redirects=False),
    ):
        assert answer.status_code == 422 and re.search("cannot name a player|not a name that", said(answer))


def test_game_is_reviewed_and_every_decision_explained(pages, monkeypatch):
    last = played(pages, game="jie-long", seat=2)[-1]
    address = f"/document?{last}&review=1"
    game, found = pages.get(address).json(), pages.get(f"{address}&values=1&agent=tuned").json()
    assert game["places"][0] == found["near"] == "You"  # who sat at seat 2
    numbers = [int(number) for number in found["turns"]]
    assert numbers == sorted(numbers) and len(numbers) > 10
    for turn in found["turns"].values():
        assert sum(bar["played"] for bar in turn["bars"]) == 1 and "seat=" in turn["again"]
        assert all(re.fullmatch(r"\d+%", bar["share"]) for bar in turn["bars"])
    losses = [float(found["turns"][number]["lost"].split()[0]) for number in found["losses"]]
    assert losses and losses == sorted(losses, reverse=True)
    assert pages.get(f"{address}&values=1").json()["turns"].keys() == found["turns"].keys()
    monkeypatch.setattr("gupai_app.review.analysis.MOST_DECISIONS", 3)
    judged.cache_clear()
    for agent, _ in found["agents"]:
        answer = pages.get(f"{address}&values=1&agent={agent}")
        assert answer.status_code == 200, (agent, said(answer))
        assert len(answer.json()["turns"]) == 3


def test_game_too_long_for_an_address_is_sent_whole(pages, monkeypatch):
    line = record_at(pages, played(pages, game="ding-niu")[-1])
    monkeypatch.setattr("gupai_app.review.document.MOST_ADDRESS", 10)
    answer = pages.post("/review", headers=OURS, data={"games": line})
    assert answer.url.path == "/review"
    held = json.loads(re.search(r'id="record">(.*?)</script>', answer.text)[1])
    assert held == line
    game = pages.post("/document", headers=OURS, data={"games": held}).json()
    assert game["address"] == "" and game["record"] == line
    found = pages.post("/document", headers=OURS, data={"games": held, "values": "1"}).json()
    assert found["turns"] and not game.keys() & found.keys()


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "nothing was sent"),
        ({"games": "x"}, "not JSON"),
        ({"games": "LINE", "number": "2"}, "no game 2"),
        ({"games": "LINE", "number": "x"}, "number of the game='x'"),
        ({"games": "CHANGED"}, "pays"),
    ],
)
def test_invalid_game_is_refused_in_a_sentence(sent, words, pages):
    line = record_at(pages, played(pages, game="ding-niu")[-1])
    changed = re.sub(r'"payoffs":.*', '"payoffs":[[1,2,3,4]]}', line)
    sent = {name: text.replace("LINE", line).replace("CHANGED", changed) for name, text in sent.items()}
    answer = pages.post("/review", headers=OURS, data=sent)
    assert answer.status_code == 422 and words.lower() in said(answer).lower()


def test_match_too_long_to_review_is_refused(pages, tmp_path):
    path = tmp_path / "long.jsonl"
    watched = gupai("watch", "ding-niu", "random", "-o", "deals=26", "--record", path)
    assert watched.exit_code == 0
    answer = pages.post("/review", headers=OURS, data={"games": path.read_text(encoding="utf-8")})
    assert answer.status_code == 422 and "Deals=26 are too many here" in said(answer)


def test_bait_offers_its_fish_and_other_moves(pages):
    shown, at = table(pages, game="tiu-u")
    seating = WebGame(Address.read(dict(parse_qsl(at))))
    menus = {}
    for move in shown["moves"]:
        for tile in move["tiles"]:
            menus.setdefault(tile, []).append(move["name"])
    catching = {digits(entry.move.tiles) for entry in seating.entries if entry.move.takes}
    assert catching
    for tile in catching:
        assert f"lay [{tile[0]}:{tile[1]}]" in menus[tile]
        own = [entry.move.name for entry in seating.entries if entry.move.takes and digits(entry.move.tiles) == tile]
        assert [words for words in menus[tile] if "catches" in words] == own
