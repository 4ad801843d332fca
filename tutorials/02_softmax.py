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
# # 2. Softmax: reductions, and why fusing pays
#
# $$\mathrm{softmax}(x)_j = \frac{e^{x_j - m}}{\sum_k e^{x_k - m}}, \quad m = \max_k x_k$$
#
# Written with array operations, softmax reads and writes the matrix several times: for the maximum, the difference, the
# exponential, the sum and the quotient. A block that keeps a whole row in its registers reads every element once and
# writes every element once, which is the minimum.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl
from hocket.pictures import draw_layout

# %% [markdown]
# ## One row per program
#
# The size of a tile is a power of two, so a row of 781 elements is loaded into a tile of 1024. The mask excludes the
# other elements, and `other=-inf` gives them a value that changes neither the maximum nor the sum.
#
# `gl.max(x, axis=0)` reduces the tile in three steps: within each lane's registers, between the lanes of a warp
# (shuffles), and between warps (through shared memory). The compiler inserts the barriers that the last step needs.
# The kernel computes in float32 for every dtype in memory.


# %%
@hocket.jit
def softmax_kernel(x, out, stride, cols, BLOCK: gl.constexpr, VECTOR: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(VECTOR)
    row = gl.program_id(0)
    j = gl.arange(0, BLOCK, layout=layout)
    mask = j < cols
    values = gl.load(x + row * stride + j, mask=mask, other=-float("inf")).to(gl.float32)
    numerator = gl.exp(values - gl.max(values, axis=0))
    result = numerator / gl.sum(numerator, axis=0)
    gl.store(out + row * stride + j, result.to(out.dtype.element_ty), mask=mask)


def softmax(x):
    rows, cols = x.shape
    out = x.copy() if isinstance(x, np.ndarray) else x.clone()
    itemsize = x.itemsize if isinstance(x, np.ndarray) else x.element_size()
    vector = 16 // itemsize  # 16 bytes per lane and access
    block = max(hocket.next_power_of_2(cols), 4 * 64 * vector)
    softmax_kernel[(rows,)](x, out, cols, cols, BLOCK=block, VECTOR=vector, num_warps=4)
    return out


# %%
def reference(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


rng = np.random.default_rng(0)
x = rng.standard_normal((182, 781), dtype=np.float32)
np.testing.assert_allclose(softmax(x), reference(x), rtol=1e-5, atol=1e-7)
print("softmax of 182 rows of 781 agrees with NumPy; largest row sum error:", abs(softmax(x).sum(axis=1) - 1).max())

# %% [markdown]
# ## Lanes that hold the result of a reduction
#
# Several short rows are better processed together, as a two-dimensional tile. Here is a small one: 8 rows of 16
# elements, on 2 warps of 16 lanes.

# %%
rows_layout = gl.BlockedLayout([1, 2], [4, 4], [2, 1], [1, 0])
draw_layout(rows_layout, [8, 16])

# %% [markdown]
# Every row has four colors: four lanes of one warp hold it, each in four registers. A maximum along the row combines
# the registers of each lane and shuffles between the four lanes. No row crosses the black line between the warps, so
# shared memory and its barrier are not needed. The layout determines which of the three steps are needed.
#
# `gl.max(tile, axis=1)` has one element per row, in the layout `gl.SliceLayout(1, rows_layout)`: the tile's layout
# without its dimension 1.

# %%
draw_layout(gl.SliceLayout(1, rows_layout), [8])

# %% [markdown]
# Each of the four lanes that hold a part of a row also holds the result of that row: `l0-3` are lanes 0 to 3. `tile -
# gl.max(tile, axis=1)[:, None]` needs the maximum in these lanes, so the subtraction exchanges no data.
#
# ## Memory traffic, counted
#
# The picture compares the bytes that each implementation of softmax reads and writes, for a 16384 x 4096 matrix in
# bfloat16. The bar of the fused kernel is also the lower bound: every softmax reads its input and writes its output.

# %%
elements = 16384 * 4096
steps = {
    "max": 2 * elements,
    "x - max": 4 * elements,
    "exp": 4 * elements,
    "sum": 2 * elements,
    "divide": 4 * elements,
}
figure, axes = plt.subplots(figsize=(8, 2.4))
left = 0.0
for label, moved in steps.items():
    axes.barh("step by step", moved / 1e9, left=left, label=label)
    left += moved / 1e9
axes.barh("fused", 4 * elements / 1e9, color="black", label="read + write once")
axes.set_xlabel("GB moved")
axes.legend(ncols=3, fontsize=8)
axes.set_title("Softmax, 16384 x 4096 bfloat16")
plt.show()

# %% [markdown]
# ## Barriers that the compiler inserts
#
# A reduction between warps uses shared memory: each warp writes its partial result, all warps wait at a barrier, and
# all read. The source of the kernel above contains no barrier. The compiler inserts a barrier unless its analysis
# proves that the barrier is unnecessary. The next cell counts the barriers in the PTX.

# %%
compiled = softmax_kernel.warmup(gl.float32, gl.float32, 781, 781, BLOCK=1024, VECTOR=4, target="sm_90a")
ptx = compiled.asm["ptx"].splitlines()
print("reductions:", sum(" = hk.reduce " in line for line in compiled.asm["hk"].splitlines()))
print("barriers:", sum("bar.sync" in line or "barrier.cta" in line or "barrier.sync" in line for line in ptx))
print("shuffles:", sum("shfl.sync" in line for line in ptx))

# %% [markdown]
# ## Every target, every dtype, odd sizes

# %%
cases = [
    (rng.standard_normal(shape, dtype=np.float32).astype(dtype),)
    for shape in ((64, 781), (32, 1024), (16, 3000))
    for dtype in (np.float32, np.float16, bfloat16)
]
rows = run_everywhere(
    "softmax", softmax, reference, cases, shape=lambda x: "x".join(map(str, x.shape)), tolerance_ulp=4.0
)
