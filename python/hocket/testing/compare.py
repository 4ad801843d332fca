"""Compares arrays with expected values."""

from __future__ import annotations

from typing import Any


def assert_close(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Raises AssertionError unless two arrays (NumPy, or on a GPU) are close.

    The default tolerances depend on the less precise of the two element types: two units in the last place relative to
    the value, plus two relative to the largest expected value. NaN equals NaN.
    """
    import numpy as np

    for name, value in (("rtol", rtol), ("atol", atol)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0
        ):
            raise TypeError(f"assert_close: {name} must be a number from 0 on, or None, not {value!r}")
    for name, array in (("actual", actual), ("expected", expected)):
        if not (hasattr(array, "dtype") or isinstance(array, int | float | list | tuple)):
            raise TypeError(f"assert_close: {name} must be an array, not a {type(array).__name__}")
    actual, expected = to_numpy(actual), to_numpy(expected)
    for name, array in (("actual", actual), ("expected", expected)):
        if array.dtype.kind not in "iubfVc":
            raise TypeError(f"assert_close: {name} must be an array of numbers, but its dtype is {array.dtype}")
    if actual.shape != expected.shape:
        raise AssertionError(f"shapes differ: {actual.shape} and {expected.shape}")
    epsilon = max(_epsilon(actual.dtype), _epsilon(expected.dtype))
    actual, expected = (_widen(array) for array in (actual, expected))
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    rtol = 2 * epsilon if rtol is None else float(rtol)
    atol = 2 * epsilon * float(largest) if atol is None else float(atol)
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)


def to_numpy(array: Any) -> Any:
    """Returns the array or tensor as a NumPy array."""
    import numpy as np

    if type(array).__module__.partition(".")[0] == "torch":
        from ..devices import torch_to_numpy

        return torch_to_numpy(array.detach())
    return array.get() if hasattr(array, "get") else np.asarray(array)


def _epsilon(dtype: Any) -> float:
    """Returns the relative distance of neighboring numbers of a dtype; 0 for integers."""
    import numpy as np

    if dtype.kind in "iub":
        return 0.0
    if dtype.kind == "f":
        return float(np.finfo(dtype).eps)
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def _widen(array: Any) -> Any:
    return array if array.dtype.kind in "iub" else array.astype("float64")
