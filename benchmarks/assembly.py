"""What kernels need of a GPU, without one: registers, stack, spills, memory, occupancy and the size of their code.

    pip install 'nvidia-cuda-nvcc>=13,<14'        # ptxas, which assembles on any machine
    python -m benchmarks.assembly                 # every game, with --write into docs/gpu.md
    python -m benchmarks.assembly jie-long        # one; with --write the rows of others stay as they are

Every kernel of every game is emitted as PTX and assembled for three generations of GPUs: the A100 (sm_80), the H100 and
H200 (sm_90) and the B200 (sm_100). Occupancy is what registers leave of the threads that a multiprocessor can hold.
"""

import argparse
import itertools
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from gupai_env import GAMES, get_game
from gupai_env.core.cuda import LANES, PLAYERS, THREADS, Kernel, cuda_kernels
from gupai_training.cuda_targets import playout_kernels

GENERATIONS = 80, 90, 100
PAGE = Path(__file__).parent.parent / "docs/gpu.md"
# Of a multiprocessor of every one of these: warps that it can hold, in four parts that have so many registers each,
# which are given to a warp by 256.
WARP, WARPS, PARTS, REGISTERS, UNIT = 32, 64, 4, 1 << 14, 256


class Assembled(NamedTuple):
    """What a kernel needs, all of a thread but for the code: registers and bytes."""

    registers: int
    stack: int
    spilled: int
    constant: int
    shared: int
    tables: int
    code: int

    @property
    def occupancy(self) -> float:
        """The share of the threads that a multiprocessor can hold that fit there."""
        of_warp = -(-self.registers * WARP // UNIT) * UNIT
        blocks = REGISTERS // of_warp * PARTS // (THREADS // WARP)
        return min(blocks * THREADS // WARP, WARPS) / WARPS


def main() -> None:
    """Assemble and print, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--write", action="store_true", help="write the page")
    chosen = parser.parse_args()
    lines = []
    for line in table(chosen.games):
        print(line, flush=True)
        lines.append(line)
    if chosen.write:
        before = PAGE.read_text(encoding="utf-8").splitlines()
        rows = {game: [line for line in before if line.startswith(begin(game))] for game in GAMES}
        rows |= {game: [line for line in lines if line.startswith(begin(game))] for game in chosen.games}
        PAGE.write_text("\n".join([*page(), *lines[:2], *itertools.chain(*rows.values()), ""]), encoding="utf-8")


def begin(game: str) -> str:
    """Return what the rows of a game begin with."""
    return f"| {get_game(game).title} |"


def page() -> list[str]:
    """Return what stands above the table on its page."""
    version = re.findall(r"V[\d.]+", subprocess.run([ptxas(), "--version"], capture_output=True, text=True).stdout)
    return [
        "# Kernels on a GPU",
        "",
        "What the [kernels](engine.md#compiled-loops) of the games need. No GPU has run them: these are figures of",
        f"the assembler (ptxas {version[0]}; `python -m benchmarks.assembly --write` writes this page). Registers, in",
        "parentheses the occupancy, are given for the A100 (sm_80), the H100 and H200 (sm_90) and the B200 (sm_100),",
        f"all else for sm_90. Blocks have {THREADS} threads. A thread that plays a lane may have {LANES} registers:",
        "this lets half of the threads that a multiprocessor can hold fit, and one that also plays rule-based players",
        f"{PLAYERS}. Stack is local memory of a thread; spilled are the bytes of it that are stored and loaded because",
        "registers were too few, on the GPU where they are most. Tables are those of the rules, in the memory of",
        "the GPU, read through its read-only cache; constant memory holds the arguments of a kernel, and numbers.",
        "Memory is in bytes. No kernel uses shared memory, or a heap.",
        "",
    ]


def table(games: list[str]) -> Iterator[str]:
    """Yield the lines of the table of some games."""
    names = [f"sm_{generation}" for generation in GENERATIONS]
    yield f"| game | kernel | {' | '.join(names)} | stack | spilled | constant | tables | code |"
    yield "|" + "---|" * (len(names) + 7)
    for game in games:
        for name, kernel in kernels(game).items():
            try:
                needs = [assembled(kernel, generation) for generation in GENERATIONS]
            except ValueError as error:  # it is not emitted
                yield f"{begin(game)} `{name}` | {error} |{' |' * (len(names) + 4)}"
                continue
            registers = " | ".join(f"{one.registers} ({one.occupancy:.0%})" for one in needs)
            _, stack, _, constant, shared, tables, code = needs[1]
            assert not shared
            spilled = max(one.spilled for one in needs)
            sizes = f"{stack:,} | {spilled:,} | {constant:,} | {tables:,} | {code:,}"
            yield f"{begin(game)} `{name}` | {registers} | {sizes} |"


def kernels(game: str) -> dict[str, Kernel]:
    """Return all kernels of a game, by name."""
    made = get_game(game)
    return cuda_kernels(made) | playout_kernels(made)


def ptxas() -> str:
    """Return the path of the assembler, "" if there is none."""
    package = find_spec("nvidia")
    folders = map(Path, (package.submodule_search_locations or ()) if package else ())
    places = (str(place) for folder in folders for place in folder.glob("*/bin/ptxas*"))
    return next(places, shutil.which("ptxas") or "")


def assembled(kernel: Kernel, generation: int) -> Assembled:
    """Assemble a kernel for a generation of GPUs, such as 90.

    Raises:
        RuntimeError: With what the assembler says, if it refuses.
    """
    ptx, name = kernel.ptx
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        command = [ptxas(), "-v", "-arch", f"sm_{generation}", str(source), "-o", str(made)]
        printed = subprocess.run(command, capture_output=True, text=True)
        if printed.returncode:
            raise RuntimeError(printed.stderr)
        parts = [section for section in sections(made.read_bytes()) if "reserved" not in section[0]]
    kinds = ".text.", ".nv.constant", ".nv.shared"
    code, constant, shared = (sum(size for part, size in parts if part.startswith(kind)) for kind in kinds)
    own = printed.stderr[printed.stderr.index(f"Function properties for {name}") :]
    stack, stored, loaded = map(int, re.findall(r"(\d+) bytes (?:stack|spill)", own)[:3])
    registers, tables = (int(re.findall(rf"(\d+) {unit}", printed.stderr)[0]) for unit in ("registers", "bytes gmem"))
    return Assembled(registers, stack, stored + loaded, constant, shared, tables, code)


def sections(binary: bytes) -> Iterator[tuple[str, int]]:
    """Yield the names and sizes of the sections of an ELF file."""
    (start,), (size, count, names) = struct.unpack_from("<Q", binary, 40), struct.unpack_from("<3H", binary, 58)
    heads = [struct.unpack_from("<IIQQQQ", binary, start + size * number) for number in range(count)]
    text = binary[heads[names][4] :]
    for head in heads:
        yield text[head[0] : text.index(b"\0", head[0])].decode(), head[5]


if __name__ == "__main__":
    main()
