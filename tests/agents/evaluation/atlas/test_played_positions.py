"""Facts of games: what is counted is what happens, and what is estimated is what it says."""

import json
from collections import Counter

import numpy as np
import pytest

from checkout import ROOT, files
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.atlas import Table, play, study_of, tables_in
from gupai_agents.evaluation.atlas.study import TURNS
from gupai_agents.evaluation.claims.exacts import answer
from gupai_agents.evaluation.claims.features import METRICS
from gupai_agents.evaluation.claims.verdicts import rated
from gupai_agents.evaluation.exact.tree import build_tree, solve
from gupai_agents.evaluation.matches.match import duel, key_of
from gupai_agents.play import decisions
from gupai_agents.play.decisions import new_lanes
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.games import GAMES, get_game
from gupai_env.games.claims import Outcome, vocabulary_of
from little_factory import Discarding
from variants import variants
from walks import envs_of, play_out


def ended(game, variant, deals: int, seed: int = 5) -> Outcome:
    """Deals of random play that are over."""
    envs = play_out(envs_of(game, variant, deals, seed=seed, renew=False), seed)
    return Outcome(variant, envs.states.copy(), np.zeros((deals, 1), int))


def figure(game: str, name: str, outcome: Outcome) -> np.ndarray:
    return vocabulary_of(get_game(game)).metrics[name].values(outcome, 0)


@pytest.mark.parametrize("name", GAMES)
def test_every_deal_ends_in_one_way(name):
    game = get_game(name)
    for variant in variants(game):
        endings = vocabulary_of(game).endings(ended(game, variant, 60))
        assert (np.array(list(endings.values())).sum(0) == 1).all(), variant


# --- what games count, recounted plainly ----------------------------------------------------------


def test_suan_zhangs_count_their_makers_and_exhausted_tiles():
    game = get_game("ding-niu")
    outcome = ended(game, game.variant(), 800)
    made, exhausted = figure("ding-niu", "makers", outcome), figure("ding-niu", "two_three_exhausted", outcome)
    endings = vocabulary_of(game).endings(outcome)
    for row, state in enumerate(outcome.states):
        left = [kind for tiles in (state.hands + state.discards).tolist() for kind in tiles_in(tiles)]
        only_doubles = all(PIPS[kind, 0] == PIPS[kind, 1] for kind in left)
        two_three = bool(endings["suan zhang of two-three"][row])
        assert tuple(exhausted[row]) == (two_three and only_doubles, two_three)
        won = state.maker >= 0 and state.total[state.maker] > 0
        assert tuple(made[row]) == (won, state.maker >= 0)
    assert 0 < exhausted[:, 0].sum() < exhausted[:, 1].sum() < made[:, 1].sum()


def test_sides_with_both_heavens_are_those_that_were_dealt_them():
    game = get_game("deer-hunt")
    outcome = ended(game, game.variant(), 200)
    gains, wins = figure("deer-hunt", "heavens_gain", outcome), figure("deer-hunt", "heavens_win", outcome)
    for row, state in enumerate(outcome.states):
        heavens = Counter(seat % 2 for seat in range(4) for kind in tiles_in(int(state.played[seat])) if kind == 20)
        ahead = int(state.red[0] + state.red[2] - state.red[1] - state.red[3])
        sign = 0 if len(heavens) == 2 else 1 if heavens[0] else -1
        assert tuple(gains[row]) == (sign * ahead, abs(sign))
        assert tuple(wins[row]) == (sign * ahead > 0, abs(sign))
    assert {-1.0, 1.0} <= set(np.sign(gains[:, 0]))


def test_trick_counts_of_tien_gow_equal_a_plain_count():
    game = get_game("tien-gow")
    outcome = ended(game, game.variant(), 100)
    most, without = figure("tien-gow", "winner_has_most", outcome), figure("tien-gow", "somebody_without", outcome)
    for row, state in enumerate(outcome.states):
        taken = state.taken.tolist()
        assert most[row] == (taken[state.holder] == max(taken)) and without[row] == (0 in taken)
    assert 0 < most.mean() < 1 and 0 < without.mean() < 1


