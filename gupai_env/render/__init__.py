"""Drawing a table: a `Scene` describes it, `draw_text` prints it.

Pictures are made by `gupai_env.render.image.draw_image` (with Pillow) and shown by
`gupai_env.render.window.Window` (with pygame); only those who want them import these
modules and need `pip install gupai[render]`.
"""

from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.render.text import draw_text

__all__ = ["Pile", "Place", "Scene", "draw_text"]
