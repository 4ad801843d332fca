"""Compares the kernels `matmul_simple` and `attention_simple` with the tuned kernels `matmul` and `attention` on
Hopper.

    python benchmarks/simple_kernels.py [--rounds 30] [--json simple_kernels.json]

The rates are TFLOP/s in float16. Times are medians of interleaved runs with the L2 flushed. Inputs are
normal-distributed.
"""

import argparse

import torch
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results

from hocket.kernels import attention, matmul
from hocket.kernels._attention.attention_simple import attention_simple
from hocket.kernels._matmul.matmul_simple import matmul_simple

#: M, N, K.
GEMMS = ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192))
#: Batch, heads, sequence, head size D.
ATTENTIONS = ((4, 16, 2048, 128), (4, 16, 8192, 128), (4, 32, 8192, 64))


def normal(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.float32).to(torch.float16)


def check(result, expected):
    torch.testing.assert_close(result, expected, rtol=2e-2, atol=2e-2 * expected.abs().max().item())


def measure_gemms(table, rounds):
    for m, n, k in GEMMS:
        a, b = normal(m, k), normal(k, n)
        outs = [torch.empty(m, n, device="cuda", dtype=torch.float16) for _ in range(2)]
        rivals = {
            "tuned": lambda a=a, b=b, out=outs[0]: matmul(a, b, out),
            "plain": lambda a=a, b=b, out=outs[1]: matmul_simple(a, b, out),
        }
        check(rivals["plain"](), rivals["tuned"]())
        times = gpu_times(rivals, rounds=rounds)
        rates = {name: 2 * m * n * k / seconds / 1e12 for name, seconds in times.items()}
        table.add(f"{m} x {n} x {k}", rates, seconds=times, dtype="float16", m=m, n=n, k=k)


def measure_attentions(table, rounds):
    for batch, heads, sequence, size in ATTENTIONS:
        q, k, v = (normal(batch, heads, sequence, size) for _ in range(3))
        for causal in (False, True):
            rivals = {
                "tuned": lambda q=q, k=k, v=v, causal=causal: attention(q, k, v, causal=causal),
                "plain": lambda q=q, k=k, v=v, causal=causal: attention_simple(q, k, v, causal=causal),
            }
            check(rivals["plain"](), rivals["tuned"]())
            times = gpu_times(rivals, rounds=rounds)
            operations = 4 * batch * heads * sequence * sequence * size / (2 if causal else 1)
            rates = {name: operations / seconds / 1e12 for name, seconds in times.items()}
            name = f"{batch} x {heads} x {sequence} x {size}{', causal' if causal else ''}"
            table.add(name, rates, seconds=times, dtype="float16", head_size=size, causal=causal)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    results = Results("simple_kernels", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    for name, title, measure in (("gemm", "GEMM", measure_gemms), ("attention", "attention", measure_attentions)):
        table = results.table(name, f"{title}, float16", "TFLOP/s", ours=("plain",))
        measure(table, options.rounds)
        table.show()
    results.save(options)


if __name__ == "__main__":
    main()
