"""Compares what people read and see of games in Python and in JavaScript: `python tools/both_ways.py [GAME ...]`.

Games are played at random. Of every moment all that people are told is compared, in every language: the table, its
drawing, what is to be done, the moves, what speaks for one of them, and how a deal ended.
"""

import argparse
import dataclasses
import gzip
import itertools
import json
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import wasm

import gupai_agents.shipped
from gupai_app.page.bundle import SCRIPTS, translation_of
from gupai_app.page.translation import RUNTIME
from gupai_app.play.address import COACH, PERSON, query_of, words_of_rules
from gupai_app.play.moves import entries_of, headed
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_app.play.table import document
from gupai_app.server.players import NAMED
from gupai_app.words.languages import LANGUAGES, speak, texts_of
from gupai_app.words.sentences import headline, names_at, payment, translated
from gupai_env.core.game import Game
from gupai_env.core.scene import Pile, Scene
from gupai_env.core.shipped import FOLDER
from gupai_env.core.variant import typed
from gupai_env.games import GAMES
from gupai_env.games.guide import Guide, guide_of
from gupai_env.games.phrases import chips
from gupai_env.messages import TRANSLATIONS, word
from gupai_env.render.svg import draw_svg

WASM = FOLDER / "wasm32"  # what `tools/machine_code.py --system wasm32` makes
REFUSED = [  # in addresses
    "seed=x", "seed=-1", f"seed={1 << 63}", "seat=9", "with=nobody", "with=random;random;random;random;random",
    "options=players=99", "options=playerz=3", "options=deals", "options=deals=99", "options=leader=9", "moves=a.b",
    "moves=99999", "moves=1.2.3.4.5.6.7.8.9", "play=x", "play=99999", "score=1", "hint=9", "episode=-3",
]  # fmt: skip
DRIVER = """
import {{ existsSync, readFileSync }} from "node:fs";
import readline from "node:readline";
import * as $ from "./runtime.js";
import * as engine from "./engine.js";
import * as exported from "./both.js";
const rules = (end) => `{wasm}/${{exported.game.id}}.${{end}}`;
if (existsSync(rules("wasm"))) {{
  const game = await engine.Game.load(readFileSync(rules("wasm")), readFileSync(rules("json"), "utf8"));
  for (const {{ file }} of game.layout.players.best) game.add_network(file, readFileSync(`{networks}/${{file}}`));
}}
const isLarge = (value) => typeof value === "string" && /^\\d+n$/.test(value);
const large = (name, value) => (isLarge(value) ? BigInt(value.slice(0, -1)) : value);
const catalogues = {catalogues};
const called = {{
  words: (...given) => exported.words(exported.game, ...given),
  document: (query, waits) => exported.document($.dict(query), exported.players, (part) => waits[part] ?? ""),
}};
for await (const line of readline.createInterface({{ input: process.stdin }})) {{
  const [language, name, ...given] = JSON.parse(line, large);
  $.TRANSLATIONS.set(language === "en" ? new $.NullTranslations() : new $.Catalogue(language, catalogues[language]));
  try {{
    console.log(JSON.stringify(called[name](...given)));
  }} catch (error) {{
    console.log(JSON.stringify([error instanceof $.ValueError ? error.message : error.stack]));
  }}
}}
"""


def pile_in_words(pile: Pile) -> list[Any]:
    """Return what a pile is."""
    ends = [pile.lead, pile.open_left, pile.open_right]
    return [word(pile.label), pile.tiles, pile.hidden, pile.marked, pile.capacity, pile.form, *ends]


def scene_in_words(scene: Scene) -> list[Any]:
    """Return what a table shows."""
    places = [
        [word(place.name), place.to_act, word(place.note), list(map(pile_in_words, place.piles))]
        for place in scene.places
    ]
    return [
        word(scene.title),
        list(map(pile_in_words, scene.centre)),
        places,
        list(map(word, scene.notes)),
        word(scene.last_move),
    ]


def moves_in_words(guide: Guide, view: np.record, mask: np.ndarray) -> list[Any]:
    """Return what a person reads who is to act: task, lessons, moves and what speaks for one."""
    entries, lists = entries_of(guide, view, mask), []
    for heading, numbered in headed(guide, entries).items():
        lists.append(word(heading))
        for number, (move, actions) in numbered:
            question, answers = guide.choice(view, actions) if len(actions) > 1 else ("", {})
            made = list(map(word, guide.makes(view, actions[0])))
            lists.append(
                [number, word(move.name), word(guide.label(view, actions)), word(question), dict(answers), made]
            )
    actions = [actions[0] for _, actions in entries]
    why = [word(reason(guide, view, *pair)) for pair in (actions[:2], actions[1::-1]) if len(pair) == 2]
    return [word(guide.task(view, mask)), list(map(word, guide.lessons_at(view, mask))), lists, why]


