"""Makes the machine code that ships: `python tools/machine_code.py`, with `--wheel dist` a wheel that holds it.

Every loop that the packages have is called once as plain Python, which shows the types of its arguments; then it is
compiled for each level of the system's processors and linked by Zig (the package ziglang), which has a linker for every
system. Without `--wheel` it is made for the level of this processor alone, and the package finds it in
`gupai_env/machine_code` at its next start, as long as the sources stay the same.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Population
from gupai_agents.evaluation.exact.all_hands import Hands, list_hands, role_worth
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.gymnasium_envs.learning_seat import legal_instead
from gupai_agents.gymnasium_envs.vector_env import SeatVectorEnv
from gupai_agents.networks.network_agent import gumbel
from gupai_agents.play.decisions import new_lanes, play_out
from gupai_agents.play.replays import moves_since
from gupai_agents.registry import agent_names, heuristic_agent, make_agent
from gupai_agents.shipped import CARD
from gupai_env.core import compiling
from gupai_env.core.compiling import Loop
from gupai_env.core.game import Game, no_history
from gupai_env.core.shipped import FOLDER, LEVELS, SOURCES, SUFFIXES, calling_in, digest_of, key_of, kind_of
from gupai_env.core.sources import sources_of
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.games import GAMES, get_game
from gupai_env.vector import VectorEnv
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import SelfPlayEnv
from gupai_training.true_hand_targets import chips_in_deals

ROOT = Path(__file__).parent.parent
EMITTED_BY = "gupai_env.core.emitting"
CALLING_SOURCE = ROOT / "gupai_env/core/calling.c"


class System(NamedTuple):
    """What is made for: processor and system, as LLVM names them and as the linker does; levels of processor."""

    triple: str
    zig: str
    tag: str  # of its wheel
    levels: tuple[str, ...]
    platform: str  # as sys.platform
    link: tuple[str, ...] = ()  # options of the linker


PLAIN, X86 = LEVELS[:1], LEVELS[2:]
BMI2 = LEVELS[LEVELS.index("x86-64-v3") :]
# Levels that a wheel holds for some games alone: a level takes 1.1 MB, and AVX-512 makes few lanes faster.
GAMES_OF = {"x86-64-v4": ("da-ling",)}
# What Python has is found when it loads the extension; a library's own name would be where it was made.
MAC = ("-undefined", "dynamic_lookup", "-Wl,-install_name,@rpath/gupai")
SYSTEMS = {
    "linux-x86_64": System("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", X86, "linux"),
    "linux-aarch64": System(
        "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", PLAIN, "linux"
    ),
    "macos-x86_64": System("x86_64-apple-macosx10.13", "x86_64-macos.10.13", "macosx_10_13_x86_64", X86, "darwin", MAC),
    "macos-arm64": System("arm64-apple-macosx11.0", "aarch64-macos.11.0", "macosx_11_0_arm64", PLAIN, "darwin", MAC),
    "windows-x86_64": System("x86_64-pc-windows-gnu", "x86_64-windows-gnu", "win_amd64", X86, "win32"),
}
WASM = "wasm32"  # not a system but what browsers run, see `wasm.py`
HERE = f"{platform.system().lower().replace('darwin', 'macos')}-{platform.machine().replace('AMD64', 'x86_64')}"


def tour(game: Game) -> None:
    """Call every loop of a game, and those that all games share, with a few rows."""
    variant, heuristic = game.variant(), next(iter(game.heuristics))
    envs = VectorEnv(game, 2, threads=2)
    one = VectorEnv(game, 1)
    one.step(one.sample(0))
    one.observed_by(0)
    views, rng_keys = one.views()
    one.kernels.determinize(one.rules, views, rng_keys, game.new_states(1))
    for name in game.heuristics:
        heuristic_agent(name, game, variant).scores(DecisionBatch(views, one.masks, rng_keys))
    make_agent("random", game).act(DecisionBatch(views, one.masks, rng_keys))
    envs.play_random(2, 0)
    envs.kernels.check(envs.table, envs.sample(0))
    envs.kernels.view_of(envs.rules, envs.states, 0, envs.views()[0])
    batch = DecisionBatch(envs.views()[0], envs.masks, envs.views()[1])
    batch.observations(game)
    gumbel(batch.rng_keys, game.num_actions)
    legal_instead(batch.masks, batch.rng_keys)
    believes = [f"search:playouts=2,particles=2,infer={heuristic}@4"] if game.history is not no_history else []
    cards = [CARD] if CARD in agent_names(game, variant) else []
    few = batch._replace(masks=batch.masks & (batch.masks.cumsum(1) <= 2))  # a search takes seconds for each action
    for name in ("search:playouts=2", *believes, *cards):
        make_agent(name, game).act(few.at(slice(1)))
    states = envs.states.copy()
    tables = np.array([[game.heuristic(heuristic)] * 2])
    chips_in_deals(game, envs.rules, tables, np.zeros(2, np.int64), states, batch.masks, 1)
    tour_of_deals(game, variant, heuristic)


def tour_of_deals(game: Game, variant: Variant, heuristic: str) -> None:
    """Call the loops that play whole deals, and those that deal to order."""
    players = [make_agent(heuristic, game), make_agent("random", game)]
    play_out(new_lanes(game, variant, 2), [players[0]] * game.max_seats)
    seats = SeatVectorEnv(game.id, 2, opponents=[heuristic] * (variant.players - 1))
    seats.reset(seed=0)
    seats.step(seats.action_space.sample())
    pool = OpponentPool(variant.players, np.random.default_rng(0), self_share=0.0, size=1, rule_share=0.0)
    for player in players:
        pool.add(player, born=0, scripted=True)
    learners = SelfPlayEnv(game, 2, pool)
    learners.reset()
    learners.play(learners.masks.argmax(1))
    rules, states = variant.as_rules(), game.new_states(1)
    laying_out(game)(rules, states, np.asarray(game.deck(rules), np.int8)[None])
    if game.history is not no_history:
        duel(game, "random", heuristic, 1, redeals=1)
        moves_since(game, variant, new_lanes(game, variant, 1).states)
    if game.hands:
        hands = list_hands(game, rules)
        few = Hands(*(part[:2] for part in (hands.hands, hands.times, hands.groups, hands.masks)), hands.copies)
        role_worth(few, rules, game, 0, few.masks / few.masks.sum(1, keepdims=True))
    with contextlib.suppress(ValueError):  # a game that deals no whole hands
        condition = {"feature": "doubles", "at_least": 1}
        wanted = Population.model_validate({"hand": [condition]})
        Sampler(game, variant, wanted).deal(new_lanes(game, variant, 2), 0, 0)


def emit_library(
    games: Sequence[str], shared: bool, modules: Sequence[str], targets: Sequence[tuple[str, str]]
) -> tuple[str, list[bytes], dict[str, list[str]]]:
    """Return the name of a library, its object file for each target, and the sources of its loops.

    Args:
        games: The game whose loops they are, by id, or those that share them.
        shared: Whether it holds the loops that games share.
        modules: Of loops; none: all.
        targets: Triples and levels, of which all have BMI2 or none.
    """
    os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+bmi2" if targets[0][1] in BMI2 else ""}
    from gupai_env.core.emitting import Call, emit  # numba reads the environment only now
    from gupai_env.core.target import Target

    calls: dict[str, Call] = {}

    def note(loop: Loop, arguments: tuple[Any, ...]) -> None:
        if (loop.game is None) == shared:
            calls.setdefault(loop.name.symbol(tuple(map(kind_of, arguments))), Call(loop, arguments))

    compiling.recorder = note
    for game in games:
        tour(get_game(game))
    compiling.recorder = None
    calls = {symbol: call for symbol, call in calls.items() if not modules or call.loop.name.module in modules}
    names = {call.loop.name for call in calls.values()}
    needs = {key_of(name): sorted(sources_of(*filter(None, (name.module, name.game, EMITTED_BY)))) for name in names}
    return next(iter(names)).library, [emit(calls, Target(*target)) for target in targets], needs


def link(system: System, out: Path, *inputs: Path) -> None:
    """Link object files, or compile a source of C, as one library."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", system.zig, "-shared", "-s", "-O2", *system.link]
    subprocess.run([*command, "-o", str(out), *map(str, inputs)], check=True)
    for left_over in (*out.parent.glob("*.pdb"), *out.parent.glob("*.lib")):
        left_over.unlink()


