"""Positions of Ding Niu."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Unpack

from gupai_env.core.bits import gather
from gupai_env.core.position import Position, Setup, Tiles, begin_position, new_position, read_seat, rest_of
from gupai_env.core.tiles import HIGHEST, kind_of, kinds_in, tile_set
from gupai_env.games.connecting.position import Line, count_points, mirrored, place_tiles, read_layout, winner
from gupai_env.games.connecting.rules import SEATS
from gupai_env.games.ding_niu import GAME
from gupai_env.games.ding_niu.rules import CLASSIC, DECK_SETS, HANDS, LOST, NONE, RUNNING_SET, bits, judge, off_layout
from gupai_env.games.phrases import listed
from gupai_env.messages.checks import refused, short_repr
from gupai_env.options import DingNiuPosition

__all__ = ["SuanZhang", "from_tiles", "settle", "suan_zhang", "winner"]

NAMES = ("", "ones", "twos", "threes", "fours", "fives", "sixes")


class SuanZhang(NamedTuple):
    """A suan zhang: "classic", with the numbers that are open, or "smothered", with those never reached."""

    kind: str
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.kind} suan zhang of {listed(NAMES[number] for number in self.numbers)}"


def from_tiles(
    hands: Sequence[Tiles],
    layout: Tiles = "",
    discards: Sequence[Tiles] | None = None,
    *,
    leader: int = 0,
    last_player: int | None = None,
    maker: int | None = None,
    **variant: Unpack[DingNiuPosition],
) -> Position:
    """Return a deal under way, as `jie_long.from_tiles` does; both ends of the layout are open.

    A layout that is a suan zhang stands only where the deal continues after it (`after_suan_zhang="play_on"`);
    to see one made, build the position before it and `play` the tile.

    Args:
        hands, discards: Tiles by seat.
        layout: The line as it lies, "[1:3][3:2]".
        leader: Who led; whose turn it is follows from the tiles shed.
        last_player: Who laid the last tile; None: whoever may have.
        maker: The seat that made the suan zhang which is on the layout; None: whoever may have.

    Raises:
        ValueError: As `jie_long.from_tiles` does, and for a maker without a suan zhang.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands, "discards": discards}, {"layout": layout})
    position, line = setup.position, read_layout(layout)
    goes_on = position.variant.after_suan_zhang == "play_on"
    stands = _judged(position, line)
    if stands and not (goes_on and stands.kind == "classic"):
        written = "".join(f"[{a}:{b}]" for a, b in line)
        raise ValueError(
            f"{written} is a {stands}, which ends the deal; build the position before its last tile and play that"
        )
    if maker is not None:
        maker = setup.seat("maker", maker)
        if not stands:
            raise ValueError(f"maker={maker} is not allowed, for the layout is not a suan zhang")

    def may_stand(line: Line, seat: int) -> bool:
        made = _made(position, line)
        return made is None or (goes_on and made.kind == "classic" and maker in (None, seat))

    return place_tiles(setup, layout, last_player, may_stand)


def suan_zhang(
    layout: Tiles, *, last: Literal["left", "right"] | None = None, **variant: Unpack[DingNiuPosition]
) -> SuanZhang | None:
    """Return what a line is, `SuanZhang("classic", (2, 3))` for two-three, or None if it is not a suan zhang.

    With `suan_zhang=False` none is.

    Args:
        last: The end where the last tile was laid, which is not a suan zhang if that tile is a double or the lead;
            None: whichever it was, so that doubles may have been laid after the tile that made it.

    Raises:
        ValueError: For a line that does not join or is not of the deck.
    """
    if last not in (None, "left", "right"):
        raise refused("last", last, "choose None, 'left' or 'right'")
    position = new_position(GAME, 0, variant.pop("players", SEATS), variant)
    line = read_layout(layout)
    rest_of(DECK_SETS[position.rules.deck], [kind_of(*tile) for tile in line])
    if last is None:
        return _judged(position, line)
    return _made(position, line if last == "right" else mirrored(line))


def _made(position: Position, line: Line) -> SuanZhang | None:
    """Return what the last tile of a line, at its right end, has made; a double makes nothing."""
    return None if not line or line[-1][0] == line[-1][1] else _judged(position, line)


def _judged(position: Position, line: Line) -> SuanZhang | None:
    """Return what a line is, whichever tile was laid last; a lead is nothing."""
    if len(line) < 2 or not position.rules.suan_zhang:
        return None
    rules, ends = position.rules, (line[0][0], line[-1][1])
    remaining = off_layout(rules, [tile_set(kind_of(*tile) for tile in line)])
    made = judge(rules, remaining, *ends)
    if made == NONE:
        return None
    if made == CLASSIC:
        return SuanZhang("classic", tuple(sorted(set(ends))))
    lost = int(LOST[gather(kinds_in(remaining), RUNNING_SET), ends[0], ends[1]]) & rules.smothered_numbers
    return SuanZhang("smothered", tuple(n for n in range(1, HIGHEST + 1) if lost & bits([n])))


def settle(
    piles: Sequence[int | Tiles],
    *,
    leader: int = 0,
    maker: int | None = None,
    forced: bool = False,
    **variant: Unpack[DingNiuPosition],
) -> list[float]:
    """Return the chips of every seat after a deal.

    Args:
        piles: By seat, the tiles discarded or left in hand, or their pips.
        leader: Who led.
        maker: Who made a suan zhang, None if nobody did.
        forced: The maker had no other tile to play.

    Raises:
        ValueError: For too many copies of a tile, more tiles or pips than a hand has, or bad options.
    """
    position, piles = begin_position(GAME, leader, "piles", piles, variant)
    count_points(position, "piles", piles, HANDS[position.rules.deck])
    if maker is not None:
        if not position.variant.suan_zhang:
            raise ValueError(f"maker={short_repr(maker)} is not allowed with suan_zhang=False, for nobody makes one")
        position.state.maker = read_seat("maker", maker, len(piles))
    position.state.exempt = bool(forced) and position.variant.exempt_forced_maker
    return position.paid()
