"""What profiling inside a kernel costs here and in Triton's Proton: one kernel of the same form in both.

    python benchmarks/proton.py [--rounds 30]

Each block keeps 256 numbers in registers and computes in a loop; each turn is a scope, so a warp writes two records for
some hundred cycles of work. Kernel times are those that CUPTI reports (through PyTorch's profiler), so what a profiler
does on the host or queues around a kernel is not in them; it is in the second table, the time of a launch and all that
follows, until the GPU is idle. All rivals run in turns.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl
from interleave import print_table

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.profiler.sink import LaunchSink
from hocket.runtime import profiling
from hocket.runtime.profiling import ProfileConfig

BLOCKS, LANES, TURNS, WORK = 2048, 256, 64, 64


@hocket.jit
def turns(x, TURNS: gl.constexpr, WORK: gl.constexpr):
    i = gl.program_id(0) * 256 + gl.arange(0, 256, layout=gl.BlockedLayout([2], [32], [4], [0]))
    value = gl.load(x + i)
    for _ in range(TURNS):
        with profiler.scope("turn"):
            for _ in gl.static_range(WORK):
                value = value * 0.5 + 1.0
    gl.store(x + i, value)


@triton.jit
def turns_in_triton(x, TURNS: tl.constexpr, WORK: tl.constexpr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    value = tl.load(x + i)
    for _ in range(TURNS):
        with pl.scope("turn"):
            for _ in tl.static_range(WORK):
                value = value * 0.5 + 1.0
    tl.store(x + i, value)


@contextmanager
def recorded(config: ProfileConfig) -> Iterator[None]:
    """Launches inside record as in a session, which reads what they wrote meanwhile."""
    sink = LaunchSink(config)
    choice = profiling.current.set(sink)
    try:
        yield
        sink.launches()
    finally:
        profiling.current.reset(choice)
        sink.close()


@contextmanager
def instrumented(mode: str) -> Iterator[None]:
    session = proton.start("proton_benchmark", backend="instrumentation", data="trace", mode=mode)
    try:
        yield
    finally:
        proton.finalize(session)


def kernel_seconds(run: Callable[[], object], name: str) -> float:
    """Of the kernels of that name, as CUPTI reports them: the median."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as seen:
        for _ in range(5):
            run()
        torch.cuda.synchronize()
    found = [event.device_time_total for event in seen.events() if name in event.name]
    if not found:
        raise SystemExit(f"PyTorch's profiler has seen no kernel {name!r}: is CUPTI there?")
    return statistics.median(found) / 1e6


def seconds_of_launch(run: Callable[[], object], launches: int = 20) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(launches):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / launches


def rivals() -> dict[str, tuple[Callable[[], object], str, Callable]]:
    """By name: how it is launched, the kernel's name, and what it is to be launched in."""
    x = torch.ones(BLOCKS * LANES, device="cuda")

    def ours() -> None:
        turns[(BLOCKS,)](x, TURNS, WORK)

    def theirs() -> None:
        turns_in_triton[(BLOCKS,)](x, TURNS, WORK, num_warps=4)

    size = 2 * TURNS * 8  # a record of each turn fits
    return {
        "Hocket": (ours, "turns", nullcontext),
        "Hocket, shared": (ours, "turns", lambda: recorded(ProfileConfig(space="shared", stages=False, bytes=size))),
        "Hocket, device": (ours, "turns", lambda: recorded(ProfileConfig(space="device", stages=False, bytes=size))),
        "Triton": (theirs, "turns_in_triton", nullcontext),
        "Proton, shared": (
            theirs,
            "turns_in_triton",
            lambda: instrumented(f"default:buffer_type=shared:buffer_size={4 * size}"),
        ),
        "Proton, device": (
            theirs,
            "turns_in_triton",
            lambda: instrumented(f"default:buffer_type=global:buffer_size={4 * size}"),
        ),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    pl.enable_semantic("triton")
    kernels: dict[str, list[float]] = {}
    launches: dict[str, list[float]] = {}
    order, entries, failed = random.Random(0), list(rivals().items()), {}
    for _ in range(arguments.rounds):
        for name, (run, kernel, scope) in order.sample(entries, len(entries)):
            if name in failed:
                continue
            try:
                with scope():
                    run()  # compiled, and memory made
                    kernels.setdefault(name, []).append(kernel_seconds(run, kernel))
                    launches.setdefault(name, []).append(seconds_of_launch(run))
            except Exception as error:  # this Triton's Proton may lack what is asked of it
                failed[name] = f"{type(error).__name__}: {error}"
    for title, times in (("Kernel", kernels), ("A launch, until the GPU is idle", launches)):
        rows = []
        for name, _ in entries:
            if name in failed:
                rows.append([name, failed[name].splitlines()[0][:60], ""])
                continue
            plain = statistics.median(times["Hocket" if name.startswith("Hocket") else "Triton"])
            mine = statistics.median(times[name])
            rows.append([name, f"{mine * 1e6:.1f} us", f"{mine / plain - 1:+.1%}"])
        print_table(title, ["rival", "time", "added"], rows)


if __name__ == "__main__":
    main()
