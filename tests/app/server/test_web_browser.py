"""Whole games in a real browser, by clicks and by keys; it runs where Playwright and a Chromium are."""

import itertools
import shutil
import threading
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("playwright.sync_api", reason="there is no Playwright: no browser test")

import uvicorn
from playwright import sync_api as playwright

from gupai_app.server.app import bound, create_app
from gupai_env.games import GAMES
from web_room import RUN, furnish

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: no browser test")
DESKTOP, PHONE = {"width": 1280, "height": 850}, {"width": 390, "height": 844}
MOST_TURNS = 80
MOST_WAIT = 60_000  # milliseconds: what is played for the first time is compiled first


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The server of the pages."""
    room = furnish(tmp_path_factory.mktemp("room"))
    shutil.copytree(room / "runs" / RUN, room / "runs" / "two")
    (room / "runs" / "two" / "config.yaml").write_text("game: jie-long\nseed: 2\n")
    return create_app(runs=room / "runs", tournaments=room / "tournaments")


@pytest.fixture(scope="module")
def address(app):
    """Where it serves them."""
    found = bound("127.0.0.1", None)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, args=([found],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{found.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def visited(browser, address):
    """Open pages; at the end nothing may have gone wrong in any of them."""
    wrong, contexts = [], []

    def visit(path, size=DESKTOP, scheme="dark", motion="reduce"):
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion=motion)
        context.set_default_timeout(MOST_WAIT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.goto(f"{address}{path}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def opened(visited):
    """Open tables."""
    return lambda query, *how: visited(f"/table?seed=5&seat=0&with=greedy&{query}", *how)


def terminated(page):
    return page.get_by_role("heading", name="The game is over").count() > 0


def go_on(page):
    """Leave the count of a deal."""
    if page.locator(".on button").is_visible():
        page.locator(".on button").click()


both = pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")], ids=["desktop", "phone"])


def fits(page):
    """True if nothing is cut off at the side."""
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def tiles_in_hand(page):
    """The tiles of the near hand that can be played."""
    return page.locator("svg.stage:not(.past):visible button.tile")


def choose(page):
    """Make a move by clicks on tiles and on what they offer, or with a button where there are no tiles to click."""
    tiles, composer, zones = tiles_in_hand(page), page.locator(".composer"), page.locator(".zone")
    if composer.is_visible():
        for tile in tiles.all():
            tile.click()
            for button in composer.locator("button:enabled").all()[:1]:
                return button.click()
    if zones.count():
        for zone in zones.all()[1:]:
            while zone.locator(".piece").count() < zone.evaluate("zone => zone.room"):
                zones.first.locator(".piece").first.click()
                zone.click(position={"x": 8, "y": 8})
        return page.locator(".splitter .main").click()
    if tiles.count():
        tiles.first.click()
        page.wait_for_timeout(20)  # a menu's places are shown after it
        offered = page.locator(".spot:not([hidden]):visible button"), page.locator(".menu:popover-open button")
        for button in [each.first for each in offered if each.count()][:1]:
            button.click()
        return None
    return page.locator(".choices button:visible").first.click()


def turn(page, play):
    """Do what plays a move, and wait for the page after it."""
    before = page.url
    play()
    page.wait_for_url(lambda url: url != before)


@both
@pytest.mark.parametrize("game", GAMES)
def test_deal_is_played_by_clicks_to_its_end(game, size, scheme, opened):
    page = opened(f"game={game}", size, scheme)
    for _ in range(MOST_TURNS):
        go_on(page)
        if terminated(page):
            break
        turn(page, lambda: choose(page))
        assert fits(page)
    assert terminated(page)
    assert page.locator(".over .winner").text_content().strip() and page.locator(".over .reasons li").count()


def test_game_is_played_by_keys(opened):
    page = opened("game=jie-long")
    for turn in range(MOST_TURNS):
        if terminated(page):
            break
        before = page.url
        page.keyboard.press("1" if turn % 2 else "ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    assert terminated(page)


def test_split_is_made_by_dragging_tiles_into_groups(opened):
    page = opened("game=da-ling")
    done = page.get_by_role("button", name="Play this split")
    for group, number in (("single", 1), ("pair", 2), ("triple", 3)):
        assert done.is_disabled()
        for _ in range(number):
            page.locator(".zone[data-name=hand] .piece").first.drag_to(page.locator(f".zone[data-name={group}]"))
    turn(page, done.click)


def test_back_button_and_double_click_are_harmless(opened):
    page = opened("game=jie-long")
    first = page.url
    page.locator(".choices button").first.dblclick()
    page.wait_for_url(lambda url: url != first)
    page.go_back()
    page.wait_for_url(first)
    page.locator(".choices button").nth(2).click()
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("u")
    page.wait_for_url(first)


@both
def test_hint_is_one_move_until_all_values_are_there(size, scheme, opened, app, monkeypatch):
    left = []

    def await_parts(game, number, *, patient=True):
        return "Da Ling is being prepared" if number > 1 and left else ""

    monkeypatch.setattr(app.state.server, "warmer", SimpleNamespace(await_parts=await_parts))
    page = opened("game=da-ling", size, scheme)
    left.append("hints")
    page.keyboard.press("h")
    page.get_by_text("Think about ").wait_for()
    assert page.locator(".think:visible").count() and not page.locator(".worth").count()
    page.keyboard.press("h")
    page.keyboard.press("h")
    page.get_by_text("The card would choose ").wait_for()
    assert page.locator(".best").count() == 1 and not page.locator(".worth").count()
    assert fits(page) and not (AXE and findings(page))
    page.locator(".zone[data-name=hand] .piece").first.click()  # a tile is chosen
    left.clear()
    page.get_by_text("95% interval").wait_for()
    assert page.locator(".zone[data-name=hand] .piece").first.get_attribute("aria-pressed") == "true"
    assert page.locator(".best").count()
    assert page.locator(".worth").count() == page.locator(".now .choices li").count()
    assert not page.get_by_text("The card would choose ").count()
    turn(page, page.locator(".best button").first.click)


@both
def test_unseen_tiles_are_shown_and_closed_by_a_key(size, scheme, opened):
    page = opened("game=tien-gow", size, scheme)
    page.keyboard.press("o")
    page.locator("#unseen td").first.wait_for()
    assert fits(page) and not (AXE and findings(page))
    page.keyboard.press("o")
    page.locator("#unseen").wait_for(state="detached")


@both
def test_coach_speaks_after_a_mistake_and_not_after_it_is_taken_back(size, scheme, opened):
    page = opened("game=jie-long&practice=coach", size, scheme)
    assert not page.locator(".coach").count()
    turn(page, page.locator(".choices button:visible").last.click)  # a discard where a tile could be played
    page.get_by_role("heading", name="The coach").wait_for()
    assert "costs" in page.locator(".coach").inner_text()
    assert fits(page) and not (AXE and findings(page))
    turn(page, lambda: page.keyboard.press("u"))
    assert not page.locator(".coach").count()


def test_hint_works_without_scripts(browser, address, app, monkeypatch):
    left = ["hints"]
    warmer = SimpleNamespace(await_parts=lambda game, number, *, patient=True: "wait" if number > 1 and left else "")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/table?game=jie-long&seed=5&seat=0&with=greedy")
    monkeypatch.setattr(app.state.server, "warmer", warmer)
    for number in (1, 2, 3):
        page.locator(f"a[href*='hint={number}']").click()
    page.get_by_text("The card would choose ").wait_for()
    left.clear()
    page.get_by_text("95% interval").wait_for(timeout=MOST_WAIT)
    context.close()


def test_game_is_reviewed_by_its_moves(opened):
    page = opened("game=da-ling")
    turn(page, lambda: choose(page))
    go_on(page)
    page.get_by_role("link", name="Review this game").click()
    page.get_by_role("button", name="Look at every decision").click()
    page.wait_for_selector(".why", state="attached")
    assert page.locator(".why:visible").count() == 1
    page.keyboard.press("End")
    assert page.locator(".why:visible").count() == 0


def test_two_people_share_a_screen(visited):
    page = visited("/table?game=ding-niu&seed=5&seat=0&with=human;greedy;greedy", PHONE, "light")
    passed = []
    for _ in range(MOST_TURNS):
        go_on(page)
        if terminated(page):
            break
        before, here = page.url, page.locator("#here")
        if here.count():
            assert page.locator("svg.stage").count() == 0
            passed.append(here.text_content())
            here.click()
        else:
            page.locator(".choices button:visible").first.click()
        page.wait_for_url(lambda url, before=before: url != before)
    assert terminated(page)
    assert all(one != other for one, other in itertools.pairwise(passed)) and len(passed) > 4


def test_claim_is_changed_tested_and_stepped_through(visited):
    page = visited("/claim/jl-attack-2", PHONE, "light")
    page.get_by_label("suit").first.select_option("3")
    for opponent in ("variety", "tuned"):
        page.get_by_label(opponent, exact=True).first.uncheck()
    page.get_by_text("leave 2 open while no more 2s").click()
    page.get_by_label("test this reading").nth(1).select_option("leave it out")
    page.get_by_label("Deals of each figure").fill("40")
    page.get_by_role("button", name="Test it").click()
    page.get_by_role("link", name="Read the verdict").click()
    assert page.locator(".chart").count() and fits(page)
    assert page.get_by_role("link", name="Step through it both ways").count() == 3
    page.get_by_role("link", name="Step through it both ways").first.click()
    assert page.locator(".game").count() == 2 and fits(page)
    game = page.locator(".game").first
    before = game.locator(".said").text_content()
    game.get_by_label("one move on").click()
    assert game.locator(".said").text_content() != before


def test_tournament_is_played_and_a_game_of_it_reviewed(visited):
    page = visited("/tournaments", PHONE, "light")
    page.get_by_role("link", name="Jie Long").click()
    page.get_by_label("Deals of every line-up").fill("30")
    page.get_by_role("button", name="Play the tournament").click()
    page.get_by_role("button", name="Look at it").wait_for()
    assert page.locator("svg.chart").count() and fits(page)
    page.get_by_role("button", name="Look at it").click()
    page.wait_for_url("**/review/game?**")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url.endswith("#1"))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert page.locator(".moves a[aria-current]").get_attribute("href") == "#1"


def test_runs_are_chosen_and_compared(visited):
    page = visited("/runs", PHONE)
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Compare the chosen runs").click()
    assert page.locator("svg.chart").count() == 2 and fits(page)


def test_run_is_shown_and_played_against(visited):
    page = visited("/runs")
    page.get_by_role("link", name=RUN, exact=True).click()
    if page.locator("img.picture").count():
        picture = page.locator("img.picture")
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    page.get_by_role("link", name="Play against it").click()
    assert page.locator("svg.stage:visible").count() == 1


@both
def test_panel_waits_for_the_moves_of_the_others(size, scheme, opened):
    page = opened("game=jie-long", size, scheme, "no-preference")
    turn(page, lambda: page.locator(".choices button").first.evaluate("button => button.click()"))
    waiting = page.locator(".task, .side .now, .side .score")
    assert waiting.count() == 3 and not any(each.is_visible() for each in waiting.all())
    page.get_by_role("button", name="Skip to the end").click()
    assert all(each.is_visible() for each in waiting.all())
    assert page.locator("svg.stage:not(.past):visible").count() == 1


@both
def test_boxes_keep_their_size_and_take_tiles_of_the_drawn_hand(size, scheme, opened):
    page = opened("game=da-ling", size, scheme)
    boxes = (
        "zones => zones.map((zone) => [zone.offsetLeft, zone.offsetTop, zone.offsetWidth, zone.offsetHeight].join())"
    )
    before = page.locator(".zone").evaluate_all(boxes)
    for tile, zone in zip(tiles_in_hand(page).all(), (1, 2, 2, 3, 3, 3), strict=True):
        tile.click()
        page.locator(".zone").nth(zone).click(position={"x": 8, "y": 8})
        assert page.locator(".zone").evaluate_all(boxes) == before
    assert page.get_by_role("button", name="Play this split").is_enabled()


def test_click_next_to_a_tile_means_it_and_other_tiles_answer(opened):
    page = opened("game=jie-long")
    x, y, width, height = tiles_in_hand(page).first.bounding_box().values()
    page.mouse.click(x + width / 2, y + height + 5)
    assert page.locator(".menu:popover-open").count()
    page = opened("game=jie-long&o.forced_play=true")
    idle = page.locator("button.idle:visible")
    idle.first.click()
    assert page.get_by_text("This tile cannot be played now.").is_visible()


# --- accessibility --------------------------------------------------------------------------------

AXE = find_spec("axe_playwright_python")
TABLE = "/table?seed=5&seat=0&with=greedy&game="
PAGES = ["/", "/game/da-ling", "/rules/tien-gow", *(f"{TABLE}{game}" for game in GAMES), f"{TABLE}da-ling&hint=1"]
PAGES += [
    "/table?game=jie-long&seed=5&seat=0&with=human",
    "/review",
    "/claims",
    "/claim/jl-attack-2",
    "/claim/dn-early",
]
PAGES += [
    "/recorded/jl-attack-2",
    "/tournaments",
    "/tournaments/jie-long",
    "/runs",
    f"/run/{RUN}",
    f"/compare?run={RUN}&run=two",
]
FINDINGS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .map((each) => `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)"""


