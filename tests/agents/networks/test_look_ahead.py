"""Looking ahead: what a few playouts say has a share in what a network thinks late in a deal."""

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.tournaments.ladder import some_decisions
from gupai_agents.look_ahead import Depth, LookAhead
from gupai_agents.networks.checkpoint import CheckpointError, identity, write_checkpoint
from gupai_agents.networks.network import NetworkAgent, tensor_shapes
from gupai_env.games import get_game

GAME = get_game("jie-long")
OPTIONS = {"forced_play": True}
VARIANT = GAME.variant.make(**OPTIONS)
NET = {"type": "mlp", "hidden": [8], "activation": "relu"}
DEPTH = {"tiles": 3, "playouts": 4, "trust": 0.3, "temperature": 2.0}


def tensors():
    chance = np.random.default_rng(3)
    shapes = tensor_shapes(NET, GAME.encoder.layout.size, GAME.num_actions)
    return {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def network(**depth):
    agent = NetworkAgent("tiny", GAME, NET, tensors(), sample=False, variant=VARIANT)
    if depth:
        agent.ahead = LookAhead(GAME, VARIANT, Depth(**depth))
    return agent


@pytest.fixture(scope="module")
def turns():
    return some_decisions(GAME, make_agent("greedy", GAME, **OPTIONS), GAME.variant(**OPTIONS))


def of_legal(values, masks):
    """Return values of the legal actions less their mean, NaN elsewhere."""
    values = np.where(masks, values, np.nan)
    return values - np.nanmean(values, 1, keepdims=True)


def playouts(turns, number):
    """Return what a search finds that draws the deals of key 0 in every decision, chips [N, num_actions]."""
    search = make_agent(f"search:playouts={number}", GAME, **OPTIONS)
    return search.values(turns._replace(rng_keys=np.zeros_like(turns.rng_keys)), halving=False).means


def test_playouts_count_in_late_decisions_with_a_choice_alone(turns):
    plain, ahead = network().scores(turns), network(**DEPTH).scores(turns)
    choice, left = turns.masks.sum(1) > 1, turns.views.sizes[:, 0]
    late = choice & (left <= 3)
    assert {2, 3} <= set(left[late]) and (choice & ~late).any()
    np.testing.assert_array_equal(ahead[~late], plain[~late])
    masks = turns.masks[late]
    thought = of_legal(plain[late], masks)
    found = of_legal(playouts(turns.at(late), 4), masks) / 2.0
    np.testing.assert_allclose(of_legal(ahead[late], masks), 0.7 * thought + 0.3 * found, atol=1e-4)
    np.testing.assert_array_equal(ahead[late][~masks], plain[late][~masks])


def test_corrected_scores_stay_with_their_rows(turns):
    agent = network(**DEPTH)
    scores = network().scores(turns).astype(np.float64)
    before = scores.copy()
    corrected = agent.ahead.corrected(scores, turns)
    np.testing.assert_array_equal(scores, before)
    assert (corrected != before).any()


def test_full_trust_plays_what_the_playouts_prefer(turns):
    late = (turns.masks.sum(1) > 1) & (turns.views.sizes[:, 0] <= 4)
    some = turns.at(late)
    found = np.where(some.masks, playouts(some, 30), -np.inf)
    chosen = network(tiles=4, playouts=30, trust=1.0, temperature=2.0).act(some)
    rows = np.arange(len(chosen))
    np.testing.assert_allclose(found[rows, chosen], found.max(1), atol=1e-3)
    assert (network().act(some) != chosen).mean() > 0.2


def test_equal_views_are_answered_alike(turns):
    agent = network(**DEPTH)
    backwards = DecisionBatch(turns.views[::-1].copy(), turns.masks[::-1].copy(), turns.rng_keys[::-1].copy() + 5)
    np.testing.assert_array_equal(agent.act(backwards)[::-1], agent.act(turns))
    assert agent.probabilities(turns).max(1).min() == 1


def test_checkpoint_records_how_its_player_looks_ahead(tmp_path, turns):
    for name, more in (("plain", {}), ("ahead", {"look_ahead": DEPTH})):
        header = {**identity(GAME, VARIANT), "kind": "player", "net": NET, **more}
        write_checkpoint(tmp_path / f"{name}.safetensors", header, tensors())
    plain, ahead, drawing = (
        make_agent(f"{kind}:{tmp_path}/{name}.safetensors", GAME, **OPTIONS)
        for kind, name in (("checkpoint", "plain"), ("checkpoint", "ahead"), ("sample", "ahead"))
    )
    assert plain.ahead is None
    assert ahead.ahead.depth == Depth(**DEPTH)
    np.testing.assert_array_equal(ahead.scores(turns), network(**DEPTH).scores(turns))
    np.testing.assert_array_equal(drawing.scores(turns), ahead.scores(turns))


@pytest.mark.parametrize(
    ("described", "printed"),
    [
        ([5, 16], "look_ahead has the numbers tiles, playouts, trust, temperature, not"),
        ({"tiles": 5}, "look_ahead has the numbers tiles, playouts, trust, temperature, not"),
        ({**DEPTH, "more": 1}, "look_ahead has the numbers"),
        ({**DEPTH, "tiles": 0}, "tiles=0 is not allowed; it must be a whole number from 1 to 32"),
        ({**DEPTH, "tiles": 5.5}, "tiles=5.5 is not allowed"),
        ({**DEPTH, "playouts": 10**7}, "playouts=10000000 is not allowed"),
        ({**DEPTH, "trust": 1.5}, "trust=1.5 is not allowed; it must be a number from 0 to 1"),
        ({**DEPTH, "trust": "much"}, "trust='much' is not allowed"),
        ({**DEPTH, "temperature": 0}, "temperature=0 is not allowed"),
    ],
)
def test_bad_description_is_refused_in_one_line(tmp_path, described, printed):
    header = {**identity(GAME, VARIANT), "kind": "player", "net": NET, "look_ahead": described}
    write_checkpoint(tmp_path / "bad.safetensors", header, tensors())
    with pytest.raises(CheckpointError) as refused:
        make_agent(f"checkpoint:{tmp_path}/bad.safetensors", GAME, **OPTIONS)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path}/bad.safetensors: {printed}") and "\n" not in message


def test_look_ahead_needs_counted_hands():
    game = get_game("da-ling")
    with pytest.raises(ValueError, match="look-ahead is not available in da-ling: hands are not counted"):
        LookAhead(game, game.variant(), Depth(**DEPTH))


def test_looking_ahead_gains_chips_for_best_of_two_players():
    options = {"players": 2}
    best, alone, tuned = (make_agent(name, GAME, **options) for name in ("best", "best", "tuned"))
    alone.ahead = None
    won, before = (duel(GAME, each, tuned, 500, seed=8, **options).chips[:, :, 0].mean(1) for each in (best, alone))
    assert (won - before).mean() > 0.5  # of 1.5 +- 0.4
