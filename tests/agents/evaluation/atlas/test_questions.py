"""The atlas: fits find what was planted, hands are dealt as asked, and recorded figures are those of others."""

import json
from itertools import permutations

import numpy as np
import pytest

from checkout import ROOT
from gupai_agents import make_agent
from gupai_agents.evaluation.atlas import (
    QUESTIONS,
    answer,
    answer_about_hand,
    openings,
    play,
    secrets,
    study_of,
    sure,
    tables_in,
    tiles,
)
from gupai_agents.evaluation.atlas.openings import kind_of_hand, kind_of_lead
from gupai_agents.evaluation.atlas.seats import Slips, apart
from gupai_agents.evaluation.atlas.secrets import SECRETS, hidden_places, reveal, tiles_at
from gupai_agents.evaluation.atlas.sure import deals_needed
from gupai_agents.evaluation.atlas.tiles import Fit, longest_chain, weights_by_deal
from gupai_agents.evaluation.matches.match import key_of, play_duplicates
from gupai_agents.evaluation.records.games import action_types_of
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play import decisions
from gupai_app.facts.terminal import as_read
from gupai_env.core.tiles import KINDS, PIPS, parse_tiles, tiles_in
from gupai_env.games import GAMES, get_game
from gupai_env.games.claims import counts_of


def test_weights_of_a_fit_are_covered_though_seats_of_a_deal_depend_on_each_other():
    rng, weights, covered = np.random.default_rng(1), np.array([2.0, -1.0, 0.5]), np.zeros(3)
    for _ in range(200):
        known = rng.normal(size=(300, 4, 3)) + rng.normal(size=(300, 1, 3))
        errors = rng.normal(size=(300, 4)) * (1 + known[:, :, 0] ** 2) + 2 * rng.normal(size=(300, 1))
        values = weights_by_deal(known, known @ weights + errors)
        figures = [estimate(column) for column in values.T]
        covered += [figure.low < weight < figure.high for figure, weight in zip(figures, weights, strict=True)]
    assert (covered >= 182).all() and covered.mean() <= 198  # of 200 at 95%


@pytest.mark.parametrize("name", GAMES)
def test_tiles_are_worth_nothing_on_average_and_hands_what_their_place_wins(name):
    study = study_of(name, ["greedy"], 200, seed=3)
    fit, worths = Fit(study), Fit(study).tiles()
    assert set(worths) == set(np.flatnonzero(fit.deck))
    assert sum(fit.shares[kind] * worth.mean for kind, worth in worths.items()) == pytest.approx(0, abs=1e-4)
    for place in range(study.variant.players):
        won = np.mean([fit.hand(place, hand).mean for hand in fit.hands[:, place]])
        assert won == pytest.approx(fit.chips[:, place].mean(), abs=0.01)


def brute_chain(tiles: list[int]) -> int:
    def length(order) -> int:
        best = 0
        for end in PIPS[order[0]]:
            laid = 0
            for kind in order:
                if end not in PIPS[kind]:
                    break
                end, laid = PIPS[kind].sum() - end, laid + 1
            best = max(best, laid)
        return best

    return max(map(length, permutations(tiles)))


def test_longest_chain_is_that_of_all_orders():
    rng = np.random.default_rng(2)
    hands = [sorted(rng.permutation(np.repeat(np.arange(KINDS), 2))[:5].tolist()) for _ in range(60)]
    hands += [parse_tiles("66 66 55 55 44"), parse_tiles("65 54 43 32 21")]
    counts = np.array([np.bincount(hand, minlength=KINDS) for hand in hands])
    assert longest_chain(counts).tolist() == [brute_chain(hand) for hand in hands]


HANDS = {
    "jie-long": "66 65 64 55 44 32 21 11",
    "tien-gow": "66 66 63 54 52 43 42 21",
    "small-mahjong": "66 65 64 21 11",
}


