"""y = norm(x) weight + bias, and norm(x + residual): rows in registers, read once and written once (multi-wave)."""

from __future__ import annotations

from ... import language as gl
from ...runtime.jit import jit
from .rows import columns_from, is_inside, load_rows, load_vector, rows_from, store_rows


@jit
def load_summands(inputs, strides, first, column, rows, columns, cfg: gl.constexpr):
    """Rows of x, and of the residual that is added to them."""
    row = rows_from(first, cfg)
    x = load_rows(inputs[0], row, column, strides[0], rows, columns, cfg)
    residual = x
    if cfg.has_residual:
        residual = load_rows(inputs[1], row, column, strides[1], rows, columns, cfg)
    return x, residual


@jit
def add_residual(loaded, outputs, strides, row, column, rows, columns, cfg: gl.constexpr):
    """What is normalised, in float32: with a residual, the sum as its other reader sees it, rounded and stored."""
    values = loaded[0].to(gl.float32)
    if cfg.has_residual:
        rounded = (values + loaded[1].to(gl.float32)).to(outputs[1].dtype.element_ty)
        store_rows(outputs[1], row, column, strides[3], rows, columns, rounded, cfg)
        values = rounded.to(gl.float32)
    return values


@jit
def centre(values, mean, row, column, rows, columns, cfg: gl.constexpr):
    """values - mean, and still 0 where there are no columns."""
    values = values - mean[:, None]
    if not cfg.is_whole:
        values = gl.where(is_inside(row, column, rows, columns, cfg), values, 0.0)
    return values


@jit
def store_result(normal, weight, bias, outputs, strides, row, column, rows, columns, cfg: gl.constexpr):
    if cfg.has_weight:
        normal = normal * weight.to(gl.float32)[None, :]
    if cfg.has_bias:
        normal = normal + bias.to(gl.float32)[None, :]
    store_rows(outputs[0], row, column, strides[2], rows, columns, normal, cfg)


@jit
def store_statistics(mean, rstd, outputs, row, rows, cfg: gl.constexpr):
    """For the backward pass."""
    if cfg.stores_statistics:
        gl.store(outputs[3] + row, rstd, mask=row < rows)
        if cfg.is_centred:
            gl.store(outputs[2] + row, mean, mask=row < rows)


@jit
def finish_tile(
    loaded, first, column, kept, weight, bias, outputs, strides, rows, columns, eps, cfg: gl.constexpr
):  # fmt: skip
    """From what is loaded of a tile of rows to its result. `kept`: weight and bias if cfg.prefetches."""
    row = rows_from(first, cfg)
    values = add_residual(loaded, outputs, strides, row, column, rows, columns, cfg)
    share = 1.0 / columns
    mean = gl.zeros([cfg.rows_per_tile], gl.float32, gl.SliceLayout(1, cfg.tile))
    if cfg.is_centred:
        mean = gl.sum(values, axis=1) * share
        values = centre(values, mean, row, column, rows, columns, cfg)
    rstd = gl.rsqrt(gl.sum(values * values, axis=1) * share + eps)
    vectors = kept
    if not cfg.prefetches:
        # Only now: registers that wait for them would be those of another block.
        vectors = load_vectors(weight, bias, column, columns, cfg)
    store_result(values * rstd[:, None], vectors[0], vectors[1], outputs, strides, row, column, rows, columns, cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def load_vectors(weight, bias, column, columns, cfg: gl.constexpr):
    weights = 0.0
    biases = 0.0
    if cfg.has_weight:
        weights = load_vector(weight, column, columns, cfg)
    if cfg.has_bias:
        biases = load_vector(bias, column, columns, cfg)
    return weights, biases


@jit
def forward_resident(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """inputs: x, residual; outputs: y, x + residual, mean, rstd; strides: of x, residual, y, x + residual.

    If cfg.prefetches, each block takes one tile of rows after the other, and those of the next one are on their way.
    Else there is a block for each tile.
    """
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    column = columns_from(0, cfg)
    if cfg.prefetches:
        kept = load_vectors(weight, bias, column, columns, cfg)
        loaded = load_summands(inputs, strides, start, column, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_summands(inputs, strides, first + step, column, rows, columns, cfg)
            finish_tile(loaded, first, column, kept, weight, bias, outputs, strides, rows, columns, eps, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            loaded = load_summands(inputs, strides, first, column, rows, columns, cfg)
            finish_tile(loaded, first, column, (0.0, 0.0), weight, bias, outputs, strides, rows, columns, eps, cfg)
