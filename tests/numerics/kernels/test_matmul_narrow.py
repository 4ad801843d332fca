"""hocket.kernels.matmul with few rows or few columns on Hopper: narrow tiles of wgmma, one or several CTAs per SM."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.kernels import matmul
from hocket.kernels._matmul import host_nvidia
from hocket.kernels._matmul.plan_narrow import MOST_COLUMNS, choose_narrow_plan

pytestmark = pytest.mark.usefixtures("unoptimized")

SHARED_BYTES = 232448


def plan_for(m, n, k, **changes):
    """Returns a plan of the transposed GEMM: A has few rows `m`."""
    plan = choose_narrow_plan(n, m, k, 1, 16, 16, SHARED_BYTES, 132, is_transposed=True)
    return dataclasses.replace(plan, **changes)


def drawn(rng, *shapes, dtype="float16"):
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    return [rng.standard_normal(shape).astype(np.float32).astype(dtype) for shape in shapes]


def assert_product(result, a, b, bias=None):
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = wide_a @ wide_b + (0 if bias is None else bias.astype(np.float64))
    slack = np.abs(wide_a) @ np.abs(wide_b) * a.shape[-1] * 2.0**-23 + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack
    assert (np.abs(result.astype(np.float64) - expected) <= allowed).all()


def product(device, a, b, transposed_b=False, **options):
    right = device.to_device(np.ascontiguousarray(b.T)).T if transposed_b else device.to_device(b)
    return device.to_host(matmul(device.to_device(a), right, **options))


@pytest.mark.parametrize("ctas_per_sm", [1, 2])
@pytest.mark.parametrize("m", [3, 16, 24, 64])
def test_every_width(hopper_device, m, ctas_per_sm):
    """Every number of columns of a tile, with a bias per row of the transposed GEMM, and edges along each dimension."""
    n, k = 136, 200
    a, b, bias = drawn(np.random.default_rng(m), (m, k), (k, n), n)
    plan = plan_for(m, n, k, blocks=2, stages=3, ctas_per_sm=ctas_per_sm)
    given = hopper_device.to_device(bias)
    result = product(hopper_device, a, b, ctas_per_sm == 1, bias=given, activation="relu", plan=plan)
    wide = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64), 0)
    np.testing.assert_allclose(result.astype(np.float64), wide, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("seed", range(8))
def test_drawn_sizes(hopper_device, monkeypatch, seed):
    """Few rows or few columns, also of results with contiguous columns, by the plan that the rule chooses."""
    rng = np.random.default_rng([36, seed])
    monkeypatch.setattr(host_nvidia, "narrow_order", lambda gemm: gemm.out.rows <= MOST_COLUMNS)
    few = int(2 ** rng.uniform(1, np.log2(MOST_COLUMNS)))
    many, k = 8 * int(rng.integers(128, 140)), 8 * int(rng.integers(1, 30))
    m, n = (few, many) if rng.random() < 0.6 else (many, few)
    a, b = drawn(rng, (m, k), (k, n), dtype=str(rng.choice(["float16", "bfloat16"])))
    out = None
    if rng.random() < 0.4:
        out = hopper_device.to_device(np.zeros((n, m), np.float32)).T
    bias = drawn(rng, n)[0] if rng.random() < 0.5 else None
    given = None if bias is None else hopper_device.to_device(bias)
    result = product(hopper_device, a, b, bool(rng.random() < 0.5), out=out, bias=given, out_dtype="float32")
    assert_product(result, a, b, bias)


def test_splits_of_k(hopper_device, monkeypatch):
    """The bits are the same in each run, and the counters of arrived splits are 0 again."""
    counters = hopper_device.to_device(np.zeros(512, np.int32))
    monkeypatch.setattr(host_nvidia, "counters_for", lambda array: counters)
    m, n, k = 9, 72, 64 * 5 - 8
    a, b = drawn(np.random.default_rng(1), (m, k), (k, n))
    plan = plan_for(m, n, k, splits=3, blocks=4, ctas_per_sm=2, stages=3)
    results = [product(hopper_device, a, b, True, plan=plan) for _ in range(2)]
    assert_product(results[0], a, b)
    assert np.array_equal(*results)
    assert (hopper_device.to_host(counters) == 0).all()


def test_a_batch(hopper_device):
    a, b = drawn(np.random.default_rng(2), (3, 16, 72), (3, 72, 1032))
    result = hopper_device.to_host(matmul(hopper_device.to_device(a), hopper_device.to_device(b), out_dtype="float32"))
    np.testing.assert_allclose(result, a.astype(np.float64) @ b.astype(np.float64), atol=1e-4)


def test_every_schedule_gives_the_same():
    m, n, k = 9, 72, 200
    plan = plan_for(m, n, k, splits=2, blocks=3, stages=2, ctas_per_sm=2)

    def multiply():
        a, b = drawn(np.random.default_rng(0), (m, k), (k, n))
        out = hocket.emulator.empty((m, n), np.float16)
        assert_product(matmul(a, b, out, plan=plan), a, b)
        return out

    report = hocket.check(multiply, target="sm_90a", schedules=6)
    assert report.ok, report
