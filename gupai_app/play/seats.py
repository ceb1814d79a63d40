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


def called(record: GameRecord) -> list[str]:
    """Return a different name for each seat of a game: where a person sat, as the table called them."""
    players, agents = record.variant.players, record.agents
    if PERSON not in agents:
        return [
            say("{seat} {agent}", seat=seat, agent=say(agent))
            for seat, agent in zip(seat_names(players), agents, strict=True)
        ]
    near = near_of(record)
    people = [name for name in agents if name == PERSON]
    names = names_at(players, near, near if len(people) == 1 else None)
    return [
        name if name == YOU else say("{place}: {agent}", place=name, agent=say(agent))
        for name, agent in zip(names, agents, strict=True)
    ]


def results(names: Sequence[str], payoffs: Sequence[float]) -> str:
    """Return what everybody has won; names and chips by seat."""
    won = zip(names, payoffs, strict=True)
    return joined(", ", [say("{name} {chips}", name=name, chips=chips(paid)) for name, paid in won])
