"""The results that commands print: tables for people, JSON for programs."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from gupai_agents.evaluation.all_hands import HandTree
from gupai_agents.evaluation.benchmark import gaps, replaced_file, suite_of
from gupai_agents.evaluation.benchmark_models import Card
from gupai_agents.evaluation.best_response import NETWORK, SEARCH, TUNING, BestResponse
from gupai_agents.evaluation.chart import short
from gupai_agents.evaluation.exact import GameTree
from gupai_agents.evaluation.folder import summary
from gupai_agents.evaluation.gating import ACCEPTED, REJECTED, UNDECIDED, Gate
from gupai_agents.evaluation.html import card_head
from gupai_agents.evaluation.rating import notes
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournament import MIXED, ONE, TWO, Standings, Tournament
from gupai_agents.registry import NOT_NAMED, agent_names
from gupai_app.shell.streams import printable, say
from gupai_app.training.speed import COUNTED, RUNS, Figure, machine
from gupai_env.core.game import Game
from gupai_env.words.checks import counted
from gupai_env.words.files import json_text
from gupai_env.words.messages import capitalized
from gupai_env.words.spelling import fill_rules

NARROWEST = 20  # columns; a narrower terminal breaks lines itself
NUMBER = re.compile(r"[+±-]?\d")
WIDEST = 10_000  # columns of a table in a file, more than any needs
NAME_WIDTH = 10  # columns of a player's name in a table; a longer one is cut there and written in full below it


def table_of(*columns: str, **options: Any) -> Table:
    table = Table(*columns, box=box.SIMPLE, title_justify="left", **options)
    for column in table.columns:
        column.overflow = "fold"  # rather than cut what is too long
    return table


class Screen(Console):
    """A console of any width that prints texts as they are, with control characters written out."""

    def __init__(self, **how: Any) -> None:
        super().__init__(markup=False, emoji=False, **how)
        self.width = max(self.width, NARROWEST)

    def render_str(self, text: str, **how: Any) -> Text:
        """Return a text as it is shown; tables ask this of their cells too."""
        return super().render_str(printable(text), **how)


def put(*parts: Any) -> None:
    """Print texts and tables; a table that goes to a file, and not to a terminal, is as wide as it needs to be."""
    console, free = Screen(highlight=False), Screen(highlight=False, width=WIDEST)
    for part in parts:
        if isinstance(part, Table):
            keep_numbers_whole(part)
            if not console.is_terminal and "COLUMNS" not in os.environ:
                free.print(part)
                continue
        console.print(part)


def keep_numbers_whole(table: Table) -> None:
    """Let columns be no narrower than their numbers: where there is too little room, words are broken instead."""
    for column in table.columns:
        words = [word for cell in column.cells for word in str(cell).split() if NUMBER.match(word)]
        column.min_width = max(map(len, words), default=None)


def put_json(content: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json_text(content, 2))


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal, while the block calls `done(number)`."""
    console = Console(stderr=True)
    columns = BarColumn(), TextColumn("{task.completed:,} of {task.total:,} " + what), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda number: bar.advance(task, number)


@contextmanager
def shares() -> Iterator[Callable[[float, str], None]]:
    """Show a bar on standard error, if that is a terminal, while the block calls `notify(share, what it does)`."""
    console = Console(stderr=True)
    columns = BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, what: bar.update(task, completed=share, description=what)


def evaluation_line(row: dict[str, Any]) -> str:
    """Return an evaluation in words: millions of decisions, or targets, and chips per deal against each baseline."""
    found = [
        f"{name} {Estimate.of(value).text(1)}"
        for name, value in row.items()
        if isinstance(value, dict) and "mean" in value
    ]
    if "exploitability" in row:
        found.append("exploitability {best:z.4f}, drawn {drawn:z.4f}".format(**row["exploitability"]))
    number, what = (row["decisions"], "decisions") if row["decisions"] else (row["targets"], "targets")
    return f"{number / 1e6:5.2f}M {what}: {', '.join(found)}"


def games(listed: Iterable[Game]) -> None:
    """Print the games, a line each."""
    table = table_of("game", "", show_header=False)
    for game in listed:
        table.add_row(game.id, game.rules_text.partition("\n")[0])
    put(table, "For the rules of a game, its options and its agents: gupai rules GAME")


