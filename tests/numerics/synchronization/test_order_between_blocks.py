"""Blocks that hand each other data through atomics: right with them, and a race as soon as one does not order."""

import numpy as np
import pytest

import hocket
from hocket import devices, errors
from hocket import language as gl

BLOCK = 128

on_emulated = pytest.mark.parametrize("emulated", devices.emulated(), ids=lambda device: device.name.split()[0])


def fails_as_race(array):
    # With several threads, either of the two may come second and report it.
    return pytest.raises(errors.RaceError, match=f" `{array}` races with a (read|write) by another block")


@hocket.jit
def split_sum(x, partial, done, out, SPLITS: gl.constexpr, BLOCK: gl.constexpr, SEM: gl.constexpr):
    """Each tile of `x` is summed by SPLITS blocks; the one that comes last adds their sums up."""
    layout: gl.constexpr = gl.row_layout()
    tile, split = gl.program_id(0), gl.program_id(1)
    i = gl.arange(0, BLOCK, layout=layout)
    gl.store(partial + tile * SPLITS * BLOCK + split * BLOCK + i, gl.load(x + (tile * SPLITS + split) * BLOCK + i))
    before = gl.atomic_add(done + tile, 1, sem=SEM)
    if before == SPLITS - 1:
        total = gl.zeros([BLOCK], gl.float32, layout)
        for k in range(SPLITS):
            total += gl.load(partial + tile * SPLITS * BLOCK + k * BLOCK + i)
        gl.store(out + tile * BLOCK + i, total)


def run_split_sum(device, sem, splits=5, tiles=7):
    x = np.random.default_rng(0).integers(-9, 9, (tiles, splits, BLOCK)).astype(np.float32)
    out = device.to_device(np.zeros((tiles, BLOCK), np.float32))
    partial = device.to_device(np.zeros_like(x))
    done = device.to_device(np.zeros(tiles, np.int32))
    split_sum[(tiles, splits)](device.to_device(x), partial, done, out, SPLITS=splits, BLOCK=BLOCK, SEM=sem)
    np.testing.assert_array_equal(device.to_host(out), x.sum(axis=1))


@pytest.mark.parametrize("threads", [1, 4])
def test_split_sum(device, threads):
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed, threads=threads):
            run_split_sum(device, "acq_rel")


@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release"])
@pytest.mark.parametrize("threads", [1, 4])
@on_emulated
def test_split_sum_with_too_weak_an_order(emulated, threads, sem):
    with emulated, hocket.emulator.schedule(threads=threads), fails_as_race("partial"):
        run_split_sum(emulated, sem)


@hocket.jit
def locked_sum(x, total, lock, BLOCK: gl.constexpr, TAKE: gl.constexpr, GIVE: gl.constexpr):
    """total += x, block after block, in any order; `lock` is 1 while one of them does."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + gl.program_id(0) * BLOCK + i)
    while gl.atomic_cas(lock, 0, 1, sem=TAKE) != 0:
        pass
    gl.store(total + i, gl.load(total + i) + value)
    gl.atomic_xchg(lock, 0, sem=GIVE)


def run_locked_sum(device, take, give, blocks=20):
    x = np.random.default_rng(1).integers(-9, 9, (blocks, BLOCK)).astype(np.float32)
    total, lock = device.to_device(np.zeros(BLOCK, np.float32)), device.to_device(np.zeros(1, np.int32))
    locked_sum[(blocks,)](device.to_device(x), total, lock, BLOCK=BLOCK, TAKE=take, GIVE=give)
    np.testing.assert_array_equal(device.to_host(total), x.sum(axis=0))


@pytest.mark.parametrize("threads", [1, 2])
def test_lock(device, threads):
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed, threads=threads):
            run_locked_sum(device, "acquire", "release")


@pytest.mark.parametrize("take, give", [("relaxed", "release"), ("acquire", "relaxed")])
@on_emulated
def test_lock_with_too_weak_an_order(emulated, take, give):
    with emulated, hocket.emulator.schedule(threads=1), fails_as_race("total"):
        run_locked_sum(emulated, take, give)


@hocket.jit
def chain(data, flags, BLOCK: gl.constexpr, SIGNAL: gl.constexpr):
    """Block n adds 1 to what block n - 1 has made of its row, once that has signaled it."""
    layout: gl.constexpr = gl.row_layout()
    i, block = gl.arange(0, BLOCK, layout=layout), gl.program_id(0)
    while gl.atomic_add(flags + block, 0, sem="acquire") == 0:
        pass
    gl.store(data + (block + 1) * BLOCK + i, gl.load(data + block * BLOCK + i) + 1)
    gl.atomic_xchg(flags + block + 1, 1, sem=SIGNAL)


def run_chain(device, signal, blocks=12):
    data = device.to_device(np.zeros((blocks + 1, BLOCK), np.int32))
    flags = device.to_device(np.eye(1, blocks + 1, dtype=np.int32)[0])
    chain[(blocks,)](data, flags, BLOCK=BLOCK, SIGNAL=signal)
    np.testing.assert_array_equal(device.to_host(data), np.tile(np.arange(blocks + 1)[:, None], BLOCK))


def test_chain_of_flags(device):
    run_chain(device, "release")


@on_emulated
def test_chain_of_flags_that_do_not_release(emulated):
    with emulated, fails_as_race("data"):
        run_chain(emulated, "relaxed")


@hocket.jit
def histogram(x, counts, firsts, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    value = gl.load(x + i)
    gl.store(firsts + i, value)
    gl.atomic_add(counts + value, 1)


def test_histogram_by_atomics(device):
    """Every lane of every block releases and acquires; nothing is in conflict."""
    x = np.random.default_rng(2).integers(0, 50, 64 * BLOCK).astype(np.int32)
    counts, firsts = device.to_device(np.zeros(50, np.int32)), device.to_device(np.zeros_like(x))
    histogram[(64,)](device.to_device(x), counts, firsts, BLOCK=BLOCK)
    np.testing.assert_array_equal(device.to_host(counts), np.bincount(x, minlength=50))
