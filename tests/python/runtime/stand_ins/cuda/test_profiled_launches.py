"""Launches that are profiled: whose memory the records go to, and who is told."""

import pytest
from stand_ins.arrays import CudaArray, aligned

import hocket
from hocket import language as gl
from hocket.language import profiler
from hocket.runtime import profiling


@hocket.jit
def marked(out):
    profiler.mark("here")
    gl.store(out, 1.0)


@hocket.jit
def unmarked(out):
    gl.store(out, 1.0)


class Sink:
    config = profiling.ProfileConfig(stages=False, bytes=64)

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


def test_a_sink_may_give_nothing(driver, sink, out):
    sink.address = 0
    driver.set("parameter_count", 2)
    allocations = driver.get("async_allocations")
    marked[(1,)](out)
    assert driver.parameters(2)[1] != 0
    assert driver.get("async_allocations") == allocations + 1
    assert driver.get("async_frees") == driver.get("async_allocations")


def test_a_kernel_without_records_tells_nobody(driver, sink, out):
    unmarked[(1,)](out)
    assert sink.told == []


def test_the_option_of_a_launch_goes_first(driver, sink, out):
    assert marked[(1,)](out, profile="").profile is None
    config = profiling.ProfileConfig(stages=False, bytes=128)
    assert marked[(1,)](out, profile=config.text()).profile.bytes_per_unit == 128
    assert marked[(1,)](out).profile.bytes_per_unit == 64


def test_plain_launches_ask_nobody(driver, out):
    assert marked[(1,)](out).profile is None
