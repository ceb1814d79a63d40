"""Rows of masks and observations: borrowed, and written and read eight bytes at a time.

A row taken out of an array in the usual way is counted as a user of its memory, and such counts, on which all
cores must agree, cost as much as a whole decision; a borrowed row is not counted. A *word* is an int64 that
stands for eight consecutive int8 or bool entries, the first in its lowest byte. All functions are plain Python
where they are called as they are; compiled, each is a few instructions.
"""

import ctypes
from collections.abc import Callable
from math import prod

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, config
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import populate_array

from gupai_env.core.rule import rule

WORD, HALF = 8, 4  # entries
BLOCK = 32  # entries that are copied at once
LINE = 64  # bytes of a line of the cache
MARKS = 32  # entries of a mask that are read at once
EACH = 0x0101010101010101  # one in every byte
GROUPS = 0x0707070707070707  # the lowest three bits of every byte
BELOW = 0x7F7F7F7F  # the largest number in every byte of a half


def _pointer(context, builder, signature, arguments, kind, array=0, at=1):
    """Return the address of what is of an LLVM `kind` at an index of an array; both are named by their arguments."""
    data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
    byte = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[at]])
    return builder.bitcast(byte, kind.as_pointer())


def _require_bytes(array):
    if not (
        array.ndim == 1 and array.layout == "C" and array.dtype in (types.int8, types.uint8, types.bool_)
    ):
        raise TypingError(f"words are read from and written to contiguous rows of bytes, not {array}")


def _loading(bits):
    @intrinsic
    def load(typing_context, row, at):
        _require_bytes(row)

        def build(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments, ir.IntType(bits))
            return builder.zext(builder.load(pointer, align=1), ir.IntType(64))

        return types.int64(row, types.intp), build

    return load


def _storing(bits):
    @intrinsic
    def store(typing_context, row, at, value):
        _require_bytes(row)

        def build(context, builder, signature, arguments):
            value = builder.trunc(arguments[2], ir.IntType(bits))
            builder.store(value, _pointer(context, builder, signature, arguments, value.type), align=1)
            return context.get_dummy_value()

        return types.void(row, types.intp, types.int64), build

    return store


_load, _load_half = _loading(64), _loading(32)
_store, _store_half = _storing(64), _storing(32)


@intrinsic
def _ones(typing_context, word):
    def build(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), build


@intrinsic
def _trailing_zeros(typing_context, word):
    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), True))

    return types.int64(types.int64), build


def _moving(instruction):
    """Return an instruction of x86 that moves the bits of a word to or from the places set in another."""

    @intrinsic
    def move(typing_context, bits, places):
        def build(context, builder, signature, arguments):
            word = ir.IntType(64)
            function = builder.module.declare_intrinsic(instruction, (), ir.FunctionType(word, [word, word]))
            return builder.call(function, arguments)

        return types.int64(types.int64, types.int64), build

    return move


_deposit, _extract = _moving("llvm.x86.bmi.pdep.64"), _moving("llvm.x86.bmi.pext.64")
FEATURES = getattr(config, "CPU_FEATURES", None)  # what numba is told to compile for, with CPU_NAME
if FEATURES or getattr(config, "CPU_NAME", None):
    MOVES_BITS = "+bmi2" in (FEATURES or "")
else:
    MOVES_BITS = bool(binding.get_host_cpu_features().get("bmi2", False))


