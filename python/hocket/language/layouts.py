"""Layouts: which register of which lane, or which offset in shared memory, holds each element of a tile.

A distributed layout places a tile in registers, a shared layout places it in shared memory. All are plain values:
compare them, print them, build them with `constexpr_function`s. The compiler turns each into a linear map over F2.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields

from . import layout_checks as check
from .constexpr import constexpr_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_value = dataclass(frozen=True, eq=False, repr=False)


class Layout:
    """What all layouts share: equality, hash and text by their fields."""

    @property
    def rank(self) -> int:
        """Number of tensor dimensions."""
        raise NotImplementedError

    def mangle(self) -> str:
        """The layout as an identifier, for the names of specialised kernels."""
        return "".join(c if c.isalnum() else "_" for c in repr(self).replace(" ", ""))

    def _normalize(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _key(self) -> tuple:
        return tuple(check.frozen(getattr(self, f.name)) for f in fields(self))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))

    def __repr__(self) -> str:
        values = [(f, getattr(self, f.name)) for f in fields(self)]
        while values and _is_default(*values[-1]):
            values.pop()
        return f"{type(self).__name__}({', '.join(repr(value) for _, value in values)})"

    def _repr_svg_(self) -> str | None:
        """Jupyter's picture of a small tile; see hocket.pictures.draw_layout for others."""
        from ..pictures import draw_layout

        try:
            return draw_layout(self).svg
        except ValueError:  # no map, or no shape implied: Jupyter shows the text
            return None


def _is_default(f: field, value: object) -> bool:
    if f.default_factory is not MISSING:
        return value == f.default_factory()
    return f.default is not MISSING and value == f.default


class DistributedLayout(Layout):
    """A layout of a tile in registers."""

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """One cell per element of a tile of `shape`: `T<thread>:<register>` of every holder."""
        from .layout_views import format_tensor_view

        return format_tensor_view(self, shape)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """One line per lane: the coordinates its registers hold in a tile of `shape`."""
        from .layout_views import format_hardware_view

        return format_hardware_view(self, shape)

    def _check_operand(self, k_width: int) -> None:
        """Raises ValueError where a dot operand of this accumulator layout cannot have `k_width`."""
        raise ValueError(f"DotOperandLayout: the parent must be the layout of an accumulator, not {self!r}")


class SharedLayout(Layout):
    """A layout of a tile in shared memory."""

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """One cell per element of a tile of `shape`: its offset in shared memory, in elements."""
        from .layout_views import format_shared_tensor_view

        return format_shared_tensor_view(self, shape)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """The coordinates of a tile of `shape` in the order of their offsets."""
        from .layout_views import format_shared_hardware_view

        return format_shared_hardware_view(self, shape)


@_value
class AutoLayout(DistributedLayout):
    """To be inferred by the compiler (not supported yet: name a layout)."""

    @property
    def rank(self) -> int:
        raise ValueError("the rank of an AutoLayout is not known")


@_value
class CoalescedLayout(DistributedLayout):
    """Let the compiler pick a layout with coalesced accesses (not supported yet: name a layout)."""

    @property
    def rank(self) -> int:
        raise ValueError("the rank of a CoalescedLayout is not known")


@_value
class BlockedLayout(DistributedLayout):
    """Registers x lanes x warps tiled over the tensor.

    Each lane holds a box of `size_per_thread` elements; lanes tile `threads_per_warp` such boxes; warps tile
    `warps_per_cta` of those. `order[0]` is the fastest dimension at each level. A tensor larger than the tile wraps
    around (more registers), a smaller one is held several times.

    Args: four lists with one entry per dimension; sizes are powers of two, `order` is a permutation.
    """

    size_per_thread: list[int]
    threads_per_warp: list[int]
    warps_per_cta: list[int]
    order: list[int]
    cga_layout: list[list[int]] = field(default_factory=list)

    def __post_init__(self):
        rank = None
        for name in ("size_per_thread", "threads_per_warp", "warps_per_cta"):
            sizes = check.powers_of_two(self, name, getattr(self, name))
            rank = check.same_length(self, name, sizes, rank)
            self._normalize(name, sizes)
        self._normalize("order", check.permutation(self, "order", self.order, rank))
        self._normalize("cga_layout", check.single_block(self, self.cga_layout))

    def _check_operand(self, k_width: int) -> None:
        if k_width != 0:
            raise ValueError(f"DotOperandLayout: k_width must be 0 for a BlockedLayout parent, got {k_width}")

    @property
    def rank(self) -> int:
        return len(self.order)


@_value
class SliceLayout(DistributedLayout):
    """`parent` with dimension `dim` removed: the layout of a reduction over `dim`, and of `expand_dims`' input."""

    dim: int
    parent: DistributedLayout

    def __post_init__(self):
        self._normalize("parent", check.distributed(self, "parent", self.parent, DistributedLayout))
        parent_rank = self.parent.rank
        if parent_rank < 2:
            raise ValueError(f"SliceLayout: parent has rank {parent_rank}; slicing needs rank 2 or more")
        self._normalize("dim", check.integer(self, "dim", self.dim, 0, parent_rank - 1))

    @property
    def rank(self) -> int:
        return self.parent.rank - 1


