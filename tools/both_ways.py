"""Compares what people read and see of games in Python and in JavaScript: `python tools/both_ways.py [GAME ...]`.

Games are played at random. Of every moment all that people are told is compared, in every language: the table, its
drawing, what is to be done, the moves, what speaks for one of them, and how a deal ended.
"""

import argparse
import dataclasses
import gzip
import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gupai_app.page.translation import DATA, NOTHING, RUNTIME, Translation
from gupai_app.play.moves import entries_of, headed
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_app.words.languages import LANGUAGES, speak, texts_of
from gupai_app.words.sentences import headline, names_at, payment, signed_chips, translated
from gupai_env.core.game import Game
from gupai_env.core.scene import Pile, Scene
from gupai_env.core.table import latin
from gupai_env.core.variant import typed
from gupai_env.games import GAMES
from gupai_env.games.guide import Guide, guide_of
from gupai_env.messages import TRANSLATIONS, word
from gupai_env.render.svg import draw_svg

GAME = "gupai_env.core.game.Game"
SEAM = {
    f"{GAME}.guide": DATA,
    f"{GAME}.placed": DATA,
    **dict.fromkeys(
        [f"{GAME}.{name}" for name in ("__post_init__", "hands", "claims", "positions", "module")], NOTHING
    ),
    "gupai_env.render.letters._widths": (),
}
DRIVER = """
import readline from "node:readline";
import * as $ from "./runtime.js";
import * as exported from "./both.js";
const isLarge = (value) => typeof value === "string" && /^\\d+n$/.test(value);
const large = (name, value) => (isLarge(value) ? BigInt(value.slice(0, -1)) : value);
const catalogues = {catalogues};
for await (const line of readline.createInterface({{ input: process.stdin }})) {{
  const [language, name, ...given] = JSON.parse(line, large);
  $.TRANSLATIONS.set(language === "en" ? new $.NullTranslations() : new $.Catalogue(language, catalogues[language]));
  try {{
    console.log(JSON.stringify(exported[name](exported.game, ...given)));
  }} catch (error) {{
    console.log(JSON.stringify([error.stack]));
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
    drawn = [scene_in_words(scene), draw_svg(scene), draw_svg(scene, theme="light", narrow=True)]
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
    return [*drawn, paid, reasons, word(headline(names, payoffs)), [word(signed_chips(chips)) for chips in payoffs]]


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
    words = [
        f"{field.name}={typed(choice)}" for field in fields for choice in field.metadata["choices"] or (False, True)
    ]
    variants = [game.variant(), game.variant(deals=2)]
    for assignment in words:
        try:
            variants.append(game.variant.parse([assignment]))
        except ValueError:
            continue  # it needs another option too
    return list(dict.fromkeys(variants))


def bundle(roots: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a module that exports some objects, and what its texts are in every language but English."""
    games = [value.id for value in roots.values() if isinstance(value, Game)]
    translation = Translation({**SEAM, "gupai_agents.shipped.shipped_heuristics": games})
    text = f'import * as $ from "./runtime.js";\n{translation.of(roots)}'
    mentioned = translation.texts | {latin(game.title) for game in GAMES.values()}
    return text, {language: texts_of(language, mentioned) for language in LANGUAGES if language != "en"}


class Browser:
    """Functions and games as JavaScript, in a process of node."""

    def __init__(self, folder: Path, roots: Mapping[str, Any]) -> None:
        """Translate what is needed into a folder and start node."""
        text, texts = bundle(roots)
        self.sizes = {
            "runtime": RUNTIME.read_text("utf-8"),
            "code and data": text,
            **{name: json.dumps(texts[name], ensure_ascii=False) for name in texts},
        }
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "runtime.js").write_text(RUNTIME.read_text("utf-8"), "utf-8")
        (folder / "both.js").write_text(text, "utf-8")
        driver = DRIVER.format(catalogues=json.dumps(texts, ensure_ascii=False))
        (folder / "driver.js").write_text(driver, "utf-8")
        self._node = subprocess.Popen(
            ["node", folder / "driver.js"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

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


def compare(game: Game, positions: int, seed: int, folder: Path) -> tuple[int, dict[str, str]]:
    """Return how many moments of a game were compared, and the translation; raises ValueError for a difference."""
    browser = Browser(folder, {"game": game, "words": moment_in_words})
    number, variants = 0, variants_of(game)
    for episode in itertools.count():
        variant = variants[episode % len(variants)]
        for views, mask, paid in moments(game, variant, seed + episode):
            language = [*LANGUAGES][number % len(LANGUAGES)]
            token = speak(language)
            ours = json.loads(json.dumps(moment_in_words(game, variant.typed(), views, mask, paid)))
            TRANSLATIONS.reset(token)
            theirs = browser.call(language, "words", variant.typed(), plain(views), plain(mask), paid)
            if isinstance(theirs[0], str):
                raise ValueError(f"{game.id} ({variant}), seed {seed + episode}, {language}: {theirs[0]}")
            if place := difference(ours, theirs):
                raise ValueError(f"{game.id} ({variant}), seed {seed + episode}, {language}: {place}")
            number += 1
            if number == positions:
                browser.close()
                return number, browser.sizes


def main() -> None:
    """Compare games and print how much was compared and how large the translation is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=[*GAMES], metavar="GAME", help="its id; all games by default")
    parser.add_argument("--positions", type=int, default=300, help="of each game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder in which the translations stay")
    given = parser.parse_args()
    for name in given.games:
        with tempfile.TemporaryDirectory() as made:
            folder = given.keep / name if given.keep else Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            number, texts = compare(GAMES[name], given.positions, given.seed, folder)
        parts = {part: text.encode() for part, text in texts.items()}
        sizes = (f"{part} {len(data):,} ({len(gzip.compress(data)):,})" for part, data in parts.items())
        print(f"{name}: {number} moments are the same; bytes (compressed): {', '.join(sizes)}", flush=True)


if __name__ == "__main__":
    main()
