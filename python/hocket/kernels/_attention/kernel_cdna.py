"""Attention kernels for CDNA without a warp pipeline: softmax(scale x Q K^T) V, one block of queries per workgroup.

All 4 warps of a workgroup have the same role: they copy blocks of keys and values into LDS, and each attends to 32
queries, with the softmax of `softmax_cdna`.

    kernel                         LDS, for K and for V each    the next block is           s_barriers per block of keys
    attention_through_registers    1 buffer                     in registers                2: K stored, then V stored
    attention_direct_to_shared     a ring of 2 stages           copied straight into LDS    1: K and V copied

The compiler inserts the barriers. All warps of the workgroup wait at each barrier. Each barrier also separates the
reads before the barrier from the stores and copies after it. Timeline, with blocks 0, 1, 2, ... of keys:

    through registers    load K 0 | store K 0, load V 0 | Q K 0 | store V 0, load K 1 | P V 0 | store K 1, load V 1 ...
    direct to LDS        copy K 0, V 0 | wait for them, copy K 1, V 1 | Q K 0, P V 0 | wait for them, copy K 2, V 2 ...

The loads and copies are asynchronous. The rings of `attention_direct_to_shared` have neither mbarriers nor releases.
Each copy is ordered before the reads of its block by a wait for the copy's commit group and by the barrier after that
wait. `attention_through_registers` has no ring buffers: a block that is in flight is in registers.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .blocks_cdna import (
    blocks_of_keys,
    blocks_of_values,
    load_queries,
    number_of_blocks,
    store_output,
    whole_blocks,
    work_of_block,
)
from .softmax_cdna import (
    Softmax,
    begin_probabilities,
    empty_softmax,
    end_probabilities,
    raise_maxima,
    scaled_down,
    score,
    visible_scores,
    whole_sums,
)


@jit
def multiply_by_halves(a, b_tile, acc, operand_a: gl.constexpr, operand_b: gl.constexpr):
    """Returns acc + a x B. The second half of B is read after the first half has been multiplied, so B takes only half
    of the registers that all of B would take."""
    half: gl.constexpr = b_tile.shape[0] // 2
    first, second = gl.split(a.reshape(a.shape[0], 2, half).permute(0, 2, 1))
    acc = amd.cdna3.mfma(gl.convert_layout(first, operand_a), b_tile.slice(0, half).load(operand_b), acc)
    gl.sched_barrier(computed=[acc])
    return amd.cdna3.mfma(gl.convert_layout(second, operand_a), b_tile.slice(half, half).load(operand_b), acc)


@jit
def attend_through_registers(
    first_block, last_block, queries, softmax, k_blocks, v_blocks, tile, is_whole: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Adds the blocks of keys `first_block` to `last_block - 1` to `softmax`. `tile` holds the keys of block
    `first_block` in registers."""
    acc, row_max, row_sum = softmax.acc, softmax.row_max, softmax.row_sum
    scale = queries.scale
    for i in range(first_block, last_block):
        left = queries.work.keys - i * cfg.block_n
        k_blocks.buffers.store(tile)
        tile = v_blocks.load(left, is_whole)
        v_blocks = v_blocks.next()
        scores = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
        scores = multiply_by_halves(queries.tile, k_blocks.buffers, scores, cfg.operand_q, cfg.operand_k)
        scores = visible_scores(scores, queries.work, i * cfg.block_n, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, scale)
        first, second = begin_probabilities(scores, row_max, scale, cfg)
        v_blocks.buffers.store(tile)
        k_blocks = k_blocks.next()
        tile = k_blocks.load(left - cfg.block_n, is_whole)
        second = gl.exp2(second, flush_denormals=True)
        p, row_sum = end_probabilities(first, second, row_sum, correction, tile.dtype, cfg)
        acc = scaled_down(acc, correction, cfg)
        acc = multiply_by_halves(p, v_blocks.buffers, acc, cfg.operand_p, cfg.operand_v)
    return Softmax(acc, row_max, row_sum), k_blocks, v_blocks, tile


