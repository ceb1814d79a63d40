"""A game as one HTML file, which opens with a double click: rules as WebAssembly, players, words and the table."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gupai_agents.shipped import best_file, levels
from gupai_app.page.bundle import translation_of
from gupai_app.play.address import MOST_QUERY
from gupai_app.play.pictures import table_definitions
from gupai_app.play.table import document
from gupai_app.server.html import filled, table_sheet
from gupai_app.server.players import NAMED
from gupai_app.words.languages import ENGLISH, LANGUAGES, speak, texts_of
from gupai_app.words.sentences import error_in, title_in
from gupai_env.core.game import Game
from gupai_env.core.shipped import FOLDER as COMPILED
from gupai_env.messages import TRANSLATIONS, say, word

FOLDER = Path(__file__).parent
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
RENAMED = re.compile(r"^export \{(.*)\};$", re.MULTILINE)
IMPORT = re.compile(r'^import (\* as [\w$]+|\{.*?\}) from "\.?/(?:static/)?(\w+)\.js";$', re.MULTILINE | re.DOTALL)
LIBRARY = ("runtime", "engine", "bridge")  # of the game's own script
HEAD = "".join(
    f'import * as {name} from "./{module}.js";\n' for name, module in zip(("$", *LIBRARY[1:]), LIBRARY, strict=True)
)
# What the file says besides the table:
TEXTS = {
    "begin": "Play",
    "today": "Today's deal",
    "players": "Players",
    "other": "this file holds another game",
    "long": "this address is too long",
    "failed": "This browser cannot open this file:",
}


def page_of(game: Game, modules: Path = COMPILED / "wasm32") -> str:
    """Return a game as a self-contained HTML file, whose content security policy forbids loading anything else.

    Args:
        game: A game that ships with the package.
        modules: The folder of its rules as WebAssembly.

    Raises:
        ValueError: If its rules were not compiled for browsers.
    """
    translation = translation_of(game)
    code = translation.of({"document_of": document_of, "error_in": error_in, "game": game})
    worker = "\n".join((*map(_scoped, LIBRARY), _scoped("game", HEAD + code), _scoped("worker")))
    script = "\n".join(map(_scoped, ("page", "standalone")))
    sheet = table_sheet()
    parts = json.dumps(_parts(game, translation.texts, modules), ensure_ascii=False).replace("</", "<\\/")
    policy = (
        f"default-src 'none'; script-src {_hash(script)} 'wasm-unsafe-eval'; worker-src blob:; "
        f"style-src {_hash(sheet)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    words = {"head": title_in(game.title), "policy": policy, "sheet": sheet, "script": script, "parts": parts}
    return str(filled("page.html", definitions=table_definitions(), worker=worker, **words))


def document_of(query: Mapping[str, str]) -> dict[str, Any]:
    """Return a table as `document` does, in a browser, where nothing waits to be compiled."""
    return document(query, NAMED, lambda part: "")


def _scoped(name: str, source: str = "") -> str:
    """Return a module as a part of one script, with a scope of its own; without a source it is read from its file."""
    source = source or (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    exported = EXPORT.findall(source)
    for names in RENAMED.findall(source):
        pairs = (pair.split(" as ") for pair in names.split(","))
        exported += [f"{pair[-1].strip()}: {pair[0].strip()}" for pair in pairs]
    body = RENAMED.sub("", EXPORT.sub("", IMPORT.sub(_imported, source))).replace("</script", "<\\/script")
    return f"const module_{name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"


def _imported(statement: re.Match[str]) -> str:
    names, module = statement.groups()
    bound = names.removeprefix("* as ") if names.startswith("*") else names.replace(" as ", ": ")
    return f"const {bound} = module_{module};"


def _parts(game: Game, texts: set[str], modules: Path) -> dict[str, Any]:
    """Return what the script reads: rules, players and words.

    Args:
        game: That is played.
        texts: All that the translated code may say in English.
        modules: The folder of the rules.
    """
    wasm, layout = modules / f"{game.id}.wasm", modules / f"{game.id}.json"
    if not wasm.exists():
        template = "{game} was not compiled for browsers: python tools/machine_code.py --system wasm32"
        raise ValueError(say(template, game=game.id))
    listed, best = levels(game), best_file(game, game.variant())
    words: dict[str, dict[str, Any]] = {}
    for language in LANGUAGES:
        token = speak(language)
        words[language] = {name: word(text) for name, text in TEXTS.items()} | {"title": title_in(game.title)}
        words[language]["levels"] = {level.name: word(level.name) for level in listed}
        TRANSLATIONS.reset(token)
    all_texts = {*texts, *(level.name for level in listed), game.title}
    return {
        "game": game.id,
        "most": MOST_QUERY,
        "languages": LANGUAGES,
        "levels": [level.name for level in listed],
        "words": words,
        "catalogues": {language: texts_of(language, all_texts) for language in LANGUAGES if language != ENGLISH},
        "layout": layout.read_text(encoding="utf-8"),
        "wasm": _packed(wasm.read_bytes()),
        "networks": {best.name: _packed(best.read_bytes())} if best else {},
    }


def _packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
