"""One PettingZoo environment for all games: it knows the protocol, the game knows the rules."""

import dataclasses
import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, Unpack

import numpy as np
from gymnasium import logger, spaces
from pettingzoo import AECEnv

from gupai_env.core.compiling import copier, is_plain
from gupai_env.core.copying import OneThread, OwnMemory
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import LEGAL
from gupai_env.core.layout import Layout
from gupai_env.core.rng import KEYS, as_key, drawn_seed
from gupai_env.core.text import draw_text
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import is_one_of, is_whole, one_of, one_of_an_array, refused, short_repr, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

MASK_PLACES = ("observation", "info")
DTYPES = ("int8", "float32")  # of observations
RENDER_MODES = ["human", "ansi", "rgb_array"]
RENDER_FPS = 2
MOST_CYCLES = 1 << 31
NO_GAME = "no game is under way; call reset() to deal"
MAKER = """Return a table of {title}; its first game is dealt by `reset`.

Args:
    render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
    variant: Options of the game, below.

Raises:
    ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.

Options of {title}:
{options}"""
IN_USE = "this environment is in use by another thread; give each thread one of its own"


def observation_box(layout: Layout, dtype: np.dtype, seats: int = 1) -> spaces.Box:
    """Return the space of the observations of so many seats, one after the other.

    Args:
        layout: Of an observation, with the lowest and the highest value of each entry.
        dtype: Of observations, one of DTYPES.
        seats: How many observations.
    """
    low, high = (np.tile(bound, seats).astype(dtype) for bound in (layout.low, layout.high))
    return spaces.Box(low, high, dtype=dtype.type)


def environment_maker(game: Game, module: str) -> Callable[..., "GupaiEnv"]:
    """Return `raw_env` of a game's `module`, such as "gupai_env.jie_long_v0"; its help says what its options mean."""

    def raw_env(
        *,
        render_mode: str | None = None,
        mask_in: str = "observation",
        max_cycles: int | None = None,
        dtype: str = "int8",
        **variant: Any,
    ) -> GupaiEnv:
        return GupaiEnv(game, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)

    options = [
        f"    {field.name}: {game.variant.allowed(field.name)} (default {field.default}); {field.metadata['help']}."
        for field in dataclasses.fields(game.variant)
    ]
    if presets := ", ".join(game.variant.PRESETS):
        options.append(f"    preset: {presets}; all options of one.")
    raw_env.__module__, raw_env.__qualname__ = module, "raw_env"
    raw_env.__doc__ = MAKER.format(title=game.title, options="\n".join(options))
    return raw_env


class NotDealtError(RuntimeError, AttributeError):
    """An attribute that an environment has only once a game is dealt; `hasattr` is False until then."""


