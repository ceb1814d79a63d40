"""The site and the notebook: `make docs` runs these after it has built the site."""

import os
import sys

import pytest

from checkout import ROOT

SITE = ROOT / "build" / "docs"
NOTEBOOK = ROOT / "examples" / "first_look.ipynb"
PACKAGES = os.pathsep.join([*(str(ROOT / folder) for folder in ("", "agents", "training")), *filter(None, sys.path)])


pytestmark = pytest.mark.site


def test_site_fetches_nothing_and_lists_the_reference():
    page = (SITE / "games" / "jie-long.html").read_text(encoding="utf-8")
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
    reference = (SITE / "reference" / "environments.html").read_text(encoding="utf-8")
    assert 'id="gupai_env.make_vec"' in reference


def test_notebook_runs(monkeypatch):
    import nbclient
    import nbformat

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    monkeypatch.setenv("PYTHONPATH", PACKAGES)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs)
    printed = "".join(output.get("text", "") for output in outputs)
    assert "random   +" in printed  # the learner wins
    assert "SUPPORTED - The trait gains" in printed
