"""examples/hopper_pipelined.py: GEMM and attention as plain loops, with stages, and with a producer warp."""

import re

import hopper_pipelined as example
import numpy as np
import ptxas
import pytest
from gemm_operands import gemm_operands

from hocket import emulator


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("steps", [1, 2, 7])
@pytest.mark.parametrize("form", example.FORMS)
def test_gemm(form, steps, seed):
    a, b = gemm_operands(128, 64, 64 * steps)
    c = np.zeros((128, 64), np.float16)
    with emulator.target("sm_90a", seed=seed):
        example.multiplied(a, b, c, form, bn=64)()
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=0.05, rtol=2e-3)


@pytest.mark.parametrize("blocks", [2, 3, 8])
@pytest.mark.parametrize("form", example.FORMS)
def test_attention(form, blocks):
    random = np.random.default_rng(blocks)
    q, k, v = (random.standard_normal((1, 64 * blocks, 64)).astype(np.float16) for _ in range(3))
    if blocks % 2:
        q, k, v = (np.concatenate([x, x], axis=1) for x in (q, k, v))
    out = np.zeros_like(q)
    with emulator.target("sm_90a", seed=blocks):
        example.attended(q, k, v, out, form)()
    np.testing.assert_allclose(out, example.expected_attention(q, k, v), atol=5e-3)


def ptx(form, size=64):
    x = np.zeros((256, 256), np.float16)
    blocks = [128, 64], [64, 128], [128, 128]
    descriptors = [example.descriptor(x, block) for block in blocks]
    options = {"STAGES": 4, "GROUP": 8, "FORM": form, "num_warps": 8}
    gemm = example.gemm.warmup(*descriptors, 256, 256, 256, target="sm_90a", **options)
    rows = np.zeros((256, size), np.float16)
    tiles = [example.descriptor(rows, block) for block in ([128, size], [size, size], [size, size])]
    options = {"STAGES": 3, "FORM": form, "num_warps": 8}
    attention = example.attention.warmup(*tiles, rows, 256, 0.125, target="sm_90a", **options)
    return gemm.asm["ptx"], attention.asm["ptx"]


@pytest.mark.parametrize(
    ("form", "barriers"),
    [("plain", 0), ("stages", 4), ("exclusive", 2), ("specialized", 0), ("specialized exclusive", 2)],
)
def test_only_stages_have_barriers_of_their_own(form, barriers):
    """Slots, and the barriers before and after the pipeline; or the wait of an exclusive stage, and the last one."""
    for text in ptx(form):
        assert len(re.findall(r"bar\.sync\s+(?:%r\d+|[2-9]), 256", text)) == barriers


@ptxas.needed
@pytest.mark.parametrize("form", example.FORMS)
def test_the_assembler_serializes_nothing(form):
    for size in (64, 128):
        for text in ptx(form, size):
            said = ptxas.messages(text)
            assert "wgmma" not in said
            assert "warpgroup" not in said
