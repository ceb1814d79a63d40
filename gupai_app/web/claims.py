"""Claims on pages: which there are, changing one, testing it, and its verdict, with deals to step through."""

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import FastAPI, Request, Response
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
from gupai_app.claim_page import LOOKS, claim_body
from gupai_app.claims import numbers, paths
from gupai_app.web.changes import Changed, changed
from gupai_app.web.jobs import Jobs, Tell
from gupai_app.web.pages import Pages, form_of, once, saved_as, whole
from gupai_app.web.players import ODD, wrong_with
from gupai_env import __version__

FEWEST, MOST = 20, 20_000  # deals of a figure
MOST_FIELDS = 600  # of a form: a claim has up to 20 readings
MOST_BYTES = 1 << 22  # of a recorded verdict
RECORDED = Path(gupai_app.__file__).parents[1] / "docs" / "claims"  # in a checkout of the sources


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
    """A verdict as it stands in a page, the parts of its drawings, and how many deals it shows."""

    body: str
    parts: str
    deals: int


@functools.cache
def known() -> dict[str, Claim]:
    """Return the claims that come with gupai, by id."""
    return {claim.id: claim for claim in map(read_claim, paths())}


def add_claims(app: FastAPI, pages: Pages, jobs: Jobs) -> None:
    """Let a server answer for the pages of claims."""

    @app.get("/claims")
    def claims() -> Response:
        listed = [(claim, _summary(claim.id)) for claim in known().values()]
        return pages("claims.html", head="Claims", claims=listed)

    @app.get("/claim/{name}")
    def claim(name: str, request: Request) -> Response:
        own = _claim(name)
        now = changed(own, _once(request.query_params.multi_items()))
        key = _address(name, now)
        return pages(
            "claim.html",
            head=own.id,
            claim=own,
            now=now,
            query=_query(now),
            test=jobs.status(key),
            going=jobs.running == key,
            recorded=_summary(name),
        )

    @app.post("/claim/{name}")
    async def test(name: str, request: Request) -> Response:
        own = _claim(name)
        sent = _once(await form_of(request, MOST_FIELDS))
        todo, deals = sent.pop("do", ""), sent.pop("deals", "").strip()
        few = whole(deals, "deals", FEWEST, MOST) if deals else None
        now = await run_in_threadpool(changed, own, sent)
        key = _address(name, now)
        if todo == "stop":
            jobs.stop(key)
        elif todo != "change":
            if not own.readings:
                raise ValueError(f"{own.id} has no reading that can be tested")
            jobs.begin(key, f"the test of {now.claim.id}", functools.partial(_tested, now, few))
        return RedirectResponse(key, 303)

    @app.get("/verdict/{name}")
    def verdict(name: str, request: Request) -> Response:
        now = changed(_claim(name), _once(request.query_params.multi_items()))
        key = _address(name, now)
        status = jobs.status(key)
        if status is None or status.found is None:
            raise HTTPException(404)
        return pages("verdict.html", head=now.claim.id, verdict=_shown(status.found), back=key)

    @app.get("/recorded/{name}")
    def recorded(name: str) -> Response:
        if _recorded(_claim(name).id) is None:
            raise HTTPException(404)
        return pages("verdict.html", head=name, verdict=_recorded_verdict(name), back=f"/claim/{name}")

    @app.get("/claim/{name}/file")
    def file(name: str, request: Request) -> Response:
        now = changed(_claim(name), _once(request.query_params.multi_items())).claim
        text = to_yaml(now.model_dump(mode="json", exclude_defaults=True))
        return saved_as(f"{now.id}.yaml", text)


def _recorded_verdict(name: str) -> dict[str, Any]:
    """Return the recorded verdict on a claim for its page. Raises: ValueError if it is damaged."""
    try:
        return _shown(_recorded_page(name))
    except ODD as error:
        raise ValueError(f"the verdict is damaged ({wrong_with(error, f'{name}.json')})") from None


def _claim(name: str) -> Claim:
    """Return a claim by its id; there is no such page for another."""
    if name not in known():
        raise HTTPException(404)
    return known()[name]


def _once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    return once(pairs, *(key for key, _ in pairs if key.endswith(".panel")))


def _address(name: str, now: Changed) -> str:
    query = _query(now)
    return f"/claim/{name}?{query}" if query else f"/claim/{name}"


def _query(now: Changed) -> str:
    return urlencode(now.changes, safe=";:=,*")


def _shown(verdict: Verdict) -> dict[str, Any]:
    return {"body": Markup(verdict.body), "parts": Markup(verdict.parts), "deals": verdict.deals}


def _tested(now: Changed, deals: int | None, tell: Tell) -> Verdict:
    """Test a claim; return its verdict."""
    found = try_claim(now.claim, deals=deals, progress=tell)
    content = numbers(found, {"seed": 0, "deals": deals, "panel": None})
    pairs = list(pairs_of_verdict(now.claim, content))
    # A changed claim is repeated from its file.
    told = {**content, "id": f"{now.claim.id}.yaml"} if now.changes else content
    return _verdict(told, pairs)


def _verdict(content: dict[str, Any], pairs: Sequence[Any]) -> Verdict:
    body, parts = claim_body(content, pairs)
    return Verdict(body, parts.svg, len(pairs))


# --- verdicts that were recorded ------------------------------------------------------------------


@functools.cache
def _recorded(name: str) -> dict[str, Any] | None:
    """Return the verdict on a claim that lies beside the sources, None where there is none."""
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
    same = content["gupai"] == __version__ and content["file"] == claim.model_dump(
        mode="json", exclude_defaults=True
    )
    return _verdict(content, list(pairs_of_verdict(claim, content)) if same else ())
