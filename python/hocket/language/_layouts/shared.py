"""Layouts of tiles in shared memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._constexpr import constexpr_function
from . import checks as check
from .base import SharedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Default number of columns in the picture of a tile. On GPUs with 32 banks, a row of 32 float32 elements covers each
# bank once.
_ROW = 32
_ROWS = 8


@dataclass(frozen=True, eq=False, repr=False)
class SwizzledSharedLayout(SharedLayout):
    """Shared memory in `order` (`order[0]` fastest), with vectors of `vec` elements swizzled by XOR.

    The vector at index v of a row is stored at v XOR ((row / per_phase) % max_phase). `max_phase=1` is the layout
    without swizzle. `cga_layout` distributes the tile over the blocks of a cluster, as in `BlockedLayout`.
    """

    vec: int
    per_phase: int
    max_phase: int
    order: list[int]
    cga_layout: list[list[int]] = field(default_factory=list)

    def __post_init__(self):
        for name in ("vec", "per_phase", "max_phase"):
            self._normalize(name, check.powers_of_two(self, name, [getattr(self, name)])[0])
        self._normalize("order", check.permutation(self, "order", self.order, None))
        self._normalize("cga_layout", check.cluster_rows(self, self.cga_layout, len(self.order)))

    def natural_shape(self) -> list[int]:
        shape = [1] * self.rank
        shape[self.order[0]] = max(_ROW, self.vec * self.max_phase)
        if self.rank > 1:
            shape[self.order[1]] = max(_ROWS, self.per_phase * self.max_phase)
        return shape

    @property
    def rank(self) -> int:
        return len(self.order)


@dataclass(frozen=True, eq=False, repr=False)
class PaddedSharedLayout(SharedLayout):
    """A linear shared layout with padding after each interval.

    Row i of `offset_bases` is the coordinate that bit i of the element offset contributes by XOR. Each pair
    `[interval, padding]` inserts `padding` elements after every `interval` elements. `cga_layout` distributes the tile,
    of shape `shape`, over the blocks of a cluster, as in `BlockedLayout`; `offset_bases` describe the part of one
    block.
    """

    interval_padding_pairs: list[list[int]]
    offset_bases: list[list[int]]
    cga_layout: list[list[int]]
    shape: list[int]

    def __post_init__(self):
        self._normalize("interval_padding_pairs", check.interval_padding_pairs(self, self.interval_padding_pairs))
        shape = check.powers_of_two(self, "shape", self.shape)
        self._normalize("shape", shape)
        self._normalize("cga_layout", check.cluster_rows(self, self.cga_layout, len(shape)))
        part = check.part_of_block(shape, self.cga_layout)
        self._normalize("offset_bases", check.bases(self, "offset_bases", self.offset_bases, part))
        check.bijective(self, "offset_bases", self.offset_bases, part)

    @staticmethod
    @constexpr_function
    def with_identity_for(
        interval_padding_pairs: Sequence[Sequence[int]],
        shape: Sequence[int],
        order: Sequence[int],
        cga_layout: Sequence[Sequence[int]] = (),
    ) -> PaddedSharedLayout:
        """Returns the padded layout of a tile stored in `order` (`order[0]` fastest), without a swizzle.

        `cga_layout` distributes the tile over the blocks of a cluster; each block stores its part with padding.
        """
        shape = check.powers_of_two("PaddedSharedLayout", "shape", shape)
        order = check.permutation("PaddedSharedLayout", "order", order, len(shape))
        cga_layout = check.cluster_rows("PaddedSharedLayout", cga_layout, len(shape))
        part = check.part_of_block(shape, cga_layout)
        offset_bases = []
        for dim in order:
            for bit in range(part[dim].bit_length() - 1):
                offset_bases.append([1 << bit if d == dim else 0 for d in range(len(shape))])
        return PaddedSharedLayout(interval_padding_pairs, offset_bases, cga_layout, shape)

    def natural_shape(self) -> list[int]:
        return list(self.shape)

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class SharedLinearLayout(SharedLayout):
    """A layout in shared memory that is given by its basis vectors over F2.

    Row i of `offset_bases` is the coordinate that bit i of the element's offset contributes by XOR. Row i of
    `block_bases` is the coordinate that bit i of the block's rank in its cluster contributes by XOR; if row i is zero,
    blocks whose ranks differ only in bit i hold copies. All nonzero rows together reach every element of a tile exactly
    once. The sizes of the tile are the powers of two above the largest coordinates. `alignment` is in bytes.

    Example: columns of a 2 x 4 tile are swapped in its second row.
        >>> gl.SharedLinearLayout([[0, 1], [0, 2], [1, 1]]).shape
        [2, 4]
    """

    offset_bases: list[list[int]]
    block_bases: list[list[int]] = field(default_factory=list)
    alignment: int = 16

    def __post_init__(self):
        for name in ("offset_bases", "block_bases"):
            self._normalize(name, check.coordinate_rows(self, name, getattr(self, name)))
        self._normalize("alignment", check.powers_of_two(self, "alignment", [self.alignment])[0])
        rows = self.offset_bases + self.block_bases
        if not rows:
            raise ValueError("SharedLinearLayout: offset_bases is empty; the rank is not known")
        check.same_rank(self, rows)
        dealing = [row for row in self.block_bases if any(row)]
        check.bijective(self, "offset_bases and block_bases", self.offset_bases + dealing, self.shape)

    @property
    def shape(self) -> list[int]:
        """Sizes of the tile."""
        rows = self.offset_bases + self.block_bases
        return [1 << max(row[dim] for row in rows).bit_length() for dim in range(self.rank)]

    def natural_shape(self) -> list[int]:
        return self.shape

    @property
    def rank(self) -> int:
        return len((self.offset_bases + self.block_bases)[0])
