"""What one command makes of a player that ships: `gupai train CONFIGURATION`, judged in the same deals as what ships.

    gupai train tien-gow
    python -m benchmarks.recipes tien-gow runs/tien-gow-1 --machine "2 cores of an AMD EPYC"

It goes into docs/models/recipes.json, run by run, for the card of `best` in that variant (`python docs/pages.py`).
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.strong import DEALS, SEED
from gupai_agents import agent_names, make_agent
from gupai_agents.checkpoint import read_header, variant_of
from gupai_agents.evaluation import duel
from gupai_agents.plain_yaml import parse_yaml
from gupai_agents.shipped import BEST, best_file
from gupai_training.config import CONFIG_FILE, find, parse

FOUND = Path(__file__).parents[1] / "docs" / "models" / "recipes.json"
FREE = "name", "seed", "threads", "save_every", "evaluation"  # what another command may say and learns the same


def main() -> None:
    """Judge runs of configurations that ship, and keep what comes of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configuration", help="what `gupai train` was given: tien-gow, strong/tien-gow")
    parser.add_argument("runs", type=Path, nargs="+", metavar="run", help="folder of a run that is finished")
    parser.add_argument("--machine", required=True, help='for instance "2 cores of an AMD EPYC"')
    chosen = parser.parse_args()
    try:
        judged = [judge(chosen.configuration, run, chosen.machine) for run in chosen.runs]
    except ValueError as error:  # a CheckpointError too
        parser.error(str(error))
    kept: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    for card, run in judged:
        runs = kept.setdefault(card, {}).setdefault(chosen.configuration, [])
        runs[:] = sorted([*(each for each in runs if each["seed"] != run["seed"]), run], key=lambda each: each["seed"])
    FOUND.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def judge(configuration: str, run: Path, machine: str) -> tuple[str, dict[str, Any]]:
    """Return the card of `best` in the variant of a run, and how the run's player fares, `best` among its opponents.

    Raises: ValueError unless it is a run of that configuration, which begins with no other player.
    """
    settings = parse_yaml((run / CONFIG_FILE).read_text(encoding="utf-8"))
    meant = parse(find(configuration), configuration).model_dump(mode="json")
    differs = [name for name in meant if name not in FREE and settings.get(name) != meant[name]]
    if meant["start"]:
        raise ValueError(f"{configuration} begins with another player, not from nothing")
    if differs:
        raise ValueError(
            f"{run}: not what `gupai train {configuration}` makes from nothing: {', '.join(differs)} differs"
        )
    header = read_header(run)
    game, variant = variant_of(run, header)
    options, won = variant.changed(), {}
    file = best_file(game, variant)
    if file is None:
        raise ValueError(f"{run}: no player ships for its variant")
    player = make_agent(f"checkpoint:{run}", game, **options)
    for name in [*(name for name in agent_names(game) if name != BEST), BEST]:
        found = duel(game, player, make_agent(name, game, **options), DEALS, seed=SEED, **options).mean(0)
        won[name] = {"mean": round(found.mean, 4), "half_width": round(found.half_width, 4), "deals": DEALS}
        print(run, name, found, flush=True)
    told = {name: header[name] for name in ("seed", "targets", "seconds")}
    return file.stem, {**told, "machine": machine, "chips_per_deal_against": won}


if __name__ == "__main__":
    main()
