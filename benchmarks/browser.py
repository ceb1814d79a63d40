"""Compares the WebAssembly of the page with Python, byte by byte: `python -m benchmarks.browser [GAME ...]`.

Run `python tools/machine_code.py --system wasm32` first; node is needed. For each game and some of its variants both
play the same lanes at random until DEALS deals have ended, and compare after each step states, masks, observations,
payoffs, views, keys and redeals, and what every player answers; then searches, in numbers, and single matches, in which
each move is drawn. `--speed` measures decisions per second in one thread, here and there.
"""

import argparse
import dataclasses
import hashlib
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.registry import agent_names, make_agent
from gupai_agents.shipped import best_file
from gupai_app.play.session import Session
from gupai_env.core.episode import noise_key
from gupai_env.core.game import Game, no_history
from gupai_env.core.rng import draw
from gupai_env.core.shipped import FOLDER, digest_of
from gupai_env.core.variant import Variant
from gupai_env.games import GAMES, get_game
from gupai_env.vector import VectorEnv

SCRIPT = Path(__file__).with_suffix(".mjs")
WASM = FOLDER / "wasm32"
LANES, DEALS, SEED = 50, 1000, 3
MOST_VARIANTS = 6


def digest(*arrays: Any) -> str:
    """Return the digest of some arrays, as bytes."""
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()[:16]


def variants(game: Game) -> list[Variant]:
    """Return the default variant, the tiny one, and one for each further choice that is allowed alone."""
    some = [game.variant(), game.variant(**game.variant.tiny_options())]
    for field in dataclasses.fields(game.variant):
        for choice in (True, False) if isinstance(field.default, bool) else field.metadata["choices"]:
            try:
                some.append(game.variant(**{field.name: choice}))
            except ValueError:  # it needs another option too
                continue
    some.append(game.variant(deals=3, leader=1))
    return list(dict.fromkeys(some))


def play_lanes(variant: Variant, game: Game, job: dict[str, Any]) -> tuple[list[dict[str, str]], int]:
    """Play lanes at random; return digests of what they show and of players' answers, step by step, and the deals."""
    envs = VectorEnv(game, job["lanes"], seed=job["seed"], **variant.changed())
    agents = {spec: make_agent(spec, game, **vars(variant)) for spec in job["agents"]}
    steps, deals = [], 0
    for number in range(job["steps"]):
        batch = decisions(envs)
        redealt = game.new_states(job["lanes"])
        envs.kernels.determinize(envs.rules, batch.views, batch.rng_keys, redealt)
        digests = {
            "states": digest(envs._arrays["states"]),
            "seats": digest(envs.seats),
            "masks": digest(envs.masks),
            "observations": digest(envs.observations),
            "payoffs": digest(envs.rewards, envs.terminated),
            "views": digest(batch.views),
            "keys": digest(batch.rng_keys),
            "redeals": digest(redealt),
            "observed_by": digest(envs.observed_by(number % variant.players)),
        }
        steps.append(digests | {spec: digest(agent.act(batch)) for spec, agent in agents.items()})
        envs.step(envs.sample(number))
        deals += int(envs.terminated.sum())
    return steps, deals


def decisions(envs: VectorEnv) -> DecisionBatch:
    """Return the decisions to be made in all lanes."""
    views, rng_keys = envs.views()
    return DecisionBatch(views, envs.masks.copy(), rng_keys)


def search(variant: Variant, game: Game, job: dict[str, Any]) -> list[list[dict[str, str]]]:
    """Search in the first decisions of lanes; return digests of the values, by search and step."""
    searches = []
    for spec in job["searches"]:
        envs = VectorEnv(game, job["search_lanes"], seed=job["seed"] + 1, **variant.changed())
        agent: Any = make_agent(spec, game, **vars(variant))
        steps = []
        for number in range(job["search_steps"]):
            batch = decisions(envs)
            compared = [ask(batch) for ask in (agent.values, agent.compare)]
            # The exponentials of a belief may differ in their last bits.
            compared = [values._replace(effective=values.effective.astype(np.float32)) for values in compared]
            values = [np.nan_to_num(part.astype(float)) for values in compared for part in values]
            envs.step(envs.sample(number))
            steps.append({"values": digest(*values), "actions": digest(agent.act(batch))})
        searches.append(steps)
    return searches


def play_deals(variant: Variant, game: Game, job: dict[str, Any]) -> list[list[str]]:
    """Play single matches, each move drawn; return digests of their moments."""
    matches = []
    for seed in range(job["matches"]):
        session, moves = Session(game, variant, seed), []
        while not session.terminated:
            legal = np.flatnonzero(session.mask())
            views = [session.view_row(seat) for seat in range(variant.players)]
            redealt = session.redealt(session.seat, seed).states
            action = int(legal[draw(noise_key(session.state), 1, len(legal))])
            after = session.copy()
            after.step(action)
            chips = np.array(session.play(action) or [], float)
            moves.append(digest(*views, redealt, session.states, chips, np.array(after.paid(), float)))
        matches.append(moves)
    return matches


