"""Traces for Perfetto: every slice nests, every pair ends, tracks are named and in order."""

import json
import pathlib

import numpy as np
import pytest
from encoder import BEGIN, END, MARK, Encoder, Facts, Site
from perfetto import check_trace
from profiles import add_launch, profile_of, warp_pipeline

import hocket
from hocket.profiler.traces import TRACKS_OF_WARP


def names(trace, kind):
    return {(e["pid"], e["tid"]): e["args"] for e in trace["traceEvents"] if e["ph"] == "M" and e["name"] == kind}


def test_a_track_per_warp_and_per_stage():
    profile = profile_of(warp_pipeline(100, 300, iterations=5), kernel="attention")
    trace = profile.trace()
    tracks = check_trace(trace)
    assert len(tracks) == 2 * (1 + 2)
    named = {track: args["name"] for track, args in names(trace, "thread_name").items()}
    second = 4 * TRACKS_OF_WARP
    assert named == {
        (1, 0): "warp 0 (group 0)",
        (1, 1): "warp 0: load",
        (1, 2): "warp 0: compute",
        (1, second): "warp 4 (group 1)",
        (1, second + 1): "warp 4: load",
        (1, second + 2): "warp 4: compute",
    }
    assert {args["sort_index"] for args in names(trace, "thread_sort_index").values()} == {t for _, t in named}
    assert names(trace, "process_name") == {(1, 0): {"name": "attention L0 CTA(0,0,0) @SM0"}}
    iterations = tracks[1, 2]
    assert [event["args"]["payload"] for event in iterations] == list(range(5))
    assert all(event["args"]["cycles"] == 300 for event in iterations)
    assert iterations[0]["ts"] == 0.2 and iterations[0]["dur"] == 0.3  # a cycle is a nanosecond
    assert tracks[1, 0][0]["args"]["freq_src"] == "measured in the block"


def test_launches_and_blocks_are_processes_on_one_clock():
    encoders = []
    for number in range(2):
        encoder = Encoder(Facts([Site(0, "load")], [0]), blocks=6)
        for block in range(6):
            encoder.header(block, start=(2000 * number, 0), end=(2000 * number + 10**6, 10**6), hw_unit=block + 30)
            encoder.span(0, 0, 10, 20, block=block)
        encoders.append(encoder)
    profile = profile_of(encoders[0], grid=(3, 2, 1))
    add_launch(profile, encoders[1], grid=(3, 2, 1), target="gfx942")
    add_launch(profile, encoders[1], grid=(3, 2, 1))
    trace = profile.trace()
    check_trace(trace)
    found = [args["name"] for args in names(trace, "process_name").values()]
    assert len(found) == 18
    assert found[4] == "kernel L0 CTA(1,1,0) @SM34"
    assert found[6] == "kernel L1 CTA(0,0,0) @CU30"
    begins = [event["ts"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert begins[0] == 0.01 and begins[-1] == 2.01


def test_tokens_are_pairs_and_arrows():
    sites = [Site(0, "tma", "token", payload=True), Site(1, "seen", "mark", payload=True)]
    encoder = Encoder(Facts(sites, [0, 4]))
    encoder.write(0, BEGIN, 0, 10, 0)
    encoder.write(0, BEGIN, 0, 20, 1)  # overlaps the one before
    encoder.write(1, END, 0, 60, 1)
    encoder.write(1, MARK, 1, 65, 9)
    encoder.write(0, END, 0, 70, 0)
    trace = profile_of(encoder).trace()
    check_trace(trace)
    phases = [event["ph"] for event in trace["traceEvents"] if event["ph"] != "M"]
    assert sorted(phases) == sorted("bebesfi")
    (arrow,) = [event for event in trace["traceEvents"] if event["ph"] == "f"]
    assert arrow["tid"] == 4 * TRACKS_OF_WARP and arrow["ts"] == 0.06
    (mark,) = [event for event in trace["traceEvents"] if event["ph"] == "i"]
    assert mark["args"] == {"payload": 9}


def test_drops_and_losses_are_in_the_trace():
    encoder = Encoder(Facts([Site(0, "warp", "warp"), Site(1, "load")], [0], 32))
    for i in range(9):
        encoder.write(0, (BEGIN, END)[i % 2], 1, 10 * i)
    trace = profile_of(encoder).trace()
    check_trace(trace)
    assert trace["otherData"]["dropped"] == 5
    assert (
        names(trace, "process_labels")[1, 0]["labels"] == "1.0 cycles per ns, measured in the block, 5 records dropped"
    )


def test_saved_traces_are_json(tmp_path):
    profile = profile_of(warp_pipeline(70, 90, iterations=12))
    reported = []
    profile.save(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text()) == profile.trace()
    profile.save(tmp_path / "again.json", progress=True)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "trace.json").read_bytes()
    assert not reported


GOLDEN = pathlib.Path(__file__).parent / "golden_trace.json"


def test_the_trace_is_the_golden_one(tmp_path):
    """To the byte. If it is to change: look at the new one in Perfetto, then copy it there."""
    profile = profile_of(warp_pipeline(70, 90, iterations=3), kernel="attention")
    profile.save(tmp_path / "trace.json")
    assert (tmp_path / "trace.json").read_bytes() == GOLDEN.read_bytes()


def test_an_emulated_trace_is_the_same_every_time(tmp_path):
    @hocket.jit
    def iterations(out, N: hocket.language.constexpr):
        for k in range(N):
            with hocket.profiler.scope("iteration", k):
                hocket.language.store(out + hocket.language.program_id(0), k)

    saved = []
    for number in range(2):
        with hocket.profiler.session("golden", out=tmp_path / f"{number}.json"):
            iterations[(3,)](np.zeros(3, np.int32), N=4)
        saved.append((tmp_path / f"{number}.json").read_bytes())
    assert saved[0] == saved[1]


def test_the_validator_finds_mistakes():
    trace = profile_of(warp_pipeline(70, 90, iterations=3)).trace()
    events = trace["traceEvents"]
    first = next(event for event in events if event["ph"] == "X")
    for broken in (
        [*events, {**first, "ts": first["ts"] + first["dur"] - 0.01, "dur": 1.0}],
        [*events, {**first, "tid": 63}],
        [*events, {"ph": "b", "name": "x", "cat": "token", "id": "1", "ts": 0, "pid": 1, "tid": 0}],
        [*events, {"ph": "s", "name": "x", "cat": "token", "id": "1", "ts": 0, "pid": 1, "tid": 0}],
    ):
        with pytest.raises((AssertionError, KeyError)):
            check_trace({**trace, "traceEvents": broken})


def test_the_emulators_timelines_pass_too():
    @hocket.jit
    def one(p):
        hocket.language.store(p, 1.0)

    with hocket.emulator.record_timeline() as recorded:
        one[(1,)](np.zeros(1, np.float32))
    check_trace(recorded.trace())
