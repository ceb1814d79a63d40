"""A conformance kit for card and tile games under PettingZoo's AEC API, this project's or anybody's.

    from gupai_env.testing import Hooks, check_env

    report = check_env(my_game.env, Hooks(max_moves=60))
    print(report)
    report.raise_for_failures()

`hooks_of(game)` are those of a game of this engine, ours or one that was registered.

The kit plays through PettingZoo's API alone; what it cannot know about a game it asks for in `Hooks`, and a
check whose hook is missing is reported as not run. It complements `pettingzoo.test`, it does not repeat it.
"""

from gupai_env.testing.game_hooks import hooks_of
from gupai_env.testing.hooks import Hooks, LaneGame, Record
from gupai_env.testing.kit import check_env
from gupai_env.testing.report import ConformanceError, Report, Result
from gupai_env.testing.trial import CHECKS

__all__ = ["CHECKS", "ConformanceError", "Hooks", "LaneGame", "Record", "Report", "Result", "check_env", "hooks_of"]
