"""Requirements of the GEMM on Hopper for its arrays, and copies of operands that do not meet them.

TMA       needs addresses, row strides and batch strides that are multiples of 16 bytes: other operands are copied
          (`padded_copy`). With multiples of 32 bytes, TMA is faster: other operands are copied if the plan says so
wgmma     needs operands with K contiguous, unless elements have 16 bits: other operands are copied
result    needs contiguous rows; if instead its columns are contiguous, the kernel computes the transposed GEMM. A
          result that TMA cannot store is stored by the lanes of the consumers
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .padded_copy import PaddedCopy, padded

if TYPE_CHECKING:
    from .operands import Gemm, Operand


#: Granularity of TMA, in bytes: addresses and strides are multiples.
PIECE_BYTES = 16

#: Bytes of a sector, the unit of reads from the L2.
SECTOR_BYTES = 32


def is_slow_to_load(operand: Operand) -> bool:
    """Returns True if rows of an operand begin inside a sector of the L2, so that TMA reads more sectors."""
    stride = operand.column_stride if operand.is_transposed else operand.row_stride
    size = operand.element_bits // 8
    return any(value % SECTOR_BYTES for value in (operand.misalignment, stride * size, operand.batch_stride * size))


def tma_obstacle(name: str, operand: Operand, is_stored: bool = False) -> str | None:
    """Returns the reason why TMA cannot address blocks of an array, or None."""
    size = operand.element_bits // 8
    if operand.misalignment % PIECE_BYTES:
        return f"{name} begins {operand.misalignment % PIECE_BYTES} bytes above a multiple of {PIECE_BYTES}"
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


class Arrangement(NamedTuple):
    """A GEMM in the form that the Hopper kernel computes, and the changes of the caller's arrays that this form
    needs."""

    gemm: Gemm
    #: True if the kernel computes B^T x A^T, and thus the transpose of C.
    is_transposed: bool
    #: The copies of the operands of `gemm`, or None for operands that are read where they are.
    copy_of_a: PaddedCopy | None
    copy_of_b: PaddedCopy | None
    #: For each result: True if TMA cannot store it, so lanes store it.
    by_lanes: tuple[bool, ...]
    reasons: tuple[str, ...]

    @property
    def copies(self) -> tuple[PaddedCopy, ...]:
        return tuple(copy for copy in (self.copy_of_a, self.copy_of_b) if copy)

    @property
    def stores_by_lanes(self) -> bool:
        """True if lanes store the result of a GEMM without a function of the user."""
        return self.by_lanes[0]

    @property
    def slow_loads(self) -> tuple[bool, bool]:
        """For A and B, whether rows begin inside a sector of the L2."""
        return is_slow_to_load(self.gemm.a), is_slow_to_load(self.gemm.b)

    def operands(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Returns the operands of the kernel for the caller's operands, and copies them if necessary."""
        if self.is_transposed:
            a, b = b, a
        if self.copy_of_a:
            a = self.copy_of_a.of(a)
        if self.copy_of_b:
            b = self.copy_of_b.of(b)
        return a, b


def arrange(gemm: Gemm, copies: tuple[bool, bool] = (False, False), is_transposed: bool | None = None) -> Arrangement:
    """Returns the Arrangement of `gemm` that TMA and wgmma support. `copies`: whether A and B of the arranged GEMM are
    copied if TMA could read them slowly. `is_transposed`: whether the kernel computes B^T x A^T. By default, it does so
    if the columns of the result are contiguous."""
    stacked = gemm.stacked
    reasons = []
    if gemm.out.batch > 1:
        reasons.append(
            "the batch is computed as one GEMM: its matrices share b, and those of a and of out are one below the other"
            if stacked.out.batch == 1
            else "descriptors have a third dimension, for the batch"
        )
    arranged = stacked
    if is_transposed is None and stacked.out.is_transposed and not stacked.has_bias:
        is_transposed = True
        reasons.append("out has contiguous columns, not rows: the kernel computes B^T x A^T, whose transpose is out")
    if is_transposed:
        arranged = stacked.transpose
    names = ("b", "a") if is_transposed else ("a", "b")
    a, why_a = with_tma(names[0], arranged.a, copies[0])
    b, why_b = with_tma(names[1], arranged.b.transpose, copies[1])
    b = b.transpose
    reasons += [why for why in (why_a, why_b) if why]
    if gemm.outputs:
        names_of_results = [f"out[{index}]" if len(gemm.outputs) > 1 else "out" for index in range(len(gemm.outputs))]
        results = dict(zip(names_of_results, arranged.outputs, strict=True))
    else:
        results = {"out": arranged.out}
    why_lanes = [tma_obstacle(name, result, is_stored=True) for name, result in results.items()]
    reasons += [f"lanes store the result, not TMA: {why}" for why in why_lanes if why]
    return Arrangement(
        gemm=arranged._replace(a=a, b=b),
        is_transposed=bool(is_transposed),
        copy_of_a=PaddedCopy(arranged.a, a) if why_a else None,
        copy_of_b=PaddedCopy(arranged.b, b) if why_b else None,
        by_lanes=tuple(why is not None for why in why_lanes),
        reasons=tuple(reasons),
    )


def with_tma(name: str, operand: Operand, is_copied: bool) -> tuple[Operand, str | None]:
    """Returns the form of `operand` that the kernel reads, and the reason why the kernel reads a copy, or None. K is
    the dimension along the rows of `operand`. `is_copied`: whether to copy an operand that TMA can read."""
    needs_contiguous_k = operand.element_bits != 16
    if needs_contiguous_k and operand.column_stride != 1:
        why = f"K contiguous: tensor cores read {operand.dtype} in no other order from shared memory"
        return padded(operand, True), f"{name} is copied first, with {why}"
    why = tma_obstacle(name, operand)
    if why is None and is_copied:
        why = f"rows of {name} begin inside sectors of {SECTOR_BYTES} bytes"
    if why is None:
        return operand, None
    return padded(operand, not operand.is_transposed), f"{name} is copied first, with padded rows, for TMA: {why}"
