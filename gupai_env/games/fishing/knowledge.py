"""Who knows what in a fishing game, the deals that fit it, and the observation."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.byte_rows import adding, copy_entries, write_row
from gupai_env.core.episode import (
    NOBODY,
    begin_view,
    deal_listed,
    distance,
    resume_from,
    rotate_back,
    seat_at,
    view_dtype,
    write_match,
)
from gupai_env.core.layout import MATCH_SECTIONS, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, shuffle_first
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS, MOST_TILES, ONE, counts_of, list_tiles, size, tiles_in, write_counts
from gupai_env.games.fishing.rules import SEATS


def fishing_view(plays: int, *own: tuple[Any, ...]) -> np.dtype:
    """Return the dtype of a view: what fishing games share, with the fields of the game's `own`."""
    return view_dtype(
        SEATS,
        ("leader", "i1"),
        ("mover", "i1"),  # whose turn it is
        ("last_player", "i1"),
        ("hand", "i8"),
        ("drawn", "i1"),  # the kind from the stock that the mover must play now, or NOBODY
        ("lake", "i8"),
        ("fish", "i8"),  # the kinds of the lake of which one tile may be caught
        ("catches", "i8", (SEATS,)),
        ("points", "i2", (SEATS,)),  # of the catches
        *own,
        ("laid", "i8", (SEATS,)),
        ("unseen", "i8"),  # all tiles in the other hands and the stock
        ("sizes", "i1", (SEATS,)),  # tiles in hand
        ("stock", "i1"),  # tiles in the stock
        ("bites", "i1", (KINDS,)),  # tiles of the lake of which a bait of this kind may catch one
        ("rivals", "i1", (KINDS,)),  # unseen tiles that match this kind
        ("plays", "i1"),
        ("record", "i1", (plays,)),
    )


@rule
def open_view(rules, state, seat, deck_set, fish, view, history):
    """Fill what fishing games share of the view of `seat`, and return all tiles that it does not hold or see in play.

    `see_place` continues for each seat, whose catch is not unseen either, and the caller fills `unseen`, `bites` and
    `rivals`. `fish` are the kinds of which one tile may be caught out of the lake.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Who sees it.
        deck_set: All tiles, a tile set.
        fish: Kinds of which one tile may be caught out of the lake, a set of kinds.
        view: Is written.
        history: Whether the view has the history of the deal.
    """
    begin_view(rules, state, seat, view)
    view.leader = distance(rules, state, seat, state.leader)
    view.mover = distance(rules, state, seat, state.to_act)
    view.last_player = NOBODY
    if state.last_player != NOBODY:
        view.last_player = distance(rules, state, seat, state.last_player)
    view.hand = state.hands[seat]
    view.drawn = state.drawn
    view.lake = state.lake
    view.fish = fish
    view.stock = len(state.stock) - state.turned
    view.plays = state.plays
    if history:
        copy_entries(state.record, 0, view.record, 0, len(state.record))
    unseen = deck_set - state.lake - state.hands[seat]
    if state.drawn != NOBODY:
        unseen -= ONE[state.drawn]
    return unseen


@rule
def see_place(state, view, offset, seat):
    """Fill what fishing games share of what all know of a seat, `offset` turns after the viewer.

    Args:
        state: The deal.
        view: Is written.
        offset: Turns after the viewer.
        seat: Who is there.
    """
    view.catches[offset] = state.catches[seat]
    view.points[offset] = state.points[seat]
    view.laid[offset] = state.laid[seat]
    view.sizes[offset] = size(state.hands[seat])


def match_counter(matches: np.ndarray) -> Callable[..., Any]:
    """Return count_matches(tiles, out, at), which writes for each kind how many tiles of a set match it, int8.

    `matches`, int64 [KINDS], are the kinds that match each kind.
    """
    add_up = adding([tiles_in(kinds) for kinds in matches])

    @rule
    def count_matches(tiles, out, start):
        add_up(counts_of(tiles), out, start)

    return count_matches


