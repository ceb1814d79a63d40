"""Tables set up by hand: chosen tiles in chosen hands, and moves by name."""

from collections.abc import Sequence

import numpy as np

from gupai_env import get_game
from gupai_env.core.episode import advance, start
from gupai_env.core.game import Game
from gupai_env.core.tiles import DECK, parse_tiles, tile_set
from gupai_env.core.variant import Variant


def stacked(game: Game, variant: Variant, deck: Sequence[int]) -> np.record:
    """A state that the game itself deals from a deck, kinds, which lies in this order."""

    rules = variant.as_rules(game.rules_type)
    assert sorted(deck) == game.deck(rules).tolist()
    state = game.new_states(1)[0]
    start(game, rules, state, 0)
    game.deal_from(rules, state, np.array(deck, np.int8))
    return state


class Table:
    """A deal of a connecting game in plain Python.

    `hands` holds the tiles of every seat in words such as "66 65", equally many in each; None takes some that
    are left. With less than the rules deal, the table is as if they dealt so few.
    """

    def __init__(self, name: str, hands: Sequence[str | None], *, leader: int = 0, **options) -> None:
        self.game = get_game(name)
        self.variant = self.game.variant.make(players=len(hands), leader=leader, **options)
        self.rules = self.variant.as_rules(self.game.rules_type)
        dealt = int(stacked(self.game, self.variant, DECK.tolist()).hand_size)
        size = max(len(parse_tiles(hand)) for hand in hands if hand)
        left = DECK.tolist()
        for kind in sum((parse_tiles(hand) for hand in hands if hand), []):
            left.remove(kind)
        chosen = [parse_tiles(hand) if hand else [left.pop() for _ in range(size)] for hand in hands]
        assert {len(hand) for hand in chosen} == {size}
        spare = [[left.pop() for _ in range(dealt - size)] for _ in hands]
        deck = sum((hand + more for hand, more in zip(chosen, spare, strict=True)), []) + left
        self.state = stacked(self.game, self.variant, deck)
        for seat, more in enumerate(spare):
            self.state.hands[seat] -= tile_set(more)
            self.state.unused += tile_set(more)
        self.state.hand_size = size

    def legal(self) -> set[str]:
        """The names of the legal actions."""
        mask = np.zeros(self.game.num_actions, np.bool_)
        if not self.state.over:
            self.game.legal_actions(self.rules, self.state, mask)
        return {name for name, legal in zip(self.game.action_names, mask, strict=True) if legal}

    def play(self, *names: str) -> "Table":
        """Play the actions with these names one after another; each must be legal."""
        game = self.game
        for name in names:
            assert name in self.legal(), f"{name} is not among {sorted(self.legal())}"
            action = game.action_names.index(name)
            advance(game, self.rules, self.state, action)
        return self

    def view(self, seat: int) -> np.record:
        """What a seat knows."""
        view = self.game.new_view()
        self.game.information_set(self.rules, self.state, seat, view)
        return view

    def points(self) -> list[int]:
        return self.state.points[: self.variant.players].tolist()

    def payoffs(self) -> list[float]:
        return self.state.payoff[: self.variant.players].tolist()


def paid(name: str, players: int, leader: int = 0, *, options: dict | None = None, **fields) -> list[float]:
    """What a state with these fields pays."""
    game = get_game(name)
    state, out = game.new_states(1)[0], np.zeros(game.max_seats, np.float32)
    state.leader = leader
    for field, values in fields.items():
        state[field] = values if np.ndim(values) == 0 else [*values, *[0] * (game.max_seats - len(values))]
    game.payoffs(game.variant(players=players, **(options or {})).as_rules(game.rules_type), state, out)
    return out[:players].tolist()


def next_leader(name: str, points: Sequence[int], leader: int, direction: int = 1, **fields: int) -> int:
    """Who leads the deal after one that ended with these points and other fields of the state."""
    game = get_game(name)
    state = game.new_states(1)[0]
    state.leader, state.direction = leader, direction
    for field, value in fields.items():
        state[field] = value
    state.points[: len(points)] = points
    game.next_deal(game.variant(players=len(points)).as_rules(game.rules_type), state)
    return int(state.leader)
