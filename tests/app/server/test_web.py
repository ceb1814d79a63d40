"""The pages: a table that its address tells, moves that are made once, and nothing from elsewhere."""

import re
from urllib.parse import parse_qsl

import pytest

from web_room import OURS, actions, document, played, record, said, table

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from gupai_agents.evaluation.records.games import read_games
from gupai_app.play.address import Address
from gupai_app.play.table import PLAYED, WebGame
from gupai_app.play.unseen import unseen_tiles
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
    file.write_bytes(record(pages, last).encode())
    game = next(read_games(file))
    assert game.agents[0] == "human" and len(game.payoffs) == 2


@every_game
def test_legal_actions_have_a_button_each(game, pages):
    shown, at = table(pages, game=game)
    session = WebGame(Address.read(dict(parse_qsl(at)))).session
    assert set(actions(shown)) == set(session.mask().nonzero()[0].tolist())


def test_score_goes_on_in_the_next_game(pages):
    ended = document(pages, played(pages, game="da-ling")[-1])
    won = [seat["won"] for seat in ended["seats"]]
    assert [seat["won"] for seat in document(pages, ended["again"])["seats"]] == won and "+0 chips" not in won
    words = dict(parse_qsl(ended["again"]))
    following = WebGame(Address.read(dict(parse_qsl(played(pages, **words)[-1]))))
    won = zip(map(float, words["score"].split(",")), following.session.payoffs[-1], strict=True)
    assert following.total == [before + chips for before, chips in won]


@pytest.mark.parametrize("score", ["1", "1,2,3", "1,nan", "1,inf", "1,x", "1,2000000000"])
def test_score_that_cannot_be_is_refused_in_one_line(score, pages):
    answer = pages.get("/document", params={"game": "tiu-u", "seed": 5, "seat": 0, "score": score})
    assert answer.status_code == 422 and re.match("Score=.* of 2 seats", said(answer))


def test_double_click_makes_one_move(pages):
    shown, at = table(pages, game="jie-long")
    first, again = (document(pages, f"{at}&play={actions(shown)[0]}") for _ in range(2))
    assert first == again and first["address"] != at


def test_restarted_server_has_lost_nothing(pages):
    for at in played(pages, game="tiu-u")[::4]:
        before = document(pages, at)
        assert document(TestClient(create_app(), base_url="http://127.0.0.1"), at) == before


def test_undo_is_for_practice_alone(pages):
    shown, at = table(pages, game="jie-long")
    assert shown["undo"] is None
    assert document(pages, f"{at}&play={actions(shown)[0]}")["undo"] == at
    shown, at = table(pages, game="jie-long", practice=0)
    shown = document(pages, f"{at}&play={actions(shown)[0]}&hint=3&unseen=1")
    assert not shown["practice"] and shown["undo"] is shown["hint"] is shown["unseen"] is None


def test_hints_come_in_steps_and_end_with_a_value_for_every_move(pages):
    shown, at = table(pages, game="jie-long")
    steps = [document(pages, f"{at}&hint={number}") for number in (1, 2, 3)]
    hints = [step["hint"] for step in steps]
    think, reason, values = (hint["sentences"] for hint in hints)
    assert [(hint["next"], hint["last"]) for hint in hints] == [(2, False), (3, True), (0, False)]
    assert think[0].startswith("Think about") and reason[:1] == think and reason[1] and values[:2] == reason
    assert not any(move["value"] or move["best"] for step in steps[:2] for move in step["moves"])
    (marked,) = steps[0]["marked"]
    tile = f"[{marked[0]}:{marked[1]}]"
    valued = steps[2]["moves"]
    assert tile in think[0] and len(valued) == len(shown["moves"]) and all(move["value"] for move in valued)
    told = [move["value"].split()[0] for move in valued if "at most" not in move["value"]]
    best = next(move for move in valued if move["best"])
    assert best["value"].split()[0] == max(told, key=float) and tile in best["name"]
    assert "best" in values[2] and tile in values[2].partition("best")[0]
    first = document(pages, f"{at}&hint=1&rough=1")["hint"]
    assert first["rough"] and first["sentences"][0].startswith("Think about")
    quick = document(pages, f"{at}&hint=3&rough=1")
    assert quick["hint"]["rough"] and not hints[2]["rough"] and all(move["value"] for move in quick["moves"])
    few, many = (int(re.search(r"in (\d+) deals", hint["how_found"])[1]) for hint in (quick["hint"], hints[2]))
    assert few <= 100 < 200 <= many and quick["moves"] != valued


def test_coach_speaks_only_where_one_was_asked_for(pages):
    tables = {}
    for kind in ("1", "coach", "0"):
        shown, at = table(pages, game="jie-long", practice=kind)
        tables[kind] = document(pages, f"{at}&play={actions(shown)[-1]}")  # a discard where a tile could be played
        assert dict(parse_qsl(tables[kind]["address"])).get("practice", "1") == kind
    assert {kind: bool(shown["mistake"]) for kind, shown in tables.items()} == {"1": 0, "coach": 1, "0": 0}
    assert document(pages, tables["1"]["other_coach"])["mistake"] == tables["coach"]["mistake"]


