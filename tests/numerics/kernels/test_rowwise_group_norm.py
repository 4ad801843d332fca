"""hocket.kernels.rowwise.group_norm and its gradient against float64: variants, dtypes, sizes of channels."""

import dataclasses
import random

import numpy as np
import pytest
from norms_reference import check_rows, check_sums, kind_of

from hocket.kernels import rowwise
from hocket.kernels.norms import problem

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

EPS = 1e-5


@pytest.fixture
def few_multiprocessors(monkeypatch):
    """Reduces the number of emulated SMs, so that blocks process several tiles."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def inputs(shape, dtype):
    """x with a mean of 3, weight, bias."""
    rng = np.random.default_rng(sum(shape))
    x = 3 + rng.standard_normal(shape)
    return [values.astype(kind_of(dtype)) for values in (x, *rng.standard_normal((2, shape[1])))]


def expected_of(x, groups, weight, bias):
    """y, mean, rstd."""
    rows = x.astype(np.float64).reshape(x.shape[0], groups, -1)
    mean, rstd = rows.mean(-1), 1 / np.sqrt(rows.var(-1) + EPS)
    normal = ((rows - mean[..., None]) * rstd[..., None]).reshape(x.shape)
    channels = [1 if vector is None else vector.astype(np.float64) for vector in (weight, bias)]
    shape = 1, -1, *[1] * (x.ndim - 2)
    if weight is not None:
        normal = normal * channels[0].reshape(shape)
    if bias is not None:
        normal = normal + channels[1].reshape(shape)
    return normal, mean, rstd


def check(device, shape, groups, dtype, schedule=None, has_weight=True, has_bias=True):
    x, weight, bias = inputs(shape, dtype)
    weight, bias = weight if has_weight else None, bias if has_bias else None
    arrays = [None if array is None else device.to_device(array) for array in (x, weight, bias)]
    y, mean, rstd = rowwise.group_norm(arrays[0], groups, *arrays[1:], EPS, return_statistics=True, schedule=schedule)
    expected = expected_of(x, groups, weight, bias)
    check_rows(device.to_host(y), expected[0])
    np.testing.assert_allclose(device.to_host(mean), expected[1], rtol=1e-5)
    np.testing.assert_allclose(device.to_host(rstd), expected[2], rtol=1e-5)


@pytest.mark.parametrize("schedule", ["multi-wave", "split"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype, schedule):
    check(every_device, (2, 12, 5, 16), 3, dtype, schedule)


@pytest.mark.parametrize("schedule", ["multi-wave", "split"])
@pytest.mark.parametrize(
    ("shape", "groups"),
    [((3, 8), 2), ((2, 6, 7), 3), ((1, 4, 3, 5, 8), 1), ((2, 6, 7), 6)],
    ids=["no other dimension", "narrow accesses", "three other dimensions", "a group for each channel"],
)
def test_shapes(device, shape, groups, schedule):
    check(device, shape, groups, "float32", schedule)


@pytest.mark.parametrize("elements", [4104, 4099], ids=["wide", "narrow"])
def test_rows_of_several_parts(device, elements):
    """The last part is shorter than the others."""
    check(device, (2, 8, elements), 2, "bfloat16", "split")


def test_large_means_lose_nothing(device):
    """The variance is computed from differences from the mean, in each part and between parts."""
    x = inputs((1, 2, 20000), "float32")[0] + np.float32(1000)
    y, _, rstd = rowwise.group_norm(device.to_device(x), 1, eps=EPS, return_statistics=True, schedule="split")
    expected = expected_of(x, 1, None, None)
    np.testing.assert_allclose(device.to_host(rstd), expected[2], rtol=1e-5)
    np.testing.assert_allclose(device.to_host(y), expected[0], atol=2e-4)


def test_blocks_take_several_tiles(device, few_multiprocessors):
    check(device, (30, 16, 4, 8), 4, "bfloat16", "multi-wave", has_bias=False)


def test_in_place_and_without_weight(device):
    x, *_ = inputs((2, 8, 24), "float32")
    x_ = device.to_device(x)
    assert rowwise.group_norm(x_, 2, eps=EPS, out=x_) is x_
    check_rows(device.to_host(x_), expected_of(x, 2, None, None)[0])


def expected_gradients(dy, x, groups, weight):
    """dx, dw, db, by the chain rule through the mean and the variance of a group."""
    images, channels = x.shape[:2]
    _, mean, rstd = (values.reshape(images, groups, -1) for values in expected_of(x, groups, None, None))
    rows, of_y = (values.astype(np.float64).reshape(images, groups, -1) for values in (x, dy))
    scale = np.ones(channels) if weight is None else weight.astype(np.float64)
    of_normal = of_y * np.repeat(scale, x[0, 0].size).reshape(1, groups, -1)
    count = rows.shape[-1]
    difference = rows - mean
    of_variance = (of_normal * difference).sum(-1, keepdims=True) * -0.5 * rstd**3
    of_mean = -(of_normal * rstd).sum(-1, keepdims=True)  # the sum of differences from the mean is 0
    dx = of_normal * rstd + of_variance * 2 * difference / count + of_mean / count
    by_channel = images, channels, -1
    dw = (of_y * difference * rstd).reshape(by_channel).sum((0, 2))
    return dx.reshape(x.shape), dw, of_y.reshape(by_channel).sum((0, 2))


def check_gradients(device, shape, groups, dtype, has_weight=True, has_bias=True):
    x, weight, _ = inputs(shape, dtype)
    dy = np.random.default_rng(1).standard_normal(shape).astype(kind_of(dtype))
    weight = weight if has_weight else None
    _, mean, rstd = expected_of(x, groups, None, None)
    statistics = (device.to_device(values.astype(np.float32)) for values in (mean, rstd))
    arrays = [None if array is None else device.to_device(array) for array in (dy, x, weight)]
    dx, dw, db = rowwise.group_norm_backward(*arrays[:2], groups, arrays[2], *statistics, has_bias=has_bias)
    expected = expected_gradients(dy, x, groups, weight)
    # n is a difference of float32 values near 3.
    check_rows(device.to_host(dx), expected[0], np.abs(rstd).max() * 20)
    assert [result is not None for result in (dw, db)] == [has_weight, has_bias]
    for result, sums in ((dw, expected[1]), (db, expected[2])):
        if result is not None:
            check_sums(device.to_host(result), sums, 16 * x[:, 0].size)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_gradients_on_every_target(every_device, dtype):
    check_gradients(every_device, (2, 12, 5, 16), 3, dtype)


@pytest.mark.parametrize(
    ("shape", "groups"),
    [((3, 8), 2), ((20, 6, 7), 3), ((1, 4, 3, 5, 8), 1), ((2, 6, 7), 6), ((2, 4, 4104), 2), ((1, 2, 9001), 1)],
    ids=["no other dimension", "narrow accesses", "one group", "a group for each channel", "parts", "narrow parts"],
)
def test_gradients_of_shapes(device, shape, groups):
    check_gradients(device, shape, groups, "float32")


@pytest.mark.parametrize(("has_weight", "has_bias"), [(True, False), (False, True), (False, False)])
def test_gradients_without_weight_or_bias(device, has_weight, has_bias):
    check_gradients(device, (3, 8, 24), 4, "bfloat16", has_weight, has_bias)


@pytest.mark.parametrize("seed", range(12))
def test_gradients_of_random_shapes(every_device, seed):
    rng = random.Random(f"{every_device.name} {seed}")
    groups, per_group = rng.randint(1, 9), rng.choice([1, 2, 3, 10, 40])
    elements = rng.choice([(), (rng.randint(1, 70),), (4, 4 * rng.randint(1, 30)), (rng.randint(2000, 6000),)])
    images = rng.randint(1, 2 if np.prod(elements) > 1000 else 40)
    shape = images, groups * per_group, *elements
    while np.prod(shape) > 100000:
        shape = max(shape[0] // 2, 1), groups * max(shape[1] // groups // 2, 1), *elements
    dtype = rng.choice(["float16", "bfloat16", "float32"])
    check_gradients(every_device, shape, groups, dtype, rng.random() < 0.8, rng.random() < 0.8)
