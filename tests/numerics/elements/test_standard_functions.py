"""Functions that are written in the language: argmax, softmax, sort, random numbers and others, against NumPy."""

import ml_dtypes
import numpy as np
import pytest
from tile_layouts import named_layouts
from tiles import tile_offsets

import hocket
from hocket import CompileError
from hocket import language as gl
from hocket.language import _random

pytestmark = pytest.mark.usefixtures("unoptimized")


@hocket.jit
def map_tile(x, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, function: gl.constexpr, *arguments):
    offsets = tile_offsets(M, N, L)
    gl.store(out + offsets, function(gl.load(x + offsets), *arguments))


@hocket.jit
def reduce_tile(x, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, AXIS: gl.constexpr, function: gl.constexpr):
    result = function(gl.load(x + tile_offsets(M, N, L)), AXIS, keep_dims=True)
    ROWS: gl.constexpr = 1 if AXIS == 0 else M
    COLUMNS: gl.constexpr = 1 if AXIS == 1 else N
    gl.store(out + tile_offsets(ROWS, COLUMNS, L), result)


@hocket.jit
def sort_rows(x, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, AXIS: gl.constexpr, DOWN: gl.constexpr):
    offsets = tile_offsets(M, N, L)
    gl.store(out + offsets, gl.sort(gl.load(x + offsets), AXIS, descending=DOWN))


@hocket.jit
def flip_tile(x, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, AXIS: gl.constexpr):
    offsets = tile_offsets(M, N, L)
    gl.store(out + offsets, gl.flip(gl.load(x + offsets), AXIS))


@hocket.jit
def largest(x, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, L: gl.constexpr):
    gl.store(out + tile_offsets(M, K, L), gl.topk(gl.load(x + tile_offsets(M, N, L)), K))


@hocket.jit
def softmax_of_tile(x, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, AXIS: gl.constexpr):
    offsets = tile_offsets(M, N, L)
    gl.store(out + offsets, gl.softmax(gl.load(x + offsets), AXIS, ieee_rounding=True))


@hocket.jit
def cat_tiles(x, y, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr, AXIS: gl.constexpr, TO: gl.constexpr):
    offsets = tile_offsets(M, N, L)
    both = gl.cat(gl.load(x + offsets), gl.load(y + offsets), dim=AXIS)
    gl.store(out + tile_offsets(both.shape[0], both.shape[1], TO), gl.convert_layout(both, TO))


@hocket.jit
def interleave_tiles(x, y, out, M: gl.constexpr, N: gl.constexpr, L: gl.constexpr):
    offsets = tile_offsets(M, N, L)
    both = gl.interleave(gl.load(x + offsets), gl.load(y + offsets))
    gl.store(out + tile_offsets(M, 2 * N, L), gl.convert_layout(both, L))


def drawn(shape, dtype, seed=0, ties=True):
    random = np.random.default_rng(seed)
    return random.integers(-9 if ties else -30000, 9 if ties else 30000, shape).astype(dtype)


#: Names in tile_layouts.named_layouts: blocks, one lane for each row, slices, MMA layouts, XOR between dimensions.
LAYOUTS = ["rows", "in_lanes", "slice", "matrix", "swizzled"]
DTYPES = [np.float32, np.int32, np.int16, np.float16, np.float64, ml_dtypes.bfloat16, np.uint8]


