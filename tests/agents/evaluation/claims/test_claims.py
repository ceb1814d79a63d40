"""Claims: what their files may say, deals drawn to order, designs that find what is there and nothing else."""

import json
from math import comb

import numpy as np
import pytest
import scipy

from commands import run_claim
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.claims import Sampler, Verdict, claim_of, rates, read_claim, schema, try_claim
from gupai_agents.evaluation.claims.exacts import answer, questions_of
from gupai_agents.evaluation.claims.files import RECORDED, planned, with_panel
from gupai_agents.evaluation.claims.players import ChangedAgent
from gupai_agents.evaluation.claims.report import command_of
from gupai_agents.evaluation.statistics import Cases
from gupai_agents.networks.checkpoint import identity, write_checkpoint
from gupai_agents.networks.network import tensor_shapes
from gupai_agents.play.decisions import resume_lanes
from gupai_agents.play.workers import workers_for
from gupai_app.claims import terminal as command
from gupai_env.core.tiles import kind_of, tile_set
from gupai_env.deals import all_deals
from gupai_env.games import get_game
from gupai_env.games.claims import tiles_by_number, vocabulary_of
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.storage.models import parse_yaml, to_yaml
from gupai_env.vector import VectorEnv
from little_factory import Discarding
from readings import ATTACK, FOUR_TWOS, JIE_LONG, a_reading, changed


def enumerated(**reading) -> dict:
    """A claim that is enumerated."""
    return ATTACK | {"readings": [{"name": "one", "kind": "exact", **reading}]}


ITEMS = [{"label": "one", "treated": "greedy"}, {"label": "two", "treated": "variety"}]


