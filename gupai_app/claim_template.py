"""The beginning of a claim's file for any game, made of its own players and of what its actions are called."""

from gupai_agents.evaluation.claims.patterns import named, verbs_of
from gupai_agents.shipped import heuristic_names
from gupai_env.core.game import Game

TEMPLATE = """\
# A claim about {title}, tested by: gupai claim run {name}.yaml
# Its keys: gupai claim schema. Features, patterns of actions, metrics: gupai claim features.
id: {name}
statement: Write here what is claimed.
source: who says so, and where
game: {game}
readings:
  - name: one action rather than another
    kind: action                # exact, rate, policy, action or ordering
    action: {action}      # in words; its verbs here: {verbs}
    comparator: best_alternative  # what else the player likes best; or uniform, pip_matched
    panel: [{panel}]    # players, each at all seats
    alternative: greater
    margin: 0.5                 # the smallest effect worth naming, in chips
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
    heuristics, verbs = heuristic_names(game), verbs_of(game)
    used = [named(each)[0] for each in game.action_names]
    common = max(verbs, key=used.count)
    return TEMPLATE.format(
        title=game.title,
        name=name,
        game=game.id,
        action=f"{common}{'es' if common.endswith(('ch', 'sh', 'ss')) else 's'} a double",
        verbs=", ".join(verbs[:8]),
        panel=", ".join(heuristics[:3]),
        treated=heuristics[-1],
        baseline=heuristics[0],
        feature=game.features[0].name,
    )
