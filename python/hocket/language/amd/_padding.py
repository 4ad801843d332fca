"""Padded LDS layouts without bank conflicts for operands of MFMA."""

from __future__ import annotations

from .._constexpr import constexpr_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._dtype import dtype as DType
    from .._layouts import DistributedLayout, DotOperandLayout, PaddedSharedLayout


@constexpr_function
def compute_efficient_padded_shared_layout(
    dot_op_layout: DotOperandLayout,
    shape: Sequence[int],
    dtype: DType,
    is_k_contig: bool = True,
    stores: DistributedLayout | None = None,
) -> PaddedSharedLayout | None:
    """Returns a padded layout from which an operand is read without bank conflicts, or None if no such layout exists.
    As in Gluon, the result is None for a `k_width` below 4.

    For reads of 16 bytes, the result is a layout without any conflict, or None. For narrower reads, the result is the
    layout with the fewest wavefronts, or None if this number is more than twice the ideal number. On CDNA4, a
    direct-to-LDS copy can fill the layout; on CDNA3, `smem.store` can, in accesses of 16 bytes. _padding_search.py
    explains the rule.

    Args:
        dot_op_layout: a DotOperandLayout of an AMDMFMALayout, whose version determines the GPU.
        shape: shape of the tile in shared memory, [M, K] or [K, N].
        dtype: dtype of the tile's elements.
        is_k_contig: True if neighbors along K are neighbors in memory.
        stores: register layout from which the kernel stores the tile. If `stores` is given, the result is a layout
            without conflicts for the stores and the reads, or None; `is_k_contig` must be True.

    Raises ValueError for an unsupported layout, a layout that does not fit the shape, or an invalid dtype.

    Example:
        mfma = amd.AMDMFMALayout(4, [16, 16, 32], True, [2, 2])
        operand = gl.DotOperandLayout(0, mfma, 8)
        shared = amd.cdna4.compute_efficient_padded_shared_layout(operand, [256, 64], gl.float16, True)
    """
    from .._dtype import dtype as DType
    from .._layouts import DistributedLayout, DotOperandLayout
    from .._layouts.amd import AMDMFMALayout
    from .._layouts.checks import tensor_shape
    from ._padding_search import TARGETS, search, search_stored

    parent = dot_op_layout.parent if isinstance(dot_op_layout, DotOperandLayout) else None
    if not isinstance(parent, AMDMFMALayout):
        raise ValueError(f"padding is computed for a DotOperandLayout of an AMDMFMALayout, not {dot_op_layout!r}")
    if parent.version not in TARGETS:
        raise ValueError(
            f"padding is known for MFMA of version {' and '.join(map(str, TARGETS))}, not {parent.version}"
        )
    if not isinstance(dtype, DType) or not dtype.itemsize:
        raise ValueError(f"dtype must be the element type of the tile, such as gl.float16, not {dtype!r}")
    shape = tensor_shape("compute_efficient_padded_shared_layout", shape)
    if len(shape) != 2 or parent.rank != 2:
        raise ValueError(f"the tile must have 2 dimensions, but its shape is {shape}")
    if stores is None:
        return search(dot_op_layout, tuple(shape), dtype, bool(is_k_contig))
    if not isinstance(stores, DistributedLayout):
        raise ValueError(f"stores must be the layout of a tensor in registers, not {stores!r}")
    if not is_k_contig:
        raise ValueError("stores are counted of tiles that are contiguous along K: is_k_contig must be True")
    return search_stored(dot_op_layout, tuple(shape), dtype, stores)
