"""The compiled loops over lanes, made once for each game and kept in numba's disk cache.

A loop takes a game as one argument: its room, a module that the loop captures and hands on to the rules it calls.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gupai_env.core.compiling import compiled
from gupai_env.core.episode import advance, noise_key, start
from gupai_env.core.game import Game
from gupai_env.core.places import address_of, array_at, blank, borrow_row, fetch_ahead, swap
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.words import count_marks, find_mark

AHEAD, MOST_AHEAD = 2, 384  # lanes; bytes of a state, for what lies behind is history, written but not read
LEGAL = -1  # what `play` returns when every action was legal
BUSY = -3  # what it returns, having done nothing, while another thread is at the table
WAIT = -2  # in place of an action: leave the lane as it is
# What `play` is to do: check actions, check and play them, play them as they are (or random ones), draw random ones.
CHECK, STEP, PLAY, SAMPLE = range(4)

TABLE = np.dtype(  # of B lanes: how many they are, where their arrays lie, how they are played
    [
        ("busy", "i8"),  # first, for it is known by the table's own address: the thread at the lanes, or 0
        ("lanes", "i8"),
        ("rules", "i8"),  # record [1], `Variant.as_record`
        ("states", "i8"),  # records [B]
        ("seeds", "i8"),  # int64 [B], the stream of episodes of a lane
        ("episodes", "i8"),  # int64 [B], the number of the one under way
        ("seats", "i8"),  # int8 [B], the seat to act
        ("masks", "i8"),  # bool [B, num_actions]
        ("observations", "i8"),  # int8 [B, layout.size]
        ("payoffs", "i8"),  # float32 [B, max_seats]
        ("over", "i8"),  # bool [B]
        ("renew", "?"),
        ("skip_forced", "?"),
        ("observe", "?"),
    ],
    align=True,
)
FLAG, BYTE, LONG, FLOAT = map(np.dtype, (np.bool_, np.int8, np.int64, np.float32))


class Rows(NamedTuple):
    """The arrays of a table, unpacked."""

    states: Any
    seeds: Any
    episodes: Any
    seats: Any
    masks: Any
    observations: Any
    payoffs: Any
    over: Any


def table_of(
    num_lanes: int, *, renew: bool, skip_forced: bool, observe: bool, **arrays: np.ndarray
) -> np.ndarray:
    """Return the one argument by which compiled loops take the arrays of a table, TABLE [1].

    It tells where they lie; the caller keeps these very arrays alive, and makes a new table for copies of them.
    """
    table = np.zeros(1, TABLE)
    table["lanes"] = num_lanes
    table["renew"], table["skip_forced"], table["observe"] = renew, skip_forced, observe
    for name, array in arrays.items():
        table[name] = array.ctypes.data
    return table


class Kernels(NamedTuple):
    """The compiled loops of one game; arrays have one row a lane, and `rules` are the variant's numbers.

    begin(rules, table): starts episode number `episodes` of every lane's stream `seeds`.
    play(table, first, end, job, actions, steps, key, who): in the lanes from `first` to before `end`, by job,
        PLAY: plays one of `actions`, int64 [B], a lane, and with `skip_forced` also those that follow without a choice
            in the same deal; starts the next episode where one ends (if `renew`), then shows the turn. A lane whose
            action is WAIT, or that is over, stays as it is. With `steps` above 0 it plays so many times instead, the
            actions that SAMPLE draws from keys 0, 1, ... of the stream `key`.
        CHECK: returns the first lane whose action its mask forbids, or LEGAL. STEP: plays if all are legal.
        SAMPLE: draws one legal action a lane from `key` into `actions`.
        Returns BUSY, and has done nothing, while another thread than `who` (`threading.get_ident()`) is at the table.
    show(rules, table): the seat to act, its mask, its observation.
    look(rules, table, seat, observations): what one given seat of every lane observes.
    pick(masks, key, actions): draws one legal action a lane; 0 where there is none.
    views(rules, states, views, keys): the information set of the seat to act, and its key of chance, int64.
    view_of(rules, states, seat, views): the information set of one given seat.
    encode(views, observations): views as vectors.
    determinize(rules, views, keys, states): a state drawn from every view.
    """

    begin: Callable
    play: Callable
    show: Callable
    look: Callable
    pick: Callable
    views: Callable
    view_of: Callable
    encode: Callable
    determinize: Callable


class Widths(NamedTuple):
    """The lengths of a lane's rows, constants to compiled loops."""

    actions: int
    observation: int
    seats: int

    @classmethod
    def of(cls, game: Game) -> "Widths":
        """Return those of a game."""
        return cls(game.num_actions, game.encoder.layout.size, game.max_seats)


