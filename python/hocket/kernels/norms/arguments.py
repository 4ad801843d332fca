"""Named tuples that group kernel arguments. Kernels read the fields by name. A stride is the distance between two rows,
in elements."""

from __future__ import annotations

from typing import Any, NamedTuple


class ForwardInputs(NamedTuple):
    """Matrices that the forward kernels read. `residual`: None, or the matrix that is added to x before the
    normalization."""

    x: Any
    residual: Any


class ForwardOutputs(NamedTuple):
    """The result, x + residual or None, and the statistics of each row (`mean` is None for RMSNorm)."""

    y: Any
    total: Any
    mean: Any
    rstd: Any


class ForwardStrides(NamedTuple):
    """Strides of the matrices; the strides of ForwardInputs come first, in the same order, as `staged.copy_tile`
    requires."""

    x: Any
    residual: Any
    y: Any
    total: Any


class BackwardInputs(NamedTuple):
    """The gradient of y, x, and the statistics of each row."""

    dy: Any
    x: Any
    mean: Any
    rstd: Any


class BackwardStrides(NamedTuple):
    """Strides of BackwardInputs, in their order."""

    dy: Any
    x: Any
    mean: Any
    rstd: Any


class MatrixPointer(NamedTuple):
    """A matrix that is stored or added, and its row stride: dx, or the gradient of the residual; `data` is None if
    there is no matrix."""

    data: Any
    stride: Any


class VectorGradients(NamedTuple):
    """Gradients of weight and bias; None for a missing weight or bias."""

    weight: Any
    bias: Any
