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
# GPU. Its last part does the same on Hopper, where one warpgroup computes its softmax during the wgmmas of the other.

# %%
import re
from functools import partial

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import devices
from hocket import language as gl
from hocket.devices import EmulatedDevice
from hocket.kernels import matmul
from hocket.kernels._matmul.layouts_cdna import direct_copy_layout
from hocket.kernels._matmul.variant_cdna import choose_variant
from hocket.kernels.plans import Plan, Tile
from hocket.language import amd
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from hocket.nvidia.hopper import TensorDescriptor
from hocket.testing import do_bench

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
    colours = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(name.split()[0] for name in stages))}
    _, axes = plt.subplots(figsize=(11, 1.8))
    for row, (group, delay) in enumerate((("warps 0-3", 0), ("warps 4-7", lag))):
        axes.text(-0.1, row, group, ha="right", va="center")
        for slot in range(iterations * len(stages)):
            name = stages[slot % len(stages)]
            axes.barh(row, 1, left=slot + delay, height=0.7, color=colours[name.split()[0]], edgecolor="white")
            label = f"{name}\nof step {slot // len(stages)}"
            axes.text(slot + delay + 0.5, row, label, ha="center", va="center", fontsize=7, color="white")
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
# `with gl.warp_pipeline_stage(...)` makes a stage. The tiles of A and B are copied directly to a ring of three LDS
# buffers: one is being read, the copy to the next is complete, the copy to the third is in flight. Compute stages have
# low priority: if both warps of a SIMD can issue, the warp that loads issues first, because its instructions have a
# long latency.

# %%
TILE, BLOCK_K = 128, 64
ACC = amd.AMDMFMALayout(4, [32, 32, 16], transposed=True, warps_per_cta=[2, 4])


@hocket.jit
def start_copies(a_slot, b_slot, a, b, offsets_a, offsets_b):
    amd.cdna4.async_copy.buffer_load_to_shared(a_slot, a, offsets_a)
    amd.cdna4.async_copy.buffer_load_to_shared(b_slot, b, offsets_b)
    amd.cdna4.async_copy.commit_group()


@hocket.jit
def leapfrog(a, b, c, K, stride_a, stride_b, stride_c, LAYOUTS: gl.constexpr, SHARED: gl.constexpr, WAIT: gl.constexpr):
    operand_a: gl.constexpr = gl.DotOperandLayout(0, ACC, 8)
    operand_b: gl.constexpr = gl.DotOperandLayout(1, ACC, 8)
    rows = gl.arange(0, TILE, layout=gl.SliceLayout(1, LAYOUTS[0]))
    k_a = gl.arange(0, BLOCK_K, layout=gl.SliceLayout(0, LAYOUTS[0]))
    k_b = gl.arange(0, BLOCK_K, layout=gl.SliceLayout(1, LAYOUTS[1]))
    columns = gl.arange(0, TILE, layout=gl.SliceLayout(0, LAYOUTS[1]))
    offsets_a = rows[:, None] * stride_a + k_a[None, :]
    offsets_b = k_b[:, None] * stride_b + columns[None, :]
    smem_a = gl.allocate_shared_memory(a.dtype.element_ty, [3, TILE, BLOCK_K], SHARED[0])
    smem_b = gl.allocate_shared_memory(b.dtype.element_ty, [3, BLOCK_K, TILE], SHARED[1])
    acc = gl.zeros([TILE, TILE], gl.float32, ACC)

    for i in gl.static_range(2):  # the copies to the first two buffers start before the loop
        start_copies(smem_a.index(i), smem_b.index(i), a, b, offsets_a, offsets_b)
        a += BLOCK_K
        b += BLOCK_K * stride_b
    steps = K // BLOCK_K
    amd.cdna4.async_copy.wait_group(1)
    for i in range(steps - 2):
        if WAIT == "at the top":
            amd.cdna4.async_copy.wait_group(1)
        with gl.warp_pipeline_stage("load", priority=1):
            tile_a = smem_a.index(i % 3).load(operand_a)
            tile_b = smem_b.index(i % 3).load(operand_b)
            start_copies(smem_a.index((i + 2) % 3), smem_b.index((i + 2) % 3), a, b, offsets_a, offsets_b)
            a += BLOCK_K
            b += BLOCK_K * stride_b
        if WAIT == "between the stages":
            amd.cdna4.async_copy.wait_group(1)
        with gl.warp_pipeline_stage("compute", priority=0):
            acc = amd.cdna4.mfma(tile_a, tile_b, acc)
    for i in gl.static_range(2):  # the last tiles in the ring buffer
        amd.cdna4.async_copy.wait_group(1 - i)
        slot = (steps - 2 + i) % 3
        acc = amd.cdna4.mfma(smem_a.index(slot).load(operand_a), smem_b.index(slot).load(operand_b), acc)

    rows_c = gl.arange(0, TILE, layout=gl.SliceLayout(1, ACC))
    columns_c = gl.arange(0, TILE, layout=gl.SliceLayout(0, ACC))
    amd.cdna4.buffer_store(acc, c, rows_c[:, None] * stride_c + columns_c[None, :])


