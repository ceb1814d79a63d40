"""Features of actions, features of what a seat sees, players of every kind in a panel, and what the strong do."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.claims import claim_of, masters, try_claim
from gupai_agents.evaluation.claims.deals import play_again
from gupai_agents.evaluation.claims.features import actions_with, values_of
from gupai_agents.evaluation.claims.schema import Condition, Named
from gupai_agents.evaluation.claims.setting import Pair
from gupai_app.claims.terminal import template
from gupai_env import VectorEnv
from gupai_env.core.rng import derive
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.games import GAMES, get_game
from gupai_env.games.claims import Positions
from gupai_env.positions import jie_long, tiu_u
from gupai_env.storage.models import parse_yaml
from little_factory import FACTORY  # noqa: F401  a module that --panel can name

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def position_of(built):
    """A position that was built, as claims look at it."""
    states = np.array([built.state]).view(np.recarray)
    return Positions(built.game, built.variant, states, built.mask()[None])


def fitting(at, conditions):
    """The legal actions that have features, by name; a feature is given by its name and its number, if it takes one."""
    asked = [Condition(feature=name, number=number[0] if number else None) for name, *number in conditions]
    return {at.game.action_names[each] for each in np.flatnonzero(actions_with(at, asked)[0])}


# --- features of actions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "names"),
    [
        ([("lays",), ("double",)], {"[2:2]"}),
        ([("play",)], {"[2:2]", "[2:6]"}),
        ([("leaves", 6)], {"[2:6]"}),
        ([("discard",), ("heaviest",)], {"discard [6:5]"}),
        ([("discard",), ("plays", 5)], {"discard [6:5]"}),
        ([("discard",), ("tiles", 2)], set()),
    ],
)
def test_features_of_moves_choose_actions(conditions, names):
    at = position_of(jie_long.from_tiles(["64 11", "22 62 65", "11 31 33", "44 53 63"], "[4:2]", forced_play=False))
    assert fitting(at, conditions) == names


def test_tiles_taken_by_a_move_are_a_feature():
    at = position_of(tiu_u.from_tiles(["21 51 64", "11 22", "66 66"], lake="42 33 51"))
    assert fitting(at, [("takes", 4)]) == {"[2:1] catches [4:2]", "[5:1] catches [4:2]"}
    assert fitting(at, [("catches",), ("plays", 2)]) == {"[2:1] catches [4:2]"}


@every_game
def test_claim_template_of_every_game_has_an_action_that_occurs(game):
    claim = claim_of(parse_yaml(template(game, "mine")))
    conditions = [each for reading in claim.readings if reading.kind == "action" for each in reading.action]
    envs = VectorEnv(game, 60, seed=2, observe=False)
    actions = 0
    for step in range(6):
        at = Positions(game, envs.variant, envs.states.copy().view(np.recarray), envs.masks.copy())
        actions += int(actions_with(at, conditions).sum())
        envs.step(envs.sample(derive(3, step)))
    assert actions > 0 and (conditions or game.move_of)


def claim_about(game, action, **reading):
    content = {"name": "one", "kind": "action", "comparator": "best_alternative", "panel": ["greedy"], "margin": 1}
    readings = [{**content, "action": [{"feature": name} for name in action], **reading}]
    return {"id": "mine", "statement": "So.", "source": "me", "game": game, "readings": readings}


def test_action_by_its_verb_is_tested_by_the_stage_of_the_deal():
    doses = {"feature": "stock", "values": ["0-11", "12+"]}
    claim = claim_of(claim_about("tiu-u", ["catches", "heaviest"], deals=300, doses=doses))
    found = try_claim(claim, seed=1).findings[0]
    assert [level.dose.text for level in found.doses] == ["0-11", "12+"]
    assert all(level.verdict == "supported" for level in found.doses)  # a catch of any kind is better than none
    assert found.verdict == "supported" and found.examples


# --- features of what is seen ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ({"feature": "hand"}, lambda hand: len(hand)),
        ({"feature": "hand", "number": 2}, lambda hand: sum(2 in PIPS[kind] for kind in hand)),
        ({"feature": "sizes"}, lambda hand: len(hand)),
    ],
)
def test_section_of_the_observation_is_a_feature(asked, value):
    for name in ("jie-long", "tiu-u"):
        game = get_game(name)
        envs = VectorEnv(game, 50, seed=5, observe=False)
        at = Positions(game, envs.variant, envs.states.copy().view(np.recarray), envs.masks.copy())
        hands = [tiles_in(int(hand)) for hand in at.hands]
        assert values_of(at, Named(**asked)).tolist() == [value(hand) for hand in hands]


def test_open_ends_turns_and_places_come_from_the_observation():
    at = position_of(jie_long.from_tiles(["64 11", "22 62 65", "11 31 33", "44 53 63"], "[4:2]", forced_play=False))
    values = {
        ("ends", 2): 2,  # with one open end both entries are that
        ("ends", 4): 0,
        ("turn", None): 1,
        ("last_player", None): 3,  # the seat before the one to act
        ("played", 4): 1,
    }
    for (feature, number), value in values.items():
        assert values_of(at, Named(feature=feature, number=number)).tolist() == [value], feature


@pytest.mark.parametrize(
    ("asked", "said"),
    [({"feature": "turn", "number": 2}, "turn takes no number"), ({"feature": "own"}, "own needs a number")],
)
def test_section_is_asked_only_for_what_it_says(asked, said):
    with pytest.raises(ValueError, match=r"readings\.0\.population\.position\.0: ") as error:
        claim_of(claim_about("jie-long", ["lays"], population={"position": [asked]}))
    assert said in str(error.value)


def test_hands_with_a_number_are_dealt_to_order():
    doses = {"feature": "carrying", "number": 4, "values": [1, 2]}
    claim = claim_of(claim_about("jie-long", ["lays", "double"], deals=250, doses=doses))
    found = try_claim(claim).findings[0]
    assert play_again(claim, claim.readings[0], 0, found.examples[0]).treated.order
    assert found.doses[0].label == "carrying 4: one"


# --- panels ---------------------------------------------------------------------------------------


def trait(**more):
    reading = {"name": "one", "kind": "policy", "treated": "variety", "baseline": "greedy", "panel": ["greedy"]}
    readings = [{**reading, "margin": 0.5, "plan": {"least": 300, "most": 300}, **more}]
    return {"id": "mine", "statement": "So.", "source": "me", "game": "jie-long", "readings": readings}


def test_panel_takes_agents_and_factories_and_a_file_takes_none(tmp_path):
    claim, agent = claim_of(trait()), make_agent("greedy")
    plain = try_claim(claim).findings[0].effects
    for panel in ([agent], ["little_factory:make"], ["greedy"]):
        found = try_claim(claim, panel=panel).findings[0]
        assert [each.estimate for each in found.effects] == [each.estimate for each in plain]
        pair = play_again(claim, claim.readings[0], 0, found.examples[0], panel)
        assert pair.treated.payoffs
    with pytest.raises(ValueError, match="runs code"):
        claim_of(trait(panel=["little_factory:make"]))
    with pytest.raises(ValueError, match="greedy plays jie-long, not tiu-u"):
        try_claim(claim_of({**trait(treated="careful"), "game": "tiu-u"}), panel=[agent])


def test_command_tests_against_a_factory_with_a_page_and_changes(tmp_path):
    words = ["claim", "run", "jl-variety", "--panel", "little_factory:make", "--deals", "40", "--json"]
    words += ["--set", "readings.0.margin=0.25", "-o", "players=3", "--no-masters", "--html", str(tmp_path / "a.html")]
    done = gupai(*words)
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert content["readings"][0]["effects"][0]["label"] == "little_factory:make"
    assert content["asked"]["set"] == ["readings.0.margin=0.25", "readings.0.variant.players=3"]
    assert content["statement"] == "variety instead of greedy, players=3."
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "gupai claim run jl-variety --set readings.0.margin=0.25" in page and "Main strategy" not in page
    for more, said in (
        (["--set", "margin"], "write KEY=VALUE"),
        (["--set", "readings.0.x=1"], "cannot be changed"),
        (["-o", "colour=1"], "colour"),
    ):
        done = gupai("claim", "run", "jl-variety", *more)
        assert done.exit_code == 2 and said in done.output and done.output.count("\n") == 1


# --- what the strong do ---------------------------------------------------------------------------


class Planted:
    """Plays as a trait says in a share of the decisions where it parts from the baseline, else as the baseline does."""

    name = "planted"

    def __init__(self, share, treated="variety", baseline="greedy"):
        self.share, self.pair = share, Pair(make_agent(treated), make_agent(baseline))

    def act(self, turns: DecisionBatch) -> np.ndarray:
        one, other = (agent.act(turns) for agent in self.pair)
        chance = np.array([derive(int(key), 77) / 2**63 for key in turns.rng_keys])
        return np.where(chance < self.share, one, other)


@pytest.fixture
def planted(monkeypatch):
    """Lets a planted player be the master, and search with few playouts."""

    def plant(share):
        monkeypatch.setattr(masters, "BEST", "planted")
        monkeypatch.setattr(masters, "agent_names", lambda game, variant: ["planted"])
        monkeypatch.setattr(masters, "SEARCH", "search:playouts=4")
        return Planted(share)

    return plant


@pytest.mark.parametrize(("share", "side"), [(0.2, -1), (0.9, 1)])
def test_master_actions_are_counted_where_both_are_open(planted, share, side):
    agent = planted(share)
    found = try_claim(claim_of(trait()), panel=[make_agent("greedy"), agent], masters=True).findings[0]
    own, search = found.masters
    assert own.who == "planted, among planted" and own.chooses.side(own.other) == side
    assert abs(own.chooses.mean - share) <= 1.5 * own.chooses.half_width
    assert own.chooses.mean + own.other.mean == pytest.approx(1)
    assert search.decisions <= 100 and search.unit == "chips"


def test_master_decisions_are_divided_among_doses(planted):
    panel = [make_agent("greedy"), planted(0.5)]
    values = {"feature": "place", "values": ["0", "1-2", "3"]}
    whole, parts = (
        try_claim(claim_of(trait(**more)), panel=panel, deals=40, masters=True).findings[0]
        for more in ({}, {"doses": values})
    )
    of_doses = [dose.masters[0].decisions for dose in parts.doses]
    assert min(of_doses) > 0 and sum(of_doses) == whole.masters[0].decisions


def test_search_is_asked_once_per_deal_and_values_the_claimed_action():
    keys, deals, asked = np.arange(6), np.array([0, 0, 1, 1, 1, 2]), []
    batch = DecisionBatch(np.zeros(6, [("a", "i1")]).view(np.recarray), np.ones((6, 3), bool), keys)

    def values(some, halving):
        asked.extend(some.rng_keys.tolist())
        means = np.tile([5.0, 2.0, 9.0], (len(some.rng_keys), 1))
        return SimpleNamespace(means=means, choice=lambda _: np.zeros(len(means), np.int16))

    one, other = np.zeros(6, int), np.ones(6, int)
    wanted, allowed = one[:, None] == np.arange(3), other[:, None] == np.arange(3)
    found = masters.Open(batch, other, one, other, wanted, allowed, np.full(6, np.nan), deals, np.zeros((6, 0), int))
    search = SimpleNamespace(values=values, plan=SimpleNamespace(steady=1.0))
    own, searched = masters._ask_masters("best", Planted(0), search, found)
    assert sorted(deals[asked]) == [0, 1, 2]
    assert (own.decisions, own.chooses.mean, own.other.mean, own.worth) == (6, 0, 1, None)
    assert (searched.decisions, searched.chooses.mean, searched.other.mean, searched.worth.mean) == (3, 1, 0, 3)


def test_trait_is_added_to_the_strongest_panel_member_with_weights():
    setting = SimpleNamespace(player=lambda *named: named if len(named) > 1 else make_agent(named[0], "jie-long"))
    (reading,) = claim_of(trait(treated="+attack_2=40", baseline="same", panel=["greedy", "variety", "best"])).readings
    treated, baseline = reading.claimed(setting)
    assert treated[:2] == ("+attack_2=40", "variety") and baseline[1] == "variety"


def test_best_is_asked_at_every_dose_and_values_the_difference(monkeypatch):
    monkeypatch.setattr(masters, "SEARCH", "search:playouts=4")
    doses = {"feature": "carrying", "number": 2, "values": [3, "5+"]}
    claim = claim_of(trait(treated="+attack_2=40", baseline="variety", doses=doses))
    few, many = try_claim(claim, deals=100, masters=True).findings[0].doses
    (best, _), (rich, _) = few.masters, many.masters
    assert best.who == "best, among best" and best.unit == "its own scores"
    assert best.worth.mean < rich.worth.mean  # five 2s speak more for it than three do
    assert best.chooses.mean < rich.chooses.mean
    assert not try_claim(claim, deals=20).findings[0].doses[0].masters  # nobody asked
    monkeypatch.setattr(masters, "DEALS", 20)  # enough for masters
    capped, asked = (try_claim(claim, deals=deals, masters=True).findings[0].doses[0].masters[0] for deals in (50, 20))
    assert capped.decisions == asked.decisions < best.decisions