@intrinsic
def _array_at(typing_context, address, shape, dtype):
    array = types.Array(dtype.dtype, len(shape), "C")

    def build(context, builder, signature, arguments):
        size = context.get_abi_sizeof(context.get_data_type(array.dtype))
        lengths = [builder.extract_value(arguments[1], axis) for axis in range(array.ndim)]
        strides = [context.get_constant(types.intp, size)]
        for length in lengths[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        result = context.make_array(array)(context, builder)
        populate_array(
            result,
            data=builder.inttoptr(arguments[0], result.data.type),
            shape=lengths,
            strides=strides,
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
        )
        return result._getvalue()

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
    _require_bytes(rows.copy(ndim=rows.ndim - 1))
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
            result = context.make_array(row)(context, builder)
            itemsize = context.get_constant(types.intp, context.get_abi_sizeof(entry))
            populate_array(
                result,
                data=builder.bitcast(memory, result.data.type),
                shape=[context.get_constant(types.intp, length.literal_value)],
                strides=[itemsize],
                itemsize=itemsize,
                meminfo=None,
            )
            return result._getvalue()

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


def load_word(row: np.ndarray, at: int) -> int:
    """Return row[at : at + 8], of int8 or bool, as a word."""
    return int.from_bytes(row[at : at + WORD].tobytes(), "little", signed=True)


@overload(load_word, inline="always")
def _load_word(row, at):
    return lambda row, at: _load(row, at)


def load_half(row: np.ndarray, at: int) -> int:
    """Return row[at : at + 4], of int8 or bool, as the lower half of a word."""
    return int.from_bytes(row[at : at + HALF].tobytes(), "little")


@overload(load_half, inline="always")
def _load_half_word(row, at):
    return lambda row, at: _load_half(row, at)


def store_word(row: np.ndarray, at: int, word: int) -> None:
    """Write a word to row[at : at + 8], of int8 or bool."""
    row[at : at + WORD] = np.frombuffer((int(word) % (1 << 64)).to_bytes(WORD, "little"), row.dtype)


@overload(store_word, inline="always")
def _store_word(row, at, word):
    return lambda row, at, word: _store(row, at, word)


def store_half(row: np.ndarray, at: int, word: int) -> None:
    """Write the lower half of a word to row[at : at + 4], of int8 or bool."""
    row[at : at + HALF] = np.frombuffer((int(word) % (1 << 32)).to_bytes(HALF, "little"), row.dtype)


@overload(store_half, inline="always")
def _store_half_word(row, at, word):
    return lambda row, at, word: _store_half(row, at, word)


@rule
def copy_entries(source, start, target, at, width):
    """Copy source[start : start + width] to target[at : at + width], four entries or more."""
    if width < WORD:
        store_half(target, at, load_half(source, start))
        store_half(target, at + width - HALF, load_half(source, start + width - HALF))
        return
    for done in range(0, width - WORD, WORD):
        store_word(target, at + done, load_word(source, start + done))
    store_word(target, at + width - WORD, load_word(source, start + width - WORD))


@rule
def mark_entries(source, start, target, at, width):
    """Set each of target[at : at + width], four to eight entries, to 1 where source[start : ...] is above 0, else 0."""
    store_half(target, at, (load_half(source, start) + BELOW >> 7) & EACH)
    store_half(target, at + width - HALF, (load_half(source, start + width - HALF) + BELOW >> 7) & EACH)


def rearrangement(order: np.ndarray, width: int) -> Callable[[np.ndarray, np.ndarray, int], None]:
    """Return rearrange(source, target, at), which writes source[order] to target[at : at + len(order)].

    Both are rows of int8 or bool; `source` has `width` entries.
    """
    places_of = [int(place) for place in order]

    @intrinsic
    def move(typing_context, source, target, at):
        _require_bytes(source)
        _require_bytes(target)

        def build(context, builder, signature, arguments):
            entries, moved = (ir.VectorType(ir.IntType(8), size) for size in (width, len(order)))
            zero = context.get_constant(types.intp, 0)
            loaded = builder.load(
                _pointer(context, builder, signature, (arguments[0], zero), entries), align=1
            )
            places = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), places_of)
            shuffled = builder.shuffle_vector(loaded, ir.Constant(entries, ir.Undefined), places)
            builder.store(shuffled, _pointer(context, builder, signature, arguments, moved, 1, 2), align=1)
            return context.get_dummy_value()

        return types.void(source, target, types.intp), build

    def rearrange(source, target, at):
        target[at : at + len(order)] = source[order]

    @overload(rearrange, inline="always")
    def _rearrange(source, target, at):
        return lambda source, target, at: move(source, target, at)

    return rearrange


@intrinsic
def _copy(typing_context, source, target, at):
    _require_bytes(source)
    _require_bytes(target)

    def build(context, builder, signature, arguments):
        block = ir.VectorType(ir.IntType(8), BLOCK)
        loaded = builder.load(_pointer(context, builder, signature, arguments, block, 0, 2), align=1)
        builder.store(loaded, _pointer(context, builder, signature, arguments, block, 1, 2), align=1)
        return context.get_dummy_value()

    return types.void(source, target, types.intp), build


def copy_block(source: np.ndarray, target: np.ndarray, at: int) -> None:
    """Copy source[at : at + BLOCK] to the same place of `target`, both rows of int8 or bool."""
    target[at : at + BLOCK] = source[at : at + BLOCK]


@overload(copy_block, inline="always")
def _copy_block_compiled(source, target, at):
    return lambda source, target, at: _copy(source, target, at)


def ones(word: int) -> int:
    """Return how many bits of a word are set."""
    return (int(word) % (1 << 64)).bit_count()


@overload(ones, inline="always")
def _ones_compiled(word):
    return lambda word: _ones(word)


def first_one(word: int) -> int:
    """Return the place of the lowest bit set of a word that is not zero."""
    return (int(word) & -int(word)).bit_length() - 1


@overload(first_one, inline="always")
def _first_one_compiled(word):
    return lambda word: _trailing_zeros(word)


