"""How fast pages are while many people play: python -m benchmarks.web_load, a minute at most.

Clients on this machine play games against a server process of their own, each always taking the first move that its
page offers and looking at a page for `--pause` seconds on average before the next move; with `--pause 0` nobody looks,
and what is measured is the queue. Every page of a table is one move: its data, which a script draws. The
processor's time is that of the server alone, so that it says the same on a busy machine.
"""

import argparse
import http.client
import json
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from gupai_agents.play.workers import cores
from gupai_env.games import GAMES

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/")
MOST_CLIENTS, MOST_PAGES, MOST_SECONDS = 200, 10_000, 60
TICKS = os.sysconf("SC_CLK_TCK")


def get(line: http.client.HTTPConnection, query: str) -> dict:
    """Return a table as data."""
    line.request("GET", f"/document?{query}")
    answer = line.getresponse()
    text = answer.read().decode()
    if answer.status != 200:
        raise RuntimeError(f"{query}: {answer.status}")
    return json.loads(text)


def play(port: int, arguments: argparse.Namespace, client: int, pages: int, pause: float, times: list[float]) -> None:
    """Ask for so many pages, one after another, and write down what each took, in seconds."""
    line, seed, address, moves = http.client.HTTPConnection("127.0.0.1", port, timeout=60), 1000 * client, "", []
    until, draw = time.perf_counter() + arguments.seconds, random.Random(client)
    for _ in range(pages):
        time.sleep(draw.uniform(0, 2 * pause))
        seed += not moves
        query = f"{address}&play={moves[0]}" if moves else f"game={arguments.game}&seed={seed}&seat=0&with=greedy"
        begin = time.perf_counter()
        if begin > until:
            return
        table = get(line, query)
        times.append(time.perf_counter() - begin)
        address = table["address"]
        moves = [choice["action"] for move in table["moves"] for choice in move["choices"]]


def processor_seconds(process: int) -> float:
    """Return the processor's time that a process has used so far, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure(
    port: int, process: int, arguments: argparse.Namespace, clients: int, pages: int, pause: float
) -> tuple[list[float], float]:
    """Return what every page took that clients asked for at once, and the server's processor time of a page."""
    times: list[list[float]] = [[] for _ in range(clients)]
    threads = [
        threading.Thread(target=play, args=(port, arguments, client, pages, pause, times[client]))
        for client in range(clients)
    ]
    before = processor_seconds(process)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = [seconds for client in times for seconds in client]
    return took, (processor_seconds(process) - before) / max(len(took), 1)


def short_repr(took: list[float]) -> str:
    """Return median and 95th percentile in words."""
    ranked = sorted(took)
    late = ranked[int(0.95 * (len(ranked) - 1))]
    return f"median {1e3 * statistics.median(ranked):.0f} ms, 95% under {1e3 * late:.0f} ms"


def main() -> None:
    """Measure one client and many."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="jie-long", choices=list(GAMES))
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--pages", type=int, default=20, help="of each client")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a client looks at a page, on average")
    parser.add_argument("--seconds", type=float, default=30, help="after which no page is asked for")
    arguments = parser.parse_args()
    clients = min(max(arguments.clients, 1), MOST_CLIENTS)
    pages = min(max(arguments.pages, 1), MOST_PAGES // clients)
    arguments.seconds = min(max(arguments.seconds, 1.0), MOST_SECONDS)
    pause = min(max(arguments.pause, 0.0), MOST_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        words = ["-c", "from gupai_app.shell.cli import main; main()", "web", "--no-browser"]
        words += ["--runs", f"{folder}/runs", "--tournaments", f"{folder}/tournaments"]
        server = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            port = int(ADDRESS.search(server.stdout.readline())[1])  # type: ignore[index]
            measure(port, server.pid, arguments, 1, 10, 0)  # templates and machine code are loaded
            alone = measure(port, server.pid, arguments, 1, 30, 0)
            many = measure(port, server.pid, arguments, clients, pages, pause)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    print(f"{platform.machine()}, {cores()} cores, load {load}; Python {platform.python_version()}")
    for count, (took, used) in ((1, alone), (clients, many)):
        print(
            f"{arguments.game}, {count} at once, {len(took):,} pages: {short_repr(took)}; "
            f"{1e3 * used:.1f} ms of the server's processor time per page"
        )


if __name__ == "__main__":
    main()
