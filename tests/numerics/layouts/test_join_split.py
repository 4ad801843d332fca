"""Pairs of elements: tensors joined along a new dimension and taken apart."""

import numpy as np
import pytest
from tile_layouts import lanes, named_layouts
from tiles import tile_offsets

import hocket
from hocket import language as gl


@hocket.jit
def pairs_kernel(x, y, joined, even, odd, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    offsets = tile_offsets(M, N, LAYOUT)
    a, b = gl.load(x + offsets), gl.load(y + offsets)
    pairs = gl.join(a, b)
    gl.static_assert(pairs.shape == (M, N, 2))
    c, d = gl.split(pairs)
    gl.static_assert(c.shape == (M, N))
    places, also = gl.split(gl.join(offsets, offsets))
    gl.store(even + places, c)
    gl.store(odd + also, d)
    where_pairs = gl.join(offsets * 2, offsets * 2 + 1)
    gl.store(joined + where_pairs, pairs)


@pytest.mark.parametrize("shape", [(32, 64), (8, 8), (1, 128)])
@pytest.mark.parametrize("layout", ["rows", "columns", "boxes", "wrapped", "in_lanes", "slice", "matrix", "swizzled"])
@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_join_and_split(device, layout, shape, dtype):
    if layout == "swizzled" and shape != (32, 64):
        pytest.skip("made for one shape")
    x, y = (np.random.default_rng(k).integers(-99, 99, shape).astype(dtype) for k in range(2))
    joined = device.to_device(np.zeros((*shape, 2), dtype))
    even, odd = (device.to_device(np.zeros(shape, dtype)) for _ in range(2))
    pairs_kernel[(1,)](
        device.to_device(x), device.to_device(y), joined, even, odd, M=shape[0], N=shape[1],
        LAYOUT=named_layouts(device)[layout],
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(joined), np.stack([x, y], -1))
    np.testing.assert_array_equal(device.to_host(even), x)
    np.testing.assert_array_equal(device.to_host(odd), y)


@hocket.jit
def slices_kernel(PAIRS: gl.constexpr, HALVES: gl.constexpr):
    first, second = gl.split(gl.zeros([32, 64, 2], gl.float32, PAIRS))
    gl.static_assert(first.layout == HALVES)
    gl.static_assert(second.layout == HALVES)


def test_halves_have_a_slice_of_the_layout(device):
    """Gluon has the same rule; a Blocked layout without the last dimension would place elements alike."""
    layout = gl.BlockedLayout([1, 4, 2], [4, lanes(device) // 4, 1], [2, 2, 1], [2, 1, 0])
    slices_kernel[(1,)](layout, gl.SliceLayout(2, layout))


@hocket.jit
def rotate_kernel(x, out, N: gl.constexpr, LAYOUT: gl.constexpr):
    """(x0, x1) -> (-x1, x0), as rotary embeddings do it."""
    i = gl.arange(0, N, layout=LAYOUT)
    first, second = gl.load(x + i).reshape(N // 2, 2).split()
    rotated = gl.convert_layout(gl.join(-second, first).ravel(), LAYOUT)
    gl.store(out + i, rotated)


@pytest.mark.parametrize("elements", [2, 4])
def test_pairs_of_a_row(device, elements):
    x = np.arange(512, dtype=np.float32)
    out = device.to_device(np.zeros_like(x))
    rotate_kernel[(1,)](device.to_device(x), out, N=512, LAYOUT=gl.BlockedLayout([elements], [lanes(device)], [4], [0]))
    expected = np.stack([-x[1::2], x[::2]], -1).ravel()
    np.testing.assert_array_equal(device.to_host(out), expected)


@hocket.jit
def halves_kernel(x, out, M: gl.constexpr, N: gl.constexpr, LAYOUT: gl.constexpr):
    """The left half of each row plus its right half."""
    tile = gl.load(x + tile_offsets(M, N, LAYOUT))
    halves = tile.reshape(M, 2, N // 2).permute(0, 2, 1)
    left, right = gl.split(halves)
    HALF: gl.constexpr = gl.BlockedLayout([1, 4], [gl.num_lanes() // 8, 8], [4, 1], [1, 0])
    gl.store(out + tile_offsets(M, N // 2, HALF), gl.convert_layout(left + right, HALF))


def test_halves_of_rows(device):
    """A lane may also hold distant elements, if the tile is wider than the layout covers once."""
    x = np.random.default_rng(0).integers(-99, 99, (16, 128)).astype(np.float32)
    out = device.to_device(np.zeros((16, 64), np.float32))
    layout = gl.BlockedLayout([1, 4], [lanes(device) // 8, 8], [4, 1], [1, 0])
    halves_kernel[(1,)](device.to_device(x), out, M=16, N=128, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), x[:, :64] + x[:, 64:])


@hocket.jit
def scalar_kernel(x, out, LAYOUT: gl.constexpr):
    i = gl.arange(0, 64, layout=LAYOUT)
    pairs = gl.join(gl.load(x + i), 7)
    _, sevens = pairs.split()
    gl.store(out + i, sevens)


def test_scalar_is_stretched(device):
    out = device.to_device(np.zeros(64, np.int32))
    layout = gl.BlockedLayout([1], [lanes(device)], [4], [0])
    scalar_kernel[(1,)](device.to_device(np.zeros(64, np.int32)), out, LAYOUT=layout)
    np.testing.assert_array_equal(device.to_host(out), np.full(64, 7))


@hocket.jit
def undecided_kernel(x, even, odd, first, second):
    i, j = gl.arange(0, 256), gl.arange(0, 128)
    loaded = gl.load(x + i)
    a, b = gl.split(loaded.reshape(128, 2))
    c, d = gl.split(loaded.reshape(2, 128).trans(1, 0))
    gl.store(even + j, a)
    gl.store(odd + j, b)
    gl.store(first + j, c)
    gl.store(second + j, d)


def test_layouts_that_the_compiler_chooses(every_device):
    """The compiler may choose a layout for the load in which lanes do not hold whole pairs."""
    x = np.arange(256, dtype=np.int32)
    outs = [every_device.to_device(np.zeros(128, np.int32)) for _ in range(4)]
    undecided_kernel[(1,)](every_device.to_device(x), *outs)
    for out, expected in zip(outs, [x[::2], x[1::2], x[:128], x[128:]], strict=True):
        np.testing.assert_array_equal(every_device.to_host(out), expected)
