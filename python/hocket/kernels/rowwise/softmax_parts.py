"""Kernels of softmax, log-softmax and their gradients, warp-specialized: a ring buffer holds parts of long rows.

`norms/parts.py` describes the warps and the ring buffer. Timeline of a block:

    producers    row 0, part 0 | part 1 | ... | row 1, part 0 | ... | wait for a released stage | ...
    consumers    sums of row 0: part 0 | part 1 | ...       | result of row 0: part 0, release | part 1, release | ...
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from ..norms.parts import COPYING_REGISTERS, COPYING_WARPS, copy_parts, make_ring, read_part
from ..norms.rows import columns_from, rows_from, store_rows
from .softmax_kernels import from_exponents, softmax_gradient, summand
from .tiles import add_exponentials, exponentials_of_rows, exponents, no_exponentials, scores


@jit
def softmax_rows(ring, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """The consumer warps compute and store the softmax of the block's rows."""
    position = ring.position(0)
    for number in range(gl.program_id(0), rows, gl.num_programs(0)):
        row = rows_from(number, cfg)
        maximum, total = no_exponentials(cfg)
        part = position
        for piece in range(0, cfg.pieces):
            loaded, _ = read_part(ring.wait(part), cfg)
            values = scores(loaded, columns_from(piece * cfg.block, cfg), columns, cfg)
            maximum, total = add_exponentials(maximum, total, values, cfg)
            part = part.next()
        maximum, total = exponentials_of_rows(maximum, total, cfg)
        for piece in range(0, cfg.pieces):
            loaded, _ = read_part(ring.slot(position), cfg)
            ring.release(position)
            result = from_exponents(exponents(loaded.to(gl.float32), maximum[:, None]), total, is_log)
            store_rows(y.data, row, columns_from(piece * cfg.block, cfg), y.stride, rows, columns, result, cfg)
            position = position.next()


@jit
def softmax_specialized(x, y, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """A kernel of one block per SM, with the arguments of `softmax_resident`."""
    matrices = (x.data,)
    ring = make_ring(matrices, cfg)
    copying = copy_parts, (matrices, (x.stride,), ring.producer(), rows, columns, cfg)
    gl.warp_specialize(
        [(softmax_rows, (ring.consumer(), y, rows, columns, is_log, cfg)), copying],
        [COPYING_WARPS],
        [COPYING_REGISTERS],
    )


@jit
def gradient_rows(ring, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """The consumer warps compute and store dx of the block's rows."""
    position = ring.position(0)
    for number in range(gl.program_id(0), rows, gl.num_programs(0)):
        row = rows_from(number, cfg)
        total = gl.zeros([cfg.rows_per_tile, cfg.block], gl.float32, cfg.tile)
        part = position
        for _ in range(0, cfg.pieces):
            dy_tile, y_tile = read_part(ring.wait(part), cfg)
            total += summand(dy_tile, y_tile, is_log)
            part = part.next()
        along = gl.sum(total, axis=1)
        for piece in range(0, cfg.pieces):
            dy_tile, y_tile = read_part(ring.slot(position), cfg)
            ring.release(position)
            result = softmax_gradient(dy_tile, y_tile, along, is_log)
            store_rows(dx.data, row, columns_from(piece * cfg.block, cfg), dx.stride, rows, columns, result, cfg)
            position = position.next()


@jit
def softmax_backward_specialized(dy, y, dx, rows, columns, is_log: gl.constexpr, cfg: gl.constexpr):
    """A kernel of one block per SM, with the arguments of `softmax_backward_resident`."""
    matrices = dy.data, y.data
    ring = make_ring(matrices, cfg)
    copying = copy_parts, (matrices, (dy.stride, y.stride), ring.producer(), rows, columns, cfg)
    gl.warp_specialize(
        [(gradient_rows, (ring.consumer(), dx, rows, columns, is_log, cfg)), copying],
        [COPYING_WARPS],
        [COPYING_REGISTERS],
    )
