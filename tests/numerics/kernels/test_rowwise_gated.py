"""hocket.kernels.rowwise.swiglu and geglu against float64: forms, dtypes, sizes, strides, gradients in place."""

import math

import numpy as np
import pytest
from norms_reference import check_rows, kind_of

from hocket.kernels import rowwise

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

#: Name of the form: function, its gradient, and their options.
FORMS = {
    "swiglu": (rowwise.swiglu, rowwise.swiglu_backward, {}),
    "geglu": (rowwise.geglu, rowwise.geglu_backward, {}),
    "geglu_tanh": (rowwise.geglu, rowwise.geglu_backward, {"approximate": "tanh"}),
}
each_form = pytest.mark.parametrize("form", FORMS)


def inputs(rows, columns, dtype):
    """dy, gate, up. Gates include values at which the exponentials overflow."""
    rng = np.random.default_rng(rows + columns)
    dy, gate, up = (2 * rng.standard_normal((rows, columns)) for _ in range(3))
    gate.flat[:2] = -120, 120
    return [values.astype(kind_of(dtype)) for values in (dy, gate, up)]


def activation(x, form):
    """The activation and its derivative."""
    if form == "swiglu":
        share = 1 / (1 + np.exp(-x))
        return x * share, share * (1 + x * (1 - share))
    if form == "geglu_tanh":
        root = math.sqrt(2 / math.pi)
        tangent = np.tanh(root * (x + 0.044715 * x**3))
        slope = (1 - tangent**2) * root * (1 + 3 * 0.044715 * x**2)
        return x * (1 + tangent) / 2, (1 + tangent) / 2 + x * slope / 2
    share = 0.5 + 0.5 * np.vectorize(math.erf)(x / math.sqrt(2))
    return x * share, share + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def expected_of(dy, gate, up, form):
    dy, gate, up = (values.astype(np.float64) for values in (dy, gate, up))
    value, slope = activation(gate, form)
    return value * up, dy * up * slope, dy * value


def check(device, arrays, form, move=None):
    forward, backward, options = FORMS[form]
    dy, gate, up = (device.to_device(array) for array in arrays) if move is None else move(arrays)
    results = forward(gate, up, **options), *backward(dy, gate, up, **options)
    for result, expected in zip(results, expected_of(*arrays, form), strict=True):
        result = device.to_host(result)
        moderate = np.abs(arrays[1].astype(np.float64)) < 100
        check_rows(result, expected, np.abs(expected[moderate]).max(initial=1) / 10)


@each_form
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype, form):
    check(every_device, inputs(5, 40, dtype), form)


@pytest.mark.parametrize("size", [(1, 2), (7, 5), (3, 1023), (3, 5000)], ids=str)
def test_sizes(device, size):
    """An odd number of elements, rows that are not a multiple of 16 bytes."""
    check(device, inputs(*size, "bfloat16"), "swiglu")


@pytest.mark.parametrize("columns", [72, 73, 2500], ids=["wide accesses", "narrow accesses", "parts of rows"])
def test_halves_of_one_array(device, columns):
    """Rows apart, as a fused projection has them; the gradients are halves, too."""
    dy, gate, up = inputs(5, columns, "float16")
    whole = device.to_device(np.concatenate([gate, up], axis=1))
    dy_ = device.to_device(dy)
    halves = whole[:, :columns], whole[:, columns:]
    y = rowwise.swiglu(*halves)
    gradients = device.to_device(np.zeros((5, 2 * columns), np.float16))
    rowwise.swiglu_backward(dy_, *halves, out=(gradients[:, :columns], gradients[:, columns:]))
    expected = expected_of(dy, gate, up, "swiglu")
    check_rows(device.to_host(y), expected[0])
    check_rows(device.to_host(gradients), np.concatenate(expected[1:], axis=1))


def test_in_place(device):
    dy, gate, up = inputs(4, 64, "float32")
    dy_, gate_, up_ = (device.to_device(array) for array in (dy, gate, up))
    rowwise.swiglu_backward(dy_, gate_, up_, out=(gate_, up_))
    _, of_gate, of_up = expected_of(dy, gate, up, "swiglu")
    check_rows(device.to_host(gate_), of_gate)
    check_rows(device.to_host(up_), of_up)
