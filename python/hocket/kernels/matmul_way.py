"""How the operands of a matrix product reach the matrix cores, given the tile, and why.

    into LDS      straight, or through registers
    slots         slices of K that LDS holds at once
    warps         all work in step; or two groups of four take turns at loading and multiplying, which keeps
                  the matrix cores busy while operands are read: a warp pipeline
    pipeline      of whole tiles, from a ring of slots (`matmul_pipelined`); or, where slots with whole cache lines are
                  too large for a ring, of quadrants of tiles (`matmul_quadrants`)

Warp pipelines are used wherever possible: with eight warps, if K is long enough to be worth filling the pipeline.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import cdiv
from .matmul_tiles import Tile

#: Two groups of four.
PIPELINED_WARPS = 8

#: Slots of the ring that a pipeline with direct copies needs: one is read, the next one is waited for a stage before
#: it is read, and copies into the others are in flight. More than four hide nothing that four do not.
RING_SLOTS = (4, 3)

#: Padding of tiles in LDS as a share of them, at most.
PADDING = 1 / 16

#: Slots of a pipeline of quadrants: straight into LDS, and through registers. A half is filled once it has been read.
QUADRANT_SLOTS = {True: 2, False: 1}

#: Rows and columns of a result of the matrix cores, of which each warp multiplies one or more of a quadrant.
RESULT = 32

COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}


class Way(NamedTuple):
    """Fields of `matmul_plan.Plan`, where they are explained."""

    block_k: int
    is_direct: bool
    slots: int
    is_pipelined: bool
    reasons: tuple[str, ...]


def choose_way(tile: Tile, k: int, element_bits: int, direct_copies: str | None, lds_bytes: int) -> Way:
    """The way for `tile`. `direct_copies`: None, or why operands cannot be copied straight into LDS."""
    block_k = line_of(element_bits)
    bytes_per_step = (tile.m + tile.n) * element_bits // 8
    # One slot is read while the next one is filled. Values that go through registers wait there instead.
    slots = 2 if direct_copies is None else 1
    if slots * block_k * bytes_per_step > lds_bytes:
        direct_copies = f"two slots of {block_k * bytes_per_step} bytes do not fit into {lds_bytes} bytes of LDS"
        slots = 1
    is_direct = direct_copies is None
    ring = _ring(tile, block_k, bytes_per_step, lds_bytes, is_direct)
    obstacle = _obstacle(tile, k, ring, lds_bytes)
    takes_turns = obstacle is None
    if ring and takes_turns:
        block_k, slots = ring
    in_quadrants = takes_turns and slots < min(RING_SLOTS)
    reasons = (
        f"operands go straight into LDS, 16 bytes per lane, into {COUNTS[slots]} slots: {_use(slots, in_quadrants)}"
        if is_direct
        else f"operands pass through registers on their way into LDS: {direct_copies}",
        "four warps load while the other four multiply, in turns: a warp pipeline"
        if takes_turns
        else f"all warps load and multiply at the same time: {obstacle}",
    )
    if in_quadrants:
        reasons += (
            "a quadrant of the tile is multiplied at a time, so that each half of a slice can be filled again as soon "
            f"as it has been read: {COUNTS[RING_SLOTS[-1]]} slices of {block_k} steps of k, a cache line of each row, "
            f"do not fit into {lds_bytes} bytes of LDS",
        )
    return Way(block_k, is_direct, slots, takes_turns, reasons)


def line_of(element_bits: int) -> int:
    """Elements of a cache line, of 128 bytes."""
    return 64 * 16 // element_bits


def fits_quadrants(tile: Tile) -> bool:
    """Whether each warp has a result of the matrix cores in each quadrant."""
    return tile.m >= 2 * RESULT * tile.warps_m and tile.n >= 2 * RESULT * tile.warps_n


def _use(slots: int, in_quadrants: bool) -> str:
    """What slots are used for."""
    if in_quadrants:
        return "one is read while halves of both are filled"
    return "one is filled while the other is multiplied" if slots == 2 else "one is read while the others are filled"


def _ring(tile: Tile, block_k: int, bytes_per_step: int, lds_bytes: int, is_direct: bool) -> tuple[int, int] | None:
    """Steps of k in a slot, and slots, that fit into LDS: whole cache lines rather than a ring, long slots rather than
    many."""

    def fits(size: int, slots: int) -> bool:
        padding = PADDING if is_direct else 0  # rotated instead
        return slots * size * bytes_per_step * (1 + padding) <= lds_bytes

    slots = [*(RING_SLOTS if is_direct else ()), *((QUADRANT_SLOTS[is_direct],) if fits_quadrants(tile) else ())]
    choices = [(block_k, count) for count in slots]
    if is_direct:
        choices += [(block_k // 2, count) for count in RING_SLOTS]
    return next((choice for choice in choices if fits(*choice)), None)


def _obstacle(tile: Tile, k: int, ring: tuple[int, int] | None, lds_bytes: int) -> str | None:
    """Why warps cannot take turns, or None."""
    if tile.num_warps != PIPELINED_WARPS:
        return f"taking turns needs {PIPELINED_WARPS} warps"
    if ring is None:
        return f"a ring of {COUNTS[RING_SLOTS[-1]]} slots does not fit into {lds_bytes} bytes of LDS"
    size, slots = ring
    # Otherwise more slices are multiplied while the ring fills and empties than in turns.
    if cdiv(k, size) < 2 * slots:
        return f"taking turns pays from {2 * slots} slices of {size} steps of k on"
    return None
