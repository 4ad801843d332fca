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
# # 11. Warp pipelining: two groups of warps, one stage apart
#
# The GEMM of notebook 10 copies the next tiles during the MFMAs of the current ones. But each warp reads its operands
# from LDS before its MFMAs, and the matrix cores are idle during these reads. On CDNA, each SIMD has two of a block's
# eight waves (*warps* in Hocket). If one of the two is always one stage behind the other, one reads LDS while the other
# executes MFMAs.
#
# This notebook writes such a kernel, introduces the two typical mistakes, and explains the assembly. It needs no AMD
# GPU. Notebook 12 does the same on Hopper.

# %%
import re
from itertools import groupby

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import language as gl
from hocket.devices import EmulatedDevice
from hocket.kernels._matmul.layouts_cdna import direct_copy_layout
from hocket.language import amd

# %% [markdown]
# ## Two groups, one stage apart
#
# The loop body is divided into *stages*, and all eight warps execute a barrier before each stage. Only warps 4-7
# execute an additional barrier before the loop, which delays them by one stage: they pass it when warps 0-3 reach the
# barrier after their first stage. From then on both groups reach every barrier together, but in different stages. After
# the loop, warps 0-3 execute an additional barrier, so that both groups continue together.


# %%
def draw_stages(stages, iterations, lag=1):
    """Draws the stage of each group between two barriers."""
    colors = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(name.split()[0] for name in stages))}
    _, axes = plt.subplots(figsize=(11, 1.8))
    for row, (group, delay) in enumerate((("warps 0-3", 0), ("warps 4-7", lag))):
        axes.text(-0.1, row, group, ha="right", va="center")
        for slot in range(iterations * len(stages)):
            name = stages[slot % len(stages)]
            axes.barh(row, 1, left=slot + delay, height=0.7, color=colors[name.split()[0]], edgecolor="white")
            label = f"{name}\nof step {slot // len(stages)}"
            axes.text(slot + delay + 0.5, row, label, ha="center", va="center", fontsize=7)
    for barrier in range(1, iterations * len(stages) + lag):
        axes.axvline(barrier, color="black", linewidth=0.6, linestyle=":")
    axes.set(xlim=(0, iterations * len(stages) + lag), yticks=[], xticks=[], xlabel="barriers ->")
    axes.invert_yaxis()
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    plt.show()


draw_stages(["load", "compute"], 4)

# %% [markdown]
# In every column, one group loads and the other computes: memory and matrix cores are busy at the same time. All warps
# execute the same code and compute the same results as without stages. Only the times differ, and so the accesses of
# memory that may be concurrent: mostly of LDS, but also of global memory, if one stage loads what another one stores.
#
# ## The kernel
#
# `with gl.warp_pipeline_stage(...)` makes a stage of a warp pipeline. The tiles of A and B are copied directly to LDS,
# to a ring buffer (`gl.RingBuffer`, see notebooks 6 and 10) of three stages: one is being read, the copy to the next is
# complete, the copy to the third is in flight. Only the copy needs a wait, so the load stage uses `ring.slot(step)`,
# which returns the buffers of a tile without waiting.
#
# Compute stages have low priority: if both warps of a SIMD can issue, the warp that loads issues first, because its
# instructions have a long latency.

# %%
TILE, BLOCK_K = 128, 64
ACC = amd.AMDMFMALayout(4, [32, 32, 16], transposed=True, warps_per_cta=[2, 4])
OPERAND_A, OPERAND_B = gl.DotOperandLayout(0, ACC, 8), gl.DotOperandLayout(1, ACC, 8)
SHARED_A = amd.cdna4.compute_efficient_padded_shared_layout(OPERAND_A, [TILE, BLOCK_K], gl.float16, True)
SHARED_B = amd.cdna4.compute_efficient_padded_shared_layout(OPERAND_B, [BLOCK_K, TILE], gl.float16, False)
COPY_A, COPY_B = direct_copy_layout(SHARED_A, 16, 8), direct_copy_layout(SHARED_B, 16, 8)


