"""Emits machine code: loops of a game, for any processor as one object file, or for a GPU as PTX.

A loop is compiled by numba up to LLVM's code, before anything of this processor is in it. An entry of words is put
around it (`calling.c`; for a GPU it is a kernel of numbers), all entries of a game are optimised together for a target,
and what none of them uses is dropped. What an entry needs from outside is OUTSIDE and nothing else: no heap, no
reference counts, nothing of Python.

This imports numba; `tools/machine_code.py` runs it when a wheel is made, `machine_code.py` for this processor.
"""

import gc
import itertools
import pickle
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numba
from llvmlite import binding, ir
from numba import types as numba_types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime.nrtdynmod import create_nrt_module

from gupai_env.core import parts
from gupai_env.core.bits import WITHOUT_BMI2, symbol
from gupai_env.core.compiling import Loop
from gupai_env.core.memory import array_around
from gupai_env.core.parts import part_of, register_marks
from gupai_env.core.target import NeedsMoreError, Target

# What a linked library finds in the C library of every system.
OUTSIDE = frozenset({"log", "exp", "sqrt", "memcpy", "memmove", "memset"})
WORD, INT = ir.IntType(64), ir.IntType(32)
HEAP = re.compile("NRT_.*(Alloc|alloc|new)")  # functions that take memory
ENVIRONMENT = "_ZN08NumbaEnv"  # begins in names of what compiled code has of Python's objects, as for `print`
PICKLE = re.compile(r"\.const\.pickledata\.[0-9a-f]{40}(\.\d+)?")  # names of errors that compiled code raises
# What LLVM makes of these are calls of the C library, which a GPU has not.
MATHS = re.compile(r"llvm\.(exp|log|pow|sin|cos|tan)")
# Of more bytes LLVM makes a loop for a GPU, which clears or copies them one by one.
MOST_AT_ONCE = 64
MOVE = re.compile(r"^.*call (void @llvm\.mem(?:set|cpy)\S+\(ptr .*, i64 )(\d+)(, i1 false\)).*$", re.MULTILINE)
PLACE = re.compile(r"ptr ([^,%@]*?)(?:dereferenceable\(\d+\) )?([%@][^\s,]+)")
# LLVM cuts names of values, which numba makes of types, to 1,024 letters, and refuses to read some of what is cut.
binding.set_option("", "-non-global-value-max-name-size=65536")
types: Any = numba_types  # its stubs do not know all attributes
# No entry owns memory of numba's, so nothing is counted. These take the place of numba's own functions.
_UNCOUNTED = """
define void @NRT_incref(ptr %object) alwaysinline { ret void }
define void @NRT_decref(ptr %object) alwaysinline { ret void }
"""


class Call(NamedTuple):
    """A loop that was called, and with which arguments."""

    loop: Loop
    arguments: tuple[Any, ...]


# On a GPU these take the place of functions of words, by their names there.
RULES = {
    symbol(function): Call(Loop(rule, None, False), (0,) * rule.__code__.co_argcount)
    for function, rule in WITHOUT_BMI2.items()
}


@global_compiler_lock
def emit(calls: Mapping[str, Call], target: Target) -> bytes:
    """Return the object file with the entries of some calls; for a GPU, the text of PTX.

    A process emits for pointers of one length: numba keeps what a loop contains.

    Args:
        calls: By the names of their entries.
        target: What it is emitted for.

    Raises:
        NeedsMoreError: If a loop needs anything that is not in OUTSIDE, such as the heap, or anything at all on a GPU.
    """
    register_marks()
    machine = target.machine()
    whole = binding.parse_assembly(target.code)
    whole.triple, whole.data_layout = target.triple, str(machine.target_data)
    # Numba tidies up each part by itself, and pointers of WebAssembly are short; on a GPU they are like ours.
    parts.layout = "" if target.code else whole.data_layout
    collects = gc.isenabled()
    gc.disable()  # it would look through all that numba makes, again and again
    try:
        for name, call in {**(RULES if target.code else {}), **calls}.items():
            for part in _parts(name, call, target):
                part.triple, part.data_layout = whole.triple, whole.data_layout
                whole.link_in(part, preserve=True)  # for the next target
    finally:
        parts.layout = ""
        if collects:
            gc.enable()
    counts = target.is_loaded and any(HEAP.match(function.name) for function in whole.functions)
    counting = str(create_nrt_module(cpu_target.target_context)[0]) if counts else _UNCOUNTED
    whole.link_in(binding.parse_assembly(counting))
    for item in (*whole.functions, *whole.global_variables):
        if item.name not in calls and not item.is_declaration:  # goes if it is not used
            item.linkage = "linkonce_any" if item.name.startswith(ENVIRONMENT) else "internal"
    # Loops become vectors, as with numba; vectors of what is in no loop (SLP) make Da Ling a fifth slower.
    # On a GPU, what more optimising saves is less than the registers that it takes.
    options = binding.create_pipeline_tuning_options(speed_level=2 if target.code else 3)
    options.loop_unrolling = not target.triple.startswith("wasm")  # which is loaded through a network
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
    if target.code:
        whole = binding.parse_assembly(MOVE.sub(_in_pieces, str(whole)))
    needed = {function.name for function in whole.functions if function.is_declaration}
    needed = {name for name in needed if not name.startswith("llvm.") or (target.code and MATHS.match(name))}
    needed -= needed if target.is_loaded else frozenset() if target.code else OUTSIDE
    if any(item.name.startswith(ENVIRONMENT) for item in whole.global_variables):
        raise NeedsMoreError("it needs objects of Python, as `print` does")
    for name in sorted(needed):
        users = [function.name for function in whole.functions if f"@{name}" in str(function) and function.name != name]
        users = [calls[user].loop.name.function if user in calls else user for user in users]
        raise NeedsMoreError(f"{', '.join(users)} needs {name}, which does not ship")
    made = machine.emit_assembly(whole).encode() if target.code else machine.emit_object(whole)
    for item in whole.global_variables:
        if PICKLE.fullmatch(item.name):
            made = made.replace(*_error(str(item)))
    return made


