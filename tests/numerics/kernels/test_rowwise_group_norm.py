"""hocket.kernels.rowwise.group_norm against float64: variants, dtypes, sizes of channels, results in place."""

import dataclasses

import numpy as np
import pytest
from norms_reference import check_rows, kind_of

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
