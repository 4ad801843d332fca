"""Kernels of the streaming variant, for rows that are too long for registers: each pass reads the rows again, in parts.

All warps of a block have the same role. The second pass hits the L2 if the rows of all resident blocks fit into the L2.
The gradients of weight and bias are accumulated in shared memory if they fit. Otherwise each block accumulates them in
a row of a global workspace, which it reads and writes once per tile of rows.

    synchronization             arrivals
    reductions of rows          all warps of the block
    grid barrier (backward)     all blocks of the launch, once, after they have stored their partial sums

Timelines of a tile of rows:

    forward     read x: sums | read x: squares (LayerNorm) | read x: normalize, store y
    backward    read dy and x: sums along rows | read dy and x: store dx, add to the gradients of weight and bias

There is no ring buffer: nothing is copied into shared memory.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from .backward import finish_sums, load_statistics, store_dx
from .forward import add_residual, center, load_summands, load_vectors, store_result, store_statistics
from .rereading import reduce_piece
from .rows import (
    columns_from,
    input_gradient,
    load_rows,
    load_vector,
    normal_and_gradient,
    rows_from,
)


@jit
def load_piece(inputs, strides, weight, statistics, row, column, rows, columns, cfg: gl.constexpr):
    """Loads some columns of rows of dy and x. Returns dy, the normalized x, and dy times the weight."""
    dy = load_rows(inputs.dy, row, column, strides.dy, rows, columns, cfg)
    x = load_rows(inputs.x, row, column, strides.x, rows, columns, cfg)
    weights = 0.0
    if cfg.has_weight:
        weights = load_vector(weight, column, columns, cfg)
    normal, gradient = normal_and_gradient(dy, x, weights, statistics[0], statistics[1], cfg)
    return dy, normal, gradient


@jit
def within_lanes(values, cfg: gl.constexpr):
    """Returns the sums of the `cfg.vector` adjacent elements of each lane. These sums take fewer registers than the
    elements, so a tile can have several rows."""
    return gl.sum(values.reshape([cfg.rows_per_tile, cfg.block // cfg.vector, cfg.vector]), axis=2)


@jit
def add_to(pointers, values, is_first, column, columns):
    """Adds the sum of `values` over a tile's rows to the block's sums in global memory. The block's first tile
    initializes these sums."""
    inside = column < columns
    kept = gl.load(pointers, mask=inside & (not is_first), other=0.0)
    gl.store(pointers, kept + gl.sum(values, axis=0), mask=inside)


@jit
def allocate_sums(cfg: gl.constexpr):
    """Allocates buffers in shared memory for the sums over rows, and fills them with zeros. The gradient of the weight
    has one buffer per tile of a row, followed by the buffers for the gradient of the bias."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    slots = gl.allocate_shared_memory(gl.float32, [cfg.gradients * cfg.kept_pieces, cfg.block], layout)
    for slot in gl.static_range(cfg.gradients * cfg.kept_pieces):
        slots.index(slot).store(gl.zeros([cfg.block], gl.float32, gl.SliceLayout(0, cfg.tile)))
    return slots


@jit
def add_to_slot(slot, values, cfg: gl.constexpr):
    """Adds the sum of `values` over a tile's rows to a buffer in shared memory."""
    slot.store(slot.load(gl.SliceLayout(0, cfg.tile)) + gl.sum(values, axis=0))


@jit
def store_slots(slots, mine, columns, pitch, cfg: gl.constexpr):
    """Stores the block's sums from shared memory to the block's row of the workspace."""
    for piece in gl.static_range(cfg.kept_pieces):
        column = columns_from(piece * cfg.block, cfg)
        for gradient in gl.static_range(cfg.gradients):
            values = slots.index(gradient * cfg.kept_pieces + piece).load(gl.SliceLayout(0, cfg.tile))
            gl.store(mine + gradient * pitch + column, values, mask=column < columns)


