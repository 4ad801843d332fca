"""A GEMM of MXFP8 for CDNA4 as a plain loop; the compiler forms its stages.

The loop has the data flow of `hocket.kernels.matmul_scaled`: it reads half of a k-tile of A or B, refills the buffer of
a half that has been read with the k-tile after the next, and multiplies a quadrant of the tile. `schedule` chooses:

    None      the loop as it is: both groups of warps execute the same code at the same time
    "auto"    stages that the compiler forms, with `gl.range(..., warp_pipeline="auto")`

    python plain_scaled_gemm_cdna.py

prints the clocks of an iteration by the schedule model of the machine code, beside those of the stages that
`matmul_scaled` has, and the stages that the compiler formed. The model ranks schedules; it is not the speed of any GPU.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels._matmul.host_scaled import FORMATS, choose_scaled_plan, configure_scaled
from hocket.kernels._matmul.kernel_cdna import Output, tile_origin
from hocket.kernels._matmul.kernel_cdna_quadrants import Quadrants, empty_quadrant, fill_rings, halves_of_a, halves_of_b
from hocket.kernels._matmul.kernel_scaled import scaled_mma, scaled_pipelined_quadrants, scales_of_a, scales_of_b
from hocket.language.amd.cdna4 import async_copy

#: Number of halves of k-tiles that may be in flight while the half before them is waited for.
IN_FLIGHT: gl.constexpr = 6


@hocket.jit
def scaled_gemm(
    a, b, c, bias, a_scales, b_scales, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr, HOW: gl.constexpr
):  # fmt: skip
    """C = (A * scales of A) x (B * scales of B), for two k-tiles or more."""
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    k_tiles = gl.cdiv(K, cfg.block_k)
    of_a0 = scales_of_a(a_scales, row0, k_tiles, cfg)
    of_a1 = scales_of_a(a_scales, row0 + cfg.part_m, k_tiles, cfg)
    of_b0 = scales_of_b(b_scales, col0, k_tiles, cfg)
    of_b1 = scales_of_b(b_scales, col0 + cfg.part_n, k_tiles, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a0_scales = of_a0.load(0, cfg)
    b0_scales, b1_scales = of_b0.load(0, cfg), of_b1.load(0, cfg)
    a, b = fill_rings(a, b, K, cfg)
    async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    for step in gl.range(k_tiles - 2, warp_pipeline=HOW):
        k_left = K - (step + 2) * cfg.block_k
        b0 = b.buffer(0, step).load(cfg.operand_b)
        a1_scales = of_a1.load(step, cfg)
        a.copy(0, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        b1 = b.buffer(1, step).load(cfg.operand_b)
        b0_next = of_b0.load(step + 1, cfg)
        b.copy(0, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        a1 = a.buffer(1, step).load(cfg.operand_a)
        a0_scales = of_a0.load(step + 1, cfg)
        b.copy(1, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        a0 = a.buffer(0, step + 1).load(cfg.operand_a)
        b1_scales = of_b1.load(step + 1, cfg)
        a.copy(1, step + 2, k_left, cfg)
        a, b = a.next(), b.next()
        async_copy.wait_group(IN_FLIGHT)
        acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
        b0_scales = b0_next
    async_copy.wait_group(0)
    for last in range(2):
        step = k_tiles - 2 + last
        a0, b0 = a.buffer(0, step).load(cfg.operand_a), b.buffer(0, step).load(cfg.operand_b)
        a0_scales, b0_scales = of_a0.load(step, cfg), of_b0.load(step, cfg)
        acc00 = scaled_mma(a0, a0_scales, b0, b0_scales, acc00, cfg)
        b1, b1_scales = b.buffer(1, step).load(cfg.operand_b), of_b1.load(step, cfg)
        acc01 = scaled_mma(a0, a0_scales, b1, b1_scales, acc01, cfg)
        a1, a1_scales = a.buffer(1, step).load(cfg.operand_a), of_a1.load(step, cfg)
        acc11 = scaled_mma(a1, a1_scales, b1, b1_scales, acc11, cfg)
        acc10 = scaled_mma(a1, a1_scales, b0, b0_scales, acc10, cfg)
    Quadrants(acc00, acc01, acc10, acc11).store(Output(c, bias, M, N, c_strides), row0, col0, cfg)


def configured(m, n, k, dtype="float8_e4m3fn"):
    """The plan and the compile-time parameters for an M x K times K x N GEMM. `k` counts stored bytes."""
    elements = FORMATS[dtype]
    plan = choose_scaled_plan(4096, 4096, 4096, elements, "gfx950")
    return plan, configure_scaled(plan, "gfx950", elements, k)


def matmul_scaled(a, a_scales, b, b_scales, schedule="auto"):
    """Returns the GEMM of microscaled matrices as float32. The arrays are those of `hocket.kernels.matmul_scaled`."""
    (m, k), n = a.shape, b.shape[1]
    plan, cfg = configured(m, n, k, a.dtype.name)
    c = np.empty((m, n), np.float32)
    grid = (hocket.cdiv(m, plan.tile.m) * hocket.cdiv(n, plan.tile.n),)
    strides = (k, 1), (1, k), (n, 1)
    arguments = a, b, c, None, a_scales, b_scales, *strides, m, n, k
    scaled_gemm[grid](*arguments, cfg=cfg, HOW=schedule, num_warps=plan.tile.num_warps)
    return c


def compiled(schedule, dtype="float8_e4m3fn", size=4096, **options):
    """Compiles the kernel for gfx950, without a GPU; with the schedule "written", the kernel of `matmul_scaled`."""
    elements = FORMATS[dtype]
    k = size // elements.per_byte
    plan, cfg = configured(size, size, k, dtype)
    arrays = elements.stored, elements.stored, gl.bfloat16, None, gl.uint8, gl.uint8
    arguments = *arrays, (k, 1), (1, k), (size, 1), size, size, k
    options |= {"cfg": cfg, "num_warps": plan.tile.num_warps, "target": "gfx950"}
    if schedule == "written":
        return scaled_pipelined_quadrants.warmup(*arguments, **options)
    return scaled_gemm.warmup(*arguments, HOW=schedule, **options)


def clocks_of(kernel):
    """Clocks of an iteration by the schedule model of the machine code."""
    schedule = kernel.report().schedule
    assert schedule, "the report on an AMD kernel has a schedule"
    return schedule.clocks


def main():
    print("clocks of an iteration   plain  auto  written")
    for dtype in ("float8_e4m3fn", "uint8"):
        plain, auto, written = (clocks_of(compiled(how, dtype)) for how in (None, "auto", "written"))
        print(f"{dtype:<24} {plain:6.0f} {auto:5.0f} {written:8.0f}")
    print(compiled("auto").explain_schedule()[0])


if __name__ == "__main__":
    main()