# Positions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_in_layouts(device, layout, axis, name):
    x = drawn((32, 64), np.float32)
    out = device.to_device(np.zeros((1, 64) if axis == 0 else (32, 1), np.int32))
    reduce_tile[(1,)](device.to_device(x), out, 32, 64, named_layouts(device)[layout], axis, getattr(gl, name))
    np.testing.assert_array_equal(device.to_host(out), getattr(np, name)(x, axis, keepdims=True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin_of_each_dtype(every_device, name, dtype):
    x = drawn((8, 64), np.int8).astype(dtype)
    out = every_device.to_device(np.zeros((8, 1), np.int32))
    layout = named_layouts(every_device)["rows"]
    reduce_tile[(1,)](every_device.to_device(x), out, 8, 64, layout, 1, getattr(gl, name))
    np.testing.assert_array_equal(every_device.to_host(out), getattr(np, name)(x.astype(np.float64), 1, keepdims=True))


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_argmax_and_argmin_ignore_nan(device, name):
    x = drawn((8, 64), np.float32)
    x[np.random.default_rng(1).random(x.shape) < 0.7] = np.nan
    x[:, 0] = np.nan
    x[3] = np.nan
    out = device.to_device(np.zeros((8, 1), np.int32))
    layout = named_layouts(device)["rows"]
    reduce_tile[(1,)](device.to_device(x), out, 8, 64, layout, 1, getattr(gl, name))
    worst = -np.inf if name == "argmax" else np.inf
    np.testing.assert_array_equal(
        device.to_host(out), getattr(np, name)(np.where(np.isnan(x), worst, x), 1, keepdims=True)
    )


@hocket.jit
def position_of_all(x, out, M: gl.constexpr, N: gl.constexpr):
    i = gl.arange(0, M)
    j = gl.arange(0, N)
    value = gl.load(x + i[:, None] * N + j[None, :])
    gl.store(out, gl.argmin(value))
    gl.store(out + 1, gl.argmax(value))


def test_positions_among_all_elements(every_device):
    x = drawn((16, 32), np.float32, ties=False)
    out = every_device.to_device(np.zeros(2, np.int32))
    position_of_all[(1,)](every_device.to_device(x), out, 16, 32)
    assert every_device.to_host(out).tolist() == [x.argmin(), x.argmax()]


# Order ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sort_in_layouts(device, layout, axis):
    x = drawn((32, 64), np.float32, ties=False)
    out = device.to_device(np.zeros_like(x))
    sort_rows[(1,)](device.to_device(x), out, 32, 64, named_layouts(device)[layout], axis, False)
    np.testing.assert_array_equal(device.to_host(out), np.sort(x, axis))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_of_types(device, dtype, descending):
    x = drawn((4, 128), np.int8).astype(dtype)
    out = device.to_device(np.zeros_like(x))
    layout = named_layouts(device)["rows"]
    sort_rows[(1,)](device.to_device(x), out, 4, 128, layout, 1, descending)
    expected = np.sort(x.astype(np.float64), 1)[:, :: -1 if descending else 1]
    np.testing.assert_array_equal(device.to_host(out).astype(np.float64), expected)


@pytest.mark.parametrize("descending", [False, True])
def test_nan_is_larger_than_numbers(device, descending):
    x = drawn((4, 64), np.float32)
    x[np.random.default_rng(2).random(x.shape) < 0.3] = np.nan
    x[0, :2] = np.inf, -np.inf
    out = device.to_device(np.zeros_like(x))
    sort_rows[(1,)](device.to_device(x), out, 4, 64, named_layouts(device)["rows"], 1, descending)
    np.testing.assert_array_equal(device.to_host(out), np.sort(x, 1)[:, :: -1 if descending else 1])


@pytest.mark.parametrize("size", [1, 2, 1024])
def test_sizes_of_sorts(device, size):
    x = drawn((1, size), np.int32, ties=False)
    out = device.to_device(np.zeros_like(x))
    sort_rows[(1,)](device.to_device(x), out, 1, size, named_layouts(device)["rows"], 1, False)
    np.testing.assert_array_equal(device.to_host(out), np.sort(x, 1))


@pytest.mark.parametrize("k", [1, 8, 64])
def test_topk(every_device, k):
    x = drawn((16, 64), np.float32)
    out = every_device.to_device(np.zeros((16, k), np.float32))
    largest[(1,)](every_device.to_device(x), out, 16, 64, k, named_layouts(every_device)["boxes"])
    np.testing.assert_array_equal(every_device.to_host(out), np.sort(x, 1)[:, ::-1][:, :k])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_flip(device, layout, axis):
    x = drawn((32, 64), np.float32, ties=False)
    out = device.to_device(np.zeros_like(x))
    flip_tile[(1,)](device.to_device(x), out, 32, 64, named_layouts(device)[layout], axis)
    np.testing.assert_array_equal(device.to_host(out), np.flip(x, axis))


# Shapes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("layout", LAYOUTS[:4])
def test_cat(device, layout, axis):
    x, y = drawn((32, 64), np.float32, 1), drawn((32, 64), np.float32, 2)
    expected = np.concatenate([x, y], axis)
    out = device.to_device(np.zeros_like(expected))
    layouts = named_layouts(device)
    cat_tiles[(1,)](device.to_device(x), device.to_device(y), out, 32, 64, layouts[layout], axis, layouts["rows"])
    np.testing.assert_array_equal(device.to_host(out), expected)


def test_interleave(every_device):
    x, y = drawn((16, 32), np.int16, 1), drawn((16, 32), np.int16, 2)
    out = every_device.to_device(np.zeros((16, 64), np.int16))
    interleave_tiles[(1,)](
        every_device.to_device(x), every_device.to_device(y), out, 16, 32, named_layouts(every_device)["rows"]
    )
    np.testing.assert_array_equal(every_device.to_host(out), np.stack([x, y], -1).reshape(16, 64))


# Sigmoid and softmax -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_sigmoid(every_device, dtype):
    x = np.linspace(-40, 40, 8 * 64).reshape(8, 64).astype(dtype)
    out = every_device.to_device(np.zeros_like(x))
    layout = named_layouts(every_device)["rows"]
    map_tile[(1,)](every_device.to_device(x), out, 8, 64, layout, gl.sigmoid)
    expected = 1 / (1 + np.exp(-x.astype(np.float64)))
    actual = every_device.to_host(out).astype(np.float64)
    np.testing.assert_allclose(actual, expected, rtol=4 * max(float(ml_dtypes.finfo(dtype).eps), 1e-7), atol=1e-7)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_softmax(every_device, dtype, axis):
    x = (np.random.default_rng(0).standard_normal((32, 64)) * 9).astype(dtype)
    x[2, 5:40] = -np.inf
    out = every_device.to_device(np.zeros_like(x))
    softmax_of_tile[(1,)](every_device.to_device(x), out, 32, 64, named_layouts(every_device)["rows"], axis)
    wide = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis, keepdims=True))
    actual = every_device.to_host(out).astype(np.float64)
    np.testing.assert_allclose(
        actual, wide / wide.sum(axis, keepdims=True), rtol=8 * max(float(ml_dtypes.finfo(dtype).eps), 1e-6), atol=1e-7
    )


