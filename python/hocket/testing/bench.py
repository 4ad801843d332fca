"""Measures the time of functions that run on the GPU."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import _core
from ..runtime import places

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
    """Returns the milliseconds that `fn` takes on the GPU, measured by events on the current stream with a cold L2
    cache.

    Without a GPU, the function returns milliseconds of wall time: `fn` then runs on the emulator, whose speed is not
    that of a GPU.

    Args:
        fn: the function to time; it should queue its work on the current stream.
        warmup: milliseconds to run `fn` before timing.
        rep: approximate milliseconds to spend on timing, including the time to flush the cache; at least five runs.
        grad_to_none: tensors whose `grad` is set to None before each run.
        quantiles: return these quantiles, such as [0.5, 0.2, 0.8], as a list.
        return_mode: "mean", "median", "min", "max", or "all" for the list of times.

    Example:
        ms = do_bench(lambda: add[grid](x, y, out, n, BLOCK=1024))
        print(3 * x.nbytes / ms * 1e-6, "GB/s")
    """
    _check("do_bench", fn, quantiles, return_mode, warmup=warmup, rep=rep)
    return bench(fn, warmup, rep, _dropping_gradients(grad_to_none), quantiles, return_mode)


def _check(what: str, fn: Any, quantiles: Any, return_mode: Any, **milliseconds: Any) -> None:
    """Raises a TypeError or ValueError for invalid arguments of a timing function."""
    if not callable(fn):
        raise TypeError(f"{what} takes a function to time, not {fn!r}\n  hint: write lambda: kernel[grid](...)")
    if not isinstance(return_mode, str) or return_mode not in _RETURN_MODES:
        raise ValueError(f"return_mode is one of {', '.join(_RETURN_MODES)}, not {return_mode!r}")
    for name, value in milliseconds.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LONGEST:
            raise ValueError(f"{what}: {name} must be a number of milliseconds, not {value!r}")
    if isinstance(fn, type):
        raise TypeError(f"{what} takes a function to time, not the class {fn.__name__}")
    given = [] if quantiles is None else list(quantiles) if isinstance(quantiles, Iterable) else [None]
    if not all(isinstance(one, int | float) and 0 <= one <= 1 for one in given):
        raise ValueError(f"{what}: quantiles must be a list of numbers from 0 to 1, not {quantiles!r}")


#: Largest allowed number of milliseconds for `warmup` and `rep`: eleven days.
_LONGEST = 1e9


def bench(
    fn: Callable[[], Any],
    warmup: float,
    rep: float,
    prepare: Callable[[], None] | None,
    quantiles: Sequence[float] | None,
    return_mode: str = "mean",
) -> Any:
    """Works like `do_bench`, with a function `prepare` that is called before each run, outside of the measured time."""
    fn()  # compiles
    timer = _GpuTimer() if _runs_on_gpu() else _HostTimer()
    once = max(timer.estimate(fn, prepare), 1e-3)
    timer.times(fn, max(1, int(warmup / once)), prepare)
    return _summarized(timer.times(fn, max(5, int(rep / once)), prepare), quantiles, return_mode)


#: Number of runs from which the time of one run is estimated.
_ESTIMATED = 5
#: Number of launches of a captured graph.
_REPLAYS = 10


def do_bench_cudagraph(
    fn: Callable[[], Any],
    rep: float = 20,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """Returns the milliseconds that `fn` takes on the GPU without launch overhead: many calls are captured into a
    graph.

    The L2 cache is not flushed, so it contains data of earlier calls. Without a GPU, it works like `do_bench`.

    Args:
        fn: the function to time. The function must be capturable, so it must not wait for the GPU.
        rep: approximate milliseconds of a graph.
        grad_to_none, quantiles, return_mode: as in `do_bench`.

    Raises: RuntimeError if there is a GPU, but no PyTorch to capture with.

    Example:
        ms = do_bench_cudagraph(lambda: add[grid](x, y, out, n, BLOCK=1024), return_mode="median")
    """
    _check("do_bench_cudagraph", fn, quantiles, return_mode, rep=rep)
    if not _runs_on_gpu():
        return do_bench(fn, warmup=0, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    try:
        import torch
    except ImportError:
        raise RuntimeError("do_bench_cudagraph captures with PyTorch, which is not installed: use do_bench") from None
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()  # compiles
        drop = _dropping_gradients(grad_to_none)
        once = max(statistics.median(_GpuTimer().times(fn, 5, drop)), 1e-3)
        calls = max(1, int(rep / once))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                if drop is not None:
                    drop()
                fn()
        graph.replay()
        times = [time / calls for time in _GpuTimer(flushes=False).times(graph.replay, _REPLAYS, None)]
    return _summarized(times, quantiles, return_mode)


def _runs_on_gpu() -> bool:
    """Returns True if launches run on a GPU: there is one, and no emulated target was chosen."""
    return _core.device_count() > 0 and places.emulated_target.get_if_agreed() is None


def _summarized(times: list[float], quantiles: Sequence[float] | None, return_mode: str) -> Any:
    if quantiles is not None:
        return [_quantile(times, quantile) for quantile in quantiles]
    return _RETURN_MODES[return_mode](times)


class _GpuTimer:
    """Measures GPU times by events on the current stream. By default, flushes the L2 cache before each run."""

    def __init__(self, flushes: bool = True):
        self._ordinal = _core.current_device()
        self._flusher = _core.CacheFlusher(self._ordinal) if flushes else None

    def estimate(self, fn: Callable[[], Any], prepare: Callable[[], None] | None) -> float:
        """Returns the estimated milliseconds of a run, including the flush of the cache, which takes longer than a
        small kernel."""
        start = self._now()
        self.times(fn, _ESTIMATED, prepare)
        end = self._now()
        _core.synchronize(self._ordinal)
        return end.milliseconds_since(start) / _ESTIMATED

    def _now(self) -> Any:
        event = _core.DeviceEvent(self._ordinal)
        event.record(_core.current_stream(self._ordinal))
        return event

    def times(self, fn: Callable[[], Any], count: int, prepare: Callable[[], None] | None) -> list[float]:
        pairs = []
        for _ in range(count):
            if prepare is not None:
                prepare()
            stream = _core.current_stream(self._ordinal)
            start, end = _core.DeviceEvent(self._ordinal), _core.DeviceEvent(self._ordinal)
            if self._flusher is not None:
                self._flusher.flush(stream)
            start.record(stream)
            fn()
            end.record(stream)
            pairs.append((start, end))
        _core.synchronize(self._ordinal)
        return [end.milliseconds_since(start) for start, end in pairs]


class _HostTimer:
    """Measures wall time."""

    def estimate(self, fn: Callable[[], Any], prepare: Callable[[], None] | None) -> float:
        """Returns the estimated milliseconds of a run."""
        return statistics.median(self.times(fn, _ESTIMATED, prepare))

    def times(self, fn: Callable[[], Any], count: int, prepare: Callable[[], None] | None) -> list[float]:
        times = []
        for _ in range(count):
            if prepare is not None:
                prepare()
            started = time.perf_counter()
            fn()
            times.append((time.perf_counter() - started) * 1e3)
        return times


def _dropping_gradients(tensors: Sequence[Any] | None) -> Callable[[], None] | None:
    """Returns a function that sets the gradients of `tensors` to None; returns None if `tensors` is None."""
    if tensors is None:
        return None
    if not isinstance(tensors, list | tuple):
        raise TypeError(f"grad_to_none must be a list of tensors, not a {type(tensors).__name__}")

    def drop() -> None:
        for tensor in tensors:
            tensor.grad = None

    return drop


def _quantile(times: list[float], quantile: float) -> float:
    """Returns a quantile of the times, by linear interpolation between the two nearest times."""
    ordered = sorted(times)
    position = quantile * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)
