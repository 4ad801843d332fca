"""Measures forms of GEMM and attention on a Hopper GPU: a plain loop, warp pipelines with stages written by hand or
formed by the compiler, and a producer warp (examples/hopper_pipelined.py). Also measures the ready kernels, and
attention with two and four groups of warps.

    python benchmarks/warp_pipelines_hopper.py [--rounds 50] [--only gemm,attention,groups] [--json FILE]
    python benchmarks/warp_pipelines_hopper.py --emulated

Inputs are normal-distributed; times are medians of interleaved runs with the L2 flushed. The column `auto` is empty if
the compiler forms no stages; the reason is printed. `--emulated` only checks the results of all forms on the emulator.
"""

import argparse
import pathlib
import sys

import numpy as np
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

import hocket

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import hopper_pipelined
from hopper_pipelined import FORMS

READY = "ready kernel"
#: M, N, K.
GEMMS = ((4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 5120))
#: Heads, sequence, head size.
ATTENTIONS = ((64, 2048, 128), (64, 8192, 128), (128, 8192, 64))
#: Heads, sequence, head size with two and four groups of warps, and the forms that support four groups. With larger
#: heads, a lane would need more than the 128 registers that it has in a block of 16 warps.
GROUPED_ATTENTIONS, GROUPED_FORMS = ((128, 2048, 64), (128, 8192, 64)), ("plain", "exclusive")


def check_on_the_emulator() -> None:
    random = np.random.default_rng(0)
    for k in (64, 128, 512):
        a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((128, k), (k, 128)))
        for form in FORMS:
            c = np.zeros((128, 128), np.float16)
            with hocket.emulator.target("sm_90a"):
                hopper_pipelined.multiplied(a, b, c, form, bn=64)()
            np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), atol=0.1, rtol=2e-3)
    print("GEMM: results agree")
    for n in (128, 256, 512):
        q, k, v = (random.standard_normal((2, n, 64)).astype(np.float16) for _ in range(3))
        for form in FORMS:
            out = np.zeros_like(q)
            with hocket.emulator.target("sm_90a"):
                hopper_pipelined.attended(q, k, v, out, form)()
            np.testing.assert_allclose(out, hopper_pipelined.expected_attention(q, k, v), atol=5e-3)
    for form in GROUPED_FORMS:
        out = np.zeros_like(q)
        with hocket.emulator.target("sm_90a"):
            hopper_pipelined.attended(q, k, v, out, form, rows=256)()
        np.testing.assert_allclose(out, hopper_pipelined.expected_attention(q, k, v), atol=5e-3)
    print("attention: results agree")


def rivals_of(make, expected, tolerance: float) -> dict:
    """Returns a function for each form by name, and checks its result. `make(form)` returns the function and its output
    array. The form `auto` is left out if the compiler forms no stages."""
    import torch

    rivals = {}
    for form in FORMS:
        run, out = make(form)
        kernel = run()
        torch.testing.assert_close(out.float(), expected.float(), rtol=2e-2, atol=tolerance)
        if form == "auto" and not all(decision.formed for decision in kernel.explain_schedule()):
            print(f"auto: {'; '.join(decision.reason for decision in kernel.explain_schedule())}")
            continue
        rivals[form] = run
    return rivals


def normal(*shape):
    import torch

    return torch.randn(shape, device="cuda", dtype=torch.float32).to(torch.float16)


def measure_gemms(table: Table, rounds: int) -> None:
    import torch

    from hocket.kernels import matmul

    for m, n, k in GEMMS:
        a, b = normal(m, k), normal(k, n)
        expected = torch.matmul(a, b)

        def make(form, a=a, b=b):
            out = torch.empty(a.shape[0], b.shape[1], device="cuda", dtype=torch.float16)
            return hopper_pipelined.multiplied(a, b, out, form), out

        rivals = rivals_of(make, expected, 0.02 * k**0.5)
        out = torch.empty_like(expected)
        rivals[READY] = lambda a=a, b=b, out=out: matmul(a, b, out)
        times = gpu_times(rivals, rounds=rounds)
        rates = {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{m} x {n} x {k}", rates, seconds=times, dtype="float16", m=m, n=n, k=k)


def measure_attentions(table: Table, rounds: int) -> None:
    import torch

    from hocket.kernels import attention

    for heads, n, size in ATTENTIONS:
        q, k, v = (normal(heads, n, size) for _ in range(3))
        wide = [x.unsqueeze(0) for x in (q, k, v)]
        expected = attention(*wide)[0]

        def make(form, q=q, k=k, v=v):
            out = torch.empty_like(q)
            return hopper_pipelined.attended(q, k, v, out, form), out

        rivals = rivals_of(make, expected, 0.01)
        out = torch.empty_like(wide[0])
        rivals[READY] = lambda wide=wide, out=out: attention(*wide, out)
        times = gpu_times(rivals, rounds=rounds)
        rates = {name: 4 * heads * n * n * size / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{heads} x {n} x {size}", rates, seconds=times, dtype="float16", heads=heads, sequence=n,
                  head_size=size)  # fmt: skip


def measure_groups(table: Table, rounds: int) -> None:
    import torch

    from hocket.kernels import attention

    for heads, n, size in GROUPED_ATTENTIONS:
        q, k, v = (normal(heads, n, size) for _ in range(3))
        expected = attention(*(x.unsqueeze(0) for x in (q, k, v)))[0]
        rivals = {}
        for groups in (2, 4):
            for form in GROUPED_FORMS:
                out = torch.empty_like(q)
                run = hopper_pipelined.attended(q, k, v, out, form, rows=64 * groups)
                run()
                torch.testing.assert_close(out.float(), expected.float(), rtol=2e-2, atol=0.01)
                rivals[f"{form}, {groups} groups"] = run
        times = gpu_times(rivals, rounds=rounds)
        rates = {name: 4 * heads * n * n * size / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{heads} x {n} x {size}", rates, seconds=times, dtype="float16", heads=heads, sequence=n,
                  head_size=size)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--only", default="gemm,attention,groups", help="tables: gemm, attention, groups")
    parser.add_argument("--emulated", action="store_true", help="compare results on the emulator, measure nothing")
    results = Results("warp_pipelines_hopper", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    if options.emulated:
        return check_on_the_emulator()
    print(f"Inputs: {NORMAL}, float16. {INTERLEAVED}.\n")
    ours = (*FORMS, READY)
    grouped = tuple(f"{form}, {groups} groups" for groups in (2, 4) for form in GROUPED_FORMS)
    parts = {
        "gemm": (measure_gemms, "GEMM, M x N x K", ours),
        "attention": (measure_attentions, "attention, heads x keys x head size", ours),
        "groups": (measure_groups, "attention with groups of four warps, heads x keys x head size", grouped),
    }
    for name in options.only.split(","):
        measure, title, forms = parts[name]
        table = results.table(name, title, "TFLOP/s", ours=forms)
        measure(table, options.rounds)
        table.show()
    results.save(options)


if __name__ == "__main__":
    main()