operand_layouts = [gl.DotOperandLayout(i, ACC, 8) for i in (0, 1)]
SHARED = tuple(
    amd.cdna4.compute_efficient_padded_shared_layout(layout, shape, gl.float16, is_k_contiguous)
    for layout, shape, is_k_contiguous in zip(
        operand_layouts, ([TILE, BLOCK_K], [BLOCK_K, TILE]), (True, False), strict=True
    )
)
OPTIONS = {
    "LAYOUTS": tuple(direct_copy_layout(shared, 16, 8) for shared in SHARED),
    "SHARED": SHARED,
    "num_warps": 8,
}


def run(a, b, wait):
    c = np.empty((TILE, TILE), np.float32)
    strides = a.shape[1], b.shape[1], TILE
    leapfrog[(1,)](a, b, c, a.shape[1], *strides, WAIT=wait, **OPTIONS)
    return c


# %% [markdown]
# ## A wait that is too late
#
# In a kernel without stages, the wait for the copies may be directly before the reads. In a warp pipeline:

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
# The solution is to wait before the *preceding* compute stage, for tiles that are read one iteration later. It costs no
# time, because the ring buffer holds enough tiles.

# %%
with hocket.emulator.target("gfx950"):
    pipelined = run(a, b, wait="between the stages")
np.testing.assert_allclose(pipelined, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-4, atol=1e-4)

# %% [markdown]
# The emulator has a virtual clock for each warp. Its clocks are a model, not those of hardware, but they show which
# warp waits for which: both groups alternate as in the drawing above, and matrix cores are busy while the other group
# loads.

# %%
with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as recorded:
    run(a, b, wait="between the stages")
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
def turned_tiles(x, out, steps, SLOTS: gl.constexpr):
    by_rows: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [8, 1], [1, 0])
    by_columns: gl.constexpr = gl.BlockedLayout([8, 1], [8, 8], [1, 8], [0, 1])
    plain: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    rows = gl.arange(0, 64, layout=gl.SliceLayout(1, by_rows))[:, None]
    offsets = rows * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, by_rows))[None, :]
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [SLOTS, 64, 64], plain)
    total = gl.zeros([64, 64], x.dtype.element_ty, by_columns)
    ahead: gl.constexpr = max(SLOTS - 1, 1)
    for i in gl.static_range(ahead):
        smem.index(i).store(gl.load(x + i * 64 * 64 + offsets))
    for i in range(steps):
        with gl.warp_pipeline_stage("read"):
            total += smem.index(i % SLOTS).load(by_columns)
        with gl.warp_pipeline_stage("write"):
            smem.index((i + ahead) % SLOTS).store(gl.load(x + (i + ahead) * 64 * 64 + offsets))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, by_columns))[None, :]
    gl.store(out + gl.arange(0, 64, layout=gl.SliceLayout(1, by_columns))[:, None] * 64 + columns, total)


