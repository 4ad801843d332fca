"""Compares `hocket.kernels.matmul` with cuBLAS (torch.mm) on odd sizes and on drawn sizes.

    python benchmarks/matmul_shapes.py                          # both sections
    python benchmarks/matmul_shapes.py random --draws 300 --seed 1
    python benchmarks/matmul_shapes.py random --forms           # also each form of the kernel

Sections:
    unaligned   sizes for which TMA cannot address A, B or C; the last column is the next larger aligned GEMM of Hocket
    random      M, N and K drawn log-uniformly from 1 to 16384, half of them rounded up to multiples of 8; dtypes and
                orders drawn, too. Prints quantiles of the ratio to cuBLAS, and the slowest rows

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed.
"""

import argparse
import random

import torch
from interleave import gpu_times, print_table
from matmul import DTYPES, SHARED_BYTES, check, geometric_mean, operands
from results import INTERLEAVED, NORMAL, Results

from hocket import cdiv
from hocket.kernels import matmul
from hocket.kernels._matmul.host_nvidia import MULTIPROCESSORS
from hocket.kernels._matmul.plan_ampere import AmperePlan
from hocket.kernels._matmul.plan_hopper import choose_hopper_plan
from hocket.kernels._matmul.tiles_cdna import Tile

#: (M, N, K) of the section "unaligned". TMA can address the arrays of 1000 x 3000 x 5000, but reads their rows slowly.
UNALIGNED = (
    (4095, 4097, 4104), (4095, 4097, 4101), (8191, 8191, 8191), (3001, 3001, 3001), (1000, 3000, 5000),
    (2047, 50257, 768), (1023, 1025, 8191), (511, 513, 32767), (33, 8191, 8191),
)  # fmt: skip

#: Largest number of elements of an array, and of multiply-adds, of a drawn GEMM.
MOST_ELEMENTS, MOST_WORK = 1 << 28, 1 << 40


def hopper_plan(m, n, k):
    return choose_hopper_plan(m, n, k, 1, 16, 16, SHARED_BYTES, MULTIPROCESSORS["sm_90a"])


def rounded(size):
    return cdiv(size, 64) * 64


def rates_of(m, n, k, times):
    """Returns TFLOP/s by name."""
    return {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}


def times_beside_aligned(m, n, k, order, rounds):
    """Returns the times of a GEMM by Hocket and cuBLAS, and of the next larger GEMM with multiples of 64 by Hocket."""
    a, b = operands(m, n, k, torch.bfloat16, *order)
    near_a, near_b = operands(rounded(m), rounded(n), rounded(k), torch.bfloat16, *order)
    out, theirs = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    near_out = matmul(near_a, near_b)
    check(matmul(a, b, out), torch.mm(a, b), k)
    rivals = {
        "Hocket": lambda: matmul(a, b, out),
        "cuBLAS": lambda: torch.mm(a, b, out=theirs),
        "aligned": lambda: matmul(near_a, near_b, near_out),
    }
    return gpu_times(rivals, rounds=rounds)


def unaligned(results, arguments):
    table = results.table("unaligned", "arrays that TMA cannot address", "TFLOP/s", ours=("Hocket", "aligned"))
    rows = []
    for m, n, k in UNALIGNED:
        for order in ((False, False), (False, True)):
            times = times_beside_aligned(m, n, k, order, arguments.rounds)
            name = f"{m} x {n} x {k}" + ", B^T" * order[1]
            rates = rates_of(m, n, k, times)
            table.add(name, rates, seconds=times, dtype="bfloat16", m=m, n=n, k=k, transposed_b=order[1])
            values = table.rows[-1]["values"]
            ratios = [values["Hocket"] / values[rival] for rival in ("cuBLAS", "aligned")]
            rows.append([name, *(f"{value:.0f}" for value in values.values()), *map("{:.2f}".format, ratios)])
    header = ["bfloat16", "Hocket", "cuBLAS", "aligned", "to cuBLAS", "to aligned"]
    print_table(f"{table.title}, {table.unit}", header, rows)


