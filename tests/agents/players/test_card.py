"""Cards: rules followed from their data alone, and printed sentences followed by a reader that knows nothing else."""

import contextlib
import os

import numpy as np
import pytest

from benchmarks.card_search import sampled
from checkout import ROOT
from commands import answer
from errors import one_line
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.players.card import MOST_RULES, CardAgent, CardRule, When, card_words, notes, rule_in_words
from gupai_agents.registry import agent_names
from gupai_agents.shipped import shipped_card
from gupai_env import GAMES, get_game
from gupai_env.core.game import Game
from second_reader import FACTS, Reader, sentences

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
JIE_LONG = get_game("jie-long")
DECISIONS = int(os.environ.get("CARD_DECISIONS", "300"))  # of each card, followed by its sentences


def names_of_moves(game: Game) -> list[str]:
    """Features in which the moves of a decision can differ: all that have words but those of the position."""
    return [name for name, words in card_words(game).items() if words[0] not in FACTS and "{number}" not in words[0]]


def drawn_rules(game: Game, rng: np.random.Generator, number: int = MOST_RULES) -> list[CardRule]:
    """Rules for which a game has words, at random, half of them with a condition."""
    features, rules = {feature.name: feature for feature in game.features}, []
    while len(rules) < number:
        name, other = str(rng.choice(names_of_moves(game))), str(rng.choice(list(card_words(game))))
        bound = {str(rng.choice(["at_least", "at_most"])): int(rng.integers(0, 4))}
        if features[other].unit == "1 if so":
            bound = [{"at_least": 1}, {"at_most": 0}][rng.integers(2)]
        about = ({"most": other}, {"fewest": other}, {"number": "hand"})[rng.integers(3)]
        rule = CardRule(
            **{str(rng.choice(["most", "fewest"])): name},
            within=int(rng.choice([0, 0, 1, 3])) if features[name].unit != "1 if so" else 0,
            when=When(**about, **bound) if rng.random() < 0.5 else None,
        )
        with contextlib.suppress(ValueError):  # the game has no words for it
            rule_in_words(game, rule)
            rules.append(rule)
    return rules


@every_game
def test_shipped_card_is_short_in_words_and_better_than_greedy(game):
    written = shipped_card(game, game.variant())
    card = make_agent("card", game)
    assert 1 <= len(card.rules) == len(written["adds"]) <= MOST_RULES
    sentences = [rule_in_words(game, rule) + "." for rule in card.rules]
    assert len(set(sentences)) == len(sentences) and max(map(len, sentences)) < 100
    assert all(float(mean) > float(half) for mean, half in (adds.split(" ±") for adds in written["adds"]))
    assert agent_names(game).count("card") == 1
    deals = {"pai-gow": 3000, "small-mahjong": 1000}.get(game.id, 300)
    assert duel(game, "card", "greedy", deals, seed=4).mean(0).mean > 0


def drawn_decisions(game: Game, number: int, seed: int) -> DecisionBatch:
    """Return decisions of the card, of a stronger player and of chance."""
    players = [make_agent(name, game) for name in ("card", "tuned", "random")]
    return sampled(game, game.variant(), players, [0.4, 0.3, 0.3], number, seed, np.random.default_rng(seed))


def differences(game: Game, rules: list[CardRule], batch: DecisionBatch, lines: list[str] | None = None) -> list[str]:
    """Return where the rules remove other moves than their sentences do, or one later: move by move both rules."""
    reader, found = Reader(game, lines or [rule_in_words(game, rule) for rule in rules]), []
    removed_by = CardAgent(game, "card", rules).removed_by(batch)
    for view, mask, removed in zip(batch.views, batch.masks, removed_by, strict=True):
        read = reader.removed_by(view, mask)
        if read != {action: removed[action] for action in read}:
            named = {game.move(action, view).name: (int(removed[action]), read[action]) for action in read}
            found.append(f"{game.scene(game.variant(), [view])}: (card, reader) {named}")
    return found


@every_game
def test_printed_card_says_what_is_played(game):
    lines = sentences(answer("rules", game.id, "--card"))
    card, batch = make_agent("card", game), drawn_decisions(game, DECISIONS, 11)
    assert len(lines) == len(card.rules)
    assert not differences(game, list(card.rules), batch, lines)[:1]


