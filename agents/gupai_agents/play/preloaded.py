"""Imported by the process that workers are forked from, so that they share the memory of the compiler.

Where no machine code ships, a worker loads it from disk or compiles it, and both need numba. Its memory, and that of
the types and functions that it knows, is the same in all workers, as long as none of them writes to it.
"""

import gc

from gupai_env.core.compiling import can_compile, machine_code
from gupai_env.core.shipped import shipped

if not shipped().is_there and can_compile("a worker") and (code := machine_code()):
    code.register_marks()
    code.cpu_target.typing_context.refresh()
    code.cpu_target.target_context.refresh()
gc.collect()
gc.freeze()  # or the next collection would write to every object, and so copy it