x = rng.standard_normal((8, 64, 64)).astype(np.float32)
out = np.empty((64, 64), np.float32)
with hocket.emulator.target("gfx942"):
    try:
        turned_tiles[(1,)](x, out, 6, SLOTS=1, num_warps=8)
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
    turned_tiles[(1,)](x, out, 6, SLOTS=3, num_warps=8)
np.testing.assert_allclose(out, x[:6].sum(axis=0), rtol=1e-5, atol=1e-5)

# %% [markdown]
# ## The assembly of one iteration
#
# This is the loop of `leapfrog`, split at its barriers.


# %%
def loop_stages(code):
    """Returns the instructions of the loop's stages; the last list follows the last barrier."""
    loop = re.search(r"Inner Loop Header.*?\n(.*?)\n\s+s_cbranch_scc", code, re.DOTALL)
    assert loop, "no loop in the code"
    stages = [[]]
    for line in loop[1].splitlines():
        instruction = line.split(";")[0].strip()
        if instruction == "s_barrier":
            stages.append([])
        elif instruction:
            stages[-1].append(instruction)
    return stages


def summary(stage):
    """Returns the code with one line for each run of equal instructions."""
    lines = []
    for instruction in stage:
        name = instruction.split()[0]
        if name in ("s_waitcnt", "s_setprio"):
            name = instruction
        elif not re.match("v_mfma|ds_|buffer_", name):
            name = "(addresses)"
        if lines and lines[-1][0] == name:
            lines[-1][1] += 1
        elif not (name == "(addresses)" and any(line[0] == name for line in lines)):
            lines.append([name, 1])
    return [f"{count:3} x {name}" if name != "(addresses)" else "      (addresses)" for name, count in lines]


def show_loop(code, names):
    for name, stage in zip([*names, "back to the top"], loop_stages(code), strict=True):
        print(f"{name}:")
        print("\n".join(summary(stage)))
        if name != "back to the top":
            print("      s_barrier")


arguments = [gl.float16, gl.float16, gl.float32, 4096, 4096, 4096, 4096]
compiled = leapfrog.warmup(*arguments, WAIT="between the stages", target="gfx950", **OPTIONS)
show_loop(compiled.asm["amdgcn"], ["load", "compute"])

# %% [markdown]
# * `ds_read_b128` reads A; `ds_read_b64_tr_b16` reads B transposed.
# * `buffer_load_dwordx4 ... lds` are the copies to the ring buffer, which bypass registers. They follow the reads as in
#   the source: the compiler prevents LLVM from moving them before the reads, which would delay the reads.
# * `s_setprio 0` sets the priority of the following stage.
# * `s_waitcnt vmcnt(4) lgkmcnt(0)`: four copies, those of the newest commit group, may stay in flight; all older copies
#   and all reads of LDS must have completed. Only this barrier is also a *fence*: copies of the next iteration, two
#   stages later, overwrite the buffer that was read.
# * The compute stage contains only MFMAs and no waits.
# * The barrier after it waits only for the other warps.
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
# ## In `hocket.kernels`
#
# `hocket.kernels.matmul` uses a warp pipeline if the tile has eight warps and K is large enough. On CDNA4, it uses the
# kernel above for tiles of 256 x 128. For 256 x 256, three k-tiles of 64, which are whole cache lines, do not fit in
# LDS. So the MFMAs are divided into quadrants of the tile:

# %%
print(matmul.explain((4096, 4096, 4096), "float16", "gfx950"))
print()
print(matmul.explain((4096, 4096, 4096), "float16", "gfx942"))

# %% [markdown]
# a0 and a1 are the upper and the lower half of a k-tile of A, b0 and b1 the left and the right half of a k-tile of B.
# Each quadrant needs one half that the previous one has not read. A half can be overwritten as soon as all warps have
# read it, before the rest of the k-tile has been read. The source is
# `hocket/kernels/_matmul/kernel_cdna_quadrants.py`:
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
draw_stages(["b0", "multiply a0 b0", "b1", "multiply a0 b1", "a1", "multiply a1 b1", "a0", "multiply a1 b0"], 1)

# %% [markdown]
# ## Equal results
#
# Stages change the times of operations, not the order of the MFMAs of an accumulator, so results are bitwise equal to
# those without stages, on any schedule.


