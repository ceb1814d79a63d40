"""One PettingZoo environment for all games: it knows the protocol, the game knows the rules."""

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv

from gupai_env.core.copying import OwnMemory
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.layout import Layout
from gupai_env.core.rng import as_key, drawn_seed
from gupai_env.core.variant import Variant
from gupai_env.forking import OneThread
from gupai_env.games import get_game, variant_from
from gupai_env.options import Options
from gupai_env.render import draw_text
from gupai_env.vector import VectorEnv
from gupai_env.words.checks import is_one_of, is_whole, one_of, one_of_an_array, refused, short_repr, whole_number

MASK_PLACES = ("observation", "info")
DTYPES = ("int8", "float32")  # of observations
RENDER_MODES = ["human", "ansi", "rgb_array"]
RENDER_FPS = 2
MOST_CYCLES = 1 << 31
NO_GAME = "no game is under way; call reset() to deal"
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


def observation_box(layout: Layout, dtype: np.dtype, seats: int = 1) -> spaces.Box:
    """Return the space of the observations of so many seats, one after the other."""
    low, high = (np.tile(bound, seats).astype(dtype) for bound in (layout.low, layout.high))
    return spaces.Box(low, high, dtype=dtype.type)


class NotDealtError(RuntimeError, AttributeError):
    """An attribute that an environment has only once a game is dealt; `hasattr` is False until then."""


