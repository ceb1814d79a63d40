"""A tournament as a folder: its games, a table of them, what follows from them, and what made them.

games.jsonl.gz: every game, as records. games.csv: a row each. summary.json: every figure. report.html: the same with
charts. manifest.json: what was played by whom, with what. lock: held by the process that plays.

While it is played, `blocks` holds a file of games for each block, written whole. A tournament that was stopped or
killed continues after these, which are played again and so checked; in the end they are joined, and the files are the
same bytes as without the stop.
"""

import contextlib
import csv
import io
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.folder_models import (
    BLOCKS,
    FORMAT,
    GAMES,
    MANIFEST,
    REPORT,
    ROWS,
    SUMMARY,
    FolderError,
    Manifest,
    read_manifest,
)
from gupai_agents.evaluation.match import Played, Progress, key_of, seats_of
from gupai_agents.evaluation.records import GameRecord, action_types_of, compressed, read_games
from gupai_agents.evaluation.tournament import Block, Schedule, Tournament, fill, schedule
from gupai_agents.identity import digest_of, identity_of, require_same
from gupai_agents.registry import make_agent
from gupai_agents.workers import Workers
from gupai_env.core.rng import in_json
from gupai_env.core.sources import sources_digest
from gupai_env.storage.files import LOCK, json_text, locked_folder, naming, new_file, write_file
from gupai_env.storage.models import adopted, difference
from gupai_env.words.checks import as_path, short_repr
from gupai_env.words.messages import say

PACKAGES = ("gupai", "numpy", "numba", "scipy")


