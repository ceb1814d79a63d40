"""Workers that share tasks: this process, other processes, or the workers of a cluster.

The result of a task depends only on its arguments, and answers are taken by the number of their task, so the result is
the same whoever does the work, and however often a task that was lost with its worker is repeated.

Work that is stopped ends within seconds: processes are killed, and threads end at their next `pause`.

`cores` says how many cores of this machine this process may use; nobody else asks.
"""

import atexit
import contextlib
import functools
import math
import multiprocessing
import os
import pickle
import platform
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import metadata
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from gupai_env.core import compiling
from gupai_env.messages.checks import refused, short_repr

AHEAD = 2  # tasks under way for every worker, so that none waits for the next
LISTENING = 10.0  # seconds to find out whether anything listens at an address
PATIENCE = 3.0  # seconds between two checks whether a cluster is still there, or work is to end
Answer = Callable[[], Any]  # waits for the result of a task; raises what the task raised
TOKEN_HINT = "set RAY_AUTH_MODE=token, and put the token of the cluster into ~/.ray/auth_token (docs/cluster.md)"
One = TypeVar("One")
Found = TypeVar("Found")
_here = threading.local()  # stop: whether this thread's work is to end


class StoppedError(Exception):
    """Work that ended because nobody waits for it any more."""


def _stop_here() -> Callable[[], bool]:
    return getattr(_here, "stop", lambda: False)


@contextlib.contextmanager
def stoppable(stop: Callable[[], bool]) -> Iterator[None]:
    """Make work of this thread, and of threads that share it, end at its next pause once `stop` is true."""
    before = _stop_here()
    _here.stop = lambda: stop() or before()
    try:
        yield
    finally:
        _here.stop = before


def pause() -> None:
    """Raise StoppedError if work is to end; loops that take seconds call it between batches."""
    if _stop_here()():
        raise StoppedError


def in_threads(task: Callable[[One], Found], tasks: Iterable[One], threads: int | None) -> Generator[Found, None, None]:
    """Yield the results of a task for each argument, in order, computed by threads, by default one per core.

    When the iterator is left early, as by ctrl-C, nothing more is started, and what is under way ends at its next
    pause; close the iterator where it may be left.

    Args:
        task: Is called with one argument.
        tasks: The arguments.
        threads: How many, None for one per core.
    """
    ended, before = threading.Event(), _stop_here()

    def do(job: One) -> Found:
        with stoppable(lambda: ended.is_set() or before()):
            pause()
            return task(job)

    pool = ThreadPoolExecutor(threads or cores(), thread_name_prefix="worker")
    try:
        yield from pool.map(do, tasks)
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)


class LostError(ValueError):
    """A cluster that can no longer be reached, in one line."""


def require_listener(address: str) -> None:
    """Raise ValueError, in one line, unless this is an address where something listens."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"--ray {short_repr(address)}: an address is HOST:PORT or ray://HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), LISTENING).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"--ray {address}: no cluster answers there ({error})") from None


def one_core() -> threadpool_limits:
    """Keep matrix products of this process to one core, from now on or, as a context, within it.

    The last bits of a network's scores depend on how many cores share a product, and what is found should not depend
    on who finds it. Besides, processes that all use all cores wait for each other.
    """
    return threadpool_limits(1, "blas")


def on_one_core(task: Callable[..., Found], *arguments: Any) -> Found:
    """Return the result of a task that was done within `one_core`, as in a worker."""
    with one_core():
        return task(*arguments)


class Workers:
    """This process alone, which does a task when its answer is wanted; the base class of other workers.

    count: workers there are, at least 1.
    """

    count = 1

    def ask(self, task: Callable[..., Any], *arguments: Any) -> Answer:
        """Start a task, a function of a module with arguments that can be pickled."""
        return functools.partial(task, *arguments)

    def close(self) -> None:
        """Start nothing more of what was asked for."""

    def share(self, value: Any) -> Any:
        """Return a reference to a value for the arguments of many tasks, so that it is sent to a worker once."""
        return value

    def in_order(self, task: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results of tasks, each given by its arguments, in order; few more than needed are started."""
        under_way: deque[Answer] = deque()
        for arguments in tasks:
            pause()
            under_way.append(self.ask(on_one_core, task, *arguments))
            if len(under_way) >= (AHEAD * self.count if self.count > 1 else 1):
                yield under_way.popleft()()
        while under_way:
            yield under_way.popleft()()

    def as_done(self, task: Callable[..., Any], tasks: Mapping[Hashable, tuple[Any, ...]]) -> Iterator[tuple[Any, Any]]:
        """Yield the name and the result of each task as soon as it is done."""
        for name, arguments in tasks.items():
            yield name, on_one_core(task, *arguments)


