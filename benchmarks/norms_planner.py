"""Compares the planner of `hocket.kernels.norms` with autotuning: the speed of their choices, and the time of the first
launch.

    python benchmarks/norms_planner.py                        # 200 random problems, less than 4 minutes on an H200
    python benchmarks/norms_planner.py --json planner.json

A problem is a random operation, dtype, number of rows and number of columns. For each problem, the benchmark measures
the planner's plan, the tuner's 12 configurations, and the two best plans of each variant by the model. Times are
medians of interleaved runs of CUDA graphs, with the L2 flushed before each run. The regret of a choice is its time
divided by the time of the fastest measured plan, minus 1. The tuner chooses by separate measurements, which do not
count for the regret.

The tuner's configurations are 12 feasible plans. They alternate between the variants, and the plans of a variant with
the most resident warps come first. The tuner uses the planner's test of feasibility, but not its model.

First launches are measured in new processes, for other problems. In the "cold" process, the cache is empty: the planner
computes a plan, and compiles and launches its kernel. The tuner compiles its configurations in parallel, measures each
of them (25 ms of warmup and 100 ms of runs, as in `hocket.autotune`), and launches the fastest. In the "cached"
process, the compiled kernels and the tuner's choices are on disk.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from results import GRAPHS, NORMAL, Results

OPERATIONS = ("rms_norm", "layer_norm", "rms_norm_backward", "layer_norm_backward")
DTYPES = ("bfloat16", "float16", "float32")
DEVICE = "cuda"
CONFIGURATIONS = 12
#: Largest number of elements of a matrix, so that a run takes less than 100 us.
MOST_ELEMENTS = 1 << 25
#: Number of further plans of each variant that are measured: the best plans by the model.
MODELED = 2
#: Number of problems whose plans are compiled at once, on all cores.
BATCH = 20
#: Number of runs of each plan for the tuner's choice, and for the regret.
CHOOSING_ROUNDS, ROUNDS = 5, 15
#: Milliseconds of warmup and of runs for each configuration of the tuner, at a first launch.
WARMUP, LENGTH = 25, 100
PLANNER, TUNER = "planner", "autotuning"


def random_problems(count, seed):
    """Returns random problems (operation, dtype, rows, columns). The number of columns is a power of two, a multiple of
    256 or of 8, or arbitrary."""
    rng = random.Random(seed)
    problems = []
    while len(problems) < count:
        kinds = [1 << rng.randint(7, 15), 256 * rng.randint(1, 128), 8 * rng.randint(16, 4096), rng.randint(64, 8192)]
        columns = rng.choices(kinds, (4, 4, 2, 1))[0]
        rows = rng.choice((rng.randint(1, 512), 1 << rng.randint(8, 16), rng.randint(512, 65536)))
        problem = rng.choice(OPERATIONS), rng.choice(DTYPES), min(rows, MOST_ELEMENTS // columns), columns
        if problem not in problems:
            problems.append(problem)
    return problems


def configurations(plans, count=CONFIGURATIONS):
    """Returns the tuner's configurations. They alternate between the variants. The plans of a variant with the most
    resident warps come first."""
    by_variant = {}
    for plan in sorted(plans, key=lambda plan: -plan.blocks_per_multiprocessor * plan.num_warps * plan.groups):
        by_variant.setdefault(plan.schedule, []).append(plan)
    chosen = []
    for place in range(max(map(len, by_variant.values()))):
        chosen += [of_variant[place] for of_variant in by_variant.values() if place < len(of_variant)]
    return list(dict.fromkeys(chosen))[:count]


class Case:
    """A problem with its arrays. Returns plans for the problem, and launches them."""

    def __init__(self, operation, dtype, rows, columns):
        import torch

        from hocket.kernels.norms.choose import choose, machine_for

        self.operation, self.dtype, self.rows, self.columns = operation, dtype, rows, columns
        kind = getattr(torch, dtype)
        self.is_backward, self.is_centered = operation.endswith("backward"), operation.startswith("layer")
        self.x, self.dy = (torch.randn(rows, columns, device=DEVICE, dtype=kind) for _ in range(2))
        self.weight, self.bias = (torch.randn(columns, device=DEVICE, dtype=kind) for _ in range(2))
        self.mean, self.rstd = torch.zeros(rows, device=DEVICE), torch.ones(rows, device=DEVICE)
        self.machine = machine_for(self.x)
        is_aligned = columns * self.x.element_size() % 16 == 0
        facts = {"is_aligned": is_aligned, "has_bias": self.is_centered}
        self.choose = lambda: choose(rows, columns, dtype, operation, self.x, **facts)

    def feasible(self, problem):
        """Returns the feasible plans of a problem."""
        from hocket.kernels.norms.feasible import plans_of

        return plans_of(problem, self.machine)

    def run(self, plan, weight_offset=0.0):
        """Launches a plan; with plan=None, the plan that the planner chooses."""
        from hocket.kernels.norms import launch

        last = None, plan, weight_offset
        if self.is_backward:
            mean = self.mean if self.is_centered else None
            return launch.backward(
                self.operation, self.dy, self.x, self.weight, mean, self.rstd, self.is_centered, None, *last
            )
        bias = self.bias if self.is_centered else None
        return launch.forward(self.operation, self.x, None, self.weight, bias, 1e-5, None, *last)

    def timed_plans(self):
        """Returns the planner's plan, the tuner's configurations, and the best plans of each variant by the model."""
        from hocket.kernels.norms.predict import predict

        chosen = self.choose()
        feasible = self.feasible(chosen.problem)
        by_model = sorted(feasible, key=predict)
        others = []
        for variant in {plan.schedule for plan in feasible}:
            others += [plan for plan in by_model if plan.schedule == variant][:MODELED]
        return chosen, configurations(feasible), others


def quietly(run):
    """Calls `run`. Returns True if the call succeeds; otherwise prints the error and returns False."""
    try:
        run()
    except Exception as error:
        print(f"  left out: {type(error).__name__}: {str(error).splitlines()[0][:150]}", flush=True)
        return False
    return True


def compile_all(pool, runs):
    """Compiles kernels in parallel, by calling each of `runs` once. Returns a list with True for each call that
    succeeds."""
    import torch

    found = list(pool.map(quietly, runs))
    torch.cuda.synchronize()
    return found


def identity(plan):
    """Returns the plan without its predicted time and reasons, so that equal plans of a problem compare equal."""
    return dataclasses.replace(plan, seconds=0.0, reasons=())


def regrets(problems, seconds):
    """Measures problems; starts no batch after `seconds`. Returns (case, times) for each measured problem: `times` are
    the seconds of the planner's plan, of the tuner's plan, and of the fastest plan."""
    import torch
    from interleave import gpu_times
    from norms_measure import as_graphs

    stream, begun, measured = torch.cuda.Stream(), time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for begin in range(0, len(problems), BATCH):
            if time.monotonic() - begun > seconds:
                print(f"out of time: {len(problems) - begin} problems are left out")
                break
            cases = []
            for problem in problems[begin : begin + BATCH]:
                case = Case(*problem)
                chosen, tuned, others = case.timed_plans()
                cases.append(
                    (case, identity(chosen), [identity(plan) for plan in tuned], [identity(p) for p in others])
                )
            jobs = [
                (case, plan)
                for case, chosen, tuned, others in cases
                for plan in dict.fromkeys([chosen, *tuned, *others])
            ]
            works = compile_all(pool, [lambda case=case, plan=plan: case.run(plan) for case, plan in jobs])
            working = [job for job, is_working in zip(jobs, works, strict=True) if is_working]
            for case, chosen, tuned, _ in cases:
                plans = {str(number): plan for number, (owner, plan) in enumerate(working) if owner is case}
                runs = {name: (lambda case=case, plan=plan: case.run(plan)) for name, plan in plans.items()}
                stream.wait_stream(torch.cuda.current_stream())
                graphs = as_graphs(runs, stream)
                first = gpu_times(
                    {name: run for name, run in graphs.items() if plans[name] in tuned}, CHOOSING_ROUNDS, 2
                )
                times = gpu_times(graphs, ROUNDS, 2)
                of_planner = next((times[name] for name in times if plans[name] == chosen), None)
                if of_planner is None or not first:
                    print(f"  {case.operation} {case.rows}x{case.columns} is left out: a choice does not run")
                    continue
                best = min(times, key=times.get)
                measured.append(
                    (case, {PLANNER: of_planner, TUNER: times[min(first, key=first.get)], "best": times[best]})
                )
            del cases, jobs, working
            torch.cuda.empty_cache()
    return measured


# First launches ---------------------------------------------------------------------------------------------------


def first_launches(count, choices):
    """Prints the seconds to the result of the first launch for each problem. Must run in a new process. Reads the
    tuner's choices from the file `choices` if it exists, and writes them to this file."""
    import torch

    from hocket.kernels.norms.choose import plan_for
    from hocket.tuning.timing import gpu_bench

    warmup, *problems = random_problems(count + 1, seed=1)
    bench = gpu_bench(None, WARMUP, LENGTH, False)
    known = json.loads(choices.read_text()) if choices.exists() else {}
    found = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for problem in (warmup, *problems):
            case = Case(*problem)
            plan_for.cache_clear()
            torch.cuda.synchronize()
            begun = time.perf_counter()
            case.run(None)
            torch.cuda.synchronize()
            of_planner = time.perf_counter() - begun
            # The tuner's kernels have a different constant `weight_offset`, so the kernels that the planner has
            # compiled are not reused.
            begun = time.perf_counter()
            key = "/".join(map(str, problem))
            plans = configurations(case.feasible(case.choose().problem))
            runs = [lambda plan=plan, case=case: case.run(plan, weight_offset=1.0) for plan in plans]
            if key not in known:
                works = compile_all(pool, runs)
                times = [
                    bench(run, None)[0] if is_working else float("inf")
                    for run, is_working in zip(runs, works, strict=True)
                ]
                known[key] = times.index(min(times))
            runs[known[key]]()
            torch.cuda.synchronize()
            of_tuner = time.perf_counter() - begun
            if problem != warmup:
                found.append({PLANNER: of_planner, TUNER: of_tuner})
    choices.write_text(json.dumps(known))
    print(json.dumps(found))


