"""How soon pages answer on a slow machine: python -m benchmarks.pages, two minutes or less.

A server of its own, with nothing compiled beforehand, is visited by a Chromium whose processor is slowed down. Of each
page it says when its first byte came and when it was drawn, and of clicks on it when the first change was drawn after
each; it fails where one took longer than it may. Playwright and a Chromium are needed (docs/CONTRIBUTING.md).
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gupai_env.games import GAMES

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")
FIRST_BYTE, LIFE = 300, 100  # milliseconds
SEED = "seed=5&seat=0&with=greedy"
READ = [
    "/", "/kept", "/kept/statistics", "/kept/puzzles", "/review", "/claims", "/claim/jl-attack-2", "/tournaments",
    "/tournaments/jie-long", "/runs", "/recorded/jl-attack-2",
    *(f"/{page}/{game}" for game in GAMES for page in ("game", "rules")),
]  # fmt: skip
TABLES = [f"/table?game={game}&{SEED}" for game in GAMES]
WAITS = "meta[http-equiv=refresh]"
CLICKED = ".hand button.tile, .bar .choices button:enabled, .bar .tools button:enabled, summary"
# Notes when the first change after a click is on the screen, in milliseconds after the event.
WATCH = """() => {
  window.life = null;
  let clicked = 0;
  addEventListener("pointerdown", (event) => { clicked = event.timeStamp; window.life = null; }, true);
  const change = () => { if (clicked && window.life === null) requestAnimationFrame(() => setTimeout(() => {
    window.life ??= performance.now() - clicked; }, 0)); };
  new MutationObserver(change).observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener("toggle", change, true);
}"""
TIMES = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const drawn = performance.getEntriesByName("first-contentful-paint")[0];
  return [page.responseStart - page.requestStart, drawn ? drawn.startTime : 0];
}"""


@contextmanager
def serving() -> Iterator[str]:
    """Have a server that finds nothing compiled, with no games, runs or tournaments; return its address."""
    with tempfile.TemporaryDirectory() as folder:
        room = {"GUPAI_HOME": folder, "NUMBA_CACHE_DIR": f"{folder}/code"}
        words = ["-c", "from gupai_app.shell.cli import main; main()", "web", "--no-browser"]
        words += ["--runs", f"{folder}/runs", "--tournaments", f"{folder}/tournaments"]
        server = subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.PIPE, text=True, env={**os.environ, **room}
        )
        try:
            assert server.stdout is not None
            yield ADDRESS.search(server.stdout.readline())[0].rstrip("/")  # type: ignore[index]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def clicks(page: Any, most: int) -> Iterator[tuple[str, float]]:
    """Click the first few things of a table; yield what each is, and after how long something changed on the screen."""
    page.locator("main:not(.replaying, .busy) .stage").wait_for()
    page.evaluate(WATCH)
    for number in range(most):
        thing = page.locator(CLICKED).nth(number)
        if not thing.count() or not thing.is_visible():
            continue
        name = " ".join((thing.get_attribute("aria-label") or thing.inner_text()).split())[:40]
        thing.click(force=True, no_wait_after=True)
        page.wait_for_timeout(400)
        life = page.evaluate("window.life")
        yield name, float("inf") if life is None else life
        page.locator("main:not(.replaying, .busy) .stage").wait_for()


def main() -> None:
    """Measure all pages; exits with 1 where one is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", default=READ + TABLES, help="of pages (default: every kind)")
    parser.add_argument("--slower", type=float, default=4, help="by which the processor of the browser is slowed down")
    parser.add_argument("--clicks", type=int, default=6, help="on each table")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright  # type: ignore[import-not-found]

    slow = []
    with serving() as address, sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(120_000)
        throttle = page.context.new_cdp_session(page)
        throttle.send("Emulation.setCPUThrottlingRate", {"rate": arguments.slower})
        for path in arguments.paths:
            page.goto("about:blank")  # a page that waits would come again meanwhile
            page.goto(address + path)
            for answer in ("", " when it is ready"):
                first, drawn = page.evaluate(TIMES)
                slow += [f"{path}{answer}: first byte after {first:.0f} ms"] * (first > FIRST_BYTE)
                print(f"{path}{answer}: first byte {first:.0f} ms, drawn {drawn:.0f} ms", flush=True)
                if not page.locator(WAITS).count():
                    break
                page.locator(WAITS).wait_for(state="detached")
            for name, life in clicks(page, arguments.clicks) if path.startswith("/table") else ():
                slow += [f"{path}: {life:.0f} ms after a click on {name!r}"] * (life > LIFE)
                print(f"    {name!r}: {life:.0f} ms")
        browser.close()
    load = os.getloadavg()[0]
    print(f"{len(arguments.paths)} pages, load {load:.1f}:", "; ".join(slow) or "all in time")
    raise SystemExit(bool(slow))


if __name__ == "__main__":
    main()
