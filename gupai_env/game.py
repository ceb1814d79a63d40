"""What a game imports: `import gupai_env.game as gupai`; docs/adding-a-game.md goes through one."""

from gupai_env import register
from gupai_env.core.episode import (
    NOBODY,
    begin_view,
    clearing,
    deal_hidden,
    distance,
    resume_from,
    rotate,
    rotate_back,
    seat_after,
    seat_at,
    state_dtype,
    view_dtype,
)
from gupai_env.core.game import Game
from gupai_env.core.heuristic import Feature, indices, prepared
from gupai_env.core.hints import Hints, Line
from gupai_env.core.layout import Encoder, Layout, Section
from gupai_env.core.memory import scratch
from gupai_env.core.move import Move
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.table import Table
from gupai_env.core.tiles import (
    FULL_SET,
    KINDS,
    ONE,
    PIPS,
    WEIGHT,
    count,
    deck_of,
    faces,
    kinds_in,
    list_tiles,
    parse_tiles,
    size,
    tile_name,
    tile_set,
    weight,
    write_counts,
    write_kinds,
)
from gupai_env.core.variant import Variant, option
from gupai_env.games.guide import Guide, Phrase
from gupai_env.games.phrases import chips, says, title
from gupai_env.messages import say

__all__ = [
    "FULL_SET", "KINDS", "NOBODY", "ONE", "PIPS", "WEIGHT", "Encoder", "Feature", "Game", "Guide", "Hints",
    "Layout", "Line", "Move", "Phrase", "Pile", "Place", "Scene", "Section", "Table", "Variant", "begin_view",
    "chips", "clearing", "count", "deal_hidden", "deck_of", "derive", "distance", "draw", "faces", "indices",
    "kinds_in", "list_tiles", "long_rule", "option", "parse_tiles", "prepared", "register", "resume_from", "rotate",
    "rotate_back", "rule", "say", "says", "scratch", "seat_after", "seat_at", "shuffle", "size", "state_dtype",
    "tile_name", "tile_set", "title", "view_dtype", "weight", "write_counts", "write_kinds",
]  # fmt: skip
