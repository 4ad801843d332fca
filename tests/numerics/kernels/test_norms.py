"""hocket.kernels.norms against float64: sizes, dtypes, strides, fused forms, all schedules, the same bits each time."""

import contextlib
import dataclasses

import numpy as np
import pytest
from norms_reference import backward, check_rows, check_sums, forward, inputs, kind_of, statistics

from hocket import emulator
from hocket.kernels import norms
from hocket.kernels.norms import launch, problem
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.feasible_parts import in_parts

pytestmark = pytest.mark.slow

EPS = 1e-5

#: Rows, columns, dtype: one of each, odd ones, a power of two, more than a block's least tile.
SIZES = (
    (1, 1, "float32"),
    (300, 1, "bfloat16"),
    (1, 33, "float16"),
    (7, 1000, "bfloat16"),
    (5, 1023, "float32"),
    (3, 1024, "float16"),
    (6, 5120, "bfloat16"),
    (2, 8192, "float32"),
)


@pytest.fixture
def few_multiprocessors(monkeypatch):
    """Reduces the number of emulated SMs, so that blocks process several tiles. On a GPU, tests use more rows."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def run(device, x, dy, weight, bias, centered, schedule=None):
    """(y, dx, dw, db) on the host; db is None for RMSNorm."""
    x_, dy_, weight_, bias_ = (None if a is None else device.to_device(a) for a in (x, dy, weight, bias))
    forward_schedule = None if schedule in ("warp-specialized", "cluster") else schedule
    if centered:
        options = {"return_statistics": True, "schedule": forward_schedule}
        y, mean, rstd = norms.layer_norm(x_, weight_, bias_, EPS, **options)
        results = y, *norms.layer_norm_backward(dy_, x_, weight_, mean, rstd, schedule=schedule)
    else:
        y, rstd = norms.rms_norm(x_, weight_, EPS, return_statistics=True, schedule=forward_schedule)
        results = y, *norms.rms_norm_backward(dy_, x_, weight_, rstd, schedule=schedule), None
    return [None if result is None else device.to_host(result) for result in results]


def check(device, x, dy, weight, bias, centered, schedule=None):
    y, dx, dw, db = run(device, x, dy, weight, bias, centered, schedule)
    check_rows(y, forward(x, weight, bias if centered else None, EPS))
    expected_dx, expected_dw, expected_db = backward(dy, x, weight, centered, EPS)
    _, rstd = statistics(x, centered, EPS)
    check_rows(dx, expected_dx, np.abs(rstd).max() * 5)
    if weight is not None:
        check_sums(dw, expected_dw, x.shape[0])
    if centered and weight is not None:
        check_sums(db, expected_db, x.shape[0])
    return y, dx, dw, db


@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sizes_and_dtypes(device, size, centered):
    check(device, *inputs(*size), centered)


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_blocks_take_several_tiles(device, few_multiprocessors, centered, schedule):
    check(device, *inputs(20000 if device.is_gpu else 37, 640, "bfloat16"), centered, schedule)


@pytest.mark.parametrize("keeps_sums", [False, True])
def test_sums_of_streamed_rows(device, few_multiprocessors, keeps_sums):
    """In shared memory, and in global memory; three pieces, the last one not whole."""
    rows, columns = 3000 if device.is_gpu else 9, 18000
    x, dy, weight, bias = inputs(rows, columns, "bfloat16")
    x_, dy_, weight_, bias_ = (device.to_device(a) for a in (x, dy, weight, bias))
    _, mean, rstd = norms.layer_norm(x_, weight_, bias_, EPS, return_statistics=True)
    chosen = norms.choose(rows, columns, "bfloat16", "layer_norm_backward", x_, schedule="streaming")
    plans = [plan for plan in plans_of(chosen.problem, chosen.machine) if plan.schedule == "streaming"]
    plans = [plan for plan in plans if plan.keeps_sums == keeps_sums]
    if not plans:
        pytest.skip("18000 columns are too many for shared memory")
    arguments = dy_, x_, weight_, mean, rstd, True, None, None, plans[-1]
    dx, dw, db = (device.to_host(a) for a in launch.backward("layer_norm_backward", *arguments))
    expected = backward(dy, x, weight, True, EPS)
    check_rows(dx, expected[0], 5)
    check_sums(dw, expected[1], rows)
    check_sums(db, expected[2], rows)


def test_the_most_columns(device):
    check(device, *inputs(2, 1 << 16, "bfloat16"), True)


@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype, centered):
    check(every_device, *inputs(9, 776, dtype), centered)


def staged_plans(device, rows, columns, dtype, operation, has_residual):
    """A plan for each use of buffers, with a ragged last piece; persistent blocks process several tiles."""
    array = device.to_device(np.zeros((1, 1), np.float32))
    chosen = norms.choose(rows, columns, dtype, operation, array, has_residual=has_residual)
    plans = [plan for plan in plans_of(chosen.problem, chosen.machine) if plan.schedule == "staged"]
    ways = {(plan.stages, plan.rereads): plan for plan in plans if columns % plan.block}
    assert len(ways) == (2 if chosen.machine.lanes == 64 else 3)
    most = 132 if device.is_gpu else 2
    return [dataclasses.replace(plan, blocks=most) if plan.prefetches else plan for plan in ways.values()]


@pytest.mark.parametrize("has_residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_every_way_of_staging(device, centered, has_residual):
    rows, columns, dtype = 2000 if device.is_gpu else 7, 5136, "bfloat16"
    x, _, weight, bias = inputs(rows, columns, dtype)
    residual = inputs(rows, columns, dtype, seed=7)[0] if has_residual else None
    bias = bias if centered else None
    arrays = [None if a is None else device.to_device(a) for a in (x, residual, weight, bias)]
    operation = "layer_norm" if centered else "rms_norm"
    summed = x if residual is None else (x.astype(np.float32) + residual.astype(np.float32)).astype(x.dtype)
    for plan in staged_plans(device, rows, columns, dtype, operation, has_residual):
        y, total, *_ = launch.forward(operation, *arrays, EPS, None, None, plan)
        check_rows(device.to_host(y), forward(summed, weight, bias, EPS))
        assert residual is None or np.array_equal(device.to_host(total), summed)


@pytest.mark.parametrize("has_residual", [False, True], ids=["", "residual"])
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
@pytest.mark.parametrize("columns", [16384, 17424], ids=["whole parts", "a short part"])
def test_rows_in_parts(hopper_device, columns, centered, has_residual):
    """Rows in a ring buffer, as on a GPU with little shared memory; several rows per block."""
    rows, operation = 2000 if hopper_device.is_gpu else 5, "layer_norm" if centered else "rms_norm"
    x, _, weight, bias = inputs(rows, columns, "bfloat16")
    residual = inputs(rows, columns, "bfloat16", seed=7)[0] if has_residual else None
    bias = bias if centered else None
    machine = dataclasses.replace(problem.MACHINES["sm_90a"], shared_bytes=100 << 10 if has_residual else 56 << 10)
    facts = {"has_residual": has_residual}
    plans = list(in_parts(problem.checked_problem(operation, rows, columns, "bfloat16", **facts), machine))
    assert plans
    summed = x if residual is None else (x.astype(np.float32) + residual.astype(np.float32)).astype(x.dtype)
    arrays = [None if a is None else hopper_device.to_device(a) for a in (x, residual, weight, bias)]
    for plan in plans:
        plan = dataclasses.replace(plan, blocks=min(plan.blocks, 132 if hopper_device.is_gpu else 2))
        y, total, *_ = launch.forward(operation, *arrays, EPS, None, None, plan)
        check_rows(hopper_device.to_host(y), forward(summed, weight, bias, EPS))
        assert residual is None or np.array_equal(hopper_device.to_host(total), summed)


@pytest.mark.parametrize("size", [(37, 256, "bfloat16"), (9, 640, "float32"), (5, 3072, "float16")], ids=str)
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_warp_specialized(hopper_device, few_multiprocessors, size, centered):
    rows, columns, dtype = size
    rows *= 400 if hopper_device.is_gpu else 1
    check(hopper_device, *inputs(rows, columns, dtype), centered, "warp-specialized")


@pytest.mark.parametrize("size", [(9, 24576, "bfloat16"), (5, 8320, "float32"), (3, 32768, "float16")], ids=str)
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_clusters(hopper_device, few_multiprocessors, size, centered):
    rows, columns, dtype = size
    check(hopper_device, *inputs(rows * (100 if hopper_device.is_gpu else 1), columns, dtype), centered, "cluster")


@pytest.mark.parametrize("operation", ["rms_norm_backward", "layer_norm_backward"])
def test_every_kind_of_cluster(hopper_device, operation):
    """Blocks of a cluster, rows of a tile and stages of a ring, in all numbers; more tiles than stages."""
    rows, columns, centered = 19, 8192, operation.startswith("layer")
    x, dy, weight, _ = inputs(rows, columns, "bfloat16")
    mean, rstd = (values.astype(np.float32)[:, 0] for values in statistics(x, centered, EPS))
    arrays = [hopper_device.to_device(a) for a in (dy, x, weight, mean, rstd)]
    chosen = norms.choose(rows, columns, "bfloat16", operation, arrays[1], schedule="cluster")
    plans = [plan for plan in plans_of(chosen.problem, chosen.machine) if plan.schedule == "cluster"]
    kinds = {(plan.num_ctas, plan.rows_per_tile): plan for plan in plans}
    assert {num_ctas for num_ctas, _ in kinds} == {2, 4, 8} and {rows for _, rows in kinds} >= {1, 2}
    expected = backward(dy, x, weight, centered, EPS)
    for plan in kinds.values():
        plan = dataclasses.replace(plan, blocks=min(plan.blocks, 2), stages=2)
        dx, dw, db = launch.backward(operation, *arrays, centered, None, None, plan)
        check_rows(hopper_device.to_host(dx), expected[0], 5)
        check_sums(hopper_device.to_host(dw), expected[1], rows)
        if centered:
            check_sums(hopper_device.to_host(db), expected[2], rows)


@pytest.mark.parametrize("schedule", ["multi-wave", "warp-specialized"])
def test_long_rows_are_read_twice(hopper_device, few_multiprocessors, schedule):
    plan = norms.choose(5, 16384, "bfloat16", "layer_norm_backward", schedule=schedule)
    assert plan.rereads
    check(hopper_device, *inputs(5, 16384, "bfloat16"), True, schedule)


def check_apart(device, columns, between, schedule):
    """Rows of a wider matrix, and every third of arrays of statistics."""
    x, dy, weight, bias = inputs(6, columns, "float32")
    wide = [device.to_device(np.pad(a, ((0, 0), (0, between))))[:, :columns] for a in (x, dy)]
    weight_, bias_ = device.to_device(weight), device.to_device(bias)
    y, *statistics = norms.layer_norm(wide[0], weight_, bias_, EPS, return_statistics=True)
    apart = [device.to_device(np.repeat(device.to_host(values), 3))[::3] for values in statistics]
    dx, dw, db = norms.layer_norm_backward(wide[1], wide[0], weight_, *apart, schedule=schedule)
    check_rows(device.to_host(y), forward(x, weight, bias, EPS))
    expected = backward(dy, x, weight, True, EPS)
    check_rows(device.to_host(dx), expected[0], 5)
    check_sums(device.to_host(dw), expected[1], 6)
    check_sums(device.to_host(db), expected[2], 6)


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
@pytest.mark.parametrize(("columns", "between"), [(72, 5), (73, 3)], ids=["narrow", "accesses end beyond rows"])
def test_rows_apart_and_statistics_apart(device, columns, between, schedule):
    check_apart(device, columns, between, schedule)


@pytest.mark.parametrize(("columns", "schedule"), [(96, "warp-specialized"), (8192, "cluster")])
def test_rows_apart_in_descriptors(hopper_device, columns, schedule):
    check_apart(hopper_device, columns, 8, schedule)


def test_one_row_again_and_again(device):
    """A row that is expanded: at a distance of 0 from itself."""
    x, dy, weight, _ = inputs(1, 128, "float32")
    (row,), dy_ = device.to_device(x), device.to_device(np.repeat(dy, 4, axis=0))
    rows = np.broadcast_to(row, (4, 128)) if not device.is_gpu else row.expand(4, 128)
    weight_ = device.to_device(weight)
    y, rstd = norms.rms_norm(rows, weight_, EPS, return_statistics=True)
    dx, _ = norms.rms_norm_backward(dy_, rows, weight_, rstd)
    check_rows(device.to_host(y), np.repeat(forward(x, weight, None, EPS), 4, axis=0))
    check_rows(device.to_host(dx), np.repeat(backward(dy, x, weight, False, EPS)[0], 4, axis=0), 5)


@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_weights_that_are_differences_from_1(device, centered):
    """The sum is in float32: 1 + 2^-9 is not representable in bfloat16."""
    x, dy, weight, bias = inputs(5, 264, "bfloat16")
    weight = (weight * np.array(2**-9, weight.dtype)).astype(weight.dtype)
    x_, dy_, weight_, bias_ = (device.to_device(a) for a in (x, dy, weight, bias))
    shared = {"weight_offset": 1}
    if centered:
        y, *statistics = norms.layer_norm(x_, weight_, bias_, EPS, return_statistics=True, **shared)
        dx, dw, _ = norms.layer_norm_backward(dy_, x_, weight_, *statistics, **shared)
    else:
        y, rstd = norms.rms_norm(x_, weight_, EPS, return_statistics=True, **shared)
        dx, dw = norms.rms_norm_backward(dy_, x_, weight_, rstd, **shared)
    scale = 1 + weight.astype(np.float64)
    check_rows(device.to_host(y), forward(x, scale, bias if centered else None, EPS))
    expected = backward(dy, x, scale, centered, EPS)
    check_rows(device.to_host(dx), expected[0], 5)
    check_sums(device.to_host(dw), expected[1], 5)


def test_more_dimensions_and_no_weight(device):
    x, dy, *_ = inputs(6, 96, "float16")
    x_, dy_ = (device.to_device(a.reshape(2, 3, 96)) for a in (x, dy))
    y, mean, rstd = norms.layer_norm(x_, eps=EPS, return_statistics=True)
    dx, dw, db = norms.layer_norm_backward(dy_, x_, None, mean, rstd)
    assert dw is None and db is None and tuple(dx.shape) == (2, 3, 96) and tuple(rstd.shape) == (2, 3)
    check_rows(device.to_host(y).reshape(6, 96), forward(x, None, np.zeros(96), EPS))
    check_rows(device.to_host(dx).reshape(6, 96), backward(dy, x, None, True, EPS)[0], 5)


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
def test_residual_is_added(device, schedule):
    """Forward before, backward after: what is normalized is the rounded sum."""
    x, dy, weight, _ = inputs(5, 264, "bfloat16")
    residual, other = inputs(5, 264, "bfloat16", seed=7)[:2]
    arrays = [device.to_device(a) for a in (x, dy, weight, residual, other)]
    y, total, rstd = norms.rms_norm(
        arrays[0], arrays[2], EPS, residual=arrays[3], return_statistics=True, schedule=schedule
    )
    summed = (x.astype(np.float32) + residual.astype(np.float32)).astype(x.dtype)
    assert np.array_equal(device.to_host(total), summed)
    check_rows(device.to_host(y), forward(summed, weight, None, EPS))
    dx, dw = norms.rms_norm_backward(arrays[1], total, arrays[2], rstd, residual_gradient=arrays[4], schedule=schedule)
    expected = backward(dy, summed, weight, False, EPS)
    check_rows(device.to_host(dx), expected[0] + other.astype(np.float64), 5)
    check_sums(device.to_host(dw), expected[1], 5)


def test_the_weight_may_be_wider_than_x(device):
    x, dy, weight, bias = inputs(4, 128, "bfloat16")
    wide = weight.astype(np.float32), bias.astype(np.float32)
    *_, dw, db = check(device, x, dy, *wide, True)
    assert dw.dtype == db.dtype == np.float32


def test_writes_where_it_is_told(device):
    x, _, weight, _ = inputs(4, 64, "float32")
    out = device.to_device(np.zeros((4, 80), np.float32))
    norms.rms_norm(device.to_device(x), device.to_device(weight), EPS, out=out[:, :64])
    result = device.to_host(out)
    check_rows(result[:, :64], forward(x, weight, None, EPS))
    assert (result[:, 64:] == 0).all()


def another_order(device, seed):
    """In which the emulator runs warps, and ends copies; a GPU has its own."""
    if device.is_gpu:
        return contextlib.nullcontext()
    return emulator.target(device.target, seed=seed, completion=("random", "now", "late")[seed % 3])


def check_ten_runs(device, rows, columns, schedule):
    arrays = inputs(40000 * 256 // columns if device.is_gpu else rows, columns, "bfloat16")
    first = run(device, *arrays, True, schedule)
    for seed in range(9):
        with another_order(device, seed):
            again = run(device, *arrays, True, schedule)
        assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
def test_ten_runs_give_the_same_bits(device, few_multiprocessors, schedule):
    check_ten_runs(device, 21, 256, schedule)


def test_ten_runs_of_staged_rows_give_the_same_bits(device):
    rows, columns = 4000 if device.is_gpu else 5, 5136
    x, _, weight, bias = (device.to_device(a) for a in inputs(rows, columns, "bfloat16"))
    for plan in staged_plans(device, rows, columns, "bfloat16", "layer_norm", False):
        results = []
        for seed in range(10):
            with another_order(device, seed):
                results.append(launch.forward("layer_norm", x, None, weight, bias, EPS, None, None, plan)[0])
        first, *others = map(device.to_host, results)
        assert all(np.array_equal(first, other) for other in others)


@pytest.mark.parametrize(("rows", "columns", "schedule"), [(21, 256, "warp-specialized"), (5, 8192, "cluster")])
def test_ten_runs_of_hoppers_schedules_give_the_same_bits(hopper_device, few_multiprocessors, rows, columns, schedule):
    check_ten_runs(hopper_device, rows, columns, schedule)


def test_large_means_lose_nothing(device):
    """The variance is that of the differences from the mean, not a difference of squares."""
    x, _, weight, bias = inputs(3, 512, "float32")
    x = (x + 1000).astype(np.float32)
    y = norms.layer_norm(*(device.to_device(a) for a in (x, weight, bias)), EPS)
    expected = forward(x, weight, bias, EPS)
    assert np.abs(device.to_host(y) - expected).max() < 1e-3
    assert kind_of("float32") == device.to_host(y).dtype
