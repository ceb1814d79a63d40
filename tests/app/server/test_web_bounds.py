"""What pages do at their bounds: the last that is allowed, one beyond, what is gone, and what nobody expected."""

import gzip
import json
import re
import signal
import threading
import time
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs

import pytest

from commands import gupai

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")


from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule
from gupai_agents.evaluation.tournaments.folder import FolderError
from gupai_agents.evaluation.tournaments.tournament import LineUp
from gupai_app.play.address import Address, moves_in, play_on
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.review.document import MOST_NAME, check_names
from gupai_app.server import app as web_app
from gupai_app.server import jobs
from gupai_app.tournaments import routes as tournaments
from gupai_env.core.rng import draw
from gupai_env.core.streams import PERSON_STREAM
from gupai_env.games import get_game
from web_room import OURS, done, said

HOME = "http://127.0.0.1"
JIE_LONG = get_game("jie-long")


def over():
    """A game that has been played to its end, and its moves."""
    session = Session(JIE_LONG, JIE_LONG.variant(), 5)
    while not session.terminated:
        session.play(int(session.mask().argmax()))
    return session


# --- games ----------------------------------------------------------------------------------------


def test_game_names_are_printable_and_bounded():
    names = ["x" * MOST_NAME, "", "中"]
    assert check_names(names) == names
    for wrong in ("x" * (MOST_NAME + 1), "a\nb", 5, None):
        with pytest.raises(ValueError, match="cannot name a player; a name has up to 1,000 characters, all of them pr"):
            check_names([*names, wrong])


def test_moves_after_the_end_are_refused():
    ended = over()
    moves = ended.actions
    with pytest.raises(ValueError, match=f"^move {len(moves) + 1} comes after the end of the game$"):
        play_on(Session(JIE_LONG, JIE_LONG.variant(), 5), [*moves, 0])
    own = [action for action, seat in zip(moves, ended.movers, strict=True) if seat == 0]
    assert own and len(moves_in(".".join(map(str, moves)))) == len(moves)
    address = {"game": "jie-long", "seed": "5", "seat": "0", "with": "human"}
    seating = WebGame(Address.read(address))
    seating.session = ended
    with pytest.raises(ValueError, match=f"^move {len(moves) + 1} comes after the end of the game$"):
        seating._play(0)


# --- jobs -----------------------------------------------------------------------------------------


def ended(work, key):
    for _ in range(500):
        if work.running != key:
            return
        time.sleep(0.01)
    raise AssertionError(key)


def test_job_is_begun_once_and_old_ones_are_forgotten(monkeypatch):
    monkeypatch.setattr(jobs, "MOST_KEPT", 3)
    work, begun, go = jobs.Jobs(), [], threading.Event()

    def waits(notify):
        begun.append(1)
        go.wait(20)

    work.begin("/a", "a", waits)
    work.begin("/a", "a", waits)
    with pytest.raises(ValueError, match="a is under way; stop it or wait for its end"):
        work.begin("/b", "b", waits)
    go.set()
    ended(work, "/a")
    assert begun == [1]
    for name in "bcd":
        work.begin(f"/{name}", name, lambda notify: 5)
        ended(work, f"/{name}")
    assert [work.status(f"/{name}") is None for name in "abcd"] == [True, False, False, False]


# --- tournaments ----------------------------------------------------------------------------------


def test_missing_line_of_a_game_file_is_explained(tmp_path, monkeypatch):
    path = tmp_path / "games.jsonl.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\nthr"))
    assert [tournaments.line_at(path, at) for at in (0, 1)] == ["one\n", "two\n"]
    for at in (2, 3):
        with pytest.raises(ValueError, match=r"^this game is not played yet$"):
            tournaments.line_at(path, at)
    monkeypatch.setattr(tournaments, "MOST_LINE", 3)
    with pytest.raises(ValueError, match=r"^a line is too long$"):
        tournaments.line_at(path, 0)
    monkeypatch.undo()
    cannot = r"^games\.jsonl\.gz cannot be read: it is damaged, or not there yet$"
    cut = gzip.compress(b"one\n" * 999)[:-9]
    for content, at in ((b"no gzip", 0), (cut, 999), (gzip.compress(b"\xff\xfe\n"), 0)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=cannot):
            tournaments.line_at(path, at)
    path.unlink()
    with pytest.raises(ValueError, match=cannot):
        tournaments.line_at(path, 0)


