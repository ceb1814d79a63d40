"""Whatever is wrong with a configuration is said in one line, before torch is there, and leaves nothing behind."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from typing import get_args

import numpy as np
import pytest

from checkout import ROOT, files
from commands import refusal
from gupai_agents.networks.checkpoint import identity, write_checkpoint
from gupai_agents.networks.network import tensor_shapes
from gupai_env.games import GAMES, get_game
from gupai_env.storage.models import MAX_CHARACTERS, parse_yaml, to_yaml
from gupai_training import config as configuration
from gupai_training.config import Config, load, parse, shipped

NINES = "9" * 5000

BAD_CHANGES = [
    # no assignment at all
    "",
    "=5",
    "ppo.=1",
    ".ppo=1",
    # values that are no YAML, or none of ours
    "ppo.entropy=!!python/name:os.system",
    "variant={a: &x 1, b: *x}",
    f"seed={NINES}",
    f"variant={'{a: ' * 5000}1{'}' * 5000}",
    "ppo={lanes: 64, lanes: 128}",
    f"name={'n' * 100_000}",
    "ppo={[1, 2]: 2}",
    "name=a\nb: [",
    # groups and settings that are none
    "ppo=null",
    "pp.entropy=1",
    "ppo.entropy.start=1",
    "network.hidden.9=5",
    ".".join("a" * 3000) + "=1",
    "a b\n\x1b[31m=1",
    # what goes together
    "pool.rule_share=0.5",
    "expert_iteration.targets=0",  # where there is no self-play either
    "expert_iteration.heuristic=nobody",
    "expert_iteration.heuristic=random",
    "expert_iteration.heuristic=heuristic:x.yaml",
    # the network
    "network.hidden=[]",
    "network.hidden=[true]",
    "network.hidden=[1000000000]",
    f"network.hidden={[8] * 1000}",
    # words
    "device=cuda:9999999",
    "name=../../etc",
    "name=..",
    "name=.hidden",
    "game=chess",
    "game=[jie-long]",
    # the variant
    "variant=[1]",
    "variant={1: 2}",
    "variant.forced=true",
    "variant.players=7",
    "variant.deals=true",
    "variant.stake=.nan",
    "variant.deck=small",
    # players
    "pool.rules=[human]",
    "pool.rules=greedy",
    "pool.rules=[[greedy]]",
    f"pool.rules=['checkpoint:{'x' * 5000}']",
    f"pool.rules={['greedy'] * 200}",
    "evaluation.baselines=[random, exec]",
    "evaluation.baselines={random: 1}",
]

BAD_FILES = {
    "no mapping": b"- jie-long",
    "nothing": b"",
    "a setting twice": b"game: jie-long\nseed: 1\nseed: 2\n",
    "a bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\ngame: jie-long\n",
    "a tag that calls": b"game: !!python/object/apply:os.system [id]\n",
    "two documents": b"game: jie-long\n---\ngame: jie-long\n",
    "tabs": b"game:\tjie-long\nppo:\n\tlanes: 64\n",
    "deep nesting": b"game: " + b"[" * 30_000,
    "a huge file": b"game: jie-long\n" + b"# nothing\n" * 200_000,
    "zeros": bytes(1000),
    "UTF-16": "game: jie-long\n".encode("utf-16"),
    "half a letter": b"game: jie-long\nname: \xe6\x8e",
    "no game": b"seed: 1\n",
}


@pytest.mark.parametrize("change", BAD_CHANGES, ids=lambda change: change[:40])
def test_bad_change_is_refused_in_one_line(tmp_path, change):
    refusal(tmp_path, "jie-long", "--set", change)


def numbers_of(model, path=""):
    """The names of all settings that are numbers."""
    for name, field in model.model_fields.items():
        if hasattr(field.annotation, "model_fields"):
            yield from numbers_of(field.annotation, f"{path}{name}.")
        elif {field.annotation, *get_args(field.annotation)} & {int, float}:
            yield path + name


@pytest.mark.parametrize("value", ["true", "word", "[1]", ".nan", ".inf", "1e300", "-1"])
def test_settings_that_are_numbers_have_bounds(value):
    names = list(numbers_of(Config))
    assert len(names) > 40
    for name in names:
        with pytest.raises(ValueError, match=name.rpartition(".")[2]) as error:
            load("jie-long", [f"{name}={value}"])
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES)
def test_bad_file_is_refused_in_one_line_that_names_it(tmp_path, content):
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    assert refusal(tmp_path, str(path)).startswith((f"{path}: ", f"{path} is not UTF-8", f"{path} holds more"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("ppo={1: 2}", "jie-long: ppo.1: Keys should be strings, not 1"),
        ("device=gpu", """device='gpu' is not allowed; choose "auto", "cpu" or "cuda\""""),
        ("payoff_scale=.inf", "payoff_scale=inf is not allowed; write a number from 0.001 to 1,000,000,000"),
        ("ppo.envs=true", "ppo: envs=True is not allowed; only options of the rules are true or false"),
        ("pool.rules=[human]", "pool.rules: 'human' is not a player of jie-long"),
        ("evaluation.baselines=['checkpoint:/no']", "evaluation.baselines: /no: there is no such checkpoint"),
        ("network.hidden=[16384, 16384]", "a saved run would take 2"),
    ],
)
def test_message_names_setting_value_and_what_is_allowed(tmp_path, change, said):
    assert said in refusal(tmp_path, "jie-long", "--set", change)


