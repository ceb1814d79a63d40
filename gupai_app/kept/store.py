"""The games that a person has finished, in one SQLite file on this machine (docs/my-games.md).

A game is a line of a record; the other columns are what it is searched by. A deal is kept once, as it ended first, so
that playing it again changes no statistics.
"""

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.play.seats import PERSON, near_of
from gupai_env.messages import say
from gupai_env.messages.checks import one_of, refused
from gupai_env.storage.files import naming, short_path
from gupai_env.storage.models import small_file

FILE, OFF = "games.sqlite", "games-are-not-kept"  # the second is an empty file where games are not to be kept
APPLICATION, VERSION = 0x67757061, 1  # in the header of the file
PATIENCE = 10.0  # seconds to wait for another process that writes
MOST_BYTES = 1 << 36
RESULTS = ("won", "lost", "even")
SCHEMA = """CREATE TABLE games (
    number INTEGER PRIMARY KEY AUTOINCREMENT, deal TEXT NOT NULL UNIQUE, line TEXT NOT NULL, day TEXT NOT NULL,
    game TEXT NOT NULL, level TEXT NOT NULL, seat INTEGER NOT NULL, chips REAL NOT NULL, deals INTEGER NOT NULL,
    luck REAL, losses TEXT)"""
UNFINISHED = """CREATE TABLE IF NOT EXISTS unfinished (
    game TEXT PRIMARY KEY, deal TEXT NOT NULL, line TEXT NOT NULL, day TEXT NOT NULL, daily INTEGER NOT NULL)"""
ADD = "INSERT OR IGNORE INTO games (deal, line, day, game, level, seat, chips, deals) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
NOTE = """UPDATE games SET luck = :luck, losses = :losses
    WHERE deal = :deal AND substr(line, 1, length(:line)) = :line AND luck IS NULL"""
MATCHES = """:game IN ('', game) AND :level IN ('', level) AND day >= :since AND (:until = '' OR day <= :until)
    AND :result IN ('', CASE WHEN chips > 0 THEN 'won' WHEN chips < 0 THEN 'lost' ELSE 'even' END)"""


class Kept(NamedTuple):
    """A game that was kept.

    number: by which it is named. line: its record, with its newline. day: when it ended, "2026-11-27". level: who sat
    at the other seats. seat, chips: of the person. deals: how many the match had. luck: the value of the person's tiles
    in chips, None before a review. losses: by kind of action how many decisions and the chips that they lost, as JSON.
    """

    number: int
    line: str
    day: str
    game: str
    level: str
    seat: int
    chips: float
    deals: int
    luck: float | None = None
    losses: str | None = None


class Unfinished(NamedTuple):
    """A game that was left before its end, the last one of its kind.

    line: its record so far. day: when it was left. daily: whether it is the deal of the day.
    """

    line: str
    day: str
    daily: bool


@dataclass(frozen=True)
class Search:
    """What is looked for; an empty text stands for all. Raises: ValueError for a day or a result that cannot be."""

    game: str = ""
    level: str = ""
    since: str = ""
    until: str = ""
    result: str = ""

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            if (text := getattr(self, name)) and not _is_day(text):
                raise refused(name, text, say("write a day such as {day}", day="2026-11-27"))
        if self.result:
            one_of("result", self.result, RESULTS)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def home() -> Path:
    """Return the folder of the user's own data: GUPAI_HOME, or where the platform has such folders.

    Raises:
        ValueError: There is none.
    """
    folder = os.environ.get("GUPAI_HOME", "")
    if not folder:
        place = {"win32": "~/AppData/Local", "darwin": "~/Library/Application Support"}
        data = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", "")
        folder = os.path.join(data or os.path.expanduser(place.get(sys.platform, "~/.local/share")), "gupai")
    if not os.path.isabs(folder):
        raise ValueError(say("{folder} is no absolute path; GUPAI_HOME names the folder of your games", folder=folder))
    return Path(folder)


