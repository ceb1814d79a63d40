"""A game of another package gets all that ours have, by its entry point alone."""

import dataclasses
import importlib
import json
import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import gymnasium
import numpy as np
import pettingzoo
import pytest

import gupai_env
from checkout import ROOT
from gupai_agents import DecisionBatch, agent_names, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.claims import claim_of, try_claim
from gupai_agents.evaluation.claims.features import actions_with, metrics_of
from gupai_agents.evaluation.claims.schema import Condition
from gupai_agents.evaluation.exact.tree import build_tree
from gupai_agents.players.tune import start_of
from gupai_app.claims.terminal import template
from gupai_app.play.address import Address
from gupai_app.play.moves import digits
from gupai_app.play.person import HumanPlayer
from gupai_app.play.rules import rules
from gupai_app.play.table import WebGame, state
from gupai_app.shell.terminal import Terminal
from gupai_env import Move
from gupai_env.aec import GupaiEnv
from gupai_env.core.deal import Deal
from gupai_env.core.game import DEFAULTS
from gupai_env.core.move import AWAY
from gupai_env.core.tiles import KINDS, WEIGHT
from gupai_env.games.claims import Positions
from gupai_env.games.guide import guide_of
from gupai_env.render import draw_text
from gupai_env.testing import check_env, hooks_of

FOLDER = ROOT / "examples" / "one_trick"
ID = "one-trick"


@pytest.fixture(scope="module")
def game():
    """The example, imported and, after these tests, forgotten."""
    sys.path.insert(0, str(FOLDER))
    import one_trick

    yield one_trick.GAME
    sys.path.remove(str(FOLDER))
    del sys.modules["one_trick"], gupai_env.GAMES[ID]
    del gymnasium.registry["gupai/OneTrick-v0"]
    getattr(pettingzoo, "aec_registry", {}).pop(f"gupai/{ID}-v0", None)


@pytest.fixture
def bare_game(game, monkeypatch):
    """The example without what a game may leave out."""
    module = ModuleType("bare_trick")
    vars(module).update(
        {name: value for name, value in vars(game.module).items() if name not in ("__name__", *DEFAULTS)}
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return dataclasses.replace(game, module_name=module.__name__, id="bare-trick", encoder=None)


def test_package_gets_names_from_its_modules_in_order(game, monkeypatch):
    package, first, second = map(ModuleType, ("split_trick", "split_trick.rules", "split_trick.history"))
    monkeypatch.setitem(sys.modules, package.__name__, package)
    names = {name: value for name, value in vars(game.module).items() if not name.startswith("__")}
    vars(first).update({name: value for name, value in names.items() if name != "step"})
    vars(second).update({name: object() for name in names} | {"step": game.step})
    package.history = second  # as importing a module of a package does
    package.encode = names["score"]
    record = dataclasses.replace(
        game, module_name=package.__name__, modules=(first, second), id="split-trick", encoder=None
    )
    assert (record.deal_from, record.step, record.encode) == (game.deal_from, game.step, names["score"])
    assert record.history is game.history
    assert (package.step, record.encoder.layout) == (game.step, game.encoder.layout)


COMMANDS = """
import json, sys
from typer.testing import CliRunner
from gupai_app.shell.cli import app
done = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([[each.exit_code, each.stdout, each.stderr] for each in done]))
"""


@pytest.fixture
def site(tmp_path):
    """A folder in which the example is installed, as pip leaves it: the module and its entry point."""
    (tmp_path / "one_trick.py").write_text((FOLDER / "one_trick.py").read_text())
    info = tmp_path / "one_trick-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: one-trick\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[gupai.games]\none-trick = one_trick\n")
    return tmp_path


def python(site: Path, *words: str) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-c", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])},
        cwd=site,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def installed(site):
    """Run commands of `gupai` where the example is installed."""

    def run(*commands: list[str]) -> list[str]:
        done = python(site, COMMANDS, json.dumps(commands))  # in one process, which starts and compiles once
        found = json.loads(done.stdout)
        for status, _, said in found:
            assert status == 0, said
        return [printed for _, printed, _ in found]

    return run