def ordered(items=ITEMS, **reading) -> dict:
    """A claim about which of two comes first."""
    return a_reading(kind="ordering", **{"items": items, "first": "any", **reading})


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (ATTACK | {"colour": 1}, "colour is not known here; there are id, statement"),
        (changed(margins=1), "readings.0.margins is not known here; there are name, variant"),
        (changed(margin=0), "readings.0.margin=0 is not allowed; write a number above 0"),
        (changed(margin=True), "readings.0: margin=True is not allowed"),
        (changed(kind="guess"), "readings.0: "),
        (changed(panel=["gredy"]), "readings.0.panel.0: 'gredy' is not a player of jie-long; did you mean greedy?"),
        (changed(treated="+atack_2=40"), "readings.0.treated: "),
        (changed(baseline="os:system"), "readings.0.baseline: 'os:system' runs code"),
        (changed(panel=["checkpoint:no/such.safetensors"]), "readings.0.panel.0: "),
        (changed(metric="lake_left"), "readings.0.metric: 'lake_left' is not a metric of jie-long"),
        (changed(metric="lockouts"), "readings.0.number: lockouts needs a number"),
        (changed(number=2), "readings.0.number: chips takes no number"),
        (changed(variant={"forced": True}), "readings.0.variant: 'forced' is not an option"),
        (changed(variant={"deals": 2}), "readings.0.variant: deals=2 is not allowed"),
        (changed(population={"hand": [{"feature": "carying", "number": 2}]}), "'carying' is not a feature of a hand"),
        (changed(population={"hand": [{"feature": "carrying"}]}), "carrying needs a number"),
        (changed(population={"hand": [{"feature": "carrying", "number": 7}]}), "population.hand.0.number"),
        (
            changed(population={"hand": [{"feature": "carrying", "number": 2, "at_least": 8}]}),
            "no hand of 8 tiles meets carrying 2 at least 8",
        ),
        (changed(population={"partner": {"away": 4}}), "a partner 4 seats away does not exist"),
        (changed(population={"position": [{"feature": "lead"}]}), "only an action is taken in a position"),
        (a_reading(kind="exact", enumerate="everything", expect=[{"fact": "a", "equals": 1}]), "readings.0.panel"),
        (
            a_reading(kind="action", action=[{"feature": "third"}], comparator="uniform", margin=1),
            "readings.0.action.0: 'third' is not a feature of an action of jie-long",
        ),
        (a_reading(game="jie-lang", kind="rate", metric="chips"), "game: "),
        (ATTACK | {"readings": []}, "says in `untested` why"),
        (
            changed(baseline={"agent": "same", "stakes": [1, 2, 3]}),
            "readings.0.baseline: stakes: players of jie-long cannot be changed like this",
        ),
        (
            a_reading("da-ling", kind="action", action=[{"feature": "a"}], comparator="pip_matched", margin=1),
            "readings.0.comparator: the actions of da-ling do not play single tiles",
        ),
        (changed(plan={"power": 1}), "readings.0.plan.power=1 is not allowed"),
        (
            enumerated(enumerate="everything", expect=[{"fact": "a", "equals": 1}]),
            "readings.0.enumerate: 'everything' cannot be enumerated in jie-long; choose one of tiles_per_number, ",
        ),
        (
            enumerated(enumerate="tiles_per_number", expect=[{"fact": "2", "equals": 1, "at_most": 2}]),
            "readings.0.expect.0: write one of `equals`, `at_most` and `at_least`",
        ),
        (
            changed(population={"hand": [{"feature": "carrying", "number": 2, "at_least": 4, "exactly": 4}]}),
            "readings.0.population.hand.0: write `exactly` alone, or `at_least` and `at_most`",
        ),
        (
            changed(doses={"feature": "carrying", "number": 2, "values": [3, 4]}),
            "readings.0.doses: they say how many carrying 2; leave that condition out of the population",
        ),
        (
            changed(doses={"feature": "carrying", "number": 2, "values": ["5-3", "6"]}),
            "readings.0.doses.values.0: '5-3' is not a dose: nothing is at least 5 and at most 3",
        ),
        (
            changed(doses={"feature": "carrying", "number": 2, "values": ["3", "3-4"]}),
            "readings.0.doses: 3-4 is not above 3; write doses in rising order",
        ),
        (ordered([*ITEMS[:1], dict(ITEMS[0])]), "readings.0.items: two have the same label"),
        (ordered(first="third"), "readings.0.first: 'third' is not a label; they are any, one, two"),
        (ordered(but=["third"]), "readings.0.but: 'third' is not a label of the others; labels are one, two"),
        (ordered(first="two", but=["two"]), "readings.0.but: 'two' is not a label of the others"),
        (
            ordered([*ITEMS[:1], ITEMS[1] | {"action": [{"feature": "double"}]}]),
            "readings.0.items.1.action: items have actions if, and only if, there is a `comparator`",
        ),
        (
            ordered(comparator="uniform"),
            "readings.0.items.0.action: items have actions if, and only if, there is a `comparator`",
        ),
        (
            ordered(panel=[], fields=[["greedy"] * 4], comparator="uniform"),
            "readings.0: fields: their players are drawn; `comparator` and `treated` cannot be combined with them",
        ),
        (ATTACK | {"readings": [*ATTACK["readings"], *changed()["readings"]]}, "two readings have the same name"),
    ],
    ids=range(41),
)
def test_file_that_is_wrong_gets_one_line_that_names_the_key(tmp_path, content, said):
    path = tmp_path / "claim.yaml"
    path.write_text(to_yaml(content), encoding="utf-8")
    with pytest.raises(ValueError, match=r"claim\.yaml: ") as error:
        read_claim(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "id: a\nid: b",
        "a: &x [1]\nb: [*x, *x]",
        "- 1",
        "id: [",
        "!!python/object/apply:os.system ['true']",
        "x: " + "y" * 70_000,
    ],
)
def test_yaml_other_than_a_plain_mapping_is_refused(tmp_path, text):
    path = tmp_path / "claim.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"claim\.yaml: ") as error:
        read_claim(path)
    assert "\n" not in str(error.value)


