"""Commands that make players: `train`, `export`, `tune` and `discover`."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gupai_app.shell.errors import Mistake, check_target, mistakes, resume_hint
from gupai_app.shell.options import (
    NOTHING_SAVED,
    Force,
    GameName,
    Options,
    Sharing,
    Threads,
    folder_hint,
    grouped,
    not_empty,
    path_option,
    read_seed,
    read_variant,
)
from gupai_app.shell.packages import require_package
from gupai_app.shell.stop import Stop
from gupai_app.shell.streams import say, worded

if TYPE_CHECKING:
    from gupai_agents.play.workers import Workers
    from gupai_training.run import Run


@grouped
def train(
    config: Annotated[
        str | None,
        typer.Argument(
            metavar="CONFIG",
            callback=not_empty,
            help="Configuration file, or a game for the configuration that ships with it",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting, such as ppo.entropy=0.02; may be repeated"),
    ] = None,
    go_on: Annotated[str | None, path_option("RUN", "Resume the stopped run in this folder", "--resume")] = None,
    runs: Annotated[str, path_option("FOLDER", "Folder in which runs are kept")] = "runs",
    seeds: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Train this many runs in parallel, with consecutive seeds")
    ] = None,
    *,
    sharing: Sharing,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines")] = False,
) -> None:
    """Train a player by search, self-play or both, then print its results against the baselines."""
    if (config is None) == (go_on is None):
        raise Mistake("name a configuration, or a run to resume with --resume")
    if go_on is not None and changes:
        raise Mistake("--set cannot be combined with --resume: a run keeps its settings")
    if seeds is not None and (go_on is not None or sharing != Sharing()):
        raise Mistake("--seeds is for new runs, one in each process; leave out --resume, --ray and --jobs")

    with Stop() as stop, mistakes(), sharing.workers("continue with --resume") as workers:
        made_by = None if sharing == Sharing() else workers
        _begin_or_resume(config, changes or [], go_on, runs, as_json, stop, made_by, seeds)


def _begin_or_resume(
    config: str | None,
    changes: list[str],
    go_on: str | None,
    runs: str,
    as_json: bool,
    stop: Stop,
    workers: "Workers | None" = None,
    seeds: int | None = None,
) -> None:
    """Train to the end and print the table of results; workers: compute targets.

    With `seeds`, so many runs are trained, and the table is over them.

    Raises:
        ValueError: For anything wrong with the configuration or the saved run.
        KeyboardInterrupt: After a signal.
    """
    with stop.held(), require_package("train", "training"):
        from gupai_agents.play.workers import Cluster
        from gupai_training.config import load, saved_config

        # Errors in the configuration are reported before torch is imported.
        settings = load(str(config), changes) if go_on is None else saved_config(Path(go_on))
        if seeds is None:
            from gupai_training.run import Run
    if seeds is not None:
        from gupai_app.training import compare_runs
        from gupai_app.training import seeds as side_by_side

        folders = side_by_side.train(settings, seeds, runs, stop, as_json=as_json)
        compare_runs.compare(folders, None, None, as_json=as_json, force=False)
        return
    with stop.held():
        if go_on is None:
            run = Run.begin(settings, Path(runs), workers)
        else:
            run = Run(settings, Path(go_on), workers)
    if isinstance(workers, Cluster):
        template = "all that was learned is saved; continue with: gupai train --resume {folder}"
        workers.go_on = worded(template, folder=run.folder)
    _train(stop, run, go_on is not None, as_json)


def _train(stop: Stop, run: "Run", go_on: bool, as_json: bool) -> None:
    import torch

    from gupai_app.shell.screen import Screen
    from gupai_app.training.terminal import JsonReporter, ScreenReporter, results_table
    from gupai_env.messages import say as message
    from gupai_training.config import REPORT_FILE
    from gupai_training.report import finish, results_json
    from gupai_training.run import Reporter

    console = Screen()
    reporter: Reporter = JsonReporter() if as_json else ScreenReporter(console)
    if not as_json:
        console.print(
            message(
                "{game}: training in {folder} on {device} in {precision}; ctrl-C saves and stops",
                **{"game": run.game.title, "folder": run.folder},
                **{"device": run.network.device, "precision": run.network.precision},
            ),
            soft_wrap=True,  # a path is not broken
        )
    command = f"gupai train --resume {run.folder}"
    stop.result = message(
        "stopped at once; continue from the last save, if there is one, with: {command}", command=command
    )
    stop.gently = True
    try:
        finished = run.learn(go_on=go_on, reporter=reporter, stop=stop.requested)
    except (FloatingPointError, MemoryError, torch.OutOfMemoryError) as error:
        raise ValueError(f"{run.folder}: {error}") from None
    if not finished:
        stop.result = message("stopped and saved; continue with: {command}", command=command)
        raise KeyboardInterrupt
    stop.result = message("stopped, all is learned and saved; the table comes with: {command}", command=command)
    stop.gently = False
    try:
        if isinstance(reporter, ScreenReporter):
            reporter.expect(2 * len(run.baselines) * run.config.evaluation.final_deals)
        rows = finish(run, reporter, stop.check)
    finally:
        reporter.close()
    if as_json:
        print(results_json(run, rows))
        return
    console.print(results_table(run, rows, console.width))
    console.print(message("Report: {file}", file=run.folder / REPORT_FILE), soft_wrap=True)
    options = "".join(f" -o {option}" for option in run.variant.typed())
    template = "Play against it: gupai play {game} --against checkpoint:{folder}{options}"
    console.print(message(template, game=run.game.id, folder=run.folder, options=options), soft_wrap=True)


def compare_runs(
    folders: Annotated[list[str], typer.Argument(metavar="RUN...", help="Folders of training runs of one game")],
    out: Annotated[
        str | None, path_option("FOLDER", "Write CSV files, pictures and TensorBoard logs to this folder")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="PLAYER", help="Opponent shown in the pictures (default: the strongest baseline)"),
    ] = None,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Also compare unfinished runs, each where it stopped")
    ] = False,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
) -> None:
    """Compare training runs across seeds: chips per deal at the end, and by targets, decisions and seconds."""
    with mistakes(), resume_hint(NOTHING_SAVED):
        from gupai_app.training.compare_runs import compare

        compare(folders, out, against, as_json=as_json, force=force, unfinished=unfinished)


def export(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", callback=not_empty, help="Checkpoint file, or the folder of a run")
    ],
    onnx: Annotated[str | None, path_option("FILE", "Write an ONNX graph to this file")] = None,
    sb3: Annotated[str | None, path_option("FILE", "Write a zip file for MaskablePPO.load")] = None,
    force: Force = False,
) -> None:
    """Export a trained player to other programs: as an ONNX graph, or for sb3-contrib's MaskablePPO."""
    if not (onnx or sb3):
        if not os.path.exists(checkpoint):
            raise Mistake("{path}: there is no such checkpoint", path=checkpoint)
        raise Mistake("say what to write: --onnx FILE, --sb3 FILE or both")
    from gupai_env.storage.files import write_output

    targets = {"--onnx": onnx, "--sb3": sb3}
    for option, file in targets.items():
        if file:
            check_target(option, file, force)
    with mistakes():
        if onnx and sb3 and os.path.realpath(onnx) == os.path.realpath(sb3):
            raise Mistake("--onnx and --sb3 both name {file}; name two files", file=onnx)
        with require_package("train,onnx", "the export"):
            from gupai_training.export import onnx_bytes, sb3_bytes

            makers = {"--onnx": onnx_bytes, "--sb3": sb3_bytes}
            made = {file: makers[option](checkpoint) for option, file in targets.items() if file}
        for file, content in made.items():
            write_output(file, content, force=force)


