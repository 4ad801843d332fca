"""GEMM kernels for CDNA without a warp pipeline: C = A x B with tiles in LDS and MFMAs.

All warps of a workgroup have the same role: they copy k-tiles into LDS, and each multiplies its part of the tile.

    kernel                      LDS holds           the next k-tile is          s_barriers per k-tile, of all warps
    matmul_through_registers    1 k-tile            in registers                2: stored; read, before the next stores
    matmul_direct_to_shared     a ring of 2         copied straight into LDS    1: both at once

The compiler inserts the barriers. Timeline, with k-tiles 0, 1, 2, ...:

    through registers    load 0 | store 0, load 1 | multiply 0         | store 1, load 2 | multiply 1         | ...
    direct to LDS        copy 0 | wait for 0      | copy 1, multiply 0 | wait for 1      | copy 2, multiply 1 | ...

The loads and copies are asynchronous: while one k-tile is multiplied, the next one is in flight. The last k-tile is
peeled off the loop, so the loop never reads past the end of K.

`matmul_direct_to_shared` has a `gl.RingBuffer` that asynchronous copies in commit groups fill.
`matmul_through_registers` has no ring buffer, because registers hold the next k-tile.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, aggregate_replace, jit, must_use_result
from ... import language as gl
from ...language import amd
from .._common.xcd_order import position_of_block
from .._epilogue.outputs_cdna import epilogue_of, store_outputs
from .activation import activate, bias_of
from .layouts_cdna import MatmulConfig


@aggregate
class KTiles:
    """The current k-tile of A or B in global memory, and the k-tiles that follow it. An instance may represent only
    half of the rows of A's tile, or half of the columns of B's tile."""

    #: `base`: pointer to the current k-tile. `step`: number of elements from the current k-tile to the next one.
    base: gl.tensor
    step: gl.tensor
    #: `offsets`: offset of each element of a k-tile from `base`. `is_inside`: mask of the elements that are inside the
    #: array along M or N. `along_k`: index along K of each element, relative to the k-tile.
    offsets: gl.tensor
    is_inside: gl.tensor
    along_k: gl.tensor

    @must_use_result
    @jit
    def next(self):
        """Returns a copy of `self` whose current k-tile is the next k-tile."""
        return aggregate_replace(self, base=self.base + self.step)

    @jit
    def mask(self, k_left, cfg: gl.constexpr):
        """Returns the mask of the k-tile's elements that are inside the array. `k_left`: number of elements along K
        from the beginning of the k-tile to the end of K."""
        mask = self.is_inside
        if cfg.is_ragged_k:
            mask = mask & (self.along_k < k_left)
        return mask

    @jit
    def load(self, k_left, cfg: gl.constexpr):
        """Loads the current k-tile into registers. Elements outside the array are 0."""
        return amd.cdna3.buffer_load(self.base, self.offsets, mask=self.mask(k_left, cfg))

    @jit
    def copy(self, tile, k_left, cfg: gl.constexpr):
        """Starts copying the current k-tile straight into LDS. Elements outside the array become 0."""
        amd.cdna4.async_copy.buffer_load_to_shared(tile, self.base, self.offsets, mask=self.mask(k_left, cfg))


@aggregate
class Output:
    """The result C, and the bias of C's columns, which is None for a GEMM without bias. With a function of the user,
    `c` and `strides` are tuples with an element for each of its outputs."""

    c: Any
    bias: Any
    M: gl.tensor
    N: gl.tensor
    strides: tuple
    epilogue: Any = None

    @jit
    def store(self, acc, row0, col0, cfg: gl.constexpr):
        """Stores activation(acc + bias), or the outputs of the function, to C at (row0, col0). Elements outside C are
        not stored."""
        if cfg.has_bias:
            acc += bias_of(self.bias, col0, self.N, cfg.acc, cfg.part_n).to(gl.float32)[None, :]
        if self.epilogue is not None:
            matrix = gl.program_id(1)
            store_outputs(acc, self.epilogue, self.c, self.strides, matrix, row0, col0, self, cfg)
        else:
            self.store_activated(acc, row0, col0, cfg)

    @jit
    def store_activated(self, acc, row0, col0, cfg: gl.constexpr):
        """Stores activation(acc) to C at (row0, col0)."""
        rows = gl.arange(0, cfg.part_m, layout=gl.SliceLayout(1, cfg.acc))
        columns = gl.arange(0, cfg.part_n, layout=gl.SliceLayout(0, cfg.acc))
        offsets = rows[:, None] * self.strides[0] + columns[None, :] * self.strides[1]
        mask = (row0 + rows < self.M)[:, None] & (col0 + columns < self.N)[None, :]
        corner = self.c + row0.to(gl.int64) * self.strides[0] + col0.to(gl.int64) * self.strides[1]
        result = activate(acc, cfg.activation).to(self.c.dtype.element_ty)
        amd.cdna3.buffer_store(result, corner, offsets, mask=mask)


@jit
def tile_origin(M, N, cfg: gl.constexpr):
    """Returns the first row and the first column of the block's tile of C. Tiles at consecutive positions share k-tiles
    of A or B, and run on the same die, so the die's L2 cache serves the shared k-tiles."""
    tiles_m = gl.cdiv(M, cfg.block_m)
    tiles_n = gl.cdiv(N, cfg.block_n)
    position = position_of_block(gl.program_id(0), tiles_m * tiles_n, cfg.dies)
    tiles_per_group = cfg.group_rows * tiles_n
    group = position // tiles_per_group
    first_row = group * cfg.group_rows
    rows = gl.minimum(tiles_m - first_row, cfg.group_rows)
    index = position % tiles_per_group
    return (first_row + index % rows) * cfg.block_m, (index // rows) * cfg.block_n


@jit
def k_tiles_of_a(a, row0, M, strides, cfg: gl.constexpr, skipped: gl.constexpr = 0):
    """Returns the KTiles of A that begin at row `row0` + `skipped` and at k = 0."""
    rows = skipped + gl.arange(0, cfg.part_m, layout=gl.SliceLayout(1, cfg.load_a))
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(0, cfg.load_a))[None, :]
    offsets = rows[:, None] * strides[0] + along_k * strides[1]
    is_inside = (row0 + rows < M)[:, None] & (along_k >= 0)
    return KTiles(a + row0.to(gl.int64) * strides[0], cfg.block_k * strides[1], offsets, is_inside, along_k)


