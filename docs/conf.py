"""How Sphinx builds the site out of these pages: `make docs`. Nothing is fetched from the net.

Docstrings are plain text: paragraphs, `code`, and the sections Args, Returns, Raises and Attributes with a `name: what
it is` for each. `plain_text` makes reStructuredText of them.
"""

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("", "agents", "training", "tools")]

project = "gupai"
author = "The gupai developers"
project_copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "gupai"
exclude_patterns = ["play"]  # see tools/play_pages.py
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 90

SECTION = re.compile(r"(Args|Returns|Raises|Attributes):\s*(.*)")
FIELD = re.compile(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*(?:\([\w, =]*\))?): (.*)")


def plain_text(app: Any, kind: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Turn the lines of a docstring into reStructuredText."""
    out: list[str] = []
    literal = False
    for number, line in enumerate(lines):
        text = line.strip()
        if not text:
            out.append("")
        elif line.startswith("    ") and (literal or (out and not out[-1])):  # an example
            out += ["", "::", ""] * (not literal) + [line]
            literal = True
            continue
        elif match := SECTION.fullmatch(text):
            out += ["", f"**{match[1]}**", ""]
            out += _item(match[2]) if match[2] else []
        elif number and FIELD.fullmatch(text) and lines[number - 1].strip()[-1:] in ("", ".", ":", ";"):
            out += _item(text)
        elif out and out[-1]:
            out[-1] += " " + _escaped(text)
        else:
            out.append(_escaped(text))
        literal = literal and not text
    lines[:] = out


def _item(text: str) -> list[str]:
    match = FIELD.fullmatch(text)
    return ["", f"- ``{match[1]}``: {_escaped(match[2])}" if match else f"- {_escaped(text)}"]


def _escaped(text: str) -> str:
    """Return text in which nothing except `code` is markup."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # the other half of the code is on the next line
        return re.sub(r"([*|_`\\])", r"\\\1", text)
    return "".join(f"``{part}``" if n % 2 else re.sub(r"([*|_\\])", r"\\\1", part) for n, part in enumerate(parts))


def short_names(app: Any, kind: str, name: str, thing: Any, options: Any, signature: str, answer: str) -> Any:
    """Leave the modules out of the types of a signature."""
    if signature:
        signature = re.sub(r"<class '([\w.]+)'>", r"\1", signature)
        signature = re.sub(r"~?\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])", "", signature)
    return signature, answer


def without_aliases(app: Any, kind: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the fields of named tuples, which their class describes."""
    return True if str(getattr(thing, "__doc__", "")).startswith("Alias for field number") else None


def write_pages(app: Any) -> None:
    """Write the pages that are made of the code and of what ships."""
    from pages import site_files, write

    write(site_files())


PLAY_NOW = "<!-- play now -->"  # where the pages to play at are listed


def list_play_pages(app: Any, name: str, source: list[str]) -> None:
    """List the games that can be played on the site, if any can."""
    from play_pages import compiled_games

    if PLAY_NOW in source[0] and (games := compiled_games()):
        links = " · ".join(f'<a href="play/{game.id}.html">{game.title}</a>' for game in games)
        front = '<a href="play/index.html"><strong>Play now, in this browser</strong></a>'
        source[0] = source[0].replace(PLAY_NOW, f"<p>{front}, also installed and offline: {links}</p>")


def write_play(app: Any, error: Exception | None) -> None:
    """Write the pages to play at."""
    from play_pages import compiled_games, write_play_pages

    if error is None and app.builder.name == "html" and (games := compiled_games()):
        write_play_pages(Path(app.outdir) / "play", games)


def setup(app: Any) -> None:
    app.connect("builder-inited", write_pages)
    app.connect("source-read", list_play_pages)
    app.connect("build-finished", write_play)
    app.connect("autodoc-process-docstring", plain_text)
    app.connect("autodoc-process-signature", short_names)
    app.connect("autodoc-skip-member", without_aliases)
