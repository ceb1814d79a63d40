"""A tournament as a folder: who played what, and every game. All else in it follows from these two.

manifest.json: what was played by whom, with what. games.jsonl.gz: every game, as records. What follows: games.csv, a
row for each; summary.json, every figure; report.html, the same with charts. lock: held by the process that plays.

While it is played, `blocks` holds a file of games for each block, written whole. A tournament that was stopped or
killed continues after these, which are played again and so checked; in the end they are joined, and the files are the
same bytes as without the stop.
"""

import csv
import io
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from gupai_agents.agent import Agent
from gupai_agents.evaluation.matches.match import Played, Progress, key_of, seats_of
from gupai_agents.evaluation.records.games import GameRecord, action_types_of, compressed, read_games
from gupai_agents.evaluation.statistics import Interval
from gupai_agents.evaluation.tournaments.tournament import Block, Schedule, Tournament, fill, schedule
from gupai_agents.play.workers import Workers, installed
from gupai_agents.players.identity import Player, digest_of, identity_of, require_same
from gupai_agents.registry import make_agent
from gupai_env.core.rng import EXACT, in_json
from gupai_env.core.sources import sources_digest
from gupai_env.messages.checks import as_path, key_context, read_whole, short_repr
from gupai_env.storage.files import LOCK, json_text, locked_folder, naming, new_file, write_file
from gupai_env.storage.models import CLOSE, Count, DamagedError, Number, Share, Stored, Text, difference, read_stored

MANIFEST, GAMES, BLOCKS = "manifest.json", "games.jsonl.gz", "blocks"
ROWS, SUMMARY, REPORT = "games.csv", "summary.json", "report.html"
FORMAT = 1  # of the folder
PACKAGES = ("gupai", "numpy", "numba")
MOST_BYTES = 1 << 24  # of a JSON file: the summary of a hundred agents is far smaller
MOST_AGENTS = 1000
DRAWN_BY = re.compile(rb"<!-- drawn by [^>]{1,200} -->")
Agents = Annotated[list[Text], Field(min_length=2, max_length=MOST_AGENTS)]


def _number_of(value: Any) -> Any:
    """Return the large number that a text is, as `in_json` writes it, and anything else as it is."""
    number = read_whole(value) if isinstance(value, str) else None
    return value if number is None or number < EXACT else number


Seed = Annotated[Count, BeforeValidator(_number_of), PlainSerializer(in_json)]


class FolderError(ValueError):
    """A folder of a tournament that is not as it should be, in one line."""


# --- what is in the files ---------------------------------------------------------------------


