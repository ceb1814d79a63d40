"""Who may be named on a page: trained players as their files are now, and given ones with what is wrong with them."""

import errno
import os

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")

from gupai_agents.networks.checkpoint import AGENT_FILE
from gupai_agents.networks.network import save_network
from gupai_app.server.players import Players, folders, wrong_with
from gupai_env import get_game
from gupai_env.storage.models import DamagedError

GAME = get_game("jie-long")
FORCED, FREE = GAME.variant.make(forced_play=True), GAME.variant.make(forced_play=False)


def train(folder, value, variant, when, game=GAME):
    """Write a run whose player always likes the first legal action, in a file of a time."""
    folder.mkdir(exist_ok=True)
    shapes = {"0": (4, game.encoder.layout.size), "2": (game.num_actions, 4)}
    layers = {f"{name}.weight": np.full(shape, value, np.float32) for name, shape in shapes.items()}
    save_network(layers, game, variant, folder / AGENT_FILE, force=True)
    os.utime(folder / AGENT_FILE, (when, when))


def test_trained_player_is_read_from_its_current_file(tmp_path):
    found = Players(tmp_path)
    train(tmp_path / "one", 1.0, FORCED, 1000)
    assert found.agent("run:one", GAME, FORCED).tensors["policy.weight"][0, 0] == 1
    assert found.trained(GAME, FORCED) == ["run:one"] and found.trained(GAME, FREE) == []
    assert "run:one" in found.names(GAME, FORCED) and "run:one" not in found.names(GAME, FREE)
    train(tmp_path / "one", 2.0, FORCED, 2000)
    assert found.agent("run:one", GAME, FORCED).tensors["policy.weight"][0, 0] == 2
    train(tmp_path / "one", 2.0, FREE, 3000)
    assert found.trained(GAME, FORCED) == [] and found.trained(GAME, FREE) == ["run:one"]
    other = get_game("tiu-u")
    assert found.trained(GAME) == ["run:one"] and found.trained(other) == []
    with pytest.raises(ValueError, match="trained with forced_play=False, not forced_play=True"):
        found.agent("run:one", GAME, FORCED)
    train(tmp_path / "one", 2.0, other.variant(), 4000, other)
    assert found.trained(GAME) == [] and found.trained(other) == ["run:one"]


def test_newest_run_is_first(tmp_path):
    for when, name in ((2000, "b"), (3000, "a"), (1000, "c"), (4000, "no name")):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (when, when))
    assert list(folders(tmp_path)) == ["a", "b", "c"] and folders(None) == folders(tmp_path / "none") == {}


def test_given_player_is_refused_for_other_games_with_the_reason():
    with pytest.raises(ValueError, match=r"^--agent 'chess' plays no game: "):
        Players(given=["chess"])
    found = Players(given=["heuristic:red=1"])
    deer = get_game("deer-hunt")
    assert "heuristic:red=1" in found.names(deer) and "heuristic:red=1" not in found.names(GAME)
    found.check("heuristic:red=1", deer, deer.variant())
    with pytest.raises(ValueError, match="red") as refused:
        found.check("heuristic:red=1", GAME, FORCED)
    assert "who does" not in str(refused.value)  # but what is wrong with it here


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (DamagedError("row.json", "it is odd"), "row.json: it is odd"),
        (ValueError("it is\n  odd"), "summary.json: it is odd"),
        (LookupError(), "summary.json: LookupError"),
        (PermissionError(errno.EACCES, "no", "/a/path/of/this/machine"), "summary.json: permission denied"),
    ],
)
def test_file_errors_begin_with_the_name_and_show_no_path(error, said):
    assert wrong_with(error, "summary.json") == said
