"""YAML 1.2 as files of ours need it: mappings, lists, numbers, words. Anchors and tags are refused, dates are text."""

import copy
import functools
import io
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, DocumentStartEvent
from ruamel.yaml.parser import Parser
from ruamel.yaml.representer import SafeRepresenter
from ruamel.yaml.resolver import VersionedResolver

MAX_CHARACTERS = 1 << 16  # a configuration has some hundred, a claim some thousand
MAX_DEPTH = 8
ASIDE = (":timestamp", ":merge", ":value")  # what a word may mean elsewhere; here it is text


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


def to_yaml(content: Any) -> str:
    """Return the text of plain data; mappings keep their order."""
    file = io.StringIO()
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.Representer = PlainRepresenter
    yaml.default_flow_style = yaml.sort_base_mapping_type_on_output = False
    yaml.width = MAX_CHARACTERS  # a text is not broken into lines
    yaml.dump(content, file)
    return file.getvalue()
