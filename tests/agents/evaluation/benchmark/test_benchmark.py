"""The benchmark: the suite that ships never changes, its scale is exact, and a card is what its agent really did."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import little_factory
from benchmarks import strong
from benchmarks.suite import record
from checkout import ROOT, files
from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.benchmark import cards as benchmark
from gupai_agents.evaluation.benchmark.cards import (
    card_of,
    gaps,
    held_out,
    play_benchmark,
    play_duel,
    read_cards,
    recorded_player,
    verify_card,
)
from gupai_agents.evaluation.benchmark.models import CardError, as_text, read_card, read_suite, suite_names
from gupai_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from gupai_agents.play.workers import Processes
from gupai_agents.players.identity import digest_of
from gupai_agents.shipped import NETWORKS
from gupai_app.shell.errors import Mistake
from gupai_app.tournaments import terminal
from gupai_app.tournaments.benchmark import who_plays

V1 = read_suite("v1")
RESULTS = ROOT / "results" / "benchmark"
QUICK = ("ding-niu", "tiu-u")


@pytest.fixture(scope="module")
def small():
    """A suite of two tasks with twelve deals."""
    return record(V1, 12, only=QUICK)


@pytest.fixture(scope="module")
def card():
    return play_benchmark(dict.fromkeys(QUICK, "greedy"), deals=12)


@pytest.fixture
def path(card, tmp_path):
    path = tmp_path / "card.json"
    path.write_text(as_text(card), encoding="utf-8")
    return path


def run(*words):
    return gupai("benchmark", *words)


# --- the suite that ships -------------------------------------------------------------------------


TASKS_OF_SUITES = [(suite, task) for suite in map(read_suite, suite_names()) for task in suite.tasks]


@pytest.mark.parametrize(
    ("suite", "task"), TASKS_OF_SUITES, ids=[f"{suite.name}-{task.name}" for suite, task in TASKS_OF_SUITES]
)
def test_suite_players_play_as_recorded(suite, task):
    game, variant = task.played
    assert (game.id, variant.changed()) == (task.game, task.options)
    benchmark.check_population(suite, task)
    for spec, end in zip(task.scale, (task.zero, task.hundred), strict=True):
        won = [play_duel(task, recorded_player(task, spec), rival, suite.seed, 2) for rival in task.population]
        assert np.mean(won, 0).tolist() == end[:2]


def test_another_player_under_a_known_name_is_refused(small):
    tasks = [task.model_copy(update={"population": {**task.population, "greedy": "0" * 64}}) for task in small.tasks]
    changed = small.model_copy(update={"tasks": tasks})
    with pytest.raises(ValueError, match=r"task ding-niu: greedy is not the player .* those of gupai 0\."):
        play_benchmark({"ding-niu": "tuned"}, suite=changed)


def test_replaced_best_still_measures_its_suite(small, tmp_path, monkeypatch):
    before = NETWORKS / "tiu-u-default.safetensors"
    header, tensors = read_checkpoint(before)
    write_checkpoint(tmp_path / "old", header, {name: np.zeros_like(each) for name, each in tensors.items()})
    known = hashlib.sha256((tmp_path / "old").read_bytes()).hexdigest()
    (tmp_path / "old").rename(tmp_path / f"{known}.safetensors")
    task = small.task("tiu-u")
    task = task.model_copy(update={"population": {**task.population, "best": known}})
    suite = small.model_copy(update={"tasks": [task]})
    with pytest.raises(ValueError, match="tiu-u: best is not the player that it was recorded with"):
        benchmark.check_population(suite, task)
    monkeypatch.setattr(benchmark, "REPLACED", tmp_path)
    benchmark.check_population(suite, task)
    greedy, old, new = (make_agent(spec, "tiu-u") for spec in ("greedy", recorded_player(task, "best"), "best"))
    won, lost = (duel("tiu-u", greedy, rival, 12, seed=suite.seed) for rival in (old, new))
    found = play_duel(task, "greedy", "best", suite.seed, 12)
    np.testing.assert_array_equal(found, won.chips[:, :, 0].mean(1))
    assert (found != lost.chips[:, :, 0].mean(1)).any()
    (tmp_path / f"{known}.safetensors").write_bytes(before.read_bytes())
    with pytest.raises(ValueError, match="tiu-u: best is not the player that it was recorded with"):
        benchmark.check_population(suite, task)


def test_suite_network_is_kept_when_another_replaces_it(tmp_path, monkeypatch):
    monkeypatch.setattr(strong, "REPLACED", tmp_path / "kept")
    file = tmp_path / "tiu-u-default.safetensors"
    shipped = (NETWORKS / file.name).read_bytes()
    file.write_bytes(shipped)
    header, tensors = read_checkpoint(file)
    strong.replace(file, header, tensors)  # the same
    assert file.read_bytes() == shipped and not (tmp_path / "kept").exists()
    for seed in (5, 6):  # of these the first is in no suite
        strong.replace(file, header | {"seed": seed}, tensors)
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.stem == V1.task("tiu-u").population["best"] and kept.read_bytes() == shipped


def test_shipped_suite_is_recorded_again_with_replaced_players():
    (again,) = record(V1, 2, only=("tien-gow",), replaced=True).tasks
    task = V1.task("tien-gow")
    assert again.population == task.population
    assert (again.zero, again.hundred) == (task.zero[:2], task.hundred[:2])
    (now,) = record(V1, 2, only=("tien-gow",)).tasks
    assert now.population["best"] != task.population["best"]


def test_table_names_the_best_that_is_100_where_another_ships(capsys):
    terminal.benchmark([play_benchmark({"tien-gow": "random", "tiu-u": "random"}, deals=2)])
    shown = capsys.readouterr().out
    assert "random to best of v1" in next(line for line in shown.splitlines() if "tien-gow" in line)
    assert "of v1" not in next(line for line in shown.splitlines() if line.strip().startswith("tiu-u"))


# --- scores ---------------------------------------------------------------------------------------


def test_random_scores_0_and_best_scores_100_in_any_deals(small):
    for spec, score in (("random", 0.0), ("best", 100.0)):
        card = play_benchmark(dict.fromkeys(QUICK, spec), suite=small)
        assert card.whole
        for found in (card.score, *(result.score for result in card.results)):
            assert (found.mean, found.low, found.high, found.n) == (score, score, score, 12)


def test_score_is_the_mean_between_both_ends(small):
    """By hand, without the bootstrap's code: rows are drawn so that the first sample is all deals."""
    task = small.task("tiu-u")
    chips = {rival: play_duel(task, "tuned", rival, small.seed, 12) for rival in task.population}
    won, zero, hundred = np.mean([*chips.values()]), np.mean(task.zero), np.mean(task.hundred)
    scores = benchmark.scores_of(task, chips)
    assert scores[0] == pytest.approx(100 * (won - zero) / (hundred - zero))
    assert len(scores) == 1 + benchmark.RESAMPLES and scores[1:].std() > 0
    assert scores[1:].mean() == pytest.approx(scores[0], abs=3 * scores[1:].std())