def findings(page):
    """What axe finds in a page."""
    page.evaluate(Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    return page.evaluate(FINDINGS)


@pytest.mark.skipif(AXE is None, reason="there is no axe-playwright-python: accessibility is not checked")
@both
def test_axe_finds_no_violations(size, scheme, visited, address):
    page = visited(f"/?lang={'en' if size == DESKTOP else 'zh-Hant'}", size, scheme)  # which is kept
    found = {}
    for path in PAGES:
        page.goto(address + path)
        if problems := findings(page):
            found[path] = problems
    page.goto(f"{address}{TABLE}da-ling")
    choose(page)
    page.locator("a[href^='/review/game']").click()
    page.locator(".ask button").first.click()
    page.wait_for_selector(".why", state="attached")
    found |= {"review": problems} if (problems := findings(page)) else {}
    assert not found


# --- gestures -------------------------------------------------------------------------------------


def offered(page):
    """The names of the places that glow."""
    return page.locator(".spot:not([hidden]):visible").evaluate_all("found => found.map((each) => each.dataset.spot)")


def drag(page, tile, to):
    """Drag a tile to the middle of something; return what glowed on the way."""
    (x, y), there = middle(tile), middle(to) if hasattr(to, "bounding_box") else to
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=3)
    glowed = offered(page)
    page.mouse.move(*there, steps=3)
    page.mouse.up()
    return glowed


