"""What the form of a file cannot show: whether its game, variants, players, features and metrics exist together."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gupai_agents.evaluation.claims.doses import is_hand_dose, population_at
from gupai_agents.evaluation.claims.exacts import questions_of
from gupai_agents.evaluation.claims.features import (
    Feature,
    action_features_of,
    action_pips,
    check_feature,
    hand_features_of,
    position_features_of,
)
from gupai_agents.evaluation.claims.measures import metrics_of
from gupai_agents.evaluation.claims.players import player
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import (
    Action,
    Claim,
    Condition,
    Exact,
    Ordering,
    Policy,
    Population,
    Rate,
    Reading,
    agent_in,
)
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.words.checks import refused


@contextmanager
def key_context(key: str) -> Iterator[None]:
    """Let errors say at which key of the file they are."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def variant_of(game: Game, options: dict[str, Any]) -> Variant:
    """Return a variant for claims; raises ValueError also for a match of several deals."""
    variant = game.variant.make(**options)
    if variant.deals > 1:
        raise refused("deals", variant.deals, "claims are about single deals")
    return variant


def check_claim(claim: Claim) -> None:
    """Raise ValueError in one line, beginning with the key, for what the game does not have."""
    with key_context("game"):
        game = get_game(claim.game)
    for number, reading in enumerate(claim.readings):
        key = f"readings.{number}"
        with key_context(f"{key}.variant"):
            variant = variant_of(game, reading.variant)
        check_reading(key, game, variant, reading)


def check_reading(key: str, game: Game, variant: Variant, reading: Reading) -> None:
    """Raise ValueError as `check_claim`."""
    if isinstance(reading, Exact):
        check_exact(key, game, reading)
        return
    for place, spec in enumerate(reading.panel):
        with key_context(f"{key}.panel.{place}"):
            player(spec, game, variant)
    if isinstance(reading, Action | Ordering) and reading.comparator == "pip_matched":
        with key_context(f"{key}.comparator"):
            action_pips(game)
    if isinstance(reading, Ordering):
        check_items(key, game, variant, reading)
        return
    check_population(f"{key}.population", game, variant, reading.population)
    if isinstance(reading, Action):
        for name in ("action", "instead"):
            check_conditions(f"{key}.{name}", getattr(reading, name), lambda condition: _action(condition, game))
        check_conditions(f"{key}.subgroups", reading.subgroups, lambda condition: _position(condition, game))
        check_doses(f"{key}.doses", game, variant, reading)
        return
    check_metric(key, game, reading.metric, reading.number)
    if reading.population.position:
        raise ValueError(f"{key}.population.position: only an action is taken in a position")
    if isinstance(reading, Policy):
        with key_context(f"{key}.baseline"):
            baseline = reading.baseline
            player(baseline, game, variant, reading.panel[0])
        with key_context(f"{key}.treated"):
            player(reading.treated, game, variant, reading.panel[0], agent_in(baseline))
        check_conditions(f"{key}.subgroups", reading.subgroups, lambda condition: _position(condition, game))
        check_doses(f"{key}.doses", game, variant, reading)
    if isinstance(reading, Rate):
        if reading.treated is not None:
            with key_context(f"{key}.treated"):
                player(reading.treated, game, variant, reading.panel[0], reading.panel[0])
        if reading.against is not None:
            with key_context(f"{key}.against"):
                variant_of(game, reading.against)


def check_exact(key: str, game: Game, reading: Exact) -> None:
    """Raise ValueError for an enumeration or a fact that there is not."""
    known = questions_of(game)
    if reading.enumerate not in known:
        raise ValueError(
            f"{key}.enumerate: {reading.enumerate!r} cannot be enumerated in {game.id}; choose one of "
            f"{', '.join(known)}"
        )


def check_doses(key: str, game: Game, variant: Variant, reading: Policy | Action) -> None:
    """Raise ValueError for doses of no feature, of one that the population bounds already, and that no hand has."""
    doses = reading.doses
    if doses is None:
        return
    with key_context(key):
        known: dict[str, Feature] = {**position_features_of(game), **hand_features_of(game)}
        check_feature(doses, known, f"a hand or a position of {game.id}")
    if not is_hand_dose(reading, game):
        return
    if any(condition.what == doses.what for condition in reading.population.hand):
        raise ValueError(f"{key}: they say how many {doses.what}; leave that condition out of the population")
    for place, dose in enumerate(doses.doses):
        with key_context(f"{key}.values.{place}"):
            Sampler(game, variant, population_at(reading, game, dose))


def check_items(key: str, game: Game, variant: Variant, reading: Ordering) -> None:
    """Raise ValueError for items of an ordering that cannot be."""
    labels = [item.label for item in reading.items]
    if len(set(labels)) < len(labels):
        raise ValueError(f"{key}.items: two have the same label")
    if reading.first not in (*labels, "any"):
        raise ValueError(f"{key}.first: {reading.first!r} is not a label; they are any, {', '.join(labels)}")
    for name in reading.but:
        if name not in labels or name == reading.first:
            raise ValueError(f"{key}.but: {name!r} is not a label of the others; labels are {', '.join(labels)}")
    for place, item in enumerate(reading.items):
        here = f"{key}.items.{place}"
        with key_context(f"{here}.variant"):
            variant = variant_of(game, {**reading.variant, **item.variant})
        for number, field in enumerate(reading.fields):
            with key_context(f"{key}.fields.{number}"):
                for spec in field:
                    player(spec, game, variant)
        check_population(f"{here}.population", game, variant, item.population)
        check_conditions(f"{here}.action", item.action, lambda condition: _action(condition, game))
        if bool(item.action) != (reading.comparator is not None):
            raise ValueError(f"{here}.action: items have actions if, and only if, there is a `comparator`")
        if reading.comparator is None:
            check_metric(here, game, reading.metric, item.number)
            if metrics_of(game)[reading.metric].drawn != bool(reading.fields):
                raise ValueError(f"{key}.metric: `fields` and the metric skill_share need each other")
        if item.treated is not None:
            with key_context(f"{here}.treated"):
                player(item.treated, game, variant, reading.panel[0], reading.panel[0])


def check_population(key: str, game: Game, variant: Variant, population: Population) -> None:
    """Raise ValueError for conditions that no deal meets or no position can be asked about."""
    with key_context(key):
        Sampler(game, variant, population)
    check_conditions(f"{key}.position", population.position, lambda condition: _position(condition, game))


def check_conditions(key: str, conditions: Sequence[Any], check: Callable[[Any], None]) -> None:
    """Raise ValueError naming the condition that is wrong."""
    for place, condition in enumerate(conditions):
        with key_context(f"{key}.{place}"):
            check(condition)


def _position(condition: Condition, game: Game) -> None:
    check_feature(condition, position_features_of(game), f"a position of {game.id}")


def _action(condition: Condition, game: Game) -> None:
    check_feature(condition, action_features_of(game), f"an action of {game.id}")


def check_metric(key: str, game: Game, metric: str, number: int | None) -> None:
    """Raise ValueError for a metric that there is not, or not of this game."""
    known = metrics_of(game)
    if metric not in known:
        raise ValueError(f"{key}.metric: {metric!r} is not a metric of {game.id}; choose one of {', '.join(known)}")
    if known[metric].number != (number is not None):
        raise ValueError(f"{key}.number: {metric} {'needs a' if known[metric].number else 'takes no'} number")
