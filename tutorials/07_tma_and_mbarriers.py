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
# # 7. TMA and mbarriers: one thread moves a tile
#
# With the asynchronous copies of notebook 6 every lane computes addresses and starts copies of its own, 16 bytes each.
# Hopper has a unit that does this for a whole tile: the *tensor memory accelerator* (TMA). One thread names a block of
# a tensor, and the unit computes the addresses, cuts off what lies outside of the tensor, and writes the tile into
# shared memory in the order that tensor cores like. When it has arrived, an *mbarrier* says so.
#
# This notebook adds two matrices by it, breaks the kernel in the four ways in which such kernels break, and reads what
# the emulator says. It needs no GPU; with a Hopper GPU it ends with a measurement.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import hopper_gpu, hopper_places, run_everywhere
from hocket import language as gl
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

# %% [markdown]
# ## Descriptors
#
# What TMA must know of a tensor is said on the host, in a `TensorDescriptor`: where it lies, its sizes and strides, how
# large the blocks are that will be moved, and in which layout they lie in shared memory. `NVMMASharedLayout` has a
# *swizzle*: rows are permuted in pieces of 16 bytes, so that a column of the tile lies in different banks.
#
# A kernel takes the descriptor as one argument and asks it for the rest.

# %%
BLOCK = [32, 64]
LAYOUT = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])


def describe(matrix):
    return TensorDescriptor.from_tensor(matrix, BLOCK, gl.NVMMASharedLayout(128, 32))


# %% [markdown]
# ## A tile per block
#
# An mbarrier is a word of shared memory that goes through *phases*, 0, 1, 2, .. A phase ends when as many threads have
# arrived as `init` says, and as many bytes as `expect` says (which also arrives). Whoever waits for phase 0 goes on
# when it has ended. The kernel:
#
# 1. makes the mbarrier: one arrival ends a phase,
# 2. expects the bytes of both tiles, which is that arrival,
# 3. starts both loads; each brings its bytes to the mbarrier when it is done,
# 4. waits for phase 0, and uses the tiles,
# 5. starts a store, and waits until it has read the tile: shared memory ends with the block.


