"""Measures `hocket.kernels.matmul` with functions as epilogues, beside PyTorch, on a Hopper GPU.

    python benchmarks/epilogues.py
    python benchmarks/epilogues.py --only "SwiGLU,residual" --rounds 30 --size 8192,2048,8192
    python benchmarks/epilogues.py --only activations   # the argument `activation` and the same function as epilogue
    python benchmarks/epilogues.py --only tiles         # the plan of the rule, and those of other tiles
    python benchmarks/epilogues.py --only host          # host time of a call

Functions are those of examples/epilogues.py. Each result is compared with PyTorch's before it is timed. Columns:

    Hocket              one launch of the GEMM with the function
    Hocket, other form  bias and GELU: the arguments `bias` and `activation`; SwiGLU: gates and ups in pairs of columns
    torch.compile       torch.mm and the operations on its result, compiled by PyTorch
    GEMM alone          `matmul` of Hocket without an epilogue
"""

from __future__ import annotations

import argparse
import functools
import pathlib
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from interleave import gpu_times, host_times
from results import HOST_LOOP, INTERLEAVED, NORMAL, Results

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))

import epilogues

from hocket.kernels import matmul
from hocket.kernels._matmul.activation import FUNCTIONS
from hocket.kernels._matmul.host_nvidia import MULTIPROCESSORS
from hocket.kernels._matmul.plan_hopper import TILES
from hocket.kernels.plans import choose_hopper_plan

SHARED_BYTES = 232448

#: Tiles of the section "tiles": two cooperative ones, and two for ping-pong.
COMPARED_TILES = (TILES[0], TILES[9], TILES[2], TILES[3])

SIZES = ((4096, 4096, 4096), (8192, 2048, 8192), (4096, 14336, 4096), (8192, 8192, 1024))

#: Largest error of results, relative to the largest element, and the same for results of float8. PyTorch rounds these
#: twice, so elements may differ by a step of the format.
TOLERANCE, TOLERANCE_OF_FLOAT8 = 0.02, 0.15

OURS = ("Hocket", "Hocket, other form", "GEMM alone")


class Case(NamedTuple):
    """Hocket's launches by name, which take further arguments of `matmul`, and the same in PyTorch: operations on
    A x B, and their further arguments."""

    ours: dict[str, Callable[..., Any]]
    pointwise: Callable[..., Any]
    args: tuple = ()


def gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def swiglu(x):
    gate, up = x.chunk(2, dim=1)
    return torch.nn.functional.silu(gate) * up


def in_float8(x):
    return (x.float() * 16).clamp(-448, 448).to(torch.float8_e4m3fn)


def in_float8_of_groups(x):
    groups = x.float().reshape(x.shape[0], -1, 32)
    peaks = groups.abs().amax(dim=2).clamp(min=1e-12)
    return (groups * (448 / peaks)[..., None]).to(torch.float8_e4m3fn).reshape(x.shape), peaks / 448


def interleaved(weight: torch.Tensor, width: int) -> torch.Tensor:
    """Returns the rows of both halves of `weight` in alternating blocks of `width` rows."""
    halves = [half.reshape(-1, width, weight.shape[1]) for half in weight.chunk(2)]
    return torch.stack(halves, dim=1).reshape(weight.shape)


