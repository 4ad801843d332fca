"""Compares `hocket.kernels.matmul` with cuBLAS (torch.mm), and with PyTorch's GEMM with bias and activation.

The sections "square" and "depth" also compare with quack's gemm and a Triton kernel, if quack and Triton are installed
(`matmul_peers.py`).

    python benchmarks/matmul.py                      # all sections except "variants"
    python benchmarks/matmul.py square depth         # these two sections
    python benchmarks/matmul.py variants --size 8192 8192 512 --dtype float16
    python benchmarks/matmul.py square --json matmul.json
    python benchmarks/matmul.py --random 300 --seed 1 --regret 40 --json matmul_random.json

Sections:
    square      float16 and bfloat16 at 2048, 4096 and 8192 cubed
    depth       float16, M = N = 8192, K from 512 to 16384
    rows        bfloat16 with 1 to 128 rows of A, plain launches and CUDA graphs, in GB/s of B (`matmul_rows.py`)
    small       float16, fewer tiles than the GPU has SMs
    float8      8192 cubed, against torch._scaled_mm with fast accumulation
    transposed  bfloat16 4096 cubed, with each of A and B transposed or not
    epilogue    bfloat16 with bias and activation, against eager PyTorch and torch.compile
    batched     float16, against torch.bmm
    host        host time of a call in microseconds
    variants    every tile, number of buffers and tile order for one size

`--random` measures GEMMs of drawn sizes, dtypes and orders instead of sections (`matmul_random.py`).

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import argparse
import dataclasses
import math

import torch
from interleave import gpu_times, host_times, print_table
from matmul_peers import peers
from matmul_random import random_shapes
from matmul_rows import rows
from results import HOST_LOOP, INTERLEAVED, NORMAL, Results

from hocket.kernels import matmul
from hocket.kernels._matmul.host_nvidia import MULTIPROCESSORS
from hocket.kernels._matmul.plan_hopper import TILES, choose_hopper_plan

DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
SHARED_BYTES = 232448


def operands(m, n, k, dtype, transposed_a=False, transposed_b=False):
    a = torch.randn((k, m) if transposed_a else (m, k), device="cuda", dtype=torch.float32).to(dtype)
    b = torch.randn((n, k) if transposed_b else (k, n), device="cuda", dtype=torch.float32).to(dtype)
    return a.T if transposed_a else a, b.T if transposed_b else b


def check(result, expected, k):
    difference = (result.float() - expected.float()).abs().max().item()
    assert difference <= 0.02 * math.sqrt(k) + 0.01 * expected.float().abs().max().item(), difference


def compare(m, n, k, dtype, rounds, transposed=(False, False), others=False):
    a, b = operands(m, n, k, dtype, *transposed)
    expected, out, theirs = torch.mm(a, b), *(torch.empty(m, n, device="cuda", dtype=dtype) for _ in range(2))
    check(matmul(a, b, out), expected, k)
    rivals = {"Hocket": lambda: matmul(a, b, out), "cuBLAS": lambda: torch.mm(a, b, out=theirs)}
    if others:
        for name, run in peers(a, b, theirs).items():
            theirs.zero_()
            run()
            check(theirs, expected, k)
            rivals[name] = run
    return gpu_times(rivals, rounds=rounds)


def add_row(table, name, flops, times, **case):
    rates = {rival: flops / seconds / 1e12 for rival, seconds in times.items()}
    table.add(name, rates, seconds=times, **case)


def show(table):
    """Prints the table with the ratio of Hocket's rate to that of each peer, and the geometric means of these
    ratios."""
    rivals = [rival for rival in table.rows[0]["values"] if all(rival in row["values"] for row in table.rows)]
    rows, all_ratios = [], []
    for row in table.rows:
        values = row["values"]
        all_ratios.append([values["Hocket"] / values[rival] for rival in rivals[1:]])
        rows.append([row["name"], *(f"{values[rival]:.0f}" for rival in rivals), *map("{:.3f}".format, all_ratios[-1])])
    means = [geometric_mean(ratios) for ratios in zip(*all_ratios, strict=True)]
    rows.append(["geometric mean", *("" for _ in rivals), *map("{:.3f}".format, means)])
    print_table(f"{table.title}, {table.unit}", ["GEMM", *rivals, *(f"to {rival}" for rival in rivals[1:])], rows)


def geometric_mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def square(results, arguments):
    table = results.table("square", "square GEMMs", "TFLOP/s")
    for name, dtype in DTYPES.items():
        for size in (2048, 4096, 8192):
            times = compare(size, size, size, dtype, arguments.rounds, others=True)
            add_row(table, f"{name} {size}^3", 2 * size**3, times, dtype=name, m=size, n=size, k=size)
    show(table)


def depth(results, arguments):
    table = results.table("depth", "float16, M = N = 8192", "TFLOP/s")
    for k in (512, 1024, 2048, 4096, 8192, 16384):
        times = compare(8192, 8192, k, torch.float16, arguments.rounds, others=True)
        add_row(table, f"K = {k}", 2 * 8192 * 8192 * k, times, dtype="float16", m=8192, n=8192, k=k)
    show(table)


def small(results, arguments):
    table = results.table("small", "float16, few tiles", "TFLOP/s")
    for m, n, k in ((1024, 1024, 1024), (1024, 1024, 4096), (512, 512, 16384)):
        times = compare(m, n, k, torch.float16, arguments.rounds, others=True)
        add_row(table, f"{m} x {n} x {k}", 2 * m * n * k, times, dtype="float16", m=m, n=n, k=k)
    show(table)


def transposed(results, arguments):
    table = results.table("transposed", "bfloat16 4096^3, orders of operands", "TFLOP/s")
    for orders in ((False, False), (True, False), (False, True), (True, True)):
        name = " ".join(letter + "^T" * flipped for letter, flipped in zip("AB", orders, strict=True))
        times = compare(4096, 4096, 4096, torch.bfloat16, arguments.rounds, orders)
        case = {"transposed_a": orders[0], "transposed_b": orders[1]}
        add_row(table, name, 2 * 4096**3, times, dtype="bfloat16", m=4096, n=4096, k=4096, **case)
    show(table)


def float8(results, arguments):
    size = 8192
    a, b = operands(size, size, size, torch.float8_e4m3fn, transposed_b=True)
    out = torch.empty(size, size, device="cuda", dtype=torch.bfloat16)
    one = torch.ones((), device="cuda")

    def cublas():
        return torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)

    check(matmul(a, b, out), cublas(), size)
    times = gpu_times({"Hocket": lambda: matmul(a, b, out), "cuBLAS": cublas}, rounds=arguments.rounds)
    table = results.table("float8", "float8, result bfloat16", "TFLOP/s")
    add_row(table, f"float8_e4m3fn {size}^3", 2 * size**3, times, dtype="float8_e4m3fn", m=size, n=size, k=size)
    show(table)


ACTIVATIONS = {
    "relu": torch.nn.functional.relu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def epilogue(results, arguments):
    table = results.table("epilogue", "bfloat16 with bias and activation", "TFLOP/s")
    for m, n, k in ((8192, 8192, 1024), (4096, 14336, 4096)):
        a, b = operands(m, n, k, torch.bfloat16, transposed_b=True)
        bias = torch.randn(n, device="cuda", dtype=torch.bfloat16)
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        weight = b.T  # the transposed weight, as in torch.nn.Linear
        for name, function in ACTIVATIONS.items():

            def eager(x, function=function, weight=weight, bias=bias):
                return function(torch.nn.functional.linear(x, weight, bias))

            compiled = torch.compile(eager)
            check(matmul(a, b, out, bias=bias, activation=name), eager(a), k)
            rivals = {
                "Hocket": lambda a=a, b=b, out=out, bias=bias, name=name: matmul(a, b, out, bias=bias, activation=name),
                "eager": lambda a=a, eager=eager: eager(a),
                "torch.compile": lambda a=a, compiled=compiled: compiled(a),
            }
            times = gpu_times(rivals, rounds=arguments.rounds)
            case = {"dtype": "bfloat16", "m": m, "n": n, "k": k, "activation": name}
            add_row(table, f"{m} x {n} x {k}, {name}", 2 * m * n * k, times, **case)
    show(table)


def batched(results, arguments):
    table = results.table("batched", "float16 in batches", "TFLOP/s")
    for count, m, n, k in ((16, 1024, 1024, 1024), (64, 512, 512, 128)):
        a = torch.randn(count, m, k, device="cuda", dtype=torch.float16)
        b = torch.randn(count, k, n, device="cuda", dtype=torch.float16)
        out, theirs = (torch.empty(count, m, n, device="cuda", dtype=torch.float16) for _ in range(2))
        check(matmul(a, b, out), torch.bmm(a, b), k)
        rivals = {
            "Hocket": lambda a=a, b=b, out=out: matmul(a, b, out),
            "cuBLAS": lambda a=a, b=b, out=theirs: torch.bmm(a, b, out=out),
        }
        times = gpu_times(rivals, rounds=arguments.rounds)
        case = {"dtype": "float16", "batch": count, "m": m, "n": n, "k": k}
        add_row(table, f"{count} x {m} x {n} x {k}", 2 * count * m * n * k, times, **case)
    show(table)


def host(results, arguments):
    a, b = operands(64, 64, 64, torch.float16)
    out = matmul(a, b)
    rivals = {
        "matmul(a, b, out)": lambda: matmul(a, b, out),
        "matmul(a, b)": lambda: matmul(a, b),
        "torch.mm(a, b)": lambda: torch.mm(a, b),
    }
    times = host_times(rivals)
    ours = tuple(rivals)[:2]
    table = results.table("host", "a call on the host", "us", better="lower", ours=ours, method=HOST_LOOP)
    microseconds = {name: 1e6 * seconds for name, seconds in times.items()}
    table.add("64^3", microseconds, seconds=times, dtype="float16", m=64, n=64, k=64)
    table.show(1)


def variants(results, arguments):
    m, n, k = arguments.size
    dtype = DTYPES[arguments.dtype]
    a, b = operands(m, n, k, dtype)
    expected, out, theirs = torch.mm(a, b), *(torch.empty(m, n, device="cuda", dtype=dtype) for _ in range(2))
    rivals = {"cuBLAS": lambda: torch.mm(a, b, out=theirs)}
    for tile in TILES:
        chosen = choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, MULTIPROCESSORS["sm_90a"], tile=tile)
        all_staged = tile.n // chosen.staged_columns
        changes = [
            {},
            {"group_rows": 2 * chosen.group_rows},
            {"group_rows": chosen.group_rows // 2},
            {"stages": chosen.stages - 1},
            {"stages": chosen.stages - 1, "staging_buffers": all_staged},
        ]
        if tile.m * tile.n < 128 * 128 and not arguments.small:
            continue
        plans = [dataclasses.replace(chosen, reasons=(), **change) for change in changes]
        for plan in plans:
            kind = "ping-pong" if tile.ping_pong else f"{tile.consumers} consumers"
            name = (
                f"{tile} {kind}, {plan.stages} stages, {plan.staging_buffers} staging buffers, group {plan.group_rows}"
            )
            if name in rivals:
                continue
            check(matmul(a, b, out, plan=plan), expected, k)
            rivals[name] = lambda plan=plan: matmul(a, b, out, plan=plan)
    times = gpu_times(rivals, rounds=arguments.rounds)
    rows = [
        [name, f"{2 * m * n * k / seconds / 1e12:.0f}", f"{times['cuBLAS'] / seconds:.3f}"]
        for name, seconds in times.items()
    ]
    title = f"{arguments.dtype} {m} x {n} x {k}"
    print_table(title, ["variant", "TFLOP/s", "of cuBLAS"], rows)
    table = results.table("variants", title, "TFLOP/s", ours=tuple(name for name in times if name != "cuBLAS"))
    add_row(table, title, 2 * m * n * k, times, dtype=arguments.dtype, m=m, n=n, k=k)


SECTIONS = (square, depth, rows, small, float8, transposed, epilogue, batched, host, variants)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [section.__name__ for section in SECTIONS]
    parser.add_argument("sections", nargs="*", choices=[[], *names], default=[], help="all except variants by default")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--size", type=int, nargs=3, default=[8192, 8192, 512], metavar=("M", "N", "K"))
    parser.add_argument("--dtype", choices=DTYPES, default="float16")
    parser.add_argument("--small", action="store_true", help="variants: also small tiles")
    parser.add_argument("--random", type=int, metavar="COUNT", help="number of drawn GEMMs, instead of sections")
    parser.add_argument("--seed", type=int, default=0, help="random: seed of the draws")
    parser.add_argument("--regret", type=int, default=0, metavar="COUNT", help="random: GEMMs with other plans, too")
    parser.add_argument("--seconds", type=float, default=math.inf, help="random: time after which no draw begins")
    results = Results("matmul", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    chosen = parser.parse_args()
    if chosen.random:
        try:
            random_shapes(results, chosen)
        finally:
            results.save(chosen)
    for section in SECTIONS:
        if section.__name__ in (chosen.sections or ([] if chosen.random else names[:-1])):
            section(results, chosen)
            results.save(chosen)  # results are saved after each section, because a later section may fail
