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

from chromium import browser  # noqa: F401
from gupai_agents.evaluation.records.games import read_games
from gupai_app.kept.store import Store
from gupai_app.server.app import bound, create_app
from gupai_env.games import GAMES
from web_room import RUN, furnish

DESKTOP, PHONE = {"width": 1280, "height": 850}, {"width": 390, "height": 844}
MOST_TURNS = 80
TABLE = "/table?seed=5&seat=0&with=greedy&game="
MOST_WAIT = 120_000  # milliseconds: what is played for the first time is compiled first, a search for half a minute
PAGES = ["/", "/game/da-ling", "/rules/tien-gow", *(f"{TABLE}{game}" for game in GAMES), f"{TABLE}da-ling&hint=1"]
PAGES += ["/table?game=jie-long&seed=5&seat=0&with=human", "/review", "/kept", "/kept/statistics", "/kept/puzzles"]
PAGES += ["/claims", "/claim/jl-attack-2", "/claim/dn-early", "/recorded/jl-attack-2", "/tournaments"]
PAGES += ["/tournaments/jie-long", "/runs", f"/run/{RUN}", f"/compare?run={RUN}&run=two"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The server of the pages."""
    room = furnish(tmp_path_factory.mktemp("room"))
    shutil.copytree(room / "runs" / RUN, room / "runs" / "two")
    (room / "runs" / "two" / "config.yaml").write_text("game: jie-long\nseed: 2\n")
    return create_app(runs=room / "runs", tournaments=room / "tournaments", games=Store(room))


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


@pytest.fixture
def visited(browser, address):  # noqa: F811
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

    def table(query, *how):
        page = visited(f"/table?seed=5&seat=0&with=greedy&{query}", *how)
        page.locator(".stage").wait_for()
        return page

    return table


def terminated(page):
    return page.locator(".over").count() > 0


def go_on(page):
    """Leave the count of a deal, and what lies over a narrow table."""
    page.locator(".stage, .pass").first.wait_for()
    page.keyboard.press("Escape")


both = pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")], ids=["desktop", "phone"])


def fits(page):
    """True if the window shows the whole table, the hand, the bar and their texts: nothing is scrolled or cut off."""
    return page.evaluate(FITS)


FITS = """() => {
  const within = (low, high, most) => low >= -1 && high <= most + 1;
  const inside = (box) => within(box.left, box.right, innerWidth) && within(box.top, box.bottom, innerHeight);
  const { scrollWidth, scrollHeight } = document.documentElement;
  const parts = [...document.querySelectorAll(".stage, .bar, .hand button, .centre .tile, .line")];
  const felt = document.querySelector(".felt");
  const texts = [...document.querySelectorAll("nav, .facts, .name, .say, .bar .choices, .tools")];
  const whole = (text) => text.scrollWidth <= text.clientWidth + 1 && text.scrollHeight <= text.clientHeight + 1;
  if (scrollWidth > innerWidth || !texts.every(whole)) return false;
  if (!document.querySelector("main > section.stage, .pass")) return true; // a page that is read
  return scrollHeight <= innerHeight && parts.every((part) => inside(part.getBoundingClientRect()))
    && (!felt || felt.scrollHeight <= felt.parentElement.clientHeight + 1);
}"""


def tiles_in_hand(page):
    """The tiles that can be played."""
    return page.locator(".stage button.live")


def choose(page):
    """Make a move by clicks on tiles and on what they offer, or with a button where there are no tiles to click."""
    tiles, bar = tiles_in_hand(page), page.locator(".bar .choices button:enabled")
    if page.locator(".zone").count():
        for _ in range(page.locator(".hand button").count()):
            page.locator(".hand button").first.click()
        return bar.first.click()
    if page.locator(".bar .choices .throw, .bar .choices .main").count():  # several tiles together
        for tile in tiles.all():
            tile.click()
            if bar.count():
                return bar.first.click()
    if tiles.count():
        tiles.first.click()
        if not page.locator(".hand .chosen, .centre .chosen").count():
            return None  # it was played at once
    return bar.first.click()


def turn(page, play):
    """Do what plays a move, and wait for the table after it."""
    before = page.url
    play()
    page.wait_for_url(lambda url: url != before)
    page.locator("main:not(.busy)").wait_for()


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
    for number in range(MOST_TURNS):
        if terminated(page):
            break
        page.keyboard.press("1" if number % 2 else "ArrowDown")
        turn(page, lambda: page.keyboard.press("Enter"))
    assert terminated(page)


def test_first_move_takes_two_tabs(opened):
    page = opened("game=jie-long&o.players=2")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.hand button.live')")
    page.keyboard.press("Enter")
    turn(page, lambda: page.keyboard.press("Enter"))  # the first of what is offered has the focus


def test_split_is_made_by_dragging_tiles_into_groups(opened):
    page = opened("game=da-ling")
    done = page.get_by_role("button", name="Play this split")
    for group, number in (("single", 1), ("pair", 2), ("triple", 3)):
        assert done.is_disabled()
        for _ in range(number):
            page.locator(".hand button").first.drag_to(page.locator(f".zone[data-name={group}]"))
    turn(page, done.click)


def test_back_button_and_double_click_are_harmless(opened):
    page = opened("game=jie-long")
    first = page.url
    turn(page, page.locator(".moves button").first.dblclick)
    page.go_back()
    page.wait_for_url(first)
    page.locator("main:not(.busy) .stage").wait_for()
    turn(page, page.locator(".moves button").nth(2).click)
    page.locator("main:not(.busy) .stage").wait_for()
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
    assert page.locator(".think").count() and not page.locator(".worth").count()
    chosen = page.get_by_text("The card would choose ")
    for _ in range(3):
        if not chosen.count():
            page.keyboard.press("h")
            page.locator("main:not(.busy) .hint").wait_for()
    chosen.wait_for()
    assert page.locator(".moves .best").count() == 1 and not page.locator(".worth").count()
    assert fits(page) and not (AXE and findings(page))
    page.keyboard.press("Escape")
    page.locator(".hand button").first.click()  # a tile is put into a group
    left.clear()
    page.get_by_text("95% interval").wait_for(state="attached")
    assert page.locator(".zone button").count() == 1
    assert page.locator(".worth").count() == page.locator(".moves li").count()
    assert not page.get_by_text("The card would choose ").count()
    turn(page, lambda: page.locator(".moves .best button").first.evaluate("button => button.click()"))


@both
def test_unseen_tiles_are_shown_and_closed_by_a_key(size, scheme, opened):
    page = opened("game=tien-gow", size, scheme)
    page.keyboard.press("o")
    page.locator("#unseen td").first.wait_for()
    assert fits(page) and page.locator("#unseen td").first.is_visible() and not (AXE and findings(page))
    page.keyboard.press("o")
    page.locator("#unseen").wait_for(state="detached")


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
@pytest.mark.parametrize("game", GAMES)
def test_all_of_what_they_may_hold_is_shown(game, language, visited, address):
    page = visited(f"/?lang={language}")  # which is kept
    page.goto(f"{address}{TABLE}{game}")
    go_on(page)
    page.keyboard.press("o")
    page.locator("#unseen").wait_for()
    hidden = "tables => tables.filter((each) => each.scrollWidth > each.clientWidth).length"
    for size in (DESKTOP, {"width": 1366, "height": 650}):
        page.set_viewport_size(size)
        assert not page.locator("#unseen .scrolls").evaluate_all(hidden)


@both
def test_coach_speaks_after_a_mistake_and_not_after_it_is_taken_back(size, scheme, opened):
    page = opened("game=jie-long&practice=coach", size, scheme)
    assert not page.locator(".coach").count()
    # A discard where a tile could be played:
    turn(page, lambda: page.locator(".moves button").last.evaluate("button => button.click()"))
    page.get_by_role("heading", name="The coach").wait_for()
    assert "costs" in page.locator(".coach").inner_text()
    assert fits(page) and not (AXE and findings(page))
    turn(page, lambda: page.keyboard.press("u"))
    page.locator(".coach").wait_for(state="detached")


def test_game_is_reviewed_by_its_moves(opened):
    page = opened("game=da-ling")
    turn(page, lambda: choose(page))
    go_on(page)
    page.get_by_role("link", name="Review this game").click()
    page.wait_for_selector(".curve")
    page.keyboard.press("Home")
    assert page.locator(".turn table:visible").count() == 1 and page.locator(".turn .played").count() == 1
    page.keyboard.press("End")
    assert page.locator(".turn table").count() == 0
    page.locator(".losses .step").first.click()
    assert page.locator(".turn .mistake").count()
    assert fits(page)


@both
def test_puzzle_of_the_first_page_is_solved_there(size, scheme, visited):
    page = visited("/", size, scheme)
    page.locator(".solve .hand").wait_for()
    before = page.url
    page.keyboard.press("1")  # the keys are those of the page, until something of the table has the focus
    assert not page.locator(".solve .bar .choices :focus").count()
    choose(page)
    page.locator(".solve .puzzle .stars").wait_for()
    assert page.locator(".solve .worth").count() and page.url == before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_people_share_a_screen(visited):
    page = visited("/table?game=ding-niu&seed=5&seat=0&with=human;greedy;greedy", PHONE, "light")
    passed = []
    for _ in range(MOST_TURNS):
        go_on(page)
        if terminated(page):
            break
        if page.locator("#here").count():
            assert page.locator(".stage").count() == 0
            passed.append(page.locator("#here").text_content())
            page.locator("#here").click()
            page.locator(".stage").wait_for()
        else:
            turn(page, lambda: page.locator(".moves button").first.evaluate("button => button.click()"))
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
    page.locator(".game .stage").nth(1).wait_for()
    assert page.locator(".game").count() == 2 and fits(page)
    game = page.locator(".game").first
    before = game.locator(".say").text_content()
    game.get_by_label("one move on").click()
    assert game.locator(".say").text_content() != before
    page.locator("[data-parting]").first.click()
    parted = page.locator(".steps [aria-current] b").all_text_contents()
    assert len(parted) == 2 and parted[0] == parted[1]


def test_tournament_is_played_and_a_game_of_it_reviewed(visited):
    page = visited("/tournaments", PHONE, "light")
    page.get_by_role("link", name="Jie Long").click()
    page.get_by_label("Deals of every line-up").fill("30")
    page.get_by_role("button", name="Play the tournament").click()
    page.get_by_role("button", name="Look at it").wait_for()
    assert page.locator("svg.chart").count() and fits(page)
    page.get_by_role("button", name="Look at it").click()
    page.wait_for_url("**/table?**")
    page.locator(".steps").wait_for()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url.endswith("&move=1"))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert page.locator(".steps [aria-current] b").text_content() == "1"


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
    page.locator(".stage .hand button").first.wait_for()


@both
def test_panel_waits_for_the_moves_of_the_others(size, scheme, opened):
    page = opened("game=jie-long", size, scheme, "no-preference")
    go_on(page)
    turn(page, lambda: page.locator(".moves button").first.evaluate("button => button.click()"))
    page.locator("main.replaying").wait_for()
    assert not page.locator(".hand button").count() and not page.locator(".moves").is_visible()
    page.get_by_role("button", name="Skip to the end").click()
    assert page.locator(".hand button").count() and not page.locator("main.replaying").count()


@both
@pytest.mark.parametrize("game", ["da-ling", "jie-long", "tien-gow"])
def test_nothing_moves_when_a_tile_is_chosen(game, size, scheme, opened):
    page = opened(f"game={game}", size, scheme)
    go_on(page)
    parts = ".stage, .bar, .zone, .centre, .own, .seat, .tools"
    places = """all => all.map((each) => Object.values(each.getBoundingClientRect().toJSON()).map(Math.round).join())"""
    before = page.locator(parts).evaluate_all(places)
    for _ in range(3):
        page.locator(".hand button.live").first.click()
        assert page.locator(parts).evaluate_all(places) == before


def test_busy_table_is_seen_before_an_answer_is_drawn(opened):
    page = opened("game=jie-long")
    busy = """async () => {
      const found = await (await fetch(`/document${location.search}`)).json();
      window.fetch = async () => ({ json: async () => found });
      document.querySelector("[data-key=h]").click();
      await new Promise(requestAnimationFrame);
      return document.querySelector("main").matches(".busy");
    }"""
    assert page.evaluate(busy)


SIZES = (360, 640), (390, 844), (844, 390), (1280, 800), (1366, 650), (2560, 1440)


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
@pytest.mark.parametrize("game", GAMES)
def test_table_and_its_texts_fit_every_window(game, language, visited, address):
    page = visited(f"/?lang={language}")  # which is kept
    page.goto(f"{address}{TABLE}{game}")
    for _ in range(10):
        go_on(page)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert fits(page), (width, height)
        if terminated(page):
            break
        turn(page, lambda: page.locator(".moves button").first.evaluate("button => button.click()"))


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_pages_that_are_read_are_as_wide_as_the_window(language, visited, address):
    page = visited(f"/?lang={language}")  # which is kept
    for path in (path for path in PAGES if TABLE not in path):
        page.goto(address + path)
        page.locator("main").wait_for()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert fits(page), (path, width, height)


def test_no_line_begins_with_the_mark_after_a_tile_or_a_term(visited):
    page = visited("/rules/tien-gow")
    page.locator("article").wait_for()
    torn = """() => [...document.querySelectorAll("main :is(svg.named, dfn)")].filter((each) => {
      const { nextSibling: text } = each;
      if (text?.nodeType !== Node.TEXT_NODE || !/^[,.;:]/.test(text.data)) return false;
      const mark = document.createRange();
      mark.setStart(text, 0);
      mark.setEnd(text, 1);
      return mark.getBoundingClientRect().top > each.getBoundingClientRect().bottom;
    }).length"""
    for width in range(320, 440, 4):
        page.set_viewport_size({"width": width, "height": 640})
        assert not page.evaluate(torn), width


def test_click_next_to_a_tile_means_it_and_other_tiles_answer(opened):
    page = opened("game=jie-long")
    x, y, width, height = tiles_in_hand(page).first.bounding_box().values()
    page.mouse.click(x + width / 2, y + height + 3)
    assert page.locator(".hand .chosen").count() == 1
    page = opened("game=jie-long&o.forced_play=true")
    page.locator("button.idle").first.click()
    assert page.get_by_text("This tile cannot be played now.").is_visible()


# --- accessibility --------------------------------------------------------------------------------

AXE = find_spec("axe_playwright_python")
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
    page.locator("a[href$='review=1']").click()
    page.wait_for_selector(".curve")
    found |= {"review": problems} if (problems := findings(page)) else {}
    assert not found


# --- gestures -------------------------------------------------------------------------------------


def glowing(page):
    """The names of the places that glow."""
    names = "all => all.map((each) => each.dataset.fish || each.dataset.spot || `line-${each.dataset.ghost}`)"
    return page.locator(".glows").evaluate_all(names)


def drag(page, tile, to):
    """Drag a tile to the middle of something; return what glowed on the way."""
    (x, y), there = middle(tile), middle(to) if hasattr(to, "bounding_box") else to
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 20, steps=3)
    glowed = glowing(page)
    page.mouse.move(*there, steps=3)
    page.mouse.up()
    return glowed


def middle(what):
    box = what.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@both
def test_bait_fish_glow_and_a_click_catches_one(size, scheme, opened):
    page = opened("game=tiu-u", size, scheme)
    go_on(page)
    catching = page.locator(".moves button", has_text="catches").first.get_attribute("data-number")
    tile = page.locator(f".hand button[data-numbers~='{catching}']").first
    assert tile.bounding_box()["width"] >= 28
    assert not glowing(page)
    tile.click()
    fish = page.locator(".glows[data-fish]").first
    caught = fish.get_attribute("data-fish")
    turn(page, fish.click)
    assert f"You catch [{caught[0]}:{caught[1]}]" in spoken(page)


def spoken(page):
    """What happened, with tiles in words."""
    page.locator("main:not(.busy) .tail").wait_for(state="attached")
    words = """tail => {
      const copy = tail.cloneNode(true);
      for (const tile of copy.querySelectorAll("[aria-label]")) tile.replaceWith(tile.getAttribute("aria-label"));
      return [...copy.querySelectorAll("li")].map((line) => line.textContent).join("; ");
    }"""
    return page.locator(".tail").evaluate(words)


@both
def test_tile_is_dragged_to_the_line_and_nowhere_else(size, scheme, opened):
    page = opened("game=jie-long", size, scheme)
    go_on(page)
    before = page.url
    tile = page.locator(".hand button.live:not(.spare)").first
    assert drag(page, page.locator(".hand button.spare").first, (5, 5)) == ["discard"]
    glowed = drag(page, tile, (5, 5))
    assert "discard" in glowed and any(name.startswith("line-") for name in glowed)
    assert not glowing(page) and page.url == before
    name = tile.get_attribute("data-tile")
    where = """action => {
        const ghost = document.querySelector(`[data-ghost="${action}"]`);
        ghost.removeAttribute("hidden");
        const { x, y, width, height } = ghost.getBoundingClientRect();
        ghost.setAttribute("hidden", "");
        return [x + width / 2, y + height / 2]; }"""
    action = next(place for place in glowed if place.startswith("line-")).removeprefix("line-")
    turn(page, lambda: drag(page, tile, page.evaluate(where, action)))
    assert f"You play [{name[0]}:{name[1]}]" in spoken(page)


@pytest.mark.parametrize("game", GAMES)
def test_tiles_are_dragged_in_every_game(game, opened):
    page = opened(f"game={game}")
    if page.locator(".zone").count():
        drag(page, page.locator(".hand button").first, page.locator(".zone").last)
        assert page.locator(".zone").last.locator("button").count() == 1
        return
    drag(page, tiles_in_hand(page).first, page.locator(".centre"))
    page.wait_for_timeout(100)
    assert page.locator(".chosen").count() or page.url.count("moves=")


def test_first_tile_is_offered_both_ways_round(visited):
    page = visited("/table?seed=5&seat=0&with=greedy&game=jie-long&o.players=2")
    page.locator(".hand button.live").first.wait_for()
    tile = page.locator(
        ".hand button.live[data-tile='65'], .hand button.live[data-tile='64'], .hand button.live[data-tile='61']"
    ).first
    assert len([place for place in drag(page, tile, (5, 5)) if place.startswith("line-")]) == 2


def test_several_tiles_are_played_together_and_their_class_named(visited):
    page = visited("/table?game=tien-gow&seed=15&seat=0&with=greedy")
    page.locator(".hand button.live").first.wait_for()
    said, play = page.locator(".say"), page.locator(".bar .choices .main")
    for tile in page.locator(".hand button[data-tile='22']").all():
        tile.click()
    assert said.text_content() == "a pair of civil tiles" and play.is_enabled()
    tiles_in_hand(page).first.click()
    assert said.text_content() == "These tiles cannot be played together." and play.is_disabled()
    tiles_in_hand(page).first.click()
    turn(page, play.click)
    assert "You lead [2:2][2:2]" in spoken(page)


def test_tiles_are_discarded_together_in_any_order(visited):
    page = visited("/table?game=tien-gow&seed=6&seat=0&with=greedy")
    page.locator(".hand button.live").first.wait_for()
    tiles, discard = tiles_in_hand(page), page.locator(".bar .choices .throw")
    tiles.first.click()  # the tile that must be discarded last
    assert discard.is_disabled()
    tiles.last.click()
    turn(page, discard.click)
    assert "You discard 2 of 2 tiles" in spoken(page)


def test_hand_is_sorted_otherwise_by_one_key_and_back(opened):
    page = opened("game=tien-gow")

    def hand():
        return page.locator(".hand button").evaluate_all("tiles => tiles.map((tile) => tile.dataset.tile)")

    ranked, civil = hand(), ["66", "11", "44", "31", "55", "33", "22", "65", "64", "61", "51"]
    places = [civil.index(tile) if tile in civil else len(civil) for tile in ranked]
    assert places == sorted(places) and len(set(places)) > 2
    page.keyboard.press("s")
    assert sorted(hand()) == sorted(ranked) != hand()
    pips = [int(tile[0]) + int(tile[1]) for tile in hand()]
    assert pips == sorted(pips, reverse=True)
    turn(page, lambda: page.locator(".moves button").first.evaluate("button => button.click()"))
    assert page.locator("[data-key=s]").get_attribute("aria-pressed") == "true"
    page.keyboard.press("s")
    assert [tile for tile in ranked if tile in hand()] == hand()


def test_groups_show_whether_they_match_and_splits_on_request(opened):
    page = opened("game=da-ling")
    zone = page.locator(".zone[data-name=single]")
    assert not page.locator(".moves button:visible").count()
    page.locator(".hand button").first.click()
    assert zone.get_attribute("data-makes") in ("no match", "matches: stake 3")
    page.get_by_text("List all 60 splits").click()
    assert page.locator(".moves button:visible").count() == 60


def test_game_is_saved_as_a_record(opened, tmp_path):
    page = opened("game=pai-gow")
    turn(page, lambda: page.locator(".moves button").first.evaluate("button => button.click()"))
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save it to a file").click()
    saving.value.save_as(tmp_path / "game.jsonl")
    (record,) = read_games(tmp_path / "game.jsonl")
    assert record.game.id == "pai-gow" and saving.value.suggested_filename == "pai-gow-5.jsonl"
