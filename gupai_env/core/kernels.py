"""The compiled loops over lanes, made once for each game and kept in numba's disk cache.

A loop takes a game as one argument: its module, which the loop captures and hands on to the rules it calls.
"""

import functools
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gupai_env.core.bits import in_words, nth_one, ones
from gupai_env.core.byte_rows import BLOCK, MARKS, copy_block, count_marks, find_mark, marks_from
from gupai_env.core.compiling import Loop, compiled
from gupai_env.core.episode import advance, noise_key, start
from gupai_env.core.game import Game
from gupai_env.core.memory import address_of, array_at, blank, prefetch, scratch, tuple_at
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule

LEGAL = -1  # instead of the first lane whose action is refused
WAIT = -2  # instead of an action: leave the lane as it is
MOST_ENVS = 1 << 22
MOST_STEPS = (1 << 31) - 1  # of one call, which nothing can interrupt
# Lanes whose memory is asked for, bytes that come at once, and of the state, which may end with a log of the deal.
AHEAD, LINE, NEAR = 3, 64, 384
PIECE, MOST_WIDE = 32, 448  # of bytes on a GPU: what its memory writes at once, and a row that is written so

TABLE = np.dtype(  # of B lanes: their number, the addresses of their arrays, how they are played
    [
        ("envs", "i8"),
        ("first", "i8"),  # of those that a thread plays,
        ("end", "i8"),  # and the one after the last
        ("rules", "i8"),  # what `record_of` the variant's numbers returns
        ("states", "i8"),  # records [B]
        ("seeds", "i8"),  # int64 [B], the stream of episodes of a lane
        ("episodes", "i8"),  # int64 [B], the number of the one under way
        ("seats", "i8"),  # int8 [B], the seat to act
        ("masks", "i8"),  # bool [B, num_actions]
        ("observations", "i8"),  # int8 [B, layout.size]
        ("rewards", "i8"),  # float32 [B, max_seats]
        ("terminated", "i8"),  # bool [B]
        ("renew", "?"),
        ("skip_forced", "?"),
        ("observe", "?"),
    ],
    align=True,
)
FLAG, BYTE, LONG, FLOAT = map(np.dtype, (np.bool_, np.int8, np.int64, np.float32))


# A table, unpacked: the variant's numbers, the arrays, how its lanes are played, how many actions there are, and
# whether its rows are `Widths.wide`.
Rows = namedtuple(
    "Rows",
    "rules states seeds episodes seats masks observations rewards terminated renew skip_forced observe actions wide",
)


def blank_arrays(game: Game, num_envs: int) -> dict[str, np.ndarray]:
    """Return the arrays of a table of a game, by name, before anything is dealt."""
    actions, _, observation, seats, *_ = Widths.of(game)
    return {
        "states": game.new_states(num_envs),
        "seeds": np.zeros(num_envs, LONG),
        "episodes": np.zeros(num_envs, LONG),
        "seats": np.zeros(num_envs, BYTE),
        "masks": np.zeros((num_envs, actions), FLAG),
        "observations": np.zeros((num_envs, observation), BYTE),
        "rewards": np.zeros((num_envs, seats), FLOAT),
        "terminated": np.zeros(num_envs, FLAG),
    }


def address_in(array: np.ndarray, name: str) -> int:
    """Return the address that a table holds of an array; name: of the array, for the error.

    Raises:
        ValueError: For an array that must not be written to, or whose rows are not side by side.
    """
    if not array.flags.carray:
        raise ValueError(f"{name} must be an array side by side in memory that can be written to")
    return array.ctypes.data


def table_of(
    num_envs: int, addresses: Mapping[str, int], *, renew: bool, skip_forced: bool, observe: bool
) -> np.ndarray:
    """Return the one argument by which compiled loops take the arrays of a table, TABLE [1].

    It holds their addresses; the caller keeps these arrays alive, and makes a new table for copies of them.
    """
    table = np.zeros(1, TABLE)
    table["envs"] = table["end"] = num_envs
    table["renew"], table["skip_forced"], table["observe"] = renew, skip_forced, observe
    for name, address in addresses.items():
        table[name] = address
    return table


