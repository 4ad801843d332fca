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
# # 14. Profiling: which warp waits for which
#
# The total time of a kernel whose warps copy, compute and wait for each other does not show what to change. With
# `hocket.profiler`, a kernel records the times of each warp's activities. This notebook finds and removes the
# bottleneck of a warp-specialized GEMM, and then profiles a warp-pipelined attention kernel.
#
# On the emulator, times are those of its virtual clock: a model that shows which warp waits for which, but not the
# speed of hardware. On a GPU, the same code measures the GPU.

# %%
import pathlib
import tempfile

import numpy as np

import hocket
from everywhere import hopper_places, run_everywhere
from hocket import devices, profiler
from hocket import language as gl
from hocket.kernels import attention
from hocket.language.nvidia.ampere import async_copy, mma_v2

# %% [markdown]
# ## A GEMM by two partitions
#
# One partition copies tiles of A and B to a ring buffer, another one executes the MMAs, as in notebook 9. This kernel
# uses plain loads and `mma_v2`, whose times the emulator models. It also has four profiler scopes. A name that begins
# with "wait" marks the scope as waiting time.
#
# `ASYNC` selects how stages of the ring buffer are filled: `fill="stores"`, where tiles are loaded to registers and
# stored; or `fill="cp.async"`, asynchronous copies (notebook 6) that arrive at the stage's mbarrier on completion, so
# that the producer does not wait for them. `producers` is then the number of producer warps.


# %%
@hocket.jit
def tile_of(x, row, column, stride, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    """Returns pointers to a tile of x; a lane has eight consecutive elements of a row."""
    lanes: gl.constexpr = COLUMNS // 8
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [32 // lanes, lanes], [gl.num_warps(), 1], [1, 0])
    i = row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    j = column + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    return x + i[:, None] * stride + j[None, :]


@hocket.jit
def produce(ring, a, b, N, K, ASYNC: gl.constexpr):
    row, column = gl.program_id(0) * 64, gl.program_id(1) * 64
    for step in range(K // 32):
        with profiler.scope("wait for a free stage"):
            slot = ring.acquire(step)
        with profiler.scope("load tiles", step):
            a_tile = tile_of(a, row, step * 32, K, 64, 32)
            b_tile = tile_of(b, step * 32, column, N, 32, 64)
            if ASYNC:
                async_copy.async_load(slot.buffers[0], a_tile)
                async_copy.async_load(slot.buffers[1], b_tile)
            else:
                slot.buffers[0].store(gl.load(a_tile))
                slot.buffers[1].store(gl.load(b_tile))
            ring.commit(step)


@hocket.jit
def consume(ring, K):
    layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [gl.num_warps(), 1], [16, 8])
    acc = gl.zeros([64, 64], gl.float32, layout)
    for step in range(K // 32):
        with profiler.scope("wait for tiles"):
            slot = ring.wait(step)
        with profiler.scope("MMA", step):
            left = slot.buffers[0].load(gl.DotOperandLayout(0, layout, 2))
            right = slot.buffers[1].load(gl.DotOperandLayout(1, layout, 2))
            ring.release(step)
            acc = mma_v2(left, right, acc)
    return acc


@hocket.jit
def matmul_kernel(a, b, c, N, K, STAGES: gl.constexpr, ASYNC: gl.constexpr):
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    a_tiles = gl.allocate_shared_memory(gl.float16, [STAGES, 64, 32], swizzled)
    b_tiles = gl.allocate_shared_memory(gl.float16, [STAGES, 32, 64], swizzled)
    fill: gl.constexpr = "cp.async" if ASYNC else "stores"
    ring = gl.RingBuffer((a_tiles, b_tiles), fill=fill, producers=4 if ASYNC else 1)
    acc = gl.warp_specialize([(consume, (ring.consumer(), K)), (produce, (ring.producer(), a, b, N, K, ASYNC))], [4])
    ring.invalidate()
    i = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, acc.type.layout))
    j = gl.program_id(1) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, acc.type.layout))
    gl.store(c + i[:, None] * N + j[None, :], acc)


