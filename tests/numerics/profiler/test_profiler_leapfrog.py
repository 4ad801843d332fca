"""The groups of a warp pipeline leap-frog, as their profile shows: the checks E1 to E8 of tests/COVERAGE.md.

On emulated CDNA and Hopper, and on a Hopper GPU. Each check is also run on what it must refuse.
"""

import numpy as np
import pytest
from lane_edits import edited
from leapfrog import (
    are_apart,
    instances_of_groups,
    is_complete,
    is_one_stage_apart,
    leader,
    occupancy,
    share_that_overlaps,
)

import hocket
from hocket import devices, profiler
from hocket import language as gl

pytestmark = pytest.mark.slow

TURNS, STAGES = 16, 2


@hocket.jit
def pipelined(x, out, TURNS: gl.constexpr, LOAD: gl.constexpr, COMPUTE: gl.constexpr):
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.barrier()
    acc = gl.load(x + i)
    for _ in range(TURNS):
        with gl.warp_pipeline_stage("load"):
            loaded = tile.load(layout)
            for _ in gl.static_range(LOAD):
                loaded += tile.load(layout)
        with gl.warp_pipeline_stage("compute"):
            for _ in gl.static_range(COMPUTE):
                acc = acc * 0.5 + loaded
    with profiler.scope("after"):
        acc += 1
    gl.store(out + i, acc)


@hocket.jit
def in_step(x, out, TURNS: gl.constexpr, LOAD: gl.constexpr, COMPUTE: gl.constexpr):
    """The kernel without a pipeline: barriers keep all warps in the same phase."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.barrier()
    acc = gl.load(x + i)
    for _ in range(TURNS):
        gl.barrier()
        with profiler.scope("load"):
            loaded = tile.load(layout)
            for _ in gl.static_range(LOAD):
                loaded += tile.load(layout)
        gl.barrier()
        with profiler.scope("compute"):
            for _ in gl.static_range(COMPUTE):
                acc = acc * 0.5 + loaded
    acc += 1
    gl.store(out + i, acc)


@pytest.fixture(params=["gfx942", "gfx950", "hopper"])
def place(request, hopper_device):
    """Emulated CDNA, the emulated sm_90a, or the GPU."""
    if request.param == "hopper":
        yield hopper_device
        return
    if hopper_device.is_gpu:
        pytest.skip("emulated elsewhere")
    with devices.EmulatedDevice(request.param) as device:
        yield device


def profiled(device, kernel, load, compute, **options):
    x = np.random.default_rng(0).standard_normal(512).astype(np.float32)
    arrays = [device.to_device(array) for array in (x, np.zeros_like(x))]
    with profiler.session("leapfrog", **options) as profile:
        kernel[(1,)](*arrays, TURNS=TURNS, LOAD=load, COMPUTE=compute, num_warps=8)
    return profile.launches[-1], device.to_host(arrays[1])


def as_stages(launch):
    """Scopes count as stages: for kernels that have none."""
    for site in launch.facts.sites:
        if site.kind == "scope":
            object.__setattr__(site, "kind", "stage")
    return launch


#: Tolerance for barriers and records on a GPU, in cycles; the emulator is exact. Stages are longer on a GPU,
#: accordingly.
def epsilon(device):
    return 100 if device.is_gpu else 0


GPU_LENGTH = 8


@pytest.mark.parametrize(("load", "compute"), [(40, 10), (10, 60)])
def test_groups_leap_frog(place, load, compute):
    length = GPU_LENGTH if place.is_gpu else 1
    launch, _ = profiled(place, pipelined, load * length, compute * length)
    groups = instances_of_groups(launch)
    assert is_complete(groups, STAGES, TURNS)  # E1
    assert leader(groups) == 0
    assert is_one_stage_apart(groups, epsilon(place))  # E2
    assert share_that_overlaps(groups) >= (0.95 if place.is_gpu else 1)  # E3
    assert are_apart(groups, epsilon(place))  # E4
    together = occupancy(groups)
    assert np.trace(together) <= 0.05 and together[0, 1] + together[1, 0] >= 0.8


def test_groups_synchronize_after_the_loop(place):
    """E5: after the loop both groups continue at the same time."""
    launch, _ = profiled(place, pipelined, 20, 20)
    (after,) = [site.id for site in launch.facts.sites if site.name == "after"]
    begins = {warp: int(launch.spans[(launch.spans["site"] == after) & (launch.spans["warp"] == warp)]["begin"][0])
              for warp in range(8)}  # fmt: skip
    assert max(begins.values()) - min(begins.values()) <= max(epsilon(place), 4)  # warps of a block begin in turn


def test_groups_come_to_as_many_barriers():
    """E5, as the emulator counts them."""
    with hocket.emulator.target("gfx950"), hocket.emulator.record_timeline() as timeline:
        pipelined[(1,)](
            np.ones(512, np.float32), np.zeros(512, np.float32), TURNS=TURNS, LOAD=9, COMPUTE=9, num_warps=8
        )
    counts = [sum(s.kind == "barrier" and s.warp == warp for s in timeline.slices) for warp in range(8)]
    assert len(set(counts[:4])) == len(set(counts[4:])) == 1
    # Group 1 waits at the entrance, group 0 at the end.
    assert counts[0] == counts[4] >= TURNS * STAGES


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("load", "compute"), [(40, 10), (10, 60), (20, 20)])
def test_iterations_take_the_time_of_their_longer_stage(target, load, compute):
    """E6: a step takes as long as the longer one of the stages in it, and the barrier after it: to the clock. The first
    step is not looked at: group 1 may come later than that, from what is before the pipeline."""
    with devices.EmulatedDevice(target) as device:
        launch, _ = profiled(device, pipelined, load, compute)
    low, high = instances_of_groups(launch)
    together = list(zip(low[1:], high[:-1], strict=True))
    begins = [min(a.begin, b.begin) for a, b in together] + [high[-1].begin]
    longest = [max(a.end - a.begin, b.end - b.begin) for a, b in together]
    barriers = {after - before - spent for before, after, spent in zip(begins[:-1], begins[1:], longest, strict=True)}
    assert len(barriers) == 1  # one cost for all
    assert 0 < barriers.pop() < 20


@hocket.jit
def writes_and_sums(x, out, TURNS: gl.constexpr, WORK: gl.constexpr, PIPELINED: gl.constexpr):
    """One stage uses only shared memory, the other one only the VALU."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    acc = gl.load(x + i)
    if PIPELINED:
        for _ in range(TURNS):
            with gl.warp_pipeline_stage("write"):
                for _ in gl.static_range(WORK):
                    tile.store(acc)
            with gl.warp_pipeline_stage("sum"):
                for _ in gl.static_range(WORK):
                    acc = acc * 0.5 + 1.0
    else:
        for _ in range(TURNS):
            gl.barrier()
            with profiler.scope("write"):
                for _ in gl.static_range(WORK):
                    tile.store(acc)
            gl.barrier()
            with profiler.scope("sum"):
                for _ in gl.static_range(WORK):
                    acc = acc * 0.5 + 1.0
    gl.store(out + i, acc)


