"""`gupai train --seeds`: the same configuration from several seeds, each in a process of its own; they share the cores.

The process that begins them imports no torch.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.play.workers import PROCESSES, begin_process, cores, take_cores
from gupai_app.shell.screen import Screen, progress
from gupai_app.shell.stop import Stop
from gupai_env.messages import joined, say
from gupai_env.messages.checks import refused
from gupai_env.storage.files import json_text
from gupai_training.config import RESUME_FILE, Config

PATIENCE = 3.0  # seconds in which processes may save what they have learned before they are killed
BEGAN, EVALUATED, ENDED, FAILED = range(4)  # what a process says


class Child(NamedTuple):
    """A process that trains one seed, and the end of its pipe."""

    seed: int
    process: Any
    pipe: Connection


def _train(settings: str, runs: str, pipe: Connection) -> None:
    """Train one seed in this process; SIGTERM saves and stops it, ctrl-C is left to the process that began it."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    config = Config.model_validate_json(settings)
    take_cores(config.threads)
    with Stop() as stop:
        stop.gently = True
        from gupai_training.report import finish
        from gupai_training.run import Reporter, Run

        class PipeReporter(Reporter):
            def evaluated(self, row: dict[str, Any]) -> None:
                pipe.send((EVALUATED, row))

        if stop.requested():
            return
        try:
            run = Run.begin(config, Path(runs))
            pipe.send((BEGAN, str(run.folder)))
            if not run.learn(reporter=PipeReporter(), stop=stop.requested):
                os._exit(0)  # all is saved, and what loaded torch takes seconds to end in order
            finish(run, check=lambda: stop.requested() and os._exit(0))
            pipe.send((ENDED, None))
        except (ValueError, FloatingPointError, MemoryError, OSError) as error:
            pipe.send((FAILED, str(error)))


def seeds_of(config: Config, count: int) -> list[Config]:
    """Return a configuration for each seed, from that of `config` on; each takes its share of the cores."""
    if config.seed + count > 1 << 32:
        raise refused("seed", config.seed, f"the {count} seeds that start there must be below {1 << 32:,}")
    share = config.threads or max(1, cores() // count)
    name = (config.name or config.game)[:40]
    return [
        config.model_copy(update={"seed": seed, "threads": share, "name": f"{name}-seed{seed}"})
        for seed in range(config.seed, config.seed + count)
    ]


class Seeds:
    """Runs that are trained side by side, as many at a time as there are cores.

    Attributes:
        folders: The folder of every run that has begun, by its seed.
        failed: What ended a run early, in a line, by its seed.
    """

    def __init__(self, configs: list[Config], runs: str) -> None:
        self.waiting, self.runs = list(configs), runs
        self.children: list[Child] = []
        self.folders: dict[int, str] = {}
        self.failed: dict[int, str] = {}

    def train(self, notify: Callable[[int, dict[str, Any]], None], ended: Callable[[int], None]) -> None:
        """Train all; `notify` is called with a seed and each of its evaluations, `ended` with 1 as a run ends."""
        most = cores()
        try:
            while self.waiting or self.children:
                while self.waiting and len(self.children) < most:
                    self._begin(self.waiting.pop(0))
                for pipe in wait([child.pipe for child in self.children]):
                    child = next(candidate for candidate in self.children if candidate.pipe is pipe)
                    if not self._heard(child, notify):
                        self.children.remove(child)
                        ended(1)
        finally:
            self.stop()

    def _begin(self, config: Config) -> None:
        ours, theirs = PROCESSES.Pipe(duplex=False)
        arguments = config.model_dump_json(), self.runs, theirs
        process = begin_process(_train, *arguments, name=f"seed {config.seed}", needs="gupai_training.run")
        theirs.close()
        self.children.append(Child(config.seed, process, ours))

    def _heard(self, child: Child, notify: Callable[[int, dict[str, Any]], None]) -> bool:
        """Take what a process says; return whether it continues."""
        try:
            event, content = child.pipe.recv()
        except (EOFError, OSError):
            child.process.join()
            self.failed.setdefault(child.seed, f"its process ended with status {child.process.exitcode}")
            return False
        if event == BEGAN:
            self.folders[child.seed] = content
        elif event == EVALUATED:
            notify(child.seed, content)
        else:
            if event == FAILED:
                self.failed[child.seed] = content
            child.process.join()
        return event in (BEGAN, EVALUATED)

    def stop(self) -> None:
        """End all processes: each may save for PATIENCE seconds, then it is killed."""
        for child in self.children:
            child.process.terminate()
        deadline = time.monotonic() + PATIENCE
        try:
            for child in self.children:
                child.process.join(max(0.0, deadline - time.monotonic()))
        finally:  # also after another ctrl-C
            for child in self.children:
                child.process.kill()

    @property
    def go_on(self) -> str:
        """What a stop leaves behind."""
        saved = [folder for folder in self.folders.values() if (Path(folder) / RESUME_FILE).exists()]
        template = "stopped; continue with gupai train --resume RUN for each of {runs}"
        return say(template, runs=", ".join(saved)) if saved else say("stopped")


@contextmanager
def _saying(seeds: Seeds, stop: Stop) -> Iterator[None]:
    """Say what a stop leaves behind when it comes."""
    try:
        yield
    except KeyboardInterrupt:
        stop.result = seeds.go_on
        raise


def train(config: Config, count: int, runs: str, stop: Stop, *, as_json: bool) -> list[str]:
    """Train a configuration from several seeds; return the folders of the runs that reached their end.

    Raises:
        ValueError: Naming the seeds that failed.
        KeyboardInterrupt: After a signal, with all processes ended.
    """
    seeds, screen = Seeds(seeds_of(config, count), runs), Screen()

    def notify(seed: int, row: dict[str, Any]) -> None:
        if as_json:
            print(json_text({"seed": seed, **row}), flush=True)
        else:
            screen.print(say("seed {seed}: {figures}", seed=seed, figures=evaluation_line(row)))

    with _saying(seeds, stop), progress("runs", count) as ended:
        seeds.train(notify, ended)
    if seeds.failed:
        raise ValueError("; ".join(f"seed {seed}: {problem}" for seed, problem in sorted(seeds.failed.items())))
    return [seeds.folders[seed] for seed in sorted(seeds.folders)]


def evaluation_line(row: dict[str, Any]) -> str:
    """Return an evaluation in words: millions of decisions, or targets, and chips per deal against each baseline."""
    figures: list[str] = [
        say("{name} {figure}", name=name, figure=Estimate.of(value).text(1))
        for name, value in row.items()
        if isinstance(value, dict) and "mean" in value
    ]
    if "exploitability" in row:
        figures.append(say("exploitability {best:z.4f}, drawn {drawn:z.4f}", **row["exploitability"]))
    number, unit = (row["decisions"], "decisions") if row["decisions"] else (row["targets"], "targets")
    template = "{number:5.2f}M {unit}: {figures}"
    return say(template, number=number / 1e6, unit=say(unit), figures=joined(", ", figures))
