"""The tutorials' kernels, on shapes and dtypes beyond those the notebooks show."""

import ast
import importlib.util
import pathlib
import sys

import ml_dtypes
import numpy as np
import pytest

from hocket import language as gl

pytestmark = pytest.mark.slow

TUTORIALS = pathlib.Path(__file__).resolve().parents[3] / "tutorials"
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef)
NOT_IMPORTED = {"matplotlib.pyplot", "everywhere"}
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.fixture(scope="module")
def tutorial():
    """Loads a tutorial's functions without running its cells: only imports and function definitions are executed."""

    def load(stem):
        name = f"tutorial_{stem}"
        if name not in sys.modules:
            spec = importlib.util.spec_from_loader(name, loader=None)
            module = importlib.util.module_from_spec(spec)
            module.__file__ = str(TUTORIALS / f"{stem}.py")
            tree = ast.parse((TUTORIALS / f"{stem}.py").read_text())
            tree.body = [node for node in tree.body if isinstance(node, KEPT) and not (imported(node) & NOT_IMPORTED)]
            exec(compile(tree, module.__file__, "exec"), module.__dict__)
            sys.modules[name] = module
        return sys.modules[name]

    return load


def imported(node):
    """The modules that a statement imports from."""
    if isinstance(node, ast.ImportFrom):
        return {node.module}
    return {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()


def ulp_error(actual, expected):
    scale = np.abs(expected).max() * float(ml_dtypes.finfo(actual.dtype).eps)
    return np.abs(actual.astype(np.float64) - expected).max() / scale


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 1023, 1024, 98432, 100003])
def test_vector_add(device, tutorial, dtype, n):
    x, y = np.random.default_rng(0).standard_normal((2, n)).astype(DTYPES[dtype])
    actual = device.to_host(tutorial("01_vector_add").add(device.to_device(x), device.to_device(y)))
    assert ulp_error(actual, x.astype(np.float64) + y) <= 0.51


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 1), (5, 781), (4, 2048), (2, 5000)])
def test_softmax(device, tutorial, dtype, shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(DTYPES[dtype])
    actual = device.to_host(tutorial("02_softmax").softmax(device.to_device(x)))
    e = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis=1, keepdims=True))
    assert ulp_error(actual, e / e.sum(axis=1, keepdims=True)) <= 4


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(64, 64, 64), (1, 1, 1), (100, 50, 70), (130, 66, 17)])
def test_matmul(device, tutorial, dtype, shape):
    m, n, k = shape
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k)).astype(DTYPES[dtype]), rng.standard_normal((k, n)).astype(DTYPES[dtype])
    actual = device.to_host(tutorial("03_matmul").matmul(device.to_device(a), device.to_device(b)))
    assert ulp_error(actual, a.astype(np.float64) @ b.astype(np.float64)) <= 4


SHARED = {
    "plain": gl.SwizzledSharedLayout(1, 1, 1, [1, 0]),
    "swizzled": gl.SwizzledSharedLayout(4, 4, 16, [1, 0]),
    "padded": gl.PaddedSharedLayout.with_identity_for([[64, 1]], [64, 64], [1, 0]),
}


@pytest.mark.parametrize("shared", SHARED)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(64, 64), (1, 1), (100, 130)])
def test_transpose(device, tutorial, dtype, shape, shared):
    x = np.random.default_rng(0).standard_normal(shape).astype(DTYPES[dtype])
    actual = device.to_host(tutorial("04_layouts").transpose(device.to_device(x), SHARED[shared]))
    np.testing.assert_array_equal(actual, x.T)


def test_argmax(every_device, tutorial):
    x = np.random.default_rng(0).integers(0, 50, (5, 781)).astype(np.float32)  # many are the largest: the first counts
    out = every_device.to_device(np.empty(5, np.int32))
    tutorial("05_reductions_and_scans").argmax_kernel[(5,)](every_device.to_device(x), out, 781, BLOCK=1024)
    np.testing.assert_array_equal(every_device.to_host(out), x.argmax(axis=1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 512), (2, 1300), (1, 1)])
def test_moving_average(device, tutorial, dtype, shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(DTYPES[dtype])
    module = tutorial("05_reductions_and_scans")
    actual = device.to_host(module.average(device.to_device(x)))
    assert ulp_error(actual, module.reference(x.astype(np.float64))) <= 4


def test_sums_of_segments(every_device, tutorial):
    rng = np.random.default_rng(0)
    values, begins = rng.integers(-9, 10, 512).astype(np.int32), (rng.random(512) < 0.1).astype(np.int32)
    sums = every_device.to_device(np.empty_like(values))
    segment_sums = tutorial("05_reductions_and_scans").segment_sums
    segment_sums[(1,)](every_device.to_device(values), every_device.to_device(begins), sums, BLOCK=512)
    expected, total = [], 0
    for value, begin in zip(values, begins, strict=True):
        total = value + (0 if begin else total)
        expected.append(total)
    np.testing.assert_array_equal(every_device.to_host(sums), expected)
