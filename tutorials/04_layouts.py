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
# # 4. Layouts: where each element is stored
#
# A layout maps each element to a register of a lane of a warp, or to an offset in shared memory. Layouts determine the
# width of memory accesses, the bank conflicts, and the data that lanes exchange. This notebook draws each kind of
# layout, shows the cost of a conversion from one to another, and removes bank conflicts. Change the numbers in any cell
# and run it.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl
from hocket.language import amd
from hocket.pictures import draw_bank_conflicts, draw_layout

# %% [markdown]
# ## Blocked layouts
#
# `BlockedLayout(size_per_thread, threads_per_warp, warps_per_cta, order)` is three nested boxes: a lane's registers,
# the lanes of a warp, the warps of the block. `order` lists the dimensions, fastest first. Here a lane holds two
# adjacent elements of a row, a warp of eight lanes holds a box of 4 x 4, and the two warps are side by side.

# %%
blocked = gl.BlockedLayout([1, 2], [4, 2], [1, 2], [1, 0])
draw_layout(blocked, [8, 8])

# %% [markdown]
# The tile is larger than 4 x 8, so the layout repeats below, in further registers. If the tile were smaller, several
# lanes would hold the same element. Here is the layout as text, `T<thread>:<register>`:

# %%
print(blocked.format_tensor_view([4, 8]))

# %% [markdown]
# ## Layouts derived from other layouts
#
# A reduction along columns leaves one element per row. Its layout is `SliceLayout(1, parent)`: every lane that holds a
# part of a row holds the row's result. `x[:, None]` also takes a tensor in this layout, so `gl.arange` makes row
# indices in it, and `rows[:, None] + columns[None, :]` exchanges no data.

# %%
draw_layout(gl.SliceLayout(1, blocked), [8])

# %% [markdown]
# MMA instructions define layouts. This is the accumulator of one warp's `mma.sync` on NVIDIA GPUs: a lane holds two
# adjacent elements of a row of eight elements, and two elements of the row that is 8 rows below.

# %%
draw_layout(gl.NVMMADistributedLayout([2, 0], [1, 1], [16, 8]), [16, 8])

# %% [markdown]
# This is the result of an MFMA of 16 x 16 on AMD GPUs: each of 64 lanes holds four elements of a column, or of a row
# with `transposed=True`. `DotOperandLayout(0 or 1, accumulator, k_width)` is the layout of the operands.

# %%
draw_layout(amd.AMDMFMALayout(4, [16, 16, 32], transposed=True, warps_per_cta=[1, 1]), [16, 16])

# %% [markdown]
# ## Linear layouts
#
# The compiler represents every layout as a table: each *bit* of the register, lane and warp index contributes a
# coordinate vector, and the vectors of several bits combine by XOR. `DistributedLinearLayout` is this table. The
# following table equals `blocked` from above:

# %%
table = gl.DistributedLinearLayout(
    reg_bases=[[0, 1], [4, 0]],
    lane_bases=[[0, 2], [1, 0], [2, 0]],
    warp_bases=[[0, 4]],
    block_bases=[],
    shape=[8, 8],
)
assert table.format_tensor_view([8, 8]) == blocked.format_tensor_view([8, 8])

# %% [markdown]
# A vector with entries in two dimensions cannot be written as a blocked layout: here the columns that a lane holds
# depend on the row, so that different lanes hold the elements of a column. Swizzled layouts have such tables.

# %%
draw_layout(gl.DistributedLinearLayout([[0, 1]], [[0, 2], [1, 2], [2, 4]], [[0, 4]], [], [4, 8]), [4, 8])

# %% [markdown]
# ## The cost of a conversion
#
# `gl.convert_layout` sends each element to the lane that holds it in the new layout. The compiler compares the two
# tables. If only bits of the register index differ, registers are renamed. If bits of the lane index differ, the
# elements are exchanged by shuffles, or through shared memory where that costs less. If bits of the warp index differ,
# the exchange needs shared memory and a barrier. Here are three conversions of one tile:


# %%
@hocket.jit
def convert_kernel(x, out, FROM: gl.constexpr, TO: gl.constexpr):
    rows = gl.arange(0, 64, gl.SliceLayout(1, FROM))[:, None]
    tile = gl.load(x + rows * 64 + gl.arange(0, 64, gl.SliceLayout(0, FROM))[None, :])
    rows = gl.arange(0, 64, gl.SliceLayout(1, TO))[:, None]
    gl.store(out + rows * 64 + gl.arange(0, 64, gl.SliceLayout(0, TO))[None, :], gl.convert_layout(tile, TO))


start = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
start_lanes, start_warps = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], [[4, 0], [8, 0]]
other_registers = [[0, 32], [16, 0], [32, 0], [0, 1], [0, 2]]  # start has [0, 1], [0, 2], [0, 32], [16, 0], [32, 0]
conversions = {
    "other\nregisters": gl.DistributedLinearLayout(other_registers, start_lanes, start_warps, [], [64, 64]),
    "other lanes\nof the warp": gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0]),
    "other\nwarps": gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1]),
}
KINDS = {
    "shuffles": r"shfl\.sync",
    "accesses of shared memory": r"\b(ld|st)\.shared",
    "barriers": r"bar(rier)?\S*\.sync",
}
counted = {}
for name, layout in conversions.items():
    compiled = convert_kernel.warmup(gl.float32, gl.float32, FROM=start, TO=layout, target="sm_90a")
    counted[name] = [len(re.findall(pattern, compiled.asm["ptx"])) for pattern in KINDS.values()]

figure, axes = plt.subplots(figsize=(6.5, 2.6))
for number, kind in enumerate(KINDS):
    places = [place + 0.27 * (number - 1) for place in range(len(counted))]
    axes.bar_label(axes.bar(places, [counts[number] for counts in counted.values()], 0.25, label=kind))
axes.set_xticks(range(len(counted)), list(counted))
axes.margins(y=0.2)
axes.set_ylabel("PTX instructions of a lane")
axes.legend(fontsize=8)
axes.set_title("conversions of 64 x 64 float32 on 4 warps, sm_90a")
plt.show()

# %% [markdown]
# `gl.convert_layout(x, layout, assert_trivial=True)` is a compile error if lanes would have to exchange data.
#
# ## Shared layouts
#
# Shared memory consists of **banks** of 4 bytes. Each bank serves one address at a time, so elements that lanes access
# together should be in different banks. Each color below is a bank. Plain rows of 32 float32 fill all 32 banks, and a
# column is one bank.

# %%
plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
draw_layout(plain, [8, 32], dtype=gl.float32, target="sm_90a")

# %% [markdown]
# `SwizzledSharedLayout(vec, per_phase, max_phase, order)` stores vector v of a row at position v XOR ((row / per_phase)
# mod max_phase). `PaddedSharedLayout` leaves elements unused, so that rows begin in different banks.

# %%
draw_layout(gl.SwizzledSharedLayout(4, 1, 8, [1, 0]), [8, 32], dtype=gl.float32, target="sm_90a")

# %%
draw_layout(gl.PaddedSharedLayout.with_identity_for([[32, 4]], [8, 32], [1, 0]), [8, 32], target="sm_90a")

# %% [markdown]
# `NVMMASharedLayout` is the layout that TMA writes and Hopper's wgmma reads: also a swizzle, of 16-byte vectors within
# rows of 128 bytes.

# %%
nvmma = gl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2)
draw_layout(nvmma, [8, 64], dtype=gl.float16, target="sm_90a")

# %% [markdown]
# ## Bank conflicts, before and after
#
# A transpose reads rows and writes rows of global memory, so it must access columns of shared memory: the tile is
# stored there in the layout of the loads, and loaded in the layout in which the transposed tile is written.


# %%
@hocket.jit
def transpose_kernel(x, out, rows, columns, TILE: gl.constexpr, SHARED: gl.constexpr):
    lanes: gl.constexpr = gl.num_lanes()
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 8, 8], [gl.num_warps(), 1], [1, 0])
    down = gl.arange(0, TILE, gl.SliceLayout(1, layout))
    along = gl.arange(0, TILE, gl.SliceLayout(0, layout))
    row0, column0 = gl.program_id(0) * TILE, gl.program_id(1) * TILE

    inside = (row0 + down < rows)[:, None] & (column0 + along < columns)[None, :]
    tile = gl.load(x + (row0 + down)[:, None] * columns + (column0 + along)[None, :], mask=inside, other=0)
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [TILE, TILE], SHARED)
    smem.store(tile)
    inside = (column0 + down < columns)[:, None] & (row0 + along < rows)[None, :]
    target = out + (column0 + down)[:, None] * rows + (row0 + along)[None, :]
    gl.store(target, smem.permute([1, 0]).load(layout), mask=inside)


