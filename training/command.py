"""`gupai train`: a run from the command line, its progress on the screen."""

from pathlib import Path

from rich.console import Console

try:
    from training.run import Run, Watch
except ImportError as error:
    raise ValueError(f"training needs more packages ({error}): pip install 'gupai[train]'") from None

from training.config import load
from training.progress import LinesWatch, ScreenWatch, results_json, results_table


def train(config: str | None, changes: list[str], go_on: str | None, runs: str, as_json: bool) -> None:
    """Train to the end and print the table of results; see `gupai train --help`.

    Raises: ValueError for anything wrong with the configuration or the saved run.
    """
    console = Console()
    if go_on:
        run = Run(load(Path(go_on) / "config.yaml"), Path(go_on))
    else:
        run = Run.begin(load(str(config), changes), Path(runs))
    watch: Watch = LinesWatch() if as_json else ScreenWatch(console)
    if not as_json:
        console.print(
            f"{run.game.title}: training in {run.folder} on {run.learner.device}; it can be stopped"
        )
    try:
        run.learn(go_on=go_on is not None, watch=watch)
    except KeyboardInterrupt:
        console.print(f"stopped; go on from the last save with: gupai train --resume {run.folder}")
        raise
    if isinstance(watch, ScreenWatch):
        watch.expect(2 * len(run.baselines) * run.config.evaluation.final_deals)
    rows = list(run.results(watch))
    watch.close()
    if as_json:
        print(results_json(run, rows))
        return
    console.print(results_table(run, rows))
    options = "".join(f" -o {name}={value}" for name, value in run.config.variant.items())
    console.print(
        f"Play against it: gupai play {run.game.id} --against checkpoint:{run.folder}{options}",
        soft_wrap=True,
    )
