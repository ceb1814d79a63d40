"""The list of trained players and their cards, written from the headers of the networks that ship."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

from writing import MODELS, chips_of, filled, interval, variant_of, written

from gupai_agents.players.identity import digest_of
from gupai_agents.shipped import networks
from gupai_env.core.game import Game
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES
from gupai_env.storage.models import parse_yaml, to_yaml
from gupai_training.config import by_key, training_text


def models() -> str:
    """Return the list of all networks that come with the package."""
    players = [(game, file, header) for game in GAMES.values() for file, header in networks(game.id)]
    return written("models.md", players=players, learned=_learned)


def card(game: Game, file: Path, header: dict[str, Any]) -> str:
    """Return the model card of a network, with the metadata that the Hugging Face Hub reads."""
    stages, options = _stages(header), in_words(variant_of(game, header))
    missing = {number: specs for number, stage in enumerate(stages, 1) if (specs := _without_recipe(stage))}
    return filled(
        "card.md",
        game=game,
        file=file,
        header=header,
        metadata=to_yaml(_metadata(game, file, header, options)).rstrip(),
        options=options,
        stages=stages,
        missing=missing,
        continued=any(str(_settings(stage).get("start")) != "None" for stage in stages),
        met_rivals=any(parse_yaml(stage["recipe"])["expert_iteration"].get("true_hands") for stage in stages),
        commands=_commands(file),
        won=chips_of(header),
        tiny=json.loads((MODELS / "tiny.json").read_text(encoding="utf-8")).get(file.stem),
        size=file.stat().st_size,
        digest=digest_of(file),
        seconds=_seconds(header),
        other_networks=_other_networks(stages),
        learned=_learned,
        recipe=_recipe,
        seeds_of=_seeds_of,
        differs=_differs,
    )


def _metadata(game: Game, file: Path, header: dict[str, Any], options: str) -> dict[str, Any]:
    environment = f"gupai/{game.id}-v{game.version}"
    metrics = [
        {
            "type": "mean_reward",
            "name": f"chips per deal against {name}",
            "value": interval(chips).replace("±", "+/- ").removeprefix("+"),
            "verified": False,
        }
        for name, chips in chips_of(header).items()
    ]
    results = {
        "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
        "dataset": {"name": f"{environment}, {options}", "type": environment},
        "metrics": metrics,
    }
    return {
        "license": header["licence"].lower(),
        "library_name": "gupai",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "multi-agent", "pettingzoo", "dominoes", game.id],
        "model-index": [{"name": file.stem, "results": [results]}],
    }


def _without_recipe(stage: dict[str, Any]) -> list[str]:
    """Return the players that a stage used and that the card has no recipe of."""
    settings = _settings(stage)
    named = [] if _seeds_of(stage) else list(settings.get("expert_iteration.ensemble") or ())
    named += settings.get("pool.rules") or ()
    named += [] if "start" in stage else [settings.get("start")]
    named += [] if "rollout_policy" in stage else [settings.get("expert_iteration.rollout_policy")]
    return list(dict.fromkeys(_here(spec) for spec in named if str(spec).startswith("checkpoint:")))


def _seeds_of(stage: dict[str, Any]) -> list[int]:
    """Return the seeds of the networks that a stage learned from, if all come of the recipe of the first stage."""
    first, *_ = _stages(stage)
    members = stage.get("ensemble", ())
    differ = [
        name for member in members for name, value in _settings(member).items() if _settings(first).get(name) != value
    ]
    return [member["seed"] for member in members] if set(differ) <= {"seed"} else []


def _commands(file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the runs of each command that makes a player of this variant, as `benchmarks/recipes.py` judged them."""
    commands: dict[str, list[dict[str, Any]]] = {}
    for run in json.loads((MODELS / "recipes.json").read_text(encoding="utf-8")).get(file.stem, ()):
        commands.setdefault(run["command"].replace(f" --set seed={run['seed']}", ""), []).append(run)
    return dict(sorted(commands.items()))


def _here(spec: Any) -> str:
    """Return a setting without the folders of the machine on which it named a file."""
    kind, colon, path = str(spec).partition(":")
    return f"{kind}:{Path(path).name}" if colon and Path(path).is_absolute() else str(spec)


def _differs(header: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the settings in which the recipe of another network differs."""
    before, settings = _settings(header), _settings(other)
    return ", ".join(f"`{name}: {settings[name]}`" for name in settings if settings[name] != before.get(name))


def _settings(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a recipe by their names for `--set`."""
    return by_key(parse_yaml(recipe_of(header)))


def recipe_of(header: dict[str, Any]) -> str:
    """Return the recipe of a network as `gupai train` takes it: older ones have `payoff_scale` in their `ppo`."""
    older = re.compile(r"^(ppo:\n(?:  .*\n)*?)  (payoff_scale: .*\n)", re.MULTILINE)
    return older.sub(r"\2\1", header["recipe"])


def _recipe(header: dict[str, Any]) -> str:
    """Return the recipe of a network without the folders of the machine."""
    return re.sub(r"\b(checkpoint|sample|heuristic):/\S+", lambda match: _here(match[0]), recipe_of(header)).rstrip()


def _stages(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the headers of the players that a network's training began with, first to last, and its own."""
    return [*(_stages(header["start"]) if "start" in header else ()), header]


def _learned(header: dict[str, Any]) -> str:
    """Return what a network learned from in all of its runs, in words."""
    parts = _stages(header)
    words = training_text(sum(part["targets"] for part in parts), sum(part["decisions"] for part in parts))
    return words if len(parts) == 1 else f"{words}, in {len(parts)} runs"


def _seconds(header: dict[str, Any]) -> str:
    """Return the seconds of each run that went into a network, and where it ran."""
    times = []
    for machine, same in itertools.groupby(_stages(header), lambda part: part["machine"]):
        # In these words it is in the files of networks, whose digests are known.
        where = machine.replace("beside it", "at the same time")
        times.append(f"{', then '.join(format(part['seconds'], ',.0f') for part in same)}, on {where}")
    return "; then ".join(times)


def _other_networks(stages: list[dict[str, Any]]) -> dict[str, str]:
    """Return the rows of a card on other networks that some of its runs began with or learned from."""
    rows = {}
    for number, part in enumerate(stages, 1):
        when = f", run {number} of {len(stages)}" if len(stages) > 1 else ""
        if ensemble := part.get("ensemble"):
            rows[f"its targets{when}"] = f"the mean scores of {len(ensemble)} networks: {_runs(ensemble)}"
        if smaller := part.get("rollout_policy"):
            rows[f"its targets{when}"] = f"played out by a smaller network: {_runs([smaller])}"
        if others := part.get("averaged_with"):
            start = "; and of the player they began with" if part.get("start_averaged") else ""
            rows[f"its weights{when}"] = (
                f"the mean of this run's and of those of {len(others)} more: {_runs(others)}{start}"
            )
    return rows


def _runs(networks: list[dict[str, Any]]) -> str:
    """Return what each of some networks learned from, in words."""
    texts = []
    for network in networks:
        seconds = sum(run["seconds"] for run in _stages(network))
        played = (
            f" (played out by a smaller network: {_runs([network['rollout_policy']])})"
            if "rollout_policy" in network
            else ""
        )
        texts.append(f"seed {network['seed']}, {_learned(network)}{played}, {seconds:,.0f} seconds")
    return "; ".join(texts)