def test_score_needs_a_scale(small):
    task = small.task("tiu-u").model_copy(update={"hundred": small.task("tiu-u").zero})
    chips = {rival: np.zeros(12) for rival in task.population}
    assert np.isnan(benchmark.scores_of(task, chips)).all()
    some = np.concatenate([[40.0], np.full(benchmark.RESAMPLES, np.nan)])
    for samples, mean, said in ((some * np.nan, None, "?"), (some, 40.0, "40.0")):
        score = benchmark._interval(samples, 12)
        assert (score.mean, score.low, score.high, score.n, str(score)) == (mean, None, None, 12, said)


def test_few_deals_are_the_first_ones_and_give_no_suite_score():
    few, more = (play_benchmark({"tiu-u": "greedy"}, deals=deals) for deals in (4, 8))
    for rival, won in few.results[0].chips.items():
        assert won == more.results[0].chips[rival][:4]
    assert not few.whole


def test_processes_find_the_same_card(card):
    assert play_benchmark(dict.fromkeys(QUICK, "greedy"), deals=12, workers=Processes(2)) == card


def test_agent_without_repeatable_answers_gets_no_card():
    class Fickle:
        name, answers = "fickle", 0

        def act(self, batch):
            self.answers += 1
            legal = (
                batch.masks.argmax(1) if self.answers % 2 else batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(1)
            )
            return legal.astype(np.int16)

    with pytest.raises(ValueError, match="task tiu-u: fickle answers the same decisions differently"):
        play_benchmark({"tiu-u": Fickle()}, deals=2)


