"""Whole games in a real browser, by clicks and by keys; it runs where Playwright and a Chromium are."""

import shutil
import threading

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("playwright.sync_api", reason="there is no Playwright: no browser test")

import uvicorn
from playwright import sync_api as playwright

from gupai_app.web.app import create_app
from gupai_app.web.serve import bound
from gupai_env.games import GAMES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: no browser test")
DESKTOP, PHONE = {"width": 1280, "height": 850}, {"width": 390, "height": 844}
MOST_TURNS = 80


@pytest.fixture(scope="module")
def address():
    """A server of the pages."""
    found = bound("127.0.0.1", None)
    server = uvicorn.Server(uvicorn.Config(create_app(), log_level="warning"))
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
def opened(browser, address):
    """Open tables; at the end nothing may have gone wrong in any of them."""
    wrong, contexts = [], []

    def table(query, size=DESKTOP, scheme="dark"):
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
        page.goto(f"{address}/table?seed=5&seat=0&with=greedy&{query}")
        return page

    yield table
    for context in contexts:
        context.close()
    assert not wrong


def over(page):
    return page.get_by_role("heading", name="The game is over").count() > 0


def go_on(page):
    """Leave the count of a deal."""
    if page.locator("#on").is_visible():
        page.locator("#on").click()


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", GAMES)
def test_a_game_by_clicks(game, size, scheme, opened):
    page = opened(f"game={game}", size, scheme)
    for _ in range(MOST_TURNS):
        go_on(page)
        if over(page):
            break
        tile = page.locator("svg.stage:not(.past):visible button.tile").first
        before = page.url
        if tile.count():
            tile.click()
            menu = page.locator(".menu:popover-open button")
            if menu.count():
                menu.first.click()
        else:
            page.locator(".choices button:visible").first.click()
        page.wait_for_url(lambda url, before=before: url != before)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # nothing is cut off
    assert over(page)


def test_a_game_by_keys(opened):
    page = opened("game=jie-long")
    for turn in range(MOST_TURNS):
        if over(page):
            break
        before = page.url
        page.keyboard.press("1" if turn % 2 else "ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, before=before: url != before)
    assert over(page)


def test_a_split_is_made_by_dragging_tiles_into_groups(opened):
    page = opened("game=da-ling")
    done = page.get_by_role("button", name="Play this split")
    for group, number in (("single", 1), ("pair", 2), ("triple", 3)):
        assert done.is_disabled()
        for _ in range(number):
            page.locator(".zone[data-name=hand] .piece").first.drag_to(
                page.locator(f".zone[data-name={group}]")
            )
    before = page.url
    done.click()
    page.wait_for_url(lambda url: url != before)


def test_the_back_button_and_a_double_click(opened):
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


def test_a_game_is_looked_at_by_its_moves(opened):
    page = opened("game=da-ling")
    before = page.url
    page.locator(".choices button").first.click()
    page.wait_for_url(lambda url: url != before)
    go_on(page)
    page.get_by_role("link", name="Look back at it").click()
    page.get_by_role("button", name="Look at every decision").click()
    page.wait_for_selector(".why", state="attached")
    assert page.locator(".why:visible").count() == 1
    page.keyboard.press("End")
    assert page.locator(".why:visible").count() == 0
