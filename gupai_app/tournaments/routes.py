"""Tournaments on pages: agents chosen, intervals that shrink as deals are played, and every game for review.

Each is in a folder of its own, as `gupai tournament --out` writes it; one that was stopped can continue.
"""

import gzip
import itertools
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from gupai_agents import agent_names
from gupai_agents.agent import Agent, labels_of
from gupai_agents.evaluation.matches.match import Played, chunks
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.records.games import RecordError
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.evaluation.tournaments.folder import GAMES as GAMES_FILE
from gupai_agents.evaluation.tournaments.folder import (
    MANIFEST,
    SUMMARY,
    Duel,
    FolderError,
    Manifest,
    Summary,
    Total,
    partly,
    planned_in,
    play_into,
    read_manifest,
    read_summary,
)
from gupai_agents.evaluation.tournaments.rating import notes
from gupai_agents.evaluation.tournaments.tournament import (
    ONE,
    TABLES,
    Block,
    LineUp,
    Schedule,
    Tournament,
    fill,
    play_block,
    schedule,
)
from gupai_agents.play.workers import Workers
from gupai_agents.players.search import SearchAgent
from gupai_app.page.documents import option_field
from gupai_app.play.address import rules_of
from gupai_app.review.routes import show
from gupai_app.server.jobs import MOST_KEPT, Notify
from gupai_app.server.pages import Asked, Form, Query, Server, file_of, game_called, page, svg_of, whole
from gupai_app.server.players import ODD, RUN, Players, display_name, existing, folder_called, folders, wrong_with
from gupai_env.core.rng import KEYS
from gupai_env.games import GAMES, get_game
from gupai_env.games.phrases import title
from gupai_env.messages import count, say
from gupai_env.storage.models import small_file

FEWEST, MOST = 2, 20_000  # deals of a line-up
MOST_AGENTS = 5
MOST_SHOWN = 100  # agents of a tournament from elsewhere
MOST_GAMES = 2_000_000  # of a tournament on a page
MOST_LISTED = 200
MOST_PACKED, MOST_LINE = 1 << 36, 1 << 20  # bytes of a file of games, and of one of them
STEP, FEW = (64, 4)  # deals of every line-up between two updates of the page; fewer where an agent searches

router = APIRouter()


# --- folders --------------------------------------------------------------------------------------


class Standing(NamedTuple):
    """An agent and its chips per deal so far, None before there are any."""

    name: str
    chips: Estimate | None


class SavedTournament(NamedTuple):
    """A tournament's folder as pages show it. damaged: what is wrong with it, "" if nothing is."""

    name: str
    folder: Path
    manifest: Manifest | None = None
    plan: Schedule | None = None
    summary: Summary | None = None
    damaged: str = ""

    @property
    def head(self) -> str:
        return title(self.plan.game, self.plan.variant) if self.plan else self.name

    @property
    def agents(self) -> list[str]:
        """The agents as pages call them."""
        return list(map(display_name, self.manifest.agents)) if self.manifest else []

    @property
    def totals(self) -> list[Total]:
        """The results of every agent, the best first."""
        return sorted(self.summary.totals if self.summary else (), key=lambda total: -total.mean)

    @property
    def duels(self) -> dict[tuple[int, int], Duel]:
        return {(duel.hero, duel.villain): duel for duel in (self.summary.duels if self.summary else ())}

    @property
    def rating_notes(self) -> list[str]:
        """What games do not say of the ratings: sentences, each with the agents at its {0}."""
        return notes(self.agents, self.summary.rating_orders if self.summary else ())

    @property
    def standings(self) -> list[Standing]:
        """The standings of a finished tournament, the best agent first."""
        return [Standing(self.agents[total.hero], total.estimate) for total in self.totals]

    @property
    def line_ups(self) -> list[str]:
        """The line-ups, in words."""
        return [_who(line_up, self.agents) for line_up in (self.plan.line_ups if self.plan else ())]


def _who(line_up: LineUp, names: list[str]) -> str:
    if line_up.table == ONE:
        return f"{names[line_up.agents[0]]} among {names[line_up.agents[1]]}"
    return ", ".join(names[agent] for agent in line_up.agents)


