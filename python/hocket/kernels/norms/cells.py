"""The two integers by which blocks of a grid wait for each other (`grid_barrier`), zero before each launch.

Launches that may run at the same time need cells of their own: launches on one stream share theirs, and each launch
that is captured into a CUDA graph has its own for good, as graphs run on any stream.
"""

from __future__ import annotations

from typing import Any

#: Cells of a device that are made at once, and the int32 from one to the next: they share no sector of the cache.
_POOL = 1024
_PITCH = 8

#: By device: zeros, and how many cells are taken. By device and stream: its cells.
_pools: dict[int, list[Any]] = {}
_of_streams: dict[tuple[int, int], Any] = {}


def cells_for(array: Any) -> Any:
    """Two zeros of int32 beside `array`, for a launch on the current stream."""
    if not hasattr(array, "new_zeros"):
        import numpy as np

        return np.zeros(2, np.int32)
    import torch

    if array.device.type == "cpu":
        return torch.zeros(2, dtype=torch.int32)
    device = array.device.index
    if torch.cuda.is_current_stream_capturing():
        return _take(array, device, torch)
    key = device, torch.cuda.current_stream(device).cuda_stream
    if (cells := _of_streams.get(key)) is None:
        cells = _of_streams[key] = _take(array, device, torch)
    return cells


def _take(array: Any, device: int, torch: Any) -> Any:
    pool = _pools.get(device)
    if pool is None or pool[1] == _POOL:
        if torch.cuda.is_current_stream_capturing():
            # Zeros that are made now would be made at each replay: which is right, for these alone.
            return array.new_zeros(2, dtype=torch.int32)
        pool = _pools[device] = [array.new_zeros(_POOL * _PITCH, dtype=torch.int32), 0]
        torch.cuda.current_stream(device).synchronize()  # other streams may be the first to use them
    first = pool[1] * _PITCH
    pool[1] += 1
    return pool[0][first : first + 2]
