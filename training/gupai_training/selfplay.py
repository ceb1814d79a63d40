"""A batched SB3 vector environment over lanes, for self-play and for play against given opponents."""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gupai_agents.agent import Agent, Memories
from gupai_agents.gymnasium_envs.learning_seat import (
    NONE_PLAYED,
    RAISE,
    RESAMPLE,
    forbidden,
    legal_instead,
    pool_of,
    reward_of_illegal,
)
from gupai_agents.play.decisions import answers
from gupai_agents.play.playouts import ASKED, OPEN, SETTLED, numbered, playouts
from gupai_env.aec import NO_GAME
from gupai_env.core.copying import OwnMemory
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.kernels import LEGAL, WAIT
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TRAINING_STREAM
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import refused, whole_numbers
from gupai_env.options import Options
from gupai_env.vector import VectorEnv
from gupai_training.opponents import LEARNER, FixedOpponents, OpponentPool, vacate


class LaneOptions(Options, total=False):
    """The keywords of `SelfPlayVecEnv`: its own, and those of the variant."""

    payoff_scale: float
    skip_forced: bool
    illegal: str
    illegal_reward: float | None


OWN_OPTIONS = ("payoff_scale", "skip_forced", "illegal", "illegal_reward")  # besides those of the variant
NOTHING = np.zeros((0, 0), np.int8)  # no last observations are kept


