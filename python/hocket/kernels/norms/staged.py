"""Kernels of the staged variant: rows are copied into shared memory asynchronously, so loads in flight take no
registers.

All warps of a block have the same role: they copy tiles of rows, wait for them, and compute them.

    cfg.stages       blocks
    1                one tile per block, and many small blocks per SM: each copies a tile, waits, and computes while the
                     other blocks copy. With `cfg.rereads`, rows are read from shared memory for each use
    2                persistent blocks: the next tile is copied while the current tile is computed
    2, cluster       the blocks of a cluster share each row (`exchange`)

    synchronization                 arrivals
    exchange of sums, in clusters   the bytes of all warps of the cluster (`Exchange`)
    ring, `cfg.stages` stages       none: commit groups instead of mbarriers; program order releases the stages
    barriers of the block           all warps; the compiler inserts them between copies, reads and refills of a stage
    `finish_sums` (backward)        the grid barrier: all blocks (`grid_barrier`)

Timeline of a persistent block:

    copy 0 | copy 1, wait for 0, compute 0 | copy 2, wait for 1, compute 1 | ...

Copies are cp.async on NVIDIA, and buffer loads straight into LDS on CDNA4.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language import amd
from ...language.nvidia import ampere
from .backward import add_tile, finish_sums, kept_weight, load_statistics, no_sums, store_partials, sums_of_tile
from .exchange import await_cluster, begin_exchange, sum_along_rows
from .forward import (
    add_residual,
    center,
    finish_tile,
    load_all_vectors,
    load_vectors,
    store_result,
    store_statistics,
    values_of,
)
from .rows import columns_from, is_inside, keep_loads_in_flight, rows_from


@aggregate
class RowStage:
    """One stage of `StagedRows`. A stage holds all tiles of some rows of the first matrix, followed by all tiles of the
    same rows of the second matrix, if there is one."""

    tiles: gl.shared_memory_descriptor
    index: gl.tensor
    matrices: gl.constexpr

    @jit
    def tile(self, matrix: gl.constexpr, piece, cfg: gl.constexpr):
        """Returns the shared memory of tile `piece` of matrix `matrix` (0 or 1)."""
        return self.tiles.index((self.index * self.matrices + matrix) * cfg.pieces + piece)


@aggregate
class StagedRows:
    """A ring buffer of stages in shared memory, which asynchronous copies fill. The tiles of all stages are in one
    allocation, because with `cfg.rereads` the index of a tile (`RowStage.tile`) is known only at run time."""

    ring: gl.RingBuffer
    tiles: gl.shared_memory_descriptor
    matrices: gl.constexpr

    @jit
    def acquire(self, number):
        """Returns the stage that copies with the index `number` fill. `commit` ends the commit group of these
        copies."""
        return RowStage(self.tiles, self.ring.producer().acquire(number).index, self.matrices)

    @jit
    def commit(self):
        """Ends the commit group of the copies into the acquired stage."""
        self.ring.producer().commit()

    @jit
    def wait(self, number, outstanding: gl.constexpr = 0):
        """Waits until the commit group with the index `number` is complete, and returns the stage that it has filled.
        `outstanding`: number of later commit groups that may stay in flight."""
        return RowStage(self.tiles, self.ring.consumer().wait(number, outstanding).index, self.matrices)


@jit
def allocate_stages(dtype, matrices: gl.constexpr, cfg: gl.constexpr):
    """Allocates `cfg.stages` stages in shared memory for rows of one or two matrices."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0], cfg.tile.cga_layout)
    shape: gl.constexpr = [cfg.stages * matrices * cfg.pieces, cfg.rows_per_tile, cfg.block]
    tiles = gl.allocate_shared_memory(dtype, shape, layout)
    return StagedRows(gl.RingBuffer(stages=cfg.stages, fill="groups", consumers=0), tiles, matrices)


