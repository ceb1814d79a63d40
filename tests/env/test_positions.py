"""Positions taken from deals and set up by hand again go on like the deals."""

from functools import partial

import numpy as np
import pytest

from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.games.ce_deng.rules import REDEAL
from gupai_env.games.connecting.rules import DISCARD, KINDS, ends_after
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.positions import (
    ce_deng,
    da_ling,
    deer_hunt,
    ding_niu,
    jie_long,
    pai_gow,
    shi_wu_hu,
    small_mahjong,
    tien_gow,
    tiu_u,
)
from variants import PAIR_NAMES, PAIRS
from walks import envs_of, options_of, sample, set_up


def pairs(tiles):
    """A tile set as pairs of numbers."""
    return [tuple(map(int, PIPS[kind])) for kind in tiles_in(tiles)]


def line_of(state, both_ends):
    """The tiles of the record as they lie."""
    line, ends = [], np.zeros(2, np.int8)
    for action in map(int, state.record[: state.turn]):
        if action < DISCARD:
            kind, end = action % KINDS, action // KINDS
            joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
            if both_ends and line and ends[0] == joins:
                line.insert(0, (leaves, joins))
            else:
                line.append((joins, leaves))
            ends[:] = ends_after(ends, kind, end, both_ends)
    return line


# What was dealt and what is set up by hand


def connecting_tiles(variant, state):
    """What `from_tiles` of a connecting game is given for a state."""
    both_ends = variant.open_ends == 2 if hasattr(variant, "open_ends") else state.dtype == ding_niu.GAME.state
    hands, discards = (
        [pairs(place[seat]) for seat in range(variant.players)] for place in (state.hands, state.discards)
    )
    tiles = {"hands": hands, "layout": line_of(state, both_ends), "discards": discards}
    return tiles | {"leader": int(state.leader), "last_player": seat_of(state.last_player)}


def seat_of(seat):
    return None if seat == NOBODY else int(seat)


def named(kinds):
    """Kinds, in this order, as pairs of numbers."""
    return [tuple(map(int, PIPS[kind])) for kind in kinds]


def rebuilt_ce_deng(variant, state, options):
    position = ce_deng.from_tiles(**connecting_tiles(variant, state), **options)
    while position.state.rights != state.rights:
        position.play("play on")
    return position


def rebuilt_ding_niu(variant, state, options):
    maker = seat_of(state.maker)
    if maker is not None and variant.exempt_forced_maker:
        return None  # whether it had another tile to play, the tiles do not tell
    return ding_niu.from_tiles(**connecting_tiles(variant, state), maker=maker, **options)


def rebuilt_da_ling(variant, state, options):
    dealt = Position(da_ling.GAME, variant, np.array([state]).view(np.recarray))
    splits = [
        None if split == UNSPLIT else da_ling.GAME.action_name(int(split), dealt.view(seat))
        for seat, split in enumerate(state.splits[: variant.players])
    ]
    hands = [pairs(state.hands[seat]) for seat in range(variant.players)]
    return da_ling.from_tiles(pairs(state.table), hands, splits, leader=int(state.leader), **options)


def rebuilt_fishing(module, variant, state, options):
    hands, catches = ([pairs(place[seat]) for seat in range(variant.players)] for place in (state.hands, state.catches))
    return module.from_tiles(
        hands,
        pairs(state.lake),
        named(state.stock[state.turned :]),
        catches,
        drawn=None if state.drawn == NOBODY else named([state.drawn])[0],
        leader=int(state.leader),
        to_act=int(state.to_act),
        **options,
    )


def rebuilt_small_mahjong(variant, state, options):
    seats, mover, offered = range(variant.players), int(state.mover), None
    hands, known, discards = (
        [pairs(place[seat]) for seat in seats] for place in (state.hands, state.known, state.discards)
    )
    if state.offer != NOBODY:
        offered = named([state.offer])[0]
    elif state.new_tile != NOBODY:
        hands[mover].append(hands[mover].pop(hands[mover].index(named([state.new_tile])[0])))
    position = small_mahjong.from_tiles(
        hands,
        named(state.wall[state.top :]),
        [[pairs(meld) for meld in state.melds[seat] if meld] for seat in seats],
        discards,
        turn=mover,
        offered=offered,
        claimed=known,
        leader=int(state.leader),
        **options,
    )
    while position.state.to_act != state.to_act:
        position.play("pass")
    return position


