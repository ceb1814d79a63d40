"""Work shared out comes to the same whoever does it, and outlives those who do it."""

import contextlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from checkout import SHIPPED, files
from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import duel, gate, round_robin
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_agents.networks.checkpoint import AGENT_FILE, read_checkpoint
from gupai_agents.play.workers import (
    Cluster,
    LostError,
    Processes,
    StoppedError,
    Thread,
    Workers,
    cores,
    in_threads,
    installed,
    pause,
    quota,
    require_listener,
    stoppable,
    workers_for,
)
from gupai_agents.players.search import in_blocks
from gupai_agents.players.tune import Contest
from gupai_env import get_game
from gupai_training.config import RESUME_FILE, parse
from gupai_training.run import Run
from gupai_training.search_targets import Kind

NO_RAY = "there is no Ray: pip install 'gupai[ray]'"
FILES = ("games.csv", "games.jsonl.gz", "summary.json", "manifest.json")
BY_SEARCH = {
    "game": "jie-long",
    "variant": {"forced_play": True},
    "name": "by_search",
    "decisions": 0,
    "threads": 1,
    "device": "cpu",
    "network": {"hidden": [16]},
    "ppo": {"envs": 4, "steps": 8, "batch_size": 8},
    "pool": {"rules": []},
    "evaluation": {"every": 1000, "deals": 2, "final_deals": 2, "baselines": ["random"]},
    "expert_iteration": {"targets": 250, "tables": 2, "playouts": 1, "batch_size": 16, "ahead": 2},
}


def square(number):
    return number**2


def refuse(number):
    raise ValueError(f"{number} is refused")


class Eager(Workers):
    """Workers who do at once what they are asked, and remember it."""

    def __init__(self, count=3):
        self.count, self.asked = count, []

    def ask(self, task, *arguments):
        self.asked.append(arguments)
        found = task(*arguments)
        return lambda: found


@pytest.mark.parametrize("count", [2, 3])
def test_answers_keep_the_order_of_tasks_and_few_start_early(count):
    workers = Eager(count)
    answers = workers.in_order(square, ((number,) for number in range(20)))
    assert [next(answers), len(workers.asked)] == [0, 2 * count]
    assert [*answers] == [number**2 for number in range(1, 20)]
    assert [*Workers().in_order(square, [(3,), (2,)])] == [9, 4]
    drawn = iter([(3,), (2,), (1,)])
    assert next(Workers().in_order(square, drawn)) == 9 and [*drawn] == [(2,), (1,)]  # this process does one at a time


def test_processes_tell_whose_answer_it_is():
    tasks = {name: (number,) for number, name in enumerate("abcde")}
    assert dict(Processes(2).as_done(square, tasks)) == {"a": 0, "b": 1, "c": 4, "d": 9, "e": 16}
    few = Processes(3).as_done(square, {"a": (2,)})
    assert next(few) == ("a", 4) and len(multiprocessing.active_children()) == 1  # none without a task
    few.close()
    assert not multiprocessing.active_children()


def test_processes_answer_in_order_and_report_failures():
    with contextlib.closing(Processes(2)) as two:
        answers = [two.ask(pow, number, 2) for number in range(5)]
        assert [answer() for answer in reversed(answers)] == [16, 9, 4, 1, 0]
        assert list(two.in_order(pow, [(3, 2), (2, 2), (1, 2)])) == [9, 4, 1]
        with pytest.raises(ValueError, match=r"^invalid literal for int"):
            two.ask(int, "x")()
        with pytest.raises(ValueError, match=r"^this cannot be sent to other processes, so leave out --jobs: [^\n]*$"):
            two.ask(pow, lambda: None, 2)
        assert len(multiprocessing.active_children()) <= 2
    assert not multiprocessing.active_children()


def test_two_processes_win_the_same_as_one():
    game = get_game("jie-long")
    greedy, variety = (make_agent(name, game) for name in ("greedy", "variety"))
    with contextlib.closing(workers_for(2)) as two:
        for play in (
            lambda workers: duel(game, greedy, variety, 2100, seed=1, workers=workers).chips,
            lambda workers: gate(game, variety, greedy, most=600, seed=1, workers=workers),
            lambda workers: round_robin(game, [greedy, variety], 600, seed=1, workers=workers).chips,
            lambda workers: [
                rung.chips for rung in play_ladder(game, [greedy, variety], 300, 9, workers=workers).rungs
            ],
        ):
            np.testing.assert_equal(play(two), play(None))


