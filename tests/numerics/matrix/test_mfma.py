"""MFMAs of CDNA3 and CDNA4 on the emulator, compared with NumPy."""

import matrix_cases as cases
import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.language.amd import cdna3


def run_product(target, a, b, layout, k_width, acc=None):
    """Computes acc + a x b by one program with the warps of the layout."""
    (m, k), n = a.shape, b.shape[1]
    out = np.zeros((m, n), cases.accumulator_of(a.dtype.type)) if acc is None else acc.copy()
    warps = int(np.prod(layout.warps_per_cta))
    with emulator.target(target):
        cases.product[(1,)](a, b, out, M=m, N=n, K=k, L=layout, WIDTH=k_width, num_warps=warps)
    return out


def exact_product(a, b, acc):
    return (a.astype(np.float64) @ b.astype(np.float64) + acc).astype(acc.dtype)


@pytest.mark.parametrize("transposed", [True, False], ids=["transposed", "plain"])
@pytest.mark.parametrize("case", cases.INSTRUCTIONS, ids=cases.name_of)
def test_every_instruction(case, transposed):
    target, dtype, shape, per_lane = case
    # Two tiles of each warp along M, one along N, two steps along K.
    m, n, k = 4 * shape[0], 2 * shape[1], 2 * shape[2] * (16 if shape[:2] in ((64, 4), (4, 64)) else 1)
    rng = np.random.default_rng(0)
    a, b = cases.small_integers(rng, (m, k), dtype), cases.small_integers(rng, (k, n), dtype)
    acc = rng.integers(-9, 9, (m, n)).astype(cases.accumulator_of(dtype))
    out = run_product(target, a, b, cases.mfma_layout(target, dtype, shape, transposed), per_lane, acc)
    np.testing.assert_array_equal(out, exact_product(a, b, acc))


FLOAT8_PAIRS = [
    ("gfx942", cases.E4M3_FNUZ, cases.E5M2_FNUZ),
    ("gfx942", cases.E5M2_FNUZ, cases.E4M3_FNUZ),
    ("gfx950", cases.E4M3, cases.E5M2),
    ("gfx950", cases.E5M2, cases.E4M3),
]


@pytest.mark.parametrize("shape", cases.FLOAT8)
@pytest.mark.parametrize("target, left, right", FLOAT8_PAIRS)
def test_the_two_float8_mix(target, left, right, shape):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((64, 64)).astype(left), rng.standard_normal((64, 64)).astype(right)
    out = run_product(target, a, b, cases.mfma_layout(target, left, shape), 8)
    np.testing.assert_allclose(out, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", [cases.F16, cases.BF16, cases.F32, cases.F64], ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("target", cases.VERSIONS)
def test_fractions(target, dtype):
    """Products are exact, and their sum is rounded like one in the accumulator's type."""
    shape = {cases.F64: (16, 16, 4), cases.F32: (32, 32, 2)}.get(dtype, (32, 32, 8))
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((64, 128)).astype(dtype), rng.standard_normal((128, 64)).astype(dtype)
    out = run_product(target, a, b, cases.mfma_layout(target, dtype, shape), 4)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
    assert (np.abs(out - exact) <= bound * 128 * np.finfo(out.dtype).eps / 2).all()


def test_xf32_sees_the_upper_bits_of_the_fraction():
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((32, 32)).astype(np.float32) for _ in range(2))
    out = run_product("gfx942", a, b, cases.mfma_layout("gfx942", cases.F32, (32, 32, 4), warps=(1, 1)), 2)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    error = np.abs(out - exact) / (np.abs(a) @ np.abs(b))
    assert 1e-6 < error.max() < 2**-9


@pytest.mark.parametrize("k_width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(
    "dtype, shape", [(cases.F16, (16, 16, 16)), (cases.I8, (32, 32, 16)), (cases.F32, (32, 32, 2))]
)
@pytest.mark.parametrize("target", cases.VERSIONS)
def test_k_width_only_moves_data(target, dtype, shape, k_width):
    rng = np.random.default_rng(4)
    a, b = cases.small_integers(rng, (64, 64), dtype), cases.small_integers(rng, (64, 64), dtype)
    out = run_product(target, a, b, cases.mfma_layout(target, dtype, shape), k_width)
    np.testing.assert_array_equal(out, exact_product(a, b, np.zeros_like(out)))


@pytest.mark.parametrize("warps, tiles", [((1, 1), None), ((4, 1), None), ((1, 4), [2, 1]), ((2, 2), [2, 2])])
@pytest.mark.parametrize("size", [(16, 16), (32, 128), (128, 64)])
def test_tiles_and_warps_cover_any_size(warps, tiles, size):
    """Smaller than an instruction's result: several lanes hold an element. Larger: more registers."""
    m, n = size
    rng = np.random.default_rng(5)
    a, b = cases.small_integers(rng, (m, 32), cases.F16), cases.small_integers(rng, (32, n), cases.F16)
    layout = cases.mfma_layout("gfx950", cases.F16, (32, 32, 16), warps=warps, tiles=tiles)
    out = run_product("gfx950", a, b, layout, 8)
    np.testing.assert_array_equal(out, exact_product(a, b, np.zeros((m, n), np.float32)))


@hocket.jit
def batched(a, b, c, B: gl.constexpr, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, L: gl.constexpr):
    left = gl.load(a + cube_offsets(B, M, K, gl.DotOperandLayout(0, L, 4)))
    right = gl.load(b + cube_offsets(B, K, N, gl.DotOperandLayout(1, L, 4)))
    acc = cdna3.mfma(left, right, gl.zeros([B, M, N], gl.float32, L))
    gl.store(c + cube_offsets(B, M, N, L), acc)


