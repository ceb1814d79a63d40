"""What the commands print at their end: tables for people, JSON for programs."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gupai_agents import agent_names
from gupai_agents.evaluation.exact import GameTree
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournament import Standings
from gupai_app.bench import COUNTED, RUNS, Figure, machine
from gupai_env.core.game import Game
from gupai_env.core.hints import fill_rules
from gupai_env.core.variant import Variant

NAME_WIDTH = 10  # columns of a player's name in a table; a longer one is cut there and told in full below it


def _table(*columns: str, **looks: Any) -> Table:
    table = Table(*columns, box=box.SIMPLE, title_justify="left", **looks)
    for column in table.columns:
        column.overflow = "fold"  # rather than cut what is too long
    return table


def _print(*parts: Any) -> None:
    console = Console(highlight=False, markup=False)
    for part in parts:
        console.print(part)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal, while the block calls `done(number)`."""
    console = Console(stderr=True)
    columns = BarColumn(), TextColumn("{task.completed:,} of {task.total:,} " + what), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda number: bar.advance(task, number)


def games(listed: Iterable[Game]) -> None:
    """Print the games, a line each."""
    table = _table("game", "", show_header=False)
    for game in listed:
        table.add_row(game.id, game.rules_text.partition("\n")[0])
    _print(table, "The rules of a game, its options and its agents: gupai rules GAME")