def test_conformance_kit_finds_nothing_wrong(game):
    report = check_env(partial(GupaiEnv, game), hooks_of(game), games=3)
    report.raise_for_failures()
    assert {"information-set", "lanes-equal-single", "pickle-round-trip", "second-process"} <= set(report.passed)


def test_game_is_found_by_its_id_everywhere(game):
    assert gupai_env.get_game("one_trick") is gupai_env.GAMES[ID] is game
    assert pickle.loads(pickle.dumps(game)) is game
    pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    env = pettingzoo.make("aec", f"gupai/{ID}-v0", stake=5)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(int(env.observe(env.agent_selection)["action_mask"].nonzero()[0][0]))
    assert sorted(env.rewards.values()) == [-5, -5, -5, 15]
    seat = gymnasium.make("gupai/OneTrick-v0", opponents="greedy")
    assert seat.reset(seed=1)[0].shape == (game.encoder.layout.size,)
    seats = gymnasium.make_vec("gupai/OneTrick-v0", num_envs=64, opponents=["greedy", "random", "greedy"])
    seats.reset(seed=1)
    assert np.abs(seats.step(seats.action_space.sample())[1]).max() == 3


def test_features_and_history_of_a_game_are_optional(bare_game, capsys):
    deal = Deal(bare_game, bare_game.variant(players=3, deals=2, leader=1))
    deal.start(3)
    for _ in range(2 * 3 - 1):
        deal.advance(int(np.flatnonzero(deal.mask())[0]))
    assert (deal.state.leader, deal.state.total.sum()) == (2, 0)
    assert "> Seat 1   -1 in the match\n  hand  [5:4] [5:1] [3:3]\n  laid  -\n" in draw_text(deal.scene())
    assert agent_names(bare_game) == ["random"]
    searching = make_agent("search", bare_game)
    assert searching.heuristics.tolist() == [[1], [1]]  # temperatures: playouts are random
    with pytest.raises(ValueError, match="bare-trick reconstructs no history"):
        make_agent("search:infer=random@4", bare_game)
    with pytest.raises(ValueError, match="bare-trick has no features to weigh"):
        start_of(bare_game, None)
    rules(bare_game)
    assert "Agents: random," in capsys.readouterr().out
    assert "treated: random " in template(bare_game, "claim")


REGISTERED = """
import gymnasium, gupai_env, pettingzoo
print("gupai/OneTrick-v0" in gymnasium.registry, "gupai/one-trick-v0" in pettingzoo.aec_registry)
"""


def test_installed_game_is_registered_like_ours(site):
    pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    assert python(site, REGISTERED).stdout == "True True\n"
    (site / "one_trick.py").write_text("import nothing_like_this")
    broken = python(site, REGISTERED)
    assert broken.stdout == "False False\n"
    assert "the games of the package one-trick cannot be loaded: No module named 'nothing_like_this'" in broken.stderr


def test_players_are_compared_and_searched_exactly(game):
    assert agent_names(game) == ["random", "greedy"]
    greedy, random = (make_agent(name, game) for name in ("greedy", "random"))
    assert duel(game, greedy, random, 300, seed=1).mean(0).low > 0
    tree = build_tree(game, deck="tiny", players=2)
    assert tree.exploitability(tree.policy([random, random])) > 0.1


