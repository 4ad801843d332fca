"""Layers of an MLP whose epilogues use a wgmma four times, after one wait.

`layer_kernel` is a GEMM with an epilogue; `mlp` launches it twice, for two layers:

    d = x @ w
    pre, activated, gated, squares = d, silu(d), d * up, sum(d * d, axis=1)        all four are stored

`fused_kernel` is two GEMMs that share A, as in a gated feed-forward layer:

    d1, d2 = a @ b1, a @ b2
    gate, activated, up, gated = d1, silu(d1), d2, silu(d1) * d2                   all four are stored

Both GEMMs share the loop over K and the tiles of `a`. The kernels contain no wait for wgmma: the compiler inserts one
in the loop, before a stage of the ring buffer is overwritten, and one after it, before the first of the four uses.
The constant `WAITS` lists the forms of both kernels; two of them have waits of their own. `report` returns the
compiler's report on the waits, which docs/asynchronous_waits.md explains.

    warps                       work
    all, with the same role     start the TMA copies of k-tiles, execute the wgmmas, store the results

    ring                        full, arrivals             empty, arrivals
    `STAGES` stages             1, and the bytes of TMA    none: program order releases the stages

Timeline, with S stages:

    copy k-tiles 0 ... S - 2 | wgmmas of k-tile 0; copy S - 1 | k-tile 1; copy S | ... | store four results

    python fused_matmuls.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia import hopper
from hocket.language.nvidia.hopper import tma
from hocket.nvidia.hopper import TensorDescriptor

#: Waits for wgmma: placed by the compiler; written before each use; written once in the loop and once after it.
WAITS = ("placed", "at each use", "once")


@hocket.jit
def tile_of_block(M, N, BM: gl.constexpr, BN: gl.constexpr, GROUP: gl.constexpr):
    """Blocks that run at the same time compute adjacent tiles, so that they share rows and columns in the L2."""
    block = gl.program_id(0)
    in_group = GROUP * (N // BN)
    first = block // in_group * GROUP
    height = gl.minimum(M // BM - first, GROUP)
    return (first + block % in_group % height) * BM, block % in_group // height * BN


@hocket.jit
def silu(x):
    return x / (1.0 + gl.exp(-x))


@hocket.jit
def store_tile(values, desc, tile, row, column):
    tma.store_wait(0)
    tile.store(values.to(desc.dtype))
    tma.async_store(desc, [row, column], tile)


@hocket.jit
def load_tiles(ring, x_desc, w_desc, step, row, column, pred=True):
    """Starts the copies of the two tiles of an iteration."""
    slot = ring.acquire(step, pred)
    k = step * x_desc.block_shape[1]
    tma.async_load(x_desc, [row, k], slot.full, slot.buffers[0], pred)
    tma.async_load(w_desc, [k, column], slot.full, slot.buffers[1], pred)


@hocket.jit
def layer_kernel(
    x_desc, w_desc, pre_desc, activated_desc, gated_desc, up, squares, M, N, K,
    STAGES: gl.constexpr, GROUP: gl.constexpr, WAITS: gl.constexpr,
):  # fmt: skip
    """One layer. `squares` has a row for each column of tiles: the sums of one row of d over the columns of a tile."""
    BM: gl.constexpr = x_desc.block_shape[0]
    BK: gl.constexpr = x_desc.block_shape[1]
    BN: gl.constexpr = w_desc.block_shape[1]
    row, column = tile_of_block(M, N, BM, BN, GROUP)
    x_tiles = gl.allocate_shared_memory(x_desc.dtype, [STAGES, BM, BK], x_desc.layout)
    w_tiles = gl.allocate_shared_memory(w_desc.dtype, [STAGES, BK, BN], w_desc.layout)
    ring = gl.RingBuffer((x_tiles, w_tiles), consumers=0)
    producer, consumer = ring.producer(), ring.consumer()
    steps = K // BK
    for step in gl.static_range(STAGES - 1):
        load_tiles(producer, x_desc, w_desc, step, row, column, step < steps)
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    rows = row + gl.arange(0, BM, layout=gl.SliceLayout(1, layout))
    columns = column + gl.arange(0, BN, layout=gl.SliceLayout(0, layout))
    d = gl.zeros([BM, BN], gl.float32, layout)
    for step in range(steps):
        slot = consumer.wait(step)
        d = hopper.warpgroup_mma(slot.buffers[0], slot.buffers[1], d, is_async=True)
        if WAITS != "placed":
            d = hopper.warpgroup_mma_wait(1, deps=[d])
        ahead = step + STAGES - 1
        load_tiles(producer, x_desc, w_desc, ahead, row, column, ahead < steps)
    ring.invalidate()
    tile = gl.allocate_shared_memory(pre_desc.dtype, pre_desc.block_shape, pre_desc.layout)
    if WAITS != "placed":
        d = hopper.warpgroup_mma_wait(0, deps=[d])
    store_tile(d, pre_desc, tile, row, column)
    if WAITS == "at each use":
        d = hopper.warpgroup_mma_wait(0, deps=[d])
    store_tile(silu(d), activated_desc, tile, row, column)
    if WAITS == "at each use":
        d = hopper.warpgroup_mma_wait(0, deps=[d])
    gated = d * gl.load(up + rows[:, None] * N + columns[None, :]).to(gl.float32)
    store_tile(gated, gated_desc, tile, row, column)
    if WAITS == "at each use":
        d = hopper.warpgroup_mma_wait(0, deps=[d])
    gl.store(squares + column // BN * M + rows, gl.sum(d * d, axis=1))
    tma.store_wait(0)


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
def fused_kernel(
    a_desc, b1_desc, b2_desc, gate_desc, activated_desc, up_desc, gated_desc, M, N, K,
    STAGES: gl.constexpr, GROUP: gl.constexpr, WAITS: gl.constexpr,
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
        if WAITS != "placed":
            d1, d2 = hopper.warpgroup_mma_wait(2, deps=[d1, d2])
        ahead = step + STAGES - 1
        load_step(producer, inputs, ahead, row, column, ahead < steps)
    ring.invalidate()
    tile = gl.allocate_shared_memory(gate_desc.dtype, gate_desc.block_shape, gate_desc.layout)
    if WAITS == "once":
        d1, d2 = hopper.warpgroup_mma_wait(0, deps=[d1, d2])
    if WAITS == "at each use":
        d1 = hopper.warpgroup_mma_wait(0, deps=[d1])
    store_tile(d1, gate_desc, tile, row, column)
    if WAITS == "at each use":
        d1 = hopper.warpgroup_mma_wait(0, deps=[d1])
    activated = silu(d1)
    store_tile(activated, activated_desc, tile, row, column)
    if WAITS == "at each use":
        d2 = hopper.warpgroup_mma_wait(0, deps=[d2])
    store_tile(d2, up_desc, tile, row, column)
    if WAITS == "at each use":
        d2 = hopper.warpgroup_mma_wait(0, deps=[d2])
    store_tile(activated * d2, gated_desc, tile, row, column)
    tma.store_wait(0)


def descriptor(tensor, block):
    """Returns a descriptor of a float16 matrix with tiles of shape `block` and the widest swizzle that fits them."""
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def layer(x, w, up, outs, bm=128, bn=128, bk=64, warps=8, stages=4, group=8, waits="placed"):
    """Returns a function that launches `layer_kernel` for `outs`: pre, activated, gated and squares. `up` is as large
    as `pre`, and `squares` has shape (N // bn, M)."""
    (m, k), n = x.shape, w.shape[1]
    inputs = descriptor(x, [bm, bk]), descriptor(w, [bk, bn])
    tiles = [descriptor(out, [bm, bn]) for out in outs[:3]]
    options = {"STAGES": stages, "GROUP": group, "WAITS": waits, "keep_waits": waits != "placed", "num_warps": warps}
    launch = layer_kernel[(m // bm * (n // bn),)]
    return lambda: launch(*inputs, *tiles, up, outs[3], m, n, k, **options)


def mlp(x, weights, ups, outs, **choices):
    """Returns a function that launches two layers. The second one computes with what the first one has activated.
    `weights`, `ups` and `outs` have an element for each layer."""
    first = layer(x, weights[0], ups[0], outs[0], **choices)
    second = layer(outs[0][1], weights[1], ups[1], outs[1], **choices)

    def run():
        first()
        second()

    return run


def fused(a, b1, b2, outs, bm=128, bn=128, bk=64, warps=8, stages=4, group=8, waits="placed"):
    """Returns a function that launches the kernel for `outs`: gate, activated, up and gated."""
    (m, k), n = a.shape, b1.shape[1]
    inputs = descriptor(a, [bm, bk]), descriptor(b1, [bk, bn]), descriptor(b2, [bk, bn])
    tiles = [descriptor(out, [bm, bn]) for out in outs]
    options = {"STAGES": stages, "GROUP": group, "WAITS": waits, "keep_waits": waits != "placed", "num_warps": warps}
    launch = fused_kernel[(m // bm * (n // bn),)]
    return lambda: launch(*inputs, *tiles, m, n, k, **options)


def report(target="sm_90a", stages=3):
    """Returns the report on the waits of `layer_kernel`, and the kernel's PTX, without a GPU."""
    x, w, out = (np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (128, 128)))
    descriptors = descriptor(x, [128, 64]), descriptor(w, [64, 128]), *[descriptor(out, [128, 128])] * 3
    options = {"STAGES": stages, "GROUP": 8, "WAITS": "placed", "num_warps": 8}
    kernel = layer_kernel.warmup(*descriptors, out, np.zeros((1, 128), np.float32), 128, 128, 512,
                                 target=target, **options)  # fmt: skip
    return kernel.sync_report(), kernel.asm["ptx"]


def expected_layer(x, w, up, bn=128):
    d = x.astype(np.float32) @ w.astype(np.float32)
    squares = (d * d).reshape(len(d), -1, bn).sum(axis=2).T
    return d, d / (1 + np.exp(-d)), d * up.astype(np.float32), squares


def expected(a, b1, b2):
    d1, d2 = (a.astype(np.float32) @ b.astype(np.float32) for b in (b1, b2))
    activated = d1 / (1 + np.exp(-d1))
    return d1, activated, d2, activated * d2


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b1, b2 = (rng.standard_normal((256, 256)).astype(np.float16) / 4 for _ in range(3))
    for waits in WAITS:
        outs = [np.zeros((256, 256), np.float16) for _ in range(4)]
        with hocket.emulator.target("sm_90a"):
            fused(a, b1, b2, outs, waits=waits)()
        errors = [np.abs(out.astype(np.float32) - e).max() for out, e in zip(outs, expected(a, b1, b2), strict=True)]
        print(f"two GEMMs, waits {waits}: largest error {max(errors):.3g}")
        outs = [*[np.zeros((256, 256), np.float16) for _ in range(3)], np.zeros((2, 256), np.float32)]
        with hocket.emulator.target("sm_90a"):
            layer(a, b1, b2, outs, waits=waits)()
        results = zip(outs, expected_layer(a, b1, b2), strict=True)
        error = max(np.abs(out.astype(np.float32) - e).max() for out, e in results)
        print(f"a layer, waits {waits}: largest error {error:.3g}")
    print(report()[0])
