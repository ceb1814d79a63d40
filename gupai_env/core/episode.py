"""The frame of an episode that all games share: turns, the deals of a match, and what every state begins with.

What most games do alike is here too, and a game that does not define it gets it: `clearing`, `pass_lead`.
`deal_hidden` is the loop of most games' `determinize`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.memory import overwriting, scratch
from gupai_env.core.rng import derive, draw, shuffle_first
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.streams import LEADER_STREAM, NOISE_STREAM
from gupai_env.core.tiles import MOST_TILES, ONE, list_tiles, shuffle_deck

BYTE = np.dtype(np.int8)
NOBODY = -1  # in place of a seat


def state_dtype(seats: int, *fields: tuple[Any, ...]) -> np.dtype:
    """Return the dtype of a game's state: the fields every game has, then its own.

    Args:
        seats: The most seats.
        fields: Name, type and, where it has them, the shape of each, and what it holds in an empty state, if that is
            not 0: NOBODY where 0 would be a seat.
    """
    defaults = {field[0]: field[3] for field in fields if len(field) > 3}
    return np.dtype(
        [
            ("seed", "i8"),  # key of the episode
            ("moves", "i4"),  # decisions of the episode so far
            ("deal", "i2"),  # deals of the match that are finished
            ("leader", "i1"),  # who leads this deal
            ("direction", "i1"),  # +1 or -1: the order of turn among the seats
            ("to_act", "i1"),
            ("terminated", "i1"),  # set by a game when its deal has ended; stays set only at the end of the match
            ("settled", "i1"),  # the last step ended a deal, and `payoff` holds its chips
            ("payoff", "f4", (seats,)),
            ("total", "f4", (seats,)),  # chips of all finished deals
            *(field[:3] for field in fields),
        ],
        align=True,
        metadata={"own": tuple(field[0] for field in fields), "defaults": defaults},
    )


def empty_state(state: np.dtype) -> np.ndarray:
    """Return the empty state of a dtype of `state_dtype`, [1]: nothing is dealt and nothing has happened."""
    empty, metadata = np.zeros(1, state), dict(state.metadata or {})
    empty["direction"] = 1
    for name, default in metadata["defaults"].items():
        empty[name] = default
    return empty


def clearing(state: np.dtype, *, up_to: str | None = None) -> Callable[..., Any]:
    """Return clear(state), which empties the fields of a state that are the game's own; see `state_dtype`.

    up_to: The first field of those at the end that it leaves as they are.
    """
    own = dict(state.metadata or {})["own"]
    return overwriting(empty_state(state), own[: own.index(up_to) if up_to else None])


def view_dtype(seats: int, *fields: tuple[Any, ...]) -> np.dtype:
    """Return the dtype of what a seat knows: the fields every game has, then its own.

    Every array over seats begins with the viewer and continues in order of turn.
    """
    return np.dtype(
        [
            ("seat", "i1"),  # the viewer's seat, and
            ("direction", "i1"),  # the order of turn there: for `determinize`, of no meaning to a player
            ("deal", "i2"),  # deals of the match that are finished, of
            ("deals", "i2"),
            ("total", "f4", (seats,)),  # chips won in them
            *fields,
        ],
        align=True,
    )


@rule
def seat_after(rules, state, seat):
    """Return the seat whose turn follows `seat`.

    Args:
        rules: The options, as rules functions take them.
        state: The deal; its `direction` is 1 or -1.
        seat: Any seat.
    """
    seat += state.direction
    if seat == rules.players:
        return 0
    return rules.players - 1 if seat < 0 else seat


@rule
def distance(rules, state, seat, other):
    """Return how many turns after `seat` the turn of `other` comes, 0 for the seat itself.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: From which turns are counted.
        other: Up to whose turn.
    """
    turns = state.direction * (other - seat)
    return turns + rules.players if turns < 0 else turns


@rule
def seat_at(rules, state, seat, steps):
    """Return the seat whose turn comes `steps` after that of `seat`.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Any seat.
        steps: Turns, from 0 to the number of players.
    """
    # Without a division, which is a loop of some 100 instructions on a GPU.
    seat += state.direction * steps
    if seat < 0:
        return seat + rules.players
    return seat - rules.players if seat >= rules.players else seat


@rule
def noise_key(state):
    """Return the RNG key that the player to act may use in this decision.

    It depends only on the episode, the seat and the decision, so equal players play a deal in the same way.
    """
    return derive(derive(state.seed, NOISE_STREAM + int(state.to_act)), state.moves)


@rule
def begin_view(rules, state, seat, view):
    """Begin to fill a view: the fields every game has.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Who sees it.
        view: Is written.
    """
    view.seat = seat
    view.direction = state.direction
    view.deal = state.deal
    view.deals = rules.deals
    rotate(rules, state, seat, state.total, view.total)


@rule
def write_match(view, out, starts):
    """Fill the two entries of MATCH_SECTIONS in an observation.

    Args:
        view: A view, as `begin_view` begins it.
        out: The observation, int8 [size of the layout].
        starts: Those of the layout.
    """
    out[starts.first_deal] = view.deal == 0
    out[starts.last_deal] = view.deal >= view.deals - 1


@rule
def rotate(rules, state, seat, by_seat, by_place):
    """Fill an array that begins with a seat and continues in order of turn from one by seat.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Whose entry comes first.
        by_seat: An array with an entry for each seat.
        by_place: Is written; places that nobody has stay as they are.
    """
    for place in range(len(by_place)):  # a constant, so that the loop is unrolled
        if place == rules.players:
            break
        by_place[place] = by_seat[seat]
        seat = seat_after(rules, state, seat)


@rule
def rotate_back(rules, state, seat, by_place, by_seat):
    """Fill an array by seat from one that begins with a seat and continues in order of turn.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Whose entry is the first of `by_place`.
        by_place: An array with an entry for each place.
        by_seat: Is written.
    """
    for place in range(rules.players):
        by_seat[seat] = by_place[place]
        seat = seat_after(rules, state, seat)


@rule
def resume_from(rules, view, key, state):
    """Begin to fill a state from a view: the fields every game has, of a deal under way.

    The episode's key is drawn again from `key`, because a view does not reveal the later deals of the match.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        key: An RNG key.
        state: Is written.
    """
    state.seed = derive(key, 0)
    state.moves = 0
    state.deal = view.deal
    state.direction = view.direction
    state.terminated = 0
    state.settled = 0
    state.payoff[:] = 0
    rotate_back(rules, state, view.seat, view.total, state.total)


@rule
def deal_hidden(rules, state, viewer, unseen, sizes, key):
    """Deal a tile set that a viewer does not see to the other hands, in an order drawn from an RNG key.

    Args:
        sizes: By place, how many of them each seat gets; the first place is the viewer's.
    """
    tiles = scratch(MOST_TILES, BYTE)
    shuffle_first(tiles, list_tiles(unseen, tiles), key)
    deal_listed(rules, state, viewer, tiles, sizes)


@rule
def deal_listed(rules, state, viewer, tiles, sizes):
    """Deal tiles, a list of kinds, to the other hands like `deal_hidden`; return how many were dealt.

    Args:
        rules: The options, as rules functions take them.
        state: The deal, whose hands get the tiles.
        viewer: The seat whose hand is known; the others follow it in order of turn.
        tiles: Kinds, in the order in which they are dealt.
        sizes: Tiles of each place; place 0 is the viewer's.
    """
    dealt, seat = 0, viewer
    for place in range(1, rules.players):
        seat = seat_after(rules, state, seat)
        for _ in range(sizes[place]):
            state.hands[seat] += ONE[tiles[dealt]]
            dealt += 1
    return dealt


@rule
def pass_lead(rules, state):
    """Let the next seat lead the next deal."""
    state.leader = seat_after(rules, state, state.leader)


@long_rule
def deal(game, rules, state, key):
    """Deal from an order of the deck drawn from `key`. `game` is its module.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: Is written.
        key: An RNG key, of this deal alone.
    """
    order = scratch(MOST_TILES, BYTE)
    size = shuffle_deck(game.DECKS[rules.deck], key, order)
    game.deal_from(rules, state, order[:size])


@rule
def start(game, rules, state, seed):
    """Begin an episode: the first deal of a match.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: Is written.
        seed: The RNG key of the episode, from which those of its deals are derived.
    """
    state.seed = seed
    state.moves = 0
    state.deal = 0
    state.direction = 1
    state.terminated = 0
    state.settled = 0
    state.payoff[:] = 0
    state.total[:] = 0
    state.leader = rules.leader if rules.leader >= 0 else draw(derive(seed, LEADER_STREAM), 0, rules.players)
    deal(game, rules, state, derive(seed, 0))


@rule
def advance(game, rules, state, action):
    """Play one decision; pay and deal again when it ends a deal that is not the last of the match.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: The deal; `settled` is 1 afterwards if it was paid.
        action: Legal for the seat to act.
    """
    step(game, rules, state, action)
    if state.settled:
        next_deal(game, rules, state)


@rule
def step(game, rules, state, action):
    """Play one decision, and pay the deal if that ends it.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: The deal.
        action: Legal for the seat to act.
    """
    state.settled = 0
    state.moves += 1
    game.step(rules, state, action)
    if state.terminated:
        settle(game, rules, state)


@long_rule
def settle(game, rules, state):
    """Pay a deal that is over.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: The deal; its `payoff` is written, and added to `total`.
    """
    state.settled = 1
    state.payoff[:] = 0
    game.payoffs(rules, state, state.payoff)
    for seat in range(rules.players):
        state.total[seat] += state.payoff[seat]
    state.deal += 1


@long_rule
def next_deal(game, rules, state):
    """Deal again after a deal that is over, if it is not the last of the match.

    Args:
        game: The module of a game.
        rules: The options, as rules functions take them.
        state: A deal that was settled.
    """
    if state.deal < rules.deals:
        game.next_deal(rules, state)
        state.terminated = 0
        deal(game, rules, state, derive(state.seed, state.deal))
