"""Attention on CDNA: the queries of a workgroup, and loads, copies and stores of blocks of Q, K, V and O."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import aggregate, aggregate_replace, jit, must_use_result
from ... import language as gl
from ...language import amd
from .._common.xcd_order import position_of_block


class AttentionStrides(NamedTuple):
    """The strides of each array's dimensions, in elements."""

    q: tuple[Any, ...]
    k: tuple[Any, ...]
    v: tuple[Any, ...]
    out: tuple[Any, ...]


class AttentionProblem(NamedTuple):
    """The sizes and the scale of one call of attention.

    For packed sequences, `query_starts` and `key_starts` point to the index of each sequence's first query and first
    key, followed by the number of all queries and of all keys. `queries` and `keys` are then not used. Without packed
    sequences, both pointers are None.
    """

    heads: Any
    heads_per_group: Any
    queries: Any
    keys: Any
    scale: Any
    query_starts: Any = None
    key_starts: Any = None


@aggregate
class QueryBlock:
    """The queries of a workgroup, and the sequence to which these queries belong."""

    batch: gl.tensor
    head: gl.tensor
    #: Index of the head of K and V. Several heads of Q may share this head (grouped-query attention).
    group: gl.tensor
    #: Index of the first query, and of the first key, of a packed sequence. Both are 0 if sequences are not packed.
    query0: gl.tensor
    key0: gl.tensor
    #: `row0`: index of the workgroup's first query within its sequence. `queries`, `keys`: lengths of the sequence.
    row0: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    #: Index of the last key that the sequence's first query sees if the mask is causal.
    diagonal: gl.tensor


@jit
def work_of_block(problem, cfg: gl.constexpr):
    """Returns the `QueryBlock` of this workgroup.

    If the number of heads permits, all blocks of a head run on one die, so the die's L2 cache holds the head's keys and
    values.
    """
    in_head = gl.num_programs(0)
    position = position_of_block(gl.program_id(1) * in_head + gl.program_id(0), in_head * gl.num_programs(1), cfg.dies)
    head = position // in_head % problem.heads
    row0, batch = position % in_head * cfg.block_m, position // in_head // problem.heads
    query0, key0, queries, keys = 0, 0, problem.queries, problem.keys
    if problem.query_starts is not None:
        query0, key0 = gl.load(problem.query_starts + batch), gl.load(problem.key_starts + batch)
        queries = gl.load(problem.query_starts + batch + 1) - query0
        keys = gl.load(problem.key_starts + batch + 1) - key0
    return QueryBlock(batch, head, head // problem.heads_per_group, query0, key0, row0, queries, keys, keys - queries)


@aggregate
class Queries:
    """The queries of a workgroup as an MFMA operand, the `QueryBlock` that describes them, and the factor by which
    scores are multiplied."""

    tile: gl.tensor
    work: QueryBlock
    scale: gl.tensor


@jit
def load_queries(q, work, strides, scale, cfg: gl.constexpr):
    """Loads the workgroup's rows of Q. Rows after the last query of the sequence are 0."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.operand_q))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.operand_q))
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (work.row0 + rows < work.queries)[:, None] & (columns >= 0)[None, :]
    base = head_base(q, work.batch, work.head, work.query0, strides)
    tile = amd.cdna3.buffer_load(base + work.row0.to(gl.int64) * strides[2], offsets, mask=mask)
    return Queries(tile, work, scale)


@jit
def store_output(acc, row_sum, out, work, strides, cfg: gl.constexpr):
    """Divides the accumulator by the row sums, and stores the workgroup's rows of O. Rows that see no key become 0."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.acc))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.acc))
    factor = 1.0 / gl.where(row_sum == 0.0, 1.0, row_sum)
    result = (acc * factor[:, None]).to(out.dtype.element_ty)
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (work.row0 + rows < work.queries)[:, None] & (columns >= 0)[None, :]
    base = head_base(out, work.batch, work.head, work.query0, strides)
    amd.cdna3.buffer_store(result, base + work.row0.to(gl.int64) * strides[2], offsets, mask=mask)


@jit
def head_base(pointer, batch, head, row, strides):
    """Returns the pointer to row `row` of a head of an array."""
    return pointer + batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1] + row.to(gl.int64) * strides[2]