class Dealt:
    """An attribute that `reset` sets: before, reading it is an error that says so.

    Not `__getattr__`, for which Python looks up every attribute of a class the slow way: a fifth of a step. Methods
    read and write it in the instance under another name: under one that the class has too it takes 17 ns instead of 3.
    A value that is the same for all agents is kept there once, and becomes a dict when somebody reads it.
    """

    def __init__(self, name: str, agents: str = "agents") -> None:
        self.name, self.agents = name, agents  # under which name, and for which agents

    def __get__(self, env: Any, kind: type | None = None) -> Any:
        value = vars(env).get(self.name) if env is not None else None
        if value is None:
            raise NotDealtError(NO_GAME)
        if type(value) in (bool, float):
            vars(env)[self.name] = value = dict.fromkeys(getattr(env, self.agents), value)
        return value

    def __set__(self, env: Any, value: Any) -> None:
        vars(env)[self.name] = value


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

    _rewards: Any  # and the next three: one value for all agents, or a dict
    _owed: Any
    _terminations: Any
    _truncations: Any

    agent_selection: Any = Dealt("_selected")
    rewards: Any = Dealt("_rewards")
    terminations: Any = Dealt("_terminations")
    truncations: Any = Dealt("_truncations")
    _cumulative_rewards: Any = Dealt("_owed", "possible_agents")

    __slots__ = (
        "_action",
        "_alone",
        "_converts",
        "_copy_info",
        "_copy_no_info",
        "_copy_seen",
        "_copy_unseen",
        "_episodes",
        "_flat",
        "_holder",
        "_moves",
        "_over",
        "_payoffs",
        "_play",
        "_seats",
        "_seeds",
        "_settled",
        "_window",
        "deal",
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
        self._seeded, self._num_actions, self._no_actions = False, game.num_actions, np.zeros(game.num_actions, np.int8)
        self._seat_numbers = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._infos: dict[str, dict[str, Any]] = {}  # of this position, as far as somebody asked
        self._bind()

    def _bind(self) -> None:
        """Set what a copy must not share: the thread that holds the environment, the window, and views of arrays."""
        self._window: Any = None
        self._alone = OneThread(IN_USE)
        self._holder: dict[str, int] = self._alone.holder
        envs, states, action = self._envs, self._envs.states, np.zeros(1, np.int64)
        self.deal = Deal(self.game, self.variant, states, compiled=True)
        self.__dict__ = {**self.__dict__}  # not one that shares its keys with others: a third of the time to read
        # Single numbers are read and written as those of Python, in half of numpy's time.
        view: Any = memoryview
        self._action, self._seeds, self._episodes = view(action), view(envs.seeds), view(envs.episodes)
        self._seats, self._payoffs, self._settled = view(envs.seats), view(envs.rewards[0]), view(states["settled"])
        self._moves, self._over = view(states["moves"]), view(states["terminated"])
        self._converts, self._flat = self.dtype != np.int8, self.mask_in == "info"
        self._bind_step()

    def _bind_step(self) -> None:
        """Set what `envs.step` does for the one thread that `_alone` lets in; and what copies what is shown."""
        self._play: Callable[[], int] = functools.partial(self._envs._step, self._action.obj)
        mask, nothing = {"action_mask": self._envs.masks[0].view(np.int8)}, {"action_mask": self._no_actions}
        seen, unseen = {"observation": self._envs.observations[0]}, {"observation": np.zeros(self.layout.size, np.int8)}
        # The info and the observation of a seat, on its turn and off it.
        self._copy_info, self._copy_no_info = copier(mask), copier(nothing)
        self._copy_seen = copier(seen if self._flat else seen | mask)
        self._copy_unseen = copier(unseen if self._flat else unseen | nothing)

    def _require_game(self) -> None:
        if not self._seeded:
            raise RuntimeError(NO_GAME)

    def agent_iter(self, max_iter: int = sys.maxsize) -> Iterator[str]:
        """Return an iterator over the agents in the order in which they act, until all are removed."""
        self._require_game()
        return self._turns(max_iter)

    def _turns(self, most: int) -> Iterator[str]:
        for _ in itertools.repeat(None, min(most, sys.maxsize)):
            if not self.agents:
                return
            yield self._selected

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
        key = seed if type(seed) is int and 0 <= seed < KEYS else None if seed is None else as_key(seed)
        with self._alone:
            self._deal(key)
            if self.render_mode == "human":
                self.render()

    def _deal(self, key: int | None) -> None:
        seeds, episodes = self._seeds, self._episodes
        before = seeds[0], episodes[0]
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
            if is_plain(self._play):
                self._bind_step()  # which may be machine code meanwhile
            self._announce_deal()
        except BaseException:
            if not self.agents:
                seeds[0], episodes[0] = before
            raise

    def _announce_deal(self) -> None:
        """Set all attributes that describe the game as it begins, which it does with the last line."""
        agents = self.possible_agents
        self._rewards, self._owed, self._terminations, self._truncations, self._infos = 0.0, 0.0, False, False, {}
        self._decisions: dict[str, int] = {} if self.max_cycles is None else dict.fromkeys(agents, 0)
        self._removed = ""  # the first who was
        self._paid, self._announced = 0, 0  # whether the last step ended a deal; moves
        self._selected = agents[self._seats[0]]
        self._seeded, self.agents = True, agents.copy()

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """For each agent a dict of "action_mask", int8 [num_actions]; made again after each step."""
        if not self._seeded:
            raise NotDealtError(NO_GAME)
        if len(self._infos) < len(self.agents):
            infos = self._infos
            self._infos = {agent: infos.get(agent) or self._info_of(agent) for agent in self.agents}
        return self._infos

    @infos.setter
    def infos(self, infos: dict[str, dict[str, Any]]) -> None:
        self._infos = infos

    def _info_of(self, agent: str) -> dict[str, Any]:
        return self._copy_info() if self._seat_numbers[agent] == self._seats[0] else self._copy_no_info()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation (None unless to `observe`), reward, termination, truncation and info of `agent_selection`.

        The reward is what it was paid since it last acted. All is the caller's.

        Raises:
            RuntimeError: Before `reset` and once all agents are removed.
        """
        if not self.agents:
            raise RuntimeError(NO_GAME)
        agent, infos = self._selected, self._infos
        observation, info = self.observe(agent) if observe else None, infos.get(agent)
        if info is None:
            infos[agent] = info = self._info_of(agent)  # PettingZoo's test wants the very array
        chips, over, cut = self._owed, self._terminations, self._truncations
        return (
            observation,
            chips[agent] if type(chips) is dict else chips,
            over[agent] if type(over) is dict else over,
            cut[agent] if type(cut) is dict else cut,
            info.copy(),
        )

    def observe(self, agent: str) -> Any:
        """Return what an agent observes now, as fresh arrays."""
        seat = self._seat_numbers.get(agent) if type(agent) is str else None
        if seat is None:
            seat = self._seat_of(agent)
        if not self._seeded:
            raise RuntimeError(NO_GAME)
        # At the end agent_selection continues to seats for which nothing is kept.
        if seat == self._seats[0]:
            seen = self._copy_seen()
        else:
            seen = self._copy_unseen()
            self._envs._observe(seat, seen["observation"])
        if self._converts:
            seen["observation"] = seen["observation"].astype(self.dtype)
        return seen["observation"] if self._flat else seen

    def _seat_of(self, agent: str) -> int:
        try:
            return self._seat_numbers[agent]
        except (KeyError, TypeError):
            names = ", ".join(self.possible_agents)
            raise ValueError(f"{short_repr(agent)} is not an agent; the agents are {names}") from None

    def step(self, action: Any) -> None:
        """Play the action of `agent_selection`, or, if it is terminated or truncated, remove it with None.

        Args:
            action: A whole number, or an array or tensor of one.

        Raises:
            IllegalActionError: A ValueError, naming the seat, the action and the legal ones.
            RuntimeError: Before `reset` or after the end, and while another thread is at it. Nothing has changed then.
        """
        # As `with self._alone`, which takes a tenth of a step.
        holder, thread = self._holder, get_ident()
        if holder.setdefault("thread", thread) != thread:
            raise RuntimeError(IN_USE)
        try:
            if not self.agents:
                raise RuntimeError(NO_GAME)
            agent, over, cut = self._selected, self._terminations, self._truncations
            if (over.get(agent) if type(over) is dict else over) or (cut.get(agent) if type(cut) is dict else cut):
                self._remove(agent, action)
                return
            kind = type(action)
            if kind is not int:  # the integers of numpy's indices are asked no more either
                action = int(action) if kind is np.int64 else self._whole(agent, action)
            if not 0 <= action < self._num_actions:
                raise self.deal.illegal(agent, action)
            self._action[0] = action
            try:
                if self._play() != LEGAL:
                    raise self.deal.illegal(agent, action)
                self._announce(agent)
            except BaseException:
                if self._moves[0] != self._announced:
                    self._announce(agent)
                raise
            if self.render_mode == "human":
                self.render()
        finally:
            holder.clear()

    def _whole(self, agent: str, action: Any) -> int:
        """Return an action of any type as a plain integer; what is none raises IllegalActionError."""
        number = one_of_an_array(action)
        if not is_whole(number):
            raise self.deal.illegal(agent, number)
        return int(number)

    def _announce(self, agent: str) -> None:
        """Set all attributes that describe the game after a move of an agent.

        Interrupted, it can be repeated until the last line, for whose stores Python lets nothing come in between: it
        looks for signals and other threads where it calls or jumps.
        """
        owed, decisions, settled = self._owed, self._decisions, self._settled[0]
        if type(owed) is dict:
            owed[agent] = 0.0
        self._selected, self._infos = self.possible_agents[self._seats[0]], {}
        if settled:
            # The fastest way, at the end of every deal: with `strict` it takes half as long again.
            self._rewards = rewards = dict(zip(self.possible_agents, self._payoffs))  # noqa: B905
            before: dict[str, float] = owed if type(owed) is dict else {}
            owed = {name: before[name] + chips for name, chips in rewards.items()} if before else rewards.copy()
        elif self._paid:
            self._rewards = 0.0
        if settled and self._over[0]:
            self._terminations = True
        elif self.max_cycles is not None:
            decisions = decisions | {agent: decisions[agent] + 1}
            if decisions[self._selected] == self.max_cycles:
                self._truncations = True
        self._owed, self._decisions, self._paid, self._announced = owed, decisions, settled, self._moves[0]

    def _remove(self, agent: str, action: Any) -> None:
        """Remove an agent that is terminated or truncated; the others can then only be removed too."""
        if action is not None:
            raise IllegalActionError(
                f"{agent}: the game is over, the only valid action is None, not {short_repr(action)}"
            )
        agents, terminations, truncations = self.agents.copy(), self._terminations, self._truncations
        agents.remove(agent)
        if type(terminations) is dict or type(truncations) is dict:  # somebody may have written there
            terminations, truncations = self.terminations.copy(), self.truncations.copy()
            terminations.pop(agent, None)
            truncations.pop(agent, None)
            if not self._over[0]:  # then this seat has left the table
                truncations = {name: truncations.get(name, False) or not terminations.get(name) for name in agents}
        if not self._removed:
            self._removed = agent
        self._infos = self._infos.copy()
        self._infos.pop(agent, None)
        now = agents, agents[0] if agents else self._removed, 0.0, terminations, truncations
        self.agents, self._selected, self._rewards, self._terminations, self._truncations = now  # as in `_announce`

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
        agent = self.agent_selection if self.agents else ""
        if not agent or self.terminations.get(agent) or self.truncations.get(agent):
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
