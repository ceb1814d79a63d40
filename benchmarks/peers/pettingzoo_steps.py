"""PettingZoo's classic games."""

from functools import partial
from importlib import import_module
from importlib.metadata import version

from benchmarks.peers.agent_iter import COUNTED, play_aec
from benchmarks.peers.protocol import AGENT_ITER, Row, serve

GAMES = (
    "leduc_holdem_v4",
    "texas_holdem_v4",
    "texas_holdem_no_limit_v6",
    "hanabi_v5",
    "connect_four_v3",
    "tictactoe_v3",
)


def make(game: str):
    """Return a function that plays one game."""
    return play_aec(import_module(f"pettingzoo.classic.{game}").raw_env())


if __name__ == "__main__":
    rows = [Row(game, AGENT_ITER, partial(make, game)) for game in GAMES]
    serve("PettingZoo classic", version("pettingzoo"), COUNTED, rows)
