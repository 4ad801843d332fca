"""Normalizations are right under every schedule, and each barrier and wait of theirs is needed."""

import dataclasses
import re

import lane_edits
import numpy as np
import pytest
from norms_reference import backward, forward, inputs, statistics

import hocket
from hocket import emulator
from hocket.errors import EmulatorError
from hocket.kernels.norms import launch, problem
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.feasible_clustered import forward_clusters
from hocket.kernels.norms.feasible_parts import in_parts
from hocket.kernels.norms.problem import checked_problem

pytestmark = pytest.mark.slow

#: Barriers of threads and of clusters, waits for copies and mbarriers, and arrivals at these. What orders the barrier
#: of the grid are atomics.
_SYNCHRONIZATION = re.compile(
    r"\s*(nvvm\.barrier0?|nvvm\.cluster\.(arrive|wait)[.\w]*|nvvm\.cp\.async\.wait[.\w]*|lane\.mbarrier_wait|"
    r"%\d+ = nvvm\.mbarrier\.arrive[.\w]*|rocdl\.s\.barrier|lane\.async_wait_group)\s"
)


#: Enough columns that each of two blocks sums columns more than once.
COLUMNS = 1024
#: The fewest that a cluster shares.
CLUSTER_COLUMNS = 8192


@pytest.fixture(autouse=True)
def few_multiprocessors(monkeypatch):
    """Reduces the number of SMs, so that blocks process several tiles and reuse the slots of ring buffers."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def gradients(schedule, rows=21, columns=256, dtype="float32", plan=None):
    """dx, dw, db of LayerNorm, and what they should be."""
    x, dy, weight, _ = inputs(rows, columns, dtype)
    mean, rstd = (values.astype(np.float32)[:, 0] for values in statistics(x, True, 1e-5))
    results = launch.backward("layer_norm_backward", dy, x, weight, mean, rstd, True, None, schedule, plan)
    return results, backward(dy, x, weight, True, 1e-5)


@pytest.mark.parametrize(
    ("schedule", "target"),
    [
        ("multi-wave", "gfx950"),
        ("multi-wave", "sm_90a"),
        ("staged", "gfx950"),
        ("staged", "sm_80"),
        ("streaming", "gfx950"),
        ("warp-specialized", "sm_90a"),
    ],
)
def test_every_schedule_of_blocks_and_warps(schedule, target):
    """`hocket check`: races, deadlocks, undefined values, results that differ in a bit."""
    report = hocket.check(lambda: gradients(schedule)[0], target=target, schedules=12)
    assert report.ok, report


def least_cluster(operation, rows):
    """Two clusters of two blocks of few warps, with two slots each."""
    plans = plans_of(checked_problem(operation, rows, CLUSTER_COLUMNS, "float32"), problem.MACHINES["sm_90a"])
    plan = min((plan for plan in plans if plan.num_ctas == 2), key=lambda plan: plan.num_warps)
    return dataclasses.replace(plan, blocks=2, stages=2)


def test_every_schedule_of_clusters():
    plan = least_cluster("layer_norm_backward", 9)
    report = hocket.check(
        lambda: gradients("cluster", 9, CLUSTER_COLUMNS, plan=plan)[0], target="sm_90a", schedules=8
    )  # fmt: skip
    assert report.ok, report


def test_every_schedule_of_clusters_in_forward_passes():
    """Two clusters of two blocks, with several rows each."""
    norm = checked_problem("layer_norm", 7, CLUSTER_COLUMNS, "float32")
    plans = forward_clusters(norm, problem.MACHINES["sm_90a"])
    plan = min((plan for plan in plans if plan.num_ctas == 2), key=lambda plan: plan.num_warps)
    x, _, weight, bias = inputs(7, CLUSTER_COLUMNS, "float32")

    def run():
        plan_of_two = dataclasses.replace(plan, blocks=2)
        return launch.forward("layer_norm", x, None, weight, bias, 1e-5, None, None, plan_of_two)

    report = hocket.check(run, target="sm_90a", schedules=6)
    assert report.ok, report


@pytest.mark.parametrize("operation", ["rms_norm", "layer_norm"])
@pytest.mark.parametrize(
    ("schedule", "target"),
    [("multi-wave", "gfx950"), ("streaming", "sm_90a"), ("staged", "gfx950"), ("staged", "sm_90a")],
)
def test_every_schedule_of_forward_passes(operation, schedule, target):
    def run():
        x, _, weight, _ = inputs(5, 1008 if schedule == "staged" else 1000, "bfloat16")
        return launch.forward(operation, x, x, weight, None, 1e-5, None, schedule)

    report = hocket.check(run, target=target, schedules=8)
    assert report.ok, report


def staged_plan(stages, rereads):
    """Plans of LayerNorm forward with rows of several pieces, and two blocks if they are persistent."""
    plans = plans_of(checked_problem("layer_norm", 9, COLUMNS, "float32"), problem.MACHINES["sm_90a"])
    kinds = [plan for plan in plans if (plan.schedule, plan.stages, plan.rereads) == ("staged", stages, rereads)]
    kinds = [plan for plan in kinds if plan.warps_per_row == plan.num_warps]
    plan = max(kinds, key=lambda plan: plan.pieces)
    return dataclasses.replace(plan, blocks=2) if plan.prefetches else plan


each_staged_plan = pytest.mark.parametrize(
    ("stages", "rereads"), [(1, False), (1, True), (2, False)], ids=["once", "again", "ahead"]
)


@each_staged_plan
def test_every_schedule_of_staged_forward_passes(stages, rereads):
    x, _, weight, bias = inputs(9, COLUMNS, "float32")
    plan = staged_plan(stages, rereads)
    report = hocket.check(
        lambda: launch.forward("layer_norm", x, None, weight, bias, 1e-5, None, None, plan),
        target="sm_90a", schedules=8,
    )  # fmt: skip
    assert report.ok, report


def plan_in_parts(operation):
    """Rows of two parts in a ring of three, on a GPU with little shared memory; two blocks."""
    machine = dataclasses.replace(problem.MACHINES["sm_90a"], shared_bytes=32 << 10)
    plans = list(in_parts(checked_problem(operation, 7, 4096, "float32"), machine))
    return min(plans, key=lambda plan: plan.num_warps)


def rows_in_parts(operation, plan):
    x, _, weight, bias = inputs(7, 4096, "float32")
    bias = bias if operation == "layer_norm" else None
    y, *_ = launch.forward(operation, x, None, weight, bias, 1e-5, None, None, plan)
    return [y], [forward(x, weight, bias, 1e-5)]


@pytest.mark.parametrize("operation", ["rms_norm", "layer_norm"])
def test_every_schedule_of_rows_in_parts(operation):
    plan = plan_in_parts(operation)
    assert (plan.pieces, plan.stages, plan.blocks) == (2, 3, 2)
    report = hocket.check(lambda: rows_in_parts(operation, plan)[0], target="sm_90a", schedules=8)
    assert report.ok, report


def test_each_removal_in_rows_in_parts_is_noticed(monkeypatch):
    monkeypatch.setitem(launch._FORWARD, "warp-specialized", hocket.jit(launch._FORWARD["warp-specialized"].fn))
    plan = plan_in_parts("layer_norm")
    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        unnoticed = removals_unnoticed(kernels, lambda: rows_in_parts("layer_norm", plan))
        assert not [
            place for place, line in unnoticed if not is_spare(place, line, ("forward_specialized", "copy_parts"))
        ]


#: Barriers that may be removed one at a time: next to an atomic of the whole block, the compiler inserts one for memory
#: and one for the value; barriers of the producer warp have no other participants; and at rendezvous of partitions
#: there are several, of which one suffices.
_SPARE = ("wait_for_grid", "copy_rows", "backward_specialized")
#: Staged: each lane reads only its own copies, which the compiler cannot prove. After the last row it waits for copies
#: that no row reads.
_SPARE_STAGED = (*_SPARE, "copy_piece", "read_piece", "store_partials")


def is_noticed(run):
    try:
        results, expected = run()
    except EmulatorError:
        return True
    return not all(np.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(results, expected, strict=True))


@pytest.mark.parametrize(
    ("schedule", "target"),
    [
        ("multi-wave", "gfx942"),
        ("multi-wave", "gfx950"),
        ("multi-wave", "sm_90a"),
        ("staged", "gfx950"),
        ("staged", "sm_80"),
        ("streaming", "gfx950"),
        ("streaming", "sm_90a"),
        ("warp-specialized", "sm_90a"),
    ],
)
def test_each_removal_is_noticed(schedule, target, monkeypatch):
    for name, kernel in launch._BACKWARD.items():
        monkeypatch.setitem(launch._BACKWARD, name, hocket.jit(kernel.fn))

    # The fewest warps, because each group has a copy of the code, with the same edits.
    plans = plans_of(checked_problem("layer_norm_backward", 21, COLUMNS, "float32"), problem.MACHINES[target])
    # Sums in shared memory have a barrier at each access, though each lane reads what it wrote itself.
    plans = [plan for plan in plans if plan.schedule == schedule and not plan.keeps_sums]
    least = min(plans, key=lambda plan: plan.num_warps * plan.groups)
    least = dataclasses.replace(least, blocks=2)

    def run():
        return gradients(schedule, 21, COLUMNS, plan=least)

    with emulator.target(target, completion="late"), lane_edits.editable() as kernels:
        spare = _SPARE_STAGED if schedule == "staged" else _SPARE
        unnoticed = removals_unnoticed(kernels, run)
        assert not [place for place, line in unnoticed if not is_spare(place, line, spare)]
        assert len([line for _, line in unnoticed if "async" in line]) <= 1


def is_spare(place, line, functions):
    return place.startswith(functions) if "barrier" in line else place.startswith("wait, ") and "async" in line


def removals_unnoticed(kernels, run, least=3):
    """(place, line) of what may be missing, one at a time, of `least` or more."""
    assert not is_noticed(run)
    (kernel,) = kernels
    candidates = [n for n, line in enumerate(kernel.lane().lines) if _SYNCHRONIZATION.match(line)]
    assert len(candidates) >= least
    unnoticed = []
    for number in candidates:
        lane = kernel.lane()
        removed = lane.delete(number)
        kernel.use(lane)
        if not is_noticed(run):
            unnoticed.append((lane_edits.place_of(kernel.lane(), removed), removed.split(" loc")[0].strip()))
    return unnoticed


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "sm_80", "sm_90a"])
@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
def test_each_removal_in_a_forward_pass_is_noticed(schedule, target, monkeypatch):
    monkeypatch.setitem(launch._FORWARD, schedule, hocket.jit(launch._FORWARD[schedule].fn))
    x, _, weight, bias = inputs(9, COLUMNS, "float32")
    plans = plans_of(checked_problem("layer_norm", 9, COLUMNS, "float32"), problem.MACHINES[target])
    plans = [plan for plan in plans if plan.schedule == schedule and plan.warps_per_row == plan.num_warps]
    plan = min(plans, key=lambda plan: plan.num_warps)

    def run():
        y, *_ = launch.forward("layer_norm", x, None, weight, bias, 1e-5, None, None, plan)
        return [y], [forward(x, weight, bias, 1e-5)]

    with emulator.target(target, completion="late"), lane_edits.editable() as kernels:
        assert not removals_unnoticed(kernels, run, 2)  # of the mean, of the variance


@each_staged_plan
def test_each_removal_in_a_staged_forward_pass_is_noticed(stages, rereads, monkeypatch):
    monkeypatch.setitem(launch._FORWARD, "staged", hocket.jit(launch._FORWARD["staged"].fn))
    x, _, weight, bias = inputs(9, COLUMNS, "float32")
    plan = staged_plan(stages, rereads)

    def run():
        y, *_ = launch.forward("layer_norm", x, None, weight, bias, 1e-5, None, None, plan)
        return [y], [forward(x, weight, bias, 1e-5)]

    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        unnoticed = removals_unnoticed(kernels, run)
        assert not [place for place, line in unnoticed if not is_spare(place, line, _SPARE_STAGED)]
        assert len([line for _, line in unnoticed if "async" in line]) <= 1


def test_each_removal_in_a_cluster_is_noticed(monkeypatch):
    kernel = hocket.jit(launch._BACKWARD["cluster"].fn)
    monkeypatch.setitem(launch._BACKWARD, "cluster", kernel)
    plan = least_cluster("layer_norm_backward", 9)

    def run():
        return gradients("cluster", 9, CLUSTER_COLUMNS, plan=plan)

    with emulator.target("sm_90a", completion="late"), lane_edits.editable() as kernels:
        unnoticed = removals_unnoticed(kernels, run)
        # Beside the atomics of a block, whose results all blocks exchange next, which orders the same.
        assert all(place.startswith("wait_for_clusters") and "nvvm.barrier0" in line for place, line in unnoticed)
