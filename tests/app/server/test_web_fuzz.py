"""What nobody thought of: words, headers, forms and files of all kinds, and none of them is an error of ours."""

import asyncio
import itertools
import json
import re
import shutil
from urllib.parse import quote, urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")

from gupai_app.claims import routes as claims
from gupai_app.kept.store import Store
from gupai_app.server.app import create_app
from web_room import furnish

OURS = [(b"host", b"127.0.0.1:8420"), (b"origin", b"http://127.0.0.1:8420"), (b"sec-fetch-site", b"same-origin")]
TABLE = {"game": "jie-long", "seed": "5", "seat": "0", "with": "greedy"}
SAT = json.dumps(["a"] * 4)
# Pages, and words of theirs that are in order; each is replaced in turn.
GETS = {
    "/": {},
    "/game/{}": {},
    "/static/{}": {},
    "/{}": {},
    "/table": TABLE,
    "/document": {
        **TABLE,
        "options": "deals=2",
        "episode": "1",
        "practice": "coach",
        "hint": "1",
        "unseen": "1",
        "score": "1,-1,0,0",
        "moves": "1",
        "play": "1",
        "at": "1",
        "puzzle": "1",
        "review": "1",
        "values": "1",
    },
    "/review/game": {**TABLE, "sat": SAT, "order": "1.2", "moves": "1", "agent": "greedy", "o.deals": "2"},
    "/kept": {
        "game": "jie-long",
        "level": "greedy",
        "since": "2026-11-27",
        "until": "2026-11-27",
        "result": "won",
        "most": "9",
    },
    "/kept/statistics": {"game": "jie-long", "by": "month", "since": "2026-11-27"},
    "/kept/puzzles": {"before": "9", "own": "1"},
    "/kept/{}": {},
    "/kept/{}/file": {},
    "/kept/{}/duplicate": {},
    "/duplicate": {**TABLE, "sat": SAT, "order": "1.2", "moves": "1"},
    "/look": {**TABLE, "moves": "1"},
    "/claims": {},
    "/claim/{}": {},
    "/claim/jl-attack-2": {"readings.0.suit": "3", "readings.0.margin": "1", "readings.0.panel": "greedy"},
    "/claim/jl-attack-2/file": {"readings.0.treated": "tuned", "readings.0.variant.players": "3"},
    "/verdict/{}": {},
    "/recorded/{}": {},
    "/tournaments": {},
    "/tournaments/{}": {},
    "/tournament/{}": {},
    "/tournament/kept/game": {"line_up": "0", "deal": "0", "rotation": "0"},
    "/runs": {},
    "/run/{}": {},
    "/run/one/{}.svg": {},
    "/compare": {"run": "one;two", "against": "tuned"},
    "/compare/{}-seconds.svg": {"run": "one;two"},
}
POSTS = {
    "/review": {"games": "{}", "number": "1"},
    "/document": {"games": "{}", "values": "1", "agent": "greedy"},
    "/puzzles": {"games": "{}", "number": "1"},
    "/kept": {"do": "delete", "number": "1", "games": "{}"},
    "/kept/statistics": {"do": "x"},
    "/claim/jl-attack-2": {"do": "change", "deals": "20", "readings.0.suit": "3"},
    "/tournaments": {**TABLE, "agent": "greedy", "deals": "20", "table": "one", "token": "x", "o.players": "3"},
    "/tournament/kept": {"do": "x"},
}
TEXTS = (
    "", " ", "-1", "1e3", "\u0663", "\u00b2", "nan", "9" * 5000, "\0", "\ud800", "..", "../../etc/passwd", "%2e%2e%2f",
    "<script>", "a;b=c;;", "[" * 3000, '{"a":', "\u6f22\r\nX: y", "checkpoint:/etc/passwd", "run:..", "x" * 3000,
    "search:playouts=99999999999", "human;human;human;human;human", "1." * 900, "jie-long\u200b", "true", "deals=1e9",
)  # fmt: skip
BYTES = (b"", b"[", b"http://[", b"http://[::1", b"http://\xff", b"\xff\xfe\x00", b"null", b":", b"127.0.0.1:",
         b"::::", b"127.0.0.1:\xb2", b"http://127.0.0.1:99999999999999", b"a" * 10_000, b"-5", b"1e9", b"=;=;\x80",
         b"*;q=x")  # fmt: skip
HEADERS = """\
    host origin referer content-length cookie accept-language content-type sec-fetch-site sec-fetch-mode sec-fetch-dest
    x-forwarded-host forwarded if-modified-since range accept-encoding upgrade"""


