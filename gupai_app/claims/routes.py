"""Claims on pages: which there are, changing one, testing it, and its verdict, with deals to step through."""

import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Response
from fastapi.responses import RedirectResponse

from gupai_agents.evaluation.claims import Claim, read_claim, try_claim
from gupai_agents.evaluation.claims.deals import examples_of_verdict, play_again
from gupai_agents.evaluation.claims.files import RECORDED, paths
from gupai_agents.evaluation.claims.readings import Comparison
from gupai_agents.evaluation.claims.results import MOST_BYTES, Example, Verdict
from gupai_app.claims.changes import Changed, changed
from gupai_app.claims.page import LOOKS, MEANINGS, claim_body, deal_both_ways, deal_elsewhere
from gupai_app.play.pictures import table_definitions
from gupai_app.server.jobs import Notify
from gupai_app.server.pages import Asked, Form, Query, Server, WaitingError, page, saved_as, whole
from gupai_app.server.players import NAMED, ODD, SEARCHES, existing, wrong_with
from gupai_app.server.warming import MATCHES, PATIENCE
from gupai_env import __version__
from gupai_env.messages import say
from gupai_env.storage.models import read_stored, to_yaml

Summary = list[tuple[str, str, int]]
FEWEST, MOST = 20, 20_000  # deals of a figure

router = APIRouter()


class Shown(NamedTuple):
    """A verdict on a claim. printed: by what the claim is named to repeat it."""

    claim: Claim
    verdict: Verdict
    printed: str

    def page(self, back: str, here: str, query: str = "") -> Response:
        """Return its page, whose deals are played again when they are opened.

        Args:
            back: The address of the claim.
            here: That of the verdict, without its query.
        """
        findings = self.verdict.findings
        deals = [
            (index, deal_elsewhere(findings[index], example, f"{here}/deal/{number}{query}"))
            for number, (index, _, example) in enumerate(self._examples, 1)
        ]
        body = claim_body(self.verdict.model_copy(update={"id": self.printed}), deals)
        return page("verdict.html", head=self.claim.id, body=body, deals=deals, back=back)

    @property
    def _examples(self) -> list[tuple[int, Comparison, Example]]:
        """The deals to look at, none unless they come out now as they did when the claim was tested."""
        file = self.claim.model_dump(mode="json", exclude_defaults=True)
        same = self.verdict.gupai == __version__ and self.verdict.file == file
        return list(examples_of_verdict(self.claim, self.verdict)) if same else []

    def deal(self, number: str, back: str) -> Response:
        """Return the page of a deal, played both ways; there is no such page for another number."""
        examples = {str(name): example for name, example in enumerate(self._examples, 1)}
        index, reading, example = existing(examples.get(number))
        pair = play_again(self.claim, reading, self.verdict.seed, example)
        return page(
            "deal.html",
            head=f"{self.claim.id}: {example.what}",
            deal=deal_both_ways(self.verdict.findings[index], index, 0, example, pair),
            back=back,
            statement=self.claim.statement,
            reading=reading.name,
            definitions=table_definitions(),
            records="",
        )


@functools.cache
def known() -> dict[str, Claim]:
    """Return the claims that come with gupai, by id, after seconds: what checks them is compiled."""
    return {path.stem: read_claim(path) for path in paths()}


@functools.cache
def reading() -> Future[list[Summary]]:
    """Return what reads the claims and what was found in the background."""
    return ThreadPoolExecutor(1).submit(lambda: [_summary(name) for name in known()])


def claims_of(server: Server) -> dict[str, Claim]:
    """Return the claims that come with gupai, by id. Raises: WaitingError until they are read."""
    try:
        reading().result(PATIENCE if server.warmer else None)
    except TimeoutError:
        raise WaitingError("The claims are being read.") from None
    return known()


def claim_called(name: str, server: Asked) -> Claim:
    """Return a claim by its id. Raises: NoPageError for another, WaitingError."""
    return existing(claims_of(server).get(name))


Own = Annotated[Claim, Depends(claim_called)]


def now_changed(own: Own, query: Query) -> Changed:
    """Return the claim as the words of an address change it. Raises: ValueError."""
    return changed(own, query, _players(own))


Now = Annotated[Changed, Depends(now_changed)]


@router.get("/claims")
def claims(server: Asked) -> Response:
    summaries = [(claim, _summary(claim.id)) for claim in claims_of(server).values()]
    return page("claims.html", head="Claims", claims=summaries, meanings=MEANINGS)


