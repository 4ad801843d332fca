"""Measures the cost of profiling.

    python benchmarks/profiler.py [--records 10000000] [--rounds 5]     decoding, pairing and writing: needs no GPU
    python benchmarks/profiler.py --gpu                                 kernels and launches, with and without

To measure decoding without a GPU, this program itself fills memory with records in the format of a kernel's records.
"""

import argparse
import pathlib
import statistics
import tempfile
import time
from dataclasses import dataclass

import numpy as np
from results import INTERLEAVED, NORMAL, Results

from hocket.profiler import Profile, ProfiledLaunch
from hocket.profiler.correction import corrected
from hocket.profiler.decoding import decode
from hocket.profiler.spans import spans_of

WARPS, RECORDS_OF_WARP = 8, 64


@dataclass
class Site:
    id: int
    name: str
    kind: str = "scope"
    parent: int = -1
    file: str = "kernel.py"
    line: int = 1
    stage: int = -1
    payload: bool = False
    exclusive: bool = False


class Facts:
    """Properties of a kernel with one scope in a loop, with the attributes of ProfileFacts."""

    sites = (Site(0, "load"),)
    unit_warps = tuple(range(WARPS))
    group_of_warp = tuple(warp // 4 for warp in range(WARPS))
    partition_of_warp = ("",) * WARPS
    bytes_per_unit = RECORDS_OF_WARP * 8
    bytes_per_cta = -(-(64 + WARPS * (8 + bytes_per_unit)) // 128) * 128
    steady_ns = 1.0
    space, note = "device", ""


def filled_memory(blocks: int) -> np.ndarray:
    """Returns the memory of `blocks` blocks with full buffers: begins and ends alternate, 10 cycles apart."""
    block = np.zeros(Facts.bytes_per_cta // 4, np.uint32)
    block[:6] = 0x46504B48, 2, 0, 0, WARPS, Facts.bytes_per_unit
    block[10] = block[14] = 1_000_000  # the steady clock at the end of the block, and after the records were written
    block[12] = 2_000_000  # the cycle counter at the end of the block
    block[16 : 16 + 2 * WARPS : 2] = RECORDS_OF_WARP
    records = np.zeros((WARPS, RECORDS_OF_WARP, 2), np.uint32)
    records[:, 1::2, 0] = 1 << 30
    records[:, :, 1] = 10 * np.arange(RECORDS_OF_WARP)
    block[16 + 2 * WARPS :][: records.size] = records.ravel()
    memory = np.tile(block, (blocks, 1))
    memory[:, 2] = np.arange(blocks)
    return memory.view(np.uint8).ravel()


def best_times(run, rounds: int) -> tuple[float, float]:
    """Returns the smallest wall time and the smallest CPU time of `rounds` calls, in seconds."""
    passed, used = [], []
    for _ in range(rounds):
        start, cpu = time.perf_counter(), time.process_time()
        run()
        passed.append(time.perf_counter() - start)
        used.append(time.process_time() - cpu)
    return min(passed), min(used)


class FixedMemory:
    """A sink that gives every launch the same GPU memory and reads no records, so that only the kernel's overhead is
    measured."""

    def __init__(self, config):
        self.config, self.memory = config, None

    def buffer(self, kernel, grid, place, stream, nbytes):
        import torch

        if self.memory is None or self.memory.numel() < nbytes:
            self.memory = torch.zeros(nbytes, dtype=torch.uint8, device="cuda")
        return self.memory.data_ptr()

    def launched(self, kernel, grid, place, stream, address):
        pass

    def close(self):
        self.memory = None


def measure_gpu(results: Results) -> None:
    """Measures the cycles of a record, the time of kernels, and the host time of launches. Compares kernels without
    recording with kernels that record one warp per block, one of four warps, and all warps."""
    import torch
    from interleave import gpu_times, print_table

    from hocket.kernels import attention, matmul
    from hocket.profiler.calibration import cycles_of_record
    from hocket.profiler.facts import ProfileConfig
    from hocket.profiler.sink import LaunchSink
    from hocket.runtime import profiling

    for space in ("shared", "device"):
        for clock in (32, 44):
            cycles = cycles_of_record(0, space, ProfileConfig(clock=clock))
            print(f"a record in {space} memory, clock of {clock} bits: {cycles:.0f} cycles")

    sinks = []

    def profiled(run, make_sink, **config):
        sinks.append(sink := make_sink(ProfileConfig(**config)))

        def call():
            choice = profiling.current.set(sink)
            try:
                run()
            finally:
                profiling.current.reset(choice)

        return call

    units = {"one warp of a block": "cta", "one warp of four": "group", "all warps": "warp"}

    def seconds_of_launches(run, calls, rounds=15):
        """Returns the host time of a launch, without and with recording. Each round opens a new session before the
        measured time."""
        samples = {name: [] for name in ("plain", *units)}
        for _ in range(rounds):
            for name, seconds in samples.items():
                sink = LaunchSink(ProfileConfig(units=units[name])) if name in units else None
                choice = profiling.current.set(sink) if sink else None
                for _ in range(20):  # the first launches allocate memory
                    run()
                torch.cuda.synchronize()
                started = time.perf_counter()
                for _ in range(calls):
                    run()
                seconds.append((time.perf_counter() - started) / calls)
                if choice:
                    profiling.current.reset(choice)
                    sink.close()
        return {name: statistics.median(seconds) for name, seconds in samples.items()}

    def rivals(run, make_sink, bytes_of_warp):
        return {"plain": run} | {
            name: profiled(run, make_sink, units=which, bytes=bytes_of_warp) for name, which in units.items()
        }

    a, b = (torch.randn(4096, 4096, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(4096, 4096, device="cuda", dtype=torch.float16)
    q, k, v = (torch.randn(4, 16, 4096, 128, device="cuda", dtype=torch.float16) for _ in range(3))
    o = torch.empty_like(q)
    small = [torch.zeros(64, 64, device="cuda", dtype=torch.float16) for _ in range(3)]
    rows = []
    table = results.table(
        "kernels", "profiled kernels and launches", "us", better="lower", ours=tuple(["plain", *units])
    )
    for name, run in (
        ("matmul f16 4096^3", lambda: matmul(a, b, c)),
        ("attention f16 4x16x4096x128", lambda: attention(q, k, v, o)),
    ):
        # With 256 bytes per warp, the records of all launches fit into the session's memory; otherwise the times would
        # include reading the records.
        for where, make_sink, bytes_of_warp in (("kernel alone", FixedMemory, 0), ("in a session", LaunchSink, 256)):
            times = gpu_times(rivals(run, make_sink, bytes_of_warp), rounds=20)
            table.add(f"{name}, {where}", {rival: 1e6 * t for rival, t in times.items()}, seconds=times)
            for rival, t in times.items():
                rows.append([f"{name}, {where}", rival, f"{t * 1e6:.1f} us", f"{t / times['plain'] - 1:+.1%}"])
    for calls in (20, 200):
        times = seconds_of_launches(lambda: matmul(*small), calls)
        table.add(f"host, {calls} in a row", {rival: 1e6 * t for rival, t in times.items()}, seconds=times, calls=calls)
        for rival, t in times.items():
            added = f"{(t - times['plain']) * 1e6:+.1f} us"
            rows.append([f"host, a launch, {calls} in a row", rival, f"{t * 1e6:.1f} us", added])
    print_table("Profiling, interleaved with launches without profiling", ["what", "recording", "time", "added"], rows)
    for sink in sinks:
        sink.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--gpu", action="store_true", help="measure kernels and launches on the GPU")
    results = Results("profiler", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    arguments = parser.parse_args()
    if arguments.gpu:
        measure_gpu(results)
        return results.save(arguments)
    results.method, results.inputs = "the fastest of several rounds", "records of a kernel with one scope in a loop"
    blocks = max(1, arguments.records // (WARPS * RECORDS_OF_WARP))
    count = blocks * WARPS * RECORDS_OF_WARP
    memory = filled_memory(blocks)

    def launch() -> ProfiledLaunch:
        return ProfiledLaunch(0, "kernel", "sm_90a", (blocks, 1, 1), Facts(), memory, cycles_of_record=8.0)

    step = decode(memory, Facts(), blocks)
    assert len(step.records) == count
    shown = corrected(step.records, 8.0, np.ones(blocks))
    steps = {
        "decoded": lambda: decode(memory, Facts(), blocks),
        "corrected": lambda: corrected(step.records, 8.0, np.ones(blocks)),
        "paired": lambda: spans_of(shown, step.records, Facts()),
        "all of it": lambda: launch().spans,
    }
    ours = ("elapsed", "CPU time")
    table = results.table("records", "reading records, by wall time and by CPU time", "million/s", ours=ours)
    print(f"{count} million records per second:")
    for name, run in steps.items():
        passed, used = best_times(run, arguments.rounds)
        print(f"    {name:12} {count / passed / 1e6:7.1f}   of CPU time {count / used / 1e6:7.1f}")
        table.add(name, {"elapsed": count / passed / 1e6, "CPU time": count / used / 1e6}, records=count)
    results.save(arguments)

    blocks = min(blocks, 200)
    profile = Profile("benchmark")
    memory = memory[: blocks * Facts.bytes_per_cta]
    profile.launches.append(launch())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        written, _ = best_times(lambda: profile.save(path), 1)
        print(f"trace:     {path.stat().st_size / 1e6:.1f} MB of {blocks} blocks in {written:.2f} s")


if __name__ == "__main__":
    main()
