"""Positions set up by hand, in plain Python, for questions such as "what may be played here, what is paid?"

Every game has a module of its name with `from_tiles(...)`, which builds a `Position` from the tiles that lie
in every place, and `settle(...)`, which pays given piles without a position. Tiles are written as in the
rulebook, "[6:4][1:1]" or "64 11", or given as a sequence of such texts or of pairs of numbers, ["6:4", (1, 1)];
either end may come first. Options of the variant are keywords. What the rules do not allow is a ValueError of one
line. The page `docs/positions.md` says more.

    from gupai_env.positions import ding_niu

    position = ding_niu.from_tiles(hands=["[4:4]", "[6:4][1:1]", "[5:5][5:5]", "[1:1][2:2]"], layout="[4:6]")
    position.play("[6:4]")  # on the six, so that its four is open
    position.state.suan_zhang, position.payoffs()

The rules functions themselves take `position.rules` and `position.state`, for instance
`position.game.legal_actions(position.rules, position.state, mask)`.
"""

import sys
from types import ModuleType

from gupai_env.core.deal import Deal
from gupai_env.core.position import Position
from gupai_env.games import GAMES, get_game

__all__ = ["Deal", "Position"]

# `from gupai_env.positions.ding_niu import settle` finds the module in the game's module too.
__path__: list[str] = []
sys.modules |= {f"{__name__}.{game.identifier}": game.positions for game in GAMES.values()}


def __getattr__(name: str) -> ModuleType:
    """Return the builders of a game, `get_game(name).positions`."""
    try:
        return get_game(name).positions
    except ValueError as error:
        raise AttributeError(str(error)) from None
