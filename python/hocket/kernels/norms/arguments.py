"""Named tuples that group kernel arguments. Kernels read the fields by name. A stride is the distance between two rows,
in elements."""

from __future__ import annotations

from typing import Any, NamedTuple


class ForwardInputs(NamedTuple):
    """Matrices that the forward kernels read: x, and the residual, which is added to x before the normalization.
    `residual` is None without a residual."""

    x: Any
    residual: Any


class ForwardOutputs(NamedTuple):
    """Arrays that the forward kernels write: the result y, x + residual (None without a residual), and the mean and
    rstd of each row. `mean` is None for RMSNorm. Both are None if statistics are not stored."""

    y: Any
    total: Any
    mean: Any
    rstd: Any


class ForwardStrides(NamedTuple):
    """Row strides of the matrices that the forward kernels read and write. The strides of ForwardInputs come first, in
    the order of its fields, because `staged.copy_tile` requires this order."""

    x: Any
    residual: Any
    y: Any
    total: Any


class BackwardInputs(NamedTuple):
    """Arrays that the backward kernels read: the gradient of y, x, and the mean and rstd of each row."""

    dy: Any
    x: Any
    mean: Any
    rstd: Any


class BackwardStrides(NamedTuple):
    """Strides of the arrays of BackwardInputs, in the order of its fields."""

    dy: Any
    x: Any
    mean: Any
    rstd: Any


class MatrixPointer(NamedTuple):
    """A pointer to a matrix, and the row stride of the matrix. `data` is None if there is no matrix, e.g. without a
    residual."""

    data: Any
    stride: Any


class VectorGradients(NamedTuple):
    """Gradients of weight and bias. A gradient is None if there is no weight or no bias."""

    weight: Any
    bias: Any
