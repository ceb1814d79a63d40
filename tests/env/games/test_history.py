"""A deal under way told from its beginning: played again it comes to the same state, move by move within the rules."""

import numpy as np
import pytest

from gupai_env import VectorEnv, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.tiles import parse_tiles
from gupai_env.core.variant import Variant
from gupai_env.games.ce_deng.rules import PLAY_ON
from tables import stacked
from variants import VARIANT_NAMES, VARIANTS
from walks import envs_of, sample, views_of

# What says nothing of the deal: chance and counters of the episode, and the redeals that were before it.
ASIDE = {"seed", "moves", "redeals", "payoff", "settled"}


def replayed(game: Game, envs: VectorEnv, state: np.record) -> np.record:
    """The state to which the history of one leads; each of its moves must be legal."""
    past = Deal(game, envs.variant, np.array([state]).view(np.recarray))
    order = np.full(len(game.deck(past.rules)), -1, np.int8)
    actions = np.zeros(game.max_decisions, np.int16)
    moves = game.history(past.rules, state, order, actions)
    np.testing.assert_array_equal(np.sort(order), game.deck(past.rules))
    past.state.terminated = 0
    game.deal_from(past.rules, past.state, order)
    for action in actions[:moves].tolist():
        assert past.mask()[action], game.action_name(action)
        past.step(action)
    return past.state


def story(game: Game, state: np.record) -> dict[str, list]:
    """The fields of a state that tell the deal, without what is of no meaning in them."""
    fields = {name: np.array(state[name]) for name in game.state.names if name not in ASIDE}
    if game.id == "small-mahjong":
        fields["log"] = fields["log"][: state.turns]
        fields["wall"][: state.top] = 0
        mine = [seat for seat in range(4) if seat != state.mover or state.offer >= 0]
        fields["waits"], fields["claims"] = fields["waits"][mine], fields["claims"][mine]
    if game.id in ("tiu-u", "shi-wu-hu"):
        fields["stock"][: state.turned] = 0
    if game.id in ("tiu-u", "shi-wu-hu", "tien-gow", "deer-hunt"):
        fields["record"] = fields["record"][: state.plays]
    return {name: field.tolist() for name, field in fields.items()}


SOME = slice(None, None, 5)  # no divisor of how many values the options have, so each of them is met


@pytest.mark.parametrize(("game", "variant"), VARIANTS[SOME], ids=VARIANT_NAMES[SOME])
def test_history_leads_to_its_state(game: Game, variant: Variant):
    envs = envs_of(game, variant, 3, seed=41)
    for step in range(12):
        if step in (0, 5, 11):
            views, rng_keys = envs.views()
            others = views_of(envs, envs.states, step % variant.players)  # of some that are not to act too
            drawn, elsewhere = game.new_states(3), game.new_states(3)
            envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
            envs.kernels.determinize(envs.rules, others, rng_keys, elsewhere)
            for state in (*envs.states, *drawn, *elsewhere):
                assert story(game, replayed(game, envs, state)) == story(game, state)
        envs.step(envs.sample(step))


LATE = [("jie-long", {"forced_play": True}), ("ding-niu", {"after_suan_zhang": "play_on"})]


@pytest.mark.parametrize(("name", "options"), LATE, ids=str)
def test_forgotten_discards_are_forced_ones(name, options):
    """Late in a deal: who must play discards at each turn what did not fit then."""
    game, discards = get_game(name), set(range(42, 63))
    envs, several = VectorEnv(name, 12, seed=43, renew=False, **options), 0
    for step in range(18):
        if step == 17:
            views, rng_keys = envs.views()
            drawn = game.new_states(12)
            envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
            for state in drawn[~envs.terminated]:
                assert story(game, replayed(game, envs, state)) == story(game, state)
                mine = state.record[: state.turn][(-state.leader + state.to_act) % envs.variant.players :]
                several += len(discards & {*mine[:: envs.variant.players].tolist()}) > 1
        envs.step(np.where(envs.terminated, -2, sample(envs, step)))
    assert several


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("leader", [0, 1, 2])
def test_history_contains_the_answers_before_the_play(leader, direction):
    """Seats 0 and 2 of Ce Deng hold six doubles each; who comes first in the order of turn is asked first."""
    game = get_game("ce-deng")
    envs = VectorEnv(game, 1, redeal_doubles=6, leader=leader)
    hands = "66 66 44 44 11 11 65 64", "65 64 61 61 63 53 52 51", "55 33 33 22 22 31 31 55"
    deck = game.deck(envs.rules).tolist()
    for kind in (dealt := parse_tiles(" ".join(hands))):
        deck.remove(kind)
    deal = stacked(game, envs.variant, [*dealt, *deck])
    state = deal.state
    state.direction = direction
    game.deal_from(deal.rules, state, np.array([*dealt, *deck], np.int8))
    second = 2 if leader == 0 or (leader, direction) == (1, -1) else 0
    for rights in (0b101, 1 << second, 0):
        assert (state.rights, state.to_act) == (rights, {0b101: 2 - second, 0: leader}.get(rights, second))
        assert story(game, replayed(game, envs, state)) == story(game, state)
        if rights:
            deal.advance(PLAY_ON)
    for _ in range(10):
        deal.advance(int(deal.mask().argmax()))
        assert story(game, replayed(game, envs, state)) == story(game, state)


def test_history_of_a_redealt_position_splits_the_hand_first():
    """Da Ling: who else has split nobody knows; the deal goes on from the seat that knows of itself that it has."""
    envs = VectorEnv("da-ling", 20, seed=44)
    seats = envs.seats.copy()
    envs.step(envs.sample(1))
    views = np.zeros(20, envs.game.view).view(np.recarray)
    for row, seat in enumerate(seats.tolist()):
        envs.kernels.view_of(envs.rules, envs.states[row : row + 1], seat, views[row : row + 1])
    drawn = envs.game.new_states(20)
    envs.kernels.determinize(envs.rules, views, np.arange(20), drawn)
    for state, seat in zip(drawn, seats, strict=True):
        assert state.leader == seat != state.to_act
        assert story(envs.game, replayed(envs.game, envs, state)) == story(envs.game, state)
