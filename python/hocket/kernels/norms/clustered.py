"""Backward kernel of the cluster variant, for wide rows on Hopper: the blocks of a cluster share each row.

A cluster processes tiles of rows, one after another. Each block of the cluster has an equal part of the columns. All
warps of a block have the same role: they copy the block's parts of the next tiles by TMA into a ring buffer, reduce the
block's part of a tile along the rows, exchange the sums through distributed shared memory, store dx, and add to the
gradients of weight and bias of the block's columns.

    synchronization                arrivals
    ring, `cfg.stages` stages      full: 1, and the bytes of TMA       empty: none
    exchange of sums, 2 slots      1, and the bytes of all warps of the cluster (`Exchange`)
    `finish_sums`                  the grid barrier: all blocks (`grid_barrier`)

Timeline of a block, with S stages:

    copy 0 ... S - 1 | wait for 0, read 0 | exchange, copy S | dx 0 | wait for 1, read 1 | exchange, copy S + 1 | ...

The copies write shared memory, not registers, so they stay in flight during the exchange. A cluster barrier would also
wait for all earlier stores of dx; the stores of the exchange complete on an mbarrier, which waits for nothing else.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import cluster, tma
from .backward import add_tile, finish_sums, kept_weight, load_statistics, no_sums, store_partials, weight_of
from .exchange import by_warp, make_exchange, over_cluster
from .rows import add_pairs, columns_from, normal_and_gradient, rows_from


@jit
def copy_tile(dy_desc, x_desc, ring, position, first, rows):
    """Starts the TMA copies of the block's part of a tile of rows of dy and x into a stage of the ring buffer. For a
    tile past the last row, nothing happens."""
    is_tile = first < rows
    slot = ring.acquire(position, is_tile)
    tma.async_load(dy_desc, [first, 0, 0, 0], slot.full, slot.buffers[0], pred=is_tile)
    tma.async_load(x_desc, [first, 0, 0, 0], slot.full, slot.buffers[1], pred=is_tile)


@jit
def read_part(buffer, cfg: gl.constexpr):
    """Loads the block's part of a tile from shared memory into registers."""
    tile = buffer.load(cfg.slot).reshape([cfg.rows_per_tile, cfg.block])
    return gl.convert_layout(tile, cfg.tile)


@jit
def sums_of_warps(normal, gradient, cfg: gl.constexpr):
    """Returns sum(g n) and, for LayerNorm, sum(g) of each warp's part of its row: a tuple of tensors, [rows, blocks,
    warps]."""
    products = by_warp(gradient * normal, cfg)
    if cfg.is_centered:
        return gl.reduce(gl.reduce((products, by_warp(gradient, cfg)), 2, add_pairs), 3, add_pairs)
    return (gl.sum(gl.sum(products, axis=2), axis=3),)


@jit
def backward_clustered(
    dy_desc, x_desc, inputs, strides, weight, dx, extra, sums, partials, cells, rows, columns, pitch,
    cfg: gl.constexpr,
):  # fmt: skip
    """A kernel in which each program is a cluster. The first arguments are TMA descriptors of dy and x. The other
    arguments are those of `backward_resident`."""
    shape: gl.constexpr = [cfg.stages, *dy_desc.block_shape]
    dy_tiles = gl.allocate_shared_memory(dy_desc.dtype, shape, dy_desc.layout)
    x_tiles = gl.allocate_shared_memory(x_desc.dtype, shape, x_desc.layout)
    ring = gl.RingBuffer((dy_tiles, x_tiles), consumers=0)
    exchange = make_exchange(1 + cfg.is_centered, cfg)
    cluster.barrier()
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    for number in gl.static_range(cfg.stages):
        copy_tile(dy_desc, x_desc, ring.producer(), number, start + number * step, rows)
    column = columns_from(0, cfg)
    kept = kept_weight(weight, column, columns, cfg)
    dw, db = no_sums(cfg)
    count = 0
    mean, rstd = load_statistics(inputs, strides, rows_from(start, cfg), rows, cfg)
    for first in range(start, rows, step):
        next_mean, next_rstd = load_statistics(inputs, strides, rows_from(first + step, cfg), rows, cfg)
        position = ring.position(count)
        dy_buffer, x_buffer = ring.consumer().wait(position).buffers
        dy, x = read_part(dy_buffer, cfg), read_part(x_buffer, cfg)
        weights = weight_of(kept, weight, column, columns, cfg)
        normal, gradient = normal_and_gradient(dy, x, weights, mean, rstd, cfg)
        of_warps = sums_of_warps(normal, gradient, cfg)
        # The compiler inserts a barrier of the block before these copies, because they overwrite the stage that all
        # warps have read. After this barrier, the exchange needs none of its own.
        copy_tile(dy_desc, x_desc, ring.producer(), position, first + cfg.stages * step, rows)
        parts = exchange.parts(of_warps, count, cfg)
        shared = over_cluster(parts[0], cfg), over_cluster(parts[1], cfg) if cfg.is_centered else 0.0
        loaded = dy, x, mean, rstd
        dw, db = add_tile(loaded, shared, weights, first, column, dw, db, dx, extra, rows, columns, cfg)
        mean = next_mean
        rstd = next_rstd
        count += 1
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)