@hocket.aggregate
class Operands:
    """Pointers to the first k-tiles of A and B, and the offsets of a k-tile's elements."""

    a: gl.tensor
    b: gl.tensor
    stride_b: gl.tensor
    offsets_a: gl.tensor
    offsets_b: gl.tensor

    @hocket.jit
    def start_copies(self, ring, step):
        slot = ring.acquire(step)
        amd.cdna4.async_copy.buffer_load_to_shared(slot.buffers[0], self.a + step * BLOCK_K, self.offsets_a)
        b = self.b + step * BLOCK_K * self.stride_b
        amd.cdna4.async_copy.buffer_load_to_shared(slot.buffers[1], b, self.offsets_b)
        ring.commit()


@hocket.jit
def operands_of(a, b, stride_a, stride_b):
    rows = gl.arange(0, TILE, layout=gl.SliceLayout(1, COPY_A))
    k_a = gl.arange(0, BLOCK_K, layout=gl.SliceLayout(0, COPY_A))
    k_b = gl.arange(0, BLOCK_K, layout=gl.SliceLayout(1, COPY_B))
    columns = gl.arange(0, TILE, layout=gl.SliceLayout(0, COPY_B))
    offsets_a = rows[:, None] * stride_a + k_a[None, :]
    return Operands(a, b, stride_b, offsets_a, k_b[:, None] * stride_b + columns[None, :])


@hocket.jit
def leapfrog(a, b, c, K, stride_a, stride_b, stride_c, WAIT: gl.constexpr):
    operands = operands_of(a, b, stride_a, stride_b)
    a_tiles = gl.allocate_shared_memory(a.dtype.element_ty, [3, TILE, BLOCK_K], SHARED_A)
    b_tiles = gl.allocate_shared_memory(b.dtype.element_ty, [3, BLOCK_K, TILE], SHARED_B)
    ring = gl.RingBuffer((a_tiles, b_tiles), fill="groups", consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    acc = gl.zeros([TILE, TILE], gl.float32, ACC)
    for step in gl.static_range(2):  # the copies to the first two stages of the ring buffer start before the loop
        operands.start_copies(producer, step)
    steps = K // BLOCK_K
    consumer.wait(0, outstanding=1)
    for step in range(steps - 2):
        if WAIT == "at the top":
            consumer.wait(step, outstanding=1)
        with gl.warp_pipeline_stage("load", priority=1):
            slot = ring.slot(step)
            tile_a = slot.buffers[0].load(OPERAND_A)
            tile_b = slot.buffers[1].load(OPERAND_B)
            operands.start_copies(producer, step + 2)
        if WAIT == "between the stages":
            consumer.wait(step + 1, outstanding=1)
        with gl.warp_pipeline_stage("compute", priority=0):
            acc = amd.cdna4.mfma(tile_a, tile_b, acc)
    for last in gl.static_range(2):  # the last two tiles
        slot = consumer.wait(steps - 2 + last, outstanding=1 - last)
        acc = amd.cdna4.mfma(slot.buffers[0].load(OPERAND_A), slot.buffers[1].load(OPERAND_B), acc)
    rows = gl.arange(0, TILE, layout=gl.SliceLayout(1, ACC))
    columns = gl.arange(0, TILE, layout=gl.SliceLayout(0, ACC))
    amd.cdna4.buffer_store(acc, c, rows[:, None] * stride_c + columns[None, :])


def run(a, b, wait="between the stages"):
    c = np.empty((TILE, TILE), np.float32)
    leapfrog[(1,)](a, b, c, a.shape[1], a.shape[1], b.shape[1], TILE, WAIT=wait, num_warps=8)
    return c


# %% [markdown]
# ## A wait that is too late
#
# In a kernel without stages, the wait for the copies may be directly before the reads. In a warp pipeline, such a wait
# is an error:

# %%
rng = np.random.default_rng(0)
a = rng.standard_normal((TILE, 512)).astype(np.float16)
b = rng.standard_normal((512, TILE)).astype(np.float16)
with hocket.emulator.target("gfx950"):
    try:
        run(a, b, wait="at the top")
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# A wait completes the warp's *own* copies; a barrier after it makes them visible to the others. But each warp reads
# tiles that all eight warps have copied, and warps 4-7 reach their wait one stage after warps 0-3: when warps 0-3 read,
# warps 4-7 may not have waited yet. So at least one whole stage must separate the wait from the reads.
#
# The solution is to wait before the *preceding* compute stage, for tiles that are read one iteration later. The earlier
# wait costs no time, because the ring buffer holds enough tiles.

# %%
with hocket.emulator.target("gfx950"):
    pipelined = run(a, b)
np.testing.assert_allclose(pipelined, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-4, atol=1e-4)

# %% [markdown]
# The emulator has a virtual clock for each warp. Its clocks are a model, not those of hardware, but they show which
# warp waits for which: both groups alternate as in the drawing above, and matrix cores are busy while the other group
# loads.

# %%
with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
    run(a, b)
stages = [piece for piece in recorded.slices if piece.kind == "stage"]
hocket.emulator.timeline(recorded, begin=min(stage.begin for stage in stages), end=max(stage.end for stage in stages))

# %%
print(recorded.summary())

# %% [markdown]
# ## Adjacent stages that use the same buffer
#
# The next loop has one buffer: one stage reads it, the following stage overwrites it.


# %%
@hocket.jit
def turned_tiles(x, out, steps, BUFFERS: gl.constexpr):
    by_rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [8, 1], [1, 0])
    by_columns: gl.constexpr = gl.BlockedLayout([8, 1], [8, 8], [1, 8], [0, 1])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, by_rows))[:, None]
    offsets = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, by_rows))[None, :]
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [BUFFERS, 64, 64], plain)
    total = gl.zeros([64, 64], x.dtype.element_ty, by_columns)
    ahead: gl.constexpr = max(BUFFERS - 1, 1)
    for i in gl.static_range(ahead):
        smem.index(i).store(gl.load(x + i * 64 * 64 + offsets))
    for i in range(steps):
        with gl.warp_pipeline_stage("read"):
            total += smem.index(i % BUFFERS).load(by_columns)
        with gl.warp_pipeline_stage("write"):
            smem.index((i + ahead) % BUFFERS).store(gl.load(x + (i + ahead) * 64 * 64 + offsets))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, by_columns))[None, :]
    gl.store(out + gl.arange(0, 64, layout=gl.SliceLayout(1, by_columns))[:, None] * 64 + columns, total)