@hocket.jit
def cube_offsets(B: gl.constexpr, M: gl.constexpr, N: gl.constexpr, layout: gl.constexpr):
    batches = gl.arange(0, B, layout=gl.SliceLayout(1, gl.SliceLayout(2, layout)))
    rows = gl.arange(0, M, layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))
    columns = gl.arange(0, N, layout=gl.SliceLayout(0, gl.SliceLayout(1, layout)))
    return (batches[:, None, None] * M + rows[None, :, None]) * N + columns[None, None, :]


@pytest.mark.parametrize("target", cases.VERSIONS)
@pytest.mark.parametrize("warps", [(1, 2, 2), (2, 2, 1)])
def test_batches(target, warps):
    rng = np.random.default_rng(6)
    a, b = cases.small_integers(rng, (4, 32, 32), cases.F16), cases.small_integers(rng, (4, 32, 64), cases.F16)
    out = np.zeros((4, 32, 64), np.float32)
    with emulator.target(target):
        batched[(1,)](a, b, out, 4, 32, 64, 32, cases.mfma_layout(target, cases.F16, (16, 16, 16), warps=warps))
    np.testing.assert_array_equal(out, np.matmul(a.astype(np.float32), b.astype(np.float32)))


@hocket.jit
def ragged(a, b, c, m, n, k, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, L: gl.constexpr, W: gl.constexpr):
    """A loop along K through shared memory, whose edges are cut off by masks."""
    loads: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    a_tile = gl.allocate_shared_memory(a.dtype.element_ty, [BM, BK], shared)
    b_tile = gl.allocate_shared_memory(b.dtype.element_ty, [BK, BN], shared)
    rows = gl.arange(0, BM, layout=gl.SliceLayout(1, loads))[:, None]
    a_depth = gl.arange(0, BK, layout=gl.SliceLayout(0, loads))[None, :]
    b_depth = gl.arange(0, BK, layout=gl.SliceLayout(1, loads))[:, None]
    columns = gl.arange(0, BN, layout=gl.SliceLayout(0, loads))[None, :]
    acc = gl.zeros([BM, BN], gl.float32, L)
    for start in range(0, k, BK):
        a_mask = (rows < m) & (a_depth + start < k)
        b_mask = (b_depth + start < k) & (columns < n)
        a_tile.store(cdna3.buffer_load(a, rows * k + a_depth + start, mask=a_mask))
        b_tile.store(cdna3.buffer_load(b, (b_depth + start) * n + columns, mask=b_mask, other=0.0))
        left, right = a_tile.load(gl.DotOperandLayout(0, L, W)), b_tile.load(gl.DotOperandLayout(1, L, W))
        acc = cdna3.mfma(left, right, acc)
    out_rows = gl.arange(0, BM, layout=gl.SliceLayout(1, L))[:, None]
    out_columns = gl.arange(0, BN, layout=gl.SliceLayout(0, L))[None, :]
    cdna3.buffer_store(acc, c, out_rows * n + out_columns, mask=(out_rows < m) & (out_columns < n))


@pytest.mark.parametrize("size", [(64, 64, 64), (50, 33, 70), (1, 7, 129), (63, 64, 5)])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=["f16", "bf16"])
@pytest.mark.parametrize("target, shape", [("gfx942", (32, 32, 8)), ("gfx950", (16, 16, 32))])
def test_ragged_edges(target, shape, dtype, size):
    m, n, k = size
    rng = np.random.default_rng(7)
    a, b = cases.small_integers(rng, (m, k), dtype), cases.small_integers(rng, (k, n), dtype)
    out = np.zeros((m, n), np.float32)
    with emulator.target(target):
        ragged[(1,)](a, b, out, m, n, k, 64, 64, 32, cases.mfma_layout(target, dtype, shape), 4)
    np.testing.assert_array_equal(out, exact_product(a, b, np.zeros((m, n), np.float32)))


@hocket.jit
def two_products(a, b, c, out, S: gl.constexpr, L: gl.constexpr, W: gl.constexpr):
    """(a x b) x c: the first result becomes an operand."""
    left = gl.load(a + cases.tile_offsets(S, S, gl.DotOperandLayout(0, L, W)))
    right = gl.load(b + cases.tile_offsets(S, S, gl.DotOperandLayout(1, L, W)))
    first = cdna3.mfma(left, right, gl.zeros([S, S], gl.float32, L))
    again = gl.convert_layout(first.to(gl.float16), gl.DotOperandLayout(0, L, W))
    second = cdna3.mfma(
        again, gl.load(c + cases.tile_offsets(S, S, gl.DotOperandLayout(1, L, W))), gl.zeros_like(first)
    )
    gl.store(out + cases.tile_offsets(S, S, L), second)


@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("target, shape", [("gfx942", (32, 32, 8)), ("gfx942", (16, 16, 16)), ("gfx950", (32, 32, 16))])
def test_a_result_becomes_an_operand(target, shape, transposed):
    rng = np.random.default_rng(8)
    a, b, c = (cases.small_integers(rng, (64, 64), cases.F16) for _ in range(3))
    out = np.zeros((64, 64), np.float32)
    layout = cases.mfma_layout(target, cases.F16, shape, transposed, warps=(4, 1))
    with emulator.target(target):
        two_products[(1,)](a, b, c, out, 64, layout, 4)
    a, b, c = (x.astype(np.float64) for x in (a, b, c))
    np.testing.assert_array_equal(out, (a @ b) @ c)
