"""Fits the constants of `hocket/kernels/norms/predict.py` to what `norms.py --json` has measured.

    python benchmarks/norms.py --fit norms.json variants.json

The constants that make the squares of the logarithms of predicted / measured least, by steps along one constant at a
time. One shape in four is kept out of the fit; how good the choices are is said for these, and for the others, apart.
"""

from __future__ import annotations

import dataclasses
import json
import math

from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.predict import CONSTANTS, predict
from hocket.kernels.norms.problem import checked_problem, machine_of

#: Constants that are fitted; what is left as it is comes from datasheets.
FITTED = ("reach", "latency", "issue", "start", "barrier", "l2", "not_ahead", "turn", "reread_instructions")
STEPS = (1.3, 1.1, 1.03)
MOST_ROUNDS = 40


def read(paths):
    """(plan, seconds) of all records with a plan, by (op, rows, columns, dtype)."""
    cases = {}
    for path in paths:
        with open(path) as file:
            records = json.load(file)["records"]
        for record in records:
            if "plan" not in record:
                continue
            key = record["op"], record["rows"], record["columns"], record["dtype"]
            size = 4 if record["dtype"] == "float32" else 2
            facts = {"is_aligned": record["columns"] * size % 16 == 0, "has_bias": record["op"].startswith("layer")}
            problem = checked_problem(key[0], key[1], key[2], key[3], **facts)
            for plan in plans_of(problem, machine_of("sm_90a")):
                if all(getattr(plan, name) == value for name, value in record["plan"].items()):
                    cases.setdefault(key, []).append((plan, record["seconds"]))
    return cases


def error(cases, constants):
    """Mean square of log(predicted / measured)."""
    logs = [math.log(predict(plan, constants) / seconds) for case in cases.values() for plan, seconds in case]
    return sum(value * value for value in logs) / len(logs)


def descend(cases, constants):
    """The constants from which no single step leads to a smaller error."""
    best = error(cases, constants)
    for step in STEPS:
        for _ in range(MOST_ROUNDS):
            moved = False
            for name in FITTED:
                for factor in (step, 1 / step):
                    value = getattr(constants, name) * factor
                    if name in ("reach", "not_ahead") and value > 1:
                        continue
                    other = dataclasses.replace(constants, **{name: value})
                    if (new := error(cases, other)) < best * (1 - 1e-6):
                        constants, best, moved = other, new, True
            if not moved:
                break
    return constants, best


def quality(cases, constants):
    """Of the choices: the geometric mean and the least of (best measured) / (measured time of what is chosen)."""
    shares = []
    for case in cases.values():
        if len(case) > 1:
            chosen = min(case, key=lambda pair: predict(pair[0], constants))
            shares.append(min(seconds for _, seconds in case) / chosen[1])
    if not shares:
        return "no case has a choice"
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    return f"{len(shares)} cases: geometric mean {mean:.3f}, least {min(shares):.3f} of the best"


def fit(paths):
    cases = read(paths)
    keys = sorted(cases)
    held_out = {key: cases[key] for key in keys[3::4]}
    used = {key: cases[key] for key in keys if key not in held_out}
    constants = CONSTANTS["sm_90a"]
    print(f"before: error {math.sqrt(error(used, constants)):.3f}; {quality(cases, constants)}")
    constants, best = descend(used, constants)
    print(f"after: error {math.sqrt(best):.3f} on {len(used)} cases, fitted ones: {quality(used, constants)}")
    if held_out:
        print(f"error {math.sqrt(error(held_out, constants)):.3f} on others: {quality(held_out, constants)}")
    print(constants)