def saved_tournament(name: str, folder: Path) -> SavedTournament:
    """Return the contents of a folder; errors in it are returned, not raised."""
    where = MANIFEST
    try:
        manifest = read_manifest(folder)
        if len(manifest.agents) > MOST_SHOWN:
            raise ValueError(
                say(
                    "there are {agents:,} agents; pages show {most} at most",
                    agents=len(manifest.agents),
                    most=MOST_SHOWN,
                )
            )
        plan, where = planned_in(folder, manifest), SUMMARY
        summary = read_summary(folder) if (folder / SUMMARY).exists() else None
        if summary and summary.agents != manifest.agents:
            raise ValueError(say("agents are not those of {manifest}", manifest=MANIFEST))
    except ODD as error:
        return SavedTournament(name, folder, damaged=say("damaged ({problem})", problem=_problem(folder, error, where)))
    return SavedTournament(name, folder, manifest, plan, summary)


def _problem(folder: Path, error: Exception, where: str) -> str:
    """Return what is wrong with a file of a folder, without the folder's path, which pages do not show."""
    if not isinstance(error, FolderError | RecordError):
        return wrong_with(error, where)
    inside = str(error).replace(f"{folder}{os.sep}", "").replace(": damaged, ", ": ")
    return inside.replace(str(folder), folder.name)


def _require_whole(saved: SavedTournament) -> None:
    """Raise ValueError for a folder that is damaged."""
    if saved.damaged:
        raise ValueError(f"{saved.name} is {saved.damaged}")


def played_so_far(saved: SavedTournament) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a folder that is not finished, what is played of it, and how many blocks that is.

    Raises:
        ValueError: For a folder that is damaged.
    """
    _require_whole(saved)
    try:
        return partly(saved.folder)
    except ODD as error:
        problem = _problem(saved.folder, error, "its files")
        raise ValueError(say("{name} is damaged ({problem})", name=saved.name, problem=problem)) from None


# --- under way ----------------------------------------------------------------------------------


class Progress(NamedTuple):
    """How far a tournament is: the deals that all line-ups have played, and every agent's chips in them."""

    deals: int
    standings: list[Standing]


Seen = Callable[[int, Tournament], None]


@dataclass(frozen=True)
class Watched(Schedule):
    """A schedule whose line-ups take turns every few deals, so that all agents' intervals can be watched shrinking.

    What is played and written is the same, only the order of the work differs. seen: called with the deals that all
    line-ups have played, and the tournament so far, every `step` deals of each of them.
    """

    seen: Seen
    so_far: Tournament
    step: int

    @classmethod
    def of(cls, plan: Schedule, seen: Seen, so_far: Tournament | None = None, step: int = STEP) -> "Watched":
        """Return a schedule to be watched; so_far: what is played of it already.

        Args:
            plan: The schedule.
            seen: Called with the tournament so far.
            so_far: What is played of it already, None for nothing.
            step: Deals that each line-up plays before the next one does.
        """
        return cls(**vars(plan), seen=seen, so_far=so_far or plan.empty(), step=step)

    def played(
        self, agents: Sequence[Agent], blocks: Iterable[Block], workers: Workers | None = None
    ) -> Iterator[Played]:
        """Yield what is played in some blocks; with the first of a round those of the other line-ups are played too.

        Args:
            agents: The agents of `players`.
            blocks: What is played.
            workers: Are not used: a page plays in its own process.
        """
        ready: dict[Block, Played] = {}
        for block in blocks:
            if block not in ready:
                ready = self._round(agents, block)
            yield ready.pop(block)

    def _round(self, agents: Sequence[Agent], block: Block) -> dict[Block, Played]:
        line_up, first, some = block
        parts: dict[int, list[Played]] = {number: [] for number in range(line_up, len(self.line_ups))}
        for begin, few in chunks(some, self.step):
            for number in parts:
                part = (number, first + begin, few)
                parts[number].append(play_block(self, agents, part))
                fill(self.so_far, part, parts[number][-1])
                self.seen(first + begin, self.so_far)
            self.seen(first + begin + few, self.so_far)
        return {(number, first, some): _joined(played) for number, played in parts.items()}


def _joined(parts: Sequence[Played]) -> Played:
    """Return deals that follow each other as one block."""
    return Played(
        np.concatenate([part.chips for part in parts]),
        np.concatenate([part.action_types for part in parts if part.action_types is not None]),
        [game for part in parts for game in part.records or ()],
    )


def progress(deals: int, results: Tournament) -> Progress:
    """Return how far a tournament is whose line-ups have all played so many deals."""
    played = replace(results, chips=results.chips[:, :deals])
    standings = [
        Standing(display_name(name), estimate(played.chips_of(number)) if deals > 1 else None)
        for number, name in enumerate(results.players)
    ]
    return Progress(deals, sorted(standings, key=lambda standing: -standing.chips.mean if standing.chips else 0.0))