def _in_pieces(move: "re.Match[str]") -> str:
    """Return what clears or copies memory in LLVM's code as several, each of at most MOST_AT_ONCE bytes."""
    lines: list[str] = []
    length = int(move[2])
    for first in range(0, length, MOST_AT_ONCE):

        def piece(place: "re.Match[str]", first: int = first) -> str:
            lines.append(f"%piece.{move.start()}.{len(lines)} = getelementptr i8, ptr {place[2]}, i64 {first}")
            return f"ptr {place[1]}{lines[-1].split()[0]}"

        moved = PLACE.sub(piece, move[1])
        lines.append(f"call {moved}{min(length - first, MOST_AT_ONCE)}{move[3]}")
    return "\n".join(lines)


def _parts(name: str, call: Call, target: Target) -> list[Any]:
    """Return the LLVM modules of a call: its entry of a name, or a rule, and the loop with all that it contains."""
    loop = part_of(call.loop.function, tuple(map(_type_of, call.arguments)))
    context, described = loop.target_context, loop.fndesc
    calling, module = context.call_conv, ir.Module(name)
    signature = calling.get_function_type(described.restype, described.argtypes)
    function = ir.Function(module, signature, described.llvm_func_name)
    given = [WORD] * sum(map(_numbers, described.argtypes)) if target.code else [WORD.as_pointer()]
    returned = WORD if name in RULES else ir.VoidType() if target.code else INT
    entry = ir.Function(module, ir.FunctionType(returned, given), name)
    builder = ir.IRBuilder(entry.append_basic_block())
    loaded = (builder.load(builder.gep(entry.args[0], [WORD(index)])) for index in itertools.count())
    words = iter(entry.args) if target.code else loaded
    arguments = [_value(context, builder, kind, words) for kind in described.argtypes]
    status, result = calling.call_function(builder, function, described.restype, described.argtypes, arguments)
    if name in RULES:
        entry.attributes.add("alwaysinline")
        builder.ret(result)
    elif target.code:
        entry.calling_convention = "ptx_kernel"
        limit = module.add_metadata([entry, ir.MetaDataString(module, "maxnreg"), INT(target.registers)])
        module.add_named_metadata("nvvm.annotations", limit)
        builder.ret_void()
    else:
        kind, word = _word(builder, described.restype, result)
        builder.store(word, entry.args[0])
        builder.store(WORD(ord(kind)), builder.gep(entry.args[0], [WORD(1)]))
        with builder.if_then(status.is_user_exc, likely=False):  # then it is where the error is, see `_error`
            error = builder.extract_value(builder.load(status.excinfoptr), 0)
            builder.store(builder.ptrtoint(error, WORD), entry.args[0])
        builder.ret(status.code)
    inner = loop.library._final_module
    for instruction, other in target.instead.items():
        inner = str(inner).replace(instruction, other)
    outer = cgutils.normalize_ir_text(str(module))
    return [binding.parse_assembly(outer), binding.parse_assembly(inner) if target.instead else inner]


def _error(constant: str) -> tuple[bytes, bytes]:
    """Return an error that numba has pickled, and what takes its place: its class, a new line, its message.

    A pickle of class and arguments runs code where it is read, and names the file of the source.

    Args:
        constant: The pickle as LLVM writes it.
    """
    escaped = constant.partition(' c"')[2].partition('"')[0]
    content = re.sub(r"\\(\\|..)", lambda byte: chr(92 if byte[1] == "\\" else int(byte[1], 16)), escaped)
    pickled = content.encode("latin1")
    kind, arguments, _ = pickle.loads(pickled)  # it is of this process, and never of a file
    known = [argument for argument in arguments if not isinstance(argument, ir.Value)]  # others only when it runs
    text = f"{kind.__name__}\n{kind(*known)}".encode()
    return pickled, text[: len(pickled) - 1].ljust(len(pickled), b"\0")


def _type_of(argument: Any) -> Any:
    """Return numba's type of an argument; arrays are aligned and can be written to, in order or with any strides."""
    kind = numba.typeof(argument)
    layout = "C" if getattr(kind, "layout", "") == "C" else "A"
    return types.Array(kind.dtype, kind.ndim, layout) if isinstance(kind, types.Array) else kind


def _numbers(kind: Any) -> int:
    """Return how many numbers are in a number or tuple."""
    return sum(map(_numbers, kind.types)) if isinstance(kind, types.BaseTuple) else 1


def _value(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Build the value of an argument of a type from the next words of the entry."""
    if isinstance(kind, types.Array):
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
    if not isinstance(kind, types.Number | types.Boolean):
        raise NeedsMoreError(f"it returns {kind}, which is no number")
    if isinstance(kind, types.Float):
        return "f", builder.bitcast(builder.fpext(result, ir.DoubleType()) if kind.bitwidth < 64 else result, WORD)
    if isinstance(kind, types.Boolean):
        return "b", builder.zext(result, WORD)
    return "i", builder.sext(result, WORD) if result.type != WORD else result
