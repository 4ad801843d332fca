"""Two GEMMs that share A in one kernel, as in a gated feed-forward layer:

    d1, d2 = a @ b1, a @ b2
    gate, activated, up, gated = d1, silu(d1), d2, silu(d1) * d2        all four are stored

Both GEMMs share the loop over K and the tiles of `a`. The kernel contains no wait for wgmma: the compiler inserts one
in the loop, before a stage of the ring buffer is overwritten, and one after it, before the first of the four uses.
`with_waits` is the same kernel with an explicit wait before each use.

    warps                       work
    all, with the same role     start the TMA copies of k-tiles of a, b1 and b2, execute both wgmmas, store the results

    ring                        full, arrivals             empty, arrivals
    `STAGES` stages             1, and the bytes of TMA    none: program order releases the stages

Timeline, with S stages:

    copy k-tiles 0 ... S - 2 | wgmmas of d1 and d2, k-tile 0; copy S - 1 | k-tile 1; copy S | ... | store four results

    python fused_matmuls.py
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
    in_group = GROUP * (N // BN)
    first = block // in_group * GROUP
    height = gl.minimum(M // BM - first, GROUP)
    return (first + block % in_group % height) * BM, block % in_group // height * BN


@hocket.aggregate
class Inputs:
    """Descriptors of the matrices that the GEMMs read."""

    a: tma.tensor_descriptor
    b1: tma.tensor_descriptor
    b2: tma.tensor_descriptor


@hocket.jit
def make_ring(inputs, STAGES: gl.constexpr):
    """A ring buffer whose stages hold a tile of each matrix, filled by TMA."""
    a_tiles = gl.allocate_shared_memory(inputs.a.dtype, [STAGES, *inputs.a.block_shape], inputs.a.layout)
    b1_tiles = gl.allocate_shared_memory(inputs.b1.dtype, [STAGES, *inputs.b1.block_shape], inputs.b1.layout)
    b2_tiles = gl.allocate_shared_memory(inputs.b2.dtype, [STAGES, *inputs.b2.block_shape], inputs.b2.layout)
    return gl.RingBuffer((a_tiles, b1_tiles, b2_tiles), consumers=0)


@hocket.jit
def load_step(ring, inputs, step, row, column, pred=True):
    """Starts the copies of the three tiles of an iteration."""
    slot = ring.acquire(step, pred)
    k = step * inputs.a.block_shape[1]
    tma.async_load(inputs.a, [row, k], slot.full, slot.buffers[0], pred)
    tma.async_load(inputs.b1, [k, column], slot.full, slot.buffers[1], pred)
    tma.async_load(inputs.b2, [k, column], slot.full, slot.buffers[2], pred)


@hocket.jit
def silu(x):
    return x / (1.0 + gl.exp(-x))


@hocket.jit
def store_tile(values, desc, tile, row, column):
    tma.store_wait(0)
    tile.store(values.to(desc.dtype))
    tma.async_store(desc, [row, column], tile)


@hocket.jit
def fused_kernel(
    a_desc, b1_desc, b2_desc, gate_desc, activated_desc, up_desc, gated_desc, M, N, K,
    STAGES: gl.constexpr, GROUP: gl.constexpr, WITH_WAITS: gl.constexpr,
):  # fmt: skip
    BM: gl.constexpr = a_desc.block_shape[0]
    BK: gl.constexpr = a_desc.block_shape[1]
    BN: gl.constexpr = b1_desc.block_shape[1]
    row, column = tile_of_block(M, N, BM, BN, GROUP)
    inputs = Inputs(a_desc, b1_desc, b2_desc)
    ring = make_ring(inputs, STAGES)
    producer, consumer = ring.producer(), ring.consumer()
    steps = K // BK
    for step in gl.static_range(STAGES - 1):
        load_step(producer, inputs, step, row, column, step < steps)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    d1 = gl.zeros([BM, BN], gl.float32, layout)
    d2 = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        slot = consumer.wait(step)
        d1 = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1], d1, is_async=True)
        d2 = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[2], d2, is_async=True)
        if WITH_WAITS:
            d1, d2 = hopper.warpgroup_mma_wait(2, deps=[d1, d2])
        ahead = step + STAGES - 1
        load_step(producer, inputs, ahead, row, column, ahead < steps)
    ring.invalidate()
    tile = gl.allocate_shared_memory(gate_desc.dtype, gate_desc.block_shape, gate_desc.layout)
    if WITH_WAITS:
        d1 = hopper.warpgroup_mma_wait(0, deps=[d1])
    store_tile(d1, gate_desc, tile, row, column)
    if WITH_WAITS:
        d1 = hopper.warpgroup_mma_wait(0, deps=[d1])
    activated = silu(d1)
    store_tile(activated, activated_desc, tile, row, column)
    if WITH_WAITS:
        d2 = hopper.warpgroup_mma_wait(0, deps=[d2])
    store_tile(d2, up_desc, tile, row, column)
    if WITH_WAITS:
        d2 = hopper.warpgroup_mma_wait(0, deps=[d2])
    store_tile(activated * d2, gated_desc, tile, row, column)
    tma.store_wait(0)


def descriptor(tensor, block):
    """Returns a descriptor of a float16 matrix with tiles of shape `block` and the widest swizzle that fits them."""
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def fused(a, b1, b2, outs, bm=128, bn=128, bk=64, warps=8, stages=4, group=8, with_waits=False):
    """Returns a function that launches the kernel for `outs`: gate, activated, up and gated."""
    (m, k), n = a.shape, b1.shape[1]
    inputs = descriptor(a, [bm, bk]), descriptor(b1, [bk, bn]), descriptor(b2, [bk, bn])
    tiles = [descriptor(out, [bm, bn]) for out in outs]
    options = {"STAGES": stages, "GROUP": group, "WITH_WAITS": with_waits, "keep_waits": with_waits, "num_warps": warps}
    launch = fused_kernel[(m // bm * (n // bn),)]
    return lambda: launch(*inputs, *tiles, m, n, k, **options)


def expected(a, b1, b2):
    d1, d2 = (a.astype(np.float32) @ b.astype(np.float32) for b in (b1, b2))
    activated = d1 / (1 + np.exp(-d1))
    return d1, activated, d2, activated * d2


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b1, b2 = (rng.standard_normal((256, 256)).astype(np.float16) / 4 for _ in range(3))
    for with_waits in (False, True):
        outs = [np.zeros((256, 256), np.float16) for _ in range(4)]
        with hocket.emulator.target("sm_90a"):
            fused(a, b1, b2, outs, with_waits=with_waits)()
        errors = [np.abs(out.astype(np.float32) - e).max() for out, e in zip(outs, expected(a, b1, b2), strict=True)]
        print(f"{'waits written' if with_waits else 'waits placed'}: largest error {max(errors):.3g}")
