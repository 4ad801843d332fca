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
# # 3. Matrix product: tiles through shared memory
#
# Every element of A is needed by a whole row of C, every element of B by a whole column. A block that computes a tile
# of C loads each slice of A and B **once** into shared memory, where all its lanes can read it as often as they like.
#
# This notebook multiplies with fused multiply-adds on ordinary lanes (`gl.dot_fma`). Matrix units come later; what is
# shown here (layouts of operands, shared memory, barriers) stays.

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
# * `load_a`, `load_b`: how tiles come from global memory. Lanes run along the contiguous dimension.
# * `acc`: how the accumulator lies in registers. Each lane computes a small box of C.
# * `gl.DotOperandLayout(0, acc)`: what a lane needs of A for its box: the box's rows, along all of K.
#
# `gl.SwizzledSharedLayout(1, 1, 1, [1, 0])` is plain row-major shared memory. The compiler sees that a store to a
# buffer is followed by loads in other lanes, and places the barriers; the kernel below contains none.


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
# ## Who holds which element of C
#
# The picture shows the corner of the tile of C in `acc_layout`, on a GPU with 32 lanes per warp: the part of warp 0.
# Every colour is a lane, every lane owns a box of 4 x 4 elements in its registers r0 to r15. (The layout covers 64 x 32
# elements. The tile has 64 x 64, so that each lane owns a second box to the right of what is drawn, in r16 to r31.)
#
# To compute a box, a lane reads 4 elements of A and 4 of B per step of K and does 16 multiply-adds: each read feeds
# two. With boxes of 1 x 1 it would take two reads for one multiply-add.

# %%
acc_layout = gl.BlockedLayout([4, 4], [4, 8], [4, 1], [1, 0])
draw_layout(acc_layout, [64, 64])

# %% [markdown]
# And this is A as the dot wants it. The eight lanes whose boxes stand side by side in C need the same four rows of A,
# so all eight hold a copy, for every k: `l0-7` are lanes 0 to 7.

# %%
draw_layout(gl.DotOperandLayout(0, acc_layout), [64, 16])

# %% [markdown]
# ## Banks of shared memory
#
# A shared layout says at which offset an element lies, and thereby in which **bank**: shared memory is made of banks of
# 4 bytes side by side, 32 of them on sm_90a, and each serves one address at a time. Lanes that read different
# addresses in one bank wait for each other. Below, each colour is a bank. In the plain layout, rows of 32 float32 fill
# all banks once, and a column is a single colour: eight lanes that read a column, one row each, take eight turns.

# %%
draw_layout(gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# A **swizzle** permutes each row, in vectors of 4 elements here so that 16-byte accesses stay whole: vector v of row r
# goes to place v XOR r. Now the eight elements of any column lie in eight banks, at no cost: the tile still takes 1024
# bytes.

# %%
draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# **Padding** achieves this by leaving holes, here 4 elements after every 32: each row starts four banks later than the
# row before. It costs memory, but addresses stay sums, without an XOR.

# %%
padded = gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0])
draw_layout(padded, [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# ## How often global memory is read
#
# The larger the tile of C, the fewer times each element of A and B is loaded from global memory: `M*N*K*(1/BM + 1/BN)`
# elements in all.

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
