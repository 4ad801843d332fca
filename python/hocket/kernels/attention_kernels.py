"""Attention as kernels for CDNA: softmax(scale x Q K^T) V, a block of queries at a time.

The softmax needs no second pass: it keeps a running maximum m and sum l per row; when a block of keys raises m, the
sums so far are scaled down ("Online normalizer calculation for softmax", Milakov and Gimelshein, 2018;
"FlashAttention", Dao et al., 2022). Exponentials are powers of two, so the scale holds log2(e) as well.
"""

from __future__ import annotations

from .. import language as gl
from ..language import amd
from ..runtime.jit import jit
from .die_order import place_of

#: What the maximum of a row without any key is: below all scores that can be told apart, but finite, so that what such
#: a row gets of a key that it does not see is exp2(-inf) = 0. exp2(-inf + inf) would be NaN.
LEAST_MAXIMUM = gl.constexpr(-(2.0**80))


@jit
def load_queries(q, row0, queries, strides, cfg: gl.constexpr):
    """The block's rows of Q, as an operand; 0 beyond the last query."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.operand_q))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.operand_q))
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    return amd.cdna3.buffer_load(q + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def mask_scores(scores, row0, key0, keys, diagonal, cfg: gl.constexpr):
    """-inf for keys that do not exist and, if causal, for those after the query's own."""
    rows = row0 + gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = key0 + gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.acc))
    allowed = columns[None, :] + rows[:, None] * 0 < keys
    if cfg.is_causal:
        allowed = allowed & (columns[None, :] <= rows[:, None] + diagonal)
    return gl.where(allowed, scores, float("-inf"))


@jit
def weigh(q, k_operand, row_max, row_sum, row0, key0, keys, diagonal, scale, cfg: gl.constexpr, is_whole=False):
    """Probabilities of a block of keys as an operand, the factor for what is summed up so far, new maxima and sums.

    `is_whole`: whether it is known that each row sees all keys of the block.
    """
    scores = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    scores = amd.cdna3.mfma(q, k_operand, scores)
    if cfg.negates_scores:
        scores = -scores
    if not is_whole:
        is_partial = key0 + cfg.block_n > keys
        if cfg.is_causal:
            is_partial = is_partial | (key0 + cfg.block_n > row0 + diagonal + 1)
        if is_partial:
            scores = mask_scores(scores, row0, key0, keys, diagonal, cfg)
    new_max = gl.maximum(row_max, gl.max(scores, axis=1))
    shift = new_max * scale
    probabilities = gl.exp2(gl.fma(scores, scale, -shift[:, None]), flush_denormals=True)
    # Exactly 1 where the maximum stays.
    correction = gl.exp2((row_max - new_max) * scale, flush_denormals=True)
    row_sum = row_sum * correction + gl.sum(probabilities, axis=1)
    return gl.convert_layout(probabilities.to(q.dtype), cfg.operand_p), correction, new_max, row_sum


@jit
def attend(q, k_tile, v_tile, acc, row_max, row_sum, row0, key0, keys, diagonal, scale, cfg: gl.constexpr):
    """One block of keys and values: the new accumulator, maximum and sum of each row."""
    p, correction, row_max, row_sum = weigh(
        q, k_tile.load(cfg.operand_k), row_max, row_sum, row0, key0, keys, diagonal, scale, cfg
    )
    acc = acc * correction[:, None]
    return amd.cdna3.mfma(p, v_tile.load(cfg.operand_v), acc), row_max, row_sum


