"""A batched SB3 vector environment over lanes, for self-play and for play against given opponents."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gupai_agents.decisions import answers
from gupai_agents.registry import make_agent
from gupai_env.aec import NO_GAME
from gupai_env.core.checks import as_list, refused, whole_numbers
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import as_key, derive
from gupai_env.core.streams import TRAINING_STREAM
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from gupai_training.opponents import LEARNER, FixedOpponents, OpponentPool


def only_read(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


class SelfPlayVecEnv(VecEnv):
    """B lanes, each at the next decision of a learning seat; all other seats are played inside.

    `step` plays the learner's action in every lane and plays on until a learning seat has to decide again.
    Decisions with one legal action are played without asking.

    With one learning seat per table (`SelfPlayVecEnv.against`) it is an ordinary VecEnv, for plain MaskablePPO: the
    reward is that seat's chips over `payoff_scale`, and `done` ends its episode, with "terminal_observation", what the
    seat saw at its end, in the info. The caller may keep and change what `reset` and `step` return. An error in the
    midst of a step, as of an opponent that fails, and ctrl-C end all episodes. Where the learner takes several seats,
    consecutive decisions of a lane are not one player's; such a learner reads these arrays instead, which the next step
    overwrites and which nobody else can write to:
        seats: int8 [B], who is to decide. seating: int16 [B, players], LEARNER or an opponent.
        rewards: float32 [B, players], chips that the last step paid. What a seat wins before its first decision of an
            episode comes with that decision, what is not followed by a decision comes at the end; an episode in which
            the learner decides nothing pays nothing.
        terminated: bool [B], the last step ended the episode. totals: float32 [B, players], all chips of that episode.
    """

    # What the next step depends on besides the lanes:
    STATE = ("seating", "totals", "_chips", "_owed", "_decided")

    def __init__(
        self,
        game: str,
        num_envs: int,
        pool: OpponentPool | FixedOpponents,
        *,
        seed: int = 0,
        payoff_scale: float = 1.0,
        **variant: Any,
    ) -> None:
        stream = derive(as_key(seed), TRAINING_STREAM)
        if not (isinstance(payoff_scale, (int, float)) and 0 < payoff_scale < math.inf):
            raise refused("payoff_scale", payoff_scale, "it must be a number above 0")
        self.envs = VectorEnv(game, num_envs, seed=stream, skip_forced=True, **variant)
        self.pool = pool
        self.players = self.envs.variant.players
        self.payoff_scale = payoff_scale
        self.render_mode = None
        layout = self.envs.layout
        actions = spaces.Discrete(self.envs.game.num_actions)
        super().__init__(num_envs, spaces.Box(layout.low, layout.high, dtype=np.int8), actions)
        self._payoffs = np.zeros((num_envs, self.players), np.float32)
        self._over = np.zeros(num_envs, np.bool_)
        self._seating = np.zeros((num_envs, self.players), np.int16)
        self._totals = np.zeros_like(self._payoffs)
        self._chips = np.zeros_like(self._payoffs)  # of the episode so far
        self._owed = np.zeros_like(self._payoffs)  # those of them that are not paid yet
        self._decided = np.zeros((num_envs, self.players), np.bool_)  # learning seats that did, in this episode
        self.decisions = 0  # of all seats, without forced ones
        self._actions = np.zeros(num_envs, np.int16)
        # The actions of the episode under way, without forced ones: they determine the state of each lane.
        self._played = np.zeros((num_envs, 1), np.int16)
        self._moves = np.zeros(num_envs, np.int64)
        self._rows = np.arange(num_envs)
        self.rewards, self.terminated = only_read(self._payoffs), only_read(self._over)
        self.seating, self.totals = only_read(self._seating), only_read(self._totals)
        self._going = False  # nothing is half done
        self._watched: Any = None  # while a step asks for it, whose last observation is kept in `_final`
        self._final: Any = None

    @classmethod
    def against(
        cls, game: str, num_envs: int, opponents: Sequence[str] = ("greedy",), *, seed: int = 0, **options: Any
    ) -> "SelfPlayVecEnv":
        """Return lanes with one learning seat each, drawn for every episode like the opponents in the others.

        Args: opponents: agents as `make_agent` takes them. options: those of the variant, and `payoff_scale`.
        """
        variant = {name: value for name, value in options.items() if name != "payoff_scale"}
        seed = as_key(seed)
        agents = [make_agent(spec, game, **variant) for spec in as_list("opponents", opponents, "agents' names")]
        seats = get_game(game).variant.make(**variant).players
        return cls(game, num_envs, FixedOpponents(agents, seats, np.random.default_rng(seed)), seed=seed, **options)

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
        shown = self._payoffs, self._over, self._totals
        for array in (*shown, self._chips, self._owed, self._decided, self._moves):
            array[:] = 0
        self._seating[:] = self.pool.line_ups(self.num_envs)
        self._play_others()
        self._going = True
        return self.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, integers [B]; raises ValueError for anything else."""
        actions = whole_numbers("actions", actions, self.num_envs, "lane")
        last = self.envs.game.num_actions
        self._actions[:] = np.clip(actions, WAIT + 1, last)  # no other stands for a legal one

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict]]:
        """Play these actions; return observations, rewards of the seat that acted, dones and infos."""
        movers = self.seats.copy()
        self._watched, self._final = movers, np.zeros_like(self.observations)
        try:
            self.play(self._actions)
            final = self._final
        finally:
            self._watched = self._final = None
        rewards = self._payoffs[self._rows, movers] / self.payoff_scale
        infos: list[dict] = [{} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(self._over):
            infos[lane] = {"terminal_observation": final[lane].copy(), "TimeLimit.truncated": False}
        return self.observations.copy(), rewards, self._over.copy(), infos

    def play(self, actions: np.ndarray) -> None:
        """Play one action per lane, int16 [B], and play on to the next decision of a learning seat.

        Raises: IllegalActionError (a ValueError), and nothing has changed; RuntimeError before `reset`.
        """
        if not self._going:
            raise RuntimeError(NO_GAME)
        movers = self._rows, self.seats.copy()
        self._going = False  # until all is done that this takes: the next actions could be other seats'
        before = self._states()
        try:
            chips, terminated = self.envs.step(actions)
        except IllegalActionError:
            self._going = True
            raise
        self._payoffs[:] = 0
        self._over[:] = False
        self._payoffs[movers] = self._owed[movers]
        self._owed[movers] = 0
        self._decided[movers] = True
        self._after(before, actions, chips, terminated)
        self.decisions += self.num_envs
        self._play_others()
        self._going = True

    def _states(self) -> np.ndarray | None:
        """Return the states of the lanes, if the observations at the end of episodes are wanted."""
        if self._final is None:
            return None
        states = np.asarray(self.envs.states)
        return states.view(f"V{states.itemsize}").copy()  # bytes, for numpy copies records field by field

    def _after(self, before: np.ndarray | None, actions: np.ndarray, chips: np.ndarray, terminated: np.ndarray) -> None:
        """Pay what these actions won, and handle the episodes that they ended and those that follow."""
        self._note(actions)
        settled = np.flatnonzero(terminated | chips.any(1))
        if len(settled):
            self._chips[settled] += chips[settled, : self.players]
            self._owed[settled] += chips[settled, : self.players]
            self._pay(settled, terminated[settled])
        ended = np.flatnonzero(terminated)
        if len(ended):
            if before is not None:
                self._note_last_observations(ended[~self._over[ended]], before, actions)
            self.pool.record(self._seating[ended], self._chips[ended])
            self._chips[ended] = self._owed[ended] = 0
            self._decided[ended] = False
            self._moves[ended] = 0
            self._seating[ended] = self.pool.line_ups(len(ended))
        self._over |= terminated

    @functools.cached_property
    def _end(self) -> VectorEnv:
        """Lanes in which the last action of an episode is played again, and then it is left as it ended."""
        options = {"observe": False, "renew": False, "skip_forced": True, **self.envs.variant.changed()}
        return VectorEnv(self.envs.game, self.num_envs, **options)

    def _note_last_observations(self, envs: np.ndarray, before: np.ndarray, actions: np.ndarray) -> None:
        """Note what the seats that acted see at the end of the episodes that these actions ended, in `_final`."""
        if not len(envs):
            return
        end, number = self._end, len(envs)
        end.states[:number] = before[envs].view(end.states.dtype)
        last = actions[envs].astype(np.int64)
        end.kernels.show(end.table)  # the masks by which the actions are checked
        end.kernels.step(end.table, 0, number, last)
        for seat in np.unique(self._watched[envs]):
            rows = np.flatnonzero(self._watched[envs] == seat)
            views = np.zeros(len(rows), end.game.view).view(np.recarray)
            seen = np.zeros((len(rows), end.layout.size), np.int8)
            end.kernels.view_of(end.rules, end.states[rows], int(seat), views)
            end.kernels.encode(views, seen)
            self._final[envs[rows]] = seen

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

        Raises: KeyError or ValueError for arrays that no play of the lanes leads to.
        """
        now = self.saved()
        for name in (*self.STATE, "seeds", "episodes", "moves", "played"):
            found, shape = arrays[name], now[name].shape if name != "played" else arrays[name].shape[:1]
            if found.dtype != now[name].dtype or found.shape != shape:
                raise ValueError(f"{name} is {found.dtype} {list(found.shape)}, not {now[name].dtype} {list(shape)}")
        seeds, episodes, moves, played = (arrays[name] for name in ("seeds", "episodes", "moves", "played"))
        seating = arrays["seating"]
        if min(seeds.min(), episodes.min(), moves.min()) < 0:
            raise ValueError("seeds, episodes and moves are numbers from 0")
        if moves.max() > len(played) or moves.sum() != len(played):
            raise ValueError(f"{len(played)} actions were played, and moves are not as many")
        if seating.min() < LEARNER or seating.max() >= len(self.pool.agents):
            raise ValueError(f"somebody sits there who is not in the pool of {len(self.pool.agents)}")
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
        if (seating[self._rows, self.seats] != LEARNER).any():
            raise ValueError("it is not a learner's turn in every lane")
        for name in self.STATE:
            self._held(name)[:] = arrays[name]
        self._going = True

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

    def _play_others(self) -> None:
        while True:
            movers = self._seating[self._rows, self.seats]
            waiting = int((movers != LEARNER).sum())
            if not waiting:
                return
            self.decisions += waiting
            before, actions = self._states(), answers(self.envs, self.pool.agents, movers)
            self._after(before, actions, *self.envs.step(actions))

    def forget(self, member: int) -> None:
        """Give the seats of a member that left the pool to the learner, and renumber those after it."""
        self._seating[self.seating == member] = LEARNER
        self._seating[self.seating > member] -= 1

    def action_masks(self) -> np.ndarray:
        """Return the legal actions in every lane, bool [B, num_actions]."""
        return self.masks.copy()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list:
        """Return `action_masks` lane by lane, as sb3-contrib asks for them; there are no other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"lanes have no method {method_name!r}")
        return [self.masks[lane].copy() for lane in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Tell whether lanes have an attribute."""
        return attr_name == "action_masks" or hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute once for every lane."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: lanes have no attributes of their own."""
        raise AttributeError(f"lanes share all attributes; {attr_name!r} cannot be set for some of them")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Tell that no lane is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: nothing is held open."""
