"""Why a move is better than another: a sentence of the two, whose numbers are those of the position."""

import functools
import re
from itertools import permutations

import pytest

from gupai_agents.players.heuristics import scores_of
from gupai_agents.shipped import tuned_weights
from gupai_app.play.moves import entries_of
from gupai_app.play.reasons import EXPLAINED, MOST_LETTERS, feature_values, grounds, reason
from gupai_app.play.session import Session
from gupai_env.core.move import PLAY
from gupai_env.core.rng import draw
from gupai_env.core.tiles import size
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import Guide, guide_of, tiles_of
from gupai_env.messages import capitalized, word
from variants import some_variants

FORMULA = re.compile(r"count|weight|feature|score|×|\*|=|[-+]\d|\d\.\d|_|[{}]|\bnan\b")


@functools.cache
def decisions(name, deals=2):
    """List decisions of deals of drawn moves, with the actions by the score of the best heuristic, the best first."""
    game = get_game(name)
    weights, listed = game.heuristic(tuned_weights(game, game.variant())), []
    for deal in range(deals * (15 if game.simultaneous else 1)):
        session = Session(game, game.variant(), deal)
        while not session.terminated:
            turn = session.decision_batch()
            entries = entries_of(game.hints(game, session.variant), turn.views[0], session.mask())
            scores = scores_of(game, weights, turn)[0]
            ranked = sorted((max(entry.actions, key=lambda action: scores[action]) for entry in entries),
                            key=lambda action: -scores[action])  # fmt: skip
            if len(ranked) > 1:
                listed.append((turn.views[0], ranked, scores))
            session.play(entries[draw(deal, len(session.actions), len(entries))].actions[0])
    return listed[:: 1 + len(listed) // 60]  # a sentence takes a millisecond


# The numbers in sentences and the features whose values they are; a share stands for hundredths.
CONNECTING = {
    r"costs (\w+)(?: points|$| and)": "discard_pips",
    r"lays (\d+) pips": "pips",
    r"keeps (\w+) different numbers": "variety",
    r"open to (\w+) of your tiles": "own_next",
    r"against (\w+) unseen": "unseen_next",
    r"keeps an answer to (\w+) unseen": "answers",
}
FISHING = {
    r"adds (\w+) (?:points? )?to your catch": "points",
    r"offers (?:up to )?(\w+) points? to": "laid",
    r"offers .* to (\w+) unseen": "catchers",
    r"offers .* to (nobody)": "catchers",
    r"keeps (\w+) (?:tiles? )?that can catch it back": "own_catchers",
    r"catches (\w+) red pips?": "red",
}
NUMBERS = {
    "jie-long": CONNECTING,
    "ce-deng": CONNECTING,
    "ding-niu": {
        **CONNECTING,
        r"lets (\w+) of your tiles make": "own_threat",
        r"lets (\w+) unseen tiles? make": "threat",
    },
    "da-ling": {rf"the {name} about (\d+)%": f"{name}_probability" for name in ("single", "pair", "triple")}
    | {r"matches groups of (\d+) chips": "stakes"},
    "tiu-u": FISHING,
    "shi-wu-hu": {
        **FISHING,
        r"keeps (\w+) points from another": "denies",
        r"gets (\w+) (?:tiles? )?of (?:a )?groups?": "keeps",
    },
    "small-mahjong": {
        r"waiting for (\w+)(?: unseen|$|;)": "outs",
        r"triplets? with (\w+) unseen": "partners",
        r"keeps (\w+) pairs? that lack": "pairs",
    },
    "tien-gow": {
        r"leads (\w+) (?:tiles|single)": "tiles",
        r"saves you (\w+) chips?": "owed",
        r"^\[.*breaks up (\w+) sets?": "breaks",
        r"^.iscarding.*breaks up (\w+) sets?": "discard_breaks",
        r"keeps (\w+) (?:combinations? )?that (?:nobody|is)": "controls",
    },
    "deer-hunt": {r"wins (?:about )?(\w+) red": "ours", r"gives them (?:about )?(\w+) red": "theirs"},
    "pai-gow": {r"beats (\d+)% of high": "high_probability", r"and (\d+)% of low": "low_probability"},
}
IN_WORDS = {**dict.fromkeys(("no", "none", "nothing", "nobody"), 0), "one": 1, "a": 1}


@pytest.mark.parametrize("name", GAMES)
def test_reason_names_both_moves_with_their_numbers_and_no_formula(name):
    game = get_game(name)
    guide, sentences, read = guide_of(game, game.variant()), [], set()
    for view, (best, *others), _ in decisions(name):
        for rival in {others[0], others[-1]}:
            sentence = reason(guide, view, best, rival)
            if not sentence:
                continue
            sentences.append(sentence)
            assert len(sentence) <= MOST_LETTERS and not FORMULA.search(sentence), sentence
            first, _, second = sentence.partition("; ")
            assert first.startswith(capitalized(guide.subject(view, best))), sentence
            if second:
                assert second.startswith(guide.subject(view, rival)), sentence
            else:  # what the better move does names the other one
                assert tiles_of(game.move(rival, view)) in first
            for clause, action in ((first, best), (second, rival)):
                values = feature_values(guide, view, action)
                for pattern, feature in NUMBERS[name].items():
                    if (found := re.search(pattern, clause)) and not (feature == "outs" and "laiming" in clause):
                        number = IN_WORDS.get(found[1], found[1])
                        value = values[feature] * (100 if feature.endswith("probability") else 1)
                        if feature == "outs" and clause.lower().startswith("passing"):
                            value = size(view.unseen & (7 * int(view.waits)))
                        assert int(number) == round(value), (sentence, feature)
                        read.add(feature)
    assert len(sentences) > 10 and len(set(sentences)) > 0.5 * len(sentences)
    assert len(read) >= 2


def test_fish_without_points_has_none_for_others():
    guide, offers = guide_of(get_game("tiu-u"), get_game("tiu-u").variant()), set()
    for view, actions, _ in decisions("tiu-u"):
        for action in actions:
            slots = guide.slots(view, action, actions[0], feature_values(guide, view, action))
            if not slots["offered"] and "nobody" not in slots["offers"]:
                offers.add(slots["offers"])
    assert {word(text) for text in offers} == {"takes a fish without points", "offers nothing"}


def test_tile_that_may_be_discarded_too_is_not_called_kept():
    game = get_game("tien-gow")
    guide, kept = guide_of(game, game.variant()), 0
    for seed in range(4):
        session = Session(game, game.variant(), seed)
        while not session.terminated:
            view, entries = session.view(session.seat), entries_of(guide, session.view(session.seat), session.mask())
            thrown = [entry.actions[0] for entry in entries if entry.move.discards and guide.discards(view) > 1]
            for move, rival in permutations(thrown, 2):
                if f"keeps {tiles_of(game.move(rival))}, which is higher" in reason(guide, view, move, rival):
                    assert rival < move  # several tiles are discarded in the order of their actions
                    kept += 1
            session.play(entries[0].actions[0])  # of most tiles
    assert kept


def test_tile_that_counts_more_in_a_full_group_is_said_to_count_up_to_that():
    guide, offers = guide_of(get_game("shi-wu-hu"), get_game("shi-wu-hu").variant()), set()
    for view, actions, _ in decisions("shi-wu-hu"):
        offers |= {str(guide.slots(view, action, actions[0], {})["offers"]) for action in actions}
    assert not any(re.search(r"(takes|offers) \w+ points?", text) for text in offers)
    assert any("takes up to 30 points that" in text for text in offers)


@pytest.mark.parametrize("name", GAMES)
def test_no_reason_where_the_best_heuristic_prefers_the_other_move(name):
    game = get_game(name)
    guide = guide_of(game, game.variant())
    told = clear = 0
    for view, ranked, scores in decisions(name):
        assert reason(guide, view, ranked[-1], ranked[0]) == "" or scores[ranked[-1]] == scores[ranked[0]]
        if scores[ranked[0]] > scores[ranked[-1]]:
            clear += 1
            told += bool(reason(guide, view, ranked[0], ranked[-1]))
    assert told > 0.7 * clear  # of its best and its worst move most pairs can be told apart in words
    assert clear > 10 or name in ("pai-gow", "da-ling")


@pytest.mark.parametrize("name", GAMES)
def test_features_of_a_reason_are_the_score(name):
    game = get_game(name)
    weights = tuned_weights(game, game.variant())
    guide = guide_of(game, game.variant())
    for view, ranked, scores in decisions(name)[::2]:
        values = feature_values(guide, view, ranked[0])
        assert sum(weights.get(each, 0) * value for each, value in values.items()) == pytest.approx(
            scores[ranked[0]], abs=1e-2 if name in ("da-ling", "tiu-u") else 1e-3
        )


@pytest.mark.parametrize("name", GAMES)
def test_phrases_are_of_features(name):
    game = get_game(name)
    guide, features = guide_of(game, game.variant()), {feature.name for feature in game.features}
    assert guide.phrases and set(guide.phrases) <= features
    others = {each for phrase in guide.phrases.values() for each in phrase.weighs}
    shared = {"laid_now", "sets"}  # of one of the fishing games
    assert others <= features | shared


@pytest.mark.parametrize("name", GAMES)
def test_every_variant_and_move_may_be_told_of(name):
    game, subjects = get_game(name), set()
    for number, variant in enumerate(some_variants(game)):
        session, guide = Session(game, variant, number), guide_of(game, variant)
        while not session.terminated and len(session.actions) < 5:
            view, legal = session.view(session.seat), list(map(int, session.mask().nonzero()[0]))
            for rival in legal[1 :: len(legal) // 3 + 1]:
                reason(guide, view, rival, legal[0])
                subjects.add(guide.subject(view, rival))
            session.play(legal[draw(number, len(session.actions), len(legal))])
    verbs = {move.verb for move in game.moves} - {PLAY}
    assert not verbs & subjects  # a move that is named by its verb goes by another form of it in a sentence


def test_game_without_phrases_has_no_reason():
    game = get_game("jie-long")
    view, ranked, _ = decisions("jie-long")[0]
    assert reason(Guide(game, game.variant()), view, ranked[0], ranked[-1]) == ""
    assert not grounds(Guide(game, game.variant()), view, ranked[0], ranked[-1])


def test_reason_speaks_of_most_of_the_lead():
    game = get_game("tien-gow")
    guide = guide_of(game, game.variant())
    for view, ranked, _ in decisions("tien-gow"):
        if reason(guide, view, ranked[0], ranked[-1]):
            shares = sorted((ground.share for ground in grounds(guide, view, ranked[0], ranked[-1])), reverse=True)
            assert sum(shares[:2]) >= EXPLAINED
