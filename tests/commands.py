"""Commands of `gupai` in the process of the tests."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from gupai_app.shell.cli import app


def gupai(*words: object, **options: Any) -> Result:
    """Run the command with these words; `input` is what is typed, `env` what else the environment holds."""
    return CliRunner().invoke(app, list(map(str, words)), **options)


def answer(*words: object, **options: Any) -> str:
    """What a command prints that succeeds."""
    result = gupai(*words, **options)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def run_claim(*words: object) -> Result:
    """Test claims by the command."""
    return gupai("claim", "run", *words)


def refusal(folder: Path, *words: object) -> str:
    """Return the line with which `gupai train` refuses its words; it must be one, and leave nothing behind."""

    def begin(*_: object) -> None:
        raise AssertionError("this was not refused")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gupai_training.run.Run.begin", begin)
        result = gupai("train", *words, "--runs", folder / "runs")
    assert result.exit_code == 2, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("gupai: ")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 1000 or "checkpoint:" in str(words[-1])  # the path is said whole
    assert not (folder / "runs").exists()
    return result.stderr.removeprefix("gupai: ")
