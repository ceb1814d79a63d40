"""Lanes to learn in: an SB3 vector environment of tables with given opponents, and lanes of self-play."""

import math
import operator
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from gupai_agents.agent import Agent, Memories
from gupai_agents.gymnasium_envs.learning_seat import RAISE
from gupai_agents.gymnasium_envs.vector_env import SeatVectorEnv
from gupai_agents.play.decisions import answers
from gupai_agents.play.playouts import ASKED, OPEN, SETTLED, numbered, playouts
from gupai_env.aec import NO_GAME
from gupai_env.core.copying import OwnMemory
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.kernels import LEGAL, WAIT
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TRAINING_STREAM
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import refused, whole_numbers
from gupai_env.options import Options
from gupai_env.vector import VectorEnv
from gupai_training.opponents import LEARNER, OpponentPool, vacate


def only_read(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


class LearnerVecEnv(OwnMemory, VecEnv):
    """Tables with one learning seat each (`SeatVectorEnv`) as Stable-Baselines3 takes them, for plain MaskablePPO.

    Tables share all attributes and have no methods but `action_masks`.

    The reward is the learner's chips over `payoff_scale`, and `done` ends its episode; the info has
    "terminal_observation", what the seat saw at its end, and "episode", its return "r" and its decisions "l", as of
    SB3's Monitor. Unless illegal actions raise errors, "illegal" says whether this action was one, and "played" which
    was played. The caller may keep and change what `reset` and `step` return. An error in the midst of a step, as of an
    opponent that fails, and ctrl-C end all episodes.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        pool: Sequence[str | Agent] = ("greedy",),
        *,
        seed: int = 0,
        payoff_scale: float = 1.0,
        skip_forced: bool = True,
        illegal: str = RAISE,
        illegal_reward: float | None = None,
        **variant: Unpack[Options],
    ) -> None:
        """Make the tables; the learner's seat and the opponents in the others are drawn for every episode.

        Args:
            game: Its id, or the game itself.
            num_envs: How many tables.
            pool: Agents as `make_agent` takes them, or objects; one is drawn for each other seat, for every episode.
            seed: Of deals, seats and opponents.
            payoff_scale: Chips for a reward of 1.
            skip_forced: Whether decisions with one legal action are played at once, except the first of a deal.
            illegal: What an illegal action does: "raise" an error, be replaced by a random legal one, "resample", or
                "end" the episode.
            illegal_reward: What it then pays, in chips, by default minus the most that can be lost in an episode.
            variant: The options of the game.

        Raises:
            ValueError: Something is unknown or out of bounds; in one line.
        """
        if not (isinstance(payoff_scale, (int, float)) and 0 < payoff_scale < math.inf):
            raise refused("payoff_scale", payoff_scale, "it must be a number above 0")
        game = get_game(game)
        options = variant_from(game, variant, LearnerVecEnv).changed()
        own: dict[str, Any] = {"skip_forced": skip_forced, "illegal": illegal, "illegal_reward": illegal_reward}
        self.tables: SeatVectorEnv = SeatVectorEnv(game, num_envs, pool=pool, **own, **options)
        self.envs = self.tables.envs
        self.payoff_scale = payoff_scale
        self.render_mode: str | None = None
        super().__init__(num_envs, self.tables.single_observation_space, self.tables.single_action_space)
        self._actions = np.zeros(num_envs, np.int64)
        self._returns, self._lengths = np.zeros(num_envs), np.zeros(num_envs, np.int64)  # of the episodes so far
        self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`; raises ValueError for a bad one."""
        return super().seed(None if seed is None else as_key(seed))

    def reset(self) -> np.ndarray:
        """Deal at every table and play on to the first decision of the learner.

        After `seed(number)` deals, seats and opponents are drawn as those of an environment made with that seed.
        """
        seed, seeds = self._seeds[0], None
        if seed is not None:
            seeds = derive_each(derive(seed, TRAINING_STREAM), 0, self.num_envs).tolist()
        observations, _ = self.tables.reset(seed=seeds)
        self._reset_seeds()
        self._returns[:] = self._lengths[:] = 0
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, integers [B]; raises ValueError for anything else."""
        self._actions = whole_numbers("actions", actions, self.num_envs, "lane")

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play these actions; return observations, rewards, dones and infos."""
        observations, rewards, dones, _, info = self.tables.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict] = [{} for _ in range(self.num_envs)]
        ended = info.get("final_info", info)
        for name in ("illegal", "played") if "illegal" in info else ():
            for lane, value in enumerate(np.where(dones, ended[name], info[name]).tolist()):
                infos[lane][name] = value
        for lane in np.flatnonzero(dones).tolist():
            episode = {"r": float(self._returns[lane] / self.payoff_scale), "l": int(self._lengths[lane])}
            last = {"terminal_observation": info["final_obs"][lane], "TimeLimit.truncated": False}
            infos[lane] |= {**last, "episode": episode}
        self._returns[dones] = self._lengths[dones] = 0
        return observations, (rewards / self.payoff_scale).astype(np.float32), dones, infos

    @property
    def masks(self) -> np.ndarray:
        """The legal actions at every table, bool [B, num_actions]; the next step overwrites it."""
        return self.envs.masks

    def action_masks(self) -> np.ndarray:
        """Return the legal actions at every table, bool [B, num_actions]."""
        return self.masks.copy()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return `action_masks` lane by lane, as sb3-contrib asks for them; there are no other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"lanes have no method {method_name!r}")
        return [self.masks[lane].copy() for lane in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Say whether lanes have an attribute."""
        return attr_name == "action_masks" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for every lane."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: lanes have no attributes of their own."""
        raise AttributeError(f"lanes share all attributes; {attr_name!r} cannot be set for some of them")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Say that no lane is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: nothing is held open."""


class SelfPlayEnv(OwnMemory):
    """B lanes, each at the next decision of a learning seat; all other seats are played inside, for self-play.

    `play` plays the learner's action in every lane and plays on until a learning seat has to decide again. Decisions
    with one legal action are played without asking (except the first of a deal). Consecutive decisions of a lane are
    not one player's. The learner reads these arrays, which the next step overwrites and which nobody else can write to:
        seats: int8 [B], who is to decide. seating: int16 [B, players], LEARNER or an opponent.
        rewards: float32 [B, players], chips that the last step paid. What a seat wins before its first decision of an
            episode comes with that decision, what is not followed by a decision comes at the end; an episode in which
            the learner decides nothing pays nothing.
        terminated: bool [B], the last step ended the episode. totals: float32 [B, players], all chips of that episode.
    """

    # What the next step depends on besides the lanes:
    STATE = ("seating", "totals", "_chips", "_owed", "_decided")
    device = "cpu"  # of its arrays
    __slots__ = ("rewards", "seating", "terminated", "totals")

    rewards: np.ndarray
    terminated: np.ndarray
    seating: np.ndarray
    totals: np.ndarray

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        pool: OpponentPool,
        *,
        seed: int = 0,
        payoff_scale: float = 1.0,
        **variant: Unpack[Options],
    ) -> None:
        """Make the lanes.

        Args:
            game: Its id, or the game itself.
            num_envs: How many lanes, B.
            pool: Draws who sits where.
            seed: Of deals, 0..2**63 - 1.
            payoff_scale: Chips for a reward of 1, by which the learner divides.
            variant: The options of the game.
        """
        stream = derive(as_key(seed), TRAINING_STREAM)
        self.envs: VectorEnv = VectorEnv(game, num_envs, seed=stream, skip_forced=True, **variant)
        self.num_envs: int = num_envs
        self.pool: OpponentPool = pool
        self.players: int = self.envs.variant.players
        self.payoff_scale: float = payoff_scale
        self._payoffs = np.zeros((num_envs, self.players), np.float32)
        self._over = np.zeros(num_envs, np.bool_)
        self._seating = np.zeros((num_envs, self.players), np.int16)
        self._memories = Memories(num_envs, self.players)
        self._totals = np.zeros_like(self._payoffs)
        self._chips = np.zeros_like(self._payoffs)  # of the episode so far
        self._owed = np.zeros_like(self._payoffs)  # those of them that are not paid yet
        self._decided = np.zeros((num_envs, self.players), np.bool_)  # learning seats that did, in this episode
        self.decisions: int = 0  # of all seats, without forced ones
        # The actions of the episode under way, without forced ones: they determine the state of each lane.
        self._played = np.zeros((num_envs, 1), np.int16)
        self._moves = np.zeros(num_envs, np.int64)
        self._rows = np.arange(num_envs)
        self._bind()
        self._going = False  # nothing is half done
        self._numbered: list[Agent] = []
        self._numbers, self._heuristics = numbered(self.envs.game, [])

    def _bind(self) -> None:
        """Show the arrays that only steps write to."""
        self.rewards, self.terminated = only_read(self._payoffs), only_read(self._over)
        self.seating, self.totals = only_read(self._seating), only_read(self._totals)

    def reset(self) -> np.ndarray:
        """Deal in every lane and play on to the first decision of a learning seat."""
        self._going = False  # until all is done that this takes
        if self.envs.states.moves.any() or self.envs.episodes.any():  # these deals have been played
            self.envs.episodes += 1
            self.envs.begin()
            self.envs.refresh()
        results = self._payoffs, self._over, self._totals
        for array in (*results, self._chips, self._owed, self._decided, self._moves):
            array[:] = 0
        self._seating[:] = self.pool.line_ups(self.num_envs)
        self._play(np.full(self.num_envs, WAIT, np.int64))
        self._going = True
        return self.observations.copy()

    @property
    def seats(self) -> np.ndarray:
        """The seat to decide in every lane, int8 [B]."""
        return self.envs.seats

    @property
    def observations(self) -> np.ndarray:
        """What it observes, int8 [B, layout.size]; the next step overwrites it."""
        return self.envs.observations

    @property
    def masks(self) -> np.ndarray:
        """Its legal actions, bool [B, num_actions]; the next step overwrites it."""
        return self.envs.masks

    def play(self, actions: np.ndarray) -> None:
        """Play one action per lane, integers [B], and play on to the next decision of a learning seat.

        Raises:
            IllegalActionError: A ValueError, and nothing has changed.
            RuntimeError: Before `reset`.
        """
        if not self._going:
            raise RuntimeError(NO_GAME)
        actions = np.asarray(actions, np.int64)
        with self.envs.alone:
            refused = self.envs.kernels.check(self.envs.table, actions)
        if refused != LEGAL:
            raise self.envs.refusal(refused, actions[refused])
        acting = np.flatnonzero(actions != WAIT)
        movers = acting, self.seats[acting]
        self._going = False  # until all is done that this takes: the next actions could be other seats'
        self._payoffs[:] = 0
        self._over[:] = False
        self._payoffs[movers] = self._owed[movers]
        self._owed[movers] = 0
        self._decided[movers] = True
        self._play(actions)
        self._going = True

    def _play(self, actions: np.ndarray) -> None:
        """Play an action in every lane, int64 [B], or none for WAIT, and then the opponents.

        Rule-based ones play inside a compiled loop, lane by lane, up to what only happens here: a deal is paid, an
        episode ends, another player is asked. These are done in the order of the rounds in which they fall, as if all
        lanes took a step at a time: opponents are drawn, and asked in batches, in the order of rounds.
        """
        rounds, why = np.zeros(self.num_envs, np.int64), np.full(self.num_envs, OPEN, np.int8)
        self._run(self._rows, actions, rounds, why)
        while len(paused := np.flatnonzero(why != OPEN)):
            now = paused[rounds[paused] == rounds[paused].min()]
            settled = now[why[now] == SETTLED]
            if len(settled):
                self._settle(settled)
            movers, actions = self._seating[now, self.seats[now]], np.full(len(now), WAIT, np.int64)
            others = np.flatnonzero(movers != LEARNER)
            called = others[self._numbers[movers[others]] >= ASKED]
            if len(called):
                who = np.full(self.num_envs, NOBODY)
                who[now[called]] = movers[called]
                actions[:] = answers(self.envs, self.pool.agents, who, self._memories)[now]
            self._run(now, actions, rounds, why)
        self.decisions += int(rounds.sum())

    def _run(self, lanes: np.ndarray, actions: np.ndarray, rounds: np.ndarray, why: np.ndarray) -> None:
        """Run the loop `converse` in some lanes, int [N]; rounds and why, [B], are of all lanes."""
        if self._moves.max() == self._played.shape[1]:
            self._played = np.concatenate([self._played, np.zeros_like(self._played)], axis=1)
        self._number_opponents()
        some, ended = rounds[lanes], np.empty(len(lanes), np.int8)
        with self.envs.alone:
            playouts(self.envs.game).converse(
                self._heuristics,
                self.envs.table,
                self._numbers,
                self._seating,
                (lanes, actions, some),
                (self._played, self._moves),
                ended,
            )
        rounds[lanes], why[lanes] = some, ended

    def _number_opponents(self) -> None:
        """Number the opponents as the loops know them, where others are in the pool than before."""
        agents = self.pool.agents
        if len(agents) != len(self._numbered) or any(map(operator.is_not, agents, self._numbered)):
            self._numbered = list(agents)
            self._numbers, self._heuristics = numbered(self.envs.game, agents)

    def _settle(self, lanes: np.ndarray) -> None:
        """Pay what the last actions in some lanes, int [N], won, and handle the episodes that they ended."""
        chips, terminated = self.envs.rewards[lanes, : self.players], self.envs.terminated[lanes]
        self._chips[lanes] += chips
        self._owed[lanes] += chips
        self._pay(lanes, terminated)
        ended = lanes[terminated]
        if len(ended):
            self.pool.record(self._seating[ended], self._chips[ended])
            self._chips[ended] = self._owed[ended] = 0
            self._decided[ended] = False
            self._moves[ended] = 0
            self._seating[ended] = self.pool.line_ups(len(ended))
            self._over[ended] = True

    def _note(self, actions: np.ndarray) -> None:
        """Record what was played, one action or WAIT per lane."""
        if self._moves.max() == self._played.shape[1]:
            self._played = np.concatenate([self._played, np.zeros_like(self._played)], axis=1)
        acted = np.flatnonzero(np.asarray(actions) != WAIT)
        self._played[acted, self._moves[acted]] = actions[acted]
        self._moves[acted] += 1

    def saved(self) -> dict[str, np.ndarray]:
        """Return what the next step depends on besides the pool, for `put_back`.

        Lanes are stored as their episodes and the actions played in them, so that a file can only lead to states that
        play can reach.
        """
        arrays = {name: self._held(name) for name in self.STATE}
        played = self._played[np.arange(self._played.shape[1]) < self._moves[:, None]]
        return arrays | {
            "seeds": self.envs.seeds,
            "episodes": self.envs.episodes,
            "moves": self._moves,
            "played": played,
        }

    def put_back(self, arrays: dict[str, np.ndarray]) -> None:
        """Restore an environment just made from the same configuration, with the same pool, to what `saved` returned.

        Raises:
            KeyError: For an array that is missing.
            ValueError: For arrays that no play of the lanes leads to.
        """
        self._replay(arrays)
        if (self._seating[self._rows, self.seats] != LEARNER).any():
            raise ValueError("it is not a learner's turn in every lane")
        self._going = True

    def _replay(self, arrays: dict[str, np.ndarray]) -> None:
        """Do what `put_back` does, with anybody to decide."""
        now = self.saved()
        for name in (*self.STATE, "seeds", "episodes", "moves", "played"):
            array, shape = arrays[name], now[name].shape if name != "played" else arrays[name].shape[:1]
            if array.dtype != now[name].dtype or array.shape != shape:
                raise ValueError(f"{name} is {array.dtype} {list(array.shape)}, not {now[name].dtype} {list(shape)}")
        seeds, episodes, moves, played = (arrays[name] for name in ("seeds", "episodes", "moves", "played"))
        seating = arrays["seating"]
        if min(seeds.min(), episodes.min(), moves.min()) < 0:
            raise ValueError("seeds, episodes and moves are numbers from 0")
        if moves.max() > len(played) or moves.sum() != len(played):
            raise ValueError(f"{len(played)} actions were played, but moves add up to another number")
        if seating.min() < LEARNER or seating.max() >= len(self.pool.agents):
            raise ValueError(f"seating names a player outside the pool of {len(self.pool.agents)}")
        self.envs.seeds[:], self.envs.episodes[:] = seeds, episodes
        self.envs.begin()
        self.envs.refresh()
        self._moves[:] = 0
        starts = np.cumsum(moves) - moves
        for move in range(int(moves.max())):
            actions = np.full(self.num_envs, WAIT, np.int16)
            going = np.flatnonzero(moves > move)
            actions[going] = played[starts[going] + move]
            if (actions[going] == WAIT).any() or self.envs.step(actions)[1].any():
                raise ValueError("what was played does not lead to a turn")
            self._note(actions)
        for name in self.STATE:
            self._held(name)[:] = arrays[name]

    def _held(self, name: str) -> np.ndarray:
        """Return an array of STATE, to write to."""
        array: np.ndarray = getattr(self, f"_{name.lstrip('_')}")
        return array

    def _pay(self, envs: np.ndarray, terminated: np.ndarray) -> None:
        """Pay who has decided in some lanes, int [N]; where the episode is over, bool [N], all, if any learner has."""
        decided = self._decided[envs]
        learned = terminated & decided.any(1)
        due = np.where(decided | learned[:, None], self._owed[envs], 0)
        self._payoffs[envs] += due
        self._owed[envs] -= due
        self._totals[envs[learned]] = self._chips[envs[learned]]

    def forget(self, member: int) -> None:
        """Give the seats of a member that left the pool to the learner."""
        vacate(self._seating, member)