class Thread(Workers):
    """A thread of this process, which starts tasks at once, one after another: for tasks of compiled loops."""

    def __init__(self) -> None:
        self._pool, self._closed = ThreadPoolExecutor(1, thread_name_prefix="worker"), threading.Event()

    def ask(self, task: Callable[..., Any], *arguments: Any) -> Answer:
        """Start a task that runs while this process continues."""
        before = _stop_here()

        def do() -> Any:
            with stoppable(lambda: self._closed.is_set() or before()):
                return task(*arguments)

        return self._pool.submit(do).result

    def close(self) -> None:
        """Start nothing more of what was asked for; what is under way ends at its next pause."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


class Processes(Workers):
    """Processes of this machine, which start when there is work and end with this one, however it ends."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool: ProcessPoolExecutor | None = None
        self._held: Any = None  # an end of a pipe; the processes end when it is closed

    def ask(self, task: Callable[..., Any], *arguments: Any) -> Answer:
        """Start a task, a function of a module with arguments that can be pickled.

        Raises:
            ValueError: For what cannot be pickled; in its answer, if a process has ended, as for lack of memory.
        """
        return functools.partial(_answer, self._begin(task, arguments))

    def as_done(self, task: Callable[..., Any], tasks: Mapping[Hashable, tuple[Any, ...]]) -> Iterator[tuple[Any, Any]]:
        """Yield the name and the result of each task as soon as it is done; raises what a task raised."""
        try:
            names = {self._begin(task, arguments): name for name, arguments in tasks.items()}
            while names:
                pause()
                for future in wait(names, PATIENCE, FIRST_COMPLETED).done:
                    yield names.pop(future), _answer(future)
        finally:
            self.close()

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        if self._pool is not None:
            self._held.close()
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _begin(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> "Future[Any]":
        try:
            pickled = bytes(ForkingPickler.dumps((task, arguments)))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            message = " ".join(str(error).split())[:200]
            raise ValueError(f"this cannot be sent to other processes, so leave out --jobs: {message}") from None
        if self._pool is None:
            preload((arguments[0] if task is on_one_core else task).__module__)
            theirs, self._held = PROCESSES.Pipe(duplex=False)
            share = max(1, cores() // self.count)
            self._pool = ProcessPoolExecutor(self.count, PROCESSES, _begin_worker, (theirs, share))
        with _no_interrupts():
            return self._pool.submit(_done, pickled)


def _answer(future: "Future[Any]") -> Any:
    """Return the result of a task; raises what it raised, and ValueError if its process has ended."""
    while not wait([future], PATIENCE).done:
        pause()
    try:
        return future.result()
    except BrokenProcessPool:
        raise ValueError("a worker process has ended; fewer --jobs need less memory") from None


def _begin_worker(held: "Connection[Any, Any]", share: int) -> None:
    """Let this process do tasks on a share of the cores, until the other end of a pipe is closed."""
    take_cores(share)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=[held], daemon=True).start()
    one_core()
    compiling.PLAIN_SECONDS = 0  # nobody waits for a first move


def _end_with(held: "Connection[Any, Any]") -> None:
    held.poll(None)
    os._exit(1)


def _done(pickled: bytes) -> Any:
    """Return the result of a task, which was pickled where it was asked for."""
    task, arguments = pickle.loads(pickled)
    return task(*arguments)


# On Linux processes are forked from one that has imported what they need and run nothing, so each starts in
# milliseconds; what macOS and Windows have is slower.
PROCESSES: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")


def preload(module: str) -> None:
    """Let processes that are forked from now on have imported a module that they work with."""
    PROCESSES.set_forkserver_preload([module, "gupai_agents.play.preloaded"])


def begin_process(target: Callable[..., Any], *arguments: Any, name: str | None = None, needs: str) -> Any:
    """Start a process that ends with this one, a `multiprocessing.Process`; needs: the module that it works with.

    Args:
        target: What the process runs; a function of a module.
        arguments: Its arguments, which are pickled.
        name: Of the process, for people.
        needs: The module that it works with, which the process is forked with.
    """
    preload(needs)
    process = PROCESSES.Process(target=target, args=arguments, name=name, daemon=True)
    with _no_interrupts():
        process.start()
    return process


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Keep ctrl-C from processes that are started meanwhile; in this process it takes effect a moment later."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def workers_for(jobs: int) -> Workers:
    """Return this process for one job, else so many processes."""
    return Workers() if jobs == 1 else Processes(jobs)


def _as_worker(task: Callable[..., Found], *arguments: Any) -> Found:
    """Return the result of a task in a worker of a cluster, which there is for every core."""
    take_cores(1)
    return task(*arguments)


class Cluster(Workers):
    """The workers of a Ray cluster, one per core. A task whose worker dies is repeated by another.

    Attributes: go_on: what to do if the cluster is lost, the end of a sentence.
    """

    address: str
    go_on: str
    count: int

    def __init__(self, address: str, go_on: str = "begin again") -> None:
        """Join a cluster: "HOST:PORT" on one of its machines, "ray://HOST:PORT" from any.

        Raises:
            ValueError: In one line, without Ray, where no cluster answers, and where one wants another token.
        """
        try:
            import ray
        except ImportError:
            raise ValueError("--ray needs one more package: pip install 'gupai[ray]'") from None
        self.address, self.go_on, self._ray = address, go_on, ray
        self._remote = ray.remote(num_cpus=1, max_retries=-1)(_as_worker)
        self._lost = False
        require_listener(address)  # Ray would try for many minutes
        try:
            if ray.is_initialized():
                ray.shutdown()
            client = address.startswith("ray://")
            if not client:
                ray._raylet.GcsClient(address=address)  # says at once that a token is wrong; `init` says only "failed"
            ray.init(address=address, log_to_driver=False, logging_level="error")
            self.count = max(int(ray.cluster_resources().get("CPU", 0)), 1)
        except ray.exceptions.AuthenticationError:
            raise ValueError(f"--ray {address}: the cluster wants a token, and not what it got; {TOKEN_HINT}") from None
        except (OSError, RuntimeError, ValueError, AssertionError, ray.exceptions.RayError) as error:
            message = " ".join(str(error).split())[:200] + (f"; if it has a token: {TOKEN_HINT}" if client else "")
            raise ValueError(f"--ray {address}: no cluster answers there ({message})") from None

    def close(self) -> None:
        """Leave the cluster, without waiting for one that is lost."""
        if self._lost:
            atexit.unregister(self._ray.shutdown)
        else:
            self._ray.shutdown()

    def ask(self, task: Callable[..., Any], *arguments: Any) -> Answer:
        """Start a task, a function of a module with arguments that can be pickled."""
        reference = self._begin(task, arguments)
        return lambda: self._patiently(self._ray.get, reference)

    def share(self, value: Any) -> Any:
        """Return a reference to a value for the arguments of many tasks, so that it is sent to a worker once.

        Raises:
            ValueError: For what cannot be pickled.
        """
        try:
            return self._or_lost(self._ray.put, value)
        except TypeError as error:
            raise ValueError(
                f"this cannot be sent to the workers of a cluster: {' '.join(str(error).split())[:200]}"
            ) from None

    def as_done(self, task: Callable[..., Any], tasks: Mapping[Hashable, tuple[Any, ...]]) -> Iterator[tuple[Any, Any]]:
        """Yield the name and the result of each task as soon as it is done."""
        waiting = {self._begin(task, arguments): name for name, arguments in tasks.items()}
        while waiting:
            done, _ = self._or_lost(self._ray.wait, list(waiting), timeout=PATIENCE)
            for reference in done:
                yield waiting.pop(reference), self._patiently(self._ray.get, reference)
            if not done:
                self._check()

    def _begin(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        return self._or_lost(self._remote.remote, task, *arguments)

    def _patiently(self, get: Callable[..., Any], reference: Any) -> Any:
        """Get an answer, checking repeatedly whether the cluster is still there."""
        while True:
            try:
                return self._or_lost(get, reference, timeout=PATIENCE)
            except self._ray.exceptions.GetTimeoutError:
                self._check()

    def _check(self) -> None:
        """Raise LostError if nothing listens at the address any more: Ray itself would wait, then end this process."""
        try:
            require_listener(self.address)
        except ValueError as error:
            raise self._as_lost(error) from None

    def _as_lost(self, error: Exception) -> LostError:
        self._lost = True
        return LostError(f"the Ray cluster at {self.address} is lost ({type(error).__name__}); {self.go_on}")

    def _or_lost(self, do: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Do something with the cluster; raises what a task raised as it was, and LostError for a lost cluster."""
        exceptions = self._ray.exceptions
        try:
            return do(*arguments, **options)
        except exceptions.GetTimeoutError:
            raise
        except exceptions.RayTaskError as error:
            cause = getattr(error, "cause", None)
            raise (cause if isinstance(cause, Exception) else ValueError(str(error))) from None
        except (exceptions.RayError, OSError, RuntimeError) as error:
            raise self._as_lost(error) from None


# --- this machine ----------------------------------------------------------------------------------

VARIABLE = "PYTHON_CPU_COUNT"  # Python's own name for it, since 3.13


def cores() -> int:
    """Return how many cores this process may use, at least 1.

    That is what the variable PYTHON_CPU_COUNT says; else the cores that it is bound to (`taskset`), or as many as the
    quota of its container is worth, rounded up, if these are fewer.

    Raises:
        ValueError: For another PYTHON_CPU_COUNT than a whole number from 1, or "default".
    """
    stated = os.environ.get(VARIABLE, "")
    if stated not in ("", "default"):
        if not (stated.isascii() and stated.isdecimal() and int(stated)):
            raise refused(VARIABLE, stated, 'a whole number from 1, or "default"')
        return int(stated)
    return math.ceil(min(_allowed(), quota()))


def take_cores(count: int) -> None:
    """Let this process, and those that it starts, use so many cores: its share where several work side by side."""
    os.environ[VARIABLE] = str(count)


def _allowed() -> int:
    """Return the number of cores on which this process may be scheduled, at least 1."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def quota(root: Path = Path("/")) -> float:
    """Return how many cores' time the control groups (Linux, v1 and v2) of this process allow, inf without a limit."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return math.inf
    return min((limit for group in groups for limit in _limits(root / "sys/fs/cgroup", group)), default=math.inf)


def _limits(mounted: Path, group: str) -> Iterator[float]:
    """Yield the limits, in cores, of a group given as "number:controllers:path", and of those above it.

    In a container the path may be the one outside of it, which is not there; its own limit is then that at the top.
    """
    _, controllers, path = group.split(":", 2)
    if controllers and "cpu" not in controllers.split(","):
        return
    top = mounted / "cpu" if controllers else mounted
    files = ("cpu.cfs_quota_us", "cpu.cfs_period_us") if controllers else ("cpu.max",)  # microseconds
    for folder in (Path(path), *Path(path).parents):
        try:
            share, period = " ".join((top / str(folder).lstrip("/") / name).read_text() for name in files).split()
            limit = float(share) / float(period)
        except (OSError, ValueError):  # no such group, or "max"
            continue
        if limit > 0:  # -1: none
            yield limit


def installed(*packages: str) -> dict[str, str]:
    """Return the versions of packages by name, "none" for one that is not installed."""
    distributions = ((name, next(iter(metadata.distributions(name=name)), None)) for name in packages)
    return {name: distribution.version if distribution else "none" for name, distribution in distributions}


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor and versions."""
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu)
    return {
        "cpu": cpu,
        "cores": f"{cores()} of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **installed("numpy", "numba"),
    }
