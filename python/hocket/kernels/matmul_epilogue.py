"""What happens to a tile of a product between the accumulators and C: bias, activation, conversion, and its way out."""

from __future__ import annotations

from .. import language as gl
from ..language.nvidia import hopper
from ..language.nvidia.hopper import tma
from ..runtime.jit import jit

LOG2_E = gl.constexpr(1.4426950408889634)


@jit
def sigmoid(x):
    return 1.0 / (1.0 + gl.exp2(-LOG2_E * x))


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
def columns_of(tile, number: gl.constexpr, width: gl.constexpr):
    """Piece `number` of a tile's columns, each `width` wide. A lane holds its part of every piece: nothing moves."""
    pieces: gl.constexpr = tile.shape[1] // width
    parts = tile.to(gl.int32, bitcast=True).reshape([tile.shape[0], pieces, width])
    layout: gl.constexpr = parts.type.layout
    index = gl.arange(0, pieces, layout=gl.SliceLayout(0, gl.SliceLayout(2, layout)))[None, :, None]
    return gl.reduce_or(gl.where(index == number, parts, 0), axis=1).to(gl.float32, bitcast=True)


@jit
def with_bias(acc, bias, column, N):
    """acc + bias, one number per column of C."""
    columns = column + gl.arange(0, acc.shape[1], layout=gl.SliceLayout(0, acc.type.layout))
    return acc + gl.load(bias + columns, mask=columns < N, other=0.0).to(gl.float32)[None, :]


@jit
def finish(acc, staging, first_slot, c_desc, bias, matrix, row, column, N, cfg: gl.constexpr):
    """Stores the tile at (row, column), piece by piece through slots of `staging`, which TMA goes on reading."""
    width: gl.constexpr = cfg.staged_columns
    for number in gl.static_range(cfg.block_n // width):
        piece = columns_of(acc, number, width)
        left = column + number * width
        if cfg.has_bias:
            piece = with_bias(piece, bias, left, N)
        piece = activate(piece, cfg.activation).to(c_desc.dtype)
        slot = staging.index(first_slot + number % cfg.staged_pieces)
        tma.store_wait(cfg.staged_pieces - 1)
        if cfg.is_batched:
            slot.reshape([slot.shape[1], width]).store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [matrix, row, left], slot)
        else:
            slot.store(piece)
            hopper.fence_async_shared()
            tma.async_store(c_desc, [row, left], slot)
