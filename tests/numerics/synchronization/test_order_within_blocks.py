"""Warps of one block that exchange values through global memory: what orders them, and what need not be ordered."""

import numpy as np
import pytest

import hocket
from hocket import errors
from hocket import language as gl
from hocket.language.amd import cdna3

TARGETS = ["sm_90a", "gfx942", "gfx950"]


@pytest.fixture(params=TARGETS, autouse=True)
def target(request):
    with hocket.emulator.target(request.param):
        yield request.param


@hocket.jit
def exchange(out, result, SIZE: gl.constexpr, BARRIER: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i)
    if BARRIER:
        gl.barrier()
    gl.store(result + i, gl.load(out + SIZE - 1 - i))


@hocket.jit
def reverse(x, SIZE: gl.constexpr, BARRIER: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.load(x + SIZE - 1 - i)
    if BARRIER:
        gl.barrier()
    gl.store(x + i, value)


def race_of(launch, seeds=(3, 1, 0)) -> errors.RaceError:
    """Every seed finds it."""
    for seed in seeds:
        with hocket.emulator.schedule(seed=seed), pytest.raises(errors.RaceError, match="by another warp") as raised:
            launch()
    return raised.value


def test_store_then_load():
    out, result = np.zeros((2, 1024), np.int32)
    race_of(lambda: exchange[(1,)](out, result, SIZE=1024, BARRIER=False))
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed):
            exchange[(1,)](out, result, SIZE=1024, BARRIER=True)
        np.testing.assert_array_equal(result, np.arange(1024)[::-1])


def test_load_then_store():
    race_of(lambda: reverse[(1,)](np.arange(1024), SIZE=1024, BARRIER=False))
    for seed in range(4):
        x = np.arange(1024)
        with hocket.emulator.schedule(seed=seed):
            reverse[(1,)](x, SIZE=1024, BARRIER=True)
        np.testing.assert_array_equal(x, np.arange(1024)[::-1])


def test_between_blocks_and_within_them():
    """Each block has its own row."""
    race_of(lambda: rows[(3,)](np.zeros((3, 256), np.int32), np.zeros((3, 256), np.int32), SIZE=256, BARRIER=False))
    out, result = np.zeros((2, 3, 256), np.int32)
    rows[(3,)](out, result, SIZE=256, BARRIER=True)
    np.testing.assert_array_equal(result, np.tile(np.arange(256)[::-1], (3, 1)))


@hocket.jit
def rows(out, result, SIZE: gl.constexpr, BARRIER: gl.constexpr):
    exchange(out + gl.program_id(0) * SIZE, result + gl.program_id(0) * SIZE, SIZE, BARRIER)


@hocket.jit
def ping_pong(x, STEPS: gl.constexpr, SIZE: gl.constexpr):
    """Each step reads what other warps wrote in the one before."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    for step in range(STEPS):
        value = gl.load(x + step % 2 * SIZE + (i + 100) % SIZE)
        gl.store(x + (step + 1) % 2 * SIZE + i, value + 1)
        gl.barrier()


def test_loops_with_barriers():
    x = np.zeros((2, 512), np.int32)
    x[0] = np.arange(512)
    ping_pong[(1,)](x, STEPS=20, SIZE=512)
    np.testing.assert_array_equal(x[0], (np.arange(512) + 20 * 100) % 512 + 20)


@hocket.jit
def increment(x, one, SIZE: gl.constexpr):
    """Several lanes and warps hold each element: all load it, one stores it."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(x + i, gl.load(x + i) + 1)
    gl.store(one, gl.load(one) * 2)


def test_copies_of_an_element_in_place():
    x, one = np.arange(16, dtype=np.int32), np.full(1, 21)
    increment[(1,)](x, one, SIZE=16)
    np.testing.assert_array_equal(x, np.arange(16) + 1)
    assert one[0] == 42


