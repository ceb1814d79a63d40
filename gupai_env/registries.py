"""The registries of PettingZoo and Gymnasium, which learn of the games as soon as they are imported.

They are not imported for it: together they take 0.08 s of the processor and 13 MB, which a tournament, a search or a
VectorEnv does without.
"""

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_games: list[tuple[str, int]] = []  # ids and versions


def environments(identifier: str, version: int) -> ModuleType:
    """Return the module of a game's environments, as `import gupai_env.jie_long_v0` finds it.

    Its `env` and `raw_env` are the same, for the environment itself enforces the order of calls and the legality of
    actions. They are made when first asked for: PettingZoo is not imported before.
    """
    game = identifier.replace("_", "-")
    module = ModuleType(f"gupai_env.{identifier}_v{version}", f"The game {game} as a PettingZoo environment.")
    module.__spec__ = ModuleSpec(module.__name__, None)

    def get(name: str) -> Any:
        if name not in ("env", "raw_env"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        from gupai_env.aec import environment_maker, get_game

        module.env = module.raw_env = environment_maker(get_game(game), module.__name__)  # type: ignore[attr-defined]
        return module.env

    module.__getattr__ = get  # type: ignore[method-assign]
    return module


def _register_in_pettingzoo(pettingzoo: Any, game: str, version: int) -> None:
    name = f"gupai/{game}-v{version}"
    if hasattr(pettingzoo, "register") and name not in pettingzoo.aec_registry:  # older ones have no registry
        pettingzoo.register("aec", name, "gupai_env.aec:GupaiEnv", kwargs={"game": game})


def _register_in_gymnasium(gymnasium: Any, game: str, version: int) -> None:
    name = f"gupai/{game.title().replace('-', '')}-v{version}"
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point="gupai_agents.gymnasium_envs:SeatEnv",
            vector_entry_point="gupai_agents.gymnasium_envs:SeatVectorEnv",
            kwargs={"game": game},
        )


_REGISTER = {"pettingzoo": _register_in_pettingzoo, "gymnasium": _register_in_gymnasium}


class _Import(MetaPathFinder):
    """Registers the games at the end of the import of a package."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.package:
            return None
        sys.meta_path.remove(self)  # the others find it
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                for game in _games:
                    _REGISTER[name](module, *game)

            spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


sys.meta_path[:0] = [_Import(name) for name in _REGISTER if name not in sys.modules]


def add_to_registries(game: str, version: int) -> None:
    """Register a game, by its id, with the packages that are imported, and with the others once they are."""
    _games.append((game, version))
    for name, register in _REGISTER.items():
        if name in sys.modules:
            register(sys.modules[name], game, version)