# --- cards ----------------------------------------------------------------------------------------


def test_card_is_recomputed(path, card):
    assert verify_card(path) == card
    assert read_cards([path]) == [card]


FORGED = {
    "the score": (lambda card: card["score"].update(mean=99.0), "score.mean does not follow from its chips"),
    "an end of an interval": (
        lambda card: card["results"][1]["score"].update(low=1.0),
        r"results\[1\].score.low does not follow from its chips",
    ),
    "what it won by a rival": (
        lambda card: card["results"][0]["against"]["best"].update(mean=5.0),
        r"results\[0\].against.best.mean does not follow",
    ),
    "a suite score of a quick card": (lambda card: card.update(whole=True), "whole does not follow"),
    "the suite": (lambda card: card.update(digest="0" * 64), "its suite v1 is not the one that ships"),
    "a task": (lambda card: card["results"][0].update(task="chess"), "task='chess' is not allowed"),
    "a deal less": (lambda card: card["results"][0]["chips"]["best"].pop(), "chips are not of 12 deals"),
    "a rival less": (lambda card: card["results"][0]["chips"].pop("best"), "its population is random, greedy"),
    "another format": (lambda card: card.update(format=0), "format 0; this version of gupai reads format"),
    "a number that is none": (
        lambda card: card["score"].update(mean="high"),
        "score.mean='high' is not allowed; write",
    ),
}


@pytest.mark.parametrize("what", FORGED)
def test_changed_figure_is_refused(what, path):
    change, said = FORGED[what]
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    for check in (verify_card, lambda path: read_cards([path])):
        with pytest.raises(CardError, match=said):
            check(path)


def test_reformatted_card_is_refused(path):
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    with pytest.raises(CardError, match=r"card\.json: it is not formatted as a card"):
        verify_card(path)


def test_task_of_another_version_of_its_game_is_refused(small):
    task = small.task("tiu-u").model_copy(update={"version": 99})
    with pytest.raises(ValueError, match="task tiu-u is for tiu-u v99; this version of gupai has v"):
        _ = task.played


def test_card_with_foreign_chips_is_refused(path, card):
    """Everything follows from the chips, but the agent does not win them."""
    chips = {each.task: {rival: np.array(won) for rival, won in each.chips.items()} for each in card.results}
    chips["tiu-u"]["best"] += 1
    players = {each.task: each.player for each in card.results}
    path.write_text(as_text(card_of(V1, card.agent, 12, players, chips)), encoding="utf-8")
    assert read_cards([path])
    with pytest.raises(CardError, match=r"chips of tiu-u.best\[0\] is not what the agent wins"):
        verify_card(path)


def test_card_of_another_player_is_refused(path, card):
    other = card.results[0].player.model_copy(update={"spec": "tuned"})
    results = [card.results[0].model_copy(update={"player": other}), *card.results[1:]]
    path.write_text(as_text(card.model_copy(update={"results": results})), encoding="utf-8")
    with pytest.raises(CardError, match="task ding-niu: the agent is not the card's player"):
        verify_card(path)


def test_card_that_names_a_program_runs_no_code_unasked(tmp_path):
    path, who = tmp_path / "card.json", {"tiu-u": little_factory.FACTORY}
    path.write_text(as_text(play_benchmark(who, deals=2)), encoding="utf-8")
    with pytest.raises(CardError, match="task tiu-u: little_factory:make is not made from data; name it with --agent"):
        verify_card(path)
    assert verify_card(path, who).agent == little_factory.FACTORY
    assert verify_card(path, {"tiu-u": "greedy"}).agent == little_factory.FACTORY  # who is named need only play alike
    with pytest.raises(CardError, match="the agent is not the card's player"):
        verify_card(path, {"tiu-u": "random"})


