"""Python translated into JavaScript, so that a page in a browser says the very words that are said here.

A translation starts from live objects and follows what they reach. Of the project's functions and classes it translates
the source; the values that these read (tables, moves, texts) are written as data, as they are now; what Python itself,
numpy and other libraries bring is in `runtime.js`, by the same names. Only what is reached is written: of a class and
of a record those members whose names translated code mentions.

What cannot be translated is refused, with its file and line.
"""

import ast
import builtins
import dataclasses
import functools
import json
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from gupai_env.messages import TRANSLATIONS, Message

RUNTIME = Path(__file__).parent / "runtime.js"
EXPORTED = frozenset(
    re.findall(r"^export (?:const |class |function\*? |\{ \w+ as )(\w+)", RUNTIME.read_text("utf-8"), re.MULTILINE)
)
"""What the runtime has; methods of Python's strings, lists and numbers with "_" before their names."""
LIBRARIES = sys.stdlib_module_names | {"builtins", "numpy", "markupsafe"}
RESERVED = frozenset(
    re.findall(
        r"\w+",
        "arguments await break case catch class const continue debugger default delete do else enum eval export "
        "extends false finally for function if implements import in instanceof interface let new null package private "
        "protected public return static super switch this throw true try typeof undefined var void while with yield",
    )
)
OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift",
}  # fmt: skip
SIGNS = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "$.invert"}
COMPARISONS: dict[type, str] = {
    ast.Lt: "$.lt({0}, {1})", ast.LtE: "$.le({0}, {1})", ast.Gt: "$.lt({1}, {0})", ast.GtE: "$.le({1}, {0})",
    ast.Eq: "$.eq({0}, {1})", ast.NotEq: "!$.eq({0}, {1})", ast.Is: "({0} === {1})", ast.IsNot: "({0} !== {1})",
    ast.In: "$.contains({1}, {0})", ast.NotIn: "!$.contains({1}, {0})",
}  # fmt: skip
TRUTHS = {"all", "any", "bool", "callable", "hasattr", "isinstance"}  # functions that return nothing but truth values
READ_AT_ONCE = {"dict", "frozenset", "join", "list", "max", "min", "set", "sorted", "sum", "tuple"}  # to the end
LACKING = {*dir(str), *dir(list)} - {name[1:] for name in EXPORTED} - {*dir(dict), *dir(set)}
SPECIAL = {"__init__", "__post_init__", "__call__", "__str__"}  # methods that are called without their names
SAFE = 2**53  # whole numbers below it are numbers in JavaScript, others are of the type BigInt
LITERALS = (str, int, float, types.NoneType)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)
MISSING = object()  # no value known before the code runs
NOTHING = "$."  # stands for what is not written at all


class RefusedError(ValueError):
    """What cannot be translated, each in a line with its place."""


@functools.cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text("utf-8"))


@functools.cache
def source_of(code: types.CodeType) -> ast.FunctionDef | ast.Lambda:
    """Return the source of a function or lambda."""
    nodes = [node for node in ast.walk(_tree(code.co_filename)) if isinstance(node, FUNCTIONS)]
    if code.co_name != "<lambda>":
        named = (node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == code.co_name)
        first = code.co_firstlineno  # that of the first decorator, if there are any
        return next(node for node in named if first in (node.lineno, *(part.lineno for part in node.decorator_list)))
    spans = set(code.co_positions())
    bodies = [node for node in nodes if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]
    return next(
        node
        for node in bodies
        if len(bodies) == 1
        or (node.body.lineno, node.body.end_lineno, node.body.col_offset, node.body.end_col_offset) in spans
    )


def place_of(code: types.CodeType, line: int = 0) -> str:
    """Return file and line of some code, such as "gupai_env/core/scene.py:12"."""
    path = Path(code.co_filename)
    folder = next(place for place in path.parents if not (place / "__init__.py").exists())
    return f"{path.relative_to(folder).as_posix()}:{line or code.co_firstlineno}"


def quoted(text: str) -> str:
    """Return a text as JavaScript writes it, which ends no script in a page."""
    return json.dumps(text, ensure_ascii=False).replace("</", "<\\/").replace("\u2028", "\\u2028")


def _members(texts: Mapping[str, str]) -> str:
    """Return an object of JavaScript, its members being written already."""
    named = ((name if name.isidentifier() else quoted(name), text) for name, text in texts.items())
    return f"{{{', '.join(name if name == text else f'{name}: {text}' for name, text in named)}}}"


def _unwrapped(value: Any) -> Any:
    """Return the function of a property, a method of a class or a cached function; other values as they are."""
    while not isinstance(value, types.FunctionType | type):
        inner = next((getattr(value, name) for name in ("fget", "func", "__wrapped__") if hasattr(value, name)), None)
        if inner is None:
            return value
        value = inner
    return value


