"""How arrays must lie for the product on Hopper, and what is done where they do not.

TMA       pieces of 16 bytes: addresses, and distances of rows and of matrices, are multiples of it
wgmma     reads elements that are not of 16 bits only with K contiguous: other operands are copied so
result    rows are contiguous; or columns are, then the transposed product is computed

"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .arrays import copy_in_order

if TYPE_CHECKING:
    from .matmul_operands import Operand, Product

#: TMA moves pieces of so many bytes.
PIECE_BYTES = 16


def tma_obstacle(name: str, operand: Operand, is_stored: bool = False) -> str | None:
    """Why TMA cannot move blocks of an array, or None if it can."""
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


def obstacle_of(product: Product) -> str | None:
    """Why TMA cannot move the arrays of a product, or None."""
    a, b, out = product.a, product.b, product.out
    return tma_obstacle("a", a) or tma_obstacle("b", b) or tma_obstacle("out", out, is_stored=True)


class Arrangement(NamedTuple):
    """A product as the kernel for Hopper computes it."""

    product: Product
    #: Whether it is B^T x A^T, whose result is the transpose.
    is_transposed: bool
    copies_a: bool
    copies_b: bool
    #: Why it cannot be computed so, or None.
    obstacle: str | None
    reasons: tuple[str, ...]

    def arrays(self, a: Any, b: Any, out: Any) -> tuple[Any, Any, Any]:
        """Those of `product`, in its order, from those of the product that was asked for."""
        if self.copies_a:
            a = copy_in_order(a, False)
        if self.copies_b:
            b = copy_in_order(b, True)
        return (b, a, out) if self.is_transposed else (a, b, out)


def arrange(product: Product) -> Arrangement:
    """`product` so that TMA and tensor cores can take it."""
    stacked = product.stacked
    arranged = with_k_contiguous(stacked)
    copies = arranged.a != stacked.a, arranged.b != stacked.b
    reasons = [
        f"{name} is copied first, with K contiguous: in no other order do tensor cores take {product.a.dtype} from "
        "shared memory"
        for name, is_copied in zip("ab", copies, strict=True)
        if is_copied
    ]
    if product.out.batch > 1:
        reasons.append(
            "all of the batch are one product: they share b, and a and out have their matrices one below the other"
            if stacked.out.batch == 1
            else "descriptors have a third dimension, for the batch"
        )
    # A bias per column would be one per row.
    is_transposed = arranged.out.is_transposed and not arranged.has_bias
    if is_transposed:
        arranged = arranged.transpose
        reasons.append("rows of out are not contiguous, columns are: B^T x A^T, of which out is the transpose")
    return Arrangement(arranged, is_transposed, *copies, obstacle_of(arranged), tuple(reasons))


def with_k_contiguous(product: Product) -> Product:
    """`product` with copies of the operands that tensor cores would need in another order: from shared memory they take
    elements that are not of 16 bits only with K contiguous."""
    a, b = product.a, product.b
    if a.element_bits == 16:
        return product
    if a.is_transposed:
        batch_stride = a.rows * a.columns if a.batch > 1 else 0
        a = a._replace(row_stride=a.columns, column_stride=1, batch_stride=batch_stride, misalignment=0)
    if b.row_stride != 1:
        batch_stride = b.rows * b.columns if b.batch > 1 else 0
        b = b._replace(row_stride=1, column_stride=b.rows, batch_stride=batch_stride, misalignment=0)
    return product._replace(a=a, b=b)
