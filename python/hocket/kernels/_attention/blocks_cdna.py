"""The work of a workgroup in attention on CDNA, and its blocks of Q, K, V and O in global memory and LDS."""

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
    """The sizes and the scale of attention.

    `query_starts` and `key_starts` are None, or pointers to the numbers of the first query and the first key of each
    packed sequence, and of the end of the last sequence. With these pointers, `queries` and `keys` are not used.
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
    """The queries of a workgroup, and the sequence that they belong to."""

    batch: gl.tensor
    head: gl.tensor
    #: Number of the head of K and V. Several heads of queries may share it (grouped-query attention).
    group: gl.tensor
    #: First query and first key of the sequence; 0 if sequences are not packed one after another.
    query0: gl.tensor
    key0: gl.tensor
    #: First query of the workgroup, counted from `query0`, and numbers of queries and keys of the sequence.
    row0: gl.tensor
    queries: gl.tensor
    keys: gl.tensor
    #: Number of the last key that query 0 sees if the mask is causal.
    diagonal: gl.tensor


@jit
def work_of_block(problem, cfg: gl.constexpr):
    """Returns the `QueryBlock` of this workgroup.

    All blocks of a head run on one die, whose L2 cache then holds the head's keys and values, if the number of heads
    permits.
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
    """The queries of a workgroup as an MFMA operand, the `QueryBlock` that describes them, and the factor of the
    scores."""

    tile: gl.tensor
    work: QueryBlock
    scale: gl.tensor


@jit
def load_queries(q, work, strides, scale, cfg: gl.constexpr):
    """Loads the workgroup's rows of Q; rows after the last query are 0."""
    rows = gl.arange(0, cfg.block_m, layout=gl.SliceLayout(1, cfg.operand_q))
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.operand_q))
    offsets = rows[:, None] * strides[2] + columns[None, :] * strides[3]
    mask = (work.row0 + rows < work.queries)[:, None] & (columns >= 0)[None, :]
    base = head_base(q, work.batch, work.head, work.query0, strides)
    tile = amd.cdna3.buffer_load(base + work.row0.to(gl.int64) * strides[2], offsets, mask=mask)
    return Queries(tile, work, scale)


@jit
def store_output(acc, row_sum, out, work, strides, cfg: gl.constexpr):
    """Divides by the row sum, and stores the workgroup's rows. Rows that see no key become 0."""
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
    """Returns the pointer to row `row` of a head."""
    return pointer + batch.to(gl.int64) * strides[0] + head.to(gl.int64) * strides[1] + row.to(gl.int64) * strides[2]


@aggregate
class Blocks:
    """The current block of keys, as [D, keys], or of values, as [keys, D], and the blocks after it."""

    #: `base`: pointer to the current block in global memory. `step`: number of elements from the current block to the
    #: next one.
    base: gl.tensor
    step: gl.tensor
    #: `offsets`: offset of each element of a block from `base`. `numbers`: number of each element's key within the
    #: block.
    offsets: gl.tensor
    numbers: gl.tensor
    #: The blocks' memory in LDS: a ring buffer, or a single buffer.
    buffers: Any

    @must_use_result
    @jit
    def next(self):
        """Returns the blocks from the next block on."""
        return aggregate_replace(self, base=self.base + self.step)

    @must_use_result
    @jit
    def next_if(self, is_left):
        """Returns the blocks from the next block on or, if no block is left, the same blocks. In that case, the kernel
        does not use the loaded data.

        The distance to the next block is selected and added in bytes, because byte distances fit into 32 bits. The
        selection and the addition take two scalar instructions per iteration. A distance in elements would need a
        64-bit shift, and four scalar instructions.
        """
        size: gl.constexpr = self.base.dtype.element_ty.primitive_bitwidth // 8
        step_bytes = gl.where(is_left, self.step * size, 0).to(gl.uint32)
        base = self.base.to(gl.pointer_type(gl.int8), bitcast=True) + step_bytes
        return aggregate_replace(self, base=base.to(self.base.dtype, bitcast=True))

    @jit
    def load(self, left, is_whole: gl.constexpr = False):
        """Loads the block into registers. Elements past the last key are 0, unless the block is known to be whole.

        `left`: number of keys from the first key of the block to the last key.
        """
        if is_whole:
            return amd.cdna3.buffer_load(self.base, self.offsets)
        return amd.cdna3.buffer_load(self.base, self.offsets, mask=self.numbers < left)

    @jit
    def copy(self, position, left, is_whole: gl.constexpr = False):
        """Starts copying the block straight into a stage of the ring, as one commit group. Elements past the last key
        become 0, unless the block is known to be whole."""
        producer = self.buffers.producer()
        buffer = producer.acquire(position).buffer
        if is_whole:
            amd.cdna4.async_copy.buffer_load_to_shared(buffer, self.base, self.offsets)
        else:
            amd.cdna4.async_copy.buffer_load_to_shared(buffer, self.base, self.offsets, mask=self.numbers < left)
        producer.commit()

    @jit
    def buffer(self, position):
        """Returns the stage of the ring buffer at `position`."""
        return self.buffers.slot(position).buffer


@jit
def blocks_of_keys(k, work, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the blocks of the workgroup's keys, transposed, with `stages` buffers in LDS."""
    base = head_base(k, work.batch, work.group, work.key0, strides)
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(0, cfg.load_k))[None, :]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(1, cfg.load_k))[:, None]
    offsets = columns * strides[3] + keys * strides[2]
    buffers = allocate_buffers(k.dtype.element_ty, [cfg.head_size, cfg.block_n], cfg.shared_k, stages)
    return Blocks(base, cfg.block_n * strides[2], offsets, keys + columns * 0, buffers)


@jit
def blocks_of_values(v, work, strides, stages: gl.constexpr, cfg: gl.constexpr):
    """Returns the blocks of the workgroup's values, with `stages` buffers in LDS."""
    base = head_base(v, work.batch, work.group, work.key0, strides)
    keys = gl.arange(0, cfg.block_n, layout=gl.SliceLayout(1, cfg.load_v))[:, None]
    columns = gl.arange(0, cfg.head_size, layout=gl.SliceLayout(0, cfg.load_v))[None, :]
    offsets = keys * strides[2] + columns * strides[3]
    buffers = allocate_buffers(v.dtype.element_ty, [cfg.block_n, cfg.head_size], cfg.shared_v, stages)
    return Blocks(base, cfg.block_n * strides[2], offsets, keys + columns * 0, buffers)


@jit
def allocate_buffers(dtype: gl.constexpr, shape: gl.constexpr, layout: gl.constexpr, stages: gl.constexpr):
    """Allocates LDS for blocks: one buffer, or a ring buffer that commit groups fill."""
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
    """Returns the number of leading iterations that need neither a mask nor a bounds check.

    Iteration i computes the scores of block i + `scored`: all rows must see all keys of this block. Iteration i also
    loads blocks up to i + `fetched`: these blocks must not extend past the last key.
    """
    whole = work.keys // cfg.block_n - fetched
    if cfg.is_causal:
        whole = gl.minimum(whole, (work.row0 + work.diagonal + 1) // cfg.block_n - scored)
    return gl.maximum(whole, 0)
