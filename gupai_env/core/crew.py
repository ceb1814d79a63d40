"""A crew: threads that share out the lanes of one table, without a lock and, between calls, without sleep.

The thread that calls leads, the others help. They meet in a few words of memory, read and written by atomic
instructions. The leader posts a job; whoever is free claims one part of the lanes after another, of its own share
first, so that a lane mostly stays with the thread in whose cache it lies. The leader does what nobody else claims, and
waits for those parts alone that others have begun; so a helper that sleeps, or never comes, does no harm.

Helpers look for the next job in compiled code for some time before they go to sleep, for waking a thread takes longer
than many a job.
"""

import threading
import time
from collections.abc import Callable

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from gupai_env.core.rule import rule

ALONE, LEADER = -1, 0  # in place of the number of a helper, from 1
PART = 64  # decisions in a part, about; but there are at least
PIECES = 8  # parts in the share of a thread
LINE = 8  # words in a line of the cache

# The words of a crew by their places; what several threads write has a line to itself.
GENERATION, JOB, ACTIONS, STEPS, KEY = range(5)  # the number of the job, and what to do
STOP = LINE  # whether to stop after this job
THREADS = (
    2 * LINE
)  # and on, a line a thread: JOBS * generation + lanes of its share that are claimed, likewise lanes
CLAIMED, DONE, BEGUN, HERE = range(4)  # that it has done; the last job it has begun; whether it looks for one
JOBS = 1 << 32
NO_JOB = -1  # lanes claimed before there is a job: none can be

PATIENCE = 2000  # looks for a job before a helper goes to sleep: some 20 to 100 microseconds
GLANCES = 16  # looks after which it lets others have its core for a moment, if any want it
RECENTLY = 50e-6  # seconds in which a job that follows another is worth waking helpers, however small
WORTH_WAKING = 8192  # decisions, some 100 nanoseconds each, that are worth it in any case
NO_ACTIONS = np.zeros(0, np.int64)


def _atomic(build):
    """Return an instruction (words, at, value, other) -> int64, built from the address of a word."""

    @intrinsic
    def instruction(typing_context, words, at, value, other):
        def generate(context, builder, signature, arguments):
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            return build(builder, builder.gep(data, [arguments[1]]), *arguments[2:])

        return types.int64(words, types.intp, types.int64, types.int64), generate

    return instruction


def _build_store(builder, word, value, _):
    builder.store_atomic(value, word, "seq_cst", 8)
    return value


def _build_swap(builder, word, expected, value):
    swapped = builder.extract_value(builder.cmpxchg(word, expected, value, "seq_cst", "seq_cst"), 1)
    return builder.zext(swapped, ir.IntType(64))


_load = _atomic(lambda builder, word, *_: builder.load_atomic(word, "seq_cst", 8))
_store = _atomic(_build_store)
_swap = _atomic(_build_swap)


def load(words: np.ndarray, at: int) -> int:
    """Return a word."""
    return words[at]


def store(words: np.ndarray, at: int, value: int) -> None:
    """Write a word."""
    words[at] = value


def swap(words: np.ndarray, at: int, expected: int, value: int) -> bool:
    """Write a word if it is the expected one; return whether it was."""
    if words[at] != expected:
        return False
    words[at] = value
    return True


overload(load, inline="always")(lambda words, at: lambda words, at: _load(words, at, 0, 0))
overload(store, inline="always")(
    lambda words, at, value: lambda words, at, value: _store(words, at, value, 0)
)
overload(swap, inline="always")(
    lambda words, at, expected, value: (
        lambda words, at, expected, value: _swap(words, at, expected, value) != 0
    )
)


def _calling(name):
    """Return a compiled call of a function without arguments; of none, where `name` is empty."""

    @intrinsic
    def call(typing_context):
        def build(context, builder, signature, arguments):
            if name:
                plain = ir.FunctionType(ir.VoidType(), [])
                builder.call(cgutils.get_or_insert_function(builder.module, plain, name), [])
            return context.get_dummy_value()

        return types.void(), build

    return call


_pause = _calling("llvm.x86.sse2.pause" if binding.get_process_triple().startswith("x86_64") else "")
_give_way = _calling("sched_yield" if binding.address_of_symbol("sched_yield") else "")


def pause() -> None:
    """Look less eagerly: leave the core to its other thread for a moment."""


def give_way() -> None:
    """Leave the core to whoever else can run, where the system has a word for that."""
    time.sleep(0)


overload(pause, inline="always")(lambda: lambda: _pause())
overload(give_way, inline="always")(lambda: lambda: _give_way())


