"""What files may hold: a model for each, checked before anything uses it, and in one line what is wrong.

Programs write JSON (`Stored`): types as they are, and keys that nobody asks for are left out. People write YAML 1.2
(`Written`): mappings, lists, numbers and words, where an unknown key is an error. Anchors and tags are refused, dates
are text. Either is a regular file of a bounded size, and reading it runs no code.
"""

import copy
import functools
import io
import math
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from ruamel.yaml.parser import Parser
from ruamel.yaml.representer import SafeRepresenter
from ruamel.yaml.resolver import VersionedResolver

from gupai_env.messages import joined
from gupai_env.messages.checks import allowed_instead, cut, read_whole, short_repr
from gupai_env.storage.files import read_text

MOST_TEXT = 4000  # characters
MOST_NUMBER = 1e9
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Number = Annotated[float, Field(ge=-MOST_NUMBER, le=MOST_NUMBER)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
BOUNDS = ("ge", "gt", "le", "lt")
TRIED = ("[key]", "str", "constrained-str", "int", "float")  # types, in the place of a mistake
ADVICE = "advice"  # what a field adds to its schema: what to write there, where its type does not say it
MAX_CHARACTERS = 1 << 16  # a configuration has some hundred, a claim some thousand
MAX_DEPTH = 8
ASIDE = (":timestamp", ":merge", ":value")  # what a word may mean elsewhere; here it is text
Model = TypeVar("Model", bound="Content")


class Content(BaseModel):
    """What a file holds, or a part of it: it never changes, and there is no infinite number."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, allow_inf_nan=False)


# --- JSON, which programs write ---------------------------------------------------------------


class DamagedError(ValueError):
    """A file that does not hold what it should, in one line: its name and the problem."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(joined(": ", [name, problem]))
        self.name, self.problem = name, problem


class Stored(Content):
    """What a program has written: types as they are; keys that nobody asks for are left out."""

    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True)


def small_file(path: Path, most: int) -> Path:
    """Return the path of a regular file of `most` bytes or fewer.

    Raises:
        DamagedError: It is larger, or no regular file: a pipe, say, could keep its reader waiting.
        OSError: It is not there, or cannot be looked at.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise DamagedError(path.name, "this is not a regular file")
    if status.st_size > most:
        raise DamagedError(path.name, f"it is larger than {most:,} bytes")
    return path


def read_stored(path: Path, model: type[Model], most: int) -> Model:
    """Return what a file of JSON holds; it is read again only after it has changed.

    Args:
        path: The file.
        model: What it should hold.
        most: Bytes that it may have.

    Raises:
        DamagedError: It holds something else.
        OSError: It cannot be read.
    """
    status = small_file(path, most).stat()
    return _read(path, model, (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


@functools.lru_cache(maxsize=512)
def _read(path: Path, model: type[Model], _: tuple[int, ...]) -> Model:
    return parse_stored(path.read_bytes(), model, path.name)


def parse_stored(content: bytes | str | dict[str, Any], model: type[Model], where: str) -> Model:
    """Return what JSON holds.

    Args:
        content: JSON, or the object that was read from it.
        model: What it should hold.
        where: How an error begins, such as the name of the file.

    Raises:
        DamagedError: It holds something else; in one line.
    """
    try:
        if isinstance(content, dict):
            return model.model_validate(content)
        return model.model_validate_json(content)
    except ValidationError as error:
        raise DamagedError(where, _first_mistake(error, model)) from None


# --- YAML, which people write -----------------------------------------------------------------


class Written(Content):
    """What a person has written: unknown keys are refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _a_truth_value_is_no_number(cls, content: Any) -> Any:
        for key, value in content.items() if isinstance(content, dict) else ():
            if isinstance(value, bool):
                raise ValueError(f"{key}={value} is not allowed; only options of the rules are true or false")
        return content


def read_written(path: str | Path) -> Any:
    """Return what a file holds. Raises: ValueError, in one line, unless it is plain YAML; OSError."""
    content = read_text(path, 4 * MAX_CHARACTERS)
    try:
        return parse_yaml(content)
    except ValueError as error:
        raise ValueError(f"{path}: not YAML ({' '.join(str(error).split())})") from None