def test_game_works_on_the_command_line(installed):
    small = {"decisions": 300, "ppo.envs": 16, "ppo.steps": 8, "ppo.batch_size": 64, "evaluation.final_deals": 10}
    changes = [word for key, value in small.items() for word in ("--set", f"{key}={value}")]
    listed, rules, watched, compared, trained = installed(
        ["rules"],
        ["rules", ID],
        ["watch", ID, "--seed", "1", "--json"],
        ["tournament", ID, "random", "greedy", "--deals", "50", "--json"],
        ["train", ID, *changes, "--json"],
    )
    assert "One Trick: everybody lays one tile" in listed
    assert "stake" in rules
    moves = [json.loads(line) for line in watched.splitlines()]
    assert [len(moves), sum(moves[-1]["payoffs"])] == [4, 0]
    duels = json.loads(compared)["duels"]
    assert [row["mean"] > 0 for row in duels] == [False, True]
    trained = json.loads(trained.splitlines()[-1])
    assert [row["against"] for row in trained["results"]] == ["random", "trained", "greedy", "trained"]


def test_claims_know_chips_wins_action_rates_and_dealt_hands(game):
    heavy = {"hand": [{"feature": "pips", "at_least": 25}, {"feature": "doubles", "exactly": 1}]}
    rates = [("chips", {}), ("wins", {}), ("rate of lay", {}), ("wins", heavy)]
    readings = [
        {"name": f"{at}", "kind": "rate", "metric": metric, "population": population, "panel": ["greedy"]}
        | {"deals": 400}
        for at, (metric, population) in enumerate(rates)
    ]
    claim = {"id": "heavy", "statement": "Heavy tiles win.", "source": "tests", "game": ID}
    findings = try_claim(claim_of({**claim, "readings": readings}), seed=1).findings
    chips, wins, lays, wins_if_heavy = (each.effects[0].estimate for each in findings)
    assert abs(chips.mean) <= 2 * chips.half_width
    assert abs(wins.mean - 1 / 4) <= 2 * wins.half_width
    assert lays.mean == 1 and not lays.has_interval
    assert wins_if_heavy.low > wins.high
    wrong = {**readings[0], "population": {"hand": [{"feature": "wild"}]}}
    with pytest.raises(ValueError, match="'wild' is not a feature of a hand; they are carrying, double_of"):
        claim_of({**claim, "readings": [wrong]})


@pytest.fixture
def table_of_verbs(game, monkeypatch):
    """The example with verbs of its own: light tiles are offered, heavy ones thrown away. At the turn of a person."""
    moves = tuple(
        Move("offer", (kind,), to="laid") if kind < 10 else Move("bury", (kind,), to=AWAY) for kind in range(KINDS)
    )
    monkeypatch.setitem(gupai_env.GAMES, ID, dataclasses.replace(game, moves=moves))
    return WebGame(Address.read({"game": ID, "seed": "3", "seat": "0", "with": "greedy"}))


def test_verbs_of_an_outside_game_have_gestures(table_of_verbs):
    thrown, scene = table_of_verbs.thrown(), state(table_of_verbs)["frames"][-1]["scene"]
    for (move, (action,)), shown in zip(table_of_verbs.entries, table_of_verbs.moves(), strict=True):
        assert shown["tiles"] == [digits(move.tiles)] and shown["discards"] == move.discards == (move.verb == "bury")
        assert (thrown.get(digits(move.tiles)) == action) == move.discards
        assert shown["plain"] == (move.verb == "offer")  # a click throws nothing away
        assert shown["choices"][0]["goes"] == move.to == ("laid" if move.verb == "offer" else AWAY)
    assert "laid" in [pile["spot"] for pile in [*scene["centre"], *scene["places"][0]["piles"]]]
    assert {entry.move.verb for entry in table_of_verbs.entries} == {"offer", "bury"}


def test_verbs_of_an_outside_game_are_typed_and_reported(table_of_verbs):
    game, view, mask = table_of_verbs.address.game, table_of_verbs._view, table_of_verbs.session.mask()
    move, (action,) = next(entry for entry in table_of_verbs.entries if entry.move.verb == "bury")
    answers, lines = iter([f"b{digits(move.tiles)}"]), []
    person = HumanPlayer(game, table_of_verbs.address.variant, Terminal(lambda _: next(answers), lines.append))
    turn = DecisionBatch(np.array([view]).view(np.recarray), mask[None], np.zeros(1, np.int64))
    assert person.choose(turn) == action
    assert any(move.name in line for line in lines)
    assert "You: choose your move." in lines


