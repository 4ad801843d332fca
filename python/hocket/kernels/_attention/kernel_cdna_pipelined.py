"""Attention on CDNA as warp pipelines: half of the warps compute MFMAs and softmax while the other half reads K or V.

All 8 warps copy, read and multiply, in two groups, one of which is a pipeline stage ahead of the other. Each SIMD has
one warp of each group. Timeline:

    warps 0-3    read K, i + 1 | Q K, i + 1    | read V, i     | P V, i     | read K, i + 2 | ...
    warps 4-7                  | read K, i + 1 | Q K, i + 1    | read V, i  | P V, i        | ...
    copied       K, i + 3      |               | V, i + 2      |            | K, i + 4      | ...

    kernel                           LDS, for K and for V each    filled by
    attention_pipelined_direct       a ring of 3 stages           copies; 3 commit groups stay in flight at each wait
    attention_pipelined_registers    1 buffer                     stores of loaded registers

    synchronization             arrivals
    s_barrier between stages    all warps; 4 barriers per block of keys
    rings                       none: waits for commit groups, and the barriers between stages, order copies and reads

The softmax keeps the VALU of a SIMD busy for about as long as its MFMAs keep the matrix core: 692 and 1024 clocks for
64 keys on gfx950 (D = 128). The softmax of a block therefore has two halves (`softmax_cdna`). Each half runs beside
MFMAs of the same warp that do not depend on this half:

    stage           MFMAs of          beside them, the softmax of
    Q K, i + 1      Q K of i + 1      block i, second half: the remaining exponentials, rounding, sums
    P V, i          P V of i          block i + 1, first half: row maxima, half of the exponentials

The compiler interleaves MFMA with VALU instructions (csrc/codegen/amd/machine/InterleaveMfma.h). The warp that reads
has the higher priority, because it issues few instructions, and the computing warp waits at the next barrier if the
reads are late. On gfx942, lanes exchange row maxima through LDS. Row maxima are therefore computed in the stage that
reads V, between the reads (csrc/codegen/amd/machine/InterleaveLdsAccesses.h), because this stage waits for LDS anyway.
The rescale factor of the row sums is computed beside the MFMAs, because the factor is not needed before the next keys
are read. `kernel_cdna_narrow` has another softmax, for D = 64 on gfx950.

`attention_pipelined_registers` has no ring buffers: a block that is in flight is in registers. The arithmetic
operations and their order are those of `kernel_cdna`.
"""

from __future__ import annotations

from ... import aggregate, aggregate_replace, jit
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
from .kernel_cdna_narrow import attend_to_narrow_blocks, begin_narrow, finish_narrow
from .softmax_cdna import (
    Softmax,
    begin_probabilities,
    empty_softmax,
    end_probabilities,
    factor_of_sums,
    raise_maxima,
    raised_maxima,
    scaled_down,
    score,
    visible_scores,
    whole_sums,
)


@aggregate
class State:
    """State of the warp pipeline before an iteration of its loop. The iteration multiplies P of one block of keys by
    the block of values.

    `softmax` does not include this block. `first` is P of the first half of the block's keys, `second` contains the
    base-2 logarithms of P of the second half, and `correction` is the factor that rescales `softmax` to the block's row
    max.
    """

    softmax: Softmax
    first: gl.tensor
    second: gl.tensor
    correction: gl.tensor


@jit
def begin(queries, k_operand, cfg: gl.constexpr):
    """Returns the state of the warp pipeline before block 0."""
    softmax = empty_softmax(cfg)
    scores = score(queries.tile, k_operand, cfg)
    scores = visible_scores(scores, queries.work, 0, cfg, cfg.has_one_loop and not cfg.is_causal)
    row_max, correction = raise_maxima(scores, softmax.row_max, queries.scale)
    first, second = begin_probabilities(scores, row_max, queries.scale, cfg)
    return State(Softmax(softmax.acc, row_max, softmax.row_sum), first, second, correction)


@jit
def finish(state, v_tile, cfg: gl.constexpr):
    """Returns the accumulator and the row sums, including the last block."""
    second = gl.exp2(state.second, flush_denormals=True)
    p, row_sum = end_probabilities(state.first, second, state.softmax.row_sum, state.correction, v_tile.dtype, cfg)
    v_operand = v_tile.load(cfg.operand_v)
    acc = amd.cdna3.mfma(p, v_operand, scaled_down(state.softmax.acc, state.correction, cfg))
    return acc, whole_sums(row_sum, cfg)