class Asker:
    """Sends requests as a server would, byte for byte, and hands back status and page."""

    def __init__(self, app):
        self.app, self.loop = app, asyncio.new_event_loop()

    def __call__(self, method, path, words=None, headers=OURS, body=b"", gone=False):
        query = urlencode(words or {}, errors="surrogatepass").encode()
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
            "raw_path": b"", "query_string": query, "headers": headers, "scheme": "http", "root_path": "",
            "server": ("127.0.0.1", 8420), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        events = [{"type": "http.request", "body": body, "more_body": gone}, {"type": "http.disconnect"}]
        sent = []

        async def receive():
            return events.pop(0) if len(events) > 1 else events[0]

        async def send(message):
            sent.append(message)

        self.loop.run_until_complete(asyncio.wait_for(self.app(scope, receive, send), 60))
        page = b"".join(each.get("body", b"") for each in sent).decode()
        return (sent[0]["status"] if sent else None), page


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    from gupai_agents import make_agent
    from gupai_agents.evaluation import play_into, schedule

    folder = furnish(tmp_path_factory.mktemp("room"))
    names = ["random", "greedy"]
    agents = [make_agent(name, "jie-long") for name in names]
    play_into(folder / "tournaments" / "kept", schedule("jie-long", names, 2, seed=1), agents)
    return folder


async def at_once(function, *words, **_):
    return function(*words)


@pytest.fixture(scope="module")
def ask(room):
    asker = Asker(create_app(runs=room / "runs", tournaments=room / "tournaments", games=Store(room)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anyio.to_thread.run_sync", at_once)  # rather than begin and end a thread for every request
        yield asker
    asker.loop.close()


def changed(words):
    """Words with each of them replaced by each odd text, and without it."""
    yield from ({**words, name: text} for name, text in itertools.product(words, TEXTS))
    yield from ({name: text for name, text in words.items() if name != left_out} for left_out in words)


@pytest.mark.parametrize("page", GETS)
def test_addresses_never_cause_server_errors(page, ask, capfd):
    for text in TEXTS if "{}" in page else ("",):
        name = quote(text, safe="", errors="surrogatepass")
        status, found = ask("GET", page.format(text.encode(errors="replace").decode()))
        assert status < 500 and "Traceback" not in found, (page, name)
    for words in [{}, {"\0": "x"}, *changed(GETS[page])]:
        status, found = ask("GET", page.format("jie-long"), words)
        assert status < 500 and "Traceback" not in found, (page, words)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("page", POSTS)
def test_forms_never_cause_server_errors(page, ask, room, capfd):
    before = sorted((room / "tournaments").iterdir())
    bodies = [urlencode(words, errors="surrogatepass").encode() for words in changed(POSTS[page])]
    bodies += [b"", b"\xff" * 99, b"&" * 9000, b"=" * 9000, b"games=" + b"[" * 90_000, b"%", b"do=%ff&agent=%00"]
    bodies += [b"games=" + quote(f'{{"format":{text}}}', errors="replace").encode() for text in TEXTS]
    for body in bodies:
        if page == "/claim/jl-attack-2" and b"do=change" not in body:
            continue  # it would begin a test
        status, found = ask("POST", page, body=body)
        assert status < 500 and "Traceback" not in found, (page, body[:200])
    assert sorted((room / "tournaments").iterdir()) == before and not capfd.readouterr().err


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "HEAD", "x"])
def test_headers_never_cause_server_errors(method, ask, capfd):
    for name, value in itertools.product(HEADERS.split(), BYTES):
        others = [each for each in OURS if each[0] != name.encode()]
        for headers in ([*others, (name.encode(), value)], [*OURS, (name.encode(), value)], others):
            status, _ = ask(method, "/review", headers=headers, body=b"games=x")
            assert status < 500, (method, name, value)
    assert ask(method, "/review", headers=[])[0] == 421
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    "page", ["/", "/claims", "/recorded/jl-suit-counts", "/language", "/review", "/nope", "/game/no"]
)
def test_head_is_answered_as_get_without_the_body(page, ask):
    status, found = ask("GET", page)
    assert found or status == 303
    assert ask("HEAD", page) == (status, "")


@pytest.mark.parametrize("name", [b"host", b"origin", b"sec-fetch-site", b"content-length"])
def test_repeated_security_header_is_refused(name, ask):
    value = dict(OURS).get(name, b"7")
    headers = [*(each for each in OURS if each[0] != name), (name, value), (name, value)]
    assert ask("POST", "/review", headers=headers, body=b"games=x")[0] == 400


@pytest.mark.parametrize("page", POSTS)
def test_client_leaving_while_it_sends_is_no_error(page, ask, capfd):
    assert ask("POST", page, body=b"games=", gone=True) == (None, "")
    assert not capfd.readouterr().err


# --- files ----------------------------------------------------------------------------------------