def moment_in_words(
    game: Game, options: Sequence[str], views: Sequence[np.record], mask: np.ndarray, payoffs: Sequence[float]
) -> list[Any]:
    """Return all that people are told of a moment; payoffs: of a deal that is over, else none."""
    variant = game.variant.parse(options)
    guide, seat = guide_of(game, variant), int(views[0].seat)
    names = names_at(variant.players, seat, seat)
    scene = translated(game.scene(variant, views, names, payoffs or None))
    drawn = [scene_in_words(scene), draw_svg(scene), draw_svg(scene, theme="light")]
    if not payoffs:
        general = [
            word(guide.reminder()),
            word(guide.goal),
            word(guide.kind),
            word(guide.answers),
            guide.discards(views[0]),
        ]
        terms = [[word(term), word(meaning)] for term, meaning in guide.terms.items()]
        return [*drawn, general, terms, moves_in_words(guide, views[0], mask)]
    by_seat = sorted(views, key=lambda view: view.seat)
    paid = [word(payment(entry, names)) for entry in guide.payments(by_seat, payoffs)]
    reasons = list(map(word, guide.reasons(by_seat, names, payoffs)))
    return [*drawn, paid, reasons, word(headline(names, payoffs)), [word(chips(won)) for won in payoffs]]


def plain(value: Any) -> Any:
    """Return a view, or a part of one, as JSON holds it: large numbers as texts that end in "n"."""
    if isinstance(value, np.void):
        return {name: plain(value[name]) for name in value.dtype.names or ()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(entry) for entry in value]
    value = value.item() if isinstance(value, np.generic) else value
    return f"{value}n" if isinstance(value, int) and abs(value) >= 2**53 else value


def moments(game: Game, variant: Any, seed: int) -> Iterator[tuple[list[np.record], np.ndarray, list[float]]]:
    """Yield what the seat to act knows before every move of a game played at random, and what all know after deals."""
    session, rng = Session(game, variant, seed), np.random.default_rng(seed)
    while not session.terminated:
        yield [session.view(session.seat)], session.mask(), []
        paid = session.play(int(rng.choice(np.flatnonzero(session.mask()))))
        if paid is not None:
            yield session.as_paid(paid).views(int(rng.integers(variant.players))), session.mask(), paid


def variants_of(game: Game) -> list[Any]:
    """Return variants of a game: its default, and others in which one option is changed."""
    fields = dataclasses.fields(game.variant)
    values = {bool: (False, True), float: (0.5, 2.0)}
    words = [
        f"{field.name}={typed(choice)}"
        for field in fields
        for choice in field.metadata["choices"] or values.get(field.metadata["type"], ())
    ]
    variants = [game.variant(), game.variant(deals=2)]
    for assignment in words:
        try:
            variants.append(game.variant.parse([assignment]))
        except ValueError:
            continue  # it needs another option too
    return list(dict.fromkeys(variants))


class Browser:
    """Functions and games as JavaScript, in a process of node."""

    def __init__(self, folder: Path, game: Game, modules: Path, **functions: Any) -> None:
        """Translate a game and functions into a folder and start node; modules: the folder of WebAssembly."""
        translation = translation_of(game)
        text = translation.of({"game": game, "players": NAMED, **functions})
        imports = [f'import * as {name} from "./{file}.js";' for name, file in SCRIPTS.items()]
        texts = {language: texts_of(language, translation.texts) for language in LANGUAGES if language != "en"}
        files = {f"{name}.js": (RUNTIME.parent / f"{name}.js").read_text("utf-8") for name in SCRIPTS.values()}
        self.sizes = {**files, "code and data": text}
        self.sizes |= {name: json.dumps(entries, ensure_ascii=False) for name, entries in texts.items()}
        networks = Path(gupai_agents.shipped.__file__).parent / "networks"
        driver = DRIVER.format(wasm=modules, networks=networks, catalogues=json.dumps(texts, ensure_ascii=False))
        files |= {"package.json": '{"type": "module"}', "driver.js": driver, "both.js": "\n".join([*imports, text])}
        for name, content in files.items():
            (folder / name).write_text(content, "utf-8")
        command = ["node", folder / "driver.js"]
        self._node = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def call(self, language: str, name: str, *arguments: Any) -> Any:
        """Return what a function returns, as JSON holds it."""
        assert self._node.stdin is not None and self._node.stdout is not None
        self._node.stdin.write(json.dumps([language, name, *arguments]) + "\n")
        self._node.stdin.flush()
        return json.loads(self._node.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._node.communicate()


def difference(ours: Any, theirs: Any, place: str = "") -> str:
    """Return where two values differ first, "" if nowhere."""
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (difference(*pair, f"{place}/{index}") for index, pair in pairs)), "")
    if isinstance(ours, dict) and isinstance(theirs, dict) and [*ours] == [*theirs]:
        return next(filter(None, (difference(ours[name], theirs[name], f"{place}/{name}") for name in ours)), "")
    return "" if ours == theirs else f"{place}: {ours!r} is {theirs!r} in JavaScript"