class Manifest(Stored):
    """What was played by whom, and with what."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

    format: Count
    command: Annotated[str, Field(max_length=1 << 20)] | None
    game: Text
    version: Count
    variant: dict[str, Any]
    agents: Agents
    players: Annotated[list[Player], Field(max_length=MOST_AGENTS)]
    table: Text
    deals: Annotated[int, Field(ge=1, lt=1 << 31)]
    seed: Seed
    rules: Text
    versions: dict[str, Text]

    @classmethod
    def of(cls, plan: Schedule, players: Sequence[Player]) -> Self:
        """Return what a tournament depends on: rules, players, deals and versions."""
        variant = json.loads(json_text(asdict(plan.variant)))  # tuples become lists
        return cls(
            format=FORMAT,
            command=command(plan, [player.spec for player in players]),
            game=plan.game.id,
            version=plan.game.version,
            variant=variant,
            agents=list(plan.players),
            players=list(players),
            table=plan.table,
            deals=plan.deals,
            seed=plan.seed,
            rules=sources_digest(plan.game.module_name, "gupai_env.core.kernels"),
            versions=installed(*PACKAGES),
        )


def command(plan: Schedule, specs: Sequence[str | None]) -> str | None:
    """Return the words on a command line that play this tournament, None where no text makes one of the agents."""
    if None in specs:
        return None
    words = ["gupai", "tournament", plan.game.id, *map(str, specs)]
    end = f"--table {plan.table} --deals {plan.deals} --seed {plan.seed}"
    return " ".join([shlex.join(words), end, *(f"-o {option}" for option in plan.variant.typed())])


class Duel(Interval):
    """An agent among others of one kind."""

    hero: Count
    villain: Count
    p: Share


class Total(Interval):
    """How an agent did, see `tournament.Performance`."""

    hero: Count
    win_share: Share
    p: Share
    places: list[float]
    action_types: dict[str, float]
    rating: Number
    rating_width: Number
    alpha_rank: float | None


class Summary(Stored):
    """The figures of a finished tournament that pages show."""

    agents: Agents
    duels: list[Duel]
    totals: list[Total]
    rating_orders: list[list[list[Count]]]  # as `rating.Ratings.orders`

    @model_validator(mode="after")
    def _figures_are_of_its_agents(self) -> Self:
        count = len(self.agents)
        if sorted(total.hero for total in self.totals) != list(range(count)):
            raise ValueError("totals do not have one entry per agent")
        if any(max(duel.hero, duel.villain) >= count for duel in self.duels):
            raise ValueError("duels name other agents")
        if any(agent >= count for order in self.rating_orders for group in order for agent in group):
            raise ValueError("rating_orders names other agents")
        return self


def summary(tournament: Tournament) -> dict[str, Any]:
    """Return every figure of a tournament as plain data."""
    standings = tournament.standings
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
        "duels": []
        if standings is None
        else [
            {"hero": hero, "villain": villain, **standings.against(hero, villain).as_numbers(), "p": p}
            for (hero, villain), p in standings.adjusted().items()
        ],
        "totals": [
            {
                "hero": hero,
                **done.chips.as_numbers(),
                "win_share": done.win_share,
                **{name: value for name, value in done._asdict().items() if name != "chips"},
            }
            for hero, done in enumerate(tournament.performances)
        ],
        "rating_orders": tournament.ratings.orders,
        "seats": [
            {"hero": hero, "seat": seat, **tournament.at_seat(hero, seat).as_numbers()}
            for hero in range(len(tournament.players))
            for seat in range(tournament.variant.players)
        ],
    }


def rows(plan: Schedule, tournament: Tournament) -> Iterator[bytes]:
    """Yield games.csv: its header, then block by block who sat where, won what (in a match, a deal) and did what."""
    seats, kinds = range(plan.variant.players), ("agent", "chips", *action_types_of(plan.game)[0])
    columns = [f"{kind}_{seat}" for kind in kinds for seat in seats]
    yield csv_text([["line_up", "table", "deal", "rotation", "seed", *columns]]).encode()
    player_at = np.argsort(seats_of(len(seats), plan.rotations), 1)  # [rotation, seat]
    for number, first, some in plan.blocks():
        lines, line_up = [], plan.line_ups[number]
        for deal in range(first, first + some):
            key = key_of(plan.seed, deal)
            for rotation, order in enumerate(player_at):
                names = [plan.players[line_up.agents[place]] for place in order]
                chips = tournament.chips[number, deal, rotation, order].tolist()
                action_types = tournament.action_types[number, deal, rotation, order].T.ravel().tolist()
                lines.append([number, line_up.table, deal, rotation, key, *names, *chips, *action_types])
        yield csv_text(lines).encode()


def derived(plan: Schedule, tournament: Tournament, made_by: Manifest) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield the files that follow from a manifest and its games: the name of each, and its content in parts.

    Args:
        plan: What was played.
        tournament: What came of it.
        made_by: The manifest of the folder.
    """
    from gupai_agents.evaluation.pages.html import report

    yield ROWS, rows(plan, tournament)
    yield SUMMARY, [_json(summary(tournament))]
    yield REPORT, [report(tournament, made_by.command).encode()]


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


# --- playing into a folder --------------------------------------------------------------------


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
    folder = Path(folder)
    made_by = Manifest.of(plan, [identity_of(agent, plan.game, plan.variant) for agent in agents])
    if resume and not folder.is_dir():
        raise FolderError(f"{folder}: not a tournament: there is no {MANIFEST}")
    with locked_folder(folder, "playing this tournament"):
        if resume and (folder / MANIFEST).exists():
            made_by = _require(folder, made_by)
        else:
            _begin(folder, made_by)
        if (folder / REPORT).is_file():  # the last that is written
            return verify(folder, progress)
        (folder / BLOCKS).mkdir(exist_ok=True)
        tournament = _filled(plan, _played(folder, plan, agents, workers), progress)
        with new_file(folder / GAMES, force=True) as file:
            for _, path in _block_files(folder, plan):
                file.write(path.read_bytes())
        for name, parts in derived(plan, tournament, made_by):
            with new_file(folder / name, force=True) as file:
                file.writelines(parts)
        shutil.rmtree(folder / BLOCKS)
    return tournament


