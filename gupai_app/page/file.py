"""A game as one HTML file, which opens with a double click: rules as WebAssembly, players, words and the table."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gupai_agents.shipped import best_file
from gupai_app.kept.puzzles import shipped
from gupai_app.page.bundle import translation_of
from gupai_app.page.documents import document_at
from gupai_app.play.address import MOST_QUERY, query_of
from gupai_app.play.pictures import table_definitions
from gupai_app.server.html import filled, table_sheet
from gupai_app.server.players import NAMED
from gupai_app.words.languages import ENGLISH, LANGUAGES, texts_of
from gupai_app.words.sentences import error_in, title_in
from gupai_env.core.game import Game
from gupai_env.core.shipped import FOLDER as COMPILED
from gupai_env.games import GAMES
from gupai_env.messages import say, word

FOLDER = Path(__file__).parent
EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)
RENAMED = re.compile(r"^export \{(.*)\};$", re.MULTILINE)
COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL)  # on lines of its own
IMPORT = re.compile(r'^import (\* as [\w$]+|\{.*?\}) from "\.?/(?:static/)?(\w+)\.js";$', re.MULTILINE | re.DOTALL)
LIBRARY = ("runtime", "engine", "bridge")  # of the game's own script
STRICT = "'use strict';"
HEAD = "".join(
    f'import * as {name} from "./{module}.js";\n' for name, module in zip(("$", *LIBRARY[1:]), LIBRARY, strict=True)
)
HEADS = {"begin": "New game", "today": "Today's deal", "puzzles": "Puzzles", "language": "Language"}  # above the table


def page_of(game: Game, modules: Path = COMPILED / "wasm32") -> str:
    """Return a game as a self-contained HTML file, whose content security policy forbids loading anything else.

    Args:
        game: A game that ships with the package.
        modules: The folder of its rules as WebAssembly.

    Raises:
        ValueError: If its rules were not compiled for browsers.
    """
    wasm = modules / f"{game.id}.wasm"
    if not wasm.exists():
        template = "{game} was not compiled for browsers: python tools/machine_code.py --system wasm32"
        raise ValueError(say(template, game=game.id))
    translation = translation_of(game)
    code = translation.of({"document_of": document_of, "error_in": error_in, "game": game})
    parts = _parts(game, translation.texts) | {
        "layout": wasm.with_suffix(".json").read_text(encoding="utf-8"),
        "worker": "\n".join([in_one(*LIBRARY, "packed"), _scoped("game", HEAD + code), in_one("worker")]),
    }
    loader, script = "\n".join([STRICT, in_one("packed", "loader")]), "\n".join([STRICT, in_one("page", "standalone")])
    sheet, best = table_sheet("page.css"), best_file(game, game.variant())
    policy = policy_of(sheet, loader, f"{_hash(script)} 'wasm-unsafe-eval'; worker-src blob:")
    packed = {
        "sheet": _packed(sheet.encode()),
        "script": _packed(script.encode()),
        "parts": _packed(json.dumps(parts, ensure_ascii=False).encode()),
        "rules": _packed(wasm.read_bytes()),
        "network": _packed(best.read_bytes()) if best else "",
    }
    return str(filled("page.html", head=title_in(game.title), policy=policy, loader=loader, **packed))


def document_of(query: Mapping[str, str]) -> dict[str, Any]:
    """Return what an address shows in a browser, where nothing waits to be compiled. Raises: ValueError, in a line."""
    if query.get("game") not in GAMES:
        raise ValueError("this file holds another game")
    if len(query_of(query)) > MOST_QUERY:
        raise ValueError(say("This address is longer than {most:,} bytes.", most=MOST_QUERY))
    heads = {"title": title_in(GAMES[query["game"]].title)} | {name: word(text) for name, text in HEADS.items()}
    return document_at(query, NAMED, lambda part: "") | {"heads": heads}


def policy_of(rules: str, script: str, more: str = "") -> str:
    """Return the policy of a page that loads nothing and runs its own script alone.

    Args:
        rules, script: Its style sheet and its script.
        more: That it may besides.
    """
    return (
        f"default-src 'none'; script-src {_hash(script)}{' ' if more else ''}{more}; style-src {_hash(rules)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def in_one(*names: str) -> str:
    """Return modules as one script."""
    return "\n".join(map(_scoped, names))


def _scoped(name: str, source: str = "") -> str:
    """Return a module as a part of one script, with a scope of its own; without a source it is read from its file."""
    source = source or (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    exported = EXPORT.findall(source)
    for names in RENAMED.findall(source):
        pairs = (pair.split(" as ") for pair in names.split(","))
        exported += [f"{pair[-1].strip()}: {pair[0].strip()}" for pair in pairs]
    body = RENAMED.sub("", EXPORT.sub("", IMPORT.sub(_imported, COMMENT.sub("", source))))
    scope = f"const module_{name} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"
    return scope.replace("</script", "<\\/script")


def _imported(statement: re.Match[str]) -> str:
    names, module = statement.groups()
    bound = names.removeprefix("* as ") if names.startswith("*") else names.replace(" as ", ": ")
    return f"const {bound} = module_{module};"


def _parts(game: Game, texts: set[str]) -> dict[str, Any]:
    """Return what the script reads: languages with their words, and how tiles are drawn.

    Args:
        game: That is played.
        texts: All that the translated code may say in English.
    """
    best = best_file(game, game.variant())
    return {
        "game": game.id,
        "languages": LANGUAGES,
        "catalogues": {
            language: texts_of(language, {*texts, game.title}) for language in LANGUAGES if language != ENGLISH
        },
        "definitions": table_definitions(),
        "puzzles": len(shipped(game.id)),
        "network": best.name if best else "",
    }


def _packed(data: bytes) -> str:
    """Return bytes as `packed.js` reads them."""
    return base64.b85encode(gzip.compress(data, mtime=0)).decode().replace("<", ",")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