def checked(model: type[Model], content: Any) -> Model:
    """Return what a file holds as its model; raises ValueError with the first mistake, in one line."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise ValueError(_first_mistake(error, model)) from None


def _first_mistake(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first thing that is wrong: the key, what came there, and what is allowed."""
    # What is missing comes last: more likely it is there under a wrong name.
    first = min(error.errors(include_url=False), key=lambda mistake: mistake["type"] == "missing")
    keys, fields, field = _place(model, first["loc"])
    key, came, message = ".".join(keys), short_repr(first["input"]), first["msg"].removeprefix("Value error, ")
    if first["type"] == "json_invalid":
        return "it is not JSON"
    if not key and first["type"] != "value_error":
        return "it is not an object"
    if first["type"] == "extra_forbidden":
        return f"{key} is not known here; there are {', '.join(fields)}"
    if first["type"] == "missing":
        return f"{key} is missing"
    if first["type"] == "value_error":
        return f"{key}: {message}" if key else message
    extra = field.json_schema_extra if field and isinstance(field.json_schema_extra, dict) else {}
    instead = extra.get(ADVICE) or allowed_instead(first, **_bounds(field))
    return f"{key}={came} is not allowed; {instead}" if instead else f"{key}: {message}, not {came}"


def _place(
    model: type[BaseModel], path: tuple[int | str, ...]
) -> tuple[list[str], Mapping[str, FieldInfo], FieldInfo | None]:
    """Return the keys that lead to a place, the fields that there are at the last key, and the one that it is, if any.

    A path also names which of several types a value was tried as; that is no key.
    """
    keys: list[str] = []
    models, fields, field = [model], model.model_fields, None
    for part in path:
        if chosen := [model for model in models if model.__name__.lower() == str(part).lower()]:
            models = chosen
        elif part not in TRIED:
            keys.append(cut(" ".join(str(part).split())))
            if not isinstance(part, int):
                fields = models[0].model_fields if len(models) == 1 else {}
                field = fields.get(part)
                models = _models_in(field.annotation) if field else []
    return keys, fields, field


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def _bounds(field: FieldInfo | None) -> dict[str, Any]:
    """Return whether a field is a whole number, and its bounds, as `allowed_instead` takes them."""
    if field is None:
        return {}
    limits = {name: getattr(limit, name) for limit in field.metadata for name in BOUNDS if hasattr(limit, name)}
    whole = int in (field.annotation, *get_args(field.annotation))
    if whole and "lt" in limits:
        limits["le"] = limits.pop("lt") - 1
    return {"whole": whole or None, **limits}


class Words(VersionedResolver):
    """What an unquoted word means: a number, a truth value, nothing, or else itself."""

    def add_version_implicit_resolver(self, version: Any, tag: Any, regexp: Any, first: Any) -> None:
        """Learn one meaning, when the meanings are listed."""
        if not tag.endswith(ASIDE):
            super().add_version_implicit_resolver(version, tag, regexp, first)


