"""Tuning finds weights that win, the same for the same seed and generations, and its file is a player."""

import json

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.ablation import evolved
from gupai_agents.players.tune import Contest, DecisionSample, parts_of, tune
from gupai_env import get_game
from gupai_env.core.rng import derive
from gupai_env.storage.models import parse_yaml

JIE_LONG = get_game("jie-long")
FORCED = {"forced_play": True}


def test_few_generations_beat_every_named_player():
    found = tune("jie-long", seconds=1e6, generations=20, seed=3, **FORCED)
    assert (found.generations, len(found.gains)) == (20, 4)
    spec = "heuristic:" + ",".join(f"{name}={weight:.6f}" for name, weight in found.weights.items())
    tuned = make_agent(spec, "jie-long", **FORCED)
    assert DecisionSample(JIE_LONG, FORCED).apart(tuned.weights) == pytest.approx(1, abs=0.01)
    for name in JIE_LONG.heuristics:
        rival = make_agent(name, "jie-long", **FORCED)
        assert duel("jie-long", tuned, rival, 2000, seed=9, **FORCED).mean(0).low > 0


def test_same_seed_and_generations_find_the_same_weights():
    some = {"seconds": 1e6, "generations": 5, "deals": 100, "population": 6, **FORCED}
    first, again, other = (tune("jie-long", seed=seed, **some) for seed in (1, 1, 2))
    assert (first.weights, first.gains) == (again.weights, again.gains)
    assert first.gains != other.gains


def test_candidate_is_paid_like_in_a_duel():
    contest = Contest(JIE_LONG, FORCED)
    heuristics = np.array([JIE_LONG.heuristic(name) for name in ("greedy", "variety")])
    chips = contest.chips(heuristics, heuristics[:1], 4000, derive(1, 2))
    assert chips[0] == pytest.approx(0, abs=1.5)  # greedy among equals
    expected = duel("jie-long", *(make_agent(name, "jie-long") for name in ("variety", "greedy")), 2000, **FORCED)
    assert chips[1] == pytest.approx(expected.mean(0).mean, abs=1.5)
    assert contest.played == 8000


def test_candidates_are_played_in_parts_of_at_most_a_batch(monkeypatch):
    played = []

    def won_by(game, variant, candidates, rivals, deals, key):
        played.append(len(candidates))
        return np.zeros((len(candidates), deals))

    monkeypatch.setattr("gupai_agents.players.tune.won_by", won_by)
    monkeypatch.setattr("gupai_agents.players.tune.BATCH", 100)
    rows = np.zeros((7, len(JIE_LONG.features) + 1))
    assert Contest(JIE_LONG, FORCED).chips(rows, rows[:1], 33, 1).shape == (7,)
    assert Contest(JIE_LONG, FORCED).chips(rows[:2], rows[:1], 101, 1).shape == (2,)
    assert played == [3, 2, 2, 1, 1]
    assert [len(part) for part in parts_of(7, 10, workers=4)] == [2, 2, 2, 1]
    assert np.concatenate(parts_of(7, 10, workers=4)).tolist() == list(range(7))


@pytest.mark.parametrize(("generations", "mean"), [(0, 0), (1, 1), (2, 1.5), (4, 3), (5, 4), (10, 7.5)])
def test_search_ends_at_the_mean_of_its_second_half(generations, mean):
    """One whose middle moves on by 1 a generation; every generation plays deals of its own."""

    class Walking:
        mean = np.zeros(2)

        def ask(self):
            return np.zeros((3, 2))

        def tell(self, chips):
            assert chips.tolist() == [2, 2, 2]
            self.mean = self.mean + 1

    rng_keys = []

    def play(heuristics, deals, key):
        rng_keys.append(key)
        return np.repeat([[1.0, 2.0, 3.0]], len(heuristics), 0)

    assert evolved(play, Walking(), generations, 3, 11).tolist() == [mean, mean]
    assert rng_keys == [derive(11, generation) for generation in range(generations)]


def scores_of(weights):
    """What the legal actions of three decisions are worth to weights: two, three and four of them."""
    yield weights[0] * np.array([[1.0, 3.0]])
    yield weights[0] * np.array([[5.0, 0.0, 4.0]]) + weights[1] * np.array([[0.0, 0.0, 0.0]])
    yield weights[0] * np.array([[9.0, 9.0, 2.0, 6.0]]) + weights[2] * np.array([[1.0, -1.0, 1.0, -1.0]])


