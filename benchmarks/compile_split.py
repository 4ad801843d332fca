"""Measures the time of each step of a cold compile, for a persistent GEMM in Hocket and one in Triton.

    python benchmarks/compile_split.py [--rounds 5] [--json FILE]

Both GEMMs copy tiles by TMA with descriptors to a ring buffer, and launch a block per SM. Hocket's GEMM has a producer
warp; Triton 3.6 does not specialize warps on Hopper. Each compile is in a fresh process with an empty disk cache, after
the compilation of another kernel. Times are medians.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import textwrap

from results import FRESH_PROCESSES, NO_INPUTS, Results

HOCKET = """
    import os, tempfile
    os.environ["HOCKET_CACHE_DIR"] = tempfile.mkdtemp()
    import torch
    from hocket.kernels import matmul
    from warm_up import hocket_warm
    hocket_warm()
    a, b = (torch.randn(4096, 4096, device="cuda").half() for _ in range(2))
    out = torch.empty_like(a)
    os.environ["HOCKET_TIMING"] = "1"
    matmul(a, b, out)
"""

TRITON = """
    import os, tempfile
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    import torch, triton
    from warm_up import product, triton_warm
    triton_warm()
    a, b = (torch.randn(4096, 4096, device="cuda").half() for _ in range(2))
    out = torch.empty_like(a)
    def listen(*, src, metadata, metadata_group, times, cache_hit):
        print("stage", "front end", times.ir_initialization / 1e3)
        for name, microseconds in times.lowering_stages:
            print("stage", name, microseconds / 1e3)
    triton.knobs.compilation.listener = listen
    product(a, b, out)
"""

WARM_UP = """
    def hocket_warm():
        import hocket, torch
        from hocket import language as gl
        from warm_kernels import hocket_store
        hocket_store[(1,)](torch.zeros(1024, device="cuda"), BLOCK=128)
        torch.cuda.synchronize()

    def triton_warm():
        import torch
        from warm_kernels import triton_store
        triton_store[(1,)](torch.zeros(1024, device="cuda"), BLOCK=128)
        torch.cuda.synchronize()

    def product(a, b, out):
        from triton.tools.tensor_descriptor import TensorDescriptor
        from warm_kernels import triton_product
        (m, k), n = a.shape, b.shape[1]
        triton_product[(132,)](
            TensorDescriptor.from_tensor(a, [128, 64]), TensorDescriptor.from_tensor(b, [64, 256]),
            TensorDescriptor.from_tensor(out, [128, 128]), m, n, k, M=128, N=256, K=64, num_warps=8, num_stages=3,
        )
"""

KERNELS = """
    try:
        import triton
        import triton.language as tl
    except ImportError:
        triton = None
    import hocket
    from hocket import language as gl

    @hocket.jit
    def hocket_store(x, BLOCK: gl.constexpr):
        i = gl.arange(0, BLOCK, layout=gl.row_layout())
        gl.store(x + i, 0.0)

    if triton:
        @triton.jit
        def triton_store(x, BLOCK: tl.constexpr):
            tl.store(x + tl.arange(0, BLOCK), 0.0)

        @triton.jit
        def triton_product(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
            columns = tl.cdiv(n, N)
            for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * columns, tl.num_programs(0), flatten=True):
                row, column = tile // columns * M, tile % columns * N
                acc = tl.zeros((M, N), dtype=tl.float32)
                for step in range(tl.cdiv(k, K)):
                    acc = tl.dot(a.load([row, step * K]), b.load([step * K, column]), acc)
                first, second = tl.split(tl.permute(tl.reshape(acc, (M, 2, N // 2)), (0, 2, 1)))
                c.store([row, column], first.to(tl.float16))
                c.store([row, column + N // 2], second.to(tl.float16))
"""

#: Column of the table for each step of a compilation. Hocket's passes are not listed: their column is "passes". A step
#: of Triton is named by the IR or code that it produces.
STAGES = {
    "front end": "front end",
    "export to LLVM": "LLVM",
    "optimize": "LLVM",
    "select instructions": "LLVM",
    "assemble": "ptxas",
    "machine code": "ptxas",
    "ttir": "passes",
    "ttgir": "passes",
    "llir": "passes and LLVM's optimizer",
    "ptx": "LLVM",
    "cubin": "ptxas",
}
COLUMNS = ("front end", "passes", "passes and LLVM's optimizer", "LLVM", "ptxas", "all")


def split(text: str) -> dict[str, float]:
    """Returns the milliseconds of each column, from the times that a process has printed."""
    times: dict[str, float] = {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["stage"]:
            name, milliseconds = " ".join(words[1:-1]), float(words[-1])
        elif len(words) > 2 and words[1] == "ms" and words[2] != "total":
            name, milliseconds = " ".join(words[2:]), float(words[0])
        else:
            continue
        column = STAGES.get(name, "passes")
        times[column] = times.get(column, 0) + milliseconds
    return times | {"all": sum(times.values())}


def measure(code: str, folder: str) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return split(done.stdout + done.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    results = Results("compile_split", inputs=NO_INPUTS, method=FRESH_PROCESSES)
    results.add_option(parser)
    options = parser.parse_args()
    samples: dict[str, list[dict[str, float]]] = {"Hocket": [], "Triton": []}
    with tempfile.TemporaryDirectory() as folder:
        for name, code in (("warm_up.py", WARM_UP), ("warm_kernels.py", KERNELS)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(textwrap.dedent(code))
        for _ in range(options.rounds):
            for rival, code in (("Hocket", HOCKET), ("Triton", TRITON)):
                samples[rival].append(measure(code, folder))
    table = results.table("steps", "a cold compile of a persistent GEMM, by step", "ms", better="lower")
    for column in COLUMNS:
        medians = {
            rival: statistics.median(times.get(column, 0) for times in all_times)
            for rival, all_times in samples.items()
        }
        table.add(column, medians)
    table.show(1)
    results.save(options)


if __name__ == "__main__":
    main()
