"""Operations on the bits of a word, an int64: count, find, gather and spread, each a few compiled instructions.

In compiled code `ones(word)` is a single processor instruction: below each function stands the name that LLVM, the
compiler behind numba, has for it. Without these, loops would walk hands and masks entry by entry.

The line above each says what numba makes of the same function written as a loop, and what stands here: nanoseconds of
`python benchmarks/intrinsics.py` (numba 0.68, one core of an Intel Xeon with AVX-512, 27 November 2026).
"""

from typing import Any

from gupai_env.core.rule import Later, in_machine_code, rule

ir: Any = Later("llvmlite.ir")
types: Any = Later("numba.core.types")
GROUPS = 0x0707070707070707  # the lowest three bits of every byte


def _trailing_zeros(builder, word):
    # The constant says that a word of zero need not be answered: without it LLVM adds a comparison and a jump.
    return builder.cttz(word, ir.Constant(ir.IntType(1), True))


def _moved(builder, name, bits, places):
    """Build one of the two instructions of BMI2: "pdep" to the places, "pext" from them."""
    # By its name in LLVM, because llvmlite has no method for it. Compilers do not find this instruction in a loop.
    word = ir.IntType(64)
    move = builder.module.declare_intrinsic(f"llvm.x86.bmi.{name}.64", (), ir.FunctionType(word, [word, word]))
    return builder.call(move, [bits, places])


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
# second implementation, bit by bit, for processors without it (such as ARM); plain Python uses that too, so that it is
# tested everywhere.


# numba: eight groups written byte by byte, 4.8 ns; here, with `store_word`: pdep and one store, 1.1 ns.
@in_machine_code(spread, without_bmi2=_spread_step_by_step)
def _spread(typing_context, groups):
    def build(context, builder, signature, given):
        return _moved(builder, "pdep", given[0], context.get_constant(types.int64, GROUPS))

    return types.int64(types.int64), build


# numba: a round for each of 64 entries of a mask, 8.6 ns; here, in `marks_from`: 1.2 ns.
@in_machine_code(gather, without_bmi2=_gather_one_by_one)
def _gather(typing_context, bits, places):
    def build(context, builder, signature, given):
        return _moved(builder, "pext", *given)

    return types.int64(types.int64, types.int64), build


# numba: a loop of unknown length, 21 ns for one of the first 16; here: pdep puts a single bit at the wanted place, and
# tzcnt finds it, 1.2 ns. Drawing a legal action is this.
@in_machine_code(nth_one, without_bmi2=_nth_one_by_one)
def _nth_one(typing_context, bits, number):
    def build(context, builder, signature, given):
        numbered = builder.shl(context.get_constant(types.int64, 1), given[1])
        return _trailing_zeros(builder, _moved(builder, "pdep", numbered, given[0]))

    return types.int64(types.int64, types.int64), build