def test_checkpoint_of_another_variant_is_refused(tmp_path):
    net = {"type": "mlp", "hidden": [8], "activation": "relu"}
    shapes = tensor_shapes(net, JIE_LONG.encoder.layout.size, JIE_LONG.num_actions)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    path, made_for = tmp_path / "agent.safetensors", JIE_LONG.variant(players=2)
    write_checkpoint(path, {**identity(JIE_LONG, made_for), "kind": "player", "net": net}, tensors)
    with pytest.raises(ValueError, match=r"readings\.0\.panel\.0: .*players=2") as error:
        claim_of(changed(panel=[f"checkpoint:{path}"]))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("path", command.paths(), ids=lambda path: path.stem)
def test_shipped_claims_are_well_formed(path):
    claim = read_claim(path)
    assert claim.id == path.stem
    assert claim.readings or claim.untested


def test_shipped_claims_are_recorded_and_match_the_schema():
    assert {path.stem for path in command.paths()} == {path.stem for path in RECORDED.glob("*.json")}
    properties = schema()["properties"]
    for path in command.paths():
        assert set(parse_yaml(path.read_text(encoding="utf-8"))) <= set(properties)


# --- designs --------------------------------------------------------------------------------------


def test_player_against_itself_gains_exactly_nothing():
    found = try_claim(claim_of(changed(treated="variety", plan={"least": 300, "most": 300}))).findings[0]
    assert [each.estimate.mean for each in found.effects] == [0, 0]
    assert [each.changed for each in found.effects] == [0, 0]
    assert found.verdict == "no practical effect"


def test_planted_effect_is_found_and_its_opposite_contradicted():
    better = changed(treated="variety", baseline="random", population={})
    worse = changed(treated="random", baseline="variety", population={})
    assert try_claim(claim_of(better)).findings[0].verdict == "supported"
    assert try_claim(claim_of(worse)).findings[0].verdict == "contradicted"


def test_trait_gain_equals_the_difference_of_two_matches():
    claim = claim_of(changed(treated="variety", baseline="greedy", population={}, panel=["greedy"]))
    found = try_claim(claim).findings[0]
    from gupai_agents.evaluation import duel

    plain = duel("jie-long", make_agent("variety"), make_agent("greedy"), 2000, seed=9).mean(0)
    assert found.effects[0].estimate.mean == pytest.approx(plain.mean, abs=2.5)
    assert found.frequency == 1


@pytest.mark.parametrize(("plan", "played"), [({"least": 50, "most": 50}, 50), ({"least": 20, "most": 60}, 60)])
def test_plan_limits_the_number_of_deals(plan, played):
    """Two who are hardly different, so that nothing is decided before."""
    found = try_claim(claim_of(changed(treated="+pips=0.001", plan=plan))).findings[0]
    assert [each.estimate.samples for each in found.effects] == [played] * len(found.effects)


def test_panel_without_skill_is_judged_unchanged():
    found = try_claim(claim_of(changed(panel=["random"], plan={"least": 200, "most": 200}))).findings[0]
    assert found.verdict == found.effects[0].verdict


def test_action_that_hardly_comes_up_is_too_rare():
    content = a_reading(
        kind="action",
        population={"position": [{"feature": "lead"}, {"feature": "own", "number": 2, "at_least": 3}]},
        action=[{"feature": "leaves", "number": 2}],
        comparator="uniform",
        margin=1,
        deals=200,
    )
    found = try_claim(claim_of(content)).findings[0]
    assert 2 <= found.effects[0].estimate.samples < 200
    assert found.verdict == found.effects[0].verdict == "too rare"


# --- enumerations ---------------------------------------------------------------------------------


def facts_of(game, name):
    return answer(game, questions_of(game)[name])


