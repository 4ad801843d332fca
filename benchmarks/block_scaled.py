"""Compares `hocket.kernels.matmul_scaled` of float8 with scales of 1 x 128 and 128 x 128 elements with cuBLAS
(torch._scaled_mm) and DeepGEMM, and `grouped_matmul` with such scales with DeepGEMM and with a loop of
torch._scaled_mm.

    python benchmarks/block_scaled.py                   # all sections except "variants"
    python benchmarks/block_scaled.py dense --rounds 30
    python benchmarks/block_scaled.py variants --size 4096 7168 2048

Sections:
    dense       M x N x K of DeepSeek-V3's linear layers, and squares
    few_rows    1 to 256 rows of A, in GB/s of B
    grouped     DeepSeek-V3's experts: 32 experts of one rank, balanced and skewed routing
    unscaled    what the scales cost: Hocket's `matmul` of the same float8 matrices, without scales of blocks
    variants    every tile for one size

DeepGEMM (`deep_gemm`, e.g. of the wheel sgl-deep-gemm, 5 MB) is left out if it cannot be imported or compiled. It needs
the scales of A with contiguous columns, as torch._scaled_mm does; Hocket gets them with contiguous rows, as
`rowwise.rms_norm_quantized` writes them. Inputs are normal-distributed with the scales of their largest magnitudes;
results are bfloat16; times are medians of interleaved runs with the L2 flushed.
"""

import argparse
import dataclasses
import itertools
import os

import torch
from grouped_matmul import draw_ends
from interleave import gpu_times
from results import INTERLEAVED, Results

from hocket.kernels import grouped_matmul, matmul, matmul_scaled
from hocket.kernels._matmul.host_nvidia import MULTIPROCESSORS, shared_bytes
from hocket.kernels._matmul.plan_block_scaled import BLOCK, TILES
from hocket.kernels._matmul.plan_hopper import choose_hopper_plan

try:
    os.environ.setdefault("DG_JIT_USE_NVRTC", "1")
    import deep_gemm
except Exception as error:  # its import compiles nothing, but loads libraries that may be missing
    print(f"DeepGEMM is left out: {type(error).__name__}: {str(error)[:200]}")
    deep_gemm = None

INPUTS = "standard normal, scales of the largest magnitudes"
FLOAT8, LARGEST = torch.float8_e4m3fn, 448.0

#: (M, N, K): DeepSeek-V3's projections of 4096 tokens (arXiv 2412.19437), and squares.
DENSE = (
    (4096, 24576, 1536), (4096, 32768, 512), (4096, 7168, 16384), (4096, 4096, 7168), (4096, 7168, 2048),
    (4096, 2112, 7168), (4096, 4096, 4096), (8192, 8192, 8192),
)  # fmt: skip
FEW_ROWS, WEIGHTS = (1, 16, 64, 128, 256), ((7168, 16384), (24576, 1536), (4096, 7168))


