"""The ladder: every player meets the quick ones in the same deals; what ships as `tuned` is the best of them."""

import json

import numpy as np
import pytest

from commands import gupai
from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.tournaments.ladder import DECISIONS, play_ladder, some_decisions
from gupai_agents.shipped import TUNED, shipped_heuristics, tuned_weights
from gupai_env import GAMES, get_game

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


DEALS = {"pai-gow": 20_000}  # where players differ by thousandths of a chip
# Chips within which `tuned` stays of players that leave no room: docs/players.md
CLOSE = {("small-mahjong", "counting"): 0.15, ("pai-gow", "house"): 0.006}


@every_game
def test_tuned_beats_every_hand_written_player(game):
    tuned = make_agent(TUNED, game)
    for name in game.heuristics:
        won = duel(game, tuned, make_agent(name, game), DEALS.get(game.id, 2000), seed=77).mean(0)
        if (game.id, name) in CLOSE:
            assert abs(won.mean) < CLOSE[game.id, name]
        else:
            assert won.low > 0, (name, won)


@every_game
def test_weights_come_with_their_variant_and_provenance(game):
    first, *others = shipped_heuristics(game.id)
    assert first["variant"] == {}
    for heuristic in (first, *others):
        assert heuristic["game"] == game.id
        assert set(heuristic["weights"]) <= {feature.name for feature in game.features}
        assert heuristic["provenance"]["generations"] > 0
        variant = game.variant.make(**heuristic["variant"])
        assert tuned_weights(game, variant) == heuristic["weights"]
        assert (
            make_agent(TUNED, game, **heuristic["variant"]).weights.tolist()
            == game.heuristic(heuristic["weights"]).tolist()
        )


def test_tuned_is_chosen_by_the_options_that_hold():
    jie_long = get_game("jie-long")
    found = {tuple(heuristic["variant"].items()): heuristic["weights"] for heuristic in shipped_heuristics("jie-long")}
    forced = jie_long.variant.make(forced_play=True, players=2, double_lock=True)
    assert tuned_weights(jie_long, forced) == found[("forced_play", True), ("players", 2)]
    assert tuned_weights(jie_long, jie_long.variant.make(stake=5)) == found[()]


def test_ladder_equals_duels():
    names = [*agent_names("jie-long"), "search:playouts=2"]
    agents = [make_agent(name, "jie-long") for name in names]
    found = play_ladder("jie-long", agents, 12, 4, seed=4)
    assert found.rivals == ("random", "greedy", "variety", "card", "tuned", "best")
    assert {rung.player for rung in found.rungs} == set(names)
    totals = [rung.total.mean for rung in found.rungs]
    assert totals == sorted(totals, reverse=True)
    for rung in found.rungs:
        deals = 4 if rung.player.startswith("search") else 12
        hero, won = agents[names.index(rung.player)], []
        for rival, chips in zip(agents, rung.chips, strict=False):
            expected = duel("jie-long", hero, rival, deals, seed=4).chips[:, :, 0].mean(1)
            assert chips.mean == pytest.approx(expected.mean()) and chips.samples == rung.deals == deals
            won += [] if rival is hero or rival.name == "random" else [expected]
        assert rung.total.mean == pytest.approx(np.mean(won))
        assert rung.speed > 0


def test_decisions_are_drawn_from_all_moments_of_a_deal():
    turns = some_decisions(get_game("jie-long"), make_agent("greedy", "jie-long"), get_game("jie-long").variant())
    assert len(turns.rng_keys) == len(turns.views) == len(turns.masks) == DECISIONS
    assert len(set(turns.rng_keys.tolist())) == DECISIONS
    assert set(turns.views.turn.tolist()) == set(range(32))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["greedy"], "a ladder needs two or more agents"),
        (["search:playouts=1", "search:playouts=2"], "or more agents that do not search"),
        (["greedy", "search:playouts=1"], "or more agents that do not search"),  # greedy would have no rival
    ],
)
def test_invalid_ladder_is_refused_in_one_line(names, message):
    with pytest.raises(ValueError, match=message):
        play_ladder("jie-long", [make_agent(name) for name in names], 10, 10)


@pytest.mark.parametrize(("deals", "few", "message"), [(10, 11, "few=11"), (10, 1, "few=1"), (1, 1, "deals=1")])
def test_ladder_deals_are_bounded(deals, few, message):
    with pytest.raises(ValueError, match=f"^{message} is not allowed"):
        play_ladder("jie-long", [make_agent("random"), make_agent("greedy", "jie-long")], deals, few)


def test_command_prints_a_table_and_the_same_as_json(monkeypatch):
    words = ["ladder", "tiu-u", "--deals", "20", "--few", "2", "-o", "must_catch=true"]
    monkeypatch.setattr("sys.argv", ["gupai", *words])
    monkeypatch.setattr("gupai_app.tournaments.terminal.SEARCHES", ("search:playouts=3",))
    climbed = []

    def once(*arguments, **options):
        climbed[:] = climbed or [play_ladder(*arguments, **options)]
        return climbed[0]

    monkeypatch.setattr("gupai_agents.evaluation.tournaments.ladder.play_ladder", once)
    table = gupai(*words, catch_exceptions=False).stdout
    content = json.loads(gupai(*words, "--json", catch_exceptions=False).stdout)
    assert content["changed"] == {"must_catch": True} and content["seed"] == 0
    assert content["command"].startswith("gupai ladder tiu-u --deals 20")
    assert content["rivals"] == ["random", "greedy", "careful", "card", "tuned"]
    assert "tiu-u v0, must_catch=True; seed 0" in table
    rows = {cells[0]: cells[1:] for line in table.splitlines() if len(cells := line.split()) > 8}
    for rung, shown in zip(climbed[0].rungs, content["rungs"], strict=True):
        won = dict(zip(climbed[0].rivals, rung.chips, strict=True))
        won.pop(rung.player, None)  # it does not meet itself
        assert shown["player"] == rung.player and shown["deals"] == rung.deals
        assert shown["against"] == {name: found.as_numbers() for name, found in won.items()}
        assert shown["all_but_random"] == rung.total.as_numbers()
        figures = [word for found in (*won.values(), rung.total) for word in str(found).split()]
        assert rows[rung.player] == [*figures, str(rung.deals), f"{rung.speed:,.0f}"]


def test_search_players_play_few_deals_too(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "gupai_agents.evaluation.tournaments.ladder.play_ladder", lambda *given, **_: asked.append(given[2:]) or 1 / 0
    )
    for words in (["--deals", "100"], ["--deals", "2000"], ["--deals", "100", "--few", "100"]):
        assert isinstance(gupai("ladder", "jie-long", *words).exception, ZeroDivisionError)
    assert asked == [(100, 100), (2000, 500), (100, 100)]
    printed = gupai("ladder", "jie-long", "--deals", "100", "--few", "101")
    assert (printed.exit_code, printed.output) == (
        2,
        "gupai: --few 101 is more than the 100 of --deals; choose 2 to 100\n",
    )
