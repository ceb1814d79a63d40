"""The modules of games as WebAssembly for tests: made once for the sources at hand, in the folder of users' caches."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from checkout import ROOT, tool
from gupai_env.core.shipped import FOLDER

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


def modules_of(*games: str) -> Path:
    """Return a folder with GAME.wasm and GAME.json of some games, which are made if they are not there."""
    pytest.importorskip("ziglang", reason="links what is emitted")
    wasm = tool("wasm")
    kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gupai" / "wasm32"
    for folder in (FOLDER / "wasm32", kept):
        if all(wasm.is_current(folder, game) for game in games):
            return folder
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # else machine code is not kept in it
    kept.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as name:
        missing = [game for game in games if not wasm.is_current(kept, game)]
        command = [sys.executable, "tools/machine_code.py", "--system", "wasm32", "--out", name, "--games", *missing]
        subprocess.run(command, cwd=ROOT, check=True)
        for file in sorted(Path(name, "wasm32").iterdir(), reverse=True):  # .wasm first: .json says what it is made of
            file.replace(kept / file.name)
    return kept