def _begin(folder: Path, made_by: Manifest) -> None:
    """Write the first file of a tournament into a locked folder; raises FolderError if it has files."""
    if (folder / MANIFEST).exists():
        raise FolderError(f"{folder} exists already; --resume continues it")
    if others := sorted({path.name for path in folder.iterdir()} - {LOCK}):
        raise FolderError(f"{folder} holds {short_repr(others[0])}, not a tournament; name a new or empty folder")
    write_file(folder / MANIFEST, _json(made_by.model_dump()), force=True)


def _played(
    folder: Path, plan: Schedule, agents: Sequence[Agent], workers: Workers | None
) -> Iterator[tuple[Block, Played]]:
    """Yield all blocks of a tournament under way: those that it has, played again, then the others, written."""
    finished = 0
    for replayed in _replayed(plan, _block_files(folder, plan)):
        finished += 1
        yield replayed
    todo = list(plan.blocks())[finished:]
    for number, (block, played) in enumerate(zip(todo, plan.played(agents, todo, workers), strict=True), finished):
        write_file(_block_file(folder, number), _member(played.records or []), force=True)
        yield block, played


def _block_file(folder: Path, number: int) -> Path:
    return folder / BLOCKS / f"{number}.jsonl.gz"


def _block_files(folder: Path, plan: Schedule) -> Iterator[tuple[list[Block], Path]]:
    """Yield the finished blocks of a tournament under way, each with the file of its games."""
    for number, block in enumerate(plan.blocks()):
        if not (path := _block_file(folder, number)).exists():
            return
        yield [block], path


def _filled(plan: Schedule, blocks: Iterable[tuple[Block, Played]], progress: Progress | None = None) -> Tournament:
    """Return the tournament of some blocks; progress: called with the number of deals of each."""
    tournament = plan.empty()
    for block, played in blocks:
        fill(tournament, block, played)
        if progress:
            progress(block[2])
    return tournament


def _require(folder: Path, wanted: Manifest) -> Manifest:
    """Return the manifest of a folder; raises FolderError, naming the first difference, for another tournament's."""
    saved = read_manifest(folder)
    if saved.agents == wanted.agents and len(saved.players) == len(wanted.players):
        with key_context(f"{folder} is another tournament", FolderError):
            require_same(wanted.agents, saved.players, wanted.players)
    there, here = (content.model_dump(exclude={"command"}) for content in (saved, wanted))  # it follows from the rest
    if mismatch := difference(there, here):
        raise FolderError(f"{folder} is another tournament: {mismatch}")
    return saved


# --- reading one ------------------------------------------------------------------------------


Model = TypeVar("Model", bound=Stored)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder; raises FolderError in one line, and OSError."""
    manifest = _read(folder / MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise FolderError(
            f"{folder / MANIFEST}: format {manifest.format}; this version of gupai reads format {FORMAT}; play the "
            "tournament again, into another folder"
        )
    return manifest


def read_summary(folder: Path) -> Summary:
    """Return the figures of a folder, whose agents are known by number; raises FolderError in one line, and OSError."""
    return _read(folder / SUMMARY, Summary)


def _read(path: Path, model: type[Model]) -> Model:
    try:
        with naming(path):
            return read_stored(path, model, MOST_BYTES)
    except FileNotFoundError:
        raise FolderError(f"{path.parent}: not a tournament: there is no {path.name}") from None
    except DamagedError as error:
        raise FolderError(f"{path}: damaged, {error.problem}") from None


def planned_in(folder: Path, manifest: Manifest) -> Schedule:
    """Return the schedule of a folder; raises FolderError."""
    try:
        how: dict[str, Any] = {"table": manifest.table, "seed": manifest.seed}
        return schedule(manifest.game, manifest.agents, manifest.deals, **how, **manifest.variant)
    except (TypeError, ValueError) as error:
        raise FolderError(f"{folder / MANIFEST}: damaged ({' '.join(str(error).split())})") from None


def partly(folder: str | Path) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a tournament that is not finished, what is played of it, and how many blocks that is.

    Raises:
        FolderError: For a folder that is damaged or of another version.
        RecordError: For a game.
    """
    folder = Path(folder)
    plan = planned_in(folder, read_manifest(folder))
    files = list(_block_files(folder, plan))
    if not files:
        raise FolderError(f"{folder}: nothing has been played yet")
    return plan, _filled(plan, _replayed(plan, files)), len(files)


