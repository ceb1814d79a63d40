"""`gupai train`: a run from the command line and its progress on the screen."""

from pathlib import Path
from typing import TYPE_CHECKING

from gupai_agents.workers import Cluster
from gupai_app.report import Screen
from gupai_app.stop import Stop

if TYPE_CHECKING:
    from gupai_agents.workers import Workers
    from gupai_training.run import Run
    from gupai_training.run_folder import Row


def train(
    config: str | None,
    changes: list[str],
    go_on: str | None,
    runs: str,
    as_json: bool,
    stop: Stop,
    workers: "Workers | None" = None,
) -> None:
    """Train to the end and print the table of results; see `gupai train --help`. workers: compute targets.

    Raises: ValueError for anything wrong with the configuration or the saved run; KeyboardInterrupt after a signal.
    """
    with stop.held():  # errors in the configuration are reported before torch is imported
        try:
            from gupai_training.config import load, load_run

            settings = load(str(config), changes) if go_on is None else load_run(Path(go_on))
            from gupai_training.run import Run
        except ImportError as error:
            raise ValueError(f"training needs more packages ({error}): pip install 'gupai[train]'") from None
    with stop.held():
        if go_on is None:
            run = Run.begin(settings, Path(runs), workers)
        else:
            run = Run(settings, Path(go_on), workers)
    if isinstance(workers, Cluster):
        workers.go_on = f"all that was learned is saved; go on with: gupai train --resume {run.folder}"
    _train(stop, run, go_on is not None, as_json)


def _train(stop: Stop, run: "Run", go_on: bool, as_json: bool) -> None:
    import torch

    from gupai_app.progress import JsonReporter, ScreenReporter, results_json, results_table
    from gupai_training.run_folder import Reporter

    console = Screen()
    reporter: Reporter = JsonReporter() if as_json else ScreenReporter(console)
    if not as_json:
        console.print(
            f"{run.game.title}: training in {run.folder} on {run.network.device} in {run.network.precision}; ctrl-C "
            "saves and stops",
            markup=False,
        )
    again = f"gupai train --resume {run.folder}"
    stop.result = f" at once; go on from the last save, if there is one, with: {again}"
    stop.gently = True
    try:
        finished = run.learn(go_on=go_on, reporter=reporter, stop=stop.asked)
    except (FloatingPointError, MemoryError, torch.OutOfMemoryError) as error:
        raise ValueError(f"{run.folder}: {error}") from None
    if not finished:
        stop.result = f" and saved; go on with: {again}"
        raise KeyboardInterrupt
    stop.result = f", all is learned and saved; the table comes with: {again}"
    stop.gently = False
    rows = []
    try:
        if isinstance(reporter, ScreenReporter):
            reporter.expect(2 * len(run.baselines) * run.config.evaluation.final_deals)
        for row in run.results(reporter):
            stop.check()
            rows.append(row)
    finally:
        reporter.close()
    stop.check()
    results = results_json(run, rows)
    report = _write_report(run, rows, results)
    if as_json:
        print(results)
        return
    console.print(results_table(run, rows, console.width))
    console.print(f"How it went, as a page: {report}", soft_wrap=True, markup=False)
    options = "".join(f" -o {name}={value}" for name, value in run.config.variant.items())
    console.print(
        f"Play against it: gupai play {run.game.id} --against checkpoint:{run.folder}{options}",
        soft_wrap=True,
        markup=False,
    )


def _write_report(run: "Run", rows: "list[Row]", results: str) -> Path:
    """Write the results of a finished run, and its page; return where that is."""
    from gupai_env.core.files import write_file
    from gupai_training.config import REPORT_FILE, RESULTS_FILE
    from gupai_training.report import report

    write_file(run.folder / RESULTS_FILE, f"{results}\n", force=True)
    path = run.folder / REPORT_FILE
    write_file(path, report(run, rows), force=True)
    return path
