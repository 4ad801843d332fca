"""Compile-time parameters of attention on Hopper."""

from __future__ import annotations

from dataclasses import dataclass

from ... import language as gl
from .._common.cached_hash import cached_hash


@cached_hash
@dataclass(frozen=True)
class HopperAttentionConfig:
    """Compile-time parameters of an attention kernel."""

    block_m: int
    block_n: int
    head_size: int
    consumers: int
    stages: int
    is_causal: bool
    #: True if a tile holds queries of several heads that share a key head.
    packs_heads: bool
    ping_pong: bool
    #: Largest sum of a lane's elements of P for which the row max is kept.
    largest_sum: float
    #: Amount by which a new row max exceeds the row's largest scaled score (base-2 exponents), so that P can grow
    #: before the next change.
    headroom: float
    #: True if scores stay in registers until their probabilities are final. Otherwise a warp recomputes the scores if
    #: it needs them.
    keeps_scores: bool
    #: True if P is scaled down when a lane's sum of P exceeds `largest_sum`; False if P is recomputed.
    scales_down: bool
    stores_lse: bool
    #: True if CTAs take tile numbers from a work counter. False if each CTA processes every n-th tile, where n is the
    #: number of CTAs.
    uses_work_counter: bool
    #: True if the last tiles are divided among CTAs (split-KV).
    splits_keys: bool
    scores: gl.NVMMADistributedLayout
    #: Layout of scores that a warp recomputes by mma.sync. Each lane holds the same elements as in the layout `scores`.
    scores_of_warp: gl.NVMMADistributedLayout
    acc: gl.NVMMADistributedLayout
    operand_p: gl.DotOperandLayout
    #: Layout of the partial row sums, [rows, 8]: each partial sum is over every eighth column.
    partial_sums: gl.NVMMADistributedLayout
    #: True if the launch has a `score_mod`; a `mask_mod`; a block mask. Kernels with such functions keep scores in
    #: registers, because the functions may load from global memory. A branch on `gl.any_in_warp` must not.
    has_score_mod: bool = False
    has_mask_mod: bool = False
    has_block_mask: bool = False
    #: True if kernels with such functions must mask keys past the end.
    masks_end: bool = False
    #: True if sequences of different lengths are packed one after another (`sequences_hopper`).
    is_varlen: bool = False
    #: Number of consecutive rows of a tile that belong to one query, one for each of its heads that share a key head.
    #: Greater than 1 only with `is_varlen`.
    rows_per_query: int = 1
    #: Number of keys of a page, or 0 if keys are not paged. Only with `is_varlen`.
    page_size: int = 0
    #: True if warps copy rows of pages by cp.async, because TMA copies no boxes of such pages (`paged_rows_hopper`).
    copies_rows: bool = False
    #: True if queries see a window of keys. `is_causal` and `has_block_mask` are then False.
    has_window: bool = False

    @property
    def has_mods(self) -> bool:
        return self.has_score_mod or self.has_mask_mod


__all__ = ["HopperAttentionConfig"]
