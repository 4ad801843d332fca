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
# # 1. Vector add: who holds what
#
# A GPU runs a kernel as a *grid* of *blocks*; a block is a few *warps*; a warp is 32 (NVIDIA) or 64 (AMD) *lanes* that
# step together. A Hocket kernel is written for one block, and works on **tiles**: `gl.arange(0, BLOCK)` is not a loop,
# it is one value with `BLOCK` elements, spread over the registers of the block's lanes.
#
# *How* it is spread is the tile's **layout**, and you choose it. This notebook shows what a layout is, why it matters,
# and runs the same kernel on every GPU that Hocket knows, emulated on this machine.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl
from hocket.pictures import draw_layout

# %% [markdown]
# ## The kernel
#
# `layout` says: each lane holds 4 neighbouring elements, each lane of a warp continues where the one before it stopped,
# and so does each warp. Four float32 are 16 bytes, the widest access a lane can make, so this tile is loaded in as few
# instructions as possible.
#
# `mask=i < n` keeps the last block inside the arrays: lanes whose mask is false neither read nor write.


# %%
@hocket.jit
def add_kernel(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    a = gl.load(x + i, mask=mask)
    b = gl.load(y + i, mask=mask)
    gl.store(out + i, a + b, mask=mask)


def add(x, y):
    out = x.copy() if isinstance(x, np.ndarray) else x.clone()
    n = x.size if isinstance(x, np.ndarray) else x.numel()
    add_kernel[(hocket.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out


# %% [markdown]
# NumPy arrays run in the emulator: the very code that the GPU would get, with its GPU instructions replaced by calls.
# PyTorch, CuPy and DLPack arrays on a GPU run there.

# %%
rng = np.random.default_rng(0)
x, y = rng.standard_normal((2, 98432), dtype=np.float32)
np.testing.assert_array_equal(add(x, y), x + y)
print("98432 elements agree with NumPy")

# %% [markdown]
# ## A picture of the layout
#
# Here is a smaller version of that layout: 2 elements per lane, 4 lanes per warp, 2 warps, on a tile of 32 elements.
# `draw_layout` asks the compiler's own layout code, so the picture shows what a kernel does. Each cell is an element,
# with the warp (w), the lane (l) and the register (r) that hold it.

# %%
draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32])

# %% [markdown]
# Each colour is a lane. Two neighbouring elements lie in one lane, so that one access fetches both; the eight lanes of
# the two warps together cover sixteen neighbours, so that the memory system sees one long stretch instead of many short
# ones. The tile has twice as many elements as that: from element 16 on the pattern repeats, in the next two registers.
#
# Here is the layout of `add_kernel` itself on a GPU with 32 lanes per warp. A tile with one dimension is drawn like
# text, line after line. Of the 1024 elements this is the first half, which the 128 lanes cover once.

# %%
draw_layout(gl.BlockedLayout([4], [32], [4], [0]), [1024])

# %% [markdown]
# ## What the compiler made of it
#
# The proof is in the instructions. Four float32 per lane became 128-bit accesses on every target: `v4` in NVIDIA's
# PTX, `dwordx4` in AMD's ISA.

# %%
for target, kind, needle in [("sm_90a", "ptx", "ld.global."), ("gfx950", "amdgcn", "global_load")]:
    compiled = add_kernel.warmup(gl.float32, gl.float32, gl.float32, 98432, BLOCK=1024, target=target)
    lines = [line.strip() for line in compiled.asm[kind].splitlines() if needle in line]
    print(target, *lines, sep="\n    ")

# %% [markdown]
# A compiled kernel has a picture, too: its facts, and its texts to unfold. This is the last one, for gfx950.

# %%
compiled

# %% [markdown]
# ## What the layout decides
#
# The same copy of 1024 float32 with 1, 2, 4 and 8 neighbouring elements per lane. Every variant moves the same bytes;
# what differs is how many load instructions each lane needs for them. Counted in the PTX:


# %%
@hocket.jit
def copy_kernel(x, out, BLOCK: gl.constexpr, PER_LANE: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([PER_LANE], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i))


loads = {}
for per_lane in (1, 2, 4, 8):
    compiled = copy_kernel.warmup(gl.float32, gl.float32, BLOCK=1024, PER_LANE=per_lane, target="sm_90a")
    loads[per_lane] = compiled.asm["ptx"].count("ld.global")

figure, axes = plt.subplots(figsize=(5, 2.2))
bars = axes.bar([str(per_lane) for per_lane in loads], list(loads.values()), color="tab:blue")
axes.bar_label(bars)
axes.margins(y=0.2)
axes.set_xlabel("neighbouring elements per lane")
axes.set_ylabel("load instructions")
axes.set_title("1024 float32 on 128 lanes")
plt.show()

# %% [markdown]
# Eight elements per lane need no fewer instructions than four: 128 bits is the widest access. (Nor are they better for
# the memory system: the two halves of a lane's eight are fetched by separate instructions, 32 bytes apart between
# neighbouring lanes.)
#
# ## Sizes that do not fit, and other dtypes
#
# 98432 is not a multiple of 1024, and 100003 is a prime number. With `n` odd the mask may change within a lane's four
# elements, so that accesses get narrower; the result stays right. On every target:

# %%
dtypes = (np.float32, np.float16, bfloat16)
cases = [
    tuple(rng.standard_normal((2, n), dtype=np.float32).astype(dtype)) for n in (98432, 100003) for dtype in dtypes
]
rows = run_everywhere("vector_add", add, lambda a, b: a + b, cases, shape=lambda a, b: str(a.size), tolerance_ulp=1.0)

# %% [markdown]
# ## What an error looks like
#
# The emulator checks every access against the arrays that were passed. Forget the mask, and instead of a crash or a
# wrong number there is a message that names the line, the lane and the array.


# %%
@hocket.jit
def unmasked(x, out, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [gl.num_lanes()], [gl.num_warps()], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i))


try:
    unmasked[(1,)](np.zeros(1000, np.float32), np.zeros(1024, np.float32), BLOCK=1024)
except hocket.EmulatorError as error:
    print(error)
