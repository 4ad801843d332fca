"""Work counters of dynamic tile schedulers. A counter is 0 when a kernel starts.

The kernel resets its counter, so no other launch has to. On a GPU, launches take counters from a pool round-robin. The
pool has far more counters than launches can be in flight. A launch that a CUDA graph captures gets a separate counter,
because the graph may run at the same time as any other launch.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

from .arrays import zeros_like

#: Number of counters of a pool, and int32 elements per counter, so that each has its own cache line.
COUNTERS, LINE_NUMBERS = 1024, 32

_pools: dict[Any, itertools.cycle[Any]] = {}


def counter_for(array: Any) -> Any:
    """An int32 of 0 on the device of `array`, for one launch on the current stream that leaves it at 0."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor) or not array.is_cuda:
        return zeros_like(array, (1,), "int32")
    if torch.cuda.is_current_stream_capturing():
        return zeros_like(array, (1,), "int32")
    pool = _pools.get(array.device)
    if pool is None:
        counters = torch.zeros((COUNTERS, LINE_NUMBERS), dtype=torch.int32, device=array.device)
        # Launches on other streams also use the pool, so its initialization must be complete.
        torch.cuda.current_stream(array.device).synchronize()
        pool = _pools.setdefault(array.device, itertools.cycle(counters[:, :1].unbind()))
    return next(pool)


__all__ = ["counter_for"]
