"""Positions of Deer Hunt."""

from collections.abc import Sequence
from typing import Unpack

from gupai_env.core.position import Position, Setup, Tiles, piles_of, read_tiles, rest_of
from gupai_env.core.tiles import FULL_SET, ONE, RED
from gupai_env.games.deer_hunt import GAME
from gupai_env.games.deer_hunt.rules import HANDS, SEATS
from gupai_env.options import DeerHuntPosition


def from_tiles(
    hands: Sequence[Tiles],
    trick: Tiles = "",
    taken: Sequence[Tiles] | None = None,
    escaped: Tiles = "",
    *,
    to_act: int | None = None,
    leader: int = 0,
    **variant: Unpack[DeerHuntPosition],
) -> Position:
    """Return a deal under way, or one that is over if no tiles are in hand.

    Args:
        hands: By seat, as many tiles each as before the trick, less the one that a seat has played to it.
        trick: Its tiles in the order in which they were played.
        taken: The tricks by who took them, in any order of tiles.
        escaped: Those that count for nobody.
        to_act: By default who follows the last player of the trick, or the dealer if nothing lies.
        leader: The dealer. Who played what to earlier tricks is unknown, and tiles given nowhere take no part, but a
            view holds them for unseen.

    Raises:
        ValueError: For too many copies of a tile, hands of wrong sizes, or tricks that are not of four tiles.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands, "taken": taken}, {"trick": trick, "escaped": escaped})
    state, held, caught = setup.state, setup.by_seat["hands"], setup.by_seat["taken"]
    lying, most = setup.lying["trick"], HANDS[setup.position.rules.deck]
    for label, tiles in (*(("taken", tiles) for tiles in caught), ("escaped", setup.lying["escaped"])):
        if len(tiles) % SEATS:
            raise ValueError(f"{label} must hold whole tricks, of {SEATS} tiles each, not {len(tiles)} tiles")
    if len(lying) >= SEATS:
        raise ValueError(f"a trick under way has at most {SEATS - 1} tiles, not {len(lying)}")
    mover = (setup.seat("to_act", to_act) + (len(lying) if to_act is None else 0)) % SEATS
    players = [(mover - len(lying) + turn) % SEATS for turn in range(len(lying))]
    sizes = [len(tiles) + (seat in players) for seat, tiles in enumerate(held)]
    if min(sizes) != max(sizes) or max(sizes) > most:
        raise ValueError(f"before the trick every hand has the same number of tiles, at most {most}, not {sizes}")

    state.to_act = mover
    state.red = [RED[tiles].sum() for tiles in caught]
    state.terminated = not any(held)
    for kind, seat in zip(lying, players, strict=True):
        if not state.lying or kind > state.trick[state.taking]:
            state.taking = seat
        state.trick[seat] = kind
        state.played[seat] = ONE[kind]
        state.record[state.plays] = kind
        state.lying += 1
        state.plays += 1
    return setup.position


def red_pips(tiles: Tiles) -> int:
    """Return the red pips on some tiles."""
    kinds = read_tiles(tiles)
    rest_of(int(FULL_SET), kinds)
    return int(RED[kinds].sum())


def settle(taken: Sequence[Tiles], **variant: Unpack[DeerHuntPosition]) -> list[float]:
    """Return the chips of every seat for the tricks that each took; raises ValueError as `from_tiles` does."""
    taken = piles_of("taken", taken)
    return from_tiles([""] * len(taken), taken=taken, **variant).paid()
