"""Exact worth of policies: against a naive recursion, against published figures, and what training reaches."""

import dataclasses
import itertools
import zlib
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import GameTree, build_tree
from gupai_agents.evaluation.exact import tree as exact
from gupai_agents.evaluation.exact.tree import build_tree_of_sides, solve
from gupai_env import GAMES, get_game
from gupai_env.core.deal import Deal
from gupai_env.deals import Deals, all_deals
from trees import tiny_tree

TINY = {"deck": "tiny", "players": 2}
FORCED = {**TINY, "forced_play": True}


class Whimsical:
    """Plays by probabilities that look arbitrary and depend on the view alone."""

    name = "whimsical"

    def probabilities(self, turns):
        weights = np.zeros(turns.masks.shape)
        for row, action in zip(*np.nonzero(turns.masks), strict=True):
            weights[row, action] = zlib.crc32(content(turns.views[row]) + bytes([action])) % 5 + 0.1
        return weights / weights.sum(1, keepdims=True)

    def act(self, turns):
        raise NotImplementedError


def content(record):
    """The bytes of all fields, without what lies between them."""
    return b"".join(np.asarray(record[name]).tobytes() for name in record.dtype.names)


# --- the tree, against play by the plain rules ----------------------------------------------------


class Table:
    """A naive player of the plain rules, and the policy of the agent that is asked, by view: it is asked often."""

    def __init__(self, game, variant):
        self.game, self.variant, self.policies = game, variant, {}

    def deals(self):
        """All orders of the deck, one deal each; most are the same deal several times."""
        empty = Deal(self.game, self.variant)
        orders = sorted(set(itertools.permutations(self.game.deck(empty.rules).tolist())))
        leaders = range(self.variant.players) if empty.rules.leader < 0 else [empty.rules.leader]
        for order, leader in itertools.product(orders, leaders):
            deal = Deal(self.game, dataclasses.replace(self.variant, leader=leader))
            deal.start(0, order)
            yield 1 / len(orders) / len(leaders), deal

    def policy(self, agent, deal):
        view = deal.view(deal.seat)
        if content(view) not in self.policies:
            turns = DecisionBatch(np.array([view]).view(np.recarray), deal.mask()[None], np.zeros(1, np.int64))
            self.policies[content(view)] = agent.probabilities(turns)[0]
        return self.policies[content(view)]


@cache
def after(deal, action):
    other = deal.copy()
    other.advance(action)
    return other


def best_response(table, agent, seat, group):
    """What `seat` wins best of a group of (probability, deal, what it has seen) that all look alike to it."""
    won, waiting = 0.0, defaultdict(list)
    group = list(group)
    while group:
        probability, deal, seen = group.pop()
        view = content(deal.view(seat))
        if view != next((each for each in reversed(seen) if isinstance(each, bytes)), None):
            seen = (*seen, view)
        if deal.terminated:
            won += probability * float(deal.state.payoff[seat])
        elif deal.seat == seat:
            waiting[seen].append((probability, deal))
        else:
            policy = table.policy(agent, deal)
            group += [
                (probability * policy[action], after(deal, action), seen) for action in np.flatnonzero(deal.mask())
            ]
    for seen, alike in waiting.items():
        won += max(
            best_response(table, agent, seat, [(p, after(deal, action), (*seen, action)) for p, deal in alike])
            for action in np.flatnonzero(alike[0][1].mask())
        )
    return won


def expected(table, agent, deal):
    """What every seat wins from here on if all play like `agent`."""
    if deal.terminated:
        return deal.state.payoff[: table.variant.players].astype(float)
    policy = table.policy(agent, deal)
    return sum(policy[a] * expected(table, agent, after(deal, a)) for a in np.flatnonzero(policy))


