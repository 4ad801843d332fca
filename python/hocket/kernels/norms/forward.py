"""Forward kernel of the multi-wave variant: y = norm(x) weight + bias, or norm(x + residual).

Rows are kept in registers, so each row is read once and written once. All warps of a block have the same role. The only
barriers, of all warps of the block, are in reductions of rows that several warps share. Timelines of a block:

    one tile per block        load 0 | compute 0, store 0
    cfg.prefetches            load 0 | load 1 | compute 0, store 0 | load 2 | compute 1, store 1 | ...
"""

from __future__ import annotations

from ... import jit
from ... import language as gl
from .exchange import await_cluster, begin_exchange, sum_along_rows
from .rows import columns_from, is_column, keep_loads_in_flight, load_rows, load_vector, rows_from, scale_by, store_rows


@jit
def load_summands(inputs, strides, first, column, rows, columns, cfg: gl.constexpr):
    """Loads a tile of x and, if there is one, of the residual."""
    row = rows_from(first, cfg)
    x = load_rows(inputs.x, row, column, strides.x, rows, columns, cfg)
    residual = x
    if cfg.has_residual:
        residual = load_rows(inputs.residual, row, column, strides.residual, rows, columns, cfg)
    return x, residual


@jit
def values_of(loaded, outputs, cfg: gl.constexpr):
    """Returns the values to normalize, in float32. With a residual, these values are x + residual, rounded to the dtype
    of `outputs.total`."""
    values = loaded[0].to(gl.float32)
    if cfg.has_residual:
        values = (values + loaded[1].to(gl.float32)).to(outputs.total.dtype.element_ty).to(gl.float32)
    return values


@jit
def add_residual(loaded, outputs, strides, row, column, rows, columns, cfg: gl.constexpr):
    """Returns the values to normalize, in float32. With a residual, also stores these values: x + residual."""
    values = values_of(loaded, outputs, cfg)
    if cfg.has_residual:
        store_rows(outputs.total, row, column, strides.total, rows, columns, values, cfg)
    return values


@jit
def center(values, mean, column, columns, cfg: gl.constexpr):
    """Returns values - mean, with 0 for columns past the end of a row. Rows past the end of the matrix need no mask,
    because their mean is 0."""
    values = values - mean[:, None]
    if not cfg.is_whole:
        # One comparison per `cfg.together` adjacent columns suffices, because either all of these columns are inside
        # the row, or none of them.
        values = gl.where(is_column(column & -cfg.together, columns, cfg)[None, :], values, 0.0)
    return values


@jit
def store_result(normal, weight, bias, outputs, strides, row, column, rows, columns, cfg: gl.constexpr):
    """Multiplies normalized values by the weight, adds the bias, and stores the result y."""
    if cfg.has_weight:
        normal = scale_by(normal, weight, cfg)
    if cfg.has_bias:
        normal = normal + bias.to(gl.float32)[None, :]
    store_rows(outputs.y, row, column, strides.y, rows, columns, normal, cfg)


@jit
def store_statistics(mean, rstd, outputs, row, rows, cfg: gl.constexpr):
    """Stores mean and rstd for the backward pass."""
    if cfg.stores_statistics:
        gl.store(outputs.rstd + row, rstd, mask=row < rows)
        if cfg.is_centered:
            gl.store(outputs.mean + row, mean, mask=row < rows)


