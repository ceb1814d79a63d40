"""Files that people write, in YAML: what they may hold, and in one line what is wrong with one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

from gupai_agents.plain_yaml import MAX_CHARACTERS, parse_yaml
from gupai_env.words.checks import allowed_instead, cut, short_repr
from gupai_env.words.files import read_text

BOUNDS = ("ge", "gt", "le", "lt")
TRIED = ("[key]", "str", "constrained-str", "int", "float")  # types, in the place of a mistake
ADVICE = "advice"  # what a field adds to its schema: what to write there, where its type does not say it


class Written(BaseModel):
    """What a file holds, or a part of it: it never changes, and unknown keys and infinite numbers are refused."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _a_truth_value_is_no_number(cls, content: Any) -> Any:
        for key, value in content.items() if isinstance(content, dict) else ():
            if isinstance(value, bool):
                raise ValueError(f"{key}={value} is not allowed; only options of the rules are true or false")
        return content


Model = TypeVar("Model", bound=Written)


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
