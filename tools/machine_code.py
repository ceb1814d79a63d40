"""Makes the machine code that ships: `python tools/machine_code.py`, with `--wheel dist` a wheel that holds it.

Every loop that the packages have is called once as plain Python, which shows the types of its arguments; then it is
compiled for each level of the system's processors and linked by Zig (the package ziglang), which has a linker for every
system. Without `--system` it is made for this one. The package finds it in `gupai_env/machine_code` at its next start,
as long as the sources stay the same.
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
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import wasm

from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Population
from gupai_agents.evaluation.exact.all_hands import Hands, list_hands, role_worth
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.gymnasium_envs.learning_seat import legal_instead
from gupai_agents.gymnasium_envs.vector_env import SeatVectorEnv
from gupai_agents.networks.network_agent import gumbel
from gupai_agents.play import decisions
from gupai_agents.play.decisions import new_lanes, play_out
from gupai_agents.registry import agent_names, make_agent
from gupai_agents.shipped import CARD
from gupai_env import vector
from gupai_env.core.emitting import Target, emit, recorded
from gupai_env.core.game import Game, no_history
from gupai_env.core.shipped import CALLING, FOLDER, LEVELS, SOURCES, digest_of, key_of
from gupai_env.core.sources import sources_of
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.games import GAMES, get_game
from gupai_env.vector import VectorEnv
from gupai_training.opponents import FixedOpponents
from gupai_training.selfplay import SelfPlayVecEnv
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
    link: tuple[str, ...] = ()  # options of the linker


PLAIN, X86 = LEVELS[:1], LEVELS[2:]
MAC = ("-undefined", "dynamic_lookup")  # what Python has is found when it loads the extension
SYSTEMS = {
    "linux-x86_64": System("x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", X86),
    "linux-aarch64": System("aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", PLAIN),
    "macos-x86_64": System("x86_64-apple-macosx10.13", "x86_64-macos", "macosx_10_13_x86_64", X86, MAC),
    "macos-arm64": System("arm64-apple-macosx11.0", "aarch64-macos", "macosx_11_0_arm64", PLAIN, MAC),
    "windows-x86_64": System("x86_64-pc-windows-gnu", "x86_64-windows-gnu", "win_amd64", X86),
}
WASM = "wasm32"  # not a system but what browsers run, see `wasm.py`
HERE = f"{platform.system().lower().replace('darwin', 'macos')}-{platform.machine().replace('AMD64', 'x86_64')}"


def tour(game: Game) -> None:
    """Call every loop of a game, and those that all games share, with a few rows."""
    variant, heuristic = game.variant(), next(iter(game.heuristics))
    envs = VectorEnv(game, 2, threads=2)
    vector.prepare(game)
    envs.play_random(2, 0)
    envs.kernels.check(envs.table, envs.sample(0))
    envs.kernels.view_of(envs.rules, envs.states, 0, envs.views()[0])
    decisions.prepare(game)
    batch = DecisionBatch(envs.views()[0], envs.masks, envs.views()[1])
    batch.observations(game)
    gumbel(batch.rng_keys, game.num_actions)
    legal_instead(batch.masks, batch.rng_keys)
    believes = [f"search:playouts=2,particles=2,infer={heuristic}@4"] if game.history is not no_history else []
    cards = [CARD] if CARD in agent_names(game, variant) else []
    for name in ("search:playouts=2", *believes, *cards):
        make_agent(name, game).act(batch)
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
    learners = SelfPlayVecEnv(game, 2, FixedOpponents(players, variant.players, np.random.default_rng(0)))
    learners.reset()
    learners.step(learners.action_masks().argmax(1))
    rules, states = variant.as_rules(), game.new_states(1)
    laying_out(game)(rules, states, np.asarray(game.deck(rules), np.int8)[None])
    if game.history is not no_history:
        duel(game, "random", heuristic, 1, redeals=1)
    if game.hands:
        hands = list_hands(game, rules)
        few = Hands(*(part[:2] for part in (hands.hands, hands.times, hands.groups, hands.masks)), hands.copies)
        role_worth(few, rules, game, 0, few.masks / few.masks.sum(1, keepdims=True))
    with contextlib.suppress(ValueError):  # a game that deals no whole hands
        condition = {"feature": "doubles", "at_least": 1}
        wanted = Population.model_validate({"hand": [condition]})
        Sampler(game, variant, wanted).deal(new_lanes(game, variant, 2), 0, 0)


def emit_library(
    games: Sequence[str], shared: bool, triple: str, level: str, modules: Sequence[str]
) -> tuple[str, bytes, dict[str, list[str]]]:
    """Return the name of a library, its object file, and the sources of its loops.

    Args:
        games: The game whose loops they are, by id, or those that share them.
        shared: Whether it holds the loops that games share.
        triple, level: The target.
        modules: Of loops; none: all.
    """
    with recorded() as recording:
        for game in games:
            tour(get_game(game))
    calls = {symbol: call for symbol, call in recording.items() if (call.loop.game is None) == shared}
    calls = {symbol: call for symbol, call in calls.items() if not modules or call.loop.name.module in modules}
    names = {call.loop.name for call in calls.values()}
    needs = {key_of(name): sorted(sources_of(*filter(None, (name.module, name.game, EMITTED_BY)))) for name in names}
    return next(iter(names)).library, emit(calls, Target(triple, level)), needs


def link(system: System, out: Path, *inputs: Path) -> None:
    """Link object files, or compile a source of C, as one library."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", system.zig, "-shared", "-s", "-O2", *system.link]
    subprocess.run([*command, "-o", str(out), *map(str, inputs)], check=True)
    for left_over in (*out.parent.glob("*.pdb"), *out.parent.glob("*.lib")):
        left_over.unlink()


