"""The command line as its users meet it: answers, figures one can recompute, and one line for a mistake."""

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import fields
from itertools import cycle, islice
from pathlib import Path

import pytest
from typer import Abort

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.tournament import round_robin
from gupai_app.__main__ import main as first
from gupai_app.play.terminal import Terminal
from gupai_app.shell import screen as report
from gupai_app.shell.cli import main
from gupai_app.shell.errors import mistakes
from gupai_app.shell.streams import OutputLostError, printable, say
from gupai_app.training import speed as bench
from gupai_env import GAMES, get_game, jie_long_v0
from gupai_env.words.spelling import fill_rules
from processes import Command
from trees import tiny_tree

HEAVY = ("numpy", "numba", "torch", "scipy", "pettingzoo", "gymnasium", "gupai_env", "gupai_agents")


def answer(*words, **options):
    """What a command prints that succeeds."""
    result = gupai(*words, **options)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


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


def test_version_is_a_number():
    name, _, number = answer("--version").strip().partition(" ")
    assert name == "gupai"
    assert all(part.isdigit() for part in number.split(".")[:2])


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("play jie-longg", "'jie-longg' is not a game; did you mean jie-long?"),
        ("play jie-long -o force_play=true", "'force_play' is not an option of jie-long; did you mean forced_play?"),
        ("play jie-long -o forced_play=maybe", "forced_play=maybe is not allowed; write true or false"),
        ("play jie-long -o players=five", "players=five is not allowed; choose 2, 3 or 4"),
        ("play jie-long -o players=5", "players=5 is not allowed; choose 2, 3 or 4"),
        ("play jie-long -o players", "'players' sets no option; write name=value"),
        ("play jie-long -o stake=0", "stake=0.0 is not allowed"),
        ("play jie-long --seat 4", "there is no seat 4; the seats are 0 to 3"),
        ("play jie-long --seat two", "--seat=two is not allowed; write a whole number\n"),
        ("play jie-long --seed 5.0", "--seed=5.0 is not allowed; write a whole number\n"),
        ("ladder jie-long --few 5.0", "--few=5.0 is not allowed; write a whole number from 2 to 8,388,608\n"),
        ("play jie-long --seed -1", "a seed is a whole number from 0"),
        ("play jie-long --against gredy", "'gredy' is not a player of jie-long; did you mean greedy?"),
        ("play jie-long --against human", "only programs can play here"),
        ("watch jie-long checkpoint:missing", "missing: there is no such checkpoint"),
        ("watch jie-long random random random random random", "5 agents are too many; there are 4 seats"),
        ("tournament jie-long greedy", "a tournament needs two agents or more"),
        (
            "tournament jie-long greedy random --deals 1",
            "--deals=1 is not allowed; write a whole number from 2 to 8,388,608",
        ),
        ("exploitability jie-long -o deck=full", "jie-long: 32 tiles lie in 1.3e+32 orders, too many for exact work"),
        ("exploitability jie-long -o players=4", "players=4 is not allowed with deck='tiny'"),
        ("exploitability jie-long -o deals=2", "deals=2 is not allowed in exact work"),
        ("exploitability jie-long human", "only programs can play here"),
        (
            "exploitability jie-long --rounds 0",
            "--rounds=0 is not allowed; write a whole number from 1 to 1,000,000,000\n",
        ),
        ("rules jielong", "'jielong' is not a game"),
        ("bench chess", "'chess' is not a game"),
        ("plya", "No such command 'plya'."),
        ("tournament", "Missing argument 'GAME'."),
        ("watch --tabels", "No such option: --tabels"),
        ("watch --record=", "--record is empty"),
        ("tournament jie-long greedy random --out=", "--out is empty"),
        ("web --runs=", "--runs is empty"),
        ("benchmark", "name an AGENT, or cards with --compare"),
        (
            "benchmark greedy --out card.txt",
            "--out card.txt: the name of a card ends in .json; its page is written next",
        ),
        ("verify /no/such/place", "/no/such/place: there is no such folder, and no such card"),
        ("verify / --agent greedy", "--agent is for cards; the games of a tournament are in its folder"),
        ("train", "name a configuration, or a run to resume with --resume"),
        ("train jie-long --resume RUN", "name a configuration, or a run to resume with --resume"),
        ("train --resume RUN --set seed=1", "--set cannot be combined with --resume: a run keeps its settings"),
        ("watch jie-long -o players=3 -o players=4", "players is given twice; give it once"),
        (f"train jie-long --runs {__file__}", f"{__file__}: this is a file; name a folder"),
        (
            "train --resume RUN --seeds 2",
            "--seeds is for new runs, one in each process; leave out --resume, --ray and --jobs",
        ),
        ("claim run --all --set readings.0.margin=1", "--set and -o change one claim; name it instead of --all"),
        ("claim run", "name a claim, or --all; `gupai claim list` lists them"),
    ],
)
def test_mistake_is_reported_in_one_line_with_status_2(words, line):
    result = gupai(*words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"gupai: {line}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "package", "module", "extra", "what"),
    [
        ("train jie-long", "stable_baselines3", "gupai_training.run", "train", "training"),
        (
            "best-response jie-long greedy --method network",
            "torch",
            "gupai_training.best_response",
            "train",
            "learning",
        ),
        ("export RUN --onnx FILE", "torch", "gupai_training.export", "train,onnx", "the export"),
        ("tune jie-long --seconds 9", "cmaes", "", "tune", "tuning"),
        ("discover jie-long", "cmaes", "", "tune", "tuning"),
        ("best-response jie-long greedy", "cmaes", "", "tune", "tuning"),
        ("export-dataset GAMES --out x.parquet", "pyarrow", "", "data", "Parquet"),
        ("web --no-browser", "uvicorn", "gupai_app.server.serve", "web", "gupai web"),
    ],
)
def test_missing_package_is_named_with_its_extra(words, package, module, extra, what, tmp_path, monkeypatch):
    games = tmp_path / "games.jsonl"
    assert gupai("watch", "jie-long", "random", "--record", str(games)).exit_code == 0
    monkeypatch.chdir(tmp_path)
    for name in [package, *sys.modules]:
        if name.partition(".")[0] == package:  # its modules too, which other tests have imported
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    done = gupai(*({"GAMES": str(games), "RUN": str(tmp_path)}.get(word, word) for word in words.split()))
    line = f"gupai: {what} needs a package that is not installed ({package}): pip install 'gupai[{extra}]'\n"
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", line)
    assert list(tmp_path.iterdir()) == [games]


