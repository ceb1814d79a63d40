"""How an environment answers an action that it may not take."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pettingzoo import AECEnv

from gupai_env.testing.games import Game, Snapshot, is_over, snapshot
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.trial import Trial


@dataclass(frozen=True)
class Answer:
    """What `step` did with an action.

    Attributes:
        kind: "taken", "raise", "ignore" or "end" as in `Hooks.illegal`, or "accident": it raised, but not one
            of the promised exceptions with a text of one line.
        text: the same for people, to follow the word "step".
        changed: whether the API shows anything else than before.
    """

    kind: str
    text: str
    changed: bool

    def __str__(self) -> str:
        return self.text


def refusal(hooks: Hooks, error: Exception) -> tuple[str, str]:
    """Kind and text of an exception raised by `step`."""
    name, lines = type(error).__name__, str(error).strip().splitlines()
    if not isinstance(error, hooks.refusals):
        promised = ", ".join(kind.__name__ for kind in hooks.refusals)
        return "accident", f"raises {name} ({' '.join(lines)}), which is none of {promised}"
    if len(lines) != 1:
        return "accident", f"raises {name} with a text of {len(lines)} lines instead of one"
    return "raise", f"raises {name} ({lines[0]})"


def attempt(hooks: Hooks, env: AECEnv, action: Any, before: Snapshot | None = None) -> Answer:
    """Step an environment that may be spoilt and say what it did; `before` is its snapshot, if at hand.

    Args:
        hooks: How the environment refuses an action.
        env: The environment, which may be spoilt afterwards.
        action: Of any type.
        before: The snapshot of the environment, None to take it now.
    """
    before, was_over = before or snapshot(env), is_over(env)
    mover = env.agent_selection if env.agents else None
    try:
        env.step(action)
    except Exception as error:
        kind, text = refusal(hooks, error)
        return Answer(kind, text, changed=snapshot(env) != before)
    if snapshot(env) == before:
        return Answer("ignore", "ignores it", changed=False)
    if "end" in hooks.illegal and not was_over and is_over(env) and env._cumulative_rewards[mover] < 0:
        return Answer("end", "ends the game", changed=True)
    return Answer("taken", "takes it", changed=True)


def attempts(trial: Trial, game: Game, actions: Iterable[Any]) -> Iterator[tuple[Any, Answer]]:
    """Attempt each action in the position of `game`, or as many as there is time for, on copies.

    Args:
        trial: Says how much time there is.
        game: The position, which stays as it is.
        actions: Of any type.
    """
    copy = before = None
    for action in trial.some(game, actions):
        if copy is None:
            copy = trial.copy(game)
            before = snapshot(copy.env)
        answer = attempt(trial.hooks, copy.env, action, before)
        yield action, answer
        if answer.changed:
            copy = None


def malformed(actions: range, legal: list[int]) -> list[Any]:
    """Values that are not an action at all, several of them within easy reach of a legal one."""
    some = legal[0] if legal else actions[0]
    numbers = [actions.stop, some + len(actions), -1, some - len(actions), 2**63]
    # A bool is an int to Python, and may be taken as one; it is not an action where that number is not legal.
    flags = [flag for flag in (True, False) if int(flag) not in legal]
    words = [some + 0.5, math.nan, math.inf, None, str(some), ""]
    return [number for number in numbers if number not in actions] + flags + words
