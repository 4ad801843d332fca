"""`hocket.kernels.norms` beside PyTorch, torch.compile, a Triton kernel in its tutorial's form, and quack.

    python benchmarks/norms.py --seconds 240 --json norms.json
    python benchmarks/norms.py --shapes 16384x4096,8192x16384 --ops rms_norm_backward --variants --json variants.json
    python benchmarks/norms.py --fit norms.json variants.json

TB/s count each matrix once: 3 R H elements backward, 2 R H forward. Each rival is captured in a CUDA graph and
replayed; the L2 is flushed before each replay; figures are medians of interleaved runs of normal-distributed inputs.
Both schedules run on every shape that they fit; "auto" is what `norms.choose` takes. `--variants` times every feasible
plan instead, for `--fit`, which prints the constants of `predict.py` that explain the times best, and how good its
choices then are.
"""

import argparse
import json
import time

import torch
from interleave import gpu_times, print_table
from norms_peers import EPS, backward_peers, forward_peers, torch_norm

from hocket.kernels.norms import choose, launch
from hocket.kernels.norms.choose import machine_for
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.plan import STREAMING

#: Of figures.md first; then the sweep, odd columns among it.
SHAPES = ((16384, 4096), (16384, 8192), (16384, 1024), (8192, 16384))
SWEEP = tuple(
    (rows, columns)
    for columns in (2048, 4096, 8192, 1024, 6144, 16384, 12288, 4095, 32768, 1023, 5120, 768, 24576)
    for rows in (32768, 8192, 2048)
    if rows * columns <= 1 << 29
)
BACKWARD = ("rms_norm_backward", "layer_norm_backward")
FORWARD = ("rms_norm", "layer_norm")
PEERS = ("torch", "triton", "quack", "compile")


def make_inputs(op, rows, columns, dtype):
    """x, dy, weight, bias or None, mean or None, reciprocal deviation."""
    torch.manual_seed(rows + columns)
    x, dy = (torch.randn(rows, columns, device="cuda").to(dtype) for _ in range(2))
    weight = torch.randn(columns, device="cuda").to(dtype)
    bias = torch.randn(columns, device="cuda").to(dtype) if op.startswith("layer") else None
    values = x.float()
    mean = values.mean(1) if bias is not None else None
    if mean is not None:
        values = values - mean[:, None]
    return x, dy, weight, bias, mean, torch.rsqrt(values.square().mean(1) + EPS)


def run_plan(op, plan, inputs):
    """A function that launches one plan."""
    x, dy, weight, bias, mean, rstd = inputs
    if op in FORWARD:
        out = torch.empty_like(x)
        return lambda: launch.forward(op, x, None, weight, bias, EPS, out, None, plan)[0]
    return lambda: launch.backward(op, dy, x, weight, mean, rstd, bias is not None, None, None, plan)


def is_right(op, name, run, inputs):
    """Whether a plan's results are what PyTorch computes in float32; says so if not."""
    x, dy, weight, bias, *_ = inputs
    leaves = [tensor.detach().float().requires_grad_() for tensor in (x, weight, bias) if tensor is not None]
    y = torch_norm(*leaves, *([None] if bias is None else []))
    try:
        results = run()
    except Exception as error:
        print(f"  {op} {tuple(x.shape)}: {name} fails: {str(error)[:300]}", flush=True)
        return False
    expected = [y.detach()] if op in FORWARD else torch.autograd.grad(y, leaves, dy.float())
    for result, wanted in zip([results] if op in FORWARD else results, expected, strict=False):
        scale = wanted.abs().max().item()
        error = (result.float() - wanted).abs().max().item()
        if not error <= 1e-2 * scale:
            print(f"  {op} {tuple(x.shape)}: {name} is WRONG by {error} of {scale}", flush=True)
            return False
    return True


def as_graphs(rivals, stream):
    """Each rival as the replay of a CUDA graph; those that cannot be captured are left out, with the reason."""
    graphs = {}
    for name, run in rivals.items():
        try:
            with torch.cuda.stream(stream):
                for _ in range(2):
                    run()
            stream.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                run()
            graphs[name] = graph.replay
        except Exception as error:
            print(f"  {name} is left out: {type(error).__name__}: {str(error).splitlines()[0][:120]}", flush=True)
            torch.cuda.synchronize()
    return graphs


def facts_of_plan(plan):
    names = (
        "schedule num_warps warps_per_row rows_per_tile block elements vector prefetches rereads groups stages "
        "blocks_per_multiprocessor blocks registers registers_needed shared_bytes keeps_sums"
    ).split()
    return {name: getattr(plan, name) for name in names}


