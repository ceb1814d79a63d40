"""The command line as its users meet it: help, lost streams, narrow terminals, and games in a pipe."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import fields
from itertools import cycle, islice
from pathlib import Path

import pytest

from commands import answer, gupai
from gupai_app.__main__ import main as first
from gupai_app.play.rules import fill_rules
from gupai_app.shell import screen as report
from gupai_app.shell.streams import printable, say
from gupai_app.shell.terminal import Terminal
from gupai_env import GAMES, jie_long_v0
from gupai_env.games.phrases import chips
from processes import Command

HEAVY = ("numpy", "numba", "torch", "scipy", "pettingzoo", "gymnasium", "gupai_env", "gupai_agents")


@pytest.mark.parametrize("words", [["--help"], ["play", "--help"], []], ids=str)
def test_help_imports_nothing_heavy(words):
    code = (
        f"import sys; sys.argv = ['gupai', *{words}]\n"
        "from gupai_app.shell.cli import main\n"
        "try: main()\n"
        f"finally: print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr.strip() == ""
    assert "Usage: gupai" in result.stdout


@pytest.mark.parametrize("words", [["games"], ["play", "da-ling", "--seed", "1"]], ids=str)
def test_games_of_the_terminal_need_no_server(words, tmp_path):
    code = (
        f"import sys; sys.modules.update(dict.fromkeys(['fastapi', 'starlette', 'uvicorn'])); sys.argv[1:] = {words}\n"
        "from gupai_app.shell.cli import main\n"
        "main()"
    )
    environment = {**os.environ, "GUPAI_HOME": str(tmp_path)}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60, input="1\nn\n", env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_version_is_a_number():
    name, _, number = answer("--version").strip().partition(" ")
    assert name == "gupai"
    assert all(part.isdigit() for part in number.split(".")[:2])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize(
    ("words", "stream", "status", "said"),
    [
        ("rules", 1, 1, "gupai: standard output: the disk is full\n"),
        ("--version", 1, 1, "gupai: standard output: the disk is full\n"),
        ("plya", 2, 2, ""),
    ],
)
def test_unwritable_output_is_reported_in_one_line(words, stream, status, said):
    with open("/dev/full", "w") as full:
        done = Command(words, streams={stream: full.fileno()}).ends()
    assert (done.returncode, done.stderr) == (status, said)


@pytest.mark.parametrize("buffered", ["", "1"])
def test_line_is_flushed_before_a_process_ends(buffered):
    code = (
        "import os; from gupai_app.shell import streams; streams.take(); streams.say('said', error=True); os._exit(1)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": buffered}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "said\n")


@pytest.mark.parametrize(
    ("words", "streams", "status", "said"),
    [
        ("--version", {1: None}, 1, "gupai: standard output: it is closed\n"),
        ("--help", {1: None}, 1, "gupai: standard output: it is closed\n"),
        ("rules", {0: None, 1: None}, 1, "gupai: standard output: it is closed\n"),
        ("--version", {1: None, 2: None}, 1, ""),
        ("--version", {2: None}, 0, ""),
        ("--version", {0: None}, 0, ""),
        ("plya", {2: None}, 2, ""),
        ("plya", {1: None}, 2, "gupai: No such command 'plya'. Did you mean 'play', 'replay'?\n"),
    ],
)
def test_streams_may_be_closed(words, streams, status, said):
    done = Command(words, streams=streams).ends()
    assert (done.returncode, done.stderr) == (status, said)


@pytest.mark.skipif(os.name != "posix", reason="a shell")
def test_process_may_start_with_closed_streams():
    command = f"{sys.executable} -m gupai_app rules <&- >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "gupai: standard output: it is closed\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.parametrize("words", ["--help", "watch jie-long random --seed 1 --json"])
def test_closed_pipe_ends_a_command_quietly(words):
    read, write = os.pipe()
    os.close(read)
    done = Command(*words.split(), streams={1: write}).ends()
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("wide", ["2", "1", "0", "-5", "x"])
@pytest.mark.parametrize("words", [["rules", "ce-deng"], ["rules"], ["--help"], ["play", "--seed", "1"]], ids=str)
def test_narrow_terminal_is_accepted(words, wide, monkeypatch):
    monkeypatch.setenv("COLUMNS", wide)
    assert answer(*words)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_rules_fill_any_width(game):
    for width in range(-3, 30):
        filled = fill_rules(game.rules_text, width)
        assert "".join(filled.split()) == "".join(game.rules_text.split())


ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eback\u202c \udcff"


def test_control_characters_are_escaped_in_all_output(capsys, tmp_path):
    safe = printable(ESCAPES)
    assert safe == r"\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eback\u202c \udcff"
    assert printable("牌 “é”\n\tx") == "牌 “é”\n\tx"
    assert printable(f"\x1b[1;31m{ESCAPES}\x1b[0m", colours=True).startswith("\x1b[1;31m\x1b[31mred\\x1b]0;")
    table = report.table_of("a")
    table.add_row(ESCAPES)
    report.put(table, ESCAPES)
    say(ESCAPES)
    Terminal(colour=False).paragraph(ESCAPES)
    Terminal(colour=False).say(ESCAPES)
    shown = capsys.readouterr().out
    assert "".join(shown.split()).count("".join(safe.split())) == 5
    assert not any(sign in shown for sign in "\x1b\x07\x9b\u202e\udcff")
    refused = gupai("watch", "jie-long", "\x1b[31mx", "--record", str(tmp_path / "x"))
    assert refused.exit_code == 2 and "'\\x1b[31mx' is not a player" in refused.stderr and "\x1b" not in refused.stderr
    (tmp_path / "x.yaml").write_text('"\\e[31m": 1', encoding="utf-8")
    refused = gupai("claim", "run", str(tmp_path / "x.yaml"))
    assert refused.exit_code == 2 and "\x1b" not in refused.output


def test_markup_of_other_programs_is_printed_literally(capsys):
    text = "[bold]:smile:[/bold] [/y] http://1.2.3.4"
    table = report.table_of(f"a {text}")
    table.add_row(text)
    report.put(table, text)
    assert capsys.readouterr().out.count(text) == 3


def test_characters_the_terminal_lacks_become_question_marks():
    done = subprocess.run(
        [sys.executable, "-m", "gupai_app.shell.cli", "rules"],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Jie Long (??," in done.stdout.decode("cp1252")


def test_empty_input_leaves_the_table():
    done = Command("play", streams={0: None}).ends()
    assert (done.returncode, done.stderr) == (0, "")
    assert "You have left the table." in done.stdout


def test_rules_list_the_games_and_every_option_of_one():
    listed = answer("rules")
    for game in GAMES.values():
        assert game.id in listed
        shown = " ".join(answer("rules", game.id).split())
        for field in fields(game.variant):
            assert f"{field.name} {str(field.default).lower()}" in shown
        assert f"Actions: {game.num_actions}," in shown


def test_game_can_be_played_to_its_end_through_a_pipe():
    """Numbers 1 to 6 in turn answer every question sooner or later; the end of the input leaves the table."""
    typed = "\n".join(islice(cycle("123456"), 400))
    words = ("play", "jie-long", "--seed", "3", "--seat", "2", "-o", "forced_play=yes")
    result = Command(*words, typed=typed).ends()
    assert (result.returncode, result.stderr) == (0, "")
    assert "Jie Long (forced_play=True), seed 3. You have seat 2." in result.stdout
    assert "The count, all tiles face up:" in result.stdout
    assert result.stdout.endswith("You have left the table.\n")


def test_watched_moves_as_json_are_a_game_of_the_environment():
    lines = answer("watch", "jie-long", "greedy", "random", "--seed", "7", "-o", "deals=2", "--json").splitlines()
    moves = [json.loads(line) for line in lines]
    env = jie_long_v0.env(deals=2)
    env.reset(seed=7)
    for number, move in enumerate(moves, 1):
        assert env.agent_selection == f"seat_{move['seat']}"
        assert env.infos[env.agent_selection]["action_mask"].nonzero()[0].tolist() == move["legal"]
        assert (move["move"], move["agent"]) == (number, ("greedy", "random")[move["seat"] % 2])
        assert move["name"] == env.game.action_names[move["action"]]
        env.step(move["action"])
        assert move["payoffs"] == (list(env.rewards.values()) if any(env.rewards.values()) else None)
    assert all(env.terminations.values())
    assert [move["deal"] for move in moves] == [0] * 32 + [1] * 32


@pytest.mark.parametrize("game", GAMES)
def test_watch_names_every_move_and_ends_with_the_count(game):
    moves = [json.loads(line) for line in answer("watch", game, "--seed", "2", "--json").splitlines()]
    shown = answer("watch", game, "--seed", "2").splitlines()
    printed = [line for line in shown if line[:3].strip().isdigit()]
    assert len(printed) == len(moves)
    for move, line in zip(moves, printed, strict=True):
        assert f"{line} ".startswith(f"{move['move']:>3}  Seat {move['seat']} {move['agent']}: {move['name']} ")
    for seat, won in enumerate(moves[-1]["payoffs"]):
        assert any(line.startswith(f"  Seat {seat} ") and f" {chips(won)}" in line for line in shown)
    assert len(answer("watch", game, "--seed", "2", "--tables").splitlines()) > 10 * len(moves)


@pytest.mark.usefixtures("signals")
def test_ctrl_c_is_answered_in_one_line_from_the_start(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("gupai_app.shell.cli.main", interrupted)
    try:
        with pytest.raises(SystemExit) as end:
            first()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL  # a second one ends all that is waited for
    finally:
        signal.signal(signal.SIGINT, before)
    assert end.value.code == 130
    assert capsys.readouterr().err == "gupai: stopped\n"
    code = (
        "import gupai_app.__main__, sys\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('typer', 'gupai_app')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "['gupai_app', 'gupai_app.__main__']\n"
