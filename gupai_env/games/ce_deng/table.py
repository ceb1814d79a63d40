"""The table of Ce Deng: that of a connecting game, and at the end what doubles the payments."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.ce_deng.rules import is_head_or_tail, is_pass
from gupai_env.games.connecting import table as connecting
from gupai_env.games.phrases import says
from gupai_env.words.messages import joined, say
from gupai_env.words.scene import Scene, Views


def scene(
    game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
) -> Scene:
    """Return the table; see `Game.scene`."""
    table, near = connecting.scene(game, variant, views, names, payoffs), views[0]
    if payoffs is None and near.turn < variant.players * near.hand_size:
        return table
    if payoffs is not None and near.turn == 0:  # nothing was played: who is paid declared
        declarer = max(range(variant.players), key=lambda seat: payoffs[seat])
        return replace(
            table, last_move=says(names[declarer], "{name} declares eight doubles", "{name} declare eight doubles")
        )
    rules = variant.as_rules()
    places = [
        replace(scene_place, note=joined(", ", [scene_place.note, *_doublings(rules, near, place)]))
        for place, scene_place in enumerate(table.places)
    ]
    return replace(table, places=tuple(places))


def _doublings(rules: Any, near: np.record, place: int) -> list[str]:
    """Return what doubles the payments of a seat."""
    words = ["pass"] if is_pass(rules, near, place) else []
    if is_head_or_tail(rules, near, place):
        missed = near.hand_size - near.plays[place]  # tiles never played: head seven, tail eight
        words.append(
            say("head {missed}", missed=missed) if place == near.leader else say("tail {missed}", missed=missed)
        )
    return words
