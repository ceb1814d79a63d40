"""Three Tricks with one fault in its rules at a time, as strangers make them: what the kit notices, and its words."""

import importlib
import re
from functools import partial

import pytest

import three_tricks
from checkout import ROOT
from gupai_env.aec import GupaiEnv
from gupai_env.core import compiling
from gupai_env.testing import check_env, hooks_of, second_process

SOURCE = (ROOT / "tests" / "three_tricks.py").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
DEAL, STEP = "    clear(state)\n    for place in", "    state.hands[state.to_act] -= gupai.ONE[action]\n"
VIEW, PAID = "    view.gone = state.gone\n", "    for seat in range(rules.players):\n        out[seat] ="
HIDDEN = "view.sizes, key)"

# By fault: what is written instead of what, the check that fails, and a part of its line.
NOTICED = {
    "The mask offers a tile that is not held": (
        ("    gupai.write_kinds(gupai.kinds_in(state.hands[state.to_act]), mask, 0)", "    mask[:] = True"),
        "plain-rules",
        "which legal_actions offers, the hands hold tiles that the deck does not have",
    ),
    "A bit of a hidden tile is in a field of the view that no encoder reads": (
        (VIEW, f"{VIEW}    view.deal += state.hands[gupai.seat_after(rules, state, seat)] & 1\n"),
        "information-set",
        "the field deal of its view changes when what it cannot know is dealt again",
    ),
    "`determinize` draws from `np.random` as well as from its key": (
        (HIDDEN, "view.sizes, np.random.randint(1 << 30))"),
        "plain-rules",
        "determinize fills hands differently from the same view and key",
    ),
    "`determinize` deals by a hash of text, which differs from process to process": (
        (HIDDEN, "view.sizes, key ^ KEY)"),
        "second-process",
        "dealt again for seat_0 by the same numbers, differs in a second process",
    ),
    "A field of the view is too narrow": (
        ('("hand", "i8")', '("hand", "i4")'),
        "plain-rules",
        "information_set raises OverflowError at three_tricks_4.py:99: the field hand, int32, cannot hold ",
    ),
    "A field is left from the deal before": (
        (DEAL, "    state.hands[:] = 0\n    state.laid[:] = 0\n    state.gone = 0\n    for place in"),
        "plain-rules",
        "deal_from leaves won of the deal before",
    ),
    "A payoff depends on the number of a seat": (
        (PAID, "    out[0] += 1\n    out[1] -= 1\n    for seat in range(rules.players):\n        out[seat] +="),
        "plain-rules",
        "the number of a seat decides: after action",
    ),
    "Who leads depends on the number of a seat": (
        ("state.to_act = state.first = winner", "state.to_act = state.first = max(winner, 1)"),
        "plain-rules",
        "the number of a seat decides: after action",
    ),
    "A rule reads a global that another changes": (
        (PAID, "    SEEN.append(0)\n    for seat in range(rules.players):\n        out[seat] = len(SEEN) % 2 +"),
        "plain-rules",
        "the same moves lead to another payoff when they are played again",
    ),
    "A rule writes to a table": (
        (STEP, f"    gupai.WEIGHT[action] = 1\n{STEP}"),
        "plain-rules",
        "step raises ValueError at three_tricks_9.py:75: assignment destination is read-only",
    ),
    "`determinize` uses the same key every time": (
        (HIDDEN, "view.sizes, 1)"),
        "information-set",
        "hook redeal ignores its random numbers",
    ),
    "The mask writes to the state": (
        ("    gupai.write_kinds(", "    state.won[0] = min(3, state.won[0] + 1)\n    gupai.write_kinds("),
        "plain-rules",
        "legal_actions writes to won, which it may only read",
    ),
    "The payoffs are counted in the state": (
        (PAID, f"    state.gone = 0\n{PAID}"),
        "plain-rules",
        "payoffs writes to gone, which it may only read",
    ),
    "`determinize` leaves a field as it was": (
        ("    clear(state)\n    gupai.resume_from", "    state.laid[:] = 0\n    gupai.resume_from"),
        "plain-rules",
        "determinize leaves hands of a state as it was",
    ),
    "`information_set` leaves a field as it was": (
        ("    view.hand = state.hands[seat]\n", "    if state.hands[seat]:\n        view.hand = state.hands[seat]\n"),
        "plain-rules",
        "information_set leaves hand of a view as it was",
    ),
    "An index below 0 counts from the end": (
        ("state.laid[state.to_act] = gupai", "state.laid[state.to_act - 1] = gupai"),
        "plain-rules",
        "step raises IndexError at three_tricks_15.py:76: index -1 into 3 entries",
    ),
    "A number grows beyond its field": (
        ("int(state.won[seat]) - HAND)", "(state.won[seat] + 127) - 127 * rules.players - HAND)"),
        "plain-rules",
        "overflow encountered in scalar",
    ),
    "`payoff_bound` is too low": (
        ("variant.stake * HAND *", "variant.stake *"),
        "plain-rules",
        "chips, but payoff_bound says at most 2",
    ),
    "`max_decisions` is too low": (("max_decisions=SEATS * HAND", "max_decisions=SEATS"), "bounded-length", "3 moves"),
    "Memory is read that nobody has written": (
        (PAID, "    other = scratch(4, np.dtype(np.int8))\n" + PAID + " other[3] % 2 +"),
        "plain-rules",
        "",
    ),
}
NOT_NOTICED = {
    "A rule is another than in the rulebook: the lightest tile wins": (") > gupai.weight(", ") < gupai.weight("),
    "An option changes nothing": ("rules.stake * (", "("),
    "The observation lacks something": ("        gupai.write_counts(view.laid[place]", "        gupai.write_counts(0"),
    "`determinize` deals unevenly": (HIDDEN, "view.sizes, key if key % 2 else 1)"),
    "`next_deal` chooses a seat that is not there, in the games of one deal that were asked for": (
        "LAYOUT =",
        "@gupai.rule\ndef next_deal(rules, state):\n    state.leader = 9\n\n\nLAYOUT =",
    ),
}
EXTRAS = "import numpy as np; from gupai_env.core.memory import scratch; SEEN = []; KEY = hash('key') >> 2"