x = rng.standard_normal((8, 64, 64)).astype(np.float32)
out = np.empty((64, 64), np.float32)
with hocket.emulator.target("gfx942"):
    try:
        turned_tiles[(1,)](x, out, 6, BUFFERS=1, num_warps=8)
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# While warps 4-7 are still reading the buffer, warps 0-3 already write to it: they are in the same column of the
# picture, and no barrier orders accesses in one column. Two stages that use the same memory need another stage between
# them. There are two solutions:
#
# * *more buffers*. With three, a tile is written two iterations before it is read, to a buffer that was last read in
#   the previous iteration.
# * *more stages*, such as a compute stage between the two. `hocket.kernels.matmul` uses this on CDNA3, where only one
#   buffer fits in LDS: see below.
#
# The compiler proves that two buffers differ (as `i % 3` and `(i + 2) % 3` do), and determines which barriers must also
# wait for LDS. It rejects pipelines that it cannot prove correct.

# %%
with hocket.emulator.target("gfx942"):
    turned_tiles[(1,)](x, out, 6, BUFFERS=3, num_warps=8)
np.testing.assert_allclose(out, x[:6].sum(axis=0), rtol=1e-5, atol=1e-5)

# %% [markdown]
# ## The assembly of one iteration
#
# This is the loop of `leapfrog`, without the instructions that compute addresses. Equal instructions in a row are one
# line.

# %%
compiled = leapfrog.warmup(
    gl.float16, gl.float16, gl.float32, 4096, 4096, 4096, 4096, "between the stages", target="gfx950", num_warps=8
)
loop = re.search(r"Inner Loop Header.*?\n(.*?)\n\s+s_cbranch_scc", compiled.asm["amdgcn"], re.DOTALL)
assert loop, "no loop in the code"
KINDS = r"^\s+(s_barrier|s_setprio \d|s_waitcnt [^\n;]*|v_mfma\w*|ds_\w+|buffer_\w+)"
for instruction, run_of_it in groupby(re.findall(KINDS, loop[1], re.MULTILINE)):
    print(f"{len(list(run_of_it)):3} x {instruction}")

