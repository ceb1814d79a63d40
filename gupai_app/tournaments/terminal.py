"""What tournaments, gates, ladders, the benchmark and best responses print."""

import dataclasses
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.table import Table

from gupai_agents.agent import Agent
from gupai_agents.evaluation import Effort
from gupai_agents.evaluation.benchmark.cards import gaps, replaced_file, suite_of
from gupai_agents.evaluation.benchmark.models import Card
from gupai_agents.evaluation.best_response import NETWORK, SEARCH, TUNING, BestResponse
from gupai_agents.evaluation.exact.all_hands import HandTree
from gupai_agents.evaluation.exact.tree import GameTree
from gupai_agents.evaluation.matches.gating import ACCEPTED, REJECTED, UNDECIDED, Gate
from gupai_agents.evaluation.pages.chart import short
from gupai_agents.evaluation.pages.html import card_head
from gupai_agents.evaluation.tournaments.folder import summary
from gupai_agents.evaluation.tournaments.ladder import Ladder
from gupai_agents.evaluation.tournaments.rating import notes
from gupai_agents.evaluation.tournaments.tournament import MIXED, ONE, TWO, Standings, Tournament
from gupai_agents.networks.checkpoint import write_checkpoint
from gupai_agents.play.workers import cores, machine
from gupai_agents.registry import agent_names
from gupai_app.shell import streams
from gupai_app.shell.packages import require_package
from gupai_app.shell.screen import put, put_json, shares, table_of
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.variant import Variant
from gupai_env.messages import alias, capitalized, joined, say
from gupai_env.messages.checks import counted
from gupai_env.storage.files import check_target

SEARCHES = ("search:playouts=50", "search:playouts=200", "search:playouts=1000")
MEANING = (
    "Chips per deal of one player among equal others, each deal played from every seat; ± is the half-width of the "
    "95% interval of the mean over deals. The column of all leaves `random` out, whose noise hides how good players "
    "differ."
)