# Random numbers ------------------------------------------------------------------------------------------------------

#: Known answers from Random123's distribution (kat_vectors): counter, key, result.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@hocket.jit
def run_philox(counter, out, low, high):
    seed = (high.to(gl.uint64) << 32) | low.to(gl.uint64)
    c0, c1, c2, c3 = _random.philox(
        seed, gl.load(counter), gl.load(counter + 1), gl.load(counter + 2), gl.load(counter + 3)
    )
    gl.store(out, c0)
    gl.store(out + 1, c1)
    gl.store(out + 2, c2)
    gl.store(out + 3, c3)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_numbers(every_device, counter, key, expected):
    out = every_device.to_device(np.zeros(4, np.uint32))
    run_philox[(1,)](every_device.to_device(np.array(counter, np.uint32)), out, *key)
    assert every_device.to_host(out).tolist() == expected


def philox(seed, offsets):
    """Returns four uint32 for each offset, computed with NumPy."""
    c = [offsets.astype(np.uint64), *(np.zeros(offsets.shape, np.uint64) for _ in range(3))]
    k = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [b >> 32 ^ c[1] ^ np.uint64(k[0]), b & 0xFFFFFFFF, a >> 32 ^ c[3] ^ np.uint64(k[1]), a & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return np.stack(c).astype(np.uint32)


@hocket.jit
def draw(out, uniform, normal, seed, N: gl.constexpr):
    i = gl.arange(0, N, gl.row_layout())
    bits = gl.randint4x(seed, i)
    numbers = gl.rand4x(seed, i)
    normals = gl.randn4x(seed, i)
    for k in gl.static_range(4):
        gl.store(out + k * N + i, bits[k])
        gl.store(uniform + k * N + i, numbers[k])
        gl.store(normal + k * N + i, normals[k])
    gl.device_assert(gl.randint(seed, i) == bits[0])
    gl.device_assert(gl.rand(seed, i) == numbers[0])
    gl.device_assert(gl.randn(seed, i) == normals[0])


@pytest.mark.parametrize("seed", [42, 2**45 + 3, -7])
def test_random_numbers(every_device, seed):
    size = 1024
    outs = [every_device.to_device(np.zeros((4, size), dtype)) for dtype in (np.uint32, np.float32, np.float32)]
    draw[(1,)](*outs, seed, size, debug=True)
    bits, uniform, normal = map(every_device.to_host, outs)
    expected = philox(seed % 2**64, np.arange(size))
    np.testing.assert_array_equal(bits, expected)
    signed = expected.view(np.int32)
    positive = np.where(signed < 0, -signed - 1, signed).astype(np.float32)
    np.testing.assert_array_equal(uniform, positive * np.float32(4.6566127342e-10))
    assert uniform.min() >= 0 and uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.03 and abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
    radius = np.sqrt(-2 * np.log(np.maximum(uniform[0::2].astype(np.float64), 1e-7)))
    np.testing.assert_allclose(normal[0::2], radius * np.cos(2 * np.pi * uniform[1::2]), atol=2e-5)
    np.testing.assert_allclose(normal[1::2], radius * np.sin(2 * np.pi * uniform[1::2]), atol=2e-5)


def test_the_same_bits_as_triton(device):
    """Compares with Triton's randint4x for seed 42 and offset 1."""
    out = device.to_device(np.zeros((4, 128), np.uint32))
    floats = [device.to_device(np.zeros((4, 128), np.float32)) for _ in range(2)]
    draw[(1,)](out, *floats, 42, 128)
    assert device.to_host(out)[:, 1].tolist() == [4242219303, 1404726525, 2207210094, 1951270651]


# Layouts and mistakes ------------------------------------------------------------------------------------------------


@hocket.jit
def in_found_layouts(x, out, N: gl.constexpr):
    i = gl.arange(0, N)
    value = gl.flip(gl.sort(gl.load(x + i)))
    gl.store(out + i, value + gl.argmin(value).to(gl.float32) + gl.softmax(value - value) * N)


def test_layouts_that_the_compiler_finds(every_device):
    x = drawn(256, np.float32, ties=False)
    out = every_device.to_device(np.zeros_like(x))
    in_found_layouts[(1,)](every_device.to_device(x), out, 256)
    np.testing.assert_array_equal(every_device.to_host(out), np.sort(x)[::-1] + np.sort(x)[::-1].argmin() + 1)


@hocket.jit
def row_layouts(out, N: gl.constexpr, SIZE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(SIZE)
    expected: gl.constexpr = gl.row_layout(SIZE)
    gl.static_assert(layout == expected)
    i = gl.arange(0, N, layout)
    gl.store(out + i, i)


@pytest.mark.parametrize("size", [1, 4])
def test_row_layout(every_device, size):
    out = every_device.to_device(np.zeros(1024, np.int32))
    row_layouts[(1,)](out, 1024, size, num_warps=2)
    np.testing.assert_array_equal(every_device.to_host(out), np.arange(1024))


@hocket.jit
def mistaken(x, CASE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [4, gl.num_lanes() // 4], [4, 1], [1, 0])
    tile = gl.load(x + tile_offsets(16, 16, layout))
    if CASE == "softmax":
        gl.softmax(tile)
    elif CASE == "axis":
        gl.argmax(tile, 2)
    elif CASE == "sort":
        gl.sort(tile, -3)
    elif CASE == "class":
        gl.sort(tile, gl.BlockedLayout)
    elif CASE == "topk":
        gl.topk(tile, 3)
    elif CASE == "sigmoid":
        gl.sigmoid(tile.to(gl.int32))
    elif CASE == "offset":
        gl.rand(1, tile.to(gl.int64))
    elif CASE == "ties":
        gl.argmin(tile, 0, tie_break_left=False)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("softmax", "gl.softmax needs an axis: the tensor has 2 dimensions"),
        ("axis", "gl.argmax: the axis must be from -2 to 1, not 2"),
        ("sort", "gl.sort: the axis must be from -2 to 1, not -3"),
        ("class", "gl.sort: the axis must be from -2 to 1, not BlockedLayout"),
        ("topk", "gl.topk: k must be a power of two and at most the size of the axis"),
        ("sigmoid", "gl.sigmoid needs floats: convert with .to\\(gl.float32\\)"),
        ("offset", "the offset must be a 32-bit integer"),
        ("ties", "the lowest index wins a tie: leave out tie_break_left"),
    ],
)
def test_mistakes(case, message):
    with pytest.raises(CompileError, match=message):
        mistaken.warmup(gl.float32, case, target="sm_90a")
