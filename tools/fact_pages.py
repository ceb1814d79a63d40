"""The pages of facts, from `results/facts`: one over all games and one for each game."""

import json
from typing import Any

from writing import RESULTS, filled

from gupai_agents.evaluation.atlas import QUESTIONS, Table, tables_in
from gupai_agents.evaluation.intervals import figures
from gupai_agents.evaluation.pages.chart import Scale
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.facts.terminal import as_read, counted, percent
from gupai_env.core.game import Game
from gupai_env.core.tiles import PIPS, parse_tiles
from gupai_env.games import GAMES
from gupai_env.games.phrases import latin
from gupai_env.render.pieces import LENGTH, LIGHT, style, symbols, text_at, tile_at

FOLDER, SOURCE = RESULTS / "facts", "`results/facts` and `results/atlas`, by `python -m benchmarks.facts`"
ATLAS = RESULTS / "atlas"
TINY = "The tiny deck, searched completely"
TILE, STEP, HIGH, EDGE = 34, 46, 420, 30  # sizes in the picture of what tiles are worth, in pixels


def recorded(game: Game) -> list[dict[str, Any]]:
    """Return the facts of the variants of a game, that with the default options first."""
    files = sorted(FOLDER.glob(f"{game.id}*.json"), key=lambda file: (len(file.stem) > len(game.id), file.stem))
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [content for content in contents if content["game"] == game.id]


def answers(game: Game) -> dict[str, dict[str, Any]]:
    """Return what is recorded of the questions about a game, by question."""
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(ATLAS.glob(f"{game.id}-*.json"))]
    return {content["question"]: content for content in contents if content["game"] == game.id}


def table_in(content: dict[str, Any], which: str | int = 0) -> Table:
    """Return a table of an answer, by its title or its number."""
    tables = tables_in(content)
    return tables[which] if isinstance(which, int) else next(table for table in tables if table.title == which)


def cells(content: dict[str, Any], which: str | int = 0) -> dict[str, dict[str, str]]:
    """Return the figures of a table of an answer as texts, by the first cell of a row and the head of a column."""
    (table,) = as_read([table_in(content, which)])
    return {str(row[0]): dict(zip(table.heads, map(str, row), strict=True)) for row in table.rows}


def tiles(rows: dict[str, dict[str, str]], *part: int | None) -> str:
    """Return some of the tiles, with what they are worth."""
    worth = [f"{name} {row['chips more than the mean tile']}" for name, row in rows.items()]
    return ", ".join(worth[slice(*part)])


def around(rows: dict[str, dict[str, str]], player: str) -> list[str]:
    """Return what a weaker player loses and the others gain: itself, the next in turn, others, the one before, less."""
    own, following, *others, before, less = (row[player] for row in rows.values())
    return [own, following, ", ".join(others), before, less]


def page(game: Game) -> str:
    """Return the page of the facts of a game."""
    how = {"tables_in": tables_in, "as_read": as_read, "questions": QUESTIONS, "source": SOURCE}
    return filled("facts-of-game.md", game=game, contents=[*recorded(game), *answers(game).values()], **how)


def picture(game: Game) -> str:
    """Return a drawing of the tiles by what they are worth in the hand that is dealt, each at its height."""
    rows = answers(game)["tiles"]["tables"][0]["rows"]
    worth = [(parse_tiles(name)[0], cell) for name, cell in rows]
    y = Scale.spanning((cell["mean"] for _, cell in worth), HIGH - EDGE - LENGTH * TILE / 2, EDGE + LENGTH * TILE / 2)
    width = 2 * EDGE + STEP * len(worth)
    lines = [f'<path class="g-line-quiet" stroke-opacity=".4" d="M0 {y(value)}H{width}"/>' for value, _ in y.lines]
    pieces = [text_at(4, y(value) - 7, f"{value:+g}", 11, "quiet") for value, _ in y.lines]
    means = figures([cell["mean"] for _, cell in worth], [cell["high"] - cell["mean"] for _, cell in worth])
    for index, ((kind, cell), text) in enumerate(zip(worth, means, strict=True)):
        x, middle = EDGE + STEP * (index + 0.5), y(cell["mean"])
        pieces += tile_at(tuple(PIPS[kind].tolist()), x - TILE / 2, middle - LENGTH * TILE / 2, TILE)
        pieces.append(text_at(x, middle + LENGTH * TILE / 2 + 11, text.partition(" ")[0], 11, "ink", "middle"))
    drawn = "".join(piece.svg for piece in pieces)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HIGH}"><style>{style(LIGHT)}</style>'
        f'<defs>{symbols(drawn)}</defs><rect class="g-panel" width="100%" height="100%"/>'
        f"{''.join(lines)}{drawn}</svg>\n"
    )


def plain(figure: Estimate) -> str:
    """Return a figure above zero without its sign."""
    return figure.text().removeprefix("+")


def games_where(place: int, tile: str) -> str:
    """Return the games in which a tile has a place among all by what it is worth, 0 for the best, -1 for the worst."""
    worth = {game: answers(game)["tiles"]["tables"][0]["rows"] for game in GAMES.values() if "tiles" in answers(game)}
    names = [latin(game.title) for game, rows in worth.items() if rows[place][0] == tile]
    return " and ".join([", ".join(names[:-1]), names[-1]])


def figures_of(game: str, question: str) -> list[dict[str, dict[str, Any]]]:
    """Return the cells of the tables that answer a question, see `Table.columns`; none if it is not recorded."""
    content = answers(GAMES[game]).get(question)
    return [table.columns() for table in tables_in(content)] if content else []


def overview() -> str:
    """Return the page over all games."""
    facts = {game: recorded(game) for game in GAMES.values()}
    (deals,) = {content["deals"] for variants in facts.values() for content in variants}
    by_question = {game: answers(game) for game in facts}
    tinies = {  # of different options, the default ones first
        game: {row["options"]: row for content in reversed(variants) for row in cells(content, TINY).values()}
        for game, variants in facts.items()
    }
    helpers = {part.__name__: part for part in (cells, tiles, around, endings, games_where, figures_of, plain, counted)}
    return filled(
        "facts.md",
        facts=facts,
        tinies=tinies,
        by_question=by_question,
        questions=QUESTIONS,
        source=SOURCE,
        deals=f"{deals:,}",
        GAMES=GAMES,
        **helpers,
    )


def endings(content: dict[str, Any]) -> str:
    """Return how deals end with the strongest player in all seats, the most frequent first."""
    *_, shares = table_in(content, "How deals end").columns().values()
    frequent = sorted(shares.items(), key=lambda ending: -ending[1].mean)
    return ", ".join(f"{name} {percent(share)}" for name, share in frequent if share.mean >= 0.0005)
