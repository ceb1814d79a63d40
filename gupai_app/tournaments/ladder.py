"""`gupai ladder`: all players of a game and their strength, for people, as JSON and as a page of the documentation."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gupai_agents.cores import cores
from gupai_agents.evaluation.ladder import Ladder
from gupai_agents.registry import agent_names
from gupai_app.shell.report import put, table_of
from gupai_app.training.speed import machine
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.variant import Variant

SEARCHES = ("search:playouts=50", "search:playouts=200", "search:playouts=1000")
MEANING = (
    "Chips per deal of one player among equal others, each deal played from every seat; ± is the half-width of the "
    "95% interval of the mean over deals. The column of all leaves `random` out, whose noise hides how good players "
    "differ."
)


def players(game: Game, variant: Variant, more: Sequence[str]) -> list[str]:
    """Return the names of all players on the ladder: those by name, those of the user, and searches."""
    return [*agent_names(game, variant), *more, *SEARCHES]


def show(ladder: Ladder, seconds: float) -> None:
    """Print a ladder."""
    table = table_of(
        "one of", *(f"against {name}" for name in ladder.rivals), "all except random", "deals", "decisions/s"
    )
    for rung in ladder.rungs:
        on_each = ["" if name == rung.player else str(won) for name, won in zip(ladder.rivals, rung.chips, strict=True)]
        table.add_row(rung.player, *on_each, str(rung.total), f"{rung.deals:,}", f"{rung.speed:,.0f}")
    put(
        table,
        f"{ladder.game.id} v{ladder.game.version}, {ladder.variant}; seed {ladder.seed}; {seconds:.0f} seconds.",
        MEANING,
        f"Decisions per second are those of a batch, on {cores()} cores.",
    )


def content(ladder: Ladder, seconds: float, command: str) -> dict[str, Any]:
    """Return a ladder for JSON."""
    return {
        "game": ladder.game.id,
        "version": ladder.game.version,
        "variant": asdict(ladder.variant),
        "changed": ladder.variant.changed(),
        "command": command,
        "seed": in_json(ladder.seed),
        "unit": "chips per deal; low and high are the ends of the 95% interval of the mean over n deals",
        "rivals": ladder.rivals,
        "rungs": [
            {
                "player": rung.player,
                "deals": rung.deals,
                "against": {
                    name: won.as_numbers()
                    for name, won in zip(ladder.rivals, rung.chips, strict=True)
                    if name != rung.player
                },
                "all_but_random": rung.total.as_numbers(),
                "decisions_per_second": rung.speed,
            }
            for rung in ladder.rungs
        ],
        "machine": {**machine(), "cores": cores()},
        "seconds": seconds,
    }
