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

from gupai_env.core.game import Game, advance, noise_key, start
from gupai_env.core.layout import Encoder
from gupai_env.core.rng import derive, draw
from gupai_env.core.rows import borrow_row, count_marks, find_mark
from gupai_env.core.rule import rule

PACKAGE = Path(__file__).parents[1]
LEGAL = -1  # what `play` returns when every action was legal
WAIT = -2  # in place of an action: leave the lane as it is


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


class Kernels(NamedTuple):
    """The compiled loops of one game; arrays have one row a lane, and `rules` are the variant's numbers.

    begin(rules, states, seeds, episodes): starts episode number `episodes` of every lane's stream `seeds`.
    play(rules, states, actions, seeds, episodes, renew, skip_forced, observe, view, seats, masks, observations,
        payoffs, over): plays one action a lane, and with `skip_forced` also those that follow without a choice
        in the same deal; starts the next episode where one ends (if `renew`), then shows the turn. A lane
        whose action is WAIT, or that is over, stays as it is. Returns the first lane whose action its mask
        forbids, with nothing changed, or LEGAL.
    play_random(rules, states, first, seeds, episodes, renew, skip_forced, observe, view, seats, masks, observations,
        payoffs, over, steps, key): as `play`, `steps` times in every lane, with the actions that `pick` would draw
        from keys 0, 1, ... of the stream `key`; `first` is the number of the first lane.
    show(rules, states, observe, view, seats, masks, observations): the seat to act, its mask, its observation.
    look(rules, states, seat, view, observations): what one given seat of every lane observes.
    pick(masks, key, actions, first=0): draws one legal action a lane, for lanes from number `first` on.
    views(rules, states, views, keys): the information set of the seat to act, and its key of chance, int64.
    view_of(rules, states, seat, views): the information set of one given seat.
    encode(views, observations): views as vectors.
    determinize(rules, views, keys, states): a state drawn from every view.
    """

    begin: Callable
    play: Callable
    play_random: Callable
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
        information_set(rules, state, state.to_act, view)
        encode(view, observation)


@rule
def play_lanes(
    deal,
    legal_actions,
    step,
    payoffs_of,
    next_deal,
    information_set,
    encode,
    num_actions,
    size,
    max_seats,
    rules,
    states,
    actions,
    steps,
    key,
    first,
    seeds,
    episodes,
    renew,
    skip_forced,
    observe,
    view,
    seats,
    masks,
    observations,
    payoffs,
    over,
):
    """Play in every lane its action or, if there are no `actions`, `steps` random ones; see `Kernels`.

    The loop over lanes stands in here because an array that is passed on is counted as in use, see `rows`.
    """
    for lane in range(len(states)):
        state, mask, observation = (
            states[lane],
            borrow_row(masks, lane, num_actions),
            borrow_row(observations, lane, size),
        )
        for number in range(steps):
            if len(actions):
                action = actions[lane]
            else:
                action = random_action(mask, derive(key, number), first + lane)
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
            show_turn(
                legal_actions, information_set, encode, rules, state, observe, view[0], mask, observation
            )


@rule
def first_refused(states, masks, actions):
    """Return the first lane whose action its mask forbids, or LEGAL; WAIT is allowed, and anything at the end."""
    for lane in range(len(states)):
        action = actions[lane]
        if action == WAIT or states[lane].over:
            continue
        if action < 0 or action >= masks.shape[1] or not masks[lane, action]:
            return lane
    return LEGAL


@rule
def random_action(mask, key, lane):
    """Return the legal action that `key` draws for a lane; WAIT if there is none."""
    legal = count_marks(mask)
    return find_mark(mask, draw(key, lane, legal)) if legal else WAIT


@rule
def only_action(mask):
    """Return the one legal action, or -1 if there is a choice."""
    return find_mark(mask, 0) if count_marks(mask) == 1 else -1


@functools.cache
def kernels(game: Game, encoder: Encoder) -> Kernels:
    """Return the compiled loops of a game; compiling (seconds) happens at their first call on a machine."""
    deal, legal_actions, step, payoffs_of = game.deal, game.legal_actions, game.step, game.payoffs
    next_deal, information_set, determinize_one = game.next_deal, game.information_set, game.determinize
    encode = encoder.encode
    num_actions, size, max_seats = game.num_actions, encoder.layout.size, game.max_seats
    digest = sources_digest(deal, encode)

    def begin(rules, states, seeds, episodes):
        _ = digest
        for lane in range(len(states)):
            start(deal, rules, states[lane], derive(seeds[lane], episodes[lane]))

    def play(
        rules,
        states,
        actions,
        seeds,
        episodes,
        renew,
        skip_forced,
        observe,
        view,
        seats,
        masks,
        observations,
        payoffs,
        over,
    ):
        _ = digest
        lane = first_refused(states, masks, actions)
        if lane != LEGAL:
            return lane
        play_lanes(
            deal,
            legal_actions,
            step,
            payoffs_of,
            next_deal,
            information_set,
            encode,
            num_actions,
            size,
            max_seats,
            rules,
            states,
            actions,
            1,
            0,
            0,
            seeds,
            episodes,
            renew,
            skip_forced,
            observe,
            view,
            seats,
            masks,
            observations,
            payoffs,
            over,
        )
        return LEGAL

    def play_random(
        rules,
        states,
        first,
        seeds,
        episodes,
        renew,
        skip_forced,
        observe,
        view,
        seats,
        masks,
        observations,
        payoffs,
        over,
        steps,
        key,
    ):
        _ = digest
        play_lanes(
            deal,
            legal_actions,
            step,
            payoffs_of,
            next_deal,
            information_set,
            encode,
            num_actions,
            size,
            max_seats,
            rules,
            states,
            episodes[:0],  # no actions
            steps,
            key,
            first,
            seeds,
            episodes,
            renew,
            skip_forced,
            observe,
            view,
            seats,
            masks,
            observations,
            payoffs,
            over,
        )

    def show(rules, states, observe, view, seats, masks, observations):
        _ = digest
        for lane in range(len(states)):
            state = states[lane]
            seats[lane] = state.to_act
            show_turn(
                legal_actions,
                information_set,
                encode,
                rules,
                state,
                observe,
                view[0],
                borrow_row(masks, lane, num_actions),
                borrow_row(observations, lane, size),
            )

    def look(rules, states, seat, view, observations):
        _ = digest
        for lane in range(len(states)):
            observation = borrow_row(observations, lane, size)
            observation[:] = 0
            information_set(rules, states[lane], seat, view[0])
            encode(view[0], observation)

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
        play_random=compiled(play_random),
        show=compiled(show),
        look=compiled(look),
        pick=pick,
        views=compiled(views),
        view_of=compiled(view_of),
        encode=compiled(encode_all),
        determinize=compiled(determinize),
    )


def _pick(masks, key, actions, first=0):
    for lane in range(len(masks)):
        action = random_action(borrow_row(masks, lane, masks.shape[1]), key, first + lane)
        if action != WAIT:
            actions[lane] = action


pick = compiled(_pick)
refused = compiled(first_refused)
