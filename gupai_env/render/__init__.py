"""Drawing a table: a `Scene` describes it, `draw_text` prints it and `draw_svg` draws it.

Pictures are the same drawing as pixels, made by `gupai_env.render.image.draw_image` (with resvg-py and Pillow) and
shown by `gupai_env.render.window.Window` (with pygame); only those who want them import these modules and need
`pip install gupai[render]`.
"""

from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.text import draw_text
from gupai_env.render.svg import draw_svg

__all__ = ["Pile", "Place", "Scene", "draw_svg", "draw_text"]
