"""Pages of claims: each is changed, tested and read there."""

import re
import time
from concurrent.futures import Future
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_agents.evaluation.claims import masters, read_claim
from gupai_app.claims import routes as claims
from gupai_app.claims.terminal import SUFFIX, paths
from gupai_env.games.phrases import chips
from web_room import HOME, OURS, done, said


class Form(HTMLParser):
    """The fields of a page's forms as a browser sends them."""

    def __init__(self, text):
        super().__init__()
        self.sent, self._select = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "input" and (found.get("type") != "checkbox" or "checked" in found):
            self.sent.append((found["name"], found.get("value") or ""))
        if tag == "select":
            self._select = found["name"]
        if tag == "option" and "selected" in found:
            self.sent.append((self._select, found["value"]))


@pytest.mark.parametrize("name", [path.name.removesuffix(SUFFIX) for path in paths()])
def test_unchanged_form_changes_nothing(name, pages):
    sent = [(key, text) for key, text in Form(pages.get(f"/claim/{name}").text).sent if key.startswith("readings.")]
    assert len(sent) > 5 or all(reading.kind == "exact" for reading in claims.known()[name].readings)
    answer = pages.post(
        f"/claim/{name}",
        headers={**OURS, "Content-Type": "application/x-www-form-urlencoded"},
        content=urlencode([*sent, ("do", "change")]),
    )
    assert answer.status_code == 200 and str(answer.url) == f"{HOME}/claim/{name}"


def test_changed_claim_is_a_testable_file(pages, tmp_path):
    answer = pages.get(
        "/claim/jl-attack-2/file?readings.0.suit=3&readings.0.margin=0.25&readings.0.doses.values=4,+6%2B"
        "&readings.0.variant.players=3&readings.0.panel=greedy&readings.0.panel=tuned&readings.1.skip=leave+it+out"
    )
    file = tmp_path / "x.yaml"
    file.write_bytes(answer.content)
    (reading,) = read_claim(file).readings
    assert (reading.doses.number, reading.doses.values, reading.treated) == (3, ["4", "6+"], "+attack_3=40")
    assert (reading.margin, reading.variant, reading.panel) == (0.25, {"players": 3}, ["greedy", "tuned"])
    assert "suit=3" in read_claim(file).source


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("readings.0.suit", "7", "choose one of 1, 2, 3, 4, 5, 6"),
        ("readings.0.margin", "x", "write a number"),
        ("readings.0.margin", "-1", "write a number above 0"),
        ("readings.0.doses.values", "3, 9", "no hand of 8 tiles"),
        ("readings.0.panel", "checkpoint:/etc/passwd", "does not play here"),
        ("readings.0.treated", "heuristic:/etc/x.yaml", "does not play here"),
        ("readings.0.treated", "search:playouts=9999", "does not play here"),
        ("readings.0.treated", "+attack_9=1", "is not a feature"),
        ("readings.0.variant.players", "9", "choose one of 2, 3, 4"),
        ("readings.0.variant.stake", "x", "stake=x is not allowed; write a number from 0.01"),
        ("readings.0.variant.deck", "tiny", "players=4 is not allowed with deck='tiny'; choose 2"),
        ("readings.0.doses.values", "3, x", "is not a dose"),
        ("readings.0.name", "x", "cannot be changed"),
        ("statement", "x", "cannot be changed"),
    ],
)
def test_bad_change_is_refused_by_its_key(key, text, words, pages):
    answer = pages.get(f"/claim/jl-attack-2?{urlencode({key: text})}")
    assert answer.status_code == 422 and words in said(answer) and key.partition(".hand")[0] in said(answer)


