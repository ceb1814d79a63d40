"""One PettingZoo environment for all games: it knows the protocol, the game knows the rules."""

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv

from gupai_env.core.compiling import bind
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.lanes import PLAY, kernels, table_of
from gupai_env.core.numbers import is_one_of, is_whole, told
from gupai_env.core.rng import KEYS, as_key
from gupai_env.core.scene import Scene
from gupai_env.games import get_game
from gupai_env.render import draw_text

MASK_PLACES = ("observation", "info")
RENDER_MODES = ["human", "ansi", "rgb_array"]
RENDER_FPS = 2
NO_GAME = "no game is going on; call reset() to deal"
IN_USE = "this environment is in use by another thread; give each thread one of its own"
DEALT = (  # attributes that there are once a game is dealt
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
    "_mover",
)


class NotDealtError(RuntimeError, AttributeError):
    """An attribute that an environment has only once a game is dealt; `hasattr` is False until then."""


class GupaiEnv(AECEnv):
    """A game of Chinese dominoes as a PettingZoo AEC environment; agents are `seat_0`, `seat_1`, ...

    Observations: a dict of "observation", int8 [layout.size] (the seat's information set, see
    `layout.sections`), and "action_mask", int8 [num_actions], all zero for a seat that is not to act. With
    `mask_in="info"` the observation is the flat vector alone. `infos[agent]["action_mask"]` holds the mask in
    either case. Rewards: chips, paid when a deal ends, to all seats at once; they sum to zero.
    `state()`: int8 [players * layout.size], the observations of all seats, for centralised critics only.
    Wrong actions raise IllegalActionError (a ValueError) and change nothing, and there is a RuntimeError for whatever
    needs a game before the first `reset`, so no wrapper is needed.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        mask_in: str = "observation",
        **variant: Any,
    ) -> None:
        """Raises: ValueError naming an unknown game, option, render mode or place of the mask, and those there are."""
        game = get_game(game)
        self.metadata: dict[str, Any] = {
            "name": f"{game.identifier}_v{game.version}",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        if render_mode is not None and not is_one_of(render_mode, RENDER_MODES):
            raise ValueError(f"render_mode={told(render_mode)} is not allowed; choose {RENDER_MODES}")
        if not is_one_of(mask_in, MASK_PLACES):
            raise ValueError(f"mask_in={told(mask_in)} is not allowed; choose one of {list(MASK_PLACES)}")
        self.game, self.layout = game, game.encoder.layout
        self.variant = game.variant.make(**variant)
        self.render_mode, self.mask_in = render_mode, mask_in
        self.possible_agents = [f"seat_{seat}" for seat in range(self.variant.players)]
        self.agents: list[str] = []

        vector = spaces.Box(self.layout.low, self.layout.high, dtype=np.int8)
        mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
        self.observation_spaces = {
            agent: vector if mask_in == "info" else spaces.Dict({"observation": vector, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        low, high = (np.tile(bound, self.variant.players) for bound in (self.layout.low, self.layout.high))
        self.state_space = spaces.Box(low, high, dtype=np.int8)

        self._rules = self.variant.as_rules(game.rules_type)
        self._record = self.variant.as_record(game.rules_type)
        self._state = game.new_states(1)
        self._seed, self._episode = np.zeros(1, np.int64), np.full(1, -1, np.int64)
        self._seeded = False
        self._action = np.zeros(1, np.int64)
        self._seat = np.zeros(1, np.int8)
        self._mask = np.zeros((1, game.num_actions), np.int8)
        self._no_actions = np.zeros(game.num_actions, np.int8)
        self._paid = False  # the last step ended a deal
        self._observation = np.zeros((1, self.layout.size), np.int8)
        self._payoffs = np.zeros((1, game.max_seats), np.float32)
        self._over = np.zeros(1, np.bool_)
        self._window: Any = None
        self._bind()

    def _bind(self) -> None:
        """Take hold of what a copy must not share: compiled loops, and second names for the arrays above."""
        self._loops = kernels(self.game)
        self._free = threading.Lock()
        self._bool_mask = self._mask.view(np.bool_)
        self._settled = self._state["settled"]
        self._plain_state = np.asarray(self._state)  # quicker to pass than a record array
        self._table = table = table_of(
            1,
            renew=False,
            skip_forced=False,
            observe=True,
            rules=self._record,
            states=self._state,
            seeds=self._seed,
            episodes=self._episode,
            seats=self._seat,
            masks=self._mask,
            observations=self._observation,
            payoffs=self._payoffs,
            over=self._over,
        )
        self._begin = bind(self._loops.begin, self._rules, table)
        self._show = bind(self._loops.show, self._rules, table)
        self._look_from = bind(self._loops.look, self._rules, table, later=(0, self._observation))
        self._play = bind(self._loops.play, table, 0, 1, PLAY, self._action, 0, 0)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what `_bind` makes anew, and the window."""
        bound = (
            "_loops",
            "_free",
            "_table",
            "_begin",
            "_show",
            "_play",
            "_bool_mask",
            "_settled",
            "_plain_state",
            "_look_from",
        )
        return {name: value for name, value in vars(self).items() if name not in bound} | {"_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def __getattr__(self, name: str) -> Any:
        """Say what is missing of an environment that has not been reset."""
        if name in DEALT:
            raise NotDealtError(NO_GAME)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def _require_game(self) -> None:
        if not self._seeded:
            raise RuntimeError(NO_GAME)

    def agent_iter(self, max_iter: int = 1 << 63) -> Iterable[str]:
        """Return an iterator over the agents in the order in which they act, until all are removed."""
        self._require_game()
        iterator: Iterable[str] = super().agent_iter(max_iter)
        return iterator

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the space of what an agent observes; raises ValueError if there is no such agent."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of actions, which `game.action_names` names; raises ValueError if there is no such agent."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        """Deal. With a seed its first episode, without one the next episode of the last seed.

        Args: seed: 0..2**63 - 1; a first reset without one takes a seed from the operating system.
            options: none are known; accepted for the protocol's sake.
        Raises: ValueError for a bad seed, RuntimeError while another thread is at it; nothing has changed then.
        """
        key = None if seed is None else as_key(seed)
        self._enter()
        try:
            self._deal(key)
        finally:
            self._free.release()

    def _deal(self, key: int | None) -> None:
        if key is not None:
            self._seed[0], self._episode[0], self._seeded = key, 0, True
        elif self._seeded:
            self._episode[0] += 1
        else:
            fresh = np.random.SeedSequence().generate_state(1, np.uint64)[0]
            self._seed[0], self._episode[0], self._seeded = int(fresh) % KEYS, 0, True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._removed = ""  # the first who was
        self._paid = False
        self._begin()
        self._show()
        self.infos = {agent: {"action_mask": self._no_actions.copy()} for agent in self.agents}
        self._turn_to(self.possible_agents[self._seat[0]])
        if self.render_mode == "human":
            self.render()

    def _turn_to(self, agent: str) -> None:
        self.agent_selection = self._mover = agent
        self.infos[agent] = {"action_mask": self._mask[0].copy()}

    def observe(self, agent: str) -> Any:
        """Return what an agent observes now, as fresh arrays."""
        # At the end agent_selection goes on to seats for which nothing is kept.
        if isinstance(agent, str) and agent == self._mover:
            observation, mask = self._observation[0].copy(), self._mask[0].copy()
        else:
            observation, mask = self._look(self._seat_of(agent)), self._no_actions.copy()
        return observation if self.mask_in == "info" else {"observation": observation, "action_mask": mask}

    def _seat_of(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise ValueError(f"{told(agent)} is no agent; the agents are {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def _look(self, seat: int) -> np.ndarray:
        observation = np.empty_like(self._observation)
        self._look_from(seat, observation)
        return observation[0]

    def step(self, action: Any) -> None:
        """Play the action of `agent_selection`, or, if it is terminated, remove it with None.

        Raises: IllegalActionError (a ValueError) naming the seat, the action and the legal ones; RuntimeError
            before `reset` or after the end, and while another thread is at it. Nothing has changed then.
        """
        self._enter()
        try:
            self._step(action)
        except BaseException:
            self._table["busy"] = 0  # it stays taken where an error ends a loop
            raise
        finally:
            self._free.release()

    def _enter(self) -> None:
        """Have the environment to oneself, until `_free` is released."""
        if not self._free.acquire(blocking=False):
            raise RuntimeError(IN_USE)

    def _step(self, action: Any) -> None:
        if not self.agents:
            raise RuntimeError(NO_GAME)
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise IllegalActionError(
                    f"{agent}: the game is over, the only valid action is None, not {told(action)}"
                )
            self._remove(agent)
            return
        self._action[0] = self._checked(action)
        self._play()
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
        self._paid = bool(self._settled[0])
        if self._paid:
            for seat, each in enumerate(self.possible_agents):
                self.rewards[each] = float(self._payoffs[0, seat])
            self._accumulate_rewards()
        self.infos[agent] = {"action_mask": self._no_actions.copy()}
        self._turn_to(self.possible_agents[self._seat[0]])
        if self._over[0]:
            self.terminations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    def _remove(self, agent: str) -> None:
        """Take a terminated agent out as `_was_dead_step` does, but quicker: all end at once."""
        for each in (self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos):
            del each[agent]
        self.agents.remove(agent)
        self._removed = self._removed or agent
        self.agent_selection = self.agents[0] if self.agents else self._removed
        self._clear_rewards()

    def _checked(self, action: Any) -> int:
        """Return a legal action as it is; any other raises IllegalActionError."""
        if isinstance(action, np.ndarray) and action.ndim == 0:
            action = action[()]
        whole = is_whole(action)
        if whole and 0 <= action < len(self._no_actions) and self._mask[0, action]:
            return action
        what = int(action) if whole else action
        view = self._view_of(self.possible_agents.index(self.agent_selection))
        raise IllegalActionError(describe_illegal(self.game, self.agent_selection, what, self._mask[0], view))

    @property
    def key(self) -> int:
        """The key of the episode under way, from which all its chance is derived."""
        self._require_game()
        return int(self._state.seed[0])

    def turn(self) -> tuple[np.recarray, np.ndarray, np.ndarray]:
        """Return the decision of `agent_selection` as the agents of `agents` take it, `agent.act(Turns(*env.turn()))`.

        Returns: what it knows, views [1]; its legal actions, bool [1, num_actions]; its key of chance, int64 [1].
        Raises: RuntimeError before `reset` and at the end of the game, when there is none.
        """
        if not self.agents or self.terminations[self.agent_selection]:
            raise RuntimeError(NO_GAME)
        views, key = np.zeros(1, self.game.view), np.zeros(1, np.int64)
        self._loops.views(self._rules, self._plain_state, views, key)
        return views.view(np.recarray), self._bool_mask.copy(), key

    def state(self) -> np.ndarray:
        """Return the observations of all seats, int8 [players * layout.size]; no agent may be shown it."""
        self._require_game()
        return np.concatenate([self._look(seat) for seat in range(self.variant.players)])

    def render(self) -> str | np.ndarray | None:
        """Show the table as a spectator sees it, all hands face up.

        Returns: text for "ansi"; a picture, uint8 [720, 960, 3], for "rgb_array"; None for "human", which
            shows that picture in a window.
        Raises: RuntimeError before the first `reset`.
        """
        if self.render_mode is None:
            logger.warn("You are calling render method without specifying any render mode.")
            return None
        self._require_game()
        scene = self._scene()
        if self.render_mode == "ansi":
            return draw_text(scene)
        from gupai_env.render.image import (
            draw_image,  # needs resvg-py and Pillow, which training goes without
        )

        picture = draw_image(scene)
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            from gupai_env.render.window import Window

            self._window = Window(self.game.title, RENDER_FPS)
        self._window.show(picture)
        return None

    def _view_of(self, seat: int) -> np.record:
        views = np.zeros(1, self.game.view).view(np.recarray)
        self._loops.view_of(self._rules, self._state, seat, views)
        return views[0]

    def _scene(self) -> Scene:
        views = [self._view_of(seat) for seat in range(self.variant.players)]
        payoffs = self._state.payoff[0].tolist() if self._state.over[0] else None
        return self.game.scene(self.variant, views, self.possible_agents, payoffs)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
