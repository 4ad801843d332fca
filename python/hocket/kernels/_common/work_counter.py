"""Pools of counters in global memory for kernels: work counters of dynamic tile schedulers, and numbers of arrived
CTAs. The counters are 0 when a kernel starts.

The kernel resets its counters, so no separate launch is needed to reset them. On a GPU, launches take sets of counters
from a pool round-robin. The pool has far more sets than launches can be in flight. A launch that a CUDA graph captures
gets a separate set, because the graph may run at the same time as any other launch.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

from .arrays import zeros_like

#: Number of sets of counters in a pool, and number of int32 counters in a set.
SETS, COUNTERS = 1024, 512

#: The pool of each GPU, by its ordinal.
_pools: dict[int, itertools.cycle[Any]] = {}


def counters_for(array: Any) -> Any:
    """Returns `COUNTERS` int32 zeros on the device of `array`, for one launch on the current stream. The launch must
    reset all of them to 0."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(array, torch.Tensor) or (device := array.get_device()) < 0:
        return zeros_like(array, (COUNTERS,), "int32")
    # `torch.cuda.is_current_stream_capturing` calls this function.
    if torch._C._cuda_isCurrentStreamCapturing():
        return zeros_like(array, (COUNTERS,), "int32")
    pool = _pools.get(device)
    if pool is None:
        sets = torch.zeros((SETS, COUNTERS), dtype=torch.int32, device=array.device)
        # Launches on other streams also use the pool, so its initialization must be complete.
        torch.cuda.current_stream(array.device).synchronize()
        pool = _pools.setdefault(device, itertools.cycle(sets.unbind()))
    return next(pool)


__all__ = ["COUNTERS", "counters_for"]
