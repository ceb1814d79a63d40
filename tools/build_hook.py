"""Puts the machine code that `tools/machine_code.py` has made into a wheel; any other wheel compiles by numba."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class MachineCode(BuildHookInterface):
    """The hook of the build backend, see pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say what a wheel holds and needs besides the packages."""
        code, tag = os.environ.get("GUPAI_WHEEL_CODE"), os.environ.get("GUPAI_WHEEL_TAG")
        if code and version == "standard":
            build_data["force_include"][code] = "gupai_env/machine_code"
            build_data["pure_python"], build_data["tag"] = False, f"cp311-abi3-{tag}"
        else:
            build_data["dependencies"] += self.metadata.core.optional_dependencies["compile"]
