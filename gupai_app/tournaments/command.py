"""Commands in which agents play: `tournament`, `record`, `gate`, `ladder`, `best_response`; and what checks them."""

import os
import time
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import typer

from gupai_app.shell.errors import Mistake, check_target, mistakes, resume_hint
from gupai_app.shell.options import (
    BEGIN_AGAIN,
    NOTHING_SAVED,
    AsJson,
    Deals,
    Evaluated,
    Force,
    GameName,
    Jobs,
    Options,
    Record,
    Rivals,
    Seating,
    Sharing,
    TinyOptions,
    grouped,
    not_empty,
    path_option,
    read_agent,
    read_seed,
    read_tiny_variant,
    read_variant,
)
from gupai_app.shell.packages import require_package
from gupai_app.shell.streams import note, say, worded
from gupai_app.tournaments.benchmark import PLAYERS, verify_card


@grouped
def tournament(
    name: GameName,
    agents: Rivals,
    deals: Deals = 5000,
    seed: Annotated[int, typer.Option(help="Random seed")] = 0,
    option: Options = None,
    table: Seating = "one",
    *,
    out: Annotated[str | None, path_option("FOLDER", "Keep games, figures and a report in a new folder")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the stopped tournament in the folder given by --out")
    ] = False,
    record: Record,
    sharing: Sharing,
    as_json: AsJson = False,
) -> None:
    """Compare agents in the same deals, each played from every seat."""
    game, variant = read_variant(name, option)
    rivals = [read_agent(spec, game, variant) for spec in agents]
    seed = read_seed(seed)
    if resume and out is None:
        raise Mistake("--resume needs --out FOLDER, the tournament to resume")
    if record.record is not None and out is not None:
        raise Mistake("--out keeps the games already; leave out --record")

    from gupai_agents.agent import labels_of
    from gupai_agents.evaluation.tournaments import folder as folders
    from gupai_agents.evaluation.tournaments import tournament as play
    from gupai_app.tournaments import terminal

    begin = time.perf_counter()
    options = {"table": table, "seed": seed, **variant.changed()}
    with mistakes():
        plan = play.schedule(game, labels_of(rivals), deals, **options)
    lost = (
        BEGIN_AGAIN
        if out is None
        else worded("finished work is in {folder}: run the command again with --resume", folder=out)
    )
    with sharing.work("deals", len(plan.line_ups) * deals, lost) as how, record.writer() as file:
        if out is None:
            results = play.play_tournament(game, rivals, deals, record=file, **how, **options)
        else:
            results = folders.play_into(out, plan, rivals, resume=resume, **how)
    terminal.tournament(results, time.perf_counter() - begin, as_json=as_json)
    if out is not None:
        say("The tournament is in {folder}; check it with: gupai verify {folder}", error=True, folder=out)


@grouped
def record(
    name: GameName,
    agents: Rivals,
    out: Annotated[str, path_option("FILE", "New file for the games; a name that ends in .gz makes a compressed one")],
    deals: Deals = 5000,
    seed: Annotated[int, typer.Option(help="Which deals are played; no evaluation deals them, whatever its seed")] = 0,
    option: Options = None,
    table: Seating = "one",
    force: Force = False,
    *,
    sharing: Sharing,
) -> None:
    """Record games to learn from, in deals that no evaluation plays; `export-dataset` makes arrays of them."""
    game, variant = read_variant(name, option)
    rivals = [read_agent(spec, game, variant) for spec in agents]
    seed = read_seed(seed)

    from gupai_agents.agent import labels_of
    from gupai_agents.evaluation import data_seed, play_tournament, schedule
    from gupai_env.messages.checks import counted

    options = {"table": table, "seed": data_seed(seed), **variant.changed()}
    with mistakes():
        plan = schedule(game, labels_of(rivals), deals, **options)
    lost = "run the command again, with --force if there is a file of what was finished"
    work = sharing.work("deals", len(plan.line_ups) * deals, lost)
    with work as how, Record(out, force).writer("--out") as file:
        played = play_tournament(game, rivals, deals, record=file, **how, **options)
    games = counted(played.chips[..., 0].size, "game")
    say("{file}: {games} of {deals}", file=out, games=games, deals=counted(deals, "deal"))


