"""Find the weights of the player `tuned` again and write them where it finds them: agents/gupai_agents/weights.

    python benchmarks/tuned.py [GAME ...] [--generations N]

The same generations and seed find the same weights. All games take about half an hour of one core.
"""

import argparse

from gupai_agents.plain_yaml import to_yaml
from gupai_agents.shipped import FOLDER
from gupai_agents.tune import tune
from gupai_app.training.tune import described
from gupai_env import get_game

SEED = 1
VARIANTS: dict[str, list[dict]] = {  # the game's defaults first
    "jie-long": [
        {},
        {"players": 2},
        {"players": 3},
        *({"forced_play": True, **n} for n in ({}, {"players": 2}, {"players": 3})),
    ],
    "ce-deng": [{}],
    "ding-niu": [{}, {"forced_play": False}],
    "da-ling": [{}],  # who splits well does it at any table
    "tiu-u": [{}, {"players": 3}],
    "small-mahjong": [{}, {"players": 3}],
    "tien-gow": [{}],
    "deer-hunt": [{}],
    "pai-gow": [{}],
    "shi-wu-hu": [{}],
}
GENERATIONS = {"da-ling": 100, "tiu-u": 200, "small-mahjong": 60, "pai-gow": 40}  # 150 in the others
DEALS = {"small-mahjong": 20_000, "pai-gow": 20_000}  # a candidate, where players differ by little; 1,500 in the others


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(VARIANTS))
    parser.add_argument("--generations", type=int, help="default: as many as make a difference")
    chosen = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in chosen.games:
        heuristics = []
        for variant in VARIANTS[name]:
            generations = chosen.generations or GENERATIONS.get(name, 150)
            deals = DEALS.get(name, 1500)
            heuristic = tune(name, seconds=1e9, generations=generations, deals=deals, seed=SEED, **variant)
            heuristics.append(described(heuristic, variant, None))
            print(name, variant, heuristics[-1]["chips_per_deal_against"], f"{heuristic.seconds:.0f} s", flush=True)
        (FOLDER / f"{get_game(name).id}.yaml").write_text(to_yaml(heuristics), encoding="utf-8")


if __name__ == "__main__":
    main()
