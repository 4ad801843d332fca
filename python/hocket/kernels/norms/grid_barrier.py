"""A barrier of all blocks of a grid, and the sum over blocks that it makes possible without atomics on data.

Whoever arrives last puts the count back to 0 and begins the next generation, for which the others wait: two int32 of
global memory that are 0 once serve every launch after that, of any grid, as long as no two run at the same time.
"""

from __future__ import annotations

from ... import language as gl
from ...runtime.jit import jit


@jit
def wait_for_grid(cells):
    """Returns when all blocks have come here, and sees what they have written. The launch must be cooperative.

    cells: pointer to {blocks that have arrived, generation}.
    """
    # Before arriving: afterwards it may be the next one already.
    generation = gl.atomic_add(cells + 1, 0, sem="acquire")
    if gl.atomic_add(cells, 1, sem="acq_rel") == gl.num_programs(0) - 1:
        gl.atomic_xchg(cells, 0, sem="relaxed")
        gl.atomic_add(cells + 1, 1, sem="release")
    else:
        while gl.atomic_add(cells + 1, 0, sem="acquire") == generation:
            pass


@jit
def sum_over_blocks(partials, output, count, columns, pitch, cfg: gl.constexpr):
    """output[j] = the sum of partials[i, j] over i < count, in the same order each time. Blocks share the columns.

    partials: float32 [count, ..] with `pitch` elements from one row to the next.
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
