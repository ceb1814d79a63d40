"""Arguments of public functions, checked where they come in: one line says which, what came and what is allowed."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gupai_env.core.numbers import told


def refused(name: str, value: Any, allowed: str) -> ValueError:
    """Return the error for an argument."""
    return ValueError(f"{name}={told(value)} is not allowed; it must be {allowed}")


def listed(name: str, values: Any, what: str) -> list:
    """Return several things as a list; raises ValueError for what is no list of things, such as one text."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise refused(name, values, f"a list of {what}")
    return list(values)


def path_of(name: str, value: Any) -> Path:
    """Return a path; raises ValueError for anything but a text or a path."""
    if isinstance(value, (str, os.PathLike)):
        return Path(value)
    raise refused(name, value, "a path")


def between(name: str, value: Any, least: float, most: float, allowed: str) -> float:
    """Return a number above `least` and below `most`; raises ValueError for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and least < value < most:
        return value
    raise refused(name, value, allowed)


def require_methods(progress: Any = None, record: Any = None) -> None:
    """Raise ValueError for a progress that cannot be called, and for a record to which no games can be written."""
    if not (progress is None or callable(progress)):
        raise refused("progress", progress, "None or a function of the number of deals just finished")
    if not (record is None or callable(getattr(record, "write", None))):
        raise refused("record", record, "None or a RecordWriter")
