"""Where things are: layers and the direction of imports, packages of games, the length of functions.

Each rule is a function that returns what breaks it, so that the tests at the end can break it on purpose.
"""

import ast
import functools
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from checkout import ROOT, files, tracked
from gupai_env import GAMES

FOLDERS = ("gupai_env", "agents/gupai_agents", "training/gupai_training", "gupai_app")
PACKAGES = [ROOT / folder for folder in FOLDERS]
SOURCES = files(*FOLDERS, name="*.py")
# From the ground up. A module is in the layer with the longest name that begins its own, and imports that layer and
# those before it.
LAYERS = (
    "gupai_env.messages",
    "gupai_env.storage",
    "gupai_env.core",
    "gupai_env.render",
    "gupai_env.games",
    "gupai_env",
    "gupai_env.testing",
    "gupai_agents",
    "gupai_agents.evaluation",
    "gupai_agents.gymnasium_envs",
    "gupai_training",
    "gupai_app",
)
ELSEWHERE = {
    "gupai_env.options": "gupai_env.core"  # types alone, which builders of positions name
}
# Modules that still name games.
NAMES_GAMES = {
    "gupai_env/games/__init__.py",  # the list of games
    "gupai_app/claims/terminal.py",  # the example of a new claim
}
IN_THE_ROOT = {
    ".ci", ".github", ".gitignore", "CHANGELOG.md", "CITATION.cff", "LICENSE", "Makefile", "README.md",
    "agents", "benchmarks", "configs", "constraints-lowest.txt", "constraints.txt", "docs", "examples", "findings",
    "gupai_app", "gupai_env", "pyproject.toml", "results", "tests", "tools", "training",
}  # fmt: skip
MOST_LINES, MOST_LINES_OF_RULES = 60, 350


def module_of(path: Path) -> str:
    """The import name of a file."""
    package = next(package for package in PACKAGES if path.is_relative_to(package))
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(source)


MODULES = {module_of(path): text_of(path) for path in SOURCES}


# --- imports --------------------------------------------------------------------------------------


def layer_of(module: str) -> int:
    """The number of the layer that a module is in."""
    module = ELSEWHERE.get(module, module)
    layers = [name for name in LAYERS if f"{module}.".startswith(f"{name}.")]
    return LAYERS.index(max(layers, key=len))


@functools.cache
def import_statements(source: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.Import | ast.ImportFrom)]


def imports_of(source: str, modules: Mapping[str, str]) -> set[str]:
    """The modules of the project that a source imports, also within functions and for types alone."""
    found = set()
    for node in import_statements(source):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, "imports name the whole path"
            inner = {name: f"{node.module}.{name}" for name in (each.name for each in node.names)}
            found |= {path if path in modules else node.module for path in inner.values()}
    return found & modules.keys()


def upward(modules: Mapping[str, str]) -> Iterator[str]:
    """Yield imports of a layer above."""
    for module, source in modules.items():
        for other in sorted(imports_of(source, modules)):
            if layer_of(other) > layer_of(module):
                yield f"{module} imports {other}"


def circles(modules: Mapping[str, str]) -> list[str]:
    """Return the modules that import themselves by way of others."""
    imports = {module: imports_of(source, modules) - {module} for module, source in modules.items()}
    while leaves := {module for module, others in imports.items() if not others}:
        imports = {module: others - leaves for module, others in imports.items() if module not in leaves}
    while roots := imports.keys() - set().union(*imports.values()):
        imports = {module: others for module, others in imports.items() if module not in roots}
    return sorted(imports)


def test_imports_run_one_way():
    assert list(upward(MODULES)) == []


def test_imports_form_no_circle():
    assert circles(MODULES) == []


PRINT = ("gupai_app.shell.screen", "gupai_app.shell.streams")


def reached(module: str, modules: Mapping[str, str]) -> set[str]:
    """The modules that a module imports, and those that they import."""
    found, todo = set(), [module]
    while todo:
        new = imports_of(modules[todo.pop()], modules) - found
        found |= new
        todo += new
    return found


