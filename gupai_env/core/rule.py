"""`@rule`: marks a function of the rules, callable as plain Python and from compiled code alike.

Compiled code does not call such a function but contains it. So what its caller knows for sure, as the width of a row,
is known within it too, and nothing is left of a step from one function to the next. A `@long_rule` is called: it works
for so long, or so seldom, that a call does not count, and stands at so many places that to compile it anew at each
would take seconds.

numba would optimise every function by itself, and turn it into machine code that nobody calls. That is half of the work
of compiling, and is left out here: a loop is optimised as a whole, with all that it contains.
"""

from collections.abc import Callable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types import Function
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from numba.extending import overload, register_jitable


class _Part(JITCodeLibrary):
    """The code of a function that others contain or call: linked into theirs, and never run by itself."""

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it, for there is no machine code that an environment could be set in."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class _CalledPart(_Part):
    def add_llvm_module(self, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration:
                function.add_function_attribute("noinline")
        super().add_llvm_module(module)


class _PartCompiler(Compiler):
    library: type[_Part] = _Part

    def compile_extra(self, func: Callable) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _CalledPartCompiler(_PartCompiler):
    library = _CalledPart


class LoopCompiler(Compiler):
    """Compiles a loop; what is printed in its parts needs their environments, which have a place in it alone."""

    def compile_extra(self, func: Callable) -> Any:
        loop = super().compile_extra(func)
        for environment in loop._find_referenced_environments():
            loop.target_context.codegen().set_env(environment.env_name, environment)
        return loop


_UNCALLED: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # they would take time to compile, too
_CONTAINED: Any = {"pipeline_class": _PartCompiler, "forceinline": True, **_UNCALLED}
rule = register_jitable(**_CONTAINED)
long_rule = register_jitable(pipeline_class=_CalledPartCompiler, forceinline=False, **_UNCALLED)


def rule_in_place(function: Callable, other: Callable) -> None:
    """Have compiled code contain another function of the same arguments in place of one that only Python can run."""
    overload(function, jit_options=_CONTAINED, strict=False)(lambda *_: other)


def in_machine_code(function: Callable) -> Callable[[Callable], Callable]:
    """Return a decorator of what says which instructions stand in compiled code in place of a call of a function.

    It is what numba's `@intrinsic` takes: from the types of the arguments to a signature and what builds LLVM code.
    numba would have the function written a second time around an intrinsic, and compile that for every signature.
    """

    def register(typing: Callable) -> Callable:
        template = make_intrinsic_template(function, typing, function.__name__, prefer_literal=True)
        infer(template)
        infer_global(function, Function(template))
        return typing

    return register
