"""Measures the time of a cold compile of vector add, and of `import`, for Hocket and Triton in fresh processes.

    python benchmarks/compile_time.py [--json FILE]

A cold compile is the compilation at the first launch of a kernel with an empty disk cache, including loading the cubin.
The process has already compiled another kernel, so the time does not include loading libraries. The runs of Hocket and
Triton are interleaved.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import textwrap

from results import FRESH_PROCESSES, NO_INPUTS, Results

# Hocket's submodules are loaded on first use, so the measured code also uses the submodules that a kernel file needs.
IMPORT = {
    "hocket": "import time; t = time.perf_counter(); import hocket; from hocket import language; hocket.jit; "
    "language.BlockedLayout; print((time.perf_counter() - t) * 1e3)",
    "triton": "import time; t = time.perf_counter(); import triton; import triton.language; "
    "print((time.perf_counter() - t) * 1e3)",
}

COMPILE = {
    "hocket": """
        import tempfile, os, time
        os.environ["HOCKET_CACHE_DIR"] = tempfile.mkdtemp()
        import hocket, torch
        from hocket import language as gl
        from hocket_kernels import warm, add
        x = torch.zeros(1024, device="cuda")
        warm[(1,)](x, BLOCK=128); torch.cuda.synchronize()
        t = time.perf_counter()
        add[(1,)](x, x, x, 1024, BLOCK=1024)
        print((time.perf_counter() - t) * 1e3)
    """,
    "triton": """
        import tempfile, os, time
        os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
        import torch, triton
        from triton_kernels import warm, add
        x = torch.zeros(1024, device="cuda")
        warm[(1,)](x, BLOCK=128); torch.cuda.synchronize()
        t = time.perf_counter()
        add[(1,)](x, x, x, 1024, BLOCK=1024)
        print((time.perf_counter() - t) * 1e3)
    """,
}

KERNELS = {
    "hocket_kernels.py": """
        import hocket
        from hocket import language as gl

        @hocket.jit
        def warm(x, BLOCK: gl.constexpr):
            i = gl.arange(0, BLOCK, layout=gl.row_layout())
            gl.store(x + i, 0.0)

        @hocket.jit
        def add(x, y, out, n, BLOCK: gl.constexpr):
            layout: gl.constexpr = gl.row_layout(4)
            i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
            mask = i < n
            gl.store(out + i, gl.load(x + i, mask=mask) + gl.load(y + i, mask=mask), mask=mask)
    """,
    "triton_kernels.py": """
        import triton
        import triton.language as tl

        @triton.jit
        def warm(x, BLOCK: tl.constexpr):
            tl.store(x + tl.arange(0, BLOCK), 0.0)

        @triton.jit
        def add(x, y, out, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            mask = i < n
            tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)
    """,
}


def measure(code: str, folder: str) -> float:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    output = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True, check=True
    )
    return float(output.stdout.split()[-1])


def main(rounds: int = 7) -> None:
    results = Results("compile_time", inputs=NO_INPUTS, method=FRESH_PROCESSES)
    options = results.options(__doc__)
    samples: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, code in KERNELS.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(textwrap.dedent(code))
        for _ in range(rounds):
            for rival in ("hocket", "triton"):
                samples.setdefault(("import", rival), []).append(measure(IMPORT[rival], folder))
                samples.setdefault(("cold compile", rival), []).append(measure(COMPILE[rival], folder))
    table = results.table("host", "import, and a cold compile of vector add", "ms", better="lower")
    for what in ("import", "cold compile"):
        rivals = {"Hocket": "hocket", "Triton": "triton"}
        table.add(what, {name: statistics.median(samples[what, rival]) for name, rival in rivals.items()})
    table.show(1)
    results.save(options)


if __name__ == "__main__":
    main()
