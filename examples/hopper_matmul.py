"""A float16 GEMM on Hopper with TMA and wgmma, in two forms:

    pipelined      the warps that execute wgmmas also start the copies, some iterations ahead
    specialized    a producer warp starts the copies, consumer warpgroups execute wgmmas (`gl.warp_specialize`)

Both keep a ring buffer of tiles in shared memory (`gl.RingBuffer`). The mbarrier `full` of a stage signals that its
tiles are complete; in `specialized`, its mbarrier `empty` signals that they are no longer read. Sizes are multiples of
the tiles'.

    form           warps                                   full, arrivals             empty, arrivals
    pipelined      4 or 8, all with the same role          1, and the bytes of TMA    none: program order
    specialized    1 producer warp; 4 or 8 consumers       1, and the bytes of TMA    1 (all consumer warps together)

Timelines, with four stages:

    pipelined      copy 0, 1 | copy 2, wgmma 0 | copy 3, wgmma 1 | copy 4, wgmma 2 | ...      | store C
    producer       copy 0 | copy 1 | copy 2 | copy 3 | wait for stage 0 | copy 4 | ...
    consumers             | wgmma 0 | wgmma 1, release 0 | wgmma 2, release 1 | ...           | store C

    python hopper_matmul.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import tma
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
def make_ring(a_desc, b_desc, STAGES: gl.constexpr, CONSUMERS: gl.constexpr):
    """A ring buffer whose stages hold a tile of A and a tile of B, both filled by TMA."""
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    return gl.RingBuffer((a_tiles, b_tiles), consumers=CONSUMERS)


@hocket.jit
def load_step(producer, a_desc, b_desc, step, row, column, pred=True):
    slot = producer.acquire(step, pred)
    k = step * a_desc.block_shape[1]
    tma.async_load(a_desc, [row, k], slot.full, slot.buffers[0], pred)
    tma.async_load(b_desc, [k, column], slot.full, slot.buffers[1], pred)


@hocket.jit
def empty_accumulator(a_desc, b_desc):
    BN: gl.constexpr = b_desc.block_shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    return gl.zeros([a_desc.block_shape[0], BN], gl.float32, layout)


@hocket.jit
def multiply_step(consumer, step, acc):
    slot = consumer.wait(step)
    acc = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
    return hopper.warpgroup_mma_wait(1, deps=[acc])


@hocket.jit
def store_tile(acc, c_desc, row, column):
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    tile.store(acc.to(c_desc.dtype))
    hopper.fence_async_shared()
    tma.async_store(c_desc, [row, column], tile)
    tma.store_wait(0)


@hocket.jit
def pipelined(a_desc, b_desc, c_desc, M, N, K, STAGES: gl.constexpr, GROUP: gl.constexpr):
    row, column = tile_of_block(M, N, a_desc.block_shape[0], b_desc.block_shape[1], GROUP)
    steps = K // a_desc.block_shape[1]
    # No warp waits for another one to release a stage: program order does it.
    ring = make_ring(a_desc, b_desc, STAGES, 0)
    producer, consumer = ring.producer(), ring.consumer()
    for step in gl.static_range(STAGES - 2):
        load_step(producer, a_desc, b_desc, step, row, column, step < steps)
    acc = empty_accumulator(a_desc, b_desc)
    for step in range(steps):
        ahead = step + STAGES - 2
        load_step(producer, a_desc, b_desc, ahead, row, column, ahead < steps)
        acc = multiply_step(consumer, step, acc)
    acc = hopper.warpgroup_mma_wait(0, deps=[acc])
    ring.invalidate()
    store_tile(acc, c_desc, row, column)


@hocket.jit
def copy_partition(producer, a_desc, b_desc, steps, row, column):
    for step in range(steps):
        load_step(producer, a_desc, b_desc, step, row, column)


@hocket.jit
def multiply_partition(consumer, a_desc, b_desc, steps):
    acc = empty_accumulator(a_desc, b_desc)
    for step in range(steps):
        acc = multiply_step(consumer, step, acc)
        # The wgmma of this step is still in flight; that of the step before has read its stage.
        consumer.release(step - 1, pred=step > 0)
    return hopper.warpgroup_mma_wait(0, deps=[acc])


@hocket.jit
def specialized(a_desc, b_desc, c_desc, M, N, K, STAGES: gl.constexpr, GROUP: gl.constexpr):
    row, column = tile_of_block(M, N, a_desc.block_shape[0], b_desc.block_shape[1], GROUP)
    steps = K // a_desc.block_shape[1]
    ring = make_ring(a_desc, b_desc, STAGES, 1)
    acc = gl.warp_specialize(
        [
            (multiply_partition, (ring.consumer(), a_desc, b_desc, steps)),
            (copy_partition, (ring.producer(), a_desc, b_desc, steps, row, column)),
        ],
        [1],
        [24],
    )
    ring.invalidate()
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
