"""Measures the host time of a launch from a Python loop: Hocket, Triton and CuPy.

    python benchmarks/launch_overhead.py [--json FILE]

The kernels access no memory, because the mask of every lane is false. Therefore the GPU is faster than the host, and
the measured time is that of the host.
"""

import cupy
import torch
import triton
import triton.language as tl
from interleave import host_times
from results import HOST_LOOP, NO_INPUTS, Results

import hocket
from hocket import language as gl


@hocket.jit
def two(x, n, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    gl.store(x + i, 0.0, mask=i < n)


@hocket.jit
def ten(a, b, c, d, e, n0, n1, n2, n3, n4, BLOCK: gl.constexpr):
    i = gl.arange(0, BLOCK, layout=gl.row_layout())
    mask = i < n0 + n1 + n2 + n3 + n4
    gl.store(e + i, gl.load(a + i, mask=mask) + gl.load(b + i, mask=mask), mask=mask)
    gl.store(d + i, gl.load(c + i, mask=mask), mask=mask)


@triton.jit
def triton_two(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 0.0, mask=i < n)


@triton.jit
def triton_ten(a, b, c, d, e, n0, n1, n2, n3, n4, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n0 + n1 + n2 + n3 + n4
    tl.store(e + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)
    tl.store(d + i, tl.load(c + i, mask=mask), mask=mask)


CUPY_TWO = cupy.RawKernel('extern "C" __global__ void two(float *x, int n) { if (threadIdx.x < n) x[0] = 0; }', "two")


def main() -> None:
    results = Results("launch_overhead", inputs=NO_INPUTS, method=HOST_LOOP)
    options = results.options(__doc__)
    tensors = [torch.zeros(1024, device="cuda") for _ in range(5)]
    array = cupy.zeros(1024, dtype=cupy.float32)
    grid = (1,)
    seconds = {
        "2 arguments": host_times(
            {
                "Hocket": lambda: two[grid](tensors[0], 0, BLOCK=128),
                "Triton": lambda: triton_two[grid](tensors[0], 0, BLOCK=128),
                "CuPy": lambda: CUPY_TWO(grid, (128,), (array, 0)),
            }
        ),
        "10 arguments": host_times(
            {
                "Hocket": lambda: ten[grid](*tensors, 0, 0, 0, 0, 0, BLOCK=128),
                "Triton": lambda: triton_ten[grid](*tensors, 0, 0, 0, 0, 0, BLOCK=128),
            }
        ),
    }
    table = results.table("launch", "a launch from a Python loop", "us", better="lower")
    for name, times in seconds.items():
        microseconds = {rival: 1e6 * time for rival, time in times.items()}
        table.add(name, microseconds, seconds=times, arguments=int(name.split()[0]))
    table.show(2)
    results.save(options)


if __name__ == "__main__":
    main()
