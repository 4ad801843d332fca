"""hocket.kernels.matmul with up to eight rows or columns on NVIDIA GPUs, and without elements on all targets."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest

import hocket
from hocket.kernels import matmul
from hocket.kernels._matmul import host_few_rows, host_nvidia
from hocket.kernels._matmul.plan_few_rows import MOST_ROWS, FewRowsPlan

pytestmark = pytest.mark.usefixtures("unoptimized")

#: Plans with K and with N contiguous: CTAs with several columns, warps side by side along K, and single elements.
BY_K = (
    FewRowsPlan(1, 4, True, 8, 8, 256, 2),
    FewRowsPlan(1, 4, True, 2, 2, 256, 4),
    FewRowsPlan(1, 4, True, 1, 4, 32, 1),
)
BY_N = (FewRowsPlan(1, 4, False, 8, 64, 16, 2), FewRowsPlan(1, 4, False, 1, 32, 4, 8))


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


@pytest.fixture
def every_size(monkeypatch):
    """The cost model also chooses the kernel for small matrices, all dtypes, and few columns."""
    monkeypatch.setattr(host_nvidia, "is_fastest", lambda form: True)


def matrix(device, rng, rows, columns, dtype, *, transposed=False, first=0, gap=0):
    """Returns a device array of normal numbers and its values. The array begins at element `first` of its memory, with
    `gap` elements between its rows, or between its columns if `transposed`."""
    shape = (columns, rows) if transposed else (rows, columns)
    memory = rng.standard_normal(first + shape[0] * (shape[1] + gap)).astype(np.float32).astype(dtype_of(dtype))

    def viewed(numbers):
        array = numbers[first:].reshape(shape[0], shape[1] + gap)[:, : shape[1]]
        return array.T if transposed else array

    return viewed(device.to_device(memory)), viewed(memory)


def assert_product(result, a, b, bias=None, rounding=0.0):
    """`result` differs from the exact result by its own rounding, that of float32 sums, and the relative `rounding` of
    products."""
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    expected = wide_a @ wide_b + (0 if bias is None else bias.astype(np.float64))
    slack = np.abs(wide_a) @ np.abs(wide_b) * (a.shape[1] * 2.0**-23 + rounding) + 1e-6
    allowed = np.abs(expected) * float(ml_dtypes.finfo(result.dtype).eps) + 2 * slack
    error = np.abs(result.astype(np.float64) - expected)
    assert (error <= allowed).all(), (error - allowed).max()


@pytest.mark.parametrize("seed", range(12))
def test_drawn_arrays(nvidia_device, every_size, seed):
    """Few rows or few columns, any order, address and stride of the operands, and sizes from 1 on."""
    rng = np.random.default_rng([25, seed])
    few = int(rng.integers(1, MOST_ROWS + 1))
    many, k = (int(2 ** rng.uniform(0, 10)) for _ in range(2))
    if rng.random() < 0.5:
        many, k = (-(-size // 8) * 8 for size in (many, k))
    m, n = (few, many) if rng.random() < 0.7 else (many, few)
    dtype = str(rng.choice(["float16", "bfloat16", "float32"]))
    (a, a_values), (b, b_values) = (
        matrix(
            nvidia_device, rng, rows, columns, dtype,
            transposed=bool(rng.random() < 0.5), first=int(rng.choice([0, 0, 1, 8])), gap=int(rng.choice([0, 0, 3, 8])),
        )
        for rows, columns in ((m, k), (k, n))
    )  # fmt: skip
    bias = rng.standard_normal(n).astype(np.float32) if rng.random() < 0.5 else None
    out_dtype = str(rng.choice(["float32", "float16", "bfloat16"]))
    given = None if bias is None else nvidia_device.to_device(bias)
    result = nvidia_device.to_host(matmul(a, b, bias=given, out_dtype=out_dtype))
    assert_product(result, a_values, b_values, bias, 2.0**-10 if dtype == "float32" else 0)


@pytest.mark.parametrize(
    "plan", BY_K + BY_N, ids=lambda plan: f"{plan.tile} vector {plan.vector} {plan.is_k_contiguous}"
)
@pytest.mark.parametrize("rows", [1, 3])
def test_splits_of_k(nvidia_device, monkeypatch, plan, rows):
    """CTAs share K. The last split to arrive adds up all, in the order of K: the bits are the same in each run, and the
    arrivals are 0 again."""
    counters = nvidia_device.to_device(np.zeros(512, np.int32))
    monkeypatch.setattr(host_few_rows, "counters_for", lambda array: counters)
    k, n = 5 * plan.step + 3 * plan.vector, plan.block_n + plan.vector
    k += 0 if plan.is_k_contiguous else 1
    plan = dataclasses.replace(plan, rows=rows, splits=3)
    rng = np.random.default_rng(rows)
    a, a_values = matrix(nvidia_device, rng, rows, k, "bfloat16")
    b, b_values = matrix(nvidia_device, rng, k, n, "bfloat16", transposed=plan.is_k_contiguous)
    results = [nvidia_device.to_host(matmul(a, b, out_dtype="float32", plan=plan)) for _ in range(2)]
    assert_product(results[0], a_values, b_values)
    assert np.array_equal(*results)
    assert (nvidia_device.to_host(counters) == 0).all()


def test_batches(nvidia_device):
    """A matrix per batch, and one matrix for all rows of the batch."""
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((3, 2, 72), (3, 72, 40)))
    for right in (b, b[0]):
        result = nvidia_device.to_host(
            matmul(nvidia_device.to_device(a), nvidia_device.to_device(right), activation="relu", out_dtype="float32")
        )
        expected = np.maximum(a.astype(np.float64) @ right.astype(np.float64), 0)
        np.testing.assert_allclose(result, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (dataclasses.replace(BY_K[0], rows=2), "it is for 2 rows or columns"),
        (BY_N[0], "it is for arrays with N contiguous"),
        (dataclasses.replace(BY_K[0], splits=3), "it has 3 splits of K, but a CTA reads K in 2 steps"),
    ],
)
def test_plans_that_do_not_fit(plan, message):
    a, b = np.zeros((1, 1024), np.float16), np.zeros((8, 1024), np.float16).T
    with hocket.emulator.target("sm_90a"), pytest.raises(hocket.LaunchError, match=message):
        matmul(a, b, plan=plan)


def test_vectors_need_aligned_arrays():
    a, b = np.zeros((1, 100), np.float16), np.zeros((8, 100), np.float16).T
    with hocket.emulator.target("sm_80"), pytest.raises(hocket.LaunchError, match="lanes can load 4 elements at once"):
        matmul(a, b, plan=BY_K[0])


@pytest.mark.parametrize("plan", [BY_K[1], BY_N[0]], ids=["K", "N"])
def test_every_schedule_gives_the_same(plan):
    plan = dataclasses.replace(plan, splits=2)

    def multiply():
        rng = np.random.default_rng(0)
        a = rng.standard_normal((1, 3 * plan.step)).astype(np.float16)
        b = rng.standard_normal((3 * plan.step, 40)).astype(np.float16)
        b = np.asfortranarray(b) if plan.is_k_contiguous else b
        out = hocket.emulator.empty((1, 40), np.float32)
        assert_product(matmul(a, b, out, plan=plan), a, b)
        return out

    report = hocket.check(multiply, target="sm_90a", schedules=6)
    assert report.ok, report


def empty_product(device, shape, transposed_b, **options):
    m, n, k = shape
    a, b = np.zeros((m, k), np.float16), np.zeros((n, k) if transposed_b else (k, n), np.float16)
    b = device.to_device(b)
    return device.to_host(matmul(device.to_device(a), b.T if transposed_b else b, **options))


@pytest.mark.parametrize("transposed_b", [False, True], ids=["B", "B^T"])
@pytest.mark.parametrize("shape", [(0, 8, 16), (8, 0, 16), (0, 0, 0), (0, 8, 0)], ids=str)
def test_results_without_elements(every_device, shape, transposed_b):
    assert empty_product(every_device, shape, transposed_b).shape == shape[:2]


@pytest.mark.parametrize("shape", [(3, 40, 0), (70, 16, 0)], ids=str)
def test_no_k(every_device, shape):
    """Each row of the result is the activation of the bias, or 0 without a bias."""
    bias = np.arange(-5, shape[1] - 5).astype(np.float32)
    result = empty_product(every_device, shape, False, bias=every_device.to_device(bias), activation="relu")
    assert (result == np.maximum(bias, 0).astype(np.float16)).all()
    out = every_device.to_device(np.full(shape[:2], np.nan, np.float16))
    assert (empty_product(every_device, shape, True, out=out) == 0).all()
    assert (every_device.to_host(out) == 0).all()


def test_a_batch_without_matrices(every_device):
    a, b = every_device.to_device(np.zeros((0, 4, 8), np.float16)), every_device.to_device(np.ones((8, 16), np.float16))
    assert every_device.to_host(matmul(a, b)).shape == (0, 4, 16)
