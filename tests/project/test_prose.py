"""The English of documents, docstrings and messages keeps the rules of `tests/project/words.yml`."""

import ast
import re
from collections.abc import Iterator

import pytest

from checkout import ROOT, SHIPPED, files
from gupai_env.storage.models import parse_yaml

RULES = parse_yaml((ROOT / "tests" / "project" / "words.yml").read_text("utf-8"))["swap"]
WRONG = {re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I | re.M): better for words, better in RULES.items()}
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>|\"[^\"\n]*\"", re.S)  # and what is quoted


def found(text: str) -> Iterator[str]:
    """What is wrong in a text, each with some words around it."""
    prose = CODE.sub("`x`", text)
    for wrong, better in WRONG.items():
        for match in wrong.finditer(prose):
            yield f"...{prose[max(0, match.start() - 30) : match.end() + 30]!r}...: write {better}"


@pytest.mark.parametrize(
    "sentence",
    [
        "It wins two chips a deal.",
        "It plays 3 decisions a second.",
        "They are computed anew.",
        "The hand is shown beside the table.",
        "A player that comes along is `best`.",
        "The run goes on after that.",
        "Keep one's own hand.",
        "The table tells how strong it is.",
        "What each move is worth is shown.",
        "Who searches plays fewer deals.",
        "They take all but the last.",
        "The file lies in a folder.",
        "A row stands in the table.",
        "One sitting is a line-up.",
        "That is no tile.",
    ],
)
def test_listed_forms_are_all_found(sentence):
    assert list(found(sentence))


@pytest.mark.parametrize(
    "sentence",
    ["Two chips per deal.", "There is no tile.", "It was not long ago, but not now.", "A pair beats a single tile."],
)
def test_plain_english_is_left_alone(sentence):
    assert not list(found(sentence))


def test_documents_are_written_in_plain_english():
    pages = [ROOT / "README.md", *files("docs", name="*.md")]
    assert not [f"{path.relative_to(ROOT)}: {each}" for path in pages for each in found(path.read_text("utf-8"))]


def test_docstrings_and_messages_are_written_in_plain_english():
    wrong = []
    for path in files(*SHIPPED, name="*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                wrong += [f"{path.relative_to(ROOT)}:{node.lineno}: {each}" for each in found(node.value)]
    assert not wrong
