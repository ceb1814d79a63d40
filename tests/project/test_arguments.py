"""Public functions that are called with anything else than they take: one line names the argument."""

import importlib
import inspect
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import gupai_env
from gupai_agents import agent_names, evaluation, make_agent
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_agents.gymnasium_envs import SeatEnv, SeatVectorEnv
from gupai_env import jie_long_v0
from gupai_env.aec import GupaiEnv
from gupai_training.selfplay import LearnerVecEnv

GAME, NOWHERE = "jie-long", "/nonexistent/file"
GREEDY = make_agent("greedy", GAME)
TWO = [GREEDY, make_agent("random", GAME)]
WRONG = (None, "ab", 1.5, -3, [], {}, [None], b"x", float("nan"), True, object())
FINE: dict[str, tuple] = {"record": (None,), "progress": (None,), "seat": (), "start": (None,), "render_mode": (None,)}


def games_of(*arguments: Any, **options: Any) -> list:
    return list(evaluation.read_games(*arguments, **options))


# Each with arguments that it takes, by name in the order of the call; those after "/" by name.
CALLS: dict[str, tuple[Callable, dict[str, Any], dict[str, Any]]] = {
    "play_duplicates": (
        evaluation.play_duplicates,
        {"game": GAME, "players": [GREEDY] * 4, "deals": 1},
        {"seed": 0, "progress": None, "record": None},
    ),
    "duel": (
        evaluation.duel,
        {"game": GAME, "hero": GREEDY, "villain": GREEDY, "deals": 1},
        {"seed": 0, "record": None},
    ),
    "gate": (
        evaluation.gate,
        {"game": GAME, "challenger": GREEDY, "champion": GREEDY},
        {"gain": 1.0, "alpha": 0.05, "beta": 0.05, "most": 1, "seed": 0},
    ),
    "find_best_response": (evaluation.find_best_response, {"game": GAME, "agent": GREEDY}, {"seed": -1}),
    "play_tournament": (
        evaluation.play_tournament,
        {"game": GAME, "agents": TWO, "deals": 1},
        {"table": "one", "seed": 0, "progress": None, "record": None},
    ),
    "round_robin": (evaluation.round_robin, {"game": GAME, "agents": TWO, "deals": 1}, {"seed": 0}),
    "schedule": (evaluation.schedule, {"game": GAME, "agents": ["a", "b"], "deals": 1}, {"table": "one", "seed": 0}),
    "recipe_gain": (evaluation.recipe_gain, {"game": GAME, "recipe": TWO, "rival": GREEDY, "deals": 1}, {"seed": 0}),
    "build_tree": (evaluation.build_tree, {"game": GAME}, {"deck": "tiny", "players": 2}),
    "read_games": (games_of, {"path": NOWHERE}, {"first": 1}),
    "verify": (evaluation.verify, {"folder": NOWHERE}, {}),
    "lanes": (
        gupai_env.make_vec,
        {"game": GAME, "num_envs": 2},
        {"seed": 0, "observe": True, "renew": True, "skip_forced": False, "threads": 1, "players": 4},
    ),
    "get_game": (gupai_env.get_game, {"name": GAME}, {}),
    "register": (gupai_env.register, {"game": gupai_env.GAMES[GAME]}, {}),
    "make_agent": (make_agent, {"spec": "greedy", "game": GAME}, {}),
    "agent_names": (agent_names, {"game": GAME}, {}),
    "GupaiEnv": (GupaiEnv, {"game": GAME}, {"render_mode": None, "mask_in": "info", "players": 4}),
    "SeatEnv": (SeatEnv, {"game": GAME}, {"opponents": "greedy", "seat": 0}),
    "SeatVectorEnv": (
        SeatVectorEnv,
        {"game": GAME, "num_envs": 2},
        {"opponents": "greedy", "seat": 0, "autoreset_mode": "NextStep"},
    ),
    "LearnerVecEnv": (
        LearnerVecEnv,
        {"game": GAME, "num_envs": 2, "pool": ["greedy"]},
        {"seed": 0, "payoff_scale": 1.0},
    ),
}


