"""A GEMM for CDNA4 as a plain loop over the quadrants of its tile of C.

The loop has the data flow of `hocket.kernels.matmul`: it reads half of a k-tile of A or B, refills the buffer of a half
that has been read with the k-tile after the next, and multiplies a quadrant of the tile. `schedule` chooses:

    None      the loop as it is: both groups of warps execute the same code at the same time
    "auto"    stages that the compiler forms, with `gl.range(..., warp_pipeline="auto")`

    python plain_quadrants_cdna.py

prints the clocks of an iteration by the schedule model of the machine code, beside those of the stages that `matmul`
has. The model ranks schedules; it is not the speed of any GPU.
"""

import numpy as np

import hocket
from hocket import language as gl
from hocket.kernels._matmul.kernel_cdna import Output, mma, tile_origin
from hocket.kernels._matmul.kernel_cdna_quadrants import (
    IN_FLIGHT,
    Quadrants,
    empty_quadrant,
    fill_rings,
    halves_of_a,
    halves_of_b,
    matmul_pipelined_quadrants,
    multiply_k_tile,
)
from hocket.kernels._matmul.layouts_cdna import configure
from hocket.kernels._matmul.plan_cdna import CdnaPlan
from hocket.kernels._matmul.tiles_cdna import Tile
from hocket.kernels._matmul.variant_cdna import choose_variant
from hocket.language.amd.cdna4 import async_copy

#: Tile of C: rows, columns, warps along the rows and along the columns. `LDS`: bytes of LDS of a compute unit.
TILE, LDS = Tile(256, 256, 2, 4), 163840
#: For each operand, whether its rows are contiguous: of A and of B.
ORDERS = {"A B": (True, True), "A B^T": (True, False), "A^T B": (False, True)}


@hocket.jit
def gemm(a, b, c, a_strides, b_strides, c_strides, M, N, K, cfg: gl.constexpr, HOW: gl.constexpr):
    """C = A x B for two k-tiles or more."""
    row0, col0 = tile_origin(M, N, cfg)
    a, b = halves_of_a(a, row0, M, a_strides, 2, cfg), halves_of_b(b, col0, N, b_strides, 2, cfg)
    acc00, acc01, acc11, acc10 = empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg), empty_quadrant(cfg)
    a, b = fill_rings(a, b, K, cfg)
    steps = gl.cdiv(K, cfg.block_k) - 2
    async_copy.wait_group(IN_FLIGHT)
    a0 = a.buffer(0, 0).load(cfg.operand_a)
    for step in gl.range(steps, warp_pipeline=HOW):
        k_left = K - (step + 2) * cfg.block_k
        b0 = b.buffer(0, step).load(cfg.operand_b)
        a.copy(0, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc00 = mma(a0, b0, acc00, cfg)
        b1 = b.buffer(1, step).load(cfg.operand_b)
        b.copy(0, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc01 = mma(a0, b1, acc01, cfg)
        a1 = a.buffer(1, step).load(cfg.operand_a)
        b.copy(1, step + 2, k_left, cfg)
        async_copy.wait_group(IN_FLIGHT)
        acc11 = mma(a1, b1, acc11, cfg)
        a0 = a.buffer(0, step + 1).load(cfg.operand_a)
        a.copy(1, step + 2, k_left, cfg)
        a, b = a.next(), b.next()
        async_copy.wait_group(IN_FLIGHT)
        acc10 = mma(a1, b0, acc10, cfg)
    async_copy.wait_group(0)
    acc = Quadrants(acc00, acc01, acc10, acc11)
    for last in range(2):
        acc = multiply_k_tile(a, b, steps + last, acc, cfg)
    acc.store(Output(c, None, M, N, c_strides), row0, col0, cfg)


def configured(k, order):
    """The compile-time parameters for operands with K = `k` and rows as in `order`, an element of ORDERS."""
    a_rows, b_rows = order
    plan = CdnaPlan(TILE, *choose_variant(TILE, k, 16, None, LDS))
    return configure(plan, "gfx950", gl.float16, LDS, k, a_rows, not b_rows)


def strides_of(m, n, k, order):
    """The strides of A, B and C."""
    a_rows, b_rows = order
    return (k, 1) if a_rows else (1, m), (n, 1) if b_rows else (1, k), (n, 1)


def matmul(a, b, schedule="auto"):
    """Returns a @ b as float32, for row-major float16 arrays with two k-tiles or more."""
    (m, k), n = a.shape, b.shape[1]
    order, c = ORDERS["A B"], np.empty((m, n), np.float32)
    grid = (hocket.cdiv(m, TILE.m) * hocket.cdiv(n, TILE.n),)
    arguments = a, b, c, *strides_of(m, n, k, order), m, n, k
    gemm[grid](*arguments, cfg=configured(k, order), HOW=schedule, num_warps=TILE.num_warps)
    return c


def compiled(schedule, order, size=4096, **options):
    """Compiles the kernel for gfx950, without a GPU; with the schedule "written", the kernel of `matmul`."""
    arrays, strides, sizes = [gl.float16] * 3, strides_of(size, size, size, order), [size] * 3
    options |= {"cfg": configured(size, order), "num_warps": TILE.num_warps, "target": "gfx950"}
    if schedule == "written":
        return matmul_pipelined_quadrants.warmup(*arrays, None, *strides, (0, 0, 0), *sizes, **options)
    return gemm.warmup(*arrays, *strides, *sizes, HOW=schedule, **options)


def clocks_of(kernel):
    """Clocks of an iteration by the schedule model of the machine code."""
    schedule = kernel.report().schedule
    assert schedule, "the report on an AMD kernel has a schedule"
    return schedule.clocks


def main():
    print("clocks of an iteration   plain  auto  written")
    for name, order in ORDERS.items():
        plain, auto, written = (clocks_of(compiled(how, order)) for how in (None, "auto", "written"))
        print(f"{name:<24} {plain:6.0f} {auto:5.0f} {written:8.0f}")


if __name__ == "__main__":
    main()
