"""The checkout that the tests belong to: its root, and the scripts of its folder `tools`."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


def tool(name: str) -> ModuleType:
    """Load a script of `tools` without running it."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "tools")  # where it finds the other modules, as a script does
        spec.loader.exec_module(module)
    return module
