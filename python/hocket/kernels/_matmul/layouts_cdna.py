"""Layouts of the GEMM on CDNA: how tiles of A and B are loaded, stored in LDS, and passed to the matrix cores.

There are two ways into LDS:

    through registers   lanes load 16 bytes along the contiguous dimension of the array. If that dimension is not K,
                        lanes also load several elements along K, and store these elements with K contiguous
    direct              LDS keeps the order of the array. The hardware writes 16 bytes per lane, lane after lane, so
                        consecutive lanes copy to consecutive offsets in LDS. Operands whose K is not contiguous are
                        transposed by the reads from LDS
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ... import devices
from ...language import (
    BlockedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    PaddedSharedLayout,
)
from ...language.amd import AMDMFMALayout
from ...language.amd.cdna4 import compute_efficient_padded_shared_layout
from .._common.cached_hash import cached_hash, canonical
from .._epilogue.outputs_cdna import CdnaOutput
from .interleaving_cdna import interleaving_of
from .split_k import split_extent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...language._dtype import dtype
    from ...language._layouts import DistributedLayout, SharedLayout
    from .interleaving_cdna import Interleaving
    from .plan_cdna import CdnaPlan

#: Bytes of the widest access of a lane.
ACCESS_BYTES = 16
LANES = 64
#: Bytes of a cache line of gfx942 and gfx950.
LINE_BYTES = 128

#: Version of AMDMFMALayout, and the shape of the MFMA instruction for each element width in bits.
MATRIX_CORES = {
    "gfx942": (3, {16: [32, 32, 8], 8: [32, 32, 16]}),
    "gfx950": (4, {16: [32, 32, 16], 8: [32, 32, 64]}),
}

#: The dtypes for which the GEMM uses the MFMA for microscaled formats, and the names of their formats. This MFMA takes
#: half the time of the other float8 MFMAs for the same number of multiply-adds.
WIDE_FORMATS = {"gfx950": {"float8e4nv": "e4m3", "float8e5": "e5m2"}}

#: Number of rows of tiles in a group. Tiles of a group are numbered column by column, so that consecutive tiles share
#: cached k-tiles of B.
GROUP_ROWS = 8


@cached_hash
@dataclass(frozen=True)
class MatmulConfig:
    """Compile-time parameters of a GEMM kernel. The layouts are those of [part_m, block_k], [block_k, part_n] and
    [part_m, part_n]."""

    block_m: int
    block_n: int
    #: Number of rows of A, and of columns of B, that are copied and multiplied at once: those of the whole tile, or
    #: half of them.
    part_m: int
    part_n: int
    block_k: int
    stages: int
    group_rows: int
    #: Number of blocks among which the K dimension of a tile is divided (split-K).
    splits: int
    #: Number of dies, each with its own L2 cache.
    dies: int
    #: True if k-tiles may extend past the end of K.
    is_ragged_k: bool
    #: Format of the operands if the kernel multiplies by `mfma_scaled` without scales, or None if the kernel multiplies
    #: by `mfma`.
    wide_format: str | None
    has_bias: bool
    activation: str
    acc: AMDMFMALayout
    operand_a: DotOperandLayout
    operand_b: DotOperandLayout
    load_a: DistributedLayout
    load_b: DistributedLayout
    shared_a: SharedLayout
    shared_b: SharedLayout
    #: Counts of instructions for a plan with interleaved MFMAs, otherwise None.
    interleaving: Interleaving | None
    #: Outputs of the user's function; empty if there is none.
    outputs: tuple[CdnaOutput, ...] = field(default=(), kw_only=True)
    #: False: kernels for CDNA do not compute the transpose of C.
    is_transposed: bool = field(default=False, kw_only=True)
    #: 0, or the multiple of which the number of rows or columns is one, if a tile has rows or columns past the end.
    clamped_rows: int = field(default=0, kw_only=True)
    clamped_columns: int = field(default=0, kw_only=True)


def configure(
    plan: CdnaPlan,
    target: str,
    element: dtype,
    lds_bytes: int,
    k: int,
    a_is_k_contiguous: bool,
    b_is_k_contiguous: bool,
    has_bias: bool = False,
    activation: str = "none",
) -> MatmulConfig:
    """Returns the compile-time parameters of the kernel for `plan`, for operands with elements of dtype `element`."""
    tile = plan.tile
    element_bits = element.primitive_bitwidth
    version, instructions = MATRIX_CORES[target]
    acc = AMDMFMALayout(version, instructions[element_bits], True, [tile.warps_m, tile.warps_n])
    k_width = ACCESS_BYTES * 8 // element_bits
    operands = DotOperandLayout(0, acc, k_width), DotOperandLayout(1, acc, k_width)
    halves = 2 if plan.is_in_quadrants else 1
    part_m, part_n = tile.m // halves, tile.n // halves
    shapes = [part_m, plan.block_k], [plan.block_k, part_n]
    contiguous = a_is_k_contiguous, b_is_k_contiguous
    if plan.is_direct:
        shared = [
            compute_efficient_padded_shared_layout(operand, shape, element, is_k)
            for operand, shape, is_k in zip(operands, shapes, contiguous, strict=True)
        ]
        load = [direct_copy_layout(layout, element_bits, tile.num_warps) for layout in shared]
    else:
        load = [
            register_load_layout(shape, k_dim, k_dim if is_k else 1 - k_dim, element_bits, tile.num_warps)
            for shape, k_dim, is_k in zip(shapes, (1, 0), contiguous, strict=True)
        ]
        shared = shared_with_k_contiguous(operands, shapes, element, lds_bytes // halves, contiguous)
    # All kernels except the plain ones fill all buffers, even if there are fewer k-tiles than buffers.
    filled = {"plain": 0, "ring": plan.stages - 1}.get(plan.variant, plan.stages)
    last_split = k - (plan.splits - 1) * split_extent(k, plan.block_k, plan.splits)
    is_ragged_k = k % plan.block_k != 0 or last_split < filled * plan.block_k
    interleaving = None
    if plan.is_interleaved:
        interleaving = interleaving_of(acc, shapes, element_bits, plan.is_direct, contiguous, plan.block_k)
    dies = devices.properties(target).cache_dies
    blocks = tile.m, tile.n, part_m, part_n, plan.block_k, plan.stages, GROUP_ROWS, plan.splits, dies
    wide_format = WIDE_FORMATS.get(target, {}).get(element.name)
    layouts = acc, *operands, *load, *shared
    return canonical(MatmulConfig(*blocks, is_ragged_k, wide_format, has_bias, activation, *layouts, interleaving))


def shared_with_k_contiguous(
    operands: Sequence[DotOperandLayout],
    shapes: Sequence[list[int]],
    element: dtype,
    lds_bytes: int,
    are_k_contiguous: Sequence[bool],
) -> list[SharedLayout]:
    """Returns padded layouts for operands with K contiguous in memory, if both tiles fit into LDS with their padding;
    otherwise rotating layouts, which have no padding."""
    element_bytes = element.primitive_bitwidth // 8
    rotating = [rotating_layout(shape, k_dim, element) for shape, k_dim in zip(shapes, (1, 0), strict=True)]
    padded = [
        compute_efficient_padded_shared_layout(operand, shape, element, True) if is_k else None
        for operand, shape, is_k in zip(operands, shapes, are_k_contiguous, strict=True)
    ]
    chosen = [layout or other for layout, other in zip(padded, rotating, strict=True)]
    fits = sum(padded_elements(layout) for layout in chosen) * element_bytes <= lds_bytes
    return list(chosen if fits else rotating)


def rotating_layout(
    shape: Sequence[int], k_dim: int, element: dtype, piece_bytes: int = ACCESS_BYTES, flips: Sequence[int] = ()
) -> PaddedSharedLayout:
    """Returns a layout without padding whose rows extend along K. The units of `piece_bytes` bytes within a row are
    permuted. Neighboring rows, and rows that are 8, 64, ... apart, have different permutations.

    Unit i of the p units of row r is stored at position i XOR r XOR r / p XOR r / p^2 ..., each modulo p. Lanes that
    read the same unit of neighboring rows then access different banks. Lanes that store one unit of every eighth row,
    as a transpose with 8 columns per lane does, also access different banks. Bit b of r flips bit `flips[b]` of i, or
    bit b modulo log2(p) by default. The layout is a PaddedSharedLayout whose padding would begin only after the tile.
    """
    vector = piece_bytes * 8 // element.primitive_bitwidth
    k, rows = shape[k_dim], shape[1 - k_dim]
    piece_bits = max(1, (k // vector).bit_length() - 1)

    def coordinates(along_k: int, row: int) -> list[int]:
        return [along_k, row] if k_dim == 0 else [row, along_k]

    bases = [coordinates(1 << bit, 0) for bit in range(k.bit_length() - 1)]
    for bit in range(rows.bit_length() - 1):
        piece = vector << (flips[bit] if flips else bit % piece_bits)
        bases.append(coordinates(piece if piece < k else 0, 1 << bit))
    return PaddedSharedLayout([[k * rows, vector]], bases, [], list(shape))


def padded_elements(layout: PaddedSharedLayout) -> int:
    """Returns the number of elements of a tile including its padding."""
    count = 1
    for size in layout.shape:
        count *= size
    return count + sum((count - 1) // interval * padding for interval, padding in layout.interval_padding_pairs)


def register_load_layout(
    shape: Sequence[int], k_dim: int, contiguous_dim: int, element_bits: int, num_warps: int
) -> BlockedLayout:
    """Returns a layout without replicated elements in which neighboring lanes hold neighboring units of 16 bytes along
    `contiguous_dim`.

    If the contiguous dimension is not K, a lane also loads up to 8 bytes along K, so that it can store with K
    contiguous. In this case, the lanes that are side by side along `contiguous_dim` cover one cache line. The other
    lanes are side by side along K, and store to other banks.
    """
    vector = ACCESS_BYTES * 8 // element_bits
    other_dim = 1 - contiguous_dim
    per_lane = shape[0] * shape[1] // (LANES * num_warps)
    size = [1, 1]
    size[contiguous_dim] = vector
    if contiguous_dim != k_dim:
        size[k_dim] = min(per_lane // vector, 64 // element_bits)
    lanes, warps = [1, 1], [1, 1]
    lanes[contiguous_dim] = min(LANES, shape[contiguous_dim] // vector)
    if contiguous_dim != k_dim:
        fewest = LANES // max(1, shape[k_dim] // size[k_dim])
        lanes[contiguous_dim] = min(lanes[contiguous_dim], max(LINE_BYTES // ACCESS_BYTES, fewest))
    lanes[other_dim] = LANES // lanes[contiguous_dim]
    warps[contiguous_dim] = min(num_warps, max(1, shape[contiguous_dim] // (vector * lanes[contiguous_dim])))
    warps[other_dim] = num_warps // warps[contiguous_dim]
    return BlockedLayout(size, lanes, warps, [contiguous_dim, other_dim])


def direct_copy_layout(shared: PaddedSharedLayout, element_bits: int, num_warps: int) -> DistributedLinearLayout:
    """Returns the layout of a direct copy into LDS, in which consecutive lanes hold consecutive units of 16 bytes of
    `shared`.

    The lowest bits of an LDS offset select the register, the next bits the lane, and the following bits the warp, so
    different warps copy consecutive chunks of 64 x 16 bytes. The highest bits of an offset select the register again.
    """
    vector_bits = (ACCESS_BYTES * 8 // element_bits).bit_length() - 1
    lane_bits, warp_bits = LANES.bit_length() - 1, num_warps.bit_length() - 1
    bases = list(shared.offset_bases)
    lane_end = vector_bits + lane_bits
    warp_end = lane_end + warp_bits
    if warp_end > len(bases):
        raise ValueError(f"a tile of {shared.shape} is too small for {num_warps} warps that copy 16 bytes per lane")
    return DistributedLinearLayout(
        bases[:vector_bits] + bases[warp_end:], bases[vector_bits:lane_end], bases[lane_end:warp_end], [], shared.shape
    )