def play_into(
    folder: str | Path,
    plan: Schedule,
    agents: Sequence[str | Agent],
    *,
    resume: bool = False,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Tournament:
    """Play a tournament into a new or empty folder or, to `resume`, continue one that was stopped.

    Args:
        folder: Where; it may not exist yet.
        plan: Who plays what, as `schedule` returns it.
        agents: Those that it names, by name or themselves, in its order.
        resume: Whether it was begun.
        progress: Called with the number of deals just played.
        workers: Who plays, default this process; the files are the same.

    Raises:
        ValueError: If there is a tournament already, if there is none to resume, or if it is one that differs in
            anything, the rules and the agents' files included, if what is finished of it is not as it was written, or
            if another process plays it; and as `play_tournament`.
        OSError: The tournament can then be resumed.
    """
    agents = plan.seated(agents)
    players = [identity_of(agent, plan.game, plan.variant) for agent in agents]
    folder, wanted = Path(folder), manifest(plan, players)
    if resume and not folder.is_dir():
        raise FolderError(f"{folder}: not a tournament: there is no {MANIFEST}")
    with locked_folder(folder, "playing this tournament"):
        if resume and (folder / MANIFEST).exists():
            wanted = _require(folder, wanted)
        else:
            _begin(folder, wanted)
        if (folder / REPORT).is_file():  # the last that is written
            return verify(folder, progress)
        tournament, blocks = plan.empty(), list(plan.blocks())
        finished = _finished(folder)
        to_come = plan.played(agents, blocks[finished:], workers)
        for number, block in enumerate(blocks):
            if number < finished:
                played = _read_block(folder, plan, number, block)
            else:
                played = next(to_come)
                write_file(_block_file(folder, number), _member(played.records or []), force=True)
            fill(tournament, block, played)
            if progress:
                progress(block[2])
        _join(folder, plan, tournament, len(blocks))
        write_file(folder / SUMMARY, _json(summary(tournament)), force=True)
        write_file(folder / REPORT, _report(tournament, wanted), force=True)
        shutil.rmtree(folder / BLOCKS)
    return tournament


def _begin(folder: Path, wanted: dict[str, Any]) -> None:
    """Write the first file of a tournament into a locked folder; raises FolderError if it has files."""
    if (folder / MANIFEST).exists():
        raise FolderError(f"{folder} exists already; --resume continues it")
    if others := sorted({path.name for path in folder.iterdir()} - {LOCK}):
        raise FolderError(f"{folder} holds {short_repr(others[0])}, not a tournament; name a new or empty folder")
    write_file(folder / MANIFEST, _json(wanted), force=True)


def _block_file(folder: Path, number: int) -> Path:
    return folder / BLOCKS / f"{number}.jsonl.gz"


def _finished(folder: Path) -> int:
    """Return how many blocks of a tournament that is not finished there are; makes the folder for them."""
    (folder / BLOCKS).mkdir(exist_ok=True)
    return next(number for number in count() if not _block_file(folder, number).exists())


def _read_block(folder: Path, plan: Schedule, number: int, block: Block) -> Played:
    """Return a block that was played before, from its games; raises FolderError or RecordError for other ones."""
    path = _block_file(folder, number)
    games = read_games(path)
    played = _replayed(path, plan, block, games, 0)
    if next(games, None) is not None:
        raise FolderError(f"{path}: there are more games than were to be played")
    return played


def _join(folder: Path, plan: Schedule, tournament: Tournament, blocks: int) -> None:
    """Write all games into one file, and a table of them into another."""
    with new_file(folder / GAMES, force=True) as file:
        for number in range(blocks):
            with _block_file(folder, number).open("rb") as block:
                shutil.copyfileobj(block, file)
    with new_file(folder / ROWS, force=True) as file:
        file.write(header(plan).encode())
        for number, first, some in plan.blocks():
            deals = slice(first, first + some)
            played = Played(tournament.chips[number, deals], tournament.action_types[number, deals])
            file.write(rows(plan, (number, first, some), played).encode())


def _report(tournament: Tournament, wanted: dict[str, Any]) -> bytes:
    """Return the page of a tournament."""
    from gupai_agents.evaluation.html import report

    return report(tournament, wanted).encode()


def partly(folder: str | Path) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a tournament that is not finished, what is played of it, and how many blocks that is.

    Raises:
        FolderError: For a folder that is damaged or of another version.
        RecordError: For a game.
    """
    folder = Path(folder)
    plan = planned_in(folder, read_manifest(folder))
    tournament, blocks = plan.empty(), list(plan.blocks())
    finished = min(_finished(folder), len(blocks)) if (folder / BLOCKS).is_dir() else 0
    if not finished:
        raise FolderError(f"{folder}: nothing has been played yet")
    for number, block in enumerate(blocks[:finished]):
        fill(tournament, block, _read_block(folder, plan, number, block))
    return plan, tournament, finished


def verify(
    folder: str | Path,
    progress: Progress | None = None,
    note: Callable[[str], Any] | None = None,
    *,
    agents: bool = False,
) -> Tournament:
    """Play the games of a finished folder again, and recompute all its files from them.

    What the agents are said to have played is played, without asking them. The files that they were made from must be
    the same, as far as they are here.

    Args:
        folder: Of a finished tournament.
        progress: Called with the number of deals just played.
        note: Called with a line about what could not be checked here.
        agents: Make the agents too, and compare what they call themselves and answer to fixed questions. This runs the
            code of factories that the folder names.

    Raises:
        FolderError: Naming the file and what is wrong with it.
        RecordError: The same, for a game.
    """
    folder = as_path("folder", folder)
    made_by, note = read_manifest(folder), note or (lambda line: None)
    plan = planned_in(folder, made_by)
    if not (folder / SUMMARY).is_file():
        raise FolderError(f"{folder} is not finished; --resume continues it")
    _verify_manifest(folder, plan, made_by, note)
    if agents:
        _verify_agents(folder, plan, made_by, note)
    tournament, games, number = plan.empty(), read_games(folder / GAMES), 0
    with _text(folder / ROWS) as file:
        _compare(folder, file, header(plan))
        for block in plan.blocks():
            played = _replayed(folder / GAMES, plan, block, games, number)
            fill(tournament, block, played)
            _compare(folder, file, rows(plan, block, played))
            number += block[2] * plan.variant.players
            if progress:
                progress(block[2])
        if next(games, None) is not None or file.read(1):
            raise FolderError(f"{folder}: there are more games than the {number:,} of {MANIFEST}")
    _verify_figures(folder, plan, tournament)
    verify_page(folder / REPORT, _report(tournament, made_by.model_dump()), note)
    return tournament


def _verify_manifest(folder: Path, plan: Schedule, saved: Manifest, note: Callable[[str], Any]) -> None:
    """Raise FolderError unless a manifest says what follows from its agents, deals and seed, and what is here."""
    path, there = folder / MANIFEST, saved.model_dump()
    if len(saved.players) != len(saved.agents):
        raise FolderError(f"{path}: players: there are {len(saved.players)} of {len(saved.agents)} agents")
    here = json.loads(_json(manifest(plan, there["players"])))
    for key in ("format", "game", "version", "variant", "agents", "table", "deals", "seed", "rules", "command"):
        if mismatch := difference(there[key], here[key], key):
            raise FolderError(f"{path}: {mismatch}")
    for name, digest in {name: digest for player in saved.players for name, digest in player.files.items()}.items():
        if not Path(name).is_file():
            note(f"{name} no longer exists: whether it made the agent was not checked")
        elif digest_of(name) != digest:
            raise FolderError(f"{path}: players: {name} is not the file that played")
    if mismatch := difference(there["versions"], here["versions"], "versions"):
        note(f"{path}: {mismatch}; the games come out the same")


def _verify_agents(folder: Path, plan: Schedule, manifest: Manifest, note: Callable[[str], Any]) -> None:
    """Raise FolderError unless all agents that have a text are made of the same files and answer as they did."""
    for label, player in zip(manifest.agents, manifest.players, strict=True):
        if player.spec is None:
            note(f"{label} was an object of a program: whether it plays like this was not checked")
            continue
        try:
            agent, recorded = make_agent(player.spec, plan.game, **vars(plan.variant)), player.model_dump()
            require_same([label], [recorded], [identity_of(agent, plan.game, plan.variant)])
        except ValueError as error:
            raise FolderError(f"{folder / MANIFEST}: players: {error}") from None


def _verify_figures(folder: Path, plan: Schedule, tournament: Tournament) -> None:
    """Raise FolderError unless the summary is that of a tournament that was played again."""
    written = (folder / SUMMARY).read_bytes()
    try:
        there = json.loads(written)
    except (ValueError, RecursionError):
        there = None
    recomputed = _json(adopted(summary(tournament), there))
    if written != recomputed:
        mismatch = difference(there, json.loads(recomputed))
        raise FolderError(f"{folder / SUMMARY}: {(mismatch and mismatch.place) or 'it'} does not follow from the games")


def verify_page(path: Path, page: bytes, note: Callable[[str], Any]) -> None:
    """Raise FolderError unless a file holds this page, or one that was drawn by other versions.

    Args:
        note: Called with a line about what could not be checked.
    """
    if not path.exists():
        return note(f"{path} is not there: it was not checked")
    with naming(path):
        there = path.read_bytes()
    if there == page:
        return None
    drawn_by = re.compile(rb"<!-- drawn by [^>]{1,200} -->")
    by, by_here = drawn_by.search(there), drawn_by.search(page)
    if by is None or by_here is None or by[0] == by_here[0]:
        raise FolderError(f"{path}: it does not follow from the games")
    return note(f"{path} was not checked: it was {by[0][5:-4].decode(errors='replace')}")


# --- what is in the files ---------------------------------------------------------------------


def manifest(plan: Schedule, players: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what a tournament depends on: rules, players (as `identity_of` gives them), deals and versions."""
    return {
        "format": FORMAT,
        "command": command(plan, [player["spec"] for player in players]),
        "game": plan.game.id,
        "version": plan.game.version,
        "variant": asdict(plan.variant),
        "agents": list(plan.players),
        "players": list(players),
        "table": plan.table,
        "deals": plan.deals,
        "seed": in_json(plan.seed),
        "rules": sources_digest(plan.game.module_name, "gupai_env.core.kernels"),
        "versions": {name: version(name) for name in PACKAGES},
    }


def command(plan: Schedule, specs: Sequence[str | None]) -> str | None:
    """Return the words on a command line that play this tournament, None where no text makes one of the agents."""
    if None in specs:
        return None
    words = ["gupai", "tournament", plan.game.id, *map(str, specs)]
    end = f"--table {plan.table} --deals {plan.deals} --seed {plan.seed}"
    return " ".join([shlex.join(words), end, *(f"-o {option}" for option in plan.variant.typed())])


def summary(tournament: Tournament) -> dict[str, Any]:
    """Return every figure of a tournament as plain data."""
    who, standings = range(len(tournament.players)), tournament.standings
    duels = []
    if standings is not None:
        for (hero, villain), p in standings.adjusted().items():
            numbers = standings.against(hero, villain).as_numbers()
            duels.append({"hero": hero, "villain": villain, **numbers, "p": p})
    totals = []
    for hero, performance in enumerate(tournament.performances):
        rest = {name: value for name, value in performance._asdict().items() if name != "chips"}
        totals.append({"hero": hero, **performance.chips.as_numbers(), "win_share": performance.win_share, **rest})
    return {
        "game": tournament.game.id,
        "version": tournament.game.version,
        "variant": asdict(tournament.variant),
        "agents": list(tournament.players),
        "table": sorted({line_up.table for line_up in tournament.line_ups}),
        "line_ups": len(tournament.line_ups),
        "deals": tournament.deals,
        "games": int(np.prod(tournament.chips.shape[:3])),
        "seed": in_json(tournament.seed),
        "unit": "chips per deal; low and high are the ends of the 95% interval of the mean over n deals; p by Holm",
        "duels": duels,
        "totals": totals,
        "rating_orders": tournament.ratings.orders,
        "seats": [
            {"hero": hero, "seat": seat, **tournament.at_seat(hero, seat).as_numbers()}
            for hero in who
            for seat in range(tournament.variant.players)
        ],
    }


def header(plan: Schedule) -> str:
    """Return the first line of games.csv."""
    seats = range(plan.variant.players)
    action_types = action_types_of(plan.game)[0]
    columns = ["line_up", "table", "deal", "rotation", "seed"]
    columns += [f"{kind}_{seat}" for kind in ("agent", "chips", *action_types) for seat in seats]
    return csv_text([columns])


def rows(plan: Schedule, block: Block, played: Played) -> str:
    """Return the rows of a block: who sat where, won what (in a match, a deal) and did what how often, by seat."""
    number, first, some = block
    line_up, seats = plan.line_ups[number], plan.variant.players
    assert played.action_types is not None
    player_at = np.argsort(seats_of(seats, plan.rotations), 1)  # [rotation, seat]
    lines = []
    for deal in range(some):
        key = key_of(plan.seed, first + deal)
        for rotation, order in enumerate(player_at):
            names = [plan.players[line_up.agents[place]] for place in order]
            chips = played.chips[deal, rotation, order].tolist()
            action_types = played.action_types[deal, rotation, order].T.ravel().tolist()
            lines.append([number, line_up.table, first + deal, rotation, key, *names, *chips, *action_types])
    return csv_text(lines)


def csv_text(lines: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV; what is None is left empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _member(games: Sequence[GameRecord]) -> bytes:
    """Return games as one compressed member; a file of several is read as one."""
    content = io.BytesIO()
    with compressed(content) as file:
        file.write("".join(game.line for game in games).encode())
    return content.getvalue()


def _json(content: dict[str, Any]) -> bytes:
    return (json_text(content, 2) + "\n").encode()


# --- reading and writing them ---------------------------------------------------------------------


def planned_in(folder: Path, manifest: Manifest) -> Schedule:
    """Return the schedule of a folder; raises FolderError."""
    try:
        how: dict[str, Any] = {"table": manifest.table, "seed": manifest.seed}
        return schedule(manifest.game, manifest.agents, manifest.deals, **how, **manifest.variant)
    except (TypeError, ValueError) as error:
        raise FolderError(f"{folder / MANIFEST}: damaged ({' '.join(str(error).split())})") from None


def _require(folder: Path, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest of a folder; raises FolderError, naming the first difference, for another tournament's."""
    there, here = read_manifest(folder).model_dump(), json.loads(_json(wanted))
    recorded = dict(there)
    for content in (there, here):
        content.pop("command")  # it follows from the rest
    if there["agents"] == here["agents"] and len(there["players"]) == len(here["players"]):
        try:
            require_same(here["agents"], there["players"], here["players"])
        except ValueError as error:
            raise FolderError(f"{folder} is another tournament: {error}") from None
    if mismatch := difference(there, here):
        raise FolderError(f"{folder} is another tournament: {mismatch}")
    return recorded


@contextlib.contextmanager
def _text(path: Path) -> Iterator[io.TextIOWrapper]:
    """Open a file of rows; what is read there must be UTF-8."""
    with naming(path):
        opened = path.open(encoding="utf-8", newline="")
    with opened as file:
        try:
            yield file
        except UnicodeDecodeError:
            raise FolderError(say("{path} is not UTF-8 text", path=path)) from None


def _replayed(path: Path, plan: Schedule, block: Block, games: Iterator[GameRecord], number: int) -> Played:
    """Return a block from its records; raises FolderError for a game that is not the one to be played there."""
    line_up, (_, first, some), seats = plan.line_ups[block[0]], block, plan.variant.players
    names, kinds = action_types_of(plan.game)
    order = seats_of(seats, plan.rotations)
    shape = some, plan.rotations, seats
    chips, action_types = np.zeros(shape), np.zeros((*shape, len(names)), np.int16)
    for deal in range(some):
        for rotation in range(plan.rotations):
            number += 1
            game = next(games, None)
            seating = [""] * seats
            for place, seat in enumerate(order[rotation]):
                seating[seat] = plan.players[line_up.agents[place]]
            due = (plan.game, plan.variant, tuple(seating), key_of(plan.seed, first + deal), 0)
            if game is None or (game.game, game.variant, game.agents, game.seed, game.episode) != due:
                problem = "missing" if game is None else "another game than its row"
                raise FolderError(f"{path}, line {number:,}: {problem}")
            total = np.add.reduce(np.array(game.payoffs, np.float32))  # as states add up
            chips[deal, rotation] = total[order[rotation]].astype(np.float64) / plan.variant.deals
            by_seat = np.zeros((seats, len(names)), np.int16)
            np.add.at(by_seat, (np.array(game.movers), kinds[np.array(game.actions)]), 1)
            action_types[deal, rotation] = by_seat[order[rotation]]
    return Played(chips, action_types)


def _compare(folder: Path, file: io.TextIOBase, text: str) -> None:
    """Raise FolderError unless a file of rows continues with a text."""
    if file.read(len(text)) != text:
        raise FolderError(f"{folder / ROWS}: its rows are not those of the games")