def test_damaged_folders_are_described_without_their_path():
    folder = Path("/home/me/kept")
    for error, told in (
        ("/home/me/kept is not finished; --resume continues it", "kept is not finished; --resume continues it"),
        ("/home/me/kept/games.csv: damaged, it is short", "games.csv: it is short"),
    ):
        assert tournaments._problem(folder, FolderError(error), "") == told


def test_line_up_is_given_by_names():
    names = ["a", "b", "c"]
    assert tournaments._who(LineUp("one", (2, 0, 0, 0)), names) == "c among a"
    assert tournaments._who(LineUp("mixed", (2, 0, 1, 0)), names) == "c, a, b, a"


@pytest.fixture(scope="module")
def played(room):
    names = ["random", "greedy"]
    agents = [make_agent(name, "tiu-u") for name in names]
    play_into(room / "tournaments" / "played", schedule("tiu-u", names, 4, seed=1), agents)
    return room / "tournaments" / "played"


def test_finished_tournament_is_neither_stopped_nor_continued(played, pages):
    before = {path.name: path.read_bytes() for path in played.iterdir()}
    for todo in ("go", "stop", "", "dance"):
        answer = pages.post("/tournament/played", headers=OURS, data={"do": todo})
        assert answer.status_code == 200 and "Who wins from whom" in answer.text
    assert {path.name: path.read_bytes() for path in played.iterdir()} == before


def test_folder_with_too_many_agents_is_called_damaged(played, pages, monkeypatch):
    monkeypatch.setattr(tournaments, "MOST_SHOWN", 2)
    assert "Who wins from whom" in pages.get("/tournament/played").text
    monkeypatch.setattr(tournaments, "MOST_SHOWN", 1)
    assert "there are 2 agents; pages show 1 at most" in pages.get("/tournament/played").text


def test_old_forms_are_forgotten(pages, monkeypatch):
    monkeypatch.setattr(tournaments, "MOST_KEPT", 1)
    form = {"game": "tiu-u", "agent": ["greedy", "random"], "deals": "2"}
    for seed in ("1", "2"):
        answer = pages.post("/tournaments", headers=OURS, data={**form, "seed": seed})
        assert "Who wins from whom" in done(pages, answer.url.path)
    assert len(pages.app.state.server.begun) == 1


# --- claims and runs ------------------------------------------------------------------------------


def test_claim_without_readings_cannot_be_tested(pages, monkeypatch):
    from gupai_app.claims import routes as claims

    bare = claims.known()["dn-deck"].model_copy(update={"readings": [], "untested": "nobody knows how"})
    monkeypatch.setitem(claims.known(), "dn-deck", bare)
    answer = pages.post("/claim/dn-deck", headers=OURS, data={"do": "begin"})
    assert answer.status_code == 422 and "dn-deck has no reading that can be tested" in said(answer).lower()


def test_run_without_evaluations_is_shown(room, pages):
    folder = room / "runs" / "young"
    folder.mkdir()
    (folder / "config.yaml").write_text("game: jie-long\n")
    answer = pages.get("/run/young")
    assert answer.status_code == 200 and "damaged" not in answer.text
    assert "young" in pages.get("/runs").text


# --- the server -----------------------------------------------------------------------------------


def test_unexpected_error_is_a_sentence_and_a_traceback_on_console(pages, monkeypatch, capfd):
    def broken(*_):
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr(web_app, "assets", broken)
    answer = pages.get("/static/page.css")
    assert answer.status_code == 500 and "deep inside" not in answer.text
    assert said(answer) == "Something is wrong with this program; the console says more."
    assert "ZeroDivisionError: deep inside" in capfd.readouterr().err


@pytest.mark.usefixtures("signals")
def test_signal_ends_the_server_unless_it_was_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as of a background job
    try:
        server = web_app.WebServer(web_app.uvicorn.Config(None, log_config=None))
    finally:
        signal.signal(signal.SIGINT, before)
    server.handle_exit(signal.SIGINT, None)
    assert not server.should_exit
    server.handle_exit(signal.SIGTERM, None)
    assert server.should_exit


