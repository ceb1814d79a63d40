"""Da Ling: the history of a deal, from its beginning."""

from gupai_env.core.rule import rule
from gupai_env.core.tiles import list_tiles
from gupai_env.games.splitting import rules as splitting


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    return splitting.history(rules, state, order, list_tiles(state.table, order), actions)
