"""Firefox for tests, driven by its own protocol, Marionette: Playwright drives no Firefox but its own builds.

https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html: a message is its length, a colon and JSON.
"""

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
WAIT = 120  # seconds for an answer
SETTINGS = {"browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False}


class Firefox:
    """A window."""

    def __init__(self, port: int) -> None:
        self._socket = connected(port)
        self._file, self._asked = self._socket.makefile("rb"), 0
        self._read()  # what it is
        self.call("WebDriver:NewSession", {})
        self.call("WebDriver:SetTimeouts", {"script": 1000 * WAIT})

    def _read(self) -> Any:
        length = b""
        while (digit := self._file.read(1)) != b":":
            if not digit:
                raise EOFError("Firefox has ended")
            length += digit
        return json.loads(self._file.read(int(length)))

    def call(self, command: str, given: dict[str, Any]) -> Any:
        """Return what a command answers; raises RuntimeError with what Firefox says is wrong."""
        self._asked += 1
        message = json.dumps([0, self._asked, command, given]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, problem, answer = self._read()
        if problem:
            raise RuntimeError(problem["message"])
        return answer

    def goto(self, address: str) -> None:
        """Open an address; an address that differs only in its fragment does not load the file again."""
        self.call("WebDriver:Navigate", {"url": address})

    def set_size(self, width: int, height: int) -> None:
        """Set the size of what a page may fill, in pixels."""
        self.call("WebDriver:SetWindowRect", {"width": width, "height": height})
        inner = self.evaluate("() => [innerWidth, innerHeight]")
        self.call("WebDriver:SetWindowRect", {"width": 2 * width - inner[0], "height": 2 * height - inner[1]})

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """Return what a function of the page returns, which may be a promise."""
        script = (
            f"const [given, done] = arguments; Promise.resolve(({function})(given)).then(done, (problem) => done(`"
            "${problem}`))"
        )
        return self.call("WebDriver:ExecuteAsyncScript", {"script": script, "args": [argument]})["value"]


def connected(port: int) -> socket.socket:
    """Return a connection to a Firefox that is starting; raises TimeoutError."""
    for _ in range(10 * WAIT):
        try:
            connection = socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
            continue
        connection.settimeout(WAIT)
        return connection
    raise TimeoutError(f"Firefox does not listen at port {port}")


@contextmanager
def firefox(**settings: Any) -> Iterator[Firefox]:
    """Start Firefox, and end it at the end.

    Args:
        settings: More of its preferences, with "_" for ".".
    """
    assert PROGRAM
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    more = {name.replace("_", "."): value for name, value in settings.items()}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = {**SETTINGS, "marionette.port": port, **more}
        text = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in lines.items())
        Path(profile, "user.js").write_text(text, encoding="utf-8")
        command = [PROGRAM, "--headless", "--no-remote", "--marionette", "--profile", profile]
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield Firefox(port)
        finally:
            program.kill()
            program.wait(30)
