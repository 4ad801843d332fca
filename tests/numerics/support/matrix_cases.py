"""Tables of instructions and kernels with one MFMA, for the tests of AMD's MFMAs."""

import ml_dtypes
import numpy as np
from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language.amd import cdna3

VERSIONS = {"gfx942": 3, "gfx950": 4}

F16, BF16, F32, F64, I8 = np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.int8
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
E4M3_FNUZ, E5M2_FNUZ = ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz

ACCUMULATORS = {I8: np.int32, F64: np.float64}

# [M, N, K] and the elements along K that one lane holds, by dtype.
BOTH = {
    F16: {(32, 32, 8): 4, (16, 16, 16): 4, (64, 4, 4): 4, (4, 64, 4): 4, (4, 4, 64): 4},
    BF16: {(32, 32, 8): 4, (16, 16, 16): 4, (64, 4, 4): 4, (4, 64, 4): 4, (4, 4, 64): 4},
    I8: {(32, 32, 16): 8, (16, 16, 32): 8, (64, 4, 4): 4, (4, 64, 4): 4, (4, 4, 64): 4},
    F32: {(32, 32, 2): 1, (16, 16, 4): 1, (64, 4, 1): 1, (4, 64, 1): 1, (4, 4, 16): 1},
    F64: {(16, 16, 4): 1},
}
FLOAT8 = {(32, 32, 16): 8, (16, 16, 32): 8}
ONLY = {
    "gfx942": {F32: {(32, 32, 4): 2, (16, 16, 8): 2}, E4M3_FNUZ: FLOAT8, E5M2_FNUZ: FLOAT8},
    "gfx950": {
        F16: {(32, 32, 16): 8, (16, 16, 32): 8},
        BF16: {(32, 32, 16): 8, (16, 16, 32): 8},
        I8: {(32, 32, 32): 16, (16, 16, 64): 16},
        E4M3: FLOAT8,
        E5M2: FLOAT8,
    },
}

#: (target, dtype, instr_shape, elements per lane) of every instruction.
INSTRUCTIONS = [
    (target, dtype, shape, per_lane)
    for target in VERSIONS
    for table in (BOTH, ONLY[target])
    for dtype, shapes in table.items()
    for shape, per_lane in shapes.items()
]


def name_of(case):
    target, dtype, shape, _ = case
    return f"{target}-{np.dtype(dtype).name}-{'x'.join(map(str, shape))}"


def accumulator_of(dtype):
    return ACCUMULATORS.get(dtype, np.float32)


def mfma_layout(target, dtype, shape, transposed=True, warps=(2, 2), tiles=None):
    bits = 64 if dtype is F64 else 32
    return gl.amd.AMDMFMALayout(VERSIONS[target], list(shape), transposed, list(warps), bits, tiles)


def small_integers(rng, shape, dtype):
    """Returns values that are exact in every dtype, and whose dot products are exact in the accumulator."""
    return rng.integers(-4, 5, shape).astype(dtype)


@hocket.jit
def product(a, b, c, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr, L: gl.constexpr, WIDTH: gl.constexpr):
    """c += a x b, loaded in the layouts of the operands."""
    left = cdna3.buffer_load(a, tile_offsets(M, K, gl.DotOperandLayout(0, L, WIDTH)))
    right = cdna3.buffer_load(b, tile_offsets(K, N, gl.DotOperandLayout(1, L, WIDTH)))
    offsets = tile_offsets(M, N, L)
    cdna3.buffer_store(cdna3.mfma(left, right, cdna3.buffer_load(c, offsets)), c, offsets)
