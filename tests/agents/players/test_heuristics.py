"""Heuristics: players that are weights play what hand-written ones played, and any number of them play in one loop."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.agent import PolicyAgent
from gupai_agents.evaluation import play_duplicates
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.game import Game

# By game, variants whose decisions are looked at, and the SHA-256 of what each player answered there when the players
# were written by hand: 60 decisions in each of 1,000 lanes of random play.
VARIANTS = {
    "jie-long": ({}, {"forced_play": True, "players": 3}, {"open_ends": 2}),
    "ce-deng": ({}, {"redeal_doubles": 6, "players": 3}),
    "ding-niu": ({}, {"forced_play": False, "after_suan_zhang": "play_on"}),
    "da-ling": ({}, {"players": 2}),
    "tiu-u": ({}, {"players": 3, "heaven_pair": True}),
    "small-mahjong": ({}, {"expose_claims": False}, {"players": 3}),
    "tien-gow": ({}, {"civil_supreme": True, "combinations": "pairs"}),
    "deer-hunt": ({}, {"escape": True}),
    "shi-wu-hu": ({}, {"players": 3, "deck": "tiles", "heaven_earth": True}),
    "pai-gow": ({}, {"players": 7, "zero": "tile"}),
}
GOLDEN = {
    ("jie-long", "greedy"): "83c4c2506dd6a228e1f21100ff23f230f087391fe7fc1a9d6ee26d8c26b3c908",
    ("jie-long", "variety"): "20a8c7b188ef54bb966effbe0c9e8bca627bd57487acf2358a5a0b438464cea5",
    ("ce-deng", "greedy"): "f6a37f8c8a0235b002b2c020c66a97e804238619fabdb01b1a74231ca0b2eeb6",
    ("ce-deng", "variety"): "737a42d29feff11401d13cd2f4fcaf0d04a5279b03e8fde80fc27c35a31854aa",
    ("ding-niu", "greedy"): "5e9322e8fc34ee6630183edef04b145d4a4418bd7238a9f3a60b36b247f07025",
    ("ding-niu", "blocker"): "10bed96e353daa987762b584b08c89acdc7e950fa7b106947775b2f429944fed",
    ("da-ling", "greedy"): "82be49980cf4c235d49be5bc182ac6304c678d0a91afb79221cd401935eb03f2",
    ("da-ling", "colour"): "5afd26d7551a3e0cf22ed33d06195ad896e3cd2f1b11519bbd869cc4dfbef1b7",
    ("tiu-u", "greedy"): "37b0e381f1f1caf3eaf1577031368345489f61ce7272ae84b6dda029c06432dd",
    ("tiu-u", "careful"): "6b909feca4c869d5bb1444b95c929aca032a6619a337afb3712dbd71518bb781",
    ("small-mahjong", "greedy"): "67ecd69929225234e744923dc04fd5a120a0f4d116310630e2ab431dbe8d80d8",
    ("small-mahjong", "counting"): "3e4ee082673c426eac4aa4b9ae373260b43a3f3e7b889703c6fe46c84919ceaa",
}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def turns_of(game: Game, envs: int = 200, step: int = 3, **variant) -> DecisionBatch:
    """Decisions of some deals after a few random moves."""
    table = VectorEnv(game, envs, seed=8, **variant)
    for key in range(step):
        table.step(table.sample(key))
    views, rng_keys = table.views()
    return DecisionBatch(views, table.masks.copy(), rng_keys)


@pytest.mark.parametrize(("game", "player"), GOLDEN, ids=map(" ".join, GOLDEN))
def test_heuristic_plays_like_the_hand_written_player(game, player):
    digest = hashlib.sha256()
    for options in VARIANTS[game]:
        agent = make_agent(player, game, **options)
        envs = VectorEnv(game, 1000, seed=21, observe=False, **options)
        for step in range(60):
            views, rng_keys = envs.views()
            digest.update(agent.act(DecisionBatch(views, envs.masks, rng_keys)).astype("<i2").tobytes())
            envs.step(envs.sample(step))
    assert digest.hexdigest() == GOLDEN[game, player]


@every_game
def test_action_score_is_linear_in_the_weights(game):
    turns, rng = turns_of(game), np.random.default_rng(4)
    names = [feature.name for feature in game.features]
    alone = {name: HeuristicAgent(game, name, {name: 1.0}).scores(turns)[turns.masks] for name in names}
    for _ in range(5):
        weights = dict(zip(names, rng.normal(size=len(names)), strict=True))
        together = HeuristicAgent(game, "all", weights).scores(turns)[turns.masks]
        np.testing.assert_allclose(together, sum(weights[name] * alone[name] for name in names), atol=1e-8)
    for feature in game.features:
        assert alone[feature.name].min() >= min(feature.low, 0)
        assert alone[feature.name].max() <= feature.high


@every_game
def test_temperature_draws_from_the_stated_softmax(game):
    one = turns_of(game, 1, 2)
    rng_keys = np.arange(20_000, dtype=np.int64) * 7919
    turns = DecisionBatch(
        np.repeat(one.views, len(rng_keys)).view(np.recarray), np.repeat(one.masks, len(rng_keys), 0), rng_keys
    )
    name = next(iter(game.heuristics))
    spread = np.ptp(make_agent(name, game).scores(one)[one.masks])
    agent = make_agent(f"{name}@{max(spread, 1):g}", game)
    assert isinstance(agent, PolicyAgent)
    chances = agent.probabilities(one)[0]
    assert chances.sum() == pytest.approx(1)
    assert (chances[~one.masks[0]] == 0).all()
    drawn = np.bincount(agent.act(turns), minlength=game.num_actions) / len(rng_keys)
    np.testing.assert_allclose(drawn, chances, atol=4 * np.sqrt(0.25 / len(rng_keys)))
    cold = make_agent(name, game)
    assert (cold.probabilities(one)[0].argmax(), cold.probabilities(one).sum()) == (cold.act(one)[0], 1)


def test_heuristics_in_one_loop_play_as_when_asked():
    specs = ["greedy", "variety", "variety+attack_2=40", "heuristic:pips=1,double=3", "variety@2", "random"]
    agents = [make_agent(spec, "jie-long") for spec in specs]

    class Asked:
        def __init__(self, agent):
            self.name, self.act = agent.name, agent.act

    for four in (agents[:4], agents[2:], agents[3:] + agents[:1]):
        inside = play_duplicates("jie-long", four, 50, seed=2).chips
        assert (inside == play_duplicates("jie-long", [Asked(each) for each in four], 50, seed=2).chips).all()


def test_attack_leaves_the_number_open_whenever_it_can():
    turns = turns_of(get_game("jie-long"), 4000, 6)
    scores = make_agent("heuristic:leave_2=1", "jie-long").scores(turns)
    attack = make_agent("heuristic:attack_2=1", "jie-long").scores(turns)
    short = make_agent("heuristic:attack_short_2=1", "jie-long").scores(turns)
    attacker = make_agent("variety+attack_2=1000", "jie-long").act(turns)
    could = (attack == 1).any(1)
    assert could.sum() > 300
    assert (attack[np.arange(len(attacker)), attacker][could] == 1).all()
    legal = turns.masks
    assert (scores[legal] >= attack[legal]).all()
    assert (attack[legal] >= short[legal]).all()
    assert set((attack[legal] - short[legal]).tolist()) == {0.0, 1.0}


def test_owed_is_what_a_seat_would_owe_less_by_the_tricks_it_can_win():
    game = get_game("tien-gow")
    turns, moves = turns_of(game, 2000, 6), game.moves
    owed = make_agent("heuristic:owed=1", game).scores(turns)
    debts = [5, 3, 2, 1, 0, -1, -2, -3, -4]  # chips, by tricks
    won = Counter()
    for row, action in np.argwhere(turns.masks).tolist():
        tricks = int(turns.views.taken[row, 0])
        more = 0 if moves[action].discards else len(moves[action].tiles)
        assert owed[row, action] == debts[tricks] - debts[tricks + more]
        won[tricks, more] += 1
    assert {(0, 0), (0, 1), (0, 2), (2, 3)} <= won.keys()


@pytest.mark.parametrize("name", ["random", "variety", "search:playouts=2"])
def test_decisions_of_another_game_are_refused_in_one_line(name):
    envs = VectorEnv("jie-long", 4)
    views, rng_keys = envs.views()
    turns, agent = DecisionBatch(views, envs.masks.copy(), rng_keys), make_agent(name)
    for wrong, message in (
        (turns._replace(masks=turns.masks[:2]), "masks must be contiguous"),
        (turns._replace(masks=turns.masks[:, :-1]), "masks must be contiguous"),
        (turns._replace(masks=turns.masks.astype(np.int8)), "masks must be contiguous"),
        (turns._replace(masks=np.asfortranarray(turns.masks)), "masks must be contiguous"),
        (turns._replace(masks=turns.masks & (np.arange(4) != 2)[:, None]), "row 2 has no legal action"),
        (turns._replace(rng_keys=turns.rng_keys.astype(np.int32)), "keys must be contiguous"),
        (turns._replace(views=VectorEnv("tiu-u", 4).views()[0]), "views must be contiguous"),
        (turns._replace(views=turns.views[:3]), "views must be contiguous"),
    ):
        with pytest.raises(ValueError, match=f"decisions of jie-long: {message}"):
            agent.act(wrong)
    agent.act(turns)