def export_dataset(
    games: Annotated[
        str, typer.Argument(metavar="FILE", callback=not_empty, help="File of games recorded with --record")
    ],
    out: Annotated[str, path_option("FILE", "New file, FILE.npz or FILE.parquet")],
    agent: Annotated[str | None, path_option("NAME", "Only the decisions of this agent")] = None,
    licence: Annotated[str, path_option("NAME", "Licence that the file names as that of its data")] = "MIT",
    croissant: Annotated[
        bool, typer.Option("--croissant", help="Also write metadata in the format Croissant, FILE.croissant.json")
    ] = False,
    force: Force = False,
) -> None:
    """Write recorded games as arrays to learn from: observations, masks, actions, returns, deals and more."""
    from gupai_env.messages.checks import counted
    from gupai_env.storage.files import write_file

    parquet = out.endswith(".parquet")
    if not out.endswith(".npz") and not parquet:
        raise Mistake("--out {file}: the name of a data set ends with .npz or .parquet", file=out)
    targets = [out, f"{out}.croissant.json"] if croissant else [out]
    for target in targets:
        check_target("--out", target, force, stream=False)
    with mistakes(), resume_hint(NOTHING_SAVED):
        from gupai_agents.evaluation.records.arrays import as_croissant, as_npz, as_parquet, games_to_arrays

        decisions = games_to_arrays(games, agent, licence=licence)
        with require_package("data", "Parquet"):
            content = as_parquet(decisions) if parquet else as_npz(decisions)
        contents = content, as_croissant(decisions, os.path.basename(out), content).encode()
        for target, data in zip(targets, contents, strict=False):
            write_file(target, data, force=force)
    played, dealt = counted(int(decisions.games[-1]) + 1, "game"), counted(int(decisions.deals.max()) + 1, "deal")
    reader = "pandas.read_parquet" if parquet else "numpy.load"
    template = "{file}: {decisions} of {games} of {deals}; {reader}({file!r}) reads them"
    number = counted(len(decisions.actions), "decision")
    say(template, file=out, decisions=number, games=played, deals=dealt, reader=reader)


