"""Compares `hocket.kernels.grouped_matmul` with torch._grouped_mm and with a loop of torch.mm, at sizes of MoE layers.

    python benchmarks/grouped_matmul.py                    # all sections except "variants"
    python benchmarks/grouped_matmul.py qwen3 --rounds 30
    python benchmarks/grouped_matmul.py variants --size 32768 32 4096 7168

Sections:
    deepseek    DeepSeek-V3: 256 experts and 32 experts of one rank, 8 per token, hidden 7168, intermediate 2048
    qwen3       Qwen3-30B-A3B and 235B-A22B: 128 experts, 8 per token, hidden 2048 and 4096, intermediate 768 and 1536
    gpt_oss     gpt-oss 20b and 120b: 32 and 128 experts, 4 per token, hidden and intermediate 2880
    decode      few rows per expert, in GB/s of B
    gather      rows at indices, against a copy of the rows and then torch._grouped_mm
    float8      float8_e4m3fn with scales of rows and columns, against torch._scaled_grouped_mm
    gradient    gradients of the weights: a GEMM over the rows of each group
    variants    every tile for one size: rows, groups, N, K

Each MoE layer has two GEMMs, "up" (gate and up projections, N is twice the intermediate size) and "down". Operands are
bfloat16 and normal-distributed, B has K contiguous, as weights of torch.nn.Linear. Routing is balanced (each row draws
an expert, all with equal probability) or Zipf (expert number i with a probability proportional to 1 / i). Times are
medians of interleaved runs with the L2 flushed. torch.mm runs once per group, with sizes that the host knows.
"""

import argparse
import itertools

import torch
from interleave import gpu_times
from results import INTERLEAVED, Results

from hocket.kernels import grouped_matmul
from hocket.kernels._grouped.plan_hopper import choose_grouped_plan
from hocket.kernels._matmul.plan_hopper import TILES

INPUTS = "standard normal, routing drawn"
SHARED_BYTES = 232448 - 2048


def draw_ends(rows, groups, routing, seed=0):
    """Returns the offsets of `rows` rows that are routed to `groups` experts, on the GPU."""
    generator = torch.Generator().manual_seed(seed)
    weights = torch.ones(groups) if routing == "balanced" else 1 / torch.arange(1, groups + 1)
    experts = torch.multinomial(weights, rows, replacement=True, generator=generator)
    counts = torch.bincount(experts, minlength=groups)
    return counts[torch.randperm(groups, generator=generator)].cumsum(0).to(torch.int32).cuda()


