"""Duplicate matches: every deal is played once for every rotation of the players over the seats.

The unit of all statistics is the deal: a player's chips in it, averaged over its rotations. An agent that
meets itself scores exactly zero.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent, Turns, ask, check_agent, distinct, labels_of
from gupai_agents.evaluation.records import GameRecord, Log, RecordWriter, deeds_of
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.playouts import ASKED, finish, numbered
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.lanes import WAIT
from gupai_env.core.numbers import as_list, counted, require_methods, whole_number
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import EVALUATION_STREAM
from gupai_env.games import get_game
from gupai_env.vector import Lanes

LANES = 4096  # lanes that play side by side
MOST_FIGURES = 1 << 28  # chips that are kept of one comparison, 2 GiB
Progress = Callable[[int], Any]  # called with the number of deals just finished


@dataclass(frozen=True)
class DuplicateResult:
    """What the players of a line-up won.

    chips: float64 [deals, rotations, seats], where chips[d, r, s] is won by player s, who sits at seat
        (s + r) modulo seats in rotation r. With several deals a match, chips of the whole match over its deals.
    """

    players: tuple[str, ...]
    chips: np.ndarray
    seed: int

    def mean(self, player: int) -> Estimate:
        """Return chips a deal of one player of the line-up, with its 95% interval over deals; raises ValueError."""
        player = self._place("player", player)
        return estimate(self.chips[:, :, player].mean(1))

    def at_seat(self, player: int, seat: int) -> Estimate:
        """Return the same for the games in which the player sat at `seat`."""
        player, seat = self._place("player", player), self._place("seat", seat)
        return estimate(self.chips[:, (seat - player) % self.chips.shape[2], player])

    def _place(self, what: str, number: int) -> int:
        return whole_number(what, number, 0, self.chips.shape[2] - 1)


def key_of(seed: int, deal: int) -> int:
    """Return the seed of the environment that deals this deal of an evaluation."""
    return derive(derive(seed, EVALUATION_STREAM), deal)


def seats_of(seats: int) -> np.ndarray:
    """Return the seat of every player of a line-up in every rotation, int [rotations, players]."""
    return (np.arange(seats)[None, :] + np.arange(seats)[:, None]) % seats


class Played(NamedTuple):
    """Some deals of a line-up, in every rotation.

    chips: float64 [deals, rotations, seats], as in `DuplicateResult`. Only of games that are logged: deeds, int16
        [deals, rotations, seats, deeds], how often each player did what `deeds_of` lists; and records, the games.
    """

    chips: np.ndarray
    deeds: np.ndarray | None = None
    records: list[GameRecord] | None = None


class Match:
    """A line-up that plays deals of a seed in every rotation, some at a time.

    seat_of: int [rotations, seats], the seat of every player in every rotation. chunk: deals that are played at once.
    """

    def __init__(
        self,
        game: str | Game,
        players: Sequence[Agent],
        seed: int = 0,
        /,
        *,
        names: Sequence[str] | None = None,
        **variant: Any,
    ) -> None:
        """Args: names: what records call the players, default as `labels_of`.

        Raises: ValueError as `play_duplicates`.
        """
        self.game = get_game(game)
        self.variant = self.game.variant.make(**variant)
        seats, players = self.variant.players, as_list("players", players, "agents")
        if len(players) != seats:
            raise ValueError(
                f"{counted(len(players), 'player')} for {seats} seats; there must be one for each"
            )
        for player in players:
            check_agent(player, self.game, self.variant)
        self.seed = as_key(seed)
        self._agents, who = distinct(players)
        labels = labels_of(self._agents)
        self.names = tuple([labels[each] for each in who] if names is None else names)
        self.seat_of = seats_of(seats)
        self._sitting = np.empty_like(self.seat_of)  # [r, seat]: the agent there
        np.put_along_axis(self._sitting, self.seat_of, np.broadcast_to(np.array(who), self.seat_of.shape), 1)
        self.chunk = max(1, LANES // seats)
        self._lanes: Lanes | None = None

    def play(self, first: int, deals: int, logged: bool = False) -> Played:
        """Play `deals` deals from number `first` on. Raises: ValueError for answers that are no legal actions."""
        seats = self.variant.players
        if self._lanes is None or self._lanes.num_lanes != deals * seats:
            self._lanes = Lanes(
                self.game, deals * seats, observe=False, renew=False, **self.variant.changed()
            )
        lanes = self._lanes
        lanes.reset(seeds=np.repeat([key_of(self.seed, deal) for deal in range(first, first + deals)], seats))
        sitting = np.tile(self._sitting, (deals, 1))
        log = Log(lanes) if logged else None
        play_out(lanes, self._agents, sitting, log.note if log else None)
        order = np.broadcast_to(self.seat_of, (deals, seats, seats))
        totals = lanes.states.total[:, :seats].reshape(order.shape).astype(np.float64) / self.variant.deals
        chips = np.take_along_axis(totals, order, 2)
        if log is None:
            return Played(chips)
        deeds = log.deeds(deeds_of(self.game)[1]).reshape(*order.shape, -1)
        player_at = np.argsort(self.seat_of, 1).tolist()  # [rotation][seat]
        records = log.records([tuple(self.names[place] for place in row) for row in player_at * deals])
        return Played(chips, np.take_along_axis(deeds, order[..., None], 2), records)


def play_duplicates(
    game: str | Game,
    players: Sequence[Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    **variant: Any,
) -> DuplicateResult:
    """Play `deals` deals with every rotation of the players over the seats.

    Args: players: one agent a seat; the same agent may take several. seed: names the deals: deal d is the same
        whoever plays it. record: where every game is written.
    Raises: ValueError if the number of players is not that of the seats, for a player made for another game or variant,
        for answers that are no legal actions (see `ask`), a bad seed, and deals below 1 or too many to keep.
    """
    require_methods(progress, record)
    match = Match(game, players, seed, **variant)
    seats = match.variant.players
    deals = whole_number("deals", deals, 1, MOST_FIGURES // seats**2)
    chips = np.empty((deals, seats, seats))
    for first, some in chunks(deals, match.chunk if record is None else match.chunk // match.variant.deals):
        played = match.play(first, some, logged=record is not None)
        chips[first : first + some] = played.chips
        if record is not None:
            record.write(played.records or [])
        if progress:
            progress(some)
    return DuplicateResult(match.names, chips, match.seed)


def chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of at most `size` begin (at least one of them), and how long they are."""
    for first in range(0, total, max(size, 1)):
        yield first, min(max(size, 1), total - first)


