"""Ce Deng (斜釘): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.ce_deng import knowledge, players, rules
from gupai_env.games.connecting import encoder
from gupai_env.games.connecting import knowledge as shared
from gupai_env.games.connecting import rules as connecting

GAME = Game(
    __name__,
    modules=(rules, knowledge, players, encoder, shared),
    id="ce-deng",
    title="Ce Deng 斜釘",
    version=0,
    summary="A line of tiles, with forced play, a block, and doubled payments.",
    variant=rules.CeDeng,
    max_seats=connecting.SEATS,
    max_decisions=connecting.TURNS + connecting.SEATS,
    moves=connecting.moves_with("declare eight doubles", "demand a redeal", "play on"),
    encoder=encoder.ENCODER,
    payoff_bound=rules.payoff_bound,
)
