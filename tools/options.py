"""Writes the options of the games as types, and the makers of the PettingZoo environments, for editors and checkers.

The source is each game's variant. `tests/project/test_docs.py` compares what is here with it. After a change
that is meant:

    python tools/options.py

All are stubs. `gupai_env/options.pyi` has a TypedDict of the options of each game, and of all, which the functions take
that are given a game by name; `gupai_env/GAME_vN.pyi` has the environments of a game.
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
    return f'''"""{game.title} as a PettingZoo environment.

{WRITTEN}
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.options import {types}

def raw_env(*, {", ".join(map(str, parameters))}, **variant: Unpack[{types}]) -> GupaiEnv: ...

env = raw_env
'''


def module(summary: str, *types: str) -> str:
    return "\n".join([f'"""{summary}\n\n{WRITTEN}\n"""\n', "from typing import Literal, TypedDict\n\n", *types])


def files() -> dict[Path, str]:
    """Return what is written, formatted, by path."""
    options_by_game = {game: options_of(game) for game in GAMES.values()}
    names = dict.fromkeys(name for options in options_by_game.values() for name in options)
    union = {name: joined([options[name] for options in options_by_game.values() if name in options]) for name in names}
    summary = "The options of all games; `gupai rules GAME` shows which of them a game has."
    types, texts = [typed_dict("Options", summary, union)], {}
    for game, options in options_by_game.items():
        name, leader = game.variant.__name__, {"leader": options.pop("leader")}
        summary = f"The options of {game.title} for a position that is set up, whose leader is given by itself."
        position = typed_dict(f"{name}Position", summary, options)
        all_options = typed_dict(
            f"{name}Options", f"The options of {game.title}; all may be left out.", leader, f"{name}Position"
        )
        types += [position, all_options]
        texts[ROOT / f"gupai_env/{game.identifier}_v{game.version}.pyi"] = environments(game)
    texts[ROOT / "gupai_env/options.pyi"] = module("Types of options.", *types)
    return {path: formatted(text) for path, text in texts.items()}


def formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--config", str(ROOT / "pyproject.toml")]
    command += ["--stdin-filename", "types.pyi", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