@jit
def backward_streaming(
    inputs, strides, weight, dx, extra, sums, partials, cells, rows, columns, pitch, cfg: gl.constexpr
):  # fmt: skip
    """Works like `backward_resident`, but reads the rows again in each pass, part by part."""
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    mine = partials
    if cfg.gradients > 0:
        mine += gl.program_id(0).to(gl.int64) * (cfg.gradients * pitch)
    slots = mine
    if cfg.kept_pieces > 0:
        slots = allocate_sums(cfg)
    for first in range(start, rows, step):
        row = rows_from(first, cfg)
        statistics = load_statistics(inputs, strides, row, rows, cfg)
        products = within_lanes(gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile), cfg)
        gradients = products
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            _, normal, gradient = load_piece(inputs, strides, weight, statistics, row, column, rows, columns, cfg)
            products += within_lanes(gradient * normal, cfg)
            gradients += within_lanes(gradient, cfg)
        along, shift = reduce_piece((products, gradients), cfg)
        along = gl.convert_layout(along, gl.SliceLayout(1, cfg.tile))
        if cfg.is_centered:
            shift = gl.convert_layout(shift, gl.SliceLayout(1, cfg.tile))
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            dy, normal, gradient = load_piece(inputs, strides, weight, statistics, row, column, rows, columns, cfg)
            values = input_gradient(normal, gradient, along, shift, statistics[1], columns, cfg)
            store_dx(values, dx, extra, row, column, rows, columns, cfg)
            if cfg.kept_pieces > 0:
                piece = first_column // cfg.block
                add_to_slot(slots.index(piece), dy.to(gl.float32) * normal, cfg)
                if cfg.has_bias:
                    add_to_slot(slots.index(cfg.kept_pieces + piece), dy.to(gl.float32), cfg)
            elif cfg.has_weight:
                add_to(mine + column, dy.to(gl.float32) * normal, first == start, column, columns)
            if cfg.has_bias and cfg.kept_pieces == 0:
                add_to(mine + pitch + column, dy.to(gl.float32), first == start, column, columns)
    if cfg.kept_pieces > 0:
        store_slots(slots, mine, columns, pitch, cfg)
    if cfg.gradients > 0:
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)


@jit
def reload(inputs, outputs, strides, row, column, rows, columns, cfg: gl.constexpr):
    """Loads the values to normalize again: x or, with a residual, the stored sum x + residual."""
    if cfg.has_residual:
        return load_rows(outputs.total, row, column, strides.total, rows, columns, cfg).to(gl.float32)
    return load_rows(inputs.x, row, column, strides.x, rows, columns, cfg).to(gl.float32)


@jit
def streamed_statistics(inputs, strides, outputs, first, rows, columns, eps, cfg: gl.constexpr):
    """Returns the mean and rstd of rows that are read part by part. With a residual, also stores x + residual."""
    share = 1.0 / columns
    row = rows_from(first, cfg)
    total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    for first_column in range(0, columns, cfg.block):
        column = columns_from(first_column, cfg)
        loaded = load_summands(inputs, strides, first, column, rows, columns, cfg)
        values = add_residual(loaded, outputs, strides, row, column, rows, columns, cfg)
        if cfg.is_centered:
            total += values
        else:
            total += values * values
    mean = gl.sum(total, axis=1) * share
    variance = mean
    if cfg.is_centered:
        squares = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            values = reload(inputs, outputs, strides, row, column, rows, columns, cfg)
            values = center(values, mean, column, columns, cfg)
            squares += values * values
        variance = gl.sum(squares, axis=1) * share
    return mean, gl.rsqrt(variance + eps)


@jit
def forward_streaming(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """Works like `forward_resident`, but reads the rows again in each pass, part by part."""
    for first in range(gl.program_id(0) * cfg.rows_per_tile, rows, gl.num_programs(0) * cfg.rows_per_tile):
        row = rows_from(first, cfg)
        mean, rstd = streamed_statistics(inputs, strides, outputs, first, rows, columns, eps, cfg)
        for first_column in range(0, columns, cfg.block):
            column = columns_from(first_column, cfg)
            values = reload(inputs, outputs, strides, row, column, rows, columns, cfg)
            if cfg.is_centered:
                values = center(values, mean, column, columns, cfg)
            weights, biases = load_vectors(weight, bias, column, columns, cfg)
            store_result(values * rstd[:, None], weights, biases, outputs, strides, row, column, rows, columns, cfg)
        store_statistics(mean, rstd, outputs, row, rows, cfg)
