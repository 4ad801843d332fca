"""The layout of MFMA accumulators."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from . import checks as check
from . import mfma_checks
from .base import DistributedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Number of lanes of a wave.
_WAVE = 64


@dataclass(frozen=True, eq=False, repr=False)
class AMDMFMALayout(DistributedLayout):
    """The accumulators of MFMA instructions, over warps that tile the tensor.

    Each warp of 64 lanes computes `tiles_per_warp` adjacent results of the instruction. `warps_per_cta` warps tile the
    tensor. A larger tensor wraps around, with more registers per lane. In a result of M x N, register r of lane l holds
    the element in column l mod N and row 4 (l div N) + r mod 4 + (256 / N) (r div 4). `transposed` exchanges rows and
    columns, so that a lane holds elements of four consecutive columns.

    Args:
        version: 3 for CDNA3 (gfx942), 4 for CDNA4 (gfx950); 1 (gfx908) and 2 (gfx90a) are only for layouts: Hocket does
            not support the MFMAs of these GPUs.
        instr_shape: [M, N, K] of the instruction, such as [32, 32, 8] for float16 on CDNA3.
        transposed: True to exchange rows and columns of the result, which makes stores to row-major memory wide.
        warps_per_cta: warps along each dimension: 2 entries, or 3 with a batch dimension; powers of two.
        element_bitwidth: 32, or 64 for accumulators of float64.
        tiles_per_warp: results per warp along each dimension; None means 1 along each.
    """

    version: int
    instr_shape: list[int]
    transposed: bool
    warps_per_cta: list[int]
    element_bitwidth: int = 32
    tiles_per_warp: list[int] | None = None
    cga_layout: list[list[int]] | None = None

    def __post_init__(self):
        self._normalize("version", mfma_checks.version(self, self.version))
        self._normalize("instr_shape", mfma_checks.instr_shape(self, self.instr_shape, self.version))
        self._normalize("transposed", mfma_checks.boolean(self, "transposed", self.transposed))
        warps = check.powers_of_two(self, "warps_per_cta", self.warps_per_cta)
        if len(warps) not in (2, 3):
            raise ValueError(f"AMDMFMALayout: warps_per_cta must have 2 or 3 entries, got {warps}")
        self._normalize("warps_per_cta", warps)
        self._normalize("element_bitwidth", mfma_checks.element_bitwidth(self, self.element_bitwidth, self.instr_shape))
        self._normalize("tiles_per_warp", mfma_checks.tiles_per_warp(self, self.tiles_per_warp, len(warps)))
        self._normalize("cga_layout", check.single_block(self, self.cga_layout or []) or None)

    def _check_operand(self, k_width: int) -> None:
        mfma_checks.k_width(k_width)

    def _operand_depth(self, k_width: int) -> int:
        return _WAVE // max(self.instr_shape[:2]) * k_width

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        return list(self.warps_per_cta)

    def natural_shape(self) -> list[int]:
        results = [1] * (self.rank - 2) + self.instr_shape[:2]
        tiles = self.tiles_per_warp or [1] * self.rank
        return [prod(sizes) for sizes in zip(results, tiles, self.warps_per_cta, strict=True)]

    @property
    def rank(self) -> int:
        return len(self.warps_per_cta)
