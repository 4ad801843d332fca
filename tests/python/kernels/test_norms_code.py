"""The PTX of normalizations: accesses of 16 bytes, registers that move, barriers of groups, no spills, one launch."""

import re
import sys

import ml_dtypes
import numpy as np
import ptxas
import pytest

from hocket import language as gl
from hocket.kernels import norms
from hocket.kernels.norms import launch
from hocket.kernels.norms.arguments import (
    BackwardInputs,
    BackwardStrides,
    ForwardInputs,
    ForwardOutputs,
    ForwardStrides,
    MatrixPointer,
    VectorGradients,
)
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.operands import matrix_of
from hocket.kernels.norms.plan import config_of
from hocket.runtime.jit import MockTensor

pytestmark = pytest.mark.codegen

ROWS = 16384


def compile_backward(plan):
    problem = plan.problem
    columns, config = problem.columns, config_of(plan, False)
    array, real, integer = (MockTensor(kind) for kind in (getattr(gl, problem.dtype), gl.float32, gl.int32))
    descriptors = ()
    if plan.schedule in ("warp-specialized", "cluster"):
        kind = np.dtype(getattr(ml_dtypes, problem.dtype, problem.dtype))
        matrix = matrix_of("norms", "x", np.zeros((problem.rows, columns), kind))
        descriptors = (launch._descriptor_form(plan, matrix).on(matrix.array),) * 2
    return launch._BACKWARD[plan.schedule].warmup(
        *descriptors, BackwardInputs(array, array, real, real), BackwardStrides(columns, columns, 1, 1), array,
        MatrixPointer(array, columns), MatrixPointer(None, 1),
        VectorGradients(array, array if config.has_bias else None), real, integer, problem.rows, columns, columns,
        cfg=config, num_warps=plan.num_warps, maxnreg=plan.limit, launch_cooperative_grid=True, target="sm_90a",
        num_ctas=plan.num_ctas,
    )  # fmt: skip


def backward_plan(operation, columns, schedule, rows=ROWS):
    return norms.choose(rows, columns, "bfloat16", operation, schedule=schedule)


def count(ptx, pattern):
    return len(re.findall(pattern, ptx))


def spilled_bytes(ptx):
    said = ptxas.messages(ptx)
    assert "Performance Loss" not in said
    return sum(map(int, re.findall(r"(\d+) bytes spill stores", said)))


CASES = [
    (operation, columns, schedule)
    for schedule in ("multi-wave", "warp-specialized")
    for operation, columns in (("rms_norm_backward", 1024), ("rms_norm_backward", 8192), ("layer_norm_backward", 4096))
]


CLUSTERED = [
    (operation, columns) for operation in ("rms_norm_backward", "layer_norm_backward") for columns in (24576, 32768)
]


@pytest.mark.parametrize(("operation", "columns", "schedule"), CASES)
def test_rows_are_accessed_by_16_bytes(operation, columns, schedule):
    plan = backward_plan(operation, columns, schedule)
    ptx = compile_backward(plan).asm["ptx"]
    # Rows and weights by 16 bytes; statistics, one number for each row, by 4.
    assert not re.search(r"\b(ld|st)\.global(\.\w+)*\.(b16|u16|b8)\b", ptx)
    accesses = plan.elements // plan.vector * plan.groups
    assert count(ptx, r"st\.global\.v4\.b32") >= accesses
    if schedule == "warp-specialized":
        assert count(ptx, r"ld\.shared\.v4\.b32") >= 2 * accesses
    else:
        # x and dy: the first tile before the loop, the next ones in it.
        assert count(ptx, r"ld\.global\.v4\.b32") >= 4 * accesses