@pytest.mark.parametrize("drawing", [{}, {"mixes": True}], ids=["best action", "draws"])
def test_card_names_the_file_next_to_it(drawing, tmp_path, monkeypatch):
    folder, file = tmp_path / "sent", tmp_path / "sent" / "own.safetensors"
    folder.mkdir()
    header, tensors = read_checkpoint(NETWORKS / "tiu-u-default.safetensors")
    write_checkpoint(file, header | drawing, tensors)
    monkeypatch.chdir(folder)
    Path("card.json").write_text(as_text(play_benchmark({"tiu-u": f"checkpoint:{file.name}"}, deals=2)), "utf-8")
    monkeypatch.chdir(tmp_path)
    (player,) = (result.player for result in verify_card("sent/card.json").results)
    assert (player.spec, list(player.files)) == ("checkpoint:own.safetensors", ["own.safetensors"])
    write_checkpoint(file, header | drawing | {"seed": 5}, tensors)
    with pytest.raises(CardError, match="task tiu-u: the agent is not the card's player"):  # plays alike, is another
        verify_card("sent/card.json")
    file.unlink()
    with pytest.raises(CardError, match=r"own\.safetensors"):
        verify_card("sent/card.json")


CARDS = [
    path
    for pattern in ("results/benchmark/*.json", "results/benchmark/learners/*-1.json")  # of a cell one of its seeds
    for path in files("results", name=pattern)
    if '"suite"' in path.read_text("utf-8")[:100]
]


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_documented_player_reproduces_its_card(path, monkeypatch):
    card = read_card(path)
    result = min(card.results, key=lambda result: result.task != "jie-long-forced")
    monkeypatch.chdir(ROOT if result.player.spec.startswith("examples.") else path.parent)
    assert {name: digest_of(name) for name in result.player.files} == result.player.files
    suite = read_suite(card.suite)
    won = play_duel(suite.task(result.task), result.player.spec, "tuned", suite.seed, 2)
    assert won.tolist() == result.chips["tuned"][:2]


def test_curve_ends_in_the_scores_of_the_cards():
    for task, curves in json.loads((RESULTS / "curves.json").read_text(encoding="utf-8")).items():
        for method, scores in curves.items():
            last = scores[max(scores, key=int)]
            cards = [read_card(RESULTS / f"{method}-{task}-{seed}.json") for seed in range(1, len(last) + 1)]
            assert last == [card.score.mean for card in cards]


def test_gaps_are_of_the_same_deals(card):
    (none,) = gaps([card, card])
    assert (none.mean, none.low, none.high) == (0, 0, 0)
    best = play_benchmark(dict.fromkeys(QUICK, "best"), deals=12)
    (gap,) = gaps([card, best])
    assert gap.mean == pytest.approx(100 - card.score.mean, abs=0.011)
    with pytest.raises(ValueError, match="not of the same suite, tasks and deals"):
        list(gaps([card, play_benchmark({"tiu-u": "greedy"}, deals=12)]))


# --- held-out deals -------------------------------------------------------------------------------

RANDOMNESS = "ab" * 32


def test_held_out_seed_follows_from_suite_and_randomness_alone():
    name = f"v1-held-out-{RANDOMNESS}"
    seed = benchmark.held_out_seed(name)
    assert seed == int(hashlib.sha256(name.encode()).hexdigest()[:16], 16) // 2**11 < 2**53
    for wrong in ("", "ab" * 31, "AB" * 32, "0x" + "ab" * 31, "ab" * 32 + "\n"):
        with pytest.raises(ValueError, match="randomness must be 64 hexadecimal digits"):
            benchmark.held_out_seed(f"v1-held-out-{wrong}")


def test_held_out_card_is_verified_by_its_content(tmp_path):
    suite = held_out(V1, RANDOMNESS, tasks=QUICK, deals=6)
    assert [task.population for task in suite.tasks] == [V1.task(task.name).population for task in suite.tasks]
    assert suite.seed == benchmark.held_out_seed(suite.name)
    assert all(task.zero != V1.task(task.name).zero[:6] for task in suite.tasks)
    best = play_benchmark(dict.fromkeys(QUICK, "best"), suite=suite)
    assert (best.score.mean, best.suite, best.whole) == (100.0, f"v1-held-out-{RANDOMNESS}", False)
    path = tmp_path / "card.json"
    path.write_text(as_text(play_benchmark({"tiu-u": "greedy"}, suite=suite, deals=3)), encoding="utf-8")
    benchmark._played.clear()
    assert verify_card(path).deals == 3
    path.write_text(path.read_text(encoding="utf-8").replace(RANDOMNESS, "ba" * 32), encoding="utf-8")
    with pytest.raises(CardError, match=r"its suite v1-held-out-[ab]+ is not the one"):
        read_cards([path])


