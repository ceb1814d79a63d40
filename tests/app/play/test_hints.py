"""What a person is told of moves: words that warn, ends that stay open, and which of two ways is meant."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.card import rule_in_words
from gupai_app.play.moves import WIDE, Entry, advise, by_card, entries_of, scores
from gupai_app.play.session import Session
from gupai_app.words.sentences import result
from gupai_env import VectorEnv, get_game
from gupai_env.core.move import Move
from gupai_env.core.tiles import KINDS, PIPS, tile_name
from gupai_env.games.ding_niu.rules import CLASSIC, DISCARD, NONE, SMOTHERED

SIX_FOUR = next(kind for kind in range(KINDS) if sorted(PIPS[kind]) == [4, 6])


def hints(game, **options):
    game = get_game(game)
    return game.hints(game, game.variant(**options))


def seen(ends, makes=(NONE, NONE), losing=(0, 0)):
    """A view of Ding Niu in which the two ways to lay 6:4 make and lose this."""
    view = SimpleNamespace(ends=np.array(ends, np.int8), makes=np.full(DISCARD, NONE), losing=np.zeros(DISCARD, int))
    ways = [SIX_FOUR, KINDS + SIX_FOUR]
    view.makes[ways], view.losing[ways] = makes, losing
    return view, ways


@pytest.mark.parametrize(
    ("makes", "losing", "block", "lose"),
    [
        ((NONE, NONE), (0, 0), False, False),
        ((NONE, NONE), (1, 1), False, False),  # what makes none loses nothing by it
        ((CLASSIC, SMOTHERED), (0, 0), True, False),
        ((CLASSIC, CLASSIC), (1, 1), True, True),
        ((CLASSIC, CLASSIC), (1, 0), True, True),  # one of the two ways is enough for a warning
        ((CLASSIC, CLASSIC), (0, 1), True, True),
        ((CLASSIC, NONE), (1, 0), True, True),
        ((CLASSIC, NONE), (0, 1), True, False),
        ((NONE, CLASSIC), (0, 1), True, True),
    ],
)
def test_move_with_two_risky_ways_is_marked(makes, losing, block, lose):
    view, ways = seen((6, 4), makes, losing)
    label = hints("ding-niu").label(view, ways)
    assert ("a suan zhang" in label) is block
    assert label.endswith(" you may lose") is lose
    only = sum(made != NONE for made in makes) == 1
    assert (label.count(":") == 2) is only  # beside that of the tile: the ends of the one way that blocks


def test_label_names_the_ends_of_each_way():
    view, ways = seen((6, 4))
    assert hints("ding-niu").label(view, ways) in ("[6:4] leaves 4 or 6", "[6:4] leaves 6 or 4")
    assert hints("jie-long").label(view, ways) in ("[6:4] leaves 4 or 6", "[6:4] leaves 6 or 4")
    question, answers = hints("jie-long").choice(view, ways)
    assert {answer: int(PIPS[action % KINDS, action // KINDS]) for answer, action in answers.items()} == {
        "4": 4,
        "6": 6,
    }
    assert question.startswith("Which of its numbers stays open")
    view, ways = seen((6, 1))
    (fits,) = [way for way in ways if PIPS[way % KINDS, way // KINDS] == 4]
    assert sorted(hints("ding-niu").ends_after(view, fits).tolist()) == [1, 4]
    assert view.ends.tolist() == [6, 1]  # the view is somebody else's


def test_discard_names_its_cost():
    view, _ = seen((1, 1))
    assert hints("jie-long").label(view, [DISCARD + SIX_FOUR]) == "[6:4] 10"
    assert hints("jie-long").heading("discard", ["discard"]).startswith("Nothing fits")
    assert hints("jie-long").heading("discard", ["play", "discard"]).startswith("Or discard")
    assert hints("jie-long").heading("play", ["play", "discard"]) == "Play a tile"


def test_reminder_names_the_changes_by_options():
    assert "If you cannot, you discard" in hints("jie-long", forced_play=True).reminder()
    assert "If you cannot or will not, you discard" in hints("jie-long", forced_play=False).reminder()
    assert "the open number" in hints("jie-long", open_ends=1).reminder()
    assert "either open number" in hints("jie-long", open_ends=2).reminder()
    assert "doubled if just one" in hints("ce-deng").reminder()
    assert "doubled" not in hints("jie-long").reminder()
    korean = hints("jie-long", settlement="kkoribuchigi").reminder()
    assert "wins a chip from whoever has the most and, with fewer than 30, from everybody over 30." in korean
    assert "wins the difference from" in hints("jie-long", settlement="kkoribuchigi_difference").reminder()
    assert hints("jie-long", all_laid_doubles=True).reminder().endswith("the points of the others count double.")
    start = "face down, and its pips are points against you: "
    assert hints("ding-niu", suan_zhang=False).reminder().endswith(f"{start}whoever has the fewest wins.")
    by_points = hints("ding-niu", suan_zhang=False, settlement="points").reminder()
    assert by_points.endswith(f"{start}fewest points wins, and every two players settle their difference.")


LISTED = {  # a deal, and its moves as they are listed
    "lays": (
        ("shi-wu-hu", {"hands": ["66 22", "11"], "lake": "21"}),
        ["lay [2:2]  10", "lay [6:6]  30"],  # what counts least for others is first
    ),
    "catches": (
        ("shi-wu-hu", {"hands": ["66 22 33", "11"], "lake": "66 31"}),
        ["[6:6] catches [6:6]  +20", "[2:2] catches [3:1]  +20", "lay [3:3]  10", "lay [2:2]  10", "lay [6:6]  30"],
    ),
    "trick": (
        ("deer-hunt", {"hands": ["66 61", "43", "44", "51"], "trick": "54 64 32", "leader": 1, "to_act": 0}),
        ["[6:6]  6 red, takes the trick so far", "[6:1]  1 red"],
    ),
    "leads": (
        ("tien-gow", {"hands": ["66 63 21", "43 53 31", "44 65 32", "51 33 41"]}),
        ["[6:6][6:3] *", "[6:6] *", "[6:3] *", "[2:1]"],
    ),
    "discards": (
        ("tien-gow", {"hands": ["66 63 21", "54 53 31", "44 65 32", "51 33 41"]}, "66"),
        ["[3:1]", "[5:3]", "[5:4]"],  # the weakest first
    ),
}


@pytest.mark.parametrize(("deal", "labels"), LISTED.values(), ids=LISTED)
def test_moves_are_listed_with_their_values_best_first(deal, labels):
    game, tiles, *played = deal
    position = get_game(game).positions.from_tiles(**tiles).play(*played)
    told, view = position.game.hints(position.game, position.variant), position.view(position.state.to_act)
    assert [told.label(view, entry.actions) for entry in entries_of(told, view, position.mask())] == labels


def test_splits_are_listed_as_their_heading_says():
    session = Session(get_game("da-ling"), get_game("da-ling").variant(), 5)
    told, view = hints("da-ling"), session.view(session.seat)
    splits = entries_of(told, view, session.mask())
    stakes = [sum(map(int, re.findall(r"\d+(?=\+|$)", told.label(view, split.actions)))) for split in splits]
    assert "the highest stakes first" in told.heading("split", ["split"])
    assert stakes == sorted(stakes, reverse=True) and len(set(stakes)) > 2


def test_discards_together_are_as_many_as_are_due():
    position = get_game("tien-gow").positions.from_tiles(["66 63 21", "43 53 31", "44 65 32", "51 33 41"])
    told = hints("tien-gow")
    for move, left in (("66 63", 2), ("discard 31", 1), ("discard 43", 2)):
        assert told.discards(position.play(move).view(position.state.to_act)) == left


def test_move_value_is_the_better_of_its_two_ways():
    means, errors = np.array([[1.0, 3.0, 2.0, np.nan]]), np.array([[0.1, 0.2, 0.3, np.nan]])
    values = SimpleNamespace(means=means, errors=errors, deals=np.array([[200, 200, 50, 0]]))
    adviser = SimpleNamespace(values=lambda turn: values)
    moves = [Entry(Move("a"), [0, 1]), Entry(Move("b"), [2])]
    found, printed = scores(adviser, DecisionBatch(None, None, None), moves)
    assert [(each.action, each.mean, each.half) for each in found] == [(1, 3.0, WIDE * 0.2), (2, 2.0, WIDE * 0.3)]
    assert "up to 200 deals" in printed


def test_moves_of_one_verb_are_listed_together_heaviest_first():
    game = get_game("jie-long")
    mask = np.zeros(game.num_actions, bool)
    kinds = {tuple(sorted(map(int, PIPS[kind]))): kind for kind in range(KINDS)}
    for low, high in ((1, 1), (4, 6), (5, 6)):
        mask[[kinds[low, high], DISCARD + kinds[low, high]]] = True
    mask[KINDS + kinds[4, 6]] = True
    entries = entries_of(hints("jie-long"), np.zeros(1, game.view).view(np.recarray)[0], mask)
    assert [(entry.move.verb, entry.move.tiles) for entry in entries] == [
        (verb, (kinds[ends],)) for verb in ("play", "discard") for ends in ((5, 6), (4, 6), (1, 1))
    ]
    assert [len(entry.actions) for entry in entries] == [1, 2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("paid", "said"), [(0.0, "You come out even."), (1.0, "You win 1 chip."), (-3.0, "You lose 3 chips.")]
)
def test_result_is_worded_by_its_sign(paid, said):
    assert result(paid) == said


def test_card_names_the_rule_that_decides_and_not_the_move():
    card = make_agent("card", "jie-long")
    envs = VectorEnv("jie-long", 12, seed=3)
    agreed = set()
    for step in range(31):
        views, rng_keys = envs.views()
        batch = DecisionBatch(views, envs.masks.copy(), rng_keys)
        removed_by = card.removed_by(batch)
        for row in range(len(views)):
            legal = np.flatnonzero(batch.masks[row])
            narrowing = {int(rule) for rule in removed_by[row, legal]} - {len(card.rules)}
            for action in legal:
                rule = int(removed_by[row, action])
                sentence = by_card(card, removed_by[row], int(action))
                agrees = rule == len(card.rules)
                agreed.add((agrees, bool(narrowing)))
                if not narrowing:
                    assert sentence == ""
                    continue
                number = (max(narrowing) if agrees else rule) + 1
                words = "follows from" if agrees else "is an exception to"
                written = rule_in_words(envs.game, card.rules[number - 1])
                assert sentence == f"The best move {words} rule {number} of the card: {written}"
        envs.step(envs.sample(step))
    assert agreed == {(True, True), (False, True), (True, False)}


SIX_SIX, ONE_ONE, TWO_TWO = (next(kind for kind in range(KINDS) if set(PIPS[kind]) == {pips}) for pips in (6, 1, 2))


@pytest.mark.parametrize(
    ("best", "other", "tiles"),
    [
        (Move(tiles=(SIX_SIX,)), Move(tiles=(ONE_ONE,)), (SIX_SIX,)),
        (Move(tiles=(SIX_SIX,)), Move("discard", tiles=(SIX_SIX,)), ()),  # which tile is no question
        (Move(tiles=(SIX_SIX,)), Move("pass"), (SIX_SIX,)),
        (Move("pass"), Move(tiles=(SIX_SIX,)), ()),
        (Move(groups=((ONE_ONE,), (SIX_SIX, TWO_TWO))), Move(groups=((TWO_TWO,), (SIX_SIX, ONE_ONE))), (ONE_ONE,)),
        (Move(groups=((ONE_ONE,), (SIX_SIX, TWO_TWO))), Move(groups=((ONE_ONE,), (TWO_TWO, SIX_SIX))), ()),
        (Move(groups=((SIX_SIX, ONE_ONE), (TWO_TWO,))), Move(groups=((SIX_SIX, TWO_TWO), (ONE_ONE,))), (SIX_SIX,)),
    ],
)
def test_first_hint_names_tiles_that_not_every_move_is_made_with(best, other, tiles):
    values = SimpleNamespace(means=np.array([[2.0, 1.0]]), errors=np.zeros((1, 2)), deals=np.array([[200, 200]]))
    game = SimpleNamespace(id="a game without a card")
    turn, entries = DecisionBatch(None, None, None), [Entry(other, [1]), Entry(best, [0])]
    advice = advise(SimpleNamespace(values=lambda turn: values), game, None, turn, entries)
    assert advice.tiles == tiles and len(advice.steps) == bool(tiles)
    assert [value.mean for value in advice.values] == [1.0, 2.0]
    assert all("".join(map(tile_name, tiles)) in step for step in advice.steps)


@pytest.mark.parametrize(("error", "words"), [(0.0, "is an exception to"), (1.0, "follows from")])
def test_hint_explains_a_move_of_the_card_unless_another_is_better_beyond_noise(error, words):
    card, session = make_agent("card", "jie-long"), Session(get_game("jie-long"), get_game("jie-long").variant(), 5)
    turn = session.decision_batch()
    agreed = card.removed_by(turn)[0] == len(card.rules)
    means = np.where(session.mask(), np.where(agreed, 1.0, 0.0), np.nan)
    means[np.flatnonzero(session.mask() & ~agreed)[0]] = 2.0
    values = SimpleNamespace(means=means[None], errors=np.full((1, len(means)), error), deals=np.array([[200]]))
    entries = entries_of(hints("jie-long"), turn.views[0], session.mask())
    advice = advise(SimpleNamespace(values=lambda turn: values), session.game, session.variant, turn, entries)
    assert f"The best move {words} rule" in advice.steps[-1]
