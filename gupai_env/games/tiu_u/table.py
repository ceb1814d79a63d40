"""The table of Tiu-U, drawn from views alone: the other hands and the stock lie face down."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.phrases import deal_of_match, faces, says, seats_from, title, won_by
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.core.tiles import ONE, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.tiu_u.rules import BAIT, CATCH, FISH, HEAVEN_PAIR, SHARES, THREE

LAKE_CAPACITY, CATCH_CAPACITY = 28, 24  # tiles; there are seldom more


def scene(
    game: Game,
    variant: Variant,
    views: Sequence[np.record],
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
) -> Scene:
    """Return the table; see `Game.scene`. The tiles of the last play are marked."""
    near = views[0]
    players = variant.players
    order = seats_from(near, players)
    terminated = payoffs is not None
    own = {int(view.seat): view for view in views}
    rules = variant.as_rules(game.rules_type)
    dealt, lake = SHARES[rules.deck]
    action = int(near.record[near.plays - 1]) if near.plays else None

    laid = BAIT[action] if action is not None and action < CATCH else NOBODY
    centre = [_pile("lake", near.lake, LAKE_CAPACITY, laid)]
    if near.drawn != NOBODY:
        centre.append(Pile("from the stock", faces(ONE[near.drawn]), marked=(0,)))
    centre.append(Pile("stock", hidden=int(near.stock), capacity=len(game.deck(rules)) - dealt - lake, form="stack"))

    places = []
    for place, seat in enumerate(order):
        hand = Pile("hand", hidden=int(near.sizes[place]), capacity=dealt // players)
        if seat in own:
            hand = Pile("hand", faces(own[seat].hand), capacity=dealt // players)
        caught = BAIT[action] if action is not None and action >= CATCH and place == near.last_player else NOBODY
        words = won_by(near, place, None if payoffs is None else payoffs[seat])
        words.append(f"{near.points[place]} points")
        piles = (hand, _pile("catch", near.catches[place], CATCH_CAPACITY, caught))
        places.append(Place(names[seat], piles, to_act=not terminated and place == near.mover, note=", ".join(words)))

    notes = [] if terminated else [f"bait from the {'hand' if near.drawn == NOBODY else 'stock'}"]
    notes.append(f"leader: {names[order[near.leader]]}")
    notes += deal_of_match(near, terminated)
    mover = names[order[near.leader if action is None else near.last_player]]
    return Scene(title(game, variant), tuple(centre), tuple(places), tuple(notes), says(mover, _action_type(action)))


def _pile(label: str, tiles: int, capacity: int, marked: int) -> Pile:
    """Return a face-up pile, one tile of the kind `marked` highlighted."""
    shown = faces(tiles)
    at = shown.index(faces(ONE[marked])[0]) if marked != NOBODY else None
    return Pile(label, shown, marked=() if at is None else (at,), capacity=capacity)


def _action_type(action: int | None) -> str:
    """Return what an action does as a phrase; None is the lead."""
    if action is None:
        return "lead"
    bait = tile_name(BAIT[action])
    if action == HEAVEN_PAIR:
        return "lay a heaven pair into the catch"
    if action >= THREE:
        return f"catch three tiles with {bait}"
    return f"catch {tile_name(FISH[action])} with {bait}" if action >= CATCH else f"lay {bait} into the lake"
