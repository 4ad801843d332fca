"""hocket.kernels.matmul with functions as epilogues by mma.sync against float64: examples/epilogues.py on sm_80, and on
sm_90a with an AmperePlan."""

import numpy as np
import pytest
from epilogues_reference import assert_outputs, cases

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.kernels import matmul
from hocket.kernels._matmul import host_nvidia
from hocket.kernels._matmul.plan_ampere import TILES, AmperePlan

pytestmark = pytest.mark.usefixtures("unoptimized")

NAMES = tuple(cases(np.random.default_rng(0), 1, 32))


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def check(target, name, m, n, k, batch=(), **options):
    """Compares the outputs of an example with those of float64."""
    rng = np.random.default_rng(m + n)
    a, b = ((rng.standard_normal(shape) * k**-0.25).astype(np.float16) for shape in ((*batch, m, k), (*batch, k, n)))
    rows = m * int(np.prod(batch))
    case = cases(rng, rows, n)[name]
    with emulator.target(target):
        results = matmul(a, b, **case.options(n), epilogue_args=case.args, **options)
    outputs = [result.reshape(rows, -1) for result in results]
    assert_outputs(name, outputs, case.expected(exact(a, b).reshape(rows, n)))


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("name", NAMES)
def test_examples(name, target):
    """Tiles stick out along both dimensions."""
    check(target, name, 150, 160, 80, plan=AmperePlan(TILES[0], 32, 3))


@pytest.mark.parametrize("name", ["residual", "SwiGLU", "squares"])
@pytest.mark.parametrize("tile", TILES, ids=str)
def test_every_tile(name, tile):
    check("sm_80", name, tile.m + 16, tile.n + 32, 80, (2,), plan=AmperePlan(tile, 32, 3))


@pytest.mark.parametrize("size", [(33, 97, 41), (5, 130, 24)], ids=str)
@pytest.mark.parametrize("name", ["bias and GELU", "residual", "with and without GELU"])
def test_odd_sizes(name, size):
    """The plan of the rule."""
    check("sm_80", name, *size)


@hocket.jit
def sums_of_groups(acc, row, column, GROUP: gl.constexpr):
    return gl.sum(acc.reshape([acc.shape[0], acc.shape[1] // GROUP, GROUP]), axis=2)


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "gfx942", "gfx950"])
@pytest.mark.parametrize("m, k", [(40, 64), (130, 41)], ids=["aligned", "odd k"])
def test_the_rule_chooses_tiles_as_wide_as_groups(target, m, k):
    """Without groups, the rule chooses tiles with fewer columns for these sizes."""
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, 256)).astype(np.float16)
    with emulator.target(target):
        sums = matmul(a, b, epilogue=sums_of_groups, epilogue_args=(128,), out_columns=2, out_dtype="float32")
    np.testing.assert_allclose(sums, exact(a, b).reshape(m, 2, 128).sum(axis=2), rtol=1e-3, atol=1e-2)


def test_the_rule_chooses_mma_sync_where_copies_are_slow(monkeypatch):
    """On Hopper, too, as without a function."""
    plans = []
    plan_of = host_nvidia.plan_of
    monkeypatch.setattr(host_nvidia, "plan_of", lambda *args: plans.append(plan_of(*args)) or plans[-1])
    check("sm_90a", "bias and GELU", 100, 101, 115)
    assert isinstance(plans[0], AmperePlan)
