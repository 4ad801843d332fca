"""hocket.kernels.rowwise.rms_norm_quantized and layer_norm_quantized against float64: scales, variants, residuals."""

import dataclasses

import ml_dtypes
import numpy as np
import pytest
from norms_reference import forward, inputs

from hocket.kernels import rowwise
from hocket.kernels.norms import problem

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

EPS = 1e-5
each_scale = pytest.mark.parametrize("group", [None, 128], ids=["rows", "groups"])


@pytest.fixture
def few_multiprocessors(monkeypatch):
    """Reduces the number of emulated SMs, so that blocks process several tiles."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def check_quantized(result, expected, group):
    """Each value is within half a step of float8 of the expected one, divided by the exact scale of its group."""
    rows, columns = expected.shape
    grouped = expected.reshape(rows, -1, group or columns)
    largest = np.abs(grouped).max(-1)
    scale = np.where(largest == 0, 1, largest / 448)
    np.testing.assert_allclose(result.scale.reshape(scale.shape), scale, rtol=3e-6)
    quantized = result.quantized.astype(np.float64).reshape(grouped.shape)
    assert (np.abs(quantized) <= 448).all()
    exact = grouped / scale[:, :, None]
    # Half a step is 2^-4 of a normal number, and 2^-10 of a subnormal one.
    assert (np.abs(quantized - exact) <= np.maximum(np.abs(exact) / 16, 2**-10) * (1 + 1e-4) + 1e-4).all()
    # Most values are the nearest ones: a difference in the last digits of float32 decides few of them.
    nearest = exact.astype(np.float32).astype(ml_dtypes.float8_e4m3fn).astype(np.float64)
    assert (quantized == nearest).mean() > 0.99


def check(device, rows, columns, dtype, centered, group, residual=False, schedule=None):
    x, other, weight, bias = inputs(rows, columns, dtype)
    arrays = [device.to_device(array) for array in (x, other, weight, bias)]
    options = {"group": group, "residual": arrays[1] if residual else None, "schedule": schedule}
    if centered:
        result = rowwise.layer_norm_quantized(arrays[0], arrays[2], arrays[3], EPS, **options)
    else:
        result = rowwise.rms_norm_quantized(arrays[0], arrays[2], EPS, **options)
    if residual:
        total = (x.astype(np.float32) + other.astype(np.float32)).astype(x.dtype)
        assert np.array_equal(device.to_host(result.total), total)
        x = total
    else:
        assert result.total is None
    result = rowwise.QuantizedNorm(device.to_host(result.quantized), device.to_host(result.scale), None)
    assert result.quantized.dtype == ml_dtypes.float8_e4m3fn
    check_quantized(result, forward(x, weight, bias if centered else None, EPS), group)


@each_scale
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype, group):
    check(every_device, 5, 768, dtype, False, group, residual=True)


@each_scale
@pytest.mark.parametrize("residual", [False, True], ids=["", "residual"])
def test_layer_norm(device, group, residual):
    check(device, 7, 640, "bfloat16", True, group, residual)


@pytest.mark.parametrize(("columns", "group"), [(1000, None), (1023, None), (5120, 128), (96, 32), (256, 256)])
def test_sizes(device, columns, group):
    check(device, 3, columns, "bfloat16", False, group)


@each_scale
@pytest.mark.parametrize("centered", [False, True], ids=["rms", "layer"])
def test_streaming(device, few_multiprocessors, group, centered):
    check(device, 5, 18048, "float16", centered, group, residual=True, schedule="streaming")


@each_scale
def test_blocks_take_several_tiles(device, few_multiprocessors, group):
    check(device, 20000 if device.is_gpu else 150, 256, "bfloat16", False, group, schedule="multi-wave")


def test_rows_of_zeros(device):
    x = device.to_device(np.zeros((2, 256), np.float32))
    result = rowwise.rms_norm_quantized(x, group=128)
    assert (device.to_host(result.scale) == 1).all()
    assert (device.to_host(result.quantized).astype(np.float32) == 0).all()


def test_more_dimensions_and_weight_offset(device):
    x, _, weight, _ = inputs(6, 256, "float32")
    arrays = device.to_device(x.reshape(2, 3, 256)), device.to_device(weight)
    result = rowwise.rms_norm_quantized(*arrays, EPS, weight_offset=1, group=64)
    assert tuple(result.scale.shape) == (2, 3, 4)
    flat = device.to_host(result.quantized).reshape(6, 256), device.to_host(result.scale), None
    check_quantized(rowwise.QuantizedNorm(*flat), forward(x, 1 + weight.astype(np.float64), None, EPS), 64)
