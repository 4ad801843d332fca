"""GEMM of float8 on Hopper with float32 scales of blocks: C = activation((A * scales of A) x (B * scales of B) + bias).

A scale belongs to 128 elements of a row of A along K, or to 128 x 128 elements of B, as in DeepSeek-V3. A k-tile has
128 elements along K, so one scale of each row and one scale of each 128 columns belong to a k-tile. The sums of a
k-tile are therefore promoted: multiplied by the scales and added to float32 totals, by one multiply-add per element.
wgmma adds float8 products with about 13 bits of the fraction, and promotion bounds this error, too.

The roles of the warps, the ring buffer of k-tiles, the order of tiles, split-K and the epilogue are those of
`kernel_hopper`. A consumer warpgroup has two sets of accumulators and starts the wgmmas of a k-tile before it promotes
the sums of the previous one, so the tensor cores always have work:

    wgmma       k-tile 0, sums  | k-tile 1, others | k-tile 2, sums     | ...
    CUDA cores                  | promote 0        | promote 1          | ...

Every consumer loads the scales of a k-tile from global memory while wgmma multiplies. A k-tile needs 4 bytes for each
row of A and each 128 columns of B, and TMA copies no columns of fewer than 16 bytes.
"""

from __future__ import annotations

from ... import aggregate, jit
from ... import language as gl
from ...language.nvidia.hopper import tma
from .epilogue_hopper import bias_of, finish
from .kernel_hopper import (
    HopperConfig,
    Memory,
    Sizes,
    copy_tiles,
    multiply_stage,
    position_of_tile,
    tile_and_steps,
    wait_for_mma,
)
from .split_k_hopper import combine_splits

#: Number of elements along K, and of columns of B, that share a scale.
BLOCK = gl.constexpr(128)


@aggregate
class BlockScales:
    """Pointers to float32 scales, and strides in elements: of A's scales [M, K / 128] and of B's [N / 128, K / 128]."""

    of_a: gl.tensor
    of_b: gl.tensor
    a_strides: tuple
    b_strides: tuple


@aggregate
class ScaledTile:
    """The rows and columns of a warpgroup's part of a tile, and their scales.

    rows, end_of_rows: the rows of A, and the index after the last row that has scales. column: the first column. N:
    number of columns of B."""

    scales: BlockScales
    rows: gl.tensor
    end_of_rows: gl.tensor
    column: gl.tensor
    N: gl.tensor


@jit
def scales_of_rows(scales, rows, end, step):
    """Loads the scales of rows of A for k-tile `step`. Rows from `end` on have the scale 0."""
    row_stride, step_stride = scales.a_strides
    offsets = rows.to(gl.int64) * row_stride + gl.cast(step, gl.int64) * step_stride
    return gl.load(scales.of_a + offsets, mask=rows < end, other=0.0)


