"""Functions that all kernels share: loads and stores of rows, and the arithmetic of a row, in float32.

A tile is [rows, block], where `block` is a power of two: all columns of a row, or some of them. `column` holds the
column indices of a tile, in the layout of the tile's second dimension. `row` holds the row indices, in the layout of
the first dimension. Elements outside the matrix are 0.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from ...language.nvidia.hopper import cluster


@jit
def columns_from(first, cfg: gl.constexpr):
    """Returns the column indices of a tile that begins at column `first`. In a cluster, the tiles of a row are numbered
    alike, but each consists of a part of each block's columns."""
    column = first // cfg.num_ctas + gl.arange(0, cfg.block, layout=gl.SliceLayout(0, cfg.tile))
    if cfg.num_ctas > 1:
        # Each block of a cluster has an equal part of a row. This part may have fewer columns than the block's parts of
        # the tiles.
        column -= cluster.cta_rank() * (cfg.block // cfg.num_ctas - cfg.share)
    return column


@jit
def is_column(column, columns, cfg: gl.constexpr):
    """Returns the mask of the tile's columns that are inside the row. In a cluster, the mask contains only columns of
    this block's part of the row."""
    end = columns
    if cfg.num_ctas > 1:
        end = (cluster.cta_rank() + 1) * cfg.share
    return column < end


@jit
def rows_from(first, cfg: gl.constexpr):
    """Returns the row indices of a tile that begins at row `first`."""
    return first + gl.arange(0, cfg.rows_per_tile, layout=gl.SliceLayout(1, cfg.tile))


@jit
def is_inside(row, column, rows, columns, cfg: gl.constexpr):
    """Returns the mask of the tile's elements that are inside the matrix."""
    inside = (row < rows)[:, None]
    if not cfg.is_whole:
        inside = inside & is_column(column, columns, cfg)[None, :]
    return inside


@jit
def load_rows(matrix, row, column, stride, rows, columns, cfg: gl.constexpr):
    """Loads a tile of a matrix. Elements outside the matrix are 0."""
    inside = is_inside(row, column, rows, columns, cfg)
    if cfg.buffers:
        return amd.cdna3.buffer_load(matrix, (row * stride)[:, None] + column[None, :], mask=inside)
    pointers = matrix + (row.to(gl.int64) * stride)[:, None] + column[None, :]
    return gl.load(pointers, mask=inside, other=0.0, eviction_policy=cfg.eviction)


@jit
def store_rows(matrix, row, column, stride, rows, columns, values, cfg: gl.constexpr):
    """Stores the elements of a tile that are inside the matrix."""
    inside = is_inside(row, column, rows, columns, cfg)
    stored = values.to(matrix.dtype.element_ty)
    if cfg.buffers:
        amd.cdna3.buffer_store(stored, matrix, (row * stride)[:, None] + column[None, :], mask=inside)
    else:
        pointers = matrix + (row.to(gl.int64) * stride)[:, None] + column[None, :]
        gl.store(pointers, stored, mask=inside, eviction_policy=cfg.eviction)


@jit
def keep_loads_in_flight(first, cfg: gl.constexpr):
    """Scheduling barrier that keeps the loads of the next tile in flight while the current tile is computed (CDNA). The
    compiler moves neither the loads nor the computation across the barrier. Without the barrier, LLVM sinks the loads
    into the computation, or copies the loaded values before the computation, and thus waits there for the loads."""
    if cfg.buffers:
        gl.sched_barrier(computed=[first])


@jit
def load_vector(vector, column, columns, cfg: gl.constexpr):
    """Loads a weight or bias, which has one element per column."""
    if cfg.is_whole:
        return gl.load(vector + column)
    return gl.load(vector + column, mask=is_column(column, columns, cfg), other=0.0)


@jit
def scale_by(values, weight, cfg: gl.constexpr):
    """Returns values * (weight + cfg.weight_offset). The sum is in float32, not in the weight's dtype."""
    scale = weight.to(gl.float32)
    if cfg.weight_offset != 0.0:
        scale += cfg.weight_offset
    return values * scale[None, :]


@jit
def load_per_row(vector, row, stride, rows, cfg: gl.constexpr):
    """Loads a mean or rstd, which has one float32 per row."""
    if cfg.buffers:
        return amd.cdna3.buffer_load(vector, row * stride, mask=row < rows)
    return gl.load(vector + row.to(gl.int64) * stride, mask=row < rows, other=0.0)


@jit
def add_pairs(a, b, c, d):
    """Adds two pairs of values, for reductions of two tensors at once."""
    return a + c, b + d


@jit
def normal_and_gradient(dy, x, weight, mean, rstd, cfg: gl.constexpr):
    """Returns n = (x - mean) * rstd and g = dy * weight. RMSNorm has no mean."""
    x = x.to(gl.float32)
    gradient = dy.to(gl.float32)
    if cfg.has_weight:
        gradient = scale_by(gradient, weight, cfg)
    if cfg.is_centered:
        x = x - mean[:, None]
    return x * rstd[:, None], gradient


@jit
def input_gradient(normal, gradient, along, shift, rstd, columns, cfg: gl.constexpr):
    """Returns dx = rstd (g - n mean(g n) - mean(g)), from the sums `along` = sum(g n) and `shift` = sum(g) of each
    row."""
    share = 1.0 / columns
    dx = gradient - normal * (along * share)[:, None]
    if cfg.is_centered:
        dx = dx - (shift * share)[:, None]
    return dx * rstd[:, None]


@jit
def sums_of_rows(normal, gradient, cfg: gl.constexpr):
    """Returns sum(g n) and, for LayerNorm, sum(g) of each row, computed by one reduction."""
    along = 0.0
    shift = 0.0
    if cfg.is_centered:
        along, shift = gl.reduce((gradient * normal, gradient), 1, add_pairs)
    else:
        along = gl.sum(gradient * normal, axis=1)
    return along, shift
