"""Measures the cases of `norms.py` on a GPU."""

import concurrent.futures
import contextlib
import ctypes
import dataclasses
import json
import os
import time

import torch
from interleave import gpu_times, print_table
from norms_peers import EPS, backward_peers, forward_peers, torch_norm

from hocket.kernels.norms import choose, launch
from hocket.kernels.norms.choose import machine_for
from hocket.kernels.norms.feasible import plans_of
from hocket.kernels.norms.plan import SCHEDULES, STREAMING
from hocket.kernels.norms.predict import predict

#: Fields of a plan that are stored with its measured time.
FACTS = (
    "schedule num_ctas num_warps warps_per_row rows_per_tile block elements vector prefetches rereads groups stages "
    "blocks_per_multiprocessor blocks registers registers_needed shared_bytes keeps_sums streams pieces"
).split()


def make_inputs(op, rows, columns, dtype):
    """Returns x, dy, weight, bias, mean and the reciprocal standard deviation. For RMSNorm, bias and mean are None."""
    torch.manual_seed(rows + columns)
    x, dy = (torch.randn(rows, columns, device="cuda", dtype=dtype) for _ in range(2))
    weight = torch.randn(columns, device="cuda").to(dtype)
    bias = torch.randn(columns, device="cuda").to(dtype) if op.startswith("layer") else None
    values = x.float()
    mean = values.mean(1) if bias is not None else None
    if mean is not None:
        values = values - mean[:, None]
    return x, dy, weight, bias, mean, torch.rsqrt(values.square().mean(1) + EPS)


def run_plan(op, plan, inputs):
    """Returns a function that launches the kernel of `plan`."""
    x, dy, weight, bias, mean, rstd = inputs
    if not op.endswith("backward"):
        out = torch.empty_like(x)
        return lambda: launch.forward(op, x, None, weight, bias, EPS, out, None, plan)[0]
    return lambda: launch.backward(op, dy, x, weight, mean, rstd, bias is not None, None, None, plan)


def expected_of(op, inputs):
    """Returns the results that PyTorch computes in float32."""
    x, dy, weight, bias, *_ = inputs
    leaves = [tensor.detach().float().requires_grad_() for tensor in (x, weight, bias) if tensor is not None]
    y = torch_norm(*leaves, *([None] if bias is None else []))
    return list(torch.autograd.grad(y, leaves, dy.float())) if op.endswith("backward") else [y.detach()]


def is_right(op, name, run, expected):
    """Returns True if the results of a plan are close to `expected`. Otherwise, or if the plan fails, prints a
    message."""
    try:
        results = run()
    except Exception as error:
        print(f"  {op} {tuple(expected[0].shape)}: {name} fails: {str(error)[:300]}", flush=True)
        return False
    for result, wanted in zip(results if op.endswith("backward") else [results], expected, strict=False):
        scale = wanted.abs().max().item()
        error = (result.float() - wanted).abs_().max().item()
        if not error <= 1e-2 * scale:
            print(f"  {op} {tuple(expected[0].shape)}: {name} is WRONG by {error} of {scale}", flush=True)
            return False
    return True


def as_graphs(rivals, stream):
    """Captures each implementation in a CUDA graph, and returns functions that replay the graphs. Leaves out
    implementations that cannot be captured, and prints the reason."""
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


def compile_all(rivals):
    """Compiles all kernels in parallel, by running each function once. Errors are ignored, because the next run raises
    them again."""

    def run_quietly(run):
        with contextlib.suppress(Exception):
            run()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(run_quietly, rivals))
    torch.cuda.synchronize()


def name_of(plan):
    """Returns a name that identifies a plan among all plans of its problem."""
    parts = [plan.schedule, f"{plan.num_warps}w", f"{plan.rows_per_tile}r", f"{plan.elements}e"]
    if plan.num_ctas > 1:
        parts.insert(1, f"{plan.num_ctas}c")
    if plan.groups > 1:
        parts.append(f"{plan.groups}g")
    parts.append(f"{plan.blocks_per_multiprocessor}b")
    parts += [f"{plan.pieces}p"] if plan.pieces > 1 else []
    parts += [f"{plan.stages}s"] if plan.stages > 1 else []
    for name in ("prefetches", "rereads", "keeps_sums", "streams"):
        parts += [name] if getattr(plan, name) else []
    return " ".join(parts)