def test_wins_by_claim_are_those_after_a_claim():
    game = get_game("small-mahjong")
    envs = envs_of(game, game.variant(), 300, seed=3, renew=False)
    verbs = np.array([move.verb for move in game.moves])
    claimed = np.zeros(300, bool)  # whether the last turn began with a claim
    while not envs.terminated.all():
        actions = envs.sample(int(envs.states.moves.max()))
        live, kinds = ~envs.terminated, verbs[actions]
        claimed[live & (kinds == "claim")] = True
        claimed[live & (kinds == "discard")] = False
        envs.step(np.where(live, actions, -1))
    wins = figure("small-mahjong", "won_by_claim", Outcome(game.variant(), envs.states, np.zeros((300, 1), int)))
    won = envs.states.winner >= 0
    assert (wins[:, 1] == won).all() and (wins[:, 0] == (won & claimed)).all()
    assert 0 < wins[:, 0].sum() < wins[:, 1].sum()


def test_dealt_hands_are_enumerated():
    def chances(game: str, question: str) -> dict:
        return answer(get_game(game), vocabulary_of(get_game(game)).questions[question])

    # Counted by another program: 4.388% and 4.104%, of the targets 6 with 6.36% and 3 with 2.05%.
    assert chances("small-mahjong", "dealt_wins")["win before the play"] == pytest.approx(0.04388, abs=5e-6)
    matched = chances("da-ling", "match_all")
    assert matched.pop("any target") == pytest.approx(0.04104, abs=5e-6)
    ranked = sorted(matched, key=matched.__getitem__)
    assert (ranked[-1], ranked[0]) == ("target 6", "target 3")
    assert [matched["target 6"], matched["target 3"]] == pytest.approx([0.0636, 0.0205], abs=5e-5)


# --- what is estimated ----------------------------------------------------------------------------


def test_variances_and_the_gain_of_duplicates_are_those_of_the_model():
    rng = np.random.default_rng(1)
    deals, seats = 40_000, 4
    luck = rng.normal(0, 3, (deals, seats))
    luck -= luck.mean(1, keepdims=True)  # of the seats, which even out over all rotations
    chips = 1 + luck + rng.normal(0, 1, (deals, seats))
    variance, within, gain = play.variances(chips)
    assert variance.low < chips.var() < variance.high and variance.mean == pytest.approx(9 * 3 / 4 + 1, rel=0.02)
    assert within.mean == pytest.approx((9 + 1) * 3 / 4, rel=0.02)  # of the whole, with one divisor
    between = chips.mean(1).var()
    assert within.mean + between == pytest.approx(variance.mean, rel=1e-3)
    assert gain.mean == pytest.approx((9 * 3 / 4 + 1) / seats / (1 / seats), rel=0.03)


def test_hands_explain_what_they_decide_and_no_more():
    rng = np.random.default_rng(2)
    hands = rng.integers(0, 3, (3000, 2, 21))
    noise = rng.normal(0, 1, (3000, 2))
    worth = (hands @ np.arange(21.0)) / 20
    share = play.explained(hands, worth + noise + np.array([2.0, -2.0]))
    signal = worth.var() + 4
    assert share.mean == pytest.approx(signal / (signal + 1), abs=0.02)
    assert play.explained(hands, noise).mean < 0.01  # less what a fit explains by chance


def test_parts_of_recorded_variance_do_not_exceed_the_whole():
    for file in files("results/facts", name="*.json"):
        (luck,) = table(tables_in(json.loads(file.read_text(encoding="utf-8"))), "Luck and skill").rows
        assert 0 < luck[2].mean < luck[1].mean, file.stem


@pytest.mark.parametrize("name", GAMES)
def test_variance_of_a_game_is_that_within_deals_and_that_between_them(name):
    chips = duel(name, "greedy", "random", 60, seed=3).chips[:, :, 0]
    variance, within, _ = play.variances(chips)
    assert 0 <= within.mean <= variance.mean
    assert within.mean + chips.mean(1).var(ddof=1) == pytest.approx(variance.mean)


def test_share_of_the_player_is_covered_where_players_are_almost_alike():
    rng, covered = np.random.default_rng(3), 0
    for _ in range(200):
        who = rng.integers(3, size=(400, 2))
        chips = rng.normal(0.03 * (who - 1), 1)
        states = np.rec.fromarrays([chips], dtype=[("total", "f8", 2)])
        outcome = Outcome(get_game("pai-gow").variant(), states, np.zeros((400, 1), int), who)
        share = rated(METRICS["skill_share"].of(outcome), METRICS["skill_share"]).estimate
        assert 0 <= share.low <= share.mean <= share.high <= 1
        covered += share.low <= 0.03**2 * 2 / 3 <= share.high
    assert covered >= 185  # of 200 at 95%