VALUES = (None, True, -1, 1e308, float("nan"), float("inf"), 10**400, 1 << 62, "", "x" * 9000, "\ud800", [], [[]], {},
          ["a"] * 5000, {"a": 1}, "<script>")  # fmt: skip
MISSING = object()
RAW = (
    b"",
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b"null",
    b"5",
    b'"x"',
    b"{}",
    b"[]",
    b"\xef\xbb\xbf{}",
    b"{}" * 9,
    b"\0" * 99,
)


def forged(content, every=1):
    """What a file of JSON may hold instead: each value of it, however deep, missing or another; `every` fifth, say."""
    forgeries = [*itertools.product(places(content), (*VALUES, MISSING)), *RAW]
    for each in forgeries[::every]:
        yield each if isinstance(each, bytes) else json.dumps(replaced(content, *each)).encode()


def replaced(content, place, value):
    """A copy with another value at a place."""
    copy, (step, *deeper) = content.copy(), place
    if deeper:
        copy[step] = replaced(content[step], deeper, value)
    elif value is MISSING:
        del copy[step]
    else:
        copy[step] = value
    return copy


def places(content, at=()):
    """Where the values are, of lists those of the first item."""
    items = content.items() if isinstance(content, dict) else list(enumerate(content))[:1]
    for name, value in items:
        yield (*at, name)
        if isinstance(value, (dict, list)):
            yield from places(value, (*at, name))


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_forged_tournament_file_damages_its_own_page_alone(name, ask, room, capfd):
    folder = room / "tournaments" / "forged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(room / "tournaments" / "kept", folder)
    refused = 0
    for number, content in enumerate(forged(json.loads((folder / name).read_bytes()))):
        (folder / name).write_bytes(content)
        status, found = ask("GET", "/tournament/forged")
        assert status == 200, content[:300]
        if "damaged (" in found:
            # Agents that are others in one file than in the other may be told of either.
            assert re.search(r"damaged \((manifest|summary)\.json: ", found), content[:300]
            refused += 1
        if number % 5:  # of every place other values, in turn all of them
            continue
        status, listed = ask("GET", "/tournaments")
        assert status == 200 and "/tournament/kept" in listed and "finished" in listed, content[:300]
        assert ("damaged (" in listed) >= ("damaged (" in found), content[:300]
        for method, page in (("POST", "/tournament/forged"), ("GET", "/tournament/forged/game")):
            assert ask(method, page, body=b"do=x")[0] < 500, content[:300]
    shutil.rmtree(folder)
    assert refused > 100
    assert "Traceback" not in capfd.readouterr().err


def test_forged_run_file_damages_its_own_page_alone(ask, room, capfd):
    folder = room / "runs" / "forged"
    shutil.copytree(room / "runs" / "one", folder)
    row = json.loads((folder / "metrics.jsonl").read_text().splitlines()[0])
    contents = [("metrics.jsonl", each) for each in forged({**row, "exploitability": {"best": 1.0, "drawn": 1.0}})]
    contents += [("config.yaml", each) for each in (*RAW, b"a: &a [*a]", b"a: !!python/object:x y", b"\t")]
    contents += [(each, text) for each in ("results.json", "agent.safetensors") for text in RAW]
    refused = 0
    for name, content in contents:
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(content)
        for page in ("/runs", "/run/forged"):
            status, found = ask("GET", page)
            assert status == 200, (page, name, content[:300])
            assert page != "/runs" or "+0.50 against tuned" in found  # of the other run
            refused += "metrics.jsonl, line " in found
        (folder / name).write_bytes(before)
    shutil.rmtree(folder)
    assert refused > 100 and "Traceback" not in capfd.readouterr().err


def test_forged_verdict_causes_no_server_error(ask, tmp_path, monkeypatch, capfd):
    name = "jl-lockout-2"
    whole = json.loads((claims.RECORDED / f"{name}.json").read_bytes())
    monkeypatch.setattr(claims, "RECORDED", tmp_path)
    whole["readings"] = [{**each, "examples": []} for each in whole["readings"][:1]]
    whole["file"] = {}
    shown = set()
    for number, content in enumerate([json.dumps(whole).encode(), *forged(whole, every=13)]):
        (tmp_path / f"{name}.json").write_bytes(content)
        assert number % 50 or ask("GET", "/claims")[0] == ask("GET", f"/claim/{name}")[0] == 200
        status, found = ask("GET", f"/recorded/{name}")
        assert status in (200, 404) or f"damaged ({name}.json" in found, content[:300]
        shown.add(status)
    (tmp_path / f"{name}.json").write_bytes(json.dumps(whole | {"id": "jl-only-2"}).encode())
    assert claims._recorded(name) is None  # the verdict of another claim
    assert shown == {200, 404, 422} and "Traceback" not in capfd.readouterr().err
