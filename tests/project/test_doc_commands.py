"""The commands of the documents run: every line of a shell block, as it is printed but for the size of some.

A line that begins as one of `LEFT_OUT` is not run here, for the reason given; whatever else stands in a block is.
`SMALLER` are words added to others, of which the last counts, so that they play less.
"""

import re
import shlex

import pytest
from typer import TyperException
from typer.main import get_command

from benchmarks import readme
from checkout import ROOT, SHIPPED, files
from commands import gupai
from gupai_app.shell.cli import app

PAGES = [ROOT / "README.md", *files("docs", name="*.md")]
LEFT_OUT = {
    "git clone ": "fetches",
    "make ": "installs and takes minutes; CI runs `make test`",
    "pip install ": "installs",
    "ray ": "starts a cluster or looks at one; test_workers.py starts one",
    "export RAY_AUTH_MODE": "sets what a cluster needs; test_workers.py starts one with a token",
    "gupai train ": "takes minutes; test_training.py trains",
    "gupai compare-runs ": "needs runs; test_trained.py",
    "gupai replay ": "needs recorded games; test_records.py",
    "gupai export-dataset ": "needs recorded games; test_arrays.py",
    "gupai discover ": "takes minutes; test_ablation.py discovers less",
    "gupai exploitability pai-gow -o deck=full": "takes the whole deck; test_all_hands.py does",
    "gupai benchmark ": "plays for more than a minute; test_benchmark.py does less",
    "gupai verify ": "needs a card; test_benchmark.py verifies some",
    "gupai tournament jie-long stacked_memory:": "its module is in examples; test_stateful.py plays it",
    "gupai tournament jie-long onnx:bc.onnx": "needs what d3rlpy has learned; test_onnx_agent.py plays a graph",
    "gupai tournament ce-deng stacked_memory:": "its module is in examples; test_stateful.py plays it",
    "python -m benchmarks.": "measures or trains for minutes; test_benchmarks.py and test_learning_tiny.py do less",
    "python benchmarks/c/run.py ": "compiles C; test_benchmarks.py does",
    "python -m build": "test_release.py builds the wheel",
    "python tools/machine_code.py ": "compiles for minutes; test_shipped_code.py does less",
    "python examples/": "takes minutes or an environment of its own; test_clients.py",
    "python -m pytest ": "runs the tests",
}
SMALLER = {
    "gupai tune ": "--seconds 1",
    "gupai best-response ": "--generations 2 --candidate-deals 20 --deals 20 --playouts 5 --minutes 0",
    "gupai tournament jie-long variety greedy random": "--deals 50",
    "gupai record jie-long best tuned": "--deals 10",
    "gupai claim run jl-attack-2 --dry": "--no-masters",
    "gupai claim run jl-attack-2 --deals": "--deals 20 --no-masters",
    "gupai claim run jl-attack-2 --s": "--deals 20 --no-masters",
}
MENTIONED = re.compile("Missing argument|requires an argument")
TEXTS_ELSEWHERE = [
    file.read_text("utf-8").replace("\\\n", " ")
    for file in files(".ci", ".github", "benchmarks", "examples", "configs", "Makefile", "CHANGELOG.md")
    if file.suffix in ("", ".py", ".md", ".yml", ".yaml", ".ipynb")
]
NEEDS_A_RUN = "checkpoint:runs/"  # what `gupai train` would have written
NEEDS_A_CLUSTER = "--ray"  # test_workers.py
NEEDS_AN_EXAMPLE = "command:python examples/"  # test_text_agent.py plays it


BLOCKS = [block for page in PAGES for block in readme.blocks_of(page)]
PRINTED = list({(block.command, block.printed): block for block in BLOCKS if block.printed}.values())


def commands() -> list[str]:
    return [block.command for block in BLOCKS]


def commands_in_sentences() -> list[str]:
    """The commands in backquotes of pages, claims, configurations and code, but for placeholders such as COMMAND."""
    texts = [*PAGES, *files("configs", name="*.yaml"), *files(*SHIPPED, name="*.py")]
    found = {each for text in texts for each in re.findall(r"`(gupai [a-z][^`\n{]*)`", text.read_text("utf-8"))}
    return sorted(each for each in found if each.split()[1].replace("-", "").islower())


def commands_elsewhere() -> list[str]:
    """The commands of CI, the Makefile, forms, benchmarks, examples, configurations and the changelog.

    They are in quotes, or begin a line: of a comment, of a recipe of the Makefile, or an indented one of a docstring.
    """
    found = set()
    for text in TEXTS_ELSEWHERE:
        found.update(re.findall(r"^(?:# *|    +|\t.*/)(gupai [a-z].*)", text, re.M))
        found.update(each for _, each in re.findall(r"([`\"])(gupai [a-z][^`\"{\n]*)\1", text))
    return sorted(found)


COMMANDS = get_command(app)


