"""The list of trained players and their cards, written from the headers of the networks that ship."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

from writing import MODELS, chips_of, fill_paragraphs, interval, signed, table, variant_of

from gupai_agents.checkpoint import read_header
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.identity import digest_of
from gupai_agents.look_ahead import HEADER_KEY
from gupai_agents.plain_yaml import parse_yaml, to_yaml
from gupai_agents.shipped import BEST, networks
from gupai_env.core.game import Game
from gupai_env.core.variant import in_words
from gupai_env.games import GAMES
from gupai_training.config import by_key, training_text


def models() -> str:
    """Return the list of all networks that come with the package."""
    lines = [
        "# Trained players",
        "",
        "Each of these players is `best` in its variant: a feed-forward network (plain, residual or gated) on the",
        "observation of its seat, with weights rounded to eight or sixteen bits. Some also [look ahead late in a",
        "deal](players.md#looking-ahead). The tables evaluate them as they ship, in chips per deal of one player among",
        "equal others (in games of teams, of one side against the other), each deal played from every seat; ± is the",
        "half-width of the 95% interval of the mean over deals that were not used in training. Each player knows the",
        "rules of its own variant only and is free to use (MIT).",
        "[Another seed](studies/games.md#another-seed) gives another player. On the site each has a card in the",
        "format of the Hugging Face Hub, with its recipes and whether they can be repeated from what ships.",
        "`python benchmarks/strong.py RUN` ships a run, and `python -m benchmarks.recipes CONFIGURATION RUN` adds to a",
        "card what one command makes.",
        "",
        "```{toctree}",
        ":hidden:",
        ":glob:",
        "",
        "models/*",
        "```",
        "",
    ]
    for game in GAMES.values():
        for file, header in networks(game.id):
            lines += [
                f"## {game.title}, {_options_of(game, header)}",
                "",
                f"[Card](models/{file.stem}.md): {_learned(header)}.",
                "",
                *_judged(header),
                "",
            ]
    return signed(lines, "the headers of `agents/gupai_agents/networks`")


def card(game: Game, file: Path, header: dict[str, Any]) -> str:
    """Return the model card of a network, with the metadata that the Hugging Face Hub reads."""
    options = _options_of(game, header)
    environment = f"gupai/{game.id}-v{game.version}"
    won = chips_of(header)
    metadata = {
        "license": header["licence"].lower(),
        "library_name": "gupai",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "multi-agent", "pettingzoo", "dominoes", game.id],
        "model-index": [
            {
                "name": file.stem,
                "results": [
                    {
                        "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
                        "dataset": {"name": f"{environment}, {options}", "type": environment},
                        "metrics": [
                            {
                                "type": "mean_reward",
                                "name": f"chips per deal against {name}",
                                "value": interval(chips).replace("±", "+/- ").removeprefix("+"),
                                "verified": False,
                            }
                            for name, chips in won.items()
                        ],
                    }
                ],
            }
        ],
    }
    given = ", ".join(f"{name}={value!r}" for name, value in variant_of(game, header).items())
    facts = {
        "file": f"`{file.name}`, {file.stat().st_size / 1024:,.0f} KiB",
        "SHA-256": f"`{digest_of(file)}`",
        "observation": f"encoder {header['observation']['encoder']} {header['observation']['version']}, int8 "
        f"[{header['observation']['size']}]",
        "actions": f"{header['actions']['size']}, masked",
        "layers": f"{' x '.join(map(str, header['net']['hidden']))}, {header['net']['type']}",
        "training": _learned(header),
        "seconds": _took(header),
        "seed": header["seed"],
        **_went_in_beside(header),
        "versions": ", ".join(f"{name} {version}" for name, version in header["versions"].items()),
    }
    return fill_paragraphs(
        [
            "---",
            to_yaml(metadata).rstrip(),
            "---",
            "",
            f"# {game.title}, {options}",
            "",
            f"A player of [{game.title}](../games/{game.id}.md) ({options}): a feed-forward network over what",
            f"its seat observes{_ahead(header)}. It ships with gupai as `best` in this variant.",
            "",
            "## Use",
            "",
            "```python",
            "from gupai_agents import make_agent",
            "",
            f'player = make_agent("best", "{game.id}"{f", {given}" if given else ""})',
            "```",
            "",
            "The file is [safetensors](https://github.com/huggingface/safetensors) with a JSON header:",
            "reading it runs no code. Meant",
            "for research, as an opponent or a baseline, and for play; the game has chips and no money.",
            "",
            "## How strong",
            "",
            f"Chips per deal of {_who(game)}, each deal played from every seat; ± is the half-width of the 95%",
            f"interval of the mean over deals that were not used in training (seed {header['evaluation']['seed']}). It",
            f"is evaluated as it ships, with rounded weights.{_met(header)}",
            "",
            *_judged(header),
            "",
            "## How to train one like it",
            "",
            f"It {_learned(header)}, all from deals generated for its training, without human games",
            "([how training works](../training.md)).",
            *_repeated(file, header),
            "",
            "## Limits",
            "",
            f"It knows the rules of this variant only. It {_chooses(header)} its policy.",
            "An opponent who studies it can still exploit it; `gupai best-response` gives a lower bound on how much.",
            "Another seed gives another player.",
            "",
            *_exploited(game, file),
            "",
            "<details><summary>File, versions, and the recipes of all stages</summary>",
            "",
            *table(("", ""), facts.items()),
            "",
            *_recipes(header),
            "</details>",
            "",
            "*Written by `tools/pages.py` from the header of the file.*",
        ]
    )


def _who(game: Game) -> str:
    """Say whose chips are counted where one player meets equal others."""
    return "one of it and its equal partner against equal others" if game.teams else "one of it among equal others"


def _exploited(game: Game, file: Path) -> list[str]:
    """Say how far what the recipe makes on a tiny deck can be exploited, in words; itself, where that is known."""
    exact = read_header(file)["evaluation"].get("exploitability")
    if exact is not None:
        return [
            f"In this variant that is known exactly: a best response, which knows all it would do, wins {exact:.2g}",
            "chips per deal more than it does itself (`gupai exploitability`, with `-o deck=full`).",
        ]
    results = json.loads((MODELS / "tiny.json").read_text(encoding="utf-8")).get(file.stem)
    if results is None:  # `python benchmarks/tiny.py --recipes` has not been run for it
        return []
    seats = "two players" if not game.teams else "two against two"
    return [
        f"Its recipe on the game's tiny deck with {seats} (a small network, {results['targets']:,} targets, without",
        f"looking ahead) makes a player from which an exact best response wins {results['best']:.3g} chips per deal",
        f"if it always plays its best action, and {results['drawn']:.3g} if it draws from its policy; from random play",
        f"{results['random']:.3g} (`python benchmarks/tiny.py --recipes`, one run, seed {results['seed']}).",
    ]


def _ahead(header: dict[str, Any]) -> str:
    """Return how a player searches."""
    depth = header.get(HEADER_KEY)
    if not depth:
        return ", without search"
    return (
        f"; with {depth['tiles']} tiles in hand or fewer it [looks ahead](../players.md#looking-ahead), "
        f"{depth['playouts']} playouts with a share of {depth['trust']:g} in what an action is worth"
    )


def _chooses(header: dict[str, Any]) -> str:
    """Return how a player comes to its actions, as the beginning of "its policy"."""
    return "draws its actions from" if header.get("mixes") else "always plays the best action of"


def _repeated(file: Path, header: dict[str, Any]) -> list[str]:
    """Say whether what ships is enough to train such a player again, in words, and what one command makes."""
    stages = _parts(header)
    missing = [
        f"stage {number} used {', '.join(f'`{key}`' for key in unknown)}"
        for number, stage in enumerate(stages, 1)
        if (unknown := _without_recipe(stage))
    ]
    one = _in_one_command(file, header)
    if len(stages) == 1 and not missing:
        return ["`gupai train FILE` with this recipe trains such a player again.", *one]
    lines = [f"It was trained in {len(stages)} stages; their recipes, as they were, are below."]
    if any(str(_settings(stage).get("start")) != "None" for stage in stages):
        lines += [
            "`start`, there, is the player made so far; to train on from a run of your own write",
            "`--set start=checkpoint:RUN`.",
        ]
    if missing:
        lines += [
            f"This cannot be repeated from what ships: {'; '.join(missing)}. These files are not included, nor are",
            "their recipes.",
        ]
    return [*lines, *one]


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
    first, *_ = _parts(stage)
    members = stage.get("ensemble", ())
    differ = [
        name for member in members for name, value in _settings(member).items() if _settings(first).get(name) != value
    ]
    return [member["seed"] for member in members] if set(differ) <= {"seed"} else []


def _in_one_command(file: Path, header: dict[str, Any]) -> list[str]:
    """Say what one command makes for this variant, as `benchmarks/recipes.py` found it, in words."""
    judged, seed = chips_of(header), header["evaluation"]["seed"]
    judgements = json.loads((MODELS / "recipes.json").read_text(encoding="utf-8")).get(file.stem, ())
    lines = []

    def command_of(run: dict[str, Any]) -> str:
        command: str = run["command"]
        return command.replace(f" --set seed={run['seed']}", "")

    for command, grouped in itertools.groupby(sorted(judgements, key=command_of), command_of):
        runs = list(grouped)
        won = [run["chips_per_deal_against"] for run in runs]
        *_, rival = (name for name in won[0] if name in judged)
        made = "; ".join(
            f"seed {run['seed']}: {run['targets']:,} targets in {run['seconds']:,.0f} seconds" for run in runs
        )
        lines += [
            f"What one command, `{command}`, makes ({made}; {runs[0]['machine']}) wins",
            f"{', '.join(interval(run[rival]) for run in won)} chips per deal from `{rival}`, where this one wins",
            f"{interval(judged[rival])}, and {', '.join(interval(run[BEST]) for run in won)} from this one",
            f"({Estimate.of(won[0][BEST]).samples:,} deals, seed {seed}).",
        ]
    return lines


def _here(spec: Any) -> str:
    """Return a setting without the folders of the machine on which it named a file."""
    kind, colon, path = str(spec).partition(":")
    return f"{kind}:{Path(path).name}" if colon and Path(path).is_absolute() else str(spec)


def _recipes(header: dict[str, Any]) -> list[str]:
    """Return the recipes of a network's runs, first to last."""
    lines: list[str] = []
    smaller: list[str] = []  # told already
    for stage in _parts(header):
        if lines:
            lines += ["and with this one, whose `start` is the player made so far:", ""]
        lines += _fenced(stage)
        if seeds := _seeds_of(stage):
            lines += [f"where `ensemble` is of the first recipe with seeds {', '.join(map(str, seeds))};", ""]
        if "rollout_policy" in stage and stage["rollout_policy"]["recipe"] not in smaller:
            lines += ["where `rollout_policy` is made with this one:", "", *_fenced(stage["rollout_policy"])]
            smaller.append(stage["rollout_policy"]["recipe"])
        if others := stage.get("averaged_with"):
            start = " and of the one they began with" if stage.get("start_averaged") else ""
            lines += [
                f"and again with this in it; the player is the mean of the weights of all these runs{start}:",
                "",
                *(f"- {_differs(stage, other)}" for other in others),
                "",
            ]
    return lines


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


