"""A tournament as a folder: its games, a table of them, what follows from them, and what made them.

games.jsonl.gz: every game, as records. games.csv: a row each. summary.json: every figure. report.html: the same with
pictures, if matplotlib is installed. manifest.json: what was played by whom, with what. progress.json: how far it got.

It is written block by block. A process that was killed leaves some blocks and perhaps a part of one, which is cut off
when the tournament goes on; the files are in the end the same bytes as without the stop.
"""

import csv
import io
import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.match import Played, Progress, key_of, seats_of
from gupai_agents.evaluation.records import GameRecord, compressed, deeds_of, read_games
from gupai_agents.evaluation.tournament import Schedule, Tournament, fill, schedule
from gupai_agents.identity import identity_of, require_same
from gupai_agents.workers import Workers
from gupai_env.core.compiling import sources_digest
from gupai_env.core.files import naming, write_file
from gupai_env.core.numbers import told

GAMES, ROWS, SUMMARY, REPORT = "games.jsonl.gz", "games.csv", "summary.json", "report.html"
MANIFEST, PROGRESS = "manifest.json", "progress.json"
PACKAGES = ("gupai", "numpy", "numba", "scipy")


class FolderError(ValueError):
    """A folder of a tournament that is not as it should be, in one line."""


def play_into(
    folder: str | Path,
    plan: Schedule,
    agents: Sequence[Agent],
    *,
    resume: bool = False,
    progress: Progress | None = None,
    workers: Workers | None = None,
) -> Tournament:
    """Play a tournament into a new folder or, to `resume`, go on with one that was stopped.

    Args: workers: who plays, default this process; the files are the same.

    Raises: ValueError if the folder is there already, if there is none to resume, or if it is that of a tournament that
        differs in anything, the rules and the agents' files included; and as `play_tournament`.
    """
    plan.check(agents)
    folder, wanted = Path(folder), manifest(plan, agents)
    if resume:
        _require(folder, wanted)
    else:
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise ValueError(f"{folder} is there already; --resume goes on with it") from None
        write_file(folder / MANIFEST, _json(wanted), force=True)
        write_file(folder / PROGRESS, _json({"blocks": 0, ROWS: 0, GAMES: 0}), force=True)
    done = _progress(folder)
    blocks, found = list(plan.blocks()), plan.empty()
    for name in (ROWS, GAMES):
        with (folder / name).open("ab") as file:
            file.truncate(done[name])
    _load(folder, plan, blocks[: done["blocks"]], found)
    to_come = plan.played(agents, blocks[done["blocks"] :], workers)
    for number, block in enumerate(blocks):
        if number >= done["blocks"]:
            played = next(to_come)
            fill(found, block, played)
            head = header(plan) if number == 0 else ""
            done["blocks"] = number + 1
            done[ROWS] = _append(folder / ROWS, (head + rows(plan, block, played)).encode())
            done[GAMES] = _append(folder / GAMES, _member(played.records or []))
            write_file(folder / PROGRESS, _json(done), force=True)
        if progress:
            progress(block[2])
    write_file(folder / SUMMARY, _json(summary(found)), force=True)
    try:
        from gupai_agents.evaluation.html import report
    except ImportError:  # without matplotlib there is no picture
        return found
    write_file(folder / REPORT, report(found, wanted).encode(), force=True)
    return found


