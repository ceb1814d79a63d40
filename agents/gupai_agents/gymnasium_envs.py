"""Gymnasium environments: one learning seat at a table of agents, and thousands of such tables side by side.

`gymnasium.make("gupai/JieLong-v0", opponents="greedy")` and `gymnasium.make_vec(...)` make them; see docs/gymnasium.md.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from gupai_agents.agent import Agent, Turns, ask, check_agent, distinct
from gupai_agents.evaluation.match import NOBODY, answers
from gupai_agents.playouts import ANY_SEAT, ASKED, LEARNER, learning_seat, numbered, playouts
from gupai_agents.registry import make_agent
from gupai_env.aec import NO_GAME, RENDER_FPS, RENDER_MODES, GupaiEnv
from gupai_env.core.compiling import bind
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.lanes import BUSY, LEGAL, WAIT, release
from gupai_env.core.numbers import is_whole, told, whole_number, whole_numbers
from gupai_env.core.rng import KEYS, as_key
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.vector import IN_USE, MOST_LANES, Lanes

Opponents = str | Agent | Sequence[str | Agent]


def opponents_at(game: Game, variant: Variant, opponents: Opponents) -> list[Agent]:
    """Return an agent for every seat but the learner's, in order of the seats from there.

    Raises: ValueError for an unknown name, an agent made for another game or variant, or too many or few.
    """
    others = variant.players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * others
    if len(opponents) != others:
        raise ValueError(
            f"{len(opponents)} opponents for {others} seats; give one for each seat or one for all"
        )
    named = {spec: make_agent(spec, game, **vars(variant)) for spec in opponents if isinstance(spec, str)}
    agents = [named[each] if isinstance(each, str) else each for each in opponents]
    for agent in agents:
        check_agent(agent, game, variant)
    return agents


def seat_number(seat: int | str, players: int) -> int:
    """Return the learner's seat as a number, ANY_SEAT for "random"."""
    if isinstance(seat, str) and seat == "random":
        return ANY_SEAT
    if is_whole(seat) and 0 <= int(seat) < players:
        return int(seat)
    raise ValueError(f'seat={told(seat)} is not allowed; choose "random" or a seat of {list(range(players))}')


class Sampled(np.int64):
    """A random legal action. Played where it is not legal any more, it stands for another one that is."""


