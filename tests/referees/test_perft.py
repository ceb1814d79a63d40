"""Ways of play: the recorded ones, the compiled engine's and the naive referees' are the same numbers.

PERFT_WAYS is how many ways of play of a deal a referee counts at most: 300 by default, seconds for all games. A long
run (half an hour): PERFT_WAYS=1_000_000 python -m pytest tests/referees/test_perft.py
"""

import copy
import json
import os

import numpy as np
import pytest

from adapters import ADAPTERS
from checkout import ROOT
from gupai_agents.evaluation.exact.perft import perft
from gupai_app.facts.terminal import dealt
from gupai_env.core.deal import Fields
from gupai_env.deals import all_deals
from gupai_env.games import GAMES

WAYS = int(os.environ.get("PERFT_WAYS", 300))
ENGINE_WAYS = 100 * WAYS
RECORD = json.loads((ROOT / "results" / "perft.json").read_text(encoding="utf-8"))["counts"]


def ways_of(referee, depth: int) -> np.ndarray:
    """The ways of play of a referee by number of actions, int64 [depth]."""
    counts = np.zeros(depth, np.int64)
    if referee.terminated or not depth:
        return counts
    moves = set(referee.moves())
    counts[0] = len(moves)
    for move in moves if depth > 1 else ():
        twin = copy.deepcopy(referee)
        twin.play(move)
        counts[1:] += ways_of(twin, depth - 1)
    return counts


def named(content: dict) -> str:
    return f"{content['game']} {content.get('seed', 'every deal')}"


@pytest.mark.parametrize("content", RECORD, ids=named)
def test_engine_and_referee_count_the_recorded_ways_of_play(content):
    game, recorded = GAMES[content["game"]], content["ways_of_play"]
    variant = game.variant.make(**content["variant"])
    states = (
        dealt(game, variant, content["seed"]) if "seed" in content else all_deals(game, **content["variant"]).states
    )
    assert len(states) == content["deals"]
    depth = max(1, sum(count <= ENGINE_WAYS for count in recorded))
    assert perft(game, variant, states, depth) == recorded[:depth]
    # A referee takes as many of the deals as there is time for, to the end of a tiny one.
    few = states[:: -(-sum(recorded) // WAYS)] if len(states) > 1 else states
    depth = sum(count <= WAYS for count in recorded) if len(states) == 1 else len(recorded)
    counts = sum(ways_of(ADAPTERS[game.id].referee_of(variant, Fields(state)), depth) for state in few)
    assert counts.tolist() == (recorded[:depth] if len(states) == 1 else padded(perft(game, variant, few), depth))


def padded(counts: list[int], depth: int) -> list[int]:
    return counts + [0] * (depth - len(counts))


def test_several_deals_and_a_depth_of_nothing_are_refused():
    game = GAMES["jie-long"]
    states = dealt(game, game.variant(), 0)
    with pytest.raises(ValueError, match="deals=2 is not allowed"):
        perft(game, game.variant(deals=2), states)
    with pytest.raises(ValueError, match="depth=0 is not allowed"):
        perft(game, game.variant(), states, 0)
