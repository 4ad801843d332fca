"""A float16 GEMM on Hopper in 30 lines, with TMA and wgmma.

TMA loads tiles of A and B into a ring buffer, from which wgmma reads them. The source contains no wait for wgmma, no
proxy fence and no block barrier: the compiler inserts them, and `python wgmma_gemm.py` prints the line and reason of
each. M and N are multiples of 128, K of 64.

    warps                       count    work
    all, one warpgroup          4        start the TMA copies of k-tiles, execute wgmmas, store the tile of C

    ring                        full, arrivals             empty, arrivals
    `STAGES` stages             1, and the bytes of TMA    none: program order releases the stages

Timeline, with S stages:

    copy k-tiles 0 ... S - 2 | wgmma 0, copy S - 1 | wgmma 1, copy S | wgmma 2, copy S + 1 | ... | store C
"""

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma
from hocket.nvidia.hopper import TensorDescriptor


@hocket.jit
def load(ring, a, b, row, column, step, pred):
    slot = ring.acquire(step, pred)
    tma.async_load(a, [row, step * a.block_shape[1]], slot.full, slot.buffers[0], pred)
    tma.async_load(b, [step * b.block_shape[0], column], slot.full, slot.buffers[1], pred)


@hocket.jit
def gemm(a, b, c, steps, STAGES: gl.constexpr):
    row, column = gl.program_id(0) * c.block_shape[0], gl.program_id(1) * c.block_shape[1]
    a_tiles = gl.allocate_shared_memory(a.dtype, [STAGES, *a.block_shape], a.layout)
    b_tiles = gl.allocate_shared_memory(b.dtype, [STAGES, *b.block_shape], b.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=0)
    for step in gl.static_range(STAGES - 1):
        load(ring.producer(), a, b, row, column, step, step < steps)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, c.block_shape[1], 16])
    acc = gl.zeros(c.block_shape, gl.float32, layout)
    for step in range(steps):
        slot = ring.consumer().wait(step)
        acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
        load(ring.producer(), a, b, row, column, step + STAGES - 1, step + STAGES - 1 < steps)
    ring.invalidate()
    tile = gl.allocate_shared_memory(c.dtype, c.block_shape, c.layout)
    tile.store(acc.to(c.dtype))
    tma.async_store(c, [row, column], tile)
    tma.store_wait(0)


def matmul(a, b, c, stages=4):
    """Computes c = a @ b for float16 arrays on a Hopper GPU, or NumPy arrays on the emulator."""
    (m, k), n = a.shape, b.shape[1]
    tiles = [[128, 64], [64, 128], [128, 128]]
    layouts = [gl.NVMMASharedLayout.get_default_for(tile, gl.float16) for tile in tiles]
    a, b, c = map(TensorDescriptor.from_tensor, (a, b, c), tiles, layouts)
    return gemm[(m // 128, n // 128)](a, b, c, k // 64, STAGES=stages)


if __name__ == "__main__":
    import numpy as np

    a, b = np.random.default_rng(0).standard_normal((2, 256, 256)).astype(np.float16)
    c = np.empty_like(a)
    with hocket.emulator.target("sm_90a"):
        kernel = matmul(a, b, c)
    print("largest error:", np.abs(c - a.astype(np.float32) @ b.astype(np.float32)).max())
    print(kernel.sync_report())