class Store:
    """The games in a folder, which is made when the first is kept; several processes and threads may share it.

    Every method raises OSError or ValueError, in one line, where the file cannot be used; nothing in it is lost then.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """folder: None for `home`."""
        self._folder = folder

    @property
    def path(self) -> Path:
        """The file."""
        return (home() if self._folder is None else self._folder) / FILE

    @property
    def keeping(self) -> bool:
        """Whether games are kept when they end."""
        return not (self.path.parent / OFF).exists()

    def switch(self, *, on: bool) -> None:
        """Begin or end to keep games; those that are there stay."""
        mark = self.path.parent / OFF
        with naming(mark):
            mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark.unlink(missing_ok=True) if on else mark.touch()

    def keep(self, record: GameRecord) -> str:
        """Keep a game that has just ended, unless that is turned off; return why it could not be, "" if nothing."""
        when = datetime.now().astimezone().isoformat(timespec="seconds")
        return self._problem(lambda: self.add([replace(record, when=when)]))

    def _problem(self, keep: Callable[[], object]) -> str:
        """Keep a game unless that is turned off; return why it could not be, "" if nothing."""
        try:
            if self.keeping:
                keep()
        except (OSError, ValueError) as error:
            return say("this game was not kept: {problem}", problem=str(error))
        return ""

    def add(self, records: Iterable[GameRecord]) -> int:
        """Add the games of which the deal is not there; return how many, all or none of them."""
        rows = [_row(record) for record in records]
        with self._open(write=True) as file:
            before = file.total_changes
            file.executemany(ADD, rows)
            added = file.total_changes - before
            file.executemany("DELETE FROM unfinished WHERE deal = ?", [row[:1] for row in rows])
            return added

    def keep_unfinished(self, record: GameRecord, *, daily: bool) -> str:
        """Keep a game that is not over in place of the one before of its kind, unless that is turned off.

        Returns:
            Why it could not be kept, "" if nothing.
        """
        row = record.game.id, _deal(record), record.line, date.today().isoformat(), daily

        def leave() -> None:
            with self._open(write=True) as file:
                file.execute("INSERT OR REPLACE INTO unfinished VALUES (?, ?, ?, ?, ?)", row)

        return self._problem(leave)

    def unfinished(self) -> dict[str, Unfinished]:
        """Return by game the one that was left last before its end, the latest first."""
        with self._open() as file:
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'unfinished'").fetchone():
                return {}
            rows = file.execute("SELECT game, line, day, daily FROM unfinished ORDER BY rowid DESC")
            return {game: Unfinished(line, day, bool(daily)) for game, line, day, daily in rows}

    def of_deal(self, record: GameRecord) -> Kept | None:
        """Return the game that is kept of a deal, however it was played."""
        return next(iter(self._games("deal = :deal", {"deal": _deal(record)})), None)

    def find(self, search: Search = Search(), most: int = -1) -> list[Kept]:
        """Return the games that match, the latest first; most: how many, all if it is negative."""
        latest = f"{MATCHES} ORDER BY day DESC, number DESC LIMIT :most"
        return self._games(latest, {**asdict(search), "most": most})

    def _games(self, condition: str, values: dict[str, object]) -> list[Kept]:
        """Return the games that meet a condition of SQL, one of ours, in which values have names."""
        with self._open() as file:
            rows = file.execute(f"SELECT {', '.join(Kept._fields)} FROM games WHERE {condition}", values)
            return [Kept(*row) for row in rows]

    def count(self, search: Search = Search()) -> int:
        """Return how many games match."""
        with self._open() as file:
            return int(file.execute(f"SELECT count(*) FROM games WHERE {MATCHES}", asdict(search)).fetchone()[0])

    def distinct(self, column: Literal["level", "day"]) -> list[str]:
        """Return what the games that are kept have in a column, each text once; see `Kept`."""
        with self._open() as file:
            return [text for (text,) in file.execute(f"SELECT DISTINCT {column} FROM games ORDER BY {column}")]

    def get(self, number: int) -> Kept:
        """Return a game. Raises: ValueError if there is none of that number."""
        for game in self._games("number = :number", {"number": number}):
            return game
        raise ValueError(say("no game has the number {number}; `gupai games` lists them", number=number))

    def note(self, record: GameRecord, luck: float, losses: str) -> None:
        """Keep what a review finds, if the game is here and was not reviewed before; see `Kept`.

        Args:
            record: The game.
            luck: Chips that it owes to luck.
            losses: By kind of action how many decisions there were and the chips that they lost, as JSON.
        """
        deal, line = _deal(record), replace(record, when="").line.rstrip("}\n")
        if self.path.exists():
            with self._open(write=True) as file:
                file.execute(NOTE, {"luck": luck, "losses": losses, "deal": deal, "line": line})

    def delete(self, numbers: Sequence[int] | None = None) -> int:
        """Delete the games of these numbers, None: all; return how many there were."""
        with self._open(write=True) as file:
            if numbers is None:
                file.execute("DELETE FROM unfinished")
                return file.execute("DELETE FROM games").rowcount
            return file.executemany("DELETE FROM games WHERE number = ?", [(number,) for number in numbers]).rowcount

    @contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Have the file within one transaction; a file that is to be read and does not exist is empty."""
        path = self.path
        if write:
            with naming(path):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = path.exists()
        try:
            if there:
                small_file(path, MOST_BYTES)
            place = path if there or write else ":memory:"
            with closing(sqlite3.connect(place, PATIENCE, isolation_level=None)) as file, file:
                file.execute("PRAGMA trusted_schema = OFF")
                file.execute("PRAGMA secure_delete = ON")
                file.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                _check(file)
                if write:
                    file.execute(UNFINISHED)
                yield file
        except sqlite3.Error as error:
            template = "{path}: {problem}; what is in it was left as it is"
            raise ValueError(say(template, path=short_path(path), problem=str(error))) from None


def _check(file: sqlite3.Connection) -> None:
    """Make the table of a new file. Raises: sqlite3.DatabaseError for a file of another program or version."""
    marks = [file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if marks == [0, 0] and not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        file.execute(SCHEMA)
        file.execute(f"PRAGMA application_id = {APPLICATION}")
        file.execute(f"PRAGMA user_version = {VERSION}")
    elif marks[0] != APPLICATION:
        raise sqlite3.DatabaseError(say("it is a file of another program"))
    elif marks[1] != VERSION:
        raise sqlite3.DatabaseError(say("it is of another version of gupai"))


def _row(record: GameRecord) -> tuple[object, ...]:
    """Return the columns of a game."""
    seat, line = near_of(record), record.line
    others = {name for other, name in enumerate(record.agents) if other != seat}
    chips = sum(paid[seat] for paid in record.payoffs)
    day = record.when[:10]
    return _deal(record), line, day, record.game.id, ", ".join(sorted(others)), seat, chips, len(record.payoffs)


def _deal(record: GameRecord) -> str:
    """Return what was dealt, to whomever: who has seen the tiles does not play the deal again for the statistics."""
    rules = record.game.id, record.game.version, record.variant.changed()
    return json.dumps([*rules, str(record.seed), record.episode, record.order], sort_keys=True)


def of_person(record: GameRecord) -> bool:
    """Return whether a person played."""
    return PERSON in record.agents
