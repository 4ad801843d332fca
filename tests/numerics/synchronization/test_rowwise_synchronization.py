"""Operations on rows in several orders of warps, with copies that arrive early or late: no races, the same bits."""

import numpy as np
import pytest

from hocket import emulator
from hocket.kernels import rowwise

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unoptimized")]

SEEDS = 6
X = np.random.default_rng(0).standard_normal((3, 4096)).astype(np.float16)
TARGETS = np.array([5, 4000, 7])

#: Name: function that launches kernels whose rows several warps share.
LAUNCHES = {
    "softmax": lambda: rowwise.softmax(X, schedule="multi-wave"),
    "softmax, streaming": lambda: rowwise.softmax(X, schedule="streaming"),
    "softmax_backward": lambda: rowwise.softmax_backward(X, X),
    "cross_entropy": lambda: rowwise.cross_entropy(X, TARGETS),
    "rms_norm_quantized": lambda: rowwise.rms_norm_quantized(X, residual=X).quantized.view(np.uint8),
    "rms_norm_quantized, groups": lambda: rowwise.rms_norm_quantized(X, group=128).scale,
    "group_norm, split": lambda: rowwise.group_norm(X.reshape(3, 8, 512), 2, schedule="split"),
    "group_norm_backward": lambda: gradients_of_groups(X.reshape(3, 8, 512)),
}


def gradients_of_groups(x):
    """dx, dw and db in one array."""
    statistics = np.zeros((3, 2), np.float32), np.ones((3, 2), np.float32)
    results = rowwise.group_norm_backward(x, x, 2, x[0, :, 0].copy(), *statistics)
    return np.concatenate([result.ravel() for result in results])


def check_orders(target, launch):
    results = []
    for seed in range(SEEDS):
        with emulator.target(target, seed=seed, completion=("random", "now", "late")[seed % 3]):
            results.append(launch())
    assert all(np.array_equal(result, results[0]) for result in results)


@pytest.mark.parametrize("target", ["sm_90a", "gfx950"])
@pytest.mark.parametrize("name", LAUNCHES)
def test_orders_of_warps(name, target):
    check_orders(target, LAUNCHES[name])


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_orders_of_staged_rows(target):
    check_orders(target, lambda: rowwise.softmax(X, schedule="staged"))
    check_orders(target, lambda: rowwise.softmax_backward(X, X, schedule="staged"))