@pytest.mark.parametrize(
    "words",
    [
        ["tournament", "jie-long", "random", "greedy"],
        ["record", "jie-long", "random", "greedy", "--out", "{}/games.jsonl"],
        ["claim", "run", "jl-attack-2", "--deals", "2"],
        ["tune", "jie-long"],
        ["train", "jie-long", "--runs", "{}"],
    ],
    ids=lambda words: words[0],
)
def test_processes_and_a_cluster_are_refused_together(words, tmp_path):
    words = [word.format(tmp_path) for word in words]
    refused = gupai(*words, "--jobs", "2", "--ray", "127.0.0.1:1")
    assert refused.exit_code == 2 and "--ray and --jobs cannot be combined" in refused.stderr
    assert not list(tmp_path.iterdir())


def test_single_job_runs_here_and_several_in_processes():
    several = workers_for(3)
    assert type(workers_for(1)) is Workers
    assert isinstance(several, Processes) and several.count == 3


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes are not bound to cores here")
@pytest.mark.parametrize(("stated", "count"), [("3", 3), ("512", 512), ("default", None), ("", None)])
def test_cores_are_those_python_reports_or_the_affinity(stated, count, monkeypatch):
    monkeypatch.setenv("PYTHON_CPU_COUNT", stated)
    monkeypatch.setattr("gupai_agents.play.workers.quota", lambda: 1e9)
    assert cores() == (count or len(os.sched_getaffinity(0)))
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert cores() == (count or 1)
    finally:
        os.sched_setaffinity(0, before)


@pytest.mark.parametrize("stated", ["0", "-1", "1.5", "x", "３"])
def test_invalid_number_of_cores_is_refused_in_one_line(stated, monkeypatch):
    monkeypatch.setenv("PYTHON_CPU_COUNT", stated)
    with pytest.raises(ValueError, match=f"^PYTHON_CPU_COUNT='{stated}' is not allowed; .*$"):
        cores()


@pytest.mark.parametrize(
    ("groups", "files", "limit", "count"),
    [
        ("0::/", {"cpu.max": "150000 100000"}, 1.5, 2),
        ("0::/", {"cpu.max": "max 100000"}, np.inf, 64),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "20000 100000"}, 0.2, 1),  # a quota on the slice above
        ("0::/../x", {"cpu.max": "300000 100000"}, 3, 3),  # the path is that outside of the container
        ("9:name=systemd:/\n4:cpu,cpuacct:/d", {"cpu/d/cpu.cfs_quota_us": "250000"}, 2.5, 3),
        ("4:cpu:/docker/1f", {"cpu/cpu.cfs_quota_us": "400000"}, 4, 4),
        ("4:cpu:/", {"cpu/cpu.cfs_quota_us": "-1"}, np.inf, 64),
        ("3:cpuset:/", {"cpuset/cpu.cfs_quota_us": "100000"}, np.inf, 64),
        ("0::/", {"cpu.max": "a lot"}, np.inf, 64),
        (None, {}, np.inf, 64),  # no Linux
    ],
)
def test_time_quota_limits_the_cores(groups, files, limit, count, tmp_path, monkeypatch):
    for name, text in ({"proc/self/cgroup": groups} if groups else {}).items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"{text}\n")
    for name, text in files.items():
        path = tmp_path / "sys" / "fs" / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
        path.with_name("cpu.cfs_period_us").write_text("100000\n")
    assert quota(tmp_path) == limit
    monkeypatch.delenv("PYTHON_CPU_COUNT", raising=False)
    monkeypatch.setattr("gupai_agents.play.workers._allowed", lambda: 64)
    monkeypatch.setattr("gupai_agents.play.workers.quota", lambda: limit)
    assert cores() == count


def cores_here(_):
    return cores()