@every_game
def test_all_words_of_a_game_mean_what_they_count(game):
    rng, batch = np.random.default_rng(12), drawn_decisions(game, 120, 13)
    for start in range(0, 120, 3):
        rules, some = drawn_rules(game, rng, 3), batch.at(np.arange(start, start + 3))
        assert not differences(game, rules, some), rules
        card = CardAgent(game, "card", rules)
        left = card.removed_by(some) == len(rules)
        assert ((card.removed_by(some) == -1) == ~some.masks).all() and left.any(1).all()
        assert left[np.arange(3), card.act(some)].all()
        np.testing.assert_allclose(card.probabilities(some), left / left.sum(1, keepdims=True))
    some = batch.at(np.arange(20))
    for rule in [CardRule(**{sense: name}) for name in names_of_moves(game) for sense in ("most", "fewest")]:
        assert not differences(game, [rule], some), rule


@every_game
def test_notes_say_how_to_count_what_a_card_speaks_of(game):
    some = [CardRule(most=name) for name in card_words(game)]
    assert dict(notes(game, some)) == dict(game.guide.Guide.card_notes)  # none is about words that no rule has
    texts = " ".join(rule_in_words(game, rule) for rule in make_agent("card", game).rules)
    assert {part for part, _ in notes(game, make_agent("card", game).rules)} == {
        part for part in game.guide.Guide.card_notes if part in texts
    }


@pytest.mark.parametrize(
    ("rules", "wrong"),
    [
        ([{"most": "pipz"}], "'pipz' is not a feature"),
        ([{"most": "pips", "when": {"most": "pipz", "at_least": 1}}], "'pipz' is not a feature"),
        ([{"most": "pips"}] * (MOST_RULES + 1), "at most 7 rules, not 8"),
    ],
)
def test_card_that_cannot_be_followed_is_refused_in_one_line(rules, wrong):
    with pytest.raises(ValueError, match=wrong) as error:
        CardAgent(JIE_LONG, "card", [CardRule(**rule) for rule in rules])
    one_line(error)


def test_rule_needs_one_feature_that_has_words():
    with pytest.raises(ValueError, match="a rule needs either most or fewest"):
        CardRule(most="pips", fewest="double")
    with pytest.raises(ValueError, match="jie-long has no words for the feature late_pips"):
        rule_in_words(JIE_LONG, CardRule(most="late_pips"))
    for name in ("double", "rank"):
        with pytest.raises(ValueError, match="no words for moves near those with the most or the fewest"):
            rule_in_words(get_game("deer-hunt") if name == "rank" else JIE_LONG, CardRule(most=name, within=1))


def test_condition_asks_about_the_moves_that_are_left():
    """Of [6:6] and two lighter tiles the first rule leaves the lighter ones, and then no move has as many pips."""
    rules = [CardRule(fewest="double"), CardRule(most="pips", when=When(most="pips", at_least=12))]
    position = JIE_LONG.positions.from_tiles(["66 61 62", "11 33 44", "55 22 65", "51 31 53"])
    turn = DecisionBatch(position.view_row(0), position.mask()[None], np.zeros(1, np.uint64))
    kept = np.flatnonzero(CardAgent(JIE_LONG, "card", rules).removed_by(turn)[0] == 2)
    assert {JIE_LONG.move(int(action)).unturned.name for action in kept} == {"[6:1]", "[6:2]"}
    assert not differences(JIE_LONG, rules, turn)


@pytest.mark.parametrize("when", [{"number": "hand"}, {"at_least": 1}, {"number": "hand", "at_least": 1, "at_most": 2}])
def test_condition_needs_one_quantity_and_one_bound(when):
    with pytest.raises(ValueError, match="a condition needs"):
        When(**when)


@every_game
def test_page_on_players_says_how_good_each_card_is(game):
    page = (ROOT / "docs" / "players.md").read_text(encoding="utf-8")
    written = shipped_card(game, game.variant())
    shares = [written[name] for name in ("closes", "closes_against_greedy", "closes_against_best")]
    deals = f"{written['judged_in']['deals']:,}"
    assert f"| {game.title} | {' | '.join(shares)} | {len(written['rules'])} | {deals} |" in page