@pytest.fixture(autouse=True, scope="module")
def quick_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "ROUNDS", 2)
        yield


def table(tables, title: str) -> Table:
    return next(table for table in tables if table.title == title)


@pytest.fixture(scope="module")
def jie_long(quick_trees):
    played = []
    study = study_of("jie-long", ["random", "greedy", "variety"], 300, seed=9, progress=played.append)
    tables = play.tables(study)
    assert sum(played) == (3 + 2) * 300
    return tables


def test_chips_by_turn_begin_with_the_leader_and_sum_to_zero(jie_long):
    game = get_game("jie-long")
    envs = new_lanes(game, game.variant(), 300)
    envs.reset(seeds=[key_of(9, deal) for deal in range(300)])
    leaders, greedy = envs.states.leader.copy(), make_agent("greedy", game)
    counts, forced, legal = np.zeros(300), 0, 0
    while not envs.terminated.all():
        counts += ~envs.terminated
        forced += int((envs.masks.sum(1) == 1).sum())
        legal += int(envs.masks[~envs.terminated].sum())
        actions, rows = np.full(300, -1), np.flatnonzero(~envs.terminated)
        views, rng_keys = envs.views(rows)
        actions[rows] = greedy.act(DecisionBatch(views, envs.masks[rows], rng_keys))
        envs.step(actions)
    by_turn = [*jie_long[0].columns()["greedy"].values()]
    assert by_turn[0].mean == pytest.approx(envs.states.total[np.arange(300), leaders].mean())
    assert sum(turn.mean for turn in by_turn) == pytest.approx(0, abs=1e-6)
    first = envs.states.total == envs.states.total.max(1, keepdims=True)
    part = {head: cells["greedy"].mean for head, cells in table(jie_long, "A deal").columns().items()}
    assert part["decisions"] == counts.mean()
    assert part["with one legal action"] == pytest.approx(forced / counts.sum())
    assert part["legal actions"] == pytest.approx(legal / counts.sum())
    assert part["ties"] == (first.sum(1) > 1).mean() > 0


def choices_of(*players) -> dict:
    found = play.tables(study_of("jie-long", players, 40))
    return next(table for table in found if table.title.startswith("Choices")).columns()


def test_choices_are_compared_where_there_is_a_choice(jie_long):
    assert {share.mean for share in choices_of("greedy")["they differ in"].values()} == {0.0}
    alike = table(play.tables(study_of("jie-long", ["greedy"], 40)), "Luck and skill").columns()
    assert not alike["a duplicate is worth"]["greedy against greedy"].has_interval  # nothing is left to estimate
    choices = next(table for table in jie_long if table.title.startswith("Choices of variety where greedy")).columns()
    assert [*choices["they differ in"]] == [*map(str, range(1, 9))] and choices["they differ in"]["1"].mean > 0
    plays, discards = choices["play: variety, greedy"], choices["discard: variety, greedy"]
    for number in plays:  # two types of action: what is not the one is the other
        assert [a.mean + b.mean for a, b in zip(plays[number], discards[number], strict=True)] == [1, 1]
    assert all(greedy.mean == 1 for _, greedy in plays.values())  # greedy never holds back


def test_types_of_action_are_counted_for_the_last_player_then_for_the_rival():
    discards = choices_of("greedy", Discarding())["discard: discarding, greedy"]
    assert {tuple(share.mean for share in pair) for pair in discards.values()} == {(1.0, 0.0)}


def test_skill_is_measured_between_sides_that_draw_their_players(monkeypatch):
    seatings = []

    def play_out(envs, agents, seating):
        seatings.append(seating)
        decisions.play_out(envs, agents, seating)

    monkeypatch.setattr(play, "play_out", play_out)
    skill = play.skill(study_of("deer-hunt", ["random", "greedy", "hunter", "tuned"], 60))
    drawn = np.concatenate(seatings)
    assert (drawn[:, :2] == drawn[:, 2:]).all() and {tuple(row) for row in drawn[:, :2].tolist()} > {(0, 1), (1, 0)}
    assert set(drawn.ravel().tolist()) == {0, 1, 2} and np.isfinite(skill.mean)
    # Of `random`, which loses much, no account is taken: the other two players are almost alike.
    alike, apart = (study_of("jie-long", [who, "greedy", "variety"], 300, seed=9) for who in ("random", Discarding()))
    assert play.skill(alike).mean < 0.1 < play.skill(apart).mean


