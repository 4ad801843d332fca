"""examples/fused_matmuls.py: layers whose epilogue uses results four times, two GEMMs in one loop over K, and the
inserted waits."""

import re

import fused_matmuls
import numpy as np
import ptxas
import pytest
from gemm_operands import fused_operands

from hocket import emulator


@pytest.mark.parametrize("waits", fused_matmuls.WAITS)
@pytest.mark.parametrize(
    "size, tile, warps, stages",
    [((128, 256, 320), (128, 128, 64), 8, 3), ((64, 64, 192), (64, 64, 64), 4, 2), ((64, 64, 64), (64, 64, 64), 4, 4)],
)
def test_results(nvidia_device, size, tile, warps, stages, waits):
    if nvidia_device.name.startswith("sm_80"):
        pytest.skip("needs Hopper")
    inputs = fused_operands(*size)
    arrays = [nvidia_device.to_device(x) for x in inputs]
    outs = [nvidia_device.to_device(np.zeros(size[:2], np.float16)) for _ in range(4)]
    fused_matmuls.fused(*arrays, outs, *tile, warps, stages, waits=waits)()
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


@pytest.mark.parametrize("waits", fused_matmuls.WAITS)
@pytest.mark.parametrize("stages", [2, 3])
def test_layers(nvidia_device, stages, waits):
    if nvidia_device.name.startswith("sm_80"):
        pytest.skip("needs Hopper")
    x, w, up = fused_operands(64, 128, 192)
    random = np.random.default_rng(4)
    up, back, up_back = ((random.standard_normal(s) / 4).astype(np.float16) for s in ((64, 128), (128, 192), (64, 192)))
    on_device = nvidia_device.to_device
    outs = [
        [*[on_device(np.zeros((64, n), np.float16)) for _ in range(3)], on_device(np.zeros((n // 64, 64), np.float32))]
        for n in (128, 192)
    ]
    weights, ups = [list(map(on_device, each)) for each in ((w, back), (up, up_back))]
    choices = {"bm": 64, "bn": 64, "bk": 64, "warps": 4, "stages": stages, "waits": waits}
    fused_matmuls.mlp(on_device(x), weights, ups, outs, **choices)()
    first, second = ([nvidia_device.to_host(out) for out in layer] for layer in outs)
    for out, expected in zip(first, fused_matmuls.expected_layer(x, w, up, 64), strict=True):
        np.testing.assert_allclose(out, expected, atol=0.05, rtol=5e-3)
    for out, expected in zip(second, fused_matmuls.expected_layer(first[1], back, up_back, 64), strict=True):
        np.testing.assert_allclose(out, expected, atol=0.05, rtol=5e-3)


def ptx(waits, stages=3):
    sizes = {"m": 128, "n": 128, "k": 512}
    arrays = [np.zeros(shape, np.float16) for shape in ((128, 512), (512, 128), (512, 128), *[(128, 128)] * 4)]
    blocks = [[128, 64], [64, 128], [64, 128], *[[128, 128]] * 4]
    descriptors = [fused_matmuls.descriptor(array, block) for array, block in zip(arrays, blocks, strict=True)]
    options = {"STAGES": stages, "GROUP": 8, "WAITS": waits, "keep_waits": waits != "placed", "num_warps": 8}
    kernel = fused_matmuls.fused_kernel.warmup(*descriptors, *sizes.values(), target="sm_90a", **options)
    return kernel.asm["ptx"]


def groups(text):
    """Commits and waits in order."""
    return [f"{what} {number}".strip() for what, number in re.findall(r"wgmma\.(commit|wait)_group\S*\s*(\d?)", text)]


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_one_wait_in_the_loop_and_one_after_it(stages):
    """A load is `stages` - 1 steps ahead: into the slot of the step before."""
    assert groups(ptx("placed", stages)) == ["commit", "wait 1", "wait 0"]


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_one_wait_before_the_four_uses_of_a_layer(stages):
    report, text = fused_matmuls.report(stages=stages)
    assert groups(text) == ["commit", "wait 1", "wait 0"]
    waits = [point for point in report if point.what.startswith("wait for") and "wgmma" in point.what]
    assert [point.what for point in waits] == ["wait for all wgmmas", "wait for wgmmas that leaves 1 group"]
    assert waits[0].later.what == "use of the result"


def test_wgmmas_of_a_commit_group_share_one_fence():
    """With a fence between them, ptxas makes two groups of them, of which the wait in the loop leaves one."""
    assert ptx("placed").count("wgmma.fence") == 1
    assert ptx("at each use").count("wgmma.fence") == 2


def test_waits_stay_where_they_are_wanted():
    assert groups(ptx("at each use")) == ["commit", "commit", "wait 2", *["wait 0"] * 4]


@ptxas.needed
@pytest.mark.parametrize("waits", fused_matmuls.WAITS)
def test_the_assembler_serializes_nothing(waits):
    """It would say so (C7510), and that it inserts a warpgroup.arrive (C7519)."""
    said = ptxas.messages(ptx(waits))
    assert "wgmma" not in said
    assert "warpgroup" not in said
