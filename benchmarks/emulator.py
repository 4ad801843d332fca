"""Measures the time of the first launch on the emulator, which includes compilation, and of later launches.

python benchmarks/emulator.py                   # the default checks: races
python benchmarks/emulator.py --all-checks      # the checks of `hocket check`: undefined values too
python benchmarks/emulator.py --cpu             # CPU time of one thread, for machines that are in use
"""

import argparse
import statistics
import time

import numpy as np
from results import Results

import hocket
from hocket import language as gl
from hocket.language.nvidia.hopper import warpgroup_mma


@hocket.jit
def add(x, y, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.row_layout(4)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) + gl.load(y + i, mask=i < n), mask=i < n)


@hocket.jit
def matmul(a, b, c, SIZE: gl.constexpr, TILE: gl.constexpr, STEP: gl.constexpr):
    lanes: gl.constexpr = gl.num_lanes()
    acc_layout: gl.constexpr = gl.BlockedLayout([4, 4], [lanes // 8, 8], [gl.num_warps(), 1], [1, 0])
    load_a: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 4, 4], [gl.num_warps(), 1], [1, 0])
    load_b: gl.constexpr = gl.BlockedLayout([1, 4], [lanes // 16, 16], [gl.num_warps(), 1], [1, 0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    row, column = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    a_rows = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, load_a))[:, None]
    a_columns = gl.arange(0, STEP, layout=gl.SliceLayout(0, load_a))[None, :]
    b_rows = gl.arange(0, STEP, layout=gl.SliceLayout(1, load_b))[:, None]
    b_columns = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, load_b))[None, :]
    smem_a = gl.allocate_shared_memory(gl.float32, [TILE, STEP], shared)
    smem_b = gl.allocate_shared_memory(gl.float32, [STEP, TILE], shared)
    acc = gl.zeros([TILE, TILE], gl.float32, acc_layout)
    for k in range(0, SIZE, STEP):
        smem_a.store(gl.load(a + a_rows * SIZE + k + a_columns))
        smem_b.store(gl.load(b + (k + b_rows) * SIZE + b_columns))
        operand_a = smem_a.load(gl.DotOperandLayout(0, acc_layout, 0))
        operand_b = smem_b.load(gl.DotOperandLayout(1, acc_layout, 0))
        acc = gl.dot_fma(operand_a, operand_b, acc)
    rows = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, acc_layout))[:, None]
    columns = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(c + rows * SIZE + columns, acc)


@hocket.jit
def warpgroups(a, b, c, SIZE: gl.constexpr, TILE: gl.constexpr, STEP: gl.constexpr):
    acc_layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, TILE, 16])
    load: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [gl.num_warps(), 1], [1, 0])
    row, column = gl.program_id(0) * TILE, gl.program_id(1) * TILE
    a_rows = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, load))[:, None]
    b_rows = gl.arange(0, STEP, layout=gl.SliceLayout(1, load))[:, None]
    a_columns = gl.arange(0, STEP, layout=gl.SliceLayout(0, load))[None, :]
    b_columns = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, load))[None, :]
    shared: gl.constexpr = gl.NVMMASharedLayout(128, 16)
    smem_a = gl.allocate_shared_memory(gl.float16, [TILE, STEP], shared)
    smem_b = gl.allocate_shared_memory(gl.float16, [STEP, TILE], shared)
    acc = gl.zeros([TILE, TILE], gl.float32, acc_layout)
    for k in range(0, SIZE, STEP):
        smem_a.store(gl.load(a + a_rows * SIZE + k + a_columns))
        smem_b.store(gl.load(b + (k + b_rows) * SIZE + b_columns))
        acc = warpgroup_mma(smem_a, smem_b, acc)
    rows = row + gl.arange(0, TILE, layout=gl.SliceLayout(1, acc_layout))[:, None]
    columns = column + gl.arange(0, TILE, layout=gl.SliceLayout(0, acc_layout))[None, :]
    gl.store(c + rows * SIZE + columns, acc)


def vector_add(n: int = 1 << 22):
    x, y = np.random.default_rng(0).standard_normal((2, n), dtype=np.float32)
    out = np.empty_like(x)
    yield "vector add 2^22 float32", lambda: add[(n // 1024,)](x, y, out, n, BLOCK=1024)
    np.testing.assert_array_equal(out, x + y)


def matrix_product(size: int = 256):
    a, b = np.random.default_rng(0).standard_normal((2, size, size), dtype=np.float32)
    c = np.empty_like(a)
    grid = (size // 64, size // 64)
    yield f"matmul {size}^3 float32, dot_fma", lambda: matmul[grid](a, b, c, SIZE=size, TILE=64, STEP=16)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)


def matrix_cores(size: int):
    a, b = np.random.default_rng(0).standard_normal((2, size, size)).astype(np.float16)
    yield f"matmul {size}^3 float16, MFMA", lambda: hocket.kernels.matmul(a, b)


def warpgroup_products(size: int = 1024):
    a, b = np.random.default_rng(0).standard_normal((2, size, size)).astype(np.float16)
    c = np.empty((size, size), np.float32)
    grid = (size // 128, size // 128)
    yield f"matmul {size}^3 float16, wgmma", lambda: warpgroups[grid](a, b, c, SIZE=size, TILE=128, STEP=64)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=1e-2)


def attention(heads: int = 2, sequence: int = 1024, head_size: int = 128):
    shape = (3, 1, heads, sequence, head_size)
    q, k, v = np.random.default_rng(0).standard_normal(shape).astype(np.float16)
    yield f"attention {heads}x{sequence}x{head_size} float16", lambda: hocket.kernels.attention(q, k, v)


AMD = ("gfx942", "gfx950")
WORKS = (
    (vector_add, hocket.devices.EMULATED_TARGETS),
    (matrix_product, hocket.devices.EMULATED_TARGETS),
    (lambda: matrix_cores(512), AMD),
    (lambda: matrix_cores(1024), AMD),
    (attention, AMD),
    (warpgroup_products, ("sm_90a",)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="The emulator's speed.")
    parser.add_argument("--all-checks", action="store_true", help="also check for undefined values")
    parser.add_argument("--cpu", action="store_true", help="one thread, and its CPU time")
    parser.add_argument("--rounds", type=int, default=7)
    results = Results("emulator", inputs="standard normal, seed 0", method="medians of launches")
    results.add_option(parser)
    arguments = parser.parse_args()
    kind = "CPU time of one thread" if arguments.cpu else "wall time"
    ours = ("later launches", "first launch")
    table = results.table("launches", f"launches on the emulator, {kind}", "s", better="lower", ours=ours)
    clock = time.process_time if arguments.cpu else time.perf_counter
    print(f"{'kernel':32}{'target':10}{'first launch':>14}{'later launches':>16}")
    for work, targets in WORKS:
        for target in targets:
            with hocket.emulator.target(target, threads=1 if arguments.cpu else 0, undefined=arguments.all_checks):
                for name, launch in work():
                    seconds = []
                    for _ in range(arguments.rounds):
                        started = clock()
                        launch()
                        seconds.append(clock() - started)
                    later = statistics.median(seconds[1:])
                    print(f"{name:32}{target:10}{seconds[0]:>12.3f} s{later:>14.3f} s")
                    values = {"later launches": later, "first launch": seconds[0]}
                    table.add(f"{name}, {target}", values, kernel=name, target=target, checks=arguments.all_checks)
    results.save(arguments)


if __name__ == "__main__":
    main()
