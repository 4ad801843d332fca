"""Layouts of tiles in registers."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from .._constexpr import constexpr_function
from . import checks as check
from .base import DistributedLayout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "SliceLayout",
    "make_cga_layout",
    "warps_per_cta",
]

# Number of elements along K that a picture shows for an operand of dot_fma.
_K = 4


@dataclass(frozen=True, eq=False, repr=False)
class AutoLayout(DistributedLayout):
    """Placeholder for a layout that the compiler infers: operations with other tensors determine the layout.

    `AutoLayout` is the default layout of `arange`, `zeros` and `full`. Elementwise operations, `expand_dims`,
    reductions, loads, loops and calls preserve `AutoLayout`. `set_auto_layout`, or a tensor with a known layout,
    determines the layout of all connected values. If a tensor would need two different layouts, a `CompileError` names
    both layouts. Addresses, masks and constants may be used in several layouts. If no tensor has a known layout, the
    compiler chooses a layout that suits the accesses of global memory.

    Example:
        >>> offsets = gl.arange(0, 4)
        >>> x = offsets + gl.full([4], 1, gl.int32, L)  # in L, as are the offsets
    """

    _is_undecided = True

    @property
    def rank(self) -> int:
        raise ValueError("the rank of an AutoLayout is not known")


@dataclass(frozen=True, eq=False, repr=False)
class CoalescedLayout(DistributedLayout):
    """A blocked layout that the compiler chooses for an access of global memory.

    The lanes of a warp access neighboring elements, and each lane accesses a vector. The mask, and the contiguity and
    alignment of the addresses, limit the size of the vector. If several tensors must have equal layouts, the first
    access determines the layout. The compiler converts a tensor in this layout where an operation requires another
    layout (`set_auto_layout`, or an operation with a tensor in a known layout).

    Example:
        >>> offsets = gl.arange(0, 4, layout=gl.CoalescedLayout())
    """

    _is_undecided = True

    @property
    def rank(self) -> int:
        raise ValueError("the rank of a CoalescedLayout is not known")


@dataclass(frozen=True, eq=False, repr=False)
class BlockedLayout(DistributedLayout):
    """Distributes a tensor over registers, lanes and warps.

    Each lane holds a box of `size_per_thread` elements; a warp holds the adjacent boxes of `threads_per_warp` lanes;
    the block holds the adjacent boxes of `warps_per_cta` warps. At each level, `order[0]` is the dimension that varies
    fastest. A larger tensor wraps around (more registers), and a smaller tensor is replicated.

    The four lists have one entry per dimension; sizes are powers of two, `order` is a permutation. `cga_layout`
    distributes the tile over the blocks of a cluster (`num_ctas`): row i is the offset that bit i of a block's rank
    contributes, in units of one block's part of the tile. If row i is zero, blocks whose ranks differ only in bit i
    hold copies. Without `cga_layout`, all blocks hold copies. `make_cga_layout` makes the rows.
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
        self._normalize("cga_layout", check.cluster_rows(self, self.cga_layout, rank))

    def _check_operand(self, k_width: int) -> None:
        if k_width != 0:
            raise ValueError(f"DotOperandLayout: k_width must be 0 for a BlockedLayout parent, got {k_width}")

    def _operand_depth(self, k_width: int) -> int:
        return _K

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        return list(self.warps_per_cta)

    def natural_shape(self) -> list[int]:
        levels = zip(self.size_per_thread, self.threads_per_warp, self.warps_per_cta, strict=True)
        return [prod(sizes) for sizes in levels]

    @property
    def rank(self) -> int:
        return len(self.order)


@dataclass(frozen=True, eq=False, repr=False)
class SliceLayout(DistributedLayout):
    """`parent` without dimension `dim`: the layout of a reduction over `dim`, and of the input of `expand_dims`."""

    dim: int
    parent: DistributedLayout

    def __post_init__(self):
        self._normalize("parent", check.distributed(self, "parent", self.parent, DistributedLayout))
        parent_rank = self.parent.rank
        if parent_rank < 2:
            raise ValueError(f"SliceLayout: parent has rank {parent_rank}; slicing needs rank 2 or more")
        self._normalize("dim", check.integer(self, "dim", self.dim, 0, parent_rank - 1))

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        return self.parent._warps_per_cta(shape and [*shape[: self.dim], 1, *shape[self.dim :]])

    def natural_shape(self) -> list[int]:
        shape = self.parent.natural_shape()
        return shape[: self.dim] + shape[self.dim + 1 :]

    @property
    def rank(self) -> int:
        return self.parent.rank - 1