# %% [markdown]
# * `ds_read_b128` reads A; `ds_read_b64_tr_b16` reads B transposed.
# * `buffer_load_dwordx4` are the copies to the ring buffer, which bypass registers. They follow the reads as in the
#   source: the compiler prevents LLVM from moving them before the reads, which would delay the reads.
# * `s_setprio` sets the priority of the following stage.
# * `s_waitcnt vmcnt(4) lgkmcnt(0)`: four copies, those of the newest commit group, may stay in flight; all older copies
#   and all reads of LDS must have completed. Only this barrier is also a *fence*: copies of the next iteration, two
#   stages later, overwrite the buffer that was read.
# * The compute stage contains only MFMAs and no waits. The barrier after it waits only for the other warps.
#
# `compiled.report()` has these numbers for any kernel: the instructions of each stage by functional unit, the clocks of
# a stage's MFMAs, and for each wait, the accesses that it waits for and the number of iterations since they were
# issued. In a good kernel, a stage with MFMAs has no waits, there are no accesses to `scratch`, and the wavefronts of
# LDS have no `+`, which precedes those due to bank conflicts.

# %%
report = compiled.report()
report

# %% [markdown]
# The report is an object, so a test can check its numbers:

# %%
load, compute = report.loops[0].stages
assert compute.units["waits"] == 0, "the stage with the MFMAs has waits"
assert not report.resources["registers_spilled"]
print(f"{compute.units['matrix']} MFMAs occupy a matrix core for {compute.matrix_clocks} clocks;")
print(f"in that time the other group of warps issues {load.instructions} instructions")

# %% [markdown]
# ## Equal results
#
# Stages change the times of operations, not the order of the MFMAs of an accumulator. The results are therefore bitwise
# equal under every schedule.

# %%
with hocket.emulator.target("gfx950"):
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed, completion="random"):
            assert np.array_equal(run(a, b), pipelined)
rows = run_everywhere(
    "warp-pipelined matmul",
    run,
    lambda a, b: a @ b,
    [(a, b)],
    shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=16.0,
    places=[EmulatedDevice("gfx950")],
)

# %% [markdown]
# ## In `hocket.kernels`
#
# `hocket.kernels.matmul` uses a warp pipeline if the tile has eight warps and K is large enough; `matmul.explain` in
# notebook 10 has printed its choices. On CDNA4, it uses the kernel above for tiles of 256 x 128
# (`hocket/kernels/_matmul/kernel_cdna_ring.py`). For 256 x 256, three k-tiles of 64, which are whole cache lines, do
# not fit in LDS. So the MFMAs are divided into quadrants of the tile (`kernel_cdna_quadrants.py`): a0 and a1 are the
# upper and the lower half of a k-tile of A, b0 and b1 the left and the right half of a k-tile of B. Each quadrant needs
# one half that the previous one has not read. A half can be overwritten as soon as all warps have read it, before the
# rest of the k-tile has been read:
#
# | stage | CDNA4: two buffers, direct copies to LDS | CDNA3: one buffer, copies through registers |
# |---|---|---|
# | read b0 | copy a0 of the k-tile after the next | also read a0; store b1, load the next a0 |
# | multiply a0 b0 | | |
# | read b1 | copy b0 | store a1, load b0 |
# | multiply a0 b1 | | |
# | read a1 | copy b1 | store a0, load b1 |
# | multiply a1 b1 | | |
# | read a0 of the next k-tile | copy a1 | no read; store b0, load a1 |
# | multiply a1 b0 | | |

# %%
reads, quadrants = ("b0", "b1", "a1", "a0"), ("a0 b0", "a0 b1", "a1 b1", "a1 b0")
pairs = zip(reads, quadrants, strict=True)
draw_stages([stage for read, quadrant in pairs for stage in (f"read {read}", f"multiply {quadrant}")], 1)
