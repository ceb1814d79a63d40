"""Duplicate matches: every deal is played once for every rotation of the players over the seats.

The unit of all statistics is the deal: a player's chips in it, averaged over its rotations. An agent that
meets itself scores exactly zero. With teams some rotations only swap partners, and would repeat a game to the chip:
these are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np

from gupai_agents.agent import Agent, check_agent, distinct, labels_of
from gupai_agents.evaluation.matches.redeals import check_redeals, luck_of
from gupai_agents.evaluation.records.games import GameRecord, Log, RecordWriter, action_types_of
from gupai_agents.evaluation.statistics import Estimate, estimate, estimate_adjusted, estimate_columns
from gupai_agents.play.decisions import chips_won, new_lanes, play_out
from gupai_agents.play.workers import Workers
from gupai_agents.players.identity import require_steady
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import EVALUATION_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import as_list, counted, require_methods, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

ENVS = 4096  # lanes that play side by side
MOST_FIGURES = 1 << 28  # chips that are kept of one comparison, 2 GiB
MOST_REDEALS = 1_000_000
AnyPlayer = TypeVar("AnyPlayer")
Progress = Callable[[int], Any]  # called with the number of deals just finished


@dataclass(frozen=True)
class DuplicateResult:
    """What the players of a line-up won.

    chips: float64 [deals, rotations, seats], where chips[d, r, s] is won by player s, who sits at seat
        (s + r) modulo seats in rotation r. With several deals per match, chips of the whole match over its deals. With
        teams there are fewer rotations than seats if the later ones repeat the first.
    luck: Of a duel with redeals, the hero's chips that hidden tiles explain, of expectation 0, float64
        [deals, rotations].
    """

    players: tuple[str, ...]
    chips: np.ndarray
    seed: int
    luck: np.ndarray | None = None

    def mean(self, player: int) -> Estimate:
        """Return chips per deal of one player of the line-up, with its 95% interval over deals; raises ValueError."""
        player = self._place("player", player)
        return estimate(self.chips[:, :, player].mean(1))

    def adjusted_mean(self) -> Estimate:
        """Return the mean of the hero of a duel, adjusted by its luck; raises ValueError without redeals."""
        if self.luck is None:
            raise ValueError("there were no redeals; ask for some: duel(..., redeals=256)")
        return estimate_adjusted(self.chips[:, :, 0].mean(1), self.luck.mean(1))

    def at_seat(self, player: int, seat: int) -> Estimate:
        """Return the same as `mean` for the games in which the player sat at `seat`."""
        player, seat = self._place("player", player), self._place("seat", seat)
        rotations = self.chips.shape[1]
        return estimate_columns(self.chips[:, :, player])[(seat - player) % rotations]

    def _place(self, name: str, number: int) -> int:
        return whole_number(name, number, 0, self.chips.shape[2] - 1)


def key_of(seed: int, deal: int) -> int:
    """Return the seed of the environment that deals this deal of an evaluation."""
    return derive(derive(seed, EVALUATION_STREAM), deal)


def seats_of(seats: int, rotations: int) -> np.ndarray:
    """Return the seat of every player of a line-up in the first rotations, int [rotations, players]."""
    return (np.arange(seats)[None, :] + np.arange(rotations)[:, None]) % seats


def rotations_of(game: Game, seats: int, line_up: Sequence[int]) -> int:
    """Return how many rotations of a line-up, agents by number, are to be played.

    All, as many as seats, where everybody plays alone. With teams a rotation that puts the same agents on the same
    sides as one before is the same game, and pays partners alike.

    Args:
        game: The game.
        seats: How many there are.
        line_up: The number of the agent of each.
    """
    sides = game.sides(seats)
    for rotations in range(1, seats):
        if all(np.array_equal(np.roll(array, rotations), array) for array in (sides, line_up)):
            return rotations
    return seats


class Played(NamedTuple):
    """Some deals of a line-up, in every rotation.

    chips: float64 [deals, rotations, seats], as in `DuplicateResult`. Of logged games only: action_types, int16
        [deals, rotations, seats, types], how often each player did what `action_types_of` lists; and records, the
        games.
    """

    chips: np.ndarray
    action_types: np.ndarray | None = None
    records: list[GameRecord] | None = None


def play_rotations(
    envs: VectorEnv, players: Sequence[Agent], seed: int, first: int, names: Sequence[str] | None = None
) -> Played:
    """Play the deals of a seed from number `first` on, every one in all rotations of the players over the seats.

    Args:
        envs: As many as there are deals times `rotations_of` the players.
        players: One agent per seat.
        seed: That of the evaluation.
        first: The number of the first deal.
        names: What records call the players; without names nothing is logged.

    Raises:
        ValueError: For answers that are not legal actions.
    """
    seats = envs.variant.players
    agents, who = distinct(players)
    rotations = rotations_of(envs.game, seats, who)
    seat_of, deals = seats_of(seats, rotations), envs.num_envs // rotations
    player_at = np.argsort(seat_of, 1)  # [rotation, seat]
    envs.reset(seeds=np.repeat([key_of(seed, deal) for deal in range(first, first + deals)], rotations))
    log = None if names is None else Log(envs)
    play_out(envs, agents, np.tile(np.array(who)[player_at], (deals, 1)), log.note if log else None)
    order = np.broadcast_to(seat_of, (deals, rotations, seats))
    chips = np.take_along_axis(chips_won(envs).reshape(order.shape), order, 2)
    if names is None or log is None:
        return Played(chips)
    action_types = log.action_types(action_types_of(envs.game)[1]).reshape(*order.shape, -1)
    records = log.records([tuple(names[place] for place in row) for row in player_at.tolist() * deals])
    return Played(chips, np.take_along_axis(action_types, order[..., None], 2), records)


def play_some(
    game: Game,
    variant: Variant,
    players: Sequence[Agent],
    seed: int,
    deals: int,
    *,
    most: int = ENVS,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    workers: Workers | None = None,
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield what a line-up wins, some deals at a time: the number of the first, and [deals, rotations, seats].

    Args:
        most: Deals at a time.
        progress: Called with the number of deals just played.
        record: Where every game is written.
        workers: Who plays, default this process; what is won is the same.

    Raises:
        ValueError: As `play_duplicates`.
    """
    seats = variant.players
    if len(players) != seats:
        raise ValueError(f"{counted(len(players), 'player')} for {seats} seats; there must be one for each")
    for player in distinct(players)[0]:
        check_agent(player, game, variant)
        require_steady(player, game, variant)
    rotations = rotations_of(game, seats, distinct(players)[1])
    size = ENVS // rotations if record is None else ENVS // rotations // variant.deals
    names = labels_of_line_up(players) if record else None
    blocks, workers = list(chunks(deals, min(size, most))), workers or Workers()
    seated = workers.share(list(players))
    tasks = ((game, variant, seated, rotations, seed, block, names) for block in blocks)
    for (first, some), played in zip(blocks, workers.in_order(_play_block, tasks), strict=True):
        if record is not None:
            record.write(played.records or [])
        if progress:
            progress(some)
        yield first, played.chips