def test_searches_and_processes_share_the_cores(monkeypatch):
    for count in (1, 3):
        monkeypatch.setenv("PYTHON_CPU_COUNT", str(count))
        names = set()
        in_blocks(lambda first, end, names=names: names.add(threading.current_thread().name), 1000, None, 1000)
        assert 1 <= len(names) <= count and all(name.startswith("worker") for name in names) == (count > 1)
    monkeypatch.setenv("PYTHON_CPU_COUNT", "7")
    assert dict(Processes(2).as_done(cores_here, {"a": (0,)})) == {"a": 3}
    assert dict(Processes(9).as_done(cores_here, {"a": (0,)})) == {"a": 1}


def test_run_uses_no_more_threads_than_cores(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHON_CPU_COUNT", "2")
    before = torch.get_num_threads()
    try:
        for stated, allowed in ((0, 2), (3, 3)):
            torch.set_num_threads(4)
            Run(parse({**BY_SEARCH, "threads": stated}, "test"), tmp_path)
            assert torch.get_num_threads() == allowed
    finally:
        torch.set_num_threads(before)


def test_number_of_cores_is_asked_in_one_place():
    asking = {
        path.name
        for path in files(*SHIPPED, name="*.py")
        if re.search(r"cpu_count|sched_getaffinity", path.read_text(encoding="utf-8"))
    }
    assert asking == {"workers.py"}


def test_process_failure_is_raised_here_and_ends_the_others():
    tasks = [(refuse, (3,), "3 is refused"), (os._exit, (7,), "a worker process has ended; fewer --jobs")]
    for task, arguments, line in [*tasks, (threading.Lock, (), "cannot pickle '_thread.lock'")]:
        with pytest.raises((ValueError, TypeError), match=line):
            list(Processes(2).as_done(task, {"a": arguments}))
    assert not multiprocessing.active_children()


def test_abandoned_processes_end_at_once():
    tasks = Processes(2).as_done(time.sleep, {"long": (30,), "short": (0,)})
    assert next(tasks) == ("short", None)
    assert len(multiprocessing.active_children()) == 2
    begin = time.monotonic()
    tasks.close()
    assert not multiprocessing.active_children() and time.monotonic() - begin < 15


NAPPING = """
import os, sys, time
from pathlib import Path
from gupai_agents.play.workers import Processes

def nap(folder, name):
    (Path(folder) / f"{os.getpid()}.pid").touch()
    time.sleep(60)

if __name__ == "__main__":
    try:
        list(Processes(2).as_done(nap, {name: (sys.argv[1], name) for name in range(4)}))
    except KeyboardInterrupt:
        sys.exit("stopped")
"""


def is_alive(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.usefixtures("signals")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="processes are looked at in /proc")
@pytest.mark.parametrize(
    ("sent", "to_all", "status", "line"),
    [
        (signal.SIGINT, True, 1, "stopped\n"),  # as a terminal does
        (signal.SIGTERM, False, -signal.SIGTERM, ""),
        (signal.SIGKILL, False, -signal.SIGKILL, ""),
    ],
)
def test_workers_end_with_their_parent_process(sent, to_all, status, line, tmp_path):
    (tmp_path / "nap.py").write_text(NAPPING)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, tmp_path / "nap.py", tmp_path]
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True, start_new_session=True) as parent:
        while len(workers := [int(file.stem) for file in tmp_path.glob("*.pid")]) < 2:
            time.sleep(0.05)
        begin = time.monotonic()
        (os.killpg if to_all else os.kill)(parent.pid, sent)
        said = parent.communicate(timeout=5)[1]  # which ends when nobody can write there
        assert said == line or (not line and "leaked semaphore" in said)  # which Python removes after a kill
        assert parent.returncode == status
    while any(map(is_alive, workers)):
        assert time.monotonic() - begin < 5
        time.sleep(0.05)


def test_abandoned_threads_end_at_their_next_pause():
    begun, ended = [], []

    def work(number):
        begun.append(number)
        try:
            while number:
                time.sleep(0.01)
                pause()
        finally:
            ended.append(number)
        return number

    assert list(in_threads(square, range(20), 3)) == [number**2 for number in range(20)]
    found = in_threads(work, range(50), 2)
    assert next(found) == 0
    found.close()
    assert len(begun) <= 4 and sorted(ended) == sorted(begun)
    with pytest.raises(StoppedError), stoppable(lambda: True):
        list(in_threads(square, [1], 1))
    assert list(in_threads(square, [1], 1)) == [1]