@rule
def rows_of(game, widths, table):
    """Return the arrays of a table, `widths` as of `Widths`; in compiled loops `game` is a game's room.

    Who unpacks them hands them on to rules that write: numba takes arrays that a function has got by itself for its
    own, and leaves out what it writes into them last.
    """
    lanes, (actions, observation, seats) = table.lanes, widths
    return Rows(
        array_at(table.states, (lanes,), game.STATE),
        array_at(table.seeds, (lanes,), LONG),
        array_at(table.episodes, (lanes,), LONG),
        array_at(table.seats, (lanes,), BYTE),
        array_at(table.masks, (lanes, actions), FLAG),
        array_at(table.observations, (lanes, observation), BYTE),
        array_at(table.payoffs, (lanes, seats), FLOAT),
        array_at(table.over, (lanes,), FLAG),
    )


@rule
def claim(tables, who):
    """Take a table for a thread; False if another one has it, for two would mix the states of a lane.

    A thread that has it already was interrupted before it could leave it.
    """
    address = address_of(tables)
    return swap(address, 0, who) or swap(address, who, who)


def _take(tables, who):
    return claim(tables, who)


@rule
def release(tables, who):
    """Leave a table to others, if this thread has it."""
    swap(address_of(tables), who, 0)


@rule
def row(rows, lane):
    """Return one row of a two-dimensional array."""
    return borrow_row(rows, lane, rows.shape[1])


@rule
def observe(game, rules, state, seat, view, observation):
    """Write what a seat observes; `view` is scratch."""
    observation[:] = 0
    game.information_set(rules, state, seat, view, False)
    game.encode(view, observation)


@rule
def begin_next(game, rules, rows, lane):
    """Begin the next episode of a lane."""
    rows.episodes[lane] += 1
    start(game, rules, rows.states[lane], derive(rows.seeds[lane], rows.episodes[lane]))


@rule
def show_turn(game, rules, rows, lane):
    """Write whose turn it is in a lane, and its mask; none is legal at the end."""
    state, mask = rows.states[lane], row(rows.masks, lane)
    rows.seats[lane] = state.to_act
    mask[:] = False
    if not state.over:
        game.legal_actions(rules, state, mask)


@rule
def show_view(game, rules, rows, lane, view):
    """Write what the seat to act in a lane observes."""
    state = rows.states[lane]
    observe(game, rules, state, state.to_act, view, row(rows.observations, lane))


@rule
def first_refused(rows, actions, first, end):
    """Return the first of some lanes whose action its mask forbids, or LEGAL; WAIT is allowed, all is at the end."""
    for lane in range(first, end):
        action = actions[lane]
        if 0 <= action < rows.masks.shape[1] and rows.masks[lane, action]:
            continue
        if action != WAIT and not rows.states[lane].over:
            return lane
    return LEGAL


@rule
def random_action(mask, key, lane):
    """Return the legal action that `key` draws for a lane; WAIT if there is none."""
    legal = count_marks(mask)
    return find_mark(mask, draw(key, lane, legal)) if legal else WAIT


@rule
def draw_actions(masks, key, actions, first, end):
    """Draw a legal action for each lane from `first` to before `end` into `actions`; 0 where there is none."""
    for lane in range(first, end):
        actions[lane] = max(random_action(row(masks, lane), key, lane), 0)


@rule
def only_action(mask):
    """Return the one legal action, or -1 if there is a choice."""
    return find_mark(mask, 0) if count_marks(mask) == 1 else -1


@rule
def fetch_lane(rows, lane, observed):
    """Begin to bring what is written of a lane into the cache."""
    size = rows.states.itemsize
    fetch_ahead(address_of(rows.states) + lane * size, min(size, MOST_AHEAD))
    fetch_ahead(address_of(rows.masks) + lane * rows.masks.shape[1], rows.masks.shape[1])
    if observed:
        fetch_ahead(
            address_of(rows.observations) + lane * rows.observations.shape[1], rows.observations.shape[1]
        )


