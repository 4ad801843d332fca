"""Elements of shared memory that indices select: gather, scatter, atomic_scatter_*, with the barriers they need."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl

DTYPES = {"i8": np.int8, "u16": np.uint16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "i64": np.int64}


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def register_layout(device, kind):
    n = lanes(device)
    rows = gl.BlockedLayout([1, 2], [n // 4, 4], [2, 2], [1, 0])
    return {
        "rows": rows,
        "dot": gl.DotOperandLayout(1, rows),
        "slice": gl.SliceLayout(0, gl.BlockedLayout([2, 1, 1], [2, 4, n // 8], [2, 2, 1], [0, 2, 1])),
    }[kind]


def shared_layout(kind, m, n):
    return {
        "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
        "swizzled": gl.SwizzledSharedLayout(2, 1, 8, [1, 0]),
        "columns": gl.SwizzledSharedLayout(2, 2, 4, [0, 1]),
        "padded": gl.PaddedSharedLayout.with_identity_for([[16, 2]], [m, n], [1, 0]),
        "linear": gl.SharedLinearLayout(
            [[0, 1 << i] for i in range(n.bit_length() - 1)] + [[1 << i, i & 1] for i in range(m.bit_length() - 1)]
        ),
        "nvmma": gl.NVMMASharedLayout(64, 16),
    }[kind]


def numbers(shape, dtype, seed=0):
    return (np.random.default_rng(seed).permutation(np.prod(shape)).reshape(shape) % 99).astype(dtype)


@hocket.jit
def gather_kernel(
    x,
    at,
    out,
    M: gl.constexpr,
    N: gl.constexpr,
    K: gl.constexpr,
    L: gl.constexpr,
    AXIS: gl.constexpr,
    SRC: gl.constexpr,
    SHARED: gl.constexpr,
    DST: gl.constexpr,
):
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [M, N], SHARED, gl.load(x + tile_offsets(M, N, SRC)))
    place = tile_offsets(K, L, DST)
    gl.store(out + place, smem.gather(gl.load(at + place), AXIS))


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("axis", [0, 1])
def test_gather_of_each_dtype(device, dtype, axis):
    check_gather(device, (32, 64), (16, 64) if axis == 0 else (32, 128), axis, DTYPES[dtype], "rows", "swizzled")


@pytest.mark.parametrize("shared", ["plain", "swizzled", "columns", "padded", "linear"])
@pytest.mark.parametrize("registers", ["rows", "dot", "slice"])
def test_gather_of_each_layout(device, registers, shared):
    check_gather(device, (16, 32), (64, 8), 0, np.float32, registers, shared)
    check_gather(device, (16, 32), (4, 32), 1, np.float32, registers, shared)


def check_gather(device, shape, at_shape, axis, dtype, registers, shared):
    x = numbers(shape, dtype)
    at = np.random.default_rng(1).integers(0, shape[axis], at_shape).astype(np.int32)
    out = device.to_device(np.zeros(at_shape, dtype))
    src = register_layout(device, "rows")
    gather_kernel[(1,)](
        device.to_device(x),
        device.to_device(at),
        out,
        *shape,
        *at_shape,
        axis,
        src,
        shared_layout(shared, *shape),
        register_layout(device, registers),
    )
    part = x[:, : at_shape[1]] if axis == 0 else x[: at_shape[0]]
    np.testing.assert_array_equal(device.to_host(out), np.take_along_axis(part, at.astype(np.int64), axis))


@hocket.jit
def scatter_kernel(
    x,
    at,
    out,
    M: gl.constexpr,
    N: gl.constexpr,
    AXIS: gl.constexpr,
    SRC: gl.constexpr,
    SHARED: gl.constexpr,
    START: gl.constexpr,
):
    place = tile_offsets(M, N, SRC)
    ring = gl.allocate_shared_memory(x.dtype.element_ty, [2, M * 2, N], SHARED)
    # A part of a slot: what indices count begins where the part does.
    part = ring.index(1).slice(START, M, dim=0)
    part.store(gl.zeros([M, N], x.dtype.element_ty, SRC))
    part.scatter(gl.load(x + place), gl.load(at + place), AXIS)
    gl.store(out + place, part.load(SRC))


@pytest.mark.parametrize("shared", ["plain", "swizzled", "columns"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("start", [0, 16])
def test_scatter_into_a_part(device, axis, shared, start):
    shape = (16, 32)
    x = numbers(shape, np.float32)
    at = np.argsort(numbers(shape, np.int32, 3), axis).astype(np.int32)
    out = device.to_device(np.zeros(shape, np.float32))
    scatter_kernel[(1,)](
        device.to_device(x),
        device.to_device(at),
        out,
        *shape,
        axis,
        register_layout(device, "rows"),
        shared_layout(shared, 32, 32),
        start,
    )
    expected = np.zeros(shape, np.float32)
    np.put_along_axis(expected, at.astype(np.int64), x, axis)
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def histogram_kernel(x, bins, old, N: gl.constexpr, BINS: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    i = gl.arange(0, N, layout=SRC)
    b = gl.arange(0, BINS, layout=DST)
    smem = gl.allocate_shared_memory(gl.int32, [BINS], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.zeros([BINS], gl.int32, DST))
    value = gl.load(x + i)
    before = smem.atomic_scatter_add(gl.full([N], 1, gl.int32, SRC), value, 0, mask=value < BINS)
    gl.store(old + i, before, mask=value < BINS)
    gl.store(bins + b, smem.load(DST))


@pytest.mark.parametrize("n", [32, 512])
def test_histogram(device, n):
    """With 32 elements lanes and warps hold copies: each counts once."""
    x = np.random.default_rng(2).integers(0, 20, n).astype(np.int32)
    bins, old = device.to_device(np.zeros(16, np.int32)), device.to_device(np.full(n, -1, np.int32))
    line = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    histogram_kernel[(1,)](device.to_device(x), bins, old, n, 16, line, line)
    np.testing.assert_array_equal(device.to_host(bins), np.bincount(x[x < 16], minlength=16))
    # The old values of one bin are 0, 1, ... in some order.
    before = device.to_host(old)
    for b in range(16):
        np.testing.assert_array_equal(np.sort(before[x == b]), np.arange((x == b).sum()))
    assert (before[x >= 16] == -1).all()


OPERATIONS = {
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@hocket.jit
def combine_kernel(
    x, at, out, N: gl.constexpr, BINS: gl.constexpr, NAME: gl.constexpr, START: gl.constexpr, SRC: gl.constexpr
):
    i = gl.arange(0, N, layout=SRC)
    b = gl.arange(0, BINS, layout=SRC)
    element: gl.constexpr = x.dtype.element_ty
    smem = gl.allocate_shared_memory(element, [BINS], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.full([BINS], START, element, SRC))
    value, index = gl.load(x + i), gl.load(at + i)
    if NAME == "add":
        smem.atomic_scatter_add(value, index, 0)
    elif NAME == "max":
        smem.atomic_scatter_max(value, index, 0)
    elif NAME == "min":
        smem.atomic_scatter_min(value, index, 0)
    elif NAME == "and":
        smem.atomic_scatter_and(value, index, 0)
    elif NAME == "or":
        smem.atomic_scatter_or(value, index, 0)
    else:
        smem.atomic_scatter_xor(value, index, 0)
    gl.store(out + b, smem.load(SRC))


CASES = [(name, dtype) for name in OPERATIONS for dtype in (np.int32, np.uint32, np.int64, np.uint64)]
CASES += [(name, dtype) for name in ("add", "max", "min") for dtype in (np.float32, np.float64)]
CASES += [("add", np.float16), ("add", ml_dtypes.bfloat16)]


@pytest.mark.parametrize("name, dtype", CASES, ids=lambda case: case if isinstance(case, str) else case.__name__)
def test_operations(device, name, dtype):
    random = np.random.default_rng(5)
    low = 0 if np.dtype(dtype).kind == "u" else -20
    x, at = random.integers(low, 20, 256).astype(dtype), random.integers(0, 64, 256).astype(np.int32)
    out = device.to_device(np.zeros(64, dtype))
    line = gl.BlockedLayout([2], [lanes(device)], [4], [0])
    combine_kernel[(1,)](device.to_device(x), device.to_device(at), out, 256, 64, name, 1, line)
    expected = np.ones(64, dtype)
    OPERATIONS[name].at(expected, at, x)
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def exchange_kernel(x, out, old, N: gl.constexpr, SRC: gl.constexpr):
    i = gl.arange(0, N, layout=SRC)
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [N], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.store(old + i, smem.atomic_scatter_xchg(i.to(x.dtype.element_ty), N - 1 - i, 0))
    gl.store(out + i, smem.load(SRC))


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_exchange(device, dtype):
    x = numbers((128,), dtype)
    out, old = device.to_device(np.zeros(128, dtype)), device.to_device(np.zeros(128, dtype))
    exchange_kernel[(1,)](device.to_device(x), out, old, 128, gl.BlockedLayout([1], [lanes(device)], [4], [0]))
    np.testing.assert_array_equal(device.to_host(out), np.arange(128)[::-1].astype(dtype))
    np.testing.assert_array_equal(device.to_host(old), x[::-1])


@hocket.jit
def gather_in_a_loop_kernel(x, out, STEPS: gl.constexpr, N: gl.constexpr, L: gl.constexpr):
    i = gl.arange(0, N, layout=L)
    smem = gl.allocate_shared_memory(gl.float32, [N], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    for _ in range(STEPS):
        # Each iteration reads elements that other lanes wrote in the previous one, and overwrites elements that they
        # have read.
        neighbors = smem.gather((i + 1) % N, 0)
        smem.scatter(neighbors + 1.0, i, 0)
    gl.store(out + i, smem.load(L))


@pytest.mark.parametrize("seed", range(3))
def test_barriers_keep_turns_apart(device, seed):
    x = numbers((256,), np.float32, seed)
    out = device.to_device(np.zeros(256, np.float32))
    gather_in_a_loop_kernel[(1,)](device.to_device(x), out, 5, 256, gl.BlockedLayout([1], [lanes(device)], [4], [0]))
    np.testing.assert_array_equal(device.to_host(out), np.roll(x, -5) + 5)


@hocket.jit
def scatter_stretched(x, out, old, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr, SHARED: gl.constexpr):
    """Values of one column, indices of one row, a mask of one column: each stretches to the others."""
    row = gl.arange(0, M, layout=gl.SliceLayout(1, LAYOUT))
    column = gl.arange(0, N, layout=gl.SliceLayout(0, LAYOUT))
    smem = gl.allocate_shared_memory(gl.int32, [M, N], SHARED, gl.zeros([M, N], gl.int32, LAYOUT))
    smem.scatter(gl.load(x + row)[:, None], (N - 1 - column)[None, :], 1)
    before = smem.atomic_scatter_add(gl.load(x + row)[:, None], column[None, :], 1, mask=(row % 2 == 0)[:, None])
    gl.store(old + row[:, None] * N + column[None, :], before, mask=(row % 2 == 0)[:, None])
    gl.store(out + row[:, None] * N + column[None, :], smem.load(LAYOUT))


def test_values_indices_and_masks_stretch(device):
    x = np.arange(16, dtype=np.int32) + 1
    out, old = (device.to_device(np.zeros((16, 32), np.int32)) for _ in range(2))
    scatter_stretched[(1,)](
        device.to_device(x), out, old, 16, 32, register_layout(device, "rows"), shared_layout("swizzled", 16, 32)
    )
    expected = np.broadcast_to(x[:, None], (16, 32))
    doubled = expected * np.where(np.arange(16) % 2 == 0, 2, 1)[:, None]
    np.testing.assert_array_equal(device.to_host(out), doubled)
    np.testing.assert_array_equal(device.to_host(old)[::2], expected[::2])