def _replayed(plan: Schedule, files: Iterable[tuple[Sequence[Block], Path]]) -> Iterator[tuple[Block, Played]]:
    """Yield blocks, played again from their records.

    Args:
        plan: The schedule that they are of.
        files: Files of games, each with the blocks that it holds.

    Raises:
        FolderError: For a game that is missing, or not the one to be played there.
        RecordError: For a record that does not come to what it says.
    """
    for blocks, path in files:
        games, number = read_games(path), 0
        for block in blocks:
            yield block, _played_again(path, plan, block, games, number)
            number += block[2] * plan.rotations
        if next(games, None) is not None:
            raise FolderError(f"{path}: there are more games than the {number:,} that were to be played")


def _played_again(path: Path, plan: Schedule, block: Block, games: Iterator[GameRecord], number: int) -> Played:
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


# --- verifying one ----------------------------------------------------------------------------


def verify(
    folder: str | Path,
    progress: Progress | None = None,
    note: Callable[[str], Any] | None = None,
    *,
    agents: bool = False,
) -> Tournament:
    """Play the games of a finished folder again, and compare all that follows from them with its other files.

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
    tournament = _filled(plan, _replayed(plan, [(list(plan.blocks()), folder / GAMES)]), progress)
    for name, parts in derived(plan, tournament, made_by):
        verify_file(folder / name, parts, note)
    return tournament


def _verify_manifest(folder: Path, plan: Schedule, saved: Manifest, note: Callable[[str], Any]) -> None:
    """Raise FolderError unless a manifest says what follows from its agents, deals and seed, and what is here."""
    path = folder / MANIFEST
    if len(saved.players) != len(saved.agents):
        raise FolderError(f"{path}: players: there are {len(saved.players)} of {len(saved.agents)} agents")
    here = Manifest.of(plan, saved.players)
    known = set(Manifest.model_fields) - {"versions"}
    if mismatch := difference(saved.model_dump(include=known), here.model_dump(include=known)):
        raise FolderError(f"{path}: {mismatch}")
    for name, digest in {name: digest for player in saved.players for name, digest in player.files.items()}.items():
        if not Path(name).is_file():
            note(f"{name} no longer exists: whether it made the agent was not checked")
        elif digest_of(name) != digest:
            raise FolderError(f"{path}: players: {name} is not the file that played")
    if mismatch := difference(saved.versions, here.versions, "versions"):
        note(f"{path}: {mismatch}; the games come out the same")


def _verify_agents(folder: Path, plan: Schedule, manifest: Manifest, note: Callable[[str], Any]) -> None:
    """Raise FolderError unless all agents that have a text are made of the same files and answer as they did."""
    for label, player in zip(manifest.agents, manifest.players, strict=True):
        if player.spec is None:
            note(f"{label} was an object of a program: whether it plays like this was not checked")
            continue
        with key_context(f"{folder / MANIFEST}: players", FolderError):
            agent = make_agent(player.spec, plan.game, **vars(plan.variant))
            require_same([label], [player], [identity_of(agent, plan.game, plan.variant)])


def verify_file(path: Path, parts: Iterable[bytes], note: Callable[[str], Any]) -> None:
    """Raise FolderError unless a file holds what follows from the games.

    Figures of JSON may differ in their last digits, and pages that other versions have drawn are left.

    Args:
        path: The file; one that is not there is noted.
        parts: What it should hold.
        note: Called with a line about what could not be checked.
    """
    if not path.exists():
        return note(f"{path} is not there: it was not checked")
    with naming(path), path.open("rb") as file:
        if all(file.read(len(part := wanted)) == wanted for wanted in parts) and not file.read(1):
            return None
        file.seek(0)
        there = file.read(MOST_BYTES)
    by, by_here = DRAWN_BY.search(there), DRAWN_BY.search(part)
    if path.suffix == ".html" and by and by_here and by[0] != by_here[0]:
        return note(f"{path} was not checked: it was {by[0][5:-4].decode(errors='replace')}")
    place = ""
    if path.suffix == ".json":
        try:
            content = json.loads(there)
        except (ValueError, RecursionError):
            content = None
        mismatch = difference(content, json.loads(part), close=CLOSE)
        if mismatch is None and _json(content) == there:
            return None
        place = mismatch.place if mismatch else ""
    raise FolderError(f"{path}: {place or 'it'} does not follow from the games")