def middle(what):
    box = what.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@both
def test_bait_fish_glow_and_a_click_catches_one(size, scheme, opened):
    page = opened("game=tiu-u", size, scheme)
    tile = page.locator("svg.stage:not(.past):visible button.tile[data-goes*=fish]").first
    assert tile.bounding_box()["width"] >= 32
    assert not offered(page)
    tile.click()
    page.locator(".menu:popover-open").wait_for()
    names = {each.partition("=")[0] for each in tile.get_attribute("data-goes").split()}
    fish = page.locator(".spot:not([hidden])[data-spot^=fish]:visible")
    fish.first.wait_for()
    assert set(offered(page)) == names
    before, caught = page.url, fish.first.get_attribute("data-spot")[-2:]
    fish.first.locator("button").click()
    page.wait_for_url(lambda url: url != before)
    assert f"You catch [{caught[0]}:{caught[1]}]" in page.locator(".tail").text_content()


@both
def test_tile_is_dragged_to_the_line_and_nowhere_else(size, scheme, opened):
    page = opened("game=jie-long", size, scheme)
    before = page.url
    tile = page.locator("svg.stage:not(.past):visible button.tile[data-goes*=line]").first
    discarded = page.locator("svg.stage:not(.past):visible button.tile:not([data-goes*=line])").first
    assert drag(page, discarded, (200, 300)) == ["discard"]
    assert drag(page, tile, (200, 300)) == [tile.get_attribute("data-goes").split("=")[0], "discard"]
    assert not offered(page) and page.url == before and not page.locator(".menu:popover-open").count()
    name = tile.get_attribute("data-tile")
    spot = page.locator("svg.stage:not(.past):visible .spot[data-spot^=line]").first
    where = "spot => { spot.removeAttribute('hidden'); const { x, y } = spot.getBoundingClientRect(); return [x, y]; }"
    drag(page, tile, spot.evaluate(where))
    page.wait_for_url(lambda url: url != before)
    assert f"You play [{name[0]}:{name[1]}]" in page.locator(".tail").text_content()