@grouped
def tune(
    name: GameName,
    option: Options = None,
    start: Annotated[str | None, typer.Option(metavar="HEURISTIC", help="Heuristic of the game to start from")] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="Feature whose weight to tune (default: all); may be repeated"),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0, max=1e6, help="Longest search, in seconds")] = 60.0,
    generations: Annotated[
        int | None,
        typer.Option(min=0, max=1_000_000, help="Most generations to search; the same number finds the same weights"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the deals and the search")] = 0,
    out: Annotated[str | None, path_option("FILE", "Write the heuristic to this file, FILE.yaml")] = None,
    force: Force = False,
    *,
    sharing: Sharing,
) -> None:
    """Tune the weights of a rule-based player by an evolution strategy, and print them with their results."""
    game, variant = read_variant(name, option)
    from gupai_env.storage.files import STREAMS

    if out is not None:
        if out not in STREAMS and not out.endswith(".yaml"):
            raise Mistake("--out {file}: the name of a heuristic's file ends with .yaml", file=out)
        check_target("--out", out, force)  # rather than after all the search

    from gupai_app.training.heuristics import run_tuning

    search: dict[str, Any] = {"start": start, "features": feature, "seconds": seconds, "generations": generations}
    with mistakes(), resume_hint(NOTHING_SAVED), sharing.workers(NOTHING_SAVED) as workers:
        run_tuning(game, variant, out, force=force, seed=read_seed(seed), workers=workers, **search)


@dataclass(frozen=True)
class Effort:
    """Options that say how much is searched for the features that matter."""

    seeds: Annotated[
        int, typer.Option(min=4, max=1000, help="Number of searches; half of them form the findings, half test them")
    ] = 12
    generations: Annotated[int, typer.Option(min=0, max=100_000, help="Generations of tuning with all features")] = 60
    again: Annotated[
        int, typer.Option(min=0, max=100_000, help="Further generations of tuning without each feature")
    ] = 6
    candidate_deals: Annotated[int, typer.Option(min=2, max=1_000_000, help="Deals per candidate of a generation")] = (
        600
    )
    deals: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="Fresh deals in which the tuned heuristics are compared")
    ] = 16_000


@grouped
def discover(
    name: GameName,
    *,
    effort: Effort,
    start: Annotated[str | None, typer.Option(metavar="HEURISTIC", help="Heuristic to start from")] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the deals and the searches")] = 0,
    threads: Threads = None,
    option: Options = None,
    out: Annotated[
        str | None, path_option("FOLDER", "Keep the results as GAME.json; existing ones are not computed again")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object")] = False,
) -> None:
    """Show which features of a heuristic matter: the chips lost by one tuned without each of them."""
    from gupai_env.storage.files import json_text

    game, variant = read_variant(name, option)

    from gupai_agents.evaluation import Budget
    from gupai_app.training import heuristics

    with mistakes(), require_package("tune", "tuning"), resume_hint(folder_hint(out)):
        searched = {"seeds": effort.seeds, "generations": effort.generations, "again": effort.again}
        budget = Budget(**searched, deals=effort.candidate_deals, fresh=effort.deals)
        content = heuristics.run_discovery(game, variant, budget, start, read_seed(seed), threads, out)
    if as_json:
        say(json_text(content, 2))
    else:
        heuristics.show(game, content)
