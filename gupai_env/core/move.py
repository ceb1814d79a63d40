"""What an action does, as data. Its name is made of it; nothing reads a name to learn what an action does."""

from dataclasses import dataclass, replace

from gupai_env.core.tiles import PIPS, tile_name
from gupai_env.messages import escaped, say

PLAY = "play"  # the verb of an action that is named by its tiles alone
AWAY = "discard"  # how the label of the pile begins in which tiles lie that were thrown away


@dataclass(frozen=True)
class Move:
    """What an action does. Tiles are kinds.

    verb: what is done, "discard"; it is not written where the tiles say it all.
    tiles: that are played, in the order in which they are written; those of all groups of a split.
    takes: that are taken with them. Several of one kind are not written, the verb says how many.
    leaves: the number that the tile leaves open, which is written last; 0: none.
    groups: of a split, its tiles by group.
    to: how the label of the pile begins where the tiles go, "lake"; "": they go to none that is drawn.
    name: of the action; made of the others if it is not given.
    """

    verb: str = PLAY
    tiles: tuple[int, ...] = ()
    takes: tuple[int, ...] = ()
    leaves: int = 0
    groups: tuple[tuple[int, ...], ...] = ()
    to: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if self.groups:
            object.__setattr__(self, "tiles", tuple(kind for group in self.groups for kind in group))
        if not self.name:
            object.__setattr__(self, "name", self._made_name())

    def _made_name(self) -> str:
        tiles = " / ".join("".join(map(self._written, group)) for group in self.groups or (self.tiles,))
        verb = escaped(self.verb)
        if self.takes:
            taken = "" if self._alike else "".join(map(tile_name, self.takes))
            if not taken:
                return say(f"{{tiles}} {verb}", tiles=tiles)
            return say(f"{{tiles}} {verb} {{taken}}", tiles=tiles, taken=taken)
        if not tiles:
            return say(self.verb)
        return tiles if self.verb == PLAY else say(f"{verb} {{tiles}}", tiles=tiles)

    def _written(self, kind: int) -> str:
        high, low = PIPS[kind]
        return f"[{low}:{high}]" if high == self.leaves else f"[{high}:{low}]"

    @property
    def _alike(self) -> bool:
        return len(self.takes) > 1 and len(set(self.takes)) == 1

    @property
    def named(self) -> tuple[int, ...]:
        """The tiles that stand in the name, sorted."""
        return tuple(sorted(self.tiles if self._alike else self.tiles + self.takes))

    @property
    def discards(self) -> bool:
        """Whether the tiles are thrown away."""
        return self.to == AWAY

    @property
    def unturned(self) -> "Move":
        """The move without which number it leaves open."""
        return replace(self, leaves=0, name="") if self.leaves else self
