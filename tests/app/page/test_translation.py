"""Python in JavaScript: every construct does the same, and what cannot be translated is refused with its place."""

import dataclasses
import functools
import json
import math
import re
import subprocess
from collections.abc import Iterator
from itertools import combinations, permutations, product, takewhile
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from checkout import tool
from gupai_app.page.translation import RUNTIME, RefusedError, Translation
from gupai_env.games import GAMES
from gupai_env.messages import Message, count, joined, say, word
from webassembly import modules_of, needs_node

LARGE = 1 << 62
TABLE = np.arange(6).reshape(2, 3)
GREETING = say("{name} plays {tile}", name="East", tile="[6:4]")
PAIR = re.compile(r"\[?([1-6]):([1-6])\]?")
WORDS = {"one": 1, "two": 2, "a b": 3}
CASES: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {}


def case(*arguments: tuple[Any, ...]) -> Any:
    """Mark a function that must return the same in JavaScript, called with each of some arguments."""

    def marked(function: Any) -> Any:
        CASES[function.__name__] = (function, list(arguments) or [()])
        return function

    return marked


# --- numbers ------------------------------------------------------------------------------------


@case((7, 2), (-7, 2), (7, -2), (7.5, 2), (0, 3))
def arithmetic(a, b):
    return [a + b, a - b, a * b, a / b, a // b, a % b, -a, +a, abs(a), divmod(a, b), a**2]


@case((5,), (-5,), (2**40,), (0,))
def bits(n):
    large = n << 40
    sums = [large | 1, large & -large, large ^ LARGE, large >> 40, ~n, LARGE + n - LARGE, (LARGE | 7) & 7]
    return [*(entry >> 30 for entry in sums), n.bit_length(), abs(large).bit_count(), large == n << 40, LARGE > n]  # noqa: SIM300


@case((2.5, 0), (3.5, 0), (0.125, 2), (2.675, 2), (1e-7, 3), (-1.5, 0), (1234.5678, 1))
def rounding(number, digits):
    return [round(number, digits), round(number), math.ceil(number), math.floor(number), int(number), float(3)]


@case((3,), (-1,), (True,))
def truths(n):
    flags = [n == 1, bool(n), not n, n in (1, 2), n is None, isinstance(n, bool), isinstance(n, int)]
    return [*flags, sum(flags), "word" * (n > 2), [n] * (n == 3), ("no", "yes")[n > 0], n and "some", n or "none"]


@case((1,), (5,), (9,))
def compared(n):
    return [1 < n <= 5, 0 <= n - 1 < 5 > 2, (1, 2) < (1, n), [n] == [5], n != 5, max(n, 4), min([n, 4]), {n} <= {5, 9}]  # noqa: SIM300


# --- texts --------------------------------------------------------------------------------------


@case((3, 0.5, "w"), (-1234567, 1e-5, "'q'"), (0, 2.0e17, ""))
def formatted(n, x, s):
    parts = [
        f"{n:+d}|{n:,}|{n:5}|{n:<5}|{n:05d}|{n:x}",
        f"{x:.2f}|{x:g}|{x:.3g}|{x:.0%}|{x:.1e}|{x:+g}",
        f"{s!r}|{s:>4}|{s:^5}|{s:*<3}",
    ]
    return [
        *parts,
        f"{'':{n % 7}}|{n}{s}`${n}\\",
        "{0} {name:+g} {{}} {1!r}".format(s, s, name=x),  # noqa: UP032
        str(n) + str(True) + str(None),
    ]


@case((" a,b ,c ",), ("[6:4] [1:1]",), ("Äö 接龍",))
def strings(text):
    stripped = [text.strip(), text.lstrip(), text.rstrip(" c"), text.strip("[] a")]
    split = [
        text.split(),
        text.split(","),
        text.split(",", 1),
        text.partition(","),
        text.rpartition(":"),
        text.splitlines(),
    ]
    tests = [
        text.startswith((" a", "[")),
        text.endswith("]"),
        text.isascii(),
        "6" in text,
        text.count("1"),
        text.find("b"),
    ]
    made = [text.upper(), text.lower(), text.replace(":", "-"), text.replace("1", "x", 1), "-".join(text), len(text)]
    return [
        *stripped,
        *split,
        *tests,
        *made,
        text[1:],
        text[:-1],
        text[::-1],
        text[-1],
        text[2],
        text.removeprefix(" a"),
    ]


@case(("[6:4]1:1",), ("none",))
def patterns(text):
    first = PAIR.search(text)
    shown = PAIR.sub(lambda found: f"<{found[1]}>", text)
    return [
        PAIR.findall(text),
        first[0] if first else "",
        first.groups() if first else [],
        shown,
        re.split("[:4]", text),
    ]


@case((1,), (2,), (1.5,))
def messages(n):
    tiles = count("one tile", "{number} tiles", n)
    sentence = say("{name} lays {tiles}", name=GREETING.arguments["name"], tiles=tiles)
    both = joined(", ", [sentence, "", GREETING])
    return [
        sentence,
        both,
        word(both),
        both.template,
        isinstance(both, str),
        both == str(both),
        both[:4],
        isinstance(tiles, Message),
    ]


# --- collections --------------------------------------------------------------------------------


@case(([3, 1, 2],), ([],))
def lists(values):
    first, *rest = [0, *values]
    *most, last = [*values, 9]
    copy = values.copy()
    copy.append(4)
    copy += [5]
    copy.extend(values)
    copy.sort(key=lambda value: -value)
    copy[0], copy[-1] = copy[-1], copy[0]
    copy[1] += 10
    ranked = sorted(values, reverse=True), sorted(values, key=lambda value: (value % 2, value))
    found = copy.index(5) if 5 in copy else None
    return [
        first,
        rest,
        most,
        last,
        copy,
        ranked,
        values + rest,
        copy[1:3],
        copy[::-2],
        found,
        len(copy),
        copy.count(4),
        copy.pop(0),
        copy,
    ]


@case((2,), (0,))
def loops(n):
    squares = [i * i for i in range(6) if i % 2 if i > n]
    pairs = [(a, b) for a in range(3) for b in range(a) if a + b]
    by_name = {name: number for number, name in enumerate("abc", 1)}
    total, index = 0, 0
    while True:
        index += 1
        if index == 3:
            continue
        if index > 5:
            break
        total += index
    lazy = (i for i in [1, 2, 3] if i > n)
    seen = [next(lazy), next(lazy, None), next(lazy, "none")]
    made = [
        list(zip("ab", [1, 2], strict=True)),
        list(map(str, squares)),
        list(filter(None, [0, n, 3])),
        list(reversed([1, 2])),
    ]
    tests = [
        any(i > 2 for i in squares),
        all(squares),
        sum(squares),
        max((i for i in squares), default=-1),
        min("ba", key=ord),
    ]
    orders = list(combinations("abc", 2)), list(permutations("abc"))
    rest = [list(takewhile(lambda i: i < 2, range(5))), *orders, list(product([1], [2, 3]))]
    return [squares, pairs, by_name, total, seen, made, tests, rest, functools.reduce(lambda a, b: a * b, [1, 2, 3], 1)]


@case(("one",), ("three",))
def dicts(name):
    known = {**WORDS, "more": 4, (1, 2): 5}
    known[name] = known.get(name, 0) + 1
    known.setdefault("list", []).append(1)
    merged = known | {"one": -1}
    counted: dict[Any, int] = {}
    for kind in [(1, 2), (2, 1), (1, 2), 1, True]:
        counted[kind] = counted.get(kind, 0) + 1
    items = [[str(key), value] for key, value in counted.items()]
    unique = {1, 2} | {2, 3} - {3} & {3, 4}
    held = list(map(frozenset.__contains__, [frozenset({1}), frozenset({2})], (1, 1)))
    apart = [unique.isdisjoint((3, 4)), unique.isdisjoint([2])]
    return [
        [key for key in known if isinstance(key, str)],
        list(merged.values()),
        counted[1, 2],
        items[-1][1],
        sorted(unique),
        name in known,
        len(known),
        dict(a=1),  # noqa: C408
        known.pop("more"),
        *held,
        *apart,
    ]


@case()
def arrays():
    row = TABLE[1].copy()
    row[:] = 7
    row[0], row[1] = 1, 2
    zeros = np.zeros(3, np.int8)
    zeros[1] = 5
    return [int(TABLE[1, 2]), row.tolist(), np.flatnonzero(zeros).tolist(), zeros.tolist()]


# --- functions and classes ------------------------------------------------------------------------


def keywords(first, second=2, *others, third=3, **more):
    return [first, second, list(others), third, dict(more)]


def plain_keywords(first, second=2, *, third=3):
    return [first, second, third]


@case()
def calls():
    options = {"third": 4, "fifth": 5}
    values = [1, 2]
    spread = [keywords(*values, **options), plain_keywords(*values), plain_keywords(1, third=9)]
    return [keywords(1, third=0), keywords(1, 2, 3, sixth=6), *spread, (lambda *rest: list(rest))(1, 2)]


def counting(most: int) -> Iterator[int]:
    number = 0
    while number < most:
        sent = number
        yield sent
        number += 1
    yield from (10, 11)


@case((2,))
def closures(n):
    total = 0

    def add(more):
        nonlocal total
        total += more
        return total

    steps = [add(i) for i in range(n + 2)]
    later = [function() for function in [lambda: n, lambda: n + 1]]
    return [steps, total, later, list(counting(n)), [*counting(0)]]


class Point(NamedTuple):
    x: int
    y: int = 5

    @property
    def both(self):
        return self.x + self.y

    def moved(self, by, *, twice=False):
        return self._replace(x=self.x + by * (1 + twice))


@dataclasses.dataclass(frozen=True)
class Tile:
    high: int
    low: int = 1
    marks: tuple[int, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "marks", tuple(self.marks))
        if self.high < self.low:
            raise ValueError(f"{self.high} is less than {self.low}")

    @classmethod
    def double(cls, number):
        return cls(number, number)

    @property
    def name(self):
        return f"[{self.high}:{self.low}]"


class Base:
    unit = "chips"
    levels: ClassVar = {"low": 1}

    def __init__(self, value):
        self.value, self.asked = value, 0

    @functools.cached_property
    def doubled(self):
        self.asked += 1
        return 2 * self.value

    def words(self, *, loud=False):
        return f"{self.value} {self.unit}" + "!" * loud

    @staticmethod
    def of(value):
        return value + 1


class Derived(Base):
    unit = "points"

    def words(self, *, loud=False):
        return "<" + super().words(loud=loud) + ">"

    @property
    def top(self):
        return super().doubled + 1


KNOWN = Tile(6, 4, (1,))


@case((3,))
def classes(n):
    point, tile, derived = Point(n), Tile(6, n), Derived(n)
    x, y = point
    moved = point.moved(2, twice=True)
    named = {Tile(6, 3): "a", KNOWN: "b"}.get(tile, "none")
    parts = [point.both, x, y, list(moved), point == (3, 5), moved > point, tile == Tile(6, 3), tile.name, named]
    more = [
        dataclasses.replace(tile, low=2).name,
        Tile.double(2).name,
        KNOWN.name,
        len(KNOWN.marks),
        list(map(derived.words, [])),
    ]
    return [
        *parts,
        *more,
        derived.words(loud=True),
        derived.top,
        derived.doubled,
        derived.asked,
        derived.of(1),
        Base.levels["low"],
    ]


@case(("5",), ("x",), ("",))
def errors(text):
    try:
        if not text:
            raise ValueError(say("{what} is missing", what="text"))
        number = int(text)
    except ValueError as error:
        number = -1 if text else str(error)
    try:
        return [number, Tile(1, 2).name]
    except (KeyError, ValueError) as error:
        return [number, str(error)]
    finally:
        number = 0


@case((4,))
def walrus(n):
    if (half := n // 2) > 1 and [last := i for i in range(n)]:
        return [half, last, [double for i in range(n) if (double := 2 * i) > 2]]
    return []


@case((0,))
def names(default):
    """Names that JavaScript keeps for itself."""
    new, function, let, delete = default, 1, 2, 3
    count = [new, function, let, delete]
    return [count, len(count), {"class": default}["class"]]


@needs_node
def test_every_construct_does_the_same_in_javascript(tmp_path):
    module = Translation().of({name: function for name, (function, _) in CASES.items()})
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    (tmp_path / "runtime.js").write_text(RUNTIME.read_text("utf-8"), "utf-8")
    (tmp_path / "cases.js").write_text(f'import * as $ from "./runtime.js";\n{module}', "utf-8")
    (tmp_path / "main.js").write_text(
        'import * as cases from "./cases.js";\n'
        f"const given = {json.dumps({name: arguments for name, (_, arguments) in CASES.items()})};\n"
        "const attempt = (name, one) => { try { return cases[name](...one); } catch (error) { return error.stack; } };"
        "const done = Object.keys(given).map((name) => given[name].map((one) => attempt(name, one)));"
        "console.log(JSON.stringify(done));\n",
        "utf-8",
    )
    done = subprocess.run(
        ["node", tmp_path / "main.js"], capture_output=True, check=False, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    for (name, (function, given)), theirs in zip(CASES.items(), json.loads(done.stdout), strict=True):
        ours = json.loads(json.dumps([function(*json.loads(json.dumps(arguments))) for arguments in given]))
        for arguments, one, other in zip(given, ours, theirs, strict=True):
            assert other == one, f"{name}{arguments}: {other}"


def unsupported(n):
    with open(n) as file:
        return file


def unknown_function(n):
    return math.gamma(n)


def imports(n):
    from math import floor

    return floor(n)


def for_else(n):
    for i in range(n):
        if i:
            break
    else:
        return 1
    return 0


@pytest.mark.parametrize(
    ("function", "line", "why"),
    [
        (unsupported, 1, "With cannot be translated"),
        (imports, 1, "ImportFrom cannot be translated"),
        (unknown_function, 1, "gamma is not in the runtime"),
        (for_else, 1, "else of For cannot be translated"),
    ],
)
def test_what_cannot_be_translated_is_refused_with_its_place(function, line, why):
    with pytest.raises(RefusedError, match=rf"test_translation.py:{function.__code__.co_firstlineno + line}: {why}"):
        Translation().of({"function": function})


@needs_node
@pytest.mark.parametrize("game", ["jie-long", "da-ling"])
def test_people_are_told_the_same_in_a_browser(game, tmp_path):
    numbers, _ = tool("both_ways").compare(GAMES[game], 20, 5, tmp_path, modules=modules_of(game))
    assert numbers == [20, 20]