def test_leap_frogging_takes_half_the_time_of_going_in_step():
    """E6: with two stages of time c each, a loop of I iterations takes (2 I + 1) c, without the first stage; it takes 4
    I c if all warps use one unit."""
    totals, stages = {}, []
    for is_pipelined in (True, False):
        x = np.ones(512, np.float32)
        with hocket.emulator.target("gfx950"), profiler.session("units", bytes_per_warp=1024) as profile:
            writes_and_sums[(1,)](x, np.zeros_like(x), TURNS, 200, is_pipelined, num_warps=8)
        launch = profile.launches[0]
        kinds = np.array([site.kind for site in launch.facts.sites])[launch.spans["site"]]
        spans = launch.spans[np.isin(kinds, ["stage", "scope"])]
        totals[is_pipelined] = int(spans["end"].max() - spans["begin"].min())
        if is_pipelined:
            low, high = instances_of_groups(launch)
            stages = [i.end - i.begin for i in (*low[1:], *high[1:])]
            totals[True] = high[-1].end - low[1].begin  # before that they load their inputs
    stage = np.mean(stages)
    assert max(stages) <= 1.1 * min(stages)
    assert totals[True] == pytest.approx(2 * TURNS * stage, rel=0.08)
    assert totals[False] == pytest.approx(4 * TURNS * stage, rel=0.08)
    assert totals[False] > 1.8 * totals[True]


