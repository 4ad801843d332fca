"""Interleaves the runs of several implementations, so that all run at the same clocks and temperature."""

import random
import statistics
import time
from collections.abc import Callable

FLUSH_BYTES = 256 << 20  # several times the size of an H200's L2 cache, 60 MB
#: Cycles for which the GPU waits before each run, so that the host has queued the run before the GPU starts it.
AHEAD_CYCLES = 500_000


def gpu_times(rivals: dict[str, Callable[[], object]], rounds: int = 200, warmup: int = 5) -> dict[str, float]:
    """Returns the median seconds of each callable on the GPU, by CUDA events, with the L2 flushed before each run.

    Each round runs the implementations in random order, because the preceding implementation affects a time by up to 1
    %.
    """
    import torch  # imported here, because `print_table` must also work without PyTorch

    order = random.Random(0)
    flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
    for run in rivals.values():
        for _ in range(warmup):
            run()
    events = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, run in order.sample(list(rivals.items()), len(rivals)):
            flush.zero_()
            torch.cuda._sleep(AHEAD_CYCLES)
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            run()
            stop.record()
            events[name].append((start, stop))
    torch.cuda.synchronize()
    return {
        name: statistics.median(start.elapsed_time(stop) for start, stop in pairs) / 1e3
        for name, pairs in events.items()
    }


def host_times(rivals: dict[str, Callable[[], object]], calls: int = 2000, rounds: int = 15) -> dict[str, float]:
    """Returns the median host seconds of one call of each callable, from loops of `calls` calls. The host waits for the
    GPU between loops."""
    import torch

    samples = {name: [] for name in rivals}
    for run in rivals.values():
        for _ in range(100):
            run()
    for _ in range(rounds):
        for name, run in rivals.items():
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(calls):
                run()
            samples[name].append((time.perf_counter() - started) / calls)
            torch.cuda.synchronize()
    return {name: statistics.median(values) for name, values in samples.items()}


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    """Prints a table with aligned columns."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
