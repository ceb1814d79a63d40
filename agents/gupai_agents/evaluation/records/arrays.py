"""Recorded games as arrays, for learning from them: one row for each decision.

`as_croissant` describes such a data set in JSON-LD that says what its columns are (https://mlcommons.org/croissant).
"""

import hashlib
import io
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gupai_agents.evaluation.records.games import GameRecord, deal_again, read_games
from gupai_env.core.game import Game
from gupai_env.core.illegal import first_of
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import DATA_STREAM, SPLIT_STREAM
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import counted, real_number, short_repr
from gupai_env.vector import VectorEnv

FORMAT = "gupai-decisions-1"
LICENCE = "MIT"  # that of gupai and of the players that ship with it
METADATA = "metadata"  # the array of an .npz file
SCHEMA_KEY = b"gupai"  # of the metadata of a Parquet file
GAMES_AT_ONCE = 2048


class Decisions(NamedTuple):
    """The decisions of games, in the order of the file and of play, forced ones too.

    observations: int8 [N, layout.size], what the seat to act observed. masks: bool [N, num_actions], its legal actions.
    actions: int16 [N], what it did. returns: float32 [N], the chips it was paid from then to the end of the game.
    seats: int8 [N], who it was. agents: int16 [N], which of `metadata["agents"]` sat there.
    games: int32 [N], the number of the game in the file, from 0. deals: int32 [N], the number of its deal, from 0:
    games of one deal have the same tiles, in other line-ups and rotations. seeds: int64 [N], the environment's seed.
    metadata: what is the same in all rows, as JSON takes it (docs/datasets.md).
    """

    observations: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    returns: np.ndarray
    seats: np.ndarray
    agents: np.ndarray
    games: np.ndarray
    deals: np.ndarray
    seeds: np.ndarray
    metadata: dict[str, Any]

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """All arrays by name."""
        return {name: value for name, value in self._asdict().items() if name != METADATA}


def data_seed(seed: int) -> int:
    """Return the seed with which to deal games to learn from, so that no evaluation with a seed deals them again.

    `gupai record` deals with it; in Python: `duel(..., seed=data_seed(1), record=record)`.

    Raises:
        ValueError: For a bad seed.
    """
    return derive(as_key(seed), DATA_STREAM)


