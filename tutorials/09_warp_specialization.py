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
# # 9. Warp specialization: producer and consumer warps
#
# In the kernels so far, all warps of a block execute the same code. On Hopper such a kernel starts copies, waits for
# the copies, starts wgmmas and waits for the wgmmas, and each wait delays all operations after it. *Warp
# specialization* gives warps different code: a producer warp only starts copies, as far ahead as the ring buffer
# permits; the consumer warpgroup only executes wgmmas. They synchronize only by mbarriers.
#
# This notebook writes a GEMM in this form, introduces three mistakes, and explains the emulator's messages. It needs no
# GPU; with a Hopper GPU it ends with a measurement. It uses TMA and mbarriers, which notebook 7 explains.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hocket
from everywhere import hopper_gpu, hopper_places, run_everywhere
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor

# %% [markdown]
# ## Producer, consumer and their mbarriers
#
# Shared memory holds a ring buffer; each stage has a tile of A and a tile of B, and two mbarriers:
#
# ```text
#             producer                             consumer
#             wait for `empty` of the stage
#             load A and B  --- bytes ---> `full`
#                                                  wait for `full` of the stage
#                                                  wgmma
#                      `empty` <--- arrive ---     when the wgmma has completed
# ```
#
# Iteration `s` uses stage `s % STAGES`, and the bytes of its copies complete phase `s // STAGES` of `full`. Before the
# copies, the producer waits until the consumer has released the stage: for phase `s // STAGES - 1` of `empty`. In the
# first use of a stage this is phase -1, which counts as completed.