# %%
@hocket.jit
def add_one_tile(x_desc, y_desc, out_desc):
    row = gl.program_id(0) * x_desc.block_shape[0]
    column = gl.program_id(1) * x_desc.block_shape[1]
    x_tile = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_shape, x_desc.layout)
    y_tile = gl.allocate_shared_memory(y_desc.dtype, y_desc.block_shape, y_desc.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    mbarrier.expect(arrived, x_desc.nbytes_per_cta + y_desc.nbytes_per_cta)
    tma.async_load(x_desc, [row, column], arrived, x_tile)
    tma.async_load(y_desc, [row, column], arrived, y_tile)
    mbarrier.wait(arrived, phase=0)
    x_tile.store(x_tile.load(LAYOUT) + y_tile.load(LAYOUT))
    tma.async_store(out_desc, [row, column], x_tile)
    tma.store_wait(0)


def empty_like(x):
    return np.empty_like(x) if isinstance(x, np.ndarray) else x.new_empty(x.shape)


def add_tile_by_tile(x, y):
    out = empty_like(x)
    grid = hocket.cdiv(x.shape[0], BLOCK[0]), hocket.cdiv(x.shape[1], BLOCK[1])
    add_one_tile[grid](describe(x), describe(y), describe(out))
    return out


# %% [markdown]
# There is no mask: the last tiles of a matrix of 100 x 200 lie half outside of it. Loads fill them with zeros, and
# stores leave out what is not there.

# %%
rng = np.random.default_rng(0)
cases = [tuple(rng.standard_normal((2, *shape), dtype=np.float32)) for shape in ((64, 128), (100, 200))]


def shape_of(x, y):
    return "x".join(map(str, x.shape))


rows = run_everywhere(
    "add, a tile per block", add_tile_by_tile, np.add, cases, shape_of, tolerance_ulp=1.0, places=hopper_places()
)

# %% [markdown]
# In the code, one lane does all of it; the others wait:

# %%
x, y = cases[0]
ptx = add_one_tile.warmup(describe(x), describe(y), describe(x), target="sm_90a").asm["ptx"]
for line in ptx.splitlines():
    if any(name in line for name in ("elect.sync", "cp.async.bulk", "mbarrier", "fence.proxy")):
        print(line.strip()[:110])

# %% [markdown]
# The `fence.proxy.async` before the store was not written by us. Threads and TMA see shared memory through different
# *proxies*: what `x_tile.store` has written, TMA sees after a fence and a barrier. The compiler inserts both where
# they are needed, and only there.
#
# ## A ring, so that memory never waits
#
# Above, a block loads, adds and stores, one after the other, and relies on other blocks to keep memory busy. Better is
# a block that goes over many tiles, with `SLOTS` of them on their way. Each slot of the ring has an mbarrier of its
# own. A slot is used again and again, so its phases matter now: the tile of step `s` lies in slot `s % SLOTS` and
# arrives in phase `s // SLOTS` of that slot's mbarrier. `wait` looks at the parity only.
#
# ```text
# step    0  1  2  3  4  5  6  7
# slot    0  1  2  0  1  2  0  1      SLOTS = 3
# phase   0  0  0  1  1  1  2  2
# ```
#
# Stores have a ring as well, of two tiles. They need no mbarrier: a thread waits for its own stores by their number.
# `store_wait(1)` lets the newest one run on.


# %%
@hocket.jit
def load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, tile, tiles, columns, SLOT):
    """Starts the loads of tile number `tile`, if there is one."""
    there = tile < tiles
    row, column = tile // columns * x_desc.block_shape[0], tile % columns * x_desc.block_shape[1]
    mbarrier.expect(arrived.index(SLOT), x_desc.nbytes_per_cta + y_desc.nbytes_per_cta, pred=there)
    tma.async_load(x_desc, [row, column], arrived.index(SLOT), x_ring.index(SLOT), pred=there)
    tma.async_load(y_desc, [row, column], arrived.index(SLOT), y_ring.index(SLOT), pred=there)


@hocket.jit
def add_many_tiles(x_desc, y_desc, out_desc, tiles, columns, SLOTS: gl.constexpr):
    first, stride = gl.program_id(0), gl.num_programs(0)
    x_ring = gl.allocate_shared_memory(x_desc.dtype, [SLOTS, *x_desc.block_shape], x_desc.layout)
    y_ring = gl.allocate_shared_memory(y_desc.dtype, [SLOTS, *y_desc.block_shape], y_desc.layout)
    out_ring = gl.allocate_shared_memory(out_desc.dtype, [2, *out_desc.block_shape], out_desc.layout)
    arrived = mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(arrived.index(slot), count=1)
    for slot in gl.static_range(SLOTS):
        load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, first + slot * stride, tiles, columns, slot)
    for step in range((tiles - first + stride - 1) // stride):
        slot = step % SLOTS
        mbarrier.wait(arrived.index(slot), phase=step // SLOTS)
        total = x_ring.index(slot).load(LAYOUT) + y_ring.index(slot).load(LAYOUT)
        tile = first + step * stride
        load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, tile + SLOTS * stride, tiles, columns, slot)
        tma.store_wait(1)
        out_ring.index(step % 2).store(total)
        row, column = tile // columns * x_desc.block_shape[0], tile % columns * x_desc.block_shape[1]
        tma.async_store(out_desc, [row, column], out_ring.index(step % 2))
    tma.store_wait(0)


def add_by_ring(x, y, slots=3, blocks=3):
    out = empty_like(x)
    columns = hocket.cdiv(x.shape[1], BLOCK[1])
    tiles = hocket.cdiv(x.shape[0], BLOCK[0]) * columns
    add_many_tiles[(min(blocks, tiles),)](describe(x), describe(y), describe(out), tiles, columns, SLOTS=slots)
    return out


rows = run_everywhere(
    "add, a ring of tiles", add_by_ring, np.add, cases, shape_of, tolerance_ulp=1.0, places=hopper_places()
)

# %% [markdown]
# ## Four mistakes
#
# On a GPU the first one hangs, and the other three are right most of the time. The emulator finds each at once: it
# counts arrivals and bytes, knows who waits for what, and lets copies arrive as late as the waits allow. `MISTAKE`
# chooses one.


# %%
@hocket.jit
def copy_with(MISTAKE: gl.constexpr, x_desc, out_desc, steps):
    tile = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_shape, x_desc.layout)
    result = gl.allocate_shared_memory(x_desc.dtype, x_desc.block_shape, x_desc.layout)
    arrived = mbarrier.allocate_mbarrier()
    mbarrier.init(arrived, count=1)
    for step in range(steps):
        row = step * x_desc.block_shape[0]
        if MISTAKE == "no expect":
            mbarrier.arrive(arrived)
        elif MISTAKE == "too many bytes":
            mbarrier.expect(arrived, 2 * x_desc.nbytes_per_cta)
        else:
            mbarrier.expect(arrived, x_desc.nbytes_per_cta)
        tma.async_load(x_desc, [row, 0], arrived, tile)
        if MISTAKE != "no wait":
            mbarrier.wait(arrived, 0 if MISTAKE == "always phase 0" else step)
        result.store(tile.load(LAYOUT) * 2)
        tma.async_store(out_desc, [row, 0], result)
        tma.store_wait(0)