def tiny_of(game: str, **options) -> dict:
    (row,) = (tiny := play.tiny_deck(study_of(game, ["greedy"], 2, **options))).rows
    return dict(zip(tiny.heads, row, strict=True))


def test_tiny_deck_is_that_of_the_tree(monkeypatch):
    monkeypatch.setattr(play, "ROUNDS", 60)
    tiny = tiny_of("ding-niu")
    tree = build_tree("ding-niu", **{**get_game("ding-niu").variant.tiny_options(), "leader": 0})
    assert [*tiny.values()][1:4] == [tree.deals, tree.nodes, tree.sets]
    chips = tiny["the leader wins"]
    assert chips.low < 0.8589 < chips.high and 0 < chips.half_width < 0.02
    assert chips.half_width == pytest.approx(tree.gains(solve(tree, 60)).sum())


def test_tiny_deck_has_the_options_that_are_given_as_far_as_it_allows_them(monkeypatch):
    assert "must_catch=True" in tiny_of("shi-wu-hu", deck="tiles", must_catch=True)["options"]
    monkeypatch.setattr(play, "ROUNDS", 40)
    forced = tiny_of("jie-long", forced_play=True, players=3)
    assert forced["options"] == "players=2, deck=tiny, forced_play=True"
    assert forced["the leader wins"].mean == pytest.approx(3.62, abs=0.02)


def test_figures_of_a_game_are_named_with_their_units(jie_long):
    shares, counts = (table(jie_long, title) for title in ("What happens in a deal", "What is counted in a deal"))
    assert (
        set(shares.units[1:]) == {"share"} and "two seats or more share the fewest points" in shares.columns()["greedy"]
    )
    assert set(counts.units[1:]) == {"number"} and all(name.endswith(")") for name in counts.columns()["greedy"])


# --- figures of other programs --------------------------------------------------------------------

# What programs kept outside have found, each with the half-width of its interval: (file, player, turn or
# figure, found, ±).
ELSEWHERE = [
    ("jie-long-forced_play-true", "best", 0, 10.59, 0.54),
    ("jie-long", "best", 0, 10.89, 0.55),
    ("jie-long-players-3", "best", 0, 8.24, 0.44),
    ("jie-long-players-2", "best", 0, 6.32, 0.33),
    ("jie-long", "greedy", 0, 4.02, 0.29),
    ("tiu-u", "best", 0, -14.9, 2.3),
    ("tiu-u-players-3", "best", 0, -16.6, 4),
    ("tiu-u-players-3", "best", 1, -3.9, 4),
    ("tiu-u-players-3", "best", 2, 20.5, 4),
    ("shi-wu-hu", "best", 0, -48.8, 9.4),
    ("ding-niu", "tuned", 0, 2.34, 0.06),
    ("ding-niu", "tuned", "makers", 0.601, 0.01),
    ("ding-niu", "best", "makers", 0.736, 0.01),
    ("ding-niu", "greedy", "makers", 0.453, 0.01),
    ("ding-niu", "greedy", "two_three_exhausted", 0.73, 0.01),
    ("ding-niu", "best", "two_three_exhausted", 0.38, 0.01),
    ("deer-hunt", "best", "heavens_gain", 28.2, 0.4),
    ("deer-hunt", "best", "heavens_win", 0.955, 0.005),
    ("small-mahjong", "best", "won_by_claim", 0.774, 0.01),
]


@pytest.mark.parametrize(("file", "player", "place", "found", "half_width"), ELSEWHERE)
def test_recorded_facts_agree_with_figures_of_other_programs(file, player, place, found, half_width):
    content = json.loads((ROOT / "results" / "facts" / f"{file}.json").read_text(encoding="utf-8"))
    tables = tables_in(content)
    if isinstance(place, int):
        ours = tables[0].columns()[player][TURNS[place]]
    else:
        metric = vocabulary_of(get_game(content["game"])).metrics[place]
        title = "What happens in a deal" if metric.is_share else "What is counted in a deal"
        label = metric.what if metric.is_share else f"{metric.what} ({metric.unit})"
        ours = table(tables, title).columns()[player][label]
    # Two independent figures: their difference is within its own interval of 99%, if both are right.
    assert abs(ours.mean - found) < 1.3 * np.hypot(ours.half_width, half_width)


def test_every_game_has_recorded_facts():
    assert {name for name in GAMES if not (ROOT / "results" / "facts" / f"{name}.json").exists()} == set()