@jit
def k_tiles_of_b(b, col0, N, strides, cfg: gl.constexpr, skipped: gl.constexpr = 0):
    """Returns the KTiles of B that begin at column `col0` + `skipped` and at k = 0."""
    columns = skipped + gl.arange(0, cfg.part_n, layout=gl.SliceLayout(0, cfg.load_b))
    along_k = gl.arange(0, cfg.block_k, layout=gl.SliceLayout(1, cfg.load_b))[:, None]
    offsets = along_k * strides[0] + columns[None, :] * strides[1]
    is_inside = (col0 + columns < N)[None, :] & (along_k >= 0)
    return KTiles(b + col0.to(gl.int64) * strides[1], cfg.block_k * strides[0], offsets, is_inside, along_k)


@jit
def work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg: gl.constexpr):
    """Returns pointers to this block's matrices A, B and C, at its batch index and its split of K, and the K extent of
    the split. With outputs of a function, `c` is the tuple of these, and remains the same."""
    matrix = gl.program_id(1).to(gl.int64)
    a += matrix * batch_strides[0]
    b += matrix * batch_strides[1]
    if not cfg.outputs:
        c += matrix * batch_strides[2]
    if cfg.splits > 1:
        split = gl.program_id(2)
        size = gl.cdiv(gl.cdiv(K, cfg.block_k), cfg.splits) * cfg.block_k
        first = split * size
        a += first.to(gl.int64) * a_strides[1]
        b += first.to(gl.int64) * b_strides[0]
        c += split.to(gl.int64) * batch_strides[3]
        K = gl.minimum(K - first, size)
    return a, b, c, K


@jit
def mma(a, b, acc, cfg: gl.constexpr):
    """Returns acc + A x B, with operands in registers."""
    if cfg.wide_format is None:
        return amd.cdna3.mfma(a, b, acc)
    else:
        return amd.cdna4.mfma_scaled(a, None, cfg.wide_format, b, None, cfg.wide_format, acc)


