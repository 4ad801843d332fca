"""Layouts that the compiler finds: AutoLayout, CoalescedLayout, and kernels that name none."""

import numpy as np
import pytest

import hocket
from hocket import language as gl


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def line_layout(device, size=1):
    return gl.BlockedLayout([size], [lanes(device)], [4], [0])


def tile_layout(device, order=(1, 0)):
    size, threads, warps = [1, 1], [4, lanes(device) // 4], [2, 2]
    size[order[0]] = 4
    return gl.BlockedLayout(size, threads, warps, list(order))


def numbers(*shape):
    return np.random.default_rng(0).integers(-50, 50, shape).astype(np.float32)


@hocket.jit
def add_kernel(x, y, out, n, BLOCK: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK)
    mask = offsets < n
    gl.store(out + offsets, gl.load(x + offsets, mask) + gl.load(y + offsets, mask, 0.0), mask)


@pytest.mark.parametrize("n", [1, 1000, 4096])
@pytest.mark.parametrize("block", [64, 1024])
def test_no_layout_is_given(device, n, block):
    x, y = numbers(n), numbers(n)[::-1].copy()
    out = device.to_device(np.zeros(n, np.float32))
    add_kernel[(-(-n // block),)](device.to_device(x), device.to_device(y), out, n, block)
    np.testing.assert_array_equal(device.to_host(out), x + y)


@hocket.jit
def pinned_kernel(x, out, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    offsets = gl.arange(0, BLOCK)
    value = gl.set_auto_layout(gl.load(x + offsets), LAYOUT)
    gl.static_assert(value.layout == LAYOUT)
    gl.store(out + offsets, value + gl.full([BLOCK], 1.0, gl.float32, LAYOUT))


def test_set_auto_layout(device):
    x = numbers(512)
    out = device.to_device(np.zeros_like(x))
    pinned_kernel[(1,)](device.to_device(x), out, 512, line_layout(device, 2))
    np.testing.assert_array_equal(device.to_host(out), x + 1)


@hocket.jit
def tile_kernel(x, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    # One arange for both axes: addresses are computed in each layout in which they are used.
    i = gl.arange(0, N)
    rows = gl.arange(0, M)
    tile = gl.load(x + rows[:, None] * N + i[None, :])
    if LAYOUT is not None:
        tile = gl.set_auto_layout(tile, LAYOUT)
    scaled = tile * (1 + rows[:, None].to(gl.float32)) + i[None, :].to(gl.float32)
    gl.store(out + i[None, :] * M + rows[:, None], scaled)


@pytest.mark.parametrize("order", [None, (1, 0), (0, 1)])
@pytest.mark.parametrize("shape", [(16, 16), (4, 64), (64, 32)])
def test_tiles(device, shape, order):
    m, n = shape
    x = numbers(m, n)
    out = device.to_device(np.zeros((n, m), np.float32))
    tile_kernel[(1,)](device.to_device(x), out, m, n, order and tile_layout(device, order))
    expected = x * (1 + np.arange(m, dtype=np.float32)[:, None]) + np.arange(n, dtype=np.float32)
    np.testing.assert_array_equal(device.to_host(out), expected.T)


@hocket.jit
def softmax_kernel(x, out, M: gl.constexpr, N: gl.constexpr):
    rows, columns = gl.arange(0, M), gl.arange(0, N)
    place = rows[:, None] * N + columns[None, :]
    tile = gl.load(x + place)
    largest = gl.max(tile, axis=1)
    weights = gl.exp(tile - largest[:, None])
    total = gl.sum(weights, axis=1)
    gl.store(out + place, weights / total[:, None])


@pytest.mark.parametrize("shape", [(8, 128), (64, 16)])
def test_reductions(device, shape):
    x = numbers(*shape) / 16
    out = device.to_device(np.zeros_like(x))
    softmax_kernel[(1,)](device.to_device(x), out, *shape)
    weights = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(device.to_host(out), weights / weights.sum(1, keepdims=True), rtol=2e-6)


@hocket.jit
def sums_kernel(x, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    rows, columns = gl.arange(0, M), gl.arange(0, N)
    sums = gl.sum(gl.load(x + rows[:, None] * N + columns[None, :]), axis=1)
    # The result of a reduction is a slice; a layout that is none is reached by a conversion.
    gl.store(out + gl.arange(0, M, layout=LAYOUT), gl.set_auto_layout(sums, LAYOUT))


def test_results_of_reductions_are_converted(device):
    x = numbers(64, 32)
    out = device.to_device(np.zeros(64, np.float32))
    sums_kernel[(1,)](device.to_device(x), out, 64, 32, line_layout(device))
    np.testing.assert_array_equal(device.to_host(out), x.sum(1))


@hocket.jit
def doubled(value):
    return value + value


@hocket.jit
def loop_kernel(x, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    total = gl.zeros([BLOCK], gl.float32)
    pointers = x + gl.arange(0, BLOCK)
    for i in range(n):
        value = gl.load(pointers)
        if i % 2 == 0:
            value = doubled(value)
        total += value
        pointers += BLOCK
    offsets = gl.arange(0, BLOCK, layout=LAYOUT)
    gl.store(out + offsets, total)


@pytest.mark.parametrize("layout", ["auto", "coalesced", "named"])
def test_loops_branches_and_calls(device, layout):
    x = numbers(5, 256)
    named = {"auto": gl.AutoLayout(), "coalesced": gl.CoalescedLayout(), "named": line_layout(device)}[layout]
    out = device.to_device(np.zeros(256, np.float32))
    loop_kernel[(1,)](device.to_device(x), out, 5, 256, named)
    np.testing.assert_array_equal(device.to_host(out), (x * np.array([2, 1, 2, 1, 2])[:, None]).sum(0))


@hocket.jit
def while_kernel(x, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    offsets = gl.arange(0, BLOCK)
    value = gl.zeros([BLOCK], gl.float32)
    i = 0
    while i < n:
        value = value + gl.set_auto_layout(gl.load(x + i * BLOCK + offsets), LAYOUT)
        i += 1
    if n > 3:
        value = value + gl.full([BLOCK], 1.0, gl.float32, LAYOUT)
    gl.store(out + offsets, value)


@pytest.mark.parametrize("n", [3, 4])
def test_named_layouts_of_carried_values(device, n):
    x = numbers(n, 128)
    out = device.to_device(np.zeros(128, np.float32))
    while_kernel[(1,)](device.to_device(x), out, n, 128, line_layout(device))
    np.testing.assert_array_equal(device.to_host(out), x.sum(0) + (n > 3))


@hocket.jit
def coalesced_kernel(x, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    rows = gl.arange(0, M, layout=gl.CoalescedLayout())
    columns = gl.arange(0, N, layout=gl.CoalescedLayout())
    tile = gl.load(x + rows[:, None] * N + columns[None, :])
    # Converted: the load stays as the compiler chose it.
    tile = gl.set_auto_layout(tile, LAYOUT) * 2.0
    i = gl.arange(0, M, layout=gl.SliceLayout(1, LAYOUT))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, LAYOUT))
    gl.store(out + j[None, :] * M + i[:, None], tile)


@pytest.mark.parametrize("shape", [(16, 32), (64, 64)])
def test_coalesced_tiles_are_converted(device, shape):
    m, n = shape
    x = numbers(m, n)
    out = device.to_device(np.zeros((n, m), np.float32))
    coalesced_kernel[(1,)](device.to_device(x), out, m, n, tile_layout(device, (0, 1)))
    np.testing.assert_array_equal(device.to_host(out), 2 * x.T)


@hocket.jit
def views_kernel(x, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    flat = gl.load(x + gl.arange(0, M * N))
    tile = flat.reshape([M, N]).trans()
    gl.store(out + gl.arange(0, N)[:, None] * M + gl.arange(0, M)[None, :], gl.set_auto_layout(tile, LAYOUT))


def test_views(device):
    x = numbers(32, 16)
    out = device.to_device(np.zeros((16, 32), np.float32))
    views_kernel[(1,)](device.to_device(x), out, 32, 16, tile_layout(device))
    np.testing.assert_array_equal(device.to_host(out), x.T)


@hocket.jit
def shared_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SHARED: gl.constexpr):
    place = gl.arange(0, M)[:, None] * N + gl.arange(0, N)[None, :]
    smem = gl.allocate_shared_memory(gl.float32, [M, N], SHARED, value=gl.load(x + place))
    gl.store(out + place, smem.load(gl.AutoLayout()) + 1.0)


def test_shared_memory(device):
    x = numbers(32, 64)
    out = device.to_device(np.zeros_like(x))
    shared_kernel[(1,)](device.to_device(x), out, 32, 64, gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    np.testing.assert_array_equal(device.to_host(out), x + 1)


@hocket.jit
def atomics_kernel(x, out, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK)
    mask = i < BLOCK - 3
    old = gl.where(mask, gl.atomic_add(out + i % 8, gl.load(x + i), mask=mask), 0.0)
    gl.store(x + i, old * 0.0 + i.to(gl.float32))


def test_atomics_and_masks(device):
    x = numbers(256)
    to, out = device.to_device(x), device.to_device(np.zeros(8, np.float32))
    atomics_kernel[(1,)](to, out, 256)
    np.testing.assert_array_equal(device.to_host(to), np.arange(256, dtype=np.float32))
    kept = np.where(np.arange(256) < 253, x, 0)
    np.testing.assert_array_equal(device.to_host(out), kept.reshape(-1, 8).sum(0))


@hocket.jit
def unused_kernel(out, BLOCK: gl.constexpr):
    # Only code that is equal on all targets.
    gl.store(out + gl.arange(0, BLOCK), gl.zeros([BLOCK], gl.float32) + 3.0, mask=1)
    gl.store(out + gl.arange(0, BLOCK), gl.zeros([BLOCK], gl.float32), mask=0)


def test_stores_of_constants(device):
    out = device.to_device(np.zeros(64, np.float32))
    unused_kernel[(1,)](out, 64)
    np.testing.assert_array_equal(device.to_host(out), np.full(64, 3.0))


@pytest.mark.parametrize("num_warps", [1, 2, 8])
def test_other_numbers_of_warps(device, num_warps):
    x, y = numbers(300), numbers(300)
    out = device.to_device(np.zeros(300, np.float32))
    add_kernel[(2,)](device.to_device(x), device.to_device(y), out, 300, 256, num_warps=num_warps)
    np.testing.assert_array_equal(device.to_host(out), x + y)


@hocket.jit
def scan_kernel(x, out, BLOCK: gl.constexpr, PAIRS: gl.constexpr):
    sums = gl.cumsum(gl.load(x + gl.arange(0, BLOCK)), axis=0)
    pairs = gl.convert_layout(sums.reshape([BLOCK // 2, 2]), PAIRS)
    first, second = gl.split(pairs)
    gl.store(out + gl.arange(0, BLOCK // 2), first + second)


def test_scans_keep_the_layout_that_is_found(device):
    x = numbers(256)
    out = device.to_device(np.zeros(128, np.float32))
    pairs = gl.BlockedLayout([1, 2], [lanes(device), 1], [4, 1], [1, 0])
    scan_kernel[(1,)](device.to_device(x), out, 256, pairs)
    sums = np.cumsum(x)
    np.testing.assert_array_equal(device.to_host(out), sums[::2] + sums[1::2])


@hocket.jit
def coalesced_access_kernel(x, out, rows, columns, M: gl.constexpr, N: gl.constexpr):
    row, column = gl.arange(0, M, layout=gl.AutoLayout())[:, None], gl.arange(0, N, layout=gl.AutoLayout())[None, :]
    offsets, mask = row * columns + column, (row < rows) & (column < columns)
    value = gl.load(gl.set_auto_layout(x + offsets, gl.CoalescedLayout()), mask=mask)
    places = gl.set_auto_layout(out + offsets, gl.CoalescedLayout())
    gl.store(places, value, mask=gl.set_auto_layout(mask, gl.CoalescedLayout()))


def test_what_has_no_layout_is_set_to_that_of_the_access(device):
    x = numbers(30, 60)
    out = device.to_device(np.zeros_like(x))
    coalesced_access_kernel[(1,)](device.to_device(x), out, 30, 60, 32, 64)
    np.testing.assert_array_equal(device.to_host(out), x)