@pytest.fixture(scope="module", autouse=True)
def plain_processes():
    """All is plain Python, here and there: compiling each fault would take half a minute."""
    patch = pytest.MonkeyPatch()
    patch.setenv("NUMBA_DISABLE_JIT", "1")
    patch.setattr(compiling, "PLAIN_SECONDS", 1e9)
    second_process._child.cache_clear()
    yield
    patch.undo()
    second_process._child.cache_clear()


def game_of(change, number, folder):
    """A copy of Three Tricks with a change, the module three_tricks_NUMBER."""
    old, new = change
    assert SOURCE.count(old) == 1, old
    changed = SOURCE.replace(old, new).replace(
        "import gupai_env.game as gupai\n", f"import gupai_env.game as gupai; {EXTRAS}\n"
    )
    (folder / f"three_tricks_{number}.py").write_text(changed)
    return importlib.import_module(f"three_tricks_{number}").GAME


def report_of(game, *checks, games=2, **options):
    checks = ["plain-rules", "no-crash", *checks]
    return check_env(partial(GupaiEnv, game, **options), hooks_of(game, **options), games=games, checks=checks)


def test_game_without_a_fault_passes():
    report = report_of(three_tricks.GAME, "information-set", "bounded-length", "second-process")
    assert len(report.passed) == 5 and not report["plain-rules"].notes, str(report)


@pytest.mark.parametrize(("number", "fault"), [*enumerate(NOTICED)], ids=str)
def test_fault_is_noticed_in_one_line(number, fault, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    change, check, words = NOTICED[fault]
    report = report_of(game_of(change, number, tmp_path), *{check} - {"plain-rules"})
    assert report.failed == [check], str(report)
    assert words in str(report[check]) and "\n" not in str(report[check])
    assert re.search("seed [01], move [0-9][,:] ", str(report[check])), str(report)


@pytest.mark.parametrize(("number", "fault"), [*enumerate(NOT_NOTICED, 100)], ids=str)
def test_fault_is_not_noticed_as_the_page_says(number, fault, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    game, short = game_of(NOT_NOTICED[fault], number, tmp_path), {"deck": "tiny", "players": 2}
    report = check_env(partial(GupaiEnv, game, **short), hooks_of(game, **short), games=1)
    assert not report.failed, str(report)


def test_documentation_lists_every_fault():
    for fault in (*NOTICED, *NOT_NOTICED):
        assert f"| {fault} |" in PAGE
