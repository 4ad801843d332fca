"""Counters that are 0 when a kernel starts, from which its blocks draw their work.

A kernel that leaves its counter at 0 needs no other kernel to set it: on a GPU, launches take the counters of a pool
in turns, of which there are far more than launches can be under way at a time. A launch that a CUDA graph captures gets
one of its own, since the graph may run beside any other launch.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

from .arrays import zeros_like

#: Counters of a pool. Each has a cache line to itself.
COUNTERS, LINE_NUMBERS = 1024, 32

_pools: dict[Any, itertools.cycle[Any]] = {}


def counter_for(array: Any) -> Any:
    """An int32 of 0 where `array` is, for one launch on the current stream that leaves it at 0."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor) or not array.is_cuda:
        return zeros_like(array, (1,), "int32")
    if torch.cuda.is_current_stream_capturing():
        return zeros_like(array, (1,), "int32")
    pool = _pools.get(array.device)
    if pool is None:
        counters = torch.zeros((COUNTERS, LINE_NUMBERS), dtype=torch.int32, device=array.device)
        # Launches on other streams take them, too.
        torch.cuda.current_stream(array.device).synchronize()
        pool = _pools.setdefault(array.device, itertools.cycle(counters[:, :1].unbind()))
    return next(pool)


__all__ = ["counter_for"]
