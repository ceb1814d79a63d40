"""Duplicate matches: every deal is played once for every rotation of the players over the seats.

The unit of all statistics is the deal: a player's chips in it, averaged over its rotations. An agent that
meets itself scores exactly zero. With teams some rotations only swap partners, and would repeat a game to the chip:
these are left out.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np

from gupai_agents.agent import Agent, check_agent, distinct, labels_of
from gupai_agents.decisions import chips_won, new_lanes, play_out
from gupai_agents.evaluation.records import GameRecord, Log, RecordWriter, action_types_of
from gupai_agents.evaluation.statistics import Estimate, estimate, estimate_columns
from gupai_agents.evaluation.variates import DEALS_EACH, MORE, Variates
from gupai_agents.identity import require_steady
from gupai_agents.registry import agents_of
from gupai_agents.workers import Workers
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import EVALUATION_STREAM, VARIATES_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.options import Options
from gupai_env.vector import VectorEnv
from gupai_env.words.checks import as_list, counted, require_methods, whole_number

ENVS = 4096  # lanes that play side by side
MOST_FIGURES = 1 << 28  # chips that are kept of one comparison, 2 GiB
AnyPlayer = TypeVar("AnyPlayer")
Progress = Callable[[int], Any]  # called with the number of deals just finished


@dataclass(frozen=True)
class DuplicateResult:
    """What the players of a line-up won.

    chips: float64 [deals, rotations, seats], where chips[d, r, s] is won by player s, who sits at seat
        (s + r) modulo seats in rotation r. With several deals per match, chips of the whole match over its deals. With
        teams there are fewer rotations than seats if the later ones repeat the first.
    variates: Of a duel with proxies, what they win in the same deals and in others.
    """

    players: tuple[str, ...]
    chips: np.ndarray
    seed: int
    variates: Variates | None = None

    def mean(self, player: int) -> Estimate:
        """Return chips per deal of one player of the line-up, with its 95% interval over deals; raises ValueError."""
        player = self._place("player", player)
        return estimate(self.chips[:, :, player].mean(1))

    def adjusted_mean(self) -> Estimate:
        """Return the mean of player 0, adjusted by control variates; raises ValueError for a duel without proxies."""
        if self.variates is None:
            raise ValueError("there are no control variates; name proxies: duel(..., proxies=['tuned', 'greedy'])")
        return self.variates.estimate(self.chips[:, :, 0].mean(1))

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
    """Return a line-up of one hero, player 0, and equal villains; with teams the hero's partners are heroes too."""
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
    proxies: Sequence[str | Agent] = (),
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
        proxies: Two or more quick agents, whose results in the same deals narrow the interval of the result's
            `adjusted_mean`. Good ones play much like the hero or the villain, such as a quick villain itself.
        seed, progress, record, workers: As of `play_duplicates`.

    Raises:
        ValueError: As `play_duplicates`, for a single proxy, and for too few deals to adjust.
    """
    rules = get_game(game)
    made = variant_from(rules, variant, duel)
    how: dict[str, Any] = {"workers": workers, **variant}
    variates = proxy_variates(rules, proxies, deals, seed=seed, **how) if len(proxies) else None
    how |= {"progress": progress, "record": record}
    result = play_duplicates(rules, one_among(rules, made, hero, villain), deals, seed=seed, **how)
    return replace(result, variates=variates)


def proxy_variates(
    game: str | Game,
    proxies: Sequence[str | Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    workers: Workers | None = None,
    **variant: Unpack[Options],
) -> Variates:
    """Return what every proxy wins as one among every other, in the deals of a seed and in MORE times as many others.

    Args:
        game: Its id, or the game itself.
        proxies: Two or more agents, by name (see `make_agent`) or themselves.
        deals: As of the duels to adjust.
        seed, workers: As of `play_duplicates`.

    Raises:
        ValueError: As `play_duplicates`, for a single proxy, and for fewer than DEALS_EACH deals per variate.
    """
    rules = get_game(game)
    made = variant_from(rules, variant, proxy_variates)
    agents = distinct(agents_of(rules, made, as_list("proxies", proxies, "agents")))[0]
    if len(agents) < 2:
        raise ValueError("one proxy has nobody to play against; name two or more")
    # Between two sides a pair has one result, which only changes its sign with the order.
    orders = itertools.permutations if len(set(rules.sides(made.players))) > 2 else itertools.combinations
    pairs = list(orders(agents, 2))
    if whole_number("deals", deals, 1, MOST_FIGURES // MORE // made.players**2) < DEALS_EACH * len(pairs):
        raise ValueError(
            f"{counted(deals, 'deal')} for {counted(len(pairs), 'control variate')}; play {DEALS_EACH * len(pairs)} or "
            "more, or name fewer proxies"
        )

    def chips(deals: int, seed: int) -> np.ndarray:
        line_ups = (one_among(rules, made, *pair) for pair in pairs)
        results = (
            play_duplicates(rules, line_up, deals, seed=seed, workers=workers, **variant) for line_up in line_ups
        )
        return np.stack([result.chips[:, :, 0].mean(1) for result in results], 1)

    seed = as_key(seed)
    return Variates(chips(deals, seed), chips(MORE * deals, derive(seed, VARIATES_STREAM)))
