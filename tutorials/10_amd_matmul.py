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
# # 10. GEMM on CDNA: from a naive loop to tiles in LDS
#
# AMD's CDNA GPUs have *matrix cores*: one MFMA instruction multiplies two small matrices that a wave (64 lanes) holds
# in registers. This notebook improves the supply of operands step by step, for CDNA3 (gfx942) and CDNA4 (gfx950). It
# needs no AMD GPU: kernels run on the emulator, and the assembly shown is the one for the GPU.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import bfloat16, run_everywhere
from hocket import language as gl
from hocket.devices import EmulatedDevice
from hocket.kernels import matmul
from hocket.kernels._matmul.layouts_cdna import direct_copy_layout
from hocket.language import amd
from hocket.pictures import draw_bank_conflicts, draw_layout

# %% [markdown]
# ## Layouts of the accumulator and the operands
#
# `AMDMFMALayout` is the layout of the result. A lane holds 16 elements of a tile of 32 x 32. With `transposed=True`
# these are four runs of four adjacent elements of a row, so a lane stores four elements at once. Each color is a lane.

# %%
ACC = {
    "gfx942": amd.AMDMFMALayout(3, [32, 32, 8], transposed=True, warps_per_cta=[2, 2]),
    "gfx950": amd.AMDMFMALayout(4, [32, 32, 16], transposed=True, warps_per_cta=[2, 2]),
}
draw_layout(ACC["gfx950"], [32, 32], target="gfx950")

# %% [markdown]
# `DotOperandLayout(0, acc, k_width)` is the layout of operand A: lane l holds row l mod 32, with `k_width` consecutive
# elements along K. Eight elements of float16 are 16 bytes, the widest access of a lane.

# %%
draw_layout(gl.DotOperandLayout(0, ACC["gfx950"], 8), [32, 16], target="gfx950")

# %% [markdown]
# ## Step 1: straight from global memory
#
# Each wave loads its operands in the layout of the MFMA. `buffer_load` takes one base and 32-bit offsets, and the
# hardware's bounds check replaces the branch that a mask would need.


# %%
@hocket.jit
def store_tile(acc, c, row0, col0, M, N, TILE: gl.constexpr, ACC: gl.constexpr):
    rows = row0 + gl.arange(0, TILE, layout=gl.SliceLayout(1, ACC))
    columns = col0 + gl.arange(0, TILE, layout=gl.SliceLayout(0, ACC))
    mask = (rows < M)[:, None] & (columns < N)[None, :]
    amd.cdna3.buffer_store(acc.to(c.dtype.element_ty), c, rows[:, None] * N + columns[None, :], mask=mask)


@hocket.jit
def naive_kernel(a, b, c, M, N, K, TILE: gl.constexpr, BK: gl.constexpr, ACC: gl.constexpr):
    # The matrices are contiguous: rows of a have K elements, rows of b and c have N.
    layout_a: gl.constexpr = gl.DotOperandLayout(0, ACC, 8)
    layout_b: gl.constexpr = gl.DotOperandLayout(1, ACC, 8)
    row0, col0 = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    rows = row0 + gl.arange(0, TILE, layout=gl.SliceLayout(1, layout_a))
    columns = col0 + gl.arange(0, TILE, layout=gl.SliceLayout(0, layout_b))
    k_a = gl.arange(0, BK, layout=gl.SliceLayout(0, layout_a))
    k_b = gl.arange(0, BK, layout=gl.SliceLayout(1, layout_b))
    acc = gl.zeros([TILE, TILE], gl.float32, ACC)
    for k in range(0, K, BK):
        mask_a = (rows < M)[:, None] & (k + k_a < K)[None, :]
        mask_b = (k + k_b < K)[:, None] & (columns < N)[None, :]
        tile_a = amd.cdna3.buffer_load(a, rows[:, None] * K + (k + k_a)[None, :], mask=mask_a)
        tile_b = amd.cdna3.buffer_load(b, (k + k_b)[:, None] * N + columns[None, :], mask=mask_b)
        acc = amd.cdna3.mfma(tile_a, tile_b, acc)
    store_tile(acc, c, row0, col0, M, N, TILE, ACC)


def run(kernel, a, b, **constants):
    (m, k), n = a.shape, b.shape[1]
    c = np.empty((m, n), a.dtype)
    grid = (hocket.cdiv(m, 64), hocket.cdiv(n, 64))
    acc = ACC[hocket.emulator.current_target()]
    kernel[grid](a, b, c, m, n, k, TILE=64, BK=64, ACC=acc, num_warps=4, **constants)
    return c


