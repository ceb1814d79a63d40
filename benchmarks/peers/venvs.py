"""Virtual environments with the pinned packages of each library, and the programs that run in them."""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
REQUIREMENTS = Path(__file__).parent / "requirements"
LIBRARIES = {  # program -> name in the table
    "rlcard": "RLCard",
    "openspiel": "OpenSpiel",
    "pgx": "Pgx",
    "pettingzoo": "PettingZoo classic",
    "pufferlib": "PufferLib",
}
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
ANSWER_SECONDS = 240  # at most, for one figure with its compiling and its check


class LibraryError(Exception):
    """A library cannot be installed, started or stepped; the message says why, in a line."""


def interpreter(library: str, cache: Path) -> Path:
    """Return the Python of a library's virtual environment in `cache`, made again when its requirements change.

    Raises:
        LibraryError: If pip cannot install them.
    """
    folder, requirements = cache / library, REQUIREMENTS / f"{library}.txt"
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    wanted = f"# {sys.version}\n{requirements.read_text()}"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    _run(sys.executable, "-m", "venv", "--clear", str(folder))
    _run(str(python), "-m", "pip", "install", "--quiet", "--no-deps", "-r", str(requirements))
    stamp.write_text(wanted)
    return python


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise LibraryError(f"`{' '.join(command[1:4])}` failed: {_last_line(done.stderr)}")


def _last_line(text: str) -> str:
    messages = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in messages if "error" in line.lower()]
    return (errors or messages or ["it said nothing"])[-1][:300]


class Program:
    """The running program of a library; it idles while others are measured."""

    def __init__(self, name: str, python: str | Path) -> None:
        """Start the program of a library.

        Raises:
            LibraryError: If it does not start.
        """
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (kept as long as the program)
        self._process = subprocess.Popen(
            [str(python), "-m", f"benchmarks.peers.{name}_steps", "--serve"],
            cwd=ROOT,
            env=os.environ | ONE_THREAD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.rows: list[list[str]] = self._answer()["rows"]  # game, mode

    def measure(self, row: int, seconds: float) -> dict:
        """Measure a row for some seconds of processor time. Raises: LibraryError if the program dies or hangs."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # if it has died, the end of its answers says so
            print(row, seconds, file=self._process.stdin, flush=True)
        answer = self._answer()
        if [answer["game"], answer["mode"]] != self.rows[row]:
            raise LibraryError(f"it answered {answer['game']}, {answer['mode']} when asked for {self.rows[row]}")
        return answer

    def _answer(self) -> dict:
        assert self._process.stdout
        if not select.select([self._process.stdout], [], [], ANSWER_SECONDS)[0]:
            self.close()
            raise LibraryError(f"no answer within {ANSWER_SECONDS} seconds")
        line = self._process.stdout.readline()
        if not line:
            self.close()
            self._errors.seek(0)
            raise LibraryError(f"it stopped: {_last_line(self._errors.read())}")
        return json.loads(line)

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
