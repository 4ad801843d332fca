"""Dtypes, operands and layouts of wgmma, and a kernel with one wgmma."""

import ml_dtypes
import numpy as np
from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import warpgroup_mma, warpgroup_mma_wait

F16, BF16, F32 = np.float16, ml_dtypes.bfloat16, np.float32
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
I8, U8, I32 = np.int8, np.uint8, np.int32
#: The dtypes of a, b and the accumulators.
TYPES = {
    "f16": (F16, F16, F32),
    "f16.f16": (F16, F16, F16),
    "bf16": (BF16, BF16, F32),
    "tf32": (F32, F32, F32),
    "e4m3": (E4M3, E4M3, F32),
    "e4m3.e5m2": (E4M3, E5M2, F32),
    "e5m2.e4m3": (E5M2, E4M3, F32),
    "e5m2": (E5M2, E5M2, F32),
    "s8": (I8, I8, I32),
    "s8.u8": (I8, U8, I32),
    "u8.s8": (U8, I8, I32),
    "u8": (U8, U8, I32),
}
GL = {
    F16: gl.float16,
    BF16: gl.bfloat16,
    F32: gl.float32,
    E4M3: gl.float8e4nv,
    E5M2: gl.float8e5,
    I8: gl.int8,
    U8: gl.uint8,
    I32: gl.int32,
}


def numbers(seed, shape, dtype):
    """Returns numbers whose dot products are exact."""
    low = 0 if np.dtype(dtype) == np.uint8 else -4
    high = 256 if np.dtype(dtype) == np.uint8 else 5
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def exact(a, b):
    kind = np.int64 if np.issubdtype(a.dtype, np.integer) else np.float64
    return a.astype(kind) @ b.astype(kind)


def depth(dtype):
    """K of an instruction: 32 bytes."""
    return 32 // np.dtype(dtype).itemsize


def shared_layout(shape, dtype, transposed=False):
    return gl.NVMMASharedLayout.get_default_for(list(shape), GL[dtype], transposed=transposed)


@hocket.jit
def multiply(
    a,
    b,
    out,
    M: gl.constexpr,
    N: gl.constexpr,
    K: gl.constexpr,
    ACC: gl.constexpr,
    SHARED_A: gl.constexpr,
    SHARED_B: gl.constexpr,
    A_WIDTH: gl.constexpr,
    USE_ACC: gl.constexpr = True,
    IS_ASYNC: gl.constexpr = False,
):
    """out + a x b. A_WIDTH: the k_width of a in registers, 0: it is in shared memory."""
    copy: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [gl.num_warps(), 1], [1, 0])
    dtype_a: gl.constexpr = a.dtype.element_ty
    dtype_b: gl.constexpr = b.dtype.element_ty
    b_tile = gl.allocate_shared_memory(dtype_b, [K, N], SHARED_B, gl.load(b + tile_offsets(K, N, copy)))
    acc = gl.load(out + tile_offsets(M, N, ACC))
    if A_WIDTH:
        left = gl.load(a + tile_offsets(M, K, gl.DotOperandLayout(0, ACC, A_WIDTH)))
    else:
        left = gl.allocate_shared_memory(dtype_a, [M, K], SHARED_A, gl.load(a + tile_offsets(M, K, copy)))
    acc = warpgroup_mma(left, b_tile, acc, use_acc=USE_ACC, is_async=IS_ASYNC)
    if IS_ASYNC:
        acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(out + tile_offsets(M, N, ACC), acc)
