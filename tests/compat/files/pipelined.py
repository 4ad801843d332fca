"""A loop with MFMAs for CDNA4, whose kernel names neither stages nor a warp pipeline."""

import sys

import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

MFMA = gl.constexpr(gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 4]))
A = gl.constexpr(gl.DotOperandLayout(0, MFMA, 8))
B = gl.constexpr(gl.DotOperandLayout(1, MFMA, 8))
TILE, DEPTH = gl.constexpr(256), gl.constexpr(32)


@gluon.jit
def load_tile(x, rows: gl.constexpr, columns: gl.constexpr, stride, layout: gl.constexpr):
    row = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, columns, layout=gl.SliceLayout(0, layout))
    return gl.load(x + row[:, None] * stride + column[None, :])


@gluon.jit
def gemm_kernel(a, b, c, steps, K):
    rows_a: gl.constexpr = gl.BlockedLayout([1, 8], [16, 4], [8, 1], [1, 0])
    rows_b: gl.constexpr = gl.BlockedLayout([1, 8], [2, 32], [8, 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    a_ring = gl.allocate_shared_memory(gl.float16, [3, TILE, DEPTH], shared)
    b_ring = gl.allocate_shared_memory(gl.float16, [3, DEPTH, TILE], shared)
    a_ring.index(0).store(load_tile(a, TILE, DEPTH, K, rows_a))
    b_ring.index(0).store(load_tile(b, DEPTH, TILE, TILE, rows_b))
    a_next = load_tile(a + DEPTH, TILE, DEPTH, K, rows_a)
    b_next = load_tile(b + DEPTH * TILE, DEPTH, TILE, TILE, rows_b)
    acc = gl.zeros([TILE, TILE], gl.float32, MFMA)
    for step in range(steps):
        x, y = a_ring.index(step % 3).load(A), b_ring.index(step % 3).load(B)
        a_ring.index((step + 1) % 3).store(a_next)
        b_ring.index((step + 1) % 3).store(b_next)
        ahead = gl.minimum(step + 2, steps - 1)
        a_next = load_tile(a + ahead * DEPTH, TILE, DEPTH, K, rows_a)
        b_next = load_tile(b + ahead * DEPTH * TILE, DEPTH, TILE, TILE, rows_b)
        acc = gl.amd.cdna4.mfma(x, y, acc)
    row = gl.arange(0, TILE, layout=gl.SliceLayout(1, MFMA))[:, None]
    gl.store(c + row * TILE + gl.arange(0, TILE, layout=gl.SliceLayout(0, MFMA))[None, :], acc)


def main(*options):
    random = np.random.default_rng(0)
    a = random.standard_normal((256, 128)).astype(np.float16)
    b = random.standard_normal((128, 256)).astype(np.float16)
    c = np.empty((256, 256), np.float32)
    chosen = {"warp_pipeline": "auto"} if "option" in options else {}
    compiled = gemm_kernel[(1,)](a, b, c, 4, 128, num_warps=8, **chosen)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-2)
    print("priorities:", compiled.asm["amdgcn"].count("s_setprio"))


if __name__ == "__main__":
    main(*sys.argv[1:])
