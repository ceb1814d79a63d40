"""Rows of bytes, such as masks and observations, written and read several entries at a time.

A *word* is an int64 that stands for eight consecutive int8 or bool entries, the first in its lowest byte. Entry by
entry, as numba compiles a loop, games are played a quarter to two fifths slower. numba reads eight bytes as one number
only where they begin at a multiple of eight, as the sections of an observation do not; rows viewed as int64, written to
with shifts, take 13.5 instead of 8.5 ns for seven hands. So below each function there is code for LLVM, the compiler
behind numba. Called from Python, all functions are plain Python. Figures above functions: see `bits.py`.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gupai_env.core.bits import gather, nth_one, ones
from gupai_env.core.rule import Later, in_machine_code, rule

ir: Any = Later("llvmlite.ir")
cgutils: Any = Later("numba.core.cgutils")
errors: Any = Later("numba.core.errors")
types: Any = Later("numba.core.types")
WORD, HALF = 8, 4  # entries
BLOCK = 16  # entries, the most that an instruction of a GPU writes
MARKS = 32  # entries of a mask that are read at once
EACH = 0x0101010101010101  # one in every byte
BELOW = 0x7F7F7F7F  # the largest number in every byte of a half


def require_bytes(*arrays: Any) -> None:
    """Refuse, at compile time, anything except contiguous rows of bytes."""
    for array in arrays:  # LLVM would read any address: what numba checks elsewhere is checked here, once, for nothing
        row = isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"
        if not (row and array.dtype in (types.int8, types.uint8, types.bool_)):
            raise errors.TypingError(f"words are read from and written to contiguous rows of bytes, not {array}")


def _bytes(number):
    return ir.VectorType(ir.IntType(8), number)


def _integer(bits):
    return lambda: ir.IntType(bits)


def _read(context, builder, array, row, offset, kind):
    """Build what reads an LLVM `kind` at an index of a row of bytes, `array` to numba."""
    # A section of an observation begins anywhere. Without `align` LLVM may choose an instruction that faults there.
    return builder.load(_pointer(context, builder, array, row, offset, kind), align=1)


def _write(context, builder, array, row, offset, value):
    """Build what writes there; refuse it, at compile time, where Python must not write."""
    if not array.mutable:
        raise errors.TypingError(f"a word cannot be written to {array}")
    builder.store(value, _pointer(context, builder, array, row, offset, value.type), align=1)
    return context.get_dummy_value()


def _pointer(context, builder, array, row, offset, kind):
    # Only the checked mode asks whether `offset` is in the row: callers pass constants of a layout, and the tests of
    # words compare every function with plain Python, which does check.
    native = context.make_array(array)(context, builder, row)
    data = native.data
    if context.enable_boundscheck:
        length = builder.extract_value(native.shape, 0)
        for entry in (offset, builder.add(offset, offset.type(context.get_abi_sizeof(kind) - 1))):
            cgutils.do_boundscheck(context, builder, entry, length)
    byte = builder.gep(builder.bitcast(data, ir.IntType(8).as_pointer()), [offset])
    return builder.bitcast(byte, kind.as_pointer())


def _reads(function, kind, to_word=lambda builder, value: builder.zext(value, ir.IntType(64))):
    """Make a function of a row and an index read what `kind()` is to LLVM in compiled code, converted to a word."""

    @in_machine_code(function)
    def _typed(typing_context, row, offset):
        require_bytes(row)

        def build(context, builder, signature, given):
            return to_word(builder, _read(context, builder, signature.args[0], *given, kind()))

        return types.int64(row, types.intp), build


def _writes(function, from_word):
    """Make a function of a row, an index and a word write the word there, converted by `from_word`."""

    @in_machine_code(function)
    def _typed(typing_context, row, offset, word):
        require_bytes(row)

        def build(context, builder, signature, given):
            row, offset, word = given
            return _write(context, builder, signature.args[0], row, offset, from_word(builder, word))

        return types.void(row, types.intp, types.int64), build


def load_word(row: np.ndarray, offset: int) -> int:
    """Return row[offset : offset + 8], of int8 or bool, as a word."""
    return int.from_bytes(row[offset : offset + WORD].tobytes(), "little", signed=True)


def load_half(row: np.ndarray, offset: int) -> int:
    """Return row[offset : offset + 4], of int8 or bool, as the lower half of a word."""
    return int.from_bytes(row[offset : offset + HALF].tobytes(), "little")


def store_word(row: np.ndarray, offset: int, word: int) -> None:
    """Write a word to row[offset : offset + 8], of int8 or bool.

    Args:
        row: int8 or bool [n].
        offset: The first entry that is written.
        word: Eight entries, the first in the lowest byte.
    """
    row[offset : offset + WORD] = np.frombuffer((int(word) % (1 << 64)).to_bytes(WORD, "little"), row.dtype)


def store_half(row: np.ndarray, offset: int, word: int) -> None:
    """Write the lower half of a word to row[offset : offset + 4], of int8 or bool.

    Args:
        row: int8 or bool [n].
        offset: The first entry that is written.
        word: Four entries, the first in the lowest byte.
    """
    row[offset : offset + HALF] = np.frombuffer((int(word) % (1 << 32)).to_bytes(HALF, "little"), row.dtype)


def load_marks(row: np.ndarray, offset: int) -> int:
    """Return row[offset : offset + MARKS], of bool, as the bits of a word, the first as the lowest."""
    return sum(1 << index for index in range(MARKS) if row[offset + index])


def store_marks(row: np.ndarray, offset: int, bits: int) -> None:
    """Write the lowest bits of a word to row[offset : offset + MARKS], of bool, the lowest first.

    Args:
        row: bool [n].
        offset: The first entry that is written.
        bits: Of which the lowest MARKS are written.
    """
    for index in range(MARKS):
        row[offset + index] = bits >> index & 1


def _bits_of(builder, marks):
    set_ones = builder.icmp_unsigned("!=", marks, ir.Constant(marks.type, None))
    return builder.zext(builder.bitcast(set_ones, ir.IntType(MARKS)), ir.IntType(64))


def _marks_of(builder, word):
    bits = builder.trunc(word, ir.IntType(MARKS))
    return builder.zext(builder.bitcast(bits, ir.VectorType(ir.IntType(1), MARKS)), _bytes(MARKS))


# numba: eight loads of a byte, shifted and joined; here: one load. The same for stores, and for four entries.
_reads(load_word, _integer(64))
_reads(load_half, _integer(32))
_writes(store_word, lambda builder, word: word)
_writes(store_half, lambda builder, word: builder.trunc(word, ir.IntType(32)))
# numba: 64 entries read one by one, 8.6 ns, and written, 9.4 ns; here: a comparison of 32 bytes at once gives a bit for
# each, 1.2 ns, and bits are widened to bytes at once, 1.1 ns.
_reads(load_marks, lambda: _bytes(MARKS), _bits_of)
_writes(store_marks, _marks_of)


@rule
def write_row(target, source):
    """Write all of a row to the beginning of another, as `target[: len(source)] = source` does.

    The slice assignment takes seconds to compile, because of its error message for lengths that do not fit.
    """
    for offset in range(len(source)):
        target[offset] = source[offset]


@rule
def copy_entries(source, start, target, offset, width):
    """Copy source[start : start + width] to target[offset : offset + width], four entries or more.

    Args:
        source: int8 or bool [n].
        start: The first entry that is read.
        target: Such an array.
        offset: The first entry that is written.
        width: How many, from 4.
    """
    if width < WORD:
        store_half(target, offset, load_half(source, start))
        store_half(target, offset + width - HALF, load_half(source, start + width - HALF))
        return
    # The last word overlaps the one before it where the width is no multiple of eight: copying some entries twice is
    # cheaper than a loop for the rest.
    for done in range(0, width - WORD, WORD):
        store_word(target, offset + done, load_word(source, start + done))
    store_word(target, offset + width - WORD, load_word(source, start + width - WORD))


def copy_block(source: np.ndarray, target: np.ndarray, offset: int) -> None:
    """Copy BLOCK entries of a row of bytes from an offset to the same place of another, where both are aligned so.

    Args:
        source: int8 or bool [n].
        target: Such an array, both at a multiple of BLOCK bytes in memory.
        offset: A multiple of BLOCK.
    """
    target[offset : offset + BLOCK] = source[offset : offset + BLOCK]


# A GPU has instructions that read and write as much, but LLVM does not make one of two words.
@in_machine_code(copy_block)
def _copy_block(typing_context, source, target, offset):
    require_bytes(source, target)

    def build(context, builder, signature, given):
        kind = ir.VectorType(ir.IntType(32), BLOCK // HALF)
        places = [_pointer(context, builder, signature.args[row], given[row], given[2], kind) for row in range(2)]
        builder.store(builder.load(places[0], align=BLOCK), places[1], align=BLOCK)
        return context.get_dummy_value()

    return types.void(source, target, types.intp), build


@rule
def mark_entries(source, start, target, offset, width):
    """Set each of target[offset : offset + width], four to eight, to 1 where source[start : ...] is above 0, else 0.

    Args:
        source: int8 [n], no entry of which is below 0.
        start: The first entry that is read.
        target: bool or int8 [n].
        offset: The first entry that is written.
        width: How many, from 4 to 8.
    """
    # Adding 127 to each byte sets its highest bit just where it was not 0: four comparisons in one addition. It cannot
    # carry into the next byte, because entries are below 128.
    store_half(target, offset, (load_half(source, start) + BELOW >> 7) & EACH)
    store_half(target, offset + width - HALF, (load_half(source, start + width - HALF) + BELOW >> 7) & EACH)


def rearrangement(order: np.ndarray, width: int) -> Callable[[np.ndarray, np.ndarray, int], None]:
    """Return rearrange(source, target, offset), which writes source[order] to target[offset : offset + len(order)].

    Both are rows of int8 or bool; `source` has `width` entries.
    """

    def rearrange(source, target, offset):
        target[offset : offset + len(order)] = source[order]

    # numba: 41 of 64 entries by index, 9.2 ns; here: the whole row in a register, shuffled, 1.8 ns.
    @in_machine_code(rearrange)
    def _rearrange(typing_context, source, target, offset):
        require_bytes(source, target)

        def build(context, builder, signature, given):
            (source, target, _), zero = signature.args, context.get_constant(types.intp, 0)
            entries = _read(context, builder, source, given[0], zero, _bytes(width))
            # The order is part of the code: as a constant LLVM turns it into a few byte shuffles, as data it could not.
            indices = ir.Constant(ir.VectorType(ir.IntType(32), len(order)), [int(index) for index in order])
            moved = builder.shuffle_vector(entries, ir.Constant(entries.type, ir.Undefined), indices)
            return _write(context, builder, target, given[1], given[2], moved)

        return types.void(source, target, types.intp), build

    return rearrange


def adding(members: Sequence[Sequence[int]]) -> Callable[[tuple[int, int, int], np.ndarray, int], None]:
    """Return add_up(words, target, offset), which writes sums of bytes of three words to target[offset : ...], int8.

    Entry `i` is the sum of the bytes that `members[i]` lists.
    """
    size = 4 * WORD  # the fourth word is zero, and its last byte stands in for members that there are not
    # Layer n holds the n-th member of every entry, so that all entries are added up side by side, a layer at a time.
    most = max(map(len, members))
    layers = [[group[layer] if layer < len(group) else size - 1 for group in members] for layer in range(most)]

    def add_up(words, target, offset):
        entries = b"".join((int(word) % (1 << 64)).to_bytes(WORD, "little") for word in words)
        for index, group in enumerate(members):
            target[offset + index] = sum(entries[member] for member in group)

    # numba: 21 sums over lists of members, 64 ns; here: a shuffle and an addition for each layer, 5.7 ns. In Tiu-U this
    # is how many tiles match each bait, for the lake and for all unseen tiles, at every decision.
    @in_machine_code(add_up)
    def _add_up(typing_context, words, target, offset):
        require_bytes(target)

        def build(context, builder, signature, given):
            vector = ir.Constant(ir.VectorType(ir.IntType(64), 4), None)
            for place in range(3):
                word = builder.extract_value(given[0], place)
                vector = builder.insert_element(vector, word, ir.Constant(ir.IntType(32), place))
            entries = builder.bitcast(vector, _bytes(size))
            nothing = ir.Constant(entries.type, ir.Undefined)
            orders = [ir.Constant(ir.VectorType(ir.IntType(32), len(layer)), layer) for layer in layers]
            total = functools.reduce(builder.add, [builder.shuffle_vector(entries, nothing, order) for order in orders])
            return _write(context, builder, signature.args[1], given[1], given[2], total)

        return types.void(types.UniTuple(types.int64, 3), target, types.intp), build

    return add_up


@rule
def write_marks(bits, mask):
    """Write the bits of a word to a whole mask of MARKS to 2 * MARKS entries, bool, the lowest first."""
    store_marks(mask, 0, bits)  # and the rest, which overlaps it where the mask is shorter than 64
    store_marks(mask, len(mask) - MARKS, bits >> (len(mask) - MARKS))


@rule
def marks_from(mask, offset):
    """Return mask[offset : offset + 64], or as much as there is, as the bits of a word."""
    # The length of a mask is a constant of the game, so that only one of these branches is left in its code.
    rest = len(mask) - offset
    bits = 0
    if len(mask) < WORD:
        for index in range(rest):
            bits |= int(mask[offset + index]) << index
        return bits
    if len(mask) < MARKS:
        for word in range(0, len(mask), WORD):
            begin = min(word, len(mask) - WORD)  # the last word may overlap the one before
            bits |= gather(load_word(mask, begin), EACH) << begin
        return bits >> offset
    last = load_marks(mask, len(mask) - MARKS)
    if rest <= MARKS:
        return last >> (MARKS - rest)
    if rest < 2 * MARKS:
        return load_marks(mask, offset) | last >> (2 * MARKS - rest) << MARKS
    return load_marks(mask, offset) | load_marks(mask, offset + MARKS) << MARKS


@rule
def count_marks(mask):
    """Return how many entries of a bool row are true."""
    marks = 0
    for offset in range(0, len(mask), 2 * MARKS):
        marks += ones(marks_from(mask, offset))
    return marks


@rule
def find_mark(mask, marks):
    """Return the index of the true entry of a bool row that has `marks` others before it; -1 if there is none."""
    for offset in range(0, len(mask), 2 * MARKS):
        bits = marks_from(mask, offset)
        here = ones(bits)
        if marks < here:
            return offset + nth_one(bits, marks)
        marks -= here
    return -1
