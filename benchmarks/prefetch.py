"""Compares a GEMM with fused multiply-adds on an NVIDIA GPU with and without prefetching by `num_stages`.

    python benchmarks/prefetch.py [--json FILE]

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed. The results of both loops must
be bitwise equal.
"""

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

import hocket
from hocket import language as gl


@hocket.jit
def matmul_kernel(
    a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, VECTOR: gl.constexpr, STAGES: gl.constexpr
):
    """The kernel of tutorials/03_matmul.py; rows are dense."""
    warps_along_n: gl.constexpr = BN // (8 * VECTOR)
    warps: gl.constexpr = [gl.num_warps() // warps_along_n, warps_along_n]
    acc_layout: gl.constexpr = gl.BlockedLayout([VECTOR, VECTOR], [4, 8], warps, [1, 0])
    load_a: gl.constexpr = gl.BlockedLayout([1, 4], [32 * 4 // BK, BK // 4], [gl.num_warps(), 1], [1, 0])
    load_b: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [gl.num_warps(), 1], [1, 0])
    # The kernel reads columns of A, so the padding makes consecutive rows start at different banks.
    shared_a: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BK, 4]], [BM, BK], [1, 0])
    shared_b: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    row0 = gl.program_id(0) * BM
    col0 = gl.program_id(1) * BN
    rows_a = row0 + gl.arange(0, BM, layout=gl.SliceLayout(1, load_a))
    k_a = gl.arange(0, BK, layout=gl.SliceLayout(0, load_a))
    k_b = gl.arange(0, BK, layout=gl.SliceLayout(1, load_b))
    cols_b = col0 + gl.arange(0, BN, layout=gl.SliceLayout(0, load_b))
    smem_a = gl.allocate_shared_memory(a.dtype.element_ty, [BM, BK], shared_a)
    smem_b = gl.allocate_shared_memory(b.dtype.element_ty, [BK, BN], shared_b)
    acc = gl.zeros([BM, BN], gl.float32, acc_layout)
    for k in gl.range(0, K, BK, num_stages=STAGES):
        mask_a = (rows_a < M)[:, None] & (k + k_a < K)[None, :]
        mask_b = (k + k_b < K)[:, None] & (cols_b < N)[None, :]
        tile_a = gl.load(a + rows_a[:, None] * K + (k + k_a)[None, :], mask=mask_a, other=0.0)
        tile_b = gl.load(b + (k + k_b)[:, None] * N + cols_b[None, :], mask=mask_b, other=0.0)
        smem_a.store(tile_a)
        smem_b.store(tile_b)
        operand_a = smem_a.load(gl.DotOperandLayout(0, acc_layout, 0))
        operand_b = smem_b.load(gl.DotOperandLayout(1, acc_layout, 0))
        acc = gl.dot_fma(operand_a, operand_b, acc)
    rows = row0 + gl.arange(0, BM, layout=gl.SliceLayout(1, acc_layout))
    cols = col0 + gl.arange(0, BN, layout=gl.SliceLayout(0, acc_layout))
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    gl.store(c + rows[:, None] * N + cols[None, :], acc, mask=mask)


# (BM, BN, BK, sizes of the box of elements of a lane, warps)
TILES = [(64, 64, 16, 4, 4), (64, 64, 32, 4, 4), (128, 64, 16, 8, 4), (128, 128, 16, 8, 8)]


#: Names of the variants, by `num_stages`.
NAMES = {1: "plain", 2: "2 stages", 3: "3 stages"}


def compare(table: Table, size: int, tile: tuple[int, ...]) -> None:
    bm, bn, bk, vector, warps = tile
    a, b = torch.randn(2, size, size, device="cuda")
    c = torch.empty_like(a)
    grid = (hocket.cdiv(size, bm), hocket.cdiv(size, bn))

    def run(stages: int):
        matmul_kernel[grid](
            a, b, c, size, size, size, BM=bm, BN=bn, BK=bk, VECTOR=vector, STAGES=stages, num_warps=warps
        )

    results = {}
    for stages in NAMES:
        c.fill_(float("nan"))
        run(stages)
        results[stages] = c.clone()
        assert torch.equal(results[stages], results[1]), f"{stages} stages change the result"
    torch.testing.assert_close(results[1], (a.double() @ b.double()).float(), rtol=1e-3, atol=1e-2)
    seconds = gpu_times({name: lambda stages=stages: run(stages) for stages, name in NAMES.items()}, rounds=100)
    table.add(
        f"{size}, {bm}x{bn}x{bk}, {warps} warps",
        {name: 2 * size**3 / time / 1e12 for name, time in seconds.items()},
        seconds=seconds,
        dtype="float32",
        m=size,
        n=size,
        k=size,
        tile=[bm, bn, bk],
        num_warps=warps,
    )


def main() -> None:
    results = Results("prefetch", inputs=NORMAL, method=INTERLEAVED)
    options = results.options(__doc__)
    torch.manual_seed(0)
    title = f"float32 GEMMs without tensor cores on {torch.cuda.get_device_name()}"
    table = results.table("stages", title, "TFLOP/s", ours=tuple(NAMES.values()))
    for size in (1024, 4096):
        for tile in TILES:
            compare(table, size, tile)
    table.show(2)
    results.save(options)


if __name__ == "__main__":
    main()
