"""hocket.kernels.norms on clusters against float64: forward passes in which the blocks of a cluster share each row."""

import dataclasses

import numpy as np
import pytest
from norms_reference import check_rows, forward, inputs

from hocket.kernels.norms import launch, problem
from hocket.kernels.norms.feasible_clustered import forward_clusters

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

EPS = 1e-5


def forward_plans(operation, rows, columns, **facts):
    machine = problem.emulated(problem.MACHINES["sm_90a"])
    return list(forward_clusters(problem.checked_problem(operation, rows, columns, "bfloat16", **facts), machine))


@pytest.mark.parametrize(
    ("columns", "centered", "has_residual"),
    [(16384, False, False), (16384, True, True), (16640, True, False), (16640, False, True)],
)
def test_forward(hopper_device, columns, centered, has_residual):
    """Clusters of 2, 4 and 8 blocks, several rows per cluster; a row ends within a tile."""
    rows, operation = 2000 if hopper_device.is_gpu else 5, "layer_norm" if centered else "rms_norm"
    x, _, weight, bias = inputs(rows, columns, "bfloat16")
    residual = inputs(rows, columns, "bfloat16", seed=7)[0] if has_residual else None
    bias = bias if centered else None
    summed = x if residual is None else (x.astype(np.float32) + residual.astype(np.float32)).astype(x.dtype)
    arrays = [None if a is None else hopper_device.to_device(a) for a in (x, residual, weight, bias)]
    plans = forward_plans(operation, rows, columns, has_residual=has_residual)
    kinds = {plan.num_ctas: plan for plan in plans}
    assert set(kinds) == {2, 4, 8}
    for plan in kinds.values():
        plan = dataclasses.replace(plan, blocks=min(plan.blocks, 13) if hopper_device.is_gpu else 2)
        y, total, *_ = launch.forward(operation, *arrays, EPS, None, None, plan)
        check_rows(hopper_device.to_host(y), forward(summed, weight, bias, EPS))
        assert residual is None or np.array_equal(hopper_device.to_host(total), summed)


def test_weights_of_another_dtype(hopper_device):
    x, _, weight, bias = inputs(3, 16384, "bfloat16")
    weight, bias = weight.astype(np.float32), bias.astype(np.float32)
    arrays = [hopper_device.to_device(a) for a in (x, weight, bias)]
    plan = forward_plans("layer_norm", 3, 16384)[0]
    y, *_ = launch.forward("layer_norm", arrays[0], None, *arrays[1:], EPS, None, None, plan)
    check_rows(hopper_device.to_host(y), forward(x, weight, bias, EPS))