@jit
def attention_through_registers(q, k, v, out, strides, problem, cfg: gl.constexpr):
    """A kernel with one LDS buffer for K and one LDS buffer for V. Registers hold a block's values while its scores are
    computed, and the next block's keys during P V."""
    work = work_of_block(problem, cfg)
    if problem.query_starts is not None:
        if work.row0 >= work.queries:
            return
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 1, cfg), blocks_of_values(v, work, strides.v, 1, cfg)
    q_block = load_queries(q, work, strides.q, problem.scale, cfg)
    tile = k_blocks.load(work.keys)
    softmax = empty_softmax(cfg)
    # The number of iterations of the first loop is rounded down to an even number. Otherwise the second loop would have
    # at most two iterations, and LLVM would order its comparisons such that 30 registers spill.
    whole = whole_blocks(work, 0, 1, cfg) // 2 * 2
    blocks = number_of_blocks(work, cfg)
    softmax, k_blocks, v_blocks, tile = attend_through_registers(
        0, whole, q_block, softmax, k_blocks, v_blocks, tile, True, cfg
    )
    softmax, k_blocks, v_blocks, tile = attend_through_registers(
        whole, blocks, q_block, softmax, k_blocks, v_blocks, tile, False, cfg
    )
    store_output(softmax.acc, whole_sums(softmax.row_sum, cfg), out, work, strides.out, cfg)


@jit
def attend_direct(
    first_block, last_block, queries, softmax, k_blocks, v_blocks, is_whole: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Adds the blocks of keys `first_block` to `last_block - 1` to `softmax`. On entry, the copies of `first_block`
    into stage 0 are in flight."""
    acc, row_max, row_sum = softmax.acc, softmax.row_max, softmax.row_sum
    # The ring positions `read` and `filled` are exchanged in each iteration. With `i % 2`, LLVM would compute the
    # addresses of all reads in every iteration.
    read, filled = k_blocks.buffers.position(0), k_blocks.buffers.position(1)
    for i in range(first_block, last_block):
        k_blocks, v_blocks = k_blocks.next(), v_blocks.next()
        left = queries.work.keys - (i + 1) * cfg.block_n
        # The copies are issued before the reads, as in `_matmul/kernel_cdna.py`, so one barrier per iteration suffices
        # for both stages.
        amd.cdna4.async_copy.wait_group(0)
        k_blocks.copy(filled, left, is_whole)
        v_blocks.copy(filled, left, is_whole)
        scores = score(queries.tile, k_blocks.buffer(read).load(cfg.operand_k), cfg)
        scores = visible_scores(scores, queries.work, i * cfg.block_n, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, queries.scale)
        first, second = begin_probabilities(scores, row_max, queries.scale, cfg)
        second = gl.exp2(second, flush_denormals=True)
        p, row_sum = end_probabilities(first, second, row_sum, correction, queries.tile.dtype, cfg)
        v_operand = v_blocks.buffer(read).load(cfg.operand_v)
        acc = amd.cdna3.mfma(p, v_operand, scaled_down(acc, correction, cfg))
        read, filled = filled, read
    return Softmax(acc, row_max, row_sum), k_blocks, v_blocks


@jit
def attention_direct_to_shared(q, k, v, out, strides, problem, cfg: gl.constexpr):
    """A kernel with ring buffers of two stages. The next block of keys and values is copied into one stage while warps
    read the other stage."""
    work = work_of_block(problem, cfg)
    if problem.query_starts is not None:
        if work.row0 >= work.queries:
            return
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 2, cfg), blocks_of_values(v, work, strides.v, 2, cfg)
    q_block = load_queries(q, work, strides.q, problem.scale, cfg)
    k_blocks.copy(0, work.keys)
    v_blocks.copy(0, work.keys)
    softmax = empty_softmax(cfg)
    # The number of iterations of the first loop is even, so the second loop also begins with stage 0.
    whole = whole_blocks(work, 0, 1, cfg) // 2 * 2
    blocks = number_of_blocks(work, cfg)
    softmax, k_blocks, v_blocks = attend_direct(0, whole, q_block, softmax, k_blocks, v_blocks, True, cfg)
    softmax, k_blocks, v_blocks = attend_direct(whole, blocks, q_block, softmax, k_blocks, v_blocks, False, cfg)
    store_output(softmax.acc, whole_sums(softmax.row_sum, cfg), out, work, strides.out, cfg)
