"""The bits of a word, an int64: counted, found, gathered and spread, each a few instructions where it is compiled."""

from llvmlite import binding, ir
from numba import types
from numba.core import config
from numba.extending import intrinsic, overload

from gupai_env.core.rule import rule

GROUPS = 0x0707070707070707  # the lowest three bits of every byte


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
# Each function that these do has a second way, one by one, for processors without them (ARM has none): that is the
# way of plain Python too, so that it is walked everywhere.
FEATURES = getattr(config, "CPU_FEATURES", None)  # what numba is told to compile for, with CPU_NAME
if FEATURES or getattr(config, "CPU_NAME", None):
    MOVES_BITS = "+bmi2" in (FEATURES or "")
else:
    MOVES_BITS = bool(binding.get_host_cpu_features().get("bmi2", False))


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


@rule
def _spread_step_by_step(groups):
    word = groups & 0xFFFFFF
    word = (word | word << 20) & 0x00000FFF00000FFF
    word = (word | word << 10) & 0x003F003F003F003F
    return (word | word << 5) & GROUPS


def spread(groups: int) -> int:
    """Return the eight lowest groups of three bits as the bytes of a word."""
    return _spread_step_by_step(int(groups))


@overload(spread, inline="always")
def _spread_compiled(groups):
    if MOVES_BITS:
        return lambda groups: _deposit(groups, GROUPS)
    return lambda groups: _spread_step_by_step(groups)


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
    return _gather_one_by_one(int(bits), int(places) % (1 << 64))


@overload(gather, inline="always")
def _gather_compiled(bits, places):
    if MOVES_BITS:
        return lambda bits, places: _extract(bits, places)
    return lambda bits, places: _gather_one_by_one(bits, places)


@rule
def _nth_one_by_one(bits, number):
    for _ in range(number):
        bits &= bits - 1
    return first_one(bits)


def nth_one(bits: int, number: int) -> int:
    """Return the place of the bit set of a word that has `number` others below it."""
    return _nth_one_by_one(int(bits), number)


@overload(nth_one, inline="always")
def _nth_one_compiled(bits, number):
    if MOVES_BITS:
        return lambda bits, number: _trailing_zeros(_deposit(1 << number, bits))
    return lambda bits, number: _nth_one_by_one(bits, number)
