"""Memory: arrays given by their address, and scratch space of a function.

numba allocates a new array on the heap and counts references to it; both cost more than a small function. `scratch` and
`blank` allocate on the stack of the function instead (games are played 5% to 55% faster), and references to what
`array_at` returns are not counted. Called from Python, all functions are plain Python; the code below each builds its
LLVM code. Figures above functions: see `bits.py`.
"""

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gupai_env.core.rule import Later, in_machine_code

ir: Any = Later("llvmlite.ir")
arrayobj: Any = Later("numba.np.arrayobj")
cgutils: Any = Later("numba.core.cgutils")
errors: Any = Later("numba.core.errors")
types: Any = Later("numba.core.types")


# Who keeps an address alive? Whoever took it. Nothing here counts references, so an address is good only as long as
# somebody holds the array that it came from:
#
#   a table     `VectorEnv` holds the arrays in `_arrays` and the options in `_record`, and with them the table of
#               their addresses. A copy, or what a pickle restores, makes a table of its own memory (`copying.py`).
#   a call      Python holds the arguments until it returns: the environment, the table, and arrays of actions, which
#               are arguments of their own; nothing counts references to them.
#   a thread    the call that started it waits for it, so that it cannot outlive the arguments.
#   a row       of heuristics (`choose`) is used within the call whose argument the whole array is.
#   the stack   `scratch` and `blank` are gone when their function returns, so they are never returned.
#
# An address that is kept longer is a fault, unless what it points into is kept next to it, as in a table.


def array_around(context, builder, array, data, lengths, strides=None):
    """Build an array of some lengths at `data` without reference counting; strides: None where it is in order."""
    # As numba's own `_empty_nd_impl`, but around memory that is there, and with no object that counts references to it.
    size = context.get_abi_sizeof(context.get_data_type(array.dtype))
    if strides is None:
        strides = [context.get_constant(types.intp, size)]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
    result = context.make_array(array)(context, builder)
    itemsize = context.get_constant(types.intp, size)
    arrayobj.populate_array(result, data=data, shape=lengths, strides=strides, itemsize=itemsize, meminfo=None)
    return result._getvalue()


def address_of(array: np.ndarray) -> int:
    """Return the address of the first entry of an array."""
    return array.ctypes.data


# numba: `array.ctypes`, which counts a reference to the array; here: the pointer that is in it.
@in_machine_code(address_of)
def _address_of(typing_context, array):
    def build(context, builder, signature, given):
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), build


