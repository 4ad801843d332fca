"""examples/plain_registers_cdna.py: stages that the compiler forms of loops that copy through registers, on CDNA3."""

import numpy as np
import plain_registers_cdna as example
import pytest

import hocket
from hocket import emulator
from hocket import language as gl
from hocket.kernels._matmul.kernel_cdna import Output, k_tiles_of_a, k_tiles_of_b, multiply, tile_origin

SCHEDULES = ((None, 0), ("auto", 0), ("auto", 1))


def test_gemm():
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (256, 256)).astype(np.float16)
    b = random.integers(-4, 5, (256, 256)).astype(np.float16)
    for schedule, seed in SCHEDULES:
        with emulator.target("gfx942"), emulator.schedule(seed=seed):
            np.testing.assert_array_equal(example.matmul(a, b, schedule), a.astype(np.float32) @ b.astype(np.float32))


def expected_attention(q, k, v):
    scores = np.einsum("bhqd,bhkd->bhqk", q, k, dtype=np.float64) * q.shape[-1] ** -0.5
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhqk,bhkd->bhqd", p / p.sum(axis=-1, keepdims=True), v)


@pytest.mark.parametrize("head_size", example.HEAD_SIZES)
def test_attention(head_size):
    random = np.random.default_rng(head_size)
    q, k, v = (random.standard_normal((1, 1, rows, head_size)).astype(np.float16) for rows in (200, 256, 256))
    results = []
    for schedule, seed in SCHEDULES:
        with emulator.target("gfx942"), emulator.schedule(seed=seed):
            results.append(example.attention(q, k, v, schedule))
    np.testing.assert_allclose(results[0], expected_attention(q, k, v), rtol=2e-2, atol=2e-3)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_keys_that_are_no_whole_blocks():
    q = np.zeros((1, 1, 256, 64), np.float16)
    for keys in (64, 130):
        k = np.zeros((1, 1, keys, 64), np.float16)
        with pytest.raises(ValueError, match=f"{keys} keys are not two or more blocks of 64"):
            example.attention(q, k, k)


@pytest.mark.parametrize("order", example.ORDERS)
def test_clocks_of_the_gemm(order):
    kernel = example.compiled_gemm("auto", example.ORDERS[order])
    stages = kernel.explain_schedule()[0].best.stages
    assert [stage.label.startswith("matrix") for stage in stages] == [False, True] * 4
    plain, written = (example.clocks_of(example.compiled_gemm(how, example.ORDERS[order])) for how in (None, "written"))
    assert example.clocks_of(kernel) <= 1.02 * written
    assert example.clocks_of(kernel) < 0.85 * plain
    assert kernel.report().resources["registers_spilled"] == 0


@pytest.mark.parametrize("head_size", example.HEAD_SIZES)
def test_clocks_of_attention(head_size):
    plain, auto, written = (
        example.clocks_of(example.compiled_attention(how, head_size)) for how in (None, "auto", "written")
    )
    assert auto <= 1.02 * written
    assert auto < 0.8 * plain


@hocket.jit
def prefetched_gemm(
    a, b, c, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr, HOW: gl.constexpr, STAGES: gl.constexpr
):
    """A GEMM whose iterations copy a k-tile through registers, and multiply it: `num_stages` does the rest."""
    row0, col0 = tile_origin(M, N, cfg)
    a_tiles, b_tiles = k_tiles_of_a(a, row0, M, a_strides, cfg), k_tiles_of_b(b, col0, N, b_strides, cfg)
    a_tile = gl.allocate_shared_memory(a.dtype.element_ty, [cfg.part_m, cfg.block_k], cfg.shared_a)
    b_tile = gl.allocate_shared_memory(b.dtype.element_ty, [cfg.block_k, cfg.part_n], cfg.shared_b)
    acc = gl.zeros([cfg.part_m, cfg.part_n], gl.float32, cfg.acc)
    for step in gl.range(gl.cdiv(K, cfg.block_k), num_stages=STAGES, warp_pipeline=HOW):
        k_left = K - step * cfg.block_k
        a_tile.store(a_tiles.load(k_left, cfg))
        b_tile.store(b_tiles.load(k_left, cfg))
        a_tiles, b_tiles = a_tiles.next(), b_tiles.next()
        acc = multiply(a_tile, b_tile, acc, cfg)
    Output(c, None, M, N, c_strides).store(acc, row0, col0, cfg)


def test_num_stages():
    """The compiler forms stages of the loop that it has prefetched, and of no other."""
    random = np.random.default_rng(2)
    for k in (64, 128, 320):
        a = random.standard_normal((128, k)).astype(np.float16)
        b = random.standard_normal((k, 128)).astype(np.float16)
        cfg, results = example.config_of_gemm(k, example.ORDERS["A B"]), []
        for how, stages, seed in ((None, 1, 0), ("auto", 3, 0), ("auto", 3, 1)):
            c = np.full((128, 128), np.nan, np.float32)
            strides = example.strides_of(128, 128, k, example.ORDERS["A B"])
            with emulator.target("gfx942"), emulator.schedule(seed=seed):
                kernel = prefetched_gemm[(1,)](
                    a, b, c, *strides, 128, 128, k, cfg=cfg, HOW=how, STAGES=stages, num_warps=8
                )
            results.append(c)
        (loop,) = kernel.explain_schedule()
        assert loop.formed, loop
        np.testing.assert_allclose(results[0], a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)
        np.testing.assert_array_equal(results[1], results[0])
        np.testing.assert_array_equal(results[2], results[0])
