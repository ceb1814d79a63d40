"""One Trick: everybody lays one tile of three, and the heaviest wins.

Deal     Three tiles each; the rest are seen by nobody. Tiny: two players get two of [1:1][3:1][4:2][5:3][6:4][6:6].
Move     From the leader on each seat lays one of its tiles face up.
Payoff   The tile of most pips, of equals the one laid first, wins `stake` chips from every other seat.
Match    The lead passes to the next seat.
Actions  kind lays a tile.
"""

from dataclasses import dataclass

import numpy as np

import gupai_env
from gupai_env import Game, Move
from gupai_env.core import tiles
from gupai_env.core.episode import (
    NOBODY,
    begin_view,
    distance,
    resume_from,
    seat_after,
    seat_at,
    state_dtype,
    view_dtype,
)
from gupai_env.core.heuristic import Feature
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, ONE, WEIGHT, tile_name
from gupai_env.core.variant import Variant, option
from gupai_env.games.phrases import chips, faces, says, seats_from, title
from gupai_env.render import Pile, Place, Scene

SEATS = 4
SETS = (tiles.FULL_SET, tiles.tile_set(tiles.parse_tiles("11 31 42 53 64 66")))  # by deck, full and tiny
DECKS = tuple(map(tiles.deck_of, SETS))
HANDS = (3, 2)  # tiles


@dataclass(frozen=True)
class OneTrick(Variant):
    """The options of the game."""

    stake: int = option(1, "chips that every other seat pays the winner", (1, 2, 5))


Rules = OneTrick.rules_type()
STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("laid", "i1", (SEATS,)),  # the kind that each seat has laid; NOBODY: not yet
)
VIEW = view_dtype(
    SEATS,
    ("leader", "i1"),
    ("turn", "i1"),
    ("hand", "i8"),  # tile sets
    ("unseen", "i8"),
    ("laid", "i1", (SEATS,)),
)


@rule
def deck(rules):
    return DECKS[rules.deck]


@rule
def clear(state):
    state.hands[:] = 0
    state.laid[:] = NOBODY


@rule
def deal_from(rules, state, order):
    size = HANDS[rules.deck]
    clear(state)
    for at in range(rules.players * size):
        state.hands[at // size] += ONE[order[at]]
    state.to_act = state.leader


@rule
def legal_actions(rules, state, mask):
    tiles.write_kinds(tiles.kinds_in(state.hands[state.to_act]), mask, 0)


@rule
def step(rules, state, action):
    state.hands[state.to_act] -= ONE[action]
    state.laid[state.to_act] = action
    state.to_act = seat_after(rules, state, state.to_act)
    state.terminated = state.to_act == state.leader


@rule
def payoffs(rules, state, out):
    winner = state.leader
    for steps in range(1, rules.players):
        seat = seat_at(rules, state, state.leader, steps)
        if WEIGHT[state.laid[seat]] > WEIGHT[state.laid[winner]]:
            winner = seat
    out[: rules.players] = -rules.stake
    out[winner] = rules.stake * (rules.players - 1)


@rule
def next_deal(rules, state):
    state.leader = seat_after(rules, state, state.leader)


@rule
def information_set(rules, state, seat, view, history=True):
    begin_view(rules, state, seat, view)
    view.leader = distance(rules, state, seat, state.leader)
    view.turn = distance(rules, state, state.leader, state.to_act)
    view.hand = state.hands[seat]
    view.unseen = SETS[rules.deck] - state.hands[seat]
    view.total[:] = 0
    view.laid[:] = NOBODY
    for place in range(rules.players):
        other = seat_at(rules, state, seat, place)
        view.total[place] = state.total[other]
        view.laid[place] = state.laid[other]
        if state.laid[other] != NOBODY:
            view.unseen -= ONE[state.laid[other]]


@rule
def determinize(rules, view, key, state):
    clear(state)
    resume_from(view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.to_act = seat_at(rules, state, state.leader, view.turn)
    hidden = np.empty(len(tiles.DECK), np.int8)
    shuffle(hidden[: tiles.list_tiles(view.unseen, hidden)], derive(key, 1))
    used = 0
    for place in range(rules.players):
        seat = seat_at(rules, state, view.seat, place)
        state.total[seat] = view.total[place]
        state.laid[seat] = view.laid[place]
        state.hands[seat] = view.hand if place == 0 else 0
        for _ in range(HANDS[rules.deck] - (view.laid[place] != NOBODY) if place else 0):
            state.hands[seat] += ONE[hidden[used]]
            used += 1


@rule
def history(rules, state, order, actions):
    at, left = 0, SETS[rules.deck]
    for seat in range(rules.players):
        held = state.hands[seat] + (ONE[state.laid[seat]] if state.laid[seat] != NOBODY else 0)
        at, left = at + tiles.list_tiles(held, order[at:]), left - held
        actions[distance(rules, state, state.leader, seat)] = state.laid[seat]
    tiles.list_tiles(left, order[at:])
    return distance(rules, state, state.leader, state.to_act)


LAYOUT = Layout(
    (
        Section("hand", (KINDS,), 2, "copies of each kind in your hand"),
        Section("unseen", (KINDS,), 2, "copies of each kind in places one does not see"),
        Section("laid", (SEATS, KINDS), 1, "the tile that each seat has laid, one-hot"),
        Section("leader", (SEATS,), 1, "who led, one-hot"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    tiles.write_counts(view.hand, out, AT.hand)
    tiles.write_counts(view.unseen, out, AT.unseen)
    for place in range(SEATS):
        if view.laid[place] != NOBODY:
            out[AT.laid + place * KINDS + view.laid[place]] = 1
    out[AT.leader + view.leader] = 1


FEATURES = (Feature("pips", "pips of the tile", "pips", 2, 12),)
HEURISTICS = {"greedy": {"pips": 1}}


@rule
def score(view, action, weights):
    return weights[0] * WEIGHT[action]


def table(game, variant, views, names, payoffs):
    near, own, places = views[0], {int(view.seat): view for view in views}, []
    for place, seat in enumerate(seats_from(near, variant.players)):
        laid = bool(near.laid[place] != NOBODY)
        held = {"hidden": HANDS[variant.deck == "tiny"] - laid}
        hand = Pile("hand", **({"tiles": faces(own[seat].hand)} if seat in own else held))
        lays = Pile("lays", faces(ONE[near.laid[place]]) if laid else (), capacity=1)
        mover = not payoffs and place == (near.leader + near.turn) % variant.players
        note = chips(payoffs[seat]) if payoffs else ""
        places.append(Place(names[seat], (hand, lays), to_act=mover, note=note))
    before = (near.leader + near.turn - 1) % variant.players
    last = "The tiles are dealt"
    if near.laid[before] != NOBODY:
        last = says(places[before].name, "{name} lays {tile}", "{name} lay {tile}", tile=tile_name(near.laid[before]))
    return Scene(title(game, variant), places=tuple(places), last_move=last)


GAME = Game(
    __name__,
    id="one-trick",
    title="One Trick",
    version=0,
    variant=OneTrick,
    rules_type=Rules,
    max_seats=SEATS,
    max_decisions=SEATS,
    moves=tuple(Move("lay", (kind,), to="lays") for kind in range(KINDS)),
    encoder=Encoder("one-trick", 0, LAYOUT),
    payoff_bound=lambda variant: float(variant.stake * (variant.players - 1)),
    table=table,
)
gupai_env.register(GAME)
