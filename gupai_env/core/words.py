"""Rows of bytes, such as masks and observations, written and read several entries at a time.

A *word* is an int64 that stands for eight consecutive int8 or bool entries, the first in its lowest byte. All
functions are plain Python where they are called as they are; compiled, each is a few instructions.
"""

from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from gupai_env.core.bits import nth_one, ones
from gupai_env.core.places import require_bytes
from gupai_env.core.rule import rule

WORD, HALF = 8, 4  # entries
BLOCK = 32  # entries that are copied at once
MARKS = 32  # entries of a mask that are read at once
EACH = 0x0101010101010101  # one in every byte
BELOW = 0x7F7F7F7F  # the largest number in every byte of a half


def _pointer(context, builder, signature, arguments, kind, array=0, at=1):
    """Return the address of what is of an LLVM `kind` at an index of an array; both are named by their arguments."""
    data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
    byte = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [arguments[at]])
    return builder.bitcast(byte, kind.as_pointer())


def _loading(bits):
    @intrinsic
    def load(typing_context, row, at):
        require_bytes(row)

        def build(context, builder, signature, arguments):
            pointer = _pointer(context, builder, signature, arguments, ir.IntType(bits))
            return builder.zext(builder.load(pointer, align=1), ir.IntType(64))

        return types.int64(row, types.intp), build

    return load


def _storing(bits):
    @intrinsic
    def store(typing_context, row, at, value):
        require_bytes(row)

        def build(context, builder, signature, arguments):
            value = builder.trunc(arguments[2], ir.IntType(bits))
            builder.store(value, _pointer(context, builder, signature, arguments, value.type), align=1)
            return context.get_dummy_value()

        return types.void(row, types.intp, types.int64), build

    return store


_load, _load_half = _loading(64), _loading(32)
_store, _store_half = _storing(64), _storing(32)


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
def write_row(target, source):
    """Write all of a row to the beginning of another, as `target[: len(source)] = source` does.

    That takes seconds to compile, for the message of a length that does not fit.
    """
    for at in range(len(source)):
        target[at] = source[at]


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
        require_bytes(source)
        require_bytes(target)

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
    require_bytes(source)
    require_bytes(target)

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


@intrinsic
def _marks(typing_context, row, at):
    require_bytes(row)

    def build(context, builder, signature, arguments):
        entries = ir.VectorType(ir.IntType(8), MARKS)
        loaded = builder.load(_pointer(context, builder, signature, arguments, entries), align=1)
        bits = builder.icmp_unsigned("!=", loaded, ir.Constant(entries, None))
        return builder.zext(builder.bitcast(bits, ir.IntType(MARKS)), ir.IntType(64))

    return types.int64(row, types.intp), build


@intrinsic
def _store_marks(typing_context, row, at, bits):
    require_bytes(row)

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
