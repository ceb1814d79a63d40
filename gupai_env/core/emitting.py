"""Emits machine code: loops of a game, for any processor as one object file, or for a GPU as PTX.

A loop is compiled by numba up to LLVM's code, before anything of this processor is in it. An entry of words is put
around it (`calling.c`; for a GPU it is a kernel of numbers), all entries of a game are optimised together for a target,
and what none of them uses is dropped. What an entry needs from outside is OUTSIDE and nothing else: no heap, no
reference counts, nothing of Python.

This imports numba; `tools/machine_code.py` runs it when a wheel is made, and `cuda.py` for a GPU.
"""

import contextlib
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numba
from llvmlite import binding, ir
from numba import types as numba_types
from numba.core import cgutils

from gupai_env.core import compiling, parts
from gupai_env.core.compiling import Loop
from gupai_env.core.memory import array_around
from gupai_env.core.parts import part_of, register_marks
from gupai_env.core.shipped import kind_of

# What a linked library finds in the C library of every system.
OUTSIDE = frozenset({"log", "exp", "sqrt", "memcpy", "memmove", "memset"})
WORD, INT = ir.IntType(64), ir.IntType(32)
types: Any = numba_types  # its stubs do not know all attributes
# No entry owns memory of numba's, so nothing is counted. These take the place of numba's own functions.
_UNCOUNTED = """
define void @NRT_incref(ptr %object) alwaysinline { ret void }
define void @NRT_decref(ptr %object) alwaysinline { ret void }
"""


# What LLVM makes of these are calls of the C library, which a GPU has not.
MATHS = re.compile(r"llvm\.(exp|log|pow|sin|cos|tan)")


class Target(NamedTuple):
    """What is emitted for, as LLVM names it; triple: the architecture, the system and how objects are written.

    Of a GPU: `registers` is how many a thread may have, `code` LLVM's code of functions, and `instead` says which of
    them take the place of what others have.
    """

    triple: str
    processor: str
    features: str = ""
    registers: int = 0
    code: str = ""
    instead: Mapping[str, str] = {}


class Call(NamedTuple):
    """A loop that was called, and with which arguments."""

    loop: Loop
    arguments: tuple[Any, ...]

    @property
    def symbol(self) -> str:
        """The name of the entry."""
        return self.loop.name.symbol(tuple(map(kind_of, self.arguments)))


@contextlib.contextmanager
def recorded() -> Iterator[dict[str, Call]]:
    """Note every loop that is called meanwhile, by its symbol; they run as plain Python."""
    calls: dict[str, Call] = {}

    def note(loop: Loop, arguments: tuple[Any, ...]) -> None:
        call = Call(loop, arguments)
        calls.setdefault(call.symbol, call)

    before, compiling.recorder = compiling.recorder, note
    try:
        yield calls
    finally:
        compiling.recorder = before


def emit(calls: Mapping[str, Call], target: Target) -> bytes:
    """Return the object file with the entries of some calls; for a GPU, the text of PTX.

    A process emits for pointers of one length: numba keeps what a loop contains.

    Args:
        calls: By the names of their entries.
        target: What it is emitted for.

    Raises:
        ValueError: If a loop needs anything that is not in OUTSIDE, such as the heap, or anything at all on a GPU.
    """
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    register_marks()
    is_page = target.triple.startswith("wasm")  # which is linked alone, and loaded through a network
    reloc = "static" if is_page else "pic"
    machine = binding.Target.from_triple(target.triple).create_target_machine(
        cpu=target.processor, features=target.features, opt=3, reloc=reloc, codemodel="default"
    )
    whole = binding.parse_assembly(_UNCOUNTED + target.code)
    whole.triple, whole.data_layout = target.triple, str(machine.target_data)
    # Numba tidies up each part by itself, and pointers of WebAssembly are short; on a GPU they are like ours.
    parts.layout = "" if target.code else whole.data_layout
    try:
        for name, call in calls.items():
            for part in _parts(name, call, target):
                part.triple, part.data_layout = whole.triple, whole.data_layout
                whole.link_in(part, preserve=True)  # for the next target
    finally:
        parts.layout = ""
    for item in (*whole.functions, *whole.global_variables):
        if item.name not in calls and not item.is_declaration:
            item.linkage = "internal"
    # Loops become vectors, as with numba; vectors of what is in no loop (SLP) make Da Ling a fifth slower.
    # On a GPU, what more optimising saves is less than the registers that it takes.
    options = binding.create_pipeline_tuning_options(speed_level=2 if target.code else 3)
    options.loop_unrolling = not is_page
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
    needed = {function.name for function in whole.functions if function.is_declaration}
    needed -= frozenset() if target.code else OUTSIDE
    for name in sorted(needed):
        if name.startswith("llvm.") and not (target.code and MATHS.match(name)):
            continue
        users = [
            function.name for function in whole.functions if f"@{name}(" in str(function) and function.name != name
        ]
        users = [calls[user].loop.name.function if user in calls else user for user in users]
        raise ValueError(f"{', '.join(users)} needs {name}, which does not ship")
    return machine.emit_assembly(whole).encode() if target.code else machine.emit_object(whole)


