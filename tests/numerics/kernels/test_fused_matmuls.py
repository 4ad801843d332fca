"""examples/fused_matmuls.py: two GEMMs in one loop over K, four results, and the inserted waits."""

import re

import fused_matmuls
import numpy as np
import ptxas
import pytest
from gemm_operands import fused_operands

from hocket import emulator


@pytest.mark.parametrize("with_waits", [False, True])
@pytest.mark.parametrize(
    "size, tile, warps, stages",
    [((128, 256, 320), (128, 128, 64), 8, 3), ((64, 64, 192), (64, 64, 64), 4, 2), ((64, 64, 64), (64, 64, 64), 4, 4)],
)
def test_results(nvidia_device, size, tile, warps, stages, with_waits):
    if nvidia_device.name.startswith("sm_80"):
        pytest.skip("needs Hopper")
    inputs = fused_operands(*size)
    arrays = [nvidia_device.to_device(x) for x in inputs]
    outs = [nvidia_device.to_device(np.zeros(size[:2], np.float16)) for _ in range(4)]
    fused_matmuls.fused(*arrays, outs, *tile, warps, stages, with_waits=with_waits)()
    for out, expected in zip(outs, fused_matmuls.expected(*inputs), strict=True):
        np.testing.assert_allclose(nvidia_device.to_host(out), expected, atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("seed, completion", [(1, "random"), (2, "random"), (3, "now"), (4, "late")])
def test_every_schedule_gives_the_same(seed, completion):
    inputs = fused_operands(64, 64, 320)
    outs = [np.zeros((64, 64), np.float16) for _ in range(4)]
    with emulator.target("sm_90a", seed=seed, completion=completion):
        fused_matmuls.fused(*inputs, outs, 64, 64, 64, 4, 3)()
    for out, expected in zip(outs, fused_matmuls.expected(*inputs), strict=True):
        np.testing.assert_allclose(out, expected, atol=0.05, rtol=2e-3)


def ptx(with_waits, stages=3):
    sizes = {"m": 128, "n": 128, "k": 512}
    arrays = [np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (512, 128), *[(128, 128)] * 4)]
    blocks = [[128, 64], [64, 128], [64, 128], *[[128, 128]] * 4]
    descriptors = [fused_matmuls.descriptor(array, block) for array, block in zip(arrays, blocks, strict=True)]
    options = {"STAGES": stages, "GROUP": 8, "WITH_WAITS": with_waits, "keep_waits": with_waits, "num_warps": 8}
    kernel = fused_matmuls.fused_kernel.warmup(*descriptors, *sizes.values(), target="sm_90a", **options)
    return kernel.asm["ptx"]


def groups(text):
    """Commits and waits in order."""
    return [f"{what} {number}".strip() for what, number in re.findall(r"wgmma\.(commit|wait)_group\S*\s*(\d?)", text)]


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_one_wait_in_the_loop_and_one_after_it(stages):
    """A load is `stages` - 1 steps ahead: into the slot of the step before."""
    assert groups(ptx(False, stages)) == ["commit", "wait 1", "wait 0"]


def test_wgmmas_of_a_commit_group_share_one_fence():
    """With a fence between them, ptxas makes two groups of them, of which the wait in the loop leaves one."""
    assert ptx(False).count("wgmma.fence") == 1
    assert ptx(True).count("wgmma.fence") == 2


def test_waits_stay_where_they_are_wanted():
    assert groups(ptx(True)) == ["commit", "commit", "wait 2", *["wait 0"] * 4]


@ptxas.needed
@pytest.mark.parametrize("with_waits", [False, True])
def test_the_assembler_serializes_nothing(with_waits):
    """It would say so (C7510), and that it inserts a warpgroup.arrive (C7519)."""
    said = ptxas.messages(ptx(with_waits))
    assert "wgmma" not in said
    assert "warpgroup" not in said
