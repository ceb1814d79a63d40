"""Commands of `gupai` in the process of the tests."""

from typing import Any

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