def plans_for(op, rows, columns, dtype, x, variants):
    """Plans to time, by name: the best of each schedule, or all."""
    name = str(dtype).removeprefix("torch.")
    size = x.element_size()
    facts = {"is_aligned": columns * size % 16 == 0, "has_bias": op.startswith("layer")}
    auto = choose(rows, columns, name, op, x, **facts)
    if variants:
        every = plans_of(auto.problem, machine_for(x))
        resident = [plan for plan in every if plan.schedule != STREAMING] or every
        return {f"plan {i}": plan for i, plan in enumerate(resident)}, auto
    plans = {}
    for schedule in ("multi-wave", "warp-specialised", "streaming"):
        try:
            plans[schedule] = choose(rows, columns, name, op, x, schedule=schedule, **facts)
        except Exception:
            continue
    if len(plans) > 1 and auto.schedule != STREAMING:
        plans.pop(STREAMING)
    return plans, auto


def measure(op, rows, columns, dtype, peers, variants, rounds, records):
    inputs = make_inputs(op, rows, columns, dtype)
    x, dy, weight, bias, *_ = inputs
    plans, auto = plans_for(op, rows, columns, dtype, x, variants)
    rivals = {name: run_plan(op, plan, inputs) for name, plan in plans.items()}
    rivals = {name: run for name, run in rivals.items() if is_right(op, name, run, inputs)}
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        if op in FORWARD:
            rivals.update(forward_peers(x, weight, bias, peers))
        else:
            rivals.update(backward_peers(dy, x, weight, bias, peers))
    stream.synchronize()
    times = gpu_times(as_graphs(rivals, stream), rounds)
    moved = auto.problem.bytes_moved
    for name, seconds in times.items():
        record = {
            "op": op, "rows": rows, "columns": columns, "dtype": str(dtype).removeprefix("torch."), "rival": name,
            "seconds": seconds, "terabytes_per_second": moved / seconds / 1e12,
        }  # fmt: skip
        if name in plans:
            record["plan"] = facts_of_plan(plans[name])
            record["is_auto"] = plans[name].schedule == auto.schedule and not variants
        records.append(record)
    figures = {name: f"{moved / seconds / 1e12:.2f}" for name, seconds in times.items()}
    return figures, auto.schedule


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="begin no further shape after so many")
    parser.add_argument("--shapes", help="such as 16384x4096,8192x16384; else those of the sweep, the main ones first")
    parser.add_argument("--ops", default=",".join(BACKWARD + FORWARD))
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--peers", default="torch,triton,quack", help=f"of {', '.join(PEERS)}; compile takes long")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--variants", action="store_true", help="time all plans, and no peers")
    parser.add_argument("--json", help="write all figures to this file")
    parser.add_argument("--fit", nargs="+", metavar="JSON", help="fit the model to figures; needs no GPU")
    options = parser.parse_args()
    if options.fit:
        from norms_fit import fit

        return fit(options.fit)
    shapes = [tuple(map(int, shape.split("x"))) for shape in options.shapes.split(",")] if options.shapes else None
    dtype = getattr(torch, options.dtype)
    peers = () if options.variants else options.peers.split(",")
    work = [(op, shape) for op in options.ops.split(",") for shape in (shapes or SHAPES)]
    if shapes is None:
        work += [(op, shape) for shape in SWEEP for op in options.ops.split(",") if shape not in SHAPES]
    records, rows = [], []
    started = time.monotonic()
    names = []
    for op, shape in work:
        if time.monotonic() - started > options.seconds:
            print(f"out of time: {len(work) - len(rows)} cases are left out")
            break
        try:
            figures, chosen = measure(op, *shape, dtype, peers, options.variants, options.rounds, records)
        except torch.cuda.OutOfMemoryError:
            continue
        names += [name for name in figures if name not in names]
        rows.append((op, "x".join(map(str, shape)), chosen, figures))
        print(
            op, shape, f"auto: {chosen};", ", ".join(f"{name} {value}" for name, value in figures.items()), flush=True
        )
        if options.json:
            with open(options.json, "w") as file:
                device = torch.cuda.get_device_name()
                json.dump({"device": device, "rounds": options.rounds, "records": records}, file, indent=1)
    table = [[op, shape, chosen, *(figures.get(name, "-") for name in names)] for op, shape, chosen, figures in rows]
    if not options.variants:
        print_table(f"TB/s on {torch.cuda.get_device_name()}, medians", ["op", "shape", "auto", *names], table)


if __name__ == "__main__":
    main()
