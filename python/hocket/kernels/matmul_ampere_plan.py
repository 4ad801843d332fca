"""Tiles and layouts of a matrix product by `mma.sync`, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import cdiv
from ..language import BlockedLayout, DotOperandLayout, NVMMADistributedLayout, SwizzledSharedLayout
from .hashed_once import hashed_once
from .matmul_tiles import Tile

if TYPE_CHECKING:
    from .matmul_operands import Operand, Product

#: At equal estimates the first wins. Four warps each, with at most 128 accumulators per lane.
TILES = (Tile(128, 128, 2, 2), Tile(64, 128, 2, 2), Tile(64, 64, 2, 2))

#: Clocks of a tile besides its loop, and clocks per step of k that depend on its edges: reading from shared memory.
START_AND_END_CLOCKS = 2000
EDGE_CLOCKS = 1 / 32

#: Multiply-adds per clock of a multiprocessor by `mma.sync` with elements of 16 bits ("NVIDIA A100 Tensor Core GPU
#: Architecture"). It ranks tiles for other GPUs, too.
MULTIPLY_ADDS = 1024

#: Bytes of a row of a slice; slices in shared memory; bytes that a lane copies at once.
ROW_BYTES = 64
STAGES = 3
ACCESS_BYTES = 16
LANES = 32

#: Rows of tiles that are computed together, column after column.
GROUP_ROWS = 8


@dataclass(frozen=True)
class AmperePlan:
    """A tile, the slices through which its operands travel, and the sentences that say why."""

    tile: Tile
    #: Steps of k in a slice, and slices in shared memory at once.
    block_k: int
    stages: int
    reasons: tuple[str, ...] = ()


@hashed_once
@dataclass(frozen=True)
class AmpereConfig:
    """Everything about a product that is known when it is compiled. Layouts place tiles [M, K], [K, N] and [M, N]."""

    block_m: int
    block_n: int
    block_k: int
    stages: int
    group_rows: int
    #: Whether slices are copied by cp.async; else they go through registers.
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
    #: With an L2 cache each: one.
    dies: int = 1


def copy_obstacle(name: str, operand: Operand) -> str | None:
    """Why lanes cannot copy 16 bytes at once, as the compiler sees it: it knows multiples of 16 elements."""
    if operand.misalignment:
        return f"{name} begins {operand.misalignment} bytes above a multiple of {ACCESS_BYTES}"
    contiguous, stride = operand.columns, operand.row_stride
    if operand.is_transposed:
        contiguous, stride = operand.rows, operand.column_stride
    strides = {"the stride of rows": stride, "the stride of matrices": operand.batch_stride}
    for what, value in {"the contiguous dimension": contiguous, **strides}.items():
        if value % 16:
            return f"{what} of {name} is {value}, not a multiple of 16"
    return None


def choose_ampere_plan(product: Product, multiprocessors: int, why: str | None = None) -> AmperePlan:
    """The plan for `product`. `why`: why this form is used where there is another one."""
    m, n, k = product.sizes
    bits = product.a.element_bits

    def clocks(tile: Tile) -> float:
        rounds = cdiv(product.out.batch * cdiv(m, tile.m) * cdiv(n, tile.n), multiprocessors)
        per_step = tile.m * tile.n * bits / 16 / MULTIPLY_ADDS + (tile.m + tile.n) * bits / 16 * EDGE_CLOCKS
        return rounds * (k * per_step + START_AND_END_CLOCKS)

    tile = min(TILES, key=clocks)
    tiles = product.out.batch * cdiv(m, tile.m) * cdiv(n, tile.n)
    obstacles = [copy_obstacle(name, operand) for name, operand in (("a", product.a), ("b", product.b))]
    through_registers = [obstacle for obstacle in obstacles if obstacle]
    reasons = (
        *((f"by mma.sync, not by TMA and wgmma: {why}",) if why else ()),
        f"tile {tile} by {tile.num_warps} warps: {tiles} tiles, {multiprocessors} multiprocessors",
        f"slices of {ROW_BYTES * 8 // bits} steps of k, {STAGES} at a time: two on their way while one is multiplied",
        *(f"slices go through registers: {obstacle}" for obstacle in through_registers),
        *(() if len(through_registers) == 2 else ("slices are copied by cp.async, 16 bytes per lane",)),
    )
    return AmperePlan(tile, ROW_BYTES * 8 // bits, STAGES, reasons)


def configure_ampere(plan: AmperePlan, product: Product) -> AmpereConfig:
    """The layouts for `plan`."""
    tile, bits = plan.tile, product.a.element_bits
    acc = NVMMADistributedLayout([2, 0], [tile.warps_m, tile.warps_n], [16, 8])
    k_width = 32 // bits
    orders = [[0, 1] if operand.is_transposed else [1, 0] for operand in (product.a, product.b)]
    shapes = [tile.m, plan.block_k], [plan.block_k, tile.n]
    copies = [copy_obstacle(name, operand) is None for name, operand in (("a", product.a), ("b", product.b))]
    return AmpereConfig(
        tile.m,
        tile.n,
        plan.block_k,
        plan.stages,
        GROUP_ROWS,
        *copies,
        product.has_bias,
        product.activation,
        acc,
        DotOperandLayout(0, acc, k_width),
        DotOperandLayout(1, acc, k_width),
        *[access_layout(shape, order, bits, tile.num_warps) for shape, order in zip(shapes, orders, strict=True)],
        access_layout(
            (tile.m, tile.n), [0, 1] if product.out.is_transposed else [1, 0], product.out.element_bits, tile.num_warps
        ),
        *[shared_layout(shape, order, bits) for shape, order in zip(shapes, orders, strict=True)],
    )


def access_layout(shape: tuple[int, int] | list[int], order: list[int], bits: int, num_warps: int) -> BlockedLayout:
    """Lanes side by side along the contiguous dimension, 16 bytes each."""
    vector = ACCESS_BYTES * 8 // bits
    size, lanes, warps = [1, 1], [1, 1], [1, 1]
    size[order[0]] = vector
    lanes[order[0]] = min(LANES, shape[order[0]] // vector)
    lanes[order[1]] = LANES // lanes[order[0]]
    warps[order[1]] = num_warps
    return BlockedLayout(size, lanes, warps, order)


def shared_layout(shape: list[int], order: list[int], bits: int) -> SwizzledSharedLayout:
    """Pieces of 16 bytes, swizzled so that eight rows of a matrix, or eight lanes, meet no bank twice."""
    vector = ACCESS_BYTES * 8 // bits
    pieces = shape[order[0]] // vector
    per_phase = max(1, 8 // pieces)
    return SwizzledSharedLayout(vector, per_phase, min(8 // per_phase, pieces), order)
