"""A barrier of all blocks of a grid, and a sum over blocks that needs no atomics on data.

The last block to arrive resets the counter and increments the generation. All other blocks wait for this increment. The
state is two int32 in global memory, initially 0. Any number of launches, with grids of any size, can use the same state
if they do not run at the same time.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ...language.nvidia.hopper import cluster


@gl.constexpr_function
def divided_vector(num_ctas):
    """Returns the `cga_layout` of a vector of which each block of a cluster holds an equal part."""
    return [[1 << bit] for bit in range(num_ctas.bit_length() - 1)]


@jit
def wait_for_grid(cells):
    """Waits at a grid barrier until all blocks have arrived, and makes their writes visible. The launch must be
    cooperative.

    cells: pointer to {number of blocks that have arrived, generation}.
    """
    # The generation is read before the arrival, because the last block may increment it at any time after the arrival.
    generation = gl.atomic_add(cells + 1, 0, sem="acquire")
    if gl.atomic_add(cells, 1, sem="acq_rel") == gl.num_programs(0) - 1:
        gl.atomic_xchg(cells, 0, sem="relaxed")
        gl.atomic_add(cells + 1, 1, sem="release")
    else:
        while gl.atomic_add(cells + 1, 0, sem="acquire") == generation:
            pass


@jit
def wait_for_clusters(cells):
    """Waits at the grid barrier in a kernel with clusters. Each block arrives at the barrier, and all blocks of a
    cluster continue together."""
    lanes: gl.constexpr = gl.BlockedLayout([1], [gl.num_lanes()], [gl.num_warps()], [0], divided_vector(gl.num_ctas()))
    of_blocks = gl.arange(0, gl.num_ctas(), layout=lanes) * 0
    # The cluster barrier orders the writes of all threads before the arrivals of their blocks.
    cluster.barrier()
    generation = gl.max(gl.atomic_add(cells + 1 + of_blocks, 0, sem="acquire"), axis=0)
    arrived = gl.max(gl.atomic_add(cells + of_blocks, 1, sem="acq_rel"), axis=0)
    if arrived == gl.num_programs(0) * gl.num_ctas() - 1:
        gl.atomic_xchg(cells, 0, sem="relaxed")
        gl.atomic_add(cells + 1, 1, sem="release")
    else:
        while gl.min(gl.atomic_add(cells + 1 + of_blocks, 0, sem="acquire"), axis=0) == generation:
            pass


@jit
def sum_over_blocks(partials, output, count, columns, pitch, cfg: gl.constexpr):
    """Sets output[j] to the sum of partials[i, j] over i < count. The order of the additions is the same in every run.
    Each block adds up some of the columns.

    partials: float32 [count, ...] with a row stride of `pitch` elements.
    """
    layout: gl.constexpr = cfg.sums
    shape: gl.constexpr = cfg.sums_shape
    for first in range(gl.program_id(0) * shape[1], columns, gl.num_programs(0) * shape[1]):
        column = first + gl.arange(0, shape[1], layout=gl.SliceLayout(0, layout))
        total = gl.zeros(shape, gl.float32, layout)
        for row0 in range(0, count, shape[0]):
            row = row0 + gl.arange(0, shape[0], layout=gl.SliceLayout(1, layout))
            mask = (row < count)[:, None] & (column < columns)[None, :]
            total += gl.load(partials + (row.to(gl.int64) * pitch)[:, None] + column[None, :], mask=mask, other=0.0)
        gl.store(output + column, gl.sum(total, axis=0).to(output.dtype.element_ty), mask=column < columns)
