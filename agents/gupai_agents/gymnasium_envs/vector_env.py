"""Thousands of tables with one learning seat each, side by side in lanes."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Unpack, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from gupai_agents.agent import Agent, Memories, distinct
from gupai_agents.gymnasium_envs.learning_seat import (
    END,
    NONE_PLAYED,
    RAISE,
    Opponents,
    forbidden,
    legal_instead,
    others_of,
    reward_of_illegal,
    seat_number,
)
from gupai_agents.gymnasium_envs.spaces import LegalActionsBatch
from gupai_agents.play.decisions import answers
from gupai_agents.play.playouts import ASKED, LEARNER, numbered, playouts
from gupai_env.aec import DTYPES, NO_GAME, observation_box
from gupai_env.core.compiling import bind, bound_loop
from gupai_env.core.copying import OwnMemory
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.kernels import LEGAL, MOST_ENVS, WAIT
from gupai_env.core.layout import Layout
from gupai_env.core.rng import EXACT, KEYS, as_key, as_keys
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import is_one_of, one_of, refused, whole_number, whole_numbers
from gupai_env.options import Options
from gupai_env.vector import VectorEnv


class LaneOptions(Options, total=False):
    """The remaining keywords of `SeatVectorEnv`."""

    dtype: str


class SeatVectorEnv(OwnMemory, gymnasium.vector.VectorEnv):
    """B tables with one learning seat each, in lanes: the same play as B `SeatEnv`, only fast.

    Rule-based opponents play inside one compiled loop, others are asked in batches. A lane whose episode ends is
    dealt again in the same step (`AutoresetMode.SAME_STEP`): its observation is the first of the next episode, the
    last one is in `info["final_obs"]`. With `AutoresetMode.NEXT_STEP` its observation is the last one, its mask is all
    zero, and the next step, whatever its action is there, returns the first of the next episode and no reward. With
    `AutoresetMode.DISABLED` it shows the same, and must be dealt by `reset(options={"reset_mask": ...})` before the
    next step. Lane i of `reset(seed=s)` plays the episodes of seed s + i. All arrays that are returned are the
    caller's. An error during a step, such as that of a failing opponent, and ctrl-C end all episodes.
    """

    envs: VectorEnv
    opponents: list[Agent]
    pool: list[Agent]
    num_envs: int
    layout: Layout

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Opponents | None = None,
        pool: Sequence[str | Agent] | None = None,
        seat: int | str = "random",
        skip_forced: bool = False,
        illegal: str = RAISE,
        illegal_reward: float | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **others: Unpack[LaneOptions],
    ) -> None:
        """Make the tables.

        Args:
            num_envs: How many, B.
            autoreset_mode: One of Gymnasium's, or its value as text.
            others: `dtype` and options of the variant.
            game, opponents, pool, seat, skip_forced, illegal, illegal_reward: As of `SeatEnv`, and so are errors.
        """
        self.autoreset_mode: AutoresetMode = mode_of(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._dtype = np.dtype(one_of("dtype", others.pop("dtype", DTYPES[0]), DTYPES))
        game = get_game(game)
        variant = dataclasses.asdict(variant_from(game, others, SeatVectorEnv, "dtype"))
        num_envs = whole_number("num_envs", num_envs, 1, MOST_ENVS)
        self.envs = envs = VectorEnv(game, num_envs, skip_forced=skip_forced, **variant)
        players = envs.variant.players
        self.opponents, self.pool = others_of(envs.game, envs.variant, opponents, pool)
        self._illegal_reward = reward_of_illegal(envs.game, envs.variant, illegal, illegal_reward)
        self.illegal = illegal
        self._seat = seat_number(seat, players)
        self._seat_agents(players)
        self.num_envs, self.layout = num_envs, envs.layout
        self.single_observation_space: spaces.Box = observation_box(self.layout, self._dtype)
        self.observation_space: spaces.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.single_action_space: spaces.Discrete = spaces.Discrete(envs.game.num_actions)
        self.action_space: LegalActionsBatch = LegalActionsBatch(envs)
        self._learners = np.zeros(num_envs, np.int8)
        self._players = players
        self._actions = np.zeros(num_envs, np.int64)
        self._abandoned = np.zeros(num_envs, np.bool_)
        self._final_observations = np.zeros_like(envs.observations)
        self._rewards, self._owed = np.zeros(num_envs), np.zeros(num_envs)
        self._over = np.zeros(num_envs, np.bool_)
        self._ended = np.zeros(num_envs, np.bool_)  # lanes that show the end of an episode
        self._seeded = False
        self._going = False  # nothing is half done

    def _seat_agents(self, players: int) -> None:
        """Number the agents as the loops know them; line-ups, int16 [B, players], count seats from the learner's."""
        self._agents, places = distinct(self.opponents or self.pool)
        numbers, self._heuristics = numbered(self.envs.game, self._agents)
        self._line_ups = np.full((self.envs.num_envs, players), LEARNER, np.int16)
        self._pool = numbers[places] if self.pool else np.zeros(0, np.int16)
        if self.opponents:
            self._line_ups[:, 1:] = numbers[places]
        self._memories = Memories(self.envs.num_envs, players)
        self._asks = bool((numbers >= ASKED).any())

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in every lane, int8 [B]."""
        return self._learners.copy()

    @bound_loop
    def _play(self) -> Callable[[], int]:
        """The loop `respond` over all lanes."""
        return bind(
            playouts(self.envs.game).respond,
            self._heuristics,
            self.envs.table,
            (self._actions, self._abandoned),
            (self._seat, self._pool),
            self._line_ups,
            self._learners,
            self._final_observations,
            (self._rewards, self._owed),
            self._over,
        )

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal in every lane; with a seed its first episode, without one the next episode of the last seed.

        Args:
            seed: That of lane 0, lane i gets (seed + i) % 2**63; or one for every lane, None for a lane without.
            options: The one option is "reset_mask", bool [B]: the lanes to deal; others stay as they are.

        Raises:
            ValueError: For a bad seed or option.
            RuntimeError: Where other lanes have no game under way to continue; nothing has changed then.
        """
        lanes = lanes_to_reset(options, self.num_envs)
        going = self._going
        try:
            if lanes is None:
                self._going = False  # until all is done that this takes
                self._begin(seed, self._ended & going)
            else:
                self._require_game()
                self._abandon(lanes, seed)
        except (ValueError, RuntimeError):
            self._going = going
            raise
        self._going = False
        self._over[:] = True  # nothing that is paid until a decision belongs to an episode before
        self._actions[:] = WAIT
        with self.envs.alone:
            self._play()
        self._abandoned[:] = False
        self._play_others()
        nothing = np.zeros(self.num_envs, np.bool_)
        still_over = nothing if lanes is None else self._ended & ~lanes
        return self._observed(still_over, nothing, np.full(self.num_envs, NONE_PLAYED))

    def _begin(self, seed: int | Sequence[int | None] | None, dealt: np.ndarray) -> None:
        """Deal in every lane; a bad seed changes nothing. Lanes that are `dealt`, bool [B], have their next episode."""
        seeds, given = self._keys_of(seed)
        self.envs.seeds[given] = seeds[given]
        self.envs.episodes[~dealt] += 1
        self.envs.episodes[given] = 0
        self._seeded = True
        self.envs.begin()
        self.envs.refresh()
        self._owed[:] = 0
        self._abandoned[:] = False

    def _abandon(self, lanes: np.ndarray, seed: int | Sequence[int | None] | None) -> None:
        """Let the loop begin the next episode in some lanes, bool [B]; those that ended have been dealt already."""
        seeds, given = self._keys_of(seed)
        given &= lanes
        self.envs.seeds[given] = seeds[given]
        self.envs.episodes[given] = -1
        self._abandoned[:] = given | (lanes & ~self._ended)

    def _keys_of(self, seed: int | Sequence[int | None] | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the seed of every lane, int64 [B], and which of them hold, bool [B]: others keep the seed that they
        have, if they have one. Raises ValueError for a bad one.
        """
        if getattr(seed, "ndim", 0) or (isinstance(seed, Sequence) and not isinstance(seed, (str, bytes))):
            seeds = list(cast(Sequence[int | None], seed))
            given = np.array([number is not None for number in seeds])
            whole = seed if given.all() else [0 if number is None else number for number in seeds]
            keys = as_keys(whole, self.num_envs)
            super().reset()
        else:
            first = None if seed is None else as_key(seed)
            super().reset(seed=first)
            given = np.full(self.num_envs, first is not None)
            counted = np.uint64(first or 0) + np.arange(self.num_envs, dtype=np.uint64)
            keys = as_keys(counted % np.uint64(KEYS), self.num_envs)
        if not (self._seeded or given.all()):
            drawn = int(self.np_random.integers(EXACT - self.num_envs)) + np.arange(self.num_envs)
            return np.where(given, keys, drawn), np.ones(self.num_envs, np.bool_)
        return keys, given

    def _require_game(self) -> None:
        if not self._going:
            raise RuntimeError(NO_GAME)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's action in every lane, integers [B], and all others up to its next decision.

        Returns:
            Observations, int8 (or `dtype`) [B, layout.size]; rewards, float64 [B], in chips; terminations and
            truncations (never), bool [B]; infos, with `action_mask`, int8 [B, num_actions], of the observations and,
            unless illegal actions raise errors, `illegal`, bool [B], and `played`, int64 [B], as in `SeatEnv`.

        Raises:
            IllegalActionError: Naming the first lane and seat whose action its mask forbids.
            RuntimeError: Where a lane must be dealt first; nothing changed.
        """
        self._require_game()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._ended.any():
            raise RuntimeError(
                f"lane {self._ended.argmax()}: its episode is over; deal it by reset(options={{'reset_mask': ...}})"
            )
        actions = whole_numbers("actions", actions, self.num_envs, "lane")
        with self.envs.alone:
            new, owed = (self._ended, self._owed.copy())  # lanes that only show a new deal now; what is owed so far
            played, illegal = self._mended(actions, new)
            self._actions[:] = np.where(new | self._abandoned, WAIT, played)
            self._going = False  # until all is done that this takes: the next actions could be other seats'
            self._rewards[:] = np.where(new, 0, owed)
            self._owed[~new] = 0
            self._over[:] = False
            lane = self._play()
        if lane != LEGAL:
            self._owed[:] = owed
            self._going = True
            raise self.envs.refusal(lane, actions[lane])
        gave_up = self._abandoned.copy()
        self._abandoned[:] = False
        self._play_others()
        self._rewards[gave_up] = self._illegal_reward
        terminated = self._over.copy()
        observations, info = self._observed(terminated, illegal, np.where(new | gave_up, NONE_PLAYED, played))
        return observations, self._rewards.copy(), terminated, np.zeros(self.num_envs, np.bool_), info

    def _mended(self, actions: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what to play, integers [B], and where actions are illegal but raise no error, bool [B]; none are in
        lanes that are `new`. Sets `_abandoned` where an episode ends so.
        """
        played = np.clip(actions, WAIT + 1, self.envs.game.num_actions).astype(np.int64)
        if self.illegal == RAISE:
            return played, np.zeros(self.num_envs, np.bool_)
        illegal = forbidden(self.envs.masks, played) & ~new
        if self.illegal == END:
            self._abandoned[:] = illegal
        elif illegal.any():
            rows = np.flatnonzero(illegal)
            played[rows] = legal_instead(self.envs.masks[rows], self.envs.views(rows)[1])
        return played, illegal

    def _play_others(self) -> None:
        """Ask the opponents that are not in the loop, up to the learners' next decisions."""
        envs = self.envs
        lanes = np.arange(self.num_envs)
        while self._asks:
            number = self._line_ups[lanes, (envs.seats - self._learners) % self._players]
            if (number == LEARNER).all():
                return
            mover = np.where(number == LEARNER, NOBODY, number - ASKED)
            self._actions[:] = answers(envs, self._agents, mover, self._memories)
            with self.envs.alone:
                self._play()

    def _observed(
        self, terminated: np.ndarray, illegal: np.ndarray, played: np.ndarray
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Return observations and infos, where episodes that are `terminated` have ended just now; all is done then."""
        observations, all_lanes = self.envs.observations.astype(self._dtype), np.ones(self.num_envs, np.bool_)
        info = self._infos(all_lanes, self.envs.masks.view(np.int8), illegal, played)
        if waits := self.autoreset_mode != AutoresetMode.SAME_STEP:
            observations[terminated] = self._final_observations[terminated]
            info["action_mask"][terminated] = 0
        elif terminated.any():
            info |= self._final_info(terminated, illegal, played)
            if self.illegal != RAISE:
                info["illegal"][terminated], info["played"][terminated] = False, NONE_PLAYED
        self._ended = terminated.copy() if waits else np.zeros_like(terminated)
        self._going = True
        return observations, info

    def _infos(
        self, where: np.ndarray, masks: np.ndarray, illegal: np.ndarray, played: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Return the infos of some lanes, bool [B], with zeros for the others."""
        named = {"action_mask": masks}
        if self.illegal != RAISE:
            named |= {"illegal": illegal, "played": played}
        infos = {}
        for name, values in named.items():
            infos[name], infos[f"_{name}"] = values.copy(), where.copy()
            infos[name][~where] = 0
        return infos

    def _final_info(self, terminated: np.ndarray, illegal: np.ndarray, played: np.ndarray) -> dict[str, Any]:
        """Return what Gymnasium says of lanes whose episode ended: the last observation, and no legal action."""
        final = np.full(self.num_envs, None, object)
        envs = np.flatnonzero(terminated)
        for lane, observation in zip(envs, self._final_observations[envs].astype(self._dtype), strict=True):
            final[lane] = observation
        masks = np.zeros((self.num_envs, self.envs.game.num_actions), np.int8)
        return {
            "final_obs": final,
            "_final_obs": terminated.copy(),
            "final_info": self._infos(terminated, masks, illegal, played),
            "_final_info": terminated.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in every lane, bool [B, num_actions]; raises RuntimeError before `reset`."""
        self._require_game()
        return self.envs.masks & ~self._ended[:, None]


def mode_of(autoreset_mode: AutoresetMode | str) -> AutoresetMode:
    """Return how lanes continue after an episode; raises ValueError for anything except Gymnasium's modes."""
    for mode in AutoresetMode:
        if autoreset_mode is mode or is_one_of(autoreset_mode, [mode.value]):
            return mode
    choices = ", ".join(f'"{mode.value}"' for mode in AutoresetMode)
    raise refused("autoreset_mode", autoreset_mode, f"choose one of {choices}")


def lanes_to_reset(options: dict[str, Any] | None, num_envs: int) -> np.ndarray | None:
    """Return the lanes that a reset deals, bool [B], None for all; raises ValueError for other options."""
    if not options:
        return None
    if set(options) != {"reset_mask"}:
        raise refused("options", options, 'the one option is "reset_mask"')
    lanes = np.asarray(options["reset_mask"])
    if lanes.dtype != np.bool_ or lanes.shape != (num_envs,) or not lanes.any():
        raise refused("reset_mask", options["reset_mask"], f"it must be bool [{num_envs}], true in one lane or more")
    return lanes
