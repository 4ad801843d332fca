"""Runs a tutorial's function on every available target and compares it with NumPy.

Targets are the emulated GPUs (always) and the CUDA GPU (if PyTorch finds one). Each run is one row of a table; the
rows of all tutorials are what `make run` prints at its end.
"""

import json
import os
import time
from collections.abc import Callable, Iterable

import ml_dtypes
import numpy as np

from hocket import devices

ROWS_FILE = "HOCKET_TUTORIAL_ROWS"  # set by tools/run_tutorials.py

bfloat16 = np.dtype(ml_dtypes.bfloat16)


def hopper_gpu() -> bool:
    """Returns True if PyTorch finds a GPU with the compute capability of Hopper."""
    if devices.cuda() is None:
        return False
    import torch

    return torch.cuda.get_device_capability() == (9, 0)


def hopper_places() -> list:
    """Returns the emulated sm_90a, and the GPU if it is a Hopper GPU."""
    gpus = [devices.cuda()] if hopper_gpu() else []
    return [devices.EmulatedDevice("sm_90a"), *gpus]


def error_in_ulp(actual: np.ndarray, expected: np.ndarray) -> float:
    """Returns the largest |actual - expected| in ULPs of the result's dtype at the largest expected value.

    `expected` is float64. The error is infinite if `actual` is not finite where `expected` is.
    """
    scale = np.abs(expected).max() or 1.0
    difference = np.abs(actual.astype(np.float64) - expected).max()
    ulp = float(ml_dtypes.finfo(actual.dtype).eps) * scale
    return float("inf") if np.isnan(difference) else difference / ulp


def run_everywhere(
    name: str,
    function: Callable,
    reference: Callable,
    cases: Iterable[tuple[np.ndarray, ...]],
    shape: Callable[..., str],
    tolerance_ulp: float,
    places: Iterable | None = None,
) -> list[dict]:
    """Calls `function(*arrays)` for every case on every target and compares its result with `reference` in float64.

    Args:
      function: takes the arrays of a case on some device and returns the result on that device.
      reference: takes the same arrays as float64 and returns the expected result as float64.
      cases: tuples of input arrays.
      shape: returns the text for a case in the table.
      tolerance_ulp: the largest error that passes; see `error_in_ulp`.
      places: devices to run on; all available ones if None.

    Raises: AssertionError naming the target and the case whose error is too large.
    """
    rows = []
    for arrays in cases:
        expected = reference(*(a.astype(np.float64) for a in arrays))
        for device in places or devices.available():
            with device:
                inputs = [device.to_device(a) for a in arrays]
                started = time.perf_counter()
                result = device.to_host(function(*inputs))
                seconds = time.perf_counter() - started
            error = error_in_ulp(result, expected)
            row = {
                "kernel": name,
                "target": device.name,
                "shape": f"{shape(*arrays)} {arrays[0].dtype.name}",
                "error": f"{error:.2g} ulp",
                "seconds": round(seconds, 3),
            }
            assert error <= tolerance_ulp, f"{row}: more than {tolerance_ulp} ulp"
            rows.append(row)
    _publish(rows)
    return rows


def _publish(rows: list[dict]) -> None:
    header = ("kernel", "target", "shape", "error", "seconds")
    widths = [max(len(str(row[key])) for row in [dict(zip(header, header, strict=True)), *rows]) for key in header]
    for row in [dict(zip(header, header, strict=True)), *rows]:
        print("  ".join(str(row[key]).ljust(width) for key, width in zip(header, widths, strict=True)))
    if path := os.environ.get(ROWS_FILE):
        with open(path, "a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
