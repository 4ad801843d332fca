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
# # 8. wgmma, and when to wait for it
#
# On Hopper, a *warpgroup* of four warps executes a wgmma: an asynchronous MMA on tiles of 64 rows, with operands in
# shared memory. The warps continue while the tensor cores compute. Two kinds of operations must wait for a wgmma: those
# that use its result, whose registers it still writes, and those that overwrite the operands, which it still reads.
#
# In this notebook the compiler inserts these waits, and `kernel.sync_report()` explains each of them. At the end we
# write the waits ourselves, one of them stronger than necessary, and measure its cost.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import devices, testing
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma, warpgroup_mma_wait
from hocket.nvidia.hopper import TensorDescriptor

# %% [markdown]
# ## A wgmma in a loop over K
#
# TMA copies tiles of `a` and `b` into a ring buffer of `STAGES` stages: a `gl.RingBuffer`, which notebook 7 explains.
# Each iteration starts the load for `STAGES - 1` iterations later, into the stage of the previous iteration:
#
# ```text
# iteration             0     1     2     3
# stage that is read    0     1     2     0        STAGES = 3
# stage being loaded    2     0     1     2        last read by the wgmma of the previous iteration
# ```
#
# With `WAIT = -1` the kernel contains no waits for wgmmas; otherwise it waits and leaves `WAIT` of them in flight.


# %%
@hocket.jit
def load_tiles(ring, a_desc, b_desc, step, steps, row, column):
    slot = ring.acquire(step, pred=step < steps)
    k = step * a_desc.block_shape[1]
    tma.async_load(a_desc, [row, k], slot.full, slot.buffers[0], pred=step < steps)
    tma.async_load(b_desc, [k, column], slot.full, slot.buffers[1], pred=step < steps)


@hocket.jit
def product_kernel(a_desc, b_desc, out_desc, K, STAGES: gl.constexpr, WAIT: gl.constexpr):
    row, column = gl.program_id(0) * out_desc.block_shape[0], gl.program_id(1) * out_desc.block_shape[1]
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    steps = K // a_desc.block_shape[1]
    for step in gl.static_range(STAGES - 1):
        load_tiles(producer, a_desc, b_desc, step, steps, row, column)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, out_desc.block_shape[1], 16])
    acc = gl.zeros(out_desc.block_shape, gl.float32, layout)
    for step in range(steps):
        slot = consumer.wait(step)
        acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
        if WAIT >= 0:
            acc = warpgroup_mma_wait(WAIT, deps=[acc])
        load_tiles(producer, a_desc, b_desc, step + STAGES - 1, steps, row, column)
    if WAIT >= 0:
        acc = warpgroup_mma_wait(0, deps=[acc])
    ring.invalidate()
    tile = gl.allocate_shared_memory(out_desc.dtype, out_desc.block_shape, out_desc.layout)
    tile.store(acc.to(out_desc.dtype))
    tma.async_store(out_desc, [row, column], tile)
    tma.store_wait(0)


