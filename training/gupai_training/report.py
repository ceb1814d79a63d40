"""The report of a training run: strength against time, targets and decisions, and the final table, in one HTML file."""

from gupai_agents.evaluation.html import templates
from gupai_agents.plain_yaml import to_yaml
from gupai_env.core.variant import in_words
from gupai_training.config import went_in
from gupai_training.curves import CHARTS, evaluations_of
from gupai_training.run import Run
from gupai_training.run_folder import FINAL_SEED, Row


def report(run: Run, rows: list[Row]) -> str:
    """Return the report of a run that is finished, with its final table."""
    config, evaluations = run.config, evaluations_of(run.folder)
    return (
        templates("gupai_training")
        .get_template("training_report.html")
        .render(
            run=run,
            config=config,
            options=in_words(config.variant),
            spent=went_in(run.spent.targets, run.decisions),
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
