"""The tutorials' kernels, on shapes and dtypes beyond those the notebooks show."""

import importlib.util
import pathlib
import sys

import ml_dtypes
import numpy as np
import pytest

TUTORIALS = pathlib.Path(__file__).resolve().parents[2] / "tutorials"
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


@pytest.fixture(scope="module")
def tutorial(request):
    """Loads a tutorial's functions without running its cells: everything from the first call on is left out."""

    def load(stem):
        name = f"tutorial_{stem}"
        if name not in sys.modules:
            source = (TUTORIALS / f"{stem}.py").read_text()
            kernels = source.split("\nrng = ")[0].replace("import matplotlib.pyplot as plt\n", "\n")
            kernels = kernels.replace("from everywhere import bfloat16, run_everywhere\n", "\n")
            spec = importlib.util.spec_from_loader(name, loader=None)
            module = importlib.util.module_from_spec(spec)
            module.__file__ = str(TUTORIALS / f"{stem}.py")
            exec(compile(kernels, module.__file__, "exec"), module.__dict__)
            sys.modules[name] = module
        return sys.modules[name]

    return load


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
