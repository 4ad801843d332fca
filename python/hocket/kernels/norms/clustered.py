"""Backward kernel of the cluster variant, for wide rows on Hopper: the blocks of a cluster share each row.

A cluster processes tiles of rows, one after another. Each block of the cluster has an equal part of the columns. All
warps of a block have the same role: they copy the block's parts of the next tiles by TMA into a ring buffer, reduce the
block's part of a tile along the rows, exchange the sums through distributed shared memory, store dx, and add to the
gradients of weight and bias of the block's columns.

    synchronization                arrivals
    ring, `cfg.stages` stages      full: 1, and the bytes of TMA       empty: none
    exchange of sums               the cluster barrier: all threads of the cluster
    `finish_sums`                  the grid barrier: all blocks (`grid_barrier`)

Timeline of a block, with S stages:

    copy 0 ... S - 1 | wait for 0, read 0 | exchange, copy S | dx 0 | wait for 1, read 1 | exchange, copy S + 1 | ...

The copies write shared memory, not registers, so they stay in flight at the cluster barriers of the exchange. The
exchange also orders all reads of a stage before its refill, so no mbarrier is needed for empty stages.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .backward import add_tile, finish_sums, kept_weight, load_statistics, no_sums, store_partials, weight_of
from .rows import add_pairs, columns_from, normal_and_gradient, rows_from


@jit
def copy_tile(dy_desc, x_desc, ring, position, first):
    """Starts the TMA copies of the block's part of a tile of rows of dy and x into a stage of the ring buffer."""
    slot = ring.acquire(position)
    tma.async_load(dy_desc, [first, 0, 0, 0], slot.full, slot.buffers[0])
    tma.async_load(x_desc, [first, 0, 0, 0], slot.full, slot.buffers[1])


@jit
def read_part(buffer, cfg: gl.constexpr):
    """Loads the block's part of a tile from shared memory into registers."""
    tile = buffer.load(cfg.slot).reshape([cfg.rows_per_tile, cfg.block])
    return gl.convert_layout(tile, cfg.tile)


@jit
def sums_of_cluster(normal, gradient, cfg: gl.constexpr):
    """Returns sum(g n) and, for LayerNorm, sum(g) of rows that the blocks of a cluster share. The blocks exchange both
    sums at once."""
    products = gradient * normal
    along = 0.0
    shift = 0.0
    if cfg.is_centered:
        parts: gl.constexpr = [cfg.rows_per_tile, cfg.num_ctas, cfg.block // cfg.num_ctas]
        a, b = gl.reduce((products.reshape(parts), gradient.reshape(parts)), 2, add_pairs)
        a = gl.convert_layout(a, gl.SliceLayout(2, cfg.pairs))[:, :, None]
        b = gl.convert_layout(b, gl.SliceLayout(2, cfg.pairs))[:, :, None]
        is_first = gl.arange(0, 2, layout=gl.SliceLayout(0, gl.SliceLayout(1, cfg.pairs)))[None, None, :] == 0
        both = gl.sum(gl.where(is_first, a, b), axis=1)
        second = gl.arange(0, 2, layout=gl.SliceLayout(0, gl.SliceLayout(1, cfg.pairs)))[None, :] == 1
        along = gl.convert_layout(gl.sum(gl.where(second, 0.0, both), axis=1), gl.SliceLayout(1, cfg.tile))
        shift = gl.convert_layout(gl.sum(gl.where(second, both, 0.0), axis=1), gl.SliceLayout(1, cfg.tile))
    else:
        along = gl.sum(products, axis=1)
    return along, shift


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
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    for number in gl.static_range(cfg.stages):
        if start + number * step < rows:
            copy_tile(dy_desc, x_desc, ring.producer(), number, start + number * step)
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
        shared = sums_of_cluster(normal, gradient, cfg)
        if first + cfg.stages * step < rows:
            # All threads of the cluster have read the stage, because the exchange of sums contains a cluster barrier.
            copy_tile(dy_desc, x_desc, ring.producer(), position, first + cfg.stages * step)
        loaded = dy, x, mean, rstd
        dw, db = add_tile(loaded, shared, weights, first, column, dw, db, dx, extra, rows, columns, cfg)
        mean = next_mean
        rstd = next_rstd
        count += 1
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)