def test_changed_claim_is_tested_and_its_deals_shown(pages, monkeypatch):
    monkeypatch.setattr(masters, "SEARCH", "search:playouts=4")
    sent = {"readings.0.suit": "3", "readings.0.panel": "greedy", "readings.0.doses.values": "3, 4"}
    sent |= {"readings.1.skip": "leave it out", "deals": "40", "do": "begin"}
    answer = pages.post("/claim/jl-attack-2", headers=OURS, data=sent)
    assert answer.url.params["readings.0.suit"] == "3"
    text = done(pages, str(answer.url))
    verdict = pages.get(unescape(re.search(r'href="(/verdict/[^"]*)"', text)[1])).text
    assert "carrying 3: four" in unescape(verdict) and 'class="chart"' in verdict
    assert "largest gain" in verdict.lower()
    links = [unescape(each) for each in re.findall(r'href="(/verdict/[^"]*/deal/[^"]*)"', verdict)]
    assert len(links) == 3 and pages.get(links[0].replace("deal/1", "deal/4")).status_code == 404
    for link in links:
        text = pages.get(link).text
        assert text.count('class="game"') == 2 and "They part at move" in text
        treated, other = (float(each) for each in re.findall(r"<h4>with.*?: ([+-][\d.]+) chip", text))
        assert f": {chips(treated - other)}</h1>" in text
    assert "gupai claim run jl-attack-2-changed.yaml --deals 40" in verdict
    assert pages.get("/verdict/jl-attack-2").status_code == 404  # another claim


def test_recorded_verdicts_are_listed_and_read(pages):
    text = pages.get("/claims").text
    assert len(re.findall(r'href="/recorded/', text)) == len(claims.known())
    assert "disproved" in pages.get("/recorded/jl-suit-counts").text
    assert all(len(pages.get(f"/recorded/{name}").content) < 100_000 for name in claims.known())
    assert pages.get("/recorded/jl-attack-2/deal/0").status_code == 404
    assert pages.get("/recorded/jl-attack-2/deal/x").status_code == 404
    assert pages.get("/recorded/..%2fx").status_code == 404


def test_pages_of_claims_wait_until_they_are_read(pages, monkeypatch):
    monkeypatch.setattr(claims, "reading", Future)
    monkeypatch.setattr(pages.app.state.server, "warmer", object())
    for address in ("/claims", "/claim/jl-attack-2", "/recorded/jl-attack-2"):
        answer = pages.get(address)
        assert answer.status_code == 202 and "The claims are being read." in answer.text


def test_claims_are_listed_without_recorded_verdicts(pages, monkeypatch):
    monkeypatch.setattr(claims, "_recorded", lambda name: None)
    monkeypatch.setattr(claims, "_summary", claims._summary.__wrapped__)  # that keeps nothing
    text = pages.get("/claims").text
    assert "/claim/jl-attack-2" in text and "recorded" not in text
    assert pages.get("/recorded/jl-attack-2").status_code == 404


def test_claim_is_tested_and_its_verdict_shown(pages):
    name = "cd-loose-doubling"
    assert "Test it" in pages.get(f"/claim/{name}").text
    assert pages.get(f"/verdict/{name}").status_code == 404
    assert pages.post(f"/claim/{name}", headers=OURS, data={"do": "begin", "deals": "20"}).status_code == 200
    assert "Read the verdict" in done(pages, f"/claim/{name}")
    answer = pages.get(f"/verdict/{name}")
    assert "To repeat it" in answer.text and f"gupai claim run {name} --deals 20" in answer.text
    assert "did not occur in 20 deals" in answer.text and "too few deals" in answer.text


def test_running_test_can_be_stopped_and_no_second_one_started(pages, monkeypatch):
    def endless(claim, *, deals, masters, progress):
        while True:
            progress(0.5, "playing")
            time.sleep(0.01)

    monkeypatch.setattr(claims, "try_claim", endless)
    one, other = [each.id for each in claims.known().values() if each.readings][:2]
    assert 'value="stop"' in pages.post(f"/claim/{one}", headers=OURS, data={"do": "begin"}).text
    answer = pages.post(f"/claim/{other}", headers=OURS, data={"do": "begin"})
    assert answer.status_code == 422 and one in said(answer)
    pages.post(f"/claim/{one}", headers=OURS, data={"do": "stop"})
    assert "It was stopped." in done(pages, f"/claim/{one}")


@pytest.mark.parametrize("deals", ["x", "5", "9999999"])
def test_bad_deals_of_a_claim_are_refused(deals, pages):
    name = re.findall(r'href="/claim/([^"]*)"', pages.get("/claims").text)[0]
    answer = pages.post(f"/claim/{name}", headers=OURS, data={"do": "begin", "deals": deals})
    assert answer.status_code == 422 and "Deals" in said(answer)
