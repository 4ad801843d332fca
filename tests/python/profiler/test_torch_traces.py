"""Records that are added to a trace of PyTorch's profiler: which row each launch belongs to, and where its records are.

The traces are written here in the form that `export_chrome_trace` gives them for a GPU.
"""

import gzip
import json
import re

import pytest
from encoder import BEGIN, END, MARK, Encoder, Facts, Site
from perfetto import check_trace
from profiles import add_launch

from hocket.errors import LaunchError
from hocket.profiler import Profile

#: The host's clock at time 0 of a trace, and what the GPU's clock shows then, in nanoseconds.
BASE, GPU_CLOCK = 1_790_857_026_000_000_000, 5_000_000_000
#: Microseconds from the begin of a row to the first record, and from the last record to its end.
BEFORE, AFTER = 1.5, 2.5


class Trace:
    """A trace of one GPU with two streams, and of the host."""

    def __init__(self, device=0):
        self.device = device
        self.events = [
            self._meta("process_name", 0, {"name": "python"}),
            self._meta("process_labels", 0, {"labels": f"GPU {device}"}),
            {"ph": "X", "cat": "cpu_op", "name": "gemm", "pid": 4321, "tid": 4321, "ts": 10.0, "dur": 500.0},
            {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
             "ts": 0.0, "dur": 9999.0, "args": {"Op count": 0}},
        ]  # fmt: skip
        for stream in (7, 13):
            self.events.append(self._meta("thread_name", stream, {"name": f"stream {stream} "}))
            self.events.append(self._meta("thread_sort_index", stream, {"sort_index": stream}))

    def _meta(self, name, stream, args):
        return {"ph": "M", "name": name, "ts": 0.0, "pid": self.device, "tid": stream, "args": args}

    def row(self, name, begin, duration, stream=7):
        self.events.append(
            {"ph": "X", "cat": "kernel", "name": name, "pid": self.device, "tid": stream, "ts": begin, "dur": duration,
             "args": {"device": self.device, "stream": stream, "correlation": len(self.events), "grid": [1, 1, 1]}}
        )  # fmt: skip

    def write(self, path):
        data = {"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": BASE, "traceEvents": self.events}
        text = json.dumps(data).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
        return path


class InWindow(Profile):
    """A profile whose session was open from one time of the trace to another, in microseconds."""

    def __init__(self, begin, end):
        super().__init__("test")
        self.begin, self.end = begin, end

    def _window(self):
        return BASE + int(self.begin * 1000), BASE + int(self.end * 1000)


SITES = [Site(0, "load"), Site(1, "warp", "warp"), Site(2, "copy", "token", payload=True), Site(3, "seen", "mark")]