def test_enumerations_equal_counting_by_hand():
    civil, military = "11 22 33 44 55 66 31 51 61 64 65", "21 41 32 42 52 62 43 53 63 54"
    names = f"{civil} {civil} {military}".split()
    tiles = facts_of(JIE_LONG, "tiles_per_number")
    assert {str(n): tiles[str(n)] for n in range(1, 7)} == {
        str(n): sum(str(n) in name for name in names) for n in range(1, 7)
    }
    doubles = facts_of(JIE_LONG, "doubles_in_a_hand")
    assert doubles["8 doubles"] == pytest.approx(comb(12, 8) / comb(32, 8))
    assert doubles["6 or more"] == pytest.approx(scipy.stats.hypergeom(32, 12, 8).sf(5))
    blocks = facts_of(get_game("ding-niu"), "classic_blocks")
    assert blocks["kinds"] == "1-1 2-3 4-4 5-5"
    assert [blocks[f"fewest {kind}"] for kind in ("1-1", "2-3", "4-4", "5-5")] == [6, 4, 2, 4]


def test_combinations_that_are_led_and_that_follow_are_counted_by_hand():
    facts = facts_of(get_game("tien-gow"), "led_and_followed")
    assert (facts["the supreme pair, led"], facts["the supreme pair, followed"]) == (1, 0)
    # Military pairs, of which one has three below it, one two, and one one: by inclusion and exclusion.
    one, two, three = comb(28, 6) / comb(30, 8), comb(26, 4) / comb(30, 8), comb(24, 2) / comb(30, 8)
    some = [0, one, 2 * one - two, 3 * one - 3 * two + three]  # of a hand that holds one of so many pairs
    assert facts["a pair of military tiles, followed"] == pytest.approx(sum(some) / 4)


def test_winner_of_the_last_trick_pays_a_banker_with_a_high_multiplier_at_most():
    facts = facts_of(get_game("tien-gow"), "winner_may_pay")
    # A banker with seven tricks gets three times as much, from two seats that pay five each; with six twice as much.
    assert facts["multiplied, without early death"] == 10 // 3 + 1
    assert facts["multiplied, with early death"] == 10 // 2 + 1
    assert {facts["single, with early death"], facts["single, without early death"]} == {"never"}


def test_tiles_are_counted_by_their_numbers_and_the_rarest_named():
    found = tiles_by_number([kind_of(6, 6), kind_of(6, 5), kind_of(1, 1), kind_of(2, 1)])
    counts = {"1": 2, "2": 1, "3": 0, "4": 0, "5": 1, "6": 2}
    assert found == counts | {"fewest": "3 4", "next fewest": "2 5"}


def test_expectation_that_fails_is_disproved():
    reading = {"name": "one", "kind": "exact", "enumerate": "tiles_per_number"}
    for value, verdict in ((7, "proved"), (8, "disproved")):
        claim = claim_of(ATTACK | {"readings": [reading | {"expect": [{"fact": "2", "equals": value}]}]})
        assert try_claim(claim).findings[0].verdict == verdict


def test_fact_without_an_enumeration_is_refused_with_a_list():
    claim = claim_of(enumerated(enumerate="tiles_per_number", expect=[{"fact": "7", "equals": 1}]))
    with pytest.raises(ValueError, match=r"^tiles_per_number has no fact '7'; its facts are 1, 2, 3, 4, 5, 6, fewest"):
        try_claim(claim)


def test_house_of_da_ling_takes_its_fee_in_every_tiny_deal():
    game = get_game("da-ling")
    deals = len(all_deals(game, deck="tiny", players=2, leader=0).states)
    assert facts_of(game, "house_income") == {"least": 0, "most": 1, "deals": deals}


def test_bound_on_a_fact_in_words_does_not_hold():
    reading = {"name": "one", "kind": "exact", "enumerate": "classic_blocks"}
    for bound in ("at_most", "at_least"):
        content = ATTACK | {"game": "ding-niu", "readings": [reading | {"expect": [{"fact": "kinds", bound: 0}]}]}
        assert try_claim(claim_of(content)).findings[0].verdict == "disproved"


# --- together -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("deals", "verdict"), [(199, "too few deals"), (200, "supported")])
def test_rate_of_just_enough_deals_is_judged(deals, verdict, monkeypatch):
    monkeypatch.setattr(rates, "measured", lambda *_: np.resize([1.0, 1.0, 0.0], deals))
    reading = {"kind": "rate", "metric": "wins", "threshold": 0.5, "panel": ["greedy"], "deals": deals}
    assert try_claim(claim_of(a_reading(**reading))).findings[0].verdict == verdict


