"""Attention as kernels for CDNA: softmax(scale x Q K^T) V, a block of queries at a time, all warps in step."""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .attention_softmax import (
    begin_weights,
    empty_sums,
    end_weights,
    raise_maxima,
    scaled_down,
    score,
    visible_scores,
    whole_sums,
)
from .die_order import place_of


@jit
def load_queries(q, row0, queries, strides, cfg: gl.constexpr):
    """The block's rows of Q, as an operand; 0 beyond the last query."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.operand_q))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.operand_q))
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    return amd.cdna3.buffer_load(q + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def store_output(acc, row_sum, out, row0, queries, strides, cfg: gl.constexpr):
    """Divides by the sum (rows without any key give 0) and writes the block's rows."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    factor = 1.0 / gl.where(row_sum == 0.0, 1.0, row_sum)
    result = acc * factor[:, None]
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    amd.cdna3.buffer_store(result.to(out.dtype.element_ty), out + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def sequence_of(batch, query_starts, key_starts, queries, keys):
    """The first query and key of a sequence, and how many it has: where all are equally long, those of the arrays."""
    if query_starts is None:
        return 0, 0, queries, keys
    query0, key0 = gl.load(query_starts + batch), gl.load(key_starts + batch)
    return query0, key0, gl.load(query_starts + batch + 1) - query0, gl.load(key_starts + batch + 1) - key0


@jit
def head_base(pointer, batch, head, row, strides):
    """Where row `row` of a head is."""
    offset = batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1]
    return pointer + offset + gl.to_tensor(row).to(gl.int64) * strides[2]


@jit
def key_offsets(strides, cfg: gl.constexpr):
    """Offsets of a tile of K^T, and the number of the key of each element."""
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.load_k))[None, :]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(1, cfg.load_k))[:, None]
    return columns * strides[3] + keys * strides[2], keys + columns * 0


@jit
def value_offsets(strides, cfg: gl.constexpr):
    """Offsets of a tile of V, and the number of the key of each element."""
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.load_v))[:, None]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.load_v))[None, :]
    return keys * strides[2] + columns * strides[3], keys + columns * 0


@jit
def place_of_block(heads, heads_per_group, cfg: gl.constexpr):
    """The block's first query, its batch and head, and the head of keys that this head shares.

    A die has all blocks of a head, whose keys and values its cache then holds, as far as heads can be dealt evenly.
    """
    in_head = gl.num_programs(0)
    place = place_of(gl.program_id(1) * in_head + gl.program_id(0), in_head * gl.num_programs(1), cfg.dies)
    head = place // in_head % heads
    return place % in_head * cfg.block_m, place // in_head // heads, head, head // heads_per_group


@jit
def end_of_keys(row0, keys, diagonal, cfg: gl.constexpr):
    """Keys that any row of the block may attend to."""
    end = keys
    if cfg.is_causal:
        end = gl.maximum(gl.minimum(keys, row0 + cfg.block_m + diagonal), 0)
    return end


@jit
def whole_blocks(row0, keys, diagonal, scored: gl.constexpr, fetched: gl.constexpr, cfg: gl.constexpr):
    """How many iterations, the first ones, are of whole blocks only: iteration i takes the scores of block i + scored,
    which all rows see, and fetches blocks up to i + fetched, without an end of keys in them."""
    whole = keys // cfg.block_n - fetched
    if cfg.is_causal:
        whole = gl.minimum(whole, (row0 + diagonal + 1) // cfg.block_n - scored)
    return gl.maximum(whole, 0)


@jit
def next_place(place, step, is_left):
    """That of the next block, or `place` again if none is left: what is fetched then is not used.

    Steps are selected and added as bytes, of which there are fewer than 2^32: two scalar instructions more in a loop.
    Of elements, which are shifted in 64 bits, it would be four.
    """
    size: gl.constexpr = place.dtype.element_ty.primitive_bitwidth // 8
    step_bytes = gl.where(is_left, step * size, 0).to(gl.uint32)
    return (place.to(gl.pointer_type(gl.int8), bitcast=True) + step_bytes).to(place.dtype, bitcast=True)


@jit
def load_block(base, offsets, rows, left, is_whole: gl.constexpr = False):
    """A block of keys or values in registers; 0 beyond the last one, if there may be an end in it."""
    if is_whole:
        return amd.cdna3.buffer_load(base, offsets)
    return amd.cdna3.buffer_load(base, offsets, mask=rows < left)


@jit
def copy_block(tile, base, offsets, rows, left, is_whole: gl.constexpr = False):
    """Starts copying a block of keys or values straight into LDS; 0 beyond the last one, as above."""
    if is_whole:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets)
    else:
        amd.cdna4.async_copy.buffer_load_to_shared(tile, base, offsets, mask=rows < left)