@rule
def post(words, threads, job, actions, steps, key):
    """Post a job; the one before is done."""
    generation = words[GENERATION] + 1
    words[JOB], words[ACTIONS], words[STEPS], words[KEY] = job, actions, steps, key
    words[STOP] = 0
    for thread in range(threads):
        store(words, THREADS + thread * LINE + CLAIMED, generation * JOBS)
    store(words, GENERATION, generation)


@rule
def claim(words, threads, owner, lanes, generation):
    """Claim a part of the share of a thread; return its first lane and its end, or 0, 0."""
    first = lanes * owner // threads
    share = lanes * (owner + 1) // threads - first
    size = max(1, min(PART // max(words[STEPS], 1), share // PIECES))
    while True:
        claimed = load(words, THREADS + owner * LINE + CLAIMED)
        taken = claimed - generation * JOBS
        if taken < 0 or taken >= share:  # it belongs to another job, or nothing is left
            return 0, 0
        more = min(size, share - taken)
        if swap(words, THREADS + owner * LINE + CLAIMED, claimed, claimed + more):
            return first + taken, first + taken + more


@rule
def finish(words, thread, lanes):
    """Note that a thread has done a part of so many lanes."""
    at = THREADS + thread * LINE + DONE
    store(words, at, max(words[at], words[GENERATION] * JOBS) + lanes)


@rule
def all_done(words, threads, lanes):
    """True if all lanes of a job are done."""
    for thread in range(threads):
        lanes -= max(load(words, THREADS + thread * LINE + DONE) - words[GENERATION] * JOBS, 0)
    return lanes == 0


@rule
def lead_on(words, threads, lanes):
    """Claim the leader's next part: of its own share, of one whose owner is not there or late; 0, 0 if all is done.

    Lanes are slow to come from another core, so a helper that is at work gets about half the time of its share.
    """
    generation = words[GENERATION]
    first, end = claim(words, threads, LEADER, lanes, generation)
    looks = 0
    while first == end and not all_done(words, threads, lanes):
        late = looks > lanes // threads
        for owner in range(1, threads):
            if first == end and (late or load(words, THREADS + owner * LINE + BEGUN) != generation):
                first, end = claim(words, threads, owner, lanes, generation)
        looks += 1
        if not late:
            pause()
        elif first == end:
            give_way()
    return first, end


@rule
def help_on(words, threads, helper, lanes):
    """Claim a helper's next part, of this job or the next one; 0, 0 if none came for a while."""
    here = THREADS + helper * LINE + HERE
    store(words, here, 1)
    for look in range(PATIENCE):
        generation = load(words, GENERATION)
        first, end = claim(words, threads, helper, lanes, generation)
        if first < end:
            store(words, THREADS + helper * LINE + BEGUN, generation)
            return first, end
        if look % GLANCES == GLANCES - 1:
            give_way()
        else:
            pause()
    store(words, here, 0)
    return 0, 0


def crew_words(threads: int) -> np.ndarray:
    """Return the words in which so many threads meet, int64."""
    words = np.zeros(THREADS + threads * LINE, np.int64)
    words[THREADS + CLAIMED :: LINE] = NO_JOB
    return words


class Crew:
    """The helpers of a leader: threads that play what it posts, and sleep when there has been nothing for a while.

    Args: helpers: how many. lanes: of the table. words: where they meet. play: the loop, to be called with thread, job,
        actions, steps and key.
    """

    def __init__(self, helpers: int, lanes: int, words: np.ndarray, play: Callable[..., int]) -> None:
        self._lanes, self._words, self._play = lanes, words, play
        self._beds = [threading.Lock() for _ in range(helpers)]  # held, but by who is woken
        self._closed = False
        self._last = 0.0  # when the last job was done
        for bed in self._beds:
            bed.acquire()
        self._threads = [
            threading.Thread(target=self._live, args=(helper,), name=f"lanes {helper}", daemon=True)
            for helper in range(1, helpers + 1)
        ]
        for thread in self._threads:
            thread.start()

    def _live(self, helper: int) -> None:
        while True:
            self._beds[helper - 1].acquire()
            if self._closed:
                return
            self._play(helper, 0, NO_ACTIONS, 0, 0)

    def _wake(self) -> None:
        for helper, bed in enumerate(self._beds, 1):
            if not self._words[THREADS + helper * LINE + HERE] and bed.locked():
                bed.release()

    def lead(self, job: int, actions: np.ndarray, steps: int, key: int) -> int:
        """Post a job and play it as leader, helpers woken where it is worth it; return what the loop returns."""
        if steps * self._lanes >= WORTH_WAKING or time.perf_counter() - self._last < RECENTLY:
            self._wake()
        done = self._play(LEADER, job, actions, steps, key)
        self._last = time.perf_counter()
        return done

    def close(self) -> None:
        """Send the helpers away."""
        self._closed = True
        for bed in self._beds:
            if bed.locked():
                bed.release()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
