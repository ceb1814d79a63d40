"""Ship trained players: write the player `best` of a variant from a run, its weights in eight bits, with how it fares.

    gupai train strong/jie-long
    python benchmarks/strong.py runs/strong-jie-long-1 --machine "2 cores of an AMD EPYC"
    gupai train true_hands/jie-long
    python benchmarks/strong.py runs/dealt-jie-long-1 --machine "2 cores of an AMD EPYC"
    python benchmarks/strong.py runs/dealt-jie-long-1 runs/dealt-jie-long-2 --machine ...    # their mean weights
    python benchmarks/strong.py --again        # judge all that ship once more
    python benchmarks/strong.py --again jie-long-forced_play_true --look-ahead 5 16 0.25

What is shipped is judged as it ships. The file goes to agents/gupai_agents/shipped/networks; `python tools/pages.py`
then says of it in docs/models.md. A new network does not look ahead until it is told to.
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.benchmark.cards import REPLACED
from gupai_agents.evaluation.benchmark.models import read_suite, suite_names
from gupai_agents.evaluation.exact.all_hands import build_hand_tree, offers_hands
from gupai_agents.look_ahead import HEADER_KEY, Depth, look_ahead_of
from gupai_agents.networks.checkpoint import read_checkpoint, read_header, variant_of, write_checkpoint
from gupai_agents.networks.network import NetworkAgent, packed, unpacked
from gupai_agents.players.identity import digest_of
from gupai_agents.shipped import BEST, NETWORKS
from gupai_env.storage.models import parse_yaml
from gupai_training.config import CONFIG_FILE, ExpertIterationConfig
from gupai_training.curves import evaluations_of

SEED = 2_000_003  # deals that neither training nor its looks have met
DEALS, SEARCHED = 20_000, 1000  # of a duel with a player by name, and with a search
FEWER = {"shi-wu-hu": 40}  # where a deal of a search takes a second and more
SEARCH = "search:playouts=200"
# What is told of players that went into a run, and of the one it began with also who went into that.
TOLD = "targets", "decisions", "seconds", "seed", "machine", "recipe", "rollout_policy"
PLAYERS = "start", "averaged_with", "start_averaged", "ensemble"


def main() -> None:
    """Ship the player of a run, or judge again those that ship."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "runs",
        type=Path,
        nargs="*",
        metavar="run",
        help="folder of a run that is finished; of several from the same player the mean weights ship",
    )
    parser.add_argument("--with-best", action="store_true", help="`best`, which they began with, in the mean as well")
    parser.add_argument("--best-actions", action="store_true", help="it takes these, though it learned to mix them")
    parser.add_argument("--machine", help='what it was trained on, for instance "2 cores of an AMD EPYC"')
    parser.add_argument(
        "--again", nargs="*", metavar="PLAYER", help="judge what ships once more: all, or files by name"
    )
    parser.add_argument(
        "--look-ahead",
        nargs=3,
        type=float,
        metavar=("TILES", "PLAYOUTS", "TRUST"),
        help="with --again: how these look ahead late in a deal",
    )
    chosen = parser.parse_args()
    is_repeat = chosen.again is not None
    ships = chosen.runs, chosen.machine, chosen.with_best, chosen.best_actions
    if any(ships) if is_repeat else not all(ships[:2]):
        parser.error("runs and their --machine, or --again")
    if chosen.look_ahead and not chosen.again:
        parser.error("--look-ahead goes with --again and names of players")
    try:
        if is_repeat:
            named = [NETWORKS / f"{name}.safetensors" for name in chosen.again]
            paths = named or sorted(NETWORKS.glob("*.safetensors"))
        else:
            paths = [ship(chosen.runs, chosen.machine, chosen.with_best, chosen.best_actions)]
        for path in paths:
            if chosen.look_ahead:
                look_ahead(path, *chosen.look_ahead)
            judge(path)
    except ValueError as error:  # a CheckpointError too
        parser.error(str(error))


def ship(runs: Sequence[Path], machine: str, with_best: bool = False, best_actions: bool = False) -> Path:
    """Write the player of a run, or of several runs' mean weights, among those that ship, not judged; return its file.

    Args:
        with_best: The mean has also the player `best` that the runs began with.
        best_actions: It takes its best actions, whatever it has learned to do.

    Raises:
        ValueError: Unless all are networks of the same shape for the same variant that began with the same player.
    """
    players = [read_checkpoint(run) for run in runs]
    header = dict(players[0][0])
    game, variant = variant_of(runs[0], header)
    words = "-".join(_word(*item) for item in variant.changed().items()) or "default"
    path = NETWORKS / f"{game.id}-{words}.safetensors"
    sources = list(runs)
    if with_best:
        sources.append(path)
        players.append(read_checkpoint(path))
        header["start_averaged"] = True
    for source, (other, _) in zip(sources, players, strict=True):
        if variant_of(source, other) != (game, variant) or other["net"] != header["net"]:
            raise ValueError(f"{source}: not the network and the variant of {runs[0]}")
    start = BEST if with_best else _start(runs[0])
    for run in runs:
        if _start(run) != start:
            raise ValueError(f"{run}: began with {_start(run)}, not with {start}")
    header |= _made(runs[0], machine, path)
    if best_actions:
        header["mixes"] = False
    if len(runs) > 1:
        header["averaged_with"] = [_description(run, machine, path, TOLD) for run in runs[1:]]
    weights = [unpacked(tensors) for _, tensors in players]
    mean = {name: np.mean([tensors[name] for tensors in weights], 0) for name in weights[0]}
    NETWORKS.mkdir(exist_ok=True)
    replace(path, header, packed(mean))
    return path


