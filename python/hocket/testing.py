"""Helpers to test and time kernels."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from . import _core

_RETURN_MODES: dict[str, Callable[[list[float]], Any]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "min": min,
    "max": max,
    "all": list,
}


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Milliseconds that `fn` takes on the GPU, measured by events on the current stream with a cold L2 cache.

    Without a GPU, milliseconds of wall time: `fn` is then emulated, and its speed says nothing about a GPU's.

    Args:
        fn: what to time; it should queue its work on the current stream.
        warmup: milliseconds to run `fn` before timing.
        rep: milliseconds to spend on timing, roughly; `fn` is timed at least five times.
        grad_to_none: tensors whose `grad` is dropped before each run.
        quantiles: return these quantiles, such as [0.5, 0.2, 0.8], as a list.
        return_mode: "mean", "median", "min", "max", or "all" for the list of times.

    Example:
        ms = do_bench(lambda: add[grid](x, y, out, n, BLOCK=1024))
        print(3 * x.nbytes / ms * 1e-6, "GB/s")
    """
    if return_mode not in _RETURN_MODES:
        raise ValueError(f"return_mode is one of {', '.join(_RETURN_MODES)}, not {return_mode!r}")
    fn()  # compiles
    timer = _GpuTimer() if _core.device_count() > 0 else _HostTimer()
    once = statistics.median(timer.times(fn, 5, grad_to_none))
    once = max(once, 1e-3)
    timer.times(fn, max(1, int(warmup / once)), grad_to_none)
    times = timer.times(fn, max(5, int(rep / once)), grad_to_none)
    if quantiles is not None:
        return [_quantile(times, quantile) for quantile in quantiles]
    return _RETURN_MODES[return_mode](times)


class _GpuTimer:
    """Times by events on the current stream, with the L2 cache flushed before each run."""

    def __init__(self):
        self._ordinal = _core.current_device()
        self._flusher = _core.CacheFlusher(self._ordinal)

    def times(self, fn: Callable[[], Any], count: int, grad_to_none: Sequence[Any] | None) -> list[float]:
        pairs = []
        for _ in range(count):
            _drop_gradients(grad_to_none)
            stream = _core.current_stream(self._ordinal)
            start, end = _core.DeviceEvent(self._ordinal), _core.DeviceEvent(self._ordinal)
            self._flusher.flush(stream)
            start.record(stream)
            fn()
            end.record(stream)
            pairs.append((start, end))
        _core.synchronize(self._ordinal)
        return [end.milliseconds_since(start) for start, end in pairs]


class _HostTimer:
    """Times by the clock."""

    def times(self, fn: Callable[[], Any], count: int, grad_to_none: Sequence[Any] | None) -> list[float]:
        times = []
        for _ in range(count):
            _drop_gradients(grad_to_none)
            started = time.perf_counter()
            fn()
            times.append((time.perf_counter() - started) * 1e3)
        return times


def _drop_gradients(tensors: Sequence[Any] | None) -> None:
    for tensor in tensors or ():
        tensor.grad = None


def _quantile(times: list[float], quantile: float) -> float:
    """Linear interpolation between the two nearest times."""
    ordered = sorted(times)
    position = quantile * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def assert_close(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Raise AssertionError unless two arrays (NumPy, or on a GPU) agree.

    The default tolerances follow the less precise of the two element types: two units in the last place relative to the
    value, and two relative to the largest expected value. NaN agrees with NaN.
    """
    import numpy as np

    actual, expected = _to_numpy(actual), _to_numpy(expected)
    if actual.shape != expected.shape:
        raise AssertionError(f"shapes differ: {actual.shape} and {expected.shape}")
    epsilon = max(_epsilon(actual.dtype), _epsilon(expected.dtype))
    actual, expected = (_widen(array) for array in (actual, expected))
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    rtol = 2 * epsilon if rtol is None else rtol
    atol = 2 * epsilon * float(largest) if atol is None else atol
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, equal_nan=True)


def _to_numpy(array: Any) -> Any:
    import numpy as np

    if type(array).__module__.partition(".")[0] == "torch":
        from .devices import torch_to_numpy

        return torch_to_numpy(array.detach())
    return array.get() if hasattr(array, "get") else np.asarray(array)


def _epsilon(dtype: Any) -> float:
    """Relative distance of neighbouring numbers; 0 for integers."""
    import numpy as np

    if dtype.kind in "iub":
        return 0.0
    if dtype.kind == "f":
        return float(np.finfo(dtype).eps)
    import ml_dtypes

    return float(ml_dtypes.finfo(dtype).eps)


def _widen(array: Any) -> Any:
    return array if array.dtype.kind in "iub" else array.astype("float64")
