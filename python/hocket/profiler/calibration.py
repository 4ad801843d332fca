"""Measures the cost of writing a record on this machine, with a kernel that only writes records."""

from __future__ import annotations

import threading
from typing import Any

from .. import _core
from .. import language as gl
from ..runtime import profiling
from ..runtime.jit import jit
from .correction import cost_from_gaps
from .facts import ProfileConfig
from .launches import ProfiledLaunch
from .sink import LaunchSink, Recorded

#: Number of launches of the measuring kernel. Several launches are necessary, because the first launch has a cold
#: instruction cache.
_ROUNDS = 4


@jit
def _marks(x):
    for _ in gl.static_range(24):
        gl.profiler.mark("calibration")


class _OnGpu:
    """An array on a GPU with the methods of PyTorch tensors that launches call."""

    shape = (64,)
    dtype = gl.float32

    def __init__(self, ordinal: int):
        self._ordinal = ordinal
        self._memory = _core.ReadbackMemory(ordinal, 256)

    def data_ptr(self) -> int:
        return self._memory.address

    def get_device(self) -> int:
        return self._ordinal

    def is_contiguous(self) -> bool:
        return True


_costs: dict[tuple[int, str, int], float] = {}
_lock = threading.Lock()


def cycles_of_record(place: int, space: str, config: ProfileConfig) -> float:
    """Returns the number of cycles that a warp needs to write a record to `space` ("shared" or "device") on the GPU
    `place`.

    The cost is measured only once per process for each GPU, space and clock.
    """
    key = (place, space, config.clock)
    with _lock:
        if key not in _costs:
            _costs[key] = _measure(place, space, config.clock)
        return _costs[key]


def _measure(place: int, space: str, clock: int) -> float:
    sink = LaunchSink(ProfileConfig(space=space, clock=clock, units="cta", bytes=512, stages=False))
    array: Any = _OnGpu(place)
    choice = profiling.current.set(sink)
    try:
        for _ in range(_ROUNDS):
            _marks[(1,)](array, num_warps=1)
        return min(_cost(recorded) for recorded in sink.launches())
    finally:
        profiling.current.reset(choice)
        sink.close()


def _cost(recorded: Recorded) -> float:
    facts = recorded.kernel.profile
    assert facts is not None
    launch = ProfiledLaunch(0, recorded.kernel.name, recorded.kernel.target, recorded.grid, facts, recorded.memory)
    return cost_from_gaps(launch.decoded.records)