def _fenced(header: dict[str, Any]) -> list[str]:
    recipe = re.sub(r"\b(checkpoint|sample|heuristic):/\S+", lambda match: _here(match[0]), recipe_of(header))
    return ["```yaml", recipe.rstrip(), "```", ""]


def _parts(header: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the headers of the players that a network's training began with, first to last, and its own."""
    return [*(_parts(header["start"]) if "start" in header else ()), header]


def _learned(header: dict[str, Any]) -> str:
    """Return what a network learned from in all of its runs, in words."""
    parts = _parts(header)
    words = training_text(sum(part["targets"] for part in parts), sum(part["decisions"] for part in parts))
    return words if len(parts) == 1 else f"{words}, in {len(parts)} runs"


def _took(header: dict[str, Any]) -> str:
    """Return the seconds of each run that went into a network, and where it ran."""
    times = []
    for machine, same in itertools.groupby(_parts(header), lambda part: part["machine"]):
        # In these words it is in the files of networks, whose digests are known.
        where = machine.replace("beside it", "at the same time")
        times.append(f"{', then '.join(format(part['seconds'], ',.0f') for part in same)}, on {where}")
    return "; then ".join(times)


def _went_in_beside(header: dict[str, Any]) -> dict[str, str]:
    """Return the rows of a card on other networks that some of its runs began with or learned from."""
    rows = {}
    for number, part in enumerate(parts := _parts(header), 1):
        when = f", run {number} of {len(parts)}" if len(parts) > 1 else ""
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
        seconds = sum(run["seconds"] for run in _parts(network))
        played = (
            f" (played out by a smaller network: {_runs([network['rollout_policy']])})"
            if "rollout_policy" in network
            else ""
        )
        texts.append(f"seed {network['seed']}, {_learned(network)}{played}, {seconds:,.0f} seconds")
    return "; ".join(texts)


def _met(header: dict[str, Any]) -> str:
    """Return a sentence on whom a network met while it learned, if they are those of the evaluation."""
    met = any(parse_yaml(part["recipe"])["expert_iteration"].get("true_hands") for part in _parts(header))
    return " In training it also played against the rule-based players, in other deals." if met else ""


def _options_of(game: Game, header: dict[str, Any]) -> str:
    changed = variant_of(game, header)
    return in_words(changed)


def _judged(header: dict[str, Any]) -> list[str]:
    rows = sorted(chips_of(header).items(), key=lambda item: -item[1]["mean"])
    return table(
        ("against", "chips per deal", "deals"),
        ((f"`{name}`", interval(chips), f"{Estimate.of(chips).samples:,}") for name, chips in rows),
    )
