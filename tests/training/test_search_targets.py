"""Teaching by search: what is labelled, what is kept, what is learned."""

import copy

import numpy as np
import pytest
import torch

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.networks.checkpoint import read_checkpoint
from gupai_agents.networks.network import Linear, NetworkAgent, forward, tensor_shapes
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TARGETS_STREAM
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from gupai_training import scorer, search_targets
from gupai_training.config import parse
from gupai_training.net2net import can_widen, widened
from gupai_training.run import Run
from gupai_training.scorer import Scorer
from gupai_training.search_targets import Kind, TargetMaker, Targets, Window
from gupai_training.true_hand_targets import chips_in_deals, chips_played_out
from small_runs import config

GAME = get_game("jie-long")
ENVS_SEED = derive(derive(as_key(1), TARGETS_STREAM), 0)  # of the first chunk of a run from seed 1


class Noting:
    """A player that remembers what it was asked, and answers as another."""

    name = "noting"

    def __init__(self, agent):
        self.agent, self.asked = agent, []

    def act(self, turns: DecisionBatch):
        self.asked.append(turns)
        return self.agent.act(turns)


@pytest.fixture(scope="module")
def greedy():
    return make_agent("greedy", "jie-long", forced_play=True)


def test_targets_are_chips_of_legal_actions_above_their_mean(greedy):
    targets = TargetMaker(config(), 1).targets(greedy, 0)
    legal = ~np.isnan(targets.values)
    assert (legal.sum(1) > 1).all()  # nothing is learned from a position without a choice
    np.testing.assert_allclose(np.nansum(targets.values, 1), 0, atol=1e-3)
    assert targets.observations.dtype == np.int8 and len(targets.observations) == len(targets.means)
    assert np.nanstd(targets.values) > 1
    # What an action is worth is the mean over the same deals of all actions: thirds of whole chips for three playouts.
    chips = 3 * (targets.values + targets.means[:, None])[legal]
    np.testing.assert_allclose(chips, chips.round(), atol=1e-3)


def test_targets_depend_on_number_and_player_alone(greedy):
    target_maker = TargetMaker(config(), 1)
    first, again, other = (
        TargetMaker(config(), 1).targets(greedy, 3),
        target_maker.targets(greedy, 3),
        target_maker.targets(greedy, 4),
    )
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert len(other.means) != len(first.means) or (other.observations != first.observations).any()


def choices_of(player):
    """Return how many decisions with a choice there are where a player has every seat in the first chunk's deals."""
    envs = VectorEnv("jie-long", 64, seed=int(ENVS_SEED), skip_forced=True, forced_play=True)
    decisions = 0
    while (first := envs.episodes == 0).any():
        decisions += (envs.masks[first].sum(1) > 1).sum()
        views, rng_keys = envs.views()
        envs.step(player.act(DecisionBatch(views, envs.masks.copy(), rng_keys)))
    return decisions


def test_deal_decisions_are_each_labelled_once(greedy):
    player = Noting(greedy)
    targets = TargetMaker(config(random_moves=0), 1).targets(player, 0)
    asked = np.concatenate([turns.masks.sum(1) > 1 for turns in player.asked])
    assert len(player.asked[0].rng_keys) == 64  # all tables begin together, and each plays one deal
    assert len(targets.means) == asked.sum()
    assert choices_of(greedy) == len(targets.means)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_moves_are_random_in_part(greedy, share):
    """Without random moves the positions are those of the player; with nothing else its answers do not matter."""
    target_maker = TargetMaker(config(random_moves=share), 1)
    variety = make_agent("variety", "jie-long", forced_play=True)
    one, two = target_maker.targets(greedy, 0), target_maker.targets(variety, 0)
    same = len(one.means) == len(two.means) and (one.observations == two.observations).all()
    assert same == (share == 1.0)


def test_heuristic_plays_at_first_and_then_the_network(tmp_path):
    run = Run.begin(config(targets=3000, heuristic_share=0.5, window=500), tmp_path)
    search_targets, player = run.search_stage, Noting(run.source.player("now"))
    search_targets.player = lambda: player
    while search_targets.progress() < 1:
        own, before = search_targets.progress() >= 0.5, len(player.asked)
        search_targets.step()
        assert (len(player.asked) > before) == own
    assert player.asked
    assert len(search_targets.window) == 500 < search_targets.count


