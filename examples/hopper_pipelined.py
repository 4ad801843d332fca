"""GEMM and attention on Hopper: plain loops, warp pipelines, warp-specialized.

    form                     loop
    plain                    no stages: both warpgroups execute the same code at the same time
    auto                     the plain loop with stages that the compiler forms, if it can
    stages                   stages written by hand: a warpgroup loads or computes its softmax during the other's wgmmas
    exclusive                the same stages, but the warpgroups synchronize only at the stage with wgmmas (ping-pong)
    specialized              a producer warp starts the copies; the two warpgroups execute the plain loop
    specialized exclusive    a producer warp starts the copies; the two warpgroups ping-pong

A block has eight warps, i.e. two warpgroups, and in the specialized forms one producer warp more. A ring buffer of
`STAGES` stages holds tiles that TMA loads. No kernel waits for wgmma: the compiler places the waits.
`benchmarks/warp_pipelines_hopper.py` measures all forms.

    python hopper_pipelined.py
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import tma, warpgroup_mma
from hocket.nvidia.hopper import TensorDescriptor

FORMS = ("plain", "auto", "stages", "exclusive", "specialized", "specialized exclusive")


# GEMM ----------------------------------------------------------------------------------------------------------------


@hocket.jit
def tile_of_block(M, N, BM: gl.constexpr, BN: gl.constexpr, GROUP: gl.constexpr):
    """Blocks that run at the same time compute adjacent tiles, so that they share rows and columns in the L2."""
    block = gl.program_id(0)
    in_group = GROUP * (N // BN)
    first = block // in_group * GROUP
    height = gl.minimum(M // BM - first, GROUP)
    return (first + block % in_group % height) * BM, block % in_group // height * BN


@hocket.jit
def load_step(producer, a_desc, b_desc, step, row, column, pred=True):
    slot = producer.acquire(step, pred)
    k = step * a_desc.block_shape[1]
    tma.async_load(a_desc, [row, k], slot.full, slot.buffers[0], pred)
    tma.async_load(b_desc, [k, column], slot.full, slot.buffers[1], pred)


@hocket.jit
def load_steps(producer, a_desc, b_desc, steps, row, column):
    for step in range(steps):
        load_step(producer, a_desc, b_desc, step, row, column)


@hocket.jit
def zeros_like_tile(a_desc, b_desc):
    BN: gl.constexpr = b_desc.block_shape[1]
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    return gl.zeros([a_desc.block_shape[0], BN], gl.float32, layout)


@hocket.jit
def multiply_steps(consumer, a_desc, b_desc, steps, EXCLUSIVE: gl.constexpr):
    """The loop of the two warpgroups beside a producer warp."""
    acc = zeros_like_tile(a_desc, b_desc)
    for step in range(steps):
        if EXCLUSIVE:
            with gl.warp_pipeline_stage("multiply", exclusive=True):
                consumer.release(step - 1, pred=step > 0)
                slot = consumer.wait(step)
                acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc)
            with gl.warp_pipeline_stage("rest"):
                pass
        else:
            slot = consumer.wait(step)
            acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
            # The wgmma of this step is still in flight; that of the step before has read its stage.
            consumer.release(step - 1, pred=step > 0)
    return acc


@hocket.jit
def store_tile(acc, c_desc, row, column):
    values = acc.to(c_desc.dtype)
    # Allocated after the wait for the last wgmma, so that the tile can use the memory of the ring buffer.
    tile = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_shape, c_desc.layout)
    tile.store(values)
    tma.async_store(c_desc, [row, column], tile)
    tma.store_wait(0)


@hocket.jit
def gemm(a_desc, b_desc, c_desc, M, N, K, STAGES: gl.constexpr, GROUP: gl.constexpr, FORM: gl.constexpr):
    row, column = tile_of_block(M, N, a_desc.block_shape[0], b_desc.block_shape[1], GROUP)
    steps = K // a_desc.block_shape[1]
    is_specialized: gl.constexpr = FORM == "specialized" or FORM == "specialized exclusive"
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [STAGES, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [STAGES, *b_desc.block_shape], b_desc.layout)
    ring = gl.RingBuffer((a_tiles, b_tiles), consumers=1 if is_specialized else 0)
    producer, consumer = ring.producer(), ring.consumer()
    if is_specialized:
        acc = gl.warp_specialize(
            [
                (multiply_steps, (consumer, a_desc, b_desc, steps, FORM == "specialized exclusive")),
                (load_steps, (producer, a_desc, b_desc, steps, row, column)),
            ],
            [1],
            [24],
        )
    else:
        acc = zeros_like_tile(a_desc, b_desc)
        for step in gl.static_range(STAGES - 2):
            load_step(producer, a_desc, b_desc, step, row, column, step < steps)
        if FORM == "stages" or FORM == "exclusive":
            for step in range(steps):
                with gl.warp_pipeline_stage("load"):
                    ahead = step + STAGES - 2
                    load_step(producer, a_desc, b_desc, ahead, row, column, ahead < steps)
                    slot = consumer.wait(step)
                with gl.warp_pipeline_stage("multiply", exclusive=FORM == "exclusive"):
                    acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc)
        else:
            for step in gl.range(steps, warp_pipeline="auto" if FORM == "auto" else None):
                ahead = step + STAGES - 2
                load_step(producer, a_desc, b_desc, ahead, row, column, ahead < steps)
                slot = consumer.wait(step)
                acc = warpgroup_mma(slot.buffers[0], slot.buffers[1], acc, is_async=True)
    ring.invalidate()
    store_tile(acc, c_desc, row, column)


# Attention -----------------------------------------------------------------------------------------------------------


@hocket.aggregate
class Softmax:
    """State of the online softmax: P of the last block of keys, row max and row sum of all blocks so far, and the
    factor of the sums before the last block."""

    p: gl.tensor
    row_max: gl.tensor
    row_sum: gl.tensor
    rescale: gl.tensor


@hocket.jit
def add_scores(scores, row_max, row_sum, scale):
    """Returns the state after a further block of keys."""
    new_max = gl.maximum(row_max, gl.max(scores, axis=1) * scale)
    p = gl.exp2(scores * scale - new_max[:, None])
    rescale = gl.exp2(row_max - new_max)
    operand = gl.convert_layout(p.to(gl.float16), gl.DotOperandLayout(0, scores.layout, 2))
    return Softmax(operand, new_max, row_sum * rescale + gl.sum(p, axis=1), rescale)


@hocket.jit
def load_block(producer, k_desc, v_desc, row, i, pred=True):
    slot = producer.acquire(i, pred)
    tma.async_load(k_desc, [row + i * k_desc.block_shape[0], 0], slot.full, slot.buffers[0], pred)
    tma.async_load(v_desc, [row + i * v_desc.block_shape[0], 0], slot.full, slot.buffers[1], pred)


@hocket.jit
def load_blocks(producer, k_desc, v_desc, row, blocks):
    for i in range(blocks):
        load_block(producer, k_desc, v_desc, row, i)


@hocket.jit
def first_block(q_tile, consumer, scale):
    """Returns the accumulator, and the state after the first block of keys."""
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, q_tile.shape[1], 16])
    by_row: gl.constexpr = gl.SliceLayout(1, layout)
    acc = gl.zeros(q_tile.shape, gl.float32, layout)
    scores = warpgroup_mma(q_tile, consumer.wait(0).buffers[0].permute([1, 0]), acc)
    lowest = gl.full([q_tile.shape[0]], float("-inf"), gl.float32, by_row)
    return acc, add_scores(scores, lowest, gl.zeros([q_tile.shape[0]], gl.float32, by_row), scale)


@hocket.jit
def multiply(q_tile, p, consumer, acc, i):
    """Computes the scores of block i, and P V of the block before."""
    keys, values = consumer.wait(i).buffers[0], consumer.slot(i - 1).buffers[1]
    zeros = gl.zeros(acc.shape, gl.float32, acc.layout)
    scores = warpgroup_mma(q_tile, keys.permute([1, 0]), zeros, is_async=True)
    return scores, warpgroup_mma(p, values, acc, is_async=True)


@hocket.jit
def last_block(state, consumer, acc, blocks):
    return warpgroup_mma(state.p, consumer.slot(blocks - 1).buffers[1], acc) / state.row_sum[:, None]


@hocket.jit
def attend_blocks(q_tile, consumer, blocks, scale, EXCLUSIVE: gl.constexpr):
    """The loop of the two warpgroups beside a producer warp."""
    acc, state = first_block(q_tile, consumer, scale)
    for i in range(1, blocks):
        if EXCLUSIVE:
            with gl.warp_pipeline_stage("wgmma", exclusive=True):
                consumer.release(i - 2, pred=i > 1)
                scores, acc = multiply(q_tile, state.p, consumer, acc, i)
            with gl.warp_pipeline_stage("softmax"):
                state = add_scores(scores, state.row_max, state.row_sum, scale)
                acc *= state.rescale[:, None]
        else:
            scores, acc = multiply(q_tile, state.p, consumer, acc, i)
            state = add_scores(scores, state.row_max, state.row_sum, scale)
            acc *= state.rescale[:, None]
            consumer.release(i - 1)
    return last_block(state, consumer, acc, blocks)


@hocket.jit
def attention(q_desc, k_desc, v_desc, out, N, scale, STAGES: gl.constexpr, FORM: gl.constexpr):
    """softmax(scale x Q K^T) V of a head per program_id(1); `scale` includes log2(e). N is a multiple of the rows of a
    tile. The number of keys of a tile is the head size."""
    ROWS: gl.constexpr = q_desc.block_shape[0]
    KEYS: gl.constexpr = k_desc.block_shape[0]
    DEPTH: gl.constexpr = q_desc.block_shape[1]
    row = gl.program_id(1) * N
    first = row + gl.program_id(0) * ROWS
    blocks = N // KEYS
    is_specialized: gl.constexpr = FORM == "specialized" or FORM == "specialized exclusive"
    queries = gl.RingBuffer(gl.allocate_shared_memory(gl.float16, [1, ROWS, DEPTH], q_desc.layout), consumers=0)
    keys = gl.allocate_shared_memory(gl.float16, [STAGES, KEYS, DEPTH], k_desc.layout)
    values = gl.allocate_shared_memory(gl.float16, [STAGES, KEYS, DEPTH], v_desc.layout)
    ring = gl.RingBuffer((keys, values), consumers=1 if is_specialized else 0)
    producer, consumer = ring.producer(), ring.consumer()
    slot = queries.producer().acquire(0)
    tma.async_load(q_desc, [first, 0], slot.full, slot.buffer)
    q_tile = queries.consumer().wait(0).buffer
    if is_specialized:
        acc = gl.warp_specialize(
            [
                (attend_blocks, (q_tile, consumer, blocks, scale, FORM == "specialized exclusive")),
                (load_blocks, (producer, k_desc, v_desc, row, blocks)),
            ],
            [1],
            [24],
        )
    else:
        for i in gl.static_range(STAGES - 1):
            load_block(producer, k_desc, v_desc, row, i, i < blocks)
        acc, state = first_block(q_tile, consumer, scale)
        if FORM == "stages" or FORM == "exclusive":
            for i in range(1, blocks):
                with gl.warp_pipeline_stage("wgmma", exclusive=FORM == "exclusive"):
                    scores, acc = multiply(q_tile, state.p, consumer, acc, i)
                with gl.warp_pipeline_stage("softmax"):
                    load_block(producer, k_desc, v_desc, row, i + STAGES - 2, i + STAGES - 2 < blocks)
                    state = add_scores(scores, state.row_max, state.row_sum, scale)
                    acc *= state.rescale[:, None]
        else:
            for i in gl.range(1, blocks, warp_pipeline="auto" if FORM == "auto" else None):
                scores, acc = multiply(q_tile, state.p, consumer, acc, i)
                load_block(producer, k_desc, v_desc, row, i + STAGES - 2, i + STAGES - 2 < blocks)
                state = add_scores(scores, state.row_max, state.row_sum, scale)
                acc *= state.rescale[:, None]
        acc = last_block(state, consumer, acc, blocks)
    rows = first + gl.arange(0, ROWS, layout=gl.SliceLayout(1, acc.layout))
    columns = gl.arange(0, DEPTH, layout=gl.SliceLayout(0, acc.layout))
    gl.store(out + rows[:, None] * DEPTH + columns[None, :], acc.to(gl.float16))


# Launches ------------------------------------------------------------------------------------------------------------


def descriptor(tensor, block):
    """Returns a descriptor of a float16 matrix with tiles of shape `block` and the widest swizzle that fits them."""
    return TensorDescriptor.from_tensor(tensor, block, gl.NVMMASharedLayout.get_default_for(block, gl.float16))


def multiplied(a, b, c, form, bm=128, bn=256, bk=64, stages=4, group=8):
    """Returns a function that computes c = a x b; sizes are multiples of the tiles'."""
    (m, k), n = a.shape, b.shape[1]
    descriptors = descriptor(a, [bm, bk]), descriptor(b, [bk, bn]), descriptor(c, [bm, bn])
    launch = gemm[(m // bm * (n // bn),)]
    return lambda: launch(*descriptors, m, n, k, STAGES=stages, GROUP=group, FORM=form, num_warps=8)


def attended(q, k, v, out, form, rows=128, stages=3):
    """Returns a function that computes attention of arrays of shape [heads, n, head size]. A block has a group of four
    warps for every 64 of its `rows` queries. With four groups, the forms are "plain" and "exclusive"."""
    heads, n, size = q.shape
    tiles = [descriptor(x.reshape(-1, size), [block, size]) for x, block in ((q, rows), (k, size), (v, size))]
    scale = size**-0.5 * float(np.log2(np.e))
    launch = attention[(n // rows, heads)]
    return lambda: launch(*tiles, out, n, scale, STAGES=stages, FORM=form, num_warps=rows // 16)


def expected_attention(q, k, v):
    scores = q.astype(np.float32) @ k.astype(np.float32).transpose(0, 2, 1) * q.shape[2] ** -0.5
    p = np.exp(scores - scores.max(axis=2, keepdims=True))
    return p @ v.astype(np.float32) / p.sum(axis=2, keepdims=True)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((256, 256)).astype(np.float16) for _ in range(2))
    q, k, v = (rng.standard_normal((1, 512, 64)).astype(np.float16) for _ in range(3))
    for form in FORMS:
        c, out = np.zeros((256, 256), np.float16), np.zeros_like(q)
        with hocket.emulator.target("sm_90a"):
            multiplied(a, b, c, form)()
            attended(q, k, v, out, form)()
        error = np.abs(c.astype(np.float32) - a.astype(np.float32) @ b.astype(np.float32)).max()
        other = np.abs(out.astype(np.float32) - expected_attention(q, k, v)).max()
        print(f"{form}: largest error of the GEMM {error:.3g}, of attention {other:.3g}")