def spread(groups: int) -> int:
    """Return the eight lowest groups of three bits as the bytes of a word."""
    word = int(groups) & 0xFFFFFF
    word = (word | word << 20) & 0x00000FFF00000FFF
    word = (word | word << 10) & 0x003F003F003F003F
    return (word | word << 5) & GROUPS


@overload(spread, inline="always")
def _spread_compiled(groups):
    if MOVES_BITS:
        return lambda groups: _deposit(groups, GROUPS)

    def spread(groups):
        word = groups & 0xFFFFFF
        word = (word | word << 20) & 0x00000FFF00000FFF
        word = (word | word << 10) & 0x003F003F003F003F
        return (word | word << 5) & GROUPS

    return spread


@rule
def _gather_one_by_one(bits, places):
    gathered, at = 0, 0
    while places:
        gathered |= (bits >> first_one(places) & 1) << at
        places &= places - 1
        at += 1
    return gathered


def gather(bits: int, places: int) -> int:
    """Return those bits of a word that stand at the places set in `places`, side by side, the lowest first."""
    return _gather_one_by_one(bits, places)


@overload(gather, inline="always")
def _gather_compiled(bits, places):
    if MOVES_BITS:
        return lambda bits, places: _extract(bits, places)
    return lambda bits, places: _gather_one_by_one(bits, places)


def nth_one(bits: int, number: int) -> int:
    """Return the place of the bit set of a word that has `number` others below it."""
    for _ in range(number):
        bits &= bits - 1
    return first_one(bits)


@overload(nth_one, inline="always")
def _nth_one_compiled(bits, number):
    if MOVES_BITS:
        return lambda bits, number: _trailing_zeros(_deposit(1 << number, bits))
    return nth_one


@intrinsic
def _marks(typing_context, row, at):
    _require_bytes(row)

    def build(context, builder, signature, arguments):
        entries = ir.VectorType(ir.IntType(8), MARKS)
        loaded = builder.load(_pointer(context, builder, signature, arguments, entries), align=1)
        bits = builder.icmp_unsigned("!=", loaded, ir.Constant(entries, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(MARKS)), ir.IntType(64))

    return types.int64(row, types.intp), build


@intrinsic
def _store_marks(typing_context, row, at, bits):
    _require_bytes(row)

    def build(context, builder, signature, arguments):
        bits = builder.trunc(arguments[2], ir.IntType(MARKS))
        entries = ir.VectorType(ir.IntType(8), MARKS)
        marks = builder.zext(builder.bitcast(bits, ir.VectorType(ir.IntType(1), MARKS)), entries)
        builder.store(marks, _pointer(context, builder, signature, arguments, entries), align=1)
        return context.get_dummy_value()

    return types.void(row, types.intp, types.int64), build


def store_marks(row: np.ndarray, at: int, bits: int) -> None:
    """Write the lowest bits of a word to row[at : at + MARKS], of bool, the lowest first."""
    for place in range(MARKS):
        row[at + place] = bits >> place & 1


@overload(store_marks, inline="always")
def _store_marks_compiled(row, at, bits):
    return lambda row, at, bits: _store_marks(row, at, bits)


@rule
def write_marks(bits, mask):
    """Write the bits of a word to a whole mask of MARKS to 2 * MARKS entries, bool, the lowest first."""
    store_marks(mask, 0, bits)
    store_marks(mask, len(mask) - MARKS, bits >> (len(mask) - MARKS))


def load_marks(row: np.ndarray, at: int) -> int:
    """Return row[at : at + MARKS], of bool, as the bits of a word, the first as the lowest."""
    return sum(1 << place for place in range(MARKS) if row[at + place])


@overload(load_marks, inline="always")
def _load_marks(row, at):
    return lambda row, at: _marks(row, at)


@rule
def marks_from(mask, at):
    """Return mask[at : at + 64], or what there is of it, as the bits of a word."""
    rest = len(mask) - at
    if len(mask) < MARKS:
        bits = 0
        for place in range(rest):
            bits |= int(mask[at + place]) << place
        return bits
    last = load_marks(mask, len(mask) - MARKS)
    if rest <= MARKS:
        return last >> (MARKS - rest)
    if rest < 2 * MARKS:
        return load_marks(mask, at) | last >> (2 * MARKS - rest) << MARKS
    return load_marks(mask, at) | load_marks(mask, at + MARKS) << MARKS


@rule
def count_marks(mask):
    """Return how many entries of a bool row are true."""
    marks = 0
    for at in range(0, len(mask), 2 * MARKS):
        marks += ones(marks_from(mask, at))
    return marks


@rule
def find_mark(mask, marks):
    """Return the index of the true entry of a bool row that has `marks` others before it; -1 if there is none."""
    for at in range(0, len(mask), 2 * MARKS):
        bits = marks_from(mask, at)
        here = ones(bits)
        if marks < here:
            return at + nth_one(bits, marks)
        marks -= here
    return -1
