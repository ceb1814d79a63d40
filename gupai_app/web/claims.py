"""Claims on pages: which there are, changing one, testing it, and its verdict, with deals to step through."""

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

import gupai_app
from gupai_agents.evaluation.claims import Claim, read_claim, try_claim
from gupai_agents.evaluation.claims.deals import pairs_of_verdict
from gupai_agents.plain_yaml import to_yaml
from gupai_agents.stored import Stored, Text, read_stored
from gupai_app.changes import Changed, changed
from gupai_app.claim_page import LOOKS, claim_body
from gupai_app.claims import numbers, paths
from gupai_app.web.jobs import Notify
from gupai_app.web.pages import Asked, form_of, once, page, saved_as, waiting, whole
from gupai_app.web.players import NAMED, ODD, SEARCHES, wrong_with
from gupai_app.web.warmer import MATCHES
from gupai_env import __version__
from gupai_env.games import get_game

FEWEST, MOST = 20, 20_000  # deals of a figure
MOST_FIELDS = 600  # of a form: a claim has up to 20 readings
MOST_BYTES = 1 << 22  # of a recorded verdict
RECORDED = Path(gupai_app.__file__).parents[1] / "docs" / "claims"  # in a checkout of the sources

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
    """A verdict as it is in a page, the parts of its drawings, and how many deals it shows."""

    body: Markup
    parts: Markup
    deals: int


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
    return page("claims.html", head="Claims", claims=[(each, _summary(each.id)) for each in known().values()])


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
            raise ValueError(f"{own.id} has no reading that can be tested")
        server.jobs.begin(key, f"the test of {now.claim.id}", functools.partial(_tested, now, few))
    return RedirectResponse(key, 303)


@router.get("/verdict/{name}")
def verdict(own: Own, now: Now, server: Asked) -> Response:
    key = _address(own, now)
    status = server.jobs.status(key)
    if status is None or status.found is None:
        raise HTTPException(404)
    return page("verdict.html", head=now.claim.id, verdict=status.found, back=key)


@router.get("/recorded/{name}")
def recorded(own: Own, server: Asked) -> Response:
    name = own.id
    if _recorded(name) is None:
        raise HTTPException(404)
    if wait := waiting(server, get_game(own.game), MATCHES):
        return wait
    try:
        found = _recorded_page(name)
    except ODD as error:
        raise ValueError(f"the verdict is damaged ({wrong_with(error, f'{name}.json')})") from None
    return page("verdict.html", head=name, verdict=found, back=f"/claim/{name}")


@router.get("/claim/{name}/file")
def file(now: Now) -> Response:
    text = to_yaml(now.claim.model_dump(mode="json", exclude_defaults=True))
    return saved_as(f"{now.claim.id}.yaml", text)


def _players(own: Claim) -> list[str]:
    """Return the players that may be named on a page of claims."""
    return [each for each in NAMED.names(get_game(own.game)) if each not in SEARCHES]


def _once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    return once(pairs, *(key for key, _ in pairs if key.endswith(".panel")))


def _address(own: Claim, now: Changed) -> str:
    query = _query(now)
    return f"/claim/{own.id}?{query}" if query else f"/claim/{own.id}"


def _query(now: Changed) -> str:
    return urlencode(now.changes, safe=";:=,*")


def _tested(now: Changed, deals: int | None, notify: Notify) -> Verdict:
    """Test a claim; return its verdict."""
    found = try_claim(now.claim, deals=deals, masters=True, progress=notify)
    content = numbers(found, {"seed": 0, "deals": deals, "panel": None})
    pairs = list(pairs_of_verdict(now.claim, content))
    # A changed claim is repeated from its file.
    printed = {**content, "id": f"{now.claim.id}.yaml"} if now.changes else content
    return _verdict(printed, pairs)


def _verdict(content: dict[str, Any], pairs: Sequence[Any]) -> Verdict:
    body, parts = claim_body(content, pairs)
    return Verdict(body, parts.svg, len(pairs))


# --- verdicts that were recorded ------------------------------------------------------------------


@functools.cache
def _recorded(name: str) -> dict[str, Any] | None:
    """Return the verdict on a claim that ships with the sources, None where there is none."""
    path = RECORDED / f"{name}.json"
    try:
        found = read_stored(path, Recorded, MOST_BYTES)
        content: dict[str, Any] = json.loads(path.read_bytes())
    except ODD:
        return None
    return content if found.id == name else None


def _summary(name: str) -> list[tuple[str, str, int]]:
    """Return the recorded verdicts on the readings of a claim: each with its look and how many readings have it."""
    content: Mapping[str, Any] = _recorded(name) or {}
    found = [reading["verdict"] for reading in content.get("readings", ())]
    return [(each, LOOKS.get(each, ""), found.count(each)) for each in dict.fromkeys(found)]


@functools.lru_cache(maxsize=16)
def _recorded_page(name: str) -> Verdict:
    """Return the page of a recorded verdict, with its deals if they come out now as they did then."""
    content, claim = _recorded(name), known()[name]
    assert content is not None
    same = content["gupai"] == __version__ and content["file"] == claim.model_dump(mode="json", exclude_defaults=True)
    return _verdict(content, list(pairs_of_verdict(claim, content)) if same else ())
