"""MMAs that the compiler divides along M, N and K: each choice of stages gives the bits of the plain loop."""

import importlib.util
import pathlib

import numpy as np
import pytest

from hocket import emulator

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"


def _example():
    spec = importlib.util.spec_from_file_location("plain_gemm_cdna", EXAMPLES / "plain_gemm_cdna.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example = _example()
CFG = example.Config(256, 32, 2, refills=True)
STEPS = 5


def multiplied(schedule, seed=0, **options):
    """Returns the result of a GEMM, and the parts along M, N and K into which its MMA is divided."""
    random = np.random.default_rng(1)
    a = random.standard_normal((CFG.block, STEPS * CFG.block_k)).astype(np.float16)
    b = random.standard_normal((STEPS * CFG.block_k, CFG.block)).astype(np.float16)
    c = np.empty((CFG.block, CFG.block), np.float16)
    cfg = example.dataclasses.replace(CFG, schedule=schedule)
    with emulator.target("gfx950"), emulator.schedule(seed=seed):
        kernel = example.gemm[(1, 1)](a, b, c, CFG.block, STEPS * CFG.block_k, cfg=cfg, num_warps=8, **options)
    schedule = kernel.explain_schedule()
    return c.view(np.uint16), schedule[0].mma_parts if schedule and schedule[0].formed else None


def test_bits_of_the_plain_loop():
    expected, _ = multiplied(None)
    parts = set()
    for choice in range(2, 8):
        for seed in range(2):
            product, divided = multiplied("auto", seed, stage_choice=choice)
            np.testing.assert_array_equal(product, expected)
        parts.add(divided)
    assert {(1, 1, 1), (1, 1, 2)} < parts
    assert any(divided and divided[0] * divided[1] > 1 for divided in parts)


@pytest.mark.parametrize("cfg", example.REFILLING, ids=str)
def test_clocks_of_the_schedule_model(cfg):
    plain, auto = (example.clocks_of(example.dataclasses.replace(cfg, schedule=how)) for how in (None, "auto"))
    undivided = example.clocks_of(cfg, stage_choice=2)
    assert auto < plain
    assert auto <= undivided