def rules(game: Game) -> None:
    """Print the rules of a game, its options and who plays it."""
    table = _table("option", "default", "allowed", "meaning")
    table.columns[0].no_wrap = True
    for field in fields(game.variant):
        allowed = game.variant.allowed(field.name)
        table.add_row(field.name, str(field.default).lower(), allowed, field.metadata["help"])
    features = _table("feature", "unit", "range", "meaning")
    features.columns[0].no_wrap = True
    for feature in game.features:
        features.add_row(feature.name, feature.unit, f"{feature.low:g} to {feature.high:g}", feature.meaning)
    styles = _table("player", "weights")
    styles.columns[0].no_wrap = True
    for name, weights in game.styles.items():
        styles.add_row(name, ", ".join(f"{feature}={weight:g}" for feature, weight in weights.items()))
    print(fill_rules(game.rules_text, Console().width))
    _print(
        table,
        f"Set options with -o: gupai play {game.id} -o {game.variant.example()}",
        f"Actions: {game.num_actions}, from {game.action_names[0]} to {game.action_names[-1]}.",
        f"Agents: {', '.join(agent_names(game))}, checkpoint:PATH, sample:PATH, package.module:factory.",
        "Rule-based ones weigh features of an action and play the best:",
        styles,
        features,
        f"Weigh them otherwise: style:FEATURE=WEIGHT,..., {next(iter(game.styles))}+FEATURE=WEIGHT, or with a "
        f"temperature, {next(iter(game.styles))}@1.5",
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of no more than NAME_WIDTH columns, if so few can tell them apart: long ones keep their ends."""
    short = [name if len(name) <= NAME_WIDTH else f"…{name[1 - NAME_WIDTH :]}" for name in names]
    for at, name in enumerate(names):
        length = NAME_WIDTH
        while len(name) > length and any(
            short[at] == (other if len(other) <= length else f"…{other[1 - length :]}")
            for place, other in enumerate(names)
            if place != at and other != name
        ):
            length += 1
            short[at] = f"…{name[1 - length :]}"
    return short


def standings(game: Game, variant: Variant, result: Standings, seconds: float) -> None:
    """Print who won how much from whom and at which seat."""
    who, deals = range(len(result.players)), result.chips.shape[2]
    names = short_names(result.players)
    duels = _table("one of", *(f"against {name}" for name in names), "all", title="Chips a deal")
    seats = range(variant.players)
    by_seat = _table("one of", *(f"seat {seat}" for seat in seats), title="Chips a deal by seat")
    for hero in sorted(who, key=lambda each: -result.total(each).mean):
        won = ["" if hero == villain else str(result.against(hero, villain)) for villain in who]
        duels.add_row(names[hero], *won, str(result.total(hero)))
        by_seat.add_row(names[hero], *(str(result.at_seat(hero, seat)) for seat in seats))
    options = ", ".join(f"{option}={value}" for option, value in variant.changed().items())
    _print(
        duels,
        by_seat,
        *(f"{name} is {full}." for name, full in zip(names, result.players, strict=True) if name != full),
        f"{game.id} v{game.version}, {options or 'default options'}; {deals:,} deals a duel, "
        f"seed {result.seed}; {seconds:.1f} seconds.",
        "One agent sits among equal others, in every deal once at each seat. ± is the half-width of the 95% "
        "interval of a mean over deals.",
    )


def standings_json(game: Game, variant: Variant, result: Standings, seconds: float) -> None:
    """Print the same as one JSON object."""
    who, seats = range(len(result.players)), range(variant.players)
    content = {
        "game": game.id,
        "version": game.version,
        "variant": asdict(variant),
        "agents": result.players,
        "deals": result.chips.shape[2],
        "seed": result.seed,
        "unit": "chips a deal; half_width is that of the 95% interval of the mean over deals",
        "duels": [
            {"hero": hero, "villain": villain, **_numbers(result.against(hero, villain))}
            for hero in who
            for villain in who
            if hero != villain
        ],
        "totals": [{"hero": hero, **_numbers(result.total(hero))} for hero in who],
        "seats": [
            {"hero": hero, "seat": seat, **_numbers(result.at_seat(hero, seat))}
            for hero in who
            for seat in seats
        ],
        "seconds": seconds,
    }
    print(json.dumps(content, indent=2))


def _numbers(value: Estimate) -> dict[str, float | None]:
    """Return an estimate for JSON, which has no infinity."""
    return {"mean": value.mean, "half_width": value.half_width if value.samples > 1 else None}


def exploits(tree: GameTree, policies: dict[str, np.ndarray], seconds: float) -> None:
    """Print what policies win in all seats, and what a best response wins more."""
    two, seats = tree.players == 2, range(tree.players)
    table = _table("in all seats", title="Chips a deal")
    for heading in (*(f"seat {seat}" for seat in seats), *(f"gain at {seat}" for seat in seats)):
        table.add_column(heading, justify="right")
    if two:
        table.add_column("exploitability", justify="right")
    for name, policy in policies.items():
        values, gains = tree.values(policy), tree.gains(policy)
        cells = [*(f"{value:+.4f}" for value in values.round(4) + 0.0), *(f"{gain:.4f}" for gain in gains)]
        table.add_row(name, *cells, *([f"{gains.mean():.4f}"] if two else []))
    options = ", ".join(f"{option}={value}" for option, value in tree.variant.changed().items())
    _print(
        table,
        f"{tree.game.id} v{tree.game.version}, {options}: {tree.nodes:,} nodes, {tree.deals:,} deals, "
        f"{tree.sets:,} information sets; {seconds:.1f} seconds.",
        "A gain is what a best response wins more than the policy itself, the others keeping to it"
        + ("; exploitability is the mean of both." if two else "."),
    )


def exploits_json(tree: GameTree, policies: dict[str, np.ndarray], seconds: float) -> None:
    """Print the same as one JSON object."""
    content = {
        "game": tree.game.id,
        "version": tree.game.version,
        "variant": asdict(tree.variant),
        "nodes": tree.nodes,
        "deals": tree.deals,
        "information_sets": tree.sets,
        "unit": "chips a deal; gain of a best response, exploitability is the mean gain of two seats",
        "policies": [
            {
                "name": name,
                "values": tree.values(policy).tolist(),
                "gains": tree.gains(policy).tolist(),
                "exploitability": tree.exploitability(policy) if tree.players == 2 else None,
            }
            for name, policy in policies.items()
        ],
        "seconds": seconds,
    }
    print(json.dumps(content, indent=2))


def speed(measured: Sequence[Figure]) -> None:
    """Print what was measured, and on which machine."""
    table = _table("game", "what", "decisions/s")
    for figure in measured:
        number, unit = {
            "decisions/s": (",.0f", ""),
            "x": (".2f", " x"),
            "s": (",.2f", " s"),
            "bytes": (",.0f", " bytes"),
        }[figure.unit]
        table.add_row(figure.game, figure.what, f"{figure.value:{number}}{unit}")
    here = "; ".join(f"{what} {value}" for what, value in machine().items())
    _print(table, f"{here}.", f"Medians of {RUNS} runs. {COUNTED}")


def speed_json(measured: Sequence[Figure]) -> None:
    """Print the same as one JSON object."""
    rows = [figure._asdict() for figure in measured]
    print(json.dumps({"machine": machine(), "counted": COUNTED, "runs": RUNS, "figures": rows}, indent=2))
