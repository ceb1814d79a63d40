"""What a person is told of moves: words that warn, ends that stay open, and which of two ways is meant."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.players.search import Values
from gupai_app.play.moves import WIDE, Entry, advise, bound_text, card_keeps, entries_of, move_values, value_texts
from gupai_app.play.session import Session
from gupai_app.server.players import adviser
from gupai_app.words.sentences import result
from gupai_env import get_game
from gupai_env.core.move import Move
from gupai_env.core.tiles import KINDS, PIPS, tile_name
from gupai_env.games import GAMES
from gupai_env.games.ding_niu.rules import CLASSIC, DISCARD, NONE, SMOTHERED
from gupai_env.messages import word

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
    assert sorted(hints("ding-niu").ends_after(view, fits)) == [1, 4]
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


def compared(means, deals=None, halves=None):
    """What a search says of one decision, NaN where an action is not legal; the first best one is what it compares
    with, by differences whose intervals have these halves.
    """
    means = np.array([means], float)
    deals = np.where(np.isnan(means), 0, 200) if deals is None else np.array([deals])
    best = np.array([int(np.nanargmax(np.where(deals == deals.max(), means, -np.inf)))], np.int16)
    gains = means - means[0, best[0]]
    halves = np.where(gains, 1.0, 0.0) if halves is None else np.array([halves], float)
    errors = np.full_like(means, 7 / WIDE)
    return Values(means, errors, deals, gains, halves / WIDE, best, np.array([np.nan]))


def test_move_value_is_the_better_of_its_two_ways():
    values = compared([1.0, 3.0, 2.0, np.nan, 5.0], [200, 200, 200, 0, 50], [0.5, 0, 0.25, 0, 0.125])
    first, second, third = move_values(values, 0, [[0, 1], [2], [4, 2]])
    assert first == (1, 3.0, 0.0, 0.0, 7.0, 200, False)
    assert second == third == (2, 2.0, 1.0, 0.25, 7.0, 200, False)  # an action that was left out is not the better one
    (left_out,) = move_values(values, 0, [[4]])
    assert left_out == (4, 5.0, -2.0, 0.125, 7.0, 50, True)


def test_values_are_told_by_their_differences_from_the_best_and_bounds():
    means, deals = [-0.4231, -0.4229, -0.3, -2.0, np.nan], [200, 200, 200, 40, 0]
    values = move_values(compared(means, deals, [0.041, 0.041, 0, 0.26, 0]), 0, [[0], [1], [2], [3]])
    assert [word(text) for text in value_texts(values)] == [
        "-0.4231 ±0.041",  # they differ, so they do not look alike
        "-0.4229 ±0.041",
        "-0.300",
        "at most -1.60 (dropped after 40 deals)",  # three standard errors
    ]
    assert word(bound_text(values[3]._replace(half=0.2585))) == "at most -1.60 (dropped after 40 deals)"  # not below
    assert [value.action for value in sorted(values, key=lambda value: value.rank)] == [2, 1, 0, 3]


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
def test_first_hint_names_tiles_that_not_every_move_is_made_with(best, other, tiles, monkeypatch):
    values, game = compared([2.0, 1.0]), get_game("jie-long")
    monkeypatch.setattr("gupai_app.play.moves.card_agent", lambda game, variant: None)
    monkeypatch.setattr("gupai_app.play.moves.in_words", lambda move: "a move")
    monkeypatch.setattr("gupai_app.play.moves.reason", lambda *_: "")
    turn, entries = Session(game, game.variant(), 5).decision_batch(), [Entry(other, [1]), Entry(best, [0])]
    advice = advise(SimpleNamespace(compare=lambda turn: values), game, game.variant(), turn, entries)
    assert advice.tiles == tiles and len(advice.steps) == bool(tiles)
    assert [value.mean for value in advice.values] == [1.0, 2.0]
    assert all("".join(map(tile_name, tiles)) in step for step in advice.steps)


def advised(game, kept_loss, other_half, *, before=None, kept_dropped=False):
    """The hints of a position in which the card's best move loses so much to another move."""
    session = Session(get_game(game), get_game(game).variant(), 5)
    turn, variant = session.decision_batch(), session.variant
    entries = entries_of(hints(game), turn.views[0], session.mask())
    kept = np.array(card_keeps(session.game, variant, turn))
    best = next(entry.actions[0] for entry in entries if not kept[entry.actions].any())
    means = np.where(session.mask(), np.where(kept, 1.0 - kept_loss, -9.0), np.nan)
    means[best] = 1.0
    halves = np.where(np.arange(len(means)) == best, 0.0, other_half)
    deals = np.where(session.mask(), np.where(kept & kept_dropped, 50, 200), 0)
    values = compared(means, deals, halves)
    adviser = SimpleNamespace(compare=lambda turn: values)
    spoken = None if before is None else entries[before]
    return entries, advise(adviser, session.game, variant, turn, entries, spoken), best, kept