def launch_at(profile, kernel, begin, duration, blocks=2, place=0):
    """A launch whose records last `duration` microseconds, from `begin` on, in the time of the trace."""
    encoder = Encoder(Facts(SITES, [0, 4]), blocks=blocks)
    start, end = (GPU_CLOCK + int(time * 1000) for time in (begin, begin + duration))
    cycles = int(duration * 1000)
    for block in range(blocks):
        encoder.header(block, start=(start, 0), end=(end, cycles))
        encoder.write(0, BEGIN, 1, 0, block=block)
        encoder.write(0, BEGIN, 2, 100, 5, block=block)
        encoder.span(0, 0, 200, cycles // 2, block=block)
        encoder.write(0, MARK, 3, cycles // 2 + 10, block=block)
        encoder.write(0, END, 1, cycles, block=block)
        encoder.write(1, END, 2, cycles - 100, 5, block=block)
    add_launch(profile, encoder, kernel=kernel, place=place, cycles_per_ns=1.0)


def both(profile, trace, kernel, begin, duration=40.0, stream=7):
    """A launch and its row."""
    trace.row(kernel, begin, duration, stream)
    launch_at(profile, kernel, begin + BEFORE, duration - BEFORE - AFTER)


def merged(profile, trace, tmp_path, **options):
    path = trace.write(tmp_path / "step.json")
    profile.merge_into(path, **options)
    return json.loads(path.read_text())


def added(result, kind="X"):
    """The events that were added, with the names of their tracks."""
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in result["traceEvents"] if e["name"] == "thread_name"}
    events = [e for e in result["traceEvents"] if e["ph"] == kind and e.get("cat") not in ("kernel", "cpu_op", "Trace")]
    return [(names[event["pid"], event["tid"]], event) for event in events]


def check_inside(result, rows):
    """The records of launch i are in the time of row i."""
    found = set()
    for _, event in added(result):
        begin, duration = rows[event["args"]["launch"]]
        assert begin <= event["ts"] and event["ts"] + event["dur"] <= begin + duration + 1e-6
        found.add(event["args"]["launch"])
    assert found == set(range(len(rows)))


def test_records_are_below_their_rows(tmp_path):
    profile, trace = Profile("test"), Trace()
    for kernel, begin, stream in (("gemm", 100.0, 7), ("norm", 150.0, 7), ("gemm", 200.0, 13)):
        both(profile, trace, kernel, begin, stream=stream)
    trace.row("other", 300.0, 20.0)
    before = list(trace.events)
    result = merged(profile, trace, tmp_path)
    assert [event for event in result["traceEvents"] if event in before and event["name"] != "thread_sort_index"] == [
        event for event in before if event["name"] != "thread_sort_index"
    ]
    check_trace({"traceEvents": [e for e in result["traceEvents"] if e["pid"] == 0], "displayTimeUnit": "ms"})
    check_inside(result, [(100.0, 40.0), (150.0, 40.0), (200.0, 40.0)])
    tracks = {name for name, _ in added(result)}
    assert tracks == {"stream 7: block 0, warp 0", "stream 13: block 0, warp 0"}
    assert {event["name"] for _, event in added(result)} == {"gemm", "norm", "load"}
    first = next(event for _, event in added(result) if event["name"] == "gemm")
    # The clocks are aligned up to the time in which a row has no records.
    assert first["ts"] == pytest.approx(100 + BEFORE, abs=(BEFORE + AFTER) / 2)
    assert first["dur"] == pytest.approx(36.0)


def test_tracks_are_sorted_below_their_streams(tmp_path):
    profile, trace = Profile("test"), Trace()
    both(profile, trace, "gemm", 100.0, stream=7)
    both(profile, trace, "gemm", 200.0, stream=13)
    result = merged(profile, trace, tmp_path, blocks=None)
    names = {e["tid"]: e["args"]["name"].strip() for e in result["traceEvents"] if e["name"] == "thread_name"}
    positions = {e["tid"]: e["args"]["sort_index"] for e in result["traceEvents"] if e["name"] == "thread_sort_index"}
    assert [names[track] for track in sorted(positions, key=positions.get)] == [
        "stream 7",
        *(f"stream 7: block {block}, warp {warp}" for block in (0, 1) for warp in (0, 4)),
        "stream 13",
        *(f"stream 13: block {block}, warp {warp}" for block in (0, 1) for warp in (0, 4)),
    ]
    assert len(set(positions.values())) == len(positions)


def test_tokens_and_marks(tmp_path):
    profile, trace = Profile("test"), Trace()
    both(profile, trace, "gemm", 100.0)
    result = merged(profile, trace, tmp_path, blocks=[1])
    ((_, mark),) = added(result, "i")
    assert mark["name"] == "seen" and 100 < mark["ts"] < 140
    ((begins, begin),), ((ends, end),) = added(result, "b"), added(result, "e")
    assert (begins, ends) == ("stream 7: block 1, warp 0", "stream 7: block 1, warp 4")
    assert begin["args"]["payload"] == 5 and end["ts"] - begin["ts"] == pytest.approx(35.8)


def test_launches_outside_of_the_session(tmp_path):
    """Equal kernels before and after it: the host's clock tells them apart."""
    profile, trace = InWindow(5000.0, 6000.0), Trace()
    for begin in (100.0, 200.0, 9100.0):
        trace.row("gemm", begin, 40.0)
    both(profile, trace, "gemm", 5100.0)
    both(profile, trace, "gemm", 5300.0)
    check_inside(merged(profile, trace, tmp_path), [(5100.0, 40.0), (5300.0, 40.0)])


def test_the_distances_of_launches_find_their_rows(tmp_path):
    """Without a window: rows of two kernels, of which only some are those of the profile."""
    profile, trace = Profile("test"), Trace()
    for begin in (100.0, 180.0, 420.0, 500.0, 1700.0):
        trace.row("gemm", begin, 40.0)
        trace.row("norm", begin + 50, 20.0)
    rows = [(800.0, 40.0), (930.0, 40.0), (1000.0, 40.0)]
    for kernel, (begin, _) in zip(("gemm", "norm", "gemm"), rows, strict=True):
        both(profile, trace, kernel, begin)
    check_inside(merged(profile, trace, tmp_path), rows)


def test_the_last_run_of_a_graph(tmp_path):
    """The launches of a graph have the records of its last run."""
    profile, trace = Profile("test"), Trace()
    for run in range(4):
        trace.row("gemm", 100.0 + 1000 * run, 40.0)
        trace.row("norm", 160.0 + 1000 * run, 40.0)
    launch_at(profile, "gemm", 3100 + BEFORE, 36.0)
    launch_at(profile, "norm", 3160 + BEFORE, 36.0)
    check_inside(merged(profile, trace, tmp_path), [(3100.0, 40.0), (3160.0, 40.0)])


def test_launches_that_overlap_have_tracks_of_their_own(tmp_path):
    """Programmatic dependent launches overlap."""
    profile, trace = Profile("test"), Trace()
    both(profile, trace, "gemm", 100.0)
    both(profile, trace, "norm", 130.0)
    result = merged(profile, trace, tmp_path)
    check_trace({"traceEvents": [e for e in result["traceEvents"] if e["pid"] == 0 and e.get("cat") != "kernel"],
                 "displayTimeUnit": "ms"})  # fmt: skip
    assert {name for name, _ in added(result)} == {"stream 7: block 0, warp 0", "stream 7: block 0, warp 0 (2)"}


def test_two_gpus_have_clocks_of_their_own(tmp_path):
    profile, trace, other = Profile("test"), Trace(), Trace(device=1)
    both(profile, trace, "gemm", 100.0)
    other.row("gemm", 120.0, 40.0)
    launch_at(profile, "gemm", 77_777.0, 36.0, place=1)
    trace.events += other.events
    result = merged(profile, trace, tmp_path)
    check_inside(result, [(100.0, 40.0), (120.0, 40.0)])
    assert {event["pid"] for _, event in added(result)} == {0, 1}


def test_compressed_traces_and_another_file(tmp_path):
    profile, trace = Profile("test"), Trace()
    both(profile, trace, "gemm", 100.0)
    path = trace.write(tmp_path / "step.json.gz")
    before = path.read_bytes()
    profile.merge_into(str(path), out=tmp_path / "merged.json.gz")
    assert path.read_bytes() == before
    assert added(json.loads(gzip.decompress((tmp_path / "merged.json.gz").read_bytes())))


def test_records_that_last_longer_than_their_row(tmp_path):
    """Clocks are rounded: the records begin with the row."""
    profile, trace = Profile("test"), Trace()
    trace.row("gemm", 100.0, 40.0)
    launch_at(profile, "gemm", 55.0, 40.064)
    (_, event), *_ = added(merged(profile, trace, tmp_path))
    assert event["ts"] == 100.0


def check_error(call, message):
    with pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == message


def test_a_trace_without_the_kernels(tmp_path):
    profile, trace = Profile("test"), Trace()
    trace.row("other", 100.0, 40.0)
    launch_at(profile, "gemm", 100.0, 36.0)
    path = trace.write(tmp_path / "step.json")
    check_error(
        lambda: profile.merge_into(path),
        "the trace has 0 rows of gemm on device 0, and the session 1 launches\n"
        "  hint: enter the session while torch.profiler is active, with ProfilerActivity.CUDA",
    )


@pytest.mark.parametrize(
    ("last", "rows"), [(700.0, (100.0, 200.0, 300.0, 950.0)), (240.0, (100.0, 200.0, 950.0, 990.0))]
)
def test_a_trace_without_one_of_the_launches(tmp_path, last, rows):
    """A launch far from all rows, and two launches that are nearest to one row."""
    profile, trace = Profile("test"), Trace()
    for begin in rows:
        trace.row("gemm", begin, 30.0)
    for begin in (100.0, 200.0, last):
        launch_at(profile, "gemm", begin + BEFORE, 26.0)
    path = trace.write(tmp_path / "step.json")
    with pytest.raises(LaunchError) as caught:
        profile.merge_into(path)
    assert re.fullmatch(
        r"launch [12], of gemm, has no row in the trace at its time\n"
        "  hint: enter the session while torch.profiler is active, with ProfilerActivity.CUDA",
        str(caught.value),
    )


@pytest.mark.parametrize("contents", [b"", b"[1, 2", b"[]", b"{}", b"\x1f\x8bnot gzip"])
def test_what_is_no_trace(tmp_path, contents):
    profile, trace, path = Profile("test"), Trace(), tmp_path / "step.json"
    both(profile, trace, "gemm", 100.0)
    path.write_bytes(contents)
    check_error(
        lambda: profile.merge_into(path),
        f"{str(path)!r} is not a trace\n  hint: pass a file that export_chrome_trace has written",
    )


def test_a_file_that_there_is_not(tmp_path):
    profile, path = Profile("test"), tmp_path / "step.json"
    launch_at(profile, "gemm", 0.0, 36.0)
    check_error(lambda: profile.merge_into(path), f"{str(path)!r} cannot be read: No such file or directory")


@pytest.mark.parametrize("blocks", [3, "0", [-1], [True], [0.0]], ids=repr)
def test_blocks_are_numbers(blocks):
    check_error(
        lambda: Profile("test").merge_into("step.json", blocks=blocks),
        f"blocks must be numbers of blocks, or None for all, not {blocks!r}",
    )


def test_launches_of_the_emulator(tmp_path):
    profile, path = Profile("test"), Trace().write(tmp_path / "step.json")
    encoder = Encoder(Facts(SITES, [0]))
    encoder.span(0, 0, 100, 200)
    add_launch(profile, encoder, is_model=True, place="sm_90a")
    check_error(
        lambda: profile.merge_into(path),
        "the launches ran on the emulator, whose clock is a model: a trace of PyTorch has no rows for them\n"
        "  hint: profile.save(path) writes a trace of their own",
    )
