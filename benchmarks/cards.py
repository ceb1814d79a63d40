"""Find or judge the card of every game again, and write it where the player `card` looks.

That is agents/gupai_agents/shipped/cards.

    python -m benchmarks.cards
    python -m benchmarks.cards jie-long --deals 5000

The search takes as long as that for the card that is there. A card whose file says that it was written by hand is only
judged. Each is judged in deals that the search did not see, one among equal others: by which share of the way from
`greedy` to `best` it goes, in chips won from `greedy` and lost to `best` together, and by the chips that every rule
adds, the mean against `greedy` and `tuned`; a rule that adds nothing measurable leaves the card. A game takes a minute
or two of one core.
"""

import argparse
import time
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.card_search import Budget, find_card
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.evaluation.statistics import Estimate, estimate, ratio_of_means
from gupai_agents.players.card import CardAgent, CardRule
from gupai_agents.registry import make_agent
from gupai_agents.shipped import CARDS, shipped_card
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import GAMES
from gupai_env.storage.models import to_yaml

SEED, DEALS = 1, 4000  # deals in which the first card of a game is judged


def figure(value: Estimate, form: str = "+z.3f") -> str:
    return f"{value.mean:{form}} ±{value.half_width:{form.lstrip('+')}}"


def added_by(game: Game, variant: Variant, rules: list[CardRule], deals: int, seed: int) -> list[np.ndarray]:
    """Return the chips that each rule adds by deal, the mean of those won from `greedy` and from `tuned`."""
    rivals = [make_agent(name, game, **vars(variant)) for name in ("greedy", "tuned")]

    def chips(some: list[CardRule]) -> np.ndarray:
        card = CardAgent(game, "card", some)
        duels = [duel(game, card, rival, deals, seed=seed, **variant.changed()).chips for rival in rivals]
        return np.mean([played[:, :, 0].mean(1) for played in duels], 0)

    won = chips(rules)
    return [won - chips([*rules[:index], *rules[index + 1 :]]) for index in range(len(rules))]


def pruned(game: Game, variant: Variant, rules: list[CardRule], deals: int, seed: int) -> list[CardRule]:
    """Return a card without the rules that add nothing measurable in some deals, the least useful first."""
    while len(rules) > 1:
        added = [estimate(chips) for chips in added_by(game, variant, rules, deals, seed)]
        least = min(range(len(rules)), key=lambda index: added[index].low)
        if added[least].low > 0:
            break
        rules = [*rules[:least], *rules[least + 1 :]]
    return rules


def described(game: Game, variant: Variant, rules: list[CardRule], deals: int) -> dict[str, Any]:
    """Return a card with its figures, as its file holds it."""
    best, greedy = (make_agent(name, game, **vars(variant)) for name in ("best", "greedy"))
    card = CardAgent(game, "card", rules)

    def chips(hero: Any, villain: Any) -> np.ndarray:
        return duel(game, hero, villain, deals, seed=SEED, **variant.changed()).chips[:, :, 0].mean(1)

    won, won_best = chips(card, greedy), chips(best, greedy)
    lost, lost_greedy = chips(card, best), chips(greedy, best)
    closes = {
        "closes": ratio_of_means(np.stack([won + lost - lost_greedy, won_best - lost_greedy], 1)),
        "closes_against_greedy": ratio_of_means(np.stack([won, won_best], 1)),
        "closes_against_best": ratio_of_means(np.stack([lost_greedy - lost, lost_greedy], 1)),
    }
    return {
        "game": game.id,
        "version": game.version,
        "variant": variant.changed(),
        "rules": [written.model_dump(exclude_defaults=True) for written in rules],
        "adds": [figure(estimate(added)) for added in added_by(game, variant, rules, deals, SEED)],
        **{name: f"{100 * share.mean:.0f}% ±{100 * share.half_width:.0f}" for name, share in closes.items()},
        "chips_per_deal": {
            "card against greedy": figure(estimate(won)),
            "best against greedy": figure(estimate(won_best)),
            "card against best": figure(estimate(lost)),
            "greedy against best": figure(estimate(lost_greedy)),
        },
        "judged_in": {"deals": deals, "seed": SEED},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(GAMES))
    parser.add_argument("--deals", type=int, help="to judge a card in, default as many as before")
    parser.add_argument("--judge", action="store_true", help="only judge the cards that are there")
    chosen = parser.parse_args()
    CARDS.mkdir(exist_ok=True)
    for name in chosen.games:
        begin, game = time.monotonic(), GAMES[name]
        variant = game.variant()
        written = shipped_card(game, variant) or {"search": asdict(Budget()), "judged_in": {"deals": DEALS}}
        deals = chosen.deals or written["judged_in"]["deals"]
        rules = (
            [CardRule(**rule) for rule in written["rules"]]
            if chosen.judge or isinstance(written["search"], str)
            else find_card(game, variant, Budget(**written["search"]), SEED)
        )
        for seed in (SEED + 1, SEED):  # what adds something in the deals of the judgement must do so in others first
            rules = pruned(game, variant, rules, deals, seed)
        card = described(game, variant, rules, deals)
        card["search"] = written["search"]
        (CARDS / f"{name}.yaml").write_text(to_yaml([card]), encoding="utf-8")
        print(name, card["closes"], f"{time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
