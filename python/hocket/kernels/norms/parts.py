"""Forward kernel of the warp-specialized variant, on Hopper, for long rows: a ring buffer holds parts of rows.

    warps               count             work
    producer warps      COPYING_WARPS     copy rows by cp.async, part by part, into the ring buffer, and run ahead
    consumer warps      `num_warps`       normalize one row after another, each row on all consumer warps

    ring, `cfg.stages` stages             full: all lanes of the producer warps      empty: all consumer warps

    producers    row 0, part 0 | part 1 | ... | row 1, part 0 | ... | wait for a released stage | ...
    consumers    sums of row 0: part 0 | part 1 | ...       | result of row 0: part 0, release | part 1, release | ...

The ring has more stages than a row has parts. The consumers read a row from shared memory once for each use: LayerNorm
for the mean, the variance and the result. While they do so, copies of the next row are in flight: into the stages that
the row does not need, and into each stage that has been read for the last time. In the staged variant, an SM with one
block does not load while the block reduces and stores its row.

Copies by TMA would need a proxy fence after each store of a result, because TMA accesses memory through another proxy.

`copy_parts` and `make_ring` are also used by the operations of `rowwise`.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.ampere import async_copy
from .forward import add_residual, center, load_vectors, store_result, store_statistics, values_of
from .rows import columns_from, rows_from

#: Number of producer warps, and registers of each of their lanes.
COPYING_WARPS: gl.constexpr = 4
COPYING_REGISTERS: gl.constexpr = 40


@jit
def make_ring(matrices, cfg: gl.constexpr):
    """Returns a ring buffer for parts of the rows of one or two matrices. `matrices`: tuple of pointers."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    shape: gl.constexpr = [cfg.stages, cfg.rows_per_tile, cfg.block]
    tiles = (gl.allocate_shared_memory(matrices[0].dtype.element_ty, shape, layout),)
    if len(matrices) == 2:
        tiles += (gl.allocate_shared_memory(matrices[1].dtype.element_ty, shape, layout),)
    return gl.RingBuffer(
        tiles, fill="cp.async", producers=COPYING_WARPS, consumers=gl.num_warps(), per_warp=True
    )  # fmt: skip


@jit
def copy_parts(matrices, strides, ring, rows, columns, cfg: gl.constexpr):
    """The producer warps copy all rows of the block into the ring buffer, part by part. `strides`: row strides of the
    matrices."""
    tile: gl.constexpr = gl.BlockedLayout([1, cfg.vector], [1, gl.num_lanes()], [1, gl.num_warps()], [1, 0])
    in_part = gl.arange(0, cfg.block, layout=gl.SliceLayout(0, tile))
    position = ring.position(0)
    for row in range(gl.program_id(0), rows, gl.num_programs(0)):
        for piece in range(0, cfg.pieces):
            slot = ring.acquire(position)
            column = piece * cfg.block + in_part
            for matrix in gl.static_range(len(matrices)):
                pointers = matrices[matrix] + row.to(gl.int64) * strides[matrix] + column[None, :]
                async_copy.async_load(slot.buffers[matrix], pointers, mask=(column < columns)[None, :])
            ring.commit(position)
            position = position.next()


@jit
def read_part(slot, cfg: gl.constexpr):
    """Loads a part of a row of the first matrix and, if there are two matrices, of the second one from a stage of the
    ring buffer."""
    first = slot.buffers[0].load(cfg.tile)
    second = first
    if len(slot.buffers) == 2:
        second = slot.buffers[1].load(cfg.tile)
    return first, second


@jit
def statistics_of_row(ring, position, outputs, strides, row, rows, columns, eps, cfg: gl.constexpr):
    """Waits for all parts of a row, the first of which is at `position` in the ring buffer. Returns the mean and rstd
    of the row. With a residual, also stores x + residual."""
    share = 1.0 / columns
    total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    part = position
    for piece in range(0, cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        loaded = read_part(ring.wait(part), cfg)
        values = add_residual(loaded, outputs, strides, row, column, rows, columns, cfg)
        total += values if cfg.is_centered else values * values
        part = part.next()
    mean = gl.sum(total, axis=1) * share
    variance = mean
    if cfg.is_centered:
        squares = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        part = position
        for piece in range(0, cfg.pieces):
            values = values_of(read_part(ring.slot(part), cfg), outputs, cfg)
            values = center(values, mean, columns_from(piece * cfg.block, cfg), columns, cfg)
            squares += values * values
            part = part.next()
        variance = gl.sum(squares, axis=1) * share
    return mean, gl.rsqrt(variance + eps)


@jit
def normalize_rows(ring, weight, bias, outputs, strides, rows, columns, eps, cfg: gl.constexpr):
    """The consumer warps normalize and store the rows of the block."""
    position = ring.position(0)
    for number in range(gl.program_id(0), rows, gl.num_programs(0)):
        row = rows_from(number, cfg)
        mean, rstd = statistics_of_row(ring, position, outputs, strides, row, rows, columns, eps, cfg)
        weights, biases = load_vectors(weight, bias, columns_from(0, cfg), columns, cfg)
        for piece in range(0, cfg.pieces):
            # The weight of the next part is loaded before this part is computed, which hides the latency of the load.
            # After the last part, the load is repeated.
            following = gl.minimum(piece + 1, cfg.pieces - 1) * cfg.block
            next_weights, next_biases = load_vectors(weight, bias, columns_from(following, cfg), columns, cfg)
            column = columns_from(piece * cfg.block, cfg)
            values = values_of(read_part(ring.slot(position), cfg), outputs, cfg)
            ring.release(position)
            if cfg.is_centered:
                values = center(values, mean, column, columns, cfg)
            normal = values * rstd[:, None]
            store_result(normal, weights, biases, outputs, strides, row, column, rows, columns, cfg)
            weights = next_weights
            biases = next_biases
            position = position.next()
        store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def forward_specialized(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """A kernel of one block per SM, with the arguments of `forward_resident`."""
    matrices = (inputs.x,)
    if cfg.has_residual:
        matrices += (inputs.residual,)
    ring = make_ring(matrices, cfg)
    work = ring.consumer(), weight, bias, outputs, strides, rows, columns, eps, cfg
    copying = matrices, (strides.x, strides.residual), ring.producer(), rows, columns, cfg
    gl.warp_specialize(
        [(normalize_rows, work), (copy_parts, copying)], [COPYING_WARPS], [COPYING_REGISTERS]
    )  # fmt: skip