# %%
LDS_BYTES = {"gfx942": 64 * 1024, "gfx950": 160 * 1024}


def product(a, b, pipelined=True):
    target = hocket.emulator.current_target()
    direct_copies = None if target == "gfx950" else "registers"
    way = choose_variant(Tile(256, 256, 2, 4), 4096, 16, direct_copies, LDS_BYTES[target])
    if not pipelined:
        way = way._replace(block_k=64, slots=2 if way.is_direct else 1, is_pipelined=False)
    return matmul(a, b, plan=Plan(Tile(256, 256, 2, 4), *way))


a = rng.standard_normal((320, 512)).astype(np.float16)
b = rng.standard_normal((512, 256)).astype(np.float16)
for target in ("gfx942", "gfx950"):
    with hocket.emulator.target(target):
        plain = product(a, b, pipelined=False)
        for seed in range(4):
            with hocket.emulator.schedule(seed=seed, completion="random"):
                assert np.array_equal(product(a, b), plain)
        print(target, "computes the same")

# %%
rows = run_everywhere(
    "warp-pipelined matmul",
    product,
    lambda a, b: a @ b,
    [(a, b)],
    shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=4.0,
    places=[EmulatedDevice(target) for target in LDS_BYTES],
)

# %% [markdown]
# ## Hopper: softmax during wgmmas
#
# A Hopper SM has four partitions, each with a tensor core. With eight warps, each partition runs two, one of each
# *warpgroup*, as a SIMD does on CDNA. Here `gl.warp_pipeline_stage` divides the loop of attention, whose two halves use
# different units: wgmmas use tensor cores, the softmax uses ALUs and the transcendental units. If both run
# sequentially, the tensor cores are idle during the softmax. With the warpgroups one stage apart, one computes its
# softmax during the wgmmas of the other.
#
# Each block computes 128 rows. The first wgmma of Q and K is before the loop. An iteration computes the scores of the
# next block of keys and P V of the last block, then the softmax of the new scores. TMA copies keys and values.

# %%
ROWS, DEPTH, SLOTS = 128, 128, 3
SCORES = gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 128, 16])
SWIZZLED = gl.NVMMASharedLayout.get_default_for([ROWS, DEPTH], gl.float16)


@hocket.jit
def load_block(k, v, keys, values, ready, row, i, SLOTS: gl.constexpr, pred):
    bar = ready.index(i % SLOTS)
    mbarrier.expect(bar, k.nbytes_per_cta + v.nbytes_per_cta, pred)
    tma.async_load(k, [row + i * ROWS, 0], bar, keys.index(i % SLOTS), pred)
    tma.async_load(v, [row + i * ROWS, 0], bar, values.index(i % SLOTS), pred)