PLACE = alias("place", context="column")
GAIN = "A gain is what a best response wins beyond the policy itself while the others keep to the policy"
NAME_WIDTH = 10  # columns of a player's name in a table; a longer one is cut there and written in full below it


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of no more than NAME_WIDTH columns, if so few can tell them apart: long ones keep their ends."""

    def alone(name: str, most: int) -> bool:
        return all(short(name, most) != short(other, most) for other in names if other != name)

    lengths = (next((most for most in range(NAME_WIDTH, len(name)) if alone(name, most)), len(name)) for name in names)
    return [short(name, most) for name, most in zip(names, lengths, strict=True)]


def tournament(results: Tournament, seconds: float, *, as_json: bool = False) -> None:
    """Print what each agent won from each other and at each seat, and its performance.

    Args:
        results: What was played.
        seconds: How long it took.
        as_json: Whether to print JSON.
    """
    who, seats = range(len(results.players)), range(results.variant.players)
    names = short_names(results.players)
    ranked = sorted(who, key=lambda agent: -results.performances[agent].chips.mean)
    ranking = [(agent, names[agent], results.performances[agent]) for agent in ranked]
    parts = [] if results.standings is None else [_duels(results.standings, names, ranked)]
    by_seat = ((name, *(str(results.at_seat(agent, seat)) for seat in seats)) for agent, name, _ in ranking)
    heads = "agent", *(say("seat {number}", number=seat) for seat in seats)
    parts.append(table_of(*heads, title="Chips per deal by seat", rows=by_seat))
    performances = (
        (
            name,
            str(performance.chips),
            _p(performance.p),
            f"{performance.win_share:.1%}",
            f"{sum(number * share for number, share in enumerate(performance.places, 1)):.2f}",
            f"{performance.rating:+z.0f} ±{performance.rating_width:.0f}",
            "" if performance.alpha_rank is None else f"{performance.alpha_rank:.0%}",
        )
        for _, name, performance in ranking
    )
    heads = "agent", "chips", "p", "wins", PLACE, "rating", "alpha-rank"
    parts.append(table_of(*heads, title="Every agent", rows=performances))
    if len(action_types := results.performances[0].action_types) > 1:
        rates = (
            (name, *(f"{rate:.2f}" for rate in performance.action_types.values())) for _, name, performance in ranking
        )
        parts.append(table_of("agent", *action_types, title="Decisions per deal", rows=rates))
    put(
        *parts,
        *_full_names(names, results.players),
        say(
            "{game} v{version}, {options}; {deals:,} deals per duel, seed {seed}; {seconds:.1f} seconds.",
            **{"game": results.game.id, "version": results.game.version, "options": str(results.variant)},
            **{"deals": results.deals, "seed": results.seed, "seconds": seconds},
        ),
        *(say("{text}.", text=line) for line in _tables_of(results)),
        *(say("{text}.", text=note) for note in notes(names, results.ratings.orders)),
        "± is the half-width of the 95% interval of a mean over deals; p, adjusted by Holm, is for the hypothesis of "
        "coming out even; wins is the share of games won, ties shared; place is the mean place; rating is by "
        "Plackett-Luce: 400 points are odds of ten to one of placing above another.",
        content={**summary(results), "seconds": seconds} if as_json else None,
    )


def _full_names(names: Sequence[str], players: Sequence[str]) -> list[str]:
    """Return what the names mean that were cut in a table."""
    pairs = zip(names, players, strict=True)
    return [say("{name} is {full}.", name=name, full=full) for name, full in pairs if name != full]


def _rivals(names: Sequence[str]) -> list[str]:
    return [say("against {player}", player=name) for name in names]


def _duels(standings: Standings, names: Sequence[str], ranked: Sequence[int]) -> Table:
    duels = (
        (
            names[hero],
            *("" if hero == other else str(standings.against(hero, other)) for other in range(len(names))),
            str(standings.total(hero)),
        )
        for hero in ranked
    )
    return table_of("one of", *_rivals(names), "all", title="Chips per deal", rows=duels)


def _tables_of(results: Tournament) -> list[str]:
    """Return the line-ups in words."""
    played = dict.fromkeys(line_up.table for line_up in results.line_ups)
    descriptions = {
        ONE: "One agent sits among equal others, in every deal once at each seat, and counts alone",
        TWO: "Two agents share the seats, in every deal once at each seat",
        MIXED: "All differ, in every deal once at each seat",
    }
    return [say(descriptions[table]) for table in played]


def _p(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def benchmark(cards: Sequence[Card], *, as_json: bool = False) -> None:
    """Print the scores of cards next to each other, by task and in all; raises ValueError as `gaps` does."""
    differences = list(gaps(cards)) if len(cards) > 1 else []
    contents = [card.model_dump(exclude={"results": {"__all__": {"chips"}}}) for card in cards]
    above = [difference.model_dump() for difference in differences]
    names, alone = short_names([f"{card.agent}" for card in cards]), len(cards) == 1
    rows = (
        (
            result.task,
            *(str(card.results[index].score) for card in cards),
            *(_time_and_scale(cards[0], result.task) if alone else ()),
        )
        for index, result in enumerate(cards[0].results)
    )
    put(
        table_of("task", *names, *["µs", "from 0 to 100"][: 2 * alone], rows=rows),
        *_full_names(names, [card.agent for card in cards]),
        *(say("{name}: {text}.", name=card.agent, text=card_head(card)) for card in cards),
        *(
            say("{agent} is {gap} above {first}, deal by deal.", agent=card.agent, gap=gap, first=cards[0].agent)
            for card, gap in zip(cards[1:], differences, strict=True)
        ),
        *(
            say("{agent} thinks {time} per decision on one core.", agent=card.agent, time=say(card.timing.slowest))
            for card in cards
            if card.timing
        ),
        "A score of 0 is that of the weaker player of a task's scale, 100 that of the stronger one, in the same deals "
        "against the whole population; in brackets the 95% interval, a bootstrap over deals.",
        content=None if not as_json else {"cards": contents, "above_the_first": above} if differences else contents[0],
    )


def _time_and_scale(card: Card, name: str) -> tuple[str, str]:
    """Return how long an agent thinks in a task, "" if that is not known, and between whom its score is."""
    suite = suite_of(card)
    players, (bottom, top) = suite.task(name).players, suite.task(name).scale
    if replaced_file(players[top]):  # a later player has its name now
        top = say("{player} of {suite}", player=top, suite=suite.complete.name)
    time = f"{card.timing.microseconds[name]:,.1f}" if card.timing else ""
    return time, say("{bottom} to {top}", bottom=bottom, top=top)


def gate(outcome: Gate, names: Sequence[str], gain: float, seconds: float, *, as_json: bool = False) -> None:
    """Print what a gate decided.

    Args:
        outcome: What it decided.
        names: Challenger and champion.
        gain: Chips per deal that were tested against none.
        seconds: How long it took.
        as_json: Whether to print JSON.
    """
    challenger, champion = names
    message = {
        ACCEPTED: "Accepted: {challenger} wins more than {champion}.",
        REJECTED: "Rejected: {challenger} does not win {gain:g} chips per deal more than {champion}.",
        UNDECIDED: "Undecided: there were no more deals.",
    }[outcome.verdict]
    put(
        say(message, challenger=challenger, champion=champion, gain=gain),
        say(
            "One {challenger} among {champion}: {chips} chips per deal after {deals}, each from every seat; "
            "log-likelihood ratio {ratio:+z.2f}; {seconds:.1f} seconds.",
            **{"challenger": challenger, "champion": champion, "chips": str(outcome.chips), "seconds": seconds},
            **{"deals": counted(outcome.test.samples, "deal"), "ratio": outcome.test.log_likelihood_ratio},
        ),
        content={
            "challenger": challenger,
            "champion": champion,
            "verdict": outcome.verdict,
            "gain": gain,
            **outcome.chips.as_numbers(),
            "deals": outcome.test.samples,
            "log_likelihood_ratio": outcome.test.log_likelihood_ratio,
            "seconds": seconds,
        }
        if as_json
        else None,
    )


def exploitability(
    tree: GameTree | HandTree, policies: dict[str, np.ndarray], seconds: float, *, as_json: bool = False
) -> None:
    """Print what policies win in all seats, and what a best response wins more.

    Args:
        tree: Of all deals.
        policies: Of agents, by their names.
        seconds: How long it took.
        as_json: Whether to print JSON.
    """
    two, seats = tree.sides.max() == 1, range(tree.players)
    figures = [say(template, number=seat) for template in ("seat {number}", "gain at {number}") for seat in seats]
    rows = (
        (
            name,
            *(f"{value:+z.4f}" for value in tree.values(policy)),
            *(f"{gain:z.4f}" for gain in tree.gains(policy)),
            *([f"{tree.exploitability(policy):z.4f}"] if two else []),
        )
        for name, policy in policies.items()
    )
    table = table_of("in all seats", *figures, *["exploitability"] * bool(two), title="Chips per deal", rows=rows)
    for column in table.columns[1:]:
        column.justify = "right"
    mean = f"exploitability is the mean of {'both sides' if tree.players > 2 else 'both'}"
    put(
        table,
        say(
            "{game} v{version}, {options}: {nodes:,} nodes, {deals:,} deals, {sets:,} information sets; "
            "{seconds:.1f} seconds.",
            **{"game": tree.game.id, "version": tree.game.version, "options": str(tree.variant)},
            **{"nodes": tree.nodes, "deals": tree.deals, "sets": tree.sets, "seconds": seconds},
        ),
        say("{text}.", text=joined("; ", [GAIN, mean] if two else [GAIN])),
        content=_exploitability(tree, policies, seconds) if as_json else None,
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


def best_response(response: BestResponse, seconds: float, *, as_json: bool = False) -> None:
    """Print the best response that was found to a frozen agent, and its gain.

    Args:
        response: What was found.
        seconds: How long it took.
        as_json: Whether to print JSON.
    """
    if as_json:
        return put_json({**response.as_numbers(), "seconds": seconds})
    gain, effort = response.gain, response.effort
    method = {
        TUNING: "tuning: {generations} generations of {population} heuristics in {candidate_deals:,} deals each",
        SEARCH: "search: {playouts} playouts per decision",
        NETWORK: "a network that learned from {targets:,} targets in {minutes:.1f} minutes of one core",
    }[effort.method]
    message = "Nothing was found that clearly wins more than {agent} does"
    if gain.side() > 0:
        message = "A best response gains at least {low:.2f} chips per deal from {agent}"
    put(
        say(
            "{finding}: one such player among copies of it wins {gain} chips per deal more than it does in the same "
            "seats.",
            finding=say(message, agent=response.agent, low=gain.low),
            gain=str(gain),
        )
    )
    streams.say("Best response: {spec}", spec=response.response)  # on one line, to be copied
    put(
        say(
            "Found by {method}; measured in {deals:,} other deals, each from every seat.",
            method=say(method, **asdict(effort)),
            deals=gain.samples,
        ),
        *([say("{text}.", text=capitalized(response.note))] if response.note else []),
        _setting(response, seconds),
        "The gain is a lower bound: there may be a better response that was not found. ± is the half-width of its 95% "
        "interval.",
    )


def _setting(result: BestResponse | Ladder, seconds: float, places: int = 1) -> str:
    """Return what was played, and for how long."""
    return say(
        "{game} v{version}, {options}; seed {seed}; {seconds} seconds.",
        **{"game": result.game.id, "version": result.game.version, "options": str(result.variant)},
        **{"seed": result.seed, "seconds": f"{seconds:.{places}f}"},
    )


def learn(
    game: Game, variant: Variant, agent: Agent, effort: Effort, seed: int, out: str | None, force: bool
) -> tuple[Agent, Effort, str]:
    """Return a best response that has learned, the effort that it took, and a note on what it began with.

    Args:
        game: The game.
        variant: Its variant.
        agent: The frozen agent.
        effort: How long to learn.
        seed: Names the deals.
        out: The checkpoint to write, if any.
        force: Whether that may replace a file.

    Raises:
        ValueError: For a missing package, a file that cannot be written, and as `learn_response`.
    """
    with require_package("train", "learning"):
        from gupai_training.best_response import learn_response
    with shares() as notify:
        learned = learn_response(
            game,
            agent,
            minutes=effort.minutes,
            seed=seed,
            progress=lambda share: notify(share, "learning"),
            **variant.changed(),
        )
    player = learned.player
    player.name = "a network that was not kept"
    if out is not None:
        write_checkpoint(check_target(out, force=force), learned.header(), player.tensors)
        player.name = f"checkpoint:{out}"
    note = say("it began as a new network")
    if learned.begun_with:
        note = say("it began with the network of {player}", player=learned.begun_with)
    return player, dataclasses.replace(effort, minutes=learned.minutes, targets=learned.targets), note


def ladder_players(game: Game, variant: Variant, more: Sequence[str]) -> list[str]:
    """Return the names of all players on the ladder: those by name, those of the user, and searches.

    Args:
        game, variant: What they play.
        more: Names that the user gives.
    """
    return [*agent_names(game, variant), *more, *SEARCHES]


def ladder(result: Ladder, seconds: float, *, as_json: bool = False) -> None:
    """Print a ladder.

    Args:
        result: What was played.
        seconds: How long it took.
        as_json: Whether to print JSON.
    """
    rungs = (
        (
            rung.player,
            *("" if name == rung.player else str(won) for name, won in zip(result.rivals, rung.chips, strict=True)),
            str(rung.total),
            f"{rung.deals:,}",
            f"{rung.speed:,.0f}",
        )
        for rung in result.rungs
    )
    put(
        table_of("one of", *_rivals(result.rivals), "all except random", "deals", "decisions/s", rows=rungs),
        _setting(result, seconds, 0),
        MEANING,
        say("Decisions per second are those of a batch, on {cores} cores.", cores=cores()),
        content=_ladder(result, seconds) if as_json else None,
    )


def _ladder(result: Ladder, seconds: float) -> dict[str, Any]:
    return {
        "game": result.game.id,
        "version": result.game.version,
        "variant": asdict(result.variant),
        "changed": result.variant.changed(),
        "command": shlex.join(["gupai", *sys.argv[1:]]),
        "seed": in_json(result.seed),
        "unit": "chips per deal; low and high are the ends of the 95% interval of the mean over n deals",
        "rivals": result.rivals,
        "rungs": [
            {
                "player": rung.player,
                "deals": rung.deals,
                "against": {
                    name: won.as_numbers()
                    for name, won in zip(result.rivals, rung.chips, strict=True)
                    if name != rung.player
                },
                "all_but_random": rung.total.as_numbers(),
                "decisions_per_second": rung.speed,
            }
            for rung in result.rungs
        ],
        "machine": {**machine(), "cores": cores()},
        "seconds": seconds,
    }
