"""Kernels of cross-entropy, forward and backward.

With s = label smoothing, z = weight of the z-loss, C columns, and lse = log(sum(exp(x))) of a row with target t:

    loss   = lse - (1 - s) x[t] - s mean(x) + z lse^2
    dx[j]  = g ((1 + 2 z lse) exp(x[j] - lse) - (1 - s) [j = t] - s / C)

where g is the gradient of the row's loss. The forward pass reads each row once, and stores loss and lse. The backward
pass reads each element once. The elements of dx are independent, so a block processes parts of rows, and dx may
overwrite x. All warps of a block have the same role. The only barriers are in the reduction at the end of a row.
Timelines of a block:

    resident                  load 0 | max and sum 0
    resident, prefetching     load 0 | load 1 | max and sum 0 | load 2 | max and sum 1 | ...
    streaming                 part 0 | load part 1, max and sum of part 0 | load part 2, max and sum of part 1 | ...
    backward                  load, compute, store a part of a row
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import jit
from ... import language as gl
from ..norms.rows import columns_from, keep_loads_in_flight, load_rows, rows_from, store_rows
from .tiles import (
    LN_2,
    LOG2_E,
    add_exponentials,
    by_group,
    exponentials_of_rows,
    exponents,
    load_part,
    load_tiles,
    no_exponentials,
    scores,
    tile_of_block,
)


class Targets(NamedTuple):
    """The targets: for each row, the column of its class. `data`: pointer to the targets. `stride`: distance in
    elements between the targets of consecutive rows. `ignored`: the target of ignored rows."""

    data: Any
    stride: Any
    ignored: Any


class Weights(NamedTuple):
    """The weights of additional terms of the loss: the label smoothing, and the factor of the z-loss."""

    smoothing: Any
    z_loss: Any


class RowLosses(NamedTuple):
    """Pointers to the results of each row, in float32: the loss and the log-sum-exp."""

    loss: Any
    lse: Any


@jit
def add_part(sums, loaded, column, columns, smooths: gl.constexpr, cfg: gl.constexpr):
    """Adds a part of each row to the row's sums: the running maximum, the sum of exponentials and, if `smooths`, the
    sum of values."""
    maximum, total = add_exponentials(sums[0], sums[1], scores(loaded, column, columns, cfg), cfg)
    values = sums[2]
    if smooths:
        values += gl.sum(by_group(loaded.to(gl.float32), cfg), axis=2)  # elements past the end of a row are 0
    return maximum, total, values


@jit
def no_parts(cfg: gl.constexpr):
    """Returns the initial sums of `add_part`, before the first part of a row."""
    maximum, total = no_exponentials(cfg)
    return maximum, total, total


@jit
def load_targets(targets, row, rows):
    """Loads the target of each row. The target is 0 for rows past the end of the matrix."""
    pointers = targets.data + row.to(gl.int64) * targets.stride
    return gl.load(pointers, mask=row < rows, other=0)


@jit
def value_at(x, target, row, rows, columns):
    """Loads each row's value in the column of its target, as float32. The value is 0 for targets outside the
    columns."""
    inside = (row < rows) & (target >= 0) & (target < columns)
    pointers = x.data + row.to(gl.int64) * x.stride + target
    return gl.load(pointers, mask=inside, other=0.0).to(gl.float32)


@jit
def store_losses(
    sums, x, targets, weights, losses, row, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Computes each row's loss and log-sum-exp from the sums of `add_part`, and stores both. The loss of a target
    outside the columns is NaN."""
    target = load_targets(targets, row, rows)
    wanted = value_at(x, target, row, rows, columns)
    maximum, total = exponentials_of_rows(sums[0], sums[1], cfg)
    lse = (maximum + gl.log2(total)) * LN_2
    loss = lse - wanted + weights.z_loss * lse * lse
    if smooths:
        mean = gl.convert_layout(gl.sum(sums[2], axis=1), gl.SliceLayout(1, cfg.tile)) / columns
        loss += weights.smoothing * (wanted - mean)
    loss = gl.where((target >= 0) & (target < columns), loss, float("nan"))
    loss = gl.where(target == targets.ignored, 0.0, loss)
    gl.store(losses.loss + row, loss, mask=row < rows)
    gl.store(losses.lse + row, lse, mask=row < rows)


