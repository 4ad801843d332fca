"""hocket.kernels.rowwise.choose: plans that can be launched, and reasons."""

import random

import pytest

from hocket.kernels import rowwise
from hocket.kernels.norms.plan import config_of
from hocket.kernels.norms.problem import ELEMENT_BITS, MACHINES
from hocket.kernels.rowwise.choose import plan_for, plans_of, predict_rows
from hocket.kernels.rowwise.problem import OPERATIONS, checked_problem


def random_problem(rng):
    operation = rng.choice(list(OPERATIONS))
    most = OPERATIONS[operation].most_columns
    columns = rng.choice([rng.randint(1, most), 1 << rng.randint(0, most.bit_length() - 1), 128 * rng.randint(1, 500)])
    rows = rng.choice([rng.randint(1, 300), rng.randint(1, 1 << 20)])
    return checked_problem(operation, rows, columns, rng.choice(list(ELEMENT_BITS)), columns % 8 == 0)


def check_plan(plan):
    """Checks a plan against the limits of the machine."""
    machine, lanes = plan.machine, plan.num_warps * plan.machine.lanes
    assert lanes <= 1024 and plan.blocks >= 1
    assert plan.blocks_per_multiprocessor * lanes <= machine.threads
    assert plan.blocks_per_multiprocessor * plan.shared_bytes <= machine.shared_bytes
    assert plan.registers_needed <= plan.registers
    if plan.limit is not None:
        assert plan.limit * lanes * plan.blocks_per_multiprocessor <= machine.registers
    assert plan.elements * lanes == plan.rows_per_tile * plan.block * plan.pieces  # each element is in one lane
    assert config_of(plan).tile.warps_per_cta == [plan.num_warps // plan.warps_per_row, plan.warps_per_row]


def test_every_plan_of_3000_problems_can_be_launched():
    rng = random.Random(0)
    for _ in range(3000):
        plans = plans_of(random_problem(rng), MACHINES[rng.choice(list(MACHINES))])
        for plan in rng.sample(plans, min(len(plans), 3)):
            check_plan(plan)


def test_the_fastest_by_the_model_is_chosen():
    rng = random.Random(2)
    for _ in range(50):
        problem, machine = random_problem(rng), MACHINES[rng.choice(list(MACHINES))]
        assert plan_for(problem, machine).seconds == min(map(predict_rows, plans_of(problem, machine)))


@pytest.mark.parametrize("op", OPERATIONS)
def test_more_bytes_take_longer(op):
    for target in MACHINES:
        times = [rowwise.choose(rows, 4096, "bfloat16", op, target).seconds for rows in (1024, 8192, 65536)]
        assert times == sorted(times) and times[0] < times[2]


def test_rows_in_flight_fit_into_the_l2():
    """An SM has one row of 256 KiB, or two rows of 128 KiB."""
    wide, narrow = (
        rowwise.choose(4096, columns, "bfloat16", "softmax", schedule="streaming") for columns in (1 << 17, 1 << 16)
    )
    assert wide.blocks_per_multiprocessor == 1 and wide.blocks == 132
    assert narrow.blocks_per_multiprocessor == 2


def test_long_rows_are_kept_in_shared_memory():
    """Rows that do not fit into registers are read once, if they fit into shared memory: staged if several blocks are
    resident, else warp-specialized."""
    columns = (8192, 1 << 15, 1 << 16, 1 << 17)
    schedules = [rowwise.choose(4096, count, "bfloat16", "softmax").schedule for count in columns]
    assert schedules == ["multi-wave", "staged", "warp-specialized", "streaming"]
    # Shared memory holds a row of dy and a row of y.
    gradients = [rowwise.choose(4096, count // 2, "bfloat16", "softmax_backward").schedule for count in columns]
    assert gradients[0] == "multi-wave" and gradients[3] == "streaming"
    assert {*gradients[1:3]} <= {"staged", "warp-specialized"}


def test_explanation():
    text = rowwise.choose(4096, 1 << 17, "bfloat16", "softmax").explain().splitlines()
    assert text[0] == "softmax of 4096 x 131072 bfloat16 on sm_90a with 132 SMs: streaming"
    assert "- rows are not kept on chip: they are read once for their sums, and again for the result" in text
    assert "- not multi-wave: a row of 131072 columns does not fit into the registers of an SM" in text
    assert any("the plan with the least predicted time is chosen" in line for line in text)
