"""hocket.kernels.rowwise.softmax and log_softmax against float64: variants, dtypes, strides, special rows."""

import dataclasses
import random

import numpy as np
import pytest
from norms_reference import check_rows, kind_of

from hocket.kernels import rowwise
from hocket.kernels.norms import problem
from hocket.kernels.norms.feasible_parts import in_parts
from hocket.kernels.rowwise import launch
from hocket.kernels.rowwise.problem import checked_problem

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]


@pytest.fixture
def few_multiprocessors(monkeypatch):
    """Reduces the number of emulated SMs, so that blocks process several tiles."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def inputs(rows, columns, dtype, scale=2.0):
    """x and the gradient of the result."""
    rng = np.random.default_rng(rows + columns)
    return [(scale * rng.standard_normal((rows, columns))).astype(kind_of(dtype)) for _ in range(2)]


def expected_of(x, is_log):
    x = x.astype(np.float64)
    shifted = x - x.max(-1, keepdims=True)
    logarithms = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return logarithms if is_log else np.exp(logarithms)


def expected_gradient(dy, y, is_log):
    dy, y = dy.astype(np.float64), y.astype(np.float64)
    if is_log:
        return dy - np.exp(y) * dy.sum(-1, keepdims=True)
    return y * (dy - (dy * y).sum(-1, keepdims=True))


def check(device, x, dy, is_log, schedule=None):
    x_, dy_ = device.to_device(x), device.to_device(dy)
    y = (rowwise.log_softmax if is_log else rowwise.softmax)(x_, schedule=schedule)
    backward = rowwise.log_softmax_backward if is_log else rowwise.softmax_backward
    dx = device.to_host(backward(dy_, y, schedule=schedule))
    y = device.to_host(y)
    expected = expected_of(x, is_log)
    check_rows(y, expected, np.abs(x[np.isfinite(x)].astype(np.float64)).max() if is_log else None)
    sums = np.abs(dy.astype(np.float64)).sum(-1).max()
    check_rows(dx, expected_gradient(dy, y, is_log), sums * (1 if is_log else np.abs(expected).max()))


each_kind = pytest.mark.parametrize("is_log", [False, True], ids=["softmax", "log"])


@each_kind
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype, is_log):
    check(every_device, *inputs(5, 776, dtype), is_log)


@each_kind
@pytest.mark.parametrize("size", [(1, 1), (300, 3), (7, 1023), (3, 5120)], ids=str)
def test_sizes(device, size, is_log):
    """One element, rows in parts of a warp, narrow accesses, rows of several tiles."""
    check(device, *inputs(*size, "bfloat16"), is_log)


@each_kind
@pytest.mark.parametrize("columns", [40, 16384, 18001], ids=["a part", "two whole parts", "three parts"])
def test_streaming(device, few_multiprocessors, columns, is_log):
    check(device, *inputs(3, columns, "float16"), is_log, "streaming")


@each_kind
@pytest.mark.parametrize(
    ("columns", "dtype"), [(5136, "float16"), (2048, "float32")], ids=["a short part", "whole parts"]
)
def test_staged(nvidia_device, columns, dtype, is_log):
    check(nvidia_device, *inputs(3, columns, dtype), is_log, "staged")


@pytest.mark.parametrize("seed", range(10))
def test_rows_in_parts(hopper_device, seed):
    """Random rows in a ring buffer, as on a GPU with little shared memory; several rows per block."""
    rng = random.Random(seed)
    dtype = rng.choice(["float16", "bfloat16", "float32"])
    rows, columns = rng.randint(1, 6), 16 * rng.randint(600, 1400)
    x, dy = inputs(rows, columns, dtype)
    is_log = rng.random() < 0.5
    y = expected_of(x, is_log).astype(x.dtype)
    for operation, arrays in (("softmax", (x,)), ("softmax_backward", (dy, y))):
        name = f"log_{operation}" if is_log else operation
        row = len(arrays) * columns * x.itemsize
        machine = dataclasses.replace(
            problem.MACHINES["sm_90a"], shared_bytes=min(row * 3 // 2 + (12 << 10), 227 << 10)
        )
        plans = list(in_parts(checked_problem(name, rows, columns, dtype), machine))
        plan = dataclasses.replace(rng.choice(plans), blocks=rng.randint(1, 2))
        result = launch.softmax(name, tuple(map(hopper_device.to_device, arrays)), None, None, plan)
        if len(arrays) == 1:
            check_rows(hopper_device.to_host(result), expected_of(x, is_log), 10.0 if is_log else None)
        else:
            scale = np.abs(dy.astype(np.float64)).sum(-1).max() * (1 if is_log else np.abs(y.astype(np.float64)).max())
            check_rows(hopper_device.to_host(result), expected_gradient(dy, y, is_log), scale)


@each_kind
def test_blocks_take_several_tiles(device, few_multiprocessors, is_log):
    check(device, *inputs(20000 if device.is_gpu else 150, 264, "bfloat16"), is_log, "multi-wave")


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
def test_special_values(device, schedule):
    """Masked elements, a row that is masked altogether, values whose exponentials overflow."""
    x = np.zeros((4, 40), np.float32)
    x[0, 7:] = -np.inf
    x[1] = -np.inf
    x[2, 5] = 3e4
    x[3] = np.linspace(-2e4, 2e4, 40)
    x_ = device.to_device(x)
    y = device.to_host(rowwise.softmax(x_, schedule=schedule))
    logarithms = device.to_host(rowwise.log_softmax(x_, schedule=schedule))
    assert np.isnan(y[1]).all() and np.isnan(logarithms[1]).all()
    kept = [0, 2, 3]
    np.testing.assert_allclose(y[kept], expected_of(x[kept], False), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(logarithms[kept], expected_of(x[kept], True), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("schedule", ["multi-wave", "streaming"])
def test_rows_apart_and_results_in_place(device, schedule):
    x, dy = inputs(4, 72, "float32")
    wide = device.to_device(np.pad(x, ((0, 0), (0, 5)), constant_values=7))
    result = rowwise.softmax(wide[:, :72], out=wide[:, :72], schedule=schedule)
    expected = expected_of(x, False)
    check_rows(device.to_host(result), expected)
    assert (device.to_host(wide)[:, 72:] == 7).all()
    dy_ = device.to_device(dy)
    y_ = device.to_device(expected.astype(np.float32))
    dx = rowwise.softmax_backward(dy_, y_, out=dy_, schedule=schedule)
    check_rows(device.to_host(dx), expected_gradient(dy, expected, False))


def test_more_dimensions(device):
    x, _ = inputs(6, 24, "float32")
    y = device.to_host(rowwise.softmax(device.to_device(x.reshape(2, 3, 24))))
    check_rows(y.reshape(6, 24), expected_of(x, False))
