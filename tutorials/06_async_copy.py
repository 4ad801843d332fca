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
# # 6. Asynchronous copies: load the next tile while this one is in use
#
# A load takes hundreds of cycles. A kernel that loads a tile, waits for it and uses it spends most of its time waiting.
# NVIDIA GPUs (since sm_80) copy from global to shared memory *asynchronously*: a warp starts the copy and continues.
# The warp must wait before it uses the data. The compiler inserts these waits, or checks the waits that you write.

# %%
import numpy as np

import hocket
from everywhere import run_everywhere
from hocket import devices
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy

# %% [markdown]
# ## A ring buffer of tiles
#
# The kernel sums consecutive tiles of 32 x 64. Its shared memory is a ring buffer of `STAGES` tiles. While one of these
# *stages* is read, the others are being filled, up to `STAGES - 1` iterations ahead.
#
# ```text
# iteration             0     1     2     3
# stage that is read    0     1     2     0        STAGES = 3
# stage being filled    2     0     1     2        with the tile of two iterations later
# ```
#
# Each lane copies 16 bytes (`size_per_thread` of 4 float32), the widest copy of the hardware. Masked elements become
# zeros, and are not read from global memory.


# %%
@hocket.jit
def copy_tile(tile, x, step, steps, COPY: gl.constexpr):
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, COPY))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, COPY))
    offsets = rows[:, None] * 64 + columns[None, :]
    async_copy.async_load(tile, x + offsets + step * 2048, mask=step < steps)


@hocket.jit
def sum_tiles(x, out, steps, STAGES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [STAGES, 32, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    for stage in gl.static_range(STAGES - 1):
        copy_tile(ring.index(stage), x, stage, steps, layout)
    total = gl.zeros([32, 64], gl.float32, layout)
    for step in range(steps):
        total += ring.index(step % STAGES).load(layout)
        copy_tile(ring.index((step + STAGES - 1) % STAGES), x, step + STAGES - 1, steps, layout)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * 64 + columns[None, :], total)


def sum_of_tiles(kernel, x, stages=3):
    out = np.empty((32, 64), np.float32) if isinstance(x, np.ndarray) else x.new_empty((32, 64))
    kernel[(1,)](x, out, x.shape[0], stages)
    return out


# %% [markdown]
# ## The inserted waits
#
# The source of the kernel contains no waits. Copies that are committed together form a *commit group*, and
# `cp.async.wait_group n` waits until all groups except the newest `n` have completed. The compiler determines for each
# read of a buffer the number of groups that are newer than the group that fills it, and inserts a wait with this
# number:

# %%
for stages in (2, 3, 4):
    compiled = sum_tiles.warmup(gl.float32, gl.float32, 9, stages, target="sm_90a")
    waits = [line.strip() for line in compiled.asm["ptx"].splitlines() if "wait_group" in line]
    print(f"{stages} stages:", " ".join(waits))

# %% [markdown]
# The first wait is in the loop: with 4 stages, two groups stay in flight while a tile is used. The second wait is at
# the end of the kernel, for copies of tiles that the loop does not use.
#
# ## Waits that you write
#
# If a kernel contains commits and waits, the compiler inserts none and checks the existing ones. Here a wait leaves 2
# groups in flight, although the tile that is read next belongs to the second newest group:


# %%
@hocket.jit
def waits_for_too_little(x, out, steps):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    ring = gl.allocate_shared_memory(gl.float32, [3, 32, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    for stage in gl.static_range(2):
        copy_tile(ring.index(stage), x, stage, steps, layout)
        async_copy.commit_group()
    total = gl.zeros([32, 64], gl.float32, layout)
    for step in range(steps):
        async_copy.wait_group(2)
        total += ring.index(step % 3).load(layout)
        copy_tile(ring.index((step + 2) % 3), x, step + 2, steps, layout)
        async_copy.commit_group()
    async_copy.wait_group(0)
    gl.store(out + gl.arange(0, 64, layout=gl.SliceLayout(0, layout)), gl.sum(total, axis=0))


x = np.random.default_rng(0).integers(-8, 8, (9, 32, 64)).astype(np.float32)
with hocket.emulator.target("sm_90a"):
    try:
        waits_for_too_little[(1,)](x, np.empty(64, np.float32), 9)
    except hocket.CompileError as error:
        print(error)

# %% [markdown]
# On a GPU, such a kernel usually computes the right result, because the copy has usually completed. On the emulator,
# copies complete *as late as the waits allow*, so a run on the emulator also reveals mistakes that the compiler cannot
# prove, such as a wait under a condition.
#
# ## The same ring buffer with `gl.RingBuffer`
#
# Stage numbers such as `(step + STAGES - 1) % STAGES` are the same in every kernel of this form, and easy to get wrong.
# `gl.RingBuffer` computes them from the number of the tile. It has two sides, the *producer* and the *consumer*:
#
# * `ring.producer().acquire(tile)` returns the stage for a tile; its `buffer` is to be filled. Then `commit()` ends a
#   commit group.
# * `ring.consumer().wait(tile, outstanding=n)` waits until the tile is complete, and returns its stage. The copies of
#   the `n` tiles after it may stay in flight.
#
# `fill="groups"` means that waits for commit groups complete the copies. `consumers=0` means that the warps that copy
# also read. Program order therefore ensures that a tile has been read before its buffer is filled again.


# %%
@hocket.jit
def fill_stage(ring, x, tile, tiles, COPY: gl.constexpr):
    copy_tile(ring.acquire(tile).buffer, x, tile, tiles, COPY)
    ring.commit()


@hocket.jit
def sum_tiles_of_ring(x, out, tiles, STAGES: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [2, 16], [4, 1], [1, 0])
    buffers = gl.allocate_shared_memory(gl.float32, [STAGES, 32, 64], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    ring = gl.RingBuffer(buffers, fill="groups", consumers=0)
    for tile in gl.static_range(STAGES - 1):
        fill_stage(ring.producer(), x, tile, tiles, layout)
    total = gl.zeros([32, 64], gl.float32, layout)
    for tile in range(tiles):
        total += ring.consumer().wait(tile, outstanding=STAGES - 2).buffer.load(layout)
        fill_stage(ring.producer(), x, tile + STAGES - 1, tiles, layout)
    rows = gl.arange(0, 32, layout=gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, layout=gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * 64 + columns[None, :], total)


# %% [markdown]
# The waits in the loop of this kernel are those that the compiler has inserted into `sum_tiles`. The compiler checks
# them, like all waits that you write.

# %%
for stages in (2, 3, 4):
    compiled = sum_tiles_of_ring.warmup(gl.float32, gl.float32, 9, stages, target="sm_90a")
    waits = [line.strip() for line in compiled.asm["ptx"].splitlines() if "wait_group" in line]
    print(f"{stages} stages:", " ".join(waits))

# %% [markdown]
# The next notebooks use ring buffers of other kinds: copies of whole tiles, which signal their completion at barriers,
# and warps that only copy for others that only compute.
#
# ## Every NVIDIA target

# %%
for name, kernel in (("sum of tiles", sum_tiles), ("sum of tiles, gl.RingBuffer", sum_tiles_of_ring)):
    run_everywhere(
        name,
        lambda x, kernel=kernel: sum_of_tiles(kernel, x),
        lambda x: x.sum(axis=0),
        [(x,), (x[:1],)],
        shape=lambda x: "x".join(map(str, x.shape)),
        tolerance_ulp=1.0,
        places=[device for device in devices.available() if device.name.startswith(("sm_", "cuda"))],
    )
