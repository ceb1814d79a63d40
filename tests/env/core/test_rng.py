"""Chance: splitmix64 as a function of key and counter, the same everywhere."""

import ast
import hashlib
import re
from collections import Counter
from functools import partial
from itertools import combinations, permutations
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from checkout import SHIPPED, files
from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.claims.sampling import stream_of
from gupai_agents.players.tune import won_by
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core import streams
from gupai_env.core.keys import derive_each
from gupai_env.core.parts import register_marks
from gupai_env.core.rng import KEYS, as_key, derive, draw, shuffle
from gupai_training.config import parse
from gupai_training.search_targets import TargetMaker
from gupai_training.selfplay import SelfPlayEnv

# The first outputs of splitmix64 as its authors publish it (prng.di.unimi.it), by seed.
SPLITMIX64 = {
    0: (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B),
    1234567: (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821),
}
register_marks()


@numba.njit
def compiled_derive(key, counters, out):
    for at in range(len(counters)):
        out[at] = derive(key, counters[at])


@numba.njit
def compiled_shuffle(tiles, key):
    shuffle(tiles, key)


@pytest.mark.parametrize("seed", SPLITMIX64)
def test_keys_are_splitmix64_without_its_lowest_bit(seed):
    assert [derive(seed, counter) for counter in range(5)] == [word >> 1 for word in SPLITMIX64[seed]]


def test_keys_are_the_same_in_python_and_compiled():
    counters = np.array([0, 1, 2, 31, 1000, 2**31, 2**40, 2**62, 2**63 - 1])
    out = np.zeros(len(counters), np.int64)
    for key in (0, 1, 12345, 2**31, 2**62 + 17, 2**63 - 1):
        compiled_derive(key, counters, out)
        assert out.tolist() == [derive(key, counter) for counter in counters.tolist()]
        assert out.min() >= 0


def test_many_keys_at_once_equal_single_ones():
    for key in (0, 1, 12345, 2**62 + 17, KEYS - 1):
        for first in (0, 3, 2**40):
            found = derive_each(key, first, first + 9)
            assert found.dtype == np.int64
            assert found.tolist() == [derive(key, counter) for counter in range(first, first + 9)]
    assert derive_each(5, 2, 2).tolist() == []


def test_key_may_be_any_kind_of_integer():
    assert derive(np.int8(5), np.int8(3)) == derive(np.int64(5), 3) == derive(5, np.uint16(3))


def test_draws_are_below_their_bound_and_even():
    draws = Counter(draw(7, counter, 10) for counter in range(20000))
    assert draws.keys() == set(range(10))
    assert sum((times - 2000) ** 2 / 2000 for times in draws.values()) < 30  # chi-square, 9 degrees of freedom
    assert {draw(7, counter, 1) for counter in range(50)} == {0}


def test_shuffle_is_the_same_in_python_and_compiled():
    for key in (0, 1, 2**62):
        plain, compiled = np.arange(32, dtype=np.int8), np.arange(32, dtype=np.int8)
        shuffle(plain, key)
        compiled_shuffle(compiled, key)
        assert plain.tolist() == compiled.tolist()
        assert sorted(plain) == list(range(32))


def test_shuffle_orders_are_equally_likely():
    orders: Counter = Counter()
    for key in range(24000):
        tiles = np.arange(4, dtype=np.int8)
        compiled_shuffle(tiles, derive(3, key))
        orders[tuple(tiles.tolist())] += 1
    assert orders.keys() == set(permutations(range(4)))
    assert sum((times - 1000) ** 2 / 1000 for times in orders.values()) < 60  # 23 degrees of freedom


def test_tiles_are_equally_likely_in_every_place_of_a_deal():
    envs = VectorEnv("jie-long", 20000, seed=9, observe=False)
    for kind, copies in ((20, 2), (1, 1)):
        held = (envs.states.hands >> (3 * kind) & 7).sum(0)
        assert held.sum() == 20000 * copies
        expected = held.sum() / 4
        assert ((held - expected) ** 2 / expected).sum() < 25  # chi-square, 3 degrees of freedom


@pytest.mark.parametrize("seed", [0, 1, np.int64(5), np.uint8(5), 2**63 - 1])
def test_whole_number_below_two_to_the_63_is_a_key(seed):
    assert as_key(seed) == int(seed)
    assert type(as_key(seed)) is int


@pytest.mark.parametrize("seed", [-1, KEYS, 2**64, 1.0, "1", None, True, np.float64(3), [1]])
def test_other_values_are_no_keys(seed):
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*63 - 1"):
        as_key(seed)


# Streams: each purpose has chance of its own

NUMBERS = {name: number for name, number in vars(streams).items() if name.endswith("_STREAM")}
SOURCES = [path for path in files(*SHIPPED, name="*.py") if path.name != "streams.py"]


