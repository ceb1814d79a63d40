"""The checkout that the tests belong to: its root, the files that git tracks, and the scripts of its folder `tools`."""

import importlib.util
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = ("gupai_env", "agents", "training", "gupai_app")  # the folders of what is installed


@cache
def tracked(root: Path = ROOT) -> tuple[Path, ...]:
    """Return the files that git tracks, sorted; what a user's work left next to them is not ours to test.

    Without git, as in an archive of the sources, there are none.
    """
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ()
    return tuple(sorted(path for name in listing.split("\0") if name and (path := root / name).is_file()))


def files(*folders: str, name: str = "*", root: Path = ROOT) -> list[Path]:
    """Return the tracked files in some folders that match a pattern, sorted; without git, all of their files."""
    paths = tracked(root) or [path for folder in folders for path in (root / folder).rglob("*") if path.is_file()]
    tops = [root / folder for folder in folders]
    return sorted(path for path in paths if path.match(name) and any(path.is_relative_to(top) for top in tops))


def tool(name: str) -> ModuleType:
    """Load a script of `tools` without running it."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")  # where it finds the other modules, as a script does
        spec.loader.exec_module(module)
    return module
