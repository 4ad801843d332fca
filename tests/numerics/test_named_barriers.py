"""Named barriers: partitions that take turns, that meet, and that pass data on."""

import named_barrier_kernels as kernels
import numpy as np
import pytest


def launch(device, kernel, *arguments, **options):
    """Runs it on `device`; the arrays as they are afterwards."""
    given = [device.to_device(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments]
    kernel[(1,)](*given, **options)
    return [device.to_host(a) for a, b in zip(given, arguments, strict=True) if isinstance(b, np.ndarray)]


@pytest.mark.parametrize("launched, workers", [(4, 4), (1, 2), (8, 1), (2, 8)])
@pytest.mark.parametrize("rounds", [1, 5])
def test_turns(nvidia_device, launched, workers, rounds):
    log, length = np.full(3 * rounds, -1, np.int32), np.zeros(1, np.int32)
    log, length = launch(nvidia_device, kernels.by_turns, log, length, rounds, workers, num_warps=launched)
    np.testing.assert_array_equal(log, np.tile([0, 1, 2], rounds))
    assert length == [3 * rounds]


@pytest.mark.parametrize("launched, workers", [(4, 4), (1, 8), (4, 1)])
@pytest.mark.parametrize("tiles", [1, 4])
def test_data_through_shared_memory(nvidia_device, launched, workers, tiles):
    x = np.random.default_rng(0).integers(-100, 100, tiles * 256).astype(np.int32)
    _, out = launch(
        nvidia_device, kernels.through_one_tile, x, np.zeros_like(x), tiles, 256, workers, num_warps=launched
    )
    np.testing.assert_array_equal(out, 2 * x)


@pytest.mark.parametrize("launched, workers", [(4, 4), (2, 1)])
def test_partitions_that_meet(nvidia_device, launched, workers):
    (out,) = launch(nvidia_device, kernels.side_by_side, np.zeros(512, np.int32), 3, 256, workers, num_warps=launched)
    np.testing.assert_array_equal(out, np.tile(8 * np.arange(256), 2))
