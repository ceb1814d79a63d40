"""Writes `docs/api.txt`, all public names with signatures and all commands with options, and a page of commands.

What is there keeps working within a major version; `tests/project/test_release.py` compares it with the code. After a
change that is meant:

    python tools/api.py

It reads the sources and imports next to nothing, so the list is the same on every Python, with or without extras.
"""

import argparse
import ast
import builtins
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
import typer.main
from typer.cli import get_docs_for_click

from gupai_app.shell.cli import app
from gupai_env.games import GAMES

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT, ROOT / "agents", ROOT / "training")
LIST, COMMANDS = ROOT / "docs" / "api.txt", ROOT / "docs" / "reference" / "commands.md"
# The names of a module that are public; "*": those of its `__all__`.
PUBLIC = {
    "gupai_env": "*",
    **{f"gupai_env.{game.identifier}_v{game.version}": "env raw_env" for game in GAMES.values()},
    "gupai_env.aec": "GupaiEnv",
    "gupai_env.openspiel": "as_openspiel",
    "gupai_env.options": " ".join(["Options", *(f"{game.variant.__name__}Options" for game in GAMES.values())]),
    "gupai_env.positions": "*",
    "gupai_env.games.ce_deng.position": "from_tiles settle settle_declaration winner",
    "gupai_env.games.da_ling.position": "from_tiles settle strength winner",
    "gupai_env.games.deer_hunt.position": "from_tiles red_pips settle",
    "gupai_env.games.ding_niu.position": "SuanZhang from_tiles settle suan_zhang winner",
    "gupai_env.games.jie_long.position": "from_tiles settle winner",
    "gupai_env.games.pai_gow.position": "from_tiles settle value",
    "gupai_env.games.shi_wu_hu.position": "from_tiles matches points settle",
    "gupai_env.games.small_mahjong.position": "claims from_tiles settle triplet_points win_points winner",
    "gupai_env.games.tien_gow.position": "beats combination_class from_tiles paid_at_once settle winner",
    "gupai_env.games.tiu_u.position": "from_tiles matches points settle",
    "gupai_env.render": "*",
    "gupai_env.render.image": "draw_image",
    "gupai_env.testing": "*",
    "gupai_env.game": "*",
    "gupai_env.core.illegal": "IllegalActionError",
    "gupai_agents": "*",
    "gupai_agents.look_ahead": "Depth LookAhead",
    "gupai_agents.gymnasium_envs": "SeatEnv SeatVectorEnv",
    "gupai_agents.evaluation": "*",
    "gupai_agents.evaluation.benchmark": "held_out play_benchmark read_cards verify_card",
    "gupai_agents.evaluation.claims": "*",
    "gupai_agents.evaluation.atlas": "*",
    "gupai_agents.evaluation.statistics": "Estimate",
    "gupai_training": "*",
    "gupai_training.best_response": "Learned learn_response",
    "gupai_training.config": "Config NetworkConfig PPOConfig ExpertIterationConfig PoolConfig EvaluationConfig load "
    "register_learner",
    "gupai_training.learner": "SelfPlay log_softmax",
    "gupai_training.selfplay": "LearnerVecEnv SelfPlayEnv",
    "gupai_training.stage": "Stage",
}
KEPT = ("__init__", "__call__", "__iter__", "__len__", "__enter__", "__exit__", "__getitem__")
SETTINGS = ("model_config",)  # pydantic's


def names_of(module: str) -> list[str]:
    """Return the public names of a module."""
    if PUBLIC[module] != "*":
        return sorted(PUBLIC[module].split())
    return sorted(ast.literal_eval(_bound(_tree(module), "__all__").value))


def api() -> str:
    """Return the list, a line each."""
    lines = [f"{module}.{line}" for module in PUBLIC for name in names_of(module) for line in _lines_of(module, name)]
    return "\n".join([*lines, *_commands(typer.main.get_command(app), "gupai"), ""])


def _lines_of(module: str, name: str) -> Iterator[str]:
    """Yield the lines of one name: a value, a function, or a class and its members."""
    home, node = _definition(module, name)
    if isinstance(node, ast.ClassDef):
        yield f"{name}({', '.join(map(ast.unparse, node.bases))})"
        yield from (f"{name}.{line}" for _, line in sorted(_all_members(home, node).items()))
    elif isinstance(node, ast.FunctionDef):
        yield f"{name}{_signature(node)}"
    else:
        yield name


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_file(module).read_text(encoding="utf-8"))


