"""Tables set up by hand: chosen tiles in chosen hands, and moves by name."""

from collections.abc import Sequence

import numpy as np

from gupai_env import get_game
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.tiles import DECK, parse_tiles, tile_set
from gupai_env.core.variant import Variant


def stacked(game: Game, variant: Variant, deck: Sequence[int]) -> Deal:
    """What the game itself deals from a deck, kinds, which lies in this order."""
    deal = Deal(game, variant)
    assert sorted(deck) == game.deck(deal.rules).tolist()
    deal.start(0, deck)
    return deal


class Table(Deal):
    """A deal of a connecting game.

    `hands` holds the tiles of every seat in words such as "66 65", equally many in each; None takes some that
    are left. With less than the rules deal, the table is as if they dealt so few.
    """

    def __init__(self, name: str, hands: Sequence[str | None], *, leader: int = 0, **options) -> None:
        game = get_game(name)
        super().__init__(game, game.variant.make(players=len(hands), leader=leader, **options))
        self.start(0, DECK.tolist())
        dealt = int(self.state.hand_size)
        size = max(len(parse_tiles(hand)) for hand in hands if hand)
        left = DECK.tolist()
        for kind in sum((parse_tiles(hand) for hand in hands if hand), []):
            left.remove(kind)
        chosen = [parse_tiles(hand) if hand else [left.pop() for _ in range(size)] for hand in hands]
        assert {len(hand) for hand in chosen} == {size}
        spare = [[left.pop() for _ in range(dealt - size)] for _ in hands]
        deck = sum((hand + more for hand, more in zip(chosen, spare, strict=True)), []) + left
        self.start(0, deck)
        for seat, more in enumerate(spare):
            self.state.hands[seat] -= tile_set(more)
            self.state.unused += tile_set(more)
        self.state.hand_size = size

    def legal(self) -> set[str]:
        """The names of the legal actions."""
        return {self.game.action_names[action] for action in np.flatnonzero(self.mask())}

    def play(self, *names: str) -> "Table":
        """Play the actions with these names one after another; each must be legal."""
        for name in names:
            assert name in self.legal(), f"{name} is not among {sorted(self.legal())}"
            self.advance(self.game.action_names.index(name))
        return self

    def points(self) -> list[int]:
        return self.state.points[: self.variant.players].tolist()

    def payoffs(self) -> list[float]:
        return self.state.payoff[: self.variant.players].tolist()


def deal_of(name: str, players: int, fields: dict, **options) -> Deal:
    """A deal whose state is empty but for some fields; of those by seat, the first seats are given."""
    game = get_game(name)
    deal = Deal(game, game.variant(players=players, **options))
    for field, values in fields.items():
        deal.state[field] = values if np.ndim(values) == 0 else [*values, *[0] * (game.max_seats - len(values))]
    return deal


def paid(name: str, players: int, leader: int = 0, *, options: dict | None = None, **fields) -> list[float]:
    """What a state with these fields pays."""
    return deal_of(name, players, {"leader": leader, **fields}, **(options or {})).paid()
