"""The layout of tiles that are divided among several partitions of shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from . import checks as check
from .base import SharedLayout
from .linear import to_linear_layout
from .shared import PaddedSharedLayout, SharedLinearLayout, SwizzledSharedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False, repr=False)
class PartitionedSharedLayout(SharedLayout):
    """Shared memory with a tile that is divided into parts along `partition_dim`, each in the layout
    `partition_layout`.

    Part i belongs to partition i % `num_partitions`, which holds `num_groups` adjacent parts. Partitions are contiguous
    in memory. The LDS of CDNA GPUs has no partitions. On CDNA GPUs, this layout only changes the order of elements.

    Args:
        num_partitions: a power of two.
        num_groups: number of parts in each partition, a power of two.
        partition_dim: the dimension of the tile that is divided.
        partition_layout: a `SwizzledSharedLayout`, or a `PaddedSharedLayout` with the shape of a part or of the whole
            tile. The `cga_layout` of `partition_layout` must be empty.

    Example:
        >>> rows = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
        >>> gl.amd.PartitionedSharedLayout(2, 1, 0, rows).of_tile([4, 2])
        SharedLinearLayout([[0, 1], [1, 0], [2, 0]])
    """

    num_partitions: int
    num_groups: int
    partition_dim: int
    partition_layout: SwizzledSharedLayout | PaddedSharedLayout

    def __post_init__(self):
        for name in ("num_partitions", "num_groups"):
            self._normalize(name, check.powers_of_two(self, name, [getattr(self, name)])[0])
        if not isinstance(self.partition_layout, SwizzledSharedLayout | PaddedSharedLayout):
            raise TypeError(
                "PartitionedSharedLayout: partition_layout must be a SwizzledSharedLayout or a PaddedSharedLayout, got "
                f"{self.partition_layout!r}"
            )
        if self.partition_layout.cga_layout:
            raise ValueError("PartitionedSharedLayout: partition_layout must not have a cga_layout")
        self._normalize("partition_dim", check.integer(self, "partition_dim", self.partition_dim, 0, self.rank - 1))

    @property
    def rank(self) -> int:
        return self.partition_layout.rank

    def of_tile(self, shape: Sequence[int]) -> SharedLinearLayout | PaddedSharedLayout:
        """Returns the layout of a tile of `shape`. If the rank of `shape` is higher than the rank of the layout,
        leading dimensions are ignored."""
        shape = check.powers_of_two(self, "shape", list(shape)[-self.rank :])
        pieces = self.num_partitions * self.num_groups
        piece = [size // pieces if dim == self.partition_dim else size for dim, size in enumerate(shape)]
        size = piece[self.partition_dim]
        if size == 0:
            raise ValueError(
                f"PartitionedSharedLayout: a tile of shape {shape} has {shape[self.partition_dim]} elements along "
                f"dimension {self.partition_dim}, too few for {pieces} parts"
            )
        inner = self.partition_layout
        padded = isinstance(inner, PaddedSharedLayout)
        if padded and inner.shape not in (piece, shape):
            raise ValueError(
                f"PartitionedSharedLayout: partition_layout is for parts of shape {inner.shape}, but the parts of a "
                f"tile of shape {shape} have the shape {piece}"
            )
        bases = list(inner.offset_bases if padded else to_linear_layout(inner, piece).offset_bases)
        # Gluon's kernels pass a padded layout with the shape of the whole tile. Only basis vectors within one part are
        # relevant here.
        bases = [row for row in bases if all(entry < size for entry, size in zip(row, piece, strict=True))]
        steps = [size * self.num_partitions << bit for bit in range(self.num_groups.bit_length() - 1)]
        steps += [size << bit for bit in range(self.num_partitions.bit_length() - 1)]
        bases += [[step if dim == self.partition_dim else 0 for dim in range(self.rank)] for step in steps]
        if padded:
            return PaddedSharedLayout(inner.interval_padding_pairs, bases, [], shape)
        return SharedLinearLayout(bases)
