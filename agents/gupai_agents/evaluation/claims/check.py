"""What the form of a file cannot show: whether its game, variants, players, features and metrics exist together."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from gupai_agents.evaluation.claims.features import (
    Feature,
    action_features_of,
    action_pips,
    check_feature,
    metrics_of,
    position_features_of,
)
from gupai_agents.evaluation.claims.players import player
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Condition, Named, Player, Population
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import key_context, refused


def variant_of(game: Game, options: dict[str, Any]) -> Variant:
    """Return a variant for claims; raises ValueError also for a match of several deals."""
    variant = game.variant.make(**options)
    if variant.deals > 1:
        raise refused("deals", variant.deals, "claims are about single deals")
    return variant


class Place(NamedTuple):
    """A place in the file of a claim, by its key, and the game and variant that are meant there.

    Each of its methods raises ValueError, in one line that begins with the key, for what the game does not have.
    """

    key: str
    game: Game
    variant: Variant

    def at(self, name: str) -> AbstractContextManager[None]:
        """Let errors say that they are at a key below this one."""
        return key_context(f"{self.key}.{name}")

    def player(self, name: str, spec: Player, same: str = "", baseline: str = "") -> None:
        """Check a player, see `players.player`.

        Args:
            name: The key that names it.
            spec: What it says.
            same, baseline: As of `players.player`.
        """
        with self.at(name):
            player(spec, self.game, self.variant, same, baseline)

    def comparator(self, comparator: str | None) -> None:
        """Check that tiles to be compared by their pips are played one at a time."""
        if comparator == "pip_matched":
            with self.at("comparator"):
                action_pips(self.game)

    def population(self, population: Population) -> None:
        """Check that some deal meets the conditions, and that positions have theirs."""
        with self.at("population"):
            Sampler(self.game, self.variant, population)
        self.positions("population.position", population.position)

    def positions(self, name: str, conditions: Sequence[Condition]) -> None:
        """Check conditions on positions."""
        self._features(name, conditions, position_features_of(self.game), f"a position of {self.game.id}")

    def actions(self, name: str, conditions: Sequence[Condition]) -> None:
        """Check conditions on actions."""
        self._features(name, conditions, action_features_of(self.game), f"an action of {self.game.id}")

    def _features(self, name: str, conditions: Sequence[Named], known: Mapping[str, Feature], subject: str) -> None:
        for number, condition in enumerate(conditions):
            with self.at(f"{name}.{number}"):
                check_feature(condition, known, subject)

    def metric(self, metric: str, number: int | None) -> None:
        """Check a metric, and whether it takes a number."""
        known = metrics_of(self.game)
        with self.at("metric"):
            if metric not in known:
                names = ", ".join(known)
                raise ValueError(f"{metric!r} is not a metric of {self.game.id}; choose one of {names}")
        with self.at("number"):
            if known[metric].number != (number is not None):
                raise ValueError(f"{metric} {'needs a' if known[metric].number else 'takes no'} number")

    def measured(self, population: Population, metric: str, number: int | None) -> None:
        """Check what a metric is measured in; it looks at no positions.

        Args:
            population: What is played.
            metric: Its name.
            number: The number that the metric takes, None for none.
        """
        self.population(population)
        self.metric(metric, number)
        if population.position:
            raise ValueError(f"{self.key}.population.position: only an action is taken in a position")
