"""Ding Niu: who knows what, what a seat can foresee, the deals that fit it, and the observation."""

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.byte_rows import copy_entries
from gupai_env.core.episode import NOBODY, distance, view_dtype
from gupai_env.core.layout import Layout, Section
from gupai_env.core.memory import blank
from gupai_env.core.rule import rule
from gupai_env.core.tiles import CARRYING, DOUBLES, HIGHEST, KINDS, ONE, PIPS, first_kind, kinds_in, size, weight
from gupai_env.games.connecting import knowledge as connecting
from gupai_env.games.connecting.encoder import SECTIONS, encode_table
from gupai_env.games.connecting.knowledge import VIEW_FIELDS, open_view
from gupai_env.games.connecting.rules import DISCARD, SEATS, ends_after
from gupai_env.games.ding_niu.rules import (
    BY_POINTS,
    CLASSIC,
    DECK_SETS,
    DECKS,
    DOUBLES_LAID,
    NONE,
    NOTHING_FITS,
    PLAYED_ON,
    RUNNING_SET,
    SMOTHERED,
    THREAT,
    clear,
    has_no_way_out,
    made_by,
    off_layout,
)

VIEW = view_dtype(
    SEATS,
    *VIEW_FIELDS,
    ("players", "i1"),
    ("smothered_numbers", "i1"),  # what the options of these names say
    ("after_suan_zhang", "i1"),
    ("can_block", "i1"),  # a suan zhang can still be made
    ("suan_zhang", "i1"),
    ("maker", "i1"),
    ("exempt", "i1"),  # the viewer is the maker and will not be charged
    ("left", "i8"),  # tiles that are not doubles and not on the layout, wherever they are
    ("makes", "i1", (DISCARD,)),  # the suan zhang that each play of the viewer's would make now
    ("losing", "i1", (DISCARD,)),  # it looks lost if all others hold what they do on average
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`."""
    open_view(rules, state, seat, DECK_SETS[rules.deck], rules.forced_play, view, history)
    view.players = rules.players
    view.smothered_numbers = rules.smothered_numbers
    view.after_suan_zhang = rules.after_suan_zhang
    view.can_block = rules.suan_zhang and state.suan_zhang == NONE
    view.suan_zhang = state.suan_zhang
    view.maker = NOBODY if state.maker == NOBODY else distance(rules, state, seat, state.maker)
    view.exempt = state.exempt if state.maker == seat else 0
    view.left = off_layout(rules, state.played)
    view.makes[:] = NONE
    view.losing[:] = 0
    if view.can_block and not state.terminated:
        foresee(rules, view)


@rule
def foresee(rules, view):
    """Fill `makes` and `losing` of a view: what each play that the hand allows would lead to."""
    threat = THREAT[gather(kinds_in(view.left), RUNNING_SET), view.ends[0], view.ends[1]]
    if view.ends[0] == 0 or threat & (NOTHING_FITS | rules.smothered_numbers) == 0:
        return
    kinds = kinds_in(view.hand) & ~DOUBLES & (CARRYING[view.ends[0]] | CARRYING[view.ends[1]])
    while kinds:
        kind = first_kind(kinds)
        kinds -= ONE[kind]
        for end in range(2):
            joins = PIPS[kind, 1 - end]
            if joins in (view.ends[0], view.ends[1]):
                made = made_by(rules, view.left, view.ends, kind, end)
                if made != NONE:
                    action = KINDS * end + kind
                    view.makes[action] = made
                    view.losing[action] = is_losing(rules, view, kind, end, made)


@rule
def is_losing(rules, view, kind, end, made):
    """True if this suan zhang would be charged, were all tiles that are not seen of the same weight.

    Where points are settled nobody is charged, and it is lost if another seat then has fewer of them.
    """
    one, other = ends_after(view.ends, kind, end, True)
    free = free_doubles(view, made, one, other)
    hand = (view.hand - ONE[kind]) & ~free
    if rules.settlement != BY_POINTS:
        if rules.spare_pointless_maker and view.discards + hand == 0:
            return False
        if rules.exempt_forced_maker and has_no_way_out(rules, view.hand, view.left, view.ends):
            return False
    return lead_of(view, hand, free) < 0


@rule
def free_doubles(view, made, end, other):
    """Return the doubles that cost nobody anything after a suan zhang with these numbers open."""
    after = view.after_suan_zhang
    if after == DOUBLES_LAID or (after == PLAYED_ON and made == CLASSIC):
        return 7 * (DOUBLES & (CARRYING[end] | CARRYING[other]))
    return 0


@rule
def lead_of(view, hand, free):
    """Return the pips that the viewer counts less than the seat that has laid most, times the unseen tiles.

    hand: the tiles that it counts besides its discards. Unseen tiles are taken to be of the same weight, `free` ones
    to weigh nothing.
    """
    points = weight(view.discards + hand)
    return fewest_tiles(view) * weight(view.unseen & ~free) - points * size(view.unseen)


@rule
def fewest_tiles(view):
    """Return how many tiles, seen by none, the other seat that has laid most counts."""
    fewest = int(view.hand_size)
    for offset in range(1, view.players):
        fewest = min(fewest, int(view.sizes[offset] + view.drops[offset]))
    return fewest


@rule
def possible(rules, view, state, tiles, offsets, turns):
    """True, for any filling could be; finds in it whether the maker of a suan zhang had another play."""
    if rules.exempt_forced_maker and view.maker > 0:
        made_at = 0
        for turn in range(view.turn):
            if view.record[turn] < DISCARD and DOUBLES & ONE[view.record[turn] % KINDS] == 0:
                made_at = turn  # only doubles were laid after it
        ends = blank(2, np.int8)
        hand = np.int64(0)
        for turn in range(view.turn):
            action = view.record[turn]
            if action < DISCARD:
                if turn < made_at:
                    ends[0], ends[1] = ends_after(ends, action % KINDS, action // KINDS, True)
                elif (view.leader + turn) % rules.players == view.maker:
                    hand += ONE[action % KINDS]
        for slot in range(len(tiles)):
            if offsets[slot] == view.maker and turns[slot] > made_at:
                hand += ONE[tiles[slot]]
        remaining = view.left + ONE[view.record[made_at] % KINDS]
        state.exempt = has_no_way_out(rules, hand, remaining, ends)
    return True


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals and discards that the view allows."""
    clear(state)
    state.suan_zhang = view.suan_zhang
    if view.maker != NOBODY:
        state.maker = (view.seat + view.maker) % rules.players
    state.exempt = view.exempt
    connecting.determinize(possible, rules, view, len(DECKS[rules.deck]), rules.forced_play, True, key, state)


LAYOUT = Layout(
    (
        *SECTIONS,
        Section("left", (HIGHEST,), 8, "tiles with the number, no doubles, that are not on the layout"),
        Section(
            "makes",
            (2, KINDS),
            SMOTHERED,
            "1: laying the kind, high or low end open, is a classic suan zhang; 2: a smothered one",
        ),
        Section("losing", (2, KINDS), 1, "the same play looks lost if all others hold the average"),
        Section("suan_zhang", (1,), SMOTHERED, "1: a classic suan zhang was made, 2: a smothered one"),
        Section("maker", (SEATS,), 1, "who made it, one-hot"),
        Section("exempt", (1,), 1, "one made it and had no other play"),
    )
)
AT = LAYOUT.starts


@rule
def encode(view, out):
    """Fill `out`, a cleared int8 [LAYOUT.size]."""
    encode_table(view, out)
    for number in range(HIGHEST):
        out[AT.left + number] = size(view.left & (7 * CARRYING[number + 1]))
    copy_entries(view.makes, 0, out, AT.makes, DISCARD)
    copy_entries(view.losing, 0, out, AT.losing, DISCARD)
    out[AT.suan_zhang] = view.suan_zhang
    if view.maker >= 0:
        out[AT.maker + int(view.maker)] = 1
    out[AT.exempt] = view.exempt
