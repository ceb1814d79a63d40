"""Cards: rules followed by a second program from their data alone, and the cards that ship with the package."""

import numpy as np
import pytest

from checkout import ROOT
from errors import one_line
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.card import MOST_RULES, CardAgent, CardRule, When, rule_in_words
from gupai_agents.evaluation import duel
from gupai_agents.registry import agent_names
from gupai_agents.shipped import shipped_card
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.game import Game

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
JIE_LONG = get_game("jie-long")


def drawn_rules(game: Game, rng: np.random.Generator) -> list[CardRule]:
    """Rules of every form about features of a game, at random."""
    names, rules = [feature.name for feature in game.features], []
    for form in range(MOST_RULES):
        some = [str(name) for name in rng.choice(names, 1 + form % 2, replace=False)]
        about = ({"most": some[0]}, {"fewest": some[0]}, {"number": "moves"}, {"number": "hand"}, None)[form % 5]
        bound = {str(rng.choice(["at_least", "at_most"])): int(rng.integers(0, 6))}
        rules.append(
            CardRule(
                keep={name: float(rng.choice([-2, -1, 1, 3])) for name in some},
                within=float(rng.choice([0, 0, 1, 2.5])),
                when=None if about is None else When(**about, **bound),
            )
        )
    return rules


def followed(game: Game, rules: list[CardRule], view: np.record, legal: list[int], hand: int) -> dict[int, int]:
    """Return by which rule each move goes, or how many rules there are, as a person would find it."""

    def value(name: str, action: int) -> float:
        return float(game.module.score(view, action, game.heuristic({name: 1.0})))

    gone, left = dict.fromkeys(legal, len(rules)), legal
    for index, rule in enumerate(rules):
        if (when := rule.when) is not None:
            counted = {"moves": len(legal), "hand": hand}.get(when.number)
            if counted is None:
                values = [value(when.most or when.fewest, action) for action in legal]
                counted = max(values) if when.most else min(values)
            if not (counted >= when.at_least if when.at_most is None else counted <= when.at_most):
                continue
        sums = {action: sum(weight * value(name, action) for name, weight in rule.keep.items()) for action in left}
        kept = [action for action in left if sums[action] >= max(sums.values()) - rule.within - 1e-6]
        gone |= dict.fromkeys(set(left) - set(kept), index)
        left = kept
    return gone


@pytest.mark.parametrize("game", [JIE_LONG, get_game("tien-gow"), get_game("small-mahjong")], ids=lambda game: game.id)
def test_card_is_followed_as_a_person_would(game):
    rng = np.random.default_rng(1)
    envs = VectorEnv(game, 8, seed=8)
    for step in range(6):
        views, rng_keys = envs.views()
        batch = DecisionBatch(views, envs.masks.copy(), rng_keys)
        rules = drawn_rules(game, rng)
        card = CardAgent(game, "card", rules)
        actions, removed_by = card.act(batch), card.removed_by(batch)
        hands = game.encoder.layout.split(batch.observations(game))["hand"].sum(1)
        for row, view in enumerate(views):
            legal = np.flatnonzero(batch.masks[row]).tolist()
            if len(legal) > 200:
                continue
            expected = followed(game, rules, view, legal, int(hands[row]))
            assert {action: int(removed_by[row, action]) for action in legal} == expected
            assert expected[int(actions[row])] == len(rules)
            kept = [action for action, index in expected.items() if index == len(rules)]
            assert card.probabilities(batch)[row, kept] == pytest.approx(1 / len(kept))
        assert (removed_by[~batch.masks] == -1).all()
        envs.step(envs.sample(step))


@every_game
def test_shipped_card_is_short_in_words_and_better_than_greedy(game):
    written = shipped_card(game, game.variant())
    card = make_agent("card", game)
    assert 1 <= len(card.rules) == len(written["adds"]) <= MOST_RULES
    assert len({rule_in_words(game, rule) for rule in card.rules}) == len(card.rules)
    assert agent_names(game).count("card") == 1
    deals = {"pai-gow": 3000, "small-mahjong": 1000}.get(game.id, 300)
    assert duel(game, "card", "greedy", deals, seed=4).mean(0).mean > 0


@pytest.mark.parametrize(
    ("rules", "wrong"),
    [
        ([{"keep": {"pipz": 1}}], "'pipz' is not a feature"),
        ([{"keep": {"pips": 1}, "when": {"most": "pipz", "at_least": 1}}], "'pipz' is not a feature"),
        ([{"keep": {"pips": 1}}] * (MOST_RULES + 1), "at most 10 rules, not 11"),
    ],
)
def test_card_that_cannot_be_followed_is_refused_in_one_line(rules, wrong):
    with pytest.raises(ValueError, match=wrong) as error:
        CardAgent(JIE_LONG, "card", [CardRule(**rule) for rule in rules])
    one_line(error)


@pytest.mark.parametrize(
    "when", [{"number": "moves"}, {"at_least": 1}, {"number": "moves", "at_least": 1, "at_most": 2}]
)
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