@jit
def scales_of_columns(scales, column, N, step, cfg: gl.constexpr):
    """Loads the scale of the columns of each accumulator for k-tile `step`. Accumulators after column N get the scale
    of the last columns."""
    column_stride, step_stride = scales.b_strides
    last = (N - 1) // BLOCK
    blocks = [gl.minimum((column + side * cfg.acc_n) // BLOCK, last) for side in range(cfg.accs)]
    base = scales.of_b + gl.cast(step, gl.int64) * step_stride
    return [gl.load(base + gl.cast(block, gl.int64) * column_stride) for block in blocks]


@jit
def promote(totals, sums, of_rows, of_columns, cfg: gl.constexpr):
    """Returns the totals plus the sums of a k-tile times their scales."""
    factors = [(of_rows * of_columns[side])[:, None] for side in range(cfg.accs)]
    return [gl.fma(sums[side], factors[side], totals[side]) for side in range(cfg.accs)]


@jit
def start_k_tile(memory, ring, position, tile, step, sums, part: gl.constexpr, cfg: gl.constexpr):
    """Starts the wgmmas of k-tile `step` and the loads of its scales. Returns the sums, which are pending, and the
    scales of rows and columns."""
    ring.wait(position)
    sums = multiply_stage(memory, position.index, part, sums, False, cfg)
    of_rows = scales_of_rows(tile.scales, tile.rows, tile.end_of_rows, step)
    return sums, of_rows, scales_of_columns(tile.scales, tile.column, tile.N, step, cfg)


@jit
def finish_k_tile(outstanding: gl.constexpr, ring, position, totals, started, cfg: gl.constexpr):
    """Waits until at most `outstanding` wgmmas are pending, releases the stage of a k-tile and promotes its sums.
    Returns the totals and the accumulators. `started`: what `start_k_tile` returned."""
    sums, of_rows, of_columns = started
    sums = wait_for_mma(outstanding, sums)
    ring.release(position)
    return promote(totals, sums, of_rows, of_columns, cfg), sums


@jit
def multiply_scaled_tile(
    memory, ring, position, tile, begin, end, sums, others, part: gl.constexpr, cfg: gl.constexpr
):  # fmt: skip
    """Multiplies the k-tiles `begin` to `end` of a ScaledTile, from `position` of the ring buffer on; at least one.

    sums, others: two sets of accumulators of wgmma, whose values do not matter. Even k-tiles use `sums`.

    Returns the totals of the tile, both sets of accumulators, and the position after the tile.
    """
    totals = [gl.zeros([tile.rows.shape[0], cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    started = start_k_tile(memory, ring, position, tile, begin, sums, part, cfg)
    for step in range(begin + 1, end - 1, 2):
        following = position.next()
        started_others = start_k_tile(memory, ring, following, tile, step, others, part, cfg)
        totals, sums = finish_k_tile(cfg.accs, ring, position, totals, started, cfg)
        position = following.next()
        started = start_k_tile(memory, ring, position, tile, step + 1, sums, part, cfg)
        totals, others = finish_k_tile(cfg.accs, ring, following, totals, started_others, cfg)
    if (end - begin) % 2 == 0:
        following = position.next()
        started_others = start_k_tile(memory, ring, following, tile, end - 1, others, part, cfg)
        totals, sums = finish_k_tile(cfg.accs, ring, position, totals, started, cfg)
        totals, others = finish_k_tile(0, ring, following, totals, started_others, cfg)
        position = following
    else:
        totals, sums = finish_k_tile(0, ring, position, totals, started, cfg)
    return totals, sums, others, position.next()


@jit
def multiply_scaled_tiles(
    warpgroup: gl.constexpr, memory, ring, c, bias, scales, sizes, workspace, cfg: gl.constexpr
):  # fmt: skip
    """A consumer warpgroup computes its rows of every tile. `workspace`: as in `kernel_hopper.multiply_tiles`."""
    height: gl.constexpr = cfg.block_m // cfg.parts
    part: gl.constexpr = warpgroup % cfg.parts
    sums = [gl.zeros([height, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    others = [gl.zeros([height, cfg.acc_n], gl.float32, cfg.acc) for _ in range(cfg.accs)]
    position = ring.position(0)
    for work in range(gl.program_id(0), sizes.works, gl.num_programs(0)):
        tile, split, begin, end = tile_and_steps(work, sizes, cfg)
        matrix, row, column = position_of_tile(tile, sizes, cfg)
        top = row + part * height
        rows = top + gl.arange(0, height, layout=gl.SliceLayout(1, cfg.acc))
        scaled = ScaledTile(scales, rows, sizes.M, column, sizes.N)
        totals, sums, others, position = multiply_scaled_tile(
            memory, ring, position, scaled, begin, end, sums, others, part, cfg
        )  # fmt: skip
        first_bias = 0.0
        if cfg.has_bias:
            first_bias = bias_of(bias, column, sizes.N, cfg.subtile, cfg.staged_columns)
        is_complete = True
        if cfg.divides_k:
            is_complete, totals = combine_splits(totals, workspace, tile, split, sizes.splits, part, cfg)
        if is_complete:
            first_buffer: gl.constexpr = warpgroup * cfg.staging_buffers
            finish(totals, first_bias, memory.staging, first_buffer, c, bias, matrix, top, column, sizes, cfg)
    tma.store_wait(0)


@jit
def specialize_scaled(consumer: gl.constexpr, multiplying, copying, cfg: gl.constexpr):
    """Runs the consumer warpgroups and the producer warp. Registers per thread are divided so that a consumer holds
    two sets of accumulators and its totals."""
    if cfg.consumers == 2:
        gl.warp_specialize(
            [(consumer, (0, *multiplying)), (consumer, (1, *multiplying)), copying], [4, 1], [240, 24]
        )  # fmt: skip
    else:
        gl.warp_specialize([(consumer, (0, *multiplying)), copying], [1], [40])


@jit
def matmul_block_scaled(
    a_desc, b_desc, c, bias, a_scales, b_scales, a_scale_strides, b_scale_strides, M, N, K,
    cfg: gl.constexpr[HopperConfig], partial_sums=None, arrivals=None, splits=1, c_strides=None,
):  # fmt: skip
    """A kernel for K that is a multiple of 128. The grid has at most one CTA per SM.

    `BlockScales` describes the scales and their strides, and `kernel_hopper.matmul_by_partitions` the other arguments.
    """
    tiles = gl.cdiv(M, cfg.block_m) * gl.cdiv(N, cfg.block_n)
    sizes = Sizes(M, N, K, splits, tiles * splits, c_strides)
    a_tiles = gl.allocate_shared_memory(a_desc.dtype, [cfg.stages * cfg.parts, *a_desc.block_shape], a_desc.layout)
    b_tiles = gl.allocate_shared_memory(b_desc.dtype, [cfg.stages * cfg.accs, *b_desc.block_shape], b_desc.layout)
    subtiles: gl.constexpr = cfg.staging_buffers * cfg.consumers
    if cfg.by_lanes is None:
        staging = gl.allocate_shared_memory(c.dtype, [subtiles, *c.block_shape], c.layout)
    else:
        staging_shape: gl.constexpr = [subtiles, cfg.staged_rows, cfg.staged_columns]
        staging = gl.allocate_shared_memory(c.dtype.element_ty, staging_shape, cfg.staging)
    memory = Memory(a_tiles, b_tiles, staging)
    ring = gl.RingBuffer(stages=cfg.stages, fill_bytes=cfg.stage_bytes, consumers=4 * cfg.parts, per_warp=True)
    scales = BlockScales(a_scales, b_scales, a_scale_strides, b_scale_strides)
    multiplying = memory, ring.consumer(), c, bias, scales, sizes, (partial_sums, arrivals), cfg
    copying = copy_tiles, (a_desc, b_desc, memory, ring.producer(), sizes, cfg)
    specialize_scaled(multiply_scaled_tiles, multiplying, copying, cfg)
    ring.invalidate()


__all__ = ["BLOCK", "BlockScales", "ScaledTile", "matmul_block_scaled", "multiply_scaled_tile", "specialize_scaled"]