def test_checkpoint_of_another_variant_is_no_opponent(tmp_path):
    game, net = get_game("jie-long"), {"type": "mlp", "hidden": [4], "activation": "relu"}
    shapes = tensor_shapes(net, game.encoder.layout.size, game.num_actions)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    header = {**identity(game, game.variant()), "kind": "player", "net": net}
    write_checkpoint(tmp_path / "a", header, tensors)
    change = f"pool.rules=['checkpoint:{tmp_path / 'a'}']"
    assert "trained with forced_play=False" in refusal(tmp_path, "jie-long", "--set", change)
    assert load("jie-long", [change, "variant.forced_play=false"]).pool.rules


def test_run_too_large_for_the_machine_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(configuration, "machine_memory", lambda: 2 << 30)
    load("jie-long")
    line = refusal(tmp_path, "jie-long", "--set", "ppo.envs=100000", "--set", "ppo.steps=1000")
    assert "ppo.envs=100000, ppo.steps=1000" in line
    assert "this machine has 2.0" in line
    assert "GiB" in refusal(tmp_path, "jie-long", "--set", "ppo.envs=16384", "--set", "ppo.batch_size=1e6")


def test_container_memory_limit_counts(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(configuration, "CONTAINER_LIMIT", limit)
    whole = configuration.machine_memory()
    limit.write_text("1048576\n")
    assert configuration.machine_memory() == 1 << 20
    limit.write_text("max\n")
    assert configuration.machine_memory() == whole > 1 << 20


def test_largest_networks_can_be_read_again():
    widths = {}
    for width in (256, 512, 1024, 2048, 4096):
        try:
            widths[width] = load("jie-long", [f"network.hidden=[{width}, {width}]"]).parameters()
        except ValueError:
            break
    assert max(widths) >= 1024
    game = get_game("jie-long")
    for width, parameters in widths.items():
        first = (game.encoder.layout.size + 1) * width
        assert parameters == first + (width + 1) * width + (width + 1) * (game.num_actions + 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("2.5E6", 2.5e6),
        ("1_000e3", 1e6),
        ("-1e3", -1000.0),
        ("10_000", 10_000),
        ("010", 10),
        ("1:30", "1:30"),
        ("0o17", 15),
        ("yes", "yes"),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
        ("2026-01-01", "2026-01-01"),
        ("1e", "1e"),
        ("null", None),
        ("", None),
        ("[1, a, {b: true}]", [1, "a", {"b": True}]),
        ("=", "="),
    ],
)
def test_values_are_typed_by_their_form(text, value):
    assert parse_yaml(text) == value
    assert type(parse_yaml(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2", '"a" is set twice, again in line 2'),
        ("a: &x [1]\nb: *x", "anchors and aliases"),
        ("- !!int 3", "the tag"),
        ("!!python/object/apply:os.system ['true']", "the tag"),
        ("%YAML 1.1\n---\n010", "leave out the line %YAML"),
        ("[" * 9 + "]" * 9, "nested deeper"),
        ("1\n---\n2", "a single document"),
        ("a: [", "while parsing"),
        ("1" * 5000, "digits"),
        ("\x00", "special characters"),
    ],
)
def test_invalid_plain_yaml_is_reported_in_one_line(text, said):
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        parse_yaml(text)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        {"b": 1, "a": [1.5, 1e-3, 1e22, True, None, "x"], "c": {}, "d": []},
        {"texts": ["010", "1:30", "yes", "null", "", " a ", "2026-01-01", "a: b", "#", "中", "x" * 300, "a\nb"]},
    ],
)
def test_yaml_survives_writing_and_reading(content):
    read = parse_yaml(to_yaml(content))
    assert read == content and list(read) == list(content)


def test_text_of_the_greatest_length_is_read():
    assert parse_yaml("a".ljust(MAX_CHARACTERS)) == "a"
    with pytest.raises(ValueError, match="longer than"):
        parse_yaml("a".ljust(MAX_CHARACTERS + 1))


def test_parsed_values_belong_to_the_caller():
    parse_yaml("some: {more: [1, 2]}")["some"]["more"].append(3)
    assert parse_yaml("some: {more: [1, 2]}") == {"some": {"more": [1, 2]}}


def test_whole_numbers_may_be_written_with_an_exponent():
    assert load("jie-long", ["decisions=1e6", "evaluation.final_deals=2e3"]).decisions == 1_000_000


