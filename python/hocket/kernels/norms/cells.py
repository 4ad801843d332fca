"""State of the grid barrier: two integers per launch, which are 0 before the launch (`grid_barrier`).

Launches that may run at the same time need separate state. Launches on one stream share one state, because these
launches run one after another. Each launch that is captured into a CUDA graph gets a separate state, because graphs may
run on any stream.
"""

from __future__ import annotations

import sys
from typing import Any

from .._common.arrays import zeros_like

#: Number of barrier states that are allocated at once, and the distance between two states in int32 elements. The
#: distance puts each state into its own cache sector.
_POOL = 1024
_PITCH = 8

#: `_pools` maps a device to an array of barrier states, all 0, and to the number of these states that are in use.
#: `_of_streams` maps a device and a stream to the stream's barrier state.
_pools: dict[int, list[Any]] = {}
_of_streams: dict[tuple[int, int], Any] = {}


def cells_for(array: Any) -> Any:
    """Returns the barrier state for a launch on the current stream: two int32 zeros on the device of `array`."""
    if not hasattr(array, "new_zeros"):
        return zeros_like(array, (2,), "int32")
    torch = sys.modules["torch"]  # an import statement takes longer
    device = array.get_device()
    if device < 0:
        return torch.zeros(2, dtype=torch.int32)
    if torch.cuda.is_current_stream_capturing():
        return _take(array, device, torch)
    # `torch.cuda.current_stream` takes longer than a launch, because it makes a Stream object.
    key = device, torch._C._cuda_getCurrentRawStream(device)
    if (cells := _of_streams.get(key)) is None:
        cells = _of_streams[key] = _take(array, device, torch)
    return cells


def _take(array: Any, device: int, torch: Any) -> Any:
    pool = _pools.get(device)
    if pool is None or pool[1] == _POOL:
        if torch.cuda.is_current_stream_capturing():
            # A graph repeats this initialization at each replay. The repetition is correct, because only this launch
            # uses the state.
            return array.new_zeros(2, dtype=torch.int32)
        pool = _pools[device] = [array.new_zeros(_POOL * _PITCH, dtype=torch.int32), 0]
        torch.cuda.current_stream(device).synchronize()  # other streams use the pool, too
    first = pool[1] * _PITCH
    pool[1] += 1
    return pool[0][first : first + 2]
