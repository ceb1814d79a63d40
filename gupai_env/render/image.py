"""A table as pixels: the drawing of `gupai_env.render.svg`, painted piece by piece.

A table shows the same few pieces again and again, so each is painted once and kept; that is several times as quick as
to paint the whole drawing.
"""

import io
from functools import lru_cache
from math import ceil

import numpy as np

from gupai_env.core.scene import Scene
from gupai_env.render.letters import FONT, known
from gupai_env.render.svg import DARK, THEMES, WIDTH, Box, draw_table, style, symbols

try:
    from PIL import Image
    from resvg_py import svg_to_bytes
except ImportError as error:
    raise ImportError("Pictures need Pillow and resvg-py: pip install gupai[render]") from error

NARROWEST = 320  # pixels


def draw_image(scene: Scene, *, width: int = WIDTH, theme: str = DARK) -> np.ndarray:
    """Return a picture of the table, uint8 [3 * width // 4, width, 3], red, green, blue.

    It is what `draw_svg` draws. Letters that are not Latin lose their accents or become question marks.

    Args:
        scene: The table, as `Game.scene` returns it.
        width: Pixels, at least 320.
        theme: "dark" or "light".

    Raises:
        ValueError: If `width` is less than 320, and for another theme.
    """
    if width < NARROWEST:
        raise ValueError(f"width must be at least {NARROWEST} pixels, got {width}")
    if theme not in THEMES:
        raise ValueError(f"theme must be {' or '.join(THEMES)}, got {theme!r}")
    scale = width / WIDTH
    frame = Image.new("RGB", (width, 3 * width // 4))
    for piece in draw_table(scene):
        sprite = _sprite(piece.at(0, 0), piece.box, piece.scale, scale, theme)
        left, top = piece.x + piece.scale * piece.box.x, piece.y + piece.scale * piece.box.y
        frame.paste(sprite, (round(left * scale), round(top * scale)), sprite)
    return np.array(frame)


def as_png(svg: str, *, width: int) -> bytes:
    """Return an SVG document as a PNG.

    Args:
        svg: Its texts are in the font of this package; letters that it does not have become question marks.
        width: Pixels.
    """
    return bytes(svg_to_bytes(svg_string=known(svg), width=width, skip_system_fonts=True, font_files=[str(FONT)]))


@lru_cache(maxsize=2048)
def _sprite(svg: str, box: Box, own: float, scale: float, theme: str) -> Image.Image:
    """Paint what the box of a piece at (0, 0) covers; `own` is its scale, `scale` that of the picture."""
    x, y, w, h = (own * value for value in box)
    across, down = ceil(w * scale), ceil(h * scale)
    seen = f"{x} {y} {across / scale} {down / scale}"
    content = svg_to_bytes(
        svg_string=f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{seen}" width="{across}" height="{down}">'
        f"<style>{style(theme)}</style><defs>{symbols(svg)}</defs>{known(svg)}</svg>",
        skip_system_fonts=True,
        font_files=[str(FONT)] if "<text" in svg else [],
    )
    return Image.open(io.BytesIO(content)).convert("RGBA")
