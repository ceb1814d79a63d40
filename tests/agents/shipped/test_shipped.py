"""The player `best`: which networks come with the package, for which variants, and what is said where there is none."""

import json
import shlex

import numpy as np
import pytest

from benchmarks import recipes, strong
from checkout import tool
from gupai_agents import agent_names, make_agent, shipped
from gupai_agents.networks.checkpoint import identity, read_checkpoint, read_header, variant_of, write_checkpoint
from gupai_agents.networks.network import packed, tensor_shapes, unpacked
from gupai_agents.shipped import NETWORKS, best_file, heuristic_names
from gupai_env.games import GAMES, get_game
from gupai_env.storage.models import parse_yaml, to_yaml
from gupai_training.config import find, load, parse
from variants import table_sizes

GAME = get_game("jie-long")
NET = {"type": "mlp", "hidden": [8, 8], "activation": "relu"}
MOST_BYTES = 2 << 20
FILES = sorted(NETWORKS.glob("*.safetensors"))


def tensors_of(number):
    """Return the weights of a tiny network, float32."""
    chance = np.random.default_rng(number)
    shapes = tensor_shapes(NET, GAME.encoder.layout.size, GAME.num_actions)
    return {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def networks(tmp_path, monkeypatch):
    """Networks of two variants in a folder of their own, one in half precision, one in eight bits."""
    for number, options in enumerate([{"forced_play": True}, {"players": 3, "forced_play": True}]):
        large = tensors_of(number)
        half = {name: tensor.astype(np.float16) for name, tensor in large.items()}
        tensors = packed(large) if number else half
        header = {**identity(GAME, GAME.variant.make(**options)), "kind": "player", "net": NET}
        write_checkpoint(tmp_path / f"jie-long-{number}.safetensors", header, tensors)
    monkeypatch.setattr(shipped, "NETWORKS", tmp_path)
    shipped.networks.cache_clear()
    yield tmp_path
    shipped.networks.cache_clear()


def test_best_is_the_network_of_the_variant(networks):
    for number, options in enumerate([{"forced_play": True}, {"players": 3, "forced_play": True}]):
        agent = make_agent("best", "jie-long", **options)
        kept = make_agent(f"checkpoint:{networks}/jie-long-{number}.safetensors", "jie-long", **options)
        assert agent.name == "best"
        assert all((agent.tensors[name] == tensor).all() for name, tensor in kept.tensors.items())
        assert all(tensor.dtype == np.float32 for tensor in agent.tensors.values())


def test_unobserved_options_do_not_matter_to_best(networks):
    assert make_agent("best", "jie-long", forced_play=True, deals=5, stake=10.0).name == "best"
    assert agent_names("jie-long", GAME.variant.make(forced_play=True, deals=5))[-1] == "best"


def test_missing_best_is_reported_and_not_listed(networks):
    with pytest.raises(ValueError, match="no player best of jie-long comes for these options; choose tuned"):
        make_agent("best", "jie-long", players=2)
    assert agent_names("jie-long", GAME.variant.make(players=2))[-1] == "tuned"
    assert agent_names("jie-long")[-1] == "tuned"  # the default rules leave one free to discard


def test_playouts_use_the_strongest_heuristic_not_best(networks):
    search = make_agent("search:playouts=1", "jie-long", forced_play=True)
    tuned = make_agent("tuned", "jie-long", forced_play=True)
    assert (search.heuristics == tuned.weights).all()
    assert heuristic_names(GAME)[-1] == "tuned"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_best_exists_for_every_table(game):
    assert [
        players for players in table_sizes(game) if best_file(game, game.variant.make(players=players)) is None
    ] == []


def test_card_gives_the_results_of_one_command_seed_by_seed(tmp_path, monkeypatch):
    file = NETWORKS / "tiu-u-default.safetensors"
    cards = tool("model_cards")
    monkeypatch.setattr(cards, "MODELS", tmp_path)

    def run(seed, mean, wins):
        won = {"tuned": {"mean": wins, "low": wins - 1, "high": wins + 1, "n": 9}}
        won["best"] = {"mean": mean, "low": mean - 2, "high": mean + 2, "n": 9}
        command = "gupai train tiu-u --set threads=1" + (f" --set seed={seed}" if seed > 1 else "")
        made = {"seed": seed, "targets": 1000 * seed, "seconds": 60.4, "machine": "a machine"}
        return {"command": command, **made, "chips_per_deal_against": won}

    runs = {file.stem: [run(1, -3.0, 5.0), run(2, -4.0, 6.0)], "another": [run(3, 0.0, 0.0)]}
    (tmp_path / "recipes.json").write_text(json.dumps(runs))
    (tmp_path / "tiny.json").write_text("{}")
    text = " ".join(cards.card(GAMES["tiu-u"], file, read_header(file)).split())
    assert "`gupai train tiu-u --set threads=1`, makes (seed 1: 1,000 targets in 60 seconds; seed 2: 2,000" in text
    assert "wins +5.00 ±1.00, +6.00 ±1.00 chips per deal from `tuned`" in text
    assert "and -3.00 ±2.00, -4.00 ±2.00 from this one (9 deals, seed" in text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_network_plays_its_variant_and_is_small(file):
    header = read_header(file)
    game, variant = variant_of(file, header)
    assert best_file(game, variant) == file
    assert make_agent("best", game, **variant.changed()).name == "best"
    assert file.stat().st_size <= MOST_BYTES
    won = header["evaluation"]["chips_per_deal_against"]
    assert set(won) >= {"random", *game.heuristics}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_recipes_are_accepted_by_train(file):
    stage = {"start": read_header(file)}
    while stage := stage.get("start"):
        settings = parse_yaml(tool("model_cards").recipe_of(stage))
        expert_iteration = settings["expert_iteration"] | {"ensemble": [], "rollout_policy": None}
        rules = [spec for spec in settings["pool"]["rules"] or () if not spec.startswith("checkpoint:")]
        missing = {"start": None, "expert_iteration": expert_iteration, "pool": settings["pool"] | {"rules": rules}}
        parse(settings | missing, file.stem)  # but for players that do not ship


def test_trained_players_are_compared_with_shipped_ones(networks, tmp_path):
    run = tmp_path / "run"
    run_folder(run)
    kept = {"targets": 100, "seed": 4}
    header = {**identity(GAME, GAME.variant.make(forced_play=True)), "kind": "player", "net": NET, **kept}
    write_checkpoint(run / "agent.safetensors", header, tensors_of(1))
    settings = parse(find("jie-long"), "").model_dump(mode="json") | {"seed": 4, "name": "mine"}
    (run / "config.yaml").write_text(to_yaml(settings))
    card, found = recipes.judge("jie-long", run, "an abacus", 2)
    assert card == "jie-long-0"
    told = {**kept, "seconds": 3.5, "machine": "an abacus"}
    assert {name: found[name] for name in told} == told
    assert found["command"] == "gupai train jie-long --set seed=4"
    assert set(found["chips_per_deal_against"]) == {"random", *GAME.heuristics, "card", "tuned", "best"}
    settings["expert_iteration"] |= {"max_minutes": 0.5, "heuristic": "greedy", "learning_rate": 0.5}
    settings["network"] |= {"hidden": [8, 16]}
    (run / "config.yaml").write_text(to_yaml(settings))
    words = shlex.split(" ".join(recipes.changes("jie-long", run)))[1::2]  # as a shell reads them
    assert words == [
        "seed=4",
        "network.hidden=[8, 16]",
        "expert_iteration.max_minutes=0.5",
        "expert_iteration.heuristic=greedy",
        "expert_iteration.learning_rate=0.5",
    ]
    assert load("jie-long", words).model_dump(mode="json") == settings | {"name": "jie-long"}  # the command as typed
    (run / "config.yaml").write_text(to_yaml(settings | {"start": "best"}))
    with pytest.raises(ValueError, match=r"run: made of another player"):
        recipes.changes("jie-long", run)


def run_folder(folder, start=None, seed=7):
    """Write what a run of a tiny network leaves behind, 100 targets long."""
    folder.mkdir()
    tensors = tensors_of(seed)
    header = {**identity(GAME, GAME.variant.make(players=2)), "kind": "player", "net": NET, "targets": 100}
    write_checkpoint(folder / "agent.safetensors", header, tensors)
    (folder / "config.yaml").write_text(f"game: jie-long\n{f'start: {start}' if start else ''}\n")
    (folder / "metrics.jsonl").write_text('{"targets": 100, "decisions": 0, "updates": 0, "seconds": 3.5}\n')
    return tensors


def test_run_ships_as_judged_and_is_judged_again(networks, tmp_path, monkeypatch):
    monkeypatch.setattr(strong, "NETWORKS", networks)
    monkeypatch.setattr(strong, "DEALS", 2)
    monkeypatch.setattr(strong, "SEARCHED", 2)
    tensors = run_folder(tmp_path / "first")
    file = strong.ship([tmp_path / "first"], "an abacus")
    assert file == networks / "jie-long-players_2.safetensors"
    strong.judge(file)
    header, small = read_checkpoint(file)
    assert (header["machine"], header["recipe"].strip()) == ("an abacus", "game: jie-long")
    assert small["policy.weight"].dtype == np.float16
    np.testing.assert_allclose(unpacked(small)["policy.weight"], tensors["policy.weight"], atol=0.02)
    won = header["evaluation"]["chips_per_deal_against"]
    assert won.keys() == {"random", *GAME.heuristics, "card", "tuned", "search:playouts=200"}
    assert {each["n"] for each in won.values()} == {2}
    monkeypatch.setattr(strong, "DEALS", 3)
    strong.judge(file)
    again, same = read_checkpoint(file)
    assert again["evaluation"]["chips_per_deal_against"]["greedy"]["n"] == 3
    assert {**again, "evaluation": 0} == {**header, "evaluation": 0}
    assert all((same[name] == tensor).all() for name, tensor in small.items())
    run_folder(tmp_path / "second", start="best")
    printed = read_header(strong.ship([tmp_path / "second"], "a better one"))["start"]
    assert (printed["machine"], printed["targets"]) == ("an abacus", 100)
    ensemble = f"[best, 'checkpoint:{tmp_path / 'second'}']"
    run_folder(tmp_path / "third", f"checkpoint:{tmp_path / 'first'}\nexpert_iteration: {{ensemble: {ensemble}}}")
    header = read_header(strong.ship([tmp_path / "third"], "the best one"))
    took = {"targets": 100, "seconds": 3.5}
    assert header["start"] == {**took, "machine": "the best one", "recipe": "game: jie-long\n\n"}
    shipped, run = header["ensemble"]
    assert (shipped["machine"], run["machine"], run["recipe"]) == (
        "a better one",
        "the best one",
        "game: jie-long\nstart: best\n",
    )
    run_folder(tmp_path / "fourth", f"checkpoint:{tmp_path / 'third'}")
    third = read_header(strong.ship([tmp_path / "fourth"], "that one"))["start"]
    assert third["start"] == {**header["start"], "machine": "that one"}
    assert [each["machine"] for each in third["ensemble"]] == ["the best one", "that one"]
    before = unpacked(read_checkpoint(file)[1])["policy.weight"]
    rollout_policy = f"expert_iteration: {{rollout_policy: 'checkpoint:{tmp_path / 'first'}'}}"
    fifth = run_folder(tmp_path / "fifth", "best", seed=8)["policy.weight"]
    sixth = run_folder(tmp_path / "sixth", f"best\n{rollout_policy}", seed=9)["policy.weight"]
    several = [tmp_path / name for name in ("fifth", "sixth", "sixth")]
    for with_best, parts in ((True, [fifth, sixth, sixth, before]), (False, [fifth, sixth, sixth])):
        mean, small = read_checkpoint(strong.ship(several, "a mean one", with_best))
        assert mean.get("start_averaged", False) == with_best
        np.testing.assert_allclose(unpacked(small)["policy.weight"], np.mean(parts, 0), atol=0.02)
        one, two = mean["averaged_with"]
        assert one == two and (one["machine"], "start" in one) == ("a mean one", False)
        assert one["rollout_policy"] == {**header["start"], "machine": "a mean one"}
    start = mean["start"]  # a mean as well
    assert (start["start"]["machine"], start["start_averaged"], start["averaged_with"]) == (
        "that one",
        True,
        [one, two],
    )
    with pytest.raises(ValueError, match=r"first: began with no player, not with best$"):
        strong.ship([*several, tmp_path / "first"], "none")
    with pytest.raises(ValueError, match=r"first: began with no player, not with best$"):
        strong.ship([tmp_path / "first"], "none", with_best=True)
    assert read_header(strong.ship([tmp_path / "second"], "another one", best_actions=True))["mixes"] is False
    other = {**identity(GAME, GAME.variant.make(players=3)), "kind": "player", "net": NET}
    (tmp_path / "other").mkdir()
    write_checkpoint(tmp_path / "other" / "agent.safetensors", other, tensors)
    with pytest.raises(ValueError, match=r"other: not the network and the variant of .*first$"):
        strong.ship([tmp_path / "first", tmp_path / "other"], "none")


def test_shipped_player_is_given_look_ahead(networks):
    file = networks / "jie-long-0.safetensors"
    for recipe, temperature in (("game: jie-long", 2.0), ("game: jie-long\nexpert_iteration: {temperature: 3.0}", 3.0)):
        header, tensors = read_checkpoint(file)
        write_checkpoint(file, {**header, "recipe": recipe}, tensors)
        strong.look_ahead(file, 5.0, 16.0, 0.25)
        described = {"tiles": 5, "playouts": 16, "trust": 0.25, "temperature": temperature}
        assert read_header(file)["look_ahead"] == described
    assert make_agent("best", "jie-long", forced_play=True).ahead.depth._asdict() == described
    with pytest.raises(ValueError, match=r"trust=2\.0 is not allowed"):
        strong.look_ahead(file, 5.0, 16.0, 2.0)
    with pytest.raises(ValueError, match=r"tiles=5\.5 is not allowed"):
        strong.look_ahead(file, 5.5, 16.0, 0.25)
    assert read_header(file)["look_ahead"] == described


@pytest.mark.parametrize(
    "words",
    [
        ["--again", "jie-long-0", "--machine", "an abacus"],
        ["--again", "jie-long-0", "--with-best"],
        ["--look-ahead", "5", "16", "0.25"],
        ["--again", "--look-ahead", "5", "16", "0.25"],
        ["a-run"],
        [],
    ],
)
def test_incompatible_choices_are_refused_before_writing(networks, monkeypatch, capsys, words):
    monkeypatch.setattr("sys.argv", ["strong.py", *words])
    monkeypatch.setattr(strong, "NETWORKS", networks)
    monkeypatch.setattr(strong, "judge", None)
    with pytest.raises(SystemExit):
        strong.main()
    assert "error: " in capsys.readouterr().err
