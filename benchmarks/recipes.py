"""What one command makes of a player that ships: `gupai train CONFIGURATION`, judged in the same deals as what ships.

    gupai train tien-gow
    python -m benchmarks.recipes tien-gow runs/tien-gow-1 --machine "2 cores of an AMD EPYC"

It goes into results/models/recipes.json, run by run, for the card of `best` in that variant (`python tools/pages.py`).
"""

import argparse
import json
import shlex
from pathlib import Path
from typing import Any

from benchmarks.strong import DEALS, SEED
from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.networks.checkpoint import read_header, variant_of
from gupai_agents.shipped import BEST, best_file
from gupai_env.storage.models import parse_yaml
from gupai_training.config import CONFIG_FILE, by_key, find, parse
from gupai_training.curves import evaluations_of

FOUND = Path(__file__).parents[1] / "results" / "models" / "recipes.json"
SAME = "name", "threads", "device", "save_every", "evaluation"  # settings that change nothing of what is learned


def main() -> None:
    """Judge runs of configurations that ship, and keep what comes of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", help="what `gupai train` was given: tien-gow, strong/tien-gow")
    parser.add_argument("runs", type=Path, nargs="+", metavar="run", help="folder of a run that is finished")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--machine", required=True, help='for instance "2 cores of an AMD EPYC"')
    chosen = parser.parse_args()
    try:
        judged = [judge(chosen.configuration, run, chosen.machine, chosen.deals) for run in chosen.runs]
    except ValueError as error:  # a CheckpointError too
        parser.error(str(error))
    verdicts: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    for card, verdict in judged:
        verdicts[card] = [
            *(other for other in verdicts.get(card, ()) if other["command"] != verdict["command"]),
            verdict,
        ]
    FOUND.write_text(json.dumps(verdicts, indent=1) + "\n", encoding="utf-8")


def judge(configuration: str, run: Path, machine: str, deals: int) -> tuple[str, dict[str, Any]]:
    """Return the card of `best` in the variant of a run, and how the run's player fares, `best` among its opponents.

    Raises:
        ValueError: For a run that needed other players, which do not ship.
    """
    header = read_header(run)
    game, variant = variant_of(run, header)
    options, won = variant.changed(), {}
    file = best_file(game, variant)
    if file is None:
        raise ValueError(f"{run}: no player ships for its variant")
    command = " ".join(["gupai train", configuration, *changes(configuration, run)])
    player = make_agent(f"checkpoint:{run}", game, **options)
    for name in [*(name for name in agent_names(game) if name != BEST), BEST]:
        chips = duel(game, player, make_agent(name, game, **options), deals, seed=SEED, **options).mean(0)
        won[name] = {name: round(number, 4) for name, number in chips.as_numbers().items()}
        print(run, name, chips, flush=True)
    origin = {"seed": header["seed"], "targets": header["targets"], "seconds": evaluations_of(run)[-1]["seconds"]}
    return file.stem, {"command": command, **origin, "machine": machine, "chips_per_deal_against": won}


def changes(configuration: str, run: Path) -> list[str]:
    """Return what `gupai train CONFIGURATION` has to be told to learn as a run did: "--set KEY=VALUE" each.

    Raises:
        ValueError: If the run began with another player or learned from one.
    """
    meant = parse(find(configuration), configuration).model_dump(mode="json")
    settings = parse_yaml((run / CONFIG_FILE).read_text(encoding="utf-8"))
    if "checkpoint:" in str(settings) or settings.get("start"):
        raise ValueError(f"{run}: made of another player, so no single command makes it")
    ours = by_key(meant)
    return [
        _as_typed(key, value)
        for key, value in by_key(settings).items()
        if key.partition(".")[0] not in SAME and value != ours.get(key)
    ]


def _as_typed(key: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)  # which YAML reads: null, true, [1, 2]
    return f"--set {shlex.quote(f'{key}={text}')}"


if __name__ == "__main__":
    main()