@hocket.jit
def accumulate(x, counts, SIZE: gl.constexpr, STEPS: gl.constexpr):
    """The loaded value is passed through a branch and a loop to the store."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.full([SIZE], 1, gl.int32, layout)
    if gl.load(counts) > 0:
        value += gl.load(x + i)
    for _ in range(STEPS):
        value = value * 2
    gl.store(x + i, value)


def test_copies_that_go_through_branches():
    x = np.arange(16, dtype=np.int32)
    accumulate[(1,)](x, np.ones(1, np.int32), SIZE=16, STEPS=3)
    np.testing.assert_array_equal(x, (np.arange(16) + 1) * 8)


@hocket.jit
def accumulate_and_sum(x, total, counts, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.full([SIZE], 1, gl.int32, layout)
    if gl.load(counts) > 0:
        value += gl.load(x + i)
    gl.store(x + i, value)
    gl.store(total, gl.sum(value, axis=0))


def test_copies_that_are_used_behind_a_branch():
    arrays = np.zeros(16, np.int32), np.zeros(1, np.int32), np.ones(1, np.int32)
    race_of(lambda: accumulate_and_sum[(1,)](*arrays, SIZE=16))


@hocket.jit
def increment_and_sum(x, total, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    value = gl.load(x + i)
    gl.store(x + i, value + 1)
    gl.store(total, gl.sum(value, axis=0))


def test_copies_that_are_used():
    """A warp may load its copy after another one has stored the element: its sum would be another."""
    race_of(lambda: increment_and_sum[(1,)](np.zeros(16, np.int32), np.zeros(1, np.int32), SIZE=16))


@hocket.jit
def publish(data, flag, out, SIZE: gl.constexpr, SEM: gl.constexpr, SCOPE: gl.constexpr):
    """The first warp writes, and a lane of each warp waits for it."""
    layout: gl.constexpr = gl.row_layout()
    lanes: gl.constexpr = gl.num_lanes()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(data + i, i, mask=i < lanes)
    gl.atomic_add(flag + i % lanes, 1, mask=i < lanes, sem=SEM, scope=SCOPE)
    seen = gl.atomic_add(flag + i % lanes, 0, sem=SEM, scope=SCOPE)
    gl.store(out + i, gl.load(data + i % lanes, mask=seen > 0, other=-1))


@pytest.mark.parametrize("scope", ["cta", "gpu"])
def test_atomics_order_warps(target, scope):
    lanes = 64 if target.startswith("gfx") else 32
    out = np.zeros(4 * lanes, np.int32)
    publish[(1,)](np.zeros(lanes, np.int32), np.zeros(lanes, np.int32), out, SIZE=4 * lanes, SEM="acq_rel", SCOPE=scope)
    np.testing.assert_array_equal(out, np.tile(np.arange(lanes), 4))
    race_of(
        lambda: publish[(1,)](
            np.zeros(lanes, np.int32), np.zeros(lanes, np.int32), out, SIZE=4 * lanes, SEM="relaxed", SCOPE=scope
        ),
        seeds=(0,),  # other seeds may run the first warp last, so that no warp reads its value
    )


@hocket.jit
def buffer_exchange(out, result, SIZE: gl.constexpr, BARRIER: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    cdna3.buffer_store(i, out, i)
    if BARRIER:
        gl.barrier()
    cdna3.buffer_store(cdna3.buffer_load(out, SIZE - 1 - i), result, i)


def test_buffer_accesses(target):
    if not target.startswith("gfx"):
        pytest.skip("buffers are AMD's")
    out, result = np.zeros((2, 1024), np.int32)
    race_of(lambda: buffer_exchange[(1,)](out, result, SIZE=1024, BARRIER=False))
    buffer_exchange[(1,)](out, result, SIZE=1024, BARRIER=True)
    np.testing.assert_array_equal(result, np.arange(1024)[::-1])


@hocket.jit
def buffer_increment(x, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    cdna3.buffer_store(cdna3.buffer_load(x, i) + 1, x, i)


def test_copies_through_buffers(target):
    if not target.startswith("gfx"):
        pytest.skip("buffers are AMD's")
    x = np.zeros(16, np.int32)
    buffer_increment[(1,)](x, SIZE=16)
    np.testing.assert_array_equal(x, 1)


@hocket.jit
def sum_between(out, result, x, SIZE: gl.constexpr):
    """The barrier of a reduction orders shared memory."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, SIZE, layout=layout)
    gl.store(out + i, i)
    total = gl.sum(gl.load(x + i), axis=0)
    gl.store(result + i, gl.load(out + SIZE - 1 - i) + total)


def test_barriers_of_the_compiler(target):
    def launch():
        sum_between[(1,)](*np.zeros((3, 1024), np.int32), SIZE=1024)

    if target.startswith("gfx"):
        race_of(launch)
    else:
        launch()  # a barrier of NVIDIA orders all memory
