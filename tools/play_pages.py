"""The pages to play at of the site: every game that was compiled for browsers, and their front, which installs them.

`docs/conf.py` writes them beside the documentation; what does not depend on games lies in `docs/play`.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from gupai_app.page.file import page_of
from gupai_app.play.pictures import tile_file, tile_pictures
from gupai_env.core.game import Game
from gupai_env.core.shipped import FOLDER
from gupai_env.games import GAMES

FRONT = Path(__file__).parents[1] / "docs" / "play"
TILES = ("66", "11", "44", "31", "55", "33", "22", "65", "64", "61")  # a picture of one beside each game
WASM = FOLDER / "wasm32"
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="96" '
    'fill="#1d5741"/><svg x="152" y="40" width="208" height="432" '
)


def compiled_games(modules: Path = WASM) -> list[Game]:
    """Return the games whose rules were compiled for browsers into a folder."""
    return [game for game in GAMES.values() if (modules / f"{game.id}.wasm").exists()]


def write_play_pages(folder: Path, games: Sequence[Game], modules: Path = WASM) -> None:
    """Write pages and their front into a folder.

    Args:
        folder: New, or of an earlier call.
        games: That are to be there.
        modules: The folder of their rules as WebAssembly.
    """
    shutil.copytree(FRONT, folder, dirs_exist_ok=True)
    size = 0
    for game in games:
        size += (folder / f"{game.id}.html").write_text(page_of(game, modules), encoding="utf-8")
    pictures, items = tile_pictures(), []
    for game, tile in zip(games, TILES, strict=False):
        size += (folder / tile_file(*tile)).write_text(pictures[tile_file(*tile)], encoding="utf-8")
        latin, _, other = game.title.rpartition(" ")
        name = f'<span>{latin}<small lang="zh-Hant">{other}</small></span>'
        items.append(f'<li><a href="{game.id}.html"><img src="{tile_file(*tile)}" alt="">{name}</a></li>')
    picture = pictures[tile_file("6", "4")].removeprefix("<svg ")
    (folder / "icon.svg").write_text(f"{ICON}{picture}</svg>", encoding="utf-8")
    front = (FRONT / "index.html").read_text(encoding="utf-8")
    front = front.replace("<!-- games -->", "\n".join(items)).replace("<!-- size -->", f"{size / 1e6:.1f}")
    (folder / "index.html").write_text(front, encoding="utf-8")