def quantized(*shape):
    """Returns normal numbers [..., rows, K] as float8, and float32 scales of 128 elements of a row."""
    values = torch.randn(shape, device="cuda")
    blocks = values.view(*shape[:-1], shape[-1] // BLOCK, BLOCK)
    scales = blocks.abs().amax(-1) / LARGEST
    return (blocks / scales[..., None]).view(shape).to(FLOAT8), scales


def quantized_blocks(*shape):
    """Returns normal numbers [..., N, K] as float8, and float32 scales of 128 x 128 elements. N is a multiple of 64."""
    rows, k = shape[-2:]
    padded = -(-rows // BLOCK) * BLOCK
    values = torch.zeros((*shape[:-2], padded, k), device="cuda")
    values[..., :rows, :] = torch.randn(shape, device="cuda")
    blocks = values.view(*shape[:-2], padded // BLOCK, BLOCK, k // BLOCK, BLOCK)
    scales = blocks.abs().amax((-3, -1)) / LARGEST
    stored = (blocks / scales[..., :, None, :, None]).view(values.shape)[..., :rows, :]
    return stored.to(FLOAT8).contiguous(), scales


def by_columns(scales):
    return scales.transpose(-1, -2).contiguous().transpose(-1, -2)


def working(candidates):
    """Returns the functions that do not raise an error, by name."""
    found = {}
    for name, run in candidates.items():
        try:
            run()
            torch.cuda.synchronize()
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error)[:300]}")
        else:
            found[name] = run
    return found


def check(name, result, expected):
    difference = (result.float() - expected.float()).abs().max().item()
    assert difference <= 0.02 * expected.float().abs().max().item(), (name, difference)


def dense_rivals(m, n, k):
    """Returns the implementations of a GEMM, after a check of their results."""
    (a, a_scales), (b, b_scales) = quantized(m, k), quantized_blocks(n, k)
    columns = by_columns(a_scales)
    out, theirs = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    # cuBLAS needs a multiple of 4 scales along K.
    padded = torch.nn.functional.pad(b_scales, (0, -b_scales.shape[1] % 4))[:, : b_scales.shape[1]]
    scales = {"scale_a": columns, "scale_b": padded.t(), "out_dtype": torch.bfloat16}
    rivals = {
        "Hocket": lambda: matmul_scaled(a, a_scales, b.t(), b_scales, out),
        "cuBLAS": lambda: torch._scaled_mm(a, b.t(), out=theirs, **scales),
    }
    if deep_gemm is not None:
        rivals["DeepGEMM"] = lambda: deep_gemm.fp8_gemm_nt((a, columns), (b, b_scales), theirs)
    rivals = working(rivals)
    wide_a = a.float() * a_scales.repeat_interleave(BLOCK, 1)
    wide_b = b.float() * b_scales.repeat_interleave(BLOCK, 0)[:n].repeat_interleave(BLOCK, 1)
    expected = wide_a @ wide_b.T
    for name, run in rivals.items():
        theirs.zero_()
        run()
        check(name, out if name == "Hocket" else theirs, expected)
    return rivals, (a, b)


def dense(results, arguments):
    table = results.table("dense", "float8 with scales of blocks", "TFLOP/s")
    for m, n, k in DENSE:
        times = gpu_times(dense_rivals(m, n, k)[0], rounds=arguments.rounds)
        rates = {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{m} x {n} x {k}", rates, seconds=times, m=m, n=n, k=k)
    table.show()


def few_rows(results, arguments):
    table = results.table("few_rows", "float8 with scales of blocks, few rows: B", "GB/s")
    for n, k in WEIGHTS:
        for m in FEW_ROWS:
            times = gpu_times(dense_rivals(m, n, k)[0], rounds=arguments.rounds)
            rates = {name: n * k / seconds / 1e9 for name, seconds in times.items()}
            table.add(f"{m} x {n} x {k}", rates, seconds=times, m=m, n=n, k=k)
    table.show()


def unscaled(results, arguments):
    table = results.table("unscaled", "float8 with and without scales", "TFLOP/s", ours=("Hocket", "without scales"))
    for m, n, k in DENSE:
        rivals, (a, b) = dense_rivals(m, n, k)
        plain = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        rivals = {"Hocket": rivals["Hocket"], "without scales": lambda a=a, b=b, out=plain: matmul(a, b.t(), out)}
        times = gpu_times(rivals, rounds=arguments.rounds)
        rates = {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{m} x {n} x {k}", rates, seconds=times, m=m, n=n, k=k)
    table.show()


def variants(results, arguments):
    m, n, k = arguments.size
    (a, a_scales), (b, b_scales) = quantized(m, k), quantized_blocks(n, k)
    out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    limits = shared_bytes("sm_90a"), MULTIPROCESSORS["sm_90a"]
    rivals = {}
    for tile in TILES:
        chosen = dataclasses.replace(choose_hopper_plan(m, n, k, 1, 8, 16, *limits, tile), reasons=())
        for name, plan in {
            "": chosen,
            ", fewer stages": dataclasses.replace(chosen, stages=chosen.stages - 1),
            ", other group": dataclasses.replace(chosen, group_rows=2 * chosen.group_rows),
        }.items():
            rivals[f"{tile}, {chosen.splits} splits{name}"] = lambda plan=plan: matmul_scaled(
                a, a_scales, b.t(), b_scales, out, plan=plan
            )
    times = gpu_times(rivals, rounds=arguments.rounds)
    table = results.table("variants", f"{m} x {n} x {k}", "TFLOP/s", ours=tuple(times))
    rates = {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}
    for name, rate in rates.items():
        table.add(name, {name: rate}, seconds={name: times[name]}, m=m, n=n, k=k)
        print(f"{m} x {n} x {k}, {name}: {rate:.0f} TFLOP/s")


def grouped_rivals(rows, groups, n, k, ends):
    """Returns the implementations of a grouped GEMM, after a check of their results. DeepGEMM needs groups whose first
    rows are multiples of 128."""
    (a, scale_a), (b, scale_b) = quantized(rows, k), quantized_blocks(groups, n, k)
    columns = by_columns(scale_a)
    out, theirs = (torch.zeros(rows, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    bounds = [0, *ends.tolist()]
    pieces = [(g, slice(i, j)) for g, (i, j) in enumerate(itertools.pairwise(bounds)) if j > i]
    parts = [(a[part], by_columns(scale_a[part]), b[g].t(), scale_b[g].t(), theirs[part]) for g, part in pieces]

    def loop():
        for left, of_left, right, of_right, result in parts:
            torch._scaled_mm(left, right, of_left, of_right, out_dtype=torch.bfloat16, out=result)

    def hocket():
        return grouped_matmul(a, b.transpose(1, 2), ends, out, scale_a=scale_a, scale_b=scale_b)

    rivals = {"Hocket": hocket, "loop of torch._scaled_mm": loop}
    if deep_gemm is not None and all(bound % BLOCK == 0 for bound in bounds):
        experts = torch.repeat_interleave(torch.arange(groups, device="cuda", dtype=torch.int32), ends.diff(
            prepend=ends.new_zeros(1)).long())  # fmt: skip
        rivals["DeepGEMM"] = lambda: deep_gemm.m_grouped_fp8_gemm_nt_contiguous(
            (a, columns), (b, scale_b), theirs, experts
        )
    rivals = working(rivals)
    hocket()
    for g, part in pieces[:: max(len(pieces) // 4, 1)]:
        wide_a = a[part].float() * scale_a[part].repeat_interleave(BLOCK, 1)
        wide_b = b[g].float() * scale_b[g].repeat_interleave(BLOCK, 0)[:n].repeat_interleave(BLOCK, 1)
        check("Hocket", out[part], wide_a @ wide_b.T)
    for name, run in rivals.items():
        theirs.zero_()
        run()
        if name != "Hocket":
            check(name, theirs, out)
    return rivals


def grouped(results, arguments):
    table = results.table("grouped", "float8 with scales of blocks, DeepSeek-V3's experts", "TFLOP/s")
    for gemm, rows, n, k in (("up", 32768, 4096, 7168), ("down", 32768, 7168, 2048), ("up", 8192, 4096, 7168)):
        for routing in ("balanced", "zipf"):
            ends = draw_ends(rows, 32, routing)
            ends = (ends + BLOCK // 2) // BLOCK * BLOCK  # for DeepGEMM
            times = gpu_times(grouped_rivals(rows, 32, n, k, ends), rounds=arguments.rounds)
            rates = {name: 2 * rows * n * k / seconds / 1e12 for name, seconds in times.items()}
            case = {"rows": rows, "groups": 32, "n": n, "k": k, "routing": routing}
            table.add(f"{gemm}, {rows} rows, 32 experts, {routing}", rates, seconds=times, **case)
    table.show()


SECTIONS = (dense, few_rows, grouped, unscaled, variants)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [section.__name__ for section in SECTIONS]
    parser.add_argument("sections", nargs="*", choices=[[], *names], default=[], help="all except variants by default")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--size", type=int, nargs=3, default=[4096, 7168, 2048], metavar=("M", "N", "K"))
    results = Results("block_scaled", inputs=INPUTS, method=INTERLEAVED)
    results.add_option(parser)
    chosen = parser.parse_args()
    for section in SECTIONS:
        if section.__name__ in (chosen.sections or names[:-1]):
            section(results, chosen)
            results.save(chosen)  # results are saved after each section, because a later section may fail