@jit
def finish_rows(
    loaded, first, x, targets, weights, losses, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Computes and stores the losses of rows that have been loaded."""
    sums = no_parts(cfg)
    for piece in gl.static_range(cfg.pieces):
        sums = add_part(sums, loaded[piece], columns_from(piece * cfg.block, cfg), columns, smooths, cfg)
    store_losses(sums, x, targets, weights, losses, rows_from(first, cfg), rows, columns, smooths, cfg)


@jit
def cross_entropy_resident(
    x, targets, weights, losses, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """The kernel takes x as MatrixPointer. With cfg.prefetches, blocks are persistent."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    if cfg.prefetches:
        loaded = load_tiles(x, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_tiles(x, first + step, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            finish_rows(loaded, first, x, targets, weights, losses, rows, columns, smooths, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            loaded = load_tiles(x, first, rows, columns, cfg)
            finish_rows(loaded, first, x, targets, weights, losses, rows, columns, smooths, cfg)


@jit
def cross_entropy_streaming(
    x, targets, weights, losses, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Works like `cross_entropy_resident`, for rows that are read part by part."""
    for first in range(gl.program_id(0) * cfg.rows_per_tile, rows, gl.num_programs(0) * cfg.rows_per_tile):
        row = rows_from(first, cfg)
        sums = no_parts(cfg)
        loaded = load_part(x, row, 0, rows, columns, cfg)
        for first_column in range(0, columns, cfg.block):
            following = load_part(x, row, first_column + cfg.block, rows, columns, cfg)
            sums = add_part(sums, loaded, columns_from(first_column, cfg), columns, smooths, cfg)
            loaded = following
        store_losses(sums, x, targets, weights, losses, row, rows, columns, smooths, cfg)


@jit
def add_up_losses(losses, targets, total, count, rows, averages: gl.constexpr, BLOCK: gl.constexpr):
    """A kernel of one block that computes the sum of the rows' losses. If `averages`, it computes the mean over the
    rows that are not ignored instead, and also stores the number of these rows."""
    layout: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0])
    sums = gl.zeros([BLOCK], gl.float32, layout)
    counts = gl.zeros([BLOCK], gl.int32, layout)
    for first in range(0, rows, BLOCK):
        row = first + gl.arange(0, BLOCK, layout=layout)
        sums += gl.load(losses + row, mask=row < rows, other=0.0)
        if averages:
            is_counted = (row < rows) & (load_targets(targets, row, rows) != targets.ignored)
            counts += is_counted.to(gl.int32)
    result = gl.sum(sums, axis=0)
    if averages:
        counted = gl.sum(counts, axis=0).to(gl.float32)
        gl.store(count, counted)
        result = result / counted
    gl.store(total, result)


@jit
def cross_entropy_backward(
    gradient, x, targets, weights, lse, count, dx, rows, columns, parts, cfg: gl.constexpr
):  # fmt: skip
    """`gradient`: MatrixPointer to the gradients of the losses, with stride 0 for a single gradient. Its `data` is None
    for the gradient 1. `count`: pointer to the number of rows that are not ignored if the loss is a mean, otherwise
    None. For a target outside the columns, dx of the row is NaN.
    """
    row, column = tile_of_block(parts, cfg)
    values = load_rows(x.data, row, column, x.stride, rows, columns, cfg).to(gl.float32)
    target = load_targets(targets, row, rows)
    sum_of_row = gl.load(lse + row, mask=row < rows, other=0.0)
    factor = gl.full([cfg.rows_per_tile], 1.0, gl.float32, gl.SliceLayout(1, cfg.tile))
    if gradient.data is not None:
        factor = gl.load(gradient.data + row.to(gl.int64) * gradient.stride, mask=row < rows, other=0.0)
    if count is not None:
        factor = factor / gl.load(count)
    factor = gl.where((target >= 0) & (target < columns), factor, float("nan"))
    of_powers = factor * (1.0 + 2.0 * weights.z_loss * sum_of_row)
    of_target = factor * (1.0 - weights.smoothing)
    of_all = factor * (weights.smoothing / columns)
    powers = gl.exp2(exponents(values, (sum_of_row * LOG2_E)[:, None]))
    result = powers * of_powers[:, None] - of_all[:, None]
    result -= gl.where(column[None, :] == target[:, None], of_target[:, None], 0.0)
    # Ignored rows get 0 by a select rather than by a multiplication by 0, because their values may be infinite.
    result = gl.where((target == targets.ignored)[:, None], 0.0, result)
    store_rows(dx.data, row, column, dx.stride, rows, columns, result, cfg)
