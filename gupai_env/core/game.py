"""The contract of a game, and the frame of an episode that all games share.

A rules function handles one deal: it changes one `state` record in place, or fills an array or record that
its caller has cleared. `rules` is the variant as a named tuple of numbers (see `variant.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.variant import Variant

# Counters of an episode's key that no deal of a match has:
LEADER_STREAM = 1 << 40  # draws the first leader
NOISE_STREAM = 1 << 41  # + seat: the chance that players use
NOBODY = -1  # in place of a seat


@dataclass(frozen=True)
class Game:
    """What a rules file provides. It closes every file in `games/`.

    The functions (all `@rule`, plain Python that also compiles):
        deck(rules): the kinds of all tiles, a sorted int8 array.
        deal_from(rules, state, order): deals the tiles of the deck as they lie in `order`; `state.leader` and
            `state.direction` are set already. All chance of a deal is the order, and who leads the first.
        deal(rules, state, key): deals afresh, from an order of the deck drawn from `key`.
        legal_actions(rules, state, mask): marks in a cleared bool [num_actions] the moves of the seat to act.
        step(rules, state, action): plays one legal decision; sets `to_act`, or `over` when the deal has ended.
        payoffs(rules, state, out): fills float32 [max_seats] with the chips of a deal that is over.
        next_deal(rules, state): sets `leader` and `direction` for the next deal of a match.
        information_set(rules, state, seat, view, history=True): fills a view with all that the seat may know. The only
            place that decides what is hidden. Without `history` it leaves out what no encoder reads, move by move.
        determinize(rules, view, key, state): fills a state drawn uniformly among the deals the view allows. The
            view must be of a deal under way.
    """

    id: str
    title: str
    version: int
    variant: type[Variant]
    rules_type: type
    max_seats: int
    max_decisions: int  # of one deal, dealt once
    action_names: tuple[str, ...]
    state: np.dtype
    view: np.dtype
    deck: Callable
    deal_from: Callable
    deal: Callable
    legal_actions: Callable
    step: Callable
    payoffs: Callable
    next_deal: Callable
    information_set: Callable
    determinize: Callable
    payoff_bound: Callable[[Any], float]  # variant -> the most a seat can win or lose in one deal
    name_action: Callable[[np.record, int], str] | None = (
        None  # (view, action): where the hand tells what it does
    )

    def __deepcopy__(self, memo: dict) -> Self:
        return self  # it never changes

    def __hash__(self) -> int:
        return hash((self.id, self.version))  # the fields are compared; hashing them all would be slow

    @property
    def num_actions(self) -> int:
        return len(self.action_names)

    def action_name(self, action: int, view: np.record | None = None) -> str:
        """Return the name of an action; in some games the view of the seat to act makes it a plainer one."""
        if view is None or self.name_action is None:
            return self.action_names[action]
        return self.name_action(view, action)

    @property
    def module(self) -> str:
        """The game's name as a Python identifier."""
        return self.id.replace("-", "_")

    def new_states(self, num: int) -> np.recarray:
        """Return `num` cleared states, a structured array whose records read as `states[i].to_act`."""
        return np.zeros(num, self.state).view(np.recarray)

    def new_view(self) -> np.record:
        """Return one cleared view."""
        return np.zeros(1, self.view).view(np.recarray)[0]


def state_dtype(seats: int, *fields: tuple) -> np.dtype:
    """Return the dtype of a game's state: the fields every game has, then its own."""
    return np.dtype(
        [
            ("seed", "i8"),  # key of the episode
            ("moves", "i4"),  # decisions of the episode so far
            ("deal", "i2"),  # deals of the match that are finished
            ("leader", "i1"),  # who leads this deal
            ("direction", "i1"),  # +1 or -1: the order of turn among the seats
            ("to_act", "i1"),
            ("over", "i1"),  # set by a game when its deal has ended; stays set only at the end of the match
            ("settled", "i1"),  # the last step ended a deal, and `payoff` holds its chips
            ("payoff", "f4", (seats,)),
            ("total", "f4", (seats,)),  # chips of all finished deals
            *fields,
        ],
        align=True,
    )


@rule
def seat_after(rules, state, seat):
    """Return the seat whose turn follows `seat`."""
    seat += state.direction
    if seat == rules.players:
        return 0
    return rules.players - 1 if seat < 0 else seat


@rule
def distance(rules, state, seat, other):
    """Return how many turns after `seat` the turn of `other` comes, 0 for the seat itself."""
    turns = state.direction * (other - seat)
    return turns + rules.players if turns < 0 else turns


@rule
def seat_at(rules, state, seat, steps):
    """Return the seat whose turn comes `steps` after that of `seat`."""
    return (seat + state.direction * steps) % rules.players


@rule
def noise_key(state):
    """Return the key of all chance that the player to act may use in this decision.

    It depends on the episode, the seat and the decision alone, so equal players play a deal alike.
    """
    return derive(derive(state.seed, NOISE_STREAM + int(state.to_act)), state.moves)


@rule
def resume_from(view, key, state):
    """Begin to fill a state from a view: the fields every game has, of a deal under way.

    The episode's key is drawn anew from `key`, for a view does not tell the later deals of the match either.
    """
    state.seed = derive(key, 0)
    state.moves = 0
    state.deal = view.deal
    state.direction = view.direction
    state.over = 0
    state.settled = 0
    state.payoff[:] = 0


@rule
def start(deal, rules, state, seed):
    """Begin an episode: the first deal of a match."""
    state.seed = seed
    state.moves = 0
    state.deal = 0
    state.direction = 1
    state.over = 0
    state.settled = 0
    state.payoff[:] = 0
    state.total[:] = 0
    state.leader = rules.leader if rules.leader >= 0 else draw(derive(seed, LEADER_STREAM), 0, rules.players)
    deal(rules, state, derive(seed, 0))


@rule
def advance(step, payoffs, next_deal, deal, rules, state, action):
    """Play one decision; pay and deal again when it ends a deal that is not the last of the match."""
    state.settled = 0
    state.moves += 1
    step(rules, state, action)
    if state.over:
        state.settled = 1
        state.payoff[:] = 0
        payoffs(rules, state, state.payoff)
        for seat in range(rules.players):
            state.total[seat] += state.payoff[seat]
        state.deal += 1
        if state.deal < rules.deals:
            next_deal(rules, state)
            state.over = 0
            deal(rules, state, derive(state.seed, state.deal))
