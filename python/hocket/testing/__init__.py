"""Helpers to test and time kernels."""

from .bench import do_bench, do_bench_cudagraph
from .compare import assert_close
from .reports import Benchmark, Report, perf_report

__all__ = ["Benchmark", "Report", "assert_close", "do_bench", "do_bench_cudagraph", "perf_report"]