def test_going_in_step_is_seen():
    """E7: without the pipeline the checks fail."""
    with devices.EmulatedDevice("gfx950") as device:
        launch, _ = profiled(device, in_step, 20, 20, stages=None)
    groups = instances_of_groups(as_stages(launch))
    assert is_complete(groups, STAGES, TURNS)
    assert not is_one_stage_apart(groups, 0)
    assert share_that_overlaps(groups) < 0.5
    assert not are_apart(groups, 0)
    assert np.trace(occupancy(groups)) > 0.5


def test_the_other_leader_is_named():
    """E7: with the groups' names exchanged the other one leads."""
    with devices.EmulatedDevice("gfx950") as device:
        launch, _ = profiled(device, pipelined, 20, 20)
    groups = instances_of_groups(launch)
    assert (leader(groups), leader(groups[::-1])) == (0, 1)
    assert not is_one_stage_apart(groups[::-1], 0)


def groups_with(edit):
    """Records of the pipeline with an edit that the compiler would not make."""
    with edited(edit), devices.EmulatedDevice("gfx950") as device:
        launch, _ = profiled(device, hocket.jit(pipelined.fn), 20, 20)
    return instances_of_groups(launch)


def entrance(lane):
    """The lines of the barrier at which group 1 alone waits before its first stage, as a slice."""
    first, _, last = [number for number in lane.synchronizations() if lane.is_conditional(number)][:3]
    assert last == first + 2
    return slice(first, last + 1)


def test_no_barrier_at_the_entrance_is_seen():
    """E7: the groups then begin together."""

    def delete_entrance(lane):
        del lane.lines[entrance(lane)]

    groups = groups_with(delete_entrance)
    assert is_complete(groups, STAGES, TURNS)
    assert not is_one_stage_apart(groups, 0)
    assert share_that_overlaps(groups) < 0.5
    assert not are_apart(groups, 0)
    assert np.trace(occupancy(groups)) > 0.5


def test_one_barrier_more_at_the_entrance_is_seen():
    """E7: group 1 waits at one barrier more before it begins: it is two stages behind."""

    def double_entrance(lane):
        lines = entrance(lane)
        lane.lines[lines] = 2 * lane.lines[lines]

    groups = groups_with(double_entrance)
    assert leader(groups) == 0
    assert not is_one_stage_apart(groups, 0)
    assert share_that_overlaps(groups) < 0.5


def launch_plain(device):
    x = np.random.default_rng(0).standard_normal(512).astype(np.float32)
    arrays = [device.to_device(array) for array in (x, np.zeros_like(x))]
    pipelined[(1,)](*arrays, TURNS=TURNS, LOAD=20, COMPUTE=20, num_warps=8)
    return device.to_host(arrays[1])


@pytest.mark.parametrize("units", ["group", "warp"])
def test_profiling_keeps_the_rhythm(place, units):
    """E8: the results, and the order of the stages; what time it takes is measured by benchmarks/profiler.py."""
    launch, recorded = profiled(place, pipelined, 20, 20, units=units)
    assert is_complete(instances_of_groups(launch), STAGES, TURNS)
    np.testing.assert_array_equal(recorded, launch_plain(place))


def test_the_profile_is_the_timeline_of_the_plain_kernel(place):
    """E8: in the emulator each stage begins when it does without records, to the cycle. (There the barrier before it
    counts as part of the stage, which takes the same time each time.)"""
    if place.is_gpu:
        pytest.skip("a GPU has no timelines")
    launch, _ = profiled(place, pipelined, 20, 20)
    names = {site.id: site.name for site in launch.facts.sites if site.kind == "stage"}
    spans = launch.spans[np.isin(launch.spans["site"], list(names))]
    recorded = sorted((int(span["warp"]), int(span["begin"]), names[span["site"]]) for span in spans)
    with hocket.emulator.record_timeline() as timeline:
        launch_plain(place)
    plain = sorted((part.warp, part.begin, part.label) for part in timeline.slices if part.kind == "stage")
    pairs = list(zip(recorded, plain, strict=True))
    assert len(pairs) == 8 * STAGES * TURNS
    assert all(a[0] == b[0] and a[2] == b[2] for a, b in pairs)
    assert len({a[1] - b[1] for a, b in pairs}) == 1
