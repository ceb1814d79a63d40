"""Writes how wide the letters of drawings are, `gupai_env/render/letters.json`, from their font.

    python tools/letters.py

It needs fonttools, which comes with matplotlib.
"""

import argparse
import json
from pathlib import Path

from fontTools.ttLib import TTFont

from gupai_env.render.letters import FONT, WIDTHS


def widths(font: Path) -> str:
    """Return the table as JSON: the units of a font size, and by their width in these the letters of a font."""
    tables = TTFont(font)
    letters: dict[int, str] = {}
    for code, glyph in sorted(tables.getBestCmap().items()):
        width = tables["hmtx"][glyph][0]
        letters[width] = letters.get(width, "") + chr(code)
    content = {"units": tables["head"].unitsPerEm, "letters": dict(sorted(letters.items()))}
    return json.dumps(content, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    WIDTHS.write_text(widths(FONT), encoding="utf-8")
