"""The report of a training run: strength against time, targets and decisions, and the final table, in one HTML file."""

from collections.abc import Callable, Iterable
from pathlib import Path

from gupai_agents.evaluation.pages.chart import templates
from gupai_env.storage.files import json_text, write_file
from gupai_env.storage.models import to_yaml
from gupai_training.config import REPORT_FILE, RESULTS_FILE, training_text
from gupai_training.curves import CHARTS, evaluations_of
from gupai_training.run import FINAL_SEED, Reporter, Row, Run


def report(run: Run, rows: list[Row]) -> str:
    """Return the report of a run that is finished, with its final table."""
    config, evaluations = run.config, evaluations_of(run.folder)
    return (
        templates("gupai_training")
        .get_template("training_report.html")
        .render(
            run=run,
            config=config,
            options=str(run.variant),
            spent=training_text(run.spent.targets, run.decisions),
            seconds=evaluations[-1]["seconds"] if evaluations else 0.0,
            deals_seed=config.seed + FINAL_SEED,
            rows=[
                ("player", "against", "chips per deal"),
                *((row.hero, row.villain, str(row.result.mean(0))) for row in rows),
            ],
            yaml=to_yaml(config.model_dump()),
            **{name: draw(evaluations) for name, draw in CHARTS.items()},
        )
    )


def results_json(run: Run, rows: Iterable[Row]) -> str:
    """Return the final table of a run as one JSON object."""
    results = [
        {
            "player": row.hero,
            "against": row.villain,
            "chips_per_deal": row.result.mean(0).as_numbers(),
            "at_seats": [row.result.at_seat(0, seat).as_numbers() for seat in range(run.variant.players)],
        }
        for row in rows
    ]
    head = {"game": run.game.id, "variant": run.config.variant, "checkpoint": str(run.agent_file)}
    return json_text({**head, "seed": run.config.seed, "deals_seed": run.config.seed + FINAL_SEED, "results": results})


def finish(run: Run, reporter: Reporter | None = None, check: Callable[[], object] = lambda: None) -> list[Row]:
    """Play the final table of a run that has learned all, and write it with its page; return the table.

    Args:
        reporter: Is notified of the deals.
        check: Called after every duel; what it raises ends this.
    """
    rows = []
    for row in run.results(reporter):
        check()
        rows.append(row)
    write_report(run, rows)
    return rows


def write_report(run: Run, rows: list[Row]) -> Path:
    """Write the final table of a finished run, and its page; return where that is."""
    write_file(run.folder / RESULTS_FILE, f"{results_json(run, rows)}\n", force=True)
    path = run.folder / REPORT_FILE
    write_file(path, report(run, rows), force=True)
    return path