def partly(folder: str | Path) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a folder, what is played of it, and how many blocks that is. Raises: FolderError."""
    folder = Path(folder)
    plan = _plan(folder)
    found, blocks = plan.empty(), _read_json(folder / PROGRESS).get("blocks")
    if type(blocks) is not int or not (folder / ROWS).is_file():
        raise FolderError(f"{folder}: there is nothing that is played yet")
    _load(folder, plan, list(plan.blocks())[:blocks], found)
    return plan, found, blocks


def verify(folder: str | Path, progress: Progress | None = None) -> Tournament:
    """Play the games of a finished folder again, and recompute its rows and its summary from them.

    The agents are not asked again: what they are said to have played is played.

    Raises: FolderError, or RecordError for a game, naming the file and what is wrong with it.
    """
    folder = Path(folder)
    plan = _plan(folder)
    if not (folder / SUMMARY).is_file():
        raise FolderError(f"{folder} is not finished; --resume goes on with it")
    found, games, number = plan.empty(), read_games(folder / GAMES), 0
    with (folder / ROWS).open(encoding="utf-8", newline="") as file:
        _compare(folder, file, header(plan))
        for block in plan.blocks():
            played = _replayed(folder, plan, block, games, number)
            fill(found, block, played)
            _compare(folder, file, rows(plan, block, played))
            number += block[2] * plan.variant.players
            if progress:
                progress(block[2])
        if next(games, None) is not None or file.read(1):
            raise FolderError(f"{folder}: there are more games than the {number:,} of {MANIFEST}")
    told_there, recomputed = _read_json(folder / SUMMARY), json.loads(_json(summary(found)))
    for key in {**recomputed, **told_there}:
        if told_there.get(key) != recomputed.get(key):
            raise FolderError(f"{folder / SUMMARY}: {key} is not what the games give")
    return found


# --- what stands in the files ---------------------------------------------------------------------


def manifest(plan: Schedule, agents: Sequence[Agent]) -> dict[str, Any]:
    """Return what a tournament depends on: rules, agents with the files they were made from, deals and versions."""
    players = [identity_of(agent, plan.game, plan.variant) for agent in agents]
    return {
        "format": 1,
        "command": command(plan, [player["spec"] for player in players]),
        "game": plan.game.id,
        "version": plan.game.version,
        "variant": asdict(plan.variant),
        "agents": list(plan.players),
        "players": players,
        "table": plan.table,
        "deals": plan.deals,
        "seed": plan.seed,
        "rules": sources_digest(plan.game.module, "gupai_env.core.lanes"),
        "versions": {name: version(name) for name in PACKAGES},
    }


def command(plan: Schedule, specs: Sequence[str | None]) -> str | None:
    """Return the words on a command line that play this tournament, None where no text makes one of the agents."""
    if None in specs:
        return None
    options = [f"-o {name}={_option(value)}" for name, value in plan.variant.changed().items()]
    words = ["gupai", "tournament", plan.game.id, *map(str, specs)]
    end = f"--table {plan.table} --deals {plan.deals} --seed {plan.seed}"
    return " ".join([shlex.join(words), end, *options])


def _option(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value).lower()


def summary(found: Tournament) -> dict[str, Any]:
    """Return every figure of a tournament as plain data."""
    who, standings = range(len(found.players)), found.standings
    duels = []
    if standings is not None:
        for (hero, villain), p in standings.adjusted().items():
            numbers = standings.against(hero, villain).as_numbers()
            duels.append({"hero": hero, "villain": villain, **numbers, "p": p})
    totals = []
    for hero, form in enumerate(found.forms):
        rest = {name: value for name, value in form._asdict().items() if name != "chips"}
        totals.append({"hero": hero, **form.chips.as_numbers(), "win_share": form.win_share, **rest})
    return {
        "game": found.game.id,
        "version": found.game.version,
        "variant": asdict(found.variant),
        "agents": list(found.players),
        "table": sorted({line_up.table for line_up in found.line_ups}),
        "line_ups": len(found.line_ups),
        "deals": found.deals,
        "games": int(np.prod(found.chips.shape[:3])),
        "seed": found.seed,
        "unit": "chips a deal; half_width is that of the 95% interval of the mean over deals; p by Holm",
        "duels": duels,
        "totals": totals,
        "seats": [
            {"hero": hero, "seat": seat, **found.at_seat(hero, seat).as_numbers()}
            for hero in who
            for seat in range(found.variant.players)
        ],
    }


def header(plan: Schedule) -> str:
    """Return the first line of games.csv."""
    seats = range(plan.variant.players)
    deeds = deeds_of(plan.game)[0]
    columns = ["line_up", "table", "deal", "rotation", "seed"]
    columns += [f"{what}_{seat}" for what in ("agent", "chips", *deeds) for seat in seats]
    return _csv([columns])


def rows(plan: Schedule, block: tuple[int, int, int], played: Played) -> str:
    """Return the rows of a block: who sat where, won what (in a match, a deal) and did what how often, by seat."""
    number, first, some = block
    line_up, seats = plan.line_ups[number], plan.variant.players
    assert played.deeds is not None
    player_at = np.argsort(seats_of(seats), 1)  # [rotation, seat]
    found = []
    for deal in range(some):
        key = key_of(plan.seed, first + deal)
        for rotation, order in enumerate(player_at):
            names = [plan.players[line_up.agents[place]] for place in order]
            chips = played.chips[deal, rotation, order].tolist()
            deeds = played.deeds[deal, rotation, order].T.ravel().tolist()
            found.append([number, line_up.table, first + deal, rotation, key, *names, *chips, *deeds])
    return _csv(found)


def _csv(lines: Sequence[Sequence[object]]) -> str:
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
    return (json.dumps(content, indent=2) + "\n").encode()


# --- reading and writing them ---------------------------------------------------------------------


def _append(path: Path, content: bytes) -> int:
    """Write at the end of a file, to the disk; return its size."""
    with naming(path), path.open("ab") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise FolderError(f"{path}: damaged, it is not JSON") from None
    except FileNotFoundError:
        raise FolderError(f"{path.parent}: no tournament, there is no {path.name}") from None
    if not isinstance(content, dict):
        raise FolderError(f"{path}: damaged, it is no object")
    return content


def _progress(folder: Path) -> dict[str, int]:
    """Return how many blocks are finished, and how many bytes of which file hold them; raises FolderError."""
    path = folder / PROGRESS
    done = _read_json(path)
    for name in ("blocks", ROWS, GAMES):
        if type(done.get(name)) is not int or done[name] < 0:
            raise FolderError(f"{path}: damaged, {name} is {told(done.get(name))}, no whole number from 0 on")
    for name in (ROWS, GAMES):
        file = folder / name
        if done[name] > (file.stat().st_size if file.exists() else 0):
            raise FolderError(f"{file}: damaged, of its {done[name]:,} bytes some are gone")
    return done


def _plan(folder: Path) -> Schedule:
    """Return the schedule of a folder; raises FolderError."""
    content = _read_json(folder / MANIFEST)
    try:
        names = content["agents"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"agents are a list of names, not {told(names)}")
        how = {"table": content["table"], "seed": content["seed"]}
        return schedule(content["game"], names, content["deals"], **how, **content["variant"])
    except (KeyError, TypeError, ValueError) as error:
        raise FolderError(f"{folder / MANIFEST}: damaged ({' '.join(str(error).split())})") from None


def _require(folder: Path, wanted: dict[str, Any]) -> None:
    """Raise FolderError, naming the first difference, unless a folder is that of this tournament."""
    found = _read_json(folder / MANIFEST)
    for key, value in json.loads(_json(wanted)).items():
        if key == "players" and isinstance(found.get(key), list):
            try:
                require_same(wanted["agents"], found[key], value)
            except (AttributeError, ValueError) as error:
                raise FolderError(f"{folder} is another tournament: {error}") from None
        elif key != "command" and found.get(key) != value:
            raise FolderError(
                f"{folder} is another tournament: {key} is {told(found.get(key))} there, here {told(value)}"
            )


def _load(folder: Path, plan: Schedule, blocks: Sequence[tuple[int, int, int]], found: Tournament) -> None:
    """Fill in the blocks that games.csv holds; raises FolderError if it holds anything else."""
    seats, deeds = plan.variant.players, len(deeds_of(plan.game)[0])
    order = seats_of(seats)
    with (folder / ROWS).open(encoding="utf-8", newline="") as file:
        if blocks:
            _compare(folder, file, header(plan))
        lines = csv.reader(file)
        for block in blocks:
            count = block[2] * seats
            try:
                figures = np.array([line[5 + seats :] for line in islice(lines, count)], float)
                chips = figures[:, :seats].reshape(-1, seats, seats)
                done = figures[:, seats:].reshape(-1, seats, deeds, seats).swapaxes(2, 3)
            except (ValueError, IndexError):
                raise FolderError(
                    f"{folder / ROWS}: damaged, it does not hold what {PROGRESS} says"
                ) from None
            played = Played(
                np.take_along_axis(chips, np.broadcast_to(order, chips.shape), 2),
                np.take_along_axis(done, np.broadcast_to(order, chips.shape)[..., None], 2).astype(np.int16),
            )
            fill(found, block, played)


def _replayed(
    folder: Path, plan: Schedule, block: tuple[int, int, int], games: Iterator[GameRecord], number: int
) -> Played:
    """Return a block from its records; raises FolderError for a game that is not the one to be played there."""
    line_up, (_, first, some), seats = plan.line_ups[block[0]], block, plan.variant.players
    names, kinds = deeds_of(plan.game)
    order = seats_of(seats)
    chips, deeds = np.zeros((some, seats, seats)), np.zeros((some, seats, seats, len(names)), np.int16)
    for deal in range(some):
        for rotation in range(seats):
            number += 1
            game = next(games, None)
            sitting = [""] * seats
            for place, seat in enumerate(order[rotation]):
                sitting[seat] = plan.players[line_up.agents[place]]
            due = (plan.game, plan.variant, tuple(sitting), key_of(plan.seed, first + deal), 0)
            if game is None or (game.game, game.variant, game.agents, game.seed, game.episode) != due:
                what = "missing" if game is None else "another game than its row"
                raise FolderError(f"{folder / GAMES}, line {number:,}: {what}")
            total = np.add.reduce(np.array(game.payoffs, np.float32))  # as states add up
            chips[deal, rotation] = total[order[rotation]].astype(np.float64) / plan.variant.deals
            by_seat = np.zeros((seats, len(names)), np.int16)
            np.add.at(by_seat, (np.array(game.movers), kinds[np.array(game.actions)]), 1)
            deeds[deal, rotation] = by_seat[order[rotation]]
    return Played(chips, deeds)


def _compare(folder: Path, file: io.TextIOBase, text: str) -> None:
    """Raise FolderError unless a file of rows goes on with a text."""
    if file.read(len(text)) != text:
        raise FolderError(f"{folder / ROWS}: its rows are not those of the games")
