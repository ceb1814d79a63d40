"""The pages to play at of the site: a browser installs them, keeps them, and plays them without a network."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from xml.etree import ElementTree

import pytest

pytest.importorskip("jinja2", reason="pages need gupai[web]")

from checkout import tool
from chromium import browser  # noqa: F401
from gupai_env.games import get_game
from webassembly import modules_of

GAMES = ("da-ling", "jie-long")


class Silent(SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("site") / "play"
    tool("play_pages").write_play_pages(made, [get_game(name) for name in GAMES], modules_of(*GAMES))
    return made


@pytest.fixture(scope="module")
def address(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=folder.parent)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/play/"
        server.shutdown()


@pytest.fixture
def tab(browser):  # noqa: F811
    context, problems = browser.new_context(locale="en-US"), []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    context.close()
    assert not problems


def test_front_lists_the_games_with_a_picture_that_is_well_formed(folder):
    front = (folder / "index.html").read_text(encoding="utf-8")
    size = sum(file.stat().st_size for file in folder.glob("*-*.*"))  # and pictures of tiles
    assert all(f'href="{name}.html"' in front for name in GAMES) and f"({size / 1e6:.1f} MB)" in front
    ElementTree.parse(folder / "icon.svg")


def test_front_is_installable_and_all_games_play_offline(tab, address):
    tab.goto(address)
    tab.wait_for_function("() => navigator.serviceWorker.controller")
    wrong = tab.context.new_cdp_session(tab).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in wrong} <= {"in-incognito"}  # as are all windows of these tests
    tab.click("#keep")
    tab.wait_for_function("() => document.querySelector('#kept').textContent.startsWith('All games are kept')")
    tab.context.set_offline(True)
    tab.reload()
    tab.click("text=Da Ling")
    tab.wait_for_selector(".stage")
    assert tab.locator(".moves button").count()


def test_page_that_was_opened_once_opens_without_a_network(tab, address):
    tab.goto(address)
    tab.wait_for_function("() => navigator.serviceWorker.controller")
    tab.goto(f"{address}da-ling.html")
    tab.wait_for_selector(".stage")
    tab.wait_for_function("() => caches.open('gupai-play').then((store) => store.match(location.href.split('#')[0]))")
    tab.context.set_offline(True)
    tab.goto(f"{address}da-ling.html#game=da-ling&seed=8&seat=0&with=easy")
    tab.reload()
    tab.wait_for_selector(".stage")
    tab.goto(f"{address}index.html")
    tab.wait_for_selector("#keep")  # for the other game is not there yet


FULL = "Cache.prototype.{} = () => Promise.reject(new DOMException('no room is left', 'QuotaExceededError'));"


def test_full_storage_is_told_and_pages_open_all_the_same(tab, address):
    tab.add_init_script(FULL.format("addAll"))
    tab.goto(address)
    tab.wait_for_function("() => navigator.serviceWorker.controller")
    tab.click("#keep")
    tab.wait_for_function("() => document.querySelector('#kept').textContent.includes('no room is left')")
    assert tab.locator("#keep").is_enabled()


def test_forbidden_storage_leaves_a_front_from_which_games_are_played(tab, address):
    tab.add_init_script("Object.defineProperty(window, 'caches', { get() { throw new DOMException('forbidden'); } });")
    tab.goto(address)
    tab.click("text=Da Ling")
    tab.wait_for_selector(".stage")
