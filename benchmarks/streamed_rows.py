"""Measures cross-entropy of long rows by the plan that `rowwise.choose` returns, and by other streaming plans.

    python benchmarks/streamed_rows.py [--json FILE]

The plans differ in the number of warps, the elements that a lane loads at a time, and the number of resident blocks per
SM, which limits the registers. Rates in TB/s count the logits once. Inputs are normal-distributed; times are medians of
interleaved runs with the L2 flushed. The losses of all plans are compared with PyTorch's.
"""

import dataclasses

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results

from hocket.kernels import rowwise
from hocket.kernels.norms.plan import STREAMING
from hocket.kernels.rowwise import launch, losses

SHAPES = ((8192, 32000), (16384, 16384), (4096, 128256))
#: Warps, elements of a lane, resident blocks per SM.
PLANS = (
    (8, 32, 2), (8, 32, 3), (4, 32, 4), (4, 32, 5), (4, 32, 6), (8, 16, 3), (8, 16, 4), (4, 16, 8), (4, 64, 3),
    (8, 64, 1), (16, 32, 1), (16, 16, 2),
)  # fmt: skip
REGISTERS = 65536


def plan_for(chosen, num_warps: int, elements: int, blocks_per_sm: int):
    """Returns the chosen streaming plan with other parameters."""
    lanes = num_warps * chosen.machine.lanes
    registers = min(REGISTERS // (blocks_per_sm * lanes) // 8 * 8, 248)
    return dataclasses.replace(
        chosen, schedule=STREAMING, num_warps=num_warps, warps_per_row=num_warps, block=lanes * elements,
        elements=elements, blocks_per_multiprocessor=blocks_per_sm, registers=registers,
    )  # fmt: skip


def runs_of(x: torch.Tensor, targets: torch.Tensor):
    """Returns a function for each plan."""
    expected = torch.nn.functional.cross_entropy(x.float(), targets, reduction="none")
    chosen = rowwise.choose(*x.shape, "bfloat16", "cross_entropy", x)
    of_planner, runs = launch.plan_for, {}
    for parameters in (None, *PLANS):
        plan = chosen if parameters is None else plan_for(chosen, *parameters)
        launch.plan_for = lambda *_, plan=plan: plan
        run = losses._prepare_forward(x, targets, "cross_entropy", None, -100, 0.0, 0.0, "none")
        launch.plan_for = of_planner
        torch.testing.assert_close(run(x, targets)[0], expected, atol=1e-3, rtol=1e-3)
        runs["choice" if parameters is None else "{}w {}e {}b".format(*parameters)] = lambda run=run: run(x, targets)
    return runs


def main() -> None:
    results = Results("streamed_rows", inputs=NORMAL, method=INTERLEAVED)
    options = results.options(__doc__)
    torch.manual_seed(0)
    table = results.table("plans", f"cross-entropy on {torch.cuda.get_device_name()}", "TB/s", ours=("choice",))
    for rows, columns in SHAPES:
        x = torch.randn(rows, columns, device="cuda", dtype=torch.bfloat16)
        targets = torch.randint(columns, (rows,), device="cuda")
        seconds = gpu_times(runs_of(x, targets), rounds=15)
        table.add(
            f"{rows}x{columns}",
            {name: x.nbytes / time / 1e12 for name, time in seconds.items()},
            seconds=seconds,
            dtype="bfloat16",
            rows=rows,
            columns=columns,
        )
        print(rows, columns, {name: round(x.nbytes / time / 1e12, 2) for name, time in seconds.items()}, flush=True)
    table.show(2)
    results.save(options)


if __name__ == "__main__":
    main()
