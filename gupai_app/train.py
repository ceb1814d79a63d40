"""`gupai train`: a run from the command line, its progress on the screen."""

from pathlib import Path

from rich.console import Console

try:
    from gupai_training.run import Reporter, Run
except ImportError as error:
    raise ValueError(f"training needs more packages ({error}): pip install 'gupai[train]'") from None

from gupai_app.progress import JsonReporter, ScreenReporter, results_json, results_table
from gupai_training.config import load


def train(config: str | None, changes: list[str], go_on: str | None, runs: str, as_json: bool) -> None:
    """Train to the end and print the table of results; see `gupai train --help`.

    Raises: ValueError for anything wrong with the configuration or the saved run.
    """
    console = Console()
    if go_on:
        run = Run(load(Path(go_on) / "config.yaml"), Path(go_on))
    else:
        run = Run.begin(load(str(config), changes), Path(runs))
    reporter: Reporter = JsonReporter() if as_json else ScreenReporter(console)
    if not as_json:
        console.print(
            f"{run.game.title}: training in {run.folder} on {run.learner.device}; it can be stopped"
        )
    try:
        run.learn(go_on=go_on is not None, reporter=reporter)
    except KeyboardInterrupt:
        console.print(f"stopped; go on from the last save with: gupai train --resume {run.folder}")
        raise
    if isinstance(reporter, ScreenReporter):
        reporter.expect(2 * len(run.baselines) * run.config.evaluation.final_deals)
    rows = list(run.results(reporter))
    reporter.close()
    if as_json:
        print(results_json(run, rows))
        return
    console.print(results_table(run, rows))
    options = "".join(f" -o {name}={value}" for name, value in run.config.variant.items())
    console.print(
        f"Play against it: gupai play {run.game.id} --against checkpoint:{run.folder}{options}",
        soft_wrap=True,
    )
