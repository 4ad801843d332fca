"""Layouts of tensor core accumulators, of tiles in shared memory, and of mbarriers."""

from __future__ import annotations

from dataclasses import dataclass

from .._constexpr import constexpr_function, unwrap
from .._dtype import dtype
from . import checks as check
from .base import DistributedLayout, SharedLayout
from .shared import SwizzledSharedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MBarrierLayout", "NVMMADistributedLayout", "NVMMASharedLayout"]

_MMA_VERSIONS = ([2, 0], [2, 1], [3, 0])
_WGMMA_COLUMNS = (8, 16, 32, 64, 128, 256)
_WGMMA_DEPTHS = (8, 16, 32)
# Number of lanes of a warp along K in a dot operand; each lane holds two runs of k_width elements.
_LANES_ALONG_K = 4
_MOST_K_WIDTH = 16

_SWIZZLES = (0, 32, 64, 128)
_ELEMENT_BITS = (8, 16, 32, 64)
# Number of rows after which a swizzle repeats.
_SWIZZLED_ROWS = 8
# Default number of columns in the picture of a tile without swizzle.
_PLAIN_COLUMNS = 32


@dataclass(frozen=True, eq=False, repr=False)
class NVMMADistributedLayout(DistributedLayout):
    """The accumulators of tensor cores, over warps that tile the tensor.

    Each warp computes results of 16 x N: of every eight columns, lane l holds columns 2 (l mod 4) and 2 (l mod 4) + 1,
    in rows l div 4 and l div 4 + 8. Larger tensors wrap around (more registers).

    Args:
        version: [2, 0], or the equivalent [2, 1], for mma.sync (`nvidia.ampere.mma_v2`); [3, 0] for wgmma (Hopper).
        warps_per_cta: warps along each dimension: 2 entries, or 3 with a batch dimension; powers of two. With version
            [3, 0], four warps along M are a warpgroup; `warpgroup_mma` needs 2 entries, the first a multiple of 4.
        instr_shape: for version [2, 0], [16, 8], or [1, 16, 8] with a batch dimension; for version [3, 0], [16, N, K],
            where K elements take 32 bytes.
        cga_layout: distribution of the tensor over the blocks of a cluster, as in `BlockedLayout`.
    """

    version: list[int]
    warps_per_cta: list[int]
    instr_shape: list[int]
    cga_layout: list[list[int]] | None = None

    def __post_init__(self):
        version = check.integers(self, "version", self.version)
        if version not in _MMA_VERSIONS:
            raise ValueError(
                f"NVMMADistributedLayout: version must be [2, 0], [2, 1] (mma.sync) or [3, 0] (wgmma), got {version}"
            )
        self._normalize("version", version)
        warps = check.powers_of_two(self, "warps_per_cta", self.warps_per_cta)
        if len(warps) not in (2, 3):
            raise ValueError(f"NVMMADistributedLayout: warps_per_cta must have 2 or 3 entries, got {warps}")
        self._normalize("warps_per_cta", warps)
        self._normalize("instr_shape", self._checked_instr_shape(version, len(warps)))
        self._normalize("cga_layout", check.cluster_rows(self, self.cga_layout, len(warps)) or None)

    def _checked_instr_shape(self, version: list[int], rank: int) -> list[int]:
        shape = check.integers(self, "instr_shape", self.instr_shape)
        if version[0] == 2:
            expected = [1] * (rank - 2) + [16, 8]
            if shape != expected:
                raise ValueError(f"NVMMADistributedLayout: instr_shape of version {version} is {expected}, got {shape}")
            return shape
        if len(shape) != 3 or shape[0] != 16 or shape[1] not in _WGMMA_COLUMNS or shape[2] not in _WGMMA_DEPTHS:
            raise ValueError(
                "NVMMADistributedLayout: instr_shape of version [3, 0] is [16, N, K], with N one of "
                f"{', '.join(map(str, _WGMMA_COLUMNS))} and K one of {', '.join(map(str, _WGMMA_DEPTHS))}, got {shape}"
            )
        return shape

    def _check_operand(self, k_width: int) -> None:
        if k_width not in (1, 2, 4, 8, _MOST_K_WIDTH):
            raise ValueError(
                "DotOperandLayout: k_width, the consecutive elements along K in a lane, must be a power of two from 1 "
                f"to {_MOST_K_WIDTH}, got {k_width}"
            )

    def _operand_depth(self, k_width: int) -> int:
        return 2 * _LANES_ALONG_K * k_width

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        return list(self.warps_per_cta)

    def natural_shape(self) -> list[int]:
        is_wgmma = self.version[0] == 3
        result = [1] * (self.rank - 2) + [16, self.instr_shape[1]] if is_wgmma else self.instr_shape
        return [size * warps for size, warps in zip(result, self.warps_per_cta, strict=True)]

    @property
    def rank(self) -> int:
        return len(self.warps_per_cta)


