"""How large and how fast the file of a game is: `python -m benchmarks.page [GAME ...]`.

Each game is written as `gupai page` does, opened from the disk and played to its end, with hints, in Chromium and in
Firefox. What a phone four times as slow would take is four times the processor time of Chromium's worker, in which
rules, players and searches run; the throttle of Chromium's own tools does not reach workers. Fails where a bound does
not hold.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from gupai_app.page.file import page_of
from gupai_env.core.game import Game
from gupai_env.games import GAMES, get_game

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from firefox import PROGRAM, firefox

SLOWER = 4  # a phone, than one core of this machine
MOST = {"first": 300_000, "all": 1_500_000, "move": 50, "values": 300}  # bytes, and milliseconds
LEAST = {"playouts": 200}  # in a second
SEED, HINTS, WARM = 5, 3, 5  # seconds that a person thinks before the first move
READY = """() => new Promise((resolve) => {
  const settled = () => document.querySelector("main:not(.busy) :is(.stage, .wrong)");
  const look = () => (settled() ? resolve() : setTimeout(look, 5));
  look();
})"""
OVER = "() => Boolean(document.querySelector('.over, .wrong'))"
PLAY = "() => document.querySelector('.moves button').click()"
HINT = "() => document.querySelector('.tools [data-key=h]')?.click()"
SHOWN = "() => Boolean(document.querySelector('#hint'))"
REFINED = READY.replace("main:not(.busy) :is(.stage, .wrong)", "main:not(:has([aria-busy]))")
DEALS = "() => Number(/in ([0-9]+) deals/.exec(document.querySelector('#hint')?.textContent)?.[1] ?? 0)"
END = "() => document.querySelector('.over .winner, .wrong').textContent"


def parent_of(process: str) -> str:
    """Return the process that started another, "" if that has ended."""
    with suppress(OSError):
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[1]
    return ""


def worker_time() -> float:
    """Return the processor time of the workers of a Chromium that this program has started, in milliseconds."""
    spent = 0.0
    for task in Path("/proc").glob("[0-9]*/task/*"):
        with suppress(OSError):
            if task.joinpath("comm").read_text().startswith("DedicatedWorker"):
                above = task.parts[2]
                while above and above != str(os.getpid()):
                    above = parent_of(above)
                if above:
                    spent += int(task.joinpath("schedstat").read_text().split()[0]) / 1e6
    return spent


@contextmanager
def chromium() -> Iterator[Page]:
    """Start Chromium with one tab."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser.new_page(reduced_motion="reduce")
        browser.close()


def played(tab: Any, address: str) -> str:
    """Play a game with the first move of every list; return how it ended."""
    tab.goto(address)
    tab.evaluate(READY)
    while not tab.evaluate(OVER):
        tab.evaluate(PLAY)
        tab.evaluate(READY)
    return str(tab.evaluate(END))


def measured(tab: Page, address: str) -> dict[str, float]:
    """Play a game in Chromium, with all hints for every fourth move; return figures of a slow phone.

    move: milliseconds of the slowest answer to a move. values: until the slowest step of a hint is shown. playouts: of
    every move in a second of the slowest search.
    """
    tab.goto(address)
    tab.evaluate(READY)
    time.sleep(WARM)
    most, moves, rates = {"move": 0.0, "values": 0.0}, 0, []
    while not tab.evaluate(OVER):
        begun = worker_time()
        for _ in range(HINTS if moves % 4 == 0 else 0):
            begin = worker_time()
            tab.evaluate(HINT)
            tab.evaluate(READY)
            most["values"] = max(most["values"], SLOWER * (worker_time() - begin) * tab.evaluate(SHOWN))
            tab.evaluate(REFINED)
        if spent := worker_time() - begun:  # else nothing was asked
            rates += [1000 * tab.evaluate(DEALS) / SLOWER / spent]
        begin = worker_time()
        tab.evaluate(PLAY)
        tab.evaluate(READY)
        most["move"] = max(most["move"], SLOWER * (worker_time() - begin))
        moves += 1
    return most | {"playouts": min(filter(None, rates))}


def figures_of(game: Game, folder: Path) -> dict[str, float]:
    """Return the figures of a game, as MOST and LEAST name them; raises AssertionError if browsers play differently."""
    file, text = folder / f"{game.id}.html", page_of(game)
    file.write_text(text, encoding="utf-8")
    address = f"file://{file}#game={game.id}&seed={SEED}&seat=0&with=strong"
    with chromium() as tab:
        figures = measured(tab, address)
        end = played(tab, f"{address}&practice=0")
    if PROGRAM:
        with firefox(ui_prefersReducedMotion=1) as other:
            assert played(other, f"{address}&practice=0") == end
    first = text.partition('id="network"')[0]
    return {"first": len(first.encode()), "all": len(text.encode()), **figures}


def main() -> None:
    """Print the figures of games, and fail where one is above its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", choices=[[], *GAMES], help="default: all")
    missed = []
    for game in map(get_game, parser.parse_args().games or GAMES):
        with tempfile.TemporaryDirectory() as folder:
            figures = figures_of(game, Path(folder))
        print(f"{game.id}: " + ", ".join(f"{name} {figure:,.0f}" for name, figure in figures.items()), flush=True)
        bounds = {name: (LEAST.get(name, 0), MOST.get(name, figures[name])) for name in figures}
        missed += [f"{game.id}: {name}" for name, (low, high) in bounds.items() if not low <= figures[name] <= high]
    if missed:
        raise SystemExit(f"out of bounds: {', '.join(missed)}")


if __name__ == "__main__":
    main()