@jit
def attend_to_blocks(
    first_block, last_block, queries, state, k_blocks, v_blocks, is_whole: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Runs the warp pipeline over the blocks of values `first_block` to `last_block - 1`. Iteration i multiplies block
    i of values, and computes the scores of block i + 1 of keys.

    `is_whole`: every query is known to attend to every key of these blocks, so scores and loads are not masked. The
    loop begins with stage 0 of the ring buffers. The function returns the ring position of the next block of values.
    `k_blocks`, `v_blocks`: the first blocks that the loop loads. With `cfg.has_one_loop`, `k_blocks` and `v_blocks` are
    the blocks just before the first blocks that the loop loads, and the loop loads no block past the last block.
    """
    work = queries.work
    # The three ring positions rotate in each iteration. With `i % 3`, LLVM would keep the address of every read in a
    # register, and update each address.
    current, following, filled = [k_blocks.buffers.position(i) for i in range(3)]
    for i in range(first_block, last_block):
        correction, row_max = state.correction, state.softmax.row_max
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_blocks.buffer(following).load(cfg.operand_k)
            if cfg.has_one_loop:
                k_blocks = k_blocks.next_if(i < last_block - 2)
                v_blocks = v_blocks.next_if(i < last_block - 1)
            k_blocks.copy(current, work.keys - (i + 3) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_blocks = k_blocks.next()
            acc = scaled_down(state.softmax.acc, correction, cfg)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("Q K", priority=0):
            scores = score(queries.tile, k_operand, cfg)
            second = gl.exp2(state.second, flush_denormals=True)
            p, row_sum = end_probabilities(
                state.first, second, state.softmax.row_sum, correction, queries.tile.dtype, cfg
            )  # fmt: skip
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_blocks.buffer(current).load(cfg.operand_v)
            v_blocks.copy(filled, work.keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                v_blocks = v_blocks.next()
            scores = visible_scores(scores, work, (i + 1) * cfg.block_n, cfg, is_whole)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc)
            row_max, correction = raise_maxima(scores, row_max, queries.scale)
            first, second = begin_probabilities(scores, row_max, queries.scale, cfg)
            gl.sched_barrier(computed=[first, second])
            state = State(Softmax(acc, row_max, row_sum), first, second, correction)
        current, following, filled = following, filled, current
    return state, k_blocks, v_blocks, current


@jit
def attention_pipelined_direct(q, k, v, out, strides, problem, cfg: gl.constexpr):
    """A kernel with ring buffers of three stages. The commit groups are, in order: K 0, K 1, V 0, K 2, V 1, K 3, ...

    The copies of K 0 and K 1 are complete when the loop begins. In each half of an iteration, a wait completes the
    copies of the data that the next half reads. A stage of the warp pipeline thus lies between a wait and the reads of
    the copied data (`kernel_cdna_ring`). A first loop processes the blocks that need no mask and no bounds check, and a
    second loop the others. With `cfg.has_one_loop`, the kernel has only the first loop.
    """
    is_narrow: gl.constexpr = cfg.sum_acc is not None
    begin_state: gl.constexpr = begin_narrow if is_narrow else begin
    attend: gl.constexpr = attend_to_narrow_blocks if is_narrow else attend_to_blocks
    finish_state: gl.constexpr = finish_narrow if is_narrow else finish
    work = work_of_block(problem, cfg)
    if problem.query_starts is not None:
        if work.row0 >= work.queries:
            return
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 3, cfg), blocks_of_values(v, work, strides.v, 3, cfg)
    k_first, v_first = k_blocks, v_blocks
    q_block = load_queries(q, work, strides.q, problem.scale, cfg)
    for i in gl.static_range(3):
        k_blocks.copy(i, work.keys - i * cfg.block_n)
        k_blocks = k_blocks.next()
        if i > 0:
            v_blocks.copy(i - 1, work.keys - (i - 1) * cfg.block_n)
            v_blocks = v_blocks.next()
    amd.cdna4.async_copy.wait_group(3)
    state = begin_state(q_block, k_blocks.buffer(0).load(cfg.operand_k), cfg)
    last = gl.maximum(number_of_blocks(work, cfg) - 1, 0)
    if cfg.has_one_loop:
        k_blocks = aggregate_replace(k_first, base=k_first.base + gl.minimum(last, 2) * k_first.step)
        state, _, _, current = attend(0, last, q_block, state, k_blocks, v_first.next(), True, cfg)
    else:
        # The number of iterations of the first loop is a multiple of three, so the second loop also begins with stage
        # 0.
        whole = whole_blocks(work, 1, 3, cfg) // 3 * 3
        state, k_blocks, v_blocks, _ = attend(0, whole, q_block, state, k_blocks, v_blocks, True, cfg)
        amd.cdna4.async_copy.wait_group(0)
        state, _, _, current = attend(whole, last, q_block, state, k_blocks, v_blocks, False, cfg)
    amd.cdna4.async_copy.wait_group(0)
    acc, row_sum = finish_state(state, v_blocks.buffer(current), cfg)
    store_output(acc, row_sum, out, work, strides.out, cfg)


@jit
def attend_through_registers(
    first_block, last_block, queries, state, k_blocks, v_blocks, tile, is_whole: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Works like `attend_to_blocks`; `tile` holds the first block of values in registers.

    The scores of the lower half of the keys are computed first, so P can occupy 16 more registers until these scores
    are complete. A lane has 256 registers, some of which hold tiles on their way to LDS.
    """
    work = queries.work
    half: gl.constexpr = cfg.block_n // 2
    for i in range(first_block, last_block):
        correction, row_max = state.correction, state.softmax.row_max
        with amd.warp_pipeline_stage("read K", priority=1):
            low_keys = k_blocks.buffers.slice(0, half, dim=1).load(cfg.operand_k)
            high_keys = k_blocks.buffers.slice(half, half, dim=1).load(cfg.operand_k)
            v_blocks.buffers.store(tile)
            if cfg.has_one_loop:
                k_blocks = k_blocks.next_if(i < last_block - 1)
            tile = k_blocks.load(work.keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_blocks = k_blocks.next()
            acc = scaled_down(state.softmax.acc, correction, cfg)
        with amd.warp_pipeline_stage("Q K", priority=0):
            low = amd.cdna3.mfma(queries.tile, low_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
            second = gl.exp2(state.second, flush_denormals=True)
            gl.sched_barrier(computed=[second, low])
            high = amd.cdna3.mfma(queries.tile, high_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
            p, row_sum = end_probabilities(
                state.first, second, state.softmax.row_sum, correction, queries.tile.dtype, cfg
            )  # fmt: skip
            scores = gl.join(low, high).permute(0, 2, 1).reshape(cfg.block_m, cfg.block_n)
            scores = gl.convert_layout(scores, cfg.acc)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_blocks.buffers.load(cfg.operand_v)
            k_blocks.buffers.store(tile)
            tile = v_blocks.load(work.keys - (i + 1) * cfg.block_n, is_whole)
            v_blocks = v_blocks.next()
            scores = visible_scores(scores, work, (i + 1) * cfg.block_n, cfg, is_whole)
            new_max = raised_maxima(scores, row_max, queries.scale)
            gl.sched_barrier(computed=[new_max])
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc)
            correction = factor_of_sums(row_max, new_max)
            first, second = begin_probabilities(scores, new_max, queries.scale, cfg)
            gl.sched_barrier(computed=[first, second])
            state = State(Softmax(acc, new_max, row_sum), first, second, correction)
    return state, k_blocks, v_blocks, tile


@jit
def attention_pipelined_registers(q, k, v, out, strides, problem, cfg: gl.constexpr):
    """A kernel with one LDS buffer for K and one LDS buffer for V. While one of them is read, the other is filled from
    registers."""
    work = work_of_block(problem, cfg)
    if problem.query_starts is not None:
        if work.row0 >= work.queries:
            return
    k_blocks, v_blocks = blocks_of_keys(k, work, strides.k, 1, cfg), blocks_of_values(v, work, strides.v, 1, cfg)
    k_first = k_blocks
    q_block = load_queries(q, work, strides.q, problem.scale, cfg)
    k_blocks.buffers.store(k_blocks.load(work.keys))
    k_blocks = k_blocks.next()
    k_next = k_blocks.load(work.keys - cfg.block_n)
    state = begin(q_block, k_blocks.buffers.load(cfg.operand_k), cfg)
    k_blocks.buffers.store(k_next)
    tile = v_blocks.load(work.keys)
    v_blocks = v_blocks.next()
    last = gl.maximum(number_of_blocks(work, cfg) - 1, 0)
    if cfg.has_one_loop:
        k_blocks = aggregate_replace(k_first, base=k_first.base + gl.minimum(last, 1) * k_first.step)
        state, _, _, tile = attend_through_registers(0, last, q_block, state, k_blocks, v_blocks, tile, True, cfg)
    else:
        k_blocks = k_blocks.next()
        whole = whole_blocks(work, 1, 2, cfg)
        state, k_blocks, v_blocks, tile = attend_through_registers(
            0, whole, q_block, state, k_blocks, v_blocks, tile, True, cfg
        )
        state, _, _, tile = attend_through_registers(
            whole, last, q_block, state, k_blocks, v_blocks, tile, False, cfg
        )  # fmt: skip
    v_blocks.buffers.store(tile)
    acc, row_sum = finish(state, v_blocks.buffers, cfg)
    store_output(acc, row_sum, out, work, strides.out, cfg)


__all__ = ["attention_pipelined_direct", "attention_pipelined_registers"]
