"""What lies in the folder of a tournament, checked to be what pages show of it."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from gupai_agents.evaluation.folder import MANIFEST, SUMMARY, FolderError, partly
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournament import ONE, LineUp, Schedule, Tournament, line_ups
from gupai_agents.stored import Count, DamagedError, Number, Share, Stored, Text, read_stored
from gupai_app.web.players import ODD, shown, wrong_with
from gupai_env.core.game import Game
from gupai_env.core.phrases import title
from gupai_env.core.variant import Variant
from gupai_env.games import get_game

MOST_BYTES = 1 << 22  # of a file of JSON
MOST_AGENTS = 100  # of a tournament that pages show

Agents = Annotated[list[Text], Field(min_length=2, max_length=MOST_AGENTS)]


class Manifest(Stored):
    """What was played by whom."""

    game: Text
    variant: dict[str, Any]
    agents: Agents
    table: Text
    deals: Annotated[int, Field(ge=1, lt=1 << 31)]
    seed: Count


class Chips(Stored):
    """Chips per deal; half_width: of their 95% interval, None after a single deal."""

    mean: Number
    half_width: Annotated[Number, Field(ge=0)] | None


class Total(Chips):
    """How an agent did."""

    hero: Count
    p: Share
    win_share: Share
    rating: Number
    rating_width: Number


class Duel(Chips):
    """How one agent did among others of one kind."""

    hero: Count
    villain: Count


class Summary(Stored):
    """The figures of a finished tournament."""

    agents: Agents
    deals: Count
    totals: Annotated[list[Total], Field(max_length=MOST_AGENTS)]
    duels: Annotated[list[Duel], Field(max_length=MOST_AGENTS**2)]

    @model_validator(mode="after")
    def _figures_are_of_its_agents(self) -> Self:
        count = len(self.agents)
        if sorted(each.hero for each in self.totals) != list(range(count)):
            raise ValueError("totals are not one for each of the agents")
        if any(max(each.hero, each.villain) >= count for each in self.duels):
            raise ValueError("duels are not of the agents")
        return self


class Standing(NamedTuple):
    """An agent and its chips per deal so far, None before there are any."""

    name: str
    chips: Estimate | None


class Kept(NamedTuple):
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
        return list(map(shown, self.manifest.agents)) if self.manifest else []

    @property
    def seats(self) -> int:
        return self.variant.players if self.variant else 0

    @property
    def totals(self) -> list[Total]:
        """How every agent did, the best first."""
        return sorted(self.summary.totals if self.summary else (), key=lambda each: -each.mean)

    @property
    def duels(self) -> dict[tuple[int, int], Duel]:
        return {(each.hero, each.villain): each for each in (self.summary.duels if self.summary else ())}

    @property
    def standings(self) -> list[Standing]:
        """How the agents of a finished tournament stand, the best first."""
        deals = self.summary.deals if self.summary else 0
        return [
            Standing(
                self.agents[each.hero],
                Estimate(each.mean, float("inf") if each.half_width is None else each.half_width, deals),
            )
            for each in self.totals
        ]

    @property
    def line_ups(self) -> list[str]:
        """Who sits together, in words."""
        if self.manifest is None:
            return []
        return [
            _who(each, self.agents) for each in line_ups(len(self.agents), self.seats, self.manifest.table)
        ]


def _who(line_up: LineUp, names: list[str]) -> str:
    if line_up.table == ONE:
        return f"{names[line_up.agents[0]]} among {names[line_up.agents[1]]}"
    return ", ".join(names[agent] for agent in line_up.agents)


def kept(name: str, folder: Path) -> Kept:
    """Return what lies in a folder; what is wrong with it is told instead of raised."""
    where = MANIFEST
    try:
        manifest = read_stored(folder / MANIFEST, Manifest, MOST_BYTES)
        game = get_game(manifest.game)
        variant = game.variant.make(**manifest.variant)
        line_ups(2, variant.players, manifest.table)
        where = SUMMARY
        summary = None
        if (folder / SUMMARY).exists():
            summary = read_stored(folder / SUMMARY, Summary, MOST_BYTES)
            if summary.agents != manifest.agents:
                raise DamagedError(f"{SUMMARY}: agents are not those of {MANIFEST}")
    except ODD as error:
        return Kept(name, folder, damaged=f"damaged ({wrong_with(error, where)})")
    return Kept(name, folder, game, variant, manifest, summary)


def played_so_far(found: Kept) -> tuple[Schedule, Tournament, int]:
    """Return the schedule of a folder, what is played of it, and how many blocks that is. Raises: ValueError."""
    if found.damaged:
        raise ValueError(f"{found.name} is {found.damaged}")
    try:
        return partly(found.folder)
    except FolderError:
        raise
    except ODD as error:
        raise ValueError(f"{found.name} is damaged ({wrong_with(error, 'its files')})") from None
