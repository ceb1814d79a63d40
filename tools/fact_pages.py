"""The pages of facts, from `results/facts`: one over all games, one a game, and a few lines for pages on strategy."""

import json
from typing import Any

from writing import RESULTS, fill_paragraphs, options_of, signed, table

from gupai_app.facts.tables import chips, number, percent, tables_of
from gupai_env.core.game import Game
from gupai_env.games import GAMES

FOLDER, SOURCE = RESULTS / "facts", "`results/facts`, by `python -m benchmarks.facts`"


def recorded(game: Game) -> list[dict[str, Any]]:
    """Return the facts of the variants of a game, that with the default options first."""
    files = sorted(FOLDER.glob(f"{game.id}*.json"), key=lambda file: (len(file.stem) > len(game.id), file.stem))
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [content for content in contents if content["game"] == game.id]


def page(game: Game) -> str:
    """Return the page of the facts of a game."""
    lines = [
        f"# Facts of {game.title}",
        "",
        "Each player has all seats of the same deals, so what differs between seats is the game's and not the",
        "players'. [What the figures mean, and all games side by side](../facts.md).",
        "",
    ]
    for content in recorded(game):
        lines += [f"## {options_of(content['variant'])}", "", f"`{content['command']}`", ""]
        for title, heads, rows in tables_of(content):
            lines += [f"### {title}", "", *table(heads, rows), ""]
    return fill_paragraphs([*lines, f"*Written by `tools/pages.py` from {SOURCE}.*"])


def overview() -> str:
    """Return the page over all games."""
    contents = {game: recorded(game) for game in GAMES.values()}
    lines = [
        "# The facts of ten games",
        "",
        "What a good player knows of a game, and no rulebook says: who gains by leading, how long a deal is, how it",
        "ends, how much of it is luck. `best`, the strongest player that ships, has all seats here; the page of each",
        "game also has `random`, `greedy` and `tuned`. Intervals are of 95%, over deals. `gupai facts GAME` measures",
        "any variant again.",
        "",
        "## Who gains by leading",
        "",
        "Chips per deal of the seats in order of turn, the one that leads first. In Pai Gow it is the banker.",
        "",
        *table(("game", "variant", "the leader", "the others in turn", "deals"), _leading(contents)),
        "",
        "## How long deals are, and how they end",
        "",
        *table(("game", "decisions", "with one legal action", "legal actions", "ties", "ends"), _ending(contents)),
        "",
        "## Luck and skill",
        "",
        "How much of the variance of a seat's chips the hand as dealt and the place in turn explain (by a linear fit,",
        "judged on other deals); how much of it who plays explains, where every side draws `greedy`, `tuned` or",
        "`best`; and, for `best` against `greedy`, how many games of different deals one game is worth whose",
        "deal is played from all seats.",
        "",
        *table(("game", "the hand explains", "the player explains", "a duplicate is worth"), _luck(contents)),
        "",
        "## The tiny decks",
        "",
        "Searched completely: different deals, positions, information sets, and what the seat that leads wins at an",
        "equilibrium, to the last digit within what a best response still gains.",
        "",
        *table(("game", "deals", "positions", "information sets", "the leader wins", "gain left"), _tiny(contents)),
        "",
    ]
    tree = ["```{toctree}", ":hidden:", ":glob:", "", "facts/*", "```", ""]
    return signed([fill_paragraphs(lines), *tree], SOURCE)


def summary(game: Game) -> list[str]:
    """Return the facts of a game, default options, in a few lines for the page on its strategy."""
    content = recorded(game)[0]
    best, luck = content["self_play"][-1], content["luck"]
    shares = sorted(best["endings"].items(), key=lambda ending: -ending[1]["mean"])
    ends = ", ".join(f"{name} {share['mean']:.1%}" for name, share in shares if share["mean"] >= 0.0005)
    skill = percent(luck["skill"])
    who = "" if skill == "-" else f"; who plays, `greedy`, `tuned` or `best`, {skill}"
    return [
        "## The game in figures",
        "",
        f"With `best` in all seats, {content['deals']:,} deals: the seat that leads wins {chips(best['by_turn'][0])}",
        f"chips per deal. The hand as dealt and the turn explain {percent(best['hand'])} of the variance of",
        f"chips{who}. How deals end: {ends}.",
        f"[All figures](../facts.md), [those of {game.title} by player and number of seats](../facts/{game.id}.md).",
        "",
    ]


Contents = dict[Game, list[dict[str, Any]]]


def _leading(contents: Contents) -> list[tuple[str, ...]]:
    rows = []
    for game, variants in contents.items():
        for content in variants:
            leader, *others = content["self_play"][-1]["by_turn"]
            in_turn = ", ".join(f"{other['mean']:+z.2f}" for other in others)
            link = f"[{game.title}](facts/{game.id}.md)"
            rows.append((link, options_of(content["variant"]), chips(leader), in_turn, f"{content['deals']:,}"))
    return rows


def _ending(contents: Contents) -> list[tuple[str, ...]]:
    rows = []
    for game, (content, *_) in contents.items():
        best = content["self_play"][-1]
        shares = sorted(best["endings"].items(), key=lambda ending: -ending[1]["mean"])
        ends = ", ".join(f"{name} {share['mean']:.1%}" for name, share in shares if share["mean"] >= 0.0005)
        figures = number(best["decisions"]), percent(best["forced"]), number(best["legal"]), percent(best["ties"])
        rows.append((game.title, *figures, ends))
    return rows


def _luck(contents: Contents) -> list[tuple[str, ...]]:
    rows = []
    for game, (content, *_) in contents.items():
        luck = content["luck"]
        hand, skill = percent(content["self_play"][-1]["hand"]), percent(luck["skill"])
        rows.append((game.title, hand, skill, f"{number(luck['gain'])} games"))
    return rows


def _tiny(contents: Contents) -> list[tuple[str, ...]]:
    tiny = {game: content["tiny"] for game, (content, *_) in contents.items()}
    return [
        (
            game.title,
            *(f"{part[name]:,}" for name in ("deals", "nodes", "sets")),
            f"{part['by_turn'][0]:+z.4f}",
            f"{part['exploitability']:.4f}",
        )
        for game, part in tiny.items()
    ]
