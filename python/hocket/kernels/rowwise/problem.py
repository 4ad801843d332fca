"""The problem of an operation on rows (operation, sizes, dtype): a subclass of the Problem that the planner of `norms`
reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...errors import LaunchError
from .._common.cached_hash import cached_hash
from ..norms.problem import ELEMENT_BITS, MOST_COLUMNS, Problem


class Operation(NamedTuple):
    """Properties of an operation on which plans depend."""

    #: Number of [rows, columns] matrices that the operation reads, and number of such matrices that it writes.
    reads: int
    writes: int
    #: Number of times that a row is read again if the row does not fit into registers.
    repeated_reads: int
    #: Number of transcendental instructions per element, and number of other instructions per element, in addition to
    #: the instructions of a norm.
    transcendentals: float = 0
    others: float = 0
    #: True if each element of the result depends only on the elements at its position, and on values that are stored
    #: per row.
    is_elementwise: bool = False
    most_columns: int = MOST_COLUMNS
    #: Number of bits of an element of the result. None if the result has the dtype of the rows.
    result_bits: int | None = None
    #: True if the operation is a norm, which may have a weight, a bias and a residual.
    is_norm: bool = False
    #: True if the operation has kernels of the staged and of the warp-specialized variant.
    is_copied: bool = False
    #: True if the operation has kernels of the multi-wave variant.
    is_resident: bool = True


#: Largest number of columns of softmax, log-softmax and cross-entropy.
_MOST_VOCABULARY = 1 << 18

#: Largest number of columns of the gated activations.
_MOST_ELEMENTS = 1 << 28

#: Largest number of elements of a group of group norm.
_MOST_IN_GROUP = 1 << 24

OPERATIONS = {
    "softmax": Operation(1, 1, 1, transcendentals=1, is_copied=True, most_columns=_MOST_VOCABULARY),
    "log_softmax": Operation(1, 1, 1, transcendentals=1, is_copied=True, most_columns=_MOST_VOCABULARY),
    "softmax_backward": Operation(2, 1, 1, is_copied=True, most_columns=_MOST_VOCABULARY),
    "log_softmax_backward": Operation(2, 1, 1, transcendentals=1, is_copied=True, most_columns=_MOST_VOCABULARY),
    "cross_entropy": Operation(1, 0, 0, transcendentals=1, most_columns=_MOST_VOCABULARY),
    "cross_entropy_backward": Operation(1, 1, 0, transcendentals=1, is_elementwise=True, most_columns=_MOST_VOCABULARY),
    "swiglu": Operation(2, 1, 0, transcendentals=2, is_elementwise=True, most_columns=_MOST_ELEMENTS),
    "swiglu_backward": Operation(
        3, 2, 0, transcendentals=2, others=6, is_elementwise=True, most_columns=_MOST_ELEMENTS
    ),
    "geglu": Operation(2, 1, 0, transcendentals=2, others=16, is_elementwise=True, most_columns=_MOST_ELEMENTS),
    "geglu_backward": Operation(
        3, 2, 0, transcendentals=3, others=24, is_elementwise=True, most_columns=_MOST_ELEMENTS
    ),
    "group_norm": Operation(1, 1, 1, others=3, is_norm=True, most_columns=_MOST_IN_GROUP),
    "group_norm_backward": Operation(2, 1, 1, others=8, is_resident=False, most_columns=_MOST_IN_GROUP),
    "rms_norm_quantized": Operation(1, 1, 2, others=4, result_bits=8, is_norm=True),
    "layer_norm_quantized": Operation(1, 1, 3, others=4, result_bits=8, is_norm=True),
}

#: A transcendental instruction takes as long as this number of FMAs, because per clock an SM computes 16 lanes of
#: transcendental instructions, and 128 lanes of FMAs.
_TRANSCENDENTAL = 8


@cached_hash
@dataclass(frozen=True)
class RowProblem(Problem):
    """An operation on rows that has no sums over rows. Only norms have weight, bias and residual."""

    has_weight: bool = False
    has_bias: bool = False

    @property
    def _properties(self) -> Operation:
        return OPERATIONS[self.operation]

    @property
    def is_divided(self) -> bool:
        """True if rows that do not fit into registers are divided among blocks, in two launches (split variant)."""
        return self.operation.startswith("group_norm")

    @property
    def is_elementwise(self) -> bool:
        """True if the elements of a row are independent, so that a row may be divided among blocks."""
        return self._properties.is_elementwise

    @property
    def is_centered(self) -> bool:
        """True if the mean of a row is subtracted."""
        return self.operation.startswith(("group_norm", "layer_norm"))

    @property
    def is_backward(self) -> bool:
        """False for all operations, including gradients, because no operation of `rowwise` computes sums over rows."""
        return False

    @property
    def matrices_read(self) -> int:
        """Number of [rows, columns] arrays that the kernel reads."""
        return self._properties.reads + self.has_residual

    @property
    def matrices_written(self) -> int:
        """Number of [rows, columns] arrays that the kernel writes."""
        return self._properties.writes + self.has_residual

    @property
    def bytes_moved(self) -> int:
        """Bytes of all matrices that are read or written, each counted once."""
        bits = (self.matrices_read + self.matrices_written) * self.element_bits
        if (result_bits := self._properties.result_bits) is not None:
            bits += self._properties.writes * (result_bits - self.element_bits)
        return self.rows * self.columns * bits // 8

    @property
    def repeated_reads(self) -> int:
        """Number of times that the streaming variant reads each row again."""
        return self._properties.repeated_reads

    @property
    def more_instructions(self) -> float:
        """Number of instructions per element in addition to the instructions of a norm. The unit is the time of one
        FMA."""
        return self._properties.transcendentals * _TRANSCENDENTAL + self._properties.others


def checked_problem(
    operation: str, rows: int, columns: int, dtype: str, is_aligned: bool = True, **facts: bool
) -> RowProblem:
    """Returns the RowProblem with these fields. Raises a LaunchError if no kernel solves the problem."""
    if not isinstance(operation, str) or operation not in OPERATIONS:
        raise LaunchError(f"rowwise: op is one of {', '.join(OPERATIONS)}, not {operation!r}")
    if not isinstance(dtype, str) or dtype not in ELEMENT_BITS:
        raise LaunchError(
            f"{operation}: elements are {', '.join(ELEMENT_BITS)}, not {dtype}\n  hint: convert the array first; "
            "arithmetic is in float32 whatever the elements are"
        )
    for name, size in (("row", rows), ("column", columns)):
        if isinstance(size, bool) or not isinstance(size, int):
            raise LaunchError(f"{operation}: {name}s must be an integer, not {size!r}")
        if size < 1:
            raise LaunchError(f"{operation}: there must be at least one {name}, but the shape is [{rows}, {columns}]")
    most = OPERATIONS[operation].most_columns
    if columns > most:
        raise LaunchError(f"{operation}: rows have at most {most} columns, not {columns}")
    return RowProblem(operation, rows, columns, dtype, is_aligned=is_aligned, **facts)