def try_copy(mistake):
    x, out = np.ones((96, 64), np.float32), np.zeros((96, 64), np.float32)
    with hocket.emulator.target("sm_90a"):
        try:
            copy_with[(1,)](mistake, describe(x), describe(out), 3)
        except hocket.EmulatorError as error:
            print(error, "\n")
        else:
            print(f"right: {(out == 2 * x).all()}")


try_copy("none")

# %% [markdown]
# **An `expect` that asks for too much** (or loads that were forgotten): the phase lacks bytes, and says how many.

# %%
try_copy("too many bytes")

# %% [markdown]
# **No `expect`.** The arrival alone ends the phase, so `wait` returns at once, and the tile is read while TMA still
# writes it. On a GPU that is right as long as the copy happens to be faster than the warps.

# %%
try_copy("no expect")

# %% [markdown]
# **No `wait`.** Warps that wait for nothing may read the tile even before warp 0 has started the load. So the report is
# one of a race, from the load's side:

# %%
try_copy("no wait")

# %% [markdown]
# **The wrong phase.** In step 1 the kernel waits for phase 0, which has long ended. So nothing keeps it from reading
# the tile of step 0 once more, and it is the same race:

# %%
try_copy("always phase 0")

# %% [markdown]
# Who waits for a phase too far ahead instead deadlocks, which is the other half of this mistake: the message then names
# the mbarrier, its phase, and what it lacks.
#
# ## What it is worth
#
# An addition reads 8 bytes and writes 4 for each element: it is as fast as memory. On a Hopper GPU this measures the
# bandwidth of both kernels, with 1 to 4 slots.

# %%
if hopper_gpu():
    import torch

    from hocket.testing import do_bench

    size = 16384
    x, y = (torch.randn(size, size, device="cuda") for _ in range(2))
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    variants = {"a tile\nper block": add_tile_by_tile, "PyTorch": torch.add}
    for slots in (1, 2, 3, 4):
        blocks = multiprocessors * (2 if slots < 4 else 1)
        variants[f"ring of {slots}"] = lambda x, y, slots=slots, blocks=blocks: add_by_ring(x, y, slots, blocks)
    bandwidth = {
        name: 3 * x.nbytes / do_bench(lambda add=add: add(x, y), return_mode="median") * 1e-9
        for name, add in variants.items()
    }
    figure, axes = plt.subplots(figsize=(7, 3))
    axes.bar_label(axes.bar(list(bandwidth), list(bandwidth.values())), fmt="%.2f")
    axes.set_ylabel("TB/s")
    axes.set_title(f"float32 addition of {size} x {size}")
    plt.show()
else:
    print("There is no Hopper GPU here: nothing to measure.")
