"""hocket.kernels.norms.choose: plans that can be launched, and reasons."""

import random

import pytest

from hocket.errors import LaunchError
from hocket.kernels import norms
from hocket.kernels.norms.choose import best_by_schedule, plan_for
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.feasible_clustered import clusters_at_once
from hocket.kernels.norms.feasible_copied import MOST_MOVED_REGISTERS, group_registers
from hocket.kernels.norms.parts import COPYING_REGISTERS
from hocket.kernels.norms.plan import SCHEDULES, config_of
from hocket.kernels.norms.predict import predict
from hocket.kernels.norms.problem import ELEMENT_BITS, MACHINES, OPERATIONS, checked_problem, machine_of


def random_problem(rng):
    columns = rng.choice([rng.randint(1, 1 << 16), 1 << rng.randint(0, 16), 256 * rng.randint(1, 256)])
    return checked_problem(
        rng.choice(list(OPERATIONS)), rng.choice([rng.randint(1, 300), rng.randint(1, 1 << 20)]), columns,
        rng.choice(list(ELEMENT_BITS)), has_weight=rng.random() < 0.8, has_bias=rng.random() < 0.5,
        has_residual=rng.random() < 0.3, is_aligned=columns % 8 == 0,
    )  # fmt: skip


def check_plan(plan):
    """Against the machine, in words of its own: what a launch would be refused for."""
    problem, machine = plan.problem, plan.machine
    warps = plan.num_warps * plan.groups
    if plan.schedule == "warp-specialized" and not problem.is_backward:
        # Four warps copy; a stage is a part of a row of each matrix, and the ring holds more than a row.
        assert plan.rereads and plan.rows_per_tile == 1 and plan.stages > plan.pieces
        assert COPYING_REGISTERS * 4 * 32 + plan.registers * warps * 32 <= 65536
        bits = plan.stages * problem.matrices_read * plan.block * problem.element_bits
        assert bits // 8 + plan.stages * 16 <= plan.shared_bytes and plan.blocks <= machine.multiprocessors
        warps += 4
    elif plan.schedule == "warp-specialized":
        # Warps that copy come in fours where registers are moved; all begin with the same number.
        assert plan.num_warps % 4 == 0 and plan.blocks_per_multiprocessor == 1 and 2 <= plan.stages
        assert 24 * 4 * 32 + plan.registers * warps * 32 <= 65536
        assert plan.registers % 8 == 0 and 24 <= plan.registers <= MOST_MOVED_REGISTERS
        warps += 4
        bits = plan.groups * plan.stages * 2 * plan.rows_per_tile * plan.block * problem.element_bits
        assert bits // 8 + plan.groups * plan.stages * 16 <= plan.shared_bytes
    if plan.schedule == "cluster":
        check_cluster(plan)
    if plan.schedule == "staged":
        # Each access is of 16 bytes of one row.
        assert plan.vector * problem.element_bits == 128 and problem.columns % 16 == 0 and machine.target != "gfx942"
        matrices = 2 if problem.is_backward or problem.has_residual else 1
        tile = matrices * plan.rows_per_tile * plan.block * plan.pieces * problem.element_bits // 8
        assert plan.stages == 1 + plan.prefetches and plan.stages * tile <= plan.shared_bytes
    lanes = warps * machine.lanes
    assert lanes <= 1024
    assert plan.blocks_per_multiprocessor * lanes <= machine.threads
    assert plan.blocks_per_multiprocessor * plan.shared_bytes <= machine.shared_bytes
    if problem.is_backward or plan.prefetches:
        blocks = plan.blocks * plan.num_ctas
        assert plan.num_ctas <= blocks <= plan.blocks_per_multiprocessor * machine.multiprocessors
    assert plan.blocks * plan.groups * plan.rows_per_tile < problem.rows + plan.groups * plan.rows_per_tile
    if plan.limit is not None:
        assert plan.limit * lanes * plan.blocks_per_multiprocessor <= machine.registers
    if plan.schedule != "streaming":
        assert plan.block * plan.pieces >= problem.columns and plan.registers_needed <= plan.registers
        elements = plan.elements * plan.num_warps * machine.lanes
        assert elements * plan.num_ctas == plan.rows_per_tile * plan.block * plan.pieces  # each element is in one lane
    assert config_of(plan).tile.warps_per_cta == [plan.num_warps // plan.warps_per_row, plan.warps_per_row]


def check_cluster(plan):
    problem = plan.problem
    assert plan.num_ctas in (2, 4, 8) and problem.columns % plan.num_ctas == 0
    share = problem.columns // plan.num_ctas
    assert share * problem.element_bits // 8 % 16 == 0 and share <= plan.block * plan.pieces // plan.num_ctas
    matrices = 2 if problem.is_backward else problem.matrices_read
    tile = matrices * plan.rows_per_tile * plan.block * plan.pieces // plan.num_ctas * problem.element_bits // 8
    assert plan.stages >= 2 and tile * plan.stages + plan.stages * 8 <= plan.shared_bytes
    assert plan.blocks <= clusters_at_once(plan.machine, plan.num_ctas) * plan.blocks_per_multiprocessor


def test_clusters_fit_however_multiprocessors_are_grouped():
    """At most 18 of them are in a group, in pairs; a cluster is within one."""
    rng = random.Random(3)
    for _ in range(2000):
        groups = [2 * rng.randint(0, 9) for _ in range(8)]
        machine = machine_of("sm_90a", max(sum(groups), 2))
        for num_ctas in (2, 4, 8):
            assert clusters_at_once(machine, num_ctas) <= max(sum(size // num_ctas for size in groups), 1)
    h200 = MACHINES["sm_90a"]
    assert [clusters_at_once(h200, num_ctas) for num_ctas in (2, 4, 8)] == [66, 29, 13]


def test_every_plan_of_10000_problems_can_be_launched():
    rng = random.Random(0)
    for _ in range(10000):
        problem = random_problem(rng)
        machine = MACHINES[rng.choice(list(MACHINES))]
        plans = plans_of(problem, machine)
        assert plans
        for plan in rng.sample(plans, min(len(plans), 3)):
            check_plan(plan)


def test_a_forced_schedule_is_taken_or_refused_with_the_reason():
    rng = random.Random(1)
    for _ in range(200):
        problem, machine = random_problem(rng), MACHINES[rng.choice(list(MACHINES))]
        for schedule in SCHEDULES:
            if schedule in best_by_schedule(problem, machine):
                assert plan_for(problem, machine, schedule).schedule == schedule
            else:
                with pytest.raises(LaunchError, match=f"no {schedule} plan for {problem.rows} x {problem.columns}"):
                    plan_for(problem, machine, schedule)


def test_the_fastest_by_the_model_is_chosen():
    rng = random.Random(2)
    for _ in range(50):
        problem, machine = random_problem(rng), MACHINES[rng.choice(list(MACHINES))]
        chosen = plan_for(problem, machine)
        assert chosen.seconds == min(predict(plan) for plan in plans_of(problem, machine))


def test_equal_questions_get_equal_answers():
    plans = [norms.choose(4096, 2048, "float16", "layer_norm_backward", "gfx950") for _ in range(2)]
    assert plans[0] is plans[1]


@pytest.mark.parametrize("op", OPERATIONS)
def test_more_bytes_take_longer(op):
    for machine in MACHINES.values():
        times = [plan_for(checked_problem(op, rows, 4096, "bfloat16"), machine).seconds for rows in (1024, 8192, 65536)]
        assert times == sorted(times)


def test_registers_of_groups():
    """Registers per lane beside a producer warpgroup with 24, as in the table of `gl.warp_specialize`."""
    assert [group_registers(warps, MACHINES["sm_90a"]) for warps in (4, 8, 12, 16)] == [240, 240, 160, 120]


def test_british_spelling_is_taken():
    plans = [
        norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "sm_90a", schedule=schedule)
        for schedule in ("warp-specialized", "warp-specialised")
    ]
    assert plans[0] == plans[1] and plans[1].schedule == "warp-specialized"


def test_explanation_of_a_choice():
    text = norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", "gfx950").explain().splitlines()
    assert text[0] == ("rms_norm_backward of 16384 x 4096 bfloat16 on gfx950 with 256 compute units: multi-wave")
    assert "- not warp-specialized: gfx950 has no TMA" in text
    assert any("the plan with the least predicted time is chosen" in line for line in text)
    assert any("streaming: " in line and "us predicted" in line for line in text)


def test_explanation_of_a_forced_schedule_says_what_it_costs():
    text = norms.choose(16384, 4096, "bfloat16", "rms_norm_backward", schedule="streaming").explain()
    assert "- chosen by the caller: the model predicts " in text and "% more time than for " in text
