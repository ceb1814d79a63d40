"""What is known of a game, as text and as JSON."""

import shlex
import sys
from typing import Any

import numpy as np

from gupai_agents.evaluation.facts import Facts, turns_of
from gupai_app.facts.tables import tables_of
from gupai_app.shell.screen import put, put_json, table_of
from gupai_app.words.sentences import translated
from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.tiles import tile_name
from gupai_env.core.variant import Variant, in_words
from gupai_env.render import draw_text
from gupai_env.words.messages import say


def facts(content: dict[str, Any], *, as_json: bool) -> None:
    """Print the facts of a game, from what `facts_content` returns."""
    if as_json:
        return put_json(content)
    for title, heads, rows in tables_of(content):
        table = table_of(*heads, title=title)
        for label, *figures in rows:
            table.add_row(say(label), *figures)
        put(table)
    options = in_words(content["variant"])
    template = "{game}, {options}; {deals:,} deals of each kind, seed {seed}. Intervals are of 95%, over deals."
    put(say(template, game=content["game"], options=options, deals=content["deals"], seed=content["seed"]))


def facts_content(result: Facts) -> dict[str, Any]:
    """Return what `facts` prints as JSON."""
    return {**result.as_numbers(), "command": shlex.join(["gupai", *sys.argv[1:]])}


def dealt(game: Game, variant: Variant, seed: int) -> np.recarray:
    """Return the state of the first deal of a seed, a record array [1]."""
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
    table = table_of("actions", "ways of play")
    for actions, count in enumerate(counts, 1):
        table.add_row(str(actions), f"{count:,}")
    if seed is None:
        put(say("{game}, {options}: {deals:,} different deals, each once", **_named(game, variant), deals=len(states)))
    else:
        put(draw_text(translated(Deal(game, variant, states).scene())))
        put(say("{game}, {options}, seed {seed}", **_named(game, variant), seed=seed))
    put(table)


def perft_content(
    game: Game, variant: Variant, states: np.recarray, counts: list[int], seed: int | None
) -> dict[str, Any]:
    """Return what `perft` prints as JSON, for the same arguments."""
    content = {"game": game.id, "version": game.version, "variant": variant.changed(), "deals": len(states)}
    if seed is not None:
        content |= {"seed": in_json(seed), "turns": turns_of(variant, states)[0].tolist()}
        content |= {"order": order_of(game, variant, states)}
    return content | {"ways_of_play": counts}


def _named(game: Game, variant: Variant) -> dict[str, str]:
    return {"game": game.id, "options": str(variant)}


def order_of(game: Game, variant: Variant, states: np.recarray) -> str:
    """Return the tiles of a deal that has just begun, in the order in which the seats and the table are dealt them."""
    rules = variant.as_rules()
    order = np.zeros(len(game.deck(rules)), np.int8)
    game.history(rules, states[0], order, np.zeros(game.max_decisions, np.int16))
    return " ".join(tile_name(int(kind)) for kind in order)
