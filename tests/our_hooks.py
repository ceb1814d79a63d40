"""What the conformance kit is told of this project's own games.

The environment deals again and renames its seats; what is legal and what is paid the referees say, who share
no code with it. A new game needs its adapter and a line in `PUBLIC`.
"""

import copy
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from adapters import ADAPTERS, turn_order
from gupai_env import Lanes, get_game
from gupai_env.aec import GupaiEnv
from gupai_env.core.lanes import WAIT, kernels
from gupai_env.core.rng import KEYS
from gupai_env.core.tiles import tiles_in
from gupai_env.encoders import encoder_of
from gupai_env.render import draw_text
from gupai_env.render.tables import scene_of
from gupai_env.testing import Hooks, LaneGame, Record

_FRAME = ("deal", "leader")
_LINE = (*_FRAME, "played", "plays", "drops", "turn", "ends", "laid_at", "last_player", "passes")
PUBLIC = {  # fields of the state that lie open and that every observation is meant to tell
    "jie-long": _LINE,
    "ce-deng": _LINE,
    "ding-niu": (*_LINE, "suan_zhang", "maker"),
    "da-ling": ("deal", "table", "target", "red"),
    "tiu-u": (*_FRAME, "lake", "catches", "laid", "turned", "drawn", "to_act"),
    "small-mahjong": (*_FRAME, "melds", "discards", "top", "mover"),
}


class WitnessedEnv(GupaiEnv):
    """The environment as it is, and a witness who tells the referees what was done.

    Attributes:
        past: every decision since the reset, as the state before it and the action.
        original: the game of which this one is the same with its seats renamed, if it is, and
        names: the name in it of each seat of the original.
    """

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(get_game(game), encoder_of(get_game(game)), **options)
        self.adapter = ADAPTERS[game]
        self.past: list[tuple[np.record, int]] = []
        self.original: WitnessedEnv | None = None
        self.names: np.ndarray | None = None

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        super().reset(seed, options)
        self.past = []

    def step(self, action: Any) -> None:
        before = self._state[0].copy()
        super().step(action)
        if action is None:
            return
        self.past.append((before, int(action)))
        if self.original is not None:
            self.original.step(action)
            self.rename_what_was_dealt()

    def rename_what_was_dealt(self) -> None:
        """Give each seat what its original was dealt: chance deals to seats by their numbers."""
        last = self.past[-1][1] if self.past else None
        if not now_dealt(self, last, self._state[0]):
            return
        told = self.original._state
        renamed = self.adapter.renamed(self.game, told, self.names, int(told.direction[0]))
        for name in ("deal", "direction", "leader", "total") if self.past else ():
            np.testing.assert_array_equal(self._state[name], renamed[name], f"{name} of the next deal")
        put(self, renamed)


def now_dealt(env: WitnessedEnv, last: int | None, state: np.record) -> bool:
    """Whether a deal begins at this state, which the last action brought about; None is the reset."""
    return last is None or last in env.adapter.chance or bool(state.settled and not state.over)


def put(env: WitnessedEnv, states: np.recarray) -> None:
    """Put another deal on the table and show it as the environment does after a reset."""
    env._state[:] = states
    env._show()
    env.infos = {agent: {"action_mask": np.zeros_like(env._mask[0])} for agent in env.agents}
    env._turn_to(env.possible_agents[env._seat[0]])


def view_of(env: WitnessedEnv, agent: str) -> np.recarray:
    """What a seat knows, a record array of one view."""
    views = np.zeros(1, env.game.view).view(np.recarray)
    seat = env.possible_agents.index(agent)
    kernels(env.game, env.encoder).view_of(env._rules, env._state, seat, views)
    return views


def told_referees(env: WitnessedEnv) -> list[tuple[Any, list[int]]]:
    """A referee for every deal so far, who was told its moves, and the seats in the order it counts them."""
    found: list[tuple[Any, list[int]]] = []
    last = None
    for state, action in [*env.past, (env._state[0], None)]:
        if now_dealt(env, last, state):
            found.append((env.adapter.referee_of(env.variant, state), turn_order(env.variant, state)))
        if action is not None:
            found[-1][0].play(env.adapter.move(state, action))
        last = action
    return found


