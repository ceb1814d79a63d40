"""What nobody thought of: schemathesis sends the pages words of all kinds, and none of them is an error of ours.

It runs where schemathesis is installed.
"""

# ruff: noqa: E402
import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
schemathesis = pytest.importorskip(
    "schemathesis", reason="there is no schemathesis: the pages are not fuzzed"
)

import hypothesis
from fastapi.testclient import TestClient

from gupai_app.web.app import create_app

HOME = "http://127.0.0.1"
OURS = {"Origin": HOME, "Sec-Fetch-Site": "same-origin"}
GAME = {"type": "string", "enum": ["jie-long", "da-ling", "tiu-u", "chess"]}
WORD, NUMBER = {"type": "string"}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}
AGENT = {
    "anyOf": [{"enum": ["greedy", "random", "human", "run:x", "search:playouts=20"]}, {"type": "string"}]
}
TABLE = {"game": GAME, "options": WORD, "seed": NUMBER, "episode": NUMBER, "seat": NUMBER, "with": AGENT}
TABLE |= {"moves": {"type": "string", "pattern": r"^[0-9.]*$"}, "practice": WORD}
CLAIM = {
    "readings.0.suit": NUMBER,
    "readings.0.margin": NUMBER,
    "readings.0.treated": AGENT,
    "readings.0.panel": AGENT,
}
CLAIM |= {"readings.0.doses": WORD, "readings.0.variant.players": NUMBER, "readings.1.skip": WORD}
GETS = {
    "/": {},
    "/static/{name}": {},
    "/game/{name}": {},
    "/table": {**TABLE, "play": NUMBER, "hint": WORD, "at": NUMBER, "o.deals": NUMBER},
    "/record": TABLE,
    "/look": {**TABLE, "sat": WORD, "order": WORD, "agent": AGENT},
    "/review": {},
    "/claims": {},
    "/claim/jl-attack-2": CLAIM,
    "/claim/jl-attack-2/file": CLAIM,
    "/claim/{name}": CLAIM,
    "/verdict/jl-attack-2": CLAIM,
    "/recorded/{name}": {},
    "/tournaments": {},
    "/tournaments/{name}": {},
    "/tournament/{name}": {},
    "/tournament/{name}/game": {"line_up": NUMBER, "deal": NUMBER, "rotation": NUMBER},
    "/runs": {},
    "/run/{name}": {},
    "/run/{name}/{which}.svg": {},
}
POSTS = {
    "/review": {"games": WORD, "number": NUMBER, "agent": AGENT},
    "/claim/jl-attack-2": {**CLAIM, "deals": NUMBER, "do": {"enum": ["stop", "change", "x"]}},
    "/tournaments": {
        "game": GAME,
        "agent": AGENT,
        "deals": NUMBER,
        "table": WORD,
        "seed": NUMBER,
        "o.players": NUMBER,
    },
    "/tournament/{name}": {"do": WORD},
}


def description():
    """The pages as OpenAPI."""
    paths = {}
    for path, words in GETS.items():
        listed = [{"name": name, "in": "query", "schema": kind} for name, kind in words.items()]
        paths.setdefault(path, {})["get"] = {"parameters": [*listed, *named(path)], "responses": {}}
    for path, words in POSTS.items():
        form = {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": words}}}
        paths.setdefault(path, {})["post"] = {
            "parameters": named(path), "requestBody": {"content": form, "required": True}, "responses": {}
        }  # fmt: skip
    return {"openapi": "3.0.3", "info": {"title": "gupai", "version": "0"}, "paths": paths}


def named(path):
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in ("name", "which")
        if f"{{{name}}}" in path
    ]


@pytest.mark.filterwarnings("ignore")
def test_nothing_that_is_sent_is_an_error_of_the_server(tmp_path):
    app = create_app(runs=tmp_path, tournaments=tmp_path / "tournaments")
    client = TestClient(app, base_url=HOME, raise_server_exceptions=False)
    asked = 0
    for found in schemathesis.openapi.from_dict(description()).get_all_operations():

        @hypothesis.settings(
            max_examples=5,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(found.ok().as_strategy())
        def ask(case):
            nonlocal asked
            asked += 1
            told = case.as_transport_kwargs(base_url=HOME)
            words = {
                name: told.get(name) for name in ("params", "data", "json") if told.get(name) is not None
            }
            answer = client.request(case.method, told["url"], headers={**told["headers"], **OURS}, **words)
            assert answer.status_code < 500, f"{case.method} {answer.url} {words}"

        ask()
    assert asked >= 100
