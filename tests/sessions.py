"""Sessions of people, played at random."""

from collections.abc import Iterator
from typing import Any

from gupai_app.play.session import Session
from gupai_env.core.rng import draw
from gupai_env.games import get_game


def decisions(game: str, seed: int, **options: Any) -> Iterator[Session]:
    """A session before each decision of a deal in which every seat plays at random, and at its end."""
    variant = get_game(game).variant.make(**options)
    session = Session(get_game(game), variant, seed)
    while not session.terminated:
        yield session
        legal = session.mask().nonzero()[0]
        session.play(int(legal[draw(seed, len(session.actions), len(legal))]))
    yield session
