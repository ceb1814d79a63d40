"""The table of throughput ranks no environment whose steps do nothing; the yardstick in C plays our game; what ships
has its recipe tried on a tiny deck.
"""

import itertools
import json
import re
import shutil
from dataclasses import replace

import pytest

from benchmarks import pipeline, readme, tiny
from benchmarks.c.run import COMPILE, Yardstick, build, compare
from benchmarks.peers import protocol
from benchmarks.peers.table import lines, markdown
from benchmarks.tiny import by_recipe, kinds_of
from gupai_agents.shipped import networks
from gupai_env.vector import VectorEnv


def play_of(observations, *, ends):
    """Return a play of four games that observe the next of `observations` at every step."""

    def play(watch):
        if watch:
            watch.turn([next(observations)] * 4)
            watch.ended(4 * ends, 4 * ends)
        return 4

    return play


def counting():
    return (str(number).encode() for number in itertools.count())


def measurement(game, play, monkeypatch, rate=1e6):
    monkeypatch.setattr(protocol, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(protocol, "CHECK_CALLS", 10)
    row = {"peer": "a library", "version": "1", "game": game, "mode": protocol.BATCH, "counted": "steps", "ready": 0.0}
    return row | {"steps": rate, "seconds": 1.0, "check": protocol.check(play)}


PLAYS = {  # what is wrong -> observations, whether games end
    "100% of the steps changed nothing": (lambda: itertools.repeat(b"the same"), True),
    "only 2 different observations were seen": (lambda: itertools.cycle((b"one", b"other")), True),
    "no episode ended": (counting, False),
}


@pytest.mark.parametrize("why", PLAYS)
def test_environment_whose_steps_do_nothing_is_not_ranked(why, monkeypatch):
    observations, ends = PLAYS[why]
    stuck = measurement("stuck", play_of(observations(), ends=ends), monkeypatch, rate=27e6)
    sound = measurement("sound", play_of(counting(), ends=True), monkeypatch)
    found = lines([stuck, sound])
    assert {line.game: line.flaw for line in found} == {"stuck": why, "sound": ""}
    ranking, rejected = markdown(found, {}).split("### Not ranked")
    assert "sound" in ranking and "stuck" not in ranking
    assert f"| a library | stuck | {protocol.BATCH} | 27,000,000 | {why} |" in rejected


def test_row_counts_with_its_median_round(monkeypatch):
    rounds = [measurement("game", play_of(counting(), ends=True), monkeypatch, rate) for rate in (3e6, 9e6, 1e6)]
    (line,) = lines(rounds)
    assert (line.rate, line.flaw) == (3e6, "")


@pytest.mark.skipif(not shutil.which(COMPILE[0]), reason="needs a C compiler")
def test_jie_long_in_c_writes_the_same_bytes(tmp_path):
    yardstick, ours = Yardstick(build(tmp_path), 64, seed=1), VectorEnv("jie-long", 64, seed=1)
    assert compare(yardstick, ours, rounds=2) == 2 * 2 * 32 * 64
    yardstick.observations[5, 7] += 1
    with pytest.raises(ValueError, match="at the beginning: observations differ, first in lane 5"):
        compare(yardstick, ours, rounds=1)


def made(teach, **more):
    return {"recipe": f"expert_iteration: {teach}", **more}


def test_recipe_labels_are_unique_and_in_the_order_of_runs():
    searched = made("{playouts: 20, temperature: 2.5, targets: 9, learning_rate: 0.1}")
    dealt = made("{true_hands: 1, playouts: 5}", start=searched)
    own = made("{true_hands: 1, self_rollouts: 1}", start=made("{true_hands: 1, epochs: 7}", start=dealt))
    agreed = made("{true_hands: 1, self_rollouts: 0.5, ensemble: ['checkpoint:some']}", start=own)
    expected = [
        {"playouts": 20, "temperature": 2.5},
        {"true_hands": 1, "playouts": 5},
        {"true_hands": 1, "self_rollouts": 1},
    ]
    assert kinds_of(agreed) == expected
    assert kinds_of(dealt) == expected[:2]


def test_tiny_recipe_is_less_exploitable_than_random_play(tmp_path):
    file, header = next(iter(networks("da-ling")))
    found = by_recipe(file, header, 5000, 1, tmp_path)
    assert found["random"] == pytest.approx(2.883, abs=0.001)  # docs/evaluation.md
    assert found["best"] < 0.5 * found["random"] and found["drawn"] < 0.5 * found["random"]
    assert (found["targets"], found["seed"]) == (5000, 1)


def test_stand_in_takes_its_time_and_lanes_alone_are_faster():
    rate, waiting, alone = pipeline.measure("jie-long", 16, 5000, 1, "greedy")
    assert 0 < rate < 16 / 0.005  # decisions of a batch in the time of one
    assert 0 < waiting < 1 and rate == pytest.approx(alone * waiting)


def test_recipe_results_keep_other_games_and_are_never_emptied(tmp_path, monkeypatch, capsys):
    kept = tmp_path / "tiny.json"
    kept.write_text('{"another": 1}')
    monkeypatch.setattr(tiny, "by_recipe", lambda file, *_: file.stem)
    words = ["tiny.py", "ding-niu", "--runs", str(tmp_path), "--json", str(kept)]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit):
        tiny.main()
    assert "--json goes with --recipes" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", [*words, "--recipes"])
    tiny.main()
    assert json.loads(kept.read_text()) == {"another": 1, "ding-niu-default": "ding-niu-default"}