@pytest.mark.parametrize(("outer", "inner"), [(True, False), (False, True), (False, False)])
def test_nested_work_ends_with_either(outer, inner):
    with stoppable(lambda: outer), contextlib.suppress(StoppedError):
        with stoppable(lambda: inner):
            pause()
        assert not outer and not inner
    pause()  # and nothing of it is left


def test_closed_thread_ends_at_its_next_pause():
    thread, begun = Thread(), threading.Event()

    def work():
        begun.set()
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pause()

    answer = thread.ask(work)
    assert begun.wait(5)
    thread.close()
    with pytest.raises(StoppedError):
        answer()


def test_batches_and_searches_pause():
    game = get_game("jie-long")
    heuristics = np.array([game.heuristic("greedy")] * 3)
    with pytest.raises(StoppedError), stoppable(lambda: True):
        Contest(game, {}).values(heuristics, heuristics[:1], 30, 1)
    for threads in (1, 2):
        looked, stop = [], threading.Event()

        def report_evaluation(first, end, looked=looked, stop=stop):
            looked.extend(range(first, end))
            stop.set()

        with pytest.raises(StoppedError), stoppable(stop.is_set):
            in_blocks(report_evaluation, 1000, threads, 1000)
        assert 0 < len(looked) < 200
        looked.clear()
        in_blocks(report_evaluation, 1000, threads, 1000)
        assert sorted(looked) == list(range(1000))


def cores_of_a_product(_):
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.mark.parametrize("workers", [Workers(), Processes(2)], ids=["this process", "processes"])
def test_workers_keep_to_one_core(workers):
    """The last bits of a network's scores depend on it."""
    with threadpool_limits(2, "blas"):
        assert dict(workers.as_done(cores_of_a_product, {"a": (0,), "b": (1,)})) == {"a": {1}, "b": {1}}
        assert list(workers.in_order(cores_of_a_product, [(0,), (1,)])) == [{1}, {1}]


def test_candidates_win_the_same_however_they_are_shared():
    game = get_game("jie-long")
    heuristics = np.array([game.heuristic(name) for name in ("greedy", "variety", "greedy", "variety", "greedy")])
    alone, shared = (
        Contest(game, {}, workers).values(heuristics, heuristics[:2], 30, 1) for workers in (Workers(), Eager())
    )
    assert alone.shape == (5, 30)
    np.testing.assert_array_equal(alone, shared)


def run_of(folder, **expert_iteration) -> Run:
    return Run.begin(
        parse({**BY_SEARCH, "expert_iteration": {**BY_SEARCH["expert_iteration"], **expert_iteration}}, "test"), folder
    )


def test_chunk_is_labelled_by_the_player_of_all_but_the_last_chunk(tmp_path):
    run = run_of(tmp_path, ahead=2, heuristic_share=0, targets=10_000)
    search_stage, players, with_targets = run.search_stage, [], {}
    make, player_now = search_stage.target_maker.targets, search_stage.player

    def targets(player, number, kind):
        with_targets[number] = player
        return make(player, number, kind)

    search_stage.target_maker.targets = targets
    for _ in range(6):
        players.append(player_now())
        search_stage.player = lambda: players[-1]
        search_stage.step()
    assert [players.index(with_targets[number]) for number in range(6)] == [0, 0, 0, 1, 2, 3]


def after_three_steps():
    return lambda stage: len(stage.ends) == 3


def while_targets_are_computed():
    times = itertools.count()
    return lambda stage: len(stage.ends) == 2 and next(times) == 3


def with_true_hands_requested():
    """True-hand targets are asked for already, but the next step still learns from all targets so far."""
    return lambda stage: [request.kind for request in stage.requests] == [Kind.SEARCHED, Kind.TRUE_HANDS]


