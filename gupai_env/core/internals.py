"""What is used of numba's inner parts, which may change with any version, and what happens where one is missing.

The versions that pyproject.toml allows have all of them. Another one is used as far as it goes: results are the same.
"""

import functools
import sys
from importlib import import_module
from typing import Any

LIBRARY, COMPILER, TEMPLATES = "core.codegen.JITCodeLibrary", "core.compiler", "core.typing.templates"
PARTS = (  # to compile what loops contain only there
    *(f"{LIBRARY}.{name}" for name in ("add_ir_module", "enable_object_caching", "get_pointer_to_function")),
    *(f"{LIBRARY}.{name}" for name in ("_optimize_functions", "_optimize_final_module", "_finalize_final_module")),
    *(f"{LIBRARY}.{name}" for name in ("_finalize_dynamic_globals", "_ensure_finalized", "codegen")),
    *(f"core.codegen.JITCPUCodegen.{name}" for name in ("_function_pass_manager", "set_env")),
    *(f"{COMPILER}.{name}" for name in ("Compiler.compile_extra", "Flags.values")),
    f"{COMPILER}.CompileResult._find_referenced_environments",
)
KEEPING = (  # to keep machine code where it is found again
    *(f"core.caching.{name}" for name in ("_CacheLocator", "CompileResultCacheImpl", "AppDirs.user_cache_dir")),
    *(f"core.caching.IndexDataCacheFile.{name}" for name in ("_dump", "_load_data")),
    *(f"core.caching.FunctionCache.{name}" for name in ("load_overload", "save_overload")),
)
BORROWING = tuple(f"core.cgutils.{name}" for name in ("get_or_insert_function", "is_not_null"))  # to call it faster
HEAP = ("core.runtime.rtsys.get_allocation_stats", "core.runtime._nrt_python.memsys_enable_stats")  # to count its use
EVENTS = ("core.event.Listener", "core.event.register")  # to say what is being compiled
CODE = (  # to write machine code by hand
    *(f"{TEMPLATES}.{name}" for name in ("infer", "infer_global", "make_intrinsic_template")),
    *("core.types.Function", "np.arrayobj.populate_array"),
    *(f"core.cgutils.{name}" for name in ("alloca_once", "do_boundscheck", "global_constant", "raw_memcpy")),
)


# One road to everything that numba does not promise to keep, so that a new version is met here, and not as an
# AttributeError in the middle of compiling.


def internal(name: str) -> Any:
    """Return a part of numba by its name within it, None if there is none."""
    part, path = import_module("numba"), ""
    for word in name.split("."):  # attributes first: a submodule is an attribute only once something has imported it
        path = f"{path}.{word}"
        try:
            part = getattr(part, word) if hasattr(part, word) else import_module(f"numba{path}")
        except ImportError:
            return None
    return part


class Later:
    """A module that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


def base_class(name: str) -> Any:
    """Return a class of numba to inherit from; where there is none, one that nobody uses then."""
    return internal(name) or object


@functools.cache
def there(names: tuple[str, ...], instead: str) -> bool:
    """Return whether numba has all of these parts; if not, print a line that says what happens instead."""
    missing = next((name for name in names if internal(name) is None), None)
    if missing:  # said once for each purpose, because `there` is cached: one version of numba lacks several parts
        tell(f"numba {internal('__version__')} has no numba.{missing}: {instead}; tested are numba 0.63 to 0.68")
    return missing is None


def tell(line: str) -> None:
    """Print a line about the machine, not about the game, on standard error, apart from results."""
    if sys.stderr is not None:
        print(f"gupai: {line}", file=sys.stderr, flush=True)
