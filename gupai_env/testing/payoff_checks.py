"""Checks of what a game adds up to: its length, its tiles and its payoffs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from math import isclose
from typing import Any

from gupai_env.testing.hooks import Record
from gupai_env.testing.report import NotRun
from gupai_env.testing.trial import TOLERANCE, Trial, check


@check()
def bounded_length(trial: Trial) -> None:
    """Every game is over after `max_moves` moves at the latest."""
    for seed in trial.seeds:
        game = trial.play_out(trial.fresh(seed))
        trial.fail_if(
            len(game.moves) >= trial.hooks.max_moves and game.seat_to_act(),
            f"the game is not over after {trial.hooks.max_moves} moves",
        )


@check(needs=("tiles", "deck"))
def tile_conservation(trial: Trial, tiles: Callable[..., Iterable[Any]], deck: Mapping[Any, int]) -> None:
    """At every moment each tile is on the table exactly as often as the deck has it."""
    whole = Counter(deck)

    for seed in trial.seeds:
        game = trial.fresh(seed)
        for position in chain(trial.play(game), [game]):
            there = Counter(tiles(position.env))
            missing, more = (sorted(some.elements()) for some in (whole - there, there - whole))
            trial.fail_if(there != whole, f"missing {missing}, too many {more}")


@check()
def reward_delivery(trial: Trial) -> None:
    """What `last()` hands a seat adds up to its rewards, and those to what the finished game says it pays."""
    for game in trial.finished_games():
        stated = trial.payoffs(game)
        trial.require_equal(stated, game.announced, "the game pays it {}, but its rewards add up to {}")
        game.clear_table()
        trial.require_equal(game.announced, game.delivered, "its rewards add up to {}, but last() gave it {}")
    if not trial.hooks.payoffs:
        trial.note("rewards against last() only, missing hook: payoffs")


@check()
def zero_sum(trial: Trial) -> None:
    """The payoffs of every game add up to `expected_sum`."""
    expected = trial.hooks.expected_sum
    if expected is None:
        raise NotRun("the game promises no sum (Hooks.expected_sum is None)")
    for game in trial.finished_games():
        total = sum(trial.payoffs(game).values())
        trial.fail_if(
            not isclose(total, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE),
            f"the payoffs add up to {total:g} instead of {expected:g}",
        )


@check(needs=("score",), rests_on=("zero-sum", "replay-round-trip"))
def payoff_recomputed(trial: Trial, score: Callable[[Record], Mapping[str, float]]) -> None:
    """The payoffs are those that an independent count of the finished game gives."""
    for game in trial.finished_games():
        start = trial.fresh(game.seed).env
        trial.game = game
        counted = score(Record(game.seed, start, tuple(game.moves), game.env))
        trial.require_equal(counted, trial.payoffs(game), "counted again it gets {}, the game pays {}")