def _file(module: str) -> Path:
    path = next(root / module.replace(".", "/") for root in ROOTS if (root / module.partition(".")[0]).is_dir())
    if path.is_dir():
        return path / "__init__.py"
    stub = path.with_suffix(".pyi")
    return stub if stub.exists() else path.with_suffix(".py")


def _bound(tree: ast.Module, name: str) -> Any:
    """Return the statement of a module that binds a name."""
    for node in tree.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        names = {getattr(node, "name", None), *(getattr(target, "id", None) for target in targets)}
        if isinstance(node, ast.ImportFrom):
            names = {alias.asname or alias.name for alias in node.names}
        if name in names:
            return node
    raise AttributeError(f"nothing is called {name}")


def _definition(module: str, name: str) -> tuple[str, Any]:
    """Return the module that defines a name, and the statement."""
    node = _bound(_tree(module), name)
    if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gupai_"):
        origin = next(alias.name for alias in node.names if name in (alias.asname, alias.name))
        return _definition(node.module, origin)
    return module, node


def _all_members(module: str, node: ast.ClassDef) -> dict[str, str]:
    """Return the public members of a class and of its bases among our classes, by name."""
    members: dict[str, str] = {}
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and hasattr(builtins, base.id):
            continue
        if isinstance(base, ast.Name):
            home, parent = _definition(module, base.id)
            if isinstance(parent, ast.ClassDef):
                members |= _all_members(home, parent)
    return members | dict(_members(node))


def _members(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield the public members of a class by name: fields, properties, methods and what `__init__` sets."""
    for node in definition.body:  # first, as the class may declare the types of some
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield from _attributes(node)
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            default = _default(node.value)
            rest = f": {ast.unparse(node.annotation)}" + (f" = {default}" if default else "")
            yield from _public(node.target.id, rest)
        elif isinstance(node, ast.FunctionDef):
            marks = {ast.unparse(mark).rpartition(".")[2] for mark in node.decorator_list}
            if marks & {"property", "cached_property"}:
                yield from _public(node.name, f": {ast.unparse(node.returns) if node.returns else 'Any'}")
            else:
                yield from _public(node.name, _signature(node))


def _default(value: ast.expr | None) -> str:
    """Return the default of a field as written, without what `field(...)` or `Field(...)` say next to it."""
    if not isinstance(value, ast.Call) or ast.unparse(value.func).lower() != "field":
        return ast.unparse(value) if value else ""
    given = [*value.args, *(word.value for word in value.keywords if word.arg == "default")]
    factory = [word.value for word in value.keywords if word.arg == "default_factory"]
    return ast.unparse(given[0]) if given else f"{ast.unparse(factory[0])}()" if factory else ""


def _attributes(init: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    for node in ast.walk(init):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        for target in targets:
            for element in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(element, ast.Attribute) and ast.unparse(element.value) == "self":
                    hint = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
                    yield from _public(element.attr, hint)


def _public(name: str, rest: str) -> Iterator[tuple[str, str]]:
    if (not name.startswith("_") or name in KEPT) and name not in SETTINGS:
        yield name, name + rest


def _signature(node: ast.FunctionDef) -> str:
    answer = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(node.args)}){answer}"


def _commands(command: Any, words: str) -> Iterator[str]:
    """Yield a command and those within it, each with its arguments and options."""
    arguments = [
        parameter.metavar or parameter.name.upper()
        if parameter.param_type_name == "argument"
        else "/".join([*parameter.opts, *parameter.secondary_opts])
        for parameter in command.params
        if parameter.name != "help"
    ]
    yield " ".join([words, *arguments])
    for name, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(inner, f"{words} {name}")


def _keep_whole(command: Any) -> None:
    """Make the lists of commands give the whole first sentence of each, which is cut to 45 letters by default."""
    command.short_help = " ".join((command.help or "").partition("\n\n")[0].split())
    for inner in getattr(command, "commands", {}).values():
        _keep_whole(inner)


def commands_page() -> str:
    """Return the page of all commands, as the parser has them."""
    command = typer.main.get_command(app)
    _keep_whole(command)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="gupai", title="Commands")
    return text.replace("```console", "```text")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    COMMANDS.write_text(commands_page(), encoding="utf-8")
    LIST.write_text(api(), encoding="utf-8")