def verify(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", callback=not_empty, help="Folder of a tournament kept with --out, or card of a benchmark"
        ),
    ],
    rerun: Annotated[
        bool,
        typer.Option("--rerun", help="Also run the agents and compare their actions; this runs factories and programs"),
    ] = False,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT", help=f"Agent to run again where a card names a program: {PLAYERS}; may be repeated"
        ),
    ] = None,
    jobs: Jobs = 1,
) -> None:
    """Replay the games of a tournament, or the agent of a card, and recompute all figures."""
    from gupai_agents.evaluation.tournaments import folder
    from gupai_env.messages.checks import counted

    if os.path.isfile(path):
        return verify_card(path, agent or (), jobs)
    if not os.path.isdir(path):
        raise Mistake("{path}: there is no such folder, and no such card", path=path)
    if agent:
        raise Mistake("--agent is for cards; the games of a tournament are in its folder")
    if jobs > 1:
        raise Mistake("--jobs is for cards; the games of a tournament are read one after another")
    with mistakes():
        results = folder.verify(path, note=note, agents=rerun)
    games, players = counted(results.chips[..., 0].size, "game"), counted(len(results.players), "agent")
    say("{path}: {games} of {agents}, replayed; all figures match", path=path, games=games, agents=players)


@dataclass(frozen=True)
class Limits:
    """Options that say when a gate opens or shuts."""

    gain: Annotated[float, typer.Option(help="Mean chips per deal that the challenger should win")] = 1.0
    alpha: Annotated[float, typer.Option(help="Probability of accepting a challenger that wins nothing")] = 0.05
    beta: Annotated[float, typer.Option(help="Probability of rejecting a challenger that wins this much")] = 0.05
    most: Annotated[int, typer.Option(min=1, max=1 << 24, help="Deals after which the test stops undecided")] = 100_000


