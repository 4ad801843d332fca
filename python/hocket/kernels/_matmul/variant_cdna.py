"""Rules that choose how the operands of a GEMM on CDNA reach the matrix cores, given the tile.

    copies        directly into LDS, or through registers
    stages        number of k-tiles that LDS holds at the same time
    warps         all warps have the same role (`kernel_cdna`); or two groups of four warps alternate between loads and
                  MFMAs (a warp pipeline), which keeps the matrix cores busy while operands are read
    pipeline      multiplies whole tiles, with a ring buffer of k-tiles (`kernel_cdna_ring`); or quadrants of tiles, if
                  k-tiles of whole cache lines are too large for a ring buffer (`kernel_cdna_quadrants`)

A warp pipeline is used for every tile of eight warps, if K is long enough to amortize filling the pipeline. Instead,
four warps could interleave their MFMAs with their memory accesses (`kernel_cdna_interleaved`). No rule chooses this
variant: by the schedule model, it is not faster than the warp pipelines, or by less than the model's error
(docs/warp_pipelines.md). It is used only if the argument `plan` requests it.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import cdiv
from .tiles_cdna import Tile

#: Number of warps of a block with a warp pipeline: two groups of four warps.
PIPELINED_WARPS = 8

#: Number of warps of a block with interleaved MFMAs: one for each SIMD.
INTERLEAVED_WARPS = 4

#: Numbers of stages of the ring buffer of a warp pipeline with direct copies. One k-tile is read, the next one has
#: already arrived, and the copies of the other k-tiles are in flight. More than four stages would not hide more
#: latency.
RING_STAGES = (4, 3)

#: Upper limit of the padding of a tile in LDS, as a fraction of the tile's size.
PADDING = 1 / 16

#: Number of whole k-tiles that LDS holds for a warp pipeline over quadrants, indexed by `is_direct`. Each half of a
#: k-tile is refilled as soon as it has been read.
QUADRANT_STAGES = {True: 2, False: 1}

#: Rows and columns of an MFMA result. Each warp computes one or more MFMA results per quadrant.
RESULT = 32

COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}


class Variant(NamedTuple):
    """The way in which operands reach the matrix cores. The fields are those of `plan_cdna.CdnaPlan`."""

    block_k: int
    is_direct: bool
    stages: int
    is_pipelined: bool
    reasons: tuple[str, ...]


def choose_variant(tile: Tile, k: int, element_bits: int, direct_copies: str | None, lds_bytes: int) -> Variant:
    """Returns the variant for `tile`. `direct_copies`: None, or the reason why operands cannot be copied straight into
    LDS."""
    block_k = line_of(element_bits)
    bytes_per_step = (tile.m + tile.n) * element_bits // 8
    # One buffer is read while the next one is filled. Operands that pass through registers need only one buffer in LDS,
    # because registers hold the next k-tile.
    stages = 2 if direct_copies is None else 1
    if stages * block_k * bytes_per_step > lds_bytes:
        direct_copies = f"two buffers of {block_k * bytes_per_step} bytes do not fit into {lds_bytes} bytes of LDS"
        stages = 1
    is_direct = direct_copies is None
    ring = _ring(tile, block_k, bytes_per_step, lds_bytes, is_direct)
    obstacle = _obstacle(tile, k, ring, lds_bytes)
    is_pipelined = obstacle is None
    if ring and is_pipelined:
        block_k, stages = ring
    in_quadrants = is_pipelined and stages < min(RING_STAGES)
    reasons = (
        f"direct copies into LDS, 16 bytes per lane; {COUNTS[stages]} buffers: {_use(stages, in_quadrants)}"
        if is_direct
        else f"operands pass through registers on their way into LDS: {direct_copies}",
        "warp pipeline: four warps load while the other four multiply"
        if is_pipelined
        else f"all warps load and multiply at the same time: {obstacle}",
    )
    if in_quadrants:
        reasons += (
            "a quadrant of the tile is multiplied at a time, so each half of a k-tile can be refilled as soon as it "
            f"has been read: {COUNTS[RING_STAGES[-1]]} k-tiles of {block_k}, a cache line of each row, "
            f"do not fit into {lds_bytes} bytes of LDS",
        )
    return Variant(block_k, is_direct, stages, is_pipelined, reasons)


def line_of(element_bits: int) -> int:
    """Returns the number of elements in a cache line of 128 bytes."""
    return 64 * 16 // element_bits


def fits_quadrants(tile: Tile) -> bool:
    """Returns True if each warp computes at least one MFMA result per quadrant of the tile."""
    return tile.m >= 2 * RESULT * tile.warps_m and tile.n >= 2 * RESULT * tile.warps_n


def _use(stages: int, in_quadrants: bool) -> str:
    """Returns a clause for `explain` about the use of the LDS buffers."""
    if in_quadrants:
        return "one is read while halves of both are filled"
    return "one is filled while the other is multiplied" if stages == 2 else "one is read while the others are filled"


def _ring(tile: Tile, block_k: int, bytes_per_step: int, lds_bytes: int, is_direct: bool) -> tuple[int, int] | None:
    """Returns the K extent of a k-tile and the number of k-tiles that fit into LDS, or None. Whole cache lines per
    k-tile have priority over a ring buffer, and the number of k-tiles comes last."""

    def fits(size: int, stages: int) -> bool:
        padding = PADDING if is_direct else 0  # `rotating_layout` needs no padding
        return stages * size * bytes_per_step * (1 + padding) <= lds_bytes

    stages = [*(RING_STAGES if is_direct else ()), *((QUADRANT_STAGES[is_direct],) if fits_quadrants(tile) else ())]
    choices = [(block_k, count) for count in stages]
    if is_direct:
        choices += [(block_k // 2, count) for count in RING_STAGES]
    return next((choice for choice in choices if fits(*choice)), None)


def _obstacle(tile: Tile, k: int, ring: tuple[int, int] | None, lds_bytes: int) -> str | None:
    """Returns the reason why there is no warp pipeline, or None."""
    if tile.num_warps != PIPELINED_WARPS:
        return f"a warp pipeline needs {PIPELINED_WARPS} warps"
    if ring is None:
        return f"a ring buffer of {COUNTS[RING_STAGES[-1]]} k-tiles does not fit into {lds_bytes} bytes of LDS"
    size, stages = ring
    # With fewer k-tiles, most iterations would fill or drain the warp pipeline.
    if cdiv(k, size) < 2 * stages:
        return f"a warp pipeline pays off from {2 * stages} k-tiles of {size} on"
    return None