def why_refused(command: str) -> str:
    """What `gupai` says against a command, which is parsed and not run; "" if nothing."""
    _, *words = shlex.split(re.sub(r"\bN\b", "1", command), comments=True)
    name, group, context = "gupai", COMMANDS, None
    try:
        while hasattr(group, "resolve_command") and words:
            context = group.make_context(name, words, context)
            name, group, words = group.resolve_command(context, context._protected_args + context.args)
        if not hasattr(group, "resolve_command"):
            group.make_context(name, words, context)
    except TyperException as error:
        return error.format_message()
    return ""


def why_left_out(command: str) -> str | None:
    found = [why for start, why in LEFT_OUT.items() if command.startswith(start)]
    needs = [what for what in (NEEDS_A_RUN, NEEDS_A_CLUSTER, NEEDS_AN_EXAMPLE) if what in command]
    return found[0] if found else f"needs {needs[0]}" if needs else None


RUN = [
    command
    for command in dict.fromkeys(block.command for block in BLOCKS if not block.printed)
    if why_left_out(command) is None
]


@pytest.mark.parametrize("block", PRINTED, ids=str)
def test_command_prints_what_its_page_shows(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", readme.COLUMNS)
    program, *words = shlex.split(block.command)
    quick = ["--no-masters"] if words[:2] == ["claim", "run"] else []  # what strong players do is left out on a screen
    done = gupai(*words, *quick)
    assert program == "gupai" and block.agrees(done.stdout), done.stdout
    assert "..." in block.printed and not block.agrees(done.stdout.replace("1", "7"))


@pytest.mark.parametrize("page", readme.PAGES, ids=lambda page: page.name)
def test_code_of_a_first_page_fits_a_code_host(page):
    code = re.findall(r"^```.*?^```", page.read_text("utf-8"), re.S | re.M)
    assert code and not [line for block in code for line in block.splitlines() if len(line) > int(readme.COLUMNS)]


def test_first_screen_of_the_readme_gives_its_two_commands():
    """What to type, and in a row of a table what it does, how long it takes and what it ends with."""
    text = (ROOT / "README.md").read_text("utf-8")
    screen = text.splitlines()[:30]
    for target in ("train", "test"):
        assert any(f"{line} ".startswith(f"make {target} ") for line in screen)
        (row,) = (line.split(" | ") for line in screen if line.startswith(f"| `make {target}` |"))
        assert len(row) == 4 and all(row) and "minutes" in row[2]
    assert "`gupai web`" not in text or '".[web]"' in text


@pytest.mark.parametrize("command", RUN)
def test_command_of_the_documents_runs(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gupai_app.training.heuristics.TRIED", 50)  # deals of each: `best` takes long over 5,000
    program, *words = shlex.split(command)
    assert program == "gupai"
    less = [more for start, more in SMALLER.items() if command.startswith(start)]
    done = gupai(*words, *" ".join(less).split())  # who is asked for a move leaves the table
    assert done.exit_code == 0, done.output
    assert done.stdout.strip()
    assert not re.search(r"(?<![\w.])-0\.0+(?!\w|\.\d)", done.stdout), "a negative zero"


def test_skipped_commands_are_all_in_a_document():
    assert all(any(command.startswith(start) for command in commands()) for start in (*LEFT_OUT, *SMALLER))
    assert len(RUN) >= 4


@pytest.mark.parametrize("source", [commands, commands_in_sentences, commands_elsewhere])
def test_written_commands_are_all_valid(source):
    """Also those that are not run here. A command that is only mentioned may lack its arguments."""
    written = [each for each in source() if each.startswith("gupai ") and "--help" not in each]
    assert len(written) >= 20
    refused = {each: message for each in written if (message := why_refused(each))}
    if source is not commands:
        refused = {each: message for each, message in refused.items() if not MENTIONED.search(message)}
    assert not refused


def test_invalid_command_is_noticed():
    for command in (
        "gupai claim jl-attack-2",
        "gupai clam list",
        "gupai claim",
        "gupai train --sets x=1",
        "gupai web 3",
    ):
        assert bool(why_refused(command)) == (command != "gupai claim"), command


def test_targets_files_and_tests_in_commands_exist():
    texts = [*(page.read_text("utf-8") for page in PAGES), *TEXTS_ELSEWHERE]
    targets = {name for text in texts for name in re.findall(r"(?:^|[`$(] ?)make ([a-z]+)(?=[ `\n])", text, re.M)}
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert {"fresh", "lowest", "test"} <= targets <= rules
    modules = {name for text in texts for name in re.findall(r"python -m (benchmarks[.\w]*)", text)}
    files = {ROOT / name.rstrip(".").replace(".", "/") for name in modules}
    assert modules and all(file.is_dir() or file.with_suffix(".py").is_file() for file in files)
    named = {
        each
        for text in texts
        for each in re.findall(r"\b((?:tests|docs|examples|benchmarks)/[\w/]+\.py)((?:::\w+)?)", text)
    }
    for file, test in named:
        assert (ROOT / file).is_file(), file
        assert f"def {test[2:]}(" in (ROOT / file).read_text("utf-8") or not test, test


def test_openspiel_page_code_runs():
    pytest.importorskip("pyspiel")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "openspiel.md").read_text("utf-8"), re.S):
        exec(block, {})
