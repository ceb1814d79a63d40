"""Puts the machine code that `tools/machine_code.py` has made into a wheel; any other wheel compiles by numba.

WebAssembly, which is for every system, goes into any wheel.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCode(BuildHookInterface):
    """The hook of the build backend, see pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what a wheel holds and needs besides the packages."""
        code, tag = os.environ.get("GUPAI_WHEEL_CODE"), os.environ.get("GUPAI_WHEEL_TAG")
        standard, wasm = version == "standard", Path(self.root, "gupai_env/machine_code/wasm32")
        if standard and wasm.exists():
            build_data["force_include"][str(wasm)] = "gupai_env/machine_code/wasm32"
        if standard and code:
            build_data["force_include"][code] = "gupai_env/machine_code"
            build_data["pure_python"], build_data["tag"] = False, f"cp311-abi3-{tag}"
        else:
            build_data["dependencies"] += self.metadata.core.optional_dependencies["compile"]
