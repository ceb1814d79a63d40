"""Pai Gow with two seats: the solved numbers, exact, from all hands of the whole deck.

    python -m benchmarks.pai_gow
    python -m benchmarks.pai_gow best checkpoint:runs/pai-gow-1 --rounds 100
    python -m benchmarks.pai_gow --published results/exact/pai-gow.json

Prints how many splits of a hand are not dominated; the value of the game between two bounds, what a best response to
each side of an equilibrium wins; and for each player its exploitability, what it costs as a player against the banker
of the equilibrium, and what a best response wins from it as the banker. A round of CFR+ takes about 0.6 seconds.

With `--published` it computes what published ways of splitting win from each other, next to the figures that their
sources give, and when to split a pair; `tools/claims.py` writes them on the page of claims.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation.claims.exacts import answer, questions_of
from gupai_agents.evaluation.exact.all_hands import build_hand_tree, chances_against, role_worth, solve_hands
from gupai_env import get_game
from gupai_env.games.claims import BANKER, PLAYER
from gupai_env.games.pai_gow.claims import share_of_choices
from gupai_env.games.pai_gow.exact import PAIRS, Figures, Opponent, Way, pair_figures, splits_by
from gupai_env.games.pai_gow.policies import WAYS
from gupai_env.games.pai_gow.policies.hand import kinds
from gupai_env.games.pai_gow.policies.house_way import READINGS, reading

GAME = get_game("pai-gow")
SITE = "https://wizardofodds.com/games/pai-gow-tiles/strategy"
# As https://wizardofodds.com/games/pai-gow-tiles/strategy/wizard-way/ gives them, with a commission of 5%.
PUBLISHED = {
    ("house-way", PLAYER): Figures(29.21, 30.18, 40.61, 2.44),
    ("house-way", BANKER): Figures(30.18, 29.21, 40.61, 0.53),
    ("optimum", PLAYER): Figures(29.27, 29.48, 41.26, 1.67),
    ("optimum", BANKER): Figures(30.17, 28.46, 41.37, -0.20),
}


def opponent_by(way: Way) -> Opponent:
    """Return a seat that splits every hand by a way."""
    return Opponent(chances_against(GAME, splits_by(way)))


# --- tables of the page ---------------------------------------------------------------------------


def ways_table(opponent: Opponent) -> dict[str, Any]:
    """Return what every way wins from the house way, and the best response to it."""
    rows = []
    policies = {name: opponent.splits(way) for name, way in WAYS.items()}
    for role, seat in ((PLAYER, "player"), (BANKER, "banker")):
        for name, splits in {**policies, "optimum": opponent.best(role)}.items():
            figures = opponent.figures(role, splits)
            published = PUBLISHED.get((name, role), ())
            rows.append([name, seat, *(f"{figure:.2f}" for figure in figures), given(published)])
    return {
        "title": "What house ways and strategies win, exactly",
        "text": "Against `house-way`, which is the house way of Casino Canberra, in percent of deals, with a "
        "commission of 5% on what a seat wins. The house edge is what the seat loses of its stake. "
        f"Published figures: [Wizard of Odds]({SITE}/wizard-way/). The strategy of that page, the Wizard's way, is not "
        "among them: its rules break off in the copies of the page that could be read.",
        "columns": ["splits", "as", "wins", "loses", "pushes", "house edge", "published"],
        "rows": rows,
    }


def given(published: Sequence[float]) -> str:
    """Return published figures in one cell."""
    return " / ".join(f"{figure:.2f}" for figure in published)


def readings_table() -> dict[str, Any]:
    """Return what the house way comes to under readings of its rules, next to what is published."""
    rows, published = [], [PUBLISHED[name, role] for name in ("house-way", "optimum") for role in (PLAYER, BANKER)]
    for name, way in READINGS.items():
        opponent = opponent_by(way)
        splits, basic = opponent.splits(way), opponent.splits(WAYS["wizard-basic"])
        both = opponent.figures(PLAYER, splits)
        best = opponent.figures(PLAYER, opponent.best(PLAYER))
        bank = opponent.figures(BANKER, opponent.best(BANKER, 0))
        edges = [opponent.figures(BANKER, splits).edge, opponent.figures(PLAYER, basic).edge]
        rows.append([name, given(both), *(f"{edge:.2f}" for edge in edges), given(best), given(bank)])
    last = [given(published[0]), f"{published[1].edge:.2f}", "1.98", given(published[2]), given(published[3])]
    return {
        "title": "Why the published figures differ",
        "text": "Both seats split by the house way: wins / loses / pushes / house edge of the player. All use the same "
        "ranks, and copies and two zeros are the banker's. The rules as written come to within 0.04 points of the "
        "published edges, but push less often. If three points are a good low group only with [6:6] or [1:1] (as a "
        '"high nine" is one with these), where the page says "high six or better", then the edges of the house way '
        "and all figures of the optimum as player are those published, to 0.01 points. If the house also splits "
        "sevens with any two of 2, 10, 11 and 12, as Foxwoods does, then its wins, losses and pushes are as well. "
        "Splitting [4:2][2:1] instead, with 6-4, 6-5 and 6-6, comes as near. The optimum as banker is the one that "
        "leaves the commission out of account; its pushes differ by 0.05 points. `wizard-basic` loses 0.04 points more "
        "than is published. The [FAQ of the same site](https://wizardofodds.com/ask-the-wizard/pai-gow-tiles/) gives "
        "2.39 and 0.74 as edges, and 2.08 and 0.42 with a commission of 4%; so its seats win 30.9% and 31.7%, which no "
        "house way here does.",
        "columns": [
            *("house way", "player", "edge when banking", "edge of `wizard-basic`", "optimum", "optimum as banker")
        ],
        "rows": [*rows, ["published", *last]],
    }


NAMES = ("12", "2", "11", "H10", "L10", "9", "H8", "L8", "H7", "L7", "H6", "L6", "5", "H4", "L4", "G")


def pairs_table(opponent: Opponent) -> dict[str, Any]:
    """Return with which tiles each pair is to be split against the house way, and what it costs to do otherwise."""
    return {
        "title": "Which pairs to split",
        "text": "Against the house way, as player, with a commission of 5%; every pair is dealt in 1.17% of hands "
        "without a second one. Splitting is right exactly with the other two tiles that are listed, by pips: 12 is "
        "[6:6], 2 [1:1], G [4:2] or [2:1]; H and L are the higher and the lower tile of as many pips (H8 [4:4], "
        "H7 [6:1], H6 [3:3], H4 [3:1], H10 [5:5]). A threshold a/b is: split if the low group gets a points and the "
        "high one b, or more (10 is a gong, 11 a wong), unless keeping the pair is as good in both groups. Losses are "
        "chips per 100 hands with the pair.",
        "columns": ["pair", "split with", "of hands", "threshold", "by it", "house way", "never split", "always split"],
        "rows": [pair_row(name, opponent) for name in PAIRS],
    }


RULES = (  # hands without a pair, the rule, the question that ranks such rules, and the house's
    ("two of high nine, gong and wong", "which to play", "strong_orders", "high nine, gong, wong"),
    ("two of high nine, gong and wong", "least low group with it", "strong_bounds", "3 [3:3]"),
    ("none of the three", "least low group / least high one", "point_bounds", "3 [3:3]/7"),
)


def rules_table(opponent: Opponent) -> dict[str, Any]:
    """Return which rules lose least with hands without a pair, next to those of the house."""
    rows = []
    for hands, rule, question, house in RULES:
        facts = answer(GAME, questions_of(GAME)[question])
        best = str(next(iter(facts.values())))
        rows.append([hands, rule, house, f"{facts[house]:.3f}", best, f"{facts[best]:.3f}"])
    edge = opponent.figures(PLAYER, opponent.splits(reading((5, "G")))).edge
    return {
        "title": "Without a pair",
        "text": "The rules of the house way for hands without a pair, and the rules of the same form that lose least "
        "against it, as player, with a commission of 5%. Losses are chips per 100 such hands. 3 [3:3] is a low group "
        "of three points with [3:3] or a higher tile, or better. If the low group is worse, the best high group is "
        "played; with none of the three only if it has 7 points or more, else the best low group all the same. With 5 "
        f"instead of 3 [3:3] in the last rule alone, the house way has a house edge of {edge:.2f}% as player.",
        "columns": ["hands", "rule", "house way", "loses", "best", "loses"],
        "rows": rows,
    }


def pair_row(name: str, opponent: Opponent) -> list[str]:
    """Return a row of `pairs_table`."""
    figures = pair_figures(name, opponent)
    threshold = "never" if figures.threshold is None else "/".join(map(str, figures.threshold))
    losses = figures.by_threshold, figures.house, figures.never, figures.always
    tiles = listed({frozenset(map(name_of, others)) for others in figures.others})
    return [name, tiles or "-", f"{figures.share:.1%}", threshold, *(f"{lost:.3f}" for lost in losses)]


def name_of(kind: int) -> str:
    return next(name for name in NAMES if kind in kinds(name))


def listed(tiles: set[frozenset[str]]) -> str:
    """Return pairs of tiles as "12: 2, 10; 11: 9"; the tiles before a colon go with each one behind it."""
    partners: dict[str, list[str]] = {}
    for place, one in enumerate(NAMES):
        others = [other for other in NAMES[place + 1 :] if frozenset((one, other)) in tiles]
        if others:
            partners.setdefault(", ".join(merged(others)), []).append(one)
    return "; ".join(f"{', '.join(merged(ones))}: {others}" for others, ones in partners.items())


def merged(names: list[str]) -> list[str]:
    """Return names of tiles with "8" for "H8" and "L8"."""
    both = {name[1:] for name in names if name[0] == "H" and f"L{name[1:]}" in names}
    short = [name[1:] if name[0] in "HL" and name[1:] in both else name for name in names]
    return list(dict.fromkeys(short))


def write_published(file: Path) -> None:
    """Write all tables for the strategy page, and print them."""
    opponent = opponent_by(WAYS["house-way"])
    tables = [ways_table(opponent), readings_table(), pairs_table(opponent), rules_table(opponent)]
    for table in tables:
        print(table["title"], *(" | ".join(row) for row in (table["columns"], *table["rows"])), sep="\n", end="\n\n")
    command = f"python -m benchmarks.pai_gow --published results/exact/{GAME.id}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"command": command, "tables": tables}, indent=1) + "\n", encoding="utf-8")


# --- the equilibrium ------------------------------------------------------------------------------


def print_solved(agents: Sequence[str], rounds: int) -> None:
    """Print the value of the game, and how good players are."""
    shares = share_of_choices()
    print("hands with one, two, three splits not dominated:", *(f"{shares[n]:.1%}" for n in ("one", "two", "three")))
    tree = build_hand_tree(GAME)
    masks = tree.by_tiles.masks
    solved = solve_hands(tree, rounds)[0]
    worth = [role_worth(tree.by_tiles, tree.rules, GAME, role, solved[1 - role]) for role in (PLAYER, BANKER)]
    best = [np.where(masks, values, -np.inf).max(1).sum() for values in worth]
    low, high = -best[BANKER], best[PLAYER]
    print(f"value for the player, chips per deal: between {low:+.5f} and {high:+.5f} ({rounds} rounds)")
    value = (worth[PLAYER] * solved[PLAYER]).sum()
    for name in agents:
        policy = tree.policy([make_agent(name, GAME)] * 2)
        costs = value - (worth[PLAYER] * policy[0, PLAYER]).sum()
        response = role_worth(tree.by_tiles, tree.rules, GAME, PLAYER, policy[0, BANKER])
        print(
            f"{name}: exploitability {tree.exploitability(policy):.5f}; as player against a good banker it loses "
            f"{costs:.4f} more; from it as banker a best response wins "
            f"{np.where(masks, response, -np.inf).max(1).sum():+.4f}",
            flush=True,
        )


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", nargs="*", help="as `make_agent` takes it; without, all of the game by name")
    parser.add_argument("--rounds", type=int, default=60, help="of CFR+")
    parser.add_argument("--published", type=Path, metavar="FILE", help="write the tables of published ways instead")
    chosen = parser.parse_args()
    if chosen.published:
        write_published(chosen.published)
    else:
        print_solved(chosen.agent or agent_names(GAME), chosen.rounds)


if __name__ == "__main__":
    main()