def rebuilt_tien_gow(variant, state, options):
    """From the beginning of the trick on the table, whose moves are played."""
    before, moves = trick_of(variant, state)
    seats = range(variant.players)
    position = tien_gow.from_tiles(
        [pairs(before.hands[seat]) for seat in seats],
        before.taken[: variant.players].tolist(),
        [pairs(before.played[seat]) for seat in seats],
        [pairs(before.discards[seat]) for seat in seats],
        to_lead=int(before.to_act),
        leader=int(state.leader),
        streak=int(state.streak),
        **options,
    )
    position.state.bonus = before.bonus
    return position.play(*moves)


def trick_of(variant, state):
    """The state in which the trick on the table began, and the actions since."""
    dealt = Position(tien_gow.GAME, variant, np.array([state]).view(np.recarray))
    order, actions = np.zeros(len(tien_gow.GAME.deck(dealt.rules)), np.int8), np.zeros(32, np.int16)
    moves = actions[: tien_gow.GAME.history(dealt.rules, state, order, actions)].tolist()
    tien_gow.GAME.deal_from(dealt.rules, dealt.state, order)
    begun, before = 0, dealt.state.copy()
    for number, move in enumerate(moves):
        dealt.step(move)
        if dealt.state.tiles == 0:
            begun, before = number + 1, dealt.state.copy()
    return before, moves[begun:]


def rebuilt_deer_hunt(variant, state, options):
    hands, taken = ([pairs(place[seat]) for seat in range(4)] for place in (state.hands, state.taken))
    trick = state.record[state.plays - state.lying : state.plays]
    seats = {"to_act": int(state.to_act), "leader": int(state.leader)}
    return deer_hunt.from_tiles(hands, named(trick), taken, pairs(state.escaped), **seats, **options)


def rebuilt_pai_gow(variant, state, options):
    dealt = Position(pai_gow.GAME, variant, np.array([state]).view(np.recarray))
    splits = [
        None if split == UNSPLIT else pai_gow.GAME.action_name(int(split), dealt.view(seat))
        for seat, split in enumerate(state.splits[: variant.players])
    ]
    hands = [pairs(state.hands[seat]) for seat in range(variant.players)]
    return pai_gow.from_tiles(hands, splits, leader=int(state.leader), **options)


REBUILT = {
    "jie-long": lambda variant, state, options: jie_long.from_tiles(**connecting_tiles(variant, state), **options),
    "ce-deng": rebuilt_ce_deng,
    "ding-niu": rebuilt_ding_niu,
    "da-ling": rebuilt_da_ling,
    "tiu-u": partial(rebuilt_fishing, tiu_u),
    "shi-wu-hu": partial(rebuilt_fishing, shi_wu_hu),
    "small-mahjong": rebuilt_small_mahjong,
    "tien-gow": rebuilt_tien_gow,
    "deer-hunt": rebuilt_deer_hunt,
    "pai-gow": rebuilt_pai_gow,
}
SET_UP = {"ce-deng": (REDEAL,)}  # a redeal is drawn from the key of the episode
ENVS = 6


def with_rebuilt(game, variant):
    """States from the beginning and the middle of deals, and the same as their tiles are set up by hand."""
    options = {name: value for name, value in options_of(variant).items() if name != "leader"}
    envs = envs_of(game, variant, ENVS, seed=3)
    states, built = [], []
    for step in range(26):
        if step in (0, 4, 11, 25):
            for state in envs.states.copy():
                position = REBUILT[game.id](variant, state, options)
                if position is not None:
                    states.append(state)
                    built.append(position.state)
        envs.step(envs.sample(step))
    return (np.array(each).view(np.recarray) for each in (states, built))


def outcome(game, variant, state):
    """Who has won and who leads next."""
    ended = Position(game, variant, np.array([state]).view(np.recarray))
    drawn = getattr(variant, "banker", "") == "random"  # from the key of the episode
    return ended.winner() if hasattr(game.positions, "winner") else None, None if drawn else ended.next_leader()


@pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)
def test_position_built_from_a_deal_goes_on_like_it(game, variant):
    states, built = with_rebuilt(game, variant)
    dealt, by_hand = set_up(game, variant, states), set_up(game, variant, built)
    step = 0
    while not dealt.terminated.all():
        np.testing.assert_array_equal(by_hand.seats, dealt.seats)
        np.testing.assert_array_equal(by_hand.masks, dealt.masks)
        actions = sample(dealt, step, SET_UP.get(game.id, ()))
        np.testing.assert_array_equal(*(each.step(actions)[0] for each in (by_hand, dealt)))
        step += 1
    assert by_hand.terminated.all()
    for one, other in zip(by_hand.states, dealt.states, strict=True):
        assert outcome(game, variant, one) == outcome(game, variant, other)
