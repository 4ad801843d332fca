# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 3. Matrix multiplication: tiles through shared memory
#
# A whole row of C depends on every element of A, a whole column on every element of B. A block that computes a tile of
# C therefore loads each k-tile of A and B **once** into shared memory, from where all its lanes read.
#
# This notebook computes fused multiply-adds without matrix cores (`gl.dot_fma`). Later notebooks use matrix cores, with
# the same concepts: layouts of operands, shared memory, barriers.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl
from hocket.pictures import draw_layout

# %% [markdown]
# ## Three kinds of layouts
#
# * `load_a`, `load_b`: the layouts in which tiles are loaded from global memory. Consecutive lanes load consecutive
#   elements of the contiguous dimension.
# * `acc`: the layout of the accumulator in registers. Each lane computes a small box of C.
# * `gl.DotOperandLayout(0, acc)`: the layout of operand A. A lane holds the rows of its box, along all of K.
#
# `gl.SwizzledSharedLayout(1, 1, 1, [1, 0])` is plain row-major shared memory. The compiler detects that other lanes
# load what a lane has stored to a buffer, and inserts the barriers; the source of the kernel below contains none.


# %%
@hocket.jit
def matmul_kernel(a, b, c, M, N, K, stride_a, stride_b, stride_c, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    lanes: gl.constexpr = gl.num_lanes()
    acc_layout: gl.constexpr = gl.BlockedLayout([4, 4], [lanes // 8, 8], [gl.num_warps(), 1], [1, 0])
    load_a: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 4, 4], [gl.num_warps(), 1], [1, 0])
    load_b: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 16, 16], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])

    row0 = gl.program_id(0) * BM
    col0 = gl.program_id(1) * BN
    rows_a = row0 + gl.arange(0, BM, layout=gl.SliceLayout(1, load_a))
    k_a = gl.arange(0, BK, layout=gl.SliceLayout(0, load_a))
    k_b = gl.arange(0, BK, layout=gl.SliceLayout(1, load_b))
    cols_b = col0 + gl.arange(0, BN, layout=gl.SliceLayout(0, load_b))

    smem_a = gl.allocate_shared_memory(a.dtype.element_ty, [BM, BK], shared)
    smem_b = gl.allocate_shared_memory(b.dtype.element_ty, [BK, BN], shared)
    acc = gl.zeros([BM, BN], gl.float32, acc_layout)
    for k in range(0, K, BK):
        mask_a = (rows_a < M)[:, None] & (k + k_a < K)[None, :]
        mask_b = (k + k_b < K)[:, None] & (cols_b < N)[None, :]
        tile_a = gl.load(a + rows_a[:, None] * stride_a + (k + k_a)[None, :], mask=mask_a, other=0.0)
        tile_b = gl.load(b + (k + k_b)[:, None] * stride_b + cols_b[None, :], mask=mask_b, other=0.0)
        smem_a.store(tile_a)
        smem_b.store(tile_b)
        operand_a = smem_a.load(gl.DotOperandLayout(0, acc_layout, 0))
        operand_b = smem_b.load(gl.DotOperandLayout(1, acc_layout, 0))
        acc = gl.dot_fma(operand_a, operand_b, acc)

    rows = row0 + gl.arange(0, BM, layout=gl.SliceLayout(1, acc_layout))
    cols = col0 + gl.arange(0, BN, layout=gl.SliceLayout(0, acc_layout))
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    gl.store(c + rows[:, None] * stride_c + cols[None, :], acc.to(c.dtype.element_ty), mask=mask)


def matmul(a, b, tile=(64, 64, 16)):
    (m, k), n = a.shape, b.shape[1]
    c = np.empty((m, n), a.dtype) if isinstance(a, np.ndarray) else a.new_empty((m, n))
    bm, bn, bk = tile
    grid = (hocket.cdiv(m, bm), hocket.cdiv(n, bn))
    matmul_kernel[grid](a, b, c, m, n, k, k, n, n, BM=bm, BN=bn, BK=bk, num_warps=4)
    return c


# %%
rng = np.random.default_rng(0)
a = rng.standard_normal((96, 80), dtype=np.float32)
b = rng.standard_normal((80, 112), dtype=np.float32)
np.testing.assert_allclose(matmul(a, b), a @ b, rtol=1e-4, atol=1e-4)
print("96x80 times 80x112 agrees with NumPy")

# %% [markdown]
# ## Lanes that hold the elements of C
#
# The picture shows the corner of the tile of C in `acc_layout`, on a GPU with 32 lanes per warp: the part of warp 0.
# Every color is a lane. Every lane holds a box of 4 x 4 elements in its registers r0 to r15. (The layout covers 64 x 32
# elements and the tile has 64 x 64, so each lane holds a second box, to the right of the drawn part, in r16 to r31.)
#
# To compute a box, a lane reads 4 elements of A and 4 of B for each index along K and executes 16 multiply-adds: two
# per element that it reads. Boxes of 1 x 1 would need two reads for one multiply-add.

# %%
acc_layout = gl.BlockedLayout([4, 4], [4, 8], [4, 1], [1, 0])
draw_layout(acc_layout, [64, 64])

# %% [markdown]
# This is the operand layout of A. The eight lanes whose boxes are side by side in C need the same four rows of A, so
# all eight hold a copy, for every k: `l0-7` are lanes 0 to 7.

# %%
draw_layout(gl.DotOperandLayout(0, acc_layout), [64, 16])

# %% [markdown]
# ## Banks of shared memory
#
# A shared layout defines the offset of an element, and so its **bank**: shared memory consists of interleaved banks of
# 4 bytes, 32 of them on sm_90a, and each bank serves one address at a time. Accesses of lanes to different addresses in
# one bank are serialized: a bank conflict. Below, each color is a bank. In the plain layout, rows of 32 float32 fill
# all banks once, and a column is a single color: if eight lanes read a column, one row each, the access is split into
# eight.

# %%
draw_layout(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# A **swizzle** permutes each row. Here it permutes vectors of 4 elements, so that 16-byte accesses stay possible:
# vector v of row r is stored at position v XOR r. Now the eight elements of any column are in eight banks, and the tile
# still takes 1024 bytes.

# %%
draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# **Padding** has the same effect by unused elements, here 4 after every 32: each row starts four banks later than the
# row before. It costs memory, but addresses are sums, without an XOR.

# %%
padded = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0])
draw_layout(padded, [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# ## Global memory traffic
#
# The larger the tile of C, the fewer times each element of A and B is loaded from global memory: `M*N*K*(1/BM + 1/BN)`
# loads in all.

# %%
tiles = [16, 32, 64, 128]
size = 4096
figure, axes = plt.subplots(figsize=(6, 2.6))
axes.bar([f"{t}x{t}" for t in tiles], [4 * size**3 * (2 / t) / 1e9 for t in tiles])
axes.set_ylabel("GB from global memory")
axes.set_title("4096^3 in float32, by tile of C")
plt.show()

# %% [markdown]
# ## Every target, every dtype, ragged edges

# %%
cases = [
    (
        rng.standard_normal((m, k), dtype=np.float32).astype(dtype),
        rng.standard_normal((k, n), dtype=np.float32).astype(dtype),
    )
    for m, k, n in ((64, 64, 64), (100, 70, 50))
    for dtype in (np.float32, np.float16, bfloat16)
]
rows = run_everywhere(
    "matmul",
    matmul,
    lambda a, b: a @ b,
    cases,
    shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=4.0,
)