def operands(rows, groups, n, k):
    a = torch.randn(rows, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(groups, n, k, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
    return a, b


def loop_of_mm(a, b, ends, out):
    bounds = [0, *ends.tolist()]
    pieces = [(a[i:j], b[g], out[i:j]) for g, (i, j) in enumerate(itertools.pairwise(bounds)) if j > i]

    def run():
        for rows, matrix, result in pieces:
            torch.mm(rows, matrix, out=result)

    return run


def rivals_of(a, b, ends):
    """Returns the implementations, after a check of Hocket's result."""
    out, theirs = (torch.zeros(a.shape[0], b.shape[2], device="cuda", dtype=a.dtype) for _ in range(2))
    loop = loop_of_mm(a, b, ends, theirs)
    loop()
    grouped_matmul(a, b, ends, out)
    difference = (out.float() - theirs.float()).abs().max().item()
    assert difference <= 0.01 * theirs.float().abs().max().item(), difference
    return {
        "Hocket": lambda: grouped_matmul(a, b, ends, out),
        "torch._grouped_mm": lambda: torch._grouped_mm(a, b, offs=ends),
        "loop of torch.mm": loop,
    }


def compare(table, arguments, model, rows, groups, hidden, intermediate, unit="TFLOP/s"):
    for gemm, n, k in (("up", 2 * intermediate, hidden), ("down", hidden, intermediate)):
        a, b = operands(rows, groups, n, k)
        for routing in ("balanced", "zipf"):
            ends = draw_ends(rows, groups, routing)
            times = gpu_times(rivals_of(a, b, ends), rounds=arguments.rounds)
            work = 2 * rows * n * k / 1e12 if unit == "TFLOP/s" else read_bytes(ends, n, k) / 1e9
            rates = {name: work / seconds for name, seconds in times.items()}
            case = {"rows": rows, "groups": groups, "n": n, "k": k, "routing": routing, "dtype": "bfloat16"}
            table.add(f"{model} {gemm}, {rows} rows, {groups} experts, {routing}", rates, seconds=times, **case)
        del a, b


def read_bytes(ends, n, k):
    """Returns the bytes of the matrices of groups that are not empty."""
    bounds = torch.cat([ends.new_zeros(1), ends])
    return int((bounds[1:] > bounds[:-1]).sum()) * n * k * 2


def deepseek(results, arguments):
    table = results.table("deepseek", "DeepSeek-V3, bfloat16", "TFLOP/s")
    for rows, groups in ((32768, 32), (8192, 32), (32768, 256)):
        compare(table, arguments, "DeepSeek-V3", rows, groups, 7168, 2048)
    table.show()


def qwen3(results, arguments):
    table = results.table("qwen3", "Qwen3 MoE, bfloat16", "TFLOP/s")
    compare(table, arguments, "Qwen3-30B", 32768, 128, 2048, 768)
    compare(table, arguments, "Qwen3-235B", 32768, 128, 4096, 1536)
    table.show()


def gpt_oss(results, arguments):
    table = results.table("gpt_oss", "gpt-oss, bfloat16", "TFLOP/s")
    compare(table, arguments, "gpt-oss-20b", 16384, 32, 2880, 2880)
    compare(table, arguments, "gpt-oss-120b", 16384, 128, 2880, 2880)
    table.show()


def decode(results, arguments):
    table = results.table("decode", "few rows per expert, bfloat16", "GB/s")
    compare(table, arguments, "DeepSeek-V3", 256, 32, 7168, 2048, "GB/s")
    compare(table, arguments, "Qwen3-30B", 512, 128, 2048, 768, "GB/s")
    compare(table, arguments, "gpt-oss-120b", 512, 128, 2880, 2880, "GB/s")
    table.show()


def float8(results, arguments):
    table = results.table("float8", "float8_e4m3fn with scales, result bfloat16", "TFLOP/s")
    for model, rows, groups, n, k in (
        ("DeepSeek-V3 up", 32768, 32, 4096, 7168),
        ("DeepSeek-V3 down", 32768, 32, 7168, 2048),
        ("Qwen3-235B up", 32768, 128, 3072, 4096),
    ):
        a, b = (x.to(torch.float8_e4m3fn) for x in operands(rows, groups, n, k))
        scale_a, scale_b = (torch.rand(shape, device="cuda") + 0.5 for shape in ((rows,), (groups, n)))
        for routing in ("balanced", "zipf"):
            ends = draw_ends(rows, groups, routing)
            out = torch.empty(rows, n, device="cuda", dtype=torch.bfloat16)
            scales = {"scale_a": scale_a, "scale_b": scale_b}

            def peer(a=a, b=b, ends=ends, scale_a=scale_a, scale_b=scale_b):
                options = {"offs": ends, "out_dtype": torch.bfloat16, "use_fast_accum": True}
                return torch._scaled_grouped_mm(a, b, scale_a, scale_b, **options)

            def hocket(a=a, b=b, ends=ends, out=out, scales=scales):
                return grouped_matmul(a, b, ends, out, **scales)

            difference = (hocket() - peer()).abs().max().item()
            assert difference <= 0.02 * out.abs().max().item(), difference
            times = gpu_times({"Hocket": hocket, "torch._scaled_grouped_mm": peer}, rounds=arguments.rounds)
            rates = {name: 2 * rows * n * k / 1e12 / seconds for name, seconds in times.items()}
            case = {"rows": rows, "groups": groups, "n": n, "k": k, "routing": routing, "dtype": "float8_e4m3fn"}
            table.add(f"{model}, {rows} rows, {groups} experts, {routing}", rates, seconds=times, **case)
    table.show()


def gather_rivals(a, b, ends, indices):
    """Returns the implementations of the GEMM of gathered rows, after a check of Hocket's result."""
    out = torch.empty(indices.shape[0], b.shape[2], device="cuda", dtype=a.dtype)
    rivals = {
        "Hocket": lambda: grouped_matmul(a, b, ends, out, indices=indices),
        "Hocket after a copy": lambda: grouped_matmul(a.index_select(0, indices), b, ends, out),
        "torch._grouped_mm after a copy": lambda: torch._grouped_mm(a.index_select(0, indices), b, offs=ends),
    }
    difference = (rivals["Hocket"]() - torch._grouped_mm(a[indices], b, offs=ends)).abs().max().item()
    assert difference <= 0.01 * out.abs().max().item(), difference
    return rivals


def gather(results, arguments):
    ours = "Hocket", "Hocket after a copy"
    table = results.table("gather", "gathered rows, bfloat16", "TFLOP/s", ours=ours)
    for model, tokens, top, groups, n, k in (
        ("DeepSeek-V3 up", 4096, 8, 32, 4096, 7168),
        ("Qwen3-30B up", 4096, 8, 128, 1536, 2048),
        ("gpt-oss-20b up", 4096, 4, 32, 5760, 2880),
    ):
        rows = tokens * top
        a, b = operands(tokens, groups, n, k)
        ends = draw_ends(rows, groups, "balanced")
        indices = torch.randperm(rows, device="cuda").to(torch.int32) // top
        times = gpu_times(gather_rivals(a, b, ends, indices), rounds=arguments.rounds)
        rates = {name: 2 * rows * n * k / 1e12 / seconds for name, seconds in times.items()}
        case = {"rows": rows, "groups": groups, "n": n, "k": k, "routing": "balanced", "dtype": "bfloat16"}
        table.add(f"{model}, {tokens} tokens, {rows} rows, {groups} experts", rates, seconds=times, **case)
    table.show()


def gradient_rivals(a, b, ends, groups):
    """Returns the implementations of the GEMM over the rows of each group, after a check of Hocket's result."""
    bounds = [0, *ends.tolist()]
    out, theirs = (torch.zeros(groups, a.shape[1], b.shape[1], device="cuda", dtype=a.dtype) for _ in range(2))
    pieces = [(a[i:j].T, b[i:j], theirs[g]) for g, (i, j) in enumerate(itertools.pairwise(bounds)) if j > i]

    def loop():
        for rows, others, result in pieces:
            torch.mm(rows, others, out=result)

    loop()
    grouped_matmul(a.T, b, ends, out)
    difference = (out - theirs).abs().max().item()
    assert difference <= 0.01 * theirs.abs().max().item(), difference
    return {
        "Hocket": lambda: grouped_matmul(a.T, b, ends, out),
        "torch._grouped_mm": lambda: torch._grouped_mm(a.T, b, offs=ends),
        "loop of torch.mm": loop,
    }


def gradient(results, arguments):
    table = results.table("gradient", "gradients of weights, bfloat16", "TFLOP/s")
    for model, rows, groups, hidden, intermediate in (
        ("DeepSeek-V3", 32768, 32, 7168, 2048),
        ("Qwen3-30B", 32768, 128, 2048, 768),
        ("Qwen3-235B", 32768, 128, 4096, 1536),
        ("gpt-oss-20b", 16384, 32, 2880, 2880),
    ):
        for gemm, n, m in (("up", 2 * intermediate, hidden), ("down", hidden, intermediate)):
            a, b = (torch.randn(rows, size, device="cuda", dtype=torch.bfloat16) for size in (m, n))
            for routing in ("balanced", "zipf"):
                ends = draw_ends(rows, groups, routing)
                times = gpu_times(gradient_rivals(a, b, ends, groups), rounds=arguments.rounds)
                rates = {name: 2 * rows * n * m / 1e12 / seconds for name, seconds in times.items()}
                case = {"rows": rows, "groups": groups, "m": m, "n": n, "routing": routing, "dtype": "bfloat16"}
                table.add(f"{model} {gemm}, {rows} rows, {groups} experts, {routing}", rates, seconds=times, **case)
    table.show()


def variants(results, arguments):
    rows, groups, n, k = arguments.size
    a, b = operands(rows, groups, n, k)
    out = torch.empty(rows, n, device="cuda", dtype=a.dtype)
    ends = draw_ends(rows, groups, "balanced")
    rivals = {"chosen": lambda: grouped_matmul(a, b, ends, out)}
    for tile in TILES:
        plan = choose_grouped_plan(rows, groups, n, k, 16, 16, SHARED_BYTES, 132, tile=tile)
        kind = "ping-pong" if tile.ping_pong else f"{tile.consumers} consumers"
        rivals[f"{tile} {kind}"] = lambda plan=plan: grouped_matmul(a, b, ends, out, plan=plan)
    times = gpu_times(rivals, rounds=arguments.rounds)
    title = f"{rows} rows, {groups} groups, N {n}, K {k}"
    table = results.table("variants", title, "TFLOP/s", ours=tuple(times))
    for name, seconds in times.items():
        table.add(name, {"Hocket": 2 * rows * n * k / seconds / 1e12})
    table.show()


SECTIONS = (deepseek, qwen3, gpt_oss, decode, gather, float8, gradient, variants)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [section.__name__ for section in SECTIONS]
    parser.add_argument("sections", nargs="*", choices=[[], *names], default=[], help="all except variants by default")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--size", type=int, nargs=4, default=[32768, 128, 1536, 2048], metavar=("T", "G", "N", "K"))
    results = Results("grouped_matmul", inputs=INPUTS, method=INTERLEAVED)
    results.add_option(parser)
    chosen = parser.parse_args()
    for section in SECTIONS:
        if section.__name__ in (chosen.sections or names[:-1]):
            section(results, chosen)
            results.save(chosen)  # results are saved after each section, because a later section may fail