def test_verbs_of_an_outside_game_are_features_of_claims(table_of_verbs):
    game = table_of_verbs.address.game
    states = np.array([table_of_verbs.session.state]).view(np.recarray)
    position = Positions(game, table_of_verbs.address.variant, states, table_of_verbs.session.mask()[None])
    for verb in ("offer", "bury"):
        chosen = np.flatnonzero(actions_with(position, [Condition(feature=verb), Condition(feature="heaviest")])[0])
        kinds = [entry.move.tiles[0] for entry in table_of_verbs.entries if entry.move.verb == verb]
        assert WEIGHT[chosen].tolist() == [WEIGHT[kinds].max()] * len(chosen) and len(chosen)
    assert {"rate of offer", "rate of bury"} <= metrics_of(game).keys()


def test_id_is_taken_once(game):
    gupai_env.register(game)  # again: nothing happens

    with pytest.raises(ValueError, match=r"'jie-long' is taken by the game of gupai_env\.games\.jie_long; one_trick"):
        gupai_env.register(dataclasses.replace(game, id="jie-long"))
    assert gupai_env.GAMES["jie-long"].module_name == "gupai_env.games.jie_long"


def test_incomplete_package_of_a_game_is_reported(game, monkeypatch):
    monkeypatch.delattr(sys.modules["one_trick"], "payoffs")
    with pytest.raises(TypeError, match="one_trick is not the module of a game: it has no payoffs"):
        game.__post_init__()


@pytest.mark.parametrize("most", [1, 2, 3])
def test_more_players_than_seats_are_refused_in_one_line(game, most):
    """One Trick leaves the option players as every game has it: four by default."""
    with pytest.raises(ValueError, match=f"^one-trick: max_seats is {most}, but the option players allows 4; .*$"):
        dataclasses.replace(game, max_seats=most)


def test_package_with_unloadable_games_is_named(monkeypatch):
    class Broken:
        name, dist = "chess", None

        def load(self):
            raise ModuleNotFoundError("No module named 'boards'")

    monkeypatch.setattr("gupai_env.games.entry_points", lambda group: [Broken()])
    with pytest.raises(ValueError, match="games of the package chess cannot be loaded: No module named 'boards'"):
        gupai_env.get_game("chess")


@pytest.fixture
def short_jie_long(monkeypatch):
    """The other example, imported and, after the test, forgotten."""
    monkeypatch.syspath_prepend(ROOT / "examples" / "variant")
    yield importlib.import_module("short_jie_long").GAME
    del sys.modules["short_jie_long"], gupai_env.GAMES["short-jie-long"]
    del gymnasium.registry["gupai/ShortJieLong-v0"]
    getattr(pettingzoo, "aec_registry", {}).pop("gupai/short-jie-long-v0", None)


def test_variant_of_a_shipped_game_changes_a_part_of_it(short_jie_long):
    variant = short_jie_long
    shipped, deals = gupai_env.get_game("jie-long"), []
    for game in (variant, shipped):
        deals.append(Deal(game, game.variant(stake=2)))
        deals[-1].start(3)
        while not deals[-1].terminated:
            deals[-1].step(int(np.flatnonzero(deals[-1].mask())[0]))
    assert [deal.paid() for deal in deals] == [[6, -2, -2, -2], [84, 52, -124, -12]]
    assert dataclasses.replace(deals[0].scene(), title="Jie Long (stake=2)").notes == deals[1].scene().notes
    assert (variant.heuristics, variant.encoder) == (shipped.heuristics, shipped.encoder)
    guide, views = guide_of(variant, deals[0].variant), deals[0].views()
    assert guide.reminder().endswith(": whoever has the fewest wins a stake from everybody.")
    assert [tuple(each) for each in guide.payments(views, deals[0].paid())] == [(1, 0, 2), (2, 0, 2), (3, 0, 2)]