@pytest.mark.parametrize("columns", [1024, 4096, 8192, 16384])
def test_a_warp_copies_and_gives_its_registers_away(columns):
    plan = backward_plan("rms_norm_backward", columns, "warp-specialized")
    ptx = compile_backward(plan).asm["ptx"]
    loads = re.findall(r"cp\.async\.bulk\.tensor\.3d\.shared::cluster\.global", ptx)
    assert len(loads) == 2 * plan.groups  # whole tiles of dy and of x
    elected = r"elect\.sync\s+\S+\|(%p\d+), -1;[^@]*not\.pred\s+(%p\d+), \1;\s+@\2 bra[^@]*cp\.async\.bulk\.tensor"
    assert count(ptx, elected) == len(loads)  # one lane issues them
    # Each buffer has an mbarrier for copies, and one for the warps that have read it.
    assert count(ptx, r"mbarrier\.init\.shared") == 2 * plan.stages * plan.groups
    less = {int(n) for n in re.findall(r"setmaxnreg\.dec\.sync\.aligned\.u32\s+(\d+)", ptx)}
    more = {int(n) for n in re.findall(r"setmaxnreg\.inc\.sync\.aligned\.u32\s+(\d+)", ptx)}
    # A group of 16 warps gets a step less: what all begin with is rounded down.
    assert 24 in less and plan.registers - 8 * (plan.num_warps == 16) in more | less


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_groups_have_barriers_of_their_own(groups):
    """A number for each group, and one for all; in a group's loop only its own. The warp that copies needs none."""
    chosen = backward_plan("layer_norm_backward", 1024, "warp-specialized")
    plans = plans_of(chosen.problem, chosen.machine)
    plan = next(plan for plan in plans if plan.schedule == "warp-specialized" and plan.groups == groups)
    ptx = compile_backward(plan).asm["ptx"]
    threads = {}
    for number, count_ in re.findall(r"(?:bar|barrier)\.sync\s+(\d+), (\d+);", ptx):
        threads.setdefault(number, set()).add(int(count_))
    of_group = 32 * plan.num_warps
    everyone = of_group * groups + 4 * 32
    assert sorted(map(sorted, threads.values())) == sorted([[of_group]] * groups + [[everyone]])
    steps = re.findall(r"mbarrier\.try_wait|mbarrier\.arrive\.shared|bar\.sync\s+\d+", ptx)
    loops = re.findall(r"mbarrier.try_wait ((?:bar.sync\s+\d+ ?)*)mbarrier.arrive.shared", " ".join(steps))
    numbers = [set(re.findall(r"\d+", loop)) for loop in loops]
    assert len(numbers) == groups and all(len(of_loop) == 1 for of_loop in numbers)
    assert {threads[number].copy().pop() for of_loop in numbers for number in of_loop} == {of_group}
    assert len(set().union(*numbers)) == groups


