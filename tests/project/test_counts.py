"""Numbers in prose that count what is in the tree: each is counted here, and a new one without a test is found."""

import ast
import re
from collections.abc import Iterator

import pytest

from broken_envs import DEFECTS
from checkout import ROOT, SHIPPED, files
from gupai_agents.evaluation.benchmark.cards import read_suite
from gupai_agents.evaluation.claims.files import paths
from gupai_agents.players import card
from gupai_agents.shipped import networks
from gupai_app.claims.terminal import LINES
from gupai_app.server.jobs import MOST_KEPT
from gupai_env import GAMES

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred")
NUMBER = rf"(?<![\w.,:/±+-])(?:\d[\d,]*|(?:{'|'.join((*WORDS[2:], *TENS))})(?:-(?:{'|'.join(WORDS[1:10])}))?)"
THINGS = (
    *("benchmarks", "cards", "checks", "claims", "commands", "examples", "extras", "features", "files"),
    *("findings", "games", "kernels", "languages", "libraries", "lines", "messages", "modules", "networks", "packages"),
    *("properties", "recipes", "referees", "rules", "suites", "tasks", "tests", "verdicts"),
)
COUNTING = re.compile(rf"{NUMBER} (?:[a-z-]+ ){{0,2}}(?:{'|'.join(THINGS)})\b", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>", re.DOTALL)
# What counts something that is not in the tree: games that are played, a part of what there is, a run of the past.
OTHERS = {
    "docs/benchmark.md": ("two cards", "two files", "two tasks", "five of twelve tasks"),
    "docs/benchmarks.md": ("ten games",),  # of that run
    "docs/clients.md": ("ten games",),
    "docs/conformance.md": ("two checks",),
    "docs/datasets.md": ("40,000 games",),
    "docs/datasheet.md": ("two more tasks",),
    "docs/engine.md": ("two games", "40 kernels"),
    "docs/evaluation.md": ("six other games",),
    "docs/faq.md": ("four games",),
    "docs/ladder.md": ("ten weighted rules",),  # of the cards before
    "docs/my-games.md": ("two games", "five games", "ten games", "twenty games"),
    "docs/players.md": ("eleven features", "ten rules", "two weighted features"),
    "docs/records.md": ("0, except for games", "200 games", "100,000 games", "20,000 games"),
    "docs/start/compare.md": ("three commands",),
    "docs/studies/games.md": ("two recipes",),
    "docs/studies/limits.md": ("Two networks",),
    "docs/studies/rollouts.md": ("two commands",),
    "docs/web.md": ("two games", "200 games", "hundred games", "24 lines"),
    "gupai_app/training/terminal.py": ("two lines",),
    "agents/gupai_agents/evaluation/claims/deals.py": ("two games",),
    "gupai_app/claims/page.py": ("two games",),
    "agents/gupai_agents/evaluation/statistics.py": ("ten games",),
    "gupai_env/core/layout.py": ("two encoders",),
    "gupai_env/games/small_mahjong/rules.py": ("23 claims",),
    "training/gupai_training/true_hand_targets.py": ("2, features",),
}


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def lines_of(name: str) -> int:
    return len(text_of(name).splitlines())


def runs_of(header: object) -> Iterator[tuple[str, float]]:
    """Yield the recipe and the seconds of each run in the header of a network: its own and those it began with."""
    parts = header if isinstance(header, list) else []
    if isinstance(header, dict):
        parts = [*header.values()]
        if {"recipe", "seconds"} <= header.keys():
            yield header["recipe"], header["seconds"]
    for part in parts:
        yield from runs_of(part)


def trained() -> tuple[float, int]:
    """Return the hours and the number of all runs behind the networks that ship."""
    runs = {run for game in GAMES for _, header in networks(game) for run in runs_of(header)}
    return round(sum(seconds for _, seconds in runs) / 3600, 1), len(runs)


def masked_module() -> int:
    """Return the lines of the module for RLlib in its example."""
    (module,) = (
        node
        for node in ast.parse(text_of("examples/rllib_ppo.py")).body
        if isinstance(node, ast.ClassDef) and node.name == "MaskedModule"
    )
    return module.end_lineno - module.lineno + 1


def defects_passed() -> int:
    """Return how many defects PettingZoo's own tests pass, by the table of the conformance kit."""
    return text_of("docs/conformance.md").count("| passes it |")


GAMES_V2 = {task.game for task in read_suite("v2").tasks}
# Page and pattern, whose groups are the counts.
COUNTED = {
    ("README.md", r"environments for (\w+) games"): lambda: [len(GAMES)],
    ("README.md", r"one file of (\d+) lines"): lambda: [lines_of("examples/ppo_single_file.py")],
    ("docs/index.md", r"environments for (\w+) games"): lambda: [len(GAMES)],
    ("docs/facts.md", r"# The facts of (\w+) games"): lambda: [len(GAMES)],
    ("docs/datasheet.md", r"\[learning curves.*, (\w+) games \|"): lambda: [len(GAMES)],
    ("docs/datasheet.md", r"([\d.]+) hours in (\d+) runs"): trained,
    ("docs/start/claim.md", r"ships with (\w+) such claims"): lambda: [len(paths())],
    ("docs/architecture.md", r"has (\w+) packages, and each is a layer"): lambda: [len(SHIPPED)],
    ("docs/adding-a-game.md", r"one file of (\d+) lines"): lambda: [lines_of("examples/one_trick/one_trick.py")],
    ("docs/benchmark.md", r"Suite v1 contains the (\w+) games"): (
        lambda: [len({task.game for task in read_suite("v1").tasks})]
    ),
    ("docs/benchmark.md", r"\| tasks \| (\d+) \| (\d+): (\w+) games"): (
        lambda: [len(read_suite("v1").tasks), len(read_suite("v2").tasks), len(GAMES_V2)]
    ),
    ("docs/benchmarks.md", r"in about (\d+) lines of plain C"): (
        lambda: [round(lines_of("benchmarks/c/jie_long.c"), -1)]
    ),
    ("docs/claims-guide.md", r"printed in at most (\d+) lines"): lambda: [LINES],
    ("docs/clients.md", r"self-play in (\d+) lines"): lambda: [lines_of("examples/ppo_single_file.py")],
    ("docs/clients.md", r"new API stack, (\d+) lines"): lambda: [masked_module()],
    ("docs/conformance.md", r"\[(\d+) copies of it"): lambda: [len(DEFECTS)],
    ("docs/conformance.md", r"they pass (\d+)\."): lambda: [defects_passed()],
    ("docs/glossary.md", r"At most (\w+) rules that a person"): lambda: [card.MOST_RULES],
    ("docs/players.md", r"(\w+) rules or fewer"): lambda: [card.MOST_RULES],
    ("docs/players.md", r"at most (\w+) rules"): lambda: [card.MOST_RULES],
    ("docs/web.md", r"the last (\d+) verdicts are kept"): lambda: [MOST_KEPT],
    ("docs/writing-an-agent.md", r"has (\d+) lines and imports nothing"): (
        lambda: [round(lines_of("examples/text_player.py"), -1)]
    ),
    ("agents/gupai_agents/players/card.py", r"at most (\w+) rules"): lambda: [card.MOST_RULES],
    ("agents/gupai_agents/players/card.py", r"more than (\w+) rules"): lambda: [card.MOST_RULES],
}


def number(text: str) -> float:
    return WORDS.index(text.lower()) if text.lower() in WORDS else float(text.replace(",", ""))


@pytest.mark.parametrize(("page", "pattern"), COUNTED, ids=str)
def test_number_on_a_page_is_what_is_there(page, pattern):
    found = re.findall(pattern, text_of(page))
    assert found, "the sentence has changed: write its number's pattern here"
    counts = list(COUNTED[page, pattern]())
    for stated in found:
        assert [number(each) for each in ([stated] if isinstance(stated, str) else stated)] == counts


def prose() -> Iterator[tuple[str, str]]:
    """Yield the documents by name, and the docstrings of each module; generated pages of claims fill in theirs."""
    for path in files("README.md", "CITATION.cff", "docs"):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in (".md", ".cff") and not name.startswith(("docs/claims/", "docs/strategy/")):
            yield name, CODE.sub("`x`", path.read_text(encoding="utf-8"))
    for path in files(*SHIPPED, "tools", name="*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        written = (node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
        texts = [ast.get_docstring(node) or "" for node in written]
        yield path.relative_to(ROOT).as_posix(), CODE.sub("`x`", "\n\n".join(texts))


def uncounted(name: str, text: str) -> list[str]:
    """Return the counts of a text that are neither tested above nor listed as counts of something else."""
    raw = [pattern for page, pattern in COUNTED if page == name]
    spans = [match.span() for pattern in raw for match in re.finditer(pattern, text)]
    counts = [match for match in COUNTING.finditer(text) if match[0] not in OTHERS.get(name, ())]
    return [match[0] for match in counts if not any(low <= match.start() < high for low, high in spans)]


def test_every_count_of_a_document_is_tested():
    assert {name: counts for name, text in prose() if (counts := uncounted(name, text))} == {}


def test_count_that_nothing_tests_is_found():
    assert uncounted("docs/start/claim.md", "gupai ships with 48 such claims about strategy.") == []
    assert uncounted("docs/start/claim.md", "It has 48 claims and forty-two strategy tests.") == [
        "48 claims",
        "forty-two strategy tests",
    ]
    assert uncounted("docs/faq.md", "Why four games? There are ten games.") == ["ten games"]
    assert not uncounted("docs/faq.md", "Deals of 1.5 games, seed 42, and 3 seats.")
