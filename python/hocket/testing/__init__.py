"""Helpers to test and time kernels."""

from .bench import do_bench, do_bench_cudagraph
from .compare import assert_close
from .reports import Benchmark, BenchmarkReport, perf_report

__all__ = ["Benchmark", "BenchmarkReport", "assert_close", "do_bench", "do_bench_cudagraph", "perf_report"]
