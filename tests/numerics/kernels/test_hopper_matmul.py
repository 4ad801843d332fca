"""examples/hopper_matmul.py: both kernels, several tiles, on the emulator under several schedules and on a GPU."""

import hopper_matmul
import numpy as np
import pytest
from gemm_operands import gemm_operands

from hocket import emulator

KERNELS = {"pipelined": hopper_matmul.pipelined, "specialized": hopper_matmul.specialized}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "size, tile, warps, stages",
    [
        ((256, 256, 256), (128, 128, 64), 4, 4),
        ((128, 256, 320), (128, 256, 64), 8, 3),
        ((64, 64, 64), (64, 64, 64), 4, 3),
    ],
)
def test_products(nvidia_device, kernel, size, tile, warps, stages):
    if nvidia_device.name.startswith("sm_80"):
        pytest.skip("needs Hopper")
    a, b = gemm_operands(*size)
    arrays = [nvidia_device.to_device(x) for x in (a, b, np.zeros(size[:2], np.float16))]
    hopper_matmul.product(KERNELS[kernel], *arrays, *tile, warps, stages)()
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(nvidia_device.to_host(arrays[2]), expected, atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(kernel, seed, completion):
    a, b = gemm_operands(64, 64, 320)
    c = np.zeros((64, 64), np.float16)
    with emulator.target("sm_90a", seed=seed, completion=completion):
        hopper_matmul.product(KERNELS[kernel], a, b, c, 64, 64, 64, 4, 3)()
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("kernel", KERNELS)
def test_results_leave_through_the_memory_of_the_ring(kernel):
    """Loads are done when their mbarriers are no longer used: what comes then may lie where they did."""
    arrays = [np.zeros((128, 64), np.float16), np.zeros((64, 256), np.float16), np.zeros((128, 256), np.float16)]
    tiles = zip(arrays, ([128, 64], [64, 256], [128, 256]), strict=True)
    descriptors = [hopper_matmul.descriptor(array, block) for array, block in tiles]
    compiled = KERNELS[kernel].warmup(*descriptors, 128, 256, 64, STAGES=4, GROUP=8, num_warps=8, target="sm_90a")
    ring = 4 * (128 * 64 + 64 * 256) * 2
    assert ring <= compiled.metadata.shared <= ring + 256
