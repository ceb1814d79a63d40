"""The compiled loops over lanes, made once for each game and kept in numba's disk cache.

Every loop is a closure over plain importable functions and one number, the digest of the sources it is made
from. Numba keeps machine code under the values a closure captures, so the next process finds it at once,
while an edit of any rules file changes the digest and with it the name under which the code is looked up.
"""

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from gupai_env.core.crew import (
    ACTIONS,
    ALONE,
    JOB,
    KEY,
    LEADER,
    LINE,
    STEPS,
    STOP,
    THREADS,
    finish,
    help_on,
    lead_on,
    post,
    store,
)
from gupai_env.core.game import Game, advance, noise_key, start
from gupai_env.core.layout import Encoder
from gupai_env.core.rng import derive, draw
from gupai_env.core.rows import (
    address_of,
    array_at,
    blank,
    borrow_row,
    count_marks,
    fetch_ahead,
    find_mark,
)
from gupai_env.core.rule import rule

PACKAGE = Path(__file__).parents[1]
AHEAD, MOST_AHEAD = 2, 384  # lanes; bytes of a state, for what lies behind is history, written but not read
LEGAL = -1  # what `play` returns when every action was legal
WAIT = -2  # in place of an action: leave the lane as it is
# Jobs: play given actions, checked first or as they are; play random ones; draw random ones.
CHECK, PLAY, RANDOM, SAMPLE = range(4)

TABLE = np.dtype(  # of B lanes: how many they are, where their arrays lie, how they are played
    [
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
        ("words", "i8"),  # int64, see `crew`
        ("threads", "i8"),
        ("renew", "?"),
        ("skip_forced", "?"),
        ("observe", "?"),
    ],
    align=True,
)
FLAG, BYTE, LONG, FLOAT = map(np.dtype, (np.bool_, np.int8, np.int64, np.float32))


