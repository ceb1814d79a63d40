"""Positions set up by hand, in plain Python, for questions such as "what may be played here, what is paid?"

Every game has a module of its name with `from_tiles(...)`, which builds a `Position` from the tiles that lie
in every place, and `settle(...)`, which pays given piles without a position. Tiles are written as in the
rulebook, "[6:4][1:1]" or "64 11", or given as pairs of numbers, [(6, 4), (1, 1)]; either end may come first.
Options of the variant are keywords. What the rules do not allow is a ValueError of one line.

    from gupai_env.positions import ding_niu

    position = ding_niu.from_tiles(hands=["[4:4]", "[6:4][1:1]", "[5:5][5:5]", "[1:1][2:2]"], layout="[4:6]")
    position.play("[6:4]")  # on the six, so that its four is open
    position.state.suan_zhang, position.payoffs()

The rules functions themselves take `position.rules` and `position.state`, for instance
`connecting.fitting(position.state)`.
"""

from gupai_env.positions.position import Position

__all__ = ["Position"]
