"""Games as files: a line of JSON for every game, with all it takes to play it again (docs/records.md).

What is read is played again by the rules, and the line must say what that game comes to: every move, name and payoff.
So a record that was changed, truncated or made wrongly by hand is refused, and nothing in a file is trusted. How the
JSON is spelled does not matter, and no number in a line is larger than what doubles hold, so other programs may read
and write the lines.
"""

import codecs
import contextlib
import functools
import gzip
import io
import itertools
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np

from gupai_agents.play.decisions import new_lanes
from gupai_env.core.game import Game
from gupai_env.core.illegal import describe_illegal
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import EXACT, from_json, in_json
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.games import get_game
from gupai_env.messages import one_line, say
from gupai_env.messages.checks import as_path, counted, is_whole, short_repr
from gupai_env.storage.files import NewFile, naming
from gupai_env.vector import VectorEnv

FORMAT = "gupai-game-1"
ORDER = "order"  # a key after "episode", of games that were dealt as it says and not as the seed shuffles
WHEN = "when"  # the last key, of games whose time was kept
KEYS = ["format", "game", "version", "variant", "agents", "seed", "episode", "actions", "names", "payoffs"]
COMPRESSED = ".gz"  # the end of the name of a new file
GZIP = b"\x1f\x8b"  # how a compressed file begins, whatever its name
OTHERS = {b"BZh": "bzip2", b"PK": "zip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz"}
LONGEST_KEY = 200  # characters that an error repeats
LEVEL = 4  # of compression: twice as fast as the usual 6, and files a tenth larger
BLOCK = 2048  # games that are checked side by side
MOST_CELLS = 1 << 22  # decisions times games of a block
MOST_BYTES = 1 << 26  # of a line: more than the longest match takes


class RecordError(ValueError):
    """A line that is not the record of a game that can be played: file, line and what is wrong, in one line."""