@jit
def copy_group(tile, base, offsets, rows, left, is_whole: gl.constexpr = False):
    """A block as one group of copies."""
    copy_block(tile, base, offsets, rows, left, is_whole)
    amd.cdna4.async_copy.commit_group()


@jit
def add_values(weights, v_tile, acc, correction, cfg: gl.constexpr):
    """The accumulator with a block of values."""
    return amd.cdna3.mfma(weights, v_tile.load(cfg.operand_v), scaled_down(acc, correction, cfg))


@jit
def multiply_by_halves(a, b_tile, acc, operand_a: gl.constexpr, operand_b: gl.constexpr):
    """acc + a x b, of which b's first half is read and multiplied with before the second: half the registers."""
    half: gl.constexpr = b_tile.shape[0] // 2
    first, second = gl.split(a.reshape(a.shape[0], 2, half).permute(0, 2, 1))
    acc = amd.cdna3.mfma(gl.convert_layout(first, operand_a), b_tile.slice(0, half).load(operand_b), acc)
    gl.sched_barrier(computed=[acc])
    return amd.cdna3.mfma(gl.convert_layout(second, operand_a), b_tile.slice(half, half).load(operand_b), acc)


@jit
def attend_through_registers(
    first_block, last_block, queries_tile, sums, places, tile, smem, offsets, numbers, steps, row0, keys, diagonal,
    scale, is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Blocks `first_block` to `last_block - 1`, the first one's keys in registers: `tile`. Pairs are of K and V."""
    acc, row_max, row_sum = sums
    k_place, v_place = places
    for i in range(first_block, last_block):
        left = keys - i * cfg.block_n
        smem[0].store(tile)
        tile = load_block(v_place, offsets[1], numbers[1], left, is_whole)
        v_place += steps[1]
        scores = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
        scores = multiply_by_halves(queries_tile, smem[0], scores, cfg.operand_q, cfg.operand_k)
        scores = visible_scores(scores, row0, i * cfg.block_n, keys, diagonal, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, scale)
        first, second = begin_weights(scores, row_max, scale, cfg)
        smem[1].store(tile)
        k_place += steps[0]
        tile = load_block(k_place, offsets[0], numbers[0], left - cfg.block_n, is_whole)
        second = gl.exp2(second, flush_denormals=True)
        weights, row_sum = end_weights(first, second, row_sum, correction, queries_tile.dtype, cfg)
        acc = multiply_by_halves(weights, smem[1], scaled_down(acc, correction, cfg), cfg.operand_p, cfg.operand_v)
    return (acc, row_max, row_sum), (k_place, v_place), tile


@jit
def attention_through_registers(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """One slot of LDS for K and one for V; a block's values wait in registers while its scores are computed, and the
    next block's keys while its values are summed up."""
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    places = head_base(k, batch, group, key0, k_strides), head_base(v, batch, group, key0, v_strides)
    k_offsets, k_numbers = key_offsets(k_strides, cfg)
    v_offsets, v_numbers = value_offsets(v_strides, cfg)
    offsets, numbers = (k_offsets, v_offsets), (k_numbers, v_numbers)
    steps = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    smem = (
        gl.allocate_shared_memory(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k),
        gl.allocate_shared_memory(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v),
    )
    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    tile = load_block(places[0], k_offsets, k_numbers, keys)
    sums = empty_sums(cfg)
    # Even: of a second loop with two trips at most LLVM orders the comparisons so that 30 registers are spilled.
    whole = whole_blocks(row0, keys, diagonal, 0, 1, cfg) // 2 * 2
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, places, tile = attend_through_registers(
        0, whole, queries_tile, sums, places, tile, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
        True, cfg,
    )  # fmt: skip
    sums, places, tile = attend_through_registers(
        whole, blocks, queries_tile, sums, places, tile, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
        False, cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(
        acc, whole_sums(row_sum, cfg), head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg
    )


@jit
def attend_direct(
    first_block, last_block, queries_tile, sums, places, smem, offsets, numbers, steps, row0, keys, diagonal, scale,
    is_whole: gl.constexpr, cfg: gl.constexpr,
):  # fmt: skip
    """Blocks `first_block` to `last_block - 1`, the first of which is on its way into slot 0; pairs are of K and V."""
    copies: gl.constexpr = amd.cdna4.async_copy
    acc, row_max, row_sum = sums
    slot = 0
    filled = 1
    for i in range(first_block, last_block):
        places = places[0] + steps[0], places[1] + steps[1]
        left = keys - (i + 1) * cfg.block_n
        # Copies before reads, as in the matrix product: one barrier serves both slots.
        copies.wait_group(0)
        copy_block(smem[0].index(filled), places[0], offsets[0], numbers[0], left, is_whole)
        copy_block(smem[1].index(filled), places[1], offsets[1], numbers[1], left, is_whole)
        copies.commit_group()
        scores = score(queries_tile, smem[0].index(slot).load(cfg.operand_k), cfg)
        scores = visible_scores(scores, row0, i * cfg.block_n, keys, diagonal, cfg, is_whole)
        row_max, correction = raise_maxima(scores, row_max, scale)
        first, second = begin_weights(scores, row_max, scale, cfg)
        second = gl.exp2(second, flush_denormals=True)
        weights, row_sum = end_weights(first, second, row_sum, correction, queries_tile.dtype, cfg)
        acc = add_values(weights, smem[1].index(slot), acc, correction, cfg)
        slot, filled = filled, slot
    return (acc, row_max, row_sum), places


@jit
def attention_direct_to_shared(
    q, k, v, out, q_strides, k_strides, v_strides, out_strides, heads, heads_per_group, queries, keys, scale,
    query_starts, key_starts, cfg: gl.constexpr,
):  # fmt: skip
    """Two slots of LDS; the next block of keys and values is copied into one while the other is used."""
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    query0, key0, queries, keys = sequence_of(batch, query_starts, key_starts, queries, keys)
    if query_starts is not None:
        if row0 >= queries:
            return
    diagonal = keys - queries
    places = head_base(k, batch, group, key0, k_strides), head_base(v, batch, group, key0, v_strides)
    k_offsets, k_numbers = key_offsets(k_strides, cfg)
    v_offsets, v_numbers = value_offsets(v_strides, cfg)
    offsets, numbers = (k_offsets, v_offsets), (k_numbers, v_numbers)
    steps = cfg.block_n * k_strides[2], cfg.block_n * v_strides[2]
    smem = (
        gl.allocate_shared_memory(k.dtype.element_ty, [2, cfg.head_size, cfg.block_n], cfg.shared_k),
        gl.allocate_shared_memory(v.dtype.element_ty, [2, cfg.block_n, cfg.head_size], cfg.shared_v),
    )
    queries_tile = load_queries(head_base(q, batch, head, query0, q_strides), row0, queries, q_strides, cfg)
    copy_block(smem[0].index(0), places[0], k_offsets, k_numbers, keys)
    copy_block(smem[1].index(0), places[1], v_offsets, v_numbers, keys)
    amd.cdna4.async_copy.commit_group()
    sums = empty_sums(cfg)
    # Times around both slots, so that the second loop begins at slot 0, too.
    whole = whole_blocks(row0, keys, diagonal, 0, 1, cfg) // 2 * 2
    blocks = gl.cdiv(end_of_keys(row0, keys, diagonal, cfg), cfg.block_n)
    sums, places = attend_direct(
        0, whole, queries_tile, sums, places, smem, offsets, numbers, steps, row0, keys, diagonal, scale, True, cfg
    )
    sums, places = attend_direct(
        whole, blocks, queries_tile, sums, places, smem, offsets, numbers, steps, row0, keys, diagonal, scale, False,
        cfg,
    )  # fmt: skip
    acc, _, row_sum = sums
    store_output(
        acc, whole_sums(row_sum, cfg), head_base(out, batch, head, query0, out_strides), row0, queries, out_strides, cfg
    )
