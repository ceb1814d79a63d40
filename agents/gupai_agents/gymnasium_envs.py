"""Gymnasium environments: one learning seat at a table of agents, and thousands of such tables side by side.

`gymnasium.make("gupai/JieLong-v0", opponents="greedy")` and `gymnasium.make_vec(...)` make them; see docs/gymnasium.md.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Unpack, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from gupai_agents.action_spaces import LegalActions, LegalActionsBatch, Sampled
from gupai_agents.agent import Agent, DecisionBatch, Memories, distinct
from gupai_agents.decisions import answers
from gupai_agents.gymnasium_options import lanes_to_reset, mode_of, require_no, seat_number
from gupai_agents.learning_seat import (
    END,
    NONE_PLAYED,
    RAISE,
    RESAMPLE,
    Opponents,
    forbidden,
    legal_instead,
    others_of,
    reward_of_illegal,
)
from gupai_agents.playouts import ASKED, LEARNER, draw_line_up, learning_seat, numbered, playouts
from gupai_env.aec import DTYPES, NO_GAME, RENDER_FPS, RENDER_MODES, GupaiEnv, observation_box
from gupai_env.core.compiling import bind, bound_loop
from gupai_env.core.copying import OwnMemory
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import LEGAL, MOST_ENVS, WAIT
from gupai_env.core.layout import Layout
from gupai_env.core.rng import EXACT, KEYS, as_key, as_keys
from gupai_env.games import get_game, variant_from
from gupai_env.options import Options
from gupai_env.vector import VectorEnv
from gupai_env.words.checks import is_whole, one_of, one_of_an_array, truth, whole_number, whole_numbers


class SeatEnv(OwnMemory, gymnasium.Env):
    """One learning seat; agents play the others. An action is one decision of that seat.

    Observations: int8 (or `dtype`) [layout.size], what the seat knows. Rewards: its chips, paid when a deal ends;
    those paid before its first decision come with that. `info["action_mask"]`: int8 [num_actions], all zero at the
    end. Unless illegal actions raise errors, `info["illegal"]` says whether the action of this step was one, and
    `info["played"]` which action was played, NONE_PLAYED if none was.
    A first reset without a seed takes one from the operating system, later ones deal the next episode of the seed:
    the deals of the PettingZoo environment with that seed (but those in which the seat has nothing to decide).
    An error during a step or a reset, such as that of a failing opponent, and ctrl-C end the episode.
    """

    opponents: list[Agent]
    pool: list[Agent]
    render_mode: str | None
    layout: Layout

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents | None = None,
        pool: Sequence[str | Agent] | None = None,
        seat: int | str = "random",
        skip_forced: bool = False,
        illegal: str = RAISE,
        illegal_reward: float | None = None,
        dtype: str = "int8",
        render_mode: str | None = None,
        **variant: Unpack[Options],
    ) -> None:
        """Make a table; agents are named as `make_agent` takes them, or are objects.

        Args:
            game: Its id, or the game itself.
            opponents: An agent for all other seats, or one for each in order of the seats after the learner's; "greedy"
                if neither this nor a pool is given.
            pool: Agents from which, instead, one is drawn for each other seat, for every episode.
            seat: The learner's, "random" (drawn for every episode) or a number.
            skip_forced: Whether its decisions with one legal action are played at once, except the first of a deal.
            illegal: What an illegal action does: "raise" an error; be replaced by a random legal one, "resample"; or
                "end" the episode.
            illegal_reward: What it then pays, in chips; by default minus the most that can be lost in an episode.
            dtype: Of observations, "int8" or "float32"; the values are the same.
            render_mode: As of `GupaiEnv`, default None.

        Raises:
            ValueError: An option, an agent, a seat or a render mode is unknown; the error names those there are. For
                an unknown keyword it is a TypeError as well.
        """
        self.game: Game = get_game(game)
        options = dataclasses.asdict(variant_from(self.game, variant, SeatEnv))
        self.table: GupaiEnv = GupaiEnv(self.game, render_mode=render_mode, mask_in="info", dtype=dtype, **options)
        self.players: int = self.table.variant.players
        self.opponents, self.pool = others_of(self.game, self.table.variant, opponents, pool)
        self._memories = Memories(1, self.players)
        self._line_up: list[Any] = [None, *(self.opponents or self.pool[:1] * (self.players - 1))]
        self.skip_forced: bool = truth("skip_forced", skip_forced)
        self._illegal_reward = reward_of_illegal(self.game, self.table.variant, illegal, illegal_reward)
        self.illegal = illegal
        self._seat = seat_number(seat, self.players)
        self.seat: int = 0  # the learner's, in this episode
        self.render_mode, self.layout = render_mode, self.table.layout
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._owed = 0.0  # paid before the seat's first decision
        self._over = True
        self._gave_up = False  # an illegal action ended the episode
        self._dealt = False  # ever
        self.observation_space: spaces.Space[Any] = self.table.observation_space(self.table.possible_agents[0])
        self.action_space: LegalActions = LegalActions(self._mask)

    def _bind(self) -> None:
        """Let the space of actions draw by the mask of this environment."""
        if isinstance(self.action_space, LegalActions):  # unless somebody has put another there
            self.action_space.legal = self._mask

    @property
    def _learner(self) -> str:
        return self.table.possible_agents[self.seat]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal and play up to the learner's first decision; see the class for seeds. No options are known.

        Raises:
            ValueError: For a bad seed or an option, and then nothing has changed.
        """
        require_no(options)
        seed = None if seed is None else as_key(seed)
        super().reset(seed=seed)
        self._over = True  # until all is done that this takes
        self._gave_up = False
        self.table.reset(seed)
        while not self._open():
            self.table.reset()
        first = self._observe(False, NONE_PLAYED)
        self._dealt, self._over = True, False
        return first

    def _open(self) -> bool:
        """Play up to the learner's first decision in a new episode; False if it has none."""
        self.seat = learning_seat(self.players, self.table.key, self._seat)
        draw_line_up(self.players, self.table.key, self.pool, self._line_up)
        self._owed = self._play_others()
        return not self._at_end

    @property
    def _at_end(self) -> bool:
        return self._gave_up or self.table.terminations[self._learner]

    def _play_others(self) -> float:
        """Play up to the learner's decision or the end; return the learner's chips."""
        table, chips = self.table, 0.0
        while not self._at_end:
            if table.agent_selection == self._learner:
                if (action := self._forced()) is None:
                    break
            else:
                place = (table.possible_agents.index(table.agent_selection) - self.seat) % self.players
                seat, turn = self._line_up[place], DecisionBatch(*table.turn())
                state, lane = table.deal.states, np.zeros(1, int)
                action = self._memories.ask(place, seat, self.game, table.variant, turn, state, lane)[0]
            table.step(action)
            chips += table.rewards[self._learner]
        return chips

    def _forced(self) -> Any:
        """Return the action that `skip_forced` plays for the learner now, None if it decides."""
        state = self.table.deal.state
        if not self.skip_forced or state.settled or not state.moves:
            return None
        legal = np.flatnonzero(self.table.turn()[1])
        return legal[0] if len(legal) == 1 else None

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and all others up to its next decision or the end; nothing is ever truncated.

        Args:
            action: A whole number, or an array or tensor of one.

        Raises:
            IllegalActionError: A ValueError, naming the legal actions, and nothing changes.
            RuntimeError: After the end or before `reset`.
        """
        if self._over:
            raise RuntimeError(NO_GAME)
        if isinstance(action, Sampled) and not self._mask[action]:
            legal = np.flatnonzero(self._mask)
            action = legal[action % len(legal)]
        action, illegal = self._mended(action)
        if illegal and self.illegal == END:
            self._gave_up = self._over = True
            self._owed = 0.0
            observation, info = self._observe(True, NONE_PLAYED)
            return observation, self._illegal_reward, True, False, info
        self._over = True  # until all is done that this takes: the next actions could be other seats'
        try:
            self.table.step(action)
        except IllegalActionError:
            self._over = False
            raise
        reward = self._owed + self.table.rewards[self._learner] + self._play_others()
        self._owed = 0.0
        observation, info = self._observe(illegal, action)
        terminated = self._over = self._at_end
        return observation, reward, terminated, False, info

    def _mended(self, action: Any) -> tuple[Any, bool]:
        """Return the action to play, and whether what was given is illegal but raises no error."""
        action = one_of_an_array(action)
        if self.illegal == RAISE or not is_whole(action):
            return action, False
        _, masks, rng_keys = self.table.turn()
        illegal = not (0 <= action < masks.shape[1] and masks[0, action])
        if illegal and self.illegal == RESAMPLE:
            action = int(legal_instead(masks, rng_keys)[0])
        return action, illegal

    def _observe(self, illegal: bool, played: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Return what the learner observes, and the info after a step."""
        self._mask[:] = self.table.last(observe=False)[-1]["action_mask"] if not self._at_end else 0
        info: dict[str, Any] = {"action_mask": self._mask.copy()}
        if self.illegal != RAISE:
            info |= {"illegal": illegal, "played": int(played)}
        return self.table.observe(self._learner), info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool [num_actions]; raises RuntimeError before `reset`."""
        if not self._dealt:
            raise RuntimeError(NO_GAME)
        return self._mask.astype(np.bool_)

    def render(self) -> Any:
        """Show the table as a spectator sees it, all hands face up; see `GupaiEnv.render`."""
        return self.table.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.table.close()


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
