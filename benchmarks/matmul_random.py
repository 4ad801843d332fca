"""`matmul.py --random`: GEMMs of drawn sizes, beside cuBLAS and beside other plans of Hocket.

M, N and K are drawn log-uniformly from 1 to 32768, and half of the draws are rounded up to multiples of 8. One draw of
five is a batch; one of five is float8, with the orders and multiples of 16 that torch._scaled_mm needs. Other draws
have bfloat16 or float16 and drawn orders. Draws that exceed `MOST_ELEMENTS` or `MOST_WORK` are repeated.

Peers are torch.mm, torch.bmm and torch._scaled_mm ("cuBLAS"), and the fastest of the first eight algorithms of
cuBLASLt's heuristic ("cuBLASLt, best of 8", `cublaslt.py`). `--regret` also times other plans of Hocket: the regret is
the time of the chosen plan divided by that of the fastest plan, minus 1.

Kernels are compiled before the first measurement, by one process for each core.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import itertools
import math
import multiprocessing
import os
import random
import time
from collections import Counter, defaultdict
from typing import NamedTuple

import torch
from cublaslt import algorithms
from interleave import gpu_times, print_table

from hocket import cdiv
from hocket.kernels import matmul
from hocket.kernels._common.arrays import ArrayFacts
from hocket.kernels._matmul.arrays_hopper import arrange
from hocket.kernels._matmul.host_nvidia import MULTIPROCESSORS, plan_of, shared_bytes
from hocket.kernels._matmul.operands import Gemm, operand_of
from hocket.kernels._matmul.plan_ampere import AmperePlan, choose_ampere_plan
from hocket.kernels._matmul.plan_few_rows import FewRowsPlan, choose_few_rows_plan, few_rows_form
from hocket.kernels._matmul.plan_hopper import TILES, HopperPlan, choose_hopper_plan, copy_clocks, splits_of
from hocket.kernels._matmul.plan_narrow import MOST_COLUMNS, choose_narrow_plan

BEST_OF_8 = "cuBLASLt, best of 8"
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float8_e4m3fn": torch.float8_e4m3fn}

#: log2 of the largest size and of the largest batch.
LARGEST, LARGEST_BATCH = 15, 6

#: Largest number of elements of an array, and of multiply-adds, of a drawn GEMM.
MOST_ELEMENTS, MOST_WORK = 1 << 28, 1 << 40

#: Other plans that are timed for the regret: at most this number, with at most this ratio of estimated clocks.
MOST_PLANS, MOST_CLOCKS = 10, 2.5

#: Rounds in which the algorithms of cuBLASLt are compared before the measurement.
TRIAL_ROUNDS = 4

#: Largest part of the time that is spent on compiling.
COMPILING = 0.5

#: Bounds of the bins of the histogram of ratios.
BOUNDS = (0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)


class Case(NamedTuple):
    batch: int
    m: int
    n: int
    k: int
    dtype: str
    transposed_a: bool
    transposed_b: bool

    @property
    def name(self) -> str:
        batch = f"{self.batch} x " if self.batch > 1 else ""
        orders = ", A^T" * self.transposed_a + ", B^T" * self.transposed_b
        return f"{self.dtype} {batch}{self.m} x {self.n} x {self.k}{orders}"

    @property
    def work(self) -> int:
        """Number of multiply-adds."""
        return self.batch * self.m * self.n * self.k

    @property
    def is_float8(self) -> bool:
        return self.dtype.startswith("float8")

    @property
    def out_dtype(self) -> torch.dtype:
        return torch.bfloat16 if self.is_float8 else DTYPES[self.dtype]


def drawn(draw: random.Random) -> Case:
    while True:
        m, n, k = (int(2 ** draw.uniform(0, LARGEST)) for _ in range(3))
        batch = int(2 ** draw.uniform(1, LARGEST_BATCH)) if draw.random() < 0.2 else 1
        dtype = draw.choice(("bfloat16", "bfloat16", "float16", "float16", "float8_e4m3fn"))
        orders = draw.random() < 0.5, draw.random() < 0.5
        if draw.random() < 0.5:
            m, n, k = (cdiv(size, 8) * 8 for size in (m, n, k))
        if dtype.startswith("float8"):
            batch, n, k, orders = 1, cdiv(n, 16) * 16, cdiv(k, 16) * 16, (False, True)
        case = Case(batch, m, n, k, dtype, *orders)
        if batch * max(m * n, n * k, m * k) <= MOST_ELEMENTS and case.work <= MOST_WORK:
            return case


def array_of(case: Case, rows: int, columns: int, is_transposed: bool, fill) -> torch.Tensor:
    shape = (columns, rows) if is_transposed else (rows, columns)
    array = fill(((case.batch,) if case.batch > 1 else ()) + shape)
    return array.transpose(-1, -2) if is_transposed else array


def operands(case: Case, fill) -> tuple[torch.Tensor, torch.Tensor]:
    a = array_of(case, case.m, case.k, case.transposed_a, fill)
    return a, array_of(case, case.k, case.n, case.transposed_b, fill)


def empty_result(case: Case) -> torch.Tensor:
    shape = (case.batch, case.m, case.n) if case.batch > 1 else (case.m, case.n)
    return torch.empty(shape, device="cuda", dtype=case.out_dtype)


def compile_tasks(tasks: list[tuple[Case, object]], deadline: float) -> int:
    """Launches each GEMM with its plan once, which writes the compiled kernels to the cache on disk. Returns the number
    of tasks that were done before the deadline, in seconds of `time.time()`."""
    for done, (case, plan) in enumerate(tasks):
        if time.time() > deadline:
            return done
        a, b = operands(case, lambda shape, case=case: torch.empty(shape, device="cuda", dtype=DTYPES[case.dtype]))
        matmul(a, b, empty_result(case), plan=plan)
    torch.cuda.synchronize()
    return len(tasks)


def compile_ahead(tasks: list[tuple[Case, object]], seconds: float) -> list:
    """Compiles the kernels of GEMMs with plans, in the order of `tasks`, for at most `seconds`. Returns the tasks that
    were done."""
    count = max(1, min(len(tasks), len(os.sched_getaffinity(0)) - 2))
    context, deadline = multiprocessing.get_context("spawn"), time.time() + seconds
    with concurrent.futures.ProcessPoolExecutor(count, mp_context=context) as pool:
        parts = [tasks[i::count] for i in range(count)]
        running = [pool.submit(compile_tasks, part, deadline) for part in parts]
        return [task for part, done in zip(parts, running, strict=True) for task in part[: done.result()]]


def gemm_of(case: Case) -> Gemm:
    """Returns the GEMM as `matmul` plans it, for arrays at multiples of 32 bytes."""
    a, b = operands(case, lambda shape: torch.empty(shape, device="meta", dtype=DTYPES[case.dtype]))
    out = torch.empty((*a.shape[:-1], case.n), device="meta", dtype=case.out_dtype)

    def operand(name, array):
        dtype, bits = str(array.dtype).removeprefix("torch."), 8 * array.element_size()
        return operand_of(name, ArrayFacts(tuple(array.shape), tuple(array.stride()), dtype, bits))

    return Gemm(operand("a", a), operand("b", b), operand("out", out), False, "none")


def other_plans(case: Case) -> list:
    """Returns plans that the rule did not choose: the other tiles, with the number of splits that the rule prefers and
    half and twice this number, with and without copies of slow operands; the kernels for few rows and for `sm_80`."""
    gemm = gemm_of(case)
    chosen = dataclasses.replace(plan_of(gemm, "sm_90a"), reasons=())
    plans = [*hopper_plans(gemm)]
    clocks = [plan.clocks for plan in plans]
    limit = MOST_CLOCKS * min(clocks)
    plans = sorted((plan for plan in plans if plan.clocks <= limit), key=lambda plan: plan.clocks)[:MOST_PLANS]
    if (form := few_rows_form(gemm)) is not None:
        plans.append(choose_few_rows_plan(form, MULTIPROCESSORS["sm_90a"]))
    if not case.is_float8:
        plans.append(choose_ampere_plan(gemm, MULTIPROCESSORS["sm_90a"]))
    plans = [dataclasses.replace(plan, reasons=()) for plan in plans]
    return [plan for plan in dict.fromkeys(plans) if plan != chosen]


def hopper_plans(gemm: Gemm):
    """Yields plans for TMA and wgmma."""
    multiprocessors = MULTIPROCESSORS["sm_90a"]
    for is_transposed in (None, True):
        slow = arrange(gemm, is_transposed=is_transposed).slow_loads
        for copies in itertools.product(*((False, True) if is_slow else (False,) for is_slow in slow)):
            arrangement = arrange(gemm, copies, is_transposed)
            arranged = arrangement.gemm
            sizes = *arranged.sizes, arranged.out.batch, arranged.a.element_bits
            limits = arranged.out.element_bits, shared_bytes("sm_90a"), multiprocessors
            copying = copy_clocks([copy.bytes for copy in arrangement.copies], multiprocessors)
            if is_transposed:
                if arranged.out.columns <= MOST_COLUMNS:
                    plan = choose_narrow_plan(*sizes, *limits, True)
                    yield dataclasses.replace(plan, copies=copies, clocks=plan.clocks + copying)
                continue
            for tile in TILES:
                preferred = choose_hopper_plan(*sizes, *limits, tile, slow_loads=arrangement.slow_loads).splits
                possible = splits_of(tile, *sizes)
                for splits in sorted({1, preferred // 2, preferred, 2 * preferred} & set(possible)):
                    plan = choose_hopper_plan(*sizes, *limits, tile, splits=splits, slow_loads=arrangement.slow_loads)
                    yield dataclasses.replace(plan, copies=copies, clocks=plan.clocks + copying)


def description(plan) -> str:
    """Returns a plan in a few words."""
    if isinstance(plan, FewRowsPlan):
        return f"CUDA cores {plan.tile}, {plan.splits} splits"
    if isinstance(plan, AmperePlan):
        return f"mma.sync {plan.tile}"
    assert isinstance(plan, HopperPlan)
    copies = "".join(letter for letter, is_copied in zip("AB", plan.copies, strict=True) if is_copied)
    return (
        f"{plan.tile}"
        + " ping-pong" * plan.tile.ping_pong
        + f", {plan.splits} splits" * (plan.splits > 1)
        + ", transposed" * bool(plan.is_transposed)
        + f", copies {copies}" * bool(copies)
    )


def cublas_of(case: Case, a, b, out):
    """Returns a function that writes A x B to `out` as PyTorch does."""
    if case.is_float8:
        one = torch.ones((), device="cuda")
        options = {"scale_a": one, "scale_b": one, "out_dtype": out.dtype, "use_fast_accum": True}
        return lambda: torch._scaled_mm(a, b, out=out, **options)
    multiply = torch.bmm if case.batch > 1 else torch.mm
    return lambda: multiply(a, b, out=out)


def rivals_of(case: Case, plans: list):
    """Returns the implementations by name, after a check of Hocket's results."""
    a, b = operands(case, lambda shape: torch.randn(shape, device="cuda").to(DTYPES[case.dtype]))
    out, theirs = empty_result(case), empty_result(case)
    cublas = cublas_of(case, a, b, theirs)
    cublas()
    rivals = {"Hocket": lambda: matmul(a, b, out), "cuBLAS": cublas}
    for number, plan in enumerate(plans):
        rivals[f"plan {number}"] = lambda plan=plan: matmul(a, b, out, plan=plan)
    allowed = 0.02 * math.sqrt(case.k) + 0.01 * theirs.abs().max().item()
    for name, run in rivals.items():
        if name != "cuBLAS":
            run()
            difference = (out - theirs).abs().max().item()
            assert difference <= allowed, (case.name, name, difference, allowed)
    trials = dict(enumerate(algorithms(a, b, theirs, case[-2:])))
    if trials:
        times = gpu_times(trials, rounds=TRIAL_ROUNDS, warmup=1)
        rivals[BEST_OF_8] = trials[min(times, key=times.get)]
    return rivals


