"""Idioms of public libraries' Gluon kernels: tuples that loops extend, tiles distributed over dies and groups, page
tables, welford and argmax as reductions, structs with constants and static methods, layouts that functions compute."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.language.extra import libdevice


@hocket.constexpr_function
def rows_layout(columns, num_warps, lanes):
    """Lanes along columns first, at most four columns each."""
    each = max(1, min(4, columns // lanes))
    across = min(lanes, max(1, columns // each))
    return gl.BlockedLayout([1, each], [lanes // across, across], [num_warps, 1], [1, 0])


@hocket.jit
def tile(row, column, stride, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr):
    i = row + gl.arange(0, M, gl.SliceLayout(1, L))
    j = column + gl.arange(0, N, gl.SliceLayout(0, L))
    return i[:, None] * stride + j[None, :]


# Order of tiles ------------------------------------------------------------------------------------------------------


@hocket.jit
def dealt_to_dies(pid, count, DIES: gl.constexpr = 8):
    """Maps adjacent tiles to one die, and the remaining ones in order at the end."""
    each = count // DIES
    if pid >= each * DIES:
        return pid
    return (pid % DIES) * each + pid // DIES


@hocket.jit
def grouped(pid, rows, columns, GROUP: gl.constexpr):
    group, inside = pid // (GROUP * columns), pid % (GROUP * columns)
    first = group * GROUP
    size = min(rows - first, GROUP)
    return first + inside % size, inside // size


@hocket.jit
def order_kernel(out, rows, columns, GROUP: gl.constexpr):
    gl.assume(rows > 0)
    pid = dealt_to_dies(gl.program_id(0), gl.num_programs(0))
    row, column = grouped(pid, rows, columns, GROUP=GROUP)
    gl.store(out + row * columns + column, gl.program_id(0))


@pytest.mark.parametrize(("rows", "columns", "group"), [(5, 7, 4), (8, 8, 8), (1, 3, 2)])
def test_every_tile_is_someones(every_device, rows, columns, group):
    out = every_device.to_device(np.full(rows * columns, -1, np.int32))
    order_kernel[(rows * columns,)](out, rows, columns, GROUP=group)
    assert sorted(every_device.to_host(out).tolist()) == list(range(rows * columns))


# Tuples that loops grow ----------------------------------------------------------------------------------------------


@hocket.jit
def chunks_kernel(x, out, stride, PARTS: gl.constexpr, N: gl.constexpr):
    """A row in several tiles that stay in registers: the largest, the sum, then each tile scaled."""
    L: gl.constexpr = gl.row_layout(2)
    row, parts, largest = gl.program_id(0) * stride, (), float("-inf")
    for part in gl.static_range(PARTS):
        i = part * N + gl.arange(0, N, L)
        value = gl.load(x + row + i, mask=i < stride, other=float("-inf")).to(gl.float32)
        parts += (value,)
        largest = gl.maximum(largest, gl.max(value, axis=0))
    total = 0.0
    weights = tuple([libdevice.fast_expf(part - largest) for part in parts])
    for part in gl.static_range(PARTS):
        total += gl.sum(weights[part], axis=0)
    for part in gl.static_range(PARTS):
        i = part * N + gl.arange(0, N, L)
        gl.store(out + row + i, libdevice.fast_dividef(weights[part], total), mask=i < stride)


@pytest.mark.parametrize("columns", [1000, 512, 5])
def test_softmax_in_chunks(every_device, columns):
    x = np.random.default_rng(0).standard_normal((3, columns)).astype(np.float32)
    out = every_device.to_device(np.zeros_like(x))
    parts = -(-columns // 256)
    chunks_kernel[(3,)](every_device.to_device(x), out, columns, PARTS=parts, N=256)
    expected = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        every_device.to_host(out), expected / expected.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-8
    )


# Reductions of tuples ------------------------------------------------------------------------------------------------


@hocket.jit
def welford(mean_a, sum_a, count_a, mean_b, sum_b, count_b):
    count = count_a + count_b
    share = gl.where(count == 0, 0.0, count_b / count)
    delta = mean_b - mean_a
    return mean_a + delta * share, sum_a + sum_b + delta * delta * count_a * share, count


@hocket.jit
def better(value_a, place_a, value_b, place_b):
    is_a = (value_a > value_b) | ((value_a == value_b) & (place_a < place_b))
    return gl.where(is_a, value_a, value_b), gl.where(is_a, place_a, place_b)


@hocket.jit
def statistics_kernel(x, mean, variance, best, columns, M: gl.constexpr, N: gl.constexpr):
    L: gl.constexpr = rows_layout(N, gl.num_warps(), gl.num_lanes())
    place = tile(0, 0, columns, M, N, L)
    j = gl.zeros([M, 1], gl.int32, L) + gl.arange(0, N, gl.SliceLayout(0, L))[None, :]
    mask = j < columns
    value = gl.load(x + place, mask=mask, other=0.0)
    m, s, count = gl.reduce((value, gl.zeros_like(value), mask.to(gl.float32)), 1, welford)
    _, at = gl.reduce((gl.where(mask, value, float("-inf")), j), 1, better)
    i = gl.arange(0, M, gl.SliceLayout(1, L))
    gl.store(mean + i, m)
    gl.store(variance + i, s / count)
    gl.store(best + i, at)


def test_welford_and_argmax(every_device):
    x = np.random.default_rng(1).standard_normal((16, 100)).astype(np.float32) + 3
    outs = [every_device.to_device(np.zeros(16, dtype)) for dtype in (np.float32, np.float32, np.int32)]
    statistics_kernel[(1,)](every_device.to_device(x), *outs, 100, M=16, N=128)
    mean, variance, best = map(every_device.to_host, outs)
    np.testing.assert_allclose(mean, x.mean(axis=1), rtol=1e-5)
    np.testing.assert_allclose(variance, x.var(axis=1), rtol=1e-4)
    np.testing.assert_array_equal(best, x.argmax(axis=1))


# Structs -------------------------------------------------------------------------------------------------------------


@hocket.aggregate
class Shape:
    PAGE: gl.constexpr
    WIDTH: gl.constexpr
    layout: gl.constexpr

    @gl.constexpr_function
    def __init__(self, page, width, layout):
        self.PAGE, self.WIDTH, self.layout = gl.constexpr(page), gl.constexpr(width), gl.constexpr(layout)


@hocket.aggregate
class Pages:
    """A sequence whose rows lie in pages anywhere."""

    shape: Shape
    base: gl.tensor
    table: gl.tensor
    length: gl.tensor

    @staticmethod
    @hocket.jit
    def of(base, tables, lengths, sequence, most, PAGE: gl.constexpr, WIDTH: gl.constexpr):
        shape = Shape(PAGE, WIDTH, rows_layout(WIDTH, gl.num_warps(), gl.num_lanes()))
        return Pages(shape, base, tables + sequence * most, gl.load(lengths + sequence))

    @hocket.jit
    def count(self):
        return gl.cdiv(self.length, self.shape.PAGE)

    @hocket.jit
    def load(self, page):
        start = gl.load(self.table + page) * self.shape.PAGE
        place = tile(start, 0, self.shape.WIDTH, self.shape.PAGE, self.shape.WIDTH, self.shape.layout)
        row = page * self.shape.PAGE + gl.arange(0, self.shape.PAGE, gl.SliceLayout(1, self.shape.layout))
        return gl.load(self.base + place, mask=(row < self.length)[:, None], other=0.0)


@hocket.jit
def pages_kernel(base, tables, lengths, out, most, PAGE: gl.constexpr, WIDTH: gl.constexpr):
    pages = Pages.of(base, tables, lengths, gl.program_id(0), most, PAGE, WIDTH)
    total = gl.zeros([WIDTH], gl.float32, gl.SliceLayout(0, pages.shape.layout))
    for page in range(pages.count()):
        total += gl.sum(pages.load(page).to(gl.float32), axis=0)
    j = gl.arange(0, WIDTH, gl.SliceLayout(0, pages.shape.layout))
    gl.store(out + gl.program_id(0) * WIDTH + j, total)


def test_sums_over_pages(every_device):
    rng = np.random.default_rng(2)
    page, width, most = 16, 64, 5
    base = rng.integers(-8, 8, (12 * page, width)).astype(np.float16)
    tables = np.array([rng.permutation(12)[:most] for _ in range(3)], np.int32)
    lengths = np.array([1, 37, 80], np.int32)
    out = every_device.to_device(np.zeros((3, width), np.float32))
    pages_kernel[(3,)](*map(every_device.to_device, (base, tables, lengths)), out, most, PAGE=page, WIDTH=width)
    for sequence, length in enumerate(lengths):
        rows = np.concatenate([base[p * page : (p + 1) * page] for p in tables[sequence]])[:length]
        np.testing.assert_array_equal(every_device.to_host(out)[sequence], rows.astype(np.float32).sum(axis=0))


# Shared memory -------------------------------------------------------------------------------------------------------


@hocket.jit
def transposed_ring_kernel(x, out, count, SLOTS: gl.constexpr, S: gl.constexpr):
    """A ring that a loop fills one step ahead, read transposed."""
    L: gl.constexpr = rows_layout(64, gl.num_warps(), gl.num_lanes())
    ring = gl.allocate_shared_memory(x.dtype.element_ty, [SLOTS, 32, 64], S)
    ring.index(0).store(gl.load(x + tile(0, 0, 64, 32, 64, L)))
    for k in range(count):
        if k + 1 < count:
            ring.index((k + 1) % SLOTS).store(gl.load(x + tile((k + 1) * 32, 0, 64, 32, 64, L)))
        T: gl.constexpr = rows_layout(32, gl.num_warps(), gl.num_lanes())
        gl.store(out + tile(k * 64, 0, 32, 64, 32, T), ring.index(k % SLOTS).permute((1, 0)).load(T))


@pytest.mark.parametrize("slots", [2, 3])
def test_a_ring_read_transposed(every_device, slots):
    x = np.arange(5 * 32 * 64, dtype=np.float32).reshape(5, 32, 64)
    out = every_device.to_device(np.zeros((5, 64, 32), np.float32))
    shared = gl.PaddedSharedLayout.with_identity_for([[64, 4]], [32, 64], [1, 0])
    transposed_ring_kernel[(1,)](every_device.to_device(x), out, 5, SLOTS=slots, S=shared)
    np.testing.assert_array_equal(every_device.to_host(out), x.transpose(0, 2, 1))
