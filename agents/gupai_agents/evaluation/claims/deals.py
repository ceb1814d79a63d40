"""Deals to look at, played again: once with what is claimed and once without it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims.files import Claim
from gupai_agents.evaluation.claims.players import given_in
from gupai_agents.evaluation.claims.readings import Comparison
from gupai_agents.evaluation.claims.results import Example, Verdict
from gupai_agents.evaluation.claims.schema import dose_of
from gupai_agents.evaluation.claims.setting import DealSource, Meter, Setting, side_seats
from gupai_agents.evaluation.records.games import GameRecord, Log
from gupai_agents.play.decisions import decisions


class Pair(NamedTuple):
    """One deal played twice: with what is claimed and without it; seats: those in question."""

    treated: GameRecord
    baseline: GameRecord
    seats: tuple[int, ...]


def play_again(
    claim: Claim, reading: Comparison, seed: int, example: Example, panel: Sequence[str | Agent] = ()
) -> Pair:
    """Play a deal that a verdict names again, and record both games.

    Args:
        reading: One of the claim's.
        seed: The verdict's.
        example: One of the finding's `examples`.
        panel: The players that it was tested with instead of the file's.

    Raises:
        ValueError: For a player that cannot play the variant, and where the rules forbid what the example says.
    """
    setting = Setting(*reading.played, seed, None, Meter(()), given=given_in(panel, *reading.played))
    dose = dose_of(example.dose) if example.dose else None
    source = setting.source(reading.sampler(dose), example.stream)
    other = setting.player(example.player)
    (one, seats), (two, _) = (
        _recorded(source, example.deal, other, hero, forced) for hero, forced in reading.ways(setting, example)
    )
    return Pair(one, two, seats if example.move is None else (one.movers[example.move],))


def _recorded(
    source: DealSource, deal: int, other: Agent, hero: Agent, forced: dict[int, int]
) -> tuple[GameRecord, tuple[int, ...]]:
    """Return a deal with `hero` at the seats in question, and these; forced: actions by the number of their move."""
    envs, block = source.deal(deal, 1)
    seats = tuple(map(int, block.seats[0]))
    agents = [other, hero]
    seating = side_seats(source.sampler.game, source.sampler.variant.players, block.seats)[0].astype(int).tolist()
    log = Log(envs)
    for now in decisions(envs, agents, np.array([seating]), log.note):
        now.actions[0] = forced.get(int(envs.states.moves[0]), now.actions[0])
    (record,) = log.records([tuple(agents[player].name for player in seating)])
    order = source.sampler.orders(envs.seeds, block.seats[:, 0])
    return replace(record, order=() if order is None else tuple(order[0].tolist())), seats


def examples_of_verdict(claim: Claim, verdict: Verdict) -> Iterator[tuple[int, Comparison, Example]]:
    """Yield the deals that a verdict names: the number of the reading, the reading and the example."""
    for number, (reading, finding) in enumerate(zip(claim.readings, verdict.findings, strict=True)):
        if isinstance(reading, Comparison):
            yield from ((number, reading, example) for example in finding.examples)


def pairs_of_verdict(
    claim: Claim, verdict: Verdict, panel: Sequence[str | Agent] = ()
) -> Iterator[tuple[int, Example, Pair]]:
    """Yield the deals that a verdict names: the number of the reading, the example, and its two games.

    Args:
        panel: The players that it was tested with instead of the file's; a verdict from disk runs no code of theirs.
    """
    for number, reading, example in examples_of_verdict(claim, verdict):
        yield number, example, play_again(claim, reading, verdict.seed, example, panel)
