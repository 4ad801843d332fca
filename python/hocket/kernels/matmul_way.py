"""How the operands of a matrix product reach the matrix cores, given the tile, and why.

    into LDS      straight, or through registers
    slots         slices of K that LDS holds at once
    warps         all work in step; or two groups of four take turns at loading and multiplying, which keeps
                  the matrix cores busy while operands are read: a warp pipeline (`matmul_pipelined`)

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

COUNTS = {2: "two", 3: "three", 4: "four"}


class Way(NamedTuple):
    """Fields of `matmul_plan.Plan`, where they are explained."""

    block_k: int
    is_direct: bool
    slots: int
    is_pipelined: bool
    reasons: tuple[str, ...]


def choose_way(tile: Tile, k: int, element_bits: int, direct_copies: str | None, lds_bytes: int) -> Way:
    """The way for `tile`. `direct_copies`: None, or why operands cannot be copied straight into LDS."""
    block_k = 64 * 16 // element_bits  # 128 bytes of a row: a cache line
    bytes_per_step = (tile.m + tile.n) * element_bits // 8
    # One slot is read while the next one is filled. Values that go through registers wait there instead.
    slots = 2 if direct_copies is None else 1
    if slots * block_k * bytes_per_step > lds_bytes:
        direct_copies = f"two slots of {block_k * bytes_per_step} bytes do not fit into {lds_bytes} bytes of LDS"
        slots = 1
    is_direct = direct_copies is None
    ring = _ring(block_k, bytes_per_step, lds_bytes) if is_direct else (block_k, 1)
    obstacle = _obstacle(tile, k, ring, lds_bytes)
    if obstacle is None:
        block_k, slots = ring
    rest = "the other is multiplied" if slots == 2 else "the others are filled"
    reasons = (
        f"operands go straight into LDS, 16 bytes per lane, into {COUNTS[slots]} slots: one is "
        f"{'filled' if slots == 2 else 'read'} while {rest}"
        if is_direct
        else f"operands pass through registers on their way into LDS: {direct_copies}",
        "four warps load while the other four multiply, in turns: a warp pipeline"
        if obstacle is None
        else f"all warps load and multiply at the same time: {obstacle}",
    )
    return Way(block_k, is_direct, slots, obstacle is None, reasons)


def _ring(block_k: int, bytes_per_step: int, lds_bytes: int) -> tuple[int, int] | None:
    """Steps of k in a slot, and slots, of the ring that fits into LDS: long slots rather than many."""
    for size in (block_k, block_k // 2):
        for slots in RING_SLOTS:
            if slots * size * bytes_per_step * (1 + PADDING) <= lds_bytes:
                return size, slots
    return None


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
