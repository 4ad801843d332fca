"""`triton.testing`."""

from __future__ import annotations

from typing import Any

from ...testing import Benchmark, compare, do_bench, do_bench_cudagraph, perf_report
from ...testing.reports import BenchmarkReport as Mark

__all__ = ["Benchmark", "Mark", "assert_close", "do_bench", "do_bench_cudagraph", "get_dram_gbps", "perf_report"]


def assert_close(x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = "") -> None:
    """Raises AssertionError unless two arrays or numbers agree. `atol` comes before `rtol`, as in Triton. The defaults
    are an `atol` of 0.01 and an `rtol` of 0."""
    try:
        compare.assert_close(x, y, rtol=0.0 if rtol is None else rtol, atol=1e-2 if atol is None else atol)
    except AssertionError as error:
        raise AssertionError(f"{err_msg}\n{error}" if err_msg else str(error)) from None


def get_dram_gbps(device: Any = None) -> float:
    """Returns the bandwidth of the GPU's memory in GB/s, computed from PyTorch's device properties."""
    import torch

    facts = torch.cuda.get_device_properties(torch.cuda.current_device() if device is None else device)
    return facts.memory_clock_rate * facts.memory_bus_width * 2 / 1e6 / 8
