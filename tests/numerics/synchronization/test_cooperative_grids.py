"""Grids whose blocks wait for each other: launch_cooperative_grid=True."""

import numpy as np
import pytest

import hocket
from hocket import devices, errors
from hocket import language as gl

SIZE = 128
#: More than the emulator runs side by side of other grids, and fewer than any GPU with code has room for.
BLOCKS = 36


@hocket.jit
def wait_for_all(arrived, COUNT: gl.constexpr, SIGNAL: gl.constexpr):
    """A barrier of the grid, once."""
    gl.atomic_add(arrived, 1, sem=SIGNAL)
    while gl.atomic_add(arrived, 0, sem="acquire") < COUNT:
        pass


@hocket.jit
def pass_on(x, out, arrived, BLOCKS: gl.constexpr, SIZE: gl.constexpr, SIGNAL: gl.constexpr):
    """Each block writes a row of `x`, then reads the row of the next block and, last, that of the previous one."""
    layout: gl.constexpr = gl.row_layout()
    i, block = gl.arange(0, SIZE, layout=layout), gl.program_id(0)
    gl.store(x + block * SIZE + i, 1000 * block + i)
    wait_for_all(arrived, BLOCKS, SIGNAL)
    right = gl.load(x + (block + 1) % BLOCKS * SIZE + i)
    gl.store(out + block * SIZE + i, right)
    wait_for_all(arrived + 1, BLOCKS, SIGNAL)
    left = gl.load(out + (block + BLOCKS - 1) % BLOCKS * SIZE + i)
    gl.store(x + block * SIZE + i, left - right)


def run(device, signal="acq_rel", **options):
    x, out = (device.to_device(np.zeros((BLOCKS, SIZE), np.int32)) for _ in range(2))
    arrived = device.to_device(np.zeros(2, np.int32))
    pass_on[(BLOCKS,)](x, out, arrived, BLOCKS=BLOCKS, SIZE=SIZE, SIGNAL=signal, **{"num_warps": 2, **options})
    rows = 1000 * np.arange(BLOCKS)[:, None] + np.arange(SIZE)
    np.testing.assert_array_equal(device.to_host(out), np.roll(rows, -1, axis=0))
    np.testing.assert_array_equal(device.to_host(x), rows - np.roll(rows, -1, axis=0))
    assert (device.to_host(arrived) == BLOCKS).all()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("seed", range(2))
def test_barriers_of_the_grid(device, threads, seed):
    with hocket.emulator.schedule(seed=seed, threads=threads):
        run(device, launch_cooperative_grid=True)


def test_blocks_of_one_warp(device):
    """Its lanes need barriers of the warp around an atomic that one of them executes for all."""
    run(device, num_warps=1, launch_cooperative_grid=True)


on_emulated = pytest.mark.parametrize("emulated", devices.emulated(), ids=lambda device: device.name.split()[0])


@on_emulated
def test_a_grid_that_is_not_cooperative_stops(emulated):
    """A normal launch cannot use the grid barrier: the error names the missing option."""
    with emulated, hocket.emulator.schedule(threads=1), pytest.raises(errors.DeadlockError) as caught:
        run(emulated)
    assert "4 more blocks: a host thread runs 32 blocks at a time" in str(caught.value)
    assert "launch_cooperative_grid=True" in str(caught.value)


@on_emulated
def test_a_barrier_that_does_not_release_is_a_race(emulated):
    with emulated, hocket.emulator.schedule(threads=1), pytest.raises(errors.RaceError, match="another block"):
        run(emulated, signal="relaxed", launch_cooperative_grid=True)


@on_emulated
def test_a_barrier_that_never_completes(emulated):
    """All blocks run and none can continue: the report must not mention blocks that have not begun."""

    @hocket.jit
    def wait_for_one_more(arrived, COUNT: gl.constexpr):
        wait_for_all(arrived, COUNT + 1, "acq_rel")

    with emulated, hocket.emulator.schedule(threads=1), pytest.raises(errors.DeadlockError) as caught:
        wait_for_one_more[(40,)](np.zeros(1, np.int32), COUNT=40, num_warps=1, launch_cooperative_grid=True)
    assert "more block" not in str(caught.value)
    assert "no other thread can change this value" in str(caught.value)
