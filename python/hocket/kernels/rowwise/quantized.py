"""Kernels that normalize rows, of x or of x + residual, and quantize the result to float8 (e4m3).

    y = norm(x + residual) weight + bias        scale = max |y| / 448        quantized = y / scale

The maximum is over a row, or over each `group` of adjacent columns of a row, e.g. 128. Groups whose values are all 0
have the scale 1. All warps of a block have the same role. The only barriers, of all warps of the block, are in
reductions of rows that several warps share. Timelines of a block:

    resident                  load 0 | normalize 0, maxima, store 0
    resident, prefetching     load 0 | load 1 | normalize 0, maxima, store 0 | load 2 | ...
    streaming                 statistics, part by part | maxima (scales of rows) | normalize and store, part by part

y is not rounded before it is quantized.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import jit
from ... import language as gl
from ..norms.forward import (
    center,
    center_rows,
    load_all_vectors,
    load_pieces,
    load_vectors,
    store_statistics,
)
from ..norms.rows import columns_from, keep_loads_in_flight, rows_from, scale_by, store_rows
from ..norms.streaming import reload, streamed_statistics

#: Largest finite value of float8 e4m3.
_LARGEST: gl.constexpr = 448.0


class QuantizedOutputs(NamedTuple):
    """Arrays that the kernels write: the float8 rows, their scales, x + residual (None without a residual), and the
    mean and rstd of each row. `mean` is None for RMSNorm."""

    y: Any
    scales: Any
    total: Any
    mean: Any
    rstd: Any


@jit
def result_of(values, rstd, weight, bias, cfg: gl.constexpr):
    """Returns the result of the norm, in float32, from the centered values of rows."""
    normal = values * rstd[:, None]
    if cfg.has_weight:
        normal = scale_by(normal, weight, cfg)
    if cfg.has_bias:
        normal = normal + bias.to(gl.float32)[None, :]
    return normal


@jit
def scale_of(largest):
    """Returns the scale of values whose largest magnitude is `largest`, and the reciprocal of this scale."""
    is_zero = largest == 0.0
    return gl.where(is_zero, 1.0, largest * (1.0 / _LARGEST)), gl.where(is_zero, 1.0, _LARGEST / largest)


@jit
def store_groups(normal, outputs, strides, row, first_column, rows, columns, group: gl.constexpr, cfg: gl.constexpr):
    """Quantizes a tile with one scale per `group` columns. Stores the quantized values and the scales."""
    count: gl.constexpr = cfg.block // group
    grouped = normal.reshape([cfg.rows_per_tile, count, group])
    scale, factor = scale_of(gl.max(gl.abs(grouped), axis=2))
    scaled = (grouped * factor[:, :, None]).reshape([cfg.rows_per_tile, cfg.block])
    scaled = gl.convert_layout(scaled, cfg.tile)
    store_rows(outputs.y, row, columns_from(first_column, cfg), strides.y, rows, columns, scaled, cfg)
    row = gl.convert_layout(row, gl.SliceLayout(1, scale.layout))
    number = first_column // group + gl.arange(0, count, layout=gl.SliceLayout(0, scale.layout))
    per_row = columns // group
    pointers = outputs.scales + (row.to(gl.int64) * per_row)[:, None] + number[None, :]
    gl.store(pointers, scale, mask=(row < rows)[:, None] & (number < per_row)[None, :])


@jit
def finish_quantized(
    loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, group: gl.constexpr, cfg: gl.constexpr
):
    """Normalizes, quantizes and stores rows that have been loaded. `kept`: weight and bias, which the caller has loaded
    if cfg.prefetches."""
    row = rows_from(first, cfg)
    values, mean, rstd = center_rows(loaded, outputs, strides, row, rows, columns, eps, 0.0, 0, cfg)
    vectors = kept
    if not cfg.prefetches:
        vectors = load_all_vectors(weight, bias, columns, cfg)
    results = (result_of(values[0], rstd, vectors[0][0], vectors[0][1], cfg),)
    largest = gl.abs(results[0])
    for piece in gl.static_range(1, cfg.pieces):
        results += (result_of(values[piece], rstd, vectors[piece][0], vectors[piece][1], cfg),)
        largest = gl.maximum(largest, gl.abs(results[piece]))
    if group > 0:
        for piece in gl.static_range(cfg.pieces):
            store_groups(results[piece], outputs, strides, row, piece * cfg.block, rows, columns, group, cfg)
    else:
        scale, factor = scale_of(gl.max(largest, axis=1))
        gl.store(outputs.scales + row, scale, mask=row < rows)
        for piece in gl.static_range(cfg.pieces):
            column = columns_from(piece * cfg.block, cfg)
            store_rows(outputs.y, row, column, strides.y, rows, columns, results[piece] * factor[:, None], cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def quantized_resident(
    inputs, strides, weight, bias, outputs, rows, columns, eps, group: gl.constexpr, cfg: gl.constexpr
):
    """The kernel takes `inputs` and `strides` as ForwardInputs and ForwardStrides of norms/arguments.py, and `outputs`
    as QuantizedOutputs. `group`: number of columns that share a scale, or 0 for one scale per row."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    if cfg.prefetches:
        kept = load_all_vectors(weight, bias, columns, cfg)
        loaded = load_pieces(inputs, strides, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_pieces(inputs, strides, first + step, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            finish_quantized(loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, group, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:  # one block per tile
        loaded = load_pieces(inputs, strides, start, rows, columns, cfg)
        finish_quantized(loaded, start, (0.0, 0.0), weight, bias, outputs, strides, rows, columns, eps, group, cfg)


@jit
def reloaded_result(inputs, outputs, strides, weight, bias, mean, rstd, row, column, rows, columns, cfg: gl.constexpr):
    """Loads a part of rows again, and returns the result of the norm for this part."""
    values = reload(inputs, outputs, strides, row, column, rows, columns, cfg)
    if cfg.is_centered:
        values = center(values, mean, column, columns, cfg)
    weights, biases = load_vectors(weight, bias, column, columns, cfg)
    return result_of(values, rstd, weights, biases, cfg)


@jit
def quantized_streaming(
    inputs, strides, weight, bias, outputs, rows, columns, eps, group: gl.constexpr, cfg: gl.constexpr
):
    """Works like `quantized_resident`, for rows that do not fit into registers."""
    for first in range(gl.program_id(0) * cfg.rows_per_tile, rows, gl.num_programs(0) * cfg.rows_per_tile):
        row = rows_from(first, cfg)
        mean, rstd = streamed_statistics(inputs, strides, outputs, first, rows, columns, eps, cfg)
        factor = rstd
        if group == 0:
            largest = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
            for first_column in range(0, columns, cfg.block):
                column = columns_from(first_column, cfg)
                normal = reloaded_result(
                    inputs, outputs, strides, weight, bias, mean, rstd, row, column, rows, columns, cfg
                )
                largest = gl.maximum(largest, gl.abs(normal))
            scale, factor = scale_of(gl.max(largest, axis=1))
            gl.store(outputs.scales + row, scale, mask=row < rows)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            normal = reloaded_result(
                inputs, outputs, strides, weight, bias, mean, rstd, row, column, rows, columns, cfg
            )
            if group > 0:
                store_groups(normal, outputs, strides, row, first_column, rows, columns, group, cfg)
            else:
                store_rows(outputs.y, row, column, strides.y, rows, columns, normal * factor[:, None], cfg)
        store_statistics(mean, rstd, outputs, row, rows, cfg)
