"""What all designs are given: the game, its variant, streams of deals, and whom to tell how far they are."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from gupai_agents.evaluation.claims.players import STRONG
from gupai_agents.evaluation.claims.sampling import Sampler, stream_of
from gupai_agents.evaluation.claims.schema import Exact, Ordering, Policy, Rate, Reading
from gupai_agents.evaluation.claims.tables import Block, Table
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant

PILOT = 500  # deals whose spread, not their mean, says how many are needed
DOSE_STREAMS, ITEM_STREAMS = 100, 1000  # numbers of streams of deals; below them, those of the panel
# About how many times as long such a player takes.
SLOW = {"search": 200, "best": 20, "checkpoint": 20, "sample": 20}
Progress = Callable[
    [float, str], Any
]  # called with the share of a claim that is done, and what is being done


class Meter:
    """Tells how much of a claim is done: of its figures, each of a weight that says how long it takes."""

    def __init__(self, weights: Sequence[float], progress: Progress | None = None) -> None:
        self.weights, self.total, self.progress = list(weights), sum(weights) or 1.0, progress
        self.done, self.now, self.what = 0.0, 0.0, ""

    def begin(self, what: str) -> None:
        """Begin the next figure."""
        self.done += self.now
        self.now, self.what = self.weights.pop(0) if self.weights else 0.0, what
        self.reach(0.0)

    def reach(self, share: float) -> None:
        """Say that this share of the figure is done."""
        if self.progress:
            self.progress(min(1.0, (self.done + min(share, 1.0) * self.now) / self.total), self.what)


class Setting(NamedTuple):
    """What all designs are given. deals: instead of those a reading asks for."""

    game: Game
    variant: Variant
    seed: int
    deals: int | None
    meter: Meter

    def stream(self, number: int) -> int:
        """Return the key of a stream of deals."""
        return stream_of(self.seed, number)

    def table(self, sampler: Sampler, number: int) -> Table:
        """Return a table that deals from a stream."""
        return Table(self.game, sampler.variant, sampler, self.stream(number))

    def blocks(
        self, table: Table, first: int, deals: int, total: int | None = None, before: int = 0
    ) -> Iterator[Block]:
        """Yield deals of a table, and tell after each block how many of the figure's `total` are done.

        Args: before: those that were done before number 0 of this table.
        """
        done = before + first
        for block in table.blocks(first, deals):
            yield block
            done += len(block.states)
            self.meter.reach(done / (total or deals))


def dosed(reading: Policy) -> list[tuple[int, str]]:
    """Return number and name of the members of a panel against whom doses are played."""
    return [(number, member) for number, member in enumerate(reading.panel) if member not in STRONG]


def weights_of(reading: Reading, deals: int | None) -> list[float]:
    """Return about how long each figure of a reading takes, in the order in which they are worked out."""
    if isinstance(reading, Exact):
        return [1000.0]
    sitting = [[spec] for spec in reading.panel] or getattr(reading, "fields", [])
    members = [max(SLOW.get(spec.partition(":")[0], 1) for spec in specs) for specs in sitting]
    if isinstance(reading, Policy):
        each = 2 * (deals or reading.plan.deals or reading.plan.most)
        doses = [members[number] for number, _ in dosed(reading)] * len(reading.doses)
        return [float(each * slow) for slow in [*members, *doses]]
    each = deals or reading.deals
    if isinstance(reading, Ordering):
        return [float(each * slow) for slow in members for _ in reading.items]
    times = 2 if isinstance(reading, Rate) and reading.against is not None else 1
    return [float(times * each * slow) for slow in members]