@hocket.jit
def products(queries, p, keys, values, ready, acc, i, SLOTS: gl.constexpr):
    """Computes the scores of block i, and P V of the block before."""
    mbarrier.wait(ready.index(i % SLOTS), i // SLOTS & 1)
    zeros = gl.zeros([ROWS, ROWS], gl.float32, SCORES)
    scores = warpgroup_mma(queries, keys.index(i % SLOTS).permute([1, 0]), zeros, is_async=True)
    acc = warpgroup_mma(p, values.index((i + SLOTS - 1) % SLOTS), acc, is_async=True)
    return warpgroup_mma_wait(0, deps=[scores, acc])


@hocket.jit
def softmax(scores, top, total, scale):
    """Computes P of a block, relative to the row max so far, and the rescale factor of earlier sums."""
    new = gl.maximum(top, gl.max(scores, axis=1) * scale)
    weights = gl.exp2(scores * scale - new[:, None])
    correction = gl.exp2(top - new)
    p = gl.convert_layout(weights.to(gl.float16), gl.DotOperandLayout(0, SCORES, 2))
    return p, new, total * correction + gl.sum(weights, axis=1), correction


@hocket.jit
def attention(q, k, v, out, n, scale, SLOTS: gl.constexpr, STAGED: gl.constexpr, TURNS: gl.constexpr):
    row = gl.program_id(1) * n
    first = row + gl.program_id(0) * ROWS
    queries = gl.allocate_shared_memory(gl.float16, [ROWS, DEPTH], q.layout)
    keys = gl.allocate_shared_memory(gl.float16, [SLOTS, ROWS, DEPTH], k.layout)
    values = gl.allocate_shared_memory(gl.float16, [SLOTS, ROWS, DEPTH], v.layout)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    loaded = mbarrier.allocate_mbarrier()
    mbarrier.init(loaded, count=1)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), count=1)
    blocks = n // ROWS
    mbarrier.expect(loaded, q.nbytes_per_cta)
    tma.async_load(q, [first, 0], loaded, queries)
    for i in gl.static_range(2):
        load_block(k, v, keys, values, ready, row, i, SLOTS, i < blocks)
    mbarrier.wait(loaded, 0)
    mbarrier.wait(ready.index(0), 0)
    by_row: gl.constexpr = gl.SliceLayout(1, SCORES)
    acc = gl.zeros([ROWS, DEPTH], gl.float32, SCORES)
    scores = warpgroup_mma(queries, keys.index(0).permute([1, 0]), acc)
    top, total = gl.full([ROWS], float("-inf"), gl.float32, by_row), gl.zeros([ROWS], gl.float32, by_row)
    p, top, total, _ = softmax(scores, top, total, scale)
    for i in range(1, blocks):
        if STAGED:
            with gl.warp_pipeline_stage("products", exclusive=TURNS):
                scores, acc = products(queries, p, keys, values, ready, acc, i, SLOTS)
            with gl.warp_pipeline_stage("softmax"):
                load_block(k, v, keys, values, ready, row, i + 1, SLOTS, i + 1 < blocks)
                p, top, total, correction = softmax(scores, top, total, scale)
                acc *= correction[:, None]
        else:
            scores, acc = products(queries, p, keys, values, ready, acc, i, SLOTS)
            load_block(k, v, keys, values, ready, row, i + 1, SLOTS, i + 1 < blocks)
            p, top, total, correction = softmax(scores, top, total, scale)
            acc *= correction[:, None]
    acc = warpgroup_mma(p, values.index((blocks - 1) % SLOTS), acc) / total[:, None]
    rows_out = first + gl.arange(0, ROWS, layout=by_row)
    columns_out = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, SCORES))
    gl.store(out + rows_out[:, None] * DEPTH + columns_out[None, :], acc.to(gl.float16))


