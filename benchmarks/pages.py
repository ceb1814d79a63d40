"""How soon pages answer on a slow machine: python -m benchmarks.pages, two minutes or less.

A server of its own, with nothing compiled beforehand, is visited by a Chromium whose processor is slowed down. Of each
page it says when its first byte came and when it was drawn, and of clicks on it how long the browser worked until the
first change was drawn; it fails where one took longer than it may. Playwright and a Chromium are needed
(docs/CONTRIBUTING.md).
"""

import argparse
import json
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
SETTLED = "main:not(.replaying, .busy, :has([aria-busy])) .stage"
# Marks when the first change after a click is on the screen.
WATCH = """() => {
  let clicked = false;
  addEventListener("pointerdown", () => { clicked = true; }, true);
  const change = () => { if (clicked) requestAnimationFrame(() => setTimeout(() => performance.mark("life"))); };
  new MutationObserver(change).observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener("toggle", change, true);
}"""
TRACED = ["blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline"]
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
    """Click the first few things of a table; yield what each is, and how long the page worked until something changed.

    This is processor time of the thread that draws, in milliseconds: what else runs on the machine does not count.
    """
    browser = page.context.browser
    page.locator(SETTLED).wait_for()
    page.evaluate(WATCH)
    for number in range(most):
        thing = page.locator(CLICKED).nth(number)
        if not thing.count() or not thing.is_visible():
            continue
        name = " ".join((thing.get_attribute("aria-label") or thing.inner_text()).split())[:40]
        browser.start_tracing(page=page, categories=TRACED)
        thing.click(force=True, no_wait_after=True)
        page.wait_for_timeout(500)
        yield name, work_until_life(json.loads(browser.stop_tracing())["traceEvents"])
        page.locator(SETTLED).wait_for()


def work_until_life(events: list[dict[str, Any]]) -> float:
    """Return how long a page worked from a click to the first change on the screen, infinite without one."""
    begin = min(event["ts"] for event in events if event.get("args", {}).get("data", {}).get("type") == "pointerdown")
    marks = [event for event in events if event["name"] == "life"]
    if not marks:
        return float("inf")
    life = min(marks, key=lambda event: event["ts"])
    thread = life["pid"], life["tid"]
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) == thread]
    meanwhile = [task for task in tasks if begin < task["ts"] + task["dur"] and task["ts"] < life["ts"]]
    return sum(task["tdur"] for task in meanwhile) / 1000


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
        protocol = page.context.new_cdp_session(page)
        for path in arguments.paths:
            protocol.send("Emulation.setCPUThrottlingRate", {"rate": arguments.slower})
            page.goto("about:blank")  # a page that waits would come again meanwhile
            page.goto(address + path)
            for answer in ("", " when it is ready"):
                first, drawn = page.evaluate(TIMES)
                slow += [f"{path}{answer}: first byte after {first:.0f} ms"] * (first > FIRST_BYTE)
                print(f"{path}{answer}: first byte {first:.0f} ms, drawn {drawn:.0f} ms", flush=True)
                if not page.locator(WAITS).count():
                    break
                page.locator(WAITS).wait_for(state="detached")
            protocol.send("Emulation.setCPUThrottlingRate", {"rate": 1})
            for name, work in clicks(page, arguments.clicks) if path.startswith("/table") else ():
                life = arguments.slower * work
                slow += [f"{path}: {life:.0f} ms after a click on {name!r}"] * (life > LIFE)
                print(f"    {name!r}: {life:.0f} ms")
        browser.close()
    load = os.getloadavg()[0]
    print(f"{len(arguments.paths)} pages, load {load:.1f}:", "; ".join(slow) or "all in time")
    raise SystemExit(bool(slow))


if __name__ == "__main__":
    main()
