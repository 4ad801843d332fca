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
# # 1. Vector add: which lane holds which element
#
# A GPU runs a kernel as a *grid* of *blocks*. A block consists of *warps*, and a warp of 32 (NVIDIA) or 64 (AMD)
# *lanes* that execute the same instructions. A Hocket kernel is written for one block and works on **tiles**:
# `gl.arange(0, BLOCK)` is not a loop but one value with `BLOCK` elements, distributed over the registers of the block's
# lanes.
#
# The tile's **layout** defines this distribution, and you choose it. This notebook shows what a layout is and why it
# matters, and runs the same kernel on every GPU that Hocket supports, emulated on this machine.

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
# In `layout`, each lane holds 4 consecutive elements, neighboring lanes of a warp hold neighboring groups of 4
# elements, and neighboring warps hold neighboring parts of the tile. Four float32 are 16 bytes, the widest access of a
# lane, so the tile is loaded in as few instructions as possible.
#
# `mask=i < n` keeps the last block inside the arrays: elements whose mask is false are neither read nor written.


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
# With NumPy arrays, the kernel runs on the emulator: the code is the one compiled for the GPU, with the GPU
# instructions replaced by calls. With PyTorch, CuPy or DLPack arrays on a GPU, it runs on that GPU.

# %%
rng = np.random.default_rng(0)
x, y = rng.standard_normal((2, 98432), dtype=np.float32)
np.testing.assert_array_equal(add(x, y), x + y)
print("98432 elements agree with NumPy")

# %% [markdown]
# ## A picture of the layout
#
# Here is a smaller version of that layout: 2 elements per lane, 4 lanes per warp, 2 warps, on a tile of 32 elements.
# `draw_layout` uses the compiler's layout code, so the picture shows what a kernel does. Each cell is an element,
# labeled with the warp (w), the lane (l) and the register (r) that hold it.

# %%
draw_layout(gl.BlockedLayout([2], [4], [2], [0]), [32])

# %% [markdown]
# Each color is a lane. A lane holds two consecutive elements, so that one access loads both. The eight lanes of the two
# warps together cover sixteen consecutive elements, so that their accesses are coalesced. The tile has twice that
# number of elements: from element 16 on, the pattern repeats in the next two registers.
#
# Here is the layout of `add_kernel` on a GPU with 32 lanes per warp. A one-dimensional tile is drawn like text, line
# after line. The picture shows the first half of the 1024 elements, which the 128 lanes cover once.

# %%
draw_layout(gl.BlockedLayout([4], [32], [4], [0]), [1024])

# %% [markdown]
# ## The compiled code
#
# The instructions show that four float32 per lane are loaded by one 128-bit access on every target: `v4` in NVIDIA's
# PTX and `dwordx4` in AMD's ISA.

# %%
for target, kind, needle in [("sm_90a", "ptx", "ld.global."), ("gfx950", "amdgcn", "global_load")]:
    compiled = add_kernel.warmup(gl.float32, gl.float32, gl.float32, 98432, BLOCK=1024, target=target)
    lines = [line.strip() for line in compiled.asm[kind].splitlines() if needle in line]
    print(target, *lines, sep="\n    ")

# %% [markdown]
# Jupyter shows the properties of a compiled kernel, and sections with its IR and assembly that can be unfolded. The
# kernel below is the last one compiled, for gfx950.

# %%
compiled

# %% [markdown]
# ## The layout determines the number of instructions
#
# The next kernel copies 1024 float32 with 1, 2, 4 and 8 consecutive elements per lane. Every variant copies the same
# bytes; the number of load instructions per lane differs. The numbers are counted in the PTX:


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
axes.set_xlabel("consecutive elements per lane")
axes.set_ylabel("load instructions")
axes.set_title("1024 float32 on 128 lanes")
plt.show()

# %% [markdown]
# Eight elements per lane need the same number of instructions as four, because 128 bits is the widest access. (They are
# also worse for coalescing: each instruction then loads half of a lane's elements, so that the accesses of adjacent
# lanes are 32 bytes apart.)
#
# ## Sizes that are not a multiple of the block, and other dtypes
#
# 98432 is not a multiple of 1024, and 100003 is a prime number. If `n` is odd, the mask may differ within a lane's four
# elements, so accesses are narrower, with the same result. The next cell runs the kernel with these sizes on every
# target:

# %%
dtypes = (np.float32, np.float16, bfloat16)
cases = [
    tuple(rng.standard_normal((2, n), dtype=np.float32).astype(dtype)) for n in (98432, 100003) for dtype in dtypes
]
rows = run_everywhere("vector_add", add, lambda a, b: a + b, cases, shape=lambda a, b: str(a.size), tolerance_ulp=1.0)

# %% [markdown]
# ## An error message
#
# The emulator checks every access against the arrays that were passed. Without the mask, the launch raises an error
# that names the line, the lane and the array; on a GPU it might crash or compute wrong numbers.


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
