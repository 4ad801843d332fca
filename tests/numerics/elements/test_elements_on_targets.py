"""Scans, gathers, histograms and maps in one kernel: on every target, in loops, partitions and clusters, and whatever
the order in which warps run."""

import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl

TARGETS = ["sm_80", "sm_90a", "gfx942", "gfx950"]


@hocket.jit
def last_odd(a, b):
    if b % 2 != 0:
        return b
    return a


@hocket.jit
def absolute(a):
    if a < 0:
        a = -a
    return a


@hocket.jit
def chain_kernel(x, out, counts, rounds, N: gl.constexpr, ELEMENTS: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(ELEMENTS)
    one: gl.constexpr = gl.row_layout()
    i = gl.arange(0, N, layout=layout)
    v = gl.load(x + i)
    for _ in range(rounds):
        v = gl.cumsum(v, 0) & 31
        v = gl.gather(v, (i * 7 + 3) % N, 0) - 8
        v = gl.associative_scan(v, 0, last_odd, reverse=True)
    gl.store(out + i, v)
    numbers = gl.histogram(gl.map_elementwise(absolute, v), 32, layout=one)
    gl.store(counts + gl.arange(0, 32, layout=one), numbers)


def chain(x, rounds):
    i = np.arange(len(x))
    for _ in range(rounds):
        x = x.cumsum(dtype=np.int32) & 31
        x = x[(i * 7 + 3) % len(x)] - 8
        for k in range(len(x) - 2, -1, -1):
            x[k] = x[k] if x[k] % 2 != 0 else x[k + 1]
    return x, np.bincount(np.abs(x), minlength=32)


@pytest.mark.parametrize("elements", [1, 4])
@pytest.mark.parametrize("target", TARGETS)
def test_every_target(target, elements):
    x = np.random.default_rng(0).integers(-9, 10, 1024).astype(np.int32)
    out, counts = np.zeros_like(x), np.zeros(32, np.int32)
    with emulator.target(target):
        chain_kernel[(1,)](x, out, counts, 3, N=1024, ELEMENTS=elements)
    expected, expected_counts = chain(x, 3)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(counts, expected_counts)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
def test_order_of_warps(target):
    x = np.random.default_rng(1).integers(-9, 10, 512).astype(np.int32)
    expected, _ = chain(x, 2)
    for seed in range(20):
        out, counts = np.zeros_like(x), np.zeros(32, np.int32)
        with emulator.target(target), emulator.schedule(seed=seed):
            chain_kernel[(1,)](x, out, counts, 2, N=512, ELEMENTS=2, num_warps=8)
        np.testing.assert_array_equal(out, expected)


@hocket.jit
def default_scans(x, out, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, N, layout=layout)
    gl.store(out + i, gl.cumsum(gl.load(x + i), 0))


@hocket.jit
def worker_scans(x, out, N: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [2], [0])
    i = gl.arange(0, N, layout=layout)
    gl.store(out + i, gl.gather(gl.cumsum(gl.load(x + i), 0, reverse=True), N - 1 - i, 0))


@hocket.jit
def partitions_kernel(x, first, second, N: gl.constexpr):
    gl.warp_specialize([(default_scans, (x, first, N)), (worker_scans, (x, second, N))], [2])


def test_partitions():
    """Each partition has its own barriers and scratch."""
    x = np.random.default_rng(2).integers(-9, 10, 512).astype(np.int32)
    first, second = np.zeros_like(x), np.zeros_like(x)
    with emulator.target("sm_90a"):
        partitions_kernel[(1,)](x, first, second, N=512)
    np.testing.assert_array_equal(first, x.cumsum())
    np.testing.assert_array_equal(second, x[::-1].cumsum())


@hocket.jit
def cluster_kernel(x, out, AXIS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0], cga_layout=[[0, 1]])
    i = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(x + i * 64 + j)
    gl.store(out + i * 64 + j, gl.cumsum(tile, AXIS))


@pytest.mark.parametrize("axis", [0, 1])
def test_clusters(axis):
    """Scans along rows, which are distributed over two blocks, and along columns, which are within a block."""
    x = np.random.default_rng(3).integers(-9, 10, (32, 64)).astype(np.int32)
    out = np.zeros_like(x)
    with emulator.target("sm_90a"):
        cluster_kernel[(1,)](x, out, AXIS=axis, num_ctas=2)
    np.testing.assert_array_equal(out, x.cumsum(axis))
