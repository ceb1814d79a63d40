"""Rule-based players of Ding Niu. None of them makes a suan zhang that looks lost if it has another play."""

from gupai_env.core.choice import best_by
from gupai_env.core.rule import rule
from gupai_env.games.connecting.players import WORTH, numbers_left
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import NONE

LOST = 50  # pips; more than any play is worth
WON = 100
VARIETY = 2  # pips that a number kept in hand is worth


@rule
def suan_zhang(view, action, won):
    """Return what blocking the layout is worth: `won` if it looks won, 0 for an action that does not block."""
    if action >= DISCARD:
        return 0
    if view.losing[action]:
        return -LOST
    return won if view.makes[action] != NONE else 0


@rule
def heavy(view, action):
    """Return the worth of an action; a suan zhang that looks won counts for nothing."""
    return WORTH[action] + suan_zhang(view, action, 0)


@rule
def blocking(view, action):
    """Return the worth of an action, a suan zhang that looks won and numbers kept counted in."""
    return WORTH[action] + suan_zhang(view, action, WON) + VARIETY * numbers_left(view, action)


@rule
def greedy(view, mask):
    """Play the heaviest tile; discard, when nothing fits, the lightest."""
    return best_by(heavy, view, mask)


@rule
def blocker(view, mask):
    """Make a suan zhang that looks won at once; else keep many different numbers in hand."""
    return best_by(blocking, view, mask)


PLAYERS = ("greedy", "blocker")


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS."""
    return greedy(view, mask) if player == 0 else blocker(view, mask)