def _is_cached(value: Any) -> bool:
    return isinstance(value, functools._lru_cache_wrapper)


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all in it, but not what is in functions and not what comprehensions bind."""
    yield node
    for child in () if isinstance(node, FUNCTIONS) else ast.iter_child_nodes(node):
        if not (isinstance(node, ast.comprehension) and child is node.target):
            yield from _inner(child)


class Translation:
    """A module of JavaScript.

    Attributes:
        mentioned: What its code mentions, by which it is known what must be written: kinds and names. The kinds are
            "attribute"; "method"; "class", an attribute that holds a class; "keywords", a function that is called with
            keywords; "text", a string, in which a null character stands for what is put into it.
        seam: What is not translated, by its name, "gupai_env.core.game.Game.guide". A function or method may be the
            name of what stands for it in JavaScript, "engine.step"; a function of one argument or none a list of the
            arguments for which it is called, so that its results are data; a property a function of the record whose
            result is its data; and anything in a class NOTHING, so that it is not written.
        instead: What is written instead of other objects, by the numbers of these, `id`; a string is a name in
            JavaScript.
    """

    def __init__(self, seam: Mapping[str, Any] | None = None, instead: Sequence[tuple[Any, Any]] = ()) -> None:
        """Begin a module; instead: pairs of an object and what is written in its place."""
        self.seam, self.mentioned = {**(seam or {})}, set[tuple[str, str]]()
        self.instead = {id(value): (other, value) for value, other in instead}

    @property
    def texts(self) -> set[str]:
        """All strings in it."""
        return {name for kind, name in self.mentioned if kind == "text"}

    def mention(self, kind: str, *names: str) -> None:
        """Note what translated code mentions."""
        self.mentioned.update((kind, name) for name in names)

    def of(self, roots: Mapping[str, Any]) -> str:
        """Return the module that exports some objects, with all that they reach; raises RefusedError."""
        size = -1
        while size != len(self.mentioned):  # what is mentioned decides what is written, and that what is mentioned
            size = len(self.mentioned)
            text = self._pass(roots)
        return text

    def _pass(self, roots: Mapping[str, Any]) -> str:
        self.names: dict[Any, str] = {}
        self.taken, self._kept, self._waiting = {*RESERVED}, list[Any](), list[Callable[[], None]]()
        self.classes, self.functions = list[tuple[Any, str]](), list[tuple[Any, str]]()
        self.constants, self.members, refused = list[str](), list[str](), set[str]()
        exported = [f"{self.reference(name, value)} as {name}" for name, value in roots.items()]
        while self._waiting:
            try:
                self._waiting.pop()()
            except RefusedError as error:
                refused.add(str(error))
        if refused:
            raise RefusedError("\n".join(sorted(refused)))
        parts = [text for _, text in (*sorted(self.classes), *sorted(self.functions))]
        return "\n".join([*parts, *self.constants, *self.members, f"export {{ {', '.join(exported)} }};", ""])

    # --- values ---------------------------------------------------------------------------------

    def seam_of(self, value: Any) -> Any:
        """Return what stands for something that is not translated, None for what is."""
        if isinstance(value, types.MethodDescriptorType | types.WrapperDescriptorType):
            bare = value.__name__.strip("_")
            return f"$.{bare if value.__objclass__ in (object, dict) else f'_{bare}'}"
        if callable(value) and (getattr(value, "__module__", "") or "builtins").partition(".")[0] in LIBRARIES:
            prefix = "re_" if getattr(value, "__module__", "") == "re" else ""
            return f"$.{prefix}{value.__name__}" if hasattr(value, "__name__") else None
        bare = _unwrapped(getattr(value, "__func__", value))
        name = f"{getattr(bare, '__module__', '')}.{getattr(bare, '__qualname__', '')}"
        return "$.TRANSLATIONS" if value is TRANSLATIONS else self.seam.get(name)

    def reference(self, name: str, value: Any) -> str:
        """Return the name in JavaScript of what a name stands for here."""
        other, _ = self.instead.get(id(value), (value, None))
        seam, value = (other, value) if isinstance(other, str) and other is not value else (self.seam_of(other), other)
        if isinstance(seam, str):
            if seam.startswith("$.") and seam[2:] not in EXPORTED:
                raise RefusedError(f"{name} is not in the runtime")
            return seam
        key = (name, type(value), value) if isinstance(value, LITERALS) else id(value)
        if key not in self.names:
            self._kept.append(value)  # so that no other value has its id
            function = _unwrapped(value)
            if seam is not None:  # a function whose results are data
                results = self.data({argument: value(argument) for argument in seam} if seam else value())
                self.names[key] = self._constant(name, value, f"$.table({results}, {self.data(bool(seam))})")
            elif isinstance(value, type):
                self.names[key] = js = self._free(value.__name__, value.__module__)
                self._fields(js, value)  # at once, for constants may be such records
                self._waiting.append(functools.partial(self._class, js, value))
            elif isinstance(function, types.FunctionType):
                bare = name if function.__name__ == "<lambda>" else function.__name__
                self.names[key] = js = self._free(bare, function.__module__)
                self._waiting.append(functools.partial(self._function, js, value, function))
            else:
                self.names[key] = self._constant(name, value, self.data(value))
        return self.names[key]

    def _constant(self, name: str, value: Any, text: str) -> str:
        js = self._free(name, type(value).__module__)
        self.constants.append(f"const {js} = {text};")
        return js

    def _free(self, name: str, module: str) -> str:
        """Return a name that nothing else has, with that of its module if need be."""
        owners = [f"{owner}_{name}" for owner in reversed(module.split("."))]
        js = next((js for js in (name, *owners) if js not in self.taken), f"{name}_{len(self.taken)}")
        self.taken.add(js)
        return js

    def data(self, value: Any) -> str:
        """Return a value as JavaScript writes it."""
        match value:
            case Message():
                made = _unwrapped(sys.modules[Message.__module__]._made)
                parts = [str.__str__(value), value.template, value.arguments, value.many, value.context]
                return f"{self.reference('_made', made)}({', '.join(map(self.data, parts))})"
            case str():
                self.mention("text", value)
                return quoted(value)
            case np.generic() | np.ndarray():
                return self.data(value.tolist())
            case None | bool():
                return {None: "null", True: "true", False: "false"}[value]
            case int():
                return str(value) if abs(value) < SAFE else f"{value}n"
            case float():
                return str(value).replace("inf", "Infinity").replace("nan", "NaN")
            case tuple() if hasattr(value, "_fields"):
                return f"new {self.reference('', type(value))}({', '.join(map(self.data, value))})"
            case tuple() | list():
                return f"[{','.join(map(self.data, value))}]"
            case Mapping():
                return f"$.dict({self.data([*value.items()])})"
            case set() | frozenset():
                return f"$.set([{', '.join(sorted(map(self.data, value)))}])"
            case re.Pattern():
                return f"$.re_compile({quoted(value.pattern)}, {int(value.flags & re.IGNORECASE)})"
            case np.dtype():
                return f"{{names: {self.data(value.names)}}}"
            case types.ModuleType():
                return self._module(value)
            case types.FunctionType(__name__="<lambda>"):
                return Function(self, value).text()
        if callable(value) and not dataclasses.is_dataclass(type(value)):
            return self.reference(getattr(value, "__name__", "function"), value)
        if type(value).__module__.partition(".")[0] in LIBRARIES:
            raise RefusedError(f"{type(value).__name__} cannot be written as data")
        return self.names.get(id(value)) or self._record(value)

    def _module(self, module: types.ModuleType) -> str:
        """Return what code asks a module for while it runs: classes, by `getattr`, and constants."""
        has, texts = vars(module), self.texts
        names = [name for name in has if isinstance(has[name], type) and name in texts]
        names += [name for name in has if name.isupper() and ("attribute", name) in self.mentioned]
        return _members({name: self.reference(name, has[name]) for name in names})

    def _record(self, value: Any) -> str:
        """Return an object with those of its attributes that are mentioned."""
        kind, has = type(value), vars(value)
        usual = {name: field.default for name, field in getattr(kind, "__dataclass_fields__", {}).items()}
        members = {name: member for base in kind.__mro__ for name, member in vars(base).items()}
        seams = {name: self.seam_of(member) for name, member in members.items()}
        place = f"{kind.__module__}.{kind.__qualname__}"
        made = {name: seam(value) for name, seam in seams.items() if callable(seam)}
        written = {name: entry for name, entry in has.items() if self.seam.get(f"{place}.{name}") != NOTHING}
        texts = {name: entry for name, entry in {**written, **made}.items() if self.writes(members.get(name), name)}
        self.mention("class", *(name for name, entry in texts.items() if isinstance(entry, type)))
        changed = {name: self.data(entry) for name, entry in texts.items() if usual.get(name, MISSING) is not entry}
        return f"$.record({self.reference('', kind)}, {_members(changed)})"

    def writes(self, member: Any, name: str) -> bool:
        """Return whether a member of a class or record is written."""
        mentioned = ("attribute", name) in self.mentioned and not name.startswith("__")
        return (mentioned or name in SPECIAL) and self.seam_of(member) != NOTHING

    # --- functions and classes ------------------------------------------------------------------

    def _function(self, js: str, value: Any, function: types.FunctionType) -> None:
        code, is_lambda = function.__code__, function.__name__ == "<lambda>"
        text = Function(self, function).text("" if is_lambda else f"function {js}")
        text = (
            f"const {js} = {f'$.cache({text})' if _is_cached(value) else text};"
            if _is_cached(value) or is_lambda
            else text
        )
        self.functions.append(((function.__module__, code.co_firstlineno, js), f"// {place_of(code)}\n{text}"))
        self._parameters(js, function, 0)

    def _parameters(self, js: str, function: types.FunctionType, skipped: int) -> None:
        """Note the names of parameters for calls with keywords: by position, and only by keyword."""
        if ("keywords", function.__name__) in self.mentioned:
            code = function.__code__
            last = code.co_argcount + code.co_kwonlyargcount
            names = code.co_varnames[skipped : code.co_argcount], code.co_varnames[code.co_argcount : last]
            more = bool(code.co_flags & CO_VARARGS), bool(code.co_flags & CO_VARKEYWORDS)
            self.members.append(f"$.named({', '.join([js, *map(self.data, names + more)])});")

    def _class(self, js: str, kind: type) -> None:
        bases = [base for base in (object, *kind.__bases__) if base is not tuple]
        plain = "$.Named" if hasattr(kind, "_fields") else "$.Data" if dataclasses.is_dataclass(kind) else "$.Obj"
        extends = plain if bases[-1] is object else "String" if bases[-1] is str else self.reference("", bases[-1])
        fields = {field.name for field in dataclasses.fields(kind)} if plain == "$.Data" else ()
        lines, data = list[str](), dict[str, str]()
        for name, value in vars(kind).items():
            function = _unwrapped(value)
            seam = self.seam_of(value)
            if name in fields or not self.writes(value, name):
                continue
            if seam:
                data |= {name: seam} if isinstance(seam, str) and not seam.startswith("$.") else {}
            elif isinstance(function, types.FunctionType) and Path(function.__code__.co_filename).exists():
                lines += [f"  {line}" for line in self._method(js, name, value, function).split("\n")]
            elif not hasattr(value, "__get__"):
                self.mention("class", *[name] * isinstance(value, type))
                data[name] = self.data(value)
        place = kind.__module__.replace(".", "/")
        text = "\n".join([f"// {place}.py", f"class {js} extends {extends} {{", *lines, "}"])
        self.classes.append(((len(kind.__mro__), kind.__module__, js), text))
        self.members += [f"$.attributes({js}, {_members(data)});"] if data else []

    def _fields(self, js: str, kind: type) -> None:
        """Note the fields of a named tuple or dataclass: name, default, metadata."""
        usual: dict[str, Any] = getattr(kind, "_field_defaults", {})
        fields: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in getattr(kind, "_fields", ())]
        if "__dataclass_fields__" in vars(kind):
            fields = [(field.name, field.metadata) for field in dataclasses.fields(kind) if field.init]
            usual = {field.name: field.default for field in dataclasses.fields(kind)}
        texts = []
        for name, metadata in fields:
            default = usual.get(name, dataclasses.MISSING)
            others = {key: value for key, value in metadata.items() if ("text", key) in self.mentioned}
            given = [self.data(name), "undefined" if default is dataclasses.MISSING else self.data(default)]
            texts.append(f"[{', '.join([*given, *([self.data(others)] if others else [])])}]")
        self.constants += [f"$.fields({js}, [{', '.join(texts)}]);"] if fields else []

    def _method(self, js: str, name: str, value: Any, function: types.FunctionType) -> str:
        """Return a method or property."""
        if isinstance(value, property | functools.cached_property):
            once = name if isinstance(value, functools.cached_property) else ""
            return Function(self, function).text(f"get {name}", me=True, once=once)
        static, cached = isinstance(value, staticmethod | classmethod), _is_cached(getattr(value, "__func__", None))
        self.mention("method", name)
        self.members += [f"$.statics({js}, {quoted(name)});"] if static else []
        me = not isinstance(value, staticmethod)
        self._parameters(f"{js}.{name}" if static else f"{js}.prototype.{name}", function, int(me))
        return Function(self, function).text(f"{'static ' * static}{name}", me=me, once=f"${name}" * cached)


class Function:
    """The translation of one function or lambda."""

    def __init__(self, translation: Translation, function: types.FunctionType) -> None:
        """Prepare to translate a function as it is now, with its defaults and what it closes over."""
        self.translation, self.function, self.code = translation, function, function.__code__
        self.source, self.mention = source_of(self.code), translation.mention
        cells = zip(self.code.co_freevars, function.__closure__ or (), strict=True)
        self.live = {name: cell.cell_contents for name, cell in cells if name != "__class__"}

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """Refuse what cannot be translated."""
        raise RefusedError(f"{place_of(self.code, getattr(node, 'lineno', 0))}: {why}")

    def text(self, head: str = "", *, me: bool = False, once: str = "") -> str:
        """Return the function.

        Args:
            head: What stands before the parameters, "" for an arrow.
            me: Whether the first parameter is the object or class whose method it is.
            once: The name under which its result is kept, if it is computed once.
        """
        values, named = self.function.__defaults__ or (), self.function.__kwdefaults__ or {}
        names = self.code.co_varnames[self.code.co_argcount - len(values) : self.code.co_argcount]
        usual = {**dict(zip(names, values, strict=True)), **named}
        avoided: set[str] = set()
        while True:  # a variable whose name stands for something else outside gets another one
            self.scopes, self.used, self.avoided = list[dict[str, str]](), set[str](), avoided
            self.own: set[str] = set()
            given = {name: self.translation.data(value) for name, value in usual.items()}
            text = "\n".join(self._function(self.source, head, given, me=me, once=once))
            if not self.used & self.own - avoided:
                return text
            avoided = avoided | (self.used & self.own)

    def _function(
        self,
        node: ast.FunctionDef | ast.Lambda,
        head: str,
        usual: Mapping[str, str],
        *,
        me: bool = False,
        once: str = "",
    ) -> list[str]:
        """Return the lines of a function; usual: its defaults."""
        given = node.args
        names, only = [part.arg for part in given.posonlyargs + given.args], [part.arg for part in given.kwonlyargs]
        rest, more = (part.arg if part else "" for part in (given.vararg, given.kwarg))
        scope = self._scope([*names, *only, *filter(None, [rest, more])])
        order = [scope[name] + (f" = {usual[name]}" if name in usual else "") for name in [*names, *only][int(me) :]]
        # Where there are keywords besides, what takes any values is a list, and what takes any keywords the last one.
        order += [("" if only or more else "...") + scope[rest]] if rest else []
        order += [f"{scope[more]} = $.dict()"] if more else []
        if isinstance(node, ast.Lambda):
            lines = [f"({', '.join(order)}) => {self.expression(node.body)}"]
            self.scopes.pop()
            return lines
        parts = [part for statement in node.body for part in _inner(statement)]
        stored = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        stored |= {part.name for part in parts if isinstance(part, ast.FunctionDef | ast.ExceptHandler) and part.name}
        outer = {name for part in parts if isinstance(part, ast.Nonlocal) for name in part.names}
        own = self._scope(sorted(stored - outer - {*scope}))
        lines = [f"  let {', '.join(own.values())};"] * bool(own) + self.block(node.body)
        if once:
            lines = [
                f"  return $.once({scope[names[0]]}, {quoted(once)}, () => {{",
                *(f"  {line}" for line in lines),
                "  });",
            ]
        if me and any(re.search(rf"\b{scope[names[0]]}\b", line) for line in lines):
            lines = [f"  const {scope[names[0]]} = this;", *lines]
        del self.scopes[-2:]
        star = "*" * any(isinstance(part, ast.Yield | ast.YieldFrom) for part in parts)
        head = head or f"function{star}" * bool(star)
        named = re.sub(r"^(function |static |)(?=\w+$)", rf"\g<1>{star}", head)
        return [f"{named}({', '.join(order)}) {'' if named else '=> '}{{", *lines, "}"]

    # --- names ----------------------------------------------------------------------------------

    def _scope(self, names: Iterable[str]) -> dict[str, str]:
        """Open a scope with some variables; return their names in JavaScript."""
        self.scopes.append({name: f"{name}_" if name in RESERVED | self.avoided else name for name in names})
        self.own.update(self.scopes[-1].values())
        return self.scopes[-1]

    def _local(self, name: str) -> str | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def static(self, node: ast.expr) -> Any:
        """Return what an expression stands for, as far as it is known before the code runs; else MISSING."""
        match node:
            case ast.Name(name) if self._local(name) is None:
                places = (self.live, self.function.__globals__, vars(builtins))
                return next((place[name] for place in places if name in place), MISSING)
            case ast.Attribute(owner, name) if isinstance(known := self.static(owner), types.ModuleType | type):
                return getattr(known, name, MISSING)
            case ast.Subscript(kind) if isinstance(known := self.static(kind), type):
                return known  # list[str]
        return MISSING

    def _refer(self, node: ast.Name | ast.Attribute) -> str:
        """Return the name of what is known before the code runs."""
        name = node.id if isinstance(node, ast.Name) else node.attr
        if (value := self.static(node)) is MISSING:
            self.refuse(node, f"{name} is not known")
        try:
            js = self.translation.reference(name, value)
        except RefusedError as error:
            self.refuse(node, str(error))
        self.used.add(js.partition(".")[0])
        return js

    def _attribute(self, node: ast.Attribute, *, called: bool = False) -> str:
        owner = self.static(node.value)
        if isinstance(owner, types.ModuleType) or (isinstance(owner, type) and owner.__module__ == "builtins"):
            return self._refer(node)
        self.mention("attribute", node.attr)
        text = self._owner(node.value)
        if ("method", node.attr) in self.translation.mentioned and not called and isinstance(node.ctx, ast.Load):
            return f"$.bound({text}, {quoted(node.attr)})" if text != "super" else f"super.{node.attr}"
        return f"{text}.{'name' if node.attr == '__name__' else node.attr}"

    def _owner(self, node: ast.expr) -> str:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
            return "super"
        text = self.expression(node)
        return f"({text})" if isinstance(node, ast.UnaryOp | ast.Constant) else text

    # --- expressions ----------------------------------------------------------------------------

    def expression(self, node: ast.expr | None) -> str:
        """Return an expression."""
        match node:
            case None:
                return "undefined"
            case ast.Constant(value) if isinstance(value, LITERALS):
                return self.translation.data(value)
            case ast.Name(name):
                return self._local(name) or self._refer(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript(owner, ast.Slice(low, high, step)):
                return f"$.slice({self._all([owner, low, high, step])})"
            case ast.Subscript(owner, index):
                known = self.static(node) is not MISSING
                return self.expression(owner) if known else f"$.at({self._all([owner, index])})"
            case ast.JoinedStr(parts):
                self.mention(
                    "text", "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in parts)
                )
                return f"`{''.join(map(self._part, parts))}`"
        return self._operation(node)

    def _operation(self, node: ast.expr) -> str:
        """Return what operators make."""
        match node:
            case ast.BinOp(left, operator, right):
                return f"$.{OPERATORS[type(operator)]}({self._all([left, right])})"
            case ast.UnaryOp(ast.Not(), operand):
                return f"!{self.condition(operand)}"
            case ast.UnaryOp(operator, operand):
                return f"{SIGNS[type(operator)]}({self.expression(operand)})"
            case ast.BoolOp(operator, [first, *others]):
                other = others[0] if len(others) == 1 else ast.BoolOp(operator, others)
                name = "both" if isinstance(operator, ast.And) else "either"
                return f"$.{name}({self.expression(first)}, () => {self.expression(other)})"
            case ast.Compare(left, [operator], [right]):
                return COMPARISONS[type(operator)].format(self.expression(left), self.expression(right))
            case ast.Compare(left, [operator, *operators], [middle, *others]):
                self._scope([name := f"$middle{len(self.scopes)}"])  # which is computed once
                once = ast.Name(name, ast.Load())
                first, other = ast.Compare(left, [operator], [once]), ast.Compare(once, operators, others)
                both = f"(({name}) => {self.expression(first)} && {self.expression(other)})"
                self.scopes.pop()
                return f"{both}({self.expression(middle)})"
            case ast.IfExp(test, body, other):
                return f"({self.condition(test)} ? {self.expression(body)} : {self.expression(other)})"
            case ast.NamedExpr(target, value):
                return f"({self.expression(target)} = {self.expression(value)})"
            case ast.Starred(value):
                return f"...{self.expression(value)}"
        return self._display(node)

    def _display(self, node: ast.expr) -> str:
        """Return a collection, a comprehension or a function."""
        match node:
            case ast.List(parts, context) | ast.Tuple(parts, context):
                return f"[{self._all(parts, bound=isinstance(context, ast.Store))}]"
            case ast.Set(parts):
                return f"$.set([{self._all(parts)}])"
            case ast.Dict(keys, values):
                pairs = zip(keys, values, strict=True)
                entries = [
                    f"[{self._all(pair)}]" if pair[0] else f"...{self._owner(pair[1])}.items()" for pair in pairs
                ]
                return f"$.dict([{', '.join(entries)}])"
            case ast.Lambda(arguments):
                if arguments.defaults or arguments.kwonlyargs:
                    self.refuse(node, "a function within another one cannot have defaults")
                return self._function(node, "", {})[0]
            case ast.ListComp(value, loops):
                return self._comprehension(loops, value, "each")
            case ast.GeneratorExp(value, loops):
                return self._comprehension(loops, value, "lazily")
            case ast.SetComp(value, loops):
                return f"$.set({self._comprehension(loops, value, 'each')})"
            case ast.DictComp(key, value, loops):
                return f"$.dict({self._comprehension(loops, ast.Tuple([key, value], ast.Load()), 'each')})"
            case ast.Yield(value):
                return f"(yield {self.expression(value)})"
            case ast.YieldFrom(value):
                return f"(yield* {self.expression(value)})"
            case ast.Call():
                return self._call(node)
        return self.refuse(node, f"{type(node).__name__} cannot be translated")

    def condition(self, node: ast.expr) -> str:
        """Return an expression whose truth alone matters."""
        match node:
            case ast.BoolOp(operator, parts):
                joint = " && " if isinstance(operator, ast.And) else " || "
                return f"({joint.join(map(self.condition, parts))})"
            case ast.Compare() | ast.UnaryOp(ast.Not()):
                return self.expression(node)
            case ast.Call(ast.Name(name)) if name in TRUTHS:
                return self.expression(node)
        return f"$.truth({self.expression(node)})"

    def _all(self, nodes: Iterable[ast.expr | None], *, bound: bool = False) -> str:
        """Return expressions; bound: whether they are set, a "_" excepted."""
        texts = [
            "" if bound and isinstance(node, ast.Name) and node.id == "_" else self.expression(node) for node in nodes
        ]
        return re.sub("(, undefined)+$", "", ", ".join(texts))

    def _part(self, node: ast.expr) -> str:
        """Return a part of an f-string."""
        match node:
            case ast.FormattedValue(value, conversion, spec):
                text = f"$.repr({self.expression(value)})" if conversion == ord("r") else self.expression(value)
                return f"${{$.format({text}, {self.expression(spec)})}}" if spec else f"${{$.str({text})}}"
            case ast.Constant(text):
                return re.sub(r"`|\$\{", r"\\\g<0>", quoted(text)[1:-1].replace('\\"', '"'))
        return self.refuse(node, f"{type(node).__name__} cannot be translated")

    def _comprehension(self, loops: Sequence[ast.comprehension], value: ast.expr, name: str) -> str:
        first, *others = loops
        iterated = self.expression(first.iter)
        self._scope(sorted(part.id for part in ast.walk(first.target) if isinstance(part, ast.Name)))
        target, tests = self.expression(first.target), " && ".join(map(self.condition, first.ifs))
        inner = self._comprehension(others, value, name) if others else self.expression(value)
        self.scopes.pop()
        more = f", ({target}) => {tests}" if tests else ""
        return f"$.{name}{'_flat' if others else ''}({iterated}, ({target}) => {inner}{more})"

    # --- calls ----------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> str:
        function, value = node.func, self.static(node.func)
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in ("getattr", "hasattr", "setattr", "__setattr__"):
            named = (part.value for part in node.args if isinstance(part, ast.Constant))
            self.mention("attribute", *(text for text in named if isinstance(text, str)))
        if name in READ_AT_ONCE and len(node.args) == 1 and isinstance(listed := node.args[0], ast.GeneratorExp):
            node.args = [ast.copy_location(ast.ListComp(listed.elt, listed.generators), listed)]
        given, words = f"[{self._all(node.args)}]", self._words(node.keywords)
        if value is not MISSING:
            js = (
                self._attribute(function, called=True)
                if isinstance(function, ast.Attribute)
                else self.expression(function)
            )
            return self._known(value, js, given, words)
        if not isinstance(function, ast.Attribute):  # of a class, if there are keywords: its fields have names
            callee = self.expression(function)
            return (
                f"$.invoke({callee}, {given}, {words})"
                if words
                else f"$.call({', '.join(filter(None, [callee, given[1:-1]]))})"
            )
        self.mention("attribute", name)
        owner = self._owner(function.value)
        if f"_{name}" in EXPORTED and owner != "super":
            return f"$._{name}({', '.join(filter(None, [owner, given[1:-1], words]))})"
        if name in LACKING and ("method", name) not in self.translation.mentioned:
            self.refuse(node, f"{name} is not in the runtime")
        if words:
            self.mention("keywords", name)
            if owner == "super":
                return f"$.invoke(super.{name}, {given}, {words}, this)"
            return f"$.send({owner}, {quoted(name)}, {given}, {words})"
        if ("class", name) in self.translation.mentioned:
            return f"$.call({', '.join(filter(None, [f'{owner}.{name}', given[1:-1]]))})"
        return f"{owner}.{name}({given[1:-1]})"

    def _known(self, value: Any, js: str, given: str, words: str) -> str:
        """Return a call of a function or class that is known.

        What takes any number of values and keywords besides is always called by `$.invoke`, which places them.
        """
        function = _unwrapped(value)
        flags = function.__code__.co_flags if isinstance(function, types.FunctionType) else 0
        packed = flags & CO_VARARGS and (flags & CO_VARKEYWORDS or function.__code__.co_kwonlyargcount)
        if (words or packed) and not js.startswith("$."):
            self.mention("keywords", "__init__" if isinstance(value, type) else function.__name__)
            return f"$.invoke({js}, {given}, {words or '{}'})"
        makes = isinstance(value, type) and (not js.startswith("$.") or issubclass(value, BaseException))
        return f"{'new ' * makes}{js}({', '.join(filter(None, [given[1:-1], words]))})"

    def _words(self, keywords: Sequence[ast.keyword]) -> str:
        """Return keywords as an object of JavaScript, "" for none."""
        texts = [(word.arg, self.expression(word.value)) for word in keywords]
        parts = [
            f"...$.words({text})" if name is None else name if name == text else f"{name}: {text}"
            for name, text in texts
        ]
        return f"{{{', '.join(parts)}}}" if parts else ""

    # --- statements -----------------------------------------------------------------------------

    def block(self, nodes: Iterable[ast.stmt]) -> list[str]:
        """Return statements, indented."""
        return [f"  {line}" for node in nodes for line in self.statement(node)]

    def statement(self, node: ast.stmt) -> list[str]:
        """Return the lines of a statement."""
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass() | ast.Nonlocal():
                return []
            case ast.Expr(value):
                return [f"{self.expression(value)};"]
            case ast.Return(value):
                return [f"return {self.expression(value) if value else 'null'};"]
            case ast.Assign(targets, value):
                text = self.expression(value)
                plain = [self.expression(target) for target in targets[:-1]]  # a = b = value
                return self._bind(targets[-1], " = ".join([*plain, text]))
            case ast.AnnAssign(target, _, value):
                return self._bind(target, self.expression(value)) if value else []
            case ast.AugAssign(target, operator, value):
                return self._bind(target, self.expression(ast.copy_location(ast.BinOp(target, operator, value), node)))
            case ast.FunctionDef(name, arguments):
                if arguments.defaults or any(arguments.kw_defaults):
                    self.refuse(node, "a function within another one cannot have defaults")
                first, *lines = self._function(node, "", {})
                return [f"{self._local(name)} = {first}", *lines[:-1], "};"]
            case ast.If(test, body, [ast.If() as other]):
                first, *lines = self.statement(other)
                return [f"if ({self.condition(test)}) {{", *self.block(body), f"}} else {first}", *lines]
            case ast.If(test, body, other):
                lines = ["} else {", *self.block(other)] if other else []
                return [f"if ({self.condition(test)}) {{", *self.block(body), *lines, "}"]
            case ast.While(test, body, []):
                return [f"while ({self.condition(test)}) {{", *self.block(body), "}"]
            case ast.For(target, values, body, []):
                return [f"for ({self.expression(target)} of {self.expression(values)}) {{", *self.block(body), "}"]
            case ast.Break() | ast.Continue():
                return [f"{type(node).__name__.lower()};"]
            case ast.Raise(error):
                return [f"throw {self.expression(error) if error else '$error'};"]
            case ast.Assert(test):
                return [f"$.ensure({self.condition(test)});"]
            case ast.Try(body, handlers, [], last):
                lines = ["try {", *self.block(body), *(self._handlers(handlers) if handlers else [])]
                return [*lines, *(["} finally {", *self.block(last)] if last else []), "}"]
        return self.refuse(
            node, f"{'else of ' * bool(getattr(node, 'orelse', None))}{type(node).__name__} cannot be translated"
        )

    def _handlers(self, handlers: Sequence[ast.ExceptHandler]) -> list[str]:
        lines = ["} catch ($error) {"]
        for handler in handlers:
            kinds = self.expression(handler.type) if handler.type else "$.Exception"
            lines.append(f"  {'} else ' * (handler is not handlers[0])}if ($.isinstance($error, {kinds})) {{")
            lines += [f"    {self._local(handler.name)} = $error;"] if handler.name else []
            lines += [f"  {line}" for line in self.block(handler.body)]
        return [*lines, "  } else throw $error;"]

    def _bind(self, target: ast.expr, value: str) -> list[str]:
        """Return an assignment."""
        match target:
            case ast.Subscript(owner, ast.Slice(low, high)):
                return [f"$.put_slice({value}, {self._all([owner, low, high])});"]
            case ast.Subscript(owner, index):
                return [f"$.put({self._all([owner, index])}, {value});"]
            case ast.Tuple(parts):
                stars = [place for place, part in enumerate(parts) if isinstance(part, ast.Starred)]
                parts = [part.value if isinstance(part, ast.Starred) else part for part in parts]
                if stars and stars[0] < len(parts) - 1:
                    value = f"$.unpacked({value}, {stars[0]}, {len(parts) - 1 - stars[0]})"
                elif not any(isinstance(part, ast.Subscript) for part in parts):
                    return [f"{self.expression(target)} = {value};"]
                lines = [line for place, part in enumerate(parts) for line in self._bind(part, f"$entries[{place}]")]
                return ["{", f"  const $entries = {value};", *(f"  {line}" for line in lines), "}"]
        return [f"{self.expression(target)} = {value};"]
