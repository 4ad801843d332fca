"""Numbers of instructions that a warp of the interleaved GEMM on CDNA executes for a quadrant of its tile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._common.cached_hash import cached_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...language.amd import AMDMFMALayout

LANES = 64
#: Bytes per lane of an access of global memory, of a read of LDS, and of a transposing read of LDS.
WIDE_BYTES, TRANSPOSED_BYTES = 16, 8

#: Kinds of instructions of `gl.sched_group_barrier`, each with a number of instructions.
Accesses = tuple[tuple[str, int], ...]


@cached_hash
@dataclass(frozen=True)
class Interleaving:
    """Counts for `gl.sched_group_barrier`. Of each pair, the first is for a half of a k-tile of A, and the second for a
    half of a k-tile of B."""

    #: Number of MFMAs, and number of MFMAs that multiply the same rows of A, at the same step along K.
    mfmas: int
    columns: int
    #: Number of MFMAs before the first instruction that refills a half.
    fills_begin: int
    #: Number of reads of LDS.
    reads: tuple[int, int]
    #: Instructions that refill a half: copies into LDS, or stores to LDS and loads.
    fills: tuple[Accesses, Accesses]


def interleaving_of(
    acc: AMDMFMALayout,
    shapes: Sequence[Sequence[int]],
    element_bits: int,
    is_direct: bool,
    are_k_contiguous: Sequence[bool],
    k_elements: int,
    more_loads: Sequence[int] = (0, 0),
) -> Interleaving:
    """Returns the counts for halves of k-tiles.

    Args:
        acc: layout of the accumulators.
        shapes: shapes of a half of A and of a half of B, in stored elements of `element_bits` bits.
        is_direct: True if halves are copied straight into LDS.
        are_k_contiguous: for A and for B, whether K is the contiguous dimension in global memory.
        k_elements: extent of a k-tile along K in elements, several of which may be stored in one byte.
        more_loads: for A and for B, number of other loads of a warp, such as loads of scales.
    """
    m, n, k = acc.instr_shape
    warps_m, warps_n = acc.warps_per_cta
    (part_m, _), (_, part_n) = shapes
    columns = part_n // (n * warps_n)
    mfmas = part_m // (m * warps_m) * columns * (k_elements // k)
    reads, fills = [], []
    for shape, warps, is_k, more in zip(shapes, (warps_m, warps_n), are_k_contiguous, more_loads, strict=True):
        size = shape[0] * shape[1] * element_bits // 8
        reads.append(size // (warps * LANES * (WIDE_BYTES if is_k else TRANSPOSED_BYTES)))
        wide = size // (warps_m * warps_n * LANES * WIDE_BYTES)
        stores = () if is_direct else (("lds_write", wide),)
        fills.append((*stores, ("vmem_read", wide + more)))
    # A store waits for a load, so the reads of a quadrant come before its stores. Copies do not wait.
    fills_begin = 0 if is_direct else mfmas // 2
    return Interleaving(mfmas, columns, fills_begin, tuple(reads), tuple(fills))
