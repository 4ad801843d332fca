"""Kernel of cross-entropy, forward, warp-specialized: a ring buffer holds parts of rows, each of which is read once.

`norms/parts.py` describes the warps and the ring buffer. Timeline of a block:

    producers    row 0, part 0 | part 1 | ... | row 1, part 0 | ... | wait for a released stage | ...
    consumers    row 0: max and sum of part 0, release | part 1, release | ... | loss of row 0 | row 1: part 0 | ...

Stages are released as soon as they have been read, so the ring buffer need not hold a whole row. While the consumers
reduce a row and store its loss, copies of the next row are in flight.
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ..norms.parts import COPYING_REGISTERS, COPYING_WARPS, copy_parts, make_ring, read_part
from ..norms.rows import columns_from, rows_from
from .cross_entropy_kernels import add_part, no_parts, store_losses


@jit
def loss_rows(
    ring, x, targets, weights, losses, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """The consumer warps compute and store the losses of the block's rows."""
    position = ring.position(0)
    for number in range(gl.program_id(0), rows, gl.num_programs(0)):
        sums = no_parts(cfg)
        for piece in range(0, cfg.pieces):
            loaded, _ = read_part(ring.wait(position), cfg)
            ring.release(position)
            sums = add_part(sums, loaded, columns_from(piece * cfg.block, cfg), columns, smooths, cfg)
            position = position.next()
        store_losses(sums, x, targets, weights, losses, rows_from(number, cfg), rows, columns, smooths, cfg)


@jit
def cross_entropy_specialized(
    x, targets, weights, losses, rows, columns, smooths: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """A kernel of one block per SM, with the arguments of `cross_entropy_resident`."""
    matrices = (x.data,)
    ring = make_ring(matrices, cfg)
    copying = copy_parts, (matrices, (x.stride,), ring.producer(), rows, columns, cfg)
    gl.warp_specialize(
        [(loss_rows, (ring.consumer(), x, targets, weights, losses, rows, columns, smooths, cfg)), copying],
        [COPYING_WARPS],
        [COPYING_REGISTERS],
    )
