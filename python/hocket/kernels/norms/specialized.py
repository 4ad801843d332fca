"""Backward kernel of the warp-specialized variant, on Hopper.

    producer warp      copies tiles of dy and x by TMA into one ring buffer per group, and runs ahead while stages are
    free
    consumer groups    each computes separate tiles, and waits only for its copies. A group accumulates the gradients of
                       weight and bias in registers, and releases a stage as soon as it has read it

Loads in flight are in shared memory, so they take no registers, and the reductions of a group do not delay them. The
sums of all groups of all blocks are added up at the end, as in `backward`.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import mbarrier, tma
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
def copy_rows(descriptors, memory, barriers, rows, cfg: gl.constexpr):
    """Producer warp."""
    dy_desc, x_desc = descriptors
    dy_ring, x_ring = memory
    ready, free = barriers
    count = 0
    tiles: gl.constexpr = cfg.groups * cfg.rows_per_tile
    for first in range(gl.program_id(0) * tiles, rows, gl.num_programs(0) * tiles):
        for group in gl.static_range(cfg.groups):
            row = first + group * cfg.rows_per_tile
            if row < rows:
                slot = group * cfg.stages + count % cfg.stages
                mbarrier.wait(free.index(slot), count // cfg.stages & 1 ^ 1)
                mbarrier.expect(ready.index(slot), dy_desc.nbytes_per_cta + x_desc.nbytes_per_cta)
                tma.async_load(dy_desc, [row, 0, 0], ready.index(slot), dy_ring.index(slot))
                tma.async_load(x_desc, [row, 0, 0], ready.index(slot), x_ring.index(slot))
        count += 1


@jit
def read_slot(ring, slot, cfg: gl.constexpr):
    """A tile of a ring buffer, in registers."""
    return ring.index(slot).reshape([cfg.rows_per_tile, cfg.block]).load(cfg.tile)


@jit
def compute(
    memory, barriers, inputs, strides, weight, outputs, extra, partials, rows, columns, pitch, cfg: gl.constexpr,
    GROUP: gl.constexpr,
):  # fmt: skip
    """Consumer group."""
    dy_ring, x_ring = memory
    ready, free = barriers
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
        slot = GROUP * cfg.stages + count % cfg.stages
        mbarrier.wait(ready.index(slot), count // cfg.stages & 1)
        shared = 0.0, 0.0
        if cfg.rereads:
            # A long row stays in its buffer until dx is computed.
            shared = sums_of_slot(dy_ring.index(slot), x_ring.index(slot), weight, (mean, rstd), columns, cfg)
        loaded = read_slot(dy_ring, slot, cfg), read_slot(x_ring, slot, cfg), mean, rstd
        weights = weight_of(kept, weight, column, columns, cfg)
        if not cfg.rereads:
            mbarrier.arrive(free.index(slot))
            shared = sums_of_tile(loaded, weights, cfg)
        dw, db = add_tile(loaded, shared, weights, first, column, dw, db, outputs, extra, rows, columns, cfg)
        if cfg.rereads:
            mbarrier.arrive(free.index(slot))
        mean = next_mean
        rstd = next_rstd
        count += 1
    if cfg.gradients > 0:
        store_partials(partials, worker, dw, db, column, columns, pitch, cfg)


@jit
def backward_specialized(
    dy_desc, x_desc, inputs, strides, weight, outputs, extra, sums, partials, cells, rows, columns, pitch,
    cfg: gl.constexpr,
):  # fmt: skip
    """Kernel of one block per SM. Arguments are those of `backward_resident`, after the descriptors of dy and x."""
    slots: gl.constexpr = cfg.groups * cfg.stages
    dy_ring = gl.allocate_shared_memory(dy_desc.dtype, [slots, *dy_desc.block_shape], dy_desc.layout)
    x_ring = gl.allocate_shared_memory(x_desc.dtype, [slots, *x_desc.block_shape], x_desc.layout)
    ready = mbarrier.allocate_mbarrier(batch=slots)
    free = mbarrier.allocate_mbarrier(batch=slots)
    for slot in gl.static_range(slots):
        mbarrier.init(ready.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    memory = dy_ring, x_ring
    barriers = ready, free
    copying = copy_rows, ((dy_desc, x_desc), memory, barriers, rows, cfg)
    work = memory, barriers, inputs, strides, weight, outputs, extra, partials, rows, columns, pitch, cfg
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
        finish_sums(partials, cells, sums[0], sums[1], count, columns, pitch, cfg)
