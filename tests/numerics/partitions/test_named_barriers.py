"""Named barriers: partitions that alternate, synchronize, and exchange data."""

import re

import named_barrier_kernels as kernels
import numpy as np
import pytest

from hocket import language as gl


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
def test_partitions_that_synchronize(nvidia_device, launched, workers):
    (out,) = launch(nvidia_device, kernels.side_by_side, np.zeros(512, np.int32), 3, 256, workers, num_warps=launched)
    np.testing.assert_array_equal(out, np.tile(8 * np.arange(256), 2))


@pytest.mark.parametrize("steps", [1, 5])
def test_ping_pong_of_wgmmas(hopper, steps):
    draw = np.random.default_rng(0)
    a, b = draw.integers(-4, 5, (3, 64, 64)), draw.integers(-4, 5, (2, 64, 64))
    factors = [sum(range(k + 1, steps + 1, 2)) for k in range(2)]
    expected = a @ (b[0] * factors[0] + b[1] * factors[1])
    halves = a.astype(np.float16), b.astype(np.float16)
    *_, out = launch(hopper, kernels.products_by_turns, *halves, np.zeros(a.shape, np.float32), steps)
    np.testing.assert_array_equal(out, expected)


def test_products_stay_in_flight():
    """In each of the three partitions: the barrier, the wgmmas, the arrival for the next partition, and only then the
    wait."""
    kernel = kernels.products_by_turns.warmup(gl.float16, gl.float16, gl.float32, 5, num_warps=4, target="sm_90a")
    found = re.findall(r"bar\.sync \t\d+, 256|bar\.arrive|wgmma\.mma|wgmma\.wait_group", kernel.asm["ptx"])
    steps = " ".join(re.sub(r" \t.*", "", step) for step in found)
    products = " ".join(["wgmma.mma"] * 4)
    assert steps.count(f"bar.sync {products} bar.arrive wgmma.wait_group") == 3
    assert found.count("bar.arrive") == 4  # one gives the first turn
    assert found.count("wgmma.wait_group") == 3