@pytest.mark.parametrize(
    ("settings", "moment"),
    [
        ({"heuristic_share": 0.5}, after_three_steps),
        ({"heuristic_share": 1, "true_hands": 0.3}, after_three_steps),
        ({"heuristic_share": 0, "true_hands": 1, "self_rollouts": 0.6, "magnet": 0.9}, after_three_steps),
        ({"ahead": 1}, while_targets_are_computed),
        ({"true_hands": 0.4}, with_true_hands_requested),
    ],
)
def test_run_with_targets_ahead_resumes_exactly(tmp_path, settings, moment):
    whole, stopped = (run_of(tmp_path / name, **settings) for name in ("whole", "stopped"))
    whole.learn()
    is_now = moment()
    assert not stopped.learn(stop=lambda: is_now(stopped.search_stage))
    assert len(stopped.search_stage.ends) < len(whole.search_stage.ends) > 4
    again = Run(stopped.config, stopped.folder)
    assert again.learn(go_on=True)
    same_bits(whole.folder, again.folder)


def test_half_of_the_cores_label_while_others_learn(tmp_path, monkeypatch):
    alone = run_of(tmp_path / "alone")
    alone.learn()
    settings = BY_SEARCH | {"threads": 2, "name": "both"}
    both = Run.begin(parse(settings, "test"), tmp_path)
    make, step, labelling, learning = both.search_stage.target_maker.targets, both.search_stage._learn, set(), set()
    of_numpy = set()

    def targets(*asked):
        labelling.add((threading.current_thread(), torch.get_num_threads()))
        of_numpy.update(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")
        return make(*asked)

    def learn(rows):
        learning.add((threading.current_thread(), torch.get_num_threads()))
        return step(rows)

    monkeypatch.setattr(both.search_stage.target_maker, "targets", targets)
    monkeypatch.setattr(both.search_stage, "_learn", learn)
    before = torch.get_num_threads()
    both.learn()
    assert learning == {(threading.main_thread(), 1)}
    ((labeller, threads),) = labelling
    assert labeller is not threading.main_thread() and threads == 1
    assert both.search_stage.target_maker.search.plan.threads == 1
    assert of_numpy <= {1}
    assert torch.get_num_threads() == before
    same_bits(alone.folder, both.folder)
    with pytest.raises(RuntimeError, match="after shutdown"):  # nothing is labelled once the stage is over
        both.search_stage.local_workers.ask(square, 3)


def test_closed_thread_starts_nothing_more():
    thread, go, begun = Thread(), threading.Event(), []

    def work(number):
        begun.append(number)
        go.wait(10)
        return number

    answers = [thread.ask(work, number) for number in range(3)]
    while not begun:
        time.sleep(0.01)
    thread.close()
    go.set()
    assert answers[0]() == 0
    for answer in answers[1:]:
        with pytest.raises(CancelledError):
            answer()
    assert begun == [0]


def same_bits(one: Path, other: Path) -> None:
    """All that two runs have learned is the same, and the files of their players are."""
    assert (one / AGENT_FILE).read_bytes() == (other / AGENT_FILE).read_bytes()
    (_, mine), (_, theirs) = (read_checkpoint(folder / RESUME_FILE) for folder in (one, other))
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        np.testing.assert_array_equal(tensor, theirs[name], err_msg=name)


def test_requests_to_lost_workers_are_saved(tmp_path):
    run = run_of(tmp_path)
    steps = []

    class Lost(Eager):
        def ask(self, task, *arguments):
            steps.append(arguments[-1])
            answer = super().ask(task, *arguments)
            return answer if len(steps) < 5 else self.lose

        def lose(self):
            raise LostError("they are lost")

    run.search_stage.workers = Lost()
    with pytest.raises(LostError):
        run.learn()
    again = Run(run.config, run.folder)
    assert again.learn(go_on=True)
    whole = run_of(tmp_path / "whole")
    whole.learn()
    same_bits(whole.folder, again.folder)


# --- on Ray ---------------------------------------------------------------------------------------


# Nothing is sent to anybody, a machine that is busy may take its time to start a node, and a token of the user's does
# not matter.
RAY_HERE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "120", "RAY_AUTH_MODE": "disabled"}


