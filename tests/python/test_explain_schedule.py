"""kernel.explain_schedule(): the stages of loops with warp_pipeline="auto", or the reason why there are none."""

import json

import hocket
from hocket import language as gl
from hocket.reports.schedule import ScheduleReport


@hocket.jit
def add_up(x, y, n, WARPS: gl.constexpr = 8):
    ROW: gl.constexpr = gl.BlockedLayout([1], [64], [WARPS], [0])
    place = gl.arange(0, 512, layout=ROW)
    total = gl.zeros([512], gl.float32, ROW)
    for k in gl.range(n, warp_pipeline="auto"):
        total += gl.load(x + 512 * k + place)
    for _ in gl.range(n, warp_pipeline="auto"):
        gl.barrier()
    gl.store(y + place, total)


def compiled(**options):
    return add_up.warmup(gl.float32, gl.float32, 4, WARPS=options["num_warps"], target="gfx950", **options)


def test_loops_that_keep_no_stages():
    report = compiled(num_warps=8).explain_schedule()
    small, barrier = report
    assert not small.formed and not barrier.formed
    assert small.reason == "the expected gain is below the model's error"
    assert small.best.clocks >= small.bound
    assert barrier.reason == "the loop contains a barrier"
    assert (barrier.plain_clocks, barrier.best, barrier.runner_up) == (None, None, None)
    assert barrier.reason_line == barrier.line + 1
    text = str(report)
    assert text.startswith("add_up for gfx950\n\ntest_explain_schedule.py, line ")
    assert f"no stages: the loop contains a barrier (line {barrier.reason_line})" in text
    assert "    best slots:" in text


def test_the_number_of_warps_is_a_reason():
    first, _ = compiled(num_warps=4).explain_schedule()
    assert first.reason == "a warp pipeline needs 8 warps, but the loop is executed by 4"


@hocket.jit
def squares(x, y, n):
    ROW: gl.constexpr = gl.BlockedLayout([16], [64], [8], [0])
    place = gl.arange(0, 8192, layout=ROW)
    total = gl.load(x + place)
    for k in gl.range(n, warp_pipeline="auto"):
        total = total * total + gl.load(x + 8192 * k + place)
    gl.store(y + place, total)


def test_clocks_of_packed_arithmetic():
    """On AMD, an instruction multiplies or adds two float32, but only one int32."""

    def vector_clocks(dtype):
        (loop,) = squares.warmup(dtype, dtype, 4, num_warps=8, target="gfx950").explain_schedule()
        return sum(slot.units["vector"] for slot in loop.best.slots)

    # A multiplication and an addition of 16 registers, 4 clocks for each instruction, in both groups.
    assert vector_clocks(gl.int32) - vector_clocks(gl.float32) == 2 * 16 * 4 * 2 // 2


def test_kernels_without_such_loops():
    @hocket.jit
    def plain(x):
        gl.store(x, 1.0)

    report = plain.warmup(gl.float32, target="gfx950").explain_schedule()
    assert len(report) == 0
    assert str(report) == 'plain for gfx950: no loop has warp_pipeline="auto"'


def stage(label, lines, **rest):
    return {"label": label, "lines": [[__file__, line] for line in lines], **rest}


def test_the_stages_as_source():
    first = add_up.fn.__code__.co_firstlineno + 3
    units = {"matrix": 0, "vector": 50, "shared": 0, "memory": 100}
    plan = {
        "clocks": 200,
        "phase_gap": 2,
        "stages": [
            stage("memory", [first, first + 1], priority=1),
            stage("vector", [first + 1], priority=0, wait=1, wait_line=[__file__, first + 3]),
            stage("pause", [], priority=1),
        ],
        "slots": [{"clocks": 100, "waiting": 20, "units": units}] * 3,
    }
    loop = {"file": __file__, "line": 7, "formed": True, "error_percent": 7, "exact": False, "mma_parts": [1, 1, 1]}
    facts = [
        json.dumps({**loop, "plain_clocks": 300, "bound": 150, "limit": "memory", "best": plan, "runner_up": plan})
    ]
    (schedule,) = ScheduleReport("kernel", "gfx950", facts)
    assert schedule.best.source.splitlines() == [
        'with gl.warp_pipeline_stage("memory", priority=1, phase_gap=2):',
        f"    place = gl.arange(0, 512, layout=ROW)  # line {first}",
        f"    total = gl.zeros([512], gl.float32, ROW)  # line {first + 1}, in several stages",
        f"wait_group(1)  # line {first + 3}",
        'with gl.warp_pipeline_stage("vector", priority=0):',
        f"    total = gl.zeros([512], gl.float32, ROW)  # line {first + 1}, in several stages",
        'with gl.warp_pipeline_stage("pause", priority=1):',
        "    pass",
    ]
    assert [(slot.low, slot.high) for slot in schedule.best.slots] == [
        ("memory", "vector"),
        ("vector", "pause"),
        ("pause", "memory"),
    ]
    text = str(schedule)
    assert "with stages 200, without 300, bound 150 by the memory unit; the search was not complete" in text
    assert "memory | vector: 100 clocks, waits 20 for copies; vector 50 %, memory 100 %" in text
    assert "next best 200: memory, vector, pause" in text