@pytest.mark.parametrize(("hits", "samples", "threshold"), [(3, 50, 0.1), (9, 50, 0.1), (0, 20, 0.05), (20, 20, 0.9)])
def test_p_of_a_share_equals_binomial_tails(hits, samples, threshold):
    cases = Cases.of(np.repeat([1.0, 0.0], [hits, samples - hits]))
    tails = [scipy.stats.binomtest(hits, samples, threshold, side).pvalue for side in ("greater", "less")]
    assert cases.p_value(threshold) == pytest.approx(min(1.0, 2 * min(tails)))


def test_claim_reports_its_progress():
    printed = []
    content = changed(plan={"least": 1200, "most": 1200})
    content["readings"] += [
        {"name": "rate", "kind": "rate", "metric": "chips", "panel": ["greedy"], "deals": 600},
        {"name": "order", "kind": "ordering", "first": "any", "panel": ["greedy"], "deals": 300}
        | {"items": [{"label": "a"}, {"label": "b", "treated": "variety"}]},
    ]
    try_claim(claim_of(content), progress=lambda share, what: printed.append((share, what)))
    shares = [share for share, _ in printed]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1)
    assert len(set(shares)) > 6
    assert len({what for _, what in printed}) == 2 + 1 + 2  # opponents, players, items


SEARCHING = "search:playouts=20"
UNTRAINED = {"open_ends": 2}  # a variant without a network


@pytest.mark.parametrize(
    ("content", "added"),
    [
        (changed(), ["best", SEARCHING]),
        (changed(treated="same+attack_2=40", baseline="same"), []),  # a network has no weights of features
        (changed(baseline="same"), []),
        (changed(baseline={"agent": "same", "discards": "random"}, treated="same"), ["best", SEARCHING]),
        (a_reading(kind="action", action=[{"feature": "lays"}], comparator="uniform", margin=1), ["best", SEARCHING]),
        (a_reading(kind="rate", metric="chips"), []),
    ],
)
def test_strong_players_join_a_panel_where_they_exist(content, added):
    for variant in ({"forced_play": True}, UNTRAINED):
        content["readings"][0]["variant"] = variant
        reading = claim_of(content).readings[0]
        joining = [spec for spec in added if spec != "best" or variant is not UNTRAINED]
        for panel in (None, ["tuned"]):
            (found,) = with_panel(claim_of(content), panel, strong=True)
            assert found.panel == [*(panel or reading.panel), *joining]
            (found,) = with_panel(claim_of(content), panel)
            assert found.panel == (panel or reading.panel)


def test_strong_panel_is_asked_and_reported():
    found = run_claim("jl-attack-2", "--deals", "4", "--strong", "--json", "--no-masters")
    assert found.exit_code == 0, found.output
    content = json.loads(found.stdout)
    assert content["asked"]["strong"] is True
    reading = content["readings"][0]
    assert [each["label"] for each in reading["doses"][0]["effects"]][-1] == SEARCHING
    assert [len(level["effects"]) for level in reading["doses"]] == [5] * 3
    assert command_of(Verdict.model_validate(content)) == "gupai claim run jl-attack-2 --deals 4 --strong --no-masters"


def test_verdicts_do_not_depend_on_processes_and_threads(tmp_path, capsys):
    claims = [
        claim_of(changed(plan={"least": 8, "most": 8}, panel=["greedy", "search:playouts=2"]) | {"id": name})
        for name in ("one", "two")
    ]
    shown = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        command.test(claims, 3, 60, None, False, "json", str(out), workers_for(jobs), {})
        shown.append((capsys.readouterr().out, *((out / f"{claim.id}.json").read_bytes() for claim in claims)))
    assert shown[0] == shown[1]
    assert '"who": "search:' in shown[0][0]
    effects = [
        try_claim(claim, panel=[f"search:playouts=2,threads={threads}"]).findings[0].effects[0].estimate
        for claim in claims[:1]
        for threads in (1, 2)
    ]
    assert effects[0] == effects[1]


