"""`gupai train`: a run from the command line and its progress on the screen."""

from pathlib import Path
from typing import TYPE_CHECKING

from gupai_agents.workers import Cluster
from gupai_app.shell.packages import require_package
from gupai_app.shell.screen import Screen
from gupai_app.shell.stop import Stop
from gupai_app.shell.streams import worded
from gupai_env.words.messages import say

if TYPE_CHECKING:
    from gupai_agents.workers import Workers
    from gupai_training.run import Run


def train(
    config: str | None,
    changes: list[str],
    go_on: str | None,
    runs: str,
    as_json: bool,
    stop: Stop,
    workers: "Workers | None" = None,
    seeds: int | None = None,
) -> None:
    """Train to the end and print the table of results; see `gupai train --help`. workers: compute targets.

    With `seeds`, so many runs are trained, and the table is over them.

    Raises:
        ValueError: For anything wrong with the configuration or the saved run.
        KeyboardInterrupt: After a signal.
    """
    with stop.held(), require_package("train", "training"):
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

    from gupai_app.training.terminal import JsonReporter, ScreenReporter, results_table
    from gupai_training.config import REPORT_FILE
    from gupai_training.report import finish, results_json
    from gupai_training.run_folder import Reporter

    console = Screen()
    reporter: Reporter = JsonReporter() if as_json else ScreenReporter(console)
    if not as_json:
        console.print(
            say(
                "{game}: training in {folder} on {device} in {precision}; ctrl-C saves and stops",
                **{"game": run.game.title, "folder": run.folder},
                **{"device": run.network.device, "precision": run.network.precision},
            ),
            soft_wrap=True,  # a path is not broken
        )
    command = f"gupai train --resume {run.folder}"
    stop.result = say("stopped at once; continue from the last save, if there is one, with: {command}", command=command)
    stop.gently = True
    try:
        finished = run.learn(go_on=go_on, reporter=reporter, stop=stop.requested)
    except (FloatingPointError, MemoryError, torch.OutOfMemoryError) as error:
        raise ValueError(f"{run.folder}: {error}") from None
    if not finished:
        stop.result = say("stopped and saved; continue with: {command}", command=command)
        raise KeyboardInterrupt
    stop.result = say("stopped, all is learned and saved; the table comes with: {command}", command=command)
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
    console.print(say("Report: {file}", file=run.folder / REPORT_FILE), soft_wrap=True)
    options = "".join(f" -o {option}" for option in run.variant.typed())
    template = "Play against it: gupai play {game} --against checkpoint:{folder}{options}"
    console.print(say(template, game=run.game.id, folder=run.folder, options=options), soft_wrap=True)
