"""Inputs and launches of kernels with partitions of warps, whose results are compared with NumPy."""

import numpy as np


def integers(*shape, seed=0):
    return np.random.default_rng(seed).integers(-100, 100, shape).astype(np.int32)


def launch(device, kernel, *arguments, grid=1, **options):
    """Launches `kernel` on `device`, and returns the arrays with their new contents."""
    given = [device.to_device(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments]
    kernel[(grid,)](*given, **options)
    return [device.to_host(a) for a, b in zip(given, arguments, strict=True) if isinstance(b, np.ndarray)]