def test_streams_have_distinct_numbers_that_are_no_plain_counters():
    noise = {streams.NOISE_STREAM + seat for seat in range(max(game.max_seats for game in GAMES.values()))}
    others = [number for name, number in NUMBERS.items() if name != "NOISE_STREAM"]
    assert len({*others, *noise}) == len(others) + len(noise)
    assert all(number > 1 << 32 for number in others if number != streams.LUCK_STREAM)  # whose key has a few slots


def test_streams_are_named_in_one_place():
    """No other module has a stream of its own, or draws by a large number."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                assert not re.search("_STREAM$|_DRAW$", node.id), f"{path}:{node.lineno}"
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("derive", "draw"):
                for part in (part for argument in node.args[1:2] for part in ast.walk(argument)):
                    large = isinstance(part, ast.Constant) and part.value > 1 << 16
                    assert not large, f"{path}:{node.lineno}"
                    assert not isinstance(getattr(part, "op", None), ast.LShift), f"{path}:{node.lineno}"


class BegunError(Exception):
    """The deals are known; they are not played."""


def deals_begun(monkeypatch, *calls):
    """The keys of the deals that each call begins with, of their lanes and episodes."""
    found, reset = set(), VectorEnv.reset

    def spying(envs, seed=None, *, seeds=None):
        reset(envs, seed, seeds=seeds)
        if seed or seeds is not None:
            found.update(envs.seeds.tolist())
            found.update(derive(key, episode) for key in envs.seeds.tolist() for episode in range(3))
            raise BegunError

    with monkeypatch.context() as patch:
        patch.setattr(VectorEnv, "reset", spying)
        for call in calls:
            with pytest.raises(BegunError):
                call()
    return found


def test_streams_of_training_and_evaluation_share_no_deal(monkeypatch):
    game, seed, some = get_game("jie-long"), 1, 200
    heuristics = np.zeros((1, len(game.features) + 1))
    config = parse({"game": "jie-long", "seed": seed, "expert_iteration": {"tables": some}}, "test")
    target_maker = SimpleNamespace(config=config, heuristic=SimpleNamespace(game=game))
    agent = make_agent("random", game)
    claims = [derive_each(stream_of(seed, number), 0, some) for number in range(3)]
    met = {
        "training": deals_begun(monkeypatch, lambda: SelfPlayEnv(game.id, some, None, seed=seed)),
        "search": deals_begun(
            monkeypatch, *(partial(TargetMaker.targets, target_maker, None, number) for number in range(3))
        ),
        "tuning": deals_begun(
            monkeypatch,
            *(partial(won_by, game, {}, heuristics, heuristics, some, derive(seed, number)) for number in range(3)),
        ),
        "claims": deals_begun(
            monkeypatch,
            *(partial(lambda rng_keys: VectorEnv(game, some).reset(seeds=rng_keys), rng_keys) for rng_keys in claims),
        ),
        "evaluation": deals_begun(monkeypatch, partial(duel, game, agent, agent, some, seed=seed)),
    }
    assert all(len(rng_keys) > some for rng_keys in met.values())
    for one, other in combinations(met, 2):
        assert not met[one] & met[other], (one, other)


# Golden deals: the SHA-256 of a hundred lanes of random play of seed 2025 (who acted, what they did and were paid).
# Where one of them changes on purpose, recorded games and results are void: raise the game's version.
GOLDEN = {
    "jie-long": "4976cc171d7fd6cf84aecb83fe5e408d113a44471820daa43532680d7d69f1fc",
    "ce-deng": "df08f97acdbb0ace1a8365458630f81bf33ff2c4f4b89a694d02136b1a4cd1ac",
    "ding-niu": "4e9e0e8fb11a0a4dd6cb73cc5b15139f8037844d817fd1c0409f0cee6d36c066",
    "da-ling": "1618cbd7a2caf1502c1b113549da01bdb1d05632b92abe93d691ad7db952c7e2",
    "tiu-u": "1c8e2636a680df53fb9f9cd0210f6b489aaaa51c8547afa6671b76db5c9c3257",
    "small-mahjong": "6d8c07411792395d9f1d6a74a33c057bcef96e7ed55fe5f8f805264624a4403c",
    "tien-gow": "de331dde7a7a169aba4c9e410e3a0e91b84c78892619d06919087b1648f76bfb",
    "deer-hunt": "a29133196cf7141c02eccfb43b10d05deccbec5cbaaa72c8329c1e632d7291a4",
    "shi-wu-hu": "7f6671556a91e6e6c5fca2a7b7a39f1a9301372d5384c310d042efa409353bdb",
    "pai-gow": "faf5b784595f60261a2bd8c7271c342076eae31c347a101e8da57e835dbf4879",
}


@pytest.mark.parametrize("game", GAMES)
def test_deals_and_play_of_a_seed_never_change(game):
    envs = VectorEnv(game, 100, seed=2025)
    digest = hashlib.sha256()
    for step in range(80):
        actions = envs.sample(step)
        digest.update(envs.seats.astype("<i2").tobytes() + actions.astype("<i2").tobytes())
        digest.update(envs.step(actions)[0].astype("<f4").tobytes())
    assert digest.hexdigest() == GOLDEN[game]
