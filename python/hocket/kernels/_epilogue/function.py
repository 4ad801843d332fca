"""Functions of the user as epilogues of the GEMM: the kernel side, for all targets.

    f(acc, row, column, *args)      one tile, or a tuple of tiles, one for each output

`acc` is a subtile of A x B + bias, float32 [rows, columns]; `row` and `column` are int32 tiles of shape [rows, 1] and
[1, columns] with the indices of its elements. In a batch, `row` counts the rows of all matrices: matrix * M + row in
the matrix. The tile of an output of N / r columns has shape [rows, columns / r].

Functions get the index of the last row or column for elements past the end, so they may load from arrays without a
mask. The kernel does not store these elements.
"""

from __future__ import annotations

from typing import Any

from ... import aggregate, constexpr_function, jit
from ... import language as gl
from .._common.user_functions import location_of


@aggregate
class Epilogue:
    """A function of the user, and its further arguments."""

    function: gl.constexpr
    args: Any


@aggregate
class Extent:
    """Numbers of rows and of columns of a matrix."""

    M: gl.tensor
    N: gl.tensor


@constexpr_function
def _rule(function, rule, found):
    """Returns a message that names the function and its line, because no call of the user leads to this check."""
    return f"matmul: epilogue {function.fn.__name__} ({location_of(function)}) must return {rule}, not {found}"


@constexpr_function
def _count_of_tiles(count):
    return "1 tile, because there is 1 output" if count == 1 else f"{count} tiles, because there are {count} outputs"


@constexpr_function
def _name_of_tile(index, count, dtype, shape):
    kind = "a tile of floats" if dtype.is_floating() else f"a tile of {dtype}"
    where = f" for out[{index}], which is {dtype}" if count > 1 else f" for out, which is {dtype}"
    return f"{kind} of shape {list(shape)}{where}"


@constexpr_function
def _is_tile_of(found, shape, dtype, wanted):
    """Returns True if a tile has the shape `wanted`, and its dtype can be converted to `dtype` without a change of its
    kind."""
    is_right_kind = found.is_floating() if dtype.is_floating() else found == dtype
    return is_right_kind and list(shape) == list(wanted)


@constexpr_function
def _type_of_tile(dtype, shape):
    return f"{dtype} of shape {list(shape)}"


@jit
def check_tile(tile, FUNCTION: gl.constexpr, INDEX: gl.constexpr, COUNT: gl.constexpr, DTYPE: gl.constexpr,
               SHAPE: gl.constexpr):  # fmt: skip
    """Stops compilation unless `tile`, number INDEX of COUNT tiles that FUNCTION has returned, has shape SHAPE and can
    be converted to DTYPE."""
    rule: gl.constexpr = _name_of_tile(INDEX, COUNT, DTYPE, SHAPE)
    if not isinstance(tile, gl.tensor):
        gl.static_assert(False, _rule(FUNCTION, rule, "a constant"))
    elif len(tile.shape) == 0:
        gl.static_assert(False, _rule(FUNCTION, rule, "a scalar"))
    else:
        found: gl.constexpr = _type_of_tile(tile.dtype, tile.shape)
        is_right: gl.constexpr = _is_tile_of(tile.dtype, tile.shape, DTYPE, SHAPE)
        gl.static_assert(is_right, _rule(FUNCTION, rule, found))


@jit
def tiles_of(result, FUNCTION: gl.constexpr, COUNT: gl.constexpr):
    """Returns `result`, which FUNCTION has returned, as a tuple of COUNT tiles."""
    if isinstance(result, gl.tensor):
        gl.static_assert(COUNT == 1, _rule(FUNCTION, _count_of_tiles(COUNT), "1"))
        return (result,)
    elif isinstance(result, tuple):
        gl.static_assert(len(result) == COUNT, _rule(FUNCTION, _count_of_tiles(COUNT), len(result)))
        return result
    elif result is None:
        gl.static_assert(False, _rule(FUNCTION, _count_of_tiles(COUNT), "None"))
    else:
        gl.static_assert(False, _rule(FUNCTION, _count_of_tiles(COUNT), "a list or a constant"))


@jit
def index_of(first, size: gl.constexpr, limit, clamped: gl.constexpr, layout: gl.constexpr):
    """Returns the indices of `size` rows or columns from `first` on. If `clamped` is not 0, indices past the end, which
    is at `limit`, are those of the last group of `clamped` indices: `limit` is a multiple of `clamped`, so that lanes
    can still load this number of adjacent elements at once."""
    index = first + gl.arange(0, size, layout=layout)
    if clamped == 1:
        index = gl.minimum(index, limit - 1)
    elif clamped > 1:
        index = gl.minimum(index, limit - clamped + index % clamped)
        index = gl.max_contiguous(gl.multiple_of(index, clamped), clamped)
    return index


@constexpr_function
def _layout_with_pairs(layout, shape):
    """Returns `layout`, of the transpose of wgmma's accumulators, with the lowest bits of the row and of the column
    exchanged."""
    linear = gl.to_linear_layout(layout, shape)
    exchanged = {(1, 0): (0, 1), (0, 1): (1, 0)}

    def exchange(bases):
        return [list(exchanged.get(tuple(basis), basis)) for basis in bases]

    return gl.DistributedLinearLayout(
        exchange(linear.reg_bases), exchange(linear.lane_bases), exchange(linear.warp_bases), linear.block_bases,
        list(shape),
    )  # fmt: skip


@jit
def with_pairs(acc):
    """Returns the transpose of an accumulator in a layout in which, as in an accumulator, each lane holds pairs of
    adjacent columns. Lanes of a warp exchange elements."""
    return gl.convert_layout(acc, _layout_with_pairs(acc.layout, acc.shape))


@jit
def apply(acc, epilogue, matrix, top, left, sizes, cfg: gl.constexpr):
    """Returns the tiles that the function of the user returns for `acc`, the subtile at (top, left) of the matrix that
    the kernel computes. If `cfg.is_transposed`, this matrix is the transpose of A x B, and the returned tiles are those
    of the transposes of the outputs."""
    rows, columns = (top, sizes.M), (left, sizes.N)
    clamped: gl.constexpr = [cfg.clamped_rows, cfg.clamped_columns][:: -1 if cfg.is_transposed else 1]
    if cfg.is_transposed:
        acc, rows, columns = with_pairs(acc.permute([1, 0])), columns, rows
    row = index_of(rows[0], acc.shape[0], rows[1], clamped[0], gl.SliceLayout(1, acc.layout))[:, None]
    column = index_of(columns[0], acc.shape[1], columns[1], clamped[1], gl.SliceLayout(0, acc.layout))[None, :]
    result = epilogue.function(acc, row + matrix * rows[1], column, *epilogue.args)
    tiles = tiles_of(result, epilogue.function, len(cfg.outputs))
    for index in gl.static_range(len(cfg.outputs)):
        output: gl.constexpr = cfg.outputs[index]
        shape: gl.constexpr = [output.rows, output.columns][:: -1 if cfg.is_transposed else 1]
        check_tile(tiles[index], epilogue.function, index, len(cfg.outputs), output.dtype, shape)
    if cfg.is_transposed:
        return [tile.permute([1, 0]) for tile in tiles]
    return tiles


__all__ = ["Epilogue", "Extent", "apply"]
