"""Compares a GEMM whose loop over K is a nest of two loops, with `num_stages` at the inner loop or at both loops.

    python benchmarks/prefetched_nests.py [--json FILE]

The nest resembles that of a convolution, whose outer loop is over the elements of a filter, and whose inner loop is
over channels. With `num_stages` at the inner loop, each iteration of the outer loop waits for its first copies. With
`num_stages` at both loops, the nest becomes one loop. "one loop" is the same GEMM written with a single loop. The
kernel uses mma.sync and cp.async. Inputs are normal-distributed; times are medians of interleaved runs with the L2
flushed. The results of all forms must be bitwise equal.
"""

import torch
from interleave import gpu_times
from mma import hocket_kernel
from results import INTERLEAVED, NORMAL, Results, Table

import hocket
from hocket import language as gl
from hocket.language.nvidia.ampere import async_copy, mma_v2


@hocket.jit
def nest_kernel(
    a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, WARPS: gl.constexpr,
    INNER_TILES: gl.constexpr, OUTER: gl.constexpr, INNER: gl.constexpr,
):  # fmt: skip
    """Computes c = a x b like `mma.hocket_kernel`, by a nest whose inner loop has INNER_TILES iterations."""
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
    for start in gl.range(0, K, BK * INNER_TILES, num_stages=OUTER):
        for tile in gl.range(INNER_TILES, num_stages=INNER):
            k = start + tile * BK
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


STAGES, TILE, WARPS = 3, {"BM": 128, "BN": 128, "BK": 32}, (2, 4)
#: Names of the forms, with `num_stages` of the outer and of the inner loop. "one loop" has no nest.
FORMS = {"not prefetched": (1, 1), "inner loop": (1, STAGES), "both loops": (STAGES, STAGES), "one loop": None}


def compare(table: Table, size: int, inner_tiles: int) -> None:
    a, b = torch.randn(2, size, size, device="cuda", dtype=torch.float16)
    c = torch.empty_like(a)
    grid = (size // TILE["BM"], size // TILE["BN"])

    def run(form: tuple[int, int] | None):
        if form is None:
            hocket_kernel[grid](a, b, c, size, size, size, **TILE, WARPS=WARPS, STAGES=STAGES, num_warps=8)
            return
        outer, inner = form
        nest_kernel[grid](
            a, b, c, size, size, size, **TILE, WARPS=WARPS, INNER_TILES=inner_tiles, OUTER=outer, INNER=inner,
            num_warps=8,
        )  # fmt: skip

    results = []
    for form in FORMS.values():
        c.fill_(float("nan"))
        run(form)
        results.append(c.clone())
        assert torch.equal(results[-1], results[0]), f"num_stages {form} changes the result"
    torch.testing.assert_close(results[0], a @ b, rtol=1e-2, atol=0.5)
    seconds = gpu_times({name: lambda form=form: run(form) for name, form in FORMS.items()}, rounds=20)
    table.add(
        f"{size}, inner loop of {inner_tiles}",
        {name: 2 * size**3 / time / 1e12 for name, time in seconds.items()},
        seconds=seconds,
        dtype="float16",
        m=size,
        n=size,
        k=size,
        inner_tiles=inner_tiles,
    )


def main() -> None:
    results = Results("prefetched_nests", inputs=NORMAL, method=INTERLEAVED)
    options = results.options(__doc__)
    torch.manual_seed(0)
    title = f"float16 GEMMs by mma.sync in a nest of two loops on {torch.cuda.get_device_name()}"
    table = results.table("forms", title, "TFLOP/s", ours=tuple(FORMS))
    for inner_tiles in (4, 8, 32):
        compare(table, 4096, inner_tiles)
    table.show(1)
    results.save(options)


if __name__ == "__main__":
    main()