def compare_words(browser: Browser, game: Game, positions: int, seed: int) -> int:
    """Compare moments of games played at random; return how many. Raises: ValueError for a difference."""
    number, variants = 0, variants_of(game)
    for episode in itertools.count():
        variant = variants[episode % len(variants)]
        for views, mask, paid in moments(game, variant, seed + episode):
            if number == positions:
                return number
            language = [*LANGUAGES][number % len(LANGUAGES)]
            token = speak(language)
            ours = moment_in_words(game, variant.typed(), views, mask, paid)
            TRANSLATIONS.reset(token)
            theirs = browser.call(language, "words", variant.typed(), plain(views), plain(mask), paid)
            require_equal(ours, theirs, f"{game.id} ({variant}), seed {seed + episode}, {language}")
            number += 1
    raise AssertionError


def compare_refusals(browser: Browser, game: Game) -> None:
    """Compare what is said of addresses that no table has. Raises: ValueError for a difference."""
    for change in map(dict, map(parse_qsl, REFUSED)):
        query = {"game": game.id, "seed": "5", "seat": "0", "with": "random", **change}
        try:
            document(query, NAMED, str)
        except ValueError as error:
            theirs = browser.call("en", "document", query, {})
            if theirs != [str(error)]:
                raise ValueError(f"{query_of(query)}: {error} is {theirs} in JavaScript") from error


def compare_documents(browser: Browser, game: Game, positions: int, seed: int, *, searches: bool = False) -> int:
    """Compare the documents of tables as people play them; return how many. Raises: ValueError for a difference."""
    number, variants, rng = 0, variants_of(game), random.Random(seed)
    waits = dict.fromkeys(("hint", "coach"), "" if searches else "The search is being compiled")
    while number < positions:
        variant, practice = rng.choice(variants), rng.choice(["1", COACH, "0"])
        together = [f"greedy;{PERSON}"] * (variant.players > 2)
        others = rng.choice(["random", "greedy", *game.policies, *together])
        seats = {"seed": str(rng.randrange(10**6)), "seat": "0", "with": others}
        query = {**words_of_rules(game, variant), **seats, "practice": practice}
        while number < positions:
            extra = {"hint": str(rng.randrange(4)), "at": "0"}
            extra |= {name: "1" for name in ("unseen", "rough") if rng.random() < 0.3}
            language = [*LANGUAGES][number % len(LANGUAGES)]
            token = speak(language)
            ours = document(query | extra, NAMED, waits.__getitem__)
            TRANSLATIONS.reset(token)
            theirs = browser.call(language, "document", query | extra, waits)
            require_equal(ours, theirs, f"{query_of(query | extra)} in {language}")
            number += 1
            if ours.get("over", "pass" in ours):
                break
            actions = [choice["action"] for move in ours["moves"] for choice in move["choices"]]
            query = {**dict(parse_qsl(ours["address"])), "play": str(rng.choice(actions))}
    return number


def require_equal(ours: Any, theirs: Any, place: str) -> None:
    """Raise ValueError if what Python and JavaScript make differs."""
    if isinstance(theirs, list) and len(theirs) == 1:
        raise ValueError(f"{place}: {theirs[0]}")
    if where := difference(json.loads(json.dumps(ours)), theirs):
        raise ValueError(f"{place}: {where}")


def compare(
    game: Game, positions: int, seed: int, folder: Path, *, modules: Path = WASM, searches: bool = False
) -> tuple[list[int], dict[str, str]]:
    """Return how many moments and documents of a game were compared, and the translation.

    Args:
        folder: Where the translation is written.
        modules: The folder of rules as WebAssembly; no documents are compared where those of the game are not current.
        searches: Whether hints and the coach search.
    """
    browser = Browser(folder, game, modules, words=moment_in_words, document=document)
    numbers = [compare_words(browser, game, positions, seed)]
    if wasm.is_current(modules, game.id):
        compare_refusals(browser, game)
        numbers.append(compare_documents(browser, game, positions, seed, searches=searches))
    browser.close()
    return numbers, browser.sizes


def main() -> None:
    """Compare games and print how much was compared and how large the translation is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[*GAMES], metavar="GAME", help="its id; all games by default")
    parser.add_argument("--positions", type=int, default=300, help="of each game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--searches", action="store_true", help="compare what a search says too")
    parser.add_argument("--keep", type=Path, help="a folder in which the translations stay")
    given = parser.parse_args()
    for name in given.games:
        with tempfile.TemporaryDirectory() as made:
            folder = given.keep / name if given.keep else Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            numbers, texts = compare(GAMES[name], given.positions, given.seed, folder, searches=given.searches)
        parts = {part: text.encode() for part, text in texts.items()}
        sizes = (f"{part} {len(data):,} ({len(gzip.compress(data)):,})" for part, data in parts.items())
        same = " moments, ".join(map(str, numbers)) + (" documents" if len(numbers) > 1 else " moments")
        print(f"{name}: {same} are the same; bytes (compressed): {', '.join(sizes)}", flush=True)


if __name__ == "__main__":
    main()
