"""Peers with which `matmul.py` compares Hocket, besides cuBLAS: quack's gemm and a persistent Triton kernel. For each
size, the fastest of a few tile shapes is chosen by measurement.
"""

from __future__ import annotations

from functools import partial

from interleave import gpu_times

try:
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    triton = None

try:
    from quack.gemm_config import GemmConfig
    from quack.gemm_interface import gemm_tuned
except ImportError:
    gemm_tuned = None

#: Number of runs of each configuration of a peer, to choose the fastest configuration.
TRIAL_ROUNDS = 5

#: Configurations: rows and columns of a tile, True for ping-pong of two warpgroups, blocks of a cluster along rows and
#: along columns. The first configuration is quack's default on Hopper, and the others are from quack's tuning list.
QUACK_TILES = (
    (128, 192, True, 2, 1),
    (128, 128, True, 2, 1),
    (128, 256, False, 2, 1),
    (128, 256, False, 1, 2),
    (256, 128, False, 2, 1),
    (256, 192, False, 2, 1),
)

#: Configurations: rows and columns of a tile, stages, warps, epilogue subtiles. These are the configurations of
#: Triton's tutorial 09 whose k-tiles are as wide as a cache line. The tutorial's option `warp_specialize` has no
#: effect, because Triton 3.6 does not specialize warps for sm_90.
TRITON_TILES = (
    (128, 256, 3, 8, 1),
    (128, 256, 4, 8, 2),
    (128, 128, 4, 4, 1),
    (128, 128, 4, 8, 1),
)


def best_of(candidates):
    """Returns the fastest of several functions without arguments. Functions that raise an error are left out; if all
    fail, returns None."""
    working = {}
    for name, run in candidates.items():
        try:
            run()
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error)[:200]}")
        else:
            working[name] = run
    if not working:
        return None
    times = gpu_times(working, rounds=TRIAL_ROUNDS, warmup=1)
    return working[min(times, key=times.get)]


def peers(a, b, out):
    """Returns a function for each installed library, by name, that writes a x b to `out`. The rows of all matrices are
    contiguous."""
    best = {}
    if gemm_tuned is not None:
        best["quack"] = best_of({f"quack {tile}": partial(run_quack, a, b, out, tile) for tile in QUACK_TILES})
    if triton is not None:
        best["Triton"] = best_of({f"Triton {tile}": prepare_triton(a, b, out, tile) for tile in TRITON_TILES})
    return {name: run for name, run in best.items() if run is not None}


def run_quack(a, b, out, tile):
    rows, columns, ping_pong, cluster_m, cluster_n = tile
    config = GemmConfig(
        tile_m=rows,
        tile_n=columns,
        pingpong=ping_pong,
        cluster_m=cluster_m,
        cluster_n=cluster_n,
        is_dynamic_persistent=False,  # the value in quack's tuning list for Hopper
    )
    gemm_tuned.fn(a, b, out, config=config)


def prepare_triton(a, b, out, tile):
    """Returns a function without arguments. Its descriptors are made only once, as a program does for weights."""
    import torch

    rows, columns, stages, warps, parts = tile
    (m, k), n, step = a.shape, b.shape[1], 64
    blocks = min(torch.cuda.get_device_properties(a.device).multi_processor_count, -(-m // rows) * -(-n // columns))
    descriptors = (
        TensorDescriptor.from_tensor(a, [rows, step]),
        TensorDescriptor.from_tensor(b, [step, columns]),
        TensorDescriptor.from_tensor(out, [rows, columns // parts]),
    )
    sizes = {"M": rows, "N": columns, "K": step, "GROUP": 8, "PARTS": parts}
    return lambda: triton_product[(blocks,)](*descriptors, m, n, k, **sizes, num_warps=warps, num_stages=stages)


if triton is not None:

    @triton.jit
    def triton_product(
        a,
        b,
        c,
        m,
        n,
        k,
        M: tl.constexpr,
        N: tl.constexpr,
        K: tl.constexpr,
        GROUP: tl.constexpr,
        PARTS: tl.constexpr,
    ):
        """The kernel `matmul_kernel_tma_persistent` of Triton's tutorial 09."""
        rows, columns = tl.cdiv(m, M), tl.cdiv(n, N)
        first, stride, tiles = tl.program_id(0), tl.num_programs(0), rows * columns
        for tile in tl.range(first, tiles, stride, flatten=True):
            group = tile // (GROUP * columns)
            height = min(rows - group * GROUP, GROUP)
            row = (group * GROUP + tile % (GROUP * columns) % height) * M
            column = tile % (GROUP * columns) // height * N
            acc = tl.zeros((M, N), dtype=tl.float32)
            for step in range(tl.cdiv(k, K)):
                acc = tl.dot(a.load([row, step * K]), b.load([step * K, column]), acc)
            if PARTS == 2:
                left, right = tl.split(tl.permute(tl.reshape(acc, (M, 2, N // 2)), (0, 2, 1)))
                c.store([row, column], left.to(c.dtype))
                c.store([row, column + N // 2], right.to(c.dtype))
            else:
                c.store([row, column], acc.to(c.dtype))
