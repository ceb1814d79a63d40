"""Where workers share the tests, they share the compiling too, and byte code is kept."""

import functools
import gc
import os
import signal
import sys
import tempfile

import pytest
import typer.testing

# All commands are built once, not at every call of one.
typer.testing._get_command = functools.cache(typer.testing._get_command)

# The tests start a hundred processes, and each would compile the sources of all packages again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["GUPAI_HOME"] = tempfile.mkdtemp(prefix="gupai-games-")  # games that tests finish are nobody's
os.environ.setdefault("GUPAI_MACHINE_CODE", "numba")  # whatever this checkout has; "shipped": tests use it
os.environ.pop("COLUMNS", None)  # which readline sets for the workers of a pytest at a terminal

# A worker has a core, and so do the threads of its products; before numpy and torch are there.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    gc.disable()  # till all tests are collected: what is imported and listed by then stays

import compiled_at_once  # noqa: E402, F401

MANY = 20  # files: below it the loops of some games may not be needed


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One worker more than there are cores: some tests wait for a process or for the clock."""
    return (yield) + 1


def pytest_collection_finish(session: pytest.Session) -> None:
    """Compile what nearly all tests use, each worker some of the games, before any of them needs it.

    Their machine code is kept on disk for both. Without this two workers begin with the same games and compile every
    loop twice, at the same time.
    """
    gc.freeze()  # what is there now is never looked through for garbage
    gc.set_threshold(50_000)
    gc.enable()
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if workers == 1 or len({item.path for item in session.items}) < MANY:
        return
    from gupai_env import GAMES
    from processes import start_server

    start_server()
    number = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    for game in list(GAMES.values())[number::workers]:
        compile_loops(game)


def compile_loops(game) -> None:
    """Play a little on every road."""
    from gupai_agents import make_agent
    from gupai_agents.evaluation import duel
    from gupai_agents.gymnasium_envs import SeatVectorEnv
    from gupai_env import VectorEnv
    from walks import encoded, sample, views_of

    envs = VectorEnv(game, 2)
    envs.step(sample(envs, 0))
    envs.play_random(1, 0)
    views = views_of(envs, envs.states, 0)
    encoded(envs, views)
    envs.kernels.observe_seat(envs.table, 0, envs.observations.ravel())
    envs.kernels.determinize(envs.rules, views, envs.seeds, game.new_states(2))
    search, *others = (make_agent(name, game) for name in ("search:playouts=1", "random", "greedy"))
    duel(game, *others, 2)
    duel(game, search, others[0], 2)
    tables = SeatVectorEnv(game, 2)
    tables.reset(seed=1)
    tables.step(tables.action_masks().argmax(1))


@pytest.fixture
def signals():
    """For tests that send signals or raise them."""
    from processes import take_signals

    before = take_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A folder with runs, and one for tournaments."""
    from web_room import furnish

    return furnish(tmp_path_factory.mktemp("room"))


@pytest.fixture(scope="module")
def pages(room):
    """The pages that show this folder; a failure of the server is an answer."""
    from fastapi.testclient import TestClient

    from gupai_app.server.app import create_app

    server = create_app(runs=room / "runs", tournaments=room / "tournaments")
    with TestClient(server, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """An ONNX graph with a policy and a value."""
    from networks import Masked, exported

    return exported(Masked().eval(), tmp_path_factory.mktemp("graph") / "mine.onnx")


@pytest.fixture(scope="module")
def decisions():
    """Decisions of all moments, and the observations there."""
    from networks import all_decisions

    return all_decisions()


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Three small runs of two recipes; to be copied, not changed."""
    from small_runs import trained_runs

    return trained_runs(tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("recipes"))