@functools.cache
def _core_digest() -> bytes:
    digest = hashlib.sha256()
    for folder in ("core", "games", "encoders"):
        for path in sorted((PACKAGE / folder).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()


def sources_digest(*functions: Callable) -> int:
    """Return a number that changes with any edit of the engine or of the modules that define `functions`."""
    digest = hashlib.sha256(_core_digest())
    for module in sorted({function.__module__ for function in functions}):
        digest.update(Path(str(sys.modules[module].__file__)).read_bytes())
    return int.from_bytes(digest.digest()[:7], "big")


def compiled(loop: Callable) -> Callable:
    """Compile a loop that releases the interpreter lock; its machine code is kept on disk."""
    return numba.njit(loop, cache=True, nogil=True)


def bind(loop: Any, *arguments: Any, later: tuple = ()) -> Callable:
    """Return a compiled loop with its first arguments, to be called with the rest; `later` are examples of these.

    An ordinary call looks at the type of every argument each time, which takes longer than many a decision.
    Arrays are held on to: what the loop reads and writes are their contents at the time of a call.
    """
    return functools.partial(loop.compile(tuple(map(numba.typeof, arguments + later))), *arguments)


def table_of(
    num_lanes: int, *, renew: bool, skip_forced: bool, observe: bool, threads: int = 1, **arrays: np.ndarray
) -> np.ndarray:
    """Return the one argument by which compiled loops take the arrays of a table, TABLE [1].

    It tells where they lie; the caller keeps these very arrays alive, and makes a new table for copies of them.
    """
    table = np.zeros(1, TABLE)
    table["lanes"], table["threads"] = num_lanes, threads
    table["renew"], table["skip_forced"], table["observe"] = renew, skip_forced, observe
    for name, array in arrays.items():
        table[name] = array.ctypes.data
    return table


class Kernels(NamedTuple):
    """The compiled loops of one game; arrays have one row a lane, and `rules` are the variant's numbers.

    begin(rules, table): starts episode number `episodes` of every lane's stream `seeds`.
    play(table, thread, job, actions, steps, key): by job,
        CHECK: plays one of `actions`, int64 [B], a lane, and with `skip_forced` also those that follow without a choice
            in the same deal; starts the next episode where one ends (if `renew`), then shows the turn. A lane whose
            action is WAIT, or that is over, stays as it is. Returns the first lane whose action its mask forbids,
            with nothing changed, or LEGAL.
        RANDOM: likewise `steps` times in every lane, with the actions that SAMPLE draws from keys 0, 1, ... of the
            stream `key`.
        SAMPLE: draws one legal action a lane from `key` into `actions`.
        ALONE is the `thread` that does it all; for LEADER and helpers see `crew`.
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


@rule
def show_turn(legal_actions, information_set, encode, rules, state, observe, view, mask, observation):
    """Clear and fill the mask and, if `observe`, the observation of the seat to act; none is legal at the end."""
    mask[:] = False
    if not state.over:
        legal_actions(rules, state, mask)
    if observe:
        observation[:] = 0
        information_set(rules, state, state.to_act, view, False)
        encode(view, observation)


@rule
def first_refused(states, masks, actions, first, end):
    """Return the first of some lanes whose action its mask forbids, or LEGAL; WAIT is allowed, all is at the end."""
    for lane in range(first, end):
        action = actions[lane]
        if 0 <= action < masks.shape[1] and masks[lane, action]:
            continue
        if action != WAIT and not states[lane].over:
            return lane
    return LEGAL


@rule
def random_action(mask, key, lane):
    """Return the legal action that `key` draws for a lane; WAIT if there is none."""
    legal = count_marks(mask)
    return find_mark(mask, draw(key, lane, legal)) if legal else WAIT


@rule
def draw_actions(masks, num_actions, key, actions, first, end):
    """Draw a legal action for each lane from `first` to before `end` into `actions`; 0 where there is none."""
    for lane in range(first, end):
        actions[lane] = max(random_action(borrow_row(masks, lane, num_actions), key, lane), 0)


@rule
def only_action(mask):
    """Return the one legal action, or -1 if there is a choice."""
    return find_mark(mask, 0) if count_marks(mask) == 1 else -1


@rule
def play_lanes(
    deal,
    legal_actions,
    step,
    payoffs_of,
    next_deal,
    information_set,
    encode,
    state_type,
    view_type,
    state_size,
    num_actions,
    size,
    max_seats,
    rules,
    table,
    first,
    end,
    random,
    actions,
    steps,
    key,
):
    """Play in every lane from `first` to before `end` its action or, if `random`, `steps` drawn ones; see `Kernels`."""
    lanes, renew, skip_forced, observe = table.lanes, table.renew, table.skip_forced, table.observe
    states = array_at(table.states, (lanes,), state_type)
    seeds = array_at(table.seeds, (lanes,), LONG)
    episodes = array_at(table.episodes, (lanes,), LONG)
    seats = array_at(table.seats, (lanes,), BYTE)
    masks = array_at(table.masks, (lanes, num_actions), FLAG)
    observations = array_at(table.observations, (lanes, size), BYTE)
    payoffs = array_at(table.payoffs, (lanes, max_seats), FLOAT)
    over = array_at(table.over, (lanes,), FLAG)
    view = blank(1, view_type)[0]
    for lane in range(first, end):
        soon = min(lane + AHEAD, end - 1)
        fetch_ahead(table.states + soon * state_size, min(state_size, MOST_AHEAD))
        fetch_ahead(table.masks + soon * num_actions, num_actions)
        if observe:
            fetch_ahead(table.observations + soon * size, size)
        state, mask = states[lane], borrow_row(masks, lane, num_actions)
        observation = borrow_row(observations, lane, size)
        for number in range(steps):
            action = random_action(mask, derive(key, number), lane) if random else actions[lane]
            if action == WAIT or state.over:
                payoffs[lane, :] = 0
                over[lane] = state.over
                continue
            while action >= 0:
                advance(step, payoffs_of, next_deal, deal, rules, state, action)
                if not skip_forced or state.settled:
                    break
                mask[:] = False
                legal_actions(rules, state, mask)
                action = only_action(mask)
            for seat in range(max_seats):
                payoffs[lane, seat] = state.payoff[seat] if state.settled else 0
            over[lane] = state.over
            if state.over and renew:
                episodes[lane] += 1
                start(deal, rules, state, derive(seeds[lane], episodes[lane]))
            seats[lane] = state.to_act
            show_turn(legal_actions, information_set, encode, rules, state, observe, view, mask, observation)


@functools.cache
def kernels(game: Game, encoder: Encoder) -> Kernels:
    """Return the compiled loops of a game; compiling (seconds) happens at their first call on a machine."""
    deal, legal_actions, step, payoffs_of = game.deal, game.legal_actions, game.step, game.payoffs
    next_deal, information_set, determinize_one = game.next_deal, game.information_set, game.determinize
    encode = encoder.encode
    rules_record = game.variant().as_record(game.rules_type).dtype
    state_type, view_type, state_size = game.state, game.view, game.state.itemsize
    num_actions, size, max_seats = game.num_actions, encoder.layout.size, game.max_seats
    digest = sources_digest(deal, encode)

    def begin(rules, tables):
        _ = digest
        table = tables[0]
        states = array_at(table.states, (table.lanes,), state_type)
        seeds = array_at(table.seeds, (table.lanes,), LONG)
        episodes = array_at(table.episodes, (table.lanes,), LONG)
        for lane in range(table.lanes):
            start(deal, rules, states[lane], derive(seeds[lane], episodes[lane]))

    def play(tables, thread, job, actions, steps, key):
        _ = digest
        table = tables[0]
        lanes, threads = table.lanes, table.threads
        rules = array_at(table.rules, (1,), rules_record)[0]
        states = array_at(table.states, (lanes,), state_type)
        masks = array_at(table.masks, (lanes, num_actions), FLAG)
        words = array_at(table.words, (THREADS + threads * LINE,), LONG)
        first, end, where = 0, lanes, address_of(actions)
        if thread == LEADER:
            post(words, threads, job, where, steps, key)
        while True:
            if thread == LEADER:
                first, end = lead_on(words, threads, lanes)
                if first == end:  # all is done
                    if job != CHECK:
                        return LEGAL
                    if words[STOP]:
                        return first_refused(states, masks, actions, 0, lanes)
                    job = PLAY
                    post(words, threads, job, where, steps, key)
                    continue
            elif thread != ALONE:
                first, end = help_on(words, threads, thread, lanes)
                if first == end:  # nothing to do
                    return LEGAL
                job, where, steps, key = words[JOB], words[ACTIONS], words[STEPS], words[KEY]
            chosen = array_at(where, (lanes,), LONG)
            refused = LEGAL
            if job == SAMPLE:
                draw_actions(masks, num_actions, key, chosen, first, end)
            elif job == CHECK:
                refused = first_refused(states, masks, chosen, first, end)
            else:
                play_lanes(
                    deal,
                    legal_actions,
                    step,
                    payoffs_of,
                    next_deal,
                    information_set,
                    encode,
                    state_type,
                    view_type,
                    state_size,
                    num_actions,
                    size,
                    max_seats,
                    rules,
                    table,
                    first,
                    end,
                    job == RANDOM,
                    chosen,
                    steps,
                    key,
                )
            if thread != ALONE:
                if refused != LEGAL:
                    store(words, STOP, 1)
                finish(words, thread, end - first)
            elif job == CHECK and refused == LEGAL:
                job = PLAY
            else:
                return refused

    def show(rules, tables):
        _ = digest
        table = tables[0]
        lanes, observe = table.lanes, table.observe
        states = array_at(table.states, (lanes,), state_type)
        seats = array_at(table.seats, (lanes,), BYTE)
        masks = array_at(table.masks, (lanes, num_actions), FLAG)
        observations = array_at(table.observations, (lanes, size), BYTE)
        view = blank(1, view_type)[0]
        for lane in range(lanes):
            state, mask = states[lane], borrow_row(masks, lane, num_actions)
            seats[lane] = state.to_act
            show_turn(
                legal_actions,
                information_set,
                encode,
                rules,
                state,
                observe,
                view,
                mask,
                borrow_row(observations, lane, size),
            )

    def look(rules, tables, seat, observations):
        _ = digest
        table = tables[0]
        lanes = table.lanes
        states = array_at(table.states, (lanes,), state_type)
        view = blank(1, view_type)[0]
        for lane in range(lanes):
            observation = borrow_row(observations, lane, size)
            observation[:] = 0
            information_set(rules, states[lane], seat, view, False)
            encode(view, observation)

    def views(rules, states, out, keys):
        _ = digest
        for lane in range(len(states)):
            information_set(rules, states[lane], states[lane].to_act, out[lane])
            keys[lane] = noise_key(states[lane])

    def view_of(rules, states, seat, out):
        _ = digest
        for lane in range(len(states)):
            information_set(rules, states[lane], seat, out[lane])

    def encode_all(views, observations):
        _ = digest
        for lane in range(len(views)):
            observation = borrow_row(observations, lane, size)
            observation[:] = 0
            encode(views[lane], observation)

    def determinize(rules, views, keys, states):
        _ = digest
        for lane in range(len(states)):
            determinize_one(rules, views[lane], keys[lane], states[lane])

    return Kernels(
        begin=compiled(begin),
        play=compiled(play),
        show=compiled(show),
        look=compiled(look),
        pick=pick,
        views=compiled(views),
        view_of=compiled(view_of),
        encode=compiled(encode_all),
        determinize=compiled(determinize),
    )


def _pick(masks, key, actions):
    draw_actions(masks, masks.shape[1], key, actions, 0, len(masks))


pick = compiled(_pick)