@pytest.mark.parametrize(
    ("name", "options", "few"),
    [("jie-long", {"forced_play": True}, 16), ("small-mahjong", {}, 32)],  # in the latter some decisions do not show
    ids=["jie-long", "small-mahjong"],
)
def test_naive_recursion_equals_values_and_best_responses(name, options, few, monkeypatch):
    game, agent, options = get_game(name), Whimsical(), {**TINY, **options, "leader": 0}
    table = Table(game, game.variant.make(**options))
    deals = merged(itertools.islice(table.deals(), 1000))[:few]  # a smaller game, for plain rules are slow
    assert len(deals) == few
    dealt = sum(probability for probability, _ in deals)
    deals = [(probability / dealt, deal) for probability, deal in deals]
    small = Deals(
        np.concatenate([deal.states for _, deal in deals]), np.array([probability for probability, _ in deals])
    )
    monkeypatch.setattr(exact, "all_deals", lambda *_, **__: small)
    tree = build_tree(name, **options)
    policy = tree.policy([agent, agent])
    value = sum(probability * expected(table, agent, deal) for probability, deal in deals)
    best = [best_response(table, agent, seat, [(p, deal, ()) for p, deal in deals]) for seat in range(2)]
    np.testing.assert_allclose(tree.values(policy), value, rtol=0, atol=1e-9)
    np.testing.assert_allclose(tree.best_responses(policy), best, rtol=0, atol=1e-9)
    assert tree.sets < tree.nodes / 2  # so deals do look alike to a seat
    after.cache_clear()


def merged(deals):
    """Equal deals as one, their probabilities added: only to save the naive recursion time."""
    found, deal_of = defaultdict(float), {}
    for probability, deal in deals:
        found[content(deal.state)] += probability
        deal_of[content(deal.state)] = deal
    return [(probability, deal_of[key]) for key, probability in found.items()]


def test_all_deals_are_the_orders_of_the_deck():
    game = get_game("jie-long")
    deals = all_deals(game, **TINY)
    naive = {content(deal.state): p for p, deal in merged(Table(game, game.variant.make(**TINY)).deals())}
    found = dict(zip(map(content, deals.states), deals.probabilities, strict=True))
    assert found == pytest.approx(naive, abs=1e-12)


def test_match_of_several_deals_is_refused():
    with pytest.raises(ValueError, match=r"^deals=2 is not allowed in exact work; a match is too long, take deals=1$"):
        all_deals("jie-long", **TINY, deals=2)


def test_seat_remembers_more_than_its_view_shows():
    tree = tiny_tree("jie-long")  # where a view forgets in which order one discarded
    views = {(int(seat), content(view)) for seat, view in zip(tree.seats, tree.batch.views, strict=True)}
    assert tree.sets > len(views)


@pytest.mark.parametrize("game", ["ce-deng", "tiu-u", "small-mahjong", "pai-gow"])
def test_tiny_deck_is_one_zero_sum_game_of_chips(game):
    tiny = GAMES[game].variant.tiny_options()
    seats = tiny["players"]
    tree = tiny_tree(game)
    assert tree.probability @ tree.plan(tree.uniform())[tree.ends].prod(1) == pytest.approx(1)
    for name in ("random", next(iter(GAMES[game].heuristics))):
        policy = tree.policy([make_agent(name, game, **tiny)] * seats)
        assert tree.values(policy) == pytest.approx([0] * seats, abs=1e-9)  # each leads as often as the others
        assert (tree.gains(policy) > 0).all()


# --- known figures --------------------------------------------------------------------------------


def kuhn_poker():
    """Kuhn poker in sequence form, written down by hand; actions 0 pass, 1 bet."""
    seats, before, ends, probability, payoffs = [], [], [], [], []
    open_, answer, check, bet = {}, {}, {}, {}  # first sequence of each set, by card
    q = 2
    for table, seat in ((open_, 0), (check, 1), (bet, 1), (answer, 0)):
        for card in range(3):
            before.append(open_[card] if table is answer else seat)
            seats.append(seat)
            table[card] = q
            q += 2
    for a, b in itertools.permutations(range(3), 2):
        high = 1 if a > b else -1
        for mine, theirs, chips in (
            (answer[a], check[b] + 1, -1),  # check, bet, fold
            (answer[a] + 1, check[b] + 1, 2 * high),
            (open_[a], check[b], high),
            (open_[a] + 1, bet[b], 1),
            (open_[a] + 1, bet[b] + 1, 2 * high),
        ):
            ends.append((mine, theirs))
            payoffs.append((chips, -chips))
            probability.append(1 / 6)
    turns = DecisionBatch(np.recarray(12, [("nothing", "i1")]), np.ones((12, 2), bool), np.zeros(12, np.int64))
    columns = (np.array(each) for each in (probability, payoffs, ends, seats))
    alone = get_game("jie-long")  # any game in which everybody plays alone
    return GameTree(alone, None, 6, 58, *columns, turns, np.arange(2, 27, 2), np.array(before), np.array([0, 9, 12]))


