"""Arguments of GEMMs: properties of their arrays, and checks that do not depend on the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import LaunchError
from .._common.arrays import ArrayFacts, facts_of
from .._common.checks import hint_for_dtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ACTIVATIONS = ("relu", "gelu_tanh", "silu")

#: Widths in bits of the dtypes of results, indexed by NumPy's name of the dtype.
RESULTS = {"float32": 32, "float16": 16, "bfloat16": 16, "float8_e4m3fn": 8, "float8_e5m2": 8}


class Operand(NamedTuple):
    """The matrices of one array: `batch` matrices of `rows` x `columns`, with strides in elements."""

    batch: int
    rows: int
    columns: int
    batch_stride: int
    row_stride: int
    column_stride: int
    dtype: str
    element_bits: int
    #: The array's address modulo 32.
    misalignment: int

    @property
    def is_transposed(self) -> bool:
        """True if the elements of a column are contiguous, and those of a row are not."""
        return self.column_stride != 1 and self.row_stride == 1

    @property
    def transpose(self) -> Operand:
        return self._replace(
            rows=self.columns, columns=self.rows, row_stride=self.column_stride, column_stride=self.row_stride
        )

    @property
    def is_tall(self) -> bool:
        """True if the matrices of the batch form one tall matrix: the rows of each matrix directly follow those of the
        previous one in memory."""
        return self.batch > 1 and self.column_stride == 1 and self.batch_stride == self.rows * self.row_stride

    @property
    def stacked(self) -> Operand:
        return self._replace(batch=1, batch_stride=0, rows=self.batch * self.rows)


class Gemm(NamedTuple):
    """A GEMM: activation(a x b + bias). With a function of the user as epilogue, `outputs` are the arrays that the
    function computes, and `out` is not an array, but has the sizes of a x b."""

    a: Operand
    b: Operand
    out: Operand
    has_bias: bool
    activation: str
    outputs: tuple[Operand, ...] = ()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """M, N and K of the GEMM."""
        return self.out.rows, self.out.columns, self.a.columns

    @property
    def largest_factor(self) -> int:
        """Largest factor by which an output of the function has fewer columns than a x b. A tile needs at least this
        number of columns."""
        return max((self.out.columns // output.columns for output in self.outputs), default=1)

    @property
    def transpose(self) -> Gemm:
        """Returns the GEMM whose result is the transpose of this GEMM's result: B^T x A^T."""
        outputs = tuple(output.transpose for output in self.outputs)
        return self._replace(a=self.b.transpose, b=self.a.transpose, out=self.out.transpose, outputs=outputs)

    @property
    def stacked(self) -> Gemm:
        """Returns the batch as a single tall GEMM, if all matrices of the batch share B, and A and the results are
        tall."""
        if self.b.batch > 1 or not all(operand.is_tall for operand in (self.a, self.out, *self.outputs)):
            return self
        outputs = tuple(output.stacked for output in self.outputs)
        return self._replace(a=self.a.stacked, out=self.out.stacked, outputs=outputs)


def operand_of(name: str, facts: ArrayFacts, misalignment: int = 0) -> Operand:
    """Returns the Operand of an array with two dimensions, or with three dimensions, of which the first is the
    batch."""
    if len(facts.shape) not in (2, 3):
        raise LaunchError(
            f"matmul: {name} must be a matrix, or a batch of matrices, but its shape is {list(facts.shape)}"
        )
    batch, (batch_stride, *strides) = 1, (0, *facts.strides)
    if len(facts.shape) == 3:
        batch, batch_stride, strides = facts.shape[0], facts.strides[0], list(facts.strides[1:])
    rows, columns = facts.shape[-2:]
    # The stride of a dimension of size 1 has no effect. It is therefore replaced by a stride that meets the alignment
    # rules.
    if columns == 1:
        strides[1] = -(-rows // 16) * 16 if strides[0] == 1 and rows > 1 else 1
    if rows == 1 and strides[1] == 1:
        strides[0] = -(-columns // 16) * 16
    if batch == 1:
        batch_stride = 0
    return Operand(batch, rows, columns, batch_stride, *strides, facts.dtype, facts.element_bits, misalignment)


def check_contiguous(name: str, facts: ArrayFacts) -> None:
    """Raises a LaunchError unless the rows or the columns of the matrices are contiguous."""
    shape, strides = facts.shape[-2:], facts.strides[-2:]
    if any(stride < 0 for stride in facts.strides):
        raise LaunchError(
            f"matmul: {name} has a negative stride: its strides are {list(facts.strides)}\n"
            f"  hint: copy it, as in numpy.ascontiguousarray({name})"
        )
    if not any(stride == 1 or size == 1 for size, stride in zip(shape, strides, strict=True)):
        raise LaunchError(
            f"matmul: a dimension of {name} must be contiguous, but its strides are {list(facts.strides)}; copy {name}"
        )


def check_operands(a: ArrayFacts, b: ArrayFacts) -> None:
    """Raises a LaunchError unless the shapes and dtypes of the operands match."""
    (m, k), (k_of_b, n) = a.shape[-2:], b.shape[-2:]
    if k != k_of_b:
        raise LaunchError(f"matmul: a is {m} x {k} and b is {k_of_b} x {n}; the inner sizes must be equal")
    if len(a.shape) == len(b.shape) == 3 and a.shape[0] != b.shape[0]:
        raise LaunchError(f"matmul: a is a batch of {a.shape[0]} and b of {b.shape[0]}; they must be equal")
    if a.dtype != b.dtype:
        raise LaunchError(f"matmul: a is {a.dtype} and b is {b.dtype}; they must be of one dtype")


def check_element(dtype: Any, target: str, known: Iterable[str]) -> None:
    """Raises a LaunchError unless `dtype` is one of the dtypes `known` that a target multiplies."""
    if not isinstance(dtype, str) or dtype not in known:
        raise LaunchError(f"matmul on {target} multiplies {', '.join(known)}, not {dtype}{hint_for_dtype(dtype)}")


def result_shape(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """Returns the shape of a x b."""
    batch = a[0] if len(a) == 3 else b[0]
    return (batch, a[-2], b[-1]) if max(len(a), len(b)) == 3 else (a[0], b[1])


def check_bias(bias: Any, n: int) -> None:
    """Raises a LaunchError unless `bias` is a contiguous vector of `n` numbers."""
    facts = facts_of(bias, "matmul: bias")
    if facts.shape != (n,) or (n > 1 and facts.strides != (1,)):
        raise LaunchError(
            f"matmul: bias must be contiguous, of shape [{n}], a number per column of the result, but its shape is "
            f"{list(facts.shape)} and its strides are {list(facts.strides)}"
        )
    if facts.dtype not in ("float32", "float16", "bfloat16"):
        raise LaunchError(f"matmul: bias must be float32, float16 or bfloat16, not {facts.dtype}")


def check_activation(activation: str | None) -> None:
    """Raises a LaunchError unless `activation` is the name of a supported activation."""
    if activation is not None and not (isinstance(activation, str) and activation in ACTIVATIONS):
        raise LaunchError(f"matmul: activation must be None, {', '.join(ACTIVATIONS)}, not {activation!r}")
