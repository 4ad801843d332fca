"""Kernels of attention's backward pass that process rows of queries, before and after `backward_hopper`.

    warps                        work
    all, with the same role      load rows, reduce along D or multiply by the scale, store

`prepare_rows` computes two numbers per query for the main kernel: delta, the row sum of dO x O, and the base-2
logarithm of the sum of exponentials. `finish_dq` converts the float32 sums of dQ to dQ. With packed sequences, each
sequence has blocks of its own in the workspace (`backward_sequences`).
"""

from __future__ import annotations

from ... import jit
from ... import language as gl

LOG2_E = gl.constexpr(1.4426950408889634)


@gl.constexpr_function
def layout_of_rows(size, num_warps):
    """Returns the layout of a tile [rows, `size`], in which a lane holds eight adjacent elements."""
    return gl.BlockedLayout([1, 8], [256 // size, size // 8], [num_warps, 1], [1, 0])


@jit
def row_offset(batch, head, strides):
    """Returns the offset of the first row of a head."""
    return batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1]


@jit
def sequence_of_block(block, starts, count, ROWS: gl.constexpr):
    """Returns the index of the sequence to which block `block` of the workspace belongs, by binary search. `starts`,
    `count`: as in `backward_sequences.PackedGradients`."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if gl.load(starts + middle) // ROWS + middle <= block:
            low = middle
        else:
            high = middle
    return low


@jit
def rows_of_block(block, queries, sequences, ROWS: gl.constexpr):
    """Returns, for a block of the workspace: offset of its sequence in the arrays of queries, index in the sequence of
    the block's first row, and number of queries of the sequence.

    sequences: `cu_seqlens_q` and its length, or None if all queries of a head are one sequence.
    """
    first = 0
    if sequences is not None:
        starts, count = sequences
        sequence = sequence_of_block(block, starts, count, ROWS)
        first = gl.load(starts + sequence)
        # The rows after the last sequence form one more sequence.
        queries = gl.load(starts + sequence + 1, mask=sequence + 1 < count, other=queries) - first
        block -= first // ROWS + sequence
    return first, block * ROWS, queries


#: Parameters of numbers that often change from launch to launch. Kernels are not specialized for their divisibility.
LENGTHS = ["heads", "queries", "row_blocks", "sequences"]


@jit(do_not_specialize_on_alignment=[*LENGTHS, "lse_strides", "dlse_strides"])
def prepare_rows(
    do, out, lse, dlse, lse2, delta, added, do_strides, out_strides, lse_strides, dlse_strides, heads, queries,
    row_blocks, sequences, ROWS: gl.constexpr, SIZE: gl.constexpr,
):  # fmt: skip
    """Computes `lse2` and `delta`, float32 [batch x heads, row_blocks x ROWS], and sets `added` to 0. One program
    processes ROWS rows.

    P is computed as exp2(S - lse2). Rows past the end, and rows that see no key, have the lse2 inf: their P is 0.

    do, out: [batch, heads, queries, SIZE]; elements of a row are contiguous.
    lse, dlse: float32 [batch, heads, queries]; dlse is the gradient of lse, or None.
    sequences: as in `rows_of_block`.
    """
    layout: gl.constexpr = layout_of_rows(SIZE, gl.num_warps())
    of_all = gl.program_id(0) // row_blocks
    block = gl.program_id(0) % row_blocks
    batch, head = of_all // heads, of_all % heads
    first, row0, queries = rows_of_block(block, queries, sequences, ROWS)
    in_block = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    is_row = row0 + in_block < queries
    is_element = is_row[:, None] & (column >= 0)[None, :]
    rows = (first + row0 + in_block).to(gl.int64)
    do_pointers = do + row_offset(batch, head, do_strides) + (rows * do_strides[2])[:, None] + column[None, :]
    out_pointers = out + row_offset(batch, head, out_strides) + (rows * out_strides[2])[:, None] + column[None, :]
    gradient = gl.load(do_pointers, mask=is_element, other=0.0).to(gl.float32)
    result = gl.load(out_pointers, mask=is_element, other=0.0).to(gl.float32)
    sums = gl.sum(gradient * result, axis=1)
    if dlse is not None:
        # The derivative of lse with respect to a score is the probability, so the gradient of lse adds to dP - delta.
        pointers = dlse + row_offset(batch, head, dlse_strides) + rows * dlse_strides[2]
        sums -= gl.load(pointers, mask=is_row, other=0.0)
    lse_pointers = lse + row_offset(batch, head, lse_strides) + rows * lse_strides[2]
    logarithm = gl.load(lse_pointers, mask=is_row, other=float("-inf"))
    base2 = gl.where(logarithm == float("-inf"), float("inf"), logarithm * LOG2_E)
    target = gl.program_id(0).to(gl.int64) * ROWS + in_block
    gl.store(lse2 + target, base2)
    gl.store(delta + target, sums)
    gl.store(added + gl.program_id(0), 0)


@jit(do_not_specialize_on_alignment=LENGTHS)
def finish_dq(
    sums, added, dq, dq_strides, scale, heads, queries, row_blocks, sequences, ROWS: gl.constexpr, SIZE: gl.constexpr
):
    """Sets dq to scale x sums, or to 0 if nothing has been added to a block of queries, because it sees no key. One
    program processes ROWS rows of a block.

    dq: [batch, heads, queries, SIZE]; elements of a row are contiguous.
    sums: [batch x heads, queries, SIZE]; with `sequences`, [heads, row_blocks x ROWS, SIZE].
    sequences: as in `rows_of_block`.
    """
    layout: gl.constexpr = layout_of_rows(SIZE, gl.num_warps())
    of_all = gl.program_id(0) // row_blocks
    block = gl.program_id(0) % row_blocks
    batch, head = of_all // heads, of_all % heads
    in_block = gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    column = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    of_sums = block * ROWS + in_block
    rows_of_sums = queries if sequences is None else row_blocks * ROWS
    first, row0, queries = rows_of_block(block, queries, sequences, ROWS)
    has_sums = gl.load(added + gl.program_id(0)) > 0
    is_element = (row0 + in_block < queries)[:, None] & (column >= 0)[None, :]
    offsets = (of_all.to(gl.int64) * rows_of_sums + of_sums)[:, None] * SIZE + column[None, :]
    values = gl.load(sums + offsets, mask=is_element & has_sums, other=0.0)
    rows = (first + row0 + in_block).to(gl.int64)
    pointers = dq + row_offset(batch, head, dq_strides) + (rows * dq_strides[2])[:, None] + column[None, :]
    gl.store(pointers, (values * scale).to(dq.dtype.element_ty), mask=is_element)


__all__ = ["finish_dq", "layout_of_rows", "prepare_rows"]
