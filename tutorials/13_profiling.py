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
# # 13. Profiling: who waits for whom
#
# A kernel whose warps copy, multiply and wait for each other has one number for its speed, and that number does not
# say what to change. `hocket.profiler` lets the kernel record what each warp does when. This notebook finds a slow
# stage that was put into a warp-specialised matrix product, repairs it, and looks at a warp-pipelined attention kernel.
#
# On the emulator, times come from its virtual clock: a model that shows who waits for whom, never how fast hardware is.
# On a GPU the same code measures the GPU.

# %%
import pathlib
import tempfile

import numpy as np

import hocket
from everywhere import hopper_places, run_everywhere
from hocket import devices, profiler
from hocket import language as gl
from hocket.kernels import attention
from hocket.language.nvidia.ampere import async_copy, mbarrier, mma_v2

# %% [markdown]
# ## A product by two partitions
#
# One partition brings tiles of A and B into the slots of a ring, another one multiplies them, as in notebook 9. Here
# plain loads and `mma_v2` do the work, whose time the emulator's clock knows. What is new are four scopes. Names that
# begin with "wait" say that a warp waits there.
#
# `ASYNC` says how tiles come: loaded to registers and stored, or by copies that nobody waits for and that arrive at the
# mbarrier themselves (`cp.async`, notebook 6).


