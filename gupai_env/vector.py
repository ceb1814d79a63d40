"""The vectorised environment: many deals of one game side by side, numpy in and numpy out."""

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np

from gupai_env.core.compiling import PLAIN_ROWS, bind, bound_loop
from gupai_env.core.copying import OneThread, OwnMemory
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import LEGAL, MOST_ENVS, MOST_STEPS, Kernels, address_in, blank_arrays, kernels, table_of
from gupai_env.core.keys import derive_each
from gupai_env.core.layout import Layout
from gupai_env.core.memory import record_of
from gupai_env.core.rng import KEYS, as_key, as_keys
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import truth, whole_number, whole_numbers
from gupai_env.options import Options

if TYPE_CHECKING:
    from gupai_env.cuda_vector import CudaVectorEnv

READ_ONLY = ("seats", "masks", "observations", "rewards", "terminated")
WRITTEN_BY_HAND = ("states", "seeds", "episodes")
LONG = np.dtype(np.int64)
ACTIONS = np.zeros((2, 2), LONG)[:, 0]  # of any strides, as compiled loops take them
NO_BYTES = np.zeros(0, np.int8)
MOST_THREADS = 1024
IN_USE = "these lanes are in use by another thread; give each thread lanes of its own"
MIN_SHARED_ROWS = 16384  # decisions in a call, about 100 nanoseconds each; for fewer, threads cost more than they gain


