"""Plans of the GEMM with few rows on CUDA cores, which reads B once, at the bandwidth of memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ... import cdiv
from ...language import BlockedLayout
from .._common.work_counter import COUNTERS
from .arrays_hopper import tma_obstacle

if TYPE_CHECKING:
    from .operands import Gemm, Operand

#: Largest number of rows of A.
MOST_ROWS = 8

#: Fewest bytes of an operand that is called large. Most of the time of a GEMM with few rows and a large B is that of
#: reading B.
LARGE_BYTES = 64 << 20

#: Largest number of rows for which the cost model chooses this kernel, for B with N contiguous and with K contiguous.
#: With more rows, tensor cores are faster. TMA cannot read unaligned operands without a copy, which takes longer than
#: the multiplication unless B is large and N contiguous. The limits were measured on an H200 with B of 117 to 134 MB,
#: and with GEMMs of drawn sizes (docs/lab/hopper_kernels.md).
ALIGNED_ROWS, UNALIGNED_ROWS, UNALIGNED_ROWS_OF_LARGE = (2, 3), (8, 8), (4, 8)

#: dtypes of operands.
DTYPES = ("float16", "bfloat16", "float32")

#: Largest number of bytes that a lane loads at once.
ACCESS_BYTES = 16
LANES = 32

#: Warps per SM up to which splits of K are added, for lanes that load vectors and for lanes that load single elements.
WARPS_PER_SM, WARPS_PER_SM_OF_ELEMENTS = 16, 32

#: Largest number of tiles of B that are loaded before they are multiplied, and fewest steps of a split.
MOST_UNROLLED, FEWEST_STEPS = 8, 2


class FewRowsForm(NamedTuple):
    """A GEMM in the form that the kernel computes: A has at most `MOST_ROWS` rows."""

    gemm: Gemm
    #: True if the kernel computes B^T x A^T, because B has few columns.
    is_swapped: bool


@dataclass(frozen=True)
class FewRowsPlan:
    """A plan of the GEMM with few rows: the part of B that a CTA reads, and the order in which its lanes read it."""

    #: Number of rows of A.
    rows: int
    #: Number of warps of a CTA.
    warps: int
    #: True if K is contiguous in B.
    is_k_contiguous: bool
    #: Number of adjacent elements of B that a lane loads at once.
    vector: int
    #: Number of columns of C of a CTA, and K extent of a tile of B.
    block_n: int
    block_k: int
    #: Number of tiles of B that are loaded before the first one is multiplied.
    unrolled: int
    #: Number of CTAs that share the K extent of a block of columns (split-K).
    splits: int = 1
    reasons: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """Extent of K of an iteration of the kernel."""
        return self.block_k * self.unrolled

    @property
    def tile(self) -> str:
        """Rows and columns of C that a CTA computes, such as "8 x 32"."""
        return f"{self.rows} x {self.block_n}"

    @property
    def layout(self) -> BlockedLayout:
        """Layout of a tile of B^T [block_n, block_k]."""
        if self.is_k_contiguous:
            warps = self.block_k // (LANES * self.vector)
            return BlockedLayout([1, self.vector], [1, LANES], [self.warps // warps, warps], [1, 0])
        lanes = self.block_n // self.vector
        return BlockedLayout([self.vector, 1], [lanes, LANES // lanes], [1, self.warps], [0, 1])


def alignment_of(operand: Operand) -> int:
    """Returns the number of adjacent elements that a lane can load at once, everywhere in an array: a power of two."""
    size = operand.element_bits // 8
    contiguous, stride = operand.columns, operand.row_stride
    if operand.is_transposed:
        contiguous, stride = operand.rows, operand.column_stride
    vector = ACCESS_BYTES // size
    while vector > 1 and (
        operand.misalignment % (vector * size) or any(x % vector for x in (contiguous, stride, operand.batch_stride))
    ):
        vector //= 2
    return vector


def few_rows_form(gemm: Gemm) -> FewRowsForm | None:
    """Returns the form of `gemm` that the kernel computes, or None if the kernel cannot compute it."""
    stacked = gemm.stacked
    if stacked.a.dtype not in DTYPES:
        return None
    if stacked.out.rows <= MOST_ROWS:
        return FewRowsForm(stacked, False)
    # In the transposed GEMM, the bias has one number per row.
    if stacked.out.columns <= MOST_ROWS and not stacked.has_bias:
        return FewRowsForm(stacked.transpose, True)
    return None


def is_large(operand: Operand) -> bool:
    """Returns True if an operand is one matrix of 16-bit elements, of at least `LARGE_BYTES`."""
    size = operand.rows * operand.columns * operand.element_bits // 8
    return operand.batch == 1 and operand.element_bits == 16 and size >= LARGE_BYTES


def is_fastest(form: FewRowsForm) -> bool:
    """Returns True if this kernel was measured to be faster on Hopper than the kernels for tensor cores."""
    a, b = form.gemm.a, form.gemm.b
    if b.element_bits != 16:
        return False
    limits = ALIGNED_ROWS
    if tma_obstacle("a", a) or tma_obstacle("b", b):
        limits = UNALIGNED_ROWS_OF_LARGE if is_large(b) else UNALIGNED_ROWS
    return form.gemm.out.rows <= limits[b.is_transposed]


def choose_few_rows_plan(form: FewRowsForm, multiprocessors: int) -> FewRowsPlan:
    """Chooses the plan for a GEMM with few rows: the longest vectors that the alignment of B permits, and splits of
    K that fill the SMs with warps."""
    b, out = form.gemm.b, form.gemm.out
    vector = alignment_of(b)
    shape = shape_along_k if b.is_transposed else shape_along_n
    plan = FewRowsPlan(out.rows, *shape(vector, b.rows, out.rows))
    blocks = cdiv(out.columns, plan.block_n) * out.batch
    splits = 1
    if blocks <= COUNTERS:
        wanted = multiprocessors * (WARPS_PER_SM if vector > 1 else WARPS_PER_SM_OF_ELEMENTS) // (blocks * plan.warps)
        splits = max(1, min(wanted, cdiv(b.rows, plan.step) // FEWEST_STEPS))
    return replace(plan, splits=splits, reasons=reasons_of(plan, form, blocks, splits))


def shape_along_k(vector: int, k: int, rows: int) -> tuple[int, bool, int, int, int, int]:
    """Returns the shape of a plan for B with K contiguous, from `warps` to `unrolled`. Up to four warps are side by
    side along K, each with one column, or with two columns if A has several rows, which serve both."""
    if vector > 1 and rows > 1:
        warps, along_k, unrolled = 4, 1, max(MOST_UNROLLED // rows, 1)
    else:
        warps, along_k = 8 if vector > 1 else 4, most_in(k, LANES * vector, 4)
        unrolled = MOST_UNROLLED if vector > 1 else MOST_UNROLLED // 2
    block_k = along_k * LANES * vector
    return warps, True, vector, warps // along_k * min(rows, 2), block_k, most_in(k, block_k, unrolled)


def shape_along_n(vector: int, k: int, rows: int) -> tuple[int, bool, int, int, int, int]:
    """Returns the shape of a plan for B with N contiguous, from `warps` to `unrolled`: lanes side by side along N for
    rows of at least 64 bytes of 16-bit elements, the other lanes and the warps along K."""
    warps = 4 if vector > 1 else 8
    lanes = max(LANES // vector, 8)
    block_k = LANES // lanes * warps
    return warps, False, vector, lanes * vector, block_k, most_in(k, block_k, MOST_UNROLLED)


def most_in(extent: int, unit: int, most: int) -> int:
    """Returns the largest power of two, at most `most`, such that this number of units is inside an extent; at least
    1."""
    return 1 << (max(min(most, extent // unit), 1).bit_length() - 1)


def reasons_of(plan: FewRowsPlan, form: FewRowsForm, blocks: int, splits: int) -> tuple[str, ...]:
    """Returns sentences about a plan."""
    operands = "b has few columns: the kernel computes B^T x A^T" if form.is_swapped else "a has few rows"
    along = "K" if plan.is_k_contiguous else "N"
    return (
        f"{operands}: CUDA cores multiply while memory delivers the large operand, which is read once",
        f"{blocks} blocks of {plan.block_n} columns by {plan.warps} warps"
        + (f", each divided into {splits} splits of K" if splits > 1 else ""),
        f"lanes load {plan.vector} adjacent elements of {along}, {plan.unrolled} times before the first is multiplied",
    )