@pytest.mark.parametrize(
    ("loss", "half", "own"),
    [(0.5, 1.0, True), (0.5, 0.9, False), (0.9, 1.0, False), (0.0, 0.0, True)],  # within a standard error, or not
)
def test_hint_speaks_of_a_move_of_the_card_unless_another_is_better_beyond_noise(loss, half, own):
    _, advice, best, kept = advised("jie-long", loss, half)
    assert kept[advice.entry.actions].any() == own
    assert (best in advice.entry.actions) != own
    told = word(advice.verdict)
    if not own:
        assert "is the best move" in told
        return
    assert "is as good as the best" in told or not loss


def test_no_hint_where_every_move_brings_the_same():
    game, values = get_game("tien-gow"), compared([2.0, 2.0])
    turn, entries = (
        Session(game, game.variant(), 5).decision_batch(),
        [Entry(game.moves[0], [0]), Entry(game.moves[1], [1])],
    )
    for before in (None, *entries):
        advice = advise(SimpleNamespace(compare=lambda turn: values), game, game.variant(), turn, entries, before)
        assert (advice.steps, advice.tiles, word(advice.verdict)) == ([], (), "Every move brings the same")


def test_move_that_was_left_out_early_is_never_called_as_good():
    _, advice, best, _ = advised("jie-long", 0.1, 1.0, kept_dropped=True)
    assert best in advice.entry.actions and "as good" not in word(advice.verdict)


def test_hints_without_a_search_are_not_contradicted_in_silence():
    entries, _, _, kept = advised("jie-long", 3.0, 1.0)
    first = next(index for index, entry in enumerate(entries) if kept[entry.actions].any())
    _, again, _, _ = advised("jie-long", 0.9, 1.0, before=first)  # within the noise: it stays
    assert again.entry == entries[first] and "speak for another" not in word(again.steps[0])
    assert "is as good as the best" in word(again.verdict) and "(difference 0.9 ±1.0)" in word(again.verdict)
    _, changed, best, _ = advised("jie-long", 3.0, 1.0, before=first)
    assert best in changed.entry.actions and "speak for another move" in word(changed.steps[0])
    assert "it brings 3.0 ±1.0 chips more than" in word(changed.verdict)


def decisions_of(game, most):
    """Decisions with a choice from deals that `random` plays, with their moves."""
    variant, agent = GAMES[game].variant(), make_agent("random", game)
    for seed in range(most):
        session = Session(GAMES[game], variant, seed)
        while not session.terminated:
            turn = session.decision_batch()
            if turn.masks.sum() > 1:
                yield turn, entries_of(hints(game), turn.views[0], turn.masks[0])
                if (most := most - 1) == 0:
                    return
            session.play(session.answer(agent))


def named_move(game, turn, entries):
    """The hints of a decision, checked: they speak of the best move, or of one that is as good within the noise."""
    advice = advise(adviser(GAMES[game], GAMES[game].variant()), GAMES[game], GAMES[game].variant(), turn, entries)
    named = advice.values[entries.index(advice.entry)]
    full = [value for value in advice.values if not value.dropped]
    best = max(full, key=lambda value: value.mean)
    assert best.loss == 0 and named in full
    assert named.loss <= named.half
    assert ("is as good as the best" in word(advice.verdict)) == (named.loss > 0)
    texts = [word(text).split(" ±")[0] for text in value_texts(advice.values) if "at most" not in word(text)]
    assert all(
        (one[1].mean - other[1].mean > 1e-9) <= (one[0] != other[0])
        for one, other in itertools.permutations(zip(texts, full, strict=True), 2)
    )
    return advice


@pytest.mark.parametrize("game", GAMES)
def test_named_move_is_the_best_or_as_good(game):
    assert [named_move(game, *decision) for decision in decisions_of(game, 6)]
