"""One learning seat at a table of agents."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Unpack

import gymnasium
import numpy as np
from gymnasium import spaces

from gupai_agents.agent import Agent, DecisionBatch, Memories
from gupai_agents.gymnasium_envs.learning_seat import (
    END,
    NONE_PLAYED,
    RAISE,
    RESAMPLE,
    Opponents,
    legal_instead,
    others_of,
    reward_of_illegal,
    seat_number,
)
from gupai_agents.gymnasium_envs.spaces import LegalActions, Sampled
from gupai_agents.play.playouts import draw_line_up, learning_seat
from gupai_env.aec import NO_GAME, RENDER_FPS, RENDER_MODES, GupaiEnv
from gupai_env.core.copying import OwnMemory
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.layout import Layout
from gupai_env.core.rng import as_key
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import is_whole, one_of_an_array, refused, truth
from gupai_env.options import Options


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


def require_no(options: dict[str, Any] | None) -> None:
    """Raise ValueError for options of a reset: there are none."""
    if options:
        raise refused("options", options, "there are no options")
