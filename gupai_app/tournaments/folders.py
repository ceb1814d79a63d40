"""The contents of a tournament's folder, checked before pages show them."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gupai_agents.evaluation.folder import partly, planned_in
from gupai_agents.evaluation.folder_models import (
    MANIFEST,
    SUMMARY,
    Duel,
    FolderError,
    Manifest,
    Summary,
    Total,
    read_manifest,
    read_summary,
)
from gupai_agents.evaluation.match import rotations_of
from gupai_agents.evaluation.rating import notes
from gupai_agents.evaluation.records import RecordError
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournament import ONE, LineUp, Schedule, Tournament, line_ups
from gupai_app.server.players import ODD, display_name, wrong_with
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.phrases import title
from gupai_env.words.messages import say

MOST_AGENTS = 100  # in a tournament that pages show


class Standing(NamedTuple):
    """An agent and its chips per deal so far, None before there are any."""

    name: str
    chips: Estimate | None


class SavedTournament(NamedTuple):
    """A tournament's folder as pages show it. damaged: what is wrong with it, "" if nothing is."""

    name: str
    folder: Path
    game: Game | None = None
    variant: Variant | None = None
    manifest: Manifest | None = None
    summary: Summary | None = None
    damaged: str = ""

    @property
    def head(self) -> str:
        return self.name if self.game is None or self.variant is None else title(self.game, self.variant)

    @property
    def agents(self) -> list[str]:
        """The agents as pages call them."""
        return list(map(display_name, self.manifest.agents)) if self.manifest else []

    @property
    def seats(self) -> int:
        return self.variant.players if self.variant else 0

    @property
    def rotations(self) -> int:
        """How often a deal is played by a line-up, which has one agent at a side."""
        return rotations_of(self.game, self.seats, self.game.sides(self.seats).tolist()) if self.game else 0

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
        return [Standing(self.agents[total.hero], Estimate.of(total.model_dump())) for total in self.totals]

    @property
    def line_ups(self) -> list[str]:
        """The line-ups, in words."""
        if self.manifest is None or self.game is None:
            return []
        sides = self.game.sides(self.seats).tolist()
        return [
            _who(line_up, self.agents) for line_up in line_ups(len(self.agents), self.seats, self.manifest.table, sides)
        ]


def _who(line_up: LineUp, names: list[str]) -> str:
    if line_up.table == ONE:
        return f"{names[line_up.agents[0]]} among {names[line_up.agents[1]]}"
    return ", ".join(names[agent] for agent in line_up.agents)


def saved_tournament(name: str, folder: Path) -> SavedTournament:
    """Return the contents of a folder; errors in it are returned, not raised."""
    where = MANIFEST
    try:
        manifest = read_manifest(folder)
        if len(manifest.agents) > MOST_AGENTS:
            raise ValueError(
                say(
                    "there are {agents:,} agents; pages show {most} at most",
                    agents=len(manifest.agents),
                    most=MOST_AGENTS,
                )
            )
        game, variant = manifest.played
        line_ups(2, variant.players, manifest.table, game.sides(variant.players).tolist())
        where = SUMMARY
        summary = None
        if (folder / SUMMARY).exists():
            summary = read_summary(folder)
            if summary.agents != manifest.agents:
                raise ValueError(say("agents are not those of {manifest}", manifest=MANIFEST))
    except FolderError as error:
        return SavedTournament(name, folder, damaged=say("damaged ({problem})", problem=_inside(folder, error)))
    except ODD as error:
        return SavedTournament(name, folder, damaged=say("damaged ({problem})", problem=wrong_with(error, where)))
    return SavedTournament(name, folder, game, variant, manifest, summary)


def _inside(folder: Path, error: Exception) -> str:
    """Return what is wrong with a file of a folder, without the folder's path, which pages do not show."""
    return str(error).replace(f"{folder}{os.sep}", "").replace(": damaged, ", ": ").replace(str(folder), folder.name)


def played_so_far(saved: SavedTournament) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a folder that is not finished, what is played of it, and how many blocks that is.

    Raises:
        ValueError: For a folder that is damaged.
    """
    with _in_words(saved):
        return partly(saved.folder)


def schedule_of(saved: SavedTournament) -> Schedule:
    """Return the schedule of a folder. Raises: ValueError."""
    with _in_words(saved):
        return planned_in(saved.folder, read_manifest(saved.folder))


@contextlib.contextmanager
def _in_words(saved: SavedTournament) -> Iterator[None]:
    """Say in a ValueError what is wrong with a folder, without its path."""
    if saved.damaged:
        raise ValueError(f"{saved.name} is {saved.damaged}")
    try:
        yield
    except (FolderError, RecordError) as error:
        raise ValueError(
            say("{name} is damaged ({problem})", name=saved.name, problem=_inside(saved.folder, error))
        ) from None
    except ODD as error:
        raise ValueError(
            say("{name} is damaged ({problem})", name=saved.name, problem=wrong_with(error, "its files"))
        ) from None
