"""A stand-in for a GPU: the PTX of a kernel as C, which a processor runs thread by thread.

    cuda.stand_in = ptx.load  # of gupai_env.core: from now on, CudaVectorEnv(..., device="cpu") runs kernels like this

What a GPU's driver assembles is read here line by line, by what the manual says of every instruction ("PTX ISA"), and
compiled by Zig (the package ziglang). An instruction that is not known here is an error. A GPU refuses an access to
memory whose address is no multiple of its size; so does this. Speed, order of threads and caches are not those of a
GPU, and an assembler's faults are not met.
"""

import ctypes
import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from gupai_env.core import cuda

HEAD = f"""
#include <stdint.h>
#include <string.h>
#include <math.h>
typedef uint8_t b8, u8, pred; typedef uint16_t b16, u16; typedef uint32_t b32, u32; typedef uint64_t b64, u64;
typedef int8_t s8; typedef int16_t s16; typedef int32_t s32; typedef int64_t s64; typedef float f32; typedef double f64;
static u32 tid_x, ctaid_x, ntid_x = {cuda.THREADS}, nctaid_x;
static u64 faults;
static inline f32 as_f32(u32 x) {{ f32 y; memcpy(&y, &x, 4); return y; }}
static inline f64 as_f64(u64 x) {{ f64 y; memcpy(&y, &x, 8); return y; }}
static inline u32 of_f32(f32 x) {{ u32 y; memcpy(&y, &x, 4); return y; }}
static inline u64 of_f64(f64 x) {{ u64 y; memcpy(&y, &x, 8); return y; }}
static inline u64 at(u64 address, u64 size) {{ if (address % size) {{ faults++; address -= address % size; }}
  return address; }}
static inline u32 prmt(u32 a, u32 b, u32 c) {{
  u64 both = (u64)b << 32 | a; u32 word = 0;
  for (int i = 0; i < 4; i++) {{
    u32 pick = c >> 4 * i & 15, byte = both >> 8 * (pick & 7) & 255;
    word |= (pick & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
  }}
  return word; }}
static inline u64 bfe(u64 a, u32 from, u32 size) {{ from &= 255; size &= 255;
  return from > 63 || !size ? 0 : size > 63 ? a >> from : a >> from & ((1ull << size) - 1); }}
static inline u64 bfe_signed(u64 a, u32 from, u32 size, u32 bits) {{ from &= 255; size &= 255;
  if (!size) return 0;
  u32 top = from + size > bits ? bits - 1 : from + size - 1; u64 sign = 0 - (a >> top & 1);
  return from > top ? sign : top - from > 62 ? a >> from : bfe(a, from, top - from + 1) | sign << (top - from + 1); }}
static inline u64 bfi(u64 a, u64 b, u32 from, u32 size) {{ from &= 255; size &= 255;
  u64 mask = from > 63 || !size ? 0 : (size > 63 ? ~0ull : (1ull << size) - 1) << from;
  return (b & ~mask) | (from > 63 ? 0 : a << from & mask); }}
static inline u64 brev(u64 a, int bits) {{
  u64 r = 0; for (int i = 0; i < bits; i++) r |= (a >> i & 1) << (bits - 1 - i); return r; }}
"""
OPTIONS = "-O1", "-shared", "-fPIC", "-w", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-sanitize=all"
SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SIGNS |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
CALCULATED = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}
LINE = re.compile(r"(?:@(!?)(%p\d+) +)?([a-z][\w.]*)\s*(.*);$", re.DOTALL)
GLOBAL = re.compile(r"^\.global \.align (\d+) \.(\w+) ([\w$]+)(\[\d*\])?(?: = (.*))?;$", re.MULTILINE)
FUNCTION = re.compile(
    r"^(?:\.visible )?\.(func|entry)\s+(?:\(\.param \.(\w+) \w+\)\s*)?([\w$]+)\s*\((.*?)\)\s*"
    r"(;|(?:\.[^{}]*)?\{\n(.*?)^\})",
    re.DOTALL | re.MULTILINE,
)