FACTS = {"2", "95"}  # of the README: 2s of a claim, and the level of all intervals


def figures_of(text):
    """The numbers of sentences and of what was trained, with their places; not those of code, tables and links."""
    left_out = r"```(?:sh|python|console).*?```|^[|][^\n]*|`[^`\n]+`|\]\([^)]*\)|seat \d"
    text = re.sub(left_out, lambda match: " " * len(match[0]), text, flags=re.S | re.M)
    return [match for match in re.finditer(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text) if match[0] not in FACTS]


def test_readme_figures_each_have_a_command():
    text = readme.README.read_text(encoding="utf-8")
    stated = [re.search(figure.stated, text) for figure in readme.FIGURES.values()]
    assert all(stated), [name for name, match in zip(readme.FIGURES, stated, strict=True) if not match]
    spans = [match.span() for figure in readme.FIGURES.values() for match in re.finditer(figure.stated, text)]
    numbers = figures_of(text)
    assert len(numbers) > 15
    outside = [match[0] for match in numbers if not any(start <= match.start() < end for start, end in spans)]
    assert outside == []


def test_readme_figures_are_read_from_command_output(capsys, monkeypatch):
    assert readme.main(["lines", "games"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"lines: wc -l \S+ \(\d+ s\)\n  README (\d+)\n  here   \1\n", shown)
    assert re.search(r"games: gupai rules .*\n  README ten\n  here   ten\n", shown)
    with monkeypatch.context() as patched:
        patched.setitem(readme.FIGURES, "lines", replace(readme.FIGURES["lines"], measured=lambda _: "9"))
        assert readme.main(["lines"]) == 1
    assert "here   9" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        readme.main(["nothing"])
    assert "there is no figure 'nothing'; there are games, lines" in capsys.readouterr().err
    text = readme.README.read_text(encoding="utf-8")
    trained = readme.FIGURES["trained"]  # the README quotes what is printed
    assert trained.measured(text) == readme.matches(trained.stated)(text) != ""
    rows = [
        {"game": game, "what": "4096 lanes, observation and mask", "value": value}
        for game, value in (("one", 7.26e6), ("other", 5.4e6), ("third", 12e6))
    ]
    rows.append({"game": "one", "what": "4096 lanes, mask", "value": 1e9})
    assert readme.range_of_speeds(json.dumps({"figures": rows})) == "5.4 to 12.0 million"