@pytest.mark.parametrize("game", GAMES)
def test_game_configuration_is_found_from_any_folder(game, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = ROOT / "configs" / f"{GAMES[game].identifier}.yaml"
    assert shipped(GAMES[game].identifier) == path
    assert load(game) == load(game.replace("-", "_")) == load(path)
    assert load(game) != Config(game=game)  # it holds more than the defaults


@pytest.mark.parametrize("name", ["007", "1e3", "true", "null", "2026-11-27", "1_000", "0x10", "a.b"])
def test_name_of_a_run_is_taken_as_it_is_written(name):
    assert load("jie-long", [f"name={name}"]).name == load("jie-long", [f"name='{name}'"]).name == name
    assert load("jie-long", ["name="]).name == ""
    with pytest.raises(ValueError, match=r"name=7 is not allowed; write .* a number in quotes"):
        parse({"game": "jie-long", "name": 7}, "mine.yaml")


RECIPES = [
    f"{path.parent.name}/{path.stem.replace('_', '-')}"
    for kind in ("strong", "true_hands", "equilibrium", "self_play")
    for path in files(f"configs/{kind}")
]


def test_recipes_of_both_kinds_exist_for_every_game():
    assert {f"{kind}/{game}" for kind in ("strong", "self_play") for game in GAMES} < set(RECIPES)


@pytest.mark.parametrize("recipe", RECIPES)
def test_shipped_recipes_are_found_from_any_folder(recipe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = load(recipe)
    assert found == load(ROOT / "configs" / f"{recipe.replace('-', '_')}.yaml")
    assert (found.expert_iteration.targets > 0) == (not recipe.startswith("self_play"))
    goes_on = recipe.startswith(("true_hands", "equilibrium"))
    assert (found.start == "best" and found.expert_iteration.true_hands == 1) == goes_on
    assert (found.expert_iteration.magnet > 0) == recipe.startswith("equilibrium")
    assert (found.decisions > 0) == recipe.startswith("self_play")


def test_missing_recipe_is_reported():
    with pytest.raises(
        ValueError, match="self_play/chess: there is no such configuration; there are self_play/ce-deng, "
    ):
        load("self_play/chess")


def test_installed_package_finds_its_configurations(tmp_path):
    """Laid out as pyproject.toml tells the wheel to be."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    target = wheel["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "configs" in target["packages"]
    assert target["sources"] == {"configs": "gupai_training/configs"}
    shutil.copytree(ROOT / "training" / "gupai_training", tmp_path / "gupai_training")
    shutil.copytree(ROOT / "configs", tmp_path / "gupai_training" / "configs")
    program = (
        "from gupai_training.config import load, shipped; from gupai_env.games import GAMES\n"
        "for game in GAMES.values(): print(shipped(game.identifier).parent, load(game.id).payoff_scale)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "agents")])},
        timeout=120,
    )
    wanted = [f"{tmp_path}/gupai_training/configs {load(game).payoff_scale}" for game in GAMES]
    assert result.stdout.splitlines() == wanted, result.stderr


@pytest.mark.parametrize(
    ("expert_iteration", "said"),
    [
        ({"ensemble": ["best"]}, "expert_iteration.true_hands=0: expert_iteration.ensemble would not be used"),
        (
            {"ensemble": ["greedy"], "true_hands": 1},
            "expert_iteration.ensemble: greedy is not a network; choose best or checkpoint:FILE",
        ),
        (
            {"ensemble": ["checkpoint:none"], "true_hands": 1},
            "expert_iteration.ensemble: none: there is no such checkpoint",
        ),
        (
            {"rollout_policy": "best"},
            "expert_iteration.self_rollouts=0: expert_iteration.rollout_policy would not be used",
        ),
        (
            {"rollout_policy": "tuned", "self_rollouts": 1},
            "expert_iteration.rollout_policy: tuned is not a network; choose best or checkpoint:FILE",
        ),
        (
            {"rollout_policy": "checkpoint:none", "self_rollouts": 1},
            "expert_iteration.rollout_policy: none: there is no such checkpoint",
        ),
    ],
)
def test_network_without_targets_is_refused_in_one_line(expert_iteration, said):
    with pytest.raises(ValueError, match=f"^test: {said}") as error:
        parse({"game": "jie-long", "expert_iteration": {"targets": 1000, **expert_iteration}}, "test")
    assert "\n" not in str(error.value)


def test_unknown_setting_is_refused_with_its_siblings():
    known = {"": Config, "ppo": Config.model_fields["ppo"].annotation, "pool": Config.model_fields["pool"].annotation}
    for section, model in known.items():
        key, content = (f"{section}.mine", {section: {"mine": 1}}) if section else ("mine", {"mine": 1})
        said = f"a.yaml: {key} is not known here; there are {', '.join(model.model_fields)}"
        with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
            parse({"game": "jie-long", **content}, "a.yaml")


@pytest.mark.parametrize("players", [2, 8])
def test_equilibrium_may_be_learned_at_tables_of_any_size(players):
    found = parse({"game": "pai-gow", "variant": {"players": players}, "expert_iteration": {"equilibrium": 1}}, "test")
    assert found.expert_iteration.equilibrium == 1


@pytest.mark.parametrize(("game", "variant"), [("jie-long", {}), ("pai-gow", {"small": True})])
def test_equilibrium_needs_games_decided_by_hands_alone(game, variant):
    with pytest.raises(ValueError, match=r"equilibrium=1: an equilibrium can be computed only where each seat decides"):
        parse({"game": game, "variant": variant, "expert_iteration": {"equilibrium": 1}}, "test")
