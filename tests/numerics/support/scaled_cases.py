"""Products of microscaled matrices by `hocket.kernels.matmul_scaled`, and what they should be."""

import ml_dtypes
import numpy as np

from hocket.kernels import matmul_scaled, shuffle_scales

#: Two in a byte.
FLOAT4 = "uint8"


def elements(rng, rows, k, dtype):
    """(what is stored, as float64)"""
    if dtype == FLOAT4:
        codes = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        return codes[:, ::2] | codes[:, 1::2] << 4, codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
    stored = rng.standard_normal((rows, k)).astype(getattr(ml_dtypes, dtype))
    return stored, stored.astype(np.float64)


def scaled(rng, rows, k, dtype):
    """(what is stored, its scales, as float64)"""
    stored, values = elements(rng, rows, k, dtype)
    scales = rng.integers(120, 133, (rows, k // 32)).astype(np.uint8)
    factors = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float64)
    return stored, scales, values * np.repeat(factors, 32, axis=1)


def product(dtype, m, n, k, plan=None, **options):
    """(the result as float32, what it should be)"""
    rng = np.random.default_rng(0)
    (a, a_scales, left), (b, b_scales, right) = scaled(rng, m, k, dtype), scaled(rng, n, k, dtype)
    shuffled = shuffle_scales(a_scales), shuffle_scales(b_scales)
    result = matmul_scaled(a, shuffled[0], b.T, shuffled[1], out_dtype="float32", plan=plan, **options)
    return result, left @ right.T
