"""Reads the file of a claim; every error is reported in one line that names the key."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gupai_agents.evaluation.claims.check import check_claim
from gupai_agents.evaluation.claims.schema import Claim
from gupai_agents.plain_yaml import MAX_CHARACTERS, parse_yaml
from gupai_env.core.checks import allowed_instead, refused, short_repr
from gupai_env.core.files import read_text


def read_claim(path: str | Path) -> Claim:
    """Return the claim of a file, checked against the game it is about.

    Raises: ValueError in one line that names the file, the key and what is wrong; OSError if there is no such file.
    """
    path = Path(path)
    text = read_text(path, 4 * MAX_CHARACTERS)
    try:
        content = parse_yaml(text)
    except ValueError as error:
        raise ValueError(f"{path}: no file of a claim: {' '.join(str(error).split())}") from None
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
        place for at, place in enumerate(places) if not (place in kinds and at == 2 and places[0] == "readings")
    )
    what = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        what = "there is no such key"
    elif instead := allowed_instead(first):
        return str(refused(key, first["input"], instead))
    elif first["type"] not in ("value_error", "missing", "union_tag_not_found", "union_tag_invalid"):
        what += f", not {short_repr(first['input'])}"
    return f"{key}: {what}" if key else what
