"""Places in memory: rows borrowed from arrays, arrays known by their address, scratch space of a function.

A row taken out of an array in the usual way is counted as a user of its memory, and such counts, on which all
cores must agree, cost as much as a whole decision; a borrowed row is not counted. All functions are plain Python
where they are called as they are.
"""

import ctypes
from math import prod

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

LINE = 64  # bytes of a line of the cache


def require_bytes(array):
    """Refuse, where code is compiled, what is no row of bytes side by side."""
    if not (
        array.ndim == 1 and array.layout == "C" and array.dtype in (types.int8, types.uint8, types.bool_)
    ):
        raise TypingError(f"words are read from and written to contiguous rows of bytes, not {array}")


def _built(context, builder, array, data, lengths):
    """Return an array of some lengths at `data` that is counted nowhere."""
    size = context.get_abi_sizeof(context.get_data_type(array.dtype))
    strides = [context.get_constant(types.intp, size)]
    for length in lengths[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    result = context.make_array(array)(context, builder)
    itemsize = context.get_constant(types.intp, size)
    populate_array(result, data=data, shape=lengths, strides=strides, itemsize=itemsize, meminfo=None)
    return result._getvalue()


@intrinsic
def _array_at(typing_context, address, shape, dtype):
    array = types.Array(dtype.dtype, len(shape), "C")

    def build(context, builder, signature, arguments):
        lengths = [builder.extract_value(arguments[1], axis) for axis in range(array.ndim)]
        data = context.get_data_type(array.dtype).as_pointer()
        return _built(context, builder, array, builder.inttoptr(arguments[0], data), lengths)

    return array(types.int64, shape, dtype), build


@intrinsic
def _address(typing_context, array):
    def build(context, builder, signature, arguments):
        return builder.ptrtoint(
            context.make_array(signature.args[0])(context, builder, arguments[0]).data, ir.IntType(64)
        )

    return types.int64(array), build


def address_of(array: np.ndarray) -> int:
    """Return where the first entry of an array lies."""
    return array.ctypes.data


@overload(address_of, inline="always")
def _address_of(array):
    return lambda array: _address(array)


@intrinsic
def _swap(typing_context, address, expected, value):
    def build(context, builder, signature, arguments):
        word = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        swapped = builder.cmpxchg(word, arguments[1], arguments[2], "seq_cst", "seq_cst")
        return builder.extract_value(swapped, 1)

    return types.boolean(types.int64, types.int64, types.int64), build


def swap(address: int, expected: int, value: int) -> bool:
    """Write the int64 at an address if it is the expected one, in one instruction; return whether it was."""
    word = ctypes.c_int64.from_address(int(address))
    if word.value != expected:
        return False
    word.value = value
    return True


@overload(swap, inline="always")
def _swap_compiled(address, expected, value):
    return lambda address, expected, value: _swap(address, expected, value)


@intrinsic
def _prefetch(typing_context, address):
    def build(context, builder, signature, arguments):
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer, number, number, number]),
            "llvm.prefetch.p0",
        )
        to_write, near, data = ir.Constant(number, 1), ir.Constant(number, 3), ir.Constant(number, 1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer), to_write, near, data])
        return context.get_dummy_value()

    return types.void(types.int64), build


def fetch_ahead(address: int, size: int) -> None:
    """Begin to bring so many bytes at an address into the cache; they will be read and written soon."""


@overload(fetch_ahead, inline="always")
def _fetch_ahead(address, size):
    def fetch_ahead(address, size):
        for at in range(0, size, LINE):
            _prefetch(address + at)
        _prefetch(address + size - 1)

    return fetch_ahead


def array_at(address: int, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return the array of a shape and dtype that lies at an address; the caller keeps it alive meanwhile."""
    memory = (ctypes.c_char * (int(prod(shape)) * dtype.itemsize)).from_address(int(address))
    array: np.ndarray = np.ndarray(shape, dtype, memoryview(memory))
    return array.view(np.recarray) if dtype.names else array


@overload(array_at, inline="always")
def _array_at_compiled(address, shape, dtype):
    return lambda address, shape, dtype: _array_at(address, shape, dtype)


def borrow_row(rows: np.ndarray, index: int, width: int) -> np.ndarray:
    """Return rows[index] of a contiguous int8 or bool [N, width]; the caller keeps `rows` alive meanwhile.

    A `width` that is a constant where it stands lets the compiler unroll what is done with the row.
    """
    return rows[index]


@overload(borrow_row, inline="always")
def _borrow_row(rows, index, width):
    require_bytes(rows.copy(ndim=rows.ndim - 1))
    dtype = np.dtype(np.bool_ if rows.dtype == types.bool_ else np.int8)
    return lambda rows, index, width: _array_at(_address(rows) + index * width, (width,), dtype)


def _placing(cleared):
    """Return an instruction that finds place for an array of constant length in the function it stands in."""

    @intrinsic(prefer_literal=True)
    def place(typing_context, length, dtype):
        if not isinstance(length, types.IntegerLiteral):
            raise TypingError("the length of scratch is a number known when it is compiled")
        row = types.Array(dtype.dtype, 1, "C")

        def build(context, builder, signature, arguments):
            entry = context.get_data_type(row.dtype)
            whole = ir.ArrayType(entry, length.literal_value)
            memory = cgutils.alloca_once(builder, whole)
            memory.align = 16
            if cleared:
                builder.store(ir.Constant(whole, None), memory)
            data = builder.bitcast(memory, entry.as_pointer())
            lengths = [context.get_constant(types.intp, length.literal_value)]
            return _built(context, builder, row, data, lengths)

        return row(length, dtype), build

    return place


_scratch, _blank = _placing(cleared=False), _placing(cleared=True)


def scratch(length: int, dtype: np.dtype) -> np.ndarray:
    """Return an array for use within one function, its entries not set; compiled, it is no more than a place there.

    `length` is a constant. The array must not be returned, and each time round a loop it is the same one.
    """
    return np.empty(length, dtype)


@overload(scratch, inline="always", prefer_literal=True)
def _scratch_compiled(length, dtype):
    return lambda length, dtype: _scratch(length, dtype)


def blank(length: int, dtype: np.dtype) -> np.ndarray:
    """Return an array like `scratch`, but cleared."""
    return np.zeros(length, dtype).view(np.recarray if np.dtype(dtype).names else np.ndarray)


@overload(blank, inline="always", prefer_literal=True)
def _blank_compiled(length, dtype):
    return lambda length, dtype: _blank(length, dtype)
