"""Measures of claims: each against a table written by hand or a walk through the record of played deals."""

from math import comb

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation.claims import Sampler
from gupai_agents.evaluation.claims.features import metrics_of
from gupai_agents.evaluation.claims.schema import Population
from gupai_agents.evaluation.claims.setting import DealSource
from gupai_agents.play.decisions import decisions
from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import PIPS, parse_tiles, tile_set, tiles_in
from gupai_env.games import GAMES, get_game
from gupai_env.games.ce_deng.rules import is_head_or_tail, is_pass
from gupai_env.games.claims import Outcome, points
from gupai_env.games.da_ling.position import strength
from gupai_env.games.da_ling.rules import groups_of
from gupai_env.games.ding_niu.rules import CLASSIC, NONE, SMOTHERED
from gupai_env.games.shi_wu_hu import claims as shi_wu_hu
from gupai_env.games.tien_gow.claims import chance_of_none
from gupai_env.games.tien_gow.combinations import COMBINATIONS, NAMES, SIZE, SUPREME, beats
from gupai_env.games.tien_gow.rules import DISCARD
from gupai_env.games.tiu_u import claims as tiu_u
from gupai_env.vector import VectorEnv

JIE_LONG = get_game("jie-long")


def played(game, name, number=200, **options):
    game = get_game(game)
    variant = game.variant(**options)
    source = DealSource(Sampler(game, variant, Population()), 17)
    block = next(source.blocks(0, number))
    agent = make_agent(name, game, **options)
    return source.play_with(block, agent, agent)


def written(game, seat=0, **fields):
    """Deals that are over with these fields of their states, a row each, and the rest zero."""
    game = get_game(game)
    variant, rows = game.variant(), len(next(iter(fields.values())))
    states = np.zeros(rows, game.module.STATE).view(np.recarray)
    for name, values in fields.items():
        values = np.array(values)
        states[name][(slice(None), *map(slice, values.shape[1:]))] = values
    return Outcome(variant, states, np.full((rows, 1), seat))


METRICS = {name: each for game in GAMES.values() for name, each in metrics_of(game).items()}


def measured(name, outcome, number=0):
    return METRICS[name].values(outcome, number).tolist()