def printing(module: str, modules: Mapping[str, str]) -> list[str]:
    """Return the modules that print among those that a page imports."""
    return sorted(reached(module, modules) & {*PRINT, *(each for each in modules if each.endswith(".terminal"))})


PAGES = [module for module in MODULES if module.startswith("gupai_app.") and module.endswith(".routes")]


@pytest.mark.parametrize("module", PAGES)
def test_pages_import_nothing_that_prints(module):
    assert printing(module, MODULES) == []


# --- names of games -------------------------------------------------------------------------------


@functools.cache
def named_in(source: str) -> list[str]:
    """Return the names, the module paths and the strings of a source; docstrings may tell of games."""
    found: list[str] = []
    tree = tree_of(source)
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            found.append(node.value)
        for field in ("id", "attr", "name", "asname", "module", "arg"):
            if isinstance(name := getattr(node, field, None), str):
                found.append(name)
    return found


def games_named(source: str, identifier: str, variant: str) -> list[str]:
    """Return what names a game in a source: jie_long, jie-long, JIE_LONG, JieLong."""
    words = "[-_ ]?".join(identifier.split("_"))
    game = re.compile(rf"(?<![a-z])(?:{words}(?![a-z])|{variant})", re.IGNORECASE)
    return [name for name in named_in(source) if game.search(name)]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_game_is_named_in_its_own_package_alone(game):
    package = ROOT / "gupai_env" / "games" / game.identifier
    entry = ROOT / "gupai_env" / f"{game.identifier}_v{game.version}.py"
    allowed = {entry, *(ROOT / path for path in NAMES_GAMES)}
    for path in SOURCES:
        if not path.is_relative_to(package) and path not in allowed:
            assert games_named(text_of(path), game.identifier, game.variant.__name__) == [], path
            assert game.identifier not in path.parts[-1], path


# --- names of actions -----------------------------------------------------------------------------

READING = {
    "count", "endswith", "find", "findall", "fullmatch", "index", "match", "partition", "removeprefix", "removesuffix",
    "replace", "rpartition", "rsplit", "search", "split", "startswith", "strip", "sub",
}  # fmt: skip


