"""Deals to look at: those that gained most, lost most and lie in the middle, and how to play them again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.decisions import decisions
from gupai_agents.evaluation.claims.check import variant_of
from gupai_agents.evaluation.claims.doses import population_at
from gupai_agents.evaluation.claims.players import UNSKILLED, given_in, player
from gupai_agents.evaluation.claims.sampling import Sampler, stream_of
from gupai_agents.evaluation.claims.schema import Action, Claim, Dose, Policy, agent_in, dose_of
from gupai_agents.evaluation.claims.setting import DealSource, side_seats
from gupai_agents.evaluation.records import GameRecord, Log
from gupai_env.core.rng import from_json
from gupai_env.games import get_game

GAIN, LOSS, MEDIAN = "largest gain", "largest loss", "median"


class Compared(NamedTuple):
    """What was gained in deals of one stream: the number of each deal, int [N], and its gain, [N].

    stream, dose: which stream that was, and the dose of the hand that it was dealt to, if any.
    choices: int [N, 3], of forked positions the number of the move (from 0), the action and the one compared with it.
    """

    deals: np.ndarray
    gains: np.ndarray
    choices: np.ndarray | None = None
    stream: int = 0
    dose: Dose | None = None


def examples(panel: Sequence[str], compared: Sequence[Sequence[Compared]]) -> tuple[dict[str, Any], ...]:
    """Return where to look at the largest gain, the largest loss and the median, over all players that count.

    compared: by player of the panel its streams, only what was played otherwise. Equal ones: the first player's first.
    """
    counted = [number for number, member in enumerate(panel) if member != UNSKILLED] or list(range(len(panel)))
    comparisons = [(panel[number], comparison) for number in counted for comparison in compared[number]]
    which = np.concatenate([np.full(len(comparison.gains), index) for index, (_, comparison) in enumerate(comparisons)])
    if not len(which):
        return ()
    rows = np.concatenate([np.arange(len(comparison.gains)) for _, comparison in comparisons])
    gains = np.concatenate([comparison.gains for _, comparison in comparisons])
    order = np.argsort(gains, kind="stable")
    places = {
        GAIN: int(np.argmax(gains)) if gains.max() > 0 else None,
        LOSS: int(np.argmin(gains)) if gains.min() < 0 else None,
        MEDIAN: int(order[(len(order) - 1) // 2]),
    }
    entries = []
    for label, index in places.items():
        if index is None:
            continue
        (member, comparison), row = comparisons[int(which[index])], int(rows[index])
        example = {
            "what": label,
            "player": member,
            "stream": comparison.stream,
            "deal": int(comparison.deals[row]),
            "gain": float(gains[index]),
            **({"dose": comparison.dose.text} if comparison.dose else {}),
        }
        if comparison.choices is not None:
            example |= dict(zip(("move", "action", "instead"), map(int, comparison.choices[row]), strict=True))
        entries.append(example)
    return tuple(entries)


class Pair(NamedTuple):
    """One deal played twice: with what is claimed and without it; seats: those in question."""

    treated: GameRecord
    baseline: GameRecord
    seats: tuple[int, ...]


def play_again(
    claim: Claim, reading: Policy | Action, seed: int | str, example: dict[str, Any], panel: Sequence[str | Agent] = ()
) -> Pair:
    """Play a deal that a verdict names again, and record both games.

    Args:
        reading: One of the claim's.
        seed: The verdict's, as JSON holds it.
        example: One of the finding's `examples`.
        panel: The players that it was tested with instead of the file's.

    Raises:
        ValueError: For a player that cannot play the variant, and where the rules forbid what the example says.
    """
    game = get_game(claim.game)
    variant = variant_of(game, reading.variant)
    dose = dose_of(example["dose"]) if "dose" in example else None
    sampler = Sampler(game, variant, population_at(reading, game, dose))
    source = DealSource(sampler, stream_of(from_json(seed), example["stream"]))
    member, given = example["player"], given_in(panel, game, variant)
    if isinstance(reading, Policy):
        base = agent_in(reading.baseline)
        other = player(member, game, variant, given=given)
        heroes = [
            player(reading.treated, game, variant, member, base, given),
            player(reading.baseline, game, variant, member, given=given),
        ]
        one, two = (_recorded(source, example["deal"], other, hero, {}) for hero in heroes)
        return Pair(one[0], two[0], one[1])
    everyone = player(member, game, variant, given=given)
    games = [
        _recorded(source, example["deal"], everyone, everyone, {example["move"]: example[which]})
        for which in ("action", "instead")
    ]
    mover = games[0][0].movers[example["move"]]
    return Pair(games[0][0], games[1][0], (mover,))


def _recorded(
    source: DealSource, deal: int, other: Agent, hero: Agent, forced: dict[int, int]
) -> tuple[GameRecord, tuple[int, ...]]:
    """Return a deal with `hero` at the seats in question, and these; forced: actions by the number of their move."""
    block = next(source.blocks(deal, 1))
    envs = source.envs(1)
    seats = tuple(map(int, block.seats[0]))
    agents = [other, hero]
    seating = side_seats(source.game, source.variant.players, block.seats)[0].astype(int).tolist()
    log = Log(envs)
    for now in decisions(envs, agents, np.array([seating]), log.note):
        now.actions[0] = forced.get(int(envs.states.moves[0]), now.actions[0])
    (record,) = log.records([tuple(agents[player].name for player in seating)])
    order = source.sampler.orders(envs.seeds, block.seats[:, 0])
    return replace(record, order=() if order is None else tuple(order[0].tolist())), seats


def examples_of_verdict(claim: Claim, content: dict[str, Any]) -> Iterator[tuple[int, Policy | Action, dict[str, Any]]]:
    """Yield the deals that a verdict, as JSON, names: the number of the reading, the reading and the example."""
    for number, (reading, result) in enumerate(zip(claim.readings, content["readings"], strict=True)):
        if isinstance(reading, Policy | Action):
            yield from ((number, reading, example) for example in result.get("examples", ()))


def pairs_of_verdict(
    claim: Claim, content: dict[str, Any], panel: Sequence[str | Agent] = ()
) -> Iterator[tuple[int, dict[str, Any], Pair]]:
    """Yield the deals that a verdict, as JSON, names: the number of the reading, the example, and its two games.

    Args:
        panel: The players that it was tested with instead of the file's; a verdict from disk runs no code of theirs.
    """
    for number, reading, example in examples_of_verdict(claim, content):
        yield number, example, play_again(claim, reading, content["seed"], example, panel)
