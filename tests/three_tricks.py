"""Three Tricks: three tiles each, the heaviest tile wins a trick; a game as docs/adding-a-game.md tells to write one.

Deal     Three tiles each; the rest are seen by nobody. Tiny: two players and eight tiles.
Move     From the one who leads on each seat lays a tile face up; who wins a trick leads the next.
Payoff   For each trick every other seat pays its winner `stake` chips.
Actions  kind lays a tile.
"""

from dataclasses import dataclass

import gupai_env.game as gupai

SEATS, HAND = 3, 3
SETS = (gupai.FULL_SET, gupai.tile_set(gupai.parse_tiles("11 21 31 42 53 64 65 66")))  # by deck, full and tiny
DECKS = tuple(map(gupai.deck_of, SETS))


@dataclass(frozen=True)
class ThreeTricks(gupai.Variant):
    """The options of the game."""

    players: int = gupai.option(3, "number of seats", (2, 3))
    stake: int = gupai.option(1, "chips for a trick", (1, 2))


STATE = gupai.state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("laid", "i8", (SEATS,)),  # in this trick, as a set
    ("gone", "i8"),  # tiles of earlier tricks
    ("won", "i1", (SEATS,)),  # tricks
    ("first", "i1"),  # who leads this trick
)
VIEW = gupai.view_dtype(
    SEATS,
    ("leader", "i1"),  # how many turns after the viewer its turn comes,
    ("first", "i1"),  # likewise of who leads this trick
    ("mover", "i1"),  # and of the seat to act
    ("hand", "i8"),
    ("unseen", "i8"),
    ("laid", "i8", (SEATS,)),
    ("gone", "i8"),
    ("won", "i1", (SEATS,)),
    ("sizes", "i1", (SEATS,)),  # tiles in hand
)
clear = gupai.clearing(STATE)


@gupai.rule
def deal_from(rules, state, order):
    clear(state)
    for place in range(rules.players * HAND):
        state.hands[place // HAND] += gupai.ONE[order[place]]
    state.to_act = state.first = state.leader


@gupai.rule
def legal_actions(rules, state, mask):
    gupai.write_kinds(gupai.kinds_in(state.hands[state.to_act]), mask, 0)


@gupai.rule
def best_of(rules, state):
    """Return the seat that wins the trick."""
    best = state.first
    for steps in range(1, rules.players):
        seat = gupai.seat_at(rules, state, state.first, steps)
        if gupai.weight(state.laid[seat]) > gupai.weight(state.laid[best]):
            best = seat
    return best


@gupai.rule
def step(rules, state, action):
    state.hands[state.to_act] -= gupai.ONE[action]
    state.laid[state.to_act] = gupai.ONE[action]
    state.to_act = gupai.seat_after(rules, state, state.to_act)
    if state.to_act == state.first:
        winner = best_of(rules, state)
        state.won[winner] += 1
        state.gone += state.laid.sum()
        state.laid[:] = 0
        state.to_act = state.first = winner
        state.terminated = state.hands[winner] == 0


@gupai.rule
def payoffs(rules, state, out):
    for seat in range(rules.players):
        out[seat] = rules.stake * (rules.players * int(state.won[seat]) - HAND)


@gupai.rule
def information_set(rules, state, seat, view, history=True):
    gupai.begin_view(rules, state, seat, view)
    view.leader = gupai.distance(rules, state, seat, state.leader)
    view.first = gupai.distance(rules, state, seat, state.first)
    view.mover = gupai.distance(rules, state, seat, state.to_act)
    view.hand = state.hands[seat]
    view.gone = state.gone
    gupai.rotate(rules, state, seat, state.laid, view.laid)
    gupai.rotate(rules, state, seat, state.won, view.won)
    view.unseen = SETS[rules.deck] - view.hand - view.laid.sum() - view.gone
    for place in range(rules.players):
        view.sizes[place] = gupai.size(state.hands[gupai.seat_at(rules, state, seat, place)])


@gupai.rule
def determinize(rules, view, key, state):
    clear(state)
    gupai.resume_from(rules, view, key, state)
    state.leader = gupai.seat_at(rules, state, view.seat, view.leader)
    state.first = gupai.seat_at(rules, state, view.seat, view.first)
    state.to_act = gupai.seat_at(rules, state, view.seat, view.mover)
    state.hands[view.seat] = view.hand
    state.gone = view.gone
    gupai.rotate_back(rules, state, view.seat, view.laid, state.laid)
    gupai.rotate_back(rules, state, view.seat, view.won, state.won)
    gupai.deal_hidden(rules, state, view.seat, view.unseen, view.sizes, key)


LAYOUT = gupai.Layout(
    (
        gupai.Section("hand", (gupai.KINDS,), 2, "copies of each kind in your hand"),
        gupai.Section("unseen", (gupai.KINDS,), 2, "copies of each kind in places one does not see"),
        gupai.Section("laid", (SEATS, gupai.KINDS), 1, "the tile that each seat has laid, one-hot"),
        gupai.Section("first", (SEATS,), 1, "who led the trick, one-hot"),
        gupai.Section("won", (SEATS,), 3, "tricks won"),
    )
)
AT = LAYOUT.starts


@gupai.rule
def encode(view, out):
    gupai.write_counts(view.hand, out, AT.hand)
    gupai.write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        gupai.write_counts(view.laid[place], out, AT.laid + place * gupai.KINDS)
        out[AT.won + place] = view.won[place]
    out[AT.first + int(view.first)] = 1


GAME = gupai.Game(
    __name__,
    id="three-tricks",
    title="Three Tricks",
    version=0,
    summary="Three tiles each, the heaviest tile wins a trick.",
    variant=ThreeTricks,
    max_seats=SEATS,
    max_decisions=SEATS * HAND,
    moves=tuple(gupai.Move("lay", (kind,), to="laid") for kind in range(gupai.KINDS)),
    payoff_bound=lambda variant: float(variant.stake * HAND * (variant.players - 1)),
)