class GupaiEnv(OwnMemory, AECEnv):
    """A game of Chinese dominoes as a PettingZoo AEC environment; agents are `seat_0`, `seat_1`, ...

    Observations: a dict of "observation", int8 (or `dtype`) [layout.size] (the seat's information set, see
    `layout.sections`), and "action_mask", int8 [num_actions], all zero for a seat that is not to act. With
    `mask_in="info"` the observation is the flat vector alone. `infos[agent]["action_mask"]` holds the mask in
    either case. Rewards: chips, paid when a deal ends, to all seats at once; they sum to zero.
    `state()`: int8 (or `dtype`) [players * layout.size], the observations of all seats, for centralised critics only.
    `deal`: the `Deal` under way, with all hands, for spectators and tests only.
    Wrong actions raise IllegalActionError (a ValueError) and change nothing, and there is a RuntimeError for whatever
    needs a game before the first `reset`, so no wrapper is needed.
    What methods return is the caller's to keep and to write to. Dicts such as `rewards` are replaced by the next step,
    not changed; what a wrapper writes to `terminations` or `truncations` counts, and a seat that leaves the table so
    ends the game of all. Whatever interrupts a `step`, it has been played wholly or not at all.
    """

    game: Game
    variant: Variant
    layout: Layout
    deal: Deal
    render_mode: str | None
    mask_in: str
    max_cycles: int | None
    dtype: np.dtype
    possible_agents: list[str]
    observation_spaces: dict[str, spaces.Space[Any]]
    action_spaces: dict[str, spaces.Discrete]
    state_space: spaces.Box

    _BOUND = frozenset(
        {"_alone", "deal", "_mask", "_seat", "_observation", "_play", "_settled", "_moves", "_over", "_window"}
    )

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        mask_in: str = "observation",
        max_cycles: int | None = None,
        dtype: str = "int8",
        **variant: Unpack[Options],
    ) -> None:
        """Make a table; its first game is dealt by `reset`.

        Args:
            render_mode: One of RENDER_MODES, or None.
            mask_in: One of MASK_PLACES.
            max_cycles: How often a seat may decide in a game: where it is to decide once more, all agents are
                truncated, without rewards. None, the default, plays every game to its end.
            dtype: Of observations, one of DTYPES; masks are int8 always.

        Raises:
            ValueError: An unknown game, option, render mode or place of the mask, with those there are, or no such
                number of cycles.
        """
        game = get_game(game)
        self.metadata: dict[str, Any] = {
            "name": f"{game.identifier}_v{game.version}",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        if render_mode is not None and not is_one_of(render_mode, RENDER_MODES):
            raise refused("render_mode", render_mode, f"choose {RENDER_MODES}")
        if not is_one_of(mask_in, MASK_PLACES):
            raise refused("mask_in", mask_in, f"choose one of {list(MASK_PLACES)}")
        self.game, self.layout = game, game.encoder.layout
        self.variant = variant_from(game, variant, GupaiEnv)
        self.render_mode, self.mask_in = render_mode, mask_in
        self.max_cycles = None if max_cycles is None else whole_number("max_cycles", max_cycles, 1, MOST_CYCLES)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.variant.players)]
        self.agents: list[str] = []

        self.dtype = np.dtype(one_of("dtype", dtype, DTYPES))
        vector = observation_box(self.layout, self.dtype)
        mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
        self.observation_spaces = {
            agent: vector if mask_in == "info" else spaces.Dict({"observation": vector, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self.state_space = observation_box(self.layout, self.dtype, self.variant.players)

        self._envs = VectorEnv(game, 1, renew=False, **dataclasses.asdict(self.variant))
        self._seeded = False
        self._action = np.zeros(1, np.int64)
        self._no_actions = np.zeros(game.num_actions, np.int8)
        self._paid = False  # the last step ended a deal
        self._infos: dict[str, dict[str, Any]] = {}  # of this position, as far as somebody asked
        self._bind()

    def _bind(self) -> None:
        """Set what a copy must not share: the thread that holds the environment, the window, and views of arrays."""
        self._window: Any = None
        self._alone = OneThread(IN_USE)
        envs, states = self._envs, self._envs.states
        self.deal = Deal(self.game, self.variant, states, compiled=True)
        self._mask, self._seat, self._observation = envs.masks.view(np.int8), envs.seats, envs.observations
        # What `envs.step` does for the one thread that `_alone` lets in; the action was converted and checked before.
        self._play = functools.partial(envs._steps[0], self._action)
        self._settled, self._moves, self._over = states["settled"], states["moves"], states["terminated"]

    def __getattr__(self, name: str) -> Any:
        """Raise an error that explains what an environment lacks before `reset`."""
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

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent observes; raises ValueError if there is no such agent."""
        return self.observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of actions, which `game.action_names` names; raises ValueError if there is no such agent."""
        return self.action_spaces[self.possible_agents[self._seat_of(agent)]]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal. With a seed its first episode, without one the next episode of the last seed.

        Args:
            seed: 0..2**63 - 1, also of numpy; a first reset without one takes a seed below 2**53 from the operating
                system.
            options: None are known; accepted for the protocol's sake.

        Raises:
            ValueError: For a bad seed.
            RuntimeError: While another thread is at it; nothing has changed then.
        """
        key = None if seed is None else as_key(seed)
        with self._alone:
            self._deal(key)
            if self.render_mode == "human":
                self.render()

    def _deal(self, key: int | None) -> None:
        seeds, episodes = self._envs.seeds, self._envs.episodes
        before = int(seeds[0]), int(episodes[0])
        if key is not None:
            number = key, 0
        elif self._seeded:
            number = before[0], before[1] + 1
        else:
            number = drawn_seed(), 0
        self.agents = []  # until it is dealt there is no game
        try:
            seeds[0], episodes[0] = number
            self._envs._begin()
            self._envs._show()
            self._announce_deal()
        except BaseException:
            if not self.agents:
                seeds[0], episodes[0] = before
            raise

    def _announce_deal(self) -> None:
        """Set all attributes that describe the game, at once, as it begins."""
        agents, mover = self.possible_agents[:], self.possible_agents[self._seat[0]]
        self.__dict__.update(
            rewards=dict.fromkeys(agents, 0.0),
            _cumulative_rewards=dict.fromkeys(agents, 0.0),
            terminations=dict.fromkeys(agents, False),
            truncations=dict.fromkeys(agents, False),
            agent_selection=mover,
            agents=agents,
            _mover=mover,
            _infos={},
            _decisions=dict.fromkeys(agents, 0),  # counted only where their number is limited
            _removed="",  # the first who was
            _paid=False,
            _announced=0,  # moves
            _seeded=True,
        )

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """For each agent a dict of "action_mask", int8 [num_actions]; made again after each step."""
        if not self._seeded:
            raise NotDealtError(NO_GAME)
        if len(self._infos) < len(self.agents):
            self._infos = {agent: self._info_of(agent) for agent in self.agents}
        return self._infos

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._infos = infos

    def _info_of(self, agent: str) -> dict[str, Any]:
        return self._infos.setdefault(agent, {"action_mask": self._mask_of(agent)})

    def _mask_of(self, agent: str) -> np.ndarray:
        return self._mask[0].copy() if agent == self._mover else self._no_actions.copy()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation (None unless to `observe`), reward, termination, truncation and info of `agent_selection`.

        The reward is what it was paid since it last acted. All is the caller's.

        Raises:
            RuntimeError: Before `reset` and once all agents are removed.
        """
        if not self.agents:
            raise RuntimeError(NO_GAME)
        agent = self.agent_selection
        observation = self.observe(agent) if observe else None
        reward, ended = self._cumulative_rewards[agent], self.terminations[agent]
        return observation, reward, ended, self.truncations[agent], dict(self._info_of(agent))

    def observe(self, agent: str) -> Any:
        """Return what an agent observes now, as fresh arrays."""
        # At the end agent_selection continues to seats for which nothing is kept.
        if isinstance(agent, str) and agent == self._mover:
            observation = self._observation[0].astype(self.dtype)
        else:
            observation = self._envs.observed_by(self._seat_of(agent))[0].astype(self.dtype, copy=False)
        return (
            observation if self.mask_in == "info" else {"observation": observation, "action_mask": self._mask_of(agent)}
        )

    def _seat_of(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise ValueError(f"{short_repr(agent)} is not an agent; the agents are {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def step(self, action: Any) -> None:
        """Play the action of `agent_selection`, or, if it is terminated or truncated, remove it with None.

        Args:
            action: A whole number, or an array or tensor of one.

        Raises:
            IllegalActionError: A ValueError, naming the seat, the action and the legal ones.
            RuntimeError: Before `reset` or after the end, and while another thread is at it. Nothing has changed then.
        """
        with self._alone:
            self._step(action)

    def _is_out(self, agent: str) -> bool:
        """Return whether an agent has nothing more to decide: the game is over, or somebody ended it."""
        return self.terminations.get(agent, False) or self.truncations.get(agent, False)

    def _step(self, action: Any) -> None:
        if not self.agents:
            raise RuntimeError(NO_GAME)
        agent = self.agent_selection
        if self._is_out(agent):
            if action is not None:
                raise IllegalActionError(
                    f"{agent}: the game is over, the only valid action is None, not {short_repr(action)}"
                )
            self._remove(agent)
            return
        self._action[0] = self._checked(action)
        try:
            self._play()
            self._announce(agent)
        except BaseException:
            if self._moves[0] != self._announced:
                self._announce(agent)
            raise
        if self.render_mode == "human":
            self.render()

    def _announce(self, agent: str) -> None:
        """Set all attributes that describe the game, at once, after a move of an agent."""
        self._cumulative_rewards[agent] = 0.0
        mover, paid = self.possible_agents[self._seat[0]], bool(self._settled[0])
        now: dict[str, Any] = {"agent_selection": mover, "_mover": mover, "_infos": {}, "_paid": paid}
        if paid:
            rewards = dict(zip(self.agents, self._envs.rewards[0].tolist(), strict=False))
            now["rewards"] = rewards
            now["_cumulative_rewards"] = {name: self._cumulative_rewards[name] + rewards[name] for name in rewards}
        elif self._paid:
            now["rewards"] = dict.fromkeys(self.agents, 0.0)
        if self._over[0]:
            now["terminations"] = dict.fromkeys(self.agents, True)
        elif self.max_cycles is not None:
            now["_decisions"] = decisions = self._decisions | {agent: self._decisions[agent] + 1}
            if decisions[mover] == self.max_cycles:
                now["truncations"] = dict.fromkeys(self.agents, True)
        self.__dict__.update(now, _announced=int(self._moves[0]))

    def _remove(self, agent: str) -> None:
        """Remove an agent that is terminated or truncated; the others can then only be removed too."""
        agents = [name for name in self.agents if name != agent]
        first, infos = self._removed or agent, self._infos
        self.__dict__.update(
            agents=agents,
            agent_selection=agents[0] if agents else first,
            terminations={name: self.terminations.get(name, False) for name in agents},
            truncations={
                name: self.truncations.get(name, False) or not self.terminations.get(name, False) for name in agents
            },
            rewards=dict.fromkeys(agents, 0.0),
            _cumulative_rewards={name: self._cumulative_rewards[name] for name in agents},
            _infos={name: infos[name] for name in agents if name in infos},
            _removed=first,
        )

    def _checked(self, action: Any) -> int:
        """Return a legal action as it is; any other raises IllegalActionError."""
        action = action if type(action) is int else one_of_an_array(action)
        if is_whole(action) and 0 <= action < len(self._no_actions) and self._mask[0, action]:
            return action
        raise self.deal.illegal(self.agent_selection, action)

    @property
    def key(self) -> int:
        """The RNG key of the episode under way, from which all its random numbers are derived."""
        self._require_game()
        return int(self.deal.state.seed)

    def turn(self) -> tuple[np.recarray, np.ndarray, np.ndarray]:
        """Return the decision of `agent_selection` as the agents of `agents` take it,
        `agent.act(DecisionBatch(*env.turn()))`.

        Returns:
            What it knows, views [1]; its legal actions, bool [1, num_actions]; its RNG key, int64 [1].

        Raises:
            RuntimeError: Before `reset` and at the end of the game, when there is none.
        """
        if not self.agents or self._is_out(self.agent_selection):
            raise RuntimeError(NO_GAME)
        views, rng_keys = self._envs.views()
        return views, self._envs.masks.copy(), rng_keys

    def state(self) -> np.ndarray:
        """Return the observations of all seats, int8 (or `dtype`) [players * layout.size]; no agent may be shown it."""
        self._require_game()
        seats = range(self.variant.players)
        return np.concatenate([self._envs.observed_by(seat)[0] for seat in seats], dtype=self.dtype)

    def render(self) -> str | np.ndarray | None:
        """Show the table as a spectator sees it, all hands face up.

        Returns:
            Text for "ansi"; a picture, uint8 [720, 960, 3], for "rgb_array"; None for "human", which shows that picture
            in a window.

        Raises:
            RuntimeError: Before the first `reset`.
        """
        if self.render_mode is None:
            logger.warn("You are calling render method without specifying any render mode.")
            return None
        self._require_game()
        scene = self.deal.scene(self.possible_agents)
        if self.render_mode == "ansi":
            return draw_text(scene)
        from gupai_env.render.image import draw_image  # needs resvg-py and Pillow, which training does without

        picture = draw_image(scene)
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            from gupai_env.render.window import Window

            self._window = Window(self.game.title, RENDER_FPS)
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None
