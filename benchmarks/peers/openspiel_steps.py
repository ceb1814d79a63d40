"""OpenSpiel: one game after another, its Python dominoes and some of its C++ card games."""

from functools import partial
from importlib.metadata import version
from random import choices, random

import pyspiel
from open_spiel.python.games import block_dominoes, team_dominoes  # noqa: F401  (registers them)

from benchmarks.peers.protocol import ONE_GAME, Play, Row, Watch, serve

GAMES = (
    "python_block_dominoes",
    "python_team_dominoes",
    "kuhn_poker",
    "leduc_poker",
    "tic_tac_toe",
    "gin_rummy",
    "hearts",
    "crazy_eights",
    "dou_dizhu",
    "hanabi",
)
COUNTED = (
    "A player's apply_action with legal_actions and observation_tensor (information_state_tensor if a game has "
    "none). Chance nodes in between take time but are not counted."
)


def make(name: str) -> Play:
    """Return a function that plays one game."""
    game = pyspiel.load_game(name)
    whole = game.get_type().provides_observation_tensor

    def play(watch: Watch | None) -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choices(actions, odds)[0])
                continue
            seat = state.current_player()
            observed = state.observation_tensor(seat) if whole else state.information_state_tensor(seat)
            if watch:
                watch.turn([repr(observed).encode()])
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            decisions += 1
        payoffs = state.returns()
        if watch:
            watch.ended_alone(payoffs)
        return decisions

    return play


if __name__ == "__main__":
    rows = [Row(game, ONE_GAME, partial(make, game)) for game in GAMES]
    serve("OpenSpiel", version("open_spiel"), COUNTED, rows)