rng = np.random.default_rng(0)
a = rng.standard_normal((96, 160)).astype(np.float16)
b = rng.standard_normal((160, 80)).astype(np.float16)
expected = a.astype(np.float32) @ b.astype(np.float32)
for target in ACC:
    with hocket.emulator.target(target):
        np.testing.assert_allclose(run(naive_kernel, a, b), expected, rtol=2e-3, atol=2e-2)
        print(target, "agrees with NumPy")

# %% [markdown]
# The assembly shows the problem: the loads of B are narrow. B is contiguous along its rows, but a lane needs
# consecutive elements along K, so every element of B needs a separate load.


# %%
def compile_for(kernel, target, **constants):
    options = {"TILE": 64, "BK": 64, "ACC": ACC[target], "num_warps": 4, "target": target}
    return kernel.warmup(*[gl.float16] * 3, *[4096] * 3, **options, **constants)


def count_instructions(compiled, *patterns):
    """Returns the number of instructions of each kind in the kernel's code."""
    code = compiled.asm["amdgcn"]
    return {pattern: len(re.findall(rf"^\s+{pattern}", code, re.MULTILINE)) for pattern in patterns}


KINDS = (
    r"v_mfma\w*",
    r"buffer_load_dwordx4",
    r"buffer_load_u?short\w*",
    r"ds_read_b128",
    r"ds_read_b64_tr_b16",
    r"ds_read_u16\w*",
)
naive = compile_for(naive_kernel, "gfx950")
count_instructions(naive, *KINDS)

# %% [markdown]
# `kernel.report()` analyzes the machine code: the instructions of an iteration of the hottest loop, the operations that
# its waits wait for, and the occupancy. The loop has several loads per MFMA, VALU instructions that compute addresses,
# and most waits are for one or two loads.

# %%
naive.report()

# %% [markdown]
# ## Step 2: tiles in LDS
#
# The four waves of the block share rows of A and columns of B. So the block loads each tile once, with coalesced
# accesses of 16 bytes per lane, and stores it to LDS (shared memory), from where the waves read their operands. The
# compiler inserts the barriers; none of them waits for global memory.


# %%
@hocket.jit
def lds_kernel(
    a, b, c, M, N, K, TILE: gl.constexpr, BK: gl.constexpr, ACC: gl.constexpr,
    SHARED_A: gl.constexpr, SHARED_B: gl.constexpr,
):  # fmt: skip
    load: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
    row0, col0 = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    rows = row0 + gl.arange(0, TILE, layout=gl.SliceLayout(1, load))
    columns = col0 + gl.arange(0, TILE, layout=gl.SliceLayout(0, load))
    k_a = gl.arange(0, BK, layout=gl.SliceLayout(0, load))
    k_b = gl.arange(0, BK, layout=gl.SliceLayout(1, load))
    smem_a = gl.allocate_shared_memory(a.dtype.element_ty, [TILE, BK], SHARED_A)
    smem_b = gl.allocate_shared_memory(b.dtype.element_ty, [BK, TILE], SHARED_B)
    acc = gl.zeros([TILE, TILE], gl.float32, ACC)
    for k in range(0, K, BK):
        mask_a = (rows < M)[:, None] & (k + k_a < K)[None, :]
        mask_b = (k + k_b < K)[:, None] & (columns < N)[None, :]
        smem_a.store(amd.cdna3.buffer_load(a, rows[:, None] * K + (k + k_a)[None, :], mask=mask_a))
        smem_b.store(amd.cdna3.buffer_load(b, (k + k_b)[:, None] * N + columns[None, :], mask=mask_b))
        tile_a = smem_a.load(gl.DotOperandLayout(0, ACC, 8))
        tile_b = smem_b.load(gl.DotOperandLayout(1, ACC, 8))
        acc = amd.cdna3.mfma(tile_a, tile_b, acc)
    store_tile(acc, c, row0, col0, M, N, TILE, ACC)


plain = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
for target in ACC:
    with hocket.emulator.target(target):
        result = run(lds_kernel, a, b, SHARED_A=plain, SHARED_B=plain)
        np.testing.assert_allclose(result, expected, rtol=2e-3, atol=2e-2)
in_lds = compile_for(lds_kernel, "gfx950", SHARED_A=plain, SHARED_B=plain)
count_instructions(in_lds, *KINDS)

