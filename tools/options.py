"""Writes the options of the games as types, and the makers of the PettingZoo environments, for editors and checkers.

The source is each game's variant. `tests/project/test_docs.py` compares what is here with it. After a change
that is meant:

    python tools/options.py

For a game: `gupai_env/games/GAME/options.py`, a TypedDict of its options, and `gupai_env/GAME_vN.py`, its environments,
whose help says what the options mean; for all of them: `gupai_env/options.py`, which the functions take that are given
a game by name.
"""

import argparse
import dataclasses
import inspect
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from gupai_env.aec import GupaiEnv
from gupai_env.core.game import Game
from gupai_env.games import GAMES

ROOT = Path(__file__).parents[1]
WRITTEN = "Written by `tools/options.py` from the variant; do not edit."


@dataclasses.dataclass(frozen=True)
class Option:
    """An option as a type: its words, if there are only some, and the other types."""

    words: tuple[object, ...]
    types: tuple[str, ...]

    def __str__(self) -> str:
        literal = [f"Literal[{', '.join(map(repr, self.words))}]"] if self.words else []
        return " | ".join([*literal, *self.types])


def options_of(game: Game) -> dict[str, Option]:
    """Return the options of a game by name."""
    options = {}
    for field in dataclasses.fields(game.variant):
        choices = field.metadata["choices"]
        words = choices if any(isinstance(choice, str) for choice in choices) else ()
        annotation = inspect.formatannotation(field.type)
        types = (annotation, annotation.replace("tuple", "list").replace(", ...", ""))[: 1 + ("tuple" in annotation)]
        options[field.name] = Option(tuple(words), () if words else types)
    if presets := tuple(game.variant.PRESETS):
        options["preset"] = Option(presets, ())
    return options


def joined(options: Iterable[Option]) -> Option:
    """Return an option that takes what any of several do."""
    words = dict.fromkeys(word for option in options for word in option.words)
    types = dict.fromkeys(name for option in options for name in option.types)
    return Option(tuple(words), tuple(types))


def typed_dict(name: str, summary: str, options: dict[str, Option], base: str = "TypedDict") -> str:
    fields = [f"    {key}: {option}" for key, option in options.items()]
    return "\n".join([f"class {name}({base}, total=False):", f'    """{summary}"""', "", *fields, "", ""])


def environments(game: Game) -> str:
    """Return the module of a game's PettingZoo environments."""
    types = f"{game.variant.__name__}Options"
    parameters = [
        parameter
        for parameter in inspect.signature(GupaiEnv).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    passed = ", ".join(f"{parameter.name}={parameter.name}" for parameter in parameters)
    return f'''"""{game.title} as a PettingZoo environment.

{WRITTEN}
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv, with_options
from gupai_env.games.{game.identifier} import GAME
from gupai_env.games.{game.identifier}.options import {types}


@with_options(GAME)
def raw_env(*, {", ".join(map(str, parameters))}, **variant: Unpack[{types}]) -> GupaiEnv:
    """Return a table of {game.title}; its first game is dealt by `reset`.

    Args:
        {", ".join(parameter.name for parameter in parameters)}: See `GupaiEnv`.
        variant: Options of the game, which `help` lists.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, {passed}, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
'''


def module(summary: str, *types: str) -> str:
    imports = "Literal, TypedDict" if "Literal[" in "".join(types) else "TypedDict"
    return "\n".join([f'"""{summary}\n\n{WRITTEN}\n"""\n', f"from typing import {imports}\n\n", *types])


def files() -> dict[Path, str]:
    """Return what is written, formatted, by path."""
    options_by_game = {game: options_of(game) for game in GAMES.values()}
    names = dict.fromkeys(name for options in options_by_game.values() for name in options)
    union = {name: joined([options[name] for options in options_by_game.values() if name in options]) for name in names}
    summary = "The options of all games; `gupai rules GAME` shows which of them a game has."
    texts = {
        ROOT / "gupai_env/options.py": module("Types of options: all games.", typed_dict("Options", summary, union))
    }
    for game, options in options_by_game.items():
        name, leader = game.variant.__name__, {"leader": options.pop("leader")}
        summary = f"The options of {game.title} for a position that is set up, whose leader is given by itself."
        position = typed_dict(f"{name}Position", summary, options)
        all_options = typed_dict(
            f"{name}Options", f"The options of {game.title}; all may be left out.", leader, f"{name}Position"
        )
        path = ROOT / f"gupai_env/games/{game.identifier}/options.py"
        texts[path] = module(f"Types of options: {game.title}.", position, all_options)
        texts[ROOT / f"gupai_env/{game.identifier}_v{game.version}.py"] = environments(game)
    return {path: formatted(text) for path, text in texts.items()}


def formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--config", str(ROOT / "pyproject.toml"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