def intervals(standings: Sequence[Standing]) -> Markup:
    """Return agents' chips per deal with their 95% intervals as a chart, one below another."""
    known = [
        (standing.name, standing.chips) for standing in standings if standing.chips and standing.chips.has_interval
    ]
    means = [
        chart.Mean(say("{player}: {figure}", player=name, figure=str(chips)), chips.mean, chips.half_width, position)
        for position, (name, chips) in enumerate(known)
    ]
    return chart.rows([name for name, _ in known], means)


# --- games ----------------------------------------------------------------------------------------


def index_of_game(plan: Schedule, line_up: int, deal: int, rotation: int) -> int:
    """Return the index of a game in the file of its tournament.

    Args:
        plan: What was played.
        line_up: Its number.
        deal: Its number.
        rotation: Its number.
    """
    first, some = next((first, some) for _, first, some in plan.blocks() if first <= deal < first + some)
    return (len(plan.line_ups) * first + line_up * some + deal - first) * plan.rotations + rotation


def line_at(path: Path, index: int) -> str:
    """Return a line of a compressed file of games by its index. Raises: ValueError if it is not there."""
    try:
        small_file(path, MOST_PACKED)
        with gzip.open(path, "rb") as file:
            for _ in range(index + 1):
                line = file.readline(MOST_LINE)
                if not line.endswith(b"\n"):
                    raise ValueError("this game is not played yet" if len(line) < MOST_LINE else "a line is too long")
        return line.decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise ValueError(say("{name} cannot be read: it is damaged, or not there yet", name=path.name)) from None


# --- pages ----------------------------------------------------------------------------------------


@router.get("/tournaments")
def listed(server: Asked) -> Response:
    entries = list(folders(server.tournaments).items())
    return page(
        "tournaments.html",
        head="Tournaments",
        games=list(map(get_game, GAMES)),
        saved=[saved_tournament(*entry) for entry in entries[:MOST_LISTED]],
        more=max(0, len(entries) - MOST_LISTED),
        running=server.jobs.running,
        can=server.tournaments is not None,
    )


@router.get("/tournaments/{game}")
def begin(game: str, server: Asked) -> Response:
    chosen, variant = game_called(game), game_called(game).variant()
    return page(
        "tournament_new.html",
        head=say("A tournament of {game}", game=title(chosen, variant)),
        game=chosen,
        agents=server.players.known(chosen),
        checked=agent_names(chosen, variant)[-3:],
        options=[option_field(variant, option.name) for option in fields(variant)],
        tables=TABLES,
        most=MOST_AGENTS,
        token=secrets.token_hex(8),
    )


@router.post("/tournaments")
def play(sent: Form, server: Asked) -> Response:
    folder = existing(server.tournaments)
    return RedirectResponse(_begin(server, folder, sent, *_asked_for(sent, server.players)), 303)


def _asked_for(sent: Mapping[str, str], players: Players) -> tuple[Schedule, list[Agent]]:
    """Return the tournament that a form asks for, and its agents. Raises: ValueError."""
    game, variant = rules_of(sent)
    names = list(dict.fromkeys(filter(None, sent.get("agent", "").split(";"))))
    if not 2 <= len(names) <= MOST_AGENTS:
        raise ValueError(
            count(
                "{number} agent chosen; choose {least} to {most}",
                "{number} agents chosen; choose {least} to {most}",
                len(names),
                least=2,
                most=MOST_AGENTS,
            )
        )
    deals = whole(sent.get("deals", ""), "deals", FEWEST, MOST)
    seed = whole(sent.get("seed", "").strip() or "0", "seed", 0, KEYS - 1)
    agents = [players.agent(name, game, variant) for name in names]
    table = sent.get("table", ONE)
    plan = schedule(game, labels_of(agents), deals, table=table, seed=seed, **variant.changed())
    agents = plan.seated(agents)
    games = len(plan.line_ups) * deals * variant.players
    if games > MOST_GAMES:
        raise ValueError(
            say(
                "{games:,} games are too many here; choose fewer deals, up to {most:,} games",
                games=games,
                most=MOST_GAMES,
            )
        )
    return plan, agents


