"""Small launches of each schedule of `hocket.kernels.norms`, for tests that run them many times."""

import dataclasses

import numpy as np
from norms_reference import backward, forward, inputs, statistics

from hocket.kernels.norms import launch
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.problem import checked_problem, emulated, machine_of

ROWS, COLUMNS, EPS = 9, 1024, 1e-5
CLUSTER_COLUMNS = 8192


def plan_of(target, operation, columns, **wanted):
    """Returns the plan with the given fields and the fewest warps, with two blocks if they are persistent, or two
    clusters."""
    machine = emulated(machine_of(target))
    plans = [
        plan
        for plan in plans_of(checked_problem(operation, ROWS, columns, "float32"), machine)
        if all(getattr(plan, name) == value for name, value in wanted.items())
    ]
    plan = min(plans, key=lambda plan: (plan.num_warps * plan.groups * plan.num_ctas, -plan.pieces))
    return dataclasses.replace(plan, blocks=2) if plan.problem.is_backward or plan.prefetches else plan


def gradients(target, schedule, columns=COLUMNS):
    """dx, dw and db of LayerNorm in one array, and what they should be."""
    x, dy, weight, _ = inputs(ROWS, columns, "float32")
    mean, rstd = (values.astype(np.float32)[:, 0] for values in statistics(x, True, EPS))
    plan = plan_of(target, "layer_norm_backward", columns, schedule=schedule)
    results = launch.backward("layer_norm_backward", dy, x, weight, mean, rstd, True, None, None, plan)
    expected = backward(dy, x, weight, True, EPS)
    return tuple(np.concatenate([part.ravel() for part in parts]) for parts in (results, expected))


def rows(target, **wanted):
    """LayerNorm, and what it should be."""
    x, _, weight, bias = inputs(ROWS, COLUMNS, "float32")
    plan = plan_of(target, "layer_norm", COLUMNS, **wanted)
    y, *_ = launch.forward("layer_norm", x, None, weight, bias, EPS, None, None, plan)
    return y, forward(x, weight, bias, EPS)


_BACKWARD = (
    ("multi-wave", "gfx942"), ("multi-wave", "gfx950"), ("multi-wave", "sm_80"), ("multi-wave", "sm_90a"),
    ("staged", "gfx950"), ("staged", "sm_80"), ("streaming", "gfx942"), ("streaming", "sm_90a"),
    ("warp-specialized", "sm_90a"),
)  # fmt: skip
_ANYWHERE, _NVIDIA = ("gfx942", "gfx950", "sm_80", "sm_90a"), ("sm_80", "sm_90a")
#: By name targets, and fields of plans.
_FORWARD = {
    "multi-wave": (_ANYWHERE, {"schedule": "multi-wave", "prefetches": False}),
    "multi-wave, ahead": (_ANYWHERE, {"schedule": "multi-wave", "prefetches": True}),
    "streaming": (_ANYWHERE, {"schedule": "streaming"}),
    "staged": (("gfx950", *_NVIDIA), {"schedule": "staged", "stages": 1, "rereads": False}),
    "staged, ahead": (("gfx950", *_NVIDIA), {"schedule": "staged", "stages": 2}),
    "staged, again": (_NVIDIA, {"schedule": "staged", "rereads": True}),
}

#: By name the target, and a function that returns the result and what it should be.
LAUNCHES = {
    **{
        f"norms backward, {schedule}, {target}": (target, lambda t=target, s=schedule: gradients(t, s))
        for schedule, target in _BACKWARD
    },
    "norms backward, cluster, sm_90a": ("sm_90a", lambda: gradients("sm_90a", "cluster", CLUSTER_COLUMNS)),
    **{
        f"norms, {name}, {target}": (target, lambda t=target, w=wanted: rows(t, **w))
        for name, (targets, wanted) in _FORWARD.items()
        for target in targets
    },
}