@pytest.mark.parametrize("name", HANDS)
def test_a_hand_is_dealt_to_each_place_among_all_other_tiles(name, monkeypatch):
    dealt = []

    def play_out(envs, agents):
        dealt.append(envs.states.copy())
        decisions.play_out(envs, agents)

    monkeypatch.setattr(tiles, "play_out", play_out)
    study = study_of(name, ["greedy"], 200, seed=4)
    table = answer_about_hand(study, HANDS[name]).tables[0]
    hand = np.bincount(parse_tiles(HANDS[name]), minlength=KINDS)
    assert len(dealt) == len(table.rows) == study.variant.players
    for place, states in enumerate(dealt):
        for state in states:
            held = np.bincount(tiles_in(state.hands[(state.leader + place) % study.variant.players]), minlength=KINDS)
            assert (held >= hand).all() and held.sum() - hand.sum() <= 1
        assert len({state.hands.tobytes() for state in states}) > 190
    for _, fitted, played in table.rows:
        assert isinstance(fitted, Estimate) and isinstance(played, Estimate) and played.has_interval


def test_chips_are_given_by_turn_after_the_weaker_player():
    study = study_of("jie-long", ["random", "greedy"], 40, seed=2)
    won = study.among_best(study.agents[0])
    assert np.sum(won, 0) == pytest.approx(0) and won[0].mean() < 0
    envs = decisions.new_lanes(study.game, study.variant, 40)
    envs.reset(seeds=[key_of(2, deal) for deal in range(40)])
    seating = np.tile([1, 1, 0, 1], (40, 1))  # the rotation in which the weaker player has seat 2
    decisions.play_out(envs, study.agents, seating)
    rotation = play_duplicates("jie-long", ["random", *["greedy"] * 3], 40, seed=2).chips[:, 2]
    assert rotation.tolist() == np.roll(envs.states.total, -2, 1).tolist()


@pytest.mark.parametrize("kind", ["play", "discard"])
def test_one_kind_of_mistake_is_made_alone(kind):
    study = study_of("jie-long", ["greedy", "tuned"], 100, seed=2)
    names, types = action_types_of(study.game)
    number, (greedy, tuned), made = names.index(kind), study.agents, 0
    slips = Slips(study, greedy, (number, number))
    for now in decisions.decisions(next(study.lanes())[1], [tuned]):
        best, weak, does = (agent.act(now.batch) for agent in (tuned, greedy, slips))
        wrong = (types[best] == number) & (types[weak] == number)
        assert (does == np.where(wrong, weak, best)).all()
        made += int((does != best).sum())
    assert made > 0


def test_mistakes_are_counted_with_what_they_open_to_the_next():
    study = study_of("jie-long", ["greedy", "tuned"], 200, seed=2)
    parted = apart(study, study.agents[0])
    play, discard = (action_types_of(study.game)[0].index(name) for name in ("play", "discard"))
    assert parted.differ[:, play, play].sum() > 0 and parted.more[:, play, play].any()
    assert parted.differ[:, discard, discard].sum() > 0 and not parted.more[:, discard, discard].any()
    assert not apart(study, study.agents[1]).differ.any()


def test_deals_needed_are_four_times_variance_over_squared_mean():
    rng, covered = np.random.default_rng(5), 0
    for _ in range(100):
        chips = rng.normal(1, 5, 2000)
        needed = deals_needed(np.stack([chips, chips**2], 1))
        covered += needed.low < 4 * 25 < needed.high
    assert covered >= 88
    assert not np.isfinite(deals_needed(np.stack([chips - 2, chips**2], 1)).mean)  # who loses is never ahead


def test_players_choose_alike_where_they_do_not_differ():
    study = study_of("ding-niu", ["greedy", "tuned"], 60, seed=9)
    alike = sure.alike(study, study.agents[0])
    choices = next(table for table in answer(study, "play").tables if table.title.startswith("Choices of tuned"))
    differ = [1 - share.mean for share in choices.columns()["they differ in"].values()]
    assert min(differ) <= alike.mean <= max(differ)
    assert sure.alike(study, make_agent("tuned", "ding-niu")).mean == 1


