"""hocket.kernels.rowwise.cross_entropy against float64: variants, dtypes, strides, settings, gradients in place."""

import dataclasses

import numpy as np
import pytest
from norms_reference import check_rows, kind_of

from hocket.kernels import rowwise
from hocket.kernels.norms import problem

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

IGNORED = 7


@pytest.fixture
def few_multiprocessors(monkeypatch):
    """Reduces the number of emulated SMs, so that blocks process several rows."""
    for target, machine in problem.MACHINES.items():
        monkeypatch.setitem(problem.MACHINES, target, dataclasses.replace(machine, multiprocessors=2))


def inputs(rows, columns, dtype, kind=np.int64):
    """Logits, and targets, of which the second row's is IGNORED."""
    rng = np.random.default_rng(rows + columns)
    logits = (2 * rng.standard_normal((rows, columns))).astype(kind_of(dtype))
    targets = rng.integers(0, columns, rows).astype(kind)
    targets[targets == IGNORED] = 0
    targets[1:2] = IGNORED
    return logits, targets


def expected_of(logits, targets, smoothing=0.0, z_loss=0.0, reduction="mean", gradient=1.0):
    """The loss, and the gradient of the logits."""
    x = logits.astype(np.float64)
    rows, columns = x.shape
    shifted = x - x.max(-1, keepdims=True)
    lse = np.log(np.exp(shifted).sum(-1)) + x.max(-1)
    counts = targets != IGNORED
    losses = lse - (1 - smoothing) * x[np.arange(rows), targets] - smoothing * x.mean(-1) + z_loss * lse**2
    losses = np.where(counts, losses, 0)
    wanted = np.full((rows, columns), smoothing / columns)
    wanted[np.arange(rows), targets] += 1 - smoothing
    probabilities = np.exp(x - lse[:, None])
    dx = (probabilities * (1 + 2 * z_loss * lse)[:, None] - wanted) * counts[:, None]
    dx = dx * np.reshape(gradient, (-1, 1))
    if reduction == "mean":
        return losses.sum() / counts.sum(), dx / counts.sum()
    return (losses.sum() if reduction == "sum" else losses), dx


def check(device, logits, targets, reduction="mean", smoothing=0.0, z_loss=0.0, gradient=None, schedule=None):
    options = {"ignore_index": IGNORED, "label_smoothing": smoothing, "z_loss": z_loss, "reduction": reduction}
    logits_, targets_ = device.to_device(logits), device.to_device(targets)
    loss, statistics = rowwise.cross_entropy(logits_, targets_, return_statistics=True, schedule=schedule, **options)
    gradient_ = None if gradient is None else device.to_device(np.asarray(gradient, np.float32))
    dx = rowwise.cross_entropy_backward(gradient_, logits_, targets_, statistics, **options)
    expected, expected_dx = expected_of(
        logits, targets, smoothing, z_loss, reduction, 1.0 if gradient is None else gradient
    )
    np.testing.assert_allclose(device.to_host(loss), expected, rtol=2e-6, atol=2e-6)
    check_rows(device.to_host(dx), expected_dx)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_every_target(every_device, dtype):
    check(every_device, *inputs(5, 776, dtype), smoothing=0.1, z_loss=1e-3)


@pytest.mark.parametrize("size", [(2, 9), (300, 10), (7, 1023), (3, 5120)], ids=str)
def test_sizes(device, size):
    check(device, *inputs(*size, "bfloat16", np.int32))


@pytest.mark.parametrize("columns", [40, 18001], ids=["a part", "three parts"])
def test_streaming(device, few_multiprocessors, columns):
    check(device, *inputs(3, columns, "float16"), smoothing=0.2, z_loss=1e-2, schedule="streaming")


def test_the_most_columns(device):
    check(device, *inputs(2, 1 << 18, "bfloat16"))


def test_blocks_take_several_tiles(device, few_multiprocessors):
    check(device, *inputs(20000 if device.is_gpu else 150, 264, "bfloat16"), schedule="multi-wave")


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_reductions_and_gradients(device, reduction):
    """More rows than the block that adds up losses takes at once."""
    rows = 4100
    gradient = np.linspace(0.5, 2, rows) if reduction == "none" else 0.5
    check(device, *inputs(rows, 8, "float32"), reduction=reduction, gradient=gradient)


def test_gradients_in_place_and_rows_apart(device):
    logits, targets = inputs(4, 72, "float32")
    wide = device.to_device(np.pad(logits, ((0, 0), (0, 5)), constant_values=3))
    apart = device.to_device(np.repeat(targets, 3))[::3]
    options = {"ignore_index": IGNORED}
    _, statistics = rowwise.cross_entropy(wide[:, :72], apart, return_statistics=True, **options)
    dx = rowwise.cross_entropy_backward(None, wide[:, :72], apart, statistics, out=wide[:, :72], **options)
    check_rows(device.to_host(dx), expected_of(logits, targets)[1])
    result = device.to_host(wide)
    assert np.array_equal(result[:, :72], device.to_host(dx)) and (result[:, 72:] == 3).all()


def test_targets_outside_and_rows_that_do_not_count(device):
    """NaN for targets that are not classes; the logits of ignored rows have no effect, whatever they are."""
    logits, targets = inputs(3, 40, "float32")
    logits[1] = np.inf
    targets[2] = 40
    arrays = device.to_device(logits), device.to_device(targets)
    options = {"ignore_index": IGNORED, "reduction": "none"}
    loss, statistics = rowwise.cross_entropy(*arrays, return_statistics=True, **options)
    dx = device.to_host(rowwise.cross_entropy_backward(None, *arrays, statistics, **options))
    loss = device.to_host(loss)
    assert np.isfinite(loss[0]) and loss[1] == 0 and np.isnan(loss[2])
    assert np.isfinite(dx[0]).all() and (dx[1] == 0).all() and np.isnan(dx[2]).all()


def test_no_row_counts(device):
    logits, targets = device.to_device(np.ones((2, 8), np.float32)), device.to_device(np.full(2, -100))
    assert np.isnan(device.to_host(rowwise.cross_entropy(logits, targets)))
    assert device.to_host(rowwise.cross_entropy(logits, targets, reduction="sum")) == 0
