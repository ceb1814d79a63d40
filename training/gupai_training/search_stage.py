"""The stage in which a network learns from search targets: the loop, and what it saves to go on exactly.

`SearchStage.step` makes a chunk of targets and takes the gradient steps on it.
"""

import itertools
import json
import time
from collections.abc import Callable

import numpy as np

from gupai_agents.checkpoint import read_checkpoint, write_checkpoint
from gupai_agents.network import NetworkAgent
from gupai_agents.workers import LostError, StoppedError, stoppable
from gupai_env.core.checks import whole_number
from gupai_training import resume
from gupai_training.config import SEARCH_STAGE
from gupai_training.resume import counted, fitting, measured, part, under
from gupai_training.run_folder import RunFolder, Spent
from gupai_training.search_targets import Kind, SearchStage

TARGETS = "targets-{}.safetensors"  # of a chunk, while this stage is under way


def learn_from_search(run: RunFolder, search_stage: SearchStage, go_on: bool, stop: Callable[[], bool]) -> bool:
    """Learn from chunks of targets to the end of the stage; return whether it was reached.

    Args:
        run: Where the player, the evaluations and the logs go.
        search_stage: Network, optimiser and targets, just built.
        go_on: Whether to begin where `save` left off.
        stop: Asked while targets are made, and between two chunks.
    """
    evaluation, config = run.config.evaluation, run.config
    if go_on:
        with stoppable(stop):
            restore(run, search_stage)
        run.spent = Spent(0.0, search_stage.targets, search_stage.seconds)
        run.forget_what_comes_again()
    before, begun = search_stage.seconds, time.monotonic()
    run.reporter.begin("search", search_stage.progress())
    while search_stage.progress() < 1:
        try:
            with stoppable(stop):
                scalars = search_stage.step(run.current_agent("now"))
        except (LostError, StoppedError) as error:  # before anything was learned from the next chunk
            save(run, search_stage)
            if isinstance(error, LostError):
                raise
            return False
        search_stage.seconds = before + time.monotonic() - begun
        run.spent = Spent(0.0, search_stage.targets, search_stage.seconds)
        run.reporter.by_search(search_stage.progress(), search_stage.targets, search_stage.seconds)
        for name, value in scalars.items():
            run.logger.record(f"train/{name}", value)
        chunks, ended = len(search_stage.ends), search_stage.progress() >= 1
        if ended or chunks % evaluation.every == 0:
            run.report_evaluation()
        run.logger.dump(search_stage.targets)
        stopping = stop()
        if ended or stopping or chunks % config.save_every == 0:
            save(run, search_stage)
        if stopping:
            return False
    return True


def save(run: RunFolder, search_stage: SearchStage) -> None:
    """Write the player and everything that the next step depends on: targets that are new in files of their own.

    Where none of them will be learned from again the targets go.
    """
    run.save_agent()
    window, config = search_stage.window, run.config.model_dump()
    more = search_stage.looks_back()
    for number, first, end in search_stage.chunks(search_stage.written) if more else ():
        first = max(first, window.made - len(window))
        header = {"kind": "targets", "config": config, "first": first, "end": end}
        write_checkpoint(run.folder / TARGETS.format(number), header, window.saved(first, end))
    search_stage.written = len(search_stage.ends)
    header = {
        "ends": search_stage.ends,
        "chance": json.dumps(search_stage.chance.bit_generator.state),
        "seconds": search_stage.seconds,
    }
    tensors: dict[str, np.ndarray] = {}
    if search_stage.expert_iteration.ahead:
        header["asked"] = [[asked.player is None, asked.kind] for asked in search_stage.asked]
        for number, asked in enumerate(search_stage.asked):
            if isinstance(asked.player, NetworkAgent):
                tensors |= under(f"asked.{number}.", asked.player.tensors)
    resume.save(run.folder, SEARCH_STAGE, config, search_stage.network, search_stage.optimizer, (header, tensors))
    kept = {TARGETS.format(number) for number, *_ in search_stage.chunks(0)} if more else ()
    for file in run.folder.glob(TARGETS.format("*")):
        if file.name not in kept:
            file.unlink()


def restore(run: RunFolder, search_stage: SearchStage) -> None:
    """Put learning from search just built from the same configuration where `save` left it.

    Raises: CheckpointError if a file is damaged, missing or belongs to another configuration.
    """
    config = run.config.model_dump()
    with resume.restored(run.folder, config, search_stage.network, search_stage.optimizer) as (header, tensors):
        ends = [counted("ends", end) for end in header["ends"]]
        for begin, end in itertools.pairwise([0, *ends]):
            whole_number("targets of a chunk", end - begin, 0, search_stage.most_targets)
        search_stage.chance.bit_generator.state = json.loads(header["chance"])
        search_stage.seconds = measured("seconds", header["seconds"])
        search_stage.ends, search_stage.written = ends, len(ends)
        search_stage.window.made = ends[-1] if ends else 0
        chunks = header["asked"] if search_stage.expert_iteration.ahead else ()
        whole_number("chunks asked for", len(chunks), 0, search_stage.expert_iteration.ahead + 1)
        for number, (by_heuristic, kind) in enumerate(chunks):
            player = None if by_heuristic else run.network_player("now", part(tensors, f"asked.{number}."))
            search_stage.ask(player, Kind(kind))
    for number, first, end in list(search_stage.chunks(0)) if search_stage.looks_back() else ():
        path = run.folder / TARGETS.format(number)
        header, tensors = read_checkpoint(path)
        with fitting(path):
            if header["kind"] != "targets" or header["config"] != config or header["end"] != end:
                raise ValueError("other targets")
            if not first <= counted("first", header["first"]) < end:
                raise ValueError(f"targets from {header['first']} to {end}")
            search_stage.window.put_back(tensors, header["first"], end)
