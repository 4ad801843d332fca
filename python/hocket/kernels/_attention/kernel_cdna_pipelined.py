"""Attention as warp pipelines: half of the warps multiply and weigh scores while the other half reads.

    warps 0-3     read K      Q K         read V      P V         read K ...
    warps 4-7                 read K      Q K         read V      P V ...
                  block i     i + 1       i + 1       i           i + 1

The softmax keeps the VALU of a SIMD busy for about as long as its MFMAs keep the matrix core: 692 and 1024 clocks for
64 keys on gfx950 (D = 128). Each SIMD has a warp of either group. So the softmax is split into two halves
(`softmax_cdna`), and each half runs beside an MFMA of the same warp that does not depend on it: the end of one
block's probabilities beside the scores of the next block, which are ready before the values of the last one are summed
up, and the beginning of the next block's beside that sum. The compiler interleaves MFMA with VALU instructions
(csrc/codegen/amd/machine/InterleaveMfma.h). The reading warp has the higher priority: the other one waits for it if it
is late, and it issues few instructions. On gfx942, whose lanes exchange row maxima through LDS, these are computed in
the stage that reads values, between its reads (csrc/codegen/amd/machine/InterleaveLdsAccesses.h), which waits for LDS
anyway. The rescaling factor of the row sums, which is not used before the next keys are read, is computed beside the
MFMAs. With D = 64 on gfx950 another softmax is used: `kernel_cdna_narrow`.

The arithmetic is that of `kernel_cdna`, in the same order.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .kernel_cdna import (
    copy_group,
    end_of_keys,
    head_base,
    key_offsets,
    load_block,
    load_queries,
    next_pointer,
    sequence_of,
    store_output,
    value_offsets,
    whole_blocks,
    work_of_block,
)
from .kernel_cdna_narrow import attend_to_narrow_blocks, begin_narrow, finish_narrow
from .softmax_cdna import (
    begin_weights,
    empty_sums,
    end_weights,
    factor_of_sums,
    raise_maxima,
    raised_maxima,
    scaled_down,
    score,
    visible_scores,
    whole_sums,
)


@jit
def begin(queries_tile, k_operand, row0, keys, diagonal, scale, cfg: gl.constexpr):
    """State of the pipeline before block 0: accumulator and sums, and P as far as it is computed."""
    acc, row_max, row_sum = empty_sums(cfg)
    scores = visible_scores(
        score(queries_tile, k_operand, cfg), row0, 0, keys, diagonal, cfg, cfg.has_one_loop and not cfg.is_causal
    )
    row_max, correction = raise_maxima(scores, row_max, scale)
    first, second = begin_weights(scores, row_max, scale, cfg)
    return acc, row_max, row_sum, first, second, correction


@jit
def finish(state, v_tile, cfg: gl.constexpr):
    """Accumulator and sums including the last block."""
    acc, _, row_sum, first, second, correction = state
    second = gl.exp2(second, flush_denormals=True)
    p, row_sum = end_weights(first, second, row_sum, correction, v_tile.dtype, cfg)
    acc = amd.cdna3.mfma(p, v_tile.load(cfg.operand_v), scaled_down(acc, correction, cfg))
    return acc, whole_sums(row_sum, cfg)


@jit
def attend_to_blocks(
    first_block, last_block, queries_tile, state, pointers, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Runs the pipeline over blocks `first_block` to `last_block - 1` of values and the blocks of keys that follow
    them.

    `is_whole`: no block contains the end of the keys, so nothing is compared with it. The loop begins with buffer 0;
    the next buffer's index is returned. `pointers`: pointers to the first blocks that are loaded or, with
    `cfg.has_one_loop`, to the blocks before them; in that case, they stop at the last block.
    """
    acc, row_max, row_sum, first, second, correction = state
    k_base, v_base = pointers
    dtype: gl.constexpr = v_smem.dtype
    # The indices rotate. With `i % 3`, LLVM would keep the address of every read in its own register, and update each.
    buffer = 0
    next_buffer = 1
    filled = 2
    for i in range(first_block, last_block):
        with amd.warp_pipeline_stage("read K", priority=1):
            k_operand = k_smem.index(next_buffer).load(cfg.operand_k)
            if cfg.has_one_loop:
                k_base = next_pointer(k_base, k_step, i < last_block - 2)
                v_base = next_pointer(v_base, v_step, i < last_block - 1)
            copy_group(k_smem.index(buffer), k_base, k_offsets, k_rows, keys - (i + 3) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_base += k_step
            acc = scaled_down(acc, correction, cfg)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("Q K", priority=0):
            scores = score(queries_tile, k_operand, cfg)
            second = gl.exp2(second, flush_denormals=True)
            p, row_sum = end_weights(first, second, row_sum, correction, dtype, cfg)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.index(buffer).load(cfg.operand_v)
            copy_group(v_smem.index(filled), v_base, v_offsets, v_rows, keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                v_base += v_step
            scores = visible_scores(scores, row0, (i + 1) * cfg.block_n, keys, diagonal, cfg, is_whole)
        amd.cdna4.async_copy.wait_group(3)
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc)
            row_max, correction = raise_maxima(scores, row_max, scale)
            first, second = begin_weights(scores, row_max, scale, cfg)
            gl.sched_barrier(computed=[first, second])
        buffer, next_buffer, filled = next_buffer, filled, buffer
    return (acc, row_max, row_sum, first, second, correction), (k_base, v_base), buffer


@jit
def attention_pipelined_direct(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """Kernel with ring buffers of three stages. Commit groups are K 0, K 1, V 0, K 2, V 1, K 3, ...

    K 0 and K 1 have arrived when the loop begins. In the loop, each wait covers the data that the other half of the
    iteration reads, so a stage lies between the two (`kernel_cdna_ring`). Blocks that need no mask and no bounds check
    have a separate loop. It is the only loop if all blocks are known to be whole at compile time.
    """
    is_narrow: gl.constexpr = cfg.sum_acc is not None
    begin_state: gl.constexpr = begin_narrow if is_narrow else begin
    attend: gl.constexpr = attend_to_narrow_blocks if is_narrow else attend_to_blocks
    finish_state: gl.constexpr = finish_narrow if is_narrow else finish
    row0, batch, head, group = work_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    k_base = head_base(k, batch, group, key0, k_strides)
    v_base = head_base(v, batch, group, key0, v_strides)
    k_first, v_first = k_base, v_base
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [3, cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [3, cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    k_step, v_step = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    for i in gl.static_range(3):
        copy_group(k_smem.index(i), k_base, k_offsets, k_rows, keys - i * cfg.block_n)
        k_base += k_step
        if i > 0:
            copy_group(v_smem.index(i - 1), v_base, v_offsets, v_rows, keys - (i - 1) * cfg.block_n)
            v_base += v_step
    amd.cdna4.async_copy.wait_group(3)
    state = begin_state(queries_tile, k_smem.index(0).load(cfg.operand_k), row0, keys, diagonal, scale, cfg)
    last = gl.maximum(gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n) - 1, 0)
    if cfg.has_one_loop:
        pointers = k_first + gl.minimum(last, 2) * k_step, v_first + v_step
        state, _, buffer = attend(
            0, last, queries_tile, state, pointers, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, True, cfg,
        )  # fmt: skip
    else:
        # A multiple of three iterations, so the second loop also begins with buffer 0.
        whole = whole_blocks(row0, keys, diagonal, 1, 3, cfg) // 3 * 3
        state, pointers, _ = attend(
            0, whole, queries_tile, state, (k_base, v_base), k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, True, cfg,
        )  # fmt: skip
        amd.cdna4.async_copy.wait_group(0)
        state, _, buffer = attend(
            whole, last, queries_tile, state, pointers, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, False, cfg,
        )  # fmt: skip
    amd.cdna4.async_copy.wait_group(0)
    acc, row_sum = finish_state(state, v_smem.index(buffer), cfg)
    store_output(acc, row_sum, head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg)


@jit
def attend_through_registers(
    first_block, last_block, queries_tile, state, pointers, tile, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
    k_step, v_step, row0, keys, diagonal, scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Like `attend_to_blocks`; `tile` holds the first values in registers.

    The scores of the lower half of the keys are computed first, so P can keep 16 more registers until they are
    complete. There are 256 registers, and tiles on their way to LDS take some of them.
    """
    acc, row_max, row_sum, first, second, correction = state
    k_base, v_base = pointers
    dtype: gl.constexpr = v_smem.dtype
    half: gl.constexpr = cfg.block_n // 2
    for i in range(first_block, last_block):
        with amd.warp_pipeline_stage("read K", priority=1):
            low_keys = k_smem.slice(0, half, dim=1).load(cfg.operand_k)
            high_keys = k_smem.slice(half, half, dim=1).load(cfg.operand_k)
            v_smem.store(tile)
            if cfg.has_one_loop:
                k_base = next_pointer(k_base, k_step, i < last_block - 1)
            tile = load_block(k_base, k_offsets, k_rows, keys - (i + 2) * cfg.block_n, is_whole)
            if not cfg.has_one_loop:
                k_base += k_step
            acc = scaled_down(acc, correction, cfg)
        with amd.warp_pipeline_stage("Q K", priority=0):
            low = amd.cdna3.mfma(queries_tile, low_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
            second = gl.exp2(second, flush_denormals=True)
            gl.sched_barrier(computed=[second, low])
            high = amd.cdna3.mfma(queries_tile, high_keys, gl.zeros([cfg.block_m, half], gl.float32, cfg.acc))
            p, row_sum = end_weights(first, second, row_sum, correction, dtype, cfg)
            scores = gl.join(low, high).permute(0, 2, 1).reshape(cfg.block_m, cfg.block_n)
            scores = gl.convert_layout(scores, cfg.acc)
        with amd.warp_pipeline_stage("read V", priority=1):
            v_operand = v_smem.load(cfg.operand_v)
            k_smem.store(tile)
            tile = load_block(v_base, v_offsets, v_rows, keys - (i + 1) * cfg.block_n, is_whole)
            v_base += v_step
            scores = visible_scores(scores, row0, (i + 1) * cfg.block_n, keys, diagonal, cfg, is_whole)
            new_max = raised_maxima(scores, row_max, scale)
            gl.sched_barrier(computed=[new_max])
        with amd.warp_pipeline_stage("P V", priority=0):
            acc = amd.cdna3.mfma(p, v_operand, acc)
            correction = factor_of_sums(row_max, new_max)
            row_max = new_max
            first, second = begin_weights(scores, row_max, scale, cfg)
            gl.sched_barrier(computed=[first, second])
    return (acc, row_max, row_sum, first, second, correction), (k_base, v_base), tile


@jit
def attention_pipelined_registers(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """Kernel with one LDS buffer for K and one for V: while one is read, the other is filled from registers."""
    row0, batch, head, group = work_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    k_base = head_base(k, batch, group, key0, k_strides)
    v_base = head_base(v, batch, group, key0, v_strides)
    k_first = k_base
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    k_step, v_step = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    k_smem.store(load_block(k_base, k_offsets, k_rows, keys, False))
    k_base += k_step
    k_next = load_block(k_base, k_offsets, k_rows, keys - cfg.block_n, False)
    state = begin(queries_tile, k_smem.load(cfg.operand_k), row0, keys, diagonal, scale, cfg)
    k_smem.store(k_next)
    tile = load_block(v_base, v_offsets, v_rows, keys)
    last = gl.maximum(gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n) - 1, 0)
    if cfg.has_one_loop:
        pointers = k_first + gl.minimum(last, 1) * k_step, v_base + v_step
        state, _, tile = attend_through_registers(
            0, last, queries_tile, state, pointers, tile, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, True, cfg,
        )  # fmt: skip
    else:
        pointers = k_base + k_step, v_base + v_step
        whole = whole_blocks(row0, keys, diagonal, 1, 2, cfg)
        state, pointers, tile = attend_through_registers(
            0, whole, queries_tile, state, pointers, tile, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, True, cfg,
        )  # fmt: skip
        state, _, tile = attend_through_registers(
            whole, last, queries_tile, state, pointers, tile, k_smem, v_smem, k_offsets, v_offsets, k_rows, v_rows,
            k_step, v_step, row0, keys, diagonal, scale, False, cfg,
        )  # fmt: skip
    v_smem.store(tile)
    acc, row_sum = finish(state, v_smem, cfg)
    store_output(acc, row_sum, head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg)


__all__ = ["attention_pipelined_direct", "attention_pipelined_registers"]