def load(ptx: str, name: str) -> Callable[..., None]:
    """Return a kernel as a function of a number of rows and its arguments, as `core/cuda.py` has them.

    Args:
        ptx: The text of it.
        name: Of its entry.

    Raises:
        ValueError: For a line that is not known here.
    """
    run = ctypes.CDLL(str(_library(translated(ptx, name)))).run
    run.restype = ctypes.c_uint64

    def launch(rows: int, *arguments: int) -> None:
        faults = run(-(-rows // cuda.THREADS), (ctypes.c_int64 * len(arguments))(*arguments))
        if faults:
            raise RuntimeError(f"{faults} accesses to memory that a GPU refuses")

    return launch


def _library(text: str) -> Path:
    """Return the library of a text of C, compiled once by this user."""
    folder = Path(tempfile.gettempdir(), "gupai-ptx")
    folder.mkdir(mode=0o700, exist_ok=True)
    library = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as name:
            source, made = Path(name, "kernel.c"), Path(name, "kernel.so")
            source.write_text(text)
            command = [sys.executable, "-m", "ziglang", "cc", *OPTIONS, "-o", str(made), str(source)]
            subprocess.run(command, check=True)
            made.rename(library)
    return library


def translated(ptx: str, name: str) -> str:
    """Return a kernel as C, with a function `run` of the number of blocks and the address of its arguments."""
    ptx = re.sub(r"\s*//[^\n]*", "", ptx)
    tables = GLOBAL.findall(ptx)
    declared = [f"static _Alignas({align}) {kind} {table}{size};" for align, kind, table, size, _ in tables]
    filled = [_table(*table) for table in tables if table[4]]
    functions = FUNCTION.findall(ptx)
    heads = {f[2]: _head(*f[:4]) for f in functions}
    bodies = [heads[f[2]] + "\n" + _body(f) for f in functions if f[5]]
    entry = next(f for f in functions if f[2] == name)
    given = ", ".join(f"words[{number}]" for number in range(len(re.findall(r"\.param", entry[3]))))
    run = f"""u64 run(u32 blocks, u64 *words) {{
  faults = 0; nctaid_x = blocks;
  for (ctaid_x = 0; ctaid_x < blocks; ctaid_x++) for (tid_x = 0; tid_x < ntid_x; tid_x++) {name}({given});
  return faults; }}"""
    return "\n".join([HEAD, *declared, *filled, *(f"{head};" for head in heads.values()), *bodies, run])


def _table(align: str, kind: str, name: str, size: str, content: str) -> str:
    """Return a table with its content as C."""
    entries = re.sub(r"generic\(([\w$]+)\)|\b(?<![\w$])([A-Za-z_][\w$]*)", r"(u64)&\1\2", content)
    return f"static _Alignas({align}) {kind} {name}{size} = {entries};"


def _head(kind: str, returned: str, name: str, parameters: str) -> str:
    """Return the head of a function as C."""
    if re.search(r"\[", parameters):
        raise ValueError(f"parameters {parameters!r}")
    given = re.sub(r"\.param \.(\w+)\s+([\w$]+)", r"\1 \2", parameters).strip()
    return f"static {returned or 'void'} {name}({given or 'void'})"


def _body(function: tuple[str, ...]) -> str:
    """Return the block of a function as C."""
    returned = function[1]
    lines = [f"  {returned} func_retval0 = 0;"] if returned else []
    lines += _statements(function[5], "return func_retval0;" if returned else "return;")
    return "\n".join(["{", *lines, "}"])


def _statements(text: str, leave: str) -> Iterator[str]:
    """Yield the statements of a function as C; `leave` is what returns from it."""
    targets: dict[str, list[str]] = {}
    text = re.sub(r"([\w$]+):\s*\.branchtargets\s*([^;]*);", lambda match: _targets(match, targets), text)
    text = re.sub(r"\{ \.reg \.(\w+) tmp; *(.*?) *\}\s*$", _with_temporary, text, flags=re.MULTILINE)
    for line in filter(str.strip, text.split("\n")):
        statement = " ".join(line.split())
        if statement in ("{", "}") or statement.endswith(":"):
            yield statement.replace("$", "_") + (";" if statement.endswith(":") else "")
        elif statement.startswith("."):
            yield _declared(statement)
        else:
            yield _instruction(statement, leave, targets)


def _with_temporary(match: "re.Match[str]") -> str:
    """Return a block in one line as lines; its register `tmp` is spelled like others."""
    return "\n".join(["{", f".reg .{match[1]} %tmp;", *re.sub(r"\btmp\b", "%tmp", match[2]).split("; "), "}"])


def _targets(match: "re.Match[str]", targets: dict[str, list[str]]) -> str:
    targets[match[1]] = [label.strip() for label in match[2].split(",")]
    return ""


def _declared(statement: str) -> str:
    """Return a declaration as C."""
    if match := re.match(r"\.reg \.(\w+) %(\w+)<(\d+)>;", statement):
        return f"{match[1]} {', '.join(f'{match[2]}{number} = 0' for number in range(int(match[3])))};"
    if match := re.match(r"\.reg \.(\w+) %(\w+);", statement):
        return f"{match[1]} {match[2]} = 0;"
    if match := re.match(r"\.local \.align (\d+) \.b8 (\w+)\[(\d+)\];", statement):
        return f"_Alignas({match[1]}) b8 {match[2]}[{match[3]}]; memset({match[2]}, 0xA5, {match[3]});"
    if match := re.match(r"\.param \.(\w+) (\w+);", statement):
        return f"{match[1]} {match[2]} = 0;"
    if statement.startswith(".pragma"):
        return ""
    raise ValueError(f"not known: {statement}")


def _instruction(statement: str, leave: str, targets: dict[str, list[str]]) -> str:
    """Return an instruction as C."""
    match = LINE.match(statement)
    if not match:
        raise ValueError(f"not known: {statement}")
    negated, predicate, name, rest = match.groups()
    operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s]+", rest)
    line = _done(name.split("."), operands, leave, targets)
    return f"if ({negated}{predicate[1:]}) {{ {line} }}" if predicate else line


def _done(words: list[str], operands: list[str], leave: str, targets: dict[str, list[str]]) -> str:
    name, kind = words[0], words[-1]
    if name == "bra":
        return f"goto {operands[0].replace('$', '_')};"
    if name == "brx":
        cases = [f"case {number}: goto {label.replace('$', '_')};" for number, label in enumerate(targets[operands[1]])]
        return f"switch ({_read(operands[0], 'u32')}) {{ {' '.join(cases)} }}"
    if name in ("ret", "exit"):
        return leave
    if name == "call":
        result = f"{operands.pop(0)[1:-1]} = " if operands[0].startswith("(") else ""
        return f"{result}{operands[0]}{operands[1] if len(operands) > 1 else '()'};"
    if name in ("ld", "st"):
        return _moved(words, operands)
    if name == "atom":
        if words[-2:] != ["min", "s64"]:
            raise ValueError(f"not known: {'.'.join(words)}")
        place, number = f"(s64 *)at({_address(operands[1])}, 8)", _read(operands[2], "s64")
        return (
            f"{{ s64 *place = {place}, old = *place; if ({number} < old) *place = {number}; {operands[0][1:]} = old; }}"
        )
    if name == "mov" and "{" in "".join(operands):
        return _packed(*operands)
    target, sources = operands[0][1:], operands[1:]
    return f"{target} = {_written(_calculated(words, sources), kind if name != 'cvt' else words[-2], words)};"


def _calculated(words: list[str], sources: list[str]) -> str:
    """Return the value of an instruction as an expression of C, of the type that it names last."""
    name, kind = words[0], words[-1]
    bits = int(re.sub(r"\D", "", kind) or 8)
    a, b, c = (*(_read(source, kind) for source in sources), "", "")[:3]
    unsigned = f"u{bits}"
    if name == "setp":
        return _compared(words[1], kind, a, b)
    if name in CALCULATED and kind[0] != "f":
        a, b = (_read(source, unsigned if kind != "pred" else kind) for source in sources)
        return f"({kind})({a} {CALCULATED[name]} {b})"
    if name in CALCULATED:
        return f"({a} {CALCULATED[name]} {b})"
    if name == "mul" and words[1] == "wide":
        wide = f"{kind[0]}{2 * bits}"
        return f"(({wide}){a} * ({wide}){b})"
    if name == "mul" and words[1] == "hi":
        wide = "__int128" if kind[0] == "s" else "unsigned __int128"
        return f"({kind})((({wide}){a} * ({wide}){b}) >> {bits})"
    if name in ("mul", "mad", "fma") and kind[0] == "f":
        return f"fma{'f' if bits == 32 else ''}({a}, {b}, {c})" if c else f"({a} * {b})"
    if name in ("mul", "mad") and words[1] == "lo":
        a, b, *more = (f"(u64){_read(source, unsigned)}" for source in sources)
        return f"({kind})({a} * {b} + {more[0] if more else 0})"
    shift = _read(sources[1], "u32") if name in ("shl", "shr") else ""
    expressions = {
        "mov": lambda: a,
        "cvta": lambda: a,
        "cvt": lambda: _converted(words, a),
        "selp": lambda: f"({_read(sources[2], 'pred')} ? {a} : {b})",
        "not": lambda: f"(pred)!{a}" if kind == "pred" else f"({kind})~{a}",
        "neg": lambda: f"-{a}" if kind[0] == "f" else f"({kind})(0 - (u64){a})",
        "abs": lambda: f"fabs({a})" if kind[0] == "f" else f"({a} < 0 ? ({kind})(0 - (u64){a}) : {a})",
        "div": lambda: f"({a} / {b})",
        "rem": lambda: f"({a} % {b})",
        "min": lambda: f"({a} < {b} ? {a} : {b})",
        "max": lambda: f"({a} > {b} ? {a} : {b})",
        "sqrt": lambda: f"sqrt{'f' if bits == 32 else ''}({a})",
        "shl": lambda: f"({shift} > {bits - 1} ? 0 : ({kind})((u64){a} << {shift}))",
        "shr": lambda: (
            f"({a} >> ({shift} > {bits - 1} ? {bits - 1} : {shift}))"
            if kind[0] == "s"
            else f"({shift} > {bits - 1} ? 0 : ({kind})({a} >> {shift}))"
        ),
        "shf": lambda: f"(u32)(({_read(sources[1], 'u64')} << 32 | {_read(sources[0], 'u32')}) << ({c} & 31) >> 32)",
        "popc": lambda: f"(u32)__builtin_popcountll({a})",
        "clz": lambda: f"(u32)({a} ? __builtin_clzll({a}) - {64 - bits} : {bits})",
        "brev": lambda: f"({unsigned})brev({a}, {bits})",
        "prmt": lambda: f"prmt({a}, {b}, {c})",
        "bfe": lambda: (
            f"({kind})bfe_signed(({unsigned}){a}, {_read(sources[1], 'u32')}, {_read(sources[2], 'u32')}, {bits})"
            if kind[0] == "s"
            else f"({kind})bfe({a}, {_read(sources[1], 'u32')}, {_read(sources[2], 'u32')})"
        ),
        "bfi": lambda: f"({unsigned})bfi({a}, {b}, {_read(sources[2], 'u32')}, {_read(sources[3], 'u32')})",
    }
    if name not in expressions:
        raise ValueError(f"not known: {'.'.join(words)} {sources}")
    return expressions[name]()


def _compared(sign: str, kind: str, a: str, b: str) -> str:
    if kind[0] == "f" and sign in ("num", "nan"):
        return f"({a} == {a} && {b} == {b})" if sign == "num" else f"({a} != {a} || {b} != {b})"
    if kind[0] == "f":  # false where a number is not one, `ne` and those that end with u true
        true = f" || {a} != {a} || {b} != {b}" if sign[2:] == "u" else ""
        ordered = f"{a} == {a} && {b} == {b} && " if sign == "ne" else ""
        return f"({ordered}{a} {SIGNS[sign[:2]]} {b}{true})"
    return f"({a} {SIGNS[sign]} {b})"


def _converted(words: list[str], a: str) -> str:
    target, source = words[-2:]
    if target[0] != "f" and source[0] == "f":
        if "rzi" not in words:
            raise ValueError(f"not known: {'.'.join(words)}")
        return f"({target})trunc({a})"
    if target == source and any(word in ("rni", "rmi", "rpi", "rzi") for word in words):
        raise ValueError(f"not known: {'.'.join(words)}")
    return f"({target}){a}"


def _read(operand: str, kind: str) -> str:
    """Return an operand as an expression of C of a type."""
    if match := re.match(r"0[df]([0-9A-F]+)$", operand):
        return f"as_f{4 * len(match[1])}(0x{match[1]})" if kind[0] == "f" else f"(({kind})0x{match[1]}ull)"
    if operand.startswith("%"):
        register = operand[1:].replace(".", "_")
        return f"as_{kind}({register})" if kind[0] == "f" else f"(({kind}){register})"
    if re.match(r"-?\d", operand):
        number = operand.rstrip("U")
        return f"(({kind}){int(number, 0) % (1 << 64)}ull)"
    return f"(u64)&{operand}"  # of a table


def _written(value: str, kind: str, words: list[str]) -> str:
    """Return a value as what its register holds."""
    if words[0] == "setp" or kind[0] != "f":
        return value
    return f"of_{kind}({value})"


def _address(operand: str) -> str:
    name, _, offset = operand[1:-1].partition("+")
    base = name[1:] if name.startswith("%") else f"(u64)&{name}"
    return f"{base} + {int(offset or 0)}ull" if not offset.startswith("-") else f"{base} - {offset[1:]}ull"


def _moved(words: list[str], operands: list[str]) -> str:
    """Return a load or a store as C."""
    kind, load = words[-1], words[0] == "ld"
    place, other = operands if not load else operands[::-1]
    if "param" in words:
        name = place[1:-1]
        return f"{other[1:]} = ({kind}){name};" if load else f"{name} = {_read(other, kind)};"
    size = int(kind[1:]) // 8
    registers = [register.strip() for register in other.strip("{}").split(",")]
    begin = f"u64 place = at({_address(place)}, {size * len(registers)});"
    places = (f"(({kind} *)place)[{number}]" for number in range(len(registers)))
    pairs = zip(registers, places, strict=True)
    if load:  # what is read may be the address, too
        return f"{{ {begin} {' '.join(f'{register[1:]} = {cell};' for register, cell in pairs)} }}"
    return f"{{ {begin} {' '.join(f'{cell} = {_read(register, kind)};' for register, cell in pairs)} }}"


def _packed(target: str, source: str) -> str:
    """Return as C what joins or divides registers."""
    whole = target if source.startswith("{") else source
    parts = [part.strip() for part in (source if source.startswith("{") else target).strip("{}").split(",")]
    size = {"%rd": 64, "%r": 32, "%rs": 16}[re.match(r"%[a-z]+", whole)[0]] // len(parts)  # type: ignore[index]
    if whole is target:
        joined = " | ".join(f"(u64){_read(part, f'u{size}')} << {size * place}" for place, part in enumerate(parts))
        return f"{target[1:]} = {joined};"
    divided = (
        f"{part[1:]} = (u{size})({source[1:]} >> {size * place});" for place, part in enumerate(parts) if part != "_"
    )
    return " ".join(divided)