@rule
def determinize(rules, view, key, state):
    """Fill a cleared state: the unseen tiles lie in the other hands and the stock in any order, all alike.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        key: An RNG key.
        state: Is written, a cleared state.
    """
    resume_from(rules, view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.to_act = seat_at(rules, state, view.seat, view.mover)
    if view.last_player != NOBODY:
        state.last_player = seat_at(rules, state, view.seat, view.last_player)
    state.hands[view.seat] = view.hand
    state.lake = view.lake
    state.turned = len(state.stock) - view.stock
    state.drawn = view.drawn
    state.plays = view.plays
    write_row(state.record, view.record)
    tiles = scratch(MOST_TILES, np.int8)
    total = list_tiles(view.unseen, tiles)
    shuffle_first(tiles, total, derive(key, 1))
    dealt = deal_listed(rules, state, view.seat, tiles, view.sizes)
    write_row(state.stock[state.turned :], tiles[dealt:total])  # those turned up are public and not needed any more
    rotate_back(rules, state, view.seat, view.catches, state.catches)
    rotate_back(rules, state, view.seat, view.points, state.points)
    rotate_back(rules, state, view.seat, view.laid, state.laid)


def fishing_layout(hand: int, stock: int, matches: int, *own: Section) -> Layout:
    """Return the layout of an observation: what fishing games share, with the sections of the game's `own`.

    Args:
        hand: Tiles of the largest hand.
        stock: Tiles of the largest stock.
        matches: The most tiles that match one kind.
        own: Sections about the catches.
    """
    return Layout(
        (
            Section("hand", (KINDS,), 4, "copies of each kind in your hand"),
            Section("drawn", (KINDS,), 1, "the tile of the stock to be played now, one-hot; all 0: none"),
            Section("lake", (KINDS,), 4, "copies of each kind in the lake"),
            Section("bites", (KINDS,), matches, "tiles of the lake of which a bait of the kind may catch one"),
            Section("rivals", (KINDS,), matches, "unseen tiles that match the kind"),
            Section("unseen", (KINDS,), 4, "copies of each kind in the other hands and the stock"),
            Section("catches", (SEATS, KINDS), 4, "copies of each kind caught, by seat"),
            Section("laid", (SEATS, KINDS), 4, "copies of each kind laid from the hand, by seat"),
            *own,
            Section("sizes", (SEATS,), hand, "tiles in each hand"),
            Section("stock", (1,), stock, "tiles in the stock"),
            Section("mover", (SEATS,), 1, "whose turn it is, one-hot"),
            Section("leader", (SEATS,), 1, "who led, one-hot"),
            *MATCH_SECTIONS,
        )
    )


@rule
def encode_place(view, out, starts, place):
    """Fill what fishing games share of the sections by seat.

    Args:
        view: What a seat knows.
        out: The observation, int8 [layout.size].
        starts: Where its sections begin.
        place: Turns after the viewer.
    """
    write_counts(view.catches[place], out, starts.catches + place * KINDS)
    write_counts(view.laid[place], out, starts.laid + place * KINDS)
    out[starts.sizes + place] = view.sizes[place]


@rule
def encode_table(view, out, starts):
    """Fill the other sections that fishing games share, except for bites and rivals; `at` is where sections start.

    A game counts these again: to read them from the view would wait for its bytes, and the count in the view is left
    out where nobody reads it.

    Args:
        view: What a seat knows.
        out: The observation, int8 [layout.size].
        starts: Where its sections begin.
    """
    write_counts(view.hand, out, starts.hand)
    write_counts(view.lake, out, starts.lake)
    write_counts(view.unseen, out, starts.unseen)
    if view.drawn != NOBODY:
        out[starts.drawn + int(view.drawn)] = 1
    out[starts.stock] = view.stock
    out[starts.mover + int(view.mover)] = 1
    out[starts.leader + int(view.leader)] = 1
    write_match(view, out, starts)
