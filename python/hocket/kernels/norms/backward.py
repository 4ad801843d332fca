"""Backward kernel of the multi-wave variant: gradients of x, weight and bias in one launch, with rows in registers.

All warps of a block have the same role. For each tile of rows, the warps load x and dy, reduce along the rows, store
dx, and add to the gradients of weight and bias. Each lane accumulates the gradients of its columns in registers.

    synchronization         arrivals
    reductions of rows      all warps of the block, if several warps share a row
    grid barrier            all blocks of the launch, once, after they have stored their partial sums (`grid_barrier`)

Timeline of a block (with `cfg.prefetches`, the next tile is loaded before this one is computed):

    load 0 | dx 0, add to dw | load 1 | dx 1, add to dw | ... | store partial sums | grid barrier | dw of some columns

Each element of x and dy is read once. The plan fixes the order of all additions, so results are bitwise reproducible.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from .grid_barrier import sum_over_blocks, wait_for_clusters, wait_for_grid
from .rereading import sums_of_rows_in_memory
from .rows import (
    columns_from,
    input_gradient,
    is_column,
    keep_loads_in_flight,
    load_per_row,
    load_rows,
    load_vector,
    normal_and_gradient,
    rows_from,
    store_rows,
    sums_of_rows,
)


@jit
def load_statistics(inputs, strides, row, rows, cfg: gl.constexpr):
    """Loads the mean and rstd of each row of a tile. For RMSNorm, rstd is returned in place of the mean, which is not
    used."""
    row_rstd = load_per_row(inputs.rstd, row, strides.rstd, rows, cfg)
    row_mean = row_rstd
    if cfg.is_centered:
        row_mean = load_per_row(inputs.mean, row, strides.mean, rows, cfg)
    return row_mean, row_rstd


@jit
def load_tile(inputs, strides, first, column, rows, columns, cfg: gl.constexpr):
    """Loads dy, x, mean and rstd of a tile of rows."""
    row = rows_from(first, cfg)
    dy = load_rows(inputs.dy, row, column, strides.dy, rows, columns, cfg)
    x = load_rows(inputs.x, row, column, strides.x, rows, columns, cfg)
    mean, rstd = load_statistics(inputs, strides, row, rows, cfg)
    return dy, x, mean, rstd


@jit
def store_dx(values, dx, extra, row, column, rows, columns, cfg: gl.constexpr):
    """Adds the gradient of the residual (`extra`), if there is one, to `values`, and stores the sum as dx."""
    if cfg.has_residual:
        values += load_rows(extra.data, row, column, extra.stride, rows, columns, cfg).to(gl.float32)
    store_rows(dx.data, row, column, dx.stride, rows, columns, values, cfg)


@jit
def kept_weight(weight, column, columns, cfg: gl.constexpr):
    """Loads the weight once before all tiles, if registers can hold it (without `cfg.rereads`)."""
    kept = 0.0
    if cfg.has_weight and not cfg.rereads:
        kept = load_vector(weight, column, columns, cfg)
    return kept


@jit
def weight_of(kept, weight, column, columns, cfg: gl.constexpr):
    """Returns the weight. With `cfg.rereads`, registers cannot hold the weight from tile to tile, so it is loaded again
    for each tile."""
    if cfg.has_weight and cfg.rereads:
        return load_vector(weight, column, columns, cfg)
    return kept


@jit
def sums_of_tile(loaded, weight, cfg: gl.constexpr):
    """Returns the sums along rows that dx depends on: see `rows.sums_of_rows`."""
    dy, x, mean, rstd = loaded
    normal, gradient = normal_and_gradient(dy, x, weight, mean, rstd, cfg)
    return sums_of_rows(normal, gradient, cfg)


@jit
def add_tile(loaded, shared, weight, first, column, dw, db, dx, extra, rows, columns, cfg: gl.constexpr):
    """Stores dx of a tile of rows. Returns the partial sums dw and db (the gradients of weight and bias) including this
    tile. `shared`: the sums along rows that `sums_of_tile` returns."""
    dy, x, mean, rstd = loaded
    row = rows_from(first, cfg)
    normal, gradient = normal_and_gradient(dy, x, weight, mean, rstd, cfg)
    values = input_gradient(normal, gradient, shared[0], shared[1], rstd, columns, cfg)
    store_dx(values, dx, extra, row, column, rows, columns, cfg)
    if cfg.has_weight:
        dw += dy.to(gl.float32) * normal
    if cfg.has_bias:
        db += dy.to(gl.float32)
    return dw, db


@jit
def no_sums(cfg: gl.constexpr):
    """Returns the initial sums for the gradients of weight and bias: zeros."""
    dw = 0.0
    db = 0.0
    if cfg.has_weight:
        dw = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    if cfg.has_bias:
        db = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    return dw, db


@jit
def store_partials(partials, index, dw, db, column, columns, pitch, cfg: gl.constexpr):
    """Stores the partial sums of a block, or of a group of its warps, as row `index` of `partials`, [number of sums,
    gradients, pitch]."""
    pointers = partials + index.to(gl.int64) * (cfg.gradients * pitch) + column
    inside = is_column(column, columns, cfg)
    if cfg.has_weight:
        gl.store(pointers, gl.sum(dw, axis=0), mask=inside)
        pointers += pitch
    if cfg.has_bias:
        gl.store(pointers, gl.sum(db, axis=0), mask=inside)


@jit
def finish_sums(partials, cells, dw, db, count, columns, pitch, cfg: gl.constexpr):
    """Waits at the grid barrier, then adds up the partial sums of all blocks for each column."""
    if cfg.num_ctas > 1:
        wait_for_clusters(cells)
    else:
        wait_for_grid(cells)
    if cfg.has_weight:
        sum_over_blocks(partials, dw, count, columns, cfg.gradients * pitch, cfg)
        partials += pitch
    if cfg.has_bias:
        sum_over_blocks(partials, db, count, columns, cfg.gradients * pitch, cfg)


@jit
def backward_resident(
    inputs, strides, weight, dx, extra, sums, partials, cells, rows, columns, pitch, cfg: gl.constexpr
):  # fmt: skip
    """The types of the arguments are classes of arguments.py: `inputs` is BackwardInputs, `strides` is BackwardStrides,
    `dx` and `extra` are MatrixPointer, and `sums` is VectorGradients. `extra` is the matrix that is added to dx."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    column = columns_from(0, cfg)
    kept = kept_weight(weight, column, columns, cfg)
    dw, db = no_sums(cfg)
    if cfg.prefetches:
        loaded = load_tile(inputs, strides, start, column, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_tile(inputs, strides, first + step, column, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            shared = sums_of_tile(loaded, kept, cfg)
            dw, db = add_tile(loaded, shared, kept, first, column, dw, db, dx, extra, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            shared = 0.0, 0.0
            if cfg.rereads:
                statistics = load_statistics(inputs, strides, rows_from(first, cfg), rows, cfg)
                shared = sums_of_rows_in_memory(inputs, strides, weight, statistics, first, rows, columns, cfg)
            loaded = load_tile(inputs, strides, first, column, rows, columns, cfg)
            weights = weight_of(kept, weight, column, columns, cfg)
            if not cfg.rereads:
                shared = sums_of_tile(loaded, weights, cfg)
            dw, db = add_tile(loaded, shared, weights, first, column, dw, db, dx, extra, rows, columns, cfg)
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)