def histogram(ratios: list[float]) -> list[tuple[str, int]]:
    """Returns the labels of bins, and the number of ratios in each."""
    counts = Counter(sum(ratio >= bound for bound in BOUNDS) for ratio in ratios)
    labels = [f"< {BOUNDS[0]}", *(f"{low} .. {high}" for low, high in itertools.pairwise(BOUNDS)), f">= {BOUNDS[-1]}"]
    return [(label, counts[number]) for number, label in enumerate(labels)]


def quantiles(ratios: list[float]) -> list[str]:
    ordered = sorted(ratios)
    values = [f"{ordered[round(q * (len(ordered) - 1))]:.2f}" for q in (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)]
    return [*values, f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}"]


def show(rows: list[tuple[Case, dict[str, float]]]) -> None:
    """Prints quantiles, histograms and the slowest rows."""
    peers = "cuBLAS", BEST_OF_8
    ratios = {peer: [times[peer] / times["Hocket"] for _, times in rows if peer in times] for peer in peers}
    header = ["Hocket's speed to", "least", "5 %", "25 %", "50 %", "75 %", "95 %", "most", "geometric mean"]
    lines = [[peer, *quantiles(values)] for peer, values in ratios.items() if values]
    for least in (1e9, 1e10, 1e11):
        values = [times["cuBLAS"] / times["Hocket"] for case, times in rows if 2 * case.work >= least]
        if values:
            lines.append([f"cuBLAS, {len(values)} GEMMs from {least:.0e} FLOP", *quantiles(values)])
    print_table(f"{len(rows)} drawn GEMMs", header, lines)
    bins = [[label, str(count), "#" * count] for label, count in histogram(ratios["cuBLAS"])]
    print_table("speed relative to cuBLAS", ["ratio", "GEMMs", ""], bins)
    slowest = sorted(rows, key=lambda row: row[1]["cuBLAS"] / row[1]["Hocket"])[:40]
    names = ["Hocket", "cuBLAS", BEST_OF_8]
    lines = [
        [case.name, f"{times['cuBLAS'] / times['Hocket']:.2f}"]
        + [f"{times[name] * 1e6:.1f}" if name in times else "-" for name in names]
        + [description(plan_of(gemm_of(case), "sm_90a"))]
        for case, times in slowest
    ]
    print_table("slowest rows, times in us", ["GEMM", "to cuBLAS", *names, "plan"], lines)