@pytest.mark.parametrize("name", GAMES)
def test_what_is_revealed_is_true_and_changes_nothing_that_is_seen(name):
    study = study_of(name, ["greedy"], 60, seed=6)
    game, variant = study.game, study.variant
    _, envs = next(study.lanes())
    looks = {0, 3} if game.simultaneous or name == "small-mahjong" else {9}
    for turn, _ in enumerate(decisions.decisions(envs, [study.best])):
        for seat in range(variant.players) if turn in looks else ():
            rows = np.flatnonzero(~envs.terminated & (envs.seats == seat))
            true, views = envs.states[rows].view(np.recarray), envs.views(rows)[0]
            before, places = game.new_states(len(rows)), hidden_places(game, variant, seat)
            envs.kernels.determinize(envs.rules, views, np.arange(len(rows)), before)
            subject = (seat + 1) % variant.players
            for secret in SECRETS.values() if len(rows) else ():
                drawn = before.copy().view(np.recarray)
                reveal(game, variant, drawn, true, secret.revealed, seat, subject, 3)
                lying = [np.sort(np.concatenate([tiles_at(s, p) for p in places], 1)) for s in (before, drawn, true)]
                assert (lying[0] == lying[1]).all() and (lying[1] == lying[2]).all()  # the same tiles
                seen = np.zeros(len(rows), game.view).view(np.recarray)
                envs.kernels.view_of(envs.rules, drawn, seat, seen)
                assert [view.tobytes() for view in seen] == [view.tobytes() for view in views]
                for place in places:
                    shown = np.broadcast_to(secret.revealed(true, place, subject), tiles_at(true, place).shape)
                    assert (tiles_at(drawn, place)[shown] == tiles_at(true, place)[shown]).all()
                left = any((tiles_at(drawn, place) != tiles_at(true, place)).any() for place in places)
                assert left == (secret is not SECRETS["everything"]) or len(places) < 3
                # What follows from the hands is worked out again.
                follows = ("tiles",) if game.simultaneous else {"waits", "claims"} & {*(drawn.dtype.names or ())}
                assert left or all(
                    (drawn[field][:, other] == true[field][:, other]).all()
                    for field in follows
                    for other in {*range(variant.players)} - {seat}
                )


def test_exchanged_tiles_stay_as_random_as_they_were():
    study = study_of("deer-hunt", ["greedy"], 2, seed=6)
    game, variant = study.game, study.variant
    _, envs = next(study.lanes())
    row = np.flatnonzero(envs.seats == envs.seats[0])[:1]
    seat, times = int(envs.seats[0]), 4000
    true = np.repeat(envs.states[row], times).view(np.recarray)
    drawn = game.new_states(times)
    views = np.repeat(envs.views(row)[0], times).view(np.recarray)
    envs.kernels.determinize(envs.rules, views, np.arange(times), drawn)
    following = (seat + 1) % 4
    reveal(game, variant, drawn, true, SECRETS["the hand of the next in turn"].revealed, seat, following, 1)
    rest = true.hands[0].sum() - true.hands[0][seat] - true.hands[0][following]
    held = counts_of(drawn.hands[:, (seat + 2) % 4]).mean(0)
    assert held == pytest.approx(counts_of(np.array([rest]))[0] / 2, abs=0.05)


