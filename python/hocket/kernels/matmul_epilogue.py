"""What happens to a tile of a product between the accumulators and C: bias, activation, conversion, and its way out."""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import tma
from ..runtime.jit import jit
from .matmul_activation import activate, bias_of


@jit
def piece_of(tile, row: gl.constexpr, column: gl.constexpr, layout: gl.constexpr, shape: gl.constexpr):
    """The piece of `shape` in this row and column of pieces. A lane holds its part of every piece: nothing moves."""
    rows: gl.constexpr = tile.shape[0] // shape[0]
    columns: gl.constexpr = tile.shape[1] // shape[1]
    pieces = tile.to(gl.int32, bitcast=True).reshape([rows, shape[0], columns, shape[1]])
    down = gl.arange(0, rows)[:, None, None, None] == row
    along = gl.arange(0, columns)[None, None, :, None] == column
    piece = gl.reduce_or(gl.reduce_or(gl.where(down & along, pieces, 0), axis=2), axis=0)
    return gl.convert_layout(piece.to(gl.float32, bitcast=True), layout, assert_trivial=True)


@jit
def finish(accs, first_bias, staging, first_slot, c_desc, bias, matrix, row, column, N, cfg: gl.constexpr):
    """Stores `accs`, of C at (row, column) and to the right of it, piece by piece through slots of `staging`, which TMA
    goes on reading.

    `first_bias` is that of the first piece; the bias of each other one is fetched while the one before it is stored.
    """
    height: gl.constexpr = cfg.staged_rows
    width: gl.constexpr = cfg.staged_columns
    down: gl.constexpr = accs[0].shape[0] // height
    along: gl.constexpr = cfg.acc_n // width
    pieces: gl.constexpr = down * along * cfg.accs
    piece_bias = first_bias
    for number in gl.static_range(pieces):
        place: gl.constexpr = number // down
        piece = piece_of(accs[place // along], number % down, place % along, cfg.piece, (height, width))
        top, left = row + number % down * height, column + place * width
        if cfg.has_bias:
            piece += piece_bias.to(gl.float32)[None, :]
            if (number + 1) % down == 0 and number + 1 < pieces:
                piece_bias = bias_of(bias, left + width, N, cfg.piece, width)
        piece = activate(piece, cfg.activation).to(c_desc.dtype)
        slot = staging.index(first_slot + number % cfg.staged_pieces)
        # The last tile's pieces, which may have left any slot last, were read long ago.
        tma.store_wait(cfg.staged_pieces - 1 if number > 0 else 0)
        if len(slot.shape) == 3:
            slot.reshape([height, width]).store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [matrix, top, left], slot)
        else:
            slot.store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [top, left], slot)