def show_regret(rows: list[tuple[Case, list, dict[str, float]]]) -> None:
    """Prints the regret of the rule against the fastest of the timed plans."""
    lines, regrets = [], []
    for case, plans, times in rows:
        best = min((name for name in times if name == "Hocket" or name.startswith("plan ")), key=times.get)
        regret = times["Hocket"] / times[best] - 1
        regrets.append(regret)
        found = "" if best == "Hocket" else description(plans[int(best.partition(" ")[2])])
        chosen = description(plan_of(gemm_of(case), "sm_90a"))
        figures = [f"{times[name] * 1e6:.1f}" for name in ("Hocket", best, "cuBLAS")]
        lines.append((regret, [case.name, f"{100 * regret:.1f} %", *figures, chosen, found]))
    lines.sort(key=lambda line: -line[0])
    ordered = sorted(regrets)
    mean = math.exp(sum(math.log1p(regret) for regret in regrets) / len(regrets)) - 1
    print(f"\nregret of {len(regrets)} GEMMs: mean {100 * mean:.1f} %, median {100 * ordered[len(ordered) // 2]:.1f} %")
    header = ["GEMM", "regret", "chosen, us", "fastest", "cuBLAS", "chosen plan", "fastest plan"]
    print_table("largest regrets", header, [line for _, line in lines[:40]])