@jit
def load_pieces(inputs, strides, first, rows, columns, cfg: gl.constexpr):
    """Loads all tiles of some rows by `load_summands`."""
    pieces = (load_summands(inputs, strides, first, columns_from(0, cfg), rows, columns, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        pieces += (load_summands(inputs, strides, first, column, rows, columns, cfg),)
    return pieces


@jit
def load_vectors(weight, bias, column, columns, cfg: gl.constexpr):
    """Loads the weight and bias of the columns `column`."""
    weights = 0.0
    biases = 0.0
    if cfg.has_weight:
        weights = load_vector(weight, column, columns, cfg)
    if cfg.has_bias:
        biases = load_vector(bias, column, columns, cfg)
    return weights, biases


@jit
def load_all_vectors(weight, bias, columns, cfg: gl.constexpr):
    """Loads weight and bias of all columns."""
    pieces = (load_vectors(weight, bias, columns_from(0, cfg), columns, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        pieces += (load_vectors(weight, bias, columns_from(piece * cfg.block, cfg), columns, cfg),)
    return pieces


@jit
def sum_of_pieces(values, exchange, number, cfg: gl.constexpr):
    """Returns the sums along rows: first over the tiles of a row, element by element, then by one reduction."""
    total = values[0]
    for piece in gl.static_range(1, cfg.pieces):
        total += values[piece]
    return sum_along_rows(total, exchange, number, cfg)


@jit
def sum_of_squares(values, exchange, number, cfg: gl.constexpr):
    """Returns the sums of squares along rows."""
    total = values[0] * values[0]
    for piece in gl.static_range(1, cfg.pieces):
        total += values[piece] * values[piece]
    return sum_along_rows(total, exchange, number, cfg)


@jit
def center_pieces(values, mean, columns, cfg: gl.constexpr):
    """Applies `center` to all tiles of a row."""
    centered = (center(values[0], mean, columns_from(0, cfg), columns, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        centered += (center(values[piece], mean, column, columns, cfg),)
    return centered


@jit
def add_residuals(loaded, outputs, strides, row, rows, columns, cfg: gl.constexpr):
    """Applies `add_residual` to all tiles of a row."""
    values = (add_residual(loaded[0], outputs, strides, row, columns_from(0, cfg), rows, columns, cfg),)
    for piece in gl.static_range(1, cfg.pieces):
        column = columns_from(piece * cfg.block, cfg)
        values += (add_residual(loaded[piece], outputs, strides, row, column, rows, columns, cfg),)
    return values


@jit
def center_rows(loaded, outputs, strides, row, rows, columns, eps, exchange, number, cfg: gl.constexpr):
    """Adds the residual and, if cfg.is_centered, subtracts the mean. Returns the resulting tiles, and the mean and rstd
    of each row. `number`: number of the tile's first exchange of sums, in a cluster."""
    values = add_residuals(loaded, outputs, strides, row, rows, columns, cfg)
    share = 1.0 / columns
    mean = gl.zeros([cfg.rows_per_tile], gl.float32, gl.SliceLayout(1, cfg.tile))
    if cfg.is_centered:
        mean = sum_of_pieces(values, exchange, number, cfg) * share
        values = center_pieces(values, mean, columns, cfg)
    squares = sum_of_squares(values, exchange, number + cfg.is_centered, cfg)
    return values, mean, gl.rsqrt(squares * share + eps)


@jit
def finish_tile(
    loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, exchange, number, cfg: gl.constexpr
):
    """Normalizes and stores a tile of rows that has been loaded. `kept`: weight and bias, which the caller has loaded
    if cfg.prefetches."""
    row = rows_from(first, cfg)
    values, mean, rstd = center_rows(
        loaded, outputs, strides, row, rows, columns, eps, exchange, number, cfg
    )  # fmt: skip
    vectors = kept
    if not cfg.prefetches:
        # Weight and bias are loaded only here, because their registers would reduce the occupancy.
        vectors = load_all_vectors(weight, bias, columns, cfg)
    for piece in gl.static_range(cfg.pieces):
        normal = values[piece] * rstd[:, None]
        column = columns_from(piece * cfg.block, cfg)
        store_result(normal, vectors[piece][0], vectors[piece][1], outputs, strides, row, column, rows, columns, cfg)
    store_statistics(mean, rstd, outputs, row, rows, cfg)


@jit
def forward_resident(inputs, strides, weight, bias, outputs, rows, columns, eps, cfg: gl.constexpr):
    """The kernel takes `inputs`, `strides` and `outputs` as ForwardInputs, ForwardStrides and ForwardOutputs.

    With cfg.prefetches, blocks are persistent, and load the next tile of rows while they compute a tile. Otherwise
    there is one block per tile.
    """
    step = gl.num_programs(0) * cfg.rows_per_tile
    start = gl.program_id(0) * cfg.rows_per_tile
    exchange = begin_exchange(cfg)
    await_cluster(cfg)
    if cfg.prefetches:
        kept = load_all_vectors(weight, bias, columns, cfg)
        loaded = load_pieces(inputs, strides, start, rows, columns, cfg)
        for first in range(start, rows, step):
            following = load_pieces(inputs, strides, first + step, rows, columns, cfg)
            keep_loads_in_flight(first, cfg)
            finish_tile(loaded, first, kept, weight, bias, outputs, strides, rows, columns, eps, exchange, 0, cfg)
            keep_loads_in_flight(first, cfg)
            loaded = following
    else:
        for first in range(start, rows, step):
            loaded = load_pieces(inputs, strides, first, rows, columns, cfg)
            finish_tile(
                loaded, first, (0.0, 0.0), weight, bias, outputs, strides, rows, columns, eps, exchange, 0, cfg
            )  # fmt: skip