def test_first_tile_is_offered_both_ways_round(visited):
    page = visited("/table?seed=5&seat=0&with=greedy&game=jie-long&o.players=2")
    tile = page.locator("svg.stage:not(.past):visible button.tile[data-goes*=' line']").first
    glowed = drag(page, tile, (5, 5))
    assert len([each for each in glowed if each.startswith("line")]) == 2


def test_several_tiles_are_played_together_and_their_class_named(visited):
    page = visited("/table?game=tien-gow&seed=15&seat=0&with=greedy")
    said, play = page.locator(".composer [role=status]"), page.locator(".composer button").first
    for tile in tiles_in_hand(page).all():
        if tile.get_attribute("data-tile") == "22":
            tile.click()
    assert said.text_content() == "a pair of civil tiles" and play.is_enabled()
    tiles_in_hand(page).first.click()
    assert said.text_content() == "These tiles cannot be played together." and play.is_disabled()
    tiles_in_hand(page).first.click()
    turn(page, play.click)
    assert "You lead [2:2][2:2]" in page.locator(".tail").text_content()


def test_tiles_are_discarded_together_in_any_order(visited):
    page = visited("/table?game=tien-gow&seed=6&seat=0&with=greedy")
    tiles, discard = tiles_in_hand(page), page.locator(".composer button").last
    tiles.first.click()  # the tile that must be discarded last
    assert discard.is_disabled()
    tiles.last.click()
    turn(page, discard.click)
    assert "You discard 2 of 2 tiles" in page.locator(".tail").text_content()


def test_groups_show_whether_they_match_and_splits_on_request(opened):
    page = opened("game=da-ling")
    zone = page.locator(".zone[data-name=single]")
    assert not page.locator(".choices button:visible").count()
    page.locator(".zone[data-name=hand] .piece").first.click()
    zone.click()
    assert zone.get_attribute("data-makes") in ("no match", "matches: stake 3")
    page.get_by_text("List all 60 splits").click()
    assert page.locator(".choices button:visible").count() == 60