@grouped
def gate(
    name: GameName,
    challenger: Annotated[str, typer.Argument(metavar="CHALLENGER", help="Agent to test")],
    champion: Annotated[str, typer.Argument(metavar="CHAMPION", help="Agent to beat")],
    *,
    limits: Limits,
    seed: Annotated[int, typer.Option(help="Random seed")] = 0,
    option: Options = None,
    record: Record,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Test whether a challenger beats the champion, in as few deals as the error rates allow."""
    game, variant = read_variant(name, option)
    rivals = [read_agent(spec, game, variant) for spec in (challenger, champion)]

    from gupai_agents.evaluation import gate as play
    from gupai_app.tournaments import terminal

    begin = time.perf_counter()
    settings: dict[str, Any] = {**asdict(limits), "seed": read_seed(seed), **variant.changed()}
    with Sharing(jobs).work("deals at most", limits.most) as how, record.writer() as file:
        outcome = play(game, *rivals, record=file, **how, **settings)
    terminal.gate(outcome, (challenger, champion), limits.gain, time.perf_counter() - begin, as_json=as_json)


def ladder(
    name: GameName,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="[AGENT]...", help="Additional players, such as checkpoint:PATH")
    ] = None,
    deals: Deals = 5000,
    few: Annotated[
        int | None,
        typer.Option(min=2, max=1 << 23, help="Deals per duel of a search agent (default: 500, at most --deals)"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed")] = 0,
    option: Options = None,
    jobs: Jobs = 1,
    as_json: AsJson = False,
) -> None:
    """Rate all players of a game, and searches, against its rule-based players, and time their decisions."""
    game, variant = read_variant(name, option)

    from gupai_agents.evaluation.tournaments.ladder import play_ladder
    from gupai_agents.players.search import SearchAgent
    from gupai_app.tournaments import terminal

    players = [read_agent(spec, game, variant) for spec in terminal.ladder_players(game, variant, agents or ())]
    begin, quick = time.perf_counter(), sum(not isinstance(player, SearchAgent) for player in players)
    if few is not None and few > deals:
        raise Mistake("--few {few} is more than the {deals:,} of --deals; choose 2 to {deals}", few=few, deals=deals)
    few = min(500, deals) if few is None else few
    total = quick * (quick - 1) * deals + (len(players) - quick) * quick * few
    with Sharing(jobs).work("deals", total) as how:
        standings = play_ladder(game, players, deals, few, seed=read_seed(seed), **how, **variant.changed())
    terminal.ladder(standings, time.perf_counter() - begin, as_json=as_json)


def exploitability(
    name: GameName,
    agents: Evaluated = None,
    option: TinyOptions = None,
    solve: Annotated[bool, typer.Option("--solve", help="Also compute an equilibrium, by CFR+")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000_000, help="Rounds of CFR+")] = 400,
    as_json: AsJson = False,
) -> None:
    """Compute exactly what a best response wins from agents, on a deck small enough to search completely."""
    game, variant = read_tiny_variant(name, option)

    from gupai_agents import agent_names
    from gupai_agents.agent import labels_of
    from gupai_agents.evaluation.exact import tree as exact
    from gupai_app.tournaments import terminal

    begin = time.perf_counter()
    evaluated = [read_agent(spec, game, variant) for spec in ["random", *(agents or agent_names(game, variant)[1:])]]
    with mistakes():
        tree = exact.build_tree(game, **asdict(variant))
        policies = {
            label: tree.policy([agent] * tree.players)
            for label, agent in zip(labels_of(evaluated), evaluated, strict=True)
        }
    if solve:
        with Sharing().work("rounds of CFR+", rounds) as how:
            policies["CFR+"] = exact.solve(tree, rounds, how["progress"])
    terminal.exploitability(tree, policies, time.perf_counter() - begin, as_json=as_json)


@dataclass(frozen=True)
class Finding:
    """Options that say how a best response is found."""

    method: Annotated[
        str,
        typer.Option(
            help="How to find it: tuning (a heuristic), search (every decision) or network (trained on targets)"
        ),
    ] = "tuning"
    generations: Annotated[int, typer.Option(min=0, max=100_000, help="Generations of tuning")] = 60
    candidate_deals: Annotated[
        int | None,
        typer.Option(
            min=2, max=1_000_000, help="Deals per candidate of tuning (default: 1000, or 200 against a slow agent)"
        ),
    ] = None
    playouts: Annotated[int, typer.Option(min=1, max=1_000_000, help="Playouts per decision of the search")] = 200
    minutes: Annotated[
        float, typer.Option(min=0, max=1e6, help="Minutes of training for the network, in time of one core")
    ] = 10.0
    deals: Annotated[int, typer.Option(min=2, max=1 << 23, help="Deals in which the gain is measured")] = 5000


@grouped
def best_response(
    name: GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Frozen agent to win from")],
    *,
    finding: Finding,
    seed: Annotated[int, typer.Option(help="Random seed of the deals and the search")] = 0,
    option: Options = None,
    out: Annotated[str | None, path_option("FILE", "Write the trained network to this checkpoint")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find a player that wins as much as possible from a frozen agent; its gain is a lower bound on what can be won."""
    game, variant = read_variant(name, option)
    frozen = read_agent(agent, game, variant)
    seed = read_seed(seed)

    from gupai_agents.evaluation import Effort, find_best_response
    from gupai_agents.evaluation.best_response import NETWORK
    from gupai_app.tournaments import terminal

    if out is not None:
        if finding.method != NETWORK:
            raise Mistake("--out writes a trained network; add --method {method}", method=NETWORK)
        check_target("--out", out, force, stream=False)
    begin, learned, note = time.perf_counter(), None, ""
    with mistakes():
        effort = Effort(**asdict(finding)).checked(frozen, variant.players)
    if effort.method == NETWORK:
        with mistakes(), resume_hint(NOTHING_SAVED):
            learned, effort, note = terminal.learn(game, variant, frozen, effort, seed, out, force)
    saved_note = NOTHING_SAVED
    if out is not None:
        saved_note = worded("the network is in {file}: use it as checkpoint:{file}", file=out)
    settings: dict[str, Any] = {"effort": effort, "seed": seed, "learned": learned, **variant.changed()}
    with Sharing().work("deals", effort.total(game), saved_note) as how, require_package("tune", "tuning"):
        response = find_best_response(game, frozen, progress=how["progress"], **settings)
    terminal.best_response(replace(response, note=response.note or note), time.perf_counter() - begin, as_json=as_json)
