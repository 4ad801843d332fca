"""hocket.kernels.matmul of matrices without elements, as for an expert that no token chooses."""

import numpy as np
import pytest

from hocket.kernels import matmul

pytestmark = pytest.mark.usefixtures("unoptimized")


def product(device, shape, transposed_b, **options):
    m, n, k = shape
    a, b = np.zeros((m, k), np.float16), np.zeros((n, k) if transposed_b else (k, n), np.float16)
    b = device.to_device(b)
    return device.to_host(matmul(device.to_device(a), b.T if transposed_b else b, **options))


@pytest.mark.parametrize("transposed_b", [False, True], ids=["B", "B^T"])
@pytest.mark.parametrize("shape", [(0, 8, 16), (8, 0, 16), (0, 0, 0), (0, 8, 0)], ids=str)
def test_results_without_elements(every_device, shape, transposed_b):
    assert product(every_device, shape, transposed_b).shape == shape[:2]


@pytest.mark.parametrize("shape", [(1, 16, 0), (3, 40, 0), (70, 16, 0)], ids=str)
def test_no_k(every_device, shape):
    """Each row of the result is the activation of the bias, or 0 without a bias."""
    bias = np.arange(-5, shape[1] - 5).astype(np.float32)
    result = product(every_device, shape, False, bias=every_device.to_device(bias), activation="relu")
    assert (result == np.maximum(bias, 0).astype(np.float16)).all()
    out = every_device.to_device(np.full(shape[:2], np.nan, np.float16))
    assert (product(every_device, shape, True, out=out) == 0).all()
    assert (every_device.to_host(out) == 0).all()


def test_a_batch_without_matrices(every_device):
    a, b = every_device.to_device(np.zeros((0, 4, 8), np.float16)), every_device.to_device(np.ones((8, 16), np.float16))
    assert every_device.to_host(matmul(a, b)).shape == (0, 4, 16)