@router.get("/claim/{name}")
def claim(own: Own, now: Now, server: Asked) -> Response:
    key = _address(own, now)
    return page(
        "claim.html",
        head=own.id,
        claim=own,
        now=now,
        query=_query(now),
        test=server.jobs.status(key),
        going=server.jobs.running == key,
        recorded=_summary(own.id),
    )


@router.post("/claim/{name}")
def test(own: Own, sent: Form, server: Asked) -> Response:
    todo, deals = sent.pop("do", ""), sent.pop("deals", "").strip()
    few = whole(deals, "deals", FEWEST, MOST) if deals else None
    now = changed(own, sent, _players(own))
    key = _address(own, now)
    if todo == "stop":
        server.jobs.stop(key)
    elif todo != "change":
        if not own.readings:
            raise ValueError(say("{claim} has no reading that can be tested", claim=own.id))
        server.jobs.begin(key, say("the test of {claim}", claim=now.claim.id), functools.partial(_tested, now, few))
    return RedirectResponse(key, 303)


def _tried(key: str, server: Server) -> Shown:
    """Return the verdict of a test that is finished. Raises: NoPageError without one."""
    return existing(existing(server.jobs.status(key)).result)


@router.get("/verdict/{name}")
def verdict(own: Own, now: Now, server: Asked) -> Response:
    key, query = _address(own, now), _query(now)
    return _tried(key, server).page(key, f"/verdict/{own.id}", f"?{query}" if query else "")


@router.get("/verdict/{name}/deal/{number}")
def verdict_deal(own: Own, now: Now, server: Asked, number: str) -> Response:
    key = _address(own, now)
    return _tried(key, server).deal(number, key.replace("/claim/", "/verdict/", 1))


@router.get("/recorded/{name}")
def recorded(own: Own) -> Response:
    return _recorded_verdict(own, lambda verdict: verdict.page(f"/claim/{own.id}", f"/recorded/{own.id}"))


@router.get("/recorded/{name}/deal/{number}")
def recorded_deal(own: Own, server: Asked, number: str) -> Response:
    server.require(own.about, MATCHES)
    return _recorded_verdict(own, lambda verdict: verdict.deal(number, f"/recorded/{own.id}"))


def _recorded_verdict(own: Claim, render: Callable[[Shown], Response]) -> Response:
    """Return a page of a recorded verdict. Raises: ValueError, in one line, for one that is damaged."""
    try:
        return render(Shown(own, existing(_recorded(own.id)), own.id))
    except ODD as error:
        raise ValueError(
            say("the verdict is damaged ({problem})", problem=wrong_with(error, f"{own.id}.json"))
        ) from None


@router.get("/claim/{name}/file")
def file(now: Now) -> Response:
    text = to_yaml(now.claim.model_dump(mode="json", exclude_defaults=True))
    return saved_as(f"{now.claim.id}.yaml", text)


def _players(own: Claim) -> list[str]:
    """Return the players that may be named on a page of claims."""
    return [name for name in NAMED.names(own.about) if name not in SEARCHES]


def _address(own: Claim, now: Changed) -> str:
    query = _query(now)
    return f"/claim/{own.id}?{query}" if query else f"/claim/{own.id}"


def _query(now: Changed) -> str:
    return urlencode(now.changes, safe=";:=,*")


def _tested(now: Changed, deals: int | None, notify: Notify) -> Shown:
    """Test a claim; return its verdict."""
    verdict = try_claim(now.claim, deals=deals, masters=True, progress=notify)
    # A changed claim is repeated from its file.
    return Shown(now.claim, verdict, f"{now.claim.id}.yaml" if now.changes else verdict.id)


# --- verdicts that were recorded ------------------------------------------------------------------


def _recorded(name: str) -> Verdict | None:
    """Return the recorded verdict on a claim, None where there is none. Raises: one of ODD for one that is damaged."""
    path = RECORDED / f"{name}.json"
    verdict = read_stored(path, Verdict, MOST_BYTES) if path.exists() else None
    return verdict if verdict and verdict.id == name else None


@functools.cache
def _summary(name: str) -> Summary:
    """Return the recorded verdicts on the readings of a claim: each with its look and how many readings have it."""
    with contextlib.suppress(*ODD):
        recorded = _recorded(name)
        verdicts = [finding.verdict for finding in recorded.findings] if recorded else []
        return [(verdict, LOOKS.get(verdict, ""), verdicts.count(verdict)) for verdict in dict.fromkeys(verdicts)]
    return []
