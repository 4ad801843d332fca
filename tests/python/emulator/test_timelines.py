"""hocket.emulator.record_timeline: what slices say, the format of traces, and the picture."""

import itertools
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket.errors import LaunchError
from hocket.language import amd

KINDS = {
    "stage", "arithmetic", "matrix", "shared load", "shared store", "global load", "global store", "atomic", "copy",
    "shuffle", "wait", "barrier",
}  # fmt: skip


@hocket.jit
def reverse(x, out):
    """Each warp writes what another one reads."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 256, layout=layout)
    smem = gl.allocate_shared_memory(gl.float32, [256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    smem.store(gl.exp(gl.load(x + gl.program_id(0) * 256 + i)))
    backwards: gl.constexpr = gl.row_layout(4)
    gl.store(out + gl.program_id(0) * 256 + gl.arange(0, 256, layout=backwards), smem.load(backwards))


def record_reverse(target="gfx942", grid=1, **options):
    x = np.linspace(0, 1, 256 * grid, dtype=np.float32)
    out = np.zeros_like(x)
    with hocket.emulator.target(target), hocket.emulator.record_timeline(**options) as recorded:
        reverse[(grid,)](x, out)
    np.testing.assert_allclose(out, np.exp(x), rtol=1e-6)
    return recorded


@hocket.jit
def multiply(out, TURNS: gl.constexpr):
    acc_layout: gl.constexpr = amd.AMDMFMALayout(3, [32, 32, 8], True, [gl.num_warps(), 1])
    a = gl.full([32 * gl.num_warps(), 8], 1, gl.float16, gl.DotOperandLayout(0, acc_layout, 4))
    b = gl.full([8, 32], 1, gl.float16, gl.DotOperandLayout(1, acc_layout, 4))
    acc = gl.zeros([32 * gl.num_warps(), 32], gl.float32, acc_layout)
    for _ in range(TURNS):
        acc = amd.cdna3.mfma(a, b, acc)
    rows = gl.arange(0, 32 * gl.num_warps(), layout=gl.SliceLayout(1, acc_layout))
    cols = gl.arange(0, 32, layout=gl.SliceLayout(0, acc_layout))
    gl.store(out + rows[:, None] * 32 + cols[None, :], acc)


def matrix_slices(num_warps, turns):
    out = np.zeros((32 * num_warps, 32), np.float32)
    with hocket.emulator.target("gfx942"), hocket.emulator.record_timeline() as recorded:
        multiply[(1,)](out, turns, num_warps=num_warps)
    assert (out == 8 * turns).all()
    return [s for s in recorded.slices if s.kind == "matrix"]


@pytest.mark.parametrize("target", hocket.devices.EMULATED_TARGETS)
def test_the_slices_of_a_warp_follow_each_other(target):
    recorded = record_reverse(target)
    assert {s.kind for s in recorded.slices} <= KINDS
    assert {"global load", "shared store", "shared load", "global store", "barrier", "wait"} <= {
        s.kind for s in recorded.slices
    }
    for warp in range(4):
        of_warp = [s for s in recorded.slices if s.warp == warp]
        assert of_warp
        assert all(s.begin <= s.end for s in of_warp)
        assert all(a.end <= b.begin for a, b in itertools.pairwise(of_warp))
        assert {s.filename for s in of_warp} == {__file__}


def test_lines_are_those_of_the_source():
    first = reverse.fn.__code__.co_firstlineno
    (line,) = {s.line for s in record_reverse().slices if s.kind == "global load"}
    assert line == first + 6
    (line,) = {s.line for s in record_reverse().slices if s.kind == "shared load"}
    assert line == first + 8


@pytest.mark.parametrize("target", hocket.devices.EMULATED_TARGETS)
def test_barriers_bring_warps_together(target):
    barriers = [s for s in record_reverse(target).slices if s.kind == "barrier"]
    assert len(barriers) == 4
    (opened,) = {s.end for s in barriers}
    assert opened > max(s.begin for s in barriers)


def test_a_result_comes_after_its_load():
    of_warp = [s for s in record_reverse().slices if s.warp == 0]
    load = next(s for s in of_warp if s.kind == "global load")
    use = next(s for s in of_warp if s.kind == "wait")
    assert use.begin >= load.end
    assert use.end - load.begin >= 600  # CostTable.cpp: CDNA's memory latency


def test_warps_of_one_simd_wait_for_its_matrix_core():
    alone = [s for s in matrix_slices(4, 8) if s.warp == 0]
    assert sum(s.clocks for s in alone) == 7 * 32 + 4  # eight passes of four clocks; the last has only been issued
    together = [s for s in matrix_slices(8, 8) if s.warp % 4 == 0]
    assert max(s.end for s in together) - min(s.begin for s in together) == 15 * 32 + 4


def test_blocks_and_launches():
    x, out = np.zeros(1024, np.float32), np.zeros(1024, np.float32)
    with hocket.emulator.record_timeline(blocks=2) as recorded:
        reverse[(4,)](x, out)
        reverse[(1,)](x, out)
    assert recorded.kernels == ["reverse", "reverse"]
    assert {(s.launch, s.block) for s in recorded.slices} == {(0, 0), (0, 1), (1, 0)}
    # A compute unit each: they do the same.
    first, second = ([s[2:] for s in recorded.slices if (s.launch, s.block) == (0, block)] for block in range(2))
    assert first == second


def test_other_launches_are_not_recorded():
    recorded = record_reverse()
    before = len(recorded.slices)
    reverse[(1,)](np.zeros(256, np.float32), np.zeros(256, np.float32))
    assert len(recorded.slices) == before


@pytest.mark.parametrize("blocks", [0, -1, 1.5, True, "all"])
def test_blocks_is_a_positive_integer(blocks):
    with pytest.raises(LaunchError, match="blocks must be a positive integer, not"):
        with hocket.emulator.record_timeline(blocks=blocks):
            pass


def test_traces_are_what_perfetto_reads(tmp_path):
    recorded = record_reverse(grid=2, blocks=2)
    recorded.save(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert "Not the speed of any hardware" in trace["otherData"]["about"]
    required = {"M": {"args", "name", "pid", "tid"}, "X": {"ts", "dur", "cat"}, "i": {"ts", "s"}}
    threads, processes = {}, {}
    for event in trace["traceEvents"]:
        assert required[event["ph"]] | {"name", "pid", "tid"} <= set(event)
        if event["ph"] == "M":
            names = {"thread_name": threads, "process_name": processes}[event["name"]]
            names[event["pid"], event["tid"]] = event["args"]["name"]
        else:
            assert (event["pid"], event["tid"]) in threads
            assert event["ts"] >= 0 and event.get("dur", 0) >= 0
    assert list(threads.values()) == [f"warp {warp}" for _ in range(2) for warp in range(4)]
    assert list(processes.values()) == ["reverse, block 0", "reverse, block 1"]
    opened = [event for event in trace["traceEvents"] if event["ph"] == "i"]
    assert len(opened) == 8


def test_the_picture_has_a_row_for_each_warp():
    recorded = record_reverse()
    svg = ElementTree.fromstring(recorded._repr_html_())
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text.startswith("warp ")] == [f"warp {warp}" for warp in range(4)]
    assert any("not the speed of any hardware" in text for text in texts)
    titles = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == len(recorded.slices)


def test_a_window_of_the_picture():
    recorded = record_reverse()
    last = max(s.end for s in recorded.slices)
    part = hocket.emulator.timeline(recorded, begin=last // 2, end=last)
    titles = part.svg.count("<title>")
    assert titles == sum(s.end > last // 2 for s in recorded.slices) < len(recorded.slices)


def test_pictures_of_nothing():
    recorded = record_reverse()
    with pytest.raises(ValueError, match="no slice of block 1 of launch 0 was recorded"):
        hocket.emulator.timeline(recorded, block=1)
    with pytest.raises(ValueError, match="there is nothing to draw between clocks 100 and 100"):
        hocket.emulator.timeline(recorded, begin=100, end=100)
    with hocket.emulator.record_timeline() as empty:
        pass
    assert repr(empty) == "Timeline: nothing was recorded"
    assert empty._repr_html_() is None
    with pytest.raises(ValueError, match="no slice of block 0 of launch -1 was recorded"):
        hocket.emulator.timeline(empty)


@hocket.jit
def nothing():
    pass


@hocket.jit
def specialized():
    gl.warp_specialize([(nothing, ()), (nothing, ())], [1], [24])  # budgets are of whole warpgroups


@pytest.mark.parametrize("blocks", [1, 2])
def test_a_warp_is_named_after_its_partition(blocks):
    with hocket.emulator.target("sm_90a"), hocket.emulator.record_timeline() as recorded:
        specialized[(1,)](num_warps=4, num_ctas=blocks)
    names = [recorded.name_of(0, warp) for warp in range(8 * blocks)]
    block = ["default"] * 4 + ["nothing"] + ["idle"] * 3
    assert names == [f"warp {warp} ({partition})" for warp, partition in enumerate(block * blocks)]
