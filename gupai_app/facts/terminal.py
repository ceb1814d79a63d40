"""What is known of a game: tables for the terminal and for pages, and JSON."""

import math
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gupai_agents.evaluation.atlas.report import Table, tables_in
from gupai_agents.evaluation.atlas.study import turns_of
from gupai_agents.evaluation.intervals import figures, interval_text, places_of
from gupai_agents.evaluation.statistics import Estimate
from gupai_app.shell.screen import put, put_json, table_of
from gupai_app.words.sentences import translated
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.tiles import tile_name
from gupai_env.core.variant import Variant, in_words
from gupai_env.messages import say
from gupai_env.render import draw_text


def percent(figure: Estimate) -> str:
    """Return a share with its interval, in percent; "-" where there are too few deals to say."""
    mean, low, high = figure[:3]
    if not figure.occurred:
        return "-"
    # Shares near 0 have a second digit.
    places = 2 if high - low <= 0.002 else 1
    ends = f" ({100 * low:.{places}f} to {100 * high:.{places}f})" if figure.has_interval else ""
    return f"{mean:.{places}%}{ends}"


def counted(figure: Estimate) -> str:
    """Return a figure without a sign as precisely as it is known; one that has no upper end is at least its lower."""
    mean, low, high = figure[:3]
    if not figure.occurred:
        return "-"
    if not figure.has_interval or low == high:
        return say("at least {number}", number=f"{low:.0f}") if math.isfinite(low) and low < high else f"{mean:g}"
    return interval_text(mean, low, high, figure.samples, places_of((high - low) / 2), signed=False)


def compared(column: Sequence[Estimate]) -> list[str]:
    """Return chips of a column, so that different ones do not look alike; without an interval they stand alone."""
    halves = [estimate.half_width if estimate.has_interval else 0 for estimate in column]
    return figures([estimate.mean for estimate in column], halves)


COLUMNS: Mapping[str, Callable[[Sequence[Any]], Iterable[str]]] = {
    "chips": compared,
    "share": partial(map, percent),
    "shares": partial(map, lambda shares: " / ".join(f"{share.mean:.1%}" for share in shares)),  # without intervals
    "number": partial(map, counted),
    "exact": partial(map, lambda number: f"{number:,}" if isinstance(number, int) else f"{number:z.4f}"),
    "words": partial(map, say),
}


def as_read(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield tables whose cells are texts, as people read them."""
    for table in tables:
        columns = list(zip(*table.rows, strict=True)) or [()] * len(table.units)
        cells = [COLUMNS[unit](column) for unit, column in zip(table.units, columns, strict=True)]
        yield table._replace(rows=list(zip(*cells, strict=True)))


def answer(content: dict[str, Any], *, as_json: bool) -> None:
    """Print the answer to a question, from its JSON, with the command that asks it."""
    if as_json:
        return put_json({**content, "command": shlex.join(["gupai", *sys.argv[1:]])})
    for table in as_read(tables_in(content)):
        figures = table_of(*table.heads, title=table.title, rows=table.rows)
        put(*filter(None, (table.drawn, figures, table.note)))
    options = in_words(content["variant"])
    if content["question"] == "mixing":
        return put(
            say("{game}, {options}; all deals of the tiny deck, exactly.", game=content["game"], options=options)
        )
    template = "{game}, {options}; {deals:,} deals of each kind, seed {seed}. Intervals are of 95%, over deals."
    return put(say(template, game=content["game"], options=options, deals=content["deals"], seed=content["seed"]))


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