def play_out(
    lanes: Lanes,
    agents: Sequence[Agent],
    sitting: np.ndarray,
    log: Callable[[np.ndarray], None] | None = None,
) -> None:
    """Play every lane to its end; sitting, int [B, seats], says which of the agents sits where.

    Rule-based agents play inside a compiled loop, the others are asked in batches; what is played is the same. With a
    `log`, which is called with the actions of every step, int16 [B], all are asked.
    """
    rows = np.arange(lanes.num_lanes)
    numbers, styles = numbered(lanes.game, agents)
    line_ups = numbers[sitting]
    while True:
        if log is None and (numbers < ASKED).any():
            finish(lanes, styles, line_ups)
        if lanes.over.all():
            return
        mover = np.where(lanes.over, NOBODY, sitting[rows, lanes.seats])
        actions = answers(lanes, agents, mover)
        lanes.step(actions)
        if log is not None:
            log(actions)


def answers(lanes: Lanes, agents: Sequence[Agent], mover: np.ndarray) -> np.ndarray:
    """Return an action a lane, int16 [B]; mover, int [B], says which agent is to act there, or NOBODY to wait.

    Raises: ValueError as `ask`.
    """
    actions = np.full(lanes.num_lanes, WAIT, np.int16)
    for index, agent in enumerate(agents):
        mine = np.flatnonzero(mover == index)
        if len(mine):
            views, keys = lanes.views(mine)
            turns = Turns(views, lanes.masks[mine], keys)
            actions[mine] = ask(agent, lanes.game, lanes.variant, turns, mine)
    return actions


def duel(
    game: str | Game,
    hero: Agent,
    villain: Agent,
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    **variant: Any,
) -> DuplicateResult:
    """Play one `hero`, player 0 of the result, against `villain` in all other seats; see `play_duplicates`."""
    seats = get_game(game).variant.make(**variant).players
    line_up = [hero, *[villain] * (seats - 1)]
    return play_duplicates(game, line_up, deals, seed=seed, progress=progress, record=record, **variant)