class Nodes:
    """A cluster of several processes on this machine: a head without cores and workers of one core each."""

    def __init__(self, **env: str) -> None:
        self.ray, self.found = Path(sys.executable).parent / "ray", []
        self.port, self.client_port = free_port(), free_port()
        self.env = {**os.environ, **RAY_HERE, **env, "PYTHONPATH": os.pathsep.join(sys.path)}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def client_address(self) -> str:
        """The address for a machine that is no part of the cluster."""
        return f"ray://127.0.0.1:{self.client_port}"

    def add(self, *words: str) -> None:
        """Start a node and wait for it: of two that start at once on a machine one may hang."""
        common = ["--object-store-memory", "100000000", "--block"]
        node = subprocess.Popen(
            [self.ray, "start", *words, *common],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.found.append(node)  # it ends with its first process
        assert any("Ray runtime started" in line for line in node.stdout)

    def begin(self, workers: int) -> None:
        ports = ["--port", str(self.port), "--ray-client-server-port", str(self.client_port)]
        self.add("--head", *ports, "--include-dashboard", "false", "--num-cpus", "0")
        for _ in range(workers):
            self.add("--address", self.address, "--num-cpus", "1")

    def end(self) -> None:
        for node in self.found:
            node.terminate()  # which ends all processes of the node
        for node in self.found:
            try:
                node.wait(15)
            except subprocess.TimeoutExpired:  # it waits for a head that is dead
                os.killpg(node.pid, signal.SIGKILL)
                node.wait(15)
        self.found = []


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def cluster_of(workers: int, **env: str) -> Iterator[Nodes]:
    """A cluster of a head and some workers; the tests that need it are left out where Ray is not installed."""
    pytest.importorskip("ray", reason=NO_RAY)
    nodes = Nodes(**env)
    try:
        nodes.begin(workers)
        yield nodes
    finally:
        nodes.end()


@pytest.fixture(scope="module")
def nodes():
    with cluster_of(2) as cluster:
        yield cluster


def joined(nodes: Nodes, workers: int = 1, seconds: float = 90) -> Cluster:
    """Join a cluster once so many workers are there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            cluster = Cluster(nodes.address)
            if cluster._ray.cluster_resources().get("CPU", 0) >= workers:
                cluster.count = workers
                return cluster
            cluster.close()
        except ValueError:
            pass
        assert time.monotonic() < deadline
        time.sleep(1)


def run_process(*words: str, env=None, check=True) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "gupai_app.shell.cli", *map(str, words)],
        env=env or {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=check,
    )


def linger(folder: str, number: int, seconds: float) -> int:
    """Tell who begins this task, then take some time over it."""
    with (Path(folder) / str(number)).open("a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(seconds)
    return number


def test_killed_worker_loses_only_its_task(nodes, tmp_path):
    cluster = joined(nodes, 2)
    try:
        assert cluster.ask(os.getenv, "PYTHON_CPU_COUNT")() == "1"
        answers = cluster.in_order(linger, ((str(tmp_path), number, 1.0) for number in range(10)))
        found = [next(answers)]
        begun, deadline = tmp_path / "2", time.monotonic() + 60
        while not (begun.exists() and begun.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(int(begun.read_text()), signal.SIGKILL)
        found += answers
        assert found == list(range(10))
        assert sum(len(file.read_text().split()) for file in tmp_path.iterdir()) <= 12
        with pytest.raises(ValueError, match=r"^3 is refused$"):
            cluster.ask(refuse, 3)()
        assert dict(cluster.as_done(square, {"a": (3,), "b": (4,)})) == {"a": 9, "b": 16}
    finally:
        cluster.close()


@pytest.mark.parametrize("outside", [False, True], ids=["a machine of the cluster", "any other"])
def test_commands_find_the_same_bytes_on_a_cluster(nodes, tmp_path, outside):
    joined(nodes, 2).close()
    address = nodes.client_address if outside else nodes.address
    words = ["tournament", "jie-long", "random", "greedy", "variety", "--table", "all", "--deals", "600"]
    run_process(*words, "--out", tmp_path / "here")
    run_process(*words, "--out", tmp_path / "there", "--ray", address)
    for name in FILES:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name
    claim = ["claim", "run", "jl-attack-2", "--deals", "100", "--json"]
    assert json.loads(run_process(*claim).stdout) == json.loads(run_process(*claim, "--ray", address).stdout)
    tune = ["tune", "jie-long", "--generations", "6", "--seconds", "600"]
    assert run_process(*tune).stdout == run_process(*tune, "--ray", address).stdout
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(BY_SEARCH))
    run_process("train", path, "--runs", tmp_path / "here")
    run_process("train", path, "--runs", tmp_path / "there", "--ray", address)
    same_bits(*(tmp_path / folder / "by_search-1" for folder in ("here", "there")))


@pytest.mark.parametrize("address", ["chess", "host:", ":6379", "ray://host", "host:port"])
def test_address_without_host_or_port_is_reported_in_one_line(address):
    with pytest.raises(ValueError, match=f"^--ray '{address}': an address is HOST:PORT or ray://HOST:PORT$"):
        require_listener(address)


def test_unreachable_cluster_is_reported_in_one_line():
    pytest.importorskip("ray", reason=NO_RAY)
    with pytest.raises(ValueError, match="no cluster answers there") as caught:
        Cluster(f"127.0.0.1:{free_port()}")
    assert "\n" not in str(caught.value)


def test_cluster_with_a_token_is_joined_or_the_token_named():
    with cluster_of(1, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="5" * 64) as nodes:
        words = ["tournament", "jie-long", "random", "greedy", "--deals", "2", "--json", "--ray"]
        for address in (nodes.address, nodes.client_address):
            assert json.loads(run_process(*words, address, env=nodes.env).stdout)["deals"] == 2
        for wrong in ({"RAY_AUTH_MODE": "disabled"}, {"RAY_AUTH_TOKEN": "6" * 64}):
            refused = run_process(*words, nodes.address, env=nodes.env | wrong, check=False)
            message = refused.stderr.splitlines()[-1]
            assert refused.returncode == 2 and "wants a token" in message and "RAY_AUTH_MODE=token" in message


@pytest.mark.parametrize("outside", [False, True], ids=["a machine of the cluster", "any other"])
def test_lost_head_is_reported_and_the_command_resumes(tmp_path, outside):
    there = tmp_path / "there"
    words = ["tournament", "jie-long", "greedy", "variety", "--deals", "60000"]
    with cluster_of(1) as nodes:
        joined(nodes).close()
        address = nodes.client_address if outside else nodes.address
        command = [sys.executable, "-m", "gupai_app.shell.cli", *words, "--out", there, "--ray", address]
        playing = subprocess.Popen(command, env=nodes.env, stderr=subprocess.PIPE, text=True)
        while not (there / "blocks" / "0.jsonl.gz").exists():
            assert playing.poll() is None
            time.sleep(0.05)
        head = subprocess.check_output(["pgrep", "-f", f"gcs_server.*--gcs_server_port={nodes.port}"], text=True)
        os.kill(int(head.split()[0]), signal.SIGKILL)
        printed = playing.communicate(timeout=120)[1]
        assert playing.returncode in (1, 2), printed  # 1 where Ray ends the process
        assert f"finished work is in {there}: run the command again with --resume" in printed
    with cluster_of(1) as nodes:
        joined(nodes).close()
        run_process(*words, "--out", there, "--resume", "--ray", nodes.address)
    run_process(*words, "--out", tmp_path / "here")
    for name in FILES:
        assert (tmp_path / "here" / name).read_bytes() == (there / name).read_bytes(), name


def test_missing_ray_is_reported_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install 'gupai\[ray\]'"):
        Cluster("127.0.0.1:1")


def test_workers_share_what_the_process_before_them_has_imported():
    code = "import gc\nfrom gupai_agents.play.workers import Processes\n"
    code += "print(dict(Processes(1).as_done(gc.get_freeze_count, {'objects': ()}))['objects'])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) > 10_000  # which no worker copies


def test_packages_that_are_not_installed_have_no_version():
    assert installed("numpy", "gupai-none") == {"numpy": np.__version__, "gupai-none": "none"}
