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

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia import hopper
from ...language.nvidia.hopper import cluster, mbarrier, tma
from .backward import add_tile, finish_sums, kept_weight, load_statistics, no_sums, store_partials, weight_of
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


@aggregate
class Exchange:
    """Shared memory in which each block receives the partial sums of all warps of the cluster, in two slots.

    A warp stores its sums of tile i + 2 into the slot of tile i only after it has received the sums of tile i + 1 from
    all warps. Each warp sends those after it has read the slot of tile i, so blocks need no other synchronization.
    """

    buffers: gl.shared_memory_descriptor
    received: gl.shared_memory_descriptor
    sums: gl.constexpr

    @jit
    def along_rows(self, partials, count, cfg: gl.constexpr):
        """Returns the sums along rows of tile number `count`: sum(g n) and, for LayerNorm, sum(g). `partials`: the
        results of `sums_of_warps`."""
        slot = count % 2
        received = self.received.index(slot)
        mbarrier.expect(received, self.sums * self.buffers.index(0).nbytes_per_cta)
        for number in gl.static_range(self.sums):
            hopper.async_store(self.buffers.index(slot * self.sums + number), partials[number], received)
        mbarrier.wait(received, count // 2 % 2)
        results = ()
        for number in gl.static_range(self.sums):
            parts = self.buffers.index(slot * self.sums + number).load(cfg.exchange)
            results += (gl.convert_layout(gl.sum(gl.sum(parts, axis=2), axis=1), gl.SliceLayout(1, cfg.tile)),)
        if self.sums == 1:
            results += (0.0,)
        return results


@jit
def make_exchange(cfg: gl.constexpr):
    """Allocates the shared memory of an Exchange. A cluster barrier must follow."""
    sums: gl.constexpr = 1 + cfg.is_centered
    warps: gl.constexpr = cfg.tile.warps_per_cta[1]
    layout: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [2, 1, 0], copies_of(cfg.num_ctas, 3))
    buffers = gl.allocate_shared_memory(gl.float32, [2 * sums, cfg.rows_per_tile, cfg.num_ctas, warps], layout)
    received = mbarrier.allocate_mbarrier(batch=2)
    for slot in gl.static_range(2):
        mbarrier.init(received.index(slot), count=1)
    return Exchange(buffers, received, sums)


@gl.constexpr_function
def copies_of(num_ctas, rank):
    """Returns the `cga_layout` of tiles of which each block of a cluster holds a copy."""
    return [[0] * rank for _ in range(num_ctas.bit_length() - 1)]


@jit
def sums_of_warps(normal, gradient, cfg: gl.constexpr):
    """Returns sum(g n) and, for LayerNorm, sum(g) of each warp's part of its row: a tuple of tensors, [rows, blocks,
    warps]."""
    warps: gl.constexpr = cfg.tile.warps_per_cta[1]
    access: gl.constexpr = cfg.vector * gl.num_lanes()
    accesses: gl.constexpr = cfg.block // (cfg.num_ctas * warps * access)
    # The sums over the accesses of a lane are computed before the sums over lanes, which take shuffles.
    parts: gl.constexpr = [cfg.rows_per_tile, cfg.num_ctas, accesses, warps, access]
    products = (gradient * normal).reshape(parts)
    if cfg.is_centered:
        return gl.reduce(gl.reduce((products, gradient.reshape(parts)), 2, add_pairs), 3, add_pairs)
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
    exchange = make_exchange(cfg)
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
        shared = exchange.along_rows(of_warps, count, cfg)
        loaded = dy, x, mean, rstd
        dw, db = add_tile(loaded, shared, weights, first, column, dw, db, dx, extra, rows, columns, cfg)
        mean = next_mean
        rstd = next_rstd
        count += 1
    if cfg.gradients > 0:
        store_partials(partials, gl.program_id(0), dw, db, column, columns, pitch, cfg)
        finish_sums(partials, cells, sums.weight, sums.bias, gl.num_programs(0), columns, pitch, cfg)