WRITTEN = {  # numbers as people write them, None for what is none
    "7": 7,
    " 7\t": 7,
    "７": 7,
    "１２\u3000": 12,
    "٧": 7,
    "+7": 7,
    "0" * 30 + "7": 7,
    str((1 << 63) - 1): (1 << 63) - 1,
    str(1 << 63): None,
    "1e3": None,
    "7,000": None,
    "七": None,
    "²": None,
    "-7": None,
    "9" * 5000: None,
}


@pytest.mark.parametrize(("text", "number"), WRITTEN.items(), ids=[repr(text)[:24] for text in WRITTEN])
def test_terminal_and_pages_read_the_same_numbers(text, number, pages):
    shown = gupai("watch", "da-ling", "random", "--seed", text)
    answer = pages.get("/document", params={"game": "da-ling", "with": "random", "seed": text})
    if number is None:
        assert (shown.exit_code, answer.status_code) == (2, 422)
        return
    assert shown.output.startswith(f"Da Ling, seed {number}\n")
    assert answer.json()["seed"] == str(number)
    assert Address.read({"game": "da-ling", "seed": text, "episode": text[-1:], "seat": " １"}).seat == 1


def test_options_and_moves_accept_the_same_numbers(pages):
    variant = get_game("da-ling").variant.parse(["players=４", "deals= 2", "leader= ３ "])
    assert (variant.players, variant.deals, variant.leader) == (4, 2, 3)
    assert moves_in("12.４0. 7") == (12, 40, 7)
    shown = gupai("claim", "run", "jl-attack-2", "--deals", "２x")
    assert "--deals=２x is not allowed; write a whole number" in shown.stderr


@pytest.mark.parametrize("seed", [5, 1 << 60, (1 << 63) - 1])
def test_seat_is_drawn_for_a_seed_of_any_length(seed, pages):
    query = {"game": "jie-long", "with": "random", "seed": str(seed)}
    for seat in ({}, {"seat": "any"}, {"seat": " "}):
        answer = pages.get("/document", params=query | seat)
        assert parse_qs(answer.json()["address"])["seat"] == [str(draw(seed, PERSON_STREAM, 4))]


def test_form_accepts_every_number_that_the_server_reads(pages):
    text = pages.get("/tournaments/jie-long").text
    fields = re.findall(r'<input name="(?:seed|deals)"[^>]*pattern="([^"]*)"', text)
    assert fields
    for field in fields:
        pattern = field.replace(r"\p{Nd}", r"\d")  # as JavaScript writes any decimal digit
        assert re.fullmatch(pattern, " ４000") and not re.fullmatch(pattern, "4e3")


def test_browser_opens_when_the_server_answers(monkeypatch):
    opened, server = [], SimpleNamespace(started=False)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        server.started = len(waited) == 3

    monkeypatch.setattr(web_app.time, "sleep", sleep)
    web_app._open(server, "http://here/")
    assert (opened, len(waited)) == (["http://here/"], 3)
    server.started = False
    waited[:] = [0.0] * 9
    web_app._open(server, "http://there/")  # one that never starts is given up
    assert opened == ["http://here/"]


@pytest.mark.parametrize("browser", [True, False])
def test_pages_are_served_until_they_are_stopped(browser, monkeypatch, capsys, tmp_path):
    begun, opened = [], threading.Event()

    class Server:
        def __init__(self, config):
            self.config, self.started = config, True

        def run(self, sockets):
            begun.append((self.config, sockets))

    monkeypatch.setattr(web_app, "WebServer", Server)
    # The real one configures logging, which closes pytest's own handlers.
    monkeypatch.setattr(web_app.uvicorn, "Config", lambda made, **settings: SimpleNamespace(app=made, **settings))
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.set())
    monkeypatch.chdir(tmp_path)
    web_app.serve(browser=browser)
    ((config, (found,)),) = begun
    try:
        host, port = found.getsockname()
        assert host == "127.0.0.1" and port >= web_app.PORT
        assert capsys.readouterr().out == f"gupai is at http://{host}:{port}/ (ctrl-C ends it)\n"
        assert opened.wait(5 if browser else 0.1) == browser
        assert (config.server_header, config.ws) == (False, "none")
    finally:
        found.close()
    assert json.dumps(list(tmp_path.iterdir())) == "[]"
