"""Kernels of the staged variant: rows are copied into shared memory asynchronously, so loads in flight take no
registers.

    one buffer      one tile per block, and many small blocks per SM: each copies a tile, waits, and computes while the
                    other blocks copy. Long rows are read from shared memory for each use
    two buffers     persistent blocks: the next tile is copied while one is computed

Copies are cp.async on NVIDIA, and buffer loads straight into LDS on CDNA4.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language import amd
from ...language.nvidia import ampere
from .backward import add_tile, finish_sums, kept_weight, load_statistics, no_sums, store_partials, sums_of_tile
from .forward import centre, finish_tile, load_all_vectors, load_vectors, store_result, store_statistics
from .rows import columns_from, is_inside, keep_loads_in_flight, rows_from, store_rows


@jit
def allocate_slots(dtype, matrices: gl.constexpr, cfg: gl.constexpr):
    """Allocates the buffers: for each, the tiles of a row of the first matrix, then those of the second."""
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    return gl.allocate_shared_memory(dtype, [cfg.stages * matrices * cfg.pieces, cfg.rows_per_tile, cfg.block], layout)


@jit
def copy_piece(destination, matrix, row, column, stride, rows, columns, cfg: gl.constexpr):
    """Starts copying a tile; elements outside the matrix become 0."""
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
def copy_tile(slots, slot, inputs, strides, matrices: gl.constexpr, first, rows, columns, cfg: gl.constexpr):
    """Starts copying all tiles of some rows of the first `matrices` inputs, as one commit group."""
    row = rows_from(first, cfg)
    for matrix in gl.static_range(matrices):
        for piece in gl.static_range(cfg.pieces):
            destination = slots.index((slot * matrices + matrix) * cfg.pieces + piece)
            column = columns_from(piece * cfg.block, cfg)
            copy_piece(destination, inputs[matrix], row, column, strides[matrix], rows, columns, cfg)
    if gl.num_lanes() == 64:
        amd.cdna4.async_copy.commit_group()
    else:
        ampere.async_copy.commit_group()


@jit
def wait_for_tiles(in_flight: gl.constexpr):
    """Waits until at most `in_flight` commit groups are pending."""
    if gl.num_lanes() == 64:
        amd.cdna4.async_copy.wait_group(in_flight)
    else:
        ampere.async_copy.wait_group(in_flight)


@jit
def read_piece(slots, slot, piece, matrices: gl.constexpr, cfg: gl.constexpr):
    """A tile of the first matrix, and of the second matrix if there is one."""
    x = slots.index(slot * matrices * cfg.pieces + piece).load(cfg.tile)
    other = x
    if matrices == 2:
        other = slots.index((slot * matrices + 1) * cfg.pieces + piece).load(cfg.tile)
    return x, other


@jit
def read_pieces(slots, slot, matrices: gl.constexpr, cfg: gl.constexpr):
    """All tiles of some rows."""
    pieces = (read_piece(slots, slot, 0, matrices, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        pieces += (read_piece(slots, slot, piece, matrices, cfg),)
    return pieces


@jit
def read_values(slots, slot, piece, outputs, cfg: gl.constexpr):
    """The values to normalize, in float32: with a residual, the rounded sum."""
    loaded = read_piece(slots, slot, piece, 1 + cfg.has_residual, cfg)
    values = loaded[0].to(gl.float32)
    if cfg.has_residual:
        values = (values + loaded[1].to(gl.float32)).to(outputs[1].dtype.element_ty).to(gl.float32)
    return values


@jit
def first_sums(slots, slot, row, outputs, strides, rows, columns, cfg: gl.constexpr):
    """Sums along rows of the values, or of their squares for RMSNorm. With a residual, also stores x + residual."""
    total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
    for piece in gl.static_range(cfg.pieces):
        values = read_values(slots, slot, piece, outputs, cfg)
        if cfg.has_residual:
            column = columns_from(piece * cfg.block, cfg)
            store_rows(outputs[1], row, column, strides[3], rows, columns, values, cfg)
        total += values if cfg.is_centred else values * values
    return gl.sum(total, axis=1)


@jit
def centred_values(slots, slot, piece, mean, outputs, columns, cfg: gl.constexpr):
    """The values minus their mean (LayerNorm)."""
    values = read_values(slots, slot, piece, outputs, cfg)
    if cfg.is_centred:
        values = centre(values, mean, columns_from(piece * cfg.block, cfg), columns, cfg)
    return values


@jit
def finish_slot(
    slots, slot, first, weight, bias, outputs, strides, rows, columns, eps, cfg: gl.constexpr
):  # fmt: skip
    """`finish_tile` for long rows: they stay in shared memory, and are read again for each use."""
    row = rows_from(first, cfg)
    share = 1.0 / columns
    mean = first_sums(slots, slot, row, outputs, strides, rows, columns, cfg) * share
    variance = mean
    if cfg.is_centred:
        squares = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        # A run-time loop. If it were unrolled, the compiler would keep values in registers between the passes.
        for piece in gl.range(0, gl.cdiv(columns, cfg.block), loop_unroll_factor=2):
            values = centred_values(slots, slot, piece, mean, outputs, columns, cfg)
            squares += values * values
        variance = gl.sum(squares, axis=1) * share
    rstd = gl.rsqrt(variance + eps)
    for piece in gl.static_range(cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        weights, biases = load_vectors(weight, bias, column, columns, cfg)
        normal = centred_values(slots, slot, piece, mean, outputs, columns, cfg) * rstd[:, None]
        store_result(normal, weights, biases, outputs, strides, row, column, rows, columns, cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def forward_staged(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """Like `forward_resident`, with cfg.stages buffers."""
    matrices: gl.constexpr = 1 + cfg.has_residual
    slots = allocate_slots(inputs[0].dtype.element_ty, matrices, cfg)
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    kept = 0.0, 0.0
    if cfg.prefetches and not cfg.rereads:
        kept = load_all_vectors(weight, bias, columns, cfg)
    copy_tile(slots, 0, inputs, strides, matrices, start, rows, columns, cfg)
    count = 0
    for first in range(start, rows, step):
        slot = count % cfg.stages
        if cfg.prefetches:
            copy_tile(slots, (count + 1) % cfg.stages, inputs, strides, matrices, first + step, rows, columns, cfg)
        wait_for_tiles(cfg.stages - 1)
        if cfg.rereads:
            finish_slot(slots, slot, first, weight, bias, outputs, strides, rows, columns, eps, cfg)
        else:
            loaded = read_pieces(slots, slot, matrices, cfg)
            finish_tile(loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, cfg)
        count += 1
    wait_for_tiles(0)


@jit
def backward_staged(
    inputs, strides, weight, outputs, extra, sums, partials, cells, rows, columns, pitch, cfg: gl.constexpr
):  # fmt: skip
    """Like `backward_resident`, with two buffers."""
    slots = allocate_slots(inputs[0].dtype.element_ty, 2, cfg)
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    column = columns_from(0, cfg)
    kept = kept_weight(weight, column, columns, cfg)
    dw, db = no_sums(cfg)
    copy_tile(slots, 0, inputs, strides, 2, start, rows, columns, cfg)
    mean, rstd = load_statistics(inputs, strides, rows_from(start, cfg), rows, cfg)
    count = 0
    for first in range(start, rows, step):
        # Before the copies, because on CDNA, waiting for a load also waits for all earlier copies.
        next_mean, next_rstd = load_statistics(inputs, strides, rows_from(first + step, cfg), rows, cfg)
        copy_tile(slots, (count + 1) % cfg.stages, inputs, strides, 2, first + step, rows, columns, cfg)
        keep_loads_in_flight(first, cfg)
        wait_for_tiles(1)
        dy, x = read_piece(slots, count % cfg.stages, 0, 2, cfg)
        loaded = dy, x, mean, rstd
        shared = sums_of_tile(loaded, kept, cfg)
        dw, db = add_tile(loaded, shared, kept, first, column, dw, db, outputs, extra, rows, columns, cfg)
        keep_loads_in_flight(first, cfg)
        mean = next_mean
        rstd = next_rstd
        count += 1
    wait_for_tiles(0)
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums[0], sums[1], gl.num_programs(0), columns, pitch, cfg)
