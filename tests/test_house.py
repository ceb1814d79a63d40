"""Where things are: rooms of games, the direction of imports, the length of argument lists."""

import ast
import re
from pathlib import Path

import pytest

from gupai_env import GAMES

ROOT = Path(__file__).parents[1]
FOLDERS = ("gupai_env", "agents/gupai_agents", "training/gupai_training", "gupai_app")
PACKAGES = [ROOT / folder for folder in FOLDERS]
SOURCES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))
# From the ground up; a package imports itself and what stands before it.
STOREYS = [
    "gupai_env.core",
    "gupai_env.games",
    "gupai_env",
    "gupai_agents",
    "gupai_agents.evaluation",
    "gupai_training",
    "gupai_app",
]
SPLIT = {"gupai_agents.gymnasium_envs": "gupai_agents.evaluation"}  # it asks agents as matches do


def module_of(path: Path) -> str:
    """The import name of a file."""
    package = next(package for package in PACKAGES if path.is_relative_to(package))
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def storey_of(module: str) -> int:
    """The number of the storey that a module stands on."""
    module = SPLIT.get(module, module)
    return max(at for at, name in enumerate(STOREYS) if module == name or module.startswith(f"{name}."))


def imports_of(path: Path) -> set[str]:
    """The project's modules that a file imports when it is imported itself."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    found = {each.module for each in body if isinstance(each, ast.ImportFrom) and each.module}
    found |= {name.name for each in body if isinstance(each, ast.Import) for name in each.names}
    return {name for name in found if name.startswith("gupai_")}


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_run_one_way(path):
    module = module_of(path)
    for other in imports_of(path):
        assert storey_of(other) <= storey_of(module), f"{module} imports {other}"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_game_is_named_in_its_own_room_alone(game):
    room = ROOT / "gupai_env" / "games" / game.identifier
    code = re.compile(rf"\b(?:{game.identifier}|{game.variant.__name__})\b")
    for path in SOURCES:
        if path.is_relative_to(room) or path.name in (f"{game.identifier}_v{game.version}.py",):
            continue
        names = {
            name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            for name in (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "name", None))
            if name and code.fullmatch(str(name))
        }
        allowed = {game.identifier} if path == ROOT / "gupai_env" / "games" / "__init__.py" else set()
        assert names <= allowed, path


def test_rules_are_no_longer_than_a_few_pages():
    for path in SOURCES:
        if path.name == "rules.py" and path.parent.parent.name == "games":
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 350, path


def test_no_function_has_more_than_ten_parameters():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if not any(
                    decorator for decorator in node.decorator_list if "command" in ast.dump(decorator)
                ):
                    assert len(given) <= 10, f"{module_of(path)}.{node.name}"
