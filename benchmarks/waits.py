"""Measures an MLP, and two GEMMs that share A, on Hopper (examples/fused_matmuls.py). Compares waits for wgmma that the
compiler places, a wait at each use, and the minimum of waits written by hand.

    python benchmarks/waits.py [M N K] [--json FILE]
    python benchmarks/waits.py --emulated

The first layer of the MLP has K inputs and N outputs, and the second layer has N inputs and K outputs. Inputs are
normal-distributed; times are medians of interleaved runs with the L2 flushed. `--emulated` only checks the results for
small sizes on the emulator.
"""

import argparse
import pathlib
import sys

import numpy as np
from interleave import gpu_times
from results import INTERLEAVED, NORMAL, Results, Table

import hocket

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "examples"))
import fused_matmuls

STAGES = (2, 3, 4)
#: Names of the variants in the tables.
NAMES = {waits: f"waits {waits}" for waits in fused_matmuls.WAITS}


def random_matrices(random, k: int, *shapes: tuple[int, int]) -> list[np.ndarray]:
    return [(random.standard_normal(shape) / k**0.25).astype(np.float16) for shape in shapes]


def layer_outputs(make, m: int, n: int, bn: int) -> list:
    """Returns the output arrays of a layer: pre, activated, gated and squares."""
    return [*[make((m, n), "float16") for _ in range(3)], make((n // bn, m), "float32")]


def check_on_the_emulator() -> None:
    """Compares all variants with NumPy on the emulator."""
    m, n, k, tile = 64, 128, 192, {"bm": 64, "bn": 64, "bk": 64, "warps": 4}
    random = np.random.default_rng(0)
    x, w, up, b1, b2, back, up_back = random_matrices(random, n, (m, k), (k, n), (m, n), (k, n), (k, n), (n, k), (m, k))
    gated_pair, first = fused_matmuls.expected(x, b1, b2), fused_matmuls.expected_layer(x, w, up, 64)
    second = fused_matmuls.expected_layer(first[1].astype(np.float16), back, up_back, 64)
    for stages in STAGES:
        for waits in NAMES:
            choices = {**tile, "stages": stages, "waits": waits}
            pair = [np.zeros((m, n), np.float16) for _ in range(4)]
            layers = [layer_outputs(np.zeros, m, n, 64), layer_outputs(np.zeros, m, k, 64)]
            with hocket.emulator.target("sm_90a"):
                fused_matmuls.fused(x, b1, b2, pair, **choices)()
                fused_matmuls.mlp(x, (w, back), (up, up_back), layers, **choices)()
            for out, right in zip([*pair, *layers[0], *layers[1]], [*gated_pair, *first, *second], strict=True):
                np.testing.assert_allclose(out.astype(np.float32), right, atol=0.1, rtol=3e-2)
            print(f"{stages} stages, {NAMES[waits]}: results agree")


def show_rates(table: Table, runs, operations: int, **case) -> None:
    """Measures `runs`, which are functions by (stages, waits), and adds a row to `table` for each number of stages."""
    times = gpu_times(runs, rounds=100)
    for stages in STAGES:
        seconds = {name: times[stages, waits] for waits, name in NAMES.items()}
        rates = {name: operations / time / 1e12 for name, time in seconds.items()}
        table.add(f"{stages} stages", rates, seconds=seconds, dtype="float16", stages=stages, **case)


def measure_pair(table: Table, m: int, n: int, k: int) -> None:
    import torch

    a = torch.randn(m, k, device="cuda", dtype=torch.float16) / k**0.25
    b1, b2 = (torch.randn(k, n, device="cuda", dtype=torch.float16) / k**0.25 for _ in range(2))
    d1, d2 = a.float() @ b1.float(), a.float() @ b2.float()
    right = d1, torch.nn.functional.silu(d1), d2, torch.nn.functional.silu(d1) * d2
    runs = {}
    for stages in STAGES:
        for waits in NAMES:
            outs = [torch.empty(m, n, device="cuda", dtype=torch.float16) for _ in range(4)]
            run = fused_matmuls.fused(a, b1, b2, outs, stages=stages, waits=waits)
            run()
            for out, result in zip(outs, right, strict=True):
                torch.testing.assert_close(out.float(), result, atol=0.05, rtol=2e-2)
            runs[stages, waits] = run
    show_rates(table, runs, 4 * m * n * k, m=m, n=n, k=k)


def measure_mlp(table: Table, m: int, n: int, k: int) -> None:
    import torch

    x, w, back = (
        torch.randn(shape, device="cuda", dtype=torch.float16) / shape[1] ** 0.25 for shape in ((m, k), (k, n), (n, k))
    )
    ups = [torch.randn(m, columns, device="cuda", dtype=torch.float16) for columns in (n, k)]

    def make(shape, dtype):
        return torch.empty(shape, device="cuda", dtype=getattr(torch, dtype))

    d = x.float() @ w.float()
    activated = torch.nn.functional.silu(d)
    right = d, activated, d * ups[0].float(), (d * d).reshape(m, -1, 128).sum(2).T
    runs = {}
    for stages in STAGES:
        for waits in NAMES:
            outs = [layer_outputs(make, m, columns, 128) for columns in (n, k)]
            run = fused_matmuls.mlp(x, (w, back), ups, outs, stages=stages, waits=waits)
            run()
            for out, result in zip(outs[0], right, strict=True):
                torch.testing.assert_close(out.float(), result, atol=0.05, rtol=2e-2)
            last = outs[0][1].float() @ back.float()
            torch.testing.assert_close(outs[1][0].float(), last, atol=0.1, rtol=2e-2)
            runs[stages, waits] = run
    show_rates(table, runs, 4 * m * n * k, m=m, n=n, k=k)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="*", type=int, default=[4096, 14336, 5120], metavar="M N K")
    parser.add_argument("--emulated", action="store_true", help="compare results on the emulator, measure nothing")
    results = Results("waits", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    if options.emulated:
        return check_on_the_emulator()
    m, n, k = options.size
    print(f"Inputs: {NORMAL}, divided by the fourth root of the number of columns. {INTERLEAVED}.\n")
    ours = tuple(NAMES.values())
    pair = results.table("pair", f"two GEMMs that share A, M {m}, N {n}, K {k}", "TFLOP/s", ours=ours)
    measure_pair(pair, m, n, k)
    pair.show()
    mlp = results.table("mlp", f"two layers of an MLP, M {m}, {k} to {n} to {k} columns", "TFLOP/s", ours=ours)
    measure_mlp(mlp, m, n, k)
    mlp.show()
    results.save(options)


if __name__ == "__main__":
    main()