# %%
@hocket.jit
def copy_tiles(a_desc, b_desc, a_ring, b_ring, full, empty, row, column, steps, STAGES: gl.constexpr):
    for step in range(steps):
        stage, k = step % STAGES, step * a_desc.block_shape[1]
        mbarrier.wait(empty.index(stage), phase=step // STAGES - 1)
        mbarrier.expect(full.index(stage), a_desc.nbytes_per_cta + b_desc.nbytes_per_cta)
        tma.async_load(a_desc, [row, k], full.index(stage), a_ring.index(stage))
        tma.async_load(b_desc, [k, column], full.index(stage), b_ring.index(stage))


# %% [markdown]
# One wgmma stays in flight while the next is started: `warpgroup_mma_wait(1)` waits for all wgmmas except the newest.
# In iteration `s` the consumer therefore releases the stage of iteration `s - 1`. A later cell changes `RELEASE` to
# introduce a mistake.


# %%
@hocket.jit
def multiply_tiles(a_ring, b_ring, full, empty, steps, STAGES: gl.constexpr, RELEASE: gl.constexpr):
    rows: gl.constexpr = a_ring.shape[1]
    columns: gl.constexpr = b_ring.shape[2]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, columns, 16])
    acc = gl.zeros([rows, columns], gl.float32, layout)
    for step in range(steps):
        stage = step % STAGES
        mbarrier.wait(full.index(stage), phase=step // STAGES)
        acc = hopper.warpgroup_mma(a_ring.index(stage), b_ring.index(stage), acc, is_async=True)
        if RELEASE == "too early":
            mbarrier.arrive(empty.index(stage))
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
        if RELEASE == "in time":
            mbarrier.arrive(empty.index((step + STAGES - 1) % STAGES), pred=step > 0)
    return hopper.warpgroup_mma_wait(0, deps=[acc])


# %% [markdown]
# `gl.warp_specialize` starts both partitions and waits until both have ended. The first partition runs on the warps of
# the launch and may return values. Each further partition is a *worker*, which runs on additional warps, here on one.
# The third argument is the number of registers per lane of the worker: 24 are enough to start copies, and the other
# registers go to the warps that hold the accumulators. Arguments of a worker are shared memory or scalars, not tensors
# in registers.


# %%
@hocket.jit
def matmul_kernel(
    a_desc, b_desc, c_desc, K, STAGES: gl.constexpr, RELEASE: gl.constexpr = "in time", REGISTERS: gl.constexpr = 24
):
    row = gl.program_id(0) * c_desc.block_shape[0]
    column = gl.program_id(1) * c_desc.block_shape[1]
    steps = K // a_desc.block_shape[1]
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    full, empty = mbarrier.allocate_mbarrier(batch=STAGES), mbarrier.allocate_mbarrier(batch=STAGES)
    for stage in gl.static_range(STAGES):
        mbarrier.init(full.index(stage), count=1)
        mbarrier.init(empty.index(stage), count=1)
    acc = gl.warp_specialize(
        [
            (multiply_tiles, (a_ring, b_ring, full, empty, steps, STAGES, RELEASE)),
            (copy_tiles, (a_desc, b_desc, a_ring, b_ring, full, empty, row, column, steps, STAGES)),
        ],
        worker_num_warps=[1],
        worker_num_regs=[REGISTERS],
    )
    for stage in gl.static_range(STAGES):
        mbarrier.invalidate(full.index(stage))
        mbarrier.invalidate(empty.index(stage))
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    tile.store(acc.to(c_desc.dtype))
    tma.async_store(c_desc, [row, column], tile)
    tma.store_wait(0)


def describe(matrix, block):
    return TensorDescriptor.from_tensor(matrix, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def matmul(a, b, tile=(64, 64, 64), stages=3, num_warps=4, **broken):
    """Returns a x b; the sizes are multiples of those of the tile."""
    bm, bn, bk = tile
    (m, k), n = a.shape, b.shape[1]
    c = np.empty((m, n), a.dtype) if isinstance(a, np.ndarray) else a.new_empty((m, n))
    descriptors = describe(a, [bm, bk]), describe(b, [bk, bn]), describe(c, [bm, bn])
    matmul_kernel[(m // bm, n // bn)](*descriptors, k, STAGES=stages, num_warps=num_warps, **broken)
    return c


# %%
rng = np.random.default_rng(0)


def matrices(m, n, k):
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((k, n)).astype(np.float16)


rows = run_everywhere(
    "matmul, specialized warps",
    matmul,
    np.matmul,
    [matrices(128, 128, 384), matrices(64, 192, 64)],
    shape=lambda a, b: f"{a.shape[0]}x{b.shape[1]}x{a.shape[1]}",
    tolerance_ulp=1.0,
    places=hopper_places(),
)

# %% [markdown]
# ## The compiled code
#
# A block has 8 warps, not 4: registers are reallocated per warpgroup of four warps, so the worker's warp is padded to a
# warpgroup. Workers wait at a barrier of the whole block (`bar.sync 1`) until their function is called. Each partition
# has separate named barriers, and registers are transferred from one to the other (`setmaxnreg`).

# %%
a, b = matrices(64, 64, 256)
compiled = matmul_kernel.warmup(
    describe(a, [64, 64]), describe(b, [64, 64]), describe(a, [64, 64]), 256, STAGES=3, target="sm_90a"
)
print(f"{compiled.metadata.num_warps} warps and {compiled.metadata.worker_warps} of workers")
for line in compiled.asm["ptx"].splitlines():
    if any(name in line for name in (".reqntid", "setmaxnreg", "wgmma.mma_async", "cp.async.bulk", "try_wait", "bar.")):
        print(line.strip()[:100])

# %% [markdown]
# ## Three mistakes
#
# **The consumer releases no stage.** The producer fills all three stages and waits for the release of the first; the
# consumer executes three wgmmas and waits for the fourth tile. On a GPU the program hangs. The emulator detects that no
# warp can continue, and reports which warp waits for which phase of which mbarrier:


# %%
def try_matmul(**broken):
    with hocket.emulator.target("sm_90a"):
        try:
            matmul(a, b, **broken)
        except (hocket.CompileError, hocket.EmulatorError) as error:
            print(error)


a, b = matrices(64, 64, 384)
try_matmul(RELEASE="never")

# %% [markdown]
# **A stage is released while a wgmma still reads it.** `warpgroup_mma` returns before it has read its operands. On a
# GPU, the next copy usually takes longer than the wgmma takes to read the tile, so the result is usually right. On the
# emulator, wgmmas read as late as the waits allow:

# %%
try_matmul(RELEASE="too early")

# %% [markdown]
# **An invalid number of registers.** This is a compile error:

# %%
try_matmul(REGISTERS=20)

# %% [markdown]
# A single run reveals only mistakes that occur in its schedule. `hocket check` (notebook 13) runs a kernel under many
# schedules: here under eight orders of warps, with copies that complete late, at once, or at random times.

# %%
for seed in range(8):
    completion = ("late", "now", "random")[seed % 3]
    with hocket.emulator.target("sm_90a"), hocket.emulator.schedule(seed=seed, completion=completion):
        error = np.abs(matmul(a, b).astype(np.float32) - a.astype(np.float32) @ b.astype(np.float32)).max()
        assert error < 0.1, (seed, error)
print("right under all of them")

# %% [markdown]
# ## The same kernel with `gl.RingBuffer`
#
# The pairs of mbarriers, the stages and their phases are the same in every kernel of this form. `gl.RingBuffer`, known
# from notebook 7, contains the mbarriers: `acquire` waits for `empty` and expects the bytes of all tiles of the stage,
# `wait` waits for `full`, and `release` arrives at `empty`. Each partition gets its view of the ring buffer,
# `producer()` or `consumer()`. `consumers=1` is the number of arrivals that release a stage: one partition reads.


# %%
@hocket.jit
def copy_into_ring(ring, a_desc, b_desc, row, column, steps):
    for step in range(steps):
        slot, k = ring.acquire(step), step * a_desc.block_shape[1]
        tma.async_load(a_desc, [row, k], slot.full, slot.buffers[0])
        tma.async_load(b_desc, [k, column], slot.full, slot.buffers[1])


@hocket.jit
def multiply_from_ring(ring, c_desc, steps):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, c_desc.block_shape[1], 16])
    acc = gl.zeros(c_desc.block_shape, gl.float32, layout)
    for step in range(steps):
        slot = ring.wait(step)
        acc = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
        ring.release(step - 1, pred=step > 0)
    return hopper.warpgroup_mma_wait(0, deps=[acc])


@hocket.jit
def ring_kernel(a_desc, b_desc, c_desc, K, STAGES: gl.constexpr):
    row = gl.program_id(0) * c_desc.block_shape[0]
    column = gl.program_id(1) * c_desc.block_shape[1]
    steps = K // a_desc.block_shape[1]
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=1)
    acc = gl.warp_specialize(
        [
            (multiply_from_ring, (ring.consumer(), c_desc, steps)),
            (copy_into_ring, (ring.producer(), a_desc, b_desc, row, column, steps)),
        ],
        worker_num_warps=[1],
        worker_num_regs=[24],
    )
    ring.invalidate()
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    tile.store(acc.to(c_desc.dtype))
    tma.async_store(c_desc, [row, column], tile)
    tma.store_wait(0)


c = np.empty((64, 64), np.float16)
with hocket.emulator.target("sm_90a"):
    ring_kernel[(1, 1)](describe(a, [64, 64]), describe(b, [64, 64]), describe(c, [64, 64]), 384, STAGES=3)
    assert np.array_equal(c, matmul(a, b))

# %% [markdown]
# The ready kernels use such ring buffers too. `hocket/kernels/_matmul/matmul_simple.py` is the next step from here,
# with two consumer warpgroups and any sizes; `kernel_hopper.py` in the same folder is the tuned GEMM.

# %% [markdown]
# ## Measurement
#
# On a Hopper GPU, this cell compares the kernel, with tiles of 128 x 256 and two warpgroups, with cuBLAS. The sizes are
# small enough that power does not limit the clocks. `examples/hopper_matmul.py` has the same GEMM without warp
# specialization, and `benchmarks/wgmma.py` compares all of them.

# %%
if hopper_gpu():
    import torch

    from hocket.testing import do_bench

    def tflops(product, size):
        x, y = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        milliseconds = do_bench(lambda: product(x, y), return_mode="median")
        return 2 * size**3 / milliseconds * 1e-9

    def with_stages(stages):
        return lambda x, y: matmul(x, y, tile=(128, 256, 64), stages=stages, num_warps=8)

    sizes = (1024, 2048, 3072, 4096)
    products = {"cuBLAS": torch.matmul, "2 stages": with_stages(2), "4 stages": with_stages(4)}
    rates = {name: [tflops(product, size) for size in sizes] for name, product in products.items()}
    figure, axes = plt.subplots(figsize=(7, 3.5))
    for name, values in rates.items():
        axes.plot(sizes, values, marker="o", label=name)
    axes.set(xlabel="size", ylabel="TFLOP/s", title="float16 GEMM", ylim=(0, None))
    axes.legend()
    plt.show()
else:
    print("This machine has no Hopper GPU: the measurement is skipped.")