def random_shapes(results, arguments) -> None:
    """Measures `arguments.random` drawn GEMMs, or those that fit into `arguments.seconds`; the first
    `arguments.regret` of them with other plans, too."""
    started = time.perf_counter()
    draw = random.Random(arguments.seed)
    cases = [drawn(draw) for _ in range(arguments.random)]
    tasks = [(case, None) for case in cases]
    tasks += [(case, plan) for case in cases[: arguments.regret] for plan in other_plans(case)]
    compiled = compile_ahead(tasks, COMPILING * arguments.seconds)
    print(f"compiled {len(compiled)} of {len(tasks)} after {time.perf_counter() - started:.0f} s", flush=True)
    plans_of = defaultdict(list)
    for case, plan in compiled:
        if plan is not None:
            plans_of[case].append(plan)
    table = results.table("random", f"GEMMs drawn with seed {arguments.seed}", "TFLOP/s")
    rows, regrets, failures = [], [], []
    for case in cases:
        if time.perf_counter() - started > arguments.seconds:
            break
        plans = plans_of[case]
        try:
            times = gpu_times(rivals_of(case, plans), rounds=arguments.rounds, warmup=2)
        except Exception as error:  # the other rows are worth more than an early end
            failures.append(f"{case.name}: {type(error).__name__}: {error}")
            continue
        if plans:
            regrets.append((case, plans, times))
        of_plans = {description(plan): times[f"plan {number}"] for number, plan in enumerate(plans)}
        times = {name: seconds for name, seconds in times.items() if not name.startswith("plan ")}
        rates = {name: 2 * case.work / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{len(rows)}: {case.name}", rates, seconds=times, **case._asdict(), plans=of_plans)
        rows.append((case, times))
    print(f"measured after {time.perf_counter() - started:.0f} s", flush=True)
    show(rows)
    if regrets:
        show_regret(regrets)
    if failures:
        raise SystemExit("\n".join([f"{len(failures)} GEMMs failed:", *failures]))


__all__ = ["random_shapes"]
