"""The threads of a table: every lane is played once, by whoever is there, and nobody stays when the table goes."""

import gc
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gupai_env import Lanes
from gupai_env.core import crew
from gupai_env.core.crew import (
    BEGUN,
    LEADER,
    LINE,
    THREADS,
    claim,
    crew_words,
    finish,
    help_on,
    lead_on,
    post,
)


def take_part(words: np.ndarray, threads: int, thread: int, lanes: int) -> range:
    """One part for a thread, as the compiled loop claims it, noted as done."""
    first, end = (
        lead_on(words, threads, lanes) if thread == LEADER else help_on(words, threads, thread, lanes)
    )
    if first < end:
        finish(words, thread, end - first)
    return range(first, end)


@settings(deadline=None)
@given(st.integers(1, 500), st.integers(2, 4), st.data())
def test_every_lane_is_claimed_once_whoever_is_there(lanes, threads, data):
    words = crew_words(threads)
    for _ in range(3):
        post(words, threads, 1, 0, 1, 0)
        claimed: list[int] = []
        for thread in data.draw(st.lists(st.integers(1, threads - 1), max_size=20)):
            generation = words[crew.GENERATION]
            first, end = claim(words, threads, thread, lanes, generation)
            finish(words, thread, end - first)
            claimed += range(first, end)
            words[THREADS + thread * LINE + BEGUN] = data.draw(st.sampled_from([generation - 1, generation]))
        while part := take_part(words, threads, LEADER, lanes):
            claimed += part
        assert sorted(claimed) == list(range(lanes))


def test_there_is_nothing_to_claim_before_the_first_job_nor_for_an_old_one(monkeypatch):
    monkeypatch.setattr(crew, "PATIENCE", 3)
    words = crew_words(2)
    assert not take_part(words, 2, 1, 100)
    post(words, 2, 1, 0, 1, 0)
    old = int(words[crew.GENERATION])
    while take_part(words, 2, LEADER, 100):
        pass
    post(words, 2, 1, 0, 1, 0)
    assert claim(words, 2, 1, 100, old) == (0, 0)
    assert take_part(words, 2, 1, 100).start == 50


@pytest.mark.parametrize("first_call", ["step", "play_random"])
def test_threads_play_alike_from_the_first_call_on(monkeypatch, first_call):
    monkeypatch.setattr(crew, "WORTH_WAKING", 1)
    for seed in range(20):
        tables = Lanes("jie-long", 300, seed=seed), Lanes("jie-long", 300, seed=seed, threads=3)
        for table in tables:
            for key in range(5):
                if first_call == "step":
                    table.step(table.sample(key))
                table.play_random(3, key)
        np.testing.assert_array_equal(tables[0].states, tables[1].states)
        np.testing.assert_array_equal(tables[0].observations, tables[1].observations)


def helpers() -> int:
    return sum(thread.name.startswith("lanes ") for thread in threading.enumerate())


def test_helpers_sleep_when_there_is_nothing_to_do_and_go_with_their_table(monkeypatch):
    monkeypatch.setattr(crew, "WORTH_WAKING", 1)
    before = helpers()
    lanes = Lanes("jie-long", 64, seed=1, threads=3)
    assert helpers() == before  # nobody comes before there is a job
    lanes.play_random(2, 1)
    assert helpers() == before + 2
    time.sleep(0.2)
    used = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - used < 0.1
    del lanes
    gc.collect()
    assert helpers() == before
