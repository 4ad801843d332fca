"""Layout conversions: each lane gets the elements that the new layout assigns to it, also where lanes hold copies."""

import random

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl

DTYPES = {
    "i8": np.int8,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i32": np.int32,
    "f32": np.float32,
    "i64": np.int64,
    "f64": np.float64,
}


@hocket.jit
def convert_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    value = gl.convert_layout(gl.load(x + tile_offsets(M, N, SRC)), DST)
    expected = gl.load(x + tile_offsets(M, N, DST))
    # A store writes each element once; the assertion sees the copies too.
    gl.device_assert(value == expected, "a lane holds another element")
    gl.store(out + tile_offsets(M, N, DST), value)


@hocket.jit
def convert_bools_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    value = gl.convert_layout(gl.load(x + tile_offsets(M, N, SRC)) > 0, DST)
    gl.store(out + tile_offsets(M, N, DST), value.to(gl.int8))


@hocket.jit
def convert_pointers_kernel(x, out, M: gl.constexpr, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    pointers = gl.convert_layout(x + tile_offsets(M, N, SRC), DST)
    gl.store(out + tile_offsets(M, N, DST), gl.load(pointers))


@hocket.jit
def convert_slices_kernel(x, out, N: gl.constexpr, SRC: gl.constexpr, DST: gl.constexpr):
    value = gl.convert_layout(gl.load(x + gl.arange(0, N, layout=SRC)), DST)
    i = gl.arange(0, N, layout=DST)
    gl.device_assert(value == gl.load(x + i), "a lane holds another element")
    gl.store(out + i, value)


def check(device, kernel, shape, dtype, **options):
    # Values that are exact in all dtypes; adjacent elements and rows differ.
    x = (np.random.default_rng(0).permutation(np.prod(shape)) % 199 - 99).astype(dtype)
    out = device.to_device(np.zeros_like(x))
    kernel[(1,)](device.to_device(x), out, debug=True, **options)
    return x, device.to_host(out)


def lanes(device):
    return 64 if device.name.startswith("gfx") else 32


def blocked(device, size, warps, order, rows_of_lanes=None):
    """Two-dimensional, with `rows_of_lanes` x the other lanes."""
    rows = rows_of_lanes or 4
    return gl.BlockedLayout(size, [rows, lanes(device) // rows], warps, order)


def named_layouts(device):
    rows = blocked(device, [1, 4], [4, 1], [1, 0])
    return {
        "rows": rows,
        "columns": blocked(device, [4, 1], [1, 4], [0, 1], lanes(device) // 2),
        "boxes": blocked(device, [2, 2], [2, 2], [0, 1]),
        "single": blocked(device, [1, 1], [4, 1], [1, 0], 1),
        "dot_a": gl.DotOperandLayout(0, blocked(device, [2, 2], [2, 2], [1, 0])),
        "dot_b": gl.DotOperandLayout(1, blocked(device, [2, 2], [2, 2], [1, 0])),
        "slice": gl.SliceLayout(1, gl.BlockedLayout([1, 2, 1], [4, lanes(device) // 8, 2], [2, 2, 1], [2, 1, 0])),
    }


NAMES = ["rows", "columns", "boxes", "single", "dot_a", "dot_b", "slice"]


@pytest.mark.parametrize("dst", NAMES)
@pytest.mark.parametrize("src", NAMES)
def test_between_layouts(device, src, dst):
    layouts = named_layouts(device)
    x, out = check(device, convert_kernel, (32, 64), np.float32, M=32, N=64, SRC=layouts[src], DST=layouts[dst])
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("shape", [(1, 64), (64, 1), (8, 8), (128, 64)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(device, dtype, shape):
    layouts = named_layouts(device)
    m, n = shape
    for src, dst in (("rows", "columns"), ("columns", "rows"), ("boxes", "rows")):
        x, out = check(device, convert_kernel, shape, DTYPES[dtype], M=m, N=n, SRC=layouts[src], DST=layouts[dst])
        np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dst", ["rows", "columns", "slice"])
def test_bools(device, dst):
    layouts = named_layouts(device)
    x, out = check(device, convert_bools_kernel, (32, 64), np.int8, M=32, N=64, SRC=layouts["boxes"], DST=layouts[dst])
    np.testing.assert_array_equal(out, x > 0)


@pytest.mark.parametrize("dst", ["rows", "columns", "slice"])
def test_pointers(device, dst):
    layouts = named_layouts(device)
    x, out = check(
        device, convert_pointers_kernel, (32, 64), np.int32, M=32, N=64, SRC=layouts["boxes"], DST=layouts[dst]
    )
    np.testing.assert_array_equal(out, x)


def test_slices_of_one_dimension(device):
    rows = named_layouts(device)["rows"]
    flat = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    options = [gl.SliceLayout(0, rows), gl.SliceLayout(1, rows), flat]
    for src in options:
        for dst in options:
            x, out = check(device, convert_slices_kernel, (128,), np.float32, N=128, SRC=src, DST=dst)
            np.testing.assert_array_equal(out, x)


# Drawn layouts --------------------------------------------------------------------------------------------------------


def drawn_layout(rng, device, shape, warps, copies):
    """Registers, lanes and warps in any order, `copies` bits of them without effect, some rotated into others."""
    bits = [
        [1 << b if d == dim else 0 for d in range(2)] for dim in range(2) for b in range(shape[dim].bit_length() - 1)
    ]
    bits += [[0, 0] for _ in range(copies)]
    lane_bits, warp_bits = lanes(device).bit_length() - 1, warps.bit_length() - 1
    while len(bits) < lane_bits + warp_bits:
        bits.append([0, 0])
    rng.shuffle(bits)
    for _ in range(rng.randrange(4)):
        to, by = rng.sample(range(len(bits)), 2)
        bits[to] = [bits[to][0] ^ bits[by][0], bits[to][1] ^ bits[by][1]]
        if any(size & (size - 1) for size in bits[to]):
            # Coordinates of a basis are single bits.
            bits[to] = [bits[to][0] ^ bits[by][0], bits[to][1] ^ bits[by][1]]
    split = [lane_bits, lane_bits + warp_bits]
    return gl.DistributedLinearLayout(bits[split[1] :], bits[: split[0]], bits[split[0] : split[1]], [], list(shape))


@pytest.mark.parametrize("dtype", ["i8", "f16", "i32", "f64"])
@pytest.mark.parametrize("warps", [1, 4])
@pytest.mark.parametrize("seed", range(6))
def test_drawn(device, seed, warps, dtype):
    rng = random.Random(seed)
    shape = (16, 32)
    src, dst = (drawn_layout(rng, device, shape, warps, rng.randrange(3)) for _ in range(2))
    x, out = check(device, convert_kernel, shape, DTYPES[dtype], M=16, N=32, SRC=src, DST=dst, num_warps=warps)
    np.testing.assert_array_equal(out, x)
