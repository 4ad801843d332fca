"""Random float16 operands of GEMMs, for kernels of examples/."""

import numpy as np


def gemm_operands(m, n, k):
    rng = np.random.default_rng(m + n + k)
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)


def fused_operands(m, n, k):
    """Returns one left operand and two right ones, for two GEMMs."""
    rng = np.random.default_rng(m + n + k)
    return [rng.standard_normal(shape).astype(np.float16) / 4 for shape in ((m, k), (k, n), (k, n))]
