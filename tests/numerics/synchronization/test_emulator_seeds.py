"""The order in which warps run must not show in a result."""

import numpy as np
import pytest

import hocket
from hocket import language as gl

SEEDS = range(12)


@hocket.jit
def softmax(x, out, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [1, gl.num_lanes()], [1, gl.num_warps()], [1, 0])
    i = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))[:, None]
    j = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))[None, :]
    tile = gl.load(x + i * COLUMNS + j)
    e = gl.exp(tile - gl.max(tile, axis=1)[:, None])
    gl.store(out + i * COLUMNS + j, e / gl.sum(e, axis=1)[:, None])


@hocket.jit
def transpose(x, out, SIZE: gl.constexpr):
    rows: gl.constexpr = gl.BlockedLayout([1, 4], [gl.num_lanes() // 8, 8], [gl.num_warps(), 1], [1, 0])
    columns: gl.constexpr = gl.BlockedLayout([4, 1], [8, gl.num_lanes() // 8], [1, gl.num_warps()], [0, 1])
    i = gl.arange(0, SIZE, layout=gl.SliceLayout(1, rows))[:, None]
    j = gl.arange(0, SIZE, layout=gl.SliceLayout(0, rows))[None, :]
    tile = gl.convert_layout(gl.load(x + i * SIZE + j), columns)
    k = gl.arange(0, SIZE, layout=gl.SliceLayout(1, columns))[:, None]
    m = gl.arange(0, SIZE, layout=gl.SliceLayout(0, columns))[None, :]
    gl.store(out + m * SIZE + k, tile)


@hocket.jit
def rotate_in_shared_memory(x, out, rounds, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    reverse: gl.constexpr = gl.row_layout(2)
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = gl.arange(0, SIZE, layout=layout)
    memory = gl.allocate_shared_memory(gl.float32, [SIZE], shared)
    values = gl.load(x + i)
    for _ in range(rounds):
        memory.store(values)
        values = gl.convert_layout(memory.load(reverse) + 1.0, layout)
    gl.store(out + i, values)


@pytest.fixture
def on_emulator(device):
    if device.is_gpu:
        pytest.skip("a GPU chooses its own order")


def same_for_all_seeds(launch):
    """The result for seed 0, which all other seeds must give too."""
    first = launch()
    for seed in SEEDS:
        with hocket.emulator.schedule(seed=seed):
            np.testing.assert_array_equal(launch(), first)
    return first


def test_softmax(device, on_emulator):
    x = np.random.default_rng(0).standard_normal((4, 512), dtype=np.float32)

    def launch():
        out = np.zeros_like(x)
        softmax[(1,)](x, out, ROWS=4, COLUMNS=512)
        return out

    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(same_for_all_seeds(launch), e / e.sum(1, keepdims=True), rtol=1e-5)


def test_transpose(device, on_emulator):
    x = np.random.default_rng(0).standard_normal((64, 64), dtype=np.float32)

    def launch():
        out = np.zeros_like(x)
        transpose[(1,)](x, out, SIZE=64)
        return out

    np.testing.assert_array_equal(same_for_all_seeds(launch), x.T)


def test_shared_memory_in_a_loop(device, on_emulator):
    x = np.random.default_rng(0).standard_normal(512, dtype=np.float32)

    def launch():
        out = np.zeros_like(x)
        rotate_in_shared_memory[(1,)](x, out, 6, SIZE=512)
        return out

    expected = x
    for _ in range(6):
        expected = expected + np.float32(1)
    np.testing.assert_array_equal(same_for_all_seeds(launch), expected)
