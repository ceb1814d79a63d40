"""Claims on pages: which there are, and testing one in a thread of its own, with progress and a way to stop."""

import functools
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from gupai_agents.evaluation.claims import Claim, read_claim, try_claim
from gupai_agents.evaluation.claims.deals import pairs_of_verdict
from gupai_app.claim_page import claim_page
from gupai_app.claims import numbers, paths

MOST_KEPT = 16  # verdicts
FEWEST, MOST = 20, 20_000  # deals of a figure


class Status(NamedTuple):
    """How far a test is. share: from 0 to 1. error: why it failed, "" if it did not. page: the verdict, "" before."""

    share: float = 0.0
    doing: str = "beginning"
    error: str = ""
    page: str = ""


class _StoppedError(Exception):
    """The person has had enough."""


@functools.cache
def known() -> dict[str, Claim]:
    """Return the claims that come with gupai, by id."""
    return {claim.id: claim for claim in map(read_claim, paths())}


class Tests:
    """What has been tested since the server began, the last few; one test goes on at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, Status] = {}
        self._stop = threading.Event()
        self.running = ""

    def status(self, name: str) -> Status | None:
        """Return how far the test of a claim is, None if it has not been begun."""
        return self._found.get(name)

    def begin(self, claim: Claim, deals: int | None) -> None:
        """Begin a test; one of the same claim that goes on already is left alone.

        Args: deals: of each figure, None for those that the claim asks for.
        Raises: ValueError if another claim is being tested, for one without readings and for bad deals.
        """
        if not claim.readings:
            raise ValueError(f"{claim.id} has no reading that can be tested")
        if deals is not None and not FEWEST <= deals <= MOST:
            raise ValueError(f"deals={deals} is not allowed; choose {FEWEST} to {MOST:,}")
        with self._lock:
            if self.running == claim.id:
                return
            if self.running:
                raise ValueError(f"{self.running} is being tested; stop it or wait for its end")
            self._stop.clear()
            self._found.pop(claim.id, None)
            while len(self._found) >= MOST_KEPT:
                del self._found[next(iter(self._found))]
            self._found[claim.id] = Status()
            self.running = claim.id
        threading.Thread(target=self._test, args=(claim, deals), daemon=True).start()

    def stop(self, name: str) -> None:
        """Stop the test of a claim, if it goes on; it ends as soon as it next tells how far it is."""
        if self.running == name:
            self._stop.set()

    def _test(self, claim: Claim, deals: int | None) -> None:
        def tell(share: float, what: str) -> None:
            if self._stop.is_set():
                raise _StoppedError
            self._found[claim.id] = Status(share, what)

        try:
            verdict = try_claim(claim, deals=deals, progress=tell)
            content: dict[str, Any] = numbers(verdict, {"seed": 0, "deals": deals, "panel": None})
            pairs: Sequence[Any] = list(pairs_of_verdict(claim, content))
            ended = Status(1.0, "done", page=claim_page(content, pairs))
        except _StoppedError:
            ended = Status(error="The test was stopped.")
        except Exception as error:  # a page says what failed
            ended = Status(error=f"The test failed: {' '.join(str(error).split())}")
        with self._lock:
            self._found[claim.id] = ended
            self.running = ""