@every_game
def test_what_others_may_hold_is_shown_on_demand(game, pages):
    shown, at = table(pages, game=game)
    assert shown["unseen"] is None
    unseen = document(pages, f"{at}&unseen=1")["unseen"]
    seating = WebGame(Address.read(dict(parse_qsl(at))))
    there, view = seating.address, seating.session.view(seating.seat)
    assert len(unseen["rows"]) == len(unseen_tiles(there.game, there.variant, view)) > 5
    assert set(unseen["heads"]) == {name for name in seating.names if name != "You"}
    assert all(len(shares) == there.variant.players for _, shares in unseen["rows"])


@every_game
def test_table_shows_no_tile_of_another_hand(game, pages):
    shown, _ = table(pages, game=game)
    places = shown["frames"][-1]["scene"]["places"]
    assert not [tile for place in places[1:] for pile in place["piles"][:1] for tile in pile["tiles"]]


def test_two_people_each_undo_their_own_move(pages):
    shown, first = table(pages, game="jie-long", options="players=2", **{"with": "human"})
    seat, path, at = shown["at"], [first], first
    for who in (seat, 1 - seat):
        at = document(pages, f"{at}&play={actions(document(pages, f'{at}&at={who}'))[0]}")["address"]
        path.append(at)
    shown = document(pages, f"{at}&at={seat}")
    assert (shown["undo"], shown["at"]) == (path[0], seat)
    assert "pass" not in document(pages, f"{shown['undo']}&at={seat}")


def test_form_offers_the_existing_seats(pages):
    for players, places in ((2, ["North"]), (4, ["East", "North", "West"])):
        form = pages.get(f"/document?game=jie-long&begin=1&o.players={players}").json()
        fields = form["parts"][0]["fields"]
        (seats,) = (field["choices"] for field in fields if field["code"] == "seat")
        assert [seat["code"] for seat in seats] == ["any", *map(str, range(players))]
        assert [field["label"] for field in fields if field["code"] == "with"] == places
    assert pages.get("/document?game=jie-long&begin=1&o.players=5").status_code == 422


def test_form_begins_with_what_was_played_before(pages):
    _, at = table(pages, game="jie-long", **{"o.players": 3, "o.stake": 2, "with": "easy;greedy", "practice": "coach"})
    form = document(pages, document(pages, at)["begin"])
    values = [(field["code"], field["now"]) for part in form["parts"] for field in part["fields"]]
    assert [value for name, value in values if name == "with"] == ["easy", "greedy"]
    chosen = {"o.players": "3", "o.stake": "2", "practice": "coach", "seat": "any", "seed": ""}
    assert chosen.items() <= dict(values).items()


def test_lesson_is_given_once(pages):
    shown, at = table(pages, game="jie-long")
    given = []
    while choices := actions(shown):
        given += shown["lessons"]
        shown = document(pages, f"{at}&play={choices[-1]}")
        at = shown["address"]
    assert given and len(set(given)) == len(given)
    assert table(pages, game="jie-long", practice=0)[0]["lessons"] == []


@pytest.mark.parametrize("path", ["/table", "/document"])
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("game=jie-long&seat=4", "from 0 to 3"),
        ("game=jie-long&with=os:system", "does not play here"),
        ("game=jie-long&with=checkpoint:/etc/passwd", "does not play here"),
        ("game=jie-long&with=heuristic:/etc/x.yaml", "does not play here"),
    ],
)
def test_table_with_a_player_or_seat_that_cannot_be_is_refused(query, words, path, pages):
    answer = pages.get(f"{path}?{query}")
    assert answer.status_code == 422 and words.lower() in said(answer).lower()
    assert "Traceback" not in answer.text


def test_illegal_move_is_refused(pages):
    shown, at = table(pages, game="jie-long")
    wrong = next(action for action in range(63) if action not in actions(shown))
    answer = pages.get(f"/document?{at}&play={wrong}")
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
    text = pages.get("/table?game=jie-long").text
    files = set(re.findall(r'(?:href|src)="(/static/[^"]*)"', text))
    sizes = [len(pages.get(name).content) for name in [*files, "/static/page.js"]]
    assert files == {"/static/page.css", "/static/server.js", "/static/tile-66.svg"}
    assert len(text.encode()) + sum(sizes) < 200_000


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

    shown, at = table(pages, game="jie-long")
    PLAYED.clear()
    monkeypatch.setattr(HeuristicAgent, "act", ANSWERS[answer])
    found = pages.get(f"/document?{at}&play={actions(shown)[0]}")
    assert found.status_code == 422 and "greedy" in said(found) and "\n" not in said(found)
    over = played(pages, game="ding-niu", **{"with": "random"})[-1]
    monkeypatch.setattr(HeuristicAgent, "probabilities", ANSWERS[answer], raising=False)
    found = pages.get(f"/document?{over}&review=1&values=1&agent=greedy")
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