def test_kuhn_poker_has_its_published_value_and_exploitability():
    tree = kuhn_poker()
    assert tree.exploitability(tree.uniform()) == pytest.approx(11 / 24)  # as in OpenSpiel's tests: NashConv 11/12
    solved = solve(tree, 2000)
    assert tree.exploitability(solved) < 1e-3
    assert tree.values(solved) == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)


def test_average_policy_wins_the_mean_of_all_rounds(monkeypatch):
    """Of each choice the share is averaged that comes to it: a policy that never goes there has no say."""
    tree, made, in_proportion = kuhn_poker(), [], GameTree.in_proportion
    monkeypatch.setattr(GameTree, "in_proportion", lambda *given: made.append(in_proportion(*given)) or made[-1])
    solved = solve(tree, 5)
    rounds, uniform = made[2::3], tree.uniform()  # a round asks for one more after both seats' own
    owner = np.concatenate([np.arange(2), np.repeat(tree.seats, np.diff(tree.first))])
    for seat in range(2):
        won = [tree.values(np.where(owner == seat, policy, uniform))[seat] for policy in (*rounds[:5], solved)]
        assert won[-1] == pytest.approx(np.average(won[:-1], weights=range(1, 6)))
        assert max(won[:-1]) > min(won[:-1])


def test_exploitability_needs_two_seats():
    three = dataclasses.replace(kuhn_poker(), payoffs=np.zeros((30, 3)))
    with pytest.raises(ValueError, match="exploitability is defined for two seats, not for 3"):
        three.exploitability(kuhn_poker().uniform())


def test_too_large_tree_is_refused(monkeypatch):
    monkeypatch.setattr(exact, "MOST_NODES", 1000)
    message = r"^jie-long, players=2, deck=tiny, .*: the tree has more than 1,000 nodes; exact work needs"
    with pytest.raises(ValueError, match=message):
        build_tree("jie-long", **FORCED)


# --- agents -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 1, 3])
def test_agents_are_needed_for_every_seat(number):
    said = f"^{number} players? for 2 seats; there must be one for each$"
    with pytest.raises(ValueError, match=said):
        tiny_tree("jie-long").policy([make_agent("greedy", "jie-long")] * number)


def test_agents_that_draw_must_give_their_policy():
    class Silent:
        name = "silent"
        act = make_agent("random").act

    with pytest.raises(ValueError, match="silent draws its actions; give it a method `probabilities`"):
        tiny_tree("jie-long", forced_play=True).policy([Silent(), Silent()])


def test_partners_as_one_player_see_both_hands_and_win_no_less():
    options = {**get_game("deer-hunt").variant.tiny_options(), "leader": 0}
    together, apart = build_tree_of_sides("deer-hunt", **options), build_tree("deer-hunt", **options)
    assert isinstance(apart, GameTree) and (together.players, together.nodes) == (2, apart.nodes)
    assert together.sets > apart.sets and set(together.seats.tolist()) == {0, 1}
    play, same = together.uniform(), apart.uniform()
    assert together.values(play) == pytest.approx(apart.values(same)[:2])
    # Who plans for both and sees both hands gains more than partners who respond in turn.
    assert (together.gains(play) > apart.side_gains(same) + 0.1).all()
    assert together.exploitability(play) == pytest.approx(together.gains(play).mean())


def test_where_nobody_has_a_partner_players_are_seats():
    options = get_game("ding-niu").variant.tiny_options()
    together, seats = build_tree_of_sides("ding-niu", **options), tiny_tree("ding-niu")
    for name in ("ends", "payoffs", "seats", "first", "before"):
        np.testing.assert_array_equal(getattr(together, name), getattr(seats, name))