class VectorEnv(OwnMemory):
    """B deals of one variant, each at some seat's turn; a deal that ends pays out and is dealt again at once.

    Lane i plays the episodes of its own seed, `seeds[i]`, whatever the number of lanes: the same deals as a
    single environment after `reset(seed=envs.seeds[i])`.

    Attributes, arrays that `step` overwrites in place; copy what you keep. The first five can only be read:
        seats: int8 [B], the seat to act.
        masks: bool [B, num_actions], its legal actions.
        observations: int8 [B, layout.size], what it observes; not kept up to date if `observe` is false.
        rewards: float32 [B, max_seats], chips of a deal that the last step ended, else zero.
        terminated: bool [B], the lane's episode has ended, by the last step if lanes are dealt again.
    These are written to in order to set up positions (`refresh` shows them) and to choose deals (`begin`):
        states: the full states, a record array; seeds, episodes: int64 [B].
    """

    seats: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    states: np.recarray
    seeds: np.ndarray
    episodes: np.ndarray
    observe: bool
    renew: bool

    __slots__ = (*READ_ONLY, *WRITTEN_BY_HAND, "alone", "_at_once", "_holder", "_is_brief", "_results", "_shape")

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        seed: int = 0,
        observe: bool = True,
        renew: bool = True,
        skip_forced: bool = False,
        threads: int = 1,
        **variant: Unpack[Options],
    ) -> None:
        """Make the lanes.

        Args:
            game: Its id, or the game itself.
            num_envs: How many lanes, B.
            seed: Of all lanes, 0..2**63 - 1; `seeds` are derived from it.
            observe: Whether `observations` are kept up to date.
            renew: Deal again when an episode ends; otherwise a lane that is over is left alone.
            skip_forced: Play decisions with one legal action at once (except the first of a deal).
            threads: Threads that share out the lanes of a call of MIN_SHARED_ROWS decisions or more; play does not
                depend on them.

        Raises:
            ValueError: For an unknown game or option, a bad seed, and numbers of lanes (1 to MOST_ENVS) or threads (1
                to MOST_THREADS) out of range.
        """
        num_envs = whole_number("num_envs", num_envs, 1, MOST_ENVS)
        self.threads: int = whole_number("threads", threads, 1, MOST_THREADS)
        self.observe, self.renew = truth("observe", observe), truth("renew", renew)
        self.skip_forced: bool = truth("skip_forced", skip_forced)
        as_key(seed)
        self.game: Game = get_game(game)
        self.layout: Layout = self.game.encoder.layout
        self.variant: Variant = variant_from(self.game, variant, VectorEnv)
        self.rules: Any = self.variant.as_rules()
        self._record = record_of(self.rules)
        self.num_envs = num_envs
        self._arrays = blank_arrays(self.game, num_envs)
        self._bind()
        self.reset(seed)

    def _bind(self) -> None:
        """Set the attributes that are arrays: those that loops alone write to can only be read there."""
        self.alone: OneThread = OneThread(IN_USE)  # the thread that holds it may play
        self._holder: dict[str, int] = self.alone.holder
        self._is_brief: bool = self.num_envs <= PLAIN_ROWS  # a call, for which other threads may wait
        self._at_once: Callable[[np.ndarray], int] | None = None  # `_step`, if no other thread comes between
        for name, array in self._arrays.items():
            view = array.view()
            view.flags.writeable = name in WRITTEN_BY_HAND
            setattr(self, name, view)
        self._results: tuple[np.ndarray, np.ndarray] = (self.rewards, self.terminated)
        self._shape: tuple[int] = self.terminated.shape

    @property
    def kernels(self) -> Kernels:
        """The compiled loops."""
        return kernels(self.game)

    @functools.cached_property
    def table(self) -> np.ndarray:
        """Where the arrays lie and how the lanes are played, as compiled loops take it."""
        return table_of(
            self.num_envs,
            {name: address_in(array, name) for name, array in {"rules": self._record, **self._arrays}.items()},
            renew=self.renew,
            skip_forced=self.skip_forced,
            observe=self.observe,
        )

    @bound_loop
    def _begin(self) -> Callable[[], None]:
        """The loop `begin` over all lanes."""
        return bind(self.kernels.begin, self.table, brief=self._is_brief)

    @bound_loop
    def _show(self) -> Callable[[], None]:
        """The loop `show` over all lanes."""
        return bind(self.kernels.show, self.table, brief=self._is_brief)

    @bound_loop
    def _observe(self) -> Callable[[int, np.ndarray], None]:
        """The loop `observe_seat` over all lanes."""
        return bind(self.kernels.observe_seat, self.table, later=(0, NO_BYTES), brief=self._is_brief)

    @functools.cached_property
    def _tables(self) -> list[np.ndarray]:
        """The table for each thread, with the lanes that it plays."""
        ends = [self.num_envs * number // self.threads for number in range(self.threads + 1)]
        tables = self.table.repeat(self.threads)
        tables["first"], tables["end"] = ends[:-1], ends[1:]
        return np.split(tables, self.threads)

    @bound_loop
    def _pick(self) -> Callable[..., Any]:
        """The loop `pick` over all lanes."""
        return bind(self.kernels.pick, self._arrays["masks"], later=(0, ACTIONS), brief=self._is_brief)

    @bound_loop
    def _step(self) -> Callable[[np.ndarray], int]:
        """What plays one action in every lane and returns what the loop `step` does."""
        if self._is_shared(1):
            return self._step_shared
        step = bind(self.kernels.step, self.table, later=(ACTIONS,), brief=self._is_brief)
        self._at_once = step if self._is_brief and isinstance(step, BuiltinFunctionType) else None
        return step

    def _step_shared(self, actions: np.ndarray) -> int:
        """Play one action in every lane with all threads; return what the loop `step` does."""
        if (refused := self.kernels.check(self.table, actions)) == LEGAL:
            self._share(self.kernels.step, actions)
        return refused

    def _is_shared(self, steps: int) -> bool:
        """Return whether a call of so many steps is long enough for all threads."""
        return self.threads > 1 and self.num_envs * steps >= MIN_SHARED_ROWS

    def _share(self, loop: Callable[..., Any], *arguments: Any) -> None:
        """Run a loop in all threads at once, each over lanes of its own."""
        pool = ThreadPoolExecutor(self.threads)
        try:
            for future in [pool.submit(loop, table, *arguments) for table in self._tables]:
                future.result()
        finally:
            _end_threads(pool)  # before anybody else may play

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | Sequence[int] | None = None) -> None:
        """Begin episode 0 in every lane, of the streams derived from `seed` or given as `seeds`, integers [B].

        Raises:
            ValueError: For seeds that are none; nothing has changed then.
        """
        if seeds is not None:
            keys = as_keys(seeds, self.num_envs)
        else:
            key = as_key(0 if seed is None else seed)
            keys = derive_each(key, 0, self.num_envs)
        with self.alone:
            self._arrays["seeds"][:] = keys
            self._arrays["episodes"][:] = 0
            self._arrays["rewards"][:] = 0
            self._begin()
            self._refresh()

    def begin(self) -> None:
        """Begin episode number `episodes` of the stream `seeds` in every lane; `refresh` shows it."""
        with self.alone:
            self._begin()

    def refresh(self) -> None:
        """Fill `seats`, `masks`, `observations` and `terminated` from `states`; call it after changing states."""
        with self.alone:
            self._refresh()

    def _refresh(self) -> None:
        self._show()
        self._arrays["terminated"][:] = self._arrays["states"]["terminated"]

    def observed_by(self, seat: int) -> np.ndarray:
        """Return what one seat observes in every lane, int8 [B, layout.size]."""
        observations = np.empty(self.observations.size, np.int8)
        self._observe(seat, observations)
        return observations.reshape(self.observations.shape)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in every lane; a lane that ends pays out and is dealt again at once.

        Args:
            actions: Integers [B], one per lane, for the seat to act; WAIT leaves a lane as it is.

        Returns:
            Rewards, float32 [B, max_seats], in chips, zero where the deal continues; terminated, bool [B], true where
            this action ended the episode. The next call overwrites both.

        Raises:
            IllegalActionError: Naming the first lane and seat whose action its mask forbids; nothing changed.
        """
        if not (type(actions) is np.ndarray and actions.dtype is LONG and actions.shape == self._shape):
            actions = self._converted(actions)
        holder, at_once = self._holder, self._at_once
        if at_once is not None and not holder:  # Python lets no other thread in from here to the end of the call
            lane = at_once(actions)
        else:
            # As `with self.alone`, which takes a fifth of a single lane's step.
            thread = get_ident()
            if holder.setdefault("thread", thread) != thread:
                raise RuntimeError(IN_USE)
            try:
                lane = self._step(actions)
            finally:
                holder.clear()
        if lane != LEGAL:
            raise self.refusal(lane, actions[lane])
        return self._results

    def refusal(self, lane: int, action: int) -> IllegalActionError:
        """Return the error for an action that the mask of a lane forbids."""
        deal = Deal(self.game, self.variant, self.states[lane : lane + 1].view(np.recarray), compiled=True)
        return deal.illegal(f"lane {lane}, seat {self.seats[lane]}", action)

    def _converted(self, actions: Any) -> np.ndarray:
        """Return actions as int64; raises ValueError for anything except one integer a lane."""
        actions = whole_numbers("actions", actions, self.num_envs, "lane")
        if actions.dtype.kind == "u":  # none becomes another one in int64
            actions = np.minimum(actions, self.game.num_actions)
        return actions.astype(LONG)

    def sample(self, key: int) -> np.ndarray:
        """Return one random legal action per lane, int64 [B], drawn from `key`; 0 where there is none.

        Raises:
            ValueError: For a key that is not a whole number in 0..2**63 - 1.
        """
        if not (type(key) is int and 0 <= key < KEYS):
            key = as_key(key, "a key")
        # It only reads, so it need not hold what it must find free: an action of a mask that another thread is writing
        # is one that `step` may refuse.
        if self._holder:
            with self.alone:
                pass
        actions = np.empty(self._shape, LONG)
        self._pick(key, actions)
        return actions

    def play_random(self, steps: int, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Play `steps` random legal actions in every lane: at once what `step(sample(derive(key, number)))` plays.

        Returns:
            Rewards and terminated, as `step`, of the last action alone.

        Raises:
            ValueError: For steps out of 1..MOST_STEPS, or a key that is not a whole number in 0..2**63 - 1.
        """
        steps, key = whole_number("steps", steps, 1, MOST_STEPS), as_key(key, "a key")
        with self.alone:
            if self._is_shared(steps):
                self._share(self.kernels.play_random, steps, key)
            else:
                self.kernels.play_random(self.table, steps, key)
        return self.rewards, self.terminated

    def views(self, rows: np.ndarray | slice = slice(None)) -> tuple[np.recarray, np.ndarray]:
        """Return what the seats to act in some lanes (default all) know, views [N], and their RNG keys.

        Raises:
            ValueError: For rows that are neither a slice nor integers or truth values side by side.
            IndexError: For a lane that there is not.
        """
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1 or rows.dtype.kind not in "iub":
                raise ValueError(
                    f"rows must be a slice or integers [N], one per lane, not {rows.dtype} {list(rows.shape)}"
                )
        states = np.asarray(self._arrays["states"])[rows]  # as a record array it takes longer to pass
        views, rng_keys = np.zeros(len(states), self.game.view), np.zeros(len(states), np.int64)
        self.kernels.views(self.rules, states, views, rng_keys)
        return views.view(np.recarray), rng_keys


