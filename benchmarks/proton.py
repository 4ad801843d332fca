"""Compares the cost of profiling inside a kernel in Hocket and in Triton's Proton, with the same kernel in both.

    python benchmarks/proton.py [--rounds 3] [--blocks 528] [--seconds 300] [--limit 60] [--json FILE]

Each block keeps 256 numbers in registers and computes in a loop; each iteration is a scope, so a warp writes two
records per several hundred cycles of work. Kernel times are measured by CUPTI, through PyTorch's profiler. They include
neither a profiler's work on the host nor its additional kernels. The second table has the time per launch until the GPU
is idle, which includes both. Runs are interleaved, and each result is printed at once, because reading the records at
the end of a session may take longer than all launches. No round begins after `--seconds`; a run that takes longer than
`--limit` ends the program with a traceback.
"""

import argparse
import faulthandler
import pathlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch
import triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.language as pl
from interleave import print_table
from results import Results

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.profiler.facts import ProfileConfig
from hocket.profiler.sink import LaunchSink
from hocket.runtime import profiling

LANES, TURNS, WORK = 256, 64, 64


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
    """Launches inside the `with` block record into a LaunchSink, as in a session, which reads the records while further
    launches run."""
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
    """Launches inside the `with` block record with Proton. Proton sums the times of each scope, because writing a trace
    of all records would take minutes."""
    with tempfile.TemporaryDirectory() as folder:
        name = str(pathlib.Path(folder) / "benchmark")
        session = proton.start(name, backend="instrumentation", data="tree", mode=mode)
        try:
            yield
        finally:
            proton.finalize(session)


def kernel_seconds(run: Callable[[], object], name: str) -> float:
    """Returns the median time of the kernels whose names contain `name`, from CUPTI."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as seen:
        for _ in range(5):
            run()
        torch.cuda.synchronize()
    found = [event.device_time_total for event in seen.events() if name in event.name]
    if not found:
        raise SystemExit(f"PyTorch's profiler reports no kernel {name!r}: is CUPTI there?")
    return statistics.median(found) / 1e6


def seconds_of_launch(run: Callable[[], object], launches: int = 20) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(launches):
        run()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / launches


def rivals(blocks: int) -> dict[str, tuple[Callable[[], object], str, Callable]]:
    """Returns for each variant by name: a function that launches, the kernel's name, and a context manager for the
    launches."""
    x = torch.ones(blocks * LANES, device="cuda")

    def ours() -> None:
        turns[(blocks,)](x, TURNS, WORK)

    def theirs() -> None:
        turns_in_triton[(blocks,)](x, TURNS, WORK, num_warps=4)

    size = 2 * TURNS * 8  # two records of 8 bytes per iteration: no record is dropped
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


class Times:
    """Times of kernels and launches of all variants, and the errors of variants that fail."""

    def __init__(self) -> None:
        self.kernels: dict[str, list[float]] = {}
        self.launches: dict[str, list[float]] = {}
        self.failed: dict[str, str] = {}

    def measure(self, name: str, run: Callable[[], object], kernel: str, scope: Callable, limit: float) -> None:
        """Measures one variant in a new session, or prints its error."""
        faulthandler.dump_traceback_later(limit, exit=True)
        started = time.perf_counter()
        try:
            with scope():
                run()  # compiles the kernel and allocates memory
                self.kernels.setdefault(name, []).append(kernel_seconds(run, kernel))
                self.launches.setdefault(name, []).append(seconds_of_launch(run))
                print(f"{name}: {self.latest(name)}", end="", flush=True)
            print(f", {time.perf_counter() - started:.1f} s with compiling and reading records", flush=True)
        except Exception as error:  # an older Proton may lack these options
            self.failed[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"{name}: {self.failed[name]}", flush=True)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def latest(self, name: str) -> str:
        return f"kernel {self.kernels[name][-1] * 1e6:.1f} us, launch {self.launches[name][-1] * 1e6:.1f} us"

    def show(self, names: list[str]) -> None:
        for title, times in (("Kernel", self.kernels), ("From a launch until the GPU is idle", self.launches)):
            rows = []
            for name in names:
                if name in self.failed or name not in times:
                    rows.append([name, self.failed.get(name, "not measured")[:60], ""])
                    continue
                mine = statistics.median(times[name])
                plain = times.get("Hocket" if name.startswith("Hocket") else "Triton")
                added = f"{mine / statistics.median(plain) - 1:+.1%}" if plain else "-"
                rows.append([name, f"{mine * 1e6:.1f} us", added])
            print_table(title, ["rival", "time", "added"], rows)

    def add_to(self, results: Results, names: list[str]) -> None:
        ours = tuple(name for name in names if name.startswith("Hocket"))
        for name, title, times in (("kernel", "a kernel", self.kernels), ("launch", "a launch", self.launches)):
            table = results.table(
                name, f"{title} that records {2 * TURNS} times a warp", "us", better="lower", ours=ours
            )
            seconds = {rival: statistics.median(times[rival]) for rival in names if rival in times}
            table.add(title, {rival: 1e6 * time for rival, time in seconds.items()}, seconds=seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--blocks", type=int, default=528, help="of the grid: four per SM of an H200")
    parser.add_argument("--seconds", type=float, default=300, help="seconds after which no round begins")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a variant ends the run")
    results = Results(
        "proton", inputs="ones", method="kernel times of CUPTI, host clock for launches; medians, interleaved"
    )
    results.add_option(parser)
    arguments = parser.parse_args()
    pl.enable_semantic("triton")
    times, order, started = Times(), random.Random(0), time.perf_counter()
    entries = list(rivals(arguments.blocks).items())
    for number in range(arguments.rounds):
        if time.perf_counter() - started > arguments.seconds:
            print(f"{number} of {arguments.rounds} rounds in {arguments.seconds:g} s")
            break
        for name, (run, kernel, scope) in order.sample(entries, len(entries)):
            if name not in times.failed:
                times.measure(name, run, kernel, scope, arguments.limit)
    names = [name for name, _ in entries]
    times.show(names)
    times.add_to(results, names)
    results.save(arguments)


if __name__ == "__main__":
    main()