def only_read(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


class SelfPlayVecEnv(OwnMemory, VecEnv):
    """B lanes, each at the next decision of a learning seat; all other seats are played inside.

    `step` plays the learner's action in every lane and plays on until a learning seat has to decide again.
    Decisions with one legal action are played without asking (except the first of a deal).

    With one learning seat per table (`SelfPlayVecEnv.against`) it is an ordinary VecEnv, for plain MaskablePPO: the
    reward is that seat's chips over `payoff_scale`, and `done` ends its episode; the info has "terminal_observation",
    what the seat saw at its end, and "episode", its return "r" and its decisions "l", as of SB3's Monitor. Unless
    illegal actions raise errors, "illegal" says whether this action was one, and "played" which was played. The
    caller may keep and change what `reset` and `step` return. An error in the midst of a step, as of an opponent that
    fails, and ctrl-C end all episodes. Where the learner takes several seats, consecutive decisions of a lane are not
    one player's; such a learner reads these arrays instead, which the next step overwrites and which nobody else can
    write to:
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
        pool: OpponentPool | FixedOpponents,
        *,
        seed: int = 0,
        payoff_scale: float = 1.0,
        skip_forced: bool = True,
        illegal: str = RAISE,
        illegal_reward: float | None = None,
        **variant: Unpack[Options],
    ) -> None:
        """Make the lanes.

        Args:
            game: Its id, or the game itself.
            num_envs: How many lanes, B.
            pool: Draws who sits where.
            seed: Of deals and seats, 0..2**63 - 1.
            payoff_scale: Chips for a reward of 1.
            skip_forced, illegal, illegal_reward: As of `against`.
        """
        stream = derive(as_key(seed), TRAINING_STREAM)
        if not (isinstance(payoff_scale, (int, float)) and 0 < payoff_scale < math.inf):
            raise refused("payoff_scale", payoff_scale, "it must be a number above 0")
        self.envs: VectorEnv = VectorEnv(game, num_envs, seed=stream, skip_forced=skip_forced, **variant)
        self._illegal_reward = reward_of_illegal(self.envs.game, self.envs.variant, illegal, illegal_reward)
        self.illegal = illegal
        self.pool = pool
        self.players: int = self.envs.variant.players
        self.payoff_scale = payoff_scale
        self.render_mode: str | None = None
        layout = self.envs.layout
        actions = spaces.Discrete(self.envs.game.num_actions)
        super().__init__(num_envs, spaces.Box(layout.low, layout.high, dtype=np.int8), actions)
        self._payoffs = np.zeros((num_envs, self.players), np.float32)
        self._over = np.zeros(num_envs, np.bool_)
        self._seating = np.zeros((num_envs, self.players), np.int16)
        self._memories = Memories(num_envs, self.players)
        self._totals = np.zeros_like(self._payoffs)
        self._chips = np.zeros_like(self._payoffs)  # of the episode so far
        self._owed = np.zeros_like(self._payoffs)  # those of them that are not paid yet
        self._decided = np.zeros((num_envs, self.players), np.bool_)  # learning seats that did, in this episode
        self.decisions: int = 0  # of all seats, without forced ones
        self._actions = np.zeros(num_envs, np.int64)
        self._lengths = np.zeros(num_envs, np.int64)  # of the learner's episodes so far
        # The actions of the episode under way, without forced ones: they determine the state of each lane.
        self._played = np.zeros((num_envs, 1), np.int16)
        self._moves = np.zeros(num_envs, np.int64)
        self._rows = np.arange(num_envs)
        self._bind()
        self._going = False  # nothing is half done
        self._watched = np.zeros(num_envs, np.int8)  # whose last observation is kept in `_final`, if that has rows
        self._final = NOTHING
        self._numbered: list[Agent] = []
        self._numbers, self._heuristics = numbered(self.envs.game, [])

    def _bind(self) -> None:
        """Show the arrays that only steps write to."""
        self.rewards, self.terminated = only_read(self._payoffs), only_read(self._over)
        self.seating, self.totals = only_read(self._seating), only_read(self._totals)

    @classmethod
    def against(
        cls,
        game: str | Game,
        num_envs: int,
        pool: Sequence[str | Agent] = ("greedy",),
        *,
        seed: int = 0,
        **options: Unpack[LaneOptions],
    ) -> "SelfPlayVecEnv":
        """Return lanes with one learning seat each, drawn for every episode like the opponents in the others.

        Args:
            game: Its id, or the game itself.
            num_envs: How many lanes.
            pool: Agents as `make_agent` takes them, or objects; one is drawn for each other seat, for every episode.
            seed: Of deals, seats and opponents.
            options: Those of the variant; `payoff_scale`, chips for a reward of 1; `skip_forced`, whether decisions
                with one legal action are played at once, except the first of a deal (default true); `illegal`, what an
                illegal action does: "raise" an error (default), be replaced by a random legal one, "resample", or "end"
                the episode; and `illegal_reward`, what it then pays, in chips, by default minus the most that can be
                lost in an episode.

        Raises:
            ValueError: Something is unknown or out of bounds; in one line.
        """
        variant = {name: value for name, value in options.items() if name not in OWN_OPTIONS}
        seed = as_key(seed)
        played = get_game(game)
        chosen = variant_from(played, variant, cls)
        fixed = FixedOpponents(pool_of(played, chosen, pool), chosen.players, np.random.default_rng(seed))
        return cls(game, num_envs, fixed, seed=seed, **options)

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

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`; raises ValueError for a bad one."""
        return super().seed(None if seed is None else as_key(seed))

    def reset(self) -> np.ndarray:
        """Deal in every lane and play on to the first decision of a learning seat.

        After `seed(number)` deals, seats and opponents are drawn as those of an environment made with that seed.
        """
        self._going = False  # until all is done that this takes
        if self._seeds[0] is not None:
            seed = as_key(self._seeds[0])
            self.envs.reset(derive(seed, TRAINING_STREAM))
            self.pool.seed(seed)
        elif self.envs.states.moves.any() or self.envs.episodes.any():  # these deals have been played
            self.envs.episodes += 1
            self.envs.begin()
            self.envs.refresh()
        self._reset_seeds()
        results = self._payoffs, self._over, self._totals
        for array in (*results, self._chips, self._owed, self._decided, self._moves, self._lengths):
            array[:] = 0
        self._seating[:] = self.pool.line_ups(self.num_envs)
        self._play(np.full(self.num_envs, WAIT, np.int64))
        self._going = True
        return self.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, integers [B]; raises ValueError for anything else."""
        actions = whole_numbers("actions", actions, self.num_envs, "lane")
        last = self.envs.game.num_actions
        self._actions[:] = np.clip(actions, WAIT + 1, last)  # no other stands for a legal one

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play these actions; return observations, rewards of the seat that acted, dones and infos."""
        movers, before = self.seats.copy(), self.observations.copy()
        self._watched[:], self._final = movers, np.zeros_like(before)
        illegal, ending, paid = self._mend_illegal()
        played = self._actions.copy()
        try:
            self.play(self._actions)
            final = self._final
        finally:
            self._final = NOTHING
        rewards, dones = self._payoffs[self._rows, movers], self._over.copy()
        returns = self._totals[self._rows, movers]
        self._lengths += 1
        if len(ending):
            rewards[ending], dones[ending], final[ending] = self._illegal_reward, True, before[ending]
            returns[ending], played[ending] = paid + self._illegal_reward, NONE_PLAYED
        infos: list[dict] = [{} for _ in range(self.num_envs)]
        if self.illegal != RAISE:
            given = zip(illegal.tolist(), played.tolist(), strict=True)
            infos = [{"illegal": wrong, "played": action} for wrong, action in given]
        for lane in np.flatnonzero(dones):
            episode = {"r": float(returns[lane] / self.payoff_scale), "l": int(self._lengths[lane])}
            last = {"terminal_observation": final[lane].copy(), "TimeLimit.truncated": False}
            infos[lane] |= {**last, "episode": episode}
        self._lengths[dones] = 0
        return self.observations.copy(), rewards / self.payoff_scale, dones, infos

    def _mend_illegal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mend the actions that masks forbid as `illegal` says.

        Returns:
            Which they were, bool [B]; the lanes whose episodes they end, int [N]; and what these had paid, [N].
        """
        if self.illegal == RAISE or not self._going:
            return np.zeros(self.num_envs, np.bool_), np.zeros(0, np.int64), np.zeros(0)
        illegal = forbidden(self.masks, self._actions)
        wrong = np.flatnonzero(illegal)
        ending = wrong[:0] if self.illegal == RESAMPLE else wrong
        seats = ending, self.seats[ending]
        paid = self._chips[seats] - self._owed[seats]
        if len(ending):
            self._actions[ending] = WAIT
            self._deal_again(ending)
        elif len(wrong):
            self._actions[wrong] = legal_instead(self.masks[wrong], self.envs.views(wrong)[1])
        return illegal, ending, paid

    @functools.cached_property
    def _fresh(self) -> VectorEnv:
        """Lanes in which episodes begin that some lanes continue with."""
        return VectorEnv(self.envs.game, self.num_envs, observe=False, **self.envs.variant.changed())

    def _deal_again(self, lanes: np.ndarray) -> None:
        """Begin the next episode in some lanes, int [N], in which nobody is paid for the one under way."""
        fresh, number = self._fresh, len(lanes)
        self.envs.episodes[lanes] += 1
        fresh.seeds[:number], fresh.episodes[:number] = self.envs.seeds[lanes], self.envs.episodes[lanes]
        fresh.begin()
        self.envs.states[lanes] = fresh.states[:number]
        self.envs.refresh()
        for array in (self._chips, self._owed, self._decided, self._moves):
            array[lanes] = 0
        self._seating[lanes] = self.pool.line_ups(number)

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
                (self._watched, self._over, self._final),
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

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in every lane, bool [B, num_actions]."""
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
