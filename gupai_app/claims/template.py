"""The beginning of a claim's file for any game, made of its own players and moves."""

import numpy as np

from gupai_agents.evaluation.records import action_types_of
from gupai_agents.shipped import heuristic_names
from gupai_env.core.game import Game

BEGINNING = """\
# A claim about {title}, tested by: gupai claim run {name}.yaml
# Its keys: gupai claim schema. Features and metrics: gupai claim features.
id: {name}
statement: Write here what is claimed.
source: who says so, and where
game: {game}
readings:
"""
ACTION = """\
  - name: one action rather than another
    kind: action                # exact, rate, policy, action or ordering
    action: [{{feature: {action}}}, {{feature: heaviest}}]  # all that the action must have
    comparator: best_alternative  # what else the player likes best; or uniform, pip_matched
    panel: [{panel}]    # players, each at all seats
    alternative: greater
    margin: 0.5                 # the smallest effect worth naming, in chips
"""
POLICY = """\
  - name: one player rather than another, by the doubles that it is dealt
    kind: policy
    treated: {treated}          # a player, or weights that are added to the baseline: +{feature}=1
    baseline: {baseline}
    panel: [{panel}]    # opponents
    margin: 0.5
    plan: {{power: 0.9}}
    doses: {{feature: doubles, values: ["0-1", "2", "3+"]}}  # a verdict for each
"""


def template(game: Game, name: str) -> str:
    """Return the text of a claim's file that can be tested as it stands."""
    heuristics, (verbs, types) = heuristic_names(game), action_types_of(game)
    words = {
        "title": game.title,
        "name": name,
        "game": game.id,
        "action": verbs[np.bincount(types).argmax()],
        "panel": ", ".join(heuristics[:3]),
        "treated": heuristics[-1],
        "baseline": heuristics[0],
        "feature": game.features[0].name,
    }
    parts = (BEGINNING, ACTION, POLICY) if game.move_of is None else (BEGINNING, POLICY)
    return "".join(parts).format(**words)
