"""Commands in processes of their own, without the second that each start costs.

They are forked from a process that has imported all and run nothing. So their streams, signals and exit statuses are
real ones, and they inherit the threads of no test.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from multiprocessing import forkserver
from multiprocessing.reduction import DupFd
from operator import methodcaller
from typing import Any

SERVER = multiprocessing.get_context("forkserver")


def take_signals() -> dict[int, Any]:
    """Let signals do in this process, and in those that it starts, what they do at a terminal.

    They may be ignored when the tests are started: under nohup, by some runners, and as a background job of a shell.
    Returns: what they did before, for `signal.signal`.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):  # Windows has none
        handlers[signal.SIGHUP] = signal.SIG_DFL
    return {number: signal.signal(number, handler) for number, handler in handlers.items()}


def start_server() -> None:
    """Start the process that has imported all, unless it runs; workers are forked from it as well."""
    optimisers = "torch._dynamo"  # which torch imports for its first one, in two seconds
    commands = [
        "gupai_app.shell.cli",
        "gupai_app.play.terminal",
        "gupai_app.training.seeds",
        "gupai_training.run",
        "gupai_agents.evaluation",
    ]
    SERVER.set_forkserver_preload([*commands, optimisers, "compiled_at_once"])
    forkserver.ensure_running()


class Stream:
    """The number of an open file, which in the process is that of its copy there."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> tuple:
        return methodcaller("detach"), (DupFd(self.number),)


class Command:
    """`gupai` and these words, under way.

    Args:
        typed: what is typed.
        streams: open files or, if closed, None, by the number of the stream in whose place they are.
    """

    def __init__(self, *words: object, typed: str = "", streams: dict[int, int | None] | None = None) -> None:
        self.words = list(map(str, words))
        self.files = [tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(3)]  # noqa: SIM115
        self.files[0].write(typed)
        self.files[0].seek(0)
        numbers = {at: file.fileno() for at, file in enumerate(self.files)} | (streams or {})
        given = {at: number if number is None else Stream(number) for at, number in numbers.items()}
        start_server()
        self.process = SERVER.Process(target=_run, args=(self.words, given, dict(os.environ)))
        self.process.start()

    def send_signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def ends(self, timeout: float = 120) -> subprocess.CompletedProcess:
        """Wait for the end; return the exit status and what was printed."""
        self.process.join(timeout)
        if self.process.exitcode is None:
            self.process.kill()
            raise subprocess.TimeoutExpired(self.words, timeout)
        for file in self.files:
            file.seek(0)
        _, out, err = (file.read() for file in self.files)
        return subprocess.CompletedProcess(self.words, self.process.exitcode, out, err)


def _run(words: list[str], streams: dict[int, int | None], environment: dict[str, str]) -> None:
    """What the interpreter does at a start, at a terminal, and then `gupai`."""
    for number, stream in streams.items():
        if stream is None:
            os.close(number)
        else:
            os.dup2(stream, number)
            os.close(stream)
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        closed = streams[number] is None
        setattr(sys, name, None if closed else open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["gupai", *words]
    from gupai_app.__main__ import main

    take_signals()
    main()
