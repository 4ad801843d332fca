"""Requirements of the GEMM on Hopper for its arrays, and copies of arrays that do not meet them.

TMA       needs addresses, row strides and batch strides that are multiples of 16 bytes
wgmma     needs operands with K contiguous, unless elements have 16 bits: other operands are copied
result    needs contiguous rows; if instead its columns are contiguous, the kernel computes the transposed GEMM
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._common.arrays import copy_in_order

if TYPE_CHECKING:
    from .operands import Gemm, Operand

#: Granularity of TMA: addresses and strides are multiples of 16 bytes.
PIECE_BYTES = 16


def tma_obstacle(name: str, operand: Operand, is_stored: bool = False) -> str | None:
    """Returns the reason why TMA cannot address blocks of an array, or None."""
    size = operand.element_bits // 8
    if operand.misalignment:
        return f"{name} begins {operand.misalignment} bytes above a multiple of {PIECE_BYTES}"
    if operand.column_stride != 1 and operand.row_stride != 1:
        return f"no dimension of {name} is contiguous"
    stride = operand.column_stride if operand.is_transposed else operand.row_stride
    for what, value in (("rows", stride), ("matrices", operand.batch_stride)):
        if value * size % PIECE_BYTES:
            return f"{what} of {name} are {value * size} bytes apart, not a multiple of {PIECE_BYTES}"
    if is_stored and operand.column_stride != 1:
        return f"rows of {name} are not contiguous"
    if is_stored and operand.columns * size % PIECE_BYTES:
        return f"rows of {name} have {operand.columns * size} bytes, not a multiple of {PIECE_BYTES}"
    return None


def obstacle_of(gemm: Gemm) -> str | None:
    """Returns the reason why TMA cannot address the arrays of a GEMM, or None."""
    a, b, out = gemm.a, gemm.b, gemm.out
    return tma_obstacle("a", a) or tma_obstacle("b", b) or tma_obstacle("out", out, is_stored=True)


class Arrangement(NamedTuple):
    """A GEMM in the form that the Hopper kernel computes, and the changes of the caller's arrays that this form
    needs."""

    gemm: Gemm
    #: True if the kernel computes B^T x A^T, and thus the transpose of C.
    is_transposed: bool
    copies_a: bool
    copies_b: bool
    #: The reason why the kernel cannot compute the GEMM, or None.
    obstacle: str | None
    reasons: tuple[str, ...]

    def arrays(self, a: Any, b: Any, out: Any) -> tuple[Any, Any, Any]:
        """Returns the kernel arguments for the caller's arrays. If `copies_a` or `copies_b` is True, the operand is
        copied."""
        if self.copies_a:
            a = copy_in_order(a, False)
        if self.copies_b:
            b = copy_in_order(b, True)
        return (b, a, out) if self.is_transposed else (a, b, out)


def arrange(gemm: Gemm) -> Arrangement:
    """Returns the Arrangement of `gemm` that TMA and wgmma support."""
    stacked = gemm.stacked
    arranged = with_k_contiguous(stacked)
    copies = arranged.a != stacked.a, arranged.b != stacked.b
    reasons = [
        f"{name} is copied first, with K contiguous: tensor cores read {gemm.a.dtype} in no other order "
        "from shared memory"
        for name, is_copied in zip("ab", copies, strict=True)
        if is_copied
    ]
    if gemm.out.batch > 1:
        reasons.append(
            "the batch is computed as one GEMM: its matrices share b, and those of a and of out are one below the other"
            if stacked.out.batch == 1
            else "descriptors have a third dimension, for the batch"
        )
    # The epilogue adds one bias per column. In the transposed GEMM, `bias` would be a bias per row.
    is_transposed = arranged.out.is_transposed and not arranged.has_bias
    if is_transposed:
        arranged = arranged.transpose
        reasons.append("out has contiguous columns, not rows: the kernel computes B^T x A^T, whose transpose is out")
    return Arrangement(arranged, is_transposed, *copies, obstacle_of(arranged), tuple(reasons))


def with_k_contiguous(gemm: Gemm) -> Gemm:
    """Returns `gemm` with the strides that its operands have after they are copied with K contiguous. Only operands
    whose elements do not have 16 bits are copied, because wgmma needs their K contiguous."""
    a, b = gemm.a, gemm.b
    if a.element_bits == 16:
        return gemm
    if a.is_transposed:
        batch_stride = a.rows * a.columns if a.batch > 1 else 0
        a = a._replace(row_stride=a.columns, column_stride=1, batch_stride=batch_stride, misalignment=0)
    if b.row_stride != 1:
        batch_stride = b.rows * b.columns if b.batch > 1 else 0
        b = b._replace(row_stride=1, column_stride=b.rows, batch_stride=batch_stride, misalignment=0)
    return gemm._replace(a=a, b=b)