@jit
def copy_piece(destination, matrix, row, column, stride, rows, columns, cfg: gl.constexpr):
    """Starts copying a tile into shared memory. Elements outside the matrix become 0."""
    inside = is_inside(row, column, rows, columns, cfg)
    if cfg.buffers:
        offsets = (row * stride)[:, None] + column[None, :]
        amd.cdna4.async_copy.buffer_load_to_shared(destination, matrix, offsets, mask=inside)
    else:
        pointers = matrix + (row.to(gl.int64) * stride)[:, None] + column[None, :]
        if gl.num_lanes() == 64:
            amd.cdna4.async_copy.global_load_to_shared(destination, pointers, mask=inside)
        else:
            ampere.async_copy.async_load(destination, pointers, mask=inside)


@jit
def copy_tile(staged, number, inputs, strides, first, rows, columns, cfg: gl.constexpr):
    """Starts copying all tiles of some rows, as the commit group with the index `number`."""
    stage = staged.acquire(number)
    row = rows_from(first, cfg)
    for matrix in gl.static_range(staged.matrices):
        for piece in gl.static_range(cfg.pieces):
            column = columns_from(piece * cfg.block, cfg)
            copy_piece(
                stage.tile(matrix, piece, cfg), inputs[matrix], row, column, strides[matrix], rows, columns, cfg
            )  # fmt: skip
    staged.commit()


@jit
def read_piece(stage, piece, cfg: gl.constexpr):
    """Loads a tile of the first matrix and, if there are two matrices, of the second one from shared memory."""
    x = stage.tile(0, piece, cfg).load(cfg.tile)
    other = x
    if stage.matrices == 2:
        other = stage.tile(1, piece, cfg).load(cfg.tile)
    return x, other


