"""Operations on the bits of a word, an int64: count, find, gather and spread, each a few compiled instructions.

In compiled code `ones(word)` is a single processor instruction: below each function stands the name that LLVM, the
compiler behind numba, has for it. Without these, loops would walk hands and masks entry by entry.

The line above each says what numba makes of the same function written as a loop, and what stands here: nanoseconds of
`python benchmarks/intrinsics.py` (numba 0.68, one core of an Intel Xeon with AVX-512, 27 November 2026).
"""

import functools
from collections.abc import Callable
from typing import Any

from gupai_env.core.rule import Later, in_machine_code, rule

ir: Any = Later("llvmlite.ir")
cgutils: Any = Later("numba.core.cgutils")
types: Any = Later("numba.core.types")
GROUPS = 0x0707070707070707  # the lowest three bits of every byte


def _trailing_zeros(builder, word):
    # The constant says that a word of zero need not be answered: without it LLVM adds a comparison and a jump.
    return builder.cttz(word, ir.Constant(ir.IntType(1), True))


def ones(word: int) -> int:
    """Return how many bits of a word are set."""
    return (int(word) % (1 << 64)).bit_count()


# numba: a loop over 64 bits, 7.4 ns; here: popcnt, 0.3 ns.
@in_machine_code(ones)
def _ones(typing_context, word):
    return types.int64(types.int64), lambda context, builder, signature, given: builder.ctpop(given[0])


def first_one(word: int) -> int:
    """Return the position of the lowest bit set in a word that is not zero."""
    return (int(word) & -int(word)).bit_length() - 1


# numba: a loop up to the first bit, 12 ns, most of it a jump that is predicted wrongly; here: tzcnt, 0.4 ns.
@in_machine_code(first_one)
def _first_one(typing_context, word):
    return types.int64(types.int64), lambda context, builder, signature, given: _trailing_zeros(builder, given[0])


@rule
def as_index(number):
    """Return a number from 0 to 127 as it is; compiled code then need not ask whether it counts from an array's end."""
    # numba: a comparison and an addition at every index that may be negative, as in Python; here: one `and`, which LLVM
    # leaves out where it knows the range.
    return int(number) & 127


@rule
def _spread_step_by_step(groups):
    # Each step moves the upper half of every block up until a group stands in each byte: three steps for eight groups.
    word = groups & 0xFFFFFF
    word = (word | word << 20) & 0x00000FFF00000FFF
    word = (word | word << 10) & 0x003F003F003F003F
    return (word | word << 5) & GROUPS


@rule
def _gather_one_by_one(bits, places):
    gathered, shift = 0, 0  # `places & places - 1` drops the lowest place, so there is one round for each place
    while places:
        gathered |= (bits >> first_one(places) & 1) << shift
        places &= places - 1
        shift += 1
    return gathered


@rule
def _nth_one_by_one(bits, number):
    for _ in range(number):
        bits &= bits - 1
    return first_one(bits)


def spread(groups: int) -> int:
    """Return the eight lowest groups of three bits as the bytes of a word."""
    return _spread_step_by_step(int(groups))


def gather(bits: int, places: int) -> int:
    """Return the bits of a word at the positions set in `places`, packed together, the lowest first."""
    return _gather_one_by_one(int(bits), int(places) % (1 << 64))


def nth_one(bits: int, number: int) -> int:
    """Return the position of the bit set in a word that has `number` other set bits below it."""
    return _nth_one_by_one(int(bits), number)


# x86 with BMI2 moves bits to or from the positions set in a word by one instruction. Each function that uses it has a
# second implementation, bit by bit, for what has none: other processors (such as ARM), GPUs, and plain Python, so that
# it is tested everywhere.
WITHOUT_BMI2: dict[Callable[..., Any], Callable[..., Any]] = {
    spread: _spread_step_by_step,
    gather: _gather_one_by_one,
    nth_one: _nth_one_by_one,
}


def in_words(function: Callable[..., Any], build: Callable[..., Any]) -> None:
    """Make compiled code call a function of words by a name of its own, where LLVM inlines it; a GPU has another there.

    Args:
        function: The function, of int64; its name in LLVM's code is `symbol` of it.
        build: build(builder, *arguments) builds what it returns, a word.
    """

    @in_machine_code(function, WITHOUT_BMI2.get(function))
    @functools.wraps(build)  # numba reads there how many arguments follow the first
    def _generator(typing_context, *given):
        def call(context, builder, signature, given):
            word = ir.IntType(64)
            kind = ir.FunctionType(word, [word] * len(given))
            called = cgutils.get_or_insert_function(builder.module, kind, symbol(function))
            if called.is_declaration:
                called.linkage = "linkonce_odr"  # another of this name takes its place (`cuda.py`)
                called.attributes.add("alwaysinline")
                inside = ir.IRBuilder(called.append_basic_block())
                inside.ret(build(inside, *called.args))
            return builder.call(called, given)

        return types.int64(*[types.int64] * len(given)), call


def symbol(function: Callable[..., Any]) -> str:
    """Return the name of a function of words in LLVM's code."""
    return f"gupai_{function.__name__}"


def _moved(builder, name, bits, places):
    """Build one of the two instructions of BMI2: "pdep" to the places, "pext" from them."""
    # By its name in LLVM, because llvmlite has no method for it. Compilers do not find this instruction in a loop.
    move = builder.module.declare_intrinsic(f"llvm.x86.bmi.{name}.64", (), ir.FunctionType(bits.type, [bits.type] * 2))
    return builder.call(move, [bits, places])


# numba: eight groups written byte by byte, 4.8 ns; here, with `store_word`: pdep and one store, 1.1 ns.
in_words(spread, lambda builder, groups: _moved(builder, "pdep", groups, ir.Constant(groups.type, GROUPS)))

# numba: a round for each of 64 entries of a mask, 8.6 ns; here, in `marks_from`: 1.2 ns.
in_words(gather, lambda builder, bits, places: _moved(builder, "pext", bits, places))


# numba: a loop of unknown length, 21 ns for one of the first 16; here: pdep puts a single bit at the wanted place, and
# tzcnt finds it, 1.2 ns. Drawing a legal action is this.
def _nth_one(builder, bits, number):
    numbered = builder.shl(ir.Constant(bits.type, 1), number)
    return _trailing_zeros(builder, _moved(builder, "pdep", numbered, bits))


in_words(nth_one, _nth_one)
