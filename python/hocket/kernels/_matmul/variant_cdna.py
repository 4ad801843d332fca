"""Rules that choose how the operands of a GEMM on CDNA reach the matrix cores, given the tile.

    into LDS      directly, or through registers
    slots         number of k-tiles that LDS holds at once
    warps         all warps do the same; or two groups of four alternate between loads and MFMAs (a warp pipeline),
                  which keeps the matrix cores busy while operands are read
    pipeline      of whole tiles, with a ring buffer of k-tiles (`kernel_cdna_ring`); or of quadrants of tiles, if
    k-tiles
                  with whole cache lines are too large for a ring buffer (`kernel_cdna_quadrants`)

A warp pipeline is used wherever possible: with eight warps, if K is long enough to amortize filling the pipeline.
"""

from __future__ import annotations

from typing import NamedTuple

from ... import cdiv
from .tiles_cdna import Tile

#: Two groups of four warps.
PIPELINED_WARPS = 8

#: Stages of the ring buffer of a pipeline with direct copies: one is read, the next one has arrived a stage before it
#: is read, and copies into the others are in flight. More than four stages hide no more latency.
RING_SLOTS = (4, 3)

#: Largest padding of tiles in LDS, as a fraction of their size.
PADDING = 1 / 16

#: Buffers of a pipeline of quadrants, by whether copies go straight into LDS. A half is filled once it has been read.
QUADRANT_SLOTS = {True: 2, False: 1}

#: Rows and columns of an MFMA result. Each warp computes one or more of them per quadrant.
RESULT = 32

COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}


class Variant(NamedTuple):
    """Fields of `plan_cdna.Plan`, which documents them."""

    block_k: int
    is_direct: bool
    slots: int
    is_pipelined: bool
    reasons: tuple[str, ...]


def choose_variant(tile: Tile, k: int, element_bits: int, direct_copies: str | None, lds_bytes: int) -> Variant:
    """The variant for `tile`. `direct_copies`: None, or the reason why operands cannot be copied straight into LDS."""
    block_k = line_of(element_bits)
    bytes_per_step = (tile.m + tile.n) * element_bits // 8
    # One buffer is read while the next one is filled. Operands that pass through registers need only one buffer in LDS,
    # because the registers are the second one.
    slots = 2 if direct_copies is None else 1
    if slots * block_k * bytes_per_step > lds_bytes:
        direct_copies = f"two buffers of {block_k * bytes_per_step} bytes do not fit into {lds_bytes} bytes of LDS"
        slots = 1
    is_direct = direct_copies is None
    ring = _ring(tile, block_k, bytes_per_step, lds_bytes, is_direct)
    obstacle = _obstacle(tile, k, ring, lds_bytes)
    is_pipelined = obstacle is None
    if ring and is_pipelined:
        block_k, slots = ring
    in_quadrants = is_pipelined and slots < min(RING_SLOTS)
    reasons = (
        f"direct copies into LDS, 16 bytes per lane; {COUNTS[slots]} buffers: {_use(slots, in_quadrants)}"
        if is_direct
        else f"operands pass through registers on their way into LDS: {direct_copies}",
        "warp pipeline: four warps load while the other four multiply"
        if is_pipelined
        else f"all warps load and multiply at the same time: {obstacle}",
    )
    if in_quadrants:
        reasons += (
            "a quadrant of the tile is multiplied at a time, so each half of a k-tile can be refilled as soon as it "
            f"has been read: {COUNTS[RING_SLOTS[-1]]} k-tiles of {block_k}, a cache line of each row, "
            f"do not fit into {lds_bytes} bytes of LDS",
        )
    return Variant(block_k, is_direct, slots, is_pipelined, reasons)


def line_of(element_bits: int) -> int:
    """Number of elements in a cache line of 128 bytes."""
    return 64 * 16 // element_bits


def fits_quadrants(tile: Tile) -> bool:
    """True if each warp computes at least one MFMA result per quadrant."""
    return tile.m >= 2 * RESULT * tile.warps_m and tile.n >= 2 * RESULT * tile.warps_n


def _use(slots: int, in_quadrants: bool) -> str:
    """The use of the buffers, for `explain`."""
    if in_quadrants:
        return "one is read while halves of both are filled"
    return "one is filled while the other is multiplied" if slots == 2 else "one is read while the others are filled"


def _ring(tile: Tile, block_k: int, bytes_per_step: int, lds_bytes: int, is_direct: bool) -> tuple[int, int] | None:
    """K extent of a k-tile, and the number of k-tiles that fit into LDS, or None. Whole cache lines have priority
    over a ring buffer, and large k-tiles over many."""

    def fits(size: int, slots: int) -> bool:
        padding = PADDING if is_direct else 0  # rotated instead
        return slots * size * bytes_per_step * (1 + padding) <= lds_bytes

    slots = [*(RING_SLOTS if is_direct else ()), *((QUADRANT_SLOTS[is_direct],) if fits_quadrants(tile) else ())]
    choices = [(block_k, count) for count in slots]
    if is_direct:
        choices += [(block_k // 2, count) for count in RING_SLOTS]
    return next((choice for choice in choices if fits(*choice)), None)


def _obstacle(tile: Tile, k: int, ring: tuple[int, int] | None, lds_bytes: int) -> str | None:
    """Reason why there is no warp pipeline, or None."""
    if tile.num_warps != PIPELINED_WARPS:
        return f"a warp pipeline needs {PIPELINED_WARPS} warps"
    if ring is None:
        return f"a ring buffer of {COUNTS[RING_SLOTS[-1]]} k-tiles does not fit into {lds_bytes} bytes of LDS"
    size, slots = ring
    # With less, more k-tiles are multiplied while the pipeline fills and drains than in its steady state.
    if cdiv(k, size) < 2 * slots:
        return f"a warp pipeline pays off from {2 * slots} k-tiles of {size} on"
    return None
