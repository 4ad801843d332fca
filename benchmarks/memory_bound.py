"""Compares vector add and softmax on a GPU with PyTorch and with equivalent Triton kernels.

    python benchmarks/memory_bound.py [--json FILE]

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed. The bandwidth counts one read
of each input and one write of each output.
"""

import torch
import triton
import triton.language as tl
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

import hocket
from hocket import language as gl


@hocket.jit
def add_kernel(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = i < n
    gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)


@triton.jit
def triton_add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@hocket.jit
def softmax_kernel(x, out, stride, cols, BLOCK: gl.constexpr, VECTOR: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(VECTOR)
    row = gl.program_id(0)
    j = gl.arange(0, BLOCK, layout=layout)
    mask = j < cols
    values = gl.load(x + row * stride + j, mask=mask, other=-float("inf")).to(gl.float32)
    numerator = gl.exp(values - gl.max(values, axis=0))
    result = numerator / gl.sum(numerator, axis=0)
    gl.store(out + row * stride + j, result.to(out.dtype.element_ty), mask=mask)


@triton.jit
def triton_softmax_kernel(x, out, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    mask = j < cols
    values = tl.load(x + row * stride + j, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(values - tl.max(values, axis=0))
    result = numerator / tl.sum(numerator, axis=0)
    tl.store(out + row * stride + j, result.to(out.dtype.element_ty), mask=mask)


# All implementations write to one buffer, because the address of the output affects the time by up to 1 %.


def vector_add(table: Table, n: int) -> None:
    x, y = torch.randn(2, n, device="cuda")
    out = torch.empty_like(x)
    grid = (hocket.cdiv(n, 1024),)
    rivals = {
        "Hocket": lambda: add_kernel[grid](x, y, out, n, BLOCK=1024, num_warps=4),
        "PyTorch": lambda: torch.add(x, y, out=out),
        "Triton": lambda: triton_add_kernel[grid](x, y, out, n, BLOCK=1024, num_warps=4),
    }
    check(rivals["Hocket"], out, x + y)
    add(table, f"vector add f32 2^{n.bit_length() - 1}", 3 * 4 * n, gpu_times(rivals), dtype="float32", n=n)


def softmax(table: Table, rows: int, cols: int) -> None:
    """Measures the kernels of Hocket and Triton, each with the number of warps for which it is fastest."""
    x = torch.randn(rows, cols, device="cuda").bfloat16()
    out = torch.empty_like(x)
    rivals = {"PyTorch": lambda: torch.softmax(x, dim=1, out=out)}
    for warps in (4, 8, 16):
        rivals[f"Hocket {warps}"] = lambda warps=warps: softmax_kernel[(rows,)](
            x, out, cols, cols, BLOCK=cols, VECTOR=8, num_warps=warps
        )
        rivals[f"Triton {warps}"] = lambda warps=warps: triton_softmax_kernel[(rows,)](
            x, out, cols, cols, BLOCK=cols, num_warps=warps
        )
        check(rivals[f"Hocket {warps}"], out, torch.softmax(x.float(), dim=1).bfloat16())
    seconds = gpu_times(rivals)
    print(f"softmax {rows}x{cols}:", ", ".join(f"{name} {t * 1e6:.1f} us" for name, t in sorted(seconds.items())))
    best = {
        name: min(t for rival, t in seconds.items() if rival.startswith(name))
        for name in ("Hocket", "PyTorch", "Triton")
    }
    case = {"dtype": "bfloat16", "rows": rows, "columns": cols}
    add(table, f"softmax bf16 {rows}x{cols}", 2 * 2 * rows * cols, best, **case)


def check(run, out: torch.Tensor, expected: torch.Tensor) -> None:
    """Checks that `run` writes all elements of `out`, and that `out` equals `expected` up to rounding."""
    out.fill_(float("nan"))
    run()
    torch.testing.assert_close(out, expected, rtol=1e-2, atol=1e-6)


def add(table: Table, name: str, moved: int, seconds: dict[str, float], **case: object) -> None:
    table.add(name, {rival: moved / time / 1e12 for rival, time in seconds.items()}, seconds=seconds, **case)


def main() -> None:
    results = Results("memory_bound", inputs=NORMAL, method=INTERLEAVED)
    options = results.options(__doc__)
    torch.manual_seed(0)
    table = results.table("bandwidth", f"memory-bound kernels on {torch.cuda.get_device_name()}", "TB/s")
    vector_add(table, 1 << 28)
    for columns in (4096, 8192):
        softmax(table, 16384, columns)
    table.show(2)
    results.save(options)


if __name__ == "__main__":
    main()