# %% [markdown]
# A is now read 16 bytes at a time (`ds_read_b128`). B is contiguous along N, not K, so the read transposes it: CDNA4
# has an instruction for this (`ds_read_b64_tr_b16`). CDNA3 has no such instruction and reads B element by element, so
# `hocket.kernels.matmul` stores B transposed to LDS on CDNA3.
#
# The loop is much shorter. Its two barriers divide it into two stages: one reads LDS and executes the MFMAs, the other
# stores the next tiles. The report warns of bank conflicts. Its last columns show the *wavefronts* of the reads of a
# warp, with those due to bank conflicts after the `+`.

# %%
in_lds.report()

# %% [markdown]
# ## Step 3: no bank conflicts
#
# LDS consists of banks of 4 bytes, 64 of them on CDNA4, and a bank serves one address at a time. A row of A in LDS is
# 128 bytes, so every second row begins at the same bank, and the lanes that are served together use only a few banks
# (each color below is a bank). `gl.bank_conflicts` counts the additional wavefronts.

# %%
operand_a = gl.DotOperandLayout(0, ACC["gfx950"], 8)
draw_bank_conflicts(operand_a, plain, [64, 64], gl.float16, "gfx950")

# %% [markdown]
# Eight unused elements after every 512 remove the conflicts, with a suitable order of rows. The helper function finds
# such a layout, from the phases in which each chip serves the lanes of a wave.

# %%
padded_a = amd.cdna4.compute_efficient_padded_shared_layout(operand_a, [64, 64], gl.float16, True)
print(padded_a)
draw_bank_conflicts(operand_a, padded_a, [64, 64], gl.float16, "gfx950")

# %%
conflicts = {}
for name, shared in (("plain", plain), ("padded", padded_a)):
    for target, acc in ACC.items():
        x = gl.distributed_type(gl.float16, [64, 64], gl.DotOperandLayout(0, acc, 8))
        smem = gl.shared_memory_descriptor_type(gl.float16, [64, 64], shared)
        conflicts[name, target] = gl.bank_conflicts(x, smem, target=target)
figure, axes = plt.subplots(figsize=(6, 2.6))
axes.bar([f"{name}\n{target}" for name, target in conflicts], list(conflicts.values()))
axes.set_ylabel("additional wavefronts")
axes.set_title("reading a 64 x 64 tile of A")
plt.show()

# %% [markdown]
# B gets another layout, and the report contains no more warnings of bank conflicts. The report is also an object: here
# are the wavefronts of the loop's stages as numbers. (`report.as_dict()` contains all values.)

# %%
operand_b = gl.DotOperandLayout(1, ACC["gfx950"], 8)
padded_b = amd.cdna4.compute_efficient_padded_shared_layout(operand_b, [64, 64], gl.float16, False)
for shared_a, shared_b in ((plain, plain), (padded_a, plain), (padded_a, padded_b)):
    report = compile_for(lds_kernel, "gfx950", SHARED_A=shared_a, SHARED_B=shared_b).report()
    reads = [stage.reads for stage in report.loops[0].stages if stage.reads]
    print(f"{sum(use.actual for use in reads)} wavefronts to read, without conflicts {sum(use.ideal for use in reads)}")

# %% [markdown]
# The emulator counts the same wavefronts from the addresses of the accesses:

# %%
with hocket.emulator.target("gfx950"), hocket.emulator.count_bank_conflicts() as counts:
    run(lds_kernel, a, b, SHARED_A=padded_a, SHARED_B=padded_b)
print(counts)

# %% [markdown]
# ## Step 4: copies to LDS that bypass registers
#
# Tiles that a kernel only copies need not go through registers. CDNA4 copies 16 bytes per lane from global memory
# directly to LDS; the wave continues, and waits later for the commit groups that it needs. With a ring buffer of two
# stages (`gl.RingBuffer`, see notebook 6), the next tiles are copied during the MFMAs of the current ones.
#
# Such a copy writes the data of a wave's lanes to consecutive addresses. `direct_copy_layout` finds the layout of the
# copy that fits a layout in LDS.

# %%
DIRECT = {"SHARED": (padded_a, padded_b), "COPY": tuple(direct_copy_layout(x, 16, 4) for x in (padded_a, padded_b))}