def _end_threads(pool: ThreadPoolExecutor) -> None:
    """Wait until threads have finished, whatever interrupts the wait."""
    try:
        pool.shutdown()
    except BaseException:
        _end_threads(pool)
        raise


@overload
def make_vec(  # type: ignore[overload-overlap]
    game: str | Game,
    num_envs: int,
    *,
    seed: int = 0,
    observe: bool = True,
    renew: bool = True,
    skip_forced: bool = False,
    threads: int = 1,
    device: Literal["cpu"] = "cpu",
    **variant: Unpack[Options],
) -> VectorEnv: ...
@overload
def make_vec(game: str | Game, num_envs: int, *, device: str, **how: Any) -> "CudaVectorEnv": ...
def make_vec(
    game: str | Game, num_envs: int, *, threads: int = 1, device: str = "cpu", **how: Any
) -> "VectorEnv | CudaVectorEnv":
    """Return `num_envs` deals of a game side by side.

    Args:
        game, num_envs, threads: As of `VectorEnv`.
        device: "cpu", or a GPU as torch names it, such as "cuda": a `CudaVectorEnv`, which knows no `threads`.
        **how: What else `VectorEnv` takes: the seed, how lanes are played, the options of the game.
    """
    if device == "cpu":
        return VectorEnv(game, num_envs, threads=threads, **how)
    whole_number("threads on a GPU", threads, 1, 1)
    from gupai_env.cuda_vector import CudaVectorEnv

    return CudaVectorEnv(game, num_envs, device=device, **how)
