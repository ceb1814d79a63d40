"""Is a challenger better than the champion? A sequential test on deals, and recipes judged over their seeds."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.matches.match import Progress, duel, one_among, play_some
from gupai_agents.evaluation.records.games import RecordWriter
from gupai_agents.evaluation.statistics import Estimate, Sequential, clustered, estimate, gsprt
from gupai_agents.play.workers import Workers
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import as_list, between, whole_number
from gupai_env.options import Options

ACCEPTED, REJECTED, UNDECIDED = "accepted", "rejected", "undecided"
VERDICTS = {1: ACCEPTED, -1: REJECTED, 0: UNDECIDED}
BLOCK = 256  # deals that are played before the test looks at each of them


class Gate(NamedTuple):
    """What a gate decided.

    verdict: ACCEPTED, the challenger wins more than the champions among whom it sits; REJECTED, it does not gain as
        much as asked; UNDECIDED, there were no more deals. chips: of the challenger, over the deals that the test took;
        the interval is that of a fixed number of deals, and a little too narrow for one that the test chose.
    """

    verdict: str
    test: Sequential
    chips: Estimate


def gate(
    game: str | Game,
    challenger: str | Agent,
    champion: str | Agent,
    /,
    *,
    gain: float = 1.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    most: int = 100_000,
    seed: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> Gate:
    """Let one challenger play among champions until it is clear whether it wins `gain` chips per deal or nothing.

    A sequential test (`gsprt`) looks at every deal, the mean of its rotations, and stops at the first that decides.

    Args:
        game: Its id, or the game itself.
        challenger, champion: By name (see `make_agent`) or themselves.
        gain: What the challenger should win, chips per deal.
        alpha: How often an equal is accepted.
        beta: How often one that gains so much is rejected.
        most: The most deals.
        seed, progress, record: As of `play_duplicates`.
        workers: Who plays, default this process; what is decided is the same.

    Raises:
        ValueError: For numbers out of range, or as `play_duplicates`.
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        between(name, value, 0, 0.5, "between 0 and 0.5")
    between("gain", gain, 0, math.inf, "a number of chips above 0")
    most = whole_number("most", most, 1, 1 << 24)
    game = get_game(game)
    made = variant_from(game, variant, gate)
    players = one_among(game, made, *agents_of(game, made, [challenger, champion]))
    won, test = np.zeros(0), Sequential(0, 0, 0.0)
    how: dict[str, Any] = {"most": BLOCK, "progress": progress, "record": record, "workers": workers}
    for _, chips in play_some(game, made, players, as_key(seed), most, **how):
        won = np.concatenate([won, chips[:, :, 0].mean(1)])
        test = gsprt(won, gain, alpha, beta)
        if test.verdict:
            break
    return Gate(VERDICTS[test.verdict], test, estimate(won[: test.samples]))


def recipe_gain(
    game: str | Game,
    recipe: Sequence[str | Agent],
    rival: str | Agent,
    deals: int,
    /,
    *,
    seed: int = 0,
    **variant: Unpack[Options],
) -> Estimate:
    """Return the chips per deal that a training recipe wins: agents of several seeds, each among the same rivals.

    The seed is the outer cluster: `samples` are seeds, and the interval says where another seed would fall on average.
    However many deals are played, it holds for the recipe and not only for these agents. Each agent plays its own
    deals: luck in shared deals would not show as a difference between seeds.

    Args:
        game: Its id, or the game itself.
        recipe: An agent of every seed, by name or itself.
        rival: In all other seats.
        deals: Of every agent, each played once with it at every seat.
        seed: Of the deals, 0..2**63 - 1.
    """
    won = [
        duel(game, agent, rival, deals, seed=derive(as_key(seed), number), **variant).chips[:, :, 0].mean(1)
        for number, agent in enumerate(as_list("recipe", recipe, "agents"))
    ]
    return clustered(np.concatenate(won), np.repeat(np.arange(len(won)), deals))