def is_a_name(node: ast.AST) -> bool:
    """Whether an expression is the name of an action, as far as the expression alone shows it."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return node.attr in ("action_name", "action_names") or (node.attr == "name" and owner == "move")


def names_read(source: str) -> list[str]:
    """Return where a source takes the name of an action apart: its `Move` says in fields what it would find."""
    found = []
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING:
            parts = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            parts = [each for each in node.comparators if getattr(each, "attr", "") != "action_names"]
        else:
            parts = (
                [node.value] if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "name" else []
            )
        found += [ast.unparse(node) for each in parts if is_a_name(each)]
    return found


def test_action_names_are_never_taken_apart():
    assert {module: found for module, source in MODULES.items() if (found := names_read(source))} == {}


@pytest.mark.parametrize(
    "line",
    [
        'move.name.startswith("discard")',
        'game.action_name(action, view).split(" ")',
        're.findall("[a-z]+", entry.move.name)',
        '"/" in move.name',
        "self.game.action_names[action].partition(CATCHES)",
        "move.name[1]",
    ],
)
def test_taking_an_action_name_apart_is_found(line):
    assert names_read(line) == [line.replace('"', "'")]


# --- lengths --------------------------------------------------------------------------------------


def functions_of(source: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions of a source by name, those within classes and functions too."""

    def within(node: ast.AST, path: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        for each in ast.iter_child_nodes(node):
            inner = f"{path}.{each.name}" if hasattr(each, "name") else path
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                yield inner, each
            yield from within(each, inner)

    yield from ((path.removeprefix("."), node) for path, node in within(tree_of(source), ""))


def too_long(source: str) -> list[str]:
    """Return the functions that have more lines than any may have."""
    return [name for name, node in functions_of(source) if node.end_lineno - node.lineno + 1 > MOST_LINES]


def test_functions_are_short():
    found = {f"{module}.{name}" for module, source in MODULES.items() for name in too_long(source)}
    assert not found, found


def test_rules_files_are_short():
    for path in SOURCES:
        if path.name == "rules.py" and path.parent.parent.name == "games":
            assert len(text_of(path).splitlines()) <= MOST_LINES_OF_RULES, path


# --- names ----------------------------------------------------------------------------------------

VAGUE = {
    "about", "again", "asked", "at", "each", "every", "fitting", "found", "kept", "left", "needing", "of", "said",
    "shown", "told", "what",
}  # fmt: skip
SIDES = {"right", "top"}  # next to these, `left` is a side


@functools.cache
def public_names() -> frozenset[str]:
    """Return the names of public members, and of parameters of public functions as "function.parameter"."""
    names = set()
    for line in text_of(ROOT / "docs" / "api.txt").splitlines():
        path, _, parameters = line.partition("(")
        function = path.partition(":")[0].rpartition(".")[2]
        names |= {function, *(f"{function}.{name}" for name in re.findall(r"(\w+)[:=]", parameters))}
    return frozenset(names)


def names_bound(node: ast.AST) -> Iterator[str]:
    """Yield the parameters and variables of a module or a function, not those of functions and classes within."""
    inside = [*ast.iter_child_nodes(node)]
    while inside:
        child = inside.pop()
        if isinstance(child, ast.arg):
            yield child.arg
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside += ast.iter_child_nodes(child)


def vague_names(source: str) -> list[str]:
    """Return the functions, parameters and variables that do not say what they are."""
    tree, public = tree_of(source), public_names()
    members = {id(node) for owner in ast.walk(tree) if isinstance(owner, ast.ClassDef) for node in owner.body}
    vague = []
    for path, function in [("", tree), *functions_of(source)]:
        own, names = path.rpartition(".")[2], set(names_bound(function))
        allowed = {name for name in names if f"{own}.{name}" in public} | ({"left"} if names & SIDES else set())
        vague += [f"{path}: {name}" for name in sorted(names - allowed) if name.strip("_") in VAGUE]
        if own.strip("_") in VAGUE and not (id(function) in members and own in public):
            vague.append(path)
    return vague


def test_names_say_what_they_are():
    others = files("benchmarks", "docs", "examples", "tools", name="*.py")
    texts = {path.relative_to(ROOT).as_posix(): text_of(path) for path in (*SOURCES, *others)}
    vague = {path: vague_names(text) for path, text in texts.items()}
    assert not {path: names for path, names in vague.items() if names}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("found = {}", [": found"]),
        ("def f(agents):\n    for each in agents: each.act()", ["f: each"]),
        ("def f(rows): return [at for at, row in enumerate(rows) if row]", ["f: at"]),
        ("def f(rows): return sorted(rows, key=lambda each: each.deal)", ["f: each"]),
        ("def f(*, what=''):\n    def g(_kept): ...", ["f: what", "f.g: _kept"]),
        ("def f(line):\n    if said := line.strip(): print(said)", ["f: said"]),
        ("def _told(): ...\nclass A:\n    async def asked(self): ...", ["_told", "A.asked"]),
        ("def f(budget): left = budget - 1", ["f: left"]),
        ("left, right = ends", []),
        ("class Turn:\n    what: str\n    def at(self, rows): ...", []),  # public, as of `DecisionBatch`
        ("def at(key): ...", ["at"]),
    ],
)
def test_vague_name_is_found(source, names):
    assert vague_names(source) == names


# --- each rule, broken on purpose -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("gupai_env.core.position", "import gupai_env.render.svg"),
        ("gupai_env.core.game", "from gupai_env import games"),
        ("gupai_env.games.jie_long.rules", "from gupai_env.vector import VectorEnv"),
        ("gupai_env.vector", "def f():\n    from gupai_agents import agent"),
        ("gupai_agents.agent", "if TYPE_CHECKING:\n    from gupai_agents.evaluation.matches.match import Match"),
        ("gupai_agents.evaluation.matches.match", "from gupai_training import run"),
        ("gupai_training.run", "from gupai_app.shell.streams import say"),
    ],
)
def test_import_of_a_layer_above_is_found(module, line):
    (found,) = upward(MODULES | {module: line})
    assert found.startswith(f"{module} imports ")


