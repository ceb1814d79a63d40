"""Every variant of every game, for tests that hold whatever the options are."""

import dataclasses
import random
from functools import cache
from itertools import combinations, product
from math import prod

from gupai_env import GAMES
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant


def values(field: dataclasses.Field) -> tuple:
    """What an option is tried with: its choices, both truth values, or else its default alone."""
    if field.metadata["choices"]:
        return field.metadata["choices"]
    return (False, True) if isinstance(field.default, bool) else (field.default,)


def table_sizes(game: Game) -> tuple:
    """How many players the default deck of a game is for."""
    (players,) = (field for field in dataclasses.fields(game.variant) if field.name == "players")
    return game.variant.LIMITS[game.variant().deck].get("players", values(players))


MOST = 400  # combinations of options of a game


@cache
def variants(game: Game) -> list[Variant]:
    """All combinations of players and options, with one deal, a random leader and the default stake.

    Of games with very many, some in which every two values of two options meet.
    """
    fields = dataclasses.fields(game.variant)
    names = [field.name for field in fields]
    if prod(len(values(field)) for field in fields) > MOST:
        return some_variants(game)
    found = [dict(zip(names, choice, strict=True)) for choice in product(*map(values, fields))]
    return [game.variant(**options) for options in found if allowed(game, options)]


def some_variants(game: Game) -> list[Variant]:
    """Few variants, the default first, in which every two values of two options meet that are allowed to."""
    fields, rng = dataclasses.fields(game.variant), random.Random(0)
    found = [game.variant()]
    met = pairs_of(found[0])
    for one, other in combinations(fields, 2):
        for value, other_value in product(values(one), values(other)):
            pair = {one.name: value, other.name: other_value}
            tried = [
                {field.name: rng.choice(values(field)) for field in fields} | pair
                for _ in range(20 * (((one.name, str(value)), (other.name, str(other_value))) not in met))
            ]
            for options in tried:  # players as the deck has them, where neither is given
                sizes = game.variant.LIMITS[options["deck"]].get("players", (options["players"],))
                options["players"] = pair.get("players", rng.choice(sizes))
            chosen = [game.variant(**options) for options in tried if allowed(game, options)]
            if chosen:
                found.append(max(chosen, key=lambda variant: len(pairs_of(variant) - met)))
                met |= pairs_of(found[-1])
    return found


def pairs_of(variant: Variant) -> set:
    """Every two options of a variant with their values."""
    return set(combinations(((name, str(value)) for name, value in vars(variant).items()), 2))


def allowed(game: Game, options: dict) -> bool:
    """Whether the deck allows the other options."""
    limits = game.variant.LIMITS[options["deck"]]
    return all(options[name] in choices for name, choices in limits.items())


def pairwise(chosen: list[Variant]) -> list[Variant]:
    """Some of a game's variants in which every two values of two options meet that meet in any."""

    found, open_pairs = [], set().union(*map(pairs_of, chosen))
    while open_pairs:
        found.append(max(chosen, key=lambda variant: len(pairs_of(variant) & open_pairs)))
        open_pairs -= pairs_of(found[-1])
    return found


def name_of(game: Game, variant: Variant) -> str:
    return " ".join([game.id, *(f"{name}={value}" for name, value in variant.changed().items())])


VARIANTS = [(game, variant) for game in GAMES.values() for variant in variants(game)]
VARIANT_NAMES = [name_of(game, variant) for game, variant in VARIANTS]
PAIRS = [(game, variant) for game in GAMES.values() for variant in pairwise(variants(game))]
PAIR_NAMES = [name_of(game, variant) for game, variant in PAIRS]
