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
# # 7. TMA and mbarriers: one thread copies a tile
#
# With the asynchronous copies of notebook 6, every lane computes addresses and starts copies of 16 bytes. Hopper has a
# unit that copies a whole tile: the *tensor memory accelerator* (TMA). One thread passes the coordinates of a block of
# a tensor. The unit computes the addresses, omits elements outside the tensor, and writes the tile to shared memory in
# a layout that tensor cores read. An *mbarrier* signals completion.
#
# This notebook adds two matrices with TMA, introduces the four typical mistakes of such kernels, and explains the
# emulator's messages. It needs no GPU; with a Hopper GPU it ends with a measurement.

# %%
from functools import partial

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
# The host describes a tensor for TMA by a `TensorDescriptor`: its address, sizes and strides, the size of the blocks to
# copy, and their layout in shared memory. `NVMMASharedLayout` has a *swizzle*: it permutes the 16-byte vectors of a
# row, so that the elements of a column are in different banks.
#
# The descriptor is one argument of the kernel, and its attributes give the kernel the dtype, block shape and layout.

# %%
BLOCK = [32, 64]
LAYOUT = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])


def describe(matrix):
    return TensorDescriptor.from_tensor(matrix, BLOCK, gl.NVMMASharedLayout(128, 32))


# %% [markdown]
# ## A tile per block
#
# An mbarrier is a 64-bit word of shared memory with *phases* 0, 1, 2, ... A phase completes after the number of
# arrivals given to `init` and the number of bytes given to `expect` (which also arrives). A thread that waits for phase
# 0 continues when the phase has completed. The kernel:
#
# 1. initializes the mbarrier: one arrival completes a phase,
# 2. expects the bytes of both tiles, which is that arrival,
# 3. starts both loads; each adds its bytes to the mbarrier when it completes,
# 4. waits for phase 0, and uses the tiles,
# 5. starts a store, and waits until the store has read the tile, since shared memory is freed at the end of the block.


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
# There is no mask, although the last tiles of a matrix of 100 x 200 are partly outside of it: loads fill these elements
# with zeros, and stores do not write them.

# %%
rng = np.random.default_rng(0)
cases = [tuple(rng.standard_normal((2, *shape), dtype=np.float32)) for shape in ((64, 128), (100, 200))]


def shape_of(x, y):
    return "x".join(map(str, x.shape))


rows = run_everywhere(
    "add, a tile per block", add_tile_by_tile, np.add, cases, shape_of, tolerance_ulp=1.0, places=hopper_places()
)

# %% [markdown]
# In the compiled code, one lane executes all of these instructions, and the others wait:

# %%
x, y = cases[0]
ptx = add_one_tile.warmup(describe(x), describe(y), describe(x), target="sm_90a").asm["ptx"]
for line in ptx.splitlines():
    if any(name in line for name in ("elect.sync", "cp.async.bulk", "mbarrier", "fence.proxy")):
        print(line.strip()[:110])

# %% [markdown]
# The compiler has inserted the `fence.proxy.async` before the store. Threads and TMA access shared memory through
# different *proxies*: the writes of `x_tile.store` are visible to TMA after a fence and a barrier. The compiler inserts
# both only where they are needed.
#
# ## A ring buffer to keep memory busy
#
# Above, a block loads, adds and stores sequentially, so memory is only busy if other blocks run at the same time. A
# block that processes many tiles, with `STAGES` of them in flight, keeps memory busy without other blocks. Each stage
# of the ring buffer has its own mbarrier. A stage is reused, so its phase matters: the tile of iteration `s` is in
# stage `s % STAGES`, and its copy completes phase `s // STAGES` of that stage's mbarrier. `wait` uses only the parity
# of the phase.
#
# ```text
# iteration  0  1  2  3  4  5  6  7
# stage      0  1  2  0  1  2  0  1      STAGES = 3
# phase      0  0  0  1  1  1  2  2
# ```
#
# Stores also have a ring buffer, of two tiles. They need no mbarrier: a thread waits for its own stores by number.
# `store_wait(1)` leaves the newest store pending.


