"""A float16 matrix product by TMA and wgmma on Hopper, beside cuBLAS and Triton.

    python benchmarks/wgmma.py

The kernels are those of examples/hopper_matmul.py. Inputs are normal-distributed; times are medians of interleaved runs
with the L2 flushed.
"""

import pathlib
import sys

import torch
from interleave import gpu_times, print_table

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
from hopper_matmul import pipelined, product, specialized

# kernel, BM, BN, BK, warps, stages
VARIANTS = [
    (pipelined, 128, 128, 64, 4, 5),
    (pipelined, 128, 256, 64, 8, 4),
    (specialized, 128, 128, 64, 4, 5),
    (specialized, 128, 256, 64, 8, 4),
]


def compare(size: int) -> list[str]:
    from mma import triton_kernel

    a, b = torch.randn(2, size, size, device="cuda", dtype=torch.float16)
    expected = torch.matmul(a, b)
    rivals = {}
    for kernel, bm, bn, bk, warps, stages in VARIANTS:
        c = torch.empty_like(expected)
        run = product(kernel, a, b, c, bm, bn, bk, warps, stages)
        run()
        torch.testing.assert_close(c, expected, atol=0.3, rtol=2e-2)
        rivals[f"{kernel.fn.__name__} {bm}x{bn}x{bk}, {stages} stages"] = run
    out = torch.empty_like(expected)
    rivals["cuBLAS"] = lambda: torch.matmul(a, b)
    rivals["Triton"] = lambda: triton_kernel[(size // 128, size // 128)](
        a, b, out, size, size, size, 128, 128, 64, num_warps=8, num_stages=4
    )
    times = gpu_times(rivals, rounds=60)
    tflops = {name: 2 * size**3 / seconds / 1e12 for name, seconds in times.items()}
    best = max((name for name in tflops if name not in ("cuBLAS", "Triton")), key=tflops.get)
    return [f"{size}^3", *(f"{tflops[name]:.0f}" for name in rivals), f"{tflops[best] / tflops['cuBLAS']:.2f}"]


if __name__ == "__main__":
    sizes = [int(size) for size in sys.argv[1:]] or [2048, 4096, 8192]
    names = [f"{kernel.fn.__name__} {bm}x{bn}" for kernel, bm, bn, *_ in VARIANTS]
    header = ["size", *names, "cuBLAS", "Triton", "best / cuBLAS"]
    print_table("float16 product by TMA and wgmma, TFLOP/s", header, [compare(size) for size in sizes])