def plans_for(op, rows, columns, dtype, x, count):
    """Returns the plans to measure by name, and the plan that `choose` returns. With a negative `count`, the plans are
    the chosen plan with both cache policies, otherwise the `count` best plans of each variant by the model."""
    name = str(dtype).removeprefix("torch.")
    facts = {"is_aligned": columns * x.element_size() % 16 == 0, "has_bias": op.startswith("layer")}
    auto = choose(rows, columns, name, op, x, **facts)
    if count < 0:
        plans = [auto, dataclasses.replace(auto, streams=not auto.streams)]
        return {name_of(plan): plan for plan in plans}, auto
    every = sorted(plans_of(auto.problem, machine_for(x)), key=predict)
    plans = {}
    for schedule in SCHEDULES:
        best = [plan for plan in every if plan.schedule == schedule]
        # Only the best streaming plan is measured, because streaming is slow.
        plans.update({name_of(plan): plan for plan in best[: 1 if schedule == STREAMING and count else count]})
    if columns <= 16384 and count:
        plans = {name: plan for name, plan in plans.items() if plan.schedule != STREAMING} or plans
    return plans, auto


def softmax_rivals(rows, columns, dtype, peers):
    """Returns the softmax implementations as functions without arguments by name, and the number of bytes that they
    read and write."""
    import triton
    from memory_bound import softmax_kernel, triton_softmax_kernel
    from norms_peers import quack

    x = torch.randn(rows, columns, device="cuda", dtype=dtype)
    out = torch.empty_like(x)
    rivals = {"torch": lambda: torch.softmax(x, dim=1)} if "torch" in peers else {}
    if "quack" in peers and quack is not None:
        rivals["quack"] = lambda: quack.softmax(x)
    for warps in (4, 8, 16, 32):
        if columns // warps // 32 < 8 or columns // warps // 32 > 64:
            continue
        rivals[f"hocket {warps}"] = lambda warps=warps: softmax_kernel[(rows,)](
            x, out, columns, columns, BLOCK=columns, VECTOR=8, num_warps=warps
        )
        if "triton" in peers:
            rivals[f"triton {warps}"] = lambda warps=warps: triton_softmax_kernel[(rows,)](
                x, out, columns, columns, BLOCK=triton.next_power_of_2(columns), num_warps=warps
            )
    return rivals, 2 * rows * columns * x.element_size()


def measure(op, rows, columns, dtype, variants, peers, rounds, stream):
    """Measures one case. Returns a record for each implementation."""
    plans, auto = {}, None
    stream.wait_stream(torch.cuda.current_stream())
    if op == "softmax":
        with torch.cuda.stream(stream):
            rivals, moved = softmax_rivals(rows, columns, dtype, peers)
    else:
        inputs = make_inputs(op, rows, columns, dtype)
        x, dy, weight, bias, *_ = inputs
        plans, auto = plans_for(op, rows, columns, dtype, x, variants)
        moved = auto.problem.bytes_moved
        expected = expected_of(op, inputs)
        rivals = {name: run_plan(op, plan, inputs) for name, plan in plans.items()}
        compile_all(rivals.values())
        rivals = {name: run for name, run in rivals.items() if is_right(op, name, run, expected)}
        del expected
        with torch.cuda.stream(stream):
            if op.endswith("backward"):
                rivals.update(backward_peers(dy, x, weight, bias, peers))
            else:
                rivals.update(forward_peers(x, weight, bias, peers))
    stream.synchronize()
    records = []
    for name, seconds in gpu_times(as_graphs(rivals, stream), rounds).items():
        record = {
            "op": op, "rows": rows, "columns": columns, "dtype": str(dtype).removeprefix("torch."), "rival": name,
            "seconds": round(seconds, 9), "terabytes_per_second": round(moved / seconds / 1e12, 4),
        }  # fmt: skip
        if name in plans:
            record["plan"] = {fact: getattr(plans[name], fact) for fact in FACTS}
            record["predicted"] = round(predict(plans[name]), 9)
            record["is_auto"] = name == name_of(auto)
        records.append(record)
    return records


#: An empty kernel. With `_SHARED_BYTES` of shared memory, only one block fits on an SM.
_PTX = b".version 8.0 .target sm_90 .address_size 64 .visible .entry empty() { ret; }"
_SHARED_BYTES = 200 << 10
_MAX_DYNAMIC_SHARED, _CLUSTER_DIMENSION = 8, 4