# %%
@hocket.jit
def corner(desc, tile, columns):
    """The first row and column of tile number `tile`."""
    return [tile // columns * desc.block_shape[0], tile % columns * desc.block_shape[1]]


@hocket.jit
def store_tile(desc, at, buffer, values):
    tma.store_wait(1)
    buffer.store(values)
    tma.async_store(desc, at, buffer)


@hocket.jit
def load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, tile, tiles, columns, STAGE):
    """Starts the loads of tile number `tile`, if that tile exists."""
    there = tile < tiles
    mbarrier.expect(arrived.index(STAGE), x_desc.nbytes_per_cta + y_desc.nbytes_per_cta, pred=there)
    tma.async_load(x_desc, corner(x_desc, tile, columns), arrived.index(STAGE), x_ring.index(STAGE), pred=there)
    tma.async_load(y_desc, corner(y_desc, tile, columns), arrived.index(STAGE), y_ring.index(STAGE), pred=there)


@hocket.jit
def add_many_tiles(x_desc, y_desc, out_desc, tiles, columns, STAGES: gl.constexpr):
    first, stride = gl.program_id(0), gl.num_programs(0)
    x_ring = gl.allocate_shared_memory(x_desc.dtype, [STAGES, *x_desc.block_shape], x_desc.layout)
    y_ring = gl.allocate_shared_memory(y_desc.dtype, [STAGES, *y_desc.block_shape], y_desc.layout)
    out_ring = gl.allocate_shared_memory(out_desc.dtype, [2, *out_desc.block_shape], out_desc.layout)
    arrived = mbarrier.allocate_mbarrier(batch=STAGES)
    for stage in gl.static_range(STAGES):
        mbarrier.init(arrived.index(stage), count=1)
    for stage in gl.static_range(STAGES):
        load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, first + stage * stride, tiles, columns, stage)
    for step in range((tiles - first + stride - 1) // stride):
        stage = step % STAGES
        mbarrier.wait(arrived.index(stage), phase=step // STAGES)
        total = x_ring.index(stage).load(LAYOUT) + y_ring.index(stage).load(LAYOUT)
        tile = first + step * stride
        load_tiles(x_desc, y_desc, x_ring, y_ring, arrived, tile + STAGES * stride, tiles, columns, stage)
        store_tile(out_desc, corner(out_desc, tile, columns), out_ring.index(step % 2), total)
    tma.store_wait(0)


def add_by_ring(x, y, kernel=add_many_tiles, stages=3, blocks=3):
    out = empty_like(x)
    columns = hocket.cdiv(x.shape[1], BLOCK[1])
    tiles = hocket.cdiv(x.shape[0], BLOCK[0]) * columns
    kernel[(min(blocks, tiles),)](describe(x), describe(y), describe(out), tiles, columns, STAGES=stages)
    return out


rows = run_everywhere(
    "add, a ring of tiles", add_by_ring, np.add, cases, shape_of, tolerance_ulp=1.0, places=hopper_places()
)

# %% [markdown]
# ## The same ring buffer with `gl.RingBuffer`
#
# The mbarriers, stages and phases are the same in every kernel of this form. `gl.RingBuffer` computes them from the
# number of the iteration. A stage may have several buffers, here one for `x` and one for `y`.
#
# | method | replaces |
# |---|---|
# | `gl.RingBuffer(buffers, consumers=0)` | `allocate_mbarrier`, and `init` of each stage |
# | `slot = producer.acquire(step)` | `expect` of the bytes of all buffers. `slot.full` is the mbarrier, for the loads |
# | `slot = consumer.wait(step)` | `wait`, with the stage and the phase of `step`. The buffers are `slot.buffers` |
#
# `consumers=0` means that the warps that start the loads also read the tiles, so they read a stage before they fill it
# again. Notebook 9 divides this work between different warps, which must then also wait for each other to read.


# %%
@hocket.jit
def fill_stage(ring, x_desc, y_desc, step, tile, tiles, columns):
    there = tile < tiles
    slot = ring.acquire(step, pred=there)
    tma.async_load(x_desc, corner(x_desc, tile, columns), slot.full, slot.buffers[0], pred=there)
    tma.async_load(y_desc, corner(y_desc, tile, columns), slot.full, slot.buffers[1], pred=there)


@hocket.jit
def add_tiles_of_ring(x_desc, y_desc, out_desc, tiles, columns, STAGES: gl.constexpr):
    first, stride = gl.program_id(0), gl.num_programs(0)
    x_tiles = gl.allocate_shared_memory(x_desc.dtype, [STAGES, *x_desc.block_shape], x_desc.layout)
    y_tiles = gl.allocate_shared_memory(y_desc.dtype, [STAGES, *y_desc.block_shape], y_desc.layout)
    out_tiles = gl.allocate_shared_memory(out_desc.dtype, [2, *out_desc.block_shape], out_desc.layout)
    ring = gl.RingBuffer((x_tiles, y_tiles), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    for step in gl.static_range(STAGES):
        fill_stage(producer, x_desc, y_desc, step, first + step * stride, tiles, columns)
    for step in range((tiles - first + stride - 1) // stride):
        slot = consumer.wait(step)
        total = slot.buffers[0].load(LAYOUT) + slot.buffers[1].load(LAYOUT)
        tile = first + step * stride
        fill_stage(producer, x_desc, y_desc, step + STAGES, tile + STAGES * stride, tiles, columns)
        store_tile(out_desc, corner(out_desc, tile, columns), out_tiles.index(step % 2), total)
    tma.store_wait(0)


rows = run_everywhere(
    "add, gl.RingBuffer",
    lambda x, y: add_by_ring(x, y, add_tiles_of_ring),
    np.add,
    cases,
    shape_of,
    tolerance_ulp=1.0,
    places=hopper_places(),
)

# %% [markdown]
# ## Four mistakes
#
# On a GPU, the first mistake would hang, and the other three would usually give the right result. The compiler rejects
# one of them. The emulator reports the other three in the first run: it counts arrivals and bytes, tracks which warp
# waits for which phase, and completes copies as late as the waits allow. `MISTAKE` selects one.


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
        except (hocket.CompileError, hocket.EmulatorError) as error:
            print(error, "\n")
        else:
            print(f"right: {(out == 2 * x).all()}")


try_copy("none")

# %% [markdown]
# **An `expect` of too many bytes** (or a missing load): the phase never completes. The message contains the number of
# missing bytes.

# %%
try_copy("too many bytes")

# %% [markdown]
# **No `expect`.** The arrival alone completes the phase, so `wait` returns at once, and the tile is read while TMA
# still writes it. On a GPU, the result is right if the copy is faster than the warps.

# %%
try_copy("no expect")

# %% [markdown]
# **No `wait`.** Without a wait, warps may read the tile even before warp 0 has started the load. No path has a wait, so
# the compiler rejects the kernel:

# %%
try_copy("no wait")

# %% [markdown]
# **The wrong phase.** In iteration 1 the kernel waits for phase 0, which has already completed. The kernel may
# therefore read the tile of iteration 0 again, and the emulator reports a race:

# %%
try_copy("always phase 0")

# %% [markdown]
# The opposite mistake, waiting for a later phase than the next to complete, is a deadlock: the message names the
# mbarrier, its phase, and the missing arrivals and bytes.
#
# ## Measurement
#
# The addition reads 8 bytes and writes 4 per element, so memory bandwidth limits it. On a Hopper GPU, this cell
# measures the bandwidth without a ring buffer, and with one of 1 to 4 stages.

# %%
if hopper_gpu():
    import torch

    from hocket.testing import do_bench

    size = 16384
    x, y = (torch.randn(size, size, device="cuda") for _ in range(2))
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    variants = {"a tile\nper block": add_tile_by_tile, "PyTorch": torch.add}
    for stages in (1, 2, 3, 4):
        blocks = multiprocessors * (2 if stages < 4 else 1)
        variants[f"ring of {stages}"] = partial(add_by_ring, stages=stages, blocks=blocks)
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
    print("This machine has no Hopper GPU: the measurement is skipped.")