def drawn(draw):
    """Returns M, N and K, the dtype's name, and the orders of A and B."""
    while True:
        m, n, k = (int(2 ** draw.uniform(0, 14)) for _ in range(3))
        if draw.random() < 0.5:
            m, n, k = (cdiv(size, 8) * 8 for size in (m, n, k))
        if max(m * n, n * k, m * k) <= MOST_ELEMENTS and m * n * k <= MOST_WORK:
            return (m, n, k), draw.choice(list(DTYPES)), (draw.random() < 0.5, draw.random() < 0.5)


def forms(m, n, k):
    """Returns plans of the forms that the cost model compares, by their names."""
    return {"wgmma": hopper_plan(m, n, k), "mma.sync": AmperePlan(Tile(64, 64, 2, 2), 32, 3)}


def times_of_draw(m, n, k, dtype, order, arguments):
    a, b = operands(m, n, k, DTYPES[dtype], *order)
    out, theirs = (torch.empty(m, n, device="cuda", dtype=DTYPES[dtype]) for _ in range(2))
    check(matmul(a, b, out), torch.mm(a, b), k)
    rivals = {"Hocket": lambda: matmul(a, b, out), "cuBLAS": lambda: torch.mm(a, b, out=theirs)}
    if arguments.forms:
        rivals |= {name: lambda plan=plan: matmul(a, b, out, plan=plan) for name, plan in forms(m, n, k).items()}
    return gpu_times(rivals, rounds=arguments.rounds, warmup=2)


def random_shapes(results, arguments):
    draw = random.Random(arguments.seed)
    ours = ("Hocket", "wgmma", "mma.sync") if arguments.forms else ("Hocket",)
    table = results.table("random", f"{arguments.draws} drawn GEMMs", "TFLOP/s", ours=ours)
    ratios = []
    for _ in range(arguments.draws):
        (m, n, k), dtype, order = drawn(draw)
        times = times_of_draw(m, n, k, dtype, order, arguments)
        orders = "".join(f", {side}^T" for side, is_transposed in zip("AB", order, strict=True) if is_transposed)
        name = f"{dtype} {m} x {n} x {k}{orders}"
        case = {"dtype": dtype, "m": m, "n": n, "k": k, "transposed_a": order[0], "transposed_b": order[1]}
        table.add(name, rates_of(m, n, k, times), seconds=times, **case)
        ratios.append((times["cuBLAS"] / times["Hocket"], name, times))
    ratios.sort(key=lambda row: row[0])
    values = [ratio for ratio, *_ in ratios]
    quantiles = [f"{values[int(q * (len(values) - 1))]:.2f}" for q in (0, 0.05, 0.25, 0.5, 0.75, 1)]
    header = ["least", "5 %", "25 %", "50 %", "75 %", "most", "geometric mean"]
    print_table(f"{table.title}, ratio to cuBLAS", header, [[*quantiles, f"{geometric_mean(values):.3f}"]])
    slowest = [
        [name, f"{ratio:.2f}", *(f"{seconds * 1e6:.1f}" for seconds in times.values())]
        for ratio, name, times in ratios[:15]
    ]
    print_table("slowest rows, times in us", ["GEMM", "ratio", *ratios[0][2]], slowest)


SECTIONS = {"unaligned": unaligned, "random": random_shapes}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], default=[], help="both by default")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--draws", type=int, default=100, help="random: number of GEMMs")
    parser.add_argument("--seed", type=int, default=0, help="random: seed of the draws")
    parser.add_argument("--forms", action="store_true", help="random: also time each form of the kernel")
    results = Results("matmul_shapes", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    chosen = parser.parse_args()
    for name, section in SECTIONS.items():
        if name in (chosen.sections or SECTIONS):
            section(results, chosen)
            results.save(chosen)  # results are saved after each section, because a later section may fail
