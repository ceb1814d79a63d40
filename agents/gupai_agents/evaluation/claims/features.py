"""What conditions may say of positions and of actions, by name: the registry that claim files choose from.

A position is a state at some seat's turn. All functions take many at once, a record array [N].
"""

from collections.abc import Callable, Sequence

import numpy as np

from gupai_agents.evaluation.claims.schema import Condition
from gupai_env.core.game import Game
from gupai_env.core.tiles import KINDS, PIPS, WEIGHT, tile_set
from gupai_env.core.variant import Variant
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.tiu_u.rules import BAIT, CATCH

CONNECTING = ("jie-long", "ce-deng", "ding-niu")
ALL = ("jie-long", "ce-deng", "ding-niu", "da-ling", "tiu-u", "small-mahjong")


class Positions:
    """Some positions of a variant, and what the seat to act holds and has not seen."""

    def __init__(self, game: Game, variant: Variant, states: np.recarray, masks: np.ndarray) -> None:
        self.game, self.variant, self.states, self.masks = game, variant, states, masks
        self.rows = np.arange(len(states))

    @property
    def hands(self) -> np.ndarray:
        """Tile sets, int64 [N]."""
        hands: np.ndarray = self.states.hands[self.rows, self.states.to_act]
        return hands

    @property
    def unseen(self) -> np.ndarray:
        """Tile sets of connecting games, int64 [N]: what lies in no place that the seat to act sees."""
        deck = tile_set(self.game.deck(self.variant.as_rules(self.game.rules_type)).tolist())
        own: np.ndarray = self.hands + self.states.discards[self.rows, self.states.to_act]
        return deck - own - self.states.played[:, : self.variant.players].sum(1)


def tiles_with(tiles: np.ndarray, adds: np.ndarray) -> np.ndarray:
    """Return the sum over the tiles of sets, int64 [N], of what each kind adds, int [KINDS]."""
    counts = tiles[:, None] >> (3 * np.arange(KINDS)) & 7
    total: np.ndarray = counts @ adds
    return total


def carrying(number: int) -> np.ndarray:
    """Return for every kind whether it has a number, int [KINDS]."""
    return ((PIPS[:, 0] == number) | (PIPS[:, 1] == number)).astype(int)


def _rounds_out(at: Positions, number: int | None) -> np.ndarray:
    back = at.states.last_player == at.states.to_act
    return (back & (at.states.passes >= at.variant.players - 1)).astype(int)


Feature = Callable[[Positions, int | None], np.ndarray]
# By name: the games that have it, whether it takes a number, what it is, and the function.
POSITIONS: dict[str, tuple[tuple[str, ...], bool, str, Feature]] = {
    "lead": (CONNECTING, False, "nothing lies yet", lambda at, _: (at.states.turn == 0).astype(int)),
    "round": (
        CONNECTING,
        False,
        "rounds that are over, all seats having had a turn in each",
        lambda at, _: at.states.turn // at.variant.players,
    ),
    "open": (
        CONNECTING,
        True,
        "the number is open",
        lambda at, n: (at.states.ends[:, 0] == n).astype(int) | (at.states.ends[:, 1] == n).astype(int),
    ),
    "all_discarded": (CONNECTING, False, "all others discarded since one laid the last tile", _rounds_out),
    "unseen": (
        CONNECTING,
        True,
        "tiles with the number that one has not seen",
        lambda at, n: tiles_with(at.unseen, carrying(n or 0)),
    ),
    "own": (
        ALL,
        True,
        "tiles with the number in one's hand",
        lambda at, n: tiles_with(at.hands, carrying(n or 0)),
    ),
    "tiles": (ALL, False, "tiles in one's hand", lambda at, _: tiles_with(at.hands, np.ones(KINDS, int))),
    "place": (
        ALL,
        False,
        "the seat's turn in the order of the deal, 0 for who leads",
        lambda at, _: (at.states.to_act - at.states.leader) % at.variant.players,
    ),
}


