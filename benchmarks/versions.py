"""Compares two installed versions of Hocket: GPU time, compile time and machine code of the ready kernels.

    pip install --no-deps --target before hocket-OLD.whl; pip install --no-deps --target after hocket-NEW.whl
    python benchmarks/versions.py before after                   # GPU times, with PyTorch and an NVIDIA GPU
    python benchmarks/versions.py before after --compile         # compile times and machine code, without a GPU

A process cannot import two versions, so new processes for both versions alternate. The best of `--rounds` measurements
of each version is compared. The cases below may only use arguments that both versions accept.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from interleave import gpu_times
from results import CPU_TIME, INTERLEAVED, NORMAL, Results

MATRICES = [
    *((4096, 4096, 4096), (8192, 8192, 1024), (8192, 28672, 4096), (1000, 3000, 5000), (1024, 1024, 4096)),
    *((512, 512, 8192), (512, 512, 32768), (1536, 1536, 16384), (16, 8192, 8192), (64, 4096, 14336)),
]
#: dtype, head size, causal, batch, heads, key heads, number of queries, number of keys, factor of the queries' values.
ATTENTIONS = [
    ("bfloat16", 128, False, 4, 16, 16, 4096, 4096, 1),
    ("bfloat16", 128, True, 4, 16, 16, 4096, 4096, 1),
    ("bfloat16", 128, False, 4, 16, 16, 4096, 4096, 8),
    ("bfloat16", 64, False, 4, 32, 32, 4096, 4096, 1),
    ("bfloat16", 64, True, 4, 32, 32, 4096, 4096, 4),
    ("float16", 64, True, 4, 32, 32, 4096, 4096, 1),
    ("bfloat16", 128, False, 2, 32, 4, 3000, 3000, 1),
    ("bfloat16", 128, False, 16, 32, 8, 1, 8192, 1),
]
ROWS = [(8192, 4096), (8192, 16384), (4096, 1000), (64, 65536)]
CODE, NO_INPUTS = "instructions in the assembly text", "none: nothing is launched"
TARGETS = ("sm_90a", "sm_80", "gfx950", "gfx942")


def cases(make: Callable) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yields (name, function that launches) for each case. `make(dtype, *shape)` returns an array of random numbers."""
    from hocket.kernels import attention, matmul, norms

    for m, n, k in MATRICES:
        a, b = make("bfloat16", m, k), make("bfloat16", n, k).T
        yield f"matmul {m}x{n}x{k}", lambda a=a, b=b: matmul(a, b)
    for dtype, size, causal, batch, heads, key_heads, queries, keys, factor in ATTENTIONS:
        q, k = make(dtype, batch, heads, queries, size), make(dtype, batch, key_heads, keys, size)
        q *= factor
        name = f"attention {dtype} D {size}{' causal' if causal else ''} {batch}x{heads}/{key_heads}x{queries}x{keys}"
        yield f"{name}, std {factor}", lambda q=q, k=k, causal=causal: attention(q, k, k, causal=causal)
    for rows, columns in ROWS:
        x, weight = make("bfloat16", rows, columns), make("bfloat16", columns)
        yield f"rms_norm {rows}x{columns}", lambda x=x, weight=weight: norms.rms_norm(x, weight)
        yield f"layer_norm {rows}x{columns}", lambda x=x, weight=weight: norms.layer_norm(x, weight, weight)


def measure_times() -> dict[str, float]:
    """Returns the seconds on the GPU for each case."""
    import torch

    def make(dtype: str, *shape: int):
        return torch.randn(*shape, device="cuda").to(getattr(torch, dtype))

    return {name: gpu_times({name: run}, rounds=50)[name] for name, run in cases(make)}


def measure_compilation() -> dict[str, dict]:
    """Returns for each case and target: CPU seconds of the compilation, number of instructions, and a hash of the
    code."""
    import ml_dtypes
    import numpy as np

    import hocket
    from hocket.runtime.jit import JITFunction

    compiled = []

    class Compiling:
        def __init__(self, kernel):
            self.kernel = kernel

        def __call__(self, *arguments, **options):
            options.pop("stream", None)
            target = hocket.emulator.current_target()
            compiled.append(JITFunction.warmup(self.kernel, *arguments, target=target, **options))

    JITFunction.__getitem__ = lambda kernel, grid: Compiling(kernel)
    measured = {}
    for target in TARGETS:
        with hocket.emulator.target(target):
            for name, run in cases(lambda dtype, *shape: np.zeros(shape, getattr(ml_dtypes, dtype, dtype))):
                compiled.clear()
                begin = time.process_time()
                try:
                    run()
                except hocket.HocketError:  # this version has no such kernel for the target
                    continue
                seconds = time.process_time() - begin
                texts = [kernel.asm["ptx" if target.startswith("sm_") else "amdgcn"] for kernel in compiled]
                code = [line for text in texts for line in text.splitlines() if re.match(r"\t[^.;/]", line)]
                digest = hashlib.sha256("\n".join(code).encode()).hexdigest()
                measured[f"{target} {name}"] = {"seconds": seconds, "instructions": len(code), "code": digest}
    return measured


def run_version(folder: str, mode: str) -> dict:
    """Measures the version that is installed in `folder`, in a new process with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"PYTHONPATH": os.path.abspath(folder), "HOCKET_CACHE_DIR": cache}
        command = [sys.executable, os.path.abspath(__file__), folder, folder, "--measure", mode]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="folder in which the older version is installed")
    parser.add_argument("after", help="folder in which the newer version is installed")
    parser.add_argument("--compile", action="store_true", help="compare compile times and machine code")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", choices=("times", "compilation"), help=argparse.SUPPRESS)
    results = Results("versions", inputs=NORMAL, method=INTERLEAVED)
    results.add_option(parser)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure_times() if options.measure == "times" else measure_compilation()))
        return
    runs: dict[str, list[dict]] = {"before": [], "after": []}
    for _ in range(options.rounds):
        for version in runs:
            mode = "compilation" if options.compile else "times"
            runs[version].append(run_version(getattr(options, version), mode))
    if options.compile:
        show_compilation(runs, results)
    else:
        table = results.table("times", "GPU time", "us", better="lower", ours=("after",))
        for name in runs["after"][0]:
            best = {version: min(run[name] for run in of) * 1e6 for version, of in runs.items() if name in of[0]}
            table.add(name, best)
        table.show(digits=1)
    results.save(options)


def show_compilation(runs: dict[str, list[dict]], results: Results) -> None:
    after = ("after",)
    times = results.table("compilation", "CPU time of a compilation", "ms", "lower", after, CPU_TIME, NO_INPUTS)
    sizes = results.table("code", "kernels whose code differs", "instructions", "lower", after, CODE, NO_INPUTS)
    same = 0
    for name in runs["after"][0]:
        if name not in runs["before"][0]:
            continue
        times.add(name, {version: min(run[name]["seconds"] for run in of) * 1e3 for version, of in runs.items()})
        if runs["before"][0][name]["code"] == runs["after"][0][name]["code"]:
            same += 1
        else:
            sizes.add(name, {version: of[0][name]["instructions"] for version, of in runs.items()})
    times.show()
    sizes.show()
    print(f"the machine code of {same} other kernels is identical")


if __name__ == "__main__":
    main()
