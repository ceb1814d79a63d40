"""Every variant of every game, for tests that hold whatever the options are."""

import dataclasses
import random
from itertools import combinations, product

from gupai_env import GAMES
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant

MOST = 150  # variants of a game


def values(field: dataclasses.Field) -> tuple:
    """What an option is tried with: its choices, both truth values, or else its default alone."""
    if field.metadata["choices"]:
        return field.metadata["choices"]
    return (False, True) if isinstance(field.default, bool) else (field.default,)


def variants(game: Game) -> list[Variant]:
    """All combinations of players and options, with one deal, a random leader and the default stake.

    Of very many, MOST of them, drawn once for all, the default options among them.
    """
    fields = dataclasses.fields(game.variant)
    names = [field.name for field in fields]
    found = [dict(zip(names, choice, strict=True)) for choice in product(*map(values, fields))]
    found = [options for options in found if allowed(game, options)]
    if len(found) > MOST:
        found = [{}, *random.Random(1).sample(found, MOST - 1)]
    return [game.variant(**options) for options in found]


def allowed(game: Game, options: dict) -> bool:
    """Whether the deck allows the other options."""
    limits = game.variant.LIMITS[options["deck"]]
    return all(options[name] in choices for name, choices in limits.items())


def pairwise(chosen: list[Variant]) -> list[Variant]:
    """Some of a game's variants in which every two values of two options meet that meet in any."""

    def pairs(variant: Variant) -> set:
        return set(combinations(sorted((name, str(value)) for name, value in vars(variant).items()), 2))

    found, open_pairs = [], set().union(*map(pairs, chosen))
    while open_pairs:
        found.append(max(chosen, key=lambda variant: len(pairs(variant) & open_pairs)))
        open_pairs -= pairs(found[-1])
    return found


def name_of(game: Game, variant: Variant) -> str:
    return " ".join([game.id, *(f"{name}={value}" for name, value in variant.changed().items())])


VARIANTS = [(game, variant) for game in GAMES.values() for variant in variants(game)]
VARIANT_NAMES = [name_of(game, variant) for game, variant in VARIANTS]
PAIRS = [(game, variant) for game in GAMES.values() for variant in pairwise(variants(game))]
PAIR_NAMES = [name_of(game, variant) for game, variant in PAIRS]
