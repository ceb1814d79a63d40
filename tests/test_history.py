"""A deal under way told from its beginning: played again it comes to the same state, move by move within the rules."""

import numpy as np
import pytest

from gupai_env import Lanes
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from variants import VARIANT_NAMES, VARIANTS
from walks import lanes_of

# What says nothing of the deal: chance and counters of the episode, and the redeals that were before it.
ASIDE = {"seed", "moves", "redeals", "payoff", "settled"}


def replayed(game: Game, lanes: Lanes, state: np.record) -> np.record:
    """The state to which the history of one leads; each of its moves must be legal."""
    rules = lanes.rules
    order = np.full(len(game.deck(rules)), -1, np.int8)
    actions = np.zeros(game.max_decisions, np.int16)
    moves = game.history(rules, state, order, actions)
    np.testing.assert_array_equal(np.sort(order), game.deck(rules))
    past = np.array([state]).view(np.recarray)[0]
    past.over = 0
    game.deal_from(rules, past, order)
    for action in actions[:moves]:
        mask = np.zeros(game.num_actions, bool)
        game.legal_actions(rules, past, mask)
        assert mask[action], game.action_name(action)
        game.step(rules, past, int(action))
    return past


def story(game: Game, state: np.record) -> dict[str, list]:
    """The fields of a state that tell the deal, without what is of no meaning in them."""
    fields = {name: np.array(state[name]) for name in game.state.names if name not in ASIDE}
    if game.id == "small-mahjong":
        drew = (fields["begun"] == 0) & (np.arange(len(fields["begun"])) < state.turns)
        fields["drawn"] = np.where(drew, fields["drawn"], 0)
        fields["wall"][: state.top] = 0
        mine = [seat for seat in range(4) if seat != state.mover or state.offer >= 0]
        fields["waits"], fields["claims"] = fields["waits"][mine], fields["claims"][mine]
        for name in ("steps", "begun", "thrown"):
            fields[name] = fields[name][: state.turns]
    if game.id == "tiu-u":
        fields["stock"][: state.turned] = 0
        fields["record"] = fields["record"][: state.plays]
    return {name: field.tolist() for name, field in fields.items()}


SOME = slice(None, None, 5)  # no divisor of how many values the options have, so each of them is met


@pytest.mark.parametrize(("game", "variant"), VARIANTS[SOME], ids=VARIANT_NAMES[SOME])
def test_a_history_leads_to_the_state_that_it_tells(game: Game, variant: Variant):
    lanes = lanes_of(game, variant, 3, seed=41)
    for step in range(12):
        if step in (0, 5, 11):
            views, keys = lanes.views()
            drawn = game.new_states(3)
            lanes.kernels.determinize(lanes.rules, views, keys, drawn)
            for state in (*lanes.states, *drawn):
                assert story(game, replayed(game, lanes, state)) == story(game, state)
        lanes.step(lanes.sample(step))