class LegalActions(spaces.Discrete):
    """All actions by number; without a mask, `sample` draws from those that are legal in the environment now.

    So random play needs no mask, and programs that play samples, like Gymnasium's `check_env`, meet no error.
    """

    def __init__(self, mask: np.ndarray) -> None:
        super().__init__(len(mask))
        self.legal = mask  # int8 [num_actions], kept up to date by the environment

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random action: a legal one, or one that `mask` or `probability` allows."""
        if mask is None and probability is None:
            return Sampled(super().sample(self.legal))
        return super().sample(mask, probability)


def require_no(options: dict | None) -> None:
    """Raise ValueError for options of a reset: there are none."""
    if options:
        raise ValueError(f"options={told(options)} is not allowed; there are no options")


class SeatEnv(gymnasium.Env):
    """One learning seat; agents play the others. An action is one decision of that seat.

    Observations: int8 [layout.size], what the seat knows. Rewards: its chips, paid when a deal ends; those paid
    before its first decision come with that. `info["action_mask"]`: int8 [num_actions], all zero at the end.
    A first reset without a seed takes one from the operating system, later ones deal the next episode of the seed:
    the deals of the PettingZoo environment with that seed (but those in which the seat has nothing to decide).
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents = "greedy",
        seat: int | str = "random",
        render_mode: str | None = None,
        **variant: Any,
    ) -> None:
        """Args: opponents: an agent for all other seats, or one for each in order of the seats after the learner's;
            agents as `make_agent` takes them or objects. seat: "random" (drawn for every episode) or a number.

        Raises: ValueError for an unknown option, agent, seat or render mode, naming those there are.
        """
        self.game = get_game(game)
        self.table = GupaiEnv(self.game, render_mode=render_mode, mask_in="info", **variant)
        self.players = self.table.variant.players
        self.opponents = opponents_at(self.game, self.table.variant, opponents)
        self._seat = seat_number(seat, self.players)
        self.seat = 0  # the learner's, in this episode
        self.render_mode, self.layout = render_mode, self.table.layout
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._owed = 0.0  # paid before the seat's first decision
        self._over = True
        self._dealt = False  # ever
        self.observation_space = spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
        self.action_space = LegalActions(self._mask)

    @property
    def _learner(self) -> str:
        return self.table.possible_agents[self.seat]

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Deal and play up to the learner's first decision; see the class for seeds. No options are known.

        Raises: ValueError for a bad seed or an option, and then nothing has changed.
        """
        require_no(options)
        seed = None if seed is None else as_key(seed)
        super().reset(seed=seed)
        self.table.reset(seed)
        while not self._open():
            self.table.reset()
        self._dealt = True
        return self._look()

    def _open(self) -> bool:
        """Play up to the learner's first decision in a new episode; False if it has none."""
        self._over = False
        self.seat = learning_seat(self.players, self.table.key, self._seat)
        self._owed = self._play_others()
        return not self._over

    def _play(self, action: Any) -> float:
        """Play a decision of the seat to act; return the learner's chips."""
        self.table.step(action)
        self._over = self.table.terminations[self._learner]
        return self.table.rewards[self._learner]

    def _play_others(self) -> float:
        chips = 0.0
        while not self._over and self.table.agent_selection != self._learner:
            place = (self.table.possible_agents.index(self.table.agent_selection) - self.seat) % self.players
            turns = Turns(*self.table.turn())
            try:
                action = ask(self.opponents[place - 1], self.game, self.table.variant, turns)[0]
            except BaseException:
                self._over = True  # or else the learner's next action would be this seat's
                raise
            chips += self._play(action)
        return chips

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Play the learner's action and all others up to its next decision or the end; nothing is ever truncated.

        Raises: IllegalActionError (a ValueError) naming the legal actions, and nothing changes; RuntimeError after
            the end or before `reset`.
        """
        if self._over:
            raise RuntimeError(NO_GAME)
        if isinstance(action, Sampled) and not self._mask[action]:
            legal = np.flatnonzero(self._mask)
            action = legal[action % len(legal)]
        reward = self._play(action) + self._owed
        self._owed = 0.0
        reward += self._play_others()
        observation, info = self._look()
        return observation, reward, self._over, False, info

    def _look(self) -> tuple[np.ndarray, dict]:
        self._mask[:] = self.table.infos[self._learner]["action_mask"]
        return self.table.observe(self._learner), {"action_mask": self._mask.copy()}

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


class LegalActionsBatch(spaces.MultiDiscrete):
    """One action a lane; without a mask, `sample` draws from those that are legal now."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(np.full(lanes.num_lanes, lanes.game.num_actions))
        self._lanes = lanes

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """Return random actions, int64 [B]: legal ones, or what `mask` or `probability` allow."""
        if mask is None and probability is None:
            return self._lanes.sample(int(self.np_random.integers(1 << 62))).astype(np.int64)
        return super().sample(mask, probability)