@pytest.mark.parametrize("columns", [1023, 1024, 4096])
@pytest.mark.parametrize("operation", ["rms_norm_backward", "layer_norm_backward"])
def test_the_workspace_has_a_row_of_float32_for_each_group_and_sum(monkeypatch, operation, columns):
    shapes = {}
    monkeypatch.setattr(launch, "maker_of_empty", lambda like, shape, dtype: shapes.setdefault(dtype, []).append(shape))
    x, row = np.ones((ROWS, columns), ml_dtypes.bfloat16), np.ones(ROWS, np.float32)
    plan = backward_plan(operation, columns, "warp-specialized" if columns % 8 == 0 else "multi-wave")
    mean = row if operation == "layer_norm_backward" else None
    settings = operation, mean is not None, None, "", 0.0, plan
    launch.backwards.prepare(x, x, x[0], mean, row, None, *settings)
    sums = 2 if operation == "layer_norm_backward" else 1
    assert shapes["float32"] == [(plan.blocks * plan.groups * sums, -(-columns // 8) * 8)]


@pytest.mark.parametrize("columns", [1024, 4096])
def test_blocks_and_shared_memory_fit_the_gpu(columns):
    plan = backward_plan("rms_norm_backward", columns, "warp-specialized")
    assert plan.blocks * plan.groups <= 132 * 3
    shared = compile_backward(plan).metadata.shared
    assert shared <= plan.shared_bytes <= 227 << 10


def test_prepared_launches_hold_no_array():
    x, row = np.ones((4, 64), np.float32), np.ones(4, np.float32)
    norms.rms_norm_backward(x, x, x[0], row, residual_gradient=x)
    norms.rms_norm(x, x[0], residual=x)
    before = sys.getrefcount(x)
    launch.forwards.clear()
    launch.backwards.clear()
    assert sys.getrefcount(x) == before


def test_one_launch_makes_all_gradients(monkeypatch):
    launches = []
    for schedule, kernel in launch._BACKWARD.items():

        class Counted:
            def __init__(self, kernel):
                self.kernel = kernel

            def __getitem__(self, grid):
                launches.append(grid)
                return self.kernel[grid]

        monkeypatch.setitem(launch._BACKWARD, schedule, Counted(kernel))
    x = np.ones((4, 64), np.float32)
    statistics = np.ones(4, np.float32)
    results = norms.layer_norm_backward(x, x, x[0], statistics, statistics)
    assert len(launches) == 1 and all(result is not None for result in results)


@ptxas.needed
@pytest.mark.parametrize(("operation", "columns", "schedule"), CASES)
def test_nothing_is_spilled(operation, columns, schedule):
    assert spilled_bytes(compile_backward(backward_plan(operation, columns, schedule)).asm["ptx"]) == 0


@pytest.mark.parametrize(("operation", "columns"), CLUSTERED)
def test_blocks_of_clusters_load_their_shares_and_exchange_sums_once(operation, columns):
    plan = backward_plan(operation, columns, "cluster")
    ptx = compile_backward(plan).asm["ptx"]
    loads = count(ptx, r"cp\.async\.bulk\.tensor\.4d\.shared::cluster\.global")
    assert loads == 2 * (plan.stages + 1)  # those before the loop, and of one tile in it
    assert count(ptx, r"mbarrier\.init\.shared") == plan.stages + 2  # of the ring, and of the two slots of sums
    accesses = plan.elements // plan.vector
    assert count(ptx, r"ld\.shared\.v4\.b32") >= 2 * accesses
    assert count(ptx, r"st\.global\.v4\.b32") >= accesses
    # One lane of each warp stores each of its sums to all blocks, and waits for the sums of all warps.
    sums = 1 + plan.problem.is_centered
    assert count(ptx, r"st\.async\.weak\.shared::cluster") == sums * plan.num_ctas
    # From the first read of a stage to the end of the loop, where a fence follows the stores of dx.
    loop = ptx[ptx.index("ld.shared.v4.b32") : ptx.index("fence.proxy.async.global")]
    assert count(loop, r"mbarrier\.try_wait") == 1 and count(loop, r"bar\.sync") == 1
    assert not count(loop, r"barrier\.cluster")


@ptxas.needed
@pytest.mark.parametrize("operation", ["rms_norm", "layer_norm"])
def test_rows_in_parts_go_past_the_registers(operation):
    """A copy is of 16 bytes; results that are stored need no proxy fence, as they would beside TMA."""
    plan = norms.choose(8192, 65536, "bfloat16", operation, schedule="warp-specialized")
    ptx = compile_forward(plan).asm["ptx"]
    assert (
        count(ptx, r"cp\.async\.cg\.shared\.global \[.*\], \[.*\], 16") >= plan.elements // plan.pieces // plan.vector
    )
    assert not count(ptx, r"fence\.proxy") and count(ptx, r"setmaxnreg") >= 2
    assert spilled_bytes(ptx) == 0


@ptxas.needed
@pytest.mark.parametrize(("operation", "columns"), CLUSTERED)
def test_clusters_spill_nothing(operation, columns):
    plan = backward_plan(operation, columns, "cluster")
    assert spilled_bytes(compile_backward(plan).asm["ptx"]) == 0


def compile_forward(plan):
    problem, config = plan.problem, config_of(plan)
    columns = problem.columns
    array, real = MockTensor(getattr(gl, problem.dtype)), MockTensor(gl.float32)
    options = launch.options_of(plan, config) | {"target": "sm_90a"}
    residual = array if problem.has_residual else None
    return launch._FORWARD[plan.schedule].warmup(
        ForwardInputs(array, residual), ForwardStrides(*(columns,) * 4), array, array if config.has_bias else None,
        ForwardOutputs(array, residual, real if config.is_centered else None, real), problem.rows, columns, 1e-5,
        **options,
    )  # fmt: skip


STAGED = [
    (operation, columns, has_residual)
    for operation in ("rms_norm", "layer_norm")
    for columns in (4096, 12288, 32768)
    for has_residual in (False, True)
]


@pytest.mark.parametrize(("operation", "columns", "has_residual"), STAGED)
def test_staged_rows_go_past_the_registers(operation, columns, has_residual):
    plan = norms.choose(8192, columns, "bfloat16", operation, schedule="staged", has_residual=has_residual)
    ptx = compile_forward(plan).asm["ptx"]
    copies = plan.stages * plan.elements // plan.vector * plan.problem.matrices_read
    assert count(ptx, r"cp\.async\.cg\.shared\.global[^;]*, 16") == copies
    # Only weights and biases are loaded from global memory to registers, by 16 bytes, each once.
    vectors = plan.elements // plan.vector * (1 + plan.problem.is_centered)
    assert count(ptx, r"ld\.global\.v4\.b32") == vectors and count(ptx, r"ld\.global") == vectors


@ptxas.needed
@pytest.mark.parametrize(("operation", "columns", "has_residual"), STAGED)
def test_staged_rows_do_not_spill(operation, columns, has_residual):
    plan = norms.choose(8192, columns, "bfloat16", operation, schedule="staged", has_residual=has_residual)
    assert spilled_bytes(compile_forward(plan).asm["ptx"]) == 0


@ptxas.needed
@pytest.mark.parametrize("operation", ["rms_norm_backward", "layer_norm_backward"])
def test_rows_that_are_read_twice_do_not_spill(operation):
    plan = backward_plan(operation, 16384, "warp-specialized")
    assert plan.rereads
    assert spilled_bytes(compile_backward(plan).asm["ptx"]) == 0


@ptxas.needed
@pytest.mark.parametrize("columns", [768, 1023, 4095, 5120, 8192, 16384, 65536])
@pytest.mark.parametrize("operation", ["rms_norm", "layer_norm", "rms_norm_backward", "layer_norm_backward"])
def test_what_is_chosen_does_not_spill(operation, columns):
    plan = norms.choose(8192, columns, "bfloat16", operation, is_aligned=columns % 8 == 0)
    compiled = (compile_backward if plan.problem.is_backward else compile_forward)(plan)
    assert spilled_bytes(compiled.asm["ptx"]) == 0
