"""Lanes: many deals of one game side by side, numpy in and numpy out."""

import functools
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.lanes import (
    BUSY,
    CHECK,
    LEGAL,
    PLAY,
    SAMPLE,
    STEP,
    Kernels,
    bind,
    claim,
    kernels,
    release,
    table_of,
)
from gupai_env.core.rng import as_key, derive
from gupai_env.games import get_game

LONG = np.dtype(np.int64)
SIDE_BY_SIDE = (LONG.itemsize,)  # the strides of a vector
NO_ACTIONS = np.zeros(0, LONG)
IN_USE = "these lanes are in use by another thread; give each thread lanes of its own"
WORTH_SHARING = (
    4096  # decisions in a call, some 100 nanoseconds each; in a shorter one waking threads costs more
)


class Lanes:
    """B deals of one variant, each at some seat's turn; a deal that ends pays out and is dealt again at once.

    Lane i plays the episodes of its own seed, `seeds[i]`, whatever the number of lanes: the same deals as a
    single environment after `reset(seed=lanes.seeds[i])`.

    Attributes (arrays that `step` overwrites in place; write into them, but put no others in their place):
        seats: int8 [B], the seat to act.
        masks: bool [B, num_actions], its legal actions.
        observations: int8 [B, layout.size], what it observes; not kept up to date if `observe` is false.
        payoffs: float32 [B, max_seats], chips of a deal that the last step ended, else zero.
        over: bool [B], the last step ended the lane's episode.
        states: the full states, a record array; seeds, episodes: int64 [B].
    """

    def __init__(
        self,
        game: str | Game,
        num_lanes: int,
        *,
        seed: int = 0,
        observe: bool = True,
        renew: bool = True,
        skip_forced: bool = False,
        threads: int = 1,
        **variant: Any,
    ) -> None:
        """Args: renew: deal again when an episode ends; otherwise a lane that is over is left alone.
            skip_forced: play decisions with one legal action at once (but the first of a deal).
            threads: threads that share out the lanes of a call of WORTH_SHARING decisions or more; what is played does
                not depend on them.

        Raises: ValueError for an unknown game or option, a bad seed, less than one lane or thread.
        """
        if num_lanes < 1:
            raise ValueError(f"num_lanes={num_lanes} is not allowed; there must be at least one lane")
        if threads < 1:
            raise ValueError(f"threads={threads} is not allowed; there must be at least one thread")
        self.game = get_game(game)
        self.layout = self.game.encoder.layout
        self.variant = self.game.variant.make(**variant)
        self.rules = self.variant.as_rules(self.game.rules_type)
        self._record = self.variant.as_record(self.game.rules_type)
        self.num_lanes, self.threads = num_lanes, threads
        self.observe, self.renew, self.skip_forced = observe, renew, skip_forced
        self.states = self.game.new_states(num_lanes)
        self.seeds = np.zeros(num_lanes, np.int64)
        self.episodes = np.zeros(num_lanes, np.int64)
        self.seats = np.zeros(num_lanes, np.int8)
        self.masks = np.zeros((num_lanes, self.game.num_actions), np.bool_)
        self.observations = np.zeros((num_lanes, self.layout.size), np.int8)
        self.payoffs = np.zeros((num_lanes, self.game.max_seats), np.float32)
        self.over = np.zeros(num_lanes, np.bool_)
        self.reset(seed)

    @property
    def kernels(self) -> Kernels:
        """The compiled loops."""
        return kernels(self.game)

    @property
    def lane_bytes(self) -> int:
        """Memory of one lane: its state, and its rows of all arrays."""
        rows = (self.seeds, self.episodes, self.seats, self.masks, self.observations, self.payoffs, self.over)
        return sum(each[:1].nbytes for each in (self.states, *rows))

    @functools.cached_property
    def table(self) -> np.ndarray:
        """Where the arrays lie and how the lanes are played, as compiled loops take it."""
        self._held = {  # also if somebody puts others in their place
            "rules": self._record,
            "states": self.states,
            "seeds": self.seeds,
            "episodes": self.episodes,
            "seats": self.seats,
            "masks": self.masks,
            "observations": self.observations,
            "payoffs": self.payoffs,
            "over": self.over,
        }
        return table_of(
            self.num_lanes,
            renew=self.renew,
            skip_forced=self.skip_forced,
            observe=self.observe,
            **self._held,
        )

    def _bound(self, first: int, end: int) -> Callable[[int, np.ndarray, int, int], int]:
        """Return the loop `play` over some lanes; to be called with job, actions, steps and key."""
        return bind(self.kernels.play, self.table, first, end, later=(0, NO_ACTIONS, 0, 0))

    @functools.cached_property
    def _play(self) -> Callable[[int, np.ndarray, int, int], int]:
        """The loop `play` over all lanes; to be called with job, actions, steps and key."""
        return bind(self.kernels.play, self.table, 0, self.num_lanes, later=(0, NO_ACTIONS, 0, 0))

    @functools.cached_property
    def _blocks(self) -> list[Callable[[int, np.ndarray, int, int], int]]:
        """The loop over the lanes of each thread."""
        ends = [self.num_lanes * number // self.threads for number in range(self.threads + 1)]
        table = self.table.copy()
        table["busy"] = 0  # each claims a table of its own
        return [
            bind(self.kernels.play, table.copy(), first, end, later=(0, NO_ACTIONS, 0, 0))
            for first, end in itertools.pairwise(ends)
        ]

    @functools.cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads beside the calling one; they end with the lanes."""
        return ThreadPoolExecutor(self.threads - 1, thread_name_prefix="lanes")

    @functools.cached_property
    def _do(self) -> Callable[[int, np.ndarray, int, int], int]:
        """What does a job of `play` in all lanes and returns what the loop returns."""
        return self._play if self.threads == 1 else self._share

    def _share(self, job: int, actions: np.ndarray, steps: int, key: int) -> int:
        """Do a job, a long one with all threads."""
        if self.num_lanes * max(steps, 1) < WORTH_SHARING:
            return self._play(job, actions, steps, key)
        if not claim(self.table):
            return BUSY
        try:
            if job != STEP:
                return self._with_all(job, actions, steps, key)
            refused = self._with_all(CHECK, actions, 0, 0)
            return refused if refused != LEGAL else self._with_all(PLAY, actions, 0, 0)
        finally:
            release(self.table)

    def _with_all(self, job: int, actions: np.ndarray, steps: int, key: int) -> int:
        """Do a job, each thread in its lanes; return the first lane that one refused, or LEGAL."""
        own, *others = self._blocks
        under_way = [self._pool.submit(play, job, actions, steps, key) for play in others]
        answers = [own(job, actions, steps, key), *(each.result() for each in under_way)]
        return next((lane for lane in answers if lane != LEGAL), LEGAL)

    def _alone(self, loop: Callable) -> None:
        """Run a loop over the whole table while nobody else is at it."""
        if not claim(self.table):
            raise RuntimeError(IN_USE)
        try:
            loop(self.rules, self.table)
        finally:
            release(self.table)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out where the arrays lie, compiled loops and threads: a copy makes its own."""
        bound = ("table", "_held", "_play", "_blocks", "_pool", "_do")
        return {name: value for name, value in vars(self).items() if name not in bound}

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | None = None) -> None:
        """Begin episode 0 in every lane, of the streams derived from `seed` or given as `seeds`, int64 [B]."""
        if seeds is not None:
            if np.shape(seeds) != (self.num_lanes,):
                raise ValueError(f"seeds must hold one seed for each of the {self.num_lanes} lanes")
            self.seeds[:] = [as_key(int(each)) for each in seeds]
        else:
            key = as_key(0 if seed is None else seed)
            self.seeds[:] = [derive(key, lane) for lane in range(self.num_lanes)]
        self.episodes[:] = 0
        self.payoffs[:] = 0
        self.over[:] = False
        self.begin()
        self.refresh()

    def begin(self) -> None:
        """Begin episode number `episodes` of the stream `seeds` in every lane; `refresh` shows it."""
        self._alone(self.kernels.begin)

    def refresh(self) -> None:
        """Fill `seats`, `masks` and `observations` from `states`; needed only after changing states by hand."""
        self._alone(self.kernels.show)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in every lane; a lane that ends pays out and is dealt again at once.

        Args: actions: integers [B], one per lane, for the seat to act; WAIT leaves a lane as it is.
        Returns: payoffs, float32 [B, max_seats], in chips, zero where the deal goes on; over, bool [B], true
            where this action ended the episode. The next call overwrites both.
        Raises: IllegalActionError naming the first lane and seat whose action its mask forbids; nothing changed.
        """
        if not (
            type(actions) is np.ndarray
            and actions.dtype is LONG
            and actions.strides == SIDE_BY_SIDE
            and len(actions) == self.num_lanes
        ):
            actions = self._converted(actions)
        lane = self._do(STEP, actions, 0, 0)
        if lane == BUSY:
            raise RuntimeError(IN_USE)
        if lane != LEGAL:
            who = f"lane {lane}, seat {self.seats[lane]}"
            view = self.views(slice(lane, lane + 1))[0][0]
            raise IllegalActionError(
                describe_illegal(self.game, who, int(actions[lane]), self.masks[lane], view)
            )
        return self.payoffs, self.over

    def _converted(self, actions: Any) -> np.ndarray:
        """Return actions as int64 side by side; raises ValueError for anything but one integer a lane."""
        actions = np.asarray(actions)
        if actions.shape != (self.num_lanes,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_lanes} integers, one per lane, not {actions.dtype} {list(actions.shape)}"
            )
        if actions.dtype.kind == "u":  # none becomes another one in int64
            actions = np.minimum(actions, self.game.num_actions)
        return np.ascontiguousarray(actions, np.int64)

    def sample(self, key: int) -> np.ndarray:
        """Return one random legal action per lane, int64 [B], drawn from `key`; 0 where there is none."""
        actions = np.empty(self.num_lanes, LONG)
        if self._do(SAMPLE, actions, 0, key) == BUSY:
            raise RuntimeError(IN_USE)
        return actions

    def play_random(self, steps: int, key: int) -> tuple[np.ndarray, np.ndarray]:
        """Play `steps` random legal actions in every lane: at once what `step(sample(derive(key, number)))` plays.

        Returns: payoffs and over, as `step`, of the last action alone.
        Raises: ValueError if steps is below 1.
        """
        if steps < 1:
            raise ValueError(f"steps={steps} is not allowed; at least one action must be played")
        if self._do(PLAY, NO_ACTIONS, steps, key) == BUSY:
            raise RuntimeError(IN_USE)
        return self.payoffs, self.over

    def views(self, rows: np.ndarray | slice = slice(None)) -> tuple[np.recarray, np.ndarray]:
        """Return what the seats to act in some lanes (default all) know, views [N], and their keys of chance."""
        states = self.states[rows]
        views = np.zeros(len(states), self.game.view).view(np.recarray)
        keys = np.zeros(len(states), np.int64)
        self.kernels.views(self.rules, states, views, keys)
        return views, keys


def lanes(game: str | Game, num_lanes: int, **options: Any) -> Lanes:
    """Return `num_lanes` deals of a game side by side; see `Lanes`."""
    return Lanes(game, num_lanes, **options)
