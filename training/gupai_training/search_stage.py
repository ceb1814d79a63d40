"""The stage in which a network learns from search targets: the loop, and what it saves to go on exactly.

`Teaching.step` makes a chunk of labels and takes the gradient steps on it.
"""

import itertools
import json
import time
from collections.abc import Callable

import numpy as np

from gupai_agents.checkpoint import read_checkpoint, write_checkpoint
from gupai_agents.network import NetworkAgent
from gupai_agents.workers import LostError, StoppedError, stoppable
from gupai_env.core.numbers import whole_number
from gupai_training import resume
from gupai_training.config import TEACHING
from gupai_training.resume import counted, fitting, measured, part, under
from gupai_training.run_folder import RunFolder, Spent
from gupai_training.teaching import Kind, Teaching

LABELS = "labels-{}.safetensors"  # of a chunk, while this stage is under way


def learn_from_search(run: RunFolder, teaching: Teaching, go_on: bool, stop: Callable[[], bool]) -> bool:
    """Learn from chunks of labels to the end of the stage; return whether it was reached.

    Args:
        run: Where the player, the looks and the logs go.
        teaching: Network, optimiser and labels, just built.
        go_on: Whether to begin where `save` left off.
        stop: Asked while labels are made, and between two chunks.
    """
    evaluation, config = run.config.evaluation, run.config
    if go_on:
        with stoppable(stop):
            restore(run, teaching)
        run.spent = Spent(0.0, teaching.labels, teaching.seconds)
        run.forget_what_comes_again()
    before, begun = teaching.seconds, time.monotonic()
    run.reporter.begin("teaching", teaching.progress())
    while teaching.progress() < 1:
        try:
            with stoppable(stop):
                scalars = teaching.step(run.current_agent("now"))
        except (LostError, StoppedError) as error:  # before anything was learned from the next chunk
            save(run, teaching)
            if isinstance(error, LostError):
                raise
            return False
        teaching.seconds = before + time.monotonic() - begun
        run.spent = Spent(0.0, teaching.labels, teaching.seconds)
        run.reporter.taught(teaching.progress(), teaching.labels, teaching.seconds)
        for name, value in scalars.items():
            run.logger.record(f"train/{name}", value)
        chunks, ended = len(teaching.ends), teaching.progress() >= 1
        if ended or chunks % evaluation.every == 0:
            run.look()
        run.logger.dump(teaching.labels)
        stopping = stop()
        if ended or stopping or chunks % config.save_every == 0:
            save(run, teaching)
        if stopping:
            return False
    return True


def save(run: RunFolder, teaching: Teaching) -> None:
    """Write the player and everything that the next step depends on: labels that are new in files of their own.

    Where none of them will be learned from again the labels go.
    """
    run.save_agent()
    window, config = teaching.window, run.config.model_dump()
    more = teaching.looks_back()
    for number, first, end in teaching.chunks(teaching.written) if more else ():
        first = max(first, window.made - len(window))
        header = {"kind": "labels", "config": config, "first": first, "end": end}
        write_checkpoint(run.folder / LABELS.format(number), header, window.saved(first, end))
    teaching.written = len(teaching.ends)
    header = {
        "ends": teaching.ends,
        "chance": json.dumps(teaching.chance.bit_generator.state),
        "seconds": teaching.seconds,
    }
    tensors: dict[str, np.ndarray] = {}
    if teaching.teach.ahead:
        header["asked"] = [[asked.player is None, asked.kind] for asked in teaching.asked]
        for number, asked in enumerate(teaching.asked):
            if isinstance(asked.player, NetworkAgent):
                tensors |= under(f"asked.{number}.", asked.player.tensors)
    resume.save(run.folder, TEACHING, config, teaching.network, teaching.optimizer, (header, tensors))
    kept = {LABELS.format(number) for number, *_ in teaching.chunks(0)} if more else ()
    for file in run.folder.glob(LABELS.format("*")):
        if file.name not in kept:
            file.unlink()


def restore(run: RunFolder, teaching: Teaching) -> None:
    """Put teaching just built from the same configuration where `save` left it.

    Raises: CheckpointError if a file is damaged, missing or belongs to another configuration.
    """
    config = run.config.model_dump()
    with resume.restored(run.folder, config, teaching.network, teaching.optimizer) as (
        header,
        tensors,
    ):
        ends = [counted("ends", end) for end in header["ends"]]
        for begin, end in itertools.pairwise([0, *ends]):
            whole_number("labels of a chunk", end - begin, 0, teaching.most_labels)
        teaching.chance.bit_generator.state = json.loads(header["chance"])
        teaching.seconds = measured("seconds", header["seconds"])
        teaching.ends, teaching.written = ends, len(ends)
        teaching.window.made = ends[-1] if ends else 0
        chunks = header["asked"] if teaching.teach.ahead else ()
        whole_number("chunks asked for", len(chunks), 0, teaching.teach.ahead + 1)
        for number, (by_style, kind) in enumerate(chunks):
            player = None if by_style else run.network_player("now", part(tensors, f"asked.{number}."))
            teaching.ask(player, Kind(kind))
    for number, first, end in list(teaching.chunks(0)) if teaching.looks_back() else ():
        path = run.folder / LABELS.format(number)
        header, tensors = read_checkpoint(path)
        with fitting(path):
            if header["kind"] != "labels" or header["config"] != config or header["end"] != end:
                raise ValueError("other labels")
            if not first <= counted("first", header["first"]) < end:
                raise ValueError(f"labels from {header['first']} to {end}")
            teaching.window.put_back(tensors, header["first"], end)