class SeatVectorEnv(gymnasium.vector.VectorEnv):
    """B tables with one learning seat each, in lanes: the same play as B `SeatEnv`, only fast.

    Rule-based opponents play inside one compiled loop, others are asked in batches. A lane whose episode ends is
    dealt anew in the same step (`AutoresetMode.SAME_STEP`): its observation is the first of the next episode, the
    last one is in `info["final_obs"]`. Lane i of `reset(seed=s)` plays the episodes of seed s + i. All arrays that
    are returned are the caller's.

    Attributes: seats: int8 [B], the learner's seat in every lane; the next step overwrites it.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Opponents = "greedy",
        seat: int | str = "random",
        **variant: Any,
    ) -> None:
        """Args and errors: as `SeatEnv`, without a render mode."""
        num_envs = whole_number("num_envs", num_envs, 1, MOST_LANES)
        self.lanes = lanes = Lanes(game, num_envs, **variant)
        players = lanes.variant.players
        self.opponents = opponents_at(lanes.game, lanes.variant, opponents)
        self._agents, places = distinct(self.opponents)
        numbers, self._styles = numbered(lanes.game, self._agents)
        self._line_up = np.array([LEARNER, *numbers[places]], np.int16)
        self._seat = seat_number(seat, players)
        self.num_envs, self.layout = num_envs, lanes.layout
        self.single_observation_space = spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(lanes.game.num_actions)
        self.action_space = LegalActionsBatch(lanes)
        self.seats = np.zeros(num_envs, np.int8)
        self._players = players
        self._actions = np.zeros(num_envs, np.int16)
        self._final_observations = np.zeros_like(lanes.observations)
        self._rewards, self._owed = np.zeros(num_envs), np.zeros(num_envs)
        self._over = np.zeros(num_envs, np.bool_)
        self._seeded = False

    @functools.cached_property
    def _play(self) -> Callable[[], int]:
        """The loop `respond` over all lanes."""
        return bind(
            playouts(self.lanes.game).respond,
            self._styles,
            self.lanes.table,
            self._actions,
            self._seat,
            self._line_up[None],
            self.seats,
            self._final_observations,
            self._rewards,
            self._owed,
            self._over,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is bound to these very arrays: a copy makes its own."""
        return {name: value for name, value in vars(self).items() if name != "_play"}

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict | None = None
    ) -> tuple[np.ndarray, dict]:
        """Deal in every lane; with a seed its first episode, without one the next episode of the last seed.

        Args: seed: that of lane 0, lane i gets seed + i; or a seed for every lane. options: none are known.
        Raises: ValueError for a bad seed or an option, and then nothing has changed.
        """
        require_no(options)
        if seed is not None or not self._seeded:
            if isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str):
                self.lanes.reset(seeds=seed)
                super().reset()
            else:
                first = None if seed is None else whole_number("seed", seed, 0, KEYS - self.num_envs)
                super().reset(seed=first)
                first = int(self.np_random.integers(1 << 62)) if first is None else first
                self.lanes.reset(seeds=first + np.arange(self.num_envs))
            self._seeded = True
        else:
            self.lanes.episodes += 1
            self.lanes.begin()
            self.lanes.refresh()
        self._owed[:] = 0
        self._over[:] = True  # there is no episode yet that could end
        self._actions[:] = WAIT
        self._respond()
        return self.lanes.observations.copy(), self._info()

    def _require_game(self) -> None:
        if not self._seeded:
            raise RuntimeError(NO_GAME)

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learner's action in every lane, integers [B], and all others up to its next decision.

        Returns: observations, int8 [B, layout.size]; rewards, float64 [B], in chips; terminations and truncations
            (never), bool [B]; infos, with `action_mask`, int8 [B, num_actions], of the observations.
        Raises: IllegalActionError naming the first lane and seat whose action its mask forbids; nothing changed.
        """
        self._require_game()
        actions = whole_numbers("actions", actions, self.num_envs, "lane")
        self._actions[:] = np.clip(actions, WAIT + 1, self.lanes.game.num_actions)
        self._rewards[:] = self._owed
        self._owed[:] = 0
        self._over[:] = False
        self._respond(actions)
        over = self._over.copy()
        return (
            self.lanes.observations.copy(),
            self._rewards.copy(),
            over,
            np.zeros(self.num_envs, np.bool_),
            self._info() | (self._final_info(over) if over.any() else {}),
        )

    def _respond(self, asked: np.ndarray | None = None) -> None:
        """Play `_actions` and all others up to the learners' next decisions; `asked` are the actions as they came."""
        lanes = self.lanes
        while True:
            try:
                lane = self._play()
            except BaseException:  # in the midst of play
                release(lanes.table)
                self._seeded = False
                raise
            if lane == BUSY:
                raise RuntimeError(IN_USE)
            if lane != LEGAL:
                self._owed[:] = self._rewards  # as before the step
                raise self._illegal(lane, self._actions if asked is None else asked)
            if not (self._line_up >= ASKED).any():
                return
            number = self._line_up[(lanes.seats - self.seats) % self._players]
            if (number == LEARNER).all():
                return
            mover = np.where(number == LEARNER, NOBODY, number - ASKED)
            try:
                self._actions[:] = answers(lanes, self._agents, mover)
            except BaseException:
                self._seeded = False  # or else the learner's next actions would be those of these seats
                raise
            asked = None

    def _illegal(self, lane: int, actions: np.ndarray) -> IllegalActionError:
        lanes = self.lanes
        who, view = f"lane {lane}, seat {lanes.seats[lane]}", lanes.views(slice(lane, lane + 1))[0][0]
        return IllegalActionError(
            describe_illegal(lanes.game, who, int(actions[lane]), lanes.masks[lane], view)
        )

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.lanes.masks.view(np.int8).copy(),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _final_info(self, over: np.ndarray) -> dict[str, Any]:
        """Return what Gymnasium says of lanes whose episode ended: the last observation, and no legal action."""
        final = np.full(self.num_envs, None, object)
        lanes = np.flatnonzero(over)
        for lane, observation in zip(lanes, self._final_observations[lanes], strict=True):
            final[lane] = observation
        masks = np.zeros((self.num_envs, self.lanes.game.num_actions), np.int8)
        return {
            "final_obs": final,
            "_final_obs": over.copy(),
            "final_info": {"action_mask": masks, "_action_mask": over.copy()},
            "_final_info": over.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in every lane, bool [B, num_actions]; raises RuntimeError before `reset`."""
        self._require_game()
        return self.lanes.masks.copy()
