"""Tiles and layouts of the GEMM with `mma.sync`, and the rules that choose them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import cdiv
from ...language import BlockedLayout, DotOperandLayout, NVMMADistributedLayout, SwizzledSharedLayout
from .._common.cached_hash import cached_hash, canonical
from .._epilogue.outputs_ampere import AmpereOutput
from .tiles_cdna import Tile

if TYPE_CHECKING:
    from .operands import Gemm, Operand

#: Candidate tiles. If the estimates of several candidates are equal, the first of these candidates is chosen. Each
#: candidate has four warps, with at most 128 accumulators per lane.
TILES = (Tile(128, 128, 2, 2), Tile(64, 128, 2, 2), Tile(64, 64, 2, 2))

#: `START_AND_END_CLOCKS`: clocks of a tile outside the loop over K. `EDGE_CLOCKS`: clocks for reads from shared memory,
#: per unit of K and per row and column of the tile (16-bit elements).
START_AND_END_CLOCKS = 2000
EDGE_CLOCKS = 1 / 32

#: Clocks per unit of K, and per row or column of a tile, to pass k-tiles through registers, for tiles of
#: `TILE_THROUGH_REGISTERS`. Larger tiles took 1.2 clocks instead of 0.26 on an H200 (docs/lab/hopper_kernels.md).
REGISTER_CLOCKS = 0.26
TILE_THROUGH_REGISTERS = TILES[-1]

#: Multiply-adds per clock of an SM by `mma.sync` with 16-bit elements ("NVIDIA A100 Tensor Core GPU Architecture"). The
#: cost model uses this value for other GPUs, too.
MULTIPLY_ADDS = 1024

#: `ROW_BYTES`: bytes of a row of a k-tile. `STAGES`: number of k-tiles in shared memory. `ACCESS_BYTES`: bytes that a
#: lane copies at once.
ROW_BYTES = 64
STAGES = 3
ACCESS_BYTES = 16
LANES = 32

#: Number of rows of tiles in a group. Tiles of a group are numbered column by column.
GROUP_ROWS = 8


@dataclass(frozen=True)
class AmperePlan:
    """A plan of the GEMM with `mma.sync`: a tile, the buffers for its operands, and the reasons for the choice as
    sentences."""

    tile: Tile
    #: K extent of a k-tile, and number of k-tiles that shared memory holds.
    block_k: int
    stages: int
    #: Estimated clocks of the kernel.
    clocks: float = 0.0
    reasons: tuple[str, ...] = ()


@cached_hash
@dataclass(frozen=True)
class AmpereConfig:
    """Compile-time parameters of a GEMM kernel. The layouts are those of tiles of A [M, K], B [K, N] and C [M, N]."""

    block_m: int
    block_n: int
    block_k: int
    stages: int
    group_rows: int
    #: True if k-tiles are copied by cp.async, False if they pass through registers.
    copies_a: bool
    copies_b: bool
    has_bias: bool
    activation: str
    acc: NVMMADistributedLayout
    operand_a: DotOperandLayout
    operand_b: DotOperandLayout
    load_a: BlockedLayout
    load_b: BlockedLayout
    store_c: BlockedLayout
    shared_a: SwizzledSharedLayout
    shared_b: SwizzledSharedLayout
    #: Number of dies, each with its own L2 cache.
    dies: int = 1
    #: With a function of the user: as in `MatmulConfig`.
    outputs: tuple[AmpereOutput, ...] = ()
    #: Layout in which the function gets the accumulators: each warp has whole rows, so that a lane holds the pairs of
    #: columns that `gl.split` separates.
    whole_rows: NVMMADistributedLayout | None = None
    is_transposed: bool = False
    clamped_rows: int = 0
    clamped_columns: int = 0


def copy_obstacle(name: str, operand: Operand) -> str | None:
    """Returns the reason why a lane cannot copy 16 bytes of an operand at once, or None. Sizes and strides must be
    multiples of 16 elements, because the compiler proves alignment only for such multiples."""
    if operand.misalignment % ACCESS_BYTES:
        return f"{name} begins {operand.misalignment % ACCESS_BYTES} bytes above a multiple of {ACCESS_BYTES}"
    contiguous, stride = operand.columns, operand.row_stride
    if operand.is_transposed:
        contiguous, stride = operand.rows, operand.column_stride
    strides = {"the stride of rows": stride, "the stride of matrices": operand.batch_stride}
    for what, value in {"the contiguous dimension": contiguous, **strides}.items():
        if value % 16:
            return f"{what} of {name} is {value}, not a multiple of 16"
    return None


def choose_ampere_plan(gemm: Gemm, multiprocessors: int) -> AmperePlan:
    """Returns the plan for `gemm`."""
    m, n, k = gemm.sizes
    bits = gemm.a.element_bits
    obstacles = [copy_obstacle(name, operand) for name, operand in (("a", gemm.a), ("b", gemm.b))]

    def clocks(tile: Tile) -> float:
        waves = cdiv(gemm.out.batch * cdiv(m, tile.m) * cdiv(n, tile.n), multiprocessors)
        per_step = tile.m * tile.n * bits / 16 / MULTIPLY_ADDS + (tile.m + tile.n) * bits / 16 * EDGE_CLOCKS
        per_step += REGISTER_CLOCKS * (tile.m * (obstacles[0] is not None) + tile.n * (obstacles[1] is not None))
        return waves * (k * per_step + START_AND_END_CLOCKS)

    fitting = [TILE_THROUGH_REGISTERS] if any(obstacles) else TILES
    tile = min([tile for tile in fitting if tile.n >= gemm.largest_factor] or TILES[:2], key=clocks)
    tiles = gemm.out.batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    through_registers = [obstacle for obstacle in obstacles if obstacle]
    reasons = (
        f"tile {tile} by {tile.num_warps} warps: {tiles} tiles, {multiprocessors} SMs",
        f"k-tiles of {ROW_BYTES * 8 // bits}, {STAGES} stages: two copies are in flight while one k-tile is multiplied",
        *(f"k-tiles pass through registers: {obstacle}" for obstacle in through_registers),
        *(() if len(through_registers) == 2 else ("k-tiles are copied by cp.async, 16 bytes per lane",)),
    )
    return AmperePlan(tile, ROW_BYTES * 8 // bits, STAGES, clocks(tile), reasons)


def configure_ampere(plan: AmperePlan, gemm: Gemm) -> AmpereConfig:
    """Returns the compile-time parameters of the kernel for `plan`."""
    tile, bits = plan.tile, gemm.a.element_bits
    acc = NVMMADistributedLayout([2, 0], [tile.warps_m, tile.warps_n], [16, 8])
    k_width = 32 // bits
    orders = [[0, 1] if operand.is_transposed else [1, 0] for operand in (gemm.a, gemm.b)]
    shapes = [tile.m, plan.block_k], [plan.block_k, tile.n]
    copies = [copy_obstacle(name, operand) is None for name, operand in (("a", gemm.a), ("b", gemm.b))]
    return canonical(
        AmpereConfig(
            tile.m,
            tile.n,
            plan.block_k,
            plan.stages,
            GROUP_ROWS,
            *copies,
            gemm.has_bias,
            gemm.activation,
            acc,
            DotOperandLayout(0, acc, k_width),
            DotOperandLayout(1, acc, k_width),
            *[access_layout(shape, order, bits, tile.num_warps) for shape, order in zip(shapes, orders, strict=True)],
            access_layout(
                (tile.m, tile.n), [0, 1] if gemm.out.is_transposed else [1, 0], gemm.out.element_bits, tile.num_warps
            ),
            *[shared_layout(shape, order, bits) for shape, order in zip(shapes, orders, strict=True)],
        )
    )


def access_layout(shape: tuple[int, int] | list[int], order: list[int], bits: int, num_warps: int) -> BlockedLayout:
    """Returns a layout in which neighboring lanes hold neighboring units of 16 bytes along the contiguous dimension."""
    vector = ACCESS_BYTES * 8 // bits
    size, lanes, warps = [1, 1], [1, 1], [1, 1]
    size[order[0]] = vector
    lanes[order[0]] = min(LANES, shape[order[0]] // vector)
    lanes[order[1]] = LANES // lanes[order[0]]
    warps[order[1]] = num_warps
    return BlockedLayout(size, lanes, warps, order)


def shared_layout(shape: list[int], order: list[int], bits: int) -> SwizzledSharedLayout:
    """Returns a layout that swizzles units of 16 bytes, such that accesses of eight rows of a matrix, or of eight
    lanes, hit different banks."""
    vector = ACCESS_BYTES * 8 // bits
    units = shape[order[0]] // vector
    per_phase = max(1, 8 // units)
    return SwizzledSharedLayout(vector, per_phase, min(8 // per_phase, units), order)
