"""The pages: a table that its address tells, moves that are made once, and nothing from elsewhere."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from web_room import OURS, actions, played, said, table

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from gupai_agents.evaluation.records.games import read_games
from gupai_app.play.address import Address
from gupai_app.play.moves import entries_of
from gupai_app.play.recent import PLAYED
from gupai_app.play.table import WebGame
from gupai_app.server.app import bound, create_app
from gupai_env.games import GAMES

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture(scope="module")
def pages():
    with TestClient(create_app(), base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("game", ["jie-long", "da-ling", "tien-gow"])
def test_match_is_played_by_buttons_and_saved_as_a_record(game, pages, tmp_path):
    last = played(pages, game=game, options="deals=2")[-1]
    file = tmp_path / "game.jsonl"
    file.write_bytes(pages.get(f"/record?{last}").content)
    record = next(read_games(file))
    assert record.agents[0] == "human" and len(record.payoffs) == 2


@every_game
def test_legal_actions_have_a_button_each(game, pages):
    text, at = table(pages, game=game)
    session = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at)))).session
    assert set(actions(text)) == set(session.mask().nonzero()[0].tolist())


def test_score_goes_on_in_the_next_game(pages):
    ended = pages.get(f"/table?{played(pages, game='da-ling')[-1]}").text
    link = unescape(re.search(r'href="([^"]*)" data-key="n"', ended)[1])
    scores = re.compile(r"<td>([+-][\d.,]+) chips</td>")
    assert scores.findall(pages.get(link).text) == scores.findall(ended) != []
    words = dict(parse_qsl(urlsplit(link).query))
    following = WebGame(Address.read(dict(parse_qsl(played(pages, **words)[-1]))))
    won = zip(map(float, words["score"].split(",")), following.session.payoffs[-1], strict=True)
    assert following.total == [before + chips for before, chips in won]


@pytest.mark.parametrize("score", ["1", "1,2,3", "1,nan", "1,inf", "1,x", "1,2000000000"])
def test_score_that_cannot_be_is_refused_in_one_line(score, pages):
    answer = pages.get("/table", params={"game": "tiu-u", "seed": 5, "seat": 0, "score": score})
    assert answer.status_code == 422 and re.match("Score=.* of 2 seats", said(answer))


def test_double_click_makes_one_move(pages):
    text, at = table(pages, game="jie-long")
    first = pages.get(f"/table?{at}&play={actions(text)[0]}")
    again = pages.get(f"/table?{at}&play={actions(text)[0]}")
    assert first.url == again.url != at


def test_restarted_server_has_lost_nothing(pages):
    for at in played(pages, game="tiu-u")[::4]:
        before = pages.get(f"/table?{at}")
        after = TestClient(create_app(), base_url="http://127.0.0.1").get(f"/table?{at}")
        assert before.text == after.text and before.url == after.url


def test_undo_is_for_practice_alone(pages):
    text, at = table(pages, game="jie-long")
    assert "Take back" not in text
    text = pages.get(f"/table?{at}&play={actions(text)[0]}").text
    assert unescape(re.search(r'href="/table\?([^"]*)" data-key="u"', text)[1]) == at
    text, at = table(pages, game="jie-long", practice=0)
    text = pages.get(f"/table?{at}&play={actions(text)[0]}").text
    assert "Take back" not in text and "Hint" not in text
    unhelpful = pages.get(f"/table?{at}&hint=3&unseen=1").text
    assert not any(words in unhelpful for words in ('class="worth"', 'id="hint"', 'id="unseen"'))


def test_hints_come_in_steps_and_end_with_a_value_for_every_move(pages):
    first, at = table(pages, game="jie-long")
    number, texts = 1, []
    while link := re.search(r"&amp;(hint=\d)#hint", (texts or [first])[-1]):
        assert link[1] == f"hint={number}"
        texts.append(pages.get(f"/table?{at}&{link[1]}").text)
        number += 1
    steps = [re.findall(r"<p>.*?</p>", re.search(r'id="hint".*?</div>', text, re.S)[0]) for text in texts]
    think, reason, text = texts
    assert [("Think about" in step[0], len(step) > 2) for step in steps] == [(True, False), (True, True), (True, True)]
    assert steps[1][1] and steps[2][:2] == steps[1][:2]
    assert 'class="worth"' not in think + reason and 'class="best"' not in think + reason
    (marked,) = set(re.findall(r'class="tile[a-z ]* think".*?data-tile="(\d\d)"', think))
    assert f"[{marked[0]}:{marked[1]}]" in steps[0][0]
    seating = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))))
    told = re.findall(r'class="worth">(.*?)<', text)
    assert len(told) == len(entries_of(seating.hints, seating.session.view(0), seating.session.mask()))
    values = [re.fullmatch(r"([+-][\d.]+)(?: ±[\d.]+)?", value) for value in told if "at most" not in value]
    best = re.search(r'class="best">(.*?)class="worth">([^ <]*)', text, re.S)
    assert best[2] == max((value[1] for value in values), key=float) and f"[{marked[0]}:{marked[1]}]" in best[1]
    assert "best" in steps[2][2] and f"[{marked[0]}:{marked[1]}]" in steps[2][2].partition("best")[0]


def test_coach_speaks_only_where_one_was_asked_for(pages):
    pages_by_kind = {}
    for kind in ("1", "coach", "0"):
        text, at = table(pages, game="jie-long", practice=kind)
        answer = pages.get(f"/table?{at}&play={actions(text)[-1]}")  # a discard where a tile could be played
        pages_by_kind[kind] = answer.text
        assert answer.url.params.get("practice", "1") == kind
    assert {kind: 'class="coach"' in text for kind, text in pages_by_kind.items()} == {"1": 0, "coach": 1, "0": 0}
    other = unescape(re.search(r'href="(/table[^"]*)">Play with a coach', pages_by_kind["1"])[1])
    assert 'class="coach"' in pages.get(other).text
    assert "a coach" not in pages_by_kind["0"]


@every_game
def test_what_others_may_hold_is_shown_on_demand(game, pages):
    text, at = table(pages, game=game)
    assert 'id="unseen"' not in text and "&amp;unseen=1#unseen" in text
    panel = re.search(r'id="unseen".*?</section>', pages.get(f"/table?{at}&unseen=1").text, re.S)[0]
    heads, *rows = re.findall(r"<tr>.*?</tr>", panel, re.S)
    seating = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))))
    assert len(rows) == len(seating.unseen()) > 5
    assert all(name in heads for name in seating.names if name != "You")
    assert all(row.count("%") == seating.address.variant.players for row in rows)


@every_game
def test_table_shows_no_tile_of_another_hand(game, pages):
    _, at = table(pages, game=game)
    seating = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))))
    scene = seating.frames[-1].scene
    others = [tile for place in scene.places[1:] for pile in place.piles[:1] for tile in pile.tiles]
    assert not others


def test_two_people_each_undo_their_own_move(pages):
    text, first = table(pages, game="jie-long", options="players=2", **{"with": "human"})
    seat = WebGame(Address.read(dict(parse_qsl(first)))).seat
    path, at = [first], first
    for who in (seat, 1 - seat):
        text = pages.get(f"/table?{at}&at={who}").text
        answer = pages.get(f"/table?{at}&play={actions(text)[0]}")
        at = answer.url.query.decode()
        path.append(at)
    text = pages.get(f"/table?{at}&at={seat}").text
    undo = unescape(re.search(r'href="/table\?([^"]*)" data-key="u"', text)[1])
    assert dict(parse_qsl(undo)) == {**dict(parse_qsl(path[0])), "at": str(seat)}
    assert "Pass the screen" not in pages.get(f"/table?{undo}").text


def test_form_offers_the_existing_seats(pages):
    for players, places in ((2, ["North"]), (4, ["East", "North", "West"])):
        text = pages.get(f"/game/jie-long?players={players}").text
        seats = re.search(r'<select name="seat">(.*?)</select>', text, re.S)[1]
        assert re.findall(r'value="(\d)"', seats) == [str(seat) for seat in range(players)]
        assert re.findall(r"<label>(\w+) <select name=\"with\">", text) == places
    assert pages.get("/game/jie-long?players=5").status_code == 422


def test_lesson_is_given_once(pages):
    text, at = table(pages, game="jie-long")
    given = []
    while choices := actions(text):
        given += re.findall(r'class="lesson">(.*?)</p>', text)
        answer = pages.get(f"/table?{at}&play={choices[-1]}")
        text, at = answer.text, answer.url.query.decode()
    assert given and len(set(given)) == len(given)
    assert 'class="lesson"' not in table(pages, game="jie-long", practice=0)[0]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("game=jie-long&seat=4", "from 0 to 3"),
        ("game=jie-long&with=os:system", "does not play here"),
        ("game=jie-long&with=checkpoint:/etc/passwd", "does not play here"),
        ("game=jie-long&with=heuristic:/etc/x.yaml", "does not play here"),
    ],
)
def test_table_with_a_player_or_seat_that_cannot_be_is_refused(query, words, pages):
    answer = pages.get(f"/table?{query}")
    assert answer.status_code == 422 and words.lower() in said(answer).lower()
    assert "Traceback" not in answer.text


def test_illegal_move_is_refused(pages):
    text, at = table(pages, game="jie-long")
    wrong = next(action for action in range(63) if action not in actions(text))
    answer = pages.get(f"/table?{at}&play={wrong}")
    assert answer.status_code == 422 and "is not legal" in said(answer)


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nope", 404), ("PUT", "/", 405), ("GET", "/static/..%2fapp.py", 404)]
)
def test_missing_page_says_so(method, path, status, pages):
    answer = pages.request(method, path, headers=OURS)
    assert answer.status_code == status and said(answer).endswith(".")


def test_foreign_host_name_is_refused(pages):
    assert pages.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert pages.get("/", headers={"Host": "127.0.0.1:8420"}).status_code == 200


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_requests_of_another_site_are_refused(headers, pages):
    assert pages.post("/review", headers=headers, content=b"x").status_code == 403


def test_links_from_another_site_are_allowed(pages):
    cross = {"Sec-Fetch-Site": "cross-site"}
    link = {**cross, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert pages.get("/", headers=link).status_code == 200
    assert pages.get("/", headers={**cross, "Sec-Fetch-Mode": "no-cors"}).status_code == 403
    assert pages.get("/", headers={**link, "Sec-Fetch-Dest": "iframe"}).status_code == 403


def test_oversized_requests_are_refused(pages):
    assert pages.get(f"/table?game={'x' * 50_000}").status_code == 414
    answer = pages.post("/review", headers=OURS, content=b"games=" + b"x" * (1 << 20))
    assert answer.status_code == 413 and "bytes" in said(answer)


def test_first_page_is_small(pages):
    text, _ = table(pages, game="jie-long")
    assert (
        len(text.encode()) + sum(len(pages.get(f"/static/{name}").content) for name in ("web.css", "web.js")) < 300_000
    )


def exits(*_):
    raise SystemExit(0)


def cheats(agent, turns):
    turns.masks[:] = True
    return (~turns.masks).argmax(1) + 62


ANSWERS = {
    "raises": lambda *_: 1 / 0,
    "exits": exits,
    "cheats": cheats,
    "none": lambda *_: None,
    "text": lambda *_: "x",
    "float": lambda *_: 0.5,
    "large": lambda *_: [10**30],
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_failing_agent_is_named_in_a_sentence(answer, pages, monkeypatch, capfd):
    from gupai_agents.players.heuristics import HeuristicAgent

    text, at = table(pages, game="jie-long")
    PLAYED.clear()
    monkeypatch.setattr(HeuristicAgent, "act", ANSWERS[answer])
    found = pages.get(f"/table?{at}&play={actions(text)[0]}")
    assert found.status_code == 422 and "greedy" in said(found) and "\n" not in said(found)
    line = pages.get(f"/record?{played(pages, game='ding-niu', **{'with': 'random'})[-1]}").text
    monkeypatch.setattr(HeuristicAgent, "probabilities", ANSWERS[answer], raising=False)
    found = pages.post("/review", headers=OURS, data={"games": line, "agent": "greedy"})
    assert found.status_code == 422 and "greedy" in said(found)
    assert "Traceback" not in capfd.readouterr().err


def test_free_port_is_found_and_a_named_one_is_kept():
    with bound("127.0.0.1", None) as one, bound("127.0.0.1", None) as other:
        assert one.getsockname()[1] != other.getsockname()[1]
        with pytest.raises(OSError, match="no page can be served"):
            bound("127.0.0.1", one.getsockname()[1])


@pytest.mark.parametrize("host", ["", "0", "0.0.0.0", "::"])
def test_server_does_not_listen_on_all_addresses(host):
    with pytest.raises(ValueError, match=f"--host '{host}': name one address of this machine, not all of them"):
        bound(host, None)