# The hooks


def clone(env: WitnessedEnv) -> WitnessedEnv:
    unchanging = (env.game, env.encoder, env.variant, env.layout, env.adapter, env.observation_spaces)
    unchanging += (env.action_spaces, env.state_space)
    return copy.deepcopy(env, {id(part): part for part in unchanging})


def redeal(env: WitnessedEnv, agent: str, rng: np.random.Generator) -> WitnessedEnv:
    dealt, seat, drawn = clone(env), env.possible_agents.index(agent), env.game.new_states(1)
    key = rng.integers(KEYS, size=1)
    kernels(env.game, env.encoder).determinize(env._rules, view_of(env, agent), key, drawn)
    if drawn.to_act[0] == seat:  # it knows whether it is to act, but not by its view who is asked before it
        drawn.to_act[:] = env._state.to_act
    put(dealt, drawn)
    return dealt


def shown(env: WitnessedEnv, agent: str) -> str:
    return draw_text(scene_of(env.game, env.variant, [view_of(env, agent)[0]]))


def public(env: WitnessedEnv) -> tuple:
    return tuple(env._state[0][field].tobytes() for field in PUBLIC[env.game.id])


def rotate(env: WitnessedEnv, k: int) -> WitnessedEnv:
    turned = clone(env)
    turned.original, turned.names = clone(env), np.roll(np.arange(env.variant.players), -k)
    turned.rename_what_was_dealt()
    return turned


def tiles(env: WitnessedEnv) -> list[int]:
    return [kind for place in env.adapter.tile_sets(env._state)[0] for kind in tiles_in(place)]


def score(record: Record) -> dict[str, float]:
    seats = record.end.possible_agents
    total = dict.fromkeys(seats, 0.0)
    for referee, order in told_referees(record.end):
        for seat, payoff in zip(order, referee.payoffs(), strict=True):
            total[seats[seat]] += payoff
    return total


def payoffs(env: WitnessedEnv) -> dict[str, float]:
    return dict(zip(env.possible_agents, env._state.total[0].tolist(), strict=False))


def legal_actions(env: WitnessedEnv) -> list[int]:
    """The referee's moves as actions; of actions for one move, such as both ends of a double, the first."""
    state, actions = env._state[0], range(env.game.num_actions)
    action_of = {env.adapter.move(state, action): action for action in reversed(actions)}
    referee, _ = told_referees(env)[-1]
    return [action_of[move] for move in referee.moves()]


def lane_games(
    game: str, variant: dict[str, Any], seeds: Sequence[int], actions: Sequence[Sequence[int]]
) -> list[LaneGame]:
    lanes = Lanes(game, len(seeds), renew=False, **variant)
    lanes.reset(seeds=np.array(seeds))
    turns: list[list] = [[] for _ in seeds]
    paid = np.zeros_like(lanes.payoffs)
    for move in range(max(map(len, actions))):
        chosen = [mine[move] if move < len(mine) else WAIT for mine in actions]
        for lane, action in enumerate(chosen):
            if action != WAIT:
                seat = f"seat_{lanes.seats[lane]}"
                turns[lane].append((seat, lanes.observations[lane].copy(), lanes.masks[lane].copy()))
        paid += lanes.step(np.array(chosen))[0]
    return [
        LaneGame(turn, {f"seat_{seat}": chips for seat, chips in enumerate(row)})
        for turn, row in zip(turns, paid.tolist(), strict=True)
    ]


def hooks_for(game: str, render_modes: tuple[str, ...] = ("ansi",), **variant: Any) -> Hooks:
    """All hooks of a variant."""
    found, adapter = get_game(game), ADAPTERS[game]
    options = found.variant.make(**variant)
    return Hooks(
        max_moves=found.max_decisions * options.deals,
        illegal=("raise",),
        refusals=(ValueError,),
        render_modes=render_modes,
        deck=Counter(tiles_in(adapter.deck_of(options))),
        redeal=redeal,
        shown=shown,
        public=public,
        rotate=rotate,
        tiles=tiles,
        score=score,
        payoffs=payoffs,
        legal_actions=legal_actions,
        lane_games=partial(lane_games, game, variant),
        clone=clone,
    )