@rule
def play_on(game, rules, rows, lane, action, renew, skip_forced):
    """Play an action and, with `skip_forced`, those that follow without a choice in the same deal; show the turn."""
    state = rows.states[lane]
    while action >= 0:
        advance(game, rules, state, action)
        settled = state.settled
        for seat in range(rows.payoffs.shape[1]):
            rows.payoffs[lane, seat] = state.payoff[seat] if settled else 0
        rows.over[lane] = state.over
        if state.over and renew:
            begin_next(game, rules, rows, lane)
        show_turn(game, rules, rows, lane)
        action = only_action(row(rows.masks, lane)) if skip_forced and not settled else -1


@rule
def play_lanes(game, rules, table, rows, actions, steps, key, first, end):
    """Play in every lane from `first` to before `end` its action or, for `steps` above 0, so many drawn ones."""
    renew, skip_forced, observed = table.renew, table.skip_forced, table.observe
    view = blank(1, game.VIEW)[0]
    for lane in range(first, end):
        fetch_lane(rows, min(lane + AHEAD, end - 1), observed)
        for number in range(max(steps, 1)):
            action = (
                random_action(row(rows.masks, lane), derive(key, number), lane) if steps else actions[lane]
            )
            if action == WAIT or rows.states[lane].over:
                for seat in range(rows.payoffs.shape[1]):
                    rows.payoffs[lane, seat] = 0
                rows.over[lane] = rows.states[lane].over
                continue
            play_on(game, rules, rows, lane, action, renew, skip_forced)
            if observed:
                show_view(game, rules, rows, lane, view)


@functools.cache
def kernels(game: Game) -> Kernels:
    """Return the compiled loops of a game; compiling (seconds) happens at their first call on a machine."""
    room, widths = game.room, Widths.of(game)
    rules_record = game.variant().as_record(game.rules_type).dtype

    def begin(rules, tables):
        rows = rows_of(room, widths, tables[0])
        for lane in range(len(rows.states)):
            start(room, rules, rows.states[lane], derive(rows.seeds[lane], rows.episodes[lane]))

    def play(tables, first, end, job, actions, steps, key, who):
        if not claim(tables, who):
            return BUSY
        table = tables[0]
        rules, rows = array_at(table.rules, (1,), rules_record)[0], rows_of(room, widths, table)
        refused = LEGAL
        if job == SAMPLE:
            draw_actions(rows.masks, key, actions, first, end)
        if job in (CHECK, STEP):
            refused = first_refused(rows, actions, first, end)
        if job == PLAY or (job == STEP and refused == LEGAL):
            play_lanes(room, rules, table, rows, actions, steps, key, first, end)
        release(tables, who)
        return refused

    def show(rules, tables):
        table = tables[0]
        rows = rows_of(room, widths, table)
        view = blank(1, room.VIEW)[0]
        for lane in range(table.lanes):
            show_turn(room, rules, rows, lane)
            if table.observe:
                show_view(room, rules, rows, lane, view)

    def look(rules, tables, seat, observations):
        rows = rows_of(room, widths, tables[0])
        view = blank(1, room.VIEW)[0]
        for lane in range(len(rows.states)):
            observe(room, rules, rows.states[lane], seat, view, borrow_row(observations, lane, widths[1]))

    def views(rules, states, out, keys):
        for lane in range(len(states)):
            room.information_set(rules, states[lane], states[lane].to_act, out[lane])
            keys[lane] = noise_key(states[lane])

    def view_of(rules, states, seat, out):
        for lane in range(len(states)):
            room.information_set(rules, states[lane], seat, out[lane])

    def encode(views, observations):
        for lane in range(len(views)):
            observation = borrow_row(observations, lane, widths[1])
            observation[:] = 0
            room.encode(views[lane], observation)

    def determinize(rules, views, keys, states):
        for lane in range(len(states)):
            room.determinize(rules, views[lane], keys[lane], states[lane])

    return Kernels(
        begin=compiled(begin, game),
        play=compiled(play, game),
        show=compiled(show, game),
        look=compiled(look, game),
        pick=pick,
        views=compiled(views, game),
        view_of=compiled(view_of, game),
        encode=compiled(encode, game),
        determinize=compiled(determinize, game),
    )


def _pick(masks, key, actions):
    draw_actions(masks, key, actions, 0, len(masks))


pick = compiled(_pick)
take = compiled(
    _take
)  # `claim` for Python code: in Python itself another thread may come between look and write