def test_kinds_of_hands_and_leads_are_said_of_tiles():
    def hand(tiles: str) -> np.ndarray:
        return np.bincount(parse_tiles(tiles), minlength=KINDS)

    def lead(name: str, move: str, tiles: str) -> str:
        game = GAMES[name]
        return kind_of_lead(game, game.action_names.index(move), hand(tiles))

    assert lead("jie-long", "[6:6]", "66 65 11") == "a double"
    assert lead("jie-long", "[6:5]", "66 65 11") == "a tile heavier than the mean of the hand"
    assert lead("jie-long", "[2:1]", "66 65 21") == "a tile lighter than the mean of the hand"
    assert lead("small-mahjong", "discard [1:1]", "66 65 11") == "discard: a double"
    assert lead("tien-gow", "[6:6][6:6]", "66 66 11") == "2 tiles together"
    assert lead("ce-deng", "demand a redeal", "66 65 11") == "demand a redeal"
    assert kind_of_hand(GAMES["jie-long"], hand("66 65 61 11")) == "3 tiles with its commonest number"
    assert kind_of_hand(GAMES["tien-gow"], hand("66 66 63 54 11")) == "2 pairs of equal pips"


def test_leads_are_judged_by_deals_that_had_no_part_in_the_choice(monkeypatch):
    monkeypatch.setattr(openings, "PLAYOUTS", 8)
    study = study_of("jie-long", ["greedy"], 200, seed=5)
    leads = openings.first_leads(study, study.best)
    assert (leads.actions[:, 0] != leads.actions[:, 1]).all() and (leads.hands.sum(1) == 8).all()
    _, envs = next(study.lanes())
    assert envs.masks[np.arange(200), leads.actions[:, 2]].all()
    # What was chosen of few deals because it was lucky there has no luck in others: it is not always ahead.
    ahead = leads.values[:, 0] - leads.values[:, 1]
    assert (ahead < 0).mean() > 0.1 and ahead.mean() > 0


def test_who_knows_everything_wins_more(monkeypatch):
    monkeypatch.setattr(secrets, "SEARCHED", 4)
    study = study_of("tiu-u", ["greedy"], 150, seed=3)
    plain, knowing = (secrets.played_knowing(study, secret, False) for secret in (None, SECRETS["everything"]))
    assert estimate(knowing - plain).low > 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers_are_tables_that_json_holds_whole(question, monkeypatch):
    monkeypatch.setattr(secrets, "SEARCHED", 2)
    monkeypatch.setattr(openings, "PLAYOUTS", 4)
    monkeypatch.setattr(play, "ROUNDS", 2)
    result = answer(study_of("ding-niu", ["random", "greedy"], 200, seed=1), question)
    content = json.loads(json.dumps(result.as_numbers()))
    assert (content["question"], content["deals"], content["players"]) == (question, 200, ["random", "greedy"])
    for table, read in zip(result.tables, tables_in(content), strict=True):
        assert (read.title, len(read.rows)) == (table.title, len(table.rows)) and table.rows
        assert read.columns().keys() == table.columns().keys()
        for row, cells in zip(table.rows, read.rows, strict=True):
            assert len(row) == len(table.heads) == len(table.units)
            for cell, unit, stored in zip(row, table.units, cells, strict=True):
                assert isinstance(cell, Estimate) == (unit not in ("words", "exact", "shares"))
                assert repr(stored[:4] if isinstance(cell, Estimate) else stored) == repr(
                    cell[:4] if isinstance(cell, Estimate) else cell
                )
    assert [table.rows for table in as_read(tables_in(content))] == [table.rows for table in as_read(result.tables)]


def test_players_without_a_difference_make_no_mistakes():
    jie_long = get_game("jie-long")
    same = make_agent("greedy", jie_long), make_agent("greedy", jie_long)
    around, mistakes = as_read(answer(study_of("jie-long", same, 20), "seats").tables)
    assert not mistakes.rows and len(around.rows) == 5
    assert len(answer(study_of("jie-long", ["random", "greedy"], 20), "seats").tables) == 1