class Kernels(NamedTuple):
    """The compiled loops of one game; arrays have one row per lane, and `rules` are the variant's numbers.

    begin(table): starts episode number `episodes` of every lane's stream `seeds`.
    check(table, actions): returns the first lane whose action, int64 [B], its mask forbids, or LEGAL.
    step(table, actions): in the lanes from `first` to before `end` of the table plays an action each and, with
        `skip_forced`, those that follow without a choice in the same deal; starts the next episode where one ends (if
        `renew`), then shows the turn. A lane whose action is WAIT, or that is over, stays as it is. Returns the first
        of these lanes whose action its mask forbids, having played none, or LEGAL.
    play_random(table, steps, key): the same `steps` times, with what `pick` draws from keys 0, 1, ... of the stream
        `key`.
    show(table): fills the seat to act, its mask and its observation.
    observe_seat(table, seat, observations): what one given seat of every lane observes, one after the other.
    pick(masks, key, actions): draws one legal action per lane; 0 where there is none.
    views(rules, states, views, rng_keys): the information set of the seat to act, and its RNG key, int64.
    view_of(rules, states, seat, views): the information set of one given seat.
    encode(views, observations): views as vectors.
    determinize(rules, views, rng_keys, states): a state drawn from every view.
    """

    begin: Loop
    check: Loop
    step: Loop
    play_random: Loop
    show: Loop
    observe_seat: Loop
    pick: Loop
    views: Loop
    view_of: Loop
    encode: Loop
    determinize: Loop


