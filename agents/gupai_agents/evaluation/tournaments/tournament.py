"""Tournaments: agents in line-ups that play the same deals, and what can be said of every agent afterwards."""

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from gupai_agents.agent import Agent, labels_of
from gupai_agents.evaluation.matches.match import (
    ENVS,
    MOST_FIGURES,
    Played,
    Progress,
    chunks,
    play_rotations,
    rotations_of,
)
from gupai_agents.evaluation.records.games import RecordWriter, action_types_of
from gupai_agents.evaluation.statistics import Estimate, estimate, estimate_columns, holm, t_test
from gupai_agents.evaluation.tournaments.rating import Ratings, alpha_rank, choices_of, ratings
from gupai_agents.play.decisions import new_lanes
from gupai_agents.play.workers import Workers
from gupai_agents.players.identity import require_steady
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages import say
from gupai_env.messages.checks import as_list, one_of, refused, require_methods, short_repr, whole_number
from gupai_env.options import Options

ONE, TWO, MIXED, ALL = "one", "two", "mixed", "all"
TABLES = {
    ONE: "one among equal others, every agent among every other",
    TWO: "half the seats each, for every two agents, side by side and in turn",
    MIXED: "different agents at every seat, each meeting every other about equally often",
    ALL: "all of these",
}
Block = tuple[int, int, int]  # the number of a line-up, a first deal, how many deals
MOST_COMBINATIONS = 70  # line-ups up to which all of different agents are played


class LineUp(NamedTuple):
    """Which agents play, by number, and at which kind of table; rotations seat each of them everywhere."""

    table: str
    agents: tuple[int, ...]

    @property
    def counted(self) -> range:
        """The places that count for their agents: of one among equal others only the first."""
        return range(1 if self.table == ONE else len(self.agents))


def line_ups(agents: int, seats: int, table: str = ONE, sides: Sequence[int] = ()) -> list[LineUp]:
    """Return the line-ups of some agents at tables of so many seats.

    With `sides`, as `Game.sides` gives them, an agent has all seats of a side, which then counts as one seat.

    Args:
        agents: How many there are.
        seats: Of a table.
        table: One of TABLES.
        sides: The side of each seat, none where everybody plays alone.

    Raises:
        ValueError: For a table that is none of TABLES, or that these agents or seats cannot fill.
    """
    one_of("table", table, TABLES)
    if len(set(sides)) < len(sides):
        of_sides = line_ups(agents, len(set(sides)), table)
        return [LineUp(line_up.table, tuple(line_up.agents[side] for side in sides)) for line_up in of_sides]
    if table == TWO and (seats < 4 or seats % 2):
        raise ValueError(
            f"half against half needs four seats or more, an even number, that play for themselves; there are {seats}"
        )
    who, all_line_ups = range(agents), []
    if table in (ONE, ALL):
        all_line_ups += [LineUp(ONE, (hero, *[other] * (seats - 1))) for hero, other in itertools.permutations(who, 2)]
    if table in (TWO, ALL) and seats >= 4 and seats % 2 == 0:
        half = seats // 2
        for a, b in itertools.combinations(who, 2):
            all_line_ups += [LineUp(TWO, (*[a] * half, *[b] * half)), LineUp(TWO, (a, b) * half)]
    if table == MIXED or (table == ALL and agents > 2):
        all_line_ups += [LineUp(MIXED, mixed) for mixed in _mixed(agents, seats)]
    return all_line_ups


def _mixed(agents: int, seats: int) -> list[tuple[int, ...]]:
    """Return line-ups of different agents in which all play equally often."""
    if agents < seats:  # the list of agents goes round, each of them beginning once
        return [tuple((first + place) % agents for place in range(seats)) for first in range(agents)]
    combinations = itertools.combinations(range(agents), seats)
    mixtures = list(itertools.islice(combinations, MOST_COMBINATIONS + 1))
    if len(mixtures) <= MOST_COMBINATIONS:
        return mixtures
    # Steps from one to the next of all agents in a circle, chosen so that all distances come about equally often.
    often = np.zeros(agents, int)
    mixtures = []
    while len(mixtures) < agents * (agents - 1) / (seats - 1):
        base = [0]
        while len(base) < seats:
            free = [agent for agent in range(agents) if agent not in base]
            base.append(min(free, key=lambda agent: (sum(often[(agent - other) % agents] for other in base), agent)))
        for a, b in itertools.permutations(base, 2):
            often[(a - b) % agents] += 1
        mixtures += [tuple((first + place) % agents for place in base) for first in range(agents)]
    return mixtures


