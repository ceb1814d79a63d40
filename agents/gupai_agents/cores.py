"""What this machine is, and how many of its cores this process may use: the only place that asks."""

import functools
import math
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from gupai_env.words.checks import refused

VARIABLE = "PYTHON_CPU_COUNT"  # Python's own name for it, since 3.13


def cores() -> int:
    """Return how many cores this process may use, at least 1.

    That is what the variable PYTHON_CPU_COUNT says; else the cores that it is bound to (`taskset`), or as many as the
    quota of its container is worth, rounded up, if these are fewer.

    Raises:
        ValueError: For another PYTHON_CPU_COUNT than a whole number from 1, or "default".
    """
    stated = os.environ.get(VARIABLE, "")
    if stated not in ("", "default"):
        if not (stated.isascii() and stated.isdecimal() and int(stated)):
            raise refused(VARIABLE, stated, 'a whole number from 1, or "default"')
        return int(stated)
    return math.ceil(min(_allowed(), quota()))


def take_cores(count: int) -> None:
    """Let this process, and those that it starts, use so many cores: its share where several work side by side."""
    os.environ[VARIABLE] = str(count)


def _allowed() -> int:
    """Return the number of cores on which this process may be scheduled, at least 1."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def quota(root: Path = Path("/")) -> float:
    """Return how many cores' time the control groups (Linux, v1 and v2) of this process allow, inf without a limit."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return math.inf
    return min((limit for group in groups for limit in _limits(root / "sys/fs/cgroup", group)), default=math.inf)


def _limits(mounted: Path, group: str) -> Iterator[float]:
    """Yield the limits, in cores, of a group given as "number:controllers:path", and of those above it.

    In a container the path may be the one outside of it, which is not there; its own limit is then that at the top.
    """
    _, controllers, path = group.split(":", 2)
    if controllers and "cpu" not in controllers.split(","):
        return
    top = mounted / "cpu" if controllers else mounted
    files = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if controllers else ("cpu.max",)  # microseconds
    for folder in (Path(path), *Path(path).parents):
        try:
            share, period = " ".join((top / str(folder).lstrip("/") / name).read_text() for name in files).split()
            limit = float(share) / float(period)
        except (OSError, ValueError):  # no such group, or "max"
            continue
        if limit > 0:  # -1: none
            yield limit


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor and versions."""
    import numba
    import numpy as np

    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu)
    return {
        "cpu": cpu,
        "cores": f"{cores()} of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }
