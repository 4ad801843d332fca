"""Random plans that `feasible` lists for random problems compute the right results, on every target."""

import dataclasses
import random

import numpy as np
import pytest
from norms_reference import backward, check_rows, check_sums, forward, inputs, statistics

from hocket import emulator
from hocket.kernels.norms import launch
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.operands import matrix_of, problem_of
from hocket.kernels.norms.problem import ELEMENT_BITS, MACHINES, OPERATIONS, emulated, machine_of

pytestmark = pytest.mark.slow

EPS = 1e-5
#: Blocks of a plan at most, so that each takes several tiles.
BLOCKS = 2


def drawn_sizes(rng):
    columns = rng.choice([rng.randint(1, 1500), 16 * rng.randint(1, 100), 64 * rng.randint(1, 40), 8192])
    return rng.randint(1, 3 if columns > 4096 else 24), columns


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("target", MACHINES)
def test_drawn_plans(target, seed):
    rng = random.Random(f"{target} {seed}")
    rows, columns = drawn_sizes(rng)
    operation, dtype = rng.choice(list(OPERATIONS)), rng.choice(list(ELEMENT_BITS))
    centered, is_backward = OPERATIONS[operation]
    has_weight, has_residual = rng.random() < 0.8, rng.random() < 0.4
    has_bias = has_weight and centered and rng.random() < 0.6
    x, dy, weight, bias = inputs(rows, columns, dtype, seed)
    other = inputs(rows, columns, dtype, seed + 100)[0] if has_residual else None
    weight = weight if has_weight else None
    matrices = [matrix_of(operation, name, a) for name, a in (("x", x), ("dy", dy), ("other", other)) if a is not None]
    problem = problem_of(
        operation, matrices, [weight], has_weight=has_weight, has_bias=has_bias, has_residual=has_residual
    )
    plan = rng.choice(plans_of(problem, emulated(machine_of(target))))
    if is_backward or plan.prefetches:
        plan = dataclasses.replace(plan, blocks=min(plan.blocks, BLOCKS))
    with emulator.target(target, seed=seed):
        if is_backward:
            mean, rstd = (values.astype(np.float32)[:, 0] for values in statistics(x, centered, EPS))
            dx, dw, db = launch.backward(operation, dy, x, weight, mean, rstd, has_bias, other, None, plan)
            expected = backward(dy, x, weight, centered, EPS)
            check_rows(dx, expected[0] + (0 if other is None else other.astype(np.float64)), np.abs(rstd).max() * 5)
            assert [result is None for result in (dw, db)] == [not has_weight, not has_bias]
            for result, sums in ((dw, expected[1]), (db, expected[2])):
                if result is not None:
                    check_sums(result, sums, rows)
        else:
            bias = bias if has_bias else None
            y, total, *_ = launch.forward(operation, x, other, weight, bias, EPS, None, None, plan)
            if other is not None:
                x = (x.astype(np.float32) + other.astype(np.float32)).astype(x.dtype)
                assert np.array_equal(total, x)
            zeros = np.zeros(columns) if centered and bias is None else bias
            check_rows(y, forward(x, weight, zeros, EPS))
