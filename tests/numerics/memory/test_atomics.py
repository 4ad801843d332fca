"""Atomics: each element counts once, whatever the layout replicates, and old values come back."""

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import language as gl


@hocket.jit
def histogram_kernel(x, counts, BLOCK: gl.constexpr):
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.atomic_add(counts + gl.load(x + i), 1)


def test_histogram(device):
    x = np.random.default_rng(0).integers(0, 13, 4096).astype(np.int32)
    counts = device.to_device(np.zeros(13, np.int32))
    histogram_kernel[(4,)](device.to_device(x), counts, BLOCK=1024)
    np.testing.assert_array_equal(device.to_host(counts), np.bincount(x, minlength=13))


@hocket.jit
def add_kernel(x, out, n, BLOCK: gl.constexpr):
    # 32 elements on 4 warps: the layout replicates every element over the warps.
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.atomic_add(out + i, gl.load(x + i), mask=i < n)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_add_counts_replicated_elements_once_and_honors_the_mask(device, dtype):
    x = np.arange(32).astype(dtype)
    out = device.to_device(np.ones(32, dtype))
    add_kernel[(3,)](device.to_device(x), out, 20, BLOCK=32)
    expected = np.where(np.arange(32) < 20, 1 + 3 * np.arange(32), 1).astype(dtype)
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def ticket_kernel(counter, tickets):
    gl.store(tickets + gl.atomic_add(counter, 1), 1)


def test_scalar_atomic_returns_the_old_value(device):
    counter, tickets = device.to_device(np.zeros(1, np.int32)), device.to_device(np.zeros(64, np.int32))
    ticket_kernel[(64,)](counter, tickets)
    assert device.to_host(counter)[0] == 64
    assert (device.to_host(tickets) == 1).all()


@hocket.jit
def extremes_kernel(x, low, high, last, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    value = gl.load(x + i)
    zero = i * 0
    gl.atomic_min(low + zero, value)
    gl.atomic_max(high + zero, value)
    gl.atomic_xchg(last + i, value)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_min_max_exchange(device, dtype):
    x = np.random.default_rng(1).integers(0, 2**32, 512, dtype=np.uint32).view(dtype)
    info = np.iinfo(dtype)
    low, high = (device.to_device(np.array([v], dtype)) for v in (info.max, info.min))
    last = device.to_device(np.zeros(512, dtype))
    extremes_kernel[(1,)](device.to_device(x), low, high, last, BLOCK=512)
    assert device.to_host(low)[0] == x.min() and device.to_host(high)[0] == x.max()
    np.testing.assert_array_equal(device.to_host(last), x)


@hocket.jit
def lock_kernel(cells, old, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(old + i, gl.atomic_cas(cells + i, i * 0, i + 1))


def test_compare_and_swap(device):
    cells = np.where(np.arange(256) % 3 == 0, 0, -7).astype(np.int32)
    moved, old = device.to_device(cells), device.to_device(np.zeros(256, np.int32))
    lock_kernel[(1,)](moved, old, BLOCK=256)
    np.testing.assert_array_equal(device.to_host(old), cells)
    np.testing.assert_array_equal(device.to_host(moved), np.where(cells == 0, np.arange(256) + 1, cells))


@hocket.jit
def move_kernel(x, out, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.atomic_store(out + i, gl.where(i < n, gl.atomic_load(x + i, mask=i < n, sem="relaxed"), 7), mask=i < n + 1)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.float32, np.float64])
def test_loads_and_stores(device, dtype):
    x = np.array([-2.5, 1, 3, 1e9] * 8).astype(dtype) if np.dtype(dtype).kind == "f" else np.arange(32, dtype=dtype)
    out = device.to_device(np.ones(32, dtype))
    move_kernel[(1,)](device.to_device(x), out, 20, BLOCK=32)
    index = np.arange(32)
    expected = np.where(index < 20, x, np.where(index == 20, 7, 1)).astype(dtype)
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def message_kernel(flag, data, out):
    """Block 0 writes and raises the flag; block 1 reads when the flag is up."""
    if gl.program_id(0) == 0:
        gl.store(data, 42)
        gl.barrier()
        gl.atomic_store(flag, 1)
    else:
        while gl.atomic_load(flag) == 0:
            pass
        gl.barrier()
        gl.store(out, gl.load(data))


def test_a_message(device):
    flag, data, out = (device.to_device(np.zeros(1, np.int32)) for _ in range(3))
    message_kernel[(2,)](flag, data, out)
    assert device.to_host(out)[0] == 42


@hocket.jit
def hand_over_kernel(flags, data, out, BLOCK: gl.constexpr):
    """The last block writes for all others, which wait for one flag each, and for all of them at once."""
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    block, last = gl.program_id(0), gl.num_programs(0) - 1
    if block == last:
        gl.store(data + i, i * i)
        gl.barrier()
        gl.atomic_store(flags + i, 7)
    else:
        gl.atomic_poll(flags + block, 7)
        seen = gl.atomic_poll(flags + i, 7, sem="acquire", scope="gpu")
        gl.store(out + block * BLOCK + i, gl.where(seen, gl.load(data + i), -1))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
def test_poll_waits_for_other_blocks(every_device, dtype):
    flags = every_device.to_device(np.zeros(128, dtype))
    data, out = every_device.to_device(np.zeros(128, np.int32)), every_device.to_device(np.zeros((3, 128), np.int32))
    hand_over_kernel[(4,)](flags, data, out, BLOCK=128, launch_cooperative_grid=True)
    np.testing.assert_array_equal(every_device.to_host(out), np.tile(np.arange(128, dtype=np.int32) ** 2, (3, 1)))


@hocket.jit
def timeout_kernel(x, out, n, budget, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(out + i, gl.atomic_poll(x + i, i, timeout_ns=budget))
    gl.store(out + BLOCK, gl.atomic_poll(x, n, sem="relaxed", timeout_ns=budget))


@pytest.mark.parametrize("budget", [0, 200])
@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.uint64])
def test_poll_ends_in_time(every_device, dtype, budget):
    """One look at least; what memory does not hold by the end is False."""
    x = np.arange(256)
    x[100:150] = 300
    out = every_device.to_device(np.zeros(257, np.int32))
    timeout_kernel[(1,)](every_device.to_device(x.astype(dtype)), out, 5, budget, BLOCK=256)
    expected = np.append((x == np.arange(256)), False)
    np.testing.assert_array_equal(every_device.to_host(out), expected)