@hocket.jit
def copy_tiles(ring, a, b, row0, col0, M, N, K, step, COPY: gl.constexpr):
    TILE: gl.constexpr = ring.buffers[0].shape[1]
    BK: gl.constexpr = ring.buffers[0].shape[2]
    rows = row0 + gl.arange(0, TILE, layout=gl.SliceLayout(1, COPY[0]))
    columns = col0 + gl.arange(0, TILE, layout=gl.SliceLayout(0, COPY[1]))
    k_a = step * BK + gl.arange(0, BK, layout=gl.SliceLayout(0, COPY[0]))
    k_b = step * BK + gl.arange(0, BK, layout=gl.SliceLayout(1, COPY[1]))
    slot = ring.acquire(step)
    amd.cdna4.async_copy.buffer_load_to_shared(
        slot.buffers[0], a, rows[:, None] * K + k_a[None, :], mask=(rows < M)[:, None] & (k_a < K)[None, :]
    )
    amd.cdna4.async_copy.buffer_load_to_shared(
        slot.buffers[1], b, k_b[:, None] * N + columns[None, :], mask=(k_b < K)[:, None] & (columns < N)[None, :]
    )
    ring.commit()


@hocket.jit
def ring_kernel(
    a, b, c, M, N, K, TILE: gl.constexpr, BK: gl.constexpr, ACC: gl.constexpr,
    SHARED: gl.constexpr, COPY: gl.constexpr,
):  # fmt: skip
    row0, col0 = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    a_tiles = gl.allocate_shared_memory(a.dtype.element_ty, [2, TILE, BK], SHARED[0])
    b_tiles = gl.allocate_shared_memory(b.dtype.element_ty, [2, BK, TILE], SHARED[1])
    ring = gl.RingBuffer((a_tiles, b_tiles), fill="groups", consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    acc = gl.zeros([TILE, TILE], gl.float32, ACC)
    copy_tiles(producer, a, b, row0, col0, M, N, K, 0, COPY)
    for step in range(gl.cdiv(K, BK)):
        slot = consumer.wait(step)
        copy_tiles(producer, a, b, row0, col0, M, N, K, step + 1, COPY)
        tile_a = slot.buffers[0].load(gl.DotOperandLayout(0, ACC, 8))
        tile_b = slot.buffers[1].load(gl.DotOperandLayout(1, ACC, 8))
        acc = amd.cdna3.mfma(tile_a, tile_b, acc)
    store_tile(acc, c, row0, col0, M, N, TILE, ACC)


with hocket.emulator.target("gfx950"):
    np.testing.assert_allclose(run(ring_kernel, a, b, **DIRECT), expected, rtol=2e-3, atol=2e-2)
compile_for(ring_kernel, "gfx950", **DIRECT).report()

# %% [markdown]
# The loop now has one stage, without stores to LDS. No wait is for loads into registers: the wait at the barrier is for
# copies that the previous iteration has started.
#
# `hocket.kernels.matmul` uses such a kernel (`hocket/kernels/_matmul/kernel_cdna.py`), or, for large tiles, a warp
# pipeline, the subject of the next notebook. `matmul.explain` gives the reason for the choice:

# %%
print(matmul.explain((4096, 4096, 4096), "float16", "gfx950"))
print()
print(matmul.explain((4096, 4096, 4096), "float16", "gfx942"))

# %% [markdown]
# A missing wait does not lead to occasional wrong results: the compiler computes which copies are in flight, and a read
# of a tile whose copy may be in flight is a compile error. (Without any `commit_group` and `wait_group`, the compiler
# inserts both.)


# %%
@hocket.jit
def hasty_kernel(x, out):
    layout: gl.constexpr = gl.BlockedLayout([8], [64], [1], [0])
    i = gl.arange(0, 512, layout=layout)
    smem = gl.allocate_shared_memory(x.dtype.element_ty, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    amd.cdna4.async_copy.buffer_load_to_shared(smem, x, i)
    amd.cdna4.async_copy.commit_group()
    gl.store(out + i, smem.load(layout))


x = np.arange(512, dtype=np.float16)
with hocket.emulator.target("gfx950"):
    try:
        hasty_kernel[(1,)](x, np.zeros_like(x), num_warps=1)
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# ## Every target, every dtype, ragged edges

# %%
cases = [
    (rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype))
    for m, n, k in ((128, 128, 128), (100, 70, 50))
    for dtype in (np.float16, bfloat16)
]
rows = run_everywhere(
    "amd_matmul",
    matmul,
    lambda a, b: a @ b,
    cases,
    shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=4.0,
    places=[EmulatedDevice(target) for target in ACC],
)
