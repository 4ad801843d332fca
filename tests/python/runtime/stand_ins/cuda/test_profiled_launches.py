"""Launches that are profiled: whose memory the records go to, and who is told."""

import ctypes
import os
import signal
import time

import pytest
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import language as gl
from hocket import profiler as host
from hocket.language import profiler
from hocket.profiler.facts import ProfileConfig
from hocket.runtime import profiling


@hocket.jit
def marked(out):
    profiler.mark("here")
    gl.store(out, 1.0)


@hocket.jit
def unmarked(out):
    gl.store(out, 1.0)


class Sink:
    config = ProfileConfig(stages=False, bytes=64)

    def __init__(self, address):
        self.address, self.told = address, []

    def buffer(self, kernel, grid, place, stream, nbytes):
        self.told.append(("buffer", kernel.name, grid, place, stream, nbytes))
        return self.address

    def launched(self, kernel, grid, place, stream, address):
        self.told.append(("launched", kernel.name, grid, place, stream, address))


@pytest.fixture
def sink():
    sink = Sink(0x7F00)
    choice = profiling.current.set(sink)
    yield sink
    profiling.current.reset(choice)


@pytest.fixture
def out():
    return CudaArray(aligned(128))


def test_records_go_where_the_sink_says(driver, sink, out):
    driver.set("parameter_count", 2)
    allocations = driver.get("async_allocations")
    marked[(3, 2)](out, stream=0x77)
    assert driver.parameters(2) == [out.address, 0x7F00]
    assert driver.get("async_allocations") == allocations
    nbytes = 6 * 384  # 64 + 4 * 8 + 4 * 64 = 352, and up to a multiple of 128
    assert sink.told == [
        ("buffer", "marked", (3, 2, 1), 0, 0x77, nbytes),
        ("launched", "marked", (3, 2, 1), 0, 0x77, 0x7F00),
    ]


def test_a_launch_allocates_records_if_the_sink_has_none(driver, sink, out):
    sink.address = 0
    driver.set("parameter_count", 2)
    allocations = driver.get("async_allocations")
    marked[(1,)](out)
    assert driver.parameters(2)[1] != 0
    assert driver.get("async_allocations") == allocations + 1
    assert driver.get("async_frees") == driver.get("async_allocations")


def test_a_kernel_without_records_calls_no_profiler(driver, sink, out):
    unmarked[(1,)](out)
    assert sink.told == []


def test_the_option_of_a_launch_goes_first(driver, sink, out):
    assert marked[(1,)](out, profile="").profile is None
    config = ProfileConfig(stages=False, bytes=128)
    assert marked[(1,)](out, profile=config.text()).profile.bytes_per_unit == 128
    assert marked[(1,)](out).profile.bytes_per_unit == 64


def test_plain_launches_call_no_profiler(driver, out):
    assert marked[(1,)](out).profile is None


# Variables of modules -------------------------------------------------------------------------------------------------

BYTES_PER_CTA, MOST_BLOCKS = 384, 4
STATIC = ProfileConfig(space="static", max_ctas=MOST_BLOCKS, stages=False, bytes=64)


@pytest.fixture
def static_sink(driver):
    if not driver.variable:  # else the kernel is loaded, and knows it
        driver.set("variable_bytes", BYTES_PER_CTA * MOST_BLOCKS)
    memory = ctypes.create_string_buffer(BYTES_PER_CTA * MOST_BLOCKS)
    sink = Sink(ctypes.addressof(memory))
    sink.config, sink.memory = STATIC, memory
    choice = profiling.current.set(sink)
    yield sink
    profiling.current.reset(choice)


@hocket.jit
def into_variable(out):
    profiler.mark("here")
    gl.store(out, 1.0)


@pytest.mark.parametrize("blocks", [3, 9])
def test_a_static_variable_is_copied_and_cleared(driver, static_sink, out, blocks):
    ctypes.memset(driver.variable, 0x5A, BYTES_PER_CTA * MOST_BLOCKS)  # as the kernel would
    into_variable[(blocks,)](out)
    recorded = BYTES_PER_CTA * min(blocks, MOST_BLOCKS)
    assert [told[-1] for told in static_sink.told] == [recorded, static_sink.address]
    assert static_sink.memory.raw == b"\x5a" * recorded + bytes(len(static_sink.memory) - recorded)
    assert ctypes.string_at(driver.variable, BYTES_PER_CTA * MOST_BLOCKS) == bytes(BYTES_PER_CTA * MOST_BLOCKS)


def test_launches_on_two_streams_share_a_static_variable_in_turn(driver, static_sink, out):
    into_variable[(1,)](out, stream=1)
    for stream, waits in ((1, 0), (2, 1), (2, 0), (1, 1)):
        before = driver.get("event_waits")
        into_variable[(1,)](out, stream=stream)
        assert driver.get("event_waits") - before == waits


def test_a_static_variable_cannot_be_in_a_graph(driver, static_sink, out):
    into_variable[(1,)](out)
    driver.set("capturing", 1)
    try:
        with pytest.raises(hocket.LaunchError, match="records into a variable that all its launches share"):
            into_variable[(1,)](out)
    finally:
        driver.set("capturing", 0)


# Sessions, which get their memory from a ring -------------------------------------------------------------------------


def test_what_a_graph_records_is_what_its_last_run_wrote(driver, out):
    driver.set("parameter_count", 2)
    with host.session("graph", stages=None, bytes_per_warp=64, correct=False) as profile:
        driver.set("capturing", 1)
        marked[(2,)](out)
        with pytest.raises(hocket.LaunchError, match="still being captured into a graph"):
            _ = profile.launches
        driver.set("capturing", 0)
        address = driver.parameters(2)[1]
        marked[(1,)](out)  # has other memory
        assert driver.parameters(2)[1] != address
        ctypes.memset(address, 0x11, 384)
        ctypes.memset(address, 0, 384)  # as the graph's runs would
        ctypes.memset(address + 384, 0, 384)
        assert [launch.memory.nbytes for launch in profile.launches] == [768, 384]
        marked[(1,)](out)
        assert driver.parameters(2)[1] != address  # graphs may run again


def test_a_child_process_leaves_the_session_alone(driver, out):
    """The thread that reads is not there: nothing waits for it."""
    with host.session("fork", stages=None, bytes_per_warp=64, correct=False) as profile:
        driver.set("parameter_count", 2)
        marked[(1,)](out)
        ctypes.memset(driver.parameters(2)[1], 0, 384)
        if (child := os.fork()) == 0:
            profile._sink.close()
            os._exit(7)
        for _ in range(300):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.1)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        assert os.waitstatus_to_exitcode(status) == 7