def descriptor(array, block):
    return TensorDescriptor.from_tensor(array, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def operands_of(a, b, out, tile=(128, 128, 64)):
    m, n, k = tile
    return descriptor(a, [m, k]), descriptor(b, [k, n]), descriptor(out, [m, n])


def product(a, b, wait=-1, tile=(128, 128, 64), stages=4, warps=4):
    empty = np.empty if isinstance(a, np.ndarray) else a.new_empty
    out = empty((a.shape[0], b.shape[1]), dtype=a.dtype)
    grid = (a.shape[0] // tile[0], b.shape[1] // tile[1])
    options = {"STAGES": stages, "WAIT": wait, "num_warps": warps, "keep_waits": wait >= 0}
    product_kernel[grid](*operands_of(a, b, out, tile), a.shape[1], **options)
    return out


# %% [markdown]
# ## Waits that the compiler inserts
#
# Like copies, wgmmas are committed in groups: `wgmma.wait_group n` waits until all groups except the newest `n` have
# completed.


# %%
def compiled_for(wait, **options):
    arrays = [np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (128, 128))]
    return product_kernel.warmup(*operands_of(*arrays), 512, STAGES=4, WAIT=wait, target="sm_90a", **options)


def groups_of(kernel):
    return re.findall(r"wgmma\.(\w+_group)\S*\s*(\d?)", kernel.asm["ptx"])


kernel = compiled_for(-1)
for what, number in groups_of(kernel):
    print(what, number)

# %% [markdown]
# There is one commit and one wait in the loop, and one wait after it. In the loop, the wgmma of the current iteration
# may stay in flight: only the wgmma of the previous iteration reads the stage that is loaded next. After the loop no
# wgmma may be in flight, because `acc` is used. The report explains each wait, fence and barrier:

# %%
print(kernel.sync_report())

# %% [markdown]
# Jupyter shows the report beside the source. Unfold an entry to see the operations that it orders.

# %%
kernel.sync_report()

# %% [markdown]
# ## Waits that you write
#
# If a kernel contains a wait, the compiler inserts none and checks the existing ones. A wait that leaves a wgmma in
# flight whose result is used is an error at the line of the use:


# %%
@hocket.jit
def uses_too_early(out_ptr):
    shared: gl.constexpr = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    rows: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    tile = gl.allocate_shared_memory(gl.float16, [64, 64], shared, gl.full([64, 64], 1, gl.float16, rows))
    acc = warpgroup_mma(tile, tile, gl.zeros([64, 64], gl.float32, layout), is_async=True)
    acc = warpgroup_mma_wait(1, deps=[acc])
    gl.store(out_ptr, gl.max(gl.max(acc, 1), 0))


try:
    uses_too_early.warmup(gl.float32, target="sm_90a")
except hocket.CompileError as error:
    print(error)

# %% [markdown]
# ## Every Hopper target
#
# The emulator completes wgmmas *as late as the waits allow*: with a missing wait the emulator computes a wrong result,
# even if a GPU would be fast enough.

# %%
rng = np.random.default_rng(0)
cases = [tuple(rng.standard_normal(shape).astype(np.float16) for shape in ((128, k), (k, 256))) for k in (64, 320)]
hopper = [device for device in devices.available() if device.name.startswith(("sm_90", "cuda"))]
for name, wait in (("product, waits placed", -1), ("product, waits written", 1)):
    run_everywhere(
        name,
        lambda a, b, wait=wait: product(a, b, wait),
        lambda a, b: a @ b,
        cases,
        shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
        tolerance_ulp=1.0,
        places=hopper,
    )

# %% [markdown]
# ## The cost of a redundant wait
#
# `WAIT = 0` waits for the wgmma of the current iteration before the next load is started: one group more than needed,
# in every iteration. The compiler keeps this wait. By default the compiler removes the wait after the loop, because no
# wgmma is in flight there; `keep_waits=True` keeps all waits as written.

# %%
for keep in (False, True):
    print(f"keep_waits={keep}:", *(f"{what} {number}," for what, number in groups_of(compiled_for(0, keep_waits=keep))))

# %% [markdown]
# The tensor cores are then idle between two iterations, because no wgmma is queued behind the one that completes. On a
# GPU, the cell measures the cost; on the emulator, it counts the wgmmas in flight.


# %%
def draw(labels, values, unit):
    _, axes = plt.subplots(figsize=(7, 1.6))
    axes.barh(labels, values, color=["C0", "C1"])
    axes.invert_yaxis()
    axes.set_xlabel(unit)


labels = ["leaves 1 group (placed)", "leaves 0 groups (redundant)"]
gpus = [device for device in hopper if device.name.startswith("cuda")]
if gpus:
    with gpus[0] as gpu:
        a, b = (gpu.to_device(rng.standard_normal((4096, 4096)).astype(np.float16)) for _ in range(2))
        launches = [lambda wait=wait: product(a, b, wait, tile=(128, 256, 64), warps=8) for wait in (-1, 0)]
        times = [testing.do_bench(launch, return_mode="median") for launch in launches]
    draw(labels, [2 * 4096**3 / milliseconds / 1e9 for milliseconds in times], "TFLOP/s at 4096 x 4096 x 4096")
else:
    groups = [groups_of(compiled_for(wait, keep_waits=True)) for wait in (-1, 0)]
    in_flight = [max(int(number) for what, number in each if what == "wait_group") for each in groups]
    draw(labels, in_flight, "wgmmas in flight while the next tiles are loaded")