@jit
def multiply(a_tile, b_tile, acc, cfg: gl.constexpr):
    """Returns acc + A x B, with operands in LDS."""
    a = a_tile.load(cfg.operand_a)
    b = b_tile.load(cfg.operand_b)
    return mma(a, b, acc, cfg)


@jit
def matmul_through_registers(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with one LDS buffer per operand. Registers hold the next k-tile while the current k-tile is
    multiplied."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_tiles = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_tiles = k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_smem = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.block_k, cfg.block_n], cfg.shared_b)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    a_next = a_tiles.load(K, cfg)
    b_next = b_tiles.load(K, cfg)
    for step in range(1, gl.cdiv(K, cfg.block_k)):
        a_smem.store(a_next)
        b_smem.store(b_next)
        a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
        k_left = K - step * cfg.block_k
        a_next = a_tiles.load(k_left, cfg)
        b_next = b_tiles.load(k_left, cfg)
        acc = multiply(a_smem, b_smem, acc, cfg)
    a_smem.store(a_next)
    b_smem.store(b_next)
    acc = multiply(a_smem, b_smem, acc, cfg)
    Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)).store(acc, row0, col0, cfg)


@jit
def make_ring(dtype: gl.constexpr, cfg: gl.constexpr):
    """Allocates a ring buffer of k-tiles of A and B, which asynchronous copies in commit groups fill."""
    a_smem = gl.allocate_shared_memory(dtype, [cfg.stages, cfg.block_m, cfg.block_k], cfg.shared_a)
    b_smem = gl.allocate_shared_memory(dtype, [cfg.stages, cfg.block_k, cfg.block_n], cfg.shared_b)
    return gl.RingBuffer((a_smem, b_smem), fill="groups", consumers=0)


@jit
def fill_stage(producer, step, a_tiles, b_tiles, k_left, cfg: gl.constexpr):
    """Starts copying k-tile `step` of A and B into its stage of the ring buffer, as one commit group."""
    a_tile, b_tile = producer.acquire(step).buffers
    a_tiles.copy(a_tile, k_left, cfg)
    b_tiles.copy(b_tile, k_left, cfg)
    producer.commit()


@jit
def matmul_direct_to_shared(
    a, b, c, bias, a_strides, b_strides, c_strides, batch_strides, M, N, K, cfg: gl.constexpr,
    epilogue_args=(), EPILOGUE: gl.constexpr = None,
):  # fmt: skip
    """A kernel with a ring buffer of two stages: the next k-tile is copied into one stage while the other
    stage is multiplied."""
    a, b, c, K = work_of(a, b, c, a_strides, b_strides, batch_strides, K, cfg)
    row0, col0 = tile_origin(M, N, cfg)
    a_tiles = k_tiles_of_a(a, row0, M, a_strides, cfg)
    b_tiles = k_tiles_of_b(b, col0, N, b_strides, cfg)
    ring = make_ring(a.dtype.element_ty, cfg)
    acc = gl.zeros([cfg.block_m, cfg.block_n], gl.float32, cfg.acc)
    fill_stage(ring.producer(), 0, a_tiles, b_tiles, K, cfg)
    steps = gl.cdiv(K, cfg.block_k)
    for step in range(1, steps):
        # The copies of the next k-tile are issued before the reads of this k-tile, so one barrier per iteration
        # suffices. The barrier orders all warps' reads of a stage before its refill, and makes completed copies visible
        # to all warps.
        a_tile, b_tile = ring.consumer().wait(step - 1).buffers
        a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
        fill_stage(ring.producer(), step, a_tiles, b_tiles, K - step * cfg.block_k, cfg)
        acc = multiply(a_tile, b_tile, acc, cfg)
    a_tile, b_tile = ring.consumer().wait(steps - 1).buffers
    acc = multiply(a_tile, b_tile, acc, cfg)
    Output(c, bias, M, N, c_strides, epilogue_of(EPILOGUE, epilogue_args)).store(acc, row0, col0, cfg)


__all__ = ["MatmulConfig", "matmul_direct_to_shared", "matmul_through_registers"]