def split_by_deal(deals: ArrayLike, test: float = 0.05, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to learn from and those to test on, int64 [rows] each; all rows of a deal are on one side.

    Args:
        deals: The deal of every row, integers [N]: `deals` of a data set, or `seeds` of several that are joined.
        test: The share of the deals to test on.
        seed: Which deals these are.

    Raises:
        ValueError: If a side has no deal, or for what are not deals or not a seed.
    """
    deals, test, seed = np.asarray(deals), real_number("test", test, 0, 1), as_key(seed)
    if deals.ndim != 1 or deals.dtype.kind not in "iu":
        raise ValueError(f"deals must be integers [N], one for each row, not {deals.dtype} {list(deals.shape)}")
    names, rows = np.unique(deals, return_inverse=True)
    number = round(test * len(names))
    if not 0 < number < len(names):
        raise ValueError(f"{test:g} of {counted(len(names), 'deal')} leaves one side without a deal")
    stream = derive(seed, SPLIT_STREAM)
    tested = np.zeros(len(names), bool)
    tested[np.argsort([derive(stream, name) for name in names.tolist()])[:number]] = True
    return np.flatnonzero(~tested[rows]), np.flatnonzero(tested[rows])


def as_npz(decisions: Decisions) -> bytes:
    """Return decisions as the content of a compressed .npz file, an array for each field; equal ones in equal bytes.

    The array `metadata` is a text, [], which `json.loads(str(...))` reads.
    """
    content = io.BytesIO()
    arrays: dict[str, Any] = {**decisions.columns, METADATA: np.array(json.dumps(decisions.metadata))}
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def as_parquet(decisions: Decisions) -> bytes:
    """Return decisions as a Parquet file, a column for each array; rows of several numbers are lists of fixed size.

    The metadata are those of the schema, JSON under the key "gupai".

    Raises:
        ImportError: Without pyarrow.
    """
    import pyarrow as pa
    from pyarrow import parquet

    columns = {}
    for name, array in decisions.columns.items():
        flat = pa.array(array.reshape(-1))
        columns[name] = flat if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(flat, array.shape[1])
    content = io.BytesIO()
    table = pa.table(columns).replace_schema_metadata({SCHEMA_KEY: json.dumps(decisions.metadata)})
    parquet.write_table(table, content, compression="zstd")
    return content.getvalue()


def games_to_arrays(path: str | Path, agent: str | None = None, *, licence: str = LICENCE) -> Decisions:
    """Return the decisions of a file of games, all of one game and variant, each checked by playing it again.

    Args:
        path: What `gupai record`, `--record` or a `RecordWriter` wrote.
        agent: The name of an agent in these games, to return its decisions alone.
        licence: What the metadata name as the licence of the data.

    Raises:
        RecordError: A line is not the record of a game; it names file and line.
        ValueError: There is no game in the file, no such agent, or games of several variants; in one line.
        OSError: There is no such file.
    """
    games, numbers, rules = read_games(path), _Numbers(), None
    parts: list[dict[str, np.ndarray]] = []
    while block := list(itertools.islice(games, GAMES_AT_ONCE)):
        for record in block:
            if rules is not None and rules != (record.game, record.variant):
                raise ValueError(f"{path}: games of several variants; a data set holds one")
            rules = record.game, record.variant
        columns = _decisions(block, numbers)
        if agent is not None:
            own = np.flatnonzero(columns["agents"] == numbers.agents.get(agent, -1))
            columns = {name: array[own] for name, array in columns.items()}
        parts.append(columns)
    if rules is None:
        raise ValueError(f"{path}: there is no game in it")
    if agent is not None and agent not in numbers.agents:
        raise ValueError(f"{path}: no agent {short_repr(agent)}; there are {first_of(sorted(numbers.agents))}")
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Decisions(**joined, metadata=_metadata(*rules, list(numbers.agents), licence))


def _metadata(game: Game, variant: Variant, agents: list[str], licence: str) -> dict[str, Any]:
    """Return what is the same in all rows of a data set."""
    layout = game.encoder.layout
    return {
        "format": FORMAT,
        "game": game.id,
        "version": game.version,
        "variant": variant.changed(),
        "agents": agents,
        "sections": [
            {"name": section.name, "start": start, "shape": list(section.shape)}
            for section, start in zip(layout.sections, layout.starts, strict=True)
        ],
        "actions": list(game.action_names),
        "licence": licence,
    }


class _Numbers:
    """The numbers that games, deals and agents have in a data set, in the order in which they come."""

    def __init__(self) -> None:
        self.games = 0
        self.deals: dict[tuple[int, int, tuple[int, ...]], int] = {}
        self.agents: dict[str, int] = {}

    def deal(self, record: GameRecord) -> int:
        return self.deals.setdefault((record.seed, record.episode, record.order), len(self.deals))

    def line_up(self, record: GameRecord) -> list[int]:
        return [self.agents.setdefault(name, len(self.agents)) for name in record.agents]


def _decisions(block: Sequence[GameRecord], numbers: _Numbers) -> dict[str, np.ndarray]:
    """Return the decisions of some games, an array for each column of `Decisions`."""
    envs = VectorEnv(block[0].game, len(block), renew=False, **block[0].variant.changed())
    deal_again(envs, block)
    lengths = np.array([len(record.actions) for record in block])
    total, starts = int(lengths.sum()), np.cumsum(lengths) - lengths
    actions = np.fromiter(itertools.chain.from_iterable(record.actions for record in block), np.int16, total)
    observations, masks = np.empty((total, envs.layout.size), np.int8), np.empty((total, envs.game.num_actions), bool)
    returns, seats = np.empty(total, np.float32), np.empty(total, np.int8)
    paid = np.array([record.payoffs for record in block], np.float32)  # [games, deals, seats]
    coming = paid[:, ::-1].cumsum(1)[:, ::-1]
    for step in range(int(lengths.max())):
        lanes = np.flatnonzero(lengths > step)
        rows, movers = starts[lanes] + step, envs.seats[lanes]
        observations[rows], masks[rows], seats[rows] = envs.observations[lanes], envs.masks[lanes], movers
        returns[rows] = coming[lanes, envs.states.deal[lanes], movers]
        played = np.full(envs.num_envs, WAIT, np.int64)
        played[lanes] = actions[rows]
        envs.step(played)
    lane = np.repeat(np.arange(len(block)), lengths)  # of every row
    games = (numbers.games + lane).astype(np.int32)
    numbers.games += len(block)
    return {
        "observations": observations,
        "masks": masks,
        "actions": actions,
        "returns": returns,
        "seats": seats,
        "agents": np.array([numbers.line_up(record) for record in block], np.int16)[lane, seats],
        "games": games,
        "deals": np.array([numbers.deal(record) for record in block], np.int32)[lane],
        "seeds": np.array([record.seed for record in block], np.int64)[lane],
    }


# --- Croissant metadata ----------------------------------------------------------------------------

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
ENCODINGS = {".npz": "application/x-npz", ".parquet": "application/x-parquet"}
COLUMNS = {
    "observations": "What the seat to act observed; the metadata name the sections.",
    "masks": "Its legal actions.",
    "actions": "The action it played, an index into the actions of the metadata.",
    "returns": "The chips it was paid from then to the end of the game.",
    "seats": "The seat.",
    "agents": "The agent at that seat, an index into the agents of the metadata.",
    "games": "The number of the game in the file.",
    "deals": "The number of the deal; games of one deal have the same tiles. Split by this column.",
    "seeds": "The environment's seed that deals this game.",
}
TYPES = {"i": "sc:Integer", "b": "sc:Boolean", "f": "sc:Float"}  # by the kind of a dtype
CONTEXT = Path(__file__).parent / "croissant_context.json"  # of version 1.1


def as_croissant(decisions: Decisions, name: str, content: bytes) -> str:
    """Return the Croissant metadata of a data set, JSON-LD; equal data sets have equal metadata.

    Args:
        decisions: The data set.
        name: The name of its file, which ends with .npz or .parquet.
        content: What the file holds.
    """
    stem, _, suffix = name.rpartition(".")
    known = decisions.metadata
    game = f"{known['game']} v{known['version']}, options {json.dumps(known['variant'])}"
    metadata = {
        "@context": json.loads(CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": stem,
        "description": f"Decisions of {', '.join(known['agents'])} in {game}, recorded by gupai ({known['format']}).",
        "license": known["licence"],
        "version": "1.0.0",
        "keywords": ["reinforcement learning", "imperfect information", "dominoes", known["game"]],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{len(content)} B",
                "encodingFormat": ENCODINGS[f".{suffix}"],
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "decisions",
                "name": "decisions",
                "description": "One row per decision, in order of play.",
                "field": [
                    _field(column, array.dtype.kind, array.shape[1:], name)
                    for column, array in decisions.columns.items()
                ],
            }
        ],
    }
    return json.dumps(metadata, indent=1, ensure_ascii=False) + "\n"


def _field(column: str, kind: str, shape: tuple[int, ...], name: str) -> dict[str, Any]:
    """Return a column as a field of Croissant. shape: that of one row's value."""
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": f"decisions/{column}",
        "name": column,
        "description": COLUMNS[column],
        "dataType": TYPES[kind],
        "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
    }
    if shape:
        field |= {"isArray": True, "arrayShape": ",".join(map(str, shape))}
    return field
