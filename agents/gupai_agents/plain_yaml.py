"""YAML as files of ours need it: mappings, lists, numbers, words. Anchors and tags are refused, dates are text."""

import re
from typing import Any

import yaml

MAX_CHARACTERS = 1 << 16  # a configuration has some hundred, a claim some thousand
MAX_DEPTH = 8
FLOAT = "tag:yaml.org,2002:float"
# YAML 1.1 takes 1e-3 for a word, as it has no point.
EXPONENT = re.compile(r"^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$")


class PlainLoader(yaml.SafeLoader):
    """Reads numbers with an exponent, leaves dates as text, and refuses a key that comes twice."""

    # What an unquoted word may mean, by its first character; the lists are SafeLoader's own and must not be changed.
    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [
            (tag, pattern) for tag, pattern in known if not tag.endswith((":timestamp", ":merge", ":value"))
        ]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> dict:
        """Return a mapping; raises YAMLError if a key comes twice."""
        mapping = super().construct_mapping(node, deep=True)
        if len(mapping) < len(node.value):
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            twice = next(key for number, key in enumerate(keys) if key in keys[:number])
            raise yaml.YAMLError(f"{twice!r} is set twice")
        return mapping


PlainLoader.add_implicit_resolver(FLOAT, EXPONENT, list("-+0123456789"))


def parse_yaml(text: str) -> Any:
    """Return what a text holds; raises ValueError saying in one line what is wrong."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_CHARACTERS} characters")
    try:
        _require_plain(text)
        return PlainLoader(text).get_single_data()
    except (yaml.YAMLError, ValueError) as error:  # the latter of numbers that are none, for instance 0x_
        raise ValueError(" ".join(str(error).split())) from None


def _require_plain(text: str) -> None:
    """Refuse what could grow or call something, before anything is built of it."""
    depth = 0
    for event in yaml.parse(text, PlainLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise ValueError("anchors and aliases are not used here")
        if (tag := getattr(event, "tag", None)) is not None:
            raise ValueError(f"the tag {tag} is not used here")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