@pytest.mark.parametrize(("function", "placed", "named"), CALLS.values(), ids=CALLS)
def test_wrong_argument_is_refused_in_one_line(function, placed, named):
    said = []
    for argument in (*placed, *named):
        for wrong in WRONG:
            if any(wrong is fine for fine in FINE.get(argument, ())):
                continue
            changed = {**placed, **named, argument: wrong}
            try:
                function(*(changed[name] for name in placed), **{name: changed[name] for name in named})
            except (ValueError, FileNotFoundError) as error:
                said.append(str(error))
    assert all(said) and not [each for each in said if "\n" in each]
    assert len(said) >= len(WRONG) // 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluation.play_duplicates(GAME, None, 2), "players=None is not allowed; it must be a list of agents"),
        (lambda: evaluation.schedule(GAME, "ab", 10), "agents='ab' is not allowed; it must be a list of names"),
        (lambda: evaluation.schedule(GAME, [1, 2], 10), r"agents=\[1, 2\] is not allowed; it must be a list of names"),
        (lambda: evaluation.recipe_gain(GAME, 3, GREEDY, 1), "recipe=3 is not allowed; it must be a list of agents"),
        (lambda: evaluation.gate(GAME, *TWO, alpha="x"), "alpha='x' is not allowed; it must be between 0 and 0.5"),
        (
            lambda: evaluation.gate(GAME, *TWO, gain=None),
            "gain=None is not allowed; it must be a number of chips above",
        ),
        (lambda: games_of(None), "path=None is not allowed; it must be a path"),
        (lambda: evaluation.verify(3), "folder=3 is not allowed; it must be a path"),
        (lambda: gupai_env.register("x"), "game='x' is not allowed; it must be a Game"),
        (lambda: evaluation.duel(GAME, *TWO, 1, record="x"), "record='x' is not allowed; it must be None or a Record"),
        (
            lambda: evaluation.duel(GAME, *TWO, 1, progress=1),
            "progress=1 is not allowed; it must be None or a function",
        ),
    ],
)
def test_message_names_the_argument_and_what_is_allowed(call, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        call()


TINY: dict[str, Any] = {"deck": "tiny", "players": 2}


def into(folder: Any, hero: Any, villain: Any) -> Any:
    plan = evaluation.schedule(GAME, ["hero", "villain"], 4, **TINY)
    return evaluation.play_into(folder, plan, [hero, villain])


@pytest.mark.parametrize(
    "play",
    [
        lambda hero, villain, _: evaluation.duel(GAME, hero, villain, 4, **TINY).chips,
        lambda hero, villain, _: evaluation.play_duplicates(GAME, [hero, villain], 4, **TINY).chips,
        lambda hero, villain, _: evaluation.gate(GAME, hero, villain, most=4, **TINY),
        lambda hero, villain, _: evaluation.recipe_gain(GAME, [hero, villain], villain, 4, **TINY),
        lambda hero, villain, _: evaluation.play_tournament(GAME, [hero, villain], 4, **TINY).chips,
        lambda hero, villain, _: evaluation.round_robin(GAME, [hero, villain], 4, **TINY).total(0),
        lambda hero, villain, folder: into(folder, hero, villain).chips,
        lambda hero, villain, _: play_ladder(GAME, [hero, villain], 4, 2, **TINY).rungs[0].total,
        lambda hero, villain, _: evaluation.build_tree(GAME, **TINY).policy([hero, villain]),
        lambda hero, villain, _: (
            evaluation.find_best_response(
                GAME, hero, effort=evaluation.Effort(method="network", deals=4), learned=villain, **TINY
            ).gain
        ),
    ],
)
def test_agents_are_accepted_by_name_everywhere(play, tmp_path):
    named = play("greedy", "variety", tmp_path / "named")
    made = play(*(make_agent(name, GAME, **TINY) for name in ("greedy", "variety")), tmp_path / "made")
    assert repr(named) == repr(made)
    with pytest.raises(ValueError, match=r"'gredy' is not a player of jie-long; did you mean greedy\?"):
        play("gredy", "variety", tmp_path / "unknown")


@pytest.mark.parametrize(
    ("make", "wrong", "near"),
    [
        (gupai_env.make_vec, {"num_envs": 2, "thread": 1}, "threads"),
        (gupai_env.make_vec, {"num_envs": 2, "force_play": True}, "forced_play"),
        (GupaiEnv, {"render": None}, "render_mode"),
        (lambda game, **options: jie_long_v0.env(**options), {"maskin": "info"}, "mask_in"),
        (SeatEnv, {"opponent": "greedy"}, "opponents"),
        (SeatVectorEnv, {"opponent": "greedy"}, "opponents"),
        (SeatVectorEnv, {"d_type": "float32"}, "dtype"),
        (lambda game, **options: gymnasium.make("gupai/JieLong-v0", **options), {"opponent": "greedy"}, "opponents"),
        (lambda game, **options: LearnerVecEnv(game, 2, **options), {"payoffs_scale": 2.0}, "payoff_scale"),
        (lambda game, **options: make_agent("greedy", game, **options), {"forced": True}, "forced_play"),
        (lambda game, **options: evaluation.duel(game, *TWO, 1, **options), {"records": None}, "record"),
        (lambda game, **options: evaluation.gate(game, *TWO, **options), {"gains": 1.0}, "gain"),
        (lambda game, **options: evaluation.play_tournament(game, TWO, 1, **options), {"worker": None}, "workers"),
        (lambda game, **options: evaluation.discover(game, **options), {"budgets": None}, "budget"),
        (lambda game, **options: evaluation.find_best_response(game, GREEDY, **options), {"efort": None}, "effort"),
        (lambda game, **options: evaluation.build_tree(game, **options), {"dek": "tiny"}, "deck"),
    ],
)
def test_unknown_keyword_suggests_those_of_function_and_game(make, wrong, near):
    (*_, word) = wrong
    with pytest.raises(TypeError, match=rf"unexpected keyword argument '{word}': .*did you mean {near}\? "):
        make(GAME, **wrong)


def test_maker_help_lists_the_options_of_its_game():
    assert inspect.isfunction(jie_long_v0.env)
    assert {"render_mode", "mask_in", "variant"} <= set(inspect.signature(jie_long_v0.env).parameters)
    assert all(f" {name}: " in jie_long_v0.env.__doc__ for name in vars(gupai_env.get_game(GAME).variant()))


@pytest.mark.parametrize("game", gupai_env.GAMES.values(), ids=list(gupai_env.GAMES))
def test_registered_game_has_a_module_of_environments(game):
    module = importlib.import_module(f"gupai_env.{game.identifier}_v{game.version}")
    assert module.raw_env is module.env and pickle.loads(pickle.dumps(module.env)) is module.env
    assert module.env().game is game and module is getattr(gupai_env, module.__name__.partition(".")[2])
    with pytest.raises(AttributeError, match="has no attribute 'parallel_env'"):
        _ = module.parallel_env


PROGRAM = """
from gupai_agents.evaluation import duel
from gupai_env import get_game, jie_long_v0, make_vec
from gupai_env.options import JieLongOptions

options: JieLongOptions = {"forced_play": True, "settlement": "kkoribuchigi"}
duel("jie-long", "best", "greedy", 10, seed=1, **options)
make_vec(get_game("jie-long"), 8, threads=1, **options)
jie_long_v0.env(mask_in="info", **options)
make_vec("jie-long", 8, force_play=True)  # wrong
make_vec("jie-long", 8, players="four")  # wrong
jie_long_v0.env(commission=5)  # wrong
jie_long_v0.raw_env(deck="cards")  # wrong
duel("jie-long", "best", "greedy", 10, sead=1)  # wrong
duel("jie-long", "best", 3, 10)  # wrong
"""
# Other packages are skipped: reading them takes half a minute.
CHECKED = """
[mypy]
follow_imports = skip
ignore_missing_imports = True
[mypy-gupai_env.*]
follow_imports = silent
[mypy-gupai_agents.*]
follow_imports = silent
"""


def test_type_checker_finds_wrong_options_and_agents(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(CHECKED, encoding="utf-8")
    roots = [str(Path(gupai_env.__file__).parents[1]), str(Path(evaluation.__file__).parents[2])]
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache", "program.py"]
    environment = {**os.environ, "MYPYPATH": os.pathsep.join(roots)}
    printed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True).stdout
    lines = {int(number) for number in re.findall(r"^program\.py:(\d+): error", printed, re.MULTILINE)}
    assert lines == {number for number, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line}, printed