def some_of(masks):
    """Some legal actions of every lane, about 40 in all."""
    legal = np.argwhere(masks)
    return legal[:: max(3, len(legal) // 40)]


def won_by_hand(envs, lane, action, own, others):
    """Play an action in a copy of a lane and the deal to its end, a player's decision at a time; return its chips."""
    envs, seat = copy.deepcopy(envs), envs.seats[lane]
    actions = np.full(envs.num_envs, WAIT)
    while True:
        actions[lane] = action
        payoffs, terminated = envs.step(actions)
        if terminated[lane]:
            return payoffs[lane, seat]
        views, rng_keys = envs.views(slice(lane, lane + 1))
        player = own if envs.seats[lane] == seat else others
        action = player.act(DecisionBatch(views, envs.masks[lane : lane + 1].copy(), rng_keys))[0]


@pytest.mark.parametrize(
    ("name", "options", "rows"),
    [("jie-long", {"forced_play": True}, "greedy variety"), ("da-ling", {}, "colour tuned")],
)
def test_open_deal_chips_equal_playing_it_out(name, options, rows):
    game = get_game(name)
    one, two = (make_agent(row, game, **options) for row in rows.split())
    envs = VectorEnv(game, 12, seed=5, skip_forced=True, **options)
    for number in range(3 if name == "jie-long" else 1):
        envs.step(envs.sample(number))
    heuristics = np.array([[one.weights, one.weights], [two.weights, one.weights], [one.weights, two.weights]])
    played_by = np.arange(12) % 3
    found = chips_in_deals(game, envs.rules, heuristics, played_by, envs.states.copy(), envs.masks.copy(), 1)
    np.testing.assert_array_equal(np.isnan(found), ~envs.masks)
    players = (one, one), (two, one), (one, two)
    for lane, action in some_of(envs.masks):
        assert found[lane, action] == won_by_hand(envs, lane, action, *players[played_by[lane]]), (lane, action)


@pytest.mark.parametrize("sample", [False, True], ids=["best", "drawn"])
@pytest.mark.parametrize(("name", "options"), [("jie-long", {"forced_play": True}), ("da-ling", {})])
def test_network_playouts_give_the_chips_of_its_actions(name, options, sample, tmp_path):
    settings = {"game": name, "variant": options, "threads": 1, "decisions": 0, "expert_iteration": {"targets": 1}}
    own = Run.begin(parse(settings, "test"), tmp_path).source.player("own")
    own.sample = sample
    one, two = (make_agent(row, name, **options) for row in ("greedy", "tuned"))
    envs = VectorEnv(name, 12, seed=6, skip_forced=True, **options)
    for number in range(3 if name == "jie-long" else 1):
        envs.step(envs.sample(number))
    played_by, scorer = np.arange(12) % 3, Scorer(own, torch.device("cpu"), torch.float32)
    states, masks = envs.states.copy(), envs.masks.copy()
    found = chips_played_out(envs.game, envs.variant, scorer, [one, two], played_by, states, masks, sample)
    np.testing.assert_array_equal(np.isnan(found), ~masks)
    for lane, action in some_of(masks):
        others = (own, one, two)[played_by[lane]]
        assert found[lane, action] == won_by_hand(envs, lane, action, own, others), (lane, action)
    match = envs.game.variant.make(**options, deals=3)  # of which it is the first deal
    np.testing.assert_array_equal(
        chips_played_out(envs.game, match, scorer, [one, two], played_by, states, masks, sample), found
    )
    none = chips_played_out(envs.game, envs.variant, scorer, [one, two], played_by[:0], states[:0], masks[:0], sample)
    assert none.shape == (0, envs.game.num_actions)


@pytest.mark.parametrize(("precision", "dtype"), [("float32", torch.float32), ("bfloat16", torch.bfloat16)])
def test_network_plays_out_in_the_precision_of_the_run(precision, dtype, tmp_path):
    settings = config().model_dump() | {"precision": precision}
    run = Run.begin(parse(settings, "test"), tmp_path)
    network = run.source.player("now")
    target_maker, envs = run.search_stage.target_maker, VectorEnv(GAME, 64, forced_play=True)
    scores = Scorer(network, target_maker.device, target_maker.dtype).scores(envs.observations)
    assert target_maker.dtype == dtype and scores.dtype == np.float32
    error = np.abs(scores - network.logits(envs.observations)).max() / np.abs(scores).max()
    assert error < (1e-5 if precision == "float32" else 0.03)
    assert (error > 1e-4) == (precision == "bfloat16")


@pytest.mark.parametrize("rows", [0, 1, 128, 129])
def test_network_multiplies_whole_blocks_of_rows(rows, tmp_path, monkeypatch):
    network = Run.begin(config(), tmp_path).source.player("now")
    sizes = []
    monkeypatch.setattr(scorer, "forward", lambda layers, x: (sizes.append(len(x)), forward(layers, x))[1])
    observations = VectorEnv(GAME, rows + 1, forced_play=True).observations[:rows]
    scores = Scorer(network, torch.device("cpu"), torch.float32).scores(observations)
    assert sizes == [-(-rows // 128) * 128]  # torch compiles bfloat16 products of each new size
    np.testing.assert_allclose(scores, network.logits(observations), atol=1e-5)


def test_network_playouts_keep_the_decisions_and_repeat_exactly(tmp_path):
    run = Run.begin(config(), tmp_path)
    player, target_maker = run.source.player("now"), run.search_stage.target_maker
    own, again = (target_maker.targets(player, 2, Kind.OWN) for _ in range(2))
    by_heuristic = target_maker.targets(player, 2, Kind.TRUE_HANDS)
    np.testing.assert_array_equal(own.values, again.values)
    np.testing.assert_array_equal(own.observations, by_heuristic.observations)
    assert (own.means != by_heuristic.means).mean() > 0.3


def test_network_playouts_let_every_opponent_play_for_itself(tmp_path):
    """So a frozen network among the opponents is met as it is, not as the heuristic that plays out otherwise."""
    run = Run.begin(config(tables=16), tmp_path)
    player, target_maker, asked = run.source.player("now"), run.search_stage.target_maker, []
    for kind in (Kind.TRUE_HANDS, Kind.OWN):
        target_maker.others = [Noting(player.drawing()) for _ in target_maker.others]
        target_maker.targets(player, 2, kind)
        asked.append([sum(len(batch.views) for batch in who.asked) for who in target_maker.others])
    in_deals, played_out = np.array(asked)
    assert (in_deals > 0).all() and (played_out > 3 * in_deals).all()


def test_true_hand_targets_come_from_the_players_seat_and_tables(greedy, monkeypatch):
    target_maker = TargetMaker(config(), 1)
    player, variety = Noting(greedy), make_agent("variety", "jie-long", forced_play=True)
    target_maker.others = [Noting(variety), Noting(greedy)]
    target_maker.heuristics = np.array([[greedy.weights] * 2, [greedy.weights, variety.weights], [greedy.weights] * 2])
    met = []

    def noted(game, rules, heuristics, played_by, *rest):
        met.append(played_by)
        return chips_in_deals(game, rules, heuristics, played_by, *rest)

    monkeypatch.setattr(search_targets, "chips_in_deals", noted)
    targets = target_maker.targets(player, 0, kind=Kind.TRUE_HANDS)
    asked = sum((turns.masks.sum(1) > 1).sum() for turns in player.asked)
    assert len(targets.means) == asked  # all of its decisions, and nobody else's
    lengths = [sum(len(turns.rng_keys) for turns in who.asked) for who in (player, *target_maker.others)]
    whole = sum(lengths)
    # Of 64 tables 22 are its own; at the others it has one seat of four.
    assert lengths[0] / whole == pytest.approx((22 + 42 / 4) / 64, abs=0.04)
    assert lengths[1] == pytest.approx(lengths[2], rel=0.15)
    counts = np.bincount(np.concatenate(met), minlength=3)
    assert counts[0] / asked == pytest.approx(22 / (22 + 42 / 4), abs=0.05)
    assert counts[1] == pytest.approx(counts[2], rel=0.3) and counts[1] > 0


def test_true_hand_targets_are_whole_chips_and_always_the_same(greedy):
    shared = config(tables=1024)  # so many that threads share them
    one, two = (TargetMaker(shared, threads).targets(greedy, 1, kind=Kind.TRUE_HANDS) for threads in (1, 2))
    for mine, theirs in zip(one, two, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    chips = (one.values + one.means[:, None])[~np.isnan(one.values)]
    np.testing.assert_allclose(chips, chips.round(), atol=1e-3)


def test_true_hand_deals_follow_the_policy_without_random_moves(greedy, tmp_path):
    """So that what somebody does goes on to tell of the hand, but never for certain."""
    network = Run.begin(config(), tmp_path).source.player("now")
    for player, wild in ((greedy, greedy), (network, network.drawing())):
        target_maker = TargetMaker(config(random_moves=1), 1)
        target_maker.others = []
        dealt = target_maker.targets(player, 0, kind=Kind.TRUE_HANDS)
        assert choices_of(wild) == len(dealt.means)
    assert not network.sample


def test_ensemble_label_is_its_mean(tmp_path):
    settings = config(true_hands=1, temperature=3).model_dump() | {"precision": "float32"}
    specs, networks = [], []
    for seed in (1, 2):
        run = Run.begin(parse(settings | {"seed": seed}, "test"), tmp_path)
        run.save_agent()
        specs.append(f"checkpoint:{run.folder}")
        networks.append(run.source.player("one"))
    by_search = settings | {"expert_iteration": settings["expert_iteration"] | {"ensemble": specs}}
    found = TargetMaker(parse(by_search, "test"), 1).targets(networks[0], 0, Kind.TRUE_HANDS)
    plain = TargetMaker(parse(settings, "test"), 1).targets(networks[0], 0, Kind.TRUE_HANDS)
    np.testing.assert_array_equal(found.observations, plain.observations)  # of the same deals
    np.testing.assert_allclose(found.means, plain.means, atol=1e-4)  # what they win is not asked of it
    scores = 3 * sum(each.logits(found.observations) for each in networks) / 2
    legal = ~np.isnan(plain.values)
    np.testing.assert_array_equal(~np.isnan(found.values), legal)
    scores = np.where(legal, scores, np.nan)
    np.testing.assert_allclose(found.values, scores - np.nanmean(scores, 1, keepdims=True), rtol=1e-4, atol=1e-4)
    own = TargetMaker(parse(by_search, "test"), 1).targets(networks[0], 0, Kind.OWN)
    np.testing.assert_array_equal(
        own.values, TargetMaker(parse(settings, "test"), 1).targets(networks[0], 0, Kind.OWN).values
    )


def test_network_that_plays_out_plays_none_of_the_deals(tmp_path):
    settings = config(true_hands=1, self_rollouts=1).model_dump() | {"precision": "float32"}
    small = Run.begin(parse(settings | {"seed": 2, "network": {"hidden": [8]}}, "test"), tmp_path)
    small.save_agent()
    player = Run.begin(parse(settings, "test"), tmp_path).source.player("now")
    rollout_policy = settings | {
        "expert_iteration": settings["expert_iteration"] | {"rollout_policy": f"checkpoint:{small.folder}"}
    }
    found = TargetMaker(parse(rollout_policy, "test"), 1).targets(player, 0, Kind.OWN)
    own = TargetMaker(parse(settings, "test"), 1).targets(player, 0, Kind.OWN)
    np.testing.assert_array_equal(found.observations, own.observations)
    assert (found.means != own.means).mean() > 0.3
    # What it wins is what it would win as the player, in the same decisions of the first turn of all deals.
    first = TargetMaker(parse(settings, "test"), 1).targets(small.source.player("small"), 0, Kind.OWN)
    same = slice(0, (first.observations[:64] == found.observations[:64]).all(1).argmin() or 64)
    assert same.stop > 8
    np.testing.assert_array_equal(found.means[same], first.means[same])


def test_run_may_begin_with_a_players_network(tmp_path):
    first = Run.begin(config(), tmp_path)
    first.save_agent()
    settings = config().model_dump()
    begun = Run.begin(parse(settings | {"start": f"checkpoint:{first.folder}", "seed": 2}, "test"), tmp_path)
    for name, tensor in begun.network.tensors().items():
        np.testing.assert_array_equal(tensor, first.network.tensors()[name])
    larger = settings | {"start": f"checkpoint:{first.folder}", "network": {"hidden": [256, 300]}}
    envs = VectorEnv(GAME, 8, forced_play=True)
    np.testing.assert_allclose(
        Run.begin(parse(larger, "test"), tmp_path).source.player("now").logits(envs.observations),
        first.source.player("now").logits(envs.observations),
        atol=1e-5,
    )
    other = settings | {"start": f"checkpoint:{first.folder}", "network": {"hidden": [32, 32]}}
    with pytest.raises(ValueError, match=r"start=checkpoint:.*: tensor 'policy.weight' .* does not fit its network"):
        Run.begin(parse(other, "test"), tmp_path / "none")
    with pytest.raises(ValueError, match="start=greedy: not a network, but a player of another kind"):
        Run.begin(parse(settings | {"start": "greedy"}, "test"), tmp_path / "none")
    with pytest.raises(ValueError, match="'our_hooks:player' is not a player of jie-long"):  # a file runs no code
        Run.begin(parse(settings | {"start": "our_hooks:player"}, "test"), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def network(kind, hidden, rng):
    net = {"type": kind, "hidden": hidden, "activation": "relu"}
    shapes = tensor_shapes(net, GAME.encoder.layout.size, GAME.num_actions)
    tensors = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    return NetworkAgent("some", GAME, net, tensors, False)


GROWTHS = [
    (("mlp", [8, 6]), ("mlp", [12, 7])),
    (("residual", [8, 8]), ("residual", [12, 12, 12])),
    (("residual", [8, 8, 8]), ("gated", [8, 8, 8])),
    (("residual", [9, 8, 8]), ("gated", [11, 10, 10, 10])),
    (("gated", [8, 8]), ("gated", [12, 12, 12])),
]


@pytest.mark.parametrize(("small", "large"), GROWTHS)
def test_larger_network_computes_the_same_and_learns_everywhere(small, large):
    rng = np.random.default_rng(3)
    agent, like = network(*small, rng), network(*large, rng)
    assert can_widen(agent.net, like.net)
    tensors = widened(agent.tensors, like.net, GAME, rng)
    envs = VectorEnv(GAME, 64)
    envs.step(envs.sample(1))
    larger = NetworkAgent("larger", GAME, like.net, tensors, False)
    np.testing.assert_allclose(larger.logits(envs.observations), agent.logits(envs.observations), atol=1e-4)
    layers = [
        layer.converted(lambda linear: Linear(*(torch.tensor(array, requires_grad=True) for array in linear)))
        for layer in larger.layers
    ]
    scores = forward(layers, torch.as_tensor(envs.observations).float())
    scores.square().sum().backward()
    for layer in layers:
        assert layer.linear.weight.grad.abs().max() > 0
        if layer.gate and layer.linear.weight.detach().any():
            assert layer.gate.weight.grad.abs().max() > 0
        elif layer.gate:
            assert layer.gate.weight.detach().std() > 0.1  # else what it multiplies would stay nothing


@pytest.mark.parametrize(
    ("small", "large"),
    [
        (("mlp", [8, 8]), ("mlp", [8, 8, 8])),
        (("mlp", [8, 8]), ("residual", [8, 8])),
        (("gated", [8, 8]), ("residual", [8, 8])),
        (("residual", [8, 8, 8]), ("residual", [8, 8])),
        (("residual", [8, 8]), ("residual", [8, 6])),
        (("residual", [8, 8]), ("residual", [8, 9])),
        (("residual", [8, 6]), ("residual", [8, 8])),
        (("residual", [8, 8]), ("residual", [8, 8, 9])),
    ],
)
def test_incompatible_network_does_not_grow(small, large):
    nets = [{"type": kind, "hidden": hidden} for kind, hidden in (small, large)]
    assert not can_widen(*nets)


def some(first, count):
    values = np.full((count, GAME.num_actions), np.nan, np.float32)
    values[:, :2] = np.arange(first, first + count)[:, None]
    size = GAME.encoder.layout.size
    return Targets(np.zeros((count, size), np.int8), values, np.arange(first, first + count, dtype=np.float32))


def test_window_keeps_the_newest_targets():
    window = Window(10, GAME)
    window.add(some(0, 4))
    assert len(window) == 4
    window.add(some(4, 4))
    window.add(some(8, 5))
    assert len(window) == 10 and window.made == 13
    assert sorted(window.means.tolist()) == list(range(3, 13))
    assert (window.values[:, 0] == window.means).all()
    window.add(some(13, 25))  # more than fit
    assert sorted(window.means.tolist()) == list(range(28, 38))
    again = Window(10, GAME)
    again.put_back(window.saved(28, 33), 28, 33)
    again.put_back(window.saved(33, 38), 33, 38)
    np.testing.assert_array_equal(again.means, window.means)
    np.testing.assert_array_equal(again.values, window.values)


@pytest.mark.parametrize("out", [-1, 1], ids=["below", "above"])
def test_saved_targets_with_observations_out_of_range_are_refused(out):
    window, layout = Window(10, GAME), GAME.encoder.layout
    window.add(some(0, 3))
    kept = window.saved(0, 3)
    kept["observations"][1, 0] = (layout.low if out < 0 else layout.high)[0] + out
    with pytest.raises(ValueError, match="observations out of range"):
        Window(10, GAME).put_back(kept, 0, 3)


def test_chips_that_do_not_fit_are_refused_before_saving():
    window = Window(10, GAME)
    window.add(some(65_500, 5))
    assert window.values[:5, 0].tolist() == [65504.0] * 5
    with pytest.raises(ValueError, match="more than 65,504 chips do not fit"):
        window.add(some(65_501, 5))
    assert window.made == 5


@pytest.mark.parametrize("magnet", [0, 0.5])
def test_logits_become_chips_over_temperature_and_values_returns(magnet, tmp_path):
    """Always the same targets: the network learns them, in the units that are promised, next to an average's logits."""
    magnetic = {"true_hands": 1, "self_rollouts": 1, "magnet": magnet, "average_rate": 1e-9}
    run = Run.begin(config(targets=100, temperature=4.0, batch_size=256, learning_rate=3e-3, **magnetic), tmp_path)
    search_targets, heuristic = run.search_stage, run.search_stage.target_maker.heuristic
    average = copy.deepcopy(run.network).requires_grad_(False)
    torch.nn.init.normal_(average.policy.weight, std=0.3)
    search_targets.average = average if magnet else None
    targets = search_targets.target_maker.targets(heuristic, 0)
    search_targets.window.add(Targets(*(array[:100] for array in targets)))
    for _ in range(400):
        search_targets._learn(np.arange(100))
    agent = run.source.player("now")
    agent.tensors = run.network.tensors()
    agent = type(agent)("now", GAME, run.config.net, agent.tensors, False)
    logits = agent.logits(targets.observations[:100])
    values = targets.values[:100]
    legal = ~np.isnan(values)
    pulled = average(torch.as_tensor(targets.observations[:100]))[0].detach().numpy()
    assert pulled[legal].std() > 1
    logits = np.where(legal, logits - magnet * pulled, np.nan)
    logits -= np.nanmean(logits, 1, keepdims=True)
    np.testing.assert_allclose((4.0 * logits)[legal], values[legal], atol=1.5)
    if magnet:
        return
    chances = np.where(legal, np.exp(np.nan_to_num(logits)), 0)
    chances /= chances.sum(1, keepdims=True)
    wanted = (targets.means[:100] + np.nansum(chances * np.nan_to_num(values), 1)) / run.config.payoff_scale
    judged = run.network(torch.as_tensor(targets.observations[:100]))[1].detach().numpy()
    assert np.corrcoef(judged, wanted)[0, 1] > 0.9


def test_player_has_one_of_the_played_seats_at_every_table():
    target_maker = TargetMaker(
        parse(
            {"game": "jie-long", "variant": {"players": 2}, "expert_iteration": {"targets": 1000, "tables": 64}}, "test"
        ),
        1,
    )
    envs = VectorEnv(GAME, 64, seed=1, players=2)
    villains = target_maker._villains(envs, np.random.default_rng(1))
    assert (villains[:, :2] == 0).any(1).all()
    assert len(np.unique(villains[:, 0])) == len(np.unique(villains[:, 1])) == 1 + len(target_maker.others)


@pytest.mark.parametrize("rate", [0.01, 1])
def test_player_of_self_rollouts_with_a_magnet_is_the_average_and_mixes_its_actions(rate, tmp_path):
    magnetic = {"true_hands": 1, "self_rollouts": 1, "magnet": 0.9, "average_rate": rate}
    run = Run.begin(config(**magnetic), tmp_path)
    assert run.learn()
    (_, saved), average = read_checkpoint(run.agent_file), run.search_stage.average.tensors()
    for name, weights in run.network.tensors().items():
        np.testing.assert_array_equal(saved[name], average[name])
        assert (saved[name] == weights).all() == (rate == 1), name
    assert run.source.player("now").sample and run.player(f"checkpoint:{run.folder}").sample