def transpose(x, shared):
    rows, columns = x.shape
    out = np.empty((columns, rows), x.dtype) if isinstance(x, np.ndarray) else x.new_empty((columns, rows))
    grid = (hocket.cdiv(rows, 64), hocket.cdiv(columns, 64))
    transpose_kernel[grid](x, out, rows, columns, TILE=64, SHARED=shared, num_warps=4)
    return out


rng = np.random.default_rng(0)
x = rng.standard_normal((100, 130), dtype=np.float32)
np.testing.assert_array_equal(transpose(x, plain), x.T)

# %% [markdown]
# A lane loads four elements of a column. In the plain layout, these four elements, and the elements of the other lanes
# that are served in the same wavefront, are all in a few banks. The picture shows the accesses of such a group of
# lanes; a framed column is a bank with a conflict.

# %%
column_wise = gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1])  # the transposed tile's layout, transposed
draw_bank_conflicts(column_wise, plain, [64, 64], gl.float32, "sm_90a")

# %% [markdown]
# Padding by one element puts the four elements of a lane, and the rows of adjacent lanes, into different banks.

# %%
padded = gl.PaddedSharedLayout.with_identity_for([[64, 1]], [64, 64], [1, 0])
draw_bank_conflicts(column_wise, padded, [64, 64], gl.float32, "sm_90a")

# %% [markdown]
# `gl.bank_conflicts` computes the additional wavefronts of a warp due to conflicts from the layouts, for loads and for
# stores. Try other layouts.

# %%
candidates = {
    "plain": plain,
    "padded by 1": padded,
    "padded by 4": gl.PaddedSharedLayout.with_identity_for([[64, 4]], [64, 64], [1, 0]),
    "swizzled by 1": gl.SwizzledSharedLayout(1, 1, 32, [1, 0]),
    "swizzled by 4": gl.SwizzledSharedLayout(4, 1, 16, [1, 0]),
    "swizzled by 4,\nevery 4 rows": gl.SwizzledSharedLayout(4, 4, 16, [1, 0]),
}
row_wise = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
conflicts = {}
for name, shared in candidates.items():
    memory = gl.shared_memory_descriptor_type(gl.float32, [64, 64], shared)
    stored, loaded = (gl.distributed_type(gl.float32, [64, 64], layout) for layout in (row_wise, column_wise))
    conflicts[name] = (
        gl.bank_conflicts(stored, memory, "store", target="sm_90a"),
        gl.bank_conflicts(loaded, memory, "load", target="sm_90a"),
    )
figure, axes = plt.subplots(figsize=(8, 2.8))
for number, access in enumerate(("storing rows", "loading columns")):
    places = [place + 0.4 * (number - 0.5) for place in range(len(conflicts))]
    axes.bar_label(axes.bar(places, [counts[number] for counts in conflicts.values()], 0.38, label=access))
axes.set_xticks(range(len(conflicts)), list(conflicts), fontsize=8)
axes.margins(y=0.2)
axes.set_ylabel("extra wavefronts of a warp")
axes.legend(fontsize=8)
axes.set_title("transposing 64 x 64 float32, sm_90a")
plt.show()

# %% [markdown]
# Three layouts have no conflicts, and the last one is the best of them. With padding by one element, or a swizzle of
# single elements, no 16 aligned bytes of a row stay contiguous, so a lane stores its four elements one by one. The last
# layout keeps them contiguous. The emulator also counts wavefronts, from the addresses of the accesses:

# %%
for name in ("plain", "padded by 1", "swizzled by 4,\nevery 4 rows"):
    with hocket.emulator.target("sm_90a"), hocket.emulator.count_bank_conflicts() as counts:
        transpose(x, candidates[name])
    print(name.replace("\n", " "), counts, "", sep="\n")

# %% [markdown]
# ## Every target, every dtype, ragged edges

# %%
cases = [
    (rng.standard_normal(shape, dtype=np.float32).astype(dtype),)
    for shape in ((128, 128), (100, 70))
    for dtype in (np.float32, np.float16, bfloat16)
]
best = candidates["swizzled by 4,\nevery 4 rows"]
rows = run_everywhere(
    "transpose",
    lambda x: transpose(x, best),
    lambda x: x.T,
    cases,
    shape=lambda x: "x".join(map(str, x.shape)),
    tolerance_ulp=0.0,
)
