"""The documentation builds into a site without a warning, and the notebook runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "examples" / "first_look.ipynb"
PACKAGES = os.pathsep.join([*(str(ROOT / folder) for folder in ("", "agents", "training")), *filter(None, sys.path)])


@pytest.mark.long
def test_the_site_is_built_without_a_warning_and_without_the_net(tmp_path):
    for name in ("sphinx", "furo", "myst_parser"):
        pytest.importorskip(name, reason=f"there is no {name}: the site is not built (pip install 'gupai[docs]')")
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", tmp_path / "kept"]
    built = subprocess.run([*words, ROOT / "docs", tmp_path / "site"], capture_output=True, text=True, timeout=300)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "games" / "jie-long.html").read_text(encoding="utf-8")
    for heading in (
        "How it is played",
        "Observation",
        "Actions",
        "Rewards",
        "Options",
        "An annotated deal",
        "Version history",
    ):
        assert f">{heading}<" in page
    fetched = [part.split('"')[0] for part in page.replace('src="', 'href="').split('href="')[1:]]
    assert not [each for each in fetched if each.endswith((".css", ".js", ".woff2")) and "//" in each]
    reference = (tmp_path / "site" / "reference" / "environments.html").read_text(encoding="utf-8")
    assert 'id="gupai_env.make_vec"' in reference


def test_the_notebook_runs(monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="there is no nbclient: the notebook is not run")
    pytest.importorskip("ipykernel", reason="there is no ipykernel: the notebook is not run")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    monkeypatch.setenv("PYTHONPATH", PACKAGES)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
    printed = "".join(output.get("text", "") for output in outputs)
    assert "random   +" in printed  # the learner wins
    assert "SUPPORTED - The trait gains" in printed