@aggregate
class Blocks:
    """The current block of keys, as [D, keys], or of values, as [keys, D], and the blocks that follow this block."""

    #: `base`: pointer to the current block in global memory. `step`: number of elements from the current block to the
    #: next one.
    base: gl.tensor
    step: gl.tensor
    #: `offsets`: offset of each element of a block from `base`. `numbers`: index of each element's key within the
    #: block.
    offsets: gl.tensor
    numbers: gl.tensor
    #: LDS memory for the blocks: a ring buffer, or a single buffer.
    buffers: Any

    @must_use_result
    @jit
    def next(self):
        """Returns a copy of `self` whose current block is the next block."""
        return aggregate_replace(self, base=self.base + self.step)

    @must_use_result
    @jit
    def next_if(self, is_left):
        """Returns `self.next()` if a block is left, otherwise `self`. If no block is left, the kernel loads the current
        block again, and does not use the loaded data.

        The distance to the next block is computed in bytes, because byte distances fit into 32 bits: selecting and
        adding the distance takes two scalar instructions per iteration. With a distance in elements, these operations
        would take four scalar instructions, including a 64-bit shift.
        """
        size: gl.constexpr = self.base.dtype.element_ty.primitive_bitwidth // 8
        step_bytes = gl.where(is_left, self.step * size, 0).to(gl.uint32)
        base = self.base.to(gl.pointer_type(gl.int8), bitcast=True) + step_bytes
        return aggregate_replace(self, base=base.to(self.base.dtype, bitcast=True))

    @jit
    def load(self, left, is_whole: gl.constexpr = False):
        """Loads the block into registers. Elements past the last key of the sequence are 0. With `is_whole`, no element
        of the block is past the last key, so the load has no mask.

        `left`: number of keys from the first key of the block to the last key of the sequence.
        """
        if is_whole:
            return amd.cdna3.buffer_load(self.base, self.offsets)
        return amd.cdna3.buffer_load(self.base, self.offsets, mask=self.numbers < left)

    @jit
    def copy(self, position, left, is_whole: gl.constexpr = False):
        """Starts copying the block straight into a stage of the ring buffer, as one commit group. Elements past the
        last key of the sequence become 0. With `is_whole`, no element of the block is past the last key, so the copy
        has no mask."""
        producer = self.buffers.producer()
        buffer = producer.acquire(position).buffer
        if is_whole:
            amd.cdna4.async_copy.buffer_load_to_shared(buffer, self.base, self.offsets)
        else:
            amd.cdna4.async_copy.buffer_load_to_shared(buffer, self.base, self.offsets, mask=self.numbers < left)
        producer.commit()

    @jit
    def buffer(self, position):
        """Returns the memory of the ring buffer's stage at `position`."""
        return self.buffers.slot(position).buffer


@jit
def blocks_of_keys(k, work, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the Blocks of the workgroup's keys, transposed to [D, keys], with `stages` buffers in LDS."""
    base = head_base(k, work.batch, work.group, work.key0, strides)
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.load_k))[None, :]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(1, cfg.load_k))[:, None]
    offsets = columns * strides[3] + keys * strides[2]
    buffers = allocate_buffers(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k, stages)
    return Blocks(base, cfg.block_n * strides[2], offsets, keys + columns * 0, buffers)


@jit
def blocks_of_values(v, work, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the Blocks of the workgroup's values, with `stages` buffers in LDS."""
    base = head_base(v, work.batch, work.group, work.key0, strides)
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.load_v))[:, None]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.load_v))[None, :]
    offsets = keys * strides[2] + columns * strides[3]
    buffers = allocate_buffers(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v, stages)
    return Blocks(base, cfg.block_n * strides[2], offsets, keys + columns * 0, buffers)


@jit
def allocate_buffers(dtype: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr, stages: gl.constexpr):
    """Allocates LDS for blocks of keys or values: one buffer, or a ring buffer that asynchronous copies fill."""
    if stages == 1:
        return gl.allocate_shared_memory(dtype, shape, layout)
    return gl.RingBuffer(gl.allocate_shared_memory(dtype, [stages, *shape], layout), fill="groups", consumers=0)


@jit
def number_of_blocks(work, cfg: gl.constexpr):
    """Returns the number of blocks of keys that any query of the workgroup may attend to."""
    end = work.keys
    if cfg.is_causal:
        end = gl.maximum(gl.minimum(work.keys, work.row0 + cfg.block_m + work.diagonal), 0)
    return gl.cdiv(end, cfg.block_n)


@jit
def whole_blocks(work, scored: gl.constexpr, fetched: gl.constexpr, cfg: gl.constexpr):
    """Returns the number of iterations at the beginning of the loop that need neither a mask nor a bounds check.

    Iteration i computes the scores of block i + `scored`: all rows must see all keys of this block. Iteration i also
    loads blocks up to i + `fetched`: these blocks must not extend past the last key.
    """
    whole = work.keys // cfg.block_n - fetched
    if cfg.is_causal:
        whole = gl.minimum(whole, (work.row0 + work.diagonal + 1) // cfg.block_n - scored)
    return gl.maximum(whole, 0)