@jit
def read_pieces(stage, cfg: gl.constexpr):
    """Loads all tiles of a stage's rows from shared memory."""
    pieces = (read_piece(stage, 0, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        pieces += (read_piece(stage, piece, cfg),)
    return pieces


@jit
def first_sums(stage, row, outputs, strides, rows, columns, exchange, number, cfg: gl.constexpr):
    """Returns the sums along rows of the values to normalize (LayerNorm), or of their squares (RMSNorm). With a
    residual, also stores x + residual."""
    total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    for piece in gl.static_range(cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        loaded = read_piece(stage, piece, cfg)
        values = add_residual(loaded, outputs, strides, row, column, rows, columns, cfg)
        total += values if cfg.is_centered else values * values
    return sum_along_rows(total, exchange, number, cfg)


@jit
def centered_values(stage, piece, mean, outputs, columns, cfg: gl.constexpr):
    """Returns the values to normalize, minus their mean for LayerNorm."""
    values = values_of(read_piece(stage, piece, cfg), outputs, cfg)
    if cfg.is_centered:
        values = center(values, mean, columns_from(piece * cfg.block, cfg), columns, cfg)
    return values


@jit
def statistics_of_stage(
    stage, row, outputs, strides, rows, columns, eps, exchange, number, cfg: gl.constexpr
):  # fmt: skip
    """Returns the mean and rstd of rows that stay in shared memory. With a residual, also stores x + residual."""
    share = 1.0 / columns
    mean = first_sums(stage, row, outputs, strides, rows, columns, exchange, number, cfg) * share
    variance = mean
    if cfg.is_centered:
        squares = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        # The loop is not unrolled. If the loop were unrolled, the compiler would keep values in registers between the
        # passes.
        for piece in gl.range(0, gl.cdiv(columns, cfg.block), loop_unroll_factor=2):
            values = centered_values(stage, piece, mean, outputs, columns, cfg)
            squares += values * values
        variance = sum_along_rows(squares, exchange, number + 1, cfg) * share
    return mean, gl.rsqrt(variance + eps)


@gl.constexpr_function
def keeps_vectors(cfg):
    """Returns True if persistent blocks of a forward kernel keep weight and bias in registers. The blocks of a cluster
    do so although they read rows from shared memory for each use: each lane has only a few columns, and shared memory
    that is full of rows leaves no L1 cache, so weight and bias of each row would come from the L2."""
    return cfg.prefetches and (not cfg.rereads or cfg.num_ctas > 1)


@jit
def finish_stage(
    stage, first, kept, weight, bias, outputs, strides, rows, columns, eps, exchange, number, cfg: gl.constexpr
):  # fmt: skip
    """Normalizes and stores rows that stay in shared memory, and are read from there for each use (`cfg.rereads`).
    `kept`: weight and bias, if `keeps_vectors(cfg)`."""
    row = rows_from(first, cfg)
    mean, rstd = statistics_of_stage(stage, row, outputs, strides, rows, columns, eps, exchange, number, cfg)
    for piece in gl.static_range(cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        vectors = 0.0, 0.0
        if keeps_vectors(cfg):
            vectors = kept[piece]
        else:
            vectors = load_vectors(weight, bias, column, columns, cfg)
        normal = centered_values(stage, piece, mean, outputs, columns, cfg) * rstd[:, None]
        store_result(normal, vectors[0], vectors[1], outputs, strides, row, column, rows, columns, cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def forward_staged(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """Works like `forward_resident`, but copies rows into `cfg.stages` stages of shared memory."""
    staged = allocate_stages(inputs.x.dtype.element_ty, 1 + cfg.has_residual, cfg)
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    exchange = begin_exchange(cfg)
    copy_tile(staged, 0, inputs, strides, start, rows, columns, cfg)
    for number in gl.static_range(1, cfg.stages - 1):
        copy_tile(staged, number, inputs, strides, start + number * step, rows, columns, cfg)
    kept = 0.0, 0.0
    if keeps_vectors(cfg):
        kept = load_all_vectors(weight, bias, columns, cfg)
    await_cluster(cfg)
    count = 0
    for first in range(start, rows, step):
        if cfg.prefetches:
            ahead: gl.constexpr = cfg.stages - 1
            copy_tile(staged, count + ahead, inputs, strides, first + ahead * step, rows, columns, cfg)
        stage = staged.wait(count, outstanding=cfg.stages - 1)
        exchanges = count * (1 + cfg.is_centered)
        if cfg.rereads:
            finish_stage(
                stage, first, kept, weight, bias, outputs, strides, rows, columns, eps, exchange, exchanges, cfg
            )  # fmt: skip
        else:
            loaded = read_pieces(stage, cfg)
            finish_tile(
                loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, exchange, exchanges, cfg
            )  # fmt: skip
        count += 1
    staged.wait(count)  # the kernel must not end with copies in flight


@jit
def backward_staged(
    inputs, strides, weight, dx, extra, sums, partials, cells, rows, columns, pitch, cfg: gl.constexpr
):  # fmt: skip
    """Works like `backward_resident`, but copies rows into a ring buffer of two stages in shared memory."""
    staged = allocate_stages(inputs.x.dtype.element_ty, 2, cfg)
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    column = columns_from(0, cfg)
    kept = kept_weight(weight, column, columns, cfg)
    dw, db = no_sums(cfg)
    copy_tile(staged, 0, inputs, strides, start, rows, columns, cfg)
    mean, rstd = load_statistics(inputs, strides, rows_from(start, cfg), rows, cfg)
    count = 0
    for first in range(start, rows, step):
        # The statistics are loaded before the copies, because on CDNA, waiting for a load also waits for all earlier
        # copies.
        next_mean, next_rstd = load_statistics(inputs, strides, rows_from(first + step, cfg), rows, cfg)
        copy_tile(staged, count + 1, inputs, strides, first + step, rows, columns, cfg)
        keep_loads_in_flight(first, cfg)
        dy, x = read_piece(staged.wait(count, outstanding=1), 0, cfg)
        loaded = dy, x, mean, rstd
        shared = sums_of_tile(loaded, kept, cfg)
        dw, db = add_tile(loaded, shared, kept, first, column, dw, db, dx, extra, rows, columns, cfg)
        keep_loads_in_flight(first, cfg)
        mean = next_mean
        rstd = next_rstd
        count += 1
    staged.wait(count)  # the kernel must not end with copies in flight
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)