class _Attribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class _Config(ctypes.Structure):
    _fields_ = [
        ("sizes", ctypes.c_uint * 7), ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    ]  # fmt: skip


def clusters_at_once():
    """Returns how many clusters of 2, 4 and 8 blocks the GPU runs at once if an SM runs one block. Returns None if the
    driver rejects the kernel."""
    driver, module, function, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    torch.cuda.current_stream().synchronize()
    if driver.cuModuleLoadData(ctypes.byref(module), _PTX):
        return None
    driver.cuModuleGetFunction(ctypes.byref(function), module, b"empty")
    driver.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, _SHARED_BYTES)
    found = {}
    for blocks in (2, 4, 8):
        attribute = _Attribute(_CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(blocks, 1, 1))
        config = _Config(
            (ctypes.c_uint * 7)(blocks, 1, 1, 128, 1, 1, _SHARED_BYTES), None, ctypes.pointer(attribute), 1
        )
        status = driver.cuOccupancyMaxActiveClusters(ctypes.byref(count), function, ctypes.byref(config))
        found[blocks] = count.value if status == 0 else f"error {status}"
    return found


def facts_of_gpu():
    """Returns the properties of the GPU and the versions of packages, which affect the measurements."""
    facts = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "clusters": clusters_at_once()}
    for name in ("triton", "quack", "liger_kernel"):
        try:
            facts[name] = getattr(__import__(name), "__version__", "?")
        except ImportError:
            facts[name] = None
    return facts


def line_of(records):
    """Returns the TB/s of a case: of the fastest plan of each variant, of the chosen plan ("auto"), and of the
    peers."""
    figures = {}
    for record in records:
        speed = record["terabytes_per_second"]
        name = record["plan"]["schedule"] if "plan" in record else record["rival"]
        figures[name] = max(figures.get(name, 0.0), speed)
        if record.get("is_auto"):
            figures["auto"] = speed
    return figures


def run_all(work, options, started):
    """Measures the cases in `work` that are not in the records file, and prints a table after each chunk. Returns all
    records."""
    dtype = getattr(torch, options.dtype)
    stream = torch.cuda.Stream()
    stored = {"records": []}
    if options.records and os.path.exists(options.records):
        with open(options.records) as file:
            stored = json.load(file)
    stored.update(facts_of_gpu(), rounds=options.rounds)
    done = {tuple(key) for key in stored.setdefault("done", [])}
    rows_of_chunk, left = {}, 0
    for number, (chunk, op, rows, columns, variants, peers) in enumerate(work):
        key = op, rows, columns, options.dtype, variants, ",".join(peers)
        if key not in done:
            if time.monotonic() - started > options.seconds:
                left += 1
                continue
            begun = time.monotonic()
            try:
                records = measure(op, rows, columns, dtype, variants, peers, options.rounds, stream)
            except Exception as error:
                print(f"  {op} {rows}x{columns} fails: {type(error).__name__}: {str(error)[:200]}", flush=True)
                torch.cuda.empty_cache()
                records = []
            stored["records"] += records
            stored["done"].append(key)
            figures = line_of(records)
            rows_of_chunk.setdefault(chunk, []).append((op, f"{rows}x{columns}", figures))
            line = ", ".join(f"{name} {speed:.2f}" for name, speed in figures.items())
            print(f"{op} {rows}x{columns} ({time.monotonic() - begun:.0f} s): {line}", flush=True)
            if options.records:
                with open(options.records, "w") as file:
                    json.dump(stored, file)
        if (number + 1 == len(work) or work[number + 1][0] != chunk) and chunk in rows_of_chunk:
            print_chunk(chunk, rows_of_chunk.pop(chunk))
    for chunk, lines in rows_of_chunk.items():
        print_chunk(chunk, lines)
    if left:
        print(f"out of time: {left} cases are left; run it again with the same --records")
    return stored["records"]


def print_chunk(chunk, lines):
    names = list(dict.fromkeys(name for *_, figures in lines for name in figures))
    table = [
        [op, shape, *(f"{figures[name]:.2f}" if name in figures else "-" for name in names)]
        for op, shape, figures in lines
    ]
    print_table(f"{chunk}: TB/s on {torch.cuda.get_device_name()}, medians", ["op", "shape", *names], table)
    print(flush=True)
