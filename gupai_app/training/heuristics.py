"""`gupai tune` finds weights for a heuristic, `gupai discover` which of its features matter."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gupai_agents.evaluation import duel
from gupai_agents.evaluation.ablation import Budget, Searched, discover, planned_deals
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.play.workers import installed
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_agents.players.tune import Tuned, tune
from gupai_agents.registry import agent_names, make_agent
from gupai_app.shell.packages import require_package
from gupai_app.shell.results import keep, locked_output, saved_result
from gupai_app.shell.screen import progress, put, shares, table_of
from gupai_app.shell.streams import say
from gupai_env import __version__
from gupai_env.core.game import Game
from gupai_env.core.rng import in_json
from gupai_env.core.variant import Variant, in_words
from gupai_env.messages import say as message
from gupai_env.storage.files import STREAMS, write_file
from gupai_env.storage.models import to_yaml

TRIED = 5000  # deals against each of the game's players
DIGITS = 4  # of a weight


def run_tuning(game: Game, variant: Variant, out: str | None, *, force: bool, **settings: Any) -> None:
    """Tune, print the heuristic as YAML and, with `out`, write it there. Raises: ValueError as `tune`; OSError.

    Args:
        out: Of a file, "-" for standard output alone.
        force: Whether it may be replaced.
        settings: As of `tune`.
    """
    options = variant.changed()
    with require_package("tune", "tuning"), shares() as notify:
        result = tune(
            game,
            progress=lambda share, generation, gain: notify(share, message("generation {number}", number=generation)),
            **settings,
            **options,
        )
    text = to_yaml(described(result, options, settings["start"]))
    say(text, end="")  # first, so that it is not lost if the file cannot be written
    if out is not None and out not in STREAMS:
        write_file(out, text, force=force)
        say("Play against it: gupai play {game} --against heuristic:{file}", error=True, game=game.id, file=out)


def described(result: Tuned, options: dict[str, Any], start: str | None) -> dict[str, Any]:
    """Return a heuristic with its origin and its results.

    Args:
        result: What tuning found.
        options: Of the rules.
        start: The heuristic where it began, None for the strongest.
    """
    game = result.game
    weights = {name: float(f"{weight:.{DIGITS}g}") for name, weight in result.weights.items()}
    tuned = HeuristicAgent(game, "this", weights)
    gains = {
        name: str(duel(game, tuned, make_agent(name, game, **options), TRIED, seed=result.seed, **options).mean(0))
        for name in agent_names(game, game.variant.make(**options))[1:]
    }
    return {
        "game": game.id,
        "version": game.version,
        "variant": options,
        "weights": weights,
        "chips_per_deal_against": gains,
        "provenance": {
            "by": "gupai tune",
            "start": start or next(reversed(list(game.heuristics))),
            "seed": in_json(result.seed),
            "generations": result.generations,
            "deals": result.deals,
            "tried_in_deals": TRIED,
            "versions": installed("gupai", "cmaes", "numpy", "numba"),
        },
    }


FORMAT = "gupai-discover-1"


def run_discovery(
    game: Game, variant: Variant, budget: Budget, start: str | None, seed: int, threads: int | None, out: str | None
) -> dict[str, Any]:
    """Return what is discovered, for JSON; with `out` it is kept there, and every seed as soon as it is searched.

    What is there already by the same command is not searched again. Raises: ValueError as `discover`, and for what
    another command has left there; OSError.
    """
    request = {"variant": variant.changed(), "start": start, "seed": in_json(seed), "budget": asdict(budget.checked())}
    made_by = {"format": FORMAT, "gupai": __version__, "asked": request}
    path = None if out is None else Path(out) / f"{game.id}.json"
    with locked_output(out, "searching into this folder"):
        if content := saved_result(path, made_by, "features"):
            say("{path}: exists already and is kept", error=True, path=path)
            return content
        part = None if path is None else path.with_suffix(".part")
        saved = _searched(part, made_by)

        def keep_seed(searched: Searched) -> None:
            saved[searched.seed] = searched
            keep(part, {**made_by, "seeds": [list(searched) for searched in saved.values()]}, 1)

        options = variant.changed()
        total = planned_deals(game, budget, start, **options)
        with progress("deals", total) as done:
            done(total // budget.seeds * len(saved))
            ablation = discover(
                game,
                budget=budget,
                start=start,
                seed=seed,
                threads=threads,
                progress=done,
                kept=dict(saved),
                keep=keep_seed,
                **options,
            )
        content = {**made_by, **ablation.as_numbers()}
        keep(path, content, 1)
        if part is not None:
            part.unlink(missing_ok=True)
        return content


def _searched(part: Path | None, made_by: dict[str, Any]) -> dict[int, Searched]:
    """Return the seeds that were searched before, by number."""
    seeds = (saved_result(part, made_by, "seeds") or {"seeds": []})["seeds"]
    try:
        return {searched.seed: searched for searched in (Searched(*values) for values in seeds)}
    except TypeError:
        raise ValueError(message("{path} is damaged; remove it", path=part)) from None


def show(game: Game, content: dict[str, Any]) -> None:
    """Print what has been discovered."""
    rows = (
        (
            label(entry["features"]),
            figure(entry["lost"]),
            replication_text(entry),
            figure(entry["dropped"]),
            figure(entry["weight"]) if len(entry["features"]) == 1 else "",
        )
        for entry in content["features"]
    )
    table = table_of("without", "chips lost", "found again", "if set to zero", "weight", rows=rows)
    table.columns[0].no_wrap = True
    budget = content["budget"]
    findings = ", ".join(label(row["features"]) for row in content["features"] if row["found"])
    put(
        table,
        message(
            "{game} v{version}, {options}; started from {start}, against {rivals}; {seeds} searches of {generations} "
            "generations from seed {seed}, measured in {fresh:,} fresh deals each.",
            **{"game": game.id, "version": content["version"], "options": in_words(content["variant"])},
            **{"start": content["start"], "rivals": ", ".join(content["rivals"]), "seed": content["seed"]},
            **{name: budget[name] for name in ("seeds", "generations", "fresh")},
        ),
        message("The tuned heuristic wins {chips} chips per deal from them.", chips=figure(content["chips"])),
        *([message("Never differ: {features}.", features=", ".join(content["idle"]))] if content["idle"] else []),
        message(
            "Found: {features}. A finding is made in the first half of the searches and must be confirmed by the "
            "second, on deals that the first never saw.",
            features=findings or message("nothing"),
        ),
        message(
            "Lost: how many fewer chips per deal a heuristic tuned without it wins. Weights are scaled so that in half "
            "of all decisions the best action scores at least 1 more than the next. ± is the half-width of the 95% "
            "interval over searches. The features are explained by: gupai rules {game}",
            game=game.id,
        ),
    )


def replication_text(entry: dict[str, Any]) -> str:
    """Return what became of a feature in the second half of the searches; "" if the first stated nothing."""
    if not entry["stated"]:
        return ""
    return message("{figure}, found" if entry["found"] else "{figure}, not found again", figure=figure(entry["again"]))


def label(features: Sequence[str]) -> str:
    """Return the name of a feature, or of a family of them, such as leave_1..6."""
    first, last = features[0], features[-1]
    return first if len(features) == 1 else f"{first}..{last.rpartition('_')[2]}"


def figure(numbers: dict[str, float]) -> str:
    """Return a mean with its interval, small ones with more digits."""
    estimate = Estimate.of(numbers)
    return estimate.text(3 if max(abs(estimate.mean), estimate.half_width) < 1 else 2, "searches")
