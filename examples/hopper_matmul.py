"""A float16 GEMM on Hopper with TMA and wgmma, in two forms:

    pipelined      the warps that execute wgmmas also start the copies, some iterations ahead
    specialized    a producer warp starts the copies, consumer warpgroups execute wgmmas (`gl.warp_specialize`)

Both keep a ring buffer of tiles in shared memory. An mbarrier per buffer signals that its tiles are complete; in
`specialized`, a second one signals that they are no longer read. Sizes are multiples of the tiles'.

    python hopper_matmul.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import mbarrier, tma
from hocket.nvidia.hopper import TensorDescriptor


@hocket.jit
def tile_of_block(M, N, BM: gl.constexpr, BN: gl.constexpr, GROUP: gl.constexpr):
    """Blocks that run at the same time compute adjacent tiles, so that they share rows and columns in the L2."""
    block = gl.program_id(0)
    rows = M // BM
    in_group = GROUP * (N // BN)
    first = block // in_group * GROUP
    height = gl.minimum(rows - first, GROUP)
    row = first + block % in_group % height
    return row * BM, block % in_group // height * BN


@hocket.jit
def load_step(a_desc, b_desc, a_ring, b_ring, ready, step, row, column, STAGES: gl.constexpr, pred=True):
    slot = step % STAGES
    k = step * a_desc.block_shape[1]
    mbarrier.expect(ready.index(slot), a_desc.nbytes_per_cta + b_desc.nbytes_per_cta, pred)
    tma.async_load(a_desc, [row, k], ready.index(slot), a_ring.index(slot), pred)
    tma.async_load(b_desc, [k, column], ready.index(slot), b_ring.index(slot), pred)


@hocket.jit
def store_tile(acc, c_desc, row, column):
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    tile.store(acc.to(c_desc.dtype))
    hopper.fence_async_shared()
    tma.async_store(c_desc, [row, column], tile)
    tma.store_wait(0)


@hocket.jit
def pipelined(a_desc, b_desc, c_desc, M, N, K, STAGES: gl.constexpr, GROUP: gl.constexpr):
    BM: gl.constexpr = a_desc.block_shape[0]
    BK: gl.constexpr = a_desc.block_shape[1]
    BN: gl.constexpr = b_desc.block_shape[1]
    row, column = tile_of_block(M, N, BM, BN, GROUP)
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [STAGES, BM, BK], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [STAGES, BK, BN], b_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=STAGES)
    for slot in gl.static_range(STAGES):
        mbarrier.init(ready.index(slot), count=1)
    steps = K // BK
    for step in gl.static_range(STAGES - 2):
        load_step(a_desc, b_desc, a_ring, b_ring, ready, step, row, column, STAGES, step < steps)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        slot = step % STAGES
        ahead = step + STAGES - 2
        load_step(a_desc, b_desc, a_ring, b_ring, ready, ahead, row, column, STAGES, ahead < steps)
        mbarrier.wait(ready.index(slot), step // STAGES & 1)
        acc = hopper.warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    for slot in gl.static_range(STAGES):
        mbarrier.invalidate(ready.index(slot))
    store_tile(acc, c_desc, row, column)


@hocket.jit
def copy_partition(a_desc, b_desc, a_ring, b_ring, ready, empty, steps, row, column, STAGES: gl.constexpr):
    for step in range(steps):
        mbarrier.wait(empty.index(step % STAGES), step // STAGES & 1 ^ 1)
        load_step(a_desc, b_desc, a_ring, b_ring, ready, step, row, column, STAGES)


@hocket.jit
def multiply_partition(a_ring, b_ring, ready, empty, steps, STAGES: gl.constexpr):
    BM: gl.constexpr = a_ring.shape[1]
    BN: gl.constexpr = b_ring.shape[2]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    acc = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        slot = step % STAGES
        mbarrier.wait(ready.index(slot), step // STAGES & 1)
        acc = hopper.warpgroup_mma(a_ring.index(slot), b_ring.index(slot), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(1, deps=[acc])
        mbarrier.arrive(empty.index((step + STAGES - 1) % STAGES), pred=step > 0)
    return hopper.warpgroup_mma_wait(0, deps=[acc])


@hocket.jit
def specialized(a_desc, b_desc, c_desc, M, N, K, STAGES: gl.constexpr, GROUP: gl.constexpr):
    BM: gl.constexpr = a_desc.block_shape[0]
    BK: gl.constexpr = a_desc.block_shape[1]
    BN: gl.constexpr = b_desc.block_shape[1]
    row, column = tile_of_block(M, N, BM, BN, GROUP)
    a_ring = gl.allocate_shared_memory(a_desc.dtype, [STAGES, BM, BK], a_desc.layout)
    b_ring = gl.allocate_shared_memory(b_desc.dtype, [STAGES, BK, BN], b_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=STAGES)
    empty = mbarrier.allocate_mbarrier(batch=STAGES)
    for slot in gl.static_range(STAGES):
        mbarrier.init(ready.index(slot), count=1)
        mbarrier.init(empty.index(slot), count=1)
    steps = K // BK
    acc = gl.warp_specialize(
        [
            (multiply_partition, (a_ring, b_ring, ready, empty, steps, STAGES)),
            (copy_partition, (a_desc, b_desc, a_ring, b_ring, ready, empty, steps, row, column, STAGES)),
        ],
        [1],
        [24],
    )
    for slot in gl.static_range(STAGES):
        mbarrier.invalidate(ready.index(slot))
        mbarrier.invalidate(empty.index(slot))
    store_tile(acc, c_desc, row, column)


def descriptor(tensor, block):
    """Returns a descriptor of a float16 matrix with tiles of shape `block` and the widest swizzle that fits them."""
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def product(kernel, a, b, c, bm, bn, bk, warps, stages, group=8):
    """Returns a function that launches `kernel` for c = a x b, with descriptors made once."""
    (m, k), n = a.shape, b.shape[1]
    descriptors = descriptor(a, [bm, bk]), descriptor(b, [bk, bn]), descriptor(c, [bm, bn])
    launch = kernel[(m // bm * (n // bn),)]
    return lambda: launch(*descriptors, m, n, k, STAGES=stages, GROUP=group, num_warps=warps)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((256, 256)).astype(np.float16) for _ in range(2))
    for kernel in (pipelined, specialized):
        c = np.zeros((256, 256), np.float16)
        with hocket.emulator.target("sm_90a"):
            product(kernel, a, b, c, 128, 128, 64, warps=4, stages=4)()
        error = np.abs(c.astype(np.float32) - a.astype(np.float32) @ b.astype(np.float32)).max()
        print(f"{kernel.fn.__name__}: largest error {error:.3g}")
