"""One Trick: everybody lays one tile of three, and the heaviest wins.

Deal     Three tiles each; the rest are seen by nobody. Tiny: two players get two of [1:1][3:1][4:2][5:3][6:4][6:6].
Move     From the leader on each seat lays one of its tiles face up.
Payoff   The tile of most pips, of equals the one laid first, wins `stake` chips from every other seat.
Match    The lead passes to the next seat.
Actions  kind lays a tile.
"""

from dataclasses import dataclass

import gupai_env.game as gupai

SEATS = 4
SETS = (gupai.FULL_SET, gupai.tile_set(gupai.parse_tiles("11 31 42 53 64 66")))  # by deck, full and tiny
DECKS = tuple(map(gupai.deck_of, SETS))
HANDS = (3, 2)  # tiles


@dataclass(frozen=True)
class OneTrick(gupai.Variant):
    """The options of the game."""

    stake: int = gupai.option(1, "chips that every other seat pays the winner", (1, 2, 5))


STATE = gupai.state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("laid", "i8", (SEATS,)),  # the tile that each seat has laid, as a set
)
VIEW = gupai.view_dtype(
    SEATS,
    ("leader", "i1"),  # how many turns after the viewer its turn comes
    ("mover", "i1"),  # likewise, of the seat to act
    ("hand", "i8"),
    ("unseen", "i8"),
    ("laid", "i8", (SEATS,)),
    ("sizes", "i1", (SEATS,)),  # tiles in hand
)
clear = gupai.clearing(STATE)


@gupai.rule
def deal_from(rules, state, order):
    clear(state)
    for place in range(rules.players * HANDS[rules.deck]):
        state.hands[place // HANDS[rules.deck]] += gupai.ONE[order[place]]
    state.to_act = state.leader


@gupai.rule
def legal_actions(rules, state, mask):
    gupai.write_kinds(gupai.kinds_in(state.hands[state.to_act]), mask, 0)


@gupai.rule
def step(rules, state, action):
    state.hands[state.to_act] -= gupai.ONE[action]
    state.laid[state.to_act] = gupai.ONE[action]
    state.to_act = gupai.seat_after(rules, state, state.to_act)
    state.terminated = state.to_act == state.leader


@gupai.rule
def payoffs(rules, state, out):
    winner = state.leader
    for steps in range(1, rules.players):
        seat = gupai.seat_at(rules, state, state.leader, steps)
        if gupai.weight(state.laid[seat]) > gupai.weight(state.laid[winner]):
            winner = seat
    out[: rules.players] = -rules.stake
    out[winner] = rules.stake * (rules.players - 1)


@gupai.rule
def information_set(rules, state, seat, view, history=True):
    gupai.begin_view(rules, state, seat, view)
    view.leader = gupai.distance(rules, state, seat, state.leader)
    view.mover = gupai.distance(rules, state, seat, state.to_act)
    view.hand = state.hands[seat]
    gupai.rotate(rules, state, seat, state.laid, view.laid)
    view.unseen = SETS[rules.deck] - view.hand - view.laid.sum()
    for place in range(rules.players):
        view.sizes[place] = HANDS[rules.deck] - (view.laid[place] != 0)


@gupai.rule
def determinize(rules, view, key, state):
    clear(state)
    gupai.resume_from(rules, view, key, state)
    state.leader = gupai.seat_at(rules, state, view.seat, view.leader)
    state.to_act = gupai.seat_at(rules, state, view.seat, view.mover)
    state.hands[view.seat] = view.hand
    gupai.rotate_back(rules, state, view.seat, view.laid, state.laid)
    gupai.deal_hidden(rules, state, view.seat, view.unseen, view.sizes, key)


LAYOUT = gupai.Layout(
    (
        gupai.Section("hand", (gupai.KINDS,), 2, "copies of each kind in your hand"),
        gupai.Section("unseen", (gupai.KINDS,), 2, "copies of each kind in places one does not see"),
        gupai.Section("laid", (SEATS, gupai.KINDS), 1, "the tile that each seat has laid, one-hot"),
        gupai.Section("leader", (SEATS,), 1, "who led, one-hot"),
    )
)
AT = LAYOUT.starts


@gupai.rule
def encode(view, out):
    gupai.write_counts(view.hand, out, AT.hand)
    gupai.write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        gupai.write_counts(view.laid[place], out, AT.laid + place * gupai.KINDS)
    out[AT.leader + int(view.leader)] = 1  # in plain Python int8, which ends at 127


FEATURES = (gupai.Feature("pips", "pips of the tile", "pips", 2, 12),)
HEURISTICS = {"greedy": {"pips": 1}}


@gupai.rule
def score(view, action, weights):
    return weights[0] * gupai.WEIGHT[action]


GAME = gupai.Game(
    __name__,
    id="one-trick",
    title="One Trick",
    version=0,
    summary="Everybody lays one tile of three, and the heaviest wins.",
    variant=OneTrick,
    max_seats=SEATS,
    max_decisions=SEATS,
    moves=tuple(gupai.Move("lay", (kind,), to="laid") for kind in range(gupai.KINDS)),
    payoff_bound=lambda variant: float(variant.stake * (variant.players - 1)),
)
gupai.register(GAME)