class PlainParser(Parser):
    """Refuses what could grow or call something; nothing is built before the last event has come."""

    depth: int = 0

    def get_event(self) -> Any:
        """Return the next event, which is plain."""
        event = super().get_event()
        if isinstance(event, DocumentStartEvent) and event.version not in (None, (1, 2)):
            raise ValueError("this is YAML 1.2; leave out the line %YAML")
        if isinstance(event, AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError("anchors and aliases are not allowed")
        if (tag := getattr(event, "tag", None)) is not None:
            raise ValueError(f"the tag {tag} is not allowed")
        self.depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if self.depth > MAX_DEPTH:
            raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
        return event


class PlainRepresenter(SafeRepresenter):
    """Write texts of any kind, messages too, as the words that they are."""


PlainRepresenter.add_multi_representer(str, lambda writer, text: writer.represent_str("".join(text)))


def parse_yaml(text: str) -> Any:
    """Return what a text holds; raises ValueError saying in one line what is wrong."""
    return copy.deepcopy(_parsed(text))


@functools.lru_cache(maxsize=256)  # the claims and recipes that ship are read again and again
def _parsed(text: str) -> Any:
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")
    reader = YAML(typ="safe", pure=True)
    reader.Parser, reader.Resolver = PlainParser, Words
    try:
        return reader.load(text)
    except DuplicateKeyError as error:
        key = error.problem.partition(' with value "')[0].removeprefix("found duplicate key ")
        raise ValueError(f"{key} is set twice, again in line {error.problem_mark.line + 1}") from None
    except (YAMLError, ValueError) as error:  # the latter of numbers that are none, for instance 0x_
        raise ValueError(" ".join(str(error).split())) from None


def read_assignment(text: str, refusal: str) -> tuple[str, str]:
    """Return the key and the value of a text such as "ppo.entropy=0.02". Raises: ValueError of the refusal."""
    key, sign, value = text.partition("=")
    if not sign or not all(key.strip().split(".")):
        raise ValueError(refusal)
    return key.strip(), value


def set_key(content: dict[str, Any], key: str, value: Any) -> None:
    """Write a value into plain data at a key such as "ppo.entropy" or "readings.0.items.*.margin"; * is every item.

    Args:
        content: Mappings and lists, which are changed; mappings that lead to the key are made where they are missing.
        key: The names and numbers that lead to a place, with dots between them.
        value: What it is to be.

    Raises:
        ValueError: A part of the key holds a single value, or a list has no such item.
    """
    *parents, last = key.split(".")
    groups: list[Any] = [content]
    for parent in parents:
        groups = [
            group.setdefault(place, {}) if isinstance(group, dict) else group[place]
            for group in groups
            for place in _places(group, parent)
        ]
    for group in groups:
        for place in _places(group, last):
            group[place] = value


def _places(group: Any, name: str) -> Iterable[Any]:
    """Return where a name leads in a mapping or a list. Raises: ValueError if it leads nowhere."""
    if isinstance(group, dict):
        return [name]
    numbers = range(len(group) if isinstance(group, list) else 0)
    if name == "*":
        return numbers
    if (number := read_whole(name)) not in numbers:
        raise ValueError(f"{short_repr(name)} is not in a group of settings")
    return [number]


def to_yaml(content: Any) -> str:
    """Return the text of plain data; mappings keep their order."""
    file = io.StringIO()
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.Representer = PlainRepresenter
    yaml.default_flow_style = yaml.sort_base_mapping_type_on_output = False
    yaml.width = MAX_CHARACTERS  # a text is not broken into lines
    yaml.dump(content, file)
    return file.getvalue()


# --- two values of JSON ----------------------------------------------------------------------------

CLOSE = 1e-9  # figures as close as this are equal: processors differ in their last digits


class Difference(NamedTuple):
    """Where two values of JSON differ, and how, in words."""

    place: str
    how: str

    def __str__(self) -> str:
        return f"{self.place} {self.how}"


def difference(there: Any, here: Any, key: str = "", *, close: float = 0) -> Difference | None:
    """Return the first difference of two values of JSON, as of `differences`.

    Args:
        there: What is in a file.
        here: What is wanted.
        key: Of both, "" for the whole.
        close: By how much floats may differ, relatively or absolutely.
    """
    return next(differences(there, here, key, close=close), None)


def differences(there: Any, here: Any, key: str = "", *, typed: bool = True, close: float = 0) -> Iterator[Difference]:
    """Yield the differences of two values of JSON, down to single values.

    Args:
        there: What is in a file.
        here: What is wanted.
        key: Of both, "" for the whole.
        typed: Whether 1 and 1.0 differ.
        close: By how much floats may differ, relatively or absolutely.
    """
    if isinstance(there, dict) and isinstance(here, dict):
        for name in {**here, **there}:
            inner = f"{key}.{name}" if key else str(name)
            if name not in there:
                yield Difference(inner, f"is missing there, here {short_repr(here[name])}")
            elif name not in here:
                yield Difference(inner, f"is {short_repr(there[name])} there, not known here")
            else:
                yield from differences(there[name], here[name], inner, typed=typed, close=close)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for index, pair in enumerate(zip(there, here, strict=True)):
            yield from differences(*pair, f"{key}[{index}]", typed=typed, close=close)
    elif type(there) is type(here) is float and math.isclose(there, here, rel_tol=close, abs_tol=close):
        return
    elif there != here or (typed and type(there) is not type(here)):
        a, b = short_repr(there), short_repr(here)
        yield Difference(key, f"is {a} there, here {b}" if a != b else "differs, though it begins alike")
