"""gl.dot_fma: GEMM tiles by fused multiply-adds."""

import ml_dtypes
import numpy as np
import pytest
from tiles import tile_offsets

import hocket
from hocket import language as gl

DTYPES = {
    # operands, accumulator
    "f32": (np.float32, np.float32),
    "f16_f32": (np.float16, np.float32),
    "bf16_f32": (ml_dtypes.bfloat16, np.float32),
    "f16": (np.float16, np.float16),
    "f64": (np.float64, np.float64),
    "i32": (np.int32, np.int32),
}


@hocket.jit
def dot_kernel(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, LAYOUT: gl.constexpr):
    left = gl.load(a + tile_offsets(M, K, gl.DotOperandLayout(0, LAYOUT)))
    right = gl.load(b + tile_offsets(K, N, gl.DotOperandLayout(1, LAYOUT)))
    at = c + tile_offsets(M, N, LAYOUT)
    gl.store(at, gl.dot_fma(left, right, gl.load(at)))


def blocked(device, size, order):
    lanes = 64 if device.name.startswith("gfx") else 32
    return gl.BlockedLayout(size, [4, lanes // 4], [2, 2], order)


@pytest.mark.parametrize("order", [[1, 0], [0, 1]])
@pytest.mark.parametrize("shape", [(16, 32, 8), (64, 64, 16), (4, 4, 4), (32, 16, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_dot(device, dtype, shape, order):
    operand, accumulator = DTYPES[dtype]
    m, n, k = shape
    rng = np.random.default_rng(0)
    # Integers small enough to be exact in every dtype.
    a, b, c = (rng.integers(-4, 5, s) for s in ((m, k), (k, n), (m, n)))
    out = device.to_device(c.astype(accumulator))
    dot_kernel[(1,)](
        device.to_device(a.astype(operand)), device.to_device(b.astype(operand)), out, M=m, N=n, K=k,
        LAYOUT=blocked(device, [2, 2], order),
    )  # fmt: skip
    np.testing.assert_array_equal(device.to_host(out), (a @ b + c).astype(accumulator))


def test_order_of_k_is_fixed(device):
    """The sum is the chain of fused multiply-adds in the order of k, bit for bit."""
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((16, 32)).astype(np.float32), rng.standard_normal((32, 16)).astype(np.float32)
    out = device.to_device(np.zeros((16, 16), np.float32))
    dot_kernel[(1,)](
        device.to_device(a), device.to_device(b), out, M=16, N=16, K=32, LAYOUT=blocked(device, [1, 2], [1, 0])
    )
    # x * y of two float32 is exact in float64; the sum is rounded twice, which differs from fma in very few cases.
    expected = np.zeros((16, 16), np.float32)
    for k in range(32):
        expected = (a[:, k : k + 1].astype(np.float64) * b[k : k + 1] + expected).astype(np.float32)
    np.testing.assert_array_max_ulp(device.to_host(out), expected, maxulp=1)