class Widths(NamedTuple):
    """The lengths of a lane's rows, constants to compiled loops; `begin` is 0 in bits that no address of a row has.

    A row of masks has as many entries as there are actions, or more, which are never true.
    """

    actions: int
    mask: int
    observation: int
    seats: int
    state: int
    begin: int = -1

    @classmethod
    def of(cls, game: Game) -> "Widths":
        """Return those of a game."""
        actions = game.num_actions
        return cls(actions, actions, game.encoder.layout.size, game.max_seats, game.state.itemsize)

    def wide(self) -> "Widths":
        """Return those on a GPU, where rows of masks and observations begin and end at multiples of PIECE."""
        mask, observation = (-(-length // PIECE) * PIECE for length in (self.mask, self.observation))
        return self._replace(mask=mask, observation=observation, begin=-PIECE)


@rule
def rows_of(game, widths, rules, table):
    """Return a table unpacked, `widths` as of `Widths`, `rules` of the type of its own; `game` is a game's module.

    The caller that unpacks them passes them on to the rules that write: numba takes arrays that a function has created
    itself for local, and drops its last writes to them.
    """
    # The widths come from the game and not from the table: as constants they let LLVM unroll the loops over a mask and
    # clear it with a few wide stores.
    envs, (actions, mask, observation, seats, _, begin) = table.envs, widths
    return Rows(
        tuple_at(table.rules, rules),
        array_at(table.states & begin, (envs,), game.STATE),
        array_at(table.seeds, (envs,), LONG),
        array_at(table.episodes, (envs,), LONG),
        array_at(table.seats, (envs,), BYTE),
        array_at(table.masks & begin, (envs, mask), FLAG),
        array_at(table.observations & begin, (envs, observation), BYTE),
        array_at(table.rewards & begin, (envs, seats), FLOAT),
        array_at(table.terminated, (envs,), FLAG),
        table.renew,
        table.skip_forced,
        table.observe,
        actions,
        begin != -1 and max(mask, observation) <= MOST_WIDE,
    )


def own(lane: int, first: int) -> int:
    """Return a lane as it is; on a GPU, in place of `first` the lane of a thread, else at most the one after it."""
    return lane


@rule
def lanes(first, end):
    """Return the lanes from `first` to before `end` that a call plays: on a GPU that of one thread, else all."""
    return range(own(first, first), own(end, first))


def hidden(lane: int) -> int:
    """Return a lane as it is; on a GPU, a loop that begins so keeps nothing that was calculated of it in registers."""
    return lane


in_words(own, lambda builder, lane, first: lane)
in_words(hidden, lambda builder, lane: lane)


@rule
def prefetch_lane(rows, widths, lane):
    """Let the processor fetch what a lane's step writes to; for few lanes, whose memory is near, it changes nothing."""
    for offset in range(0, min(widths.state, NEAR), LINE):
        prefetch(rows.states, lane, offset)
    for offset in range(0, widths.observation, LINE):
        prefetch(rows.observations, lane, offset)
    for offset in range(0, widths.mask, LINE):
        prefetch(rows.masks, lane, offset)


@rule
def observe(game, rules, state, seat, view, observation):
    """Write what a seat observes; `view` is scratch."""
    # Without the history of the deal, which no encoder reads: bytes that were just written, read as words, make the
    # processor wait, which took 16% of a decision.
    observation[:] = 0
    game.information_set(rules, state, np.int64(seat), view, False)
    game.encode(view, observation)


@rule
def begin_next(game, rules, rows, lane):
    """Begin the next episode of a lane."""
    rows.episodes[lane] += 1
    start(game, rules, rows.states[lane], derive(rows.seeds[lane], rows.episodes[lane]))


@rule
def show_turn(game, rules, rows, lane):
    """Write whose turn it is in a lane, and its mask; none is legal at the end."""
    # Views of the row, not copies: numba makes them on the stack, and the record is the state itself.
    state, row = rows.states[lane], rows.masks[lane]
    mask = scratch(MOST_WIDE, FLAG)[: len(row)] if rows.wide else row
    rows.seats[lane] = state.to_act
    mask[:] = False
    if not state.terminated:
        game.legal_actions(rules, state, mask[: rows.actions])
    hand_over(rows, mask, row)


@rule
def show_view(game, rules, rows, lane, view):
    """Write what the seat to act in a lane observes."""
    state, row = rows.states[lane], rows.observations[lane]
    observation = scratch(MOST_WIDE, BYTE)[: len(row)] if rows.wide else row
    observe(game, rules, state, state.to_act, view, observation)
    hand_over(rows, observation, row)


@rule
def hand_over(rows, written, row):
    """Copy to the row of a lane what a GPU's thread has written to memory of its own, byte by byte."""
    if rows.wide:
        for offset in range(0, len(row), BLOCK):
            copy_block(written, row, offset)


@rule
def first_refused(rows, actions, first, end):
    """Return the first of some lanes whose action its mask forbids, or LEGAL; WAIT is allowed, all is at the end."""
    # A pass of its own before any lane is played, so that a refused action leaves all lanes as they were.
    for lane in lanes(first, end):
        action = actions[lane]
        if 0 <= action < rows.masks.shape[1] and rows.masks[lane, action]:
            continue
        if action != WAIT and not rows.states[lane].terminated:
            return lane
    return LEGAL


@rule
def random_action(mask, key, lane):
    """Return the legal action that `key` draws for a lane; WAIT if there is none."""
    if len(mask) <= 2 * MARKS:  # one word, read only once
        marks = marks_from(mask, 0)
        legal = ones(marks)
        return nth_one(marks, draw(key, lane, legal)) if legal else WAIT
    legal = count_marks(mask)
    return find_mark(mask, draw(key, lane, legal)) if legal else WAIT


@rule
def only_action(mask):
    """Return the one legal action, or -1 if there is a choice."""
    return find_mark(mask, 0) if count_marks(mask) == 1 else -1


@rule
def play_on(game, rules, rows, lane, action):
    """Play an action and, with `skip_forced`, those that follow without a choice in the same deal; show the turn.

    Returns whether the last of them ended a deal, which is then paid.
    """
    # One loop for the action and those that are forced after it: a second call of `advance` would be a second copy of
    # all rules in the machine code, and as much more to compile.
    while True:
        lane = hidden(lane)
        state = rows.states[lane]
        advance(game, rules, state, action)
        settled = state.settled  # before `begin_next` deals again and clears it
        for seat in range(rows.rewards.shape[1]):
            rows.rewards[lane, seat] = state.payoff[seat] if settled else 0
        rows.terminated[lane] = state.terminated
        if state.terminated and rows.renew:
            begin_next(game, rules, rows, lane)
        show_turn(game, rules, rows, lane)
        action = only_action(rows.masks[lane]) if rows.skip_forced and not settled else -1
        if action < 0:
            return settled != 0


# One lane's pass. Every arrow is a call that is inlined, unless it says `long`; what is read and written is the
# lane's row of each array, with 168 to 832 bytes of state, which stays in the cache from the first line to the last.
#
#   actions[lane] -> play_lane                       the action was checked for all lanes before (`first_refused`)
#                      |
#                      +-> play_on -> advance -> step -> game.step      state.hands, state.to_act, ...
#                      |     ^          |
#                      |     |          +-> settle (long)               when the deal has ended:
#                      |     |          |     +-> game.payoffs          state.payoff, state.total
#                      |     |          +-> next_deal (long)
#                      |     |                +-> game.next_deal, deal  unless it was the last deal of the match
#                      |     +-> rewards[lane], terminated[lane]
#                      |     +-> begin_next -> start -> deal (long)     when the episode has ended, with `renew`
#                      |     +-> show_turn -> game.legal_actions        seats[lane], masks[lane]
#                      |     +-> again, with the only legal action      with `skip_forced`, in the same deal
#                      |
#                      +-> show_view -> game.information_set            a view on the stack, with `observe`
#                                         +-> game.encode               observations[lane]


@rule
def play_lane(game, rules, rows, lane, action, view):
    """Play an action in a lane, unless it is WAIT or its episode is over; `view` is scratch."""
    if action == WAIT or rows.states[lane].terminated:
        for seat in range(rows.rewards.shape[1]):
            rows.rewards[lane, seat] = 0
        rows.terminated[lane] = rows.states[lane].terminated
        return
    play_on(game, rules, rows, lane, action)
    if rows.observe:
        show_view(game, rules, rows, lane, view)


def loops_of_tables(game: Game, widths: Widths) -> list[Callable[..., Any]]:
    """Return the loops of a game that take a table with rows of some widths, to be compiled."""
    # A module, because numba looks up its functions when it compiles, so that each game has a program of its own.
    # `numbers` only tell the type: those of a table are read from its record.
    module, numbers = game.module, game.variant().as_rules()

    def begin(tables):
        rows = rows_of(module, widths, numbers, tables[0])
        for lane in lanes(0, len(rows.states)):
            start(module, rows.rules, rows.states[lane], derive(rows.seeds[lane], rows.episodes[lane]))

    def check(tables, actions):
        return first_refused(rows_of(module, widths, numbers, tables[0]), actions, 0, len(actions))

    def step(tables, actions):
        # One view for all lanes, on the stack: the compiler keeps what of it is read in registers, and writes no more.
        rows, view = rows_of(module, widths, numbers, tables[0]), blank(1, module.VIEW)[0]
        first, end = tables[0].first, tables[0].end
        refused = first_refused(rows, actions, first, end)
        if refused == LEGAL:
            for lane in lanes(first, end):
                if lane + AHEAD < end:
                    prefetch_lane(rows, widths, lane + AHEAD)
                play_lane(module, rows.rules, rows, lane, actions[lane], view)
        return refused

    def play_random(tables, steps, key):
        rows, view = rows_of(module, widths, numbers, tables[0]), blank(1, module.VIEW)[0]
        # Lane by lane and not step by step: the state of a lane stays in the cache for all its steps.
        for lane in lanes(tables[0].first, tables[0].end):
            for number in range(steps):
                action = random_action(rows.masks[lane], derive(key, number), lane)
                play_lane(module, rows.rules, rows, lane, action, view)

    def show(tables):
        rows, view = rows_of(module, widths, numbers, tables[0]), blank(1, module.VIEW)[0]
        for lane in lanes(0, len(rows.states)):
            show_turn(module, rows.rules, rows, lane)
            if rows.observe:
                show_view(module, rows.rules, rows, lane, view)

    def observe_seat(tables, seat, observations):
        rows, view = rows_of(module, widths, numbers, tables[0]), blank(1, module.VIEW)[0]
        by_lane = array_at(address_of(observations) & widths.begin, (len(rows.states), widths.observation), BYTE)
        for lane in lanes(0, len(rows.states)):
            observe(module, rows.rules, rows.states[lane], seat, view, by_lane[lane])

    return [begin, check, step, play_random, show, observe_seat]


def loops_of_views(game: Game) -> list[Callable[..., Any]]:
    """Return the loops of a game from states to views and back, to be compiled."""
    module = game.module

    def views(rules, states, out, rng_keys):
        for lane in lanes(0, len(states)):
            # An int64, as `view_of` passes it: with another type numba would compile the rules a second time.
            module.information_set(rules, states[lane], np.int64(states[lane].to_act), out[lane], True)
            rng_keys[lane] = noise_key(states[lane])

    def view_of(rules, states, seat, out):
        for lane in lanes(0, len(states)):
            module.information_set(rules, states[lane], seat, out[lane], True)

    def encode(views, observations):
        for lane in lanes(0, len(views)):
            observations[lane][:] = 0
            module.encode(views[lane], observations[lane])

    def determinize(rules, views, rng_keys, states):
        for lane in lanes(0, len(states)):
            module.determinize(rules, views[lane], rng_keys[lane], states[lane])

    return [views, view_of, encode, determinize]


@functools.cache
def kernels(game: Game) -> Kernels:
    """Return the compiled loops of a game; compiling (seconds) happens at their first call on a machine."""
    loops = loops_of_tables(game, Widths.of(game)) + loops_of_views(game)
    by_name = {loop.__name__: compiled(loop, game, plain_first=loop.__name__ != "play_random") for loop in loops}
    return Kernels(pick=pick, **by_name)


def _pick(masks, key, actions):
    for lane in lanes(0, len(masks)):
        actions[lane] = max(random_action(masks[lane], key, lane), 0)


pick = compiled(_pick, plain_first=True)