def test_plan_equals_the_deals_that_are_played():
    """Deals, players and figures come from the file; how often a hand or an action comes up is measured."""
    asked = {"action": [{"feature": "lays"}], "comparator": "uniform", "margin": 1, "deals": 40}
    exact = {"name": "exact", "kind": "exact", "enumerate": "tiles_per_number"}
    readings = [
        ATTACK["readings"][0],
        {**ATTACK["readings"][0], "name": "enough", "margin": 1.5, "plan": {}},
        a_reading(kind="action", **asked)["readings"][0],
        exact | {"expect": [{"fact": "2", "equals": 7}]},
    ]
    claim = claim_of(ATTACK | {"readings": readings})
    attack, enough, action, exact = planned(claim, 3)
    four = Sampler(JIE_LONG, JIE_LONG.variant(), FOUR_TWOS).probability
    assert (attack["name"], attack["kind"], attack["players"], attack["figures"]) == ("attack", "policy", 2, 2)
    assert (attack["deals"], attack["share_of_hands"]) == (1000, pytest.approx(float(four)))
    assert 2000 < enough["deals"] < 20_000 and enough["finds_with_that_power"] == pytest.approx(1.5, rel=0.01)
    assert (action["deals"], action["players"], action["figures"], action["share_of_hands"]) == (40, 1, 1, 1)
    assert 0.5 < action["comes_up_in_share_of_deals"] <= 1
    assert exact == {"name": "exact", "kind": "exact"}


class Looking:
    """Plays the first legal action, and keeps the views that it was shown."""

    name = "looking"

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.views = batch.views
        return batch.masks.argmax(1)


def test_changed_player_is_shown_other_stakes_and_nobody_else_is():
    game, agent = get_game("da-ling"), Looking()
    envs = VectorEnv(game, 3, seed=1)
    views, keys = envs.views()
    batch = DecisionBatch(views, envs.masks.copy(), keys)
    before = batch.views.stakes.tolist()
    ChangedAgent(agent, vocabulary_of(game).changes["stakes"], (1, 2, 40)).act(batch)
    shown = agent.views.stakes.tolist()
    assert shown == [[1, 2, 40]] * 3 and batch.views.stakes.tolist() == before != shown


def test_tien_gow_player_that_does_not_count_takes_every_tile_it_does_not_hold_for_unseen():
    game, agent = get_game("tien-gow"), Looking()
    position = game.positions.from_tiles(
        ["55 51 61", "33 22 42", "65 41 33", "62 64 32"], played=["66 66 11 11 44", "44 31 31 63 54", "", ""]
    )
    views, keys = resume_lanes(game, position.variant, position.states).views()
    batch = DecisionBatch(views, position.mask()[None], keys)
    plum = 1 << game.action_names.index("[5:5]")
    ChangedAgent(agent, vocabulary_of(game).changes["counts"], "never").act(batch)
    shown, known = agent.views[0], batch.views[0]
    assert shown.unseen == tile_set(game.deck(position.rules).tolist()) - known.hand and shown.hand == known.hand
    assert shown.beatable & plum and not known.beatable & plum  # all eight tiles that beat it were played
    assert known.played.any() and not shown.played.any()


def test_player_who_always_lays_discards_only_where_nothing_fits():
    game = get_game("jie-long")
    envs = VectorEnv(game, 200, seed=1)
    for key in range(6):
        envs.step(envs.sample(key))
    views, keys = envs.views()
    batch = DecisionBatch(views, envs.masks.copy(), keys)
    fits = batch.masks[:, :DISCARD].any(1)
    actions = ChangedAgent(Discarding(), vocabulary_of(game).changes["lays"], "always").act(batch)
    assert 0 < fits.sum() < 200 and (Discarding().act(batch) >= DISCARD).all()
    assert ((actions < DISCARD) == fits).all() and batch.masks[np.arange(200), actions].all()
    assert (batch.masks == envs.masks).all()