@dataclass(frozen=True)
class Standings:
    """What each agent won as one hero against equal villains in all other seats.

    chips: float64 [agents, agents, deals, seats], where chips[h, v, d, s] is won in deal d by agent h at
        seat s from agents v; the diagonal is zero.
    """

    players: tuple[str, ...]
    chips: np.ndarray
    seed: int

    def against(self, hero: int, villain: int) -> Estimate:
        """Return a hero's chips per deal against one kind of villain, over all seats; raises ValueError."""
        hero, villain = self._agent("hero", hero), self._agent("villain", villain)
        return estimate(self.chips[hero, villain].mean(1))

    def total(self, hero: int) -> Estimate:
        """Return a hero's chips per deal, averaged over all villains and seats."""
        return estimate(self._others(hero).mean((0, 2)))

    def at_seat(self, hero: int, seat: int) -> Estimate:
        """Return a hero's chips per deal at one seat, averaged over all villains."""
        seat = whole_number("seat", seat, 0, self.chips.shape[3] - 1)
        return estimate_columns(self._others(hero).mean(0))[seat]

    def adjusted(self) -> dict[tuple[int, int], float]:
        """Return the p of every duel, hero and villain, that it comes out even; adjusted by Holm for all of them."""
        pairs = list(itertools.permutations(range(len(self.players)), 2))
        return dict(zip(pairs, holm([t_test(self.chips[pair].mean(1)) for pair in pairs]), strict=True))

    def _others(self, hero: int) -> np.ndarray:
        hero = self._agent("hero", hero)
        return np.delete(self.chips[hero], hero, axis=0)

    def _agent(self, name: str, number: int) -> int:
        return whole_number(name, number, 0, len(self.players) - 1)


class Performance(NamedTuple):
    """How an agent did, at the places that count for it (see `LineUp.counted`).

    chips: a deal, over deals. p: that its chips come out even, adjusted by Holm for all agents. places: the share of
    games in which it came in first, second, ...; equals share theirs. action_types: how often a deal it did what
    `action_types_of` lists. rating, rating_width: see `rating.Ratings`.
    alpha_rank: None without a table of one among equal others.
    """

    chips: Estimate
    p: float
    places: tuple[float, ...]
    action_types: dict[str, float]
    rating: float
    rating_width: float
    alpha_rank: float | None

    @property
    def win_share(self) -> float:
        return self.places[0]


