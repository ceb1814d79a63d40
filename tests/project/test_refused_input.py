"""What is refused where it enters, in one line that says what came and what is allowed, and with nothing changed."""

import re

import numpy as np
import pytest

from commands import gupai
from errors import one_line
from gupai_env import GAMES, VectorEnv

# --- chips ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "named"),
    [
        ("jie-long", {"stake": 1e40}, "stake=1e+40"),
        ("jie-long", {"stake": 10**400}, "stake="),
        ("jie-long", {"stake": 65_028}, "stake=65028.0"),
        ("jie-long", {"stake": 66, "deals": 1000}, "stake=66.0"),
        ("jie-long", {"stake": 33.5, "deals": 1000}, "stake=33.5"),
        ("jie-long", {"stake": 508.1}, "stake=508.1"),
        ("jie-long", {"stake": 0.009}, "stake=0.009"),
        ("da-ling", {"casino_fee": 99_999_999_999}, "casino_fee=99999999999"),
        ("da-ling", {"casino_fee": 16_778, "deals": 1000}, "casino_fee=16778"),
        ("da-ling", {"casino_fee": 10**5000}, "casino_fee="),
        ("da-ling", {"stakes": (1, 2, 4_194_302)}, "stakes=(1, 2, 4194302)"),
        ("da-ling", {"stakes": (1, 2, 10**400)}, "stakes="),
        ("da-ling", {"stakes": (1, 2, 1e-30)}, "stakes=(1, 2, 1e-30)"),
        ("da-ling", {"stakes": (1, 2, 40_000.1)}, "stakes=(1, 2, 40000.1)"),
    ],
)
def test_stakes_beyond_float32_are_refused(game, options, named):
    with pytest.raises(ValueError, match=re.escape(named)) as error:
        GAMES[game].variant(**options)
    assert "not allowed" in one_line(error)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("jie-long", {"stake": 65_027}),
        ("jie-long", {"stake": 65, "deals": 1000}),
        ("jie-long", {"stake": 32.5, "deals": 1000}),
        ("jie-long", {"stake": 508 + 1 / 128}),
        ("jie-long", {"stake": 507.9}),
        ("jie-long", {"stake": 0.01}),
        ("da-ling", {"casino_fee": 16_777, "deals": 1000, "absolute_tie": "push"}),
        ("da-ling", {"stakes": (1, 2, 4_194_301)}),
    ],
)
def test_chips_within_the_bounds_are_counted_exactly(game, options):
    """The totals of a match, in float32, are those that exact arithmetic finds from the payoffs of the same deals."""
    envs = VectorEnv(game, 20, seed=4, renew=False, **options)
    unit = [stake for stake in (options.get("stake"),) if stake] or [1]
    plain = VectorEnv(
        game, 20, seed=4, renew=False, **{name: value for name, value in options.items() if name == "deals"}
    )
    scaled, exact_totals = game == "jie-long", np.zeros((20, envs.game.max_seats))
    while not envs.terminated.all():
        actions = envs.sample(int(envs.states.moves.max()))
        payoffs, _ = envs.step(actions)
        assert np.abs(payoffs).max() <= envs.game.payoff_bound(envs.variant)
        if scaled:
            exact_totals += plain.step(actions)[0].astype(np.float64) * unit[0]
        else:
            exact_totals += payoffs
    tolerance = 0 if (np.array(unit) * 128 % 1 == 0).all() else 1 / 128
    assert np.abs(envs.states.total - exact_totals).max() <= tolerance
    assert np.abs(exact_totals).max() > 0


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_longest_match_of_every_game_is_counted_exactly(game):
    assert game.payoff_bound(game.variant()) * 1000 <= 1 << 24


# --- the command line -----------------------------------------------------------------------------

WRITERS = {  # every command that writes one file: the words before its name, and what must not be begun
    "replay --html": ("replay missing.jsonl --html", None),
    "export --onnx": ("export missing --onnx", None),
    "export --sb3": ("export missing --sb3", None),
    "tune --out": ("tune jie-long --out", "gupai_app.training.heuristics.run_tuning"),
    "claim --html": ("claim run jl-attack-2 --html", "gupai_app.claims.terminal.test"),
    "watch --record": ("watch jie-long random --record", "gupai_app.review.terminal.watch"),
    "play --record": ("play jie-long --against random --record", "gupai_app.play.terminal.play"),
    "gate --record": ("gate jie-long greedy random --record", "gupai_agents.evaluation.gate"),
    "tournament --record": (
        "tournament jie-long greedy random --record",
        "gupai_agents.evaluation.tournaments.tournament.play_tournament",
    ),
}
TARGETS = {  # what is named, in a folder, and what is said of it; test_files.py names all that there are
    "folder.yaml": "this is a folder; name a file",
    "none/x.yaml": "there is no folder",
    "file.yaml": "exists already; choose another name, or replace it with --force",
}


@pytest.mark.parametrize("writer", WRITERS)
def test_unwritable_target_is_refused_before_a_command_begins(writer, tmp_path, monkeypatch):
    words, begun = WRITERS[writer]
    if begun is not None:
        monkeypatch.setattr(begun, lambda *_, **__: pytest.fail("it has begun"))
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "file.yaml").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    for name, said in TARGETS.items():
        target = str(tmp_path / name)
        for force in ([], ["--force"])[: 1 if "exists" in said else 2]:
            result = gupai(*words.split(), target, *force)
            assert (result.exit_code, result.stdout) == (2, ""), (target, result.output, result.exception)
            assert result.stderr.startswith(f"gupai: {words.split()[-1]} ") and said in result.stderr
            assert result.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file.yaml").read_text() == "mine"
