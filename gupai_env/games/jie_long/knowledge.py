"""Jie Long: who knows what, and the deals that fit it."""

from gupai_env.core.episode import NOBODY
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, DOUBLES, KINDS, ONE, PIPS
from gupai_env.games.connecting import knowledge as connecting
from gupai_env.games.connecting.knowledge import open_view
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.jie_long.rules import DECK_SETS, DECKS, clear, locked


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`."""
    open_view(rules, state, seat, DECK_SETS[rules.deck], rules.forced_play, view, history or rules.stacked > 0)
    view.stacked = rules.open_ends if rules.stacked else 0
    view.locked = locked(rules, state)


@rule
def possible(rules, view, state, tiles, offsets, turns):
    """True if the deal could have come this far: at no lock were doubles all that matched."""
    if not rules.double_lock or rules.open_ends == 2:
        return True
    open_number, last_player, passes = 0, NOBODY, 0
    for turn in range(view.turn + 1):
        offset = (view.leader + turn) % rules.players
        if last_player == offset and passes >= rules.players - 1 and offset > 0:
            if doubles_alone(rules, view, offset, turn, open_number, tiles, offsets, turns):
                return False
        if turn < view.turn:
            action = view.record[turn]
            if action < DISCARD:
                open_number, last_player, passes = PIPS[action % KINDS, action // KINDS], offset, 0
            else:
                passes += 1
    return True


@rule
def doubles_alone(rules, view, offset, turn, number, tiles, offsets, turns):
    """True if of the tiles that `offset` held at `turn` only the double of `number` carried it."""
    held = 0
    for slot in range(len(tiles)):
        if offsets[slot] == offset and turns[slot] >= turn:
            held |= ONE[tiles[slot]]
    for later in range(turn, view.turn):
        if view.record[later] < DISCARD and (view.leader + later) % rules.players == offset:
            held |= ONE[view.record[later] % KINDS]
    matching = held & CARRYING[number]
    return matching != 0 and matching & ~DOUBLES == 0


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals and discards that the view allows."""
    clear(state)
    connecting.determinize(
        possible, rules, view, len(DECKS[rules.deck]), rules.forced_play, rules.open_ends == 2, key, state
    )
