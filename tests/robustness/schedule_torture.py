"""CDNA's kernels, and normalizations, under many schedules of warps, blocks and copies: too long for the tests.

    python tests/robustness/schedule_torture.py [SCHEDULES] [NAME ...]

Prints a line per launch, and what `hocket.check` found. Exit status 1 if it found anything, or results differ.
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys

import numpy as np

import hocket
from hocket.kernels import attention_varlen, matmul

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "numerics/support"))
import norms_launches
import pipelined_kernels
import scaled_cases
from attention_reference import reference

from hocket.kernels._matmul.plan_cdna import CdnaPlan, Tile


def shared_product(plan: CdnaPlan, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns a split-K GEMM over three blocks, and its expected result."""
    a, b = pipelined_kernels.random(plan.tile.m, k), pipelined_kernels.random(k, plan.tile.n)
    plan = dataclasses.replace(plan, splits=3)
    return matmul(a, b, out_dtype="float32", plan=plan), a.astype(np.float32) @ b.astype(np.float32)


def varlen(pipelined: bool) -> tuple[np.ndarray, np.ndarray]:
    """Three sequences, one of them without keys, causal; what it should be by `attention`, sequence by sequence."""
    lengths = ((150, 330), (40, 0), (257, 200))
    starts = [np.concatenate([[0], np.cumsum(column)]).astype(np.int32) for column in zip(*lengths, strict=True)]
    q, k, v = (pipelined_kernels.random(rows[-1], 2, 64) for rows in (starts[0], starts[1], starts[1]))
    expected = np.zeros_like(q)
    for row, key, (queries, keys) in zip(*starts, lengths, strict=False):
        if keys:
            parts = [
                x[at : at + n].swapaxes(0, 1)[None] for x, at, n in ((q, row, queries), (k, key, keys), (v, key, keys))
            ]
            expected[row : row + queries] = reference(*parts, True)[0][0].swapaxes(0, 1)
    return attention_varlen(q, k, v, *starts, 257, causal=True, pipelined=pipelined), expected


#: By name the target, and a function that returns the result and what it should be.
LAUNCHES = {
    **pipelined_kernels.LAUNCHES,
    **norms_launches.LAUNCHES,
    "split-K, gfx942": ("gfx942", lambda: shared_product(CdnaPlan(Tile(64, 64, 2, 2), 64, False, 1, False), 560)),
    "split-K, gfx950": ("gfx950", lambda: shared_product(CdnaPlan(Tile(64, 64, 2, 2), 64, True, 2, False), 560)),
    "split-K, pipelined, gfx942": (
        "gfx942",
        lambda: shared_product(CdnaPlan(pipelined_kernels.QUADRANTS_TILE, 64, False, 1, True), 960),
    ),
    "split-K, pipelined, gfx950": (
        "gfx950",
        lambda: shared_product(CdnaPlan(pipelined_kernels.QUADRANTS_TILE, 64, True, 2, True), 960),
    ),
    "attention_varlen, gfx942": ("gfx942", lambda: varlen(True)),
    "attention_varlen, gfx950": ("gfx950", lambda: varlen(True)),
    "attention_varlen, in step, gfx942": ("gfx942", lambda: varlen(False)),
    "attention_varlen, in step, gfx950": ("gfx950", lambda: varlen(False)),
    "matmul_scaled, in step": ("gfx950", lambda: scaled_cases.product("float8_e4m3fn", 100, 70, 544)),
    "matmul_scaled, MXFP8": (
        "gfx950",
        lambda: scaled_cases.product("float8_e4m3fn", 272, 128, 1440, pipelined_kernels.QUADRANTS),
    ),
}


def main(arguments: list[str]) -> int:
    schedules = int(arguments[0]) if arguments else 200
    failed = 0
    for name in arguments[1:] or LAUNCHES:
        target, launch = LAUNCHES[name]
        with hocket.emulator.target(target):
            is_right = pipelined_kernels.is_right(launch)
        report = hocket.check(lambda launch=launch: launch()[0], target=target, schedules=schedules)
        is_good = is_right and report.ok and report.results == 1
        failed += not is_good
        print(f"{name}: {len(report.schedules)} schedules, {'nothing found' if is_good else report}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
