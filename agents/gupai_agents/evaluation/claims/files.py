"""Reads the file of a claim; every error is reported in one line that names the key."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gupai_agents.evaluation.claims.check import check_claim
from gupai_agents.evaluation.claims.schema import Claim
from gupai_agents.plain_yaml import MAX_CHARACTERS, parse_yaml
from gupai_env.words.checks import allowed_instead, as_path, nearest, refused, short_repr
from gupai_env.words.files import read_text

SUFFIX = ".yaml"
RECORDED = Path(__file__).parent / "recorded"  # the verdicts on the claims that ship with gupai, as JSON
ORDER = ("jl", "cd", "dn", "dl", "tu", "sm")  # of the games in a list of claims


def folder() -> Path:
    """Return where the claims are that ship with gupai: next to the configurations of training."""
    spec = find_spec("gupai_training")
    places = [Path(location) / "configs" / "claims" for location in (spec and spec.submodule_search_locations) or ()]
    return next(filter(Path.is_dir, places), Path(__file__).parents[4] / "configs" / "claims")


def paths() -> list[Path]:
    """Return the files of all claims that ship with gupai, by game."""
    files = folder().glob(f"*{SUFFIX}")
    return sorted(files, key=lambda path: (ORDER.index(path.stem[:2]) if path.stem[:2] in ORDER else 9, path.stem))


def find(name: str) -> Path:
    """Return the file of a claim by its id or path. Raises: ValueError naming the nearest ids."""
    if name.endswith(SUFFIX):
        return Path(name)
    known = [path.stem for path in paths()]
    if name not in known:
        hint = nearest(name, known)
        raise ValueError(f"there is no claim {name!r}; {hint}`gupai claim list` lists them, FILE{SUFFIX} is your own")
    return folder() / f"{name}{SUFFIX}"


def read_claim(path: str | Path) -> Claim:
    """Return a claim, checked against the game it is about.

    Args:
        path: A file, or the id of a claim that ships with gupai, such as "jl-attack-2".

    Raises:
        ValueError: There is no such claim, or its file is wrong; in one line that names the file and the key.
        OSError: There is no such file.
    """
    path = path if as_path("path", path).is_file() or isinstance(path, Path) else find(path)
    text = read_text(path, 4 * MAX_CHARACTERS)
    try:
        content = parse_yaml(text)
    except ValueError as error:
        raise ValueError(f"{path}: not a claim file: {' '.join(str(error).split())}") from None
    try:
        claim = claim_of(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return claim


def claim_of(content: Any) -> Claim:
    """Return a claim from the mapping that a file holds; raises ValueError naming the key."""
    if not isinstance(content, dict):
        raise ValueError(f"a claim is a mapping with `id`, `statement`, ..., not {short_repr(content)}")
    try:
        claim = Claim.model_validate(content)
    except ValidationError as error:
        raise ValueError(_one_line(error)) from None
    check_claim(claim)
    return claim


def _one_line(error: ValidationError) -> str:
    """Return the first thing that is wrong, by its key."""
    first = error.errors(include_url=False)[0]
    branches = ("str", "Changed", "Condition", "constrained-str")  # of what may be one thing or another
    places = [str(place) for place in first["loc"] if place not in branches]
    kinds = ("exact", "rate", "policy", "action", "ordering")
    key = ".".join(
        place for index, place in enumerate(places) if not (place in kinds and index == 2 and places[0] == "readings")
    )
    problem = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        problem = "there is no such key"
    elif instead := allowed_instead(first):
        return str(refused(key, first["input"], instead))
    elif first["type"] not in ("value_error", "missing", "union_tag_not_found", "union_tag_invalid"):
        problem += f", not {short_repr(first['input'])}"
    return f"{key}: {problem}" if key else problem
