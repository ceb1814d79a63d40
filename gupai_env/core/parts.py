"""Registers the functions that `rule` marked with numba, and compiles each as a part of the loops that contain it.

numba would optimise every function by itself and turn it into machine code that is never called. That is half of the
work of compiling, and is skipped here: a loop is optimised as a whole, with everything that it contains.
"""

import functools
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from numba.extending import overload, register_jitable

from gupai_env.core.rule import marks
from gupai_env.core.target import FEATURES

MOVES_BITS = "+bmi2" in FEATURES

layout = ""  # of data in memory that parts are tidied up for, as LLVM writes it; "": that of this process

# Numba compiles every function to the end. In the four classes below a part stops where it can be inlined: `_Part` and
# `_CalledPart` are the code of a part, `_PartCompiler` and `_CalledPartCompiler` make numba write it into them.


class _Part(JITCodeLibrary):
    """The code of a function that others inline or call: linked into theirs, and never run by itself."""

    @property
    def codegen(self) -> Any:
        # The compiler asks the code generator for just one thing of a part, `set_env`, which must do nothing here.
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: there is no machine code in which an environment could be set."""

    def _optimize_functions(self, module: Any) -> None:
        """Only tidy up: what is inlined is optimised where it ends up. Left as it is, it would be more work there."""
        module.data_layout = layout or self._codegen._data_layout
        # Level 1 removes what numba writes for every variable. Numba alone: level 3, of code that is thrown away.
        for function in module.functions:
            passes, builder = self._codegen._function_pass_manager(opt=1)
            passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        pass  # numba alone: the whole part with all its parts, again for each function on the way up

    def _finalize_final_module(self) -> None:
        # As numba's own, without the last step, which hands the module to the machine code compiler.
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        # Nobody calls a part, so there is no address; numba takes 0 for "not there".
        self._ensure_finalized()
        return 0


class _CalledPart(_Part):
    def add_ir_module(self, module: Any) -> None:
        """Keep functions from being inlined; llvmlite 0.46 puts the attributes of a parsed module in a wrong place."""
        for function in module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(module)


class _Flags(Flags):
    """The options of a part, equal if what is compiled inside it is the same.

    numba compiles a function again for every combination of its callers' options.
    """

    __slots__ = ()

    def values(self) -> dict[str, Any]:
        return super().values() | {"forceinline": False}


class _PartCompiler(Compiler):
    library: type[_Part] = _Part

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.flags = _Flags(self.state.flags)
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _CalledPartCompiler(_PartCompiler):
    library = _CalledPart


# Numba writes two more functions around each: one that Python calls, and one for C. Compiling them would take time.
_UNCALLED: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_CONTAINED: Any = {"forceinline": True, "pipeline_class": _PartCompiler, **_UNCALLED}
_CALLED: Any = {"forceinline": False, "pipeline_class": _CalledPartCompiler, **_UNCALLED}


@functools.cache
def part_of(function: Callable[..., Any], kinds: tuple[Any, ...]) -> Any:
    """Compile a function for arguments of some types as a part; return what numba has of it, as LLVM's code."""
    part = numba.njit(function, **_CONTAINED)
    part.compile(kinds)
    return part.overloads[kinds]


def replace(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Make compiled code inline another function instead."""
    overload(function, jit_options=_CONTAINED, strict=False)(lambda *_: other)


def generate(
    function: Callable[..., Any], generator: Callable[..., Any], without_bmi2: Callable[..., Any] | None
) -> None:
    """Make a code generator replace calls of a function.

    Args:
        function: The plain function.
        generator: Makes LLVM code for a call of it.
        without_bmi2: Replaces it where the processor has no PDEP and PEXT, None where none are used.
    """
    if without_bmi2 and not MOVES_BITS:
        replace(function, without_bmi2)
    else:
        # What `@intrinsic` does, in two steps: a template of types with the generator in it, and the function as the
        # name under which the compiler finds it. So the plain function stays the one that Python calls.
        template = make_intrinsic_template(function, generator, function.__name__, prefer_literal=True)
        infer(template)
        infer_global(function, types.Function(template))


_WAYS: dict[str, Callable[..., Any]] = {
    "inline": register_jitable(**_CONTAINED),
    "call": register_jitable(**_CALLED),
    "replace": replace,
    "generate": generate,
}


def register_marks() -> None:
    """Register all functions that were marked since the last time."""
    while marks:
        way, *arguments = marks.popleft()
        _WAYS[way](*arguments)