@dataclass(frozen=True, eq=False, repr=False)
class DistributedLinearLayout(DistributedLayout):
    """A distributed layout given by its basis vectors over F2, for tensors of one `shape`.

    Row i of `reg_bases` is the coordinate that bit i of the register index contributes by XOR; `lane_bases`,
    `warp_bases` and `block_bases` have the same meaning for lanes, warps and blocks. All bases together must reach
    every element. Rows of zeros, and rows that are sums of other rows, replicate elements.
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
        rows = self.reg_bases + self.lane_bases + self.warp_bases + self.block_bases
        check.reach_every_element(self, rows, shape)

    def natural_shape(self) -> list[int]:
        return list(self.shape)

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, eq=False, repr=False)
class DotOperandLayout(DistributedLayout):
    """Layout of operand `operand_index` (0 or 1) of a dot whose accumulator has the layout `parent`.

    `k_width` is the number of consecutive elements along K in one lane; `k_width` is 0 for a BlockedLayout parent
    (`dot_fma`).
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

    def _warps_per_cta(self, shape: Sequence[int] | None = None) -> list[int]:
        return self.parent._warps_per_cta()

    def natural_shape(self) -> list[int]:
        shape = self.parent.natural_shape()
        shape[-1 if self.operand_index == 0 else -2] = self.parent._operand_depth(self.k_width)
        return shape

    @property
    def rank(self) -> int:
        return self.parent.rank


@constexpr_function
def make_cga_layout(ctas_per_cga: Sequence[int], cta_split: Sequence[int], cta_order: Sequence[int]) -> list[list[int]]:
    """Returns the `cga_layout` of a tile that is distributed over a cluster.

    Args:
        ctas_per_cga: number of blocks along each dimension, powers of two.
        cta_split: number of parts of the tile along each dimension; if there are more blocks than parts, several blocks
            hold copies of a part.
        cta_order: order of the dimensions in the numbering of blocks, the fastest first.

    Example:
        >>> gl.make_cga_layout([2, 2], [2, 1], [1, 0])  # rows are divided, columns copied
        [[0, 0], [1, 0]]
    """
    blocks = check.powers_of_two("make_cga_layout", "ctas_per_cga", ctas_per_cga)
    split = check.powers_of_two("make_cga_layout", "cta_split", cta_split)
    order = check.permutation("make_cga_layout", "cta_order", cta_order, len(blocks))
    check.same_length("make_cga_layout", "cta_split", split, len(blocks))
    rows = []
    for dim in order:
        place = 1
        while place < blocks[dim]:
            rows.append([place if d == dim and place < split[dim] else 0 for d in range(len(blocks))])
            place *= 2
    return check.cluster_rows("make_cga_layout", rows, len(blocks))


@constexpr_function
def warps_per_cta(layout: DistributedLayout, shape: Sequence[int] | None = None) -> list[int]:
    """Returns the number of warps along each dimension of a tile of `shape`. Warps that hold the same elements count
    once.

    For layouts with a fixed number of warps, the function needs no shape and returns all warps. For a slice or dot
    operand, the function returns the result of the parent layout. All other layouts, such as a
    `DistributedLinearLayout`, need the shape.

    Example:
        >>> gl.warps_per_cta(gl.BlockedLayout([1, 1], [4, 8], [2, 2], [1, 0]))
        [2, 2]

    Errors: TypeError if `layout` is not a distributed layout, or needs a shape; ValueError if the elements of a warp do
    not form a box.
    """
    if not isinstance(layout, DistributedLayout):
        raise TypeError(f"warps_per_cta needs a layout that counts warps, such as a BlockedLayout, got {layout!r}")
    return layout._warps_per_cta(shape)