def link_calling(system: System, out: Path) -> None:
    """Compile the extension that calls what is shipped; on Windows it is told what python3.dll has."""
    inputs = [CALLING_SOURCE]
    with tempfile.TemporaryDirectory() as folder:
        if system.platform == "win32":
            declared = re.findall(r"^FROM_PYTHON (.*);", CALLING_SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
            names = [f"{name} DATA" for line in declared if "(" not in line for name in re.findall(r"_?Py\w+", line)]
            names += [re.findall(r"(Py\w+)\(", line)[0] for line in declared if "(" in line]
            exports, library = Path(folder, "python3.def"), Path(folder, "python3.lib")
            exports.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names]), encoding="utf-8")
            command = [sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-D", "python3.dll"]
            subprocess.run([*command, "-d", str(exports), "-l", str(library)], check=True)
            inputs.append(library)
        link(system, out / f"calling{SUFFIXES[system.platform][0]}", *inputs)


def native_level() -> str:
    """Return the highest level of this system that this processor has."""
    with tempfile.TemporaryDirectory() as folder:
        link_calling(SYSTEMS[HERE], Path(folder))
        level = calling_in(Path(folder)).level()
    return next(known for known in SYSTEMS[HERE].levels[::-1] if LEVELS.index(known) <= level)


def make(folders: Mapping[str, Path], levels: Sequence[str], games: Sequence[str], modules: Sequence[str]) -> None:
    """Make machine code in a folder for each system: what is there of other sources is removed.

    Args:
        folders: By the system's name.
        levels: Of processors; none: all that a wheel for the system holds.
        games: By id.
        modules: Of loops; none: all.
    """
    for name, out in folders.items():
        for level in LEVELS:
            shutil.rmtree(out / level, ignore_errors=True)
        link_calling(SYSTEMS[name], out)
    targets = [(name, level) for name in folders for level in levels or SYSTEMS[name].levels]
    parts = [(games, True), *(([game], False) for game in games)]
    needs: dict[str, list[str]] = {}
    with workers() as pool, tempfile.TemporaryDirectory() as folder:
        emitted = []
        for way in ([target for target in targets if (target[1] in BMI2) == bmi2] for bmi2 in (True, False)):
            for part, shared in parts:
                chosen = [target for target in way if levels or part[0] in GAMES_OF.get(target[1], part)]
                triples = [(SYSTEMS[name].triple, level) for name, level in chosen]
                if chosen:
                    emitted.append((chosen, pool.submit(emit_library, part, shared, modules, triples)))
        for way, job in emitted:
            library, objects, sources = job.result()
            needs |= sources
            for (name, level), content in zip(way, objects, strict=True):
                source = Path(folder, f"{library}.o")
                source.write_bytes(content)
                link(SYSTEMS[name], folders[name] / level / f"{library}{SUFFIXES[SYSTEMS[name].platform][1]}", source)
    digests = {module: digest_of(module) for module in sorted(set().union(*needs.values()))}
    for out in folders.values():
        (out / SOURCES).write_text(json.dumps({"digests": digests, "needs": needs}, indent=1), encoding="utf-8")


def workers() -> ProcessPoolExecutor:
    """Return processes of which each does one job; where a server can start them, it imports the packages once."""
    context = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
    context.set_forkserver_preload(["gupai_agents.gymnasium_envs", "gupai_training.selfplay"])
    return ProcessPoolExecutor(os.cpu_count(), mp_context=context, max_tasks_per_child=1)


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=[*SYSTEMS, WASM], nargs="+", default=[HERE])
    parser.add_argument("--levels", nargs="+", default=[], help="of processors, default all for a wheel")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--modules", nargs="+", default=[], help="of loops, default all")
    parser.add_argument("--out", type=Path, help="a folder for the machine code")
    parser.add_argument("--wheel", type=Path, help="a folder for a wheel with it")
    options = parser.parse_args()
    if WASM in options.system:
        import wasm  # with numba, which must not be here when processes are started

        wasm.make(options.games, (options.out or FOLDER) / WASM)
    systems = [name for name in options.system if name != WASM]
    with tempfile.TemporaryDirectory() as folder:
        if options.wheel:
            folders = {name: Path(folder, name) for name in systems}
        else:
            folders = dict.fromkeys(systems, options.out or FOLDER)
        levels = options.levels or ([] if options.wheel or systems != [HERE] else [native_level()])
        make(folders, levels, options.games, options.modules)
        for name in systems if options.wheel else ():
            environ = os.environ | {"GUPAI_WHEEL_CODE": str(folders[name]), "GUPAI_WHEEL_TAG": SYSTEMS[name].tag}
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(options.wheel.resolve())]
            subprocess.run(command, cwd=ROOT, env=environ, check=True)


if __name__ == "__main__":
    main()
