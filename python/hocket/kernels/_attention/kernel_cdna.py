"""Attention kernels for CDNA without a warp pipeline: softmax(scale x Q K^T) V, one block of queries per workgroup.

`attention_direct_to_shared` copies keys and values straight into LDS and double-buffers them.
`attention_through_registers` loads them into registers, which double as the second buffer, and stores them to LDS.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from .._common.xcd_order import position_of_block
from .softmax_cdna import (
    begin_weights,
    empty_sums,
    end_weights,
    raise_maxima,
    scaled_down,
    score,
    visible_scores,
    whole_sums,
)


@jit
def load_queries(q, row0, queries, strides, cfg: gl.constexpr):
    """The workgroup's rows of Q as an operand; 0 after the last query."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.operand_q))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.operand_q))
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    return amd.cdna3.buffer_load(q + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def store_output(acc, row_sum, out, row0, queries, strides, cfg: gl.constexpr):
    """Divides by the row sum, and stores the workgroup's rows. Rows that see no key become 0."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    factor = 1.0 / gl.where(row_sum == 0.0, 1.0, row_sum)
    result = acc * factor[:, None]
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    amd.cdna3.buffer_store(result.to(out.dtype.element_ty), out + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def sequence_of(batch, query_starts, key_starts, queries, keys):
    """First query, first key, and numbers of queries and keys of a sequence. Without starts, all sequences have
    equal lengths."""
    if query_starts is None:
        return 0, 0, queries, keys
    query0, key0 = gl.load(query_starts + batch), gl.load(key_starts + batch)
    return query0, key0, gl.load(query_starts + batch + 1) - query0, gl.load(key_starts + batch + 1) - key0


@jit
def head_base(pointer, batch, head, row, strides):
    """Pointer to row `row` of a head."""
    offset = batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1]
    return pointer + offset + gl.to_tensor(row).to(gl.int64) * strides[2]


@jit
def key_offsets(strides, cfg: gl.constexpr):
    """Offsets of a tile of K^T, and the key number of each element."""
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.load_k))[None, :]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(1, cfg.load_k))[:, None]
    return columns * strides[3] + keys * strides[2], keys + columns * 0


@jit
def value_offsets(strides, cfg: gl.constexpr):
    """Offsets of a tile of V, and the key number of each element."""
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.load_v))[:, None]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.load_v))[None, :]
    return keys * strides[2] + columns * strides[3], keys + columns * 0


@jit
def work_of_block(heads, heads_per_group, cfg: gl.constexpr):
    """First query, batch, head, and head of keys of a workgroup.

    All blocks of a head run on one die, whose L2 cache then holds the head's keys and values, if the number of heads
    permits.
    """
    in_head = gl.num_programs(0)
    position = position_of_block(gl.program_id(1) * in_head + gl.program_id(0), in_head * gl.num_programs(1), cfg.dies)
    head = position // in_head % heads
    return position % in_head * cfg.block_m, position // in_head // heads, head, head // heads_per_group


@jit
def end_of_keys(row0, keys, diagonal, cfg: gl.constexpr):
    """End of the keys that any row of the block may attend to."""
    end = keys
    if cfg.is_causal:
        end = gl.maximum(gl.minimum(keys, row0 + cfg.block_m + diagonal), 0)
    return end


@jit
def whole_blocks(row0, keys, diagonal, scored: gl.constexpr, fetched: gl.constexpr, cfg: gl.constexpr):
    """Number of leading iterations that need neither a mask nor a bounds check.

    Iteration i computes the scores of block i + `scored`, which all rows must see, and loads blocks up to i +
    `fetched`, which must not contain the end of the keys.
    """
    whole = keys // cfg.block_n - fetched
    if cfg.is_causal:
        whole = gl.minimum(whole, (row0 + diagonal + 1) // cfg.block_n - scored)
    return gl.maximum(whole, 0)


@jit
def next_pointer(pointer, step, is_left):
    """The pointer to the next block, or `place` itself if no block is left; the data loaded then is not used.

    The step is selected and added in bytes, which fit into 32 bits: two more scalar instructions per iteration. In
    elements, which need a 64-bit shift, it would be four.
    """
    size: gl.constexpr = pointer.dtype.element_ty.primitive_bitwidth // 8
    step_bytes = gl.where(is_left, step * size, 0).to(gl.uint32)
    return (pointer.to(gl.pointer_type(gl.int8), bitcast=True) + step_bytes).to(pointer.dtype, bitcast=True)


@jit
def load_block(base, offsets, rows, left, is_whole: gl.constexpr = False):
    """Loads a block of keys or values into registers; 0 past the last key, unless the block is known to be whole."""
    if is_whole:
        return amd.cdna3.buffer_load(base, offsets)
    return amd.cdna3.buffer_load(base, offsets, mask=rows < left)


@jit
def copy_block(tile, base, offsets, rows, left, is_whole: gl.constexpr = False):
    """Starts copying a block of keys or values straight into LDS; 0 past the last key, unless the block is known to
    be whole."""
    if is_whole:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets)
    else:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets, mask=rows < left)


@jit
def copy_group(tile, base, offsets, rows, left, is_whole: gl.constexpr = False):
    """Starts copying a block, as one commit group."""
    copy_block(tile, base, offsets, rows, left, is_whole)
    amd.cdna4.async_copy.commit_group()


@jit
def add_values(p, v_tile, acc, correction, cfg: gl.constexpr):
    """The rescaled accumulator plus P V for a block of values."""
    return amd.cdna3.mfma(p, v_tile.load(cfg.operand_v), scaled_down(acc, correction, cfg))


@jit
def multiply_by_halves(a, b_tile, acc, operand_a: gl.constexpr, operand_b: gl.constexpr):
    """acc + a x b. The second half of b is read after the first half has been multiplied, which halves the
    registers."""
    half: gl.constexpr = b_tile.shape[0] // 2
    first, second = gl.split(a.reshape(a.shape[0], 2, half).permute(0, 2, 1))
    acc = amd.cdna3.mfma(gl.convert_layout(first, operand_a), b_tile.slice(0, half).load(operand_b), acc)
    gl.sched_barrier(computed=[acc])
    return amd.cdna3.mfma(gl.convert_layout(second, operand_a), b_tile.slice(half, half).load(operand_b), acc)


@jit
def attend_through_registers(
    first_block, last_block, queries_tile, sums, pointers, tile, smem, offsets, numbers, steps, row0, keys, diagonal,
    scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Processes blocks `first_block` to `last_block - 1`. `tile` holds the keys of the first block. Pairs hold the
    values for K and for V."""
    acc, row_max, row_sum = sums
    k_pointer, v_pointer = pointers
    for i in range(first_block, last_block):
        left = keys - i * cfg.block_n
        smem[0].store(tile)
        tile = load_block(v_pointer, offsets[1], numbers[1], left, is_whole)
        v_pointer += steps[1]
        scores = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
        scores = multiply_by_halves(queries_tile, smem[0], scores, cfg.operand_q, cfg.operand_k)
        scores = visible_scores(scores, row0, i * cfg.block_n, keys, diagonal, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, scale)
        first, second = begin_weights(scores, row_max, scale, cfg)
        smem[1].store(tile)
        k_pointer += steps[0]
        tile = load_block(k_pointer, offsets[0], numbers[0], left - cfg.block_n, is_whole)
        second = gl.exp2(second, flush_denormals=True)
        p, row_sum = end_weights(first, second, row_sum, correction, queries_tile.dtype, cfg)
        acc = multiply_by_halves(p, smem[1], scaled_down(acc, correction, cfg), cfg.operand_p, cfg.operand_v)
    return (acc, row_max, row_sum), (k_pointer, v_pointer), tile


@jit
def attention_through_registers(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """Kernel with one LDS buffer for K and one for V. Registers hold a block's values while its scores are computed,
    and the next block's keys during P V."""
    row0, batch, head, group = work_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    pointers = head_base(k, batch, group, key0, k_strides), head_base(v, batch, group, key0, v_strides)
    k_offsets, k_numbers = key_offsets(k_strides, cfg)
    v_offsets, v_numbers = value_offsets(v_strides, cfg)
    offsets, numbers = (k_offsets, v_offsets), (k_numbers, v_numbers)
    steps = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    smem = (
        gl.allocate_shared_memory(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k),
        gl.allocate_shared_memory(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v),
    )
    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    tile = load_block(pointers[0], k_offsets, k_numbers, keys)
    sums = empty_sums(cfg)
    # Even, because with at most two iterations in the second loop, LLVM orders its comparisons such that 30 registers
    # spill.
    whole = whole_blocks(row0, keys, diagonal, 0, 1, cfg) // 2 * 2
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, pointers, tile = attend_through_registers(
        0, whole, queries_tile, sums, pointers, tile, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
        True, cfg,
    )  # fmt: skip
    sums, pointers, tile = attend_through_registers(
        whole, blocks, queries_tile, sums, pointers, tile, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
        False, cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(
        acc, whole_sums(row_sum, cfg), head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg
    )


@jit
def attend_direct(
    first_block, last_block, queries_tile, sums, pointers, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
    is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Processes blocks `first_block` to `last_block - 1`. The first one is already being copied into buffer 0. Pairs
    hold the values for K and for V."""
    copies: gl.constexpr = amd.cdna4.async_copy
    acc, row_max, row_sum = sums
    buffer = 0
    filled = 1
    for i in range(first_block, last_block):
        pointers = pointers[0] + steps[0], pointers[1] + steps[1]
        left = keys - (i + 1) * cfg.block_n
        # The copies are issued before the reads, as in the GEMM kernel, so one barrier serves both buffers.
        copies.wait_group(0)
        copy_block(smem[0].index(filled), pointers[0], offsets[0], numbers[0], left, is_whole)
        copy_block(smem[1].index(filled), pointers[1], offsets[1], numbers[1], left, is_whole)
        copies.commit_group()
        scores = score(queries_tile, smem[0].index(buffer).load(cfg.operand_k), cfg)
        scores = visible_scores(scores, row0, i * cfg.block_n, keys, diagonal, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, scale)
        first, second = begin_weights(scores, row_max, scale, cfg)
        second = gl.exp2(second, flush_denormals=True)
        p, row_sum = end_weights(first, second, row_sum, correction, queries_tile.dtype, cfg)
        acc = add_values(p, smem[1].index(buffer), acc, correction, cfg)
        buffer, filled = filled, buffer
    return (acc, row_max, row_sum), pointers


@jit
def attention_direct_to_shared(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """Kernel with two LDS buffers: the next block of keys and values is copied into one while the other is in use."""
    row0, batch, head, group = work_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    pointers = head_base(k, batch, group, key0, k_strides), head_base(v, batch, group, key0, v_strides)
    k_offsets, k_numbers = key_offsets(k_strides, cfg)
    v_offsets, v_numbers = value_offsets(v_strides, cfg)
    offsets, numbers = (k_offsets, v_offsets), (k_numbers, v_numbers)
    steps = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    smem = (
        gl.allocate_shared_memory(k.dtype.element_ty, [2, cfg.head_size, cfg.block_n], cfg.shared_k),
        gl.allocate_shared_memory(v.dtype.element_ty, [2, cfg.block_n, cfg.head_size], cfg.shared_v),
    )
    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    copy_block(smem[0].index(0), pointers[0], k_offsets, k_numbers, keys)
    copy_block(smem[1].index(0), pointers[1], v_offsets, v_numbers, keys)
    amd.cdna4.async_copy.commit_group()
    sums = empty_sums(cfg)
    # An even number, so the second loop also begins with buffer 0.
    whole = whole_blocks(row0, keys, diagonal, 0, 1, cfg) // 2 * 2
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, pointers = attend_direct(
        0, whole, queries_tile, sums, pointers, smem, offsets, numbers, steps, row0, keys, diagonal, scale, True, cfg
    )
    sums, pointers = attend_direct(
        whole, blocks, queries_tile, sums, pointers, smem, offsets, numbers, steps, row0, keys, diagonal, scale, False,
        cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(
        acc, whole_sums(row_sum, cfg), head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg
    )