def test_held_out_deals_are_at_most_those_of_the_suite():
    with pytest.raises(ValueError, match="deals"):
        held_out(V1, RANDOMNESS, deals=1001)


# --- the command ----------------------------------------------------------------------------------


def test_command_writes_a_card_and_a_page_and_compares_cards(path, tmp_path):
    out = tmp_path / "mine.json"
    words = ["tuned", "tiu-u=greedy", "--tasks", "ding-niu", "--tasks", "tiu-u", "--deals", 12]
    found = run(*words, "--out", out, "--compare", path)
    assert found.exit_code == 0, found.output
    assert "greedy" in found.stdout and "no suite score" in found.stdout
    card = read_card(out)
    assert [each.player.spec for each in card.results] == ["tuned", "greedy"]
    assert card.timing and card.timing.slowest.startswith("under ") and set(card.timing.microseconds) == set(QUICK)
    page = out.with_suffix(".html").read_text(encoding="utf-8")
    assert "tuned, greedy" in page and str(card.score) in page
    verify = ["verify", str(out)]
    assert gupai(*verify).exit_code == gupai(*verify, env={"LC_ALL": "zh_TW.UTF-8"}).exit_code == 0
    out.with_suffix(".html").write_text(page.replace(str(card.score), "99.9"), encoding="utf-8")
    assert gupai(*verify).exit_code != 0
    refused = run(*words, "--out", out)
    assert refused.exit_code != 0 and read_card(out) == card


def test_json_has_every_figure_and_no_chips():
    found = json.loads(run("greedy", "--tasks", "tiu-u", "--deals", 2, "--json").stdout)
    assert set(found["results"][0]) == {"task", "player", "against", "score"}


def test_single_card_names_the_players_at_0_and_100(card, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    terminal.benchmark([card])
    shown = capsys.readouterr().out
    for task in QUICK:
        players = list(V1.task(task).population)
        (row,) = (line for line in shown.splitlines() if line.split()[:1] == [task])
        assert row.split()[-3:] == [players[0], "to", players[-1]]


def test_card_names_who_plays_each_task():
    assert set(who_plays(V1, ["tuned"]).values()) == {"tuned"}
    assert who_plays(V1, ["tiu-u=search:playouts=5", "variety+attack_2=4"], ["tiu-u", "jie-long"]) == {
        "tiu-u": "search:playouts=5",
        "jie-long": "variety+attack_2=4",
    }
    for words, tasks, said in (
        (["tuned", "best"], None, "tuned and best: name one agent for all tasks"),
        (["tiu-u=best"], None, "no agent is given for jie-long, jie-long-forced"),
        (["best"], ["chess"], "task='chess' is not allowed"),
    ):
        with pytest.raises(Mistake, match=said):
            who_plays(V1, words, tasks)


def test_agent_that_cannot_play_a_task_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(benchmark, "play_duel", None)
    with pytest.raises(ValueError, match="task tiu-u: 'variety' is not a player of tiu-u"):
        play_benchmark({"jie-long": "variety", "tiu-u": "variety"}, deals=2)
    with pytest.raises(ValueError, match="no task was named; they are jie-long"):
        play_benchmark({})


@pytest.mark.parametrize(
    ("per_second", "said"),
    [(2e6, "under 1 µs"), (1e6, "under 10 µs"), (1e4, "under 1 ms"), (1.01, "under 1 s"), (1.0, "a second or more")],
)
def test_thinking_time_class_is_above_the_time(per_second, said, path, monkeypatch):
    monkeypatch.setattr(benchmark, "speed", lambda *_: per_second)
    card = read_card(path)
    found = benchmark.timed(card, dict.fromkeys((each.task for each in card.results), "greedy"), "a processor")
    assert found.timing.slowest == said


# --- the page -------------------------------------------------------------------------------------

DOCS = ROOT / "docs"


@pytest.mark.parametrize("path", [path for path in CARDS if path.parent == RESULTS], ids=lambda path: path.stem)
def test_results_page_equals_the_cards(path):
    (card,) = read_cards([path])
    page = (DOCS / "benchmark.md").read_text(encoding="utf-8")
    for figure in (card.score, *(result.score for result in card.results)):
        assert str(figure) in page, figure
