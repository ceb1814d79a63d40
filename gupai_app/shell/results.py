"""Results that commands keep in a folder as JSON; the same command finds them there and does not compute them again."""

import contextlib
import json
from pathlib import Path
from typing import Any

from gupai_env.messages import say
from gupai_env.storage.files import json_text, locked_folder, read_text, write_file


def locked_output(out: str | None, doing: str) -> contextlib.AbstractContextManager[Any]:
    """Return what holds the folder in which something is kept, if there is one."""
    return contextlib.nullcontext() if out is None else locked_folder(out, doing)


def keep(path: Path | None, content: dict[str, Any], indent: int = 2) -> None:
    """Write a result to its path, if there is one, whole or not at all.

    Args:
        path: The file, None for none.
        content: What JSON can hold.
        indent: Columns by which it is indented.
    """
    if path is not None:
        write_file(path, f"{json_text(content, indent)}\n", force=True)


def saved_result(path: Path | None, made_by: dict[str, Any], listed: str) -> dict[str, Any] | None:
    """Return the result that is at a path, None if none is.

    Args:
        path: The file, if there is one.
        made_by: What the result must say of what made it.
        listed: A key of it, of a list.

    Raises:
        ValueError: The file is damaged, or the result of something else; in one line.
    """
    if path is None or not path.exists():
        return None
    try:
        content: dict[str, Any] = json.loads(read_text(path))
        same = {key: content[key] for key in made_by} == json.loads(json.dumps(made_by))
        if not isinstance(content[listed], list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(say("{path} is damaged; remove it", path=path)) from None
    if not same:
        raise ValueError(say("{path} was made by another command, file or version; name another folder", path=path))
    return content
