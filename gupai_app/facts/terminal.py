"""What is known of a game: tables for the terminal and for pages, and JSON."""

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import ceil, log10
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.evaluation.facts import TURNS, turns_of
from gupai_agents.evaluation.intervals import figures, interval_text, places_of
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.shell.screen import put, put_json, table_of
from gupai_app.words.sentences import translated
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.tiles import tile_name
from gupai_env.core.variant import Variant, in_words
from gupai_env.messages import say, with_messages
from gupai_env.render import draw_text

ENDS = ("mean", "low", "high")  # of an interval


class Rows(NamedTuple):
    """A table: its title, the heads of its columns, and its rows."""

    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]


def chips(figure: Mapping[str, Any]) -> str:
    """Return a figure with its interval."""
    return str(Estimate.of(figure))


def number(figure: Mapping[str, Any]) -> str:
    """Return a figure without a sign, with its interval; one that is the same in all deals has none."""
    mean, low, high = (figure[name] for name in ENDS)
    if mean is None:
        return "-"
    if low is None or low == high:
        return f"{mean:g}"
    return interval_text(mean, low, high, figure["n"], signed=False)


def percent(figure: Mapping[str, Any]) -> str:
    """Return a share with its interval, in percent; "-" where there are too few deals to say."""
    mean, low, high = (figure[name] for name in ENDS)
    if mean is None:
        return "-"
    # Shares near 0 have a second digit.
    places = 1 if low is None or high - low > 0.002 else 2
    return f"{mean:.{places}%}" + ("" if low is None else f" ({100 * low:.{places}f} to {100 * high:.{places}f})")