def in_new_processes(count):
    """Returns the seconds to the first launch of each problem, in a process with an empty cache and in a process with a
    filled cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOCKET_CACHE_DIR": os.path.join(folder, "cache")}
        command = [sys.executable, __file__, "--first", str(count), "--choices", os.path.join(folder, "choices.json")]
        found = {}
        for name in ("cold", "cached"):
            result = subprocess.run(command, env=environment, capture_output=True, text=True)
            if result.returncode:
                sys.exit(f"first launches fail:\n{result.stderr[-3000:]}")
            found[name] = json.loads(result.stdout.splitlines()[-1])
        return found


def summary(results, measured, first):
    """Adds the tables of regret and of first launches to `results`, and prints them."""
    table = results.table("regret", "regret over the fastest timed plan", "%", better="lower", ours=(PLANNER,))
    each = {name: [100 * (times[name] / times["best"] - 1) for _, times in measured] for name in (PLANNER, TUNER)}
    statistic = {
        "mean": statistics.mean,
        "median": statistics.median,
        "95th percentile": lambda values: sorted(values)[min(int(0.95 * len(values)), len(values) - 1)],
        "maximum": max,
        "problems over 5 %": lambda values: 100 * sum(value > 5 for value in values) / len(values),
    }
    for name, of in statistic.items():
        table.add(name, {rival: of(values) for rival, values in each.items()}, problems=len(measured))
    for operation in OPERATIONS:
        of_operation = [times for case, times in measured if case.operation == operation]
        if of_operation:
            rates = {n: statistics.mean(100 * (t[n] / t["best"] - 1) for t in of_operation) for n in (PLANNER, TUNER)}
            table.add(f"mean, {operation}", rates, problems=len(of_operation))
    table.show(digits=1)
    launches = results.table(
        "first launch", "time to the first launch, median", "ms", better="lower", ours=(PLANNER,), method="host clock"
    )
    for name, found in first.items():
        seconds = {rival: statistics.median(one[rival] for one in found) for rival in (PLANNER, TUNER)}
        launches.add(name, {rival: 1e3 * value for rival, value in seconds.items()}, seconds, problems=len(found))
    launches.show(digits=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=150, help="seconds after which no batch of problems begins")
    parser.add_argument("--launches", type=int, default=8, help="problems whose first launches are measured")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--choices", type=pathlib.Path, help=argparse.SUPPRESS)
    results = Results("norms_planner", inputs=NORMAL, method=GRAPHS)
    results.add_option(parser)
    options = parser.parse_args()
    if options.first:
        return first_launches(options.first, options.choices)
    first = in_new_processes(options.launches)
    measured = regrets(random_problems(options.problems, seed=0), options.seconds)
    if not measured:
        sys.exit("no problem was measured")
    summary(results, measured, first)
    results.save(options)


if __name__ == "__main__":
    main()