def in_node(job: dict[str, Any]) -> dict[str, Any]:
    """Return what the script answers to a job; raises RuntimeError with what it said."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        run = subprocess.run(["node", str(SCRIPT), str(file)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr)
    answer: dict[str, Any] = json.loads(run.stdout)
    return answer


def require_current(game: Game, folder: Path) -> None:
    """Leave with what to run if the module of a game was made from other sources than those that are here."""
    file = folder / f"{game.id}.json"
    sources = json.loads(file.read_text(encoding="utf-8"))["sources"] if file.exists() else {"": None}
    if any(digest_of(name) != digest for name, digest in sources.items() if not name.endswith(".py")):
        raise SystemExit(f"{file} is not of these sources; run python tools/machine_code.py --system wasm32")


def job_of(
    game: Game, variant: Variant, folder: Path, deals: int, speed: int = 0, decisions: int = 0
) -> dict[str, Any]:
    """Return what both are to play."""
    heuristics = [*game.heuristics, *(name for name in agent_names(game, variant) if name == "tuned")]
    played = [name for name in agent_names(game, variant) if name not in game.policies]
    beliefs = ["search:playouts=20,particles=50,infer=tuned@4"] * has_history(game)
    changed = ",".join(f"{feature.name}={number - 1.5}" for number, feature in enumerate(game.features[:3]))
    file = best_file(game, variant)
    return {
        "folder": str(folder),
        "game": game.id,
        "options": variant.changed(),
        "seed": SEED,
        "lanes": LANES,
        "steps": steps_for(game, variant, deals, decisions),
        "agents": [*played, f"{heuristics[0]}@4", "easy", f"{heuristics[-1]}+{changed}", f"heuristic:{changed}@3"],
        "networks": {file.name: str(file)} if file else {},
        "searches": [f"search:playouts=20,heuristic={heuristics[-1]}+{changed},others={heuristics[0]}", *beliefs],
        "search_lanes": 5,
        "search_steps": 8,
        "matches": 2,
        "speed": speed,
    }


def steps_for(game: Game, variant: Variant, deals: int, decisions: int = 0) -> int:
    """Return how many steps of LANES lanes at random end so many deals, and take so many decisions."""
    envs, ended, steps = VectorEnv(game, LANES, seed=SEED, observe=False, **variant.changed()), 0, 0
    while ended < deals or steps * LANES < decisions:
        envs.step(envs.sample(steps))
        ended += int(envs.terminated.sum()) * variant.deals
        steps += 1
    return steps


def has_history(game: Game) -> bool:
    """Return whether searches of a game can weigh what the others did."""
    return game.history is not no_history


def differences(game: Game, variant: Variant, job: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """Return where Python and an answer of the script differ, in words; none if they are equal."""
    steps, _ = play_lanes(variant, game, job)
    wrong = {
        name: step
        for step, (own, other) in reversed(list(enumerate(zip(steps, there["lanes"]["steps"], strict=True))))
        for name in own
        if own[name] != other[name]
    }
    messages = [f"{name} from step {step} on" for name, step in wrong.items()]
    for spec, own, other in zip(job["searches"], search(variant, game, job), there["searches"], strict=True):
        messages += [f"{spec}: {name}" for name in own[0] if [s[name] for s in own] != [s[name] for s in other]]
    if play_deals(variant, game, job) != there["deals"]:
        messages.append("single matches")
    return messages


def rates(game: Game, variant: Variant, lanes: int) -> dict[str, float]:
    """Return decisions per second of lanes in one thread of Python, by how they are played."""
    envs = VectorEnv(game, lanes, seed=1, **variant.changed())

    def rate(run: Callable[[int], Any]) -> float:
        run(0)
        begin, rounds = time.perf_counter(), 0
        while (spent := time.perf_counter() - begin) < 1:
            run(rounds)
            rounds += 1
        return lanes * rounds / spent

    return {
        "play_random": rate(lambda key: envs.play_random(1, key)),
        "step": rate(lambda key: envs.step(envs.sample(key))),
    }


def main() -> None:
    """Compare what is asked for; fails if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", choices=[[], *GAMES], help="default: all")
    parser.add_argument("--folder", type=Path, default=WASM, help="of GAME.wasm and GAME.json")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--decisions", type=int, default=10_000, help="at least, of each variant")
    parser.add_argument("--variants", type=int, default=MOST_VARIANTS, help="how many of each game")
    parser.add_argument("--speed", type=int, default=0, help="lanes, to measure decisions per second too")
    options = parser.parse_args()
    failed = False
    for game in map(get_game, options.games or GAMES):
        require_current(game, options.folder)
        for variant in variants(game)[: options.variants]:
            speed = options.speed if variant == game.variant() else 0
            job = job_of(game, variant, options.folder, options.deals, speed, options.decisions)
            there = in_node(job)
            wrong = differences(game, variant, job, there)
            failed |= bool(wrong)
            counted = f"{there['lanes']['deals']:,} episodes, {job['steps'] * LANES:,} decisions"
            print(f"{game.id} ({variant}): {counted}: {'; '.join(wrong) or 'equal'}", flush=True)
            if speed:
                here = rates(game, variant, speed)
                for name, rate in there["speed"].items():
                    print(
                        f"  {name}: {rate:,.0f} decisions per second, {rate / here[name]:.2f} of Python's", flush=True
                    )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