def _kinds(game: Game) -> np.ndarray:
    """Return the tile that each action plays, int [num_actions]; KINDS where there is none."""
    actions = np.arange(game.num_actions)
    if game.id == "tiu-u":
        return BAIT.astype(int)
    return np.where(actions < DISCARD + KINDS, actions % KINDS, KINDS)


def action_pips(game: Game) -> np.ndarray:
    """Return the pips of the tile that each action plays, int [num_actions]; -100 where there is none."""
    return np.append(WEIGHT.astype(int), -100)[_kinds(game)]


def _left_open(game: Game) -> np.ndarray:
    actions = np.arange(game.num_actions)
    kinds = _kinds(game)
    ends = np.append(PIPS, [[0, 0]], axis=0)
    left: np.ndarray = np.where(actions < DISCARD, ends[kinds, (actions // KINDS).clip(0, 1)], 0)
    return left


def _lays(at: Positions, number: int | None) -> np.ndarray:
    return np.broadcast_to(
        np.arange(at.masks.shape[1]) < (CATCH if at.game.id == "tiu-u" else DISCARD), at.masks.shape
    )


def _leaves(at: Positions, number: int | None) -> np.ndarray:
    return np.broadcast_to(_left_open(at.game) == number, at.masks.shape)


def _double(at: Positions, number: int | None) -> np.ndarray:
    faces = np.append(PIPS, [[0, -1]], axis=0)[_kinds(at.game)]
    double = (faces[:, 0] == faces[:, 1]) & ((number is None) | (faces[:, 0] == number))
    return double & _lays(at, None)


def _heaviest(at: Positions, number: int | None) -> np.ndarray:
    pips = np.where(at.masks & _lays(at, None), action_pips(at.game), -1)
    return (pips == pips.max(1, keepdims=True)) & (pips >= 0)


def _third(at: Positions, number: int | None) -> np.ndarray:
    lying = at.states.lake[:, None] >> (3 * np.arange(KINDS)) & 7
    third = np.zeros(at.masks.shape, bool)
    third[:, :CATCH] = lying[:, BAIT[:CATCH]] == 2
    return third


ActionFeature = Callable[[Positions, int | None], np.ndarray]
# By name: the games that have it, whether it takes a number (None: it may), what it is, and the function.
ACTIONS: dict[str, tuple[tuple[str, ...], bool | None, str, ActionFeature]] = {
    "lays": ((*CONNECTING, "tiu-u"), False, "a tile is laid, not discarded and not used to catch", _lays),
    "discards": (CONNECTING, False, "a tile is discarded", lambda at, n: ~_lays(at, n)),
    "leaves": (CONNECTING, True, "the tile that is laid leaves the number open", _leaves),
    "double": (CONNECTING, None, "a double is laid, or that of the number", _double),
    "heaviest": (CONNECTING, False, "no tile that may be laid has more pips", _heaviest),
    "third": (("tiu-u",), False, "the tile is laid as the third of its kind in the lake", _third),
}


def meets(at: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which positions meet all conditions, bool [N]."""
    met = np.ones(len(at.states), bool)
    for each in conditions:
        values = POSITIONS[each.feature][3](at, each.number)
        met &= (values >= each.least) & (values <= each.most)
    return met


def actions_with(at: Positions, conditions: Sequence[Condition]) -> np.ndarray:
    """Return which legal actions have all features (or, with `exactly: 0`, have not), bool [N, num_actions]."""
    found = at.masks.copy()
    for each in conditions:
        has = ACTIONS[each.feature][3](at, each.number)
        found &= has if each.least >= 1 else ~has
    return found


def check_feature(condition: Condition, registry: dict[str, tuple], what: str, game: Game) -> None:
    """Raise ValueError in one line for a feature that there is not, or not of this game, and for a number amiss."""
    known = [name for name, (games, *_) in registry.items() if game.id in games]
    if condition.feature not in known:
        raise ValueError(
            f"{condition.feature!r} is no feature of {what} of {game.id}; they are {', '.join(known) or 'none'}"
        )
    takes = registry[condition.feature][1]
    if takes is not None and takes != (condition.number is not None):
        raise ValueError(f"{condition.feature} {'needs a' if takes else 'takes no'} number")