def sure(tiny: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return chips by turn of a tiny deck, with no digits beyond the gain of a best response, and that gain."""
    gain = tiny["exploitability"]
    places = min(4, max(0, -ceil(log10(max(gain, 1e-9)))))
    sure_values = [f"{value:+z.{places}f}" for value in tiny["by_turn"]]
    return sure_values, f"{gain:.{places + 1}f}" if gain >= 1e-4 else "< 0.0001"


def tables_of(content: Mapping[str, Any]) -> Iterator[Rows]:
    """Yield the tables of facts."""
    parts = content["self_play"]
    heads = tuple(part["player"] for part in parts)
    yield Rows(
        "Chips per deal by turn, with one player in all seats",
        ("turn", *heads),
        [(TURNS[turn], *(chips(part["by_turn"][turn]) for part in parts)) for turn in range(len(parts[0]["by_turn"]))],
    )
    yield Rows(
        "A deal",
        ("figure", *heads),
        [
            ("decisions", *(number(part["decisions"]) for part in parts)),
            ("decisions with one legal action", *(percent(part["forced"]) for part in parts)),
            ("legal actions of a decision", *(number(part["legal"]) for part in parts)),
            ("deals that end in a tie for the first place", *(percent(part["ties"]) for part in parts)),
            ("variance of chips that hand and turn explain", *(percent(part["hand"]) for part in parts)),
        ],
    )
    if endings := parts[0]["endings"]:
        rows = [(ending, *(percent(part["endings"][ending]) for part in parts)) for ending in endings]
        yield Rows("How deals end", ("end", *heads), rows)
    if figures := parts[0]["figures"]:
        yield Rows("What happens in a deal", ("figure", *heads), [_figure(parts, name) for name in figures])
    yield from _of_duels(content, parts[-1]["player"], content["rival"])
    yield _of_tiny_deck(content["tiny"])


def _of_duels(content: Mapping[str, Any], best: str, rival: str) -> Iterator[Rows]:
    """Yield the tables of two players in the same deals: luck and skill, and where their choices differ."""
    luck = content["luck"]
    variance = say("variance of one game of {best} against {rival}, in chips squared", best=best, rival=rival)
    yield Rows(
        "Luck and skill",
        ("figure", "value"),
        [
            (variance, number(luck["variance"])),
            ("of it within a deal that is played from all seats", number(luck["within"])),
            ("games of different deals that are worth one game of a deal played from all seats", number(luck["gain"])),
            ("variance of chips that is explained by who plays, where all sides draw a player", percent(luck["skill"])),
        ],
    )
    types = list(dict.fromkeys(name for now in content["choices"] for name in now["types"]))
    pairs = [say("{type}: {best}, {rival}", type=say(name), best=best, rival=rival) for name in types]
    yield Rows(
        say("Choices of {best} where {rival} would decide, by round", best=best, rival=rival),
        ("round", "they differ in", *pairs),
        [
            (str(now["round"]), percent(now["differ"]), *(_pair(now["types"].get(name)) for name in types))
            for now in content["choices"]
        ],
    )


def _of_tiny_deck(tiny: Mapping[str, Any]) -> Rows:
    values, gain = sure(tiny)
    return Rows(
        "The tiny deck, searched completely",
        ("figure", "value"),
        [
            ("options of the tiny deck", in_words(tiny["options"])),
            ("different deals", f"{tiny['deals']:,}"),
            ("positions", f"{tiny['nodes']:,}"),
            ("information sets", f"{tiny['sets']:,}"),
            ("chips of the seat that leads and of the others at an equilibrium", ", ".join(values)),
            ("chips per deal that a seat still gains by a best response, mean of the two sides", gain),
        ],
    )


def _figure(parts: list[Mapping[str, Any]], name: str) -> tuple[str, ...]:
    figures = [part["figures"][name] for part in parts]
    if figures[0]["share"]:
        return (figures[0]["what"], *map(percent, figures))
    label = say("{what} ({unit})", what=say(figures[0]["what"]), unit=say(figures[0]["unit"]))
    return (label, *map(number, figures))


def _pair(figures: list[Mapping[str, Any]] | None) -> str:
    return " / ".join(f"{figure['mean']:.1%}" for figure in figures) if figures else ""


def facts(content: dict[str, Any], *, as_json: bool) -> None:
    """Print the facts of a game, from what `facts_content` returns."""
    if as_json:
        return put_json(content)
    for title, heads, rows in tables_of(content):
        put(table_of(*heads, title=title, rows=((say(label), *figures) for label, *figures in rows)))
    put_origin(content)


def put_origin(content: Mapping[str, Any]) -> None:
    """Print of what deals figures are."""
    options = in_words(content["variant"])
    if content.get("question") == "mixing":
        return put(
            say("{game}, {options}; all deals of the tiny deck, exactly.", game=content["game"], options=options)
        )
    template = "{game}, {options}; {deals:,} deals of each kind, seed {seed}. Intervals are of 95%, over deals."
    return put(say(template, game=content["game"], options=options, deals=content["deals"], seed=content["seed"]))


def with_command(content: dict[str, Any]) -> dict[str, Any]:
    """Return what is printed as JSON: figures, and the command that measures them."""
    return {**content, "command": shlex.join(["gupai", *sys.argv[1:]])}


def answer_tables(content: Mapping[str, Any]) -> Iterator[Rows]:
    """Yield the tables of an answer of the atlas, from its JSON."""
    for table in with_messages(content["tables"], content["messages"]):
        columns = list(zip(*table["rows"], strict=True)) or [()] * len(table["units"])
        cells = [COLUMNS[unit](column) for unit, column in zip(table["units"], columns, strict=True)]
        yield Rows(table["title"], tuple(table["heads"]), list(zip(*cells, strict=True)))


def _compared(cells: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return chips of a column, so that different ones do not look alike; without an interval they stand alone."""
    estimates = [Estimate.of(cell) for cell in cells]
    halves = [estimate.half_width if estimate.has_interval else 0 for estimate in estimates]
    return figures([estimate.mean for estimate in estimates], halves)


def counted(figure: Mapping[str, Any]) -> str:
    """Return a figure without a sign as precisely as it is known; one that has no upper end is at least its lower."""
    mean, low, high = (figure[name] for name in ENDS)
    if mean is None:
        return "-"
    if high is None:
        return f"{mean:g}" if low is None else say("at least {number}", number=f"{low:.0f}")
    return interval_text(mean, low, high, figure["n"], places_of((high - low) / 2), signed=False)


COLUMNS: Mapping[str, Callable[[Sequence[Any]], Iterable[str]]] = {
    "chips": _compared,
    "share": partial(map, percent),
    "number": partial(map, counted),
    "exact": partial(map, "{:z.4f}".format),
    "words": partial(map, say),
}


def answer(content: dict[str, Any], *, as_json: bool) -> None:
    """Print an answer of the atlas, from its JSON."""
    if as_json:
        return put_json(content)
    for table, (title, heads, rows) in zip(content["tables"], answer_tables(content), strict=True):
        put(*filter(None, (table.get("drawn"), table_of(*heads, title=title, rows=rows), table["note"])))
    put_origin(content)


def dealt(game: Game, variant: Variant, seed: int) -> np.recarray:
    """Return the state of the first deal of a seed, a record array [1].

    Args:
        game, variant: What is dealt.
        seed: A seed of an environment.
    """
    deal = Deal(game, variant)
    deal.start(seed)
    return deal.states


def perft(
    game: Game, variant: Variant, states: np.recarray, counts: list[int], seed: int | None, *, as_json: bool
) -> None:
    """Print how many ways of play there are.

    Args:
        game, variant: The rules.
        states: The deals that were counted.
        counts: By number of actions, from 1.
        seed: Of the deal; None for all deals.
    """
    if as_json:
        return put_json(perft_content(game, variant, states, counts, seed))
    if seed is None:
        put(say("{game}, {options}: {deals:,} different deals, each once", **_named(game, variant), deals=len(states)))
    else:
        put(draw_text(translated(Deal(game, variant, states).scene())))
        put(say("{game}, {options}, seed {seed}", **_named(game, variant), seed=seed))
    put(
        table_of(
            "actions", "ways of play", rows=((str(actions), f"{count:,}") for actions, count in enumerate(counts, 1))
        )
    )


def perft_content(
    game: Game, variant: Variant, states: np.recarray, counts: list[int], seed: int | None
) -> dict[str, Any]:
    """Return what `perft` prints as JSON, for the same arguments.

    Args:
        game, variant: What is played.
        states: Where play begins, a record array [deals].
        counts: Ways of play by the number of actions, from 1.
        seed: Of the deal, None for all deals of the tiny deck.
    """
    content = {"game": game.id, "version": game.version, "variant": variant.changed(), "deals": len(states)}
    if seed is not None:
        content |= {"seed": in_json(seed), "turns": turns_of(variant, states)[0].tolist()}
        content |= {"order": order_of(game, variant, states)}
    return content | {"ways_of_play": counts}


def _named(game: Game, variant: Variant) -> dict[str, str]:
    return {"game": game.id, "options": str(variant)}


def order_of(game: Game, variant: Variant, states: np.recarray) -> str:
    """Return the tiles of a deal that has just begun, in the order in which the seats and the table are dealt them.

    Args:
        game, variant: What is played.
        states: The deal, a record array [1].
    """
    rules = variant.as_rules()
    order = np.zeros(len(game.deck(rules)), np.int8)
    game.history(rules, states[0], order, np.zeros(game.max_decisions, np.int16))
    return " ".join(tile_name(int(kind)) for kind in order)
