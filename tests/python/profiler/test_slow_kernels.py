"""Kernels with an artificial bottleneck: `explain` names it, and predicts the gain of removing it."""

import numpy as np
import pytest

import hocket
from hocket import language as gl
from hocket import profiler
from hocket.language.nvidia.hopper import mbarrier

ITERATIONS = 16


@hocket.jit
def pipeline(x, out, ITERATIONS: gl.constexpr, LOAD: gl.constexpr, COMPUTE: gl.constexpr):
    """Stages of as much work as one asks for: reading shared memory, which takes its time, and arithmetic."""
    layout: gl.constexpr = gl.row_layout()
    i = gl.arange(0, 512, layout=layout)
    tile = gl.allocate_shared_memory(gl.float32, [512], gl.SwizzledSharedLayout(1, 1, 1, [0]), gl.load(x + i))
    gl.barrier()
    acc = gl.load(x + i)
    for _ in range(ITERATIONS):
        with gl.warp_pipeline_stage("load"):
            loaded = tile.load(layout)
            for _ in gl.static_range(LOAD):
                loaded += tile.load(layout)
        with gl.warp_pipeline_stage("compute"):
            for _ in gl.static_range(COMPUTE):
                acc = acc * 0.5 + loaded
    gl.store(out + i, acc)


def profile_pipeline(target, load, compute):
    x = np.ones(512, np.float32)
    with hocket.emulator.target(target), profiler.session("pipeline", units="group") as profile:
        pipeline[(1,)](x, np.zeros(512, np.float32), ITERATIONS=ITERATIONS, LOAD=load, COMPUTE=compute, num_warps=8)
    return profile


@pytest.mark.parametrize("target", ("gfx942", "gfx950", "sm_90a"))
@pytest.mark.parametrize(("load", "compute", "bound"), ((40, 10, "load"), (0, 60, "compute")))
def test_the_stage_that_was_slowed_down_is_named(target, load, compute, bound):
    explanation = profile_pipeline(target, load, compute).explain()
    assert (explanation.bound, explanation.bound_actor) == (bound, "both groups")
    assert explanation.place.rpartition(":")[0].endswith("test_slow_kernels.py")
    assert explanation.is_reliable
    other = {"load": "compute", "compute": "load"}[bound]
    cycles = {(w.actor, w.name): w.cycles for w in explanation.work}
    for group in ("group 0", "group 1"):
        assert cycles[group, bound] > 2 * cycles[group, other]
        waits = [wait for wait in explanation.waiting if wait.actor == group]
        assert waits[0].waits_for == bound and waits[0].of != group


@pytest.mark.parametrize("target", ("gfx950", "sm_90a"))
def test_the_gain_is_what_repairing_gains(target):
    slow, repaired = (profile_pipeline(target, load, 10).explain() for load in (40, 0))
    assert slow.gain == pytest.approx(1 - repaired.cycles / slow.cycles, abs=0.05)


def test_groups_lead_and_follow():
    """A profile shows the leap-frogging: one group is a stage ahead, and stages of one kind never overlap."""
    profile = profile_pipeline("gfx950", 40, 10)
    launch = profile.launches[0]
    stages = launch.spans[[launch.facts.sites[site].kind == "stage" for site in launch.spans["site"]]]
    of_group = [stages[stages["warp"] == warp] for warp in (0, 4)]
    assert [len(group) for group in of_group] == [2 * ITERATIONS] * 2
    for k in range(2 * ITERATIONS - 1):
        before, ahead, behind = of_group[0][k], of_group[0][k + 1], of_group[1][k]
        assert behind["begin"] >= before["end"]
        overlap = min(ahead["end"], behind["end"]) - max(ahead["begin"], behind["begin"])
        assert overlap >= 0.8 * min(behind["end"] - behind["begin"], ahead["end"] - ahead["begin"])


@hocket.jit
def produce(x, ring, full, free, ITERATIONS: gl.constexpr, WORK: gl.constexpr):
    value = gl.load(x + gl.arange(0, 256, layout=gl.row_layout()))
    for k in range(ITERATIONS):
        slot = k % ring.shape[0]
        with profiler.scope("wait for room"):
            mbarrier.wait(free.index(slot), (k // ring.shape[0] + 1) & 1)
        with profiler.scope("produce", k):
            for _ in gl.static_range(WORK):
                value = value * 0.5 + 1.0
            ring.index(slot).store(value)
            mbarrier.arrive(full.index(slot))


@hocket.jit
def consume(ring, full, free, ITERATIONS: gl.constexpr, WORK: gl.constexpr):
    total = gl.zeros([256], gl.float32, gl.row_layout())
    for k in range(ITERATIONS):
        slot = k % ring.shape[0]
        with profiler.scope("wait for data"):
            mbarrier.wait(full.index(slot), k // ring.shape[0])
        with profiler.scope("consume", k):
            value = ring.index(slot).load(gl.row_layout())
            for _ in gl.static_range(WORK):
                value += ring.index(slot).load(gl.row_layout())
            total += value
            mbarrier.arrive(free.index(slot))
    return total


@hocket.jit
def through_ring(x, out, SLOTS: gl.constexpr, ITERATIONS: gl.constexpr, PRODUCE: gl.constexpr, CONSUME: gl.constexpr):
    ring = gl.allocate_shared_memory(gl.float32, [SLOTS, 256], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    full, free = mbarrier.allocate_mbarrier(batch=SLOTS), mbarrier.allocate_mbarrier(batch=SLOTS)
    for slot in gl.static_range(SLOTS):
        mbarrier.init(full.index(slot), count=1)
        mbarrier.init(free.index(slot), count=1)
    total = gl.warp_specialize(
        [(consume, (ring, full, free, ITERATIONS, CONSUME)), (produce, (x, ring, full, free, ITERATIONS, PRODUCE))], [4]
    )
    gl.store(out + gl.arange(0, 256, layout=gl.row_layout()), total)


def profile_ring(produced, consumed, slots=2):
    with hocket.emulator.target("sm_90a"), profiler.session("ring") as profile:
        x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
        through_ring[(1,)](x, out, SLOTS=slots, ITERATIONS=ITERATIONS, PRODUCE=produced, CONSUME=consumed)
    return profile


@pytest.mark.parametrize(
    ("produced", "consumed", "bound", "of"), ((300, 20, "produce", "produce"), (0, 200, "consume", "default"))
)
def test_the_partition_that_was_slowed_down_is_named(produced, consumed, bound, of):
    explanation = profile_ring(produced, consumed).explain()
    assert (explanation.bound, explanation.bound_actor) == (bound, of)
    other = {"produce": "default", "default": "produce"}[of]
    waits = {wait.actor: wait for wait in explanation.waiting if wait.waits_for == bound}
    assert waits[other].of == of and waits[other].cycles > 0.5 * explanation.cycles
    assert explanation.is_reliable
    repaired = profile_ring(0, min(produced, consumed) if produced else 0).explain()
    assert explanation.gain == pytest.approx(1 - repaired.cycles / explanation.cycles, abs=0.1)


def test_a_ring_of_one_slot_is_not_explained_by_either_side():
    explanation = profile_ring(200, 200, slots=1).explain()
    assert not explanation.is_reliable