def _begin(server: Server, folder: Path, sent: Mapping[str, str], plan: Schedule, agents: Sequence[Agent]) -> str:
    """Begin a tournament in a new folder; return its page. A form that is sent twice, by a double click, begins one."""
    form = tuple(sorted(sent.items()))
    with server.beginning:
        known = server.begun.get(form, "")
        if known and (sent.get("token") or server.jobs.running == known):
            return known
        server.jobs.require_free()
        name = next(
            candidate
            for number in itertools.count(1)
            if not (folder / (candidate := f"{plan.game.id}-{number}")).exists()
        )
        key = f"/tournament/{name}"
        server.jobs.begin(key, say("the tournament {name}", name=name), _playing(folder / name, plan, agents))
        server.begun[form] = key
        while len(server.begun) > MOST_KEPT:
            del server.begun[next(iter(server.begun))]
    return key


def _playing(
    path: Path, plan: Schedule, agents: Sequence[Agent], before: Tournament | None = None
) -> Callable[[Notify], Progress]:
    """Return what plays a tournament into a folder, or continues one of which some is played."""

    def work(notify: Notify) -> Progress:
        def seen(deals: int, results: Tournament) -> None:
            notify(deals / plan.deals, f"{deals:,} of {plan.deals:,} deals", progress(deals, results))

        slow = any(isinstance(agent, SearchAgent) for agent in agents)
        watched = Watched.of(plan, seen, before, FEW if slow else STEP)
        return progress(plan.deals, play_into(path, watched, agents, resume=before is not None))

    return work


@router.get("/tournament/{name}")
def tournament(name: str, server: Asked) -> Response:
    key = f"/tournament/{name}"
    going, status = server.jobs.running == key, server.jobs.status(key)
    path = folders(server.tournaments).get(name)
    if status and (path is None or (going and not (path / MANIFEST).is_file())):
        saved = SavedTournament(name, Path())  # it is about to be made, or could not be
    else:
        saved = saved_tournament(name, folder_called(server.tournaments, name))
    sofar = status.result if status else None
    if sofar is None and saved.manifest and not saved.summary and not going:
        sofar = _stopped_at(saved)
    standings = saved.standings or (sofar.standings if sofar else [])
    return page(
        "tournament.html",
        head=name,
        saved=saved,
        going=going,
        work=status,
        sofar=sofar,
        standings=standings,
        chart=intervals(standings),
    )


@router.get("/tournament/{name}/chips.svg")
def chips_file(name: str, server: Asked) -> Response:
    saved = saved_tournament(name, folder_called(server.tournaments, name))
    return svg_of(f"{name}-chips", intervals(saved.standings))


@router.post("/tournament/{name}")
def change(name: str, sent: Form, server: Asked) -> Response:
    path, key = folder_called(server.tournaments, name), f"/tournament/{name}"
    if sent.get("do") == "stop":
        server.jobs.stop(key)
    elif sent.get("do") == "go":
        _go_on(server, path, key)
    return RedirectResponse(key, 303)


def _go_on(server: Server, path: Path, key: str) -> None:
    """Continue a tournament that was stopped. Raises: ValueError."""
    there, players = saved_tournament(path.name, path), server.players
    if server.jobs.running == key or there.summary:
        return
    plan, so_far, _ = played_so_far(there)
    named = {f"checkpoint:{folder}": f"{RUN}{name}" for name, folder in folders(players.runs).items()}
    assert there.manifest is not None
    specs = [player.spec or label for label, player in zip(plan.players, there.manifest.players, strict=True)]
    agents = [players.agent(named.get(spec, spec), plan.game, plan.variant) for spec in specs]
    server.jobs.begin(key, say("the tournament {name}", name=path.name), _playing(path, plan, agents, so_far))


@router.get("/tournament/{name}/game")
def one(name: str, query: Query, server: Asked) -> Response:
    path = folder_called(server.tournaments, name)
    _require_whole(saved := saved_tournament(name, path))
    plan = saved.plan
    assert plan is not None
    most = {"line_up": len(plan.line_ups), "deal": plan.deals, "rotation": plan.rotations}
    place = {key: whole(query.get(key, "0"), key, 0, many - 1) for key, many in most.items()}
    return show(line_at(path / GAMES_FILE, index_of_game(plan, **place)))


@router.get("/tournament/{name}/{file}")
def file(name: str, file: str, server: Asked) -> Response:
    return file_of(folder_called(server.tournaments, name), file)


def _stopped_at(saved: SavedTournament) -> Progress | None:
    """Return how far a tournament got that is not under way."""
    try:
        plan, played, blocks = played_so_far(saved)
    except ValueError:
        return None
    rounds = list(plan.blocks())[:: len(plan.line_ups)]
    return progress(sum(some for _, _, some in rounds[: blocks // len(plan.line_ups)]), played)
