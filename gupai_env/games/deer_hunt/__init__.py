"""Deer Hunt (鹿狩り): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.deer_hunt.encoder import ENCODER, encode
from gupai_env.games.deer_hunt.hints import DeerHuntHints
from gupai_env.games.deer_hunt.knowledge import VIEW, determinize, information_set
from gupai_env.games.deer_hunt.players import FEATURES, HEURISTICS, score
from gupai_env.games.deer_hunt.rules import (
    DECKS,
    MOVES,
    PLAYS,
    SEATS,
    STATE,
    TEAMS,
    DeerHunt,
    deal_from,
    history,
    legal_actions,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.deer_hunt.table import scene

GAME = Game(
    __name__,
    id="deer-hunt",
    title="Deer Hunt 鹿狩り",
    version=0,
    variant=DeerHunt,
    max_seats=SEATS,
    max_decisions=PLAYS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=DeerHuntHints,
    teams=TEAMS,
)
