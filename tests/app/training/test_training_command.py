"""The command `gupai train`: a run that cannot begin is refused in one line."""

import os
import subprocess
import sys

import pytest

from checkout import ROOT
from commands import refusal


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "CONFIG is empty"),
        ("chess", "chess: there is no such configuration, and 'chess' is not a game"),
        ("/no/such/file.yaml", "/no/such/file.yaml: there is no such configuration"),
        (".", ".: this is not a file; a configuration is"),
        ("/dev/zero", "/dev/zero: this is not a file; a configuration is"),
        ("a\nb", "a b: there is no such configuration"),
    ],
)
def test_invalid_configuration_is_refused_in_one_line(tmp_path, source, said):
    assert refusal(tmp_path, source).startswith(said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--resume", ""], "--resume is empty"),
        (["--resume", "/no/such/run"], "/no/such/run: this is not the folder of a run: it holds no config.yaml"),
        (["--resume", str(ROOT)], f"{ROOT}: this is not the folder of a run"),
        (["--resume", str(ROOT / "README.md")], f"{ROOT / 'README.md'}: this is not the folder of a run"),
        (["jie-long", "--resume", "runs/a"], "name a configuration, or a run to resume"),
        (["--resume", "runs/a", "--set", "seed=2"], "--set cannot be combined with --resume"),
        ([], "name a configuration, or a run to resume"),
    ],
)
def test_invalid_run_is_refused_in_one_line(tmp_path, words, said):
    assert refusal(tmp_path, *words).startswith(said)


def test_unsaved_run_is_refused_in_one_line(tmp_path):
    (tmp_path / "config.yaml").write_text("game: jie-long")
    assert "nothing was saved there to resume" in refusal(tmp_path, "--resume", str(tmp_path))


def test_mistake_is_reported_without_torch(tmp_path):
    program = (
        "import sys; from gupai_app.shell.cli import main\n"
        "sys.argv = ['gupai', 'train', 'jie-long', '--set', 'device=gpu']\n"
        "try: main()\n"
        "finally: print('torch' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=120,
    )
    assert (result.returncode, result.stdout.strip()) == (2, "False"), result.stderr
    assert result.stderr.count("\n") == 1