def _play_block(
    game: Game,
    variant: Variant,
    players: Sequence[Agent],
    rotations: int,
    seed: int,
    block: tuple[int, int],
    names: Sequence[str] | None,
) -> Played:
    """Play so many deals from a first on, in lanes of their own."""
    first, some = block
    return play_rotations(new_lanes(game, variant, some * rotations), players, seed, first, names)


def labels_of_line_up(players: Sequence[Agent]) -> list[str]:
    """Return what the players of a line-up are called; one agent at several seats has one name."""
    agents, who = distinct(players)
    labels = labels_of(agents)
    return [labels[player] for player in who]


def play_duplicates(
    game: str | Game,
    players: Sequence[str | Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> DuplicateResult:
    """Play `deals` deals with every rotation of the players over the seats.

    Args:
        game: Its id, or the game itself.
        players: One agent per seat, by name (see `make_agent`) or itself; the same may take several.
        deals: Each is played once in every rotation.
        seed: Names the deals: deal d is the same whoever plays it.
        progress: Called with the number of deals just played.
        record: Where every game is written.
        workers: Who plays, such as `workers_for(4)`, default this process; what is won is the same.

    Raises:
        ValueError: If the number of players is not that of the seats, for a player made for another game or variant,
            for answers that are not legal actions (see `ask`), a bad seed, and deals below 1 or too many to keep.
    """
    require_methods(progress, record)
    game, players = get_game(game), as_list("players", players, "agents")
    made, seed = variant_from(game, variant, play_duplicates), as_key(seed)
    deals = whole_number("deals", deals, 1, MOST_FIGURES // made.players**2)
    players = agents_of(game, made, players)
    played = play_some(game, made, players, seed, deals, progress=progress, record=record, workers=workers)
    chips = np.concatenate([block for _, block in played])
    return DuplicateResult(tuple(labels_of_line_up(players)), chips, seed)


def chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of at most `size` begin (at least one of them), and how long they are."""
    for first in range(0, total, max(size, 1)):
        yield first, min(max(size, 1), total - first)


def one_among(game: Game, variant: Variant, hero: AnyPlayer, villain: AnyPlayer) -> list[AnyPlayer]:
    """Return a line-up of one hero, player 0, and equal villains; with teams the hero's partners are heroes too.

    Args:
        game, variant: What is played.
        hero: An agent, or its name.
        villain: Another.
    """
    sides = game.sides(variant.players)
    return [hero if side == sides[0] else villain for side in sides]


def duel(
    game: str | Game,
    hero: str | Agent,
    villain: str | Agent,
    deals: int,
    /,
    *,
    seed: int = 0,
    redeals: int = 0,
    progress: Progress | None = None,
    record: RecordWriter | None = None,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> DuplicateResult:
    """Play one `hero`, player 0 of the result, against `villain` in all other seats; see `play_duplicates`.

    In a game of teams the hero has all seats of its side.

    Args:
        game: Its id, or the game itself.
        hero, villain: By name (see `make_agent`) or themselves.
        deals: Each is played once with the hero at every seat.
        redeals: How often hidden tiles are dealt again for each decision in which the hero departs from the villain,
            a heuristic or `random`; `adjusted_mean` of the result then has a narrower interval, see
            `gupai_agents.evaluation.matches.redeals`.
        seed, progress, record, workers: As of `play_duplicates`.

    Raises:
        ValueError: As `play_duplicates`, and for redeals where nothing can be dealt again.
    """
    rules = get_game(game)
    made = variant_from(rules, variant, duel)
    line_up = one_among(rules, made, *agents_of(rules, made, [hero, villain]))
    how: dict[str, Any] = {"progress": progress, "record": record, "workers": workers}
    if not whole_number("redeals", redeals, 0, MOST_REDEALS):
        return play_duplicates(rules, line_up, deals, seed=seed, **how, **variant)
    require_methods(progress, record)
    check_redeals(rules, made, line_up[-1])
    redealing = Redealing(labels_of_line_up(line_up)[0], line_up[-1], redeals, record)
    result = play_duplicates(rules, line_up, deals, seed=seed, **(how | {"record": redealing}), **variant)
    return replace(result, luck=np.concatenate(redealing.luck).reshape(result.chips.shape[:2]))


class Redealing:
    """In place of a record writer: takes the games of a duel, and passes them on."""

    def __init__(self, hero: str, villain: Agent, redeals: int, record: RecordWriter | None) -> None:
        """Collect the luck of what is played.

        Args:
            hero: The name of who is not a villain.
            villain: A rule-based player, by which deals are played on.
            redeals: Deals that are drawn at every decision.
            record: Where games are written, None for nowhere.
        """
        self.hero, self.villain, self.redeals, self.record = hero, villain, redeals, record
        self.luck: list[np.ndarray] = []  # as of `luck_of`, a block each

    def write(self, games: Sequence[GameRecord]) -> None:
        """Take some games in the order in which they were played."""
        self.luck.append(luck_of(games, self.hero, self.villain, self.redeals))
        if self.record is not None:
            self.record.write(games)
