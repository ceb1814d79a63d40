"""Who sat at the seats of a recorded game, as people read it."""

from collections.abc import Sequence

from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.words.sentences import names_at
from gupai_env.core.scene import YOU, seat_names
from gupai_env.games.phrases import chips
from gupai_env.messages import joined, say

PERSON = "human"  # the name of a person among the players of a game


def near_of(record: GameRecord) -> int:
    """Return the seat from which a game is seen: of the first person, else seat 0."""
    return record.agents.index(PERSON) if PERSON in record.agents else 0


def places(record: GameRecord) -> list[str]:
    """Return the names of the seats of a game: where a person sat, as the table called them."""
    if PERSON not in record.agents:
        return seat_names(record.variant.players)
    near = near_of(record)
    return names_at(record.variant.players, near, near if record.agents.count(PERSON) == 1 else None)


def called(record: GameRecord) -> list[str]:
    """Return a different name for each seat of a game, with who sat there."""
    form = "{place}: {agent}" if PERSON in record.agents else "{place} {agent}"
    return [
        place if place == YOU else say(form, place=place, agent=say(agent))
        for place, agent in zip(places(record), record.agents, strict=True)
    ]


def results(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Return what everybody has won; names and chips by seat."""
    won = zip(names, payoffs, strict=True)
    return joined(", ", [say("{name} {chips}", name=name, chips=chips(paid)) for name, paid in won])
