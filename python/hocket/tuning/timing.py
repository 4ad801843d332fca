"""Measures the cost of a configuration: time on a GPU, clocks of the virtual clock on the emulator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import emulator, testing
from ..testing import bench
from .checks import checked_times
from .trials import CLOCKS, MILLISECONDS

#: Quantiles that are measured: the median, and the bounds of an interval that contains most of the times.
QUANTILES = (0.5, 0.2, 0.8)

Cost = tuple[float, tuple[float, float] | None]


class GpuStopwatch:
    """Measures the time of a launch on the GPU, by `hocket.testing` or by a function of the user."""

    unit = MILLISECONDS

    def __init__(self, bench: Callable[..., Any]):
        self._bench = bench

    def __call__(self, run: Callable[[], Any], prepare: Callable[[], None] | None) -> Cost:
        times = checked_times(self._bench(run, prepare))
        if len(times) == 1:
            return times[0], None
        median, low, high = (*times, times[0])[:3]
        return median, (low, high)


class VirtualStopwatch:
    """Measures the clocks of a launch's first block on the emulator's virtual clock, and multiplies them by the number
    of blocks.

    In this model, one compute unit runs all blocks one after another, without caches. The cost is deterministic, so one
    launch is enough.
    """

    unit = CLOCKS

    def __call__(self, run: Callable[[], Any], prepare: Callable[[], None] | None) -> Cost:
        if prepare:
            prepare()
        grids: list[tuple[int, int, int]] = []
        with (
            emulator._watch_launches(lambda kernel, target, grid, num_warps: grids.append(grid)),
            emulator.record_timeline() as recorded,
        ):
            run()
        clocks = [0] * len(grids)
        for slice in recorded.slices:
            clocks[slice.launch] = max(clocks[slice.launch], slice.end)
        return float(sum(end * math.prod(grid) for end, grid in zip(clocks, grids, strict=True))), None


def gpu_bench(
    do_bench: Callable[..., Any] | None, warmup: float | None, rep: float | None, use_cuda_graph: bool
) -> Callable[..., Any]:
    """Returns the function that measures the time of a run: the user's function, or a function of `hocket.testing`."""
    if do_bench is not None:
        return lambda run, prepare: do_bench(_prepared(run, prepare), quantiles=QUANTILES)
    if use_cuda_graph:
        length = 20 if rep is None else rep
        # A graph contains many runs. The preparation of a run is not captured, because its time would count as time of
        # the kernel.
        return lambda run, prepare: testing.do_bench_cudagraph(run, rep=length, quantiles=QUANTILES)
    before, length = 25 if warmup is None else warmup, 100 if rep is None else rep
    return lambda run, prepare: bench.bench(run, before, length, prepare, QUANTILES)


def _prepared(run: Callable[[], Any], prepare: Callable[[], None] | None) -> Callable[[], Any]:
    """Returns a function that calls `prepare` and then `run`, for timers that cannot call `prepare` outside of the
    measured time."""
    if prepare is None:
        return run

    def both() -> Any:
        prepare()
        return run()

    return both