def link_calling(system: System, out: Path, folder: Path) -> None:
    """Compile the extension that calls what is shipped; on Windows it is told what python3.dll has."""
    inputs = [CALLING_SOURCE]
    if "windows" in system.triple:
        declared = re.findall(r"^FROM_PYTHON (.*);", CALLING_SOURCE.read_text(encoding="utf-8"), re.MULTILINE)
        names = [f"{name} DATA" for line in declared if "(" not in line for name in re.findall(r"_?Py\w+", line)]
        names += [re.findall(r"(Py\w+)\(", line)[0] for line in declared if "(" in line]
        (folder / "python3.def").write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *names]), encoding="utf-8")
        command = [sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-D", "python3.dll"]
        inputs.append(folder / "python3.lib")
        subprocess.run([*command, "-d", str(folder / "python3.def"), "-l", str(inputs[-1])], check=True)
    link(system, out, *inputs)


def environment(level: str) -> dict[str, str]:
    """Return what makes numba write code for a level, whatever this processor has."""
    return {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+bmi2" if level == LEVELS[-1] else ""}


def make(system: System, levels: Sequence[str], games: Sequence[str], modules: Sequence[str], out: Path) -> None:
    """Make machine code in a folder: what is there of other sources is removed."""
    if (out / SOURCES).exists():
        shutil.rmtree(out)
    needs: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        link_calling(system, out / CALLING, folder)
        for level in levels:
            os.environ |= environment(level)  # numba reads it when a process of the pool imports it
            jobs = [(games, True, system.triple, level, modules)]
            jobs += [([game], False, system.triple, level, modules) for game in games]
            with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
                for library, content, sources in pool.map(emit_library, *zip(*jobs, strict=True)):
                    needs |= sources
                    (folder / f"{library}.o").write_bytes(content)
                    link(system, out / level / f"{library}.so", folder / f"{library}.o")
    digests = {module: digest_of(module) for module in sorted(set().union(*needs.values()))}
    (out / SOURCES).write_text(json.dumps({"digests": digests, "needs": needs}, indent=1), encoding="utf-8")


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=[*SYSTEMS, WASM], default=HERE)
    parser.add_argument("--levels", nargs="+", help="default: all that the system has")
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES))
    parser.add_argument("--modules", nargs="+", default=[], help="of loops, default all")
    parser.add_argument("--out", type=Path, default=FOLDER, help="a folder for the machine code")
    parser.add_argument("--wheel", type=Path, help="a folder for a wheel with it")
    options = parser.parse_args()
    if options.system == WASM:
        wasm.make(options.games, options.out / WASM)
        return
    system = SYSTEMS[options.system]
    make(system, options.levels or system.levels, options.games, options.modules, options.out)
    if options.wheel:
        environ = os.environ | {"GUPAI_WHEEL_CODE": str(options.out.resolve()), "GUPAI_WHEEL_TAG": system.tag}
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(options.wheel.resolve())]
        subprocess.run(command, cwd=ROOT, env=environ, check=True)


if __name__ == "__main__":
    main()