@pytest.mark.parametrize(
    "line",
    [
        "from gupai_app.shell import cli",
        "if TYPE_CHECKING:\n    import gupai_app.shell.cli",
        "def f(): import gupai_app.shell.cli",
    ],
)
def test_import_circle_is_found(line):
    found = circles(MODULES | {"gupai_app.shell.streams": line})
    assert {"gupai_app.shell.streams", "gupai_app.shell.cli"} <= set(found)
    assert "gupai_env.core.game" not in found and "gupai_app.__main__" not in found


def test_page_that_prints_is_found():
    assert printing("gupai_app.play.routes", MODULES | {"gupai_app.play.table": "from gupai_app.shell import screen"})


@pytest.mark.parametrize(
    "source",
    [
        "from gupai_env.games.jie_long.rules import DECK",
        "import gupai_env.games.jie_long",
        "from gupai_env.games import jie_long as game",
        "from gupai_env.games.somewhere import JieLong",
        "GAME = 'jie-long'",
        "JIE_LONG_DECK = 32",
        "text = f'{count} games of Jie Long'",
        "def jie_long_deals(): ...",
        "def f(jie_long): ...",
        "if game.identifier == 'jie_long': ...",
    ],
)
def test_name_of_a_game_is_found(source):
    assert games_named(source, "jie_long", "JieLong")


def test_docstrings_may_name_games_and_other_words_are_no_games():
    assert not games_named('"""As in Jie Long."""\nx = "tight"  # jie-long', "jie_long", "JieLong")
    assert not games_named("x = 'the tiu upset'", "tiu_u", "TiuU")


# --- what is there --------------------------------------------------------------------------------


@pytest.mark.skipif(not tracked(), reason="an archive of the sources does not say what is of it")
def test_root_holds_only_listed_files():
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} == IN_THE_ROOT


def walks(source: str) -> list[str]:
    """Return the calls of a test that list a folder of the checkout, where the work of a user may be."""
    calls = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.Call)]
    listing = [call for call in calls if getattr(call.func, "attr", "") in ("glob", "iterdir", "rglob", "walk")]
    return [ast.unparse(call) for call in listing if re.search(r"\bROOT\b", ast.unparse(call.func))]


def test_tests_look_only_at_what_git_tracks():
    sources = {path.name: text_of(path) for path in files("tests", name="*.py") if path.name != "checkout.py"}
    assert {name: calls for name, source in sources.items() if (calls := walks(source))} == {}
    assert walks('pages = sorted((ROOT / "docs").rglob("*.md"))') == ["(ROOT / 'docs').rglob('*.md')"]
    assert walks("for path in ROOT.iterdir(): ...") and not walks("tmp_path.iterdir()")


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_work_of_a_user_is_not_of_the_checkout(tmp_path):
    for name in (".gitignore", "docs/page.md", "gone.md", "runs/first/notes.md", "env311/page.md", "report.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("runs/")
    everything = files(".", name="*.md", root=tmp_path)  # there is no git yet
    assert len(everything) == 5 and not tracked(tmp_path)
    tracked.cache_clear()
    for words in ("init -q", "add .gitignore docs gone.md"):
        subprocess.run(["git", *words.split()], cwd=tmp_path, check=True)
    (tmp_path / "gone.md").unlink()
    assert tracked(tmp_path) == (tmp_path / ".gitignore", tmp_path / "docs" / "page.md")
    assert files("docs", "report.md", name="*.md", root=tmp_path) == [tmp_path / "docs" / "page.md"]


def test_long_function_is_found():
    lines = "\n".join(["        pass"] * MOST_LINES)
    for kind in ("def", "async def"):
        assert too_long(f"class A:\n    {kind} f():\n{lines}") == ["A.f"]
        assert too_long(f"class A:\n    {kind} f():\n{lines}".removesuffix("\n        pass")) == []
