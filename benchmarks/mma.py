"""Compares a float16 GEMM with mma.sync and cp.async on an NVIDIA GPU with cuBLAS and Triton.

    python benchmarks/mma.py [--json FILE]

Hocket's kernel is a simple loop: it copies tiles asynchronously to swizzled shared memory, and loads operands from
shared memory without ldmatrix. The compiler overlaps `num_stages` iterations of the loop. Inputs are
normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import torch
import triton
import triton.language as tl
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mma_v2


@hocket.jit
def hocket_kernel(
    a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, WARPS: gl.constexpr, STAGES: gl.constexpr
):
    """Computes c = a x b. M, N and K are multiples of the tile sizes."""
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([2, 0], WARPS, [16, 8])
    copy_a: gl.constexpr = gl.BlockedLayout([1, 8], [256 // BK, BK // 8], [gl.num_warps(), 1], [1, 0])
    copy_b: gl.constexpr = gl.BlockedLayout([1, 8], [2, 16], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(8, 1, BK // 8, [1, 0])
    row, column = gl.program_id(0) * BM, gl.program_id(1) * BN
    rows_a = row + gl.arange(0, BM, layout=gl.SliceLayout(1, copy_a))
    columns_a = gl.arange(0, BK, layout=gl.SliceLayout(0, copy_a))
    rows_b = gl.arange(0, BK, layout=gl.SliceLayout(1, copy_b))
    columns_b = column + gl.arange(0, BN, layout=gl.SliceLayout(0, copy_b))
    a_tile = gl.allocate_shared_memory(gl.float16, [BM, BK], shared)
    b_tile = gl.allocate_shared_memory(gl.float16, [BK, BN], gl.SwizzledSharedLayout(8, 1, 8, [1, 0]))
    pointers_a = a + rows_a[:, None] * K + columns_a[None, :]
    pointers_b = b + rows_b[:, None] * N + columns_b[None, :]
    acc = gl.zeros([BM, BN], gl.float32, acc_layout)
    for k in gl.range(0, K, BK, num_stages=STAGES):
        async_copy.async_load(a_tile, pointers_a + k)
        async_copy.async_load(b_tile, pointers_b + k * N)
        async_copy.commit_group()
        async_copy.wait_group(0)
        left = a_tile.load(gl.DotOperandLayout(0, acc_layout, 2))
        right = b_tile.load(gl.DotOperandLayout(1, acc_layout, 2))
        acc = mma_v2(left, right, acc)
    rows = row + gl.arange(0, BM, layout=gl.SliceLayout(1, acc_layout))
    columns = column + gl.arange(0, BN, layout=gl.SliceLayout(0, acc_layout))
    gl.store(c + rows[:, None] * N + columns[None, :], acc.to(gl.float16))


@triton.jit
def triton_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Computes c = a x b in Triton, which uses wgmma on Hopper."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * N + columns[None, :])
        acc = tl.dot(left, right, acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc.to(tl.float16))


# Configurations: BM, BN, BK, warps along M and along N, stages.
VARIANTS = [(128, 128, 32, (2, 2), 3), (128, 128, 64, (2, 2), 3), (128, 128, 32, (2, 4), 3), (128, 256, 32, (2, 4), 3)]


def compare(table: Table, size: int) -> None:
    a, b = torch.randn(2, size, size, device="cuda", dtype=torch.float16)
    expected = torch.matmul(a, b)

    def ours(variant):
        bm, bn, bk, warps, stages = variant
        c = torch.empty_like(expected)
        launch = hocket_kernel[(size // bm, size // bn)]

        def run():
            launch(a, b, c, size, size, size, bm, bn, bk, warps, stages, num_warps=warps[0] * warps[1])
            return c

        return run

    out = torch.empty_like(expected)
    rivals = {str(variant): ours(variant) for variant in VARIANTS}
    for run in rivals.values():
        torch.testing.assert_close(run(), expected, atol=0.3, rtol=2e-2)
    rivals["cuBLAS"] = lambda: torch.matmul(a, b)
    rivals["Triton"] = lambda: triton_kernel[(size // 128, size // 128)](
        a, b, out, size, size, size, 128, 128, 64, num_warps=8, num_stages=3
    )
    times = gpu_times(rivals, rounds=60)
    best = min((name for name in times if name.startswith("(")), key=times.get)
    times = {"Hocket": times[best], "cuBLAS": times["cuBLAS"], "Triton": times["Triton"]}
    rates = {name: 2 * size**3 / seconds / 1e12 for name, seconds in times.items()}
    case = {"dtype": "float16", "m": size, "n": size, "k": size, "variant": best}
    table.add(f"{size}^3, {best}", rates, seconds=times, **case)


def main() -> None:
    results = Results("mma", inputs=NORMAL, method=INTERLEAVED)
    options = results.options(__doc__)
    table = results.table("square", "float16 GEMM by mma.sync, the best variant", "TFLOP/s")
    for size in (2048, 4096):
        compare(table, size)
    table.show()
    results.save(options)


if __name__ == "__main__":
    main()
