"""The table of a fishing game, drawn from views alone: the other hands and the stock lie face down."""

from collections.abc import Callable, Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.tiles import ONE, faces, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.phrases import deal_of_match, says, seats_from, title, won_by
from gupai_env.words.messages import joined, say
from gupai_env.words.scene import Pile, Place, Scene, Views

LAKE_CAPACITY, CATCH_CAPACITY = 28, 24  # tiles; there are seldom more


def table_of(
    shares: Sequence[tuple[int, int]], baits: np.ndarray, move_of: Callable[[str, int], str]
) -> Callable[..., Scene]:
    """Return the `scene` of a game, which marks the tiles of the last play.

    Args:
        shares: By deck, the tiles in all hands and in the lake.
        baits: The kind that each action plays.
        move_of: Returns what a seat did by an action, from its name and the action.
    """

    def scene(
        game: Game, variant: Variant, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
    ) -> Scene:
        """Return the table; see `Game.scene`."""
        dealt, lake = shares[variant.as_rules().deck]
        return _drawn(game, variant, views, names, payoffs, dealt, lake, baits, move_of)

    return scene


def _drawn(
    game: Game,
    variant: Variant,
    views: Views,
    names: Sequence[str],
    payoffs: Sequence[float] | None,
    dealt: int,
    lake: int,
    baits: np.ndarray,
    move_of: Callable[[str, int], str],
) -> Scene:
    """Return the table of a fishing game."""
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    action = int(near.record[near.plays - 1]) if near.plays else None

    laid = baits[action] if action is not None and action < CATCH else NOBODY
    centre = [_pile("lake", near.lake, LAKE_CAPACITY, laid)]
    if near.drawn != NOBODY:
        centre.append(Pile("from the stock", faces(ONE[near.drawn]), marked=(0,)))
    stock = len(game.deck(variant.as_rules())) - dealt - lake
    centre.append(Pile("stock", hidden=int(near.stock), capacity=stock, form="stack"))

    places = []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=dealt // players)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=dealt // players)
        caught = baits[action] if action is not None and action >= CATCH and place == near.last_player else NOBODY
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(say("{points} points", points=near.points[place]))
        piles = (hand, _pile("catch", near.catches[place], CATCH_CAPACITY, caught))
        places.append(
            Place(names[seat], piles, to_act=not terminated and place == near.mover, note=joined(", ", words))
        )

    bait = "bait from the hand" if near.drawn == NOBODY else "bait from the stock"
    notes = [] if terminated else [bait]
    notes.append(say("leader: {name}", name=names[order[near.leader]]))
    notes += deal_of_match(near, terminated)
    mover = names[order[near.leader if action is None else near.last_player]]
    last_move = says(mover, "{name} leads", "{name} lead") if action is None else move_of(mover, action)
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), last_move)


def _pile(label: str, tiles: int, capacity: int, marked: int) -> Pile:
    """Return a face-up pile, one tile of the kind `marked` highlighted."""
    tile_faces = faces(tiles)
    index = tile_faces.index(faces(ONE[marked])[0]) if marked != NOBODY else None
    return Pile(label, tile_faces, marked=() if index is None else (index,), capacity=capacity)


def fishing_move(name: str, bait: int, fish: int, three: bool) -> str:
    """Return what a seat did with a bait; `fish` is the kind that it caught one of, or NOBODY."""
    tile = tile_name(bait)
    if three:
        catches = "{name} catches three tiles with {bait}", "{name} catch three tiles with {bait}"
        return says(name, *catches, bait=tile)
    if fish == NOBODY:
        return says(name, "{name} lays {bait} into the lake", "{name} lay {bait} into the lake", bait=tile)
    return says(
        name, "{name} catches {fish} with {bait}", "{name} catch {fish} with {bait}", fish=tile_name(fish), bait=tile
    )
