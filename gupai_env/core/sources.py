"""The digest of a loop's sources: it changes with any edit of what machine code is made of."""

import ast
import functools
import hashlib
import os
import sys
import threading
from pathlib import Path

SCRIPTS = {"__main__", "__mp_main__"}  # here, and in another process that was started from here
LISTS = {"gupai_env", "gupai_env.games"}  # import all games, but contain no rules
PARSING = threading.Lock()  # threads of a search come here together, and CPython 3.11 cannot make two trees at once
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)  # and what only holds statements


def source_of(name: str) -> tuple[bytes, bool] | None:
    """Return the source of a module, and whether the module is a package; None if there is no source."""
    top, *inner = name.split(".")
    package = sys.modules.get(top)
    files = [getattr(package, "__file__", None)]
    if inner:
        paths = [os.path.join(folder, *inner) for folder in getattr(package, "__path__", [])]
        files = [file for path in paths for file in (f"{path}.py", os.path.join(path, "__init__.py"))]
    file = next((file for file in files if file and os.path.isfile(file)), None)
    return (Path(file).read_bytes(), os.path.basename(file) == "__init__.py") if file else None


@functools.cache
def _module(name: str) -> tuple[bytes, frozenset[str]] | None:
    """Return the source of a module, with the names that may be modules it imports; None if there is no source."""
    if (content := source_of(name)) is None:
        return None
    source, is_package = content
    return source, _imports(source, (name if is_package else name.rpartition(".")[0]).split("."))


def _imports(source: bytes, package: list[str]) -> frozenset[str]:
    """Return the names in the import statements of a source, wherever they stand, that may be modules."""
    names: set[str] = set()
    try:
        with PARSING:
            tree = ast.parse(source)
    except SyntaxError:  # edited since it was imported: the digest of such a source is met by no other
        return frozenset()
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        # Not `ast.walk`: of the nodes of a source one in ten is a statement, and every process waits for this.
        nodes += [child for child in ast.iter_child_nodes(node) if isinstance(child, STATEMENTS)]
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join(filter(None, [*above, node.module]))
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}  # a name may be a module or not
    return frozenset(names)


def _home(top: str) -> str:
    """Return the folder that contains a package or a module, "" if it is unknown or holds third-party packages."""
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or ""
    file = os.path.dirname(file) if hasattr(module, "__path__") else file
    folder = os.path.dirname(os.path.abspath(file))
    return folder if file and not folder.endswith("-packages") else ""


def sources_of(*modules: str) -> dict[str, bytes]:
    """Return the sources, by name, of some modules and of what they import from our and their own packages.

    Modules in the same folder count as their own. There are none where a module has no source, as for a game that was
    typed at a prompt or in a notebook, or where it is a script: its constants may be those of its command line.
    """
    packages = {getattr(sys.modules.get(name), "__package__", "") or name for name in modules}
    tops = {package.partition(".")[0] for package in (__name__, *packages)}
    homes = {_home(top) for top in tops} - {""}
    # More than what is compiled, on purpose: whether a constant ends up in machine code cannot be seen in the source,
    # and compiling once too often costs seconds, while code of an older rule would play another game.
    sources: dict[str, bytes] = {}
    names = set(modules) - SCRIPTS
    while names:
        name = names.pop()
        top = name.partition(".")[0]
        if (top in tops or _home(top) in homes) and (module := _module(name)):
            sources[name] = module[0]
            names |= module[1] - sources.keys() - LISTS
    return sources if sources.keys() >= set(modules) else {}


@functools.cache
def sources_digest(*modules: str) -> str:
    """Return what changes with any edit of what `sources_of` some modules returns, "" where that is nothing."""
    sources = sources_of(*modules)
    digest = hashlib.sha256()
    # By name and content and not by path or time, so that another copy of the same sources finds the same code.
    for name, source in sorted(sources.items()):
        digest.update(name.encode() + hashlib.sha256(source).digest())
    return digest.hexdigest()[:16] if sources else ""
