"""Find the weights of the player `tuned` again and write them where it finds them: agents/gupai_agents/shipped/weights.

    python benchmarks/tuned.py [GAME ...] [--generations N]

The variants, generations and seeds are those of the weights that ship, so it finds the same again. All games take about
half an hour of one core.
"""

import argparse

from gupai_agents.players.tune import tune
from gupai_agents.shipped import FOLDER, shipped_heuristics
from gupai_app.training.heuristics import described
from gupai_env import GAMES
from gupai_env.storage.models import to_yaml

DEALS = {"small-mahjong": 20_000, "pai-gow": 20_000}  # a candidate, where players differ by little; 1,500 in the others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--generations", type=int, help="default: as many as for the weights that ship")
    chosen = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in chosen.games:
        heuristics = []
        for shipped in shipped_heuristics(name):
            variant, provenance = shipped["variant"], shipped["provenance"]
            how = {"generations": chosen.generations or provenance["generations"], "seed": provenance["seed"]}
            heuristic = tune(name, seconds=1e9, deals=DEALS.get(name, 1500), **how, **variant)
            heuristics.append(described(heuristic, variant, None))
            print(name, variant, heuristics[-1]["chips_per_deal_against"], f"{heuristic.seconds:.0f} s", flush=True)
        (FOLDER / f"{name}.yaml").write_text(to_yaml(heuristics), encoding="utf-8")


if __name__ == "__main__":
    main()
