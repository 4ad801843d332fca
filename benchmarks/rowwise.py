"""Compares `hocket.kernels.rowwise` with PyTorch, torch.compile, Liger and quack, on a Hopper GPU.

    python benchmarks/rowwise.py --quick --json rowwise.json          # less than 3 minutes on an H200
    python benchmarks/rowwise.py --only softmax,cross_entropy         # all shapes of these families
    python benchmarks/rowwise.py --no-compile                         # without torch.compile

The rates in TB/s count each matrix once, even if an implementation reads a matrix several times. Each implementation is
captured in a CUDA graph and replayed; the L2 is flushed before each replay; times are medians of interleaved runs.
Inputs are normal-distributed. Each result of Hocket is first compared with PyTorch's. Peers that cannot be imported are
left out. `--explain` prints the plans of Hocket.
"""

import argparse
import sys
import time

import torch
from interleave import gpu_times
from norms_measure import as_graphs
from results import GRAPHS, NORMAL, Results
from rowwise_rivals import CHANNELS, FAMILIES

from hocket.kernels import rowwise


def results_of(run):
    """Calls `run`, and returns its resulting tensors as float32."""
    values = run()
    values = values if isinstance(values, tuple) else (values,)
    return [value.float() for value in values if isinstance(value, torch.Tensor)]


def is_right(name, functions):
    """Returns True if Hocket's results are close to PyTorch's; prints a message otherwise."""
    for result, expected in zip(results_of(functions["Hocket"]), results_of(functions["torch"]), strict=False):
        # The tolerance is larger for float8 results, because adjacent float8 numbers differ by more.
        scale = expected.abs().max().item()
        difference = (result.view(expected.shape) - expected).abs().max().item()
        if not difference <= (0.08 if "quantized" in name else 0.02) * scale:
            print(f"  {name}: Hocket is WRONG by {difference} of {scale}", flush=True)
            return False
    return True


def explain(name, rows, columns, dtype):
    operation = name.split(",")[0]
    facts = {"has_residual": True} if "quantized" in name else {}
    if operation == "group_norm_backward":  # a row of its plans is a channel
        rows, columns = rows * CHANNELS, columns // CHANNELS
    x = torch.empty(1, device="cuda")
    print(rowwise.choose(rows, columns, str(dtype).removeprefix("torch."), operation, x, **facts).explain())


def measure_family(results, family, options, deadline, stream):
    """Measures a family of operations, and adds a table for each operation to `results`."""
    make, shapes, quick_shapes = FAMILIES[family]
    dtype, tables = getattr(torch, options.dtype), {}
    for rows, columns in quick_shapes if options.quick else shapes:
        if time.monotonic() > deadline:
            print(f"out of time: {family} {rows}x{columns} is left out", flush=True)
            continue
        begun = time.monotonic()
        torch.manual_seed(rows + columns)
        with torch.cuda.stream(stream):  # autograd computes gradients on the stream of the forward pass
            cases = make(rows, columns, dtype, not options.no_compile)
        stream.synchronize()
        for name, (functions, size) in cases.items():
            if options.explain and "both" not in name:
                explain(name, rows, columns, dtype)
            # Functions that run both passes are not checked: they overwrite their logits with gradients, so further
            # calls have other results.
            if "both" not in name and not is_right(f"{name} {rows}x{columns}", functions):
                functions.pop("Hocket")
            times = gpu_times(as_graphs(functions, stream), rounds=options.rounds)
            rates = {rival: size / seconds / 1e12 for rival, seconds in times.items()}
            if name not in tables:
                tables[name] = results.table(name, name, "TB/s")
            row = f"{options.dtype} {rows}x{columns}"
            tables[name].add(row, rates, seconds=times, dtype=options.dtype, rows=rows, columns=columns)
        print(f"{family} {rows}x{columns}: {time.monotonic() - begun:.0f} s", flush=True)
        del cases, functions
        torch.cuda.empty_cache()
    for table in tables.values():
        table.show(digits=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"families, of: {', '.join(FAMILIES)}")
    parser.add_argument("--quick", action="store_true", help="one or two shapes of each family, 20 rounds, 150 seconds")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--rounds", type=int, help="30 by default")
    parser.add_argument("--seconds", type=float, help="seconds after which no shape begins; 540 by default")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--explain", action="store_true", help="print the plans of Hocket")
    results = Results("rowwise", inputs=NORMAL, method=GRAPHS)
    results.add_option(parser)
    options = parser.parse_args()
    options.rounds = options.rounds or (20 if options.quick else 30)
    deadline = time.monotonic() + (options.seconds or (150 if options.quick else 540))
    families = options.only.split(",") if options.only else list(FAMILIES)
    if unknown := set(families) - set(FAMILIES):
        sys.exit(f"no family {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    stream = torch.cuda.Stream()
    for family in families:
        measure_family(results, family, options, deadline, stream)
    results.save(options)


if __name__ == "__main__":
    main()
