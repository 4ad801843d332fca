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
# Hopper's tensor cores are driven by *warpgroups*: four warps multiply a tile of 64 rows. They read it from shared
# memory, and they go on while the warps do something else. Two things must wait for a product: who uses its result,
# which is in registers that are still being written, and who overwrites the tiles that it still reads.
#
# In this notebook the compiler places these waits; `kernel.sync_report()` says why each is where it is. At the end we
# write them ourselves, one of them too strong, and see what that costs.

# %%
import re

import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import devices, testing
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma, warpgroup_mma, warpgroup_mma_wait
from hocket.nvidia.hopper import TensorDescriptor

# %% [markdown]
# ## A product in a loop over K
#
# Tiles of `a` and `b` come by TMA into a ring of `SLOTS` slots (notebook 6 has rings of ordinary copies). An mbarrier
# per slot tells when they have arrived. The load for `SLOTS - 1` steps ahead goes into the slot of the step before:
#
# ```text
# step                   0     1     2     3
# slot that is read      0     1     2     0        SLOTS = 3
# slot being loaded      2     0     1     2        who read it? the product of the step before
# ```
#
# `WAIT` says who writes the waits: nobody (-1), or the kernel, which then leaves that many products in flight.


# %%
@hocket.jit
def load_tiles(a_desc, b_desc, a_ring, b_ring, ready, step, steps, row, column, SLOTS: gl.constexpr):
    slot = step % SLOTS
    k = step * a_desc.block_shape[1]
    arrived = ready.index(slot)
    mbarrier.expect(arrived, a_desc.nbytes_per_cta + b_desc.nbytes_per_cta, step < steps)
    tma.async_load(a_desc, [row, k], arrived, a_ring.index(slot), step < steps)
    tma.async_load(b_desc, [k, column], arrived, b_ring.index(slot), step < steps)


@hocket.jit
def product_kernel(a_desc, b_desc, out_desc, K, SLOTS: gl.constexpr, WAIT: gl.constexpr):
    M: gl.constexpr = a_desc.block_shape[0]
    BK: gl.constexpr = a_desc.block_shape[1]
    N: gl.constexpr = b_desc.block_shape[1]
    row, column = gl.program_id(0) * M, gl.program_id(1) * N
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [SLOTS, M, BK], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [SLOTS, BK, N], b_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(ready.index(slot), count=1)
    steps = K // BK
    for step in gl.static_range(SLOTS - 1):
        load_tiles(a_desc, b_desc, a_ring, b_ring, ready, step, steps, row, column, SLOTS)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, N, 16])
    acc = gl.zeros([M, N], gl.float32, layout)
    for step in range(steps):
        slot = step % SLOTS
        mbarrier.wait(ready.index(slot), step // SLOTS & 1)
        acc = warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        if WAIT >= 0:
            acc = warpgroup_mma_wait(WAIT, deps=[acc])
        load_tiles(a_desc, b_desc, a_ring, b_ring, ready, step + SLOTS - 1, steps, row, column, SLOTS)
    if WAIT >= 0:
        acc = warpgroup_mma_wait(0, deps=[acc])
    for slot in gl.static_range(SLOTS):
        mbarrier.invalidate(ready.index(slot))
    tile = gl.allocate_shared_memory(out_desc.dtype, out_desc.block_shape, out_desc.layout)
    tile.store(acc.to(out_desc.dtype))
    tma.async_store(out_desc, [row, column], tile)
    tma.store_wait(0)


def descriptor(array, block):
    return TensorDescriptor.from_tensor(array, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def operands_of(a, b, out, tile=(128, 128, 64)):
    m, n, k = tile
    return descriptor(a, [m, k]), descriptor(b, [k, n]), descriptor(out, [m, n])


def product(a, b, wait=-1, tile=(128, 128, 64), slots=4, warps=4):
    empty = np.empty if isinstance(a, np.ndarray) else a.new_empty
    out = empty((a.shape[0], b.shape[1]), dtype=a.dtype)
    grid = (a.shape[0] // tile[0], b.shape[1] // tile[1])
    options = {"SLOTS": slots, "WAIT": wait, "num_warps": warps, "keep_waits": wait >= 0}
    product_kernel[grid](*operands_of(a, b, out, tile), a.shape[1], **options)
    return out


# %% [markdown]
# ## What the compiler places
#
# Products are counted in groups, as copies are: `wgmma.wait_group n` waits until all groups but the newest `n` are
# done.


# %%
def compiled_for(wait, **options):
    arrays = [np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (128, 128))]
    return product_kernel.warmup(*operands_of(*arrays), 512, SLOTS=4, WAIT=wait, target="sm_90a", **options)


def groups_of(kernel):
    return re.findall(r"wgmma\.(\w+_group)\S*\s*(\d?)", kernel.asm["ptx"])


kernel = compiled_for(-1)
for what, number in groups_of(kernel):
    print(what, number)

# %% [markdown]
# One commit and one wait in the loop, and one wait after it. In the loop the product of this step may go on: only the
# one of the step before reads the slot that is loaded next. After the loop nothing may, for `acc` is used. That is what
# the report says of each wait, fence and barrier:

# %%
print(kernel.sync_report())

# %% [markdown]
# Jupyter shows it beside the source. The operations that a point keeps in order are behind its name.

# %%
kernel.sync_report()

# %% [markdown]
# ## Waits that you write
#
# A kernel that writes a wait has the last word on all of them, and they are checked. A wait that leaves one product
# where its result is used is an error at the line that uses it:


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
# The emulator finishes products *as late as the waits allow*: a wait that is missing gives a wrong result there, even
# where a GPU would be quick enough.

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
# ## What one redundant wait costs
#
# `WAIT = 0` waits for the product of this very step before the next load is started: one group more than needed, in
# every step. Left alone, the compiler relaxes it; `keep_waits=True` keeps it as it is written.

# %%
for keep in (False, True):
    print(f"keep_waits={keep}:", *(f"{what} {number}," for what, number in groups_of(compiled_for(0, keep_waits=keep))))

# %% [markdown]
# The tensor cores then have nothing to do between two steps: no product is queued behind the one that ends. On a GPU
# that is a matter of measuring. In the emulator we count what is queued.


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
    draw(labels, in_flight, "products that go on while the next tiles are loaded")
