"""Backward kernel of the warp-specialized variant, on Hopper.

    warps               count         work
    producer warp       1             copies tiles of dy and x by TMA into one ring buffer per group, and runs ahead
    consumer groups     cfg.groups    each group computes separate tiles, and accumulates the gradients of weight and
                                      bias in registers

    ring, one per group, `cfg.stages` stages      full: 1, and the bytes of TMA      empty: 1 (all warps of the group)
    `finish_sums`                                 the grid barrier: all blocks (`grid_barrier`)

    producer     tile 0 of group 0 | tile 0 of group 1 | tile 1 of group 0 | ... | wait for a released stage | ...
    group 0                          read 0 | compute 0  | read 1 | compute 1      | ...

The copies write shared memory, so copies in flight take no registers, and the reductions of a group do not delay them.
The sums of all groups of all blocks are added up at the end, as in `backward`.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .backward import (
    add_tile,
    finish_sums,
    kept_weight,
    load_statistics,
    no_sums,
    store_partials,
    sums_of_tile,
    weight_of,
)
from .rereading import sums_of_slot
from .rows import columns_from, rows_from


@jit
def copy_rows(dy_desc, x_desc, rings, rows, cfg: gl.constexpr):
    """The producer warp copies the rows of dy and x into the ring buffers of the groups."""
    count = 0
    tiles: gl.constexpr = cfg.groups * cfg.rows_per_tile
    for first in range(gl.program_id(0) * tiles, rows, gl.num_programs(0) * tiles):
        for group in gl.static_range(cfg.groups):
            row = first + group * cfg.rows_per_tile
            if row < rows:
                slot = rings[group].acquire(count)
                tma.async_load(dy_desc, [row, 0, 0], slot.full, slot.buffers[0])
                tma.async_load(x_desc, [row, 0, 0], slot.full, slot.buffers[1])
        count += 1


@jit
def read_tile(buffer, cfg: gl.constexpr):
    """Loads a tile from a ring buffer into registers."""
    return buffer.reshape([cfg.rows_per_tile, cfg.block]).load(cfg.tile)


@jit
def compute(
    rings, inputs, strides, weight, dx, extra, partials, rows, columns, pitch, cfg: gl.constexpr,
    GROUP: gl.constexpr,
):  # fmt: skip
    """A consumer group computes its tiles of dx, and accumulates the gradients of weight and bias."""
    ring = rings[GROUP]
    column = columns_from(0, cfg)
    kept = kept_weight(weight, column, columns, cfg)
    dw, db = no_sums(cfg)
    worker = gl.program_id(0) * cfg.groups + GROUP
    start = worker * cfg.rows_per_tile
    step = gl.num_programs(0) * (cfg.groups * cfg.rows_per_tile)
    count = 0
    mean, rstd = load_statistics(inputs, strides, rows_from(start, cfg), rows, cfg)
    for first in range(start, rows, step):
        next_mean, next_rstd = load_statistics(inputs, strides, rows_from(first + step, cfg), rows, cfg)
        dy_buffer, x_buffer = ring.wait(count).buffers
        shared = 0.0, 0.0
        if cfg.rereads:
            # With `cfg.rereads`, the stage is released only after dx is computed, because the row is read from shared
            # memory twice.
            shared = sums_of_slot(dy_buffer, x_buffer, weight, (mean, rstd), columns, cfg)
        loaded = read_tile(dy_buffer, cfg), read_tile(x_buffer, cfg), mean, rstd
        weights = weight_of(kept, weight, column, columns, cfg)
        if not cfg.rereads:
            ring.release(count)
            shared = sums_of_tile(loaded, weights, cfg)
        dw, db = add_tile(loaded, shared, weights, first, column, dw, db, dx, extra, rows, columns, cfg)
        if cfg.rereads:
            ring.release(count)
        mean = next_mean
        rstd = next_rstd
        count += 1
    if cfg.gradients > 0:
        store_partials(partials, worker, dw, db, column, columns, pitch, cfg)


@jit
def make_ring(dy_desc, x_desc, cfg: gl.constexpr):
    """Returns the ring buffer of a consumer group."""
    dy_tiles = gl.allocate_shared_memory(dy_desc.dtype, [cfg.stages, *dy_desc.block_shape], dy_desc.layout)
    x_tiles = gl.allocate_shared_memory(x_desc.dtype, [cfg.stages, *x_desc.block_shape], x_desc.layout)
    return gl.RingBuffer((dy_tiles, x_tiles), consumers=1)


@jit
def backward_specialized(
    dy_desc, x_desc, inputs, strides, weight, dx, extra, sums, partials, cells, rows, columns, pitch,
    cfg: gl.constexpr,
):  # fmt: skip
    """A kernel of one block per SM. The first arguments are TMA descriptors of dy and x. The other arguments are those
    of `backward_resident`."""
    rings = [make_ring(dy_desc, x_desc, cfg) for _ in range(cfg.groups)]
    copying = copy_rows, (dy_desc, x_desc, [ring.producer() for ring in rings], rows, cfg)
    consumers = [ring.consumer() for ring in rings]
    work = consumers, inputs, strides, weight, dx, extra, partials, rows, columns, pitch, cfg
    warps: gl.constexpr = gl.num_warps()
    if cfg.groups == 1:
        gl.warp_specialize([(compute, (*work, 0)), copying], [1], [24])
    elif cfg.groups == 2:
        gl.warp_specialize([(compute, (*work, 0)), (compute, (*work, 1)), copying], [warps, 1], [cfg.registers, 24])
    else:
        gl.warp_specialize(
            [(compute, (*work, 0)), (compute, (*work, 1)), (compute, (*work, 2)), copying],
            [warps, warps, 1],
            [cfg.registers, cfg.registers, 24],
        )
    if cfg.gradients > 0:
        count = gl.num_programs(0) * cfg.groups
        finish_sums(partials, cells, sums.weight, sums.bias, count, columns, pitch, cfg)
