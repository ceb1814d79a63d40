"""The command line as its users meet it: answers, figures one can recompute, and one line for a mistake."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from itertools import cycle, islice
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gupai_agents import make_agent
from gupai_agents.evaluation import build_tree
from gupai_agents.evaluation.tournament import round_robin
from gupai_app import bench
from gupai_app.cli import app, main
from gupai_env import GAMES, get_game, jie_long_v0

HEAVY = ("numpy", "numba", "torch", "scipy", "pettingzoo", "gymnasium", "gupai_env", "gupai_agents")


def run(*words, typed=None):
    return CliRunner().invoke(app, words, input=typed)


def answer(*words, typed=None):
    """What a command prints that succeeds."""
    result = run(*words, typed=typed)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def process(*words, typed=""):
    return subprocess.run(
        [sys.executable, "-m", "gupai_app.cli", *words],
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("words", [["--help"], ["play", "--help"], []], ids=str)
def test_help_waits_for_nothing_heavy(words):
    code = (
        f"import sys; sys.argv = ['gupai', *{words}]\n"
        "from gupai_app.cli import main\n"
        "try: main()\n"
        f"finally: print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr.strip() == ""
    assert "Usage: gupai" in result.stdout


def test_the_version_is_a_number():
    name, _, number = answer("--version").strip().partition(" ")
    assert name == "gupai"
    assert all(part.isdigit() for part in number.split(".")[:2])


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("play jie-longg", "'jie-longg' is no game; did you mean jie-long?"),
        (
            "play jie-long -o force_play=true",
            "'force_play' is no option of JieLong; did you mean forced_play?",
        ),
        ("play jie-long -o forced_play=maybe", "forced_play=maybe is not allowed; write true or false"),
        ("play jie-long -o players=five", "players=five is not allowed; choose 2, 3 or 4"),
        ("play jie-long -o players=5", "players=5 is not allowed; choose 2, 3 or 4"),
        ("play jie-long -o players", "'players' sets no option; write name=value"),
        ("play jie-long -o stake=0", "stake=0.0 is not allowed"),
        ("play jie-long --seat 4", "there is no seat 4; the seats are 0 to 3"),
        ("play jie-long --seat two", "--seat=two is not allowed; write a whole number\n"),
        ("play jie-long --seed -1", "a seed is a whole number from 0"),
        ("play jie-long --against gredy", "'gredy' is no player of jie-long; did you mean greedy?"),
        ("play jie-long --against human", "here only programs play"),
        ("watch jie-long checkpoint:missing", "missing: there is no such checkpoint"),
        ("watch jie-long random random random random random", "5 agents are too many, there is room for 4"),
        ("tournament jie-long greedy", "a tournament needs two agents or more"),
        (
            "tournament jie-long greedy random --deals 1",
            "--deals=1 is not allowed; write a whole number from 2 to 8,388,608",
        ),
        (
            "exploit jie-long -o deck=full",
            "jie-long: 32 tiles lie in 1.3e+32 orders, too many for exact work",
        ),
        ("exploit jie-long -o players=4", "players=4 is not allowed with deck='tiny'"),
        ("exploit jie-long -o deals=2", "deals=2 is not allowed in exact work"),
        ("exploit jie-long human", "here only programs play"),
        (
            "exploit jie-long --rounds 0",
            "--rounds=0 is not allowed; write a whole number from 1 to 1,000,000,000\n",
        ),
        ("rules jielong", "'jielong' is no game"),
        ("bench chess", "'chess' is no game"),
        ("plya", "No such command 'plya'."),
        ("tournament", "Missing argument 'GAME'."),
        ("watch --tabels", "No such option: --tabels"),
        ("watch --record=", "--record is empty"),
        ("tournament jie-long greedy random --out=", "--out is empty"),
        ("web --runs=", "--runs is empty"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_status_2(words, line):
    result = run(*words.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"gupai: {line}")
    assert result.stderr.count("\n") == 1


def test_a_style_that_cannot_be_written_is_told_before_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr("gupai_app.tune.tune", lambda *_, **__: pytest.fail("it searched"))
    result = run("tune", "jie-long", "--out", str(tmp_path / "none" / "x.yaml"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "".join(result.stderr.split()).endswith(f"thereisnofolder{tmp_path}/none")


def test_a_mistake_in_a_process_leaves_no_traceback():
    result = process("watch", "jie-long", "gredy")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("gupai: 'gredy' is no player")


@pytest.mark.parametrize("path", ["replay", "verify", "export"])
def test_an_empty_word_names_no_file(path):
    result = run(path, "", *(["--onnx", "x.onnx"] if path == "export" else []))
    assert result.exit_code == 2 and result.stderr.endswith(" is empty\n") and result.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
@pytest.mark.parametrize("words", [["rules"], ["--version"]], ids=str)
def test_where_nothing_can_be_written_one_line_says_so(words):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gupai_app.cli", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == "gupai: standard output: the disk is full\n"


def test_signs_that_a_terminal_lacks_become_question_marks():
    done = subprocess.run(
        [sys.executable, "-m", "gupai_app.cli", "rules"],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Jie Long (??," in done.stdout.decode("cp1252")


def test_without_any_input_a_person_leaves_the_table():
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m gupai_app.cli play <&-"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "You have left the table." in done.stdout


def test_rules_lists_the_games_and_every_option_of_one():
    listed = answer("rules")
    for game in GAMES.values():
        assert game.id in listed
        shown = " ".join(answer("rules", game.id).split())
        for field in fields(game.variant):
            assert f"{field.name} {str(field.default).lower()}" in shown
        assert f"Actions: {game.num_actions}," in shown


def test_a_game_can_be_played_to_its_end_through_a_pipe():
    """Numbers 1 to 6 in turn answer every question sooner or later; the end of the input leaves the table."""
    typed = "\n".join(islice(cycle("123456"), 400))
    result = process("play", "jie-long", "--seed", "3", "--seat", "2", "-o", "forced_play=yes", typed=typed)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Jie Long (forced_play=True), seed 3. You have seat 2." in result.stdout
    assert "The count, all tiles face up:" in result.stdout
    assert result.stdout.endswith("You have left the table.\n")


def test_the_seat_is_drawn_from_the_seed():
    seats = {
        seed: answer("play", "--seed", str(seed), typed="q\n").split("You have seat ")[1][0]
        for seed in range(8)
    }
    assert len(set(seats.values())) > 1
    assert answer("play", "--seed", "5", typed="q\n").split("You have seat ")[1][0] == seats[5]


def test_the_seats_of_the_others_are_filled_in_order():
    shown = answer(
        "play", "--seed", "1", "--seat", "1", "--against", "greedy", "--against", "random", typed="q\n"
    )
    assert "Seat 0: greedy, Seat 2: random, Seat 3: greedy." in " ".join(shown.split())


def test_watched_moves_as_json_are_a_game_of_the_environment():
    lines = answer(
        "watch", "jie-long", "greedy", "random", "--seed", "7", "-o", "deals=2", "--json"
    ).splitlines()
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
def test_watching_names_every_move_and_ends_with_the_count(game):
    moves = [json.loads(line) for line in answer("watch", game, "--seed", "2", "--json").splitlines()]
    shown = answer("watch", game, "--seed", "2").splitlines()
    told = [line for line in shown if line[:3].strip().isdigit()]
    assert len(told) == len(moves)
    for move, line in zip(moves, told, strict=True):
        assert f"{line} ".startswith(
            f"{move['move']:>3}  Seat {move['seat']} {move['agent']}: {move['name']} "
        )
    for seat, chips in enumerate(moves[-1]["payoffs"]):
        assert any(line.startswith(f"  Seat {seat} ") and f" {chips:+g} chips" in line for line in shown)
    assert len(answer("watch", game, "--seed", "2", "--tables").splitlines()) > 10 * len(moves)


def test_a_tournament_of_two_seats_takes_from_one_what_it_gives_the_other():
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
    assert (result["game"], result["deals"], result["seed"], result["variant"]["players"]) == (
        "jie-long",
        40,
        3,
        2,
    )


def test_the_tournament_table_shows_what_the_duels_gave():
    shown = answer("tournament", "ce-deng", "greedy", "variety", "--deals", "30", "--seed", "1")
    standings = round_robin(
        "ce-deng", [make_agent(name, "ce-deng") for name in ("greedy", "variety")], 30, seed=1
    )
    for hero, villain in ((0, 1), (1, 0)):
        assert f"{standings.against(hero, villain)}" in shown
        for seat in range(4):
            assert f"{standings.at_seat(hero, seat)}" in shown
    assert "ce-deng v0, default options; 30 deals a duel, seed 1;" in shown


def test_exploit_prints_what_a_best_response_wins():
    words = ("exploit", "jie-long", "greedy", "--solve", "--rounds", "50", "-o", "forced_play=true")
    result = json.loads(answer(*words, "--json"))
    tree = build_tree("jie-long", deck="tiny", players=2, forced_play=True)
    assert (result["nodes"], result["deals"], result["information_sets"]) == (
        tree.nodes,
        tree.deals,
        tree.sets,
    )
    random, greedy, solved = result["policies"]
    assert [random["name"], greedy["name"], solved["name"]] == ["random", "greedy", "CFR+"]
    assert random["exploitability"] == pytest.approx(tree.exploitability(tree.uniform()))
    assert solved["exploitability"] < random["exploitability"] / 20
    shown = answer(*words)
    for policy in result["policies"]:
        assert f"{policy['exploitability']:.4f}" in shown
    assert f"{tree.nodes:,} nodes, {tree.deals:,} deals, {tree.sets:,} information sets" in " ".join(
        shown.split()
    )


def test_bench_measures_every_road_and_says_on_which_machine(monkeypatch):
    monkeypatch.setattr(bench, "RUN_SECONDS", 0.001)
    monkeypatch.setattr(bench, "FRESH_RUNS", 1)
    result = json.loads(answer("bench", "--json"))
    assert len(result["figures"]) == bench.FIGURES
    assert {"cpu", "cores", "python", "numba"} <= set(result["machine"])
    measured = {figure["what"]: figure["unit"] for figure in result["figures"]}
    assert measured["4096 lanes, observation and mask"] == measured["AEC, agent_iter"] == "decisions/s"
    assert measured["memory of a lane"] == "bytes"
    assert all(figure["value"] > 0 for figure in result["figures"])


def test_options_are_read_by_their_type():
    variant = get_game("jie-long").variant
    words = ["players=3", "deals=10", "leader=2", "forced_play=TRUE", "double_lock=0", "stake=2.5"]
    assert variant.parse(words) == variant(
        players=3, deals=10, leader=2, forced_play=True, double_lock=False, stake=2.5
    )
    assert variant.parse(["leader=random", "forced_play=no"]) == variant.parse([]) == variant()


def test_ctrl_c_stops_with_one_line(monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gupai_agents.evaluation.tournament.play_tournament", interrupted)
    monkeypatch.setattr(sys, "argv", ["gupai", "tournament", "jie-long", "greedy", "random"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err.startswith("gupai: stopped; give the command again; with --out FOLDER")