@dataclass(frozen=True)
class Tournament:
    """A tournament that was played.

    chips: float64 [line-ups, deals, rotations, seats], as in `DuplicateResult` for every line-up.
    action_types: int16 [line-ups, deals, rotations, seats, types], how often each player did what `action_types_of`
    lists.
    """

    game: Game
    variant: Variant
    players: tuple[str, ...]
    line_ups: tuple[LineUp, ...]
    chips: np.ndarray
    action_types: np.ndarray
    seed: int

    @property
    def deals(self) -> int:
        return int(self.chips.shape[1])

    @functools.cached_property
    def standings(self) -> Standings | None:
        """The table of one among equal others, if it was played."""
        count, seats = len(self.players), self.variant.players
        ones = [index for index, line_up in enumerate(self.line_ups) if line_up.table == ONE]
        if not ones:
            return None
        chips = np.zeros((count, count, self.deals, seats))
        for index in ones:
            hero, *others = self.line_ups[index].agents
            villain = next(other for other in others if other != hero)
            won = self.chips[index, :, :, 0]  # rotation r puts player 0 at seat r, and its partners at theirs
            chips[hero, villain] = np.tile(won, seats // won.shape[1])
        return Standings(self.players, chips, self.seed)

    @functools.cached_property
    def ratings(self) -> Ratings:
        """The ratings of all agents, by Plackett-Luce."""
        return ratings(choices_of(self.chips[..., self._units], self._agents[:, self._units]))

    @functools.cached_property
    def performances(self) -> tuple[Performance, ...]:
        """How every agent did."""
        who = range(len(self.players))
        ranks = None if self.standings is None else alpha_rank(self.standings.chips.mean((2, 3)))
        by_deal = [self.chips_of(agent) for agent in who]
        adjusted = holm([t_test(chips) for chips in by_deal])
        return tuple(
            Performance(
                chips=estimate(by_deal[agent]),
                p=adjusted[agent],
                places=tuple(self._mean(self._places, agent).mean(0).tolist()),
                action_types=self._action_types(agent),
                rating=float(self.ratings.points[agent]),
                rating_width=float(self.ratings.widths[agent]),
                alpha_rank=None if ranks is None else float(ranks[agent]),
            )
            for agent in who
        )

    def _action_types(self, agent: int) -> dict[str, float]:
        """Return how often a deal an agent did what `action_types_of` lists."""
        often = self._mean(lambda index, place: self.action_types[index, :, :, place], agent).mean(0)
        return dict(zip(action_types_of(self.game)[0], (often / self.variant.deals).tolist(), strict=True))

    def chips_of(self, agent: int) -> np.ndarray:
        """Return the chips of an agent deal by deal, float64 [deals], over the places that count for it."""
        return self._mean(lambda index, place: self.chips[index, :, :, place], agent)

    def at_seat(self, agent: int, seat: int) -> Estimate:
        """Return the chips per deal of an agent at one seat, over the places that count for it."""
        rotations = self.chips.shape[2]
        order = np.arange(rotations)
        won = [self.chips[index, :, :, place][:, (order - place) % rotations] for index, place in self._counted(agent)]
        return estimate_columns(np.mean(won, 0))[seat % rotations]

    @property
    def _units(self) -> np.ndarray:
        """The first place of every side: partners come in together, and count once."""
        return np.unique(self.game.sides(self.variant.players), return_index=True)[1]

    @property
    def _agents(self) -> np.ndarray:
        return np.array([line_up.agents for line_up in self.line_ups])

    def _counted(self, agent: int) -> list[tuple[int, int]]:
        """The line-ups and places that count for an agent."""
        return [
            (index, place)
            for index, line_up in enumerate(self.line_ups)
            for place in line_up.counted
            if line_up.agents[place] == agent
        ]

    def _mean(self, values: Callable[[int, int], np.ndarray], agent: int) -> np.ndarray:
        """Return the mean of `values` of an agent's line-ups and places, [deals, rotations, ...] each, by deal."""
        counted = self._counted(agent)
        return sum(values(index, place).mean(1) for index, place in counted) / len(counted)

    def _places(self, index: int, place: int) -> np.ndarray:
        """Return a player's share of every place in the order of its games, [deals, rotations, sides]."""
        others, own = self.chips[index][..., self._units], self.chips[index, :, :, place, None]
        better, equal = (others > own).sum(2)[..., None], (others == own).sum(2)[..., None]
        number = np.arange(len(self._units))
        return ((better <= number) & (number < better + equal)) / equal


@dataclass(frozen=True)
class Schedule:
    """What is to be played, as `schedule` makes it: so many deals of every line-up."""

    game: Game
    variant: Variant
    players: tuple[str, ...]
    line_ups: tuple[LineUp, ...]
    table: str
    deals: int
    seed: int

    @property
    def rotations(self) -> int:
        """How many rotations of a line-up are played; every line-up has one agent at a side, so they are alike."""
        return rotations_of(self.game, self.variant.players, self.line_ups[0].agents)

    def blocks(self) -> Iterator[Block]:
        """Yield what is played at a time."""
        size = ENVS // self.rotations // self.variant.deals
        for first, some in chunks(self.deals, size):
            for number in range(len(self.line_ups)):
                yield number, first, some

    def played(
        self, agents: Sequence[Agent], blocks: Iterable[Block], workers: Workers | None = None
    ) -> Iterator[Played]:
        """Yield what is played in some blocks, in their order, by workers; default: by this process.

        Args:
            agents: The agents of `players`, in their order.
            blocks: What is played.
            workers: Who plays, by default this process.
        """
        workers = workers or Workers()
        plan, seating = workers.share(self), workers.share(list(agents))
        return workers.in_order(play_block, ((plan, seating, block) for block in blocks))

    def seated(self, agents: Sequence[str | Agent]) -> list[Agent]:
        """Return the agents of a list of names and agents; raises ValueError for some that cannot play here."""
        players = agents_of(self.game, self.variant, agents)
        for agent in players:
            require_steady(agent, self.game, self.variant)
        return players

    def empty(self) -> Tournament:
        """Return the tournament before the first deal, to be filled."""
        shape = (len(self.line_ups), self.deals, self.rotations, self.variant.players)
        action_types = np.zeros((*shape, len(action_types_of(self.game)[0])), np.int16)
        return Tournament(
            self.game, self.variant, self.players, self.line_ups, np.zeros(shape), action_types, self.seed
        )


def play_block(plan: Schedule, agents: Sequence[Agent], block: Block) -> Played:
    """Play a block, logged; the agents are those of `players`.

    Args:
        plan: The schedule.
        agents: The agents of its `players`.
        block: The number of a line-up, the first deal, and how many.
    """
    number, first, some = block
    seated = plan.line_ups[number].agents
    envs = new_lanes(plan.game, plan.variant, some * plan.rotations)
    names = [plan.players[player] for player in seated]
    return play_rotations(envs, [agents[player] for player in seated], plan.seed, first, names)


def schedule(
    game: str | Game,
    agents: Sequence[str],
    deals: int,
    /,
    *,
    table: str = ONE,
    seed: int = 0,
    **variant: Unpack[Options],
) -> Schedule:
    """Return a schedule for agents of these names.

    Args:
        agents: Their names, two or more, all different.
        game, deals, table, seed: As of `play_tournament`.

    Raises:
        ValueError: As `play_tournament`.
    """
    agents = as_list("agents", agents, "names")
    if not all(isinstance(name, str) for name in agents):
        raise refused("agents", agents, "it must be a list of names")
    if len(agents) < 2:
        raise ValueError(f"a tournament needs two agents or more, not {len(agents)}")
    if alike := [name for name, often in Counter(agents).items() if often > 1]:
        raise ValueError(
            say("more than one agent is called {name}; give each a name of its own", name=short_repr(alike[0]))
        )
    game = get_game(game)
    made = variant_from(game, variant, schedule)
    all_line_ups = line_ups(len(agents), made.players, table, game.sides(made.players).tolist())
    figures = made.players**2 * len(action_types_of(game)[0]) * len(all_line_ups)
    deals = whole_number("deals", deals, 1, max(MOST_FIGURES // figures, 1))
    return Schedule(game, made, tuple(agents), tuple(all_line_ups), table, deals, as_key(seed))


def fill(tournament: Tournament, block: Block, played: Played) -> None:
    """Write what was played in a block into a tournament.

    Args:
        tournament: Is written.
        block: Which line-up and deals.
        played: What came of them.
    """
    number, first, some = block
    tournament.chips[number, first : first + some] = played.chips
    tournament.action_types[number, first : first + some] = played.action_types


def play_tournament(
    game: str | Game,
    agents: Sequence[str | Agent],
    deals: int,
    /,
    *,
    table: str = ONE,
    seed: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> Tournament:
    """Play `deals` deals, the same for all, in every rotation of every line-up of a table.

    Args:
        game: Its id, or the game itself.
        agents: By name (see `make_agent`) or themselves.
        deals: Of every line-up, each played once in every rotation.
        table: One of TABLES, who sits together.
        seed: Names the deals, 0..2**63 - 1.
        progress: Called with the number of deals just played.
        record: Where every game is written.
        workers: Who plays, default this process; what is found is the same.

    Raises:
        ValueError: For fewer than two agents, a table that cannot be filled, before any deal for an agent that cannot
            play here, or as `play_duplicates` does.
    """
    require_methods(progress, record)
    game = get_game(game)
    agents = agents_of(game, variant_from(game, variant, play_tournament), as_list("agents", agents, "agents"))
    plan = schedule(game, labels_of(agents), deals, table=table, seed=seed, **variant)
    agents, tournament = plan.seated(agents), plan.empty()
    for block, played in zip(plan.blocks(), plan.played(agents, plan.blocks(), workers), strict=True):
        fill(tournament, block, played)
        if record is not None:
            record.write(played.records or [])
        if progress:
            progress(block[2])
    return tournament


def round_robin(
    game: str | Game,
    agents: Sequence[str | Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> Standings:
    """Return the standings of a tournament of one among equal others.

    Args:
        game, agents, deals, seed, progress, workers: As of `play_tournament`.
    """
    how: dict[str, Any] = {"seed": seed, "progress": progress, "workers": workers}
    played = play_tournament(game, agents, deals, table=ONE, **how, **variant)
    assert played.standings is not None
    return played.standings