def test_unwritable_heuristic_is_reported_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr("gupai_app.training.tune.tune", lambda *_, **__: pytest.fail("it searched"))
    result = gupai("tune", "jie-long", "--out", str(tmp_path / "none" / "x.yaml"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "".join(result.stderr.split()).endswith(f"thereisnofolder{tmp_path}/none")


def test_process_mistake_leaves_no_traceback():
    command = [sys.executable, "-m", "gupai_app.shell.cli", "watch", "jie-long", "gredy"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("gupai: 'gredy' is not a player")


@pytest.mark.parametrize("path", ["replay", "verify", "export"])
def test_empty_word_names_no_file(path):
    result = gupai(path, "", *(["--onnx", "x.onnx"] if path == "export" else []))
    assert result.exit_code == 2 and result.stderr.endswith(" is empty\n") and result.stderr.count("\n") == 1


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


def test_lost_output_is_never_blamed_on_a_named_file(tmp_path):
    """What is printed within `mistakes`, as a replayed game is, may be lost too."""

    def lost():
        with mistakes():
            raise OutputLostError(OSError(errno.EPIPE, "Broken pipe"))

    with pytest.raises(OutputLostError):
        lost()


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


def test_refusing_another_deal_explains_how_to_watch():
    typed = "\n".join([*islice(cycle("123456"), 400), "n"])
    shown = answer("play", "jie-long", "--seed", "3", "--seat", "2", "-o", "forced_play=yes", input=typed)
    assert shown.endswith("To see agents play: gupai watch jie-long\n")


def test_seat_is_drawn_from_the_seed():
    seats = {seed: answer("play", "--seed", str(seed), input="q\n").split("You have seat ")[1][0] for seed in range(8)}
    assert len(set(seats.values())) > 1
    assert answer("play", "--seed", "5", input="q\n").split("You have seat ")[1][0] == seats[5]


def test_remaining_seats_are_filled_in_order():
    shown = answer("play", "--seed", "1", "--seat", "1", "--against", "greedy", "--against", "random", input="q\n")
    assert "West: greedy, East: random, North: greedy." in " ".join(shown.split())
    shown = answer("play", "--seed", "1", "--seat", "1", input="q\n")  # against the weakest level
    assert "West: easy, East: easy, North: easy." in " ".join(shown.split())


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
    for seat, chips in enumerate(moves[-1]["payoffs"]):
        assert any(line.startswith(f"  Seat {seat} ") and f" {chips:+g} chips" in line for line in shown)
    assert len(answer("watch", game, "--seed", "2", "--tables").splitlines()) > 10 * len(moves)


def test_two_seat_tournament_is_zero_sum():
    agents = ("greedy", "variety", "random")
    options = ("--deals", "40", "--seed", "3", "-o", "players=2", "--json")
    result = json.loads(answer("tournament", "jie-long", *agents, *options))
    won = {(duel["hero"], duel["villain"]): duel["mean"] for duel in result["duels"]}
    assert len(won) == 6
    for hero, villain in won:
        assert won[hero, villain] == pytest.approx(-won[villain, hero])
    for total in result["totals"]:
        hero = total["hero"]
        seats = [seat["mean"] for seat in result["seats"] if seat["hero"] == hero]
        assert total["mean"] == pytest.approx(sum(seats) / 2)
        assert total["mean"] == pytest.approx(sum(won[hero, v] for v in range(3) if v != hero) / 2)
    assert (result["game"], result["deals"], result["seed"], result["variant"]["players"]) == ("jie-long", 40, 3, 2)


def test_tournament_table_equals_its_duels():
    shown = answer("tournament", "ce-deng", "greedy", "variety", "--deals", "30", "--seed", "1")
    standings = round_robin("ce-deng", [make_agent(name, "ce-deng") for name in ("greedy", "variety")], 30, seed=1)
    for hero, villain in ((0, 1), (1, 0)):
        assert f"{standings.against(hero, villain)}" in shown
        for seat in range(4):
            assert f"{standings.at_seat(hero, seat)}" in shown
    assert "ce-deng v0, default options; 30 deals per duel, seed 1;" in shown


def test_exploitability_prints_the_gain_of_a_best_response():
    words = ("exploitability", "jie-long", "greedy", "--solve", "--rounds", "50", "-o", "forced_play=true")
    result = json.loads(answer(*words, "--json"))
    tree = tiny_tree("jie-long", forced_play=True)
    assert (result["nodes"], result["deals"], result["information_sets"]) == (tree.nodes, tree.deals, tree.sets)
    random, greedy, solved = result["policies"]
    assert [random["name"], greedy["name"], solved["name"]] == ["random", "greedy", "CFR+"]
    assert random["exploitability"] == pytest.approx(tree.exploitability(tree.uniform()))
    assert solved["exploitability"] < random["exploitability"] / 20
    shown = answer(*words)
    for policy in result["policies"]:
        assert f"{policy['exploitability']:.4f}" in shown
    assert f"{tree.nodes:,} nodes, {tree.deals:,} deals, {tree.sets:,} information sets" in " ".join(shown.split())


def test_rate_is_decisions_per_second_and_speedup_of_all_threads(monkeypatch):
    clock, calls = iter([5.0, 5.0, 5.125, 5.25]), []
    assert bench.rate(lambda call: calls.append(call) or 10 * call, lambda: next(clock)) == 120
    assert calls == [1, 2]  # call 0 is that which compiles
    rates = {"one": 2.0, "all": 6.0}
    runs = {name: lambda call, name=name: calls.append(name) or 1 for name in rates}
    named = {run: rates[name] for name, run in runs.items()}
    monkeypatch.setattr(bench, "rate", lambda run, clock=None: named[run])
    assert bench.speedup(runs["one"], runs["all"]) == 3 and calls[2:] == ["one", "all"]
    del calls[:]
    assert bench.median_rate(runs["all"]) == 6 and calls == ["all"]  # which compiles


def test_bench_measures_every_interface_and_names_the_machine(monkeypatch):
    few = {"RUN_SECONDS": 0.001, "RUNS": 1, "FRESH_RUNS": 1, "STEPS": 2, "CALL": 256, "ENVS": (1, 64), "SHARED": (64,)}
    for name, value in few.items():
        monkeypatch.setattr(bench, name, value)
    assert bench.FIGURES == 2 * 4 + 3 * 3 + 5  # of tables of four sizes, of which three are shared out
    result = json.loads(answer("bench", "--json"))
    assert len(result["figures"]) == 2 * 2 + 3 * 1 + 5
    assert {"cpu", "cores", "python", "numba"} <= set(result["machine"])
    measured = {figure["what"]: figure["unit"] for figure in result["figures"]}
    assert measured["64 lanes, observation and mask"] == measured["AEC, agent_iter"] == "decisions/s"
    assert measured["memory of a lane"] == "bytes"
    assert all(figure["value"] > 0 for figure in result["figures"])


def test_options_are_read_by_their_type():
    variant = get_game("jie-long").variant
    words = ["players=3", "deals=10", "leader=2", "forced_play=TRUE", "double_lock=0", "stake=2.5"]
    assert variant.parse(words) == variant(
        players=3, deals=10, leader=2, forced_play=True, double_lock=False, stake=2.5
    )
    assert variant.parse(["leader=random", "forced_play=no"]) == variant.parse([]) == variant()


LONG = {  # what is done at length, in which command, and what is said of it when it is stopped
    "gupai_agents.evaluation.tournament.play_tournament": (
        "tournament jie-long greedy random",
        "; run the command again; with --out FOLDER, finished work is kept",
    ),
    "gupai_agents.evaluation.folder.play_into": (
        "tournament jie-long greedy random --out {at}",
        "; finished work is in {at}: run the command again with --resume",
    ),
    "gupai_app.training.tune.tune": ("tune jie-long", "; no results were kept: run the command again"),
    "gupai_agents.evaluation.gate": ("gate jie-long greedy random --record {at}", "; no game was finished"),
    "gupai_app.claims.terminal.test": (
        "claim run jl-attack-2 --out {at}",
        "; finished work is in {at}: run the command again",
    ),
    "gupai_app.training.discover.run": (
        "discover jie-long --out {at}",
        "; finished work is in {at}: run the command again",
    ),
    "gupai_app.review.terminal.watch": ("watch jie-long", ""),
}


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("what", "words", "said"), [(what, *rest) for what, rest in LONG.items()])
def test_stopped_command_tells_how_to_resume(what, words, said, number, monkeypatch, capsys, tmp_path):
    def interrupted(*_, **__):
        signal.raise_signal(number)

    at = tmp_path / "x"
    monkeypatch.setattr(what, interrupted)
    monkeypatch.setattr(sys, "argv", ["gupai", *words.format(at=at).split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 128 + number
    assert capsys.readouterr().err == f"gupai: stopped{said.format(at=at)}\n"
    assert not at.exists() or at.is_dir()


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


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (EOFError("it says"), 2, "gupai: the input ended too early (it says)\n"),
        (Abort(), 1, "gupai: stopped\n"),
        (MemoryError(), 1, "gupai: there is not enough memory\n"),
        (OSError(errno.ENOSPC, "full", "x"), 1, "gupai: x: the disk is full\n"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"), 1, None),
    ],
    ids=str,
)
def test_command_failures_end_with_one_line(raised, status, said, monkeypatch):
    def ends(*_, **__):
        raise raised

    monkeypatch.setattr("gupai_app.review.terminal.watch", ends)
    result = gupai("watch", "jie-long", "random")
    assert result.exit_code == status
    assert (result.stderr == said) if said else isinstance(result.exception, UnicodeDecodeError)
