"""The commands of the documents run: every line of a shell block, as it is printed but for the size of some.

A line that begins as one of `LEFT_OUT` is not run here, for the reason given; whatever else stands in a block is.
`SMALLER` are words added to others, of which the last counts, so that they play less.
"""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gupai_app.cli import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LEFT_OUT = {
    "make ": "installs and takes minutes; CI runs `make test`",
    "pip install ": "installs",
    "ray ": "starts a cluster or looks at one; test_workers.py starts one",
    "gupai train ": "takes minutes; test_training.py trains",
    "gupai compare-runs ": "needs runs; test_trained.py",
    "gupai replay ": "needs recorded games; test_records.py",
    "gupai export-dataset ": "needs recorded games; test_arrays.py",
    "gupai discover ": "takes minutes; test_ablation.py discovers less",
    "gupai claim run jl-attack-2 --optimise": "takes minutes; test_ablation.py",
    "gupai bench": "measures or plays for more than a minute; test_benchmarks.py and test_suite.py do less",
    "gupai verify ": "needs a card; test_suite.py verifies some",
    "gupai warm": "compiles all games for minutes; test_web_warmer.py compiles one",
    "python -m benchmarks.": "measures or trains for minutes; test_benchmarks.py and test_learning_tiny.py do less",
    "python benchmarks/c/run.py ": "compiles C; test_benchmarks.py does",
    "python -m build": "test_release.py builds the wheel",
    "python examples/": "takes minutes or an environment of its own; test_clients.py",
    "python -m pytest ": "runs the tests",
}
SMALLER = {
    "gupai tune ": "--seconds 1",
    "gupai best-response ": "--generations 2 --candidate-deals 20 --deals 20 --playouts 5 --minutes 0",
    "gupai tournament jie-long random greedy variety": "--deals 50",
    "gupai tournament jie-long variety greedy random": "--deals 50",
    "gupai record jie-long best tuned": "--deals 10",
    "gupai exploitability pai-gow -o deck=full": "-o deck=tiny",  # test_all_hands.py takes the whole deck
    "gupai exploitability pai-gow -o deck=full --solve": "--rounds 3",
    "gupai claim run jl-attack-2 --dry": "--no-masters",
    "gupai claim run jl-attack-2 --deals": "--deals 20 --no-masters",
    "gupai claim run jl-attack-2 --s": "--deals 20 --no-masters",
}
NEEDS_A_RUN = "checkpoint:runs/"  # what `gupai train` would have written
NEEDS_A_CLUSTER = "--ray"  # test_workers.py


def commands() -> list[str]:
    """The lines of shell blocks without comments, of those with output what follows `$`; a backslash joins lines."""
    found = [each for page in PAGES for each in re.findall(r"```(sh|console)\n(.*?)```", page.read_text("utf-8"), re.S)]
    shown = ["".join(re.findall(r"^\$ (.*\n)", block, re.M)) if kind == "console" else block for kind, block in found]
    lines = "".join(shown).replace("\\\n", " ").splitlines()
    return [shlex.join(words) for line in lines if (words := shlex.split(line, comments=True))]


def commands_in_sentences() -> list[str]:
    """The commands in backquotes of pages, claims, configurations and code, but for placeholders such as COMMAND."""
    code = [
        file for folder in ("gupai_env", "agents", "training", "gupai_app") for file in ROOT.glob(f"{folder}/**/*.py")
    ]
    texts = [*PAGES, *ROOT.glob("configs/**/*.yaml"), *code]
    found = {each for text in texts for each in re.findall(r"`(gupai [a-z][^`\n{]*)`", text.read_text("utf-8"))}
    return sorted(each for each in found if each.split()[1].replace("-", "").islower())


def why_left_out(command: str) -> str | None:
    found = [why for start, why in LEFT_OUT.items() if command.startswith(start)]
    needs = [what for what in (NEEDS_A_RUN, NEEDS_A_CLUSTER) if what in command]
    return found[0] if found else f"needs {needs[0]}" if needs else None


RUN = [command for command in dict.fromkeys(commands()) if why_left_out(command) is None]


@pytest.mark.parametrize("command", RUN)
def test_a_command_of_the_documents_runs(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gupai_app.tune.TRIED", 50)  # deals against each player: `best` takes long over 5,000
    program, *words = shlex.split(command)
    assert program == "gupai"
    less = [more for start, more in SMALLER.items() if command.startswith(start)]
    done = CliRunner().invoke(app, [*words, *" ".join(less).split()])  # who is asked for a move leaves the table
    assert done.exit_code == 0, done.output
    assert done.stdout.strip()
    assert not re.search(r"(?<![\w.])-0\.0+(?!\w|\.\d)", done.stdout), "a negative zero"


def test_nothing_is_left_out_that_no_document_says():
    assert all(any(command.startswith(start) for command in commands()) for start in (*LEFT_OUT, *SMALLER))
    assert len(RUN) >= 4


def test_the_options_that_the_documents_name_exist():
    """Also those of commands that are left out, and within sentences: `gupai COMMAND --help` knows them."""
    named = {}
    for command in [*commands(), *commands_in_sentences()]:
        program, *words = shlex.split(command)
        if program == "gupai":
            name = " ".join(words[: 2 if words[0] == "claim" else 1])
            named.setdefault(name, set()).update(word for word in words if word.startswith("--"))
    for name, options in named.items():
        shown = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*name.split(), "--help"])
        assert shown.exit_code == 0
        assert all(option in shown.stdout for option in options), name


def test_the_code_of_the_page_on_openspiel_runs():
    pytest.importorskip("pyspiel")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "openspiel.md").read_text("utf-8"), re.S):
        exec(block, {})