def replace(path: Path, header: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
    """Write a player that ships; another one before it stays with the suites of the benchmark that measure with it."""
    if path.exists():
        before, weights = read_checkpoint(path)
        if before == header and all((weights[name] == tensor).all() for name, tensor in tensors.items()):
            return  # the same again could be other bytes than those of before
        known, suites = digest_of(path), map(read_suite, suite_names())
        if any(known in task.population.values() for suite in suites for task in suite.tasks):
            REPLACED.mkdir(exist_ok=True)
            shutil.copy(path, REPLACED / f"{known}.safetensors")
    write_checkpoint(path, header, tensors)


def _start(run: Path) -> str:
    return parse_yaml((run / CONFIG_FILE).read_text(encoding="utf-8")).get("start") or "no player"


def _made(run: Path, machine: str, replaced: Path) -> dict[str, Any]:
    """Return how a run was made: machine, recipe, and the players that went into it, which may be of runs as well.

    Args:
        replaced: The file of the player that was `best` to them all.
    """
    recipe = (run / CONFIG_FILE).read_text(encoding="utf-8")
    settings = parse_yaml(recipe)
    expert_iteration = settings.get("expert_iteration", {})

    def short_repr(spec: str, names: Sequence[str] = TOLD + PLAYERS) -> dict[str, Any]:
        source = replaced if spec == BEST else Path(spec.partition(":")[2])
        return _description(source, machine, replaced, names)

    made: dict[str, Any] = {"machine": machine, "recipe": recipe, "seconds": evaluations_of(run)[-1]["seconds"]}
    if start := settings.get("start"):
        made["start"] = short_repr(start)
    if ensemble := expert_iteration.get("ensemble"):
        made["ensemble"] = [short_repr(spec) for spec in ensemble]
    if rollout_policy := expert_iteration.get("rollout_policy"):
        made["rollout_policy"] = short_repr(rollout_policy, TOLD)
    return made


def _description(source: Path, machine: str, replaced: Path, names: Sequence[str]) -> dict[str, Any]:
    """Return what is said of a player, a file or a run's folder, that went into another."""
    header = read_header(source)
    if (source / CONFIG_FILE).is_file():
        header |= _made(source, machine, replaced)
    return {name: header[name] for name in names if name in header}


def look_ahead(path: Path, tiles: float, playouts: float, trust: float) -> None:
    """Write into a player that ships how it looks ahead; raises ValueError or CheckpointError if it cannot."""
    header, small = read_checkpoint(path)
    settings = parse_yaml(header["recipe"])
    temperature = settings.get("expert_iteration", {}).get("temperature", ExpertIterationConfig().temperature)
    whole = [int(number) if number.is_integer() else number for number in (tiles, playouts)]
    header[HEADER_KEY] = Depth(*whole, trust, temperature)._asdict()  # type: ignore[arg-type]
    look_ahead_of(header, *variant_of(path, header))
    replace(path, header, small)


def judge(path: Path) -> None:
    """Write into a player that ships how it fares."""
    header, small = read_checkpoint(path)
    game, variant = variant_of(path, header)
    player, options = NetworkAgent.load(path, game, variant), variant.changed()
    won = {}
    print(path.stem)
    for name in [*(name for name in agent_names(game) if name != BEST), SEARCH]:
        deals = FEWER.get(game.id, SEARCHED) if name == SEARCH else DEALS
        chips = duel(game, player, make_agent(name, game, **options), deals, seed=SEED, **options).mean(0)
        won[name] = {name: round(number, 4) for name, number in chips.as_numbers().items()}
        print(name, chips, flush=True)
    header["evaluation"] = {"seed": SEED, "chips_per_deal_against": won}
    if offers_hands(game, variant):
        tree = build_hand_tree(game, **options)
        header["evaluation"]["exploitability"] = round(tree.exploitability(tree.policy([player, player])), 6)
    replace(path, header, small)
    print(f"{path}: {path.stat().st_size:,} bytes")


def _word(name: str, value: object) -> str:
    """Return an option as a part of a file's name."""
    return f"{name}_{value}".lower()


if __name__ == "__main__":
    main()
