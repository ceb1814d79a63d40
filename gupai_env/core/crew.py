"""A crew: threads that share out the lanes of one table, without a lock and, between calls, without sleep.

The thread that calls leads, the others help. They meet in a few words of memory, read and written by atomic
instructions. The leader posts a job; whoever is free claims one part of the lanes after another, of its own share
first, so that a part mostly stays with the thread in whose cache it lies. The leader does what nobody else claims, and
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
PIECES = 8  # parts in the share of a thread
NONE = -1  # no part

# The words of a crew by their places; what many threads write has a line of the cache to itself.
GENERATION, DONE, STOP = 0, 8, 16  # number of the job, its parts that are done, whether to stop after it
JOB, ACTIONS, STEPS, KEY, THREADS = 24, 25, 26, 27, 28
CLAIMS = 32  # and on: the last generation for which each part was claimed

PATIENCE = 2000  # looks for a job before a helper goes to sleep: some 20 to 100 microseconds
RECENTLY = 50e-6  # seconds in which a job that follows another is worth waking helpers, however small
WORTH_WAKING = 8192  # decisions, some 100 nanoseconds each, that are worth it in any case


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
_add = _atomic(lambda builder, word, value, _: builder.atomic_rmw("add", word, value, "seq_cst"))
_swap = _atomic(_build_swap)


def load(words: np.ndarray, at: int) -> int:
    """Return a word."""
    return words[at]


def store(words: np.ndarray, at: int, value: int) -> None:
    """Write a word."""
    words[at] = value


def add(words: np.ndarray, at: int, value: int) -> None:
    """Add to a word."""
    words[at] += value


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
overload(add, inline="always")(lambda words, at, value: lambda words, at, value: _add(words, at, value, 0))
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
def post(words, job, actions, steps, key):
    """Post a job; the one before is done."""
    words[JOB], words[ACTIONS], words[STEPS], words[KEY] = job, actions, steps, key
    words[DONE] = 0
    words[STOP] = 0
    store(words, GENERATION, words[GENERATION] + 1)


@rule
def claim(words, thread, generation):
    """Claim a part of a job, of one's own share if there is one left; return its number, or NONE."""
    parts = words[THREADS] * PIECES
    for step in range(parts):
        part = thread * PIECES + step
        part -= parts if part >= parts else 0
        if load(words, CLAIMS + part) == generation - 1 and swap(
            words, CLAIMS + part, generation - 1, generation
        ):
            return part
    return NONE


@rule
def next_part(words, thread):
    """Claim a part of the job posted, and once there is none left, if a helper, of the next one.

    Returns: its number; NONE for the leader when all parts are done, for a helper when no job came for a while.
    """
    while True:
        generation = load(words, GENERATION)
        part = claim(words, thread, generation)
        if part != NONE:
            return part
        looks = 0
        if thread == LEADER:
            while load(words, DONE) < words[THREADS] * PIECES:
                pause()
                looks += 1
                if looks > PATIENCE:
                    give_way()
            return NONE
        while load(words, GENERATION) == generation:
            pause()
            looks += 1
            if looks > PATIENCE:
                return NONE


def crew_words(threads: int) -> np.ndarray:
    """Return the words in which so many threads meet, int64."""
    words = np.zeros(CLAIMS + threads * PIECES, np.int64)
    words[THREADS] = threads
    return words


class Crew:
    """The helpers of a leader: threads that play what it posts, and sleep when there has been nothing for a while.

    Args: helpers: how many. serve: called with the number of a helper, from 1, returns when no job comes any more.
    """

    def __init__(self, helpers: int, serve: Callable[[int], object]) -> None:
        self._serve = serve
        self._asleep = [True] * helpers
        self._beds = [threading.Lock() for _ in range(helpers)]  # held, but by who is woken
        self._closed = False
        self._last = 0.0  # when the last job was done
        for bed in self._beds:
            bed.acquire()
        self._threads = [
            threading.Thread(target=self._live, args=(index,), name=f"lanes {index + 1}", daemon=True)
            for index in range(helpers)
        ]
        for thread in self._threads:
            thread.start()

    def _live(self, index: int) -> None:
        while not self._closed:
            self._beds[index].acquire()
            if self._closed:
                return
            self._serve(index + 1)
            self._asleep[index] = True

    def _wake(self) -> None:
        for index, asleep in enumerate(self._asleep):
            if asleep:
                self._asleep[index] = False
                self._beds[index].release()

    def lead(
        self, play: Callable[..., int], lanes: int, job: int, actions: np.ndarray, steps: int, key: int
    ) -> int:
        """Post a job of `play` and play it as leader; wake the helpers where it is worth it."""
        if steps * lanes >= WORTH_WAKING or time.perf_counter() - self._last < RECENTLY:
            self._wake()
        done = play(LEADER, job, actions, steps, key)
        self._last = time.perf_counter()
        return done

    def close(self) -> None:
        """Send the helpers away."""
        self._closed = True
        self._wake()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
