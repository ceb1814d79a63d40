"""Jie Long (接龍): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.connecting import encoder
from gupai_env.games.connecting import knowledge as shared
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.jie_long import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players, connecting, encoder, shared),
    id="jie-long",
    title="Jie Long 接龍",
    version=0,
    summary="One open end, and every tile you cannot or will not lay costs its pips.",
    variant=rules.JieLong,
    max_seats=connecting.SEATS,
    max_decisions=connecting.TURNS,
    moves=connecting.moves_with(),
    encoder=encoder.ENCODER,
    payoff_bound=rules.payoff_bound,
)
