"""Fits the constants of `hocket/kernels/norms/predict.py` to measurements of `norms.py --records`.

    python benchmarks/norms.py --fit benchmarks/norms_*.json

The fit minimizes the mean square of log(predicted / measured) by steps along one constant at a time. Every fourth case
is excluded from the fit. The quality of the chosen plans is printed separately for fitted and for excluded cases.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import statistics

from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.predict import CONSTANTS, predict
from hocket.kernels.norms.problem import checked_problem, machine_of

#: Names of the fitted constants. All other constants are from datasheets, or are set by `settle`.
FITTED = ("barrier", "tile_waits", "specialized_start", "exchange", "piece", "narrow")
STEPS = (1.3, 1.1, 1.03, 1.01)
#: Weight of errors in the ratio between the times of two plans of a problem, relative to errors in the times: the
#: choice of a plan depends only on the ratios.
RANKING = 30
MOST_ROUNDS = 40
#: Candidates for the constants `begin` (seconds) and `in_step` (a factor), which `settle` chooses.
BEGIN = tuple(0.1e-6 * step for step in range(13))
IN_STEP = tuple(1 + 0.01 * step for step in range(13))


#: Fields that identify a plan of a problem. All other fields are computed from these fields, possibly by an older
#: version in a record.
KEYS = (
    "schedule", "num_ctas", "num_warps", "rows_per_tile", "elements", "prefetches", "rereads", "groups", "keeps_sums",
    "pieces", "blocks_per_multiprocessor",
)  # fmt: skip
#: Values of fields that are missing in old records.
EARLIER = {"num_ctas": 1, "keeps_sums": False, "streams": False, "pieces": 1}


def read(paths):
    """Returns a list of (plan, seconds) for each case (op, rows, columns, dtype). For repeated measurements of a plan,
    the seconds are the median."""
    times = {}
    for path in paths:
        with open(path) as file:
            records = json.load(file)["records"]
        for record in records:
            if "plan" in record:
                case = record["op"], record["rows"], record["columns"], record["dtype"]
                plan = tuple(record["plan"].items())
                times.setdefault(case, {}).setdefault(plan, []).append(record["seconds"])
    cases = {}
    for case, by_plan in times.items():
        size = 4 if case[3] == "float32" else 2
        facts = {"is_aligned": case[2] * size % 16 == 0, "has_bias": case[0].startswith("layer")}
        problem = checked_problem(*case, **facts)
        plans = {tuple(getattr(plan, key) for key in KEYS): plan for plan in plans_of(problem, machine_of("sm_90a"))}
        for recorded, seconds in by_plan.items():
            fields = EARLIER | dict(recorded)
            if (plan := plans.get(tuple(fields[key] for key in KEYS))) is not None:
                plan = dataclasses.replace(plan, **fields)
                cases.setdefault(case, []).append((plan, statistics.median(seconds)))
    return cases


def error(cases, constants):
    """Returns the mean square of log(predicted / measured) over all plans, plus RANKING times the mean square of the
    deviation of this logarithm from its mean in each case."""
    total = count = 0
    for case in cases.values():
        logs = [math.log(predict(plan, constants) / seconds) for plan, seconds in case]
        mean = sum(logs) / len(logs)
        total += sum(value**2 + RANKING * (value - mean) ** 2 for value in logs)
        count += len(logs)
    return total / count


def descend(cases, constants):
    """Returns the fitted constants and their error. No change of a single constant by a factor in STEPS reduces this
    error."""
    best = error(cases, constants)
    for step in STEPS:
        for _ in range(MOST_ROUNDS):
            moved = False
            for name in FITTED:
                for factor in (step, 1 / step):
                    value = getattr(constants, name) * factor
                    other = dataclasses.replace(constants, **{name: value})
                    if (new := error(cases, other)) < best * (1 - 1e-6):
                        constants, best, moved = other, new, True
            if not moved:
                break
    return constants, best


def settle(cases, constants):
    """Returns the constants with the values of `begin` and `in_step` that choose the fastest plans. The error of
    `descend` cannot determine these two constants, because predicted times hardly depend on them."""
    candidates = [
        dataclasses.replace(constants, begin=begin, in_step=in_step)
        for begin, in_step in itertools.product(BEGIN, IN_STEP)
    ]
    return max(candidates, key=lambda candidate: sum(map(math.log, shares_of(cases, candidate))))


def shares_of(cases, constants):
    """Returns for each case with several plans: time of the fastest plan / time of the plan that `constants` choose."""
    shares = []
    for case in cases.values():
        if len(case) > 1:
            chosen = min(case, key=lambda pair: predict(pair[0], constants))
            shares.append(min(seconds for _, seconds in case) / chosen[1])
    return shares


def quality(cases, constants):
    """Returns a text with the geometric mean and the minimum of the values of `shares_of`."""
    shares = shares_of(cases, constants)
    if not shares:
        return "no case has a choice"
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    return f"{len(shares)} cases: geometric mean {mean:.3f}, least {min(shares):.3f} of the best"


def fit(paths):
    cases = read(paths)
    print(f"{len(cases)} cases, {sum(map(len, cases.values()))} plans")
    keys = sorted(cases)
    held_out = {key: cases[key] for key in keys[3::4]}
    used = {key: cases[key] for key in keys if key not in held_out}
    constants = CONSTANTS["sm_90a"]
    print(f"before: error {math.sqrt(error(used, constants)):.3f}; {quality(cases, constants)}")
    constants, _ = descend(used, constants)
    constants = settle(used, constants)
    left = math.sqrt(error(used, constants))
    print(f"after: error {left:.3f} on {len(used)} cases, fitted ones: {quality(used, constants)}")
    if held_out:
        print(f"error {math.sqrt(error(held_out, constants)):.3f} on others: {quality(held_out, constants)}")
    print_worst(cases, constants)
    print(constants)


def print_worst(cases, constants, count=8):
    """Prints the cases in which the chosen plan is slowest relative to the fastest plan."""
    lost = []
    for case, pairs in cases.items():
        chosen, seconds = min(pairs, key=lambda pair: predict(pair[0], constants))
        best, least = min(pairs, key=lambda pair: pair[1])
        lost.append((least / seconds, case, _short(chosen), _short(best)))
    for share, (op, rows, columns, _), chosen, best in sorted(lost)[:count]:
        print(f"  {share:.3f} {op} {rows} x {columns}: {chosen}; best: {best}")


def _short(plan):
    return " ".join(f"{getattr(plan, key)}" for key in KEYS)
