"""What goes wrong in an agent's own code, reported in one line that names the agent, the file and the line."""

import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from gupai_env.messages import say

LONGEST = 300  # characters of a message that are repeated
OURS = tuple(str(Path(__file__).parent.parent / name) + "/" for name in ("gupai_agents", "gupai_env"))
PYTHONS = (sysconfig.get_path("stdlib"), "<frozen ", "<__array_function__")  # of no interest to who wrote the agent
INSTALLED = ("site-packages", "dist-packages")

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class AgentError(ValueError):
    """An agent that fails, in one line: what its code raised is the cause of this error."""


class Leave(SystemExit):
    """A person leaves the game: no failure of the agent that asks them. Uncaught it ends the program quietly."""


def called(who: str, function: Callable[Parameters, Result], /, *arguments: Parameters.args) -> Result:  # type: ignore[valid-type]
    """Return what code of an agent returns.

    Args:
        who: What errors call it.

    Raises:
        AgentError: For whatever it raises, an end of the program included; ctrl-C and `Leave` pass.
    """
    try:
        return function(*arguments)  # type: ignore[call-arg]
    except (AgentError, Leave):
        raise
    except (Exception, SystemExit) as error:
        raise AgentError(failure_of(who, error)) from error


def failure_of(who: str, error: BaseException) -> str:
    """Return one line on an exception: who failed, with what, and where in their own code."""
    place = place_of(error)
    message = in_one_line(error)
    place_text = f" at {place}" if place else ""
    cause = f"{type(error).__name__}{place_text}{f': {message}' if message else ''}"
    return say("agent {name} failed with {cause}", name=who, cause=cause)


def in_one_line(error: BaseException) -> str:
    """Return what an exception says, in one line that is not too long."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # it cannot be found
        return ""
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 3]}..."


def place_of(error: BaseException) -> str:
    """Return "file:line" of the last call in code that is neither ours nor of a library, else of the first; or ""."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{near(error.filename)}:{error.lineno}"
    calls = traceback.extract_tb(error.__traceback__)[1:]  # without `called`
    own = [call for call in calls if not call.filename.startswith((*OURS, *PYTHONS))]
    if not (own := own or list(calls)):
        return ""
    written = [call for call in own if not any(folder in Path(call.filename).parts for folder in INSTALLED)]
    last = written[-1] if written else own[0]
    return f"{near(last.filename)}:{last.lineno}"


def near(path: str | Path) -> str:
    """Return a path as people name it: from the current folder on, if it lies within."""
    path = Path(path)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
