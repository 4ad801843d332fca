"""Measures the host time of a call of ready kernels, and of PyTorch's operators, from a Python loop.

    python benchmarks/host_time.py [--json FILE]

The problems are so small that the GPU is faster than the host. The measured time is therefore that of the host:
checks, the choice of a plan, the allocation of results, and the launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from interleave import host_times
from results import HOST_LOOP, NORMAL, Results

import hocket.torch
from hocket.kernels import attention, matmul, norms
from hocket.kernels.norms import launch

ROWS, COLUMNS = 32, 1024
#: Name of a case, Hocket's function, PyTorch's function.
Case = tuple[str, Callable, Callable]


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float32).bfloat16()


def cases_of_norms() -> Iterator[Case]:
    """Yields the functions of `hocket.kernels.norms`, and operators of `hocket.torch`."""
    x, residual, weight, bias = normal(ROWS, COLUMNS), normal(ROWS, COLUMNS), normal(COLUMNS), normal(COLUMNS)
    aten, shape = torch.ops.aten, (COLUMNS,)
    yield "rms_norm", lambda: norms.rms_norm(x, weight), lambda: F.rms_norm(x, shape, weight, 1e-6)
    yield "layer_norm", lambda: norms.layer_norm(x, weight, bias), lambda: F.layer_norm(x, shape, weight, bias)
    yield (
        "rms_norm with a residual",
        lambda: norms.rms_norm(x, weight, residual=residual),
        lambda: F.rms_norm(x + residual, shape, weight, 1e-6),
    )
    _, rstd = norms.rms_norm(x, weight, return_statistics=True)
    _, fused_rstd = aten._fused_rms_norm(x, shape, weight, 1e-6)
    yield (
        "rms_norm_backward",
        lambda: norms.rms_norm_backward(residual, x, weight, rstd),
        lambda: aten._fused_rms_norm_backward(residual, x, shape, fused_rstd, weight, (True, True)),
    )
    _, mean, rstd_of_layer = norms.layer_norm(x, weight, bias, return_statistics=True)
    _, means, rstds = aten.native_layer_norm(x, shape, weight, bias, 1e-5)
    yield (
        "layer_norm_backward",
        lambda: norms.layer_norm_backward(residual, x, weight, mean, rstd_of_layer),
        lambda: aten.native_layer_norm_backward(residual, x, shape, means, rstds, weight, bias, (True, True, True)),
    )
    yield "torch.softmax", lambda: hocket.torch.softmax(x), lambda: F.softmax(x, -1)
    yield "torch.swiglu", lambda: hocket.torch.swiglu(x, residual), lambda: F.silu(x) * residual


def cases_of_matmul() -> Iterator[Case]:
    a, b = normal(128, 128), normal(128, 128)
    out = torch.empty_like(a)
    yield "matmul", lambda: matmul(a, b), lambda: torch.mm(a, b)
    yield "matmul, out", lambda: matmul(a, b, out), lambda: torch.mm(a, b, out=out)
    yield "torch.matmul", lambda: hocket.torch.matmul(a, b), lambda: torch.mm(a, b)


def cases_of_attention() -> Iterator[Case]:
    for name, shape, keys in (("decode", (4, 8, 1, 128), 256), ("prefill", (1, 2, 128, 128), 128)):
        q, k, v = normal(*shape), *(normal(*shape[:2], keys, shape[3]) for _ in range(2))
        is_causal = name == "prefill"

        def peer(q=q, k=k, v=v, is_causal=is_causal):
            return F.scaled_dot_product_attention(q, k, v, is_causal=is_causal)

        yield f"attention, {name}", lambda q=q, k=k, v=v, c=is_causal: attention(q, k, v, causal=c), peer
        yield f"torch.attention, {name}", lambda q=q, k=k, v=v, c=is_causal: hocket.torch.attention(q, k, v, c), peer


def cases_of_modules() -> Iterator[Case]:
    """Yields forward passes of modules that record gradients."""
    x = normal(ROWS, COLUMNS)
    for name in ("RMSNorm", "LayerNorm"):
        modules = (
            getattr(library, name)(COLUMNS, device="cuda", dtype=torch.bfloat16) for library in (hocket.torch, torch.nn)
        )
        ours, theirs = modules
        yield f"{name}, gradients recorded", lambda ours=ours: ours(x), lambda theirs=theirs: theirs(x)


def parts_of_rms_norm() -> dict[str, Callable]:
    """Returns parts of a call of `norms.rms_norm` by name, and operators of PyTorch to compare them with."""
    x, weight = normal(ROWS, COLUMNS), normal(COLUMNS)
    out = torch.empty_like(x)
    arrays, settings = (x, None, weight, None, None), ("rms_norm", False, *launch.resolved(None, False), 0.0, None)
    run = launch.forwards.find(arrays, settings)
    return {
        "norms.rms_norm": lambda: norms.rms_norm(x, weight),
        "the prepared launch is found": lambda: launch.forwards.find(arrays, settings),
        "the result is allocated, and the kernel launched": lambda: run(x, None, weight, None, None, 1e-6),
        "the kernel is launched": lambda: run(x, None, weight, None, out, 1e-6),
        "torch.empty_like": lambda: torch.empty_like(x),
        "F.rms_norm": lambda: F.rms_norm(x, (COLUMNS,), weight, 1e-6),
    }


def main() -> None:
    results = Results("host_time", inputs=NORMAL, method=HOST_LOOP)
    options = results.options(__doc__)
    table = results.table("host", "host time of a call", "us", better="lower")

    def add(cases: Iterator[Case]) -> None:
        for name, ours, theirs in cases:
            seconds = host_times({"Hocket": ours, "PyTorch": theirs})
            table.add(name, {rival: 1e6 * time for rival, time in seconds.items()}, seconds=seconds)

    with torch.no_grad():
        for cases in (cases_of_norms, cases_of_matmul, cases_of_attention):
            add(cases())
    add(cases_of_modules())
    table.show()
    parts = results.table("parts", "parts of a call of norms.rms_norm", "us", better="lower")
    with torch.no_grad():
        for name, seconds in host_times(parts_of_rms_norm()).items():
            parts.add(name, {"Hocket": 1e6 * seconds}, seconds={"Hocket": seconds})
    parts.show(digits=1)
    results.save(options)


if __name__ == "__main__":
    main()