def cases_of(a: torch.Tensor, weight: torch.Tensor) -> dict[str, Case]:
    """Returns the cases for a x weight^T: B is the transpose of a row-major matrix, as weights are."""
    (m, _), n = a.shape, weight.shape[0]
    b = weight.T

    def empty(columns=n, dtype=torch.bfloat16):
        return torch.empty(m, columns, device="cuda", dtype=dtype)

    def launch(b, out, function, *args):
        return functools.partial(matmul, a, b, out, epilogue=function, epilogue_args=args)

    bias = torch.randn(n, device="cuda", dtype=torch.bfloat16)
    residual = torch.randn(m, n, device="cuda", dtype=torch.bfloat16)
    out, gated, narrow, scales = empty(), empty(n // 2), empty(dtype=torch.float8_e4m3fn), empty(n // 32, torch.float32)
    blocks, pairs = (interleaved(weight, width).T for width in (8, 1))
    return {
        "bias and GELU": Case(
            {
                "Hocket": launch(b, out, epilogues.bias_gelu, bias),
                "Hocket, other form": functools.partial(matmul, a, b, out, bias=bias, activation="gelu_tanh"),
            },
            lambda x, bias: gelu(x + bias), (bias,),
        ),
        "SwiGLU": Case(
            {
                "Hocket": launch(blocks, gated, epilogues.swiglu),
                "Hocket, other form": launch(pairs, gated, epilogues.swiglu_of_pairs),
            },
            swiglu,
        ),
        "residual": Case(
            {"Hocket": launch(b, out, epilogues.add_residual, residual, n)},
            lambda x, residual: x + residual, (residual,),
        ),
        "float8": Case(
            {"Hocket": launch(b, narrow, epilogues.quantize, 16.0)}, in_float8,
        ),
        "float8 of groups": Case(
            {"Hocket": launch(b, (narrow, scales), epilogues.quantize_groups)},
            in_float8_of_groups,
        ),
    }  # fmt: skip


def check(name: str, found: Any, expected: Any) -> None:
    """Raises a SystemExit if results differ from PyTorch's by more than their rounding."""
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for result, wanted in pairs:
        tolerance = TOLERANCE_OF_FLOAT8 if result.dtype.itemsize == 1 else TOLERANCE
        error = (result.float() - wanted.float()).abs().max() / wanted.float().abs().max()
        if not error <= tolerance:
            raise SystemExit(f"{name}: the largest error is {error:.3g} of the largest element")


def measure(results: Results, arguments: argparse.Namespace, sizes: list[tuple[int, int, int]]) -> None:
    """Compares functions as epilogues with torch.compile."""
    table = results.table("epilogues", "GEMM with epilogue", "us", better="lower", ours=OURS)
    for m, n, k in sizes:
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        weight = torch.randn(n, k, device="cuda", dtype=torch.bfloat16) * k**-0.5
        plain = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        for name, case in cases_of(a, weight).items():
            if arguments.only and name not in arguments.only.split(","):
                continue
            torch._dynamo.reset()
            whole = torch.compile(
                lambda a, b, *args, case=case: case.pointwise(torch.mm(a, b), *args), dynamic=False,
                mode=arguments.mode,
            )  # fmt: skip
            expected = case.pointwise(torch.mm(a, weight.T), *case.args)
            for form, run in case.ours.items():
                check(f"{name}, {form}", run(), expected)
            rivals = {
                **case.ours,
                "torch.compile": functools.partial(whole, a, weight.T, *case.args),
                "GEMM alone": functools.partial(matmul, a, weight.T, plain),
            }
            times = gpu_times(rivals, rounds=arguments.rounds, warmup=3)
            values = {form: seconds * 1e6 for form, seconds in times.items()}
            table.add(f"{name}, {m} x {n} x {k}", values, seconds=times, dtype="bfloat16", m=m, n=n, k=k)
            print(name, m, n, k, {form: round(value, 1) for form, value in values.items()}, flush=True)
    table.show(1)


def measure_activations(results: Results, arguments: argparse.Namespace, sizes: list[tuple[int, int, int]]) -> None:
    """Compares the argument `activation` with the same function as `epilogue`."""
    table = results.table("activations", "bias and activation", "us", better="lower", ours=("activation", "epilogue"))
    for m, n, k in sizes:
        a, weight = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for shape in ((m, k), (n, k)))
        bias = torch.randn(n, device="cuda", dtype=torch.bfloat16)
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        for name in ("relu", "silu", "gelu_tanh"):
            rivals = {
                "activation": functools.partial(matmul, a, weight.T, out, bias=bias, activation=name),
                "epilogue": functools.partial(matmul, a, weight.T, out, bias=bias, epilogue=FUNCTIONS[name]),
            }
            times = gpu_times(rivals, rounds=arguments.rounds, warmup=3)
            values = {form: seconds * 1e6 for form, seconds in times.items()}
            table.add(f"{name}, {m} x {n} x {k}", values, seconds=times, dtype="bfloat16", m=m, n=n, k=k)
    table.show()


def measure_tiles(results: Results, arguments: argparse.Namespace, sizes: list[tuple[int, int, int]]) -> None:
    """Compares the plan of the rule with those of other tiles."""
    table = results.table("tiles", "GEMM with epilogue by tile", "us", better="lower", ours=("rule",))
    for m, n, k in sizes:
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        weight = torch.randn(n, k, device="cuda", dtype=torch.bfloat16) * k**-0.5
        for name, case in cases_of(a, weight).items():
            bits = 8 if name in ("SwiGLU", "float8", "float8 of groups") else 16
            run = case.ours["Hocket"]
            rivals = {"rule": run}
            for tile in COMPARED_TILES:
                plan = choose_hopper_plan(m, n, k, 1, 16, bits, SHARED_BYTES, MULTIPROCESSORS["sm_90a"], tile=tile)
                rivals[f"{tile}{', ping-pong' * tile.ping_pong}"] = functools.partial(run, plan=plan)
            times = gpu_times(rivals, rounds=arguments.rounds, warmup=3)
            values = {form: seconds * 1e6 for form, seconds in times.items()}
            table.add(f"{name}, {m} x {n} x {k}", values, seconds=times, dtype="bfloat16", m=m, n=n, k=k)
            print(name, m, n, k, {form: round(value, 1) for form, value in values.items()}, flush=True)
    table.show(1)


def measure_host(results: Results) -> None:
    """Compares the host time of a call with a function to that with an activation."""
    table = results.table("host", "host time of a call", "us", better="lower", ours=("host",), method=HOST_LOOP)
    a, b, out, residual = (torch.randn(64, 64, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    bias = torch.randn(64, device="cuda", dtype=torch.bfloat16)
    rivals = {
        "activation": functools.partial(matmul, a, b, out, bias=bias, activation="silu"),
        "epilogue, no arguments": functools.partial(matmul, a, b, out, epilogue=FUNCTIONS["silu"]),
        "epilogue, a matrix": functools.partial(
            matmul, a, b, out, epilogue=epilogues.add_residual, epilogue_args=(residual, 64)
        ),
    }
    for name, seconds in host_times(rivals).items():
        table.add(name, {"host": seconds * 1e6}, seconds={"host": seconds})
    table.show(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help='names of cases, separated by commas; "activations"; "tiles"; "host"')
    parser.add_argument("--size", action="append", help="M,N,K; may be given several times")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--mode", help='mode of torch.compile, such as "max-autotune-no-cudagraphs"')
    results = Results("epilogues", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    arguments = parser.parse_args()
    sizes = [tuple(map(int, size.split(","))) for size in arguments.size] if arguments.size else list(SIZES)
    torch.manual_seed(0)
    if arguments.only == "host":
        measure_host(results)
    elif arguments.only == "tiles":
        measure_tiles(results, arguments, sizes)
    elif arguments.only != "activations":
        measure(results, arguments, sizes)
    if arguments.only in (None, "activations"):
        measure_activations(results, arguments, sizes)
    results.save(arguments)


if __name__ == "__main__":
    main()