# %%
@hocket.jit
def tile_of(x, row, column, stride, ROWS: gl.constexpr, COLUMNS: gl.constexpr):
    """Pointers to a tile of x; a lane has eight neighbours of a row."""
    lanes: gl.constexpr = COLUMNS // 8
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [32 // lanes, lanes], [gl.num_warps(), 1], [1, 0])
    i = row + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    j = column + gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    return x + i[:, None] * stride + j[None, :]


@hocket.jit
def bring(a, b, N, K, a_ring, b_ring, full, free, ASYNC: gl.constexpr):
    row, column = gl.program_id(0) * 64, gl.program_id(1) * 64
    for step in range(K // 32):
        slot = step % a_ring.shape[0]
        with profiler.scope("wait for a free slot"):
            mbarrier.wait(free.index(slot), (step // a_ring.shape[0] + 1) & 1)
        with profiler.scope("bring tiles", step):
            a_tile = tile_of(a, row, step * 32, K, 64, 32)
            b_tile = tile_of(b, step * 32, column, N, 32, 64)
            if ASYNC:
                async_copy.async_load(a_ring.index(slot), a_tile)
                async_copy.async_load(b_ring.index(slot), b_tile)
                async_copy.mbarrier_arrive(full.index(slot), increment_count=True)
            else:
                a_ring.index(slot).store(gl.load(a_tile))
                b_ring.index(slot).store(gl.load(b_tile))
            mbarrier.arrive(full.index(slot))


@hocket.jit
def multiply(K, a_ring, b_ring, full, free):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [gl.num_warps(), 1], [16, 8])
    acc = gl.zeros([64, 64], gl.float32, acc_layout)
    for step in range(K // 32):
        slot = step % a_ring.shape[0]
        with profiler.scope("wait for tiles"):
            mbarrier.wait(full.index(slot), step // a_ring.shape[0])
        with profiler.scope("multiply", step):
            left = a_ring.index(slot).load(gl.DotOperandLayout(0, acc_layout, 2))
            right = b_ring.index(slot).load(gl.DotOperandLayout(1, acc_layout, 2))
            mbarrier.arrive(free.index(slot))
            acc = mma_v2(left, right, acc)
    return acc


@hocket.jit
def matmul_kernel(a, b, c, N, K, SLOTS: gl.constexpr, ASYNC: gl.constexpr):
    swizzled: gl.constexpr = gl.SwizzledSharedLayout(8, 2, 4, [1, 0])
    a_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 64, 32], swizzled)
    b_ring = gl.allocate_shared_memory(gl.float16, [SLOTS, 32, 64], swizzled)
    full, free = mbarrier.allocate_mbarrier(batch=SLOTS), mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    acc = gl.warp_specialize(
        [
            (multiply, (K, a_ring, b_ring, full, free)),
            (bring, (a, b, N, K, a_ring, b_ring, full, free, ASYNC)),
        ],
        [4],
    )
    i = gl.program_id(0) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(1, acc.type.layout))
    j = gl.program_id(1) * 64 + gl.arange(0, 64, layout=gl.SliceLayout(0, acc.type.layout))
    gl.store(c + i[:, None] * N + j[None, :], acc)


def matmul(a, b, c, copies="asynchronous"):
    (m, k), n = a.shape, b.shape[1]
    matmul_kernel[(m // 64, n // 64)](a, b, c, n, k, SLOTS=4, ASYNC=copies == "asynchronous")
    return c


def operands(m=64, n=64, k=768):
    random = np.random.default_rng(0)
    a, b = (random.integers(-2, 3, shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return a, b, np.zeros((m, n), np.float32)


# %% [markdown]
# ## A session
#
# Inside `profiler.session` launches run variants of their kernels that record, 8 bytes for each beginning and end.
# Outside, the scopes are not there: no instruction of the kernel changes. At the end of a cell a profile is its
# picture.


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
# Each row is a warp. The first four multiply, the others bring tiles. The hatched parts of the upper rows are long:
# these warps wait most of the time. How much, and for what, says the summary; what bounds the loop, and what there is
# to gain if that took no time, says `explain`.

# %%
print(slow.summary())
print()
print(slow.explain())

# %% [markdown]
# Bringing tiles bounds the loop: each turn waits until what it has loaded is there, and then stores it. There is no
# point in making the product faster, or the ring longer. Copies that nobody waits for keep several slots in flight:

# %%
repaired = profile_product("asynchronous")
before, after = slow.explain(), repaired.explain()
print(after)
print()
print(f"a turn took {before.turn:.0f} cycles, now it takes {after.turn:.0f}: {1 - after.turn / before.turn:.0%} less")
print(f"promised, if bringing tiles took no time at all: {before.gain:.0%} less")
assert before.bound == "bring tiles" and after.bound == "multiply" and after.turn < before.turn / 2

# %% [markdown]
# Now the product bounds the loop, and the others wait for free slots. These are cycles of a model: a GPU says how much
# of the gain there is.

# %%
repaired

# %% [markdown]
# ## Stages record themselves
#
# Stages of warp pipelines, partitions and the lives of warps need no scopes. Attention on an emulated CDNA4 GPU, two
# groups of four warps that leap-frog (notebook 11); one warp of each group is enough to see it:

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
# `save` writes a trace for https://ui.perfetto.dev: a process for each block, a track for each warp and one for each
# of its stages. `records()` is all of it as a NumPy array, for questions of your own: how evenly do turns go?

# %%
folder = pathlib.Path(tempfile.mkdtemp())
leaping.save(folder / "attention.json")
launch = leaping.launches[-1]
for site in launch.facts.sites:
    spans = launch.spans[launch.spans["site"] == site.id]
    if site.kind == "stage" and len(spans):
        cycles = spans["end"] - spans["begin"]
        print(f"{site.name:12} {len(spans):4} turns, {cycles.min():6} to {cycles.max():6} cycles")
print(leaping.records()[:3])

# %% [markdown]
# ## On a GPU
#
# Nothing changes but what is measured. The records of one warp in each group of four disturb least; what recording
# costs is measured on the machine, and taken out.

# %%
if (gpu := devices.cuda()) is not None:
    with gpu:
        for copies in ("synchronous", "asynchronous"):
            a, b, c = (gpu.to_device(x) for x in operands(1024, 1024, 2048))
            with profiler.session(copies, units="group") as measured:
                matmul(a, b, c, copies)
            print(measured.summary(), measured.explain(), sep="\n")

# %% [markdown]
# On the command line all this is `hocket profile FILE.py::function --explain`, and `docs/profiling.md` tells the rest.
# And now it runs everywhere:

# %%
rows = run_everywhere(
    "product by two partitions",
    matmul,
    lambda a, b, c: a.astype(np.float64) @ b.astype(np.float64),
    [operands(128, 128, 256)],
    lambda a, b, c: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=1,
    places=hopper_places(),
)
