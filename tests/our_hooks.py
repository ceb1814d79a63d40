"""What the conformance kit is told of this project's own games.

The environment deals again and renames its seats; what is legal and what is paid the referees say, who share
no code with it. A new game needs its adapter and a line in `PUBLIC`.
"""

from collections import Counter
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from adapters import ADAPTERS, Adapter, turn_order
from gupai_env import get_game
from gupai_env.aec import GupaiEnv
from gupai_env.core.deal import Deal
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.tiles import tiles_in
from gupai_env.testing import Hooks, Record
from gupai_env.testing.game_hooks import clone, hooks_of, put

_FRAME = ("deal", "leader")
_LINE = (*_FRAME, "played", "plays", "drops", "turn", "ends", "laid_at", "last_player", "passes")
PUBLIC = {  # fields of the state that lie open and that every observation is meant to tell
    "jie-long": _LINE,
    "ce-deng": _LINE,
    "ding-niu": (*_LINE, "suan_zhang", "maker"),
    "da-ling": ("deal", "table", "target", "red"),
    "tiu-u": (*_FRAME, "lake", "catches", "laid", "turned", "drawn", "to_act"),
    "tien-gow": (
        *_FRAME,
        "played",
        "bonus",
        "taken",
        "first",
        "best",
        "holder",
        "tiles",
        "to_discard",
        "gave_up",
        "to_act",
    ),
    "shi-wu-hu": (*_FRAME, "lake", "catches", "laid", "turned", "drawn", "to_act"),
    "small-mahjong": (*_FRAME, "melds", "discards", "top", "mover"),
    "deer-hunt": (*_FRAME, "played", "red", "lying", "to_act"),
    "pai-gow": _FRAME,
}


class Past(list):
    """Decisions, each the state before it and the action, which never change: a copy may hold the same ones."""

    def __deepcopy__(self, memo: dict) -> "Past":
        return Past(self)


class RefusingOnce(Deal):
    """A deal that finds the words of a refusal once: the checks try the same actions in the same positions."""

    said: ClassVar[dict[tuple, str]] = {}

    def illegal(self, who: str, action: object) -> IllegalActionError:
        before = self.states.tobytes()
        case = (self.game.id, self.variant, before, who, repr(action))
        if case not in self.said:
            self.said[case] = str(super().illegal(who, action))
            assert self.states.tobytes() == before
        return IllegalActionError(self.said[case])


class WitnessedEnv(GupaiEnv):
    """The environment as it is, and a witness who tells the referees what was done.

    Attributes:
        past: every decision since the reset, as the state before it and the action.
        original: the game of which this one is the same with its seats renamed, if it is, and
        names: the name in it of each seat of the original.
    """

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(game, **options)
        self.past = Past()
        self.original: WitnessedEnv | None = None
        self.names: np.ndarray | None = None

    @property
    def adapter(self) -> Adapter:
        """What referees are told by; not kept here, so that no copy copies it."""
        return ADAPTERS[self.game.id]

    def _bind(self) -> None:
        super()._bind()
        self.deal.__class__ = RefusingOnce

    def reset(self, seed: int | None = None, options: dict | None = None) -> None:
        super().reset(seed, options)
        self.past = Past()

    def step(self, action: Any) -> None:
        before = self.deal.state.copy()
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
        if not now_dealt(self, last, self.deal.state):
            return
        states = self.original.deal.states
        renamed = self.adapter.renamed(self.game, states, self.names, int(states.direction[0]))
        for name in ("deal", "direction", "leader", "total") if self.past else ():
            np.testing.assert_array_equal(self.deal.states[name], renamed[name], f"{name} of the next deal")
        put(self, renamed)


def now_dealt(env: WitnessedEnv, last: int | None, state: np.record) -> bool:
    """Whether a deal begins at this state, which the last action brought about; None is the reset."""
    return last is None or last in env.adapter.chance or bool(state.settled and not state.terminated)


def told_referees(env: WitnessedEnv) -> list[tuple[Any, list[int]]]:
    """A referee for every deal so far, who was told its moves, and the seats in the order it counts them."""
    found: list[tuple[Any, list[int]]] = []
    last = None
    for state, action in [*env.past, (env.deal.state, None)]:
        if now_dealt(env, last, state):
            found.append((env.adapter.referee_of(env.variant, state), turn_order(env.variant, state)))
        if action is not None:
            found[-1][0].play(env.adapter.move(state, action))
        last = action
    return found


# The hooks


def public(env: WitnessedEnv) -> tuple:
    return tuple(env.deal.state[field].tobytes() for field in PUBLIC[env.game.id])


def rotate(env: WitnessedEnv, k: int) -> WitnessedEnv:
    turned = clone(env)
    turned.original, turned.names = clone(env), np.roll(np.arange(env.variant.players), -k)
    turned.rename_what_was_dealt()
    return turned


def tiles(env: WitnessedEnv) -> list[int]:
    return [kind for place in env.adapter.tile_sets(env.deal.states)[0] for kind in tiles_in(place)]


def score(record: Record) -> dict[str, float]:
    seats = record.end.possible_agents
    total = dict.fromkeys(seats, 0.0)
    for referee, order in told_referees(record.end):
        for seat, payoff in zip(order, referee.payoffs(), strict=True):
            total[seats[seat]] += payoff
    return total


def legal_actions(env: WitnessedEnv) -> list[int]:
    """The referee's moves as actions; of actions for one move, such as both ends of a double, the first."""
    state, actions = env.deal.state, range(env.game.num_actions)
    action_of = {env.adapter.move(state, action): action for action in reversed(actions)}
    referee, _ = told_referees(env)[-1]
    return [action_of[move] for move in referee.moves()]


def hooks_for(game: str, render_modes: tuple[str, ...] = ("ansi",), **variant: Any) -> Hooks:
    """All hooks of a variant."""
    RefusingOnce.said.clear()
    adapter = ADAPTERS[game]
    return replace(
        hooks_of(game, **variant),
        render_modes=render_modes,
        deck=Counter(tiles_in(adapter.deck_of(get_game(game).variant.make(**variant)))),
        public=public,
        rotate=rotate,
        tiles=tiles,
        score=score,
        legal_actions=legal_actions,
    )
