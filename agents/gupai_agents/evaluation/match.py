"""Duplicate matches: every deal is played once for every rotation of the players over the seats.

The unit of all statistics is the deal: a player's chips in it, averaged over its rotations. An agent that
meets itself scores exactly zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, Turns, ask, check_agent, distinct
from gupai_agents.evaluation.stats import Estimate, estimate
from gupai_agents.playouts import ASKED, finish, numbered
from gupai_env.core.game import Game
from gupai_env.core.lanes import WAIT
from gupai_env.core.numbers import whole_number
from gupai_env.core.rng import as_key, derive
from gupai_env.games import get_game
from gupai_env.vector import Lanes

EVALUATION_STREAM = 1 << 42  # deals to compare players on, never met in training
LANES = 4096  # lanes that play side by side
MOST_FIGURES = 1 << 28  # chips that are kept of one comparison, 2 GiB
NOBODY = -1
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


def play_duplicates(
    game: str | Game,
    players: Sequence[Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **variant: Any,
) -> DuplicateResult:
    """Play `deals` deals with every rotation of the players over the seats.

    Args: players: one agent a seat; the same agent may take several. seed: names the deals: deal d is the same
        whoever plays it.
    Raises: ValueError if the number of players is not that of the seats, for a player made for another game or variant,
        for answers that are no legal actions (see `ask`), a bad seed, and deals below 1 or too many to keep.
    """
    game = get_game(game)
    made = game.variant.make(**variant)
    seats = made.players
    if len(players) != seats:
        raise ValueError(f"{len(players)} players for {seats} seats; there must be one for each")
    for player in players:
        check_agent(player, game, made)
    deals = whole_number("deals", deals, 1, MOST_FIGURES // seats**2)
    seed = as_key(seed)
    agents, who = distinct(players)
    # seat_of[r, s]: the seat of player s in rotation r; sitting[r, seat]: the agent there
    seat_of = (np.arange(seats)[None, :] + np.arange(seats)[:, None]) % seats
    sitting = np.empty_like(seat_of)
    np.put_along_axis(sitting, seat_of, np.broadcast_to(np.array(who), seat_of.shape), 1)
    chips = np.empty((deals, seats, seats))
    stream = derive(seed, EVALUATION_STREAM)
    chunk = min(deals, max(1, LANES // seats))
    lanes = Lanes(game, chunk * seats, observe=False, renew=False, **variant)
    for first in range(0, deals, chunk):
        some = min(chunk, deals - first)
        if some < chunk:
            lanes = Lanes(game, some * seats, observe=False, renew=False, **variant)
        keys = np.array([derive(stream, deal) for deal in range(first, first + some)])
        lanes.reset(seeds=np.repeat(keys, seats))
        play_out(lanes, agents, np.tile(sitting, (some, 1)))
        totals = lanes.states.total[:, :seats].reshape(some, seats, seats) / lanes.variant.deals
        chips[first : first + some] = np.take_along_axis(totals, np.broadcast_to(seat_of, totals.shape), 2)
        if progress:
            progress(some)
    return DuplicateResult(tuple(player.name for player in players), chips, seed)


def play_out(lanes: Lanes, agents: Sequence[Agent], sitting: np.ndarray) -> None:
    """Play every lane to its end; sitting, int [B, seats], says which of the agents sits where.

    Rule-based agents play inside a compiled loop, the others are asked in batches; what is played is the same.
    """
    rows = np.arange(lanes.num_lanes)
    numbers, styles = numbered(lanes.game, agents)
    line_ups = numbers[sitting]
    while True:
        if (numbers < ASKED).any():
            finish(lanes, styles, line_ups)
        if lanes.over.all():
            return
        mover = np.where(lanes.over, NOBODY, sitting[rows, lanes.seats])
        lanes.step(answers(lanes, agents, mover))


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
    **variant: Any,
) -> DuplicateResult:
    """Play one `hero`, player 0 of the result, against `villain` in all other seats; see `play_duplicates`."""
    seats = get_game(game).variant.make(**variant).players
    line_up = [hero, *[villain] * (seats - 1)]
    return play_duplicates(game, line_up, deals, seed=seed, progress=progress, **variant)
