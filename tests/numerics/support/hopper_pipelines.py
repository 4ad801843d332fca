"""Warp pipelines of two warpgroups, with products by wgmma: kernels for test_hopper_pipelines.py.

The values of matrices are such that all sums are exact. `hopper_attention_pipeline` has attention.
"""

import numpy as np
from tiles import tile_offsets

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mma_v2
from hocket.language.nvidia.hopper import (
    fence_async_shared,
    mbarrier,
    tma,
    warpgroup_mma,
    warpgroup_mma_init,
    warpgroup_mma_wait,
)
from hocket.nvidia.hopper import TensorDescriptor

M, N, K = gl.constexpr(128), gl.constexpr(64), gl.constexpr(64)
ACC = gl.constexpr(gl.NVMMADistributedLayout([3, 0], [8, 1], [16, 64, 16]))
COPY = gl.constexpr(gl.BlockedLayout([1, 8], [4, 8], [8, 1], [1, 0]))
A_TILE = gl.constexpr(gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16))
B_TILE = gl.constexpr(gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))


# GEMMs: sum of a[steps, M, K] x b[steps, K, N] -----------------------------------------------------------------------


@hocket.jit
def through_registers(a, b, out, steps, GAP: gl.constexpr, FENCE: gl.constexpr):
    """Lanes store the tiles, which products read through a proxy of their own."""
    left = gl.allocate_shared_memory(gl.float16, [2, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [2, K, N], B_TILE)
    left.index(0).store(gl.load(a + tile_offsets(M, K, COPY)))
    right.index(0).store(gl.load(b + tile_offsets(K, N, COPY)))
    acc = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        with gl.warp_pipeline_stage("fetch", phase_gap=GAP):
            following = gl.minimum(k + 1, steps - 1)
            a_next = gl.load(a + following * M * K + tile_offsets(M, K, COPY))
            b_next = gl.load(b + following * K * N + tile_offsets(K, N, COPY))
        with gl.warp_pipeline_stage("multiply"):
            acc = warpgroup_mma(left.index(k % 2), right.index(k % 2), acc)
        if GAP == 2:
            with gl.warp_pipeline_stage("pause"):
                pass
        with gl.warp_pipeline_stage("store"):
            left.index((k + 1) % 2).store(a_next)
            right.index((k + 1) % 2).store(b_next)
            if FENCE:
                fence_async_shared()
        if GAP == 2:
            with gl.warp_pipeline_stage("rest"):
                pass
    gl.store(out + tile_offsets(M, N, ACC), acc)


@hocket.jit
def without_waits(a, b, out, steps):
    """Like through_registers, but a stage starts two wgmmas and does not wait. The next stage uses their results."""
    left = gl.allocate_shared_memory(gl.float16, [2, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [2, K, N], B_TILE)
    left.index(0).store(gl.load(a + tile_offsets(M, K, COPY)))
    right.index(0).store(gl.load(b + tile_offsets(K, N, COPY)))
    total = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        with gl.warp_pipeline_stage("fetch"):
            following = gl.minimum(k + 1, steps - 1)
            a_next = gl.load(a + following * M * K + tile_offsets(M, K, COPY))
            b_next = gl.load(b + following * K * N + tile_offsets(K, N, COPY))
        with gl.warp_pipeline_stage("multiply"):
            zeros = gl.zeros([M, N], gl.float32, ACC)
            product = warpgroup_mma(left.index(k % 2), right.index(k % 2), zeros, is_async=True)
            twice = warpgroup_mma(left.index(k % 2), right.index(k % 2), product, is_async=True)
            again = warpgroup_mma(left.index(k % 2), right.index(k % 2), zeros, is_async=True)
        with gl.warp_pipeline_stage("store"):
            left.index((k + 1) % 2).store(a_next)
            right.index((k + 1) % 2).store(b_next)
            total += twice - again
    gl.store(out + tile_offsets(M, N, ACC), total)


@hocket.jit
def by_turns(a, b, out, steps):
    """Like through_registers, two iterations ahead, with exclusive stages: the groups only synchronize at the wgmmas,
    and alternate in executing them."""
    left = gl.allocate_shared_memory(gl.float16, [3, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [3, K, N], B_TILE)
    for k in gl.static_range(2):
        left.index(k).store(gl.load(a + gl.minimum(k, steps - 1) * M * K + tile_offsets(M, K, COPY)))
        right.index(k).store(gl.load(b + gl.minimum(k, steps - 1) * K * N + tile_offsets(K, N, COPY)))
    acc = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        with gl.warp_pipeline_stage("multiply", exclusive=True):
            acc = warpgroup_mma(left.index(k % 3), right.index(k % 3), acc)
        with gl.warp_pipeline_stage("fetch"):
            following = gl.minimum(k + 2, steps - 1)
            a_next = gl.load(a + following * M * K + tile_offsets(M, K, COPY))
            b_next = gl.load(b + following * K * N + tile_offsets(K, N, COPY))
        with gl.warp_pipeline_stage("store"):
            left.index((k + 2) % 3).store(a_next)
            right.index((k + 2) % 3).store(b_next)
    gl.store(out + tile_offsets(M, N, ACC), acc)


@hocket.jit
def copy_step(a, b, left, right, k, steps, SLOTS: gl.constexpr):
    i, j = tile_offsets(M, K, COPY), tile_offsets(K, N, COPY)
    async_copy.async_load(left.index(k % SLOTS), a + k * M * K + i, mask=i < (steps - k) * M * K)
    async_copy.async_load(right.index(k % SLOTS), b + k * K * N + j, mask=j < (steps - k) * K * N)
    async_copy.commit_group()


@hocket.jit
def by_copies(a, b, out, steps, SLOTS: gl.constexpr):
    """cp.async, two tiles ahead; each warp waits for its own copies one stage before the MMAs that read them."""
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, K, N], B_TILE)
    for k in gl.static_range(2):
        copy_step(a, b, left, right, k, steps, SLOTS)
    acc = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        async_copy.wait_group(1)
        with gl.warp_pipeline_stage("copy", priority=1):
            copy_step(a, b, left, right, k + 2, steps, SLOTS)
        with gl.warp_pipeline_stage("multiply", priority=0):
            acc = warpgroup_mma(left.index(k % SLOTS), right.index(k % SLOTS), acc)
    async_copy.wait_group(0)
    gl.store(out + tile_offsets(M, N, ACC), acc)


@hocket.jit
def by_mma_v2(a, b, out, steps, SLOTS: gl.constexpr):
    """Like by_copies with mma.sync, which all GPUs since Ampere have: operands are read into registers."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], [8, 1], [16, 8])
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, K, N], B_TILE)
    for k in gl.static_range(2):
        copy_step(a, b, left, right, k, steps, SLOTS)
    acc = gl.zeros([M, N], gl.float32, acc_layout)
    async_copy.wait_group(1)
    for k in range(steps):
        with gl.warp_pipeline_stage("read"):
            a_tile = left.index(k % SLOTS).load(gl.DotOperandLayout(0, acc_layout, 2))
            b_tile = right.index(k % SLOTS).load(gl.DotOperandLayout(1, acc_layout, 2))
            copy_step(a, b, left, right, k + 2, steps, SLOTS)
        async_copy.wait_group(1)
        with gl.warp_pipeline_stage("multiply"):
            acc = mma_v2(a_tile, b_tile, acc)
    async_copy.wait_group(0)
    gl.store(out + tile_offsets(M, N, acc_layout), acc)


@hocket.jit
def load_step(a, b, left, right, ready, k, SLOTS: gl.constexpr, pred):
    bar = ready.index(k % SLOTS)
    mbarrier.expect(bar, a.nbytes_per_cta + b.nbytes_per_cta, pred)
    tma.async_load(a, [k * M, 0], bar, left.index(k % SLOTS), pred)
    tma.async_load(b, [k * K, 0], bar, right.index(k % SLOTS), pred)


@hocket.jit
def by_tma(a, b, out, steps, SLOTS: gl.constexpr, AHEAD: gl.constexpr, EXCLUSIVE: gl.constexpr):
    """Loads are so far ahead that what they overwrite was read two stages before, or more."""
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, K, N], B_TILE)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    for k in gl.static_range(SLOTS):
        mbarrier.init(ready.index(k), count=1)
    for k in gl.static_range(AHEAD):
        load_step(a, b, left, right, ready, k, SLOTS, k < steps)
    acc = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        with gl.warp_pipeline_stage("load"):
            load_step(a, b, left, right, ready, k + AHEAD, SLOTS, k + AHEAD < steps)
            mbarrier.wait(ready.index(k % SLOTS), k // SLOTS & 1)
        with gl.warp_pipeline_stage("multiply", exclusive=EXCLUSIVE):
            acc = warpgroup_mma(left.index(k % SLOTS), right.index(k % SLOTS), acc)
    for k in gl.static_range(SLOTS):
        mbarrier.invalidate(ready.index(k))
    gl.store(out + tile_offsets(M, N, ACC), acc)


@hocket.jit
def products_in_flight(a, b, out, steps, SLOTS: gl.constexpr, AHEAD: gl.constexpr):
    """A wgmma stays in flight during the next stage; the wait is between the stages."""
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, K, N], B_TILE)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    for k in gl.static_range(SLOTS):
        mbarrier.init(ready.index(k), count=1)
    for k in gl.static_range(AHEAD):
        load_step(a, b, left, right, ready, k, SLOTS, k < steps)
    acc = warpgroup_mma_init(gl.zeros([M, N], gl.float32, ACC))
    for k in range(steps):
        acc = warpgroup_mma_init(warpgroup_mma_wait(0, deps=[acc]))
        with gl.warp_pipeline_stage("multiply"):
            mbarrier.wait(ready.index(k % SLOTS), k // SLOTS & 1)
            acc = warpgroup_mma(left.index(k % SLOTS), right.index(k % SLOTS), acc, is_async=True)
        with gl.warp_pipeline_stage("load"):
            load_step(a, b, left, right, ready, k + AHEAD, SLOTS, k + AHEAD < steps)
    acc = warpgroup_mma_wait(0, deps=[acc])
    gl.store(out + tile_offsets(M, N, ACC), acc)


@hocket.jit
def straight_line(a, b, out, steps):
    """The tiles of two wgmmas, in consecutive stages."""
    left = gl.allocate_shared_memory(gl.float16, [2, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [2, K, N], B_TILE)
    acc = gl.zeros([M, N], gl.float32, ACC)
    with gl.warp_pipeline_stage("store 0"):
        left.index(0).store(gl.load(a + tile_offsets(M, K, COPY)))
        right.index(0).store(gl.load(b + tile_offsets(K, N, COPY)))
    with gl.warp_pipeline_stage("store 1"):
        left.index(1).store(gl.load(a + (steps - 1) * M * K + tile_offsets(M, K, COPY)))
        right.index(1).store(gl.load(b + (steps - 1) * K * N + tile_offsets(K, N, COPY)))
    with gl.warp_pipeline_stage("multiply 0"):
        acc = warpgroup_mma(left.index(0), right.index(0), acc)
    with gl.warp_pipeline_stage("multiply 1"):
        acc = warpgroup_mma(left.index(1), right.index(1), acc, use_acc=steps > 0)
    gl.store(out + tile_offsets(M, N, ACC), acc)


# In partitions -------------------------------------------------------------------------------------------------------


@hocket.jit
def load_tiles(a, b, left, right, ready, free, steps, SLOTS: gl.constexpr):
    for k in range(steps):
        mbarrier.wait(free.index(k % SLOTS), k // SLOTS & 1 ^ 1)
        load_step(a, b, left, right, ready, k, SLOTS, True)


@hocket.jit
def multiply_tiles(left, right, ready, free, steps, SLOTS: gl.constexpr, EXCLUSIVE: gl.constexpr):
    """Both groups have read a tile before the first group starts the next wgmma."""
    acc = gl.zeros([M, N], gl.float32, ACC)
    for k in range(steps):
        with gl.warp_pipeline_stage("multiply", exclusive=EXCLUSIVE):
            mbarrier.arrive(free.index((k + SLOTS - 1) % SLOTS), pred=k > 0)
            mbarrier.wait(ready.index(k % SLOTS), k // SLOTS & 1)
            acc = warpgroup_mma(left.index(k % SLOTS), right.index(k % SLOTS), acc)
        with gl.warp_pipeline_stage("scale"):
            acc = acc * 1.0
    return acc


@hocket.jit
def multiply_and_store(left, right, ready, free, out, steps, SLOTS: gl.constexpr, EXCLUSIVE: gl.constexpr):
    gl.store(out + tile_offsets(M, N, ACC), multiply_tiles(left, right, ready, free, steps, SLOTS, EXCLUSIVE))


@hocket.jit
def nothing():
    pass


@hocket.jit
def specialized(a, b, out, steps, SLOTS: gl.constexpr, IN_WORKER: gl.constexpr, EXCLUSIVE: gl.constexpr):
    """A warp loads; eight others multiply, the launch's own or those of a worker."""
    left = gl.allocate_shared_memory(gl.float16, [SLOTS, M, K], A_TILE)
    right = gl.allocate_shared_memory(gl.float16, [SLOTS, K, N], B_TILE)
    ready = mbarrier.allocate_mbarrier(batch=SLOTS)
    free = mbarrier.allocate_mbarrier(batch=SLOTS)
    for k in gl.static_range(SLOTS):
        mbarrier.init(ready.index(k), count=1)
        mbarrier.init(free.index(k), count=1)
    if IN_WORKER:
        gl.warp_specialize(
            [
                (nothing, ()),
                (multiply_and_store, (left, right, ready, free, out, steps, SLOTS, EXCLUSIVE)),
                (load_tiles, (a, b, left, right, ready, free, steps, SLOTS)),
            ],
            [8, 1],
        )
    else:
        acc = gl.warp_specialize(
            [
                (multiply_tiles, (left, right, ready, free, steps, SLOTS, EXCLUSIVE)),
                (load_tiles, (a, b, left, right, ready, free, steps, SLOTS)),
            ],
            [1],
        )
        gl.store(out + tile_offsets(M, N, ACC), acc)


# Launches ------------------------------------------------------------------------------------------------------------

BY_DESCRIPTORS = {"by_tma", "products_in_flight", "specialized"}


def operands(steps):
    rng = np.random.default_rng(steps)
    shapes = (steps, M.value, K.value), (steps, K.value, N.value)
    return [rng.integers(-4, 5, shape).astype(np.float16) for shape in shapes]


def descriptor(tensor):
    """Returns a descriptor of tiles of 64 columns, with the rows of one iteration."""
    rows = tensor.shape[1]
    layout = gl.NVMMASharedLayout.get_default_for([rows, 64], gl.float16)
    return TensorDescriptor.from_tensor(tensor.reshape(-1, 64), [rows, 64], layout)


def product(device, kernel, steps, warps=8, **options):
    """Returns the result of `kernel`, and the expected result."""
    a, b = operands(steps)
    arrays = [device.to_device(x) for x in (a, b)]
    out = device.to_device(np.zeros((M.value, N.value), np.float32))
    if kernel.fn.__name__ in BY_DESCRIPTORS:
        arrays = [descriptor(x) for x in arrays]
    kernel[(1,)](*arrays, out, steps, num_warps=warps, **options)
    return device.to_host(out), (a.astype(np.float32) @ b.astype(np.float32)).sum(axis=0)