@dataclass(frozen=True)
class GameRecord:
    """One game, from the shuffle to the last payoff.

    seed, episode: those of the environment: `reset(seed=seed)`, then `reset()` so many times.
    agents: the name of who sat at each seat. actions: every decision, in order of play; movers: the seat of each, which
    follows from the rules and does not stand in a file. payoffs: chips by seat, a row for every deal of the match.
    order: the kinds of all tiles in the order in which the deal took them, where that is not the seed's; else empty.
    when: the local time at which it ended, as ISO 8601 with its offset from UTC, where that was kept; else empty.
    """

    game: Game
    variant: Variant
    agents: tuple[str, ...]
    seed: int
    episode: int
    actions: tuple[int, ...] = field(repr=False)
    payoffs: tuple[tuple[float, ...], ...]
    movers: tuple[int, ...] = field(repr=False)
    order: tuple[int, ...] = field(default=(), repr=False)
    when: str = field(default="", compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the actions, as in `game.action_names`."""
        return tuple(self.game.action_names[action] for action in self.actions)

    @property
    def line(self) -> str:
        """The game as it is in a file, with its newline.

        Raises:
            ValueError: For an agent's name that a line cannot show.
        """
        head, names = _head(self.game, self.variant, self.agents), _quoted(self.game)
        moves = ",".join(map(str, self.actions))
        named = ",".join([names[action] for action in self.actions])
        paid = ",".join(f"[{','.join(map(_decimal, chips))}]" for chips in self.payoffs)
        order = f',"{ORDER}":[{",".join(map(str, self.order))}]' if self.order else ""
        when = f',"{WHEN}":{json.dumps(self.when)}' if self.when else ""
        episode = json.dumps(in_json(self.episode))
        return (
            f'{head},"seed":"{self.seed}","episode":{episode}{order},"actions":[{moves}],"names":[{named}],'
            f'"payoffs":[{paid}]{when}}}\n'
        )


def _decimal(chips: float) -> str:
    """Return chips as JSON has numbers that may be broken."""
    return f"{chips:.1f}" if chips == int(chips) else repr(chips)


def _whole(value: Any) -> Any:
    """Return a value of an option as JSON holds it: 2.0 as 2, which JavaScript does not tell apart."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


@functools.lru_cache(maxsize=4096)
def _head(game: Game, variant: Variant, agents: tuple[str, ...]) -> str:
    """Return how the lines of these players begin."""
    for name in agents:
        if not name.isprintable():
            raise ValueError(f"{short_repr(name)} is not a name that a record can hold; it must be printable")
    content = {
        "format": FORMAT,
        "game": game.id,
        "version": game.version,
        "variant": {name: _whole(value) for name, value in variant.changed().items()},
        "agents": agents,
    }
    return json.dumps(content, separators=(",", ":"))[:-1]


@functools.cache
def _quoted(game: Game) -> list[str]:
    return [json.dumps(name) for name in game.action_names]


MOST_ACTION_TYPES = 8  # a game that has more names its actions by something else, such as a hand


@functools.cache
def action_types_of(game: Game) -> tuple[tuple[str, ...], np.ndarray]:
    """Return what can be done in a game ("play", "discard", ...), and which of these every action is, int [actions]."""
    verbs = [move.verb for move in game.moves]
    names = tuple(dict.fromkeys(verbs))
    if len(names) > MOST_ACTION_TYPES:
        return ("decide",), np.zeros(len(verbs), int)
    return names, np.array([names.index(verb) for verb in verbs])


# --- from lanes -----------------------------------------------------------------------------------


class Log:
    """What is played in lanes that deal once (`renew=False`), from the beginning of their episodes on."""

    def __init__(self, envs: VectorEnv) -> None:
        self.envs = envs
        self._moves: list[np.ndarray] = []
        self._movers: list[np.ndarray] = [envs.seats.copy()]
        self.payoffs: list[list[tuple[float, ...]]] = [[] for _ in range(envs.num_envs)]

    def note(self, actions: np.ndarray) -> None:
        """Remember the actions just played, integers [B]."""
        self._moves.append(np.array(actions, np.int16))
        self._movers.append(self.envs.seats.copy())
        settled = np.flatnonzero((actions != WAIT) & (self.envs.states.settled != 0))
        chips = self.envs.rewards[settled, : self.envs.variant.players].tolist()
        for lane, paid in zip(settled.tolist(), chips, strict=True):
            self.payoffs[lane].append(tuple(paid))

    def moves(self) -> np.ndarray:
        """Return the decisions of every lane one below the other, int16 [T, B], WAIT where there was none."""
        return np.array(self._moves, np.int16).reshape(-1, self.envs.num_envs)

    def action_types(self, kinds: np.ndarray) -> np.ndarray:
        """Return how often each seat did what, int16 [B, seats, kinds]; kinds: that of every action, int."""
        seats, count = self.envs.variant.players, int(kinds.max()) + 1
        counts = np.zeros(self.envs.num_envs * seats * count, np.int16)
        for moves, movers in zip(self._moves, self._movers, strict=False):
            envs = np.flatnonzero(moves != WAIT)  # each of them once, so that it can be added at once
            counts[(envs * seats + movers[envs]) * count + kinds[moves[envs]]] += 1
        return counts.reshape(-1, seats, count)

    def records(self, agents: Sequence[tuple[str, ...]]) -> list[GameRecord]:
        """Return the games of all lanes, all over; agents: the names by seat, for every lane."""
        moves = np.ascontiguousarray(self.moves().T)
        played = moves != WAIT
        actions, ends = moves[played].tolist(), np.cumsum(played.sum(1)).tolist()
        movers = np.array(self._movers[:-1]).reshape(-1, len(played)).T[played].tolist()
        envs = self.envs
        return [
            GameRecord(
                envs.game,
                envs.variant,
                names,
                seed,
                episode,
                tuple(actions[first:end]),
                tuple(paid),
                tuple(movers[first:end]),
            )
            for names, seed, episode, first, end, paid in zip(
                agents, envs.seeds.tolist(), envs.episodes.tolist(), [0, *ends[:-1]], ends, self.payoffs, strict=True
            )
        ]


def deal_again(envs: VectorEnv, games: Sequence[GameRecord]) -> None:
    """Deal in each lane as a game was dealt."""
    envs.reset(seeds=[game.seed for game in games])
    envs.episodes[:] = [game.episode for game in games]
    envs.begin()
    for lane, game in enumerate(games):
        if game.order:
            order = np.array([game.order], np.int8)
            laying_out(envs.game)(envs.rules, envs.states[lane : lane + 1], order)
    envs.refresh()


# --- writing --------------------------------------------------------------------------------------


class RecordWriter:
    """Writes games to a new file, compressed if its name ends in .gz; the same games give the same bytes.

    The file has its name when it is closed. What was finished is kept then, whatever ended the games; where it cannot
    be written, nothing is left.
    """

    path: Path
    games: int

    def __init__(self, path: str | Path, *, force: bool = False) -> None:
        """Begin a file.

        Args:
            path: Its name.
            force: Whether an existing file may be replaced.

        Raises:
            ValueError: The name is not one of a file that may be written, see `gupai_env.storage.files.check_target`.
            OSError: It cannot be written; it names the path.
        """
        self.path, self.games = Path(path), 0
        self._new = NewFile(path, force=force)
        self._file: Any = compressed(self._new.file) if str(path).endswith(COMPRESSED) else self._new.file

    def write(self, games: Iterable[GameRecord]) -> None:
        """Write some games."""
        lines = [game.line for game in games]
        try:
            with naming(self.path):
                self._file.write("".join(lines).encode())
        except BaseException:
            self.games = 0  # none is kept: the last may be half written
            raise
        self.games += len(lines)

    def close(self) -> None:
        """Finish the file; without a game there is none."""
        try:
            if self.games:
                if self._file is not self._new.file:
                    with naming(self.path):
                        self._file.close()
                self._new.finish()
        finally:
            self._new.discard()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def compressed(file: IO[bytes]) -> gzip.GzipFile:
    """Return what compresses into a file, without time or name, so that equal games make equal files."""
    return gzip.GzipFile("", "wb", LEVEL, file, mtime=0)


# --- reading --------------------------------------------------------------------------------------


def read_games(path: str | Path, first: int = 1) -> Iterator[GameRecord]:
    """Yield the games of a file from number `first` on, each checked by playing it again; a block is held at a time.

    Raises:
        RecordError: Naming file and line, after all games before it.
        OSError: If there is no such file.
    """
    block: list[_Claim] = []
    longest, failure = 0, None
    try:
        for number, line in _lines(as_path("path", path), first):
            claim = _claim(number, line)
            longest = max(longest, len(claim.game.actions))
            fits = (len(block) + 1) * longest <= MOST_CELLS and len(block) < BLOCK
            if block and not (fits and block[0].rules == claim.rules):
                yield from _checked(path, block)
                block, longest = [], len(claim.game.actions)
            block.append(claim)
    except _LineError as refused:
        failure = refused
    yield from _checked(path, block)
    if failure:
        raise RecordError(f"{path}, {failure}") from None


def game_of_line(line: bytes) -> GameRecord:
    """Return the game of one line with its newline, checked as those of a file; raises RecordError."""
    return next(_checked("the game", [_claim_of_line(line)]))


def unfinished_game_of_line(line: bytes) -> GameRecord:
    """Return the game of a line that is not over, whose moves were not played: without payoffs and movers.

    Raises:
        RecordError: For what is no such line.
    """
    return _claim_of_line(line).game


class _LineError(ValueError):
    """A line and what is wrong with it."""

    def __init__(self, number: int, problem: object) -> None:
        super().__init__(say("line {number:,}: {problem}", number=number, problem=one_line(str(problem))))


@dataclass(frozen=True)
class _Claim:
    """What a line says, checked as far as it can be without playing.

    game: without payoffs and movers, which follow. rounded: whether its seed may be what a reader of doubles left of
    another. names, payoffs: as the line has them.
    """

    number: int
    line: bytes
    game: GameRecord
    rounded: bool
    names: Any
    payoffs: Any

    @property
    def rules(self) -> tuple[Game, Variant]:
        """The game and its variant."""
        return self.game.game, self.game.variant


def _claim_of_line(line: bytes) -> _Claim:
    """Return what one line with its newline says; raises RecordError where no game can be what it says."""
    try:
        return _claim(1, _plain(line, 1))
    except _LineError as error:
        raise RecordError(say("the game, {problem}", problem=str(error))) from None


def _lines(path: str | Path, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file from number `first` on, with their numbers."""
    number = 0
    with open(path, "rb") as raw, _unpacked(raw) as file:
        while True:
            try:
                line = file.readline(MOST_BYTES)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise _LineError(number + 1, f"the compressed file is damaged or cut short ({error})") from None
            if not line:
                return
            number += 1
            if len(line) == MOST_BYTES:
                raise _LineError(number, "longer than any game")
            line = _plain(line, number)
            if number >= first:
                yield number, line


def _unpacked(raw: io.BufferedReader) -> IO[bytes]:
    """Return what a file holds, decompressed if it begins as compressed files do, whatever its name."""
    beginning = raw.peek(max(map(len, OTHERS)))
    for mark, name in OTHERS.items():
        if beginning.startswith(mark):
            raise _LineError(1, f"the file is compressed by {name}; unpack it, or compress it with gzip")
    return gzip.GzipFile(fileobj=raw) if beginning.startswith(GZIP) else raw  # type: ignore[return-value]


def _plain(line: bytes, number: int) -> bytes:
    """Return a line without what editors of some systems add: a mark before the first one, a carriage return."""
    if number == 1:
        if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise _LineError(number, "the file is UTF-16 text; save it as UTF-8")
        line = line.removeprefix(codecs.BOM_UTF8)
    return line[:-2] + b"\n" if line.endswith(b"\r\n") else line


def _claim(number: int, line: bytes) -> _Claim:
    """Return what a line says; raises _LineError where no game can be what it says."""
    content = _content(number, line)
    try:
        if not isinstance(content["game"], str) or not isinstance(content["variant"], dict):
            raise ValueError('"game" is not a word, or "variant" not an object')
        game, variant = _rules(content["game"], json.dumps(content["variant"]))
        if not is_whole(content["version"]) or content["version"] != game.version:
            raise ValueError(f"version {short_repr(content['version'])} of {game.id}; here it is {game.version}")
        agents, actions = content["agents"], content["actions"]
        if not isinstance(agents, list) or not all(type(agent) is str for agent in agents):
            raise ValueError(f"agents are a list of names, not {short_repr(agents)}")
        if len(agents) != variant.players:
            raise ValueError(f"{counted(len(agents), 'agent')} for {variant.players} seats")
        if not isinstance(actions, list) or not all(type(action) is int for action in actions):
            raise ValueError(f"actions are a list of whole numbers, not {short_repr(actions)}")
        # A number that is not an action stays one in the fewer bits that actions are kept in.
        actions = [action if 0 <= action < game.num_actions else game.num_actions for action in actions]
        seed, episode = from_json(content["seed"]), from_json(content["episode"], "an episode")
        rounded = not isinstance(content["seed"], str) and _is_rounded(seed)
        order = order_of(game, variant, content[ORDER]) if ORDER in content else ()
        when = _time(content[WHEN]) if WHEN in content else ""
    except ValueError as error:
        raise _LineError(number, error) from None
    record = GameRecord(game, variant, tuple(agents), seed, episode, tuple(actions), (), (), order, when)
    return _Claim(number, line, record, rounded, content["names"], content["payoffs"])


def _time(when: Any) -> str:
    """Return when a game ended, of the many forms of ISO 8601 in the extended one. Raises: ValueError."""
    with contextlib.suppress(ValueError, TypeError):
        if (time := datetime.fromisoformat(when)).utcoffset() is not None:
            return time.isoformat()
    raise ValueError(f'"{WHEN}" is a time such as "2026-11-27T20:15:00+08:00", not {short_repr(when)}')


class _RepeatedError(ValueError):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these keys and values."""
    content = dict(pairs)
    if len(content) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _RepeatedError(f"the key {short_repr(key, LONGEST_KEY)} is there twice")
    return content


def _number(text: str) -> float:
    """Return a number of JSON, where 1.0 and 1 are the same."""
    number = float(text)
    return int(number) if number.is_integer() else number


DECODER = json.JSONDecoder(parse_float=_number, object_pairs_hook=_once)


def _content(number: int, line: bytes) -> dict[str, Any]:
    """Return the object of a line, which has the keys of a record; raises _LineError."""
    if not line.strip():
        raise _LineError(number, "the line is blank; every line is a game")
    try:
        content = DECODER.decode(line.decode("utf-8-sig"))
    except _RepeatedError as error:
        raise _LineError(number, error) from None
    except (ValueError, RecursionError):
        part = line.startswith(b"{") or not line.endswith(b"\n")  # a program may have spread a game over lines
        problem = "it is cut short, or not JSON" if part else "it is not JSON"
        if line.startswith(GZIP):
            problem = "it is compressed twice"
        raise _LineError(number, say("no record of a game: {problem}", problem=say(problem))) from None
    if not isinstance(content, dict):
        raise _LineError(number, f"no record of a game: a game is an object, not {short_repr(content)}")
    if content.get("format") != FORMAT:
        format_name = short_repr(content.get("format"))
        raise _LineError(number, f'no record of a game: its "format" is {format_name}, not {FORMAT!r}')
    for key in content:
        if key not in (*KEYS, ORDER, WHEN):
            problem = f"{short_repr(key, LONGEST_KEY)} is not a key of a record"
            others = f"and {ORDER} where it is not the seed's, {WHEN} where it is known"
            raise _LineError(number, f"{problem}; its keys are {', '.join(KEYS)}, {others}")
    if missing := [key for key in KEYS if key not in content]:
        raise _LineError(number, f"it lacks {', '.join(missing)}; its keys are {', '.join(KEYS)}")
    return content


def order_of(game: Game, variant: Variant, order: Any) -> tuple[int, ...]:
    """Return the order of a deal, given as a list; raises ValueError for what is none of this variant.

    Args:
        game, variant: What is played.
        order: Kinds of tiles as they are dealt, as JSON has them.
    """
    deck = np.asarray(game.deck(variant.as_rules())).tolist()
    if variant.deals > 1:
        raise ValueError("the order of the tiles can be given for a single deal, not for a match")
    whole = isinstance(order, list) and all(type(kind) is int for kind in order)
    if not whole or sorted(order) != sorted(deck):
        raise ValueError(
            say(
                "the order does not hold the {tiles} tiles of the deck: {order}",
                tiles=len(deck),
                order=short_repr(order),
            )
        )
    return tuple(order)


@functools.lru_cache(maxsize=256)
def _rules(game: str, variant: str) -> tuple[Game, Variant]:
    """Return game and variant from their texts; raises ValueError."""
    record = get_game(game)
    return record, record.variant.make(**json.loads(variant))


def _checked(path: str | Path, block: Sequence[_Claim]) -> Iterator[GameRecord]:
    """Yield the games of a block, played again; raises RecordError at the first that is not as its line says."""
    if not block:
        return
    for claim, game in zip(block, _played(block), strict=True):
        problem = game if isinstance(game, str) else _difference(claim, game)
        if problem:
            cause = ROUNDED.format(claim.game.seed) if claim.rounded else ""
            raise RecordError(f"{path}, {_LineError(claim.number, f'{problem}{cause}')}")
        assert isinstance(game, GameRecord)
        yield game


ANOTHER_DEAL = "; seed, episode, variant and order give another deal than the one that was played"
ROUNDED = "; its seed {} was probably rounded by a program that reads numbers as doubles, such as jq or JavaScript"


def _is_rounded(seed: int) -> bool:
    """Return whether a number may be what a reader of doubles left of another seed; of a text it left all digits."""
    nearest = float(seed)
    written = {int(nearest), *(int(Decimal(text)) for text in (repr(nearest), f"{nearest:.17g}"))}
    return seed >= EXACT and seed in written


def _played(block: Sequence[_Claim]) -> list[GameRecord | str]:
    """Play games of one variant again, side by side; for one that the rules do not allow, return what is wrong."""
    game, variant = block[0].rules
    claimed = [claim.game for claim in block]
    envs = new_lanes(game, variant, len(block))
    deal_again(envs, claimed)
    log, refused = Log(envs), {}
    rows, lengths = np.arange(len(block)), np.array([len(record.actions) for record in claimed])
    moves = np.full((len(block), lengths.max()), WAIT)
    moves[np.arange(moves.shape[1]) < lengths[:, None]] = list(
        itertools.chain.from_iterable(record.actions for record in claimed)
    )
    for step in range(moves.shape[1]):
        actions = moves[:, step]  # a part of it: what is refused below waits
        legal = envs.masks[rows, actions.clip(0, game.num_actions - 1)] & (actions < game.num_actions)
        for lane in np.flatnonzero((actions != WAIT) & ~legal).tolist():
            refused[lane] = _illegal(envs, lane, step, actions[lane])
            if step == 0 and not block[lane].rounded:
                refused[lane] += ANOTHER_DEAL
            moves[lane, step:] = WAIT
        envs.step(moves[:, step])
        log.note(moves[:, step])
    for lane in np.flatnonzero(~envs.states.terminated.astype(bool)).tolist():
        refused.setdefault(lane, f"the game is not over after its {lengths[lane]} actions")
    records = log.records([record.agents for record in claimed])
    games = [
        replace(game, order=record.order, when=record.when) if record.order or record.when else game
        for game, record in zip(records, claimed, strict=True)
    ]
    return [refused.get(lane, record) for lane, record in enumerate(games)]


def _illegal(envs: VectorEnv, lane: int, step: int, action: int) -> str:
    """Return one line about an action that the rules forbid."""
    if envs.states.terminated[lane]:
        return f"action {step + 1} comes after the end of the game"
    view = envs.views(slice(lane, lane + 1))[0][0]
    who = f"action {step + 1}, seat {envs.seats[lane]}"
    return describe_illegal(envs.game, who, int(action), envs.masks[lane], view)


def _chips(payoffs: Any) -> Any:
    """Return payoffs with whole numbers as chips are written, -9.0, and anything else as it is."""
    return list(map(_chips, payoffs)) if isinstance(payoffs, list) else float(payoffs) if is_whole(payoffs) else payoffs


def _difference(claim: _Claim, game: GameRecord) -> str:
    """Return what a line says otherwise than the game that it is said to be, "" if at most its spelling."""
    try:
        if claim.line == game.line.encode():
            return ""
    except ValueError as error:
        return str(error)
    same = claim.payoffs == [list(paid) for paid in game.payoffs]
    if not same or any(type(chips) is bool for paid in claim.payoffs for chips in paid):
        paid = short_repr([list(chips) for chips in game.payoffs])
        return f"payoffs are {short_repr(_chips(claim.payoffs))}, but the game pays {paid}"
    if claim.names != list(game.names):
        return "its names are not those of its actions"
    return ""