def matmul(a, b, c, copies="asynchronous"):
    (m, k), n = a.shape, b.shape[1]
    matmul_kernel[(m // 64, n // 64)](a, b, c, n, k, STAGES=4, ASYNC=copies == "asynchronous")
    return c


def operands(m=64, n=64, k=768):
    random = np.random.default_rng(0)
    a, b = (random.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return a, b, np.zeros((m, n), np.float32)


# %% [markdown]
# ## A session
#
# Inside `profiler.session`, launches run variants of their kernels that write a record of 8 bytes at each beginning and
# end of a scope. Outside, scopes generate no code. At the end of a cell, Jupyter shows a profile as a picture.


# %%
def profile_product(copies):
    arrays = operands()
    with profiler.session(f"product, {copies} copies") as profile:
        result = matmul(*arrays, copies)
    np.testing.assert_array_equal(result, arrays[0].astype(np.float32) @ arrays[1].astype(np.float32))
    return profile


slow = profile_product("synchronous")
slow

# %% [markdown]
# Each row is a warp. The first four are consumers, the others producers. The hatched parts of the upper rows are long:
# the consumers wait most of the time. The summary shows how long they wait, and for what. `explain` names the
# bottleneck of the loop, and estimates the gain if the bottleneck took no time.

# %%
print(slow.summary())
print()
print(slow.explain())

# %% [markdown]
# The copies of tiles are the bottleneck: each iteration of the producer waits for its loads and then stores the tiles.
# Faster MMAs or a larger ring buffer would not help. Asynchronous copies keep several stages in flight:

# %%
repaired = profile_product("asynchronous")
before, after = slow.explain(), repaired.explain()
print(after)
print()
print(
    f"cycles of an iteration: {before.cycles:.0f} before, {after.cycles:.0f} now, "
    f"{1 - after.cycles / before.cycles:.0%} less"
)
print(f"predicted, if copies of tiles took no time: {before.gain:.0%} less")
assert before.bound == "load tiles" and after.bound == "MMA" and after.cycles < before.cycles / 2

# %% [markdown]
# Now the MMAs are the bottleneck, and the producers wait for free stages. These are cycles of a model; only a
# measurement on a GPU shows the real gain.

# %%
repaired

# %% [markdown]
# ## Records without scopes
#
# Stages of warp pipelines, partitions, and the beginning and end of warps are recorded without scopes. This is
# attention on an emulated CDNA4 GPU, with two groups of four warps, one stage apart (notebook 11). One warp of each
# group suffices:

# %%
random = np.random.default_rng(1)
q, k, v = (random.standard_normal((1, 1, n, 64)).astype(np.float16) for n in (128, 896, 896))
with hocket.emulator.target("gfx950"), profiler.session("attention", units="group") as leaping:
    attention(q, k, v, pipelined=True)
print(leaping.explain())
leaping

# %% [markdown]
# ## A trace
#
# `save` writes a trace for https://ui.perfetto.dev: a process for each block, with tracks for each warp and for each of
# its stages. `records()` returns all records as a NumPy array, here to compute the variation of the iterations' times:

# %%
folder = pathlib.Path(tempfile.mkdtemp())
leaping.save(folder / "attention.json")
launch = leaping.launches[-1]
for site in launch.facts.sites:
    spans = launch.spans[launch.spans["site"] == site.id]
    if site.kind == "stage" and len(spans):
        cycles = spans["end"] - spans["begin"]
        print(f"{site.name:12} {len(spans):4} iterations, {cycles.min():6} to {cycles.max():6} cycles")
print(leaping.records()[:3])

# %% [markdown]
# ## On a GPU
#
# The same code profiles a GPU. Recording only one warp of each group of four has the least overhead. The profiler
# measures the cost of a record on the machine, and subtracts it.

# %%
if (gpu := devices.cuda()) is not None:
    with gpu:
        for copies in ("synchronous", "asynchronous"):
            a, b, c = (gpu.to_device(x) for x in operands(1024, 1024, 2048))
            with profiler.session(copies, units="group") as measured:
                matmul(a, b, c, copies)
            print(measured.summary(), measured.explain(), sep="\n")

# %% [markdown]
# The command line is `hocket profile FILE.py::function --explain`; see `docs/profiling.md`. The kernel on every target:

# %%
rows = run_everywhere(
    "GEMM by two partitions",
    matmul,
    lambda a, b, c: a.astype(np.float64) @ b.astype(np.float64),
    [operands(128, 128, 256)],
    lambda a, b, c: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=1,
    places=hopper_places(),
)
