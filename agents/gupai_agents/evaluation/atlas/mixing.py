"""Where a good player of the tiny deck must be unpredictable, and what it costs never to be."""

from collections.abc import Sequence

from gupai_agents.evaluation.atlas.report import EXACT, WORDS, Table
from gupai_agents.evaluation.atlas.study import TURNS, Study
from gupai_agents.evaluation.exact.mixing import mixing
from gupai_agents.evaluation.exact.tree import build_tree_of_sides
from gupai_env.messages import say
from gupai_env.render import draw_text

SIDES = ("the side of the seat that leads", "the other side")


def tables(study: Study) -> Sequence[Table]:
    """Return where a good player of the tiny deck must be unpredictable; partners are one player, see
    `build_tree_of_sides`.
    """
    tree = build_tree_of_sides(study.game, **{**study.tiny_options, "leader": 0})
    result, turns = mixing(tree), SIDES if study.game.teams else TURNS
    note = say(
        "Of the {tried} positions where mixing weighs most, in {number} every equilibrium mixes.",
        tried=result.tried,
        number=len(result.mixed),
    )
    if study.game.teams:
        note = say("{found} Partners are one player here, which sees both of their hands.", found=note)
    tables = [
        Table(
            "What it costs never to mix, on the tiny deck",
            ("turn", "chips per deal at an equilibrium", "who never mixes loses at most"),
            (WORDS, EXACT, EXACT),
            [(name, value, value - pure) for name, value, pure in zip(turns, result.values, result.pure, strict=False)],
            note,
        )
    ]
    for position in result.mixed[:1]:
        view = tree.batch.views[position.number]
        names = [study.game.action_name(action, view) for action in position.actions]
        tables.append(
            Table(
                "The latest of these positions",
                ("action", "share at an equilibrium", "always to play it costs at least"),
                (WORDS, EXACT, EXACT),
                list(zip(names, position.probabilities, position.costs, strict=True)),
                "A player that always does the same here wins so much less, in chips per deal, from one that knows it.",
                draw_text(study.game.scene(tree.variant, [view])),
            )
        )
    return tuple(tables)
