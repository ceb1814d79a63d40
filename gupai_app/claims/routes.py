"""Claims on pages: which there are, changing one, testing it, and its verdict, with deals to step through."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from gupai_agents.evaluation.claims import Claim, read_claim, try_claim
from gupai_agents.evaluation.claims.deals import examples_of_verdict, play_again
from gupai_agents.evaluation.claims.files import RECORDED, paths
from gupai_app.claims.changes import Changed, changed
from gupai_app.claims.page import LOOKS, MEANINGS, claim_body, deal_both_ways, deal_elsewhere
from gupai_app.review.page import Parts
from gupai_app.server.jobs import Notify
from gupai_app.server.pages import Asked, Server, form_of, once, page, saved_as, waiting, whole
from gupai_app.server.players import NAMED, ODD, SEARCHES, wrong_with
from gupai_app.server.warming import MATCHES
from gupai_env import __version__
from gupai_env.storage.models import Stored, Text, read_stored, to_yaml
from gupai_env.words.messages import say

FEWEST, MOST = 20, 20_000  # deals of a figure
MOST_FIELDS = 600  # of a form: a claim has up to 20 readings
MOST_BYTES = 1 << 22  # of a recorded verdict

router = APIRouter()


class Reading(Stored):
    """What pages show of any reading; what else there is depends on its kind."""

    name: Text
    kind: Text
    verdict: Text
    sentence: Text
    variant: dict[str, Any]


class Recorded(Stored):
    """A verdict that is kept as a file."""

    id: Text
    gupai: Text
    statement: Text
    source: Text
    game: Text
    readings: Annotated[list[Reading], Field(max_length=100)]
    file: dict[str, Any]


class Verdict(NamedTuple):
    """A verdict on a claim, as JSON. printed: by what the claim is named to repeat it."""

    claim: Claim
    content: dict[str, Any]
    printed: str

    def page(self, back: str, here: str, query: str = "") -> Response:
        """Return its page, whose deals are played again when they are opened.

        Args:
            back: The address of the claim.
            here: That of the verdict, without its query.
        """
        examples = list(examples_of_verdict(self.claim, self.content)) if self._same else []
        deals = [
            (
                reading_index,
                deal_elsewhere(self.content["readings"][reading_index], example, f"{here}/deal/{number}{query}"),
            )
            for number, (reading_index, _, example) in enumerate(examples, 1)
        ]
        body = claim_body({**self.content, "id": self.printed}, deals)
        return page("verdict.html", head=self.claim.id, body=body, deals=deals, back=back)

    @property
    def _same(self) -> bool:
        """True if deals come out now as they did when the claim was tested."""
        file = self.claim.model_dump(mode="json", exclude_defaults=True)
        return bool(self.content["gupai"] == __version__ and self.content["file"] == file)

    def deal(self, number: str, back: str) -> Response:
        """Return the page of a deal, played both ways; there is no such page for another number."""
        examples = list(examples_of_verdict(self.claim, self.content)) if self._same else []
        names = list(map(str, range(1, len(examples) + 1)))
        if number not in names:
            raise HTTPException(404)
        reading_index, reading, example = examples[names.index(number)]
        parts, pair = Parts(), play_again(self.claim, reading, self.content["seed"], example)
        deal = deal_both_ways(self.content, reading_index, 0, example, pair, parts)
        return page(
            "deal.html",
            head=f"{self.claim.id}: {example['what']}",
            deal=deal,
            back=back,
            statement=self.claim.statement,
            reading=reading.name,
            parts=parts.svg,
            records="",
        )


@functools.cache
def known() -> dict[str, Claim]:
    """Return the claims that come with gupai, by id."""
    return {claim.id: claim for claim in map(read_claim, paths())}


async def claim_called(name: str) -> Claim:
    """Return a claim by its id; there is no such page for another."""
    if name not in known():
        raise HTTPException(404)
    return known()[name]


Own = Annotated[Claim, Depends(claim_called)]


def now_changed(own: Own, request: Request) -> Changed:
    """Return the claim as the words of an address change it. Raises: ValueError."""
    return changed(own, _once(request.query_params.multi_items()), _players(own))


Now = Annotated[Changed, Depends(now_changed)]


@router.get("/claims")
def claims() -> Response:
    summaries = [(claim, _summary(claim.id)) for claim in known().values()]
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
async def test(own: Own, request: Request, server: Asked) -> Response:
    sent = _once(await form_of(request, MOST_FIELDS))
    todo, deals = sent.pop("do", ""), sent.pop("deals", "").strip()
    few = whole(deals, "deals", FEWEST, MOST) if deals else None
    now = await run_in_threadpool(changed, own, sent, _players(own))
    key = _address(own, now)
    if todo == "stop":
        server.jobs.stop(key)
    elif todo != "change":
        if not own.readings:
            raise ValueError(say("{claim} has no reading that can be tested", claim=own.id))
        server.jobs.begin(key, say("the test of {claim}", claim=now.claim.id), functools.partial(_tested, now, few))
    return RedirectResponse(key, 303)


def _tried(key: str, server: Server) -> Verdict:
    """Return the verdict of a test that is finished; there is no such page without one."""
    status = server.jobs.status(key)
    if status is None or status.result is None:
        raise HTTPException(404)
    return status.result


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
    wait = waiting(server, own.about, MATCHES)
    return wait or _recorded_verdict(own, lambda verdict: verdict.deal(number, f"/recorded/{own.id}"))


def _recorded_verdict(own: Claim, render: Callable[[Verdict], Response]) -> Response:
    """Return a page of a recorded verdict. Raises: ValueError, in one line, for one that is damaged."""
    if (content := _recorded(own.id)) is None:
        raise HTTPException(404)
    try:
        return render(Verdict(own, content, own.id))
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


def _once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    return once(pairs, *(key for key, _ in pairs if key.endswith(".panel")))


def _address(own: Claim, now: Changed) -> str:
    query = _query(now)
    return f"/claim/{own.id}?{query}" if query else f"/claim/{own.id}"


def _query(now: Changed) -> str:
    return urlencode(now.changes, safe=";:=,*")


def _tested(now: Changed, deals: int | None, notify: Notify) -> Verdict:
    """Test a claim; return its verdict."""
    verdict = try_claim(now.claim, deals=deals, masters=True, progress=notify)
    content = verdict.content({"seed": 0, "deals": deals, "panel": None})
    # A changed claim is repeated from its file.
    return Verdict(now.claim, content, f"{now.claim.id}.yaml" if now.changes else content["id"])


# --- verdicts that were recorded ------------------------------------------------------------------


@functools.cache
def _recorded(name: str) -> dict[str, Any] | None:
    """Return the recorded verdict on a claim, None where there is none."""
    path = RECORDED / f"{name}.json"
    try:
        recorded = read_stored(path, Recorded, MOST_BYTES)
        content: dict[str, Any] = json.loads(path.read_bytes())
    except ODD:
        return None
    return content if recorded.id == name else None


def _summary(name: str) -> list[tuple[str, str, int]]:
    """Return the recorded verdicts on the readings of a claim: each with its look and how many readings have it."""
    content: Mapping[str, Any] = _recorded(name) or {}
    verdicts = [reading["verdict"] for reading in content.get("readings", ())]
    return [(verdict, LOOKS.get(verdict, ""), verdicts.count(verdict)) for verdict in dict.fromkeys(verdicts)]