def test_what_cannot_be_asked_is_refused_in_one_line():
    study = study_of("jie-long", ["greedy"], 200)
    for wrong, ask in {
        "'luck' is not a question; they are play, tiles": lambda: answer(study, "luck"),
        "a hand of jie-long has 8 tiles, not 2": lambda: answer_about_hand(study, "66 65"),
        r"\[6:2\] is given 8 times; the deck has 1": lambda: answer_about_hand(study, "62" * 8),
        "it must be a whole number from 200": lambda: answer(study_of("jie-long", ["greedy"], 199), "tiles"),
        "greedy is compared with nobody; name a weaker player before it": lambda: answer(study, "sure"),
        "nobody leads in da-ling": lambda: answer(study_of("da-ling", ["greedy"], 200), "openings"),
        "deals=2 is not allowed": lambda: study_of("jie-long", ["greedy"], 200, deals=2),
    }.items():
        with pytest.raises(ValueError, match=wrong):
            ask()


# --- figures of other programs --------------------------------------------------------------------


# What a program kept outside has found in 3,000 deals, each with the half-width of its interval where that is known, or
# else with that of another figure of the game: (game, question, row, column, figure, ±).
WORTH = "chips more than the mean tile"
ELSEWHERE = [
    ("jie-long", "tiles", "[6:6]", WORTH, -14.8, 0.8),
    ("jie-long", "tiles", "[5:5]", WORTH, -11.1, 0.8),
    ("jie-long", "tiles", "[4:4]", WORTH, -6.0, 0.8),
    ("jie-long", "tiles", "[1:1]", WORTH, 9.0, 0.8),
    ("jie-long", "tiles", "[2:1]", WORTH, 8.7, 0.8),
    ("jie-long", "tiles", "[3:2]", WORTH, 7.3, 0.8),
    ("ding-niu", "tiles", "[6:6]", WORTH, -1.27, 0.14),
    ("ding-niu", "tiles", "[1:1]", WORTH, 0.62, 0.14),
    ("ding-niu", "tiles", "[2:2]", WORTH, 0.52, 0.14),
    ("da-ling", "tiles", "[4:2]", WORTH, 6.5, 1.3),
    ("da-ling", "tiles", "[4:4]", WORTH, 5.5, 1.3),
    ("da-ling", "tiles", "[6:6]", WORTH, 5.3, 1.3),
    ("da-ling", "tiles", "[3:1]", WORTH, -3.8, 1.3),
    ("da-ling", "tiles", "[2:2]", WORTH, -3.3, 1.3),
    ("tiu-u", "tiles", "[6:6]", WORTH, 31.8, 3.1),
    ("tiu-u", "tiles", "[6:5]", WORTH, 23.9, 3.1),
    ("tiu-u", "tiles", "[2:2]", WORTH, -21.0, 3.1),
    ("tiu-u", "tiles", "[3:3]", WORTH, -18.3, 3.1),
    ("small-mahjong", "tiles", "[6:1]", WORTH, -1.47, 0.22),
    ("small-mahjong", "tiles", "[4:3]", WORTH, 1.46, 0.22),
    ("tien-gow", "tiles", "[6:6]", WORTH, 4.23, 0.2),
    ("tien-gow", "tiles", "[6:3]", WORTH, 2.27, 0.2),
    ("tien-gow", "tiles", "[5:4]", WORTH, 2.27, 0.2),
    ("tien-gow", "tiles", "[6:1]", WORTH, -1.53, 0.2),
    ("deer-hunt", "tiles", "[6:6]", WORTH, 16.9, 0.6),
    ("deer-hunt", "tiles", "[5:1]", WORTH, -3.7, 0.6),
    ("shi-wu-hu", "tiles", "[6:6]", WORTH, 53, 12),
    ("shi-wu-hu", "tiles", "[2:1]", WORTH, 50, 12),
    ("shi-wu-hu", "tiles", "[6:1]", WORTH, -44, 12),
    ("pai-gow", "tiles", "[6:6]", WORTH, 0.29, 0.04),
    ("pai-gow", "tiles", "[5:1]", WORTH, -0.16, 0.04),
    # Of seats and of deals needed no intervals are known: with as many deals they are about as wide as ours.
    ("jie-long", "seats", "the weaker player", "greedy", -7.6, 0.4),
    ("jie-long", "seats", "the next in turn", "greedy", 6.4, 0.4),
    ("jie-long", "seats", "opposite", "greedy", 1.6, 0.4),
    ("jie-long", "seats", "the one before it", "greedy", -0.5, 0.4),
    ("ce-deng", "seats", "the weaker player", "greedy", -8.7, 0.5),
    ("ce-deng", "seats", "the next in turn", "greedy", 6.8, 0.5),
    ("ce-deng", "seats", "opposite", "greedy", 1.6, 0.5),
    ("ce-deng", "seats", "the one before it", "greedy", 0.3, 0.5),
    ("ding-niu", "seats", "the next in turn", "greedy", 0.73, 0.09),
    ("ding-niu", "seats", "opposite", "greedy", 0.54, 0.09),
    ("ding-niu", "seats", "the one before it", "greedy", 0.44, 0.09),
    ("tien-gow", "seats", "the next in turn", "greedy", 0.92, 0.12),
    ("tien-gow", "seats", "opposite", "greedy", 0.73, 0.12),
    ("tien-gow", "seats", "the one before it", "greedy", 0.59, 0.12),
    ("small-mahjong", "seats", "the next in turn", "greedy", 0.14, 0.06),
    ("small-mahjong", "seats", "opposite", "greedy", 0.10, 0.06),
    ("small-mahjong", "seats", "the one before it", "greedy", 0.06, 0.06),
    ("jie-long", "sure", "greedy", "duplicates", 6, 0.6),
    ("ding-niu", "sure", "greedy", "duplicates", 5, 0.5),
    ("tien-gow", "sure", "greedy", "duplicates", 3, 0.5),
    ("da-ling", "sure", "greedy", "duplicates", 13, 1.5),
    ("tiu-u", "sure", "greedy", "duplicates", 45, 10),
    ("shi-wu-hu", "sure", "greedy", "duplicates", 11, 1.5),
    ("tiu-u", "sure", "greedy", "they choose alike", 0.69, 0.01),
    ("shi-wu-hu", "sure", "greedy", "they choose alike", 0.63, 0.01),
    ("jie-long", "sure", "greedy", "they choose alike", 0.70, 0.01),
    ("ce-deng", "sure", "greedy", "they choose alike", 0.59, 0.01),
    ("ding-niu", "sure", "greedy", "they choose alike", 0.53, 0.01),
    ("da-ling", "sure", "greedy", "they choose alike", 0.34, 0.01),
    ("small-mahjong", "sure", "greedy", "they choose alike", 0.76, 0.01),
    ("tien-gow", "sure", "greedy", "they choose alike", 0.54, 0.01),
    ("deer-hunt", "sure", "greedy", "they choose alike", 0.32, 0.01),
    ("pai-gow", "sure", "greedy", "they choose alike", 0.64, 0.01),
]


def recorded(game: str, question: str, row: str, column: str) -> Estimate:
    content = json.loads((ROOT / "results" / "atlas" / f"{game}-{question}.json").read_text(encoding="utf-8"))
    table = content["tables"][0]
    cells = next(cells for cells in table["rows"] if cells[0] == row)
    return Estimate.of(cells[table["heads"].index(column)])


@pytest.mark.parametrize(("game", "question", "row", "column", "figure", "half_width"), ELSEWHERE)
def test_recorded_answers_agree_with_figures_of_another_program(game, question, row, column, figure, half_width):
    ours = recorded(game, question, row, column)
    # Two independent figures: their difference is within its own interval of 99%, if both are right.
    assert abs(ours.mean - figure) < 1.314 * np.hypot(ours.half_width, half_width)
