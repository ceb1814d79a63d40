"""RLCard: one game after another in Python."""

from functools import partial
from importlib.metadata import version
from random import random

import rlcard

from benchmarks.peers.protocol import ONE_GAME, Play, Row, Watch, serve

GAMES = ("leduc-holdem", "limit-holdem", "uno", "gin-rummy", "doudizhu", "mahjong")
COUNTED = "env.step with the state (observation and legal actions) that it returns, and payoffs at the end of the game."


def make(game: str) -> Play:
    """Return a function that plays one game."""
    env = rlcard.make(game, config={"seed": 1})

    def play(watch: Watch | None) -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            if watch:
                watch.turn([state["obs"].tobytes()])
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(random() * len(legal))])
            decisions += 1
        payoffs = env.get_payoffs()
        if watch:
            watch.ended_alone(payoffs)
        return decisions

    return play


if __name__ == "__main__":
    rows = [Row(game, ONE_GAME, partial(make, game)) for game in GAMES]
    serve("RLCard", version("rlcard"), COUNTED, rows)