@dataclass(frozen=True, eq=False, repr=False)
class NVMMASharedLayout(SharedLayout):
    """Shared memory in the layout that TMA and wgmma require; ordinary loads and stores also support this layout.

    A tile is stored as column blocks, one after another. A column block has all rows of the tile, with
    `swizzle_byte_width` bytes per row. Within eight rows, units of 16 bytes are permuted by XOR, so that reading one
    unit of each row accesses different banks.

    Args:
        swizzle_byte_width: 0 (row-major), 32, 64 or 128. A row of the tile has at least `swizzle_byte_width` bytes.
        element_bitwidth: 8, 16, 32 or 64.
        rank: number of dimensions of a tile; all dimensions before the last one are rows.
        transposed: True if dimension 0 of a matrix is contiguous in memory.
        fp4_padded: must be False; padded float4 elements are not supported yet.
        cga_layout: distribution of the tile over the blocks of a cluster, as in `BlockedLayout`.
    """

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2  # type: ignore[assignment]  # a field in this class, a property in other layouts
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: list[list[int]] | None = None

    def __post_init__(self):
        self._normalize("swizzle_byte_width", self._one_of("swizzle_byte_width", _SWIZZLES))
        self._normalize("element_bitwidth", self._one_of("element_bitwidth", _ELEMENT_BITS))
        self._normalize("rank", check.integer(self, "rank", self.rank, 1, 5))
        self._normalize("transposed", check.flag(self, "transposed", self.transposed))
        self._normalize("fp4_padded", check.flag(self, "fp4_padded", self.fp4_padded))
        self._normalize("cga_layout", check.cluster_rows(self, self.cga_layout, self.rank) or None)
        if self.fp4_padded:
            raise NotImplementedError("NVMMASharedLayout: fp4_padded is not supported yet")
        if self.transposed and self.rank != 2:
            raise ValueError(f"NVMMASharedLayout: a transposed layout has rank 2, got rank {self.rank}")
        if self.swizzle_byte_width and self.rank < 2:
            raise ValueError(f"NVMMASharedLayout: a swizzled layout has rank 2 or more, got rank {self.rank}")

    def _one_of(self, name: str, values: Sequence[int]) -> int:
        value = check.integers(self, name, [getattr(self, name)])[0]
        if value not in values:
            raise ValueError(f"NVMMASharedLayout: {name} must be one of {', '.join(map(str, values))}, got {value}")
        return value

    @staticmethod
    @constexpr_function
    def get_default_for(
        block_shape: Sequence[int],
        dtype: dtype,
        transposed: bool = False,
        fp4_padded: bool = False,
        cga_layout: Sequence[Sequence[int]] | None = None,
    ) -> NVMMASharedLayout:
        """Returns the layout with the widest swizzle that is possible for a tile of `block_shape` and `dtype`."""
        owner = "NVMMASharedLayout.get_default_for"
        shape = check.integers(owner, "block_shape", block_shape)
        if not shape:
            raise ValueError(f"{owner}: block_shape is empty; tiles have dimensions")
        bits = _bits_of(owner, dtype)
        transposed = check.flag(owner, "transposed", transposed)
        shape = check.part_of_block(shape, check.cluster_rows(owner, cga_layout, len(shape)))
        if transposed:
            shape = shape[1:] + shape[:1]
        rows = 1
        for size in shape[:-1]:
            rows *= size
        row_bytes = shape[-1] * bits // 8
        fits = [width for width in _SWIZZLES if width and row_bytes % width == 0]
        swizzle = max(fits, default=0) if len(shape) > 1 and rows >= _SWIZZLED_ROWS else 0
        return NVMMASharedLayout(swizzle, bits, len(shape), transposed, fp4_padded, cga_layout)

    def natural_shape(self) -> list[int]:
        columns = self.swizzle_byte_width * 8 // self.element_bitwidth or _PLAIN_COLUMNS
        shape = [1] * (self.rank - 2) + [_SWIZZLED_ROWS, columns]
        return shape[::-1] if self.transposed else shape[-self.rank :]


class MBarrierLayout(SwizzledSharedLayout):
    """The layout of an mbarrier in shared memory: `gl.allocate_shared_memory(gl.int64, [1], MBarrierLayout())`.

    A ring of n mbarriers has the shape [n, 1]. In a cluster, every block has its own mbarrier. Blocks whose ranks
    differ only in bits with a row of zeros in `cga_layout` share the mbarrier of the first of these blocks. All sharing
    blocks arrive at the mbarrier, and the first block waits.
    """

    def __init__(self, cga_layout: Sequence[Sequence[int]] | None = None):
        super().__init__(1, 1, 1, [0], list(cga_layout or []))

    def __repr__(self) -> str:
        return f"MBarrierLayout({self.cga_layout or ''})"

    @staticmethod
    @constexpr_function
    def multicta(num_ctas: int, two_cta: bool = False) -> MBarrierLayout:
        """Returns the layout of [num_ctas] mbarriers, one in each block of a cluster.

        Args:
            num_ctas: number of blocks of the cluster, a power of two.
            two_cta: must be False; mbarriers shared by pairs of blocks require a GPU after Hopper.
        """
        if two_cta:
            raise NotImplementedError("MBarrierLayout.multicta: two_cta=True is not supported yet")
        return MBarrierLayout([[1 << bit] for bit in range(num_ctas.bit_length() - 1)])


def _bits_of(owner: str, element: dtype) -> int:
    element = unwrap(element)
    if not isinstance(element, dtype):
        raise ValueError(f"{owner}: dtype must be one of hocket.language, such as gl.float16, got {element!r}")
    return element.primitive_bitwidth
