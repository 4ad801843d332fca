"""A launch runs on the emulated GPU that was chosen for it, whichever thread launches."""

import concurrent.futures
import re
import threading

import numpy as np
import pytest
from positions import relative

import hocket
from hocket import language as gl


@hocket.jit
def lanes(out):
    gl.store(out, gl.num_lanes())


def lanes_here() -> int:
    out = np.zeros(1, np.int32)
    lanes[(1,)](out)
    return int(out[0])


def in_new_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: threading.get_ident(), range(2)))  # its threads exist
        yield pool


def test_threads_started_inside_and_outside(pool):
    with hocket.emulator.target("gfx950"):
        assert in_new_thread(lanes_here) == 64
        assert pool.submit(lanes_here).result() == 64
        assert in_new_thread(hocket.emulator.current_target) == "gfx950"
        with hocket.emulator.target("sm_80"):
            assert in_new_thread(hocket.emulator.current_target) == "sm_80"
    assert in_new_thread(lanes_here) == pool.submit(lanes_here).result() == 32


def test_a_thread_that_chose_itself(pool):
    def choose():
        with hocket.emulator.target("gfx942"):
            return hocket.emulator.current_target()

    with hocket.emulator.target("sm_80"):
        assert pool.submit(choose).result() == "gfx942"
        assert hocket.emulator.current_target() == "sm_80"


def test_the_schedule_and_what_is_counted():
    seeds = []
    with hocket.emulator._watch_launches(lambda *facts: seeds.append(facts)), hocket.emulator.schedule(races=False):
        in_new_thread(lanes_here)
        assert in_new_thread(lambda: hocket.runtime.emulated.schedule.get().races) is False
    assert len(seeds) == 1


def test_threads_that_chose_differently(pool):
    entered, done = threading.Event(), threading.Event()

    def hold():
        with hocket.emulator.target("gfx950"):
            entered.set()
            done.wait()

    holding = pool.submit(hold)
    entered.wait()
    try:
        with hocket.emulator.target("sm_80"):
            assert lanes_here() == 32
            with pytest.raises(hocket.LaunchError) as raised:
                pool.submit(lanes_here).result()
        assert lanes_here() == 64
    finally:
        done.set()
        holding.result()
    assert str(raised.value) == (
        "this thread has chosen no emulated GPU, and the others have chosen different ones: gfx950, sm_80\n"
        "  hint: put the launch into a `with hocket.emulator.target(...)` of its own thread"
    )


def test_a_call_without_with():
    hocket.emulator.target("gfx950")
    with pytest.raises(hocket.LaunchError) as raised:
        lanes_here()
    text = relative(re.sub(r"in \S*/", "in ", str(raised.value)), __file__, "test_a_call_without_with")
    assert text == (
        'hocket.emulator.target("gfx950") was called without `with`, in test_targets_of_threads.py:+1: it has no '
        'effect\n  hint: with hocket.emulator.target("gfx950"): ...'
    )
    assert lanes_here() == 32


def test_as_a_decorator():
    @hocket.emulator.target("gfx950")
    def decorated():
        return lanes_here()

    assert decorated() == decorated() == 64
    assert lanes_here() == 32