def test_lockouts_equal_a_walk_through_the_record():
    outcome = played("jie-long", "greedy")
    for number in (2, 5):
        found = METRICS["lockouts"].values(outcome, number)
        for row in range(len(found)):
            state, seat, walked = outcome.states[row], int(outcome.seats[row, 0]), 0
            for turn in range(state.turn):
                action = int(state.record[turn])
                if action >= 42 or (state.leader + turn) % 4 != seat or PIPS[action % 21, action // 21] != number:
                    continue
                after = state.record[turn + 1 : turn + 4]
                walked += turn + 3 < state.turn and all(int(each) >= 42 for each in after)
            assert found[row] == walked
        assert found.sum() > 0


def test_ends_left_and_met_equal_a_walk_through_the_record():
    outcome = played("jie-long", "variety", 100)
    found = METRICS["information"].values(outcome, 0).reshape(-1, 6, 6)
    for row in range(len(found)):
        record = outcome.states.record[row, : outcome.states.turn[row]].astype(int).tolist()
        open_after = [0]  # the number open before each turn
        for action in record:
            open_after.append(int(PIPS[action % 21, action // 21]) if action < 42 else open_after[-1])
        walked = np.zeros((6, 6))
        for turn in range(len(record) - 4):
            if record[turn] < 42:
                walked[open_after[turn + 1] - 1, open_after[turn + 4] - 1] += 1
        assert (found[row] == walked).all()


def test_information_is_zero_for_independent_ends():
    share = METRICS["information"].statistic
    assert share(np.outer([1, 2, 3, 4, 5, 6], [1, 1, 2, 2, 3, 3]).reshape(-1) / 100) == pytest.approx(0)
    assert share(np.eye(6).reshape(-1)) == pytest.approx(1)


@pytest.mark.parametrize("strict", [False, True])
def test_doubled_payments_are_those_that_the_rules_double(strict):
    outcome = played("ce-deng", "greedy", strict_head_tail=strict)
    rules = outcome.variant.as_rules()
    for name, kinds in (("head_tail_payments", [is_head_or_tail]), ("doubled_payments", [is_head_or_tail, is_pass])):
        found = METRICS[name].values(outcome, 0)
        for row in np.flatnonzero(outcome.states.declarer < 0):
            state = outcome.states[row]
            seats = [[bool(kind(rules, state, seat)) for seat in range(4)] for kind in kinds]
            assert found[row] == sum(each.count(True) * each.count(False) for each in seats)
        assert found.sum() > 0
        outcome.states.declarer[0] = 2  # who wins by eight doubles doubles nothing
        assert METRICS[name].values(outcome, 0).tolist() == [0, *found[1:]]
        outcome.states.declarer[0] = NOBODY


def test_absolute_winners_are_those_who_are_paid_all_stakes():
    outcome = played("da-ling", "greedy", 500)
    absolute = METRICS["absolute_winner"].values(outcome, 0)
    tie = METRICS["absolute_tie"].values(outcome, 0)
    most = outcome.states.total.max(1)
    assert (most[(absolute == 1) & (tie == 0)] == 100).all()  # all stakes of four others
    assert absolute.sum() > 20


def test_rounds_without_skipped_turns_are_the_winners_turns():
    outcome = played("small-mahjong", "greedy")
    table, own = (METRICS[name].values(outcome, 2) for name in ("won_within", "won_in_own_turns"))
    nobody_skipped = METRICS["skips"].values(outcome, 0) == 0
    assert nobody_skipped.any()
    assert (own[nobody_skipped] == table[nobody_skipped]).all()


@pytest.mark.parametrize(("game", "big_points"), [("tiu-u", tiu_u.big_points), ("shi-wu-hu", shi_wu_hu.big_points)])
def test_share_that_big_fish_explain_is_their_squared_correlation(game, big_points):
    outcome = played(game, "greedy")
    big, whole = (figures[:, 0] - figures[:, 1] for figures in (big_points(outcome), points(outcome)))
    metric = metrics_of(GAMES[game])["big_variance"]
    share = metric.statistic(metric.values(outcome, 0).mean(0))
    assert share == pytest.approx(np.corrcoef(big, whole)[0, 1] ** 2)


@pytest.mark.parametrize(
    ("game", "metric", "fields", "values"),
    [
        ("jie-long", "leader_chips", {"total": [[1, 2, -3, 0], [4, 5, -6, -3]], "leader": [2, 1]}, [-3, 5]),
        ("jie-long", "two_and_five", {"ends": [[2, 5], [5, 2], [5, 5], [2, 6]]}, [1, 1, 0, 0]),
    ],
)
def test_measure_of_ends_written_by_hand(game, metric, fields, values):
    assert measured(metric, written(game, **fields)) == values


def test_bonuses_are_paid_for_all_tiles_of_a_kind():
    supreme, heaven, fours = (4 * tile_set(parse_tiles(text)) for text in ("42 21", "66 63 54", "55 65 64"))
    catches = [[supreme, heaven], [supreme - tile_set(parse_tiles("42")), fours + heaven]]
    points = [measured("bonus_points", written("shi-wu-hu", catches=catches), number) for number in range(5)]
    assert points == [[0, 0], [300, 0], [300, 300], [0, 300], [0, 0]]


def test_share_of_skill_is_variance_of_means_over_that_of_chips():
    generator = np.random.default_rng(5)
    who, players = generator.integers(0, 3, (4000, 4)), np.array([-2.0, 0.5, 1.0])
    won = players[who] + generator.normal(0, 3, who.shape)
    states = np.zeros(4000, [("total", "f8", (5,))]).view(np.recarray)
    states.total[:, :4] = won
    values = METRICS["skill_share"].values(Outcome(JIE_LONG.variant(), states, who[:, :1], who), 0)
    means = np.array([won[who == each].mean() for each in range(3)])
    expected = np.var(means[who]) / np.var(won)
    assert METRICS["skill_share"].statistic(values.mean(0)) == pytest.approx(expected)
    assert expected == pytest.approx(np.var(players) / (np.var(players) + 9), abs=0.02)


def test_count_misleads_where_fewer_discards_have_more_pips():
    drops = [[1, 2, 0, 3], [1, 2, 0, 3], [2, 2, 2, 2], [1, 2, 0, 3]]
    points = [[4, 8, 0, 12], [9, 8, 0, 12], [1, 9, 4, 6], [4, 8, 4, 8]]
    assert measured("count_misleads", written("jie-long", drops=drops, points=points)) == [0, 1, 0, 0]


def test_pairwise_payment_is_compared_with_one_loser():
    points, total = [[10, 4, 4, 10], [3, 9, 5, 0]], [[-12, 12, 12, -12], [5, -19, -3, 17]]
    for seat, less in enumerate([(-6, -1), (6, 0), (6, -7), (-6, 8)]):
        outcome = written("jie-long", seat, points=points, total=total)
        assert measured("pairwise_less_loser_pays", outcome) == list(less)


def test_stubborn_doubles_are_laid_less_than_equal_tiles():
    doubles, others = "22 33 44 55", "31 51 42 62 53 64"  # of four, six, eight and ten pips
    tables = [  # laid and discarded: the share of each kind, the mean of kinds alike, then the mean over the pips
        (f"{doubles} {others}", doubles, -0.5),
        (doubles, f"{doubles} {others}", 0.5),
        ("22", "11 21", 0.25),
        ("51", "42 42", -0.125),
    ]
    laid, discarded, shares = zip(*tables, strict=True)
    played, discards = ([[tile_set(parse_tiles(each))] for each in tiles] for tiles in (laid, discarded))
    outcome = written("jie-long", played=played, discards=discards)
    assert measured("stubborn_doubles", outcome) == pytest.approx(list(shares))


def test_ties_are_of_the_fewest_points_or_of_any():
    points = [[3, 3, 8, 9], [3, 4, 9, 9], [5, 5, 5, 5], [4, 7, 4, 1], [1, 2, 3, 4]]
    outcome = written("ding-niu", points=points)
    assert measured("tied_first", outcome) == [1, 0, 1, 0, 0]
    assert measured("tied_any", outcome) == [1, 1, 1, 1, 0]


def test_deals_are_blocked_within_rounds_by_a_maker():
    outcome = written("ding-niu", maker=[2, 2, -1, 0], turn=[12, 13, 12, 4])
    assert measured("blocked", outcome, 3) == [1, 0, 0, 1]
    assert measured("blocked", outcome, 1) == [0, 0, 0, 1]


def test_classic_block_shows_its_number_twice_or_two_and_three():
    made = [CLASSIC, CLASSIC, CLASSIC, SMOTHERED, NONE, CLASSIC]
    ends = [[4, 4], [3, 2], [2, 2], [4, 4], [4, 4], [4, 1]]
    outcome = written("ding-niu", suan_zhang=made, ends=ends)
    assert measured("blocked_with", outcome, 4) == [1, 0, 0, 0, 0, 0]
    assert measured("blocked_with", outcome, 2) == measured("blocked_with", outcome, 3) == [0, 1, 0, 0, 0, 0]
    assert measured("smothered", outcome) == [0, 0, 0, 1, 0, 0]


def test_smothered_blocks_are_won_if_their_maker_wins_chips():
    outcome = written(
        "ding-niu",
        suan_zhang=[SMOTHERED, SMOTHERED, CLASSIC, SMOTHERED],
        maker=[1, 1, 1, 3],
        total=[[0, 12, -12, 0], [12, -12, 0, 0], [0, 12, -12, 0], [12, 0, 0, -12]],
    )
    measure = METRICS["smothered_by_winner"]
    values = measure.values(outcome, 0)
    assert values.tolist() == [[1, 1], [0, 1], [0, 0], [0, 1]]
    assert measure.statistic(values.mean(0)) == pytest.approx(1 / 3)
    assert np.isnan(measure.statistic(np.zeros(2)))


def test_order_on_ties_gives_what_sharing_the_places_would_not():
    # The seat after the leader comes first of two that tie for 6 and -1; third and fourth tie for -2 and -3.
    outcome = written(
        "ding-niu",
        maker=[-1, -1, 0],
        leader=[1, 0, 1],
        points=[[9, 2, 2, 9], [1, 2, 3, 4], [9, 2, 2, 9]],
        total=[[-2, 6, -1, -3], [6, -1, -2, -3], [-2, 6, -1, -3]],
    )
    gains = [measured("tie_rule_gain", outcome, place) for place in (1, 2, 3, 4)]
    assert gains == [[3.5, 0, 0], [-3.5, 0, 0], [-0.5, 0, 0], [0.5, 0, 0]]


def test_ties_of_da_ling_are_those_of_groups_that_match():
    outcome = played("da-ling", "greedy", 500)
    players, absolutes, ties, groups_tied = outcome.variant.players, 0, 0, 0
    found = {name: measured(name, outcome) for name in ("absolute_winner", "absolute_tie", "group_tie")}
    for row, state in enumerate(outcome.states):
        table = [tuple(PIPS[kind]) for kind in tiles_in(state.table)]
        matched = [
            [strength(table, [tuple(PIPS[kind]) for kind in group]) for group in groups_of(split, tiles)]
            for split, tiles in zip(state.splits[:players], state.tiles[:players], strict=True)
        ]
        sums = sorted(sum(each) for each in matched if None not in each)
        best = [sorted(each for each in group if each is not None) for group in zip(*matched, strict=True)]
        absolute_tie = len(sums) > 1 and sums[-1] == sums[-2]
        group_tie = not sums and any(len(each) > 1 and each[-1] == each[-2] for each in best)
        expected = (bool(sums), absolute_tie, group_tie)
        assert tuple(values[row] for values in found.values()) == expected
        absolutes, ties, groups_tied = np.add((absolutes, ties, groups_tied), expected)
    assert min(absolutes, ties, groups_tied) > 0


def test_house_takes_what_no_seat_has():
    outcome = written("da-ling", total=[[90, -25, -25, -25, -25], [0, 0, 0, 0, 0]])
    assert measured("house_income", outcome) == [10, 0]


def test_tiles_left_in_the_lake_are_counted():
    outcome = written("tiu-u", lake=[0, tile_set(parse_tiles("66 66 66 64 11")), tile_set(parse_tiles("21"))])
    assert measured("lake_left", outcome) == [0, 5, 1]
    assert measured("lake_not_empty", outcome) == [0, 1, 1]


def test_big_fish_share_is_that_of_the_most_points():
    # Twice their pips: [6:6] 24, [6:4] 20, [4:4] 16; small fish, as [5:1], none.
    catches = [[tile_set(parse_tiles(each)) for each in row] for row in (("66 64 51", "44"), ("66 66", "44 51"))]
    outcome = written("tiu-u", catches=catches, points=[[54, 16], [10, 26]])
    measure = METRICS["big_share"]
    values = measure.values(outcome, 0)
    assert values.tolist() == [[44, 54], [16, 26]]
    assert measure.statistic(values.mean(0)) == pytest.approx(60 / 80)


def test_small_mahjong_wins_draws_and_skipped_turns_are_counted():
    # A third seat, asked by nobody in between, claims: one seat is passed over. The last two rows are drawn.
    steps = [[0, 1, 2, 1, 1], [0, 3, 1, 1, 1], [0, 1, 1, 1, 1], [0, 1, 1, 9, 9]]
    log = [[[step] for step in row] for row in steps]  # of a turn the seats from the one before come first
    outcome = written("small-mahjong", log=log, turns=[5, 5, 5, 3], winner=[1, 2, -1, -1], leader=[0, 3, 0, 0])
    assert measured("draw", outcome) == [0, 0, 1, 1]
    assert measured("skips", outcome) == [1, 2, 0, 0]
    assert measured("somebody_skipped", outcome) == [1, 1, 0, 0]
    assert measured("won_within", outcome, 1) == [0, 0, 0, 0]
    assert measured("won_within", outcome, 2) == [1, 1, 0, 0]
    # Seats 0 1 3 0 1 and 3 2 3 0 1: seat 1 wins in its second turn, seat 2 has had one.
    assert measured("won_in_own_turns", outcome, 1) == [0, 1, 0, 0]
    assert measured("won_in_own_turns", outcome, 2) == [1, 1, 0, 0]


def kinds_nobody_beats(state):
    """How many kinds that one holds nobody can beat although a face-down tile would, and how many nobody can beat."""
    others = [seat for seat in range(4) if seat != state.to_act]
    in_hands, face_down = (tiles_in(int(tiles[others].sum())) for tiles in (state.hands, state.discards))
    own = set(tiles_in(int(state.hands[state.to_act])))
    sure = [kind for kind in own if not any(beats(other, kind, False) for other in in_hands)]
    return np.array([sum(any(beats(other, kind, False) for other in face_down) for kind in sure), len(sure)])


@pytest.mark.parametrize("number", [0, 3])
def test_tien_gow_leads_and_gifts_equal_those_seen_in_play(number):
    game = get_game("tien-gow")
    envs = VectorEnv(game, 200, seed=8, renew=False)
    sets, given, supreme, doubted = np.zeros((4, 200, 2))
    for rows, batch, actions in decisions(envs, [make_agent("keeper", game)]):
        for row, action, mask in zip(rows.tolist(), actions.tolist(), batch.masks, strict=True):
            state = envs.states[row]
            if state.to_discard:  # further tiles of a discard
                continue
            if state.tiles:
                given[row] += mask[:DISCARD].any() * np.array([action >= DISCARD, 1])
                continue
            if state.done >= number:
                sets[row] += SIZE[action] * np.array([SIZE[action] > 1, 1])
                doubted[row] += kinds_nobody_beats(state)
            if action == SUPREME:
                supreme[row] = state.done >= number, 1
    outcome = Outcome(envs.variant, envs.states.copy(), np.zeros((200, 1), np.int64))
    figures = {"sets_led": sets, "given_up": given, "supreme_after": supreme, "sure_doubted": doubted}
    for name, seen in figures.items():
        assert seen.any(0).all()
        np.testing.assert_array_equal(METRICS[name].values(outcome, number), seen, name)


def test_tien_gow_last_trick_is_counted_by_the_tricks_and_the_tile_of_who_won_it():
    names = ["[2:2]", "[5:5]", "[4:2]", "[2:2][2:2]"]  # low, high, low, and a set
    outcome = written(
        "tien-gow",
        seat=1,
        taken=[[0, 5, 2, 1], [7, 1, 0, 0], [1, 2, 3, 2], [0, 2, 6, 0]],
        holder=[1, 1, 3, 1],
        tiles=[1, 1, 1, 2],
        best=[NAMES.index(name) for name in names],
    )
    assert measured("last_won", outcome) == [1, 1, 0, 1]
    assert measured("low_last", outcome) == [1, 0, 0, 0]
    assert measured("low_shuts_out", outcome) == [[1, 1], [0, 0], [0, 1], [0, 0]]
    assert measured("last_after_none", outcome) == [[0, 1], [1, 3], [0, 0], [1, 3]]
    assert measured("last_after", outcome, 1) == [[0, 1], [0, 0], [1, 2], [0, 0]]
    assert measured("last_after", outcome, 4) == [[1, 1], [0, 0], [0, 0], [0, 0]]


def test_tien_gow_strength_of_hands_is_what_explains_chips():
    hands = [["66 11", "66 11", "51", "22"], ["63", "55", "54", "51 51"]]  # 1.9 1.9 0 0.4; 1 0.6 1 0
    sets = np.array([[tile_set(parse_tiles(tiles)) for tiles in hand] for hand in hands])
    chips = np.array([[6, -2, -3, -1], [1, 2, 3, -6]])
    outcome = written("tien-gow", played=sets, total=chips, holder=[1, 3])
    assert measured("strongest_wins", outcome) == [0.5, 0]
    strength = [1.9, 1.9, 0, 0.4, 1, 0.6, 1, 0]
    metric = METRICS["strength_share"]
    explained = np.corrcoef(chips.reshape(-1), strength)[0, 1] ** 2
    assert metric.statistic(metric.values(outcome, 0).mean(0)) == pytest.approx(explained)


def test_tien_gow_chips_in_a_bankers_later_deals_are_those_of_the_rulebook():
    # Its examples 3 and 5: a banker with five tricks, in its second deal, and one with six, in its first.
    taken, holder, leader = [[5, 1, 0, 2], [1, 6, 0, 1]], [3, 0], [0, 1]
    outcome = written("tien-gow", taken=taken, holder=holder, leader=leader)
    outcome = outcome._replace(variant=get_game("tien-gow").variant(banker="growing"))
    assert [measured("banker_gain_after", outcome, number) for number in (1, 2)] == [[1, 2], [1, 2]]
    assert measured("spread", outcome, 2) == [(1 + 9 + 25 + 49) / 4, (36 + 4 + 25 + 9) / 4]
    outcome = outcome._replace(variant=get_game("tien-gow").variant(banker="growing", banker_over="multiplied"))
    assert [measured("banker_gain_after", outcome, number)[0] for number in (1, 2)] == [2, 3]
    assert [measured("banker_gain_after", outcome, number)[1] for number in (1, 4)] == [4, 10]


def test_chance_that_no_hand_holds_a_better_combination_is_exact():
    earth, heaven = (combination_named(name) for name in ("[1:1][1:1]", "[6:6][6:6]"))
    assert chance_of_none(heaven, [], 3) == 1
    assert chance_of_none(earth, [heaven], 1) == pytest.approx(1 - 28 / 435)  # C(8, 2) of C(30, 2)
    assert chance_of_none(earth, [heaven], 3) == pytest.approx(1 - 3 * 28 / 435)
    man = combination_named("[4:4][4:4]")
    both = 70 / 27405  # C(8, 4) of C(30, 4): one hand holds both pairs
    assert chance_of_none(man, [heaven, earth], 1) == pytest.approx(1 - 2 * 28 / 435 + both)
    sets = [
        combination_named(name) for name in ("[6:6][6:3]", "[6:6][5:4]")
    ]  # a Heaven and a nine in one hand of eight
    none = (comb(26, 8) + 2 * comb(26, 7) + comb(26, 6) + 2 * comb(26, 7) + comb(26, 6)) / comb(30, 8)
    assert chance_of_none(earth, sets, 1) == pytest.approx(none)


def combination_named(name):
    return COMBINATIONS[NAMES.index(name)]
