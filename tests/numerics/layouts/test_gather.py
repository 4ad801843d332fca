"""Elements by their index: within a lane, a warp, and the block."""

import ml_dtypes
import numpy as np
import pytest
from tile_layouts import BLOCKED, LINEAR, lanes, named_layouts
from tiles import tile_offsets

import hocket
from hocket import language as gl

pytestmark = pytest.mark.usefixtures("unoptimized")


@hocket.jit
def gather_kernel(
    x, index, out, expected, M: gl.constexpr, N: gl.constexpr, R: gl.constexpr, AXIS: gl.constexpr,
    FROM: gl.constexpr, TO: gl.constexpr,
):  # fmt: skip
    src = gl.load(x + tile_offsets(M, N, FROM))
    ROWS: gl.constexpr = R if AXIS == 0 else M
    COLUMNS: gl.constexpr = R if AXIS == 1 else N
    offsets = tile_offsets(ROWS, COLUMNS, TO)
    result = gl.gather(src, gl.load(index + offsets), AXIS)
    gl.static_assert(result.layout == TO)
    gl.device_assert(result == gl.load(expected + offsets), "a lane holds another element")
    gl.store(out + offsets, result)


def check(device, source, target, shape, axis, count, dtype=np.float32, index_dtype=np.int32, seed=0):
    random = np.random.default_rng(seed)
    x = random.integers(-100, 100, shape).astype(dtype)
    index_shape = (count, shape[1]) if axis == 0 else (shape[0], count)
    index = random.integers(0, shape[axis], index_shape).astype(index_dtype)
    expected = np.take_along_axis(x, index.astype(np.int64), axis)
    out = device.to_device(np.zeros_like(expected))
    gather_kernel[(1,)](
        device.to_device(x), device.to_device(index), out, device.to_device(expected), M=shape[0], N=shape[1], R=count,
        AXIS=axis, FROM=source, TO=target, debug=True,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), expected)


@pytest.mark.parametrize("count", [8, 128])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", BLOCKED)
def test_same_layout(device, layout, axis, count):
    layout = named_layouts(device)[layout]
    check(device, layout, layout, (32, 64), axis, count)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("source", ["wrapped", "matrix", *LINEAR])
@pytest.mark.parametrize("target", ["rows", "operand"])
def test_pairs_of_layouts(device, source, target, axis):
    layouts = named_layouts(device)
    check(device, layouts[source], layouts[target], (32, 64), axis, 32)


@pytest.mark.parametrize("shape", [(1, 128), (128, 1), (8, 8), (64, 4)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", ["rows", "boxes", "in_lanes"])
def test_shapes(device, layout, shape, axis):
    layout = named_layouts(device)[layout]
    check(device, layout, layout, shape, axis, 16)


def test_candidates_within_a_lane_and_a_warp(device):
    n = lanes(device)
    in_lane = gl.BlockedLayout([1, 16], [n, 1], [4, 1], [1, 0])
    in_warp = gl.BlockedLayout([1, 2], [4, n // 4], [4, 1], [1, 0])
    check(device, in_lane, in_lane, (64, 16), 1, 16)
    check(device, in_warp, in_warp, (64, n // 2), 1, 16)
    check(device, in_warp, in_warp, (64, n // 2), 1, n)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("layout", ["rows", "in_lanes", "boxes"])
def test_dtypes(device, layout, dtype):
    dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    check(device, named_layouts(device)[layout], named_layouts(device)["rows"], (32, 64), 1, 32, dtype=dtype)


@pytest.mark.parametrize("index_dtype", [np.int8, np.uint8, np.int16, np.uint32, np.int64])
def test_index_dtypes(device, index_dtype):
    layout = named_layouts(device)["rows"]
    check(device, layout, layout, (32, 64), 1, 32, index_dtype=index_dtype)


@hocket.jit
def permute_kernel(x, index, out, N: gl.constexpr, LAYOUT: gl.constexpr):
    i = gl.arange(0, N, layout=LAYOUT)
    flags = gl.gather(gl.load(x + i) > 0, gl.load(index + i), 0)
    pointers = gl.gather(x + i, gl.load(index + i), axis=-1)
    gl.store(out + i, gl.where(flags, gl.load(pointers), 0))


@pytest.mark.parametrize("elements", [1, 4])
@pytest.mark.parametrize("warps", [1, 4])
def test_bools_and_pointers(device, warps, elements):
    n = 512
    x = np.random.default_rng(0).integers(-9, 9, n).astype(np.int32)
    index = np.random.default_rng(1).permutation(n).astype(np.int32)
    out = device.to_device(np.zeros(n, np.int32))
    layout = gl.BlockedLayout([elements], [lanes(device)], [warps], [0])
    permute_kernel[(1,)](device.to_device(x), device.to_device(index), out, N=n, LAYOUT=layout, num_warps=warps)
    np.testing.assert_array_equal(device.to_host(out), np.maximum(x[index], 0))


# Histograms ----------------------------------------------------------------------------------------------------------


@hocket.jit
def histogram_kernel(
    x, out, limit, N: gl.constexpr, BINS: gl.constexpr, MASKED: gl.constexpr, FROM: gl.constexpr, TO: gl.constexpr
):
    i = gl.arange(0, N, layout=FROM)
    if MASKED:
        counts = gl.histogram(gl.load(x + i, mask=i < limit), BINS, mask=i < limit, layout=TO)
    else:
        counts = gl.histogram(gl.load(x + i), BINS, layout=TO)
    gl.static_assert(counts.dtype == gl.int32)
    gl.store(out + gl.arange(0, BINS, layout=TO), counts)


@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.uint8, np.int64])
@pytest.mark.parametrize("bins", [1, 2, 64, 256, 2048])
@pytest.mark.parametrize("n", [16, 1024])
def test_histogram(device, n, bins, dtype):
    x = np.random.default_rng(0).integers(-5 if dtype != np.uint8 else 0, 100, n).astype(dtype)
    source = gl.BlockedLayout([2], [lanes(device)], [4], [0])
    target = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    counted = x[(x >= 0) & (x.astype(np.int64) < bins)].astype(np.int64)
    for masked, limit in ((False, n), (True, n - 3)):
        expected = np.bincount(x[:limit][(x[:limit] >= 0) & (x[:limit].astype(np.int64) < bins)].astype(np.int64),
                               minlength=bins) if masked else np.bincount(counted, minlength=bins)  # fmt: skip
        out = device.to_device(np.zeros(bins, np.int32))
        histogram_kernel[(1,)](device.to_device(x), out, limit, N=n, BINS=bins, MASKED=masked, FROM=source, TO=target)
        np.testing.assert_array_equal(device.to_host(out), expected)


@pytest.mark.parametrize("warps", [1, 8])
def test_histogram_of_copies(device, warps):
    """Elements that several lanes and warps hold count once."""
    n = lanes(device)
    parent = gl.BlockedLayout([1, 1], [n // 4, 4], [1, warps], [1, 0])
    x = (np.arange(64) % 8).astype(np.int32)
    out = device.to_device(np.zeros(16, np.int32))
    histogram_kernel[(1,)](
        device.to_device(x), out, 64, N=64, BINS=16, MASKED=False, FROM=gl.SliceLayout(1, parent),
        TO=gl.SliceLayout(0, parent), num_warps=warps,
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), np.bincount(x, minlength=16))
