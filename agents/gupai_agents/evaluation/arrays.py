"""Recorded games as arrays, for learning from them: one row for each decision."""

import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.records import GameRecord, read_games
from gupai_env.core.checks import short_repr
from gupai_env.core.illegal import first_of
from gupai_env.core.kernels import WAIT
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.vector import VectorEnv

GAMES_AT_ONCE = 2048


class Decisions(NamedTuple):
    """The decisions of games, in the order of the file and of play, forced ones too.

    observations: int8 [N, layout.size], what the seat to act observed. masks: bool [N, num_actions], its legal actions.
    actions: int16 [N], what it did. returns: float32 [N], the chips it was paid from then to the end of the game.
    seats: int8 [N], who it was. games: int32 [N], the number of the game in the file, from 0.
    """

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    returns: np.ndarray
    seats: np.ndarray
    games: np.ndarray


def as_npz(decisions: Decisions) -> bytes:
    """Return decisions as the content of a compressed .npz file, an array for each field; equal ones in equal bytes."""
    content = io.BytesIO()
    np.savez_compressed(content, **decisions._asdict())
    return content.getvalue()


def as_parquet(decisions: Decisions) -> bytes:
    """Return decisions as a Parquet file, a column for each field; rows of several numbers are lists of fixed size.

    Raises: ImportError without pyarrow.
    """
    import pyarrow as pa
    from pyarrow import parquet

    columns = {}
    for name, array in decisions._asdict().items():
        flat = pa.array(array.reshape(-1))
        columns[name] = flat if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, array.shape[1])
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content, compression="zstd")
    return content.getvalue()


def games_to_arrays(path: str | Path, agent: str | None = None) -> Decisions:
    """Return the decisions of a file of games, all of one game and variant, each checked by playing it again.

    Args:
        path: What `--record` or a `RecordWriter` wrote.
        agent: The name of an agent in these games, to return its decisions alone.

    Raises:
        RecordError: A line is not the record of a game; it names file and line.
        ValueError: There is no game in the file, no such agent, or games of several variants; in one line.
        OSError: There is no such file.
    """
    games, parts, rules, done = read_games(path), [], None, 0
    named: set[str] = set()
    while block := list(itertools.islice(games, GAMES_AT_ONCE)):
        for record in block:
            if rules is not None and rules != (record.game, record.variant):
                raise ValueError(f"{path}: games of several variants; a data set holds one")
            rules = record.game, record.variant
        named |= {name for record in block for name in record.agents}
        found = _decisions(block, done)
        parts.append(found if agent is None else _made_by(agent, block, found, done))
        done += len(block)
    if not parts:
        raise ValueError(f"{path}: there is no game in it")
    if agent is not None and agent not in named:
        raise ValueError(f"{path}: no agent {short_repr(agent)}; there are {first_of(sorted(named))}")
    return Decisions(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _made_by(agent: str, block: Sequence[GameRecord], found: Decisions, first: int) -> Decisions:
    """Return the decisions that an agent made in some games, of which the first has the number `first`."""
    sat = np.array([[name == agent for name in record.agents] for record in block])
    rows = np.flatnonzero(sat[found.games - first, found.seats])
    return Decisions(*(each[rows] for each in found))


def _begun(block: Sequence[GameRecord], variant: Variant) -> VectorEnv:
    """Return lanes at the beginning of these games."""
    game = block[0].game
    envs = VectorEnv(game, len(block), renew=False, **variant.changed())
    envs.reset(seeds=[record.seed for record in block])
    envs.episodes[:] = [record.episode for record in block]
    envs.begin()
    for lane, record in enumerate(block):
        if record.order:
            laying_out(game)(envs.rules, envs.states[lane : lane + 1], np.array([record.order], np.int8))
    envs.refresh()
    return envs


def _decisions(block: Sequence[GameRecord], first: int) -> Decisions:
    """Return the decisions of some games; `first` is the number of the first of them."""
    envs = _begun(block, block[0].variant)
    lengths = np.array([len(record.actions) for record in block])
    total, starts = int(lengths.sum()), np.cumsum(lengths) - lengths
    actions = np.fromiter(itertools.chain.from_iterable(record.actions for record in block), np.int16, total)
    found = Decisions(
        np.empty((total, envs.layout.size), np.int8),
        np.empty((total, envs.game.num_actions), np.bool_),
        actions,
        np.empty(total, np.float32),
        np.empty(total, np.int8),
        np.repeat(np.arange(first, first + len(block), dtype=np.int32), lengths),
    )
    paid = np.array([record.payoffs for record in block], np.float32)  # [games, deals, seats]
    coming = paid[:, ::-1].cumsum(1)[:, ::-1]
    for at, lanes in _under_way(lengths):
        rows, seats = starts[lanes] + at, envs.seats[lanes]
        found.observations[rows], found.masks[rows] = envs.observations[lanes], envs.masks[lanes]
        found.seats[rows] = seats
        found.returns[rows] = coming[lanes, envs.states.deal[lanes], seats]
        played = np.full(envs.num_envs, WAIT, np.int64)
        played[lanes] = actions[rows]
        envs.step(played)
    return found


def _under_way(lengths: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every move's number with the lanes, int [N], whose games have one of this number."""
    for at in range(int(lengths.max())):
        yield at, np.flatnonzero(lengths > at)
