"""hocket.kernels.matmul with functions as epilogues on CDNA against float64: examples/epilogues.py in every kernel."""

import epilogues
import numpy as np
import pytest
from epilogues_reference import assert_outputs, cases

from hocket import emulator
from hocket.kernels import matmul
from hocket.kernels._matmul.plan_cdna import TILES, CdnaPlan, Tile
from hocket.kernels._matmul.variant_cdna import PIPELINED_WARPS, choose_variant

pytestmark = pytest.mark.usefixtures("unoptimized")

NAMES = tuple(cases(np.random.default_rng(0), 1, 32))
PIPELINED_TILES = [tile for tile in TILES if tile.num_warps == PIPELINED_WARPS]


@pytest.fixture(params=["gfx950", "gfx942"], autouse=True)
def target(request):
    with emulator.target(request.param):
        yield request.param


def operands(rng, m, n, k, batch=(), batch_of_b=None):
    shapes = (*batch, m, k), (*(batch if batch_of_b is None else batch_of_b), k, n)
    return [(rng.standard_normal(shape) * k**-0.25).astype(np.float16) for shape in shapes]


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def check(name, m, n, k, batch=(), batch_of_b=None, **options):
    """Compares the outputs of an example with those of float64, and returns them."""
    rng = np.random.default_rng(m + n)
    a, b = operands(rng, m, n, k, batch, batch_of_b)
    rows = m * int(np.prod(batch))
    case = cases(rng, rows, n)[name]
    results = matmul(a, b, **case.options(n), epilogue_args=case.args, **options)
    outputs = [result.reshape(rows, -1) for result in results]
    assert_outputs(name, outputs, case.expected(exact(a, b).reshape(rows, n)))
    return outputs


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    """The plan of the rule; tiles stick out along both dimensions."""
    check(name, 70, 96, 80)


@pytest.mark.parametrize("name", ["residual", "SwiGLU", "squares"])
@pytest.mark.parametrize("tile", PIPELINED_TILES, ids=str)
def test_warp_pipelines(target, tile, name):
    direct_copies, lds_bytes = (None, 160 * 1024) if target == "gfx950" else ("registers", 64 * 1024)
    plan = CdnaPlan(tile, *choose_variant(tile, 1 << 20, 16, direct_copies, lds_bytes))
    assert plan.is_pipelined
    check(name, tile.m + 16, tile.n, 304, plan=plan)


@pytest.mark.parametrize("name", ["bias and GELU", "squares"])
def test_interleaved(target, name):
    is_direct = target == "gfx950"
    plan = CdnaPlan(Tile(128, 128, 2, 2), 64, is_direct, 2 if is_direct else 1, False, is_interleaved=True)
    m, n, k = 136, 160, 128
    rng = np.random.default_rng(0)
    a, b = operands(rng, m, n, k)
    case = cases(rng, m, n)[name]
    given = np.ascontiguousarray(b.T).T
    results = matmul(a, given, **case.options(n), epilogue_args=case.args, plan=plan)
    assert_outputs(name, results, case.expected(exact(a, b)))


@pytest.mark.parametrize("name", ["residual", "SwiGLU", "squares", "float8 of groups"])
def test_split_k(name):
    """The second kernel applies the function; the bits are the same in each run."""
    plan = CdnaPlan(TILES[-1], 64, False, 1, False, splits=3)
    first = check(name, 80, 96, 400, (2,), plan=plan)
    assert all(map(np.array_equal, first, check(name, 80, 96, 400, (2,), plan=plan)))


@pytest.mark.parametrize("batch_of_b", [(3,), ()], ids=["batch of B", "one B"])
@pytest.mark.parametrize("name", ["residual", "scales", "squares"])
def test_batch(name, batch_of_b):
    check(name, 70, 96, 40, (3,), batch_of_b)


def test_ragged_columns():
    for n in (97, 130):
        check("bias and GELU", 33, n, 40)


def test_no_k(target):
    a, b = np.zeros((40, 0), np.float16), np.zeros((0, 64), np.float16)
    bias = np.arange(64).astype(np.float32)
    result = matmul(a, b, epilogue=epilogues.bias_gelu, epilogue_args=(bias,), out_dtype="float32")
    expected = np.broadcast_to(epilogues.exact_gelu(bias.astype(np.float64)), (40, 64))
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)
