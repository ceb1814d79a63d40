"""What machine code is emitted for, as LLVM names it: this processor, another, or a GPU."""

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from llvmlite import binding

# What is asked of numba for another processor than this one holds for all that is emitted.
PROCESSOR = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
_native = "" if PROCESSOR == "generic" else binding.get_host_cpu_features().flatten()
FEATURES: str = os.environ.get("NUMBA_CPU_FEATURES", _native)


class NeedsMoreError(ValueError):
    """A loop needs what is not there where its machine code runs."""


class Target(NamedTuple):
    """What is emitted for, as LLVM names it; triple: the architecture, the system and how objects are written.

    is_loaded: Whether it is loaded into a process of this machine, where it may call what numba has, as for the heap.
    Of a GPU: `registers` is how many a thread may have, `code` LLVM's code of functions, and `instead` says which of
    them take the place of what others have.
    """

    triple: str
    processor: str
    features: str = ""
    registers: int = 0
    code: str = ""
    instead: Mapping[str, str] = {}
    is_loaded: bool = False

    def machine(self) -> Any:
        """Return what writes machine code for it."""
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        # As numba has it: in memory, code and data may lie anywhere. WebAssembly is linked alone, and then loaded.
        is_static = self.triple.startswith("wasm") or (self.is_loaded and self.triple.startswith("x86"))
        return binding.Target.from_triple(self.triple).create_target_machine(
            cpu=self.processor,
            features=self.features,
            opt=3,
            reloc="static" if is_static else "pic",
            codemodel="jitdefault" if self.is_loaded else "default",
            jit=self.is_loaded,
        )


# On Windows too objects are loaded as Linux has them.
HERE = Target(
    binding.get_process_triple() + ("-elf" if sys.platform == "win32" else ""), PROCESSOR, FEATURES, is_loaded=True
)