def rules(game: Game) -> None:
    """Print the rules of a game, its options and who plays it."""
    table = table_of("option", "default", "allowed", "meaning")
    table.columns[0].no_wrap = True
    for field in fields(game.variant):
        allowed = game.variant.allowed(field.name)
        table.add_row(field.name, str(field.default).lower(), allowed, field.metadata["help"])
    features = table_of("feature", "unit", "range", "meaning")
    features.columns[0].no_wrap = True
    for feature in game.features:
        features.add_row(feature.name, feature.unit, f"{feature.low:g} to {feature.high:g}", feature.meaning)
    heuristics = table_of("player", "weights")
    heuristics.columns[0].no_wrap = True
    for name, weights in game.heuristics.items():
        heuristics.add_row(name, ", ".join(f"{feature}={weight:g}" for feature, weight in weights.items()))
    say(fill_rules(game.rules_text, Screen().width))
    put(
        table,
        f"Set options with -o: gupai play {game.id} -o {game.variant.example()}",
        f"Actions: {game.num_actions}, from {game.action_names[0]} to {game.action_names[-1]}.",
        f"Agents: {', '.join([*agent_names(game), *NOT_NAMED])}.",
        "Rule-based agents weigh features of each action and play the best one:",
        heuristics,
        features,
        f"To change weights: heuristic:FEATURE=WEIGHT,..., {next(iter(game.heuristics))}+FEATURE=WEIGHT, or with a "
        f"temperature, {next(iter(game.heuristics))}@1.5",
    )


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of no more than NAME_WIDTH columns, if so few can tell them apart: long ones keep their ends."""

    def alone(name: str, most: int) -> bool:
        return all(short(name, most) != short(other, most) for other in names if other != name)

    lengths = (next((most for most in range(NAME_WIDTH, len(name)) if alone(name, most)), len(name)) for name in names)
    return [short(name, most) for name, most in zip(names, lengths, strict=True)]


def tournament(found: Tournament, seconds: float, *, as_json: bool = False) -> None:
    """Print what each agent won from each other and at each seat, and its performance."""
    if as_json:
        return put_json({**summary(found), "seconds": seconds})
    who, seats = range(len(found.players)), range(found.variant.players)
    names = short_names(found.players)
    ranked = sorted(who, key=lambda each: -found.performances[each].chips.mean)
    parts: list[Any] = []
    if found.standings is not None:
        parts.append(_duels(found.standings, names, ranked))
    by_seat = table_of("agent", *(f"seat {seat}" for seat in seats), title="Chips per deal by seat")
    performances = table_of("agent", "chips", "p", "wins", "place", "rating", "alpha-rank", title="Every agent")
    action_types = table_of("agent", *found.performances[0].action_types, title="Decisions per deal")
    for agent in ranked:
        performance = found.performances[agent]
        by_seat.add_row(names[agent], *(str(found.at_seat(agent, seat)) for seat in seats))
        place = sum(number * share for number, share in enumerate(performance.places, 1))
        rank = "" if performance.alpha_rank is None else f"{performance.alpha_rank:.0%}"
        rating = f"{performance.rating:+z.0f} ±{performance.rating_width:.0f}"
        performances.add_row(
            names[agent],
            str(performance.chips),
            _p(performance.p),
            f"{performance.win_share:.1%}",
            f"{place:.2f}",
            rating,
            rank,
        )
        action_types.add_row(names[agent], *(f"{rate:.2f}" for rate in performance.action_types.values()))
    put(
        *parts,
        by_seat,
        performances,
        *([action_types] if len(found.performances[0].action_types) > 1 else []),
        *(f"{name} is {full}." for name, full in zip(names, found.players, strict=True) if name != full),
        f"{found.game.id} v{found.game.version}, {found.variant}; {found.deals:,} deals per duel, "
        f"seed {found.seed}; {seconds:.1f} seconds.",
        *(f"{line}." for line in _tables_of(found)),
        *(f"{note.format(agents)}." for note, agents in notes(names, found.ratings.orders)),
        "± is the half-width of the 95% interval of a mean over deals; p, adjusted by Holm, is for the hypothesis of "
        "coming out even; wins is the share of games won, ties shared; place is the mean place; rating is by "
        "Plackett-Luce: 400 points are odds of ten to one of placing above another.",
    )


def _duels(standings: Standings, names: Sequence[str], ranked: Sequence[int]) -> Table:
    duels = table_of("one of", *(f"against {name}" for name in names), "all", title="Chips per deal")
    for hero in ranked:
        won = ["" if hero == other else str(standings.against(hero, other)) for other in range(len(names))]
        duels.add_row(names[hero], *won, str(standings.total(hero)))
    return duels


def _tables_of(found: Tournament) -> list[str]:
    """Return the line-ups in words."""
    played = dict.fromkeys(line_up.table for line_up in found.line_ups)
    descriptions = {ONE: "One agent sits among equal others", TWO: "Two agents share the seats", MIXED: "All differ"}
    return [
        f"{descriptions[table]}, in every deal once at each seat" + (", and counts alone" if table == ONE else "")
        for table in played
    ]


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def benchmark(cards: Sequence[Card], *, as_json: bool = False) -> None:
    """Print the scores of cards next to each other, by task and in all; raises ValueError as `gaps` does."""
    differences = list(gaps(cards)) if len(cards) > 1 else []
    if as_json:
        shown = [card.model_dump(exclude={"results": {"__all__": {"chips"}}}) for card in cards]
        above = [each.model_dump() for each in differences]
        return put_json({"cards": shown, "above_the_first": above} if differences else shown[0])
    names = short_names([f"{card.agent}" for card in cards])
    table = table_of("task", *names, *(["µs", "from 0 to 100"] if len(cards) == 1 else []))
    for at, result in enumerate(cards[0].results):
        row = [str(card.results[at].score) for card in cards]
        if len(cards) == 1:
            suite = suite_of(cards[0])
            task = suite.task(result.task)
            bottom, top = task.scale
            if replaced_file(task.players[top]):  # a later player has its name now
                top = f"{top} of {suite.complete.name}"
            timing = cards[0].timing
            row.append(f"{timing.microseconds[result.task]:,.1f}" if timing else "")
            row.append(f"{bottom} to {top}")
        table.add_row(result.task, *row)
    put(
        table,
        *(f"{name} is {card.agent}." for name, card in zip(names, cards, strict=True) if name != card.agent),
        *(f"{card.agent}: {card_head(card)}." for card in cards),
        *(
            f"{card.agent} is {gap} above {cards[0].agent}, deal by deal."
            for card, gap in zip(cards[1:], differences, strict=True)
        ),
        *(f"{card.agent} thinks {card.timing.slowest} per decision on one core." for card in cards if card.timing),
        "A score of 0 is that of the weaker player of a task's scale, 100 that of the stronger one, in the same deals "
        "against the whole population; in brackets the 95% interval, a bootstrap over deals.",
    )


def gate(found: Gate, names: Sequence[str], gain: float, seconds: float, *, as_json: bool = False) -> None:
    """Print what a gate decided."""
    challenger, champion = names
    if as_json:
        return put_json(
            {
                "challenger": challenger,
                "champion": champion,
                "verdict": found.verdict,
                "gain": gain,
                **found.chips.as_numbers(),
                "deals": found.test.samples,
                "log_likelihood_ratio": found.test.log_likelihood_ratio,
                "seconds": seconds,
            }
        )
    said = {
        ACCEPTED: f"Accepted: {challenger} wins more than {champion}.",
        REJECTED: f"Rejected: {challenger} does not win {gain:g} chips per deal more than {champion}.",
        UNDECIDED: "Undecided: there were no more deals.",
    }[found.verdict]
    put(
        said,
        f"One {challenger} among {champion}: {found.chips} chips per deal after {counted(found.test.samples, 'deal')}, "
        f"each from every seat; log-likelihood ratio {found.test.log_likelihood_ratio:+z.2f}; {seconds:.1f} seconds.",
    )


def exploitability(
    tree: GameTree | HandTree, policies: dict[str, np.ndarray], seconds: float, *, as_json: bool = False
) -> None:
    """Print what policies win in all seats, and what a best response wins more."""
    if as_json:
        return put_json(_exploitability(tree, policies, seconds))
    two, seats = tree.sides.max() == 1, range(tree.players)
    table = table_of("in all seats", title="Chips per deal")
    for heading in (*(f"seat {seat}" for seat in seats), *(f"gain at {seat}" for seat in seats)):
        table.add_column(heading, justify="right")
    if two:
        table.add_column("exploitability", justify="right")
    for name, policy in policies.items():
        values, gains = tree.values(policy), tree.gains(policy)
        cells = [*(f"{value:+z.4f}" for value in values), *(f"{gain:z.4f}" for gain in gains)]
        table.add_row(name, *cells, *([f"{tree.exploitability(policy):z.4f}"] if two else []))
    put(
        table,
        f"{tree.game.id} v{tree.game.version}, {tree.variant}: {tree.nodes:,} nodes, {tree.deals:,} deals, "
        f"{tree.sets:,} information sets; {seconds:.1f} seconds.",
        "A gain is what a best response wins beyond the policy itself while the others keep to the policy"
        + (f"; exploitability is the mean of {'both sides' if tree.players > 2 else 'both'}." if two else "."),
    )


def _exploitability(tree: GameTree | HandTree, policies: dict[str, np.ndarray], seconds: float) -> dict[str, Any]:
    return {
        "game": tree.game.id,
        "version": tree.game.version,
        "variant": asdict(tree.variant),
        "nodes": tree.nodes,
        "deals": tree.deals,
        "information_sets": tree.sets,
        "unit": "chips per deal; gain of a best response, exploitability is the mean gain of two sides",
        "policies": [
            {
                "name": name,
                "values": tree.values(policy).tolist(),
                "gains": tree.gains(policy).tolist(),
                "exploitability": tree.exploitability(policy) if tree.sides.max() == 1 else None,
            }
            for name, policy in policies.items()
        ],
        "seconds": seconds,
    }


def best_response(found: BestResponse, seconds: float, *, as_json: bool = False) -> None:
    """Print the best response that was found to a frozen agent, and its gain."""
    if as_json:
        return put_json({**found.as_numbers(), "seconds": seconds})
    gain, effort = found.gain, found.effort
    method = {
        TUNING: f"tuning: {effort.generations} generations of {effort.population} heuristics in "
        f"{effort.candidate_deals:,} deals each",
        SEARCH: f"search: {effort.playouts} playouts per decision",
        NETWORK: f"a network that learned from {effort.targets:,} targets in {effort.minutes:.1f} minutes of one core",
    }[effort.method]
    said = (
        f"A best response gains at least {gain.low:.2f} chips per deal from {found.agent}"
        if gain.low > 0
        else f"Nothing was found that clearly wins more than {found.agent} does"
    )
    put(f"{said}: one such player among copies of it wins {gain} chips per deal more than it does in the same seats.")
    say(f"Best response: {found.response}")  # on one line, to be copied
    put(
        f"Found by {method}; measured in {gain.samples:,} other deals, each from every seat.",
        *([f"{capitalized(found.note)}."] if found.note else []),
        f"{found.game.id} v{found.game.version}, {found.variant}; seed {found.seed}; {seconds:.1f} seconds.",
        "The gain is a lower bound: there may be a better response that was not found. ± is the half-width of its 95% "
        "interval.",
    )


def speed(measured: Sequence[Figure], *, as_json: bool = False) -> None:
    """Print what was measured, and on which machine."""
    if as_json:
        figures = [figure._asdict() for figure in measured]
        return put_json({"machine": machine(), "counted": COUNTED, "runs": RUNS, "figures": figures})
    table = table_of("game", "what", "decisions/s")
    shown = {"decisions/s": "{:,.0f}", "x": "{:.2f} x", "s": "{:,.2f} s", "bytes": "{:,.0f} bytes"}
    for figure in measured:
        table.add_row(figure.game, figure.what, shown[figure.unit].format(figure.value))
    here = "; ".join(f"{what} {value}" for what, value in machine().items())
    put(table, f"{here}.", f"Medians of {RUNS} runs. {COUNTED}")