def array_at(address: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return the array of a shape and dtype that is at an address; the caller keeps it alive meanwhile.

    Args:
        address: Where its memory begins.
        shape: Of the array.
        dtype: Of the array; records come as a record array.
    """
    # Plain Python takes the same road, so that a table that was not kept alive fails in a debugger too.
    memory = (ctypes.c_char * (int(prod(shape)) * dtype.itemsize)).from_address(int(address))
    array: np.ndarray = np.ndarray(shape, dtype, memoryview(memory))
    return array.view(np.recarray) if dtype.names else array


# numba: a row of a table is a new reference, counted up and down by atomic operations: playouts take a fifth longer
# (`choose`); here: five numbers on the stack, which LLVM mostly leaves out.
@in_machine_code(array_at)
def _array_at(typing_context, address, shape, dtype):
    array = types.Array(dtype.dtype, len(shape), "C")

    def build(context, builder, signature, given):
        lengths = [builder.extract_value(given[1], axis) for axis in range(array.ndim)]
        data = builder.inttoptr(given[0], context.get_data_type(array.dtype).as_pointer())
        return array_around(context, builder, array, data, lengths)

    return array(types.int64, types.UniTuple(types.int64, len(shape)), dtype), build


def with_attributes(argument: Any) -> Any:
    """Return an argument of a loop as plain Python reads it: fields of records are attributes, as in compiled code."""
    structured = isinstance(argument, np.ndarray) and argument.dtype.names
    return argument.view(np.recarray) if structured else argument


def record_of(numbers: tuple[Any, ...]) -> np.ndarray:
    """Return a tuple of numbers, or of tuples of numbers, as a record [1] that `tuple_at` finds."""
    # Aligned, because LLVM lays out the tuple that `tuple_at` loads like a struct of C.
    fields = [(f"f{index}", np.asarray(number).dtype, np.shape(number)) for index, number in enumerate(numbers)]
    record = np.zeros(1, np.dtype(fields, align=True))
    record[0] = tuple(numbers)
    return record


def bytes_of(records: np.ndarray) -> np.ndarray:
    """Return records [N] as bytes, uint8 [N, itemsize]."""
    return np.ascontiguousarray(records).view(np.uint8).reshape(len(records), records.itemsize)


def tuple_at(address: int, like: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the tuple of numbers, of the type of `like`, whose record is at an address.

    Passing a tuple to compiled code number by number takes longer than a decision. In place of an address there may be
    the tuple itself.
    """
    return type(like)(*array_at(address, (1,), record_of(like).dtype)[0])


# numba: each number is unboxed at every call, 260 ns for the options of Jie Long; here: the record's array is, 168 ns,
# and a table, which needs one anyway, brings it along for nothing.
@in_machine_code(tuple_at)
def _tuple_at(typing_context, address, like):
    if address == like:  # a GPU's kernel is given the numbers themselves
        return like(address, like), lambda context, builder, signature, given: given[0]

    def build(context, builder, signature, given):
        return builder.load(builder.inttoptr(given[0], context.get_value_type(like).as_pointer()))

    return like(types.int64, like), build


def scratch(length: int, dtype: np.dtype) -> np.ndarray:
    """Return an array for use within one function, its entries not set; compiled, it is only space on the stack.

    `length` is a constant. The array must not be returned, and every iteration of a loop gets the same one.
    """
    return np.empty(length, dtype)


def blank(length: int, dtype: np.dtype) -> np.ndarray:
    """Return an array like `scratch`, but cleared."""
    return np.zeros(length, dtype).view(np.recarray if np.dtype(dtype).names else np.ndarray)


def _on_the_stack(length, dtype, cleared):
    """Return how an array of constant length is made on the stack of the function that calls this."""
    if not isinstance(length, types.IntegerLiteral):
        raise errors.TypingError("the length of scratch is a number known when it is compiled")
    row = types.Array(dtype.dtype, 1, "C")

    # The space is made at the entry of the function: inside a loop each round would take more of the stack. numba's
    # `alloca_once` would clear it there as well. The alignment lets LLVM clear and copy it with vectors.
    def build(context, builder, signature, given):
        entry = context.get_data_type(row.dtype)
        whole = ir.ArrayType(entry, length.literal_value)
        with builder.goto_entry_block():
            memory = builder.alloca(whole)
        memory.align = 16
        if cleared:  # here and not at the entry: a loop that asks for it in every round gets it empty in every round
            builder.store(ir.Constant(whole, None), memory)
        lengths = [context.get_constant(types.intp, length.literal_value)]
        return array_around(context, builder, row, builder.bitcast(memory, entry.as_pointer()), lengths)

    return row(length, dtype), build


# numba: `np.empty(8)`, 67 ns to allocate, count and free; here: a place on the stack, 1 ns.
@in_machine_code(scratch)
def _scratch(typing_context, length, dtype):
    return _on_the_stack(length, dtype, cleared=False)


# numba: `np.zeros(8)`, 76 ns; here: 12 ns, both with a sum over it.
@in_machine_code(blank)
def _blank(typing_context, length, dtype):
    return _on_the_stack(length, dtype, cleared=True)


def prefetch(rows: np.ndarray, row: int, offset: int) -> None:
    """Let the processor bring the line of memory at an offset of a row into its cache; in plain Python, do nothing.

    Args:
        rows: An array of two dimensions, or records.
        row: Which of its rows.
        offset: Bytes from the beginning of the row.
    """


# numba: the memory of each lane is waited for, Small Mahjong in 4,096 lanes 190 ns; here: it is on its way, 153 ns.
@in_machine_code(prefetch)
def _prefetch(typing_context, rows, row, offset):
    def build(context, builder, signature, given):
        native = context.make_array(signature.args[0])(context, builder, given[0])
        start = builder.mul(builder.extract_value(native.strides, 0), given[1])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        line = builder.gep(builder.bitcast(native.data, byte), [builder.add(start, given[2])])
        function = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        to_write, keep, data = number(1), number(3), number(1)
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [byte], function), [line, to_write, keep, data])
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp), build


def overwriting(source: np.ndarray, fields: Sequence[str]) -> Callable[..., None]:
    """Return overwrite(record), which sets fields of a record as they are in `source`, [1]; they follow each other."""
    # They are one run of bytes, padding included.
    places = [dict(source.dtype.fields or {})[name] for name in fields]
    start = places[0][1] if fields else 0
    content = source.tobytes()[start : places[-1][1] + places[-1][0].itemsize if fields else 0]

    def overwrite(record: Any) -> None:
        for name in fields:
            setattr(record, name, source[name][0])

    # numba: fifteen assignments of fields, 5.0 ns; here: 208 bytes of a constant are copied, 3.6 ns.
    # In two parts, because a GPU copies what does not begin at a word byte by byte.
    @in_machine_code(overwrite)
    def _overwrite(typing_context, record):
        def build(context, builder, signature, given):
            byte, word = ir.IntType(8), -start % 8
            for first, part in ((start, content[:word]), (start + word, content[word:])):
                place = builder.gep(builder.bitcast(given[0], byte.as_pointer()), [ir.Constant(ir.IntType(64), first)])
                whole = ir.Constant(ir.ArrayType(byte, len(part)), bytearray(part))
                constant = cgutils.global_constant(builder, "source", whole)
                constant.align = 8  # LLVM reads words of a constant whose alignment nobody states
                data = builder.bitcast(constant, byte.as_pointer())
                cgutils.raw_memcpy(builder, place, data, ir.Constant(ir.IntType(64), len(part)), 1)
            return context.get_dummy_value()

        return types.void(record), build

    return overwrite
