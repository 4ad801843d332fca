"""What happens to a tile of a product between the accumulators and C: bias, activation, conversion, and its way out."""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import tma
from ..runtime.jit import jit
from .matmul_activation import activate, bias_of


@jit
def columns_of(tile, number: gl.constexpr, layout: gl.constexpr, width: gl.constexpr):
    """Piece `number` of a tile's columns, each `width` wide. A lane holds its part of every piece: nothing moves."""
    pieces: gl.constexpr = tile.shape[1] // width
    parts = tile.to(gl.int32, bitcast=True).reshape([tile.shape[0], pieces, width])
    parts_layout: gl.constexpr = parts.type.layout
    index = gl.arange(0, pieces, layout=gl.SliceLayout(0, gl.SliceLayout(2, parts_layout)))[None, :, None]
    piece = gl.reduce_or(gl.where(index == number, parts, 0), axis=1).to(gl.float32, bitcast=True)
    return gl.convert_layout(piece, layout, assert_trivial=True)


@jit
def finish(accs, first_bias, staging, first_slot, c_desc, bias, matrix, row, column, N, cfg: gl.constexpr):
    """Stores `accs`, of C at (row, column) and to the right of it, piece by piece through slots of `staging`, which TMA
    goes on reading.

    `first_bias` is that of the first piece; the bias of each other one is fetched while the one before it is stored.
    """
    width: gl.constexpr = cfg.staged_columns
    pieces: gl.constexpr = cfg.acc_n // width
    piece_bias = first_bias
    for number in gl.static_range(pieces * cfg.accs):
        piece = columns_of(accs[number // pieces], number % pieces, cfg.piece, width)
        left = column + number * width
        if cfg.has_bias:
            piece += piece_bias.to(gl.float32)[None, :]
            if number + 1 < pieces * cfg.accs:
                piece_bias = bias_of(bias, left + width, N, cfg.piece, width)
        piece = activate(piece, cfg.activation).to(c_desc.dtype)
        slot = staging.index(first_slot + number % cfg.staged_pieces)
        # The last tile's pieces, which may have left any slot last, were read long ago.
        tma.store_wait(cfg.staged_pieces - 1 if number > 0 else 0)
        if len(slot.shape) == 3:
            slot.reshape([slot.shape[1], width]).store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [matrix, row, left], slot)
        else:
            slot.store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [row, left], slot)
