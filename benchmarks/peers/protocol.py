"""What the program of a library is: rows of figures, measured and checked when they are asked for.

It runs in the virtual environment of that library, so it needs the standard library alone. By hand, say with
`taskset -c 1 python -m benchmarks.peers.rlcard_steps`, a program measures each of its rows once.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

ENVS = 4096
MODES = BATCH, ONE_GAME, AGENT_ITER = f"{ENVS:,} lanes", "one game", "agent_iter"  # rows compare within one
CHECK_SECONDS, CHECK_CALLS = 1.0, 4  # at least


class Watch:
    """Sees every turn of some play, to say whether the steps of an environment do anything."""

    def __init__(self) -> None:
        self.steps = self.idle = self.episodes = self.paid = 0
        self.seen: set[bytes] = set()
        self.last: Sequence[bytes] = ()  # what was observed at the last turn

    def turn(self, observations: Sequence[bytes]) -> None:
        """See what is observed now, one entry a game, before the next step is taken in all of them."""
        if self.last:
            self.steps += len(observations)
            self.idle += sum(now == before for now, before in zip(observations, self.last, strict=True))
        self.last = observations
        self.seen.update(observations)

    def ended(self, episodes: int, paid: int) -> None:
        """See episodes end, and in how many of them anybody was paid."""
        self.episodes += int(episodes)
        self.paid += int(paid)

    def ended_alone(self, payoffs: Sequence[float]) -> None:
        """See the only game end: the next turn belongs to a new one."""
        self.ended(1, any(payoffs))
        self.last = ()

    def checks(self) -> dict:
        """Return what was seen, for the verdict in table.py."""
        return {
            "steps": self.steps,
            "idle": self.idle / max(1, self.steps),  # share of steps that changed nothing observed
            "distinct": len(self.seen),  # observations
            "episodes": self.episodes,
            "paid": self.paid,  # of these
        }


Play = Callable[[Watch | None], int]  # plays a game, or some steps of a batch; returns the decisions it took


class Row(NamedTuple):
    """One figure: a game, played in a mode."""

    game: str
    mode: str
    make: Callable[[], Play]


def serve(peer: str, version: str, counted: str, rows: Sequence[Row]) -> None:
    """Run the program: print a JSON line for each row; with `--serve`, for each line `ROW SECONDS` of input.

    Args:
        counted: What a step includes and how its action is chosen.
    """
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer

    def answer(reply: dict) -> None:
        print(json.dumps(reply), file=lines, flush=True)

    plays: dict[int, tuple[Play, float, dict]] = {}

    def measured(number: int, seconds: float) -> dict:
        row = rows[number]
        if number not in plays:
            begin = time.process_time()
            play = row.make()
            play(None)  # compiles what is compiled
            ready = time.process_time() - begin
            plays[number] = play, ready, check(play)
        play, ready, checks = plays[number]
        steps, spent = measure(play, seconds)
        return {
            "peer": peer,
            "version": version,
            "game": row.game,
            "mode": row.mode,
            "counted": counted,
            "steps": steps,
            "seconds": spent,
            "ready": ready,
            "check": checks,
        }

    if "--serve" in sys.argv:
        answer({"rows": [[row.game, row.mode] for row in rows]})
        for line in sys.stdin:
            number, seconds = line.split()
            answer(measured(int(number), float(seconds)))
    else:
        for number in range(len(rows)):
            answer(measured(number, 1.0))


def check(play: Play) -> dict:
    """Watch the very steps that are measured."""
    watch, calls, begin = Watch(), 0, time.process_time()
    while calls < CHECK_CALLS or time.process_time() - begin < CHECK_SECONDS:
        play(watch)
        calls += 1
    return watch.checks()


def measure(play: Play, seconds: float) -> tuple[int, float]:
    """Play for some seconds of processor time, of all threads together; return the steps and those seconds."""
    steps, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        steps += play(None)
    return steps, spent