@_value
class DistributedLinearLayout(DistributedLayout):
    """A distributed layout given by its bases over F2, for tensors of one `shape`.

    Row i of `reg_bases` is the coordinate that bit i of the register index contributes by XOR; likewise for lanes,
    warps and blocks. Together they must reach every element; rows of zeros make copies, all others must be independent.
    """

    reg_bases: list[list[int]]
    lane_bases: list[list[int]]
    warp_bases: list[list[int]]
    block_bases: list[list[int]]
    shape: list[int]

    def __post_init__(self):
        shape = check.powers_of_two(self, "shape", self.shape)
        self._normalize("shape", shape)
        for name in ("reg_bases", "lane_bases", "warp_bases", "block_bases"):
            self._normalize(name, check.bases(self, name, getattr(self, name), shape))
        check.single_block(self, self.block_bases, "block_bases")
        check.reach_every_element(self, self.reg_bases + self.lane_bases + self.warp_bases, shape)

    @property
    def rank(self) -> int:
        return len(self.shape)


@_value
class DotOperandLayout(DistributedLayout):
    """Operand `operand_index` (0 or 1) of a dot whose accumulator has the layout `parent`.

    `k_width` counts the consecutive elements along K in one lane; it is 0 for a BlockedLayout parent (`dot_fma`).
    """

    operand_index: int
    parent: DistributedLayout
    k_width: int = 0

    def __post_init__(self):
        self._normalize("operand_index", check.integer(self, "operand_index", self.operand_index, 0, 1))
        self._normalize("parent", check.distributed(self, "parent", self.parent, DistributedLayout))
        self._normalize("k_width", check.integer(self, "k_width", self.k_width, 0, 64))
        if self.parent.rank not in (2, 3):
            raise ValueError(f"DotOperandLayout: the parent must have rank 2 or 3, got {self.parent!r}")
        self.parent._check_operand(self.k_width)

    @property
    def rank(self) -> int:
        return self.parent.rank


@_value
class SwizzledSharedLayout(SharedLayout):
    """Shared memory in `order` (`order[0]` fastest) whose vectors of `vec` elements are swizzled by XOR.

    The vector at index v of a row is stored at v XOR ((row / per_phase) % max_phase). `max_phase=1` is the plain
    layout.
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
        self._normalize("cga_layout", check.single_block(self, self.cga_layout))

    @property
    def rank(self) -> int:
        return len(self.order)


@_value
class PaddedSharedLayout(SharedLayout):
    """A linear shared layout with unused elements after each interval.

    Row i of `offset_bases` is the coordinate that bit i of the element offset contributes by XOR. Each pair
    `[interval, padding]` then inserts `padding` elements after every `interval` elements.
    """

    interval_padding_pairs: list[list[int]]
    offset_bases: list[list[int]]
    cga_layout: list[list[int]]
    shape: list[int]

    def __post_init__(self):
        self._normalize("interval_padding_pairs", check.interval_padding_pairs(self, self.interval_padding_pairs))
        shape = check.powers_of_two(self, "shape", self.shape)
        self._normalize("shape", shape)
        self._normalize("offset_bases", check.bases(self, "offset_bases", self.offset_bases, shape))
        self._normalize("cga_layout", check.single_block(self, self.cga_layout))
        check.bijective(self, "offset_bases", self.offset_bases, shape)

    @staticmethod
    @constexpr_function
    def with_identity_for(
        interval_padding_pairs: Sequence[Sequence[int]],
        shape: Sequence[int],
        order: Sequence[int],
        cga_layout: Sequence[Sequence[int]] = (),
    ) -> PaddedSharedLayout:
        """The padded layout of a tile stored in `order` (`order[0]` fastest) without any other reordering."""
        shape = check.powers_of_two("PaddedSharedLayout", "shape", shape)
        order = check.permutation("PaddedSharedLayout", "order", order, len(shape))
        offset_bases = []
        for dim in order:
            for bit in range(shape[dim].bit_length() - 1):
                offset_bases.append([1 << bit if d == dim else 0 for d in range(len(shape))])
        return PaddedSharedLayout(interval_padding_pairs, offset_bases, cga_layout, shape)

    @property
    def rank(self) -> int:
        return len(self.shape)


@_value
class SharedLinearLayout(SharedLayout):
    """An arbitrary linear shared layout (not supported in kernels yet)."""

    offset_bases: list[list[int]]
    block_bases: list[list[int]] = field(default_factory=list)
    alignment: int = 16

    def __post_init__(self):
        self._normalize("offset_bases", [check.integers(self, "offset_bases", row) for row in self.offset_bases])
        self._normalize("block_bases", check.single_block(self, self.block_bases, "block_bases"))

    @property
    def rank(self) -> int:
        return len(self.offset_bases[0]) if self.offset_bases else 0


@constexpr_function
def warps_per_cta(layout: DistributedLayout, shape: Sequence[int] | None = None) -> list[int]:
    """Warps along each dimension of a blocked or MFMA layout, or of the one a slice or dot operand was made from."""
    while isinstance(layout, (SliceLayout, DotOperandLayout)):
        layout = layout.parent
    warps = getattr(layout, "warps_per_cta", None)
    if warps is None:
        raise TypeError(f"warps_per_cta needs a BlockedLayout or an AMDMFMALayout, got {layout!r}")
    return list(warps)
