"""What happens to a tile of a product between the accumulators and C: bias, activation, conversion, and its way out."""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import tma
from ..runtime.jit import jit

LOG2_E = gl.constexpr(1.4426950408889634)


@jit
def sigmoid(x):
    """1 / (1 + exp(-x)). A reciprocal square root is one instruction and exact to 22 bits, a division takes eight."""
    root = gl.rsqrt(1.0 + gl.exp2(-LOG2_E * x))
    return root * root


@jit
def activate(x, name: gl.constexpr):
    """The activation `name` of each element, in float32."""
    if name == "relu":
        return gl.maximum(x, 0.0, propagate_nan=gl.PropagateNan.ALL)
    elif name == "silu":
        return x * sigmoid(x)
    elif name == "gelu_tanh":
        # (1 + tanh(y)) / 2 is sigmoid(2 y)
        return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))
    else:
        return x


@jit
def bias_of(bias, column, N, layout: gl.constexpr, width: gl.constexpr):
    """The bias of `width` columns of C, 0 beyond its edge."""
    columns = column + gl.arange(0, width, layout=gl.SliceLayout(0, layout))
    return gl.load(bias + columns, mask=columns < N, other=0.0)


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
def finish(acc, first_bias, staging, first_slot, c_desc, bias, matrix, row, column, N, cfg: gl.constexpr):
    """Stores the tile at (row, column), piece by piece through slots of `staging`, which TMA goes on reading.

    `first_bias` is that of the first piece; the bias of each other one is fetched while the one before it is stored.
    """
    width: gl.constexpr = cfg.staged_columns
    pieces: gl.constexpr = cfg.block_n // width
    piece_bias = first_bias
    for number in gl.static_range(pieces):
        piece = columns_of(acc, number, cfg.piece, width)
        left = column + number * width
        if cfg.has_bias:
            piece += piece_bias.to(gl.float32)[None, :]
            if number + 1 < pieces:
                piece_bias = bias_of(bias, left + width, N, cfg.piece, width)
        piece = activate(piece, cfg.activation).to(c_desc.dtype)
        slot = staging.index(first_slot + number % cfg.staged_pieces)
        tma.store_wait(cfg.staged_pieces - 1)
        if len(slot.shape) == 3:
            slot.reshape([slot.shape[1], width]).store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [matrix, row, left], slot)
        else:
            slot.store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [row, left], slot)