def attend(q, k, v, out, staged=True, turns=False, slots=SLOTS):
    """Computes attention of arrays of shape [heads, n, 128] and writes `out`."""
    heads, n, _ = q.shape
    tensors = [TensorDescriptor.from_tensor(x.reshape(-1, DEPTH), [ROWS, DEPTH], SWIZZLED) for x in (q, k, v)]
    scale = DEPTH**-0.5 * float(np.log2(np.e))
    options = {"SLOTS": slots, "STAGED": staged, "TURNS": turns}
    attention[(n // ROWS, heads)](*tensors, out, n, scale, **options, num_warps=8)
    return out


draw_stages(["products", "softmax"], 4)

# %% [markdown]
# Differences from CDNA:
#
# * Barriers are *named barriers* (`bar.sync 2, 256`). They count the arrivals of both warpgroups and order all their
#   memory accesses: every barrier is a fence.
# * wgmmas are asynchronous. `warpgroup_mma_wait` waits only for those of its own warpgroup, so it may be in a stage,
#   like `mbarrier.wait`.
# * TMA overwrites a buffer while the warpgroups are in different stages. The rule for stages that use the same memory
#   also holds here; a wgmma counts as reading until the end of the stage that waits for it. With two buffers:

# %%
q, k, v = rng.standard_normal((3, 1, 512, DEPTH)).astype(np.float16)
with hocket.emulator.target("sm_90a"):
    try:
        attend(q, k, v, np.empty_like(q), slots=2)
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# One warpgroup's wgmma still reads the values of the last block when a thread of the other warpgroup starts the copy
# that overwrites them. With three buffers the copy goes to another buffer, and the results are those of the loop
# without stages:

# %%
with hocket.emulator.target("sm_90a"):
    plain = attend(q, k, v, np.empty_like(q), staged=False)
    for seed in range(4):
        with hocket.emulator.schedule(seed=seed, completion="random"):
            assert np.array_equal(attend(q, k, v, np.empty_like(q)), plain)
            assert np.array_equal(attend(q, k, v, np.empty_like(q), turns=True), plain)
print("equal with and without stages")

# %% [markdown]
# `exclusive=True` selects the other form of pipeline on Hopper. With a barrier of both warpgroups before every stage,
# an iteration takes the time of the longer of the two concurrent stages. But only the tensor cores need exclusive use:
# with exclusive stages the warpgroups alternate in the stage with the wgmmas (ping-pong), do not wait for each other
# elsewhere, and may run ahead. Two stages that use the same memory must then be two exclusive stages apart, including
# themselves.

# %% [markdown]
# The next cell lists the PTX of the loop: barriers separate the wgmmas from the softmax.

# %%
q_desc = TensorDescriptor.from_tensor(q.reshape(-1, DEPTH), [ROWS, DEPTH], SWIZZLED)
compiled = attention.warmup(
    *[q_desc] * 3, gl.float16, 4096, 0.1, SLOTS=SLOTS, STAGED=True, TURNS=False, num_warps=8, target="sm_90a"
)
ptx = compiled.asm["ptx"]
interesting = re.compile(r"(bar\.sync|wgmma\.mma_async|wgmma\.wait|ex2|cp\.async\.bulk|shfl|mbarrier\.try_wait)\S*")
counts = []
for name in (found[1] for found in interesting.finditer(ptx)):
    if counts and counts[-1][0] == name:
        counts[-1][1] += 1
    else:
        counts.append([name, 1])
print("\n".join(f"{count:4} x {name}" for name, count in counts))


# %%
def hopper_gpu():
    """Returns the GPU if it is a Hopper GPU, else None."""
    if (gpu := devices.cuda()) is None:
        return None
    import torch

    return gpu if torch.cuda.get_device_capability() == (9, 0) else None


rows = run_everywhere(
    "warp-pipelined attention",
    lambda q, k, v: attend(q, k, v, q * 0),
    lambda q, k, v: np.stack(
        [
            (weights := np.exp(a @ b.T / DEPTH**0.5)) @ c / weights.sum(axis=1, keepdims=True)
            for a, b, c in zip(q, k, v, strict=True)
        ]
    ),
    [(q, k, v)],
    shape=lambda q, k, v: "x".join(map(str, q.shape)),
    tolerance_ulp=4.0,
    places=[EmulatedDevice("sm_90a"), *filter(None, [hopper_gpu()])],
)

# %% [markdown]
# On a Hopper GPU, this cell measures the effect of the stages:

# %%
FORMS = {"without stages": (False, False), "barrier before every stage": (True, False), "exclusive stage": (True, True)}
if gpu := hopper_gpu():
    heads, lengths = 16, [1024, 2048, 4096, 8192, 16384]
    speeds = {form: [] for form in FORMS}
    with gpu:
        for n in lengths:
            arrays = [gpu.to_device(x) for x in rng.standard_normal((3, heads, n, DEPTH)).astype(np.float16)]
            result = gpu.to_device(np.zeros((heads, n, DEPTH), np.float16))
            for form, options in FORMS.items():
                milliseconds = do_bench(partial(attend, *arrays, result, *options), return_mode="median")
                speeds[form].append(4 * heads * n * n * DEPTH / milliseconds * 1e-9)
    _, axes = plt.subplots(figsize=(6, 3))
    for form, measured in speeds.items():
        axes.plot(lengths, measured, marker="o", label=form)
        print(f"{form:28}", *(f"{speed:8.0f}" for speed in measured), "TFLOP/s")
    axes.set(xscale="log", xticks=lengths, xticklabels=lengths, xlabel="keys", ylabel="TFLOP/s", title=gpu.name)
    axes.legend()
    plt.show()
else:
    print("no Hopper GPU: measurement skipped")
