"""Games that a person has finished: what is kept of them, found, exported, and never lost."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from html import unescape

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi.testclient import TestClient

from commands import answer, gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.kept.day import streak
from gupai_app.kept.figures import mean_text
from gupai_app.kept.puzzles import CLEAR, FEWEST, puzzles_in, shipped, solvers
from gupai_app.kept.rematch import duplicate
from gupai_app.kept.store import FILE, VERSION, Search, Store
from gupai_app.play.address import Address
from gupai_app.play.session import Session
from gupai_app.play.terminal import Table
from gupai_app.review.analysis import judged, luck
from gupai_app.server.app import create_app
from gupai_app.shell.terminal import Terminal
from gupai_env.games import GAMES, get_game
from gupai_env.games.phrases import chips
from gupai_env.messages import say
from web_room import HOME, OURS, actions, done, played, said


def game(seed, day="2026-11-27", level="greedy", seat=0):
    """A game of Jie Long in which everybody takes the first legal action."""
    rules = get_game("jie-long")
    session = Session(rules, rules.variant(), seed)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    record = session.record(["human" if each == seat else level for each in range(4)])
    return replace(record, when=f"{day}T20:15:00+08:00")


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("GUPAI_HOME", str(tmp_path / "home"))
    return Store()


@pytest.fixture
def pages(store):
    with TestClient(create_app(games=store), base_url=HOME, raise_server_exceptions=False) as client:
        yield client


def test_finished_game_is_kept_once_and_opens_as_a_review(pages, store):
    *_, end = played(pages, game="jie-long")
    played(pages, game="jie-long")  # the same deal
    (kept,) = store.find()
    assert (kept.game, kept.level, kept.seat, kept.deals) == ("jie-long", "greedy", 0, 1)
    record = game_of_line(kept.line.encode())
    assert record.payoffs[0][0] == kept.chips and record.when.startswith(kept.day)
    assert 'href="/kept/1"' in pages.get("/kept").text
    shared = pages.get("/kept/1/file").text
    other = TestClient(create_app(), base_url=HOME)
    assert other.post("/review", headers=OURS, data={"games": shared}).url.path == "/table"
    assert store.add([replace(record, agents=("human", *["tuned"] * 3))]) == 0  # who has seen the tiles
    store.delete()
    pages.get(f"/document?{end}&o.deals=1")  # somebody looks at it again, by an address that is not ours
    assert store.count() == 0
    assert (store.keep(record), store.keep(record), store.count()) == ("", "", 1)


def test_game_of_the_terminal_is_kept_unless_turned_off(store):
    for seed in (1, 2):
        words = "play", "da-ling", "--seed", seed, "--seat", 0, "--against", "greedy"
        output = gupai(*words, input="1\n" * 9 + "n\n").output
        assert ("This game is kept" in output) == (seed == 1)
        assert len(store.find()) == 1, "the second is played while games are not kept"
        answer("games", "keep", "off")
    assert "not kept" in answer("games")


@pytest.mark.parametrize(
    ("words", "seeds"),
    [
        ({}, {1, 2, 3}),
        ({"game": "da-ling"}, set()),
        ({"level": "tuned"}, {3}),
        ({"since": "2026-11-02"}, {2, 3}),
        ({"until": "2026-11-02", "level": "greedy"}, {1, 2}),
        ({"level": "' OR 1=1 --"}, set()),
    ],
)
def test_search_finds_what_matches(store, words, seeds):
    games = [game(1, "2026-11-01"), game(2, "2026-11-02"), game(3, "2026-11-03", "tuned")]
    assert store.add(games) == 3
    found = store.find(Search(**words))
    assert {json.loads(each.line)["seed"] for each in found} == set(map(str, seeds))
    assert store.count(Search(**words)) == len(found)
    results = {name: store.count(Search(result=name)) for name in ("won", "lost", "even")}
    assert sum(results.values()) == 3 and results["won"] == sum(each.payoffs[0][0] > 0 for each in games)


def test_exported_games_are_imported_with_their_days(store, tmp_path, monkeypatch):
    agents_only = replace(game(3), agents=("greedy",) * 4)
    store.add([game(1, "2026-11-01"), game(2)])
    file = tmp_path / "games.jsonl"
    assert gupai("games", "export", file).exit_code == 0
    assert "2 games" in answer("replay", file, "--check")
    file.write_text(file.read_text() + agents_only.line)
    before = [kept[1:] for kept in store.find()]
    monkeypatch.setenv("GUPAI_HOME", str(tmp_path / "another"))
    for added, known in (("2 games added of 3", "0 were there"), ("0 games added of 3", "2 were there")):
        assert added in (words := answer("games", "import", file)) and known in words
    assert [kept[1:] for kept in Store().find()] == before
    file.write_text(file.read_text().replace('"payoffs":[[', '"payoffs":[[9'))
    assert gupai("games", "import", file).exit_code == 2
    assert Store().count() == 2


@pytest.mark.parametrize(
    "words",
    [
        ("delete", 1, 99),
        ("export", "-", 99),
        ("list", "--game", "jie-lomg"),
        ("list", "--level", "foo"),
        ("review", 99),
    ],
)
def test_game_that_is_not_there_is_refused_and_nothing_changes(store, words):
    store.add([game(1)])
    refused = gupai("games", *words)
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    assert store.count() == 1


def test_writers_at_the_same_time_lose_nothing(store):
    games = [game(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(lambda each: Store().add([each]), games)) == 8
    assert Store().count() == 8


def _foreign(path):
    with sqlite3.connect(path) as file:
        file.executescript(f"CREATE TABLE games (a); PRAGMA user_version = {VERSION}")


def _newer(path):
    Store().add([game(1)])
    with sqlite3.connect(path) as file:
        file.execute(f"PRAGMA user_version = {VERSION + 1}")


@pytest.mark.parametrize(
    "spoil", [lambda path: path.write_bytes(b"not a database" * 99), _foreign, _newer, lambda path: path.mkdir()]
)
def test_file_that_is_not_ours_is_refused_in_one_line_and_left(store, pages, spoil):
    store.path.parent.mkdir(parents=True)
    spoil(store.path)
    before = store.path.read_bytes() if store.path.is_file() else None
    for words in (("games",), ("games", "delete", "--all"), ("games", "export", "-")):
        refused = gupai(*words)
        assert refused.exit_code == 2 and refused.stderr.count("\n") == 1 and FILE in refused.stderr
    assert pages.get("/kept").status_code == 422
    played(pages, game="da-ling")  # the game is not disturbed
    assert before is None or store.path.read_bytes() == before


def test_page_deletes_imports_and_stops(pages, store):
    store.add([game(1), game(2)])
    saved = pages.get("/kept/file").text
    for sent, left in (
        ({"do": "delete", "number": "1"}, 1),
        ({"do": "import", "games": saved}, 2),
        ({"do": "delete-all"}, 0),
    ):
        assert pages.post("/kept", headers=OURS, data=sent).status_code == 200
        assert store.count() == left
    pages.post("/kept", headers=OURS, data={"do": "off"})
    assert not store.keeping and "New games are not kept." in pages.get("/kept").text
    store.add([game(1)])
    arabic = "".join(chr(0x660 + int(digit)) for digit in str(store.find()[0].number))
    assert pages.get(f"/kept/{arabic}/file").status_code == 200
    assert "number 9" in said(pages.get("/kept/9"))


@pytest.mark.parametrize("name", ["jie-long", "tien-gow"])
def test_duplicate_differs_by_what_best_does_in_the_seat_of_the_person(name):
    rules = get_game(name)
    best, greedy = (make_agent(player, name) for player in ("best", "greedy"))
    games = []
    for mine in (best, greedy):
        session = Session(rules, rules.variant(), 6)
        while not session.terminated:
            session.play(session.answer(mine if session.seat == 1 else greedy))
        games.append(session.record(["human" if seat == 1 else "greedy" for seat in range(rules.variant().players)]))
    for record in games:
        played = duplicate(record, lambda player: make_agent(player, name))
        assert played.rerun.actions == games[0].actions and played.player == "best" == played.rerun.agents[1]
        difference = record.payoffs[0][1] - games[0].payoffs[0][1]
        assert played.difference == difference
        assert played.sentence == say("Difference: {chips}.", chips=chips(difference))


def test_deal_of_the_day_is_offered_until_it_is_played(pages, store):
    seed = f"{date.today():%Y%m%d}"
    offered = '<option value="da-ling">'  # among the games of the search too
    assert pages.get("/kept").text.count(offered) == 2
    played(pages, game="da-ling", seed=seed, practice=0)
    text = pages.get("/kept").text
    assert text.count(offered) == 1 and f'name="seed" value="{seed}"' in text
    compared = pages.get("/kept/1/duplicate").text
    assert "Difference: " in compared and compared.count("/table?") == 2
    assert "Difference: " in answer("games", "duplicate", 1)
    assert f"seed {seed}" in gupai("play", "da-ling", "--daily", input="q\n").output


def test_statistics_are_those_of_the_reviews(pages, store):
    assert "No game was found." in pages.get("/kept/statistics").text
    games = [game(seed, day) for seed, day in ((1, "2026-10-01"), (2, "2026-11-01"), (3, "2026-11-02"))]
    store.add(games)
    for number in (1, 2):  # the third is not looked at
        address = pages.get(f"/kept/{number}").url.query.decode()
        assert pages.get(f"/document?{address}&values=1").status_code == 200
    (row,) = json.loads(answer("games", "statistics", "--json"))["rows"]
    won = [record.payoffs[0][0] for record in games]
    values = [luck(record)[0].value.mean for record in games[:2]]
    own = [turn for record in games[:2] for turn in judged(record).decisions if turn.seat == 0]
    assert (row["games"], row["reviewed"]) == (3, 2)
    assert row["chips"]["mean"] == pytest.approx(np.mean(won))
    assert row["adjusted"]["mean"] == pytest.approx(np.mean(np.subtract(won[:2], values)))
    assert row["loss"]["mean"] == pytest.approx(sum(turn.played.loss for turn in own if turn.sure) / len(own))
    assert sum(number for _, number, _ in row["kinds"]) == len(own)
    assert answer("games", "statistics", "--review", "--by", "month").count("2026-1") == 4  # results, and reviews
    assert all(kept.luck is not None for kept in store.find())
    text = pages.get("/kept/statistics?game=jie-long&by=month").text
    assert text.count("<td>2026-1") == 2 and "<svg" in text


def test_statistics_have_intervals_from_ten_games_on_and_losses_no_sign(pages, store):
    store.add([game(seed, level="easy") for seed in range(9)])
    few = answer("games", "statistics", "--review")
    assert "±" not in few and "+" in few
    store.add([game(9, level="easy")])
    text = answer("games", "statistics", "--review")
    (row,) = json.loads(answer("games", "statistics", "--json"))["rows"]
    loss, chips = (figure(row[name]["mean"], (row[name]["high"] - row[name]["low"]) / 2) for name in ("loss", "chips"))
    assert f" {loss.removeprefix('+')} " in text and f"{chips} " in text and chips.startswith(("+", "-"))


def test_statistics_break_no_word_at_eighty_columns(pages, store, monkeypatch):
    store.add([game(seed, level="easy") for seed in range(3)])
    monkeypatch.setenv("COLUMNS", "80")
    text = answer("games", "statistics", "--review", "--by", "day")
    wide = {*re.findall(r"[^\W\d]+", text)}
    monkeypatch.setenv("COLUMNS", "400")
    assert wide == {*re.findall(r"[^\W\d]+", answer("games", "statistics", "--by", "day"))}


@pytest.mark.parametrize("when", ["20261127T201500+0800", "2026-W48-5T20:15:00+08:00", "2026-11-27 20:15+08:00"])
def test_time_of_a_game_is_stored_in_one_form_however_it_was_written(tmp_path, store, when):
    file = tmp_path / "games.jsonl"
    file.write_text(game(1, "2026-11-27").line.replace(game(1, "2026-11-27").when, when))
    assert "1 game added" in answer("games", "import", file)
    (kept,) = store.find(Search(since="2026-11-27", until="2026-11-27"))
    assert game_of_line(kept.line.encode()).when == "2026-11-27T20:15:00+08:00"


def test_all_games_are_reviewed_by_one_button(pages, store):
    store.add([game(1), game(2, level="tuned"), game(3)])
    text = pages.get("/kept/statistics?level=greedy").text
    assert "not reviewed: 2." in text and "Review all" in pages.get("/kept").text
    answer = pages.post("/kept/statistics?level=greedy", headers=OURS, data={"do": "review"})
    text = done(pages, str(answer.url))
    assert "not reviewed" not in text and "Review all</button>" not in text
    assert {kept.level: kept.luck is not None for kept in store.find()} == {"greedy": True, "tuned": False}
    assert pages.post("/kept/statistics", headers=OURS, data={"do": "nothing"}).status_code == 422


def test_puzzles_are_found_in_a_file_as_in_kept_games(pages, store):
    records = [game(seed, level="easy") for seed in range(1, 8)]
    store.add(records[:5])
    listed = re.findall(OWN, pages.get("/kept/puzzles?own=1").text)
    assert 'formaction="/puzzles"' in pages.get("/review").text
    sent = {"games": "\n".join(record.line for record in records), "number": "1"}
    other = TestClient(create_app(), base_url=HOME)  # which keeps no games
    text = other.post("/puzzles", headers=OURS, data=sent).text
    assert sorted(re.findall(OWN, text)) == sorted(listed) and len(listed) > 2
    assert re.search(r'name="number" value="(\d+)"', text)[1] == "6"
    rest = other.post("/puzzles", headers=OURS, data=sent | {"number": "6"}).text
    expected = sum(len(puzzles_in(record)) for record in records[5:])
    assert len(re.findall(OWN, rest)) == expected and 'name="number"' not in rest
    for changes in ({"number": "8"}, {"games": ""}, {"games": "{}"}):
        assert other.post("/puzzles", headers=OURS, data=sent | changes).status_code == 422


def test_review_of_another_game_of_the_deal_is_not_noted(store):
    kept = game(1)
    store.add([kept])
    store.note(replace(kept, actions=(*kept.actions[:-1], 0)), 1.0, "{}")
    assert store.get(1).luck is None
    store.note(replace(kept, when=""), 1.0, "{}")
    store.note(kept, 2.0, "{}")
    assert store.get(1).luck == 1.0


OWN = r'href="(/table\?[^"]+&amp;puzzle=own)"'  # a puzzle of a game, in a page


def test_puzzle_of_a_game_has_one_clear_move_among_several_that_somebody_misses():
    found = [(record, puzzle) for record in map(game, range(8)) for puzzle in puzzles_in(record)]
    assert len(found) > 3
    for record, (turn, fooled, cost) in found:
        moves = {value.action: record.game.move(value.action, turn.view).unturned for value in turn.ranked}
        best, *others = turn.ranked
        others = [value for value in others if moves[value.action] != moves[best.action]]
        assert len({moves[value.action] for value in others}) >= FEWEST - 1
        assert all(value.dropped or value.loss > CLEAR * value.half for value in others)
        assert cost in others and (fooled or cost is turn.played)
        assert set(fooled) <= set(solvers(record.game, record.variant))


def test_puzzle_hides_its_answer_until_a_move_is_chosen(pages, store, tmp_path):
    record = game(1, level="easy")
    store.add([record])
    found = puzzles_in(record)
    addresses = [unescape(each) for each in re.findall(OWN, pages.get("/kept/puzzles?own=1").text)]
    assert len(addresses) == len(found) > 0
    assert pages.get(addresses[0]).status_code == 200
    address = addresses[0].replace("/table?", "/document?")
    shown = pages.get(address).json()
    assert not any(move["value"] or move["best"] for move in shown["moves"]) and not shown["practice"]
    answers = [pages.get(f"{address}&play={choice}").json() for choice in actions(shown)]
    assert all(move["value"] for answer in answers for move in answer["moves"])
    verdicts = [answer["puzzle"]["sentences"] for answer in answers]
    assert sum(verdict[0].startswith("Right: ") for verdict in verdicts) == 1
    for verdict in verdicts:  # of the move that was chosen, or of one that looks natural
        assert (" looks natural and costs " in verdict[1]) == verdict[0].startswith("Right: ")
        assert " costs " in verdict[1] and len(verdict) > 2
    assert pages.get(f"{address}&play=99999").status_code == 422
    file = tmp_path / "games.jsonl"
    file.write_text(record.line)
    solved = gupai("games", "puzzles", file, input="1\n" * len(found))
    assert solved.exit_code == 0 and solved.stdout.count("Puzzle ") == len(found)
    costs = re.findall(r" costs ([\d.]+)", " ".join(solved.stdout.split()))
    assert len(costs) >= len(found) - solved.stdout.count("Right: ") and min(map(float, costs), default=1) > 0
    before_the_move = solved.stdout.partition("Your move: ")[0]
    assert "±" in solved.stdout and "±" not in before_the_move


PUZZLED = [name for name in GAMES if shipped(name)]


@pytest.mark.parametrize("name", PUZZLED)
def test_shipped_puzzles_are_rated_by_who_misses_them(name, pages):
    listed = shipped(name)
    assert len(PUZZLED) == len(GAMES) and [len(each.fooled) for each in listed] == sorted(
        len(each.fooled) for each in listed
    )
    for each in listed:
        assert each.cost > 0 and set(each.fooled) <= set(solvers(GAMES[name], GAMES[name].variant())) != set()
        assert each.words["game"] == name and Address.read(each.words).query
    shown = pages.get(f"/document?game={name}&puzzle={len(listed)}").json()
    assert shown["puzzle"]["rating"] == "★" * len(listed[-1].fooled) and not shown["puzzle"]["missed"]
    assert shown["puzzle"]["next"] == f"game={name}&puzzle=1" and len(shown["moves"]) >= FEWEST
    for number in ("0", str(len(listed) + 1)):
        assert pages.get(f"/document?game={name}&puzzle={number}").status_code == 422


def test_shipped_puzzle_is_solved_by_the_move_that_was_found(pages):
    each = shipped("jie-long")[-1]
    assert len(each.fooled) == len(solvers(GAMES["jie-long"], GAMES["jie-long"].variant()))
    address = f"/document?game=jie-long&puzzle={len(shipped('jie-long'))}"
    moves = actions(pages.get(address).json())
    right = [
        move for move in moves if "Right: " in pages.get(f"{address}&play={move}").json()["puzzle"]["sentences"][0]
    ]
    assert len(right) == 1


def typed(lines, *words):
    """What `gupai play` prints to a person who types these lines, and then leaves."""
    done = gupai("play", *words, input="".join(f"{line}\n" for line in lines))
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return done.stdout


@pytest.mark.parametrize("name", ["jie-long", "deer-hunt", "tiu-u"])
def test_game_with_moves_taken_back_and_a_pause_ends_as_without(store, name):
    words = name, "--seed", 5, "--seat", 1
    typed(["1"] * 60, *words)
    (plain,) = store.find()
    store.delete()
    assert "--resume" in typed(["u", "1", "2", "u", "1", "q", "n", "1", "q", "y"], *words)
    assert store.count() == 0 and list(store.unfinished()) == [name]
    assert "--resume" in answer("games") and "--resume" not in answer("games", "list", "--game", "pai-gow")
    assert "You left a game on " in typed(["q", "y"], *words)
    output = typed(["2", "u", *["1"] * 60], "--resume")
    (kept,) = store.find()
    assert (kept.seat, kept.level, kept.chips) == (plain.seat, plain.level, plain.chips)
    assert kept.line.partition(',"when"')[0] == plain.line.partition(',"when"')[0]
    assert f"gupai games review {kept.number}" in output and not store.unfinished()


def test_game_taken_back_at_its_end_is_kept_as_it_ended_first(store):
    output = typed(["1"] * 8 + ["u", "1"], "pai-gow", "--seed", 3, "--seat", 1, "-o", "players=2")
    assert output.count("The count") == 2 and output.count("Review this game") == 2
    assert store.count() == 1
    again = typed(["2", "n"], "pai-gow", "--seed", 3, "--seat", 1, "-o", "players=2")
    assert "as you played it first: gupai games review 1" in again


def test_game_is_kept_at_every_decision_after_the_first(store):
    rules, counts = get_game("jie-long"), []

    def ask(prompt):
        counts.append(len(store.unfinished()))
        return "1"

    terminal = Terminal(ask, lambda text: None)
    table = Table(Session(rules, rules.variant(), 5), [make_agent("greedy")] * 4, 0, terminal, store)
    table.play()
    assert len(counts) > 5 and counts[0] == 0 and set(counts[1:]) == {1}
    table.keep()
    assert not store.unfinished()


def test_unfinished_game_goes_with_the_others(store):
    words = "jie-long", "--seed", 5, "--seat", 1
    assert "--resume" not in typed(["q", "y"], *words), "nothing was played"
    typed(["1"], *words)
    assert store.unfinished()
    answer("games", "delete", "--all")
    assert not store.unfinished()
    answer("games", "keep", "off")
    assert "--resume" not in typed(["1"], *words) and not store.unfinished()
    for refused in (("--resume",), ("--resume", "--seed", 3), ("jie-long", "--resume", "--daily")):
        done = gupai("play", *refused)
        assert done.exit_code == 2 and done.stderr.count("\n") == 1


@pytest.mark.parametrize("line", ["{}", '{"format":"gupai-game-1"', None])
def test_unfinished_game_that_was_changed_is_refused_in_one_line(store, line):
    typed(["1"], "jie-long", "--seed", 5, "--seat", 1)
    with sqlite3.connect(store.path) as file:
        if line is None:
            file.execute("UPDATE unfinished SET line = replace(line, '\"actions\":[', '\"actions\":[0,')")
        else:
            file.execute("UPDATE unfinished SET line = ?", (line,))
    done = gupai("play", "--resume")
    assert done.exit_code == 2 and done.stderr.count("\n") == 1


def test_deal_of_the_day_is_without_hints_and_the_next_an_ordinary_one(store):
    output = typed(["!", "u", "1", "y", "u", "q", "y"], "da-ling", "--daily", "--seat", 1)
    daily, _, ordinary = output.partition("This was the deal of the day")
    assert daily.count("There are no hints here, and no move is taken back.") == 2
    assert ordinary.count("You have not moved yet.") == 1 == ordinary.count("Da Ling | ")  # the table is shown once


def test_review_prints_the_largest_losses_of_the_person(store):
    record = game(1, level="easy")
    store.add([record])
    own = [turn for turn in judged(record).decisions if turn.seat == 0]
    output = answer("games", "review")
    assert mean_text(luck(record)[0].value) in output and store.get(1).luck is not None
    worst = max((turn for turn in own if turn.sure), key=lambda turn: turn.played.loss)
    assert worst.lost in output and output.count("±") == 1 + min(sum(turn.sure for turn in own), 8)


def test_agent_that_a_file_names_runs_no_command(store, tmp_path):
    mark = tmp_path / "ran"
    agents = ("human", *[f"command:touch {mark}"] * 3)
    store.add([replace(game(1), agents=agents)])
    typed(["1"], "jie-long", "--seed", 5, "--seat", 1)
    with sqlite3.connect(store.path) as file:
        for (line,) in file.execute("SELECT line FROM unfinished").fetchall():
            content = json.loads(line) | {"agents": ["human" if name == "human" else agents[1] for name in agents]}
            file.execute("UPDATE unfinished SET line = ?", (json.dumps(content) + "\n",))
    for words in (("games", "duplicate", 1), ("play", "--resume")):
        done = gupai(*words, input="1\n")
        assert done.exit_code == 2 and done.stderr.count("\n") == 1 and not mark.exists()
    output = typed(["1"], "--resume", "--against", "greedy@2")
    assert "gupai play jie-long --resume --against greedy@2" in output


def test_front_page_has_the_last_games_and_the_days_in_a_row(pages, store, tmp_path):
    text = pages.get("/").text
    puzzle = re.search(r'data-address="(game=[\w-]+&amp;puzzle=\d+)"', text)[1].replace("&amp;", "&")
    assert pages.get(f"/document?{puzzle}").json()["puzzle"]["sentences"]
    assert "My last games" not in text and text.index("twenty seconds") < text.index("Today&#39;s deal")
    played(pages, game="da-ling")
    text = pages.get("/").text
    assert '<a href="/kept/1">Da Ling' in text and "<b>1</b> day in a row" in text
    assert text.index("Today&#39;s deal") < text.index("twenty seconds")
    store.path.write_text("of another program")
    assert pages.get("/").status_code == 200  # the page of kept games says what is wrong
    assert pages.get("/kept").status_code == 422


@pytest.mark.parametrize(
    ("days", "number"),
    [([], 0), (["03"], 1), (["02", "03"], 2), (["02"], 1), (["01", "02"], 2), (["01"], 0), (["01", "03"], 1)],
)
def test_streak_counts_days_up_to_today_or_yesterday(days, number):
    assert streak([f"2026-03-{day}" for day in days], date(2026, 3, 3)) == number