def _parts(name: str, call: Call, target: Target) -> list[Any]:
    """Return the LLVM modules of a call: its entry of a name, and the loop with all that it contains."""
    loop = part_of(call.loop.function, tuple(map(_type_of, call.arguments)))
    context, described = loop.target_context, loop.fndesc
    calling, module = context.call_conv, ir.Module(name)
    signature = calling.get_function_type(described.restype, described.argtypes)
    function = ir.Function(module, signature, described.llvm_func_name)
    given = [WORD] * sum(map(_numbers, described.argtypes)) if target.code else [WORD.as_pointer()]
    entry = ir.Function(module, ir.FunctionType(ir.VoidType() if target.code else INT, given), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    loaded = (builder.load(builder.gep(entry.args[0], [WORD(index)])) for index in itertools.count())
    words = iter(entry.args) if target.code else loaded
    arguments = [_value(context, builder, kind, words) for kind in described.argtypes]
    status, result = calling.call_function(builder, function, described.restype, described.argtypes, arguments)
    if target.code:
        entry.calling_convention = "ptx_kernel"
        limit = module.add_metadata([entry, ir.MetaDataString(module, "maxnreg"), INT(target.registers)])
        module.add_named_metadata("nvvm.annotations", limit)
        builder.ret_void()
    else:
        kind, word = _word(builder, described.restype, result)
        builder.store(word, entry.args[0])
        builder.store(WORD(ord(kind)), builder.gep(entry.args[0], [WORD(1)]))
        builder.ret(status.code)
    inner = loop.library._final_module
    for instruction, other in target.instead.items():
        inner = str(inner).replace(instruction, other)
    outer = cgutils.normalize_ir_text(str(module))
    return [binding.parse_assembly(outer), binding.parse_assembly(inner) if target.instead else inner]


def _type_of(argument: Any) -> Any:
    """Return numba's type of an argument; arrays are aligned and can be written to, in order or with any strides."""
    kind = numba.typeof(argument)
    return types.Array(kind.dtype, kind.ndim, "C" if kind.layout == "C" else "A") if _is_array(kind) else kind


def _numbers(kind: Any) -> int:
    """Return how many numbers are in a number or tuple."""
    return sum(map(_numbers, kind.types)) if isinstance(kind, types.BaseTuple) else 1


def _is_array(kind: Any) -> bool:
    return isinstance(kind, types.Array)


def _value(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Build the value of an argument of a type from the next words of the entry."""
    if _is_array(kind):
        data = builder.inttoptr(next(words), context.get_data_type(kind.dtype).as_pointer())
        lengths, strides = ([next(words) for _ in range(kind.ndim)] for _ in range(2))
        return array_around(context, builder, kind, data, lengths, strides if kind.layout == "A" else None)
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_value(context, builder, part, words) for part in kind.types])
    word, number = next(words), context.get_value_type(kind)
    if isinstance(kind, types.Float):
        return builder.bitcast(builder.trunc(word, ir.IntType(kind.bitwidth)) if kind.bitwidth < 64 else word, number)
    return word if number == WORD else builder.trunc(word, number)


def _word(builder: Any, kind: Any, result: Any) -> tuple[str, Any]:
    """Build the word of a result; return it after the letter that says what it is."""
    if kind == types.none:
        return "n", WORD(0)
    if isinstance(kind, types.Float):
        return "f", builder.bitcast(builder.fpext(result, ir.DoubleType()) if kind.bitwidth < 64 else result, WORD)
    if isinstance(kind, types.Boolean):
        return "b", builder.zext(result, WORD)
    return "i", builder.sext(result, WORD) if result.type != WORD else result