@jit
def store_output(acc, row_sum, out, row0, queries, strides, cfg: gl.constexpr):
    """Divides by the sum (rows without any key give 0) and writes the block's rows."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    divisor = gl.where(row_sum == 0.0, 1.0, row_sum)
    result = acc / divisor[:, None]
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (row0 + rows < queries)[:, None] & (columns >= 0)[None, :]
    amd.cdna3.buffer_store(result.to(out.dtype.element_ty), out + row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def head_base(pointer, batch, head, strides):
    """Where the sequence of one head begins."""
    return pointer + batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1]


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
def empty_sums(cfg: gl.constexpr):
    """Accumulator, maximum and sum of each row before the first key."""
    acc = gl.zeros([cfg.block_m, cfg.head_size], gl.float32, cfg.acc)
    row_max = gl.full([cfg.block_m], LEAST_MAXIMUM, gl.float32, gl.SliceLayout(1, cfg.acc))
    return acc, row_max, gl.zeros([cfg.block_m], gl.float32, gl.SliceLayout(1, cfg.acc))


@jit
def end_of_keys(row0, keys, diagonal, cfg: gl.constexpr):
    """Keys that any row of the block may attend to."""
    end = keys
    if cfg.is_causal:
        end = gl.maximum(gl.minimum(keys, row0 + cfg.block_m + diagonal), 0)
    return end


@jit
def whole_blocks(row0, keys, diagonal, ahead: gl.constexpr, cfg: gl.constexpr):
    """How many of the first blocks of keys are seen by all rows, and followed by `ahead` blocks without an end of keys
    in them."""
    whole = keys // cfg.block_n - ahead
    if cfg.is_causal:
        whole = gl.minimum(whole, (row0 + diagonal + 1) // cfg.block_n)
    return gl.maximum(whole, 0)


@jit
def attention_through_registers(
    q,
    k,
    v,
    out,
    q_strides,
    k_strides,
    v_strides,
    out_strides,
    heads,
    heads_per_group,
    queries,
    keys,
    scale,
    cfg: gl.constexpr,
):
    """One slot of LDS; the next block of keys and values waits in registers."""
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    diagonal = keys - queries
    k_base = head_base(k, batch, group, k_strides)
    v_base = head_base(v, batch, group, v_strides)
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, q_strides), row0, queries, q_strides, cfg)
    acc, row_max, row_sum = empty_sums(cfg)
    k_next = amd.cdna3.buffer_load(k_base, k_offsets, mask=k_rows < keys)
    v_next = amd.cdna3.buffer_load(v_base, v_offsets, mask=v_rows < keys)
    for key0 in range(0, end_of_keys(row0, keys, diagonal, cfg), cfg.block_n):
        k_smem.store(k_next)
        v_smem.store(v_next)
        k_base += cfg.block_n * k_strides[2]
        v_base += cfg.block_n * v_strides[2]
        left = keys - key0 - cfg.block_n
        k_next = amd.cdna3.buffer_load(k_base, k_offsets, mask=k_rows < left)
        v_next = amd.cdna3.buffer_load(v_base, v_offsets, mask=v_rows < left)
        acc, row_max, row_sum = attend(
            queries_tile, k_smem, v_smem, acc, row_max, row_sum, row0, key0, keys, diagonal, scale, cfg
        )
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)


@jit
def attention_direct_to_shared(
    q,
    k,
    v,
    out,
    q_strides,
    k_strides,
    v_strides,
    out_strides,
    heads,
    heads_per_group,
    queries,
    keys,
    scale,
    cfg: gl.constexpr,
):
    """Two slots of LDS; the next block of keys and values is copied into one while the other is used."""
    copies: gl.constexpr = amd.cdna4.async_copy
    row0, batch, head, group = place_of_block(heads, heads_per_group, cfg)
    diagonal = keys - queries
    k_base = head_base(k, batch, group, k_strides)
    v_base = head_base(v, batch, group, v_strides)
    k_offsets, k_rows = key_offsets(k_strides, cfg)
    v_offsets, v_rows = value_offsets(v_strides, cfg)
    k_smem = gl.allocate_shared_memory(k.dtype.element_ty, [2, cfg.head_size, cfg.block_n], cfg.shared_k)
    v_smem = gl.allocate_shared_memory(v.dtype.element_ty, [2, cfg.block_n, cfg.head_size], cfg.shared_v)

    queries_tile = load_queries(head_base(q, batch, head, q_strides), row0, queries, q_strides, cfg)
    acc, row_max, row_sum = empty_sums(cfg)
    copies.buffer_load_to_shared(k_smem.index(0), k_base, k_offsets, mask=k_rows < keys)
    copies.buffer_load_to_shared(v_smem.index(0), v_base, v_offsets, mask=v_rows < keys)
    copies.commit_group()
    for key0 in range(0, end_of_keys(row0, keys, diagonal, cfg), cfg.block_n):
        slot = (key0 // cfg.block_n) % 2
        k_base += cfg.block_n * k_strides[2]
        v_base += cfg.block_n * v_strides[2]
        left = keys - key0 - cfg.block_n
        # Copies before reads, as in the matrix product: one barrier serves both slots.
        copies.wait_group(0)
        copies.buffer_load_to_shared(k_smem.index(1 - slot), k_base, k_offsets, mask=k_rows < left)
        copies.buffer_load_to_shared(v_smem.index(1 - slot), v_base, v_offsets, mask=v_rows < left)
        copies.commit_group()
        acc, row_max, row_sum = attend(
            queries_tile, k_smem.index(slot), v_smem.index(slot), acc, row_max, row_sum, row0, key0, keys, diagonal,
            scale, cfg,
        )  # fmt: skip
    store_output(acc, row_sum, head_base(out, batch, head, out_strides), row0, queries, out_strides, cfg)
