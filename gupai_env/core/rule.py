"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike.

Compiled code does not call such a function but inlines it, so that constants of its caller, such as the width of a row,
are known within it too, and there is no cost of a call. A `@long_rule` is called: it runs for so long, or so rarely,
that the cost of a call does not matter, and is used in so many places that compiling it at each of them would take
seconds.

numba would optimise every function by itself and turn it into machine code that is never called. That is half of the
work of compiling, and is skipped here: a loop is optimised as a whole, with everything that it contains.
"""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload, register_jitable

from gupai_env.core.internals import CODE, COMPILER, LIBRARY, PARTS, TEMPLATES, base_class, internal, there

CODED = there(CODE, "everything runs as plain Python, slowly")


# Numba compiles every function to the end. In the four classes below a part stops where it can be inlined: `_Part` and
# `_CalledPart` are the code of a part, `_PartCompiler` and `_CalledPartCompiler` make numba write it into them.


class _Part(base_class(LIBRARY)):  # type: ignore[misc]
    """The code of a function that others inline or call: linked into theirs, and never run by itself."""

    @property
    def codegen(self) -> Any:
        # The compiler asks the code generator for just one thing of a part, `set_env`, which must do nothing here.
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: there is no machine code in which an environment could be set."""

    def _optimize_functions(self, module: Any) -> None:
        """Only tidy up: what is inlined is optimised where it ends up. Left as it is, it would be more work there."""
        module.data_layout = self._codegen._data_layout
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


class _Flags(base_class(f"{COMPILER}.Flags")):  # type: ignore[misc]
    """The options of a loop or a part, equal if what is compiled inside them is the same.

    numba compiles a function again for every combination of its callers' options.
    """

    __slots__ = ()
    OWN = ("forceinline", "no_cfunc_wrapper", "no_cpython_wrapper", "release_gil")  # say nothing about what is inside

    def values(self) -> dict[str, Any]:
        return {name: value for name, value in super().values().items() if name not in self.OWN}


class _Compiler(base_class(f"{COMPILER}.Compiler")):  # type: ignore[misc]
    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.flags = _Flags(self.state.flags)
        return super().compile_extra(func)


class _PartCompiler(_Compiler):
    library: type[_Part] = _Part

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _CalledPartCompiler(_PartCompiler):
    library = _CalledPart


class LoopCompiler(_Compiler):
    """Compiles a loop; printing in its parts needs their environments, which only the loop has."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        loop = super().compile_extra(func)
        for environment in loop._find_referenced_environments():
            loop.target_context.codegen().set_env(environment.env_name, environment)
        return loop


# Numba writes two more functions around each: one that Python calls, and one for C. Compiling them would take time.
_UNCALLED: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_CONTAINED: Any = {"forceinline": True, **_UNCALLED}
_CALLED: Any = {"forceinline": False, **_UNCALLED}
LOOP: Any = {}  # options of a loop
if there(PARTS, "compiling takes longer"):
    _CONTAINED["pipeline_class"], _CALLED["pipeline_class"] = _PartCompiler, _CalledPartCompiler
    LOOP["pipeline_class"] = LoopCompiler
# For type checkers a rule takes and returns anything: numba knows the types.
Marks = Callable[[Callable[..., Any]], Callable[..., Any]]
rule: Marks = register_jitable(**_CONTAINED)
long_rule: Marks = register_jitable(**_CALLED)


def rule_in_place(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Make compiled code inline another function of the same arguments instead of one that only Python can run."""
    overload(function, jit_options=_CONTAINED, strict=False)(lambda *_: other)


def in_machine_code(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for the code generator that replaces calls of a function in compiled code.

    The generator is what numba's `@intrinsic` takes: from the types of the arguments to a signature and a builder of
    LLVM code. With an intrinsic itself the function would have to be written a second time around it, and compiled for
    every signature.
    """

    def register(typing: Callable[..., Any]) -> Callable[..., Any]:
        # What `@intrinsic` does, in two steps: a template of types with the generator in it, and the function as the
        # name under which the compiler finds it. So the plain function stays the one that Python calls.
        if CODED:
            make = internal(f"{TEMPLATES}.make_intrinsic_template")
            template = make(function, typing, function.__name__, prefer_literal=True)
            internal(f"{TEMPLATES}.infer")(template)
            internal(f"{TEMPLATES}.infer_global")(function, types.Function(template))
        return typing

    return register
