"""Gated activations: the functions that users call, and their launches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import LaunchError
from ...launch_cache import LaunchCache
from .._common.arrays import maker_of_empty
from ..norms.arguments import MatrixPointer
from ..norms.operands import Matrix, check_writable, matrix_of
from .elementwise import parts_of_rows
from .gated import GatedGradients, GatedInputs, gated_backward, gated_forward
from .launch import given_output, prepared

#: Largest number of columns of the rows into which `_joined` divides contiguous matrices.
_MOST_TOGETHER = 8192


def swiglu(gate: Any, up: Any, *, out: Any = None) -> Any:
    """Returns gate * sigmoid(gate) * up, elementwise, in one launch.

    Args:
        gate: [..., columns]; elements of a row are contiguous, rows may have any stride. The halves x[..., :n] and
            x[..., n:] of the result x of a fused projection can be passed without a copy.
        up: an array like gate.
        out: array to write the result to, which may be gate or up; a new array if None.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.

    Source: Shazeer, GLU variants improve Transformer, arXiv 2002.05202.
    """
    return _forward("swiglu", "swiglu", gate, up, out)


def geglu(gate: Any, up: Any, *, approximate: str = "none", out: Any = None) -> Any:
    """Returns gelu(gate) * up, elementwise, in one launch.

    Args:
        approximate: "none" for GELU by erf, "tanh" for its tanh form, as in `torch.nn.functional.gelu`.

    The other arguments and errors are those of `swiglu`.
    """
    return _forward("geglu", _form_of("geglu", approximate), gate, up, out)


def swiglu_backward(dy: Any, gate: Any, up: Any, *, out: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """Returns the gradients of gate and up, in one launch.

    Args:
        dy: an array like gate, the gradient of the result of `swiglu`.
        gate, up: the arguments of `swiglu`.
        out: a pair of arrays to write the gradients of gate and up to. The pair may be (gate, up), or the halves of one
            array. New arrays if None.

    Raises: LaunchError for arrays with unsupported shapes, strides or dtypes.
    """
    return _backward("swiglu_backward", "swiglu", dy, gate, up, out)


def geglu_backward(
    dy: Any, gate: Any, up: Any, *, approximate: str = "none", out: tuple[Any, Any] | None = None
) -> tuple[Any, Any]:
    """Returns the gradients of gate and up for `geglu`. The arguments and errors are those of `swiglu_backward`;
    `approximate` is that of `geglu`."""
    return _backward("geglu_backward", _form_of("geglu_backward", approximate), dy, gate, up, out)


def _form_of(operation: str, approximate: Any) -> str:
    forms = {"none": "geglu", "tanh": "geglu_tanh"}
    if not isinstance(approximate, str) or approximate not in forms:
        raise LaunchError(f"{operation}: approximate is one of {', '.join(forms)}, not {approximate!r}")
    return forms[approximate]


def _forward(operation: str, form: str, gate: Any, up: Any, out: Any) -> Any:
    return _forwards.find((gate, up, out), (operation, form))(gate, up, out)


def _backward(operation: str, form: str, dy: Any, gate: Any, up: Any, out: Any) -> tuple[Any, Any]:
    if out is not None and not (isinstance(out, tuple | list) and len(out) == 2 and not any(a is None for a in out)):
        raise LaunchError(f"{operation}: out must be a pair of arrays, not {type(out).__name__}")
    arrays = gate, up, dy, *((None, None) if out is None else out)
    return _backwards.find(arrays, (operation, form))(*arrays)


def _joined(inputs: list[Matrix], outputs: list[Matrix]) -> tuple[list[Matrix], list[Matrix]]:
    """Returns the matrices with rows whose length is a power of two, so that tiles have no padding and accesses are
    wide. Elements are independent, so contiguous matrices may be divided into any rows. If not all matrices are
    contiguous, they are returned unchanged."""
    shape = inputs[0].facts.shape
    elements = math.prod(shape)
    columns = min(elements & -elements, _MOST_TOGETHER)
    is_contiguous = all(matrix.stride == shape[-1] or elements == shape[-1] for matrix in (*inputs, *outputs))
    if not elements or not is_contiguous or columns * inputs[0].facts.element_bits < 128:
        return inputs, outputs

    def join(matrix: Matrix) -> Matrix:
        facts = matrix.facts._replace(shape=(elements // columns, columns), strides=(columns, 1))
        return Matrix(matrix.array, facts, columns)

    return [join(matrix) for matrix in inputs], [join(matrix) for matrix in outputs]


def _prepare_forward(gate, up, out, operation: str, form: str) -> Callable[..., Any]:
    check_writable(operation, "out", out)
    source = matrix_of(operation, "gate", gate)
    inputs = [source, matrix_of(operation, "up", up, source, "gate")]
    inputs, outputs = _joined(inputs, given_output(operation, "out", out, source, "gate"))
    plan, options, strides = prepared(operation, inputs, outputs, None, None)
    new = maker_of_empty(gate, source.facts.shape, source.facts.dtype)
    rows, columns, parts = plan.problem.rows, plan.problem.columns, parts_of_rows(plan)
    out_stride = strides[2] if outputs else columns
    launch = gated_forward[(plan.blocks,)]

    def run(gate, up, out):
        out = new(gate) if out is None else out
        matrices = GatedInputs(MatrixPointer(gate, strides[0]), MatrixPointer(up, strides[1]))
        launch(matrices, MatrixPointer(out, out_stride), rows, columns, parts, form, **options)
        return out

    return run


_forwards = LaunchCache(_prepare_forward)


def _prepare_backward(gate, up, dy, of_gate, of_up, operation: str, form: str) -> Callable[..., tuple[Any, Any]]:
    for out in (of_gate, of_up):
        check_writable(operation, "out", out)
    source = matrix_of(operation, "gate", gate)
    inputs = [source, matrix_of(operation, "up", up, source, "gate"), matrix_of(operation, "dy", dy, source, "gate")]
    outputs = given_output(operation, "out[0]", of_gate, source, "gate")
    outputs += given_output(operation, "out[1]", of_up, source, "gate")
    inputs, outputs = _joined(inputs, outputs)
    plan, options, strides = prepared(operation, inputs, outputs, None, None)
    new = maker_of_empty(gate, source.facts.shape, source.facts.dtype)
    rows, columns, parts = plan.problem.rows, plan.problem.columns, parts_of_rows(plan)
    of_gate_stride, of_up_stride = strides[3:] or (columns, columns)
    launch = gated_backward[(plan.blocks,)]

    def run(gate, up, dy, of_gate, of_up):
        if of_gate is None:
            of_gate, of_up = new(gate), new(gate)
        matrices = GatedInputs(MatrixPointer(gate, strides[0]), MatrixPointer(up, strides[1]))
        gradients = GatedGradients(MatrixPointer(of_gate, of_gate_stride), MatrixPointer(of_up, of_up_stride))
        launch(MatrixPointer(dy, strides[2]), matrices, gradients, rows, columns, parts, form, **options)
        return of_gate, of_up

    return run


_backwards = LaunchCache(_prepare_backward)
