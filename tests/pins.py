"""What must stay what it was: digests of figures to six digits, and texts, in `tests/snapshots`.

After a deliberate change of a text, this writes the files again; `git diff` then shows what people will read.

    REWRITE_SNAPSHOTS=1 python -m pytest -n 0 tests/app/test_snapshots.py tests/env/games/test_tables.py \\
        tests/agents/evaluation/test_pinned_lab.py tests/agents/evaluation/pages/test_chart.py
"""

import difflib
import hashlib
import html
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gupai_env import __version__

SNAPSHOTS = Path(__file__).parent / "snapshots"
HEAD = "=== "  # begins the line with the name of a section
MOST_LINES = 60  # of a difference that a test shows
SPOKEN = re.compile(r'(?:aria-label|title|alt|placeholder)="([^"]+)"')
DRAWN = re.compile(r"<(?:title|text|tspan)\b[^>]*>([^<]+)")


def rounded(content: Any) -> Any:
    """Return it with all floats to six digits, nine behind the point at most.

    Sums of many numbers differ in the last digits from processor to processor.
    """
    if isinstance(content, dict):
        return {str(key): rounded(value) for key, value in content.items() if key != "seconds"}
    if isinstance(content, list | tuple):
        return [rounded(each) for each in content]
    return float(f"{round(content, 9):.6g}") + 0.0 if isinstance(content, float) else content


def digest_of(content: Any) -> str:
    """Return eight hexadecimal digits of the digest of figures, as what can be JSON."""
    return hashlib.sha256(json.dumps(rounded(content), sort_keys=True).encode()).hexdigest()[:8]


def same_texts(name: str, texts: Mapping[str, str]) -> None:
    """Fail with the difference unless a file of `tests/snapshots` holds these texts, by the names of its sections."""
    text = "".join(f"{HEAD}{section}\n{_plain(content)}" for section, content in texts.items())
    file = SNAPSHOTS / name
    if "REWRITE_SNAPSHOTS" in os.environ:
        file.write_text(text, "utf-8")
    known = file.read_text("utf-8") if file.exists() else ""
    if text != known:
        lines = difflib.unified_diff(known.splitlines(), text.splitlines(), str(file), "now", lineterm="", n=2)
        shown = [line[:300] for line in lines]
        pytest.fail("\n".join([*shown[:MOST_LINES], *["..."] * (len(shown) > MOST_LINES)]), pytrace=False)


def _plain(text: str) -> str:
    lines = [line.rstrip() for line in text.replace(__version__, "VERSION").splitlines()]
    return "".join(f"{line}\n" for line, before in zip(lines, ["", *lines], strict=False) if line not in ("", before))


def markup(page: str) -> str:
    """Return a page with a tag on each line; of a picture only a digest of its drawing and the words in it.

    Styles and scripts, which are the same in all pages, and their digests are left out.
    """
    page = re.sub(r"<(style|script)\b.*?</\1>", r"[\1]", page, flags=re.S)
    page = re.sub(r"'sha256-[^']*'", "'sha256-...'", page)
    page = re.sub(r"<svg.*?</svg>", lambda found: f"[picture {_short(found[0])}: {_drawn(found[0])}]", page, flags=re.S)
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"(?=<[^/])", "\n", page))


def words(page: str) -> str:
    """Return what a page says, a text on each line, pictures included."""
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S)
    page = re.sub(r"<[^>]*>", lambda tag: "\n".join(["", *SPOKEN.findall(tag[0]), ""]), page)
    return html.unescape(re.sub(r"\s*\n\s*", "\n", page))


def _drawn(drawing: str) -> str:
    return ", ".join(dict.fromkeys([*SPOKEN.findall(drawing), *DRAWN.findall(drawing)]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
