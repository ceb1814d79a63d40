"""`gupai web`: the server of the pages on this machine."""

import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import uvicorn
from uvicorn.server import HANDLED_SIGNALS

from gupai_app.kept.store import Store
from gupai_app.server.app import create_app
from gupai_app.server.safety import MOST_QUERY
from gupai_app.shell.language import worded
from gupai_env.words.checks import short_repr

PORT = 8420  # the first that is tried where none is named
TRIED = 50
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # an empty host binds there too


class Server(uvicorn.Server):
    """A server that signals end, except those that were ignored when it was made, as under nohup."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ignored = {number for number in HANDLED_SIGNALS if signal.getsignal(number) is signal.SIG_IGN}

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the server, at the second signal without waiting for answers under way."""
        if sig not in self._ignored:
            super().handle_exit(sig, frame)


def bound(host: str, port: int | None) -> socket.socket:
    """Return a socket at a port, by default the first free one from PORT on.

    Raises:
        OSError: For a port that is not free.
        ValueError: For all addresses at once: pages answer only to the name or address they were given.
    """
    first = PORT if port is None else port
    for number in range(first, first + (TRIED if port is None else 1)):
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            if listener.getsockname()[0] in EVERYWHERE:
                listener.close()
                raise ValueError(f"--host {short_repr(host)}: name one address of this machine, not all of them")
            listener.listen(64)
        except OSError as error:
            listener.close()
            failure = error
        else:
            return listener
    raise OSError(f"no page can be served at {host} port {first}: {failure.strerror or failure}")


def serve(
    port: int | None = None,
    host: str = LOOPBACK,
    *,
    browser: bool = True,
    runs: str = "runs",
    tournaments: str = "tournaments",
    agents: Sequence[str] = (),
) -> None:
    """Serve the pages until ctrl-C.

    Args:
        runs, tournaments: Folders of training runs and of tournaments; the second is made when one is played.
        agents: Texts of more players that pages may name.

    Raises:
        OSError: If there is no free port, or the named one is not free.
        ValueError: As `bound` and `create_app`.
    """
    listener, folders = bound(host, port), {"runs": Path(runs), "tournaments": Path(tournaments)}
    number = listener.getsockname()[1]
    host_text = f"[{host}]" if ":" in host else host
    address = f"http://{host_text}:{number}/"
    print(worded("gupai is at {address} (ctrl-C ends it)", address=address), flush=True)
    config = uvicorn.Config(
        create_app((host_text.lower(),), agents=agents, games=Store(), warm=True, **folders),
        log_level="warning",
        server_header=False,
        h11_max_incomplete_event_size=MOST_QUERY + 16_384,
        http="h11",
        ws="none",
    )
    server = Server(config)
    if browser:
        threading.Thread(target=_open, args=(server, address), daemon=True).start()
    server.run([listener])


def _open(server: uvicorn.Server, address: str) -> None:
    """Open the browser as soon as the server answers."""
    for _ in range(200):
        if server.started:
            webbrowser.open(address)
            return
        time.sleep(0.05)
