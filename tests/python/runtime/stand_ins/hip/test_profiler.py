"""Profiled launches through HIP: memory of the GPU that goes around in a ring, read while other launches run."""

import numpy as np
import pytest
from stand_in import GFX942, GFX950

import hocket
from hocket import language as gl
from hocket import profiler


@hocket.jit
def count(out, first, TURNS: gl.constexpr):
    for k in range(TURNS):
        profiler.mark("turn", first + k)
    with profiler.scope("store"):
        gl.store(out + gl.program_id(0), first)


@hocket.jit
def silent(out):
    gl.store(out, 1)


def payloads(records, launch):
    mine = records[(records["launch"] == launch) & (records["kind"] == profiler.KINDS.index("mark"))]
    return [mine["payload"][mine["warp"] == warp].tolist() for warp in np.unique(mine["warp"])]


@pytest.mark.parametrize("buffer", ["device", "smem", "static"])
def test_launches_are_read_in_order(hip, buffer):
    out = hip.array(np.zeros(3, np.int64), GFX950)
    with profiler.session("test", buffer=buffer, stages=None) as profile:
        for first in range(0, 600, 50):
            count[(3,)](out, first, TURNS=4, num_warps=2)
    assert out.array.tolist() == [550] * 3
    records = profile.records()
    assert len(profile.launches) == 12
    for number, launch in enumerate(profile.launches):
        assert (launch.kernel, launch.target, launch.grid, launch.place) == ("count", "gfx950", (3, 1, 1), GFX950)
        expected = list(range(50 * number, 50 * number + 4)) * 3
        assert payloads(records, number) == [expected, expected]
    assert profile.dropped == 0
    facts = profile.launches[0].facts
    assert facts.space == ("shared" if buffer == "smem" else "device")
    assert facts.origin == ("static" if buffer == "static" else "launch")


def test_several_gpus_in_one_session(hip):
    with profiler.session("test") as profile:
        for device in (GFX942, GFX950, GFX942):
            count[(1,)](hip.array(np.zeros(1, np.int64), device), device, TURNS=1)
        count[(1,)](np.zeros(1, np.int64), 9, TURNS=1)  # on the emulator
    assert [launch.place for launch in profile.launches] == [GFX942, GFX950, GFX942, "sm_90a"]
    assert [row.count for row in profile.summary() if row.name == "store"] == [8, 4, 4]


def test_results_and_errors_are_those_of_plain_launches(hip):
    with profiler.session("test") as profile:
        plain = hip.array(np.zeros(1, np.int64), GFX942)
        count[(1,)](plain, 5, TURNS=1)
        hip.fail("hipMalloc", 2)
        with pytest.raises(hocket.LaunchError, match="allocating memory of the GPU"):
            count[(100_000,)](plain, 6, TURNS=1)
    assert plain.array.tolist() == [5]
    assert len(profile.launches) == 1


def test_launches_outside_of_sessions_record_nothing(hip):
    out = hip.array(np.zeros(1, np.int64), GFX942)
    kernel = count[(1,)](out, 3, TURNS=2)
    assert kernel.profile is None
    with profiler.session("test", stages=None):
        inside = count[(1,)](out, 4, TURNS=2)
        silent[(1,)](out)
    assert inside.profile is not None
    assert count[(1,)](out, 5, TURNS=2) is kernel
