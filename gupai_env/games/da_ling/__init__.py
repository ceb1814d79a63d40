"""Da Ling (打零): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.da_ling.encoder import ENCODER, encode
from gupai_env.games.da_ling.hints import DaLingHints
from gupai_env.games.da_ling.history import history
from gupai_env.games.da_ling.knowledge import VIEW, determinize, information_set
from gupai_env.games.da_ling.players import FEATURES, HEURISTICS, score
from gupai_env.games.da_ling.rules import (
    DECKS,
    MOVES,
    SEATS,
    STATE,
    DaLing,
    deal_from,
    legal_actions,
    move_of,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.da_ling.table import scene

GAME = Game(
    __name__,
    id="da-ling",
    title="Da Ling 打零",
    version=0,
    variant=DaLing,
    max_seats=SEATS,
    max_decisions=SEATS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=DaLingHints,
    simultaneous=True,
    move_of=move_of,
)