def test_best_action_is_separated_from_the_next():
    """2 from the other, 1 from the next of three, 3 from the next beside its equal: the median is 2."""
    sample = DecisionSample.__new__(DecisionSample)
    sample._scores = scores_of
    assert sample.apart(np.array([1.0, 0, 0, 0])) == 2
    assert sample.apart(np.array([10.0, 0, 0, 0])) == 20
    assert sample.apart(np.zeros(4)) == 1  # nothing is worth more than anything else
    spreads = [np.std([1, 3]), np.std([5, 0, 4]), np.std([9, 9, 2, 6])]
    units = sample.units(np.array([1.0, 0, 0, 0]))
    assert units == pytest.approx([2 / np.median(spreads), 0, 2 / 1.0])


def test_feature_that_never_differs_is_not_searched():
    units = DecisionSample(JIE_LONG, FORCED).units(JIE_LONG.heuristic("variety"))
    names = [feature.name for feature in JIE_LONG.features]
    assert units[names.index("discard")] == 0  # who can match must play
    assert units[names.index("pips")] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "clever"}, "'clever' is not a heuristic of jie-long; they are greedy, variety"),
        ({"features": ["pip"]}, "'pip' is not a feature of jie-long"),
        ({"seconds": float("nan")}, "seconds=nan is not allowed"),
        ({"population": 1}, "population=1 is not allowed; it must be a whole number from 4"),
        ({"population": 10**12}, "population=1000000000000 is not allowed"),
        ({"deals": 2.5}, "deals=2.5 is not allowed"),
        ({"generations": -1}, "generations=-1 is not allowed"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"start": 3}, "3 is not a heuristic of jie-long"),
        ({"features": ["discard"], **FORCED}, "none of these features ever changes"),
    ],
)
def test_untunable_players_are_reported_in_one_line(options, message):
    with pytest.raises(ValueError, match=message):
        tune("jie-long", **{"seconds": 0.1, **options})


SEED = str(2**53 + 1)  # doubles do not hold it


def test_command_writes_a_player_with_its_provenance(tmp_path, monkeypatch):
    monkeypatch.setattr("gupai_app.training.heuristics.TRIED", 20)
    file = tmp_path / "mine.yaml"
    words = ["tune", "jie-long", "-o", "forced_play=true", "--seconds", "99", "--generations", "2", "--seed", SEED]
    done = gupai(*words, "--out", file)
    assert done.exit_code == 0, done.stderr
    assert gupai(*words).stdout == done.stdout  # its digest tells who played: no times are in it
    written = parse_yaml(file.read_text())
    assert written == parse_yaml(done.stdout)
    assert (written["game"], written["variant"], written["provenance"]["seed"]) == ("jie-long", FORCED, SEED)
    player = make_agent(f"heuristic:{file}", "jie-long", **FORCED)
    np.testing.assert_array_equal(player.weights, JIE_LONG.heuristic(written["weights"]))
    with pytest.raises(ValueError, match="a heuristic of 'jie-long', not of 'tiu-u'"):
        make_agent(f"heuristic:{file}", "tiu-u")


WEIGHED = "game: jie-long\nweights: {pips: 1}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a heuristic is a mapping"),
        ("- 1", "a heuristic is a mapping"),
        ("game: jie-long", "a heuristic is a mapping"),
        ("game: jie-long\nweights: {}", "weights"),
        ("a: [", "not YAML"),
        (json.dumps([1]), "a heuristic is a mapping"),
        ("weights: {pips: 1}", "game is missing"),
        (WEIGHED + "weight: 2", "weight is not known here; there are game, version"),
        (WEIGHED + "version: 77", "a heuristic of jie-long version 77; this is version 0"),
        (WEIGHED + "version: x", "version='x' is not allowed; write a whole number"),
        (WEIGHED + "game: jie-long", "set twice"),
        ("game: jie-long\nweights: {pips: 1, pips: 2}", "set twice"),
        ("game: jie-long\nweights: {pips: x}", "weights.pips='x' is not allowed; write a number"),
        ("game: jie-long\nweights: {pips: true}", "weights.pips=True is not allowed; write a number"),
        ("game: jie-long\nweights: {pip: 1}", "'pip' is not a feature; did you mean pips"),
        ("game: jie-long\nweights: {pips: 1e308}", "the weights are so large"),
        ("game: jie-long\nweights: {pips: 1:30}", "weights.pips='1:30' is not allowed; write a number"),
    ],
)
def test_file_without_a_heuristic_is_refused(text, said, tmp_path):
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(ValueError, match=r"odd\.yaml: ") as caught:
        make_agent(f"heuristic:{tmp_path / 'odd.yaml'}", "jie-long")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_heuristic_file_holds_game_and_weights_alone(tmp_path):
    (tmp_path / "mine.yaml").write_text("game: jie-long\nweights: {pips: 010, double: 1e-3}\n")
    player = make_agent(f"heuristic:{tmp_path / 'mine.yaml'}", "jie-long")
    np.testing.assert_array_equal(player.weights, JIE_LONG.heuristic({"pips": 10, "double": 0.001}))
